#include "linalg/dense.h"
#include "model/rigid_pose.h"
#include "step/newton_inner.h"
#include "step/sap/sap.h"

#include <math.h>
#include <string.h>

/* Mean velocities of the last step in the state's memory. */
static const char *const MEMORY = "sap.velocity";

/* A row of the model in rows of the problem: v = sum_k j_k v_k. */
typedef struct parts {
    int count, row[BRN_SAP_PATH_MAX];
    double own[2][9];
    const double *j[BRN_SAP_PATH_MAX]; /* in `own`, or a link's */
} parts;

/* w x r as a matrix on w, [dim][dim]; in 2D w is the first of two numbers. */
static void arm_matrix(int dim, const double r[3], double j[9])
{
    if (dim == 2) {
        const double flat[4] = {-r[1], 0.0, r[0], 0.0};
        memcpy(j, flat, sizeof flat);
    } else {
        const double full[9] = {0.0, r[2], -r[1], -r[2], 0.0, r[0], r[1], -r[0], 0.0};
        memcpy(j, full, sizeof full);
    }
}

/* along: where arms are taken, 0 at the start of the step, 1 where forces are evaluated; of links half-way or there. */
static void set_parts_at(const brn_sap *sap, int row, double along, parts *p)
{
    const int dim = sap->model->dim;
    const int rigid = sap->row_rigid[row];
    const brn_sap_rigid *r = rigid >= 0 ? &sap->rigid[rigid] : NULL;
    if (r != NULL && r->tree >= 0) {
        const int *path = brn_sap_path(sap, r);
        p->count = r->path;
        for (int k = 0; k < r->path; ++k) {
            p->row[k] = sap->tree[r->tree].row + path[k];
            p->j[k] = &(along == 1.0 ? r->j_now : r->j_half)[((row - r->handle_row) * r->path + k) * 9];
        }
        return;
    }
    memset(p->own, 0, sizeof p->own);
    p->count = r == NULL ? 1 : 2;
    p->row[0] = row;
    p->j[0] = p->own[0];
    p->j[1] = p->own[1];
    for (int i = 0; i < dim; ++i) {
        p->own[0][i * dim + i] = 1.0;
    }
    if (r != NULL) {
        p->row[0] = r->row;
        p->row[1] = r->row + 1;
        const double *from = r->arm[row - r->handle_row];
        const double *to = r->arm_now[row - r->handle_row];
        double arm[3];
        for (int i = 0; i < 3; ++i) {
            arm[i] = along == 1.0 ? to[i] : from[i] + along * (to[i] - from[i]);
        }
        arm_matrix(dim, arm, p->own[1]);
    }
}

static void set_parts(const brn_sap *sap, int row, parts *p)
{
    set_parts_at(sap, row, 1.0, p);
}

void brn_sap_add_row(brn_sap *sap, brn_sap_constraint *c, int row, double along, double weight)
{
    parts p;
    set_parts_at(sap, row, along, &p);
    for (int k = 0; k < p.count; ++k) {
        brn_sap_block *b = brn_sap_block_for(sap, c, p.row[k]);
        for (int i = 0; i < sap->model->dim * sap->model->dim; ++i) {
            b->j[i] += weight * p.j[k][i];
        }
    }
}

/* ---- making ----------------------------------------------------------------------------------------------------------------- */

/* Blocks between all rows that the blocks of the system's matrix stand for. */
static brn_status make_pattern(brn_sap *sap, int nrow)
{
    const brn_block_matrix *from = sap->system->matrix;
    const int nblock = from->start[from->n];
    int *pair = NULL;
    int n = 0;
    parts p;
    parts q;
    size_t most = 2 * (size_t)sap->nrigid;
    for (int row = 0; row < from->n; ++row) {
        for (int b = from->start[row]; b < from->start[row + 1]; ++b) {
            set_parts(sap, row, &p);
            set_parts(sap, from->column[b], &q);
            most += 2 * (size_t)p.count * (size_t)q.count;
        }
    }
    for (int k = 0; k < sap->ntree; ++k) {
        most += 2 * (size_t)sap->tree[k].nrow * (size_t)sap->tree[k].nrow;
    }
    BRN_ALLOC(sap->ctx, sap->place, nblock);
    BRN_ALLOC(sap->ctx, pair, most + 1);
    for (int row = 0; row < from->n; ++row) {
        for (int b = from->start[row]; b < from->start[row + 1]; ++b) {
            set_parts(sap, row, &p);
            set_parts(sap, from->column[b], &q);
            for (int k = 0; k < p.count * q.count; ++k) {
                pair[2 * n] = p.row[k / q.count];
                pair[2 * n++ + 1] = q.row[k % q.count];
            }
        }
    }
    for (int i = 0; i < sap->nrigid; ++i) {
        if (sap->rigid[i].tree < 0) {
            pair[2 * n] = sap->rigid[i].row;
            pair[2 * n++ + 1] = sap->rigid[i].row + 1;
        }
    }
    for (int i = 0; i < sap->ntree; ++i) {
        const brn_sap_tree *t = &sap->tree[i];
        for (int k = 0; k < t->nrow * t->nrow; ++k) {
            pair[2 * n] = t->row + k / t->nrow;
            pair[2 * n++ + 1] = t->row + k % t->nrow;
        }
    }
    const brn_stencils list = {n, 2, pair};
    const brn_status status = brn_block_matrix_create(sap->ctx, nrow, sap->model->dim, &list, 1, &sap->a);
    brn_free(sap->ctx, pair);
    BRN_TRY(status);
    for (int row = 0; row < from->n; ++row) {
        for (int b = from->start[row]; b < from->start[row + 1]; ++b) {
            const bool own = sap->row_rigid[row] < 0 && sap->row_rigid[from->column[b]] < 0;
            sap->place[b] = own ? brn_block_matrix_find(sap->a, row, from->column[b]) : -1;
        }
    }
    return BRN_OK;
}

/* Whether elements of other bodies pull at a rigid body: else its matrix is that of its inertia alone. */
static bool is_welded(const brn_sap *sap, int rigid)
{
    const brn_block_matrix *from = sap->system->matrix;
    const brn_sap_rigid *r = &sap->rigid[rigid];
    const int first = r->handle_row;
    const int end = first + sap->model->dim + 1;
    bool other = false;
    for (int row = first; row < end && !other; ++row) {
        for (int b = from->start[row]; b < from->start[row + 1] && !other; ++b) {
            other = from->column[b] < first || from->column[b] >= end;
        }
        other = other || (from->lower_start[row] < from->lower_start[row + 1] &&
                          from->lower_row[from->lower_start[row]] < first);
    }
    return other;
}

/* Rows of robots, behind those of rigid bodies; Jacobians of their links. */
static brn_status make_trees(brn_sap *sap)
{
    const brn_model *model = sap->model;
    size_t count = 0;
    for (int k = 0; k < sap->nrigid; ++k) {
        brn_sap_rigid *r = &sap->rigid[k];
        const brn_sap_tree *t = r->tree >= 0 ? &sap->tree[r->tree] : NULL;
        const int link = model->body[r->body].link;
        r->path = t != NULL ? t->path_first[link + 1] - t->path_first[link] : 0;
        count += 72 * (size_t)r->path;
    }
    BRN_ALLOC(sap->ctx, sap->link_numbers, count + 1);
    double *at = sap->link_numbers;
    for (int k = 0; k < sap->nrigid; ++k) {
        brn_sap_rigid *r = &sap->rigid[k];
        r->j_half = at;
        r->j_now = at + 36 * r->path;
        at += 72 * r->path;
        if (r->tree >= 0) {
            brn_sap_make_link(sap, &sap->tree[r->tree], r);
        }
    }
    return BRN_OK;
}

/* Where each robot's rows stand, and how many rows there are in all. */
static brn_status count_rows(brn_sap *sap, int *nrow)
{
    const brn_model *model = sap->model;
    *nrow = model->nrow;
    for (int b = 0; b < model->nbody; ++b) {
        *nrow += model->body[b].type == BRN_BODY_RIGID && model->body[b].robot < 0 ? 2 : 0;
    }
    BRN_ALLOC(sap->ctx, sap->tree, model->nrobot + 1);
    for (int k = 0; k < model->nrobot; ++k) {
        brn_sap_tree *t = &sap->tree[sap->ntree++];
        t->index = k;
        BRN_TRY(brn_sap_make_tree(sap, model->robot[k], t));
        t->row = *nrow;
        *nrow += t->nrow;
    }
    return BRN_OK;
}

brn_status brn_sap_make_rows(brn_sap *sap)
{
    const brn_model *model = sap->model;
    const int dim = model->dim;
    int nrow = 0;
    sap->nrigid = brn_rigid_count(model);
    BRN_TRY(count_rows(sap, &nrow));
    BRN_ALLOC(sap->ctx, sap->rigid, sap->nrigid + 1);
    BRN_ALLOC(sap->ctx, sap->row_rigid, model->nrow + 1);
    BRN_ALLOC(sap->ctx, sap->fixed, nrow * dim + 1);
    double **const vectors[] = {&sap->u, &sap->start, &sap->gradient, &sap->pushed};
    for (int k = 0; k < BRN_COUNT(vectors); ++k) {
        BRN_ALLOC(sap->ctx, *vectors[k], nrow * dim + 1);
    }
    BRN_ALLOC(sap->ctx, sap->push, sap->system->ndof + 1);
    for (int row = 0; row < model->nrow; ++row) {
        sap->row_rigid[row] = -1;
        for (int i = 0; i < dim; ++i) {
            sap->fixed[row * dim + i] = model->fixed[row * dim + i] != BRN_DOF_FREE;
        }
    }
    int n = 0;
    int row = model->nrow;
    for (int b = 0; b < model->nbody; ++b) {
        if (model->body[b].type != BRN_BODY_RIGID) {
            continue;
        }
        brn_sap_rigid *r = &sap->rigid[n];
        brn_sap_make_rigid(sap, b, r);
        r->tree = model->body[b].robot;
        for (int k = 0; k <= dim; ++k) {
            sap->row_rigid[r->handle_row + k] = n;
            memset(&sap->fixed[(r->handle_row + k) * dim], 1, (size_t)dim);
        }
        if (r->tree < 0) {
            r->row = row;
            row += 2;
            sap->fixed[(r->row + 1) * dim + dim - 1] = dim == 2; /* no second angle */
        }
        ++n;
    }
    for (int k = 0; k < sap->ntree; ++k) {
        const brn_sap_tree *t = &sap->tree[k];
        for (int i = t->robot->tree->nv; i < 3 * t->nrow; ++i) {
            sap->fixed[3 * t->row + i] = 1;
        }
    }
    for (int k = 0; k < sap->nrigid; ++k) {
        sap->rigid[k].welded = is_welded(sap, k);
    }
    BRN_TRY(make_trees(sap));
    return make_pattern(sap, nrow);
}

/* ---- where u leads ------------------------------------------------------------------------------------------------------------ */

brn_status brn_sap_start(brn_sap *sap, const brn_state *in)
{
    const brn_memory *last = brn_state_recall(in, MEMORY);
    for (int dof = 0; dof < sap->system->ndof; ++dof) {
        sap->u[dof] = last != NULL ? last->value[dof] : in->node_vel[brn_model_at(sap->model, dof)];
    }
    for (int k = 0; k < sap->nrigid; ++k) {
        brn_sap_rigid *r = &sap->rigid[k];
        if (r->tree < 0) {
            brn_sap_coast(sap, in, r);
            brn_sap_write(sap, r, r->rate, sap->u);
        }
    }
    for (int k = 0; k < sap->ntree; ++k) {
        BRN_TRY(brn_sap_coast_tree(sap, in, &sap->tree[k]));
        brn_sap_write_tree(&sap->tree[k], sap->tree[k].v0, sap->u);
    }
    return BRN_OK;
}

brn_status brn_sap_remember(const brn_sap *sap, brn_state *out)
{
    double *memory = NULL;
    if (!sap->soft) {
        return BRN_OK;
    }
    BRN_TRY(brn_state_remember(out, MEMORY, (size_t)sap->system->ndof, &memory));
    memcpy(memory, sap->u, (size_t)sap->system->ndof * sizeof *memory);
    return BRN_OK;
}

void brn_sap_place(brn_sap *sap)
{
    const brn_model *model = sap->model;
    brn_newton *n = sap->newton;
    const int dim = model->dim;
    for (int row = 0; row < model->nrow; ++row) {
        for (int i = 0; i < dim && sap->row_rigid[row] < 0; ++i) {
            const int dof = row * dim + i;
            const double held = n->scheme->held[dof];
            const bool there = model->fixed[dof] == BRN_DOF_HELD && sap->u[dof] == held / sap->h;
            n->y[dof] = there ? held : sap->h * sap->u[dof]; /* to the last bit */
        }
    }
    for (int k = 0; k < sap->nrigid; ++k) {
        if (sap->rigid[k].tree < 0) {
            brn_sap_place_rigid(sap, &sap->rigid[k]);
        }
    }
    for (int k = 0; k < sap->ntree; ++k) {
        brn_sap_place_tree(sap, &sap->tree[k]);
    }
    brn_model_follow(model, n->y);
}

/* ---- forces and their tangent ------------------------------------------------------------------------------------------------- */

/* Adds h^2 L' B R for the parts of both sides of a block. */
static void add_parts(brn_sap *sap, const parts *p, const parts *q, const double *block, bool diagonal)
{
    const int dim = sap->model->dim;
    brn_block_matrix *a = sap->a;
    const double scale = sap->h * sap->h;
    for (int k = 0; k < p->count; ++k) {
        for (int l = 0; l < q->count; ++l) {
            const bool turned = p->row[k] > q->row[l];
            const int at = turned ? brn_block_matrix_find(a, q->row[l], p->row[k])
                                  : brn_block_matrix_find(a, p->row[k], q->row[l]);
            double *to = &a->value[(size_t)at * (size_t)(dim * dim)];
            if (diagonal && turned) {
                continue; /* a block of the diagonal stands for both triangles */
            }
            for (int i = 0; i < dim; ++i) {
                for (int j = 0; j < dim; ++j) {
                    double sum = 0.0;
                    for (int s = 0; s < dim * dim; ++s) {
                        sum += p->j[k][s / dim * dim + i] * block[s] * q->j[l][s % dim * dim + j];
                    }
                    to[turned ? j * dim + i : i * dim + j] += scale * sum;
                    if (!diagonal &&
                        p->row[k] == q->row[l]) { /* two handles of one body: the transpose too */
                        to[j * dim + i] += scale * sum;
                    }
                }
            }
        }
    }
}

static void reduce_matrix(brn_sap *sap)
{
    const brn_block_matrix *from = sap->newton->matrix;
    const int dim = sap->model->dim;
    const int square = dim * dim;
    const double scale = sap->h * sap->h;
    brn_block_matrix *a = sap->a;
    parts p;
    parts q;
    brn_block_matrix_zero(a);
    for (int row = 0; row < from->n; ++row) {
        for (int b = from->start[row]; b < from->start[row + 1]; ++b) {
            const double *block = &from->value[(size_t)b * (size_t)square];
            if (sap->place[b] >= 0) {
                double *to = &a->value[(size_t)sap->place[b] * (size_t)square];
                for (int i = 0; i < square; ++i) {
                    to[i] = scale * block[i];
                }
            } else if (sap->row_rigid[row] < 0 || sap->row_rigid[from->column[b]] != sap->row_rigid[row] ||
                       sap->rigid[sap->row_rigid[row]].welded) {
                set_parts(sap, row, &p);
                set_parts(sap, from->column[b], &q);
                double own[9];
                memcpy(own, block, (size_t)square * sizeof *own);
                for (int i = 0; i < dim && row == from->column[b]; ++i) { /* its mass comes below */
                    own[i * dim + i] -=
                        sap->model->node_mass[sap->model->row_node[row]] / sap->newton->scheme->s;
                }
                add_parts(sap, &p, &q, own, row == from->column[b]);
            }
        }
    }
    for (int k = 0; k < sap->nrigid; ++k) {
        const brn_sap_rigid *r = &sap->rigid[k];
        if (r->tree >= 0) {
            continue;
        }
        double *mass = &a->value[(size_t)a->start[r->row] * (size_t)square];
        double *turning = &a->value[(size_t)a->start[r->row + 1] * (size_t)square];
        for (int i = 0; i < dim; ++i) {
            mass[i * dim + i] += sap->share * r->mass;
        }
        if (dim == 2) {
            turning[0] += sap->share * r->inertia[8];
            turning[3] = 1.0;
        } else {
            for (int i = 0; i < 9; ++i) {
                turning[i] += sap->share * r->inertia[i];
            }
        }
    }
    for (int k = 0; k < sap->ntree; ++k) {
        brn_sap_tree_matrix(sap, &sap->tree[k]);
    }
}

/* The gradient at u with elements as they are at n->y, and their tangent if it is wanted. */
static brn_status find_gradient(brn_sap *sap, const brn_tangent *tangent)
{
    brn_newton *n = sap->newton;
    BRN_TRY(brn_newton_forces(n, tangent));
    for (int dof = 0; dof < sap->system->ndof; ++dof) {
        sap->gradient[dof] = sap->fixed[dof] ? 0.0 : -sap->h * n->unbalanced[dof];
    }
    for (int k = 0; k < sap->nrigid; ++k) {
        brn_sap_rigid *r = &sap->rigid[k];
        double left[6];
        if (r->tree >= 0) {
            continue;
        }
        brn_sap_gather(sap, r);
        brn_sap_inertia(sap, r, left);
        for (int i = 0; i < 6; ++i) {
            left[i] -= sap->h * r->force[i];
        }
        brn_sap_write(sap, r, left, sap->gradient);
    }
    for (int k = 0; k < sap->ntree; ++k) {
        brn_sap_tree_gradient(sap, &sap->tree[k]);
    }
    return BRN_OK;
}

brn_status brn_sap_unbalanced(brn_sap *sap)
{
    brn_sap_place(sap);
    return find_gradient(sap, NULL);
}

brn_status brn_sap_linearise(brn_sap *sap, brn_tangent tangent)
{
    brn_sap_place(sap);
    BRN_TRY(find_gradient(sap, &tangent));
    BRN_TRY(brn_newton_complete(sap->newton, tangent));
    reduce_matrix(sap);
    return BRN_OK;
}

/* u = 0 and no way for nodes, and for what is rigid and elements pull at. */
static void go_back(brn_sap *sap)
{
    static const double none[6] = {0.0};
    double *y = sap->newton->y;
    const int dim = sap->model->dim;
    memset(sap->u, 0, (size_t)sap->system->ndof * sizeof *sap->u);
    for (int row = 0; row < sap->model->nrow; ++row) {
        const brn_sap_rigid *r = sap->row_rigid[row] >= 0 ? &sap->rigid[sap->row_rigid[row]] : NULL;
        if (r == NULL || r->tree >= 0 || r->welded) {
            memset(&y[row * dim], 0, (size_t)dim * sizeof *y);
        }
        if (r != NULL && r->tree < 0 && r->welded) {
            brn_sap_write(sap, r, none, sap->u);
        }
    }
    for (int k = 0; k < sap->ntree; ++k) {
        memset(&sap->u[3 * sap->tree[k].row], 0, 3 * (size_t)sap->tree[k].nrow * sizeof *sap->u);
    }
    brn_model_follow(sap->model, y);
}

brn_status brn_sap_linearise_start(brn_sap *sap)
{
    const brn_tangent tangent = BRN_TANGENT_LAGGED;
    brn_sap_place(sap); /* Jacobians are those of where it leads */
    go_back(sap);
    BRN_TRY(find_gradient(sap, &tangent));
    BRN_TRY(brn_newton_complete(sap->newton, tangent));
    reduce_matrix(sap);
    return BRN_OK;
}
