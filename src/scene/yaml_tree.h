/* YAML text as a tree of nodes with line numbers, from the events of libyaml. Stricter than YAML where that helps: a key
   given twice is an error, merge keys and tags are refused, keys are short plain words, there is one document. Aliases are
   expanded by copying, and the limit on nodes counts the copies, so that a short text cannot stand for a huge tree. */
#ifndef BRN_SCENE_YAML_TREE_H
#define BRN_SCENE_YAML_TREE_H

#include "base/ctx.h"
#include "scene/bump.h"

typedef enum brn_yaml_kind { BRN_YAML_SCALAR, BRN_YAML_LIST, BRN_YAML_MAP } brn_yaml_kind;

typedef struct brn_yaml {
    brn_yaml_kind kind;
    bool quoted; /* SCALAR: written in quotes or as a literal block: text, never a number */
    int line;    /* of its key if it has one, else of its start; from 1. See brn_yaml_options for overrides */
    int count;   /* children */
    int weight;  /* nodes of this subtree, itself included */
    const char *key;         /* in the map above, else NULL */
    const char *text;        /* SCALAR */
    struct brn_yaml **items; /* children, [count] */
    /* Where it stands in the text, in characters (not bytes) from its start: of maps and lists without brackets
       the first, and where the next thing begins. */
    unsigned begin, end;
    bool flow; /* MAP, LIST: written in brackets */
    /* it is a copy, of what an anchor marks or a part of that: begin and end are of the original */
    bool aliased;
} brn_yaml;

enum {
    BRN_YAML_ANCHORS_MAX = 256,
    BRN_YAML_KEY_MAX = 128, /* bytes; libyaml reads keys of up to 1024 characters when quoted and escaped */
    BRN_YAML_DEPTH_MAX = 64,
};

/* Receives every problem. path may be "" (syntax errors). */
typedef void (*brn_yaml_problem_fn)(void *user, int line, const char *path, const char *text);

typedef struct brn_yaml_options {
    int depth_max, nodes_max; /* depth_max <= BRN_YAML_DEPTH_MAX */
    int line_fixed;           /* not 0: the line of every node (a text that is not from the file) */
    brn_yaml_problem_fn problem;
    void *user;
} brn_yaml_options;

/* The tree of a text. BRN_ERR_SCENE: the text cannot be read to its end (syntax, a limit), *out is NULL and the reason was
   given to `problem`. Lesser problems (a key given twice) are reported and skipped; a text without content is an empty
   scalar. */
brn_status brn_yaml_parse(brn_bump *memory, const char *text, size_t length, const brn_yaml_options *options,
                          brn_yaml **out);

/* A plain scalar that says "nothing": empty, ~ or null. */
bool brn_yaml_is_null(const brn_yaml *node);
/* Child of a map by key (of the first n bytes), NULL if absent or not a map. */
brn_yaml *brn_yaml_child(const brn_yaml *map, const char *key, size_t n);

#endif
