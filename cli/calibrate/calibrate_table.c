#include "calibrate/calibrate_result.h"
#include "terminal/terminal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

double cli_calibrate_lambda(const brn_ring_mode *mode)
{
    const double w = 2.0 * PI * mode->frequency;
    return w * w + mode->decay * mode->decay;
}

double cli_calibrate_ratio(const brn_ring_mode *mode)
{
    return mode->decay / sqrt(cli_calibrate_lambda(mode));
}

double cli_calibrate_beta(const brn_ring_mode *mode)
{
    return 2.0 * fmax(mode->decay, 0.0) / cli_calibrate_lambda(mode);
}

/* "371.89 +- 0.26": two digits of the error, and the number as far as it goes. */
static const char *with_error(double value, double error, char buffer[CLI_TEXT_SIZE])
{
    int digits = 6;
    if (error > 0.0 && error < INFINITY && value != 0.0) {
        const double more = floor(log10(fabs(value))) - floor(log10(error)) + 2.0;
        digits = (int)fmin(fmax(more, 3.0), 10.0);
    }
    (void)snprintf(buffer, CLI_TEXT_SIZE, "%.*g +- %.2g", digits, value, error);
    return buffer;
}

static void print_modes(const cli_calibrated *c)
{
    char text[2][CLI_TEXT_SIZE];
    (void)printf("\n  %-3s%-24s%-24s%-12s%s\n", "", "frequency [Hz]", "decay [1/s]", "amplitude",
                 "periods seen");
    for (int k = 0; k < c->fit.mode_count; ++k) {
        const brn_ring_mode *m = &c->fit.mode[k];
        (void)printf("  %-3s%-24s%-24s%-12.4g%.1f\n", k == c->fit.chosen ? "*" : "",
                     with_error(m->frequency, m->frequency_error, text[0]),
                     with_error(m->decay, m->decay_error, text[1]), m->amplitude, m->periods);
    }
    for (int k = 0; k < c->fit.decay_count; ++k) {
        (void)printf("  %-3s%-24s%-24.6g%-12.4g\n", "", "(no oscillation)", c->fit.decay[k],
                     fabs(c->fit.decay_size[k]));
    }
}

static void print_fit(const cli_calibrated *c)
{
    const brn_ring_down *fit = &c->fit;
    char text[CLI_TEXT_SIZE];
    (void)printf("  %-16s%s%s%s, %d samples\n", "trace", c->trace, c->column[0] != '\0' ? ", " : "",
                 c->column, c->count);
    (void)printf("  %-16s%.6g s to %.6g s, %d samples%s\n", "window", fit->start, fit->end, fit->samples,
                 c->automatic ? "; it starts by itself, after the largest displacement" : "");
    (void)printf("  %-16s%.1f dB; the rest is %.3g (root mean square)%s\n", "signal to noise",
                 fit->signal_noise, fit->noise,
                 fit->correlation > 1.5 ? ", and not white: errors are enlarged for that" : "");
    (void)printf("  %-16s%.6g%s", "offset", fit->offset, fit->drifts ? "" : "\n");
    if (fit->drifts) {
        (void)printf(", drift %.4g 1/s\n", fit->drift);
    }
    print_modes(c);
    if (c->newmark > 0.0) {
        (void)printf("  *  without the shift of steps of %.6g s: %.6g Hz, %.6g 1/s\n", c->newmark,
                     c->mode.frequency, c->mode.decay);
    }
    (void)printf("\n  %-16s%.4g\n", "damping ratio", cli_calibrate_ratio(&c->mode));
    (void)printf("  %-16s%.6g Hz undamped\n", "frequency", sqrt(cli_calibrate_lambda(&c->mode)) / (2.0 * PI));
    if (c->scene == NULL) {
        (void)printf("  %-16s%.5g s (stiffness-proportional damping; alpha = 0)\n", "beta",
                     cli_calibrate_beta(&c->mode));
    }
    if (c->mode.decay <= 0.0) {
        cli_note("no damping can be seen: beta is 0, within %s",
                 cli_quantity(c->mode.decay_error * 2.0 / cli_calibrate_lambda(&c->mode), "s", text));
    }
}

static void print_scene(const cli_calibrated *c)
{
    char text[CLI_TEXT_SIZE];
    char error[CLI_TEXT_SIZE];
    (void)printf("\n  %-16s%s, mode %d%s%s%s\n", "scene", c->scene, c->wanted.mode,
                 c->wanted.body != NULL ? " of " : "", c->wanted.body != NULL ? c->wanted.body : "",
                 c->wanted.free ? ", free" : "");
    (void)printf("  %-16s%.6g Hz undamped as it was; now %.6g Hz damped, decay %.6g 1/s\n", "model",
                 sqrt(c->found.before) / (2.0 * PI), c->found.frequency, c->found.decay);
    (void)printf("  %-16smoduli times %s%s\n\n", "calibrated",
                 with_error(c->found.factor, c->found.factor * c->found.factor_error, text),
                 c->wanted.material != NULL ? ", of this material alone" : "");
    for (int i = 0; i < brn_calibrated_count(c->list); ++i) {
        brn_calibrated v = {0};
        (void)brn_calibrated_get(c->list, i, &v);
        if (v.error > 0.0) {
            (void)printf("  %s: %s %s", v.path, with_error(v.after, v.error, error), v.unit);
        } else {
            (void)printf("  %s: %.6g %s", v.path, v.after, v.unit);
        }
        (void)printf("%s%.6g)\n", v.after == v.before ? "   (as before, " : "   (was ", v.before);
    }
}

void cli_calibrate_print(const cli_calibrated *c)
{
    print_fit(c);
    if (c->scene != NULL) {
        print_scene(c);
    }
}
