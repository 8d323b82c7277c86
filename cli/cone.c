/* brunt cone: solves a frictional contact problem of a file. */
#include "commands.h"
#include "terminal/options.h"
#include "terminal/stop.h"
#include "terminal/terminal.h"

#include <brunt/brunt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct cone_args {
    const char *path, *out, *tolerance_text;
    bool compare;
    brn_cone_options options;
} cone_args;

/* What a run needs: the file, and room for its solution. */
typedef struct cone_run {
    brn_ctx *ctx;
    brn_cone_file *file;
    const brn_cone_problem *problem;
    double *r, *u;
    brn_cone_report report;
    double seconds;
} cone_run;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print_error_of(const char *name, double value, const char *unit, const char *meaning)
{
    (void)printf("  %-16s%-9.2g %-4s %s\n", name, value, unit, meaning);
}

static void print_report(const cone_run *run)
{
    const brn_cone_problem *p = run->problem;
    const brn_cone_report *report = &run->report;
    char time_text[CLI_TEXT_SIZE];
    double normal = 0.0;
    for (int i = 0; i < p->contacts; ++i) {
        normal += run->r[(size_t)i * (size_t)p->dim];
    }
    (void)printf("  %-16s%d in %dD, %d blocks of W\n", "contacts", p->contacts, p->dim,
                 p->first[p->contacts]);
    (void)printf("  %-16s%d sticking, %d sliding, %d open\n", "state", report->sticking, report->sliding,
                 report->open);
    (void)printf("  %-16s%d sweep%s, %d Newton step%s, %d of the path, %s\n", "iterations", report->sweeps,
                 report->sweeps == 1 ? "" : "s", report->newton, report->newton == 1 ? "" : "s", report->path,
                 cli_duration(run->seconds, time_text));
    (void)printf("  %-16s%.10g N s in all\n", "normal impulse", normal);
    print_error_of("penetration", report->penetration, "m/s", "largest velocity of approach");
    print_error_of("pull", report->pull, "N s", "largest normal impulse below 0");
    print_error_of("cone", report->cone, "N s", "largest |friction| - mu normal impulse");
    print_error_of("complementarity", report->complementarity, "J", "largest |normal impulse x velocity|");
    print_error_of("slip", report->slip, "m/s", "largest slip that friction should have stopped or turned");
    (void)printf("  %-16s%-9.2g      of the largest |q|, %.4g m/s; rounding leaves %.2g\n", "relative error",
                 report->relative, report->scale,
                 report->scale > 0.0 ? report->rounding / report->scale : 0.0);
}

/* The largest |x - y| of a contact. */
static double farthest(const brn_cone_problem *p, const double *x, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < p->contacts; ++i) {
        double sum = 0.0;
        for (int d = 0; d < p->dim; ++d) {
            sum = hypot(sum, x[i * p->dim + d] - y[i * p->dim + d]);
        }
        most = fmax(most, sum);
    }
    return most;
}

static void print_difference(const cone_run *run)
{
    const double *r = NULL;
    const double *u = NULL;
    if (brn_cone_file_solution(run->file, &r, &u)) {
        (void)printf("  %-16s%.3g N s, %.3g m/s: largest differences from the solution in the file\n",
                     "compared", farthest(run->problem, run->r, r), farthest(run->problem, run->u, u));
    }
}

static int fail_with(brn_ctx *ctx, brn_status status)
{
    cli_error("%s", brn_ctx_message(ctx));
    return status == BRN_ERR_MEMORY || status == BRN_ERR_FULL ? CLI_FAILED : CLI_USAGE;
}

static int solve(cone_run *run, const cone_args *args)
{
    const double start = now();
    cli_stop_cancels(run->ctx);
    cli_stop_catch();
    const brn_status status =
        brn_cone_solve(run->ctx, run->problem, &args->options, run->r, run->u, &run->report);
    cli_stop_cancels(NULL);
    run->seconds = now() - start;
    if (status < 0 && status != BRN_ERR_CONVERGENCE && status != BRN_ERR_CANCELLED) {
        return fail_with(run->ctx, status);
    }
    print_report(run);
    if (args->compare) {
        print_difference(run);
    }
    if (status == BRN_ERR_CANCELLED) {
        cli_note("stopped; these are the figures of the best solution so far");
        return 128 + cli_stop_signal(); /* what a shell expects from a process ended by a signal */
    }
    if (status < 0) {
        cli_error("%s", brn_ctx_message(run->ctx));
    }
    return status < 0 ? CLI_FAILED : CLI_DONE;
}

static int run_with(cone_run *run, const cone_args *args)
{
    brn_status status = brn_cone_read(run->ctx, args->path, &run->file);
    if (status < 0) {
        return fail_with(run->ctx, status);
    }
    if (args->compare && !brn_cone_file_solution(run->file, NULL, NULL)) {
        cli_error("%s has no solution to compare with: store one with 'brunt cone FILE --out NEW'",
                  args->path);
        return CLI_USAGE;
    }
    run->problem = brn_cone_file_problem(run->file);
    const size_t count = (size_t)run->problem->contacts * (size_t)run->problem->dim;
    run->r = calloc(count, sizeof *run->r);
    run->u = calloc(count, sizeof *run->u);
    if (run->r == NULL || run->u == NULL) {
        cli_error("out of memory");
        return CLI_FAILED;
    }
    const int code = solve(run, args);
    if (args->out != NULL && (code == CLI_DONE || code == CLI_FAILED)) {
        status = brn_cone_write(run->ctx, run->problem, run->r, run->u, args->out);
        if (status < 0) {
            cli_error("%s", brn_ctx_message(run->ctx));
            return CLI_FAILED;
        }
        (void)printf("  %-16s%s\n", "written", args->out);
    }
    return code;
}

/* A tolerance above 0 and below 1. */
static bool read_tolerance(cone_args *args)
{
    char *end = NULL;
    if (args->tolerance_text == NULL) {
        return true;
    }
    args->options.tolerance = strtod(args->tolerance_text, &end);
    if (end == args->tolerance_text || *end != '\0' || !(args->options.tolerance > 0.0) ||
        !(args->options.tolerance < 1.0)) {
        cli_error("--tolerance %s: must be a number above 0 and below 1, such as 1e-8", args->tolerance_text);
        return false;
    }
    return true;
}

static int cone_with(const cone_args *args)
{
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = 1;
    cone_run run = {0};
    if (brn_ctx_create(&options, &run.ctx) < 0) {
        cli_error("out of memory");
        return CLI_FAILED;
    }
    const int code = run_with(&run, args);
    free(run.r);
    free(run.u);
    brn_cone_close(run.file);
    brn_ctx_destroy(run.ctx);
    return code;
}

int cli_cone(int argc, char **argv)
{
    cone_args args = {.options = brn_cone_options_default()};
    const cli_option options[] = {
        {"tolerance", 0, CLI_TEXT, "X", "relative error to reach, 1e-8 unless given", &args.tolerance_text, 0,
         0, NULL},
        {"sweeps", 0, CLI_INT, "N", "Gauss-Seidel sweeps at most", &args.options.sweeps, 1, 100000000, NULL},
        {"newton", 0, CLI_INT, "N", "Newton steps at most, 0 = none", &args.options.newton, 0, 1000000, NULL},
        {"path", 0, CLI_INT, "N",
         "steps at most of the path that is taken where Newton's method fails, 0 = none", &args.options.path,
         0, 1000000, NULL},
        {"compare", 0, CLI_FLAG, NULL, "print the differences from the solution in the file", &args.compare,
         0, 0, NULL},
        {"out", 'o', CLI_TEXT, "FILE", "write the problem with its solution", &args.out, 0, 0, NULL},
    };
    const cli_syntax syntax = {
        .command = "cone",
        .summary =
            "Solves a frictional contact problem u = W r + q with the laws of Signorini and Coulomb from a "
            "text file, and prints\n"
            "how good the solution is. Units are SI if those of the file are: u and q in m/s, r in N s. "
            "docs/cone.md has the format.",
        .operand = "FILE",
        .operand_help = "the problem, in the text format of fc3d collections",
        .operands_min = 1,
        .options = options,
        .option_count = CLI_COUNT(options),
        .examples = "  brunt cone spheres.dat\n"
                    "  brunt cone spheres.dat --tolerance 1e-10 --out solved.dat\n"
                    "  brunt cone solved.dat --compare --newton 0\n",
    };
    const int code = cli_parse(&syntax, argc, argv, &args.path);
    if (code != CLI_PARSED) {
        return code;
    }
    return read_tolerance(&args) ? cone_with(&args) : CLI_USAGE;
}
