#include "step/acm/acm.h"

#include <math.h>
#include <string.h>

static const char *const schedule_words[] = {"levels", "exact", "synchronous", NULL};
static const char *const detector_words[] = {"window", "kds", NULL};
static const char *const layer_words[] = {"quadratic", "cubic", NULL};

static const brn_param params[] = {
    BRN_P_CHOICE(
        brn_acm_params, schedule, BRN_ACM_BY_LEVELS, schedule_words,
        "when forces act. levels: at steps of powers of two, many at once and on all threads; exact: each "
        "at its own step, one by one from a queue, as published; synchronous: all elements at the "
        "shortest step"),
    BRN_P_CHOICE(
        brn_acm_params, detector, BRN_ACM_WINDOW, detector_words,
        "how collisions are ruled out. window: events are run ahead and proved afterwards, or run again; "
        "kds: a slab between the two parts of every pair, watched from impulse to impulse, as "
        "published. The motion is the same to the bit"),
    BRN_P_CHOICE(brn_acm_params, layers, BRN_ACM_CUBIC, layer_words,
                 "how the force of a penalty layer begins. quadratic: with a kink, as published; cubic: "
                 "smoothly, which keeps "
                 "the energy better over many impacts"),
    BRN_P_REAL(
        brn_acm_params, thickness, "m", 0.0, 0.0, INFINITY, 0,
        "gap at which the first layer of a contact begins; 0: a twentieth of the edges of the body, and "
        "less than gaps at "
        "the start"),
    BRN_P_REAL(brn_acm_params, stiffness, "N/m", 0.0, 0.0, INFINITY, 0,
               "of the first layer of every pair; 0: by the masses and the step of the pair"),
    BRN_P_REAL(brn_acm_params, step, "s", 0.0, 0.0, INFINITY, 0,
               "of the first layer; 0: that of the elements beside it, or what its stiffness asks for"),
    BRN_P_REAL(brn_acm_params, power, "1", 0.0, 0.0, 2.0, 0,
               "layer l begins at thickness l^-power: 1 for slow contact, 0.25 for fast impact; 0: one of "
               "these, by the speeds "
               "at the start"),
    BRN_P_REAL(
        brn_acm_params, safety, "1", 0.1, 0.0, 1.0, BRN_OPEN,
        "step of an element over the longest that is stable on its own: asynchronous steps near 1 resonate"),
    BRN_P_REAL(brn_acm_params, resolution, "1", 0.05, 0.0, 1.0, BRN_OPEN,
               "step of a layer times its frequency, the square root of stiffness over mass, where one of "
               "the two is left open"),
    BRN_P_REAL(brn_acm_params, events, "1", 0.0, 0.0, INFINITY, 0,
               "events allowed in a step of the scene; then the run ends and can be resumed; 0: any number"),
};

static const brn_own_figure figures[] = {
    [BRN_ACM_EVENTS] = {{.name = "acm.events",
                         .label = "force events",
                         .unit = "1",
                         .meaning = "forces of elements, loads and weights that acted",
                         .reduction = BRN_REDUCE_SUM},
                        BRN_REDUCE_SUM},
    [BRN_ACM_CONTACT_EVENTS] = {{.name = "acm.contact_events",
                                 .label = "contact events",
                                 .unit = "1",
                                 .meaning = "pairs whose layers were looked at",
                                 .reduction = BRN_REDUCE_SUM},
                                BRN_REDUCE_SUM},
    [BRN_ACM_DEEPEST] = {{.name = "acm.deepest",
                          .label = "deepest layer",
                          .unit = "1",
                          .meaning = "deepest penalty layer that a contact was in",
                          .reduction = BRN_REDUCE_MAX},
                         BRN_REDUCE_MAX},
    [BRN_ACM_STEP_LEAST] = {{.name = "acm.step_least",
                             .label = "shortest step",
                             .unit = "s",
                             .meaning = "shortest step of a force that acted",
                             .reduction = BRN_REDUCE_MIN},
                            BRN_REDUCE_MIN},
    [BRN_ACM_WINDOWS] = {{.name = "acm.windows",
                          .label = "windows",
                          .unit = "1",
                          .meaning = "stretches of time that were proved free of collisions",
                          .reduction = BRN_REDUCE_SUM},
                         BRN_REDUCE_SUM},
    [BRN_ACM_ROLLBACKS] = {{.name = "acm.rollbacks",
                            .label = "rollbacks",
                            .unit = "1",
                            .meaning = "windows that were run again, with more layers or shorter",
                            .reduction = BRN_REDUCE_SUM},
                           BRN_REDUCE_SUM},
};

static const brn_table table = {
    .name = "acm",
    .help = "asynchronous, variational, event driven: nothing ever meets, energy does not drift; shells and "
            "solids",
    .size = sizeof(brn_acm_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

static void free_nodes(brn_ctx *ctx, brn_acm_nodes *nodes)
{
    brn_free(ctx, nodes->place);
    brn_free(ctx, nodes->velocity);
    brn_free(ctx, nodes->before);
    brn_free(ctx, nodes->clock);
    brn_free(ctx, nodes->received);
}

static void acm_destroy(void *self)
{
    brn_acm *acm = self;
    if (acm == NULL) {
        return;
    }
    brn_ctx *ctx = acm->ctx;
    brn_candidates_destroy(acm->candidates);
    brn_intersect_destroy(acm->intersect);
    brn_skin_destroy(acm->skin);
    brn_acm_forces_free(ctx, &acm->forces);
    brn_acm_layers_free(&acm->layers);
    brn_acm_queue_destroy(ctx, acm->queue);
    brn_acm_kds_destroy(ctx, acm->kds);
    free_nodes(ctx, &acm->nodes);
    free_nodes(ctx, &acm->saved);
    void *arrays[] = {acm->eta,     acm->node_level, acm->inverse, acm->axes, acm->held,
                      acm->held_of, acm->slowing,    acm->touches, acm->from, acm->ahead,
                      acm->strayed, acm->pair,       acm->bucket,  acm->fine, acm->kick,
                      acm->force,   acm->point,      acm->damped,  acm->taken};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(ctx, arrays[i]);
    }
    brn_free(ctx, acm);
}

static brn_status fill(brn_acm *acm)
{
    const brn_model *model = acm->model;
    if (model->ties.count > 0) {
        return brn_fail(acm->ctx, BRN_ERR_SCENE,
                        "method acm has no attachments: leave `attach` out, or use ipc, sap, bbi or none");
    }
    if (!model->mass_diagonal) {
        return brn_fail(acm->ctx, BRN_ERR_SCENE,
                        "method acm needs masses at nodes: write `mass: lumped` for every body");
    }
    BRN_TRY(brn_skin_create(acm->ctx, model, &acm->skin));
    BRN_TRY(brn_intersect_create(acm->ctx, &acm->intersect));
    BRN_TRY(brn_acm_sizes_create(acm));
    BRN_TRY(acm->params->schedule == BRN_ACM_EXACT ? brn_acm_queue_create(acm) : BRN_OK);
    return acm->params->detector == BRN_ACM_KDS ? brn_acm_kds_create(acm) : BRN_OK;
}

static brn_status acm_create(brn_ctx *ctx, const brn_model *model, brn_system *system, void **self)
{
    *self = NULL;
    brn_acm *acm = NULL;
    BRN_ALLOC(ctx, acm, 1);
    acm->ctx = ctx;
    acm->model = model;
    acm->system = system;
    acm->params = model->method_params;
    const brn_status status = fill(acm);
    if (status < 0) {
        acm_destroy(acm);
        return status;
    }
    *self = acm;
    return BRN_OK;
}

static brn_status acm_step(void *self, const brn_state *in, double t, double h, brn_state *out,
                           double *h_done, brn_step_info *info)
{
    brn_acm *acm = self;
    *h_done = h;
    BRN_TRY(brn_acm_load(acm, in, t));
    BRN_TRY(brn_acm_run_until(acm, brn_acm_tick_at(acm, t + h)));
    BRN_TRY(brn_acm_write(acm, in, t + h, h, out, info));
    const brn_acm_sums *sums = &acm->sums;
    const int elements = acm->forces.finest < acm->outer ? acm->forces.finest : acm->outer;
    const int finest = sums->finest < elements ? sums->finest : elements;
    info->own[BRN_ACM_EVENTS] = sums->events;
    info->own[BRN_ACM_CONTACT_EVENTS] = sums->contact_events;
    info->own[BRN_ACM_DEEPEST] = sums->deepest;
    info->own[BRN_ACM_STEP_LEAST] = acm->seconds[finest];
    info->own[BRN_ACM_WINDOWS] = sums->windows;
    info->own[BRN_ACM_ROLLBACKS] = sums->rollbacks;
    info->iterations = (int64_t)(sums->events + sums->contact_events);
    return BRN_OK;
}

static brn_status acm_reset(void *self, brn_state *state, double t, brn_step_info *info)
{
    return brn_acm_start(self, state, t, info);
}

static brn_stage acm_stage(const void *self, const brn_state *state, double t)
{
    (void)self;
    (void)state;
    (void)t;
    return (brn_stage){.inertia = true, .forward = true, .gravity = 1.0};
}

static brn_status acm_predict(const brn_model *model, const brn_system *system, brn_prediction *out)
{
    (void)system;
    *out = (brn_prediction){.step_min = model->step, .steps = (double)model->nstep};
    return BRN_OK;
}

const brn_method brn_acm_method = {
    .table = &table,
    .integrators = 1u << BRN_VARIATIONAL,
    .integrator = BRN_VARIATIONAL,
    .contact = true,
    .lumps = true,
    .bodies = 1u << BRN_BODY_DEFORMABLE | 1u << BRN_BODY_STATIC | 1u << BRN_BODY_SHELL,
    .contact_keys = 1u << BRN_CONTACT_RESTITUTION,
    .contact_instead = {[BRN_CONTACT_STIFFNESS] = "its layers have method.stiffness instead",
                        [BRN_CONTACT_RELAXATION] = "its layers take no energy; contact.restitution does"},
    .figures = figures,
    .nfigures = BRN_COUNT(figures),
    .predict = acm_predict,
    .create = acm_create,
    .step = acm_step,
    .reset = acm_reset,
    .stage = acm_stage,
    .destroy = acm_destroy,
};
