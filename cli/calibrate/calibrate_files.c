#include "calibrate/calibrate_result.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- json ------------------------------------------------------------------------------------------------------------------- */

static void write_mode(brn_json *json, const char *key, const brn_ring_mode *m)
{
    brn_json_open(json, key, '{');
    brn_json_real(json, "frequency", m->frequency);
    brn_json_real(json, "frequency_error", m->frequency_error);
    brn_json_real(json, "decay", m->decay);
    brn_json_real(json, "decay_error", m->decay_error);
    brn_json_real(json, "covariance", m->covariance);
    brn_json_real(json, "amplitude", m->amplitude);
    brn_json_real(json, "periods", m->periods);
    brn_json_close(json);
}

static void write_fit(brn_json *json, const cli_calibrated *c)
{
    const brn_ring_down *fit = &c->fit;
    brn_json_text(json, "trace", c->trace);
    brn_json_text(json, "column", c->column);
    brn_json_int(json, "samples", fit->samples);
    brn_json_real(json, "start", fit->start);
    brn_json_real(json, "end", fit->end);
    brn_json_real(json, "spacing", fit->spacing);
    brn_json_real(json, "noise", fit->noise);
    brn_json_real(json, "signal_noise_db", fit->signal_noise);
    brn_json_real(json, "correlation", fit->correlation);
    brn_json_real(json, "offset", fit->offset);
    brn_json_real(json, "drift", fit->drift);
    brn_json_open(json, "modes", '[');
    for (int k = 0; k < fit->mode_count; ++k) {
        write_mode(json, NULL, &fit->mode[k]);
    }
    brn_json_close(json);
    brn_json_open(json, "decays", '[');
    for (int k = 0; k < fit->decay_count; ++k) {
        brn_json_open(json, NULL, '{');
        brn_json_real(json, "decay", fit->decay[k]);
        brn_json_real(json, "size", fit->decay_size[k]);
        brn_json_close(json);
    }
    brn_json_close(json);
    brn_json_int(json, "chosen", fit->chosen);
    brn_json_real(json, "newmark", c->newmark);
    write_mode(json, "mode", &c->mode);
    brn_json_real(json, "lambda", cli_calibrate_lambda(&c->mode));
    brn_json_real(json, "ratio", cli_calibrate_ratio(&c->mode));
    brn_json_real(json, "beta", cli_calibrate_beta(&c->mode));
}

static void write_scene(brn_json *json, const cli_calibrated *c)
{
    brn_json_open(json, "calibration", '{');
    brn_json_text(json, "scene", c->scene);
    brn_json_int(json, "mode", c->wanted.mode);
    brn_json_text(json, "material", c->wanted.material);
    brn_json_text(json, "body", c->wanted.body);
    brn_json_bool(json, "free", c->wanted.free);
    brn_json_real(json, "lambda_before", c->found.before);
    brn_json_real(json, "frequency", c->found.frequency);
    brn_json_real(json, "decay", c->found.decay);
    brn_json_real(json, "factor", c->found.factor);
    brn_json_real(json, "factor_error_relative", c->found.factor_error);
    brn_json_real(json, "share", c->found.share);
    brn_json_real(json, "beta", c->found.beta);
    brn_json_real(json, "beta_error", c->found.beta_error);
    brn_json_open(json, "values", '[');
    for (int i = 0; i < brn_calibrated_count(c->list); ++i) {
        brn_calibrated v = {0};
        (void)brn_calibrated_get(c->list, i, &v);
        brn_json_open(json, NULL, '{');
        brn_json_text(json, "path", v.path);
        brn_json_text(json, "unit", v.unit);
        brn_json_real(json, "before", v.before);
        brn_json_real(json, "after", v.after);
        brn_json_real(json, "error", v.error);
        brn_json_close(json);
    }
    brn_json_close(json);
    brn_json_close(json);
}

static bool make_json(const cli_calibrated *c, cli_text *out)
{
    brn_json *json = NULL;
    const char *text = "";
    size_t length = 0;
    if (brn_json_create(c->ctx, 2, &json) >= 0) {
        brn_json_open(json, NULL, '{');
        write_fit(json, c);
        if (c->scene != NULL) {
            write_scene(json, c);
        }
        brn_json_close(json);
        (void)brn_json_get(json, &text, &length);
    }
    cli_text_add(out, "%s", text);
    brn_json_destroy(json);
    return length > 0;
}

/* ---- the other files ---------------------------------------------------------------------------------------------------------- */

static bool make_csv(const cli_calibrated *c, cli_text *out)
{
    cli_text_add(out, "time,measured,fitted,residual\n");
    for (int i = 0; i < c->fit.samples; ++i) {
        const double t = c->time[c->fit.first + i], y = c->value[c->fit.first + i];
        const double fitted = brn_ring_down_at(&c->fit, t);
        cli_text_add(out, "%.17g,%.17g,%.17g,%.17g\n", t, y, fitted, y - fitted);
    }
    return true;
}

static bool make_page(const cli_calibrated *c, cli_text *out)
{
    cli_calibrate_page(c, out);
    return true;
}

static bool make_scene(const cli_calibrated *c, cli_text *out)
{
    cli_text_add(out, "%s", c->text);
    return true;
}

static bool write_file(const char *path, const cli_text *text)
{
    FILE *out = fopen(path, "wb");
    const bool written = out != NULL && fwrite(text->bytes, 1, text->size, out) == text->size;
    const int error = errno;
    if ((out != NULL && fclose(out) != 0) || !written) {
        cli_error("%s: cannot write: %s", path, strerror(written ? errno : error));
        return false;
    }
    return true;
}

bool cli_calibrate_write(const cli_calibrated *c, const char *dir)
{
    static const struct {
        const char *name;
        bool (*make)(const cli_calibrated *c, cli_text *out);
        const char *help;
    } files[] = {{"calibrate.json", make_json, "everything that was found"},
                 {"fit.csv", make_csv, "the trace in the window, the fitted curve, what is left"},
                 {"calibrate.html", make_page, "the same as a page with figures"},
                 {"calibrated.yaml", make_scene, "the scene with the new values, every default written out"}};
    bool fine = true;
    (void)printf("\n");
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        char path[4096];
        cli_text text = {0};
        const int length = snprintf(path, sizeof path, "%s/%s", dir, files[i].name);
        if (files[i].make == make_scene && c->scene == NULL) {
            continue;
        }
        if (length < 0 || length >= (int)sizeof path) {
            cli_error("%s: path too long", dir);
            return false;
        }
        const bool made = files[i].make(c, &text) && !text.failed;
        if (!made) {
            cli_error("%s: out of memory", path);
        }
        if (made && write_file(path, &text)) {
            (void)printf("  %-40s%s\n", path, files[i].help);
        } else {
            fine = false;
        }
        cli_text_free(&text);
    }
    return fine;
}
