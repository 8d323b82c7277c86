#include "output/compare/node_match.h"

#include <math.h>
#include <string.h>

static int find_body(const brn_playback_info *info, const char *name)
{
    for (int b = 0; b < info->nbody; ++b) {
        if (strcmp(info->body_name[b], name) == 0) {
            return b;
        }
    }
    return -1;
}

static bool same_rest(const brn_playback_info *const info[2], const int body[2])
{
    const double(*x)[3] = info[0]->rest + info[0]->body_first[body[0]];
    const double(*y)[3] = info[1]->rest + info[1]->body_first[body[1]];
    const int n = info[0]->body_nnode[body[0]];
    double size = 0.0, apart = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k) {
            size = fmax(size, fabs(x[i][k] - x[0][k]));
            apart = fmax(apart, fabs(x[i][k] - y[i][k]));
        }
    }
    return apart <= 1e-9 * size;
}

/* Boundary parts (triangles or edges) of a body: they are stored body by body. */
typedef struct part_list {
    const int *node; /* [count][width] */
    int count, width;
    int first_node;
} part_list;

static part_list parts_of(const brn_playback_info *info, int body, int width)
{
    const int *owner = width == 3 ? info->tri_body : info->edge_body;
    const int total = width == 3 ? info->ntri : info->nedge;
    const int *all = width == 3 ? (const int *)info->tri : (const int *)info->edge;
    int first = 0;
    while (first < total && owner[first] != body) {
        ++first;
    }
    int count = 0;
    while (first + count < total && owner[first + count] == body) {
        ++count;
    }
    return (part_list){all + (size_t)first * (size_t)width, count, width, info->body_first[body]};
}

static bool same_parts(const part_list *a, const part_list *b)
{
    if (a->count != b->count) {
        return false;
    }
    for (int i = 0; i < a->count * a->width; ++i) {
        if (a->node[i] - a->first_node != b->node[i] - b->first_node) {
            return false;
        }
    }
    return true;
}

static bool same_boundary(const brn_playback_info *const info[2], const int body[2])
{
    for (int width = 2; width <= 3; ++width) {
        const part_list a = parts_of(info[0], body[0], width), b = parts_of(info[1], body[1], width);
        if (!same_parts(&a, &b)) {
            return false;
        }
    }
    return true;
}

static bool same_mesh(const brn_playback_info *const info[2])
{
    if (info[0]->dim != info[1]->dim || info[0]->nbody != info[1]->nbody) {
        return false;
    }
    for (int b = 0; b < info[0]->nbody; ++b) {
        const int body[2] = {b, find_body(info[1], info[0]->body_name[b])};
        if (body[1] < 0 || info[0]->body_nnode[b] != info[1]->body_nnode[body[1]] ||
            !(same_rest(info, body) || same_boundary(info, body))) {
            return false;
        }
    }
    return true;
}

static void mark(bool *seen, const int *node, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        seen[node[i]] = true;
    }
}

static brn_status list_nodes(brn_ctx *ctx, const brn_playback_info *const info[2], bool *seen,
                             brn_node_match *out)
{
    const brn_playback_info *a = info[0];
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        mark(seen, a->cell[kind], (size_t)a->ncell[kind] * (size_t)brn_cell_get((brn_cell)kind)->nnode);
    }
    mark(seen, (const int *)a->tri, 3 * (size_t)a->ntri);
    mark(seen, (const int *)a->edge, 2 * (size_t)a->nedge);
    BRN_ALLOC(ctx, out->node, a->nnode);
    BRN_ALLOC(ctx, out->body, a->nnode);
    for (int b = 0; b < a->nbody; ++b) {
        const int other = info[1]->body_first[find_body(info[1], a->body_name[b])];
        for (int i = 0; i < a->body_nnode[b] && a->body_type[b] != BRN_BODY_STATIC; ++i) {
            if (seen[a->body_first[b] + i]) {
                out->node[out->n][0] = a->body_first[b] + i;
                out->node[out->n][1] = other + i;
                out->body[out->n++] = b;
            }
        }
    }
    return BRN_OK;
}

brn_status brn_node_match_create(brn_ctx *ctx, const brn_playback_info *const info[2], brn_node_match *out)
{
    *out = (brn_node_match){.same_mesh = same_mesh(info)};
    if (!out->same_mesh) {
        return BRN_OK;
    }
    bool *seen = NULL;
    BRN_ALLOC(ctx, seen, info[0]->nnode);
    const brn_status status = list_nodes(ctx, info, seen, out);
    brn_free(ctx, seen);
    if (status < 0) {
        brn_node_match_clear(ctx, out);
    }
    return status;
}

void brn_node_match_clear(brn_ctx *ctx, brn_node_match *match)
{
    brn_free(ctx, match->node);
    brn_free(ctx, match->body);
    *match = (brn_node_match){0};
}
