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
#include "phys/solid_batch.h"
#include "phys/svd.h"

/* The arguments of brn_solid_eval. */
typedef struct request {
    const brn_solid *solid;
    const double (*x)[3];
    int first, end;
    brn_tangent tangent;
    double *energy, *grad, *hess;
} request;

/* One quadrature point of a batch; matrices are dim x dim, row-major. */
typedef struct point {
    brn_lanes f[9], stress[9], u[9], v[9];
    brn_lanes energy;
    brn_stretch_batch w;
} point;

/* ---- energy and stress -------------------------------------------------------------------------------------- */

BRN_LANES_INLINE void linear_first(const brn_moduli *m, point *p, const int dim)
{
    brn_lanes trace = brn_lanes_all(0.0), square = brn_lanes_all(0.0), strain[9];
    for (int i = 0; i < dim; ++i) {
        for (int j = 0; j < dim; ++j) {
            strain[i * dim + j] = 0.5 * (p->f[i * dim + j] + p->f[j * dim + i]) - (i == j ? 1.0 : 0.0);
            square += strain[i * dim + j] * strain[i * dim + j];
        }
        trace += strain[i * dim + i];
    }
    p->energy = m->mu * square + 0.5 * m->lambda * trace * trace;
    for (int i = 0; i < dim; ++i) {
        for (int j = 0; j < dim; ++j) {
            p->stress[i * dim + j] = 2.0 * m->mu * strain[i * dim + j];
        }
        p->stress[i * dim + i] += m->lambda * trace;
    }
}

/* P = 2 F (d1 1 + d2 (a1 1 - A)) + dJ cof F, with A = F^T F - 1. */
BRN_LANES_INLINE void invariants_first(const brn_solid *solid, point *p, brn_order order, const int dim)
{
    const brn_lanes *f = p->f;
    brn_lanes a[9], cof[9];
    for (int i = 0; i < dim; ++i) {
        for (int j = i; j < dim; ++j) {
            brn_lanes sum = f[i] * f[j] - (i == j ? 1.0 : 0.0);
            for (int k = 1; k < dim; ++k) {
                sum += f[k * dim + i] * f[k * dim + j];
            }
            a[i * dim + j] = a[j * dim + i] = sum;
        }
    }
    brn_invariant_batch in;
    brn_lanes growth; /* J^2 - 1 = a1 + a2 + det A */
    if (dim == 2) {
        in.a1 = a[0] + a[3];
        in.a2 = a[0] * a[3] - a[1] * a[1];
        growth = in.a1 + in.a2;
    } else {
        const brn_lanes m0 = a[4] * a[8] - a[5] * a[5], m1 = a[0] * a[8] - a[2] * a[2],
                        m2 = a[0] * a[4] - a[1] * a[1];
        in.a1 = a[0] + a[4] + a[8];
        in.a2 = m0 + m1 + m2;
        growth = in.a1 + in.a2 +
                 (a[0] * m0 + a[1] * (a[2] * a[5] - a[1] * a[8]) + a[2] * (a[1] * a[5] - a[2] * a[4]));
    }
    in.jac = brn_batch_cofactor(f, dim, cof);
    /* Near rest J - 1 comes from the strain, so that W is the same function of A in all its terms. */
    const brn_mask near = (brn_mask)(brn_lanes_abs(growth) < 0.5) & (brn_mask)(in.jac > 0.0);
    in.jac_minus_one = brn_lanes_select(near, growth / (in.jac + 1.0), in.jac - 1.0);
    const brn_lanes a1 = in.a1;
    solid->material->invariants(&solid->moduli, order, &in);
    p->energy = in.energy;
    if (order == BRN_ORDER_ENERGY) {
        return;
    }
    for (int i = 0; i < dim; ++i) {
        for (int j = 0; j < dim; ++j) {
            const int ij = i * dim + j;
            brn_lanes fa = f[i * dim] * a[j];
            for (int k = 1; k < dim; ++k) {
                fa += f[i * dim + k] * a[k * dim + j];
            }
            p->stress[ij] = 2.0 * ((in.d1 + in.d2 * a1) * f[ij] - in.d2 * fa) + in.dj * cof[ij];
        }
    }
}

/* P = U diag(W_i) V^T */
BRN_LANES_INLINE void stretches_first(point *p, const int dim)
{
    p->energy = p->w.energy;
    for (int i = 0; i < dim; ++i) {
        for (int j = 0; j < dim; ++j) {
            brn_lanes sum = p->u[i * dim] * p->w.first[0] * p->v[j * dim];
            for (int k = 1; k < dim; ++k) {
                sum += p->u[i * dim + k] * p->w.first[k] * p->v[j * dim + k];
            }
            p->stress[i * dim + j] = sum;
        }
    }
}

BRN_LANES_INLINE void spectrum(point *p, const int dim)
{
    if (dim == 3) {
        brn_svd3(p->f, p->u, p->w.s, p->v);
    } else {
        brn_svd2(p->f, p->u, p->w.s, p->v);
        p->w.s[2] = brn_lanes_all(1.0);
    }
}

BRN_LANES_INLINE void linear_tangent(const brn_moduli *m, point *p, const int dim)
{
    for (int i = 0; i < dim * dim; ++i) {
        p->u[i] = p->v[i] = brn_lanes_all(i % (dim + 1) == 0 ? 1.0 : 0.0);
    }
    for (int k = 0; k < 3; ++k) {
        p->w.diag[k] = brn_lanes_all(m->lambda + 2.0 * m->mu);
        p->w.off[k] = brn_lanes_all(m->lambda);
        p->w.minus[k] = brn_lanes_all(2.0 * m->mu);
        p->w.plus[k] = brn_lanes_all(0.0);
    }
}

/* Nearest positive semi-definite tangent; in the plane only the in-plane part matters. */
BRN_LANES_INLINE void project(brn_stretch_batch *w, const int dim)
{
    if (dim == 2) {
        w->off[0] = w->off[1] = brn_lanes_all(0.0);
        w->diag[2] = brn_lanes_abs(w->diag[0]) + brn_lanes_abs(w->diag[1]) + brn_lanes_all(DBL_MIN);
    }
    brn_psd3(w->diag, w->off);
    for (int k = 0; k < 3; ++k) {
        w->minus[k] = brn_lanes_max(w->minus[k], brn_lanes_all(0.0));
        w->plus[k] = brn_lanes_max(w->plus[k], brn_lanes_all(0.0));
    }
}

/* Energy and stress come from one code path, with or without the tangent. */
BRN_LANES_INLINE void evaluate(const request *job, point *p, brn_order order, const int dim)
{
    const brn_material *material = job->solid->material;
    const brn_moduli *moduli = &job->solid->moduli;
    if (material->linear) {
        linear_first(moduli, p, dim);
        linear_tangent(moduli, p, dim);
        return;
    }
    if (material->invariants != NULL) {
        invariants_first(job->solid, p, order < BRN_ORDER_SECOND ? order : BRN_ORDER_FIRST, dim);
    }
    const bool viscous = order == BRN_ORDER_SECOND && job->tangent == BRN_TANGENT_VISCOUS;
    if (material->invariants == NULL || (order == BRN_ORDER_SECOND && !viscous)) {
        spectrum(p, dim);
        material->stretches(moduli, order, &p->w);
        if (material->invariants == NULL && order >= BRN_ORDER_FIRST) {
            stretches_first(p, dim);
        } else if (material->invariants == NULL) {
            p->energy = p->w.energy;
        }
    }
    if (order == BRN_ORDER_SECOND && job->tangent == BRN_TANGENT_LAGGED && material->lagged) {
        p->w.plus[0] = p->w.plus[1] = p->w.plus[2] = brn_lanes_all(0.0);
    } else if (order == BRN_ORDER_SECOND && brn_tangent_projects(job->tangent)) {
        project(&p->w, dim);
    }
}

/* ---- element gradient and Hessian --------------------------------------------------------------------------- */

/* grad_a += w P g_a for the nodes 1.. */
BRN_LANES_INLINE void add_gradient(const request *job, int batch, int quad, const point *p, brn_lanes *grad,
                                   const int dim, const int nnode)
{
    const double *dn = job->solid->reference + quad * nnode * dim;
    const double *inverse = brn_batch_inverse(job->solid, batch, quad, dim);
    const brn_lanes volume = brn_batch_volume(job->solid, batch, quad);
    brn_lanes flux[9]; /* w P d(rest)/d(reference)^-T */
    for (int i = 0; i < dim; ++i) {
        for (int r = 0; r < dim; ++r) {
            brn_lanes sum = p->stress[i * dim] * brn_lanes_load(inverse + r * dim * BRN_LANES);
            for (int j = 1; j < dim; ++j) {
                sum += p->stress[i * dim + j] * brn_lanes_load(inverse + (r * dim + j) * BRN_LANES);
            }
            flux[i * dim + r] = volume * sum;
        }
    }
    for (int a = 1; a < nnode; ++a) {
        for (int i = 0; i < dim; ++i) {
            for (int r = 0; r < dim; ++r) {
                grad[a * dim + i] += flux[i * dim + r] * dn[a * dim + r];
            }
        }
    }
}

/* m[j][l] = w M_jl, each dim x dim. */
BRN_LANES_INLINE void tangent_blocks(const point *p, brn_lanes volume, brn_lanes *m, const int dim)
{
    const int size = dim * dim;
    const brn_lanes *u = p->u;
    brn_lanes c[9]; /* c[j][i]: factor of u_i u_i^T in M_jj */
    for (int j = 0; j < dim; ++j) {
        for (int i = 0; i < dim; ++i) {
            c[j * dim + i] = i == j ? volume * p->w.diag[j]
                                    : 0.5 * volume * (p->w.minus[3 - i - j] + p->w.plus[3 - i - j]);
        }
    }
    for (int r = 0; r < dim; ++r) {
        for (int t = r; t < dim; ++t) {
            brn_lanes outer[3]; /* (u_i u_i^T)[r][t] */
            for (int i = 0; i < dim; ++i) {
                outer[i] = u[r * dim + i] * u[t * dim + i];
            }
            for (int j = 0; j < dim; ++j) {
                brn_lanes sum = c[j * dim] * outer[0];
                for (int i = 1; i < dim; ++i) {
                    sum += c[j * dim + i] * outer[i];
                }
                brn_lanes *block = m + (j * dim + j) * size;
                block[r * dim + t] = block[t * dim + r] = sum;
            }
        }
    }
    for (int j = 0; j < dim; ++j) {
        for (int l = j + 1; l < dim; ++l) {
            const int k = 3 - j - l;
            const brn_lanes w = volume * p->w.off[k];
            const brn_lanes q = 0.5 * volume * (p->w.minus[k] - p->w.plus[k]);
            for (int r = 0; r < dim; ++r) {
                const brn_lanes wj = w * u[r * dim + j], ql = q * u[r * dim + l];
                for (int t = 0; t < dim; ++t) {
                    const brn_lanes value = wj * u[t * dim + l] + ql * u[t * dim + j];
                    m[(j * dim + l) * size + r * dim + t] = value;
                    m[(l * dim + j) * size + t * dim + r] = value;
                }
            }
        }
    }
}

/* The same for the viscous tangent; V becomes 1. */
BRN_LANES_INLINE void viscous_blocks(const brn_moduli *moduli, point *p, brn_lanes volume, brn_lanes *m,
                                     const int dim)
{
    const brn_lanes *f = p->f;
    const brn_lanes lambda = moduli->lambda * volume, mu = moduli->mu * volume;
    brn_lanes square[9]; /* F F^T */
    for (int r = 0; r < dim; ++r) {
        for (int t = 0; t < dim; ++t) {
            brn_lanes sum = f[r * dim] * f[t * dim];
            for (int k = 1; k < dim; ++k) {
                sum += f[r * dim + k] * f[t * dim + k];
            }
            square[r * dim + t] = sum;
            p->v[r * dim + t] = brn_lanes_all(r == t ? 1.0 : 0.0);
        }
    }
    for (int j = 0; j < dim; ++j) {
        for (int l = 0; l < dim; ++l) {
            for (int r = 0; r < dim; ++r) {
                for (int t = 0; t < dim; ++t) {
                    const brn_lanes same = j == l ? square[r * dim + t] : brn_lanes_all(0.0);
                    m[((j * dim + l) * dim + r) * dim + t] = lambda * f[r * dim + j] * f[t * dim + l] +
                                                             mu * (same + f[r * dim + l] * f[t * dim + j]);
                }
            }
        }
    }
}

/* Place of block (a, b), a <= b, in an element's Hessian. */
BRN_LANES_INLINE int block_at(int a, int b, int nnode, int size)
{
    return (a * nnode - a * (a - 1) / 2 + b - a) * size;
}

/* hess_ab += g'_a . M . g'_b for 1 <= a <= b. */
BRN_LANES_INLINE void add_hessian(const request *job, int batch, int quad, point *p, brn_lanes *hess,
                                  const int dim, const int nnode)
{
    const int size = dim * dim;
    const double *dn = job->solid->reference + quad * nnode * dim;
    const double *inverse = brn_batch_inverse(job->solid, batch, quad, dim);
    brn_lanes m[81], turned[9], g[BRN_ELEMENT_NODES_MAX * 3];
    const brn_lanes volume = brn_batch_volume(job->solid, batch, quad);
    if (job->tangent == BRN_TANGENT_VISCOUS && !job->solid->material->linear) {
        viscous_blocks(&job->solid->moduli, p, volume, m, dim);
    } else {
        tangent_blocks(p, volume, m, dim);
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
        brn_lanes half[27]; /* half[j] = sum_l M_jl g'_bl */
        for (int j = 0; j < dim; ++j) {
            for (int i = 0; i < size; ++i) {
                brn_lanes sum = m[j * dim * size + i] * g[b * dim];
                for (int l = 1; l < dim; ++l) {
                    sum += m[(j * dim + l) * size + i] * g[b * dim + l];
                }
                half[j * size + i] = sum;
            }
        }
        for (int a = 1; a <= b; ++a) {
            brn_lanes *block = hess + block_at(a, b, nnode, size);
            for (int i = 0; i < size; ++i) {
                brn_lanes sum = block[i];
                for (int j = 0; j < dim; ++j) {
                    sum += g[a * dim + j] * half[j * size + i];
                }
                block[i] = sum;
            }
        }
    }
}

/* Node 0: rows and columns of the gradient and the Hessian sum to zero. */
BRN_LANES_INLINE void close_gradient(brn_lanes *grad, const int dim, const int nnode)
{
    for (int i = 0; i < dim; ++i) {
        brn_lanes sum = brn_lanes_all(0.0);
        for (int a = 1; a < nnode; ++a) {
            sum += grad[a * dim + i];
        }
        grad[i] = -sum;
    }
}

BRN_LANES_INLINE void close_hessian(brn_lanes *hess, const int dim, const int nnode)
{
    const int size = dim * dim;
    for (int i = 0; i < size; ++i) {
        hess[i] = brn_lanes_all(0.0);
    }
    for (int b = 1; b < nnode; ++b) {
        for (int i = 0; i < dim; ++i) {
            for (int j = 0; j < dim; ++j) {
                brn_lanes sum = brn_lanes_all(0.0);
                for (int a = 1; a <= b; ++a) {
                    sum += hess[block_at(a, b, nnode, size) + i * dim + j];
                }
                for (int a = b + 1; a < nnode; ++a) {
                    sum += hess[block_at(b, a, nnode, size) + j * dim + i];
                }
                hess[block_at(0, b, nnode, size) + i * dim + j] = -sum;
                hess[j * dim + i] += sum;
            }
        }
    }
}

/* ---- batches -------------------------------------------------------------------------------------------------- */

/* All batches of a job; edge, grad, hess are room for one batch. Inlined with constant dim (and nnode, for the small
   elements), so that matrices live in registers. */
BRN_LANES_INLINE void run(const request *job, const int dim, const int nnode, brn_lanes *edge,
                          brn_lanes *grad, brn_lanes *hess)
{
    const brn_solid *solid = job->solid;
    const int nquad = solid->element->nquad;
    const int grad_size = nnode * dim, hess_size = nnode * (nnode + 1) / 2 * dim * dim;
    const brn_order order = job->hess != NULL   ? BRN_ORDER_SECOND
                            : job->grad != NULL ? BRN_ORDER_FIRST
                                                : BRN_ORDER_ENERGY;
    for (int batch = job->first / BRN_LANES; batch * BRN_LANES < job->end; ++batch) {
        const int rows = brn_batch_rows(batch, job->end);
        const size_t row = (size_t)(batch * BRN_LANES - job->first);
        brn_lanes energy = brn_lanes_all(0.0);
        brn_batch_gather(solid, job->x, batch, dim, nnode, edge);
        memset(grad, 0, (size_t)grad_size * sizeof *grad);
        if (job->hess != NULL) {
            memset(hess, 0, (size_t)hess_size * sizeof *hess);
        }
        for (int quad = 0; quad < nquad; ++quad) {
            point p;
            brn_batch_gradient(solid, batch, quad, dim, nnode, edge, p.f);
            evaluate(job, &p, order, dim);
            energy += brn_batch_volume(solid, batch, quad) * p.energy;
            if (job->grad != NULL) {
                add_gradient(job, batch, quad, &p, grad, dim, nnode);
            }
            if (job->hess != NULL) {
                add_hessian(job, batch, quad, &p, hess, dim, nnode);
            }
        }
        if (job->energy != NULL) {
            memcpy(job->energy + row, &energy, (size_t)rows * sizeof(double));
        }
        if (job->grad != NULL) {
            close_gradient(grad, dim, nnode);
            brn_lanes_write_rows(grad, grad_size, rows, job->grad + row * (size_t)grad_size);
        }
        if (job->hess != NULL) {
            close_hessian(hess, dim, nnode);
            brn_lanes_write_rows(hess, hess_size, rows, job->hess + row * (size_t)hess_size);
        }
    }
}

static void run_tri3(const request *job)
{
    brn_lanes edge[2 * 2], grad[3 * 2], hess[6 * 4];
    run(job, 2, 3, edge, grad, hess);
}

static void run_tet4(const request *job)
{
    brn_lanes edge[3 * 3], grad[4 * 3], hess[10 * 9];
    run(job, 3, 4, edge, grad, hess);
}

static void run_2d(const request *job)
{
    enum { N = 6 };
    brn_lanes edge[N * 2], grad[N * 2], hess[N * (N + 1) / 2 * 4];
    run(job, 2, job->solid->element->nnode, edge, grad, hess);
}

static void run_3d(const request *job)
{
    enum { N = BRN_ELEMENT_NODES_MAX };
    brn_lanes edge[N * 3], grad[N * 3], hess[N * (N + 1) / 2 * 9]; /* 120 kB of stack */
    run(job, 3, job->solid->element->nnode, edge, grad, hess);
}

void brn_solid_eval(const brn_solid *solid, const double (*x)[3], int first, int count, brn_tangent tangent,
                    double *energy, double *grad, double *hess)
{
    const request job = {solid, x, first, first + count, tangent, energy, grad, hess};
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
