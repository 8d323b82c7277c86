/* Gauss-Seidel over contacts, each solved exactly [Jourdan, Alart & Jean 1998], and Newton's method. Gauss-Seidel comes near from
   anywhere but its last digits may take for ever in hyperstatic stacks; Newton's method needs a good start. So they take turns, and where the
   first is not enough a path (cone_path.c) may lead to a better start. Most problems need no more than a few sweeps before Newton's method, or
   none if they start near their solution: where a turn would be long, that is tried before it. */
#include "cone/cone.h"
#include "cone/cone_inner.h"

#include <math.h>
#include <string.h>

/* Softness of proximal problems, and how many of them in a row. */
static const double HARDEST = 1e-10;
static const double SOFTEST = 1e6;
enum { STAGES_MAX = 40 };
/* Of a turn of Gauss-Seidel, and of a turn of Newton's method that has a good start. */
enum { SWEEPS_LEAST = 32, STEPS_USUAL = 10 };
/* A turn of more sweeps is long. Of the short turn before it: its sweeps, and the relative error of a start from which Newton's method does without
   them. */
enum { SWEEPS_LONG = 128, SWEEPS_SHORT = 16 };
static const double CLOSE = 1e-3;

brn_cone_options brn_cone_options_default(void)
{
    return (brn_cone_options){.tolerance = 1e-8, .sweeps = 10000, .newton = 1000, .path = 1000};
}

static double length_of(int dim, const double *x)
{
    return dim == 3 ? hypot(hypot(x[0], x[1]), x[2]) : hypot(x[0], x[1]);
}

static void prepare(brn_cone_work *w)
{
    const brn_cone_problem *p = w->p;
    const int dim = p->dim;
    for (int i = 0; i < p->contacts; ++i) {
        int k = p->first[i];
        while (p->column[k] != i) {
            ++k;
        }
        const double *block = p->w + (size_t)k * (size_t)(dim * dim);
        const double tangent = dim == 3 ? 0.5 * (block[4] + block[8]) : block[3];
        w->block[i] = brn_cone_block_make(dim, block);
        /* a tangent that cannot move is measured with the normal's compliance */
        w->own[i] = (brn_cone_own){block[0], tangent > 1e-6 * block[0] ? tangent : block[0]};
        w->scale = fmax(w->scale, length_of(dim, p->q + (size_t)i * (size_t)dim));
    }
}

/* One sweep; returns the largest change, in the unit of u. */
static double sweep(brn_cone_work *w)
{
    const brn_cone_problem *p = w->p;
    const int dim = p->dim;
    double most = 0.0;
    for (int i = 0; i < p->contacts; ++i) {
        double *r = w->r + (size_t)i * (size_t)dim;
        const double old[3] = {r[0], r[1], dim == 3 ? r[2] : 0.0};
        double rest[3];
        for (int d = 0; d < dim; ++d) {
            r[d] = 0.0;
        }
        brn_cone_velocity(p, i, w->r, rest);
        (void)brn_cone_block_solve(&w->block[i], rest, p->mu[i], r);
        const double normal = w->own[i].normal * (r[0] - old[0]);
        const double tangent = w->own[i].tangent * hypot(r[1] - old[1], dim == 3 ? r[2] - old[2] : 0.0);
        const double change = hypot(normal, tangent);
        most = change <= most ? most : change; /* NaN stays */
    }
    return most;
}

static bool done(const brn_cone_work *w)
{
    return w->report->relative <= w->options->tolerance;
}

bool brn_cone_judge(brn_cone_work *w)
{
    brn_cone_measure(w, w->r, w->u, w->report);
    if (w->report->relative < w->best_relative) {
        w->best_relative = w->report->relative;
        memcpy(w->best, w->r, (size_t)w->p->contacts * (size_t)w->p->dim * sizeof *w->r);
    }
    return done(w);
}

/* Back to the best. */
static void restore(brn_cone_work *w)
{
    memcpy(w->r, w->best, (size_t)w->p->contacts * (size_t)w->p->dim * sizeof *w->r);
    brn_cone_velocities(w->ctx, w->p, w->r, w->u);
    brn_cone_measure(w, w->r, w->u, w->report);
}

/* Some sweeps, fewer once they change nothing any more. *moves: they still do, and all numbers are finite. */
static brn_status relax(brn_cone_work *w, int count, bool *moves)
{
    double change = INFINITY;
    *moves = true;
    for (int k = 0; k < count && *moves && w->report->sweeps < w->options->sweeps; ++k) {
        BRN_TRY(brn_ctx_check(w->ctx));
        change = sweep(w);
        w->report->sweeps++;
        *moves = change > 0.1 * w->options->tolerance * w->scale && isfinite(change);
    }
    brn_cone_velocities(w->ctx, w->p, w->r, w->u);
    (void)brn_cone_judge(w);
    return BRN_OK;
}

/* Newton's method on proximal problems [Rockafellar 1976]: a softened problem, centred at the last solution, is easier the softer it is, and its
   solution is nearer to that of the problem itself the harder it is. The hardest is tried first, as nothing else is needed near the end, and those
   up to `softest` after it. */
static brn_status approach(brn_cone_work *w, double softest)
{
    const size_t bytes = (size_t)w->p->contacts * (size_t)w->p->dim * sizeof *w->r;
    double soft = HARDEST;
    memcpy(w->centre, w->r, bytes);
    for (int k = 0; k < STAGES_MAX && soft <= softest && w->report->newton < w->options->newton; ++k) {
        bool solved = false;
        BRN_TRY(brn_cone_newton(w, soft, w->centre, &solved));
        if (brn_cone_judge(w)) {
            break;
        }
        if (solved) {
            memcpy(w->centre, w->r, bytes);
            soft = fmax(0.1 * soft, HARDEST);
        } else {
            memcpy(w->r, w->centre, bytes);
            soft = k == 0 ? 1.0 : 10.0 * soft;
        }
    }
    return BRN_OK;
}

/* Sweeps that cost as much as a turn of Newton's method, measured: 20 operations of a factor or one entry of W a nanosecond, and
   the solution of a contact in 150 ns. */
static int turn_sweeps(const brn_cone_problem *p)
{
    const double rows = (double)p->contacts * p->dim;
    const double newton = STEPS_USUAL * (2.0 / 3.0) * rows * rows * rows / 20.0;
    const double sweep = (double)p->dim * p->dim * p->first[p->contacts] + 150.0 * p->contacts;
    return (int)fmin(fmax(newton / sweep, SWEEPS_LEAST), 1e6);
}

/* Whether most contacts feel most others. Where they do not, sweeps are so much cheaper than dense factorisations that they come first. */
static bool is_dense(const brn_cone_problem *p)
{
    return 2.0 * p->first[p->contacts] >= (double)p->contacts * p->contacts;
}

/* Before long turns: a short one, and Newton's method on the hardest problem alone. */
static brn_status hurry(brn_cone_work *w)
{
    bool moves = true;
    if (!(w->report->relative <= CLOSE)) {
        BRN_TRY(relax(w, SWEEPS_SHORT, &moves));
        if (!isfinite(w->report->relative)) {
            restore(w);
        }
    }
    return done(w) ? BRN_OK : approach(w, HARDEST);
}

/* Turns get longer, as what has not helped so far needs more of it, and end when two in a row have not halved the error. */
static brn_status alternate(brn_cone_work *w)
{
    bool moves = true;
    int count = turn_sweeps(w->p);
    brn_cone_velocities(w->ctx, w->p, w->r, w->u);
    (void)brn_cone_judge(w);
    if (!done(w) && count > SWEEPS_LONG && is_dense(w->p)) {
        BRN_TRY(hurry(w));
    }
    bool path = w->options->path > 0;
    for (int idle = 0; !done(w) && moves && idle < 2 && w->report->sweeps < w->options->sweeps;) {
        const double before = w->best_relative;
        BRN_TRY(relax(w, count, &moves));
        if (!isfinite(w->report->relative)) { /* sweeps can run away where W is far from diagonal */
            restore(w);
        }
        if (!done(w)) {
            BRN_TRY(approach(w, path ? HARDEST : SOFTEST));
        }
        if (!done(w) && path) {
            path = false;
            BRN_TRY(brn_cone_path(w));
            BRN_TRY(done(w) ? BRN_OK : approach(w, SOFTEST));
        }
        count = count < w->options->sweeps ? 2 * count : count;
        idle = w->best_relative <= 0.5 * before ? 0 : idle + 1;
    }
    return BRN_OK;
}

static brn_status take(brn_cone_work *w)
{
    const size_t count = (size_t)w->p->contacts * (size_t)w->p->dim;
    brn_arena *arena = brn_ctx_arena(w->ctx);
    BRN_TAKE(arena, w->block, w->p->contacts);
    BRN_TAKE(arena, w->own, w->p->contacts);
    BRN_TAKE(arena, w->u, count);
    BRN_TAKE(arena, w->best, count);
    BRN_TAKE(arena, w->centre, count);
    return BRN_OK;
}

static brn_status explain(const brn_cone_work *w)
{
    const brn_cone_report *report = w->report;
    if (report->relative <= w->options->tolerance) {
        return BRN_OK;
    }
    return brn_fail(
        w->ctx, BRN_ERR_CONVERGENCE,
        "contact problem of %d contacts: relative error %.3g after %d sweeps, %d Newton steps and "
        "%d steps of a path (wanted %.3g)%s",
        w->p->contacts, report->relative, report->sweeps, report->newton, report->path, w->options->tolerance,
        report->rounding > report->relative * w->scale * 0.01
            ? ": rounding allows no better with impulses of this size"
            : ": there may be no solution, or it is too ill-conditioned to be found");
}

static brn_status solve(brn_cone_work *w, double *u)
{
    const size_t bytes = (size_t)w->p->contacts * (size_t)w->p->dim * sizeof *u;
    BRN_TRY(take(w));
    prepare(w);
    if (!(w->scale > 0.0)) {
        memset(w->r, 0, bytes); /* at rest */
    }
    memcpy(w->best, w->r, bytes);
    const brn_status status = alternate(w);
    restore(w);
    w->report->rounding = brn_cone_rounding(w->p, w->r);
    if (u != NULL) {
        memcpy(u, w->u, bytes);
    }
    return status < 0 ? status : explain(w);
}

brn_status brn_cone_solve(brn_ctx *ctx, const brn_cone_problem *problem, const brn_cone_options *options,
                          double *r, double *u, brn_cone_report *report)
{
    return brn_cone_solve_again(ctx, problem, options, NULL, r, u, report);
}

brn_status brn_cone_solve_again(brn_ctx *ctx, const brn_cone_problem *problem,
                                const brn_cone_options *options, brn_cone_memory *memory, double *r,
                                double *u, brn_cone_report *report)
{
    const brn_cone_options plain = brn_cone_options_default();
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, problem);
    BRN_GIVEN(ctx, r);
    BRN_GIVEN(ctx, report);
    BRN_TRY(brn_cone_check(ctx, problem));
    *report = (brn_cone_report){0};
    if (problem->contacts == 0) {
        return BRN_OK;
    }
    brn_cone_work w = {.ctx = ctx,
                       .p = problem,
                       .options = options != NULL ? options : &plain,
                       .report = report,
                       .memory = memory,
                       .r = r,
                       .best_relative = INFINITY};
    if (!(w.options->tolerance > 0.0)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "contact problem: tolerance = %g: must be > 0",
                        w.options->tolerance);
    }
    const brn_arena_mark mark = brn_arena_now(brn_ctx_arena(ctx));
    const brn_status status = solve(&w, u);
    brn_arena_rewind(brn_ctx_arena(ctx), mark);
    return status;
}
