/* Held dofs move with the first Newton step: their remaining distance d enters the right-hand side as -H_fh d, so that the free
   nodes follow them and a large prescribed motion does not crush the elements at its edge. */
#include "step/newton_inner.h"

#include "linalg/dense.h"
#include "step/supports.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Positions and displacements are rounded to this fraction of their size. A body far from the origin has fewer digits left
   for its strains. */
static const double POSITION_NOISE = 1e-15;
/* A part touches others, which reach further than it does. */
static const double AROUND = 4.0;
/* elastic_part that nobody has asked for yet */
enum { UNKNOWN = -2 };

/* most [nbody]: of a vector [ndof] in each part, at least what it was. */
static void measure_ways(const brn_newton *n, const double *v, double *most)
{
    const int dim = n->model->dim;
    for (int row = 0; row < n->model->nrow; ++row) {
        double *of = &most[n->part[row]];
        const double way = brn_newton_most(&v[row * dim], dim);
        *of = way > *of ? way : *of;
    }
}

void brn_newton_set_noise(brn_newton *n)
{
    const double reach = n->scheme->reach + brn_newton_most(n->y, n->system->ndof);
    n->noise = POSITION_NOISE * fmax(n->system->size, reach);
    if (n->part != NULL) {
        memset(n->way, 0, (size_t)n->model->nbody * sizeof *n->way);
        measure_ways(n, n->y, n->way);
        for (int b = 0; b < n->model->nbody; ++b) {
            /* Without inertia what leans on others may find no better balance. */
            n->part_noise[b] =
                !n->scheme->inertia
                    ? n->noise
                    : fmin(n->noise, POSITION_NOISE * fmax(AROUND * n->size[b], n->reach[b] + n->way[b]));
        }
    }
}

/* [1/s^2] Stiffness over mass at a dof. */
static double rate_at(const brn_newton *n, int dof)
{
    const double mass = n->model->node_mass[brn_model_at(n->model, dof) / 3];
    return mass > 0.0 ? n->system->stiff_diagonal[dof] / mass : 0.0;
}

static void learn_lean(brn_newton *n)
{
    double most = 0.0;
    memset(n->lean, 0, (size_t)n->model->nbody * sizeof *n->lean);
    for (int i = 0; i < n->system->ndof; ++i) {
        double *of = &n->lean[n->part[i / n->model->dim]];
        *of = fmax(*of, rate_at(n, i));
        most = fmax(most, *of);
    }
    for (int b = 0; b < n->model->nbody; ++b) {
        n->lean[b] = n->lean[b] > 0.0 ? n->lean[b] / most : 1.0;
    }
}

/* n->size, n->lean and n->elastic_part. */
static brn_status learn_parts(brn_newton *n)
{
    const brn_model *model = n->model;
    brn_arena *arena = brn_ctx_arena(n->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    double(*box)[6] = NULL;
    BRN_TAKE(arena, box, model->nbody);
    for (int b = 0; b < model->nbody; ++b) {
        for (int i = 0; i < 6; ++i) {
            box[b][i] = i < 3 ? INFINITY : -INFINITY;
        }
    }
    for (int row = 0; row < model->nrow; ++row) {
        double *of = box[n->part[row]];
        for (int i = 0; i < 3; ++i) {
            of[i] = fmin(of[i], model->rest[model->row_node[row]][i]);
            of[3 + i] = fmax(of[3 + i], model->rest[model->row_node[row]][i]);
        }
    }
    for (int b = 0; b < model->nbody; ++b) {
        const double way[3] = {box[b][3] - box[b][0], box[b][4] - box[b][1], box[b][5] - box[b][2]};
        n->size[b] = isfinite(way[0]) ? brn_dense_length3(way) : 0.0;
    }
    brn_arena_rewind(arena, mark);
    learn_lean(n);
    n->elastic_part = brn_system_elastic_part(n->system, n->part);
    return BRN_OK;
}

/* What a step needs to know of parts. */
static brn_status begin_parts(brn_newton *n, const brn_state *in)
{
    if (n->part == NULL) {
        return BRN_OK;
    }
    if (n->elastic_part == UNKNOWN) {
        BRN_TRY(learn_parts(n));
    }
    memset(n->reach, 0, (size_t)n->model->nbody * sizeof *n->reach);
    for (int i = 0; i < n->system->ndof; ++i) {
        double *most = &n->reach[n->part[i / n->model->dim]];
        *most = fmax(*most, fabs(in->node_pos[brn_model_at(n->model, i)]));
    }
    return BRN_OK;
}

/* n->largest: of the forces in each part. */
static void measure_parts(const brn_newton *n, const double *const forces[], int count)
{
    const int dim = n->model->dim;
    memset(n->largest, 0, (size_t)n->model->nbody * sizeof *n->largest);
    for (int row = 0; row < n->model->nrow; ++row) {
        double most = 0.0; /* in a register: most of what an iteration without a factor does is such loops */
        for (int k = 0; k < count; ++k) {
            for (int i = row * dim; i < (row + 1) * dim; ++i) {
                const double force = fabs(forces[k][i]);
                most = force > most ? force : most;
            }
        }
        double *of = &n->largest[n->part[row]];
        *of = most > *of ? most : *of;
    }
}

double brn_newton_imbalance(const brn_newton *n, double *residual)
{
    const brn_scheme *m = n->scheme;
    const int dim = n->model->dim;
    const int ndof = n->system->ndof;
    const double *const parts[] = {n->inertia, n->elastic, n->load, n->damping, n->contact, n->carried};
    double scale = 0.0;
    for (int k = 0; k < BRN_COUNT(parts); ++k) {
        const double part = brn_newton_most(parts[k], ndof);
        scale = part > scale || isnan(part) ? part : scale;
    }
    const double way = m->inertia ? fmax(brn_newton_most(n->y, ndof), brn_newton_most(m->target, ndof)) : 0.0;
    double worst = isfinite(scale) ? 0.0 : NAN; /* beside an infinite force everything would be balanced */
    double most = 0.0;
    if (n->part != NULL) {
        measure_parts(n, parts, BRN_COUNT(parts));
        memset(n->way, 0, (size_t)n->model->nbody * sizeof *n->way);
        measure_ways(n, n->y, n->way);
        measure_ways(n, m->target, n->way);
    }
    for (int i = 0; i < ndof; ++i) {
        if (n->model->fixed[i]) {
            continue;
        }
        /* Rounding of positions appears as a force through the stiffness, that of displacements through the inertia; below
           it there is nothing to gain. */
        const double mass = m->inertia ? n->model->node_mass[n->model->row_node[i / dim]] / m->s : 0.0;
        const double went = n->part != NULL ? n->way[n->part[i / dim]] : way;
        const double floor = 8.0 * (brn_newton_noise(n, i) * n->stiffness[i] + POSITION_NOISE * went * mass);
        const double force = fabs(n->unbalanced[i]);
        const double largest = n->part != NULL ? n->largest[n->part[i / dim]] : scale;
        const double allowed = n->params.tolerance * largest + floor;
        worst = force / allowed > worst || isnan(force) ? force / allowed : worst;
        const double share = largest > 0.0 ? force / largest : 0.0;
        most = share > most ? share : most;
    }
    *residual = most;
    return worst;
}

/* Where Newton starts: the target (exact in free flight) if its potential is lower, else the last positions. */
static brn_status start(brn_newton *n, const brn_state *in)
{
    const brn_scheme *m = n->scheme;
    const int ndof = n->system->ndof;
    memset(n->y, 0, (size_t)ndof * sizeof *n->y);
    if (!m->inertia || n->terms != NULL) { /* with contact, only x^n is known to be free of intersections */
        return BRN_OK;
    }
    brn_newton_energy here;
    brn_newton_energy there;
    double load = 0.0; /* [J] work of the loads on the way to the guess */
    double *guess = n->trial;
    for (int i = 0; i < ndof; ++i) {
        guess[i] = n->model->fixed[i] ? 0.0 : m->target[i];
    }
    brn_model_follow(n->model, guess);
    BRN_TRY(brn_newton_loads(n, in->node_pos, m->t_eval, n->load, NULL));
    for (int i = 0; i < ndof; ++i) {
        load += (m->share * n->load[i] + n->carried[i]) * guess[i];
    }
    BRN_TRY(brn_newton_potential(n, n->y, &here));
    BRN_TRY(brn_newton_potential(n, guess, &there));
    if (isfinite(there.value) && there.value - load < here.value) {
        memcpy(n->y, guess, (size_t)ndof * sizeof *guess);
    }
    return BRN_OK;
}

/* Without inertia: the body that the last direction moves by more than this many sizes of the scene; NULL: there is none. */
static const double UNHELD = 100.0;

static const char *unheld(const brn_newton *n, double *way)
{
    *way = brn_newton_most(n->step, n->system->ndof);
    return !n->scheme->inertia && *way > UNHELD * n->system->size ? brn_newton_moving(n) : NULL;
}

static const char *body_at(const brn_model *model, int node)
{
    const char *name = "";
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        name = node >= body->node_first && node < body->node_first + body->node_count ? body->name : name;
    }
    return name;
}

/* The dof that the last direction moves most. */
static int moving_most(const brn_newton *n)
{
    int most = 0;
    for (int dof = 0; dof < n->system->ndof; ++dof) {
        most = fabs(n->step[dof]) > fabs(n->step[most]) ? dof : most;
    }
    return most;
}

const char *brn_newton_moving(const brn_newton *n)
{
    return body_at(n->model, n->model->row_node[moving_most(n) / n->model->dim]);
}

/* Elements that are squeezed or drawn to less or more of a length than this are past what they can bear, or near. */
static const double SQUEEZED = 0.6, DRAWN = 1.6;

/* A length between two nodes of an element over the one at rest, and the node where it is most. */
typedef struct distortion {
    double least, most;
    int squeezed, drawn;
} distortion;

static double length_between(const double *x, int a, int b)
{
    const double way[3] = {x[3 * b] - x[3 * a], x[3 * b + 1] - x[3 * a + 1], x[3 * b + 2] - x[3 * a + 2]};
    return brn_dense_length3(way);
}

static distortion distortion_of(const brn_newton *n)
{
    const double *rest = &n->model->rest[0][0];
    distortion out = {.least = 1.0, .most = 1.0};
    for (int p = 0; p < n->system->npart; ++p) {
        const brn_element_group *group = n->system->part[p];
        for (int e = 0; e < group->nelem && brn_solid_of_group(group) != NULL; ++e) {
            const int *node = &group->conn[e * group->nnode];
            for (int i = 1; i < group->nnode; ++i) {
                const double ratio =
                    length_between(n->x, node[0], node[i]) / length_between(rest, node[0], node[i]);
                out.squeezed = ratio < out.least ? node[i] : out.squeezed;
                out.drawn = ratio > out.most ? node[i] : out.drawn;
                out.least = fmin(out.least, ratio);
                out.most = fmax(out.most, ratio);
            }
        }
    }
    return out;
}

/* What a step without inertia has trouble with; "" with inertia. */
static void say_where(const brn_newton *n, char *where, size_t size)
{
    where[0] = '\0';
    if (n->scheme->inertia) {
        return;
    }
    const distortion worst = distortion_of(n);
    const bool squeezed = worst.least < SQUEEZED;
    const bool strained = squeezed || worst.most > DRAWN;
    const int node = squeezed   ? worst.squeezed
                     : strained ? worst.drawn
                                : n->model->row_node[moving_most(n) / n->model->dim];
    const double *at = &n->x[3 * node];
    const char *name = body_at(n->model, node);
    if (strained) {
        (void)snprintf(where, size,
                       "; at [%.3g, %.3g, %.3g] '%s' is %s to %.2g times its length: what acts on it may be "
                       "more than it can bear",
                       at[0], at[1], at[2], name, squeezed ? "squeezed" : "drawn",
                       squeezed ? worst.least : worst.most);
    } else {
        (void)snprintf(where, size,
                       "; what still moves is '%s' at [%.3g, %.3g, %.3g], which may be giving way: an "
                       "integrator with inertia would follow it",
                       name, at[0], at[1], at[2]);
    }
}

/* A step that costs this much does not get anywhere. */
brn_status brn_newton_spend(brn_newton *n)
{
    if (n->system->effort < n->system->budget) {
        n->system->effort += 1.0;
        return BRN_OK;
    }
    double way;
    char where[240];
    const char *name = unheld(n, &way);
    if (name != NULL) {
        return brn_fail(n->ctx, BRN_ERR_CONVERGENCE,
                        "t = %g s: nothing holds '%s', whose equilibrium would be %.2g m away: hold it, give "
                        "it something to rest on, or take an integrator with inertia",
                        n->scheme->t, name, way);
    }
    say_where(n, where, sizeof where);
    return brn_fail(n->ctx, BRN_ERR_CONVERGENCE,
                    "t = %g s: a step took more than method.budget = %d Newton iterations, all its parts and "
                    "attempts together%s; try a smaller time.step, or a larger method.budget",
                    n->scheme->t, n->params.budget, where);
}

brn_status brn_newton_give_up(const brn_newton *n, int iterations, double residual)
{
    char where[240];
    say_where(n, where, sizeof where);
    return brn_fail(
        n->ctx, BRN_ERR_CONVERGENCE,
        "t = %g s: Newton did not converge in %d iterations (unbalanced force %.2g of the largest)%s",
        n->scheme->t, iterations, residual, where);
}

/* Something is in the way of a motion: reports which, and how far short of its place it is. */
static brn_status tell_obstruction(const brn_newton *n)
{
    const int dim = n->model->dim;
    const char *name = "";
    double most = 0.0;
    for (int i = 0; i < n->model->nhold; ++i) {
        const brn_hold *hold = &n->model->hold[i];
        for (int k = 0; k < hold->nnode * dim; ++k) {
            const int row = n->model->node_row[hold->node[k / dim]];
            if (row < 0) {
                continue; /* only shows it */
            }
            const int dof = row * dim + k % dim;
            const double left = fabs(n->scheme->held[dof] - n->y[dof]);
            if (n->model->fixed[dof] == BRN_DOF_HELD && left > most) {
                most = left;
                name = hold->name;
            }
        }
    }
    return brn_fail(n->ctx, BRN_ERR_CONVERGENCE,
                    "t = %g s: '%s' is %.2g m short of where its motion takes it: something is in its way",
                    n->scheme->t, name, most);
}

/* Whether Newton's step is within what the terms allow for the last one. */
static bool is_allowed(const brn_newton *n)
{
    bool within = true;
    for (int i = 0; i < n->system->ndof && within; ++i) {
        within = fabs(n->step[i]) <= n->step_allowed[i];
    }
    return within;
}

/* After so many whole steps in a row with the projected tangent the exact one is tried, the next time after twice as many. It is
   kept as long as it is positive definite and at least this share of its steps (of what is free of them) is taken. */
enum { PATIENCE = 20 };
static const double EXACT_SHARE = 0.25;

/* A motion that contact bars: so many iterations in a row went less than this share of the way. Each further one would leave a tenth
   of the gap, until that is rounding. The motion waits until what it presses has given way, or for so many iterations. */
enum { BARRED_LEAST = 10, WAIT_MOST = 30 };
static const double BARRED = 0.05;

static void wait_or_go(brn_newton *n, bool settled, int *count)
{
    const bool counts = n->waits || (!settled && n->step_allowed != NULL && n->taken < BARRED);
    *count = counts ? *count + 1 : 0;
    const bool over = n->waits ? *count >= WAIT_MOST || is_allowed(n) : *count >= BARRED_LEAST;
    n->waits = n->waits != over;
    *count = over ? 0 : *count;
}

static brn_status iterate(brn_newton *n, brn_step_info *info)
{
    const bool free_tangent = n->params.tangent == BRN_NEWTON_AUTO;
    bool projected = n->params.tangent == BRN_NEWTON_PROJECTED || (free_tangent && n->terms != NULL);
    int patience = PATIENCE;
    int barred = 0;    /* iterations in a row, or those of a motion that waits */
    int whole = 0;     /* steps in a row that nothing shortened */
    bool last = false; /* the step just done was within the tolerance */
    double length = INFINITY;
    brn_newton_energy here;
    n->waits = false;
    BRN_TRY(brn_newton_potential(n, n->y, &here));
    memcpy(n->stiffness, n->system->stiff_diagonal, (size_t)n->system->ndof * sizeof(double));
    for (int k = 0;; ++k) {
        BRN_TRY(brn_ctx_check(n->ctx));
        brn_newton_set_noise(n);
        (void)brn_newton_watch(n, &n->system->watch.phases.assembly);
        BRN_TRY(brn_newton_forces(n, NULL));
        const double worst = brn_newton_imbalance(n, &info->residual);
        const bool settled = brn_newton_remaining(n) == 0.0;
        if (isnan(worst)) {
            return brn_fail(n->ctx, BRN_ERR_NOT_FINITE, "t = %g s: a force is not a finite number",
                            n->scheme->t);
        }
        /* A step that changes only the last digits of positions cannot be improved on. */
        if (settled && (worst <= 1.0 || length <= n->noise || last)) {
            return BRN_OK;
        }
        if (k == n->params.iterations) {
            return settled ? brn_newton_give_up(n, k, info->residual) : tell_obstruction(n);
        }
        BRN_TRY(brn_newton_spend(n));
        if (free_tangent && projected && whole >= patience) {
            projected = false;
            patience *= 2;
            whole = 0;
        }
        BRN_TRY(brn_newton_direction(n, &projected, info));
        /* A step within the tolerance is the last one, but still taken: that squares its error. */
        last = settled && n->step_allowed != NULL && is_allowed(n);
        (void)brn_newton_watch(n, &n->system->watch.phases.search);
        const brn_status status = brn_newton_search(n, last, &here, &length);
        if (last && status == BRN_ERR_CONVERGENCE) {
            return BRN_OK; /* rounding allows no better */
        }
        BRN_TRY(status);
        whole = n->taken >= 1.0 ? whole + 1 : 0;
        wait_or_go(n, settled, &barred);
        if (patience > PATIENCE && length < EXACT_SHARE * brn_newton_most(n->step, n->system->ndof)) {
            projected = true;
        }
        info->iterations++;
    }
}

brn_status brn_newton_begin(brn_newton *n, const brn_state *in, double t, double h)
{
    memcpy(n->x, in->node_pos, (size_t)n->model->nnode * 3 * sizeof(double)); /* z in 2D */
    const brn_drag *drag = &n->system->controls->drag;
    BRN_TRY(brn_newton_weigh(n));
    BRN_TRY(begin_parts(n, in));
    BRN_TRY(brn_scheme_begin(n->scheme, in, t, h));
    if (drag->node >= 0) {
        brn_drag_point(drag, &in->node_pos[3 * drag->node], n->hand);
    }
    if (n->scheme->inertia) {
        brn_scheme_place(n->scheme, n->scheme->ahead, n->x);
        BRN_TRY(brn_system_damping_update(n->system, n->x));
    }
    /* What failed in a part of a step is not tried again in the next one. */
    n->direct = n->params.solver == BRN_NEWTON_DIRECT || (n->direct && n->system->effort > 0.0);
    n->factored = false; /* a step does not depend on what was before it */
    BRN_TRY(brn_newton_carry(n, in));
    BRN_TRY(start(n, in));
    brn_newton_set_noise(n);
    return BRN_OK;
}

brn_status brn_newton_solve(brn_newton *n, brn_step_info *info)
{
    double *was = n->system->watch.phase;
    const brn_status status = iterate(n, info);
    (void)brn_newton_watch(n, was);
    return status;
}

/* Loads and friction as the step saw them: means over it where the rule has a share at x^n. */
static brn_status gather_forces(brn_newton *n, const brn_state *in)
{
    const brn_scheme *m = n->scheme;
    const int ndof = n->system->ndof;
    if (n->terms != NULL && n->terms->dissipative != NULL) {
        n->terms->dissipative(n->terms->self, n->x, n->damping);
    }
    for (int i = 0; i < ndof; ++i) {
        n->unbalanced[i] *= -1.0; /* what the holds supply */
        n->damping[i] *= -1.0;
    }
    if (m->share != 1.0) {
        BRN_TRY(brn_newton_loads(n, in->node_pos, brn_model_after(n->model, m->t, m->h), n->scratch, NULL));
        for (int i = 0; i < ndof; ++i) {
            n->load[i] += (1.0 - m->share) * n->scratch[i];
        }
    }
    if (n->system->controls->drag.node >= 0) { /* a load like any other, now that it is known */
        brn_drag_add_force(&n->system->controls->drag, n->model, n->pull.force, 1.0, n->load);
    }
    return BRN_OK;
}

brn_status brn_newton_finish(brn_newton *n, const brn_state *in, brn_state *out, brn_books *books)
{
    BRN_TRY(brn_scheme_finish(n->scheme, in, n->y, out));
    return brn_newton_book(n, in, out, books);
}

brn_status brn_newton_book(brn_newton *n, const brn_state *in, brn_state *out, brn_books *books)
{
    BRN_TRY(brn_newton_keep_spin(n, in, out));
    *books = brn_scheme_books(n->scheme->integrator, n->scheme->kind);
    BRN_TRY(brn_newton_losses(n, in, out, books));
    BRN_TRY(gather_forces(n, in));
    BRN_TRY(brn_newton_write(n, n->load, n->unbalanced, n->damping, out));
    books->dissipated = brn_newton_dissipated(n, in, out, books);
    return BRN_OK;
}

/* ---- making ------------------------------------------------------------------------------------------------------- */

/* [1/s^2] Stiffness over mass for bodies that only contact holds: so small a share of the stiffest node's that nothing but
   motions without any resistance yet feels it. */
static double leaning_shift(const brn_newton *n)
{
    double stiff = 0.0;
    for (int i = 0; i < n->system->ndof; ++i) {
        stiff = fmax(stiff, rate_at(n, i));
    }
    return 1e-9 * stiff;
}

/* Iterations worth waiting for. Those of small models cost so little that even the most hopeless step may have more. */
static int usual_budget(int nodes)
{
    static const double least = 1500.0, most = 5000.0, many = 1000.0;
    return (int)fmin(most, fmax(least, least * many / fmax(1.0, nodes)));
}

static brn_status allocate(brn_newton *n)
{
    BRN_TRY(brn_scheme_create(n->ctx, n->system, n->params.integrator, &n->scheme));
    double **arrays[] = {&n->y,       &n->trial,  &n->step,    &n->unbalanced, &n->inertia,
                         &n->elastic, &n->load,   &n->damping, &n->gravity,    &n->stiffness,
                         &n->contact, &n->turned, &n->scratch, &n->carried};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        BRN_ALLOC(n->ctx, *arrays[i], n->system->ndof);
    }
    BRN_ALLOC(n->ctx, n->x, (size_t)n->model->nnode * 3);
    BRN_ALLOC(n->ctx, n->middle, (size_t)n->model->nnode * 3);
    BRN_ALLOC(n->ctx, n->weld, n->model->nattach);
    double **of_parts[] = {&n->largest, &n->size, &n->reach, &n->part_noise, &n->way, &n->lean};
    for (int i = 0; i < BRN_COUNT(of_parts); ++i) {
        BRN_ALLOC(n->ctx, *of_parts[i], n->model->nbody);
    }
    n->elastic_part = UNKNOWN;
    n->weighed[0] = NAN; /* not yet */
    return brn_newton_weigh(n);
}

brn_status brn_newton_create(brn_ctx *ctx, const brn_model *model, brn_system *system,
                             const brn_newton_params *params, const brn_newton_terms *terms, brn_newton **out)
{
    *out = NULL;
    bool leaning = false;
    if (params->integrator == BRN_STATIC) {
        BRN_TRY(brn_supports_check(ctx, model, terms != NULL, &leaning));
    }
    brn_newton *n = NULL;
    BRN_ALLOC(ctx, n, 1);
    n->ctx = ctx;
    n->model = model;
    n->system = system;
    n->params = *params;
    n->terms = terms;
    n->params.budget = params->budget > 0 ? params->budget : usual_budget(model->nnode);
    system->budget = n->params.budget;
    const brn_status status = allocate(n);
    if (status < 0) {
        brn_newton_destroy(n);
        return status;
    }
    n->shift = leaning ? leaning_shift(n) : 0.0;
    *out = n;
    return BRN_OK;
}

void brn_newton_destroy(brn_newton *n)
{
    if (n == NULL) {
        return;
    }
    brn_scheme_destroy(n->ctx, n->scheme);
    brn_factor_destroy(n->factor);
    double *arrays[] = {n->x,       n->y,       n->trial,      n->step,    n->unbalanced, n->inertia,
                        n->elastic, n->load,    n->damping,    n->gravity, n->stiffness,  n->contact,
                        n->turned,  n->scratch, n->carried,    n->middle,  n->largest,    n->size,
                        n->reach,   n->way,     n->part_noise, n->lean};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(n->ctx, arrays[i]);
    }
    brn_free(n->ctx, n->weld);
    brn_free(n->ctx, n);
}
