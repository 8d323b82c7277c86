#include "geom/mollifier.h"

#include "linalg/dense.h"

#include <string.h>

static inline void minus(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; ++k) {
        c[k] = a[k] - b[k];
    }
}

double brn_mollifier_threshold(const double rest[4][3])
{
    double a[3], b[3];
    minus(rest[1], rest[0], a);
    minus(rest[3], rest[2], b);
    return 1e-3 * brn_dense_dot3(a, a) * brn_dense_dot3(b, b);
}

/* a, b, their cross product and c = |a x b|^2 */
typedef struct spread {
    double a[3], b[3], normal[3], c;
} spread;

static inline spread spread_of(const double x[4][3])
{
    spread s;
    minus(x[1], x[0], s.a);
    minus(x[3], x[2], s.b);
    brn_dense_cross3(s.a, s.b, s.normal);
    s.c = brn_dense_dot3(s.normal, s.normal);
    return s;
}

double brn_mollifier(const double x[4][3], double eps)
{
    const double c = spread_of(x).c;
    return c < eps ? (c / eps) * (2.0 - c / eps) : 1.0;
}

/* dc/da = 2 b x N, dc/db = 2 N x a; the nodes of an edge get them with opposite signs. */
static inline void spread_gradient(const spread *s, double g[12])
{
    double da[3], db[3];
    brn_dense_cross3(s->b, s->normal, da);
    brn_dense_cross3(s->normal, s->a, db);
    for (int k = 0; k < 3; ++k) {
        g[k] = -2.0 * da[k];
        g[3 + k] = 2.0 * da[k];
        g[6 + k] = -2.0 * db[k];
        g[9 + k] = 2.0 * db[k];
    }
}

double brn_mollifier_gradient(const double x[4][3], double eps, double g[12])
{
    const spread s = spread_of(x);
    if (!(s.c < eps)) {
        memset(g, 0, 12 * sizeof *g);
        return 1.0;
    }
    const double r = s.c / eps, slope = 2.0 / eps * (1.0 - r);
    spread_gradient(&s, g);
    for (int i = 0; i < 12; ++i) {
        g[i] *= slope;
    }
    return r * (2.0 - r);
}

double brn_mollifier_hessian(const double x[4][3], double eps, double g[12], double h[144])
{
    const spread s = spread_of(x);
    if (!(s.c < eps)) {
        memset(g, 0, 12 * sizeof *g);
        memset(h, 0, 144 * sizeof *h);
        return 1.0;
    }
    const double r = s.c / eps, slope = 2.0 / eps * (1.0 - r), curve = -2.0 / eps / eps;
    spread_gradient(&s, g);
    for (int i = 0; i < 12; ++i) {
        for (int j = 0; j < 12; ++j) {
            h[12 * i + j] = curve * (g[i] * g[j]);
        }
    }
    /* Second derivatives of c in (a, b): 2 (bb I - b b'), 2 (aa I - a a'), 2 (2 a b' - b a' - ab I). */
    const double aa = brn_dense_dot3(s.a, s.a), bb = brn_dense_dot3(s.b, s.b), ab = brn_dense_dot3(s.a, s.b);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double one = i == j ? 1.0 : 0.0;
            const double haa = 2.0 * slope * (bb * one - s.b[i] * s.b[j]);
            const double hbb = 2.0 * slope * (aa * one - s.a[i] * s.a[j]);
            const double hab = 2.0 * slope * (2.0 * s.a[i] * s.b[j] - s.b[i] * s.a[j] - ab * one);
            for (int p = 0; p < 4; ++p) {
                const double sign =
                    (p == 0 || p == 3) ? 1.0 : -1.0; /* rows and columns of (x0, x1), (x2, x3) */
                h[12 * (3 * (p >> 1) + i) + 3 * (p & 1) + j] += sign * haa;
                h[12 * (6 + 3 * (p >> 1) + i) + 6 + 3 * (p & 1) + j] += sign * hbb;
                h[12 * (3 * (p >> 1) + i) + 6 + 3 * (p & 1) + j] += sign * hab;
                h[12 * (6 + 3 * (p & 1) + j) + 3 * (p >> 1) + i] += sign * hab;
            }
        }
    }
    for (int i = 0; i < 12; ++i) {
        g[i] *= slope;
    }
    return r * (2.0 - r);
}
