#include "step/body_sums.h"

#include "linalg/dense.h"
#include "phys/rotation.h"

#include <math.h>
#include <string.h>

void brn_body_moments(const brn_model *model, int number, const double *x, const double centre[3],
                      const double *q, double out[3])
{
    const int dim = model->dim;
    const brn_body *body = &model->body[number];
    memset(out, 0, 3 * sizeof *out);
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        double r[3] = {0};
        double f[3] = {0};
        double turn[3];
        if (model->node_row[a] < 0) {
            continue;
        }
        for (int i = 0; i < dim; ++i) {
            r[i] = x[3 * a + i] - centre[i];
            f[i] = q[model->node_row[a] * dim + i];
        }
        brn_dense_cross3(r, f, turn);
        for (int i = 0; i < 3; ++i) {
            out[i] += turn[i];
        }
    }
}

void brn_body_inertia(const brn_model *model, int number, const double *x, const double centre[3],
                      const double *mass_r, double out[9])
{
    const int dim = model->dim;
    const brn_body *body = &model->body[number];
    double sum[9] = {0}; /* (M r) r' */
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        for (int k = 0; k < dim * dim && model->node_row[a] >= 0; ++k) {
            const int i = k / dim;
            const int j = k % dim;
            sum[3 * i + j] += mass_r[model->node_row[a] * dim + i] * (x[3 * a + j] - centre[j]);
        }
    }
    for (int k = 0; k < 9; ++k) {
        out[k] = (k % 4 == 0 ? sum[0] + sum[4] + sum[8] : 0.0) - sum[k];
    }
}

void brn_body_turn(const brn_model *model, int number, const double *x, const double centre[3],
                   const double rest[3], double turn[9])
{
    const brn_body *body = &model->body[number];
    double fit[9] = {0}; /* sum m (x - c) (X - C)' */
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        for (int k = 0; k < 9; ++k) {
            fit[k] += model->node_mass[a] * (x[3 * a + k / 3] - centre[k / 3]) *
                      (model->rest[a][k % 3] - rest[k % 3]);
        }
    }
    if (model->dim == 2) { /* no turn but about z, however far */
        fit[8] = hypot(fit[0] + fit[4], fit[3] - fit[1]);
    }
    brn_rotation_nearest(fit, turn);
}
