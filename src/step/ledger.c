#include "step/ledger.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* A step whose unexplained energy rises by more than the first of these fractions of the largest energy so far, to more than
   the second, is repeated without. Rounding and the solver's tolerance stay far below; the second is above the swings of
   rules of second order and below what a person would call a gain. */
static const double GAIN_STEP = 1e-5;
static const double GAIN_TOTAL = 1e-2;
/* A rule whose energy swings may be off by this much, near its largest step, without having gained any. */
static const double SWING_MOST = 0.5;

/* Positions are rounded to 1e-16 of the largest, and what that does adds up over a run: displacements below this fraction say
   nothing about energies. */
static const double POSITION_NOISE = 1e-13;
/* Of its size: what a body's weight does along less is no energy to speak of, such as that of an overlap by rounding that contact takes out. */
static const double LITTLE = 1e-4;

static const char BETWEEN[] = "ledger.loss_between";

typedef struct measure {
    double kinetic, elastic, gravity;
    double momentum[6]; /* linear, then angular about the origin */
    double momentum_scale, angular_scale;
} measure;

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static double norm(const double a[3])
{
    return sqrt(brn_dense_dot3(a, a));
}

/* totals[0..2] += f, totals[3..5] += x x f */
static void add_wrench(const double x[3], const double f[3], double totals[6])
{
    double torque[3];
    brn_dense_cross3(x, f, torque);
    for (int i = 0; i < 3; ++i) {
        totals[i] += f[i];
        totals[3 + i] += torque[i];
    }
}

/* Totals of packed vectors q: linear and angular, at positions x. */
static void add_wrenches(const brn_system *s, const double *q, const double *x, double totals[6])
{
    const int dim = s->model->dim;
    for (int row = 0; row < s->model->nrow; ++row) {
        double f[3] = {0.0, 0.0, 0.0};
        memcpy(f, &q[row * dim], (size_t)dim * sizeof *f);
        add_wrench(&x[3 * s->model->row_node[row]], f, totals);
    }
}

static brn_status measure_state(brn_system *s, const brn_state *state, measure *out)
{
    const brn_model *model = s->model;
    brn_arena *arena = brn_ctx_arena(s->ctx);
    double *v = NULL;
    double *p = NULL;
    BRN_TAKE(arena, v, s->ndof);
    BRN_TAKE(arena, p, s->ndof);
    *out = (measure){0};
    brn_system_pack(s, state->node_vel, v);
    BRN_TRY(brn_system_mass_apply(s, v, p));
    out->kinetic = 0.5 * dot(v, p, s->ndof);
    for (int row = 0; row < model->nrow; ++row) {
        const int a = model->row_node[row];
        const double *x = &state->node_pos[3 * a];
        double own[3] = {0.0, 0.0, 0.0};
        memcpy(own, &p[row * model->dim], (size_t)model->dim * sizeof *own);
        add_wrench(x, own, out->momentum);
        out->momentum_scale += norm(own);
        out->angular_scale += norm(own) * norm(x);
        out->gravity -= model->node_mass[a] * brn_dense_dot3(s->controls->gravity, x);
    }
    if (state->ledger[BRN_LEDGER_WEIGHT_LOAD] != 0.0) {
        out->gravity = 0.0;
    }
    return brn_system_elastic(s, state->node_pos, BRN_TANGENT_EXACT, &out->elastic, NULL, NULL);
}

/* Returns the scratch of measure_state, whatever happened. */
static brn_status measured(brn_system *s, const brn_state *state, measure *out)
{
    brn_arena *arena = brn_ctx_arena(s->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = measure_state(s, state, out);
    brn_arena_rewind(arena, mark);
    return status;
}

/* Force and torque of everything external at the last evaluation, which `out` remembers. */
static void external_rate(const brn_system *s, const brn_state *in, const brn_state *out,
                          const brn_books *books, double rate[6])
{
    const brn_model *model = s->model;
    const double place = books->place;
    const double gravity = books->weight_load ? 0.0 : 1.0;
    memset(rate, 0, 6 * sizeof *rate);
    for (int row = 0; row < model->nrow; ++row) {
        const int a = model->row_node[row];
        double f[3];
        double x[3];
        for (int i = 0; i < 3; ++i) {
            const int at = 3 * a + i;
            f[i] = out->node_load[at] + out->node_react[at] + out->node_damp[at] +
                   gravity * model->node_mass[a] * s->controls->gravity[i];
            x[i] = place * out->node_pos[at] + (1.0 - place) * in->node_pos[at];
        }
        add_wrench(x, f, rate);
    }
}

/* The magnitudes of the impulses of gravity, loads and holds in a step, summed: the scale for a momentum that stays small
   while a body rests on its support. Damping and friction are internal. */
static void book_exchanged(const brn_system *s, brn_state *out, double h, const brn_books *books)
{
    const brn_model *model = s->model;
    const double gravity = books->weight_load ? 0.0 : norm(s->controls->gravity);
    double sum = 0.0;
    double turn = 0.0;
    for (int row = 0; row < model->nrow; ++row) {
        const int a = model->row_node[row];
        const double f =
            model->node_mass[a] * gravity + norm(&out->node_load[3 * a]) + norm(&out->node_react[3 * a]);
        sum += f;
        turn += f * norm(&out->node_pos[3 * a]);
    }
    out->ledger[BRN_LEDGER_EXCHANGED] += h * sum;
    out->ledger[BRN_LEDGER_EXCHANGED_TURN] += h * turn;
}

/* [J] of the elements when every position is rounded: energies below say nothing. */
static double rounding_energy(const brn_system *s, const brn_state *state)
{
    double reach = s->size;
    double stiffness = 0.0;
    for (int dof = 0; dof < s->ndof; ++dof) {
        const double stiff = s->stiff_diagonal[dof];
        stiffness += stiff;
        reach = stiff > 0.0 ? fmax(reach, fabs(state->node_pos[brn_model_at(s->model, dof)])) : reach;
    }
    const double noise = POSITION_NOISE * reach;
    return stiffness * noise * noise;
}

/* [J] of the weights of bodies along a little of their sizes: what only rests has hardly any other energy. */
static double resting_energy(const brn_system *s)
{
    const brn_model *model = s->model;
    double sum = 0.0;
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        const double size = model->dim == 3 ? cbrt(body->volume) : sqrt(body->volume);
        for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
            sum += body->type == BRN_BODY_STATIC ? 0.0 : model->node_mass[a] * size;
        }
    }
    return LITTLE * norm(s->controls->gravity) * sum;
}

brn_status brn_ledger_start(brn_system *s, brn_state *state, const brn_step_info *info)
{
    measure m;
    double *ledger = state->ledger;
    memset(ledger, 0, sizeof state->ledger);
    ledger[BRN_LEDGER_RESTS] = !info->books.inertia;
    ledger[BRN_LEDGER_WEIGHT_LOAD] = info->books.weight_load;
    BRN_TRY(measured(s, state, &m));
    ledger[BRN_LEDGER_ENERGY0] = m.kinetic + m.elastic + m.gravity + info->contact_energy;
    ledger[BRN_LEDGER_CONTACT] = info->contact_energy;
    ledger[BRN_LEDGER_GRAVITY0] = m.gravity;
    ledger[BRN_LEDGER_ENERGY_SCALE] = fmax(fmax(fmax(m.kinetic, m.elastic), info->contact_energy),
                                           fmax(rounding_energy(s, state), resting_energy(s)));
    ledger[BRN_LEDGER_MOMENTUM_SCALE] = m.momentum_scale;
    ledger[BRN_LEDGER_ANGULAR_SCALE] = m.angular_scale;
    memcpy(&ledger[BRN_LEDGER_START], m.momentum, sizeof m.momentum);
    ledger[BRN_LEDGER_KINETIC] = m.kinetic;
    ledger[BRN_LEDGER_ELASTIC] = m.elastic;
    external_rate(s, state, state, &info->books, &ledger[BRN_LEDGER_RATE]);
    return BRN_OK;
}

/* M dv of the step, packed: by the motion of held dofs, and by that of all. Both 0 where no hold is accelerated. */
typedef struct gains {
    double *held, *all;
} gains;

static brn_status take_gains(const brn_system *s, const brn_state *in, const brn_state *out, gains *p)
{
    const brn_model *model = s->model;
    brn_arena *arena = brn_ctx_arena(s->ctx);
    double *dv[2] = {NULL, NULL}; /* of held dofs, of all */
    bool any = false;
    BRN_TAKE(arena, p->held, s->ndof);
    BRN_TAKE(arena, p->all, s->ndof);
    BRN_TAKE(arena, dv[0], s->ndof);
    BRN_TAKE(arena, dv[1], s->ndof);
    for (int dof = 0; dof < s->ndof; ++dof) {
        const int at = brn_model_at(model, dof);
        dv[1][dof] = out->node_vel[at] - in->node_vel[at];
        dv[0][dof] = model->fixed[dof] == BRN_DOF_HELD ? dv[1][dof] : 0.0;
        any = any || dv[0][dof] != 0.0;
    }
    if (!any) {
        memset(p->held, 0, (size_t)s->ndof * sizeof *p->held);
        memset(p->all, 0, (size_t)s->ndof * sizeof *p->all);
        return BRN_OK;
    }
    brn_model_follow(model, dv[0]); /* what is attached to them moves too */
    BRN_TRY(brn_system_mass_apply(s, dv[0], p->held));
    BRN_TRY(brn_system_mass_apply(s, dv[1], p->all));
    brn_model_lead(model, p->held);
    brn_model_lead(model, p->all);
    return BRN_OK;
}

/* Impulses of everything external. A rule over several evaluations holds for the free dofs; held ones gain in each step
   what their motion prescribes, so their share of the forces is taken out of the rule and booked directly. */
static void book_impulses(brn_system *s, const brn_state *in, brn_state *out, double h,
                          const brn_books *books, const double *dp)
{
    double *ledger = out->ledger;
    double rate[6];
    double gain[6] = {0};
    external_rate(s, in, out, books, rate);
    if (books->carries) {
        add_wrenches(s, dp, out->node_pos, gain);
    }
    for (int i = 0; i < 6; ++i) {
        const double free_rate = rate[i] - gain[i] / h;
        const double mean = (1.0 - books->last) * free_rate + books->last * in->ledger[BRN_LEDGER_RATE + i];
        ledger[BRN_LEDGER_IMPULSE + i] +=
            books->summed ? books->impulse[i] : h * mean + gain[i] + books->base_impulse[i];
        ledger[BRN_LEDGER_RATE + i] = books->carries ? mean : free_rate;
    }
}

/* Work of loads and holds along the step. The inertia of the held dofs, what a consistent mass hands to their neighbours included, is
   left out of the rule and works along the mean of their two velocities: a sudden start puts in 1/2 m v^2, not the m v^2 of its
   reaction times the distance. */
static void book_work(const brn_system *s, const brn_state *in, brn_state *out, double h,
                      const brn_books *books, const double *dp)
{
    double work = 0.0;
    for (int dof = 0; dof < s->ndof; ++dof) {
        const int i = brn_model_at(s->model, dof);
        const double dx = out->node_pos[i] - in->node_pos[i];
        const bool fixed = s->model->fixed[dof] == BRN_DOF_HELD && books->inertia;
        const double inertia = fixed ? dp[dof] / h : 0.0;
        const double now = out->node_load[i] + out->node_react[i] - inertia;
        const double was = in->node_load[i] + in->node_react[i];
        work += ((1.0 - books->before) * now + books->before * was) * dx;
        work += inertia * h * 0.5 * (in->node_vel[i] + out->node_vel[i]);
    }
    out->ledger[BRN_LEDGER_WORK] += books->summed ? books->work : work + books->drive_work + books->turned;
    out->ledger[BRN_LEDGER_DISSIPATED] += books->dissipated;
}

static brn_status book_exchange(brn_system *s, const brn_state *in, brn_state *out, double h,
                                const brn_books *books)
{
    gains p;
    BRN_TRY(take_gains(s, in, out, &p));
    book_impulses(s, in, out, h, books, p.held);
    book_work(s, in, out, h, books, p.all);
    book_exchanged(s, out, h, books);
    return BRN_OK;
}

/* [J] what is there less what was put in: without what the integrators took. */
static double unexplained(const measure *m, const double *ledger)
{
    return m->kinetic + m->elastic + m->gravity + ledger[BRN_LEDGER_CONTACT] - ledger[BRN_LEDGER_ENERGY0] -
           ledger[BRN_LEDGER_WORK] - ledger[BRN_LEDGER_STIFFNESS_WORK] + ledger[BRN_LEDGER_DISSIPATED] +
           ledger[BRN_LEDGER_LOSS];
}

/* [J] of the loss, that of a rule whose energy is not the one of a single state. */
static double loss_between(const brn_state *state)
{
    const brn_memory *memory = brn_state_recall(state, BETWEEN);
    return memory != NULL && memory->count > 0 ? memory->value[0] : 0.0;
}

/* [J] Energy gained, swings of such a rule left out. */
static double gained(const measure *m, const brn_state *state)
{
    return unexplained(m, state->ledger) - loss_between(state);
}

static brn_status book_between(const brn_state *in, brn_state *out, const measure *m, const brn_books *books)
{
    double *memory = NULL;
    const double taken = fmax(0.0, fmin(books->taken, -unexplained(m, out->ledger)));
    const double sum = loss_between(in) + taken;
    out->ledger[BRN_LEDGER_LOSS] += taken;
    if (sum == 0.0) {
        brn_state_forget(out, BETWEEN);
        return BRN_OK;
    }
    BRN_TRY(brn_state_remember(out, BETWEEN, 1, &memory));
    memory[0] = sum;
    return BRN_OK;
}

/* What the integrator's identity takes. If it gives instead, that is not booked: it remains as an error. */
static void book_loss(const double *before, double *ledger, const measure *m, const brn_step_info *info)
{
    const brn_books *books = &info->books;
    const double contact = info->contact_energy - before[BRN_LEDGER_CONTACT] - info->stiffness_work;
    const double elastic = books->elastic_loss ? m->elastic - before[BRN_LEDGER_ELASTIC] : 0.0;
    const double loss =
        books->moved - (m->kinetic - before[BRN_LEDGER_KINETIC]) + books->stored - elastic - contact;
    ledger[BRN_LEDGER_LOSS] += books->known_loss ? fmax(0.0, loss) : 0.0;
    ledger[BRN_LEDGER_KINETIC] = m->kinetic;
    ledger[BRN_LEDGER_ELASTIC] = m->elastic;
}

brn_status brn_ledger_book(brn_system *s, const brn_state *in, brn_state *out, double h,
                           const brn_step_info *info)
{
    double *ledger = out->ledger;
    memcpy(ledger, in->ledger, sizeof out->ledger);
    brn_arena *arena = brn_ctx_arena(s->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = book_exchange(s, in, out, h, &info->books);
    brn_arena_rewind(arena, mark);
    BRN_TRY(status);
    ledger[BRN_LEDGER_CONTACT] = info->contact_energy;
    ledger[BRN_LEDGER_STIFFNESS_WORK] += info->stiffness_work;

    measure m;
    BRN_TRY(measured(s, out, &m));
    /* An integrator that evaluates forces elsewhere (midpoint, explicit) may leave the domain of a barrier material. */
    if (!isfinite(m.elastic) || !isfinite(m.kinetic) || !isfinite(info->contact_energy)) {
        return brn_fail(
            s->ctx, BRN_ERR_NOT_FINITE,
            "the step ends with an inverted element, an intersection or an energy that is not finite");
    }
    book_loss(in->ledger, ledger, &m, info);
    BRN_TRY(book_between(in, out, &m, &info->books));
    ledger[BRN_LEDGER_GAIN] = gained(&m, out);
    ledger[BRN_LEDGER_SWINGS] = info->books.swings;
    const double gravity = fabs(m.gravity - ledger[BRN_LEDGER_GRAVITY0]);
    const double worked = ledger[BRN_LEDGER_WORK] - ledger[BRN_LEDGER_FIELD_WORK];
    const double energy = fmax(fmax(m.kinetic, m.elastic), fmax(gravity, fabs(worked)));
    ledger[BRN_LEDGER_ENERGY_SCALE] =
        fmax(ledger[BRN_LEDGER_ENERGY_SCALE], fmax(energy, info->contact_energy));
    ledger[BRN_LEDGER_MOMENTUM_SCALE] = fmax(ledger[BRN_LEDGER_MOMENTUM_SCALE], m.momentum_scale);
    ledger[BRN_LEDGER_ANGULAR_SCALE] = fmax(ledger[BRN_LEDGER_ANGULAR_SCALE], m.angular_scale);
    return BRN_OK;
}

/* Momentum is conserved from here on if it was not before. Where gravity turns from a load into a potential, its value here
   counts as work done by the change of stage, so that the sum of energies does not jump. */
brn_status brn_ledger_enter(brn_system *s, brn_state *state, const brn_books *books)
{
    double *ledger = state->ledger;
    measure before;
    measure after;
    BRN_TRY(measured(s, state, &before));
    const bool rested = ledger[BRN_LEDGER_RESTS] != 0.0;
    ledger[BRN_LEDGER_RESTS] = !books->inertia;
    ledger[BRN_LEDGER_WEIGHT_LOAD] = books->weight_load;
    BRN_TRY(measured(s, state, &after));
    for (int i = 0; rested && books->inertia && i < 6; ++i) {
        ledger[BRN_LEDGER_START + i] = after.momentum[i] - ledger[BRN_LEDGER_IMPULSE + i];
    }
    const double gain = after.gravity - before.gravity;
    ledger[BRN_LEDGER_WORK] += gain;
    ledger[BRN_LEDGER_FIELD_WORK] += gain;
    ledger[BRN_LEDGER_GRAVITY0] += gain;
    external_rate(s, state, state, books, &ledger[BRN_LEDGER_RATE]);
    return BRN_OK;
}

bool brn_ledger_gains(const brn_state *in, const brn_state *out)
{
    const double gain = out->ledger[BRN_LEDGER_GAIN];
    const double scale = out->ledger[BRN_LEDGER_ENERGY_SCALE];
    return gain > GAIN_TOTAL * scale && gain - in->ledger[BRN_LEDGER_GAIN] > GAIN_STEP * scale;
}

bool brn_ledger_loses(const brn_state *in, const brn_state *out)
{
    const double rule = out->ledger[BRN_LEDGER_LOSS] - in->ledger[BRN_LEDGER_LOSS];
    const double other = in->ledger[BRN_LEDGER_GAIN] - out->ledger[BRN_LEDGER_GAIN];
    return rule + other > GAIN_TOTAL * out->ledger[BRN_LEDGER_ENERGY_SCALE];
}

/* The potential energy jumps; that is the work of whoever changed the field. Its zero is arbitrary, so this work says nothing
   about the size of energies. */
void brn_ledger_book_gravity(const brn_system *s, const double change[3], brn_state *state)
{
    const brn_model *model = s->model;
    double *ledger = state->ledger;
    if (ledger[BRN_LEDGER_WEIGHT_LOAD] != 0.0) { /* its work is booked as a load's */
        return;
    }
    double gain = 0.0;
    for (int row = 0; row < model->nrow; ++row) {
        const int a = model->row_node[row];
        gain -= model->node_mass[a] * brn_dense_dot3(change, &state->node_pos[3 * a]);
    }
    ledger[BRN_LEDGER_WORK] += gain;
    ledger[BRN_LEDGER_FIELD_WORK] += gain;
    ledger[BRN_LEDGER_GRAVITY0] += gain;
}

static double relative(double error, double scale)
{
    return scale > 0.0 ? error / scale : error;
}

brn_status brn_ledger_report(brn_system *s, const brn_state *state, brn_report *report)
{
    measure m;
    BRN_TRY(measured(s, state, &m));
    const double *ledger = state->ledger;
    report->kinetic = m.kinetic;
    report->elastic = m.elastic;
    report->gravity = m.gravity;
    report->work = ledger[BRN_LEDGER_WORK];
    report->dissipated = ledger[BRN_LEDGER_DISSIPATED];
    report->contact = ledger[BRN_LEDGER_CONTACT];
    report->stiffness_work = ledger[BRN_LEDGER_STIFFNESS_WORK];
    report->numerical_loss = ledger[BRN_LEDGER_LOSS];
    report->energy_error = relative(unexplained(&m, ledger), ledger[BRN_LEDGER_ENERGY_SCALE]);
    /* In equilibrium the work between two states is that of the mean force: large steps over- or underestimate it. */
    const bool usual = ledger[BRN_LEDGER_RESTS] != 0.0 ||
                       (ledger[BRN_LEDGER_SWINGS] != 0.0 && report->energy_error < SWING_MOST);
    report->energy_gain = usual ? 0.0 : fmax(0.0, gained(&m, state));
    double off[6];
    for (int i = 0; i < 6; ++i) {
        off[i] = m.momentum[i] - ledger[BRN_LEDGER_START + i] - ledger[BRN_LEDGER_IMPULSE + i];
    }
    memcpy(report->momentum, m.momentum, sizeof report->momentum);
    memcpy(report->angular_momentum, &m.momentum[3], sizeof report->angular_momentum);
    if (ledger[BRN_LEDGER_RESTS] == 0.0) {
        report->momentum_error =
            relative(norm(off), ledger[BRN_LEDGER_MOMENTUM_SCALE] + ledger[BRN_LEDGER_EXCHANGED]);
        report->angular_momentum_error =
            relative(norm(&off[3]), ledger[BRN_LEDGER_ANGULAR_SCALE] + ledger[BRN_LEDGER_EXCHANGED_TURN]);
    }
    return BRN_OK;
}
