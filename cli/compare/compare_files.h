/* The table of a comparison in files: compare.csv, compare.json and compare.md in `out`. */
#ifndef CLI_COMPARE_FILES_H
#define CLI_COMPARE_FILES_H

#include "compare/compare_columns.h"

/* False if one could not be written; that is printed. scene: what the user called it. */
bool cli_compare_write(brn_ctx *ctx, const cli_columns *columns, const char *scene, const char *out);

#endif
