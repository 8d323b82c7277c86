/* Positive semi-definite Hessians of contacts.

   Without mollifier the Hessian of A b(D) is, with D = |n|^2, n = sum_i w_i x_i, f_k = w_k n + w t_k (geom/distance.h; w_k the
   weights' derivatives by parameters whose t_k = sum_i w_k,i x_i are orthonormal, "w v" meaning the vector w_i v over the nodes),

       H = alpha (w n^)(w n^)' - c sum_k [ (w t_k)(w t_k)' - f_k f_k' ] - c (w m)(w m)' ...,   alpha = A b''(d),   c = -2 A b'(D) >= 0

   (m: directions across n that no parameter follows; n^ = n/d). alpha is positive, and the rest splits into blocks of two
   directions, w t_k and w_k n^, once the parameters are rotated so that the w_k are orthogonal:

       -(w t)(w t)' + f f' = [ 0  q s ]     in the unit vectors of w t and w_k n^,   q = d |w_k|,  s = |w|,
                             [ q s  q^2 ]

   whose one positive eigenvalue is (q^2 + q sqrt(q^2 + 4 s^2))/2. So at most three outer products and no iteration. Only the
   negative part of the rest is dropped: the sum is positive semi-definite and not below H. */
#include "step/ipc/ipc.h"

#include "geom/mollifier.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 12 };

/* ---- any matrix: the nearest positive semi-definite one ------------------------------------------------------------------ */

/* Projects h [WIDTH][WIDTH], whose range lies in the span of the orthonormal rows q [k][WIDTH]: the eigenvalues other than
   0 are those of q h q', so only a k x k problem is solved. */
static brn_status project_within(double *h, int k, const double (*q)[WIDTH])
{
    double hq[9][WIDTH];
    double a[81];
    double w[9];
    double v[81];
    for (int i = 0; i < k; ++i) {
        for (int r = 0; r < WIDTH; ++r) {
            hq[i][r] = 0.0;
            for (int c = 0; c < WIDTH; ++c) {
                hq[i][r] += h[r * WIDTH + c] * q[i][c];
            }
        }
    }
    for (int i = 0; i < k; ++i) {
        for (int j = 0; j < k; ++j) {
            a[i * k + j] = 0.0;
            for (int r = 0; r < WIDTH; ++r) {
                a[i * k + j] += q[i][r] * hq[j][r];
            }
        }
    }
    BRN_TRY(brn_dense_eigen_sym(k, a, w, v));
    memset(h, 0, WIDTH * WIDTH * sizeof *h);
    for (int e = k - 1; e >= 0 && w[e] > 0.0; --e) {
        double full[WIDTH] = {0};
        for (int i = 0; i < k; ++i) {
            for (int r = 0; r < WIDTH; ++r) {
                full[r] += v[i * k + e] * q[i][r];
            }
        }
        for (int r = 0; r < WIDTH; ++r) {
            for (int c = 0; c < WIDTH; ++c) {
                h[r * WIDTH + c] += w[e] * full[r] * full[c];
            }
        }
    }
    return BRN_OK;
}

/* Any term: it does not change when all nodes move alike. The basis is the differences between node k and the mean of
   those before it. */
static brn_status project(double *h, int count)
{
    double q[9][WIDTH] = {{0}};
    for (int k = 1; k < count; ++k) {
        const double scale = 1.0 / sqrt((double)k * (k + 1));
        for (int d = 0; d < 3; ++d) {
            for (int i = 0; i < k; ++i) {
                q[3 * (k - 1) + d][3 * i + d] = -scale;
            }
            q[3 * (k - 1) + d][3 * k + d] = k * scale;
        }
    }
    return project_within(h, 3 * (count - 1), (const double(*)[WIDTH])q);
}

/* ---- barriers without mollifier --------------------------------------------------------------------------------------------- */

/* A parameter of the closest points: how the weights and n change with it. */
typedef struct parameter {
    double w[4], t[3];
} parameter;

static double dot4(const double a[4], const double b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* The parameters of a stencil with t orthonormal and w orthogonal; returns how many. */
static int find_parameters(brn_stencil s, const double x[4][3], parameter to[2])
{
    static const double by_kind[4][2][4] = {
        [BRN_PAIR_PE] = {{0, 1, -1, 0}},
        [BRN_PAIR_PT] = {{0, 1, -1, 0}, {0, 1, 0, -1}},
        [BRN_PAIR_EE] = {{-1, 1, 0, 0}, {0, 0, 1, -1}},
    };
    const int count = s.kind == BRN_PAIR_PP ? 0 : s.kind == BRN_PAIR_PE ? 1 : 2;
    for (int k = 0; k < count; ++k) {
        parameter *p = &to[k];
        memcpy(p->w, by_kind[s.kind][k], sizeof p->w);
        for (int i = 0; i < 3; ++i) {
            p->t[i] = 0.0;
            for (int a = 0; a < s.count; ++a) {
                p->t[i] += p->w[a] * x[s.node[a]][i];
            }
        }
        const double along = k == 1 ? brn_dense_dot3(p->t, to[0].t) : 0.0;
        for (int i = 0; i < 3 && k == 1; ++i) {
            p->t[i] -= along * to[0].t[i];
        }
        for (int a = 0; a < 4 && k == 1; ++a) {
            p->w[a] -= along * to[0].w[a];
        }
        const double length = sqrt(brn_dense_dot3(p->t, p->t));
        for (int i = 0; i < 3; ++i) {
            p->t[i] /= length;
        }
        for (int a = 0; a < 4; ++a) {
            p->w[a] /= length;
        }
    }
    if (count == 2) {
        const double mixed = dot4(to[0].w, to[1].w);
        const double angle = 0.5 * atan2(2.0 * mixed, dot4(to[0].w, to[0].w) - dot4(to[1].w, to[1].w));
        const double c = cos(angle);
        const double d = sin(angle);
        const parameter a = to[0];
        const parameter b = to[1];
        for (int i = 0; i < 4; ++i) {
            to[0].w[i] = c * a.w[i] + d * b.w[i];
            to[1].w[i] = c * b.w[i] - d * a.w[i];
        }
        for (int i = 0; i < 3; ++i) {
            to[0].t[i] = c * a.t[i] + d * b.t[i];
            to[1].t[i] = c * b.t[i] - d * a.t[i];
        }
    }
    return count;
}

/* h += scale v v' over the stencil's nodes. */
static void add_outer(double *h, brn_stencil s, double scale, const double v[WIDTH])
{
    const int n = 3 * s.count;
    for (int i = 0; i < n; ++i) {
        double *row = &h[(3 * s.node[i / 3] + i % 3) * WIDTH];
        const double factor = scale * v[i];
        for (int b = 0; b < s.count; ++b) {
            for (int j = 0; j < 3; ++j) {
                row[3 * s.node[b] + j] += factor * v[3 * b + j];
            }
        }
    }
}

static void barrier_hessian(const brn_ipc *ipc, const brn_contact_pair *c, const double x[4][3], double *hess)
{
    const brn_stencil s = c->stencil;
    double w[4] = {0};
    double n[3];
    double v[WIDTH];
    parameter parameters[2];
    const double d2 = brn_stencil_closest(s, x, w, n);
    const double d = sqrt(d2);
    const brn_barrier b = brn_ipc_barrier_of(ipc, c, d2);
    const double size = sqrt(dot4(w, w));
    memset(hess, 0, WIDTH * WIDTH * sizeof *hess);
    for (int i = 0; i < WIDTH; ++i) {
        v[i] = w[i / 3] * n[i % 3] / d;
    }
    add_outer(hess, s, c->area * (4.0 * d2 * b.second + 2.0 * b.first), v);
    const int count = find_parameters(s, x, parameters);
    for (int k = 0; k < count; ++k) {
        const parameter *p = &parameters[k];
        const double norm = sqrt(dot4(p->w, p->w));
        const double q = d * norm;
        const double eigenvalue = 0.5 * (q * q + q * sqrt(q * q + 4.0 * size * size));
        const double length = hypot(q * size, eigenvalue);
        const double along = q * size / (length * size);        /* of w t */
        const double across = eigenvalue / (length * norm * d); /* of w_k n */
        for (int i = 0; i < WIDTH; ++i) {
            v[i] = along * w[i / 3] * p->t[i % 3] + across * p->w[i / 3] * n[i % 3];
        }
        add_outer(hess, s, -2.0 * c->area * b.first * eigenvalue, v);
    }
}

brn_status brn_ipc_barrier_projected(const brn_ipc *ipc, const brn_contact_pair *c, const double *x,
                                     double *hess)
{
    double at[4][3];
    const int count = brn_candidate_gather(c->node, x, at);
    const double(*nodes)[3] = (const double(*)[3])at;
    const bool mollified =
        c->kind == BRN_TOUCH_EDGE_EDGE && brn_mollifier(nodes, brn_ipc_mollifier_threshold(ipc, c)) < 1.0;
    if (mollified || c->area < 0.0) {
        double grad[WIDTH];
        (void)brn_ipc_barrier_term(ipc, c, x, grad, hess);
        return project(hess, count);
    }
    barrier_hessian(ipc, c, nodes, hess);
    return BRN_OK;
}
