#include "step/ledger.h"

#include "linalg/dense.h"
#include "step/scheme.h"

#include <math.h>
#include <string.h>

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
    for (int a = 0; a < s->model->nnode; ++a) {
        double f[3] = {0.0, 0.0, 0.0};
        memcpy(f, &q[a * dim], (size_t)dim * sizeof *f);
        add_wrench(&x[3 * a], f, totals);
    }
}

static brn_status measure_state(brn_system *s, const brn_state *state, measure *out)
{
    const brn_model *model = s->model;
    brn_arena *arena = brn_ctx_arena(s->ctx);
    double *v = NULL;
    double *p = NULL;
    double *p3 = NULL;
    BRN_TAKE(arena, v, s->ndof);
    BRN_TAKE(arena, p, s->ndof);
    BRN_TAKE(arena, p3, (size_t)model->nnode * 3);
    *out = (measure){0};
    brn_system_pack(s, state->node_vel, v);
    BRN_TRY(brn_system_mass_apply(s, v, p));
    out->kinetic = 0.5 * dot(v, p, s->ndof);
    memset(p3, 0, (size_t)model->nnode * 3 * sizeof *p3);
    brn_system_unpack(s, p, p3);
    for (int a = 0; a < model->nnode; ++a) {
        const double *x = &state->node_pos[3 * a];
        add_wrench(x, &p3[3 * a], out->momentum);
        out->momentum_scale += norm(&p3[3 * a]);
        out->angular_scale += norm(&p3[3 * a]) * norm(x);
        /* A static run ramps gravity like a load and books its work as one. */
        out->gravity -= model->integrator != BRN_STATIC
                            ? model->node_mass[a] * brn_dense_dot3(s->controls->gravity, x)
                            : 0.0;
    }
    return brn_system_elastic(s, state->node_pos, BRN_TANGENT_EXACT, &out->elastic, NULL, NULL);
}

/* Scratch of measure_state is given back here, whatever happened. */
static brn_status measured(brn_system *s, const brn_state *state, measure *out)
{
    brn_arena *arena = brn_ctx_arena(s->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = measure_state(s, state, out);
    brn_arena_rewind(arena, mark);
    return status;
}

/* Where between the two ends of a step its integrator evaluates forces. */
static double place_of_evaluation(int integrator)
{
    return integrator == BRN_MIDPOINT ? 0.5 : integrator == BRN_SYMPLECTIC_EULER ? 0.0 : 1.0;
}

/* Force and torque of everything external at the last evaluation, which `out` remembers. */
static void external_rate(const brn_system *s, const brn_state *in, const brn_state *out, double rate[6])
{
    const brn_model *model = s->model;
    const double place = place_of_evaluation(model->integrator);
    const double gravity = model->integrator != BRN_STATIC ? 1.0 : 0.0;
    memset(rate, 0, 6 * sizeof *rate);
    for (int a = 0; a < model->nnode; ++a) {
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

/* The impulses that gravity, loads and holds give in a step, added up without their directions: what a momentum that
   stays small while a body rests on its support is to be measured by. Damping and friction are internal. */
static void book_exchanged(const brn_system *s, brn_state *out, double h)
{
    const brn_model *model = s->model;
    const double gravity = model->integrator != BRN_STATIC ? norm(s->controls->gravity) : 0.0;
    double sum = 0.0;
    double turn = 0.0;
    for (int a = 0; a < model->nnode; ++a) {
        const double f =
            model->node_mass[a] * gravity + norm(&out->node_load[3 * a]) + norm(&out->node_react[3 * a]);
        sum += f;
        turn += f * norm(&out->node_pos[3 * a]);
    }
    out->ledger[BRN_LEDGER_EXCHANGED] += h * sum;
    out->ledger[BRN_LEDGER_EXCHANGED_TURN] += h * turn;
}

brn_status brn_ledger_start(brn_system *s, brn_state *state, const brn_step_info *info)
{
    measure m;
    BRN_TRY(measured(s, state, &m));
    double *ledger = state->ledger;
    memset(ledger, 0, sizeof state->ledger);
    ledger[BRN_LEDGER_ENERGY0] = m.kinetic + m.elastic + m.gravity + info->contact_energy;
    ledger[BRN_LEDGER_CONTACT] = info->contact_energy;
    ledger[BRN_LEDGER_GRAVITY0] = m.gravity;
    ledger[BRN_LEDGER_ENERGY_SCALE] = fmax(fmax(m.kinetic, m.elastic), info->contact_energy);
    ledger[BRN_LEDGER_MOMENTUM_SCALE] = m.momentum_scale;
    ledger[BRN_LEDGER_ANGULAR_SCALE] = m.angular_scale;
    memcpy(&ledger[BRN_LEDGER_START], m.momentum, sizeof m.momentum);
    external_rate(s, state, state, &ledger[BRN_LEDGER_RATE]);
    return BRN_OK;
}

/* How an integrator weighs this evaluation's forces against the last ones' in v^{n+1} - v^n:
   Newmark h/2 (F^n + F^{n+1}); BDF2 1/3 of the last change + 2/3 h F^{n+1}; the others h F. */
static double share_of_last(int kind)
{
    return kind == BRN_NEWMARK ? 0.5 : kind == BRN_BDF2 ? 1.0 / 3.0 : 0.0;
}

/* dp = M dv of the held dofs' columns: the momentum that their motion gave in the step. */
static brn_status held_momentum(const brn_system *s, const brn_state *in, const brn_state *out, double *dp)
{
    const brn_model *model = s->model;
    const int dim = model->dim;
    double *dv = NULL;
    bool any = false;
    BRN_TAKE(brn_ctx_arena(s->ctx), dv, s->ndof);
    for (int dof = 0; dof < s->ndof; ++dof) {
        const int at = dof / dim * 3 + dof % dim;
        dv[dof] = model->fixed[dof] == BRN_DOF_HELD ? out->node_vel[at] - in->node_vel[at] : 0.0;
        any = any || dv[dof] != 0.0;
    }
    if (!any) {
        memset(dp, 0, (size_t)s->ndof * sizeof *dp);
        return BRN_OK;
    }
    return brn_system_mass_apply(s, dv, dp);
}

/* Impulses of everything external. A rule over several evaluations holds for the free dofs; held ones gain in each step
   what their motion says, so their share of the forces is taken out of the rule and booked as it is. */
static void book_impulses(brn_system *s, const brn_state *in, brn_state *out, double h, const double *dp)
{
    const int integrator = s->model->integrator;
    const double last = share_of_last(brn_scheme_kind(s->model, in, h));
    double *ledger = out->ledger;
    double rate[6];
    double gain[6] = {0};
    external_rate(s, in, out, rate);
    if (share_of_last(integrator) > 0.0) {
        add_wrenches(s, dp, out->node_pos, gain);
    }
    for (int i = 0; i < 6; ++i) {
        const double free_rate = rate[i] - gain[i] / h;
        const double effective = (1.0 - last) * free_rate + last * in->ledger[BRN_LEDGER_RATE + i];
        ledger[BRN_LEDGER_IMPULSE + i] += h * effective + gain[i];
        /* BDF2 goes on from the effective rate of the last step. */
        ledger[BRN_LEDGER_RATE + i] = integrator == BRN_BDF2 ? effective : free_rate;
    }
}

/* Work of loads and holds along the step; two-point rules and static runs take the mean of both ends. The inertia of the
   held dofs is left out of the rule and works along the mean of their two velocities: a motion that starts at once
   puts in 1/2 m v^2, not the m v^2 of its reaction times the way. held: last force of that inertia, NULL if none. */
static void book_work(const brn_system *s, const brn_state *in, brn_state *out, double h, const double *dp,
                      const double *held)
{
    const int integrator = s->model->integrator;
    const int dim = s->model->dim;
    const double before = integrator == BRN_NEWMARK || integrator == BRN_STATIC ? 0.5 : 0.0;
    double work = 0.0;
    double dissipated = 0.0;
    for (int dof = 0; dof < s->ndof; ++dof) {
        const int i = dof / dim * 3 + dof % dim;
        const double dx = out->node_pos[i] - in->node_pos[i];
        const bool fixed = s->model->fixed[dof] == BRN_DOF_HELD && integrator != BRN_STATIC;
        const double inertia = fixed ? dp[dof] / h : 0.0;
        const double now = out->node_load[i] + out->node_react[i] - inertia;
        const double was = in->node_load[i] + in->node_react[i] - (fixed && held != NULL ? held[dof] : 0.0);
        work += ((1.0 - before) * now + before * was) * dx;
        work += inertia * h * 0.5 * (in->node_vel[i] + out->node_vel[i]);
        dissipated -= ((1.0 - before) * out->node_damp[i] + before * in->node_damp[i]) * dx;
    }
    out->ledger[BRN_LEDGER_WORK] += work;
    out->ledger[BRN_LEDGER_DISSIPATED] += dissipated;
}

/* The force that the held dofs' inertia had in Newmark's last step; NULL where there is none. */
static brn_status last_held_inertia(const brn_system *s, const brn_state *in, double **out)
{
    const brn_memory *acceleration = brn_state_recall(in, "newmark.acceleration");
    *out = NULL;
    if (s->model->integrator != BRN_NEWMARK || acceleration == NULL || acceleration->count == 0) {
        return BRN_OK;
    }
    double *a = NULL;
    BRN_TAKE(brn_ctx_arena(s->ctx), a, s->ndof);
    BRN_TAKE(brn_ctx_arena(s->ctx), *out, s->ndof);
    for (int dof = 0; dof < s->ndof; ++dof) {
        a[dof] = s->model->fixed[dof] == BRN_DOF_HELD ? acceleration->value[dof] : 0.0;
    }
    return brn_system_mass_apply(s, a, *out);
}

static brn_status book_exchange(brn_system *s, const brn_state *in, brn_state *out, double h)
{
    double *dp = NULL;
    double *held = NULL;
    BRN_TAKE(brn_ctx_arena(s->ctx), dp, s->ndof);
    BRN_TRY(held_momentum(s, in, out, dp));
    BRN_TRY(last_held_inertia(s, in, &held));
    book_impulses(s, in, out, h, dp);
    book_work(s, in, out, h, dp, held);
    return BRN_OK;
}

brn_status brn_ledger_book(brn_system *s, const brn_state *in, brn_state *out, double h,
                           const brn_step_info *info)
{
    double *ledger = out->ledger;
    memcpy(ledger, in->ledger, sizeof out->ledger);
    brn_arena *arena = brn_ctx_arena(s->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = book_exchange(s, in, out, h);
    brn_arena_rewind(arena, mark);
    BRN_TRY(status);
    book_exchanged(s, out, h);
    ledger[BRN_LEDGER_CONTACT] = info->contact_energy;
    ledger[BRN_LEDGER_STIFFNESS_WORK] += info->stiffness_work;

    measure m;
    BRN_TRY(measured(s, out, &m));
    /* An integrator that looks at forces elsewhere (midpoint, explicit) may leave the domain of a barrier material. */
    if (!isfinite(m.elastic) || !isfinite(m.kinetic) || !isfinite(info->contact_energy)) {
        return brn_fail(s->ctx, BRN_ERR_NOT_FINITE,
                        "the step ends with an inverted element, an intersection or an energy beyond all "
                        "numbers");
    }
    const double gravity = fabs(m.gravity - ledger[BRN_LEDGER_GRAVITY0]);
    const double worked = ledger[BRN_LEDGER_WORK] - ledger[BRN_LEDGER_FIELD_WORK];
    const double energy = fmax(fmax(m.kinetic, m.elastic), fmax(gravity, fabs(worked)));
    ledger[BRN_LEDGER_ENERGY_SCALE] =
        fmax(ledger[BRN_LEDGER_ENERGY_SCALE], fmax(energy, info->contact_energy));
    ledger[BRN_LEDGER_MOMENTUM_SCALE] = fmax(ledger[BRN_LEDGER_MOMENTUM_SCALE], m.momentum_scale);
    ledger[BRN_LEDGER_ANGULAR_SCALE] = fmax(ledger[BRN_LEDGER_ANGULAR_SCALE], m.angular_scale);
    return BRN_OK;
}

/* The potential energy jumps, which is the work of whoever changed the field. Where it is measured from is arbitrary, so this work
   says nothing of the size of energies. A trapezoidal rule starts its next step from the new forces. */
brn_status brn_ledger_book_gravity(brn_system *s, const double change[3], const double *accelerations,
                                   brn_state *state)
{
    const brn_model *model = s->model;
    double *ledger = state->ledger;
    if (model->integrator == BRN_STATIC) { /* gravity is a load there */
        return BRN_OK;
    }
    brn_arena *arena = brn_ctx_arena(s->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    double *p = brn_arena_take(arena, (size_t)s->ndof, sizeof *p);
    if (p == NULL) {
        return BRN_ERR_MEMORY;
    }
    const brn_status status = brn_system_mass_apply(s, accelerations, p);
    if (status >= 0) {
        double gain = 0.0;
        for (int a = 0; a < model->nnode; ++a) {
            gain -= model->node_mass[a] * brn_dense_dot3(change, &state->node_pos[3 * a]);
        }
        ledger[BRN_LEDGER_WORK] += gain;
        ledger[BRN_LEDGER_FIELD_WORK] += gain;
        ledger[BRN_LEDGER_GRAVITY0] += gain;
        add_wrenches(s, p, state->node_pos, &ledger[BRN_LEDGER_RATE]);
    }
    brn_arena_rewind(arena, mark);
    return status;
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
    const double balance = m.kinetic + m.elastic + m.gravity + report->contact - ledger[BRN_LEDGER_ENERGY0] -
                           report->work - report->stiffness_work + report->dissipated;
    report->energy_error = relative(balance, ledger[BRN_LEDGER_ENERGY_SCALE]);
    double off[6];
    for (int i = 0; i < 6; ++i) {
        off[i] = m.momentum[i] - ledger[BRN_LEDGER_START + i] - ledger[BRN_LEDGER_IMPULSE + i];
    }
    memcpy(report->momentum, m.momentum, sizeof report->momentum);
    memcpy(report->angular_momentum, &m.momentum[3], sizeof report->angular_momentum);
    if (s->model->integrator != BRN_STATIC) {
        report->momentum_error =
            relative(norm(off), ledger[BRN_LEDGER_MOMENTUM_SCALE] + ledger[BRN_LEDGER_EXCHANGED]);
        report->angular_momentum_error =
            relative(norm(&off[3]), ledger[BRN_LEDGER_ANGULAR_SCALE] + ledger[BRN_LEDGER_EXCHANGED_TURN]);
    }
    return BRN_OK;
}
