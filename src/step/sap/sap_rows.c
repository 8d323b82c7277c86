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
    int count, row[2];
    double j[2][9];
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

static parts parts_of(const brn_sap *sap, int row)
{
    const int dim = sap->model->dim;
    const int rigid = sap->row_rigid[row];
    parts p = {.count = rigid < 0 ? 1 : 2, .row = {row}};
    for (int i = 0; i < dim; ++i) {
        p.j[0][i * dim + i] = 1.0;
    }
    if (rigid >= 0) {
        const brn_sap_rigid *r = &sap->rigid[rigid];
        p.row[0] = r->row;
        p.row[1] = r->row + 1;
        arm_matrix(dim, r->arm_now[row - r->handle_row], p.j[1]);
    }
    return p;
}

/* ---- making ----------------------------------------------------------------------------------------------------------------- */

/* Blocks between all rows that the blocks of the system's matrix stand for. */
static brn_status make_pattern(brn_sap *sap, int nrow)
{
    const brn_block_matrix *from = sap->system->matrix;
    const int nblock = from->start[from->n];
    int *pair = NULL;
    int n = 0;
    BRN_ALLOC(sap->ctx, sap->place, nblock);
    BRN_ALLOC(sap->ctx, pair, 8 * ((size_t)nblock + 1) + 2 * (size_t)sap->nrigid);
    for (int row = 0; row < from->n; ++row) {
        for (int b = from->start[row]; b < from->start[row + 1]; ++b) {
            const parts p = parts_of(sap, row);
            const parts q = parts_of(sap, from->column[b]);
            for (int k = 0; k < p.count * q.count; ++k) {
                pair[2 * n] = p.row[k / q.count];
                pair[2 * n++ + 1] = q.row[k % q.count];
            }
        }
    }
    for (int i = 0; i < sap->nrigid; ++i) {
        pair[2 * n] = sap->rigid[i].row;
        pair[2 * n++ + 1] = sap->rigid[i].row + 1;
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

brn_status brn_sap_make_rows(brn_sap *sap)
{
    const brn_model *model = sap->model;
    const int dim = model->dim;
    sap->nrigid = brn_rigid_count(model);
    const int nrow = model->nrow + 2 * sap->nrigid;
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
    for (int b = 0; b < model->nbody; ++b) {
        if (model->body[b].type != BRN_BODY_RIGID) {
            continue;
        }
        brn_sap_make_rigid(sap, b, &sap->rigid[n]);
        sap->rigid[n].row = model->nrow + 2 * n;
        const int first = sap->rigid[n].handle_row;
        for (int k = 0; k <= dim; ++k) {
            sap->row_rigid[first + k] = n;
            memset(&sap->fixed[(first + k) * dim], 1, (size_t)dim);
        }
        sap->fixed[(sap->rigid[n].row + 1) * dim + dim - 1] = dim == 2; /* no second angle */
        ++n;
    }
    for (int k = 0; k < sap->nrigid; ++k) {
        sap->rigid[k].welded = is_welded(sap, k);
    }
    return make_pattern(sap, nrow);
}

/* ---- where u leads ------------------------------------------------------------------------------------------------------------ */

/* A hand pulls at a rigid body by its handles. */
static bool is_dragged(const brn_sap *sap, const brn_sap_rigid *r)
{
    const brn_drag *drag = &sap->system->controls->drag;
    const int handle = sap->model->body[r->body].handle;
    bool dragged = false;
    for (int k = 0; drag->node >= 0 && k < drag->on.count; ++k) {
        dragged = dragged || (drag->on.node[k] >= handle && drag->on.node[k] <= handle + sap->model->dim);
    }
    return dragged;
}

void brn_sap_start(brn_sap *sap, const brn_state *in)
{
    const brn_memory *last = brn_state_recall(in, MEMORY);
    for (int dof = 0; dof < sap->system->ndof; ++dof) {
        sap->u[dof] = last != NULL ? last->value[dof] : in->node_vel[brn_model_at(sap->model, dof)];
    }
    for (int k = 0; k < sap->nrigid; ++k) {
        brn_sap_rigid *r = &sap->rigid[k];
        r->pulled = r->welded || is_dragged(sap, r);
        brn_sap_coast(sap, in, r);
        brn_sap_write(sap, r, r->rate, sap->u);
    }
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
        brn_sap_place_rigid(sap, &sap->rigid[k]);
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
    const double share = scale / sap->newton->scheme->s; /* of inertia: 2 for the midpoint rule */
    brn_block_matrix *a = sap->a;
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
                       sap->rigid[sap->row_rigid[row]].pulled) {
                const parts p = parts_of(sap, row);
                const parts q = parts_of(sap, from->column[b]);
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
        double *mass = &a->value[(size_t)a->start[r->row] * (size_t)square];
        double *turning = &a->value[(size_t)a->start[r->row + 1] * (size_t)square];
        for (int i = 0; i < dim; ++i) {
            mass[i * dim + i] += share * r->mass;
        }
        if (dim == 2) {
            turning[0] += share * r->inertia[8];
            turning[3] = 1.0;
        } else {
            for (int i = 0; i < 9; ++i) {
                turning[i] += share * r->inertia[i];
            }
        }
    }
}

brn_status brn_sap_unbalanced(brn_sap *sap)
{
    brn_newton *n = sap->newton;
    brn_sap_place(sap);
    BRN_TRY(brn_newton_forces(n));
    for (int dof = 0; dof < sap->system->ndof; ++dof) {
        sap->gradient[dof] = sap->fixed[dof] ? 0.0 : -sap->h * n->unbalanced[dof];
    }
    for (int k = 0; k < sap->nrigid; ++k) {
        brn_sap_rigid *r = &sap->rigid[k];
        double left[6];
        brn_sap_gather(sap, r);
        brn_sap_inertia(sap, r, left);
        for (int i = 0; i < 6; ++i) {
            left[i] -= sap->h * r->force[i];
        }
        brn_sap_write(sap, r, left, sap->gradient);
    }
    return BRN_OK;
}

brn_status brn_sap_linearise(brn_sap *sap, brn_tangent tangent)
{
    BRN_TRY(brn_sap_unbalanced(sap));
    BRN_TRY(brn_newton_assemble(sap->newton, tangent));
    reduce_matrix(sap);
    return BRN_OK;
}
