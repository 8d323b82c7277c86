/* Flight: a body that nothing touches and that hardly vibrates goes on as a rigid one [Chen et al. 2017, section 4]. Its centre of mass
   is on a parabola, its rotation follows the equations of Moser and Veselov, its shape is the one at rest. Linear and angular momentum are
   those of the elastic body (eqs. 22, 23 as corrected: the rotation from rest, weighted by mass about the centres); what it loses is the
   energy of its vibration. It is elastic again from the time of its first contact on. */
#include "step/bbi/bbi.h"

#include "contact/patches.h"
#include "linalg/dense.h"
#include "model/body_shape.h"
#include "model/rigid_pose.h"

#include <math.h>
#include <string.h>

static const char MEMORY[] = "bbi.flight";
enum { WIDTH = sizeof(brn_bbi_flight) / sizeof(double) };

/* A body that turns by more in a step is left to the elements: its path within the step is not followed. */
static const double ANGLE_MOST = 1.0;
/* Of the elements: bodies nearer than that touch. */
static const double TOUCHING = 1e-6;
/* What is hit may go further than it was foreseen to: by what moves, a body becomes elastic within as many of their ways. */
static const double WARY = 2.0;
/* Looks at the gaps of a step before contact; then what is left of the way is left to the elements. */
enum { LOOKS = 60 };
/* Where elastic bodies go on beside it, a contact within this share of the step is left to the elements: they take no shorter steps. */
static const double SHORTEST = 0.05;

bool brn_bbi_flies(const brn_bbi *bbi, int body)
{
    return bbi->flight[body].phase == BRN_BBI_FLYING;
}

/* ---- what it takes --------------------------------------------------------------------------------------------------------- */

/* Whether a load has nodes of a body; that of copies has nodes of all of them. */
static bool is_on(const brn_load *load, const brn_body *body)
{
    bool any = false;
    for (int k = 0; k < load->nnode && !any; ++k) {
        any = brn_body_has_node(body, load->node[k]);
    }
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const int width = brn_cell_get((brn_cell)kind)->nnode;
        for (int f = 0; f < load->nface[kind] && !any; ++f) {
            any = brn_body_has_node(body, load->face[kind][f * width]);
        }
    }
    return any;
}

/* Whether nothing but gravity and contact acts on it in a step. */
static bool is_left_alone(const brn_bbi *bbi, int b, double t, double h)
{
    const brn_model *model = bbi->model;
    const brn_body *body = &model->body[b];
    const int drag = bbi->system->controls->drag.node;
    bool alone = bbi->newton->scheme->free[b] && body->mass > 0.0 && bbi->flier[b].inertia[0] > 0.0 &&
                 !brn_body_has_node(body, drag);
    for (int g = body->group_first; g < body->group_first + body->group_count; ++g) {
        alone = alone && model->group[g]->alpha == 0.0;
    }
    for (int l = 0; l < model->nload && alone; ++l) {
        const brn_load *load = &model->load[l];
        const bool acts = brn_load_factor(load, t) != 0.0 || brn_load_factor(load, t + h) != 0.0;
        alone = !(acts && is_on(load, body));
    }
    return alone;
}

/* ---- the step --------------------------------------------------------------------------------------------------------------------- */

static bool rests(const brn_bbi *bbi, int b)
{
    const brn_model *model = bbi->model;
    const int hold = model->body[b].type == BRN_BODY_STATIC ? brn_model_body_hold(model, b) : -1;
    return model->body[b].type == BRN_BODY_STATIC &&
           (hold < 0 ||
            !(bbi->system->controls->shift[hold].on || brn_motion_moves(&model->hold[hold].motion)));
}

/* Of a body's nodes. */
typedef struct box {
    double middle[3], half[3]; /* [m] */
    bool whole;                /* there is nothing of the body beyond */
} box;

static box box_of(const brn_bbi *bbi, int b, const double *x)
{
    const brn_model *model = bbi->model;
    const brn_body *body = &model->body[b];
    const brn_primitive *shape = &body->shape.primitive;
    box out = {.whole = body->type != BRN_BODY_SHELL && shape->kind != BRN_PRIMITIVE_PLANE};
    brn_rigid_map frame;
    if (shape->kind != BRN_PRIMITIVE_NONE) {
        brn_body_shape_frame(model, b, x, &frame);
    }
    for (int i = 0; i < model->dim; ++i) {
        double lo = INFINITY;
        double hi = -INFINITY;
        if (shape->kind != BRN_PRIMITIVE_NONE) {
            double way[3] = {0.0};
            double end[3] = {0.0};
            way[i] = 1.0;
            out.whole = out.whole && brn_primitive_support_at(shape, &frame, way, end);
            hi = end[i];
            way[i] = -1.0;
            out.whole = out.whole && brn_primitive_support_at(shape, &frame, way, end);
            lo = end[i];
        }
        for (int a = body->node_first;
             a < body->node_first + body->node_count && shape->kind == BRN_PRIMITIVE_NONE; ++a) {
            lo = fmin(lo, x[3 * a + i]);
            hi = fmax(hi, x[3 * a + i]);
        }
        out.middle[i] = 0.5 * (lo + hi);
        out.half[i] = (0.5 + BRN_PATCHES_RIM) * (hi - lo); /* faces go on a little beyond their rims */
    }
    return out;
}

/* Whether nothing of a body is as near to another one as both reach: a quick look, which need not see that. */
static bool is_apart(const brn_bbi *bbi, const box *boxes, int b, int other, const double *x, double reach)
{
    const box *one = &boxes[b];
    const box *two = &boxes[other];
    const int *plane = bbi->model->body[other].plane;
    bool apart = false;
    if (one->whole && plane[0] >= 0) {
        double normal[3];
        double height = 0.0;
        brn_skin_plane_normal(bbi->touching->skin, plane, x, normal);
        for (int i = 0; i < 3; ++i) {
            height += normal[i] * (one->middle[i] - x[3 * plane[0] + i]) - fabs(normal[i]) * one->half[i];
        }
        return height > reach;
    }
    for (int i = 0; i < 3 && one->whole && two->whole; ++i) {
        apart = apart || fabs(one->middle[i] - two->middle[i]) > one->half[i] + two->half[i] + reach;
    }
    return apart;
}

/* Whether no body that flies can meet another in the step. None meets itself: its shape does not change. */
static brn_status find_clear(brn_bbi *bbi, const double *x, const brn_contact_reach *reach, bool *clear)
{
    const int nbody = bbi->model->nbody;
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    box *boxes = NULL;
    BRN_TAKE(arena, boxes, nbody);
    for (int b = 0; b < nbody; ++b) {
        boxes[b] = box_of(bbi, b, x);
    }
    *clear = true;
    for (int b = 0; b < nbody && *clear; ++b) {
        for (int other = 0; other < nbody && *clear && brn_bbi_flies(bbi, b); ++other) {
            *clear =
                other == b || is_apart(bbi, boxes, b, other, x, WARY * (reach->body[b] + reach->body[other]));
        }
    }
    brn_arena_rewind(arena, mark);
    return BRN_OK;
}

/* Bodies that could meet others in the step become elastic, or stay so. Only near
   obstacles at rest, those that fly already may go on until they meet one: these are marked. */
static bool look_around(brn_bbi *bbi, const brn_contact_reach *reach)
{
    bool any = false;
    for (int b = 0; b < bbi->model->nbody; ++b) {
        bbi->flier[b].near = false;
    }
    for (int i = 0; i < bbi->touching->count; ++i) {
        const brn_touching_point *p = &bbi->touching->point[i];
        for (int k = 0; k < 2; ++k) {
            const int b = p->body[k];
            const int other = p->body[1 - k];
            const double size = fmin(bbi->touching->size[b], bbi->touching->size[other]);
            const double ways = (rests(bbi, other) ? 1.0 : WARY) * (reach->body[b] + reach->body[other]);
            if (!brn_bbi_flies(bbi, b) || other == b || p->gap > ways) {
                continue;
            }
            if (bbi->flier[b].fresh || !rests(bbi, other) || p->gap <= TOUCHING * size) {
                bbi->flight[b].phase = BRN_BBI_ELASTIC;
            } else {
                bbi->flier[b].near = true;
            }
        }
    }
    for (int b = 0; b < bbi->model->nbody; ++b) {
        any = any || (bbi->flier[b].near && brn_bbi_flies(bbi, b));
    }
    return any;
}

static void land_near(brn_bbi *bbi)
{
    for (int b = 0; b < bbi->model->nbody; ++b) {
        if (brn_bbi_flies(bbi, b) && bbi->flier[b].near) {
            bbi->flight[b].phase = BRN_BBI_ELASTIC;
        }
    }
}

/* [s] In which gaps between bodies that fly and others cannot close, when the bodies have flown for a time; 0: they touch. How far they may still go is
   bbi->reach. */
static brn_status find_time(brn_bbi *bbi, const brn_contact_reach *reach, double time, double h,
                            double *clear)
{
    *clear = INFINITY;
    for (int b = 0; b < bbi->model->nbody; ++b) {
        bbi->reach[b] = bbi->own[b] = 0.0;
        if (brn_bbi_flies(bbi, b)) {
            brn_bbi_flight there = bbi->flight[b];
            brn_bbi_flier_fly(bbi, b, time, &there);
            brn_bbi_flier_put(bbi, b, &there, bbi->newton->x, NULL);
            bbi->reach[b] = reach->body[b] * (1.0 - time / h);
        }
    }
    BRN_TRY(brn_touching_find(bbi->touching, bbi->newton->x,
                              &(brn_contact_reach){reach->ahead, bbi->reach, bbi->own}));
    for (int i = 0; i < bbi->touching->count; ++i) {
        const brn_touching_point *p = &bbi->touching->point[i];
        const bool flies[2] = {brn_bbi_flies(bbi, p->body[0]), brn_bbi_flies(bbi, p->body[1])};
        const double way =
            (flies[0] ? reach->body[p->body[0]] : 0.0) + (flies[1] ? reach->body[p->body[1]] : 0.0);
        const double allowed =
            TOUCHING * fmin(bbi->touching->size[p->body[0]], bbi->touching->size[p->body[1]]);
        if (p->bears && way > 0.0 && p->body[0] != p->body[1]) {
            *clear = fmin(*clear, p->gap > allowed ? p->gap / way * h : 0.0);
        }
    }
    return BRN_OK;
}

/* [s] until the first flying body meets an obstacle, at most h: on as far as the fastest node of each could go through its least gap, again and
   again. Bodies that stay near for too long to be followed become elastic. */
static brn_status find_contact(brn_bbi *bbi, const brn_contact_reach *reach, double h, double *time)
{
    *time = 0.0;
    for (int k = 0; k < LOOKS && *time < h; ++k) {
        double clear;
        BRN_TRY(find_time(bbi, reach, *time, h, &clear));
        if (clear == 0.0) {
            return BRN_OK;
        }
        *time = fmin(h, *time + clear);
    }
    if (*time < h) {
        land_near(bbi);
        *time = h;
    }
    return BRN_OK;
}

/* Bodies that could take off; their rigid motion is made. */
static brn_status find_calm(brn_bbi *bbi, const brn_state *in, double t, double h, bool *any)
{
    brn_newton *n = bbi->newton;
    brn_system_pack(bbi->system, in->node_vel, n->scratch);
    BRN_TRY(brn_system_mass_apply(bbi->system, n->scratch, n->trial));
    for (int b = 0; b < bbi->model->nbody; ++b) {
        brn_bbi_flight *f = &bbi->flight[b];
        brn_bbi_flier *of = &bbi->flier[b];
        const bool alone = f->phase != BRN_BBI_TOUCHED && is_left_alone(bbi, b, t, h);
        of->fresh = f->phase == BRN_BBI_ELASTIC && alone;
        of->loss = 0.0;
        if (of->fresh) {
            brn_bbi_flier_take_off(bbi, b, in, n->trial, f);
            f->phase =
                brn_bbi_flier_calm(bbi, b, in, n->trial, h, f, &of->loss) ? BRN_BBI_FLYING : BRN_BBI_ELASTIC;
        }
        if (!alone || brn_moser_veselov_turn(of->inertia, h, &f->spin) > ANGLE_MOST) {
            f->phase = f->phase == BRN_BBI_FLYING ? BRN_BBI_ELASTIC : f->phase;
        }
        *any = *any || f->phase == BRN_BBI_FLYING;
    }
    return BRN_OK;
}

static bool all_fly(const brn_bbi *bbi)
{
    bool all = true;
    for (int b = 0; b < bbi->model->nbody; ++b) {
        all = all && (brn_bbi_flies(bbi, b) || bbi->model->body[b].type == BRN_BODY_STATIC);
    }
    return all;
}

brn_status brn_bbi_flight_create(brn_bbi *bbi)
{
    BRN_ALLOC(bbi->ctx, bbi->flight, bbi->model->nbody + 1);
    BRN_ALLOC(bbi->ctx, bbi->given, bbi->model->nrow + 1);
    return brn_bbi_flier_create(bbi);
}

brn_status brn_bbi_flight_begin(brn_bbi *bbi, const brn_state *in, double t, double *h, bool *all)
{
    brn_newton *n = bbi->newton;
    const brn_memory *memory = brn_state_recall(in, MEMORY);
    bool any = false;
    double time = *h;
    *all = false;
    memset(bbi->flight, 0, (size_t)bbi->model->nbody * sizeof *bbi->flight);
    if (bbi->params->flight == 0.0 || n->params.integrator == BRN_STATIC) {
        return BRN_OK;
    }
    if (memory != NULL) {
        memcpy(bbi->flight, memory->value, memory->count * sizeof *memory->value);
    }
    BRN_TRY(find_calm(bbi, in, t, *h, &any));
    if (!any) {
        return BRN_OK;
    }
    const brn_contact_reach reach = brn_ahead_look(bbi->ahead, in, t, *h);
    bool clear;
    BRN_TRY(find_clear(bbi, in->node_pos, &reach, &clear));
    for (int b = 0; b < bbi->model->nbody; ++b) {
        bbi->reach[b] = WARY * reach.body[b];
        bbi->own[b] = 0.0;
    }
    if (!clear) {
        BRN_TRY(brn_touching_find(bbi->touching, in->node_pos,
                                  &(brn_contact_reach){reach.ahead, bbi->reach, bbi->own}));
    }
    if (!clear && look_around(bbi, &reach)) {
        memcpy(n->x, in->node_pos, 3 * (size_t)bbi->model->nnode * sizeof *n->x);
        BRN_TRY(find_contact(bbi, &reach, *h, &time));
    }
    *all = all_fly(bbi);
    if (!*all && time < SHORTEST * *h) {
        land_near(bbi);
        time = *h;
    }
    *h = time;
    return BRN_OK;
}

brn_status brn_bbi_flight_remember(brn_bbi *bbi, const brn_step_info *info, brn_state *out)
{
    const int nbody = bbi->model->nbody;
    double *memory = NULL;
    if (bbi->params->flight == 0.0) {
        return BRN_OK;
    }
    for (int b = 0; b < nbody; ++b) {
        if (bbi->flight[b].phase == BRN_BBI_TOUCHED) {
            bbi->flight[b].phase = BRN_BBI_ELASTIC;
        }
    }
    for (int i = 0; i < info->npoint; ++i) {
        for (int k = 0; k < 2; ++k) {
            bbi->flight[info->point[i].body[k]] = (brn_bbi_flight){.phase = BRN_BBI_TOUCHED};
        }
    }
    BRN_TRY(brn_state_remember(out, MEMORY, (size_t)(nbody * WIDTH), &memory));
    memcpy(memory, bbi->flight, (size_t)nbody * sizeof *bbi->flight);
    return BRN_OK;
}

/* ---- the step -------------------------------------------------------------------------------------------------------------------- */

/* All bodies that fly go on. */
static void go_on(brn_bbi *bbi, double h, brn_step_info *info)
{
    for (int b = 0; b < bbi->model->nbody; ++b) {
        if (brn_bbi_flies(bbi, b)) {
            brn_bbi_flier_fly(bbi, b, h, &bbi->flight[b]);
            info->own[BRN_BBI_FLIGHT_LOSS] += bbi->flier[b].loss;
            info->own[BRN_BBI_FLYING_BODIES] += 1.0;
            info->rigid = info->rigid || (bbi->model->stages.given && b == bbi->model->stages.body);
        }
    }
}

void brn_bbi_flight_put(const brn_bbi *bbi, brn_state *out)
{
    for (int b = 0; b < bbi->model->nbody; ++b) {
        if (brn_bbi_flies(bbi, b)) {
            brn_bbi_flier_put(bbi, b, &bbi->flight[b], out->node_pos, out->node_vel);
        }
    }
}

brn_status brn_bbi_flight_step(brn_bbi *bbi, const brn_state *in, double t, double h, brn_state *out,
                               brn_step_info *info)
{
    brn_newton *n = bbi->newton;
    const size_t bytes = (size_t)bbi->system->ndof * sizeof(double);
    bbi->npoint = 0;
    BRN_TRY(brn_scheme_begin(n->scheme, in, t, h));
    for (int dof = 0; dof < bbi->system->ndof; ++dof) { /* obstacles go where they are moved to */
        n->trial[dof] = bbi->model->fixed[dof] == BRN_DOF_HELD ? n->scheme->held[dof] : 0.0;
    }
    BRN_TRY(brn_scheme_finish(n->scheme, in, n->trial, out));
    info->books = (brn_books){.place = 0.5, .inertia = true};
    go_on(bbi, h, info);
    brn_bbi_flight_put(bbi, out);
    info->books.dissipated = info->own[BRN_BBI_FLIGHT_LOSS];
    memset(n->scratch, 0, bytes);
    BRN_TRY(brn_newton_write(n, n->scratch, n->scratch, n->scratch, out));
    return brn_bbi_report(bbi, info);
}

/* ---- beside others ------------------------------------------------------------------------------------------------------------- */

void brn_bbi_flight_go(brn_bbi *bbi, double h, brn_step_info *info)
{
    const brn_model *model = bbi->model;
    bool any = false;
    go_on(bbi, h, info);
    for (int row = 0; row < model->nrow; ++row) {
        bbi->given[row] = brn_bbi_flies(bbi, bbi->row_cluster[row]); /* a body that flies is joined to none */
        any = any || bbi->given[row];
    }
    bbi->newton->given = any ? bbi->given : NULL;
}

void brn_bbi_flight_give(brn_bbi *bbi, const brn_state *in)
{
    brn_newton *n = bbi->newton;
    const int dim = bbi->model->dim;
    for (int b = 0; b < bbi->model->nbody && n->given != NULL; ++b) {
        if (brn_bbi_flies(bbi, b)) {
            brn_bbi_flier_put(bbi, b, &bbi->flight[b], n->x, NULL);
        }
    }
    for (int dof = 0; dof < bbi->system->ndof && n->given != NULL; ++dof) {
        const int at = brn_model_at(bbi->model, dof);
        if (n->given[dof / dim]) { /* without inertia: it goes where it would go by itself */
            n->y[dof] = n->scheme->target[dof] = n->x[at] - in->node_pos[at];
        }
    }
}

/* [6] What the ledger has as the impulse of a body's weight, which acts at a place of the step. */
static void weigh(const brn_bbi *bbi, int b, const brn_state *in, const brn_state *out,
                  const brn_books *books, double impulse[6])
{
    double ends[2][3];
    double at[3];
    brn_body_mean(bbi->model, b, in->node_pos, ends[0]);
    brn_body_mean(bbi->model, b, out->node_pos, ends[1]);
    for (int i = 0; i < 3; ++i) {
        at[i] = (1.0 - books->place) * ends[0][i] + books->place * ends[1][i];
        impulse[i] = bbi->newton->scheme->h * bbi->model->body[b].mass * bbi->system->controls->gravity[i];
    }
    brn_dense_cross3(at, impulse, &impulse[3]);
}

brn_status brn_bbi_flight_book(brn_bbi *bbi, const brn_state *in, brn_state *out, brn_books *books)
{
    if (bbi->newton->given == NULL) {
        return BRN_OK;
    }
    for (int b = 0; b < bbi->model->nbody; ++b) {
        bbi->apart[b] = brn_bbi_flies(bbi, b);
    }
    brn_bbi_flight_put(bbi, out);
    brn_rigid_states(bbi->model, out->node_pos, out->node_vel, out->rigid_pose, out->rigid_vel);
    BRN_TRY(brn_bbi_rebook(bbi, in, -1.0, books));
    BRN_TRY(brn_bbi_rebook(bbi, out, 1.0, books));
    /* The books of the step have their weight, which is not between `in` and `out` alone, and nothing else of them. */
    for (int b = 0; b < bbi->model->nbody; ++b) {
        double impulse[6];
        if (!bbi->apart[b]) {
            continue;
        }
        weigh(bbi, b, in, out, books, impulse);
        for (int i = 0; i < 6; ++i) {
            books->base_impulse[i] -= impulse[i];
        }
    }
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        const int at = brn_model_at(bbi->model, dof);
        books->moved -= bbi->newton->given[dof / bbi->model->dim]
                            ? bbi->newton->gravity[dof] * (out->node_pos[at] - in->node_pos[at])
                            : 0.0;
    }
    return BRN_OK;
}
