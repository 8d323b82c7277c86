#include "model/mesh_source.h"
#include "model/read/closed_surface.h"
#include "model/read/fill_program.h"

#include <math.h>
#include <string.h>

/* ---- groups -------------------------------------------------------------------------------------------------------- */

/* Squared distance of p from a triangle [Ericson, Real-Time Collision Detection, 5.1.5]: by the region of the triangle's
   plane that p projects to. */
static double triangle_distance2(const double p[3], const double a[3], const double b[3], const double c[3])
{
    double ab[3], ac[3], ap[3], bp[3], cp[3];
    double d[6] = {0}; /* ab.ap, ac.ap, ab.bp, ac.bp, ab.cp, ac.cp */
    for (int k = 0; k < 3; ++k) {
        ab[k] = b[k] - a[k];
        ac[k] = c[k] - a[k];
        ap[k] = p[k] - a[k];
        bp[k] = p[k] - b[k];
        cp[k] = p[k] - c[k];
        d[0] += ab[k] * ap[k];
        d[1] += ac[k] * ap[k];
        d[2] += ab[k] * bp[k];
        d[3] += ac[k] * bp[k];
        d[4] += ab[k] * cp[k];
        d[5] += ac[k] * cp[k];
    }
    const double va = d[2] * d[5] - d[4] * d[3];
    const double vb = d[4] * d[1] - d[0] * d[5];
    const double vc = d[0] * d[3] - d[2] * d[1];
    double v = 0.0; /* nearest point = a + v ab + w ac */
    double w = 0.0;
    if (d[0] <= 0.0 && d[1] <= 0.0) {
        v = 0.0;
    } else if (d[2] >= 0.0 && d[3] <= d[2]) {
        v = 1.0;
    } else if (d[5] >= 0.0 && d[4] <= d[5]) {
        w = 1.0;
    } else if (vc <= 0.0 && d[0] >= 0.0 && d[2] <= 0.0) {
        v = d[0] / (d[0] - d[2]);
    } else if (vb <= 0.0 && d[1] >= 0.0 && d[5] <= 0.0) {
        w = d[1] / (d[1] - d[5]);
    } else if (va <= 0.0 && d[3] - d[2] >= 0.0 && d[4] - d[5] >= 0.0) {
        w = (d[3] - d[2]) / ((d[3] - d[2]) + (d[4] - d[5]));
        v = 1.0 - w;
    } else if (va + vb + vc > 0.0) {
        v = vb / (va + vb + vc);
        w = vc / (va + vb + vc);
    }
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double off = ap[k] - v * ab[k] - w * ac[k];
        sum += off * off;
    }
    return sum;
}

/* True if p is within reach of a triangle whose corners are all in the group (marked). */
static bool is_on_group(const brn_mesh *surface, const unsigned char *marked, const double p[3], double reach)
{
    for (int kind = BRN_TRI3; kind <= BRN_QUAD4; kind += BRN_QUAD4 - BRN_TRI3) {
        const int width = brn_cell_get((brn_cell)kind)->nnode;
        for (int i = 0; i < surface->ncell[kind]; ++i) {
            const int *n = surface->cell[kind] + (size_t)i * (size_t)width;
            for (int second = 1; second + 1 < width; ++second) {
                const double *a = surface->pos[n[0]];
                const double *b = surface->pos[n[second]];
                const double *c = surface->pos[n[second + 1]];
                bool near = marked[n[0]] && marked[n[second]] && marked[n[second + 1]];
                for (int k = 0; k < 3 && near; ++k) {
                    near = p[k] >= fmin(a[k], fmin(b[k], c[k])) - reach &&
                           p[k] <= fmax(a[k], fmax(b[k], c[k])) + reach;
                }
                if (near && triangle_distance2(p, a, b, c) <= reach * reach) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* A group of the surface becomes the boundary nodes that lie on those of its triangles that are wholly in the group. */
static brn_status copy_groups(const brn_mesh *surface, double resolution, brn_mesh *mesh)
{
    if (surface->ngroup == 0) {
        return BRN_OK;
    }
    brn_ctx *ctx = mesh->ctx;
    brn_boundary *boundary = NULL;
    BRN_TRY(brn_boundary_create(mesh, &boundary));
    unsigned char *marked = brn_calloc(ctx, (size_t)surface->nnode, 1);
    int *found = brn_calloc(ctx, (size_t)boundary->nnode, sizeof *found);
    brn_status status = marked != NULL && found != NULL ? BRN_OK : BRN_ERR_MEMORY;
    for (int g = 0; g < surface->ngroup && status >= 0; ++g) {
        const brn_group *group = &surface->group[g];
        memset(marked, 0, (size_t)surface->nnode);
        for (int i = 0; i < group->nnode; ++i) {
            marked[group->node[i]] = 1;
        }
        int count = 0;
        for (int i = 0; i < boundary->nnode; ++i) {
            const int node = boundary->node[i];
            /* Meshed nodes are on the surface up to rounding; a hundredth of an edge cannot reach another face. */
            if (is_on_group(surface, marked, mesh->pos[node], 1e-2 * resolution)) {
                found[count++] = node;
            }
        }
        status = brn_mesh_add_group(mesh, group->name, found, count);
    }
    brn_free(ctx, marked);
    brn_free(ctx, found);
    brn_boundary_destroy(boundary);
    return status;
}

/* ---- filling ------------------------------------------------------------------------------------------------------- */

static brn_status check_arguments(brn_ctx *ctx, double resolution, brn_cell cell)
{
    if (!(resolution > 0.0 && resolution < INFINITY)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "resolution = %g: must be > 0 m", resolution);
    }
    if (cell != BRN_TET4 && cell != BRN_TET10) {
        return brn_fail(ctx, BRN_ERR_RANGE, "a surface can be filled with tet4 or tet10 cells only");
    }
    return BRN_OK;
}

static brn_status check_size(const brn_closed_surface *closed, double resolution)
{
    const double limit = 5e7;
    const double cells = brn_fill_estimate(closed, resolution);
    if (!(cells < limit)) {
        return brn_fail(closed->ctx, BRN_ERR_LIMIT,
                        "resolution = %g: would make about %.2g tets of a volume of %.3g m^3: at most %.2g",
                        resolution, cells, closed->volume, limit);
    }
    return BRN_OK;
}

/* gmsh remeshes the surface. It cuts it at sharp edges into pieces and never ends on a piece of one triangle, so every
   triangle is cut into at least four first. */
static brn_status fill_anew(const brn_mesh *surface, double resolution, brn_mesh **out)
{
    brn_closed_surface *closed = NULL;
    BRN_TRY(brn_closed_surface_create(surface, &closed));
    brn_status status = brn_closed_surface_refine(closed, 0.0, 1);
    if (status >= 0) {
        status = brn_fill_closed(closed, resolution, true, out);
    }
    brn_closed_surface_destroy(closed);
    return status;
}

/* Triangles of the wanted size are kept. Otherwise gmsh remeshes the surface; one that it cannot parametrise is cut into
   small enough triangles as it is. */
static brn_status fill(const brn_mesh *surface, brn_closed_surface *closed, double resolution, brn_mesh **out)
{
    const bool fits = closed->longest <= 1.75 * resolution && closed->shortest >= 0.25 * resolution;
    if (!fits) {
        const brn_status status = fill_anew(surface, resolution, out);
        if (status != BRN_ERR_MESH) {
            return status;
        }
        brn_log(closed->ctx, BRN_LOG_INFO, "%s: keeping the triangles of the surface",
                brn_ctx_message(closed->ctx));
        BRN_TRY(brn_closed_surface_refine(closed, 1.5 * resolution, BRN_REFINE_ROUNDS));
    }
    return brn_fill_closed(closed, resolution, false, out);
}

brn_status brn_mesh_fill_surface(brn_ctx *ctx, const brn_mesh *surface, double resolution, brn_cell cell,
                                 brn_mesh **out)
{
    *out = NULL;
    BRN_TRY(check_arguments(ctx, resolution, cell));
    brn_closed_surface *closed = NULL;
    BRN_TRY(brn_closed_surface_create(surface, &closed));
    brn_mesh *mesh = NULL;
    brn_status status = check_size(closed, resolution);
    if (status >= 0) {
        status = fill(surface, closed, resolution, &mesh);
    }
    brn_closed_surface_destroy(closed);
    if (status >= 0) {
        status = copy_groups(surface, resolution, mesh);
    }
    if (status >= 0 && cell == BRN_TET10) {
        status = brn_mesh_raise_order(mesh);
    }
    if (status < 0) {
        brn_mesh_destroy(mesh);
        return status;
    }
    *out = mesh;
    return BRN_OK;
}
