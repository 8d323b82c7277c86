/* What `brunt coarsen` leaves behind: the coarse scene, tables and a page. */
#ifndef CLI_COARSEN_FILES_H
#define CLI_COARSEN_FILES_H

#include <brunt/study.h>
#include <stdbool.h>

typedef struct cli_coarsen_output {
    brn_ctx *ctx;
    const brn_coarsening *coarsening;
    const char *dir;
    const char *scene; /* what the user called it */
} cli_coarsen_output;

/* False after a message. */
bool cli_coarsen_write_csv(const cli_coarsen_output *output);
bool cli_coarsen_write_json(const cli_coarsen_output *output);
bool cli_coarsen_write_page(const cli_coarsen_output *output);
/* A whole file, through another name, so that it is there or not. */
bool cli_coarsen_write_file(const char *dir, const char *name, const char *bytes, size_t size);

#endif
