/* Shared by the files of scene/ and not seen outside. */
#ifndef BRN_SCENE_SCENE_INNER_H
#define BRN_SCENE_SCENE_INNER_H

#include "base/text.h"
#include "scene/scene.h"
#include "scene/yaml_tree.h"

struct brn_scene {
    brn_ctx *ctx;
    char *file;
    brn_bump tree_memory;
    brn_yaml *root; /* NULL: the file could not be read to its end */
    int nodes;      /* made so far, including replaced ones; limited by BRN_SCENE_NODES_MAX */
    brn_bump def_memory;
    brn_scene_def *def;     /* NULL before a resolve */
    int dimension;          /* 2 or 3, of the scene being resolved */
    const char *method_why; /* a constant text; NULL: the file names its method */

    char *problems[BRN_SCENE_PROBLEMS_MAX]; /* NULL where memory ran out */
    int nproblem, more;                     /* stored; counted only */
    int nproblem_load, more_load;           /* those of the file's syntax, which a resolve keeps */
    char more_text[48];
    int found; /* problems told, repeats counted; those of a resolve stay counted */
};

/* ---- paths ("bodies[3].shape.box", "bodies.ball.position") ---- */

/* Where a path leads. found: the node; else `node` is the last that exists, `rest` what is left of the path below it
   and `done` how many bytes of the path lead to it. */
typedef struct brn_scene_place {
    brn_yaml *node, *parent;
    int index; /* of node in parent */
    int depth; /* levels below the root */
    size_t done;
    const char *rest;
    bool found;
} brn_scene_place;

brn_scene_place brn_scene_find(const brn_scene *scene, const char *path);

/* ---- problems ---- */

/* "FILE:LINE: PATH = VALUE: what"; node may be NULL (then line is used and no value shown). */
void brn_scene_tell(brn_scene *scene, int line, const brn_yaml *node, const char *path, const char *format,
                    ...) BRN_PRINTF(5, 6);
/* A scalar as it was written, shortened to what fits a message, control characters replaced. Returns buffer. */
#define BRN_SHOWN_TEXT 72
char *brn_scene_show(const brn_yaml *scalar, char buffer[BRN_SHOWN_TEXT]);
void brn_scene_forget_problems(brn_scene *scene); /* all but those of the file's syntax */
/* Sets the ctx's message to the first problem and returns BRN_ERR_SCENE. */
brn_status brn_scene_fail(brn_scene *scene);

/* ---- resolving ---- */

typedef struct brn_resolver {
    brn_ctx *ctx;
    brn_scene *scene;
    const brn_schema *schema;
    brn_bump *memory;
    int dimension;
    int blocks;    /* made so far */
    brn_text path; /* of the node at hand */
} brn_resolver;

/* A problem of the node at hand. */
#define BRN_RESOLVE_TELL(r, node_, ...) \
 brn_scene_tell((r)->scene, (node_)->line, (node_), brn_text_shown(&(r)->path), __VA_ARGS__)

/* The path grows by a key or an index and shrinks back to a length it had. */
void brn_resolve_push_key(brn_resolver *r, const char *key);
void brn_resolve_push_index(brn_resolver *r, int index);
void brn_resolve_pop(brn_resolver *r, size_t length);

/* Reads a value of one of the simple kinds (BRN_REAL to BRN_ROWS) from its node into the struct's field. A wrong value is
   a problem and leaves the default; a negative status means out of memory. */
brn_status brn_resolve_value(brn_resolver *r, const brn_param *param, const brn_yaml *node, void *field);
/* Lists that have a default and were not given. */
brn_status brn_resolve_list_default(brn_resolver *r, const brn_param *param, void *field);

/* ---- messages that list what is allowed ---- */

const char *brn_text_shown(const brn_text *text); /* "" where memory ran out */
/* Appends "; did you mean 'young'?" if a word is near enough. */
void brn_suggest(brn_text *out, const char *word, const char *const *words, int count);
/* "unknown key; did you mean 'young'?", or else the list of valid keys. tagged: `type` is one of them. */
void brn_resolve_tell_unknown_key(brn_resolver *r, const brn_table *table, const brn_yaml *child,
                                  bool tagged);
void brn_resolve_tell_unknown_type(brn_resolver *r, const brn_table_set *set, const brn_yaml *type,
                                   const char *word);
/* `what` and then the names of a set or the keys of a table. */
void brn_resolve_tell_set(brn_resolver *r, const brn_yaml *node, const char *what, const brn_table_set *set);
void brn_resolve_tell_keys(brn_resolver *r, const brn_yaml *node, const char *what, const brn_table *table,
                           bool tagged);

/* ---- the skeleton ---- */

/* Checks across fields, for brn_table.check. */
void brn_check_rotation(brn_scene *scene, int dimension, const void *value);
void brn_check_about(brn_scene *scene, int dimension, const void *value);
void brn_check_motion(brn_scene *scene, int dimension, const void *value);
void brn_check_box(brn_scene *scene, int dimension, const void *value);
void brn_check_where(brn_scene *scene, int dimension, const void *value);
void brn_check_zone(brn_scene *scene, int dimension, const void *value);
void brn_check_mesh(brn_scene *scene, int dimension, const void *value);
void brn_check_fixed(brn_scene *scene, int dimension, const void *value);
void brn_check_spring(brn_scene *scene, int dimension, const void *value);
void brn_check_connect(brn_scene *scene, int dimension, const void *value);
void brn_check_load(brn_scene *scene, int dimension, const void *value);
void brn_check_repeat(brn_scene *scene, int dimension, const void *value);
void brn_check_jitter(brn_scene *scene, int dimension, const void *value);
void brn_check_pair(brn_scene *scene, int dimension, const void *value);
void brn_check_ramp(brn_scene *scene, int dimension, const void *value);

/* Defaults that depend on the dimension. */
void brn_scene_def_standard(brn_scene_def *def, int dimension);

#endif
