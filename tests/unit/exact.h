/* Geometry in exact rationals (GMP), written for obviousness: what the fast predicates are checked against. */
#ifndef BRN_TESTS_UNIT_EXACT_H
#define BRN_TESTS_UNIT_EXACT_H

#include "test.h"

#include <gmp.h>

/* Sign of the determinant of the n x n matrix of differences to the first of n + 1 points, n = 2 or 3. */
static inline int exact_orient(int n, const double *const point[])
{
    mpq_t d[3][3], sum, term, base;
    mpq_inits(sum, term, base, NULL);
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            mpq_init(d[i][k]);
            if (i < n && k < n) {
                mpq_set_d(d[i][k], point[i + 1][k]);
                mpq_set_d(base, point[0][k]);
                mpq_sub(d[i][k], d[i][k], base);
            } else {
                mpq_set_si(d[i][k], i == k, 1);
            }
        }
    }
    static const int order[6][4] = {{0, 1, 2, 1},  {1, 2, 0, 1},  {2, 0, 1, 1},
                                    {0, 2, 1, -1}, {2, 1, 0, -1}, {1, 0, 2, -1}};
    for (int p = 0; p < 6; ++p) {
        mpq_mul(term, d[0][order[p][0]], d[1][order[p][1]]);
        mpq_mul(term, term, d[2][order[p][2]]);
        if (order[p][3] > 0) {
            mpq_add(sum, sum, term);
        } else {
            mpq_sub(sum, sum, term);
        }
    }
    const int sign = mpq_sgn(sum);
    for (int i = 0; i < 9; ++i) {
        mpq_clear(d[i / 3][i % 3]);
    }
    mpq_clears(sum, term, base, NULL);
    return (sign > 0) - (sign < 0);
}

/* Is there a point common to the hulls of na and nb points (at most 3 each) in n dimensions? Solved as a linear
   programme: weights u, v >= 0 with sum u = sum v = 1 and sum u a = sum v b. If a solution exists, so does one with at
   most n + 2 positive weights whose columns are independent (Caratheodory), so all sets of columns are tried and each
   is solved by elimination. */
static inline bool exact_basis(int rows, int cols, mpq_t m[5][7])
{
    mpq_t factor;
    mpq_init(factor);
    int rank = 0;
    bool independent = true;
    for (int c = 0; c < cols && independent; ++c) {
        int pivot = rank;
        while (pivot < rows && mpq_sgn(m[pivot][c]) == 0) {
            ++pivot;
        }
        independent = pivot < rows;
        if (!independent) {
            break;
        }
        for (int k = 0; k <= cols; ++k) {
            mpq_swap(m[rank][k], m[pivot][k]);
        }
        for (int r = 0; r < rows; ++r) {
            if (r != rank && mpq_sgn(m[r][c]) != 0) {
                mpq_div(factor, m[r][c], m[rank][c]);
                mpq_t step;
                mpq_init(step);
                for (int k = c; k <= cols; ++k) {
                    mpq_mul(step, factor, m[rank][k]);
                    mpq_sub(m[r][k], m[r][k], step);
                }
                mpq_clear(step);
            }
        }
        ++rank;
    }
    bool feasible = independent;
    for (int r = 0; r < rows && feasible; ++r) {
        feasible = r < rank ? mpq_sgn(m[r][cols]) * mpq_sgn(m[r][r]) >= 0 : mpq_sgn(m[r][cols]) == 0;
    }
    mpq_clear(factor);
    return feasible;
}

static inline bool exact_hulls_meet(int n, int na, const double *const a[], int nb, const double *const b[])
{
    const int rows = n + 2, all = na + nb;
    mpq_t m[5][7];
    for (int i = 0; i < 35; ++i) {
        mpq_init(m[i / 7][i % 7]);
    }
    bool meet = false;
    for (unsigned set = 1; set < 1u << all && !meet; ++set) {
        const int cols = __builtin_popcount(set);
        if (cols > rows) {
            continue;
        }
        int c = 0;
        for (int j = 0; j < all; ++j) {
            if ((set >> j & 1) == 0) {
                continue;
            }
            for (int k = 0; k < n; ++k) {
                mpq_set_d(m[k][c], j < na ? a[j][k] : b[j - na][k]);
                if (j >= na) {
                    mpq_neg(m[k][c], m[k][c]);
                }
            }
            mpq_set_si(m[n][c], j < na, 1);
            mpq_set_si(m[n + 1][c], j >= na, 1);
            ++c;
        }
        for (int k = 0; k < rows; ++k) {
            mpq_set_si(m[k][cols], k >= n, 1);
        }
        meet = exact_basis(rows, cols, m);
    }
    for (int i = 0; i < 35; ++i) {
        mpq_clear(m[i / 7][i % 7]);
    }
    return meet;
}

#endif
