/* Connections: bodies that share points, or whose points stay at a distance. A hinge shares two points of its axis, a weld as many as
   leave nothing free: what is more than needed does no harm to a method that lets constraints give a little. */
#include "linalg/dense.h"
#include "model/cell_search.h"
#include "model/robot_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes of a rigid body beyond which a place is none of it but a mistake, of units for instance. */
static const double FAR = 100.0;
/* Of the distance: more than this off its length it does not start as it goes on. */
static const double OFF = 1e-6;

/* ---- places --------------------------------------------------------------------------------------------------------------- */

static brn_status anchor_in_cell(brn_builder *b, const brn_connect_def *def, const char *key, brn_anchor *out)
{
    brn_cell_search search;
    brn_tie_part part[BRN_ELEMENT_NODES_MAX];
    double gap = 0.0;
    const brn_status status = brn_cell_search_open(b, out->body, &search);
    out->count = status >= 0 ? brn_cell_search_find(&search, out->rest, part, &gap) : 0;
    const double reach = brn_cell_search_reach(&search);
    brn_cell_search_close(b->ctx, &search);
    BRN_TRY(status);
    if (gap > reach) {
        brn_builder_problem(
            b, &def->block, key,
            "[%g, %g, %g] is %.3g m from body '%s', more than %.3g m: name a place in it, or on "
            "its surface",
            out->rest[0], out->rest[1], out->rest[2], gap, b->model->body[out->body].name, reach);
    }
    for (int k = 0; k < out->count; ++k) {
        out->node[k] = part[k].node;
        out->weight[k] = part[k].weight;
    }
    return BRN_OK;
}

static void anchor_on_rigid(brn_builder *b, const brn_connect_def *def, const char *key, brn_anchor *out)
{
    const brn_body *body = &b->model->body[out->body];
    const double size = brn_body_diagonal(b->model, body);
    brn_tie_part part[4];
    double away[3];
    for (int i = 0; i < 3; ++i) {
        away[i] = out->rest[i] - b->model->rest[body->handle][i];
    }
    const double far = sqrt(brn_dense_dot3(away, away));
    if (far > FAR * size) {
        brn_builder_problem(
            b, &def->block, key,
            "[%g, %g, %g] is %.3g m from body '%s', which is %.3g m across: name a place nearer "
            "to it",
            out->rest[0], out->rest[1], out->rest[2], far, body->name, size);
    }
    brn_builder_rigid_parts(b, out->body, out->rest, part);
    out->count = b->model->dim + 1;
    for (int k = 0; k < out->count; ++k) {
        out->node[k] = part[k].node;
        out->weight[k] = part[k].weight;
    }
}

static brn_status set_anchor(brn_builder *b, const brn_connect_def *def, const char *key, int body,
                             const double place[3], brn_anchor *out)
{
    const int type = body >= 0 ? b->model->body[body].type : BRN_BODY_STATIC;
    const bool held = body >= 0 && type == BRN_BODY_STATIC;
    *out = (brn_anchor){.body = body, .hold = held ? brn_model_body_hold(b->model, body) : -1};
    memcpy(out->rest, place, (size_t)b->model->dim * sizeof *place);
    if (type == BRN_BODY_RIGID) {
        anchor_on_rigid(b, def, key, out);
    }
    return brn_body_has_cells(type) ? anchor_in_cell(b, def, key, out) : BRN_OK;
}

/* A place that goes with the first copy of a body, for another copy. */
static void move_place(const brn_builder *b, int first, int copy, const double place[3], double out[3])
{
    double arm[3];
    double back[3];
    for (int i = 0; i < 3; ++i) {
        arm[i] = place[i] - b->pose[first].position[i];
    }
    brn_dense_apply3_t(b->pose[first].rotation, arm, back);
    brn_dense_apply3(b->pose[copy].rotation, back, out);
    for (int i = 0; i < 3; ++i) {
        out[i] = copy == first ? place[i] : out[i] + b->pose[copy].position[i];
    }
}

/* ---- one connection ------------------------------------------------------------------------------------------------------- */

/* What a connection joins, and which copy of it. */
typedef struct pairing {
    brn_body_range range[2]; /* of the second none: the world */
    int count;
    bool chain; /* each copy with the next */
} pairing;

/* The bodies of a copy; -1: the world. */
static void bodies_of(const pairing *p, int copy, int body[2])
{
    body[0] = p->range[0].first + copy;
    body[1] = p->chain                ? body[0] + 1
              : p->range[1].count > 1 ? p->range[1].first + copy
              : p->range[1].count > 0 ? p->range[1].first
                                      : -1;
}

/* Where the points of a hinge or a weld are about its place: as far as the smaller body that moves is large. */
static void spread_points(const brn_builder *b, const brn_connect_def *def, const int body[2],
                          const double turn[9], double off[3][3])
{
    static const double flat[3][3] = {
        {1.0, 0.0, 0.0}, {-0.5, 0.8660254037844386, 0.0}, {-0.5, -0.8660254037844386, 0.0}};
    double arm = INFINITY;
    for (int k = 0; k < 2; ++k) {
        if (body[k] >= 0 && b->model->body[body[k]].type != BRN_BODY_STATIC) {
            arm = fmin(arm, 0.5 * brn_body_diagonal(b->model, &b->model->body[body[k]]));
        }
    }
    memset(off, 0, 9 * sizeof(double));
    if (def->type == BRN_CONNECT_HINGE) {
        double axis[3];
        brn_dense_apply3(turn, def->axis.v, axis);
        const double length = sqrt(brn_dense_dot3(axis, axis));
        for (int i = 0; i < 3; ++i) {
            off[0][i] = arm * axis[i] / length;
            off[1][i] = -off[0][i];
        }
    } else if (def->type == BRN_CONNECT_WELD) {
        for (int i = 0; i < 9; ++i) {
            off[i / 3][i % 3] = arm * flat[i / 3][i % 3];
        }
    }
}

static brn_status set_points(brn_builder *b, const brn_connect_def *def, const int body[2],
                             const double place[2][3], const double turn[9], brn_connection *out)
{
    const bool distance = def->type == BRN_CONNECT_DISTANCE;
    double off[3][3];
    spread_points(b, def, body, turn, off);
    out->npoint = def->type == BRN_CONNECT_HINGE ? 2 : def->type == BRN_CONNECT_WELD ? 3 : 1;
    for (int k = 0; k < 2 * out->npoint; ++k) {
        const int side = k % 2;
        double at[3];
        for (int i = 0; i < 3; ++i) {
            at[i] = place[side][i] + off[k / 2][i];
        }
        BRN_TRY(set_anchor(b, def,
                           !distance   ? "at"
                           : side == 0 ? "from"
                                       : "to",
                           body[side], at, &out->point[k / 2][side]));
    }
    return BRN_OK;
}

/* The length of a distance, which must be what it is at the start unless it may give way. */
static void set_length(brn_builder *b, const brn_connect_def *def, const double place[2][3],
                       brn_connection *out)
{
    double way[3] = {0};
    for (int i = 0; i < b->model->dim; ++i) {
        way[i] = place[0][i] - place[1][i];
    }
    const double now = sqrt(brn_dense_dot3(way, way));
    out->length = isnan(def->length) ? now : def->length;
    const double off = out->length - now;
    if (!(out->length > 0.0)) {
        brn_builder_problem(b, &def->block, "to", "is where 'from' is: give two places, or use type ball");
    } else if (isinf(out->stiffness) && (out->slack ? -off : fabs(off)) > OFF * now) {
        brn_builder_problem(b, &def->block, "length",
                            "the places are %.6g m apart at the start: %s, or give a stiffness", now,
                            out->slack ? "it must not be shorter" : "leave it out");
    }
}

static brn_status add_connection(brn_builder *b, const brn_connect_def *def, const pairing *p, int copy,
                                 const char *name)
{
    brn_model *model = b->model;
    void *grown = brn_realloc(b->ctx, model->connect, (size_t)model->nconnect + 1, sizeof *model->connect);
    if (grown == NULL) {
        return BRN_ERR_MEMORY;
    }
    model->connect = grown;
    brn_connection *connect = &model->connect[model->nconnect++];
    *connect = (brn_connection){.name = brn_strdup(b->ctx, name),
                                .type = def->type,
                                .slack = def->slack,
                                .stiffness = isnan(def->stiffness) ? INFINITY : def->stiffness,
                                .relaxation = def->relaxation};
    if (connect->name == NULL) {
        return BRN_ERR_MEMORY;
    }
    const brn_reals *given[2] = {&def->at, &def->at};
    if (def->type == BRN_CONNECT_DISTANCE) {
        given[0] = &def->from;
        given[1] = &def->to;
    }
    int body[2];
    double place[2][3];
    double turn[9];
    bodies_of(p, copy, body);
    for (int k = 0; k < 2; ++k) { /* copies of the second body have places of their own only in pairs */
        const int with =
            k == 1 && def->type == BRN_CONNECT_DISTANCE && p->range[1].count > 1 && !p->chain ? 1 : 0;
        move_place(b, p->range[with].first, p->range[with].first + copy, given[k]->v, place[k]);
        for (int i = model->dim; i < 3; ++i) {
            place[k][i] = 0.0;
        }
    }
    brn_dense_multiply3_nt(b->pose[body[0]].rotation, b->pose[p->range[0].first].rotation, turn);
    if (def->type == BRN_CONNECT_DISTANCE) {
        set_length(b, def, (const double(*)[3])place, connect);
    }
    return set_points(b, def, body, (const double(*)[3])place, turn, connect);
}

/* ---- what is connected ---------------------------------------------------------------------------------------------------- */

/* The bodies that a word names; none after adding a problem, or if one of them has a problem already. */
static brn_body_range find_side(brn_builder *b, const brn_connect_def *def, int side)
{
    const char *key = side == 0 ? "between[0]" : "between[1]";
    brn_body_range range = brn_builder_find_bodies(b, &def->block, key, def->between.v[side]);
    for (int i = range.first; i < range.first + range.count; ++i) {
        if (b->body_mesh[i] == NULL) {
            return (brn_body_range){0, 0};
        }
    }
    if (range.count > 0) {
        range = brn_builder_shapes_as_one(b->model, range);
    }
    if (range.count > 1 && b->model->body[range.first].robot >= 0) {
        brn_builder_problem(b, &def->block, key, "is a robot: name one of its links, %s/LINK",
                            def->between.v[side]);
        return (brn_body_range){0, 0};
    }
    return range;
}

static bool stands(const brn_builder *b, brn_body_range range)
{
    return range.count == 0 || b->model->body[range.first].type == BRN_BODY_STATIC;
}

/* Only points of what deforms can be held together: it has no frame. */
static bool check_types(brn_builder *b, const brn_connect_def *def, const pairing *p)
{
    for (int k = 0; k < 2; ++k) {
        const bool soft = p->range[k].count > 0 && brn_body_has_cells(b->model->body[p->range[k].first].type);
        if (soft && (def->type == BRN_CONNECT_HINGE || def->type == BRN_CONNECT_WELD)) {
            brn_builder_problem(b, &def->block, k == 0 ? "between[0]" : "between[1]",
                                "deforms: a %s needs bodies that do not; use %s",
                                brn_connect_words[def->type],
                                def->type == BRN_CONNECT_WELD ? "`attach`" : "two connections of type ball");
            return false;
        }
    }
    return true;
}

/* Copies of a body all to one, each to the copy of its number, or each to the next. False after adding a problem. */
static bool find_pairing(brn_builder *b, const brn_connect_def *def, pairing *p)
{
    *p = (pairing){0};
    for (int k = 0; k < def->between.count; ++k) {
        p->range[k] = find_side(b, def, k);
        if (p->range[k].count == 0) {
            return false;
        }
    }
    const brn_body_range *from = &p->range[0];
    const brn_body_range *to = &p->range[1];
    p->chain = from->count > 1 && from->first == to->first && from->count == to->count;
    p->count = from->count - (p->chain ? 1 : 0);
    if (!p->chain && from->first < to->first + to->count && to->first < from->first + from->count) {
        brn_builder_problem(b, &def->block, "between[1]", "is the body itself: name another");
    } else if (stands(b, *from) && stands(b, *to)) {
        brn_builder_problem(b, &def->block, "between", "nothing of it can move: name a body that does");
    } else if (to->count > 1 && to->count != from->count) {
        brn_builder_problem(
            b, &def->block, "between[1]",
            "names %d bodies, but between[0] names %d: one body, or as many, can be connected to", to->count,
            from->count);
    } else {
        return check_types(b, def, p);
    }
    return false;
}

static brn_status add_entry(brn_builder *b, int entry)
{
    const brn_connect_def *def = (const brn_connect_def *)b->def->connect.items + entry;
    pairing p;
    if (!find_pairing(b, def, &p)) {
        return BRN_OK;
    }
    const int problems = brn_scene_problem_count(b->scene);
    for (int i = 0; i < p.count && brn_scene_problem_count(b->scene) == problems; ++i) {
        char name[160];
        char number[32] = "";
        char copy[32] = "";
        (void)snprintf(number, sizeof number, "connect%d", entry);
        if (p.count > 1) {
            (void)snprintf(copy, sizeof copy, ".%d", i);
        }
        (void)snprintf(name, sizeof name, "%.100s%s", def->name != NULL ? def->name : number, copy);
        BRN_TRY(add_connection(b, def, &p, i, name));
    }
    return BRN_OK;
}

/* ---- contact -------------------------------------------------------------------------------------------------------------- */

static int compare(const void *left, const void *right)
{
    const int *a = left;
    const int *b = right;
    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

/* Bodies among which those are that move as one with a body: shapes of one link. */
static brn_body_range near_parts(const brn_model *model, int body)
{
    const int robot = model->body[body].robot;
    return robot < 0 ? (brn_body_range){body, 1}
                     : (brn_body_range){model->robot[robot]->body_first, model->robot[robot]->body_count};
}

/* All shapes of a link are joined to those of the other side. Counts them if `to` is NULL. */
static int list_joined(const brn_model *model, int (*to)[2])
{
    int count = 0;
    for (int k = 0; k < model->nconnect; ++k) {
        const brn_connection *connect = &model->connect[k];
        const int body[2] = {connect->point[0][0].body, connect->point[0][1].body};
        if (body[1] < 0 || connect->type == BRN_CONNECT_DISTANCE) {
            continue;
        }
        const brn_body_range first = near_parts(model, body[0]);
        const brn_body_range second = near_parts(model, body[1]);
        for (int n = 0; n < first.count * second.count; ++n) {
            const int i = first.first + n / second.count;
            const int j = second.first + n % second.count;
            if (model->body[i].link != model->body[body[0]].link ||
                model->body[j].link != model->body[body[1]].link) {
                continue;
            }
            if (to != NULL) {
                to[count][0] = i < j ? i : j;
                to[count][1] = i < j ? j : i;
            }
            ++count;
        }
    }
    return count;
}

bool brn_model_joined(const brn_model *model, int body, int other)
{
    const int pair[2] = {body < other ? body : other, body < other ? other : body};
    return model->njoined > 0 &&
           bsearch(pair, model->joined, (size_t)model->njoined, sizeof *model->joined, compare) != NULL;
}

brn_status brn_builder_add_connections(brn_builder *b)
{
    brn_model *model = b->model;
    for (int i = 0; i < b->def->connect.count; ++i) {
        BRN_TRY(add_entry(b, i));
    }
    if (brn_scene_problem_count(b->scene) > 0 || model->nconnect == 0) {
        return BRN_OK;
    }
    const int count = list_joined(model, NULL);
    BRN_ALLOC(b->ctx, model->joined, count);
    model->njoined = list_joined(model, model->joined);
    if (count > 0) {
        qsort(model->joined, (size_t)count, sizeof *model->joined, compare);
    }
    return BRN_OK;
}
