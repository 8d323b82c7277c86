#include "output/drawing/node_pressure.h"

brn_status brn_node_pressure_make(brn_node_pressure *p, const brn_playback_info *info)
{
    p->surface.ctx = p->of_surface.ctx = p->ctx;
    BRN_TRY(brn_drawing_make(&p->surface, info));
    BRN_TRY(brn_pressure_make(&p->of_surface, &p->surface, info->dim));
    BRN_ALLOC(p->ctx, p->vertex, p->surface.nvertex);
    BRN_ALLOC(p->ctx, p->node, info->nnode);
    return BRN_OK;
}

void brn_node_pressure_clear(brn_node_pressure *p)
{
    brn_ctx *ctx = p->ctx;
    p->surface.ctx = p->of_surface.ctx = ctx;
    brn_pressure_clear(&p->of_surface);
    brn_drawing_clear(&p->surface);
    brn_free(ctx, p->vertex);
    brn_free(ctx, p->node);
    *p = (brn_node_pressure){.ctx = ctx};
}

brn_status brn_node_pressure_find(brn_node_pressure *p, const double *pos, const brn_contact_point *point,
                                  int npoint)
{
    BRN_TRY(brn_pressure_find(&p->of_surface, pos, point, npoint, p->vertex));
    for (int v = 0; v < p->surface.nvertex; ++v) {
        p->node[p->surface.node[v]] = p->vertex[v];
    }
    return BRN_OK;
}
