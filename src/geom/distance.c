#include "geom/distance.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* ---- closest points of the smooth forms ------------------------------------------------------------------------ */

/* Closest points of a form with up to two free parameters u, v (see distance.h). */
typedef struct closest {
    double n[3], w[4];
    double nu[3], nv[3];        /* derivatives of n in u, v */
    double guu, guv, gvv, ginv; /* G and the inverse of its determinant; of guu alone with one parameter */
} closest;

static inline void minus(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; ++k) {
        c[k] = a[k] - b[k];
    }
}

/* n = q + u e, orthogonal to e. */
static inline double closest_point_line(const double *const x[3], closest *c)
{
    double q[3], e[3];
    minus(x[0], x[1], q);
    minus(x[2], x[1], e);
    c->guu = brn_dense_dot3(e, e);
    c->ginv = 1.0 / c->guu;
    const double u = brn_dense_dot3(q, e) * c->ginv;
    for (int k = 0; k < 3; ++k) {
        c->n[k] = q[k] - u * e[k];
        c->nu[k] = -e[k];
    }
    c->w[0] = 1.0;
    c->w[1] = u - 1.0;
    c->w[2] = -u;
    return brn_dense_dot3(c->n, c->n);
}

/* The part n of r along the normal of e1 and e2, and r = n - u e1 - v e2. The computed normal is normal to the sides
   within rounding / sine only, so the height is taken of r + u e1 + v e2, which has hardly any part along them. */
static inline double project_out(const double r[3], const double e1[3], const double e2[3], double uv[2],
                                 closest *c)
{
    double normal[3], m[3];
    brn_dense_cross3(e1, e2, normal);
    c->ginv = 1.0 / brn_dense_dot3(normal, normal);
    brn_dense_cross3(e2, normal, m);
    uv[0] = -brn_dense_dot3(r, m) * c->ginv;
    brn_dense_cross3(normal, e1, m);
    uv[1] = -brn_dense_dot3(r, m) * c->ginv;
    for (int k = 0; k < 3; ++k) {
        m[k] = r[k] + uv[0] * e1[k] + uv[1] * e2[k];
    }
    const double height = brn_dense_dot3(normal, m), s = height * c->ginv;
    for (int k = 0; k < 3; ++k) {
        c->n[k] = s * normal[k];
    }
    return height * s;
}

static inline void set_gram(const double e1[3], const double e2[3], closest *c)
{
    memcpy(c->nu, e1, sizeof c->nu);
    memcpy(c->nv, e2, sizeof c->nv);
    c->guu = brn_dense_dot3(e1, e1);
    c->guv = brn_dense_dot3(e1, e2);
    c->gvv = brn_dense_dot3(e2, e2);
}

/* n = (p - t0) + u (t0 - t1) + v (t0 - t2) */
static inline double closest_point_plane(const double *const x[4], closest *c, int gram)
{
    double r[3], e1[3], e2[3], uv[2];
    minus(x[0], x[1], r);
    minus(x[1], x[2], e1);
    minus(x[1], x[3], e2);
    const double squared = project_out(r, e1, e2, uv, c);
    c->w[0] = 1.0;
    c->w[1] = uv[0] + uv[1] - 1.0;
    c->w[2] = -uv[0];
    c->w[3] = -uv[1];
    if (gram) {
        set_gram(e1, e2, c);
    }
    return squared;
}

/* n = (a0 - b0) + u (a1 - a0) + v (b0 - b1) */
static inline double closest_line_line(const double *const x[4], closest *c, int gram)
{
    double r[3], e1[3], e2[3], uv[2];
    minus(x[0], x[2], r);
    minus(x[1], x[0], e1);
    minus(x[2], x[3], e2);
    const double squared = project_out(r, e1, e2, uv, c);
    c->w[0] = 1.0 - uv[0];
    c->w[1] = uv[0];
    c->w[2] = uv[1] - 1.0;
    c->w[3] = -uv[1];
    if (gram) {
        set_gram(e1, e2, c);
    }
    return squared;
}

static inline void set_gradient(int count, const double w[], const double n[3], double *g)
{
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            g[3 * i + k] = 2.0 * w[i] * n[k];
        }
    }
}

/* h += 2 w w' x I */
static inline void add_weights(int count, const double w[], double *h)
{
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            const double s = 2.0 * w[i] * w[j];
            for (int k = 0; k < 3; ++k) {
                h[(3 * i + k) * 3 * count + 3 * j + k] += s;
            }
        }
    }
}

/* Hessian with two parameters; wu, wv: derivatives of the weights. By Cholesky's factors of the inverse of G, so that
   the matrix is symmetric to the last bit. */
static inline void set_hessian(const closest *c, const double wu[4], const double wv[4], double h[144])
{
    double p[12], q[12];
    const double scale_p = sqrt(1.0 / c->guu), scale_q = sqrt(c->guu * c->ginv), mix = c->guv / c->guu;
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            const double fu = wu[i] * c->n[k] + c->w[i] * c->nu[k];
            const double fv = wv[i] * c->n[k] + c->w[i] * c->nv[k];
            p[3 * i + k] = M_SQRT2 * scale_p * fu;
            q[3 * i + k] = M_SQRT2 * scale_q * (fv - mix * fu);
        }
    }
    for (int i = 0; i < 12; ++i) {
        for (int j = 0; j < 12; ++j) {
            h[12 * i + j] = -p[i] * p[j] - q[i] * q[j];
        }
    }
    add_weights(4, c->w, h);
}

/* ---- the forms by pointers to their nodes, up to a derivative of some order (a constant in every call) --------- */

static const double weights_pp[2] = {1.0, -1.0};

static inline double point_point(const double *const x[2], int order, double *g, double *h)
{
    double n[3];
    minus(x[0], x[1], n);
    if (order > 0) {
        set_gradient(2, weights_pp, n, g);
    }
    if (order > 1) {
        memset(h, 0, 36 * sizeof *h);
        add_weights(2, weights_pp, h);
    }
    return brn_dense_dot3(n, n);
}

static inline double point_line(const double *const x[3], int order, double *g, double *h)
{
    static const double wu[3] = {0.0, 1.0, -1.0};
    closest c;
    const double squared = closest_point_line(x, &c);
    if (order > 0) {
        set_gradient(3, c.w, c.n, g);
    }
    if (order > 1) {
        double p[9];
        const double scale = sqrt(2.0 * c.ginv);
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < 3; ++k) {
                p[3 * i + k] = scale * (wu[i] * c.n[k] + c.w[i] * c.nu[k]);
            }
        }
        for (int i = 0; i < 9; ++i) {
            for (int j = 0; j < 9; ++j) {
                h[9 * i + j] = -p[i] * p[j];
            }
        }
        add_weights(3, c.w, h);
    }
    return squared;
}

static inline double point_plane(const double *const x[4], int order, double *g, double *h)
{
    static const double wu[4] = {0.0, 1.0, -1.0, 0.0}, wv[4] = {0.0, 1.0, 0.0, -1.0};
    closest c;
    const double squared = closest_point_plane(x, &c, order > 1);
    if (order > 0) {
        set_gradient(4, c.w, c.n, g);
    }
    if (order > 1) {
        set_hessian(&c, wu, wv, h);
    }
    return squared;
}

static inline double line_line(const double *const x[4], int order, double *g, double *h)
{
    static const double wu[4] = {-1.0, 1.0, 0.0, 0.0}, wv[4] = {0.0, 0.0, 1.0, -1.0};
    closest c;
    const double squared = closest_line_line(x, &c, order > 1);
    if (order > 0) {
        set_gradient(4, c.w, c.n, g);
    }
    if (order > 1) {
        set_hessian(&c, wu, wv, h);
    }
    return squared;
}

#define NODES2(x) ((const double *const[]){(x)[0], (x)[1]})
#define NODES3(x) ((const double *const[]){(x)[0], (x)[1], (x)[2]})
#define NODES4(x) ((const double *const[]){(x)[0], (x)[1], (x)[2], (x)[3]})

double brn_distance_point_point2(const double x[2][3])
{
    return point_point(NODES2(x), 0, NULL, NULL);
}

double brn_distance_point_point2_gradient(const double x[2][3], double g[6])
{
    return point_point(NODES2(x), 1, g, NULL);
}

double brn_distance_point_point2_hessian(const double x[2][3], double g[6], double h[36])
{
    return point_point(NODES2(x), 2, g, h);
}

double brn_distance_point_line2(const double x[3][3])
{
    return point_line(NODES3(x), 0, NULL, NULL);
}

double brn_distance_point_line2_gradient(const double x[3][3], double g[9])
{
    return point_line(NODES3(x), 1, g, NULL);
}

double brn_distance_point_line2_hessian(const double x[3][3], double g[9], double h[81])
{
    return point_line(NODES3(x), 2, g, h);
}

double brn_distance_point_plane2(const double x[4][3])
{
    return point_plane(NODES4(x), 0, NULL, NULL);
}

double brn_distance_point_plane2_gradient(const double x[4][3], double g[12])
{
    return point_plane(NODES4(x), 1, g, NULL);
}

double brn_distance_point_plane2_hessian(const double x[4][3], double g[12], double h[144])
{
    return point_plane(NODES4(x), 2, g, h);
}

double brn_distance_line_line2(const double x[4][3])
{
    return line_line(NODES4(x), 0, NULL, NULL);
}

double brn_distance_line_line2_gradient(const double x[4][3], double g[12])
{
    return line_line(NODES4(x), 1, g, NULL);
}

double brn_distance_line_line2_hessian(const double x[4][3], double g[12], double h[144])
{
    return line_line(NODES4(x), 2, g, h);
}

/* ---- stencils -------------------------------------------------------------------------------------------------- */

static inline double stencil_form(brn_stencil stencil, const double x[][3], int order, double *g, double *h)
{
    const double *y[4];
    for (int i = 0; i < 4; ++i) {
        y[i] = x[stencil.node[i]]; /* unused entries of a stencil are 0 */
    }
    switch (stencil.kind) {
    case BRN_PAIR_PP:
        return point_point(y, order, g, h);
    case BRN_PAIR_PE:
        return point_line(y, order, g, h);
    case BRN_PAIR_PT:
        return point_plane(y, order, g, h);
    default:
        return line_line(y, order, g, h);
    }
}

double brn_stencil_distance2(brn_stencil stencil, const double x[][3], int order, double *g, double *h)
{
    return order == 0   ? stencil_form(stencil, x, 0, g, h)
           : order == 1 ? stencil_form(stencil, x, 1, g, h)
                        : stencil_form(stencil, x, 2, g, h);
}

double brn_stencil_closest(brn_stencil stencil, const double x[][3], double w[4], double n[3])
{
    closest c = {.w = {1.0, -1.0}};
    const double *y[4];
    double squared;
    for (int i = 0; i < 4; ++i) {
        y[i] = x[stencil.node[i]];
    }
    switch (stencil.kind) {
    case BRN_PAIR_PP:
        minus(y[0], y[1], c.n);
        squared = brn_dense_dot3(c.n, c.n);
        break;
    case BRN_PAIR_PE:
        squared = closest_point_line(y, &c);
        break;
    case BRN_PAIR_PT:
        squared = closest_point_plane(y, &c, 0);
        break;
    default:
        squared = closest_line_line(y, &c, 0);
        break;
    }
    memcpy(w, c.w, stencil.count * sizeof *w);
    memcpy(n, c.n, sizeof c.n);
    return squared;
}
