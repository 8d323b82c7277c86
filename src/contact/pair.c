#include "contact/pair.h"

#include "geom/ccd.h"
#include "geom/volume_bound.h"

#include <math.h>
#include <string.h>

/* A gap below this fraction of the coordinates is rounding: positions, differences, square and root each add about 1e-16. */
static const double GAP_ROUNDING = 2e-15;

brn_stencil brn_pair_classify(int kind, const int node[4], const double x[4][3])
{
    switch (kind) {
    case BRN_TOUCH_POINT_EDGE:
        return brn_classify_point_edge(x);
    case BRN_TOUCH_POINT_TRIANGLE:
        return brn_classify_point_triangle(x);
    case BRN_TOUCH_EDGE_EDGE:
        return brn_classify_edge_edge(x);
    case BRN_TOUCH_POINT_POINT:
        return (brn_stencil){BRN_PAIR_PP, 2, {0, 1, 0, 0}};
    default:
        return node[3] < 0 ? (brn_stencil){BRN_PAIR_PE, 3, {0, 1, 2, 0}}
                           : (brn_stencil){BRN_PAIR_PT, 4, {0, 1, 2, 3}};
    }
}

bool brn_pair_measure(const brn_candidate *c, const double *x, double within, brn_contact_pair *out)
{
    double at[4][3];
    (void)brn_candidate_gather(c->node, x, at);
    const brn_stencil stencil = brn_pair_classify(c->kind, c->node, (const double(*)[3])at);
    const double d2 = brn_stencil_distance2(stencil, (const double(*)[3])at, 0, NULL, NULL);
    const double reach = fmin(within, c->reach) + c->offset;
    if (!(d2 < reach * reach && c->area > 0.0)) {
        return false;
    }
    *out = (brn_contact_pair){.kind = c->kind,
                              .stencil = stencil,
                              .area = c->area,
                              .offset = c->offset,
                              .reach = c->reach,
                              .d2 = d2};
    memcpy(out->node, c->node, sizeof out->node);
    return true;
}

double brn_pair_gap(const brn_contact_pair *pair)
{
    return sqrt(pair->d2) - pair->offset;
}

bool brn_pair_touches(const brn_contact_pair *pair, const double *x)
{
    double reach = sqrt(pair->d2) + pair->offset;
    for (int k = 0; k < brn_touch_count(pair->node); ++k) {
        for (int i = 0; i < 3; ++i) {
            reach = fmax(reach, fabs(x[3 * pair->node[k] + i]));
        }
    }
    return !(brn_pair_gap(pair) > GAP_ROUNDING * reach);
}

double brn_pair_frame(const brn_contact_pair *pair, const double x[4][3], double weight[4], double normal[3])
{
    double w[4];
    const double d2 = brn_stencil_closest(pair->stencil, x, w, normal);
    const double d = sqrt(d2);
    memset(weight, 0, 4 * sizeof *weight);
    for (int k = 0; k < pair->stencil.count; ++k) {
        weight[pair->stencil.node[k]] = w[k];
    }
    const double side = weight[0] + (pair->kind == BRN_TOUCH_EDGE_EDGE ? weight[1] : 0.0); /* 1 or -1 */
    for (int i = 0; i < 3; ++i) {
        normal[i] *= (side < 0.0 ? -1.0 : 1.0) / d;
    }
    for (int k = 0; k < 4; ++k) {
        weight[k] = side < 0.0 ? -weight[k] : weight[k];
    }
    return d2;
}

void brn_pair_place(const brn_skin *skin, const brn_contact_pair *pair, const double *x,
                    const double weight[4], const double normal[3], double place[3])
{
    /* Neighbours in a sheet touch at less than its thickness. */
    const int a = pair->node[0], b = pair->node[brn_touch_count(pair->node) - 1];
    const double radius = skin->node_body[a] == skin->node_body[b] ? 0.5 * pair->offset : skin->radius[a];
    const double down = radius + 0.5 * brn_pair_gap(pair);
    for (int i = 0; i < 3; ++i) {
        place[i] = -down * normal[i];
        for (int k = 0; k < brn_pair_first_side(pair->kind); ++k) {
            place[i] += weight[k] * x[3 * pair->node[k] + i];
        }
    }
}

double brn_pair_impact_time(const brn_candidate *c, const double *x0, const double *x1, double keep,
                            double t_max)
{
    double a[4][3];
    double b[4][3];
    const int count = brn_candidate_gather(c->node, x0, a);
    (void)brn_candidate_gather(c->node, x1, b);
    const double(*from)[3] = (const double(*)[3])a;
    const double(*to)[3] = (const double(*)[3])b;
    switch (c->kind) {
    case BRN_TOUCH_POINT_EDGE:
        return brn_ccd_point_edge(from, to, c->offset, keep, t_max);
    case BRN_TOUCH_POINT_TRIANGLE:
        return brn_ccd_point_triangle(from, to, c->offset, keep, t_max);
    case BRN_TOUCH_EDGE_EDGE:
        return brn_ccd_edge_edge(from, to, c->offset, keep, t_max);
    case BRN_TOUCH_POINT_POINT:
        return brn_ccd_point_point(from, to, c->offset, keep, t_max);
    default:
        return count == 4 ? brn_bound_plane(from, to, c->offset, keep, t_max)
                          : brn_bound_line(from, to, c->offset, keep, t_max);
    }
}
