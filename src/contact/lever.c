#include "contact/lever.h"

#include "linalg/dense.h"
#include "model/body_shape.h"

void brn_lever_add(brn_lever *lever, int node, double weight)
{
    if (weight == 0.0) {
        return;
    }
    int k = 0;
    while (k < lever->count && lever->node[k] != node) {
        ++k;
    }
    if (k == lever->count) {
        lever->node[lever->count++] = node;
        lever->weight[k] = 0.0;
    }
    lever->weight[k] += weight;
}

/* Barycentric coordinates in the nodes that span the body. A place off a half-space's plane goes with the foot of its
   perpendicular. */
void brn_lever_add_place(brn_lever *lever, const brn_model *model, int body, const double place[3],
                         double weight, const double *x)
{
    int node[4];
    const int span = brn_body_span(model, body, node);
    double edges[9];
    double inverse[9];
    double arm[3] = {0};
    double share[4] = {1.0};
    brn_body_span_edges(model->dim, span, node, x, edges);
    for (int i = 0; i < model->dim; ++i) {
        arm[i] = place[i] - x[3 * node[0] + i];
    }
    (void)brn_dense_inverse3(edges, inverse); /* no step turns a simplex flat */
    for (int k = 0; k + 1 < span; ++k) {
        share[k + 1] = brn_dense_dot3(&inverse[3 * k], arm);
        share[0] -= share[k + 1];
    }
    for (int k = 0; k < span; ++k) {
        brn_lever_add(lever, node[k], weight * share[k]);
    }
}

void brn_lever_of_pair(const brn_skin *skin, const brn_contact_pair *pair, const double weight[4],
                       const double normal[3], const double *x, brn_lever *out)
{
    out->count = 0;
    for (int k = 0; k < brn_touch_count(pair->node); ++k) {
        const int node = pair->node[k];
        const int body = skin->node_body[node];
        if (skin->model->body[body].handle < 0) {
            brn_lever_add(out, node, weight[k]);
            continue;
        }
        /* The surface faces the other side. If that has no handles it acts at its own nodes, and the two meet there. */
        const bool first = k < brn_pair_first_side(pair->kind);
        const int other = pair->node[first ? brn_touch_count(pair->node) - 1 : 0];
        const bool bare = skin->model->body[skin->node_body[other]].handle < 0;
        const double reach = (first ? -1.0 : 1.0) * (skin->radius[node] + (bare ? skin->radius[other] : 0.0));
        double place[3];
        for (int i = 0; i < 3; ++i) {
            place[i] = x[3 * node + i] + reach * normal[i];
        }
        brn_lever_add_place(out, skin->model, body, place, weight[k], x);
    }
}
