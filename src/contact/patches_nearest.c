/* One vertex against the sides of a body: gap, normal, weights, area. */
#include "contact/patches_inner.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* Distances that differ by less belong to one place that several sides share. */
static const double TIE = 1e-9;
/* Squares of distances that differ by this factor differ whatever the rounding. */
static const double FARTHER = 1.001;
/* A side around a vertex faces another side if the cosine of their outward normals is below minus this. Inside a body that
   takes precedence over distance: a corner standing on a face is nearer to the wall below the face's rim than to the face. */
static const double OPPOSED = 0.5;
/* Parts of one body no nearer than this fraction of their distance at rest do not touch: neighbours in a sheet, or the two
   faces of a plate, which see each other through its material. */
static const double NEAR_AT_REST = 0.5;

double brn_patches_facing(const brn_patches *patches, int node, const double n[3], double sign)
{
    const bool sheet = !patches->skin->model->body[patches->skin->node_body[node]].solid;
    double sum = 0.0;
    for (int i = patches->at_first[node]; i < patches->at_first[node + 1]; ++i) {
        const double along = sign * brn_dense_dot3(patches->vector[patches->at[i]], n);
        sum += sheet ? fabs(along) : fmax(0.0, along);
    }
    return sum / patches->skin->dim;
}

/* Area where a round core cuts a flat face: the base of a cap, in 2D a chord. */
static double cap_area(int dim, double radius, double depth)
{
    const double d = fmax(0.0, fmin(depth, radius));
    const double square = d * (2.0 * radius - d); /* of the base's radius */
    return dim == 3 ? acos(-1.0) * square : 2.0 * sqrt(square);
}

bool brn_patches_is_core(const brn_patches *patches, int node)
{
    const brn_skin *skin = patches->skin;
    const brn_primitive_kind kind = skin->model->body[skin->node_body[node]].shape.primitive.kind;
    return kind == BRN_PRIMITIVE_SPHERE || kind == BRN_PRIMITIVE_CAPSULE || skin->node_sides[node] == 0;
}

static double vertex_area(const brn_patches *patches, const brn_patch *patch)
{
    const int node = patch->node[0];
    return brn_patches_is_core(patches, node)
               ? cap_area(patches->skin->dim, patches->skin->radius[node], -patch->gap)
               : brn_patches_facing(patches, node, patch->normal, -1.0);
}

void brn_patches_complete(const brn_patches *patches, int point, brn_patch *to)
{
    const double *p = &patches->x[3 * point];
    const double down = patches->skin->radius[point] + 0.5 * to->gap;
    to->body[0] = patches->skin->node_body[point];
    to->node[0] = point;
    to->weight[0] = 1.0;
    for (int i = 0; i < 3; ++i) {
        to->place[i] = p[i] - down * to->normal[i];
    }
    to->area = vertex_area(patches, to);
}

bool brn_patches_looks_against(const brn_patches *patches, int point, const double normal[3], bool sheet)
{
    const bool both = sheet || !patches->skin->model->body[patches->skin->node_body[point]].solid;
    const double square = brn_dense_dot3(normal, normal);
    bool looks = brn_patches_is_core(patches, point);
    for (int i = patches->at_first[point]; i < patches->at_first[point + 1] && !looks; ++i) {
        const double *v = patches->vector[patches->at[i]];
        const double along = both ? -fabs(brn_dense_dot3(v, normal)) : brn_dense_dot3(v, normal);
        looks = along < 0.0 && along < -OPPOSED * sqrt(brn_dense_dot3(v, v) * square);
    }
    return looks;
}

/* A side as seen from a vertex. */
typedef struct view {
    int side;
    brn_stencil stencil;
    double d2;     /* [m^2] */
    double height; /* [m] signed distance from the side's plane */
} view;

static brn_contact_pair pair_of(const brn_patches *patches, int point, const view *v)
{
    const int dim = patches->skin->dim;
    const int *node = &patches->side[dim * v->side];
    return (brn_contact_pair){.kind = dim == 3 ? BRN_TOUCH_POINT_TRIANGLE : BRN_TOUCH_POINT_EDGE,
                              .node = {point, node[0], node[1], dim == 3 ? node[2] : -1},
                              .stencil = v->stencil,
                              .d2 = v->d2};
}

/* Whether a vertex faces a side. */
static bool is_faced(const brn_patches *patches, int point, int side)
{
    const brn_skin *skin = patches->skin;
    const int body = skin->node_body[patches->side[skin->dim * side]];
    return brn_patches_looks_against(patches, point, patches->vector[side], !skin->model->body[body].solid);
}

/* Height of a point over the plane of a side with this vector; NaN where the side has no area. */
static double height_over(const double p[3], const double at[3], const double vector[3])
{
    const double arm[3] = {p[0] - at[0], p[1] - at[1], p[2] - at[2]};
    return brn_dense_dot3(arm, vector) / sqrt(brn_dense_dot3(vector, vector));
}

/* Which feature of the side is nearest to the vertex, and its distance. */
static void set_distance(const brn_patches *patches, int point, const double *positions, view *v)
{
    const brn_contact_pair pair = pair_of(patches, point, v);
    double x[4][3];
    (void)brn_candidate_gather(pair.node, positions, x);
    v->stencil = brn_pair_classify(pair.kind, pair.node, (const double(*)[3])x);
    v->d2 = brn_stencil_distance2(v->stencil, (const double(*)[3])x, 0, NULL, NULL);
}

static double distance_at_rest(const brn_patches *patches, int point, int side)
{
    view rest = {.side = side};
    set_distance(patches, point, &patches->skin->model->rest[0][0], &rest);
    return sqrt(rest.d2);
}

/* Whether a vertex was on the outside of a side of its own body at rest. */
static bool was_before(const brn_patches *patches, int point, int side)
{
    const brn_skin *skin = patches->skin;
    const double *rest = &skin->model->rest[0][0];
    double vector[3];
    if (!skin->model->body[skin->node_body[point]].solid) {
        return false;
    }
    brn_patches_side_vector(patches, side, rest, vector);
    return !(height_over(&rest[3 * point], &rest[3 * patches->side[skin->dim * side]], vector) < 0.0);
}

/* [m^2] No less than the squared distance of a vertex and a side at rest: that of the side's nearest node. */
static double most_at_rest(const brn_patches *patches, int point, int side)
{
    const int dim = patches->skin->dim;
    const double(*rest)[3] = (const double(*)[3])patches->skin->model->rest;
    double least = INFINITY;
    for (int k = 0; k < dim; ++k) {
        const double *at = rest[patches->side[dim * side + k]];
        const double arm[3] = {rest[point][0] - at[0], rest[point][1] - at[1], rest[point][2] - at[2]};
        const double square = brn_dense_dot3(arm, arm);
        least = square < least ? square : least;
    }
    return least;
}

/* Whether a vertex can touch a side of its own body that it faces: not where they see each other through the material at rest. Behind the
   plane of a side is inside only below the side itself: the sides around the vertex are left out, and in a crease those next to this one
   may be nearer. */
static bool may_meet_itself(const brn_patches *patches, const view *v, int point, bool before)
{
    const bool solid = patches->skin->model->body[patches->skin->node_body[point]].solid;
    const bool beside = v->height < 0.0 && -v->height < OPPOSED * sqrt(v->d2);
    return !(solid && beside) &&
           (before || sqrt(v->d2) < NEAR_AT_REST * distance_at_rest(patches, point, v->side));
}

/* Surfaces touch at the sum of their radii, but within a sheet, where neighbours are nearer than its thickness from the start,
   at no more than half their distance at rest. */
static double offset_of(const brn_patches *patches, const view *v, int point)
{
    const brn_skin *skin = patches->skin;
    const int other = patches->side[skin->dim * v->side];
    const double offset = skin->radius[point] + skin->radius[other];
    return offset == 0.0 || skin->node_body[point] != skin->node_body[other]
               ? offset
               : fmin(offset, 0.5 * distance_at_rest(patches, point, v->side));
}

/* Of sides that share the nearest place, the one seen most from above tells outside from inside. */
static bool is_nearer(const view *v, const view *best)
{
    return v->d2 < best->d2 * (1.0 - TIE) ||
           (v->d2 <= best->d2 * (1.0 + TIE) && fabs(v->height) > fabs(best->height));
}

/* Keeps a side if it is the nearest so far of all, or of those that the vertex faces. The distance is left to the last: most sides are too
   far by their plane alone, or of the vertex's own body and not faced, or seen through it. */
static void look(const brn_patches *patches, int point, int side, view *all, view *seen)
{
    const int *node = &patches->side[patches->skin->dim * side];
    const bool own = patches->skin->node_body[point] == patches->skin->node_body[node[0]];
    view v = {.side = side};
    v.height = height_over(&patches->x[3 * point], &patches->x[3 * node[0]], patches->vector[side]);
    const double least = v.height * v.height; /* no side is nearer than its plane */
    if (!isfinite(v.height) || least > FARTHER * fmax(all->d2, seen->d2)) {
        return;
    }
    const bool must_face = own || least > FARTHER * all->d2;
    if (must_face && !is_faced(patches, point, side)) {
        return;
    }
    const bool before = own && was_before(patches, point, side);
    if (own && !before &&
        least > FARTHER * NEAR_AT_REST * NEAR_AT_REST * most_at_rest(patches, point, side)) {
        return;
    }
    set_distance(patches, point, patches->x, &v);
    if (own && !may_meet_itself(patches, &v, point, before)) {
        return;
    }
    if (is_nearer(&v, seen) && (must_face || is_faced(patches, point, side))) {
        *seen = v;
    }
    if (is_nearer(&v, all)) {
        *all = v;
    }
}

/* How large a side is [m]. */
static double side_length(const brn_patches *patches, int side)
{
    const double *v = patches->vector[side];
    const double size = sqrt(brn_dense_dot3(v, v));
    return patches->skin->dim == 3 ? sqrt(size) : size;
}

/* Whether a vertex lies on a side that it faces, or beside its rim by no more than BRN_PATCHES_RIM. */
static bool is_on(const brn_patches *patches, int point, const view *v)
{
    const double length = side_length(patches, v->side);
    const double d = sqrt(v->d2);
    const double beside = sqrt(fmax(0.0, v->d2 - v->height * v->height));
    return !(d > BRN_PATCHES_TOUCH * length) ||
           (beside <= BRN_PATCHES_RIM * length && fabs(v->height) <= BRN_PATCHES_RIM * length &&
            is_faced(patches, point, v->side));
}

/* Normal, gap and weights with respect to the nearest side. */
static void measure(const brn_patches *patches, int point, const view *v, brn_patch *to)
{
    const bool sheet = !patches->skin->model->body[to->body[1]].solid;
    const double *vector = patches->vector[v->side];
    const double d = sqrt(v->d2);
    const double area = sqrt(brn_dense_dot3(vector, vector));
    const double side = v->height < 0.0 ? -1.0 : 1.0;
    const brn_contact_pair pair = pair_of(patches, point, v);
    double x[4][3];
    (void)brn_candidate_gather(pair.node, patches->x, x);
    (void)brn_pair_frame(&pair, (const double(*)[3])x, to->weight, to->normal);
    const bool inner = v->stencil.count == patches->skin->dim + 1;
    const bool flat = inner || is_on(patches, point, v);
    for (int i = 0; i < 3; ++i) {
        to->normal[i] = flat ? (sheet ? side : 1.0) * vector[i] / area : (sheet ? 1.0 : side) * to->normal[i];
    }
    to->gap = (flat && !inner ? fabs(v->height) : d) * (sheet ? 1.0 : side) - offset_of(patches, v, point);
    memcpy(to->node, pair.node, sizeof to->node);
}

/* The nearest side; for a vertex inside, of those that it faces, if there is one within the depth. */
static view nearest_side(const brn_patches *patches, const brn_patch_group *group)
{
    const brn_skin *skin = patches->skin;
    const bool solid = skin->model->body[group->body].solid;
    view all = {.side = -1, .d2 = INFINITY};
    view seen = all;
    for (int i = group->first; i < group->end; ++i) {
        look(patches, group->point, patches->meshed[patches->pairs->pair[i][1]], &all, &seen);
    }
    const bool on = seen.side >= 0 && is_on(patches, group->point, &seen);
    const bool outside = !on && all.side >= 0 && all.height > 0.0 &&
                         sqrt(all.d2) > BRN_PATCHES_TOUCH * side_length(patches, all.side);
    return solid && !outside && sqrt(seen.d2) < brn_patches_depth(patches, group->point, group->body) ? seen
                                                                                                      : all;
}

/* Whether a round core that is behind the plane of a side, but not below it, is outside: over another side at the rim that is nearest. Each side is
   looked at by itself, so that the nearest of all does not tell. */
static bool is_beyond_rim(const brn_patches *patches, int point, const view *v)
{
    const int dim = patches->skin->dim;
    const int *own = &patches->side[dim * v->side];
    const int rim = v->stencil.count - 1; /* nodes of it: 0 ... are the core, then those */
    bool beyond = false;
    if (!(v->height < 0.0) || rim == dim || is_on(patches, point, v)) {
        return false;
    }
    const int first = own[v->stencil.node[1] - 1];
    for (int i = patches->at_first[first]; i < patches->at_first[first + 1] && !beyond; ++i) {
        const int side = patches->at[i];
        const int *node = &patches->side[dim * side];
        int shared = 0;
        for (int k = 1; k <= rim; ++k) {
            for (int j = 0; j < dim; ++j) {
                shared += node[j] == own[v->stencil.node[k] - 1];
            }
        }
        beyond = shared == rim &&
                 height_over(&patches->x[3 * point], &patches->x[3 * first], patches->vector[side]) > 0.0;
    }
    return beyond;
}

void brn_patches_meet_sides(const brn_patches *patches, const brn_patch_group *group, brn_patch_draft *out)
{
    const int dim = patches->skin->dim;
    brn_patch *to = &out->patch;
    const view v = nearest_side(patches, group);
    *out = (brn_patch_draft){.patch = {.body = {-1, group->body}}};
    if (v.side < 0 ||
        (brn_patches_is_core(patches, group->point) && is_beyond_rim(patches, group->point, &v))) {
        return;
    }
    measure(patches, group->point, &v, to);
    /* A node that is nearest to a core meets its shape. */
    out->found = to->gap < brn_patches_within(patches, group->point, group->body) &&
                 to->gap > -brn_patches_depth(patches, group->point, group->body) &&
                 !(v.stencil.count == 2 && dim == 3 && brn_patches_is_core(patches, group->point));
    if (!out->found) {
        return;
    }
    brn_patches_complete(patches, group->point, to);
    double other = 0.0;
    for (int k = 1; k <= dim; ++k) {
        other -= to->weight[k] * brn_patches_facing(patches, to->node[k], to->normal, 1.0);
    }
    out->carry = to->area > 0.0 ? fmin(1.0, other / to->area) : 0.0;
}
