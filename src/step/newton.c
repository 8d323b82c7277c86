/* The tangent is the exact one while it is positive definite (quadratic convergence), else the projected one. Held dofs
   move with the first Newton step: their remaining distance d enters the right-hand side as -H_fh d, so that the free
   nodes follow them and a large prescribed motion does not crush the elements at its edge. The line search backs off
   from infinite energies (inverted barrier elements) and asks for an Armijo decrease once every held dof is in place.
   A follower pressure has no potential in general; during a search it is kept as the dead force it was at the start. */
#include "step/newton.h"

#include "linalg/factor_near.h"
#include "linalg/pcg.h"
#include "model/rigid_pose.h"
#include "step/supports.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HALVINGS = 40, PCG_CAP = 20000 };

static const double ARMIJO = 1e-4;
/* Error of a Newton direction that is found with an earlier factor: with 0.03 draped cloth, a twisted mat and rollers take as
   many iterations as with exact directions, within 3 %; with 0.1 up to 10 % more. A step within the tolerance is the last one,
   and is to leave as little behind as an exact one. */
static const double NEAR_ERROR = 0.03;
static const double NEAR_ERROR_LAST = 1e-4;
/* Energies are sums of many terms: differences below this fraction of them are rounding. */
static const double ENERGY_NOISE = 1e-13;
/* Positions and displacements are rounded to this fraction of their size. A body far from the origin has fewer digits left
   for its strains. */
static const double POSITION_NOISE = 1e-15;

/* [rad] Smaller turns of rigid bodies stretch them too little to matter. */
static const double TURN_LEAST = 1e-3;

/* What a line search needs from the potential. */
typedef struct search_limits {
    double slope, rounding; /* [J] */
} search_limits;

static double *watch(brn_newton *n, double *phase)
{
    return brn_stopwatch_switch(&n->system->watch, phase);
}

static double max_abs(const double *v, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
        most = fabs(v[i]) > most || isnan(v[i]) ? fabs(v[i]) : most;
    }
    return most;
}

/* The spring of a hand at y; false: nothing is dragged. */
static bool pull_at(const brn_newton *n, const double *y, brn_pull *out)
{
    const brn_scheme *m = n->scheme;
    const brn_drag *drag = &n->system->controls->drag;
    const int dim = n->model->dim;
    double x[3];
    double v[3] = {0.0, 0.0, 0.0};
    if (drag->node < 0) {
        return false;
    }
    memcpy(x, &m->from[3 * drag->node], sizeof x);
    for (int k = 0; k < drag->on.count; ++k) {
        const int first = n->model->node_row[drag->on.node[k]] * dim;
        for (int i = 0; i < dim; ++i) {
            x[i] += drag->on.weight[k] * y[first + i];
            v[i] += drag->on.weight[k] * m->rate * (y[first + i] - m->origin[first + i]);
        }
    }
    brn_drag_pull(drag, n->hand, x, v, m->rate, out);
    return true;
}

/* The positions that elements see, from n->x. */
static const double *seen(brn_newton *n)
{
    if (n->scheme->place == 1.0) {
        return n->x;
    }
    brn_scheme_see(n->scheme, n->x, n->middle);
    return n->middle;
}

typedef struct energy {
    double value, size; /* [J] and the size of its terms, for rounding */
} energy;

/* The potential at y without its loads and what is carried. */
static brn_status potential(brn_newton *n, const double *y, energy *out)
{
    const brn_scheme *m = n->scheme;
    const int ndof = n->system->ndof;
    double elastic = 0.0;
    double inertia = 0.0;
    double damping = 0.0;
    brn_scheme_place(m, y, n->x);
    BRN_TRY(brn_system_elastic(n->system, seen(n), BRN_TANGENT_EXACT, &elastic, NULL, NULL));
    if (m->place != 1.0) { /* rigid bodies' elements are at y */
        elastic = (elastic - (1.0 - m->place) * brn_newton_rigid_energy(n, n->x)) / m->place;
    }
    elastic *= m->share;
    if (m->inertia) {
        for (int i = 0; i < ndof; ++i) {
            n->scratch[i] = y[i] - m->target[i];
        }
        BRN_TRY(brn_system_mass_apply(n->system, n->scratch, n->inertia));
        for (int i = 0; i < ndof; ++i) {
            inertia += 0.5 / m->s * n->scratch[i] * n->inertia[i];
        }
    }
    if (n->system->damping != NULL && m->inertia) {
        for (int i = 0; i < ndof; ++i) {
            n->scratch[i] = m->rate * (y[i] - m->origin[i]);
        }
        BRN_TRY(brn_block_matrix_multiply(n->system->damping, n->scratch, n->damping));
        for (int i = 0; i < ndof; ++i) {
            damping += 0.5 / m->rate * n->scratch[i] * n->damping[i];
        }
    }
    double extra = 0.0;
    if (n->terms != NULL) {
        double *was = watch(n, &n->system->watch.phases.contact);
        BRN_TRY(n->terms->energy(n->terms->self, n->x, &extra));
        (void)watch(n, was);
    }
    brn_pull pull;
    extra += pull_at(n, y, &pull) ? pull.energy : 0.0;
    *out = (energy){elastic + inertia + damping + extra,
                    fabs(elastic) + fabs(inertia) + fabs(damping) + fabs(extra)};
    return BRN_OK;
}

/* Forces at n->y; n->unbalanced follows. */
static brn_status forces(brn_newton *n)
{
    const brn_scheme *m = n->scheme;
    brn_system *s = n->system;
    const size_t bytes = (size_t)s->ndof * sizeof(double);
    brn_scheme_place(m, n->y, n->x);
    const double *z = seen(n);
    memset(n->elastic, 0, bytes);
    memset(n->inertia, 0, bytes);
    memset(n->damping, 0, bytes);
    BRN_TRY(brn_system_elastic(s, z, BRN_TANGENT_EXACT, NULL, n->elastic, NULL));
    BRN_TRY(brn_newton_loads(n, z, m->t_eval, n->load, NULL));
    for (int i = 0; i < s->ndof && m->share != 1.0; ++i) {
        n->elastic[i] *= m->share;
        n->load[i] *= m->share;
    }
    if (m->inertia) {
        for (int i = 0; i < s->ndof; ++i) {
            n->scratch[i] = (n->y[i] - m->target[i]) / m->s;
        }
        BRN_TRY(brn_system_mass_apply(s, n->scratch, n->inertia));
    }
    if (s->damping != NULL && m->inertia) {
        for (int i = 0; i < s->ndof; ++i) {
            n->scratch[i] = m->rate * (n->y[i] - m->origin[i]);
        }
        BRN_TRY(brn_block_matrix_multiply(s->damping, n->scratch, n->damping));
    }
    memset(n->contact, 0, bytes);
    if (n->terms != NULL) {
        double *was = watch(n, &s->watch.phases.contact);
        BRN_TRY(n->terms->gradient(n->terms->self, n->x, n->contact));
        (void)watch(n, was);
    }
    if (pull_at(n, n->y, &n->pull)) {
        brn_drag_add_force(&s->controls->drag, n->model, n->pull.force, -1.0, n->contact);
    }
    for (int i = 0; i < s->ndof; ++i) {
        n->unbalanced[i] =
            n->load[i] + n->carried[i] - n->inertia[i] - n->elastic[i] - n->damping[i] - n->contact[i];
    }
    brn_newton_weld(n);
    return BRN_OK;
}

/* Largest remaining distance of a held dof; 0 when all are in place. */
static double remaining(const brn_newton *n)
{
    double most = 0.0;
    for (int i = 0; i < n->system->ndof; ++i) {
        if (n->model->fixed[i] == BRN_DOF_HELD) {
            most = fmax(most, fabs(n->scheme->held[i] - n->y[i]));
        }
    }
    return most;
}

/* Largest unbalanced force of a free dof, as a multiple of what the stopping test allows. */
static double imbalance(const brn_newton *n, double *residual)
{
    const brn_scheme *m = n->scheme;
    const int dim = n->model->dim;
    const int ndof = n->system->ndof;
    const double *const parts[] = {n->inertia, n->elastic, n->load, n->damping, n->contact, n->carried};
    double scale = 0.0;
    for (int k = 0; k < BRN_COUNT(parts); ++k) {
        const double part = max_abs(parts[k], ndof);
        scale = part > scale || isnan(part) ? part : scale;
    }
    const double way = m->inertia ? fmax(max_abs(n->y, ndof), max_abs(m->target, ndof)) : 0.0;
    double worst = isfinite(scale) ? 0.0 : NAN; /* beside an infinite force everything would be balanced */
    *residual = 0.0;
    for (int i = 0; i < ndof; ++i) {
        if (n->model->fixed[i]) {
            continue;
        }
        /* Rounding of positions appears as a force through the stiffness, that of displacements through the inertia; below
           it there is nothing to gain. */
        const double mass = m->inertia ? n->model->node_mass[n->model->row_node[i / dim]] / m->s : 0.0;
        const double floor = 8.0 * (n->noise * n->stiffness[i] + POSITION_NOISE * way * mass);
        const double force = fabs(n->unbalanced[i]);
        const double allowed = n->params.tolerance * scale + floor;
        worst = force / allowed > worst || isnan(force) ? force / allowed : worst;
        *residual = fmax(*residual, force);
    }
    *residual = scale > 0.0 ? *residual / scale : 0.0;
    return worst;
}

/* The diagonal of the tangent so far: how rounding of positions affects forces. Elements that are nearly crushed are many
   times as stiff as at rest. */
static void read_stiffness(brn_newton *n)
{
    const brn_block_matrix *a = n->system->matrix;
    for (int row = 0; row < a->n; ++row) {
        const double *block = &a->value[(size_t)a->start[row] * (size_t)(a->size * a->size)];
        for (int i = 0; i < a->size; ++i) {
            n->stiffness[row * a->size + i] = fabs(block[i * a->size + i]);
        }
    }
}

/* The blocks of rigid bodies' elements, which are at y, without the factor of place. */
static void unplace_rigid(brn_newton *n)
{
    const brn_model *model = n->model;
    brn_block_matrix *a = n->system->matrix;
    const int count = model->dim + 1;
    for (int b = 0; b < model->nbody && n->scheme->place != 1.0; ++b) {
        const int first = brn_scheme_coasts(n->scheme, b) ? model->node_row[model->body[b].handle] : -1;
        for (int k = 0; k < count * count && first >= 0; ++k) {
            const int block =
                k / count <= k % count ? brn_block_matrix_find(a, first + k / count, first + k % count) : -1;
            for (int i = 0; i < a->size * a->size && block >= 0; ++i) {
                a->value[(size_t)block * (size_t)(a->size * a->size) + (size_t)i] /= n->scheme->place;
            }
        }
    }
}

static brn_status assemble(brn_newton *n, brn_tangent tangent)
{
    const brn_scheme *m = n->scheme;
    brn_system *s = n->system;
    const double *z = seen(n);
    brn_block_matrix_zero(s->matrix);
    BRN_TRY(brn_system_elastic(s, z, tangent, NULL, NULL, s->matrix));
    /* The stiffness of a follower pressure is indefinite: it goes with the exact tangent only, else it is lagged. */
    if (s->pressure != NULL && tangent == BRN_TANGENT_EXACT) {
        BRN_TRY(brn_newton_loads(n, z, m->t_eval, n->scratch, s->matrix));
    }
    if (m->share * m->place != 1.0) {
        brn_block_matrix_scale(s->matrix, m->share * m->place);
        unplace_rigid(n);
    }
    brn_pull pull;
    if (pull_at(n, n->y, &pull)) {
        brn_drag_add_stiffness(&s->controls->drag, n->model, &pull, s->matrix);
    }
    brn_system_condense(s, s->matrix);
    read_stiffness(n);
    if (m->inertia) {
        brn_system_mass_add(s, 1.0 / m->s, s->matrix);
    }
    if (s->damping != NULL && m->inertia) {
        BRN_TRY(brn_block_matrix_add(s->matrix, m->rate, s->damping));
    }
    if (n->shift > 0.0) {
        brn_system_mass_add(s, n->shift, s->matrix);
    }
    brn_system_condense(s, s->matrix); /* of mass and damping: what was condensed before stays */
    n->matrix = s->matrix;
    if (n->terms == NULL) {
        return BRN_OK;
    }
    double *was = watch(n, &s->watch.phases.contact);
    BRN_TRY(n->terms->hessian(n->terms->self, n->x, s->matrix, &n->matrix));
    (void)watch(n, was);
    return BRN_OK;
}

/* n->step = Newton direction for the right-hand side n->unbalanced, held dofs going the rest of their way; tied dofs have no
   equation of their own and are left out. */
static brn_status solve_free(brn_newton *n)
{
    brn_system *s = n->system;
    const bool moving = remaining(n) > 0.0;
    for (int i = 0; i < s->ndof; ++i) {
        n->step[i] = n->model->fixed[i] == BRN_DOF_HELD ? n->scheme->held[i] - n->y[i] : 0.0;
    }
    if (moving) {
        BRN_TRY(brn_block_matrix_multiply(n->matrix, n->step, n->scratch));
    }
    for (int i = 0; i < s->ndof; ++i) {
        const double follow = moving ? n->scratch[i] : 0.0;
        n->scratch[i] = n->model->fixed[i] ? n->step[i] : n->unbalanced[i] - follow;
    }
    if (n->params.solver == BRN_NEWTON_PCG) {
        brn_pcg_result result;
        return brn_pcg_solve(n->ctx, n->matrix, n->model->fixed, n->scratch, fmin(1e-4, n->params.tolerance),
                             PCG_CAP, n->step, &result);
    }
    /* With contact, Newton's iterations after the first: the factor of an earlier one is near enough, most of the time. */
    if (n->terms != NULL && n->factored && brn_factor_near_cap(n->factor) > 0) {
        const brn_near_goal goal = {NEAR_ERROR, n->step_allowed, NEAR_ERROR_LAST};
        bool done = false;
        BRN_TRY(
            brn_factor_solve_near(n->factor, n->matrix, n->model->fixed, n->scratch, &goal, n->step, &done));
        if (done) {
            return BRN_OK;
        }
    }
    n->factored = false;
    (void)watch(n, &s->watch.phases.symbolic);
    /* The order comes from the elastic pattern, whatever is in contact: a resumed run has the same one. */
    if (n->factor == NULL) {
        BRN_TRY(brn_factor_create(n->ctx, s->matrix, n->model->fixed, &n->factor));
    }
    if (n->terms != NULL) {
        BRN_TRY(brn_factor_update(n->factor, n->matrix));
    }
    (void)watch(n, &s->watch.phases.factor);
    BRN_TRY(brn_factor_numeric(n->factor, n->matrix, n->model->fixed));
    n->factored = true;
    (void)watch(n, &s->watch.phases.solve);
    return brn_factor_solve(n->factor, n->scratch, n->step);
}

static brn_status solve(brn_newton *n)
{
    const brn_status status = solve_free(n);
    brn_model_follow(n->model, n->step);
    return status;
}

/* Newton direction with the tangent that the parameters ask for. Once the exact tangent has been indefinite, the rest of
   this step uses the projected one. */
static brn_status direction(brn_newton *n, bool *projected)
{
    const int wanted = n->params.tangent;
    for (int attempt = 0; attempt < 2; ++attempt) {
        const bool project = *projected || wanted == BRN_NEWTON_PROJECTED;
        (void)watch(n, &n->system->watch.phases.assembly);
        BRN_TRY(assemble(n, project ? BRN_TANGENT_PROJECTED : BRN_TANGENT_EXACT));
        (void)watch(n, &n->system->watch.phases.solve);
        const brn_status status = solve(n);
        if (status != BRN_ERR_SINGULAR || project || wanted == BRN_NEWTON_EXACT) {
            return status;
        }
        *projected = true;
    }
    return BRN_ERR_SINGULAR;
}

/* Tries the whole step, or as much of it as is free, with rigid bodies turned instead of sheared: a straight step stretches
   a body by the square of its turn, so a stiff one could turn only in many small pieces. To first order the step is the
   same, so near the solution nothing changes. */
static brn_status search_turned(brn_newton *n, energy *here, const search_limits *limits, bool *found)
{
    const int ndof = n->system->ndof;
    double *turned = n->turned;
    double scale = 1.0;
    *found = false;
    for (int attempt = 0; attempt < 2; ++attempt) {
        double bound = 1.0;
        double load = 0.0;
        energy there;
        for (int i = 0; i < ndof; ++i) {
            turned[i] = scale * n->step[i];
        }
        brn_scheme_place(n->scheme, n->y, n->x);
        if (!(brn_rigid_turn_steps(n->model, n->x, turned) > TURN_LEAST)) {
            return BRN_OK;
        }
        brn_model_follow(n->model, turned);
        if (n->terms != NULL) {
            double *was = watch(n, &n->system->watch.phases.ccd);
            BRN_TRY(n->terms->bound(n->terms->self, n->x, turned, &bound));
            (void)watch(n, was);
        }
        if (bound < 1.0) {
            scale *= 0.9 * bound;
            continue;
        }
        for (int i = 0; i < ndof; ++i) {
            n->trial[i] = n->y[i] + turned[i];
            load += (n->load[i] + n->carried[i]) * turned[i];
        }
        BRN_TRY(potential(n, n->trial, &there));
        const double noise = ENERGY_NOISE * (here->size + there.size + fabs(load)) + limits->rounding;
        if (isfinite(there.value) &&
            there.value - load <= here->value + ARMIJO * scale * limits->slope + noise) {
            memcpy(n->y, n->trial, (size_t)ndof * sizeof *n->y);
            *here = there;
            *found = true;
        }
        return BRN_OK;
    }
    return BRN_OK;
}

/* Moves y along the step. *here: the potential at y, in and out. */
static brn_status search(brn_newton *n, energy *here, double *length)
{
    const int ndof = n->system->ndof;
    const bool settled = remaining(n) == 0.0;
    double slope = 0.0;
    double load = 0.0;     /* [J] work of the loads along the whole step */
    double rounding = 0.0; /* [J] of the elastic energy when every position is rounded */
    for (int i = 0; i < ndof; ++i) {
        load += (n->load[i] + n->carried[i]) * n->step[i];
        if (n->model->fixed[i] != BRN_DOF_HELD) {
            slope -= n->unbalanced[i] * n->step[i];
            rounding += n->noise * (fabs(n->elastic[i]) + n->noise * n->stiffness[i]);
        }
    }
    if (settled && n->model->ties.count > 0) {
        const search_limits limits = {slope, rounding};
        bool found = false;
        BRN_TRY(search_turned(n, here, &limits, &found));
        if (found) {
            *length = max_abs(n->step, ndof);
            return BRN_OK;
        }
    }
    double bound = 1.0;
    if (n->terms != NULL) {
        brn_scheme_place(n->scheme, n->y, n->x);
        double *was = watch(n, &n->system->watch.phases.ccd);
        BRN_TRY(n->terms->bound(n->terms->self, n->x, n->step, &bound));
        (void)watch(n, was);
    }
    double alpha = bound;
    for (int k = 0; k < HALVINGS; ++k, alpha *= 0.5) {
        energy there;
        for (int i = 0; i < ndof; ++i) {
            n->trial[i] = n->y[i] + alpha * n->step[i];
        }
        BRN_TRY(potential(n, n->trial, &there));
        const double noise = ENERGY_NOISE * (here->size + there.size + fabs(alpha * load)) + rounding;
        const double allowed = here->value + ARMIJO * alpha * slope + noise;
        if (isfinite(there.value) && (!settled || there.value - alpha * load <= allowed)) {
            /* A whole step puts held dofs exactly where they belong, without rounding. */
            for (int i = 0; i < ndof; ++i) {
                const bool held = n->model->fixed[i] == BRN_DOF_HELD;
                n->y[i] = alpha == 1.0 && held ? n->scheme->held[i] : n->trial[i];
            }
            *here = there;
            *length = alpha / bound * max_abs(n->step, ndof); /* an obstruction is no sign of convergence */
            return BRN_OK;
        }
    }
    return brn_fail(n->ctx, BRN_ERR_CONVERGENCE,
                    "t = %g s: the line search found no step that lowers the energy", n->scheme->t);
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
    energy here;
    energy there;
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
    BRN_TRY(potential(n, n->y, &here));
    BRN_TRY(potential(n, guess, &there));
    if (isfinite(there.value) && there.value - load < here.value) {
        memcpy(n->y, guess, (size_t)ndof * sizeof *guess);
    }
    return BRN_OK;
}

static brn_status give_up(const brn_newton *n, int iterations, double residual)
{
    return brn_fail(
        n->ctx, BRN_ERR_CONVERGENCE,
        "t = %g s: Newton did not converge in %d iterations (unbalanced force %.2g of the largest)",
        n->scheme->t, iterations, residual);
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

static brn_status iterate(brn_newton *n, brn_step_info *info)
{
    bool projected = false;
    bool last = false; /* the step just done was within the tolerance */
    double length = INFINITY;
    energy here;
    BRN_TRY(potential(n, n->y, &here));
    memcpy(n->stiffness, n->system->stiff_diagonal, (size_t)n->system->ndof * sizeof(double));
    for (int k = 0;; ++k) {
        const double reach = n->scheme->reach + max_abs(n->y, n->system->ndof);
        n->noise = POSITION_NOISE * fmax(n->system->size, reach);
        (void)watch(n, &n->system->watch.phases.assembly);
        BRN_TRY(forces(n));
        const double worst = imbalance(n, &info->residual);
        const bool settled = remaining(n) == 0.0;
        if (isnan(worst)) {
            return brn_fail(n->ctx, BRN_ERR_NOT_FINITE, "t = %g s: a force is not a finite number",
                            n->scheme->t);
        }
        /* A step that changes only the last digits of positions cannot be improved on. */
        if (settled && (worst <= 1.0 || length <= n->noise || last)) {
            return BRN_OK;
        }
        if (k == n->params.iterations) {
            return settled ? give_up(n, k, info->residual) : tell_obstruction(n);
        }
        BRN_TRY(direction(n, &projected));
        /* A step within the tolerance is the last one, but still taken: that squares its error. */
        last = settled && n->step_allowed != NULL && is_allowed(n);
        (void)watch(n, &n->system->watch.phases.search);
        const brn_status status = search(n, &here, &length);
        if (last && status == BRN_ERR_CONVERGENCE) {
            return BRN_OK; /* rounding allows no better */
        }
        BRN_TRY(status);
        info->iterations++;
    }
}

/* The share of loads and elements at x^n. The element that keeps a rigid body rigid has no history. */
static brn_status carry(brn_newton *n, const brn_state *in)
{
    const brn_model *model = n->model;
    const double share = 1.0 - n->scheme->share;
    const int ndof = n->system->ndof;
    memset(n->carried, 0, (size_t)ndof * sizeof *n->carried);
    if (share == 0.0) {
        return BRN_OK;
    }
    memset(n->scratch, 0, (size_t)ndof * sizeof *n->scratch);
    BRN_TRY(brn_system_elastic(n->system, in->node_pos, BRN_TANGENT_EXACT, NULL, n->scratch, NULL));
    for (int b = 0; b < model->nbody; ++b) {
        if (brn_scheme_coasts(n->scheme, b)) {
            memset(&n->scratch[model->node_row[model->body[b].handle] * model->dim], 0,
                   (size_t)(model->dim * (model->dim + 1)) * sizeof *n->scratch);
        }
    }
    BRN_TRY(brn_newton_loads(n, in->node_pos, n->scheme->t, n->carried, NULL));
    for (int i = 0; i < ndof; ++i) {
        n->carried[i] = share * (n->carried[i] - n->scratch[i]);
    }
    return BRN_OK;
}

brn_status brn_newton_begin(brn_newton *n, const brn_state *in, double t, double h)
{
    memcpy(n->x, in->node_pos, (size_t)n->model->nnode * 3 * sizeof(double)); /* z in 2D */
    const brn_drag *drag = &n->system->controls->drag;
    BRN_TRY(brn_newton_weigh(n));
    BRN_TRY(brn_scheme_begin(n->scheme, in, t, h));
    if (drag->node >= 0) {
        brn_drag_point(drag, &in->node_pos[3 * drag->node], n->hand);
    }
    if (n->scheme->inertia) {
        brn_scheme_place(n->scheme, n->scheme->ahead, n->x);
        BRN_TRY(brn_system_damping_update(n->system, n->x));
    }
    n->factored = false; /* a step does not depend on what was before it */
    BRN_TRY(carry(n, in));
    return start(n, in);
}

brn_status brn_newton_solve(brn_newton *n, brn_step_info *info)
{
    double *was = n->system->watch.phase;
    const brn_status status = iterate(n, info);
    (void)watch(n, was);
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
        BRN_TRY(brn_newton_loads(n, in->node_pos, m->t, n->scratch, NULL));
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
        const double mass = n->model->node_mass[brn_model_at(n->model, i) / 3];
        stiff = mass > 0.0 ? fmax(stiff, n->system->stiff_diagonal[i] / mass) : stiff;
    }
    return 1e-9 * stiff;
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
    double *arrays[] = {n->x,       n->y,       n->trial,   n->step,    n->unbalanced, n->inertia,
                        n->elastic, n->load,    n->damping, n->gravity, n->stiffness,  n->contact,
                        n->turned,  n->scratch, n->carried, n->middle};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(n->ctx, arrays[i]);
    }
    brn_free(n->ctx, n->weld);
    brn_free(n->ctx, n);
}
