#include "model/body_shape.h"

#include "linalg/dense.h"
#include "model/builder.h"
#include "phys/rotation.h"

#include <math.h>
#include <string.h>

int brn_body_span(const brn_model *model, int body, int node[4])
{
    const brn_body *b = &model->body[body];
    if (b->handle < 0) {
        memcpy(node, b->shape.node, sizeof b->shape.node);
        return b->shape.span;
    }
    for (int k = 0; k <= model->dim; ++k) {
        node[k] = b->handle + k;
    }
    return model->dim + 1;
}

void brn_body_span_edges(int dim, int span, const int *node, const double *x, double edges[9])
{
    double column[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 1}};
    for (int k = 0; k + 1 < span; ++k) {
        for (int i = 0; i < dim; ++i) {
            column[k][i] = x[3 * node[k + 1] + i] - x[3 * node[0] + i];
        }
    }
    if (span == dim && dim == 3) { /* as long as the edges, so that rounding treats them alike */
        brn_dense_cross3(column[0], column[1], column[2]);
        const double scale = 1.0 / sqrt(sqrt(brn_dense_dot3(column[2], column[2])));
        for (int i = 0; i < 3; ++i) {
            column[2][i] *= scale;
        }
    } else if (span == dim) {
        column[1][0] = -column[0][1];
        column[1][1] = column[0][0];
    }
    for (int i = 0; i < 9; ++i) {
        edges[i] = column[i % 3][i / 3];
    }
}

void brn_body_shape_frame(const brn_model *model, int body, const double *x, brn_rigid_map *out)
{
    const brn_body_shape *shape = &model->body[body].shape;
    const int first = shape->node[0];
    double rest[9];
    double now[9];
    double inverse[9];
    double map[9];
    double turn[9];
    double arm[3];
    brn_body_span_edges(model->dim, shape->span, shape->node, &model->rest[0][0], rest);
    brn_body_span_edges(model->dim, shape->span, shape->node, x, now);
    (void)brn_dense_inverse3(rest, inverse);
    brn_dense_multiply3(now, inverse, map);
    brn_rotation_nearest(map, turn);
    brn_dense_multiply3(turn, shape->rest.rotation, out->rotation);
    for (int i = 0; i < 3; ++i) {
        arm[i] = shape->rest.origin[i] - model->rest[first][i];
    }
    brn_dense_apply3(map, arm, out->origin);
    for (int i = 0; i < 3; ++i) {
        out->origin[i] += x[3 * first + i];
    }
}

/* ---- build ------------------------------------------------------------------------------------------------------------------ */

/* The node of a body that spans most with those chosen: farthest from the first, then from the line, then from the plane
   through them; the first one if several are equally far. */
static int farthest(const brn_model *model, const brn_body *body, const int *chosen, int count)
{
    double normal[2][3] = {{0}}; /* orthonormal directions already spanned */
    double most = -1.0;
    int best = body->node_first;
    for (int k = 1; k < count; ++k) {
        double *n = normal[k - 1];
        for (int i = 0; i < 3; ++i) {
            n[i] = model->rest[chosen[k]][i] - model->rest[chosen[0]][i];
        }
        const double along = k == 2 ? brn_dense_dot3(n, normal[0]) : 0.0;
        for (int i = 0; i < 3 && k == 2; ++i) {
            n[i] -= along * normal[0][i];
        }
        const double length = sqrt(brn_dense_dot3(n, n));
        for (int i = 0; i < 3; ++i) {
            n[i] /= length;
        }
    }
    for (int a = body->node_first; a < body->node_first + body->node_count && count > 0; ++a) {
        double arm[3];
        for (int i = 0; i < 3; ++i) {
            arm[i] = model->rest[a][i] - model->rest[chosen[0]][i];
        }
        for (int k = 1; k < count; ++k) {
            const double along = brn_dense_dot3(arm, normal[k - 1]);
            for (int i = 0; i < 3; ++i) {
                arm[i] -= along * normal[k - 1][i];
            }
        }
        const double far = brn_dense_dot3(arm, arm);
        best = far > most ? a : best;
        most = fmax(most, far);
    }
    return best;
}

void brn_builder_add_shapes(brn_builder *b)
{
    brn_model *model = b->model;
    for (int n = 0; n < model->nbody && brn_scene_problem_count(b->scene) == 0; ++n) {
        brn_body *body = &model->body[n];
        const brn_shape_form *form = brn_builder_form(b, n);
        if (form->mesh == NULL) {
            continue;
        }
        const brn_body_place *place = &b->pose[n];
        body->shape.primitive = form->primitive;
        brn_dense_multiply3(place->rotation, form->axes, body->shape.rest.rotation);
        memcpy(body->shape.rest.origin, place->position, sizeof place->position);
        body->shape.span = form->half_space ? model->dim : model->dim + 1;
        for (int k = 0; k < body->shape.span; ++k) {
            body->shape.node[k] = body->handle >= 0  ? body->handle + k
                                  : form->half_space ? body->plane[k]
                                                     : farthest(model, body, body->shape.node, k);
        }
    }
}
