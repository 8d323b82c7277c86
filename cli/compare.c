/* brunt compare: the same scene several times, with other methods and settings, and one table of the runs. */
#include "commands.h"
#include "compare/compare_columns.h"
#include "compare/compare_files.h"
#include "compare/compare_table.h"
#include "run/run_folder.h"
#include "terminal/stop.h"
#include "terminal/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct compare_args {
    const char *scene;
    const char *methods, *out, *reference;
    cli_list variants, set;
    int threads;
    int budget; /* [MB] of the page */
    bool resume, overwrite, quiet;
} compare_args;

static cli_compare_job job_of(const compare_args *args, const char *path, const cli_columns *columns, int i)
{
    const cli_column *c = &columns->column[i];
    return (cli_compare_job){
        .scene = {args->scene, c->method, {(const char **)c->set, c->nset}},
        .path = path,
        .name = c->name,
        .dir = c->dir,
        .number = i + 1,
        .count = columns->count,
        .threads = args->threads,
        .resume = args->resume,
        .overwrite = args->overwrite,
        .quiet = args->quiet,
    };
}

/* Nothing is run before all scenes and folders are known to be in order. */
static int check_all(const compare_args *args, const char *path, cli_columns *columns)
{
    if (args->resume && args->overwrite) {
        cli_error("--resume continues a comparison and --overwrite replaces it: give one of them");
        return CLI_USAGE;
    }
    for (int i = 0; i < columns->count; ++i) {
        const cli_compare_job job = job_of(args, path, columns, i);
        cli_outcome *outcome = &columns->column[i].outcome;
        (void)snprintf(outcome->status, sizeof outcome->status, "not run");
        const int code = cli_compare_check(&job, outcome->method);
        if (code != CLI_DONE) {
            return code;
        }
    }
    for (int i = 0; i < columns->count; ++i) {
        if (cli_folder_is_of_another(columns->column[i].dir, CLI_HOLDS_RUN)) {
            return CLI_USAGE;
        }
    }
    for (int i = 0; i < columns->count && !args->resume && !args->overwrite; ++i) {
        if (cli_folder_holds_run(columns->column[i].dir)) {
            cli_error("%s already holds a run", columns->column[i].dir);
            (void)fprintf(stderr, "  --resume     keeps finished runs and continues the others\n"
                                  "  --overwrite  replaces them\n"
                                  "  --out DIR    writes somewhere else\n");
            return CLI_USAGE;
        }
    }
    return CLI_DONE;
}

/* One after the other; the first signal ends the current one after its step, and the rest are not run. */
static void run_all(const compare_args *args, const char *path, cli_columns *columns)
{
    for (int i = 0; i < columns->count && cli_stop_signal() == 0; ++i) {
        const cli_compare_job job = job_of(args, path, columns, i);
        cli_compare_run(&job, &columns->column[i].outcome);
    }
}

static void compare_with_reference(brn_ctx *ctx, cli_columns *columns)
{
    const cli_column *reference = &columns->column[columns->reference];
    for (int i = 0; i < columns->count; ++i) {
        cli_column *c = &columns->column[i];
        if (i == columns->reference || !c->outcome.started || !reference->outcome.started) {
            continue;
        }
        c->compared = brn_compare_runs(ctx, reference->dir, c->dir, &c->difference) >= 0;
        if (!c->compared) {
            cli_warning("%s cannot be compared with %s: %s", c->name, reference->name, brn_ctx_message(ctx));
        }
    }
}

/* compare.html with every run that has frames, the reference first: the page takes differences to its first run. */
static bool write_page(brn_ctx *ctx, const cli_columns *columns, const char *out, int budget)
{
    const char *dirs[CLI_COLUMNS_MAX], *names[CLI_COLUMNS_MAX];
    const brn_difference *difference[CLI_COLUMNS_MAX];
    int count = 0;
    for (int k = -1; k < columns->count; ++k) {
        const cli_column *c = &columns->column[k < 0 ? columns->reference : k];
        if (k != columns->reference && c->outcome.started && cli_folder_has(c->dir, "trajectory.h5")) {
            dirs[count] = c->dir;
            difference[count] = c->compared ? &c->difference : NULL;
            names[count++] = c->name;
        }
    }
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/compare.html", out);
    if (count == 0 || length < 0 || length >= (int)sizeof path) {
        return count == 0; /* nothing to show; too long a path has been reported already */
    }
    if (brn_view_compare(ctx, dirs, names, difference, count, path, budget) < 0) {
        cli_error("%s", brn_ctx_message(ctx));
        return false;
    }
    return true;
}

static bool all_done(const cli_columns *columns)
{
    bool done = true;
    for (int i = 0; i < columns->count; ++i) {
        done = done && strcmp(columns->column[i].outcome.status, "done") == 0;
    }
    return done;
}

static int report_all(const compare_args *args, brn_ctx *ctx, cli_columns *columns, const char *out)
{
    compare_with_reference(ctx, columns);
    bool written = cli_compare_write(ctx, columns, args->scene, out);
    written = written && write_page(ctx, columns, out, args->budget);
    if (!args->quiet) {
        (void)fputc('\n', stdout);
        cli_compare_print(columns, stdout, cli_terminal_width(stdout));
        cli_compare_notes(columns, "", stdout);
        (void)printf("\n%s%s%s\n", cli_paint(stdout, CLI_BOLD), out, cli_paint(stdout, CLI_PLAIN));
        (void)printf("  compare.html  the runs side by side, opens in a browser\n"
                     "  compare.md    this table; compare.csv and compare.json are for programs\n"
                     "  NAME/         a run folder each\n");
        (void)fflush(stdout);
    }
    if (cli_stop_signal() != 0 && !all_done(columns)) {
        (void)fprintf(stderr,
                      "stopped, everything so far is kept; the same command with --resume continues\n");
        return 128 + cli_stop_signal(); /* what a shell expects from a process ended by a signal */
    }
    return all_done(columns) && written ? CLI_DONE : CLI_FAILED;
}

static int report_runs(const compare_args *args, cli_columns *columns, const char *out)
{
    brn_ctx *ctx = NULL;
    if (brn_ctx_create(NULL, &ctx) < 0) {
        cli_error("out of memory");
        return CLI_FAILED;
    }
    const int code = report_all(args, ctx, columns, out);
    brn_ctx_destroy(ctx);
    return code;
}

static int compare_in(const compare_args *args, const char *path, cli_columns *columns, const char *out)
{
    if (!cli_columns_place(columns, out) || !cli_stop_share()) {
        cli_error("out of memory");
        return CLI_FAILED;
    }
    int code = check_all(args, path, columns);
    if (code != CLI_DONE) {
        return code;
    }
    /* Of one thread, because the runs are forked. */
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = 1;
    brn_ctx *ctx = NULL;
    brn_lock *lock = NULL;
    if (brn_ctx_create(&options, &ctx) < 0) {
        cli_error("out of memory");
        return CLI_FAILED;
    }
    const brn_status locked = brn_lock_take(ctx, out, &lock);
    if (locked < 0) {
        cli_error("%s", brn_ctx_message(ctx));
        code = locked == BRN_ERR_BUSY || locked == BRN_ERR_FILE ? CLI_USAGE : CLI_FAILED;
    } else {
        cli_stop_catch();
        run_all(args, path, columns);
        code = report_runs(args, columns, out);
    }
    brn_lock_release(lock);
    brn_ctx_destroy(ctx);
    return code;
}

/* out/NAME-compare for a scene whose runs go to out/NAME. */
static char *default_out(const char *path)
{
    static const char ending[] = "-compare";
    char *run = cli_scene_default_out(path);
    char *out = run != NULL ? malloc(strlen(run) + sizeof ending) : NULL;
    if (out != NULL) {
        (void)sprintf(out, "%s%s", run, ending);
    }
    free(run);
    return out;
}

static int compare_with(const compare_args *args)
{
    cli_columns columns;
    int code = cli_columns_create(&columns, args->methods, &args->variants, &args->set, args->reference);
    if (code == CLI_DONE) {
        char *path = cli_scene_path(args->scene);
        char *out = path == NULL ? NULL : args->out != NULL ? strdup(args->out) : default_out(path);
        if (out == NULL) {
            cli_error("out of memory");
            code = CLI_FAILED;
        } else {
            code = compare_in(args, path, &columns, out);
        }
        free(out);
        free(path);
    }
    cli_columns_clear(&columns);
    return code;
}

int cli_compare(int argc, char **argv)
{
    compare_args args = {.budget = 25};
    const cli_option options[] = {
        {"methods", 0, CLI_TEXT, "A,B,...", "contact methods, one run each; see 'brunt info methods'",
         &args.methods, 0, 0, NULL},
        {"variant", 0, CLI_LIST, "NAME:...",
         "NAME:PATH=VALUE,PATH=VALUE,...: a run with these settings; may be repeated", &args.variants, 0, 0,
         NULL},
        {"set", 0, CLI_LIST, "PATH=VALUE", "override one value in all runs; may be repeated", &args.set, 0, 0,
         NULL},
        {"reference", 0, CLI_TEXT, "NAME", "the run that the others are compared with (default: the first)",
         &args.reference, 0, 0, NULL},
        {"out", 'o', CLI_TEXT, "DIR", "folder of the comparison (default: out/NAME-compare)", &args.out, 0, 0,
         NULL},
        {"threads", 0, CLI_INT, "N", "worker threads of each run, 0 = one per core", &args.threads, 0, 1024,
         NULL},
        {"budget", 0, CLI_INT, "MB", "largest size of compare.html (default 25)", &args.budget, 1, 10000,
         NULL},
        {"resume", 0, CLI_FLAG, NULL, "keep finished runs, continue the others", &args.resume, 0, 0, NULL},
        {"overwrite", 0, CLI_FLAG, NULL, "replace the runs in the folder", &args.overwrite, 0, 0, NULL},
        {"quiet", 'q', CLI_FLAG, NULL, "print errors only", &args.quiet, 0, 0, NULL},
    };
    const cli_syntax syntax = {
        .command = "compare",
        .summary =
            "Runs a scene several times, one run after the other. Writes a table of accuracy and speed, "
            "with "
            "how far each\nrun is from the reference, and a page that shows the runs side by side. Every "
            "method is run with every variant;\na variant of NAME alone is the scene as it is. A run that "
            "fails does not stop the others; the exit code is then 1.",
        .operand = "SCENE",
        .operand_help = "scene file, or a folder with scene.yaml",
        .operands_min = 1,
        .options = options,
        .option_count = CLI_COUNT(options),
        .examples = "  brunt compare scenes/cantilever --methods none,ipc\n"
                    "  brunt compare scenes/two-squares --variant base --variant half:time.step=0.005 "
                    "--reference half\n"
                    "  brunt compare ball.yaml --variant 'near:bodies.ball.position=[0,0,1],time.step=1e-3' "
                    "--variant far\n",
    };
    int code = cli_parse(&syntax, argc, argv, &args.scene);
    if (code == CLI_PARSED) {
        code = compare_with(&args);
    }
    cli_list_free(&args.variants);
    cli_list_free(&args.set);
    return code;
}
