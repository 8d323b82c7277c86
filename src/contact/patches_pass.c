/* Vertices that pass the rim of what they come near: where they go, not where they are nearest to now, decides. */
#include "contact/past.h"
#include "contact/patches_inner.h"
#include "geom/ccd.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* In sizes of the sides around the vertex: what passes may be inside by HAIR before, about what a contact that carries a load is; what
   moves less than STILL passes nothing. */
static const double HAIR = 5e-3;
static const double STILL = 1e-5;
/* Cosines of the two normals: above the first they are one, below the second the vertex would go through. */
static const double SAME = 0.9999;
static const double THROUGH = -0.1;
/* Cosine of normals that belong to one face. */
static const double SAME_FACE = 0.9;
static const brn_rigid_map OWN = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}};

/* [m] How far the nodes of a point, or the vertex and the shape, move apart along n on the way ahead. */
static double opening(const brn_patches *now, const brn_patches *later, const brn_patch *to,
                      const double n[3])
{
    double sum = 0.0;
    for (int k = 0; k < 4 && to->node[k] >= 0; ++k) {
        sum += to->weight[k] *
               (brn_dense_dot3(&later->x[3 * to->node[k]], n) - brn_dense_dot3(&now->x[3 * to->node[k]], n));
    }
    if (to->node[1] < 0) {
        const double *p = &later->x[3 * to->node[0]];
        double own[3];
        double was[3];
        brn_rigid_map_undo(&later->frame[to->body[1]], p, own);
        brn_rigid_map_apply(&now->frame[to->body[1]], own, was);
        sum -= brn_dense_dot3(p, n) - brn_dense_dot3(was, n);
    }
    return sum;
}

/* [m] Of the sides around a vertex; round cores have their radius. */
static double size_at(const brn_patches *patches, int node)
{
    const int count = patches->at_first[node + 1] - patches->at_first[node];
    double sum = 0.0;
    for (int i = patches->at_first[node]; i < patches->at_first[node + 1]; ++i) {
        const double *v = patches->vector[patches->at[i]];
        sum += sqrt(brn_dense_dot3(v, v));
    }
    const double size = count > 0 ? sum / count : 0.0;
    return fmax(patches->skin->dim == 3 ? sqrt(size) : size, patches->skin->radius[node]);
}

/* Of a vertex that goes past a shape without meeting it: the point of where it comes closest, whose plane lies between the two all the way.
   The distance from a convex shape is convex along a line, so that halving finds its least. One that meets the shape stays as it is. */
static void pass_by(const brn_patches *now, const brn_patches *later, const brn_patch_group *group,
                    brn_patch_draft *draft)
{
    enum { HALVINGS = 60 };
    const brn_primitive *shape = &now->skin->model->body[group->body].shape.primitive;
    const brn_rigid_map *frame = &now->frame[group->body];
    const double radius = now->skin->radius[group->point];
    double from[3];
    double to[3];
    double at[3];
    double normal[3];
    double closest[3];
    double lo = 0.0;
    double hi = 1.0;
    brn_rigid_map_undo(frame, &now->x[3 * group->point], from);
    brn_rigid_map_undo(&later->frame[group->body], &later->x[3 * group->point], to);
    for (int k = 0; k < HALVINGS; ++k) {
        const double middle = 0.5 * (lo + hi);
        double slope = 0.0;
        for (int i = 0; i < 3; ++i) {
            at[i] = from[i] + middle * (to[i] - from[i]);
        }
        const double distance = brn_primitive_distance_at(shape, &OWN, at, normal, closest);
        if (!(distance > radius)) {
            return;
        }
        for (int i = 0; i < 3; ++i) {
            slope += normal[i] * (to[i] - from[i]);
        }
        lo = slope < 0.0 ? middle : lo;
        hi = slope < 0.0 ? hi : middle;
    }
    brn_patch *patch = &draft->patch;
    patch->gap = -radius;
    for (int i = 0; i < 3; ++i) {
        patch->gap += normal[i] * (from[i] - closest[i]);
    }
    brn_dense_apply3(frame->rotation, normal, patch->normal);
    brn_patches_complete(now, group->point, patch);
    draft->beside = !brn_patches_looks_against(now, group->point, patch->normal, false);
    draft->wall = false;
}

/* A place of a body in the own frame of a shape: the middle of nodes, on the way ahead. */
static void place_in(const brn_patches *now, const brn_patches *later, int body, const int *node, int count,
                     double share, double out[3])
{
    double at[2][3] = {0};
    double own[2][3];
    for (int k = 0; k < count; ++k) {
        for (int i = 0; i < 3; ++i) {
            at[0][i] += now->x[3 * node[k] + i] / count;
            at[1][i] += later->x[3 * node[k] + i] / count;
        }
    }
    brn_rigid_map_undo(&now->frame[body], at[0], own[0]);
    brn_rigid_map_undo(&later->frame[body], at[1], own[1]);
    for (int i = 0; i < 3; ++i) {
        out[i] = own[0][i] + share * (own[1][i] - own[0][i]);
    }
}

/* The height of a place over a face of a shape, in its own frame, and how far its foot there is beside the face [m]. */
static double over_face(const brn_primitive *shape, int face, const double at[3], double *beside)
{
    double foot[3];
    double n[3];
    double unused[3];
    const double height = brn_primitive_face_at(shape, &OWN, face, at, n);
    for (int i = 0; i < 3; ++i) {
        foot[i] = at[i] - height * n[i];
    }
    *beside = brn_primitive_distance_at(shape, &OWN, foot, n, unused);
    return height;
}

/* Whether a vertex comes down on a flat face of a shape beside its edge, by no more than the rim, and what is around it is over the face. Such a vertex
   bears there, by the face's own normal, since crossings leave the rim to it, and does not slip by along the wall below. */
static bool comes_down(const brn_patches *now, const brn_patches *later, const brn_patch_group *group,
                       brn_patch_draft *draft)
{
    const int dim = now->skin->dim;
    const brn_primitive *shape = &now->skin->model->body[group->body].shape.primitive;
    const double rim = brn_patches_shape_rim(shape);
    const int flat = shape->kind == BRN_PRIMITIVE_BOX        ? 2 * shape->dim
                     : shape->kind == BRN_PRIMITIVE_CYLINDER ? 2
                                                             : 0;
    bool down = false;
    for (int face = 0; face < flat && !down; ++face) {
        double n[3];
        double at[3];
        double beside;
        (void)brn_primitive_face_at(shape, &now->frame[group->body], face, &now->x[3 * group->point], n);
        if (!(brn_dense_dot3(n, draft->patch.normal) > 0.0)) { /* that of an edge may lean far over */
            continue;
        }
        place_in(now, later, group->body, &group->point, 1, 0.0, at);
        const double height = over_face(shape, face, at, &beside);
        place_in(now, later, group->body, &group->point, 1, 1.0, at);
        const double closing = height - over_face(shape, face, at, &beside);
        const double share = closing > fmax(0.0, height) ? fmax(0.0, height) / closing : 1.0;
        place_in(now, later, group->body, &group->point, 1, share, at); /* where it gets there */
        (void)over_face(shape, face, at, &beside);
        if (!(beside > BRN_PATCHES_TOUCH * rim && beside <= rim)) {
            continue;
        }
        for (int k = now->at_first[group->point]; k < now->at_first[group->point + 1] && !down; ++k) {
            const double *v = now->vector[now->at[k]];
            place_in(now, later, group->body, &now->side[dim * now->at[k]], dim, share, at);
            (void)over_face(shape, face, at, &beside);
            down = brn_dense_dot3(v, n) < -SAME_FACE * sqrt(brn_dense_dot3(v, v)) &&
                   !(beside > BRN_PATCHES_TOUCH * rim);
        }
        if (down) {
            memcpy(draft->patch.normal, n, sizeof n);
            draft->patch.gap = height - now->skin->radius[group->point];
            draft->beside = draft->wall = false;
            brn_patches_complete(now, group->point, &draft->patch);
        }
    }
    return down;
}

/* Whether a vertex goes past all sides of a mesh near it. */
static bool pass_sides(const brn_patches *now, const brn_patches *later, const brn_patch_group *group)
{
    const int dim = now->skin->dim;
    bool free = true;
    for (int i = group->first; i < group->end && free; ++i) {
        const int *side = &now->side[dim * now->meshed[now->pairs->pair[i][1]]];
        const double apart = now->skin->radius[group->point] + now->skin->radius[side[0]];
        double x[2][4][3];
        for (int k = 0; k <= dim; ++k) {
            const int node = k == 0 ? group->point : side[k - 1];
            memcpy(x[0][k], &now->x[3 * node], sizeof x[0][k]);
            memcpy(x[1][k], &later->x[3 * node], sizeof x[1][k]);
        }
        free = brn_past(dim == 3 ? brn_ccd_point_triangle : brn_ccd_point_edge, (const double(*)[4][3])x,
                        dim + 1, apart);
    }
    return free;
}

/* [m] The least that a core and the corners of a side, at x, are apart along n. */
static double least_apart(const double x[4][3], int dim, double apart, const double n[3])
{
    double least = INFINITY;
    for (int k = 1; k <= dim; ++k) {
        least = fmin(least, brn_dense_dot3(x[0], n) - brn_dense_dot3(x[k], n) - apart);
    }
    return least;
}

/* Of a round core that goes past a side: the point of where it comes closest, if the plane there is between the two at the start and at the end. All
   go straight ways, so that it is then between them all the way. */
static bool pass_side(const brn_patches *now, const brn_patches *later, const brn_patch_group *group,
                      brn_patch_draft *draft)
{
    enum { HALVINGS = 60 };
    const int dim = now->skin->dim;
    const int *side = &now->side[dim * now->meshed[now->pairs->pair[group->first][1]]];
    const double apart = now->skin->radius[group->point] + now->skin->radius[side[0]];
    brn_contact_pair pair = {.kind = dim == 3 ? BRN_TOUCH_POINT_TRIANGLE : BRN_TOUCH_POINT_EDGE,
                             .node = {group->point, side[0], side[1], dim == 3 ? side[2] : -1}};
    double ends[2][4][3] = {0};
    double lo = 0.0;
    double hi = 1.0;
    for (int k = 0; k <= dim; ++k) {
        memcpy(ends[0][k], &now->x[3 * pair.node[k]], sizeof ends[0][k]);
        memcpy(ends[1][k], &later->x[3 * pair.node[k]], sizeof ends[1][k]);
    }
    for (int look = 0; look < HALVINGS; ++look) {
        const double middle = 0.5 * (lo + hi);
        double x[4][3] = {0};
        double weight[4] = {0};
        double n[3];
        double slope = 0.0;
        for (int k = 0; k <= dim; ++k) {
            for (int i = 0; i < 3; ++i) {
                x[k][i] = ends[0][k][i] + middle * (ends[1][k][i] - ends[0][k][i]);
            }
        }
        pair.stencil = brn_pair_classify(pair.kind, pair.node, (const double(*)[3])x);
        pair.d2 = brn_stencil_distance2(pair.stencil, (const double(*)[3])x, 0, NULL, NULL);
        if (!(pair.d2 > apart * apart)) {
            return false;
        }
        (void)brn_pair_frame(&pair, (const double(*)[3])x, weight, n);
        if (least_apart((const double(*)[3])ends[0], dim, apart, n) >= 0.0 &&
            least_apart((const double(*)[3])ends[1], dim, apart, n) >= 0.0) {
            brn_patch *to = &draft->patch;
            memcpy(to->normal, n, sizeof to->normal);
            memcpy(to->weight, weight, sizeof to->weight);
            to->gap = -apart;
            for (int k = 0; k <= dim; ++k) {
                to->gap += weight[k] * brn_dense_dot3(ends[0][k], n);
            }
            brn_patches_complete(now, group->point, to);
            return true;
        }
        for (int k = 0; k <= dim; ++k) {
            slope += weight[k] * (brn_dense_dot3(ends[1][k], n) - brn_dense_dot3(ends[0][k], n));
        }
        lo = slope < 0.0 ? middle : lo;
        hi = slope < 0.0 ? hi : middle;
    }
    return false;
}

/* Takes the point of where a vertex arrives, if it is outside along that normal now too. */
static bool take_end(const brn_patches *now, const brn_patches *later, double least, brn_patch_draft *end,
                     brn_patch_draft *draft)
{
    const int point = end->patch.node[0];
    end->patch.gap -= opening(now, later, &end->patch, end->patch.normal);
    if (end->patch.gap < least) {
        return false;
    }
    const double down = now->skin->radius[point] + 0.5 * end->patch.gap;
    for (int i = 0; i < 3; ++i) {
        end->patch.place[i] = now->x[3 * point + i] - down * end->patch.normal[i];
    }
    *draft = *end;
    return true;
}

void brn_patches_pass(const brn_patches *now, const brn_patches *later, const brn_patch_group *group,
                      brn_patches_meet_fn meet, brn_patch_draft *draft)
{
    const brn_patch *to = &draft->patch;
    brn_patch_draft end;
    if (!draft->found || to->body[0] == to->body[1]) {
        return;
    }
    const double size = size_at(now, group->point);
    const double closing = -opening(now, later, to, to->normal);
    if (!(closing > STILL * size) || !(closing > to->gap)) {
        return;
    }
    const bool round = to->node[1] >= 0 && brn_patches_is_core(now, group->point);
    if (round && to->gap > 0.0 && pass_side(now, later, group, draft)) {
        return;
    }
    meet(later, group, &end);
    const double cosine = brn_dense_dot3(to->normal, end.patch.normal);
    if ((end.found && cosine > SAME) || (to->node[1] < 0 && comes_down(now, later, group, draft))) {
        return;
    }
    /* Behind the plane of a side, past which it went, it is not inside. */
    const bool far = to->node[1] >= 0 && to->gap > HAIR * size;
    const bool behind = far && end.patch.gap < 0.0 && pass_sides(now, later, group);
    if (end.found && cosine >= THROUGH && !behind && take_end(now, later, -HAIR * size, &end, draft)) {
        return;
    }
    if (to->node[1] < 0) {
        pass_by(now, later, group, draft);
    } else {
        draft->found = !behind && !(far && pass_sides(now, later, group));
    }
}
