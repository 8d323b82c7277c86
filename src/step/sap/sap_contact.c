/* Where bodies can touch within a step, and the constraints that follow. */
#include "base/parallel.h"
#include "contact/overlap.h"
#include "linalg/dense.h"
#include "step/sap/sap.h"

#include <math.h>
#include <string.h>

/* Impulses along the surface below this share of what stops the effective mass at the speed that gravity gives it in a step have
   no direction. */
static const double SOFTENING = 1e-7;
enum { POINT_BLOCK = 64 }; /* of one parallel block */
/* [m/s] A velocity of separation that is always there. */
static const double FAR = 1e100;

/* Deeper than this share of the elements (and than a fall of one step) is more than the give of contacts: bodies were pressed into each
   other past all points, or started so. It comes out over LONG steps, not in one: that would throw them apart. */
static const double DEEP = 0.03;
static const double LONG = 10.0;

/* ---- points ------------------------------------------------------------------------------------------------------------------ */

static double key_of(const brn_sap *sap, int key, const int body[2], double otherwise)
{
    const double *values = sap->model->contact_key[key];
    const double value = values != NULL ? values[brn_model_pair(sap->model, body[0], body[1])] : NAN;
    return isnan(value) ? otherwise : value;
}

/* Velocity of the obstacles' side, in the frame. */
static void set_drift(const brn_sap *sap, brn_sap_point *p)
{
    const int dim = sap->model->dim;
    double v[3] = {0};
    for (int k = 0; k < p->touch->lever.count; ++k) {
        const int node = p->touch->lever.node[k];
        double to[3];
        if (sap->ahead->hold[node] < 0) {
            continue;
        }
        brn_controls_place(sap->system->controls, sap->ahead->hold[node], node, sap->t + sap->h, to, NULL);
        for (int i = 0; i < dim; ++i) {
            v[i] += p->touch->lever.weight[k] * (to[i] - sap->from[3 * node + i]) / sap->h;
        }
    }
    memset(p->drift, 0, sizeof p->drift);
    for (int r = 0; r < dim; ++r) {
        for (int i = 0; i < dim; ++i) {
            p->drift[r] += p->touch->frame[r * dim + i] * v[i];
        }
    }
}

/* A side that faces away carries nothing. */
static bool carries(const brn_touching_point *touch, double stiffness)
{
    return isinf(stiffness) || isinf(touch->area) ? touch->bears : touch->area > 0.0;
}

/* What the law of its pair makes of a point. */
static void add_point(brn_sap *sap, const brn_touching_point *touch)
{
    const double stiffness = key_of(sap, BRN_CONTACT_STIFFNESS, touch->body, INFINITY);
    brn_sap_point *p = &sap->at[sap->nat];
    if (!carries(touch, stiffness)) {
        return;
    }
    *p = (brn_sap_point){
        .touch = touch,
        .stiffness = isinf(stiffness) ? INFINITY : touch->area * stiffness,
        .relaxation = key_of(sap, BRN_CONTACT_RELAXATION, touch->body, 0.0),
        .mu = sap->system->controls->friction[brn_model_pair(sap->model, touch->body[0], touch->body[1])]};
    set_drift(sap, p);
    ++sap->nat;
}

static brn_status list_points(brn_sap *sap)
{
    BRN_GROW(sap->ctx, sap->at, sap->at_capacity, (size_t)sap->touching->count);
    sap->nat = 0;
    for (int i = 0; i < sap->touching->count; ++i) {
        add_point(sap, &sap->touching->point[i]);
    }
    return BRN_OK;
}

brn_status brn_sap_find_contacts(brn_sap *sap, const brn_state *in)
{
    brn_stopwatch *watch = &sap->system->watch;
    double *was = brn_stopwatch_switch(watch, &watch->phases.candidates);
    const brn_contact_reach reach = brn_ahead_look(sap->ahead, in, sap->t, sap->h);
    BRN_TRY(brn_touching_find(sap->touching, in->node_pos, &reach));
    BRN_TRY(list_points(sap));
    (void)brn_stopwatch_switch(watch, was);
    return BRN_OK;
}

brn_status brn_sap_look_again(brn_sap *sap, const brn_state *in, bool *missed)
{
    brn_stopwatch *watch = &sap->system->watch;
    double *was = brn_stopwatch_switch(watch, &watch->phases.candidates);
    brn_contact_reach reach;
    *missed = false;
    if (brn_ahead_outrun(sap->ahead, in->node_pos, sap->newton->x, &reach)) {
        brn_touching_swap(sap->touching);
        BRN_TRY(brn_touching_find(sap->touching, in->node_pos, &reach));
        for (int i = 0; i < sap->touching->count && !*missed; ++i) {
            const brn_touching_point *touch = &sap->touching->point[i];
            *missed = brn_ahead_missed(sap->ahead, in->node_pos, touch) &&
                      carries(touch, key_of(sap, BRN_CONTACT_STIFFNESS, touch->body, INFINITY));
        }
        if (*missed) {
            BRN_TRY(list_points(sap));
        } else {
            brn_touching_swap(sap->touching);
        }
    }
    (void)brn_stopwatch_switch(watch, was);
    return BRN_OK;
}

/* ---- constraints --------------------------------------------------------------------------------------------------------------- */

brn_sap_block *brn_sap_block_for(brn_sap *sap, brn_sap_constraint *c, int row)
{
    for (int i = c->first; i < c->first + c->count; ++i) {
        if (sap->block[i].row == row) {
            return &sap->block[i];
        }
    }
    brn_sap_block *b = &sap->block[c->first + c->count++];
    *b = (brn_sap_block){.row = row};
    return b;
}

/* Adds weight * frame * J for the handle of a link. */
static void add_link(brn_sap *sap, const brn_sap_point *p, brn_sap_constraint *c, const brn_sap_rigid *r,
                     int handle, double weight)
{
    const int *path = brn_sap_path(sap, r);
    for (int k = 0; k < r->path; ++k) {
        const double *j = &r->j_half[(handle * r->path + k) * 9];
        brn_sap_block *b = brn_sap_block_for(sap, c, sap->tree[r->tree].row + path[k]);
        for (int i = 0; i < 9; ++i) {
            const double *f = &p->touch->frame[i / 3 * 3];
            b->j[i] += weight * (f[0] * j[i % 3] + f[1] * j[3 + i % 3] + f[2] * j[6 + i % 3]);
        }
    }
}

/* What acts on a rigid body, summed over its handles. */
typedef struct pull {
    const brn_sap_rigid *rigid;
    double weight, arm[3]; /* arms times weights */
} pull;

static inline void add_pull(brn_sap *sap, const brn_sap_point *p, brn_sap_constraint *c, const pull *from,
                            int dim)
{
    if (from->rigid == NULL) {
        return;
    }
    brn_sap_block *b = brn_sap_block_for(sap, c, from->rigid->row);
    for (int i = 0; i < dim * dim; ++i) {
        b->j[i] += from->weight * p->touch->frame[i];
    }
    b = brn_sap_block_for(sap, c, from->rigid->row + 1);
    for (int k = 0; k < dim; ++k) { /* f . (w x r) = w . (r x f) */
        const double f[3] = {p->touch->frame[k * dim], p->touch->frame[k * dim + 1],
                             dim == 3 ? p->touch->frame[k * dim + 2] : 0.0};
        double moment[3];
        brn_dense_cross3(from->arm, f, moment);
        for (int i = 0; i < dim; ++i) {
            b->j[k * dim + i] += dim == 3 ? moment[i] : i == 0 ? moment[2] : 0.0;
        }
    }
}

/* Adds weight * frame for a node that has a row. Handles of a body follow each other and are added together. */
static inline void add_row(brn_sap *sap, const brn_sap_point *p, brn_sap_constraint *c, int row,
                           double weight, pull *on, int dim)
{
    const brn_sap_rigid *r = sap->row_rigid[row] >= 0 ? &sap->rigid[sap->row_rigid[row]] : NULL;
    if (r == NULL) {
        brn_sap_block *b = brn_sap_block_for(sap, c, row);
        for (int i = 0; i < dim * dim; ++i) {
            b->j[i] += weight * p->touch->frame[i];
        }
        return;
    }
    if (r->tree >= 0) {
        add_link(sap, p, c, r, row - r->handle_row, weight);
        return;
    }
    if (on->rigid != r) {
        add_pull(sap, p, c, on, dim);
        *on = (pull){.rigid = r};
    }
    on->weight += weight;
    for (int i = 0; i < 3; ++i) {
        on->arm[i] += weight * r->arm[row - r->handle_row][i];
    }
}

static inline void add_lever(brn_sap *sap, const brn_sap_point *p, brn_sap_constraint *c, int dim)
{
    pull on = {0};
    for (int n = 0; n < p->touch->lever.count; ++n) {
        const int node = p->touch->lever.node[n];
        const brn_masters of = brn_model_masters(sap->model, node);
        for (int k = 0; k < of.count && sap->ahead->hold[node] < 0; ++k) {
            add_row(sap, p, c, sap->model->node_row[of.node[k]], p->touch->lever.weight[n] * of.weight[k],
                    &on, dim);
        }
    }
    add_pull(sap, p, c, &on, dim);
}

/* At most so many blocks. */
static size_t width_of(const brn_sap *sap, const brn_sap_point *p)
{
    size_t count = 0;
    for (int k = 0; k < p->touch->lever.count; ++k) {
        const brn_masters on = brn_model_masters(sap->model, p->touch->lever.node[k]);
        for (int m = 0; m < on.count; ++m) {
            const int rigid = sap->row_rigid[sap->model->node_row[on.node[m]]];
            count += rigid < 0 ? 1 : sap->rigid[rigid].tree < 0 ? 2 : (size_t)sap->rigid[rigid].path;
        }
    }
    return count;
}

/* Diagonal of J diag(A)^-1 J': how much velocity an impulse gives, along the surface (mean) and along the normal [1/kg]. The published
   measure is one size of all of it; but far below an open gap the lever of friction is long, which must not soften the normal. */
static inline void weights_of(const brn_sap *sap, const brn_sap_constraint *c, int dim, double *slip,
                              double *normal)
{
    double sum[3] = {0};
    for (int k = c->first; k < c->first + c->count; ++k) {
        const brn_sap_block *b = &sap->block[k];
        const double *diagonal = &sap->a->value[(size_t)sap->a->start[b->row] * (size_t)(dim * dim)];
        for (int s = 0; s < dim; ++s) {
            const double inverse = sap->fixed[b->row * dim + s] ? 0.0 : 1.0 / diagonal[s * dim + s];
            for (int r = 0; r < dim; ++r) {
                sum[r] += b->j[r * dim + s] * inverse * b->j[r * dim + s];
            }
        }
    }
    *normal = sum[dim - 1];
    *slip = dim == 3 ? 0.5 * (sum[0] + sum[1]) : sum[0];
}

/* [m] How much of a gap a step is to undo. */
static double undone(const brn_sap *sap, const brn_sap_point *p)
{
    const double *g = sap->system->controls->gravity;
    const double deep =
        DEEP * fmin(sap->touching->size[p->touch->body[0]], sap->touching->size[p->touch->body[1]]) +
        sap->h * sap->h * sqrt(brn_dense_dot3(g, g));
    const bool slow = isinf(p->stiffness) && p->touch->gap < -deep;
    return slow ? -deep + (p->touch->gap + deep) / LONG : p->touch->gap;
}

static inline void constrain(brn_sap *sap, const brn_sap_point *p, bool first, int dim, brn_sap_constraint *c)
{
    const double h = sap->h;
    const double *g = sap->system->controls->gravity;
    *c = (brn_sap_constraint){
        .kind = BRN_SAP_CONTACT, .rows = dim, .first = c->first, .mu = p->mu, .most = first ? -1.0 : c->most};
    add_lever(sap, p, c, dim);
    double slip;
    double normal;
    weights_of(sap, c, dim, &slip, &normal);
    const double stiffest = sap->params->near_rigid * sap->params->near_rigid / (4.0 * M_PI * M_PI) * normal;
    c->r = fmax(stiffest, 1.0 / (h * (h + p->relaxation) * p->stiffness));
    c->r_slip = sap->params->slip_regularisation * slip;
    if (!(slip > 0.0)) { /* held along the surface on both sides */
        c->mu = 0.0;
        c->r_slip = slip = 1.0;
    }
    /* A gap that is still open must not close beyond 0 within the step; relaxation is for what is inside. Without a stiffness of its own
       that takes a whole step of the scene, however short the parts of one: pushed out in less it would gain speed. */
    const double least = isinf(p->stiffness) ? fmax(h, sap->model->step) : h;
    const double back = -undone(sap, p) / (p->touch->gap > 0.0 ? h : least + p->relaxation);
    for (int r = 0; r < dim; ++r) {
        c->target[r] = (r == dim - 1 ? back : 0.0) - p->drift[r];
    }
    if (!(normal > 0.0)) { /* held on both sides: what it would push cannot give way */
        c->r = 1.0;
        c->target[dim - 1] = -FAR;
    }
    c->softening =
        SOFTENING * h * fmax(sqrt(brn_dense_dot3(g, g)), 1e-3 * sap->system->size / (h * h)) / slip;
}

typedef struct constraints {
    brn_sap *sap;
    bool first;
} constraints;

/* One copy of the loops for each dimension, so that the compiler unrolls them. */
static brn_status constrain_block(void *arg, int block, brn_arena *scratch)
{
    const constraints *all = arg;
    brn_sap *sap = all->sap;
    (void)scratch;
    for (int i = block * POINT_BLOCK; i < brn_block_end(sap->nat, POINT_BLOCK, block); ++i) {
        if (sap->model->dim == 3) {
            constrain(sap, &sap->at[i], all->first, 3, &sap->constraint[i]);
        } else {
            constrain(sap, &sap->at[i], all->first, 2, &sap->constraint[i]);
        }
    }
    return BRN_OK;
}

brn_status brn_sap_constrain(brn_sap *sap, bool first)
{
    size_t width = 0;
    size_t count = (size_t)sap->nat;
    brn_sap_joint_room(sap, &count, &width);
    brn_sap_connect_room(sap, &count, &width);
    brn_sap_taut_room(sap, &count, &width);
    brn_sap_hand_room(sap, &count, &width);
    BRN_GROW(sap->ctx, sap->constraint, sap->constraint_capacity, count);
    BRN_GROW(sap->ctx, sap->impulse, sap->impulse_capacity, 3 * count);
    size_t own = 0; /* of contacts; some may stay unused */
    for (int i = 0; i < sap->nat; ++i) {
        sap->constraint[i].first = (int)own;
        own += width_of(sap, &sap->at[i]);
    }
    BRN_GROW(sap->ctx, sap->block, sap->block_capacity, width + own);
    sap->nblock = (int)own;
    constraints all = {sap, first};
    BRN_TRY(brn_parallel_for(sap->ctx, brn_block_count(sap->nat, POINT_BLOCK), constrain_block, &all));
    brn_sap_constrain_joints(sap);
    brn_sap_constrain_connections(sap);
    brn_sap_constrain_taut(sap);
    brn_sap_constrain_hand(sap);
    return BRN_OK;
}

static inline void add_velocities(const brn_sap *sap, const brn_sap_constraint *c, int rows, int dim,
                                  double v[3])
{
    for (int k = c->first; k < c->first + c->count; ++k) {
        const double *u = &sap->u[sap->block[k].row * dim];
        for (int r = 0; r < rows; ++r) {
            for (int s = 0; s < dim; ++s) {
                v[r] += sap->block[k].j[r * dim + s] * u[s];
            }
        }
    }
}

/* J u of a constraint. */
static void velocity_of(const brn_sap *sap, const brn_sap_constraint *c, double v[3])
{
    memset(v, 0, 3 * sizeof *v);
    if (c->rows == 3) {
        add_velocities(sap, c, 3, 3, v);
    } else {
        add_velocities(sap, c, c->rows, sap->model->dim, v);
    }
}

double brn_sap_contact_cost(const brn_sap *sap)
{
    double sum = 0.0;
    for (int i = 0; i < sap->nat + sap->njoint; ++i) {
        double v[3];
        double impulse[3];
        velocity_of(sap, &sap->constraint[i], v);
        sum += brn_sap_impulse(&sap->constraint[i], v, impulse, NULL);
    }
    return sum;
}

void brn_sap_find_impulses(brn_sap *sap)
{
    for (int i = 0; i < sap->nat + sap->njoint; ++i) {
        double v[3];
        velocity_of(sap, &sap->constraint[i], v);
        (void)brn_sap_impulse(&sap->constraint[i], v, &sap->impulse[3 * i], NULL);
    }
}

/* Force of a point on body[0] in the world. */
static void force_of(const brn_sap *sap, int i, double force[3])
{
    const int dim = sap->model->dim;
    memset(force, 0, 3 * sizeof *force);
    for (int r = 0; r < dim; ++r) {
        for (int s = 0; s < dim; ++s) {
            force[s] += sap->at[i].touch->frame[r * dim + s] * sap->impulse[3 * i + r] / sap->h;
        }
    }
}

/* pushed += J' impulse of a constraint. */
static inline void add_pushed(brn_sap *sap, const brn_sap_constraint *c, const double *impulse, int rows,
                              int dim)
{
    for (int k = c->first; k < c->first + c->count; ++k) {
        double *to = &sap->pushed[sap->block[k].row * dim];
        for (int r = 0; r < rows; ++r) {
            for (int s = 0; s < dim; ++s) {
                to[s] += sap->block[k].j[r * dim + s] * impulse[r];
            }
        }
    }
}

void brn_sap_push(brn_sap *sap)
{
    const int dim = sap->model->dim;
    memset(sap->push, 0, (size_t)sap->system->ndof * sizeof *sap->push);
    memset(sap->pushed, 0, (size_t)(sap->a->n * dim) * sizeof *sap->pushed);
    for (int i = 0; i < sap->nat; ++i) {
        const brn_lever *lever = &sap->at[i].touch->lever;
        double force[3];
        force_of(sap, i, force);
        for (int k = 0; k < lever->count; ++k) {
            brn_model_add_force(sap->model, lever->node[k], lever->weight[k], force, sap->push);
        }
    }
    brn_sap_push_connections(sap);
    for (int i = 0; i < sap->nat + sap->njoint; ++i) {
        const brn_sap_constraint *c = &sap->constraint[i];
        if (c->rows == 3) {
            add_pushed(sap, c, &sap->impulse[3 * i], 3, 3);
        } else {
            add_pushed(sap, c, &sap->impulse[3 * i], c->rows, dim);
        }
    }
}

brn_status brn_sap_report(brn_sap *sap, brn_step_info *info)
{
    const int dim = sap->model->dim;
    BRN_GROW(sap->ctx, sap->point, sap->point_capacity, (size_t)sap->nat);
    sap->npoint = 0;
    for (int i = 0; i < sap->nat; ++i) {
        const brn_sap_point *p = &sap->at[i];
        const double *impulse = &sap->impulse[3 * i];
        double v[3];
        velocity_of(sap, &sap->constraint[i], v);
        for (int r = 0; r < dim; ++r) {
            v[r] += p->drift[r];
        }
        const double gap = p->touch->gap + sap->h * v[dim - 1];
        if (!(impulse[dim - 1] > 0.0) && gap > 0.0) {
            continue;
        }
        brn_contact_point *to = &sap->point[sap->npoint++];
        *to = (brn_contact_point){.body = {p->touch->body[0], p->touch->body[1]}, .gap = gap, .mu = p->mu};
        memcpy(to->place, p->touch->place, sizeof to->place);
        memcpy(to->normal, &p->touch->frame[dim * (dim - 1)], (size_t)dim * sizeof *to->normal);
        to->normal_force = impulse[dim - 1] / sap->h;
        for (int s = 0; s < dim; ++s) {
            for (int r = 0; r < dim - 1; ++r) {
                to->friction[s] += p->touch->frame[r * dim + s] * impulse[r] / sap->h;
                to->slip[s] += p->touch->frame[r * dim + s] * v[r];
            }
        }
        info->gap_min = fmin(info->gap_min, gap);
        info->own[BRN_SAP_OVERLAP] =
            fmax(info->own[BRN_SAP_OVERLAP], brn_touching_overlap(sap->model, p->touch->body, gap));
        info->complementarity =
            to->normal_force > 0.0 ? fmax(info->complementarity, gap) : info->complementarity;
    }
    info->point = sap->point;
    info->npoint = sap->npoint;
    info->contacts = sap->npoint;
    return BRN_OK;
}
