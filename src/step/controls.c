#include "step/controls.h"

#include "model/robot_model.h"

#include <math.h>
#include <string.h>

/* An offset's change is spread over at least this many steps, so that the small changes of a moving hand do not jolt. */
static const double SHIFT_STEPS = 4.0;
/* Times are products and sums of steps: this fraction of a step is rounding. */
static const double TIME_ROUNDING = 1e-6;

/* checkpoint: gravity, then own time and offset of each hold */
enum { HEAD = 3, WIDTH = 4 };

brn_status brn_controls_create(brn_ctx *ctx, const brn_model *model, brn_controls **out)
{
    *out = NULL;
    brn_controls *c = NULL;
    BRN_ALLOC(ctx, c, 1);
    const size_t pairs = (size_t)model->nkind * (size_t)model->nkind;
    c->ctx = ctx;
    c->model = model;
    c->drag.node = -1;
    memcpy(c->gravity, model->gravity, sizeof c->gravity);
    c->friction = brn_calloc(ctx, pairs, sizeof *c->friction);
    c->clock = brn_calloc(ctx, (size_t)model->nhold, sizeof *c->clock);
    c->shift = brn_calloc(ctx, (size_t)model->nhold, sizeof *c->shift);
    c->aim = brn_calloc(ctx, (size_t)model->ndrive, sizeof *c->aim);
    if (c->friction == NULL || c->clock == NULL || c->shift == NULL || c->aim == NULL) {
        brn_controls_destroy(c);
        return BRN_ERR_MEMORY;
    }
    if (pairs > 0) {
        memcpy(c->friction, model->friction, pairs * sizeof *c->friction);
    }
    for (int i = 0; i < model->nhold; ++i) {
        c->clock[i].rate = 1.0;
    }
    for (int i = 0; i < model->ndrive; ++i) {
        c->aim[i] = NAN;
    }
    *out = c;
    return BRN_OK;
}

void brn_controls_destroy(brn_controls *c)
{
    if (c == NULL) {
        return;
    }
    brn_free(c->ctx, c->friction);
    brn_free(c->ctx, c->clock);
    brn_free(c->ctx, c->shift);
    brn_free(c->ctx, c->aim);
    brn_free(c->ctx, c);
}

/* ---- motions ----------------------------------------------------------------------------------------------------------- */

/* May be before the motion's start or after its end, where the motion waits. */
static double own_time(const brn_clock *clock, double t)
{
    return clock->tau + clock->rate * (t - clock->since);
}

double brn_controls_tau(const brn_controls *c, int hold, double t)
{
    const double end = brn_motion_end(&c->model->hold[hold].motion);
    return fmax(0.0, fmin(own_time(&c->clock[hold], t), end));
}

/* A clock that shows the scene's own time is stored as if never touched, without rounding. */
static brn_clock clock_at(double t, double tau, double rate)
{
    return rate == 1.0 && tau == t ? (brn_clock){.rate = 1.0} : (brn_clock){t, tau, rate};
}

void brn_controls_set_rate(brn_controls *c, int hold, double t, double rate)
{
    if (rate != c->clock[hold].rate) {
        /* From its end or start a motion resumes at once, not after as long as it has waited there. */
        c->clock[hold] = clock_at(t, brn_controls_tau(c, hold, t), rate);
    }
}

/* ---- offsets ----------------------------------------------------------------------------------------------------------- */

void brn_controls_offset(const brn_controls *c, int hold, double t, double offset[3])
{
    const brn_shift *s = &c->shift[hold];
    const double left = s->until - t;
    const bool there = !(left > TIME_ROUNDING * c->model->step);
    const double share = there ? 1.0 : fmax(0.0, (t - s->since) / (s->until - s->since));
    for (int i = 0; i < 3; ++i) {
        offset[i] = there ? s->to[i] : s->from[i] + share * (s->to[i] - s->from[i]);
    }
}

/* Just before t: on arrival it is still moving. */
static void offset_rate(const brn_controls *c, const brn_shift *s, double t, double rate[3])
{
    const double rounding = TIME_ROUNDING * c->model->step;
    const bool moves = s->until > s->since && t <= s->until + rounding && t > s->since + rounding;
    for (int i = 0; i < 3; ++i) {
        rate[i] = moves ? (s->to[i] - s->from[i]) / (s->until - s->since) : 0.0;
    }
}

void brn_controls_place(const brn_controls *c, int hold, int node, double t, double pos[3], double vel[3])
{
    brn_controls_carry(c, hold, c->model->rest[node], t, pos, vel);
}

void brn_controls_carry(const brn_controls *c, int hold, const double rest[3], double t, double pos[3],
                        double vel[3])
{
    const brn_clock *clock = &c->clock[hold];
    brn_motion_run(&c->model->hold[hold].motion, rest, own_time(clock, t), clock->rate, pos, vel);
    if (!c->shift[hold].on) {
        return;
    }
    double offset[3];
    double rate[3];
    brn_controls_offset(c, hold, t, offset);
    offset_rate(c, &c->shift[hold], t, rate);
    for (int i = 0; i < 3; ++i) {
        if (pos != NULL) {
            pos[i] += offset[i];
        }
        if (vel != NULL) {
            vel[i] += rate[i];
        }
    }
}

void brn_controls_anchor(const brn_controls *c, const brn_anchor *anchor, const double *x, double t,
                         double pos[3])
{
    memcpy(pos, anchor->rest, sizeof anchor->rest);
    if (anchor->hold >= 0) {
        brn_controls_carry(c, anchor->hold, anchor->rest, t, pos, NULL);
    }
    for (int i = 0; i < 3 && anchor->count > 0; ++i) { /* from the first node: weights sum to 1 */
        const double first = x[3 * anchor->node[0] + i];
        pos[i] = first;
        for (int k = 1; k < anchor->count; ++k) {
            pos[i] += anchor->weight[k] * (x[3 * anchor->node[k] + i] - first);
        }
    }
}

void brn_controls_set_offset(brn_controls *c, int hold, double t, const double offset[3], double speed)
{
    brn_shift *s = &c->shift[hold];
    double now[3];
    double way = 0.0;
    brn_controls_offset(c, hold, t, now);
    for (int i = 0; i < 3; ++i) {
        way += (offset[i] - now[i]) * (offset[i] - now[i]);
    }
    /* Whole steps: at the end of each the velocity is the distance moved over the step's length. */
    const double step = c->model->step;
    const double steps = fmax(SHIFT_STEPS, ceil(sqrt(way) / (speed * step)));
    *s = (brn_shift){.on = s->on || way > 0.0, .since = t, .until = way > 0.0 ? t + steps * step : t};
    memcpy(s->from, now, sizeof s->from);
    memcpy(s->to, offset, sizeof s->to);
}

bool brn_controls_shifting(const brn_controls *c, double t)
{
    bool any = false;
    for (int i = 0; i < c->model->nhold; ++i) {
        any = any || (c->shift[i].on && c->shift[i].until > t + TIME_ROUNDING * c->model->step);
    }
    return any;
}

int brn_controls_resisted(const brn_controls *c, double t, const double *react, double limit)
{
    for (int i = 0; i < c->model->nhold; ++i) {
        const brn_hold *hold = &c->model->hold[i];
        double rate[3];
        double force = 0.0;
        offset_rate(c, &c->shift[i], t, rate);
        const double speed = sqrt(rate[0] * rate[0] + rate[1] * rate[1] + rate[2] * rate[2]);
        for (int k = 0; k < hold->nnode && speed > 0.0; ++k) {
            const double *f = &react[3 * hold->node[k]];
            force += (f[0] * rate[0] + f[1] * rate[1] + f[2] * rate[2]) / speed;
        }
        if (c->shift[i].on && force > limit) {
            return i;
        }
    }
    return -1;
}

void brn_controls_halt(brn_controls *c, double t)
{
    for (int i = 0; i < c->model->nhold; ++i) {
        brn_shift *s = &c->shift[i];
        if (s->on) {
            brn_controls_offset(c, i, t, s->to);
            memcpy(s->from, s->to, sizeof s->from);
            s->since = s->until = t;
        }
    }
}

/* ---- checkpoints --------------------------------------------------------------------------------------------------------- */

int brn_controls_count(const brn_controls *c)
{
    return HEAD + WIDTH * c->model->nhold;
}

bool brn_controls_differ(const brn_controls *c, double t)
{
    bool differ = memcmp(c->gravity, c->model->gravity, sizeof c->gravity) != 0;
    for (int i = 0; i < c->model->nhold; ++i) {
        double offset[3];
        brn_controls_offset(c, i, t, offset);
        differ = differ || own_time(&c->clock[i], t) != t || offset[0] != 0.0 || offset[1] != 0.0 ||
                 offset[2] != 0.0;
    }
    return differ;
}

void brn_controls_write(const brn_controls *c, double t, double *to)
{
    memcpy(to, c->gravity, sizeof c->gravity);
    for (int i = 0; i < c->model->nhold; ++i) {
        to[HEAD + WIDTH * i] = own_time(&c->clock[i], t);
        brn_controls_offset(c, i, t, &to[HEAD + WIDTH * i + 1]);
    }
}

void brn_controls_resume(brn_controls *c, double t, const double *from, double speed)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < c->model->nhold; ++i) {
        const double *row = from != NULL ? &from[HEAD + WIDTH * i] : NULL;
        const double *offset = row != NULL ? &row[1] : none;
        brn_shift *s = &c->shift[i];
        c->clock[i] = clock_at(t, row != NULL ? row[0] : t, c->clock[i].rate);
        if (s->on || memcmp(offset, none, sizeof none) != 0) {
            double wanted[3];
            memcpy(wanted, s->to, sizeof wanted);
            *s = (brn_shift){.on = true, .since = t, .until = t};
            memcpy(s->to, offset, sizeof s->to);
            brn_controls_set_offset(c, i, t, wanted, speed);
        }
    }
}

/* ---- robots ------------------------------------------------------------------------------------------------------------ */

double brn_controls_drive(const brn_controls *c, int robot, int drive, double t)
{
    const brn_robot_model *of = c->model->robot[robot];
    const double aim = c->aim[of->drive_first + drive];
    const double *range = of->drive[drive].range;
    return isnan(aim) ? brn_drive_control(&of->drive[drive], t) : fmin(fmax(aim, range[0]), range[1]);
}
