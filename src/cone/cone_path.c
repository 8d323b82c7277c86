/* A path to the solution, from a point that is known. With the slip smoothed by the gap velocity, rho = sqrt(u_n^2 + mu^2 |u_t|^2), and a share t,

       u = W r + q + t g,    r_n u_n = t c,    rho r_t + mu^2 r_n u_t = 0,    r_n > 0, u_n > 0,

   is the law at t = 0, as is seen from rho = mu |u_t| of what slides and u_n = u_t = 0 of what sticks; at t = 1 it is solved by whatever start defines g and c.
   In between it is smooth, and its solutions are a curve without ends [Allgower & Georg 1990]. Where contacts slide and
   stick by turns the curve may turn back, to larger t, before it goes on: Newton's method, at one t after the other, would have to jump there.
   So the curve is followed in t as long as that goes well, and along its length elsewhere. */
#include "cone/cone_inner.h"

#include "linalg/blas.h"

#include <math.h>
#include <string.h>

/* Friction above this is as good as sticking, on the way. */
static const double MU_MOST = 1e4;
/* Normal impulses at the start stop this many of the largest velocities. */
static const double START = 10.0;
/* A point is on the path if its laws are wrong by less than this part of t c. */
static const double NEAR = 0.05;
/* The first share of t, the smallest and the largest; beyond that the path is followed along its length. */
static const double SHARE_FIRST = 0.1, SHARE_LEAST = 1e-3, SHARE_MOST = 0.95;
/* Lengths along the path are relative changes: the first and the largest. */
static const double LENGTH_FIRST = 0.3, LENGTH_MOST = 1.0;
/* Below this t steps that fail do so from rounding, and Newton's method has a good start. */
static const double LATE = 1e-8;
/* The end of the path. */
static const double END = 1e-15;
/* Corrections with one factorisation, and tries of a length. */
enum { CORRECTIONS = 8, TRIES = 8 };

/* A point of the path. */
typedef struct place {
    double t;
    double *r, *u; /* [contacts][dim] */
} place;

typedef struct path {
    brn_cone_work *w;
    int n;          /* unknowns */
    int *first;     /* [contacts] first unknown of a contact; without friction it is the only one */
    double *mu;     /* [contacts] */
    double *c, *g;  /* [contacts], [contacts][dim] of the equations above */
    place at, next; /* now, and tried */
    place slope;    /* of the path, over t: its t is 1 */
    place change;   /* a correction */
    double *lin;    /* [contacts][dim] u - W r - q - t g */
    double *matrix; /* [n][n], column-major: the factors */
    double *right;  /* [n] */
    int *pivot;     /* [n] */
    bool back;      /* t grows along the path */
    double share;   /* of t, tried first */
    double length;  /* along the path, tried first */
} path;

static size_t values_of(const path *s)
{
    return (size_t)s->w->p->contacts * (size_t)s->w->p->dim;
}

static void copy(const path *s, const place *from, place *to)
{
    to->t = from->t;
    memcpy(to->r, from->r, values_of(s) * sizeof *to->r);
    memcpy(to->u, from->u, values_of(s) * sizeof *to->u);
}

static int size_of(const path *s, int i)
{
    return s->mu[i] > 0.0 ? s->w->p->dim : 1;
}

/* The largest error of the laws, over t c; infinite where r_n or u_n is not above 0. */
static double distance(const path *s, const place *x)
{
    const int dim = s->w->p->dim;
    double most = 0.0;
    for (int i = 0; i < s->w->p->contacts; ++i) {
        const double *r = x->r + (size_t)i * (size_t)dim;
        const double *u = x->u + (size_t)i * (size_t)dim;
        const double c = x->t * s->c[i];
        double e[3] = {0.0, 0.0, 0.0};
        if (!(x->t > 0.0 && r[0] > 0.0 && u[0] > 0.0)) {
            return INFINITY;
        }
        brn_cone_smooth_error(size_of(s, i), s->mu[i], c, r, u, e);
        const double worst = fmax(fabs(e[0]), hypot(e[1], e[2])) / c;
        most = worst <= most ? most : worst; /* NaN stays */
    }
    return most;
}

/* ---- the linear system ------------------------------------------------------------------------------------------------------ */

static brn_cone_slope slope_of(const path *s, int i)
{
    const size_t at = (size_t)i * (size_t)s->w->p->dim;
    return brn_cone_smooth_slope(size_of(s, i), s->mu[i], s->at.r + at, s->at.u + at);
}

/* The rows of contact i: E_u W + E_r. */
static void assemble(path *s, int i)
{
    const brn_cone_problem *p = s->w->p;
    const int dim = p->dim;
    const size_t n = (size_t)s->n;
    const int size = size_of(s, i);
    const brn_cone_slope e = slope_of(s, i);
    for (int k = p->first[i]; k < p->first[i + 1]; ++k) {
        const int j = p->column[k];
        const double *block = p->w + (size_t)k * (size_t)(dim * dim);
        for (int c = 0; c < size_of(s, j); ++c) {
            double *to = s->matrix + (size_t)(s->first[j] + c) * n + s->first[i];
            for (int d = 0; d < size; ++d) {
                double sum = i == j ? e.r[d][c] : 0.0;
                for (int b = 0; b < size; ++b) {
                    sum += e.u[d][b] * block[b * dim + c];
                }
                to[d] = sum;
            }
        }
    }
}

/* Factors at s->at; its determinant has the sign of how t falls along the path. */
static brn_status factor(path *s, bool *regular)
{
    int info = 0;
    memset(s->matrix, 0, (size_t)s->n * (size_t)s->n * sizeof *s->matrix);
    for (int i = 0; i < s->w->p->contacts; ++i) {
        assemble(s, i);
    }
    const brn_blas_threads before = brn_blas_begin();
    dgetrf_(&s->n, &s->n, s->matrix, &s->n, s->pivot, &info);
    brn_blas_end(before);
    s->w->report->path++;
    *regular = info == 0;
    s->back = false;
    for (int k = 0; k < s->n; ++k) {
        const bool swaps = s->pivot[k] != k + 1;
        const bool negative = s->matrix[(size_t)k * (size_t)s->n + (size_t)k] < 0.0;
        s->back = s->back != (swaps != negative);
    }
    return brn_ctx_check(s->w->ctx);
}

/* The change of r and u that changes the laws by s->right, and u - W r - q - t g by -s->lin. */
static void solve(path *s, place *change)
{
    const brn_cone_problem *p = s->w->p;
    const int dim = p->dim;
    const int one = 1;
    int info = 0;
    for (int i = 0; i < p->contacts; ++i) {
        const double *lin = s->lin + (size_t)i * (size_t)dim;
        const int size = size_of(s, i);
        const brn_cone_slope e = slope_of(s, i);
        for (int d = 0; d < size; ++d) {
            double *right = &s->right[s->first[i] + d];
            for (int b = 0; b < size; ++b) {
                *right += e.u[d][b] * lin[b];
            }
        }
    }
    const brn_blas_threads before = brn_blas_begin();
    dgetrs_("N", &s->n, &one, s->matrix, &s->n, s->pivot, s->right, &s->n, &info);
    brn_blas_end(before);
    for (int i = 0; i < p->contacts; ++i) {
        memcpy(change->r + (size_t)i * (size_t)dim, s->right + s->first[i],
               (size_t)size_of(s, i) * sizeof *change->r);
    }
    brn_cone_product(s->w->ctx, p, change->r, change->u);
    for (size_t k = 0; k < values_of(s); ++k) {
        change->u[k] -= s->lin[k];
    }
}

/* The slope of the path at s->at, over t. */
static void find_slope(path *s)
{
    memset(s->right, 0, (size_t)s->n * sizeof *s->right);
    for (int i = 0; i < s->w->p->contacts; ++i) {
        s->right[s->first[i]] = s->c[i];
    }
    for (size_t k = 0; k < values_of(s); ++k) {
        s->lin[k] = -s->g[k];
    }
    solve(s, &s->slope);
    s->slope.t = 1.0;
}

/* s->change: Newton's step from s->next at its t, with the slopes at s->at. */
static void find_correction(path *s)
{
    const int dim = s->w->p->dim;
    for (int i = 0; i < s->w->p->contacts; ++i) {
        const size_t at = (size_t)i * (size_t)dim;
        double e[3];
        brn_cone_smooth_error(size_of(s, i), s->mu[i], s->next.t * s->c[i], s->next.r + at, s->next.u + at,
                              e);
        for (int d = 0; d < size_of(s, i); ++d) {
            s->right[s->first[i] + d] = -e[d];
        }
    }
    brn_cone_velocities(s->w->ctx, s->w->p, s->next.r, s->lin);
    for (size_t k = 0; k < values_of(s); ++k) {
        s->lin[k] = s->next.u[k] - s->lin[k] - s->next.t * s->g[k];
    }
    solve(s, &s->change);
    s->change.t = 0.0;
}

/* ---- steps ------------------------------------------------------------------------------------------------------------------ */

static void add(const path *s, const place *change, double share, place *to)
{
    to->t += share * change->t;
    for (size_t k = 0; k < values_of(s); ++k) {
        to->r[k] += share * change->r[k];
        to->u[k] += share * change->u[k];
    }
}

/* The product of two changes, in relative terms. */
static double dot(const path *s, const place *a, const place *b)
{
    const int dim = s->w->p->dim;
    double sum = a->t * b->t / (s->at.t * s->at.t);
    for (int i = 0; i < s->w->p->contacts; ++i) {
        for (int d = 0; d < size_of(s, i); ++d) {
            const size_t at = (size_t)(i * dim + d);
            const double unit = s->at.r[i * dim] * (d == 0 ? 1.0 : s->mu[i]);
            sum += a->r[at] * b->r[at] / (unit * unit);
        }
    }
    return sum;
}

/* Newton's method from s->next to the path: at its t, or across the slope. */
static bool correct(path *s, bool across)
{
    double before = INFINITY;
    for (int k = 0; k <= CORRECTIONS; ++k) {
        const double now = distance(s, &s->next);
        if (k > 0 && now <= NEAR) { /* once at least, or what is left would grow from step to step */
            return true;
        }
        if (!(now < 0.7 * before) || !isfinite(now)) {
            break;
        }
        before = now;
        find_correction(s);
        add(s, &s->change, 1.0, &s->next);
        if (across) {
            add(s, &s->slope, -dot(s, &s->change, &s->slope) / dot(s, &s->slope, &s->slope), &s->next);
        }
    }
    return false;
}

/* From s->at by dt along the slope, and back to the path. */
static bool step(path *s, double dt, bool across)
{
    copy(s, &s->at, &s->next);
    add(s, &s->slope, dt, &s->next);
    return correct(s, across);
}

/* To a smaller t. */
static bool descend(path *s)
{
    const double first = s->share;
    for (double share = first; share < SHARE_MOST; share = sqrt(share)) {
        if (step(s, (share - 1.0) * s->at.t, false)) {
            s->share = share > first ? share : fmax(share * share, SHARE_LEAST);
            return true;
        }
    }
    return false;
}

/* The largest relative change for a change of t. */
static double steepness(const path *s)
{
    const int dim = s->w->p->dim;
    double most = 1.0 / s->at.t;
    for (int i = 0; i < s->w->p->contacts; ++i) {
        const size_t at = (size_t)i * (size_t)dim;
        const int size = size_of(s, i);
        const double rho = brn_cone_smooth_speed(size, s->mu[i], s->at.u + at);
        most = fmax(most, fabs(s->slope.r[at]) / s->at.r[at]);
        most = fmax(most, fabs(s->slope.u[at]) / s->at.u[at]);
        for (int d = 1; d < size; ++d) {
            most = fmax(most, fabs(s->slope.r[at + (size_t)d]) / (s->mu[i] * s->at.r[at]));
            most = fmax(most, s->mu[i] * fabs(s->slope.u[at + (size_t)d]) / rho);
        }
    }
    return most;
}

/* Along the length of the path, whichever way t goes. */
static bool creep(path *s)
{
    const double unit = (s->back ? 1.0 : -1.0) / steepness(s);
    const double first = s->length;
    for (int k = 0; k < TRIES; ++k, s->length *= 0.5) {
        if (step(s, unit * s->length, true)) {
            if (s->length == first) {
                s->length = fmin(1.6 * s->length, LENGTH_MOST);
            }
            s->share = 0.5;
            return true;
        }
    }
    return false;
}

/* Follows the path until the solution is good enough, or no further. */
static brn_status walk(path *s)
{
    brn_cone_work *w = s->w;
    BRN_ALLOC(w->ctx, s->matrix, (size_t)s->n * (size_t)s->n);
    while (w->report->path < w->options->path && s->at.t > END) {
        const bool late = s->at.t < LATE;
        bool regular = false;
        BRN_TRY(factor(s, &regular));
        if (!regular) {
            break;
        }
        find_slope(s);
        if (!((late || !s->back) && descend(s)) && (late || !creep(s))) {
            break;
        }
        copy(s, &s->next, &s->at);
        memcpy(w->r, s->at.r, values_of(s) * sizeof *w->r);
        brn_cone_velocities(w->ctx, w->p, w->r, w->u);
        if (brn_cone_judge(w)) {
            break;
        }
    }
    return BRN_OK;
}

/* ---- the start -------------------------------------------------------------------------------------------------------------- */

static brn_status take_place(const path *s, place *x)
{
    brn_arena *arena = brn_ctx_arena(s->w->ctx);
    BRN_TAKE(arena, x->r, values_of(s));
    BRN_TAKE(arena, x->u, values_of(s));
    return BRN_OK;
}

static brn_status take(path *s)
{
    const brn_cone_problem *p = s->w->p;
    brn_arena *arena = brn_ctx_arena(s->w->ctx);
    place *const places[] = {&s->at, &s->next, &s->slope, &s->change};
    BRN_TAKE(arena, s->first, p->contacts);
    BRN_TAKE(arena, s->mu, p->contacts);
    BRN_TAKE(arena, s->c, p->contacts);
    BRN_TAKE(arena, s->g, values_of(s));
    BRN_TAKE(arena, s->lin, values_of(s));
    BRN_TAKE(arena, s->right, values_of(s));
    BRN_TAKE(arena, s->pivot, values_of(s));
    for (size_t k = 0; k < sizeof places / sizeof *places; ++k) {
        BRN_TRY(take_place(s, places[k]));
    }
    return brn_blas_reserve(s->w->ctx);
}

/* Without friction, each contact under the same load and at the same speed. */
static void begin(path *s)
{
    const brn_cone_work *w = s->w;
    const int dim = w->p->dim;
    memset(s->at.r, 0, values_of(s) * sizeof *s->at.r);
    memset(s->slope.r, 0, values_of(s) * sizeof *s->slope.r); /* friction without friction */
    memset(s->change.r, 0, values_of(s) * sizeof *s->change.r);
    for (int i = 0; i < w->p->contacts; ++i) {
        s->mu[i] = fmin(w->p->mu[i], MU_MOST);
        s->first[i] = s->n;
        s->n += size_of(s, i);
        s->at.r[(size_t)i * (size_t)dim] = START * w->scale / w->own[i].normal;
        s->c[i] = s->at.r[(size_t)i * (size_t)dim] * w->scale;
    }
    s->at.t = 1.0;
    brn_cone_velocities(w->ctx, w->p, s->at.r, s->at.u);
    for (size_t k = 0; k < values_of(s); ++k) {
        const double u = k % (size_t)dim == 0 ? w->scale : 0.0;
        s->g[k] = u - s->at.u[k];
        s->at.u[k] = u;
    }
}

brn_status brn_cone_path(brn_cone_work *w)
{
    path s = {.w = w, .share = SHARE_FIRST, .length = LENGTH_FIRST};
    const brn_arena_mark mark = brn_arena_now(brn_ctx_arena(w->ctx));
    brn_status status = take(&s);
    if (status >= 0) {
        begin(&s);
        if (s.n <= BRN_CONE_UNKNOWNS_MAX) {
            status = walk(&s);
        }
    }
    brn_free(w->ctx, s.matrix);
    brn_arena_rewind(brn_ctx_arena(w->ctx), mark);
    return status;
}
