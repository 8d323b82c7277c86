/* Gmsh's mesh files, formats 2.x and 4.1, text and binary, either byte order [Gmsh reference manual, "File formats"].
   Physical groups of every dimension become node groups: named as in $PhysicalNames, else "physical_N", or, where
   several dimensions have an unnamed N, "physical_N_point", "_curve", "_surface", "_volume". */
#include "model/read/msh.h"
#include "model/read/readers.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Gmsh's tet10 has its last two edges swapped compared with VTK, and its hex20 goes along x, y, z from each corner. */
static const unsigned char tet10_order[10] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
static const unsigned char hex20_order[20] = {0,  1, 2,  3,  4,  5,  6,  7,  8,  11,
                                              13, 9, 16, 18, 19, 17, 10, 12, 14, 15};

/* By Gmsh's number. */
static const brn_msh_type types[] = {
    [1] = {"2-node line", 1, 2, BRN_EDGE2, NULL},
    [2] = {"3-node triangle", 2, 3, BRN_TRI3, NULL},
    [3] = {"4-node quadrangle", 2, 4, BRN_QUAD4, NULL},
    [4] = {"4-node tetrahedron", 3, 4, BRN_TET4, NULL},
    [5] = {"8-node hexahedron", 3, 8, BRN_HEX8, NULL},
    [6] = {"6-node prism", 3, 6, -1, NULL},
    [7] = {"5-node pyramid", 3, 5, -1, NULL},
    [8] = {"3-node line", 1, 3, BRN_EDGE3, NULL},
    [9] = {"6-node triangle", 2, 6, BRN_TRI6, NULL},
    [10] = {"9-node quadrangle", 2, 9, -1, NULL},
    [11] = {"10-node tetrahedron", 3, 10, BRN_TET10, tet10_order},
    [12] = {"27-node hexahedron", 3, 27, -1, NULL},
    [13] = {"18-node prism", 3, 18, -1, NULL},
    [14] = {"14-node pyramid", 3, 14, -1, NULL},
    [15] = {"point", 0, 1, -1, NULL},
    [16] = {"8-node quadrangle", 2, 8, BRN_QUAD8, NULL},
    [17] = {"20-node hexahedron", 3, 20, BRN_HEX20, hex20_order},
    [18] = {"15-node prism", 3, 15, -1, NULL},
    [19] = {"13-node pyramid", 3, 13, -1, NULL},
    [20] = {"9-node triangle", 2, 9, -1, NULL},
    [21] = {"10-node triangle", 2, 10, -1, NULL},
    [22] = {"12-node triangle", 2, 12, -1, NULL},
    [23] = {"15-node triangle", 2, 15, -1, NULL},
    [24] = {"15-node incomplete triangle", 2, 15, -1, NULL},
    [25] = {"21-node triangle", 2, 21, -1, NULL},
    [26] = {"4-node line", 1, 4, -1, NULL},
    [27] = {"5-node line", 1, 5, -1, NULL},
    [28] = {"6-node line", 1, 6, -1, NULL},
    [29] = {"20-node tetrahedron", 3, 20, -1, NULL},
    [30] = {"35-node tetrahedron", 3, 35, -1, NULL},
    [31] = {"56-node tetrahedron", 3, 56, -1, NULL},
    [36] = {"16-node quadrangle", 2, 16, -1, NULL},
    [92] = {"64-node hexahedron", 3, 64, -1, NULL},
};

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

brn_status brn_msh_int(brn_msh *msh, const char *what, int64_t *out)
{
    return msh->is_binary ? brn_scan_item_int(&msh->scan, BRN_ITEM_I32, what, out)
                          : brn_scan_int(&msh->scan, what, INT_MIN, INT_MAX, out);
}

brn_status brn_msh_size(brn_msh *msh, const char *what, int64_t *out)
{
    if (!msh->is_binary) {
        return brn_scan_int(&msh->scan, what, 0, BRN_MSH_MAX_TAG, out);
    }
    BRN_TRY(brn_scan_item_int(&msh->scan, msh->size_item, what, out));
    if (*out < 0 || *out > BRN_MSH_MAX_TAG) {
        return brn_scan_fail(&msh->scan, "%s is %lld: must be between 0 and %lld", what, (long long)*out,
                             (long long)BRN_MSH_MAX_TAG);
    }
    return BRN_OK;
}

brn_status brn_msh_count(brn_msh *msh, const char *what, size_t bytes, int64_t *out)
{
    BRN_TRY(brn_msh_size(msh, what, out));
    if (!brn_scan_has(&msh->scan, (uint64_t)*out, bytes)) {
        return brn_scan_fail(&msh->scan, "%s is %lld, but the file has only %zu bytes more", what,
                             (long long)*out, (size_t)(msh->scan.end - msh->scan.at));
    }
    return BRN_OK;
}

brn_status brn_msh_real(brn_msh *msh, const char *what, double *out)
{
    return msh->is_binary ? brn_scan_item_real(&msh->scan, BRN_ITEM_F64, what, out)
                          : brn_scan_real(&msh->scan, what, out);
}

/* ---- elements and groups ----------------------------------------------------------------------------------------- */

brn_status brn_msh_get_type(brn_msh *msh, int64_t number, const brn_msh_type **out)
{
    const int64_t count = (int64_t)(sizeof types / sizeof *types);
    if (number < 1 || number >= count || types[number].name == NULL) {
        return brn_scan_fail(&msh->scan, "element type %lld of Gmsh is not supported", (long long)number);
    }
    *out = &types[number];
    return BRN_OK;
}

int64_t brn_msh_key(int dim, int64_t tag)
{
    return (int64_t)((uint64_t)tag * 4 + (uint64_t)dim);
}

static brn_status add_physical(brn_msh *msh, int dim, int64_t tag, brn_span name, int *index)
{
    BRN_GROW(msh->scan.ctx, msh->physical, msh->physical_capacity, msh->nphysical + 1);
    BRN_TRY(brn_idmap_put(msh->scan.ctx, &msh->physical_map, brn_msh_key(dim, tag), msh->nphysical, index));
    if (*index == msh->nphysical) {
        msh->physical[msh->nphysical++] = (brn_msh_physical){dim, tag, name, -1};
    }
    return BRN_OK;
}

brn_status brn_msh_get_physical(brn_msh *msh, int dim, int64_t tag, int *index)
{
    const int64_t number = tag < 0 ? -tag : tag;
    *index = brn_idmap_find(&msh->physical_map, brn_msh_key(dim, number));
    return *index >= 0 ? BRN_OK : add_physical(msh, dim, number, (brn_span){0}, index);
}

brn_status brn_msh_element(brn_msh *msh, const brn_msh_type *type, const int64_t *number, const int *physical,
                           int nphysical)
{
    int node[BRN_MSH_MAX_NODES];
    for (int i = 0; i < type->nnode; ++i) {
        const int from = type->order != NULL ? type->order[i] : i;
        BRN_TRY(brn_draft_get_node(&msh->draft, &msh->scan, number[from], &node[i]));
    }
    if (type->kind >= 0) {
        BRN_TRY(brn_draft_add_cell(&msh->draft, (brn_cell)type->kind, node));
    } else if (type->dim > 0) {
        brn_draft_refuse(&msh->draft, &msh->scan, type->dim, (brn_span){type->name, strlen(type->name)});
    }
    for (int i = 0; i < nphysical; ++i) {
        brn_msh_physical *entry = &msh->physical[physical[i]];
        if (entry->group < 0) {
            BRN_TRY(brn_draft_new_group(&msh->draft, &entry->group));
        }
        BRN_TRY(brn_draft_add_to_group(&msh->draft, entry->group, node, type->nnode));
    }
    return BRN_OK;
}

/* Text in both forms of the file: a count, then lines of: dimension number "name". */
static brn_status read_physical_names(brn_msh *msh)
{
    brn_scan *scan = &msh->scan;
    int64_t count = 0;
    BRN_TRY(brn_scan_int(scan, "the number of physical names", 0, INT_MAX, &count));
    for (int64_t i = 0; i < count; ++i) {
        int64_t dim = 0;
        int64_t tag = 0;
        BRN_TRY(brn_scan_int(scan, "the dimension of a physical group", 0, 3, &dim));
        BRN_TRY(brn_scan_int(scan, "the number of a physical group", -INT_MAX, INT_MAX, &tag));
        brn_span line = brn_span_trim(brn_scan_line(scan));
        if (line.length < 2 || line.at[0] != '"' || line.at[line.length - 1] != '"') {
            return brn_scan_fail(scan, "expected a physical name in double quotes");
        }
        line = (brn_span){line.at + 1, line.length - 2};
        int index = 0;
        BRN_TRY(add_physical(msh, (int)dim, tag < 0 ? -tag : tag, line, &index));
        msh->physical[index].name = line;
    }
    return BRN_OK;
}

/* True if another dimension has an unnamed group of the same number. */
static bool is_ambiguous(const brn_msh *msh, const brn_msh_physical *entry)
{
    for (int dim = 0; dim < 4; ++dim) {
        const int other = brn_idmap_find(&msh->physical_map, brn_msh_key(dim, entry->tag));
        if (dim != entry->dim && other >= 0 && msh->physical[other].name.length == 0 &&
            msh->physical[other].group >= 0) {
            return true;
        }
    }
    return false;
}

static brn_status name_groups(brn_msh *msh)
{
    static const char *const nouns[4] = {"_point", "_curve", "_surface", "_volume"};
    for (int i = 0; i < msh->nphysical; ++i) {
        const brn_msh_physical *entry = &msh->physical[i];
        if (entry->group < 0) {
            continue; /* named in the file, but without elements */
        }
        brn_span name = entry->name;
        char text[64];
        if (name.length == 0) {
            (void)snprintf(text, sizeof text, "physical_%lld%s", (long long)entry->tag,
                           is_ambiguous(msh, entry) ? nouns[entry->dim] : "");
            name = (brn_span){text, strlen(text)};
        }
        BRN_TRY(brn_draft_name_group(&msh->draft, entry->group, name));
    }
    return BRN_OK;
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

/* "4.1 0 8", and in binary files the int 1, which shows the byte order. */
static brn_status read_format(brn_msh *msh, int *major)
{
    brn_scan *scan = &msh->scan;
    const brn_span version = brn_scan_word(scan);
    if (version.length >= 1 && version.at[0] == '2' && (version.length == 1 || version.at[1] == '.')) {
        *major = 2;
    } else if (brn_span_is(version, "4.1")) {
        *major = 4;
    } else {
        return brn_scan_fail(scan, "MSH format %.*s is not supported: save the mesh as 4.1 or 2.2",
                             brn_span_shown(version), version.at);
    }
    int64_t binary = 0;
    int64_t size = 0;
    BRN_TRY(brn_scan_int(scan, "the file type (0: text, 1: binary)", 0, 1, &binary));
    BRN_TRY(brn_scan_int(scan, "the data size", 4, 8, &size));
    if ((*major == 2 && size != 8) || (size != 4 && size != 8)) {
        return brn_scan_fail(scan, "data size %d is not supported: must be 8%s", (int)size,
                             *major == 2 ? "" : " or 4");
    }
    msh->is_binary = binary == 1;
    msh->size_item = size == 8 ? BRN_ITEM_U64 : BRN_ITEM_U32;
    if (!msh->is_binary) {
        return BRN_OK;
    }
    brn_scan_skip_line(scan);
    scan->binary = true;
    int64_t one = 0;
    BRN_TRY(brn_scan_item_int(scan, BRN_ITEM_I32, "the int 1 that shows the byte order", &one));
    if (one == 0x01000000) {
        scan->swap = true;
    } else if (one != 1) {
        return brn_scan_fail(scan, "expected the int 1 that shows the byte order, found %lld",
                             (long long)one);
    }
    return BRN_OK;
}

/* Moves to the line that closes a section whose content is not read. */
static brn_status skip_section(brn_msh *msh, brn_span name)
{
    brn_scan *scan = &msh->scan;
    char closing[80];
    const int n =
        snprintf(closing, sizeof closing, "$End%.*s", (int)(name.length < 64 ? name.length : 64), name.at);
    for (const char *c = scan->at; c < scan->end;) {
        const char *found = memchr(c, '$', (size_t)(scan->end - c));
        if (found == NULL) {
            break;
        }
        if ((size_t)(scan->end - found) >= (size_t)n && memcmp(found, closing, (size_t)n) == 0) {
            scan->at = found;
            return BRN_OK;
        }
        c = found + 1;
    }
    return brn_scan_fail(scan, "section $%.*s has no %s", brn_span_shown(name), name.at, closing);
}

static brn_status read_section(brn_msh *msh, brn_span name, int major)
{
    if (brn_span_is(name, "PhysicalNames")) {
        return read_physical_names(msh);
    }
    const bool nodes = brn_span_is(name, "Nodes");
    const bool elements = brn_span_is(name, "Elements");
    const bool partitioned = brn_span_is(name, "PartitionedEntities");
    const bool entities = brn_span_is(name, "Entities") || partitioned;
    if (nodes || elements || (major == 4 && entities)) {
        /* Binary data begin right after the line's end; in 2.2 a line with the count comes first. */
        brn_scan_skip_line(&msh->scan);
        if (entities) {
            return brn_msh4_entities(msh, partitioned);
        }
        if (nodes) {
            return major == 2 ? brn_msh2_nodes(msh) : brn_msh4_nodes(msh);
        }
        return major == 2 ? brn_msh2_elements(msh) : brn_msh4_elements(msh);
    }
    return skip_section(msh, name);
}

static brn_status read_sections(brn_msh *msh)
{
    brn_scan *scan = &msh->scan;
    int major = 0;
    while (brn_scan_more(scan)) {
        const brn_span word = brn_scan_word(scan);
        if (word.at[0] != '$' || word.length < 2) {
            return brn_scan_unexpected(scan, "a section ($MeshFormat, $Nodes, ...)");
        }
        const brn_span name = {word.at + 1, word.length - 1};
        if (brn_span_is(name, "MeshFormat")) {
            BRN_TRY(read_format(msh, &major));
        } else if (major == 0 && !brn_span_is(name, "Comments")) {
            return brn_scan_unexpected(scan, "$MeshFormat first");
        } else {
            BRN_TRY(read_section(msh, name, major));
        }
        char closing[80];
        (void)snprintf(closing, sizeof closing, "$End%.*s", (int)(name.length < 64 ? name.length : 64),
                       name.at);
        BRN_TRY(brn_scan_expect(scan, closing));
    }
    scan->mark = scan->at;
    return major != 0 ? BRN_OK : brn_scan_unexpected(scan, "$MeshFormat");
}

brn_status brn_read_msh(brn_ctx *ctx, const char *bytes, size_t length, const char *name, brn_mesh **out)
{
    *out = NULL;
    brn_msh msh = {.scan = brn_scan_open(ctx, bytes, length, name)};
    brn_draft_open(&msh.draft, ctx);
    brn_status status = read_sections(&msh);
    if (status >= 0 && msh.several_physicals) {
        status = brn_draft_drop_repeats(&msh.draft);
    }
    if (status >= 0) {
        status = name_groups(&msh);
    }
    if (status >= 0) {
        status = brn_draft_finish(&msh.draft, &msh.scan, out);
    }
    brn_draft_clear(&msh.draft);
    brn_free(ctx, msh.physical);
    brn_idmap_clear(ctx, &msh.physical_map);
    brn_idmap_clear(ctx, &msh.entity_physical);
    brn_idmap_clear(ctx, &msh.entity_map);
    brn_free(ctx, msh.entity_first);
    brn_free(ctx, msh.entity_list);
    return status;
}
