/* The impact projection: velocities of the active contacts after a step (bbi.h). */
#include "step/bbi/bbi.h"

#include "base/parallel.h"
#include "linalg/blas.h"
#include "model/rigid_pose.h"
#include "step/ledger.h"

#include <math.h>
#include <string.h>

/* Of the diagonal: what is added to it. Points of a stiff body depend on each other; that must not blow up their forces. */
static const double SHIFT = 1e-12;
/* Energies are sums of many terms: differences below this fraction of them are rounding. */
static const double ENERGY_NOISE = 1e-12;

/* Rounds in which points may turn from sticking to slipping. */
enum { SLIPS_MOST = 8 };

/* A velocity that is to vanish: component k of a point. */
typedef struct row {
    int point, k;
} row;

typedef struct projection {
    brn_bbi *bbi;
    bool mass; /* the metric is that of the mass alone */
    row *row;
    int n;
    int *first;      /* [chosen points + 1] rows */
    double *w;       /* [n][n] row by row: velocities for unit forces, times h */
    double *lambda;  /* [n] */
    int *pivot;      /* [n] */
    const double *x; /* [nnode][3] positions after the step */
    double *v;       /* [ndof] velocities after the step */
    double *push;    /* [ndof] [N] forces of the projection on free dofs */
    double *extra;   /* [ndof] h times what the points' extra forces make of them */
    double *change;  /* [ndof] */
    double *force;   /* [ndof] scratch */
} projection;

static bool sticks(const brn_bbi_point *p)
{
    const double t = hypot(p->force[1], p->force[2]);
    return p->mu > 0.0 && t < p->mu * p->force[0] * (1.0 - BRN_CONE_SLACK);
}

/* The unit force that goes with a row: a normal force takes its friction along where the point slips. */
static void unit_of(const brn_bbi_point *p, int k, double unit[3])
{
    memset(unit, 0, 3 * sizeof *unit);
    unit[k] = 1.0;
    if (k == 0 && p->slips) {
        memcpy(&unit[1], p->slope, sizeof p->slope);
    }
}

/* force [ndof] becomes h times the velocity that it makes in half a step. */
static brn_status respond(const projection *p, double *force)
{
    brn_bbi *bbi = p->bbi;
    if (!p->mass) {
        return brn_factor_solve(bbi->newton->factor, force, force);
    }
    memcpy(p->force, force, (size_t)bbi->system->ndof * sizeof *force);
    memset(force, 0, (size_t)bbi->system->ndof * sizeof *force);
    BRN_TRY(brn_system_mass_solve(bbi->system, p->force, force));
    for (int i = 0; i < bbi->system->ndof; ++i) {
        force[i] *= bbi->newton->scheme->s;
    }
    return BRN_OK;
}

brn_status brn_bbi_resist(const brn_bbi *bbi, const double *change, double *force)
{
    if (!bbi->by_mass) {
        return brn_block_matrix_multiply(bbi->newton->matrix, change, force);
    }
    BRN_TRY(brn_system_mass_apply(bbi->system, change, force));
    for (int i = 0; i < bbi->system->ndof; ++i) {
        force[i] /= bbi->newton->scheme->s;
    }
    return BRN_OK;
}

/* x = A^-1 x, A row by row; both are destroyed. */
static brn_status solve_dense(projection *p)
{
    const int one = 1;
    int info = 0;
    const brn_blas_threads threads = brn_blas_begin();
    dgetrf_(&p->n, &p->n, p->w, &p->n, p->pivot, &info);
    if (info == 0) {
        dgetrs_("T", &p->n, &one, p->w, &p->n, p->pivot, p->lambda, &p->n, &info);
    }
    brn_blas_end(threads);
    return info == 0 ? BRN_OK
                     : brn_fail(p->bbi->ctx, BRN_ERR_SINGULAR, "active contacts of an impact have no mass");
}

/* The points that rows belong to, as bbi->chosen. */
static void choose_points(projection *p)
{
    brn_bbi *bbi = p->bbi;
    bbi->nchosen = 0;
    for (int j = 0; j < p->n; ++j) {
        if (p->row[j].k == 0) {
            bbi->point[p->row[j].point].chosen = bbi->nchosen;
            p->first[bbi->nchosen] = j;
            bbi->chosen[bbi->nchosen++] = p->row[j].point;
        }
    }
    p->first[bbi->nchosen] = p->n;
}

/* Unit forces along an axis at the chosen points, on the rows that can move. */
static brn_status list_axis(const brn_bbi *bbi, int axis, brn_columns *out)
{
    const brn_model *model = bbi->model;
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    size_t entries = 0;
    int *start = NULL;
    int *node = NULL;
    double *value = NULL;
    for (int j = 0; j < bbi->nchosen; ++j) {
        entries += (size_t)bbi->point[bbi->chosen[j]].count;
    }
    BRN_TAKE(arena, start, bbi->nchosen + 1);
    BRN_TAKE(arena, node, entries + 1);
    BRN_TAKE(arena, value, entries + 1);
    int at = 0;
    for (int j = 0; j < bbi->nchosen; ++j) {
        const brn_bbi_point *point = &bbi->point[bbi->chosen[j]];
        start[j] = at;
        for (int k = point->first; k < point->first + point->count; ++k) {
            if (model->fixed[bbi->row[k] * model->dim + axis] == BRN_DOF_FREE) {
                node[at] = bbi->row[k];
                value[at++] = bbi->weight[k];
            }
        }
    }
    start[bbi->nchosen] = at;
    *out = (brn_columns){bbi->nchosen, start, node, value};
    return BRN_OK;
}

/* The world's components along an axis of what rows look at, and of the unit forces that go with them. */
static void list_sides(const projection *p, int axis, double *look, double *push)
{
    const brn_bbi *bbi = p->bbi;
    for (int j = 0; j < p->n; ++j) {
        const brn_bbi_point *point = &bbi->point[p->row[j].point];
        double side[3] = {0};
        double unit[3];
        double world[3];
        side[p->row[j].k] = 1.0;
        brn_bbi_to_world(bbi, point, side, world);
        look[j] = world[axis];
        unit_of(point, p->row[j].k, unit);
        brn_bbi_to_world(bbi, point, unit, world);
        push[j] = world[axis];
    }
}

/* p->w += what the compliance w [points][points] of the mass does along an axis. */
static brn_status add_axis(projection *p, int axis, const double *w)
{
    const brn_bbi *bbi = p->bbi;
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const size_t points = (size_t)bbi->nchosen;
    double *look = NULL;
    double *push = NULL;
    BRN_TAKE(arena, look, p->n);
    BRN_TAKE(arena, push, p->n);
    list_sides(p, axis, look, push);
    for (int i = 0; i < p->n; ++i) {
        const double *from = &w[(size_t)bbi->point[p->row[i].point].chosen * points];
        const double scaled = bbi->newton->scheme->s * look[i];
        for (int j = 0; j < p->n; ++j) {
            p->w[i * p->n + j] += scaled * from[bbi->point[p->row[j].point].chosen] * push[j];
        }
    }
    return BRN_OK;
}

/* p->w += that of the mass along all axes that hold the same as this one. */
static brn_status add_axes(projection *p, int first)
{
    brn_bbi *bbi = p->bbi;
    brn_columns columns;
    double *w = NULL;
    BRN_TRY(list_axis(bbi, first, &columns));
    BRN_TAKE(brn_ctx_arena(bbi->ctx), w, (size_t)bbi->nchosen * (size_t)bbi->nchosen);
    BRN_TRY(brn_system_mass_compliance(bbi->system, first, &columns, w));
    for (int axis = first; axis < bbi->model->dim; ++axis) {
        if (brn_system_mass_axis(bbi->system, axis) == first) {
            BRN_TRY(add_axis(p, axis, w));
        }
    }
    return BRN_OK;
}

/* p->w with the mass as metric: it is the same along every axis that nothing holds, and knows no other. */
static brn_status fill_by_mass(projection *p)
{
    brn_arena *arena = brn_ctx_arena(p->bbi->ctx);
    choose_points(p);
    memset(p->w, 0, (size_t)p->n * (size_t)p->n * sizeof *p->w);
    for (int axis = 0; axis < p->bbi->model->dim; ++axis) {
        const brn_arena_mark mark = brn_arena_now(arena);
        if (brn_system_mass_axis(p->bbi->system, axis) == axis) {
            BRN_TRY(add_axes(p, axis));
        }
        brn_arena_rewind(arena, mark);
    }
    return BRN_OK;
}

/* The rows of some points. */
enum { POINTS_TOGETHER = 16 };

static brn_status fill_points(void *arg, int block, brn_arena *scratch)
{
    const projection *p = arg;
    const brn_bbi *bbi = p->bbi;
    const int dim = bbi->model->dim;
    const int end = brn_block_end(bbi->nchosen, POINTS_TOGETHER, block);
    (void)scratch;
    for (int s = block * POINTS_TOGETHER * bbi->nchosen; s < end * bbi->nchosen; ++s) {
        const int at = s / bbi->nchosen;
        const int of = s % bbi->nchosen;
        const brn_bbi_point *from = &bbi->point[bbi->chosen[of]];
        double w[9];
        brn_bbi_columns_look(bbi, &bbi->point[bbi->chosen[at]], from, w);
        for (int j = p->first[of]; j < p->first[of + 1]; ++j) {
            double unit[3];
            unit_of(from, p->row[j].k, unit);
            for (int i = p->first[at]; i < p->first[at + 1]; ++i) {
                double *sum = &p->w[(size_t)i * (size_t)p->n + (size_t)j];
                *sum = 0.0;
                for (int k = 0; k < dim; ++k) {
                    *sum += w[p->row[i].k * dim + k] * unit[k];
                }
            }
        }
    }
    return BRN_OK;
}

/* The same with the tangent of the step, whose columns are there, most of them. */
static brn_status fill_by_factor(projection *p)
{
    choose_points(p);
    BRN_TRY(brn_bbi_columns_need(p->bbi));
    return brn_parallel_for(p->bbi->ctx, brn_block_count(p->bbi->nchosen, POINTS_TOGETHER), fill_points, p);
}

/* p->extra of the points that slip though the step has them stick; p->push starts with their forces. */
static brn_status add_extra(projection *p)
{
    brn_bbi *bbi = p->bbi;
    bool any = false;
    memset(p->extra, 0, (size_t)bbi->system->ndof * sizeof *p->extra);
    for (int j = 0; j < p->n; ++j) {
        const brn_bbi_point *from = &bbi->point[p->row[j].point];
        const double force[3] = {0.0, from->extra[0], from->extra[1]};
        if (p->row[j].k == 0 && from->slips && (force[1] != 0.0 || force[2] != 0.0)) {
            brn_bbi_pull(bbi, from, force, p->extra);
            any = true;
        }
    }
    memcpy(p->push, p->extra, (size_t)bbi->system->ndof * sizeof *p->push);
    return any ? respond(p, p->extra) : BRN_OK;
}

/* p->change of the velocities, in the metric of p. */
static brn_status project(projection *p)
{
    brn_bbi *bbi = p->bbi;
    const double h = bbi->newton->scheme->h;
    const size_t bytes = (size_t)bbi->system->ndof * sizeof(double);
    double largest = 0.0;
    BRN_TRY(add_extra(p));
    BRN_TRY(p->mass ? fill_by_mass(p) : fill_by_factor(p));
    for (int i = 0; i < p->n; ++i) {
        largest = fmax(largest, fabs(p->w[i * p->n + i]));
    }
    for (int i = 0; i < p->n; ++i) {
        double u[3];
        double more[3];
        brn_bbi_look(bbi, &bbi->point[p->row[i].point], p->v, u);
        brn_bbi_look(bbi, &bbi->point[p->row[i].point], p->extra, more);
        p->lambda[i] = -h * u[p->row[i].k] - more[p->row[i].k];
        p->w[i * p->n + i] += SHIFT * largest;
    }
    BRN_TRY(solve_dense(p));
    memset(p->change, 0, bytes);
    for (int j = 0; j < p->n; ++j) {
        const brn_bbi_point *from = &bbi->point[p->row[j].point];
        double unit[3];
        unit_of(from, p->row[j].k, unit);
        for (int k = 0; k < 3; ++k) {
            unit[k] *= p->lambda[j];
        }
        brn_bbi_pull(bbi, from, unit, p->change);
    }
    for (int i = 0; i < bbi->system->ndof; ++i) {
        p->push[i] += p->change[i];
    }
    BRN_TRY(respond(p, p->change));
    for (int i = 0; i < bbi->system->ndof; ++i) {
        p->change[i] = bbi->model->fixed[i] ? 0.0 : (p->change[i] + p->extra[i]) / h;
    }
    brn_model_follow(bbi->model, p->change);
    return p->mass ? BRN_OK : brn_bbi_spin_project(bbi, p->x, p->push, p->change);
}

/* Kinetic energy of v + scale * change [J]. */
static brn_status kinetic(const projection *p, double scale, double *out)
{
    const brn_bbi *bbi = p->bbi;
    double *v = bbi->newton->scratch;
    *out = 0.0;
    for (int i = 0; i < bbi->system->ndof; ++i) {
        v[i] = p->v[i] + scale * p->change[i];
    }
    brn_model_follow(bbi->model, v);
    BRN_TRY(brn_system_mass_apply(bbi->system, v, p->force));
    for (int i = 0; i < bbi->system->ndof; ++i) {
        *out += 0.5 * v[i] * p->force[i];
    }
    return BRN_OK;
}

/* [J] What the step took out so far: what was there and what was done, less what is there. The projection may not give back more. */
static brn_status taken(const brn_bbi *bbi, const brn_state *in, const brn_state *out, double kinetic_now,
                        double *value)
{
    const brn_newton *n = bbi->newton;
    double elastic = 0.0;
    BRN_TRY(brn_system_elastic(bbi->system, out->node_pos, BRN_TANGENT_EXACT, &elastic, NULL, NULL));
    *value = in->ledger[BRN_LEDGER_KINETIC] + in->ledger[BRN_LEDGER_ELASTIC] - kinetic_now - elastic;
    for (int i = 0; i < bbi->system->ndof; ++i) {
        const bool held = bbi->model->fixed[i] == BRN_DOF_HELD;
        *value += (n->load[i] / n->scheme->share + n->gravity[i] - (held ? n->unbalanced[i] : 0.0)) * n->y[i];
    }
    return BRN_OK;
}

/* Points that carry force, as the step has them. */
static void start_points(brn_bbi *bbi)
{
    for (int i = 0; i < bbi->npoint; ++i) {
        brn_bbi_point *p = &bbi->point[i];
        p->slips = p->mu > 0.0 && !sticks(p) && p->force[0] > 0.0;
        memset(p->extra, 0, sizeof p->extra);
        for (int k = 0; k < 2; ++k) {
            p->slope[k] = p->slips ? p->force[1 + k] / p->force[0] : 0.0;
        }
    }
}

static int list_rows(const brn_bbi *bbi, row *rows)
{
    int n = 0;
    for (int i = 0; i < bbi->npoint; ++i) {
        const brn_bbi_point *p = &bbi->point[i];
        const int count = !(p->force[0] > 0.0) ? 0 : p->mu > 0.0 && !p->slips ? bbi->model->dim : 1;
        for (int k = 0; k < count; ++k) {
            rows[n++] = (row){i, k};
        }
    }
    return n;
}

/* What the forces of the projection are, by points. */
static void set_impacts(const projection *p)
{
    for (int j = 0; j < p->n; ++j) {
        brn_bbi_point *to = &p->bbi->point[p->row[j].point];
        double unit[3];
        unit_of(to, p->row[j].k, unit);
        if (p->row[j].k == 0) {
            to->impact[0] = 0.0;
            to->impact[1] = to->extra[0];
            to->impact[2] = to->extra[1];
        }
        for (int k = 0; k < 3; ++k) {
            to->impact[k] += p->lambda[j] * unit[k];
        }
    }
}

/* Points that stick by more than their cone slip instead, along the friction that they would need; returns how many. */
static int let_slip(brn_bbi *bbi)
{
    int count = 0;
    for (int i = 0; i < bbi->npoint; ++i) {
        brn_bbi_point *p = &bbi->point[i];
        const double normal = p->force[0] + 0.5 * p->impact[0];
        const double flat[2] = {p->force[1] + 0.5 * p->impact[1], p->force[2] + 0.5 * p->impact[2]};
        const double needed = hypot(flat[0], flat[1]);
        if (!(p->force[0] > 0.0) || p->slips || !(p->mu > 0.0) ||
            !(needed > p->mu * fmax(0.0, normal) * (1.0 + BRN_CONE_SLACK))) {
            continue;
        }
        p->slips = true;
        for (int k = 0; k < 2; ++k) {
            p->slope[k] = p->mu * flat[k] / needed;
            p->extra[k] = 2.0 * (p->slope[k] * p->force[0] - p->force[1 + k]);
        }
        ++count;
    }
    return count;
}

static void keep(const projection *p, brn_state *out)
{
    brn_bbi *bbi = p->bbi;
    const brn_scheme *m = bbi->newton->scheme;
    memcpy(bbi->direction, p->change, (size_t)bbi->system->ndof * sizeof *p->change);
    bbi->by_mass = p->mass;
    for (int i = 0; i < bbi->system->ndof; ++i) {
        out->node_vel[brn_model_at(bbi->model, i)] += p->change[i];
    }
    if (m->turns) {
        brn_rigid_velocities(bbi->model, m->free, out->node_pos, out->node_vel);
    }
    brn_model_follow_nodes(bbi->model, out->node_vel);
}

/* The projection in the metric of p, with as many points sticking as can. */
static brn_status project_points(projection *p)
{
    for (int k = 0; k < SLIPS_MOST; ++k) {
        p->n = list_rows(p->bbi, p->row);
        BRN_TRY(project(p));
        set_impacts(p);
        if (let_slip(p->bbi) == 0) {
            break;
        }
    }
    return BRN_OK;
}

static brn_status project_all(projection *p, const brn_state *in, brn_state *out)
{
    brn_bbi *bbi = p->bbi;
    double before;
    double after;
    double spare;
    brn_system_pack(bbi->system, out->node_vel, p->v);
    memset(p->change, 0, (size_t)bbi->system->ndof * sizeof *p->change);
    BRN_TRY(kinetic(p, 0.0, &before));
    BRN_TRY(taken(bbi, in, out, before, &spare));
    p->mass = bbi->params->impact == BRN_BBI_IMPACT_MASS;
    BRN_TRY(project_points(p));
    BRN_TRY(kinetic(p, 1.0, &after));
    const double noise = ENERGY_NOISE * (before + fabs(in->ledger[BRN_LEDGER_ELASTIC]));
    if (!p->mass && after > before + spare + noise) {
        p->mass = true;
        start_points(bbi);
        memset(bbi->recoil, 0, (size_t)bbi->system->ndof * sizeof *bbi->recoil);
        BRN_TRY(project_points(p));
        BRN_TRY(kinetic(p, 1.0, &after));
    }
    keep(p, out);
    return BRN_OK;
}

brn_status brn_bbi_project(brn_bbi *bbi, const brn_state *in, brn_state *out, bool *projected)
{
    const brn_scheme *m = bbi->newton->scheme;
    projection p = {.bbi = bbi, .x = out->node_pos};
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    *projected = false;
    if (bbi->params->impact == BRN_BBI_IMPACT_NONE || (m->kind != BRN_NEWMARK && m->kind != BRN_MIDPOINT)) {
        return BRN_OK;
    }
    BRN_GROW(bbi->ctx, bbi->chosen, bbi->chosen_capacity, bbi->npoint);
    BRN_TAKE(arena, p.row, (size_t)bbi->npoint * 3 + 1);
    start_points(bbi);
    p.n = list_rows(bbi, p.row);
    if (p.n == 0) {
        brn_arena_rewind(arena, mark);
        return BRN_OK;
    }
    BRN_TAKE(arena, p.w, (size_t)p.n * (size_t)p.n);
    BRN_TAKE(arena, p.first, (size_t)bbi->npoint + 1);
    BRN_TAKE(arena, p.lambda, p.n);
    BRN_TAKE(arena, p.pivot, p.n);
    BRN_TAKE(arena, p.v, bbi->system->ndof);
    BRN_TAKE(arena, p.change, bbi->system->ndof);
    BRN_TAKE(arena, p.push, bbi->system->ndof);
    BRN_TAKE(arena, p.extra, bbi->system->ndof);
    BRN_TAKE(arena, p.force, bbi->system->ndof);
    const brn_status status = project_all(&p, in, out);
    *projected = status >= 0;
    brn_arena_rewind(arena, mark);
    return status;
}
