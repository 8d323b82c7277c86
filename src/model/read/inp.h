/* What the two halves of the Abaqus reader share: cards and data lines, and sets of nodes and elements. */
#ifndef BRN_MODEL_READ_INP_H
#define BRN_MODEL_READ_INP_H

#include "model/read/draft.h"

typedef enum brn_inp_pass { BRN_INP_NODES, BRN_INP_ELEMENTS, BRN_INP_SETS, BRN_INP_PASSES } brn_inp_pass;

/* A keyword line: "*ELEMENT, TYPE=C3D4, ELSET=body". */
typedef struct brn_inp_card {
    brn_span keyword; /* without the star */
    const char *at;   /* for messages */
    brn_span type, nset, elset, instance, input, system;
    bool generate;
} brn_inp_card;

/* A set of elements: numbers into inp.element. */
typedef struct brn_inp_set {
    brn_span name;
    int count;
    size_t capacity;
    int *element;
} brn_inp_set;

/* Where an element's nodes are in the draft. */
typedef struct brn_inp_element {
    brn_cell kind;
    int index;
    int last; /* the set it was last put in, to skip repeats */
} brn_inp_element;

typedef struct brn_inp {
    brn_scan scan;
    brn_draft draft;
    brn_inp_pass pass;
    bool in_assembly, in_part;
    int nparts;
    int nelement;
    size_t element_capacity;
    brn_inp_element *element;
    brn_idmap numbers; /* element number -> index */
    bool skipped;      /* some elements were skipped for their kind: sets may name them */
    int nset;
    size_t set_capacity;
    brn_inp_set *set;
    brn_idmap set_names;  /* hash of the folded name -> index */
    brn_idmap nset_names; /* hash of the folded name -> group of the draft */
} brn_inp;

/* Next data line, blanks trimmed; false at a card or at the end of the file. Comments and empty lines are skipped. */
bool brn_inp_next(brn_scan *scan, brn_span *line);
brn_status brn_inp_int(const brn_scan *scan, brn_span field, const char *what, int64_t *out);
brn_span brn_inp_unquoted(brn_span span);

/* The element set of that name, created if needed; adds an element to it. */
brn_status brn_inp_get_elset(brn_inp *in, brn_span name, int *index);
brn_status brn_inp_add_to_elset(brn_inp *in, int set, int element);
/* After the cards *NODE with NSET=, *NSET, *ELSET. */
brn_status brn_inp_node_card(brn_inp *in, const brn_inp_card *head);
brn_status brn_inp_nset_card(brn_inp *in, const brn_inp_card *head);
brn_status brn_inp_elset_card(brn_inp *in, const brn_inp_card *head);
/* Element sets become groups once all are complete. */
brn_status brn_inp_name_elsets(brn_inp *in);

#endif
