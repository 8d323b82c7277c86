#include "phys/rotation.h"

#include "linalg/dense.h"
#include "phys/svd.h"

#include <math.h>
#include <string.h>

void brn_rotation_nearest(const double f[9], double r[9])
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

/* The largest entry comes from the diagonal, the others follow from it [Shepperd 1978]: good at 0 and at pi too. */
void brn_rotation_quaternion(const double r[9], double q[4])
{
    const double trace = r[0] + r[4] + r[8];
    const double size[4] = {trace, r[0], r[4],
                            r[8]}; /* 4 q_k^2 - 1 is 2 r_kk - trace; trace for the scalar */
    int most = 0;
    for (int k = 1; k < 4; ++k) {
        most = size[k] > size[most] ? k : most;
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
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; ++k) {
        q[k] /= length;
    }
}

void brn_rotation_vector(const double r[9], double out[3])
{
    double q[4];
    brn_rotation_quaternion(r, q);
    const double sign = q[0] < 0.0 ? -1.0 : 1.0;
    const double length = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double angle = 2.0 * atan2(length, fabs(q[0]));
    for (int i = 0; i < 3; ++i) {
        out[i] = length > 0.0 ? sign * angle / length * q[1 + i] : 0.0;
    }
}

void brn_rotation_less_one(const double q[4], double t[9])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[9] = {-2.0 * (y * y + z * z), 2.0 * (x * y - w * z),  2.0 * (x * z + w * y),
                         2.0 * (x * y + w * z),  -2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
                         2.0 * (x * z - w * y),  2.0 * (y * z + w * x),  -2.0 * (x * x + y * y)};
    memcpy(t, m, sizeof m);
}

void brn_rotation_turn(const double q[4], const double w[3], double out[4])
{
    const double angle = brn_dense_length3(w);
    const double c = cos(0.5 * angle);
    const double s = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5;
    const double u[3] = {s * w[0], s * w[1], s * w[2]};
    double cross[3];
    brn_dense_cross3(u, &q[1], cross);
    const double next[4] = {c * q[0] - brn_dense_dot3(u, &q[1]), c * q[1] + q[0] * u[0] + cross[0],
                            c * q[2] + q[0] * u[1] + cross[1], c * q[3] + q[0] * u[2] + cross[2]};
    const double length = sqrt(next[0] * next[0] + next[1] * next[1] + next[2] * next[2] + next[3] * next[3]);
    for (int k = 0; k < 4; ++k) {
        out[k] = next[k] / length;
    }
}
