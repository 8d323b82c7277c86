/* Newton's method on the law as a projection (cone_inner.h) [Alart & Curnier 1991], for the softened problem

       u = W r + q + soft own (r - centre),

   whose matrix is regular however hyperstatic the contacts are. Contacts that are open get r = 0 and drop out; for the others the errors e
   (cone_inner.h) with their slopes give a linear system for the change of r.

   The law holds for any w > 0. Near the own compliance it suits contacts that hardly feel each other; where impulses are large because W
   is nearly singular, it is so much smaller that w r stays comparable with u, without which a step could not tell which contacts slide. */
#include "cone/cone_inner.h"

#include "linalg/blas.h"

#include <math.h>
#include <string.h>

/* The largest w r, in scales of u. */
static const double LARGE = 10.0;
/* What is left of the error at the start when a softened problem counts as solved: its solution is only a centre. */
static const double NEAR = 1e-4;
/* Steps in a row that have not halved the smallest sum of squares before it gives up, and halvings of a step. */
enum { PATIENCE = 10, HALVINGS = 4 };

typedef struct newton {
    brn_cone_work *w;
    double soft;
    const double *centre;
    double weight;       /* w over the own compliances */
    int n;               /* unknowns */
    int *place;          /* [contacts] first unknown of a contact, -1: open */
    brn_cone_miss *miss; /* [contacts] */
    double *matrix;      /* [n][n], column-major */
    double *step;        /* [n] */
    int *pivot;          /* [n] */
    size_t room;         /* numbers that the matrix has room for */
    double *r, *u;       /* [contacts][dim] tried */
    double *good;        /* [contacts][dim] the best so far */
} newton;

static void velocities(const newton *s, const double *r, double *u)
{
    const brn_cone_work *w = s->w;
    const int dim = w->p->dim;
    brn_cone_velocities(w->p, r, u);
    for (int k = 0; k < w->p->contacts * dim; ++k) {
        const brn_cone_own *own = &w->own[k / dim];
        u[k] += s->soft * (k % dim == 0 ? own->normal : own->tangent) * (r[k] - s->centre[k]);
    }
}

static void choose_weight(newton *s)
{
    const brn_cone_work *w = s->w;
    double most = 0.0;
    for (int k = 0; k < w->p->contacts * w->p->dim; ++k) {
        most = fmax(most, w->own[k / w->p->dim].normal * fabs(w->r[k]));
    }
    s->weight = 1.0 + s->soft;
    if (most > LARGE * w->scale) {
        s->weight *= LARGE * w->scale / most;
    }
}

static brn_cone_own weighted(const newton *s, int i)
{
    const brn_cone_own *own = &s->w->own[i];
    return (brn_cone_own){s->weight * own->normal, s->weight * own->tangent};
}

/* The sum of the squares of all errors, and those errors. */
static double look(newton *s, const double *r, const double *u)
{
    const brn_cone_work *w = s->w;
    const int dim = w->p->dim;
    double sum = 0.0;
    for (int i = 0; i < w->p->contacts; ++i) {
        const size_t at = (size_t)i * (size_t)dim;
        const brn_cone_own own = weighted(s, i);
        const brn_cone_miss m = brn_cone_miss_of(dim, &own, w->p->mu[i], r + at, u + at);
        s->miss[i] = m;
        sum += m.normal * m.normal + m.tangent[0] * m.tangent[0] + m.tangent[1] * m.tangent[1];
    }
    return sum;
}

/* Numbers the unknowns. */
static void number(newton *s)
{
    s->n = 0;
    for (int i = 0; i < s->w->p->contacts; ++i) {
        s->place[i] = -1;
        if (s->miss[i].state != BRN_CONE_OPEN) {
            s->place[i] = s->n;
            s->n += s->w->p->dim;
        }
    }
}

/* The rows of contact i of matrix and right-hand side: (E_u S + E_r) d = -e, where contacts j that open have d = -r. */
static void assemble(newton *s, int i)
{
    const brn_cone_work *w = s->w;
    const brn_cone_problem *p = w->p;
    const int dim = p->dim;
    const size_t n = (size_t)s->n;
    const brn_cone_own own = weighted(s, i);
    const brn_cone_slope e = brn_cone_slope_of(dim, &own, p->mu[i], &s->miss[i]);
    double *right = s->step + s->place[i];
    right[0] = -s->miss[i].normal;
    for (int d = 1; d < dim; ++d) {
        right[d] = -s->miss[i].tangent[d - 1];
    }
    for (int k = p->first[i]; k < p->first[i + 1]; ++k) {
        const int j = p->column[k];
        const double *block = p->w + (size_t)k * (size_t)(dim * dim);
        for (int c = 0; c < dim; ++c) {
            double moved[3] = {block[c], block[dim + c], dim == 3 ? block[2 * dim + c] : 0.0};
            if (i == j) {
                moved[c] += s->soft * (c == 0 ? w->own[i].normal : w->own[i].tangent);
            }
            for (int d = 0; d < dim; ++d) {
                const double change = e.u[d][0] * moved[0] + e.u[d][1] * moved[1] + e.u[d][2] * moved[2];
                if (s->place[j] >= 0) {
                    s->matrix[(size_t)(s->place[j] + c) * n + (size_t)(s->place[i] + d)] =
                        change + (i == j ? e.r[d][c] : 0.0);
                } else {
                    right[d] += change * w->r[j * dim + c];
                }
            }
        }
    }
}

/* *solved: s->step is finite. */
static brn_status find_step(newton *s, bool *solved)
{
    const brn_cone_problem *p = s->w->p;
    const int one = 1;
    int info = 0;
    if (s->n > 0) { /* else there is no matrix */
        memset(s->matrix, 0, (size_t)s->n * (size_t)s->n * sizeof *s->matrix);
    }
    for (int i = 0; i < p->contacts; ++i) {
        if (s->place[i] >= 0) {
            assemble(s, i);
        }
    }
    if (s->n > 0) {
        const brn_blas_threads before = brn_blas_begin();
        dgetrf_(&s->n, &s->n, s->matrix, &s->n, s->pivot, &info);
        if (info == 0) {
            dgetrs_("N", &s->n, &one, s->matrix, &s->n, s->pivot, s->step, &s->n, &info);
        }
        brn_blas_end(before);
    }
    *solved = info == 0;
    for (int k = 0; k < s->n && *solved; ++k) {
        *solved = isfinite(s->step[k]);
    }
    return brn_ctx_check(s->w->ctx);
}

/* s->r, s->u: a share of the step from r. */
static void try_step(newton *s, double share)
{
    const brn_cone_work *w = s->w;
    const int dim = w->p->dim;
    for (int i = 0; i < w->p->contacts; ++i) {
        for (int d = 0; d < dim; ++d) {
            const double from = w->r[i * dim + d];
            s->r[i * dim + d] = from + share * (s->place[i] < 0 ? -from : s->step[s->place[i] + d]);
        }
    }
    velocities(s, s->r, s->u);
}

/* Room for the matrix of n unknowns. */
static brn_status make_room(newton *s)
{
    const size_t need = (size_t)s->n * (size_t)s->n;
    if (need > s->room) {
        brn_free(s->w->ctx, s->matrix);
        s->room = 0;
        BRN_ALLOC(s->w->ctx, s->matrix, need);
        s->room = need;
    }
    return BRN_OK;
}

/* One step from r; *next: the errors after it. *solved: there was one. */
static brn_status advance(newton *s, double now, double *next, bool *solved)
{
    number(s);
    *solved = s->n <= BRN_CONE_UNKNOWNS_MAX;
    if (!*solved) {
        return BRN_OK;
    }
    BRN_TRY(make_room(s));
    BRN_TRY(find_step(s, solved));
    if (!*solved) {
        return BRN_OK;
    }
    s->w->report->newton++;
    double share = 1.0;
    for (int k = 0; k <= HALVINGS; ++k, share *= 0.5) {
        try_step(s, share);
        *next = look(s, s->r, s->u);
        if (*next < now) {
            break;
        }
    }
    *solved = isfinite(*next);
    return BRN_OK;
}

static brn_status iterate(newton *s, bool *solved)
{
    brn_cone_work *w = s->w;
    const size_t bytes = (size_t)w->p->contacts * (size_t)w->p->dim * sizeof *w->r;
    choose_weight(s);
    velocities(s, w->r, w->u);
    double now = look(s, w->r, w->u);
    double least = now;
    memcpy(s->good, w->r, bytes);
    const double goal = fmax(0.1 * w->options->tolerance * w->scale, NEAR * sqrt(now));
    for (int waited = 0; now > goal * goal && waited < PATIENCE && w->report->newton < w->options->newton;) {
        bool stepped = false;
        BRN_TRY(advance(s, now, &now, &stepped));
        if (!stepped) {
            break;
        }
        memcpy(w->r, s->r, bytes);
        memcpy(w->u, s->u, bytes);
        waited = now < 0.5 * least ? 0 : waited + 1;
        if (now < least) {
            least = now;
            memcpy(s->good, w->r, bytes);
        }
    }
    *solved = least <= goal * goal;
    memcpy(w->r, s->good, bytes);
    brn_cone_velocities(w->p, w->r, w->u);
    return BRN_OK;
}

static brn_status take(newton *s)
{
    const brn_cone_problem *p = s->w->p;
    const size_t count = (size_t)p->contacts * (size_t)p->dim;
    brn_arena *arena = brn_ctx_arena(s->w->ctx);
    BRN_TAKE(arena, s->place, p->contacts);
    BRN_TAKE(arena, s->miss, p->contacts);
    BRN_TAKE(arena, s->step, count);
    BRN_TAKE(arena, s->pivot, count);
    BRN_TAKE(arena, s->r, count);
    BRN_TAKE(arena, s->u, count);
    BRN_TAKE(arena, s->good, count);
    return brn_blas_reserve(s->w->ctx);
}

brn_status brn_cone_newton(brn_cone_work *w, double soft, const double *centre, bool *solved)
{
    newton s = {.w = w, .soft = soft, .centre = centre};
    const brn_arena_mark mark = brn_arena_now(brn_ctx_arena(w->ctx));
    *solved = false;
    brn_status status = take(&s);
    if (status >= 0) {
        status = iterate(&s, solved);
    }
    brn_free(w->ctx, s.matrix);
    brn_arena_rewind(brn_ctx_arena(w->ctx), mark);
    return status;
}
