/* Steps that turn bodies along arcs. A straight step that turns a body by an angle a stretches it by a^2/2, so that a stiff one which nothing but
   contact holds, and which therefore could roll freely, would go round in many small pieces. The part of a step that is a rigid motion, found by
   the momenta of the step, is done as the screw that begins with it: what lies on its axis stays, such as the line on which a body rolls. The rest
   of the step turns with the body. To first order it is the same step. */
#include "step/newton_inner.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* A rigid motion: that of the centre, and a turn. */
typedef struct screw {
    double centre[3], way[3], turn[3];
} screw;

/* Centre and mean way of a body's nodes; false: it has no mass. */
static bool find_mean(const brn_model *model, const brn_body *body, const double *x, const double *step,
                      screw *out)
{
    double mass = 0.0;
    memset(out, 0, sizeof *out);
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        const int row = model->node_row[a];
        const double m = row >= 0 ? model->node_mass[a] : 0.0;
        mass += m;
        for (int i = 0; i < model->dim && row >= 0; ++i) {
            out->centre[i] += m * x[3 * a + i];
            out->way[i] += m * step[row * model->dim + i];
        }
    }
    for (int i = 0; i < 3 && mass > 0.0; ++i) {
        out->centre[i] /= mass;
        out->way[i] /= mass;
    }
    return mass > 0.0;
}

/* The turn with the step's angular momentum; false: the body is a line. */
static bool find_turn(const brn_model *model, const brn_body *body, const double *x, const double *step,
                      screw *out)
{
    const int dim = model->dim;
    double moment[3] = {0};
    double sum[9] = {0}; /* m r r' */
    double inertia[9];
    double inverse[9];
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        double r[3] = {0};
        double s[3] = {0};
        double part[3];
        for (int i = 0; i < dim && model->node_row[a] >= 0; ++i) {
            r[i] = x[3 * a + i] - out->centre[i];
            s[i] = step[model->node_row[a] * dim + i];
        }
        brn_dense_cross3(r, s, part);
        for (int k = 0; k < 9; ++k) {
            sum[k] += model->node_mass[a] * r[k / 3] * r[k % 3];
            moment[k % 3] += k < 3 ? model->node_mass[a] * part[k] : 0.0;
        }
    }
    const double trace = sum[0] + sum[4] + sum[8];
    for (int k = 0; k < 9; ++k) {
        inertia[k] = (k % 4 == 0 ? trace : 0.0) - sum[k];
    }
    if (dim == 2) {
        out->turn[2] = trace > 0.0 ? moment[2] / trace : 0.0;
        return trace > 0.0;
    }
    if (!(brn_dense_det3(inertia) > 1e-9 * trace * trace * trace)) {
        return false;
    }
    (void)brn_dense_inverse3(inertia, inverse);
    brn_dense_apply3(inverse, moment, out->turn);
    return true;
}

/* out = v + b w x v + c w x (w x v): the rotation by w with b = sin/|w|, c = (1 - cos)/|w|^2, and the mean of those on the way to it with b, c = the
   next two of this series. */
static void turn_by(const double w[3], double b, double c, const double v[3], double out[3])
{
    double once[3];
    double twice[3];
    brn_dense_cross3(w, v, once);
    brn_dense_cross3(w, once, twice);
    for (int i = 0; i < 3; ++i) {
        out[i] = v[i] + b * once[i] + c * twice[i];
    }
}

/* The nodes that nothing holds go by the screw, and what they went besides turns with it. */
static void follow(const brn_newton *n, const brn_body *body, const double *x, const screw *s, double *step)
{
    const brn_model *model = n->model;
    const int dim = model->dim;
    const double angle = brn_dense_length3(s->turn);
    const double b = sin(angle) / angle;
    const double c = 2.0 * pow(sin(0.5 * angle) / angle, 2.0);
    const double d = (1.0 - b) / (angle * angle);
    double centre[3]; /* where it goes */
    turn_by(s->turn, c, d, s->way, centre);
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        const int row = model->node_row[a];
        double r[3] = {0};
        double rest[3] = {0};
        double swing[3];
        double turned[3];
        double other[3];
        if (row < 0) {
            continue;
        }
        for (int i = 0; i < dim; ++i) {
            r[i] = x[3 * a + i] - s->centre[i];
        }
        brn_dense_cross3(s->turn, r, swing);
        for (int i = 0; i < dim; ++i) {
            rest[i] = step[row * dim + i] - s->way[i] - swing[i];
        }
        turn_by(s->turn, b, c, r, turned);
        turn_by(s->turn, b, c, rest, other);
        for (int i = 0; i < dim; ++i) {
            const int dof = row * dim + i;
            step[dof] =
                model->fixed[dof] == BRN_DOF_HELD ? step[dof] : centre[i] + (turned[i] - r[i]) + other[i];
        }
    }
}

double brn_newton_turn(const brn_newton *n, const double *x, double *step)
{
    double most = 0.0;
    for (int b = 0; b < n->model->nbody; ++b) {
        const brn_body *body = &n->model->body[b];
        screw s;
        if ((body->type != BRN_BODY_DEFORMABLE && body->type != BRN_BODY_SHELL) ||
            !find_mean(n->model, body, x, step, &s) || !find_turn(n->model, body, x, step, &s)) {
            continue;
        }
        const double angle = brn_dense_length3(s.turn);
        most = fmax(most, angle);
        if (angle > 0.0) {
            follow(n, body, x, &s, step);
        }
    }
    return most;
}
