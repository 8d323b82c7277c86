/* The columns of a comparison: every method with every variant. */
#ifndef CLI_COMPARE_COLUMNS_H
#define CLI_COMPARE_COLUMNS_H

#include "compare/compare_run.h"

typedef struct cli_column {
    char *name;          /* of its folder: METHOD, VARIANT or METHOD-VARIANT */
    char *dir;           /* OUT/NAME */
    char *method;        /* NULL: the scene's own */
    char **set;          /* [nset] "path=value": those of all columns, then the variant's */
    int nset, nset_all;  /* the first nset_all are of all columns */
    cli_outcome outcome; /* of its run */
    bool compared;       /* difference holds how far it is from the reference */
    brn_difference difference;
} cli_column;

enum { CLI_COLUMNS_MAX = 64 };

typedef struct cli_columns {
    cli_column *column;
    int count;
    int reference; /* the one the others are compared with */
} cli_columns;

/* methods: "a,b", NULL if none were given; variants: "NAME:path=value,..." each; set: of all; reference: NULL for the first.
   What is wrong is printed, and CLI_USAGE (CLI_FAILED without memory) returned; CLI_DONE otherwise. Clear it either way. */
int cli_columns_create(cli_columns *columns, const char *methods, const cli_list *variants,
                       const cli_list *set, const char *reference);
/* Names the folders below `out`; false when memory runs out. */
bool cli_columns_place(cli_columns *columns, const char *out);
void cli_columns_clear(cli_columns *columns);

#endif
