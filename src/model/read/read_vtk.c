/* Legacy VTK files, text and binary (always big-endian), versions 1 to 4 (cells with their counts) and 5 (offsets and
   connectivity) [VTK file formats]: unstructured grids and polygonal data. Data arrays are not read. */
#include "model/read/polygon.h"
#include "model/read/readers.h"

#include <limits.h>
#include <string.h>

/* Cells as VTK 5 stores them: the nodes of cell i are node[offset[i]..offset[i + 1]]. */
typedef struct cell_list {
    int64_t ncell;
    int64_t *offset; /* [ncell + 1] */
    int64_t *node;
} cell_list;

typedef struct vtk {
    brn_scan scan;
    brn_draft draft;
    bool is_binary;
    bool has_offsets; /* version 5 */
    bool is_grid;     /* unstructured grid, else polygonal data */
    bool typed;       /* CELL_TYPES came */
    cell_list cells;  /* of a grid, until their types come */
} vtk;

static const struct {
    const char *name;
    brn_item item;
} items[] = {
    {"char", BRN_ITEM_I8},           {"unsigned_char", BRN_ITEM_U8},
    {"short", BRN_ITEM_I16},         {"unsigned_short", BRN_ITEM_U16},
    {"int", BRN_ITEM_I32},           {"unsigned_int", BRN_ITEM_U32},
    {"long", BRN_ITEM_I64},          {"unsigned_long", BRN_ITEM_U64},
    {"vtkIdType", BRN_ITEM_I32},     {"vtktypeint64", BRN_ITEM_I64},
    {"vtktypeuint64", BRN_ITEM_U64}, {"float", BRN_ITEM_F32},
    {"double", BRN_ITEM_F64},        {"signed_char", BRN_ITEM_I8},
    {"vtktypeint32", BRN_ITEM_I32},
};

/* How a VTK cell becomes one of ours. */
typedef enum how { AS_IT_IS, PERMUTED, POLYGON, STRIP, REFUSED, IGNORED } how;

typedef struct cell_type {
    const char *name; /* NULL: unknown */
    int dim;
    how how;
    brn_cell kind;          /* AS_IT_IS, PERMUTED */
    unsigned char order[8]; /* PERMUTED */
} cell_type;

/* By VTK's number. Pixel and voxel count along x, then y, then z. */
static const cell_type types[] = {
    [0] = {"empty", 0, IGNORED, 0, {0}},
    [1] = {"vertex", 0, IGNORED, 0, {0}},
    [2] = {"poly-vertex", 0, IGNORED, 0, {0}},
    [3] = {"line", 1, AS_IT_IS, BRN_EDGE2, {0}},
    [4] = {"poly-line", 1, REFUSED, 0, {0}},
    [5] = {"triangle", 2, AS_IT_IS, BRN_TRI3, {0}},
    [6] = {"triangle strip", 2, STRIP, 0, {0}},
    [7] = {"polygon", 2, POLYGON, 0, {0}},
    [8] = {"pixel", 2, PERMUTED, BRN_QUAD4, {0, 1, 3, 2}},
    [9] = {"quad", 2, AS_IT_IS, BRN_QUAD4, {0}},
    [10] = {"tetrahedron", 3, AS_IT_IS, BRN_TET4, {0}},
    [11] = {"voxel", 3, PERMUTED, BRN_HEX8, {0, 1, 3, 2, 4, 5, 7, 6}},
    [12] = {"hexahedron", 3, AS_IT_IS, BRN_HEX8, {0}},
    [13] = {"wedge", 3, REFUSED, 0, {0}},
    [14] = {"pyramid", 3, REFUSED, 0, {0}},
    [15] = {"pentagonal prism", 3, REFUSED, 0, {0}},
    [16] = {"hexagonal prism", 3, REFUSED, 0, {0}},
    [21] = {"quadratic edge", 1, AS_IT_IS, BRN_EDGE3, {0}},
    [22] = {"quadratic triangle", 2, AS_IT_IS, BRN_TRI6, {0}},
    [23] = {"quadratic quad", 2, AS_IT_IS, BRN_QUAD8, {0}},
    [24] = {"quadratic tetrahedron", 3, AS_IT_IS, BRN_TET10, {0}},
    [25] = {"quadratic hexahedron", 3, AS_IT_IS, BRN_HEX20, {0}},
    [26] = {"quadratic wedge", 3, REFUSED, 0, {0}},
    [27] = {"quadratic pyramid", 3, REFUSED, 0, {0}},
    [28] = {"biquadratic quad", 2, REFUSED, 0, {0}},
    [29] = {"triquadratic hexahedron", 3, REFUSED, 0, {0}},
    [30] = {"quadratic linear quad", 2, REFUSED, 0, {0}},
    [31] = {"quadratic linear wedge", 3, REFUSED, 0, {0}},
    [32] = {"biquadratic quadratic wedge", 3, REFUSED, 0, {0}},
    [33] = {"biquadratic quadratic hexahedron", 3, REFUSED, 0, {0}},
    [34] = {"biquadratic triangle", 2, REFUSED, 0, {0}},
    [35] = {"cubic line", 1, REFUSED, 0, {0}},
    [36] = {"quadratic polygon", 2, REFUSED, 0, {0}},
    [41] = {"convex point set", 3, REFUSED, 0, {0}},
    [42] = {"polyhedron", 3, REFUSED, 0, {0}},
    [68] = {"Lagrange curve", 1, REFUSED, 0, {0}},
    [69] = {"Lagrange triangle", 2, REFUSED, 0, {0}},
    [70] = {"Lagrange quadrilateral", 2, REFUSED, 0, {0}},
    [71] = {"Lagrange tetrahedron", 3, REFUSED, 0, {0}},
    [72] = {"Lagrange hexahedron", 3, REFUSED, 0, {0}},
    [73] = {"Lagrange wedge", 3, REFUSED, 0, {0}},
    [74] = {"Lagrange pyramid", 3, REFUSED, 0, {0}},
};

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static brn_status read_type_name(vtk *v, brn_item *item)
{
    const brn_span word = brn_scan_word(&v->scan);
    for (size_t i = 0; i < sizeof items / sizeof *items; ++i) {
        if (brn_span_is(word, items[i].name)) {
            *item = items[i].item;
            return BRN_OK;
        }
    }
    return brn_scan_unexpected(&v->scan, "a data type (float, double, int, ...)");
}

/* A count in a head line, which must fit the rest of the file at `bytes` each. */
static brn_status read_count(vtk *v, const char *what, size_t bytes, int64_t *count)
{
    BRN_TRY(brn_scan_int(&v->scan, what, 0, INT64_MAX / 64, count));
    if (!brn_scan_has(&v->scan, (uint64_t)*count, bytes)) {
        return brn_scan_fail(&v->scan, "%s is %lld, but the file has only %zu bytes more", what,
                             (long long)*count, (size_t)(v->scan.end - v->scan.at));
    }
    return BRN_OK;
}

static brn_status read_int(vtk *v, brn_item item, const char *what, int64_t *out)
{
    return v->is_binary ? brn_scan_item_int(&v->scan, item, what, out)
                        : brn_scan_int(&v->scan, what, INT64_MIN, INT64_MAX, out);
}

static brn_status read_ints(vtk *v, brn_item item, const char *what, int64_t count, int64_t **out)
{
    if (!brn_scan_has(&v->scan, (uint64_t)count, v->is_binary ? brn_item_bytes(item) : 1)) {
        return brn_scan_fail(&v->scan, "expected %lld times %s, but the file has only %zu bytes more",
                             (long long)count, what, (size_t)(v->scan.end - v->scan.at));
    }
    BRN_ALLOC(v->scan.ctx, *out, count);
    for (int64_t i = 0; i < count; ++i) {
        BRN_TRY(read_int(v, item, what, &(*out)[i]));
    }
    return BRN_OK;
}

static void clear_list(brn_ctx *ctx, cell_list *list)
{
    brn_free(ctx, list->offset);
    brn_free(ctx, list->node);
    *list = (cell_list){0};
}

/* ---- points and cells -------------------------------------------------------------------------------------------- */

static brn_status read_points(vtk *v)
{
    int64_t count = 0;
    brn_item item = BRN_ITEM_F32;
    BRN_TRY(read_count(v, "the number of points", 3, &count));
    BRN_TRY(read_type_name(v, &item));
    brn_scan_skip_line(&v->scan);
    if (v->draft.nnode > 0) {
        return brn_scan_fail(&v->scan, "POINTS were given before");
    }
    if (v->is_binary && !brn_scan_has(&v->scan, (uint64_t)count, 3 * brn_item_bytes(item))) {
        return brn_scan_fail(&v->scan, "%lld points, but the file has only %zu bytes more", (long long)count,
                             (size_t)(v->scan.end - v->scan.at));
    }
    for (int64_t i = 0; i < count; ++i) {
        double pos[3];
        for (int k = 0; k < 3; ++k) {
            BRN_TRY(v->is_binary ? brn_scan_item_real(&v->scan, item, "a coordinate", &pos[k])
                                 : brn_scan_real(&v->scan, "a coordinate", &pos[k]));
        }
        BRN_TRY(brn_draft_add_node(&v->draft, &v->scan, i, pos));
    }
    return BRN_OK;
}

/* Versions before 5: for every cell the number of its nodes, then the nodes; size counts all these numbers. */
static brn_status read_counted(vtk *v, int64_t ncell, int64_t size, cell_list *list)
{
    BRN_ALLOC(v->scan.ctx, list->offset, ncell + 1);
    BRN_ALLOC(v->scan.ctx, list->node, size);
    int64_t used = 0;
    for (int64_t i = 0; i < ncell; ++i) {
        int64_t count = 0;
        BRN_TRY(read_int(v, BRN_ITEM_I32, "the number of nodes of a cell", &count));
        /* The cells that follow take at least a number each. */
        if (count < 0 || count > size - used - ncell) {
            return brn_scan_fail(&v->scan, "a cell of %lld nodes, but the list has only %lld numbers in all",
                                 (long long)count, (long long)size);
        }
        for (int64_t k = 0; k < count; ++k) {
            BRN_TRY(read_int(v, BRN_ITEM_I32, "a point index", &list->node[used + k]));
        }
        used += count;
        list->offset[i + 1] = used;
    }
    if (used + ncell != size) {
        return brn_scan_fail(&v->scan, "the list of cells has %lld numbers, but %lld were announced",
                             (long long)(used + ncell), (long long)size);
    }
    list->ncell = ncell;
    return BRN_OK;
}

/* Version 5: OFFSETS type, noffset numbers, CONNECTIVITY type, nnode numbers. */
static brn_status read_offsets(vtk *v, int64_t noffset, int64_t nnode, cell_list *list)
{
    brn_scan *scan = &v->scan;
    brn_item item = BRN_ITEM_I64;
    BRN_TRY(brn_scan_expect(scan, "OFFSETS"));
    BRN_TRY(read_type_name(v, &item));
    brn_scan_skip_line(scan);
    BRN_TRY(read_ints(v, item, "an offset", noffset, &list->offset));
    BRN_TRY(brn_scan_expect(scan, "CONNECTIVITY"));
    BRN_TRY(read_type_name(v, &item));
    brn_scan_skip_line(scan);
    BRN_TRY(read_ints(v, item, "a point index", nnode, &list->node));
    for (int64_t i = 0; i < noffset; ++i) {
        const int64_t before = i == 0 ? 0 : list->offset[i - 1];
        if (list->offset[i] < before || list->offset[i] > nnode || (i == 0 && list->offset[0] != 0)) {
            return brn_scan_fail(scan, "offset %lld of cell %lld: must ascend from 0 to %lld",
                                 (long long)list->offset[i], (long long)i, (long long)nnode);
        }
    }
    list->ncell = noffset > 0 ? noffset - 1 : 0;
    return BRN_OK;
}

static brn_status read_list(vtk *v, cell_list *list)
{
    int64_t first = 0;
    int64_t second = 0;
    BRN_TRY(read_count(v, "the number of cells", 1, &first));
    BRN_TRY(read_count(v, "the size of the list of cells", 1, &second));
    brn_scan_skip_line(&v->scan);
    if (v->has_offsets) {
        return read_offsets(v, first, second, list);
    }
    if (v->is_binary && !brn_scan_has(&v->scan, (uint64_t)second, 4)) {
        return brn_scan_fail(&v->scan, "a list of %lld numbers, but the file has only %zu bytes more",
                             (long long)second, (size_t)(v->scan.end - v->scan.at));
    }
    return read_counted(v, first, second, list);
}

static brn_status add_strip(vtk *v, const int *node, int64_t count)
{
    for (int64_t i = 0; i + 2 < count; ++i) {
        const int flip = (int)(i & 1); /* every other triangle turns the other way */
        const int tri[3] = {node[i + flip], node[i + 1 - flip], node[i + 2]};
        BRN_TRY(brn_draft_add_cell(&v->draft, BRN_TRI3, tri));
    }
    return BRN_OK;
}

static brn_status add_cell(vtk *v, const cell_type *type, const int *node, int64_t count)
{
    const brn_cell_info *info = brn_cell_get(type->kind);
    int permuted[8];
    switch (type->how) {
    case AS_IT_IS:
    case PERMUTED:
        if (count != info->nnode) {
            return brn_scan_fail(&v->scan, "a %s of %lld nodes: must have %d", type->name, (long long)count,
                                 info->nnode);
        }
        if (type->how == AS_IT_IS) {
            return brn_draft_add_cell(&v->draft, type->kind, node);
        }
        for (int i = 0; i < info->nnode; ++i) {
            permuted[i] = node[type->order[i]];
        }
        return brn_draft_add_cell(&v->draft, type->kind, permuted);
    case POLYGON:
        return count <= INT_MAX ? brn_polygon_add(&v->draft, &v->scan, node, (int)count)
                                : brn_scan_fail(&v->scan, "a polygon of more than %d corners", INT_MAX);
    case STRIP:
        return add_strip(v, node, count);
    case REFUSED:
        brn_draft_refuse(&v->draft, &v->scan, type->dim, (brn_span){type->name, strlen(type->name)});
        return BRN_OK;
    case IGNORED:
        break;
    }
    return BRN_OK;
}

/* Adds the cells of a list: all of one type, or each of its own. */
static brn_status add_cells(vtk *v, const cell_list *list, const cell_type *one, const int64_t *each)
{
    const int64_t total = list->ncell > 0 ? list->offset[list->ncell] : 0;
    int *node = NULL;
    BRN_ALLOC(v->scan.ctx, node, total);
    brn_status status = BRN_OK;
    for (int64_t i = 0; i < total && status >= 0; ++i) {
        status = brn_draft_get_node(&v->draft, &v->scan, list->node[i], &node[i]);
    }
    for (int64_t i = 0; i < list->ncell && status >= 0; ++i) {
        const cell_type *type = one;
        if (each != NULL) {
            const bool known = each[i] >= 0 && each[i] < BRN_COUNT(types) && types[each[i]].name != NULL;
            type = known ? &types[each[i]] : NULL;
        }
        status = type != NULL
                     ? add_cell(v, type, node + list->offset[i], list->offset[i + 1] - list->offset[i])
                     : brn_scan_fail(&v->scan, "cell type %lld of VTK is not supported", (long long)each[i]);
    }
    brn_free(v->scan.ctx, node);
    return status;
}

static brn_status read_cell_types(vtk *v)
{
    int64_t count = 0;
    int64_t *type = NULL;
    const char *mark = v->scan.mark;
    BRN_TRY(brn_scan_int(&v->scan, "the number of cell types", 0, INT64_MAX, &count));
    if (count != v->cells.ncell || v->typed) {
        return brn_scan_fail(&v->scan, "%lld cell types for %lld cells", (long long)count,
                             (long long)(v->typed ? 0 : v->cells.ncell));
    }
    brn_scan_skip_line(&v->scan);
    brn_status status = read_ints(v, BRN_ITEM_I32, "a cell type", count, &type);
    v->typed = true;
    if (status >= 0) {
        v->scan.mark = mark;
        status = add_cells(v, &v->cells, NULL, type);
    }
    brn_free(v->scan.ctx, type);
    return status;
}

/* POLYGONS, TRIANGLE_STRIPS, LINES, VERTICES of polygonal data. */
static brn_status read_poly(vtk *v, const cell_type *type)
{
    cell_list list = {0};
    const char *mark = v->scan.mark;
    brn_status status = read_list(v, &list);
    if (status >= 0) {
        v->scan.mark = mark;
        status = add_cells(v, &list, type, NULL);
    }
    clear_list(v->scan.ctx, &list);
    return status;
}

/* ---- what is passed over ----------------------------------------------------------------------------------------- */

/* FIELD name narrays, each: name components tuples type, data. */
static brn_status skip_field(vtk *v)
{
    brn_scan *scan = &v->scan;
    int64_t narray = 0;
    (void)brn_scan_word(scan);
    BRN_TRY(brn_scan_int(scan, "the number of arrays", 0, INT_MAX, &narray));
    for (int64_t i = 0; i < narray; ++i) {
        int64_t components = 0;
        int64_t tuples = 0;
        brn_item item = BRN_ITEM_F32;
        if (brn_scan_word(scan).length == 0) {
            return brn_scan_unexpected(scan, "the name of an array");
        }
        BRN_TRY(brn_scan_int(scan, "the number of components", 0, INT_MAX, &components));
        BRN_TRY(read_count(v, "the number of tuples", 1, &tuples));
        const brn_scan before = *scan;
        const bool string = brn_span_is(brn_scan_word(scan), "string");
        if (!string || v->is_binary) {
            *scan = before;
            BRN_TRY(read_type_name(v, &item));
        }
        brn_scan_skip_line(scan);
        int64_t values = 0;
        const size_t bytes = v->is_binary ? brn_item_bytes(item) : 1;
        if (__builtin_mul_overflow(components, tuples, &values) ||
            !brn_scan_has(scan, (uint64_t)values, bytes)) {
            return brn_scan_fail(scan, "an array of %lld x %lld values, but the file has only %zu bytes more",
                                 (long long)components, (long long)tuples, (size_t)(scan->end - scan->at));
        }
        for (int64_t k = 0; k < (v->is_binary ? 0 : values); ++k) {
            (void)brn_scan_word(scan);
        }
        scan->at += v->is_binary ? (size_t)values * bytes : 0;
    }
    return BRN_OK;
}

/* METADATA goes on to an empty line. */
static void skip_metadata(brn_scan *scan)
{
    brn_scan_skip_line(scan);
    while (scan->at < scan->end && brn_span_trim(brn_scan_line(scan)).length > 0) {}
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static brn_status read_head(vtk *v)
{
    brn_scan *scan = &v->scan;
    const brn_span line = brn_scan_line(scan);
    static const char magic[] = "# vtk DataFile Version ";
    if (!brn_span_starts(line, magic)) {
        return brn_scan_fail(scan, "expected '%s...' on the first line", magic);
    }
    double version = 0.0;
    const brn_span number =
        brn_span_trim((brn_span){line.at + sizeof magic - 1, line.length - sizeof magic + 1});
    if (!brn_span_real(number, &version) || !(version >= 1.0 && version < 6.0)) {
        return brn_scan_fail(scan, "version '%.*s' is not supported: 1.0 to 5.1 are", brn_span_shown(number),
                             number.at);
    }
    v->has_offsets = version >= 5.0;
    (void)brn_scan_line(scan); /* the title */
    const brn_span form = brn_scan_word(scan);
    v->is_binary = brn_span_is(form, "BINARY");
    if (!v->is_binary && !brn_span_is(form, "ASCII")) {
        return brn_scan_unexpected(scan, "ASCII or BINARY");
    }
    scan->binary = v->is_binary;
    scan->swap = !brn_machine_is_big_endian();
    return BRN_OK;
}

static brn_status read_dataset(vtk *v)
{
    const brn_span word = brn_scan_word(&v->scan);
    v->is_grid = brn_span_is(word, "UNSTRUCTURED_GRID");
    return v->is_grid || brn_span_is(word, "POLYDATA")
               ? BRN_OK
               : brn_scan_unexpected(&v->scan, "UNSTRUCTURED_GRID or POLYDATA");
}

static brn_status read_section(vtk *v, brn_span word)
{
    static const struct {
        const char *name;
        int type; /* VTK's number */
    } poly[] = {{"POLYGONS", 7}, {"TRIANGLE_STRIPS", 6}, {"LINES", 4}, {"VERTICES", 2}};
    if (brn_span_is(word, "DATASET")) {
        return read_dataset(v);
    }
    if (brn_span_is(word, "POINTS")) {
        return read_points(v);
    }
    if (brn_span_is(word, "FIELD")) {
        return skip_field(v);
    }
    if (brn_span_is(word, "METADATA")) {
        skip_metadata(&v->scan);
        return BRN_OK;
    }
    if (v->is_grid && brn_span_is(word, "CELLS")) {
        if (v->cells.offset != NULL) {
            return brn_scan_fail(&v->scan, "CELLS were given before");
        }
        return read_list(v, &v->cells);
    }
    if (v->is_grid && brn_span_is(word, "CELL_TYPES")) {
        return read_cell_types(v);
    }
    for (size_t i = 0; i < sizeof poly / sizeof *poly && !v->is_grid; ++i) {
        if (brn_span_is(word, poly[i].name)) {
            return read_poly(v, &types[poly[i].type]);
        }
    }
    return brn_scan_unexpected(&v->scan, v->is_grid ? "POINTS, CELLS or CELL_TYPES"
                                                    : "DATASET, POINTS, POLYGONS or TRIANGLE_STRIPS");
}

static brn_status read_file(vtk *v)
{
    brn_scan *scan = &v->scan;
    BRN_TRY(read_head(v));
    while (brn_scan_more(scan)) {
        const brn_span word = brn_scan_word(scan);
        if (brn_span_is(word, "POINT_DATA") || brn_span_is(word, "CELL_DATA")) {
            break; /* only data arrays from here on */
        }
        BRN_TRY(read_section(v, word));
    }
    if (v->cells.ncell > 0 && !v->typed) {
        scan->mark = scan->at;
        return brn_scan_fail(scan, "expected CELL_TYPES after CELLS");
    }
    return BRN_OK;
}

brn_status brn_read_vtk(brn_ctx *ctx, const char *bytes, size_t length, const char *name, brn_mesh **out)
{
    *out = NULL;
    vtk v = {.scan = brn_scan_open(ctx, bytes, length, name)};
    brn_draft_open(&v.draft, ctx);
    brn_status status = read_file(&v);
    if (status >= 0) {
        status = brn_draft_finish(&v.draft, &v.scan, out);
    }
    clear_list(ctx, &v.cells);
    brn_draft_clear(&v.draft);
    return status;
}
