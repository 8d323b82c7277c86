/* The thickness of contact against the deflection of what it presses on: gaps of a barrier are a layer that is not there in
   the world. Where motions are given (a tool that presses, an impact) the deflection of a body, and with it the force, is off
   by about their ratio. An impact is short, so that of every body the moment counts at which contact has pressed it hardest so
   far; the state remembers it. Where weights and loads are given the force is right whatever the gap, and so is the deflection: bodies
   with no more force on them than these explain do not count. */
#include "step/ipc/ipc.h"

#include "linalg/dense.h"
#include "phys/rotation.h"

#include <math.h>
#include <string.h>

/* Pairs with less than this fraction of the largest force on a body say nothing about its thickness. */
static const double CARRIES = 0.01;
/* In a stack the forces on a body are twice what is given; more if it is wedged in. */
static const double EXPLAINED = 4.0;

/* For every body: the largest sum of forces so far [N], and the thickness then. */
static const char MEMORY[] = "ipc.thickness";
enum { MEMORY_FORCE, MEMORY_RATIO, MEMORY_SIZE };

static void mean_place(const brn_boundary *b, const double *x, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int n = 0; n < b->nnode; ++n) {
        for (int i = 0; i < 3; ++i) {
            out[i] += x[3 * b->node[n] + i] / b->nnode;
        }
    }
}

/* How much the distance of two nodes of the surface may have changed [m]: twice the largest distance of a node from where the
   best rigid placement of the rest shape has it. The rotation is the one nearest to sum (x - centre) (X - centre)'. */
static double deflection(const brn_model *model, const brn_boundary *b, const double *x)
{
    const double *rest = &model->rest[0][0];
    double centre[3];
    double centre_rest[3];
    double spread[9] = {0};
    double r[9];
    double most = 0.0;
    mean_place(b, x, centre);
    mean_place(b, rest, centre_rest);
    for (int n = 0; n < b->nnode; ++n) {
        const int at = 3 * b->node[n];
        for (int k = 0; k < 9; ++k) {
            spread[k] += (x[at + k / 3] - centre[k / 3]) * (rest[at + k % 3] - centre_rest[k % 3]);
        }
    }
    if (model->dim == 2) {
        spread[8] = fabs(spread[0]) + fabs(spread[1]) + fabs(spread[3]) + fabs(spread[4]); /* stays plane */
    }
    brn_rotation_nearest(spread, r);
    for (int n = 0; n < b->nnode; ++n) {
        const int at = 3 * b->node[n];
        double arm[3];
        double turned[3];
        double square = 0.0;
        for (int i = 0; i < 3; ++i) {
            arm[i] = rest[at + i] - centre_rest[i];
        }
        brn_dense_apply3(r, arm, turned);
        for (int i = 0; i < 3; ++i) {
            const double off = x[at + i] - centre[i] - turned[i];
            square += off * off;
        }
        most = fmax(most, square);
    }
    return 2.0 * sqrt(most);
}

/* All weights and loads [N], each counted with its magnitude. */
static double given_force(const brn_ipc *ipc)
{
    const brn_model *model = ipc->model;
    const double *g = ipc->system->controls->gravity;
    double mass = 0.0;
    double area = 0.0;
    double sum = 0.0;
    for (int b = 0; b < model->nbody; ++b) {
        mass += model->body[b].type != BRN_BODY_STATIC ? model->body[b].mass : 0.0;
    }
    for (int i = 0; i < ipc->skin->npoint; ++i) {
        area += ipc->skin->node_area[ipc->skin->point[i]];
    }
    for (int l = 0; l < model->nload; ++l) {
        const brn_load *load = &model->load[l];
        sum += fabs(load->pressure) * area;
        for (int n = 0; n < load->nnode; ++n) {
            sum += sqrt(brn_dense_dot3(&load->force[3 * n], &load->force[3 * n]));
        }
    }
    return sum + mass * sqrt(brn_dense_dot3(g, g));
}

brn_status brn_ipc_measure_thickness(brn_ipc *ipc, const brn_state *in, brn_state *out, double *thickness)
{
    const brn_model *model = ipc->model;
    brn_arena *arena = brn_ctx_arena(ipc->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const size_t count = (size_t)MEMORY_SIZE * (size_t)model->nbody;
    const brn_memory *before = in != NULL ? brn_state_recall(in, MEMORY) : NULL;
    const bool known = before != NULL && before->count == count;
    double *memory = NULL;
    double(*body)[3] =
        NULL; /* sum of forces, largest force [N], largest gap [m] of points with a noticeable part of it */
    *thickness = 0.0;
    BRN_TRY(brn_state_remember(out, MEMORY, count, &memory));
    BRN_TAKE(arena, body, model->nbody);
    memset(body, 0, (size_t)model->nbody * sizeof *body);
    for (int i = 0; i < 2 * ipc->npoint; ++i) {
        const brn_contact_point *p = &ipc->point[i / 2];
        double *to = body[p->body[i % 2]];
        to[0] += p->normal_force;
        to[1] = fmax(to[1], p->normal_force);
    }
    for (int i = 0; i < 2 * ipc->npoint; ++i) {
        const brn_contact_point *p = &ipc->point[i / 2];
        double *to = body[p->body[i % 2]];
        to[2] = p->normal_force > CARRIES * to[1] ? fmax(to[2], p->gap) : to[2];
    }
    const double given = EXPLAINED * given_force(ipc);
    for (int b = 0; b < model->nbody; ++b) {
        double *most = &memory[MEMORY_SIZE * b];
        most[MEMORY_FORCE] = known ? before->value[MEMORY_SIZE * b + MEMORY_FORCE] : 0.0;
        most[MEMORY_RATIO] = known ? before->value[MEMORY_SIZE * b + MEMORY_RATIO] : 0.0;
        if (body[b][0] > fmax(given, most[MEMORY_FORCE]) && brn_body_has_cells(model->body[b].type)) {
            const double change = deflection(model, model->body[b].boundary, out->node_pos);
            most[MEMORY_FORCE] = body[b][0];
            most[MEMORY_RATIO] = change > 0.0 ? body[b][2] / change : INFINITY;
        }
        *thickness = fmax(*thickness, most[MEMORY_RATIO]);
    }
    brn_arena_rewind(arena, mark);
    return BRN_OK;
}
