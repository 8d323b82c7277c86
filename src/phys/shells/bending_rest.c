/* The matrix R of a triangle from its surroundings at rest: how angles are shared, and the plate's stiffness. */
#include "phys/shells/bending_rest.h"

#include "linalg/dense.h"
#include "phys/shells/membrane.h"

#include <string.h>

static const double DAMPED = 0.01; /* see share_of */

/* A triangle with its stencil at rest, unfolded into its plane by the lengths of its edges. */
typedef struct unfolded {
    double x[BRN_BENDING_NODES][2];
    const bool *present; /* [BRN_BENDING_ANGLES] */
} unfolded;

/* ---- the plane at rest ------------------------------------------------------------------------------------------------ */

/* Where the third node d of a triangle lies in the plane: beyond the edge from a to b, on its right. */
static void unfold(const double (*rest)[3], const int node[3], const double a[2], const double b[2],
                   double out[2])
{
    double e[3], arm[3], normal[3];
    for (int i = 0; i < 3; ++i) {
        e[i] = rest[node[1]][i] - rest[node[0]][i];
        arm[i] = rest[node[2]][i] - rest[node[0]][i];
    }
    brn_dense_cross3(e, arm, normal);
    const double square = brn_dense_dot3(e, e);
    const double along = brn_dense_dot3(e, arm) / square;
    const double height = sqrt(brn_dense_dot3(normal, normal)) / square;
    const double p = b[0] - a[0], q = b[1] - a[1];
    out[0] = a[0] + along * p + height * q;
    out[1] = a[1] + along * q - height * p;
}

static bool flatten(const double (*rest)[3], const int node[BRN_BENDING_NODES], const double *warp,
                    unfolded *flat)
{
    double edge[4];
    if (!brn_triangle_flatten(rest, node, warp, edge)) {
        return false;
    }
    const double own[3][2] = {{0.0, 0.0}, {edge[0], edge[2]}, {edge[1], edge[3]}};
    memcpy(flat->x, own, sizeof own);
    for (int k = 0; k < BRN_BENDING_ANGLES; ++k) {
        const unsigned char *at = brn_bending_hinge[k];
        if (flat->present[k]) {
            const int triangle[3] = {node[at[0]], node[at[1]], node[at[3]]};
            unfold(rest, triangle, flat->x[at[0]], flat->x[at[1]], flat->x[at[3]]);
        }
    }
    return true;
}

/* Slope across an edge, to its right, of the plane through a, b and the node beyond, for the surfaces x^2/2, y^2/2, xy about
   `middle`: minus what the height above the edge's line gives. */
static void slope_at(const unfolded *flat, const int at[3], const double middle[2], const double across[2],
                     double slope[3])
{
    double value[3][3], distance[3];
    for (int k = 0; k < 3; ++k) {
        const double x = flat->x[at[k]][0] - middle[0], y = flat->x[at[k]][1] - middle[1];
        value[k][0] = 0.5 * x * x;
        value[k][1] = 0.5 * y * y;
        value[k][2] = x * y;
        distance[k] = (flat->x[at[k]][0] - flat->x[at[0]][0]) * across[0] +
                      (flat->x[at[k]][1] - flat->x[at[0]][1]) * across[1];
    }
    /* foot of the third node on the edge */
    const double *a = flat->x[at[0]], *b = flat->x[at[1]], *c = flat->x[at[2]];
    const double square = (b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]);
    const double t = ((c[0] - a[0]) * (b[0] - a[0]) + (c[1] - a[1]) * (b[1] - a[1])) / square;
    for (int q = 0; q < 3; ++q) {
        slope[q] = (value[2][q] - (1.0 - t) * value[0][q] - t * value[1][q]) / distance[2];
    }
}

/* Angle k on the three quadratic surfaces about `middle`, to first order; own: the slope on its left side alone. */
static void angle_on_quadratics(const unfolded *flat, int k, const double middle[2], double angle[3],
                                double own[3])
{
    const unsigned char *at = brn_bending_hinge[k];
    const double e[2] = {flat->x[at[1]][0] - flat->x[at[0]][0], flat->x[at[1]][1] - flat->x[at[0]][1]};
    const double length = hypot(e[0], e[1]), across[2] = {e[1] / length, -e[0] / length};
    double beyond[3];
    slope_at(flat, (const int[3]){at[0], at[1], at[2]}, middle, across, own);
    slope_at(flat, (const int[3]){at[0], at[1], at[3]}, middle, across, beyond);
    for (int q = 0; q < 3; ++q) {
        angle[q] = beyond[q] - own[q];
    }
}

/* ---- how an angle is shared -------------------------------------------------------------------------------------------- */

/* Row i of the shares, phi_i = sum_k share[k] theta_k: half of its own angle plus the smallest change, in the sum of squares,
   that makes it exact for quadratic surfaces. Their slope at the middle of the edge is 0, so phi_i is minus the slope of the
   triangle. (Squares of true angles, not of those of a patch scaled to be round: that is worse on stretched meshes, as the
   energy is the same in all directions.) Where there are too few edges for three conditions, or they are nearly dependent,
   small conditions give way (Tikhonov with DAMPED of the largest angle): shares stay of order 1, and the loss is confined to
   that edge. */
static void share_of(const unfolded *flat, int i, double share[BRN_BENDING_ANGLES])
{
    const int used[5] = {i, (i + 1) % 3, (i + 2) % 3, 3 + 2 * i, 4 + 2 * i};
    const unsigned char *at = brn_bending_hinge[i];
    const double middle[2] = {0.5 * (flat->x[at[0]][0] + flat->x[at[1]][0]),
                              0.5 * (flat->x[at[0]][1] + flat->x[at[1]][1])};
    double angle[5][3] = {{0}}, own[3], unused[3], largest = 0.0;
    for (int k = 0; k < 5; ++k) {
        if (flat->present[used[k]]) {
            angle_on_quadratics(flat, used[k], middle, angle[k], k == 0 ? own : unused);
        }
        for (int q = 0; q < 3; ++q) {
            largest = fmax(largest, fabs(angle[k][q]));
        }
    }
    double normal[9], inverse[9], wanted[3], multiplier[3];
    for (int p = 0; p < 3; ++p) {
        wanted[p] = -own[p] - 0.5 * angle[0][p];
        for (int q = 0; q < 3; ++q) {
            normal[3 * p + q] = p == q ? DAMPED * DAMPED * largest * largest : 0.0;
            for (int k = 0; k < 5; ++k) {
                normal[3 * p + q] += angle[k][p] * angle[k][q];
            }
        }
    }
    brn_dense_inverse3(normal, inverse);
    brn_dense_apply3(inverse, wanted, multiplier);
    share[i] = 0.5;
    for (int k = 0; k < 5; ++k) {
        if (flat->present[used[k]]) {
            share[used[k]] += brn_dense_dot3(angle[k], multiplier);
        }
    }
}

/* ---- the matrix of a triangle ------------------------------------------------------------------------------------------ */

static double area_of(const unfolded *flat)
{
    const double(*x)[2] = flat->x;
    return 0.5 * ((x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[1][1] - x[0][1]) * (x[2][0] - x[0][0]));
}

/* Energy 1/2 phi^T k phi: k_ij = e_i : D e_j, e_i = l_i / sqrt(area) n_i n_i^T (strain: 11, 22, twice 12). */
static void stiffness_of(const unfolded *flat, const double d[6], double strain[3][3], double k[3][3])
{
    const double(*x)[2] = flat->x;
    const double area = area_of(flat);
    for (int i = 0; i < 3; ++i) {
        const double *a = x[(i + 1) % 3], *b = x[(i + 2) % 3];
        const double nx = b[1] - a[1], ny = a[0] - b[0], scale = 1.0 / (hypot(nx, ny) * sqrt(area));
        strain[i][0] = scale * nx * nx;
        strain[i][1] = scale * ny * ny;
        strain[i][2] = 2.0 * scale * nx * ny;
    }
    for (int i = 0; i < 3; ++i) {
        const double *e = strain[i];
        const double moment[3] = {d[0] * e[0] + d[5] * e[1] + d[4] * e[2],
                                  d[5] * e[0] + d[1] * e[1] + d[3] * e[2],
                                  d[4] * e[0] + d[3] * e[1] + d[2] * e[2]};
        for (int j = 0; j < 3; ++j) {
            k[i][j] = brn_dense_dot3(moment, strain[j]);
        }
    }
}

/* Eliminates phi of the free edges, which minimises the energy. */
static void release(double k[3][3], const bool present[3])
{
    for (int i = 0; i < 3; ++i) {
        if (present[i]) {
            continue;
        }
        const double pivot = k[i][i];
        double row[3];
        memcpy(row, k[i], sizeof row);
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) {
                k[a][b] = a == i || b == i || !(pivot > 0.0) ? 0.0 : k[a][b] - row[a] * row[b] / pivot;
            }
        }
    }
}

/* Upper triangular root of a positive semi-definite matrix: k = root^T root; a pivot lost to rounding counts as 0. */
static void root_of(double k[3][3], double root[3][3])
{
    memset(root, 0, 9 * sizeof root[0][0]);
    for (int i = 0; i < 3; ++i) {
        const double whole = k[i][i];
        double pivot = whole;
        for (int r = 0; r < i; ++r) {
            pivot -= root[r][i] * root[r][i];
        }
        if (!(pivot > 1e-14 * whole)) {
            continue;
        }
        root[i][i] = sqrt(pivot);
        for (int j = i + 1; j < 3; ++j) {
            double sum = k[i][j];
            for (int r = 0; r < i; ++r) {
                sum -= root[r][i] * root[r][j];
            }
            root[i][j] = sum / root[i][i];
        }
    }
}

/* The moments m = D kappa do the work sqrt(area) e_i : m = (k phi)_i = (root^T y)_i at the edges, which is zero at free
   ones: three equations for three moments. */
static void moments_of(const unfolded *flat, const double strain[3][3], const double root[3][3],
                       double back[3][3])
{
    double inverse[9];
    const double scale = 1.0 / sqrt(area_of(flat));
    brn_dense_inverse3(&strain[0][0], inverse);
    for (int m = 0; m < 3; ++m) {
        for (int r = 0; r < 3; ++r) {
            back[m][r] = 0.0;
            for (int i = 0; i < 3; ++i) {
                back[m][r] += scale * inverse[3 * m + i] * root[r][i];
            }
        }
    }
}

/* R is the root of the stiffness times the shares. */
bool brn_bending_factor(const brn_bending_options *options, const brn_bending_patch *patch,
                        const double (*rest)[3], int element, brn_bending_matrices *out)
{
    unfolded flat = {.present = patch->present};
    double k[3][3], root[3][3], strain[3][3], share[3][BRN_BENDING_ANGLES] = {{0}};
    *out = (brn_bending_matrices){0};
    if (!flatten(rest, patch->node, options->warp != NULL ? options->warp[element] : NULL, &flat)) {
        return false;
    }
    if (patch->stiff[3]) {
        return true;
    }
    stiffness_of(&flat, options->stiffness, strain, k);
    release(k, flat.present);
    root_of(k, root);
    moments_of(&flat, (const double(*)[3])strain, (const double(*)[3])root, out->back);
    for (int i = 0; i < 3; ++i) {
        if (!flat.present[i]) {
            continue;
        }
        if (patch->stiff[i] || options->hinge) {
            share[i][i] = patch->stiff[i] ? 1.0 : 0.5;
        } else {
            share_of(&flat, i, share[i]);
        }
    }
    for (int r = 0; r < 3; ++r) {
        for (int a = 0; a < BRN_BENDING_ANGLES; ++a) {
            for (int i = 0; i < 3; ++i) {
                out->factor[r][a] += root[r][i] * share[i][a];
            }
        }
    }
    return true;
}
