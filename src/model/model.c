#include "model/model.h"

#include "linalg/dense.h"
#include "model/robot_model.h"

#include <math.h>
#include <string.h>

/* Shift and its rate at time t from the table, linear between rows and constant outside. The rate is the one just before:
   the left-hand one, or the right-hand one when time runs back. */
static void table_shift(const brn_motion *motion, double t, bool back, double shift[3], double rate[3])
{
    const double *rows = motion->table;
    const int last = motion->rows - 1;
    int row = 0; /* t lies in (rows[row], rows[row+1]], back in [rows[row], rows[row+1]) */
    while (row < last && (back ? rows[4 * (row + 1)] <= t : rows[4 * (row + 1)] < t)) {
        ++row;
    }
    const double *a = &rows[4 * row];
    const double *b = &rows[4 * (row < last ? row + 1 : row)];
    const bool between = (back ? t >= a[0] : t > a[0]) && row < last;
    for (int i = 0; i < 3; ++i) {
        const double slope = between ? (b[1 + i] - a[1 + i]) / (b[0] - a[0]) : 0.0;
        shift[i] += a[1 + i] + (between ? slope * (t - a[0]) : 0.0);
        rate[i] += slope;
    }
}

void brn_motion_run(const brn_motion *motion, const double rest[3], double tau, double speed, double pos[3],
                    double vel[3])
{
    const bool back = speed < 0.0;
    const bool stopped = tau > motion->until || (back && (tau == motion->until || tau < 0.0));
    const double clipped = tau > motion->until ? motion->until : tau < 0.0 ? 0.0 : tau;
    double shift[3];
    double rate[3];
    for (int i = 0; i < 3; ++i) {
        shift[i] = motion->velocity[i] * clipped;
        rate[i] = motion->velocity[i];
    }
    if (motion->rows > 0) {
        table_shift(motion, clipped, back, shift, rate);
    }
    const double *point = motion->point;
    const double arm[3] = {rest[0] - point[0], rest[1] - point[1], rest[2] - point[2]};
    const double w = motion->angular_velocity;
    const double spin[3] = {w * motion->axis[0], w * motion->axis[1], w * motion->axis[2]};
    double turned[3] = {arm[0], arm[1], arm[2]};
    double swing[3]; /* spin x turned */
    if (w != 0.0) {
        double r[9];
        (void)brn_dense_rotation(motion->axis, w * clipped, r);
        brn_dense_apply3(r, arm, turned);
    }
    brn_dense_cross3(spin, turned, swing);
    for (int i = 0; i < 3; ++i) {
        if (pos != NULL) { /* without rotation no rounding of X - point + point */
            pos[i] = w != 0.0 ? turned[i] + point[i] + shift[i] : rest[i] + shift[i];
        }
        if (vel != NULL) {
            vel[i] = stopped ? 0.0 : speed * (rate[i] + swing[i]);
        }
    }
}

void brn_motion_place(const brn_motion *motion, const double rest[3], double t, double pos[3], double vel[3])
{
    brn_motion_run(motion, rest, t, 1.0, pos, vel);
}

bool brn_motion_moves(const brn_motion *motion)
{
    const double *v = motion->velocity;
    return v[0] != 0.0 || v[1] != 0.0 || v[2] != 0.0 || motion->angular_velocity != 0.0 || motion->rows > 0;
}

double brn_motion_end(const brn_motion *motion)
{
    const double *v = motion->velocity;
    const bool steady = v[0] != 0.0 || v[1] != 0.0 || v[2] != 0.0 || motion->angular_velocity != 0.0;
    const double rows = motion->rows > 0 ? motion->table[4 * (motion->rows - 1)] : 0.0;
    return steady ? motion->until : fmin(motion->until, fmax(rows, 0.0));
}

const brn_attachment *brn_model_attachment_of(const brn_model *model, int node, int end)
{
    if (model->attached_to == NULL || model->attached_to[node] < 0) {
        return NULL;
    }
    for (int i = 0; i < end; ++i) {
        for (int k = 0; k < model->attach[i].nnode; ++k) {
            if (model->attach[i].node[k] == node) {
                return &model->attach[i];
            }
        }
    }
    return NULL;
}

double brn_model_after(const brn_model *model, double t, double h)
{
    const double slack = 1e-9 * h;
    double after = t;
    for (int i = 0; i < model->nload; ++i) {
        if (fabs(t - model->load[i].until) <= slack) {
            after = fmax(after, model->load[i].until + slack);
        }
    }
    return after;
}

double brn_model_ramp_end(const brn_model *model)
{
    return model->stages.loads ? model->stages.until : model->end;
}

double brn_load_factor(const brn_load *load, double t)
{
    if (t > load->until) {
        return 0.0;
    }
    if (t >= load->ramp_to) {
        return 1.0;
    }
    return t <= load->ramp_from ? 0.0 : (t - load->ramp_from) / (load->ramp_to - load->ramp_from);
}

void brn_model_destroy(brn_model *model)
{
    if (model == NULL) {
        return;
    }
    brn_ctx *ctx = model->ctx;
    for (int i = 0; i < model->ngroup; ++i) {
        brn_group_destroy(model->group[i]);
    }
    for (int i = 0; i < model->nbody; ++i) {
        brn_free(ctx, model->body[i].name);
        brn_free(ctx, model->body[i].materials);
        if (model->body[i].touch != model->body[i].boundary) {
            brn_boundary_destroy(model->body[i].touch);
        }
        brn_boundary_destroy(model->body[i].boundary);
    }
    for (int i = 0; i < model->nrobot; ++i) {
        brn_robot_model_destroy(model->robot[i]);
    }
    brn_free(ctx, model->robot);
    brn_free(ctx, model->apart);
    for (int i = 0; i < model->nsource; ++i) {
        brn_free(ctx, model->source[i].name);
    }
    brn_free(ctx, model->source);
    brn_free(ctx, model->mass_alpha);
    for (int i = 0; i < model->nhold; ++i) {
        brn_free(ctx, model->hold[i].name);
        brn_free(ctx, model->hold[i].node);
        brn_free(ctx, model->hold[i].motion.table);
    }
    for (int i = 0; i < model->nload; ++i) {
        brn_free(ctx, model->load[i].name);
        brn_free(ctx, model->load[i].node);
        brn_free(ctx, model->load[i].force);
        for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
            brn_free(ctx, model->load[i].face[kind]);
        }
    }
    for (int i = 0; i < model->nprobe; ++i) {
        brn_free(ctx, model->probe[i].name);
        brn_free(ctx, model->probe[i].node);
    }
    brn_plots_clear(ctx, &model->plots);
    for (int i = 0; i < model->nattach; ++i) {
        brn_free(ctx, model->attach[i].name);
        brn_free(ctx, model->attach[i].node);
    }
    for (int i = 0; i < model->nconnect; ++i) {
        brn_free(ctx, model->connect[i].name);
    }
    brn_ties_clear(ctx, &model->ties);
    brn_block_matrix_destroy(model->mass);
    for (int key = 0; key < BRN_CONTACT_KEY_COUNT; ++key) {
        brn_free(ctx, model->contact_key[key]);
    }
    void *arrays[] = {model->title,    model->method_params, model->rest,      model->vel0,
                      model->group,    model->body,          model->node_mass, model->hold,
                      model->fixed,    model->friction,      model->load,      model->probe,
                      model->row_node, model->node_row,      model->attach,    model->attached_to,
                      model->connect,  model->joined};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(ctx, arrays[i]);
    }
    brn_free(ctx, model);
}

void brn_model_get_info(const brn_model *model, brn_model_info *out)
{
    if (out == NULL) {
        return;
    }
    if (model == NULL) {
        *out = (brn_model_info){0};
        return;
    }
    *out = (brn_model_info){
        .title = model->title,
        .method = model->method->name,
        .method_why = model->method_why,
        .integrator = brn_integrator_words[model->integrator],
        .dimension = model->dim,
        .bodies = model->nbody,
        .nodes = model->nnode,
        .elements = model->nelem,
        .step = model->step,
        .end = model->end,
        .attachments = model->nattach,
        .connections = model->nconnect,
    };
    for (int i = 0; i < model->nrow * model->dim; ++i) {
        out->dofs += model->fixed[i] == 0;
    }
    for (int i = 0; i < model->nbody; ++i) {
        out->mass += model->body[i].mass;
        out->volume += model->body[i].volume;
    }
}

brn_status brn_model_get_attachment(const brn_model *model, int attachment, brn_attachment_info *out)
{
    BRN_GIVEN(NULL, model);
    BRN_GIVEN(model->ctx, out);
    if (attachment < 0 || attachment >= model->nattach) {
        return brn_fail(model->ctx, BRN_ERR_RANGE, "attachment %d: the model has %d, numbered from 0",
                        attachment, model->nattach);
    }
    const brn_attachment *a = &model->attach[attachment];
    *out = (brn_attachment_info){
        .name = a->name, .body = a->body, .to = a->to, .node_count = a->nnode, .gap = a->gap};
    return BRN_OK;
}

brn_status brn_model_get_connection(const brn_model *model, int connection, brn_connection_info *out)
{
    BRN_GIVEN(NULL, model);
    BRN_GIVEN(model->ctx, out);
    if (connection < 0 || connection >= model->nconnect) {
        return brn_fail(model->ctx, BRN_ERR_RANGE, "connection %d: the model has %d, numbered from 0",
                        connection, model->nconnect);
    }
    const brn_connection *c = &model->connect[connection];
    *out = (brn_connection_info){.name = c->name, .type = brn_connect_words[c->type], .length = c->length};
    for (int k = 0; k < 2; ++k) {
        out->body[k] = c->point[0][k].body;
        for (int n = 0; n < c->npoint; ++n) { /* the middle of a hinge's or a weld's */
            for (int i = 0; i < 3; ++i) {
                out->place[k][i] += c->point[n][k].rest[i] / c->npoint;
            }
        }
    }
    return BRN_OK;
}

int brn_model_find_body(const brn_model *model, const char *name)
{
    if (model == NULL || name == NULL) {
        return -1;
    }
    for (int i = 0; i < model->nbody; ++i) {
        if (strcmp(model->body[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

brn_status brn_model_get_body(const brn_model *model, int body, brn_body_info *out)
{
    BRN_GIVEN(NULL, model);
    BRN_GIVEN(model->ctx, out);
    if (body < 0 || body >= model->nbody) {
        return brn_fail(model->ctx, BRN_ERR_RANGE, "body %d: the model has bodies 0 to %d", body,
                        model->nbody - 1);
    }
    const brn_body *b = &model->body[body];
    *out = (brn_body_info){
        .name = b->name,
        .type = brn_body_tables[b->type]->name,
        .source = model->source[b->source].name,
        .materials = b->materials,
        .copies = b->robot < 0 ? model->source[b->source].count : 1, /* parts of a robot differ */
        .node_first = b->node_first,
        .node_count = b->node_count,
        .element_count = b->elem_count,
        .mass = b->mass,
        .volume = b->volume,
        .centre = {b->centre[0], b->centre[1], b->centre[2]},
        .smallest_edge = b->quality.smallest_edge,
        .worst_element = b->quality.worst_cell,
        .worst_quality = b->quality.worst,
    };
    for (int i = 0; i < 3; ++i) {
        out->box_min[i] = INFINITY;
        out->box_max[i] = -INFINITY;
        for (int a = 0; a < b->node_count - (b->handle >= 0 ? model->dim + 1 : 0); ++a) {
            out->box_min[i] = fmin(out->box_min[i], model->rest[b->node_first + a][i]);
            out->box_max[i] = fmax(out->box_max[i], model->rest[b->node_first + a][i]);
        }
    }
    return BRN_OK;
}

/* ---- what can be moved --------------------------------------------------------------------------------------------- */

int brn_model_motion_hold(const brn_model *model, int motion)
{
    int left = motion;
    for (int i = 0; i < model->nhold && motion >= 0; ++i) {
        if (brn_motion_moves(&model->hold[i].motion) && left-- == 0) {
            return i;
        }
    }
    return -1;
}

int brn_model_motion_count(const brn_model *model)
{
    if (model == NULL) {
        return 0;
    }
    int count = 0;
    for (int i = 0; i < model->nhold; ++i) {
        count += brn_motion_moves(&model->hold[i].motion);
    }
    return count;
}

const char *brn_model_motion_name(const brn_model *model, int motion)
{
    if (model == NULL) {
        return NULL;
    }
    const int hold = brn_model_motion_hold(model, motion);
    return hold >= 0 ? model->hold[hold].name : NULL;
}

/* Static bodies have the first holds, in their order. */
int brn_model_body_hold(const brn_model *model, int body)
{
    int hold = 0;
    if (!brn_model_is_movable(model, body)) {
        return -1;
    }
    for (int i = 0; i < body; ++i) {
        hold += model->body[i].type == BRN_BODY_STATIC;
    }
    return hold;
}

bool brn_model_is_movable(const brn_model *model, int body)
{
    if (model == NULL) {
        return false;
    }
    return body >= 0 && body < model->nbody && model->body[body].type == BRN_BODY_STATIC;
}

double brn_body_diagonal(const brn_model *model, const brn_body *body)
{
    double square = 0.0;
    for (int i = 0; i < model->dim; ++i) {
        double lo = INFINITY;
        double hi = -INFINITY;
        for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
            lo = fmin(lo, model->rest[a][i]);
            hi = fmax(hi, model->rest[a][i]);
        }
        square += (hi - lo) * (hi - lo);
    }
    return sqrt(square);
}
