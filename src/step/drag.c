#include "step/drag.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* Period of the spring in seconds and in steps; the longer one counts. */
static const double PERIOD = 0.1;
static const double PERIOD_STEPS = 10.0;
/* A body sags on the spring by no more than this many model sizes, if ten steps per period allow it. */
static const double SAG = 0.02;
/* Largest force over the body's mass: in weights, and in model sizes per second squared for scenes without gravity. */
static const double WEIGHTS = 10.0;
static const double SIZES = 40.0;
/* Highest speed, in model sizes per step and per second. */
static const double SPEED_STEP = 0.05;
static const double SPEED = 5.0;
/* The bounded force stops a body of speed reach/lag within reach if reach <= 8 force/k. */
static const double BRAKING = 8.0;
/* An explicit integrator sees the node's own mass m: stable up to a damping of 2 m/h, it uses at most this times m/h. */
static const double EXPLICIT = 0.25;

/* Of the body that has the node; the bodies of a robot's link move as one, each with a share of its mass. */
static double body_mass(const brn_drag *d, const brn_model *model)
{
    const brn_body *own = NULL;
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        if (d->node >= body->node_first && d->node < body->node_first + body->node_count) {
            own = body;
        }
    }
    double mass = own != NULL && own->robot < 0 ? own->mass : 0.0;
    for (int b = 0; own != NULL && own->robot >= 0 && b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        mass += body->robot == own->robot && body->link == own->link ? body->mass : 0.0;
    }
    return mass;
}

/* The mass that a force at the node meets at once: 1/sum w^2/m. */
static double node_mass(const brn_drag *d, const brn_model *model)
{
    double inverse = 0.0;
    for (int k = 0; k < d->on.count; ++k) {
        inverse += d->on.weight[k] * d->on.weight[k] /
                   model->mass->value[model->mass->start[model->node_row[d->on.node[k]]]];
    }
    return 1.0 / inverse;
}

void brn_drag_choose(brn_drag *d, const brn_model *model, const double gravity[3], double size, bool forward)
{
    const double h = model->step;
    const double g = sqrt(brn_dense_dot3(gravity, gravity));
    d->on = brn_model_masters(model, d->node);
    const double mass = body_mass(d, model);
    const double sag = g > 0.0 ? 2.0 * M_PI * sqrt(SAG * size / g) : INFINITY; /* [s] */
    double omega = 2.0 * M_PI / fmax(PERIOD_STEPS * h, fmin(PERIOD, sag));
    double damping = INFINITY; /* [kg/s] most */
    if (forward) {
        damping = EXPLICIT * node_mass(d, model) / h;
        omega = fmin(omega, 0.5 * damping / mass); /* critical with that damping */
    }
    d->stiffness = d->asked > 0.0 ? d->asked : mass * omega * omega;
    d->lag = fmin(2.0 * sqrt(mass / d->stiffness), damping / d->stiffness);
    d->force = mass * (WEIGHTS * g + SIZES * size);
    const double stretch = d->force / d->stiffness;
    d->reach = fmax(stretch, fmin(BRAKING * stretch, d->lag * size * fmin(SPEED_STEP / h, SPEED)));
}

void brn_drag_point(const brn_drag *d, const double x[3], double point[3])
{
    double way[3];
    for (int i = 0; i < 3; ++i) {
        way[i] = d->target[i] - x[i];
    }
    const double length = sqrt(brn_dense_dot3(way, way));
    for (int i = 0; i < 3; ++i) {
        point[i] = length > d->reach ? x[i] + d->reach / length * way[i] : d->target[i];
    }
}

void brn_drag_pull(const brn_drag *d, const double point[3], const double x[3], const double v[3], double c,
                   brn_pull *out)
{
    double r[3];
    for (int i = 0; i < 3; ++i) {
        r[i] = x[i] - point[i] + d->lag * v[i];
    }
    const double k = d->stiffness;
    const double slope = 1.0 + d->lag * c; /* dr/dy */
    const double length = sqrt(brn_dense_dot3(r, r));
    const double most = d->force / k; /* [m] where the bound begins */
    const bool bounded = length > most;
    out->energy = (bounded ? d->force * (length - 0.5 * most) : 0.5 * k * length * length) / slope;
    const double over = bounded ? d->force / length : k; /* |f|/|r| */
    for (int i = 0; i < 3; ++i) {
        out->force[i] = -over * r[i];
        for (int j = 0; j < 3; ++j) {
            const double along = bounded ? r[i] * r[j] / (length * length) : 0.0;
            out->stiffness[3 * i + j] = slope * over * ((i == j ? 1.0 : 0.0) - along);
        }
    }
}

void brn_drag_add_force(const brn_drag *d, const brn_model *model, const double force[3], double factor,
                        double *packed)
{
    const int dim = model->dim;
    for (int k = 0; k < d->on.count; ++k) {
        double *to = &packed[model->node_row[d->on.node[k]] * dim];
        for (int i = 0; i < dim; ++i) {
            to[i] += factor * d->on.weight[k] * force[i];
        }
    }
}

void brn_drag_add_stiffness(const brn_drag *d, const brn_model *model, const brn_pull *pull,
                            brn_block_matrix *matrix)
{
    const int dim = matrix->size;
    for (int p = 0; p < d->on.count; ++p) {
        for (int q = p; q < d->on.count; ++q) { /* nodes ascend: the upper triangle */
            const int at =
                brn_block_matrix_find(matrix, model->node_row[d->on.node[p]], model->node_row[d->on.node[q]]);
            double *block = &matrix->value[(size_t)at * (size_t)(dim * dim)];
            for (int i = 0; i < dim; ++i) {
                for (int j = 0; j < dim; ++j) {
                    block[i * dim + j] += d->on.weight[p] * d->on.weight[q] * pull->stiffness[3 * i + j];
                }
            }
        }
    }
}
