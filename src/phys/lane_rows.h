/* Results of a batch, one element a lane, to the caller's rows, one element a row. */
#ifndef BRN_PHYS_LANE_ROWS_H
#define BRN_PHYS_LANE_ROWS_H

#include "phys/lanes.h"

/* Transposes eight lanes vectors: rows become lanes. Three rounds exchange halves at distance 1, 2, 4. */
BRN_LANES_INLINE void brn_lanes_transpose(brn_lanes t[8])
{
    brn_lanes r[8];
    for (int i = 0; i < 8; i += 2) {
        r[i] = __builtin_shufflevector(t[i], t[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        r[i + 1] = __builtin_shufflevector(t[i], t[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 8; ++i) {
        if ((i & 2) == 0) {
            t[i] = __builtin_shufflevector(r[i], r[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            t[i + 2] = __builtin_shufflevector(r[i], r[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    for (int i = 0; i < 4; ++i) {
        r[i] = __builtin_shufflevector(t[i], t[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        r[i + 4] = __builtin_shufflevector(t[i], t[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    memcpy(t, r, sizeof r);
}

/* m[size] lanes -> out[rows][size], rows <= BRN_LANES. */
static inline void brn_lanes_write_rows(const brn_lanes *m, int size, int rows, double *out)
{
    int i = 0;
    for (; i + BRN_LANES <= size; i += BRN_LANES) {
        brn_lanes tile[BRN_LANES];
        memcpy(tile, m + i, sizeof tile);
        brn_lanes_transpose(tile);
        for (int l = 0; l < rows; ++l) {
            brn_lanes_store(out + (size_t)l * (size_t)size + i, tile[l]);
        }
    }
    for (; i < size; ++i) {
        for (int l = 0; l < rows; ++l) {
            out[(size_t)l * (size_t)size + (size_t)i] = m[i][l];
        }
    }
}

#endif
