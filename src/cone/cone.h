/* The frictional contact problem: the calls are public, see brunt.h. */
#ifndef BRN_CONE_CONE_H
#define BRN_CONE_CONE_H

#include "base/ctx.h"

/* Sizes, indices and numbers are as brunt.h says, else an error that names the contact. */
brn_status brn_cone_check(brn_ctx *ctx, const brn_cone_problem *p);

/* The last factor of Newton's method, for problems that follow each other: one that is nearly the same does with it for most of its steps.
   {0}: none yet. */
typedef struct brn_cone_memory {
    int n, contacts;     /* unknowns (0: there is no factor) and contacts that it is of */
    double soft, weight; /* and what they were reckoned with */
    double *matrix;      /* [n][n] */
    int *pivot;          /* [n] */
    int *count;          /* [contacts] unknowns of each */
    size_t room, pivot_room, count_room;
} brn_cone_memory;

void brn_cone_forget(brn_ctx *ctx, brn_cone_memory *memory);
/* brn_cone_solve with a memory; NULL: without. */
brn_status brn_cone_solve_again(brn_ctx *ctx, const brn_cone_problem *problem,
                                const brn_cone_options *options, brn_cone_memory *memory, double *r,
                                double *u, brn_cone_report *report);

/* brn_cone_read of a text; name is the file's in messages. */
brn_status brn_cone_parse(brn_ctx *ctx, const char *text, size_t length, const char *name,
                          brn_cone_file **out);

#endif
