/* The public calls that join layers: compile a scene, start a simulation, estimate steps, print a scene, export. */
#include "api/check_method.h"
#include "api/check_plots.h"
#include "api/registry.h"
#include "api/report.h"
#include "base/os.h"
#include "base/rng.h"
#include "output/export/export.h"
#include "step/modal.h"
#include "step/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static brn_status resolve(brn_ctx *ctx, brn_scene *scene)
{
    brn_registry registry;
    brn_registry_fill(&registry);
    const brn_status status = brn_scene_resolve(scene, &registry.schema);
    if (status < 0 && status != BRN_ERR_SCENE) {
        return status;
    }
    /* The build would find bad names too, but it does not start on a scene with other problems. */
    if (status == BRN_ERR_SCENE && brn_scene_get_def(scene) != NULL) {
        brn_model_check_names(scene);
    }
    if (brn_scene_get_def(scene) != NULL) {
        BRN_TRY(brn_choose_method(scene, &registry.schema));
    }
    if (brn_scene_get_def(scene) != NULL) {
        brn_check_method(scene, brn_method_of_table(brn_scene_get_def(scene)->method.table));
    }
    if (brn_scene_problem_count(scene) > 0) {
        return brn_fail(ctx, BRN_ERR_SCENE, "%s", brn_scene_problem(scene, 0));
    }
    return BRN_OK;
}

brn_status brn_model_compile(brn_ctx *ctx, brn_scene *scene, brn_model **out)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, scene);
    BRN_GIVEN(ctx, out);
    *out = NULL;
    BRN_TRY(resolve(ctx, scene));
    brn_model *model = NULL;
    BRN_TRY(brn_model_build(ctx, scene, &model));
    const brn_status status = brn_check_plots(scene, model);
    if (status < 0) {
        brn_model_destroy(model);
        return status;
    }
    *out = model;
    return BRN_OK;
}

brn_status brn_scene_write(brn_scene *scene, char **text)
{
    BRN_GIVEN(NULL, scene);
    BRN_GIVEN(brn_scene_ctx(scene), text);
    *text = NULL;
    BRN_TRY(resolve(brn_scene_ctx(scene), scene));
    brn_registry registry;
    brn_registry_fill(&registry);
    return brn_scene_print(scene, &registry.schema, text);
}

brn_status brn_sim_create(brn_ctx *ctx, const brn_model *model, brn_sim **out)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, model);
    BRN_GIVEN(ctx, out);
    return brn_sim_create_with(ctx, model, brn_method_of_table(model->method), out);
}

/* ---- suggested steps --------------------------------------------------------------------------------------------------- */

/* Largest eigenvalue of M^-1 K on the free dofs by power iteration, with the lumped row sums of M made positive: an
   estimate from below that 60 iterations bring within a percent or two. */
static brn_status largest_eigenvalue(brn_system *s, double *v, double *w, double *out)
{
    enum { ITERATIONS = 60 };
    brn_rng rng = {1};
    double lambda = 0.0;
    for (int i = 0; i < s->ndof; ++i) {
        v[i] = s->model->fixed[i] ? 0.0 : brn_rng_uniform(&rng, -1.0, 1.0);
    }
    for (int k = 0; k < ITERATIONS; ++k) {
        double norm = 0.0;
        for (int i = 0; i < s->ndof; ++i) {
            norm += v[i] * v[i];
        }
        norm = sqrt(norm);
        if (!(norm > 0.0)) {
            break;
        }
        for (int i = 0; i < s->ndof; ++i) {
            v[i] /= norm;
        }
        BRN_TRY(brn_block_matrix_multiply(s->matrix, v, w));
        memset(v, 0, (size_t)s->ndof * sizeof *v); /* held dofs have no acceleration */
        BRN_TRY(brn_system_mass_solve(s, w, v));
        double top = 0.0;
        for (int i = 0; i < s->ndof; ++i) {
            top += v[i] * v[i];
        }
        lambda = sqrt(top); /* |M^-1 K v| with |v| = 1 */
    }
    *out = lambda;
    return BRN_OK;
}

/* The bodies to find modes of: copies vibrate like the first of them, so the others are held. Adds the number of rigid motions
   left and of dofs. */
static void hold_copies(const brn_model *model, unsigned char *held, int *rigid, int *nfree)
{
    const int dim = model->dim;
    const int ndof = model->nrow * dim;
    memcpy(held, model->fixed, (size_t)ndof);
    for (int n = 0; n < model->nbody; ++n) {
        const brn_body *body = &model->body[n];
        if (n > model->source[body->source].first) {
            for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
                if (model->node_row[a] >= 0) {
                    memset(&held[model->node_row[a] * dim], BRN_DOF_HELD, (size_t)dim);
                }
            }
        } else {
            *rigid += body->type == BRN_BODY_STATIC ? 0 : dim == 3 ? 6 : 3;
        }
    }
    for (int i = 0; i < ndof; ++i) {
        *nfree += held[i] == BRN_DOF_FREE;
    }
}

/* The first of the modes that something resists; 0: none. */
static brn_status first_elastic(brn_system *s, const brn_modes *modes, double *out)
{
    double *work = NULL;
    BRN_TAKE(brn_ctx_arena(s->ctx), work, s->ndof);
    for (int i = 0; i < modes->count && *out == 0.0; ++i) {
        brn_mode_kind kind = BRN_MODE_LOOSE;
        const double *shape = &modes->shape[(size_t)i * (size_t)modes->ndof];
        BRN_TRY(brn_mode_classify(s->matrix, NULL, modes->lambda[i], shape, work, &kind));
        *out = kind == BRN_MODE_ELASTIC ? modes->lambda[i] : 0.0;
    }
    return BRN_OK;
}

/* Lowest eigenvalue that is not a rigid motion. */
static brn_status lowest_elastic(brn_system *s, double *out)
{
    int rigid = 0;
    int nfree = 0;
    unsigned char *held = NULL;
    BRN_TAKE(brn_ctx_arena(s->ctx), held, s->ndof);
    hold_copies(s->model, held, &rigid, &nfree);
    const int wanted = rigid + 1 < nfree / 2 ? rigid + 1 : nfree / 2;
    *out = 0.0;
    if (wanted < 1) {
        return BRN_OK;
    }
    brn_block_matrix *mass = NULL;
    brn_modes *modes = NULL;
    brn_status status = brn_modal_mass(s, true, &mass);
    status = status >= 0 ? brn_modes_find(s->ctx, s->matrix, mass, held, wanted, 1e-4, &modes) : status;
    brn_block_matrix_destroy(mass);
    status = status >= 0 ? first_elastic(s, modes, out) : status;
    brn_modes_destroy(modes);
    return status;
}

static brn_status estimate(brn_system *s, double *stable, double *resolving)
{
    const double pi = 3.14159265358979323846;
    brn_arena *arena = brn_ctx_arena(s->ctx);
    double *v = NULL;
    double *w = NULL;
    double high = 0.0;
    double low = 0.0;
    BRN_TAKE(arena, v, s->ndof);
    BRN_TAKE(arena, w, s->ndof);
    brn_block_matrix_zero(s->matrix);
    BRN_TRY(brn_system_elastic(s, &s->model->rest[0][0], BRN_TANGENT_PROJECTED, NULL, NULL, s->matrix));
    brn_system_condense(s, s->matrix);
    BRN_TRY(largest_eigenvalue(s, v, w, &high));
    BRN_TRY(lowest_elastic(s, &low));
    *stable = high > 0.0 ? 2.0 / sqrt(high) : INFINITY;
    *resolving = low > 0.0 ? 2.0 * pi / sqrt(low) / 20.0 : INFINITY;
    return BRN_OK;
}

brn_status brn_model_estimate_steps(brn_ctx *ctx, const brn_model *model, double *stable, double *resolving)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, model);
    BRN_GIVEN(ctx, stable);
    BRN_GIVEN(ctx, resolving);
    brn_system *system = NULL;
    *stable = INFINITY;
    *resolving = INFINITY;
    BRN_TRY(brn_system_create(ctx, model, &system));
    brn_arena *arena = brn_ctx_arena(ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = estimate(system, stable, resolving);
    brn_arena_rewind(arena, mark);
    brn_system_destroy(system);
    return status;
}

brn_status brn_model_predict(brn_ctx *ctx, const brn_model *model, brn_prediction *out)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, model);
    BRN_GIVEN(ctx, out);
    brn_system *system = NULL;
    *out = (brn_prediction){.step_min = model->step};
    BRN_TRY(brn_system_create(ctx, model, &system));
    const brn_status status = brn_method_of_table(model->method)->predict(model, system, out);
    brn_system_destroy(system);
    return status;
}

brn_status brn_sim_choices(const brn_sim *sim, bool brief, char **text)
{
    BRN_GIVEN(NULL, sim);
    BRN_GIVEN(sim->ctx, text);
    brn_text lines = {.ctx = sim->ctx};
    brn_text_add(&lines, "%s", "");
    const brn_status status =
        sim->method->choices != NULL ? sim->method->choices(sim->self, brief, &lines) : BRN_OK;
    if (status < 0) {
        brn_text_clear(&lines);
        return status;
    }
    return brn_text_take(&lines, text);
}

/* ---- exports ---------------------------------------------------------------------------------------------------------- */

brn_export_options brn_export_options_default(void)
{
    return (brn_export_options){.format = "vtu", .every = 1, .size_mb = BRN_REPORT_MB};
}

/* out: the file, or the folder of a report.html; NULL: in the run's folder. */
static brn_status export_html(brn_ctx *ctx, const char *run_dir, const brn_export_options *options,
                              int *files)
{
    char path[4096];
    const char *out = options->out;
    const bool named = out != NULL && strcmp(brn_path_extension(out), "html") == 0;
    if (snprintf(path, sizeof path, "%s%s", out != NULL ? out : run_dir, named ? "" : "/report.html") >=
        (int)sizeof path) {
        return brn_fail(ctx, BRN_ERR_FILE, "%s: path too long", run_dir);
    }
    brn_view *view = NULL;
    brn_lock *lock = NULL;
    BRN_TRY(brn_view_open(ctx, run_dir, &view));
    brn_status status = named ? BRN_OK : brn_lock_take(ctx, out != NULL ? out : run_dir, &lock);
    status = status >= 0 ? brn_page_write(ctx, &view, 1, path, options->every, options->size_mb) : status;
    brn_lock_release(lock);
    brn_view_close(view);
    *files = status >= 0;
    return status;
}

brn_status brn_export(brn_ctx *ctx, const char *run_dir, const brn_export_options *options, int *files)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, run_dir);
    BRN_GIVEN(ctx, options);
    BRN_GIVEN(ctx, options->format);
    BRN_GIVEN(ctx, files);
    static const struct {
        const char *format;
        brn_status (*write)(brn_ctx *, brn_playback *, const char *, int, int *);
    } writers[] = {
        {"vtu", brn_export_vtu}, {"obj", brn_export_obj}, {"csv", brn_export_csv}, {"gltf", brn_export_gltf}};
    int chosen = -1;
    for (int i = 0; i < BRN_COUNT(writers); ++i) {
        chosen = strcmp(options->format, writers[i].format) == 0 ? i : chosen;
    }
    *files = 0;
    if (strcmp(options->format, "html") == 0) {
        return export_html(ctx, run_dir, options, files);
    }
    if (chosen < 0) {
        return brn_fail(ctx, BRN_ERR_RANGE, "format '%s': must be vtu, obj, csv, gltf or html",
                        options->format);
    }
    if (options->every < 1) {
        return brn_fail(ctx, BRN_ERR_RANGE, "every = %d: must be >= 1", options->every);
    }
    char trajectory[4096];
    char dir[4096];
    if (snprintf(trajectory, sizeof trajectory, "%s/trajectory.h5", run_dir) >= (int)sizeof trajectory ||
        snprintf(dir, sizeof dir, "%s/%s", run_dir, options->format) >= (int)sizeof dir) {
        return brn_fail(ctx, BRN_ERR_FILE, "%s: path too long", run_dir);
    }
    const char *out = options->out != NULL ? options->out : dir;
    brn_playback *playback = NULL;
    brn_lock *lock = NULL;
    BRN_TRY(brn_playback_open(ctx, trajectory, &playback));
    brn_status status = brn_lock_take(ctx, out, &lock);
    status = status >= 0 ? writers[chosen].write(ctx, playback, out, options->every, files) : status;
    brn_lock_release(lock);
    brn_playback_close(playback);
    return status;
}
