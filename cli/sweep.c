/* brunt sweep: a scene at many points, and a table of its figures. */
#include "commands.h"
#include "run/scene_input.h"
#include "study/study.h"
#include "terminal/grow_text.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What stands for a problem file where there is none. */
typedef struct sweep_args {
    cli_list vary, figures;
    const char *type;
    int samples;
} sweep_args;

static int fail_vary(const char *text)
{
    cli_error("--vary %s: write PATH=A:B:N for N values from A to B, PATH=A:B for a random one, or "
              "PATH=X,Y,Z; "
              "words and lists are varied by brunt compare --variant",
              text);
    return CLI_USAGE;
}

static void add_quoted(cli_text *to, const char *text, size_t length)
{
    cli_text_add(to, "\"");
    for (size_t i = 0; i < length; ++i) {
        cli_text_add(to, text[i] == '"' || text[i] == '\\' ? "\\%c" : "%c", text[i]);
    }
    cli_text_add(to, "\"");
}

/* A number of n bytes. */
static bool is_number(const char *text, size_t n)
{
    char copy[64], *end = NULL;
    if (n == 0 || n >= sizeof copy || strspn(text, "+-.0123456789eE") < n) {
        return false;
    }
    memcpy(copy, text, n);
    copy[n] = '\0';
    (void)strtod(copy, &end);
    return *end == '\0';
}

/* "PATH=A:B:N" or "PATH=X,Y,Z" as an entry of `parameters`. */
static int add_parameter(cli_text *to, const char *text)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) {
        return fail_vary(text);
    }
    const char *values = equals + 1;
    const bool range = strchr(values, ':') != NULL;
    static const char *const keys[] = {"min", "max", "points"};
    cli_text_add(to, "  - {name: ");
    add_quoted(to, text, (size_t)(equals - text));
    cli_text_add(to, ", path: ");
    add_quoted(to, text, (size_t)(equals - text));
    cli_text_add(to, range ? "" : ", values: [");
    for (int part = 0;; ++part) {
        const size_t n = strcspn(values, range ? ":" : ",");
        if (!is_number(values, n) || (range && part > 2)) {
            return fail_vary(text);
        }
        if (range) {
            cli_text_add(to, ", %s: %.*s", keys[part], (int)n, values);
        } else {
            cli_text_add(to, "%s%.*s", part > 0 ? ", " : "", (int)n, values);
        }
        values += n;
        if (*values == '\0') {
            cli_text_add(to, range ? "}\n" : "]}\n");
            return range && part == 0 ? fail_vary(text) : CLI_PARSED;
        }
        ++values;
    }
}

/* The scene's file as the problem names it: relative to nothing. */
static int make_problem(const sweep_args *s, const char *scene, cli_text *to)
{
    char *full = realpath(scene, NULL);
    if (full == NULL) {
        cli_error("%s: cannot open: %s", scene, strerror(errno));
        return CLI_USAGE;
    }
    cli_text_add(to, "brunt: 1\nscene: ");
    add_quoted(to, full, strlen(full));
    free(full);
    cli_text_add(to, "\nsweep: {type: %s%s", s->type != NULL ? s->type : "grid", s->samples > 0 ? "" : "}\n");
    if (s->samples > 0) {
        cli_text_add(to, ", samples: %d}\n", s->samples);
    }
    cli_text_add(to, "figures: [");
    for (int i = 0; i < s->figures.count; ++i) {
        cli_text_add(to, i > 0 ? ", " : "");
        add_quoted(to, s->figures.items[i], strlen(s->figures.items[i]));
    }
    cli_text_add(to, "]\nparameters:\n");
    for (int i = 0; i < s->vary.count; ++i) {
        const int code = add_parameter(to, s->vary.items[i]);
        if (code != CLI_PARSED) {
            return code;
        }
    }
    if (to->failed) {
        cli_error("out of memory");
        return CLI_FAILED;
    }
    return CLI_PARSED;
}

static int sweep_with(cli_study_args *args, const sweep_args *s)
{
    char *path = cli_scene_path(args->operand);
    if (path == NULL) {
        cli_error("out of memory");
        return CLI_FAILED;
    }
    cli_text text = {0};
    int code = CLI_PARSED;
    if (s->vary.count > 0) {
        code = make_problem(s, path, &text);
        args->text = text.bytes;
        args->name = path;
    } else if (s->type != NULL || s->samples > 0 || s->figures.count > 0) {
        cli_error("--type, --samples and --figure belong to --vary: a problem file says these itself");
        code = CLI_USAGE;
    } else {
        args->path = args->operand;
    }
    if (code == CLI_PARSED) {
        code = cli_study_run(args);
    }
    cli_text_free(&text);
    free(path);
    return code;
}

int cli_sweep(int argc, char **argv)
{
    static const char *const types[] = {"grid", "random", "latin_hypercube", NULL};
    cli_study_args args = {.kind = BRN_DESIGN_SWEEP, .threads = 1, .seed = -1};
    sweep_args s = {0};
    const cli_option options[] = {
        {"vary", 0, CLI_LIST, "PATH=A:B:N",
         "of a scene: N values from A to B, or PATH=X,Y,Z; may be repeated", &s.vary, 0, 0, NULL},
        {"figure", 0, CLI_LIST, "NAME", "with --vary: a figure or expression for the table; may be repeated",
         &s.figures, 0, 0, NULL},
        {"type", 0, CLI_CHOICE, "TYPE", "with --vary: grid (default), random or latin_hypercube", &s.type, 0,
         0, types},
        {"samples", 0, CLI_INT, "N", "with --vary: points of random and latin_hypercube (default 20)",
         &s.samples, 1, 1000000, NULL},
        CLI_STUDY_OPTIONS(args, "folder of the study (default: out/NAME-sweep)", "the first N points only",
                          "of random and latin_hypercube, instead of the problem's"),
    };
    const cli_syntax syntax = {
        .command = "sweep",
        .summary =
            "Simulates a scene at many points of its parameters, several at once, and writes a table of "
            "figures. The points are those\nof a problem file (its key `sweep`), or of --vary. Ctrl-C "
            "stops and keeps everything, --resume goes on.",
        .operand = "PROBLEM|SCENE",
        .operand_help = "file of a design problem; with --vary a scene file, or a folder with scene.yaml",
        .operands_min = 1,
        .options = options,
        .option_count = CLI_COUNT(options),
        .examples =
            "  brunt sweep problem.yaml\n"
            "  brunt sweep scenes/cantilever --vary materials.steel.young=1e11:2e11:5 --figure tip.dz\n"
            "  brunt sweep scenes/bounce --vary contact.friction=0,0.3,0.5 --figure status --jobs 2\n"
            "  mpirun -n 8 --bind-to none brunt sweep problem.yaml --mpi\n",
    };
    int code = cli_parse(&syntax, argc, argv, &args.operand);
    if (code == CLI_PARSED) {
        code = sweep_with(&args, &s);
    }
    cli_list_free(&s.vary);
    cli_list_free(&s.figures);
    cli_list_free(&args.set);
    return code;
}
