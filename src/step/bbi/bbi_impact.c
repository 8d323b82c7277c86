/* The impact projection: velocities of the active contacts after a step (bbi.h), for each group of bodies that they connect as if it were alone. */
#include "step/bbi/bbi.h"

#include "base/parallel.h"
#include "linalg/blas.h"
#include "model/rigid_pose.h"

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

/* A group of bodies in it. */
typedef struct group {
    int first, count;       /* points, in projection.order */
    int row_first, row_end; /* its rows */
    bool done;              /* what was found stands */
} group;

typedef struct projection {
    brn_bbi *bbi;
    bool mass;    /* the metric is that of the mass alone */
    group *group; /* [bbi->ngroup] */
    int *order;   /* points by groups */
    row *row;     /* of all groups that are not done */
    int nrow;
    double *lambda; /* [nrow] */
    /* Of the group at hand: */
    int n; /* rows, from `from` on */
    int from;
    int *first; /* [chosen points + 1] rows, from 0 on */
    double *w;  /* [n][n] row by row: velocities for unit forces, times h */
    int *pivot; /* [n] */
    /* Of all: */
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
    const int dim = bbi->model->dim;
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    double *mass = NULL;
    bool any = false;
    for (int b = 0; b < bbi->model->nbody; ++b) {
        any = any || bbi->by_mass[b];
    }
    BRN_TRY(brn_block_matrix_multiply(bbi->newton->matrix, change, force));
    if (!any) {
        return BRN_OK;
    }
    BRN_TAKE(arena, mass, bbi->system->ndof);
    BRN_TRY(brn_system_mass_apply(bbi->system, change, mass));
    for (int i = 0; i < bbi->system->ndof; ++i) {
        force[i] = bbi->by_mass[bbi->row_cluster[i / dim]] ? mass[i] / bbi->newton->scheme->s : force[i];
    }
    brn_arena_rewind(arena, mark);
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
        dgetrs_("T", &p->n, &one, p->w, &p->n, p->pivot, &p->lambda[p->from], &p->n, &info);
    }
    brn_blas_end(threads);
    return info == 0 ? BRN_OK
                     : brn_fail(p->bbi->ctx, BRN_ERR_SINGULAR, "active contacts of an impact have no mass");
}

/* The rows at hand, and the points that they belong to as bbi->chosen. */
static void choose_rows(projection *p, int from, int end)
{
    brn_bbi *bbi = p->bbi;
    bbi->nchosen = 0;
    p->from = from;
    p->n = end - from;
    for (int j = 0; j < p->n; ++j) {
        const row *at = &p->row[from + j];
        if (at->k == 0) {
            bbi->point[at->point].chosen = bbi->nchosen;
            p->first[bbi->nchosen] = j;
            bbi->chosen[bbi->nchosen++] = at->point;
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
        const row *at = &p->row[p->from + j];
        const brn_bbi_point *point = &bbi->point[at->point];
        double side[3] = {0};
        double unit[3];
        double world[3];
        side[at->k] = 1.0;
        brn_bbi_to_world(bbi, point, side, world);
        look[j] = world[axis];
        unit_of(point, at->k, unit);
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
        const double *from = &w[(size_t)bbi->point[p->row[p->from + i].point].chosen * points];
        const double scaled = bbi->newton->scheme->s * look[i];
        for (int j = 0; j < p->n; ++j) {
            p->w[i * p->n + j] += scaled * from[bbi->point[p->row[p->from + j].point].chosen] * push[j];
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
    const row *rows = &p->row[p->from];
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
            unit_of(from, rows[j].k, unit);
            for (int i = p->first[at]; i < p->first[at + 1]; ++i) {
                double *sum = &p->w[(size_t)i * (size_t)p->n + (size_t)j];
                *sum = 0.0;
                for (int k = 0; k < dim; ++k) {
                    *sum += w[rows[i].k * dim + k] * unit[k];
                }
            }
        }
    }
    return BRN_OK;
}

/* The same with the tangent of the step, whose columns are there. */
static brn_status fill_by_factor(projection *p)
{
    return brn_parallel_for(p->bbi->ctx, brn_block_count(p->bbi->nchosen, POINTS_TOGETHER), fill_points, p);
}

/* p->extra of the points that slip though the step has them stick; p->push starts with their forces. */
static brn_status add_extra(projection *p)
{
    brn_bbi *bbi = p->bbi;
    bool any = false;
    memset(p->extra, 0, (size_t)bbi->system->ndof * sizeof *p->extra);
    for (int j = 0; j < p->nrow; ++j) {
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

/* p->lambda of a group, whose rows are at hand. */
static brn_status solve_group(projection *p)
{
    brn_bbi *bbi = p->bbi;
    const double h = bbi->newton->scheme->h;
    double largest = 0.0;
    BRN_TRY(p->mass ? fill_by_mass(p) : fill_by_factor(p));
    for (int i = 0; i < p->n; ++i) {
        largest = fmax(largest, fabs(p->w[i * p->n + i]));
    }
    for (int i = 0; i < p->n; ++i) {
        const row *at = &p->row[p->from + i];
        double u[3];
        double more[3];
        brn_bbi_look(bbi, &bbi->point[at->point], p->v, u);
        brn_bbi_look(bbi, &bbi->point[at->point], p->extra, more);
        p->lambda[p->from + i] = -h * u[at->k] - more[at->k];
        p->w[i * p->n + i] += SHIFT * largest;
    }
    return solve_dense(p);
}

/* p->change of the velocities of all groups that are not done, in the metric of p. */
static brn_status project(projection *p)
{
    brn_bbi *bbi = p->bbi;
    const double h = bbi->newton->scheme->h;
    BRN_TRY(add_extra(p));
    if (!p->mass) {
        choose_rows(p, 0, p->nrow);
        BRN_TRY(brn_bbi_columns_need(bbi));
    }
    for (int g = 0; g < bbi->ngroup; ++g) {
        choose_rows(p, p->group[g].row_first, p->group[g].row_end);
        if (p->n > 0) {
            BRN_TRY(solve_group(p));
        }
    }
    memset(p->change, 0, (size_t)bbi->system->ndof * sizeof *p->change);
    for (int j = 0; j < p->nrow; ++j) {
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

/* The points of a group, as the step has them. */
static void start_group(const projection *p, const group *of)
{
    for (int i = of->first; i < of->first + of->count; ++i) {
        brn_bbi_point *point = &p->bbi->point[p->order[i]];
        point->slips = point->mu > 0.0 && !sticks(point) && point->force[0] > 0.0;
        memset(point->extra, 0, sizeof point->extra);
        for (int k = 0; k < 2; ++k) {
            point->slope[k] = point->slips ? point->force[1 + k] / point->force[0] : 0.0;
        }
    }
}

/* p->group and p->order of the points that carry force. */
static void list_groups(const projection *p)
{
    brn_bbi *bbi = p->bbi;
    int at = 0;
    memset(p->group, 0, (size_t)bbi->ngroup * sizeof *p->group);
    for (int i = 0; i < bbi->npoint; ++i) {
        if (bbi->point[i].group >= 0) {
            p->group[bbi->point[i].group].count++;
        }
    }
    for (int g = 0; g < bbi->ngroup; ++g) {
        p->group[g].first = at;
        at += p->group[g].count;
        p->group[g].count = 0;
    }
    for (int i = 0; i < bbi->npoint; ++i) {
        if (bbi->point[i].group >= 0) {
            group *to = &p->group[bbi->point[i].group];
            p->order[to->first + to->count++] = i;
        }
    }
    for (int g = 0; g < bbi->ngroup; ++g) {
        start_group(p, &p->group[g]);
    }
}

/* The rows of all groups that are not done. */
static void list_rows(projection *p)
{
    const brn_bbi *bbi = p->bbi;
    p->nrow = 0;
    for (int g = 0; g < bbi->ngroup; ++g) {
        group *of = &p->group[g];
        of->row_first = p->nrow;
        for (int i = of->first; i < of->first + of->count && !of->done; ++i) {
            const brn_bbi_point *point = &bbi->point[p->order[i]];
            const int count = point->mu > 0.0 && !point->slips ? bbi->model->dim : 1;
            for (int k = 0; k < count; ++k) {
                p->row[p->nrow++] = (row){p->order[i], k};
            }
        }
        of->row_end = p->nrow;
    }
}

/* What the forces of the projection are, by points. */
static void set_impacts(const projection *p)
{
    for (int j = 0; j < p->nrow; ++j) {
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

/* A point that sticks by more than its cone slips instead, along the friction that it would need; whether it does. */
static bool let_point_slip(brn_bbi_point *p)
{
    const double normal = p->force[0] + 0.5 * p->impact[0];
    const double flat[2] = {p->force[1] + 0.5 * p->impact[1], p->force[2] + 0.5 * p->impact[2]};
    const double needed = hypot(flat[0], flat[1]);
    if (p->slips || !(p->mu > 0.0) || !(needed > p->mu * fmax(0.0, normal) * (1.0 + BRN_CONE_SLACK))) {
        return false;
    }
    p->slips = true;
    for (int k = 0; k < 2; ++k) {
        p->slope[k] = p->mu * flat[k] / needed;
        p->extra[k] = 2.0 * (p->slope[k] * p->force[0] - p->force[1 + k]);
    }
    return true;
}

/* How many of the points with rows do. */
static int let_slip(const projection *p)
{
    int count = 0;
    for (int j = 0; j < p->nrow; ++j) {
        count += p->row[j].k == 0 && let_point_slip(&p->bbi->point[p->row[j].point]);
    }
    return count;
}

static void keep(const projection *p, brn_state *out)
{
    brn_bbi *bbi = p->bbi;
    const brn_scheme *m = bbi->newton->scheme;
    memcpy(bbi->direction, p->change, (size_t)bbi->system->ndof * sizeof *p->change);
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
        list_rows(p);
        BRN_TRY(project(p));
        set_impacts(p);
        if (let_slip(p) == 0) {
            break;
        }
    }
    return BRN_OK;
}

/* Which groups would gain energy: the others are done. Returns whether there are any. */
static brn_status judge(const projection *p, const brn_state *in, const brn_state *out, bool *any)
{
    const brn_bbi *bbi = p->bbi;
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    double *spare = NULL; /* [J] what the step has taken */
    double *size = NULL;
    double *gain = NULL;
    BRN_TAKE(arena, spare, bbi->ngroup);
    BRN_TAKE(arena, size, bbi->ngroup);
    BRN_TAKE(arena, gain, bbi->ngroup);
    BRN_TRY(brn_bbi_groups_measure(bbi, in, out, p->v, spare, size));
    BRN_TRY(brn_bbi_groups_gain(bbi, p->v, p->change, gain));
    *any = false;
    for (int g = 0; g < bbi->ngroup; ++g) {
        p->group[g].done = p->group[g].count == 0 || !(gain[g] > spare[g] + ENERGY_NOISE * size[g]);
        *any = *any || !p->group[g].done;
    }
    return BRN_OK;
}

/* The mass alone becomes the metric of the groups that are not done. */
static brn_status project_by_mass(projection *p)
{
    brn_bbi *bbi = p->bbi;
    const int dim = bbi->model->dim;
    double *others = NULL; /* the change of those that are done */
    BRN_TAKE(brn_ctx_arena(bbi->ctx), others, bbi->system->ndof);
    memcpy(others, p->change, (size_t)bbi->system->ndof * sizeof *others);
    p->mass = true;
    for (int g = 0; g < bbi->ngroup; ++g) {
        if (!p->group[g].done) {
            start_group(p, &p->group[g]);
        }
    }
    for (int b = 0; b < bbi->model->nbody; ++b) {
        bbi->by_mass[b] = !p->group[bbi->group[b]].done;
    }
    BRN_TRY(project_points(p));
    for (int i = 0; i < bbi->system->ndof; ++i) {
        const bool by_mass = bbi->by_mass[bbi->row_cluster[i / dim]];
        p->change[i] = by_mass ? p->change[i] : others[i];
        bbi->recoil[i] = by_mass ? 0.0 : bbi->recoil[i];
    }
    return BRN_OK;
}

static brn_status project_all(projection *p, const brn_state *in, brn_state *out)
{
    brn_bbi *bbi = p->bbi;
    bool gains = true;
    brn_system_pack(bbi->system, out->node_vel, p->v);
    memset(p->change, 0, (size_t)bbi->system->ndof * sizeof *p->change);
    memset(bbi->by_mass, 0, (size_t)bbi->model->nbody * sizeof *bbi->by_mass);
    if (bbi->params->impact == BRN_BBI_IMPACT_BBI) {
        BRN_TRY(project_points(p));
        BRN_TRY(judge(p, in, out, &gains));
    }
    if (gains) {
        BRN_TRY(project_by_mass(p));
    }
    keep(p, out);
    return BRN_OK;
}

static brn_status take_room(projection *p)
{
    const brn_bbi *bbi = p->bbi;
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    int most = 0; /* rows of a group */
    for (int g = 0; g < bbi->ngroup; ++g) {
        most = p->group[g].row_end - p->group[g].row_first > most
                   ? p->group[g].row_end - p->group[g].row_first
                   : most;
    }
    BRN_TAKE(arena, p->w, (size_t)most * (size_t)most);
    BRN_TAKE(arena, p->first, (size_t)bbi->npoint + 1);
    BRN_TAKE(arena, p->lambda, p->nrow);
    BRN_TAKE(arena, p->pivot, most);
    double **vectors[] = {&p->v, &p->change, &p->push, &p->extra, &p->force};
    for (int i = 0; i < BRN_COUNT(vectors); ++i) {
        BRN_TAKE(arena, *vectors[i], bbi->system->ndof);
    }
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
    BRN_TAKE(arena, p.group, bbi->ngroup);
    BRN_TAKE(arena, p.order, (size_t)bbi->npoint + 1);
    BRN_TAKE(arena, p.row, (size_t)bbi->npoint * 3 + 1);
    list_groups(&p);
    list_rows(&p); /* no step of it has more */
    if (p.nrow == 0) {
        brn_arena_rewind(arena, mark);
        return BRN_OK;
    }
    BRN_TRY(take_room(&p));
    const brn_status status = project_all(&p, in, out);
    *projected = status >= 0;
    brn_arena_rewind(arena, mark);
    return status;
}
