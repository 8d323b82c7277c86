/* The folder of a run, seen from outside. */
#ifndef CLI_RUN_FOLDER_H
#define CLI_RUN_FOLDER_H

#include <stdbool.h>

bool cli_folder_has(const char *dir, const char *name);
bool cli_folder_holds_run(const char *dir);
bool cli_folder_holds_modes(const char *dir);
/* Would a scene.yaml that is written there replace the scene at `path`? Then it has been told. */
bool cli_folder_would_lose(const char *dir, const char *path);
/* The files in it, with their sizes and what they are, on stdout. */
void cli_folder_print(const char *dir);

#endif
