/* Newton's iterations on the balance of a step, each with a frictional contact problem. */
#include "step/bbi/bbi.h"

#include "base/hash.h"
#include "base/parallel.h"
#include "step/newton_inner.h"

#include <math.h>
#include <string.h>

/* Imbalance at which iterations without contact stop, of what is allowed: as small as Newton's last step leaves it. */
static const double LOOSE = 0.03;
/* Of their steps: what takes less leads astray. */
static const double TAKEN = 0.1;
/* Iterations that look at geometry again. */
enum { TURNS = 6 };
/* Looks of a step: what a body meets may send others farther than they were known to go. */
enum { LOOKS = 4 };
/* Penetration that a step with contact may start with, of what is none at its end. More is another impact, which the last steps know nothing of. */
static const double DEEP = 1e4;
/* A factor is kept for the next iteration while the imbalance shrinks by this. */
static const double KEEP = 0.5;
/* Relative error of the contact problem: in the last iteration; at first; and before the last, as a share of the last step's length, which the
   next one will be a small part of. */
static const double CONE_TOLERANCE = 1e-10, CONE_FIRST = 1e-5, CONE_SHARE = 1e-3;
/* Where that share of all points is in the contact problem, of which there are many, the others are as well: one that joins late wants another compliance of all. */
static const double MOST = 0.75;
/* Newton steps that it may take, each with a dense factorisation: as many as this number of operations, within bounds. */
static const double CONE_WORK = 3e10, CONE_STEPS_LEAST = 50.0, CONE_STEPS_MOST = 1000.0;
/* Worse than this it is of no use. */
static const double CONE_USABLE = 1e-4;
/* Of the scene: how far an iteration may go where contact alone holds a body, and where nothing touches it yet. Points are looked for as far around. */
static const double LEAN = 0.1, FALL = 0.01;
/* Of the scene: what moves further than that in the last iteration is not held. */
static const double UNHELD = 1e-3;
/* Of what could move in the last iteration: points as near as that are looked at in the next. */
static const double AROUND = 2.0;
/* Of the scene: as long as an iteration without inertia goes further than that, what rolls comes to lie on other points. */
static const double ROLLS = 1e-5;

/* ---- the velocity at the end ---------------------------------------------------------------------------------------------- */

/* bbi->slip + y (of free dofs) is the velocity at the end over c; in a static step, the way itself. */
static void set_slip(brn_bbi *bbi, const brn_state *in)
{
    const brn_scheme *m = bbi->newton->scheme;
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        const double v = in->node_vel[brn_model_at(bbi->model, dof)];
        const bool held = bbi->model->fixed[dof] == BRN_DOF_HELD;
        bbi->slip[dof] = !m->inertia ? (held ? m->held[dof] : 0.0)
                         : held      ? (v + m->h * m->accel[dof]) / m->c
                                     : m->coast[dof] / m->c - m->drift[dof];
    }
    brn_model_follow(bbi->model, bbi->slip);
}

/* [ndof] velocity at the end over c, for a way y. */
static void end_velocity(const brn_bbi *bbi, const double *y, double *out)
{
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        out[dof] = bbi->slip[dof] + (bbi->model->fixed[dof] == BRN_DOF_HELD ? 0.0 : y[dof]);
    }
    brn_model_follow(bbi->model, out);
}

/* ---- the contact problem ---------------------------------------------------------------------------------------------------- */

/* u of all points if the step n->step is taken with the forces as they are. */
static void look_at_points(brn_bbi *bbi)
{
    brn_newton *n = bbi->newton;
    for (int i = 0; i < bbi->system->ndof; ++i) {
        n->trial[i] = n->y[i] + n->step[i];
    }
    end_velocity(bbi, n->trial, n->scratch);
    for (int i = 0; i < bbi->npoint; ++i) {
        brn_bbi_point *p = &bbi->point[i];
        double way[3];
        brn_bbi_look(bbi, p, n->scheme->inertia ? n->scratch : n->trial, p->u);
        if (!n->scheme->inertia) {
            brn_bbi_anchor_take(bbi, p, p->u);
        }
        brn_bbi_look(bbi, p, n->step, way);
        p->u[0] = p->touch.gap + p->depth + way[0];
    }
}

/* What the matrix of the contact problem depends on beside the factor. */
static uint64_t cone_key_of(const brn_bbi *bbi)
{
    uint64_t key = brn_hash_bytes(BRN_HASH_START, &bbi->nchosen, sizeof bbi->nchosen);
    for (int i = 0; i < bbi->nchosen; ++i) {
        const brn_bbi_point *p = &bbi->point[bbi->chosen[i]];
        key = brn_hash_bytes(key, &p->column, sizeof p->column);
        key = brn_hash_bytes(key, p->touch.frame, sizeof p->touch.frame);
    }
    return key;
}

/* cone_w: some rows of the upper half, and their transposes. */
enum { ROWS_TOGETHER = 16 };

static brn_status fill_rows(void *arg, int block, brn_arena *scratch)
{
    brn_bbi *bbi = arg;
    const int dim = bbi->model->dim;
    const int n = bbi->nchosen;
    (void)scratch;
    for (int i = block * ROWS_TOGETHER; i < brn_block_end(n, ROWS_TOGETHER, block); ++i) {
        for (int j = i; j < n; ++j) {
            double *w = &bbi->cone_w[((size_t)i * (size_t)n + (size_t)j) * (size_t)(dim * dim)];
            double *across = &bbi->cone_w[((size_t)j * (size_t)n + (size_t)i) * (size_t)(dim * dim)];
            brn_bbi_columns_look(bbi, &bbi->point[bbi->chosen[i]], &bbi->point[bbi->chosen[j]], w);
            for (int s = 0; s < dim * dim; ++s) {
                across[s % dim * dim + s / dim] = w[s];
            }
        }
    }
    return BRN_OK;
}

/* cone_q of some points: u_0 - W force. */
static brn_status fill_free(void *arg, int block, brn_arena *scratch)
{
    brn_bbi *bbi = arg;
    const int dim = bbi->model->dim;
    const int n = bbi->nchosen;
    (void)scratch;
    for (int i = block * ROWS_TOGETHER; i < brn_block_end(n, ROWS_TOGETHER, block); ++i) {
        const double *w = &bbi->cone_w[(size_t)i * (size_t)n * (size_t)(dim * dim)];
        for (int k = 0; k < dim; ++k) {
            double sum = bbi->free_u[3 * bbi->chosen[i] + k];
            for (int j = 0; j < n * dim; ++j) {
                sum -= w[(j / dim) * dim * dim + k * dim + j % dim] * bbi->cone_r[j];
            }
            bbi->cone_q[i * dim + k] = sum;
        }
    }
    return BRN_OK;
}

/* Its pattern is full. */
static brn_status fill_matrix(brn_bbi *bbi)
{
    const int n = bbi->nchosen;
    const uint64_t key = cone_key_of(bbi);
    if (key == bbi->cone_key) {
        return BRN_OK;
    }
    bbi->cone_first[0] = 0;
    for (int i = 0; i < n; ++i) {
        bbi->cone_first[i + 1] = (i + 1) * n;
        for (int j = 0; j < n; ++j) {
            bbi->cone_column[i * n + j] = j;
        }
    }
    BRN_TRY(brn_parallel_for(bbi->ctx, brn_block_count(n, ROWS_TOGETHER), fill_rows, bbi));
    bbi->cone_key = key;
    return BRN_OK;
}

/* The problem of the chosen points: u = W (r - force) + u_0. */
static brn_status fill_cone(brn_bbi *bbi)
{
    const int dim = bbi->model->dim;
    const int n = bbi->nchosen;
    const size_t blocks = (size_t)n * (size_t)n;
    BRN_GROW(bbi->ctx, bbi->cone_w, bbi->cone_w_capacity, blocks * (size_t)(dim * dim));
    BRN_GROW(bbi->ctx, bbi->cone_q, bbi->cone_q_capacity, n * dim);
    BRN_GROW(bbi->ctx, bbi->cone_r, bbi->cone_r_capacity, n * dim);
    BRN_GROW(bbi->ctx, bbi->cone_u, bbi->cone_u_capacity, n * dim);
    BRN_GROW(bbi->ctx, bbi->cone_mu, bbi->cone_mu_capacity, n);
    BRN_GROW(bbi->ctx, bbi->cone_first, bbi->cone_first_capacity, n + 1);
    BRN_GROW(bbi->ctx, bbi->cone_column, bbi->cone_column_capacity, blocks);
    BRN_TRY(fill_matrix(bbi));
    for (int i = 0; i < n; ++i) {
        const brn_bbi_point *p = &bbi->point[bbi->chosen[i]];
        bbi->cone_mu[i] = p->mu;
        memcpy(&bbi->cone_r[i * dim], p->force, (size_t)dim * sizeof *bbi->cone_r);
    }
    return brn_parallel_for(bbi->ctx, brn_block_count(n, ROWS_TOGETHER), fill_free, bbi);
}

static void choose(brn_bbi *bbi, int point)
{
    if (!bbi->newton->scheme->inertia) {
        brn_bbi_anchor_drop(bbi, &bbi->point[point], bbi->newton->y, &bbi->free_u[3 * point]);
    }
    bbi->point[point].chosen = bbi->nchosen;
    bbi->chosen[bbi->nchosen++] = point;
}

/* bbi->direction: what the forces that the contact problem found add to the step of the free system. */
static brn_status respond(brn_bbi *bbi)
{
    const int dim = bbi->model->dim;
    memset(bbi->direction, 0, (size_t)bbi->system->ndof * sizeof *bbi->direction);
    for (int j = 0; j < bbi->nchosen; ++j) {
        const brn_bbi_point *p = &bbi->point[bbi->chosen[j]];
        double change[3] = {0};
        for (int k = 0; k < dim; ++k) {
            change[k] = bbi->cone_r[j * dim + k] - p->force[k];
        }
        brn_bbi_pull(bbi, p, change, bbi->direction);
    }
    BRN_TRY(brn_factor_solve(bbi->newton->factor, bbi->direction, bbi->direction));
    brn_model_follow(bbi->model, bbi->direction);
    return BRN_OK;
}

/* u of all points with that; those that would penetrate join the contact problem. */
static void choose_more(brn_bbi *bbi)
{
    const int dim = bbi->model->dim;
    for (int i = 0; i < bbi->npoint; ++i) {
        brn_bbi_point *p = &bbi->point[i];
        double more[3] = {0};
        if (p->chosen >= 0) {
            memcpy(p->u, &bbi->cone_u[p->chosen * dim], (size_t)dim * sizeof *p->u);
            continue;
        }
        brn_bbi_look(bbi, p, bbi->direction, more);
        for (int k = 0; k < dim; ++k) {
            p->u[k] = bbi->free_u[3 * i + k] + more[k];
        }
        if (p->u[0] < 0.0) {
            choose(bbi, i);
        }
    }
}

/* How well the contact problem is to be solved in an iteration after one with a step of that length: the forces that it finds are balanced
   whatever they are, so that its error only has to fall with that of the iterations, and not to rise again. */
static double cone_tolerance(const brn_bbi *bbi, double length, double before)
{
    double scale = 0.0;
    for (int k = 0; k < bbi->nchosen * bbi->model->dim; ++k) {
        scale = fmax(scale, fabs(bbi->cone_q[k]));
    }
    const bool rough = bbi->nchosen >= BRN_BBI_LARGE && scale > 0.0;
    return fmax(CONE_TOLERANCE, rough ? fmin(before, CONE_SHARE * length / scale) : 0.0);
}

static brn_status solve_cone(brn_bbi *bbi, double tolerance, brn_step_info *info)
{
    const double rows = bbi->nchosen * bbi->model->dim;
    const double steps = fmin(CONE_STEPS_MOST, fmax(CONE_STEPS_LEAST, CONE_WORK / (rows * rows * rows)));
    const brn_cone_options options = {.tolerance = tolerance, .sweeps = 10000, .newton = (int)steps};
    const brn_cone_problem problem = {.dim = bbi->model->dim,
                                      .contacts = bbi->nchosen,
                                      .first = bbi->cone_first,
                                      .column = bbi->cone_column,
                                      .w = bbi->cone_w,
                                      .q = bbi->cone_q,
                                      .mu = bbi->cone_mu};
    brn_cone_report report;
    brn_cone_memory *memory = bbi->nchosen >= BRN_BBI_LARGE ? &bbi->cone_memory : NULL;
    const brn_status status =
        brn_cone_solve_again(bbi->ctx, &problem, &options, memory, bbi->cone_r, bbi->cone_u, &report);
    if (status < 0 && (status != BRN_ERR_CONVERGENCE || !(report.relative <= CONE_USABLE))) {
        return status;
    }
    info->own[BRN_BBI_CONE_ERROR] = report.relative;
    return BRN_OK;
}

/* n->step with no dof that moves further than that. */
static void shorten(brn_newton *n, double length)
{
    const double most = brn_newton_most(n->step, n->system->ndof);
    for (int i = 0; i < n->system->ndof && most > length; ++i) {
        n->step[i] *= length / most;
    }
}

/* What nothing holds goes only as far as where it touches first, if it does not touch yet: its tangent hardly resists. */
static void fall(brn_bbi *bbi)
{
    brn_newton *n = bbi->newton;
    double share = 1.0;
    for (int i = 0; i < bbi->npoint; ++i) {
        const brn_bbi_point *p = &bbi->point[i];
        if (brn_bbi_touches(bbi, p)) {
            return;
        }
        const double gap = p->touch.gap + p->depth;
        share = p->u[0] < 0.0 ? fmin(share, gap / (gap - p->u[0])) : share;
    }
    shorten(n, fmin(share * brn_newton_most(n->step, bbi->system->ndof), FALL * bbi->size));
    look_at_points(bbi);
}

/* The forces of all points for the step n->step of the free system; what they add to it. length: of the step before; *tolerance: with
   which the contact problem was solved, in and out. */
static brn_status answer(brn_bbi *bbi, double length, double *tolerance, brn_step_info *info)
{
    brn_newton *n = bbi->newton;
    const int dim = bbi->model->dim;
    look_at_points(bbi);
    const bool leans = n->shift > 0.0; /* it rests on what it touches, and then on what it meets */
    if (leans) {
        fall(bbi);
    }
    bbi->nchosen = 0;
    BRN_GROW(bbi->ctx, bbi->chosen, bbi->chosen_capacity, bbi->npoint);
    BRN_GROW(bbi->ctx, bbi->free_u, bbi->free_u_capacity, 3 * bbi->npoint);
    for (int i = 0; i < bbi->npoint; ++i) {
        brn_bbi_point *p = &bbi->point[i];
        p->chosen = -1;
        memcpy(&bbi->free_u[3 * i], p->u, sizeof p->u);
        if (leans || bbi->no_slip ? brn_bbi_touches(bbi, p) : p->u[0] < 0.0 || p->force[0] > 0.0) {
            choose(bbi, i);
        }
    }
    for (int i = 0, none = bbi->nchosen == 0; i < bbi->npoint && none && !leans; ++i) {
        if (bbi->point[i].u[0] < 0.0) {
            choose(bbi, i);
        }
    }
    const bool most = bbi->nchosen >= BRN_BBI_LARGE && bbi->nchosen > MOST * bbi->npoint;
    for (int i = 0; i < bbi->npoint && most && n->scheme->inertia; ++i) {
        if (bbi->point[i].chosen < 0) {
            choose(bbi, i);
        }
    }
    int had = 0;
    while (bbi->nchosen > had) {
        BRN_TRY(brn_ctx_check(bbi->ctx));
        BRN_TRY(brn_bbi_columns_need(bbi));
        BRN_TRY(fill_cone(bbi));
        *tolerance = cone_tolerance(bbi, length, *tolerance);
        bool found = false;
        if (bbi->no_slip) {
            BRN_TRY(brn_bbi_stick(bbi, &found));
        }
        info->own[BRN_BBI_CONE_ERROR] = 0.0;
        if (!found) {
            BRN_TRY(solve_cone(bbi, *tolerance, info));
        }
        BRN_TRY(respond(bbi));
        had = bbi->nchosen;
        choose_more(bbi);
    }
    for (int j = 0; j < had; ++j) {
        memcpy(bbi->point[bbi->chosen[j]].force, &bbi->cone_r[j * dim], (size_t)dim * sizeof(double));
    }
    for (int i = 0; i < bbi->system->ndof && had > 0; ++i) {
        n->step[i] += bbi->direction[i];
    }
    if (leans) {
        brn_bbi_lean_forces(bbi);
        shorten(n, LEAN * bbi->size);
    }
    return BRN_OK;
}

/* ---- iterations ------------------------------------------------------------------------------------------------------------- */

/* Largest error of a gap, as a multiple of what is allowed: penetration, and distance under force. */
static double gap_error(const brn_bbi *bbi)
{
    double most = 0.0;
    for (int i = 0; i < bbi->npoint; ++i) {
        const brn_bbi_point *p = &bbi->point[i];
        const double gap = p->touch.gap + p->depth;
        const double error = p->force[0] > 0.0 ? fabs(gap) : -gap;
        most = fmax(most, error / brn_bbi_allowed(bbi, p));
    }
    return most;
}

/* bbi->here at y with the forces of contact as they are; known: it is, with those of before, bbi->pushed. */
static brn_status look_at_energy(brn_bbi *bbi, bool known)
{
    brn_newton *n = bbi->newton;
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    double *push = NULL;
    if (!known) {
        return brn_newton_potential(n, n->y, bbi->here);
    }
    BRN_TAKE(arena, push, bbi->model->nbody);
    brn_scheme_place(n->scheme, n->y, n->x);
    BRN_TRY(bbi->terms.energy(bbi, n->x, push));
    for (int b = 0; b < bbi->model->nbody; ++b) {
        bbi->here[b].value += push[b] - bbi->pushed[b];
        bbi->here[b].size += fabs(push[b]) - fabs(bbi->pushed[b]);
    }
    brn_arena_rewind(arena, mark);
    return BRN_OK;
}

/* What is searched together: what touches, and what is moved by one obstacle. */
static brn_status find_groups(brn_bbi *bbi)
{
    const brn_newton *n = bbi->newton;
    const int *node_body = bbi->touching->skin->node_body;
    memset(bbi->moving, 0, (size_t)bbi->model->nbody * sizeof *bbi->moving);
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        if (bbi->model->fixed[dof] == BRN_DOF_HELD && n->scheme->held[dof] != n->y[dof]) {
            bbi->moving[node_body[bbi->model->row_node[dof / bbi->model->dim]]] = true;
        }
    }
    return brn_bbi_groups_find(bbi, bbi->moving);
}

/* Moves y along the step as far as the potential falls, with the forces of contact as dead ones: with these the step is one of descent.
   *known: whether bbi->here is the potential at y. */
static brn_status search(brn_bbi *bbi, bool loose, bool *known, double *length)
{
    brn_newton *n = bbi->newton;
    BRN_TRY(find_groups(bbi));
    if (loose && *known) { /* nothing pushes */
        return brn_newton_search(n, true, bbi->here, length);
    }
    brn_bbi_push(bbi);
    for (int i = 0; i < bbi->system->ndof; ++i) {
        n->contact[i] = -bbi->push[i];
    }
    brn_newton_sum(n);
    BRN_TRY(look_at_energy(bbi, *known));
    *known = false;
    BRN_TRY(brn_newton_search(n, true, bbi->here,
                              length)); /* no further than the step: points are known only there */
    *known = true;
    brn_scheme_place(n->scheme, n->y, n->x);
    return bbi->terms.energy(bbi, n->x, bbi->pushed);
}

/* Whether bodies still turn: then they come to lie on other points, and what moves them without resistance changes with them. */
static bool rolls_on(const brn_bbi *bbi, double length)
{
    return bbi->newton->rolls && length > ROLLS * bbi->size;
}

/* The points at n->y of an iteration: as far about each body as it could move in the next one. After a few they stay on their sides: a vertex on the
   fold between two faces could change for ever. */
static brn_status find_around(brn_bbi *bbi, int iteration, double length)
{
    const bool clear = bbi->kept.loose && bbi->npoint == 0; /* nothing is within reach of the step */
    if ((iteration > TURNS && !rolls_on(bbi, length)) || clear) {
        return brn_bbi_find_again(bbi, NULL);
    }
    brn_ahead_around(bbi->ahead, bbi->seen_at, bbi->newton->x, AROUND, 1e-9 * bbi->size, bbi->reach,
                     bbi->own);
    return brn_bbi_find_again(bbi, &(brn_contact_reach){bbi->newton->x, bbi->reach, bbi->own});
}

/* All that is so near to a body that can move. */
static brn_status find_within(brn_bbi *bbi, double within)
{
    for (int b = 0; b < bbi->model->nbody; ++b) {
        bbi->reach[b] = within;
        bbi->own[b] = 2.0 * within;
    }
    return brn_bbi_find_again(bbi, &(brn_contact_reach){bbi->newton->x, bbi->reach, bbi->own});
}

/* Whether that is further than points were looked for. */
static bool goes_further(const brn_bbi *bbi, const brn_contact_reach *reach, double length)
{
    bool further = false;
    for (int b = 0; b < bbi->model->nbody; ++b) {
        further = further || (bbi->model->body[b].type != BRN_BODY_STATIC && length > reach->body[b]);
    }
    return further;
}

/* n->step of the free system, with a new factor or the last one. */
static brn_status free_step(brn_bbi *bbi, bool keep, double error, bool *projected, brn_step_info *info)
{
    brn_newton *n = bbi->newton;
    if (keep && bbi->kept.learns) {
        return brn_bbi_keep_direction(bbi);
    }
    if (keep) {
        BRN_TRY(brn_newton_again(n));
    } else {
        n->factored = false;
        bbi->kept.of = NULL;
        brn_bbi_columns_clear(bbi);
        BRN_TRY(n->rolls ? brn_bbi_lean_direction(bbi, projected, info)
                         : brn_newton_direction(n, projected, info));
    }
    brn_bbi_keep_own(bbi, error);
    return BRN_OK;
}

/* Whether the factor of the iteration before is good enough for another one. While holds move only the length of the last step tells: where that had
   to be cut, the tangent was wrong. */
static bool keeps(brn_bbi *bbi, double error, double last, double length)
{
    const bool cut = !isfinite(last) && bbi->newton->taken < 1.0;
    if (!bbi->newton->factored || rolls_on(bbi, length) || cut) {
        return false;
    }
    return bbi->kept.learns ? !brn_bbi_keep_slow(bbi, error, 1.0) : error < KEEP * last;
}

/* Whether the step n->step of the free system would meet something. */
static bool meets(brn_bbi *bbi)
{
    bool any = false;
    look_at_points(bbi);
    for (int i = 0; i < bbi->npoint && !any; ++i) {
        any = bbi->point[i].u[0] < 0.0 || bbi->point[i].force[0] > 0.0;
    }
    return any;
}

/* The same while nothing touches, with a factor that is kept. */
static brn_status loose_step(brn_bbi *bbi, double error)
{
    brn_bbi_kept *k = &bbi->kept;
    if (brn_bbi_keep_slow(bbi, error, LOOSE) || !bbi->newton->factored) {
        const brn_status status = k->fresh ? BRN_ERR_CONVERGENCE : brn_bbi_keep_make(bbi, error);
        if (status == BRN_ERR_CONVERGENCE || status == BRN_ERR_SINGULAR) {
            k->loose = false;
            return BRN_OK;
        }
        BRN_TRY(status);
    }
    BRN_TRY(brn_bbi_keep_direction(bbi));
    k->loose = !meets(bbi);
    return BRN_OK;
}

/* Points at x^n, and then where the step starts. */
static brn_status start(brn_bbi *bbi, const brn_contact_reach *reach)
{
    brn_newton *n = bbi->newton;
    const size_t bytes = (size_t)bbi->system->ndof * sizeof *n->y;
    brn_scheme_place(n->scheme, n->y, n->x);
    BRN_TRY(brn_bbi_find(bbi, reach));
    if (!bbi->kept.guesses) {
        return BRN_OK;
    }
    memcpy(n->y, bbi->kept.guess, bytes);
    brn_scheme_place(n->scheme, n->y, n->x);
    BRN_TRY(find_around(bbi, 1, 0.0));
    bool clear = true;
    for (int i = 0; i < bbi->npoint && clear; ++i) {
        const brn_bbi_point *p = &bbi->point[i];
        clear = p->touch.gap + p->depth >= (bbi->kept.stays ? -DEEP * brn_bbi_allowed(bbi, p) : 0.0);
    }
    if (clear) {
        return BRN_OK;
    }
    memcpy(n->y, bbi->kept.start, bytes);
    brn_scheme_place(n->scheme, n->y, n->x);
    return brn_bbi_find(bbi, reach);
}

/* Not converged. What contact alone has to hold and still goes on is not held. */
static brn_status give_up(const brn_bbi *bbi, double length, double residual)
{
    const brn_newton *n = bbi->newton;
    if (n->shift > 0.0 && length > UNHELD * bbi->size) {
        return brn_fail(
            bbi->ctx, BRN_ERR_CONVERGENCE,
            "t = %g s: '%s' finds no equilibrium on its contacts and still moves by %.2g m an "
            "iteration: hold it, load it less, give it more to rest on or more friction, or take an "
            "integrator with inertia",
            n->scheme->t, brn_newton_moving(n), length);
    }
    return brn_newton_give_up(n, n->params.iterations, residual);
}

/* The first step of bodies that contact alone holds may go further than points were looked for: one that the last step ended with may be another
   by now, beyond a rim. Then there are more of them to look at before it is done. */
static brn_status answer_again(brn_bbi *bbi, double *tolerance, brn_step_info *info)
{
    const double length = brn_newton_most(bbi->newton->step, bbi->system->ndof);
    for (int i = 0; i < bbi->npoint; ++i) {
        memset(bbi->point[i].force, 0, sizeof bbi->point[i].force);
    }
    BRN_TRY(find_within(bbi, AROUND * length + 1e-9 * bbi->size));
    brn_bbi_anchor_begin(bbi, true);
    BRN_TRY(brn_newton_again(bbi->newton));
    return answer(bbi, INFINITY, tolerance, info);
}

/* *again: the step wants factors of its own, from its start: it meets something, or does not get on with the one that was kept. */
static brn_status iterate(brn_bbi *bbi, const brn_state *in, const brn_contact_reach *reach, bool *again,
                          brn_step_info *info)
{
    brn_newton *n = bbi->newton;
    brn_stopwatch *watch = &bbi->system->watch;
    bool projected = false;
    double tolerance = CONE_FIRST;
    double length = INFINITY;
    double last = INFINITY;
    bool known = false; /* the potential at y */
    *again = false;
    double before = INFINITY; /* the length before the last */
    bbi->lean_shift = 0.0;
    bbi->ease = 1.0;
    memcpy(n->stiffness, bbi->system->stiff_diagonal, (size_t)bbi->system->ndof * sizeof(double));
    for (int k = 0;; ++k) {
        BRN_TRY(brn_ctx_check(bbi->ctx));
        (void)brn_stopwatch_switch(watch, &watch->phases.candidates);
        brn_scheme_place(n->scheme, n->y, n->x);
        BRN_TRY(k == 0 ? start(bbi, reach) : find_around(bbi, k, length));
        if (k == 0 && !bbi->kept.loose) {
            brn_bbi_warm_start(bbi, in);
        }
        brn_bbi_anchor_begin(bbi, k == 0);
        brn_bbi_push(bbi);
        (void)brn_stopwatch_switch(watch, &watch->phases.assembly);
        brn_newton_set_noise(n);
        BRN_TRY(brn_newton_forces(n, NULL));
        const double worst = brn_newton_imbalance(n, &info->residual);
        const double error = fmax(worst, fmax(gap_error(bbi), brn_bbi_anchor_error(bbi)));
        const bool settled = brn_newton_remaining(n) == 0.0;
        const bool exact = bbi->nchosen == 0 || info->own[BRN_BBI_CONE_ERROR] <= CONE_TOLERANCE ||
                           tolerance <= CONE_TOLERANCE;
        BRN_TRY(brn_bbi_lean_upright(bbi));
        *again = bbi->kept.loose && (isnan(worst) || k == n->params.iterations);
        if (*again) {
            return BRN_OK;
        }
        if (isnan(worst)) {
            return brn_fail(bbi->ctx, BRN_ERR_NOT_FINITE, "t = %g s: a force is not a finite number",
                            n->scheme->t);
        }
        brn_bbi_keep_learn(bbi);
        /* A step with a factor that is kept goes on as long as it gains; whatever is wrong with it, its own factors will tell. */
        const bool loose = bbi->kept.loose;
        const bool air = bbi->kept.guesses && !bbi->kept.stays;
        const double goal = (loose || air) && error < KEEP * last ? LOOSE : 1.0;
        /* Only a whole step within rounding leaves nothing to find: a shortened one is as short wherever it is. */
        if (k > 0 && settled && exact &&
            (error <= goal || (length <= n->noise && n->taken >= 1.0 && !loose))) {
            return BRN_OK;
        }
        if (k == n->params.iterations) {
            return give_up(bbi, length, info->residual);
        }
        BRN_TRY(brn_newton_spend(n));
        brn_bbi_lean_ease(bbi, length, before, error / last);
        before = length;
        BRN_TRY(loose ? loose_step(bbi, error)
                      : free_step(bbi, k > 0 && keeps(bbi, error, last, length), error, &projected, info));
        *again = loose && !bbi->kept.loose;
        if (*again) {
            return BRN_OK;
        }
        (void)brn_stopwatch_switch(watch, &watch->phases.contact);
        const bool near =
            isfinite(last) && error * (error / last) <= 1.0; /* at this rate the next one is the last */
        BRN_TRY(answer(bbi, near ? 0.0 : length, &tolerance, info));
        if (k == 0 && n->rolls && goes_further(bbi, reach, brn_newton_most(n->step, bbi->system->ndof))) {
            BRN_TRY(answer_again(bbi, &tolerance, info));
        }
        if (air && bbi->nchosen > 0) {
            *again = true; /* what comes from the air meets things as if nothing had been foretold */
            return BRN_OK;
        }
        (void)brn_stopwatch_switch(watch, &watch->phases.search);
        const brn_status status = search(bbi, loose, &known, &length);
        *again = loose && (status == BRN_ERR_CONVERGENCE || (status >= 0 && n->taken < TAKEN));
        if (*again) {
            return BRN_OK;
        }
        if (status == BRN_ERR_CONVERGENCE && bbi->kept.tries > 1) { /* what was learned leads nowhere */
            n->factored = false;
            continue;
        }
        BRN_TRY(status);
        last = settled ? error : INFINITY; /* what holds have still to move is no measure */
        info->iterations++;
    }
}

/* Whether bodies went farther than was looked and through something there; then where to look. What they ended in was found on the way. */
static brn_status look_again(brn_bbi *bbi, const brn_state *in, brn_contact_reach *reach, bool *missed)
{
    *missed = false;
    if (brn_ahead_outrun(bbi->ahead, in->node_pos, bbi->newton->x, reach)) {
        BRN_TRY(brn_touching_find(bbi->touching, in->node_pos, reach));
        for (int i = 0; i < bbi->touching->count && !*missed; ++i) {
            const brn_touching_point *touch = &bbi->touching->point[i];
            *missed = touch->bears && brn_ahead_missed(bbi->ahead, in->node_pos, touch) &&
                      !brn_bbi_knows(bbi, touch);
        }
    }
    return BRN_OK;
}

brn_status brn_bbi_solve(brn_bbi *bbi, const brn_state *in, double t, double h, brn_step_info *info)
{
    double *was = bbi->system->watch.phase;
    bool missed = true;
    brn_contact_reach reach = brn_ahead_look(bbi->ahead, in, t, h);
    brn_status status = BRN_OK;
    bbi->from = in->node_pos;
    bbi->cone_memory.n = 0; /* a step does not depend on those before it */
    bool loose = true;      /* nothing has been met so far */
    for (int k = 0; missed && status >= 0 && k < LOOKS;) {
        bool again;
        bbi->npoint = 0;
        memset(bbi->push, 0, (size_t)bbi->system->ndof * sizeof *bbi->push);
        BRN_TRY(brn_newton_begin(bbi->newton, in, t, h));
        brn_bbi_flight_give(bbi, in);
        BRN_TRY(brn_bbi_keep_begin(bbi, in, loose));
        set_slip(bbi, in);
        status = iterate(bbi, in, &reach, &again, info);
        loose = false;
        if (again && status >= 0) {
            continue;
        }
        if (status >= 0) {
            status = look_again(bbi, in, &reach, &missed);
        }
        ++k;
    }
    (void)brn_stopwatch_switch(&bbi->system->watch, was);
    return status;
}
