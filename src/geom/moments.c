#include "geom/moments.h"

#include "linalg/dense.h"

/* ---- primitives --------------------------------------------------------------------------------------------------------------- */

/* The straight part and the two half balls, shifted by h/2: their own integrals of 1, z and z^2 by hand. */
static void measure_capsule(double r, double h, int dim, brn_moments *out)
{
    const double r2 = r * r;
    if (dim == 3) {
        const double rod = M_PI * r2 * h;
        const double ball = 4.0 / 3.0 * M_PI * r2 * r;
        out->volume = rod + ball;
        out->second[0] = out->second[4] = rod * r2 / 4.0 + ball * r2 / 5.0;
        out->second[8] = rod * h * h / 12.0 + ball * (h * h / 4.0 + r2 / 5.0) + 0.5 * M_PI * h * r2 * r2;
        return;
    }
    const double bar = 2.0 * r * h;
    const double disc = M_PI * r2;
    out->volume = bar + disc;
    out->second[0] = bar * r2 / 3.0 + disc * r2 / 4.0;
    out->second[4] = bar * h * h / 12.0 + disc * (h * h / 4.0 + r2 / 4.0) + 4.0 / 3.0 * h * r2 * r;
}

bool brn_moments_of_primitive(const brn_primitive *shape, brn_moments *out)
{
    const int dim = shape->dim;
    const double r = shape->size[0];
    const double h = 2.0 * shape->size[1];
    *out = (brn_moments){.volume = 1.0};
    switch (shape->kind) {
    case BRN_PRIMITIVE_SPHERE:
        out->volume = dim == 3 ? 4.0 / 3.0 * M_PI * r * r * r : M_PI * r * r;
        for (int i = 0; i < dim; ++i) {
            out->second[4 * i] = out->volume * r * r / (dim + 2.0);
        }
        return true;
    case BRN_PRIMITIVE_BOX:
        for (int i = 0; i < dim; ++i) {
            out->volume *= 2.0 * shape->size[i];
        }
        for (int i = 0; i < dim; ++i) {
            out->second[4 * i] = out->volume * (2.0 * shape->size[i]) * (2.0 * shape->size[i]) / 12.0;
        }
        return true;
    case BRN_PRIMITIVE_CYLINDER:
        out->volume = M_PI * r * r * h;
        out->second[0] = out->second[4] = out->volume * r * r / 4.0;
        out->second[8] = out->volume * h * h / 12.0;
        return true;
    case BRN_PRIMITIVE_CAPSULE:
        measure_capsule(r, h, dim, out);
        return true;
    default:
        out->volume = 0.0;
        return false;
    }
}

/* ---- surfaces ----------------------------------------------------------------------------------------------------------------- */

void brn_moment_sums_add_surface(brn_moment_sums *sums, const double (*pos)[3], const int (*tri)[3], int ntri)
{
    for (int t = 0; t < ntri; ++t) {
        double x[3][3];
        double cross[3];
        for (int k = 0; k < 3; ++k) {
            for (int i = 0; i < 3; ++i) {
                x[k][i] = pos[tri[t][k]][i] - sums->origin[i];
            }
        }
        brn_dense_cross3(x[1], x[2], cross);
        const double volume = brn_dense_dot3(x[0], cross) / 6.0;
        sums->one += volume;
        for (int i = 0; i < 3; ++i) {
            const double sum_i = x[0][i] + x[1][i] + x[2][i];
            sums->first[i] += volume / 4.0 * sum_i;
            for (int j = 0; j < 3; ++j) {
                const double sum_j = x[0][j] + x[1][j] + x[2][j];
                const double own = x[0][i] * x[0][j] + x[1][i] * x[1][j] + x[2][i] * x[2][j];
                sums->second[3 * i + j] += volume / 20.0 * (own + sum_i * sum_j);
            }
        }
    }
}

bool brn_moments_of_sums(const brn_moment_sums *sums, brn_moments *out)
{
    if (!(sums->one > 0.0 && isfinite(sums->one))) {
        return false;
    }
    out->volume = sums->one;
    for (int i = 0; i < 3; ++i) {
        out->centre[i] = sums->origin[i] + sums->first[i] / sums->one;
        for (int j = 0; j < 3; ++j) {
            out->second[3 * i + j] = sums->second[3 * i + j] - sums->first[i] * sums->first[j] / sums->one;
        }
    }
    return true;
}
