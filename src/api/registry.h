/* Assembles all parameter tables into the schema that the scene parser uses. */
#ifndef BRN_API_REGISTRY_H
#define BRN_API_REGISTRY_H

#include "base/param.h"
#include "step/method.h"

enum { BRN_REGISTRY_MAX = 64 };

/* Must outlive the use of its schema; a few kilobytes, made on the stack of a call. */
typedef struct brn_registry {
    brn_schema schema;
    const brn_table *tables[BRN_SET_COUNT][BRN_REGISTRY_MAX];
} brn_registry;

void brn_registry_fill(brn_registry *registry);
int brn_method_count(void);
const brn_method *brn_method_get(int index);
const brn_method *brn_method_of_table(const brn_table *table);
const brn_method *brn_method_find(const char *name); /* NULL: there is none, or name is NULL */
/* Its own figures, as in brn_figure_get; their number. NULL has none. */
int brn_method_figures(const brn_method *method, brn_scope scope, brn_figure own[BRN_OWN_FIGURES]);

#endif
