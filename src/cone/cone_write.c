/* Problems to text, sparse; the format is in cone_read.c. */
#include "cone/cone.h"

#include "base/os.h"
#include "base/text.h"

#include <math.h>

/* Text goes to the file whenever it has grown to this size. */
enum { PIECE = 1 << 16 };

typedef struct writer {
    brn_file_out file;
    brn_text text;
} writer;

static brn_status flush(writer *to, size_t least)
{
    if (to->text.failed) {
        return BRN_ERR_MEMORY;
    }
    if (to->text.length >= least) {
        BRN_TRY(brn_file_add(&to->file, to->text.data, to->text.length));
        to->text.length = 0;
    }
    return BRN_OK;
}

static brn_status add_reals(writer *to, const double *x, int count, int stride)
{
    for (int k = 0; k < count; ++k) {
        char number[BRN_REAL_TEXT];
        brn_text_add(&to->text, "%s%s", k > 0 ? " " : "",
                     isinf(x[k * stride]) ? "inf" : brn_format_real(x[k * stride], number));
    }
    brn_text_add(&to->text, "\n");
    return flush(to, PIECE);
}

static brn_status add_ints(writer *to, const int *x, int count)
{
    for (int k = 0; k < count; ++k) {
        brn_text_add(&to->text, "%s%d", k > 0 ? " " : "", x[k]);
        BRN_TRY(flush(to, PIECE));
    }
    brn_text_add(&to->text, "\n");
    return BRN_OK;
}

static brn_status add_matrix(writer *to, const brn_cone_problem *p)
{
    const int dim = p->dim;
    const int blocks = p->first[p->contacts];
    const int rows = p->contacts * dim;
    brn_text_add(&to->text, "%d\n%d\n%d\n%d\n%d\n", rows, rows, blocks, p->contacts, p->contacts);
    for (int side = 0; side < 2; ++side) {
        for (int i = 0; i < p->contacts; ++i) {
            brn_text_add(&to->text, "%s%d", i > 0 ? " " : "", (i + 1) * dim);
        }
        brn_text_add(&to->text, "\n");
    }
    brn_text_add(&to->text, "%d\n%d\n", p->contacts + 1, blocks);
    BRN_TRY(add_ints(to, p->first, p->contacts + 1));
    BRN_TRY(add_ints(to, p->column, blocks));
    for (int k = 0; k < blocks; ++k) {
        brn_text_add(&to->text, "%d\n", k);
        for (int c = 0; c < dim; ++c) {
            BRN_TRY(add_reals(to, p->w + (size_t)k * (size_t)(dim * dim) + c, dim, dim));
        }
    }
    return BRN_OK;
}

static brn_status add_vectors(writer *to, const brn_cone_problem *p, const double *x)
{
    for (int i = 0; i < p->contacts; ++i) {
        BRN_TRY(add_reals(to, x + (size_t)i * (size_t)p->dim, p->dim, 1));
    }
    return BRN_OK;
}

static brn_status write_all(writer *to, const brn_cone_problem *p, const double *r, const double *u)
{
    brn_text_add(&to->text, "%d\n%d\n1\n", p->dim, p->contacts);
    BRN_TRY(add_matrix(to, p));
    BRN_TRY(add_vectors(to, p, p->q));
    for (int i = 0; i < p->contacts; ++i) {
        BRN_TRY(add_reals(to, p->mu + i, 1, 1));
    }
    brn_text_add(&to->text, "%d\n", r != NULL);
    if (r != NULL) {
        BRN_TRY(add_vectors(to, p, r));
        BRN_TRY(add_vectors(to, p, u));
    }
    return flush(to, 1);
}

brn_status brn_cone_write(brn_ctx *ctx, const brn_cone_problem *problem, const double *r, const double *u,
                          const char *path)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, problem);
    BRN_GIVEN(ctx, path);
    BRN_TRY(brn_cone_check(ctx, problem));
    if ((r == NULL) != (u == NULL) || problem->contacts == 0) {
        return brn_fail(ctx, BRN_ERR_RANGE, "brn_cone_write: %s",
                        problem->contacts == 0 ? "a file has at least one contact"
                                               : "r and u must both be given, or none of them");
    }
    writer to = {.text = {.ctx = ctx}};
    brn_status status = brn_file_begin(ctx, path, &to.file);
    if (status >= 0) {
        status = write_all(&to, problem, r, u);
        if (status >= 0) {
            status = brn_file_end(&to.file);
        } else {
            brn_file_drop(&to.file);
        }
    }
    brn_text_clear(&to.text);
    return status;
}
