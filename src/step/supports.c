/* A rigid motion of a body is a combination of modes: shifts along the axes and turns about them through its centre. A held dof,
   a tied node and a spring each ask that one number vanishes: a row r of coefficients of the modes of one or two bodies. What
   is free is the null space of the sum of r r^T. */
#include "step/supports.h"

#include "linalg/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MODES = 6, MEMBERS_MAX = 64 }; /* larger assemblies are left to the solver */
/* Eigenvalues below this share of the largest count as 0: lengths are scaled by the size of the bodies. */
static const double SMALL = 1e-9;

typedef struct finder {
    const brn_model *model;
    int nmode;    /* 6, or 3 in 2D */
    double size;  /* [m] of turns: they move a node at this distance by 1 */
    int *body_of; /* [nnode] */
    int *root;    /* [nbody] bodies that move together have the same one */
    int *member;  /* [nbody] number among those of its root */
    int chosen;   /* root that rows are gathered for */
    int nmember;
    double *sum; /* [nmember * nmode]^2 */
} finder;

static int root_of(const finder *f, int body)
{
    while (f->root[body] != body) {
        body = f->root[body];
    }
    return body;
}

/* Component along `dir` of each mode of a body at a place, times scale, added to row. */
static void add_modes(const finder *f, int body, const double x[3], const double dir[3], double scale,
                      double row[MODES])
{
    const double *c = f->model->body[body].centre;
    const double arm[3] = {(x[0] - c[0]) / f->size, (x[1] - c[1]) / f->size, (x[2] - c[2]) / f->size};
    double turn[3];
    brn_dense_cross3(arm, dir, turn); /* (e_m x arm) . dir = e_m . (arm x dir) */
    for (int i = 0; i < f->model->dim; ++i) {
        row[i] += scale * dir[i];
    }
    for (int i = 0; i < (f->nmode == MODES ? 3 : 1); ++i) {
        row[f->model->dim + i] += scale * turn[f->nmode == MODES ? i : 2];
    }
}

/* A number that must vanish: of one body, or of two (other >= 0). Obstacles do not move. */
static void add_row(finder *f, int body, const double row[MODES], int other, const double other_row[MODES])
{
    const bool moves = other >= 0 && f->model->body[other].type != BRN_BODY_STATIC;
    if (f->sum == NULL) {
        if (moves) {
            f->root[root_of(f, other)] = root_of(f, body);
        }
        return;
    }
    if (root_of(f, body) != f->chosen) {
        return;
    }
    const int n = f->nmember * f->nmode;
    const int at[2] = {f->member[body] * f->nmode, moves ? f->member[other] * f->nmode : 0};
    const double *part[2] = {row, other_row};
    for (int p = 0; p < (moves ? 2 : 1); ++p) {
        for (int q = 0; q < (moves ? 2 : 1); ++q) {
            for (int i = 0; i < f->nmode * f->nmode; ++i) {
                const int r = i / f->nmode;
                const int c = i % f->nmode;
                f->sum[(at[p] + r) * n + at[q] + c] += part[p][r] * part[q][c];
            }
        }
    }
}

static void add_node(finder *f, int a)
{
    const brn_model *model = f->model;
    const int body = f->body_of[a];
    if (model->body[body].type == BRN_BODY_STATIC || model->node_row[a] < 0) {
        return;
    }
    const brn_masters on = brn_model_masters(model, a);
    for (int i = 0; i < model->dim; ++i) {
        const int kind = model->fixed[model->node_row[a] * model->dim + i];
        const double dir[3] = {i == 0, i == 1, i == 2};
        double row[MODES] = {0};
        double other_row[MODES] = {0};
        const int other = kind == BRN_DOF_TIED && on.count > 0 ? f->body_of[on.node[0]] : -1;
        if (kind == BRN_DOF_FREE || other == body) {
            continue;
        }
        add_modes(f, body, model->rest[a], dir, 1.0, row);
        for (int k = 0; k < on.count && other >= 0; ++k) {
            add_modes(f, other, model->rest[on.node[k]], dir, -on.weight[k], other_row);
        }
        add_row(f, body, row, other, other_row);
    }
}

/* Springs between bodies, along their axis. */
static void add_spring(finder *f, const int node[2])
{
    const brn_model *model = f->model;
    const double *x[2] = {model->rest[node[0]], model->rest[node[1]]};
    const double dir[3] = {x[1][0] - x[0][0], x[1][1] - x[0][1], x[1][2] - x[0][2]};
    const double length = sqrt(brn_dense_dot3(dir, dir));
    int body[2] = {f->body_of[node[0]], f->body_of[node[1]]};
    const int first = model->body[body[0]].type == BRN_BODY_STATIC ? 1 : 0;
    if (body[0] == body[1] || !(length > 0.0) || model->body[body[first]].type == BRN_BODY_STATIC) {
        return;
    }
    double row[2][MODES] = {{0}};
    for (int k = 0; k < 2; ++k) {
        add_modes(f, body[k], x[k], dir, (k == 0 ? 1.0 : -1.0) / length, row[k]);
    }
    add_row(f, body[first], row[first], body[1 - first], row[1 - first]);
}

static void add_rows(finder *f)
{
    for (int a = 0; a < f->model->nnode; ++a) {
        add_node(f, a);
    }
    for (int g = 0; g < f->model->ngroup; ++g) {
        const brn_element_group *group = f->model->group[g];
        for (int e = 0; e < group->nelem && group->nnode == 2; ++e) {
            add_spring(f, &group->conn[2 * e]);
        }
    }
}

/* Nullity, and which common shifts lie in the null space. */
static brn_status find_null(finder *f, brn_arena *arena, brn_freedom *out)
{
    const int n = f->nmember * f->nmode;
    double *w = NULL;
    double *v = NULL;
    BRN_TAKE(arena, f->sum, n * n);
    BRN_TAKE(arena, w, n);
    BRN_TAKE(arena, v, n * n);
    memset(f->sum, 0, (size_t)n * (size_t)n * sizeof *f->sum);
    add_rows(f);
    BRN_TRY(brn_dense_eigen_sym(n, f->sum, w, v));
    double shift[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < n && w[k] <= SMALL * w[n - 1]; ++k) {
        out->motions++;
        for (int i = 0; i < f->model->dim; ++i) {
            double part = 0.0;
            for (int m = 0; m < f->nmember; ++m) {
                part += v[(m * f->nmode + i) * n + k];
            }
            shift[i] += part * part / f->nmember;
        }
    }
    for (int i = 0; i < 3; ++i) {
        out->along[i] = shift[i] > 0.99;
    }
    return BRN_OK;
}

static brn_status find(finder *f, brn_arena *arena, brn_freedom *out)
{
    const brn_model *model = f->model;
    double lo[3] = {INFINITY, INFINITY, INFINITY};
    double hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    BRN_TAKE(arena, f->body_of, model->nnode);
    BRN_TAKE(arena, f->root, model->nbody);
    BRN_TAKE(arena, f->member, model->nbody);
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        f->root[b] = b;
        for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
            f->body_of[a] = b;
            for (int i = 0; i < 3 && body->type != BRN_BODY_STATIC; ++i) {
                lo[i] = fmin(lo[i], model->rest[a][i]);
                hi[i] = fmax(hi[i], model->rest[a][i]);
            }
        }
    }
    f->size = fmax(hi[0] - lo[0], fmax(hi[1] - lo[1], hi[2] - lo[2]));
    add_rows(f); /* joins bodies */
    const brn_arena_mark mark = brn_arena_now(arena);
    for (int b = 0; b < model->nbody && out->body < 0; ++b) {
        if (model->body[b].type == BRN_BODY_STATIC || root_of(f, b) != b) {
            continue;
        }
        f->chosen = b;
        f->nmember = 0;
        for (int m = 0; m < model->nbody; ++m) {
            const bool mine = model->body[m].type != BRN_BODY_STATIC && root_of(f, m) == b;
            f->member[m] = mine ? f->nmember++ : -1;
        }
        if (f->nmember <= MEMBERS_MAX) {
            BRN_TRY(find_null(f, arena, out));
        }
        f->sum = NULL;
        out->body = out->motions > 0 ? b : -1;
        brn_arena_rewind(arena, mark);
    }
    return BRN_OK;
}

brn_status brn_supports_find(brn_ctx *ctx, const brn_model *model, brn_freedom *out)
{
    brn_arena *arena = brn_ctx_arena(ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    finder f = {.model = model, .nmode = model->dim == 3 ? MODES : 3};
    *out = (brn_freedom){.body = -1};
    const brn_status status = find(&f, arena, out);
    brn_arena_rewind(arena, mark);
    return status;
}

/* "to move along x and z and to turn" */
static void describe(const brn_freedom *freedom, char *text, size_t size)
{
    int shifts = 0;
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < 3; ++i) {
        if (freedom->along[i]) {
            used += (size_t)snprintf(text + used, size - used, "%s%c",
                                     shifts++ == 0 ? "to move along " : ", ", "xyz"[i]);
        }
    }
    if (freedom->motions > shifts) {
        (void)snprintf(text + used, size - used, "%sto turn", shifts > 0 ? " and " : "");
    }
}

brn_status brn_supports_check(brn_ctx *ctx, const brn_model *model, bool contact, bool *leaning)
{
    brn_freedom freedom;
    *leaning = false;
    BRN_TRY(brn_supports_find(ctx, model, &freedom));
    if (freedom.body < 0) {
        return BRN_OK;
    }
    *leaning = contact && model->nbody > 1;
    if (*leaning) {
        return BRN_OK;
    }
    char free[80];
    describe(&freedom, free, sizeof free);
    const brn_body *body = &model->body[freedom.body];
    return brn_fail(
        ctx, BRN_ERR_SCENE, "body '%s' is free %s: in a static run it floats away; %s", body->name, free,
        body->type == BRN_BODY_RIGID ? "make it of type static, or attach it" : "add an entry to `fixed`");
}
