/* $Entities, $PartitionedEntities, $Nodes and $Elements of MSH 4.1. Text and binary hold the same items in the same
   order; in binary, int is 4 bytes, counts and tags of nodes and elements are Gmsh's size_t. */
#include "model/read/msh.h"

#include <limits.h>

/* Least bytes of an item in the file, to check counts with. */
static size_t least(const brn_msh *msh, size_t text, size_t binary)
{
    return msh->is_binary ? binary : text;
}

/* The physical groups of an entity become a row of entity_list. */
static brn_status read_physicals(brn_msh *msh, int dim, int64_t tag)
{
    int64_t count = 0;
    BRN_TRY(brn_msh_count(msh, "the number of physical groups of an entity", least(msh, 2, 4), &count));
    BRN_GROW(msh->scan.ctx, msh->entity_first, msh->entity_capacity, msh->nentity + 2);
    if (count > INT_MAX - msh->nlisted) {
        return brn_scan_fail(&msh->scan, "more than %d physical groups", INT_MAX);
    }
    msh->entity_first[msh->nentity] = msh->nlisted;
    int row = 0;
    BRN_TRY(brn_idmap_put(msh->scan.ctx, &msh->entity_map, brn_msh_key(dim, tag), msh->nentity, &row));
    if (row != msh->nentity) {
        return brn_scan_fail(&msh->scan, "entity %lld of dimension %d was given before", (long long)tag, dim);
    }
    for (int64_t i = 0; i < count; ++i) {
        int64_t physical = 0;
        BRN_TRY(brn_msh_int(msh, "a physical group", &physical));
        BRN_GROW(msh->scan.ctx, msh->entity_list, msh->list_capacity, msh->nlisted + 1);
        BRN_TRY(brn_msh_get_physical(msh, dim, physical, &msh->entity_list[msh->nlisted]));
        ++msh->nlisted;
    }
    msh->entity_first[++msh->nentity] = msh->nlisted;
    return BRN_OK;
}

/* tag [parent, partitions] (x y z | box) physicals [boundary] */
static brn_status read_entity(brn_msh *msh, int dim, bool partitioned)
{
    int64_t tag = 0;
    int64_t count = 0;
    int64_t skipped = 0;
    BRN_TRY(brn_msh_int(msh, "the tag of an entity", &tag));
    if (partitioned) {
        BRN_TRY(brn_msh_int(msh, "the dimension of the parent entity", &skipped));
        BRN_TRY(brn_msh_int(msh, "the tag of the parent entity", &skipped));
        BRN_TRY(brn_msh_count(msh, "the number of partitions of an entity", least(msh, 2, 4), &count));
        for (int64_t i = 0; i < count; ++i) {
            BRN_TRY(brn_msh_int(msh, "a partition", &skipped));
        }
    }
    double coordinate;
    for (int i = 0; i < (dim == 0 ? 3 : 6); ++i) {
        BRN_TRY(brn_msh_real(msh, "a coordinate of an entity", &coordinate));
    }
    BRN_TRY(read_physicals(msh, dim, tag));
    if (dim > 0) {
        BRN_TRY(brn_msh_count(msh, "the number of bounding entities", least(msh, 2, 4), &count));
        for (int64_t i = 0; i < count; ++i) {
            BRN_TRY(brn_msh_int(msh, "a bounding entity", &skipped));
        }
    }
    return BRN_OK;
}

brn_status brn_msh4_entities(brn_msh *msh, bool partitioned)
{
    if (partitioned) {
        int64_t skipped = 0;
        int64_t nghost = 0;
        BRN_TRY(brn_msh_size(msh, "the number of partitions", &skipped));
        BRN_TRY(brn_msh_count(msh, "the number of ghost entities", least(msh, 4, 8), &nghost));
        for (int64_t i = 0; i < 2 * nghost; ++i) {
            BRN_TRY(brn_msh_int(msh, "a ghost entity", &skipped));
        }
    }
    int64_t count[4];
    for (int dim = 0; dim < 4; ++dim) {
        BRN_TRY(brn_msh_count(msh, "the number of entities", least(msh, 10, 32), &count[dim]));
    }
    for (int dim = 0; dim < 4; ++dim) {
        for (int64_t i = 0; i < count[dim]; ++i) {
            BRN_TRY(read_entity(msh, dim, partitioned));
        }
    }
    return BRN_OK;
}

/* Head of $Nodes and $Elements: number of blocks, number of items, smallest and largest tag. */
static brn_status read_head(brn_msh *msh, const char *what, size_t item_bytes, int64_t *nblock,
                            int64_t *total)
{
    int64_t skipped = 0;
    BRN_TRY(brn_msh_count(msh, "the number of entity blocks", least(msh, 8, 16), nblock));
    BRN_TRY(brn_msh_count(msh, what, item_bytes, total));
    BRN_TRY(brn_msh_size(msh, "the smallest tag", &skipped));
    return brn_msh_size(msh, "the largest tag", &skipped);
}

/* A block of nodes: head, then all tags, then all coordinates (with parametric ones where the head says so). */
static brn_status read_node_block(brn_msh *msh, int64_t left, int64_t **tags, size_t *capacity,
                                  int64_t *count)
{
    int64_t dim = 0;
    int64_t entity = 0;
    int64_t parametric = 0;
    BRN_TRY(brn_msh_int(msh, "the dimension of an entity", &dim));
    if (dim < 0 || dim > 3) {
        return brn_scan_fail(&msh->scan, "the dimension of an entity is %lld: must be 0, 1, 2 or 3",
                             (long long)dim);
    }
    BRN_TRY(brn_msh_int(msh, "the tag of an entity", &entity));
    BRN_TRY(brn_msh_int(msh, "0 or 1 (parametric)", &parametric));
    BRN_TRY(brn_msh_count(msh, "the number of nodes of a block", least(msh, 8, 28), count));
    if (*count > left) {
        return brn_scan_fail(&msh->scan,
                             "a block of %lld nodes, but only %lld are left of the number announced",
                             (long long)*count, (long long)left);
    }
    BRN_GROW(msh->scan.ctx, *tags, *capacity, *count);
    for (int64_t i = 0; i < *count; ++i) {
        BRN_TRY(brn_msh_size(msh, "a node tag", &(*tags)[i]));
    }
    for (int64_t i = 0; i < *count; ++i) {
        double pos[3];
        double skipped = 0.0;
        BRN_TRY(brn_msh_real(msh, "an x coordinate", &pos[0]));
        const char *mark = msh->scan.mark;
        BRN_TRY(brn_msh_real(msh, "a y coordinate", &pos[1]));
        BRN_TRY(brn_msh_real(msh, "a z coordinate", &pos[2]));
        for (int64_t k = 0; k < (parametric != 0 ? dim : 0); ++k) {
            BRN_TRY(brn_msh_real(msh, "a parametric coordinate", &skipped));
        }
        msh->scan.mark = mark;
        BRN_TRY(brn_draft_add_node(&msh->draft, &msh->scan, (*tags)[i], pos));
    }
    return BRN_OK;
}

brn_status brn_msh4_nodes(brn_msh *msh)
{
    int64_t nblock = 0;
    int64_t total = 0;
    BRN_TRY(read_head(msh, "the number of nodes", least(msh, 8, 28), &nblock, &total));
    BRN_TRY(brn_draft_reserve_nodes(&msh->draft, &msh->scan, total));
    int64_t *tags = NULL;
    size_t capacity = 0;
    brn_status status = BRN_OK;
    for (int64_t i = 0; i < nblock && status >= 0; ++i) {
        int64_t count = 0;
        status = read_node_block(msh, total, &tags, &capacity, &count);
        total -= count;
    }
    brn_free(msh->scan.ctx, tags);
    BRN_TRY(status);
    return total == 0 ? BRN_OK
                      : brn_scan_fail(&msh->scan, "%lld nodes are missing from the blocks", (long long)total);
}

static brn_status read_element_block(brn_msh *msh, int64_t left, int64_t *count)
{
    int64_t dim = 0;
    int64_t entity = 0;
    int64_t number = 0;
    const brn_msh_type *type = NULL;
    BRN_TRY(brn_msh_int(msh, "the dimension of an entity", &dim));
    if (dim < 0 || dim > 3) {
        return brn_scan_fail(&msh->scan, "the dimension of an entity is %lld: must be 0, 1, 2 or 3",
                             (long long)dim);
    }
    BRN_TRY(brn_msh_int(msh, "the tag of an entity", &entity));
    BRN_TRY(brn_msh_int(msh, "an element type", &number));
    BRN_TRY(brn_msh_get_type(msh, number, &type));
    BRN_TRY(brn_msh_count(msh, "the number of elements of a block", least(msh, 4, 8), count));
    if (*count > left) {
        return brn_scan_fail(&msh->scan,
                             "a block of %lld elements, but only %lld are left of the number announced",
                             (long long)*count, (long long)left);
    }
    const int row = brn_idmap_find(&msh->entity_map, brn_msh_key((int)dim, entity));
    const int first = row >= 0 ? msh->entity_first[row] : 0;
    const int nphysical = row >= 0 ? msh->entity_first[row + 1] - first : 0;
    for (int64_t i = 0; i < *count; ++i) {
        int64_t tag = 0;
        int64_t node[BRN_MSH_MAX_NODES];
        BRN_TRY(brn_msh_size(msh, "an element tag", &tag));
        for (int k = 0; k < type->nnode; ++k) {
            BRN_TRY(brn_msh_size(msh, "a node tag", &node[k]));
        }
        BRN_TRY(brn_msh_element(msh, type, node, nphysical > 0 ? msh->entity_list + first : NULL, nphysical));
    }
    return BRN_OK;
}

brn_status brn_msh4_elements(brn_msh *msh)
{
    if (msh->draft.nnode == 0) {
        return brn_scan_fail(&msh->scan, "expected $Nodes before $Elements");
    }
    int64_t nblock = 0;
    int64_t total = 0;
    BRN_TRY(read_head(msh, "the number of elements", least(msh, 4, 8), &nblock, &total));
    for (int64_t i = 0; i < nblock; ++i) {
        int64_t count = 0;
        BRN_TRY(read_element_block(msh, total, &count));
        total -= count;
    }
    return total == 0
               ? BRN_OK
               : brn_scan_fail(&msh->scan, "%lld elements are missing from the blocks", (long long)total);
}
