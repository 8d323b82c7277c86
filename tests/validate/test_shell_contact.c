/* Shells in contact by ipc: a sheet on a ball, a sheet that is thicker than its mesh is fine, a ribbon folded onto itself;
   springs; follower pressure. */
#include "flow.h"

#include "model/model.h"
#include "step/sim.h"

/* A sheet falls onto a ball and a floor: nothing intersects, and nothing is nearer than the half thickness and the radius. */
static void test_ball(void **state)
{
    (void)state;
    flow f = flow_open(
        2,
        "brunt: 1\nmethod: {type: ipc, dhat: 2e-3}\ntime: {step: 0.01, end: 0.4}\ncontact: {friction: 0.3}\n"
        "materials: {c: {type: stvk, young: 1e5, poisson: 0.3, density: 200, damping: {beta: 1e-3}}}\n"
        "meshes: {g: {grid: {size: [0.4, 0.4], cells: [12, 12]}}}\n"
        "bodies:\n  - {name: sheet, type: shell, mesh: g, material: c, thickness: 2e-3, plate: hinge, "
        "position: [0.01, 0.02, 0.115]}\n"
        "  - {name: ball, type: static, shape: {sphere: {radius: 0.1}}}\n"
        "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}, position: [0, 0, -0.1]}\n",
        NULL);
    const double *x = NULL;
    int contacts = 0;
    for (int n = 0; n < 30; ++n) {
        brn_report r;
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        assert_int_equal(r.intersections, 0);
        assert_int_equal(r.inversions, 0);
        assert_true(r.gap_min > 0.0);
        contacts = r.contacts > contacts ? r.contacts : contacts;
        x = f.sim->state->node_pos;
        for (int a = 0; a < f.model->body[0].node_count; ++a) {
            const double *p = &x[3 * a];
            assert_true(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) > 0.101);
            assert_true(p[2] > -0.099);
        }
    }
    assert_true(contacts > 20);
    /* It hangs over the ball: its middle on top, its corners far below. */
    double lowest = 1.0;
    for (int a = 0; a < f.model->body[0].node_count; ++a) {
        lowest = fmin(lowest, x[3 * a + 2]);
    }
    assert_true(lowest < 0.05);
    flow_close(&f);
}

/* A sheet four times as thick as its cells are wide feels nothing of itself while it is flat, and bends freely. */
static void test_thick_at_rest(void **state)
{
    (void)state;
    flow f = flow_open(
        1,
        "brunt: 1\nmethod: {type: ipc, dhat: 1e-3}\ntime: {step: 0.01, end: 0.1}\ngravity: [0, 0, 0]\n"
        "materials: {c: {type: stvk, young: 1e5, poisson: 0.3}}\n"
        "meshes: {g: {grid: {size: [0.1, 0.05], cells: [10, 5]}}}\n"
        "bodies: [{name: s, type: shell, mesh: g, material: c, thickness: 0.04, plate: hinge}]\n",
        NULL);
    for (int n = 0; n < 5; ++n) {
        brn_report r;
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        assert_int_equal(r.contacts, 0);
        for (int i = 0; i < 3 * f.model->nnode; ++i) {
            assert_near(f.sim->state->node_pos[i], (&f.model->rest[0][0])[i], 1e-14);
        }
    }
    flow_close(&f);
}

/* A ribbon whose ends are brought together: where they lie on each other they stay a thickness apart, though that is more than
   a cell is wide. */
static void test_fold(void **state)
{
    (void)state;
    const double thickness = 0.008;
    flow f = flow_open(
        2,
        "brunt: 1\nmethod: {type: ipc, dhat: 1e-3}\ngravity: [0, 0, 0]\ntime: {step: 0.02, end: 1}\n"
        "materials: {c: {type: stvk, young: 1e5, poisson: 0.3, density: 300, damping: {beta: 1e-2}}}\n"
        "meshes: {g: {grid: {size: [0.15, 0.02], cells: [30, 4]}}}\n"
        "bodies: [{name: s, type: shell, mesh: g, material: c, thickness: 0.008, plate: hinge, bending: "
        "0.01}]\n"
        "fixed:\n  - {body: s, where: {face: -x}}\n"
        "  - {body: s, where: {face: +x}, motion: {table: [[0, 0, 0, 0], [0.5, -0.075, 0, 0.05], [1, -0.15, "
        "0, "
        "0.0086]]}}\n",
        NULL);
    brn_report r = {0};
    for (int n = 0; n < 50; ++n) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        assert_int_equal(r.intersections, 0);
    }
    assert_true(r.contacts > 10);
    assert_true(r.gap_min > 0.0);
    /* Nodes that are further along the ribbon than twice its thickness. */
    const double *x = f.sim->state->node_pos;
    for (int a = 0; a < f.model->nnode; ++a) {
        for (int b = 0; b < a; ++b) {
            if (fabs(f.model->rest[a][0] - f.model->rest[b][0]) > 2.0 * thickness) {
                const double d[3] = {x[3 * a] - x[3 * b], x[3 * a + 1] - x[3 * b + 1],
                                     x[3 * a + 2] - x[3 * b + 2]};
                assert_true(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) > thickness);
            }
        }
    }
    flow_close(&f);
}

/* A stiff plate hangs on springs from a block: m g = n k (l - l0), in none and ipc. */
static void test_springs(void **state)
{
    (void)state;
    static const char *const methods[] = {"none", "ipc"};
    for (int m = 0; m < 2; ++m) {
        char text[2048];
        (void)snprintf(text, sizeof text,
                       "brunt: 1\nmethod: %s\ntime: {step: 0.05, end: 10}\n"
                       "materials: {c: {type: stvk, young: 1e9, poisson: 0.3, density: 1000}}\n"
                       "meshes: {p: {box: {size: [1, 1, 0.1], cells: [1, 1, 1], element: hex8}}}\n"
                       "bodies:\n  - {name: plate, type: deformable, mesh: p, material: c}\n"
                       "  - {name: roof, type: static, mesh: p, position: [0, 0, 1]}\n"
                       "springs: [{body: plate, where: {face: +z}, to: roof, at: {face: -z}, stiffness: 1e4, "
                       "damping: 2e3}]\n",
                       methods[m]);
        flow f = flow_open(1, text, NULL);
        for (int n = 0; n < 100; ++n) {
            assert_done(f.ctx, brn_sim_step(f.sim, NULL));
        }
        for (int a = 0; a < 4; ++a) {
            const double sink = f.sim->state->node_pos[3 * a + 2] - f.model->rest[a][2];
            /* the plate itself gives way by less than its weight over its modulus, 1e-6 m */
            assert_near(sink, -100.0 * 9.81 / 4e4, 5e-6);
        }
        flow_close(&f);
    }
}

/* A sphere under pressure from inside, and the same one turned inside out: with the thin wall's stress p R / (2 t) it grows
   by (1 - nu) p R^2 / (2 E t). */
static void test_pressure(void **state)
{
    (void)state;
    const double radius = 0.1, p = 10.0, wall = 1e-3, young = 1e6, nu = 0.3;
    for (int sign = -1; sign <= 1; sign += 2) {
        char text[2048];
        (void)snprintf(
            text, sizeof text,
            "brunt: 1\nmethod: none\nintegrator: static\ngravity: [0, 0, 0]\ntime: {step: 1, end: 1}\n"
            "materials: {r: {type: stvk, young: 1e6, poisson: 0.3}}\n"
            "meshes: {s: {icosphere: {radius: 0.1, subdivisions: 3}}}\n"
            "bodies: [{name: b, type: shell, mesh: s, material: r, thickness: 1e-3, bending: 0}]\n"
            "fixed:\n  - {body: b, where: {nearest: [0, 0, -0.1]}}\n"
            "  - {body: b, where: {nearest: [0, 0, 0.1]}, axes: xy}\n"
            "  - {body: b, where: {nearest: [0.1, 0, 0]}, axes: y}\n"
            "loads: [{body: b, where: {all: true}, pressure: %g}]\n",
            -sign * p);
        flow f = flow_open(1, text, NULL);
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
        double volume[2] = {0.0, 0.0};
        const brn_boundary *surface = f.model->body[0].boundary;
        for (int t = 0; t < surface->ntri; ++t) {
            const int *n = surface->tri[t];
            for (int now = 0; now < 2; ++now) {
                const double *all = now ? f.sim->state->node_pos : &f.model->rest[0][0];
                const double *a = &all[3 * n[0]], *b = &all[3 * n[1]], *c = &all[3 * n[2]];
                volume[now] += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                                a[2] * (b[0] * c[1] - b[1] * c[0])) /
                               6.0;
            }
        }
        /* The volume grows three times as much; the mesh of 1280 triangles is 1 % smaller than the sphere. */
        const double grown = (volume[1] / volume[0] - 1.0) / 3.0;
        assert_near(grown, sign * (1.0 - nu) * p * radius / (2.0 * young * wall), 0.02 * fabs(grown));
        flow_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball),    cmocka_unit_test(test_thick_at_rest), cmocka_unit_test(test_fold),
        cmocka_unit_test(test_springs), cmocka_unit_test(test_pressure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
