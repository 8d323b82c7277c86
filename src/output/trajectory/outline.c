#include "output/trajectory/outline.h"

#include <string.h>

int brn_outline_cells(const brn_playback_info *info)
{
    int total = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        total += info->ncell[kind];
    }
    return total;
}

void brn_outline_clear(brn_outline *outline)
{
    brn_ctx *ctx = outline->ctx;
    brn_playback_info *info = &outline->info;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        brn_free(ctx, (void *)info->cell[kind]);
        brn_free(ctx, (void *)info->cell_body[kind]);
        brn_free(ctx, (void *)info->cell_material[kind]);
        brn_free(ctx, (void *)info->cell_volume[kind]);
    }
    brn_free(ctx, (void *)info->tri);
    brn_free(ctx, (void *)info->tri_body);
    brn_free(ctx, (void *)info->edge);
    brn_free(ctx, (void *)info->edge_body);
    brn_free(ctx, (void *)info->body_name);
    brn_free(ctx, (void *)info->body_type);
    brn_free(ctx, (void *)info->body_plane);
    brn_free(ctx, (void *)info->body_first);
    brn_free(ctx, (void *)info->body_nnode);
    brn_free(ctx, (void *)info->rest);
    brn_free(ctx, outline->names);
    *outline = (brn_outline){.ctx = ctx};
}

/* ---- from a model ------------------------------------------------------------------------------------------------ */

static brn_status take_bodies(brn_outline *outline, const brn_model *model)
{
    brn_ctx *ctx = outline->ctx;
    brn_playback_info *info = &outline->info;
    const char **name = NULL;
    int *type = NULL;
    int *plane = NULL;
    int *first = NULL;
    int *count = NULL;
    size_t bytes = 0;
    for (int b = 0; b < model->nbody; ++b) {
        bytes += strlen(model->body[b].name) + 1;
    }
    BRN_ALLOC(ctx, outline->names, bytes);
    BRN_ALLOC(ctx, name, model->nbody);
    info->body_name = name;
    BRN_ALLOC(ctx, type, model->nbody);
    info->body_type = type;
    BRN_ALLOC(ctx, plane, model->nbody);
    info->body_plane = plane;
    BRN_ALLOC(ctx, first, model->nbody);
    info->body_first = first;
    BRN_ALLOC(ctx, count, model->nbody);
    info->body_nnode = count;
    char *text = outline->names;
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        const size_t n = strlen(body->name) + 1;
        name[b] = memcpy(text, body->name, n);
        text += n;
        type[b] = body->type;
        plane[b] = body->plane[0] >= 0;
        first[b] = body->node_first;
        count[b] = body->node_count;
    }
    info->nbody = model->nbody;
    return BRN_OK;
}

static brn_status take_cells(brn_outline *outline, const brn_model *model, brn_cell kind)
{
    brn_playback_info *info = &outline->info;
    const int width = brn_cell_get(kind)->nnode;
    int total = 0;
    for (int b = 0; b < model->nbody; ++b) {
        for (int i = 0; i < model->body[b].group_count; ++i) {
            const brn_element_group *group = model->group[model->body[b].group_first + i];
            total += group->cell == (int)kind ? group->nelem : 0;
        }
    }
    if (total == 0) {
        return BRN_OK;
    }
    int *cell = NULL;
    int *owner = NULL;
    int *material = NULL;
    double *volume = NULL;
    BRN_ALLOC(outline->ctx, cell, (size_t)total * (size_t)width);
    info->cell[kind] = cell;
    BRN_ALLOC(outline->ctx, owner, total);
    info->cell_body[kind] = owner;
    BRN_ALLOC(outline->ctx, material, total);
    info->cell_material[kind] = material;
    BRN_ALLOC(outline->ctx, volume, total);
    info->cell_volume[kind] = volume;
    info->ncell[kind] = total;

    /* Bodies own contiguous groups, so this is also the order of the model's groups. */
    int done = 0;
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        for (int g = body->group_first; g < body->group_first + body->group_count; ++g) {
            const brn_element_group *group = model->group[g];
            if (group->cell != (int)kind) {
                continue;
            }
            memcpy(cell + (size_t)done * (size_t)width, group->conn,
                   (size_t)group->nelem * (size_t)width * sizeof *cell);
            for (int e = 0; e < group->nelem; ++e, ++done) {
                owner[done] = b;
                material[done] = group->material;
                volume[done] = brn_group_volume(group, e);
            }
        }
    }
    return BRN_OK;
}

/* How a triangle of each kind is cut into linear ones: tri6 has its mid-edge nodes after its corners. */
static const int tri_cuts[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};

/* 2D: the cells of a deformable body are its triangles, others have those of their mesh. tri may be NULL: only counts. */
static int body_triangles(const brn_model *model, const brn_body *body, int (*tri)[3])
{
    if (model->dim == 3 || !brn_body_has_cells(body->type)) {
        const int n = body->boundary != NULL ? body->boundary->ntri : 0;
        if (tri != NULL && n > 0) {
            memcpy(tri, body->boundary->tri, (size_t)n * sizeof *tri);
        }
        return n;
    }
    int n = 0;
    for (int g = body->group_first; g < body->group_first + body->group_count; ++g) {
        const brn_element_group *group = model->group[g];
        const bool curved = group->cell == BRN_TRI6;
        if (!curved && group->cell != BRN_TRI3) {
            continue;
        }
        const int parts = curved ? 4 : 1;
        for (int e = 0; e < group->nelem && tri != NULL; ++e) {
            const int *node = group->conn + (size_t)e * (size_t)group->nnode;
            for (int p = 0; p < parts; ++p) {
                for (int i = 0; i < 3; ++i) {
                    tri[n + e * parts + p][i] = node[curved ? tri_cuts[p][i] : i];
                }
            }
        }
        n += group->nelem * parts;
    }
    return n;
}

static int body_edges(const brn_model *model, const brn_body *body, int (*edge)[2])
{
    const bool lines = body->boundary != NULL && (model->dim == 2 || body->boundary->ntri == 0);
    const int n = lines ? body->boundary->nedge : 0;
    if (edge != NULL && n > 0) {
        memcpy(edge, body->boundary->edge, (size_t)n * sizeof *edge);
    }
    return n;
}

static brn_status take_boundary(brn_outline *outline, const brn_model *model)
{
    brn_playback_info *info = &outline->info;
    int ntri = 0;
    int nedge = 0;
    for (int b = 0; b < model->nbody; ++b) {
        ntri += body_triangles(model, &model->body[b], NULL);
        nedge += body_edges(model, &model->body[b], NULL);
    }
    int(*tri)[3] = NULL;
    int(*edge)[2] = NULL;
    int *tri_body = NULL;
    int *edge_body = NULL;
    BRN_ALLOC(outline->ctx, tri, ntri);
    info->tri = (const int(*)[3])tri;
    BRN_ALLOC(outline->ctx, tri_body, ntri);
    info->tri_body = tri_body;
    BRN_ALLOC(outline->ctx, edge, nedge);
    info->edge = (const int(*)[2])edge;
    BRN_ALLOC(outline->ctx, edge_body, nedge);
    info->edge_body = edge_body;
    for (int b = 0; b < model->nbody; ++b) {
        const int more_tri = body_triangles(model, &model->body[b], tri + info->ntri);
        const int more_edge = body_edges(model, &model->body[b], edge + info->nedge);
        for (int i = 0; i < more_tri; ++i) {
            tri_body[info->ntri++] = b;
        }
        for (int i = 0; i < more_edge; ++i) {
            edge_body[info->nedge++] = b;
        }
    }
    return BRN_OK;
}

brn_status brn_outline_of_model(brn_outline *outline, const brn_model *model)
{
    brn_playback_info *info = &outline->info;
    double(*rest)[3] = NULL;
    BRN_ALLOC(outline->ctx, rest, model->nnode);
    info->rest = (const double(*)[3])rest;
    if (model->nnode > 0) {
        memcpy(rest, model->rest, (size_t)model->nnode * sizeof *rest);
    }
    info->dim = model->dim;
    info->nnode = model->nnode;
    BRN_TRY(take_bodies(outline, model));
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        BRN_TRY(take_cells(outline, model, (brn_cell)kind));
    }
    return take_boundary(outline, model);
}
