/* Method acm: events a second with and without contact, on one thread and on two, and what detection takes of it. */
#include "bench.h"

#include "base/ctx.h"
#include "base/os.h"

typedef struct figures {
    double cpu, wall; /* [s] of all steps; cpu of the calling thread */
    double events, contact_events, windows, rollbacks;
    double detection, total; /* [s] of phases */
} figures;

static const char sheet[] =
    "brunt: 1\ngravity: [0, 0, -9.81]\ntime: {step: 1.0e-3, end: 1.0e-2}\nmethod: {type: acm}\n"
    "materials:\n  cotton: {type: stvk, young: 8.0e5, poisson: 0.3, density: 400}\n"
    "meshes:\n  cloth: {grid: {size: [1.0, 1.0], cells: [100, 100]}}\n"
    "bodies:\n  - {name: cloth, type: shell, mesh: cloth, material: cotton, thickness: 1.0e-3, plate: "
    "hinge}\n";

static brn_status run_steps(brn_sim *sim, const brn_model_info *info, void *arg)
{
    figures *f = arg;
    (void)info;
    *f = (figures){0};
    while (!brn_sim_done(sim)) {
        brn_report r;
        const double before = brn_thread_time();
        BRN_TRY(brn_sim_step(sim, &r));
        const brn_phases *p = &r.phases;
        f->cpu += brn_thread_time() - before;
        f->wall += r.wall;
        f->events += r.own[0];
        f->contact_events += r.own[1];
        f->windows += r.own[4];
        f->rollbacks += r.own[5];
        f->detection += p->candidates + p->ccd;
        f->total += p->assembly + p->candidates + p->ccd + p->intersection + p->contact + p->other;
    }
    return BRN_OK;
}

static brn_status add_row(brn_bench *bench, brn_bench_scene scene)
{
    figures one;
    figures two;
    scene.threads = 1;
    scene.run = run_steps;
    scene.arg = &one;
    BRN_TRY(brn_bench_simulate(bench, &scene));
    const double events = one.events + one.contact_events;
    BRN_TRY(brn_bench_add(bench, 1e-6 * events, "million", "events"));
    BRN_TRY(brn_bench_add(bench, 100.0 * one.contact_events / events, "%", "of contact"));
    BRN_TRY(brn_bench_add(bench, 1e-6 * events / one.cpu, "million/s", "events, 1 thread, by CPU time"));
    BRN_TRY(brn_bench_add(bench, 100.0 * one.detection / one.total, "%", "detection"));
    BRN_TRY(brn_bench_add(bench, one.windows, "", "windows"));
    BRN_TRY(brn_bench_add(bench, one.rollbacks, "", "rollbacks"));
    if (brn_bench_threads(bench) == 1) {
        return BRN_OK;
    }
    scene.threads = 2;
    scene.arg = &two;
    BRN_TRY(brn_bench_simulate(bench, &scene));
    BRN_TRY(brn_bench_add(bench, 1e-6 * events / two.wall, "million/s", "events, 2 threads, by wall time"));
    return brn_bench_add(bench, one.wall / two.wall, "x", "2 threads against 1, wall");
}

brn_status brn_bench_acm_sheet(brn_bench *bench)
{
    return add_row(bench, (brn_bench_scene){.text = sheet});
}

brn_status brn_bench_acm_sphere_plate(brn_bench *bench)
{
    return add_row(
        bench, (brn_bench_scene){.folder = "sphere-plate", .set = {"time.end=2.0e-4", "time.step=2.0e-5"}});
}
