/* Scenes of acm: what a stranger would write, most with no setting of the method at all. */
#include "storm_scene.h"

void storm_acm_method(storm_draft *d, storm_scene *out)
{
    static const char *const keys[] = {"schedule: exact",   "schedule: synchronous", "detector: kds",
                                       "layers: quadratic", "power: 0.25",           "power: 1"};
    char *to = out->text;
    const size_t size = sizeof out->text;
    if (pick_one(&d->rng, 3) > 0) {
        add(to, size, "method: acm\n");
        return;
    }
    add(to, size, "method: {type: acm, %s}\n", keys[pick_one(&d->rng, 6)]);
}
