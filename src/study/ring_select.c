/* How many modes and decays are in a ring-down: parts are added and removed while Bayes' information criterion improves. */
#include "study/ring_inner.h"

#include <math.h>
#include <string.h>

/* Fits better than this of the largest displacement are exact: what is left then would not change a digit that matters. */
static const double FLOOR = 1e-5;

typedef struct choice {
    brn_ring_model model;
    double score;
} choice;

/* Bayes' information criterion. A mode is the best of all frequencies and decays, a few thousand of which are independent: the 6 is for that (a false
   mode in about one white noise out of 4 n). */
static double score_of(const brn_ring_fit *fit, const brn_ring_model *model)
{
    const double n = fit->count;
    const double unknowns = 4.0 * model->modes + 2.0 * model->decays + model->drift;
    return n * log(fmax(fit->squares / n, FLOOR * FLOOR)) + unknowns * log(n) +
           6.0 * (model->modes + model->decays + model->drift);
}

/* Takes the model, refined, if it is better. */
static bool consider(brn_ring_fit *fit, brn_ring_model model, choice *best)
{
    if (!brn_ring_refine(fit, &model)) {
        return false;
    }
    const double score = score_of(fit, &model);
    if (!(score < best->score)) {
        return false;
    }
    *best = (choice){.model = model, .score = score};
    return true;
}

/* The two models of the pencil that look best as they are. */
static brn_status consider_pencil(brn_ring_fit *fit, double w, int modes_max, choice *best)
{
    brn_ring_model model[BRN_RING_RANKS];
    int found = 0;
    BRN_TRY(brn_ring_pencil(fit, w, modes_max, model, &found));
    double score[BRN_RING_RANKS];
    for (int k = 0; k < found; ++k) {
        score[k] = brn_ring_evaluate(fit, &model[k]) ? score_of(fit, &model[k]) : INFINITY;
    }
    for (int pass = 0; pass < 2; ++pass) {
        int first = -1;
        for (int k = 0; k < found; ++k) {
            first = score[k] < (first < 0 ? INFINITY : score[first]) ? k : first;
        }
        if (first >= 0) {
            (void)consider(fit, model[first], best);
            score[first] = INFINITY;
        }
    }
    return BRN_OK;
}

static void remove_rate(brn_ring_model *model, int index)
{
    const int wide = index < model->modes ? 2 : 1;
    const int at = index < model->modes ? 2 * index : index + model->modes;
    memmove(model->rate + at, model->rate + at + wide,
            (size_t)(brn_ring_rates(model) - at - wide) * sizeof *model->rate);
    *(wide == 2 ? &model->modes : &model->decays) -= 1;
}

/* The decay that, beside the model as it is, leaves least. */
static double find_decay(brn_ring_fit *fit, const brn_ring_model *base)
{
    brn_ring_model model = *base;
    double best = INFINITY;
    double decay = 1.0;
    double *rate = &model.rate[brn_ring_rates(base)];
    ++model.decays;
    for (*rate = 1.0; *rate < 0.5 * fit->count; *rate *= 2.0) {
        if (brn_ring_evaluate(fit, &model) && fit->squares < best) {
            best = fit->squares;
            decay = *rate;
        }
    }
    return decay;
}

/* One part more: the best of a mode, a decay and a drift. */
static brn_status grow(brn_ring_fit *fit, int modes_max, choice *best, bool *grown)
{
    const brn_ring_model base = best->model;
    double w = 0.0;
    double d = 0.0;
    *grown = false;
    if (!brn_ring_evaluate(fit, &base)) {
        return BRN_OK;
    }
    BRN_TRY(brn_ring_find_mode(fit, &w, &d));
    if (base.modes < modes_max) {
        brn_ring_model model = base;
        memmove(model.rate + 2 * base.modes + 2, model.rate + 2 * base.modes,
                (size_t)base.decays * sizeof *model.rate);
        model.rate[2 * base.modes] = w;
        model.rate[2 * base.modes + 1] = d;
        ++model.modes;
        *grown = consider(fit, model, best) || *grown;
    }
    if (base.decays < BRN_RING_DECAYS) {
        brn_ring_model model = base;
        model.rate[2 * base.modes + base.decays] = find_decay(fit, &base);
        ++model.decays;
        *grown = consider(fit, model, best) || *grown;
    }
    if (!base.drift) {
        brn_ring_model model = base;
        model.drift = true;
        *grown = consider(fit, model, best) || *grown;
    }
    return BRN_OK;
}

/* One part less, where that is better. */
static bool shrink(brn_ring_fit *fit, choice *best)
{
    const brn_ring_model base = best->model;
    bool shrunk = false;
    for (int k = 0; k < base.modes + base.decays; ++k) {
        brn_ring_model model = base;
        remove_rate(&model, k);
        shrunk = consider(fit, model, best) || shrunk;
    }
    if (base.drift) {
        brn_ring_model model = base;
        model.drift = false;
        shrunk = consider(fit, model, best) || shrunk;
    }
    return shrunk;
}

brn_status brn_ring_select(brn_ring_fit *fit, int modes_max, brn_ring_model *out)
{
    enum { ROUNDS = 30 };
    choice best = {.score = INFINITY};
    double w = 0.0;
    double d = 0.0;
    (void)consider(fit, (brn_ring_model){0}, &best);
    BRN_TRY(brn_ring_find_mode(fit, &w, &d));
    BRN_TRY(consider_pencil(fit, w, modes_max, &best));
    bool going = true;
    for (int round = 0; going && round < ROUNDS; ++round) {
        BRN_TRY(brn_ctx_check(fit->ctx));
        BRN_TRY(grow(fit, modes_max, &best, &going));
        going = shrink(fit, &best) || going;
    }
    *out = best.model;
    return brn_ring_evaluate(fit, out)
               ? BRN_OK
               : brn_fail(fit->ctx, BRN_ERR_NOT_FINITE, "ring-down: the samples cannot be fitted");
}
