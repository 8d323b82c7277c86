/* brunt modes: frequencies and mode shapes of a scene's bodies. */
#include "commands.h"
#include "run/run_folder.h"
#include "run/session.h"
#include "terminal/options.h"
#include "terminal/stop.h"
#include "terminal/terminal.h"

#include <brunt/study.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct modes_args {
    cli_scene_input scene;
    const char *out;
    brn_vibration_options options;
    int threads;
    bool overwrite, no_report, quiet;
} modes_args;

/* ---- the folder ------------------------------------------------------------------------------------------------------- */

/* out/NAME-modes: out/NAME is the folder of the run. free() it; NULL when memory runs out. */
static char *default_out(const char *path)
{
    static const char suffix[] = "-modes";
    char *run = cli_scene_default_out(path);
    char *out = run != NULL ? malloc(strlen(run) + sizeof suffix) : NULL;
    if (out != NULL) {
        (void)strcpy(stpcpy(out, run), suffix);
    }
    free(run);
    return out;
}

static int check_folder(const modes_args *args, const char *path, const char *dir)
{
    if (cli_folder_is_of_another(dir, CLI_HOLDS_MODES)) {
        return CLI_USAGE;
    }
    if (!cli_folder_holds_modes(dir) && cli_folder_would_lose(dir, path)) {
        return CLI_USAGE;
    }
    if (cli_folder_holds_modes(dir) && !args->overwrite) {
        cli_error("%s already holds modes", dir);
        (void)fprintf(stderr, "  --overwrite  replaces them\n"
                              "  --out DIR    writes somewhere else\n");
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/* ---- the body --------------------------------------------------------------------------------------------------------- */

enum { NAMES_MAX = 1000, NAMES_SHOWN = 10 };

/* Is there such a body? If not, the nearest name is told, or the first ones. */
static bool check_body(const brn_model *model, const char *wanted)
{
    const char *names[NAMES_MAX];
    brn_model_info info;
    brn_body_info body;
    int count = 0;
    brn_model_get_info(model, &info);
    for (int i = 0; i < info.bodies; ++i) {
        if (brn_model_get_body(model, i, &body) < 0 || strcmp(body.name, wanted) == 0) {
            return true;
        }
        if (count < NAMES_MAX) {
            names[count++] = body.name;
        }
    }
    const int near = cli_nearest(wanted, names, count);
    if (near >= 0) {
        cli_error("--body %s: there is no such body; did you mean '%s'?", wanted, names[near]);
        return false;
    }
    cli_error("--body %s: there is no such body", wanted);
    (void)fprintf(stderr, "  bodies:");
    for (int i = 0; i < count && i < NAMES_SHOWN; ++i) {
        (void)fprintf(stderr, " %s%s", names[i], i + 1 < count ? "," : "");
    }
    (void)fprintf(stderr, "%s\n", count > NAMES_SHOWN ? " ..." : "");
    return false;
}

/* ---- the table -------------------------------------------------------------------------------------------------------- */

/* What effective masses are parts of; 0: not known. */
static double mass_of(const brn_model *model, const char *body)
{
    brn_model_info all;
    brn_model_get_info(model, &all);
    double mass = body == NULL ? all.mass : 0.0;
    for (int i = 0; i < all.bodies && body != NULL; ++i) {
        brn_body_info info;
        if (brn_model_get_body(model, i, &info) >= 0 && strcmp(info.name, body) == 0) {
            mass = info.mass;
        }
    }
    return mass;
}

static void print_mode(const brn_vibration_mode *m, int number, double mass, int dimension)
{
    if (m->rigid) {
        (void)printf("  %4d  %12s  %12s  %9s", number, "rigid", "", "");
    } else if (m->ratio >= 1.0) {
        (void)printf("  %4d  %12.5g  %12s  %8.3g%%", number, m->frequency, "overdamped", 100.0 * m->ratio);
    } else {
        (void)printf("  %4d  %12.5g  %12.5g  %8.3g%%", number, m->frequency, m->damped, 100.0 * m->ratio);
    }
    for (int i = 0; i < dimension && mass > 0.0; ++i) {
        (void)printf("  %6.1f%%", 100.0 * m->effective_mass[i] / mass);
    }
    (void)putchar('\n');
}

static int count_rigid(const brn_vibration *vibration)
{
    int rigid = 0;
    brn_vibration_mode mode;
    while (rigid < brn_vibration_count(vibration) && brn_vibration_get(vibration, rigid, &mode) >= 0 &&
           mode.rigid) { /* they come first */
        ++rigid;
    }
    return rigid;
}

/* Of motions that nothing resists those of two bodies are shown, and that there are more. */
static void print_table(const brn_vibration *vibration, double mass, int dimension)
{
    enum { SHOWN_RIGID = 12 };
    static const char *const axes[] = {"x", "y", "z"};
    const int count = brn_vibration_count(vibration);
    const int rigid = count_rigid(vibration);
    (void)printf("%s  %4s  %12s  %12s  %9s", cli_paint(stdout, CLI_BOLD), "mode", "frequency Hz", "damped Hz",
                 "damping");
    for (int i = 0; i < dimension && mass > 0.0; ++i) {
        (void)printf("  %5s %s", "mass", axes[i]);
    }
    (void)printf("%s\n", cli_paint(stdout, CLI_PLAIN));
    for (int i = 0; i < count; ++i) {
        brn_vibration_mode mode;
        if (i == SHOWN_RIGID && rigid > SHOWN_RIGID + 1) {
            (void)printf("   ...  %12s  to mode %d, all in modes.csv\n", "rigid", rigid);
            i = rigid - 1;
        } else if (brn_vibration_get(vibration, i, &mode) >= 0) {
            print_mode(&mode, i + 1, mass, dimension);
        }
    }
    if (rigid == count && count > 0) {
        cli_note("nothing of it vibrates: its bodies move as they are");
    }
}

/* ---- the command ------------------------------------------------------------------------------------------------------ */

static int report_failure(const cli_session *session, brn_status status)
{
    if (status == BRN_ERR_CANCELLED && cli_stop_signal() != 0) {
        (void)fprintf(stderr, "stopped, nothing was written\n");
        return 128 + cli_stop_signal(); /* what a shell expects from a process ended by a signal */
    }
    cli_error("%s", brn_ctx_message(session->ctx));
    return status == BRN_ERR_LIMIT ? CLI_FAILED : cli_session_failure(session, status);
}

/* The table first: it is what was computed, whatever becomes of the files. */
static int write_modes(const cli_session *session, const modes_args *args, const brn_model *model,
                       const brn_vibration *vibration, const char *dir)
{
    brn_model_info info;
    char *text = NULL;
    brn_model_get_info(model, &info);
    if (brn_vibration_count(vibration) == 0) {
        cli_error("nothing in this scene can vibrate: it has no body that is free to move");
        return CLI_USAGE;
    }
    if (!args->quiet) {
        print_table(vibration, mass_of(model, args->options.body), info.dimension);
        (void)fflush(stdout);
    }
    brn_status status = brn_scene_write(session->scene, &text);
    status = status >= 0 ? brn_vibration_write(session->ctx, model, vibration, text, dir,
                                               args->no_report ? 0.0 : -1.0)
                         : status;
    brn_ctx_free(session->ctx, text);
    if (status < 0) {
        return report_failure(session, status);
    }
    if (!args->quiet) {
        cli_folder_print(dir);
    }
    return CLI_DONE;
}

static int find_modes(const cli_session *session, const modes_args *args, const char *dir)
{
    brn_model *model = NULL;
    brn_vibration *vibration = NULL;
    brn_status status = brn_model_compile(session->ctx, session->scene, &model);
    if (status < 0) {
        cli_scene_print_problems(session->ctx, session->scene, status);
        return status == BRN_ERR_MEMORY ? CLI_FAILED : CLI_USAGE;
    }
    if (args->options.body != NULL && !check_body(model, args->options.body)) {
        brn_model_destroy(model);
        return CLI_USAGE;
    }
    cli_stop_cancels(session->ctx);
    cli_stop_catch();
    status = brn_vibration_find(session->ctx, model, &args->options, &vibration);
    cli_stop_cancels(NULL);
    const int code =
        status >= 0 ? write_modes(session, args, model, vibration, dir) : report_failure(session, status);
    brn_vibration_destroy(vibration);
    brn_model_destroy(model);
    return code;
}

static int modes_with(const modes_args *args)
{
    char *path = cli_scene_path(args->scene.operand);
    char *named = path != NULL && args->out == NULL ? default_out(path) : NULL;
    const char *dir = args->out != NULL ? args->out : named;
    cli_session session = {0};
    int code = CLI_FAILED;
    if (path == NULL || dir == NULL) {
        cli_error("out of memory");
    } else {
        code = cli_session_open(&session, &args->scene, path, args->threads, args->quiet);
    }
    /* The scene first: if its name is misspelt, it does not matter whether the folder is taken. */
    if (session.scene != NULL) {
        code = check_folder(args, path, dir);
        code = code == CLI_DONE ? find_modes(&session, args, dir) : code;
    }
    cli_session_close(&session);
    free(named);
    free(path);
    return code;
}

int cli_modes(int argc, char **argv)
{
    modes_args args = {.options = brn_vibration_options_default()};
    const cli_option options[] = {
        {"modes", 'n', CLI_INT, "N", "elastic modes to find, the lowest ones (default: 10)",
         &args.options.modes, 1, 4096, NULL},
        {"body", 0, CLI_TEXT, "NAME",
         "this body alone, without what it is attached to; default: the whole scene", &args.options.body, 0,
         0, NULL},
        {"free", 0, CLI_FLAG, NULL, "without what `fixed` holds", &args.options.free, 0, 0, NULL},
        {"out", 'o', CLI_TEXT, "DIR", "folder for the results, made if absent (default: out/NAME-modes)",
         &args.out, 0, 0, NULL},
        {"set", 0, CLI_LIST, "PATH=VALUE", "override one value of the scene; may be repeated",
         &args.scene.set, 0, 0, NULL},
        {"threads", 0, CLI_INT, "N", "worker threads, 0 = one per core; the results do not depend on it",
         &args.threads, 0, 1024, NULL},
        {"overwrite", 0, CLI_FLAG, NULL, "replace the modes in the folder", &args.overwrite, 0, 0, NULL},
        {"no-report", 0, CLI_FLAG, NULL, "write no report.html (its size: --set output.report=MB)",
         &args.no_report, 0, 0, NULL},
        {"quiet", 'q', CLI_FLAG, NULL, "print errors only", &args.quiet, 0, 0, NULL},
    };
    const cli_syntax syntax = {
        .command = "modes",
        .summary =
            "Finds frequencies and mode shapes of a scene's bodies about their shape at rest: with their "
            "holds, "
            "attachments and\n"
            "springs, without gravity, loads and contact. Prints a table (frequency, with Rayleigh damping, "
            "part "
            "of critical\n"
            "damping, part of the mass that takes part along each axis) and writes scene.yaml, modes.csv, "
            "modes.json, modes.vtu\n"
            "(the shapes, for ParaView) and report.html, a page that plays them.",
        .operand = "SCENE",
        .operand_help = "scene file, or a folder with scene.yaml",
        .operands_min = 1,
        .options = options,
        .option_count = CLI_COUNT(options),
        .examples = "  brunt modes scenes/cantilever\n"
                    "  brunt modes scenes/cantilever --free --modes 20\n"
                    "  brunt modes scenes/wall --body ball --out out/ball\n",
    };
    int code = cli_parse(&syntax, argc, argv, &args.scene.operand);
    if (code == CLI_PARSED) {
        code = modes_with(&args);
    }
    cli_list_free(&args.scene.set);
    return code;
}
