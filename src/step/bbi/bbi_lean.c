/* Bodies that contact alone has to hold in a static run: without it their tangent K is singular, and the compliance would have no digits left for
   what deforms. Springs between the two sides of points that touch, K + J'kJ, make it regular. Where a point bears and sticks, J s is known from the
   contact problem (it closes what is left of gap and slip), so that the springs change nothing but the force: K s = f + J'(r - k J s), and the step is
   Newton's whatever k is. Where it slips, the spring would slow it down, and there is hardly any along the tangents.

   What stays in balance but would fall from it, such as a body on an edge, has an indefinite tangent even so. Then a little of the mass is added, ten
   times as much until it is definite: the step goes down from there, and the faster the less it is. */
#include "step/bbi/bbi.h"

#include "model/rigid_pose.h"
#include "step/body_sums.h"
#include "step/newton_inner.h"

#include <math.h>
#include <string.h>

/* Of the stiffness of what touches: of springs along what sticks, and along what may slip. */
static const double FIRM = 1e-2, LOOSE = 1e-6;
/* How often the mass in the tangent grows, and by how much. */
enum { GROWTHS = 6 };
static const double GROWTH = 10.0;
/* What slides or rolls far goes on by steps of the same length, which nothing but these springs and this mass limits: then there is less of them. */
static const double CREEP = 0.5, EASE = 0.1, EASE_LEAST = 1e-3;

/* [rad] A step that turns a body further has lost its equilibrium, and found another one by chance. */
static const double TIPPED = 0.5;

/* [N/m] of the softer side that can move. */
static double stiffness_of(const brn_bbi *bbi, const brn_bbi_point *p)
{
    const int dim = bbi->model->dim;
    double side[2] = {0.0, 0.0};
    for (int k = p->first; k < p->first + p->count; ++k) {
        for (int d = 0; d < dim; ++d) {
            const int dof = bbi->row[k] * dim + d;
            const double stiff = bbi->model->fixed[dof] == BRN_DOF_HELD ? 0.0 : bbi->newton->stiffness[dof];
            side[bbi->weight[k] < 0.0] += fabs(bbi->weight[k]) * stiff / dim;
        }
    }
    return side[0] > 0.0 && side[1] > 0.0 ? fmin(side[0], side[1]) : fmax(side[0], side[1]);
}

/* sum += J'kJ of a point. */
static void add_spring(const brn_bbi *bbi, const brn_bbi_point *p, double loose, brn_block_matrix *sum)
{
    const int dim = bbi->model->dim;
    const double *normal = &p->touch.frame[dim * (dim - 1)];
    for (int k = p->first; k < p->first + p->count; ++k) {
        for (int m = p->first; m < p->first + p->count; ++m) {
            const int block =
                bbi->row[k] <= bbi->row[m] ? brn_block_matrix_find(sum, bbi->row[k], bbi->row[m]) : -1;
            const double weight = bbi->weight[k] * bbi->weight[m];
            for (int s = 0; s < dim * dim && block >= 0; ++s) {
                const double along = normal[s / dim] * normal[s % dim];
                const double across = (s / dim == s % dim ? 1.0 : 0.0) - along;
                sum->value[(size_t)block * (size_t)(dim * dim) + (size_t)s] +=
                    weight * (p->spring * along + loose * across);
            }
        }
    }
}

/* The pattern of base and of all springs. */
static brn_status join(brn_bbi *bbi, const brn_block_matrix *base)
{
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    brn_stencils *lists = NULL;
    int count = 0;
    BRN_TAKE(arena, lists, bbi->npoint + 1);
    for (int i = 0; i < bbi->npoint; ++i) {
        const brn_bbi_point *p = &bbi->point[i];
        if (p->spring > 0.0) {
            lists[count++] = (brn_stencils){1, p->count, &bbi->row[p->first]};
        }
    }
    const brn_status status = brn_block_matrix_join(base, lists, count, &bbi->leaning);
    brn_arena_rewind(arena, mark);
    BRN_TRY(status);
    return brn_block_matrix_load(bbi->leaning, base);
}

/* The points that get springs: those that bear; and as long as a body has none of these, all that touch it. */
static brn_status choose_springs(brn_bbi *bbi, bool *any)
{
    const brn_model *model = bbi->model;
    bool *rests = NULL; /* [nbody] something bears it, or nothing has to */
    BRN_TAKE(brn_ctx_arena(bbi->ctx), rests, model->nbody);
    for (int b = 0; b < model->nbody; ++b) {
        rests[b] = model->body[b].type == BRN_BODY_STATIC;
    }
    for (int i = 0; i < bbi->npoint; ++i) {
        const int *body = bbi->point[i].touch.body;
        if (bbi->point[i].force[0] > 0.0) {
            rests[body[0]] = rests[body[1]] = true;
        }
    }
    for (int i = 0; i < bbi->npoint; ++i) {
        brn_bbi_point *p = &bbi->point[i];
        const bool wanted = p->force[0] > 0.0 || (brn_bbi_touches(bbi, p) &&
                                                  !(rests[p->touch.body[0]] && rests[p->touch.body[1]]));
        p->spring = bbi->newton->shift > 0.0 && wanted ? FIRM * stiffness_of(bbi, p) : 0.0;
        *any = *any || p->spring > 0.0;
    }
    return BRN_OK;
}

/* Whether it is held along its tangents, as far as is known: one that bears without friction was found to slip. */
static bool sticks(const brn_bbi *bbi, const brn_bbi_point *p)
{
    return bbi->no_slip && (p->force[0] == 0.0 || p->force[1] != 0.0 || p->force[2] != 0.0);
}

brn_status brn_bbi_lean(void *self, const double *x, brn_block_matrix *base, brn_block_matrix **sum)
{
    brn_bbi *bbi = self;
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    bool any = false;
    (void)x;
    *sum = base;
    const brn_status status = choose_springs(bbi, &any);
    brn_arena_rewind(arena, mark);
    BRN_TRY(status);
    if (!any) {
        return BRN_OK;
    }
    BRN_TRY(join(bbi, base));
    for (int i = 0; i < bbi->npoint; ++i) {
        brn_bbi_point *p = &bbi->point[i];
        p->loose = sticks(bbi, p) ? p->spring : bbi->ease * LOOSE / FIRM * p->spring;
        if (p->spring > 0.0) {
            add_spring(bbi, p, p->loose, bbi->leaning);
        }
    }
    *sum = bbi->leaning;
    return BRN_OK;
}

void brn_bbi_lean_forces(brn_bbi *bbi)
{
    for (int i = 0; i < bbi->npoint; ++i) {
        brn_bbi_point *p = &bbi->point[i];
        double way[3];
        if (!(p->force[0] > 0.0 && p->spring > 0.0)) {
            continue;
        }
        brn_bbi_look(bbi, p, bbi->newton->step, way);
        p->force[0] = fmax(0.0, p->force[0] - p->spring * way[0]);
        for (int k = 1; k < bbi->model->dim && sticks(bbi, p); ++k) {
            p->force[k] -= p->loose * way[k];
        }
    }
}

/* [rad] How far a body has turned since the start of the step, and its centre now. */
static double turn_of(const brn_bbi *bbi, int b, double centre[3])
{
    const brn_model *model = bbi->model;
    double start[3];
    double rest[3];
    double turn[2][9];
    double trace = 0.0;
    brn_body_mean(model, b, bbi->from, start);
    brn_body_mean(model, b, bbi->newton->x, centre);
    brn_body_mean(model, b, model->rest[0], rest);
    brn_body_turn(model, b, bbi->from, start, rest, turn[0]);
    brn_body_turn(model, b, bbi->newton->x, centre, rest, turn[1]);
    for (int k = 0; k < 9; ++k) {
        trace += turn[0][k] * turn[1][k];
    }
    return acos(fmax(-1.0, fmin(1.0, 0.5 * (trace - 1.0))));
}

brn_status brn_bbi_lean_upright(const brn_bbi *bbi)
{
    const brn_model *model = bbi->model;
    for (int b = 0; b < model->nbody && bbi->newton->rolls; ++b) {
        double at[3];
        const double turn = model->body[b].type != BRN_BODY_STATIC ? turn_of(bbi, b, at) : 0.0;
        if (turn > TIPPED) {
            return brn_fail(
                bbi->ctx, BRN_ERR_CONVERGENCE,
                "t = %g s: '%s' has no equilibrium on its contacts: it rolls or tips over, by %.2g "
                "rad in a step, to [%.3g, %.3g, %.3g]: hold it, load it less or nearer to what it "
                "stands on, give it more to rest on, or take an integrator with inertia",
                bbi->newton->scheme->t, model->body[b].name, turn, at[0], at[1], at[2]);
        }
    }
    return BRN_OK;
}

void brn_bbi_lean_ease(brn_bbi *bbi, double length, double before, double shrunk)
{
    const bool creeps = shrunk > CREEP && length > CREEP * before && length * CREEP < before;
    if (bbi->newton->rolls && bbi->newton->taken == 1.0 && creeps) {
        bbi->ease = fmax(EASE_LEAST, bbi->ease * EASE);
    }
}

brn_status brn_bbi_lean_direction(brn_bbi *bbi, bool *projected, brn_step_info *info)
{
    brn_newton *n = bbi->newton;
    const int tangent = n->params.tangent;
    const double least = n->shift;
    brn_status status = BRN_ERR_SINGULAR;
    n->params.tangent = BRN_NEWTON_EXACT;
    *projected = false;
    bbi->lean_shift = fmax(bbi->ease * least, bbi->lean_shift / GROWTH);
    for (int k = 0; k < GROWTHS && status == BRN_ERR_SINGULAR; ++k) {
        n->shift = bbi->lean_shift;
        status = brn_newton_direction(n, projected, info);
        bbi->lean_shift *= status == BRN_ERR_SINGULAR ? GROWTH : 1.0;
    }
    n->params.tangent = tangent;
    n->shift = least;
    if (status == BRN_ERR_SINGULAR) {
        bbi->lean_shift = 0.0;
        *projected = true;
        status = brn_newton_direction(n, projected, info);
    }
    return status;
}
