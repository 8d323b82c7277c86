/* Method bbi: what a step takes, how it grows with elements in the air and with contacts on a floor, and what a factor that is kept saves. */
#include "bench.h"

#include "base/ctx.h"
#include "base/os.h"
#include "step/bbi/bbi.h"
#include "step/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 2048, SIZES = 4, SKIP = 6, STEPS = 12 };

/* A bar of 8 n x n x n cells that is struck and rings in the air. */
static void write_bar(char *text, int n)
{
    (void)snprintf(text, TEXT,
                   "brunt: 1\ngravity: [0, 0, -9.81]\ntime: {step: 1.0e-4, end: 1}\n"
                   "method: {type: bbi, flight: 0}\n"
                   "materials:\n  print: {type: neo_hookean, young: 0.65e9, poisson: 0.45, density: 1205, "
                   "damping: {beta: 1.64e-4}}\n"
                   "meshes:\n  bar: {box: {size: [0.08, 0.01, 0.01], cells: [%d, %d, %d], element: hex8}}\n"
                   "bodies:\n  - {name: bar, type: deformable, mesh: bar, material: print, "
                   "angular_velocity: [0, 40, 0]}\n"
                   "loads: [{body: bar, where: {face: +x}, force: [0, 0, 2], ramp: {from: 0, to: 2.0e-4}}]\n",
                   8 * n, n, n);
}

/* A slab of n x n x 2 cells that lies on the ground. */
static void write_slab(char *text, int n)
{
    (void)snprintf(text, TEXT,
                   "brunt: 1\ngravity: [0, 0, -9.81]\ntime: {step: 1.0e-3, end: 1}\nmethod: {type: bbi}\n"
                   "materials:\n  gum: {type: neo_hookean, young: 1.0e6, poisson: 0.4, density: 1000, "
                   "damping: {beta: 1.0e-3}}\n"
                   "meshes:\n  slab: {box: {size: [0.1, 0.1, 0.02], cells: [%d, %d, 2], element: hex8}}\n"
                   "bodies:\n  - {name: floor, type: static, shape: {plane: {}}}\n"
                   "  - {name: slab, type: deformable, mesh: slab, material: gum, position: [0, 0, 0.01], "
                   "velocity: [0.2, 0, 0]}\n"
                   "contact: {friction: 0.5}\n",
                   n, n);
}

typedef struct figures {
    bool never; /* keeps a factor */
    double cpu; /* [s] a step on one thread, median */
    double iterations, contacts;
    int elements, dofs;
} figures;

static brn_status run_steps(brn_sim *sim, const brn_model_info *info, void *arg)
{
    figures *f = arg;
    brn_bbi *bbi = sim->self;
    double cpu[STEPS];
    bbi->kept.never = f->never;
    f->elements = info->elements;
    f->dofs = info->dofs;
    for (int k = 0; k < SKIP + STEPS; ++k) {
        brn_report r;
        const double before = brn_thread_time();
        BRN_TRY(brn_sim_step(sim, &r));
        if (k >= SKIP) {
            cpu[k - SKIP] = brn_thread_time() - before;
            f->iterations += (double)r.iterations / STEPS;
            f->contacts += (double)r.contacts / STEPS;
        }
    }
    f->cpu = brn_bench_median(cpu, STEPS);
    return BRN_OK;
}

static brn_status measure(brn_bench *bench, const char *text, bool never, figures *f)
{
    *f = (figures){.never = never};
    return brn_bench_simulate(bench,
                              &(brn_bench_scene){.text = text, .threads = 1, .run = run_steps, .arg = f});
}

brn_status brn_bench_bbi_elements(brn_bench *bench)
{
    static const int cells[SIZES] = {4, 6, 8, 10};
    double time[SIZES] = {0};
    double size[SIZES] = {0};
    for (int k = 0; k < SIZES; ++k) {
        char text[TEXT];
        figures kept;
        figures own;
        write_bar(text, cells[k]);
        BRN_TRY(measure(bench, text, true, &own));
        BRN_TRY(measure(bench, text, false, &kept));
        BRN_TRY(brn_bench_add(bench, 1e3 * kept.cpu, "ms", "%d elements, CPU a step", kept.elements));
        BRN_TRY(brn_bench_add(bench, kept.iterations, "/step", "%d elements, iterations", kept.elements));
        BRN_TRY(
            brn_bench_add(bench, 1e3 * own.cpu, "ms", "%d elements, own factors, CPU a step", own.elements));
        BRN_TRY(brn_bench_add(bench, own.iterations, "/step", "%d elements, own factors, iterations",
                              own.elements));
        BRN_TRY(brn_bench_add(bench, own.cpu / kept.cpu, "x", "%d elements, own against kept", own.elements));
        time[k] = kept.cpu;
        size[k] = kept.elements;
    }
    return brn_bench_add(bench,
                         log(time[SIZES - 1] / time[SIZES - 2]) / log(size[SIZES - 1] / size[SIZES - 2]), "",
                         "exponent");
}

brn_status brn_bench_bbi_contacts(brn_bench *bench)
{
    static const int cells[SIZES] = {4, 8, 12, 16};
    double time[SIZES] = {0};
    double size[SIZES] = {0};
    for (int k = 0; k < SIZES; ++k) {
        char text[TEXT];
        figures f;
        write_slab(text, cells[k]);
        BRN_TRY(measure(bench, text, false, &f));
        BRN_TRY(brn_bench_add(bench, 1e3 * f.cpu, "ms", "%.0f contacts, %d dofs, CPU a step", f.contacts,
                              f.dofs));
        BRN_TRY(brn_bench_add(bench, f.iterations, "/step", "%.0f contacts, iterations", f.contacts));
        time[k] = f.cpu;
        size[k] = f.contacts;
    }
    return brn_bench_add(bench,
                         log(time[SIZES - 1] / time[SIZES - 2]) / log(size[SIZES - 1] / size[SIZES - 2]), "",
                         "exponent");
}
