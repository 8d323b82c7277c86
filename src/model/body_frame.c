/* The frame of a body: its nodes placed in the world, the boundary that is seen and the one that touches. */
#include "linalg/dense.h"
#include "model/builder.h"

#include <math.h>
#include <string.h>

enum { NODES_MAX = 200000000 };

static void place_nodes(brn_builder *b, const brn_body_place *pose, const brn_mesh *mesh, int first)
{
    const double *r = pose->rotation;
    for (int a = 0; a < mesh->nnode; ++a) {
        const double *x = mesh->pos[a];
        for (int i = 0; i < 3; ++i) {
            b->model->rest[first + a][i] =
                r[3 * i] * x[0] + r[3 * i + 1] * x[1] + r[3 * i + 2] * x[2] + pose->position[i];
        }
    }
}

brn_status brn_builder_grow_nodes(brn_builder *b, int count)
{
    brn_model *model = b->model;
    if (count > NODES_MAX - model->nnode) {
        return brn_fail(b->ctx, BRN_ERR_LIMIT, "more than %d nodes in all", NODES_MAX);
    }
    void *grown = brn_realloc(b->ctx, model->rest, (size_t)(model->nnode + count), sizeof *model->rest);
    if (grown == NULL) {
        return BRN_ERR_MEMORY;
    }
    model->rest = grown;
    model->nnode += count;
    return BRN_OK;
}

static brn_status add_nodes(brn_builder *b, const brn_body_place *pose, const brn_mesh *mesh, brn_body *body)
{
    const int first = b->model->nnode;
    BRN_TRY(brn_builder_grow_nodes(b, mesh->nnode));
    body->node_first = first;
    body->node_count = mesh->nnode;
    place_nodes(b, pose, mesh, first);
    return BRN_OK;
}

static void shift_boundary(brn_boundary *boundary, int shift)
{
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const int width = brn_cell_get((brn_cell)kind)->nnode;
        for (int i = 0; i < boundary->nface[kind] * width; ++i) {
            boundary->face[kind][i] += shift;
        }
    }
    for (int i = 0; i < boundary->ntri; ++i) {
        for (int k = 0; k < 3; ++k) {
            boundary->tri[i][k] += shift;
        }
    }
    for (int i = 0; i < boundary->nedge; ++i) {
        boundary->edge[i][0] += shift;
        boundary->edge[i][1] += shift;
    }
    for (int i = 0; i < boundary->nnode; ++i) {
        boundary->node[i] += shift;
    }
}

brn_status brn_builder_make_core(brn_ctx *ctx, int first, int nnode, brn_boundary **out)
{
    brn_boundary *core = NULL;
    BRN_ALLOC(ctx, core, 1);
    core->ctx = ctx;
    *out = core; /* the body's from here on, so that a failure leaks nothing */
    BRN_ALLOC(ctx, core->tri, 0);
    BRN_ALLOC(ctx, core->edge, 1);
    BRN_ALLOC(ctx, core->node, 2);
    core->nnode = nnode;
    core->nedge = nnode == 2;
    for (int i = 0; i < nnode; ++i) {
        core->node[i] = first + i;
        core->edge[0][i] = first + i;
    }
    return BRN_OK;
}

/* Boundary in the model's node numbers. A flat mesh is a sheet in a 3D scene and a solid in a 2D one. The line that shows a
   half-space in 2D has the solid on its left, as every plane body. */
static brn_status add_boundary(int dim, const brn_mesh *mesh, brn_body *body)
{
    if (mesh->nnode == 0) {
        BRN_TRY(brn_builder_make_core(mesh->ctx, 0, 0, &body->boundary));
    } else if (brn_mesh_dim(mesh) == 1) {
        BRN_TRY(brn_boundary_of_lines(mesh, &body->boundary));
    } else if (dim == 3 && brn_mesh_dim(mesh) == 2) {
        BRN_TRY(brn_boundary_of_surface(mesh, &body->boundary));
    } else {
        BRN_TRY(brn_boundary_create(mesh, &body->boundary));
    }
    shift_boundary(body->boundary, body->node_first);
    body->touch = body->boundary;
    return BRN_OK;
}

/* What touches, where that is not what is seen. */
static brn_status add_touch(brn_ctx *ctx, int dim, const brn_shape_form *form, brn_body *body)
{
    body->radius = form->radius;
    if (form->half_space) {
        body->touch = NULL;
        body->plane[0] = body->node_first;
        body->plane[1] = body->node_first + 1;
        body->plane[2] = dim == 3 ? body->node_first + 3 : -1;
        return brn_builder_make_core(ctx, 0, 0, &body->touch);
    }
    if (form->ncore > 0) {
        body->touch = NULL;
        return brn_builder_make_core(ctx, body->node_first + form->mesh->nnode - form->ncore, form->ncore,
                                     &body->touch);
    }
    return BRN_OK;
}

brn_status brn_builder_add_frame(brn_builder *b, int index, const brn_mesh *mesh)
{
    brn_model *model = b->model;
    brn_body *body = &model->body[index];
    const brn_shape_form *form = brn_builder_form(b, index);
    body->group_first = model->ngroup;
    brn_mesh_measure(mesh, &body->quality);
    BRN_TRY(add_nodes(b, &b->pose[index], mesh, body));
    BRN_TRY(add_boundary(model->dim, mesh, body));
    if (brn_mesh_dim(mesh) == 1) {
        body->quality.worst_cell = -1; /* a line has no shape to judge */
    }
    if (form->mesh != mesh) {
        return BRN_OK;
    }
    body->quality.worst_cell = -1; /* its triangles only show it: their shape does not matter */
    return add_touch(b->ctx, model->dim, form, body);
}

brn_status brn_builder_add_corners(brn_builder *b, int index)
{
    /* Every other corner of a box; in 2D three of the four. */
    static const double corner[2][4][3] = {{{-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}},
                                           {{1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}}};
    brn_model *model = b->model;
    brn_body *body = &model->body[index];
    const int count = model->dim + 1;
    const int first = model->nnode;
    BRN_TRY(brn_builder_grow_nodes(b, count));
    for (int i = 0; i < 3; ++i) {
        double lo = INFINITY;
        double hi = -INFINITY;
        for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
            lo = fmin(lo, model->rest[a][i]);
            hi = fmax(hi, model->rest[a][i]);
        }
        const double half = i < model->dim ? 0.5 * (hi - lo) + body->radius : 0.0;
        for (int k = 0; k < count; ++k) {
            model->rest[first + k][i] = 0.5 * (lo + hi) + half * corner[model->dim - 2][k][i];
        }
    }
    body->handle = first;
    body->node_count += count;
    return BRN_OK;
}

/* How far the boundaries of bounded bodies reach from a point, along a plane of normal n. */
static double reach_along(const brn_model *model, const double point[3], const double n[3])
{
    double reach = 0.0;
    for (int i = 0; i < model->nbody; ++i) {
        const brn_boundary *seen = model->body[i].plane[0] < 0 ? model->body[i].boundary : NULL;
        for (int a = 0; seen != NULL && a < seen->nnode; ++a) {
            double d[3];
            for (int k = 0; k < 3; ++k) {
                d[k] = model->rest[seen->node[a]][k] - point[k];
            }
            const double height = brn_dense_dot3(d, n);
            for (int k = 0; k < 3; ++k) {
                d[k] -= height * n[k];
            }
            reach = fmax(reach, sqrt(brn_dense_dot3(d, d)));
        }
    }
    return reach;
}

void brn_builder_fit_planes(brn_builder *b)
{
    const brn_model *model = b->model;
    for (int i = 0; i < model->nbody; ++i) {
        const brn_body *body = &model->body[i];
        if (body->plane[0] < 0 || body->boundary == NULL || !brn_builder_form(b, i)->fit) {
            continue;
        }
        /* The patch is 2 m wide here: half its edges are unit vectors. */
        const double(*x)[3] = (const double(*)[3])model->rest;
        double u[3];
        double v[3] = {0.0, 0.0, 1.0};
        double n[3];
        for (int k = 0; k < 3; ++k) {
            u[k] = 0.5 * (x[body->plane[1]][k] - x[body->plane[0]][k]);
            v[k] = model->dim == 3 ? 0.5 * (x[body->plane[2]][k] - x[body->plane[0]][k]) : v[k];
        }
        brn_dense_cross3(u, v, n);
        const double reach = 3.0 * reach_along(model, b->pose[i].position, n);
        const double half = reach > 0.0 && isfinite(reach) ? reach : 1.0;
        brn_mesh *mesh = brn_builder_form(b, i)->mesh;
        for (int a = 0; a < mesh->nnode; ++a) {
            for (int k = 0; k < 3; ++k) {
                mesh->pos[a][k] *= half;
            }
        }
        place_nodes(b, &b->pose[i], mesh, body->node_first);
    }
}
