#include "calibrate/calibrate_chart.h"

#include <math.h>

/* The whole picture, and where the plot is in it [px]. */
enum { WIDTH = 960, HEIGHT = 300, LEFT = 78, RIGHT = 16, TOP = 14, BOTTOM = 46 };

void cli_html_add(cli_text *out, const char *text)
{
    for (const char *c = text; *c != '\0'; ++c) {
        switch (*c) {
        case '<':
            cli_text_add(out, "&lt;");
            break;
        case '&':
            cli_text_add(out, "&amp;");
            break;
        case '"':
            cli_text_add(out, "&quot;");
            break;
        default:
            cli_text_add(out, "%c", *c);
        }
    }
}

static double place_x(const cli_chart *c, double x)
{
    return LEFT + (x - c->x_min) / (c->x_max - c->x_min) * (WIDTH - LEFT - RIGHT);
}

static double place_y(const cli_chart *c, double y)
{
    const double at = TOP + (c->y_max - y) / (c->y_max - c->y_min) * (HEIGHT - TOP - BOTTOM);
    return fmin(fmax(at, -1000.0), 2000.0);
}

static void widen(double *lo, double *hi)
{
    if (!(*hi > *lo) || !isfinite(*hi - *lo)) {
        const double middle = isfinite(*lo) ? *lo : 0.0;
        const double more = middle != 0.0 ? 0.1 * fabs(middle) : 1.0;
        *lo = middle - more;
        *hi = middle + more;
    }
}

/* Distance of ticks: 1, 2 or 5 times a power of ten, about `wanted` of them. */
static double tick_of(double range, int wanted)
{
    const double raw = range / wanted, power = pow(10.0, floor(log10(raw)));
    const double rest = raw / power;
    return power * (rest < 1.5 ? 1.0 : rest < 3.5 ? 2.0 : rest < 7.5 ? 5.0 : 10.0);
}

static void add_ticks(const cli_chart *c)
{
    const double x_tick = tick_of(c->x_max - c->x_min, 9), y_tick = tick_of(c->y_max - c->y_min, 5);
    /* Adding 0 makes 0 of -0. */
    for (double k = ceil(c->x_min / x_tick); k * x_tick <= c->x_max + 1e-9 * x_tick; k += 1.0) {
        const double x = place_x(c, k * x_tick);
        cli_text_add(
            c->out,
            "<path class=\"grid\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" class=\"x\">%.6g</text>", x,
            TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 17, k * x_tick + 0.0);
    }
    for (double k = ceil(c->y_min / y_tick); k * y_tick <= c->y_max + 1e-9 * y_tick; k += 1.0) {
        const double y = place_y(c, k * y_tick);
        cli_text_add(
            c->out,
            "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" class=\"y\">%.4g</text>", LEFT,
            y, WIDTH - RIGHT, LEFT - 8, y + 4.0, k * y_tick + 0.0);
    }
}

void cli_chart_begin(cli_chart *c)
{
    widen(&c->x_min, &c->x_max);
    widen(&c->y_min, &c->y_max);
    cli_text_add(c->out, "<figure><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
    cli_html_add(c->out, c->title);
    cli_text_add(c->out, "\">\n");
    add_ticks(c);
    cli_text_add(c->out, "<text x=\"%d\" y=\"%d\" class=\"x name\">", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8);
    cli_html_add(c->out, c->x_name);
    cli_text_add(c->out, "</text><text transform=\"translate(16 %d) rotate(-90)\" class=\"x name\">",
                 (TOP + HEIGHT - BOTTOM) / 2);
    cli_html_add(c->out, c->y_name);
    cli_text_add(c->out,
                 "</text>\n<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" viewBox=\"%d %d %d %d\">\n",
                 LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM, LEFT, TOP, WIDTH - LEFT - RIGHT,
                 HEIGHT - TOP - BOTTOM);
}

void cli_chart_line(const cli_chart *c, const char *class, const double *x, const double *y, int count)
{
    const int block = count > 4000 ? count / 1000 : 1;
    cli_text_add(c->out, "<path class=\"line %s\" d=\"", class);
    for (int i = 0; i < count; i += block) {
        const int end = i + block < count ? i + block : count;
        double lo = y[i];
        double hi = y[i];
        for (int k = i; k < end; ++k) {
            lo = fmin(lo, y[k]);
            hi = fmax(hi, y[k]);
        }
        const double at = place_x(c, x[i]);
        cli_text_add(c->out, "%c%.1f %.1f", i == 0 ? 'M' : 'L', at, place_y(c, lo));
        if (block > 1) {
            cli_text_add(c->out, "V%.1f", place_y(c, hi));
        }
    }
    cli_text_add(c->out, "\"/>\n");
}

void cli_chart_mark(const cli_chart *c, double x, const char *word)
{
    const double at = place_x(c, x);
    cli_text_add(c->out, "<path class=\"mark\" d=\"M%.1f %dV%d\"/><text class=\"word\" x=\"%.1f\" y=\"%d\">",
                 at, TOP, HEIGHT - BOTTOM, at + 5.0, TOP + 15);
    cli_html_add(c->out, word);
    cli_text_add(c->out, "</text>\n");
}

void cli_chart_end(const cli_chart *c)
{
    cli_text_add(c->out, "</svg></svg></figure>\n");
}
