/* TetGen's .node and .ele files [TetGen manual, "File formats"], and those of Triangle, which have two coordinates. The
   buffer holds both: the .node text, a line "%%ele", the .ele text. Boundary markers other than 0 become the groups
   "marker_N", whole-numbered regions (the first attribute of an element) the groups "region_N". */
#include "model/read/draft.h"
#include "model/read/readers.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Elements by their number of corners and nodes. order[i]: which of the file's nodes is our node i. TetGen's mid-edge nodes
   are on the edges 23, 03, 01, 12, 13, 02, Triangle's on those opposite to each corner. */
typedef struct element_kind {
    int dim, nnode;
    brn_cell kind;
    unsigned char order[10];
} element_kind;

static const element_kind kinds[] = {
    {3, 4, BRN_TET4, {0, 1, 2, 3}},
    {3, 10, BRN_TET10, {0, 1, 2, 3, 6, 7, 9, 5, 8, 4}},
    {2, 3, BRN_TRI3, {0, 1, 2}},
    {2, 6, BRN_TRI6, {0, 1, 2, 5, 3, 4}},
};

typedef struct tetgen {
    brn_ctx *ctx;
    brn_draft draft;
    int dim;
} tetgen;

/* Moves to the next line that has data. */
static bool next_row(brn_scan *scan)
{
    while (scan->at < scan->end) {
        if (brn_scan_more_here(scan, true)) {
            return true;
        }
        brn_scan_skip_line(scan);
    }
    scan->mark = scan->at;
    return false;
}

/* A number of this line. */
static brn_status row_int(brn_scan *scan, const char *what, int64_t lo, int64_t hi, int64_t *out)
{
    if (!brn_scan_more_here(scan, true)) {
        scan->mark = scan->at;
        return brn_scan_fail(scan, "expected %s, found the end of the line", what);
    }
    return brn_scan_int(scan, what, lo, hi, out);
}

static brn_status row_real(brn_scan *scan, const char *what, double *out)
{
    if (!brn_scan_more_here(scan, true)) {
        scan->mark = scan->at;
        return brn_scan_fail(scan, "expected %s, found the end of the line", what);
    }
    return brn_scan_real(scan, what, out);
}

static brn_status check_count(const brn_scan *scan, const char *what, int64_t count, size_t bytes)
{
    if (!brn_scan_has(scan, (uint64_t)count, bytes)) {
        return brn_scan_fail(scan, "%lld %s, but the file has only %zu bytes more", (long long)count, what,
                             (size_t)(scan->end - scan->at));
    }
    return BRN_OK;
}

static brn_status need_row(brn_scan *scan, const char *what)
{
    return next_row(scan) ? BRN_OK : brn_scan_unexpected(scan, what);
}

static brn_status add_to(tetgen *t, const char *noun, int64_t number, const int *node, int count)
{
    char text[64];
    int group = 0;
    (void)snprintf(text, sizeof text, "%s_%lld", noun, (long long)number);
    BRN_TRY(brn_draft_get_group(&t->draft, (brn_span){text, strlen(text)}, &group));
    return brn_draft_add_to_group(&t->draft, group, node, count);
}

/* Head: points, dimension, attributes, markers (0 or 1). Rows: number, coordinates, attributes, marker. */
static brn_status read_nodes(tetgen *t, brn_scan *scan)
{
    int64_t count = 0;
    int64_t dim = 0;
    int64_t nattribute = 0;
    int64_t marked = 0;
    BRN_TRY(need_row(scan, "the number of points"));
    BRN_TRY(row_int(scan, "the number of points", 0, INT_MAX, &count));
    BRN_TRY(check_count(scan, "points", count, 6));
    BRN_TRY(row_int(scan, "the dimension", 2, 3, &dim));
    if (brn_scan_more_here(scan, true)) {
        BRN_TRY(row_int(scan, "the number of attributes", 0, 1 << 20, &nattribute));
    }
    if (brn_scan_more_here(scan, true)) {
        BRN_TRY(row_int(scan, "the number of boundary markers (0 or 1)", 0, 1, &marked));
    }
    t->dim = (int)dim;
    brn_scan_skip_line(scan);
    for (int64_t i = 0; i < count; ++i) {
        int64_t number = 0;
        double pos[3] = {0.0, 0.0, 0.0};
        double skipped = 0.0;
        BRN_TRY(need_row(scan, "a point"));
        BRN_TRY(row_int(scan, "the number of a point", 0, INT_MAX, &number));
        const char *mark = scan->mark;
        for (int k = 0; k < dim; ++k) {
            BRN_TRY(row_real(scan, "a coordinate", &pos[k]));
        }
        for (int64_t k = 0; k < nattribute; ++k) {
            BRN_TRY(row_real(scan, "an attribute", &skipped));
        }
        const int node = t->draft.nnode;
        int64_t marker = 0;
        if (marked) {
            BRN_TRY(row_int(scan, "a boundary marker", INT_MIN, INT_MAX, &marker));
        }
        scan->mark = mark;
        BRN_TRY(brn_draft_add_node(&t->draft, scan, number, pos));
        if (marker != 0) {
            BRN_TRY(add_to(t, "marker", marker, &node, 1));
        }
        brn_scan_skip_line(scan);
    }
    return BRN_OK;
}

static brn_status get_kind(const tetgen *t, const brn_scan *scan, int64_t nnode, const element_kind **out)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        if (kinds[i].dim == t->dim && kinds[i].nnode == nnode) {
            *out = &kinds[i];
            return BRN_OK;
        }
    }
    return brn_scan_fail(scan, "elements of %lld nodes are not supported: %s are", (long long)nnode,
                         t->dim == 3 ? "4 and 10" : "3 and 6");
}

/* Head: elements, nodes each, attributes. Rows: number, nodes, attributes. */
static brn_status read_elements(tetgen *t, brn_scan *scan)
{
    int64_t count = 0;
    int64_t nnode = 0;
    int64_t nattribute = 0;
    const element_kind *kind = NULL;
    BRN_TRY(need_row(scan, "the number of elements"));
    BRN_TRY(row_int(scan, "the number of elements", 0, INT_MAX, &count));
    BRN_TRY(check_count(scan, "elements", count, 8));
    BRN_TRY(row_int(scan, "the number of nodes of an element", 0, INT_MAX, &nnode));
    BRN_TRY(get_kind(t, scan, nnode, &kind));
    if (brn_scan_more_here(scan, true)) {
        BRN_TRY(row_int(scan, "the number of attributes", 0, 1 << 20, &nattribute));
    }
    brn_scan_skip_line(scan);
    for (int64_t i = 0; i < count; ++i) {
        int64_t number = 0;
        int read[10];
        int node[10];
        BRN_TRY(need_row(scan, "an element"));
        BRN_TRY(row_int(scan, "the number of an element", 0, INT_MAX, &number));
        for (int k = 0; k < kind->nnode; ++k) {
            BRN_TRY(row_int(scan, "the number of a point", INT_MIN, INT_MAX, &number));
            BRN_TRY(brn_draft_get_node(&t->draft, scan, number, &read[k]));
        }
        for (int k = 0; k < kind->nnode; ++k) {
            node[k] = read[kind->order[k]];
        }
        BRN_TRY(brn_draft_add_cell(&t->draft, kind->kind, node));
        if (nattribute > 0) {
            double region = 0.0;
            BRN_TRY(row_real(scan, "a region", &region));
            if (region != 0.0 && fabs(region) < 1e15 && region == floor(region)) {
                BRN_TRY(add_to(t, "region", (int64_t)region, node, kind->nnode));
            }
        }
        brn_scan_skip_line(scan);
    }
    return BRN_OK;
}

/* The line that parts the two texts; NULL if there is none. */
static const char *find_separator(const char *bytes, size_t length, size_t *size)
{
    const char *const end = bytes + length;
    for (const char *c = bytes; c < end;) {
        const char *newline = memchr(c, '\n', (size_t)(end - c));
        const char *stop = newline != NULL ? newline : end;
        if (brn_span_is(brn_span_trim((brn_span){c, (size_t)(stop - c)}), "%%ele")) {
            *size = (size_t)(stop - c) + (newline != NULL);
            return c;
        }
        c = newline != NULL ? newline + 1 : end;
    }
    return NULL;
}

/* The name with another extension; as it is if it has neither of ours. */
static void sibling_name(const char *name, const char *extension, char *out, size_t size)
{
    const size_t n = strlen(name);
    const brn_span all = {name, n};
    size_t stem = n;
    if (n > 5 && brn_span_is((brn_span){all.at + n - 5, 5}, ".node")) {
        stem = n - 5;
    } else if (n > 4 && brn_span_is((brn_span){all.at + n - 4, 4}, ".ele")) {
        stem = n - 4;
    }
    (void)snprintf(out, size, "%.*s%s", (int)stem, name, stem < n ? extension : "");
}

brn_status brn_read_tetgen(brn_ctx *ctx, const char *bytes, size_t length, const char *name, brn_mesh **out)
{
    *out = NULL;
    char node_name[1024];
    char ele_name[1024];
    sibling_name(name, ".node", node_name, sizeof node_name);
    sibling_name(name, ".ele", ele_name, sizeof ele_name);
    size_t separator = 0;
    const char *cut = find_separator(bytes, length, &separator);
    if (cut == NULL) {
        return brn_fail(ctx, BRN_ERR_FORMAT,
                        "%s: expected a line %%%%ele between the points and the elements", name);
    }
    brn_scan nodes = brn_scan_open(ctx, bytes, (size_t)(cut - bytes), node_name);
    brn_scan elements =
        brn_scan_open(ctx, cut + separator, length - separator - (size_t)(cut - bytes), ele_name);
    tetgen t = {.ctx = ctx};
    brn_draft_open(&t.draft, ctx);
    brn_status status = read_nodes(&t, &nodes);
    if (status >= 0) {
        status = read_elements(&t, &elements);
    }
    if (status >= 0) {
        status = brn_draft_finish(&t.draft, &elements, out);
    }
    brn_draft_clear(&t.draft);
    return status;
}
