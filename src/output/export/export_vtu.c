/* VTK XML unstructured grids, one file per frame (and one for its contacts), and a PVD file that lists them with their times.
   Arrays are appended as raw binary, compressed (see vtu_pack.h). What does not change in time is packed once and starts
   every file. */
#include "base/text.h"
#include "output/export/export_contacts.h"
#include "output/export/export_fields.h"
#include "output/export/export_frame.h"
#include "output/export/vtu_cells.h"
#include "output/export/vtu_pack.h"
#include "output/trajectory/fields.h"

#include <stdio.h>
#include <string.h>

typedef struct vtu {
    brn_ctx *ctx;
    const brn_playback_info *info;
    brn_vtu_cells cells;
    size_t fixed_length; /* of what does not change */
    brn_text xml, data, pvd;
    double *work; /* [max(nnode, ncell)][6] */
    brn_frame frame;
    brn_export_fields fields;
} vtu;

/* ---- arrays of a frame -------------------------------------------------------------------------------------------- */

static brn_status add_reals(vtu *v, const char *name, size_t count, int width, const double *values)
{
    brn_vtu_tag(&v->xml, "Float64", name, width, v->data.length);
    return brn_vtu_pack(v->ctx, values, count * (size_t)width * sizeof *values, &v->data);
}

/* A tensor, components in VTK's order xx, yy, zz, xy, yz, xz, and its equivalent, von Mises' times a factor; rows beyond `known` are 0. */
static brn_status add_tensor(vtu *v, const char *name, const char *equivalent, double factor,
                             const double *tensor, size_t known, size_t count)
{
    static const size_t order[6] = {0, 1, 2, 5, 3, 4};
    memset(v->work, 0, 6 * count * sizeof *v->work);
    for (size_t i = 0; i < known; ++i) {
        v->work[i] = factor * brn_von_mises(tensor + 6 * i);
    }
    BRN_TRY(add_reals(v, equivalent, count, 1, v->work));
    memset(v->work, 0, 6 * count * sizeof *v->work);
    for (size_t i = 0; i < known; ++i) {
        for (size_t k = 0; k < 6; ++k) {
            v->work[6 * i + k] = tensor[6 * i + order[k]];
        }
    }
    return add_reals(v, name, count, 6, v->work);
}

/* Three scalars NAME_1, NAME_2, NAME_3 of all nodes. */
static brn_status add_principals(vtu *v, const char *name, const double *tensor)
{
    const size_t n = (size_t)v->info->nnode;
    for (size_t i = 0; i < n; ++i) {
        double principal[3];
        brn_principals(tensor + 6 * i, principal);
        for (size_t k = 0; k < 3; ++k) {
            v->work[k * n + i] = principal[k];
        }
    }
    for (size_t k = 0; k < 3; ++k) {
        char full[32];
        (void)snprintf(full, sizeof full, "%s_%zu", name, k + 1);
        BRN_TRY(add_reals(v, full, n, 1, v->work + k * n));
    }
    return BRN_OK;
}

static brn_status add_point_data(vtu *v)
{
    const size_t nnode = (size_t)v->info->nnode;
    const double *rest = nnode > 0 ? v->info->rest[0] : NULL;
    brn_text_add(&v->xml, "<Points>\n");
    BRN_TRY(add_reals(v, "position", nnode, 3, v->frame.pos));
    brn_text_add(&v->xml, "</Points>\n<PointData>\n");
    for (size_t i = 0; i < 3 * nnode; ++i) {
        v->work[i] = v->frame.pos[i] - rest[i];
    }
    BRN_TRY(add_reals(v, "displacement", nnode, 3, v->work));
    if (v->frame.vel != NULL) {
        BRN_TRY(add_reals(v, "velocity", nnode, 3, v->frame.vel));
    }
    if (v->frame.force != NULL) {
        BRN_TRY(add_reals(v, "force", nnode, 3, v->frame.force));
    }
    if (v->frame.node_stress != NULL) {
        BRN_TRY(add_tensor(v, "stress", "von_mises", 1.0, v->frame.node_stress, nnode, nnode));
        BRN_TRY(add_principals(v, "stress", v->frame.node_stress));
    }
    if (v->fields.strain != NULL) {
        BRN_TRY(
            add_tensor(v, "strain", "equivalent_strain", BRN_STRAIN_SCALE, v->fields.strain, nnode, nnode));
        BRN_TRY(add_principals(v, "strain", v->fields.strain));
    }
    if (v->fields.pressure.node != NULL) {
        BRN_TRY(add_reals(v, "pressure", nnode, 1, v->fields.pressure.node));
    }
    brn_text_add(&v->xml, "</PointData>\n");
    return BRN_OK;
}

static brn_status add_cell_data(vtu *v)
{
    brn_vtu_cells_tags(&v->cells, &v->xml);
    brn_text_add(&v->xml, "<CellData>\n");
    brn_vtu_cells_body_tag(&v->cells, &v->xml);
    if (v->frame.cell_stress != NULL) {
        BRN_TRY(add_tensor(v, "stress", "von_mises", 1.0, v->frame.cell_stress, v->cells.nvolume,
                           v->cells.ncell));
    }
    brn_text_add(&v->xml, "</CellData>\n");
    return BRN_OK;
}

/* ---- files --------------------------------------------------------------------------------------------------------- */

/* The whole file in v->xml. */
static brn_status compose(vtu *v)
{
    v->xml.length = 0;
    v->data.length = v->fixed_length;
    brn_vtu_head(&v->xml, v->frame.time, (size_t)v->info->nnode, v->cells.ncell);
    BRN_TRY(add_point_data(v));
    BRN_TRY(add_cell_data(v));
    brn_vtu_tail(&v->xml, &v->data);
    return v->xml.failed ? BRN_ERR_MEMORY : BRN_OK;
}

/* Lists a file of the frame: part 0 the bodies, part 1 the contacts. */
static void add_to_collection(vtu *v, int part, const char *name)
{
    char time[BRN_REAL_TEXT];
    brn_text_add(&v->pvd, "<DataSet timestep=\"%s\" part=\"%d\" file=\"%s\"/>\n",
                 brn_format_real(v->frame.time, time), part, name);
}

static brn_status write_contacts(vtu *v, brn_playback *playback, const char *dir, int index)
{
    char name[BRN_FRAME_NAME];
    const brn_contact_point *point = NULL;
    int npoint = 0;
    BRN_TRY(brn_playback_contacts(playback, index, &point, &npoint));
    v->xml.length = 0;
    BRN_TRY(brn_export_contact_grid(v->ctx, point, npoint, v->frame.time, &v->xml));
    brn_export_name(v->info, "contacts", index, "vtu", name);
    add_to_collection(v, 1, name);
    return brn_export_file(v->ctx, dir, name, v->xml.data, v->xml.length);
}

static brn_status write_frame(vtu *v, brn_playback *playback, const char *dir, int index)
{
    char name[BRN_FRAME_NAME];
    BRN_TRY(brn_playback_read(playback, index, &v->frame));
    BRN_TRY(brn_export_fields_find(&v->fields, playback, index, v->frame.pos));
    BRN_TRY(compose(v));
    brn_export_name(v->info, "frame", index, "vtu", name);
    add_to_collection(v, 0, name);
    return brn_export_file(v->ctx, dir, name, v->xml.data, v->xml.length);
}

static brn_status write_all(vtu *v, brn_playback *playback, const char *dir, int every, int *files)
{
    const brn_playback_info *info = v->info;
    BRN_TRY(brn_export_begin(v->ctx, info, dir, every, BRN_WANT_MOTION | BRN_WANT_STRESS, &v->frame));
    BRN_TRY(brn_export_fields_make(&v->fields, info));
    BRN_TRY(brn_vtu_cells_pack(v->ctx, info, &v->data, &v->cells));
    v->fixed_length = v->data.length;
    const size_t most = v->cells.ncell > (size_t)info->nnode ? v->cells.ncell : (size_t)info->nnode;
    BRN_ALLOC(v->ctx, v->work, 6 * most);
    brn_text_add(&v->pvd,
                 "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"%s\">\n"
                 "<Collection>\n",
                 brn_vtu_byte_order());
    for (int f = 0; f < info->nframe; f += every < info->nframe ? every : info->nframe) {
        BRN_TRY(write_frame(v, playback, dir, f));
        ++*files;
        if (info->has_contact) {
            BRN_TRY(write_contacts(v, playback, dir, f));
            ++*files;
        }
    }
    brn_text_add(&v->pvd, "</Collection>\n</VTKFile>\n");
    if (v->pvd.failed) {
        return BRN_ERR_MEMORY;
    }
    BRN_TRY(brn_export_file(v->ctx, dir, "trajectory.pvd", v->pvd.data, v->pvd.length));
    ++*files;
    return BRN_OK;
}

brn_status brn_export_vtu(brn_ctx *ctx, brn_playback *playback, const char *dir, int every, int *files)
{
    *files = 0;
    vtu v = {.ctx = ctx,
             .info = brn_playback_get(playback),
             .xml = {.ctx = ctx},
             .data = {.ctx = ctx},
             .pvd = {.ctx = ctx},
             .fields = {.ctx = ctx}};
    const brn_status status = write_all(&v, playback, dir, every, files);
    brn_export_end(ctx, &v.frame);
    brn_export_fields_clear(&v.fields);
    brn_free(ctx, v.work);
    brn_text_clear(&v.xml);
    brn_text_clear(&v.data);
    brn_text_clear(&v.pvd);
    return status;
}
