#include "terminal/progress.h"

#include "terminal/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PIECES = 6, PIECE_SIZE = 64, BAR_MIN = 10, BAR_MAX = 40 };

static const double redraw_every = 0.1;    /* [s] */
static const double line_every = 10.0;     /* [s] */
static const double line_part = 0.05;      /* of the run */
static const double smoothing_time = 10.0; /* [s], memory of the shown rates */

/* The line in pieces, most important first; the last ones go when the terminal is narrow. */
typedef char pieces[PIECES][PIECE_SIZE];

cli_progress cli_progress_start(bool quiet)
{
    return (cli_progress){.quiet = quiet, .terminal = cli_is_terminal(stderr)};
}

static double fraction_done(const brn_progress *now)
{
    double done = now->end > 0.0 ? now->time / now->end : 0.0;
    if (!(now->end > 0.0) && now->steps > 0) {
        done = (double)now->step / (double)now->steps;
    }
    return done > 0.0 ? (done < 1.0 ? done : 1.0) : 0.0; /* NaN gives 0 */
}

/* Exponential mean of the rates: a run in which contact sets in changes its pace, and the estimate has to follow. */
static void update_rates(cli_progress *p, const brn_progress *now)
{
    const double passed = now->wall - (p->started ? p->last_wall : 0.0);
    if (!(passed > 0.0) || p->steps_since <= 0) {
        return;
    }
    /* Before the first report: a resumed run starts at the time of its checkpoint, one step before. */
    const double step_time = now->step > 0 ? now->time / (double)now->step : 0.0;
    const double advanced = p->started ? now->time - p->last_time : step_time * (double)p->steps_since;
    const double weight = p->started ? 1.0 - exp(-passed / smoothing_time) : 1.0;
    p->rate_time += weight * (advanced / passed - p->rate_time);
    p->rate_steps += weight * ((double)p->steps_since / passed - p->rate_steps);
}

static void describe(const cli_progress *p, const brn_progress *now, pieces out)
{
    char left[CLI_TEXT_SIZE];
    const double remaining = p->rate_time > 0.0 ? (now->end - now->time) / p->rate_time : NAN;
    (void)snprintf(out[0], PIECE_SIZE, "%3.0f %%", floor(100.0 * fraction_done(now) + 1e-6));
    (void)snprintf(out[1], PIECE_SIZE, "ETA %s", cli_duration(remaining < 0.0 ? 0.0 : remaining, left));
    (void)snprintf(out[2], PIECE_SIZE, "t %.4g/%.4g s", now->time, now->end);
    if (now->steps > 0) {
        (void)snprintf(out[3], PIECE_SIZE, "step %" PRId64 "/%" PRId64, now->step, now->steps);
    } else {
        (void)snprintf(out[3], PIECE_SIZE, "step %" PRId64, now->step);
    }
    (void)snprintf(out[4], PIECE_SIZE, "%.3g sim s/s, %.3g steps/s", p->rate_time, p->rate_steps);
    (void)snprintf(out[5], PIECE_SIZE, "%.1f it/step",
                   p->steps_since > 0 ? (double)p->iterations / (double)p->steps_since : 0.0);
}

static void draw_bar(double done, pieces text)
{
    /* One column stays free: writing the last one makes some terminals wrap. */
    const int width = cli_terminal_width(stderr) - 1;
    int used = (int)strlen(text[0]), shown = 1;
    while (shown < PIECES && text[shown][0] != '\0' &&
           used + 2 + (int)strlen(text[shown]) + BAR_MIN + 3 <= width) {
        used += 2 + (int)strlen(text[shown++]);
    }
    int cells = width - used - 3;
    cells = cells > BAR_MAX ? BAR_MAX : cells;
    (void)fputs("\r\033[K", stderr);
    if (cells >= 3) {
        const int full = (int)(done * cells);
        (void)fprintf(stderr, "%s[", cli_paint(stderr, CLI_GREEN));
        for (int i = 0; i < cells; ++i) {
            (void)fputc(i < full ? '=' : i == full ? '>' : ' ', stderr);
        }
        (void)fprintf(stderr, "]%s ", cli_paint(stderr, CLI_PLAIN));
    }
    for (int i = 0; i < shown; ++i) {
        (void)fprintf(stderr, "%s%s", i > 0 ? "  " : "", text[i]);
    }
    (void)fflush(stderr);
}

static void print_line(pieces text)
{
    for (int i = 0; i < PIECES && text[i][0] != '\0'; ++i) {
        (void)fprintf(stderr, "%s%s", i > 0 ? "  " : "", text[i]);
    }
    (void)fputc('\n', stderr);
}

void cli_progress_show(cli_progress *p, const brn_progress *now)
{
    if (p->quiet) {
        return;
    }
    ++p->steps_since;
    p->iterations += now->report != NULL ? now->report->iterations : 0;

    /* Not too often: a report can cost more than a step. */
    const double done = fraction_done(now), passed = now->wall - p->last_wall;
    const bool due = p->terminal ? passed >= redraw_every
                                 : done - p->last_done >= line_part - 1e-12 || passed >= line_every;
    if (!due) {
        return;
    }
    pieces text;
    update_rates(p, now);
    describe(p, now, text);
    if (p->terminal) {
        draw_bar(done, text);
        p->line_shown = true;
    } else {
        print_line(text);
    }
    p->started = true;
    p->last_wall = now->wall;
    p->last_done = done;
    p->last_time = now->time;
    p->iterations = 0;
    p->steps_since = 0;
}

void cli_progress_count(cli_progress *p, const char *noun, int done, int total, double wall, const char *note)
{
    const double part = total > 0 ? (double)done / total : 0.0, passed = wall - p->last_wall;
    const bool due = p->terminal ? passed >= redraw_every : passed >= line_every;
    if (p->quiet || !due) {
        return;
    }
    pieces text = {""};
    char left[CLI_TEXT_SIZE];
    (void)snprintf(text[0], PIECE_SIZE, "%3.0f %%", floor(100.0 * part + 1e-6));
    (void)snprintf(text[1], PIECE_SIZE, "ETA %s",
                   cli_duration(part > 0.0 ? wall * (1.0 - part) / part : NAN, left));
    (void)snprintf(text[2], PIECE_SIZE, total > 0 ? "%s %d/%d" : "%s %d", noun, done, total);
    (void)snprintf(text[3], PIECE_SIZE, "%s", note);
    if (p->terminal) {
        draw_bar(part, text);
        p->line_shown = true;
    } else {
        print_line(text);
    }
    p->last_wall = wall;
}

void cli_progress_clear(cli_progress *p)
{
    if (p->line_shown) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
        p->line_shown = false;
    }
}
