#include "output/export/export_fields.h"

#include "output/trajectory/outline.h"

brn_status brn_export_fields_make(brn_export_fields *f, const brn_playback_info *info)
{
    f->recovery.ctx = f->of_cells.ctx = f->pressure.ctx = f->ctx;
    if (brn_outline_cells(info) > 0) {
        BRN_TRY(brn_recovery_make(&f->recovery, info, NULL, 0));
        BRN_TRY(brn_strain_make(&f->of_cells, info, &f->recovery));
        BRN_ALLOC(f->ctx, f->sample, 6 * f->recovery.nsample);
        BRN_ALLOC(f->ctx, f->strain, 6 * (size_t)info->nnode);
    }
    return info->has_contact ? brn_node_pressure_make(&f->pressure, info) : BRN_OK;
}

void brn_export_fields_clear(brn_export_fields *f)
{
    brn_ctx *ctx = f->ctx;
    f->recovery.ctx = f->of_cells.ctx = f->pressure.ctx = ctx;
    brn_node_pressure_clear(&f->pressure);
    brn_strain_clear(&f->of_cells);
    brn_recovery_clear(&f->recovery);
    brn_free(ctx, f->sample);
    brn_free(ctx, f->strain);
    *f = (brn_export_fields){.ctx = ctx};
}

brn_status brn_export_fields_find(brn_export_fields *f, brn_playback *playback, int index, const double *pos)
{
    const brn_contact_point *point = NULL;
    int npoint = 0;
    if (f->strain != NULL) {
        BRN_TRY(brn_strain_samples(&f->of_cells, pos, f->sample));
        BRN_TRY(brn_recovery_apply(&f->recovery, f->sample, f->strain));
    }
    if (f->pressure.node != NULL) {
        BRN_TRY(brn_playback_contacts(playback, index, &point, &npoint));
        BRN_TRY(brn_node_pressure_find(&f->pressure, pos, point, npoint));
    }
    return BRN_OK;
}
