/* Mode shapes for ParaView: one unstructured grid at rest with an array of displacements a mode. */
#include "base/text.h"
#include "output/export/export.h"
#include "output/export/export_frame.h"
#include "output/export/vtu_cells.h"
#include "output/export/vtu_pack.h"

#include <stdio.h>

typedef struct grid {
    brn_ctx *ctx;
    const brn_playback_info *info;
    brn_vtu_cells cells;
    brn_text xml, data;
} grid;

static brn_status add_vectors(grid *g, const char *name, const double *values)
{
    brn_vtu_tag(&g->xml, "Float64", name, 3, g->data.length);
    return brn_vtu_pack(g->ctx, values, 3 * (size_t)g->info->nnode * sizeof *values, &g->data);
}

/* "mode_03_84.21Hz": programs list arrays by name, in this order. */
static void name_mode(const brn_vibration_mode *mode, int index, int count, char name[64])
{
    const int digits = count < 100 ? 2 : count < 1000 ? 3 : 5;
    if (mode->rigid) {
        (void)snprintf(name, 64, "mode_%0*d_rigid", digits, index + 1);
    } else {
        (void)snprintf(name, 64, "mode_%0*d_%.4gHz", digits, index + 1, mode->frequency);
    }
}

static brn_status compose(grid *g, const brn_vibration_mode *mode, int count)
{
    BRN_TRY(brn_vtu_cells_pack(g->ctx, g->info, &g->data, &g->cells));
    brn_vtu_head(&g->xml, 0.0, (size_t)g->info->nnode, g->cells.ncell);
    brn_text_add(&g->xml, "<Points>\n");
    BRN_TRY(add_vectors(g, "position", g->info->nnode > 0 ? g->info->rest[0] : NULL));
    brn_text_add(&g->xml, "</Points>\n<PointData>\n");
    for (int i = 0; i < count; ++i) {
        char name[64];
        name_mode(&mode[i], i, count, name);
        BRN_TRY(add_vectors(g, name, mode[i].shape));
    }
    brn_text_add(&g->xml, "</PointData>\n");
    brn_vtu_cells_tags(&g->cells, &g->xml);
    brn_text_add(&g->xml, "<CellData>\n");
    brn_vtu_cells_body_tag(&g->cells, &g->xml);
    brn_text_add(&g->xml, "</CellData>\n");
    brn_vtu_tail(&g->xml, &g->data);
    return g->xml.failed ? BRN_ERR_MEMORY : BRN_OK;
}

brn_status brn_export_modes(brn_ctx *ctx, const brn_playback_info *info, const brn_vibration_mode *mode,
                            int count, const char *dir, const char *name)
{
    grid g = {.ctx = ctx, .info = info, .xml = {.ctx = ctx}, .data = {.ctx = ctx}};
    brn_status status = compose(&g, mode, count);
    status = status >= 0 ? brn_export_file(ctx, dir, name, g.xml.data, g.xml.length) : status;
    brn_text_clear(&g.xml);
    brn_text_clear(&g.data);
    return status;
}
