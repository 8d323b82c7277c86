/* A scene as the command line names it: a file or a folder, a method, overrides. Shared by `run`, `check` and
   `compare`. */
#ifndef CLI_SCENE_INPUT_H
#define CLI_SCENE_INPUT_H

#include "terminal/options.h"

#include <brunt/brunt.h>

typedef struct cli_scene_input {
    const char *operand; /* as given */
    const char *method;  /* NULL: the scene's own */
    cli_list set;        /* "path=value" */
} cli_scene_input;

/* The scene's file: the operand, or scene.yaml inside it if it is a folder. free() it; NULL when memory runs out. */
char *cli_scene_path(const char *operand);
/* Folder for the results of a scene: out/NAME, where NAME is the file's stem, or the folder's name if the file is
   called scene.yaml. free() it; NULL when memory runs out. */
char *cli_scene_default_out(const char *path);

/* Loads the scene and applies the overrides. On failure everything wrong is printed to stderr, *out is NULL, and the
   exit code is returned; CLI_DONE otherwise. */
int cli_scene_open(brn_ctx *ctx, const cli_scene_input *input, const char *path, brn_scene **out);
/* Resolves the scene (which finds every problem of its text) and returns its contact method. */
#define CLI_METHOD_SIZE 32
brn_status cli_scene_method(brn_ctx *ctx, brn_scene *scene, char out[CLI_METHOD_SIZE]);
/* All problems of the scene, one per line on stderr; the ctx's message if it lists none. */
void cli_scene_print_problems(brn_ctx *ctx, const brn_scene *scene, brn_status status);

#endif
