#include "study/study.h"

#include "run/pool.h"
#include "run/run_folder.h"
#include "run/scene_input.h"
#include "study/evaluator.h"
#include "study/study_report.h"
#include "terminal/stop.h"
#include "terminal/terminal.h"

#include <stdlib.h>
#include <string.h>

static const char *noun(const cli_study_args *args)
{
    return args->kind == BRN_DESIGN_SWEEP ? "sweep" : "design";
}

/* out/NAME-design for a problem in NAME/ or called NAME.yaml. */
static char *default_out(const cli_study_args *args)
{
    char *run = cli_scene_default_out(args->path != NULL ? args->path : args->name);
    const size_t size = run != NULL ? strlen(run) + 16 : 0;
    char *out = run != NULL ? malloc(size) : NULL;
    if (out != NULL) {
        (void)snprintf(out, size, "%s-%s", run, noun(args));
    }
    free(run);
    return out;
}

static int print_problems(brn_ctx *ctx, const brn_design *design, brn_status status)
{
    const int count = brn_design_problem_count(design);
    for (int i = 0; i < count; ++i) {
        (void)fprintf(stderr, "%s\n", brn_design_problem(design, i));
    }
    if (count == 0) {
        const char *message = brn_ctx_message(ctx);
        cli_error("%s", message[0] != '\0' ? message : brn_status_name(status));
    } else {
        cli_error("%d problem%s in the %s or its scene", count, count == 1 ? "" : "s", "problem file");
    }
    return status == BRN_ERR_MEMORY ? CLI_FAILED : CLI_USAGE;
}

static brn_status open_design(brn_ctx *ctx, const cli_study_args *args, brn_design **design)
{
    brn_status status =
        args->path != NULL ? brn_design_load(ctx, args->path, args->kind, design)
                           : brn_design_parse(ctx, args->text, strlen(args->text), args->name, args->kind, design);
    for (int i = 0; status >= 0 && i < args->set.count; ++i) {
        status = brn_design_set(*design, args->set.items[i]);
    }
    return status >= 0 ? brn_design_prepare(*design) : status;
}

/* The command that goes on with it. */
static void print_resume(const cli_study_args *args, const char *out)
{
    (void)fprintf(stderr, "  brunt %s %s --out %s --resume (and the same other options)\n", noun(args),
                  args->operand, out);
}

static int report_failure(const cli_study_args *args, brn_ctx *ctx, const brn_design *design, const char *out,
                          brn_status status)
{
    const char *message = brn_ctx_message(ctx);
    const long long kept = (long long)brn_design_evaluation_count(design);
    cli_error("%s", message[0] != '\0' ? message : brn_status_name(status));
    if (status == BRN_ERR_FILE && cli_folder_has(out, "log.jsonl") && kept == 0) {
        (void)fprintf(stderr, "  --resume     goes on with it\n"
                              "  --overwrite  replaces it\n"
                              "  --out DIR    writes somewhere else\n");
        return CLI_USAGE;
    }
    if (status == BRN_ERR_RANGE || status == BRN_ERR_BUSY || status == BRN_ERR_FORMAT) {
        return CLI_USAGE;
    }
    (void)fprintf(stderr, "%s/log.jsonl keeps %lld evaluation%s; once %s, go on with\n", out, kept,
                  kept == 1 ? "" : "s", status == BRN_ERR_FULL ? "there is room" : "the cause is gone");
    print_resume(args, out);
    return CLI_FAILED;
}

static int run_design(const cli_study_args *args, brn_ctx *ctx, brn_design *design, const char *out)
{
    cli_study_report report = cli_study_report_start(design, args->quiet);
    const int jobs = args->jobs > 0 ? args->jobs : cli_cores();
    cli_evaluator *evaluator =
        cli_evaluator_create(jobs < CLI_POOL_SLOTS_MAX ? jobs : CLI_POOL_SLOTS_MAX, args->threads);
    if (evaluator == NULL || !cli_stop_share()) {
        cli_error("out of memory");
        cli_evaluator_destroy(evaluator);
        return CLI_FAILED;
    }
    brn_design_options options = brn_design_options_default();
    options.out = out;
    options.resume = args->resume;
    options.overwrite = args->overwrite;
    options.keep = args->keep;
    options.evaluations = args->evaluations;
    options.seed = args->seed;
    options.limit = args->limit;
    options.evaluator = cli_evaluator_get(evaluator);
    options.progress = cli_study_report_show;
    options.progress_user = &report;
    if (!args->quiet) {
        (void)fprintf(stderr, "%s -> %s, %d simulation%s at once\n", args->operand, out, jobs,
                      jobs == 1 ? "" : "s");
    }
    cli_stop_catch();
    brn_design_result result;
    const brn_status status = brn_design_run(design, &options, &result);
    cli_study_report_clear(&report);
    cli_evaluator_destroy(evaluator);
    if (status < 0) {
        return report_failure(args, ctx, design, out, status);
    }
    if (!args->quiet) {
        cli_study_report_print(design, &result, out);
    }
    if (status == BRN_REMARK_STOPPED && cli_stop_signal() != 0) {
        (void)fprintf(stderr, "stopped, everything so far is kept; continue with\n");
        print_resume(args, out);
        return 128 + cli_stop_signal(); /* what a shell expects from a process ended by a signal */
    }
    return cli_study_report_verdict(design, &result);
}

int cli_study_run(const cli_study_args *args)
{
    /* Of one thread, because simulations are forked. */
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = 1;
    brn_ctx *ctx = NULL;
    brn_design *design = NULL;
    if (args->resume && args->overwrite) {
        cli_error("--resume continues a study and --overwrite replaces it: give one of them");
        return CLI_USAGE;
    }
    char *out = args->out != NULL ? strdup(args->out) : default_out(args);
    if (out == NULL || brn_ctx_create(&options, &ctx) < 0) {
        cli_error("out of memory");
        free(out);
        return CLI_FAILED;
    }
    const brn_status status = open_design(ctx, args, &design);
    const int code =
        status < 0 ? print_problems(ctx, design, status) : run_design(args, ctx, design, out);
    brn_design_destroy(design);
    brn_ctx_destroy(ctx);
    free(out);
    return code;
}
