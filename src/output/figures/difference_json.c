/* How far apart two runs are, as compare.json and the page have it. */
#include "base/json.h"

void brn_difference_write(brn_json *json, const char *key, const brn_difference *d)
{
    if (json == NULL) {
        return;
    }
    if (d == NULL) {
        brn_json_text(json, key, NULL);
        return;
    }
    brn_json_open(json, key, '{');
    brn_json_bool(json, "same_mesh", d->same_mesh);
    brn_json_int(json, "nodes", d->nodes);
    brn_json_int(json, "moments", d->moments);
    brn_json_int(json, "interpolated", d->interpolated);
    brn_json_real(json, "time_end", d->time_end);
    brn_json_real(json, "max", d->max);
    brn_json_real(json, "rms", d->rms);
    brn_json_real(json, "max_time", d->max_time);
    brn_json_real(json, "end_max", d->end_max);
    brn_json_real(json, "end_rms", d->end_rms);
    brn_json_int(json, "probes", d->probes);
    brn_json_real(json, "probe_max", d->probe_max);
    brn_json_real(json, "probe_max_time", d->probe_max_time);
    brn_json_text(json, "max_body", d->max_body);
    brn_json_text(json, "probe_max_name", d->probe_max_name);
    brn_json_close(json);
}
