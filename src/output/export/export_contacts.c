#include "output/export/export_contacts.h"

#include "output/export/vtu_pack.h"

#include <stddef.h>
#include <string.h>

typedef struct grid {
    brn_ctx *ctx;
    const brn_contact_point *point;
    int npoint;
    brn_text *xml;
    brn_text data;
    void *work; /* [npoint][3] doubles, or as many smaller things */
} grid;

static brn_status add_array(grid *g, const char *type, const char *name, int width, size_t length)
{
    brn_vtu_tag(g->xml, type, name, width, g->data.length);
    return brn_vtu_pack(g->ctx, g->work, length, &g->data);
}

/* A member of the points, of `width` entries of `size` bytes. */
static brn_status add_member(grid *g, const char *type, const char *name, size_t offset, int width,
                             size_t size)
{
    const size_t length = (size_t)width * size;
    for (int k = 0; k < g->npoint; ++k) {
        memcpy((char *)g->work + (size_t)k * length, (const char *)&g->point[k] + offset, length);
    }
    return add_array(g, type, name, width, (size_t)g->npoint * length);
}

static brn_status add_reals(grid *g, const char *name, size_t offset, int width)
{
    return add_member(g, "Float64", name, offset, width, sizeof(double));
}

static brn_status add_forces(grid *g)
{
    double(*force)[3] = g->work;
    for (int k = 0; k < g->npoint; ++k) {
        brn_contact_force(&g->point[k], force[k]);
    }
    return add_array(g, "Float64", "force", 3, (size_t)g->npoint * sizeof *force);
}

static brn_status add_points(grid *g)
{
    brn_text_add(g->xml, "<Points>\n");
    BRN_TRY(add_reals(g, "place", offsetof(brn_contact_point, place), 3));
    brn_text_add(g->xml, "</Points>\n<PointData>\n");
    BRN_TRY(add_forces(g));
    BRN_TRY(add_reals(g, "normal_force", offsetof(brn_contact_point, normal_force), 1));
    BRN_TRY(add_reals(g, "normal", offsetof(brn_contact_point, normal), 3));
    BRN_TRY(add_reals(g, "friction", offsetof(brn_contact_point, friction), 3));
    BRN_TRY(add_reals(g, "slip", offsetof(brn_contact_point, slip), 3));
    BRN_TRY(add_reals(g, "gap", offsetof(brn_contact_point, gap), 1));
    BRN_TRY(add_reals(g, "mu", offsetof(brn_contact_point, mu), 1));
    BRN_TRY(add_reals(g, "stick_speed", offsetof(brn_contact_point, stick_speed), 1));
    BRN_TRY(add_member(g, "Int32", "body", offsetof(brn_contact_point, body), 2, sizeof(int)));
    brn_text_add(g->xml, "</PointData>\n");
    return BRN_OK;
}

/* One VTK_VERTEX (type 1) a point. */
static brn_status add_vertices(grid *g)
{
    int64_t *number = g->work;
    brn_text_add(g->xml, "<Cells>\n");
    for (int offset = 0; offset < 2; ++offset) {
        for (int k = 0; k < g->npoint; ++k) {
            number[k] = k + offset;
        }
        BRN_TRY(add_array(g, "Int64", offset == 0 ? "connectivity" : "offsets", 1,
                          (size_t)g->npoint * sizeof *number));
    }
    memset(g->work, 1, (size_t)g->npoint);
    BRN_TRY(add_array(g, "UInt8", "types", 1, (size_t)g->npoint));
    brn_text_add(g->xml, "</Cells>\n");
    return BRN_OK;
}

brn_status brn_export_contact_grid(brn_ctx *ctx, const brn_contact_point *point, int npoint, double time,
                                   brn_text *xml)
{
    grid g = {.ctx = ctx, .point = point, .npoint = npoint, .xml = xml, .data = {.ctx = ctx}};
    g.work = brn_calloc(ctx, (size_t)npoint, 3 * sizeof(double));
    brn_status status = g.work != NULL ? BRN_OK : BRN_ERR_MEMORY;
    brn_vtu_head(xml, time, (size_t)npoint, (size_t)npoint);
    status = status >= 0 ? add_points(&g) : status;
    status = status >= 0 ? add_vertices(&g) : status;
    if (status >= 0) {
        brn_vtu_tail(xml, &g.data);
        status = xml->failed || g.data.failed ? BRN_ERR_MEMORY : BRN_OK;
    }
    brn_free(ctx, g.work);
    brn_text_clear(&g.data);
    return status;
}
