/* $Nodes and $Elements of MSH 2.x. Counts are text in binary files too. */
#include "model/read/msh.h"

#include <limits.h>

enum { MAX_TAGS = 4096 };

/* The count on its own line; `bytes` is the least that one item takes in the file. */
static brn_status read_count(brn_msh *msh, const char *what, size_t bytes, int64_t *count)
{
    brn_scan *scan = &msh->scan;
    BRN_TRY(brn_scan_int(scan, what, 0, INT64_MAX, count));
    if (!brn_scan_has(scan, (uint64_t)*count, bytes)) {
        return brn_scan_fail(scan, "%s is %lld, but the file has only %zu bytes more", what,
                             (long long)*count, (size_t)(scan->end - scan->at));
    }
    brn_scan_skip_line(scan);
    return BRN_OK;
}

static brn_status read_positive(brn_msh *msh, const char *what, int64_t *out)
{
    BRN_TRY(brn_msh_int(msh, what, out));
    return *out >= 0 ? BRN_OK : brn_scan_fail(&msh->scan, "%s is %lld: must be >= 0", what, (long long)*out);
}

brn_status brn_msh2_nodes(brn_msh *msh)
{
    int64_t count = 0;
    BRN_TRY(read_count(msh, "the number of nodes", msh->is_binary ? 28 : 8, &count));
    BRN_TRY(brn_draft_reserve_nodes(&msh->draft, &msh->scan, count));
    for (int64_t i = 0; i < count; ++i) {
        int64_t number = 0;
        double pos[3];
        BRN_TRY(read_positive(msh, "a node number", &number));
        const char *mark = msh->scan.mark;
        BRN_TRY(brn_msh_real(msh, "an x coordinate", &pos[0]));
        BRN_TRY(brn_msh_real(msh, "a y coordinate", &pos[1]));
        BRN_TRY(brn_msh_real(msh, "a z coordinate", &pos[2]));
        msh->scan.mark = mark;
        BRN_TRY(brn_draft_add_node(&msh->draft, &msh->scan, number, pos));
    }
    return BRN_OK;
}

/* Tags (the first is the physical group, the second the elementary entity), then nodes. */
static brn_status read_element(brn_msh *msh, const brn_msh_type *type, int64_t ntag)
{
    int64_t physical = 0;
    int64_t entity = 0;
    for (int64_t i = 0; i < ntag; ++i) {
        int64_t tag = 0;
        BRN_TRY(brn_msh_int(msh, "a tag", &tag));
        physical = i == 0 ? tag : physical;
        entity = i == 1 ? tag : entity;
    }
    int64_t number[BRN_MSH_MAX_NODES];
    for (int i = 0; i < type->nnode; ++i) {
        BRN_TRY(brn_msh_int(msh, "a node number", &number[i]));
    }
    int group = -1;
    if (physical != 0) {
        BRN_TRY(brn_msh_get_physical(msh, type->dim, physical, &group));
        /* Gmsh writes an element once for every physical group of its entity. */
        int first = -1;
        BRN_TRY(brn_idmap_put(msh->scan.ctx, &msh->entity_physical, brn_msh_key(type->dim, entity), group,
                              &first));
        msh->several_physicals = msh->several_physicals || first != group;
    }
    return brn_msh_element(msh, type, number, &group, group >= 0 ? 1 : 0);
}

static brn_status read_type(brn_msh *msh, const brn_msh_type **type)
{
    int64_t number = 0;
    BRN_TRY(brn_msh_int(msh, "an element type", &number));
    return brn_msh_get_type(msh, number, type);
}

static brn_status read_tag_count(brn_msh *msh, int64_t *ntag)
{
    BRN_TRY(brn_msh_int(msh, "the number of tags", ntag));
    if (*ntag < 0 || *ntag > MAX_TAGS) {
        return brn_scan_fail(&msh->scan, "the number of tags is %lld: must be between 0 and %d",
                             (long long)*ntag, MAX_TAGS);
    }
    return BRN_OK;
}

static brn_status need_nodes(brn_msh *msh)
{
    return msh->draft.nnode > 0 ? BRN_OK : brn_scan_fail(&msh->scan, "expected $Nodes before $Elements");
}

/* Binary: blocks of elements of one type, each with a head of type, count, number of tags. */
static brn_status read_blocks(brn_msh *msh, int64_t count)
{
    for (int64_t done = 0; done < count;) {
        const brn_msh_type *type = NULL;
        int64_t follow = 0;
        int64_t ntag = 0;
        BRN_TRY(read_type(msh, &type));
        BRN_TRY(brn_msh_int(msh, "the number of elements that follow", &follow));
        if (follow < 1 || follow > count - done) {
            return brn_scan_fail(&msh->scan, "%lld elements follow: must be between 1 and %lld",
                                 (long long)follow, (long long)(count - done));
        }
        BRN_TRY(read_tag_count(msh, &ntag));
        for (int64_t i = 0; i < follow; ++i) {
            int64_t number = 0;
            BRN_TRY(brn_msh_int(msh, "an element number", &number));
            BRN_TRY(read_element(msh, type, ntag));
        }
        done += follow;
    }
    return BRN_OK;
}

brn_status brn_msh2_elements(brn_msh *msh)
{
    BRN_TRY(need_nodes(msh));
    int64_t count = 0;
    BRN_TRY(read_count(msh, "the number of elements", 8, &count));
    if (msh->is_binary) {
        return read_blocks(msh, count);
    }
    for (int64_t i = 0; i < count; ++i) {
        const brn_msh_type *type = NULL;
        int64_t number = 0;
        int64_t ntag = 0;
        BRN_TRY(brn_msh_int(msh, "an element number", &number));
        BRN_TRY(read_type(msh, &type));
        BRN_TRY(read_tag_count(msh, &ntag));
        BRN_TRY(read_element(msh, type, ntag));
    }
    return BRN_OK;
}
