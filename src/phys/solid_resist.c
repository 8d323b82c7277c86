/* The viscous tangent of solids times velocities, without the tangent. With the rate of F it is that of the strain E = (F^T F - 1)/2 which resists,

       dE = sym(F^T dF),   S = lambda tr(dE) + 2 mu dE,   (K v)_a = sum over points w F S g_a,

   for a linear material the same with F = 1 (phys/solid_eval.c has the tangent). */
#include "phys/lane_rows.h"
#include "phys/solid_point.h"

/* P = F S of a rate of F. */
BRN_LANES_INLINE void resist_at(const brn_solid *solid, const brn_lanes *f, const brn_lanes *rate,
                                brn_lanes *stress, const int dim)
{
    const double lambda = solid->moduli.lambda, mu = solid->moduli.mu;
    brn_lanes s[9], trace = brn_lanes_all(0.0);
    for (int i = 0; i < dim; ++i) {
        for (int j = i; j < dim; ++j) {
            brn_lanes twice = solid->material->linear ? rate[i * dim + j] + rate[j * dim + i]
                                                      : f[i] * rate[j] + f[j] * rate[i];
            for (int k = 1; k < dim && !solid->material->linear; ++k) {
                twice += f[k * dim + i] * rate[k * dim + j] + f[k * dim + j] * rate[k * dim + i];
            }
            s[i * dim + j] = s[j * dim + i] = mu * twice;
            trace += i == j ? 0.5 * twice : brn_lanes_all(0.0);
        }
    }
    for (int i = 0; i < dim; ++i) {
        s[i * dim + i] += lambda * trace;
    }
    for (int i = 0; i < dim; ++i) {
        for (int j = 0; j < dim; ++j) {
            brn_lanes sum = f[i * dim] * s[j];
            for (int k = 1; k < dim; ++k) {
                sum += f[i * dim + k] * s[k * dim + j];
            }
            stress[i * dim + j] = solid->material->linear ? s[i * dim + j] : sum;
        }
    }
}

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
            resist_at(solid, p.f, turn, p.stress, dim);
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
