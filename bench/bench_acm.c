/* Method acm: events a second with and without contact, on one thread and on two, and what detection takes of it. */
#include "bench.h"

#include "base/ctx.h"
#include "base/os.h"

#include <stdio.h>
#include <string.h>

enum { SETS = 2 };

typedef struct acm_row {
    const char *scene; /* folder of the gallery; NULL: text */
    const char *text;
    const char *set[SETS]; /* NULL: none */
} acm_row;

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

static brn_status open_scene(brn_bench *bench, brn_ctx *ctx, const acm_row *row, brn_scene **scene)
{
    char path[4096];
    if (row->scene == NULL) {
        return brn_scene_parse(ctx, row->text, strlen(row->text), "bench", scene);
    }
    (void)snprintf(path, sizeof path, "%s/%s/scene.yaml", brn_bench_scenes(bench), row->scene);
    BRN_TRY(brn_scene_load(ctx, path, scene));
    for (int i = 0; i < SETS && row->set[i] != NULL; ++i) {
        BRN_TRY(brn_scene_set(*scene, row->set[i]));
    }
    return BRN_OK;
}

static brn_status run_steps(brn_sim *sim, figures *f)
{
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

static brn_status measure(brn_bench *bench, const acm_row *row, int threads, figures *f)
{
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = threads;
    brn_ctx *ctx = NULL;
    brn_scene *scene = NULL;
    brn_model *model = NULL;
    brn_sim *sim = NULL;
    *f = (figures){0};
    BRN_TRY(brn_ctx_create(&options, &ctx));
    brn_status status = open_scene(bench, ctx, row, &scene);
    if (status >= 0) {
        status = brn_model_compile(ctx, scene, &model);
    }
    if (status >= 0) {
        status = brn_sim_create(ctx, model, &sim);
    }
    if (status >= 0) {
        status = run_steps(sim, f);
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

static brn_status add_row(brn_bench *bench, const acm_row *row)
{
    figures one;
    figures two;
    BRN_TRY(measure(bench, row, 1, &one));
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
    BRN_TRY(measure(bench, row, 2, &two));
    BRN_TRY(brn_bench_add(bench, 1e-6 * events / two.wall, "million/s", "events, 2 threads, by wall time"));
    return brn_bench_add(bench, one.wall / two.wall, "x", "2 threads against 1, wall");
}

brn_status brn_bench_acm_sheet(brn_bench *bench)
{
    return add_row(bench, &(acm_row){.text = sheet});
}

brn_status brn_bench_acm_sphere_plate(brn_bench *bench)
{
    return add_row(bench,
                   &(acm_row){.scene = "sphere-plate", .set = {"time.end=2.0e-4", "time.step=2.0e-5"}});
}
