/* Reference text from the same tables that the parser uses. */
#include "api/registry.h"
#include "base/text.h"
#include "output/figures/figure_table.h"
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
        "\n`brunt info NAME` shows the parameters of any of these (for a name with two meanings: meshes.box, "
        "shapes.box), `brunt info scene` the whole format, `brunt info contact` (or output, time, ...) a key "
        "of it, "
        "`brunt info figures` what is measured.\n");
}

static void list_figure(brn_text *text, const brn_figure *f)
{
    static const char *const of_run[] = {[BRN_REDUCE_LAST] = "%s at the end\n",
                                         [BRN_REDUCE_SUM] = "sum of %s over the steps\n",
                                         [BRN_REDUCE_MEAN] = "mean of %s over the steps\n",
                                         [BRN_REDUCE_MAX] = "largest magnitude of %s of all steps\n",
                                         [BRN_REDUCE_MIN] = "smallest %s of all steps and of the start\n"};
    brn_text_add(text, "  %-27s %-9s ", f->name, f->unit);
    brn_text_add(text, f->of != NULL ? of_run[f->reduction] : "%s\n", f->of != NULL ? f->of : f->meaning);
}

static void list_own_figures(brn_text *text, brn_scope scope)
{
    for (int m = 0; m < brn_method_count(); ++m) {
        brn_figure own[BRN_OWN_FIGURES];
        const int n = brn_method_figures(brn_method_get(m), scope, own);
        for (int i = 0; i < n; ++i) {
            list_figure(text, &own[i]);
        }
    }
}

static void list_figures(brn_text *text)
{
    brn_text_add(text, "figures of a step: brn_report, columns of series.csv\n");
    for (int i = 0; i < BRN_STEP_FIGURES; ++i) {
        if (brn_step_table[i].figure.column) {
            list_figure(text, &brn_step_table[i].figure);
        }
    }
    list_own_figures(text, BRN_OF_STEP);
    brn_text_add(text, "\nfigures of a step that series.csv does not have\n");
    for (int i = 0; i < BRN_STEP_FIGURES; ++i) {
        if (!brn_step_table[i].figure.column) {
            list_figure(text, &brn_step_table[i].figure);
        }
    }
    brn_text_add(text, "\nfigures of a run: brn_summary, keys of summary.json\n");
    for (int i = 0; i < BRN_RUN_FIGURES; ++i) {
        const brn_figure figure = brn_run_figure(i);
        list_figure(text, &figure);
    }
    list_own_figures(text, BRN_OF_RUN);
    brn_text_add(text, "\nfigures of a stage: brn_stage_result, keys of summary.json with the stage's name "
                       "before them, launch.speed\n");
    for (int i = 0; i < brn_stage_figure_count(); ++i) {
        brn_figure figure;
        (void)brn_stage_figure_get(i, &figure);
        list_figure(text, &figure);
    }
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

/* The topics that list a set; also the part before the dot if several sets share a name. */
static const char *const set_topics[BRN_SET_COUNT] = {
    [BRN_SET_METHOD] = "methods", [BRN_SET_MATERIAL] = "materials", [BRN_SET_MESH] = "meshes",
    [BRN_SET_BODY] = "bodies",    [BRN_SET_SHAPE] = "shapes",
};

/* What it supports, by its masks. */
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
    brn_text_add(text, method->connects ? "\n  takes `connect`\n" : "\n");
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

/* Every table called NAME, or SET.NAME; false if there is none. */
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

/* A key of the scene, with everything below it; false if there is none of this name. */
static bool describe_key(brn_text *text, const brn_schema *schema, const char *topic)
{
    const brn_param *param = brn_table_find(schema->root, topic);
    if (param != NULL) {
        const brn_table key = {.params = param, .nparams = 1};
        brn_table_describe(&key, schema, 0, text);
    }
    return param != NULL;
}

static brn_status unknown_topic(brn_ctx *ctx, const brn_schema *schema, const char *topic)
{
    const char *words[6 * BRN_REGISTRY_MAX] = {"methods", "materials", "elements", "meshes",
                                               "bodies",  "shapes",    "scene",    "figures"};
    int count = 8;
    for (int i = 0; i < schema->root->nparams && count < BRN_COUNT(words); ++i) {
        words[count++] = schema->root->params[i].name;
    }
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
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, out);
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
    } else if (strcmp(topic, "figures") == 0) {
        list_figures(&text);
    } else if (strcmp(topic, "scene") == 0) {
        brn_table_describe(schema->root, schema, 0, &text);
    } else if (!describe_element(&text, topic) && !describe_tables(&text, schema, topic) &&
               !describe_key(&text, schema, topic)) {
        return unknown_topic(ctx, schema, topic);
    }
    return brn_text_take(&text, out);
}
