/* What is told of a stage: names, units and meanings of the numbers of brn_stage_result. */
#include "output/figures/stage_figures.h"

#include "base/os.h"
#include "base/param.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct row {
    const char *name, *unit, *label, *meaning;
    size_t offset; /* of the number, or of a vector whose length it is */
    bool length;
} row;

#define AT(member_) offsetof(brn_stage_result, member_), false

static const row rows[] = {
    {"begin", "s", "begin", "time at which the stage began", AT(begin)},
    {"end", "s", "end", "time at which it ended; null: it did not", AT(end)},
    {"kinetic", "J", "kinetic", "kinetic energy of the scene at its end", AT(kinetic)},
    {"elastic", "J", "elastic", "elastic energy then", AT(elastic)},
    {"gravity", "J", "gravity", "energy in the field of gravity then", AT(gravity)},
    {"work", "J", "work", "work done on the bodies from the start of the run until then", AT(work)},
    {"dissipated", "J", "dissipated", "energy lost from the start of the run until then", AT(dissipated)},
    {"x", "m", "x", "place of the body's centre of mass then", AT(place[0])},
    {"y", "m", "y", "the same", AT(place[1])},
    {"z", "m", "z", "the same", AT(place[2])},
    {"vx", "m/s", "vx", "its velocity", AT(velocity[0])},
    {"vy", "m/s", "vy", "the same", AT(velocity[1])},
    {"vz", "m/s", "vz", "the same", AT(velocity[2])},
    {"speed", "m/s", "speed", "length of that", offsetof(brn_stage_result, velocity), true},
    {"spin_x", "rad/s", "spin x", "angular velocity that gives the body its angular momentum", AT(spin[0])},
    {"spin_y", "rad/s", "spin y", "the same", AT(spin[1])},
    {"spin_z", "rad/s", "spin z", "the same", AT(spin[2])},
    {"turn_x", "rad", "turn x", "integral of the angular velocity over the stage", AT(turn[0])},
    {"turn_y", "rad", "turn y", "the same", AT(turn[1])},
    {"turn_z", "rad", "turn z", "the same", AT(turn[2])},
    {"rise", "m", "rise",
     "highest place of the centre in the stage above that at its beginning, against gravity", AT(rise)},
    {"range", "m", "range", "way of the centre from the beginning to the end of the stage, across gravity",
     AT(range)},
    {"tilt", "rad", "tilt", "angle of the body's upright axis to the vertical, 0 at the start of the run",
     AT(tilt)},
    {"rigid", "s", "rigid", "time of the stage in which the body went on as a rigid one", AT(rigid)},
};

/* A body that turned by more than half a right angle stands on another side. */
static const double FALLEN = 0.25 * 3.14159265358979323846;

const char *brn_stage_name(int stage)
{
    static const char *const names[BRN_STAGES] = {"loading", "launch", "flight", "landing"};
    return stage >= 0 && stage < BRN_STAGES ? names[stage] : NULL;
}

const char *brn_landing_verdict(const brn_stage_result *landing)
{
    return landing == NULL || isnan(landing->begin) ? NULL
           : isnan(landing->end)                    ? "moving"
           : landing->tilt > FALLEN                 ? "fell over"
                                                    : "rest";
}

int brn_stage_figure_count(void)
{
    return BRN_COUNT(rows);
}

brn_status brn_stage_figure_get(int index, brn_figure *out)
{
    BRN_GIVEN(NULL, out);
    if (index < 0 || index >= BRN_COUNT(rows)) {
        return BRN_ERR_RANGE;
    }
    *out = (brn_figure){.unit = rows[index].unit, .meaning = rows[index].meaning, .group = "stages"};
    (void)snprintf(out->name, sizeof out->name, "%s", rows[index].name);
    (void)snprintf(out->label, sizeof out->label, "%s", rows[index].label);
    return BRN_OK;
}

double brn_stage_figure(const brn_stage_result *result, int index)
{
    if (result == NULL || index < 0 || index >= BRN_COUNT(rows)) {
        return NAN;
    }
    const double *v = (const double *)((const char *)result + rows[index].offset);
    return rows[index].length ? sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) : v[0];
}

void brn_stage_figures_write(brn_json *json, const char *const *rule, const brn_stage_result *result)
{
    for (int stage = 0; stage < BRN_STAGES; ++stage) {
        char name[64];
        if (rule[stage] == NULL) {
            continue;
        }
        (void)snprintf(name, sizeof name, "%s.integrator", brn_stage_name(stage));
        brn_json_text(json, name, rule[stage]);
        if (stage == BRN_STAGE_LANDING) {
            brn_json_text(json, "landing.verdict", brn_landing_verdict(&result[stage]));
        }
        for (int i = 0; i < BRN_COUNT(rows); ++i) {
            (void)snprintf(name, sizeof name, "%s.%s", brn_stage_name(stage), rows[i].name);
            brn_json_real(json, name, brn_stage_figure(&result[stage], i));
        }
    }
}

brn_status brn_stages_write(brn_ctx *ctx, const char *path, const char *const *rule,
                            const brn_stage_result *result)
{
    brn_json json = {.text.ctx = ctx, .lines = 1};
    char *text = NULL;
    brn_json_open(&json, NULL, '{');
    brn_stage_figures_write(&json, rule, result);
    brn_json_close(&json);
    BRN_TRY(brn_text_take(&json.text, &text));
    const brn_status status = brn_file_write(ctx, path, text, strlen(text));
    brn_free(ctx, text);
    return status;
}
