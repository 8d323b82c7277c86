/* The fine mesh, and the search for the coarse one. */
#include "study/coarsen.h"

#include <math.h>

/* More of a coarse mesh's modes are looked at, because their order may differ. */
enum { COARSE_MODES = BRN_COARSEN_MODES + 6 };

brn_status brn_coarsen_tell(brn_coarsen_work *w, const brn_coarsen_level *level)
{
    BRN_TRY(brn_ctx_check(w->ctx));
    if (w->options->progress != NULL && w->options->progress(w->options->progress_user, level)) {
        return brn_fail(w->ctx, BRN_ERR_CANCELLED, "stopped");
    }
    return BRN_OK;
}

brn_status brn_coarsen_try(brn_coarsen_work *w, double size, bool refining, brn_sample **out)
{
    *out = NULL;
    brn_coarsening *c = w->out;
    if (c->result.levels == BRN_COARSEN_LEVELS) {
        return brn_fail(w->ctx, BRN_ERR_LIMIT, "more than %d meshes", BRN_COARSEN_LEVELS);
    }
    BRN_TRY(brn_coarsen_set_mesh(w, size));
    const brn_status status = brn_sample_make(w->ctx, w->scene, w->knobs.body,
                                              refining ? BRN_COARSEN_MODES : COARSE_MODES, false, out);
    if (status == BRN_ERR_SCENE || status == BRN_ERR_MESH) {
        return BRN_OK; /* regions without nodes, cells that would invert: too coarse */
    }
    BRN_TRY(status);
    const brn_body *body = brn_sample_body(*out);
    brn_coarsen_level *level = &c->level[c->result.levels++];
    *level = (brn_coarsen_level){.size = size,
                                 .cells = body->elem_count,
                                 .nodes = body->node_count,
                                 .dofs = (*out)->model->dim * body->node_count,
                                 .refining = refining,
                                 .modes = (*out)->elastic < BRN_COARSEN_MODES ? (*out)->elastic
                                                                              : BRN_COARSEN_MODES,
                                 .change = NAN,
                                 .spread = NAN,
                                 .distance = {NAN, NAN, NAN, NAN}};
    for (int i = 0; i < BRN_COARSEN_MODES; ++i) {
        level->frequency[i] = i < level->modes ? brn_sample_mode(*out, i).frequency : NAN;
    }
    return BRN_OK;
}

/* ---- fine ------------------------------------------------------------------------------------------------------------------ */

static double largest_change(const brn_coarsen_level *from, const brn_coarsen_level *to)
{
    double most = 0.0;
    for (int i = 0; i < BRN_COARSEN_SHAPES; ++i) {
        const double change = fabs(to->frequency[i] - from->frequency[i]) / to->frequency[i];
        most = !(change <= most) ? change : most; /* NaN, where a mesh has too few modes, stays */
    }
    return most;
}

/* The next finer mesh, if it is within the limit; *more says so. The one before is destroyed. */
static brn_status refine_once(brn_coarsen_work *w, double size, brn_sample **fine, bool *more)
{
    brn_coarsening *c = w->out;
    const brn_coarsen_level *last = &c->level[c->result.levels - 1];
    *more = last->cells * pow(2.0, w->knobs.dim) <= w->options->limit;
    if (!*more) {
        return BRN_OK;
    }
    brn_sample *next = NULL;
    const brn_status status = brn_coarsen_try(w, size, true, &next);
    if (status >= 0 && next == NULL) {
        return BRN_ERR_SCENE; /* with the message of the mesh */
    }
    BRN_TRY(status);
    brn_sample_destroy(*fine);
    *fine = next;
    brn_coarsen_level *level = &c->level[c->result.levels - 1];
    level->change = largest_change(level - 1, level);
    return brn_coarsen_tell(w, level);
}

/* Where the limit allows no second fine mesh, a coarser one says how far from converged the scene's is. */
static brn_status look_back(brn_coarsen_work *w)
{
    brn_coarsening *c = w->out;
    brn_sample *before = NULL;
    BRN_TRY(brn_coarsen_try(w, 2.0, true, &before));
    if (before == NULL) {
        return BRN_OK;
    }
    brn_sample_destroy(before);
    const int last = c->result.levels - 1;
    const brn_coarsen_level own = c->level[last - 1];
    c->level[last - 1] = c->level[last];
    c->level[last] = own;
    c->level[last].change = largest_change(&c->level[last - 1], &c->level[last]);
    return brn_coarsen_tell(w, &c->level[last]);
}

brn_status brn_coarsen_refine(brn_coarsen_work *w)
{
    brn_coarsening *c = w->out;
    BRN_TRY(brn_coarsen_try(w, 1.0, true, &c->fine));
    if (c->fine == NULL) {
        return BRN_ERR_SCENE; /* it compiled before: the message says why not now */
    }
    if (c->level[0].cells > w->options->limit) {
        return brn_fail(w->ctx, BRN_ERR_LIMIT,
                        "the mesh of body '%s' has %d cells, more than the limit of %g", w->knobs.body,
                        c->level[0].cells, w->options->limit);
    }
    BRN_TRY(brn_coarsen_tell(w, &c->level[0]));
    bool more = true;
    for (double size = 0.5; more && !c->result.converged; size *= 0.5) {
        BRN_TRY(refine_once(w, size, &c->fine, &more));
        c->result.converged = more && c->level[c->result.levels - 1].change <= w->options->change;
    }
    if (c->result.levels == 1) {
        BRN_TRY(look_back(w));
        c->result.converged = c->level[c->result.levels - 1].change <= w->options->change;
    }
    c->result.fine = c->result.levels - 1;
    if (c->fine->elastic < BRN_COARSEN_SHAPES) {
        return brn_fail(w->ctx, BRN_ERR_SCENE,
                        "body '%s' has %d elastic modes, fewer than the %d that are compared", w->knobs.body,
                        c->fine->elastic, BRN_COARSEN_SHAPES);
    }
    return BRN_OK;
}

/* ---- coarse ------------------------------------------------------------------------------------------------------------------ */

/* Mean error of the frequencies of modes that were found again, with moduli times `scale`. */
static double spread_of(const brn_coarsening *c, const brn_match *match, double scale)
{
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < match->modes; ++i) {
        const double error = sqrt(scale * match->lambda[i] / brn_sample_mode(c->fine, i).lambda) - 1.0;
        sum += isnan(match->lambda[i]) ? 0.0 : fabs(error);
        count += !isnan(match->lambda[i]);
    }
    return count > 0 ? sum / count : NAN;
}

static brn_status measure_shapes(brn_coarsen_work *w, const brn_sample *candidate, const brn_match *match,
                                 brn_coarsen_level *level)
{
    level->fits = true;
    for (int i = 0; i < BRN_COARSEN_SHAPES; ++i) {
        if (!isnan(match->lambda[i])) {
            BRN_TRY(brn_sample_distance(w->out->fine, candidate, match, i, w->scale, &level->distance[i]));
        }
        level->fits = level->fits && level->distance[i] <= w->options->shape; /* not if NaN */
    }
    return BRN_OK;
}

/* Of a candidate: the factor on its moduli, by what is to be right, and what frequencies are then off by. A mesh whose shapes do
   not fit is not worth its loads. */
static brn_status measure_frequencies(brn_coarsen_work *w, const brn_match *match, brn_coarsen_level *level,
                                      double *scale, double *load_error)
{
    *scale = brn_sample_mode(w->out->fine, 0).lambda / match->lambda[0];
    *load_error = NAN;
    if (w->options->load && level->fits) {
        const brn_status status = brn_coarsen_match_load(w, scale, load_error);
        if (status == BRN_ERR_CONVERGENCE) {
            level->fits = false; /* too coarse for its load */
            return BRN_OK;
        }
        BRN_TRY(status);
    }
    level->spread = spread_of(w->out, match, *scale);
    level->fits = level->fits && level->spread <= w->options->spread;
    return BRN_OK;
}

/* Compares a candidate; the coarsest that fits so far is kept, others are destroyed. */
static brn_status judge(brn_coarsen_work *w, brn_sample *candidate, bool *fits)
{
    brn_coarsening *c = w->out;
    brn_coarsen_level *level = &c->level[c->result.levels - 1];
    brn_match *match = NULL;
    double scale = NAN;
    double load_error = NAN;
    brn_status status = brn_match_find(c->fine, candidate, BRN_COARSEN_MODES, &match);
    status = status >= 0 ? measure_shapes(w, candidate, match, level) : status;
    status = status >= 0 ? measure_frequencies(w, match, level, &scale, &load_error) : status;
    *fits = status >= 0 && level->fits;
    if (*fits && (c->coarse == NULL || level->cells < c->level[c->result.coarse].cells)) {
        brn_sample_destroy(c->coarse);
        brn_match_destroy(c->match);
        c->coarse = candidate;
        c->match = match;
        c->result.coarse = c->result.levels - 1;
        c->result.scale = scale;
        c->result.load_error = load_error;
    } else {
        brn_sample_destroy(candidate);
        brn_match_destroy(match);
    }
    BRN_TRY(status);
    return brn_coarsen_tell(w, level);
}

/* A mesh with as many cells as one that was a candidate, or as the fine one, is that one. */
static bool is_known(const brn_coarsening *c, const brn_coarsen_level *level, bool *fits)
{
    if (level->cells >= c->level[c->result.fine].cells) {
        *fits = true;
        return true;
    }
    for (const brn_coarsen_level *l = c->level; l < level; ++l) {
        if (!l->refining && l->cells == level->cells) {
            *fits = l->fits;
            return true;
        }
    }
    return false;
}

/* *cells: of the mesh, 0 if there is none of this size. */
static brn_status try_size(brn_coarsen_work *w, double size, bool *fits, int *cells)
{
    brn_coarsening *c = w->out;
    brn_sample *candidate = NULL;
    *fits = false;
    *cells = 0;
    BRN_TRY(brn_coarsen_try(w, size, false, &candidate));
    if (candidate == NULL) {
        return BRN_OK;
    }
    brn_coarsen_level *level = &c->level[c->result.levels - 1];
    *cells = level->cells;
    if (is_known(c, level, fits)) {
        --c->result.levels;
        brn_sample_destroy(candidate);
        return BRN_OK;
    }
    return judge(w, candidate, fits);
}

brn_status brn_coarsen_search(brn_coarsen_work *w)
{
    enum { STEPS = 6 }; /* of bisection: sizes within 1 % of each other */
    brn_coarsening *c = w->out;
    double fit = c->level[c->result.fine].size;
    double unfit = fit;
    int cells = c->level[c->result.fine].cells;
    bool fits = true;
    /* Larger by 2 until shapes are missed, or cells do not become fewer. */
    for (bool fewer = true; fits && fewer;) {
        const int before = cells;
        unfit = 2.0 * fit;
        BRN_TRY(try_size(w, unfit, &fits, &cells));
        fewer = cells < before;
        fit = fits ? unfit : fit;
    }
    for (int step = 0; step < STEPS && !fits && unfit > 1.01 * fit; ++step) {
        bool here = false;
        const double middle = sqrt(fit * unfit);
        BRN_TRY(try_size(w, middle, &here, &cells));
        fit = here ? middle : fit;
        unfit = here ? unfit : middle;
    }
    if (c->coarse == NULL) {
        return brn_fail(
            w->ctx, BRN_ERR_CONVERGENCE,
            "no mesh coarser than the fine one of %d cells has its shapes within %g and, with %s right, its "
            "frequencies within %g: allow more, or a larger limit",
            c->level[c->result.fine].cells, w->options->shape,
            w->options->load ? "the energy of the load" : "the first of them", w->options->spread);
    }
    return BRN_OK;
}
