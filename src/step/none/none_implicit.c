/* One implicit (or static) step: Newton's method on the incremental potential of step/scheme.h.

   The tangent is the exact one while it is positive definite (quadratic convergence), else the projected one. Held dofs
   move with the first Newton step: their remaining way d enters the right-hand side as -H_fh d, so that the free
   nodes follow them and a large prescribed motion does not crush the elements at its edge. The line search backs off
   from infinite energies (inverted barrier elements) and asks for an Armijo decrease once every held dof is in place.
   A follower pressure has no potential in general; during one search it is kept as the dead force it was at its start. */
#include "step/none/none.h"

#include "base/os.h"
#include "linalg/pcg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HALVINGS = 40, PCG_CAP = 20000 };

static const double ARMIJO = 1e-4;
/* Energies are sums of many terms: differences below this fraction of the terms are rounding. */
static const double ENERGY_NOISE = 1e-13;
/* Positions are rounded to this fraction of their size, and so are ways. A body far from the origin has fewer digits left
   for its strains. */
static const double POSITION_NOISE = 1e-15;

static double max_abs(const double *v, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
        most = fabs(v[i]) > most || isnan(v[i]) ? fabs(v[i]) : most;
    }
    return most;
}

/* The potential at y (divided by s, so that it is an energy in J), and the size of its terms. Loads act as
   none->load says. */
static brn_status potential(brn_none *none, const double *y, const double *from, double *value, double *size)
{
    const brn_scheme *m = none->scheme;
    const int ndof = none->system->ndof;
    double elastic = 0.0;
    double inertia = 0.0;
    double damping = 0.0;
    double load = 0.0;
    brn_scheme_place(m, y, none->x);
    BRN_TRY(brn_system_elastic(none->system, none->x, BRN_TANGENT_EXACT, &elastic, NULL, NULL));
    if (m->inertia) {
        for (int i = 0; i < ndof; ++i) {
            none->step[i] = y[i] - m->target[i];
        }
        BRN_TRY(brn_system_mass_apply(none->system, none->step, none->inertia));
        for (int i = 0; i < ndof; ++i) {
            inertia += 0.5 / m->s * none->step[i] * none->inertia[i];
        }
    }
    if (none->system->damping != NULL && m->inertia) {
        for (int i = 0; i < ndof; ++i) {
            none->step[i] = m->c * (y[i] - m->origin[i]);
        }
        BRN_TRY(brn_block_matrix_multiply(none->system->damping, none->step, none->damping));
        for (int i = 0; i < ndof; ++i) {
            damping += 0.5 / m->c * none->step[i] * none->damping[i];
        }
    }
    for (int i = 0; i < ndof; ++i) {
        load -= none->load[i] * (y[i] - from[i]);
    }
    *value = elastic + inertia + damping + load;
    *size = fabs(elastic) + fabs(inertia) + fabs(damping) + fabs(load);
    return BRN_OK;
}

/* Forces at none->y; none->rhs = minus the unbalanced force [N]. */
static brn_status forces(brn_none *none)
{
    const brn_scheme *m = none->scheme;
    brn_system *s = none->system;
    const size_t bytes = (size_t)s->ndof * sizeof(double);
    brn_scheme_place(m, none->y, none->x);
    memset(none->elastic, 0, bytes);
    memset(none->inertia, 0, bytes);
    memset(none->damping, 0, bytes);
    BRN_TRY(brn_system_elastic(s, none->x, BRN_TANGENT_EXACT, NULL, none->elastic, NULL));
    BRN_TRY(brn_none_loads(none, none->x, m->t_eval, none->load, NULL));
    if (m->inertia) {
        for (int i = 0; i < s->ndof; ++i) {
            none->step[i] = (none->y[i] - m->target[i]) / m->s;
        }
        BRN_TRY(brn_system_mass_apply(s, none->step, none->inertia));
    }
    if (s->damping != NULL && m->inertia) {
        for (int i = 0; i < s->ndof; ++i) {
            none->step[i] = m->c * (none->y[i] - m->origin[i]);
        }
        BRN_TRY(brn_block_matrix_multiply(s->damping, none->step, none->damping));
    }
    for (int i = 0; i < s->ndof; ++i) {
        none->rhs[i] = none->load[i] - none->inertia[i] - none->elastic[i] - none->damping[i];
    }
    return BRN_OK;
}

/* Largest remaining way of a held dof; 0 when all are in place. */
static double remaining(const brn_none *none)
{
    double most = 0.0;
    for (int i = 0; i < none->system->ndof; ++i) {
        if (none->model->fixed[i]) {
            most = fmax(most, fabs(none->scheme->held[i] - none->y[i]));
        }
    }
    return most;
}

/* Largest unbalanced force of a free dof, as a multiple of what the stopping test allows. */
static double imbalance(const brn_none *none, double *residual)
{
    const brn_scheme *m = none->scheme;
    const int dim = none->model->dim;
    const int n = none->system->ndof;
    const double scale = fmax(fmax(max_abs(none->inertia, n), max_abs(none->elastic, n)),
                              fmax(max_abs(none->load, n), max_abs(none->damping, n)));
    const double way = m->inertia ? fmax(max_abs(none->y, n), max_abs(m->target, n)) : 0.0;
    double worst = isfinite(scale) ? 0.0 : NAN; /* beside an infinite force everything would be balanced */
    *residual = 0.0;
    for (int i = 0; i < n; ++i) {
        if (none->model->fixed[i]) {
            continue;
        }
        /* Rounding of positions shows as a force through the stiffness, that of ways through the inertia; below it there
           is nothing to gain. */
        const double mass = m->inertia ? none->model->node_mass[i / dim] / m->s : 0.0;
        const double floor = 8.0 * (none->noise * none->stiffness[i] + POSITION_NOISE * way * mass);
        const double force = fabs(none->rhs[i]);
        const double allowed = none->params->tolerance * scale + floor;
        worst = force / allowed > worst || isnan(force) ? force / allowed : worst;
        *residual = fmax(*residual, force);
    }
    *residual = scale > 0.0 ? *residual / scale : 0.0;
    return worst;
}

/* The diagonal of the tangent so far: what a rounding of positions does to forces. Elements that are nearly crushed are
   many times as stiff as at rest. */
static void read_stiffness(brn_none *none)
{
    const brn_block_matrix *a = none->system->matrix;
    for (int row = 0; row < a->n; ++row) {
        const double *block = &a->value[(size_t)a->start[row] * (size_t)(a->size * a->size)];
        for (int i = 0; i < a->size; ++i) {
            none->stiffness[row * a->size + i] = fabs(block[i * a->size + i]);
        }
    }
}

static brn_status assemble(brn_none *none, brn_tangent tangent)
{
    const brn_scheme *m = none->scheme;
    brn_system *s = none->system;
    brn_block_matrix_zero(s->matrix);
    BRN_TRY(brn_system_elastic(s, none->x, tangent, NULL, NULL, s->matrix));
    /* The stiffness of a follower pressure is indefinite: it goes with the exact tangent only, else it is lagged. */
    if (s->pressure != NULL && tangent == BRN_TANGENT_EXACT) {
        BRN_TRY(brn_none_loads(none, none->x, m->t_eval, none->trial, s->matrix));
    }
    read_stiffness(none);
    if (m->inertia) {
        brn_system_mass_add(s, 1.0 / m->s, s->matrix);
    }
    if (s->damping != NULL && m->inertia) {
        const size_t n = (size_t)s->matrix->start[s->matrix->n] * (size_t)(s->matrix->size * s->matrix->size);
        for (size_t i = 0; i < n; ++i) {
            s->matrix->value[i] += m->c * s->damping->value[i];
        }
    }
    return BRN_OK;
}

/* none->step = Newton direction for the right-hand side none->rhs, held dofs going their remaining way. */
static brn_status solve(brn_none *none, brn_step_info *info)
{
    brn_system *s = none->system;
    const bool moving = remaining(none) > 0.0;
    for (int i = 0; i < s->ndof; ++i) {
        none->step[i] = none->model->fixed[i] ? none->scheme->held[i] - none->y[i] : 0.0;
    }
    if (moving) {
        BRN_TRY(brn_block_matrix_multiply(s->matrix, none->step, none->trial));
    }
    for (int i = 0; i < s->ndof; ++i) {
        const double follow = moving ? none->trial[i] : 0.0;
        none->trial[i] = none->model->fixed[i] ? none->step[i] : none->rhs[i] - follow;
    }
    if (none->params->solver == BRN_NONE_PCG) {
        brn_pcg_result result;
        const double started = brn_wall_time();
        const brn_status status =
            brn_pcg_solve(none->ctx, s->matrix, none->model->fixed, none->trial,
                          fmin(1e-4, none->params->tolerance), PCG_CAP, none->step, &result);
        info->phases.solve += brn_wall_time() - started;
        return status;
    }
    double started = brn_wall_time();
    if (none->factor == NULL) {
        BRN_TRY(brn_factor_create(none->ctx, s->matrix, none->model->fixed, &none->factor));
    }
    BRN_TRY(brn_factor_numeric(none->factor, s->matrix, none->model->fixed));
    const double factored = brn_wall_time();
    info->phases.factor += factored - started;
    BRN_TRY(brn_factor_solve(none->factor, none->trial, none->step));
    info->phases.solve += brn_wall_time() - factored;
    return BRN_OK;
}

/* Newton direction with the tangent that the parameters ask for. Once the exact tangent was found indefinite, the rest
   of this step uses the projected one. */
static brn_status direction(brn_none *none, bool *projected, brn_step_info *info)
{
    const int wanted = none->params->tangent;
    for (int attempt = 0; attempt < 2; ++attempt) {
        const bool project = *projected || wanted == BRN_NONE_PROJECTED;
        const double started = brn_wall_time();
        BRN_TRY(assemble(none, project ? BRN_TANGENT_PROJECTED : BRN_TANGENT_EXACT));
        info->phases.assembly += brn_wall_time() - started;
        const brn_status status = solve(none, info);
        if (status != BRN_ERR_SINGULAR || project || wanted == BRN_NONE_EXACT) {
            return status;
        }
        *projected = true;
    }
    return BRN_ERR_SINGULAR;
}

/* Moves y along the step. The potential reuses none->step as scratch, so the step is kept in `way`. */
static brn_status search(brn_none *none, double *way, double *length)
{
    const int ndof = none->system->ndof;
    const bool settled = remaining(none) == 0.0;
    double value0 = 0.0;
    double size0 = 0.0;
    double slope = 0.0;
    double rounding = 0.0; /* [J] of the elastic energy when every position is rounded */
    memcpy(way, none->step, (size_t)ndof * sizeof *way);
    for (int i = 0; i < ndof; ++i) {
        if (!none->model->fixed[i]) {
            slope -= none->rhs[i] * way[i];
            rounding += none->noise * (fabs(none->elastic[i]) + none->noise * none->stiffness[i]);
        }
    }
    BRN_TRY(potential(none, none->y, none->y, &value0, &size0));
    double alpha = 1.0;
    for (int k = 0; k < HALVINGS; ++k, alpha *= 0.5) {
        double value = 0.0;
        double size = 0.0;
        for (int i = 0; i < ndof; ++i) {
            none->trial[i] = none->y[i] + alpha * way[i];
        }
        BRN_TRY(potential(none, none->trial, none->y, &value, &size));
        const double allowed = value0 + ARMIJO * alpha * slope + ENERGY_NOISE * (size0 + size) + rounding;
        if (isfinite(value) && (!settled || value <= allowed)) {
            /* A whole step puts held dofs exactly where they belong, without rounding. */
            for (int i = 0; i < ndof; ++i) {
                none->y[i] = alpha == 1.0 && none->model->fixed[i] ? none->scheme->held[i] : none->trial[i];
            }
            *length = alpha * max_abs(way, ndof);
            return BRN_OK;
        }
    }
    return brn_fail(none->ctx, BRN_ERR_CONVERGENCE,
                    "t = %g s: the line search found no step that lowers the energy", none->scheme->t);
}

/* Where Newton starts: the target (exact for a free flight) if it has the lower potential, else the last positions. */
static brn_status start(brn_none *none, const brn_state *in)
{
    const brn_scheme *m = none->scheme;
    const int ndof = none->system->ndof;
    memset(none->y, 0, (size_t)ndof * sizeof *none->y);
    if (!m->inertia) {
        return BRN_OK;
    }
    double here = 0.0;
    double there = 0.0;
    double size = 0.0;
    double *guess = none->rhs;
    for (int i = 0; i < ndof; ++i) {
        guess[i] = none->model->fixed[i] ? 0.0 : m->target[i];
    }
    BRN_TRY(brn_none_loads(none, in->node_pos, m->t_eval, none->load, NULL));
    BRN_TRY(potential(none, none->y, none->y, &here, &size));
    BRN_TRY(potential(none, guess, none->y, &there, &size));
    if (isfinite(there) && there < here) {
        memcpy(none->y, guess, (size_t)ndof * sizeof *guess);
    }
    return BRN_OK;
}

static brn_status newton(brn_none *none, double *way, brn_step_info *info)
{
    bool projected = false;
    double length = INFINITY;
    memcpy(none->stiffness, none->system->stiff_diagonal, (size_t)none->system->ndof * sizeof(double));
    for (int k = 0;; ++k) {
        const double reach = none->scheme->reach + max_abs(none->y, none->system->ndof);
        none->noise = POSITION_NOISE * fmax(none->system->size, reach);
        double started = brn_wall_time();
        BRN_TRY(forces(none));
        info->phases.assembly += brn_wall_time() - started;
        const double worst = imbalance(none, &info->residual);
        const bool settled = remaining(none) == 0.0;
        if (isnan(worst)) {
            return brn_fail(none->ctx, BRN_ERR_NOT_FINITE, "t = %g s: a force is not a finite number",
                            none->scheme->t);
        }
        /* A step that only moves the last digits of positions cannot be improved on. */
        if (settled && (worst <= 1.0 || length <= none->noise)) {
            return BRN_OK;
        }
        if (k == none->params->iterations) {
            return brn_fail(
                none->ctx, BRN_ERR_CONVERGENCE,
                "t = %g s: Newton did not converge in %d iterations (unbalanced force %.2g of the largest)",
                none->scheme->t, k, info->residual);
        }
        BRN_TRY(direction(none, &projected, info));
        started = brn_wall_time();
        BRN_TRY(search(none, way, &length));
        info->phases.search += brn_wall_time() - started;
        info->iterations++;
    }
}

brn_status brn_none_step_implicit(brn_none *none, const brn_state *in, double t, double h, brn_state *out,
                                  brn_step_info *info)
{
    brn_system *s = none->system;
    brn_arena *arena = brn_ctx_arena(none->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    double *way = brn_arena_take(arena, (size_t)s->ndof, sizeof *way);
    if (way == NULL) {
        return BRN_ERR_MEMORY;
    }
    memcpy(none->x, in->node_pos, (size_t)none->model->nnode * 3 * sizeof(double)); /* z in 2D */
    brn_status status = brn_scheme_begin(none->scheme, in, t, h);
    if (status >= 0 && none->scheme->inertia) {
        brn_scheme_place(none->scheme, none->scheme->ahead, none->x);
        status = brn_system_damping_update(s, none->x);
    }
    if (status >= 0) {
        status = start(none, in);
    }
    if (status >= 0) {
        status = newton(none, way, info);
    }
    brn_arena_rewind(arena, mark);
    BRN_TRY(status);
    BRN_TRY(brn_scheme_finish(none->scheme, in, none->y, out));
    for (int i = 0; i < s->ndof; ++i) {
        none->rhs[i] *= -1.0; /* what the holds supply */
        none->damping[i] *= -1.0;
    }
    brn_none_write_forces(none, none->load, none->rhs, none->damping, out);
    return BRN_OK;
}
