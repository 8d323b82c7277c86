/* Patches of elements that share a volume ratio: their memory, their means, and the solid as an element group. */
#include "phys/mean_solid.h"

#include "base/hash.h"
#include "phys/solid_batch.h"

/* ---- creation ------------------------------------------------------------------------------------------------------------ */

/* Elements of every patch, in their order, then the first again. */
static brn_status list_cells(brn_mean_solid *mean)
{
    const brn_element_group *group = &mean->solid.group;
    int *count = NULL;
    BRN_ALLOC(group->ctx, count, group->npatch);
    for (int e = 0; e < group->nelem; ++e) {
        const int cells = ++count[mean->patch_of[e]];
        mean->npoint = cells > mean->npoint ? cells : mean->npoint;
    }
    mean->cell = brn_calloc(group->ctx, (size_t)group->npatch * (size_t)mean->npoint, sizeof *mean->cell);
    if (mean->cell != NULL) {
        for (int e = group->nelem - 1; e >= 0; --e) {
            const int patch = mean->patch_of[e];
            mean->cell[patch * mean->npoint + --count[patch]] = e;
        }
        for (int i = 0; i < group->npatch * mean->npoint; ++i) {
            const int first = mean->cell[i - i % mean->npoint];
            mean->cell[i] = mean->cell[i] == 0 && first != 0 ? first : mean->cell[i];
        }
    }
    brn_free(group->ctx, count);
    return mean->cell != NULL ? BRN_OK : BRN_ERR_MEMORY;
}

/* The place of a node in a list, where it is added if it is not there. */
static int place_of(int node, int *list, int *count)
{
    int at = 0;
    while (at < *count && list[at] != node) {
        ++at;
    }
    if (at == *count) {
        list[(*count)++] = node;
    }
    return at;
}

static int patch_nodes(const brn_mean_solid *mean, int patch, int list[BRN_PATCH_NODES_MAX])
{
    const brn_element_group *group = &mean->solid.group;
    int count = 0;
    for (int q = 0; q < mean->npoint; ++q) {
        const int *node = &group->conn[mean->cell[patch * mean->npoint + q] * group->nnode];
        for (int a = 0; a < group->nnode; ++a) {
            (void)place_of(node[a], list, &count);
        }
    }
    return count;
}

/* Nodes of every patch, then the last again: nothing depends on it there. */
static brn_status list_nodes(brn_mean_solid *mean)
{
    brn_element_group *group = &mean->solid.group;
    int list[BRN_PATCH_NODES_MAX];
    for (int p = 0; p < group->npatch; ++p) {
        const int count = patch_nodes(mean, p, list);
        group->patch_width = count > group->patch_width ? count : group->patch_width;
    }
    BRN_ALLOC(group->ctx, group->patch, (size_t)group->npatch * (size_t)group->patch_width);
    for (int p = 0; p < group->npatch; ++p) {
        const int count = patch_nodes(mean, p, list);
        for (int a = 0; a < group->patch_width; ++a) {
            group->patch[p * group->patch_width + a] = list[a < count ? a : count - 1];
        }
    }
    return BRN_OK;
}

/* Shape gradients and volume of one element of a patch, in its lane. */
static void fill_point(brn_mean_solid *mean, int patch, int quad, int lane_patch)
{
    const brn_solid *solid = &mean->solid;
    const int dim = solid->group.dim, nnode = solid->group.nnode, width = solid->group.patch_width;
    const int *cell = &mean->cell[patch * mean->npoint];
    const int e = cell[quad];
    const size_t lane = (size_t)(lane_patch % BRN_LANES), own = (size_t)(e % BRN_LANES);
    const size_t point = (size_t)(lane_patch / BRN_LANES) * (size_t)mean->npoint + (size_t)quad;
    const double *inverse = brn_batch_inverse(solid, e / BRN_LANES, 0, dim);
    double *gradient = mean->gradient + point * (size_t)(width * dim * BRN_LANES);
    const bool counts = lane_patch == patch && (quad == 0 || e != cell[0]);
    mean->volume[point * BRN_LANES + lane] =
        counts ? solid->volume[(size_t)(e / BRN_LANES) * BRN_LANES + own] : 0.0;
    for (int a = 0; a < nnode; ++a) {
        int count = width;
        const int at = place_of(solid->group.conn[e * nnode + a], &solid->group.patch[patch * width], &count);
        for (int j = 0; j < dim; ++j) {
            double sum = 0.0;
            for (int r = 0; r < dim; ++r) {
                sum += solid->reference[a * dim + r] * inverse[(size_t)(r * dim + j) * BRN_LANES + own];
            }
            gradient[(size_t)(at * dim + j) * BRN_LANES + lane] = sum;
        }
    }
}

/* Of linear triangles and tets. */
static brn_status make_patches(brn_mean_solid *mean, const double (*rest)[3])
{
    brn_element_group *group = &mean->solid.group;
    BRN_ALLOC(group->ctx, mean->patch_of, group->nelem);
    BRN_TRY(brn_mean_patches(group->ctx, group->dim, rest, group->conn, group->nelem, mean->patch_of,
                             &group->npatch));
    BRN_TRY(list_cells(mean));
    BRN_TRY(list_nodes(mean));
    const int nbatch = group->npatch / BRN_LANES + (group->npatch % BRN_LANES != 0);
    const size_t lanes = (size_t)nbatch * (size_t)mean->npoint * BRN_LANES;
    BRN_ALLOC(group->ctx, mean->gradient, lanes * (size_t)(group->patch_width * group->dim));
    BRN_ALLOC(group->ctx, mean->volume, lanes);
    for (int p = 0; p < nbatch * BRN_LANES; ++p) {
        for (int q = 0; q < mean->npoint; ++q) {
            fill_point(mean, p < group->npatch ? p : group->npatch - 1, q, p);
        }
    }
    return BRN_OK;
}

brn_status brn_mean_solid_create(brn_ctx *ctx, brn_cell cell, const brn_material *material,
                                 const brn_moduli *moduli, const double (*rest)[3], const int *conn,
                                 int nelem, brn_mean_solid **out)
{
    brn_mean_solid *mean = NULL;
    *out = NULL;
    BRN_ALLOC(ctx, mean, 1);
    brn_solid *solid = &mean->solid;
    brn_status status = brn_solid_init(ctx, cell, material, moduli, rest, conn, nelem, solid);
    if (status >= 0) {
        solid->group.kind = &brn_mean_solid_kind;
        solid->barrier = !material->linear;
        mean->npoint = solid->element->nquad;
        if (mean->npoint == 1 && nelem > 0) {
            status = make_patches(mean, rest);
        }
    }
    if (status < 0) {
        brn_mean_solid_destroy(mean);
        return status;
    }
    *out = mean;
    return BRN_OK;
}

void brn_mean_solid_destroy(brn_mean_solid *mean)
{
    if (mean == NULL) {
        return;
    }
    brn_ctx *ctx = mean->solid.group.ctx;
    brn_free(ctx, mean->solid.group.patch);
    brn_free(ctx, mean->patch_of);
    brn_free(ctx, mean->cell);
    brn_free(ctx, mean->gradient);
    brn_free(ctx, mean->volume);
    brn_solid_clear(&mean->solid);
    brn_free(ctx, mean);
}

/* ---- means for stress --------------------------------------------------------------------------------------------------- */

/* Of elements that are patches of their own. */
static void mean_of_batch(const brn_solid *solid, const double (*x)[3], int batch, brn_lanes *mean)
{
    const int dim = solid->element->dim, nnode = solid->element->nnode;
    brn_lanes edge[BRN_ELEMENT_NODES_MAX * 3], rest = brn_lanes_all(0.0), now = brn_lanes_all(0.0);
    brn_batch_gather(brn_group_elements(&solid->group), x, batch, dim, nnode, edge);
    for (int q = 0; q < solid->element->nquad; ++q) {
        brn_lanes f[9];
        brn_batch_gradient(solid, batch, q, dim, nnode, edge, f);
        rest += brn_batch_volume(solid, batch, q);
        now += brn_batch_volume(solid, batch, q) * brn_batch_growth(solid, f, dim);
    }
    *mean = now / rest;
}

/* Growth of one linear triangle or tet times its volume at rest, which is added up as well. */
static double cell_growth(const brn_solid *solid, const double (*x)[3], int e, double *rest)
{
    const int dim = solid->element->dim, nnode = solid->element->nnode;
    brn_lanes edge[9], f[9];
    const size_t lane = (size_t)(e % BRN_LANES);
    brn_batch_gather((brn_stencils){1, nnode, solid->group.conn + e * nnode}, x, 0, dim, nnode, edge);
    brn_batch_gradient(solid, e / BRN_LANES, 0, dim, nnode, edge, f);
    const double volume = brn_batch_volume(solid, e / BRN_LANES, 0)[lane];
    *rest += volume;
    return volume * brn_batch_growth(solid, f, dim)[lane];
}

static void mean_of_patches(const brn_solid *solid, const double (*x)[3], int batch, brn_lanes *out)
{
    const brn_mean_solid *mean = (const brn_mean_solid *)solid;
    for (int l = 0; l < BRN_LANES; ++l) {
        const int e =
            batch * BRN_LANES + l < solid->group.nelem ? batch * BRN_LANES + l : solid->group.nelem - 1;
        const int *cell = &mean->cell[mean->patch_of[e] * mean->npoint];
        double rest = 0.0, now = 0.0;
        for (int q = 0; q < mean->npoint && (q == 0 || cell[q] != cell[0]); ++q) {
            now += cell_growth(solid, x, cell[q], &rest);
        }
        (*out)[l] = now / rest;
    }
}

static brn_mean_fn mean_of(const brn_mean_solid *mean)
{
    return mean->patch_of != NULL ? mean_of_patches : mean_of_batch;
}

/* ---- the group ----------------------------------------------------------------------------------------------------------- */

static void group_destroy(brn_element_group *group)
{
    brn_mean_solid_destroy((brn_mean_solid *)group);
}

static void group_eval(const brn_element_group *group, const double (*x)[3], int first, int count,
                       brn_tangent tangent, double *energy, double *grad, double *hess)
{
    brn_mean_solid_eval((const brn_mean_solid *)group, x, first, count, tangent, energy, grad, hess);
}

static void group_resist(const brn_element_group *group, const double (*x)[3], const double (*v)[3],
                         int first, int count, double *out)
{
    brn_mean_solid_resist((const brn_mean_solid *)group, x, v, first, count, out);
}

static void group_stress(const brn_element_group *group, const double (*x)[3], int first, int count,
                         double *cauchy, double *jacobian, double *energy_density)
{
    const brn_mean_solid *mean = (const brn_mean_solid *)group;
    brn_solid_stress_about(&mean->solid, mean_of(mean), x, first, count, cauchy, jacobian, energy_density);
}

static void group_samples(const brn_element_group *group, const double (*x)[3], int first, int count,
                          double *cauchy)
{
    const brn_mean_solid *mean = (const brn_mean_solid *)group;
    brn_solid_samples_about(&mean->solid, mean_of(mean), x, first, count, cauchy);
}

static uint64_t group_hash(const brn_element_group *group, uint64_t hash)
{
    const size_t count = (size_t)group->npatch * (size_t)group->patch_width;
    hash = brn_hash_bytes(brn_hash_text(hash, "mean"), group->patch, count * sizeof *group->patch);
    return brn_solid_kind.hash(group, hash);
}

const brn_group_kind brn_mean_solid_kind = {
    .name = "mean_solid",
    .destroy = group_destroy,
    .eval = group_eval,
    .resist = group_resist,
    .mass = brn_solid_group_mass,
    .volume = brn_solid_group_volume,
    .stress = group_stress,
    .samples = group_samples,
    .bound = brn_solid_group_bound,
    .hash = group_hash,
};
