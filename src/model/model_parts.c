#include "model/model_parts.h"

#include "base/hash.h"
#include "base/text.h"
#include "model/robot_model.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static void add_part(brn_text *text, uint64_t hash, const char *what, const char *name)
{
    brn_text_add(text, "%016" PRIx64 " %s", hash, what);
    if (name != NULL) {
        brn_text_add(text, " '%s'", name);
    }
    brn_text_append(text, "\n", 1);
}

static void add_numbers(brn_text *text, const double *numbers, int count, const char *what)
{
    add_part(text, brn_hash_bytes(BRN_HASH_START, numbers, (size_t)count * sizeof *numbers), what, NULL);
}

static void add_step(brn_text *text, double step)
{
    uint64_t bits = 0;
    memcpy(&bits, &step, sizeof bits);
    add_part(text, bits, BRN_PART_STEP, NULL);
}

static uint64_t hash_ints(uint64_t hash, const int *numbers, size_t count)
{
    return brn_hash_bytes(hash, numbers, count * sizeof *numbers);
}

/* ---- settings -------------------------------------------------------------------------------------------------------- */

static void add_method(brn_text *text, const brn_model *model)
{
    const brn_table *table = model->method;
    add_part(text, brn_hash_text(BRN_HASH_START, table->name), "method", NULL);
    for (int i = 0; i < table->nparams; ++i) {
        const brn_param *param = &table->params[i];
        char name[128];
        if (param->resumable) {
            continue;
        }
        (void)snprintf(name, sizeof name, "method.%s", param->name);
        add_part(text,
                 brn_param_hash(BRN_HASH_START, param, (const char *)model->method_params + param->offset),
                 name, NULL);
    }
}

/* Laws of contact: numbers of each pair of kinds of bodies, and of which kind each body is. */
static void add_laws(brn_text *text, const brn_model *model)
{
    const size_t bytes = (size_t)model->nkind * (size_t)model->nkind * sizeof(double);
    uint64_t kinds = BRN_HASH_START;
    for (int i = 0; i < model->nbody; ++i) {
        kinds = hash_ints(kinds, &model->body[i].kind, 1);
    }
    add_part(text, brn_hash_bytes(kinds, model->friction, bytes), "contact.friction", NULL);
    if (model->apart != NULL) {
        add_part(text, brn_hash_bytes(kinds, model->apart, bytes / sizeof(double) * sizeof *model->apart),
                 "contact.pairs that do not touch", NULL);
    }
    for (int key = 0; key < BRN_CONTACT_KEY_COUNT; ++key) {
        const double *law = model->contact_key[key];
        char name[128];
        (void)snprintf(name, sizeof name, "contact.%s", brn_contact_key_words[key]);
        add_part(text, law != NULL ? brn_hash_bytes(kinds, law, bytes) : 0, name, NULL);
    }
}

static void add_settings(brn_text *text, const brn_model *model)
{
    const double dimension = model->dim;
    const double integrator = model->integrator;
    const double self = model->contact_self;
    add_numbers(text, &dimension, 1, "dimension");
    add_numbers(text, model->gravity, 3, "gravity");
    add_step(text, model->step);
    if (model->integrator == BRN_STATIC) {
        add_numbers(text, &model->end, 1, "time.end (a static run ramps gravity over its length)");
    }
    add_numbers(text, &integrator, 1, "integrator");
    if (model->stages.given) {
        const brn_model_stages *stages = &model->stages;
        const double numbers[] = {stages->body, stages->loads, stages->until, stages->slip, stages->stop};
        uint64_t hash = brn_hash_bytes(BRN_HASH_START, numbers, sizeof numbers);
        hash = hash_ints(hash, stages->integrator, BRN_STAGES);
        hash = brn_hash_bytes(hash, stages->step, sizeof stages->step);
        add_part(text, hash, "stages", NULL);
    }
    add_method(text, model);
    add_numbers(text, &self, 1, "contact.self");
    add_laws(text, model);
}

/* ---- bodies ---------------------------------------------------------------------------------------------------------- */

static uint64_t hash_boundary(uint64_t hash, const brn_boundary *boundary)
{
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const size_t width = (size_t)brn_cell_get((brn_cell)kind)->nnode;
        hash = hash_ints(hash, boundary->face[kind], (size_t)boundary->nface[kind] * width);
    }
    hash = hash_ints(hash, (const int *)boundary->tri, (size_t)boundary->ntri * 3);
    hash = hash_ints(hash, (const int *)boundary->edge, (size_t)boundary->nedge * 2);
    return hash_ints(hash, boundary->node, (size_t)boundary->nnode);
}

/* Nodes, elements and surface, at the places where the body starts. */
static uint64_t hash_shape(const brn_model *model, const brn_body *body)
{
    const size_t first = (size_t)body->node_first;
    const size_t count = (size_t)body->node_count;
    const int numbers[] = {body->type,     body->node_first, body->node_count, body->handle,
                           body->plane[0], body->plane[1],   body->plane[2],   body->solid};
    uint64_t hash = hash_ints(BRN_HASH_START, numbers, BRN_COUNT(numbers));
    hash = brn_hash_bytes(hash, &body->radius, sizeof body->radius);
    hash = brn_hash_bytes(hash, model->rest[first], count * sizeof *model->rest);
    for (int i = body->group_first; i < body->group_first + body->group_count; ++i) {
        const brn_element_group *group = model->group[i];
        hash = hash_ints(brn_hash_text(hash, group->kind->name), &group->cell, 1);
        hash = hash_ints(hash, group->conn, (size_t)group->nelem * (size_t)group->nnode);
    }
    for (int a = body->node_first; a < body->node_first + body->node_count && model->ties.count > 0; ++a) {
        const brn_masters on = brn_model_masters(model, a);
        hash = hash_ints(hash, on.node, (size_t)on.count);
        hash = brn_hash_bytes(hash, on.weight, (size_t)on.count * sizeof *on.weight);
    }
    return hash_boundary(hash_boundary(hash, body->boundary), body->touch);
}

static uint64_t hash_material(const brn_model *model, const brn_body *body)
{
    uint64_t hash = BRN_HASH_START;
    for (int i = body->group_first; i < body->group_first + body->group_count; ++i) {
        const brn_element_group *group = model->group[i];
        const double numbers[] = {group->alpha, group->beta, group->density};
        hash = group->kind->hash(group, brn_hash_bytes(hash, numbers, sizeof numbers));
    }
    return hash;
}

static void add_body(brn_text *text, const brn_model *model, const brn_body *body)
{
    const size_t first = (size_t)body->node_first;
    const size_t count = (size_t)body->node_count;
    /* The matrix, not its row sums: consistent and lumped mass may agree in those. */
    const int *start = model->mass->start;
    uint64_t mass = BRN_HASH_START;
    for (size_t a = first; a < first + count; ++a) {
        const int row = model->node_row[a];
        mass = row < 0 ? mass
                       : brn_hash_bytes(mass, &model->mass->value[start[row]],
                                        (size_t)(start[row + 1] - start[row]) * sizeof *model->mass->value);
    }
    add_part(text, hash_shape(model, body), "shape and place of body", body->name);
    add_part(text, hash_material(model, body), "material of body", body->name);
    add_part(text, mass, "mass of body", body->name);
    add_part(text, brn_hash_bytes(BRN_HASH_START, model->vel0[first], count * sizeof *model->vel0),
             "initial velocity of body", body->name);
}

/* How many groups belong to bodies; they come first. */
static int body_groups(const brn_model *model)
{
    int count = 0;
    for (int i = 0; i < model->nbody; ++i) {
        count += model->body[i].group_count;
    }
    return count;
}

/* ---- holds and loads --------------------------------------------------------------------------------------------------- */

static void add_hold(brn_text *text, const brn_hold *hold)
{
    const double axes = hold->axes;
    uint64_t hash = brn_hash_bytes(BRN_HASH_START, &axes, sizeof axes);
    hash = hash_ints(hash, hold->node, (size_t)hold->nnode);
    hash = brn_hash_bytes(hash, &hold->motion, offsetof(brn_motion, rows)); /* doubles only, no padding */
    hash = isfinite(hold->release) ? brn_hash_bytes(hash, &hold->release, sizeof hold->release) : hash;
    hash = brn_hash_bytes(hash, hold->motion.table, (size_t)hold->motion.rows * 4 * sizeof(double));
    add_part(text, hash, "hold or motion of", hold->name);
}

static void add_load(brn_text *text, const brn_load *load)
{
    const double numbers[] = {load->ramp_from, load->ramp_to, load->until, load->pressure};
    uint64_t hash = brn_hash_bytes(BRN_HASH_START, numbers, sizeof numbers);
    hash = hash_ints(hash, load->node, (size_t)load->nnode);
    hash = brn_hash_bytes(hash, load->force, (size_t)load->nnode * 3 * sizeof(double));
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const size_t width = (size_t)brn_cell_get((brn_cell)kind)->nnode;
        hash = hash_ints(hash, load->face[kind], (size_t)load->nface[kind] * width);
    }
    add_part(text, hash, "load", load->name);
}

static void add_connection(brn_text *text, const brn_connection *connect)
{
    const double numbers[] = {connect->type,  connect->npoint,    connect->length,
                              connect->slack, connect->stiffness, connect->relaxation};
    uint64_t hash = brn_hash_bytes(BRN_HASH_START, numbers, sizeof numbers);
    for (int k = 0; k < 2 * connect->npoint; ++k) {
        const brn_anchor *anchor = &connect->point[k / 2][k % 2];
        hash = hash_ints(hash, &anchor->body, 1);
        hash = brn_hash_bytes(hash, anchor->rest, sizeof anchor->rest);
        hash = hash_ints(hash, anchor->node, (size_t)anchor->count);
        hash = brn_hash_bytes(hash, anchor->weight, (size_t)anchor->count * sizeof *anchor->weight);
    }
    add_part(text, hash, "connection", connect->name);
}

/* Trees, starts and drives. Names do not matter. */
static void add_robot(brn_text *text, const brn_robot_model *robot)
{
    const brn_tree *tree = robot->tree;
    uint64_t hash = hash_ints(BRN_HASH_START, robot->cluster, (size_t)robot->nlink);
    for (int i = 0; i < tree->nlink; ++i) {
        const brn_link *link = &tree->link[i];
        const double numbers[] = {link->inertia.mass,   link->joint.kind,     link->joint.parent,
                                  link->joint.damping,  link->joint.friction, link->joint.armature,
                                  link->joint.limit[0], link->joint.limit[1]};
        hash = brn_hash_bytes(hash, numbers, sizeof numbers);
        hash = brn_hash_bytes(hash, link->inertia.centre, sizeof link->inertia.centre);
        hash = brn_hash_bytes(hash, link->inertia.about, sizeof link->inertia.about);
        hash = brn_hash_bytes(hash, &link->joint.frame, sizeof link->joint.frame);
        hash = brn_hash_bytes(hash, link->joint.axis, sizeof link->joint.axis);
    }
    hash = brn_hash_bytes(hash, robot->q0, (size_t)tree->nq * sizeof *robot->q0);
    hash = brn_hash_bytes(hash, robot->v0, (size_t)tree->nv * sizeof *robot->v0);
    add_part(text, hash, "links and joints of robot", robot->name);
    hash = BRN_HASH_START;
    for (int k = 0; k < robot->ndrive; ++k) {
        const brn_drive *drive = &robot->drive[k];
        const double numbers[] = {drive->kind,      drive->link,    drive->scale,     drive->shift,
                                  drive->stiffness, drive->damping, drive->effort[0], drive->effort[1],
                                  drive->range[0],  drive->range[1]};
        hash = brn_hash_bytes(hash, numbers, sizeof numbers);
        hash = brn_hash_bytes(hash, drive->table, 2 * (size_t)drive->rows * sizeof *drive->table);
    }
    for (int k = 0; k < robot->nmimic; ++k) {
        const brn_mimic *m = &robot->mimic[k];
        const double numbers[] = {m->link, m->leader, m->factor, m->offset};
        hash = brn_hash_bytes(hash, numbers, sizeof numbers);
    }
    for (int k = 0; k < robot->nspring; ++k) {
        const double numbers[] = {robot->spring[k].link, robot->spring[k].stiffness, robot->spring[k].rest};
        hash = brn_hash_bytes(hash, numbers, sizeof numbers);
    }
    for (int k = 0; k < robot->ncoupling; ++k) {
        hash = hash_ints(hash, robot->coupling[k].link, 2);
        hash = brn_hash_bytes(hash, robot->coupling[k].frame, sizeof robot->coupling[k].frame);
    }
    const size_t pairs = (size_t)robot->body_count * (size_t)robot->body_count;
    add_part(text, brn_hash_bytes(hash, robot->apart, pairs * sizeof *robot->apart),
             "drives and couplings of robot", robot->name);
}

brn_status brn_model_parts(const brn_model *model, char **out)
{
    brn_text text = {.ctx = model->ctx};
    add_settings(&text, model);
    for (int i = 0; i < model->nbody; ++i) {
        add_body(&text, model, &model->body[i]);
    }
    for (int i = body_groups(model); i < model->ngroup; ++i) {
        const brn_element_group *group = model->group[i];
        add_part(&text, brn_group_hash(group, BRN_HASH_START), "elements of kind", group->kind->name);
    }
    for (int i = 0; i < model->nhold; ++i) {
        add_hold(&text, &model->hold[i]);
    }
    for (int i = 0; i < model->nload; ++i) {
        add_load(&text, &model->load[i]);
    }
    for (int i = 0; i < model->nconnect; ++i) {
        add_connection(&text, &model->connect[i]);
    }
    for (int i = 0; i < model->nrobot; ++i) {
        add_robot(&text, model->robot[i]);
    }
    return brn_text_take(&text, out);
}
