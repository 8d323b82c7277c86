/* Method sap: what a step takes and where it goes [Han, Masterjohn, Castro 2023, figure 2], on one thread and on two, and how it grows
   with dofs and with contacts. */
#include "bench.h"

#include "base/ctx.h"
#include "base/os.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS_MAX = 400, TEXT = 2048, SIZES = 4, PARTS = 5 };

static const char *const part_names[PARTS] = {"geometry", "elements", "factor", "solver", "other"};

typedef struct sap_row {
    const char *scene; /* folder of the gallery; NULL: text */
    const char *text;
    double step, end; /* [s] */
    int skip;         /* steps before those that count */
} sap_row;

typedef struct figures {
    int skip; /* steps before those that count */
    int steps;
    double cpu, mean; /* [s] a step on one thread: median, mean */
    double wall;      /* [s] a step, mean */
    double solve;     /* [s] of the convex problem, median */
    double part[PARTS], iterations, contacts;
    int dofs;
} figures;

/* ---- scenes ----------------------------------------------------------------------------------------------------------------- */

/* Columns of boxes on the ground, each layer a little aside of the one below. */
static void write_wall(char *text, int columns, int layers)
{
    (void)snprintf(text, TEXT,
                   "brunt: 1\ngravity: [0, 0, -9.81]\ntime: {step: 0.01, end: 0.6}\nmethod: {type: sap}\n"
                   "bodies:\n"
                   "  - {name: floor, type: static, shape: {plane: {}}}\n"
                   "  - name: wall\n    type: rigid\n    shape: {box: {size: [0.2, 0.1, 0.06]}}\n"
                   "    density: 1800\n    position: [0, 0, 0.03]\n"
                   "    repeat: {count: [%d, 1, %d], spacing: [0.201, 0, 0.06], stagger: [0.06, 0, 0]}\n"
                   "contact: {friction: 0.6, self: false}\n",
                   columns, layers);
}

/* A cube of n^3 hexahedra, six tets each, on the ground. */
static void write_cube(char *text, int n)
{
    (void)snprintf(
        text, TEXT,
        "brunt: 1\ngravity: [0, 0, -9.81]\ntime: {step: 0.01, end: 0.6}\nmethod: {type: sap}\n"
        "materials:\n  foam: {type: corotated_linear, young: 1.0e5, poisson: 0.3, density: 1000, "
        "damping: {beta: 0.01}}\n"
        "meshes:\n  cube: {box: {size: [0.2, 0.2, 0.2], cells: [%d, %d, %d], element: tet4}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, shape: {plane: {}}}\n"
        "  - {name: cube, type: deformable, mesh: cube, material: foam, position: [0, 0, 0.1005]}\n"
        "contact: {friction: 0.5, self: false}\n",
        n, n, n);
}

static const char crates[] =
    "brunt: 1\ngravity: [0, 0, -9.81]\ntime: {step: 0.01, end: 2.5}\nseed: 1\nmethod: {type: sap}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {}}}\n"
    "  - name: crate\n    type: rigid\n    shape: {box: {size: [0.2, 0.2, 0.2]}}\n    density: 500\n"
    "    position: [-0.2, -0.2, 0.3]\n"
    "    repeat: {count: [3, 2, 10], spacing: [0.36, 0.36, 0.36], jitter: {position: 0.02, rotation: 30}}\n"
    "contact: {friction: 0.5, self: false}\n";

/* ---- measuring -------------------------------------------------------------------------------------------------------------- */

static brn_status run_steps(brn_sim *sim, const brn_model_info *info, void *arg)
{
    figures *f = arg;
    double cpu[STEPS_MAX];
    double solve[STEPS_MAX];
    double sum = 0.0;
    for (int k = 0; f->steps < STEPS_MAX && !brn_sim_done(sim); ++k) {
        brn_report r;
        const double before = brn_thread_time();
        BRN_TRY(brn_sim_step(sim, &r));
        if (k < f->skip) {
            continue;
        }
        const brn_phases *p = &r.phases;
        const double part[PARTS] = {p->candidates, p->assembly, p->symbolic + p->factor,
                                    p->contact + p->solve + p->search, p->other};
        cpu[f->steps] = brn_thread_time() - before;
        solve[f->steps] = part[2] + part[3];
        f->mean += cpu[f->steps++];
        f->wall += r.wall;
        f->iterations += r.iterations;
        f->contacts += r.contacts;
        for (int i = 0; i < PARTS; ++i) {
            f->part[i] += part[i];
            sum += part[i];
        }
    }
    f->dofs = info->dofs;
    f->cpu = brn_bench_median(cpu, f->steps);
    f->solve = brn_bench_median(solve, f->steps);
    f->mean /= f->steps;
    f->wall /= f->steps;
    f->iterations /= f->steps;
    f->contacts /= f->steps;
    for (int i = 0; i < PARTS; ++i) {
        f->part[i] /= sum;
    }
    return BRN_OK;
}

static brn_status measure(brn_bench *bench, const sap_row *row, int threads, figures *f)
{
    char end[64];
    (void)snprintf(end, sizeof end, "time.end=%g", row->end);
    brn_bench_scene scene = {
        .folder = row->scene, .text = row->text, .threads = threads, .run = run_steps, .arg = f};
    if (row->scene != NULL) {
        scene.set[0] = "method={type: sap}";
        scene.set[1] = end;
    }
    *f = (figures){.skip = row->skip};
    return brn_bench_simulate(bench, &scene);
}

/* ---- cases ------------------------------------------------------------------------------------------------------------------ */

static brn_status add_row(brn_bench *bench, const sap_row *row)
{
    figures f;
    figures two;
    BRN_TRY(measure(bench, row, 1, &f));
    BRN_TRY(brn_bench_add(bench, f.dofs, "", "dofs"));
    BRN_TRY(brn_bench_add(bench, f.contacts, "/step", "contacts"));
    BRN_TRY(brn_bench_add(bench, f.iterations, "/step", "iterations"));
    BRN_TRY(brn_bench_add(bench, 1e3 * f.cpu, "ms", "CPU a step, median"));
    BRN_TRY(brn_bench_add(bench, 1e3 * f.mean, "ms", "CPU a step, mean"));
    BRN_TRY(brn_bench_add(bench, 1e3 * f.solve, "ms", "convex problem a step, median"));
    BRN_TRY(brn_bench_add(bench, row->step / f.mean, "x real time", "speed"));
    for (int i = 0; i < PARTS; ++i) {
        BRN_TRY(brn_bench_add(bench, 100.0 * f.part[i], "%", "%s", part_names[i]));
    }
    if (brn_bench_threads(bench) == 1) {
        return BRN_OK;
    }
    BRN_TRY(measure(bench, row, 2, &two));
    return brn_bench_add(bench, f.wall / two.wall, "x", "2 threads against 1, wall");
}

brn_status brn_bench_sap_arch(brn_bench *bench)
{
    return add_row(bench, &(sap_row){.scene = "arch", .step = 0.04, .end = 16.0, .skip = 100});
}

brn_status brn_bench_sap_wall(brn_bench *bench)
{
    char text[TEXT];
    write_wall(text, 10, 10);
    return add_row(bench, &(sap_row){.text = text, .step = 0.01, .skip = 10});
}

brn_status brn_bench_sap_crates(brn_bench *bench)
{
    return add_row(bench, &(sap_row){.text = crates, .step = 0.01});
}

brn_status brn_bench_sap_soft(brn_bench *bench)
{
    char text[TEXT];
    write_cube(text, 9);
    return add_row(bench, &(sap_row){.text = text, .step = 0.01, .skip = 15});
}

/* Time of a step at rest against a size, and the exponent between the last two. */
static brn_status add_growth(brn_bench *bench, const char *what, bool contacts, char text[SIZES][TEXT])
{
    double size[SIZES];
    double time[SIZES];
    for (int k = 0; k < SIZES; ++k) {
        figures f;
        BRN_TRY(measure(bench, &(sap_row){.text = text[k], .step = 0.01, .skip = 15}, 1, &f));
        size[k] = contacts ? f.contacts : f.dofs;
        time[k] = f.cpu;
        BRN_TRY(brn_bench_add(bench, 1e3 * f.cpu, "ms", "%s, %.0f %s, CPU a step", what, size[k],
                              contacts ? "contacts" : "dofs"));
    }
    return brn_bench_add(bench,
                         log(time[SIZES - 1] / time[SIZES - 2]) / log(size[SIZES - 1] / size[SIZES - 2]), "",
                         "%s, exponent", what);
}

brn_status brn_bench_sap_growth(brn_bench *bench)
{
    static const int cells[SIZES] = {4, 6, 9, 13};
    static const int columns[SIZES] = {5, 10, 20, 40};
    char text[SIZES][TEXT];
    for (int k = 0; k < SIZES; ++k) {
        write_cube(text[k], cells[k]);
    }
    BRN_TRY(add_growth(bench, "soft cube", false, text));
    for (int k = 0; k < SIZES; ++k) {
        write_wall(text[k], columns[k], 10);
    }
    return add_growth(bench, "wall", true, text);
}
