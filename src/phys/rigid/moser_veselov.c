#include "phys/rigid/moser_veselov.h"

#include "linalg/dense.h"

#include <math.h>

enum { ITERATIONS = 30 };

/* F(c) = I c + c x (I c) - h/2 (1 + |c|^2) y and its derivative, diag(I) + [c]x diag(I) - [I c]x - h y c'. */
static void residual(const double inertia[3], double h, const double y[3], const double c[3], double f[3],
                     double slope[9])
{
    const double ic[3] = {inertia[0] * c[0], inertia[1] * c[1], inertia[2] * c[2]};
    const double across[9] = {0.0, -c[2], c[1], c[2], 0.0, -c[0], -c[1], c[0], 0.0};
    const double turned[9] = {0.0, -ic[2], ic[1], ic[2], 0.0, -ic[0], -ic[1], ic[0], 0.0};
    const double half = 0.5 * h * (1.0 + brn_dense_dot3(c, c));
    brn_dense_cross3(c, ic, f);
    for (int i = 0; i < 3; ++i) {
        f[i] += ic[i] - half * y[i];
        for (int j = 0; j < 3; ++j) {
            slope[3 * i + j] = (i == j ? inertia[i] : 0.0) + across[3 * i + j] * inertia[j] -
                               turned[3 * i + j] - h * y[i] * c[j];
        }
    }
}

static bool find_turn(const double inertia[3], double h, const double y[3], double c[3])
{
    for (int i = 0; i < 3; ++i) {
        c[i] = 0.5 * h * y[i] / inertia[i];
    }
    for (int k = 0; k < ITERATIONS; ++k) {
        double f[3];
        double slope[9];
        double inverse[9];
        double step[3];
        residual(inertia, h, y, c, f, slope);
        if (!(fabs(brn_dense_inverse3(slope, inverse)) > 0.0)) {
            return false;
        }
        brn_dense_apply3(inverse, f, step);
        for (int i = 0; i < 3; ++i) {
            c[i] -= step[i];
        }
        /* Newton's method squares its error: what is left after this is below rounding. */
        if (brn_dense_length3(step) <= 1e-9 * brn_dense_length3(c)) {
            return true;
        }
    }
    return false;
}

/* v <- R' v of the turn (1, c), which has the length 1/scale. */
static void turn_back(const double c[3], double scale, double v[3])
{
    double once[3];
    double twice[3];
    brn_dense_cross3(c, v, once);
    brn_dense_cross3(c, once, twice);
    for (int i = 0; i < 3; ++i) {
        v[i] += 2.0 * scale * scale * (twice[i] - once[i]);
    }
}

bool brn_moser_veselov_step(const double inertia[3], double h, brn_spinning *body)
{
    double c[3];
    double across[3];
    if (!find_turn(inertia, h, body->momentum, c)) {
        return false;
    }
    const double w = body->attitude[0];
    double *v = &body->attitude[1];
    brn_dense_cross3(v, c, across);
    double q[4] = {w - brn_dense_dot3(v, c)};
    for (int i = 0; i < 3; ++i) {
        q[1 + i] = w * c[i] + v[i] + across[i];
    }
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; ++i) {
        body->attitude[i] = q[i] / length;
    }
    turn_back(c, 1.0 / sqrt(1.0 + brn_dense_dot3(c, c)), body->momentum);
    return true;
}

double brn_moser_veselov_turn(const double inertia[3], double h, const brn_spinning *body)
{
    double energy = 0.0; /* twice */
    double least = INFINITY;
    for (int i = 0; i < 3; ++i) {
        energy += body->momentum[i] * body->momentum[i] / inertia[i];
        least = fmin(least, inertia[i]);
    }
    return fabs(h) * sqrt(energy / least);
}

void brn_moser_veselov(const double inertia[3], double h, double angle, brn_spinning *body)
{
    const double turn = brn_moser_veselov_turn(inertia, h, body);
    double count = ceil(fmax(1.0, turn / angle));
    for (; isfinite(turn); count *= 2.0) {
        brn_spinning now = *body;
        double done = 0.0;
        while (done < count && brn_moser_veselov_step(inertia, h / count, &now)) {
            ++done;
        }
        if (done == count) {
            *body = now;
            return;
        }
    }
}
