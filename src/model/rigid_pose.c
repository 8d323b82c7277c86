#include "model/rigid_pose.h"

#include "linalg/dense.h"
#include "phys/rotation.h"

#include <math.h>
#include <string.h>

/* F of the handles, whose places start at `handle`: x_i - x_0 = F (X_i - X_0), 3x3; F33 = 1 in 2D. */
static void handle_map(const brn_model *model, int first, const double *handle, double f[9])
{
    const int dim = model->dim;
    double rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double now[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double inverse[9];
    for (int i = 0; i < dim; ++i) {
        for (int k = 0; k < dim; ++k) {
            rest[3 * i + k] = model->rest[first + 1 + k][i] - model->rest[first][i];
            now[3 * i + k] = handle[3 * (1 + k) + i] - handle[i];
        }
    }
    (void)brn_dense_inverse3(rest, inverse);
    brn_dense_multiply3(now, inverse, f);
}

void brn_rigid_pose_of(const brn_model *model, int body, const double *pos, const double *vel,
                       brn_rigid_pose *out)
{
    const int first = model->body[body].handle;
    double f[9];
    double r[9];
    brn_body_mean(model, body, pos, out->centre);
    brn_body_mean(model, body, vel, out->velocity);
    handle_map(model, first, &pos[3 * first], f);
    brn_rotation_nearest(f, r);
    brn_rotation_vector(r, out->rotation);
}

int brn_rigid_count(const brn_model *model)
{
    int count = 0;
    for (int b = 0; b < model->nbody; ++b) {
        count += model->body[b].type == BRN_BODY_RIGID;
    }
    return count;
}

void brn_rigid_states(const brn_model *model, const double *pos, const double *vel, double *pose,
                      double *velocity)
{
    int n = 0;
    for (int b = 0; b < model->nbody; ++b) {
        const int first = model->body[b].handle;
        double f[9];
        double r[9];
        if (model->body[b].type != BRN_BODY_RIGID) {
            continue;
        }
        double *p = &pose[7 * n];
        double *v = &velocity[6 * n];
        brn_body_mean(model, b, pos, p);
        brn_body_mean(model, b, vel, v);
        handle_map(model, first, &pos[3 * first], f);
        brn_rotation_nearest(f, r);
        brn_rotation_quaternion(r, &p[3]);
        /* Of the two quaternions the one with w >= 0, so that a pose has one set of numbers. */
        const double sign = p[3] < 0.0 ? -1.0 : 1.0;
        for (int i = 3; i < 7; ++i) {
            p[i] *= sign;
        }
        brn_rigid_spin(model, b, pos, vel, &v[3]);
        ++n;
    }
}

/* End of a step of one body: F = R0 turn (S0 + E), where R0' dF = W + E in its antisymmetric and symmetric parts and turn is
   the rotation nearest to 1 + W: by the angle atan |w| about w. */
static double turned_map(const double f[9], const double df[9], double out[9])
{
    double r[9];
    double inner[9]; /* R0' dF */
    double shape[9]; /* S0 + E */
    double turn[9];
    double w[3];
    brn_rotation_nearest(f, r);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            inner[3 * i + j] = r[i] * df[j] + r[3 + i] * df[3 + j] + r[6 + i] * df[6 + j];
            shape[3 * i + j] = r[i] * f[j] + r[3 + i] * f[3 + j] + r[6 + i] * f[6 + j];
        }
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        w[i] = 0.5 * (inner[3 * k + j] - inner[3 * j + k]);
        for (int c = 0; c < 3; ++c) {
            shape[3 * i + c] += 0.5 * (inner[3 * i + c] + inner[3 * c + i]);
        }
    }
    const double angle = atan(sqrt(brn_dense_dot3(w, w)));
    (void)brn_dense_rotation(w, angle, turn);
    brn_dense_multiply3(r, turn, inner);
    brn_dense_multiply3(inner, shape, out);
    return angle;
}

double brn_rigid_turn_steps(const brn_model *model, const double *pos, double *step)
{
    const int dim = model->dim;
    const int count = dim + 1;
    double most = 0.0;
    for (int b = 0; b < model->nbody; ++b) {
        const int first = model->body[b].handle;
        double *own = first >= 0 ? &step[model->node_row[first] * dim] : NULL;
        double f[9];
        double moved[12] = {0};
        double df[9];
        double end[9];
        double middle[3] = {0};
        double centre[3] = {0};
        if (model->body[b].type != BRN_BODY_RIGID) {
            continue;
        }
        for (int k = 0; k < count; ++k) {
            for (int i = 0; i < dim; ++i) {
                moved[3 * k + i] = pos[3 * (first + k) + i] + own[k * dim + i];
                middle[i] += moved[3 * k + i] / count;
                centre[i] += model->rest[first + k][i] / count;
            }
        }
        handle_map(model, first, &pos[3 * first], f);
        handle_map(model, first, moved, df);
        for (int i = 0; i < 9; ++i) {
            df[i] -= f[i];
        }
        most = fmax(most, turned_map(f, df, end));
        for (int k = 0; k < count; ++k) {
            for (int i = 0; i < dim; ++i) {
                double x = middle[i];
                for (int j = 0; j < dim; ++j) {
                    x += end[3 * i + j] * (model->rest[first + k][j] - centre[j]);
                }
                own[k * dim + i] = x - pos[3 * (first + k) + i];
            }
        }
    }
    return most;
}
