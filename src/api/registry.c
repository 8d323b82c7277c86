#include "api/registry.h"

#include "model/body_types.h"
#include "model/mesh_source.h"
#include "model/shapes/shape.h"
#include "phys/material.h"

/* Tests replace it by a list with a method of their own. */
#ifndef BRN_METHODS_DEF
# define BRN_METHODS_DEF "api/methods.def"
#endif

#define METHOD(name) extern const brn_method brn_##name##_method;
#include BRN_METHODS_DEF
#undef METHOD

#include <string.h>

static const brn_method *const methods[] = {
#define METHOD(name) &brn_##name##_method,
#include BRN_METHODS_DEF
#undef METHOD
};

int brn_method_count(void)
{
    return BRN_COUNT(methods);
}

const brn_method *brn_method_get(int index)
{
    return methods[index];
}

const brn_method *brn_method_of_table(const brn_table *table)
{
    for (int i = 0; i < brn_method_count(); ++i) {
        if (methods[i]->table == table) {
            return methods[i];
        }
    }
    return NULL;
}

const brn_method *brn_method_find(const char *name)
{
    for (int i = 0; name != NULL && i < brn_method_count(); ++i) {
        if (strcmp(methods[i]->table->name, name) == 0) {
            return methods[i];
        }
    }
    return NULL;
}

static bool touches(const brn_table *table)
{
    const brn_method *method = brn_method_of_table(table);
    return method != NULL && method->contact;
}

static void add(brn_registry *registry, int set, const brn_table *table)
{
    brn_table_set *to = &registry->schema.sets[set];
    if (to->count < BRN_REGISTRY_MAX) {
        registry->tables[set][to->count++] = table;
    }
}

void brn_registry_fill(brn_registry *registry)
{
    static const char *const nouns[BRN_SET_COUNT] = {
        [BRN_SET_METHOD] = "method",  [BRN_SET_MATERIAL] = "material", [BRN_SET_MESH] = "mesh generator",
        [BRN_SET_BODY] = "body type", [BRN_SET_SHAPE] = "shape",
    };
    *registry = (brn_registry){.schema = {.root = &brn_scene_table, .touches = touches}};
    for (int set = 0; set < BRN_SET_COUNT; ++set) {
        registry->schema.sets[set].noun = nouns[set];
        registry->schema.sets[set].tables = registry->tables[set];
    }
    for (int i = 0; i < brn_method_count(); ++i) {
        add(registry, BRN_SET_METHOD, methods[i]->table);
    }
    for (int i = 0; i < brn_material_count(); ++i) {
        add(registry, BRN_SET_MATERIAL, brn_material_get(i)->table);
    }
    for (int i = 0; i < brn_generator_count(); ++i) {
        add(registry, BRN_SET_MESH, brn_generator_get(i)->table);
    }
    for (int i = 0; i < brn_shape_count(); ++i) {
        add(registry, BRN_SET_SHAPE, brn_shape_get(i)->table);
    }
    for (int i = 0; i < BRN_BODY_TYPE_COUNT; ++i) {
        add(registry, BRN_SET_BODY, brn_body_tables[i]);
    }
}
