/* The viscous tangent of solids times velocities, without the tangent. With the rate of F it is that of the strain E = (F^T F - 1)/2 which resists,

       dE = sym(F^T dF),   S = lambda tr(dE) + 2 mu dE,   (K v)_a = sum over points w F S g_a,

   for a linear material the same with F = 1 (phys/solid_eval.c has the tangent). */
#include "phys/lane_rows.h"
#include "phys/solid_point.h"

/* Batches of elements [first, end); inlined with constant dim, and nnode of the small elements. */
BRN_LANES_INLINE void run(const brn_solid *solid, const double (*x)[3], const double (*v)[3], int first,
                          int end, double *out, const int dim, const int nnode)
{
    const brn_stencils list = brn_group_elements(&solid->group);
    const int size = nnode * dim;
    brn_lanes edge[BRN_ELEMENT_NODES_MAX * 3], rate[BRN_ELEMENT_NODES_MAX * 3],
        grad[BRN_ELEMENT_NODES_MAX * 3];
    for (int batch = first / BRN_LANES; batch * BRN_LANES < end; ++batch) {
        brn_batch_gather(list, x, batch, dim, nnode, edge);
        brn_batch_gather(list, v, batch, dim, nnode, rate);
        memset(grad, 0, (size_t)size * sizeof *grad);
        for (int quad = 0; quad < solid->element->nquad; ++quad) {
            brn_solid_point p;
            brn_lanes turn[9];
            brn_batch_gradient(solid, batch, quad, dim, nnode, edge, p.f);
            brn_batch_gradient(solid, batch, quad, dim, nnode, rate, turn);
            brn_point_resist(solid, p.f, turn, p.stress, dim);
            brn_point_add_gradient(solid, batch, quad, &p, grad, dim, nnode);
        }
        brn_point_close_gradient(grad, dim, nnode);
        brn_lanes_write_rows(grad, size, brn_batch_rows(batch, end),
                             out + (size_t)(batch * BRN_LANES - first) * (size_t)size);
    }
}

void brn_solid_resist(const brn_solid *solid, const double (*x)[3], const double (*v)[3], int first,
                      int count, double *out)
{
    const int nnode = solid->element->nnode, end = first + count;
    if (solid->element->dim == 2) {
        run(solid, x, v, first, end, out, 2, nnode);
    } else if (solid->element->cell == BRN_TET4) {
        run(solid, x, v, first, end, out, 3, 4);
    } else {
        run(solid, x, v, first, end, out, 3, nnode);
    }
}
