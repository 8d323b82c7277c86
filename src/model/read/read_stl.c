/* STL, text and binary. Corners with the same coordinates, bit for bit, are one node (0 and -0 are the same); facets with
   two corners in one node have no area and are left out. Normals are ignored: the order of corners tells outside.
   Each named solid of a text file becomes a group. */
#include "base/hash.h"
#include "model/read/draft.h"
#include "model/read/readers.h"

#include <limits.h>
#include <string.h>

enum { HEADER = 84, FACET = 50 };

typedef struct stl {
    brn_scan scan;
    brn_draft draft;
    brn_idmap corners; /* hash of a position -> node */
    int group;         /* of this solid, -1 if it has no name */
    int64_t dropped;
} stl;

/* The node at a position, created if needed. */
static brn_status get_corner(stl *s, const double given[3], int *node)
{
    double pos[3];
    for (int k = 0; k < 3; ++k) {
        pos[k] = given[k] == 0.0 ? 0.0 : given[k];
    }
    uint64_t key = brn_hash_bytes(BRN_HASH_START, pos, sizeof pos);
    for (;; ++key) {
        BRN_TRY(brn_idmap_put(s->scan.ctx, &s->corners, (int64_t)key, s->draft.nnode, node));
        if (*node == s->draft.nnode) {
            return brn_draft_add_node(&s->draft, &s->scan, *node, pos);
        }
        /* Different positions with the same hash take the next free number. */
        if (memcmp(s->draft.pos[*node], pos, sizeof pos) == 0) {
            return BRN_OK;
        }
    }
}

static brn_status add_facet(stl *s, double corner[3][3])
{
    int node[3];
    for (int i = 0; i < 3; ++i) {
        BRN_TRY(get_corner(s, corner[i], &node[i]));
    }
    if (node[0] == node[1] || node[1] == node[2] || node[2] == node[0]) {
        ++s->dropped;
        return BRN_OK;
    }
    BRN_TRY(brn_draft_add_cell(&s->draft, BRN_TRI3, node));
    return s->group >= 0 ? brn_draft_add_to_group(&s->draft, s->group, node, 3) : BRN_OK;
}

/* 80 bytes of header, the number of facets, 50 bytes each: normal, corners, two bytes of attributes. */
static brn_status read_binary(stl *s)
{
    brn_scan *scan = &s->scan;
    scan->binary = true;
    scan->swap = brn_machine_is_big_endian(); /* the file is little-endian */
    scan->at = scan->start + HEADER - 4;
    int64_t count = 0;
    BRN_TRY(brn_scan_item_int(scan, BRN_ITEM_U32, "the number of facets", &count));
    if (!brn_scan_has(scan, (uint64_t)count, FACET)) {
        return brn_scan_fail(scan, "%lld facets take %lld bytes, but the file has only %zu bytes more",
                             (long long)count, (long long)count * FACET, (size_t)(scan->end - scan->at));
    }
    for (int64_t i = 0; i < count; ++i) {
        const char *facet = scan->at;
        double corner[3][3];
        scan->at += 12;
        for (int k = 0; k < 9; ++k) {
            BRN_TRY(brn_scan_item_real(scan, BRN_ITEM_F32, "a coordinate", &corner[k / 3][k % 3]));
        }
        BRN_TRY(add_facet(s, corner));
        scan->at = facet + FACET;
    }
    return BRN_OK;
}

/* "outer loop", three vertices, "endloop", "endfacet", after the word facet. */
static brn_status read_facet(stl *s)
{
    brn_scan *scan = &s->scan;
    BRN_TRY(brn_scan_expect(scan, "normal"));
    for (int i = 0; i < 3; ++i) {
        (void)brn_scan_word(scan); /* some programs write nan here */
    }
    BRN_TRY(brn_scan_expect(scan, "outer"));
    BRN_TRY(brn_scan_expect(scan, "loop"));
    double corner[3][3];
    for (int i = 0; i < 3; ++i) {
        BRN_TRY(brn_scan_expect(scan, "vertex"));
        for (int k = 0; k < 3; ++k) {
            BRN_TRY(brn_scan_real(scan, "a coordinate", &corner[i][k]));
        }
    }
    BRN_TRY(brn_scan_expect(scan, "endloop"));
    BRN_TRY(brn_scan_expect(scan, "endfacet"));
    return add_facet(s, corner);
}

static brn_status read_text(stl *s)
{
    brn_scan *scan = &s->scan;
    bool inside = false;
    while (brn_scan_more(scan)) {
        const brn_span word = brn_scan_word(scan);
        if (!inside && brn_span_is(word, "solid")) {
            const char *mark = scan->mark;
            const brn_span name = brn_span_trim(brn_scan_line(scan));
            scan->mark = mark;
            s->group = -1;
            inside = true;
            if (name.length > 0) {
                BRN_TRY(brn_draft_get_group(&s->draft, name, &s->group));
            }
        } else if (inside && brn_span_is(word, "endsolid")) {
            inside = false;
            brn_scan_skip_line(scan);
        } else if (inside && brn_span_is(word, "facet")) {
            BRN_TRY(read_facet(s));
        } else {
            return brn_scan_unexpected(scan, inside ? "facet or endsolid" : "solid");
        }
    }
    scan->mark = scan->at;
    return inside ? brn_scan_unexpected(scan, "facet or endsolid") : BRN_OK;
}

/* A binary file may begin with "solid", so its length decides first: it follows from the number of facets. A text file
   would need four letters there that make the same number. */
static bool is_binary(const brn_scan *scan)
{
    const size_t length = (size_t)(scan->end - scan->start);
    brn_scan copy = *scan;
    if (length >= HEADER) {
        const unsigned char *c = (const unsigned char *)scan->start + HEADER - 4;
        const uint64_t count =
            (uint64_t)c[0] | (uint64_t)c[1] << 8 | (uint64_t)c[2] << 16 | (uint64_t)c[3] << 24;
        if (HEADER + FACET * count == length) {
            return true;
        }
    }
    /* Cut or lengthened files: text has no zero byte in its first words. */
    const bool solid = brn_span_is(brn_scan_word(&copy), "solid");
    const size_t shown = length < HEADER ? length : HEADER;
    return length >= HEADER && (!solid || memchr(scan->start, '\0', shown) != NULL);
}

brn_status brn_read_stl(brn_ctx *ctx, const char *bytes, size_t length, const char *name, brn_mesh **out)
{
    *out = NULL;
    stl s = {.scan = brn_scan_open(ctx, bytes, length, name), .group = -1};
    brn_draft_open(&s.draft, ctx);
    brn_status status = is_binary(&s.scan) ? read_binary(&s) : read_text(&s);
    if (status >= 0) {
        status = brn_draft_finish(&s.draft, &s.scan, out);
    }
    if (status >= 0 && s.dropped > 0) {
        brn_log(ctx, BRN_LOG_WARNING, "%s: %lld facets without area are left out", name,
                (long long)s.dropped);
    }
    brn_idmap_clear(ctx, &s.corners);
    brn_draft_clear(&s.draft);
    return status;
}
