/* Energy, stress and tangent of a batch at a quadrature point, for the kernels of solids (phys/solid_eval.c has the equations). */
#ifndef BRN_PHYS_SOLID_POINT_H
#define BRN_PHYS_SOLID_POINT_H

#include "phys/solid_batch.h"
#include "phys/svd.h"

/* The arguments of an eval. */
typedef struct brn_solid_job {
    const brn_solid *solid;
    const double (*x)[3];
    int first, end;
    brn_tangent tangent;
    double *energy, *grad, *hess;
} brn_solid_job;

/* One quadrature point of a batch; matrices are dim x dim, row-major. */
typedef struct brn_solid_point {
    brn_lanes f[9], stress[9], u[9], v[9];
    brn_lanes energy;
    brn_stretch_batch w;
} brn_solid_point;

/* ---- energy and stress -------------------------------------------------------------------------------------- */

BRN_LANES_INLINE void brn_point_linear_first(const brn_moduli *m, brn_solid_point *p, const int dim)
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
BRN_LANES_INLINE void brn_point_invariants_first(const brn_solid *solid, brn_solid_point *p, brn_order order,
                                                 const int dim)
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
BRN_LANES_INLINE void brn_point_stretches_first(brn_solid_point *p, const int dim)
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

BRN_LANES_INLINE void brn_point_spectrum(brn_solid_point *p, const int dim)
{
    if (dim == 3) {
        brn_svd3(p->f, p->u, p->w.s, p->v);
    } else {
        brn_svd2(p->f, p->u, p->w.s, p->v);
        p->w.s[2] = brn_lanes_all(1.0);
    }
}

BRN_LANES_INLINE void brn_point_linear_tangent(const brn_moduli *m, brn_solid_point *p, const int dim)
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
BRN_LANES_INLINE void brn_point_project(brn_stretch_batch *w, const int dim)
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
BRN_LANES_INLINE void brn_point_evaluate(const brn_solid_job *job, brn_solid_point *p, brn_order order,
                                         const int dim)
{
    const brn_material *material = job->solid->material;
    const brn_moduli *moduli = &job->solid->moduli;
    if (material->linear) {
        brn_point_linear_first(moduli, p, dim);
        brn_point_linear_tangent(moduli, p, dim);
        return;
    }
    if (material->invariants != NULL) {
        brn_point_invariants_first(job->solid, p, order < BRN_ORDER_SECOND ? order : BRN_ORDER_FIRST, dim);
    }
    const bool viscous = order == BRN_ORDER_SECOND && job->tangent == BRN_TANGENT_VISCOUS;
    if (material->invariants == NULL || (order == BRN_ORDER_SECOND && !viscous)) {
        brn_point_spectrum(p, dim);
        material->stretches(moduli, order, &p->w);
        if (material->invariants == NULL && order >= BRN_ORDER_FIRST) {
            brn_point_stretches_first(p, dim);
        } else if (material->invariants == NULL) {
            p->energy = p->w.energy;
        }
    }
    if (order == BRN_ORDER_SECOND && job->tangent == BRN_TANGENT_LAGGED && material->lagged) {
        p->w.plus[0] = p->w.plus[1] = p->w.plus[2] = brn_lanes_all(0.0);
    } else if (order == BRN_ORDER_SECOND && brn_tangent_projects(job->tangent)) {
        brn_point_project(&p->w, dim);
    }
}

/* ---- tangent ---------------------------------------------------------------------------------------------------- */

/* m[j][l] = w M_jl, each dim x dim. */
BRN_LANES_INLINE void brn_point_tangent(const brn_solid_point *p, brn_lanes volume, brn_lanes *m,
                                        const int dim)
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
BRN_LANES_INLINE void brn_point_viscous(const brn_moduli *moduli, brn_solid_point *p, brn_lanes volume,
                                        brn_lanes *m, const int dim)
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

/* ---- element gradient and Hessian ----------------------------------------------------------------------------- */

/* P = F S of a rate of F: the viscous tangent times it (phys/solid_resist.c). */
BRN_LANES_INLINE void brn_point_resist(const brn_solid *solid, const brn_lanes *f, const brn_lanes *rate,
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

/* grad_a += w P g_a for the nodes 1.. */
BRN_LANES_INLINE void brn_point_add_gradient(const brn_solid *solid, int batch, int quad,
                                             const brn_solid_point *p, brn_lanes *grad, const int dim,
                                             const int nnode)
{
    const double *dn = solid->reference + quad * nnode * dim;
    const double *inverse = brn_batch_inverse(solid, batch, quad, dim);
    const brn_lanes volume = brn_batch_volume(solid, batch, quad);
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

/* Place of block (a, b), a <= b, in an element's Hessian. */
BRN_LANES_INLINE int brn_block_at(int a, int b, int nnode, int size)
{
    return (a * nnode - a * (a - 1) / 2 + b - a) * size;
}

/* hess_ab += g'_a . M . g'_b for one b and 1 <= a <= b. */
BRN_LANES_INLINE void brn_point_add_node(const brn_lanes *m, const brn_lanes *g, const int b, brn_lanes *hess,
                                         const int dim, const int nnode)
{
    const int size = dim * dim;
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
        brn_lanes *block = hess + brn_block_at(a, b, nnode, size);
        for (int i = 0; i < size; ++i) {
            brn_lanes sum = block[i];
            for (int j = 0; j < dim; ++j) {
                sum += g[a * dim + j] * half[j * size + i];
            }
            block[i] = sum;
        }
    }
}

/* Node 0: rows and columns of the gradient and the Hessian sum to zero. */
BRN_LANES_INLINE void brn_point_close_gradient(brn_lanes *grad, const int dim, const int nnode)
{
    for (int i = 0; i < dim; ++i) {
        brn_lanes sum = brn_lanes_all(0.0);
        for (int a = 1; a < nnode; ++a) {
            sum += grad[a * dim + i];
        }
        grad[i] = -sum;
    }
}

BRN_LANES_INLINE void brn_point_close_hessian(brn_lanes *hess, const int dim, const int nnode)
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
                    sum += hess[brn_block_at(a, b, nnode, size) + i * dim + j];
                }
                for (int a = b + 1; a < nnode; ++a) {
                    sum += hess[brn_block_at(b, a, nnode, size) + j * dim + i];
                }
                hess[brn_block_at(0, b, nnode, size) + i * dim + j] = -sum;
                hess[j * dim + i] += sum;
            }
        }
    }
}

#endif
