/* The sets of Abaqus and CalculiX input files. */
#include "model/read/inp.h"

#include <ctype.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool same_name(brn_span a, brn_span b)
{
    bool same = a.length == b.length;
    for (size_t i = 0; same && i < a.length; ++i) {
        same = toupper((unsigned char)a.at[i]) == toupper((unsigned char)b.at[i]);
    }
    return same;
}

/* FNV-1a over the upper-case letters; maps resolve equal hashes by comparing names. */
static uint64_t folded_hash(brn_span name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < name.length; ++i) {
        hash = (hash ^ (uint64_t)toupper((unsigned char)name.at[i])) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static brn_span group_name(const brn_inp *in, int group)
{
    const char *name = in->draft.group[group].name;
    return (brn_span){name, strlen(name)};
}

/* Index of an element set (or of a node set's group) and the key it has or would get. */
static int find_name(const brn_inp *in, bool elements, brn_span name, int64_t *key)
{
    const brn_idmap *map = elements ? &in->set_names : &in->nset_names;
    for (uint64_t hash = folded_hash(name);; ++hash) {
        const int index = brn_idmap_find(map, (int64_t)hash);
        *key = (int64_t)hash;
        if (index < 0 || same_name(name, elements ? in->set[index].name : group_name(in, index))) {
            return index;
        }
    }
}

brn_status brn_inp_get_elset(brn_inp *in, brn_span name, int *index)
{
    int64_t key = 0;
    *index = find_name(in, true, name, &key);
    if (*index >= 0) {
        return BRN_OK;
    }
    BRN_GROW(in->scan.ctx, in->set, in->set_capacity, in->nset + 1);
    BRN_TRY(brn_idmap_put(in->scan.ctx, &in->set_names, key, in->nset, index));
    in->set[in->nset++] = (brn_inp_set){.name = name};
    return BRN_OK;
}

static brn_status get_node_set(brn_inp *in, brn_span name, int *group)
{
    int64_t key = 0;
    *group = find_name(in, false, name, &key);
    if (*group >= 0) {
        return BRN_OK;
    }
    BRN_TRY(brn_draft_get_group(&in->draft, name, group));
    return brn_idmap_put(in->scan.ctx, &in->nset_names, key, *group, group);
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */

brn_status brn_inp_add_to_elset(brn_inp *in, int number, int index)
{
    brn_inp_set *set = &in->set[number];
    if (in->element[index].last == number) {
        return BRN_OK;
    }
    in->element[index].last = number;
    /* Interleaved sets let repeats through: never more than twice the elements. */
    if (set->count / 2 > in->nelement) {
        set->count = brn_sort_unique(set->element, set->count);
    }
    BRN_GROW(in->scan.ctx, set->element, set->capacity, (size_t)set->count + 1);
    set->element[set->count++] = index;
    return BRN_OK;
}

static brn_status add_number(brn_inp *in, bool elements, int set, int64_t number)
{
    if (!elements) {
        int node = 0;
        BRN_TRY(brn_draft_get_node(&in->draft, &in->scan, number, &node));
        return brn_draft_add_to_group(&in->draft, set, &node, 1);
    }
    const int index = brn_idmap_find(&in->numbers, number);
    if (index < 0) {
        return in->skipped
                   ? BRN_OK
                   : brn_scan_fail(&in->scan, "element number %lld does not exist", (long long)number);
    }
    return brn_inp_add_to_elset(in, set, index);
}

/* Adds what another set holds now. */
static brn_status add_named(brn_inp *in, bool elements, int set, brn_span name)
{
    int64_t key = 0;
    const int other = find_name(in, elements, name, &key);
    if (other < 0) {
        return brn_scan_fail(&in->scan, "expected %s number or the name of a set, found '%.*s'",
                             elements ? "an element" : "a node", brn_span_shown(name), name.at);
    }
    if (other == set) {
        return BRN_OK;
    }
    if (!elements) {
        const brn_draft_group *from = &in->draft.group[other];
        return brn_draft_add_to_group(&in->draft, set, from->node, from->count);
    }
    for (int i = 0; i < in->set[other].count; ++i) {
        BRN_TRY(brn_inp_add_to_elset(in, set, in->set[other].element[i]));
    }
    return BRN_OK;
}

/* The numbers first, first + step, ... last of a generated set. */
typedef struct range {
    int64_t first, last, step;
} range;

static bool in_range(const range *which, int64_t number)
{
    return number >= which->first && number <= which->last && (number - which->first) % which->step == 0;
}

/* Goes through what there is instead of through the range, which may be far wider ("1, 999999999"). */
static brn_status add_range(brn_inp *in, bool elements, int set, const range *which, bool *any)
{
    const brn_idmap *map = elements ? &in->numbers : &in->draft.numbers;
    const bool dense = !elements && !in->draft.sparse;
    const size_t count = dense ? (size_t)in->draft.nnode : map->capacity;
    for (size_t i = 0; i < count; ++i) {
        const int64_t number = dense ? in->draft.first + (int64_t)i : map->key[i];
        if ((dense || map->value[i] >= 0) && in_range(which, number)) {
            BRN_TRY(add_number(in, elements, set, number));
            *any = true;
        }
    }
    return BRN_OK;
}

/* first, last[, step]: numbers between that do not exist are left out, as long as some do. */
static brn_status read_range(brn_inp *in, bool elements, int set, brn_span line)
{
    brn_scan *scan = &in->scan;
    range which = {.step = 1};
    int64_t *bounds[3] = {&which.first, &which.last, &which.step};
    for (int i = 0; i < 3; ++i) {
        const brn_span field = brn_span_trim(brn_span_split(&line, ','));
        if (i < 2 || field.length > 0) {
            BRN_TRY(brn_inp_int(scan, field, "first, last, step of a generated set", bounds[i]));
        }
    }
    if (which.first < 1 || which.last < which.first || which.step < 1) {
        return brn_scan_fail(scan, "a set generated from %lld to %lld by %lld: must ascend from >= 1",
                             (long long)which.first, (long long)which.last, (long long)which.step);
    }
    bool any = false;
    if ((which.last - which.first) / which.step < 64) {
        /* A few numbers: look them up. */
        for (int64_t k = 0; k <= (which.last - which.first) / which.step; ++k) {
            const int64_t number = which.first + k * which.step;
            const bool exists = elements ? brn_idmap_find(&in->numbers, number) >= 0
                                         : brn_draft_find_node(&in->draft, number) >= 0;
            if (exists) {
                BRN_TRY(add_number(in, elements, set, number));
                any = true;
            }
        }
    } else {
        BRN_TRY(add_range(in, elements, set, &which, &any));
    }
    return any || (elements && in->skipped)
               ? BRN_OK
               : brn_scan_fail(scan, "none of the %s %lld to %lld exists", elements ? "elements" : "nodes",
                               (long long)which.first, (long long)which.last);
}

/* Data lines of *NSET and *ELSET: numbers and names of other sets, or ranges. */
static brn_status read_set(brn_inp *in, bool elements, int set, bool generate)
{
    brn_scan *scan = &in->scan;
    brn_span line;
    while (brn_inp_next(scan, &line)) {
        if (generate) {
            BRN_TRY(read_range(in, elements, set, line));
            continue;
        }
        while (line.length > 0) {
            const brn_span field = brn_inp_unquoted(brn_span_split(&line, ','));
            int64_t number = 0;
            if (field.length == 0) {
                continue;
            }
            if (brn_span_int(field, &number)) {
                BRN_TRY(add_number(in, elements, set, number));
            } else {
                BRN_TRY(add_named(in, elements, set, field));
            }
        }
    }
    return BRN_OK;
}

static const int *element_nodes(const brn_inp *in, int index, int *count)
{
    const brn_inp_element *which = &in->element[index];
    *count = brn_cell_get(which->kind)->nnode;
    return in->draft.cells[which->kind].node + (size_t)which->index * (size_t)*count;
}

/* Puts the nodes of an element set into a group. */
static brn_status set_to_group(brn_inp *in, const brn_inp_set *set, int group)
{
    for (int i = 0; i < set->count; ++i) {
        int count = 0;
        const int *node = element_nodes(in, set->element[i], &count);
        BRN_TRY(brn_draft_add_to_group(&in->draft, group, node, count));
    }
    return BRN_OK;
}

brn_status brn_inp_nset_card(brn_inp *in, const brn_inp_card *head)
{
    int group = 0;
    if (head->nset.length == 0) {
        return brn_scan_fail(&in->scan, "expected NSET=... on the *NSET card");
    }
    BRN_TRY(get_node_set(in, head->nset, &group));
    if (head->elset.length > 0) {
        int64_t key = 0;
        const int set = find_name(in, true, head->elset, &key);
        if (set < 0) {
            return brn_scan_fail(&in->scan, "element set '%.*s' does not exist", brn_span_shown(head->elset),
                                 head->elset.at);
        }
        return set_to_group(in, &in->set[set], group);
    }
    return read_set(in, false, group, head->generate);
}

/* Nodes of a *NODE card with NSET=. */
brn_status brn_inp_node_card(brn_inp *in, const brn_inp_card *head)
{
    brn_scan *scan = &in->scan;
    int group = 0;
    BRN_TRY(get_node_set(in, head->nset, &group));
    brn_span line;
    while (brn_inp_next(scan, &line)) {
        int64_t number = 0;
        BRN_TRY(brn_inp_int(scan, brn_span_trim(brn_span_split(&line, ',')), "a node number", &number));
        BRN_TRY(add_number(in, false, group, number));
    }
    return BRN_OK;
}

brn_status brn_inp_elset_card(brn_inp *in, const brn_inp_card *head)
{
    int set = 0;
    if (head->elset.length == 0) {
        return brn_scan_fail(&in->scan, "expected ELSET=... on the *ELSET card");
    }
    BRN_TRY(brn_inp_get_elset(in, head->elset, &set));
    return read_set(in, true, set, head->generate);
}

/* Element sets become groups once all are complete. */
brn_status brn_inp_name_elsets(brn_inp *in)
{
    for (int i = 0; i < in->nset; ++i) {
        int64_t key = 0;
        int group = 0;
        const brn_span name = in->set[i].name;
        if (find_name(in, false, name, &key) < 0) {
            BRN_TRY(brn_draft_get_group(&in->draft, name, &group));
        } else {
            char *longer = brn_calloc(in->scan.ctx, name.length + sizeof "_elements", 1);
            if (longer == NULL) {
                return BRN_ERR_MEMORY;
            }
            memcpy(longer, name.at, name.length);
            memcpy(longer + name.length, "_elements", sizeof "_elements");
            const brn_status status =
                brn_draft_get_group(&in->draft, (brn_span){longer, strlen(longer)}, &group);
            brn_free(in->scan.ctx, longer);
            BRN_TRY(status);
        }
        BRN_TRY(set_to_group(in, &in->set[i], group));
    }
    return BRN_OK;
}
