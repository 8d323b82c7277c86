/* From a point to what is set in the scene, with deviations; and the points of a sweep. */
#include "base/rng.h"
#include "study/design_inner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- settings ---------------------------------------------------------------------------------------------------------------- */

void brn_design_settings_clear(brn_design_settings *settings)
{
    for (int i = 0; i < settings->count; ++i) {
        brn_free(settings->ctx, settings->item[i]);
    }
    brn_free(settings->ctx, (void *)settings->item);
    *settings = (brn_design_settings){.ctx = settings->ctx};
}

static brn_status add_text(brn_design_settings *s, char *text)
{
    BRN_GROW(s->ctx, s->item, s->room, s->count + 1);
    s->item[s->count++] = text;
    return BRN_OK;
}

brn_status brn_design_settings_add(brn_design_settings *s, const char *path, const char *value)
{
    brn_text text = {.ctx = s->ctx};
    char *taken = NULL;
    brn_text_add(&text, "%s=%s", path, value);
    BRN_TRY(brn_text_take(&text, &taken));
    const brn_status status = add_text(s, taken);
    if (status < 0) {
        brn_free(s->ctx, taken);
    }
    return status;
}

static brn_status add_number(brn_design_settings *s, const char *path, bool whole, double value)
{
    char text[BRN_REAL_TEXT];
    if (whole) {
        (void)snprintf(text, sizeof text, "%.0f", fmax(-2e9, fmin(2e9, rint(value))));
    } else {
        (void)brn_format_real(value, text);
    }
    return brn_design_settings_add(s, path, text);
}

/* ---- names of parameters ------------------------------------------------------------------------------------------------------- */

typedef struct point {
    const brn_design *design;
    const double *x;
} point;

static brn_value parameter_value(void *user, const char *name, brn_column_use use, double time)
{
    const point *p = user;
    (void)time;
    for (int i = 0; i < p->design->n && use == BRN_COLUMN_PLAIN; ++i) {
        if (strcmp(p->design->axis[i].info.name, name) == 0) {
            return (brn_value){.kind = BRN_VALUE_NUMBER, .number = p->x[i]};
        }
    }
    return (brn_value){.kind = BRN_VALUE_NONE};
}

static brn_status add_parameters(brn_design *d, const double *x, brn_design_settings *out)
{
    for (int i = 0; i < d->n; ++i) {
        for (int k = 0; k < d->axis[i].npath; ++k) {
            const brn_design_path *to = &d->axis[i].path[k];
            BRN_TRY(add_number(out, to->path, to->whole, x[i]));
        }
    }
    point p = {d, x};
    const brn_value_source source = {parameter_value, &p};
    for (int i = 0; i < d->nassign; ++i) {
        const double value = brn_expression_number(d->assign[i].value, &source);
        if (!isfinite(value)) {
            return brn_fail(d->ctx, BRN_ERR_SCENE, "%s: '%s' has no finite value at this point",
                            d->assign[i].to.path, brn_expression_text(d->assign[i].value));
        }
        BRN_TRY(add_number(out, d->assign[i].to.path, d->assign[i].to.whole, value));
    }
    return BRN_OK;
}

static brn_status add_fixed(brn_design *d, brn_design_settings *out)
{
    for (int i = 0; i < d->def->set.count; ++i) {
        const brn_setting_def *def = (const brn_setting_def *)d->def->set.items + i;
        BRN_TRY(brn_design_settings_add(out, def->block.name, def->value));
    }
    for (int i = 0; i < d->nset; ++i) {
        char *copy = brn_strdup(d->ctx, d->set[i]);
        const brn_status status = copy != NULL ? add_text(out, copy) : BRN_ERR_MEMORY;
        if (status < 0) {
            brn_free(d->ctx, copy);
            return status;
        }
    }
    return BRN_OK;
}

/* ---- deviations ------------------------------------------------------------------------------------------------------------------ */

/* The normal quantile of a probability, by bisection: used a few times a study. */
static double normal_quantile(double probability)
{
    double lo = -8.0, hi = 8.0;
    for (int i = 0; i < 80; ++i) {
        const double middle = 0.5 * (lo + hi);
        if (0.5 * erfc(-middle / sqrt(2.0)) < probability) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    return 0.5 * (lo + hi);
}

static double deviation(const brn_design_tolerance *t, double draw, double nominal)
{
    const brn_tolerance_def *def = t->def;
    const double width = isfinite(def->by) ? def->by : 0.01 * def->percent * fabs(nominal);
    return def->distribution == BRN_DRAW_NORMAL ? 0.5 * width * normal_quantile(0.5 * (draw + 1.0))
                                                : width * draw;
}

/* What deviates at a path deviates from the value that the scene has with all that is set so far. */
static brn_status add_deviations(brn_design *d, int sample, brn_design_settings *out, double *drawn)
{
    const double *draw = d->draw + (size_t)sample * (size_t)d->ntolerance;
    for (int i = 0; i < out->count; ++i) {
        BRN_TRY(brn_scene_set(d->scene, out->item[i]));
    }
    BRN_TRY(brn_scene_resolve(d->scene, &d->registry.schema));
    for (int i = 0; i < d->ntolerance; ++i) {
        const brn_design_tolerance *t = &d->tolerance[i];
        if (t->axis >= 0) {
            continue;
        }
        brn_scene_field field;
        double nominal = NAN;
        BRN_TRY(brn_scene_find_field(d->scene, &d->registry.schema, t->def->path, &field));
        (void)brn_scene_field_number(&field, &nominal);
        drawn[i] = deviation(t, draw[i], nominal);
        BRN_TRY(add_number(out, t->def->path, t->whole, nominal + drawn[i]));
    }
    return BRN_OK;
}

static bool deviates_at_path(const brn_design *d)
{
    bool any = false;
    for (int i = 0; i < d->ntolerance; ++i) {
        any = any || d->tolerance[i].axis < 0;
    }
    return any;
}

static brn_status settings_with(brn_design *d, double *x, int sample, brn_design_settings *out, double *drawn)
{
    for (int i = 0; i < d->ntolerance; ++i) {
        const brn_design_tolerance *t = &d->tolerance[i];
        drawn[i] = 0.0;
        if (sample > 0 && t->axis >= 0) {
            drawn[i] = deviation(t, d->draw[(size_t)sample * (size_t)d->ntolerance + (size_t)i], x[t->axis]);
            x[t->axis] += drawn[i];
        }
    }
    BRN_TRY(add_fixed(d, out));
    BRN_TRY(add_parameters(d, x, out));
    return sample > 0 && deviates_at_path(d) ? add_deviations(d, sample, out, drawn) : BRN_OK;
}

brn_status brn_design_point_settings(brn_design *design, const double *x, int sample,
                                     brn_design_settings *out, double *drawn)
{
    double *copy = NULL, *scratch = NULL;
    BRN_ALLOC(design->ctx, copy, design->n);
    memcpy(copy, x, (size_t)design->n * sizeof *x);
    scratch = drawn == NULL ? brn_calloc(design->ctx, (size_t)design->ntolerance, sizeof *scratch) : NULL;
    const brn_status status = drawn == NULL && scratch == NULL
                                  ? BRN_ERR_MEMORY
                                  : settings_with(design, copy, sample, out, drawn != NULL ? drawn : scratch);
    brn_free(design->ctx, scratch);
    brn_free(design->ctx, copy);
    return status;
}

/* ---- coordinates of the search ------------------------------------------------------------------------------------------------------ */

double brn_design_to_search(const brn_design_axis *axis, double x)
{
    return axis->log ? log(x) : x;
}

double brn_design_from_search(const brn_design_axis *axis, double y)
{
    /* What came from one of these goes back to it, whatever was rounded on the way. */
    const double known[] = {axis->info.start, axis->info.min, axis->info.max};
    const double range =
        brn_design_to_search(axis, axis->info.max) - brn_design_to_search(axis, axis->info.min);
    for (int i = 0; i < BRN_COUNT(known); ++i) {
        if (fabs(y - brn_design_to_search(axis, known[i])) <= 1e-14 * range) {
            return axis->info.whole ? rint(known[i]) : known[i];
        }
    }
    const double x = axis->log ? exp(y) : y;
    const double inside = fmin(fmax(x, axis->info.min), axis->info.max);
    return axis->info.whole ? rint(inside) : inside;
}

/* ---- random points ------------------------------------------------------------------------------------------------------------------- */

/* Latin hypercube [McKay, Beckman, Conover 1979]: in every coordinate one point in each of `count` equal parts of [0, 1].
   u [count][n]. */
static brn_status latin_hypercube(brn_ctx *ctx, uint64_t seed, int64_t count, int n, double *u)
{
    int64_t *order = NULL;
    BRN_ALLOC(ctx, order, count);
    brn_rng rng = {seed};
    for (int k = 0; k < n; ++k) {
        for (int64_t i = 0; i < count; ++i) {
            order[i] = i;
        }
        for (int64_t i = count - 1; i > 0; --i) {
            const int64_t j = (int64_t)(brn_rng_next(&rng) % (uint64_t)(i + 1));
            const int64_t kept = order[i];
            order[i] = order[j];
            order[j] = kept;
        }
        for (int64_t i = 0; i < count; ++i) {
            u[i * n + k] = ((double)order[i] + brn_rng_uniform(&rng, 0.0, 1.0)) / (double)count;
        }
    }
    brn_free(ctx, order);
    return BRN_OK;
}

brn_status brn_design_make_draws(brn_design *design)
{
    const size_t count = (size_t)design->samples * (size_t)design->ntolerance;
    BRN_ALLOC(design->ctx, design->draw, count);
    if (design->samples < 2 || design->ntolerance == 0) {
        return BRN_OK;
    }
    double *drawn = design->draw + design->ntolerance; /* the first deviates in nothing */
    BRN_TRY(latin_hypercube(design->ctx, (uint64_t)design->def->robustness.seed, design->samples - 1,
                            design->ntolerance, drawn));
    for (size_t i = (size_t)design->ntolerance; i < count; ++i) {
        design->draw[i] = 2.0 * design->draw[i] - 1.0;
    }
    return BRN_OK;
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------------------------------ */

enum { POINTS_MAX = 10000000 };

static int axis_points(const brn_design *d, int axis)
{
    const brn_parameter_def *def = d->axis[axis].def;
    return def->values.count > 0 ? def->values.count : def->points > 0 ? def->points : d->def->sweep.points;
}

/* The place of a part u in [0, 1] of the range. */
static double within(const brn_design_axis *axis, double u)
{
    const double lo = brn_design_to_search(axis, axis->info.min);
    const double hi = brn_design_to_search(axis, axis->info.max);
    return brn_design_from_search(axis, u >= 1.0 ? hi : lo + u * (hi - lo));
}

static double grid_value(const brn_design *d, int axis, int64_t i)
{
    const brn_parameter_def *def = d->axis[axis].def;
    const int count = axis_points(d, axis);
    if (def->values.count > 0) {
        return def->values.v[i];
    }
    return within(&d->axis[axis], count > 1 ? (double)i / (double)(count - 1) : 0.5);
}

/* The last parameter runs fastest. */
static void grid_point(const brn_design *d, int64_t index, double *x)
{
    for (int k = d->n - 1; k >= 0; --k) {
        x[k] = grid_value(d, k, index % axis_points(d, k));
        index /= axis_points(d, k);
    }
}

static brn_status random_points(brn_design *d, uint64_t seed, int64_t count, double *x)
{
    if (d->def->sweep.type == BRN_SWEEP_LATIN) {
        BRN_TRY(latin_hypercube(d->ctx, seed, count, d->n, x));
    } else {
        brn_rng rng = {seed};
        for (int64_t i = 0; i < count * d->n; ++i) {
            x[i] = brn_rng_uniform(&rng, 0.0, 1.0);
        }
    }
    for (int64_t i = 0; i < count * d->n; ++i) {
        x[i] = within(&d->axis[i % d->n], x[i]);
    }
    return BRN_OK;
}

brn_status brn_design_sweep_points(brn_design *design, int64_t seed, double **points, int64_t *count)
{
    brn_design *d = design;
    const brn_sweep_def *sweep = &d->def->sweep;
    const bool grid = sweep->type == BRN_SWEEP_GRID;
    *points = NULL;
    *count = grid ? 1 : sweep->samples;
    for (int k = 0; grid && k < d->n; ++k) {
        *count *= axis_points(d, k);
        if (*count > POINTS_MAX) {
            return brn_fail(d->ctx, BRN_ERR_LIMIT, "the grid has more than %d points", POINTS_MAX);
        }
    }
    BRN_ALLOC(d->ctx, *points, *count * d->n);
    for (int64_t i = 0; grid && i < *count; ++i) {
        grid_point(d, i, *points + i * d->n);
    }
    const brn_status status =
        grid ? BRN_OK : random_points(d, (uint64_t)(seed >= 0 ? seed : sweep->seed), *count, *points);
    if (status < 0) {
        brn_free(d->ctx, *points);
        *points = NULL;
    }
    return status;
}
