/* The state as the page gets it: docs/viewer.md. */
#include "live/live_private.h"

#include <string.h>

/* A list of all pairs grows with the square of the bodies; beyond this many they are set all at once. */
enum { PAIRS_MAX = 64 };

static bool is_static(const brn_body_info *body)
{
    return strcmp(body->type, "static") == 0;
}

static void write_friction(const brn_model *model, const brn_sim *sim, int bodies, cli_json *out)
{
    int count = 0;
    cli_json_add(out, "\"friction\": [");
    for (int i = 0; i < bodies && count < PAIRS_MAX; ++i) {
        for (int j = i; j < bodies && count < PAIRS_MAX; ++j) {
            brn_body_info a, b;
            if (brn_model_get_body(model, i, &a) < 0 || brn_model_get_body(model, j, &b) < 0 ||
                (is_static(&a) && is_static(&b))) {
                continue;
            }
            cli_json_add(out, "%s{\"bodies\": [", count++ > 0 ? ", " : "");
            cli_json_string(out, a.name);
            cli_json_add(out, ", ");
            cli_json_string(out, b.name);
            cli_json_add(out, "], \"value\": ");
            cli_json_number(out, brn_sim_get_friction(sim, i, j));
            cli_json_add(out, "}");
        }
    }
    cli_json_add(out, "], ");
}

char *live_controls(const brn_model *model, const brn_sim *sim)
{
    cli_json out = {0};
    brn_model_info info;
    double gravity[3];
    brn_model_get_info(model, &info);
    brn_sim_get_gravity(sim, gravity);
    cli_json_add(&out, "\"gravity\": [");
    for (int i = 0; i < 3; ++i) {
        cli_json_add(&out, "%s", i > 0 ? ", " : "");
        cli_json_number(&out, gravity[i]);
    }
    cli_json_add(&out, "], ");
    write_friction(model, sim, info.bodies, &out);
    cli_json_add(&out, "\"motions\": [");
    for (int i = 0; i < brn_model_motion_count(model); ++i) {
        cli_json_add(&out, "%s{\"name\": ", i > 0 ? ", " : "");
        cli_json_string(&out, brn_model_motion_name(model, i));
        cli_json_add(&out, ", \"speed\": ");
        cli_json_number(&out, brn_sim_get_motion_speed(sim, i));
        cli_json_add(&out, "}");
    }
    cli_json_add(&out, "], \"movable\": [");
    const char *between = "";
    for (int i = 0; i < info.bodies; ++i) {
        if (brn_model_is_movable(model, i)) {
            cli_json_add(&out, "%s%d", between, i);
            between = ", ";
        }
    }
    cli_json_add(&out, "]");
    if (out.failed) {
        cli_json_free(&out);
    }
    return out.bytes;
}

void live_state_write(const live_status *status, int64_t dropped, const char *error, cli_json *out)
{
    cli_json_add(out, "{\"kind\": \"state\", \"running\": %s, \"done\": %s, \"speed\": ",
                 status->running ? "true" : "false", status->done ? "true" : "false");
    cli_json_number(out, status->speed);
    cli_json_add(out, ", \"time\": ");
    cli_json_number(out, status->time);
    cli_json_add(out, ", \"step\": %lld, \"rate\": ", (long long)status->step);
    cli_json_number(out, status->rate);
    cli_json_add(out, ", \"dropped\": %lld, \"error\": ", (long long)dropped);
    const char *text = error[0] != '\0' ? error : status->error;
    if (text[0] != '\0') {
        cli_json_string(out, text);
    } else {
        cli_json_add(out, "null");
    }
    cli_json_add(out, ", %s}", status->controls != NULL ? status->controls : "\"movable\": []");
}
