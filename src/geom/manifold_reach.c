/* Boxes around shapes, and the cheap test of whether two may be near. */
#include "geom/manifold_inner.h"

#include <math.h>

/* A half-space has an end only along its normal. */
static void box_of_plane(const brn_primitive *shape, const brn_rigid_map *frame, brn_box *out)
{
    const int up = shape->dim - 1;
    for (int k = 0; k < 3; ++k) {
        const bool flat = shape->dim == 2 && k == 2;
        out->lo[k] = flat ? 0.0 : -INFINITY;
        out->hi[k] = flat ? 0.0 : INFINITY;
    }
    for (int k = 0; k < shape->dim; ++k) {
        const double n = frame->rotation[3 * k + up];
        if (n == 1.0) {
            out->hi[k] = frame->origin[k];
        } else if (n == -1.0) {
            out->lo[k] = frame->origin[k];
        }
    }
}

void brn_convex_box(const brn_convex *shape, const brn_rigid_map *frame, brn_box *out)
{
    if (shape->hull == NULL && shape->shape.kind == BRN_PRIMITIVE_PLANE) {
        box_of_plane(&shape->shape, frame, out);
        return;
    }
    for (int k = 0; k < 3; ++k) {
        const double *row = frame->rotation + 3 * k;
        double lo = INFINITY;
        double hi = -INFINITY;
        if (shape->hull == NULL) {
            double far[3];
            (void)brn_primitive_support(&shape->shape, row, far);
            hi = brn_dense_dot3(row, far);
            lo = -hi; /* all are symmetric about their origin */
        }
        for (int i = 0; shape->hull != NULL && i < shape->hull->nvertex; ++i) {
            const double height = brn_dense_dot3(row, shape->hull->vertex[i]);
            lo = fmin(lo, height);
            hi = fmax(hi, height);
        }
        out->lo[k] = frame->origin[k] + lo;
        out->hi[k] = frame->origin[k] + hi;
    }
}

/* The box of a in the frame of b. */
static void box_between(const brn_convex *a, const brn_rigid_map *fa, const brn_rigid_map *fb, brn_box *out)
{
    brn_rigid_map between;
    brn_dense_multiply3_tn(fb->rotation, fa->rotation, between.rotation);
    brn_rigid_map_undo(fb, fa->origin, between.origin);
    brn_convex_box(a, &between, out);
}

bool brn_manifold_reach(const brn_convex *a, const brn_rigid_map *fa, const brn_convex *b,
                        const brn_rigid_map *fb, double within)
{
    static const brn_rigid_map still = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    brn_box theirs;
    brn_box own;
    box_between(a, fa, fb, &theirs);
    brn_convex_box(b, &still, &own);
    if (!brn_box_near(&theirs, &own, within)) {
        return false;
    }
    box_between(b, fb, fa, &theirs);
    brn_convex_box(a, &still, &own);
    return brn_box_near(&theirs, &own, within);
}
