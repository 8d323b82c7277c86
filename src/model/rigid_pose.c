#include "model/rigid_pose.h"

#include "linalg/dense.h"
#include "phys/svd.h"

#include <math.h>
#include <string.h>

/* F of the handles: x_i - x_0 = F (X_i - X_0), 3x3; F33 = 1 in 2D. */
static void handle_map(const brn_model *model, int first, const double *pos, double f[9])
{
    const int dim = model->dim;
    double rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double now[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double inverse[9];
    for (int i = 0; i < dim; ++i) {
        for (int k = 0; k < dim; ++k) {
            rest[3 * i + k] = model->rest[first + 1 + k][i] - model->rest[first][i];
            now[3 * i + k] = pos[3 * (first + 1 + k) + i] - pos[3 * first + i];
        }
    }
    (void)brn_dense_inverse3(rest, inverse);
    brn_dense_multiply3(now, inverse, f);
}

/* The rotation of F = R S. */
static void polar(const double f[9], double r[9])
{
    brn_lanes m[9];
    brn_lanes u[9];
    brn_lanes s[3];
    brn_lanes v[9];
    for (int i = 0; i < 9; ++i) {
        m[i] = brn_lanes_all(f[i]);
    }
    brn_svd3(m, u, s, v);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            r[3 * i + j] = u[3 * i][0] * v[3 * j][0] + u[3 * i + 1][0] * v[3 * j + 1][0] +
                           u[3 * i + 2][0] * v[3 * j + 2][0];
        }
    }
}

/* Angle times axis, through the quaternion with the largest entry first [Shepperd 1978]: good at 0 and at pi too. */
static void rotation_vector(const double r[9], double out[3])
{
    const double trace = r[0] + r[4] + r[8];
    double q[4] = {trace, r[0], r[4], r[8]}; /* 4 q_k^2 - 1 is 2 r_kk - trace; trace for the scalar */
    int most = 0;
    for (int k = 1; k < 4; ++k) {
        most = q[k] > q[most] ? k : most;
    }
    if (most == 0) {
        q[0] = 1.0 + trace;
        q[1] = r[7] - r[5];
        q[2] = r[2] - r[6];
        q[3] = r[3] - r[1];
    } else {
        const int i = most - 1;
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        q[0] = r[3 * k + j] - r[3 * j + k];
        q[1 + i] = 1.0 + r[4 * i] - r[4 * j] - r[4 * k];
        q[1 + j] = r[3 * j + i] + r[3 * i + j];
        q[1 + k] = r[3 * k + i] + r[3 * i + k];
    }
    const double sign = q[0] < 0.0 ? -1.0 : 1.0;
    const double length = sqrt(brn_dense_dot3(&q[1], &q[1]));
    const double angle = 2.0 * atan2(length, fabs(q[0]));
    for (int i = 0; i < 3; ++i) {
        out[i] = length > 0.0 ? sign * angle / length * q[1 + i] : 0.0;
    }
}

void brn_rigid_pose_of(const brn_model *model, int body, const double *pos, const double *vel,
                       brn_rigid_pose *out)
{
    const int count = model->dim + 1;
    const brn_body *b = &model->body[body];
    const int first = b->node_first + b->node_count - count;
    double f[9];
    double r[9];
    *out = (brn_rigid_pose){.centre = {0.0}};
    for (int i = 0; i < model->dim; ++i) { /* the handles have equal masses */
        for (int a = first; a < first + count; ++a) {
            out->centre[i] += pos[3 * a + i] / count;
            out->velocity[i] += vel[3 * a + i] / count;
        }
    }
    handle_map(model, first, pos, f);
    polar(f, r);
    rotation_vector(r, out->rotation);
}
