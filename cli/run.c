/* brunt run: simulate a scene and write its folder. */
#include "commands.h"
#include "options.h"
#include "progress.h"
#include "scene_input.h"
#include "terminal.h"

#include <brunt/brunt.h>
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct run_args {
    cli_scene_input scene;
    const char *out;
    int threads;
    bool resume, overwrite, quiet;
} run_args;

/* What the callbacks of a run share. */
typedef struct run_state {
    cli_progress progress;
    int64_t last_step; /* the last one done, -1 before the first */
    double last_time;  /* [s] */
} run_state;

/* ---- signals ------------------------------------------------------------------------------------------------------ */

static volatile sig_atomic_t stop_signal;

/* The first signal asks for a stop after the current step; the second one ends the process at once. */
static void on_signal(int number)
{
    if (stop_signal != 0) {
        (void)signal(number, SIG_DFL);
        (void)raise(number);
    }
    stop_signal = number;
}

static void catch_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    /* A closed terminal, unless nohup asked to outlive it. */
    struct sigaction old;
    if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
        (void)sigaction(SIGHUP, &action, NULL);
    }
}

/* ---- callbacks ---------------------------------------------------------------------------------------------------- */

static bool on_progress(void *user, const brn_progress *now)
{
    run_state *state = user;
    state->last_step = now->step;
    state->last_time = now->time;
    cli_progress_show(&state->progress, now);
    return stop_signal != 0;
}

static void on_log(void *user, brn_log_level level, const char *message)
{
    run_state *state = user;
    if (level >= BRN_LOG_WARNING) {
        cli_progress_clear(&state->progress);
        cli_warning("%s", message);
    }
}

/* ---- the run folder -------------------------------------------------------------------------------------------------- */

static bool exists_in(const char *dir, const char *name)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s", dir, name);
    struct stat info;
    return length > 0 && length < (int)sizeof path && stat(path, &info) == 0;
}

static bool holds_run(const char *dir)
{
    return exists_in(dir, "summary.json") || exists_in(dir, "trajectory.h5") ||
           exists_in(dir, "checkpoint.h5") || exists_in(dir, "series.csv");
}

/* The command that goes on with this run, with the overrides it was started with. */
static void print_resume(const run_args *args, const char *dir)
{
    (void)fprintf(stderr, "  brunt run %s --out %s --resume", args->scene.operand, dir);
    if (args->scene.method != NULL) {
        (void)fprintf(stderr, " --method %s", args->scene.method);
    }
    for (int i = 0; i < args->scene.set.count; ++i) {
        (void)fprintf(stderr, " --set '%s'", args->scene.set.items[i]);
    }
    (void)fputc('\n', stderr);
}

/* Says how to go on where the folder is taken. CLI_DONE if the run may start. */
static int prepare_folder(run_args *args, const char *dir)
{
    if (args->resume && args->overwrite) {
        cli_error("--resume goes on with a run and --overwrite replaces it: give one of them");
        return CLI_USAGE;
    }
    const bool taken = holds_run(dir);
    if (taken && !args->resume && !args->overwrite) {
        cli_error("%s already holds a run", dir);
        (void)fprintf(stderr, "  --resume     goes on from its checkpoint\n"
                              "  --overwrite  replaces it\n"
                              "  --out DIR    writes somewhere else\n");
        return CLI_USAGE;
    }
    if (args->resume && !exists_in(dir, "checkpoint.h5")) {
        if (!args->quiet) {
            (void)fprintf(stderr, "no checkpoint in %s: starting from the beginning\n", dir);
        }
        args->resume = false;
        args->overwrite = taken;
    }
    return CLI_DONE;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_files(const char *dir)
{
    static const struct {
        const char *name, *help;
    } known[] = {
        {"scene.yaml", "the scene with every default written out"},
        {"summary.json", "one flat object of figures"},
        {"series.csv", "a row a step: energies, errors, reactions, probes"},
        {"trajectory.h5", "the frames (HDF5)"},
        {"trajectory.xmf", "opens trajectory.h5 in ParaView"},
        {"checkpoint.h5", "what --resume goes on from"},
    };
    enum { FILES_MAX = 64 };
    char *names[FILES_MAX];
    int count = 0;
    DIR *folder = opendir(dir);
    for (struct dirent *entry; folder != NULL && count < FILES_MAX && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] != '.' && (names[count] = strdup(entry->d_name)) != NULL) {
            ++count;
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    qsort(names, (size_t)count, sizeof *names, by_name);
    (void)printf("\n%s%s%s\n", cli_paint(stdout, CLI_BOLD), dir, cli_paint(stdout, CLI_PLAIN));
    for (int i = 0; i < count; ++i) {
        char path[4096], size[CLI_TEXT_SIZE];
        struct stat info;
        (void)snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        if (stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
            const char *help = "";
            for (int k = 0; k < CLI_COUNT(known); ++k) {
                help = strcmp(known[k].name, names[i]) == 0 ? known[k].help : help;
            }
            (void)printf("  %-16s %10s  %s\n", names[i], cli_file_size((double)info.st_size, size), help);
        }
        free(names[i]);
    }
}

/* ---- the summary ------------------------------------------------------------------------------------------------------- */

static void print_summary(const brn_summary *s)
{
    char text[CLI_TEXT_SIZE], other[CLI_TEXT_SIZE];
    const bool done = s->status != NULL && strcmp(s->status, "done") == 0;
    (void)printf("  %-18s%s%s%s%s%s\n", "status", cli_paint(stdout, done ? CLI_GREEN : CLI_YELLOW),
                 s->status != NULL ? s->status : "?", cli_paint(stdout, CLI_PLAIN),
                 s->reason[0] != '\0' ? ": " : "", s->reason);
    (void)printf("  %-18s%d nodes, %d elements, %d unknowns\n", "size", s->nodes, s->elements, s->dofs);
    (void)printf("  %-18s%" PRId64 " (%.2f iterations each)\n", "steps", s->steps, s->iterations_per_step);
    (void)printf("  %-18s%s\n", "simulated", cli_quantity(s->time_end, "s", text));
    (void)printf("  %-18s%s wall, %s CPU, %d thread%s\n", "took", cli_duration(s->wall_s, text),
                 cli_duration(s->cpu_s, other), s->threads, s->threads == 1 ? "" : "s");
    (void)printf("  %-18s%.3g simulated s per s\n", "real-time rate", s->realtime_rate);
    (void)printf("  %-18s%s -> %s, balance error %.2e\n", "energy",
                 cli_quantity(s->energy_initial, "J", text), cli_quantity(s->energy_final, "J", other),
                 s->energy_error_max);
    (void)printf("  %-18slinear %.2e, angular %.2e\n", "momentum error", s->momentum_error_max,
                 s->angular_momentum_error_max);
    if (s->contacts_max > 0) {
        (void)printf("  %-18s%d at most, %.1f on average, smallest gap %s\n", "contacts", s->contacts_max,
                     s->contacts_mean, cli_quantity(s->gap_min, "m", text));
        (void)printf("  %-18s%d sticking, %d slipping\n", "contacts at end", s->sticking, s->slipping);
        (void)printf("  %-18spenetration %s, cone %.2e N, dissipation %.2e W, complementarity %.2e m\n",
                     "contact errors", cli_quantity(s->penetration_max, "m", text), s->cone_error_max,
                     s->dissipation_error_max, s->complementarity_max);
    }
    if (s->inversions > 0 || s->intersections > 0) {
        (void)printf("  %-18s%s%d inverted elements, %d intersections%s\n", "invalid",
                     cli_paint(stdout, CLI_RED), s->inversions, s->intersections,
                     cli_paint(stdout, CLI_PLAIN));
    }
    (void)printf("  %-18s%.0f MB\n", "peak memory", s->peak_mb);
    (void)printf("  %-18s%016" PRIx64 "\n", "state hash", s->state_hash);
}

/* ---- the command ------------------------------------------------------------------------------------------------------ */

/* A failure before the first step is a matter of the scene or the usage, unless the solver or the memory gave up. */
static int failure_code(brn_status status, const run_state *state)
{
    const bool numeric = status == BRN_ERR_CONVERGENCE || status == BRN_ERR_NOT_FINITE ||
                         status == BRN_ERR_SINGULAR || status == BRN_ERR_MEMORY;
    return state->last_step >= 0 || numeric ? CLI_FAILED : CLI_USAGE;
}

static int report_failure(brn_ctx *ctx, brn_scene *scene, const run_args *args, const char *dir,
                          const run_state *state, brn_status status)
{
    const int code = failure_code(status, state);
    if (code == CLI_USAGE) {
        cli_scene_print_problems(ctx, scene, status);
        return code;
    }
    const char *message = brn_ctx_message(ctx);
    cli_error("the simulation could not go on: %s", message[0] != '\0' ? message : brn_status_name(status));
    if (state->last_step >= 0) {
        (void)fprintf(stderr, "%s keeps everything up to step %" PRId64 ", t = %.6g s\n", dir,
                      state->last_step, state->last_time);
    }
    if (exists_in(dir, "checkpoint.h5")) {
        (void)fprintf(
            stderr,
            "the same scene would fail again; once it is changed, go on from the last checkpoint with\n");
        print_resume(args, dir);
    }
    return code;
}

static int run_scene(brn_ctx *ctx, brn_scene *scene, run_state *state, const run_args *args, const char *dir)
{
    brn_run_options options = brn_run_options_default();
    options.out = dir;
    options.resume = args->resume;
    options.overwrite = args->overwrite;
    options.progress = on_progress;
    options.progress_user = state;
    if (!args->quiet) {
        (void)fprintf(stderr, "%s -> %s, %d thread%s\n", args->scene.operand, dir, brn_ctx_threads(ctx),
                      brn_ctx_threads(ctx) == 1 ? "" : "s");
    }

    brn_summary summary;
    memset(&summary, 0, sizeof summary);
    catch_signals();
    const brn_status status = brn_run(ctx, scene, &options, &summary);
    cli_progress_clear(&state->progress);
    if (status < 0) {
        return report_failure(ctx, scene, args, dir, state, status);
    }
    if (!args->quiet) {
        print_summary(&summary);
        print_files(dir);
        (void)fflush(stdout);
    }
    if (status == BRN_REMARK_STOPPED && stop_signal != 0) {
        (void)fprintf(stderr, "stopped after step %" PRId64 ", everything so far is kept; go on with\n",
                      state->last_step);
        print_resume(args, dir);
        return 128 + (int)stop_signal; /* what a shell expects of a process that a signal ended */
    }
    return CLI_DONE;
}

static int run_with(run_args *args)
{
    char *path = cli_scene_path(args->scene.operand);
    char *named = path != NULL && args->out == NULL ? cli_scene_default_out(path) : NULL;
    const char *dir = args->out != NULL ? args->out : named;
    run_state state = {.progress = cli_progress_start(args->quiet), .last_step = -1};
    brn_ctx *ctx = NULL;
    brn_scene *scene = NULL;
    int code = CLI_FAILED;

    brn_ctx_options options = brn_ctx_options_default();
    options.threads = args->threads;
    options.log = args->quiet ? NULL : on_log;
    options.log_user = &state;
    if (path == NULL || dir == NULL || brn_ctx_create(&options, &ctx) < 0) {
        cli_error("out of memory");
    } else {
        code = cli_scene_open(ctx, &args->scene, path, &scene);
    }
    /* The scene first: with a misspelt name, whether the folder is taken is beside the point. */
    if (scene != NULL) {
        code = prepare_folder(args, dir);
        code = code == CLI_DONE ? run_scene(ctx, scene, &state, args, dir) : code;
    }
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
    free(named);
    free(path);
    return code;
}

int cli_run(int argc, char **argv)
{
    run_args args = {0};
    const cli_option options[] = {
        {"out", 'o', CLI_TEXT, "DIR", "run folder, made if absent (default: out/NAME of the scene)",
         &args.out, 0, 0, NULL},
        {"method", 0, CLI_TEXT, "M", "contact method instead of the scene's; see 'brunt info methods'",
         &args.scene.method, 0, 0, NULL},
        {"set", 0, CLI_LIST, "PATH=VALUE", "override one value of the scene; may be repeated",
         &args.scene.set, 0, 0, NULL},
        {"threads", 0, CLI_INT, "N", "worker threads, 0 = one per core; the results do not depend on it",
         &args.threads, 0, 1024, NULL},
        {"resume", 0, CLI_FLAG, NULL, "go on from the folder's checkpoint, to the same bits", &args.resume, 0,
         0, NULL},
        {"overwrite", 0, CLI_FLAG, NULL, "replace the run that the folder holds", &args.overwrite, 0, 0,
         NULL},
        {"quiet", 'q', CLI_FLAG, NULL, "print errors only", &args.quiet, 0, 0, NULL},
    };
    const cli_syntax syntax = {
        .command = "run",
        .summary = "Simulates a scene and writes a run folder: scene.yaml, summary.json, series.csv, "
                   "trajectory.h5,\n"
                   "checkpoint.h5. Ctrl-C stops after the current step and keeps everything; a second one "
                   "ends at once.",
        .operand = "SCENE",
        .operand_help = "scene file, or a folder that holds scene.yaml",
        .operands_min = 1,
        .options = options,
        .option_count = CLI_COUNT(options),
        .examples = "  brunt run scenes/cantilever\n"
                    "  brunt run beam.yaml --out out/fine --set time.step=1e-4 --set "
                    "'meshes.beam.box.cells=[100,10,10]'\n"
                    "  brunt run scenes/cantilever --resume\n",
    };
    int code = cli_parse(&syntax, argc, argv, &args.scene.operand);
    if (code == CLI_PARSED) {
        code = run_with(&args);
    }
    cli_list_free(&args.scene.set);
    return code;
}
