/* Attachments: a region of a body is welded to another body. To a rigid body its nodes are tied by the handles, to an obstacle
   they are held and move with it, and to a deformable body each is tied to the nodes of the cell that it is in, or nearest
   to, by the shape functions of the cell. Ties follow rotations exactly, so a weld carries forces and torques without loss. */
#include "model/cell_search.h"
#include "model/region.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static brn_status tie_to_deformable(brn_builder *b, int index, const brn_attach_def *def)
{
    brn_attachment *attach = &b->model->attach[index];
    const brn_body *to = &b->model->body[attach->to];
    const bool sheet = brn_mesh_dim(b->body_mesh[attach->to]) < b->model->dim;
    brn_cell_search search;
    brn_status status = brn_cell_search_open(b, attach->to, &search);
    const double reach = sheet || isnan(def->within) ? brn_cell_search_reach(&search) : def->within;
    int worst = -1;
    for (int i = 0; i < attach->nnode && status >= 0; ++i) {
        brn_tie_part part[BRN_ELEMENT_NODES_MAX];
        double gap = 0.0;
        const int count = brn_cell_search_find(&search, b->model->rest[attach->node[i]], part, &gap);
        status = count > 0 ? brn_builder_tie(b, attach->node[i], index, part, count) : BRN_OK;
        if (gap > attach->gap) {
            attach->gap = gap;
            worst = attach->node[i];
        }
    }
    brn_cell_search_close(b->ctx, &search);
    if (status >= 0 && attach->gap > reach) {
        const double *x = b->model->rest[worst];
        brn_builder_problem(b, &def->block, "where",
                            "the node at [%g, %g, %g] is %.3g m from body '%s', more than %.3g m: select "
                            "nodes that are nearer%s",
                            x[0], x[1], x[2], attach->gap, to->name, reach,
                            sheet ? " (only what lies on a sheet can be welded to it)"
                                  : ", or give 'within'");
    }
    return status;
}

/* ---- all --------------------------------------------------------------------------------------------------------------- */

static brn_status tie_to_rigid(brn_builder *b, int index)
{
    const brn_attachment *attach = &b->model->attach[index];
    for (int i = 0; i < attach->nnode; ++i) {
        brn_tie_part part[4];
        brn_builder_rigid_parts(b, attach->to, b->model->rest[attach->node[i]], part);
        BRN_TRY(brn_builder_tie(b, attach->node[i], index, part, b->model->dim + 1));
    }
    return BRN_OK;
}

/* The bodies that a word names; none after adding a problem, or if one of them has a problem already. */
static brn_body_range named(brn_builder *b, const brn_attach_def *def, const char *key, const char *word)
{
    const brn_body_range range = brn_builder_find_bodies(b, &def->block, key, word);
    for (int i = range.first; i < range.first + range.count; ++i) {
        if (b->body_mesh[i] == NULL) {
            return (brn_body_range){0, 0};
        }
    }
    return range;
}

brn_body_range brn_builder_shapes_as_one(const brn_model *model, brn_body_range range)
{
    const brn_body *first = &model->body[range.first];
    bool one = first->robot >= 0;
    for (int i = 1; i < range.count; ++i) {
        one = one && first[i].robot == first->robot && first[i].link == first->link;
    }
    return (brn_body_range){range.first, one ? 1 : range.count};
}

/* What is attached to what: copies of a body all to one, or each to the copy of its number. False after adding a problem. */
static bool find_bodies(brn_builder *b, const brn_attach_def *def, brn_body_range *from, brn_body_range *to)
{
    *from = named(b, def, "body", def->body);
    *to = named(b, def, "to", def->to);
    if (from->count == 0 || to->count == 0) {
        return false;
    }
    *to = brn_builder_shapes_as_one(b->model, *to);
    const int type = b->model->body[from->first].type;
    if (from->first < to->first + to->count && to->first < from->first + from->count) {
        brn_builder_problem(b, &def->block, "to", "is the body itself: name another");
    } else if (type == BRN_BODY_RIGID || type == BRN_BODY_STATIC) {
        brn_builder_problem(b, &def->block, "body",
                            "is %s: attach the deformable body to it, not the other way round",
                            type == BRN_BODY_RIGID ? "rigid" : "static");
    } else if (to->count > 1 && to->count != from->count) {
        brn_builder_problem(b, &def->block, "to",
                            "names %d bodies, but 'body' names %d: one body, or as many, can be attached to",
                            to->count, from->count);
    } else {
        return true;
    }
    return false;
}

/* Notes what the nodes are attached to; false if one of them is attached already. */
static bool claim_nodes(brn_builder *b, int index, const brn_attach_def *def)
{
    brn_model *model = b->model;
    const brn_attachment *attach = &model->attach[index];
    for (int i = 0; i < attach->nnode; ++i) {
        const int node = attach->node[i];
        const brn_attachment *other = brn_model_attachment_of(model, node, index);
        if (other != NULL) {
            brn_builder_problem(
                b, &def->block, "where",
                "node %d of body '%s' is attached to '%s' by '%s' already: leave it to one of "
                "them",
                node - model->body[attach->body].node_first, model->body[attach->body].name,
                model->body[other->to].name, other->name);
            return false;
        }
        model->attached_to[node] = attach->to;
    }
    return true;
}

static brn_status add_attachment(brn_builder *b, const brn_attach_def *def, int body, int to,
                                 const char *name)
{
    brn_model *model = b->model;
    void *grown = brn_realloc(b->ctx, model->attach, (size_t)model->nattach + 1, sizeof *model->attach);
    if (grown == NULL) {
        return BRN_ERR_MEMORY;
    }
    model->attach = grown;
    const int index = model->nattach++;
    brn_attachment *attach = &model->attach[index];
    *attach = (brn_attachment){.name = brn_strdup(b->ctx, name), .body = body, .to = to};
    if (attach->name == NULL) {
        return BRN_ERR_MEMORY;
    }
    BRN_TRY(
        brn_region_nodes(b->scene, model, body, 1, b->body_mesh, &def->where, &attach->node, &attach->nnode));
    if (!claim_nodes(b, index, def)) {
        return BRN_OK;
    }
    const int type = model->body[to].type;
    return type == BRN_BODY_RIGID    ? tie_to_rigid(b, index)
           : type == BRN_BODY_STATIC ? BRN_OK /* its hold takes them */
                                     : tie_to_deformable(b, index, def);
}

/* One entry of the scene, for every copy of its body. */
static brn_status add_entry(brn_builder *b, int entry)
{
    const brn_attach_def *def = (const brn_attach_def *)b->def->attach.items + entry;
    brn_body_range from;
    brn_body_range to;
    if (!find_bodies(b, def, &from, &to)) {
        return BRN_OK;
    }
    for (int i = 0; i < from.count; ++i) {
        char name[160];
        char number[32] = "";
        char copy[32] = "";
        (void)snprintf(number, sizeof number, "attach%d", entry);
        if (from.count > 1) {
            (void)snprintf(copy, sizeof copy, ".%d", i);
        }
        (void)snprintf(name, sizeof name, "%.100s%s", def->name != NULL ? def->name : number, copy);
        BRN_TRY(add_attachment(b, def, from.first + i, to.count > 1 ? to.first + i : to.first, name));
    }
    return BRN_OK;
}

brn_status brn_builder_add_attachments(brn_builder *b)
{
    brn_model *model = b->model;
    if (b->def->attach.count == 0) {
        return BRN_OK;
    }
    BRN_ALLOC(b->ctx, model->attached_to, model->nnode);
    for (int a = 0; a < model->nnode; ++a) {
        model->attached_to[a] = -1;
    }
    for (int i = 0; i < b->def->attach.count; ++i) {
        BRN_TRY(add_entry(b, i));
    }
    return BRN_OK;
}
