/* Dynamics-aware coarsening: D. Chen, D. Levin, W. Matusik, D. Kaufman, "Dynamics-aware numerical coarsening for fabrication design",
   ACM Trans. Graph. 36 (2017). Frequencies scale with the root of the moduli, all by the same factor, so that one factor

       E_coarse = E lambda_target / lambda_1(coarse, E)

   makes the first of them right; how near the others come is measured and told. A ring-down exp(-d t) cos(2 pi f t) has
   lambda = (2 pi f)^2 + d^2 and, damped by beta K alone, beta = 2 d / lambda. */
#include "study/coarsen.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

brn_coarsen_options brn_coarsen_options_default(void)
{
    return (brn_coarsen_options){.change = 0.01, .shape = 0.05, .spread = 0.05, .limit = 1e5};
}

void brn_coarsening_destroy(brn_coarsening *c)
{
    if (c == NULL) {
        return;
    }
    for (int i = 0; i < c->result.changes; ++i) {
        brn_free(c->ctx, c->change[i]);
    }
    for (int i = 0; i < 2; ++i) {
        brn_free(c->ctx, c->moved[i]);
        brn_free(c->ctx, c->triangle[i]);
    }
    brn_sample_destroy(c->fine);
    brn_sample_destroy(c->coarse);
    brn_match_destroy(c->match);
    brn_free(c->ctx, c->body);
    brn_free(c->ctx, c);
}

/* ---- modes before and after ------------------------------------------------------------------------------------------------- */

/* Order of convergence from three meshes, each finer by 2; NaN: not monotone. */
static double order_of(double coarse, double middle, double fine)
{
    const double ratio = (coarse - middle) / (middle - fine);
    return ratio > 0.0 ? log2(ratio) : NAN;
}

/* [Hz] to cells of no size. Theory has order 2; what is measured replaces it within reason. */
static double extrapolate(const brn_coarsening *c, int mode, double *order)
{
    const brn_coarsen_level *fine = &c->level[c->result.fine];
    *order = NAN;
    if (c->result.fine < 1) {
        return NAN;
    }
    if (c->result.fine >= 2) {
        *order = order_of(fine[-2].frequency[mode], fine[-1].frequency[mode], fine->frequency[mode]);
    }
    const double p = *order >= 1.0 && *order <= 4.0 ? *order : 2.0;
    return fine->frequency[mode] + (fine->frequency[mode] - fine[-1].frequency[mode]) / (pow(2.0, p) - 1.0);
}

static void compare_modes(brn_coarsening *c)
{
    brn_coarsen_result *r = &c->result;
    const brn_coarsen_level *coarse = &c->level[r->coarse];
    int counted = 0;
    r->modes = c->match->modes;
    for (int i = 0; i < r->modes; ++i) {
        brn_coarsen_mode *mode = &c->mode[i];
        double order = NAN;
        mode->fine = c->level[r->fine].frequency[i];
        mode->extrapolated = extrapolate(c, i, &order);
        r->order = i == 0 ? order : r->order;
        mode->before = sqrt(c->match->lambda[i]) / (2.0 * pi); /* NaN stays */
        mode->after = mode->before * sqrt(r->scale);
        mode->error_before = mode->before / mode->fine - 1.0;
        mode->error_after = mode->after / mode->fine - 1.0;
        mode->alike = c->match->alike[i];
        mode->distance = i < BRN_COARSEN_SHAPES ? coarse->distance[i] : NAN;
        r->distance = i < BRN_COARSEN_SHAPES ? fmax(r->distance, mode->distance) : r->distance;
        if (!isnan(mode->before)) {
            r->error_before += fabs(mode->error_before);
            r->error_after += fabs(mode->error_after);
            ++counted;
        }
    }
    r->error_before /= counted;
    r->error_after /= counted;
}

/* ---- the target --------------------------------------------------------------------------------------------------------------- */

static brn_status find_scale(brn_coarsen_work *w)
{
    brn_coarsening *c = w->out;
    const brn_coarsen_options *o = w->options;
    double own = c->match->lambda[0];
    c->result.lambda = brn_sample_mode(c->fine, 0).lambda;
    if (o->load) {
        return BRN_OK; /* the search has done it */
    }
    if (o->frequency > 0.0) {
        const double omega = 2.0 * pi * o->frequency;
        c->result.lambda = omega * omega + o->decay * o->decay;
        c->result.beta = 2.0 * o->decay / c->result.lambda;
    }
    if (o->frequency > 0.0 && o->held) {
        brn_sample *held = NULL;
        brn_sample *other = NULL;
        /* The scene must be at the coarse mesh: the last one tried need not be it. */
        brn_status status = brn_coarsen_try(w, c->level[c->result.coarse].size, false, &other);
        brn_sample_destroy(other);
        c->result.levels -= status >= 0 && other != NULL;
        status = status >= 0 ? brn_sample_make(w->ctx, w->scene, w->knobs.body, 1, true, &held) : status;
        BRN_TRY(status);
        own = held->elastic > 0 ? brn_sample_mode(held, 0).lambda : NAN;
        brn_sample_destroy(held);
    }
    c->result.scale = c->result.lambda / own;
    if (!(c->result.scale > 0.0) || !isfinite(c->result.scale)) {
        return brn_fail(w->ctx, BRN_ERR_CONVERGENCE, "the coarse mesh has no mode to scale");
    }
    return BRN_OK;
}

/* ---- changes of the scene --------------------------------------------------------------------------------------------------------- */

/* Takes over the text. */
static brn_status keep_change(brn_coarsening *c, brn_status status, char *assignment)
{
    BRN_TRY(status);
    if (c->result.changes == BRN_COARSEN_CHANGES) {
        brn_free(c->ctx, assignment);
        return brn_fail(c->ctx, BRN_ERR_LIMIT, "more than %d values of the scene would change",
                        BRN_COARSEN_CHANGES);
    }
    c->change[c->result.changes++] = assignment;
    return BRN_OK;
}

/* Four digits are enough: the frequency is then right to 1e-5 or so. */
static double rounded(double value)
{
    const double unit = pow(10.0, floor(log10(fabs(value))) - 4.0);
    return value != 0.0 ? round(value / unit) * unit : 0.0;
}

brn_status brn_coarsen_set_mesh(brn_coarsen_work *w, double size)
{
    char *text = NULL;
    BRN_TRY(brn_knobs_mesh(&w->knobs, size, &text));
    const brn_status status = brn_scene_set(w->scene, text);
    brn_free(w->ctx, text);
    return status;
}

static double scaled(double modulus, double scale)
{
    return scale != 1.0 ? rounded(modulus * scale) : modulus;
}

brn_status brn_coarsen_set_moduli(brn_coarsen_work *w, double scale)
{
    for (int i = 0; i < w->knobs.nmodulus; ++i) {
        const brn_knob_value *m = &w->knobs.modulus[i];
        char *text = NULL;
        BRN_TRY(brn_knob_assign(w->ctx, m->path, scaled(m->value, scale), &text));
        const brn_status status = brn_scene_set(w->scene, text);
        brn_free(w->ctx, text);
        BRN_TRY(status);
    }
    return BRN_OK;
}

static brn_status list_changes(brn_coarsen_work *w)
{
    brn_coarsening *c = w->out;
    const brn_knobs *k = &w->knobs;
    char *text = NULL;
    brn_status status = brn_knobs_mesh(k, c->level[c->result.coarse].size, &text);
    BRN_TRY(keep_change(c, status, text));
    for (int i = 0; i < k->nmodulus; ++i) {
        status =
            brn_knob_assign(w->ctx, k->modulus[i].path, scaled(k->modulus[i].value, c->result.scale), &text);
        BRN_TRY(keep_change(c, status, text));
    }
    /* alpha, beta, alpha, beta, ... */
    for (int i = 0; i < k->ndamping && !isnan(c->result.beta); ++i) {
        const double value = i % 2 == 0 ? 0.0 : rounded(c->result.beta);
        if (k->damping[i].value != value) {
            status = brn_knob_assign(w->ctx, k->damping[i].path, value, &text);
            BRN_TRY(keep_change(c, status, text));
        }
    }
    return BRN_OK;
}

static brn_status apply_changes(brn_coarsen_work *w)
{
    for (int i = 0; i < w->out->result.changes; ++i) {
        BRN_TRY(brn_scene_set(w->scene, w->out->change[i]));
    }
    return BRN_OK;
}

/* The scene as it was. What was not given in its text is given now, with the same value. */
static void restore(brn_coarsen_work *w)
{
    (void)brn_coarsen_set_mesh(w, 1.0);
    if (w->out->result.changes > 0 || w->options->load) {
        (void)brn_coarsen_set_moduli(w, 1.0);
    }
}

/* ---- surfaces, for whoever shows them --------------------------------------------------------------------------------------------------- */

static brn_status keep_surface(brn_coarsen_work *w, bool coarse)
{
    brn_coarsening *c = w->out;
    const brn_sample *sample = coarse ? c->coarse : c->fine;
    const brn_body *body = brn_sample_body(sample);
    const size_t length = 3 * (size_t)body->node_count;
    BRN_ALLOC(w->ctx, c->moved[coarse], (size_t)c->result.modes * length);
    BRN_ALLOC(w->ctx, c->triangle[coarse], 3 * (size_t)body->boundary->ntri);
    for (int t = 0; t < 3 * body->boundary->ntri; ++t) {
        c->triangle[coarse][t] = body->boundary->tri[t / 3][t % 3] - body->node_first;
    }
    for (int m = 0; m < c->result.modes; ++m) {
        const double *u = coarse ? &c->match->shape[(size_t)m * length]
                                 : &brn_sample_mode(sample, m).shape[3 * (size_t)body->node_first];
        for (size_t i = 0; i < length; ++i) {
            c->moved[coarse][(size_t)m * length + i] = w->scale * u[i];
        }
    }
    return BRN_OK;
}

/* ---- the call ------------------------------------------------------------------------------------------------------------------------------ */

static brn_status predict(brn_coarsen_work *w)
{
    brn_prediction cost;
    BRN_TRY(brn_model_predict(w->ctx, w->out->fine->model, &cost));
    w->out->result.flops_fine = cost.flops;
    BRN_TRY(brn_model_predict(w->ctx, w->out->coarse->model, &cost));
    w->out->result.flops_coarse = cost.flops;
    return BRN_OK;
}

static brn_status work_all(brn_coarsen_work *w)
{
    brn_coarsening *c = w->out;
    c->result.beta = c->result.load = c->result.load_error = NAN;
    BRN_TRY(brn_coarsen_refine(w));
    w->scale = 0.1 * brn_body_diagonal(c->fine->model, brn_sample_body(c->fine));
    if (w->options->load) {
        BRN_TRY(brn_coarsen_load(w));
    }
    BRN_TRY(brn_coarsen_search(w));
    BRN_TRY(find_scale(w));
    compare_modes(c);
    BRN_TRY(predict(w));
    BRN_TRY(keep_surface(w, false));
    BRN_TRY(keep_surface(w, true));
    BRN_TRY(list_changes(w));
    return apply_changes(w);
}

static brn_status open_work(brn_coarsen_work *w)
{
    brn_model *model = NULL;
    BRN_TRY(brn_model_compile(w->ctx, w->scene, &model));
    w->out->result.loads = brn_coarsen_has_load(model);
    brn_status status = BRN_OK;
    if (w->options->load && !w->out->result.loads) {
        status = brn_fail(w->ctx, BRN_ERR_SCENE,
                          "the scene has no load in equilibrium to match: it takes stages with loading, or "
                          "integrator: static");
    }
    status = status >= 0 ? brn_knobs_find(w->ctx, w->scene, model, w->options->body, &w->knobs) : status;
    brn_model_destroy(model);
    return status;
}

static brn_status check_options(brn_ctx *ctx, const brn_coarsen_options *o)
{
    if (!(o->change > 0.0) || !(o->shape > 0.0) || !(o->spread > 0.0) || !(o->limit >= 1.0)) {
        return brn_fail(ctx, BRN_ERR_RANGE,
                        "change = %g, shape = %g, spread = %g, limit = %g: must be > 0, the limit >= 1",
                        o->change, o->shape, o->spread, o->limit);
    }
    if (!(o->frequency >= 0.0) || !(o->decay >= 0.0) || !isfinite(o->frequency) || !isfinite(o->decay)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "frequency = %g, decay = %g: must be >= 0", o->frequency,
                        o->decay);
    }
    if (o->frequency > 0.0 && o->load) {
        return brn_fail(ctx, BRN_ERR_RANGE, "the load or a measured frequency can decide, not both");
    }
    if (o->frequency == 0.0 && (o->decay > 0.0 || o->held)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s is of a measured frequency: give that too",
                        o->held ? "held" : "decay");
    }
    return BRN_OK;
}

brn_status brn_coarsen(brn_ctx *ctx, brn_scene *scene, const brn_coarsen_options *options,
                       brn_coarsening **out)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, scene);
    BRN_GIVEN(ctx, out);
    *out = NULL;
    const brn_coarsen_options standard = brn_coarsen_options_default();
    brn_coarsen_work w = {.ctx = ctx, .scene = scene, .options = options != NULL ? options : &standard};
    BRN_TRY(check_options(ctx, w.options));
    BRN_ALLOC(ctx, w.out, 1);
    w.out->ctx = ctx;
    brn_status status = open_work(&w);
    if (status < 0) { /* nothing of the scene has changed */
        brn_coarsening_destroy(w.out);
        return status;
    }
    status = work_all(&w);
    if (status < 0) {
        restore(&w);
        brn_coarsening_destroy(w.out);
        brn_knobs_clear(&w.knobs);
        return status;
    }
    w.out->body = w.knobs.body;
    w.knobs.body = NULL;
    w.out->result.body = w.out->body;
    brn_knobs_clear(&w.knobs);
    *out = w.out;
    return BRN_OK;
}

/* ---- results ---------------------------------------------------------------------------------------------------------------------------------- */

brn_status brn_coarsen_get(const brn_coarsening *c, brn_coarsen_result *out)
{
    BRN_GIVEN(NULL, c);
    BRN_GIVEN(c->ctx, out);
    *out = c->result;
    return BRN_OK;
}

static brn_status check_index(const brn_coarsening *c, const char *what, int index, int count)
{
    return index < 0 || index >= count
               ? brn_fail(c->ctx, BRN_ERR_RANGE, "%s %d: there are %d", what, index, count)
               : BRN_OK;
}

brn_status brn_coarsen_get_level(const brn_coarsening *c, int index, brn_coarsen_level *out)
{
    BRN_GIVEN(NULL, c);
    BRN_GIVEN(c->ctx, out);
    BRN_TRY(check_index(c, "mesh", index, c->result.levels));
    *out = c->level[index];
    return BRN_OK;
}

brn_status brn_coarsen_get_mode(const brn_coarsening *c, int index, brn_coarsen_mode *out)
{
    BRN_GIVEN(NULL, c);
    BRN_GIVEN(c->ctx, out);
    BRN_TRY(check_index(c, "mode", index, c->result.modes));
    *out = c->mode[index];
    return BRN_OK;
}

brn_status brn_coarsen_get_shape(const brn_coarsening *c, int mode, bool coarse, brn_coarsen_shape *out)
{
    BRN_GIVEN(NULL, c);
    BRN_GIVEN(c->ctx, out);
    BRN_TRY(check_index(c, "mode", mode, c->result.modes));
    const brn_sample *sample = coarse ? c->coarse : c->fine;
    const brn_body *body = brn_sample_body(sample);
    *out = (brn_coarsen_shape){.nodes = body->node_count,
                               .triangles = body->boundary->ntri,
                               .place = sample->model->rest[body->node_first],
                               .triangle = c->triangle[coarse],
                               .moved = &c->moved[coarse][3 * (size_t)mode * (size_t)body->node_count]};
    return BRN_OK;
}

const char *brn_coarsen_change(const brn_coarsening *c, int index)
{
    return c != NULL && index >= 0 && index < c->result.changes ? c->change[index] : "";
}
