#include "api/start.h"

#include "api/registry.h"
#include "linalg/dense.h"

#include <math.h>

/* Contact that pushes a body with more than this many times its weight throws it. */
static const double MUCH = 10.0;

/* [N] How hard contact pushes a body: the sum of the forces on it, or the sum of what presses it against itself. */
static double push_on(const brn_sim *sim, int body)
{
    const double *net = sim->contact_force[body];
    double self = 0.0;
    for (int i = 0; i < sim->info.npoint; ++i) {
        const brn_contact_point *p = &sim->point[i];
        self += p->body[0] == body && p->body[1] == body ? p->normal_force : 0.0;
    }
    return fmax(self, sqrt(brn_dense_dot3(net, net)));
}

void brn_start_measure(const brn_sim *sim, brn_start *out)
{
    const brn_model *model = sim->model;
    const double g = sqrt(brn_dense_dot3(model->gravity, model->gravity));
    *out = (brn_start){.contacts = sim->info.contacts, .gap_min = sim->info.gap_min, .body = -1};
    double most = 0.0;
    for (int b = 0; b < model->nbody && sim->info.npoint > 0; ++b) {
        const brn_body *body = &model->body[b];
        if (body->type == BRN_BODY_STATIC || !(body->mass > 0.0)) {
            continue;
        }
        const double push = push_on(sim, b);
        if (push / body->mass > most) {
            most = push / body->mass;
            out->body = b;
            out->force = push;
            out->weight = body->mass * g;
        }
    }
    out->throws = out->body >= 0 && g > 0.0 && out->force > MUCH * out->weight;
}

static const brn_body *first_obstacle(const brn_model *model)
{
    for (int b = 0; b < model->nbody; ++b) {
        if (model->body[b].type == BRN_BODY_STATIC) {
            return &model->body[b];
        }
    }
    return NULL;
}

void brn_start_tell(const brn_sim *sim, const brn_start *start)
{
    const brn_model *model = sim->model;
    const brn_body *obstacle = first_obstacle(model);
    if (model->method_why != NULL) {
        brn_log(sim->ctx, BRN_LOG_INFO, "method %s: the scene names none, and %s", model->method->name,
                model->method_why);
    }
    if (!sim->method->contact && obstacle != NULL && model->nattach == 0) {
        brn_log(sim->ctx, BRN_LOG_WARNING,
                "method %s: bodies pass through the obstacle '%s'; leave `method` out, or choose one with "
                "contact",
                model->method->name, obstacle->name);
    }
    if (start->throws) {
        brn_log(sim->ctx, BRN_LOG_WARNING,
                "body '%s' starts with a contact force of %.3g N, %.3g times its weight: parts closer than "
                "%.3g m "
                "repel each other; move it away from what it touches, or make method.dhat smaller",
                model->body[start->body].name, start->force, start->force / start->weight,
                sim->info.complementarity_offset);
    }
}

brn_status brn_model_rehearse(brn_ctx *ctx, const brn_model *model, brn_start *out)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, model);
    BRN_GIVEN(ctx, out);
    brn_sim *sim = NULL;
    *out = (brn_start){.body = -1, .gap_min = INFINITY};
    BRN_TRY(brn_sim_create(ctx, model, &sim));
    brn_start_measure(sim, out);
    brn_start_tell(sim, out);
    brn_sim_destroy(sim);
    return BRN_OK;
}
