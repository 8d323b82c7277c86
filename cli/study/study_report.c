#include "study/study_report.h"

#include "run/run_folder.h"
#include "terminal/options.h"
#include "terminal/stop.h"
#include "terminal/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 1024, SHOWN_PARAMETERS = 6, SHOWN_FIGURES = 6, SHOWN_POINTS = 40 };

/* ---- progress ----------------------------------------------------------------------------------------------------------- */

cli_study_report cli_study_report_start(const brn_design *design, bool quiet)
{
    return (cli_study_report){design, cli_progress_start(quiet), quiet, -1};
}

/* A figure as people read it: six digits, words without quotes, "-" where there is none. */
static void describe_figure(const char *json, char *text, size_t size)
{
    const size_t n = json != NULL ? strlen(json) : 0;
    char *end = NULL;
    const double value = n > 0 ? strtod(json, &end) : 0.0;
    if (n == 0 || strcmp(json, "null") == 0) {
        (void)snprintf(text, size, "-");
    } else if (json[0] == '"' && n >= 2) {
        (void)snprintf(text, size, "%.*s", (int)(n - 2), json + 1);
    } else if (*end == '\0') {
        (void)snprintf(text, size, "%.6g", value);
    } else {
        (void)snprintf(text, size, "%s", json);
    }
}

/* "top.dz -0.0012, status done": of a sweep, which has no objective. */
static void describe_figures(const brn_design *design, const brn_design_evaluation *e, char *text,
                             size_t size)
{
    const int count = brn_design_figure_count(design);
    size_t used = (size_t)snprintf(text, size, "%s", count > 0 ? "" : "done");
    for (int i = 0; i < count && i < SHOWN_FIGURES && used < size; ++i) {
        char value[64];
        describe_figure(e->figure != NULL ? e->figure[i] : NULL, value, sizeof value);
        const int n = snprintf(text + used, size - used, "%s%s %s", i > 0 ? ", " : "",
                               brn_design_figure(design, i), value);
        used += n > 0 ? (size_t)n : 0;
    }
}

/* The constraint that is missed by most. */
static const char *worst_constraint(const brn_design *design, const brn_design_evaluation *e)
{
    int worst = 0;
    for (int i = 1; i < brn_design_constraint_count(design); ++i) {
        worst = e->constraint[i] > e->constraint[worst] ? i : worst;
    }
    return brn_design_constraint(design, worst);
}

/* "0.0123", and by how much constraints are missed. */
static void describe_value(const brn_design *design, const brn_design_evaluation *e, char *text, size_t size)
{
    if (strcmp(e->status, "done") != 0) {
        (void)snprintf(text, size, "failed: %s", e->reason);
    } else if (brn_design_objective(design) == NULL) {
        describe_figures(design, e, text, size);
    } else if (e->violation > 0.0) {
        (void)snprintf(text, size, "%.6g, misses %s by %.3g", e->objective, worst_constraint(design, e),
                       e->violation);
    } else {
        (void)snprintf(text, size, "%.6g", e->objective);
    }
}

static void describe_point(const brn_design *design, const brn_design_evaluation *e, char *text, size_t size)
{
    const int count = brn_design_parameter_count(design);
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < count && i < SHOWN_PARAMETERS && used < size; ++i) {
        brn_design_parameter p;
        if (brn_design_get_parameter(design, i, &p) == BRN_OK) {
            const int n = snprintf(text + used, size - used, "%s%s %.5g", i > 0 ? ", " : "", p.name, e->x[i]);
            used += n > 0 ? (size_t)n : 0;
        }
    }
    if (count > SHOWN_PARAMETERS && used < size) {
        (void)snprintf(text + used, size - used, ", ...");
    }
}

/* A line for every evaluation where there is no terminal; on a terminal for those that are better, above the bar. */
static void show_last(cli_study_report *r, const brn_design_progress *now)
{
    const bool better =
        now->best != NULL && now->best->index == now->last->index && now->best->index != r->best;
    if (better) {
        r->best = now->best->index;
    }
    if (r->progress.terminal && !better) {
        return;
    }
    char value[LINE_SIZE], point[LINE_SIZE];
    describe_value(r->design, now->last, value, sizeof value);
    describe_point(r->design, now->last, point, sizeof point);
    cli_progress_clear(&r->progress);
    (void)fprintf(stderr, "[%" PRId64 "/%" PRId64 "] %s%s%s (%s)\n", now->done, now->total, value,
                  better ? "" : "", better ? "  best so far" : "", point);
}

bool cli_study_report_show(void *user, const brn_design_progress *progress)
{
    cli_study_report *r = user;
    if (!r->quiet && progress->last != NULL) {
        show_last(r, progress);
    }
    if (!r->quiet && r->progress.terminal) {
        char note[64] = "";
        if (progress->best != NULL) {
            (void)snprintf(note, sizeof note, "best %.6g", progress->best->objective);
        }
        cli_progress_count(&r->progress, "evaluation", (int)progress->done, (int)progress->total,
                           progress->wall, note);
    }
    return cli_stop_signal() != 0;
}

void cli_study_report_clear(cli_study_report *report)
{
    cli_progress_clear(&report->progress);
}

/* ---- the result ------------------------------------------------------------------------------------------------------------ */

/* lead: what stands before it. */
static void print_success(const brn_design_evaluation *e, const char *lead)
{
    if (e->succeeded >= 0 && e->samples > 1) {
        (void)printf("%sworks in %d of %d", lead, e->succeeded, e->samples);
    } else if (e->succeeded >= 0) {
        (void)printf("%s%s", lead, e->succeeded > 0 ? "works" : "does not work");
    }
}

static void print_evaluation(const brn_design *design, const char *label, const brn_design_evaluation *e)
{
    char value[LINE_SIZE];
    describe_value(design, e, value, sizeof value);
    (void)printf("  %-18s%s", label, value);
    print_success(e, ", ");
    (void)printf("  (%s)\n", e->folder);
}

static void print_best(const brn_design *design, const brn_design_result *result)
{
    const brn_design_evaluation *best = &result->best;
    (void)printf("\n%s %s\n", brn_design_maximises(design) ? "highest" : "lowest",
                 brn_design_objective(design));
    if (result->start.samples > 0) {
        print_evaluation(design, "start", &result->start);
    }
    print_evaluation(design, "best", best);
    (void)printf("\n  %-24s%14s%14s\n", "parameter", "start", "best");
    for (int i = 0; i < brn_design_parameter_count(design); ++i) {
        brn_design_parameter p;
        if (brn_design_get_parameter(design, i, &p) == BRN_OK) {
            const char *edge = best->x[i] <= p.min   ? "  at its min"
                               : best->x[i] >= p.max ? "  at its max"
                                                     : "";
            (void)printf("  %-24s%14.6g%14.6g %s%s\n", p.name,
                         result->start.samples > 0 ? result->start.x[i] : p.start, best->x[i], p.unit, edge);
        }
    }
}

/* ---- the table of a sweep -------------------------------------------------------------------------------------------------- */

static int cell_width(const char *name)
{
    const int n = (int)strlen(name);
    return n > 12 ? n : 12;
}

static void print_head(const brn_design *design, int figures)
{
    (void)printf("\n%s", cli_paint(stdout, CLI_BOLD));
    for (int i = 0; i < brn_design_parameter_count(design); ++i) {
        brn_design_parameter p;
        if (brn_design_get_parameter(design, i, &p) == BRN_OK) {
            (void)printf("  %*s", cell_width(p.name), p.name);
        }
    }
    for (int i = 0; i < figures; ++i) {
        (void)printf("  %*s", cell_width(brn_design_figure(design, i)), brn_design_figure(design, i));
    }
    (void)printf("%s\n", cli_paint(stdout, CLI_PLAIN));
}

static void print_row(const brn_design *design, const brn_design_evaluation *e, int figures)
{
    for (int i = 0; i < brn_design_parameter_count(design); ++i) {
        brn_design_parameter p;
        if (brn_design_get_parameter(design, i, &p) == BRN_OK) {
            (void)printf("  %*.6g", cell_width(p.name), e->x[i]);
        }
    }
    for (int i = 0; i < figures; ++i) {
        char value[64];
        describe_figure(e->figure != NULL ? e->figure[i] : NULL, value, sizeof value);
        (void)printf("  %*s", cell_width(brn_design_figure(design, i)), value);
    }
    if (strcmp(e->status, "done") == 0) {
        print_success(e, "  ");
    } else {
        (void)printf("  failed");
    }
    (void)printf("\n");
}

/* The points that were asked for, with what was asked of them: a small sweep is read here, a large one in table.csv. */
static void print_points(const brn_design *design)
{
    const int64_t count = brn_design_evaluation_count(design);
    const int all = brn_design_figure_count(design);
    const int figures = all < SHOWN_FIGURES ? all : SHOWN_FIGURES;
    if (figures == 0 || count == 0) {
        return;
    }
    print_head(design, figures);
    for (int64_t k = 0; k < count && k < SHOWN_POINTS; ++k) {
        brn_design_evaluation e;
        if (brn_design_get_evaluation(design, k, &e) == BRN_OK) {
            print_row(design, &e, figures);
        }
    }
    if (count > SHOWN_POINTS || all > figures) {
        (void)printf("  ... the whole is in table.csv\n");
    }
}

static const char *end_text(const char *end)
{
    static const struct {
        const char *end, *text;
    } known[] = {
        {"budget", "all evaluations are used"}, {"tolerance", "steps became shorter than the tolerance"},
        {"target", "the target is reached"},    {"stalled", "no further progress"},
        {"points", "all points are done"},      {"stopped", "stopped"}};
    for (int i = 0; i < CLI_COUNT(known); ++i) {
        if (strcmp(known[i].end, end) == 0) {
            return known[i].text;
        }
    }
    return end;
}

void cli_study_report_print(const brn_design *design, const brn_design_result *result, const char *out)
{
    static const struct {
        const char *name, *help;
    } files[] = {{"best.yaml", "the scene with the best values"},
                 {"report.html", "its run, with all evaluations in the tab Study: open it in any browser"},
                 {"stl", "its shapes, to print"},
                 {"best", "its run"},
                 {"first", "the run of the first point"},
                 {"table.csv", "a row an evaluation"},
                 {"log.jsonl", "everything, a line an evaluation; --resume reads it"},
                 {"summary.json", "start and best"},
                 {"runs", "a folder a simulation"}};
    char wall[CLI_TEXT_SIZE], cpu[CLI_TEXT_SIZE];
    if (result->best.samples > 0) {
        print_best(design, result);
    } else if (brn_design_objective(design) == NULL) {
        print_points(design);
    }
    (void)printf("\n%" PRId64 " evaluation%s", result->evaluations, result->evaluations == 1 ? "" : "s");
    if (result->failed > 0) {
        (void)printf(", %" PRId64 " without a value", result->failed);
    }
    if (result->repeated > 0) {
        (void)printf(", %" PRId64 " from the log", result->repeated);
    }
    (void)printf(": %s; %s, %s of processor time\n", end_text(result->end), cli_duration(result->wall, wall),
                 cli_duration(result->cpu, cpu));
    (void)printf("\n%s%s%s\n", cli_paint(stdout, CLI_BOLD), out, cli_paint(stdout, CLI_PLAIN));
    for (int i = 0; i < CLI_COUNT(files); ++i) {
        if (cli_folder_has(out, files[i].name)) {
            (void)printf("  %-14s%s\n", files[i].name, files[i].help);
        }
    }
    (void)fflush(stdout);
}

int cli_study_report_verdict(const brn_design *design, const brn_design_result *result)
{
    if (result->evaluations > result->failed) {
        if (result->best.samples > 0 && !result->feasible) {
            cli_warning(
                "no evaluation meets every constraint: the best is the one that misses them by least");
        }
        return CLI_DONE;
    }
    brn_design_evaluation first;
    const bool known = brn_design_get_evaluation(design, 0, &first) == BRN_OK;
    cli_error("no evaluation has a value%s%s", known ? "; the first: " : "", known ? first.reason : "");
    return CLI_FAILED;
}
