/* Between batches, one element per lane, and rows of memory, one element per row. */
#ifndef BRN_PHYS_LANE_ROWS_H
#define BRN_PHYS_LANE_ROWS_H

#include "base/lanes.h"

/* Four doubles, anywhere in memory: their shuffles are single instructions from AVX on, those of eight only from AVX-512 on. */
typedef double brn_four __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));

/* out[l][0..3] = m[0..3][l] for four lanes; m and out point to the first of them. */
BRN_LANES_INLINE void brn_lanes_transpose4(const double *m, size_t stride, double *out)
{
    const brn_four a0 = *(const brn_four *)m, a1 = *(const brn_four *)(m + BRN_LANES);
    const brn_four a2 = *(const brn_four *)(m + 2 * BRN_LANES), a3 = *(const brn_four *)(m + 3 * BRN_LANES);
    const brn_four b0 = __builtin_shufflevector(a0, a1, 0, 4, 2, 6);
    const brn_four b1 = __builtin_shufflevector(a0, a1, 1, 5, 3, 7);
    const brn_four b2 = __builtin_shufflevector(a2, a3, 0, 4, 2, 6);
    const brn_four b3 = __builtin_shufflevector(a2, a3, 1, 5, 3, 7);
    *(brn_four *)out = __builtin_shufflevector(b0, b2, 0, 1, 4, 5);
    *(brn_four *)(out + stride) = __builtin_shufflevector(b1, b3, 0, 1, 4, 5);
    *(brn_four *)(out + 2 * stride) = __builtin_shufflevector(b0, b2, 2, 3, 6, 7);
    *(brn_four *)(out + 3 * stride) = __builtin_shufflevector(b1, b3, 2, 3, 6, 7);
}

/* m[size] lanes -> out[rows][size], rows <= BRN_LANES. */
static inline void brn_lanes_write_rows(const brn_lanes *m, int size, int rows, double *out)
{
    const size_t stride = (size_t)size;
    int i = 0;
    for (; BRN_LANES % 4 == 0 && rows == BRN_LANES && i + 4 <= size; i += 4) {
        for (int l = 0; l < BRN_LANES; l += 4) {
            brn_lanes_transpose4((const double *)(m + i) + l, stride, out + (size_t)l * stride + i);
        }
    }
    for (; i < size; ++i) {
        for (int l = 0; l < rows; ++l) {
            out[(size_t)l * stride + (size_t)i] = m[i][l];
        }
    }
}

/* out[0..3][l] = row[l][0..3] of four rows. */
BRN_LANES_INLINE void brn_lanes_transpose_four(const brn_four row[4], brn_four out[4])
{
    const brn_four b0 = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6);
    const brn_four b1 = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
    const brn_four b2 = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6);
    const brn_four b3 = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(b0, b2, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(b1, b3, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(b0, b2, 2, 3, 6, 7);
    out[3] = __builtin_shufflevector(b1, b3, 2, 3, 6, 7);
}

/* Three doubles, and a 0. */
BRN_LANES_INLINE brn_four brn_four_load3(const double *from)
{
    typedef double two __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));
    const two low = *(const two *)from, high = {from[2], 0.0};
    return (brn_four)__builtin_shufflevector(low, high, 0, 1, 2, 3);
}

/* out[i][l] = x[node[l * step]][i] */
BRN_LANES_INLINE void brn_lanes_gather3(const double (*x)[3], const int *node, int step, brn_lanes out[3])
{
#if defined(__AVX__)
    brn_four rows[BRN_LANES], turned[BRN_LANES];
    for (int l = 0; l < BRN_LANES; ++l) {
        rows[l] = brn_four_load3(x[node[l * step]]);
    }
    for (int l = 0; l < BRN_LANES; l += 4) {
        brn_lanes_transpose_four(rows + l, turned + l);
    }
    for (int i = 0; i < 3; ++i) {
# if defined(__AVX512F__)
        out[i] = (brn_lanes)__builtin_shufflevector(turned[i], turned[4 + i], 0, 1, 2, 3, 4, 5, 6, 7);
# else
        out[i] = (brn_lanes)turned[i];
# endif
    }
#else
    for (int l = 0; l < BRN_LANES; ++l) {
        for (int i = 0; i < 3; ++i) {
            out[i][l] = x[node[l * step]][i];
        }
    }
#endif
}

/* The nodes [BRN_LANES][width] of a batch of elements; where it has fewer, the last element fills it up, in room. */
BRN_LANES_INLINE const int *brn_lanes_nodes(const int *node, int width, int count, int batch, int *room)
{
    const int *first = node + (size_t)batch * BRN_LANES * (size_t)width;
    const int left = count - batch * BRN_LANES;
    if (left >= BRN_LANES) {
        return first;
    }
    for (int i = 0; i < BRN_LANES * width; ++i) {
        room[i] = first[i < left * width ? i : (left - 1) * width + i % width];
    }
    return room;
}

/* out[l] = from[at[l]] */
BRN_LANES_INLINE brn_lanes brn_lanes_gather(const double *from, const int *at)
{
#if defined(__AVX512F__)
    return (brn_lanes){from[at[0]], from[at[1]], from[at[2]], from[at[3]],
                       from[at[4]], from[at[5]], from[at[6]], from[at[7]]};
#elif defined(__AVX__)
    return (brn_lanes){from[at[0]], from[at[1]], from[at[2]], from[at[3]]};
#else
    return (brn_lanes){from[at[0]], from[at[1]]};
#endif
}

#endif
