/* The scene cylinder-press with changes: the plate's force at 0.1 m and 0.2 m, which a published table has as well (read off a plot, a line between
   its points). */
#ifndef BRN_TESTS_VALIDATE_CYLINDER_PRESS_H
#define BRN_TESTS_VALIDATE_CYLINDER_PRESS_H

#include "flow.h"
#include "rows.h"

#include "step/sim.h"

enum { PRESS_HALF, PRESS_FULL, PRESS_PLACES };
static const double press_way[PRESS_PLACES] = {0.1, 0.2};               /* [m] */
static const double press_published[PRESS_PLACES] = {0.262e6, 1.418e6}; /* [N/m] */

/* sets: as in flow_scene. */
static inline void press_run(const char *sets, double force[PRESS_PLACES])
{
    flow f = {.ctx = test_ctx(1)};
    assert_done(f.ctx, brn_scene_load(f.ctx, BRN_SOURCE_DIR "/scenes/cylinder-press/scene.yaml", &f.scene));
    for (const char *at = sets; *at != '\0';) {
        char one[128];
        const size_t n = strcspn(at, ";");
        assert_true(n < sizeof one);
        memcpy(one, at, n);
        one[n] = '\0';
        assert_done(f.ctx, brn_scene_set(f.scene, one));
        at += n + (at[n] == ';');
    }
    assert_done(f.ctx, brn_model_compile(f.ctx, f.scene, &f.model));
    assert_done(f.ctx, brn_sim_create(f.ctx, f.model, &f.sim));
    const double rest = f.sim->state->node_pos[3 * f.model->body[2].node_first + 1];
    double way = 0.0, load = 0.0;
    for (int place = 0; place < PRESS_PLACES;) {
        brn_report report;
        assert_true(!brn_sim_done(f.sim));
        assert_done(f.ctx, brn_sim_step(f.sim, &report));
        /* since the plate touched: it starts 4 mm above the cylinder, and the floor is 0.05 mm below it */
        const double y = f.sim->state->node_pos[3 * f.model->body[2].node_first + 1];
        const double now = rest - y - 4.05e-3;
        const double push = brn_sim_contact_forces(f.sim)[3 * 2 + 1];
        /* on a line between two steps; the last one ends there but for rounding */
        if (now >= press_way[place] - 1e-9) {
            force[place] = load + (push - load) * (press_way[place] - way) / (now - way);
            ++place;
        }
        way = now;
        load = push;
    }
    flow_close(&f);
}

#endif
