/* brunt calibrate: frequency and decay of a recorded ring-down, and the material values of a scene from them. */
#include "calibrate/calibrate_result.h"
#include "commands.h"
#include "run/run_folder.h"
#include "run/scene_input.h"
#include "terminal/options.h"
#include "terminal/stop.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct calibrate_args {
    const char *trace, *time, *value;
    const char *from, *to, *near, *newmark, *pick;
    cli_scene_input scene;
    const char *out;
    int modes, threads;
    brn_calibrate_options wanted;
    brn_ring_options ring; /* from the texts above */
    double step;
} calibrate_args;

/* What is open while the command works. */
typedef struct calibrate_run {
    brn_ctx *ctx;
    brn_trace *trace;
    brn_scene *scene;
    brn_calibrated_list *list;
    char *path, *text;
    cli_calibrated result;
} calibrate_run;

static void log_warnings(void *user, brn_log_level level, const char *message)
{
    (void)user;
    if (level == BRN_LOG_WARNING) {
        cli_warning("%s", message);
    }
}

static int fail_with(brn_ctx *ctx, brn_status status)
{
    if (status == BRN_ERR_CANCELLED) {
        cli_note("stopped");
        return 128 + cli_stop_signal();
    }
    const char *message = brn_ctx_message(ctx);
    cli_error("%s", message[0] != '\0' ? message : brn_status_name(status));
    const bool failed = status == BRN_ERR_MEMORY || status == BRN_ERR_FULL || status == BRN_ERR_CONVERGENCE ||
                        status == BRN_ERR_SINGULAR || status == BRN_ERR_NOT_FINITE;
    return failed ? CLI_FAILED : CLI_USAGE;
}

/* ---- options ---------------------------------------------------------------------------------------------------------------- */

/* A finite number, and above 0 where that is asked for; false after an error. NULL leaves *out. */
static bool read_real(const char *name, const char *text, bool positive, double *out)
{
    char *end = NULL;
    if (text == NULL) {
        return true;
    }
    *out = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(*out) || (positive && !(*out > 0.0))) {
        cli_error("--%s %s: must be a number%s", name, text, positive ? " above 0" : "");
        return false;
    }
    return true;
}

static bool read_options(calibrate_args *args)
{
    args->ring = brn_ring_options_default();
    args->ring.modes = args->modes;
    const bool read = read_real("from", args->from, false, &args->ring.from) &&
                      read_real("to", args->to, false, &args->ring.to) &&
                      read_real("near", args->near, true, &args->ring.near) &&
                      read_real("newmark", args->newmark, true, &args->step);
    if (!read) {
        return false;
    }
    if (args->near != NULL && args->pick != NULL) {
        cli_error("--near and --pick both choose a mode: give one of them");
        return false;
    }
    if (args->pick != NULL) {
        args->ring.pick = strcmp(args->pick, "lowest") == 0 ? BRN_RING_LOWEST : BRN_RING_STRONGEST;
    } else if (args->near != NULL) {
        args->ring.pick = BRN_RING_NEAREST;
    }
    const bool without = args->scene.operand == NULL;
    if (without && (args->wanted.material != NULL || args->wanted.body != NULL || args->wanted.free ||
                    args->wanted.mode != 1 || args->scene.set.count > 0)) {
        cli_error("--material, --mode, --body, --free and --set are about a scene: give it with --scene");
        return false;
    }
    if (args->out != NULL && (cli_folder_holds_run(args->out) || cli_folder_holds_study(args->out))) {
        cli_error("%s holds a run or a study: choose another folder for the calibration", args->out);
        return false;
    }
    return true;
}

/* ---- the trace -------------------------------------------------------------------------------------------------------------- */

/* Everything on the standard input; NULL after an error. */
static char *read_input(size_t *length)
{
    enum { PIECE = 1 << 16 };
    static const size_t most = (size_t)1 << 30;
    char *text = NULL;
    size_t room = 0;
    *length = 0;
    for (;;) {
        if (room - *length < PIECE) {
            room = 2 * room + 2 * PIECE;
            char *grown = room <= most ? realloc(text, room) : NULL;
            if (grown == NULL) {
                cli_error("the standard input is larger than memory, or than 1 GB");
                free(text);
                return NULL;
            }
            text = grown;
        }
        const size_t n = fread(text + *length, 1, PIECE, stdin);
        *length += n;
        if (n == 0) {
            break;
        }
    }
    if (ferror(stdin)) {
        cli_error("cannot read the standard input: %s", strerror(errno));
        free(text);
        return NULL;
    }
    return text;
}

static int open_trace(calibrate_run *run, const calibrate_args *args)
{
    const brn_trace_options columns = {.time = args->time, .value = args->value};
    brn_status status = BRN_OK;
    if (strcmp(args->trace, "-") == 0) {
        size_t length = 0;
        char *text = read_input(&length);
        if (text == NULL) {
            return CLI_FAILED;
        }
        status = brn_trace_parse(run->ctx, text, length, "standard input", &columns, &run->trace);
        free(text);
    } else {
        status = brn_trace_read(run->ctx, args->trace, &columns, &run->trace);
    }
    if (status < 0) {
        const int code = fail_with(run->ctx, status);
        if (status == BRN_ERR_FORMAT && args->value == NULL) {
            cli_note("--time COLUMN and --value COLUMN choose columns, by name or number");
        }
        return code;
    }
    cli_calibrated *c = &run->result;
    c->ctx = run->ctx;
    c->trace = args->trace;
    c->column = brn_trace_column(run->trace);
    c->count = brn_trace_samples(run->trace, &c->time, &c->value);
    c->automatic = args->from == NULL;
    c->newmark = args->step;
    return CLI_DONE;
}

/* A run that was simulated by Newmark's rule is shifted by its steps: says by how much. */
static void note_shift(calibrate_run *run, const calibrate_args *args)
{
    brn_scene *scene = NULL;
    brn_model *model = NULL;
    brn_model_info info = {0};
    if (args->newmark != NULL || !cli_folder_has(args->trace, "series.csv")) {
        return;
    }
    char *path = cli_scene_path(args->trace);
    if (path != NULL && brn_scene_load(run->ctx, path, &scene) >= 0 &&
        brn_model_compile(run->ctx, scene, &model) >= 0) {
        brn_model_get_info(model, &info);
        brn_ring_mode exact = run->result.mode;
        brn_ring_mode_unshift(&exact, info.step);
        const double shift = 100.0 * (1.0 - run->result.mode.frequency / exact.frequency);
        if (strcmp(info.integrator, "newmark") == 0 && shift > 0.01) {
            cli_note("the run's steps of %g s lower its frequency by %.2g %%: --newmark %g takes that out",
                     info.step, shift, info.step);
        }
    }
    brn_model_destroy(model);
    brn_scene_destroy(scene);
    free(path);
}

static int fit_trace(calibrate_run *run, const calibrate_args *args)
{
    cli_calibrated *c = &run->result;
    const brn_status status = brn_ring_down_fit(run->ctx, c->time, c->value, c->count, &args->ring, &c->fit);
    if (status == BRN_ERR_MISSING || status == BRN_ERR_RANGE) {
        cli_error("%s: %s", args->trace, brn_ctx_message(run->ctx));
        return CLI_USAGE;
    }
    if (status < 0) {
        return fail_with(run->ctx, status);
    }
    c->mode = c->fit.mode[c->fit.chosen];
    note_shift(run, args);
    brn_ring_mode_unshift(&c->mode, c->newmark);
    return CLI_DONE;
}

/* ---- the scene -------------------------------------------------------------------------------------------------------------- */

static int calibrate_scene(calibrate_run *run, const calibrate_args *args)
{
    cli_calibrated *c = &run->result;
    run->path = cli_scene_path(args->scene.operand);
    if (run->path == NULL) {
        cli_error("out of memory");
        return CLI_FAILED;
    }
    const int code = cli_scene_open(run->ctx, &args->scene, run->path, &run->scene);
    if (code != CLI_DONE) {
        return code;
    }
    brn_status status = brn_calibrate(run->ctx, run->scene, &c->mode, &args->wanted, &c->found, &run->list);
    if (status == BRN_ERR_SCENE) {
        cli_scene_print_problems(run->ctx, run->scene, status);
        return CLI_USAGE;
    }
    if (status >= 0) {
        status = brn_scene_write(run->scene, &run->text);
    }
    if (status < 0) {
        return fail_with(run->ctx, status);
    }
    c->scene = args->scene.operand;
    c->wanted = args->wanted;
    c->list = run->list;
    c->text = run->text;
    return CLI_DONE;
}

static int write_files(calibrate_run *run, const calibrate_args *args)
{
    brn_lock *lock = NULL;
    const brn_status status = brn_lock_take(run->ctx, args->out, &lock); /* makes the folder */
    if (status < 0) {
        return fail_with(run->ctx, status) == CLI_USAGE && status != BRN_ERR_BUSY ? CLI_FAILED : CLI_USAGE;
    }
    const bool written = cli_calibrate_write(&run->result, args->out);
    brn_lock_release(lock);
    return written ? CLI_DONE : CLI_FAILED;
}

static int run_with(calibrate_run *run, const calibrate_args *args)
{
    int code = open_trace(run, args);
    if (code == CLI_DONE) {
        code = fit_trace(run, args);
    }
    if (code == CLI_DONE && args->scene.operand != NULL) {
        code = calibrate_scene(run, args);
        if (code != CLI_DONE) {
            cli_calibrate_print(&run->result); /* what is known of the trace */
        }
    }
    if (code == CLI_DONE) {
        cli_calibrate_print(&run->result);
    }
    return code == CLI_DONE && args->out != NULL ? write_files(run, args) : code;
}

static int calibrate_with(calibrate_args *args)
{
    calibrate_run run = {0};
    brn_ctx_options options = brn_ctx_options_default();
    if (!read_options(args)) {
        return CLI_USAGE;
    }
    options.threads = args->threads;
    options.log = log_warnings;
    if (brn_ctx_create(&options, &run.ctx) < 0) {
        cli_error("out of memory");
        return CLI_FAILED;
    }
    cli_stop_cancels(run.ctx);
    cli_stop_catch();
    const int code = run_with(&run, args);
    cli_stop_cancels(NULL);
    brn_ctx_free(run.ctx, run.text);
    brn_calibrated_destroy(run.list);
    brn_scene_destroy(run.scene);
    brn_trace_close(run.trace);
    brn_ctx_destroy(run.ctx);
    free(run.path);
    return code;
}

int cli_calibrate(int argc, char **argv)
{
    static const char *const picks[] = {"strongest", "lowest", NULL};
    calibrate_args args = {.modes = BRN_RING_MODES, .wanted = brn_calibrate_options_default()};
    const cli_option options[] = {
        {"time", 0, CLI_TEXT, "COLUMN",
         "column of the time [s], by name or number (default: time, or the first)", &args.time, 0, 0, NULL},
        {"value", 0, CLI_TEXT, "COLUMN",
         "column of the samples, by name or number (default: the other of two)", &args.value, 0, 0, NULL},
        {"from", 0, CLI_TEXT, "S",
         "start of the window [s] (default: by itself, after the largest displacement or a hold)", &args.from,
         0, 0, NULL},
        {"to", 0, CLI_TEXT, "S", "end of the window [s] (default: the last sample)", &args.to, 0, 0, NULL},
        {"pick", 0, CLI_CHOICE, "WHICH", "of several modes: strongest (default) or lowest", &args.pick, 0, 0,
         picks},
        {"near", 0, CLI_TEXT, "HZ", "of several modes: the one nearest to this frequency", &args.near, 0, 0,
         NULL},
        {"modes", 0, CLI_INT, "N", "modes in the trace, at most", &args.modes, 1, BRN_RING_MODES, NULL},
        {"newmark", 0, CLI_TEXT, "H",
         "the trace was simulated with steps of H [s]: takes out what these shift", &args.newmark, 0, 0,
         NULL},
        {"scene", 's', CLI_TEXT, "SCENE", "scene whose materials are calibrated", &args.scene.operand, 0, 0,
         NULL},
        {"set", 0, CLI_LIST, "PATH=VALUE", "override one value of the scene; may be repeated",
         &args.scene.set, 0, 0, NULL},
        {"mode", 0, CLI_INT, "K", "which elastic mode of the scene was measured (default 1, the lowest)",
         &args.wanted.mode, 1, 1000, NULL},
        {"material", 0, CLI_TEXT, "NAME", "change this material alone (default: all, by one factor)",
         &args.wanted.material, 0, 0, NULL},
        {"body", 0, CLI_TEXT, "NAME", "modes of this body alone", &args.wanted.body, 0, 0, NULL},
        {"free", 0, CLI_FLAG, NULL, "nothing is held: it hung free when it was measured", &args.wanted.free,
         0, 0, NULL},
        {"out", 'o', CLI_TEXT, "DIR", "write calibrate.json, fit.csv, calibrate.html and calibrated.yaml",
         &args.out, 0, 0, NULL},
        {"threads", 0, CLI_INT, "N", "worker threads, 0 = one per core", &args.threads, 0, 1024, NULL},
    };
    const cli_syntax syntax = {
        .command = "calibrate",
        .summary = "Finds frequency and decay of a recorded ring-down, with standard errors. With a scene, "
                   "scales the moduli of\n"
                   "its materials until the model's mode has that frequency, and sets their damping to beta "
                   "= 2 decay/lambda,\n"
                   "alpha = 0. A trace without an oscillation is refused. docs/calibrate.md explains it.",
        .operand = "TRACE",
        .operand_help =
            "CSV file with time and displacement, a run folder (its series.csv), or - for the standard input",
        .operands_min = 1,
        .options = options,
        .option_count = CLI_COUNT(options),
        .examples =
            "  brunt calibrate beam.csv\n"
            "  brunt calibrate beam.csv --from 0.012 --near 380 --scene scenes/cantilever --out out/beam\n"
            "  brunt calibrate out/cantilever --value tip.dz --newmark 1e-4\n",
    };
    int code = cli_parse(&syntax, argc, argv, &args.trace);
    if (code == CLI_PARSED) {
        code = calibrate_with(&args);
    }
    cli_list_free(&args.scene.set);
    return code;
}
