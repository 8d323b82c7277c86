#include "phys/shells/bending.h"

#include "base/hash.h"
#include "base/lanes.h"
#include "phys/shells/bending_rest.h"

static const double NEGLECTED =
    1e-9; /* shares that count as zero: far above rounding, far below any effect */

/* ---- neighbours ------------------------------------------------------------------------------------------------------- */

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
                              "the edge between nodes %d and %d has three or more triangles", low, high);
        }
        next[k] = head[low - lowest];
        head[low - lowest] = k + 1;
    }
    brn_free(ctx, head);
    brn_free(ctx, next);
    return status;
}

/* The 12 nodes of a triangle's stencil, and which of its 9 angles exist. A missing node is replaced by one that folds the
   triangle before the edge onto itself, so that the angle there can be computed. */
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

/* ---- the whole ---------------------------------------------------------------------------------------------------------- */

/* Scratch of a build: stencils of 12 nodes and factors of 9 angles, for all triangles. */
typedef struct build {
    int *neighbour;
    int (*node)[BRN_BENDING_NODES];
    brn_bending_matrices *matrices;
    bool wide; /* some triangle needs the angles of its neighbours */
} build;

static brn_status build_factors(brn_ctx *ctx, const brn_bending_options *options, const double (*rest)[3],
                                const int *conn, int nelem, build *b)
{
    BRN_ALLOC(ctx, b->neighbour, 3 * (size_t)nelem);
    BRN_ALLOC(ctx, b->node, nelem);
    BRN_ALLOC(ctx, b->matrices, nelem);
    BRN_TRY(find_neighbours(ctx, conn, nelem, b->neighbour));
    for (int e = 0; e < nelem; ++e) {
        brn_bending_patch patch = {.node = b->node[e]};
        stencil_of(conn, b->neighbour, e, b->node[e], patch.present);
        for (int i = 0; options->clamped != NULL && i < 4; ++i) {
            const int other = i < 3 ? b->neighbour[3 * e + i] : 3 * e;
            patch.stiff[i] = other >= 0 && options->clamped[other / 3] != 0;
        }
        if (!brn_bending_factor(options, &patch, rest, e, &b->matrices[e])) {
            return brn_fail(ctx, BRN_ERR_MESH,
                            "triangle %d: degenerate at rest, or its warp direction is its normal", e);
        }
        for (int r = 0; r < 3; ++r) {
            double size = 0.0;
            for (int a = 0; a < BRN_BENDING_ANGLES; ++a) {
                size = fmax(size, fabs(b->matrices[e].factor[r][a]));
            }
            for (int a = 3; a < BRN_BENDING_ANGLES; ++a) {
                b->wide = b->wide || fabs(b->matrices[e].factor[r][a]) > NEGLECTED * size;
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
    BRN_ALLOC(group->ctx, bending->back, nbatch * (size_t)(9 * BRN_LANES));
    for (int e = 0; e < group->nelem; ++e) {
        memcpy(group->conn + (size_t)e * (size_t)width, b->node[e], (size_t)width * sizeof(int));
    }
    for (int e = 0; e < group->nelem; ++e) {
        const size_t batch = (size_t)(e / BRN_LANES), lane = (size_t)(e % BRN_LANES);
        double angle[BRN_BENDING_ANGLES];
        brn_bending_angles(bending, rest, e, angle);
        for (int k = 0; k < 9; ++k) {
            bending->back[(batch * 9 + (size_t)k) * BRN_LANES + lane] = b->matrices[e].back[k / 3][k % 3];
        }
        for (int a = 0; a < nangle; ++a) {
            bool there = false;
            for (int r = 0; r < 3; ++r) {
                const size_t at = batch * (size_t)(3 * nangle) + (size_t)(r * nangle + a);
                bending->factor[at * BRN_LANES + lane] = b->matrices[e].factor[r][a];
                there = there || b->matrices[e].factor[r][a] != 0.0;
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
    brn_free(ctx, b.matrices);
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
    brn_free(ctx, bending->back);
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

static void group_resist(const brn_element_group *group, const double (*x)[3], const double (*v)[3],
                         int first, int count, double *out)
{
    brn_bending_resist((const brn_bending *)group, x, v, first, count, out);
}

static uint64_t group_hash(const brn_element_group *group, uint64_t hash)
{
    const brn_bending *bending = (const brn_bending *)group;
    /* by triangles, not as it lies in memory, so that it is the same for any BRN_LANES */
    for (int e = 0; e < group->nelem; ++e) {
        const size_t batch = (size_t)(e / BRN_LANES) * BRN_LANES * (size_t)bending->nangle;
        const double *factor = bending->factor + 3 * batch + e % BRN_LANES;
        const double *rest = bending->rest_angle + batch + e % BRN_LANES;
        double of[4 * BRN_BENDING_ANGLES];
        for (int k = 0; k < 3 * bending->nangle; ++k) {
            of[k] = factor[k * BRN_LANES];
        }
        for (int k = 0; k < bending->nangle; ++k) {
            of[3 * bending->nangle + k] = rest[k * BRN_LANES];
        }
        hash = brn_hash_bytes(hash, of, 4 * (size_t)bending->nangle * sizeof *of);
    }
    return hash;
}

const brn_group_kind brn_bending_group_kind = {
    .name = "bending",
    .destroy = group_destroy,
    .eval = group_eval,
    .resist = group_resist,
    .hash = group_hash,
};

const brn_bending *brn_bending_of_group(const brn_element_group *group)
{
    return group->kind == &brn_bending_group_kind ? (const brn_bending *)group : NULL;
}
