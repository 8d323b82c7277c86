#include "phys/shells/bending.h"

#include "base/hash.h"
#include "linalg/dense.h"
#include "phys/lanes.h"
#include "phys/shells/membrane.h"

static const double DAMPED = 0.01; /* see share_of */
static const double NEGLECTED =
    1e-9; /* shares that count as none: far above rounding, far below any effect */

/* A triangle with its stencil at rest, unfolded into its plane by the lengths of its edges. */
typedef struct unfolded {
    double x[BRN_BENDING_NODES][2];
    bool present[BRN_BENDING_ANGLES];
} unfolded;

/* ---- who is next to whom ---------------------------------------------------------------------------------------------- */

/* neighbour[nelem][3]: 3 times the triangle beyond edge i plus the number of the edge there, -1 if there is none. */
static brn_status find_neighbours(brn_ctx *ctx, const int *conn, int nelem, int *neighbour)
{
    int lowest = INT32_MAX, highest = -1;
    for (int k = 0; k < 3 * nelem; ++k) {
        lowest = conn[k] < lowest ? conn[k] : lowest;
        highest = conn[k] > highest ? conn[k] : highest;
    }
    const int nnode = nelem > 0 ? highest - lowest + 1 : 0;
    int *head = brn_calloc(ctx, (size_t)nnode, sizeof *head); /* edges by their lower node: number + 1 */
    int *next = brn_calloc(ctx, 3 * (size_t)nelem, sizeof *next);
    brn_status status = head != NULL && next != NULL ? BRN_OK : BRN_ERR_MEMORY;
    for (int k = 0; status == BRN_OK && k < 3 * nelem; ++k) {
        const int a = conn[k - k % 3 + (k + 1) % 3], b = conn[k - k % 3 + (k + 2) % 3];
        const int low = a < b ? a : b, high = a < b ? b : a;
        neighbour[k] = -1;
        int count = 0;
        for (int j = head[low - lowest] - 1; j >= 0; j = next[j] - 1) {
            const int c = conn[j - j % 3 + (j + 1) % 3], d = conn[j - j % 3 + (j + 2) % 3];
            if ((c < d ? d : c) == high) {
                neighbour[k] = j;
                neighbour[j] = k;
                ++count;
            }
        }
        if (count > 1) {
            status = brn_fail(ctx, BRN_ERR_MESH,
                              "the edge between nodes %d and %d has three triangles or more", low, high);
        }
        next[k] = head[low - lowest];
        head[low - lowest] = k + 1;
    }
    brn_free(ctx, head);
    brn_free(ctx, next);
    return status;
}

/* The 12 nodes of a triangle's stencil, and which of its 9 angles there are. In place of a node that is missing stands one that
   folds the triangle before the edge onto itself, so that the angle there can be computed. */
static void stencil_of(const int *conn, const int *neighbour, int element, int node[BRN_BENDING_NODES],
                       bool present[BRN_BENDING_ANGLES])
{
    memcpy(node, conn + 3 * element, 3 * sizeof *node);
    for (int i = 0; i < 3; ++i) {
        const int beyond = neighbour[3 * element + i];
        const int i1 = node[(i + 1) % 3], i2 = node[(i + 2) % 3];
        present[i] = beyond >= 0;
        node[3 + i] = present[i] ? conn[beyond] : node[i];
        for (int side = 0; side < 2; ++side) {
            /* the edge of the neighbour that lacks its node i1 (side 0) or i2 */
            const int opposite = side == 0 ? i1 : i2;
            int edge = -1;
            for (int k = 0; present[i] && k < 3; ++k) {
                edge = conn[beyond - beyond % 3 + k] == opposite ? beyond - beyond % 3 + k : edge;
            }
            const int outer = edge >= 0 ? neighbour[edge] : -1;
            present[3 + 2 * i + side] = outer >= 0;
            node[6 + 2 * i + side] = outer >= 0 ? conn[outer] : opposite;
        }
    }
}

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
   `middle`: minus what the height above the edge's line asks for. */
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

/* Row i of the shares, phi_i = sum_k share[k] theta_k: half of its own angle and the smallest change of that, in the sum of squares,
   which is exact for quadratic surfaces. Their slope at the middle of the edge is 0, so phi_i is minus the slope of
   the triangle. (Squares of true angles, not of those of a patch scaled to be round: that is worse on stretched meshes, as the energy
   is the same in all directions.) Where too few edges are there for three conditions, or they are nearly dependent, small conditions give way
   (Tikhonov with DAMPED of the largest angle): shares stay of order 1, and what is lost is confined to that edge. */
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

/* Energy 1/2 phi^T k phi: k_ij = l_i l_j / area (n_i n_i^T) : D (n_j n_j^T). */
static void stiffness_of(const unfolded *flat, const double d[6], double k[3][3])
{
    double strain[3][3];
    const double(*x)[2] = flat->x;
    const double area =
        0.5 * ((x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[1][1] - x[0][1]) * (x[2][0] - x[0][0]));
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

/* Takes phi of the free edges out: they make the energy least. */
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

/* R = root of the stiffness times the shares, 3 x 9. */
static void factor_of(const brn_bending_options *options, const unfolded *flat, const bool stiff[4],
                      double factor[3][BRN_BENDING_ANGLES])
{
    memset(factor, 0, 3 * sizeof factor[0]);
    if (stiff[3]) {
        return;
    }
    double k[3][3], root[3][3], share[3][BRN_BENDING_ANGLES] = {{0}};
    stiffness_of(flat, options->stiffness, k);
    release(k, flat->present);
    root_of(k, root);
    for (int i = 0; i < 3; ++i) {
        if (!flat->present[i]) {
            continue;
        }
        if (stiff[i] || options->hinge) {
            share[i][i] = stiff[i] ? 1.0 : 0.5;
        } else {
            share_of(flat, i, share[i]);
        }
    }
    for (int r = 0; r < 3; ++r) {
        for (int a = 0; a < BRN_BENDING_ANGLES; ++a) {
            for (int i = 0; i < 3; ++i) {
                factor[r][a] += root[r][i] * share[i][a];
            }
        }
    }
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------- */

/* Scratch of a build: stencils of 12 nodes and factors of 9 angles, for all triangles. */
typedef struct build {
    int *neighbour;
    int (*node)[BRN_BENDING_NODES];
    double (*factor)[3][BRN_BENDING_ANGLES];
    bool wide; /* some triangle needs the angles of its neighbours */
} build;

static brn_status build_factors(brn_ctx *ctx, const brn_bending_options *options, const double (*rest)[3],
                                const int *conn, int nelem, build *b)
{
    BRN_ALLOC(ctx, b->neighbour, 3 * (size_t)nelem);
    BRN_ALLOC(ctx, b->node, nelem);
    BRN_ALLOC(ctx, b->factor, nelem);
    BRN_TRY(find_neighbours(ctx, conn, nelem, b->neighbour));
    for (int e = 0; e < nelem; ++e) {
        unfolded flat = {0};
        bool stiff[4] = {false, false, false, false}; /* neighbours and the triangle itself */
        stencil_of(conn, b->neighbour, e, b->node[e], flat.present);
        if (!flatten(rest, b->node[e], options->warp != NULL ? options->warp[e] : NULL, &flat)) {
            return brn_fail(ctx, BRN_ERR_MESH,
                            "triangle %d: degenerate at rest, or its warp direction is its normal", e);
        }
        for (int i = 0; options->clamped != NULL && i < 4; ++i) {
            const int other = i < 3 ? b->neighbour[3 * e + i] : 3 * e;
            stiff[i] = other >= 0 && options->clamped[other / 3] != 0;
        }
        factor_of(options, &flat, stiff, b->factor[e]);
        for (int r = 0; r < 3; ++r) {
            double size = 0.0;
            for (int a = 0; a < BRN_BENDING_ANGLES; ++a) {
                size = fmax(size, fabs(b->factor[e][r][a]));
            }
            for (int a = 3; a < BRN_BENDING_ANGLES; ++a) {
                b->wide = b->wide || fabs(b->factor[e][r][a]) > NEGLECTED * size;
            }
        }
    }
    return BRN_OK;
}

static brn_status fill(brn_bending *bending, const brn_bending_options *options, const double (*rest)[3],
                       const build *b)
{
    brn_element_group *group = &bending->group;
    const int width = group->nnode, nangle = bending->nangle;
    const size_t nbatch = ((size_t)group->nelem + BRN_LANES - 1) / BRN_LANES;
    BRN_ALLOC(group->ctx, group->conn, (size_t)group->nelem * (size_t)width);
    BRN_ALLOC(group->ctx, bending->factor, nbatch * (size_t)(3 * nangle * BRN_LANES));
    BRN_ALLOC(group->ctx, bending->rest_angle, nbatch * (size_t)(nangle * BRN_LANES));
    for (int e = 0; e < group->nelem; ++e) {
        memcpy(group->conn + (size_t)e * (size_t)width, b->node[e], (size_t)width * sizeof(int));
    }
    for (int e = 0; e < group->nelem; ++e) {
        const size_t batch = (size_t)(e / BRN_LANES), lane = (size_t)(e % BRN_LANES);
        double angle[BRN_BENDING_ANGLES];
        brn_bending_angles(bending, rest, e, angle);
        for (int a = 0; a < nangle; ++a) {
            bool there = false;
            for (int r = 0; r < 3; ++r) {
                const size_t at = batch * (size_t)(3 * nangle) + (size_t)(r * nangle + a);
                bending->factor[at * BRN_LANES + lane] = b->factor[e][r][a];
                there = there || b->factor[e][r][a] != 0.0;
            }
            bending->rest_angle[(batch * (size_t)nangle + (size_t)a) * BRN_LANES + lane] =
                options->flat || !there ? 0.0 : angle[a];
        }
    }
    return BRN_OK;
}

static brn_status create(brn_ctx *ctx, const brn_bending_options *options, const double (*rest)[3],
                         const int *conn, int nelem, build *b, brn_bending **out)
{
    BRN_TRY(build_factors(ctx, options, rest, conn, nelem, b));
    BRN_ALLOC(ctx, *out, 1);
    **out = (brn_bending){
        .group = {.kind = &brn_bending_group_kind,
                  .ctx = ctx,
                  .dim = 3,
                  .nnode = b->wide ? BRN_BENDING_NODES : 6,
                  .nelem = nelem,
                  .cell = -1,
                  .density = 1.0},
        .nangle = b->wide ? BRN_BENDING_ANGLES : 3,
    };
    return fill(*out, options, rest, b);
}

brn_status brn_bending_create(brn_ctx *ctx, const brn_bending_options *options, const double (*rest)[3],
                              const int *conn, int nelem, brn_bending **out)
{
    *out = NULL;
    if (nelem < 0 || nelem > INT32_MAX / 3) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%d triangles: must be >= 0 and at most %d", nelem,
                        INT32_MAX / 3);
    }
    build b = {0};
    const brn_status status = create(ctx, options, rest, conn, nelem, &b, out);
    brn_free(ctx, b.neighbour);
    brn_free(ctx, b.node);
    brn_free(ctx, b.factor);
    if (status < 0) {
        brn_bending_destroy(*out);
        *out = NULL;
    }
    return status;
}

void brn_bending_destroy(brn_bending *bending)
{
    if (bending == NULL) {
        return;
    }
    brn_ctx *ctx = bending->group.ctx;
    brn_free(ctx, bending->group.conn);
    brn_free(ctx, bending->factor);
    brn_free(ctx, bending->rest_angle);
    brn_free(ctx, bending);
}

/* ---- the group ---------------------------------------------------------------------------------------------------------- */

static void group_destroy(brn_element_group *group)
{
    brn_bending_destroy((brn_bending *)group);
}

static void group_eval(const brn_element_group *group, const double (*x)[3], int first, int count,
                       brn_tangent tangent, double *energy, double *grad, double *hess)
{
    brn_bending_eval((const brn_bending *)group, x, first, count, tangent, energy, grad, hess);
}

static uint64_t group_hash(const brn_element_group *group, uint64_t hash)
{
    const brn_bending *bending = (const brn_bending *)group;
    const size_t count =
        ((size_t)group->nelem + BRN_LANES - 1) / BRN_LANES * BRN_LANES * (size_t)bending->nangle;
    hash = brn_hash_bytes(hash, bending->factor, 3 * count * sizeof *bending->factor);
    return brn_hash_bytes(hash, bending->rest_angle, count * sizeof *bending->rest_angle);
}

const brn_group_kind brn_bending_group_kind = {
    .name = "bending",
    .destroy = group_destroy,
    .eval = group_eval,
    .hash = group_hash,
};

const brn_bending *brn_bending_of_group(const brn_element_group *group)
{
    return group->kind == &brn_bending_group_kind ? (const brn_bending *)group : NULL;
}
