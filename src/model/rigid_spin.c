/* Free rotation of a rigid body, or of another as if it were rigid. Its angular momentum L is constant and its inertia turns with it,

       dR/dt = w x R,   w = R J^-1 R' L,

   integrated by the classical Runge-Kutta rule on the unit quaternion of R in parts of at most SPIN_PART rad: L is kept
   exactly because w follows from it, and a turn is right to about 1e-6 rad. */
#include "linalg/dense.h"
#include "model/rigid_pose.h"
#include "phys/rotation.h"

#include <math.h>
#include <string.h>

static const double SPIN_PART = 0.05;
enum { PARTS_MAX = 10000 };
/* det J over (tr J)^3 below which a body is a line or a point and its spin about itself means nothing. */
static const double THINNEST = 1e-9;

/* A body at the start of its coasting. */
typedef struct top {
    double centre[3], velocity[3];
    double inverse[9]; /* of the inertia about the centre; 0 if the body has no extent: it does not turn */
    double momentum[3];
} top;

/* v + (R - 1) v, or with R' */
static void turn(const double t[9], bool back, const double v[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = v[i];
        for (int j = 0; j < 3; ++j) {
            out[i] += (back ? t[3 * j + i] : t[3 * i + j]) * v[j];
        }
    }
}

static void spin_at(const top *b, const double q[4], double w[3])
{
    double t[9];
    double inner[3];
    double out[3];
    brn_rotation_less_one(q, t);
    turn(t, true, b->momentum, inner);
    brn_dense_apply3(b->inverse, inner, out);
    turn(t, false, out, w);
}

/* dq/dt = 1/2 (0, w) q */
static void quaternion_rate(const top *b, const double q[4], double rate[4])
{
    double w[3];
    double cross[3];
    double unit[4];
    const double length = sqrt(q[0] * q[0] + brn_dense_dot3(&q[1], &q[1]));
    for (int i = 0; i < 4; ++i) {
        unit[i] = q[i] / length;
    }
    spin_at(b, unit, w);
    brn_dense_cross3(w, &unit[1], cross);
    rate[0] = -0.5 * brn_dense_dot3(w, &unit[1]);
    for (int i = 0; i < 3; ++i) {
        rate[1 + i] = 0.5 * (unit[0] * w[i] + cross[i]);
    }
}

static void advance(const top *b, double h, double q[4])
{
    static const double place[4] = {0.0, 0.5, 0.5, 1.0};
    static const double share[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    double rate[4] = {0};
    double sum[4] = {0};
    for (int k = 0; k < 4; ++k) {
        double at[4];
        for (int i = 0; i < 4; ++i) {
            at[i] = q[i] + place[k] * h * rate[i];
        }
        quaternion_rate(b, at, rate);
        for (int i = 0; i < 4; ++i) {
            sum[i] += share[k] * h * rate[i];
        }
    }
    double square = 0.0;
    for (int i = 0; i < 4; ++i) {
        q[i] += sum[i];
        square += q[i] * q[i];
    }
    for (int i = 0; i < 4; ++i) {
        q[i] /= sqrt(square);
    }
}

/* The nodes that carry a body's mass: the handles of a rigid body, which have equal masses, or its nodes with theirs. */
typedef struct carriers {
    int first, count;
    const double *mass; /* NULL: 1 each */
} carriers;

static carriers carriers_of(const brn_model *model, int body)
{
    const brn_body *b = &model->body[body];
    return b->type == BRN_BODY_RIGID ? (carriers){b->handle, model->dim + 1, NULL}
                                     : (carriers){b->node_first, b->node_count, model->node_mass};
}

void brn_body_mean(const brn_model *model, int body, const double *entry, double out[3])
{
    const carriers on = carriers_of(model, body);
    const double *first = &entry[3 * on.first];
    double total = 0.0;
    memset(out, 0, 3 * sizeof *out);
    for (int a = on.first; a < on.first + on.count; ++a) {
        const double mass = on.mass != NULL ? on.mass[a] : 1.0;
        total += mass;
        for (int i = 0; i < model->dim; ++i) {
            out[i] += mass * (entry[3 * a + i] - first[i]);
        }
    }
    for (int i = 0; i < model->dim; ++i) {
        out[i] = first[i] + (total > 0.0 ? out[i] / total : 0.0);
    }
}

static void start(const brn_model *model, int body, const double *pos, const double *vel, top *b)
{
    const int dim = model->dim;
    const carriers on = carriers_of(model, body);
    double inertia[9] = {0};
    memset(b, 0, sizeof *b);
    brn_body_mean(model, body, pos, b->centre);
    brn_body_mean(model, body, vel, b->velocity);
    for (int a = on.first; a < on.first + on.count; ++a) {
        const double mass = on.mass != NULL ? on.mass[a] : 1.0;
        double r[3] = {0};
        double v[3] = {0};
        double angular[3];
        for (int i = 0; i < dim; ++i) {
            r[i] = pos[3 * a + i] - b->centre[i];
            v[i] = vel[3 * a + i] - b->velocity[i];
        }
        brn_dense_cross3(r, v, angular);
        for (int i = 0; i < 3; ++i) {
            b->momentum[i] += mass * angular[i];
            for (int j = 0; j < 3; ++j) {
                inertia[3 * i + j] += mass * ((i == j ? brn_dense_dot3(r, r) : 0.0) - r[i] * r[j]);
            }
        }
    }
    const double size = inertia[0] + inertia[4] + inertia[8];
    if (dim == 2 && inertia[8] > 0.0) {
        b->inverse[8] = 1.0 / inertia[8];
    } else if (dim == 3 && brn_dense_det3(inertia) > THINNEST * size * size * size) {
        (void)brn_dense_inverse3(inertia, b->inverse);
    }
}

/* The turn of a body that coasts for h. */
static void coast(const top *b, double h, double q[4])
{
    double largest = 0.0; /* eigenvalue of the inverse, at most */
    q[0] = 1.0;
    q[1] = q[2] = q[3] = 0.0;
    for (int i = 0; i < 9; ++i) {
        largest += b->inverse[i] * b->inverse[i];
    }
    const double angle = h * sqrt(largest) * sqrt(brn_dense_dot3(b->momentum, b->momentum));
    const int parts = angle > 0.0 ? 1 + (int)fmin(angle / SPIN_PART, PARTS_MAX - 1) : 0;
    for (int k = 0; k < parts; ++k) {
        advance(b, h / parts, q);
    }
}

/* Velocities of a turning body: those of its centre and w x r. */
static void rotate(const double velocity[3], const double w[3], const double r[3], double out[3])
{
    brn_dense_cross3(w, r, out);
    for (int i = 0; i < 3; ++i) {
        out[i] += velocity[i];
    }
}

/* dw/dt of the free body: J dw/dt = -w x L, J turned by t. */
static void spin_rate(const top *b, const double t[9], const double w[3], double out[3])
{
    double torque[3];
    double inner[3];
    double rate[3];
    brn_dense_cross3(b->momentum, w, torque);
    turn(t, true, torque, inner);
    brn_dense_apply3(b->inverse, inner, rate);
    turn(t, false, rate, out);
}

void brn_rigid_coast(const brn_model *model, int body, const double *pos, const double *vel, double h,
                     brn_coasting *out)
{
    top b;
    double q[4];
    start(model, body, pos, vel, &b);
    coast(&b, h, q);
    memcpy(out->centre, b.centre, sizeof out->centre);
    memcpy(out->velocity, b.velocity, sizeof out->velocity);
    brn_rotation_less_one(q, out->turn);
    brn_dense_apply3(b.inverse, b.momentum, out->spin[0]);
    spin_at(&b, q, out->spin[1]);
    spin_rate(&b, out->turn, out->spin[1], out->rate);
}

void brn_coasting_swing(const brn_coasting *c, const double x[3], double way[3], double change[3])
{
    double r[3];
    double before[3];
    static const double still[3] = {0};
    for (int i = 0; i < 3; ++i) {
        r[i] = x[i] - c->centre[i];
    }
    brn_dense_apply3(c->turn, r, way);
    rotate(still, c->spin[0], r, before);
    for (int i = 0; i < 3; ++i) {
        r[i] += way[i];
    }
    rotate(still, c->spin[1], r, change);
    for (int i = 0; i < 3; ++i) {
        change[i] -= before[i];
    }
}

void brn_coasting_pull(const brn_coasting *c, const double x[3], double a[3])
{
    double r[3];
    double swing[3];
    double v[3];
    double faster[3];
    for (int i = 0; i < 3; ++i) {
        r[i] = x[i] - c->centre[i];
    }
    brn_dense_apply3(c->turn, r, swing);
    for (int i = 0; i < 3; ++i) {
        r[i] += swing[i];
    }
    brn_dense_cross3(c->spin[1], r, v);
    brn_dense_cross3(c->spin[1], v, a);
    brn_dense_cross3(c->rate, r, faster);
    for (int i = 0; i < 3; ++i) {
        a[i] += faster[i];
    }
}

void brn_rigid_spin(const brn_model *model, int body, const double *pos, const double *vel, double spin[3])
{
    top b;
    start(model, body, pos, vel, &b);
    brn_dense_apply3(b.inverse, b.momentum, spin);
}

void brn_rigid_velocities(const brn_model *model, const bool *chosen, const double *pos, double *vel)
{
    for (int n = 0; n < model->nbody; ++n) {
        const int first = model->body[n].handle;
        if (model->body[n].type != BRN_BODY_RIGID || !chosen[n]) {
            continue;
        }
        top b;
        double w[3];
        start(model, n, pos, vel, &b);
        brn_dense_apply3(b.inverse, b.momentum, w);
        for (int a = first; a <= first + model->dim; ++a) {
            double r[3] = {0};
            double v[3];
            for (int i = 0; i < model->dim; ++i) {
                r[i] = pos[3 * a + i] - b.centre[i];
            }
            rotate(b.velocity, w, r, v);
            memcpy(&vel[3 * a], v, (size_t)model->dim * sizeof *v);
        }
    }
}
