/* trajectory.xmf: an XDMF 2 description of trajectory.h5 that ParaView opens. Each frame is one grid, or a collection of
   grids where there are cells of several kinds or obstacles; all point into the HDF5 file. Stress is given by component,
   because XDMF and VTK order the six components of a tensor differently. */
#include "base/os.h"
#include "base/text.h"
#include "output/trajectory/frames.h"

#include <stdio.h>
#include <string.h>

typedef struct xdmf {
    brn_text text;
    const char *file; /* name of the HDF5 file, relative to the sidecar */
    const brn_playback_info *info;
} xdmf;

static const char *topology_name(brn_cell cell)
{
    static const char *const names[BRN_CELL_COUNT] = {
        [BRN_EDGE2] = "Polyline",      [BRN_EDGE3] = "Edge_3",         [BRN_TRI3] = "Triangle",
        [BRN_TRI6] = "Triangle_6",     [BRN_QUAD4] = "Quadrilateral",  [BRN_QUAD8] = "Quadrilateral_8",
        [BRN_TET4] = "Tetrahedron",    [BRN_TET10] = "Tetrahedron_10", [BRN_HEX8] = "Hexahedron",
        [BRN_HEX20] = "Hexahedron_20",
    };
    return names[cell];
}

/* `<` and `&` in a file's name would break the markup. */
static void add_escaped(brn_text *text, const char *name)
{
    for (const char *c = name; *c != '\0'; ++c) {
        const char *entity = *c == '<'   ? "&lt;"
                             : *c == '&' ? "&amp;"
                             : *c == '>' ? "&gt;"
                             : *c == '"' ? "&quot;"
                                         : NULL;
        if (entity != NULL) {
            brn_text_append(text, entity, strlen(entity));
        } else {
            brn_text_append(text, c, 1);
        }
    }
}

/* Rows [first, first + count) of a dataset [rows][width] of the model. */
static void add_rows(xdmf *x, const char *set, int rows, int width, int first, int count)
{
    brn_text_add(
        &x->text,
        "<DataItem ItemType=\"HyperSlab\" Dimensions=\"%d %d\"><DataItem Dimensions=\"3 2\" Format=\"XML\">"
        "%d 0 1 1 %d %d</DataItem><DataItem Format=\"HDF\" NumberType=\"Int\" Precision=\"4\" "
        "Dimensions=\"%d %d\">",
        count, width, first, count, width, rows, width);
    add_escaped(&x->text, x->file);
    brn_text_add(&x->text, ":%s</DataItem></DataItem>", set);
}

/* Rows and columns of one frame of a dataset [nframe][n][width]. */
static void add_slab(xdmf *x, const brn_frame_set *set, int frame, const int rows[2], const int columns[2])
{
    brn_text_add(
        &x->text,
        "<DataItem ItemType=\"HyperSlab\" Dimensions=\"%d %d\"><DataItem Dimensions=\"3 3\" Format=\"XML\">"
        "%d %d %d 1 1 1 1 %d %d</DataItem><DataItem Format=\"HDF\" NumberType=\"Float\" Precision=\"%d\" "
        "Dimensions=\"%d %d %d\">",
        rows[1], columns[1], frame, rows[0], columns[0], rows[1], columns[1],
        brn_frame_set_single(set) ? 4 : 8, x->info->nframe, (int)set->n, (int)set->width);
    add_escaped(&x->text, x->file);
    brn_text_add(&x->text, ":%s</DataItem></DataItem>", set->name);
}

/* Geometry and nodal fields, the same for all grids of a frame. */
static void add_nodes(xdmf *x, const brn_frame_set *sets, int frame)
{
    const int rows[2] = {0, x->info->nnode};
    const int columns[2] = {0, 3};
    brn_text_add(&x->text, "<Geometry GeometryType=\"XYZ\">");
    add_slab(x, &sets[BRN_SET_POSITION], frame, rows, columns);
    brn_text_add(&x->text, "</Geometry>\n");
    for (int i = BRN_SET_VELOCITY; i <= BRN_SET_FORCE; ++i) {
        if (brn_frame_set_wanted(i, x->info)) {
            brn_text_add(&x->text, "<Attribute Name=\"%s\" Center=\"Node\" AttributeType=\"Vector\">",
                         i == BRN_SET_VELOCITY ? "velocity" : "force");
            add_slab(x, &sets[i], frame, rows, columns);
            brn_text_add(&x->text, "</Attribute>\n");
        }
    }
    if (x->info->has_pressure) {
        brn_text_add(&x->text, "<Attribute Name=\"pressure\" Center=\"Node\" AttributeType=\"Scalar\">");
        add_slab(x, &sets[BRN_SET_PRESSURE], frame, rows, (const int[2]){0, 1});
        brn_text_add(&x->text, "</Attribute>\n");
    }
}

/* center: "Node" or "Cell", as the files for VTK have both. */
static void add_stress(xdmf *x, const brn_frame_set *set, const char *center, int frame, const int rows[2])
{
    static const char *const names[6] = {"xx", "yy", "zz", "yz", "xz", "xy"};
    for (int k = 0; k < 6; ++k) {
        brn_text_add(&x->text, "<Attribute Name=\"stress_%s\" Center=\"%s\" AttributeType=\"Scalar\">",
                     names[k], center);
        add_slab(x, set, frame, rows, (const int[2]){k, 1});
        brn_text_add(&x->text, "</Attribute>\n");
    }
}

static void add_cells(xdmf *x, const brn_frame_set *sets, int frame, brn_cell kind, int first)
{
    const brn_cell_info *cell = brn_cell_get(kind);
    const int n = x->info->ncell[kind];
    char set[64];
    (void)snprintf(set, sizeof set, "/model/cells/%s", cell->name);
    brn_text_add(&x->text, "<Grid Name=\"%s\" GridType=\"Uniform\">\n", cell->name);
    brn_text_add(&x->text, "<Topology TopologyType=\"%s\" NumberOfElements=\"%d\">", topology_name(kind), n);
    add_rows(x, set, n, cell->nnode, 0, n);
    brn_text_add(&x->text, "</Topology>\n");
    add_nodes(x, sets, frame);
    if (x->info->has_stress) {
        add_stress(x, &sets[BRN_SET_NODE_STRESS], "Node", frame, (const int[2]){0, x->info->nnode});
        add_stress(x, &sets[BRN_SET_CELL_STRESS], "Cell", frame, (const int[2]){first, n});
    }
    brn_text_add(&x->text, "</Grid>\n");
}

/* A body without cells of its own (an obstacle, a rigid body) shows its boundary. */
static void add_obstacle(xdmf *x, const brn_frame_set *sets, int frame, int first, int count)
{
    const bool flat = x->info->dim == 2;
    brn_text_add(&x->text,
                 "<Grid Name=\"obstacle\" GridType=\"Uniform\">\n<Topology TopologyType=\"%s\" "
                 "NodesPerElement=\"%d\" NumberOfElements=\"%d\">",
                 topology_name(flat ? BRN_EDGE2 : BRN_TRI3), flat ? 2 : 3, count);
    add_rows(x, flat ? "/model/boundary/edge" : "/model/boundary/tri", flat ? x->info->nedge : x->info->ntri,
             flat ? 2 : 3, first, count);
    brn_text_add(&x->text, "</Topology>\n");
    add_nodes(x, sets, frame);
    brn_text_add(&x->text, "</Grid>\n");
}

/* Boundaries are listed body by body: every body is one run of them. */
static void add_obstacles(xdmf *x, const brn_frame_set *sets, int frame)
{
    const brn_playback_info *info = x->info;
    const int n = info->dim == 2 ? info->nedge : info->ntri;
    const int *owner = info->dim == 2 ? info->edge_body : info->tri_body;
    for (int first = 0, last; first < n; first = last) {
        last = first;
        while (last < n && owner[last] == owner[first]) {
            last++;
        }
        if (!brn_body_has_cells(info->body_type[owner[first]])) {
            add_obstacle(x, sets, frame, first, last - first);
        }
    }
}

static void add_frame(xdmf *x, const brn_frame_set *sets, int frame, double time)
{
    char text[BRN_REAL_TEXT];
    brn_text_add(
        &x->text,
        "<Grid Name=\"frame\" GridType=\"Collection\" CollectionType=\"Spatial\">\n<Time Value=\"%s\"/>\n",
        brn_format_real(time, text));
    int first = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        if (x->info->ncell[kind] > 0) {
            add_cells(x, sets, frame, (brn_cell)kind, first);
            first += x->info->ncell[kind];
        }
    }
    add_obstacles(x, sets, frame);
    brn_text_add(&x->text, "</Grid>\n");
}

brn_status brn_xdmf_write(brn_ctx *ctx, const char *h5_path, const brn_playback_info *info,
                          const double *times)
{
    xdmf x = {.text = {.ctx = ctx}, .file = brn_path_base(h5_path), .info = info};
    brn_frame_set sets[BRN_SETS];
    brn_frame_sets_init(sets, info);
    brn_text_add(&x.text, "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\">\n<Domain>\n"
                          "<Grid Name=\"trajectory\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
    for (int i = 0; i < info->nframe; ++i) {
        add_frame(&x, sets, i, times[i]);
    }
    brn_text_add(&x.text, "</Grid>\n</Domain>\n</Xdmf>\n");

    const size_t stem = strlen(h5_path) - (strcmp(brn_path_extension(h5_path), "h5") == 0 ? 3 : 0);
    brn_text path = {.ctx = ctx};
    brn_text_append(&path, h5_path, stem);
    brn_text_append(&path, ".xmf", 4);
    char *xml = NULL;
    char *name = NULL;
    brn_status status = brn_text_take(&path, &name);
    if (status < 0) {
        brn_text_clear(&x.text);
        return status;
    }
    status = brn_text_take(&x.text, &xml);
    status = status >= 0 ? brn_file_write(ctx, name, xml, strlen(xml)) : status;
    brn_free(ctx, xml);
    brn_free(ctx, name);
    return status;
}
