/* A front is a sequence of strips of up to 6 columns. A strip begins with its diagonal block, the diagonal inverted, and goes on
   with groups of 8 rows, column by column: substitution reads one stream of memory, upwards or downwards. The first group may
   begin above the first row below the diagonal block; what is above is 0. */
#include "linalg/front_pack.h"

#include "base/lanes.h"
#include "base/parallel.h"

enum {
    WIDTH = 6, /* two nodes in 3D */
    GROUP = BRN_FRONT_LANES,
    HEAD = WIDTH * WIDTH,
    FRONTS = 16, /* of one parallel block */
};

/* ---- strips --------------------------------------------------------------------------------------------------------- */

/* Columns of the strip that begins with as many columns left. */
static size_t width_of(size_t left)
{
    return left >= WIDTH ? WIDTH : left >= 3 ? 3 : 1;
}

/* Columns of the strip that ends before column `end`. */
static size_t width_before(size_t own, size_t end)
{
    const size_t narrow = own / WIDTH * WIDTH; /* where strips are no longer whole */
    return end <= narrow ? WIDTH : end - narrow == 3 ? 3 : 1;
}

/* The row with which the groups of a strip begin. */
BRN_LANES_INLINE size_t first_row(size_t j, size_t width)
{
    return (j + width) / GROUP * GROUP;
}

static size_t strip_size(size_t rows, size_t j, size_t width)
{
    return HEAD + width * (rows - first_row(j, width));
}

static size_t front_size(const brn_front_shape *shape)
{
    size_t size = 0;
    for (size_t j = 0, width = 0; j < (size_t)shape->own; j += width) {
        width = width_of((size_t)shape->own - j);
        size += strip_size((size_t)shape->rows, j, width);
    }
    return size;
}

static void pack_strip(const double *panel, size_t rows, size_t j, size_t width, float *to)
{
    const double *column = panel + j * rows;
    memset(to, 0, HEAD * sizeof *to);
    for (size_t c = 0; c < width; ++c) {
        to[c * (WIDTH + 1)] = (float)(1.0 / column[c * rows + j + c]);
        for (size_t r = c + 1; r < width; ++r) {
            to[c * WIDTH + r] = (float)column[c * rows + j + r];
        }
    }
    to += HEAD;
    for (size_t row = first_row(j, width); row < rows; row += GROUP) {
        for (size_t c = 0; c < width; ++c, to += GROUP) {
            for (size_t r = 0; r < GROUP; ++r) {
                to[r] = row + r >= j + width ? (float)column[c * rows + row + r] : 0.0F;
            }
        }
    }
}

/* ---- making ----------------------------------------------------------------------------------------------------------- */

typedef struct job {
    const brn_front_tree *tree;
    const double *value;
    brn_front_pack *pack;
} job;

static brn_status pack_fronts(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const job *w = arg;
    for (int f = block * FRONTS; f < brn_block_end(w->tree->nfront, FRONTS, block); ++f) {
        const brn_front_shape shape = brn_front_shape_at(w->tree, f);
        float *to = w->pack->value + w->pack->start[f];
        for (size_t j = 0, width = 0; j < (size_t)shape.own; j += width) {
            width = width_of((size_t)shape.own - j);
            pack_strip(w->value + w->tree->panel[f], (size_t)shape.rows, j, width, to);
            to += strip_size((size_t)shape.rows, j, width);
        }
    }
    return BRN_OK;
}

brn_status brn_front_pack_fill(const brn_front_tree *t, const double *value, brn_front_pack *pack)
{
    BRN_GROW(t->ctx, pack->start, pack->start_capacity, (size_t)t->nfront + 1);
    pack->start[0] = 0;
    for (int f = 0; f < t->nfront; ++f) {
        const brn_front_shape shape = brn_front_shape_at(t, f);
        pack->start[f + 1] = pack->start[f] + front_size(&shape);
    }
    if (pack->start[t->nfront] > pack->value_capacity) {
        const size_t need = pack->start[t->nfront] + pack->start[t->nfront] / 8;
        brn_free(t->ctx, pack->value); /* nothing to keep, so no copy */
        pack->value_capacity = 0;
        pack->value = brn_realloc(t->ctx, NULL, need, sizeof *pack->value);
        if (pack->value == NULL) {
            return BRN_ERR_MEMORY;
        }
        pack->value_capacity = need;
    }
    job w = {t, value, pack};
    return brn_parallel_for(t->ctx, brn_block_count(t->nfront, FRONTS), pack_fronts, &w);
}

void brn_front_pack_free(brn_ctx *ctx, brn_front_pack *pack)
{
    brn_free(ctx, pack->start);
    brn_free(ctx, pack->value);
    *pack = (brn_front_pack){0};
}

/* ---- substitution ------------------------------------------------------------------------------------------------------- */

BRN_LANES_INLINE const float *forward_strip(const float *at, size_t rows, size_t j, const size_t width,
                                            double *y)
{
    double x[WIDTH];
    for (size_t c = 0; c < width; ++c) {
        double value = y[j + c];
        for (size_t p = 0; p < c; ++p) {
            value -= (double)at[p * WIDTH + c] * x[p];
        }
        y[j + c] = x[c] = value * (double)at[c * (WIDTH + 1)];
    }
    at += HEAD;
    for (size_t r = first_row(j, width); r < rows; r += GROUP, at += width * GROUP) {
        for (size_t l = 0; l < GROUP; l += BRN_LANES) {
            brn_lanes sum = brn_lanes_load(y + r + l);
            for (size_t c = 0; c < width; ++c) {
                sum -= brn_lanes_load_single(at + c * GROUP + l) * x[c];
            }
            brn_lanes_store(y + r + l, sum);
        }
    }
    return at;
}

/* The strip that ends at `end`; returns where it begins. */
BRN_LANES_INLINE const float *backward_strip(const float *end, size_t rows, size_t j, const size_t width,
                                             double *y)
{
    brn_lanes part[WIDTH];
    memset(part, 0, sizeof part);
    const float *at = end;
    for (size_t r = rows; r > first_row(j, width); r -= GROUP) {
        at -= width * GROUP;
        for (size_t l = 0; l < GROUP; l += BRN_LANES) {
            const brn_lanes from = brn_lanes_load(y + r - GROUP + l);
            for (size_t c = 0; c < width; ++c) {
                part[c] += brn_lanes_load_single(at + c * GROUP + l) * from;
            }
        }
    }
    at -= HEAD;
    for (size_t c = width; c-- > 0;) {
        double value = y[j + c];
        for (size_t l = 0; l < BRN_LANES; ++l) {
            value -= part[c][l];
        }
        for (size_t p = c + 1; p < width; ++p) {
            value -= (double)at[c * WIDTH + p] * y[j + p];
        }
        y[j + c] = value * (double)at[c * (WIDTH + 1)];
    }
    return at;
}

void brn_front_pack_forward(const brn_front_shape *shape, const float *packed, double *y)
{
    const size_t own = (size_t)shape->own;
    const size_t rows = (size_t)shape->rows;
    for (size_t j = 0, width = 0; j < own; j += width) {
        width = width_of(own - j);
        packed = width == WIDTH ? forward_strip(packed, rows, j, WIDTH, y)
                 : width == 3   ? forward_strip(packed, rows, j, 3, y)
                                : forward_strip(packed, rows, j, 1, y);
    }
}

void brn_front_pack_backward(const brn_front_shape *shape, const float *packed_end, double *y)
{
    const size_t rows = (size_t)shape->rows;
    const float *packed = packed_end;
    for (size_t end = (size_t)shape->own, width = 0; end > 0; end -= width) {
        width = width_before((size_t)shape->own, end);
        const size_t j = end - width;
        packed = width == WIDTH ? backward_strip(packed, rows, j, WIDTH, y)
                 : width == 3   ? backward_strip(packed, rows, j, 3, y)
                                : backward_strip(packed, rows, j, 1, y);
    }
}
