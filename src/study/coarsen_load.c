/* Moduli by the scene's own load instead of the first frequency: the coarse body stores the energy of the fine one when it is loaded in
   equilibrium. A press or a pull that is given by its motion stores energy in proportion to the moduli, a dead load in inverse proportion:
   log energy is close to a line over log scale, whose slope a second run tells (secant rule). */
#include "study/coarsen.h"

#include <math.h>

/* [J] of the loading of a model, or of all of a static run. */
static brn_status load_energy(brn_ctx *ctx, const brn_model *model, double *energy)
{
    const bool staged = model->stages.given && model->stages.loads;
    const double until = staged ? model->stages.until : model->end;
    brn_sim *sim = NULL;
    brn_report report = {0};
    BRN_TRY(brn_sim_create(ctx, model, &sim));
    brn_status status = BRN_OK;
    while (status >= 0 && !brn_sim_done(sim) && brn_sim_time(sim) < until * (1.0 - 1e-9)) {
        status = brn_sim_step(sim, &report);
    }
    brn_sim_destroy(sim);
    *energy = report.elastic;
    return status < 0 ? status : BRN_OK;
}

/* The same of the coarse mesh with the moduli times `scale`. */
static brn_status coarse_energy(brn_coarsen_work *w, double scale, double *energy)
{
    brn_model *model = NULL;
    BRN_TRY(brn_coarsen_set_moduli(w, scale));
    BRN_TRY(brn_model_compile(w->ctx, w->scene, &model));
    const brn_status status = load_energy(w->ctx, model, energy);
    brn_model_destroy(model);
    return status;
}

bool brn_coarsen_has_load(const brn_model *model)
{
    return (model->stages.given && model->stages.loads) || model->integrator == BRN_STATIC;
}

brn_status brn_coarsen_load(brn_coarsen_work *w)
{
    brn_coarsen_result *r = &w->out->result;
    const brn_model *fine = w->out->fine->model;
    BRN_TRY(load_energy(w->ctx, fine, &r->load));
    /* strains of 1e-10 are rounding */
    const double size = brn_body_diagonal(fine, brn_sample_body(w->out->fine));
    return r->load > 1e-20 * w->knobs.modulus[0].value * pow(size, fine->dim)
               ? BRN_OK
               : brn_fail(w->ctx, BRN_ERR_SCENE,
                          "the scene's load stores no energy in its bodies: there is nothing to match");
}

static brn_status seek(brn_coarsen_work *w, double *scale, double *error)
{
    enum { RUNS = 10 };
    const double close = 1e-3, slope_least = 0.1, longest = log(2.0);
    const double want = w->out->result.load;
    double next = *scale, slope = 1.0, off = NAN;
    for (int run = 0; run < RUNS; ++run) {
        double energy = NAN;
        BRN_TRY(coarse_energy(w, next, &energy));
        const double now = log(energy / want);
        if (run == 0) {
            *error = energy / want - 1.0;
        } else {
            slope = (now - off) / log(next / *scale);
        }
        *scale = next;
        off = now;
        if (fabs(off) < close) {
            return BRN_OK;
        }
        if (!(fabs(slope) >= slope_least)) { /* also NaN */
            break;
        }
        next *= exp(fmax(-longest, fmin(-off / slope, longest)));
    }
    return brn_fail(w->ctx, BRN_ERR_CONVERGENCE,
                    "no moduli were found with which the load stores as much energy in a coarse mesh as in "
                    "the fine one (%g J)",
                    want);
}

brn_status brn_coarsen_match_load(brn_coarsen_work *w, double *scale, double *error)
{
    brn_status status = seek(w, scale, error);
    const brn_status back = brn_coarsen_set_moduli(w, 1.0);
    return status < 0 ? status : back;
}
