#include "step/stages.h"

#include "linalg/dense.h"
#include "model/rigid_pose.h"
#include "phys/rotation.h"
#include "step/body_sums.h"
#include "step/ledger.h"

#include <math.h>
#include <string.h>

/* A body that has left the ground flies once its centre has gone this share of its length: a hop within the launch is none. */
static const double CLEAR = 0.05;
/* A body that is touched again while it still rises, this share of its length from where it left at most, is still being thrown. */
static const double HOP = 0.5;
/* A body rests that has stayed where it is, by this share of its length, for this share of sqrt(length / g), with no more energy in the ways of its steps
   than at this share of sqrt(g length). It may hum: velocities at the ends of steps say little of where it goes, and single nodes less. */
static const double STRAY = 1e-3, PATIENCE = 0.5, SLOW = 0.02;
/* Of time.step, as for holds that end. */
static const double SLACK = 1e-6;

/* ---- the body ------------------------------------------------------------------------------------------------------------------ */

/* Against gravity; without any along the last axis. */
static void set_up(const brn_system *system, double up[3])
{
    const double *g = system->controls->gravity;
    const double length = brn_dense_length3(g);
    for (int i = 0; i < 3; ++i) {
        up[i] = length > 0.0 ? -g[i] / length : i == system->model->dim - 1 ? 1.0 : 0.0;
    }
}

static brn_status set_spin(brn_system *system, int body, const brn_state *state, const double centre[3],
                           double spin[3])
{
    const brn_model *model = system->model;
    brn_arena *arena = brn_ctx_arena(system->ctx);
    double *v = NULL;
    double *p = NULL;
    double moment[3];
    double inertia[9];
    double inverse[9];
    BRN_TAKE(arena, v, system->ndof);
    BRN_TAKE(arena, p, system->ndof);
    brn_system_pack(system, state->node_vel, v);
    BRN_TRY(brn_system_mass_apply(system, v, p));
    brn_body_moments(model, body, state->node_pos, centre, p, moment);
    brn_system_pack(system, state->node_pos, v);
    for (int dof = 0; dof < system->ndof; ++dof) {
        v[dof] -= centre[dof % model->dim];
    }
    BRN_TRY(brn_system_mass_apply(system, v, p));
    brn_body_inertia(model, body, state->node_pos, centre, p, inertia);
    memset(spin, 0, 3 * sizeof *spin);
    if (model->dim == 2) {
        spin[2] = inertia[8] > 0.0 ? moment[2] / inertia[8] : 0.0;
    } else if (brn_dense_det3(inertia) > 0.0) {
        (void)brn_dense_inverse3(inertia, inverse);
        brn_dense_apply3(inverse, moment, spin);
    }
    return BRN_OK;
}

/* What there is to say of a state; begin, end and what adds up over a stage are left alone. */
static brn_status look(brn_system *system, const brn_state *state, brn_stage_result *out)
{
    const brn_model *model = system->model;
    const int body = model->stages.body;
    double up[3];
    double rest[3];
    double turn[9];
    double now[3];
    set_up(system, up);
    brn_body_mean(model, body, state->node_pos, out->place);
    brn_body_mean(model, body, state->node_vel, out->velocity);
    brn_body_mean(model, body, model->rest[0], rest);
    brn_body_turn(model, body, state->node_pos, out->place, rest, turn);
    brn_dense_apply3(turn, up, now);
    out->tilt = acos(fmax(-1.0, fmin(1.0, brn_dense_dot3(now, up))));
    out->kinetic = state->ledger[BRN_LEDGER_KINETIC];
    out->elastic = state->ledger[BRN_LEDGER_ELASTIC];
    out->work = state->ledger[BRN_LEDGER_WORK];
    out->dissipated = state->ledger[BRN_LEDGER_DISSIPATED] + state->ledger[BRN_LEDGER_LOSS];
    out->gravity = 0.0;
    for (int a = 0; a < model->nnode; ++a) {
        out->gravity -=
            model->node_mass[a] * brn_dense_dot3(system->controls->gravity, &state->node_pos[3 * a]);
    }
    brn_arena *arena = brn_ctx_arena(system->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = set_spin(system, body, state, out->place, out->spin);
    brn_arena_rewind(arena, mark);
    return status;
}

static bool touches(const brn_model *model, const brn_step_info *info)
{
    bool any = false;
    for (int i = 0; i < info->npoint && !any; ++i) {
        const brn_contact_point *p = &info->point[i];
        any = (p->body[0] == model->stages.body || p->body[1] == model->stages.body) &&
              p->body[0] != p->body[1] && p->normal_force > 0.0;
    }
    return any;
}

static double length_of(const brn_model *model)
{
    return brn_body_diagonal(model, &model->body[model->stages.body]);
}

/* ---- from stage to stage --------------------------------------------------------------------------------------------------------- */

static const brn_stage_result blank = {.begin = NAN, .end = NAN};

/* Where a stage began: the end of the one before it, or of nothing. */
static void begin(brn_story *story, int stage, double time, const double place[3], const double up[3])
{
    story->stage = stage;
    story->result[stage] = blank;
    story->result[stage].begin = time;
    story->top = brn_dense_dot3(place, up);
    story->lift = blank;
    story->resting = NAN;
}

void brn_stages_start(const brn_system *system, brn_state *state)
{
    const brn_model_stages *stages = &system->model->stages;
    double place[3];
    double up[3];
    if (!stages->given) {
        return;
    }
    for (int i = 0; i < BRN_STAGES; ++i) {
        state->story.result[i] = blank;
    }
    set_up(system, up);
    brn_body_mean(system->model, stages->body, state->node_pos, place);
    begin(&state->story, stages->loads ? BRN_STAGE_LOADING : BRN_STAGE_LAUNCH, 0.0, place, up);
    memcpy(state->story.result[brn_stages_now(state)].place, place, sizeof place);
}

/* Where the body was when a stage began: where it was at the end of the one before. */
static void origin_of(const brn_model *model, const brn_story *story, int stage, double out[3])
{
    if (stage == BRN_STAGE_LOADING || (stage == BRN_STAGE_LAUNCH && !model->stages.loads)) {
        brn_body_mean(model, model->stages.body, model->rest[0], out);
    } else {
        memcpy(out, story->result[stage - 1].place, 3 * sizeof *out);
    }
}

/* The stage goes on to the state `now` of a time, which has what h adds to turn and rigid: what adds up. */
static void add_part(const brn_system *system, brn_story *story, const brn_stage_result *now)
{
    brn_stage_result *r = &story->result[(int)story->stage];
    brn_stage_result next = *now;
    double up[3];
    double from[3];
    double way[3];
    set_up(system, up);
    origin_of(system->model, story, (int)story->stage, from);
    story->top = fmax(story->top, brn_dense_dot3(now->place, up));
    next.begin = r->begin;
    next.end = r->end;
    next.rise = story->top - brn_dense_dot3(from, up);
    for (int i = 0; i < 3; ++i) {
        way[i] = now->place[i] - from[i];
        next.turn[i] = r->turn[i] + now->turn[i];
    }
    next.rigid = r->rigid + now->rigid;
    const double along = brn_dense_dot3(way, up);
    for (int i = 0; i < 3; ++i) { /* by squares, a way straight up would leave the root of their rounding */
        way[i] -= along * up[i];
    }
    next.range = brn_dense_length3(way);
    *r = next;
}

/* The launch: it may have lifted off, and flies once it is clear. What it does in between belongs to the flight. */
static brn_status follow_launch(brn_system *system, const brn_state *in, brn_story *story, double t,
                                bool touching, const brn_stage_result *now)
{
    const brn_model *model = system->model;
    double up[3];
    double way = 0.0;
    if (touching) {
        story->lift = blank;
        return BRN_OK;
    }
    if (isnan(story->lift.begin)) {
        BRN_TRY(look(system, in, &story->lift));
        story->lift.begin = t;
        story->lift.rise = in->story.result[BRN_STAGE_LAUNCH].rise;
        story->lift.range = in->story.result[BRN_STAGE_LAUNCH].range;
    }
    for (int i = 0; i < 3; ++i) {
        const double off = now->place[i] - story->lift.place[i];
        story->lift.turn[i] += now->turn[i];
        way += off * off;
    }
    story->lift.rigid += now->rigid;
    if (sqrt(way) < CLEAR * length_of(model)) {
        return BRN_OK;
    }
    brn_stage_result *launch = &story->result[BRN_STAGE_LAUNCH];
    const brn_stage_result lift = story->lift;
    const brn_stage_result clear = *launch;
    set_up(system, up);
    *launch = lift;
    launch->begin = clear.begin;
    launch->end = lift.begin;
    for (int i = 0; i < 3; ++i) {
        launch->turn[i] = clear.turn[i] - lift.turn[i];
    }
    launch->rigid = clear.rigid - lift.rigid;
    begin(story, BRN_STAGE_FLIGHT, lift.begin, lift.place, up);
    brn_stage_result since = *now;
    memcpy(since.turn, lift.turn, sizeof lift.turn);
    since.rigid = lift.rigid;
    add_part(system, story, &since);
    return BRN_OK;
}

/* Touched in flight: by what throws it? A cube in the basket of a catapult is, once more, by the basket's wall. */
static bool still_thrown(const brn_system *system, const brn_story *story)
{
    const brn_stage_result *launch = &story->result[BRN_STAGE_LAUNCH];
    const brn_stage_result *flight = &story->result[BRN_STAGE_FLIGHT];
    double up[3];
    double way[3];
    set_up(system, up);
    for (int i = 0; i < 3; ++i) {
        way[i] = flight->place[i] - launch->place[i];
    }
    return brn_dense_dot3(flight->velocity, up) > 0.0 &&
           brn_dense_length3(way) < HOP * length_of(system->model);
}

/* What was taken for a flight belongs to the launch. */
static void resume_launch(const brn_system *system, brn_story *story)
{
    brn_stage_result *launch = &story->result[BRN_STAGE_LAUNCH];
    double up[3];
    double from[3];
    set_up(system, up);
    origin_of(system->model, story, BRN_STAGE_LAUNCH, from);
    for (int i = 0; i < 3; ++i) {
        launch->turn[i] += story->result[BRN_STAGE_FLIGHT].turn[i];
    }
    launch->rigid += story->result[BRN_STAGE_FLIGHT].rigid;
    launch->end = NAN;
    story->stage = BRN_STAGE_LAUNCH;
    story->top = fmax(story->top, brn_dense_dot3(from, up) + launch->rise);
    story->lift = blank;
    story->result[BRN_STAGE_FLIGHT] = blank;
}

/* The centre of the body and its rotation from rest. */
static void pose_of(const brn_model *model, const brn_state *state, double centre[3], double turn[9])
{
    const int body = model->stages.body;
    double rest[3];
    brn_body_mean(model, body, state->node_pos, centre);
    brn_body_mean(model, body, model->rest[0], rest);
    brn_body_turn(model, body, state->node_pos, centre, rest, turn);
}

/* [m] How far the body is from where it began to rest: its centre, and by its turn a point half its length away. */
static double strayed(const brn_model *model, const brn_story *story, const brn_state *out)
{
    double centre[3];
    double turn[9];
    double way = 0.0;
    double off = 0.0; /* |R - R'|^2 = 8 sin^2(angle/2) */
    pose_of(model, out, centre, turn);
    for (int i = 0; i < 3; ++i) {
        way += (centre[i] - story->lair[i]) * (centre[i] - story->lair[i]);
    }
    for (int k = 0; k < 9; ++k) {
        off += (turn[k] - story->pose[k]) * (turn[k] - story->pose[k]);
    }
    return sqrt(way) + 0.5 * length_of(model) * sqrt(0.5 * off);
}

/* Whether what its nodes went in the part had more energy than a slow body has. */
static bool is_loud(const brn_model *model, const brn_state *in, const brn_state *out, double h, double slow)
{
    const brn_body *body = &model->body[model->stages.body];
    double mass = 0.0;
    double sum = 0.0;
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        mass += model->node_mass[a];
        for (int i = 0; i < 3; ++i) {
            const double v = (out->node_pos[3 * a + i] - in->node_pos[3 * a + i]) / h;
            sum += model->node_mass[a] * v * v;
        }
    }
    return !(sum <= mass * slow * slow);
}

static void follow_landing(const brn_system *system, const brn_state *in, brn_story *story,
                           const brn_state *out, double t, double h, bool touching)
{
    const brn_model *model = system->model;
    const double g = brn_dense_length3(system->controls->gravity);
    const double length = length_of(model);
    if (!(g > 0.0) || is_loud(model, in, out, h, SLOW * sqrt(g * length))) {
        story->resting = NAN;
        return;
    }
    if (isnan(story->resting)) {
        story->resting = t;
        pose_of(model, in, story->lair, story->pose);
    }
    if (!(strayed(model, story, out) <= STRAY * length)) {
        story->resting = t + h;
        pose_of(model, out, story->lair, story->pose);
    } else if (touching && t + h - story->resting >= PATIENCE * sqrt(length / g)) {
        story->result[BRN_STAGE_LANDING].end = story->resting;
    }
}

brn_status brn_stages_follow(brn_system *system, const brn_state *in, brn_state *out, double t, double h,
                             const brn_step_info *info, bool *other)
{
    const brn_model *model = system->model;
    brn_story *story = &out->story;
    brn_stage_result now = blank;
    double up[3];
    *other = false;
    *story = in->story;
    if (!model->stages.given || !isnan(story->result[BRN_STAGE_LANDING].end)) {
        return BRN_OK;
    }
    const int before = brn_stages_now(in);
    const bool touching = touches(model, info);
    BRN_TRY(look(system, out, &now));
    for (int i = 0; i < 3; ++i) {
        now.turn[i] = h * now.spin[i];
    }
    now.rigid = info->rigid ? h : 0.0;
    set_up(system, up);
    if (before == BRN_STAGE_FLIGHT && touching && still_thrown(system, story)) {
        resume_launch(system, story);
    } else if (before == BRN_STAGE_FLIGHT && touching) { /* this part is of the landing already */
        story->result[BRN_STAGE_FLIGHT].end = t;
        begin(story, BRN_STAGE_LANDING, t, story->result[BRN_STAGE_FLIGHT].place, up);
    }
    add_part(system, story, &now);
    if (before == BRN_STAGE_LOADING && t + h >= model->stages.until - SLACK * model->step) {
        story->result[BRN_STAGE_LOADING].end = t + h;
        begin(story, BRN_STAGE_LAUNCH, t + h, now.place, up);
    } else if (before == BRN_STAGE_LAUNCH) {
        BRN_TRY(follow_launch(system, in, story, t, touching, &now));
    } else if (before == BRN_STAGE_LANDING) {
        follow_landing(system, in, story, out, t, h, touching);
    }
    *other = model->stages.integrator[before] != model->stages.integrator[brn_stages_now(out)];
    return BRN_OK;
}

/* The rule of a stage in words. Within others bodies may hop, as rigid ones too: that is no rule of the stage. */
static const char *rule_of(int stage, int integrator, const brn_stage_result *result, double end)
{
    static const char *const then_rigid[] = {[BRN_NEWMARK] = "newmark, then rigid (Moser-Veselov)",
                                             [BRN_MIDPOINT] = "midpoint, then rigid (Moser-Veselov)",
                                             [BRN_IMPLICIT_EULER] =
                                                 "implicit_euler, then rigid (Moser-Veselov)"};
    const double length = (isnan(result->end) ? end : result->end) - result->begin;
    const bool known =
        stage == BRN_STAGE_FLIGHT && integrator < BRN_COUNT(then_rigid) && then_rigid[integrator] != NULL;
    return isnan(result->begin)                     ? NULL
           : !known || !(result->rigid > 0.0)       ? brn_integrator_words[integrator]
           : result->rigid > (1.0 - SLACK) * length ? "rigid (Moser-Veselov)"
                                                    : then_rigid[integrator];
}

void brn_stages_tell(const brn_model *model, const brn_state *state, brn_stage_result *result,
                     const char **rule)
{
    for (int i = 0; i < BRN_STAGES; ++i) {
        result[i] = model->stages.given ? state->story.result[i] : blank;
        rule[i] = rule_of(i, model->stages.integrator[i], &result[i], (double)state->step * model->step);
    }
}

bool brn_stages_over(const brn_model *model, const brn_state *state)
{
    return model->stages.stop && !isnan(state->story.result[BRN_STAGE_LANDING].end);
}
