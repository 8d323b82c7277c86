#include "step/ipc/ipc_bodies.h"

#include "linalg/dense.h"
#include "step/ipc/ipc.h"

#include <math.h>

/* dhat over size: a thousandth of the strain to be expected, within these bounds; of rigid bodies. */
static const double PER_STRAIN = 1e-3, LEAST = 5e-6, MOST = 1e-3, RIGID = 1e-4;
/* A gap at the start makes dhat a little smaller than itself, but not below this fraction of the size, nor this one of the
   coordinates, whose rounding is 1e-16. */
static const double WITHIN_GAP = 0.99, FLOOR = 1e-8, FLOOR_PLACE = 1e-11;
/* eps_v in sizes a second; of the speed of what is moved, if that is less; but at least, in sizes a second. */
static const double SPEED = 1e-3, OF_MOTION = 1e-3, SPEED_LEAST = 1e-6;
/* Parts of a motion that are slower than this share of its fastest are not what it is about. */
static const double AT_REST = 1e-2;

/* Times of a run at which motions are looked at. */
enum { MOMENTS = 8 };

static double distance(const double a[3], const double b[3])
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* Diagonal of a body's box at rest [m]; *place: its largest coordinate. */
static double measure_size(const brn_model *model, const brn_body *body, double *place)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY};
    double hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int n = 0; n < body->boundary->nnode; ++n) {
        const double *x = model->rest[body->boundary->node[n]];
        for (int i = 0; i < 3; ++i) {
            lo[i] = fmin(lo[i], x[i]);
            hi[i] = fmax(hi[i], x[i]);
            *place = fmax(*place, fabs(x[i]));
        }
    }
    return hypot(hypot(hi[0] - lo[0], hi[1] - lo[1]), hi[2] - lo[2]);
}

/* Young's modulus, the largest, and the strain to be expected, also the largest. */
static double measure_strain(const brn_model *model, const brn_body *body, double size, double *young)
{
    const double *g = model->gravity;
    const double weight = sqrt(brn_dense_dot3(g, g)) * size;
    double speed2 = 0.0;
    double strain = 0.0;
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        speed2 = fmax(speed2, brn_dense_dot3(model->vel0[a], model->vel0[a]));
    }
    for (int i = 0; i < body->group_count; ++i) {
        const brn_element_group *group = model->group[body->group_first + i];
        const double bend = body->type == BRN_BODY_SHELL ? fmin(1.0, 2.0 * body->radius / size) : 1.0;
        const double soft = group->density / (group->young * bend);
        *young = fmax(*young, group->young);
        if (group->young > 0.0) {
            strain = fmax(strain, fmax(soft * weight, sqrt(soft * speed2)));
        }
    }
    return strain;
}

/* How much the distances of a hold's nodes from node a of another hold change within the run, at most [m]. */
static double guided_change(const brn_ipc *ipc, const brn_hold *hold, const brn_motion *motion, int a)
{
    const brn_model *model = ipc->model;
    const int *node_body = ipc->skin->node_body;
    double most = 0.0;
    for (int k = 0; k < hold->nnode; ++k) {
        const int b = hold->node[k];
        for (int n = 1; n <= MOMENTS && node_body[b] == node_body[a]; ++n) {
            const double t = model->step * (double)model->nstep * n / MOMENTS;
            double x[2][3];
            brn_motion_place(motion, model->rest[a], t, x[0], NULL);
            brn_motion_place(&hold->motion, model->rest[b], t, x[1], NULL);
            most = fmax(most, fabs(distance(x[0], x[1]) - distance(model->rest[a], model->rest[b])));
        }
    }
    return most;
}

/* The strain that holds give a body by their motions: changes of distances from the first node of each, over the size. What
   moves as one is not strained, however far it goes. */
static double guided_strain(const brn_ipc *ipc, int number, double size)
{
    const brn_model *model = ipc->model;
    double most = 0.0;
    for (int m = 0; m < model->nhold; ++m) {
        const brn_hold *one = &model->hold[m];
        if (one->nnode == 0 || ipc->skin->node_body[one->node[0]] != number) {
            continue;
        }
        for (int n = 0; n < model->nhold; ++n) {
            const brn_hold *other = &model->hold[n];
            if (n != m && (brn_motion_moves(&one->motion) || brn_motion_moves(&other->motion))) {
                most = fmax(most, guided_change(ipc, other, &one->motion, one->node[0]));
            }
        }
    }
    return most / size;
}

/* [m/s] of the fastest node of a hold, just before t. */
static double hold_speed(const brn_model *model, const brn_hold *hold, double t)
{
    double most = 0.0;
    for (int k = 0; k < hold->nnode; ++k) {
        double v[3];
        brn_motion_place(&hold->motion, model->rest[hold->node[k]], t, NULL, v);
        most = fmax(most, brn_dense_length3(v));
    }
    return most;
}

/* [m/s] of the slowest part of a motion; +inf: it rests. */
static double motion_speed(const brn_model *model, const brn_hold *hold)
{
    const brn_motion *motion = &hold->motion;
    const int parts = motion->rows > 0 ? motion->rows - 1 : 1;
    double most = 0.0;
    double least = INFINITY;
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < parts; ++k) {
            const double end =
                motion->rows > 0 ? motion->table[4 * (k + 1)] : fmin(motion->until, model->step);
            const double speed = hold_speed(model, hold, end);
            most = fmax(most, speed);
            least = pass == 1 && speed > AT_REST * most ? fmin(least, speed) : least;
        }
    }
    return least;
}

/* eps_v of a body of that size. What is moved slowly drags others along as slowly, and what slips below eps_v hardly rubs. */
static double choose_speed(const brn_model *model, double size)
{
    double slowest = INFINITY;
    for (int m = 0; m < model->nhold; ++m) {
        slowest = brn_motion_moves(&model->hold[m].motion)
                      ? fmin(slowest, motion_speed(model, &model->hold[m]))
                      : slowest;
    }
    return fmin(SPEED * size, fmax(SPEED_LEAST * size, OF_MOTION * slowest));
}

static void choose_body(const brn_ipc *ipc, int number, brn_ipc_body *to)
{
    const brn_model *model = ipc->model;
    const brn_body *body = &model->body[number];
    const brn_ipc_params *p = ipc->params;
    *to = (brn_ipc_body){.size = INFINITY, .dhat = INFINITY, .speed = INFINITY, .kappa_start = INFINITY};
    if (body->type != BRN_BODY_STATIC) {
        double place = 0.0;
        double young = 0.0;
        const double size = measure_size(model, body, &place);
        const double own = measure_strain(model, body, size, &young);
        const double strain = size > 0.0 ? fmax(own, guided_strain(ipc, number, size)) : own;
        const double share =
            body->type == BRN_BODY_RIGID ? RIGID : fmin(fmax(PER_STRAIN * strain, LEAST), MOST);
        to->size = size > 0.0 ? size : ipc->system->size;
        to->dhat = fmax(share * to->size, FLOOR_PLACE * place);
        to->speed = choose_speed(model, to->size);
        to->kappa_start = young > 0.0 ? 0.1 * young : 1.0;
    }
    to->dhat = isnan(p->dhat) ? to->dhat : p->dhat;
    to->speed = isnan(p->friction_speed) ? to->speed : p->friction_speed;
    to->kappa_start = isnan(p->kappa) ? to->kappa_start : p->kappa;
    to->kappa = to->kappa_start;
}

/* The smaller of two bodies gives way to a gap at the start; both, if they are alike. */
static void fit_gap(const brn_ipc *ipc, const brn_contact_pair *pair)
{
    const double gap = WITHIN_GAP * brn_pair_gap(pair);
    const int last = pair->node[brn_touch_count(pair->node) - 1];
    brn_ipc_body *a = &ipc->body[ipc->skin->node_body[pair->node[0]]];
    brn_ipc_body *b = &ipc->body[ipc->skin->node_body[last]];
    const double dhat = fmin(a->dhat, b->dhat);
    double least = fmin(FLOOR * fmin(a->size, b->size), dhat);
    for (int k = 0; k < brn_touch_count(pair->node); ++k) {
        const double *x = ipc->model->rest[pair->node[k]];
        least = fmax(least, FLOOR_PLACE * fmax(fmax(fabs(x[0]), fabs(x[1])), fabs(x[2])));
    }
    const double fitting = fmin(dhat, fmax(gap, least));
    a->dhat = a->dhat == dhat ? fitting : a->dhat;
    b->dhat = b->dhat == dhat ? fitting : b->dhat;
}

void brn_ipc_set_reach(brn_ipc *ipc)
{
    ipc->dhat_least = INFINITY;
    ipc->dhat_most = ipc->speed_most = ipc->size_most = 0.0;
    for (int b = 0; b < ipc->model->nbody; ++b) {
        const double dhat = ipc->body[b].dhat;
        ipc->skin->reach[b] = dhat;
        ipc->dhat_least = fmin(ipc->dhat_least, dhat);
        ipc->dhat_most = isfinite(dhat) ? fmax(ipc->dhat_most, dhat) : ipc->dhat_most;
        if (isfinite(ipc->body[b].size)) {
            ipc->speed_most = fmax(ipc->speed_most, ipc->body[b].speed);
            ipc->size_most = fmax(ipc->size_most, ipc->body[b].size);
        }
    }
}

static brn_status fit_gaps(brn_ipc *ipc, brn_candidates *candidates)
{
    const double *x = &ipc->model->rest[0][0];
    BRN_TRY(brn_candidates_find(candidates, x, x, ipc->dhat_most));
    BRN_GROW(ipc->ctx, ipc->contact, ipc->contact_capacity, brn_candidates_count(candidates));
    BRN_TRY(brn_pairs_find(candidates, x, ipc->dhat_most, ipc->contact, &ipc->ncontact));
    for (int i = 0; i < ipc->ncontact; ++i) {
        fit_gap(ipc, &ipc->contact[i]);
    }
    ipc->ncontact = 0;
    return BRN_OK;
}

brn_status brn_ipc_choose(brn_ipc *ipc)
{
    const double size = ipc->system->size;
    if (size > 0.0 && ipc->params->dhat > size) {
        return brn_fail(
            ipc->ctx, BRN_ERR_RANGE,
            "method.dhat = %g: must be at most the size of the model, %.3g m, or every part of it "
            "repels every other; leave it out and it is chosen from the sizes of the bodies",
            ipc->params->dhat, size);
    }
    BRN_ALLOC(ipc->ctx, ipc->body, ipc->model->nbody);
    for (int b = 0; b < ipc->model->nbody; ++b) {
        choose_body(ipc, b, &ipc->body[b]);
    }
    brn_ipc_set_reach(ipc);
    if (isnan(ipc->params->dhat)) {
        brn_candidates *candidates = NULL;
        BRN_TRY(brn_candidates_create(ipc->ctx, ipc->skin, &candidates));
        const brn_status status = fit_gaps(ipc, candidates);
        brn_candidates_destroy(candidates);
        BRN_TRY(status);
        brn_ipc_set_reach(ipc);
    }
    for (int b = 0; b < ipc->model->nbody; ++b) {
        ipc->body[b].dhat_start = ipc->body[b].dhat;
    }
    return BRN_OK;
}
