/* Two sharp edges: where they cross, normal, gap, area. */
#include "contact/crossings_inner.h"

#include <string.h>

/* Edges with a smaller sine have no common normal to speak of. */
static const double PARALLEL = 1e-3;
/* Faces whose normals have a larger cosine with n lie on the other body. */
static const double FLAT = 0.9;
/* Those with a smaller one are another way out. */
static const double STEEP = 0.5;

/* Whether sign * n is a normal of an edge. */
static bool has_normal(const brn_ridge *r, const double n[3], double sign)
{
    return sign * brn_dense_dot3(r->middle, n) >= r->least;
}

/* Area beside an edge that faces along sign * n. */
static double facing(const brn_ridge *r, const double n[3], double sign)
{
    const int sides = r->opposite[1] < 0 ? 1 : 2;
    double sum = 0.0;
    for (int k = 0; k < sides; ++k) {
        const double along = sign * brn_dense_dot3(r->normal[k], n);
        sum += r->area[k] * (sides == 1 ? fabs(along) : fmax(0.0, along));
    }
    return sum;
}

/* The side of an edge that faces along sign * n most, and its cosine. */
static double cosine_of(const brn_ridge *r, const double n[3], double sign, int *side)
{
    const double cosine[2] = {sign * brn_dense_dot3(r->normal[0], n), sign * brn_dense_dot3(r->normal[1], n)};
    *side = cosine[1] > cosine[0];
    return cosine[*side];
}

static bool has_shape(const brn_crossings *c, int body)
{
    return c->skin->model->body[body].shape.primitive.kind != BRN_PRIMITIVE_NONE;
}

/* Whether a vertex at an end counts as on a face of the other edge, as in patches_nearest.c: both lie on each other. Shapes have no such
   rim. */
static bool is_at_end(const brn_crossings *c, const brn_ridge *const r[2], const brn_patch *p)
{
    bool at_end = false;
    int side[2];
    if (has_shape(c, p->body[0]) || has_shape(c, p->body[1]) ||
        !(cosine_of(r[0], p->normal, -1.0, &side[0]) > FLAT) ||
        !(cosine_of(r[1], p->normal, 1.0, &side[1]) > FLAT)) {
        return false;
    }
    for (int k = 0; k < 2; ++k) {
        const double rim = BRN_PATCHES_RIM * sqrt(r[1 - k]->area[side[1 - k]]);
        const double to_end = fmin(fabs(p->weight[2 * k]), fabs(p->weight[2 * k + 1])) *
                              sqrt(brn_dense_dot3(r[k]->along, r[k]->along));
        at_end = at_end || (to_end < rim && fabs(p->gap) < rim);
    }
    return at_end;
}

/* Whether an end of an edge is below another face of the other body, less deep than the crossing, or within the rim above or below it. */
static bool ends_shallower(const brn_crossings *c, const brn_ridge *const r[2], const brn_patch *p)
{
    bool shallower = false;
    for (int i = 0; i < 8; ++i) {
        const brn_ridge *other = r[1 - i / 4];
        const double *normal = other->normal[i % 2];
        const double rim = BRN_PATCHES_RIM * sqrt(other->area[i % 2]);
        double arm[3];
        brn_ridge_subtract(&c->x[3 * r[i / 4]->node[i / 2 % 2]], &c->x[3 * other->node[0]], arm);
        const double height = brn_dense_dot3(normal, arm);
        const bool steep = other->opposite[1] >= 0 && fabs(brn_dense_dot3(normal, p->normal)) < STEEP;
        shallower = shallower || (steep && height < rim && height > fmin(p->gap, -rim));
    }
    return shallower;
}

/* Weights of the nearest places of the two lines, and their normal, of either sign; false: they are not inside both edges. */
static bool meet_lines(const brn_crossings *c, const brn_ridge *const r[2], brn_patch *to)
{
    double arm[3];
    double turned[3];
    brn_dense_cross3(r[0]->along, r[1]->along, to->normal);
    brn_ridge_subtract(&c->x[3 * r[1]->node[0]], &c->x[3 * r[0]->node[0]], arm);
    const double square = brn_dense_dot3(to->normal, to->normal);
    const double lengths =
        brn_dense_dot3(r[0]->along, r[0]->along) * brn_dense_dot3(r[1]->along, r[1]->along);
    bool inside = square >= PARALLEL * PARALLEL * lengths && square > 0.0;
    for (int k = 0; k < 2 && inside; ++k) {
        const double sign = k == 0 ? 1.0 : -1.0;
        brn_dense_cross3(arm, r[1 - k]->along, turned);
        const double at = brn_dense_dot3(turned, to->normal) / square;
        to->weight[2 * k] = sign * (1.0 - at);
        to->weight[2 * k + 1] = sign * at;
        memcpy(&to->node[2 * k], r[k]->node, sizeof r[k]->node);
        to->body[k] = c->skin->node_body[r[k]->node[0]];
        inside = at >= 0.0 && at <= 1.0;
    }
    (void)brn_ridge_make_unit(to->normal);
    return inside;
}

void brn_crossings_meet(const brn_crossings *c, const brn_ridge *const r[2], brn_patch *to)
{
    double between[3] = {0};
    *to = (brn_patch){.area = 0.0};
    if (!meet_lines(c, r, to)) {
        return;
    }
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < 3; ++i) {
            between[i] += to->weight[k] * c->x[3 * to->node[k] + i];
        }
    }
    const double height = brn_dense_dot3(between, to->normal);
    const double radius[2] = {c->skin->radius[to->node[0]], c->skin->radius[to->node[2]]};
    const double likely = height < 0.0 ? -1.0 : 1.0;
    double sign = 0.0;
    for (int k = 0; k < 2 && sign == 0.0; ++k) {
        const double one = k == 0 ? likely : -likely;
        sign = has_normal(r[0], to->normal, -one) && has_normal(r[1], to->normal, one) ? one : 0.0;
    }
    to->gap = sign * height - radius[0] - radius[1];
    for (int i = 0; i < 3; ++i) {
        to->normal[i] *= sign;
        to->place[i] = to->weight[0] * c->x[3 * to->node[0] + i] + to->weight[1] * c->x[3 * to->node[1] + i] -
                       (radius[0] + 0.5 * to->gap) * to->normal[i];
    }
    const double within = brn_contact_reach_of(&c->reach, to->body[0], to->body[1]);
    if (sign != 0.0 && to->gap < within && to->gap > -fmax(within, c->depth) && !is_at_end(c, r, to) &&
        !ends_shallower(c, r, to)) {
        to->bears = true;
        to->area = 0.25 * fmin(facing(r[0], to->normal, -1.0), facing(r[1], to->normal, 1.0));
    }
}
