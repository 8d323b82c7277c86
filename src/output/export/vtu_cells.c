#include "output/export/vtu_cells.h"

#include "output/export/vtu_pack.h"
#include "output/trajectory/outline.h"

/* Is this boundary part shown by itself? Only bodies without volume cells are. */
static bool is_obstacle(const brn_playback_info *info, int body)
{
    return !brn_body_has_cells(info->body_type[body]);
}

typedef struct cell_tables {
    int64_t *connectivity, *offset;
    unsigned char *type;
    int *body;
    size_t ncell, nindex;
} cell_tables;

/* Appends a cell; with NULL tables only counts. */
static void add_cell(cell_tables *t, brn_cell kind, const int *node, int body)
{
    const brn_cell_info *cell = brn_cell_get(kind);
    if (t->connectivity != NULL) {
        for (int i = 0; i < cell->nnode; ++i) {
            t->connectivity[t->nindex + (size_t)i] = node[i];
        }
        t->offset[t->ncell] = (int64_t)t->nindex + cell->nnode;
        t->type[t->ncell] = (unsigned char)cell->vtk;
        t->body[t->ncell] = body;
    }
    t->nindex += (size_t)cell->nnode;
    t->ncell++;
}

static void add_cells(cell_tables *t, const brn_playback_info *info)
{
    t->ncell = 0;
    t->nindex = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const size_t width = (size_t)brn_cell_get((brn_cell)kind)->nnode;
        for (int c = 0; c < info->ncell[kind]; ++c) {
            add_cell(t, (brn_cell)kind, info->cell[kind] + (size_t)c * width, info->cell_body[kind][c]);
        }
    }
    for (int i = 0; i < info->ntri && info->dim == 3; ++i) {
        if (is_obstacle(info, info->tri_body[i])) {
            add_cell(t, BRN_TRI3, info->tri[i], info->tri_body[i]);
        }
    }
    for (int i = 0; i < info->nedge; ++i) {
        if (is_obstacle(info, info->edge_body[i])) {
            add_cell(t, BRN_EDGE2, info->edge[i], info->edge_body[i]);
        }
    }
}

static brn_status pack_tables(brn_ctx *ctx, const cell_tables *t, brn_text *data, brn_vtu_cells *out)
{
    out->connectivity = data->length;
    BRN_TRY(brn_vtu_pack(ctx, t->connectivity, t->nindex * sizeof *t->connectivity, data));
    out->offsets = data->length;
    BRN_TRY(brn_vtu_pack(ctx, t->offset, t->ncell * sizeof *t->offset, data));
    out->types = data->length;
    BRN_TRY(brn_vtu_pack(ctx, t->type, t->ncell * sizeof *t->type, data));
    out->body = data->length;
    return brn_vtu_pack(ctx, t->body, t->ncell * sizeof *t->body, data);
}

brn_status brn_vtu_cells_pack(brn_ctx *ctx, const brn_playback_info *info, brn_text *data, brn_vtu_cells *out)
{
    cell_tables t = {0};
    add_cells(&t, info);
    out->nvolume = (size_t)brn_outline_cells(info);
    out->ncell = t.ncell;
    t.connectivity = brn_calloc(ctx, t.nindex, sizeof *t.connectivity);
    t.offset = brn_calloc(ctx, t.ncell, sizeof *t.offset);
    t.type = brn_calloc(ctx, t.ncell, sizeof *t.type);
    t.body = brn_calloc(ctx, t.ncell, sizeof *t.body);
    brn_status status = BRN_ERR_MEMORY;
    if (t.connectivity != NULL && t.offset != NULL && t.type != NULL && t.body != NULL) {
        add_cells(&t, info);
        status = pack_tables(ctx, &t, data, out);
    }
    brn_free(ctx, t.connectivity);
    brn_free(ctx, t.offset);
    brn_free(ctx, t.type);
    brn_free(ctx, t.body);
    return status;
}

void brn_vtu_cells_tags(const brn_vtu_cells *cells, brn_text *xml)
{
    brn_text_add(xml, "<Cells>\n");
    brn_vtu_tag(xml, "Int64", "connectivity", 1, cells->connectivity);
    brn_vtu_tag(xml, "Int64", "offsets", 1, cells->offsets);
    brn_vtu_tag(xml, "UInt8", "types", 1, cells->types);
    brn_text_add(xml, "</Cells>\n");
}

void brn_vtu_cells_body_tag(const brn_vtu_cells *cells, brn_text *xml)
{
    brn_vtu_tag(xml, "Int32", "body", 1, cells->body);
}
