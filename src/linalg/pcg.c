/* [Hestenes & Stiefel 1952]; the residual of the recurrence is replaced by the true one when it claims convergence, and
   the iteration goes on from there if the claim was wrong. */
#include "linalg/pcg.h"

#include "base/parallel.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NODES = 1024 }; /* nodes of one parallel block; partial sums are added in block order */

typedef struct pcg {
    brn_ctx *ctx;
    const brn_block_matrix *a;
    const unsigned char *fixed;
    const double *b;
    double *x, *r, *z, *p, *q; /* [n*size]; z doubles as the masked x of a true residual */
    double *inverse;           /* [n][size*size], of the diagonal blocks */
    int nparts;
    double (*part)[2]; /* [nparts], partial sums */
    double alpha, beta;
} pcg;

static bool is_fixed(const pcg *w, size_t dof)
{
    return w->fixed != NULL && w->fixed[dof] != 0;
}

/* Runs one pass over all nodes and adds up its two partial sums. */
static brn_status pass(pcg *w, brn_block_fn fn, double sums[2])
{
    BRN_TRY(brn_parallel_for(w->ctx, w->nparts, fn, w));
    sums[0] = 0.0;
    sums[1] = 0.0;
    for (int i = 0; i < w->nparts; ++i) {
        sums[0] += w->part[i][0];
        sums[1] += w->part[i][1];
    }
    return BRN_OK;
}

static void dof_range(const pcg *w, int block, size_t *first, size_t *end)
{
    *first = (size_t)block * NODES * (size_t)w->a->size;
    *end = (size_t)brn_block_end(w->a->n, NODES, block) * (size_t)w->a->size;
}

/* Inverse of a small symmetric block by Gauss-Jordan without pivoting (pivots are positive iff it is positive
   definite). */
static bool invert(int s, double *m, double *inverse)
{
    for (int i = 0; i < s * s; ++i) {
        inverse[i] = i % (s + 1) == 0 ? 1.0 : 0.0;
    }
    for (int k = 0; k < s; ++k) {
        const double pivot = m[k * s + k];
        if (!(pivot > 0.0) || !(pivot <= DBL_MAX)) {
            return false;
        }
        for (int c = 0; c < s; ++c) {
            m[k * s + c] /= pivot;
            inverse[k * s + c] /= pivot;
        }
        for (int r = 0; r < s; ++r) {
            const double factor = r == k ? 0.0 : m[r * s + k];
            for (int c = 0; c < s; ++c) {
                m[r * s + c] -= factor * m[k * s + c];
                inverse[r * s + c] -= factor * inverse[k * s + c];
            }
        }
    }
    return true;
}

/* The preconditioner; part[block][0] is the first bad diagonal block + 1. */
static brn_status invert_diagonal(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    pcg *w = arg;
    const int s = w->a->size;
    w->part[block][0] = 0.0;
    w->part[block][1] = 0.0;
    for (int i = block * NODES; i < brn_block_end(w->a->n, NODES, block); ++i) {
        double m[9];
        memcpy(m, w->a->value + (size_t)w->a->start[i] * (size_t)(s * s), (size_t)(s * s) * sizeof *m);
        for (int r = 0; r < s; ++r) {
            for (int c = 0; c < s; ++c) {
                const size_t at = (size_t)i * (size_t)s;
                if (is_fixed(w, at + (size_t)r) || is_fixed(w, at + (size_t)c)) {
                    m[r * s + c] = r == c ? 1.0 : 0.0;
                }
            }
        }
        if (!invert(s, m, w->inverse + (size_t)i * (size_t)(s * s)) && w->part[block][0] == 0.0) {
            w->part[block][0] = i + 1.0;
        }
    }
    return BRN_OK;
}

/* z = x with zeros at fixed dofs; sums |b|^2 over the free ones. */
static brn_status mask_x(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    pcg *w = arg;
    size_t first = 0;
    size_t end = 0;
    dof_range(w, block, &first, &end);
    double bb = 0.0;
    for (size_t i = first; i < end; ++i) {
        const bool held = is_fixed(w, i);
        w->z[i] = held ? 0.0 : w->x[i];
        bb += held ? 0.0 : w->b[i] * w->b[i];
    }
    w->part[block][0] = bb;
    w->part[block][1] = 0.0;
    return BRN_OK;
}

/* z = M^-1 r over one block of nodes; returns r.z. */
static double precondition(pcg *w, int block)
{
    const int s = w->a->size;
    double rz = 0.0;
    for (int i = block * NODES; i < brn_block_end(w->a->n, NODES, block); ++i) {
        const double *m = w->inverse + (size_t)i * (size_t)(s * s);
        const double *r = w->r + (size_t)i * (size_t)s;
        double *z = w->z + (size_t)i * (size_t)s;
        for (int a = 0; a < s; ++a) {
            double sum = 0.0;
            for (int c = 0; c < s; ++c) {
                sum += m[a * s + c] * r[c];
            }
            z[a] = sum;
            rz += sum * r[a];
        }
    }
    return rz;
}

/* r = b - q at free dofs, z = M^-1 r; sums r.z and r.r. */
static brn_status residual_true(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    pcg *w = arg;
    size_t first = 0;
    size_t end = 0;
    dof_range(w, block, &first, &end);
    double rr = 0.0;
    for (size_t i = first; i < end; ++i) {
        w->r[i] = is_fixed(w, i) ? 0.0 : w->b[i] - w->q[i];
        rr += w->r[i] * w->r[i];
    }
    w->part[block][0] = precondition(w, block);
    w->part[block][1] = rr;
    return BRN_OK;
}

/* Zeroes q at fixed dofs; sums p.q and p.p. */
static brn_status curvature(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    pcg *w = arg;
    size_t first = 0;
    size_t end = 0;
    dof_range(w, block, &first, &end);
    double pq = 0.0;
    double pp = 0.0;
    for (size_t i = first; i < end; ++i) {
        w->q[i] = is_fixed(w, i) ? 0.0 : w->q[i];
        pq += w->p[i] * w->q[i];
        pp += w->p[i] * w->p[i];
    }
    w->part[block][0] = pq;
    w->part[block][1] = pp;
    return BRN_OK;
}

/* x += alpha p, r -= alpha q, z = M^-1 r; sums r.z and r.r. p and q are 0 at fixed dofs. */
static brn_status advance(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    pcg *w = arg;
    size_t first = 0;
    size_t end = 0;
    dof_range(w, block, &first, &end);
    double rr = 0.0;
    for (size_t i = first; i < end; ++i) {
        w->x[i] += w->alpha * w->p[i];
        w->r[i] -= w->alpha * w->q[i];
        rr += w->r[i] * w->r[i];
    }
    w->part[block][0] = precondition(w, block);
    w->part[block][1] = rr;
    return BRN_OK;
}

/* p = z + beta p */
static brn_status turn(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    pcg *w = arg;
    size_t first = 0;
    size_t end = 0;
    dof_range(w, block, &first, &end);
    for (size_t i = first; i < end; ++i) {
        w->p[i] = w->z[i] + w->beta * w->p[i];
    }
    w->part[block][0] = 0.0;
    w->part[block][1] = 0.0;
    return BRN_OK;
}

/* The residual of x computed afresh: sums as in residual_true, *bb = |b|^2. */
static brn_status refresh(pcg *w, double sums[2], double *bb)
{
    BRN_TRY(pass(w, mask_x, sums));
    *bb = sums[0];
    BRN_TRY(brn_block_matrix_multiply(w->a, w->z, w->q));
    return pass(w, residual_true, sums);
}

static brn_status workspace(pcg *w)
{
    brn_arena *arena = brn_ctx_arena(w->ctx);
    const size_t ndof = (size_t)w->a->n * (size_t)w->a->size;
    w->nparts = brn_block_count(w->a->n, NODES);
    BRN_TAKE(arena, w->r, ndof);
    BRN_TAKE(arena, w->z, ndof);
    BRN_TAKE(arena, w->p, ndof);
    BRN_TAKE(arena, w->q, ndof);
    BRN_TAKE(arena, w->inverse, ndof * (size_t)w->a->size);
    BRN_TAKE(arena, w->part, w->nparts);
    BRN_TRY(brn_parallel_for(w->ctx, w->nparts, invert_diagonal, w));
    for (int i = 0; i < w->nparts; ++i) {
        if (w->part[i][0] > 0.0) {
            return brn_fail(w->ctx, BRN_ERR_SINGULAR, "diagonal block %.0f is not positive definite",
                            w->part[i][0] - 1.0);
        }
    }
    return BRN_OK;
}

/* One run of the recurrence from the residual in r, z until it claims `target` (|r|^2) or the cap. */
static brn_status run(pcg *w, double rz, double target, int cap, int *iterations)
{
    double sums[2] = {rz, 0.0};
    w->beta = 0.0;
    memset(w->p, 0, (size_t)w->a->n * (size_t)w->a->size * sizeof *w->p);
    while (*iterations < cap) {
        double unused[2];
        BRN_TRY(brn_ctx_check(w->ctx));
        BRN_TRY(pass(w, turn, unused));
        BRN_TRY(brn_block_matrix_multiply(w->a, w->p, w->q));
        double pq[2];
        BRN_TRY(pass(w, curvature, pq));
        if (!isfinite(pq[0]) || !isfinite(pq[1])) {
            return brn_fail(w->ctx, BRN_ERR_NOT_FINITE, "conjugate gradients: not finite after %d iterations",
                            *iterations);
        }
        if (!(pq[0] > 0.0)) {
            return brn_fail(
                w->ctx, BRN_ERR_SINGULAR,
                "conjugate gradients: curvature %g in iteration %d, the matrix is not positive definite",
                pq[0] / pq[1], *iterations);
        }
        w->alpha = rz / pq[0];
        BRN_TRY(pass(w, advance, sums));
        ++*iterations;
        if (!(sums[1] > target) || !(sums[0] > 0.0)) {
            break;
        }
        w->beta = sums[0] / rz;
        rz = sums[0];
    }
    return BRN_OK;
}

static brn_status solve(pcg *w, double tolerance, int cap, brn_pcg_result *result)
{
    BRN_TRY(workspace(w));
    double sums[2];
    double bb = 0.0;
    BRN_TRY(refresh(w, sums, &bb));
    if (!isfinite(bb) || !isfinite(sums[1])) {
        return brn_fail(w->ctx, BRN_ERR_NOT_FINITE, "conjugate gradients: the system is not finite");
    }
    /* b = 0: the solution is 0, no relative residual exists. */
    if (bb == 0.0) {
        for (size_t i = 0; i < (size_t)w->a->n * (size_t)w->a->size; ++i) {
            w->x[i] = is_fixed(w, i) ? w->x[i] : 0.0;
        }
        return BRN_OK;
    }
    double last = INFINITY;
    for (;;) {
        const double now = sqrt(sums[1] / bb);
        result->residual = now;
        if (now <= tolerance) {
            return BRN_OK;
        }
        if (result->iterations >= cap) {
            return brn_fail(w->ctx, BRN_ERR_CONVERGENCE,
                            "conjugate gradients: residual %.3g after %d iterations", now,
                            result->iterations);
        }
        /* A run that claims success but hardly improves the true residual has reached the limit of rounding. */
        if (!(now < 0.5 * last) || !(sums[0] > 0.0)) {
            return brn_fail(w->ctx, BRN_ERR_CONVERGENCE,
                            "conjugate gradients: rounding holds the residual at %.3g (wanted %.3g)", now,
                            tolerance);
        }
        last = now;
        /* A run gains at most 12 digits: beyond that its recurrence says nothing about the true residual. */
        const double target = fmax(tolerance * tolerance * bb, 1e-24 * sums[1]);
        const brn_status status = run(w, sums[0], target, cap, &result->iterations);
        double ignored = 0.0;
        BRN_TRY(refresh(w, sums, &ignored));
        result->residual = sqrt(sums[1] / bb);
        BRN_TRY(status);
    }
}

brn_status brn_pcg_solve(brn_ctx *ctx, const brn_block_matrix *a, const unsigned char *fixed, const double *b,
                         double tolerance, int cap, double *x, brn_pcg_result *result)
{
    brn_pcg_result unused;
    brn_pcg_result *report = result != NULL ? result : &unused;
    *report = (brn_pcg_result){0, 0.0};
    if (!(tolerance >= 0.0)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "conjugate gradients: tolerance %g", tolerance);
    }
    pcg w = {.ctx = ctx, .a = a, .fixed = fixed, .b = b, .x = x};
    const brn_arena_mark mark = brn_arena_now(brn_ctx_arena(ctx));
    const brn_status status = solve(&w, tolerance, cap, report);
    brn_arena_rewind(brn_ctx_arena(ctx), mark);
    return status;
}
