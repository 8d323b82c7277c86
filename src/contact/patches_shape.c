/* One vertex against a shape: gap, normal, area. */
#include "contact/patches_inner.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* Of a vertex inside a shape: a face that it faces is its way out if that is no longer than this times the shortest. */
static const double SIDEWAYS = 4.0;

/* A face of a shape that a vertex faces. */
typedef struct faced {
    int face;
    double height; /* [m] of the vertex over it; -depth: there is none so near */
    double normal[3];
} faced;

static faced nearest_face(const brn_patches *patches, const brn_patch_group *group)
{
    const brn_primitive *shape = &patches->skin->model->body[group->body].shape.primitive;
    faced best = {.face = -1, .height = -brn_patches_depth(patches, group->point, group->body)};
    for (int k = 0; k < brn_primitive_face_count(shape); ++k) {
        double n[3];
        const double at =
            brn_primitive_face_at(shape, &patches->frame[group->body], k, &patches->x[3 * group->point], n);
        if (at > best.height && brn_patches_looks_against(patches, group->point, n, false)) {
            best.face = k;
            best.height = at;
            memcpy(best.normal, n, sizeof n);
        }
    }
    return best;
}

/* [m] How far a vertex is below the others of the sides around it that face a face, on average. */
static double below_others(const brn_patches *patches, const brn_patch_group *group, const faced *f)
{
    const brn_primitive *shape = &patches->skin->model->body[group->body].shape.primitive;
    const int dim = patches->skin->dim;
    double sum = 0.0;
    int count = 0;
    for (int i = patches->at_first[group->point]; i < patches->at_first[group->point + 1]; ++i) {
        const int *node = &patches->side[dim * patches->at[i]];
        const bool faces = brn_dense_dot3(patches->vector[patches->at[i]], f->normal) < 0.0;
        for (int k = 0; k < dim && faces; ++k) {
            double n[3];
            sum += brn_primitive_face_at(shape, &patches->frame[group->body], f->face,
                                         &patches->x[3 * node[k]], n);
            count += node[k] != group->point;
        }
        sum -= faces ? f->height : 0.0;
    }
    return count > 0 ? sum / count - f->height : 0.0;
}

/* At the rim of a shape, inside or out, a vertex meets the face that it faces. But one that is below it by more than the rim, and below what
   is around it as well, has come in, or is about to, by the wall beside it, and that bears. */
void brn_patches_meet_shape(const brn_patches *patches, const brn_patch_group *group, brn_patch_draft *out)
{
    const brn_primitive *shape = &patches->skin->model->body[group->body].shape.primitive;
    const double rim = brn_patches_shape_rim(shape);
    brn_patch *to = &out->patch;
    double closest[3];
    *out = (brn_patch_draft){.patch = {.body = {-1, group->body}, .node = {-1, -1, -1, -1}}, .carry = 1.0};
    double d = brn_primitive_distance_at(shape, &patches->frame[group->body], &patches->x[3 * group->point],
                                         to->normal, closest);
    out->beside = !brn_patches_looks_against(patches, group->point, to->normal, false);
    if (out->beside || (d > 0.0 && d < rim)) {
        const faced f = nearest_face(patches, group);
        out->wall = out->beside && f.face >= 0 && f.height < fmin(-rim, SIDEWAYS * d) &&
                    below_others(patches, group, &f) > rim;
        if (d < rim && f.face >= 0 && !out->wall) {
            d = f.height;
            memcpy(to->normal, f.normal, sizeof f.normal);
            out->beside = false;
        }
    }
    to->gap = d - patches->skin->radius[group->point];
    out->found = to->gap < brn_patches_within(patches, group->point, group->body);
    if (out->found) {
        brn_patches_complete(patches, group->point, to);
    }
}
