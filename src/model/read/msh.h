/* What the readers of Gmsh's two file formats share: numbers in text or binary, element types, physical groups. */
#ifndef BRN_MODEL_READ_MSH_H
#define BRN_MODEL_READ_MSH_H

#include "model/read/draft.h"

/* An element type of Gmsh. */
typedef struct brn_msh_type {
    const char *name; /* NULL: no such type */
    int dim, nnode;
    int kind;                   /* brn_cell, -1 if brunt has no counterpart */
    const unsigned char *order; /* order[i]: which of Gmsh's nodes is our node i; NULL: the same order */
} brn_msh_type;

typedef struct brn_msh_physical {
    int dim;
    int64_t tag;
    brn_span name; /* empty: not named in the file */
    int group;     /* in the draft, -1 before the first element */
} brn_msh_physical;

typedef struct brn_msh {
    brn_scan scan;
    brn_draft draft;
    bool is_binary;
    brn_item size_item; /* of counts and tags in binary 4.1: Gmsh's size_t */
    int nphysical;
    size_t physical_capacity;
    brn_msh_physical *physical;
    brn_idmap physical_map; /* (dim, tag) -> index into physical */
    /* 2.2: the first physical tag of every elementary entity (an index into physical), and whether one has several. */
    brn_idmap entity_physical;
    bool several_physicals;
    /* 4.1: (dim, tag) of an entity -> its row; its physical groups are entity_list[entity_first[row]..[row + 1]]. */
    brn_idmap entity_map;
    int nentity, nlisted;
    size_t entity_capacity, list_capacity;
    int *entity_first;
    int *entity_list;
} brn_msh;

enum { BRN_MSH_MAX_NODES = 64 };
#define BRN_MSH_MAX_TAG (INT64_MAX / 4)

/* Counts and tags (a size_t in binary 4.1), ints, reals, in the file's own form. Counts are at most what the rest of the file
   could hold at `bytes` each. */
brn_status brn_msh_int(brn_msh *msh, const char *what, int64_t *out);
brn_status brn_msh_size(brn_msh *msh, const char *what, int64_t *out);
brn_status brn_msh_count(brn_msh *msh, const char *what, size_t bytes, int64_t *out);
brn_status brn_msh_real(brn_msh *msh, const char *what, double *out);

/* The type of that number; an error if brunt does not know it. */
brn_status brn_msh_get_type(brn_msh *msh, int64_t number, const brn_msh_type **out);
/* Index into physical of a group, added without a name if new. Gmsh's sign (orientation) is dropped. */
brn_status brn_msh_get_physical(brn_msh *msh, int dim, int64_t tag, int *index);
/* Key of a (dim, tag) pair in the maps. */
int64_t brn_msh_key(int dim, int64_t tag);
/* An element with Gmsh's node numbers: a cell if brunt has that kind, and its nodes for the physical groups. */
brn_status brn_msh_element(brn_msh *msh, const brn_msh_type *type, const int64_t *number, const int *physical,
                           int nphysical);

/* After the line that opens the section. */
brn_status brn_msh2_nodes(brn_msh *msh);
brn_status brn_msh2_elements(brn_msh *msh);
brn_status brn_msh4_entities(brn_msh *msh, bool partitioned);
brn_status brn_msh4_nodes(brn_msh *msh);
brn_status brn_msh4_elements(brn_msh *msh);

#endif
