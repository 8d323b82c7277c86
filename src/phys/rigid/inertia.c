#include "phys/rigid/inertia.h"

#include "linalg/dense.h"

#include <stdio.h>
#include <string.h>

static const double TRIANGLE_SLACK = 1e-3;

/* to += scale (|d|^2 1 - d d') */
static void add_arm(double to[9], double scale, const double d[3])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            to[3 * i + j] += scale * ((i == j ? brn_dense_dot3(d, d) : 0.0) - d[i] * d[j]);
        }
    }
}

brn_inertia brn_inertia_of_moments(const brn_moments *moments, double density)
{
    brn_inertia out = {.mass = density * moments->volume};
    const double trace = moments->second[0] + moments->second[4] + moments->second[8];
    memcpy(out.centre, moments->centre, sizeof out.centre);
    for (int i = 0; i < 9; ++i) {
        out.about[i] = density * ((i % 4 == 0 ? trace : 0.0) - moments->second[i]);
    }
    return out;
}

bool brn_inertia_of_primitive(const brn_primitive *shape, double density, brn_inertia *out)
{
    brn_moments moments;
    if (!brn_moments_of_primitive(shape, &moments)) {
        return false;
    }
    *out = brn_inertia_of_moments(&moments, density);
    return true;
}

brn_inertia brn_inertia_placed(const brn_inertia *body, const brn_rigid_map *place)
{
    brn_inertia out = {.mass = body->mass};
    double half[9];
    brn_rigid_map_apply(place, body->centre, out.centre);
    brn_dense_multiply3(place->rotation, body->about, half);
    brn_dense_multiply3_nt(half, place->rotation, out.about);
    return out;
}

brn_inertia brn_inertia_sum(const brn_inertia *a, const brn_inertia *b)
{
    brn_inertia out = {.mass = a->mass + b->mass};
    const double share = out.mass > 0.0 ? b->mass / out.mass : 0.0;
    double d[3];
    for (int i = 0; i < 3; ++i) {
        d[i] = b->centre[i] - a->centre[i];
        out.centre[i] = a->centre[i] + share * d[i];
    }
    for (int i = 0; i < 9; ++i) {
        out.about[i] = a->about[i] + b->about[i];
    }
    add_arm(out.about, a->mass * share, d);
    return out;
}

bool brn_inertia_check(const brn_inertia *body, char why[BRN_INERTIA_WHY])
{
    double copy[9];
    double w[3];
    double v[9];
    why[0] = '\0';
    if (!(body->mass > 0.0 && isfinite(body->mass))) {
        (void)snprintf(why, BRN_INERTIA_WHY, "mass is %.9g kg: must be > 0", body->mass);
        return false;
    }
    memcpy(copy, body->about, sizeof copy);
    if (!isfinite(body->centre[0] + body->centre[1] + body->centre[2]) ||
        brn_dense_eigen_sym(3, copy, w, v) < 0) {
        (void)snprintf(why, BRN_INERTIA_WHY, "centre of mass and inertia must be finite numbers");
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < i; ++j) {
            if (!(fabs(body->about[3 * i + j] - body->about[3 * j + i]) <= 1e-12 * fabs(w[2]))) {
                (void)snprintf(why, BRN_INERTIA_WHY, "inertia is not symmetric: %.9g and %.9g kg m^2 across",
                               body->about[3 * i + j], body->about[3 * j + i]);
                return false;
            }
        }
    }
    /* What is below the rounding of the largest is not known to be positive. */
    if (!(w[0] > 1e-13 * w[2])) {
        (void)snprintf(why, BRN_INERTIA_WHY,
                       "principal moments of inertia are %.6g, %.6g, %.6g kg m^2: all must be > 0", w[0],
                       w[1], w[2]);
        return false;
    }
    if (!(w[2] - w[1] - w[0] <= TRIANGLE_SLACK * w[2])) {
        (void)snprintf(
            why, BRN_INERTIA_WHY,
            "principal moments of inertia are %.6g, %.6g, %.6g kg m^2: the largest exceeds the sum "
            "of the others, which no body can; give moments about the centre of mass",
            w[0], w[1], w[2]);
        return false;
    }
    return true;
}
