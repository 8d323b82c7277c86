/* Several materials in one body: which element gets which, masses, damping by element, and what is refused. */
#include "flow.h"

#include "base/param.h"
#include "model/model.h"
#include "phys/solid.h"
#include "step/sim.h"

#include <math.h>

/* A bar of 4 x 1 x 1 cells of 1 m about the origin: centres at x = -1.5, -0.5, 0.5, 1.5. */
#define HEAD                                                                                       \
 "brunt: 1\ntime: {step: 0.01, end: 1}\nmethod: none\ngravity: [0, 0, 0]\n"                        \
 "materials:\n"                                                                                    \
 "  a: {type: neo_hookean, young: 1e6, poisson: 0.3, density: 1000, damping: {alpha: 2}}\n"        \
 "  b: {type: linear, young: 2e6, poisson: 0.2, density: 3000, damping: {alpha: 5, beta: 1e-3}}\n" \
 "  c: {type: stvk, young: 3e6, poisson: 0.1, density: 500}\n"                                     \
 "meshes: {bar: {box: {size: [4, 1, 1], cells: [4, 1, 1], element: hex8}}}\n"
#define BAR(parts) \
 HEAD "bodies: [{name: bar, type: deformable, mesh: bar, material: a, materials: [" parts "]}]\n"

/* Density of the element at x (in the coordinates of the bar). */
static double density_at(const brn_model *model, double x)
{
    for (int g = 0; g < model->ngroup; ++g) {
        const brn_element_group *group = model->group[g];
        for (int e = 0; e < group->nelem; ++e) {
            double centre = 0.0;
            for (int k = 0; k < group->nnode; ++k) {
                centre += model->rest[group->conn[e * group->nnode + k]][0] / group->nnode;
            }
            if (fabs(centre - x) < 0.25) {
                return group->density;
            }
        }
    }
    return NAN;
}

static void test_last_entry_counts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double density[4];
        const char *materials;
        int groups;
    } cases[] = {
        {BAR(""), {1000, 1000, 1000, 1000}, "a 4", 1},
        {BAR("{where: {box: {min: [0, -1, -1], max: [9, 1, 1]}}, material: b}"),
         {1000, 1000, 3000, 3000},
         "a 2, b 2",
         2},
        /* Later entries win where both select; the same material twice is one solid. */
        {BAR("{where: {box: {min: [0, -1, -1], max: [9, 1, 1]}}, material: c}, {where: {sphere: {centre: "
             "[1.5, 0, 0], "
             "radius: 0.1}}, material: b}, {where: {sphere: {centre: [-1.5, 0, 0], radius: 0.1}}, material: "
             "b}"),
         {3000, 1000, 500, 3000},
         "a 1, b 2, c 1",
         3},
        /* All nodes in a group: the generator's faces hold no whole cell, so the whole bar is what can be had here. */
        {BAR("{where: {box: {min: [-9, -9, -9], max: [9, 9, 9]}}, material: c}"),
         {500, 500, 500, 500},
         "c 4",
         1},
    };
    for (int i = 0; i < BRN_COUNT(cases); ++i) {
        flow f = flow_open(1, cases[i].text, NULL);
        assert_int_equal(f.model->ngroup, cases[i].groups);
        assert_int_equal(f.model->nelem, 4);
        double mass = 0.0;
        for (int k = 0; k < 4; ++k) {
            assert_near(density_at(f.model, k - 1.5), cases[i].density[k], 0.0);
            mass += cases[i].density[k];
        }
        brn_body_info info;
        assert_done(f.ctx, brn_model_get_body(f.model, 0, &info));
        assert_near(info.mass, mass, 1e-9);
        assert_string_equal(info.materials, cases[i].materials);
        flow_close(&f);
    }
}

/* Regions are of the mesh, wherever the body stands, and the same for all copies. */
static void test_regions_follow_the_body(void **state)
{
    (void)state;
    flow f = flow_open(1, BAR("{where: {box: {min: [0, -1, -1], max: [9, 1, 1]}}, material: b}"),
                       "bodies.bar.position=[10, 20, 30];bodies.bar.rotation=90;"
                       "bodies.bar.repeat={count: 3, spacing: [5, 0, 0]}");
    assert_int_equal(f.model->nbody, 3);
    for (int i = 0; i < 3; ++i) {
        /* The heavy half is at +x of the mesh, +y of the world: centre of mass (1 - 3) / 4 off. */
        assert_near(f.model->body[i].centre[0], 10.0 + 5.0 * i, 1e-12);
        assert_near(f.model->body[i].centre[1], 20.5, 1e-12);
        assert_near(f.model->body[i].mass, 8000.0, 1e-9);
    }
    flow_close(&f);
}

/* The power of alpha M on a translation v is sum alpha_e m_e |v|^2, whatever the mass matrix. */
static void test_damping_by_element(void **state)
{
    (void)state;
    static const char *const kinds[] = {"consistent", "lumped", "uniform"};
    for (int k = 0; k < 3; ++k) {
        char sets[64];
        (void)snprintf(sets, sizeof sets, "bodies.bar.mass=%s", kinds[k]);
        flow f = flow_open(1,
                           BAR("{where: {box: {min: [0, -1, -1], max: [9, 1, 1]}}, material: b}, {where: "
                               "{sphere: {centre: [1.5, 0, 0], radius: 0.1}}, material: c}"),
                           sets);
        brn_system *system = f.sim->system;
        const int n = system->ndof;
        double *v = calloc((size_t)n, sizeof *v);
        double *force = calloc((size_t)n, sizeof *force);
        assert_non_null(v);
        assert_non_null(force);
        for (int i = 0; i < n; i += 3) {
            v[i] = 1.0;
        }
        assert_done(f.ctx, brn_system_damping_update(system, &f.model->rest[0][0]));
        assert_done(f.ctx, brn_block_matrix_multiply(system->damping, v, force));
        double sum = 0.0;
        double left = 0.0; /* of the nodes of the first cell alone, at x = -2 */
        for (int i = 0; i < n; i += 3) {
            sum += force[i];
            left += f.model->rest[i / 3][0] < -1.5 ? force[i] : 0.0;
        }
        /* Cells of a, a, b, c: 1000 kg each at 2, 2; 3000 kg at 5; 500 kg undamped. */
        assert_near(sum, 2.0 * 1000.0 + 2.0 * 1000.0 + 5.0 * 3000.0, 1e-8);
        if (k != 2) {
            assert_near(left, 0.5 * 2.0 * 1000.0, 1e-9); /* half a cell's mass times its own alpha */
        }
        free(v);
        free(force);
        flow_close(&f);
    }
}

/* A body whose parts are of equal materials under two names moves as one of a single material. */
static void test_equal_parts(void **state)
{
    (void)state;
    static const char *const parts[2] = {"[]",
                                         "[{where: {box: {min: [0, -1, -1], max: [9, 1, 1]}}, material: c}]"};
    double tip[2][3];
    for (int i = 0; i < 2; ++i) {
        char sets[256];
        (void)snprintf(
            sets, sizeof sets,
            "materials.c={type: neo_hookean, young: 1e6, poisson: 0.3, density: 1000, damping: {alpha: 2}};"
            "gravity=[0, 0, -9.81];bodies.bar.materials=%s",
            parts[i]);
        flow f = flow_open(1,
                           HEAD "bodies: [{name: bar, type: deformable, mesh: bar, material: a}]\n"
                                "fixed: [{body: bar, where: {face: -x}}]\n",
                           sets);
        brn_report report;
        for (int step = 0; step < 5; ++step) {
            assert_done(f.ctx, brn_sim_step(f.sim, &report));
        }
        memcpy(tip[i], &brn_sim_positions(f.sim)[3 * 4], sizeof tip[i]);
        flow_close(&f);
    }
    /* Elements are added in another order: rounding, and the tolerance of Newton. */
    for (int i = 0; i < 3; ++i) {
        assert_near(tip[1][i], tip[0][i], 1e-9);
    }
    assert_true(tip[0][2] < -0.5 - 1e-3); /* it did bend */
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *sets, *want;
    } cases[] = {
        {"bodies.bar.materials=[{where: {box: {min: [5, 0, 0], max: [6, 1, 1]}}, material: b}]",
         "bodies[0].materials[0].where: selects no element"},
        {"bodies.bar.materials=[{where: {group: pad}, material: b}]",
         "where.group = pad: the mesh has no group"},
        {"bodies.bar.materials=[{where: {group: +x}, material: b}]", "selects no element"},
        {"bodies.bar.materials=[{where: {group: +x}, material: d}]",
         "materials[0].material = d: no such material"},
        {"bodies.bar.materials=[{where: {}, material: b}]",
         "must have exactly one of box, sphere, group; found 0"},
        {"bodies.bar.materials=[{where: {face: +x}, material: b}]", "unknown key"},
        {"bodies.bar.materials=[{where: {group: +x}}]", "missing key 'material'"},
    };
    for (int i = 0; i < BRN_COUNT(cases); ++i) {
        flow f;
        assert_int_equal(flow_try(1, BAR(""), cases[i].sets, &f), BRN_ERR_SCENE);
        if (strstr(brn_scene_problem(f.scene, 0), cases[i].want) == NULL) {
            fail_msg("%s: found '%s', want '%s'", cases[i].sets, brn_scene_problem(f.scene, 0),
                     cases[i].want);
        }
        flow_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_last_entry_counts),
        cmocka_unit_test(test_regions_follow_the_body),
        cmocka_unit_test(test_damping_by_element),
        cmocka_unit_test(test_equal_parts),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
