#include "linalg/dense.h"
#include "model/rigid_pose.h"
#include "phys/rotation.h"
#include "step/newton_inner.h"
#include "step/sap/sap.h"

#include <math.h>
#include <string.h>

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
    BRN_ALLOC(sap->ctx, pair, 8 * ((size_t)nblock + 1) + 2 * (size_t)sap->nrigid);
    BRN_ALLOC(sap->ctx, sap->place, nblock);
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

static void make_rigid(brn_sap *sap, int body, brn_sap_rigid *r)
{
    const brn_model *model = sap->model;
    const brn_body *b = &model->body[body];
    double centre[3];
    *r = (brn_sap_rigid){.body = body, .handle_row = model->node_row[b->handle]};
    brn_body_mean(model, body, &model->rest[0][0], centre);
    for (int k = 0; k <= model->dim; ++k) {
        r->mass += model->node_mass[b->handle + k];
        for (int i = 0; i < model->dim; ++i) {
            r->rest[k][i] = model->rest[b->handle + k][i] - centre[i];
        }
    }
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
    BRN_ALLOC(sap->ctx, sap->rigid_of, model->nbody + 1);
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
        sap->rigid_of[b] = -1;
        sap->soft = sap->soft || brn_body_has_cells(model->body[b].type);
        if (model->body[b].type != BRN_BODY_RIGID) {
            continue;
        }
        sap->rigid_of[b] = n;
        make_rigid(sap, b, &sap->rigid[n]);
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

/* ---- rigid bodies ----------------------------------------------------------------------------------------------------------- */

/* sum of m (r^2 1 - r r') over the handles, which have equal masses. */
static void inertia_of(const brn_sap *sap, const brn_sap_rigid *r, const double arm[4][3], double out[9])
{
    const int count = sap->model->dim + 1;
    memset(out, 0, 9 * sizeof *out);
    for (int k = 0; k < count; ++k) {
        const double square = brn_dense_dot3(arm[k], arm[k]);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                out[3 * i + j] += r->mass / count * ((i == j ? square : 0.0) - arm[k][i] * arm[k][j]);
            }
        }
    }
}

static void turn_arms(const brn_sap *sap, const brn_sap_rigid *r, const double rotation[9], double arm[4][3])
{
    for (int k = 0; k <= sap->model->dim; ++k) {
        brn_dense_apply3(rotation, r->rest[k], arm[k]);
    }
}

/* exp(w) R */
static void turn_by(const double w[3], const double r[9], double out[9])
{
    double turn[9];
    (void)brn_dense_rotation(w, sqrt(brn_dense_dot3(w, w)), turn);
    brn_dense_multiply3(turn, r, out);
}

void brn_sap_coast(brn_sap *sap, const brn_state *in)
{
    const int dim = sap->model->dim;
    const int count = dim + 1;
    for (int n = 0; n < sap->nrigid; ++n) {
        brn_sap_rigid *r = &sap->rigid[n];
        const int handle = sap->model->body[r->body].handle;
        brn_rigid_pose pose;
        brn_coasting coasting;
        double turn[9];
        double vector[3];
        brn_rigid_pose_of(sap->model, r->body, in->node_pos, in->node_vel, &pose);
        memcpy(r->centre, pose.centre, sizeof r->centre);
        memcpy(r->velocity, pose.velocity, sizeof r->velocity);
        (void)brn_dense_rotation(pose.rotation, sqrt(brn_dense_dot3(pose.rotation, pose.rotation)),
                                 r->rotation);
        turn_arms(sap, r, r->rotation, r->arm);
        memset(r->momentum, 0, sizeof r->momentum);
        for (int k = 0; k < count; ++k) {
            double v[3] = {0};
            double moment[3];
            for (int i = 0; i < dim; ++i) {
                v[i] = in->node_vel[3 * (handle + k) + i] - r->velocity[i];
            }
            brn_dense_cross3(r->arm[k], v, moment);
            for (int i = 0; i < 3; ++i) {
                r->momentum[i] += r->mass / count * moment[i];
            }
        }
        brn_rigid_coast(sap->model, r->body, in->node_pos, in->node_vel, sap->h, &coasting);
        memcpy(turn, coasting.turn, sizeof turn);
        for (int i = 0; i < 3; ++i) {
            turn[4 * i] += 1.0;
        }
        brn_dense_multiply3(turn, r->rotation, r->coasted);
        brn_rotation_vector(turn, vector);
        memcpy(r->rate, r->velocity, sizeof r->velocity);
        for (int i = 0; i < 3; ++i) {
            r->rate[3 + i] = vector[i] / sap->h;
        }
        double arm[4][3];
        turn_arms(sap, r, r->coasted, arm);
        inertia_of(sap, r, (const double(*)[3])arm, r->inertia);
    }
}

/* Entries of a rigid body in a vector of the problem: velocity [3], angular velocity [3]. */
static void read_rigid(const brn_sap *sap, const brn_sap_rigid *r, const double *u, double out[6])
{
    const int dim = sap->model->dim;
    memset(out, 0, 6 * sizeof *out);
    memcpy(out, &u[r->row * dim], (size_t)dim * sizeof *out);
    if (dim == 2) {
        out[5] = u[(r->row + 1) * dim];
    } else {
        memcpy(out + 3, &u[(r->row + 1) * dim], 3 * sizeof *out);
    }
}

static void write_rigid(const brn_sap *sap, const brn_sap_rigid *r, const double in[6], double *u)
{
    const int dim = sap->model->dim;
    memcpy(&u[r->row * dim], in, (size_t)dim * sizeof *u);
    if (dim == 2) {
        u[(r->row + 1) * dim] = in[5];
        u[(r->row + 1) * dim + 1] = 0.0;
    } else {
        memcpy(&u[(r->row + 1) * dim], in + 3, 3 * sizeof *u);
    }
}

/* Rotation from rest to the end of the step: what was added to the free motion turns it further. */
static void rotation_at(const brn_sap *sap, const brn_sap_rigid *r, const double rate[6], double out[9])
{
    double more[3];
    for (int i = 0; i < 3; ++i) {
        more[i] = sap->h * (rate[3 + i] - r->rate[3 + i]);
    }
    turn_by(more, r->coasted, out);
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
        brn_sap_rigid *r = &sap->rigid[k];
        double rate[6];
        double rotation[9];
        read_rigid(sap, r, sap->u, rate);
        rotation_at(sap, r, rate, rotation);
        turn_arms(sap, r, rotation, r->arm_now);
        for (int p = 0; p <= dim; ++p) {
            const int node = model->body[r->body].handle + p;
            for (int i = 0; i < dim; ++i) {
                n->y[(r->handle_row + p) * dim + i] =
                    r->centre[i] + sap->h * rate[i] + r->arm_now[p][i] - sap->from[3 * node + i];
            }
        }
    }
    brn_model_follow(model, n->y);
}

/* ---- forces and their tangent ------------------------------------------------------------------------------------------------- */

/* Force and torque on rigid bodies but for contact and inertia. */
static void gather_rigid(brn_sap *sap)
{
    const brn_newton *n = sap->newton;
    const int dim = sap->model->dim;
    const double *gravity = sap->system->controls->gravity;
    for (int k = 0; k < sap->nrigid; ++k) {
        brn_sap_rigid *r = &sap->rigid[k];
        memset(r->force, 0, sizeof r->force);
        for (int p = 0; p <= dim; ++p) {
            double force[3] = {0};
            double torque[3];
            for (int i = 0; i < dim; ++i) {
                const int dof = (r->handle_row + p) * dim + i;
                force[i] = n->unbalanced[dof] + n->inertia[dof];
            }
            brn_dense_cross3(r->arm_now[p], force, torque);
            for (int i = 0; i < 3; ++i) {
                r->force[i] += force[i];
                r->force[3 + i] += torque[i];
            }
        }
        for (int i = 0; i < dim; ++i) {
            r->force[i] += r->mass * gravity[i];
        }
    }
}

/* Adds sign scale L' B R for the parts of both sides of a block. */
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
                       sap->rigid[sap->row_rigid[row]].welded) {
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

double brn_sap_rigid_cost(const brn_sap *sap)
{
    const double share = sap->h * sap->h / sap->newton->scheme->s;
    const double *gravity = sap->system->controls->gravity;
    double sum = 0.0;
    for (int k = 0; k < sap->nrigid; ++k) {
        const brn_sap_rigid *r = &sap->rigid[k];
        double rate[6];
        double turning[3];
        read_rigid(sap, r, sap->u, rate);
        for (int i = 0; i < 3; ++i) {
            sum -= sap->h * r->mass * gravity[i] * rate[i];
        }
        for (int i = 0; i < 6; ++i) {
            rate[i] -= r->rate[i];
        }
        brn_dense_apply3(r->inertia, rate + 3, turning);
        sum += 0.5 * share * (r->mass * brn_dense_dot3(rate, rate) + brn_dense_dot3(rate + 3, turning));
    }
    return sum;
}

brn_status brn_sap_unbalanced(brn_sap *sap)
{
    brn_newton *n = sap->newton;
    const double share = sap->h * sap->h / n->scheme->s;
    brn_sap_place(sap);
    BRN_TRY(brn_newton_forces(n));
    gather_rigid(sap);
    for (int dof = 0; dof < sap->system->ndof; ++dof) {
        sap->gradient[dof] = sap->fixed[dof] ? 0.0 : -sap->h * n->unbalanced[dof];
    }
    for (int k = 0; k < sap->nrigid; ++k) {
        const brn_sap_rigid *r = &sap->rigid[k];
        double rate[6];
        double more[6];
        double turning[3];
        read_rigid(sap, r, sap->u, rate);
        for (int i = 0; i < 6; ++i) {
            more[i] = rate[i] - r->rate[i];
        }
        brn_dense_apply3(r->inertia, more + 3, turning);
        for (int i = 0; i < 3; ++i) {
            more[i] = share * r->mass * more[i] - sap->h * r->force[i];
            more[3 + i] = share * turning[i] - sap->h * r->force[3 + i];
        }
        write_rigid(sap, r, more, sap->gradient);
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

/* ---- the end ------------------------------------------------------------------------------------------------------------------- */

void brn_sap_finish_rigid(brn_sap *sap, brn_state *out)
{
    const brn_model *model = sap->model;
    const int dim = model->dim;
    for (int k = 0; k < sap->nrigid; ++k) {
        brn_sap_rigid *r = &sap->rigid[k];
        const int handle = model->body[r->body].handle;
        double rate[6];
        double rotation[9];
        double arm[4][3];
        double inertia[9];
        double momentum[3];
        double spin[3] = {0};
        double push[6];
        read_rigid(sap, r, sap->u, rate);
        rotation_at(sap, r, rate, rotation);
        turn_arms(sap, r, rotation, arm);
        inertia_of(sap, r, (const double(*)[3])arm, inertia);
        read_rigid(sap, r, sap->pushed, push); /* about the centre at the start */
        if (r->welded) {                       /* what elements pull, as the solution has it */
            const double share = sap->h * sap->h / sap->newton->scheme->s;
            double turning[3];
            for (int i = 0; i < 6; ++i) {
                r->force[i] = rate[i] - r->rate[i];
            }
            brn_dense_apply3(r->inertia, r->force + 3, turning);
            for (int i = 0; i < 3; ++i) {
                r->force[i] = (share * r->mass * r->force[i] - push[i]) / sap->h;
                r->force[3 + i] = (share * turning[i] - push[3 + i]) / sap->h;
            }
        }
        for (int i = 0; i < 3; ++i) {
            momentum[i] = r->momentum[i] + sap->h * r->force[3 + i] + push[3 + i];
        }
        if (dim == 2) {
            spin[2] = momentum[2] / inertia[8];
        } else {
            double inverse[9];
            (void)brn_dense_inverse3(inertia, inverse);
            brn_dense_apply3(inverse, momentum, spin);
        }
        for (int p = 0; p <= dim; ++p) {
            double swing[3];
            brn_dense_cross3(spin, arm[p], swing);
            for (int i = 0; i < dim; ++i) {
                const double v = r->velocity[i] + (sap->h * r->force[i] + push[i]) / r->mass;
                out->node_pos[3 * (handle + p) + i] = r->centre[i] + sap->h * rate[i] + arm[p][i];
                out->node_vel[3 * (handle + p) + i] = v + swing[i];
            }
        }
    }
}
