/* What acts on the bodies of a model: holds, loads; and probes, which only measure. */
#include "model/builder.h"
#include "model/region.h"
#include "phys/forces/face.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The bodies that a hold, load or probe names; none if there are none, or if they have a problem already. */
static brn_body_range region_bodies(brn_builder *b, const brn_block *block, const char *word)
{
    const brn_body_range range = brn_builder_find_bodies(b, block, "body", word);
    for (int i = range.first; i < range.first + range.count; ++i) {
        if (b->body_mesh[i] == NULL) {
            return (brn_body_range){0, 0};
        }
    }
    return range;
}

static brn_status region_nodes(brn_builder *b, brn_body_range bodies, const brn_where_def *where, int **node,
                               int *nnode)
{
    return brn_region_nodes(b->scene, b->model, bodies.first, bodies.count, b->body_mesh, where, node, nnode);
}

static brn_status copy_motion(brn_builder *b, const brn_motion_def *def, brn_motion *out)
{
    out->until = INFINITY;
    out->axis[2] = 1.0;
    if (def->block.line == 0) {
        return BRN_OK;
    }
    memcpy(out->velocity, def->velocity, sizeof out->velocity);
    memcpy(out->point, def->about.point, sizeof out->point);
    out->angular_velocity = def->angular_velocity;
    out->until = isnan(def->until) ? INFINITY : def->until;
    if (b->model->dim == 3 && def->about.block.line != 0) {
        const double *axis = def->about.axis;
        const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
        if (!(length > 0.0)) {
            brn_builder_problem(b, &def->about.block, "axis", "must not be zero");
            return BRN_OK;
        }
        for (int i = 0; i < 3; ++i) {
            out->axis[i] = axis[i] / length;
        }
    }
    BRN_ALLOC(b->ctx, out->table, (size_t)def->table.rows * 4);
    out->rows = def->table.rows;
    for (int i = 0; i < def->table.rows; ++i) {
        for (int k = 0; k < def->table.columns && k < 4; ++k) {
            out->table[4 * i + k] = def->table.v[i * def->table.columns + k];
        }
    }
    return BRN_OK;
}

static char *name_or_number(brn_ctx *ctx, const char *name, const char *noun, int index)
{
    char numbered[64];
    (void)snprintf(numbered, sizeof numbered, "%s%d", noun, index);
    return brn_strdup(ctx, name != NULL ? name : numbered);
}

/* A node that is held and attached, or attached to an obstacle and held. */
static void tell_attached(brn_builder *b, const brn_block *block, int node)
{
    const brn_model *model = b->model;
    const brn_attachment *attach = brn_model_attachment_of(model, node, model->nattach);
    brn_scene_add_problem(b->scene, block->path,
                          "node %d of body '%s' is attached to '%s' by '%s': it cannot be held too",
                          node - model->body[attach->body].node_first, model->body[attach->body].name,
                          model->body[attach->to].name, attach->name);
}

/* Marks the hold's dofs. Two holds on one dof contradict each other as soon as one of them moves. */
static void mark_fixed(brn_builder *b, const brn_hold *hold, const brn_block *block, int *owner)
{
    brn_model *model = b->model;
    bool told = false;
    for (int n = 0; n < hold->nnode; ++n) {
        for (int i = 0; i < model->dim; ++i) {
            const int dof = hold->node[n] * model->dim + i;
            if ((hold->axes >> i & 1u) == 0) {
                continue;
            }
            if (b->fixed[dof] == BRN_DOF_TIED ||
                (owner[dof] > 0 && brn_model_attachment_of(model, hold->node[n], model->nattach) != NULL)) {
                tell_attached(b, block, hold->node[n]);
                return;
            }
            const brn_hold *other = owner[dof] > 0 ? &model->hold[owner[dof] - 1] : NULL;
            if (other != NULL && !told &&
                (hold->motion.rows > 0 || other->motion.rows > 0 ||
                 memcmp(&hold->motion, &other->motion, offsetof(brn_motion, rows)) != 0)) {
                brn_scene_add_problem(
                    b->scene, block->path,
                    "node %d is held by '%s' already, with another motion: leave it to one of them",
                    hold->node[n], other->name);
                told = true;
            }
            /* Where holds overlap it is free when the last has let go. */
            b->released[dof] = (other == NULL || b->released[dof]) && isfinite(hold->release);
            owner[dof] = (int)(hold - model->hold) + 1;
            b->fixed[dof] = BRN_DOF_HELD;
        }
    }
}

static brn_status add_static_hold(brn_builder *b, int body, brn_hold *hold)
{
    const brn_static_def *def = brn_builder_def(b, body)->value;
    const brn_body *from = &b->model->body[body];
    int count = from->node_count;
    for (int i = 0; i < b->model->nattach; ++i) {
        count += b->model->attach[i].to == body ? b->model->attach[i].nnode : 0;
    }
    hold->name = brn_strdup(b->ctx, from->name);
    BRN_ALLOC(b->ctx, hold->node, count);
    if (hold->name == NULL) {
        return BRN_ERR_MEMORY;
    }
    for (int a = 0; a < from->node_count; ++a) {
        hold->node[hold->nnode++] = from->node_first + a;
    }
    /* What is attached to it moves with it. */
    for (int i = 0; i < b->model->nattach; ++i) {
        const brn_attachment *attach = &b->model->attach[i];
        for (int k = 0; k < attach->nnode && attach->to == body; ++k) {
            hold->node[hold->nnode++] = attach->node[k];
        }
    }
    hold->axes = 7u;
    hold->release = INFINITY;
    static const brn_motion_def still = {.until = NAN};
    return copy_motion(b, from->robot < 0 ? &def->motion : &still, &hold->motion);
}

static brn_status add_fixed_hold(brn_builder *b, int index, brn_hold *hold)
{
    const brn_fixed_def *def = (const brn_fixed_def *)b->def->fixed.items + index;
    hold->name = name_or_number(b->ctx, def->name, "fixed", index);
    if (hold->name == NULL) {
        return BRN_ERR_MEMORY;
    }
    for (const char *c = def->axes != NULL ? def->axes : "xyz"; *c != '\0'; ++c) {
        hold->axes |= 1u << (*c - 'x');
    }
    BRN_TRY(copy_motion(b, &def->motion, &hold->motion));
    hold->release = def->release;
    const brn_body_range bodies = region_bodies(b, &def->block, def->body);
    if (bodies.count == 0) {
        return BRN_OK;
    }
    const int type = b->model->body[bodies.first].type;
    if (!brn_body_has_cells(type)) {
        brn_builder_problem(b, &def->block, "body",
                            type == BRN_BODY_STATIC
                                ? "is static: give the body itself a motion"
                                : "is rigid and moves freely: make it static if it should not move");
        return BRN_OK;
    }
    return region_nodes(b, bodies, &def->where, &hold->node, &hold->nnode);
}

brn_status brn_builder_add_holds(brn_builder *b)
{
    brn_model *model = b->model;
    BRN_ALLOC(b->ctx, model->hold, model->nbody + b->def->fixed.count);
    BRN_ALLOC(b->ctx, b->fixed, (size_t)model->nnode * (size_t)model->dim);
    BRN_ALLOC(b->ctx, b->released, (size_t)model->nnode * (size_t)model->dim);
    int *owner = NULL;
    BRN_ALLOC(b->ctx, owner, (size_t)model->nnode * (size_t)model->dim);
    for (int i = 0; i < b->ties.count; ++i) {
        memset(&b->fixed[b->ties.tie[i].node * model->dim], BRN_DOF_TIED, (size_t)model->dim);
    }
    brn_status status = BRN_OK;
    for (int i = 0; i < model->nbody && status >= 0; ++i) {
        if (model->body[i].type == BRN_BODY_STATIC && b->body_mesh[i] != NULL) {
            brn_hold *hold = &model->hold[model->nhold++];
            status = add_static_hold(b, i, hold);
            mark_fixed(b, hold, &brn_builder_body(b, i)->block, owner);
        }
    }
    for (int i = 0; i < b->def->fixed.count && status >= 0; ++i) {
        brn_hold *hold = &model->hold[model->nhold++];
        status = add_fixed_hold(b, i, hold);
        mark_fixed(b, hold, &((const brn_fixed_def *)b->def->fixed.items)[i].block, owner);
    }
    brn_free(b->ctx, owner);
    return status;
}

/* Index of a number in an ascending list that contains it. */
static int place_in(const int *list, int count, int wanted)
{
    int lo = 0;
    int hi = count - 1;
    while (lo < hi) {
        const int middle = (lo + hi) / 2;
        if (list[middle] < wanted) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo;
}

/* Nodal forces of a dead traction over the region's faces, accumulated on the region's nodes. */
static brn_status spread_traction(brn_builder *b, brn_body_range bodies, const double traction[3],
                                  brn_load *load, int *faces)
{
    brn_model *model = b->model;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        int *face = NULL;
        int nface = 0;
        BRN_TRY(brn_region_faces(model, bodies.first, bodies.count, (brn_cell)kind, load->node, load->nnode,
                                 &face, &nface));
        const int width = brn_cell_get((brn_cell)kind)->nnode;
        *faces += nface;
        for (int f = 0; f < nface; ++f) {
            double x[BRN_FACE_NODES_MAX][3];
            double force[BRN_FACE_NODES_MAX][3];
            for (int a = 0; a < width; ++a) {
                memcpy(x[a], model->rest[face[f * width + a]], sizeof x[a]);
            }
            brn_face_traction((brn_cell)kind, (const double(*)[3])x, traction, force);
            for (int a = 0; a < width; ++a) {
                const int n = place_in(load->node, load->nnode, face[f * width + a]);
                for (int i = 0; i < 3; ++i) {
                    load->force[3 * n + i] += force[a][i];
                }
            }
        }
        brn_free(b->ctx, face);
    }
    return BRN_OK;
}

static brn_status collect_faces(brn_builder *b, brn_body_range bodies, brn_load *load, int *total)
{
    *total = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        BRN_TRY(brn_region_faces(b->model, bodies.first, bodies.count, (brn_cell)kind, load->node,
                                 load->nnode, &load->face[kind], &load->nface[kind]));
        *total += load->nface[kind];
    }
    return BRN_OK;
}

static brn_status fill_load(brn_builder *b, const brn_load_def *def, brn_body_range bodies, brn_load *load)
{
    double vector[3] = {0.0, 0.0, 0.0};
    const brn_reals *given = def->force.count > 0 ? &def->force : &def->traction;
    for (int i = 0; i < given->count && i < 3; ++i) {
        vector[i] = given->v[i];
    }
    if (def->force.count > 0) {
        for (int n = 0; n < load->nnode; ++n) {
            for (int i = 0; i < 3; ++i) {
                load->force[3 * n + i] = vector[i] / load->nnode;
            }
        }
        return BRN_OK;
    }
    int faces = 0;
    if (def->traction.count > 0) {
        BRN_TRY(spread_traction(b, bodies, vector, load, &faces));
    } else {
        load->pressure = def->pressure;
        BRN_TRY(collect_faces(b, bodies, load, &faces));
        load->nnode = 0;
    }
    if (faces == 0) {
        brn_builder_problem(
            b, &def->block, "where",
            "the region holds no whole boundary face: select a surface, e.g. where: {face: +z}");
    }
    return BRN_OK;
}

static brn_status add_load(brn_builder *b, int index, brn_load *load)
{
    const brn_load_def *def = (const brn_load_def *)b->def->loads.items + index;
    load->name = name_or_number(b->ctx, def->name, "load", index);
    if (load->name == NULL) {
        return BRN_ERR_MEMORY;
    }
    /* Static runs ramp what has no ramp of its own over the whole run, so that load stepping has something to step. */
    load->ramp_from = def->ramp.block.line != 0 ? def->ramp.from : 0.0;
    load->ramp_to = def->ramp.block.line != 0 ? def->ramp.to : 0.0;
    load->until = def->until;
    const brn_model_stages *stages = &b->model->stages;
    if (def->ramp.block.line == 0 && (stages->loads ? stages->integrator[BRN_STAGE_LOADING] == BRN_STATIC
                                                    : b->model->integrator == BRN_STATIC)) {
        load->ramp_to = brn_model_ramp_end(b->model);
    }
    if (load->until <= load->ramp_from) {
        brn_builder_problem(b, &def->block, "until", "the load would end before it begins, at %g s",
                            load->ramp_from);
    }
    const brn_body_range bodies = region_bodies(b, &def->block, def->body);
    if (bodies.count == 0) {
        return BRN_OK;
    }
    if (b->model->body[bodies.first].type == BRN_BODY_RIGID && !isnan(def->pressure)) {
        brn_builder_problem(b, &def->block, "pressure",
                            "the body is rigid: it takes force and traction, which keep their direction");
        return BRN_OK;
    }
    BRN_TRY(region_nodes(b, bodies, &def->where, &load->node, &load->nnode));
    BRN_ALLOC(b->ctx, load->force, (size_t)load->nnode * 3);
    return load->nnode > 0 ? fill_load(b, def, bodies, load) : BRN_OK;
}

brn_status brn_builder_add_loads(brn_builder *b)
{
    BRN_ALLOC(b->ctx, b->model->load, b->def->loads.count);
    for (int i = 0; i < b->def->loads.count; ++i) {
        b->model->nload = i + 1;
        BRN_TRY(add_load(b, i, &b->model->load[i]));
    }
    return BRN_OK;
}

brn_status brn_builder_add_probes(brn_builder *b)
{
    const brn_blocks *probes = &b->def->output.probes;
    BRN_ALLOC(b->ctx, b->model->probe, probes->count);
    for (int i = 0; i < probes->count; ++i) {
        const brn_probe_def *def = (const brn_probe_def *)probes->items + i;
        brn_probe *probe = &b->model->probe[i];
        b->model->nprobe = i + 1;
        probe->name = name_or_number(b->ctx, def->name, "probe", i);
        if (probe->name == NULL) {
            return BRN_ERR_MEMORY;
        }
        const brn_body_range bodies = region_bodies(b, &def->block, def->body);
        if (bodies.count > 0) {
            BRN_TRY(region_nodes(b, bodies, &def->where, &probe->node, &probe->nnode));
        }
    }
    return BRN_OK;
}
