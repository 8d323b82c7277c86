/* The tangent is the exact one while it is positive definite (quadratic convergence), else the projected one. With contact it is
   the projected one, and the exact one where that creeps: sheets under tension or compression may make it a hundred times as
   stiff as the potential. */
#include "step/newton_inner.h"

#include "linalg/factor_near.h"
#include "linalg/pcg.h"

#include <math.h>

/* Conjugate gradients: what they aim at, in how many iterations, and which residual is still of use: Newton's method gains three
   digits with it. Beyond that a factorisation is cheaper, the sooner the fewer unknowns there are. */
enum { PCG_CAP_LEAST = 200, PCG_CAP_MOST = 5000, PCG_DOFS = 10 };
static const double PCG_ERROR = 1e-6;
static const double PCG_USABLE = 1e-3;
/* So many of their iterations cost as much as one of Newton's, about. */
static const double PCG_HEAVY = 200.0;

/* Error of a Newton direction that is found with an earlier factor: with 0.03 draped cloth, a twisted mat and rollers take as
   many iterations as with exact directions, within 3 %; with 0.1 up to 10 % more. A step within the tolerance is the last one,
   and is to leave as little behind as an exact one. */
static const double NEAR_ERROR = 0.03;
static const double NEAR_ERROR_LAST = 1e-4;

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

brn_status brn_newton_assemble(brn_newton *n, brn_tangent tangent)
{
    brn_block_matrix_zero(n->system->matrix);
    BRN_TRY(brn_system_elastic(n->system, brn_newton_seen(n), tangent, NULL, NULL, n->system->matrix));
    return brn_newton_complete(n, tangent);
}

brn_status brn_newton_complete(brn_newton *n, brn_tangent tangent)
{
    const brn_scheme *m = n->scheme;
    brn_system *s = n->system;
    /* The stiffness of a follower pressure is indefinite: it goes with the exact tangent only, else it is lagged. */
    if (s->pressure != NULL && tangent == BRN_TANGENT_EXACT) {
        BRN_TRY(brn_newton_loads(n, brn_newton_seen(n), m->t_eval, n->scratch, s->matrix));
    }
    if (m->share * m->place != 1.0) {
        brn_block_matrix_scale(s->matrix, m->share * m->place);
        unplace_rigid(n);
    }
    brn_pull pull;
    if (brn_newton_pull(n, n->y, &pull)) {
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
    if (n->shift > 0.0 && n->part == NULL) {
        brn_system_mass_add(s, n->shift, s->matrix);
    } else if (n->shift > 0.0) { /* what is stiff elsewhere must not hold what is soft here */
        for (int b = 0; b < n->model->nbody; ++b) {
            n->way[b] = n->shift * n->lean[b];
        }
        brn_system_mass_add_parts(s, n->way, n->part, s->matrix);
    }
    brn_system_condense(s, s->matrix); /* of mass and damping: what was condensed before stays */
    n->matrix = s->matrix;
    if (n->terms == NULL) {
        return BRN_OK;
    }
    double *was = brn_newton_watch(n, &s->watch.phases.contact);
    BRN_TRY(n->terms->hessian(n->terms->self, n->x, s->matrix, &n->matrix));
    (void)brn_newton_watch(n, was);
    return BRN_OK;
}

/* n->step = Newton direction for the right-hand side in n->scratch, by conjugate gradients. *done is false if they get nowhere,
   which with a projected tangent is a matter of rounding. */
static brn_status solve_iterative(brn_newton *n, bool projected, bool *done)
{
    brn_pcg_result result;
    const int wanted = n->system->ndof / PCG_DOFS;
    const int cap = wanted < PCG_CAP_LEAST ? PCG_CAP_LEAST : wanted > PCG_CAP_MOST ? PCG_CAP_MOST : wanted;
    const brn_status status =
        brn_pcg_solve(n->ctx, n->matrix, n->model->fixed, n->scratch, PCG_ERROR, cap, n->step, &result);
    n->system->effort += result.iterations / PCG_HEAVY;
    const bool stalled = status == BRN_ERR_CONVERGENCE || (status == BRN_ERR_SINGULAR && projected);
    *done = status >= 0 || (status == BRN_ERR_CONVERGENCE && result.residual <= PCG_USABLE);
    return stalled ? BRN_OK : status;
}

/* Where the tangent is not positive definite, in words of the scene. */
static brn_status tell_singular(const brn_newton *n)
{
    const brn_model *model = n->model;
    brn_factor_stats stats;
    brn_factor_get_stats(n->factor, &stats);
    const int node = model->row_node[stats.pivot_dof / model->dim];
    const char *name = "";
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        name = node >= body->node_first && node < body->node_first + body->node_count ? body->name : name;
    }
    return brn_fail(
        n->ctx, BRN_ERR_SINGULAR,
        "t = %g s: nothing resists a motion of '%s' along %c near [%.4g, %.4g, %.4g]%s", n->scheme->t, name,
        "xyz"[stats.pivot_dof % model->dim], n -> x[3 * node], n -> x[3 * node + 1], n -> x[3 * node + 2],
        n -> scheme -> inertia ? ""
                               : ": hold it, give it a stiffness there, or take an integrator with inertia");
}

void brn_newton_drop_factor(brn_newton *n)
{
    brn_factor_destroy(n->factor);
    n->factor = NULL;
    n->factored = false;
}

brn_status brn_newton_analyse(brn_newton *n)
{
    double *was = brn_newton_watch(n, &n->system->watch.phases.symbolic);
    /* The order comes from the elastic pattern, whatever is in contact: a resumed run has the same one. */
    if (n->factor == NULL) {
        BRN_TRY(brn_factor_create(n->ctx, n->system->matrix, n->model->fixed, &n->factor));
    }
    (void)brn_newton_watch(n, was);
    return BRN_OK;
}

/* Of n->matrix. */
static brn_status make_factor(brn_newton *n)
{
    brn_system *s = n->system;
    n->factored = false;
    BRN_TRY(brn_newton_analyse(n));
    (void)brn_newton_watch(n, &s->watch.phases.symbolic);
    if (n->terms != NULL) {
        BRN_TRY(brn_factor_update(n->factor, n->matrix));
    }
    (void)brn_newton_watch(n, &s->watch.phases.factor);
    const brn_status status = brn_factor_numeric(n->factor, n->matrix, n->model->fixed);
    if (status == BRN_ERR_SINGULAR) {
        return tell_singular(n);
    }
    BRN_TRY(status);
    n->factored = true;
    return BRN_OK;
}

brn_status brn_newton_remake(brn_newton *n, const double *z, bool projected)
{
    const brn_tangent tangent = projected ? BRN_TANGENT_PROJECTED : BRN_TANGENT_EXACT;
    double *was = brn_newton_watch(n, &n->system->watch.phases.assembly);
    BRN_TRY(brn_system_damping_update(n->system, z));
    brn_block_matrix_zero(n->system->matrix);
    BRN_TRY(brn_system_elastic(n->system, z, tangent, NULL, NULL, n->system->matrix));
    BRN_TRY(brn_newton_complete(n, tangent));
    BRN_TRY(make_factor(n));
    brn_scheme_place(n->scheme, n->scheme->ahead, n->x);
    BRN_TRY(brn_system_damping_update(n->system, n->x));
    (void)brn_newton_watch(n, was);
    return BRN_OK;
}

/* The same with a factor. */
static brn_status solve_direct(brn_newton *n)
{
    brn_system *s = n->system;
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
    BRN_TRY(make_factor(n));
    (void)brn_newton_watch(n, &s->watch.phases.solve);
    return brn_factor_solve(n->factor, n->scratch, n->step);
}

/* n->scratch = right-hand side for n->unbalanced, held dofs going the rest of their way; tied dofs have no equation of their own and are
   left out. */
static brn_status set_right_side(brn_newton *n)
{
    brn_system *s = n->system;
    const bool moving = !n->waits && brn_newton_remaining(n) > 0.0;
    for (int i = 0; i < s->ndof; ++i) {
        n->step[i] = moving && n->model->fixed[i] == BRN_DOF_HELD ? n->scheme->held[i] - n->y[i] : 0.0;
    }
    if (moving) {
        BRN_TRY(brn_block_matrix_multiply(n->matrix, n->step, n->scratch));
    }
    for (int i = 0; i < s->ndof; ++i) {
        const double follow = moving ? n->scratch[i] : 0.0;
        n->scratch[i] = n->model->fixed[i] ? n->step[i] : n->unbalanced[i] - follow;
    }
    return BRN_OK;
}

brn_status brn_newton_again(brn_newton *n)
{
    BRN_TRY(set_right_side(n));
    BRN_TRY(brn_factor_solve(n->factor, n->scratch, n->step));
    brn_model_follow(n->model, n->step);
    return BRN_OK;
}

static brn_status solve_free(brn_newton *n, bool projected, brn_step_info *info)
{
    BRN_TRY(set_right_side(n));
    if (!n->direct) {
        bool done = false;
        BRN_TRY(solve_iterative(n, projected, &done));
        if (done) {
            return BRN_OK;
        }
        n->direct = true;
    }
    info->fallbacks += n->params.solver != BRN_NEWTON_DIRECT;
    return solve_direct(n);
}

static brn_status solve(brn_newton *n, bool projected, brn_step_info *info)
{
    const brn_status status = solve_free(n, projected, info);
    brn_model_follow(n->model, n->step);
    return status;
}

brn_status brn_newton_direction(brn_newton *n, bool *projected, brn_step_info *info)
{
    for (int attempt = 0; attempt < 2; ++attempt) {
        const bool project = *projected;
        (void)brn_newton_watch(n, &n->system->watch.phases.assembly);
        BRN_TRY(brn_newton_assemble(n, project ? BRN_TANGENT_PROJECTED : BRN_TANGENT_EXACT));
        (void)brn_newton_watch(n, &n->system->watch.phases.solve);
        const brn_status status = solve(n, project, info);
        if (status != BRN_ERR_SINGULAR || project || n->params.tangent == BRN_NEWTON_EXACT) {
            return status;
        }
        *projected = true;
    }
    return BRN_ERR_SINGULAR;
}
