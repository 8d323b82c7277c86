#include "api/series_row.h"

#include "linalg/dense.h"
#include "model/rigid_pose.h"
#include "output/figures/figure_table.h"
#include "step/newton.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* With more bodies than this only obstacles and bodies with a probe get columns of contact force, and copies of a body get no
   columns at all unless a probe is on one of them alone. */
enum { BODIES_ALL = 64 };
/* Robots with more joints in all than this have no columns for them. */
enum { JOINTS_ALL = 200, JOINT_COLUMNS = 10 };

/* What is measured on a set of nodes, one group of columns each: NAME.force_x, NAME.dx, NAME.x, NAME.vx; on a body
   NAME.contact_x. */
typedef enum quantity { FORCE, DISPLACEMENT, POSITION, VELOCITY, CONTACT } quantity;

static const char *const prefixes[] = {"force_", "d", "", "v", "contact_"};
static const quantity hold_quantities[] = {FORCE, DISPLACEMENT};
static const quantity attachment_quantities[] = {FORCE};
static const quantity probe_quantities[] = {POSITION, DISPLACEMENT, VELOCITY};
static const quantity body_quantities[] = {CONTACT};

/* Sum of the forces along the axes held, mean of the others. A node may be shared with a hold of other axes, whose
   reaction is not this one's. */
static void measure(const brn_sim *sim, const int *node, int nnode, unsigned axes, quantity what, double *out)
{
    const brn_state *state = sim->state;
    const double *from[] = {state->node_react, state->node_pos, state->node_pos, state->node_vel};
    for (int i = 0; i < sim->model->dim; ++i) {
        double sum = 0.0;
        for (int k = 0; k < nnode; ++k) {
            const double rest = what == DISPLACEMENT ? sim->model->rest[node[k]][i] : 0.0;
            sum += from[what][3 * node[k] + i] - rest;
        }
        const double force = (axes >> i & 1u) != 0 ? sum : 0.0;
        out[i] = what == FORCE ? force : nnode == 0 ? 0.0 : sum / nnode;
    }
}

/* The force of an attachment on the nodes that it holds, or of a connection on its first body. */
static void write_force(const brn_sim *sim, const char *memory, int number, double *out)
{
    const brn_memory *force = brn_state_recall(sim->state, memory);
    for (int i = 0; i < sim->model->dim; ++i) {
        out[i] = force != NULL && force->count > 0 ? force->value[3 * number + i] : NAN;
    }
}

/* Its force, and of a distance how long it is. */
static int write_connection(const brn_sim *sim, int number, double *out)
{
    const brn_connection *connect = &sim->model->connect[number];
    const int dim = sim->model->dim;
    double end[2][3];
    double way[3];
    write_force(sim, BRN_CONNECT_FORCE, number, out);
    if (connect->type != BRN_CONNECT_DISTANCE) {
        return dim;
    }
    for (int k = 0; k < 2; ++k) {
        brn_controls_anchor(sim->system->controls, &connect->point[0][k], sim->state->node_pos,
                            (double)sim->state->step * sim->model->step, end[k]);
    }
    for (int i = 0; i < 3; ++i) {
        way[i] = end[0][i] - end[1][i];
    }
    out[dim] = sqrt(brn_dense_dot3(way, way));
    return dim + 1;
}

static void add_names(brn_series_row *r, const char *name, const quantity *quantities, int count, int dim)
{
    for (int q = 0; q < count; ++q) {
        for (int i = 0; i < dim; ++i) {
            char *text = r->text[r->count];
            (void)snprintf(text, sizeof *r->text, "%.120s.%s%c", name, prefixes[quantities[q]], 'x' + i);
            r->name[r->count++] = text;
        }
    }
}

/* Is a probe on this body, and on no other? Its nodes are in ascending order. */
static bool is_probed(const brn_model *model, const brn_body *body)
{
    for (int i = 0; i < model->nprobe; ++i) {
        const brn_probe *probe = &model->probe[i];
        if (probe->nnode > 0 && probe->node[0] >= body->node_first &&
            probe->node[probe->nnode - 1] < body->node_first + body->node_count) {
            return true;
        }
    }
    return false;
}

/* What gets columns: contact forces, holds, poses. Static bodies have the first holds, in their order. */
static brn_status choose_columns(brn_series_row *r, const brn_model *model, bool contact)
{
    BRN_ALLOC(r->ctx, r->body, model->nbody);
    BRN_ALLOC(r->ctx, r->hold, model->nhold);
    BRN_ALLOC(r->ctx, r->rigid, model->nbody);
    const bool all = model->nbody <= BODIES_ALL;
    int holds = 0;
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        const bool fixed = body->type == BRN_BODY_STATIC;
        const bool probed = all || is_probed(model, body);
        const bool shown = probed || model->source[body->source].count == 1;
        if (contact && (probed || (shown && fixed))) {
            r->body[r->nbody++] = b;
        }
        if (shown && fixed) {
            r->hold[r->nhold++] = holds;
        }
        if (shown && body->type == BRN_BODY_RIGID) {
            r->rigid[r->nrigid++] = b;
        }
        holds += fixed;
    }
    while (holds < model->nhold) {
        r->hold[r->nhold++] = holds++;
    }
    return BRN_OK;
}

/* Joints with one velocity. */
static brn_status choose_joints(brn_series_row *r, const brn_model *model)
{
    const int count = brn_model_joint_count(model);
    BRN_ALLOC(r->ctx, r->joint, count);
    BRN_ALLOC(r->ctx, r->state, count);
    for (int j = 0; j < count && count <= JOINTS_ALL; ++j) {
        brn_joint_facts facts;
        BRN_TRY(brn_model_get_joint(model, j, &facts));
        if (facts.velocities == 1) {
            r->joint[r->njoint++] = j;
        }
    }
    return BRN_OK;
}

static brn_status add_joint_names(brn_series_row *r, const brn_model *model, int joint)
{
    static const char *const words[JOINT_COLUMNS] = {"position", "velocity", "target",  "effort",
                                                     "force_x",  "force_y",  "force_z", "torque_x",
                                                     "torque_y", "torque_z"};
    brn_joint_facts facts;
    BRN_TRY(brn_model_get_joint(model, joint, &facts));
    for (int k = 0; k < JOINT_COLUMNS; ++k) {
        char *text = r->text[r->count];
        (void)snprintf(text, sizeof *r->text, "%.70s/%.70s.%s", facts.robot, facts.name, words[k]);
        r->name[r->count++] = text;
    }
    return BRN_OK;
}

static void write_joint(const brn_joint_state *joint, double *row)
{
    const double numbers[JOINT_COLUMNS] = {
        joint->position[0], joint->velocity[0], joint->target,    joint->effort,    joint->force[0],
        joint->force[1],    joint->force[2],    joint->torque[0], joint->torque[1], joint->torque[2]};
    memcpy(row, numbers, sizeof numbers);
}

/* A rigid body: where its centre of mass is, how fast, and its rotation, in 2D by one angle. */
static void add_pose_names(brn_series_row *r, const char *name, int dim)
{
    static const quantity place[] = {POSITION, VELOCITY};
    add_names(r, name, place, BRN_COUNT(place), dim);
    for (int i = dim == 3 ? 0 : 2; i < 3; ++i) {
        char *text = r->text[r->count];
        (void)snprintf(text, sizeof *r->text, "%.120s.r%c", name, 'x' + i);
        r->name[r->count++] = text;
    }
}

static int write_pose(const brn_sim *sim, int body, double *row)
{
    const int dim = sim->model->dim;
    brn_rigid_pose pose;
    brn_rigid_pose_of(sim->model, body, sim->state->node_pos, sim->state->node_vel, &pose);
    memcpy(row, pose.centre, (size_t)dim * sizeof *row);
    memcpy(row + dim, pose.velocity, (size_t)dim * sizeof *row);
    const int turns = dim == 3 ? 3 : 1;
    memcpy(row + 2 * dim, &pose.rotation[3 - turns], (size_t)turns * sizeof *row);
    return 2 * dim + turns;
}

/* The report's figures, then the method's own. */
static void add_figures(brn_series_row *r, const brn_method *method)
{
    for (int i = 0; i < BRN_STEP_FIGURES; ++i) {
        if (brn_step_table[i].figure.column) {
            r->name[r->count++] = brn_step_table[i].figure.name;
        }
    }
    for (int i = 0; method != NULL && i < method->nfigures; ++i) {
        r->name[r->count++] = method->figures[i].figure.name;
    }
}

static int write_figures(const brn_method *method, const brn_report *report, double *row)
{
    int n = 0;
    for (int i = 0; i < BRN_STEP_FIGURES; ++i) {
        if (brn_step_table[i].figure.column) {
            row[n++] = brn_step_value(report, i);
        }
    }
    memcpy(&row[n], report->own, (size_t)method->nfigures * sizeof *row);
    return n + method->nfigures;
}

static brn_status name_columns(brn_series_row *r, const brn_model *model, const brn_method *method)
{
    const int most = BRN_STEP_FIGURES + BRN_OWN_FIGURES +
                     model->dim * (2 * r->nhold + model->nattach + 3 * model->nprobe + r->nbody) +
                     (model->dim + 1) * model->nconnect + 9 * r->nrigid + JOINT_COLUMNS * r->njoint;
    BRN_ALLOC(r->ctx, r->name, most);
    BRN_ALLOC(r->ctx, r->text, most);
    add_figures(r, method);
    for (int i = 0; i < r->nhold; ++i) {
        add_names(r, model->hold[r->hold[i]].name, hold_quantities, BRN_COUNT(hold_quantities), model->dim);
    }
    for (int i = 0; i < model->nattach; ++i) {
        add_names(r, model->attach[i].name, attachment_quantities, 1, model->dim);
    }
    for (int i = 0; i < model->nconnect; ++i) {
        add_names(r, model->connect[i].name, attachment_quantities, 1, model->dim);
        if (model->connect[i].type == BRN_CONNECT_DISTANCE) {
            char *text = r->text[r->count];
            (void)snprintf(text, sizeof *r->text, "%.120s.length", model->connect[i].name);
            r->name[r->count++] = text;
        }
    }
    for (int i = 0; i < model->nprobe; ++i) {
        add_names(r, model->probe[i].name, probe_quantities, BRN_COUNT(probe_quantities), model->dim);
    }
    for (int i = 0; i < r->nbody; ++i) {
        add_names(r, model->body[r->body[i]].name, body_quantities, BRN_COUNT(body_quantities), model->dim);
    }
    for (int i = 0; i < r->nrigid; ++i) {
        add_pose_names(r, model->body[r->rigid[i]].name, model->dim);
    }
    for (int i = 0; i < r->njoint; ++i) {
        BRN_TRY(add_joint_names(r, model, r->joint[i]));
    }
    return BRN_OK;
}

brn_status brn_series_row_make(brn_series_row *r, const brn_model *model, const brn_method *method)
{
    BRN_TRY(choose_columns(r, model, method != NULL && method->contact));
    BRN_TRY(choose_joints(r, model));
    return name_columns(r, model, method);
}

void brn_series_row_clear(brn_series_row *r)
{
    brn_free(r->ctx, r->name);
    brn_free(r->ctx, r->text);
    brn_free(r->ctx, r->body);
    brn_free(r->ctx, r->hold);
    brn_free(r->ctx, r->rigid);
    brn_free(r->ctx, r->joint);
    brn_free(r->ctx, r->state);
    *r = (brn_series_row){.ctx = r->ctx};
}

void brn_series_row_fill(const brn_series_row *r, const brn_sim *sim, const brn_report *report, double *row)
{
    const brn_model *model = sim->model;
    int n = write_figures(sim->method, report, row);
    for (int i = 0; i < r->nhold; ++i) {
        for (int q = 0; q < BRN_COUNT(hold_quantities); ++q, n += model->dim) {
            const brn_hold *hold = &model->hold[r->hold[i]];
            measure(sim, hold->node, hold->nnode, hold->axes, hold_quantities[q], &row[n]);
        }
    }
    for (int i = 0; i < model->nattach; ++i, n += model->dim) {
        write_force(sim, BRN_ATTACH_FORCE, i, &row[n]);
    }
    for (int i = 0; i < model->nconnect; ++i) {
        n += write_connection(sim, i, &row[n]);
    }
    for (int i = 0; i < model->nprobe; ++i) {
        for (int q = 0; q < BRN_COUNT(probe_quantities); ++q, n += model->dim) {
            const brn_probe *probe = &model->probe[i];
            measure(sim, probe->node, probe->nnode, 0, probe_quantities[q], &row[n]);
        }
    }
    for (int i = 0; i < r->nbody; ++i, n += model->dim) {
        memcpy(&row[n], sim->contact_force[r->body[i]], (size_t)model->dim * sizeof *row);
    }
    for (int i = 0; i < r->nrigid; ++i) {
        n += write_pose(sim, r->rigid[i], &row[n]);
    }
    const bool known = r->njoint > 0 && brn_sim_get_joints(sim, r->state) >= 0;
    for (int i = 0; i < r->njoint; ++i, n += JOINT_COLUMNS) {
        if (known) {
            write_joint(&r->state[r->joint[i]], &row[n]);
        } else {
            for (int k = 0; k < JOINT_COLUMNS; ++k) {
                row[n + k] = NAN;
            }
        }
    }
}
