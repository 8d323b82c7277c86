/* The folder of a run, seen from outside. */
#ifndef CLI_RUN_FOLDER_H
#define CLI_RUN_FOLDER_H

#include <stdbool.h>

bool cli_folder_has(const char *dir, const char *name);
bool cli_folder_holds_run(const char *dir); /* or part of one */
bool cli_folder_holds_modes(const char *dir);
bool cli_folder_holds_study(const char *dir); /* of `design` or `sweep` */
bool cli_folder_holds_coarse(const char *dir);
/* What commands write into a folder: much of it has the same names. */
typedef enum cli_contents { CLI_HOLDS_RUN, CLI_HOLDS_MODES, CLI_HOLDS_STUDY, CLI_HOLDS_COARSE } cli_contents;
/* Does it hold something else than `wanted`, which would be lost in part? Then it has been told. */
bool cli_folder_is_of_another(const char *dir, cli_contents wanted);
/* Would a scene.yaml that is written there replace the scene at `path`? Then it has been told. */
bool cli_folder_would_lose(const char *dir, const char *path);
/* The files in it, with their sizes and what they are, on stdout. */
void cli_folder_print(const char *dir);

#endif
