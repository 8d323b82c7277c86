/* Frames of MJCF in their five forms. */
#include "linalg/dense.h"
#include "model/read/mjcf.h"
#include "phys/rotation.h"

#include <math.h>
#include <string.h>

bool brn_mjcf_turn_z(const double direction[3], double out[9])
{
    static const double x[3] = {1.0, 0.0, 0.0};
    const double length = brn_dense_length3(direction);
    const double axis[3] = {-direction[1], direction[0], 0.0}; /* z x direction */
    const double across = brn_dense_length3(axis);
    if (!(length > 0.0 && isfinite(length))) {
        return false;
    }
    /* straight up or down: about x */
    (void)brn_dense_rotation(across > 0.0 ? axis : x, atan2(across, direction[2]), out);
    return true;
}

static double angle_of(const brn_mjcf *m, double given)
{
    return m->degrees ? given * M_PI / 180.0 : given;
}

/* Small letters turn about axes that turn along, capital ones about those that stand. */
static void turn_euler(const brn_mjcf *m, const double angle[3], double out[9])
{
    for (int k = 0; k < 3; ++k) {
        const char letter = m->eulerseq[k];
        const bool along = letter >= 'x';
        double axis[3] = {0.0, 0.0, 0.0};
        double turn[9];
        double next[9];
        axis[letter - (along ? 'x' : 'X')] = 1.0;
        (void)brn_dense_rotation(axis, angle_of(m, angle[k]), turn);
        brn_dense_multiply3(along ? out : turn, along ? turn : out, next);
        memcpy(out, next, sizeof next);
    }
}

/* Columns x, y made square to it, and x x y. */
static bool turn_axes(const double given[6], double out[9])
{
    double x[3], y[3], z[3];
    const double length = brn_dense_length3(given);
    for (int k = 0; k < 3 && length > 0.0; ++k) {
        x[k] = given[k] / length;
    }
    if (!(length > 0.0)) {
        return false;
    }
    const double along = brn_dense_dot3(x, &given[3]);
    for (int k = 0; k < 3; ++k) {
        y[k] = given[3 + k] - along * x[k];
    }
    const double across = brn_dense_length3(y);
    if (!(across > 1e-12 * brn_dense_length3(&given[3]))) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        y[k] /= across;
    }
    brn_dense_cross3(x, y, z);
    for (int k = 0; k < 3; ++k) {
        out[3 * k] = x[k];
        out[3 * k + 1] = y[k];
        out[3 * k + 2] = z[k];
    }
    return true;
}

bool brn_mjcf_turn_quaternion(const double given[4], double out[9])
{
    const double largest = fmax(fmax(fabs(given[0]), fabs(given[1])), fmax(fabs(given[2]), fabs(given[3])));
    double q[4];
    double square = 0.0;
    for (int k = 0; k < 4 && largest > 0.0; ++k) {
        q[k] = given[k] / largest;
        square += q[k] * q[k];
    }
    if (!(largest > 0.0)) {
        return false;
    }
    for (int k = 0; k < 4; ++k) {
        q[k] /= sqrt(square);
    }
    brn_rotation_less_one(q, out);
    for (int k = 0; k < 9; k += 4) {
        out[k] += 1.0;
    }
    return true;
}

/* One of the five forms in one element; *found tells whether there is one. */
static brn_status read_turn(brn_mjcf *m, int element, double out[9], bool *found)
{
    static const char *const names[5] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
    static const int sizes[5] = {4, 4, 6, 3, 3};
    double v[6];
    int form = -1;
    for (int k = 0; k < 5; ++k) {
        int count = 0;
        double given[6];
        BRN_TRY(brn_xml_some(m->xml, element, names[k], sizes[k], sizes[k], given, &count));
        if (count > 0 && form >= 0) {
            return brn_xml_fail(m->xml, element, "has both %s and %s: keep one", names[form], names[k]);
        }
        if (count > 0) {
            form = k;
            memcpy(v, given, sizeof v);
        }
    }
    *found = form >= 0;
    bool good = true;
    switch (form) {
    case 0:
        good = brn_mjcf_turn_quaternion(v, out);
        break;
    case 1:
        good = brn_dense_rotation(v, angle_of(m, v[3]), out);
        break;
    case 2:
        good = turn_axes(v, out);
        break;
    case 3:
        good = brn_mjcf_turn_z(v, out);
        break;
    case 4:
        turn_euler(m, v, out);
        break;
    default:
        break;
    }
    return good ? BRN_OK : brn_xml_fail(m->xml, element, "%s gives no direction", names[form]);
}

brn_status brn_mjcf_frame(brn_mjcf *m, const brn_mjcf_at *at, brn_rigid_map *out)
{
    *out = brn_robot_frame();
    BRN_TRY(brn_mjcf_reals(m, at, "pos", 3, out->origin));
    bool found = false;
    int class = at->class;
    for (int e = at->element; e >= 0 && !found; e = brn_mjcf_next(m, at->kind, &class)) {
        BRN_TRY(read_turn(m, e, out->rotation, &found));
    }
    return BRN_OK;
}
