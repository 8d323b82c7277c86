/* Energy, gradient and Hessian of batches of elements. At a quadrature point with volume w and shape gradients g_a:

       energy  += w W(F)
       grad_a  += w P g_a,                P = dW/dF
       hess_ab += w sum_jl g'_aj M_jl g'_bl,   g' = V^T g,   F = U diag(s) V^T

   In the frames of U and V the tangent dP/dF couples only the diagonal entries with each other (by W_ij) and each
   off-diagonal entry with its mirror image (p_k = (minus_k + plus_k)/2 with itself, q_k = (minus_k - plus_k)/2 with
   the other) [Smith, de Goes, Kim 2019; Teran et al. 2005], so that with the columns u_i of U

       M_jj = W_jj u_j u_j^T + sum_{i != j} p_k u_i u_i^T,     M_jl = W_jl u_j u_l^T + q_k u_l u_j^T.

   The projection replaces the matrix W_ij by its positive semi-definite part and negative minus_k, plus_k by zero.
   The viscous tangent is the material part of Saint Venant-Kirchhoff's, F (lambda tr(dE) + 2 mu dE) with the strain
   E = (F^T F - 1)/2 and without the stress term dF S: in the frames U = V = 1

       M_jl = lambda f_j f_l^T + mu (delta_jl F F^T + f_l f_j^T),      f_j the columns of F.

   A linear material is the case U = V = 1, W_ij = lambda + 2 mu delta_ij, minus = 2 mu, plus = 0.
   Node 0 gets minus the sum of the others, because the shape gradients sum to zero. */
#include "phys/lane_rows.h"
#include "phys/solid_point.h"

/* ---- element gradient and Hessian --------------------------------------------------------------------------- */

/* hess_ab += g'_a . M . g'_b for 1 <= a <= b. */
BRN_LANES_INLINE void add_hessian(const brn_solid_job *job, int batch, int quad, brn_solid_point *p,
                                  brn_lanes *hess, const int dim, const int nnode)
{
    const double *dn = job->solid->reference + quad * nnode * dim;
    const double *inverse = brn_batch_inverse(job->solid, batch, quad, dim);
    brn_lanes m[81], turned[9], g[BRN_ELEMENT_NODES_MAX * 3];
    const brn_lanes volume = brn_batch_volume(job->solid, batch, quad);
    if (job->tangent == BRN_TANGENT_VISCOUS && !job->solid->material->linear) {
        brn_point_viscous(&job->solid->moduli, p, volume, m, dim);
    } else {
        brn_point_tangent(p, volume, m, dim);
    }
    for (int r = 0; r < dim; ++r) {
        for (int j = 0; j < dim; ++j) {
            brn_lanes sum = brn_lanes_load(inverse + r * dim * BRN_LANES) * p->v[j];
            for (int k = 1; k < dim; ++k) {
                sum += brn_lanes_load(inverse + (r * dim + k) * BRN_LANES) * p->v[k * dim + j];
            }
            turned[r * dim + j] = sum;
        }
    }
    for (int b = 1; b < nnode; ++b) {
        for (int j = 0; j < dim; ++j) {
            brn_lanes sum = turned[j] * dn[b * dim];
            for (int r = 1; r < dim; ++r) {
                sum += turned[r * dim + j] * dn[b * dim + r];
            }
            g[b * dim + j] = sum;
        }
        brn_point_add_node(m, g, b, hess, dim, nnode);
    }
}

/* ---- batches -------------------------------------------------------------------------------------------------- */

/* All batches of a job; edge, grad, hess are room for one batch. Inlined with constant dim (and nnode, for the small
   elements), so that matrices live in registers. */
BRN_LANES_INLINE void run(const brn_solid_job *job, const int dim, const int nnode, brn_lanes *edge,
                          brn_lanes *grad, brn_lanes *hess)
{
    const brn_solid *solid = job->solid;
    const int nquad = solid->element->nquad;
    const int grad_size = nnode * dim, hess_size = nnode * (nnode + 1) / 2 * dim * dim;
    const brn_order order = job->hess != NULL   ? BRN_ORDER_SECOND
                            : job->grad != NULL ? BRN_ORDER_FIRST
                                                : BRN_ORDER_ENERGY;
    /* the viscous tangent is a function of F alone: no stretches are needed */
    const bool bare = job->tangent == BRN_TANGENT_VISCOUS && !solid->material->linear &&
                      job->energy == NULL && job->grad == NULL;
    for (int batch = job->first / BRN_LANES; batch * BRN_LANES < job->end; ++batch) {
        const int rows = brn_batch_rows(batch, job->end);
        const size_t row = (size_t)(batch * BRN_LANES - job->first);
        brn_lanes energy = brn_lanes_all(0.0);
        brn_batch_gather(brn_group_elements(&solid->group), job->x, batch, dim, nnode, edge);
        memset(grad, 0, (size_t)grad_size * sizeof *grad);
        if (job->hess != NULL) {
            memset(hess, 0, (size_t)hess_size * sizeof *hess);
        }
        for (int quad = 0; quad < nquad; ++quad) {
            brn_solid_point p;
            brn_batch_gradient(solid, batch, quad, dim, nnode, edge, p.f);
            if (!bare) {
                brn_point_evaluate(job, &p, order, dim);
                energy += brn_batch_volume(solid, batch, quad) * p.energy;
            }
            if (job->grad != NULL) {
                brn_point_add_gradient(solid, batch, quad, &p, grad, dim, nnode);
            }
            if (job->hess != NULL) {
                add_hessian(job, batch, quad, &p, hess, dim, nnode);
            }
        }
        if (job->energy != NULL) {
            memcpy(job->energy + row, &energy, (size_t)rows * sizeof(double));
        }
        if (job->grad != NULL) {
            brn_point_close_gradient(grad, dim, nnode);
            brn_lanes_write_rows(grad, grad_size, rows, job->grad + row * (size_t)grad_size);
        }
        if (job->hess != NULL) {
            brn_point_close_hessian(hess, dim, nnode);
            brn_lanes_write_rows(hess, hess_size, rows, job->hess + row * (size_t)hess_size);
        }
    }
}

static void run_tri3(const brn_solid_job *job)
{
    brn_lanes edge[2 * 2], grad[3 * 2], hess[6 * 4];
    run(job, 2, 3, edge, grad, hess);
}

static void run_tet4(const brn_solid_job *job)
{
    brn_lanes edge[3 * 3], grad[4 * 3], hess[10 * 9];
    run(job, 3, 4, edge, grad, hess);
}

static void run_2d(const brn_solid_job *job)
{
    enum { N = 6 };
    brn_lanes edge[N * 2], grad[N * 2], hess[N * (N + 1) / 2 * 4];
    run(job, 2, job->solid->element->nnode, edge, grad, hess);
}

static void run_3d(const brn_solid_job *job)
{
    enum { N = BRN_ELEMENT_NODES_MAX };
    brn_lanes edge[N * 3], grad[N * 3], hess[N * (N + 1) / 2 * 9]; /* 120 kB of stack */
    run(job, 3, job->solid->element->nnode, edge, grad, hess);
}

void brn_solid_eval(const brn_solid *solid, const double (*x)[3], int first, int count, brn_tangent tangent,
                    double *energy, double *grad, double *hess)
{
    const brn_solid_job job = {solid, x, first, first + count, tangent, energy, grad, hess};
    switch (solid->element->cell) {
    case BRN_TRI3:
        run_tri3(&job);
        break;
    case BRN_TET4:
        run_tet4(&job);
        break;
    default:
        if (solid->element->dim == 2) {
            run_2d(&job);
        } else {
            run_3d(&job);
        }
        break;
    }
}
