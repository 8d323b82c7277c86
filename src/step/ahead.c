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
    BRN_ALLOC(ahead->ctx, ahead->last, model->nbody + 1);
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
    brn_free(ahead->ctx, ahead->last);
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

brn_touching_reach brn_ahead_look(brn_ahead *ahead, const brn_state *in, double t, double h)
{
    const brn_system *system = ahead->system;
    const brn_model *model = system->model;
    const double *g = system->controls->gravity;
    const double fall = h * h * sqrt(brn_dense_dot3(g, g));
    double most = 0.0;
    for (int b = 0; b < model->nbody; ++b) {
        double longest = 0.0;
        for (int a = model->body[b].node_first; a < model->body[b].node_first + model->body[b].node_count;
             ++a) {
            double way[3];
            way_of(ahead, in, a, t, h, way);
            longest = fmax(longest, brn_dense_dot3(way, way));
            for (int i = 0; i < 3; ++i) {
                ahead->place[3 * a + i] = in->node_pos[3 * a + i] + way[i];
            }
        }
        ahead->reach[b] =
            sqrt(longest) + (model->body[b].type != BRN_BODY_STATIC ? fall : 0.0) + LEAST * system->size;
        most = fmax(most, ahead->reach[b]);
    }
    ahead->within = 2.0 * most;
    return (brn_touching_reach){ahead->place, ahead->reach, ahead->within};
}

/* [m] The longest way of a node of a body. */
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

/* The reach becomes what bodies went, which stands in `last`, and that the reach that was. */
static void reach_further(brn_ahead *ahead, const double *x)
{
    const brn_model *model = ahead->system->model;
    ahead->last_within = ahead->within;
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        const size_t first = 3 * (size_t)body->node_first;
        const double way = ahead->last[b];
        ahead->last[b] = ahead->reach[b];
        ahead->reach[b] = fmax(ahead->reach[b], way + LEAST * ahead->system->size);
        ahead->within = fmax(ahead->within, 2.0 * ahead->reach[b]);
        if (body->type != BRN_BODY_STATIC) {
            memcpy(&ahead->place[first], &x[first], 3 * (size_t)body->node_count * sizeof *x);
        }
    }
}

bool brn_ahead_outrun(brn_ahead *ahead, const double *from, const double *x, brn_touching_reach *further)
{
    const brn_model *model = ahead->system->model;
    double *way = ahead->last;
    bool outran = false;
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        /* bodies that do not deform are looked for as far as they reach, all others as far as any does */
        const double looked = body->type == BRN_BODY_RIGID ? ahead->reach[b] : 0.5 * ahead->within;
        way[b] = body->type != BRN_BODY_STATIC ? longest_way(body, from, x) : 0.0;
        outran = outran || way[b] > looked;
    }
    if (outran) {
        reach_further(ahead, x);
        *further = (brn_touching_reach){ahead->place, ahead->reach, ahead->within};
    }
    return outran;
}

bool brn_ahead_missed(const brn_ahead *ahead, const double *from, const brn_touching_point *point)
{
    const int dim = ahead->system->model->dim;
    const double looked = point->kind == BRN_TOUCHING_CONVEX
                              ? ahead->last[point->body[0]] + ahead->last[point->body[1]]
                              : ahead->last_within;
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
