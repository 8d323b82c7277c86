/* brunt export: a run folder in the formats of other programs. */
#include "commands.h"
#include "picture/picture.h"
#include "terminal/options.h"
#include "terminal/terminal.h"

#include <brunt/brunt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* What opens the files, so that the next step needs no manual. */
static void print_hint(const char *format, const char *dir)
{
    if (strcmp(format, "vtu") == 0) {
        (void)printf("open the .pvd file in %s with ParaView: it holds all frames with their times\n", dir);
    } else if (strcmp(format, "obj") == 0) {
        (void)printf("import the sequence in %s into Blender or any other 3D program\n", dir);
    } else if (strcmp(format, "html") == 0) {
        (void)printf("open it in a browser: it needs no server and no network\n");
    } else if (strcmp(format, "gltf") == 0) {
        (void)printf("import %s/trajectory.glb into Blender or any other 3D program: it holds all frames\n",
                     dir);
    } else if (strcmp(format, "stl") == 0) {
        (void)printf("shapes at rest in millimetres, a file a body in %s: open them in any slicer\n", dir);
    }
}

static int export_run(const char *run_dir, const brn_export_options *options, bool quiet)
{
    brn_ctx *ctx = NULL;
    if (brn_ctx_create(NULL, &ctx) < 0) {
        cli_error("out of memory");
        return CLI_FAILED;
    }
    int files = 0;
    const brn_status status = brn_export(ctx, run_dir, options, &files);
    if (status < 0) {
        cli_error("%s", brn_ctx_message(ctx));
    } else if (!quiet) {
        char dir[4096];
        const bool page = strcmp(options->format, "html") == 0;
        (void)snprintf(dir, sizeof dir, "%s%s%s", options->out != NULL ? options->out : run_dir,
                       options->out != NULL || page ? "" : "/",
                       options->out != NULL || page ? "" : options->format);
        (void)printf("%d file%s written to %s\n", files, files == 1 ? "" : "s", dir);
        print_hint(options->format, dir);
    }
    brn_ctx_destroy(ctx);
    return status >= 0                                          ? CLI_DONE
           : status == BRN_ERR_MEMORY || status == BRN_ERR_FULL ? CLI_FAILED
                                                                : CLI_USAGE;
}

/* The options of pictures follow those of all formats. */
enum { OPTIONS = 5 };

static int export_picture(const char *run_dir, const brn_export_options *wanted, const cli_wish *wish,
                          bool quiet)
{
    const cli_picture picture = {.run_dir = run_dir,
                                 .out = wanted->out,
                                 .film = strcmp(wanted->format, "mp4") == 0,
                                 .quiet = quiet,
                                 .wish = wish};
    const int code = cli_wish_check(wish, picture.film);
    return code == CLI_PARSED ? cli_picture_export(&picture) : code;
}

static int export_as_told(const char *run_dir, const brn_export_options *wanted, const cli_wish *wish,
                          bool quiet)
{
    const bool drawn = strcmp(wanted->format, "png") == 0 || strcmp(wanted->format, "mp4") == 0;
    if (drawn) {
        return export_picture(run_dir, wanted, wish, quiet);
    }
    if (cli_wish_given(wish) != NULL) {
        (void)fprintf(stderr, "brunt export: --%s is for --format png and mp4\n", cli_wish_given(wish));
        return CLI_USAGE;
    }
    return export_run(run_dir, wanted, quiet);
}

int cli_export(int argc, char **argv)
{
    static const char *const formats[] = {"vtu", "obj", "csv", "gltf", "stl", "html", "png", "mp4", NULL};
    brn_export_options wanted = brn_export_options_default();
    bool quiet = false;
    int budget = (int)wanted.size_mb;
    wanted.format = formats[0];
    wanted.every = 1;
    cli_wish wish;
    cli_option options[OPTIONS + CLI_WISH_OPTIONS] = {
        {"format", 0, CLI_CHOICE, "NAME",
         "vtu: ParaView (default); obj: surfaces; csv: node positions; gltf: animation; stl: shapes to "
         "print; html: report; png: "
         "picture; mp4: film",
         &wanted.format, 0, 0, formats},
        {"out", 'o', CLI_TEXT, "DIR",
         "folder for the files (default: DIR/FORMAT), or the file of html, png, mp4", &wanted.out, 0, 0,
         NULL},
        {"every", 0, CLI_INT, "N", "only every N-th frame", &wanted.every, 1, INT_MAX, NULL},
        {"budget", 0, CLI_INT, "MB", "html: largest size, thinned to fit (default: 25)", &budget, 1, 1000000,
         NULL},
        {"quiet", 'q', CLI_FLAG, NULL, "print errors only", &quiet, 0, 0, NULL},
    };
    cli_wish_init(&wish, options + OPTIONS);
    const cli_syntax syntax = {
        .command = "export",
        .summary = "Writes the frames of a run in a format for other programs, or draws them.",
        .operand = "DIR",
        .operand_help = "run folder that 'brunt run' wrote",
        .operands_min = 1,
        .options = options,
        .option_count = CLI_COUNT(options),
        .examples = "  brunt export out/cantilever --format vtu\n"
                    "  brunt export out/cantilever --format obj --out meshes --every 10\n"
                    "  brunt export out/cantilever --format html --budget 5 --out small.html\n"
                    "  brunt export out/chain --format png --time 0,0.24,2 --view -50,12 --colour von_mises "
                    "--out chain.png\n"
                    "  brunt export out/chain --format mp4 --size 1280x720 --out chain.mp4\n",
    };
    const char *run_dir = NULL;
    int code = cli_parse(&syntax, argc, argv, &run_dir);
    if (code == CLI_PARSED) {
        wanted.size_mb = budget;
        code = export_as_told(run_dir, &wanted, &wish, quiet);
    }
    cli_wish_free(&wish);
    return code;
}
