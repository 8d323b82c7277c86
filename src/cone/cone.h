/* The frictional contact problem: the calls are public, see brunt.h. */
#ifndef BRN_CONE_CONE_H
#define BRN_CONE_CONE_H

#include "base/ctx.h"

/* Sizes, indices and numbers are as brunt.h says, else an error that names the contact. */
brn_status brn_cone_check(brn_ctx *ctx, const brn_cone_problem *p);

/* brn_cone_read of a text; name is the file's in messages. */
brn_status brn_cone_parse(brn_ctx *ctx, const char *text, size_t length, const char *name,
                          brn_cone_file **out);

#endif
