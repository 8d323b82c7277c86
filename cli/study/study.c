#include "study/study.h"

#include "run/pool.h"
#include "run/run_folder.h"
#include "run/scene_input.h"
#include "study/driver.h"
#include "study/evaluator.h"
#include "study/mpi_load.h"
#include "study/study_report.h"
#include "study/worker.h"
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
    brn_status status = args->path != NULL ? brn_design_load(ctx, args->path, args->kind, design)
                                           : brn_design_parse(ctx, args->text, strlen(args->text), "--vary",
                                                              args->kind, design);
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

static int report_failure(const cli_study_args *args, const char *message, const brn_design *design,
                          const char *out, brn_status status)
{
    const long long kept = (long long)brn_design_evaluation_count(design);
    cli_error("%s", message[0] != '\0' ? message : brn_status_name(status));
    if (status == BRN_ERR_FILE && cli_folder_has(out, "log.jsonl") && kept == 0) {
        (void)fprintf(stderr, "  --resume     goes on with it\n"
                              "  --overwrite  replaces it\n"
                              "  --out DIR    writes somewhere else\n");
        return CLI_USAGE;
    }
    const bool begun = cli_folder_has(out, "log.jsonl");
    if (status == BRN_ERR_RANGE || status == BRN_ERR_BUSY || status == BRN_ERR_FORMAT ||
        (status == BRN_ERR_FILE && !begun)) {
        return CLI_USAGE;
    }
    (void)fprintf(stderr, "%s/log.jsonl keeps %lld evaluation%s; once %s, go on with\n", out, kept,
                  kept == 1 ? "" : "s", status == BRN_ERR_FULL ? "there is room" : "the cause is gone");
    print_resume(args, out);
    return CLI_FAILED;
}

/* Where simulations run: here, or in the ranks of MPI. */
typedef struct workplace {
    cli_evaluator *local;
    cli_driver *driver;
} workplace;

static bool open_workplace(const cli_study_args *args, const cli_mpi *mpi, workplace *place)
{
    *place = (workplace){0};
    if (!cli_stop_share()) {
        cli_error("out of memory");
        return false;
    }
    cli_stop_catch();
    if (mpi != NULL) {
        place->driver = cli_driver_create(mpi, args->jobs, args->threads);
        return place->driver != NULL;
    }
    const int jobs = args->jobs > 0 ? args->jobs : cli_cores();
    place->local = cli_evaluator_create(jobs < CLI_POOL_SLOTS_MAX ? jobs : CLI_POOL_SLOTS_MAX, args->threads);
    if (place->local == NULL) {
        cli_error("out of memory");
    }
    return place->local != NULL;
}

static void close_workplace(workplace *place)
{
    cli_evaluator_destroy(place->local);
    cli_driver_destroy(place->driver);
}

static void announce(const cli_study_args *args, const cli_mpi *mpi, const workplace *place, int slots,
                     const char *out)
{
    (void)fprintf(stderr, "%s -> %s, %d simulation%s at once", args->operand, out, slots,
                  slots == 1 ? "" : "s");
    if (place->driver != NULL) {
        const int machines = cli_driver_machines(place->driver);
        (void)fprintf(stderr, ", in %d rank%s on %d machine%s", mpi->size(), mpi->size() == 1 ? "" : "s",
                      machines, machines == 1 ? "" : "s");
    }
    (void)fprintf(stderr, "\n");
}

static int run_in(const cli_study_args *args, const cli_mpi *mpi, workplace *place, brn_ctx *ctx,
                  brn_design *design, const char *out)
{
    cli_study_report report = cli_study_report_start(design, args->quiet);
    brn_design_options options = brn_design_options_default();
    options.out = out;
    options.resume = args->resume;
    options.overwrite = args->overwrite;
    options.keep = args->keep;
    options.evaluations = args->evaluations;
    options.seed = args->seed;
    options.limit = args->limit;
    options.evaluator =
        place->driver != NULL ? cli_driver_get(place->driver) : cli_evaluator_get(place->local);
    options.progress = cli_study_report_show;
    options.progress_user = &report;
    if (!args->quiet) {
        announce(args, mpi, place, options.evaluator.slots, out);
    }
    brn_design_result result;
    const brn_status status = brn_design_run(design, &options, &result);
    cli_study_report_clear(&report);
    if (status < 0) {
        const char *problem = place->driver != NULL ? cli_driver_problem(place->driver) : "";
        return report_failure(args, problem[0] != '\0' ? problem : brn_ctx_message(ctx), design, out, status);
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

static int run_design(const cli_study_args *args, const cli_mpi *mpi, brn_ctx *ctx, brn_design *design,
                      const char *out)
{
    workplace place;
    const int code =
        open_workplace(args, mpi, &place) ? run_in(args, mpi, &place, ctx, design, out) : CLI_FAILED;
    close_workplace(&place);
    return code;
}

/* mpi NULL: on this machine. */
static int run_study(const cli_study_args *args, const cli_mpi *mpi)
{
    /* Of one thread, because simulations are forked. */
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = 1;
    brn_ctx *ctx = NULL;
    brn_design *design = NULL;
    char *out = args->out != NULL ? strdup(args->out) : default_out(args);
    if (out == NULL || brn_ctx_create(&options, &ctx) < 0) {
        cli_error("out of memory");
        free(out);
        return CLI_FAILED;
    }
    const brn_status status = open_design(ctx, args, &design);
    const int code = status < 0 ? print_problems(ctx, design, status)
                     : cli_folder_is_of_another(out, CLI_HOLDS_STUDY)
                         ? CLI_USAGE
                         : run_design(args, mpi, ctx, design, out);
    brn_design_destroy(design);
    brn_ctx_destroy(ctx);
    free(out);
    return code;
}

static int run_in_ranks(const cli_study_args *args)
{
    const cli_mpi *mpi = cli_mpi_open();
    if (mpi == NULL) {
        return CLI_FAILED;
    }
    if (mpi->rank() == 0) {
        const int code = run_study(args, mpi);
        (void)fflush(stdout); /* whatever happens to the other ranks */
        cli_driver_end(mpi);
        return code;
    }
    const int code = cli_worker_run(mpi);
    if (code == CLI_DONE) {
        mpi->close();
    }
    return code;
}

int cli_study_run(const cli_study_args *args)
{
    if (args->resume && args->overwrite) {
        cli_error("--resume continues a study and --overwrite replaces it: give one of them");
        return CLI_USAGE;
    }
    return args->mpi ? run_in_ranks(args) : run_study(args, NULL);
}
