#include "step/ahead.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* Of the system's size: touching bodies are found, whatever rounding says. */
static const double LEAST = 1e-9;

static brn_status fill(brn_ahead *ahead)
{
    const brn_model *model = ahead->system->model;
    BRN_ALLOC(ahead->ctx, ahead->hold, model->nnode + 1);
    BRN_ALLOC(ahead->ctx, ahead->place, 3 * (size_t)model->nnode + 1);
    BRN_ALLOC(ahead->ctx, ahead->reach, model->nbody + 1);
    BRN_ALLOC(ahead->ctx, ahead->own, model->nbody + 1);
    BRN_ALLOC(ahead->ctx, ahead->last, model->nbody + 1);
    BRN_ALLOC(ahead->ctx, ahead->last_own, model->nbody + 1);
    for (int a = 0; a < model->nnode; ++a) {
        ahead->hold[a] = -1;
    }
    for (int b = 0; b < model->nbody; ++b) {
        const int hold = model->body[b].type == BRN_BODY_STATIC ? brn_model_body_hold(model, b) : -1;
        for (int a = model->body[b].node_first; a < model->body[b].node_first + model->body[b].node_count;
             ++a) {
            ahead->hold[a] = hold;
        }
    }
    return BRN_OK;
}

brn_status brn_ahead_create(brn_ctx *ctx, const brn_system *system, brn_ahead **out)
{
    *out = NULL;
    brn_ahead *ahead = NULL;
    BRN_ALLOC(ctx, ahead, 1);
    ahead->ctx = ctx;
    ahead->system = system;
    const brn_status status = fill(ahead);
    if (status < 0) {
        brn_ahead_destroy(ahead);
        return status;
    }
    *out = ahead;
    return BRN_OK;
}

void brn_ahead_destroy(brn_ahead *ahead)
{
    if (ahead == NULL) {
        return;
    }
    brn_free(ahead->ctx, ahead->hold);
    brn_free(ahead->ctx, ahead->place);
    brn_free(ahead->ctx, ahead->reach);
    brn_free(ahead->ctx, ahead->own);
    brn_free(ahead->ctx, ahead->last);
    brn_free(ahead->ctx, ahead->last_own);
    brn_free(ahead->ctx, ahead);
}

/* [m] Where a node goes in the step: on as it did; with an obstacle, as that is moved, which may begin or turn suddenly. */
static void way_of(const brn_ahead *ahead, const brn_state *in, int node, double t, double h, double way[3])
{
    const brn_controls *controls = ahead->system->controls;
    const int hold = ahead->hold[node];
    for (int i = 0; i < 3; ++i) {
        way[i] = h * in->node_vel[3 * node + i];
    }
    if (hold >= 0 &&
        (controls->shift[hold].on || brn_motion_moves(&ahead->system->model->hold[hold].motion))) {
        brn_controls_place(controls, hold, node, t + h, way, NULL);
        for (int i = 0; i < 3; ++i) {
            way[i] -= in->node_pos[3 * node + i];
        }
    }
}

/* ---- what bodies go ------------------------------------------------------------------------------------------------------------- */

/* A motion as a whole: of the middle of the nodes, and a small turn about it. Any one would do; this is about the nearest. */
typedef struct whole {
    double middle[3], way[3], turn[3];
} whole;

static void find_middle(const brn_body *body, const double *from, const double *x, whole *out)
{
    memset(out, 0, sizeof *out);
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        for (int i = 0; i < 3; ++i) {
            out->middle[i] += from[3 * a + i] / body->node_count;
            out->way[i] += (x[3 * a + i] - from[3 * a + i]) / body->node_count;
        }
    }
}

/* Of least squares. What lies on a line turns as well a hair thicker. */
static void find_turn(const brn_body *body, const double *from, const double *x, whole *out)
{
    static const double HAIR = 1e-9;
    double sum[9] = {0};
    double moment[3] = {0};
    double inertia[9];
    double inverse[9];
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        double r[3];
        double way[3];
        double part[3];
        for (int i = 0; i < 3; ++i) {
            r[i] = from[3 * a + i] - out->middle[i];
            way[i] = x[3 * a + i] - from[3 * a + i] - out->way[i];
        }
        brn_dense_cross3(r, way, part);
        for (int k = 0; k < 9; ++k) {
            sum[k] += r[k / 3] * r[k % 3];
            moment[k % 3] += k < 3 ? part[k] : 0.0;
        }
    }
    const double trace = sum[0] + sum[4] + sum[8];
    for (int k = 0; k < 9; ++k) {
        inertia[k] = (k % 4 == 0 ? (1.0 + HAIR) * trace : 0.0) - sum[k];
    }
    if (trace > 0.0) {
        (void)brn_dense_inverse3(inertia, inverse);
        brn_dense_apply3(inverse, moment, out->turn);
    }
}

/* [m] The longest way of a node of a body from -> x. */
static double longest_way(const brn_body *body, const double *from, const double *x)
{
    double longest = 0.0;
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        const double way[3] = {x[3 * a] - from[3 * a], x[3 * a + 1] - from[3 * a + 1],
                               x[3 * a + 2] - from[3 * a + 2]};
        longest = fmax(longest, brn_dense_dot3(way, way));
    }
    return sqrt(longest);
}

/* [m] By how much two nodes of a body may come nearer: a small turn brings none together. */
static double longest_own(const brn_model *model, const brn_body *body, const double *from, const double *x)
{
    double longest = 0.0;
    whole of;
    if (!model->contact_self || body->type == BRN_BODY_RIGID || body->type == BRN_BODY_STATIC) {
        return 0.0;
    }
    find_middle(body, from, x, &of);
    find_turn(body, from, x, &of);
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        double r[3];
        double way[3];
        double turned[3];
        for (int i = 0; i < 3; ++i) {
            r[i] = from[3 * a + i] - of.middle[i];
        }
        brn_dense_cross3(of.turn, r, turned);
        for (int i = 0; i < 3; ++i) {
            way[i] = x[3 * a + i] - from[3 * a + i] - of.way[i] - turned[i];
        }
        longest = fmax(longest, brn_dense_dot3(way, way));
    }
    return 2.0 * fmin(sqrt(longest), longest_way(body, from, x));
}

void brn_ahead_around(const brn_ahead *ahead, const double *from, const double *x, double times, double least,
                      double *reach, double *own)
{
    const brn_model *model = ahead->system->model;
    for (int b = 0; b < model->nbody; ++b) {
        reach[b] = times * longest_way(&model->body[b], from, x) + least;
        own[b] = times * longest_own(model, &model->body[b], from, x) + 2.0 * least;
    }
}

brn_contact_reach brn_ahead_look(brn_ahead *ahead, const brn_state *in, double t, double h)
{
    const brn_system *system = ahead->system;
    const brn_model *model = system->model;
    const double *g = system->controls->gravity;
    const double fall = h * h * sqrt(brn_dense_dot3(g, g));
    for (int a = 0; a < model->nnode; ++a) {
        double way[3];
        way_of(ahead, in, a, t, h, way);
        for (int i = 0; i < 3; ++i) {
            ahead->place[3 * a + i] = in->node_pos[3 * a + i] + way[i];
        }
    }
    brn_ahead_around(ahead, in->node_pos, ahead->place, 1.0, LEAST * system->size, ahead->reach, ahead->own);
    for (int b = 0; b < model->nbody; ++b) {
        ahead->reach[b] += model->body[b].type != BRN_BODY_STATIC ? fall : 0.0;
        ahead->own[b] += 2.0 * fall;
    }
    return (brn_contact_reach){ahead->place, ahead->reach, ahead->own};
}

bool brn_ahead_outrun(brn_ahead *ahead, const double *from, const double *x, brn_contact_reach *further)
{
    const brn_model *model = ahead->system->model;
    const double least = LEAST * ahead->system->size;
    bool outran = false;
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        const size_t first = 3 * (size_t)body->node_first;
        const double way = body->type != BRN_BODY_STATIC ? longest_way(body, from, x) : 0.0;
        const double own = longest_own(model, body, from, x);
        outran = outran || way > ahead->reach[b] || own > ahead->own[b];
        ahead->last[b] = ahead->reach[b];
        ahead->last_own[b] = ahead->own[b];
        ahead->reach[b] = fmax(ahead->reach[b], way + least);
        ahead->own[b] = fmax(ahead->own[b], own + 2.0 * least);
        if (body->type != BRN_BODY_STATIC) {
            memcpy(&ahead->place[first], &x[first], 3 * (size_t)body->node_count * sizeof *x);
        }
    }
    *further = (brn_contact_reach){ahead->place, ahead->reach, ahead->own};
    return outran;
}

bool brn_ahead_missed(const brn_ahead *ahead, const double *from, const brn_touching_point *point)
{
    const int dim = ahead->system->model->dim;
    const brn_contact_reach last = {.body = ahead->last, .own = ahead->last_own};
    const double looked = brn_contact_reach_of(&last, point->body[0], point->body[1]);
    double gap = point->gap;
    if (!(gap > looked)) {
        return false;
    }
    for (int k = 0; k < point->lever.count; ++k) {
        const int at = 3 * point->lever.node[k];
        for (int i = 0; i < dim; ++i) {
            gap += point->frame[dim * (dim - 1) + i] * point->lever.weight[k] *
                   (ahead->place[at + i] - from[at + i]);
        }
    }
    return gap < 0.0;
}
