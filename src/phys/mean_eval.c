/* Energy, gradient and Hessian of patches. With theta = ln(Jbar), the energy of a point is a function of F and theta,

       What(F, theta) = W(F exp(theta/d) J^(-1/d)),      d = dim,   r = (Jbar/J)^(1/d),   Fbar = r F,

   and with the stress P = dW/dF at Fbar, the mean stress tau = P : Fbar / d and the volume V = sum w J of the patch

       dWhat/dF = r P - tau F^-T,      dWhat/dtheta = tau,
       d theta = dV/V = 1/V sum w cof F : dF,      d2 theta = d2V/V - (d theta)^2.

   So the forces on the nodes are those of r P - tau F^-T at each point, and T d theta with T = sum w tau. In the stretches s of F, of which
   What is an isotropic function too, with W_i, W_ij, minus and plus at r s, and m_i = sum_j W_ij r s_j, n = (sum_i m_i r s_i / d + tau)/d,

       What_ij      = r^2 W_ij - r/d ((W_i + m_i)/s_j + (W_j + m_j)/s_i) + n/(s_i s_j) + delta_ij tau/s_i^2
       What_i,theta = r/d (W_i + m_i) - n/s_i,      What_theta,theta = n
       minus_k      = r^2 minus_k + tau/(s_i s_j),  plus_k = r^2 plus_k - tau/(s_i s_j).

   T d2V/V is a tangent of F as well, that of J = s1 s2 s3: J_ij = s_k, minus_k = -s_k, plus_k = s_k.

   The projection makes every point positive semi-definite in (dF, d theta), -T (d theta)^2 shared out to the points, and leaves out
   T d2V/V. Summed over all patches that term is only a matter of the body's surface and of differences in pressure, as V is a
   boundary integral; cut to its positive part patch by patch, a pressure beyond the shear modulus would stiffen everything.
   The viscous tangent is that of Fbar (phys/solid_eval.c): in the frames U = V = 1, with M at Fbar, N = M : Fbar, G = F^-T

       dFbar = r dF + Fbar (d theta - G : dF)/d,
       What_FF = r^2 M - r/d (N G + G N) + (Fbar : N)/d^2 G G,   What_F,theta = r/d N - (Fbar : N)/d^2 G,   What_theta,theta = (Fbar : N)/d^2.

   A linear material has Fbar = F + (theta - tr(F - 1))/d 1, theta the mean of tr(F - 1): the tangent is the viscous one of F = 1. */
#include "phys/lane_rows.h"
#include "phys/mean_solid.h"
#include "phys/solid_point.h"

enum { WIDTH_MAX = BRN_ELEMENT_NODES_MAX, POINTS_MAX = BRN_ELEMENT_QUAD_MAX };

/* One batch of patches. Vectors are [width][dim], without node 0, which gets minus the sum of the others. */
typedef struct patches {
    const brn_solid_job *job;
    const brn_solid *solid;
    const brn_mean_solid *mean; /* the same */
    int batch, width;
    brn_lanes edge[WIDTH_MAX * 3]; /* positions relative to node 0 */
    brn_lanes f[POINTS_MAX * 9], growth[POINTS_MAX];
    brn_lanes average;      /* of the growth */
    brn_lanes size;         /* V; of a linear material the volume at rest */
    brn_mask inside;        /* the domain; outside, F is replaced by 1 */
    brn_lanes energy, pull; /* pull: T */
    brn_lanes dtheta[WIDTH_MAX * 3], grad[WIDTH_MAX * 3], mixed[WIDTH_MAX * 3];
} patches;

/* ---- points ------------------------------------------------------------------------------------------------------------- */

BRN_LANES_INLINE brn_lanes point_volume(const patches *at, int quad)
{
    if (at->mean->volume == NULL) {
        return brn_batch_volume(at->solid, at->batch, quad);
    }
    const size_t point = (size_t)at->batch * (size_t)at->mean->npoint + (size_t)quad;
    return brn_lanes_load(at->mean->volume + point * BRN_LANES);
}

/* Gradients of the shape functions at rest, of nodes 1.. */
BRN_LANES_INLINE void point_shapes(const patches *at, int quad, const int dim, brn_lanes *g)
{
    const int count = at->width * dim;
    if (at->mean->gradient != NULL) {
        const size_t point = (size_t)at->batch * (size_t)at->mean->npoint + (size_t)quad;
        memcpy(g, at->mean->gradient + point * (size_t)(count * BRN_LANES), (size_t)count * sizeof *g);
        return;
    }
    const double *dn = at->solid->reference + quad * count;
    const double *inverse = brn_batch_inverse(at->solid, at->batch, quad, dim);
    for (int a = 1; a < at->width; ++a) {
        for (int j = 0; j < dim; ++j) {
            brn_lanes sum = dn[a * dim] * brn_lanes_load(inverse + j * BRN_LANES);
            for (int r = 1; r < dim; ++r) {
                sum += dn[a * dim + r] * brn_lanes_load(inverse + (r * dim + j) * BRN_LANES);
            }
            g[a * dim + j] = sum;
        }
    }
}

/* out_a += matrix g_a */
BRN_LANES_INLINE void add_vector(const brn_lanes *matrix, const brn_lanes *g, int width, const int dim,
                                 brn_lanes *out)
{
    for (int a = 1; a < width; ++a) {
        for (int i = 0; i < dim; ++i) {
            brn_lanes sum = out[a * dim + i];
            for (int j = 0; j < dim; ++j) {
                sum += matrix[i * dim + j] * g[a * dim + j];
            }
            out[a * dim + i] = sum;
        }
    }
}

BRN_LANES_INLINE brn_lanes contract(const brn_lanes *a, const brn_lanes *b, const int dim)
{
    brn_lanes sum = a[0] * b[0];
    for (int i = 1; i < dim * dim; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

BRN_LANES_INLINE brn_lanes unit(int i, const int dim)
{
    return brn_lanes_all(i % (dim + 1) == 0 ? 1.0 : 0.0);
}

/* ---- volume, energy, gradient --------------------------------------------------------------------------------------- */

/* F of all points, and the mean of their growth. */
BRN_LANES_INLINE void measure(patches *at, const int dim)
{
    const bool linear = at->solid->material->linear;
    const brn_lanes one = brn_lanes_all(1.0), tiny = brn_lanes_all(DBL_MIN);
    brn_lanes rest = brn_lanes_all(0.0), now = brn_lanes_all(0.0);
    at->inside = (brn_mask)(one > 0.0);
    for (int q = 0; q < at->mean->npoint; ++q) {
        brn_lanes g[WIDTH_MAX * 3];
        brn_lanes *f = at->f + q * dim * dim;
        point_shapes(at, q, dim, g);
        for (int i = 0; i < dim * dim; ++i) {
            f[i] = brn_lanes_all(0.0);
        }
        for (int a = 1; a < at->width; ++a) {
            for (int i = 0; i < dim * dim; ++i) {
                f[i] += at->edge[(a - 1) * dim + i / dim] * g[a * dim + i % dim];
            }
        }
        at->growth[q] = brn_batch_growth(at->solid, f, dim);
        at->inside &= (brn_mask)(at->growth[q] >= tiny);
        const brn_lanes volume = point_volume(at, q);
        rest += volume;
        now += volume * at->growth[q];
    }
    /* padding lanes have no volume */
    at->average = now / brn_lanes_max(rest, tiny);
    at->size = linear ? brn_lanes_max(rest, tiny) : now;
    at->inside = linear ? (brn_mask)(one > 0.0) : at->inside & (brn_mask)(at->average >= tiny);
    at->average = brn_lanes_select(at->inside, at->average, one);
    at->size = brn_lanes_select(at->inside, at->size, one);
    for (int q = 0; q < at->mean->npoint; ++q) {
        at->growth[q] = brn_lanes_select(at->inside, at->growth[q], one);
        for (int i = 0; i < dim * dim; ++i) {
            brn_lanes *f = at->f + q * dim * dim + i;
            *f = brn_lanes_select(at->inside, *f, unit(i, dim));
        }
    }
}

/* Fbar of a point, the factor r, and G = F^-T (of a linear material 1). */
BRN_LANES_INLINE brn_lanes averaged(const patches *at, int quad, const int dim, brn_lanes *fbar, brn_lanes *g)
{
    const brn_lanes *f = at->f + quad * dim * dim;
    memcpy(fbar, f, (size_t)(dim * dim) * sizeof *f);
    (void)brn_batch_cofactor(f, dim, g);
    for (int i = 0; i < dim * dim; ++i) {
        g[i] = at->solid->material->linear ? unit(i, dim) : g[i] / at->growth[quad];
    }
    return brn_batch_average(at->solid, at->growth[quad], at->average, dim, fbar);
}

BRN_LANES_INLINE void add_first(patches *at, brn_order order, const int dim)
{
    const int size = at->width * dim;
    at->energy = at->pull = brn_lanes_all(0.0);
    memset(at->grad, 0, (size_t)size * sizeof *at->grad);
    memset(at->dtheta, 0, (size_t)size * sizeof *at->dtheta);
    for (int q = 0; q < at->mean->npoint; ++q) {
        brn_solid_point p;
        brn_lanes inverse[9], shapes[WIDTH_MAX * 3], flux[9], spread[9];
        const brn_lanes volume = point_volume(at, q);
        const brn_lanes r = averaged(at, q, dim, p.f, inverse);
        brn_point_evaluate(at->job, &p, order, dim);
        at->energy += volume * p.energy;
        if (order == BRN_ORDER_ENERGY) {
            continue;
        }
        const bool linear = at->solid->material->linear;
        const brn_lanes tau = contract(p.stress, linear ? inverse : p.f, dim) / (double)dim;
        const brn_lanes jac = linear ? brn_lanes_all(1.0) : at->growth[q];
        at->pull += volume * tau;
        for (int i = 0; i < dim * dim; ++i) {
            flux[i] = volume * (r * p.stress[i] - tau * inverse[i]);
            spread[i] = volume * jac / at->size * inverse[i];
        }
        point_shapes(at, q, dim, shapes);
        add_vector(flux, shapes, at->width, dim, at->grad);
        add_vector(spread, shapes, at->width, dim, at->dtheta);
    }
    at->energy = brn_lanes_select(at->inside, at->energy, brn_lanes_all(INFINITY));
    for (int i = dim; i < size; ++i) {
        at->grad[i] += at->pull * at->dtheta[i];
    }
}

/* ---- Hessian ------------------------------------------------------------------------------------------------------------ */

/* Second derivatives of a point in (F, theta), times its volume: What_FF as blocks M_jl in the frame V, What_F,theta, What_theta,theta. */
typedef struct second {
    brn_lanes m[81], v[9], mixed[9], theta;
} second;

/* [[A, b], [b', c]] is positive semi-definite if A - b b'/c is. c may be raised; to at least |b|, so that the quotient stays small. */
BRN_LANES_INLINE void project(brn_stretch_batch *w, const brn_lanes *b, brn_lanes *c, const int dim)
{
    brn_lanes bound = brn_lanes_all(0.0);
    for (int i = 0; i < dim; ++i) {
        bound = brn_lanes_max(bound, brn_lanes_abs(b[i]));
    }
    *c = brn_lanes_max(*c, bound);
    const brn_lanes over = 1.0 / brn_lanes_max(*c, brn_lanes_all(DBL_MIN));
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < dim; ++i) {
            const brn_lanes share = (pass == 0 ? -over : over) * b[i];
            w->diag[i] += share * b[i];
            for (int j = i + 1; j < dim; ++j) {
                w->off[3 - i - j] += share * b[j];
            }
        }
        if (pass == 0) {
            brn_point_project(w, dim);
        }
    }
}

/* In: w with the material's derivatives at the stretches r s; turn: T/V. Out: those of What in s, and in theta. */
BRN_LANES_INLINE void hat(brn_stretch_batch *w, const brn_lanes *s, brn_lanes r, brn_lanes turn,
                          const int dim, brn_lanes *cross, brn_lanes *theta)
{
    brn_lanes tau = brn_lanes_all(0.0), n = brn_lanes_all(0.0), first[3];
    for (int i = 0; i < dim; ++i) {
        brn_lanes sum = w->diag[i] * w->s[i];
        for (int j = 0; j < dim; ++j) {
            sum += j != i ? w->off[3 - i - j] * w->s[j] : brn_lanes_all(0.0);
        }
        tau += w->first[i] * w->s[i] / (double)dim;
        n += sum * w->s[i] / (double)dim;
        first[i] = r / (double)dim * (w->first[i] + sum);
    }
    n = (n + tau) / (double)dim;
    for (int i = 0; i < dim; ++i) {
        cross[i] = first[i] - n / s[i];
        w->diag[i] = r * r * w->diag[i] - 2.0 * first[i] / s[i] + (n + tau) / (s[i] * s[i]);
        for (int j = i + 1; j < dim; ++j) {
            const int k = 3 - i - j;
            const brn_lanes area = s[i] * s[j];
            w->off[k] = r * r * w->off[k] - first[i] / s[j] - first[j] / s[i] + n / area + turn * s[k];
            w->minus[k] = r * r * w->minus[k] + tau / area - turn * s[k];
            w->plus[k] = r * r * w->plus[k] - tau / area + turn * s[k];
        }
    }
    *theta = n - tau;
}

BRN_LANES_INLINE void second_of_stretches(const patches *at, int quad, brn_tangent tangent, const int dim,
                                          second *out)
{
    brn_solid_point p;
    brn_lanes s[3], cross[3];
    const brn_lanes volume = point_volume(at, quad);
    const brn_lanes r = brn_batch_ratio(at->growth[quad], at->average, dim);
    memcpy(p.f, at->f + quad * dim * dim, (size_t)(dim * dim) * sizeof *p.f);
    brn_point_spectrum(&p, dim);
    memcpy(s, p.w.s, sizeof s);
    for (int i = 0; i < dim; ++i) {
        p.w.s[i] = r * s[i];
    }
    at->solid->material->stretches(&at->solid->moduli, BRN_ORDER_SECOND, &p.w);
    const bool projects = brn_tangent_projects(tangent);
    hat(&p.w, s, r, projects ? brn_lanes_all(0.0) : at->pull / at->size, dim, cross, &out->theta);
    if (projects) {
        project(&p.w, cross, &out->theta, dim);
    }
    brn_point_tangent(&p, volume, out->m, dim);
    for (int i = 0; i < dim; ++i) {
        p.w.first[i] = cross[i];
    }
    brn_point_stretches_first(&p, dim);
    for (int i = 0; i < dim * dim; ++i) {
        out->mixed[i] = volume * p.stress[i];
        out->v[i] = p.v[i];
    }
    out->theta *= volume;
}

BRN_LANES_INLINE void second_of_viscous(const patches *at, int quad, const int dim, second *out)
{
    const int size = dim * dim;
    const bool linear = at->solid->material->linear;
    brn_solid_point p;
    brn_lanes g[9], n[9];
    const brn_lanes r = averaged(at, quad, dim, p.f, g);
    for (int i = 0; i < size; ++i) {
        p.f[i] = linear ? unit(i, dim) : p.f[i];
    }
    brn_point_viscous(&at->solid->moduli, &p, point_volume(at, quad), out->m, dim);
    /* entry (r, j), (t, l) of M is m[j][l][r][t] */
    for (int i = 0; i < size; ++i) {
        brn_lanes sum = brn_lanes_all(0.0);
        for (int k = 0; k < size; ++k) {
            sum += out->m[(i % dim * dim + k % dim) * size + i / dim * dim + k / dim] * p.f[k];
        }
        n[i] = r / (double)dim * sum;
        out->v[i] = unit(i, dim);
    }
    out->theta = contract(n, p.f, dim) / (r * (double)dim);
    for (int i = 0; i < size; ++i) {
        for (int k = 0; k < size; ++k) {
            brn_lanes *m = out->m + (i % dim * dim + k % dim) * size + i / dim * dim + k / dim;
            *m = r * r * *m - n[i] * g[k] - g[i] * n[k] + out->theta * g[i] * g[k];
        }
        out->mixed[i] = n[i] - out->theta * g[i];
    }
}

BRN_LANES_INLINE void add_second(patches *at, brn_tangent tangent, brn_lanes *hess, const int dim)
{
    const int width = at->width, size = dim * dim;
    const bool viscous = tangent == BRN_TANGENT_VISCOUS || at->solid->material->linear;
    brn_lanes theta = brn_lanes_all(0.0);
    memset(hess, 0, (size_t)(width * (width + 1) / 2 * size) * sizeof *hess);
    memset(at->mixed, 0, (size_t)(width * dim) * sizeof *at->mixed);
    for (int q = 0; q < at->mean->npoint; ++q) {
        second d;
        brn_lanes shapes[WIDTH_MAX * 3], turned[WIDTH_MAX * 3];
        if (viscous) {
            second_of_viscous(at, q, dim, &d);
        } else {
            second_of_stretches(at, q, tangent, dim, &d);
        }
        theta += d.theta;
        point_shapes(at, q, dim, shapes);
        add_vector(d.mixed, shapes, width, dim, at->mixed);
        for (int b = 1; b < width; ++b) {
            for (int j = 0; j < dim; ++j) {
                brn_lanes sum = d.v[j] * shapes[b * dim];
                for (int k = 1; k < dim; ++k) {
                    sum += d.v[k * dim + j] * shapes[b * dim + k];
                }
                turned[b * dim + j] = sum;
            }
            brn_point_add_node(d.m, turned, b, hess, dim, width);
        }
    }
    /* mixed dtheta' + dtheta mixed' + theta dtheta dtheta' */
    for (int b = 1; b < width; ++b) {
        for (int a = 1; a <= b; ++a) {
            brn_lanes *block = hess + brn_block_at(a, b, width, size);
            for (int i = 0; i < size; ++i) {
                const int row = a * dim + i / dim, column = b * dim + i % dim;
                block[i] += at->mixed[row] * at->dtheta[column] +
                            at->dtheta[row] * (at->mixed[column] + theta * at->dtheta[column]);
            }
        }
    }
}

/* ---- what resists velocities ---------------------------------------------------------------------------------------------- */

/* The viscous tangent times velocities (relative to node 0's, as positions are), without the tangent: with P' = M : dFbar, as the gradient is from P. */
BRN_LANES_INLINE void add_resistance(patches *at, const brn_lanes *rate, const int dim)
{
    const int size = at->width * dim;
    const bool linear = at->solid->material->linear;
    brn_lanes turn[POINTS_MAX * 9], g[9], fbar[9], theta = brn_lanes_all(0.0);
    memset(at->grad, 0, (size_t)size * sizeof *at->grad);
    memset(at->dtheta, 0, (size_t)size * sizeof *at->dtheta);
    at->pull = brn_lanes_all(0.0);
    for (int q = 0; q < at->mean->npoint; ++q) {
        brn_lanes shapes[WIDTH_MAX * 3], spread[9];
        brn_lanes *of = turn + q * dim * dim;
        const brn_lanes share =
            point_volume(at, q) * (linear ? brn_lanes_all(1.0) : at->growth[q]) / at->size;
        (void)averaged(at, q, dim, fbar, g);
        point_shapes(at, q, dim, shapes);
        for (int i = 0; i < dim * dim; ++i) {
            of[i] = brn_lanes_all(0.0);
            spread[i] = share * g[i];
        }
        for (int a = 1; a < at->width; ++a) {
            for (int i = 0; i < dim * dim; ++i) {
                of[i] += rate[(a - 1) * dim + i / dim] * shapes[a * dim + i % dim];
            }
        }
        theta += contract(spread, of, dim);
        add_vector(spread, shapes, at->width, dim, at->dtheta);
    }
    for (int q = 0; q < at->mean->npoint; ++q) {
        brn_lanes shapes[WIDTH_MAX * 3], stress[9], flux[9];
        brn_lanes *of = turn + q * dim * dim;
        const brn_lanes volume = point_volume(at, q);
        const brn_lanes r = averaged(at, q, dim, fbar, g);
        const brn_lanes mean = (theta - contract(g, of, dim)) / (double)dim;
        for (int i = 0; i < dim * dim; ++i) {
            fbar[i] = linear ? unit(i, dim) : fbar[i];
            of[i] = r * of[i] + mean * fbar[i];
        }
        brn_point_resist(at->solid, fbar, of, stress, dim);
        const brn_lanes tau = contract(stress, fbar, dim) / (double)dim;
        at->pull += volume * tau;
        for (int i = 0; i < dim * dim; ++i) {
            flux[i] = volume * (r * stress[i] - tau * g[i]);
        }
        point_shapes(at, q, dim, shapes);
        add_vector(flux, shapes, at->width, dim, at->grad);
    }
    for (int i = dim; i < size; ++i) {
        at->grad[i] += at->pull * at->dtheta[i];
    }
}

/* ---- batches ------------------------------------------------------------------------------------------------------------- */

/* All batches of a job, with constant dim. */
BRN_LANES_INLINE void run(const brn_solid_job *job, const int dim, brn_lanes *hess)
{
    const brn_stencils list = brn_group_stencils(&job->solid->group);
    const int width = list.width;
    const int grad_size = width * dim, hess_size = width * (width + 1) / 2 * dim * dim;
    const brn_order order = job->hess != NULL || job->grad != NULL ? BRN_ORDER_FIRST : BRN_ORDER_ENERGY;
    patches at = {
        .job = job, .solid = job->solid, .mean = (const brn_mean_solid *)job->solid, .width = width};
    for (at.batch = job->first / BRN_LANES; at.batch * BRN_LANES < job->end; ++at.batch) {
        const int rows = brn_batch_rows(at.batch, job->end);
        const size_t row = (size_t)(at.batch * BRN_LANES - job->first);
        brn_batch_gather(list, job->x, at.batch, dim, width, at.edge);
        measure(&at, dim);
        add_first(&at, order, dim);
        if (job->energy != NULL) {
            memcpy(job->energy + row, &at.energy, (size_t)rows * sizeof(double));
        }
        if (job->hess != NULL) {
            add_second(&at, job->tangent, hess, dim);
            brn_point_close_hessian(hess, dim, width);
            brn_lanes_write_rows(hess, hess_size, rows, job->hess + row * (size_t)hess_size);
        }
        if (job->grad != NULL) {
            brn_point_close_gradient(at.grad, dim, width);
            brn_lanes_write_rows(at.grad, grad_size, rows, job->grad + row * (size_t)grad_size);
        }
    }
}

static void run_2d(const brn_solid_job *job)
{
    enum { N = 6 };
    brn_lanes hess[N * (N + 1) / 2 * 4];
    run(job, 2, hess);
}

static void run_3d(const brn_solid_job *job)
{
    brn_lanes hess[WIDTH_MAX * (WIDTH_MAX + 1) / 2 * 9]; /* 120 kB of stack */
    run(job, 3, hess);
}

void brn_mean_solid_eval(const brn_mean_solid *mean, const double (*x)[3], int first, int count,
                         brn_tangent tangent, double *energy, double *grad, double *hess)
{
    const brn_solid_job job = {&mean->solid, x, first, first + count, tangent, energy, grad, hess};
    if (mean->solid.element->dim == 2) {
        run_2d(&job);
    } else {
        run_3d(&job);
    }
}

BRN_LANES_INLINE void run_resist(const brn_mean_solid *mean, const double (*x)[3], const double (*v)[3],
                                 int first, int end, double *out, const int dim)
{
    const brn_stencils list = brn_group_stencils(&mean->solid.group);
    const int size = list.width * dim;
    brn_lanes rate[WIDTH_MAX * 3];
    patches at = {.solid = &mean->solid, .mean = mean, .width = list.width};
    for (at.batch = first / BRN_LANES; at.batch * BRN_LANES < end; ++at.batch) {
        brn_batch_gather(list, x, at.batch, dim, list.width, at.edge);
        brn_batch_gather(list, v, at.batch, dim, list.width, rate);
        measure(&at, dim);
        add_resistance(&at, rate, dim);
        brn_point_close_gradient(at.grad, dim, list.width);
        brn_lanes_write_rows(at.grad, size, brn_batch_rows(at.batch, end),
                             out + (size_t)(at.batch * BRN_LANES - first) * (size_t)size);
    }
}

void brn_mean_solid_resist(const brn_mean_solid *mean, const double (*x)[3], const double (*v)[3], int first,
                           int count, double *out)
{
    if (mean->solid.element->dim == 2) {
        run_resist(mean, x, v, first, first + count, out, 2);
    } else {
        run_resist(mean, x, v, first, first + count, out, 3);
    }
}
