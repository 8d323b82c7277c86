/* Cells that shrink towards a point.

   Along an axis: the size of cells grows as exp(c |s - s0|) with the lattice coordinate s in [0, 1]; s0 is where the
   point lies, found so that the lengths on its two sides come out right.

   In a ball (unit radius, point at distance p from the centre): the map M_a(G_k(x)).
   G_k shrinks towards the centre, x -> x (k^|x| - 1) / ((k - 1) |x|): radial sizes grow by k from centre to surface.
   M_a is the Moebius map of the ball onto itself that takes 0 to a [Ahlfors 1981, Moebius transformations in several
   dimensions]: conformal, so it keeps the shapes of small cells, with the scale
   (1 - a^2) / (1 + 2 a.x + a^2 x^2), from (1-a)/(1+a) to (1+a)/(1-a) on the sphere.
   With b = (sqrt(r) - 1) / (sqrt(r) + 1), M_b alone has the ratio r between the near and the far pole.
     p <= b:  a = p, k = r (1 - p)^2: the smallest cells are at the point, the largest at the far pole.
     p >= b:  a = b, k from (1 + b)^2 at p = b down to 1 at p = 1: the smallest are at the near pole.
   Either way the largest are r times the smallest, and the map depends continuously on the point. */
#include "model/generate/generate.h"

#include <string.h>

static const brn_param params[] = {
    BRN_P_VECTOR(brn_grading, point, "m", "where cells are smallest"),
    BRN_P_REAL(brn_grading, ratio, "1", 4.0, 1.0, 1000.0, BRN_CLOSED,
               "size of the largest cells over that of the smallest"),
};

const brn_table brn_grading_table = {
    .name = "grading",
    .help = "cells shrink geometrically towards a point",
    .size = sizeof(brn_grading),
    .params = params,
    .nparams = BRN_COUNT(params),
};

/* Growth rate for a point at lattice coordinate s0: between the middles of the first and the last cell on the longer
   side the size grows by ratio. */
static double growth(double s0, int n, double ratio)
{
    const double span = fmax(s0, 1.0 - s0);
    return log(ratio) / fmax(span - 1.0 / n, 0.5 / n);
}

void brn_grading_axis(double length, int n, double point, double ratio, double *out)
{
    for (int i = 0; i <= n; ++i) {
        out[i] = length * ((double)(2LL * i - n) / (2.0 * n));
    }
    if (!(ratio > 1.0) || n < 2) {
        return;
    }
    /* Bisection for s0: its share of the length grows with it. */
    const double share = fmin(fmax(point / length + 0.5, 0.0), 1.0);
    double low = 0.0, high = 1.0;
    for (int step = 0; step < 60; ++step) {
        const double mid = 0.5 * (low + high), c = growth(mid, n, ratio);
        const double left = expm1(c * mid), right = expm1(c * (1.0 - mid));
        if (left < share * (left + right)) {
            low = mid;
        } else {
            high = mid;
        }
    }
    const double s0 = 0.5 * (low + high), c = growth(s0, n, ratio);
    const double left = expm1(c * s0), total = left + expm1(c * (1.0 - s0));
    for (int i = 1; i < n; ++i) {
        const double s = (double)i / n;
        const double away = expm1(c * fabs(s - s0));
        out[i] = length * ((s < s0 ? left - away : left + away) / total - 0.5);
    }
}

void brn_grading_ball(const brn_grading *grading, double radius, double x[3])
{
    const double r = sqrt(grading->ratio), b = (r - 1.0) / (r + 1.0);
    const double *q = grading->point;
    const double distance = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    const double p = fmin(distance / radius, 1.0), a = fmin(p, b);
    const double k = p <= b ? r * r * (1.0 - p) * (1.0 - p) : 1.0 + (1.0 - p) / (1.0 - b) * (b * (2.0 + b));
    /* G_k */
    double y[3] = {x[0] / radius, x[1] / radius, x[2] / radius};
    const double size = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]), c = log(k);
    if (size > 0.0 && c > 1e-9) {
        const double scale = expm1(c * size) / (expm1(c) * size);
        for (int i = 0; i < 3; ++i) {
            y[i] *= scale;
        }
    }
    /* M_a(y) = ((1 + 2 a.y + y^2) a + (1 - a^2) y) / (1 + 2 a.y + a^2 y^2) */
    double dot = 0.0, square = 0.0, pole[3] = {0.0};
    for (int i = 0; i < 3; ++i) {
        pole[i] = distance > 0.0 ? a * q[i] / distance : 0.0;
        dot += pole[i] * y[i];
        square += y[i] * y[i];
    }
    const double below = 1.0 + 2.0 * dot + a * a * square;
    for (int i = 0; i < 3; ++i) {
        x[i] = radius * ((1.0 + 2.0 * dot + square) * pole[i] + (1.0 - a * a) * y[i]) / below;
    }
}
