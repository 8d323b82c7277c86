/* brunt coarsen: a coarse mesh that moves as the fine one does. */
#include "coarsen/coarsen_files.h"
#include "commands.h"
#include "run/run_folder.h"
#include "run/scene_input.h"
#include "terminal/options.h"
#include "terminal/stop.h"
#include "terminal/terminal.h"

#include <brunt/study.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct coarsen_args {
    cli_scene_input scene;
    const char *out;
    const char *change, *shape, *spread, *limit, *frequency, *decay, *match;
    int threads;
    brn_coarsen_options options;
} coarsen_args;

/* ---- on the terminal ---------------------------------------------------------------------------------------------------------- */

static bool print_level(void *user, const brn_coarsen_level *l)
{
    (void)user;
    (void)printf("  %-6s  x %-7.4g  %8d  ", l->refining ? "fine" : "coarse", l->size, l->cells);
    for (int i = 0; i < BRN_COARSEN_SHAPES; ++i) {
        (void)printf("%8.5g", l->frequency[i]);
    }
    if (l->refining && !isnan(l->change)) {
        (void)printf("  change %.2f %%", 100.0 * l->change);
    } else if (!l->refining) {
        (void)printf("  shapes");
        for (int i = 0; i < BRN_COARSEN_SHAPES; ++i) {
            (void)printf(" %.1f", 100.0 * l->distance[i]);
        }
        (void)printf(" %%, frequencies %.1f %%%s", 100.0 * l->spread, l->fits ? ", fits" : "");
    }
    (void)printf("\n");
    (void)fflush(stdout);
    return cli_stop_signal() != 0;
}

static void print_result(const brn_coarsening *c)
{
    brn_coarsen_result r;
    brn_coarsen_level fine, coarse;
    (void)brn_coarsen_get(c, &r);
    (void)brn_coarsen_get_level(c, r.fine, &fine);
    (void)brn_coarsen_get_level(c, r.coarse, &coarse);
    (void)printf("\n%smode      fine  extrapolated    before     after   error before  after   alike%s\n",
                 cli_paint(stdout, CLI_BOLD), cli_paint(stdout, CLI_PLAIN));
    for (int i = 0; i < r.modes; ++i) {
        brn_coarsen_mode m;
        (void)brn_coarsen_get_mode(c, i, &m);
        (void)printf("%4d  %8.5g      %8.5g  %8.5g  %8.5g         %+5.1f %%  %+5.1f %%  %.4f\n", i + 1,
                     m.fine, m.extrapolated, m.before, m.after, 100.0 * m.error_before, 100.0 * m.error_after,
                     m.alike);
    }
    (void)printf("\n  cells           %d -> %d, edges x %.4g of the scene's\n", fine.cells, coarse.cells,
                 coarse.size);
    (void)printf("  shapes          within %.1f %%\n", 100.0 * r.distance);
    (void)printf("  frequencies     mean error %.1f %% -> %.1f %%\n", 100.0 * r.error_before,
                 100.0 * r.error_after);
    (void)printf("  moduli          x %.4g\n", r.scale);
    if (!isnan(r.load)) {
        (void)printf(
            "  load            %.4g J in both; by the first frequency the coarse mesh would have %+.1f %%\n",
            r.load, 100.0 * r.load_error);
    }
    if (!isnan(r.beta)) {
        (void)printf("  damping         beta %.4g s\n", r.beta);
    }
    if (r.flops_coarse > 0.0) {
        (void)printf("  linear solve    %.3g -> %.3g operations, %.3g times fewer\n", r.flops_fine,
                     r.flops_coarse, r.flops_fine / r.flops_coarse);
    }
    for (int i = 0; i < r.changes; ++i) {
        (void)printf("  %-16s%s\n", i == 0 ? "changes" : "", brn_coarsen_change(c, i));
    }
    if (r.loads && isnan(r.load) && isnan(r.beta)) {
        cli_note("the first frequency is right; --match load makes the energy of the scene's load right "
                 "instead, for what is pressed and let go");
    }
    if (!r.converged) {
        cli_warning("the fine mesh has not converged: frequencies still changed by %.1f %% when the limit of "
                    "cells ended "
                    "refining; --limit allows more",
                    100.0 * fine.change);
    }
}

/* ---- the scene --------------------------------------------------------------------------------------------------------------- */

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0;
    size_t room = 0;
    while (file != NULL && !feof(file) && !ferror(file)) {
        if (room - size < 65536) {
            room += 1 << 17;
            char *grown = realloc(text, room);
            if (grown == NULL) {
                break;
            }
            text = grown;
        }
        size += fread(text + size, 1, 65535, file);
        text[size] = '\0';
    }
    const bool read = file != NULL && feof(file) && !ferror(file);
    if (file != NULL) {
        (void)fclose(file);
    }
    if (!read) {
        free(text);
        return NULL;
    }
    return text;
}

/* The text with all assignments made; NULL: not in place. Free with brn_ctx_free. */
static char *edit_all(brn_ctx *ctx, const char *text, const cli_list *set, const brn_coarsening *c)
{
    brn_coarsen_result r;
    (void)brn_coarsen_get(c, &r);
    char *now = NULL;
    for (int i = 0; i < set->count + r.changes; ++i) {
        const char *assignment = i < set->count ? set->items[i] : brn_coarsen_change(c, i - set->count);
        char *next = NULL;
        const brn_status status = brn_scene_edit(ctx, now != NULL ? now : text, assignment, &next);
        brn_ctx_free(ctx, now);
        now = next;
        if (status < 0) {
            return NULL;
        }
    }
    return now;
}

/* Files that it names are looked for where it is: say so if they are not there. */
static void check_written(brn_ctx *ctx, const char *dir)
{
    char path[4096];
    brn_scene *scene = NULL;
    brn_model *model = NULL;
    (void)snprintf(path, sizeof path, "%s/scene.yaml", dir);
    brn_status status = brn_scene_load(ctx, path, &scene);
    status = status >= 0 ? brn_model_compile(ctx, scene, &model) : status;
    if (status < 0) {
        cli_warning("%s (move it to where the files are that it names)", brn_ctx_message(ctx));
    }
    brn_model_destroy(model);
    brn_scene_destroy(scene);
}

static bool write_scene(const cli_coarsen_output *o, brn_scene *scene, const char *path, const cli_list *set)
{
    char *text = read_text(path);
    char *edited = text != NULL ? edit_all(o->ctx, text, set, o->coarsening) : NULL;
    free(text);
    if (edited == NULL) {
        cli_note("the scene's text cannot be changed in place: it is written anew, without comments");
        if (brn_scene_write(scene, &edited) < 0) {
            cli_error("%s", brn_ctx_message(o->ctx));
            return false;
        }
    }
    const bool done = cli_coarsen_write_file(o->dir, "scene.yaml", edited, strlen(edited));
    brn_ctx_free(o->ctx, edited);
    if (done) {
        check_written(o->ctx, o->dir);
    }
    return done;
}

/* ---- the command ---------------------------------------------------------------------------------------------------------------- */

static bool write_files(const cli_coarsen_output *output, brn_scene *scene, const char *path,
                        const cli_list *set)
{
    const bool done = write_scene(output, scene, path, set) && cli_coarsen_write_csv(output) &&
                      cli_coarsen_write_json(output) && cli_coarsen_write_page(output);
    if (done) {
        (void)printf("  %-16s%s: scene.yaml, coarsen.html, coarsen.csv, coarsen.json\n", "written",
                     output->dir);
    }
    return done;
}

static int find_mesh(brn_ctx *ctx, const coarsen_args *args, brn_scene *scene, const char *path,
                     const char *out)
{
    (void)printf("%s  for     edge       cells       first four frequencies [Hz]%s\n",
                 cli_paint(stdout, CLI_BOLD), cli_paint(stdout, CLI_PLAIN));
    brn_coarsening *c = NULL;
    cli_stop_cancels(ctx);
    cli_stop_catch();
    const brn_status status = brn_coarsen(ctx, scene, &args->options, &c);
    cli_stop_cancels(NULL);
    if (status == BRN_ERR_CANCELLED && cli_stop_signal() != 0) {
        (void)fprintf(stderr, "stopped, nothing was written\n");
        return 128 + cli_stop_signal(); /* what a shell expects from a process ended by a signal */
    }
    if (status < 0) {
        cli_scene_print_problems(ctx, scene, status);
        return status == BRN_ERR_SCENE || status == BRN_ERR_RANGE ? CLI_USAGE : CLI_FAILED;
    }
    print_result(c);
    const cli_coarsen_output output = {ctx, c, out, args->scene.operand};
    const bool done = write_files(&output, scene, path, &args->scene.set);
    brn_coarsening_destroy(c);
    return done ? CLI_DONE : CLI_FAILED;
}

static bool folder_is_free(const char *out, const char *path)
{
    return !cli_folder_is_of_another(out, CLI_HOLDS_COARSE) && !cli_folder_would_lose(out, path);
}

/* The folder is taken before the search, which may be long: nobody else is to write there at its end. */
static int work(brn_ctx *ctx, const coarsen_args *args, const char *path, const char *out)
{
    brn_scene *scene = NULL;
    brn_lock *lock = NULL;
    const bool fresh = access(out, F_OK) != 0;
    int code = cli_scene_open(ctx, &args->scene, path, &scene);
    if (code == CLI_DONE) {
        code = folder_is_free(out, path) ? CLI_DONE : CLI_USAGE;
    }
    const brn_status locked = code == CLI_DONE ? brn_lock_take(ctx, out, &lock) : BRN_OK; /* makes it */
    if (locked < 0) {
        cli_error("%s", brn_ctx_message(ctx));
        code = locked == BRN_ERR_BUSY || locked == BRN_ERR_FILE ? CLI_USAGE : CLI_FAILED;
    }
    if (code == CLI_DONE) {
        code = find_mesh(ctx, args, scene, path, out);
    }
    brn_lock_release(lock);
    if (fresh && code != CLI_DONE) {
        (void)rmdir(out); /* if nothing came of it */
    }
    brn_scene_destroy(scene);
    return code;
}

static int open_and_work(const coarsen_args *args)
{
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = args->threads;
    brn_ctx *ctx = NULL;
    char *path = cli_scene_path(args->scene.operand);
    char *standard = path != NULL ? cli_scene_default_out(path) : NULL;
    char out[4096];
    int code = CLI_FAILED;
    if (standard == NULL || brn_ctx_create(&options, &ctx) < 0) {
        cli_error("out of memory");
    } else if (snprintf(out, sizeof out, "%s%s", args->out != NULL ? args->out : standard,
                        args->out != NULL ? "" : "-coarse") >= (int)sizeof out) {
        cli_error("%s: path too long", args->out);
    } else {
        code = work(ctx, args, path, out);
    }
    brn_ctx_destroy(ctx);
    free(standard);
    free(path);
    return code;
}

/* A number above `least`, or not given. */
static bool read_number(const char *name, const char *text, double least, double *value)
{
    char *end = NULL;
    if (text == NULL) {
        return true;
    }
    *value = strtod(text, &end);
    if (end == text || *end != '\0' || !(*value > least) || !isfinite(*value)) {
        cli_error("--%s %s: must be a number above %g", name, text, least);
        return false;
    }
    return true;
}

static bool read_match(const char *text, bool *load)
{
    *load = text != NULL && strcmp(text, "load") == 0;
    if (text != NULL && !*load && strcmp(text, "frequency") != 0) {
        cli_error("--match %s: must be frequency or load", text);
        return false;
    }
    return true;
}

int cli_coarsen(int argc, char **argv)
{
    coarsen_args args = {.options = brn_coarsen_options_default()};
    brn_coarsen_options *o = &args.options;
    o->progress = print_level;
    const cli_option options[] = {
        {"out", 'o', CLI_TEXT, "DIR", "folder for the results, out/NAME-coarse unless given", &args.out, 0, 0,
         NULL},
        {"body", 0, CLI_TEXT, "NAME", "the body, if the scene has several that deform", &o->body, 0, 0, NULL},
        {"limit", 0, CLI_TEXT, "CELLS", "most cells of a mesh, 100000 unless given", &args.limit, 0, 0, NULL},
        {"change", 0, CLI_TEXT, "X", "change of frequencies that counts as converged, 0.01 unless given",
         &args.change, 0, 0, NULL},
        {"shape", 0, CLI_TEXT, "X", "largest distance of shapes, 0.05 unless given", &args.shape, 0, 0, NULL},
        {"spread", 0, CLI_TEXT, "X", "largest mean error of frequencies after scaling, 0.05 unless given",
         &args.spread, 0, 0, NULL},
        {"frequency", 0, CLI_TEXT, "HZ", "measured frequency of the first mode, instead of the fine mesh's",
         &args.frequency, 0, 0, NULL},
        {"decay", 0, CLI_TEXT, "D", "measured decay exp(-D t) of it [1/s]: damping follows", &args.decay, 0,
         0, NULL},
        {"held", 0, CLI_FLAG, NULL,
         "they were measured on the body as `fixed` holds it; else on the free one", &o->held, 0, 0, NULL},
        {"match", 0, CLI_TEXT, "WHAT",
         "what the moduli make right: frequency (default), the first one; or load, the energy of the scene's "
         "load",
         &args.match, 0, 0, NULL},
        {"set", 0, CLI_LIST, "PATH=VALUE", "override a value of the scene; may be repeated", &args.scene.set,
         0, 0, NULL},
        {"threads", 0, CLI_INT, "N", "threads, 0 = one per core", &args.threads, 0, 1024, NULL},
    };
    const cli_syntax syntax = {
        .command = "coarsen",
        .summary = "Finds a coarse mesh that moves as a fine one does: refines the mesh of a body until its "
                   "lowest frequencies have\n"
                   "converged, takes the coarsest mesh that has the same lowest shapes, and scales the "
                   "moduli so that its first\n"
                   "frequency is right, or the energy of its load. Writes the coarse scene, tables and a "
                   "page. docs/coarsening.md says "
                   "what is measured.",
        .operand = "SCENE",
        .operand_help = "scene file, or a folder with scene.yaml; the body's mesh comes from a generator "
                        "with resolution or cells",
        .operands_min = 1,
        .options = options,
        .option_count = CLI_COUNT(options),
        .examples = "  brunt coarsen scenes/jump-over --limit 10000\n"
                    "  brunt coarsen beam.yaml --frequency 372 --decay 465 --held\n",
    };
    int code = cli_parse(&syntax, argc, argv, &args.scene.operand);
    if (code == CLI_PARSED) {
        const bool read = read_number("limit", args.limit, 0.0, &o->limit) &&
                          read_number("change", args.change, 0.0, &o->change) &&
                          read_number("shape", args.shape, 0.0, &o->shape) &&
                          read_number("spread", args.spread, 0.0, &o->spread) &&
                          read_number("frequency", args.frequency, 0.0, &o->frequency) &&
                          read_number("decay", args.decay, 0.0, &o->decay) &&
                          read_match(args.match, &o->load);
        code = read ? open_and_work(&args) : CLI_USAGE;
    }
    cli_list_free(&args.scene.set);
    return code;
}
