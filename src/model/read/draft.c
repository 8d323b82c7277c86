#include "model/read/draft.h"

#include "base/hash.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- map --------------------------------------------------------------------------------------------------------- */

/* The slot of a key: where it is, or the empty slot where it would be put. */
static size_t slot_of(const brn_idmap *map, int64_t key)
{
    size_t slot = (size_t)brn_hash_bytes(BRN_HASH_START, &key, sizeof key) & (map->capacity - 1);
    while (map->value[slot] >= 0 && map->key[slot] != key) {
        slot = (slot + 1) & (map->capacity - 1);
    }
    return slot;
}

int brn_idmap_find(const brn_idmap *map, int64_t key)
{
    return map->capacity == 0 ? -1 : map->value[slot_of(map, key)];
}

static brn_status grow_map(brn_ctx *ctx, brn_idmap *map)
{
    brn_idmap grown = {.capacity = map->capacity == 0 ? 64 : 2 * map->capacity};
    grown.key = brn_calloc(ctx, grown.capacity, sizeof *grown.key);
    grown.value = brn_calloc(ctx, grown.capacity, sizeof *grown.value);
    if (grown.key == NULL || grown.value == NULL) {
        brn_idmap_clear(ctx, &grown);
        return BRN_ERR_MEMORY;
    }
    memset(grown.value, 0xff, grown.capacity * sizeof *grown.value);
    for (size_t i = 0; i < map->capacity; ++i) {
        if (map->value[i] >= 0) {
            const size_t slot = slot_of(&grown, map->key[i]);
            grown.key[slot] = map->key[i];
            grown.value[slot] = map->value[i];
        }
    }
    grown.count = map->count;
    brn_idmap_clear(ctx, map);
    *map = grown;
    return BRN_OK;
}

brn_status brn_idmap_put(brn_ctx *ctx, brn_idmap *map, int64_t key, int value, int *found)
{
    if (2 * (map->count + 1) > map->capacity) {
        BRN_TRY(grow_map(ctx, map));
    }
    const size_t slot = slot_of(map, key);
    if (map->value[slot] < 0) {
        map->key[slot] = key;
        map->value[slot] = value;
        ++map->count;
    }
    *found = map->value[slot];
    return BRN_OK;
}

void brn_idmap_clear(brn_ctx *ctx, brn_idmap *map)
{
    brn_free(ctx, map->key);
    brn_free(ctx, map->value);
    *map = (brn_idmap){0};
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

void brn_draft_open(brn_draft *draft, brn_ctx *ctx)
{
    *draft = (brn_draft){.ctx = ctx};
}

void brn_draft_clear(brn_draft *draft)
{
    brn_ctx *ctx = draft->ctx;
    brn_free(ctx, draft->pos);
    brn_free(ctx, draft->last);
    brn_idmap_clear(ctx, &draft->numbers);
    brn_idmap_clear(ctx, &draft->names);
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        brn_free(ctx, draft->cells[kind].node);
    }
    for (int i = 0; i < draft->ngroup; ++i) {
        brn_free(ctx, draft->group[i].name);
        brn_free(ctx, draft->group[i].node);
    }
    brn_free(ctx, draft->group);
    brn_draft_open(draft, ctx);
}

static brn_status too_many(const brn_scan *scan, const char *what)
{
    return brn_fail(scan->ctx, BRN_ERR_LIMIT, "%s: more than %d %s", scan->name, INT_MAX, what);
}

brn_status brn_draft_reserve_nodes(brn_draft *draft, const brn_scan *scan, int64_t more)
{
    if (more > INT_MAX - draft->nnode) {
        return too_many(scan, "nodes");
    }
    BRN_GROW(draft->ctx, draft->pos, draft->node_capacity, (size_t)draft->nnode + (size_t)more);
    BRN_GROW(draft->ctx, draft->last, draft->last_capacity, (size_t)draft->nnode + (size_t)more);
    return BRN_OK;
}

/* Switches from consecutive numbers to a map. */
static brn_status make_sparse(brn_draft *draft)
{
    int found = 0;
    for (int i = 0; i < draft->nnode; ++i) {
        BRN_TRY(brn_idmap_put(draft->ctx, &draft->numbers, draft->first + i, i, &found));
    }
    draft->sparse = true;
    return BRN_OK;
}

brn_status brn_draft_add_node(brn_draft *draft, const brn_scan *scan, int64_t number, const double pos[3])
{
    BRN_TRY(brn_draft_reserve_nodes(draft, scan, 1));
    const int index = draft->nnode;
    if (index == 0) {
        draft->first = number;
    }
    if (!draft->sparse && (number < draft->first || number - draft->first != index)) {
        BRN_TRY(make_sparse(draft));
    }
    if (draft->sparse) {
        int found = 0;
        BRN_TRY(brn_idmap_put(draft->ctx, &draft->numbers, number, index, &found));
        if (found != index) {
            return brn_scan_fail(scan, "node number %lld was used before", (long long)number);
        }
    }
    memcpy(draft->pos[index], pos, sizeof draft->pos[index]);
    draft->last[index] = -1;
    ++draft->nnode;
    return BRN_OK;
}

int brn_draft_find_node(const brn_draft *draft, int64_t number)
{
    if (draft->sparse) {
        return brn_idmap_find(&draft->numbers, number);
    }
    /* Numbers are from the file: compare before subtracting. */
    if (draft->nnode == 0 || number < draft->first || number > draft->first + (draft->nnode - 1)) {
        return -1;
    }
    return (int)(number - draft->first);
}

brn_status brn_draft_get_node(const brn_draft *draft, const brn_scan *scan, int64_t number, int *index)
{
    *index = brn_draft_find_node(draft, number);
    return *index >= 0 ? BRN_OK : brn_scan_fail(scan, "node number %lld does not exist", (long long)number);
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

brn_status brn_draft_add_cell(brn_draft *draft, brn_cell kind, const int *node)
{
    brn_draft_cells *cells = &draft->cells[kind];
    const size_t width = (size_t)brn_cell_get(kind)->nnode;
    if ((size_t)cells->count >= INT_MAX / width) {
        return brn_fail(draft->ctx, BRN_ERR_LIMIT, "more than %d %s cells", cells->count,
                        brn_cell_get(kind)->name);
    }
    const size_t used = (size_t)cells->count * width;
    BRN_GROW(draft->ctx, cells->node, cells->capacity, used + width);
    memcpy(cells->node + used, node, width * sizeof *node);
    ++cells->count;
    return BRN_OK;
}

static brn_status drop_repeats(brn_ctx *ctx, brn_draft_cells *cells, size_t width, brn_idmap *seen)
{
    int kept = 0;
    for (int i = 0; i < cells->count; ++i) {
        const int *cell = cells->node + (size_t)i * width;
        uint64_t key = brn_hash_bytes(BRN_HASH_START, cell, width * sizeof *cell);
        int found = -1;
        /* Different cells with the same hash take the next free number. */
        for (;; ++key) {
            BRN_TRY(brn_idmap_put(ctx, seen, (int64_t)key, kept, &found));
            if (found == kept ||
                memcmp(cells->node + (size_t)found * width, cell, width * sizeof *cell) == 0) {
                break;
            }
        }
        if (found == kept) {
            memmove(cells->node + (size_t)kept * width, cell, width * sizeof *cell);
            ++kept;
        }
    }
    cells->count = kept;
    return BRN_OK;
}

brn_status brn_draft_drop_repeats(brn_draft *draft)
{
    brn_status status = BRN_OK;
    for (int kind = 0; kind < BRN_CELL_COUNT && status >= 0; ++kind) {
        brn_idmap seen = {0};
        status =
            drop_repeats(draft->ctx, &draft->cells[kind], (size_t)brn_cell_get((brn_cell)kind)->nnode, &seen);
        brn_idmap_clear(draft->ctx, &seen);
    }
    return status;
}

void brn_draft_refuse(brn_draft *draft, const brn_scan *scan, int dim, brn_span kind)
{
    if (draft->refused[dim].length == 0) {
        draft->refused[dim] = kind;
        draft->refused_at[dim] = (size_t)(scan->mark - scan->start);
    }
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static bool name_is(const brn_draft_group *group, brn_span name)
{
    return group->name != NULL && strlen(group->name) == name.length &&
           (name.length == 0 || memcmp(group->name, name.at, name.length) == 0);
}

/* A name is a C string in the mesh: it ends at a zero byte. */
static brn_span text_part(brn_span name)
{
    const char *zero = name.length > 0 ? memchr(name.at, '\0', name.length) : NULL;
    return (brn_span){name.at, zero != NULL ? (size_t)(zero - name.at) : name.length};
}

/* The key of a name: its hash, or the next number that no other name has taken. */
static int64_t name_key(const brn_draft *draft, brn_span name, int *index)
{
    uint64_t key = brn_hash_bytes(BRN_HASH_START, name.at, name.length);
    for (;; ++key) {
        *index = brn_idmap_find(&draft->names, (int64_t)key);
        if (*index < 0 || name_is(&draft->group[*index], name)) {
            return (int64_t)key;
        }
    }
}

int brn_draft_find_group(const brn_draft *draft, brn_span name)
{
    int index = -1;
    (void)name_key(draft, text_part(name), &index);
    return index;
}

brn_status brn_draft_new_group(brn_draft *draft, int *index)
{
    if (draft->ngroup == INT_MAX) {
        return brn_fail(draft->ctx, BRN_ERR_LIMIT, "more than %d groups", INT_MAX);
    }
    BRN_GROW(draft->ctx, draft->group, draft->group_capacity, draft->ngroup + 1);
    draft->group[draft->ngroup] = (brn_draft_group){0};
    *index = draft->ngroup++;
    return BRN_OK;
}

brn_status brn_draft_name_group(brn_draft *draft, int index, brn_span given)
{
    const brn_span name = text_part(given);
    int found = -1;
    const int64_t key = name_key(draft, name, &found);
    if (found >= 0) {
        const brn_draft_group *from = &draft->group[index];
        return brn_draft_add_to_group(draft, found, from->node, from->count);
    }
    char *copy = brn_span_dup(draft->ctx, name);
    if (copy == NULL) {
        return BRN_ERR_MEMORY;
    }
    const brn_status status = brn_idmap_put(draft->ctx, &draft->names, key, index, &found);
    if (status < 0) {
        brn_free(draft->ctx, copy);
        return status;
    }
    draft->group[index].name = copy;
    return BRN_OK;
}

brn_status brn_draft_get_group(brn_draft *draft, brn_span name, int *index)
{
    *index = brn_draft_find_group(draft, name);
    if (*index >= 0) {
        return BRN_OK;
    }
    BRN_TRY(brn_draft_new_group(draft, index));
    return brn_draft_name_group(draft, *index, name);
}

static int compare_ints(const void *a, const void *b)
{
    const int x = *(const int *)a;
    const int y = *(const int *)b;
    return (x > y) - (x < y);
}

int brn_sort_unique(int *v, int count)
{
    bool ascending = true;
    for (int i = 1; i < count && ascending; ++i) {
        ascending = v[i - 1] < v[i];
    }
    if (ascending) {
        return count;
    }
    qsort(v, (size_t)count, sizeof *v, compare_ints);
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        if (kept == 0 || v[kept - 1] != v[i]) {
            v[kept++] = v[i];
        }
    }
    return kept;
}

brn_status brn_draft_add_to_group(brn_draft *draft, int index, const int *node, int count)
{
    brn_draft_group *group = &draft->group[index];
    if (count > INT_MAX - group->count) {
        return brn_fail(draft->ctx, BRN_ERR_LIMIT, "more than %d entries in a group", INT_MAX);
    }
    /* Repeats that the stamps below let through are removed before the list outgrows the mesh. */
    const size_t need = (size_t)group->count + (size_t)count;
    if (need > group->capacity && (size_t)group->count > 2 * (size_t)draft->nnode) {
        group->count = brn_sort_unique(group->node, group->count);
    }
    BRN_GROW(draft->ctx, group->node, group->capacity, (size_t)group->count + (size_t)count);
    for (int i = 0; i < count; ++i) {
        if (draft->last[node[i]] != index) {
            draft->last[node[i]] = index;
            group->node[group->count++] = node[i];
        }
    }
    return BRN_OK;
}

/* ---- the mesh ---------------------------------------------------------------------------------------------------- */

/* Highest dimension of the cells, after refusing unsupported ones; 0 if there are none. */
static brn_status own_dim(const brn_draft *draft, const brn_scan *scan, int *dim)
{
    *dim = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const int d = brn_cell_get((brn_cell)kind)->dim;
        *dim = draft->cells[kind].count > 0 && d > *dim ? d : *dim;
    }
    for (int d = 3; d >= (*dim > 1 ? *dim : 1); --d) {
        if (draft->refused[d].length > 0) {
            brn_scan at = *scan;
            at.mark = at.start + draft->refused_at[d];
            return brn_scan_fail(&at,
                                 "%.*s cells are not supported (tet4, tet10, hex8, hex20, tri3, tri6 are)",
                                 brn_span_shown(draft->refused[d]), draft->refused[d].at);
        }
    }
    return BRN_OK;
}

/* One group with the mesh's node numbers, sorted and unique; nodes that no cell uses are left out. */
static brn_status copy_group(const brn_draft_group *from, const int *renumber, brn_mesh *mesh)
{
    brn_group *to = &mesh->group[mesh->ngroup];
    *to = (brn_group){0};
    ++mesh->ngroup; /* from here on destroying the mesh frees what the group has */
    to->name = brn_strdup(mesh->ctx, from->name);
    to->node = brn_calloc(mesh->ctx, (size_t)from->count, sizeof *to->node);
    if (to->name == NULL || to->node == NULL) {
        return BRN_ERR_MEMORY;
    }
    int count = 0;
    for (int i = 0; i < from->count; ++i) {
        const int node = renumber[from->node[i]];
        if (node >= 0) {
            to->node[count++] = node;
        }
    }
    to->nnode = brn_sort_unique(to->node, count);
    return BRN_OK;
}

/* Numbers the nodes of the cells of one dimension in the file's order; the others get -1. Returns how many. */
static int renumber_nodes(const brn_draft *draft, int dim, int *renumber)
{
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const brn_cell_info *info = brn_cell_get((brn_cell)kind);
        const size_t n = info->dim == dim ? (size_t)draft->cells[kind].count * (size_t)info->nnode : 0;
        for (size_t i = 0; i < n; ++i) {
            renumber[draft->cells[kind].node[i]] = 1;
        }
    }
    int used = 0;
    for (int i = 0; i < draft->nnode; ++i) {
        renumber[i] = renumber[i] != 0 ? used++ : -1;
    }
    return used;
}

static brn_status fill_mesh(const brn_draft *draft, int dim, const int *renumber, brn_mesh *mesh)
{
    for (int i = 0; i < draft->nnode; ++i) {
        if (renumber[i] >= 0) {
            memcpy(mesh->pos[renumber[i]], draft->pos[i], sizeof draft->pos[i]);
        }
    }
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const brn_draft_cells *cells = &draft->cells[kind];
        const brn_cell_info *info = brn_cell_get((brn_cell)kind);
        if (info->dim != dim || cells->count == 0) {
            continue;
        }
        BRN_TRY(brn_mesh_alloc_cells(mesh, (brn_cell)kind, cells->count));
        const size_t n = (size_t)cells->count * (size_t)info->nnode;
        for (size_t i = 0; i < n; ++i) {
            mesh->cell[kind][i] = renumber[cells->node[i]];
        }
    }
    BRN_ALLOC(mesh->ctx, mesh->group, draft->ngroup);
    for (int i = 0; i < draft->ngroup; ++i) {
        if (draft->group[i].name != NULL) {
            BRN_TRY(copy_group(&draft->group[i], renumber, mesh));
        }
    }
    return BRN_OK;
}

brn_status brn_draft_finish(const brn_draft *draft, const brn_scan *scan, brn_mesh **out)
{
    *out = NULL;
    int dim = 0;
    BRN_TRY(own_dim(draft, scan, &dim));
    if (dim == 0) {
        return brn_fail(draft->ctx, BRN_ERR_FORMAT, "%s: holds no cells (%d nodes)", scan->name,
                        draft->nnode);
    }
    int *renumber = NULL;
    BRN_ALLOC(draft->ctx, renumber, draft->nnode);
    const int used = renumber_nodes(draft, dim, renumber);
    brn_mesh *mesh = NULL;
    brn_status status = brn_mesh_create(draft->ctx, used, &mesh);
    if (status >= 0) {
        status = fill_mesh(draft, dim, renumber, mesh);
    }
    brn_free(draft->ctx, renumber);
    if (status < 0) {
        brn_mesh_destroy(mesh);
        return status;
    }
    if (used < draft->nnode) {
        brn_log(draft->ctx, BRN_LOG_INFO, "%s: %d of %d nodes belong to no cell and are left out", scan->name,
                draft->nnode - used, draft->nnode);
    }
    *out = mesh;
    return BRN_OK;
}
