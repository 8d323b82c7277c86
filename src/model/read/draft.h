/* What a reader collects while it goes through a file: numbered nodes, cells of every kind, groups. Finishing it keeps
   the cells of the highest dimension and the nodes that they use, and makes a mesh of them. */
#ifndef BRN_MODEL_READ_DRAFT_H
#define BRN_MODEL_READ_DRAFT_H

#include "base/scanner.h"
#include "geom/mesh.h"

/* From 64-bit numbers to int; open addressing. */
typedef struct brn_idmap {
    size_t count, capacity; /* capacity is a power of two, at least twice count */
    int64_t *key;
    int *value; /* -1: empty */
} brn_idmap;

int brn_idmap_find(const brn_idmap *map, int64_t key); /* -1 if absent */
/* Stores key -> value (>= 0) unless the key exists; *found is the value now stored. */
brn_status brn_idmap_put(brn_ctx *ctx, brn_idmap *map, int64_t key, int value, int *found);
void brn_idmap_clear(brn_ctx *ctx, brn_idmap *map);

typedef struct brn_draft_cells {
    int count; /* cells */
    size_t capacity;
    int *node; /* node indices, [count][nodes of the kind] */
} brn_draft_cells;

typedef struct brn_draft_group {
    char *name; /* NULL: not named (yet), left out of the mesh */
    int count;
    size_t capacity;
    int *node; /* node indices, in any order */
} brn_draft_group;

typedef struct brn_draft {
    brn_ctx *ctx;
    int nnode;
    size_t node_capacity, last_capacity;
    double (*pos)[3];
    int *last;         /* per node: the group it was last put in, to skip repeats */
    int64_t first;     /* nodes so far are numbered first, first + 1, ...: no map needed */
    bool sparse;       /* they are not: numbers holds them */
    brn_idmap numbers; /* node number -> index */
    brn_draft_cells cells[BRN_CELL_COUNT];
    int ngroup;
    size_t group_capacity;
    brn_draft_group *group;
    brn_idmap names;      /* hash of a group's name -> its index */
    brn_span refused[4];  /* by dimension: name of the first cell that brunt has no counterpart for, */
    size_t refused_at[4]; /* and its place in the file */
} brn_draft;

void brn_draft_open(brn_draft *draft, brn_ctx *ctx);
void brn_draft_clear(brn_draft *draft);

/* A node with the file's number for it; refused if the number was used before. */
brn_status brn_draft_add_node(brn_draft *draft, const brn_scan *scan, int64_t number, const double pos[3]);
/* Room for that many more nodes, to be called once the count has been checked against the file's size. */
brn_status brn_draft_reserve_nodes(brn_draft *draft, const brn_scan *scan, int64_t more);
int brn_draft_find_node(const brn_draft *draft, int64_t number); /* index, -1 if there is none */
/* As find, but an error that names the place if there is none. */
brn_status brn_draft_get_node(const brn_draft *draft, const brn_scan *scan, int64_t number, int *index);

brn_status brn_draft_add_cell(brn_draft *draft, brn_cell kind, const int *node);
/* Keeps the first of cells with the same nodes in the same order. */
brn_status brn_draft_drop_repeats(brn_draft *draft);
/* A cell that brunt has no counterpart for: an error only if it has the mesh's own dimension. */
void brn_draft_refuse(brn_draft *draft, const brn_scan *scan, int dim, brn_span kind);

brn_status brn_draft_new_group(brn_draft *draft, int *index); /* without a name */
/* The group of that name, created if needed. */
brn_status brn_draft_get_group(brn_draft *draft, brn_span name, int *index);
int brn_draft_find_group(const brn_draft *draft, brn_span name); /* -1 if there is none */
/* Names a group; merges it into an existing group of that name. */
brn_status brn_draft_name_group(brn_draft *draft, int index, brn_span name);
brn_status brn_draft_add_to_group(brn_draft *draft, int index, const int *node, int count);

/* Sorts and drops repeats; returns how many are left. */
int brn_sort_unique(int *v, int count);

/* The mesh of everything collected. */
brn_status brn_draft_finish(const brn_draft *draft, const brn_scan *scan, brn_mesh **out);

#endif
