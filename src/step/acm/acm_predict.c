/* What a run comes to, told from its start. Forces of elements act at steps that are known: their events are counted. Contact is estimated, for every
   body and the one that it meets first as boxes that move freely:

   - A node that comes in at v is stopped in layer n by the depth law, r eta^2 K n^(4 - 2p) = m v^2 / 2. The material behind it pushes with z v, the impedance
     z = rho c A of the node times v, which layer n bears by r eta K' n^(4 - p); it does not get deeper than all of the body's energy gets it, shared by
     the nodes that touch. A weight that rests is borne as such a force.
   - Contact lasts while waves cross the body a few times, under gravity until the end. All that while each pair in it acts at the step of layer n.

   A body against itself, and what comes after the first contact, is not foreseen. */
#include "step/acm/acm.h"

#include "linalg/dense.h"
#include "phys/mean_solid.h"
#include "step/choices.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* [1/s] Events on one core, of contact, loads and shells without damping; times at which any force acts, which small scenes are slow by. */
static const double RATE = 2e7, RATE_INSTANTS = 1e6;
/* [s] An event of a solid element over its nodes to the 1.4, within a factor of 1.4 of what tri3 to hex20 take; with a mean volume ratio, within 1.8;
   damping, of solids and of shells, whose bending then is evaluated element by element; one by one from a queue. */
static const double NODES = 9e-9, MEAN = 2.5, DAMPED = 1.9, DAMPED_SHELL = 3.0, ONE_BY_ONE = 10.0;
/* [s] A step, a run that take longer are worth a warning. */
static const double STEP_LONG = 3600.0, RUN_LONG = 7.0 * 86400.0;
/* A step ends the run with so many times the events that were foreseen, but not below the second: minutes. */
static const double FAR = 100.0, LIMIT_LEAST = 1e10;
/* Crossings of a body by a wave while it touches another: two of a bar, more where contact is narrow. */
static const double CROSSINGS = 4.0;
/* The push of what is behind a node that touches alone, less one, over that behind one of many. */
static const double NARROW = 3.0;
/* Pairs of a node that touches a surface in space: faces, and edges that cross. */
static const double PAIRS_3D = 4.0;
/* Searches: looks at a pair of bodies, and pairs of bodies that are looked at. */
enum { LOOKS = 200 };
static const double PAIRS_MOST = 1e6;

/* ---- bodies ------------------------------------------------------------------------------------------------------------------ */

/* A body as a box that moves freely. */
typedef struct mover {
    bool moves; /* not an obstacle */
    int points; /* of its skin */
    const int *plane;
    double lo[3], hi[3];    /* [m] */
    double velocity[3];     /* [m/s] */
    double spread;          /* [m/s] fastest node against it */
    double gravity[3];      /* [m/s^2] 0: something holds it */
    double mass, node_mass; /* [kg] of the body, mean of nodes of its skin */
    double edge;            /* [m] of its skin */
    double element, step;   /* [s] steps of its elements, mean, and of its first layers, the longest */
    double crossing;        /* [s] of a wave from one end to the other */
    double shortest;        /* [s] of these */
    double soft, stiff;     /* [N/m] */
} mover;

static void first_layer(const brn_acm *acm, int body, int a, mover *to)
{
    const double mass = 1.0 / acm->inverse[a];
    int level = acm->node_level[a] == BRN_ACM_LEVELS ? acm->outer : acm->node_level[a];
    to->element += log(acm->seconds[level]);
    const double r = brn_acm_first_layer(acm, acm->eta[body], mass, &level);
    const double h = acm->seconds[level];
    to->step = fmax(to->step, h);
    to->shortest = fmin(to->shortest, h);
    to->soft = fmin(to->soft, r);
    to->stiff = fmax(to->stiff, r);
}

static void add_point(const brn_acm *acm, int body, int a, int *moving, mover *to)
{
    const double *x = acm->model->rest[a];
    const double radius = acm->skin->radius[a];
    for (int i = 0; i < acm->model->dim; ++i) {
        to->lo[i] = fmin(to->lo[i], x[i] - radius);
        to->hi[i] = fmax(to->hi[i], x[i] + radius);
    }
    to->points++;
    to->edge += acm->skin->node_area[a];
    if (acm->inverse[a] > 0.0) {
        to->node_mass += 1.0 / acm->inverse[a];
        first_layer(acm, body, a, to);
        ++*moving;
    }
}

/* As its nodes move on average, or as what holds some of them. */
static void find_velocity(const brn_acm *acm, int body, mover *to)
{
    const brn_model *model = acm->model;
    const brn_body *b = &model->body[body];
    double mass = 0.0;
    bool held = false;
    for (int a = b->node_first; a < b->node_first + b->node_count; ++a) {
        for (int i = 0; i < 3; ++i) {
            to->velocity[i] += model->node_mass[a] * model->vel0[a][i];
        }
        mass += model->node_mass[a];
        held = held || acm->axes[a] != 0;
    }
    for (int i = 0; i < 3; ++i) {
        to->velocity[i] = mass > 0.0 ? to->velocity[i] / mass : 0.0;
        to->gravity[i] = to->moves && !held ? model->gravity[i] : 0.0;
    }
    for (int k = 0; k < model->nhold; ++k) {
        const brn_hold *hold = &model->hold[k];
        const double *v = hold->motion.velocity;
        if (hold->nnode > 0 && brn_body_has_node(b, hold->node[0]) && brn_dense_dot3(v, v) > 0.0) {
            memcpy(to->velocity, v, sizeof to->velocity);
        }
    }
    for (int a = b->node_first; a < b->node_first + b->node_count && to->moves; ++a) {
        const double *v = model->vel0[a];
        to->spread = acm->inverse[a] > 0.0
                         ? fmax(to->spread, hypot(hypot(v[0] - to->velocity[0], v[1] - to->velocity[1]),
                                                  v[2] - to->velocity[2]))
                         : to->spread;
    }
}

static mover mover_of(const brn_acm *acm, int body)
{
    const brn_body *b = &acm->model->body[body];
    mover m = {.moves = b->type != BRN_BODY_STATIC,
               .plane = b->plane[0] >= 0 ? b->plane : NULL,
               .lo = {INFINITY, INFINITY, INFINITY},
               .hi = {-INFINITY, -INFINITY, -INFINITY},
               .mass = b->mass,
               .soft = INFINITY,
               .shortest = INFINITY};
    int moving = 0;
    for (int a = b->node_first; a < b->node_first + b->node_count; ++a) {
        if (acm->touches[a] && m.plane == NULL) {
            add_point(acm, body, a, &moving, &m);
        }
    }
    if (acm->model->dim == 2) {
        m.lo[2] = m.hi[2] = 0.0;
    }
    find_velocity(acm, body, &m);
    m.moves = m.moves && moving > 0;
    if (moving > 0) {
        m.edge = acm->model->dim == 3 ? sqrt(m.edge / m.points) : m.edge / m.points;
        m.node_mass /= moving;
        m.element = exp(m.element / moving);
        const double size = hypot(hypot(m.hi[0] - m.lo[0], m.hi[1] - m.lo[1]), m.hi[2] - m.lo[2]);
        m.crossing =
            size / m.edge * m.element / acm->params->safety; /* an element is crossed in element / safety */
    }
    return m;
}

/* ---- meeting ------------------------------------------------------------------------------------------------------------------ */

/* Of a body against another, first at time t. */
typedef struct meeting {
    int body, other;         /* -1: none */
    double t;                /* [s] */
    double u[3];             /* [m/s] of the body against the other */
    double speed;            /* [m/s] of approach */
    double shift[3];         /* [m] against each other until then */
    double deepest, resting; /* layers */
    double rate[2];          /* [1/s] events at impact, and at rest */
    double lasts;            /* [s] */
} meeting;

/* [m] From a box that was shifted to another, or to a plane. */
static double gap_between(const brn_acm *acm, const mover *a, const mover *b, const double shift[3])
{
    double sum = 0.0;
    if (b->plane != NULL) {
        const double *x = acm->model->rest[0];
        double n[3];
        double corner[3];
        brn_skin_plane_normal(acm->skin, b->plane, x, n);
        for (int i = 0; i < 3; ++i) {
            corner[i] = (n[i] > 0.0 ? a->lo[i] : a->hi[i]) + shift[i];
        }
        return fmax(0.0, brn_skin_plane_distance(acm->skin, b->plane, corner, x));
    }
    for (int i = 0; i < acm->model->dim; ++i) {
        const double apart = fmax(b->lo[i] - (a->hi[i] + shift[i]), a->lo[i] + shift[i] - b->hi[i]);
        sum += apart > 0.0 ? apart * apart : 0.0;
    }
    return sqrt(sum);
}

/* When a meets b, by steps in which it cannot; false: not within the run. */
static bool meet(const brn_acm *acm, const mover *a, const mover *b, double near, meeting *to)
{
    double acceleration = 0.0;
    double t = 0.0;
    for (int i = 0; i < 3; ++i) {
        acceleration = hypot(acceleration, a->gravity[i] - b->gravity[i]);
    }
    for (int look = 0; look < LOOKS; ++look) {
        double speed = 0.0;
        for (int i = 0; i < 3; ++i) {
            const double g = a->gravity[i] - b->gravity[i];
            const double v = a->velocity[i] - b->velocity[i];
            to->u[i] = v + g * t;
            to->shift[i] = (v + 0.5 * g * t) * t;
            speed = hypot(speed, to->u[i]);
        }
        const double gap = gap_between(acm, a, b, to->shift);
        to->t = t;
        to->speed = speed;
        if (gap <= near) {
            return true;
        }
        /* speed t + acceleration t^2 / 2 = gap */
        t += 2.0 * gap / (speed + sqrt(speed * speed + 2.0 * acceleration * gap));
        if (!(t < acm->model->end)) {
            return false;
        }
    }
    return false;
}

static double thickness(const brn_acm *acm, int a, int b)
{
    return fmin(acm->eta[a], acm->eta[b]);
}

/* The first that a body meets. */
static void find_first(const brn_acm *acm, const mover *all, int body, meeting *out)
{
    *out = (meeting){.body = body, .other = -1, .t = INFINITY};
    for (int b = 0; b < acm->model->nbody && all[body].moves; ++b) {
        meeting one = {.body = body, .other = b};
        if (b == body || (all[b].points == 0 && all[b].plane == NULL) ||
            brn_model_apart(acm->model, body, b) ||
            !meet(acm, &all[body], &all[b], thickness(acm, body, b), &one)) {
            continue;
        }
        if (one.t < out->t || (one.t == out->t && one.speed > out->speed)) {
            *out = one;
        }
    }
}

/* ---- contact ------------------------------------------------------------------------------------------------------------------ */

/* Direction in which a body meets the other, and how fast. */
static void approach(const brn_acm *acm, const mover *a, const mover *b, meeting *m, double direction[3])
{
    double speed = sqrt(brn_dense_dot3(m->u, m->u));
    for (int i = 0; i < 3; ++i) {
        direction[i] = speed > 0.0 ? m->u[i] / speed : 0.0;
    }
    if (b->plane != NULL) {
        brn_skin_plane_normal(acm->skin, b->plane, acm->model->rest[0], direction);
        for (int i = 0; i < 3; ++i) {
            direction[i] = -direction[i];
        }
        speed = fmax(0.0, brn_dense_dot3(m->u, direction));
    }
    m->speed = speed + a->spread + b->spread;
}

/* Nodes of a body's skin that are foremost in a direction, within a box: their number, and the box of them. */
typedef struct cap {
    int count;
    double lo[3], hi[3];
} cap;

static cap cap_of(const brn_acm *acm, int body, const double direction[3], double depth, const cap *within,
                  double margin)
{
    const brn_body *b = &acm->model->body[body];
    cap c = {.lo = {INFINITY, INFINITY, INFINITY}, .hi = {-INFINITY, -INFINITY, -INFINITY}};
    double most = -INFINITY;
    for (int pass = 0; pass < 2; ++pass) {
        for (int a = b->node_first; a < b->node_first + b->node_count; ++a) {
            const double *x = acm->model->rest[a];
            const double far = brn_dense_dot3(direction, x);
            bool inside = acm->touches[a];
            for (int i = 0; i < 3 && inside && within != NULL; ++i) {
                inside = x[i] > within->lo[i] - margin && x[i] < within->hi[i] + margin;
            }
            most = inside && pass == 0 ? fmax(most, far) : most;
            if (pass == 0 || !inside || far < most - depth) {
                continue;
            }
            c.count++;
            for (int i = 0; i < 3; ++i) {
                c.lo[i] = fmin(c.lo[i], x[i]);
                c.hi[i] = fmax(c.hi[i], x[i]);
            }
        }
    }
    return c;
}

/* Nodes of both that touch: those of one in front of the other's. */
static void count_touching(const brn_acm *acm, const mover *all, const meeting *m, const double direction[3],
                           double count[2])
{
    const mover *a = &all[m->body], *b = &all[m->other];
    const double deep = 0.5 * m->speed * fmax(a->crossing, b->crossing);
    const double size = hypot(hypot(a->hi[0] - a->lo[0], a->hi[1] - a->lo[1]), a->hi[2] - a->lo[2]);
    const double depth = thickness(acm, m->body, m->other) + fmin(deep, 0.25 * size);
    const double back[3] = {-direction[0], -direction[1], -direction[2]};
    cap of[2] = {cap_of(acm, m->body, direction, depth, NULL, 0.0)};
    if (b->plane == NULL) {
        /* Where the caps are when they meet, and as much more as the way that is left. */
        cap near = of[0];
        const double margin = 2.0 * depth + a->edge;
        for (int i = 0; i < 3; ++i) {
            near.lo[i] += m->shift[i];
            near.hi[i] += m->shift[i];
        }
        of[1] = cap_of(acm, m->other, back, depth, &near, margin);
        near = of[1];
        for (int i = 0; i < 3; ++i) {
            near.lo[i] -= m->shift[i];
            near.hi[i] -= m->shift[i];
        }
        const cap less = cap_of(acm, m->body, direction, depth, &near, 2.0 * depth + b->edge);
        of[0] = less.count > 0 && b->edge < a->edge ? less : of[0];
    }
    count[0] = fmax(1.0, of[0].count);
    count[1] = of[1].count;
}

/* [kg] Share of a body in one of its nodes that touch; [kg/s] the impedance of a node: an element, of half of whose mass it is, is crossed in
   element / safety. */
static double share_of(const mover *m, double touching)
{
    return m->moves ? fmax(m->mass / fmax(1.0, touching), m->node_mass) : INFINITY;
}

static double impedance_of(const brn_acm *acm, const mover *m)
{
    return m->moves ? 2.0 * m->node_mass * acm->params->safety / m->element : INFINITY;
}

static double both(double a, double b)
{
    return 1.0 / (1.0 / a + 1.0 / b);
}

/* Layer in which a force is borne: sum of l^3 (l^-p - n^-p) = K' n^(4 - p), in units of r eta. */
static double bearing_layer(const brn_acm_layers *layers, double force)
{
    const double p = layers->power;
    const double k = 1.0 / (4.0 - p) - 0.25;
    return fmax(1.0, pow(force / k, 1.0 / (4.0 - p)));
}

static double rate_of(double layer, double h, double pairs)
{
    return pairs * exp2(brn_acm_layers_fine((int)fmin(ceil(layer), brn_acm_layers_within(BRN_ACM_FINEST)))) /
           h;
}

/* Layer in which two bodies stop; r: of the first. */
static double stop_layer(const brn_acm *acm, const mover *a, const mover *b, const meeting *m,
                         const double touching[2], double r)
{
    const brn_acm_layers *layers = &acm->layers;
    const double eta = thickness(acm, m->body, m->other);
    const double energy = 0.5 * m->speed * m->speed / (r * eta * eta);
    const double node = both(a->node_mass, b->moves ? b->node_mass : INFINITY);
    const double share = both(share_of(a, touching[0]), share_of(b, touching[1]));
    /* Where few nodes touch, each bears what goes to its neighbours too. */
    const double narrow = 1.0 + NARROW / sqrt(touching[0]);
    const double push = narrow * both(impedance_of(acm, a), impedance_of(acm, b)) * m->speed;
    return fmax(brn_acm_layers_depth(layers, energy * node),
                fmin(bearing_layer(layers, push / (r * eta)), brn_acm_layers_depth(layers, energy * share)));
}

static void estimate(const brn_acm *acm, const mover *all, meeting *m)
{
    const mover *a = &all[m->body], *b = &all[m->other];
    const double eta = thickness(acm, m->body, m->other);
    const double h = b->moves ? fmin(a->step, b->step) : a->step;
    const double mass = b->moves ? fmin(a->node_mass, b->node_mass) : a->node_mass;
    const double rate = acm->params->resolution / h;
    const double r = acm->params->stiffness > 0.0 ? acm->params->stiffness : mass * rate * rate;
    double direction[3];
    double touching[2];
    approach(acm, a, b, m, direction);
    count_touching(acm, all, m, direction, touching);
    const double g = sqrt(brn_dense_dot3(a->gravity, a->gravity));
    m->deepest = stop_layer(acm, a, b, m, touching, r);
    m->resting = bearing_layer(&acm->layers, a->mass * g / (touching[0] * r * eta));
    m->deepest = fmax(m->deepest, m->resting);
    const double each = b->plane != NULL || acm->model->dim == 2 ? 1.0 : PAIRS_3D;
    const double pairs = each * (touching[0] + touching[1]);
    m->rate[0] = rate_of(0.5 * m->deepest, h, pairs);
    m->rate[1] = g > 0.0 ? rate_of(m->resting, h, pairs) : 0.0;
    const double crossing = fmax(a->crossing, b->moves ? b->crossing : 0.0);
    m->lasts =
        fmin(acm->model->end - m->t, CROSSINGS * crossing + (m->speed > 0.0 ? 2.0 * eta / m->speed : 0.0));
}

/* ---- the whole ----------------------------------------------------------------------------------------------------------------- */

/* [s] An event of an element on one core. */
static double event_seconds(const brn_element_group *group)
{
    const bool solid = group->cell >= 0 && group->nnode > group->dim;
    const double mean = group->kind == &brn_mean_solid_kind ? MEAN : 1.0;
    const double plain = solid ? mean * NODES * pow(brn_group_stencils(group).width, 1.4) : 1.0 / RATE;
    return plain * (group->beta <= 0.0 ? 1.0 : solid ? DAMPED : DAMPED_SHELL);
}

static void count_elements(const brn_acm *acm, brn_acm_outlook *out)
{
    const brn_acm_forces *f = &acm->forces;
    const double step = acm->model->step;
    const brn_tick end = brn_acm_tick_at(acm, (double)acm->model->nstep * step);
    const bool single = brn_acm_schedule(acm) == BRN_ACM_EXACT;
    for (int i = 0; i < f->nstep; ++i) {
        const double count = single ? 1.0 : f->elements[i] - (i > 0 ? f->elements[i - 1] : 0.0);
        out->events += count * step / ((double)f->ticks[i] * acm->tick);
        out->all_events += count * (double)(end / f->ticks[i]);
    }
    if (brn_acm_outer_acts(acm)) {
        out->events += acm->model->nrow * step / acm->seconds[acm->outer];
        out->all_events += (double)acm->model->nrow * (double)(end >> acm->outer);
    }
    out->seconds = out->all_events / RATE;
    for (int i = 0; i < f->nrun; ++i) {
        const double all = (double)f->run[i].count * (double)(end / f->ticks[f->run[i].step]);
        out->seconds += all * (event_seconds(f->run[i].group) * (single ? ONE_BY_ONE : 1.0) - 1.0 / RATE);
    }
    const int finest = f->finest < acm->outer ? f->finest : acm->outer;
    out->step_least = acm->seconds[finest];
    out->instants = (double)(end >> finest);
}

static void add_meeting(const brn_acm *acm, const mover *all, const meeting *m, double copies,
                        brn_acm_outlook *out)
{
    const double left = fmax(0.0, acm->model->end - m->t - m->lasts);
    const mover *a = &all[m->body], *b = &all[m->other];
    const double h = b->moves ? fmin(a->shortest, b->shortest) : a->shortest;
    const int fine = brn_acm_layers_fine((int)fmin(m->deepest, brn_acm_layers_within(BRN_ACM_FINEST)));
    if (m->deepest > out->deepest || (m->deepest == out->deepest && m->speed > out->speed)) {
        out->deepest = m->deepest;
        out->speed = m->speed;
        out->body[0] = m->body;
        out->body[1] = m->other;
        out->meets = m->t;
    }
    out->step_least = fmin(out->step_least, h * exp2(-fine));
    out->instants += m->lasts / (h * exp2(-fine));
    out->contact_events += copies * m->rate[0] * fmin(acm->model->step, m->lasts);
    out->all_contact_events += copies * (m->rate[0] * m->lasts + m->rate[1] * left);
}

static brn_status look_ahead(const brn_acm *acm, brn_acm_outlook *out)
{
    const int n = acm->model->nbody;
    const int stride = (int)ceil((double)n * n / PAIRS_MOST); /* of very many bodies some stand for all */
    mover *all = NULL;
    meeting *first = NULL;
    *out = (brn_acm_outlook){.body = {-1, -1}};
    count_elements(acm, out);
    BRN_TAKE(brn_ctx_arena(acm->ctx), all, n + 1);
    BRN_TAKE(brn_ctx_arena(acm->ctx), first, n + 1);
    for (int b = 0; b < n; ++b) {
        all[b] = mover_of(acm, b);
        first[b] = (meeting){.body = b, .other = -1};
    }
    for (int b = 0; b<n; b += stride> 1 ? stride : 1) {
        find_first(acm, all, b, &first[b]);
        const int other = first[b].other;
        if (other >= 0 && !(other < b && first[other].other == b)) {
            estimate(acm, all, &first[b]);
            add_meeting(acm, all, &first[b], stride, out);
        }
    }
    out->deepest = floor(out->deepest);
    return BRN_OK;
}

brn_status brn_acm_look_ahead(brn_acm *acm)
{
    brn_arena *arena = brn_ctx_arena(acm->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = look_ahead(acm, &acm->outlook);
    brn_arena_rewind(arena, mark);
    const double foreseen = acm->outlook.events + acm->outlook.contact_events;
    acm->limit = acm->params->events > 0.0 ? acm->params->events : fmax(FAR * foreseen, LIMIT_LEAST);
    return status;
}

/* ---- told ---------------------------------------------------------------------------------------------------------------------- */

static brn_predicted *add_line(brn_prediction *out, const char *name, const char *label, const char *unit,
                               const char *meaning, double value)
{
    brn_predicted *line = &out->line[out->line_count++];
    *line = (brn_predicted){
        .name = name, .label = label, .unit = unit, .meaning = meaning, .lo = value, .hi = value};
    return line;
}

static double run_seconds(const brn_acm_outlook *o)
{
    return o->seconds + o->all_contact_events / RATE + o->instants / RATE_INSTANTS;
}

void brn_acm_tell_outlook(const brn_acm *acm, brn_prediction *out)
{
    const brn_acm_outlook *o = &acm->outlook;
    const brn_model *model = acm->model;
    const int finest = acm->forces.finest < acm->outer ? acm->forces.finest : acm->outer;
    *out = (brn_prediction){.step_min = o->step_least,
                            .steps = (double)model->nstep * model->step / acm->seconds[finest],
                            .seconds = run_seconds(o)};
    brn_predicted *line;
    if (o->body[0] >= 0) {
        line = add_line(out, "acm.approach", "approach", "m/s",
                        "fastest that bodies are seen to come together", o->speed);
        (void)snprintf(line->note, sizeof line->note, "%.40s and %.40s, after %.3g s",
                       model->body[o->body[0]].name, model->body[o->body[1]].name, o->meets);
        line = add_line(out, "acm.deepest", "deepest layer", "1",
                        "layer that they are stopped in, by the depth law", o->deepest);
    }
    line = add_line(out, "acm.step_least", "shortest step", "s", "shortest step of a force that acts",
                    o->step_least);
    (void)snprintf(line->note, sizeof line->note, "%s",
                   o->step_least < acm->seconds[finest] ? "of that layer" : "of an element");
    line = add_line(out, "acm.events", "force events", "1", "of elements, loads and weights, in the run",
                    o->all_events);
    (void)snprintf(line->note, sizeof line->note, "%.3g a step", o->events);
    line = add_line(out, "acm.contact_events", "contact events", "1",
                    "estimate: of pairs that are seen to touch, in the run", o->all_contact_events);
    (void)snprintf(line->note, sizeof line->note, "about; %.3g in a step of contact", o->contact_events);
    line = add_line(out, "acm.time", "run time", "s", "estimate: all events on one core", run_seconds(o));
    (void)snprintf(line->note, sizeof line->note,
                   "about; on one core, %.2g ns an event of elements, %.2g ns one of contact",
                   o->all_events > 0.0 ? 1e9 * o->seconds / o->all_events : 0.0, 1e9 / RATE);
}

/* What is of a body alone: a pair has the lighter mass, the shorter step, the smaller thickness of its two. */
static bool values_of(const void *self, int body, brn_choice_range *out)
{
    const brn_acm *acm = self;
    const mover m = mover_of(acm, body);
    const double lo[] = {acm->eta[body], m.soft, m.shortest, acm->layers.power};
    const double hi[] = {acm->eta[body], m.stiff, m.step, acm->layers.power};
    memcpy(out->lo, lo, sizeof lo);
    memcpy(out->hi, hi, sizeof hi);
    return m.moves;
}

brn_status brn_acm_tell_choices(const void *self, bool brief, brn_text *to)
{
    const brn_acm *acm = self;
    const brn_acm_params *p = acm->params;
    const brn_choice_name name[] = {{"thickness", "m", !(p->thickness > 0.0)},
                                    {"stiffness", "N/m", !(p->stiffness > 0.0)},
                                    {"step", "s", true}, /* also of one that is given the power of two */
                                    {"power", "of layers", !(p->power > 0.0)}};
    const brn_choices choices = {acm->ctx, acm->model, name, BRN_COUNT(name), values_of, acm};
    return brn_choices_tell(&choices, brief, to);
}

bool brn_acm_warn(const void *self, char *text, size_t size)
{
    const brn_acm *acm = self;
    const brn_acm_outlook *o = &acm->outlook;
    const double part = 1.0 / (double)acm->model->nstep;
    const double step = o->contact_events / RATE + part * (o->seconds + o->instants / RATE_INSTANTS);
    const double run = run_seconds(o);
    if (o->deepest > brn_acm_layers_within(BRN_ACM_FINEST)) {
        (void)snprintf(
            text, size,
            "contact of '%.40s' and '%.40s' at %.3g m/s needs some %.2g layers, and %.2g are built: raise "
            "method.stiffness or method.thickness",
            acm->model->body[o->body[0]].name, acm->model->body[o->body[1]].name, o->speed, o->deepest,
            (double)brn_acm_layers_within(BRN_ACM_FINEST));
        return true;
    }
    if (!(step > STEP_LONG || run > RUN_LONG)) {
        return false;
    }
    const bool contact = o->all_contact_events > o->all_events;
    char cause[200];
    if (contact) {
        (void)snprintf(cause, sizeof cause,
                       "contact of '%.40s' and '%.40s' gets to layer %.3g, of steps of %.2g s: raise "
                       "method.stiffness or method.thickness",
                       acm->model->body[o->body[0]].name, acm->model->body[o->body[1]].name, o->deepest,
                       o->step_least);
    } else {
        (void)snprintf(cause, sizeof cause,
                       "elements act every %.2g s: make the smallest or stiffest ones larger or softer",
                       acm->seconds[acm->forces.finest < acm->outer ? acm->forces.finest : acm->outer]);
    }
    (void)snprintf(
        text, size,
        "about %.2g events in a step and %.2g in the run, %.2g hours on one core (above an hour a step, "
        "or a week); %s, or a shorter time.end",
        o->events + o->contact_events, o->all_events + o->all_contact_events, run / 3600.0, cause);
    return true;
}

/* ---- a run that turns out otherwise ---------------------------------------------------------------------------------------------- */

/* What most events of the step are of. */
static void name_cause(const brn_acm *acm, char *text, size_t size)
{
    if (acm->sums.contact_events <= acm->sums.events || acm->npair == 0) {
        (void)snprintf(text, size,
                       "forces of elements act every %.3g s: make the smallest or stiffest elements larger "
                       "or softer, or "
                       "time.step shorter",
                       acm->seconds[acm->forces.finest < acm->outer ? acm->forces.finest : acm->outer]);
        return;
    }
    const brn_acm_pair *pair = &acm->pair[acm->bucket[0]]; /* of the finest */
    const int *node = pair->candidate->node;
    const int body[2] = {acm->skin->node_body[node[0]],
                         acm->skin->node_body[node[brn_touch_count(node) - 1]]};
    const int finest = pair->level - pair->fine;
    char names[100];
    if (body[0] == body[1]) {
        (void)snprintf(names, sizeof names, "'%.60s' with itself", acm->model->body[body[0]].name);
    } else {
        (void)snprintf(names, sizeof names, "'%.40s' and '%.40s'", acm->model->body[body[0]].name,
                       acm->model->body[body[1]].name);
    }
    (void)snprintf(
        text, size,
        "contact of %s, one of %d pairs, goes on to layer %d of steps of %.3g s: raise method.stiffness (now "
        "%.3g N/m) or method.thickness (%.3g m)",
        names, acm->npair, pair->layers, acm->seconds[finest > 0 ? finest : 0], pair->r, pair->eta);
}

brn_status brn_acm_check(const brn_acm *acm)
{
    const double done = acm->sums.events + acm->sums.contact_events;
    BRN_TRY(brn_ctx_check(acm->ctx));
    if (!(done > acm->limit)) {
        return BRN_OK;
    }
    char cause[300];
    char than[80] = "method.events";
    const double foreseen = acm->outlook.events + acm->outlook.contact_events;
    if (!(acm->params->events > 0.0)) {
        (void)snprintf(than, sizeof than, "%.2g times what was foreseen", done / foreseen);
    }
    name_cause(acm, cause, sizeof cause);
    return brn_fail(
        acm->ctx, BRN_ERR_LIMIT,
        "t = %g s: more than %.4g events in a step (%s); %s; or allow more with method.events and resume",
        (double)acm->now * acm->tick, acm->limit, than, cause);
}
