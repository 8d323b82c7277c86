/* Vertices that pass the rim of what they come near: where they go, not where they are nearest to now, decides. */
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
    static const brn_rigid_map own = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}};
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
        const double distance = brn_primitive_distance_at(shape, &own, at, normal, closest);
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
        const double time =
            dim == 3
                ? brn_ccd_point_triangle((const double(*)[3])x[0], (const double(*)[3])x[1], apart, 0.0, 1.0)
                : brn_ccd_point_edge((const double(*)[3])x[0], (const double(*)[3])x[1], apart, 0.0, 1.0);
        free = time == 1.0;
    }
    return free;
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
    meet(later, group, &end);
    const double cosine = brn_dense_dot3(to->normal, end.patch.normal);
    if (end.found && cosine > SAME) {
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
