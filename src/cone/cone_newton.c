/* Newton's method on the law as a projection (cone_inner.h) [Alart & Curnier 1991], for the softened problem

       u = W r + q + soft own (r - centre),

   whose matrix is regular however hyperstatic the contacts are. Contacts that are open get r = 0 and drop out; for the others the errors e
   (cone_inner.h) with their slopes give a linear system for the change of r. Where a contact slides, the error along the pointer t has no slope in u:
   there the change of r is mu t times that of its normal part and a known rest, which leaves two unknowns of three, and a factor of 0.3 times the cost
   where all slide. Large problems take this; small ones are as they are.

   The law holds for any w > 0. Near the own compliance it suits contacts that hardly feel each other; where impulses are large because W
   is nearly singular, it is so much smaller that w r stays comparable with u, without which a step could not tell which contacts slide. */
#include "cone/cone_inner.h"

#include "base/parallel.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

/* The largest w r, in scales of u. */
static const double LARGE = 10.0;
/* What is left of the error at the start when a softened problem counts as solved: its solution is only a centre. */
static const double NEAR = 1e-4;
/* Steps in a row that have not halved the smallest sum of squares before it gives up, and halvings of a step. */
enum { PATIENCE = 10, HALVINGS = 4 };
/* A factor serves for another step, which costs a hundredth of one with its own, if that takes the sum of squares down by this; and for another
   problem if its weight is the same within a factor of two. */
static const double GAIN = 0.1;
static const double ALIKE = 2.0;

/* The change of r at a contact: shift + basis x, x its unknowns. */
typedef struct span {
    int count;
    bool plain;         /* basis is the unit matrix, and there is no shift */
    double basis[3][3]; /* [dim][count] */
    double shift[3];
} span;

typedef struct newton {
    brn_cone_work *w;
    double soft;
    const double *centre;
    double weight;       /* w over the own compliances */
    int n;               /* unknowns */
    int *place;          /* [contacts] first unknown of a contact, -1: open */
    brn_cone_miss *miss; /* [contacts] */
    span *span;          /* [contacts] */
    brn_cone_memory own; /* the factor, where the caller keeps none */
    brn_cone_memory *factor;
    bool again;    /* the next step may do with the factor as it is */
    double *step;  /* [n] */
    double *r, *u; /* [contacts][dim] tried */
    double *good;  /* [contacts][dim] the best so far */
} newton;

static void velocities(const newton *s, const double *r, double *u)
{
    const brn_cone_work *w = s->w;
    const int dim = w->p->dim;
    brn_cone_velocities(w->ctx, w->p, r, u);
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
    const brn_cone_memory *f = s->factor;
    s->again = f != &s->own && f->n > 0 && f->soft == s->soft && f->contacts == w->p->contacts &&
               f->weight < ALIKE * s->weight && s->weight < ALIKE * f->weight;
    s->weight = s->again ? f->weight : s->weight;
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

static span span_of(const newton *s, int i)
{
    const brn_cone_problem *p = s->w->p;
    const brn_cone_miss *m = &s->miss[i];
    const double *t = m->pointer;
    span out = {.count = p->dim, .plain = true};
    if (m->state == BRN_CONE_OPEN) {
        out = (span){0};
        for (int d = 0; d < p->dim; ++d) {
            out.shift[d] = -s->w->r[i * p->dim + d];
        }
    } else if (m->state == BRN_CONE_SLIDES && s->factor != &s->own) {
        const double along = (m->tangent[0] * t[0] + m->tangent[1] * t[1]) / weighted(s, i).tangent;
        out = (span){.count = p->dim - 1,
                     .basis = {{1.0}, {p->mu[i] * t[0], -t[1]}, {p->mu[i] * t[1], t[0]}},
                     .shift = {0.0, -along * t[0], -along * t[1]}};
    }
    return out;
}

/* Finds and numbers the unknowns. */
static void number(newton *s)
{
    s->n = 0;
    for (int i = 0; i < s->w->p->contacts; ++i) {
        s->span[i] = span_of(s, i);
        s->place[i] = s->span[i].count > 0 ? s->n : -1;
        s->n += s->span[i].count;
    }
}

/* The errors and their slopes that a contact has equations for: all, or, where it slides, those of the normal and across the pointer. */
typedef struct rows {
    double error[3], r[3][3], u[3][3];
} rows;

static rows rows_of(const newton *s, int i)
{
    const int dim = s->w->p->dim;
    const brn_cone_own own = weighted(s, i);
    const brn_cone_miss *m = &s->miss[i];
    const brn_cone_slope e = brn_cone_slope_of(dim, &own, s->w->p->mu[i], m);
    rows out = {.error = {m->normal, m->tangent[0], m->tangent[1]}};
    memcpy(out.r, e.r, sizeof e.r);
    memcpy(out.u, e.u, sizeof e.u);
    if (!s->span[i].plain && dim == 3) {
        const double *t = m->pointer;
        out.error[1] = t[0] * m->tangent[1] - t[1] * m->tangent[0];
        for (int c = 0; c < dim; ++c) {
            out.r[1][c] = t[0] * e.r[2][c] - t[1] * e.r[1][c];
            out.u[1][c] = t[0] * e.u[2][c] - t[1] * e.u[1][c];
        }
    }
    return out;
}

/* Adds slopes [count][dim] of the rows from `row` on in the change of r at contact j. */
static void add_slopes(newton *s, int row, int count, int j, double slope[3][3], double *matrix)
{
    const int dim = s->w->p->dim;
    const span *to = &s->span[j];
    for (int a = 0; a < count; ++a) {
        for (int b = 0; b < to->count && matrix != NULL; ++b) {
            double sum = to->plain ? slope[a][b] : 0.0;
            for (int c = 0; c < dim && !to->plain; ++c) {
                sum += slope[a][c] * to->basis[c][b];
            }
            matrix[(size_t)(s->place[j] + b) * (size_t)s->n + (size_t)(row + a)] = sum;
        }
        for (int c = 0; c < dim && !to->plain; ++c) {
            s->step[row + a] -= slope[a][c] * to->shift[c];
        }
    }
}

/* The rows of contact i of matrix (NULL: not wanted) and right-hand side: (E_u S + E_r) (shift + basis x) = -e. */
static void assemble(newton *s, int i, double *matrix)
{
    const brn_cone_work *w = s->w;
    const brn_cone_problem *p = w->p;
    const int dim = p->dim;
    const int count = s->span[i].count;
    const rows e = rows_of(s, i);
    for (int a = 0; a < count; ++a) {
        s->step[s->place[i] + a] = -e.error[a];
    }
    for (int k = p->first[i]; k < p->first[i + 1]; ++k) {
        const int j = p->column[k];
        const double *block = p->w + (size_t)k * (size_t)(dim * dim);
        double slope[3][3];
        if (matrix == NULL && s->span[j].plain) {
            continue;
        }
        for (int c = 0; c < dim; ++c) {
            double moved[3] = {block[c], block[dim + c], dim == 3 ? block[2 * dim + c] : 0.0};
            if (i == j) {
                moved[c] += s->soft * (c == 0 ? w->own[i].normal : w->own[i].tangent);
            }
            for (int a = 0; a < count; ++a) {
                const double change = e.u[a][0] * moved[0] + e.u[a][1] * moved[1] + e.u[a][2] * moved[2];
                slope[a][c] = change + (i == j ? e.r[a][c] : 0.0);
            }
        }
        add_slopes(s, s->place[i], count, j, slope, matrix);
    }
}

/* Contacts whose rows are assembled together. */
enum { TOGETHER = 16 };

typedef struct assembly {
    newton *s;
    double *matrix;
} assembly;

static brn_status assemble_block(void *arg, int block, brn_arena *scratch)
{
    const assembly *w = arg;
    const int count = w->s->w->p->contacts;
    (void)scratch;
    for (int i = block * TOGETHER; i < brn_block_end(count, TOGETHER, block); ++i) {
        if (w->s->place[i] >= 0) {
            assemble(w->s, i, w->matrix);
        }
    }
    return BRN_OK;
}

/* All rows. */
static void assemble_all(newton *s, double *matrix)
{
    assembly w = {s, matrix};
    (void)brn_parallel_for(s->w->ctx, brn_block_count(s->w->p->contacts, TOGETHER), assemble_block, &w);
}

/* Room for the matrix of n unknowns, and for what it is of. */
static brn_status make_room(newton *s)
{
    brn_ctx *ctx = s->w->ctx;
    brn_cone_memory *f = s->factor;
    const size_t need = (size_t)s->n * (size_t)s->n;
    const size_t contacts = (size_t)s->w->p->contacts;
    f->n = 0;
    if (need > f->room) {
        brn_free(ctx, f->matrix);
        f->room = 0;
        BRN_ALLOC(ctx, f->matrix, need);
        f->room = need;
    }
    BRN_GROW(ctx, f->pivot, f->pivot_room, s->n);
    BRN_GROW(ctx, f->count, f->count_room, contacts);
    for (size_t i = 0; i < contacts; ++i) {
        f->count[i] = s->span[i].count;
    }
    return BRN_OK;
}

/* The factor of the matrix, and s->step as its right-hand side. *made: it is regular. */
static brn_status make_factor(newton *s, bool *made)
{
    brn_cone_memory *f = s->factor;
    int info = 0;
    BRN_TRY(make_room(s));
    if (s->n > 0) { /* else there is no matrix */
        memset(f->matrix, 0, (size_t)s->n * (size_t)s->n * sizeof *f->matrix);
    }
    assemble_all(s, f->matrix);
    if (s->n > 0) {
        const brn_blas_threads before = brn_blas_begin();
        dgetrf_(&s->n, &s->n, f->matrix, &s->n, f->pivot, &info);
        brn_blas_end(before);
    }
    *made = info == 0;
    f->n = info == 0 ? s->n : 0;
    f->contacts = s->w->p->contacts;
    f->soft = s->soft;
    f->weight = s->weight;
    return BRN_OK;
}

/* s->step; *again: with the factor as it is, in if that may serve and out if it does. *solved: the step is finite. */
static brn_status find_step(newton *s, bool *again, bool *solved)
{
    const brn_cone_problem *p = s->w->p;
    const brn_cone_memory *f = s->factor;
    const int one = 1;
    int info = 0;
    *solved = true;
    *again = *again && s->n > 0 && f->n == s->n;
    for (int i = 0; i < p->contacts && *again; ++i) {
        *again = f->count[i] == s->span[i].count;
    }
    if (!*again) {
        BRN_TRY(make_factor(s, solved));
    }
    if (*again) {
        assemble_all(s, NULL);
    }
    if (s->n > 0 && *solved) {
        const brn_blas_threads before = brn_blas_begin();
        dgetrs_("N", &s->n, &one, f->matrix, &s->n, f->pivot, s->step, &s->n, &info);
        brn_blas_end(before);
    }
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
            const span *of = &s->span[i];
            double change = of->plain ? s->step[s->place[i] + d] : of->shift[d];
            for (int b = 0; b < of->count && !of->plain; ++b) {
                change += of->basis[d][b] * s->step[s->place[i] + b];
            }
            s->r[i * dim + d] = from + share * change;
        }
    }
    velocities(s, s->r, s->u);
}

/* As much of s->step as lowers the errors; *next: what they are then. A step with a factor that is not its own is taken whole. */
static void search(newton *s, bool whole, double now, double *next)
{
    double share = 1.0;
    for (int k = 0; k <= (whole ? 0 : HALVINGS); ++k, share *= 0.5) {
        try_step(s, share);
        *next = look(s, s->r, s->u);
        if (*next < now) {
            break;
        }
    }
}

/* One step from r; *next: the errors after it. *solved: there was one. */
static brn_status advance(newton *s, double now, double *next, bool *solved)
{
    number(s);
    *solved = s->n <= BRN_CONE_UNKNOWNS_MAX;
    if (!*solved) {
        return BRN_OK;
    }
    bool again = s->again;
    BRN_TRY(find_step(s, &again, solved));
    if (again) {
        search(s, true, now, next);
        s->again = *solved && *next <= GAIN * now;
        if (s->again) {
            s->w->report->newton++;
            return BRN_OK;
        }
        again = false;
        (void)look(s, s->w->r, s->w->u); /* as it was before the step */
        BRN_TRY(find_step(s, &again, solved));
    }
    if (!*solved) {
        return BRN_OK;
    }
    s->w->report->newton++;
    search(s, false, now, next);
    s->again = s->factor != &s->own;
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
    brn_cone_velocities(w->ctx, w->p, w->r, w->u);
    return BRN_OK;
}

static brn_status take(newton *s)
{
    const brn_cone_problem *p = s->w->p;
    const size_t count = (size_t)p->contacts * (size_t)p->dim;
    brn_arena *arena = brn_ctx_arena(s->w->ctx);
    BRN_TAKE(arena, s->place, p->contacts);
    BRN_TAKE(arena, s->miss, p->contacts);
    BRN_TAKE(arena, s->span, p->contacts);
    BRN_TAKE(arena, s->step, count);
    BRN_TAKE(arena, s->r, count);
    BRN_TAKE(arena, s->u, count);
    BRN_TAKE(arena, s->good, count);
    return brn_blas_reserve(s->w->ctx);
}

void brn_cone_forget(brn_ctx *ctx, brn_cone_memory *memory)
{
    brn_free(ctx, memory->matrix);
    brn_free(ctx, memory->pivot);
    brn_free(ctx, memory->count);
    *memory = (brn_cone_memory){0};
}

brn_status brn_cone_newton(brn_cone_work *w, double soft, const double *centre, bool *solved)
{
    newton s = {.w = w, .soft = soft, .centre = centre};
    s.factor = w->memory != NULL ? w->memory : &s.own;
    const brn_arena_mark mark = brn_arena_now(brn_ctx_arena(w->ctx));
    *solved = false;
    brn_status status = take(&s);
    if (status >= 0) {
        status = iterate(&s, solved);
    }
    brn_cone_forget(w->ctx, &s.own);
    brn_arena_rewind(brn_ctx_arena(w->ctx), mark);
    return status;
}
