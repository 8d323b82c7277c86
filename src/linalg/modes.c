/* Block Lanczos with full orthogonalisation and thick restart [Wu & Simon 2000; Grimes, Lewis & Simon 1994] for
   B = (K + s M)^-1 M, which is self-adjoint in the M inner product and whose largest eigenvalues theta = 1/(lambda + s)
   belong to the lowest modes. With V the M-orthonormal basis, B V = V T + V_next R E', and T is computed entry by
   entry as V' M B V, so a restart needs no special treatment of its coupling row.

   A Krylov space of block size b sees at most b copies of a repeated eigenvalue. After convergence the search therefore
   starts again from random directions, M-orthogonal to what was found, until that finds nothing new. */
#include "linalg/modes.h"

#include "base/arena.h"
#include "base/rng.h"
#include "linalg/blas.h"
#include "linalg/factor.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 8, CYCLES_MAX = 400, ROTATE_ROWS = 256 };

#define SHIFT 1e-8 /* relative to the mean eigenvalue */

typedef struct lanczos {
    brn_ctx *ctx;
    const brn_block_matrix *k, *m;
    const unsigned char *fixed;
    int ndof, nfree, count;
    double tolerance, shift;
    brn_block_matrix *shifted;
    brn_factor *factor;
    int cap;       /* columns of the basis before a restart */
    int used;      /* columns whose image is in t; the next block follows them in v */
    double *v;     /* [cap + BLOCK][ndof] */
    double *w;     /* [BLOCK][ndof] */
    double *mw;    /* [BLOCK][ndof] */
    double *t;     /* [cap][cap] */
    double *y;     /* [cap][cap], Ritz vectors, column by column, ascending theta */
    double *theta; /* [cap] */
    double *c;     /* [BLOCK][cap + BLOCK], coefficients of a block */
    double *pass;  /* the same, of one pass */
    double *turn;  /* [cap][ROTATE_ROWS] */
    double *work;  /* of LAPACK */
    int lwork;
    double r[BLOCK * BLOCK]; /* remainder of the last block in the basis of the next, column by column */
    brn_rng rng;
} lanczos;

static void gemm(bool transpose, int m, int n, int k, double alpha, const double *a, int lda, const double *b,
                 int ldb, double beta, double *c, int ldc)
{
    if (m > 0 && n > 0 && k > 0) {
        dgemm_(transpose ? "T" : "N", "N", &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
    }
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static double *column(const lanczos *z, int j)
{
    return z->v + (size_t)j * (size_t)z->ndof;
}

/* y = A x on the free dofs, for some columns. */
static brn_status apply(const lanczos *z, const brn_block_matrix *a, int columns, const double *x, double *y)
{
    BRN_TRY(brn_ctx_check(z->ctx)); /* every block comes by here */
    for (int j = 0; j < columns; ++j) {
        double *to = y + (size_t)j * (size_t)z->ndof;
        BRN_TRY(brn_block_matrix_multiply(a, x + (size_t)j * (size_t)z->ndof, to));
        for (int i = 0; z->fixed != NULL && i < z->ndof; ++i) {
            to[i] = z->fixed[i] != 0 ? 0.0 : to[i];
        }
    }
    return BRN_OK;
}

static void draw(lanczos *z, double *x)
{
    for (int i = 0; i < z->ndof; ++i) {
        const double value = brn_rng_uniform(&z->rng, -1.0, 1.0);
        x[i] = z->fixed != NULL && z->fixed[i] != 0 ? 0.0 : value;
    }
}

/* ---- orthogonalisation ------------------------------------------------------------------------------------------- */

/* Makes columns of x M-orthogonal to the first `have` basis vectors: classical Gram-Schmidt, twice [Giraud, Langou &
   Rozloznik 2005]. coefficients [columns][have] receive what was removed. */
static brn_status orthogonalise(lanczos *z, int have, int columns, double *x, double *coefficients)
{
    memset(coefficients, 0, (size_t)have * (size_t)columns * sizeof *coefficients);
    for (int pass = 0; pass < 2; ++pass) {
        BRN_TRY(apply(z, z->m, columns, x, z->mw));
        gemm(true, have, columns, z->ndof, 1.0, z->v, z->ndof, z->mw, z->ndof, 0.0, z->pass, have);
        gemm(false, z->ndof, columns, have, -1.0, z->v, z->ndof, z->pass, have, 1.0, x, z->ndof);
        for (int i = 0; i < have * columns; ++i) {
            coefficients[i] += z->pass[i];
        }
    }
    return BRN_OK;
}

/* M-orthonormalises the block in w, already orthogonal to the first `have` vectors, into the columns behind them; r
   receives the triangular factor. A column of which nothing is left (below 1e-12 of scale[j]) is replaced by a random
   one with zero coefficients, so the basis goes on growing when the Krylov space is exhausted. */
static brn_status block_normalise(lanczos *z, int have, const double scale[BLOCK])
{
    memset(z->r, 0, sizeof z->r);
    for (int j = 0; j < BLOCK; ++j) {
        double *x = column(z, have + j);
        memcpy(x, z->w + (size_t)j * (size_t)z->ndof, (size_t)z->ndof * sizeof *x);
        bool replaced = false;
        for (int attempt = 0;; ++attempt) {
            /* Against the earlier columns of the block, twice. */
            for (int pass = 0; pass < 2; ++pass) {
                BRN_TRY(apply(z, z->m, 1, x, z->mw));
                for (int i = 0; i < j; ++i) {
                    const double c = dot(z->ndof, column(z, have + i), z->mw);
                    z->r[j * BLOCK + i] += replaced ? 0.0 : c;
                    const double *v = column(z, have + i);
                    for (int d = 0; d < z->ndof; ++d) {
                        x[d] -= c * v[d];
                    }
                }
            }
            BRN_TRY(apply(z, z->m, 1, x, z->mw));
            const double norm = sqrt(fmax(dot(z->ndof, x, z->mw), 0.0));
            if (norm > (replaced ? 0.0 : 1e-12 * scale[j])) {
                z->r[j * BLOCK + j] = replaced ? 0.0 : norm;
                for (int i = 0; i < z->ndof; ++i) {
                    x[i] /= norm;
                }
                break;
            }
            if (attempt == 3) {
                return brn_fail(z->ctx, BRN_ERR_SINGULAR, "modes: the mass matrix is not positive definite");
            }
            replaced = true;
            draw(z, x);
            BRN_TRY(orthogonalise(z, have, 1, x, z->c + (size_t)BLOCK * (size_t)(z->cap + BLOCK)));
        }
    }
    return BRN_OK;
}

/* A random block behind the first `have` vectors. */
static brn_status block_draw(lanczos *z, int have)
{
    double scale[BLOCK] = {0.0};
    for (int j = 0; j < BLOCK; ++j) {
        draw(z, z->w + (size_t)j * (size_t)z->ndof);
    }
    BRN_TRY(orthogonalise(z, have, BLOCK, z->w, z->c));
    return block_normalise(z, have, scale);
}

/* ---- Lanczos ------------------------------------------------------------------------------------------------------ */

/* Takes the next block into the basis: w = B v_next, its coefficients into t, the remainder becomes the next block. */
static brn_status expand(lanczos *z)
{
    const int have = z->used + BLOCK;
    BRN_TRY(apply(z, z->m, BLOCK, column(z, z->used), z->mw));
    BRN_TRY(brn_factor_solve_many(z->factor, BLOCK, z->mw, z->w));
    BRN_TRY(orthogonalise(z, have, BLOCK, z->w, z->c));
    double scale[BLOCK];
    for (int j = 0; j < BLOCK; ++j) {
        const double *c = z->c + (size_t)j * (size_t)have;
        scale[j] = sqrt(dot(have, c, c));
        const size_t at = (size_t)(z->used + j);
        for (int i = 0; i < z->used; ++i) {
            z->t[at * (size_t)z->cap + (size_t)i] = c[i];
            z->t[(size_t)i * (size_t)z->cap + at] = c[i];
        }
        for (int i = 0; i < BLOCK; ++i) {
            const double mirrored = z->c[(size_t)i * (size_t)have + (size_t)(z->used + j)];
            z->t[at * (size_t)z->cap + (size_t)(z->used + i)] = 0.5 * (c[z->used + i] + mirrored);
        }
    }
    BRN_TRY(block_normalise(z, have, scale));
    z->used = have;
    return BRN_OK;
}

static brn_status ritz(lanczos *z)
{
    for (int j = 0; j < z->used; ++j) {
        memcpy(z->y + (size_t)j * (size_t)z->used, z->t + (size_t)j * (size_t)z->cap,
               (size_t)z->used * sizeof *z->y);
    }
    int info = 0;
    dsyev_("V", "U", &z->used, z->y, &z->used, z->theta, z->work, &z->lwork, &info);
    if (info != 0 || !(z->theta[z->used - 1] > 0.0) || !isfinite(z->theta[z->used - 1])) {
        return brn_fail(z->ctx, BRN_ERR_NOT_FINITE,
                        "modes: the projected problem has no positive eigenvalue");
    }
    return BRN_OK;
}

/* theta of the rank-th largest Ritz value, and its residual |B x - theta x|_M relative to it. */
static double ritz_value(const lanczos *z, int rank)
{
    return z->theta[z->used - 1 - rank];
}

static double ritz_residual(const lanczos *z, int rank)
{
    const double *y = z->y + (size_t)(z->used - 1 - rank) * (size_t)z->used + (z->used - BLOCK);
    double sum = 0.0;
    for (int i = 0; i < BLOCK; ++i) {
        double e = 0.0;
        for (int j = i; j < BLOCK; ++j) {
            e += z->r[j * BLOCK + i] * y[j];
        }
        sum += e * e;
    }
    return sqrt(sum) / fabs(ritz_value(z, rank));
}

/* The first `keep` basis vectors become the best Ritz vectors, largest theta first. */
static void rotate_basis(lanczos *z, int keep)
{
    /* dsyev's order is ascending; turn the wanted columns round. */
    for (int a = 0, b = z->used - 1; a < b; ++a, --b) {
        for (int i = 0; i < z->used; ++i) {
            const double x = z->y[(size_t)a * (size_t)z->used + (size_t)i];
            z->y[(size_t)a * (size_t)z->used + (size_t)i] = z->y[(size_t)b * (size_t)z->used + (size_t)i];
            z->y[(size_t)b * (size_t)z->used + (size_t)i] = x;
        }
        const double x = z->theta[a];
        z->theta[a] = z->theta[b];
        z->theta[b] = x;
    }
    for (int first = 0; first < z->ndof; first += ROTATE_ROWS) {
        const int rows = z->ndof - first < ROTATE_ROWS ? z->ndof - first : ROTATE_ROWS;
        gemm(false, rows, keep, z->used, 1.0, z->v + first, z->ndof, z->y, z->used, 0.0, z->turn,
             ROTATE_ROWS);
        for (int j = 0; j < keep; ++j) {
            memcpy(column(z, j) + first, z->turn + (size_t)j * ROTATE_ROWS, (size_t)rows * sizeof(double));
        }
    }
}

/* Shrinks the basis to its best vectors, followed by the next Lanczos block or by a random one. */
static brn_status restart(lanczos *z, int keep, bool random)
{
    const int next = z->used;
    rotate_basis(z, keep);
    memset(z->t, 0, (size_t)z->cap * (size_t)z->cap * sizeof *z->t);
    for (int j = 0; j < keep; ++j) {
        z->t[(size_t)j * (size_t)z->cap + (size_t)j] = z->theta[j];
    }
    z->used = keep;
    if (random) {
        return block_draw(z, keep);
    }
    memmove(column(z, keep), column(z, next), (size_t)BLOCK * (size_t)z->ndof * sizeof(double));
    return BRN_OK;
}

/* Runs until the wanted Ritz vectors have converged and, if confirmed is given, a search from random directions confirmed them. */
static brn_status iterate(lanczos *z, double tolerance, double *confirmed)
{
    /* The next value need only be known well enough to lie below the last wanted one. */
    const double tolerance_next = 1e-3;
    bool checking = false;
    BRN_TRY(block_draw(z, 0));
    for (int cycle = 0; cycle < CYCLES_MAX; ++cycle) {
        while (z->used + BLOCK <= z->cap) {
            BRN_TRY(expand(z));
        }
        BRN_TRY(ritz(z));
        bool converged = true;
        bool same = checking;
        for (int i = 0; i < z->count; ++i) {
            const double theta = ritz_value(z, i);
            converged = converged && ritz_residual(z, i) <= tolerance;
            same = same && fabs(theta - confirmed[i]) <= 1e-8 * theta;
        }
        if (converged && confirmed == NULL) {
            return BRN_OK;
        }
        if (converged && same && ritz_residual(z, z->count) <= tolerance_next) {
            rotate_basis(z, z->count);
            return BRN_OK;
        }
        if (converged && !same) {
            for (int i = 0; i < z->count; ++i) {
                confirmed[i] = ritz_value(z, i);
            }
            checking = true;
            BRN_TRY(restart(z, z->count, true));
        } else {
            BRN_TRY(restart(z, z->count + BLOCK, false));
        }
    }
    return brn_fail(z->ctx, BRN_ERR_CONVERGENCE, "modes: %d modes not found to %g in %d restarts", z->count,
                    tolerance, CYCLES_MAX);
}

/* ---- set-up --------------------------------------------------------------------------------------------------------- */

static double trace(const brn_block_matrix *a, const unsigned char *fixed)
{
    double sum = 0.0;
    const int s = a->size;
    for (int i = 0; i < a->n; ++i) {
        for (int c = 0; c < s; ++c) {
            const bool held = fixed != NULL && fixed[(size_t)i * (size_t)s + (size_t)c] != 0;
            sum += held ? 0.0 : a->value[(size_t)a->start[i] * (size_t)(s * s) + (size_t)(c * s + c)];
        }
    }
    return sum;
}

/* Factors K + s M. The mean eigenvalue tr K / tr M sets the scale; a factor 1e-8 below it the shift lies under the
   elastic modes of all but the most slender bodies, and so far above rounding that rigid modes (theta = 1/s) do not
   drown the others' digits. */
static brn_status factor_shifted(lanczos *z)
{
    const double k = trace(z->k, z->fixed);
    const double m = trace(z->m, z->fixed);
    if (!(m > 0.0) || !isfinite(m) || !(k >= 0.0) || !isfinite(k)) {
        return brn_fail(z->ctx, BRN_ERR_SINGULAR, "modes: stiffness of trace %g, mass of trace %g", k, m);
    }
    z->shift = k > 0.0 ? SHIFT * (k / m) : 1.0;
    BRN_TRY(brn_block_matrix_copy(z->k, &z->shifted));
    BRN_TRY(brn_block_matrix_add(z->shifted, z->shift, z->m));
    BRN_TRY(brn_factor_create(z->ctx, z->shifted, z->fixed, &z->factor));
    brn_status status = brn_factor_numeric(z->factor, z->shifted, z->fixed);
    /* Rounding in a badly scaled K can outweigh the shift. */
    for (int attempt = 0; status == BRN_ERR_SINGULAR && attempt < 3; ++attempt) {
        BRN_TRY(brn_block_matrix_add(z->shifted, 99.0 * z->shift, z->m));
        z->shift *= 100.0;
        status = brn_factor_numeric(z->factor, z->shifted, z->fixed);
    }
    return status;
}

static brn_status workspace(lanczos *z)
{
    const size_t n = (size_t)z->ndof;
    const size_t cap = (size_t)z->cap;
    BRN_ALLOC(z->ctx, z->v, (cap + BLOCK) * n);
    BRN_ALLOC(z->ctx, z->w, BLOCK * n);
    BRN_ALLOC(z->ctx, z->mw, BLOCK * n);
    BRN_ALLOC(z->ctx, z->t, cap * cap);
    BRN_ALLOC(z->ctx, z->y, cap * cap);
    BRN_ALLOC(z->ctx, z->theta, cap);
    BRN_ALLOC(z->ctx, z->c, (BLOCK + 1) * (cap + BLOCK)); /* one more column for replaced vectors */
    BRN_ALLOC(z->ctx, z->pass, BLOCK * (cap + BLOCK));
    BRN_ALLOC(z->ctx, z->turn, cap * ROTATE_ROWS);
    z->lwork = 66 * z->cap;
    BRN_ALLOC(z->ctx, z->work, z->lwork);
    return BRN_OK;
}

/* One more step of inverse iteration takes the stiff components out of the vectors, which a small residual of B hides;
   then Rayleigh-Ritz with K itself, for 1/theta - s would lose the digits of lambda << s. */
static brn_status refine(lanczos *z, brn_modes *out)
{
    const int n = z->ndof;
    const int count = z->count;
    const size_t order = (size_t)count;
    double *stiffness = z->y;
    double *mass = z->t;
    for (int first = 0; first < count; first += BLOCK) {
        const int columns = count - first < BLOCK ? count - first : BLOCK;
        BRN_TRY(apply(z, z->m, columns, column(z, first), z->mw));
        BRN_TRY(brn_factor_solve_many(z->factor, columns, z->mw, column(z, first)));
        for (int j = first; j < first + columns; ++j) {
            for (int i = 0; i < n; ++i) {
                column(z, j)[i] /= z->theta[j];
            }
        }
    }
    for (int first = 0; first < count; first += BLOCK) {
        const int columns = count - first < BLOCK ? count - first : BLOCK;
        BRN_TRY(apply(z, z->k, columns, column(z, first), z->w));
        BRN_TRY(apply(z, z->m, columns, column(z, first), z->mw));
        gemm(true, count, columns, n, 1.0, z->v, n, z->w, n, 0.0, stiffness + (size_t)first * order, count);
        gemm(true, count, columns, n, 1.0, z->v, n, z->mw, n, 0.0, mass + (size_t)first * order, count);
    }
    const int one = 1;
    int info = 0;
    dsygv_(&one, "V", "U", &count, stiffness, &count, mass, &count, out->lambda, z->work, &z->lwork, &info);
    if (info != 0) {
        return brn_fail(z->ctx, BRN_ERR_NOT_FINITE,
                        "modes: LAPACK's dsygv failed on the projected problem (%d)", info);
    }
    gemm(false, n, count, count, 1.0, z->v, n, stiffness, count, 0.0, out->shape, n);
    return BRN_OK;
}

/* Where the shift lies far below the elastic modes, theta of rigid modes is so much larger that its rounding is what limits the others.
   A rough look says where they begin: the shift moves up to half of that. */
static brn_status raise_shift(lanczos *z)
{
    const double rough = 1e-3;
    const double far = 1e3;
    BRN_TRY(iterate(z, rough, NULL));
    double first = 0.0;
    for (int i = 0; i < z->count && first == 0.0; ++i) {
        const double lambda = 1.0 / ritz_value(z, i) - z->shift;
        first = lambda > z->shift ? lambda : 0.0;
    }
    const double shift = 0.5 * first;
    if (shift > far * z->shift) {
        BRN_TRY(brn_block_matrix_add(z->shifted, shift - z->shift, z->m));
        BRN_TRY(brn_factor_numeric(z->factor, z->shifted, z->fixed));
        z->shift = shift;
    }
    z->used = 0;
    memset(z->t, 0, (size_t)z->cap * (size_t)z->cap * sizeof *z->t);
    return BRN_OK;
}

static brn_status find_sparse(lanczos *z, brn_modes *out)
{
    BRN_TRY(factor_shifted(z));
    BRN_TRY(workspace(z));
    BRN_TRY(raise_shift(z));
    BRN_TRY(iterate(z, z->tolerance, out->lambda));
    return refine(z, out);
}

/* ---- small problems ---------------------------------------------------------------------------------------------------- */

/* Dense copy of the free part, [nfree][nfree]; place gives a dof's number among the free ones, -1 if fixed. */
static void densify(const brn_block_matrix *a, const int *place, int nfree, double *dense)
{
    const int s = a->size;
    for (int i = 0; i < a->n; ++i) {
        for (int k = a->start[i]; k < a->start[i + 1]; ++k) {
            for (int r = 0; r < s; ++r) {
                for (int c = 0; c < s; ++c) {
                    const int p = place[(size_t)i * (size_t)s + (size_t)r];
                    const int q = place[(size_t)a->column[k] * (size_t)s + (size_t)c];
                    if (p >= 0 && q >= 0) {
                        const double value = a->value[(size_t)k * (size_t)(s * s) + (size_t)(r * s + c)];
                        dense[(size_t)p * (size_t)nfree + (size_t)q] = value;
                        dense[(size_t)q * (size_t)nfree + (size_t)p] = value;
                    }
                }
            }
        }
    }
}

/* All modes by LAPACK, when a Krylov basis would fill the whole space anyway. */
static brn_status find_dense(lanczos *z, brn_modes *out)
{
    const size_t n = (size_t)z->nfree;
    BRN_ALLOC(z->ctx, z->v, n * n);
    BRN_ALLOC(z->ctx, z->w, n * n);
    BRN_ALLOC(z->ctx, z->theta, n);
    z->lwork = 66 * z->nfree;
    BRN_ALLOC(z->ctx, z->work, z->lwork);
    int *place = NULL;
    BRN_TAKE(brn_ctx_arena(z->ctx), place, z->ndof);
    int next = 0;
    for (int i = 0; i < z->ndof; ++i) {
        place[i] = z->fixed != NULL && z->fixed[i] != 0 ? -1 : next++;
    }
    densify(z->k, place, z->nfree, z->v);
    densify(z->m, place, z->nfree, z->w);
    const int one = 1;
    int info = 0;
    dsygv_(&one, "V", "U", &z->nfree, z->v, &z->nfree, z->w, &z->nfree, z->theta, z->work, &z->lwork, &info);
    if (info > z->nfree) {
        return brn_fail(z->ctx, BRN_ERR_SINGULAR, "modes: the mass matrix is not positive definite");
    }
    if (info != 0) {
        return brn_fail(z->ctx, BRN_ERR_NOT_FINITE, "modes: LAPACK's dsygv failed (%d)", info);
    }
    memcpy(out->lambda, z->theta, (size_t)z->count * sizeof *out->lambda);
    for (int j = 0; j < z->count; ++j) {
        for (int i = 0; i < z->ndof; ++i) {
            out->shape[(size_t)j * (size_t)z->ndof + (size_t)i] =
                place[i] < 0 ? 0.0 : z->v[(size_t)j * n + (size_t)place[i]];
        }
    }
    const double k = trace(z->k, z->fixed);
    z->shift = SHIFT * (k / trace(z->m, z->fixed));
    return BRN_OK;
}

/* ---- results ------------------------------------------------------------------------------------------------------------ */

/* Signs, and the residuals of the modes above the shift. */
static brn_status finish(lanczos *z, brn_modes *out)
{
    double *kx = NULL;
    double *mx = NULL;
    BRN_TAKE(brn_ctx_arena(z->ctx), kx, z->ndof);
    BRN_TAKE(brn_ctx_arena(z->ctx), mx, z->ndof);
    out->shift = z->shift;
    for (int j = 0; j < z->count; ++j) {
        double *x = out->shape + (size_t)j * (size_t)z->ndof;
        int largest = 0;
        for (int i = 1; i < z->ndof; ++i) {
            largest = fabs(x[i]) > fabs(x[largest]) ? i : largest;
        }
        const double sign = x[largest] < 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < z->ndof; ++i) {
            x[i] *= sign;
        }
        BRN_TRY(apply(z, z->k, 1, x, kx));
        BRN_TRY(apply(z, z->m, 1, x, mx));
        double norm_k = 0.0;
        double norm_m = 0.0;
        double off = 0.0;
        for (int i = 0; i < z->ndof; ++i) {
            const double lmx = out->lambda[j] * mx[i];
            norm_k += kx[i] * kx[i];
            norm_m += lmx * lmx;
            off += (kx[i] - lmx) * (kx[i] - lmx);
        }
        if (out->lambda[j] > z->shift) {
            out->residual_max = fmax(out->residual_max, sqrt(off) / (sqrt(norm_k) + sqrt(norm_m)));
        }
    }
    return BRN_OK;
}

static brn_status find(lanczos *z, brn_modes *out)
{
    BRN_ALLOC(z->ctx, out->lambda, z->count);
    BRN_ALLOC(z->ctx, out->shape, (size_t)z->count * (size_t)z->ndof);
    /* Room for the wanted vectors, the kept extra block and at least four more, twice the wanted ones for many. */
    const int extra = z->count > 5 * BLOCK ? z->count : 5 * BLOCK;
    z->cap = (z->count + extra + 2 * BLOCK - 1) / BLOCK * BLOCK;
    if (z->nfree < z->cap + 4 * BLOCK) {
        BRN_TRY(find_dense(z, out));
    } else {
        BRN_TRY(find_sparse(z, out));
    }
    return finish(z, out);
}

static void lanczos_free(lanczos *z)
{
    brn_factor_destroy(z->factor);
    brn_block_matrix_destroy(z->shifted);
    double *arrays[] = {z->v, z->w, z->mw, z->t, z->y, z->theta, z->c, z->pass, z->turn, z->work};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        brn_free(z->ctx, arrays[i]);
    }
}

brn_status brn_modes_find(brn_ctx *ctx, const brn_block_matrix *k, const brn_block_matrix *m,
                          const unsigned char *fixed, int count, double tolerance, brn_modes **out)
{
    *out = NULL;
    if (k->n != m->n || k->size != m->size) {
        return brn_fail(ctx, BRN_ERR_RANGE, "modes: stiffness of %d and mass of %d rows", k->n, m->n);
    }
    lanczos z = {.ctx = ctx, .k = k, .m = m, .fixed = fixed, .count = count, .rng = {2718281828u}};
    z.ndof = k->n * k->size;
    for (int i = 0; i < z.ndof; ++i) {
        z.nfree += fixed == NULL || fixed[i] == 0;
    }
    if (count < 1 || count > z.nfree) {
        return brn_fail(ctx, BRN_ERR_RANGE, "modes: %d of %d free dofs", count, z.nfree);
    }
    if (!(tolerance > 0.0)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "modes: tolerance %g must be > 0", tolerance);
    }
    /* Rounding in the solves leaves residuals of this order. */
    z.tolerance = fmax(tolerance, 1e-13);
    BRN_TRY(brn_blas_reserve(ctx));
    brn_modes *modes = NULL;
    BRN_ALLOC(ctx, modes, 1);
    modes->ctx = ctx;
    modes->count = count;
    modes->ndof = z.ndof;
    const brn_arena_mark mark = brn_arena_now(brn_ctx_arena(ctx));
    const brn_blas_threads threads = brn_blas_begin();
    const brn_status status = find(&z, modes);
    brn_blas_end(threads);
    brn_arena_rewind(brn_ctx_arena(ctx), mark);
    lanczos_free(&z);
    if (status < 0) {
        brn_modes_destroy(modes);
        return status;
    }
    *out = modes;
    return BRN_OK;
}

void brn_modes_destroy(brn_modes *modes)
{
    if (modes == NULL) {
        return;
    }
    brn_free(modes->ctx, modes->lambda);
    brn_free(modes->ctx, modes->shape);
    brn_free(modes->ctx, modes);
}
