#include "phys/shells/membrane.h"

#include "base/hash.h"
#include "base/lanes.h"
#include "geom/cell.h"
#include "linalg/dense.h"

static const double LIMIT_ON = 0.5;   /* the limit sets in half way between 1 and it */
static const double LIMIT_KEEP = 0.1; /* of the room to the limit, which a step leaves */

brn_membrane_law brn_membrane_isotropic(brn_membrane_kind kind, double lambda, double mu)
{
    const double coupling = 2.0 * lambda * mu / (lambda + 2.0 * mu); /* Lame's lambda in plane stress */
    return (brn_membrane_law){.kind = kind,
                              .lambda = lambda,
                              .mu = mu,
                              .stiffness = {coupling + 2.0 * mu, coupling + 2.0 * mu, mu, 0, 0, coupling}};
}

bool brn_membrane_orthotropic(double warp, double weft, double shear, double poisson, brn_membrane_law *out)
{
    const double room = 1.0 - poisson * poisson * weft / warp;
    *out =
        (brn_membrane_law){.kind = BRN_MEMBRANE_QUADRATIC,
                           .stiffness = {warp / room, weft / room, shear, 0.0, 0.0, poisson * weft / room}};
    return warp > 0.0 && weft > 0.0 && shear > 0.0 && room > 0.0 && isfinite(warp + weft + shear);
}

bool brn_triangle_flatten(const double (*rest)[3], const int node[3], const double *warp, double edge[4])
{
    double e1[3], e2[3], normal[3], u[3], v[3];
    for (int i = 0; i < 3; ++i) {
        e1[i] = rest[node[1]][i] - rest[node[0]][i];
        e2[i] = rest[node[2]][i] - rest[node[0]][i];
    }
    brn_dense_cross3(e1, e2, normal);
    const double twice = sqrt(brn_dense_dot3(normal, normal));
    const double box = sqrt(brn_dense_dot3(e1, e1) * brn_dense_dot3(e2, e2));
    const double *along = warp != NULL ? warp : e1;
    const double off = brn_dense_dot3(along, normal) / twice;
    for (int i = 0; i < 3; ++i) {
        normal[i] /= twice;
        u[i] = along[i] - off * normal[i];
    }
    const double length = sqrt(brn_dense_dot3(u, u));
    /* below these the direction is decided by rounding; NaN fails */
    if (!(twice > 1e-13 * box) || !(length > 1e-6 * sqrt(brn_dense_dot3(along, along)))) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        u[i] /= length;
    }
    brn_dense_cross3(normal, u, v);
    edge[0] = brn_dense_dot3(u, e1);
    edge[1] = brn_dense_dot3(u, e2);
    edge[2] = brn_dense_dot3(v, e1);
    edge[3] = brn_dense_dot3(v, e2);
    return isfinite(1.0 / (edge[0] * edge[3] - edge[1] * edge[2]));
}

static brn_status fill(brn_membrane *membrane, const double (*rest)[3], const int *conn,
                       const double (*warp)[3])
{
    brn_element_group *group = &membrane->group;
    brn_ctx *ctx = group->ctx;
    const int nbatch = group->nelem / BRN_LANES + (group->nelem % BRN_LANES != 0);
    BRN_ALLOC(ctx, group->conn, 3 * (size_t)group->nelem);
    BRN_ALLOC(ctx, membrane->inverse, 4 * BRN_LANES * (size_t)nbatch);
    BRN_ALLOC(ctx, membrane->volume, BRN_LANES * (size_t)nbatch);
    if (group->nelem > 0) {
        memcpy(group->conn, conn, 3 * (size_t)group->nelem * sizeof *conn);
    }
    for (int slot = 0; slot < nbatch * BRN_LANES; ++slot) {
        const int element = slot < group->nelem ? slot : group->nelem - 1;
        double edge[4], inverse[4];
        if (!brn_triangle_flatten(rest, conn + 3 * element, warp != NULL ? warp[element] : NULL, edge)) {
            return brn_fail(ctx, BRN_ERR_MESH,
                            "triangle %d: degenerate at rest, or its warp direction is its normal", element);
        }
        const double twice = brn_dense_inverse2(edge, inverse);
        const size_t batch = (size_t)(slot / BRN_LANES), lane = (size_t)(slot % BRN_LANES);
        for (size_t i = 0; i < 4; ++i) {
            membrane->inverse[(4 * batch + i) * BRN_LANES + lane] = inverse[i];
        }
        membrane->volume[slot] = slot < group->nelem ? 0.5 * membrane->thickness * twice : 0.0;
    }
    return BRN_OK;
}

brn_status brn_membrane_create(brn_ctx *ctx, const brn_membrane_law *law, double thickness,
                               const double (*rest)[3], const int *conn, const double (*warp)[3], int nelem,
                               brn_membrane **out)
{
    *out = NULL;
    if (nelem < 0 || !(thickness > 0.0)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%d triangles (must be >= 0) of thickness %g m (must be > 0)",
                        nelem, thickness);
    }
    if (law->limit != 0.0 && (!(law->limit > 1.0) || !(law->limit_stiffness > 0.0))) {
        return brn_fail(ctx, BRN_ERR_RANGE,
                        "largest stretch %g (must be > 1, or 0: none) with stiffness %g Pa (must be > 0)",
                        law->limit, law->limit_stiffness);
    }
    brn_membrane *membrane = NULL;
    BRN_ALLOC(ctx, membrane, 1);
    *membrane = (brn_membrane){
        .group = {.kind = &brn_membrane_group_kind,
                  .ctx = ctx,
                  .dim = 3,
                  .nnode = 3,
                  .nelem = nelem,
                  .cell = BRN_TRI3,
                  .density = 1.0,
                  .young = fmax(law->stiffness[0], law->stiffness[1])},
        .law = *law,
        .thickness = thickness,
        .limit_on = 1.0 + LIMIT_ON * (law->limit - 1.0),
    };
    const brn_status status = fill(membrane, rest, conn, warp);
    if (status < 0) {
        brn_membrane_destroy(membrane);
        return status;
    }
    *out = membrane;
    return BRN_OK;
}

void brn_membrane_destroy(brn_membrane *membrane)
{
    if (membrane == NULL) {
        return;
    }
    brn_ctx *ctx = membrane->group.ctx;
    brn_free(ctx, membrane->group.conn);
    brn_free(ctx, membrane->inverse);
    brn_free(ctx, membrane->volume);
    brn_free(ctx, membrane);
}

/* ---- how far a step may go ------------------------------------------------------------------------------------------ */

/* F of one triangle, 3x2. */
static void gradient_of(const brn_membrane *membrane, const double (*x)[3], int element, double f[6])
{
    const int *node = membrane->group.conn + 3 * element;
    const double *inverse = membrane->inverse + (size_t)(element / BRN_LANES) * 4 * BRN_LANES;
    const int lane = element % BRN_LANES;
    for (int i = 0; i < 3; ++i) {
        const double e1 = x[node[1]][i] - x[node[0]][i], e2 = x[node[2]][i] - x[node[0]][i];
        for (int j = 0; j < 2; ++j) {
            f[2 * i + j] = e1 * inverse[j * BRN_LANES + lane] + e2 * inverse[(2 + j) * BRN_LANES + lane];
        }
    }
}

/* Largest singular value of f + t (g - f). */
static double stretch_at(const double f[6], const double g[6], double t)
{
    double a = 0.0, b = 0.0, c = 0.0; /* F^T F = [a b; b c] */
    for (int i = 0; i < 6; i += 2) {
        const double p = f[i] + t * (g[i] - f[i]), q = f[i + 1] + t * (g[i + 1] - f[i + 1]);
        a += p * p;
        b += p * q;
        c += q * q;
    }
    return sqrt(0.5 * (a + c) + hypot(0.5 * (a - c), b));
}

double brn_membrane_bound(const brn_membrane *membrane, const double (*x0)[3], const double (*x1)[3],
                          int first, int count)
{
    const double limit = membrane->law.limit;
    double fraction = 1.0;
    for (int e = first; limit > 0.0 && e < first + count; ++e) {
        double f[6], g[6];
        gradient_of(membrane, x0, e, f);
        gradient_of(membrane, x1, e, g);
        const double target = limit - LIMIT_KEEP * (limit - stretch_at(f, g, 0.0));
        if (stretch_at(f, g, fraction) <= target) {
            continue;
        }
        /* the largest stretch is convex along the way: it crosses the target once */
        double inside = 0.0, outside = fraction;
        for (int k = 0; k < 20; ++k) {
            const double middle = 0.5 * (inside + outside);
            *(stretch_at(f, g, middle) <= target ? &inside : &outside) = middle;
        }
        fraction = inside;
    }
    return fraction;
}

/* ---- the group ------------------------------------------------------------------------------------------------------ */

static void group_destroy(brn_element_group *group)
{
    brn_membrane_destroy((brn_membrane *)group);
}

static void group_eval(const brn_element_group *group, const double (*x)[3], int first, int count,
                       brn_tangent tangent, double *energy, double *grad, double *hess)
{
    brn_membrane_eval((const brn_membrane *)group, x, first, count, tangent, energy, grad, hess);
}

static void group_resist(const brn_element_group *group, const double (*x)[3], const double (*v)[3],
                         int first, int count, double *out)
{
    brn_membrane_resist((const brn_membrane *)group, x, v, first, count, out);
}

static double group_volume(const brn_element_group *group, int element)
{
    return ((const brn_membrane *)group)->volume[element];
}

/* m/12 (1 + delta_ab) */
static void group_mass(const brn_element_group *group, const double (*rest)[3], int first, int count,
                       double *mass)
{
    (void)rest;
    for (int e = 0; e < count; ++e) {
        const double m = group->density * group_volume(group, first + e) / 12.0;
        const double row[6] = {2.0 * m, m, m, 2.0 * m, m, 2.0 * m};
        memcpy(mass + 6 * (size_t)e, row, sizeof row);
    }
}

static void group_stress(const brn_element_group *group, const double (*x)[3], int first, int count,
                         double *cauchy, double *jacobian, double *energy_density)
{
    brn_membrane_stress((const brn_membrane *)group, x, first, count, cauchy, jacobian, energy_density);
}

/* One sample, whose stress is that of the triangle. */
static void group_samples(const brn_element_group *group, const double (*x)[3], int first, int count,
                          double *cauchy)
{
    brn_membrane_stress((const brn_membrane *)group, x, first, count, cauchy, NULL, NULL);
}

static double group_bound(const brn_element_group *group, const double (*x0)[3], const double (*x1)[3],
                          int first, int count)
{
    return brn_membrane_bound((const brn_membrane *)group, x0, x1, first, count);
}

static uint64_t group_hash(const brn_element_group *group, uint64_t hash)
{
    const brn_membrane *membrane = (const brn_membrane *)group;
    const brn_membrane_law *law = &membrane->law;
    const double numbers[] = {law->kind,         law->lambda,        law->mu,
                              law->stiffness[0], law->stiffness[1],  law->stiffness[2],
                              law->stiffness[3], law->stiffness[4],  law->stiffness[5],
                              law->limit,        membrane->thickness};
    hash = brn_hash_bytes(hash, numbers, sizeof numbers);
    hash = brn_hash_bytes(hash, &law->limit_stiffness, sizeof law->limit_stiffness);
    /* by triangles, not as it lies in memory, so that it is the same for any BRN_LANES */
    for (int e = 0; e < group->nelem; ++e) {
        const double *inverse = membrane->inverse + (size_t)(e / BRN_LANES) * 4 * BRN_LANES + e % BRN_LANES;
        const double of[] = {inverse[0], inverse[BRN_LANES], inverse[2 * BRN_LANES], inverse[3 * BRN_LANES]};
        hash = brn_hash_bytes(hash, of, sizeof of);
    }
    return hash;
}

const brn_group_kind brn_membrane_group_kind = {
    .name = "membrane",
    .destroy = group_destroy,
    .eval = group_eval,
    .resist = group_resist,
    .mass = group_mass,
    .volume = group_volume,
    .stress = group_stress,
    .samples = group_samples,
    .bound = group_bound,
    .hash = group_hash,
};

const brn_membrane *brn_membrane_of_group(const brn_element_group *group)
{
    return group->kind == &brn_membrane_group_kind ? (const brn_membrane *)group : NULL;
}
