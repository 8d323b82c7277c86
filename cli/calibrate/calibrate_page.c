/* The page of a calibration: what was found, and trace, rest and spectrum as figures. */
#include "calibrate/calibrate_chart.h"
#include "calibrate/calibrate_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

static const char style[] =
    ":root{color-scheme:light dark;--back:#fbfaf7;--card:#fff;--ink:#23262b;--soft:#6c727c;--line:#e4e1da;"
    "--data:#8f98a6;--fit:#c2410c;--rest:#0f6f8f}\n"
    "@media(prefers-color-scheme:dark){:root{--back:#16181c;--card:#1e2126;--ink:#e8e6e1;--soft:#9aa1ac;"
    "--line:#30343b;--data:#707a89;--fit:#fb8a4a;--rest:#58b9d6}}\n"
    "body{margin:0;background:var(--back);color:var(--ink);font:15px/1.5 system-ui,sans-serif}\n"
    "main{max-width:1000px;margin:0 auto;padding:28px 20px 60px}\n"
    "h1{font-size:24px;margin:0 0 4px;font-weight:650}h2{font-size:16px;margin:30px 0 8px;font-weight:650}\n"
    "p{margin:4px 0;color:var(--soft)}\n"
    ".facts{display:flex;flex-wrap:wrap;gap:12px;margin:20px 0 4px}\n"
    ".facts div{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px "
    "16px;min-width:120px}\n"
    ".facts b{display:block;font-size:20px;font-weight:600;font-variant-numeric:tabular-nums}\n"
    ".facts span{color:var(--soft);font-size:13px}\n"
    "figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:8px}\n"
    "svg{display:block;width:100%;height:auto}svg svg{width:auto}\n"
    "text{fill:var(--soft);font-size:12px}.x{text-anchor:middle}.y{text-anchor:end}.name{font-size:13px}\n"
    ".grid{stroke:var(--line);fill:none}.line{fill:none;stroke-width:1.6;stroke-linejoin:round}\n"
    ".data{stroke:var(--data)}.fit{stroke:var(--fit)}.rest{stroke:var(--rest);stroke-width:1.1}\n"
    ".mark{stroke:var(--soft);stroke-dasharray:3 4;fill:none}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
    "th,td{text-align:right;padding:5px 10px;border-bottom:1px solid "
    "var(--line)}th{color:var(--soft);font-weight:500}\n"
    "th:first-child,td:first-child{text-align:left}tr.chosen td{font-weight:650}\n"
    ".key{display:inline-block;width:18px;height:3px;vertical-align:middle;margin:0 6px 0 "
    "14px;border-radius:2px}\n"
    "code{font:13px ui-monospace,monospace}\n";

/* ---- figures -------------------------------------------------------------------------------------------------------------------- */

/* The samples of the window, in the unit of the time axis, with the fitted curve and the rest. */
typedef struct curves {
    int count, fine;
    double unit; /* times of the axis are seconds times it */
    double *x, *y, *rest;
    double *fine_x, *fine_y; /* the curve between samples */
} curves;

enum { FINE = 2000, LINES = 600 };

static bool curves_create(const cli_calibrated *c, curves *v)
{
    const int n = c->fit.samples;
    *v = (curves){.count = n, .fine = FINE, .unit = c->fit.end - c->fit.start < 1.0 ? 1e3 : 1.0};
    v->x = malloc((size_t)n * sizeof *v->x);
    v->y = malloc((size_t)n * sizeof *v->y);
    v->rest = malloc((size_t)n * sizeof *v->rest);
    v->fine_x = malloc(FINE * sizeof *v->fine_x);
    v->fine_y = malloc(FINE * sizeof *v->fine_y);
    if (v->x == NULL || v->y == NULL || v->rest == NULL || v->fine_x == NULL || v->fine_y == NULL) {
        return false;
    }
    for (int i = 0; i < n; ++i) {
        const double t = c->time[c->fit.first + i];
        v->x[i] = t * v->unit;
        v->y[i] = c->value[c->fit.first + i];
        v->rest[i] = v->y[i] - brn_ring_down_at(&c->fit, t);
    }
    for (int i = 0; i < FINE; ++i) {
        const double t = c->fit.start + (c->fit.end - c->fit.start) * i / (FINE - 1);
        v->fine_x[i] = t * v->unit;
        v->fine_y[i] = brn_ring_down_at(&c->fit, t);
    }
    return true;
}

static void curves_clear(curves *v)
{
    free(v->x);
    free(v->y);
    free(v->rest);
    free(v->fine_x);
    free(v->fine_y);
}

static void range_of(const double *y, int count, double *lo, double *hi)
{
    for (int i = 0; i < count; ++i) {
        *lo = fmin(*lo, y[i]);
        *hi = fmax(*hi, y[i]);
    }
}

/* The whole trace, so that it is seen where the window is. */
static void add_trace(const cli_calibrated *c, const curves *v, cli_text *out)
{
    double lo = INFINITY;
    double hi = -INFINITY;
    double *x = malloc((size_t)c->count * sizeof *x);
    if (x == NULL) {
        out->failed = true;
        return;
    }
    for (int i = 0; i < c->count; ++i) {
        x[i] = c->time[i] * v->unit;
    }
    range_of(c->value, c->count, &lo, &hi);
    cli_chart chart = {.out = out,
                       .title = "Measured and fitted trace over time",
                       .x_name = v->unit > 1.0 ? "time [ms]" : "time [s]",
                       .y_name = c->column[0] != '\0' ? c->column : "displacement",
                       .x_min = x[0],
                       .x_max = x[c->count - 1],
                       .y_min = lo - 0.06 * (hi - lo),
                       .y_max = hi + 0.06 * (hi - lo)};
    cli_chart_begin(&chart);
    cli_chart_line(&chart, "data", x, c->value, c->count);
    cli_chart_line(&chart, "fit", v->fine_x, v->fine_y, v->fine);
    if (c->fit.first > 0) {
        cli_chart_mark(&chart, c->fit.start * v->unit, "window");
    }
    cli_chart_end(&chart);
    free(x);
}

static void add_rest(const curves *v, cli_text *out)
{
    double lo = 0.0;
    double hi = 0.0;
    range_of(v->rest, v->count, &lo, &hi);
    cli_chart chart = {.out = out,
                       .title = "What the fit leaves, over time",
                       .x_name = v->unit > 1.0 ? "time [ms]" : "time [s]",
                       .y_name = "measured - fitted",
                       .x_min = v->x[0],
                       .x_max = v->x[v->count - 1],
                       .y_min = 1.08 * lo,
                       .y_max = 1.08 * hi};
    cli_chart_begin(&chart);
    cli_chart_line(&chart, "rest", v->x, v->rest, v->count);
    cli_chart_end(&chart);
}

/* Amplitude [dB of `scale`] of samples about their mean at a frequency. Samples are taken in blocks that are short against the period. */
static double amplitude_at(const double *x, const double *y, int count, double unit, double hertz,
                           double scale)
{
    double re = 0.0;
    double im = 0.0;
    const double turn = 2.0 * PI * hertz / unit;
    const double spacing = (x[count - 1] - x[0]) / (count - 1);
    const int block =
        (int)fmin(fmax(0.1 / (fmax(hertz, 1e-300) / unit * spacing), 1.0), 1.0 + count / 4000.0);
    for (int i = 0; i + block <= count; i += block) {
        double sum = 0.0;
        for (int k = i; k < i + block; ++k) {
            sum += y[k];
        }
        const double angle = turn * 0.5 * (x[i] + x[i + block - 1]);
        re += sum * cos(angle);
        im += sum * sin(angle);
    }
    return 20.0 * log10(fmax(hypot(re, im) * 2.0 / count / scale, 1e-12));
}

/* Up to four times the chosen frequency or a little beyond the highest mode, as far as the samples go. */
static double highest(const cli_calibrated *c)
{
    const double top = c->fit.mode[c->fit.mode_count - 1].frequency;
    return fmin(fmax(4.0 * c->fit.mode[c->fit.chosen].frequency, 1.3 * top), 0.5 / c->fit.spacing);
}

static void add_spectrum(const cli_calibrated *c, curves *v, cli_text *out)
{
    double hertz[LINES];
    double level[2][LINES]; /* measured, rest */
    double mean[2] = {0.0, 0.0};
    double hi = -INFINITY;
    double lo = INFINITY;
    for (int i = 0; i < v->count; ++i) {
        mean[0] += v->y[i] / v->count;
        mean[1] += v->rest[i] / v->count;
    }
    double *about[2] = {v->y, v->rest};
    for (int i = 0; i < v->count; ++i) {
        v->y[i] -= mean[0];
        v->rest[i] -= mean[1];
    }
    const double scale = c->fit.mode[c->fit.chosen].amplitude;
    for (int k = 0; k < LINES; ++k) {
        hertz[k] = highest(c) * (k + 1) / LINES;
        for (int s = 0; s < 2; ++s) {
            level[s][k] = amplitude_at(v->x, about[s], v->count, v->unit, hertz[k], scale);
        }
    }
    range_of(level[0], LINES, &lo, &hi);
    lo = fmax(lo, hi - 100.0);
    cli_chart chart = {.out = out,
                       .title = "Spectrum of the trace and of what the fit leaves",
                       .x_name = "frequency [Hz]",
                       .y_name = "level [dB]",
                       .x_min = 0.0,
                       .x_max = hertz[LINES - 1],
                       .y_min = lo - 12.0,
                       .y_max = hi + 6.0};
    cli_chart_begin(&chart);
    cli_chart_line(&chart, "rest", hertz, level[1], LINES);
    cli_chart_line(&chart, "data", hertz, level[0], LINES);
    for (int k = 0; k < c->fit.mode_count; ++k) {
        char word[64];
        (void)snprintf(word, sizeof word, "%.5g Hz", c->fit.mode[k].frequency);
        cli_chart_mark(&chart, c->fit.mode[k].frequency, word);
    }
    cli_chart_end(&chart);
}

/* ---- words and tables ----------------------------------------------------------------------------------------------------------- */

static void add_fact(cli_text *out, double value, int digits, double error, const char *unit,
                     const char *name)
{
    cli_text_add(out, "<div><b>%.*g %s</b><span>", digits, value, unit);
    if (error > 0.0 && error < INFINITY) {
        cli_text_add(out, "&plusmn; %.2g &nbsp; ", error);
    }
    cli_text_add(out, "%s</span></div>\n", name);
}

static void add_facts(const cli_calibrated *c, cli_text *out)
{
    cli_text_add(out, "<div class=\"facts\">\n");
    add_fact(out, c->mode.frequency, 5, c->mode.frequency_error, "Hz", "frequency");
    add_fact(out, c->mode.decay, 4, c->mode.decay_error, "1/s", "decay");
    add_fact(out, cli_calibrate_ratio(&c->mode), 3, 0.0, "", "damping ratio");
    add_fact(out, c->fit.signal_noise, 3, 0.0, "dB", "signal to noise");
    add_fact(out, c->fit.mode[c->fit.chosen].periods, 2, 0.0, "", "periods seen");
    add_fact(out, c->scene != NULL ? c->found.beta : cli_calibrate_beta(&c->mode), 4,
             c->scene != NULL ? c->found.beta_error : 0.0, "s", "beta");
    cli_text_add(out, "</div>\n");
}

static void add_modes(const cli_calibrated *c, cli_text *out)
{
    cli_text_add(
        out, "<h2>Modes of the trace</h2>\n<table><tr><th>mode</th><th>frequency [Hz]</th><th>&plusmn;</th>"
             "<th>decay [1/s]</th><th>&plusmn;</th><th>amplitude</th><th>periods seen</th></tr>\n");
    for (int k = 0; k < c->fit.mode_count; ++k) {
        const brn_ring_mode *m = &c->fit.mode[k];
        cli_text_add(out,
                     "<tr%s><td>%d%s</td><td>%.7g</td><td>%.2g</td><td>%.6g</td><td>%.2g</td><td>%.4g</"
                     "td><td>%.1f</td></tr>\n",
                     k == c->fit.chosen ? " class=\"chosen\"" : "", k + 1,
                     k == c->fit.chosen ? ", taken" : "", m->frequency, m->frequency_error, m->decay,
                     m->decay_error, m->amplitude, m->periods);
    }
    cli_text_add(out, "</table>\n");
    if (c->newmark > 0.0) {
        cli_text_add(
            out, "<p>The shift of steps of %g s is taken out of the figures above: %.6g Hz, %.6g 1/s.</p>\n",
            c->newmark, c->mode.frequency, c->mode.decay);
    }
}

static void add_values(const cli_calibrated *c, cli_text *out)
{
    cli_text_add(out, "<h2>Values for the scene</h2>\n<p>");
    cli_html_add(out, c->scene);
    cli_text_add(out, ", mode %d: %.6g Hz undamped before; now %.6g Hz damped, decay %.6g 1/s.</p>\n",
                 c->wanted.mode, sqrt(c->found.before) / (2.0 * PI), c->found.frequency, c->found.decay);
    cli_text_add(out,
                 "<table><tr><th>value</th><th>before</th><th>now</th><th>&plusmn;</th><th>unit</th></tr>\n");
    for (int i = 0; i < brn_calibrated_count(c->list); ++i) {
        brn_calibrated v = {0};
        (void)brn_calibrated_get(c->list, i, &v);
        cli_text_add(out, "<tr><td><code>");
        cli_html_add(out, v.path);
        cli_text_add(out, "</code></td><td>%.6g</td><td>%.6g</td><td>", v.before, v.after);
        if (v.error > 0.0) {
            cli_text_add(out, "%.2g", v.error);
        }
        cli_text_add(out, "</td><td>%s</td></tr>\n", v.unit);
    }
    cli_text_add(out, "</table>\n");
}

void cli_calibrate_page(const cli_calibrated *c, cli_text *out)
{
    curves v;
    cli_text_add(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                      "<meta name=\"viewport\" content=\"width=device-width\"><title>Ring-down: ");
    cli_html_add(out, c->trace);
    cli_text_add(out, "</title>\n<style>\n%s</style></head>\n<body><main>\n<h1>Ring-down of ", style);
    cli_html_add(out, c->trace);
    cli_text_add(out, "</h1>\n<p>%d samples from %.6g s to %.6g s%s.</p>\n", c->fit.samples, c->fit.start,
                 c->fit.end, c->automatic ? ", after the largest displacement" : "");
    add_facts(c, out);
    if (c->scene != NULL) {
        add_values(c, out);
    }
    if (curves_create(c, &v)) {
        cli_text_add(out, "<h2>Trace<span class=\"key\" style=\"background:var(--data)\"></span>measured"
                          "<span class=\"key\" style=\"background:var(--fit)\"></span>fitted</h2>\n");
        add_trace(c, &v, out);
        cli_text_add(out, "<h2>What the fit leaves</h2>\n");
        add_rest(&v, out);
        cli_text_add(
            out, "<h2>Spectrum<span class=\"key\" style=\"background:var(--data)\"></span>measured"
                 "<span class=\"key\" style=\"background:var(--rest)\"></span>what the fit leaves</h2>\n");
        add_spectrum(c, &v, out);
    } else {
        out->failed = true;
    }
    curves_clear(&v);
    add_modes(c, out);
    cli_text_add(out, "</main></body></html>\n");
}
