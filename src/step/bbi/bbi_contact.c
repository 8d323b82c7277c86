/* Contact points of a step, the rows they act on, and their forces. */
#include "step/bbi/bbi.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* Of a penetration that a step starts with, what it takes out: all of it within one step would throw bodies apart, and so would as much in each part of
   a step that is cut. Nothing gets there by itself; but a vertex that has passed a rim may find itself behind another side. */
static const double OUT = 0.1;

/* Friction without slip. */
static const double ROUGH = 1e3;
/* Of the elements: penetrations and gaps under force below this are none. */
static const double GAP_TOLERANCE = 1e-7;

/* The rows of a point: what the nodes of its lever stand for. */
static void add_rows(brn_bbi *bbi, brn_bbi_point *p)
{
    p->first = bbi->nrow;
    p->count = 0;
    for (int k = 0; k < p->touch.lever.count; ++k) {
        const brn_masters of = brn_model_masters(bbi->model, p->touch.lever.node[k]);
        for (int m = 0; m < of.count; ++m) {
            const int row = bbi->model->node_row[of.node[m]];
            const double weight = p->touch.lever.weight[k] * of.weight[m];
            int at = p->first;
            while (at < bbi->nrow && bbi->row[at] != row) {
                ++at;
            }
            if (at == bbi->nrow) {
                bbi->row[bbi->nrow] = row;
                bbi->weight[bbi->nrow++] = 0.0;
                ++p->count;
            }
            bbi->weight[at] += weight;
        }
    }
}

static size_t rows_of(const brn_bbi *bbi, const brn_lever *lever)
{
    size_t count = 0;
    for (int k = 0; k < lever->count; ++k) {
        count += (size_t)brn_model_masters(bbi->model, lever->node[k]).count;
    }
    return count;
}

/* Whether a force on it can move anything. */
static bool is_movable(const brn_bbi *bbi, const brn_bbi_point *p)
{
    const int dim = bbi->model->dim;
    const double *normal = &p->touch.frame[dim * (dim - 1)];
    bool any = false;
    for (int k = p->first; k < p->first + p->count; ++k) {
        for (int i = 0; i < dim; ++i) {
            any = any || (bbi->model->fixed[bbi->row[k] * dim + i] == BRN_DOF_FREE &&
                          normal[i] * bbi->weight[k] != 0.0);
        }
    }
    return any;
}

/* [N] in the world, on body[0], of components (normal, tangents). */
static void to_world(int dim, const double frame[9], const double f[3], double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < dim; ++i) {
        out[i] = f[0] * frame[dim * (dim - 1) + i];
        for (int k = 1; k < dim; ++k) {
            out[i] += f[k] * frame[dim * (k - 1) + i];
        }
    }
}

/* Room for the points of before and of a search, and their rows. */
static brn_status make_room(brn_bbi *bbi)
{
    const size_t count = (size_t)bbi->touching->count + (size_t)bbi->npoint;
    size_t rows = 0;
    for (int i = 0; i < bbi->touching->count; ++i) {
        rows += rows_of(bbi, &bbi->touching->point[i].lever);
    }
    for (int i = 0; i < bbi->npoint; ++i) {
        rows += rows_of(bbi, &bbi->point[i].touch.lever);
    }
    BRN_GROW(bbi->ctx, bbi->point, bbi->point_capacity, count);
    BRN_GROW(bbi->ctx, bbi->row, bbi->row_capacity, rows);
    BRN_GROW(bbi->ctx, bbi->weight, bbi->weight_capacity, rows);
    BRN_GROW(bbi->ctx, bbi->taken, bbi->taken_capacity, bbi->touching->count);
    return BRN_OK;
}

/* Whether a motion takes what is held along the normal into a half-space in this step: no force keeps it out. Of surfaces neighbours that are free
   would tell. */
static bool is_driven_in(const brn_bbi *bbi, const brn_bbi_point *p)
{
    const int dim = bbi->model->dim;
    const double *normal = &p->touch.frame[dim * (dim - 1)];
    const double least = -brn_bbi_allowed(bbi, p);
    double gap = p->touch.gap;
    for (int k = p->first; k < p->first + p->count; ++k) {
        for (int i = 0; i < dim; ++i) {
            const int dof = bbi->row[k] * dim + i;
            gap += bbi->model->fixed[dof] == BRN_DOF_HELD
                       ? normal[i] * bbi->weight[k] * bbi->newton->scheme->held[dof]
                       : 0.0;
        }
    }
    return bbi->model->body[p->touch.body[1]].shape.primitive.kind == BRN_PRIMITIVE_PLANE &&
           p->touch.gap >= least && gap < least;
}

static brn_status refuse_driven(const brn_bbi *bbi, const brn_bbi_point *p)
{
    const brn_body *body = bbi->model->body;
    const double *at = p->touch.place;
    return brn_fail(bbi->ctx, BRN_ERR_CONVERGENCE,
                    "t = %g s: '%s' is moved into '%s' near [%.4g, %.4g, %.4g], where it is held and cannot "
                    "give way; change the motion, or hold less",
                    bbi->newton->scheme->t, body[p->touch.body[0]].name, body[p->touch.body[1]].name, at[0],
                    at[1], at[2]);
}

/* Adds a point if it can carry a force. */
static brn_status add_point(brn_bbi *bbi, const brn_touching_point *touch)
{
    const size_t law = brn_model_pair(bbi->model, touch->body[0], touch->body[1]);
    brn_bbi_point *p = &bbi->point[bbi->npoint];
    /* What flies meets nothing before the end of the step. */
    if (!touch->bears || brn_bbi_flies(bbi, touch->body[0]) || brn_bbi_flies(bbi, touch->body[1])) {
        return BRN_OK;
    }
    *p = (brn_bbi_point){
        .touch = *touch, .late = true, .mu = bbi->no_slip ? ROUGH : bbi->system->controls->friction[law]};
    add_rows(bbi, p);
    if (is_movable(bbi, p)) {
        bbi->npoint++;
        return BRN_OK;
    }
    return is_driven_in(bbi, p) ? refuse_driven(bbi, p) : BRN_OK;
}

/* The share of an overlap that is left after the step. */
static double kept(const brn_bbi *bbi)
{
    return 1.0 - OUT * fmin(1.0, bbi->newton->scheme->h / bbi->whole);
}

/* Where points are known is here. */
static void see(brn_bbi *bbi)
{
    memcpy(bbi->seen, bbi->newton->y, (size_t)bbi->system->ndof * sizeof *bbi->seen);
    memcpy(bbi->seen_at, bbi->newton->x, 3 * (size_t)bbi->model->nnode * sizeof *bbi->seen_at);
}

brn_status brn_bbi_find(brn_bbi *bbi, const brn_contact_reach *reach)
{
    bbi->npoint = bbi->nrow = 0;
    BRN_TRY(brn_touching_find(bbi->touching, bbi->newton->x, reach));
    BRN_TRY(make_room(bbi));
    for (int i = 0; i < bbi->touching->count; ++i) {
        BRN_TRY(add_point(bbi, &bbi->touching->point[i]));
    }
    for (int i = 0; i < bbi->npoint; ++i) {
        bbi->point[i].depth = kept(bbi) * fmax(0.0, -bbi->point[i].touch.gap);
        bbi->point[i].stays = true;
    }
    see(bbi);
    return BRN_OK;
}

/* ---- the same points at other positions -------------------------------------------------------------------------------------- */

/* A normal that turned by more than this (its cosine) belongs to another side: a vertex near a rim has several. */
static const double SAME_SIDE = 0.9;

/* Cosine between the normals. */
static double along(int dim, const brn_touching_point *a, const brn_touching_point *b)
{
    const int normal = dim * (dim - 1);
    double sum = 0.0;
    for (int i = 0; i < dim; ++i) {
        sum += a->frame[normal + i] * b->frame[normal + i];
    }
    return sum;
}

static bool is_same(const brn_touching_point *a, const brn_touching_point *b)
{
    return a->kind == b->kind && a->body[0] == b->body[0] && a->body[1] == b->body[1] &&
           a->node[0] == b->node[0] && (a->kind != BRN_TOUCHING_EDGES || a->node[2] == b->node[2]);
}

/* Whether it is the same side that the vertex meets. */
static bool is_same_side(const brn_touching_point *a, const brn_touching_point *b)
{
    return a->node[1] == b->node[1] && a->node[2] == b->node[2] && a->node[3] == b->node[3];
}

/* The point of the new search that is p; -1: none. Of convex bodies, and of the faces that something round meets, each for itself, the nearest;
   these stand together. *any: there is one on some side. */
static int find_again(const brn_bbi *bbi, const brn_bbi_point *p, int near, bool *any)
{
    const int dim = bbi->model->dim;
    const int count = bbi->touching->count;
    double least = INFINITY;
    int best = -1;
    *any = false;
    for (int k = 0; k < count; ++k) {
        const int at = (near + k) % count;
        const brn_touching_point *q = &bbi->touching->point[at];
        double distance = 0.0;
        if (!is_same(&p->touch, q)) {
            if (best >= 0 && p->touch.kind != BRN_TOUCHING_CONVEX) {
                break;
            }
            continue;
        }
        *any = true;
        if (bbi->taken[at] || !q->bears || !(along(dim, &p->touch, q) > SAME_SIDE)) {
            continue;
        }
        for (int i = 0; i < dim; ++i) {
            const double off = q->place[i] - p->touch.place[i];
            distance += off * off;
        }
        if (p->touch.kind != BRN_TOUCHING_CONVEX && is_same_side(&p->touch, q)) {
            return at;
        }
        if (distance < least) {
            least = distance;
            best = at;
        }
    }
    return best;
}

/* Takes the geometry of a new search; the force stays what it is in the world, across the new normal. */
static void take_again(const brn_bbi *bbi, brn_bbi_point *p, const brn_touching_point *q)
{
    const int dim = bbi->model->dim;
    const double flat[3] = {0.0, p->force[1], p->force[2]};
    double world[3];
    to_world(dim, p->touch.frame, flat, world);
    p->touch = *q;
    for (int k = 1; k < dim; ++k) {
        p->force[k] = 0.0;
        for (int i = 0; i < dim; ++i) {
            p->force[k] += q->frame[dim * (k - 1) + i] * world[i];
        }
    }
}

/* Gaps go on along the normals by what nodes moved since the last look. */
static void move_gaps(brn_bbi *bbi)
{
    brn_newton *n = bbi->newton;
    for (int i = 0; i < bbi->system->ndof; ++i) {
        n->scratch[i] = n->y[i] - bbi->seen[i];
    }
    for (int i = 0; i < bbi->npoint; ++i) {
        double way[3];
        brn_bbi_look(bbi, &bbi->point[i], n->scratch, way);
        bbi->point[i].touch.gap += way[0];
    }
    see(bbi);
}

/* Whether a vertex has a point against that body already, what is round one against that face, or two convex bodies any. */
static bool is_covered(const brn_bbi *bbi, int count, const brn_touching_point *q)
{
    const bool round = brn_touching_is_round(bbi->touching, q);
    bool any = false;
    for (int i = 0; i < count && !any; ++i) {
        const brn_touching_point *touch = &bbi->point[i].touch;
        any = is_same(touch, q) && (!round || is_same_side(touch, q));
    }
    return any;
}

bool brn_bbi_knows(const brn_bbi *bbi, const brn_touching_point *q)
{
    bool any = false;
    for (int i = 0; i < bbi->npoint && !any; ++i) {
        const brn_touching_point *touch = &bbi->point[i].touch;
        any = is_same(touch, q) && along(bbi->model->dim, touch, q) > SAME_SIDE;
    }
    return any;
}

/* A point that is found on the way may have been in the other body all the time, behind another of its sides: that comes out as slowly. What is
   deeper now than it went was in there when the step began, though nothing told: a vertex whose surface faces the other way is no point. Else no deeper
   than what is known to have been: `before` are the points known till then. */
static void set_late_depth(const brn_bbi *bbi, int before, brn_bbi_point *p)
{
    const int *body = p->touch.body;
    double most = 0.0;
    double way[3];
    for (int i = 0; i < before; ++i) {
        const int *of = bbi->point[i].touch.body;
        const bool same = (of[0] == body[0] && of[1] == body[1]) || (of[0] == body[1] && of[1] == body[0]);
        most = same ? fmax(most, bbi->point[i].depth) : most;
    }
    brn_bbi_look(bbi, p, bbi->newton->y, way);
    const double depth = kept(bbi) * fmax(0.0, way[0] - p->touch.gap);
    p->depth = -p->touch.gap > brn_dense_length3(way) ? depth : fmin(most, depth);
}

/* A point of an earlier iteration that is near to nothing any more is left out again, unless it was within reach of the step from its start or has
   carried a force in it: iterations go as if it had never been there, and cannot go round in circles because of it. What lay beyond the reach and
   is passed without being seen, the look back at the end of the step finds. */
brn_status brn_bbi_find_again(brn_bbi *bbi, const brn_contact_reach *reach)
{
    const int had = bbi->npoint;
    move_gaps(bbi);
    if (reach == NULL) {
        return BRN_OK;
    }
    BRN_TRY(brn_touching_find(bbi->touching, bbi->newton->x, reach));
    BRN_TRY(make_room(bbi));
    if (bbi->touching->count > 0) {
        memset(bbi->taken, 0, (size_t)bbi->touching->count);
    }
    bbi->nrow = bbi->npoint = 0;
    for (int i = 0, near = 0; i < had; ++i) {
        brn_bbi_point *p = &bbi->point[bbi->npoint];
        bool any;
        *p = bbi->point[i];
        const int at = find_again(bbi, p, near, &any);
        p->stays = p->stays || p->force[0] > 0.0;
        if (at >= 0) {
            take_again(bbi, p, &bbi->touching->point[at]);
            bbi->taken[at] = 1;
            near = at + 1;
        }
        if (any || p->stays) {
            add_rows(bbi, p);
            bbi->npoint++;
        }
    }
    const int before = bbi->npoint;
    for (int i = 0; i < bbi->touching->count; ++i) {
        brn_bbi_point *p = &bbi->point[bbi->npoint];
        if (!bbi->taken[i] && !is_covered(bbi, before, &bbi->touching->point[i])) {
            BRN_TRY(add_point(bbi, &bbi->touching->point[i]));
        }
        if (p < &bbi->point[bbi->npoint]) {
            set_late_depth(bbi, before, p);
            p->stays = p->depth > 0.0;
        }
    }
    return BRN_OK;
}

/* ---- forces ---------------------------------------------------------------------------------------------------------------------- */

void brn_bbi_to_world(const brn_bbi *bbi, const brn_bbi_point *p, const double force[3], double out[3])
{
    to_world(bbi->model->dim, p->touch.frame, force, out);
}

void brn_bbi_push(brn_bbi *bbi)
{
    memset(bbi->push, 0, (size_t)bbi->system->ndof * sizeof *bbi->push);
    for (int i = 0; i < bbi->npoint; ++i) {
        const brn_bbi_point *p = &bbi->point[i];
        double force[3];
        if (p->force[0] == 0.0) {
            continue;
        }
        to_world(bbi->model->dim, p->touch.frame, p->force, force);
        for (int k = 0; k < p->touch.lever.count; ++k) {
            brn_model_add_force(bbi->model, p->touch.lever.node[k], p->touch.lever.weight[k], force,
                                bbi->push);
        }
    }
}

void brn_bbi_look(const brn_bbi *bbi, const brn_bbi_point *p, const double *v, double out[3])
{
    const int dim = bbi->model->dim;
    double sum[3] = {0};
    for (int k = p->first; k < p->first + p->count; ++k) {
        for (int i = 0; i < dim; ++i) {
            sum[i] += bbi->weight[k] * v[bbi->row[k] * dim + i];
        }
    }
    for (int k = 0; k < dim; ++k) {
        const double *axis = &p->touch.frame[dim * (k == 0 ? dim - 1 : k - 1)];
        out[k] = 0.0;
        for (int i = 0; i < dim; ++i) {
            out[k] += axis[i] * sum[i];
        }
    }
}

void brn_bbi_pull(const brn_bbi *bbi, const brn_bbi_point *p, const double force[3], double *packed)
{
    const int dim = bbi->model->dim;
    double f[3];
    to_world(dim, p->touch.frame, force, f);
    for (int k = p->first; k < p->first + p->count; ++k) {
        for (int i = 0; i < dim; ++i) {
            const int dof = bbi->row[k] * dim + i;
            packed[dof] += bbi->model->fixed[dof] == BRN_DOF_FREE ? bbi->weight[k] * f[i] : 0.0;
        }
    }
}

double brn_bbi_allowed(const brn_bbi *bbi, const brn_bbi_point *p)
{
    const double *size = bbi->touching->size;
    const double *noise = bbi->newton->part_noise;
    const double rounding =
        fmax(noise[bbi->cluster[p->touch.body[0]]], noise[bbi->cluster[p->touch.body[1]]]);
    return GAP_TOLERANCE * fmin(size[p->touch.body[0]], size[p->touch.body[1]]) + 8.0 * rounding;
}

bool brn_bbi_touches(const brn_bbi *bbi, const brn_bbi_point *p)
{
    return p->force[0] > 0.0 || p->touch.gap + p->depth <= brn_bbi_allowed(bbi, p);
}

brn_status brn_bbi_report(brn_bbi *bbi, brn_step_info *info)
{
    const int dim = bbi->model->dim;
    const double c = bbi->newton->scheme->c;
    BRN_GROW(bbi->ctx, bbi->report, bbi->report_capacity, bbi->npoint);
    info->npoint = 0;
    for (int i = 0; i < bbi->npoint; ++i) {
        const brn_bbi_point *p = &bbi->point[i];
        double mean[3];
        double force[3];
        double slip[3] = {0};
        /* An impact takes back what the rule gave too much, in its metric, and may take a little more: the mean of a contact never pulls. */
        const bool pushes = p->force[0] + 0.5 * p->impact[0] > 0.0;
        for (int k = 0; k < 3; ++k) {
            mean[k] = pushes ? p->force[k] + 0.5 * p->impact[k] : 0.0;
            slip[k] = k > 0 ? c * p->u[k] : 0.0;
        }
        if (!(p->force[0] > 0.0) && p->touch.gap > 0.0) {
            continue;
        }
        brn_contact_point *to = &bbi->report[info->npoint++];
        *to = (brn_contact_point){.body = {p->touch.body[0], p->touch.body[1]},
                                  .gap = p->touch.gap,
                                  .normal_force = mean[0],
                                  .mu = p->mu};
        memcpy(to->place, p->touch.place, sizeof to->place);
        memcpy(to->normal, &p->touch.frame[dim * (dim - 1)], (size_t)dim * sizeof *to->normal);
        to_world(dim, p->touch.frame, slip, to->slip);
        mean[0] = 0.0;
        to_world(dim, p->touch.frame, mean, force);
        memcpy(to->friction, force, sizeof force);
        info->gap_min = fmin(info->gap_min, p->touch.gap);
        info->own[BRN_BBI_OVERLAP] =
            fmax(info->own[BRN_BBI_OVERLAP], brn_touching_overlap(bbi->model, p->touch.body, p->touch.gap));
        if (p->force[0] > 0.0) {
            info->complementarity = fmax(info->complementarity, p->touch.gap);
        }
    }
    info->point = bbi->report;
    info->contacts = info->npoint;
    return BRN_OK;
}
