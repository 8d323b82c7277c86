/* Small models made by hand for the tests of output: 3D = a block of tets, a block of hexes and a static floor of two
   triangles; 2D = a patch of tri6 and a static floor of one edge. */
#ifndef BRN_TESTS_UNIT_OUTPUT_MODEL_H
#define BRN_TESTS_UNIT_OUTPUT_MODEL_H

#include "test.h"

#include "contact/points.h"
#include "model/model.h"
#include "phys/solid.h"
#include "state/state.h"

static const brn_moduli test_moduli = {.lambda = 2.0e5, .mu = 1.0e5};

static inline const brn_material *test_material(const char *name)
{
    for (int i = 0; i < brn_material_count(); ++i) {
        if (strcmp(brn_material_get(i)->table->name, name) == 0) {
            return brn_material_get(i);
        }
    }
    fail_msg("no material %s", name);
    return NULL;
}

/* Nodes of an n x n x n block at `at`; returns the number of the next node. */
static inline int test_grid(double (*pos)[3], int first, int n, const double at[3])
{
    for (int k = 0; k <= n; ++k) {
        for (int j = 0; j <= n; ++j) {
            for (int i = 0; i <= n; ++i, ++first) {
                pos[first][0] = at[0] + (double)i / n;
                pos[first][1] = at[1] + (double)j / n;
                pos[first][2] = at[2] + (double)k / n;
            }
        }
    }
    return first;
}

static inline void test_body(brn_ctx *ctx, brn_model *model, int b, const char *name, int nnode,
                             brn_cell kind, const int *conn, int nelem)
{
    brn_body *body = &model->body[b];
    body->name = brn_strdup(ctx, name);
    body->type = BRN_BODY_DEFORMABLE;
    body->plane[0] = -1;
    body->node_first = b > 0 ? model->body[b - 1].node_first + model->body[b - 1].node_count : 0;
    body->node_count = nnode;
    body->group_first = model->ngroup;
    body->group_count = 1;
    body->elem_count = nelem;
    brn_solid *solid = NULL;
    assert_done(ctx, brn_solid_create(ctx, kind, test_material("stvk"), &test_moduli,
                                      (const double(*)[3])model->rest, conn, nelem, &solid));
    model->group[model->ngroup++] = &solid->group;
    model->nelem += nelem;
    brn_mesh *mesh = NULL;
    assert_done(ctx, brn_mesh_create(ctx, model->nnode, &mesh));
    memcpy(mesh->pos, model->rest, (size_t)model->nnode * sizeof *mesh->pos);
    assert_done(ctx, brn_mesh_alloc_cells(mesh, kind, nelem));
    memcpy(mesh->cell[kind], conn, (size_t)nelem * (size_t)brn_cell_get(kind)->nnode * sizeof(int));
    assert_done(ctx, brn_boundary_create(mesh, &body->boundary));
    brn_mesh_destroy(mesh);
}

static inline void test_floor(brn_ctx *ctx, brn_model *model, int b, int first, int ntri, int nedge)
{
    brn_body *body = &model->body[b];
    body->name = brn_strdup(ctx, "floor <&>");
    body->type = BRN_BODY_STATIC;
    body->plane[0] = first;
    body->node_first = first;
    body->node_count = model->nnode - first;
    body->group_first = model->ngroup;
    body->boundary = brn_calloc(ctx, 1, sizeof *body->boundary);
    body->boundary->ctx = ctx;
    body->boundary->ntri = ntri;
    body->boundary->tri = brn_calloc(ctx, (size_t)ntri, sizeof *body->boundary->tri);
    body->boundary->nedge = nedge;
    body->boundary->edge = brn_calloc(ctx, (size_t)nedge, sizeof *body->boundary->edge);
    for (int t = 0; t < ntri; ++t) {
        for (int i = 0; i < 3; ++i) {
            body->boundary->tri[t][i] = first + (t + i) % 4;
        }
    }
    for (int e = 0; e < nedge; ++e) {
        body->boundary->edge[e][0] = first + e;
        body->boundary->edge[e][1] = first + e + 1;
    }
}

static inline brn_model *test_model_start(brn_ctx *ctx, int dim, int nnode, int nbody)
{
    brn_model *model = brn_calloc(ctx, 1, sizeof *model);
    model->ctx = ctx;
    model->dim = dim;
    model->nnode = nnode;
    model->nbody = nbody;
    model->rest = brn_calloc(ctx, (size_t)nnode, sizeof *model->rest);
    model->body = brn_calloc(ctx, (size_t)nbody, sizeof *model->body);
    model->group = brn_calloc(ctx, (size_t)nbody, sizeof *model->group);
    model->fields[BRN_FIELD_STRESS] = true;
    model->fields[BRN_FIELD_VELOCITY] = true;
    model->fields[BRN_FIELD_FORCE] = true;
    return model;
}

/* n cells along each edge of both blocks. */
static inline brn_model *test_model_3d(brn_ctx *ctx, int n)
{
    /* The six tets around the diagonal of a cube, corners as bits x, y, z [Kuhn's triangulation]. */
    static const int kuhn[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                   {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    static const int hex[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    const int m = n + 1;
    const int block = m * m * m;
    brn_model *model = test_model_start(ctx, 3, 2 * block + 4, 3);
    (void)test_grid(model->rest, 0, n, (const double[3]){0.0, 0.0, 0.0});
    (void)test_grid(model->rest, block, n, (const double[3]){2.0, 0.5, 0.25});
    for (int i = 0; i < 4; ++i) {
        model->rest[2 * block + i][0] = i == 1 || i == 2 ? 4.0 : -1.0;
        model->rest[2 * block + i][1] = i >= 2 ? 3.0 : -1.0;
        model->rest[2 * block + i][2] = -0.5;
    }
    int *tets = malloc((size_t)(6 * n * n * n) * 4 * sizeof(int));
    int *hexes = malloc((size_t)(n * n * n) * 8 * sizeof(int));
    int cube = 0;
    for (int k = 0; k < n; ++k) {
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i, ++cube) {
                int corner[8];
                for (int c = 0; c < 8; ++c) {
                    corner[c] = i + (c & 1) + m * (j + ((c >> 1) & 1) + m * (k + (c >> 2)));
                }
                for (int t = 0; t < 24; ++t) {
                    tets[24 * cube + t] = corner[kuhn[t / 4][t % 4]];
                }
                for (int c = 0; c < 8; ++c) {
                    hexes[8 * cube + c] = block + corner[hex[c]];
                }
            }
        }
    }
    test_body(ctx, model, 0, "tets", block, BRN_TET4, tets, 6 * cube);
    test_body(ctx, model, 1, "a \"bar\", odd", block, BRN_HEX8, hexes, cube);
    test_floor(ctx, model, 2, 2 * block, 2, 0);
    free(tets);
    free(hexes);
    return model;
}

/* Two tri6 (a unit square) and an edge below. */
static inline brn_model *test_model_2d(brn_ctx *ctx)
{
    static const double at[9][2] = {{0, 0},  {1, 0},   {1, 1},  {0, 1}, {.5, 0},
                                    {1, .5}, {.5, .5}, {.5, 1}, {0, .5}};
    static const int conn[12] = {0, 1, 2, 4, 5, 6, 0, 2, 3, 6, 7, 8};
    brn_model *model = test_model_start(ctx, 2, 11, 2);
    for (int i = 0; i < 9; ++i) {
        memcpy(model->rest[i], at[i], sizeof at[i]);
    }
    model->rest[9][0] = -1.0;
    model->rest[10][0] = 2.0;
    model->rest[9][1] = model->rest[10][1] = -0.5;
    test_body(ctx, model, 0, "patch", 9, BRN_TRI6, conn, 2);
    test_floor(ctx, model, 1, 9, 0, 1);
    return model;
}

static inline void test_model_free(brn_model *model)
{
    brn_ctx *ctx = model->ctx;
    for (int b = 0; b < model->nbody; ++b) {
        brn_free(ctx, model->body[b].name);
        brn_boundary_destroy(model->body[b].boundary);
    }
    for (int g = 0; g < model->ngroup; ++g) {
        brn_group_destroy(model->group[g]);
    }
    brn_free(ctx, model->group);
    brn_free(ctx, model->body);
    brn_free(ctx, model->rest);
    brn_free(ctx, model);
}

/* A state of the model that depends on the step only. */
static inline void test_pose(const brn_model *model, brn_state *state, int64_t step)
{
    state->step = step;
    for (int n = 0; n < model->nnode; ++n) {
        const double *x = model->rest[n];
        for (int i = 0; i < 3; ++i) {
            const double wave =
                i < model->dim ? sin(0.3 * (double)step + 2.0 * x[0] + 3.0 * x[1] + x[2] + i) : 0.0;
            state->node_pos[3 * n + i] = x[i] + 0.02 * wave;
            state->node_vel[3 * n + i] = i < model->dim ? wave / 3.0 : 0.0;
        }
    }
}

/* Contacts of a frame, [TEST_POINTS] at most: none, a few, or more than a chunk of the file. Returns their number. */
enum { TEST_POINTS = 1100 };
static inline int test_points(const brn_model *model, int frame, brn_contact_point *point)
{
    const int n = model->nbody == 0 ? 0 : frame % 12 == 3 ? TEST_POINTS : 7 * frame % 5;
    for (int k = 0; k < n; ++k) {
        brn_contact_point *p = &point[k];
        memset(p, 0, sizeof *p);
        p->body[0] = k % model->nbody;
        p->body[1] = (k + frame) % model->nbody;
        for (int i = 0; i < 3; ++i) {
            p->place[i] = sin(1.0 + k + 3.0 * i + frame);
            p->normal[i] = i == k % 3 ? 1.0 : 0.0;
            p->friction[i] = i == k % 3 ? 0.0 : cos(k + i);
            p->slip[i] = -1e-3 * p->friction[i];
        }
        p->gap = 1e-4 / (1 + k);
        p->normal_force = 3.0 + k;
        p->mu = 0.1 * (k % 4);
    }
    return n;
}

static inline brn_state *test_state(brn_ctx *ctx, const brn_model *model)
{
    brn_state *state = NULL;
    const brn_state_sizes sizes = {.nnode = model->nnode};
    assert_done(ctx, brn_state_create(ctx, &sizes, &state));
    return state;
}

#endif
