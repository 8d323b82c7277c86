/* How far the place of a contact goes in a step. */
#include "step/bbi/bbi.h"

#include "linalg/dense.h"
#include "model/body_shape.h"

#include <math.h>
#include <string.h>

/* [m] From the surface to the centre or axis of a round body along n, into it; 0: it is not round there. */
static double round_radius(const brn_body *body, const brn_rigid_map *frame, const double n[3])
{
    const brn_primitive *shape = &body->shape.primitive;
    const double *r = frame->rotation;
    const double along = fabs(r[2] * n[0] + r[5] * n[1] + r[8] * n[2]);
    const bool side = shape->kind == BRN_PRIMITIVE_CYLINDER && along < 0.5; /* not on its flat end */
    return shape->kind == BRN_PRIMITIVE_SPHERE || shape->kind == BRN_PRIMITIVE_CAPSULE || side
               ? shape->size[0]
               : 0.0;
}

/* How far a side of a contact went, and its place if the side made it: a vertex takes it along, a round body rolls above it, and its centre
   does. Returns the radius, 0 if it is not round. */
static double ways_of(const brn_bbi *bbi, const brn_bbi_point *p, int side, const brn_state *in,
                      const brn_state *out, double way[2][3])
{
    const brn_model *model = bbi->model;
    const brn_body *body = &model->body[p->touch.body[side]];
    const double sign = side == 0 ? 1.0 : -1.0;
    memset(way, 0, 6 * sizeof(double));
    for (int k = 0; k < p->touch.lever.count; ++k) {
        const int a = p->touch.lever.node[k];
        const bool own = a >= body->node_first && a < body->node_first + body->node_count;
        for (int i = 0; i < model->dim && own; ++i) {
            way[0][i] +=
                sign * p->touch.lever.weight[k] * (out->node_pos[3 * a + i] - in->node_pos[3 * a + i]);
        }
    }
    memcpy(way[1], way[0], sizeof way[0]);
    if (body->shape.primitive.kind == BRN_PRIMITIVE_NONE ||
        body->shape.primitive.kind == BRN_PRIMITIVE_PLANE) {
        return 0.0;
    }
    const double normal[3] = {sign, 0.0, 0.0};
    brn_rigid_map frame[2];
    double n[3];
    double centre[3];
    double local[3];
    brn_body_shape_frame(model, p->touch.body[side], in->node_pos, &frame[0]);
    brn_body_shape_frame(model, p->touch.body[side], out->node_pos, &frame[1]);
    brn_bbi_to_world(bbi, p, normal, n);
    const double radius = round_radius(body, &frame[1], n);
    for (int i = 0; i < 3; ++i) {
        centre[i] = p->touch.place[i] + radius * n[i] - frame[1].origin[i];
    }
    brn_dense_apply3_t(frame[1].rotation, centre, local);
    brn_dense_apply3(frame[0].rotation, local, n);
    for (int i = 0; i < model->dim && radius > 0.0; ++i) {
        way[1][i] = centre[i] + frame[1].origin[i] - n[i] - frame[0].origin[i];
    }
    return radius;
}

/* How far the place of a contact went: with the side of less radius, a vertex having none and a face having no end; where both are flat, with
   the one that moves or as the mean. */
static void place_way(const brn_bbi *bbi, const brn_bbi_point *p, const double radius[2], double way[2][2][3],
                      double out[3])
{
    const brn_body *body = bbi->model->body;
    const bool vertex = p->touch.kind == BRN_TOUCHING_VERTEX && radius[0] == 0.0;
    double share = 0.5; /* of body[1] */
    if (vertex) {
        share = 0.0;
    } else if (radius[0] > 0.0 || radius[1] > 0.0) {
        share = radius[0] == 0.0 ? 1.0 : radius[1] == 0.0 ? 0.0 : radius[0] / (radius[0] + radius[1]);
    } else if (body[p->touch.body[0]].type == BRN_BODY_STATIC) {
        share = 1.0;
    } else if (body[p->touch.body[1]].type == BRN_BODY_STATIC) {
        share = 0.0;
    }
    for (int i = 0; i < 3; ++i) {
        out[i] = (1.0 - share) * way[0][1][i] + share * way[1][1][i];
    }
}

void brn_bbi_way(const brn_bbi *bbi, const brn_bbi_point *p, const brn_state *in, const brn_state *out,
                 double way[2][3], double place[3])
{
    double ways[2][2][3];
    double radius[2];
    for (int side = 0; side < 2; ++side) {
        radius[side] = ways_of(bbi, p, side, in, out, ways[side]);
        memcpy(way[side], ways[side][0], sizeof way[side]);
    }
    place_way(bbi, p, radius, ways, place);
}
