/* The line search backs off from infinite energies (inverted barrier elements) and asks for an Armijo decrease once every held
   dof is in place. A follower pressure has no potential in general; during a search it is kept as the dead force it was at the
   start. Where there are parts, groups of them that only dead forces connect are searched each for itself: what one gains would hide
   what another loses. With contact it also goes further than a whole step where the potential turns out to be far softer than its tangent. */
#include "step/newton_inner.h"

#include "model/rigid_pose.h"

#include <math.h>
#include <string.h>

enum { HALVINGS = 40 };

static const double ARMIJO = 1e-4;
/* Energies are sums of many terms: differences below this fraction of them are rounding. */
static const double ENERGY_NOISE = 1e-13;
/* Of a displacement: what its rounding comes to in a force that sums over neighbours. */
static const double WAY_NOISE = 1e-15;
/* Elements round too, not positions alone: where a step promises less than this many times what these make of the energy, it may rise by as much;
   2.5 times were seen. To refuse a whole step for that would end where nothing is in balance. */
static const double BLIND = 8.0;
/* [rad] Smaller turns of rigid bodies stretch them too little to matter. */
static const double TURN_LEAST = 1e-3;
/* Parts of a step that are tried with deformable bodies turned. */
enum { TURNS_MOST = 4 };
/* Steps that are shorter than the one before by less than this factor hardly converge. */
static const double CREEP = 0.5;
/* By how many times what the tangent foretells the potential may rise while holds move. */
static const double RISE = 4.0;
/* How many steps long a longer one is, at least and at most. */
static const double FURTHER_LEAST = 2.0, FURTHER_MOST = 16.0;

/* The search of a group, or of all where there are no parts. */
typedef struct search {
    double slope;    /* [J] of the potential along the whole step, of free dofs */
    double load;     /* [J] work of the loads along it */
    double driven;   /* [J] of the slope, what is held */
    double rounding; /* [J] of the elastic energy when every position is rounded */
    double bend;     /* [J] half the curvature along the whole step, by the tangent: at least 0 */
    double longest;  /* [m] move of a dof in it */
    double alpha;    /* share of the step that is tried, and then that was taken */
    double taken;    /* the same, but for what was in the way of a turn */
    double length;   /* [m] of the largest move, had nothing been in the way */
    double tried;    /* [J] work of the loads on the way that is tried */
    bool settled;    /* every held dof is in place */
    bool done;       /* n->trial has its new place */
    brn_newton_energy here, there;
} search;

static int group_of(const brn_newton *n, int part)
{
    return n->part != NULL ? n->group[part] : 0;
}

static int group_at(const brn_newton *n, int dof)
{
    return group_of(n, brn_newton_part(n, dof));
}

/* The groups' potentials at n->trial, of all that are tried. */
static brn_status look_there(brn_newton *n, brn_newton_energy *parts, search *of)
{
    const int count = brn_newton_parts(n);
    BRN_TRY(brn_newton_potential(n, n->trial, parts));
    for (int part = 0; part < count; ++part) {
        of[part].there = (brn_newton_energy){0};
    }
    for (int part = 0; part < count; ++part) {
        brn_newton_energy *to = &of[group_of(n, part)].there;
        to->value += parts[part].value;
        to->size += parts[part].size;
    }
    return BRN_OK;
}

/* Shares of the step in n->turned, of groups that are not done, with bodies turned instead of sheared; false: they hardly turn. */
static bool turn_step(brn_newton *n, const search *of)
{
    double most = 0.0;
    for (int i = 0; i < n->system->ndof; ++i) {
        const search *s = &of[group_at(n, i)];
        n->turned[i] = s->done ? 0.0 : s->alpha * n->step[i];
    }
    brn_scheme_place(n->scheme, n->y, n->x);
    if (n->model->ties.count > 0) {
        most = brn_rigid_turn_steps(n->model, n->x, n->turned);
    }
    if (n->rolls) {
        most = fmax(most, brn_newton_turn(n, n->x, n->turned));
    }
    brn_model_follow(n->model, n->turned);
    return most > (n->rolls ? 0.0 : TURN_LEAST);
}

static bool may_turn(const brn_newton *n, const search *s)
{
    return n->rolls || (s->settled && n->model->ties.count > 0);
}

/* What a group may do without being turned back by rounding. */
static double noise_of(const search *s)
{
    return ENERGY_NOISE * (s->here.size + s->there.size + fabs(s->tried)) + s->rounding;
}

/* n->trial of groups that are not done goes by n->turned. */
static void try_turned(brn_newton *n, search *of)
{
    for (int g = 0; g < brn_newton_parts(n); ++g) {
        of[g].tried = of[g].done ? of[g].tried : 0.0;
    }
    for (int i = 0; i < n->system->ndof; ++i) {
        search *s = &of[group_at(n, i)];
        if (!s->done) {
            n->trial[i] = n->y[i] + n->turned[i];
            s->tried += (n->load[i] + n->carried[i]) * n->turned[i];
        }
    }
}

/* By their shares of n->step. */
static void try_straight(brn_newton *n, search *of)
{
    for (int g = 0; g < brn_newton_parts(n); ++g) {
        of[g].tried = of[g].done ? of[g].tried : of[g].alpha * of[g].load;
    }
    const int dim = n->model->dim;
    for (int row = 0; row < n->model->nrow; ++row) {
        const search *s = &of[group_at(n, row * dim)];
        for (int i = row * dim; i < (row + 1) * dim && !s->done; ++i) {
            n->trial[i] = n->y[i] + s->alpha * n->step[i];
        }
    }
}

/* Tries the whole step, or as much of it as is free, with rigid bodies turned instead of sheared: a straight step stretches
   a body by the square of its turn, so a stiff one could turn only in many small pieces. To first order the step is the
   same, so near the solution nothing changes. Groups for which that will not do are not done afterwards. */
static brn_status search_turned(brn_newton *n, brn_newton_energy *parts, search *of)
{
    const int count = brn_newton_parts(n);
    bool open = true;
    for (int attempt = 0; attempt < (n->rolls ? TURNS_MOST : 2) && open && turn_step(n, of); ++attempt) {
        double bound = 1.0;
        if (n->terms != NULL) {
            double *was = brn_newton_watch(n, &n->system->watch.phases.ccd);
            BRN_TRY(n->terms->bound(n->terms->self, n->x, n->turned, &bound));
            (void)brn_newton_watch(n, was);
        }
        if (bound < 1.0) {
            for (int g = 0; g < count; ++g) {
                of[g].alpha *= of[g].done ? 1.0 : 0.9 * bound;
            }
            continue;
        }
        try_turned(n, of);
        BRN_TRY(look_there(n, parts, of));
        open = false;
        for (int g = 0; g < count; ++g) {
            search *s = &of[g];
            if (s->done) {
                continue;
            }
            const double allowed = ARMIJO * s->alpha * s->slope + noise_of(s);
            s->done = isfinite(s->there.value) &&
                      (!s->settled || s->there.value - s->tried <= s->here.value + allowed);
            s->taken = n->rolls ? s->alpha : 1.0;
            s->length = s->taken * s->longest;
            s->alpha *= s->done ? 1.0 : 0.5;
            open = open || !s->done;
        }
        if (!n->rolls) {
            break;
        }
    }
    return BRN_OK;
}

/* Without parts: after a whole step, to n->trial with the potential *there: goes on to where a parabola through what is known has its minimum,
   if that is much further and lower. With contact the tangent is always the projected one; where a sheet is about to wrinkle it
   is many times as stiff as the potential, and whole steps would creep. *alpha: how many steps long the step has become. */
static brn_status search_further(brn_newton *n, const brn_newton_energy *here, double slope, double load,
                                 brn_newton_energy *there, double *alpha)
{
    const int ndof = n->system->ndof;
    double *further = n->turned;
    double bound = 1.0;
    brn_newton_energy far;
    const double curvature = 2.0 * (there->value - load - here->value - slope);
    const double wanted = FURTHER_MOST * curvature > -slope ? -slope / curvature : FURTHER_MOST;
    if (!(wanted >= FURTHER_LEAST)) {
        return BRN_OK;
    }
    for (int i = 0; i < ndof; ++i) {
        further[i] = wanted * n->step[i];
    }
    brn_scheme_place(n->scheme, n->y, n->x);
    double *was = brn_newton_watch(n, &n->system->watch.phases.ccd);
    BRN_TRY(n->terms->bound(n->terms->self, n->x, further, &bound));
    (void)brn_newton_watch(n, was);
    const double reach = bound * wanted;
    if (reach < FURTHER_LEAST) {
        return BRN_OK;
    }
    for (int i = 0; i < ndof; ++i) {
        further[i] = n->y[i] + reach * n->step[i];
    }
    BRN_TRY(brn_newton_potential(n, further, &far));
    if (isfinite(far.value) && far.value - reach * load < there->value - load) {
        memcpy(n->trial, further, (size_t)ndof * sizeof *n->trial);
        *there = far;
        *alpha = reach;
    }
    return BRN_OK;
}

/* [J] Half the curvature of the potential along the whole step. */
static brn_status look_at_tangent(brn_newton *n, search *of)
{
    BRN_TRY(brn_block_matrix_multiply(n->matrix, n->step, n->scratch));
    for (int i = 0; i < n->system->ndof; ++i) {
        of[group_at(n, i)].bend += 0.5 * n->step[i] * n->scratch[i];
    }
    for (int g = 0; g < brn_newton_parts(n); ++g) {
        of[g].bend = fmax(0.0, of[g].bend);
    }
    return BRN_OK;
}

/* Whether the potential need not fall; but without inertia nothing else limits a step in which the tangent is wrong: a sheet that
   bends freely at first would go straight on, and end many times as long as it was. That matters where contact is looked for as far. */
static bool is_limited(const brn_newton *n, const search *s)
{
    return n->terms != NULL && n->terms->ahead && !s->settled && !n->scheme->inertia;
}

/* [J] Of the energy of damping when a displacement is rounded: what is damped hardly at all, as a body that only flies is, moves by much. */
static double damping_noise(const brn_newton *n, int dof)
{
    const double way = n->y[dof] - n->scheme->origin[dof];
    return WAY_NOISE * n->scheme->rate * fabs(n->system->damping_diagonal[dof]) * way * way;
}

/* What the dofs of a row add to their group. */
static void add_row(const brn_newton *n, int row, search *to)
{
    const bool damped = n->system->damping != NULL && n->scheme->inertia;
    search s = *to;
    for (int i = row * n->model->dim; i < (row + 1) * n->model->dim; ++i) {
        const double way = fabs(n->step[i]);
        s.load += (n->load[i] + n->carried[i]) * n->step[i];
        s.longest = way > s.longest ? way : s.longest;
        if (n->model->fixed[i] == BRN_DOF_HELD) {
            s.driven -= n->unbalanced[i] * n->step[i];
            s.settled = s.settled && (n->waits || n->scheme->held[i] == n->y[i]);
        } else {
            s.slope -= n->unbalanced[i] * n->step[i];
            s.rounding += n->noise * (fabs(n->elastic[i]) + n->noise * n->stiffness[i]);
            s.rounding += damped ? damping_noise(n, i) : 0.0;
        }
    }
    *to = s;
}

/* What is known before anything is tried. */
static brn_status begin(brn_newton *n, const brn_newton_energy *here, search *of)
{
    const int count = brn_newton_parts(n);
    bool limited = false;
    for (int g = 0; g < count; ++g) {
        of[g] = (search){.settled = true};
    }
    for (int part = 0; part < count; ++part) {
        search *s = &of[group_of(n, part)];
        s->here.value += here[part].value;
        s->here.size += here[part].size;
    }
    for (int row = 0; row < n->model->nrow; ++row) {
        add_row(n, row, &of[group_at(n, row * n->model->dim)]);
    }
    for (int g = 0; g < count; ++g) {
        limited = limited || is_limited(n, &of[g]);
        of[g].rounding *= -of[g].slope < BLIND * of[g].rounding ? BLIND : 1.0;
    }
    return limited ? look_at_tangent(n, of) : BRN_OK;
}

/* Groups whose straight way n->trial will do are done; *all: there are no others. */
static brn_status judge(brn_newton *n, bool last, double length, double bound, search *of, bool *all)
{
    *all = true;
    for (int g = 0; g < brn_newton_parts(n); ++g) {
        search *s = &of[g];
        if (s->done) {
            continue;
        }
        const double noise = noise_of(s);
        const double allowed = s->settled         ? ARMIJO * s->alpha * s->slope
                               : is_limited(n, s) ? s->alpha * (fabs(s->slope) + fabs(s->driven)) +
                                                        RISE * s->alpha * s->alpha * s->bend
                                                  : INFINITY;
        s->done = isfinite(s->there.value) && s->there.value - s->tried <= s->here.value + allowed + noise;
        /* A longer step would leave more behind where the tangent is right: not the last one. */
        const bool creeps = !last && n->part == NULL && s->longest > CREEP * length;
        if (s->done && s->alpha == 1.0 && s->settled && creeps && n->terms != NULL && -s->slope > noise) {
            BRN_TRY(search_further(n, &s->here, s->slope, s->load, &s->there, &s->alpha));
        }
        s->taken = s->alpha;
        s->length = s->alpha / bound * s->longest; /* an obstruction is no sign of convergence */
        s->alpha *= s->done ? 1.0 : 0.5;
        *all = *all && s->done;
    }
    return BRN_OK;
}

static brn_status search_straight(brn_newton *n, bool last, double length, brn_newton_energy *parts,
                                  search *of)
{
    double bound = 1.0;
    bool all = true;
    for (int g = 0; g < brn_newton_parts(n); ++g) {
        all = all && of[g].done;
    }
    if (all) {
        return BRN_OK;
    }
    if (n->terms != NULL) {
        brn_scheme_place(n->scheme, n->y, n->x);
        double *was = brn_newton_watch(n, &n->system->watch.phases.ccd);
        BRN_TRY(n->terms->bound(n->terms->self, n->x, n->step, &bound));
        (void)brn_newton_watch(n, was);
    }
    for (int g = 0; g < brn_newton_parts(n); ++g) {
        of[g].alpha = of[g].done ? of[g].alpha : bound;
    }
    for (int k = 0; k < HALVINGS; ++k) {
        BRN_TRY(brn_ctx_check(n->ctx));
        try_straight(n, of);
        BRN_TRY(look_there(n, parts, of));
        BRN_TRY(judge(n, last, length, bound, of, &all));
        if (all) {
            return BRN_OK;
        }
    }
    return brn_fail(n->ctx, BRN_ERR_CONVERGENCE,
                    "t = %g s: the line search found no step that lowers the energy", n->scheme->t);
}

/* What was found becomes n->y. */
static void take(brn_newton *n, const brn_newton_energy *parts, const search *of, brn_newton_energy *here,
                 double *length)
{
    *length = 0.0;
    n->taken = INFINITY;
    for (int part = 0; part < brn_newton_parts(n); ++part) {
        const search *s = &of[group_of(n, part)];
        here[part] = n->part != NULL ? parts[part] : s->there;
        *length = fmax(*length, s->length);
        n->taken = fmin(n->taken, s->taken);
    }
    for (int i = 0; i < n->system->ndof; ++i) {
        /* A whole step puts held dofs exactly where they belong, without rounding. */
        const bool there = n->model->fixed[i] == BRN_DOF_HELD && !n->waits && of[group_at(n, i)].alpha == 1.0;
        n->y[i] = there ? n->scheme->held[i] : n->trial[i];
    }
}

brn_status brn_newton_search(brn_newton *n, bool last, brn_newton_energy *here, double *length)
{
    const int count = brn_newton_parts(n);
    brn_arena *arena = brn_ctx_arena(n->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    search *of = NULL;
    brn_newton_energy *parts = NULL;
    BRN_TAKE(arena, of, count);
    BRN_TAKE(arena, parts, count);
    BRN_TRY(begin(n, here, of));
    memcpy(n->trial, n->y, (size_t)n->system->ndof * sizeof *n->trial);
    bool turns = false;
    for (int g = 0; g < count; ++g) {
        of[g].alpha = 1.0;
        of[g].done = !may_turn(n, &of[g]); /* what is not turned stays where it is */
        turns = turns || !of[g].done;
    }
    if (turns) {
        BRN_TRY(search_turned(n, parts, of));
    }
    for (int g = 0; g < count; ++g) {
        of[g].done = of[g].done && may_turn(n, &of[g]);
    }
    BRN_TRY(search_straight(n, last, *length, parts, of));
    take(n, parts, of, here, length);
    brn_arena_rewind(arena, mark);
    return BRN_OK;
}
