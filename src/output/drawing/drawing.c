#include "output/drawing/drawing.h"

#include <float.h>
#include <math.h>
#include <string.h>

static bool owned(const brn_playback_info *info, int body, const int *node, int n)
{
    for (int i = 0; i < n; ++i) {
        const int k = node[i] - info->body_first[body];
        if (k < 0 || k >= info->body_nnode[body]) {
            return false;
        }
    }
    return true;
}

/* Are the items sorted by body, each on nodes of its own? Fills first [nbody + 1]. */
static bool sorted(const brn_playback_info *info, const int *node, int width, const int *body, int n,
                   int *first)
{
    int before = 0;
    for (int i = 0; i < n; ++i) {
        if (body[i] < before || !owned(info, body[i], node + (size_t)i * (size_t)width, width)) {
            return false;
        }
        for (; before < body[i]; ++before) {
            first[before + 1] = i;
        }
    }
    for (; before < info->nbody; ++before) {
        first[before + 1] = n;
    }
    return true;
}

static void mark(int *vertex, const int *node, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        vertex[node[i]] = 0;
    }
}

/* Bodies own their nodes, so a node is a vertex of one body; bodies need not be in order of node numbers. */
static brn_status number_vertices(brn_drawing *s, const brn_playback_info *info)
{
    for (int n = 0; n < info->nnode; ++n) {
        s->vertex[n] = -1;
    }
    mark(s->vertex, info->ntri > 0 ? info->tri[0] : NULL, 3 * (size_t)info->ntri);
    mark(s->vertex, info->nedge > 0 ? info->edge[0] : NULL, 2 * (size_t)info->nedge);
    int count = 0;
    for (int n = 0; n < info->nnode; ++n) {
        count += s->vertex[n] == 0;
    }
    BRN_ALLOC(s->ctx, s->node, count);
    for (int b = 0; b < info->nbody; ++b) {
        s->vertex_first[b] = s->nvertex;
        for (int n = info->body_first[b]; n < info->body_first[b] + info->body_nnode[b]; ++n) {
            /* A damaged file may give a node to two bodies: the first keeps it. */
            if (s->vertex[n] == 0 && s->nvertex < count) {
                s->node[s->nvertex] = n;
                s->vertex[n] = ++s->nvertex;
            }
        }
    }
    s->vertex_first[info->nbody] = s->nvertex;
    for (int n = 0; n < info->nnode; ++n) {
        s->vertex[n] -= s->vertex[n] > 0;
    }
    return BRN_OK;
}

static void translate(const int *vertex, const int *node, size_t n, int *out)
{
    for (size_t i = 0; i < n; ++i) {
        out[i] = vertex[node[i]];
    }
}

/* For files that do not say: a half-space is written as the patch that shows it, an obstacle that is a line, or a square of
   two triangles. */
static bool looks_like_plane(const brn_drawing *s, const brn_playback_info *info, int body)
{
    const int ntri = s->tri_first[body + 1] - s->tri_first[body];
    const int nedge = s->edge_first[body + 1] - s->edge_first[body];
    return info->body_type[body] == BRN_BODY_STATIC &&
           (info->dim == 3 ? ntri == 2 && info->body_nnode[body] == 4 : ntri == 0 && nedge == 1);
}

brn_status brn_drawing_make(brn_drawing *s, const brn_playback_info *info)
{
    brn_ctx *ctx = s->ctx;
    s->nbody = info->nbody;
    s->ntri = info->ntri;
    s->nedge = info->nedge;
    BRN_ALLOC(ctx, s->vertex, info->nnode);
    BRN_ALLOC(ctx, s->vertex_first, info->nbody + 1);
    BRN_ALLOC(ctx, s->tri_first, info->nbody + 1);
    BRN_ALLOC(ctx, s->edge_first, info->nbody + 1);
    BRN_ALLOC(ctx, s->plane, info->nbody);
    BRN_ALLOC(ctx, s->tri, info->ntri);
    BRN_ALLOC(ctx, s->edge, info->nedge);
    const int *tri = info->ntri > 0 ? info->tri[0] : NULL;
    const int *edge = info->nedge > 0 ? info->edge[0] : NULL;
    if (!sorted(info, tri, 3, info->tri_body, info->ntri, s->tri_first) ||
        !sorted(info, edge, 2, info->edge_body, info->nedge, s->edge_first)) {
        return brn_fail(ctx, BRN_ERR_FORMAT, "view: the boundary of the trajectory is not sorted by body");
    }
    BRN_TRY(number_vertices(s, info));
    translate(s->vertex, tri, 3 * (size_t)s->ntri, s->tri != NULL ? &s->tri[0][0] : NULL);
    translate(s->vertex, edge, 2 * (size_t)s->nedge, s->edge != NULL ? &s->edge[0][0] : NULL);
    for (int b = 0; b < info->nbody; ++b) {
        s->plane[b] = info->body_plane != NULL ? info->body_plane[b] != 0 : looks_like_plane(s, info, b);
    }
    return BRN_OK;
}

void brn_drawing_clear(brn_drawing *s)
{
    brn_ctx *ctx = s->ctx;
    brn_free(ctx, s->node);
    brn_free(ctx, s->vertex);
    brn_free(ctx, s->vertex_first);
    brn_free(ctx, s->tri_first);
    brn_free(ctx, s->edge_first);
    brn_free(ctx, s->plane);
    brn_free(ctx, s->tri);
    brn_free(ctx, s->edge);
    *s = (brn_drawing){.ctx = ctx};
}

float brn_drawing_float(double value)
{
    return isnan(value) ? 0.0f : (float)fmax(-(double)FLT_MAX, fmin((double)FLT_MAX, value));
}
