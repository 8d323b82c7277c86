/* brunt check: everything wrong with a scene, or a summary of it. */
#include "commands.h"
#include "run/scene_input.h"
#include "terminal/options.h"
#include "terminal/terminal.h"

#include <brunt/brunt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Below this shape quality an element spoils the conditioning of its neighbours' rows. */
static const double quality_poor = 0.1;
/* A push at the start that is not worth telling, in weights. */
static const double push_least = 1e-6;

typedef struct check_args {
    cli_scene_input scene;
    int threads;
    bool write;
} check_args;

typedef struct step_estimate {
    double stable, resolving; /* [s] */
    bool known;
    brn_prediction cost;
    bool cost_known;
} step_estimate;

static const char *volume_unit(int dimension)
{
    return dimension == 2 ? "m^3/m" : "m^3";
}

/* Copies of a body are reported by the first of them. */
static bool is_copy(const brn_model *model, int i, const brn_body_info *b)
{
    brn_body_info before;
    return b->copies > 1 && i > 0 && brn_model_get_body(model, i - 1, &before) >= 0 &&
           before.source == b->source;
}

static void name_body(const brn_body_info *b, char name[CLI_TEXT_SIZE])
{
    if (b->copies > 1) {
        (void)snprintf(name, CLI_TEXT_SIZE, "%d x %s", b->copies, b->source);
    } else {
        (void)snprintf(name, CLI_TEXT_SIZE, "%s", b->name);
    }
}

/* One row of the table of bodies; the size of an unbounded obstacle is left out. */
static void print_body(const brn_body_info *b, int dimension, int width)
{
    char mass[CLI_TEXT_SIZE], edge[CLI_TEXT_SIZE], volume[CLI_TEXT_SIZE], size[96], worst[64];
    char name[CLI_TEXT_SIZE];
    name_body(b, name);
    const double extent[3] = {b->box_max[0] - b->box_min[0], b->box_max[1] - b->box_min[1],
                              b->box_max[2] - b->box_min[2]};
    if (!isfinite(extent[0] + extent[1] + extent[2])) {
        (void)snprintf(size, sizeof size, "-");
    } else if (dimension == 2) {
        (void)snprintf(size, sizeof size, "%.3g x %.3g m", extent[0], extent[1]);
    } else {
        (void)snprintf(size, sizeof size, "%.3g x %.3g x %.3g m", extent[0], extent[1], extent[2]);
    }
    if (b->worst_element >= 0) {
        (void)snprintf(worst, sizeof worst, "%d (quality %.2f)", b->worst_element, b->worst_quality);
    } else {
        (void)snprintf(worst, sizeof worst, "-");
    }
    /* Prefixes do not work on cubic metres. */
    (void)snprintf(volume, sizeof volume, "%.3g %s", b->volume, volume_unit(dimension));
    (void)printf("%-*.*s  %-10s  %9s  %14s  %-28s  %8d  %9s  %s\n", width, width, name, b->type,
                 cli_quantity(b->mass * 1e3, "g", mass), volume, size, b->element_count,
                 b->element_count > 0 ? cli_quantity(b->smallest_edge, "m", edge) : "-", worst);
}

static void print_bodies(const brn_model *model, const brn_model_info *info)
{
    enum { WIDTH_MAX = 32 };
    int width = 4;
    brn_body_info body;
    for (int i = 0; i < info->bodies; ++i) {
        char name[CLI_TEXT_SIZE];
        if (brn_model_get_body(model, i, &body) >= 0 && !is_copy(model, i, &body)) {
            name_body(&body, name);
            width = (int)strnlen(name, WIDTH_MAX) > width ? (int)strnlen(name, WIDTH_MAX) : width;
        }
    }
    (void)printf("\n%s%-*s  %-10s  %9s  %14s  %-28s  %8s  %9s  %s%s\n", cli_paint(stdout, CLI_BOLD), width,
                 "body", "type", "mass", "volume", "size", "elements", "min edge", "worst element",
                 cli_paint(stdout, CLI_PLAIN));
    for (int i = 0; i < info->bodies; ++i) {
        if (brn_model_get_body(model, i, &body) >= 0 && !is_copy(model, i, &body)) {
            print_body(&body, info->dimension, width);
        }
    }
}

/* Bodies of more than one material; the number of elements of each. */
static void print_materials(const brn_model *model, const brn_model_info *info)
{
    for (int i = 0; i < info->bodies; ++i) {
        brn_body_info body;
        if (brn_model_get_body(model, i, &body) >= 0 && !is_copy(model, i, &body) && body.materials != NULL &&
            strchr(body.materials, ',') != NULL) {
            (void)printf("\nelements of %s: %s\n", body.source, body.materials);
        }
    }
}

/* Links and joints of every robot, and what drives it. */
static void print_robots(const brn_model *model)
{
    const int count = brn_model_joint_count(model);
    for (int i = 0; i < count;) {
        brn_joint_facts first, joint;
        int joints = 0, velocities = 0, driven = 0;
        if (brn_model_get_joint(model, i, &first) < 0) {
            return;
        }
        for (; i < count && brn_model_get_joint(model, i, &joint) >= 0 && joint.robot == first.robot; ++i) {
            joints++;
            velocities += joint.velocities;
            driven += strcmp(joint.drive, "none") != 0;
        }
        (void)printf("\nrobot %s: %d joint%s, %d degree%s of freedom, %d driven\n", first.robot, joints,
                     joints == 1 ? "" : "s", velocities, velocities == 1 ? "" : "s", driven);
    }
}

static void print_attachments(const brn_model *model, const brn_model_info *info)
{
    for (int i = 0; i < info->attachments; ++i) {
        brn_attachment_info a;
        brn_body_info body, to;
        char gap[CLI_TEXT_SIZE];
        if (brn_model_get_attachment(model, i, &a) < 0 || brn_model_get_body(model, a.body, &body) < 0 ||
            brn_model_get_body(model, a.to, &to) < 0) {
            continue;
        }
        (void)printf("%s%s: %d node%s of %s welded to %s%s%s\n", i == 0 ? "\n" : "", a.name, a.node_count,
                     a.node_count == 1 ? "" : "s", body.name, to.name, a.gap > 0.0 ? ", up to " : "",
                     a.gap > 0.0 ? cli_quantity(a.gap, "m away", gap) : "");
    }
}

static void print_connections(const brn_model *model, const brn_model_info *info)
{
    for (int i = 0; i < info->connections; ++i) {
        brn_connection_info c;
        brn_body_info body[2] = {{.name = "the world"}, {.name = "the world"}};
        char length[CLI_TEXT_SIZE] = "";
        if (brn_model_get_connection(model, i, &c) < 0) {
            return;
        }
        for (int k = 0; k < 2 && c.body[k] >= 0; ++k) {
            (void)brn_model_get_body(model, c.body[k], &body[k]);
        }
        (void)printf("%s%s: %s and %s, %s%s%s\n", i == 0 ? "\n" : "", c.name, body[0].name, body[1].name,
                     c.type, c.length > 0.0 ? " of " : "",
                     c.length > 0.0 ? cli_quantity(c.length, "m", length) : "");
    }
}

static void print_model(const brn_model_info *info)
{
    char mass[CLI_TEXT_SIZE], end[CLI_TEXT_SIZE];
    (void)printf("%s%s%s\n", cli_paint(stdout, CLI_BOLD),
                 info->title != NULL && info->title[0] != '\0' ? info->title : "(no title)",
                 cli_paint(stdout, CLI_PLAIN));
    (void)printf("  %-16s%s%s%s%s, integrator %s, %dD\n", "method", info->method,
                 info->method_why != NULL ? " (the scene names none, and " : "",
                 info->method_why != NULL ? info->method_why : "", info->method_why != NULL ? ")" : "",
                 info->integrator, info->dimension);
    (void)printf("  %-16s%d bod%s, %d nodes, %d elements, %d unknowns\n", "size", info->bodies,
                 info->bodies == 1 ? "y" : "ies", info->nodes, info->elements, info->dofs);
    (void)printf("  %-16s%s, %.4g %s\n", "mass, volume", cli_quantity(info->mass * 1e3, "g", mass),
                 info->volume, volume_unit(info->dimension));
    (void)printf("  %-16s%s in %.0f steps\n", "time", cli_quantity(info->end, "s", end),
                 info->step > 0.0 ? ceil(info->end / info->step - 1e-9) : 0.0);
}

/* The chosen step beside what the stiffness at rest suggests. */
static void print_steps(const brn_model_info *info, const step_estimate *steps)
{
    char text[CLI_TEXT_SIZE];
    (void)printf("  %-16s%s chosen\n", "step", cli_quantity(info->step, "s", text));
    if (!steps->known) {
        return;
    }
    if (isfinite(steps->resolving)) {
        (void)printf("  %-16s%s suggested: 20 steps in the period of the slowest vibration\n", "",
                     cli_quantity(steps->resolving, "s", text));
    }
    if (isfinite(steps->stable)) {
        (void)printf("  %-16s%s is the largest stable step of an explicit integrator\n", "",
                     cli_quantity(steps->stable, "s", text));
    }
}

/* The method's expected cost. */
static void print_cost(const brn_model_info *info, const brn_prediction *cost)
{
    char text[CLI_TEXT_SIZE], size[CLI_TEXT_SIZE];
    if (cost->flops > 0.0) {
        (void)printf("  %-16s%s and %s a linear solve, without contact\n", "cost",
                     cli_quantity(cost->flops, "flop", text), cli_quantity(cost->bytes, "B", size));
    }
    if (cost->step_min < info->step && cost->line_count == 0) {
        (void)printf("  %-16sabout %.3g steps, the shortest %s\n", cost->flops > 0.0 ? "" : "cost",
                     cost->steps, cli_quantity(cost->step_min, "s", text));
    }
}

/* "1.4 m/s", "3 to 5 um", "2.4e+07" */
static void write_range(const brn_predicted *line, char text[CLI_TEXT_SIZE])
{
    char lo[CLI_TEXT_SIZE], hi[CLI_TEXT_SIZE];
    const bool plain = strcmp(line->unit, "1") == 0;
    if (plain) {
        (void)snprintf(lo, sizeof lo, "%.3g", line->lo);
        (void)snprintf(hi, sizeof hi, "%.3g", line->hi);
    } else {
        (void)cli_quantity(line->lo, line->unit, lo);
        (void)cli_quantity(line->hi, line->unit, hi);
    }
    const bool one = strcmp(lo, hi) == 0;
    (void)snprintf(text, CLI_TEXT_SIZE, "%.20s%s%.20s", lo, one ? "" : " to ", one ? "" : hi);
}

/* What the method predicts of its own. */
static void print_predicted(const brn_prediction *cost)
{
    for (int i = 0; i < cost->line_count; ++i) {
        const brn_predicted *line = &cost->line[i];
        char value[CLI_TEXT_SIZE];
        write_range(line, value);
        (void)printf("  %-16s%-16s%s%s%s\n", i == 0 ? "predicted" : "", line->label, value,
                     line->note[0] != '\0' ? ", " : "", line->note);
    }
}

static bool is_explicit(const brn_model_info *info)
{
    return strcmp(info->integrator, "symplectic_euler") == 0;
}

/* The contact of the start, and how hard it pushes. */
static void print_start(const brn_model *model, const brn_start *start)
{
    char text[CLI_TEXT_SIZE];
    brn_body_info body;
    if (start->contacts == 0) {
        return;
    }
    (void)printf("  %-16s%d contact%s, smallest gap %s", "start", start->contacts,
                 start->contacts == 1 ? "" : "s", cli_quantity(start->gap_min, "m", text));
    if (start->body >= 0 && start->force > push_least * start->weight &&
        brn_model_get_body(model, start->body, &body) >= 0) {
        (void)printf("; %s is pushed by %s", body.name, cli_quantity(start->force, "N", text));
        if (start->weight > 0.0) {
            (void)printf(", %.3g of its weight", start->force / start->weight);
        }
    }
    (void)putchar('\n');
}

static int print_warnings(const brn_model *model, const brn_model_info *info, const step_estimate *steps)
{
    char text[CLI_TEXT_SIZE], other[CLI_TEXT_SIZE];
    int count = 0;
    if (!is_explicit(info) && strcmp(info->integrator, "variational") != 0 && steps->known &&
        info->step > steps->resolving) {
        cli_warning("time.step = %s does not resolve the vibrations; %s would (fine for quasi-static motion)",
                    cli_quantity(info->step, "s", text), cli_quantity(steps->resolving, "s", other));
        ++count;
    }
    for (int i = 0; i < info->bodies; ++i) {
        brn_body_info b;
        if (brn_model_get_body(model, i, &b) >= 0 && !is_copy(model, i, &b) && b.worst_element >= 0 &&
            !(b.worst_quality >= quality_poor)) {
            cli_warning(
                "body '%s': element %d is nearly degenerate (quality %.3f, 1 is best): accuracy and step "
                "suffer; remesh",
                b.name, b.worst_element, b.worst_quality);
            ++count;
        }
    }
    if (info->dofs == 0) {
        cli_warning("nothing can move: every node is fixed or there is no deformable body");
        ++count;
    }
    return count;
}

static int print_resolved(brn_ctx *ctx, brn_scene *scene)
{
    char *text = NULL;
    const brn_status status = brn_scene_write(scene, &text);
    if (status < 0) {
        cli_scene_print_problems(ctx, scene, status);
        return CLI_USAGE;
    }
    (void)fputs(text, stdout);
    brn_ctx_free(ctx, text);
    return CLI_DONE;
}

/* What a run would show or refuse; the exit code is the one that it would have. */
static int print_report(brn_ctx *ctx, const brn_model *model, int *warnings)
{
    char text[CLI_TEXT_SIZE], other[CLI_TEXT_SIZE];
    brn_model_info info;
    brn_start start;
    step_estimate steps = {0};
    brn_model_get_info(model, &info);
    const bool in_time = strcmp(info.integrator, "static") != 0; /* else no step is better than another */
    steps.known = in_time && brn_model_estimate_steps(ctx, model, &steps.stable, &steps.resolving) >= 0;
    if (in_time && !steps.known) {
        cli_warning("no step can be suggested: %s", brn_ctx_message(ctx));
        ++*warnings;
    }
    steps.cost_known = brn_model_predict(ctx, model, &steps.cost) >= 0;
    print_model(&info);
    print_steps(&info, &steps);
    if (steps.cost_known) {
        print_cost(&info, &steps.cost);
        print_predicted(&steps.cost);
    }
    char *choices = NULL;
    const brn_status status = brn_model_rehearse(ctx, model, &start, &choices);
    cli_print_lines("chosen", 16, choices);
    brn_ctx_free(ctx, choices);
    print_start(model, &start);
    print_bodies(model, &info);
    print_materials(model, &info);
    print_robots(model);
    print_attachments(model, &info);
    print_connections(model, &info);
    (void)fflush(stdout);
    if (status < 0) {
        cli_error("%s", brn_ctx_message(ctx));
        return status == BRN_ERR_SCENE ? CLI_USAGE : CLI_FAILED;
    }
    if (is_explicit(&info) && steps.known && info.step > steps.stable) {
        cli_error("time.step = %s is above the stable step %s of %s: the run will blow up",
                  cli_quantity(info.step, "s", text), cli_quantity(steps.stable, "s", other),
                  info.integrator);
        return CLI_FAILED;
    }
    *warnings += print_warnings(model, &info, &steps);
    if (*warnings == 0) {
        (void)printf("\n%sno problems%s\n", cli_paint(stdout, CLI_GREEN), cli_paint(stdout, CLI_PLAIN));
    }
    return CLI_DONE;
}

static int check_scene(brn_ctx *ctx, brn_scene *scene, const check_args *args, int *warnings)
{
    brn_model *model = NULL;
    const brn_status status = brn_model_compile(ctx, scene, &model);
    if (status < 0) {
        cli_scene_print_problems(ctx, scene, status);
        brn_model_destroy(model);
        return status == BRN_ERR_MEMORY ? CLI_FAILED : CLI_USAGE;
    }
    const int code = args->write ? print_resolved(ctx, scene) : print_report(ctx, model, warnings);
    brn_model_destroy(model);
    return code;
}

/* Warnings of the library. The choice of the method stands in the table. */
static void on_log(void *user, brn_log_level level, const char *message)
{
    int *warnings = user;
    if (level >= BRN_LOG_WARNING) {
        cli_warning("%s", message);
        ++*warnings;
    }
}

static int check_with(const check_args *args)
{
    char *path = cli_scene_path(args->scene.operand);
    brn_ctx_options options = brn_ctx_options_default();
    int warnings = 0;
    options.threads = args->threads;
    options.log = on_log;
    options.log_user = &warnings;
    brn_ctx *ctx = NULL;
    if (path == NULL || brn_ctx_create(&options, &ctx) < 0) {
        cli_error("out of memory");
        free(path);
        return CLI_FAILED;
    }
    brn_scene *scene = NULL;
    int code = cli_scene_open(ctx, &args->scene, path, &scene);
    if (code == CLI_DONE) {
        code = check_scene(ctx, scene, args, &warnings);
    }
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
    free(path);
    return code;
}

int cli_check(int argc, char **argv)
{
    check_args args = {0};
    const cli_option options[] = {
        {"method", 0, CLI_TEXT, "M", "contact method instead of the scene's; see 'brunt info methods'",
         &args.scene.method, 0, 0, NULL},
        {"set", 0, CLI_LIST, "PATH=VALUE", "override one value of the scene; may be repeated",
         &args.scene.set, 0, 0, NULL},
        {"write", 0, CLI_FLAG, NULL, "print the scene with every default written out instead", &args.write, 0,
         0, NULL},
        {"threads", 0, CLI_INT, "N", "worker threads, 0 = one per core", &args.threads, 0, 1024, NULL},
    };
    const cli_syntax syntax = {
        .command = "check",
        .summary = "A dry run. Lists everything wrong with a scene, each with file:line and what to write "
                   "instead, and what a\n"
                   "run would refuse or warn of at its start; for a good one, mass, volume, size and worst "
                   "element of every body,\n"
                   "a suitable time step, the values that the method chooses and the contact forces of the "
                   "start. The "
                   "exit code is the run's.",
        .operand = "SCENE",
        .operand_help = "scene file, or a folder with scene.yaml",
        .operands_min = 1,
        .options = options,
        .option_count = CLI_COUNT(options),
        .examples = "  brunt check scenes/cantilever\n"
                    "  brunt check beam.yaml --set materials.steel.young=2e11\n"
                    "  brunt check beam.yaml --write > resolved.yaml\n",
    };
    int code = cli_parse(&syntax, argc, argv, &args.scene.operand);
    if (code == CLI_PARSED) {
        code = check_with(&args);
    }
    cli_list_free(&args.scene.set);
    return code;
}
