/* The command around the cases: options, timing, printing. */
#include "bench.h"

#include "../cli/terminal/options.h"
#include "base/os.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIGURES_MAX = 256, FIGURE_NAME = 64, UNIT_SIZE = 24 };

typedef struct figure {
    char name[FIGURE_NAME], unit[UNIT_SIZE];
    double value;
} figure;

struct brn_bench {
    brn_ctx *ctx;
    int repeats;
    int threads; /* as requested; 0: not */
    const char *scenes;
    int count;
    figure figures[FIGURES_MAX];
};

typedef struct bench_args {
    cli_list wanted;
    bool list, json;
    int repeats, threads;
    const char *scenes;
} bench_args;

static const brn_bench_case cases[] = {
#define BENCH_CASE(suffix, name, description) {name, description, brn_bench_##suffix},
#include "cases.def"
#undef BENCH_CASE
};

/* ---- what a case uses ------------------------------------------------------------------------------------------- */

brn_ctx *brn_bench_ctx(brn_bench *bench)
{
    return bench->ctx;
}

int brn_bench_repeats(const brn_bench *bench)
{
    return bench->repeats;
}

int brn_bench_threads(const brn_bench *bench)
{
    return bench->threads;
}

const char *brn_bench_scenes(const brn_bench *bench)
{
    return bench->scenes;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- scenes ----------------------------------------------------------------------------------------------------------------- */

static brn_status open_scene(brn_bench *bench, brn_ctx *ctx, const brn_bench_scene *what, brn_scene **scene)
{
    char path[4096];
    if (what->folder == NULL) {
        BRN_TRY(brn_scene_parse(ctx, what->text, strlen(what->text), "bench", scene));
    } else {
        (void)snprintf(path, sizeof path, "%s/%s/scene.yaml", brn_bench_scenes(bench), what->folder);
        BRN_TRY(brn_scene_load(ctx, path, scene));
    }
    for (int i = 0; i < BRN_BENCH_SETS && what->set[i] != NULL; ++i) {
        BRN_TRY(brn_scene_set(*scene, what->set[i]));
    }
    return BRN_OK;
}

brn_status brn_bench_simulate(brn_bench *bench, const brn_bench_scene *what)
{
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = what->threads;
    brn_ctx *ctx = NULL;
    brn_scene *scene = NULL;
    brn_model *model = NULL;
    brn_sim *sim = NULL;
    brn_model_info info = {0};
    BRN_TRY(brn_ctx_create(&options, &ctx));
    brn_status status = open_scene(bench, ctx, what, &scene);
    if (status >= 0) {
        status = brn_model_compile(ctx, scene, &model);
    }
    if (status >= 0) {
        brn_model_get_info(model, &info);
        status = brn_sim_create(ctx, model, &sim);
    }
    if (status >= 0) {
        status = what->run(sim, &info, what->arg);
    }
    if (status < 0) {
        (void)brn_fail(brn_bench_ctx(bench), status, "%s", brn_ctx_message(ctx));
    }
    brn_sim_destroy(sim);
    brn_model_destroy(model);
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
    return status;
}

double brn_bench_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

brn_status brn_bench_measure(brn_bench *bench, brn_bench_fn fn, void *arg, brn_bench_timing *out)
{
    double wall[BRN_BENCH_REPEATS_MAX], cpu[BRN_BENCH_REPEATS_MAX];
    *out = (brn_bench_timing){.repeats = bench->repeats};
    BRN_TRY(fn(arg));
    for (int i = 0; i < bench->repeats; ++i) {
        const double wall_start = brn_wall_time(), cpu_start = brn_cpu_time();
        BRN_TRY(fn(arg));
        cpu[i] = brn_cpu_time() - cpu_start;
        wall[i] = brn_wall_time() - wall_start;
    }
    out->wall = brn_bench_median(wall, bench->repeats);
    out->cpu = brn_bench_median(cpu, bench->repeats);
    out->wall_min = wall[0];
    out->wall_max = wall[bench->repeats - 1];
    return BRN_OK;
}

brn_status brn_bench_add(brn_bench *bench, double value, const char *unit, const char *format, ...)
{
    if (bench->count >= FIGURES_MAX) {
        return brn_fail(bench->ctx, BRN_ERR_LIMIT, "a case has more than %d figures", FIGURES_MAX);
    }
    figure *f = &bench->figures[bench->count++];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(f->name, sizeof f->name, format, args);
    va_end(args);
    (void)snprintf(f->unit, sizeof f->unit, "%s", unit);
    f->value = value;
    return BRN_OK;
}

/* ---- printing --------------------------------------------------------------------------------------------------- */

static void print_json_text(const char *text)
{
    (void)putchar('"');
    for (; *text != '\0'; ++text) {
        if (*text == '"' || *text == '\\') {
            (void)putchar('\\');
        }
        (void)putchar((unsigned char)*text < ' ' ? ' ' : *text);
    }
    (void)putchar('"');
}

static void print_json_case(const brn_bench_case *c, const brn_bench *bench, double wall, double cpu,
                            bool first)
{
    (void)printf("%s\n    {\"name\": ", first ? "" : ",");
    print_json_text(c->name);
    (void)printf(", \"threads\": %d, \"wall_s\": %.6g, \"cpu_s\": %.6g, \"figures\": [",
                 brn_ctx_threads(bench->ctx), wall, cpu);
    for (int i = 0; i < bench->count; ++i) {
        const figure *f = &bench->figures[i];
        (void)printf("%s\n      {\"name\": ", i > 0 ? "," : "");
        print_json_text(f->name);
        if (isfinite(f->value)) {
            (void)printf(", \"value\": %.9g, \"unit\": ", f->value);
        } else {
            (void)printf(", \"value\": null, \"unit\": ");
        }
        print_json_text(f->unit);
        (void)putchar('}');
    }
    (void)printf("]}");
}

static void print_plain_case(const brn_bench_case *c, const brn_bench *bench, double wall, double cpu)
{
    (void)printf("%s: %s (%.2f s wall, %.2f s CPU)\n", c->name, c->description, wall, cpu);
    for (int i = 0; i < bench->count; ++i) {
        const figure *f = &bench->figures[i];
        if (isfinite(f->value)) {
            (void)printf("  %-48s %12.5g %s\n", f->name, f->value, f->unit);
        } else {
            (void)printf("  %-48s %12s %s\n", f->name, "-", f->unit);
        }
    }
    (void)putchar('\n');
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static bool is_wanted(const brn_bench_case *c, const cli_list *wanted)
{
    for (int i = 0; i < wanted->count; ++i) {
        if (strncmp(c->name, wanted->items[i], strlen(wanted->items[i])) == 0) {
            return true;
        }
    }
    return wanted->count == 0;
}

/* Every name given must be the beginning of a case's. */
static int check_wanted(const cli_list *wanted)
{
    const char *names[CLI_COUNT(cases)];
    for (int k = 0; k < CLI_COUNT(cases); ++k) {
        names[k] = cases[k].name;
    }
    for (int i = 0; i < wanted->count; ++i) {
        const cli_list one = {&wanted->items[i], 1};
        bool found = false;
        for (int k = 0; k < CLI_COUNT(cases); ++k) {
            found = found || is_wanted(&cases[k], &one);
        }
        if (!found) {
            const int near = cli_nearest(wanted->items[i], names, CLI_COUNT(cases));
            (void)fprintf(stderr, "brunt bench: no case begins with '%s'", wanted->items[i]);
            if (near >= 0) {
                (void)fprintf(stderr, ": did you mean '%s'?", names[near]);
            }
            (void)fprintf(stderr, "\n'brunt bench --list' lists them all\n");
            return CLI_USAGE;
        }
    }
    return CLI_PARSED;
}

static int run_case(const brn_bench_case *c, const bench_args *args, bool first)
{
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = args->threads;
    brn_bench *bench = calloc(1, sizeof *bench);
    if (bench == NULL || brn_ctx_create(&options, &bench->ctx) < 0) {
        (void)fprintf(stderr, "brunt bench: out of memory\n");
        free(bench);
        return CLI_FAILED;
    }
    bench->repeats = args->repeats;
    bench->threads = args->threads;
    bench->scenes = args->scenes;
    const double wall_start = brn_wall_time(), cpu_start = brn_cpu_time();
    const brn_status status = c->run(bench);
    const double wall = brn_wall_time() - wall_start, cpu = brn_cpu_time() - cpu_start;
    if (args->json) {
        print_json_case(c, bench, wall, cpu, first);
    } else {
        print_plain_case(c, bench, wall, cpu);
    }
    (void)fflush(stdout);
    if (status < 0) {
        const char *message = brn_ctx_message(bench->ctx);
        (void)fprintf(stderr, "brunt bench: %s: %s\n", c->name,
                      message[0] != '\0' ? message : brn_status_name(status));
    }
    brn_ctx_destroy(bench->ctx);
    free(bench);
    return status < 0 ? CLI_FAILED : CLI_DONE;
}

static int run_cases(const bench_args *args)
{
    int code = CLI_DONE;
    bool first = true;
    if (args->json) {
        (void)printf("{\n  \"version\": \"%s\", \"repeats\": %d,\n  \"cases\": [", BRN_VERSION,
                     args->repeats);
    }
    /* A case that fails does not stop the others. */
    for (int k = 0; k < CLI_COUNT(cases); ++k) {
        if (is_wanted(&cases[k], &args->wanted)) {
            const int one = run_case(&cases[k], args, first);
            code = one != CLI_DONE ? one : code;
            first = false;
        }
    }
    if (args->json) {
        (void)printf("\n  ]\n}\n");
    }
    return code;
}

static int bench_with(const bench_args *args)
{
    const int code = check_wanted(&args->wanted);
    if (code != CLI_PARSED) {
        return code;
    }
    if (!args->list) {
        return run_cases(args);
    }
    for (int k = 0; k < CLI_COUNT(cases); ++k) {
        if (is_wanted(&cases[k], &args->wanted)) {
            (void)printf("%-24s %s\n", cases[k].name, cases[k].description);
        }
    }
    return CLI_DONE;
}

int brn_bench_main(int argc, char **argv)
{
    bench_args args = {.repeats = 5, .scenes = "scenes"};
    const cli_option options[] = {
        {"list", 0, CLI_FLAG, NULL, "name the cases and run none", &args.list, 0, 0, NULL},
        {"case", 0, CLI_LIST, "C", "only the cases that begin with C; may be repeated", &args.wanted, 0, 0,
         NULL},
        {"json", 0, CLI_FLAG, NULL, "print JSON", &args.json, 0, 0, NULL},
        {"repeat", 0, CLI_INT, "N", "take the median of N timings (default 5)", &args.repeats, 1,
         BRN_BENCH_REPEATS_MAX, NULL},
        {"scenes", 0, CLI_TEXT, "DIR", "the gallery that scenes are taken from (default scenes)",
         &args.scenes, 0, 0, NULL},
        {"threads", 0, CLI_INT, "N", "worker threads, 0 = one per core", &args.threads, 0, 1024, NULL},
    };
    const cli_syntax syntax = {
        .command = "bench",
        .summary = "Measures this build on this machine: medians of repeats, the warm-up excluded.",
        .options = options,
        .option_count = CLI_COUNT(options),
        .examples = "  brunt bench --list\n"
                    "  brunt bench --case parallel --threads 4\n"
                    "  brunt bench --json > bench.json\n",
    };
    const char *operand = NULL;
    int code = cli_parse(&syntax, argc, argv, &operand);
    if (code == CLI_PARSED) {
        code = bench_with(&args);
    }
    cli_list_free(&args.wanted);
    return code;
}
