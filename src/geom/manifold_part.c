/* What of a core faces a direction: see brn_part. */
#include "geom/manifold_inner.h"

#include <math.h>
#include <string.h>

/* Cosine below which a face is seen from its edge: heights on it say nothing. */
static const double steep = 0.1;

void brn_part_basis(const double n[3], int dim, double basis[9])
{
    memcpy(basis + 6, n, 3 * sizeof *n);
    if (dim == 2) {
        memcpy(basis, (const double[6]){n[1], -n[0], 0.0, 0.0, 0.0, 1.0}, 6 * sizeof *basis);
        return;
    }
    /* The axis that is farthest from n, made square to it. */
    int k = fabs(n[1]) < fabs(n[0]) ? 1 : 0;
    k = fabs(n[2]) < fabs(n[k]) ? 2 : k;
    double e[3] = {0.0, 0.0, 0.0};
    e[k] = 1.0;
    brn_dense_cross3(e, n, basis + 3);
    (void)brn_unit3(basis + 3);
    brn_dense_cross3(basis + 3, n, basis);
}

/* The line of a mantle, unless it is seen from its end. */
static void mantle_part(const brn_core *core, const double basis[9], double sign, brn_part *out)
{
    double own[3];
    const double d[3] = {sign * basis[6], sign * basis[7], sign * basis[8]};
    brn_core_turn_back(core, d, own);
    const double across = hypot(own[0], own[1]);
    out->count = across > steep ? 2 : 0;
    for (int i = 0; i < out->count; ++i) {
        const double end[3] = {core->size[0] * own[0] / across, core->size[0] * own[1] / across,
                               i == 0 ? -core->size[1] : core->size[1]};
        double x[3];
        brn_core_place(core, end, x);
        brn_dense_apply3(basis, x, out->at[i]);
    }
}

void brn_part_set(const brn_core *core, const double basis[9], double sign, brn_part *out)
{
    const brn_hull *hull = &core->hull;
    const double d[3] = {sign * basis[6], sign * basis[7], sign * basis[8]};
    double x[3];
    double own[3];
    double slope = 0.0;
    int next = 1;
    if (hull->nvertex == 0) {
        mantle_part(core, basis, sign, out);
        return;
    }
    const int v = brn_core_support(core, d, x);
    int list[BRN_FACE_MOST] = {v, hull->nvertex == 2 ? 1 - v : v};
    out->count = hull->nvertex == 2 ? 2 : 1;
    brn_core_turn_back(core, d, own);
    const int f = brn_hull_facing(hull, v, own, &slope, &next);
    const bool flat = f >= 0 && brn_dense_dot3(hull->normal[f], own) > steep;
    if (flat && hull->nvertex > 2) {
        const int *corner = hull->face_vertex + hull->face_start[f];
        const int n = hull->face_start[f + 1] - hull->face_start[f];
        out->count = n < BRN_FACE_MOST ? n : BRN_FACE_MOST;
        for (int i = 0; i < out->count; ++i) {
            list[i] = corner[(int)((long long)i * n / out->count)];
        }
    } else if (f >= 0 && slope * slope < 1.0 - steep * steep) {
        list[1] = next;
        out->count = 2;
    } else if (f >= 0) {
        out->count = 1;
    }
    double turn[9];
    double shift[3];
    brn_dense_multiply3(basis, core->rotation, turn);
    brn_dense_apply3(basis, core->origin, shift);
    for (int i = 0; i < out->count; ++i) {
        brn_dense_apply3(turn, hull->vertex[list[i]], out->at[i]);
        for (int k = 0; k < 3; ++k) {
            out->at[i][k] += shift[k];
        }
    }
    if (out->count > 2) {
        double normal[3];
        brn_dense_apply3(turn, hull->normal[f], normal);
        out->slope[0] = -normal[0] / normal[2];
        out->slope[1] = -normal[1] / normal[2];
        out->level = out->at[0][2] - out->slope[0] * out->at[0][0] - out->slope[1] * out->at[0][1];
    }
}
