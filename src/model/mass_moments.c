/* Cells: with x = sum N_a x_a and the unit-density consistent mass m_ab = int N_a N_b,

       int 1 = sum m_ab,   int x = sum m_ab x_a,   int x x' = sum m_ab x_a x_b',

   for any isoparametric cell. */
#include "model/mass_moments.h"

#include "model/read/closed_surface.h"
#include "phys/solid.h"

#include <string.h>

enum { PAIRS_MAX = BRN_ELEMENT_NODES_MAX * (BRN_ELEMENT_NODES_MAX + 1) / 2 };

static void find_origin(const brn_mesh *mesh, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int a = 0; a < mesh->nnode; ++a) {
        for (int i = 0; i < 3; ++i) {
            out[i] += mesh->pos[a][i] / mesh->nnode;
        }
    }
}

static void add_pair(brn_moment_sums *s, const double *x, const double *y, double mass)
{
    for (int i = 0; i < 3; ++i) {
        const double p = x[i] - s->origin[i];
        s->first[i] += mass * p;
        for (int j = 0; j < 3; ++j) {
            s->second[3 * i + j] += mass * p * (y[j] - s->origin[j]);
        }
    }
    s->one += mass;
}

static void add_cells(brn_moment_sums *s, const brn_solid *solid, const double (*pos)[3])
{
    double pairs[BRN_LANES * PAIRS_MAX];
    const int nnode = solid->element->nnode;
    const int npair = nnode * (nnode + 1) / 2;
    for (int first = 0; first < solid->group.nelem; first += BRN_LANES) {
        const int count = solid->group.nelem - first < BRN_LANES ? solid->group.nelem - first : BRN_LANES;
        brn_solid_mass(solid, pos, first, count, pairs);
        for (int e = 0; e < count; ++e) {
            const int *node = &solid->group.conn[(first + e) * nnode];
            const double *mass = &pairs[e * npair];
            for (int a = 0; a < nnode; ++a) {
                for (int b = a; b < nnode; ++b, ++mass) {
                    add_pair(s, pos[node[a]], pos[node[b]], *mass);
                    if (a != b) {
                        add_pair(s, pos[node[b]], pos[node[a]], *mass);
                    }
                }
            }
        }
    }
}

static brn_status sum_cells(const brn_mesh *mesh, brn_moment_sums *s)
{
    const brn_moduli any = {.mu = 1.0};
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        if (mesh->ncell[kind] == 0) {
            continue;
        }
        if (brn_element_of_cell((brn_cell)kind) == NULL) {
            return brn_fail(mesh->ctx, BRN_ERR_MESH, "%s cells have no volume",
                            brn_cell_get((brn_cell)kind)->name);
        }
        brn_solid *solid = NULL;
        BRN_TRY(brn_solid_create(mesh->ctx, (brn_cell)kind, &brn_material_stvk, &any,
                                 (const double(*)[3])mesh->pos, mesh->cell[kind], mesh->ncell[kind], &solid));
        add_cells(s, solid, (const double(*)[3])mesh->pos);
        brn_solid_destroy(solid);
    }
    return BRN_OK;
}

static brn_status sum_surface(const brn_mesh *mesh, brn_moment_sums *s)
{
    brn_closed_surface *surface = NULL;
    BRN_TRY(brn_closed_surface_create(mesh, &surface));
    brn_moment_sums_add_surface(s, (const double(*)[3])surface->pos, (const int(*)[3])surface->tri,
                                surface->ntri);
    brn_closed_surface_destroy(surface);
    return BRN_OK;
}

brn_status brn_moments_of_mesh(const brn_mesh *mesh, int dim, brn_moments *out)
{
    brn_moment_sums s = {.one = 0.0};
    find_origin(mesh, s.origin);
    BRN_TRY(dim == 3 && brn_mesh_dim(mesh) == 2 ? sum_surface(mesh, &s) : sum_cells(mesh, &s));
    if (!brn_moments_of_sums(&s, out)) {
        return brn_fail(mesh->ctx, BRN_ERR_MESH, "the mesh encloses a volume of %g", s.one);
    }
    return BRN_OK;
}
