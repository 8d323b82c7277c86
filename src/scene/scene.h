/* The scene: what the user wrote, as a tree of YAML nodes with line numbers, and (after resolving against the schema)
   as plain structs. Knows syntax, not physics.

   Every problem of a file is collected, not only the first. A problem reads
       stack.yaml:14: bodies[3].material.young = -5: must be > 0 Pa */
#ifndef BRN_SCENE_SCENE_H
#define BRN_SCENE_SCENE_H

#include "base/ctx.h"
#include "base/param.h"
#include "scene/scene_def.h"

/* Limits of a scene file; exceeding one is a problem that states it. */
enum {
    BRN_SCENE_BYTES_MAX = 64 << 20,
    BRN_SCENE_DEPTH_MAX = 64,
    BRN_SCENE_NODES_MAX = 5000000, /* after aliases are expanded */
    BRN_SCENE_BLOCKS_MAX = 200000, /* structs that a resolve makes */
    BRN_SCENE_BODIES_MAX = 65535,  /* bodies, copies counted: what a page can tell apart */
    BRN_SCENE_PROBLEMS_MAX = 100,  /* further ones are counted, not stored */
};

enum { BRN_SCENE_VERSION = 1 }; /* of the scene format: the value of the key `brunt` */

/* Fills the structs from the tree. Done once; again after brn_scene_set. BRN_ERR_SCENE if there is any problem; problems
   of an earlier resolve are dropped, those of the file's syntax stay. May be called after a load that returned
   BRN_ERR_SCENE, to find the rest. schema->root describes a brn_scene_def. */
brn_status brn_scene_resolve(brn_scene *scene, const brn_schema *schema);
/* The structs; NULL before a resolve, and after one that could not get through the file. A value with a problem holds its
   default, a variant of unknown type is left out. Pointers inside live as long as the scene is neither set, resolved
   again nor destroyed. */
const brn_scene_def *brn_scene_get_def(const brn_scene *scene);
/* After a resolve of a scene that names no method: takes this one with its defaults. why: a constant text for whoever asks,
   "there are obstacles". */
brn_status brn_scene_choose_method(brn_scene *scene, const brn_schema *schema, const char *name,
                                   const char *why);
/* The same for a scene that names no integrator. */
void brn_scene_choose_integrator(brn_scene *scene, int integrator);
/* Whether the scene's text has something at a path ("bodies[3].mass"). */
bool brn_scene_names(const brn_scene *scene, const char *path);
const char *brn_scene_method_why(const brn_scene *scene); /* NULL: the scene names its method */
brn_ctx *brn_scene_ctx(const brn_scene *scene);
/* Name as it was loaded, for relative paths and messages. */
const char *brn_scene_file(const brn_scene *scene);

/* Adds a problem at a path ("bodies[3].mesh"); the line is that of the node at the path or its nearest parent, and
   " = value" is inserted for a scalar. format says what is wrong and what to write instead. */
void brn_scene_add_problem(brn_scene *scene, const char *path, const char *format, ...) BRN_PRINTF(3, 4);

/* How many problems were found so far, repeats counted: more than before means that something since is wrong. */
int brn_scene_found(const brn_scene *scene);

/* The value that a path of a resolved scene leads to: "bodies.ball.position[2]". */
typedef struct brn_scene_field {
    const brn_param *param; /* its unit, kind and range */
    const void *value;      /* the field of the struct */
    int entry;              /* of a list or vector; -1: all of it */
} brn_scene_field;

/* BRN_ERR_RANGE: no key of the scene's format is there (it has a default value otherwise); the message has the nearest. */
brn_status brn_scene_find_field(const brn_scene *scene, const brn_schema *schema, const char *path,
                                brn_scene_field *out);
/* The number there, NaN if it is not given; false: it is no single number. */
bool brn_scene_field_number(const brn_scene_field *field, double *out);

/* Reads a file that is no scene but is written in the same way: fills *out, a struct of `root`, whose memory is the scene's.
   noun: "design problem". BRN_ERR_SCENE as brn_scene_resolve. */
brn_status brn_scene_resolve_as(brn_scene *scene, const brn_table *root, const char *noun, const void **out);

/* The tree as YAML, as it was written and set, without comments; relative names of files are made absolute from the folder of the scene. */
brn_status brn_scene_print_tree(const brn_scene *scene, char **text);

/* The resolved scene as YAML text with every default explicit (a NaN default means "not given" and is left out). */
brn_status brn_scene_print(const brn_scene *scene, const brn_schema *schema, char **text);

/* Reference text of a table: one line a parameter with kind, unit, default, range, help; nested tables indented. */
struct brn_text;
void brn_table_describe(const brn_table *table, const brn_schema *schema, int indent, struct brn_text *out);

#endif
