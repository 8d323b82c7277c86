/* Reference text from the same tables that the parser uses. */
#include "api/registry.h"
#include "base/text.h"
#include "phys/solid.h"
#include "scene/scene.h"

#include <string.h>

static void list_materials(brn_text *text)
{
    for (int i = 0; i < brn_material_count(); ++i) {
        const brn_material *m = brn_material_get(i);
        brn_text_add(text, "  %-20s %s\n  %-20s %s\n", m->table->name, m->table->help, "", m->equation);
    }
}

static void list_elements(brn_text *text)
{
    for (int i = 0; i < brn_element_count(); ++i) {
        const brn_element *e = brn_element_get(i);
        brn_text_add(text, "  %-8s %s (%dD, %d nodes, %d quadrature points)\n", brn_cell_get(e->cell)->name,
                     e->help, e->dim, e->nnode, e->nquad);
    }
}

static void list_set(brn_text *text, const brn_table_set *set)
{
    for (int i = 0; i < set->count; ++i) {
        brn_text_add(text, "  %-20s %s\n", set->tables[i]->name, set->tables[i]->help);
    }
}

static void overview(brn_text *text, const brn_schema *schema)
{
    brn_text_add(text, "methods\n");
    list_set(text, &schema->sets[BRN_SET_METHOD]);
    brn_text_add(text, "\nintegrators\n  ");
    for (int i = 0; brn_integrator_words[i] != NULL; ++i) {
        brn_text_add(text, "%s%s", i > 0 ? ", " : "", brn_integrator_words[i]);
    }
    brn_text_add(text, "\n\nmaterials\n");
    list_set(text, &schema->sets[BRN_SET_MATERIAL]);
    brn_text_add(text, "\nelements\n");
    list_elements(text);
    brn_text_add(text, "\nmesh generators\n");
    list_set(text, &schema->sets[BRN_SET_MESH]);
    brn_text_add(text, "\nbody types\n");
    list_set(text, &schema->sets[BRN_SET_BODY]);
    brn_text_add(text, "\nshapes\n");
    list_set(text, &schema->sets[BRN_SET_SHAPE]);
    brn_text_add(
        text,
        "\n`brunt info NAME` tells the parameters of any of these (a name that means two things: meshes.box, "
        "shapes.box), `brunt info scene` the whole format.\n");
}

static bool describe_element(brn_text *text, const char *name)
{
    for (int i = 0; i < brn_element_count(); ++i) {
        const brn_element *e = brn_element_get(i);
        if (strcmp(brn_cell_get(e->cell)->name, name) == 0) {
            brn_text_add(text, "%s: %s\n  %dD, %d nodes in VTK order, %d quadrature points (mass: %d)\n",
                         name, e->help, e->dim, e->nnode, e->nquad, e->nquad_mass);
            return true;
        }
    }
    return false;
}

/* The topics that list a set, and the part before the dot of a name that more than one set has. */
static const char *const set_topics[BRN_SET_COUNT] = {
    [BRN_SET_METHOD] = "methods", [BRN_SET_MATERIAL] = "materials", [BRN_SET_MESH] = "meshes",
    [BRN_SET_BODY] = "bodies",    [BRN_SET_SHAPE] = "shapes",
};

/* What it takes, by its masks. */
static void describe_method(brn_text *text, const brn_method *method)
{
    brn_text_add(text, "  integrators:");
    for (int i = 0; brn_integrator_words[i] != NULL; ++i) {
        if (method->integrators >> i & 1u) {
            brn_text_add(text, " %s", brn_integrator_words[i]);
        }
    }
    brn_text_add(text, "\n  body types:");
    for (int i = 0; i < BRN_BODY_TYPE_COUNT; ++i) {
        if (method->bodies >> i & 1u) {
            brn_text_add(text, " %s", brn_body_tables[i]->name);
        }
    }
    brn_text_add(text, method->contact_keys != 0 ? "\n  of contact:" : "");
    for (int i = 0; i < BRN_CONTACT_KEY_COUNT; ++i) {
        if (method->contact_keys >> i & 1u) {
            brn_text_add(text, " %s", brn_contact_key_words[i]);
        }
    }
    brn_text_add(text, "\n");
}

static void describe_table(brn_text *text, const brn_schema *schema, const brn_table *table)
{
    brn_text_add(text, "%s: %s\n", table->name, table->help);
    for (int i = 0; i < brn_material_count(); ++i) {
        if (brn_material_get(i)->table == table) {
            brn_text_add(text, "  %s\n", brn_material_get(i)->equation);
        }
    }
    const brn_method *method = brn_method_of_table(table);
    if (method != NULL) {
        describe_method(text, method);
    }
    brn_table_describe(table, schema, 2, text);
}

/* Every table of a name, or of SET.NAME; false if there is none. */
static bool describe_tables(brn_text *text, const brn_schema *schema, const char *topic)
{
    bool found = false;
    for (int set = 0; set < BRN_SET_COUNT; ++set) {
        const size_t head = strlen(set_topics[set]);
        const bool chosen = strncmp(topic, set_topics[set], head) == 0 && topic[head] == '.';
        const char *name = chosen ? topic + head + 1 : topic;
        for (int i = 0; i < schema->sets[set].count; ++i) {
            if (strcmp(schema->sets[set].tables[i]->name, name) == 0) {
                brn_text_add(text, found ? "\n" : "");
                describe_table(text, schema, schema->sets[set].tables[i]);
                found = true;
            }
        }
    }
    return found;
}

static brn_status unknown_topic(brn_ctx *ctx, const brn_schema *schema, const char *topic)
{
    const char *words[5 * BRN_REGISTRY_MAX] = {"methods", "materials", "elements", "meshes",
                                               "bodies",  "shapes",    "scene"};
    int count = 7;
    for (int set = 0; set < BRN_SET_COUNT; ++set) {
        for (int i = 0; i < schema->sets[set].count && count < BRN_COUNT(words); ++i) {
            words[count++] = schema->sets[set].tables[i]->name;
        }
    }
    const int near = brn_nearest_word(topic, words, count);
    return brn_fail(ctx, BRN_ERR_MISSING, "no topic '%s'%s%s%s; `brunt info` lists them", topic,
                    near >= 0 ? "; did you mean '" : "", near >= 0 ? words[near] : "", near >= 0 ? "'?" : "");
}

brn_status brn_info(brn_ctx *ctx, const char *topic, char **out)
{
    brn_registry registry;
    brn_registry_fill(&registry);
    const brn_schema *schema = &registry.schema;
    brn_text text = {.ctx = ctx};
    *out = NULL;
    if (topic == NULL) {
        overview(&text, schema);
    } else if (strcmp(topic, "materials") == 0) {
        list_materials(&text);
    } else if (strcmp(topic, "elements") == 0) {
        list_elements(&text);
    } else if (strcmp(topic, "methods") == 0) {
        list_set(&text, &schema->sets[BRN_SET_METHOD]);
    } else if (strcmp(topic, "meshes") == 0) {
        list_set(&text, &schema->sets[BRN_SET_MESH]);
    } else if (strcmp(topic, "bodies") == 0) {
        list_set(&text, &schema->sets[BRN_SET_BODY]);
    } else if (strcmp(topic, "shapes") == 0) {
        list_set(&text, &schema->sets[BRN_SET_SHAPE]);
    } else if (strcmp(topic, "scene") == 0) {
        brn_table_describe(schema->root, schema, 0, &text);
    } else if (!describe_element(&text, topic) && !describe_tables(&text, schema, topic)) {
        return unknown_topic(ctx, schema, topic);
    }
    return brn_text_take(&text, out);
}
