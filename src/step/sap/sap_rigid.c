/* Rigid bodies: two block rows each, velocity of the centre of mass and angular velocity; momenta are exact whatever the solver leaves. */
#include "linalg/dense.h"
#include "model/rigid_pose.h"
#include "phys/rotation.h"
#include "step/sap/sap.h"

#include <math.h>
#include <string.h>

void brn_sap_make_rigid(const brn_sap *sap, int body, brn_sap_rigid *r)
{
    const brn_model *model = sap->model;
    const brn_body *b = &model->body[body];
    double centre[3];
    *r = (brn_sap_rigid){.body = body, .tree = -1, .handle_row = model->node_row[b->handle]};
    brn_body_mean(model, body, &model->rest[0][0], centre);
    for (int k = 0; k <= model->dim; ++k) {
        r->mass += model->node_mass[b->handle + k];
        for (int i = 0; i < model->dim; ++i) {
            r->rest[k][i] = model->rest[b->handle + k][i] - centre[i];
        }
    }
}

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

void brn_sap_coast(const brn_sap *sap, const brn_state *in, brn_sap_rigid *r)
{
    const int dim = sap->model->dim;
    const int count = dim + 1;
    const int handle = sap->model->body[r->body].handle;
    brn_rigid_pose pose;
    brn_coasting coasting;
    double turn[9];
    double vector[3];
    brn_rigid_pose_of(sap->model, r->body, in->node_pos, in->node_vel, &pose);
    memcpy(r->centre, pose.centre, sizeof r->centre);
    memcpy(r->velocity, pose.velocity, sizeof r->velocity);
    (void)brn_dense_rotation(pose.rotation, sqrt(brn_dense_dot3(pose.rotation, pose.rotation)), r->rotation);
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

void brn_sap_read(const brn_sap *sap, const brn_sap_rigid *r, const double *u, double out[6])
{
    const int dim = sap->model->dim;
    memset(out, 0, 6 * sizeof *out);
    if (dim == 2) {
        memcpy(out, &u[2 * r->row], 2 * sizeof *out);
        out[5] = u[2 * (r->row + 1)];
    } else {
        memcpy(out, &u[3 * r->row], 6 * sizeof *out);
    }
}

void brn_sap_write(const brn_sap *sap, const brn_sap_rigid *r, const double in[6], double *u)
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

void brn_sap_place_rigid(const brn_sap *sap, brn_sap_rigid *r)
{
    const int dim = sap->model->dim;
    double rate[6];
    double rotation[9];
    brn_sap_read(sap, r, sap->u, rate);
    rotation_at(sap, r, rate, rotation);
    turn_arms(sap, r, rotation, r->arm_now);
    for (int p = 0; p <= dim; ++p) {
        const int node = sap->model->body[r->body].handle + p;
        for (int i = 0; i < dim; ++i) {
            sap->newton->y[(r->handle_row + p) * dim + i] =
                r->centre[i] + sap->h * rate[i] + r->arm_now[p][i] - sap->from[3 * node + i];
        }
    }
}

double brn_sap_handle_force(const brn_sap *sap, const brn_sap_rigid *r, int dof)
{
    const brn_newton *n = sap->newton;
    /* the element that keeps handles in shape has no force on the body but rounding */
    return r->welded ? n->unbalanced[dof] + n->inertia[dof] : n->load[dof] + n->carried[dof];
}

/* Force and torque of all but contact and inertia. */
void brn_sap_gather(const brn_sap *sap, brn_sap_rigid *r)
{
    const int dim = sap->model->dim;
    memset(r->force, 0, sizeof r->force);
    for (int p = 0; p <= dim; ++p) {
        double force[3] = {0};
        double torque[3];
        for (int i = 0; i < dim; ++i) {
            const int dof = (r->handle_row + p) * dim + i;
            force[i] = brn_sap_handle_force(sap, r, dof);
        }
        brn_dense_cross3(r->arm_now[p], force, torque);
        for (int i = 0; i < 3; ++i) {
            r->force[i] += force[i];
            r->force[3 + i] += torque[i];
        }
    }
    for (int i = 0; i < dim; ++i) {
        r->force[i] += r->mass * sap->system->controls->gravity[i];
    }
}

void brn_sap_inertia(const brn_sap *sap, const brn_sap_rigid *r, double out[6])
{
    const double share = sap->share;
    double more[6];
    double turning[3];
    brn_sap_read(sap, r, sap->u, more);
    for (int i = 0; i < 6; ++i) {
        more[i] -= r->rate[i];
    }
    brn_dense_apply3(r->inertia, more + 3, turning);
    for (int i = 0; i < 3; ++i) {
        out[i] = share * r->mass * more[i];
        out[3 + i] = share * turning[i];
    }
}

double brn_sap_rigid_cost(const brn_sap *sap)
{
    const double *gravity = sap->system->controls->gravity;
    double sum = 0.0;
    for (int k = 0; k < sap->nrigid; ++k) {
        const brn_sap_rigid *r = &sap->rigid[k];
        double rate[6];
        double inertia[6];
        if (r->tree >= 0) {
            continue;
        }
        brn_sap_read(sap, r, sap->u, rate);
        brn_sap_inertia(sap, r, inertia);
        for (int i = 0; i < 6; ++i) {
            sum += 0.5 * (rate[i] - r->rate[i]) * inertia[i];
        }
        sum -= sap->h * r->mass * brn_dense_dot3(gravity, rate);
    }
    for (int k = 0; k < sap->ntree; ++k) {
        sum += brn_sap_tree_cost(sap, &sap->tree[k]);
    }
    return sum;
}

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
        if (r->tree >= 0) {
            continue;
        }
        brn_sap_read(sap, r, sap->u, rate);
        rotation_at(sap, r, rate, rotation);
        turn_arms(sap, r, rotation, arm);
        inertia_of(sap, r, (const double(*)[3])arm, inertia);
        brn_sap_read(sap, r, sap->pushed, push); /* about the centre at the start */
        if (r->welded) {                         /* what elements pull, as the solution has it */
            brn_sap_inertia(sap, r, r->force);
            for (int i = 0; i < 6; ++i) {
                r->force[i] = (r->force[i] - push[i]) / sap->h;
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
