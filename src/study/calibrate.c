/* Moduli and damping of a scene from a measured mode: with s = -d + 2 pi i f its pole, lambda_t = |s|^2, and for D = beta K a mode has 2 d = beta lambda. The
   model's lambda is a function of the factor on the chosen moduli, linear where they are all the stiffness there is. */
#include "base/text.h"
#include "phys/material.h"
#include "scene/scene.h"

#include <brunt/study.h>
#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

struct brn_calibrated_list {
    brn_ctx *ctx;
    int count, room;
    struct value {
        char *path;
        const char *unit;
        double before, after, error;
        bool modulus, damping; /* damping: beta */
    } * value;
};

/* One calibration under way. */
typedef struct bench {
    brn_ctx *ctx;
    brn_scene *scene;
    brn_calibrate_options options;
    brn_calibrated_list *list;
    int solves;
    double lambda, decay; /* of the mode, at the last solve */
} bench;

/* ---- values of the scene -------------------------------------------------------------------------------------------------- */

static struct value *add_value(brn_calibrated_list *list, const char *material, const char *key,
                               const char *unit, double before)
{
    brn_text path = {.ctx = list->ctx};
    if (list->count == list->room) {
        const int room = list->room + 16;
        struct value *grown = brn_realloc(list->ctx, list->value, (size_t)room, sizeof *grown);
        if (grown == NULL) {
            return NULL;
        }
        list->value = grown;
        list->room = room;
    }
    struct value *v = &list->value[list->count];
    *v = (struct value){.unit = unit, .before = before, .after = before};
    brn_text_add(&path, "%s.%s", material, key);
    if (brn_text_take(&path, &v->path) < 0) {
        return NULL;
    }
    ++list->count;
    return v;
}

/* Every parameter of a material that is a modulus, and its damping. */
static brn_status add_material(brn_calibrated_list *list, const brn_variant *material)
{
    const brn_material_common *common = material->value;
    const char *path = common->block.path;
    int moduli = 0;
    for (int k = 0; k < material->table->nparams; ++k) {
        const brn_param *param = &material->table->params[k];
        if (param->kind != BRN_REAL || param->unit == NULL || strcmp(param->unit, "Pa") != 0) {
            continue;
        }
        double now = NAN;
        memcpy(&now, (const char *)material->value + param->offset, sizeof now);
        if (isnan(now)) {
            continue;
        }
        struct value *v = add_value(list, path, param->name, "Pa", now);
        if (v == NULL) {
            return BRN_ERR_MEMORY;
        }
        v->modulus = true;
        ++moduli;
    }
    if (moduli == 0) {
        /* none is given: the material has the moduli of its defaults */
        const brn_material *kind = brn_material_of_table(material->table);
        brn_moduli m;
        const char *reason = "";
        if (kind == NULL || !kind->moduli(material->value, &m, &reason)) {
            return brn_fail(list->ctx, BRN_ERR_RANGE, "%s has no moduli %s", path, reason);
        }
        const double young = m.mu * (3.0 * m.lambda + 2.0 * m.mu) / (m.lambda + m.mu);
        struct value *v = add_value(list, path, "young", "Pa", young);
        struct value *p =
            v != NULL ? add_value(list, path, "poisson", "1", 0.5 * m.lambda / (m.lambda + m.mu)) : NULL;
        if (p == NULL) {
            return BRN_ERR_MEMORY;
        }
        list->value[list->count - 2].modulus = true;
    }
    struct value *alpha = add_value(list, path, "damping.alpha", "1/s", common->damping.alpha);
    struct value *beta =
        alpha != NULL ? add_value(list, path, "damping.beta", "s", common->damping.beta) : NULL;
    if (beta == NULL) {
        return BRN_ERR_MEMORY;
    }
    list->value[list->count - 2].after = 0.0;
    beta->damping = true;
    return BRN_OK;
}

/* The materials to change, after the scene was resolved. */
static brn_status list_materials(bench *b, int *count)
{
    const brn_scene_def *def = brn_scene_get_def(b->scene);
    const char *wanted = b->options.material;
    *count = 0;
    for (int i = 0; i < def->materials.count; ++i) {
        const brn_variant *material = &def->materials.items[i];
        const brn_material_common *common = material->value;
        if (wanted == NULL || strcmp(common->block.name, wanted) == 0) {
            BRN_TRY(add_material(b->list, material));
            ++*count;
        }
    }
    if (*count == 0 && wanted != NULL) {
        return brn_fail(b->ctx, BRN_ERR_RANGE, "the scene has no material '%s'", wanted);
    }
    return *count > 0
               ? BRN_OK
               : brn_fail(b->ctx, BRN_ERR_RANGE, "the scene has no material: there is nothing to calibrate");
}

static brn_status set_value(bench *b, const char *path, double value)
{
    char number[BRN_REAL_TEXT];
    brn_text text = {.ctx = b->ctx};
    char *assignment = NULL;
    brn_text_add(&text, "%s=%s", path, brn_format_real(value, number));
    BRN_TRY(brn_text_take(&text, &assignment));
    const brn_status status = brn_scene_set(b->scene, assignment);
    brn_free(b->ctx, assignment);
    return status;
}

/* The scene with moduli times `factor` and this beta. */
static brn_status set_scene(bench *b, double factor, double beta)
{
    for (int i = 0; i < b->list->count; ++i) {
        struct value *v = &b->list->value[i];
        v->after = v->modulus ? factor * v->before : v->damping ? beta : v->after;
        BRN_TRY(set_value(b, v->path, v->after));
    }
    return BRN_OK;
}

/* ---- the model ---------------------------------------------------------------------------------------------------------------- */

/* lambda and decay of the wanted mode of the scene as it is now. */
static brn_status solve(bench *b)
{
    brn_model *model = NULL;
    brn_vibration *vibration = NULL;
    brn_vibration_mode mode = {0};
    brn_vibration_options options = brn_vibration_options_default();
    options.modes = b->options.mode;
    options.body = b->options.body;
    options.free = b->options.free;
    BRN_TRY(brn_ctx_check(b->ctx));
    BRN_TRY(brn_model_compile(b->ctx, b->scene, &model));
    const brn_status status = brn_vibration_find(b->ctx, model, &options, &vibration);
    brn_model_destroy(model);
    BRN_TRY(status);
    int elastic = 0;
    for (int i = 0; i < brn_vibration_count(vibration) && elastic < b->options.mode; ++i) {
        (void)brn_vibration_get(vibration, i, &mode);
        elastic += !mode.rigid;
    }
    brn_vibration_destroy(vibration);
    ++b->solves;
    if (elastic < b->options.mode) {
        return brn_fail(b->ctx, BRN_ERR_RANGE, "mode %d: the model has %d elastic mode%s", b->options.mode,
                        elastic, elastic == 1 ? "" : "s");
    }
    b->lambda = mode.lambda;
    b->decay = mode.ratio * sqrt(mode.lambda);
    return BRN_OK;
}

static brn_status fail_reach(const bench *b, double factor, double target)
{
    return brn_fail(
        b->ctx, BRN_ERR_RANGE,
        "mode %d hardly depends on %s%s: with moduli times %.3g it has %.5g Hz, %.5g Hz are wanted",
        b->options.mode, b->options.material != NULL ? "material " : "the materials",
        b->options.material != NULL ? b->options.material : "", factor, sqrt(b->lambda) / (2.0 * PI),
        sqrt(target) / (2.0 * PI));
}

/* The factor with which lambda is the target: a secant in logarithms, of which the first step is right if lambda is proportional to it. */
static brn_status find_factor(bench *b, double target, double *factor, double *share)
{
    enum { STEPS = 40 };
    /* Slender beams have their lowest lambda to 1e-9: steps that are near that say nothing about the slope. */
    const double tolerance = 1e-9;
    const double telling = 1e-4;
    double at = 0.0;
    double miss = log(b->lambda / target);
    double slope = 1.0;
    for (int k = 0; k < STEPS && !(fabs(miss) <= tolerance); ++k) {
        const double step = fmin(fmax(-miss / slope, -3.0), 3.0), before = miss;
        at += step;
        BRN_TRY(set_scene(b, exp(at), 0.0));
        BRN_TRY(solve(b));
        miss = log(b->lambda / target);
        slope = fabs(step) > telling ? (miss - before) / step : slope;
        if (!(slope > 1e-3)) {
            return fail_reach(b, exp(at), target);
        }
    }
    if (!(fabs(miss) <= 100.0 * tolerance)) {
        return brn_fail(b->ctx, BRN_ERR_CONVERGENCE,
                        "mode %d does not come to %.5g Hz: %.5g Hz after %d steps", b->options.mode,
                        sqrt(target) / (2.0 * PI), sqrt(b->lambda) / (2.0 * PI), STEPS);
    }
    *factor = exp(at);
    /* The slope where it ended. */
    const double here = log(b->lambda), more = 1e-3;
    BRN_TRY(set_scene(b, *factor * exp(more), 0.0));
    BRN_TRY(solve(b));
    *share = (log(b->lambda) - here) / more;
    return BRN_OK;
}

/* beta of the chosen materials, with which the mode decays at the given rate; what else damps it stays. */
static brn_status find_beta(bench *b, double factor, double rate, double usual, double *beta, double *share)
{
    BRN_TRY(set_scene(b, factor, 0.0));
    BRN_TRY(solve(b));
    const double rest = b->decay;
    *beta = 0.0;
    *share = 1.0;
    if (!(rate > 0.0)) {
        return BRN_OK;
    }
    if (rest > rate) {
        return brn_fail(
            b->ctx, BRN_ERR_RANGE,
            "the mode decays at %.4g 1/s without any damping of %s, which is more than the measured %.4g 1/s",
            rest, b->options.material != NULL ? b->options.material : "the materials", rate);
    }
    BRN_TRY(set_scene(b, factor, usual));
    BRN_TRY(solve(b));
    *share = (b->decay - rest) / rate;
    if (!(*share > 1e-6)) {
        return brn_fail(b->ctx, BRN_ERR_RANGE, "mode %d is not damped by %s", b->options.mode,
                        b->options.material != NULL ? b->options.material : "the materials");
    }
    *beta = usual * (rate - rest) / (b->decay - rest);
    return BRN_OK;
}

/* ---- together ------------------------------------------------------------------------------------------------------------------- */

/* Standard errors of ln lambda_t and of beta = 2 d/lambda_t. */
static void propagate(const brn_ring_mode *m, double *log_lambda, double *beta)
{
    const double w = 2.0 * PI * m->frequency, d = m->decay, lambda = w * w + d * d;
    const double ww = pow(2.0 * PI * m->frequency_error, 2), dd = m->decay_error * m->decay_error;
    const double wd = 2.0 * PI * m->covariance;
    const double l[2] = {2.0 * w / lambda, 2.0 * d / lambda};
    const double b[2] = {-4.0 * d * w / (lambda * lambda), 2.0 / lambda - 4.0 * d * d / (lambda * lambda)};
    *log_lambda = sqrt(fmax(l[0] * l[0] * ww + 2.0 * l[0] * l[1] * wd + l[1] * l[1] * dd, 0.0));
    *beta = sqrt(fmax(b[0] * b[0] * ww + 2.0 * b[0] * b[1] * wd + b[1] * b[1] * dd, 0.0));
}

static brn_status calibrate(bench *b, const brn_ring_mode *m, brn_calibration *out)
{
    const double w = 2.0 * PI * m->frequency, rate = fmax(m->decay, 0.0);
    double log_error = 0.0;
    double damping_share = 1.0;
    propagate(m, &log_error, &out->beta_error);
    out->target = w * w + rate * rate;
    BRN_TRY(solve(b));
    out->before = b->lambda;
    BRN_TRY(list_materials(b, &out->materials));
    BRN_TRY(find_factor(b, out->target, &out->factor, &out->share));
    BRN_TRY(find_beta(b, out->factor, rate, 2.0 * rate / out->target, &out->beta, &damping_share));
    out->factor_error = log_error / out->share;
    out->beta_error /= damping_share;
    BRN_TRY(set_scene(b, out->factor, out->beta));
    BRN_TRY(solve(b));
    out->decay = b->decay;
    out->frequency = sqrt(fmax(b->lambda - b->decay * b->decay, 0.0)) / (2.0 * PI);
    out->solves = b->solves;
    for (int i = 0; i < b->list->count; ++i) {
        struct value *v = &b->list->value[i];
        v->error = v->modulus ? out->factor_error * v->after : v->damping ? out->beta_error : 0.0;
    }
    return BRN_OK;
}

brn_calibrate_options brn_calibrate_options_default(void)
{
    return (brn_calibrate_options){.mode = 1};
}

/* The values from before; the first problem stays the message. */
static void put_back(bench *b)
{
    for (int i = 0; i < b->list->count; ++i) {
        (void)set_value(b, b->list->value[i].path, b->list->value[i].before);
    }
}

brn_status brn_calibrate(brn_ctx *ctx, brn_scene *scene, const brn_ring_mode *mode,
                         const brn_calibrate_options *options, brn_calibration *out,
                         brn_calibrated_list **list)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, scene);
    BRN_GIVEN(ctx, mode);
    BRN_GIVEN(ctx, out);
    *out = (brn_calibration){0};
    if (list != NULL) {
        *list = NULL;
    }
    bench b = {.ctx = ctx, .scene = scene};
    b.options = options != NULL ? *options : brn_calibrate_options_default();
    if (b.options.mode < 1 || b.options.mode > 1000) {
        return brn_fail(ctx, BRN_ERR_RANGE, "mode = %d: must be 1 to 1000", b.options.mode);
    }
    if (!(mode->frequency > 0.0 && mode->frequency < INFINITY) || !isfinite(mode->decay)) {
        return brn_fail(ctx, BRN_ERR_RANGE,
                        "a mode of %g Hz that decays at %g 1/s: must be finite, and > 0 Hz", mode->frequency,
                        mode->decay);
    }
    BRN_ALLOC(ctx, b.list, 1);
    b.list->ctx = ctx;
    brn_calibration found = {0};
    const brn_status status = calibrate(&b, mode, &found);
    if (status < 0) {
        put_back(&b);
    } else {
        *out = found;
    }
    if (status >= 0 && list != NULL) {
        *list = b.list;
    } else {
        brn_calibrated_destroy(b.list);
    }
    return status;
}

int brn_calibrated_count(const brn_calibrated_list *list)
{
    return list != NULL ? list->count : 0;
}

brn_status brn_calibrated_get(const brn_calibrated_list *list, int index, brn_calibrated *out)
{
    BRN_GIVEN(NULL, list);
    BRN_GIVEN(list->ctx, out);
    if (index < 0 || index >= list->count) {
        return brn_fail(list->ctx, BRN_ERR_RANGE, "value %d: there are %d", index, list->count);
    }
    const struct value *v = &list->value[index];
    *out = (brn_calibrated){
        .path = v->path, .unit = v->unit, .before = v->before, .after = v->after, .error = v->error};
    return BRN_OK;
}

void brn_calibrated_destroy(brn_calibrated_list *list)
{
    if (list != NULL) {
        brn_ctx *ctx = list->ctx;
        for (int i = 0; i < list->count; ++i) {
            brn_free(ctx, list->value[i].path);
        }
        brn_free(ctx, list->value);
        brn_free(ctx, list);
    }
}
