/* Problems from text: numbers between blanks, in the order

       dim, contacts, kind of W;  W;  q [contacts][dim];  mu [contacts] (inf is a number here);  optionally 0, or 1 and perhaps r and u

   Kind 0 is dense: rows, columns, both once more, then the entries column by column. Kind 1 is sparse: rows, columns, blocks, rows and
   columns of blocks, where each block row ends, where each block column ends, lengths of the two lists that follow: where the blocks of a row begin, and
   columns of the blocks; then each block as its number and its entries column by column. */
#include "cone/cone.h"

#include "base/os.h"
#include "base/scanner.h"

#include <limits.h>
#include <math.h>
#include <string.h>

struct brn_cone_file {
    brn_ctx *ctx;
    brn_cone_problem problem;
    /* the problem's arrays, and a solution or NULL */
    int *first, *column;
    double *w, *q, *mu;
    double *r, *u;
};

static const size_t BYTES_MAX = (size_t)4 << 30;

/* Numbers that can still follow: each takes a digit and a blank. Nothing larger is allocated, whatever counts say. */
static int64_t left(const brn_scan *scan)
{
    const int64_t most = ((int64_t)(scan->end - scan->at) + 1) / 2;
    return most < INT_MAX ? most : INT_MAX;
}

/* A number that is known already. */
static brn_status expect_int(brn_scan *scan, const char *what, int64_t value)
{
    int64_t found = 0;
    BRN_TRY(brn_scan_int(scan, what, 0, INT_MAX, &found));
    return found == value
               ? BRN_OK
               : brn_scan_fail(scan, "%s is %lld: must be %lld", what, (long long)found, (long long)value);
}

static brn_status read_reals(brn_scan *scan, const char *what, double *out, size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        BRN_TRY(brn_scan_real(scan, what, &out[k]));
    }
    return BRN_OK;
}

static brn_status too_short(brn_scan *scan, const char *what, int64_t count)
{
    scan->mark = scan->at;
    return brn_scan_fail(scan, "the file is too short for %lld %s", (long long)count, what);
}

/* ---- W -------------------------------------------------------------------------------------------------------------------- */

/* Blocks of zeros off the diagonal are left out. */
static brn_status pack_dense(brn_cone_file *f, const double *dense)
{
    const int n = f->problem.contacts;
    const int dim = f->problem.dim;
    const size_t rows = (size_t)n * (size_t)dim;
    int count = 0;
    for (int i = 0; i < n; ++i) {
        f->first[i] = count;
        for (int j = 0; j < n; ++j) {
            double *to = f->w + (size_t)count * (size_t)(dim * dim);
            bool any = i == j;
            for (int d = 0; d < dim; ++d) {
                for (int c = 0; c < dim; ++c) {
                    to[dim * d + c] = dense[(size_t)(j * dim + c) * rows + (size_t)(i * dim + d)];
                    any = any || to[dim * d + c] != 0.0;
                }
            }
            f->column[count] = j;
            count += any;
        }
    }
    f->first[n] = count;
    return BRN_OK;
}

static brn_status read_dense(brn_cone_file *f, brn_scan *scan)
{
    const int64_t rows = (int64_t)f->problem.contacts * f->problem.dim;
    for (int k = 0; k < 4; ++k) {
        BRN_TRY(
            expect_int(scan, k % 2 == 0 ? "the number of rows of W" : "the number of columns of W", rows));
    }
    if (rows > left(scan) / rows) {
        return too_short(scan, "entries of W", rows * rows);
    }
    const size_t blocks = (size_t)f->problem.contacts * (size_t)f->problem.contacts;
    double *dense = NULL;
    BRN_ALLOC(f->ctx, f->column, blocks);
    BRN_ALLOC(f->ctx, f->w, rows * rows);
    BRN_ALLOC(f->ctx, dense, rows * rows);
    brn_status status = read_reals(scan, "an entry of W", dense, (size_t)(rows * rows));
    if (status >= 0) {
        status = pack_dense(f, dense);
    }
    brn_free(f->ctx, dense);
    return status;
}

/* Sizes and the two lists of a sparse W. */
static brn_status read_pattern(brn_cone_file *f, brn_scan *scan, int64_t *blocks)
{
    const int n = f->problem.contacts;
    const int dim = f->problem.dim;
    BRN_TRY(expect_int(scan, "the number of rows of W", (int64_t)n * dim));
    BRN_TRY(expect_int(scan, "the number of columns of W", (int64_t)n * dim));
    BRN_TRY(brn_scan_int(scan, "the number of blocks", n, INT_MAX, blocks));
    if (*blocks > left(scan) / (dim * dim)) {
        return too_short(scan, "blocks", *blocks);
    }
    BRN_TRY(expect_int(scan, "the number of block rows", n));
    BRN_TRY(expect_int(scan, "the number of block columns", n));
    for (int k = 0; k < 2 * n; ++k) {
        BRN_TRY(expect_int(scan, k < n ? "the end of a block row" : "the end of a block column",
                           (int64_t)(k % n + 1) * dim));
    }
    BRN_TRY(expect_int(scan, "the length of the list of rows", n + 1));
    BRN_TRY(expect_int(scan, "the length of the list of columns", *blocks));
    BRN_ALLOC(f->ctx, f->column, *blocks);
    BRN_ALLOC(f->ctx, f->w, *blocks * dim * dim);
    for (int i = 0; i <= n; ++i) {
        int64_t value = 0;
        BRN_TRY(brn_scan_int(scan, "the first block of a row", i > 0 ? f->first[i - 1] : 0,
                             i > 0 ? *blocks : 0, &value));
        f->first[i] = (int)value;
    }
    if (f->first[n] != *blocks) {
        return brn_scan_fail(scan, "the rows end at block %d: must be %lld", f->first[n], (long long)*blocks);
    }
    for (int i = 0; i < n; ++i) {
        for (int k = f->first[i]; k < f->first[i + 1]; ++k) {
            int64_t value = 0;
            BRN_TRY(brn_scan_int(scan, "the column of a block (they ascend in a row)",
                                 k > f->first[i] ? f->column[k - 1] + 1 : 0, n - 1, &value));
            f->column[k] = (int)value;
        }
    }
    return BRN_OK;
}

static brn_status read_sparse(brn_cone_file *f, brn_scan *scan)
{
    const int dim = f->problem.dim;
    int64_t blocks = 0;
    BRN_TRY(read_pattern(f, scan, &blocks));
    for (int64_t k = 0; k < blocks; ++k) {
        double *to = f->w + (size_t)k * (size_t)(dim * dim);
        BRN_TRY(expect_int(scan, "the number of a block", k));
        for (int e = 0; e < dim * dim; ++e) {
            BRN_TRY(brn_scan_real(scan, "an entry of W", &to[dim * (e % dim) + e / dim]));
        }
    }
    return BRN_OK;
}

/* ---- the rest ------------------------------------------------------------------------------------------------------------- */

static brn_status read_mu(brn_cone_file *f, brn_scan *scan)
{
    for (int i = 0; i < f->problem.contacts; ++i) {
        const brn_span word = brn_scan_word(scan);
        if (brn_span_is(word, "inf")) {
            f->mu[i] = INFINITY;
        } else if (!brn_span_real(word, &f->mu[i]) || !(f->mu[i] >= 0.0)) {
            return word.length == 0
                       ? brn_scan_unexpected(scan, "a coefficient of friction")
                       : brn_scan_fail(scan,
                                       "the coefficient of friction of contact %d is '%.*s': must be >= 0", i,
                                       brn_span_shown(word), word.at);
        }
    }
    return BRN_OK;
}

/* 0, or 1 with a solution; both may be missing. */
static brn_status read_solution(brn_cone_file *f, brn_scan *scan)
{
    const size_t count = (size_t)f->problem.contacts * (size_t)f->problem.dim;
    int64_t given = 0;
    if (!brn_scan_more(scan)) {
        return BRN_OK;
    }
    BRN_TRY(brn_scan_int(scan, "1 (a solution follows) or 0", 0, 1, &given));
    if (!brn_scan_more(scan)) {
        return BRN_OK;
    }
    if (given == 0) {
        scan->mark = scan->at;
        return brn_scan_fail(scan, "nothing may follow the 0 that says that there is no solution");
    }
    BRN_ALLOC(f->ctx, f->r, count);
    BRN_ALLOC(f->ctx, f->u, count);
    BRN_TRY(read_reals(scan, "an impulse of the solution", f->r, count));
    BRN_TRY(read_reals(scan, "a velocity of the solution", f->u, count));
    return brn_scan_more(scan) ? brn_scan_fail(scan, "nothing may follow the solution") : BRN_OK;
}

static brn_status read_all(brn_cone_file *f, brn_scan *scan)
{
    int64_t dim = 0;
    int64_t contacts = 0;
    int64_t kind = 0;
    BRN_TRY(brn_scan_int(scan, "the dimension, 2 or 3", 2, 3, &dim));
    BRN_TRY(brn_scan_int(scan, "the number of contacts", 1, INT_MAX / 3 - 1, &contacts));
    BRN_TRY(brn_scan_int(scan, "the kind of W, 0 (dense) or 1 (sparse)", 0, 1, &kind));
    if (contacts > left(scan) / (dim + 1)) {
        return too_short(scan, "contacts", contacts);
    }
    f->problem.dim = (int)dim;
    f->problem.contacts = (int)contacts;
    BRN_ALLOC(f->ctx, f->first, contacts + 1);
    BRN_ALLOC(f->ctx, f->q, contacts * dim);
    BRN_ALLOC(f->ctx, f->mu, contacts);
    BRN_TRY(kind == 0 ? read_dense(f, scan) : read_sparse(f, scan));
    BRN_TRY(read_reals(scan, "an entry of q", f->q, (size_t)(contacts * dim)));
    BRN_TRY(read_mu(f, scan));
    BRN_TRY(read_solution(f, scan));
    f->problem.first = f->first;
    f->problem.column = f->column;
    f->problem.w = f->w;
    f->problem.q = f->q;
    f->problem.mu = f->mu;
    /* what is left: the diagonal */
    scan->mark = scan->start;
    return brn_cone_check(f->ctx, &f->problem) < 0 ? brn_scan_fail(scan, "%s", brn_ctx_message(f->ctx))
                                                   : BRN_OK;
}

brn_status brn_cone_parse(brn_ctx *ctx, const char *text, size_t length, const char *name,
                          brn_cone_file **out)
{
    brn_cone_file *f = NULL;
    brn_scan scan = brn_scan_open(ctx, text, length, name);
    *out = NULL;
    BRN_ALLOC(ctx, f, 1);
    f->ctx = ctx;
    const brn_status status = read_all(f, &scan);
    if (status < 0) {
        brn_cone_close(f);
        return status;
    }
    *out = f;
    return BRN_OK;
}

brn_status brn_cone_read(brn_ctx *ctx, const char *path, brn_cone_file **out)
{
    char *text = NULL;
    size_t length = 0;
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, path);
    BRN_GIVEN(ctx, out);
    *out = NULL;
    BRN_TRY(brn_file_read(ctx, path, BYTES_MAX, &text, &length));
    const brn_status status = brn_cone_parse(ctx, text, length, path, out);
    brn_free(ctx, text);
    return status;
}

void brn_cone_close(brn_cone_file *file)
{
    if (file == NULL) {
        return;
    }
    void *const parts[] = {file->first, file->column, file->w, file->q, file->mu, file->r, file->u};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
        brn_free(file->ctx, parts[k]);
    }
    brn_free(file->ctx, file);
}

const brn_cone_problem *brn_cone_file_problem(const brn_cone_file *file)
{
    return file != NULL ? &file->problem : NULL;
}

bool brn_cone_file_solution(const brn_cone_file *file, const double **r, const double **u)
{
    if (file == NULL || file->r == NULL) {
        return false;
    }
    if (r != NULL) {
        *r = file->r;
    }
    if (u != NULL) {
        *u = file->u;
    }
    return true;
}
