/* Vertices that pass the rim of what they come near: where they go, not where they are nearest to now, decides. */
#include "contact/patches_inner.h"
#include "linalg/dense.h"

#include <math.h>

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
    if (!end.found || cosine > SAME || cosine < THROUGH) {
        return;
    }
    end.patch.gap -= opening(now, later, &end.patch, end.patch.normal);
    if (end.patch.gap >= -HAIR * size) {
        const double down = now->skin->radius[group->point] + 0.5 * end.patch.gap;
        for (int i = 0; i < 3; ++i) {
            end.patch.place[i] = now->x[3 * group->point + i] - down * end.patch.normal[i];
        }
        *draft = end;
    }
}
