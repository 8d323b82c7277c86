#include "geom/primitive.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

void brn_rigid_map_apply(const brn_rigid_map *frame, const double own[3], double world[3])
{
    brn_dense_apply3(frame->rotation, own, world);
    for (int i = 0; i < 3; ++i) {
        world[i] += frame->origin[i];
    }
}

void brn_rigid_map_undo(const brn_rigid_map *frame, const double world[3], double own[3])
{
    const double arm[3] = {world[0] - frame->origin[0], world[1] - frame->origin[1],
                           world[2] - frame->origin[2]};
    brn_dense_apply3_t(frame->rotation, arm, own);
}

static void unit_axis(int axis, double sign, double n[3])
{
    memset(n, 0, 3 * sizeof *n);
    n[axis] = sign;
}

/* Length of v, which becomes a unit vector; the x axis where it is 0. */
static double normalise(double v[3])
{
    const double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (!(largest > 0.0)) {
        unit_axis(0, 1.0, v);
        return 0.0;
    }
    double sum = 0.0; /* scaled, so that no square is lost */
    for (int i = 0; i < 3; ++i) {
        v[i] /= largest;
        sum += v[i] * v[i];
    }
    const double length = sqrt(sum);
    for (int i = 0; i < 3; ++i) {
        v[i] /= length;
    }
    return largest * length;
}

/* ---- distances ---------------------------------------------------------------------------------------------------------------- */

/* Beyond a face, an edge or a corner the nearest place is that of p with its coordinates clamped; inside it is on the nearest
   face. */
static double box_distance(const brn_primitive *shape, const double p[3], double n[3])
{
    double beyond[3] = {0.0};
    int nearest = 0;
    int outside = 0;
    for (int i = 0; i < shape->dim; ++i) {
        const double q = fabs(p[i]) - shape->size[i];
        nearest = q > fabs(p[nearest]) - shape->size[nearest] ? i : nearest;
        beyond[i] = q > 0.0 ? copysign(q, p[i]) : 0.0;
        outside += q > 0.0;
    }
    if (outside > 1) {
        memcpy(n, beyond, sizeof beyond);
        return normalise(n);
    }
    unit_axis(nearest, copysign(1.0, p[nearest]), n);
    return fabs(p[nearest]) - shape->size[nearest];
}

/* In the half-plane of radius and height: a rectangle. */
static double cylinder_distance(const brn_primitive *shape, const double p[3], double n[3])
{
    double radial[3] = {p[0], p[1], 0.0};
    const double across = normalise(radial) - shape->size[0];
    const double along = fabs(p[2]) - shape->size[1];
    if (across > 0.0 && along > 0.0) {
        double rim[3] = {across, copysign(along, p[2]), 0.0};
        const double d = normalise(rim);
        n[0] = rim[0] * radial[0];
        n[1] = rim[0] * radial[1];
        n[2] = rim[1];
        return d;
    }
    if (across > along) {
        memcpy(n, radial, sizeof radial);
        return across;
    }
    unit_axis(2, copysign(1.0, p[2]), n);
    return along;
}

/* Distance from the nearest place of the axis, less the radius. A sphere's axis is a point. */
static double round_distance(const brn_primitive *shape, const double p[3], double n[3])
{
    const int axis = shape->dim - 1;
    const double half = shape->kind == BRN_PRIMITIVE_CAPSULE ? shape->size[1] : 0.0;
    memcpy(n, p, 3 * sizeof *n);
    n[axis] -= fmax(-half, fmin(half, p[axis]));
    return normalise(n) - shape->size[0];
}

double brn_primitive_distance(const brn_primitive *shape, const double p[3], double normal[3],
                              double closest[3])
{
    double d;
    switch (shape->kind) {
    case BRN_PRIMITIVE_BOX:
        d = box_distance(shape, p, normal);
        break;
    case BRN_PRIMITIVE_CYLINDER:
        d = cylinder_distance(shape, p, normal);
        break;
    case BRN_PRIMITIVE_SPHERE:
    case BRN_PRIMITIVE_CAPSULE:
        d = round_distance(shape, p, normal);
        break;
    default: /* plane */
        unit_axis(shape->dim - 1, 1.0, normal);
        d = p[shape->dim - 1];
    }
    for (int i = 0; i < 3; ++i) {
        closest[i] = p[i] - d * normal[i];
    }
    return d;
}

double brn_primitive_distance_at(const brn_primitive *shape, const brn_rigid_map *frame, const double p[3],
                                 double normal[3], double closest[3])
{
    double own[3];
    double n[3];
    double place[3];
    brn_rigid_map_undo(frame, p, own);
    const double d = brn_primitive_distance(shape, own, n, place);
    brn_dense_apply3(frame->rotation, n, normal);
    brn_rigid_map_apply(frame, place, closest);
    return d;
}

/* ---- faces -------------------------------------------------------------------------------------------------------------------- */

int brn_primitive_face_count(const brn_primitive *shape)
{
    return shape->kind == BRN_PRIMITIVE_BOX ? 2 * shape->dim : shape->kind == BRN_PRIMITIVE_CYLINDER ? 3 : 1;
}

static double face_distance(const brn_primitive *shape, int face, const double p[3], double n[3])
{
    double unused[3];
    if (shape->kind == BRN_PRIMITIVE_BOX) {
        const double sign = face % 2 == 0 ? 1.0 : -1.0;
        unit_axis(face / 2, sign, n);
        return sign * p[face / 2] - shape->size[face / 2];
    }
    if (shape->kind == BRN_PRIMITIVE_CYLINDER && face < 2) {
        const double sign = face == 0 ? 1.0 : -1.0;
        unit_axis(2, sign, n);
        return sign * p[2] - shape->size[1];
    }
    if (shape->kind == BRN_PRIMITIVE_CYLINDER) {
        n[0] = p[0];
        n[1] = p[1];
        n[2] = 0.0;
        return normalise(n) - shape->size[0];
    }
    return brn_primitive_distance(shape, p, n, unused);
}

double brn_primitive_face_at(const brn_primitive *shape, const brn_rigid_map *frame, int face,
                             const double p[3], double normal[3])
{
    double own[3];
    double n[3];
    brn_rigid_map_undo(frame, p, own);
    const double d = face_distance(shape, face, own, n);
    brn_dense_apply3(frame->rotation, n, normal);
    return d;
}

/* ---- support ------------------------------------------------------------------------------------------------------------------ */

bool brn_primitive_support(const brn_primitive *shape, const double direction[3], double out[3])
{
    const int axis = shape->dim - 1;
    const double *size = shape->size;
    double n[3] = {direction[0], direction[1], shape->dim == 3 ? direction[2] : 0.0};
    memset(out, 0, 3 * sizeof *out);
    switch (shape->kind) {
    case BRN_PRIMITIVE_BOX:
        for (int i = 0; i < shape->dim; ++i) {
            out[i] = copysign(size[i], n[i]);
        }
        return true;
    case BRN_PRIMITIVE_CYLINDER:
        out[2] = copysign(size[1], n[2]);
        n[2] = 0.0;
        (void)normalise(n);
        out[0] = size[0] * n[0];
        out[1] = size[0] * n[1];
        return true;
    case BRN_PRIMITIVE_SPHERE:
    case BRN_PRIMITIVE_CAPSULE:
        out[axis] = shape->kind == BRN_PRIMITIVE_CAPSULE ? copysign(size[1], n[axis]) : 0.0;
        (void)normalise(n);
        for (int i = 0; i < 3; ++i) {
            out[i] += size[0] * n[i];
        }
        return true;
    default:
        return false;
    }
}

bool brn_primitive_support_at(const brn_primitive *shape, const brn_rigid_map *frame,
                              const double direction[3], double out[3])
{
    double own[3];
    double place[3];
    brn_dense_apply3_t(frame->rotation, direction, own);
    if (!brn_primitive_support(shape, own, place)) {
        return false;
    }
    brn_rigid_map_apply(frame, place, out);
    return true;
}
