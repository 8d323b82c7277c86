/* Bodies inside others. Their surfaces do not meet, so no test of intersections finds them: a point counts as inside where
   the surface winds about it, by the sum of the solid angles of its triangles [Van Oosterom & Strackee 1983], in 2D of the
   angles of its edges. One point stands for a body: its other points are inside too, or the surfaces meet. */
#include "contact/meetings.h"

#include "geom/predicates.h"
#include "linalg/dense.h"

#include <math.h>

bool brn_skin_inside_plane(const brn_skin *skin, const int *plane, int point, const double *x)
{
    const double *p = &x[3 * point];
    const double *q[3] = {&x[3 * plane[0]], &x[3 * plane[1]], &x[3 * plane[skin->dim == 3 ? 2 : 1]]};
    if (skin->radius[point] > 0.0) {
        return !(brn_skin_plane_distance(skin, plane, p, x) > skin->radius[point]);
    }
    return skin->dim == 3 ? brn_orient3d(q[0], q[1], q[2], p) <= 0 : brn_orient2d(q[0], q[1], p) <= 0;
}

brn_box brn_body_touch_box(const brn_body *body, const double *x)
{
    brn_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < body->touch->nnode; ++i) {
        for (int k = 0; k < 3; ++k) {
            box.lo[k] = fmin(box.lo[k], x[3 * body->touch->node[i] + k]);
            box.hi[k] = fmax(box.hi[k], x[3 * body->touch->node[i] + k]);
        }
    }
    return box;
}

static void arm_to(const double *x, int node, const double p[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = x[3 * node + i] - p[i];
    }
}

double brn_body_winding(const brn_body *body, int dim, const double *x, const double p[3])
{
    const brn_boundary *surface = body->touch;
    double sum = 0.0;
    double a[3][3];
    double cross[3];
    for (int e = 0; e < surface->nedge && dim == 2; ++e) {
        arm_to(x, surface->edge[e][0], p, a[0]);
        arm_to(x, surface->edge[e][1], p, a[1]);
        sum += atan2(a[0][0] * a[1][1] - a[0][1] * a[1][0], a[0][0] * a[1][0] + a[0][1] * a[1][1]);
    }
    for (int t = 0; t < surface->ntri && dim == 3; ++t) {
        double length[3];
        for (int k = 0; k < 3; ++k) {
            arm_to(x, surface->tri[t][k], p, a[k]);
            length[k] = sqrt(brn_dense_dot3(a[k], a[k]));
        }
        brn_dense_cross3(a[1], a[2], cross);
        sum += atan2(brn_dense_dot3(a[0], cross),
                     length[0] * length[1] * length[2] + brn_dense_dot3(a[0], a[1]) * length[2] +
                         brn_dense_dot3(a[1], a[2]) * length[0] + brn_dense_dot3(a[2], a[0]) * length[1]);
    }
    return sum / (2.0 * acos(-1.0)); /* the solid angle is twice the sum, a full one 4 pi */
}

/* Whether a point is inside a body, whose box is known. */
static bool is_inside(const brn_skin *skin, const brn_body *body, const brn_box *box, int point,
                      const double *x)
{
    const double *p = &x[3 * point];
    if (!body->solid || body->radius > 0.0 || body->touch->nnode == 0 ||
        !brn_skin_may_touch(skin, &point, 1, &body->touch->node[0], 1)) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        if (!(p[k] >= box->lo[k] && p[k] <= box->hi[k])) {
            return false;
        }
    }
    return fabs(brn_body_winding(body, skin->dim, x, p)) > 0.5;
}

void brn_meetings_add_inside(const brn_skin *skin, const double *x, brn_meetings *meetings)
{
    const brn_model *model = skin->model;
    for (int n = 0; n < model->nbody; ++n) {
        const brn_body *outer = &model->body[n];
        const brn_box box = brn_body_touch_box(outer, x);
        for (int m = 0; m < model->nbody; ++m) {
            const brn_boundary *inner = model->body[m].touch;
            if (m != n && inner->nnode > 0 && is_inside(skin, outer, &box, inner->node[0], x)) {
                brn_meetings_add(skin, meetings, inner->node[0], outer->touch->node[0],
                                 &x[3 * inner->node[0]]);
            }
        }
    }
}
