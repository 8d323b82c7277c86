/* Method `sap`: soft bodies do not pass through themselves. */
#include "flow.h"

#include "contact/skin.h"
#include "geom/intersect.h"
#include "step/sim.h"

/* Edges and triangles of one body that meet, at the end of a run. */
static size_t meetings_of(const char *text, const char *sets)
{
    flow f = flow_open(2, text, sets);
    brn_skin *skin = NULL;
    brn_intersect *check = NULL;
    size_t count = 0;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    }
    assert_done(f.ctx, brn_skin_create(f.ctx, f.model, &skin));
    assert_done(f.ctx, brn_intersect_create(f.ctx, &check));
    const brn_body *body = &f.model->body[0];
    const brn_surface surface = {.dim = 3,
                                 .nnode = f.model->nnode,
                                 .pos = (const double(*)[3])brn_sim_positions(f.sim),
                                 .nedge = body->touch->nedge,
                                 .edge = (const int(*)[2])body->touch->edge,
                                 .ntri = body->touch->ntri,
                                 .tri = (const int(*)[3])body->touch->tri};
    assert_true(surface.nedge > 0 && surface.ntri > 0);
    assert_done(f.ctx, brn_intersect_surface(check, &surface, NULL, 0, &count));
    brn_intersect_destroy(check);
    brn_skin_destroy(skin);
    flow_close(&f);
    return count;
}

static const char ring[] =
    "brunt: 1\nmethod: {type: sap}\ngravity: [0, 0, 0]\ntime: {step: 0.01, end: 1}\n"
    "materials: {c: {type: neo_hookean, young: 1e6, poisson: 0.4, density: 1000, damping: {beta: 1e-3}}}\n"
    "meshes: {m: {torus: {major_radius: 0.1, minor_radius: 0.02, around: 32, across: 2, element: tet4}}}\n"
    "bodies:\n  - {name: ring, type: deformable, mesh: m, material: c}\n"
    "  - {name: left, type: static, shape: {box: {size: [0.02, 0.4, 0.1]}}, position: [-0.135, 0, 0],\n"
    "     motion: {table: [[0, 0, 0, 0], [0.8, 0.0895, 0, 0], [1, 0.0895, 0, 0]]}}\n"
    "  - {name: right, type: static, shape: {box: {size: [0.02, 0.4, 0.1]}}, position: [0.135, 0, 0],\n"
    "     motion: {table: [[0, 0, 0, 0], [0.8, -0.0895, 0, 0], [1, -0.0895, 0, 0]]}}\n"
    "contact: {friction: 0.3}\n";

/* How far the halves of the ring are beyond the plane between them, where the plates press them together [m]. */
static double halves_beyond(const char *sets)
{
    flow f = flow_open(2, ring, sets);
    double most = -INFINITY;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    }
    const double *x = brn_sim_positions(f.sim);
    for (int a = 0; a < f.model->body[0].node_count; ++a) {
        const double side = f.model->rest[a][0] < 0.0 ? -1.0 : 1.0;
        most = fabs(x[3 * a + 1]) < 0.05 ? fmax(most, -side * x[3 * a]) : most;
    }
    flow_close(&f);
    return most;
}

/* A ring is pressed flat between two plates, until its halves lie on each other: they stay on their sides, to the give of contact and
   to what the sides of a coarse tube leave between its vertices. */
static void test_ring(void **state)
{
    (void)state;
    const double apart = halves_beyond(NULL);
    const double through = halves_beyond("contact.self=false");
    print_message("halves beyond their plane: %g mm, without self-contact %g mm\n", 1e3 * apart,
                  1e3 * through);
    assert_true(apart < 1e-5);
    assert_true(through > 1e-3);
}

/* One end of a ribbon is laid back onto the other: its halves lie on each other, and both on the floor. */
static void test_fold(void **state)
{
    (void)state;
    static const char text[] =
        "brunt: 1\nmethod: {type: sap}\ntime: {step: 0.01, end: 1.2}\n"
        "materials: {c: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 300, damping: {beta: 1e-3}}}\n"
        "meshes: {g: {grid: {size: [0.3, 0.04], cells: [30, 4]}}}\n"
        "bodies:\n  - {name: s, type: shell, mesh: g, material: c, thickness: 0.002, plate: hinge}\n"
        "  - {name: floor, type: static, shape: {plane: {}}, position: [0, 0, -0.001]}\n"
        "fixed:\n  - {body: s, where: {face: -x}}\n"
        "  - {body: s, where: {face: +x}, motion: {table: [[0, 0, 0, 0], [0.4, -0.15, 0, 0.08], [0.8, -0.29, "
        "0, "
        "0.003],\n"
        "     [1.2, -0.29, 0, 0.003]]}}\n";
    assert_int_equal(meetings_of(text, NULL), 0);
    assert_true(meetings_of(text, "contact.self=false") > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ring), cmocka_unit_test(test_fold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
