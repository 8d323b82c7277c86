/* Where pictures go: one file, or a folder of them. */
#ifndef CLI_PICTURE_FILES_H
#define CLI_PICTURE_FILES_H

#include "picture/picture.h"

#include <brunt/brunt.h>

typedef struct cli_picture_files {
    const cli_wish *wish;
    bool one;          /* all in one file, `path` */
    char folder[4096]; /* made if absent */
    char last[32];     /* [s] the moment if none is requested */
    char path[4224];   /* the file written last; of one file, that */
} cli_picture_files;

/* Chooses the names. False, with the reason on stderr. */
bool cli_picture_files_name(cli_picture_files *files, const cli_picture *picture, const brn_view *view);
/* Makes the folder. False, with the reason on stderr. */
bool cli_picture_files_make(const cli_picture_files *files);
/* Picture k, whole or not at all. False, with the reason in `problem`. */
bool cli_picture_file_write(cli_picture_files *files, int k, const void *bytes, size_t size, char *problem,
                            size_t room);
/* A whole file; free *bytes. False, with the reason on stderr. */
bool cli_picture_file_read(const char *path, char **bytes, size_t *size);

#endif
