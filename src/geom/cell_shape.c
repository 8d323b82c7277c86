/* Shape functions of the mesh cells, by their derivatives only: what volumes and validity checks need.
   Simplices with barycentric coordinates L:  linear N_i = L_i;  quadratic N_i = L_i (2 L_i - 1), mid-edge 4 L_a L_b.
   Tensor cells with corner signs s:  linear N = 2^-d prod (1 + s_k x_k);  serendipity corners
   N = 2^-d prod (1 + s_k x_k) (sum s_k x_k - (d - 1)), mid-edge (s_a = 0): N = 2^(1-d) (1 - x_a^2) prod (1 + s_k x_k).
   [Zienkiewicz & Taylor, The Finite Element Method, ch. 6] */
#include "geom/cell.h"

#include <stdbool.h>
#include <string.h>

/* Corner signs of the hexahedron; edges and quads use the first 2 and 4 rows and 1 and 2 columns. */
static const double corner_sign[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                         {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

static bool is_simplex(const brn_cell_info *info)
{
    return info->dim > 1 && info->ncorner == info->dim + 1;
}

void brn_cell_nodes(brn_cell cell, double out[20][3])
{
    const brn_cell_info *info = brn_cell_get(cell);
    memset(out, 0, 20 * sizeof *out);
    for (int i = 0; i < info->ncorner; ++i) {
        if (is_simplex(info)) {
            if (i > 0) {
                out[i][i - 1] = 1.0;
            }
        } else {
            memcpy(out[i], corner_sign[i], (size_t)info->dim * sizeof(double));
        }
    }
    for (int i = info->ncorner; i < info->nnode; ++i) {
        const int *edge = info->edges[i - info->ncorner];
        for (int k = 0; k < 3; ++k) {
            out[i][k] = 0.5 * (out[edge[0]][k] + out[edge[1]][k]);
        }
    }
}

static void simplex_gradients(const brn_cell_info *info, const double xi[3], double out[20][3])
{
    /* Barycentric coordinates and their constant derivatives. */
    double bary[4] = {1.0}, dbary[4][3] = {{0.0}};
    for (int k = 0; k < info->dim; ++k) {
        bary[0] -= xi[k];
        bary[k + 1] = xi[k];
        dbary[0][k] = -1.0;
        dbary[k + 1][k] = 1.0;
    }
    const bool quadratic = info->nnode > info->ncorner;
    for (int i = 0; i < info->ncorner; ++i) {
        const double factor = quadratic ? 4.0 * bary[i] - 1.0 : 1.0;
        for (int k = 0; k < 3; ++k) {
            out[i][k] = factor * dbary[i][k];
        }
    }
    for (int i = info->ncorner; i < info->nnode; ++i) {
        const int *edge = info->edges[i - info->ncorner];
        const int a = edge[0], b = edge[1];
        for (int k = 0; k < 3; ++k) {
            out[i][k] = 4.0 * (bary[a] * dbary[b][k] + bary[b] * dbary[a][k]);
        }
    }
}

static void tensor_gradients(const brn_cell_info *info, const double xi[3], double out[20][3])
{
    double sign[20][3];
    brn_cell_nodes((brn_cell)(info - brn_cell_get((brn_cell)0)), sign);
    const int d = info->dim;
    const bool quadratic = info->nnode > info->ncorner;
    for (int i = 0; i < info->nnode; ++i) {
        /* N = scale prod f_k times, at quadratic corners, g = sum s x - (d - 1). */
        double f[3] = {1.0, 1.0, 1.0}, df[3] = {0.0}, g = quadratic && i < info->ncorner ? 1.0 - d : 1.0;
        double scale = i < info->ncorner ? 1.0 : 2.0;
        for (int k = 0; k < d; ++k) {
            const double s = sign[i][k];
            f[k] = s != 0.0 ? 1.0 + s * xi[k] : 1.0 - xi[k] * xi[k];
            df[k] = s != 0.0 ? s : -2.0 * xi[k];
            g += quadratic && i < info->ncorner ? s * xi[k] : 0.0;
            scale *= 0.5;
        }
        const double product = f[0] * f[1] * f[2];
        for (int k = 0; k < d; ++k) {
            const double others = f[(k + 1) % 3] * f[(k + 2) % 3];
            const double dg = quadratic && i < info->ncorner ? sign[i][k] : 0.0;
            out[i][k] = scale * (df[k] * others * g + product * dg);
        }
    }
}

void brn_cell_gradients(brn_cell cell, const double xi[3], double out[20][3])
{
    const brn_cell_info *info = brn_cell_get(cell);
    memset(out, 0, 20 * sizeof *out);
    if (is_simplex(info)) {
        simplex_gradients(info, xi, out);
    } else {
        tensor_gradients(info, xi, out);
    }
}
