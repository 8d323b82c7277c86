/* Wavefront OBJ: vertices, faces of any number of corners or, without any, lines; groups (g) and objects (o); the rest is
   skipped. Read twice, because a face may come before its vertices. */
#include "model/read/polygon.h"
#include "model/read/readers.h"

#include <limits.h>

typedef struct obj {
    brn_scan scan;
    brn_draft draft;
    int seen; /* vertices before this line: what negative indices count back from */
    int *corner;
    size_t corner_capacity;
    int *group; /* [ngroup] that faces go to: of the g line, then that of the o line */
    int ngroup;
    size_t group_capacity;
    int object; /* group of the o line, -1 if none */
    bool faces; /* there are any: lines are then skipped */
} obj;

/* x y z; a weight or a colour may follow. */
static brn_status read_vertex(obj *o)
{
    double pos[3];
    for (int i = 0; i < 3; ++i) {
        o->scan.mark = o->scan.at;
        if (!brn_scan_more_here(&o->scan, true)) {
            return brn_scan_fail(&o->scan, "expected 3 coordinates of a vertex, found %d", i);
        }
        BRN_TRY(brn_scan_real(&o->scan, "a coordinate", &pos[i]));
    }
    return brn_draft_add_node(&o->draft, &o->scan, o->draft.nnode, pos);
}

/* "7", "7/1", "7//3", "7/1/3", "-1": the vertex comes first, counted from 1 or back from the last. */
static brn_status read_corner(obj *o, int *node)
{
    brn_span word = brn_scan_word(&o->scan);
    const brn_span whole = word;
    int64_t number = 0;
    if (!brn_span_int(brn_span_split(&word, '/'), &number) || number == 0) {
        return brn_scan_fail(&o->scan, "expected a vertex index (such as 7, 7/1, 7//3 or -1), found '%.*s'",
                             brn_span_shown(whole), whole.at);
    }
    const int64_t index = number > 0 ? number - 1 : o->seen + number;
    if (index < 0 || index >= o->draft.nnode) {
        return brn_scan_fail(&o->scan, "vertex %lld does not exist (there are %d)", (long long)number,
                             number > 0 ? o->draft.nnode : o->seen);
    }
    *node = (int)index;
    return BRN_OK;
}

/* More on this line, or on the next one after a backslash. */
static bool more_in_statement(brn_scan *scan)
{
    while (brn_scan_more_here(scan, true)) {
        if (*scan->at != '\\') {
            return true;
        }
        brn_scan copy = *scan;
        ++copy.at;
        if (brn_scan_more_here(&copy, false)) {
            return true; /* no line end after it: not a continuation */
        }
        brn_scan_skip_line(scan);
    }
    return false;
}

/* The open groups and object get the corners of a face or line. */
static brn_status add_to_groups(obj *o, int count)
{
    for (int i = 0; i < o->ngroup; ++i) {
        BRN_TRY(brn_draft_add_to_group(&o->draft, o->group[i], o->corner, count));
    }
    return o->object >= 0 ? brn_draft_add_to_group(&o->draft, o->object, o->corner, count) : BRN_OK;
}

/* A face, or a line of edges from corner to corner. */
static brn_status read_face(obj *o, bool line)
{
    const char *mark = o->scan.mark;
    int count = 0;
    while (more_in_statement(&o->scan)) {
        BRN_GROW(o->scan.ctx, o->corner, o->corner_capacity, (size_t)count + 1);
        BRN_TRY(read_corner(o, &o->corner[count]));
        if (++count == INT_MAX) {
            return brn_scan_fail(&o->scan, "a face of more than %d corners", INT_MAX);
        }
    }
    o->scan.mark = mark;
    if (count < (line ? 2 : 3)) {
        return brn_scan_fail(&o->scan, "expected at least %d corners of a %s, found %d", line ? 2 : 3,
                             line ? "line" : "face", count);
    }
    for (int i = 0; i + 1 < count && line; ++i) {
        BRN_TRY(brn_draft_add_cell(&o->draft, BRN_EDGE2, &o->corner[i]));
    }
    if (!line) {
        BRN_TRY(brn_polygon_add(&o->draft, &o->scan, o->corner, count));
    }
    return add_to_groups(o, count);
}

/* g may name several groups; the names of o may hold blanks. */
static brn_status read_groups(obj *o, bool object)
{
    if (object) {
        const brn_span name = brn_span_trim(brn_scan_line(&o->scan));
        o->object = -1;
        /* The line that follows must still be found: step back to the line's end. */
        o->scan.at = name.at + name.length;
        return name.length > 0 ? brn_draft_get_group(&o->draft, name, &o->object) : BRN_OK;
    }
    o->ngroup = 0;
    while (brn_scan_more_here(&o->scan, true)) {
        const brn_span name = brn_scan_word(&o->scan);
        BRN_GROW(o->scan.ctx, o->group, o->group_capacity, (size_t)o->ngroup + 1);
        BRN_TRY(brn_draft_get_group(&o->draft, name, &o->group[o->ngroup]));
        ++o->ngroup;
    }
    return BRN_OK;
}

static brn_status read_lines(obj *o, bool faces)
{
    brn_scan *scan = &o->scan;
    scan->at = scan->start;
    for (; scan->at < scan->end; brn_scan_skip_line(scan)) {
        if (!brn_scan_more_here(scan, true)) {
            continue;
        }
        const brn_span word = brn_scan_word(scan);
        o->faces = o->faces || brn_span_is(word, "f") || brn_span_is(word, "fo");
        if (brn_span_is(word, "v")) {
            o->seen += faces;
            if (!faces) {
                BRN_TRY(read_vertex(o));
            }
        } else if (faces && (brn_span_is(word, "f") || brn_span_is(word, "fo"))) {
            BRN_TRY(read_face(o, false));
        } else if (faces && !o->faces && brn_span_is(word, "l")) {
            BRN_TRY(read_face(o, true));
        } else if (faces && (brn_span_is(word, "g") || brn_span_is(word, "o"))) {
            BRN_TRY(read_groups(o, brn_span_is(word, "o")));
        }
    }
    return BRN_OK;
}

brn_status brn_read_obj(brn_ctx *ctx, const char *bytes, size_t length, const char *name, brn_mesh **out)
{
    *out = NULL;
    obj o = {.scan = brn_scan_open(ctx, bytes, length, name), .object = -1};
    brn_draft_open(&o.draft, ctx);
    brn_status status = read_lines(&o, false);
    if (status >= 0) {
        status = read_lines(&o, true);
    }
    if (status >= 0) {
        status = brn_draft_finish(&o.draft, &o.scan, out);
    }
    brn_free(ctx, o.corner);
    brn_free(ctx, o.group);
    brn_draft_clear(&o.draft);
    return status;
}
