/* Flight: a body that nothing touches and that hardly vibrates goes on as a rigid one [Chen et al. 2017, section 4]. Its centre of mass
   is on a parabola, its rotation follows the equations of Moser and Veselov, its shape is the one at rest. Linear and angular momentum are
   those of the elastic body (eqs. 22, 23 as corrected: the rotation from rest, weighted by mass about the centres); what it loses is the
   energy of its vibration. It is elastic again from the time of its first contact on. */
#include "step/bbi/bbi.h"

#include "linalg/dense.h"
#include "model/rigid_pose.h"
#include "phys/rotation.h"
#include "step/body_sums.h"

#include <math.h>
#include <string.h>

static const char MEMORY[] = "bbi.flight";
enum { WIDTH = sizeof(brn_bbi_flight) / sizeof(double) };

/* Turn of a step of the equations [rad]: their error, of second order, is then about 5e-6 after ten turns. */
static const double ANGLE = 1e-3;
/* A body that turns by more in a step is left to the elements: its path within the step is not followed. */
static const double ANGLE_MOST = 1.0;
/* Of the elements: bodies nearer than that touch. */
static const double TOUCHING = 1e-6;
/* Steps of a body that turns before it may fly; how its largest vibration fades in one: to half in twenty. */
static const double AGE = 20.0, FADING = 0.966;
/* How much more than a bar along its radius a body may stretch when it turns: thin parts of it bend. */
static const double BENDING = 100.0;
/* A part of a body that has no waves of its own. */
static const double CREEPING = 5.0;
/* Of the kinetic energy: taking off must not add any. */
static const double ROUNDING = 1e-12;
/* Looks at the gaps of a step before contact; then what is left of the way is left to the elements. */
enum { LOOKS = 60 };
/* Where elastic bodies go on beside it, a contact within this share of the step is left to the elements: they take no shorter steps. */
static const double SHORTEST = 0.05;

/* ---- what it takes --------------------------------------------------------------------------------------------------------- */

/* Principal axes of the inertia about the centre at rest. In 2D a body turns about z alone. */
static brn_status set_axes(brn_bbi *bbi, int b, const double *mass_r)
{
    const brn_model *model = bbi->model;
    brn_bbi_flier *f = &bbi->flier[b];
    double about[9];
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    brn_body_inertia(model, b, model->rest[0], f->centre, mass_r, about);
    if (model->dim == 2) {
        memcpy(f->axes, unit, sizeof f->axes);
        f->inertia[0] = f->inertia[1] = f->inertia[2] = about[8];
        return BRN_OK;
    }
    BRN_TRY(brn_dense_eigen_sym(3, about, f->inertia, f->axes));
    if (brn_dense_det3(f->axes) < 0.0) {
        for (int i = 0; i < 3; ++i) {
            f->axes[3 * i] *= -1.0;
        }
    }
    return BRN_OK;
}

brn_status brn_bbi_flight_create(brn_bbi *bbi)
{
    const brn_model *model = bbi->model;
    double *r = bbi->newton->step;
    double *mass_r = bbi->newton->trial;
    BRN_ALLOC(bbi->ctx, bbi->flier, model->nbody + 1);
    BRN_ALLOC(bbi->ctx, bbi->flight, model->nbody + 1);
    memset(r, 0, (size_t)bbi->system->ndof * sizeof *r);
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        double *centre = bbi->flier[b].centre;
        if (body->mass > 0.0 && body->type != BRN_BODY_STATIC) {
            brn_body_mean(model, b, model->rest[0], centre);
        }
        for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
            for (int i = 0; i < model->dim && model->node_row[a] >= 0; ++i) {
                r[model->node_row[a] * model->dim + i] = model->rest[a][i] - centre[i];
            }
        }
    }
    BRN_TRY(brn_system_mass_apply(bbi->system, r, mass_r));
    for (int b = 0; b < model->nbody; ++b) {
        if (model->body[b].mass > 0.0 && model->body[b].type != BRN_BODY_STATIC) {
            BRN_TRY(set_axes(bbi, b, mass_r));
        }
    }
    return BRN_OK;
}

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

/* ---- energies and momenta ----------------------------------------------------------------------------------------------------- */

typedef struct sums {
    double kinetic, elastic, gravity; /* [J] */
    double creeping;    /* [J] of the elastic energy, what damping takes before it can move anything */
    double momentum[3]; /* [kg m^2/s] about the origin */
} sums;

/* Whether a group is damped so strongly that it creeps back to its shape: half the damping of a wave as long as the body is above CREEPING of
   the critical one. */
static bool creeps(const brn_model *model, const brn_body *body, const brn_element_group *group)
{
    const double wave = sqrt(group->young / group->density) / brn_body_diagonal(model, body); /* [1/s] */
    return 0.5 * group->beta * wave > CREEPING;
}

/* The elements whose first node is the body's. */
static void add_elastic(const brn_bbi *bbi, const brn_body *body, const double *x, sums *to)
{
    enum { BLOCK = 64 };
    double energy[BLOCK];
    for (int g = 0; g < bbi->model->ngroup; ++g) {
        const brn_element_group *group = bbi->model->group[g];
        const brn_stencils stencils = brn_group_stencils(group);
        double sum = 0.0;
        if (stencils.count == 0 || !brn_body_has_node(body, group->conn[0])) {
            continue;
        }
        for (int first = 0; first < stencils.count; first += BLOCK) {
            const int count = stencils.count - first < BLOCK ? stencils.count - first : BLOCK;
            group->kind->eval(group, (const double(*)[3])x, first, count, BRN_TANGENT_EXACT, energy, NULL,
                              NULL);
            for (int i = 0; i < count; ++i) {
                sum += energy[i];
            }
        }
        to->elastic += sum;
        to->creeping += creeps(bbi->model, body, group) ? sum : 0.0;
    }
}

/* Of a body; mv: M v of the state, packed. */
static sums measure(const brn_bbi *bbi, int b, const brn_state *state, const double *mv)
{
    static const double origin[3] = {0};
    const brn_model *model = bbi->model;
    const brn_body *body = &model->body[b];
    sums out = {0};
    add_elastic(bbi, body, state->node_pos, &out);
    brn_body_moments(model, b, state->node_pos, origin, mv, out.momentum);
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        for (int i = 0; i < model->dim && model->node_row[a] >= 0; ++i) {
            out.kinetic += 0.5 * state->node_vel[3 * a + i] * mv[model->node_row[a] * model->dim + i];
            out.gravity -=
                model->node_mass[a] * bbi->system->controls->gravity[i] * state->node_pos[3 * a + i];
        }
    }
    return out;
}

static double spin_energy(const brn_bbi_flier *f, const brn_spinning *spin)
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        sum += 0.5 * spin->momentum[i] * spin->momentum[i] / f->inertia[i];
    }
    return sum;
}

/* ---- from elastic to rigid and back --------------------------------------------------------------------------------------------- */

/* The rigid body at rest in shape, with the momenta of the elastic one; mv: M v of the state, packed. */
static void take_off(const brn_bbi *bbi, int b, const brn_state *in, const double *mv, brn_bbi_flight *out)
{
    const brn_model *model = bbi->model;
    const brn_bbi_flier *f = &bbi->flier[b];
    double turn[9];
    double frame[9];
    double spin[3];
    brn_body_mean(model, b, in->node_pos, out->centre);
    brn_body_mean(model, b, in->node_vel, out->velocity);
    brn_body_turn(model, b, in->node_pos, out->centre, f->centre, turn);
    brn_dense_multiply3(turn, f->axes, frame);
    brn_rotation_quaternion(frame, out->spin.attitude);
    brn_body_moments(model, b, in->node_pos, out->centre, mv, spin);
    brn_dense_apply3_t(frame, spin, out->spin.momentum);
}

/* Places and, if wanted, velocities of a body's nodes. */
static void put(const brn_bbi *bbi, int b, const brn_bbi_flight *at, double *pos, double *vel)
{
    const brn_model *model = bbi->model;
    const brn_body *body = &model->body[b];
    const brn_bbi_flier *f = &bbi->flier[b];
    double frame[9];
    double turn[9];
    double slow[3];
    double spin[3];
    brn_rotation_less_one(at->spin.attitude, frame);
    for (int i = 0; i < 3; ++i) {
        frame[4 * i] += 1.0;
        slow[i] = at->spin.momentum[i] / f->inertia[i];
    }
    brn_dense_multiply3_nt(frame, f->axes, turn);
    brn_dense_apply3(frame, slow, spin);
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        const double rest[3] = {model->rest[a][0] - f->centre[0], model->rest[a][1] - f->centre[1],
                                model->rest[a][2] - f->centre[2]};
        double r[3];
        double swing[3];
        brn_dense_apply3(turn, rest, r);
        brn_dense_cross3(spin, r, swing);
        for (int i = 0; i < model->dim; ++i) {
            pos[3 * a + i] = at->centre[i] + r[i];
            if (vel != NULL) {
                vel[3 * a + i] = at->velocity[i] + swing[i];
            }
        }
    }
}

static void fly(const brn_bbi *bbi, int b, double h, brn_bbi_flight *flight)
{
    const double *g = bbi->system->controls->gravity;
    for (int i = 0; i < bbi->model->dim; ++i) {
        flight->centre[i] += h * flight->velocity[i] + 0.5 * h * h * g[i];
        flight->velocity[i] += h * g[i];
    }
    brn_moser_veselov(bbi->flier[b].inertia, h, ANGLE, &flight->spin);
}

/* [J] that its rotation may stretch it by: rho (w r)^2 / E of its energy for a bar. */
static double stretch(const brn_bbi *bbi, int b, double turning)
{
    const brn_body *body = &bbi->model->body[b];
    double young = INFINITY;
    for (int g = body->group_first; g < body->group_first + body->group_count; ++g) {
        young = fmin(young, bbi->model->group[g]->young);
    }
    return turning > 0.0 ? BENDING * turning * turning / (young * body->volume) : 0.0;
}

/* Whether it vibrates little enough; the energy that it would lose. What begins to turn stretches first: where that matters it is looked at
   for some steps, and until its vibration has been larger than it is. */
static bool is_calm(const brn_bbi *bbi, int b, const brn_state *in, const double *mv, double h,
                    brn_bbi_flight *rigid, double *loss)
{
    const double mass = bbi->model->body[b].mass;
    const double *g = bbi->system->controls->gravity;
    const sums now = measure(bbi, b, in, mv);
    const double turning = spin_energy(&bbi->flier[b], &rigid->spin);
    const double kinetic = 0.5 * mass * brn_dense_dot3(rigid->velocity, rigid->velocity) + turning;
    const double falling = 0.5 * mass * h * h * brn_dense_dot3(g, g); /* at the end of the step, from rest */
    const double allowed = bbi->params->flight * fmax(kinetic, falling);
    const double vibration = fabs(now.kinetic - kinetic) + now.elastic - now.creeping;
    rigid->peak = fmax(vibration, FADING * rigid->peak);
    rigid->age += 1.0;
    *loss = now.kinetic + now.elastic - kinetic;
    return rigid->peak <= allowed && *loss >= -ROUNDING * kinetic &&
           (stretch(bbi, b, turning) <= allowed || (rigid->age >= AGE && vibration < rigid->peak));
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

/* Bodies that are near others become elastic, or stay so. Only near obstacles at rest, those that fly already may go on until they meet
   one: these are marked. */
static bool look_around(brn_bbi *bbi)
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
            if (bbi->flight[b].phase != BRN_BBI_FLYING) {
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
        any = any || (bbi->flier[b].near && bbi->flight[b].phase == BRN_BBI_FLYING);
    }
    return any;
}

static void land_near(brn_bbi *bbi)
{
    for (int b = 0; b < bbi->model->nbody; ++b) {
        if (bbi->flight[b].phase == BRN_BBI_FLYING && bbi->flier[b].near) {
            bbi->flight[b].phase = BRN_BBI_ELASTIC;
        }
    }
}

/* Least gap between bodies that fly and others, when the bodies have flown for a time; how far they may still go is bbi->reach. */
static brn_status find_gap(brn_bbi *bbi, const brn_touching_reach *reach, double time, double h, double *gap,
                           double *allowed)
{
    *gap = INFINITY;
    for (int b = 0; b < bbi->model->nbody; ++b) {
        bbi->reach[b] = 0.0;
        if (bbi->flight[b].phase == BRN_BBI_FLYING) {
            brn_bbi_flight there = bbi->flight[b];
            fly(bbi, b, time, &there);
            put(bbi, b, &there, bbi->newton->x, NULL);
            bbi->reach[b] = reach->body[b] * (1.0 - time / h);
        }
    }
    BRN_TRY(brn_touching_find(bbi->touching, bbi->newton->x,
                              &(brn_touching_reach){reach->ahead, bbi->reach, reach->within}));
    for (int i = 0; i < bbi->touching->count; ++i) {
        const brn_touching_point *p = &bbi->touching->point[i];
        const bool flies = bbi->flight[p->body[0]].phase == BRN_BBI_FLYING ||
                           bbi->flight[p->body[1]].phase == BRN_BBI_FLYING;
        if (p->bears && flies && p->gap < *gap) {
            *gap = p->gap;
            *allowed = TOUCHING * fmin(bbi->touching->size[p->body[0]], bbi->touching->size[p->body[1]]);
        }
    }
    return BRN_OK;
}

/* [s] until the first flying body meets an obstacle, at most h: on as far as the fastest node could go through the least gap, again and
   again. Bodies that stay near for too long to be followed become elastic. */
static brn_status find_contact(brn_bbi *bbi, const brn_touching_reach *reach, double h, double *time)
{
    double fastest = 0.0;
    for (int b = 0; b < bbi->model->nbody; ++b) {
        fastest = fmax(fastest, bbi->flight[b].phase == BRN_BBI_FLYING ? reach->body[b] / h : 0.0);
    }
    *time = 0.0;
    for (int k = 0; k < LOOKS && *time < h; ++k) {
        double gap;
        double allowed = 0.0;
        BRN_TRY(find_gap(bbi, reach, *time, h, &gap, &allowed));
        if (gap <= allowed) {
            return BRN_OK;
        }
        *time = fmin(h, *time + gap / fastest);
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
            take_off(bbi, b, in, n->trial, f);
            f->phase = is_calm(bbi, b, in, n->trial, h, f, &of->loss) ? BRN_BBI_FLYING : BRN_BBI_ELASTIC;
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
        all = all && (bbi->flight[b].phase == BRN_BBI_FLYING || bbi->model->body[b].type == BRN_BODY_STATIC);
    }
    return all;
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
    const brn_touching_reach reach = brn_ahead_look(bbi->ahead, in, t, *h);
    BRN_TRY(brn_touching_find(bbi->touching, in->node_pos, &reach));
    if (look_around(bbi)) {
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

/* All bodies that fly go on; what they lost by taking off. */
static double fly_all(brn_bbi *bbi, double h, brn_state *out, brn_step_info *info)
{
    double loss = 0.0;
    for (int b = 0; b < bbi->model->nbody; ++b) {
        if (bbi->flight[b].phase == BRN_BBI_FLYING) {
            fly(bbi, b, h, &bbi->flight[b]);
            put(bbi, b, &bbi->flight[b], out->node_pos, out->node_vel);
            loss += bbi->flier[b].loss;
            info->own[BRN_BBI_FLYING_BODIES] += 1.0;
        }
    }
    info->own[BRN_BBI_FLIGHT_LOSS] = loss;
    return loss;
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
    info->books.dissipated = fly_all(bbi, h, out, info);
    memset(n->scratch, 0, bytes);
    BRN_TRY(brn_newton_write(n, n->scratch, n->scratch, n->scratch, out));
    return brn_bbi_report(bbi, info);
}

brn_status brn_bbi_flight_replace(brn_bbi *bbi, double h, brn_state *out, brn_step_info *info)
{
    const brn_model *model = bbi->model;
    brn_newton *n = bbi->newton;
    double sign = -1.0;
    bool any = false;
    for (int b = 0; b < model->nbody; ++b) {
        any = any || bbi->flight[b].phase == BRN_BBI_FLYING;
    }
    /* The books are those of the elastic step: with what the bodies have instead of that, they are right again. */
    for (int pass = 0; pass < 2 && any; ++pass, sign = 1.0) {
        brn_system_pack(bbi->system, out->node_vel, n->scratch);
        BRN_TRY(brn_system_mass_apply(bbi->system, n->scratch, n->trial));
        for (int b = 0; b < model->nbody; ++b) {
            if (bbi->flight[b].phase != BRN_BBI_FLYING) {
                continue;
            }
            const sums now = measure(bbi, b, out, n->trial);
            info->books.dissipated -= sign * (now.kinetic + now.elastic + now.gravity);
            info->books.moved += sign * now.kinetic;
            info->books.stored += info->books.elastic_loss ? sign * now.elastic : 0.0;
            for (int i = 0; i < 3; ++i) {
                info->books.base_impulse[3 + i] += sign * now.momentum[i];
            }
        }
        if (pass == 0) {
            (void)fly_all(bbi, h, out, info);
        }
    }
    if (any) {
        brn_rigid_states(model, out->node_pos, out->node_vel, out->rigid_pose, out->rigid_vel);
    }
    return BRN_OK;
}
