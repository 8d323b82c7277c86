#include "api/start.h"

#include "api/registry.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdio.h>

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

/* ---- without gravity ---------------------------------------------------------------------------------------------------- */

/* A push that has no weight to be compared with is judged by what it does. Forces end when parts are dhat apart: let d be the
   part of dhat that the smallest gap of a body lacks, L the cube root of its volume, E Young's modulus, m the mass.
   - Forces that balance each other, of sum F, strain it by about F/(E L^2), but not by more than d/L.
   - A net force F pushes a free body away. Barriers fall off with the square of d or faster, so it does the work F d/3 at
     most and the speed is sqrt(2 F d/(3 m)), but not more than d/h: a long step leaves contact at once. A body that is
     held must bear the net force too. */
static const double STRAIN = 0.01;
static const double WAY = 0.1;    /* of the body's size, within the run */
static const double FASTER = 0.1; /* of the largest speed at the start */

/* [N] The sum of the normal forces on a body; *depth [m]: d above. */
static double squeeze_of(const brn_sim *sim, int body, double *depth)
{
    double sum = 0.0;
    for (int i = 0; i < sim->info.npoint; ++i) {
        const brn_contact_point *p = &sim->point[i];
        if (p->body[0] == body || p->body[1] == body) {
            sum += p->normal_force;
            *depth = fmax(*depth, sim->info.complementarity_offset - p->gap);
        }
    }
    return sum;
}

/* The smallest of its materials; +infinity: it does not deform. */
static double young_of(const brn_model *model, const brn_body *body)
{
    double young = INFINITY;
    for (int i = 0; i < body->group_count && body->type != BRN_BODY_RIGID; ++i) {
        const double one = model->group[body->group_first + i]->young;
        young = one > 0.0 ? fmin(young, one) : young;
    }
    return young;
}

static bool is_held(const brn_model *model, const brn_body *body)
{
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        for (int i = 0; model->node_row[a] >= 0 && i < model->dim; ++i) {
            if (model->fixed[model->node_row[a] * model->dim + i] == BRN_DOF_HELD) {
                return true;
            }
        }
    }
    return false;
}

static double fastest(const brn_sim *sim)
{
    double speed2 = 0.0;
    for (int a = 0; a < sim->model->nnode; ++a) {
        const double *v = &sim->state->node_vel[3 * a];
        speed2 = fmax(speed2, brn_dense_dot3(v, v));
    }
    return sqrt(speed2);
}

/* How bad a push is: above 1 it is worth a warning. */
static double judge_weightless(const brn_sim *sim, int number, double fastest_speed, brn_start *out)
{
    const brn_model *model = sim->model;
    const brn_body *body = &model->body[number];
    const double *net = sim->contact_force[number];
    const double size = pow(body->volume, 1.0 / model->dim);
    const bool free = model->integrator != BRN_STATIC && !is_held(model, body);
    const double push = free ? sqrt(brn_dense_dot3(net, net)) : 0.0;
    double depth = 0.0;
    out->force = squeeze_of(sim, number, &depth);
    out->strain = fmin((out->force - push) / (young_of(model, body) * body->volume / size), depth / size);
    out->speed = fmin(sqrt(2.0 / 3.0 * push * depth / body->mass), depth / model->step);
    const double thrown = fmin(out->speed * model->end / (WAY * size), out->speed / (FASTER * fastest_speed));
    return out->speed > 0.0 ? fmax(out->strain / STRAIN, thrown) : out->strain / STRAIN;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------- */

static double judge(const brn_sim *sim, int number, double g, double fastest_speed, brn_start *out)
{
    if (!(g > 0.0)) {
        return judge_weightless(sim, number, fastest_speed, out);
    }
    out->force = push_on(sim, number);
    out->weight = sim->model->body[number].mass * g;
    return out->force / (MUCH * out->weight);
}

void brn_start_measure(const brn_sim *sim, brn_start *out)
{
    const brn_model *model = sim->model;
    const double g = sqrt(brn_dense_dot3(model->gravity, model->gravity));
    const double speed = fastest(sim);
    const brn_start none = {.contacts = sim->info.contacts, .gap_min = sim->info.gap_min, .body = -1};
    *out = none;
    double most = 0.0;
    for (int b = 0; b < model->nbody && sim->info.npoint > 0; ++b) {
        const brn_body *body = &model->body[b];
        if (body->type == BRN_BODY_STATIC || !(body->mass > 0.0)) {
            continue;
        }
        brn_start one = none;
        const double bad = judge(sim, b, g, speed, &one);
        if (bad > most) {
            most = bad;
            *out = one;
            out->body = b;
            out->throws = bad > 1.0;
        }
    }
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
    char doubts[400];
    if (sim->method->warn != NULL && sim->method->warn(sim->self, doubts, sizeof doubts)) {
        brn_log(sim->ctx, BRN_LOG_WARNING, "%s", doubts);
    }
    if (start->throws) {
        char effect[80];
        if (start->weight > 0.0) {
            (void)snprintf(effect, sizeof effect, "%.3g times its weight", start->force / start->weight);
        } else if (start->strain > STRAIN) {
            (void)snprintf(effect, sizeof effect, "enough to strain it by %.2g %%", 100.0 * start->strain);
        } else {
            (void)snprintf(effect, sizeof effect, "enough to throw it at %.2g m/s", start->speed);
        }
        brn_log(sim->ctx, BRN_LOG_WARNING,
                "body '%s' starts with a contact force of %.3g N, %s: parts closer than %.3g m "
                "repel each other; move it away from what it touches, or make method.dhat smaller than the "
                "smallest gap, %.3g m",
                model->body[start->body].name, start->force, effect, sim->info.complementarity_offset,
                start->gap_min);
    }
}

brn_status brn_model_rehearse(brn_ctx *ctx, const brn_model *model, brn_start *out, char **choices)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, model);
    BRN_GIVEN(ctx, out);
    BRN_GIVEN(ctx, choices);
    brn_sim *sim = NULL;
    *out = (brn_start){.body = -1, .gap_min = INFINITY};
    *choices = NULL;
    BRN_TRY(brn_sim_create(ctx, model, &sim));
    brn_start_measure(sim, out);
    brn_start_tell(sim, out);
    const brn_status status = brn_sim_choices(sim, true, choices);
    brn_sim_destroy(sim);
    return status;
}
