/* From a batch, one element per lane, to the caller's rows, one element per row. */
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

#endif
