/* The state as the page gets it: docs/viewer.md. */
#include "live/live_private.h"

#include <string.h>

/* A list of all pairs grows with the square of the bodies; with more than this they are set all at once. */
enum { PAIRS_MAX = 64 };

static bool is_static(const brn_body_info *body)
{
    return strcmp(body->type, "static") == 0;
}

/* Copies of a body have the same friction: the first stands for all. */
static bool is_first(const brn_model *model, int body, const brn_body_info *info)
{
    brn_body_info before;
    return body == 0 || info->copies == 1 || brn_model_get_body(model, body - 1, &before) < 0 ||
           before.source != info->source;
}

static void write_friction(const brn_model *model, const brn_sim *sim, int bodies, brn_json *out)
{
    int count = 0;
    brn_json_open(out, "friction", '[');
    for (int i = 0; i < bodies && count < PAIRS_MAX; ++i) {
        for (int j = i; j < bodies && count < PAIRS_MAX; ++j) {
            brn_body_info a, b;
            if (brn_model_get_body(model, i, &a) < 0 || brn_model_get_body(model, j, &b) < 0 ||
                (is_static(&a) && is_static(&b)) || !is_first(model, i, &a) || !is_first(model, j, &b)) {
                continue;
            }
            count++;
            brn_json_open(out, NULL, '{');
            brn_json_open(out, "bodies", '[');
            brn_json_text(out, NULL, a.name);
            brn_json_text(out, NULL, b.name);
            brn_json_close(out);
            brn_json_real(out, "value", brn_sim_get_friction(sim, i, j));
            brn_json_close(out);
        }
    }
    brn_json_close(out);
}

static void write_controls(const cli_live *live, brn_json *out)
{
    const brn_model *model = live->model;
    const brn_sim *sim = *live->sim;
    brn_model_info info;
    double gravity[3];
    brn_model_get_info(model, &info);
    brn_sim_get_gravity(sim, gravity);
    brn_json_open(out, NULL, '{');
    brn_json_open(out, "gravity", '[');
    for (int i = 0; i < 3; ++i) {
        brn_json_real(out, NULL, gravity[i]);
    }
    brn_json_close(out);
    write_friction(model, sim, info.bodies, out);
    brn_json_open(out, "motions", '[');
    for (int i = 0; i < brn_model_motion_count(model); ++i) {
        brn_json_open(out, NULL, '{');
        brn_json_text(out, "name", brn_model_motion_name(model, i));
        brn_json_real(out, "speed", brn_sim_get_motion_speed(sim, i));
        brn_json_close(out);
    }
    brn_json_close(out);
    brn_json_open(out, "movable", '[');
    for (int i = 0; i < info.bodies; ++i) {
        if (brn_model_is_movable(model, i)) {
            brn_json_int(out, NULL, i);
        }
    }
    brn_json_close(out);
    live_joints_write(live, out);
    brn_json_close(out);
}

brn_json *live_controls(const cli_live *live)
{
    brn_json *out = NULL;
    const char *text;
    size_t length;
    if (brn_json_create(live->ctx, 0, &out) < 0) {
        return NULL;
    }
    write_controls(live, out);
    if (brn_json_get(out, &text, &length) < 0) {
        brn_json_destroy(out);
        return NULL;
    }
    return out;
}

void live_state_write(brn_ctx *ctx, const live_status *status, int64_t dropped, const char *error,
                      cli_text *out)
{
    brn_json *own = NULL;
    const char *why = error[0] != '\0' ? error : status->error;
    const char *head, *controls = "{\"movable\": []}";
    size_t length;
    out->failed = true;
    if (brn_json_create(ctx, 0, &own) < 0) {
        return;
    }
    brn_json_open(own, NULL, '{');
    brn_json_text(own, "kind", "state");
    brn_json_bool(own, "running", status->running);
    brn_json_bool(own, "done", status->done);
    brn_json_real(own, "speed", status->speed);
    brn_json_real(own, "time", status->time);
    brn_json_int(own, "step", status->step);
    brn_json_real(own, "rate", status->rate);
    brn_json_int(own, "dropped", dropped);
    brn_json_text(own, "error", why[0] != '\0' ? why : NULL);
    brn_json_close(own);
    if ((status->controls == NULL || brn_json_get(status->controls, &controls, &length) >= 0) &&
        brn_json_get(own, &head, &length) >= 0) {
        /* The members of both objects in one. */
        out->failed = false;
        cli_text_add(out, "%.*s, %s", (int)length - 1, head, controls + 1);
    }
    brn_json_destroy(own);
}
