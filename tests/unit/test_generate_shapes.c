/* The generators of single shapes: hexahedron, sector, torus, wedge, lathe, quarter_ball. */
#include "mesh_fixture.h"

static const char *const elements[] = {"tet4", "tet10", "hex8", "hex20"};

static void test_hexahedron(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    /* A frustum of a pyramid, sides 2 and 1, height 3: volume h/3 (A + B + sqrt(A B)) = 7. */
    double corner[8][3] = {{-1, -1, 0},       {1, -1, 0},       {1, 1, 0},       {-1, 1, 0},
                           {-0.5, -0.5, 3.0}, {0.5, -0.5, 3.0}, {0.5, 0.5, 3.0}, {-0.5, 0.5, 3.0}};
    recipe r = {.generator = "hexahedron",
                .cells = {2, 3, 4},
                .ncells = 3,
                .rows = "corners",
                .points = {8, 3, &corner[0][0]}};
    for (int e = 0; e < 4; ++e) {
        r.element = elements[e];
        r.ncells = 3;
        brn_mesh *mesh = recipe_mesh(ctx, &r);
        assert_near(check_solid(mesh, "pyramid").volume, 7.0, 1e-13);
        assert_int_equal(brn_mesh_cell_total(mesh), 24 * (e < 2 ? 5 : 1));
        const brn_group *top = brn_mesh_find_group(mesh, "+z");
        assert_non_null(top);
        for (int i = 0; i < top->nnode; ++i) {
            assert_near(mesh->pos[top->node[i]][2], 3.0, 1e-15);
        }
        brn_mesh_destroy(mesh);
        /* One cell keeps the corners to the last bit, in order. */
        r.ncells = 0;
        mesh = recipe_mesh(ctx, &r);
        (void)check_solid(mesh, "one cell");
        const int order[8] = {0, 1, 3, 2, 4, 5, 7, 6}; /* lattice order */
        for (int i = 0; i < 8; ++i) {
            assert_memory_equal(mesh->pos[i], corner[order[i]], sizeof corner[0]);
        }
        brn_mesh_destroy(mesh);
    }
    r.points.rows = 7;
    refuse(ctx, r, BRN_ERR_RANGE, "corners: needs 8 points, got 7");
    r.points.rows = 8;
    corner[3][1] = NAN;
    refuse(ctx, r, BRN_ERR_RANGE, "hexahedron.corners = ");
    corner[3][1] = 1.0;
    r.ncells = 3;
    r.cells[0] = r.cells[1] = r.cells[2] = 1000;
    refuse(ctx, r, BRN_ERR_RANGE, "hexahedron.cells: gives");
    brn_ctx_destroy(ctx);
}

static recipe sector_recipe(const char *element, double from, double to, int around)
{
    return (recipe){
        .generator = "sector",
        .element = element,
        .cells = {2, around, 3},
        .ncells = 3,
        .number = {{"inner_radius", 1.0}, {"outer_radius", 1.5}, {"width", 0.7}, {"from", from}, {"to", to}}};
}

/* Every node of the group is at this distance from the z axis. */
static void check_radius(const brn_mesh *mesh, const char *group, double radius)
{
    const brn_group *g = brn_mesh_find_group(mesh, group);
    assert_non_null(g);
    assert_true(g->nnode > 0);
    for (int i = 0; i < g->nnode; ++i) {
        const double *x = mesh->pos[g->node[i]];
        assert_near(hypot(x[0], x[1]), radius, 1e-15);
    }
}

static void test_sector(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    const double spans[][2] = {{0, 90}, {-30, 170}, {0, 360}, {-180, 180}};
    for (int e = 0; e < 4; ++e) {
        for (int s = 0; s < 4; ++s) {
            const double span = spans[s][1] - spans[s][0];
            const double exact = 0.5 * (1.5 * 1.5 - 1.0) * 0.7 * span * (M_PI / 180.0);
            double error[2];
            for (int level = 0; level < 2; ++level) {
                const int around = 12 << level;
                const recipe r = sector_recipe(elements[e], spans[s][0], spans[s][1], around);
                brn_mesh *mesh = recipe_mesh(ctx, &r);
                error[level] = exact - check_solid(mesh, "sector").volume;
                check_radius(mesh, "inner", 1.0);
                check_radius(mesh, "outer", 1.5);
                assert_int_equal(brn_mesh_find_group(mesh, "to") == NULL, span == 360.0);
                assert_non_null(brn_mesh_find_group(mesh, "-z"));
                assert_int_equal(brn_mesh_cell_total(mesh), 6 * around * (e < 2 ? 5 : 1));
                if (e == 0) {
                    assert_int_equal(mesh->nnode, 12 * (around + (span < 360.0)));
                }
                brn_mesh_destroy(mesh);
            }
            /* Chords of the two circles: order 2; parabolas: 4. */
            assert_near(log2(error[0] / error[1]), e % 2 == 0 ? 2.0 : 4.0, 0.05);
        }
    }
    refuse(ctx, sector_recipe("tet4", 0, 360, 7), BRN_ERR_RANGE, "needs an even number around, got 7");
    refuse(ctx, sector_recipe("hex8", 0, 360, 2), BRN_ERR_RANGE, "too few, at least 3");
    refuse(ctx, sector_recipe("hex8", 10, 10, 4), BRN_ERR_RANGE, "sector.to = 10");
    refuse(ctx, sector_recipe("hex8", -10, 360, 4), BRN_ERR_RANGE, "sector.to = 360");
    refuse(ctx, sector_recipe("hex8", 0, NAN, 4), BRN_ERR_RANGE, "sector.to = ");
    recipe r = sector_recipe("hex8", 0, 90, 4);
    r.number[1].value = 1.0;
    refuse(ctx, r, BRN_ERR_RANGE, "outer_radius = 1: must be more than inner_radius");
    r = sector_recipe("hex8", 0, 90, 50000000);
    refuse(ctx, r, BRN_ERR_RANGE, "sector.cells: gives");
    /* Seven hexahedra close a ring, where tets could not. */
    r = sector_recipe("hex8", 0, 360, 7);
    brn_mesh *mesh = recipe_mesh(ctx, &r);
    (void)check_solid(mesh, "heptagon");
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

static recipe torus_recipe(const char *element, double straight, int around, int across)
{
    return (recipe){.generator = "torus",
                    .element = element,
                    .number = {{"major_radius", 1.0},
                               {"minor_radius", 0.3},
                               {"straight", straight},
                               {"around", around},
                               {"across", across}}};
}

static void test_torus(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    for (int e = 0; e < 4; ++e) {
        for (int oval = 0; oval < 2; ++oval) {
            const double straight = oval ? 1.5 : 0.0;
            const double exact = M_PI * 0.09 * (2.0 * M_PI + 2.0 * straight);
            double error[2];
            for (int level = 0; level < 2; ++level) {
                const recipe r = torus_recipe(elements[e], straight, 24 << level, 4 << level);
                brn_mesh *mesh = recipe_mesh(ctx, &r);
                const brn_mesh_quality quality = check_solid(mesh, "ring");
                error[level] = exact - quality.volume;
                print_message("torus %s: %d cells, worst quality %.3f, volume error %.2e\n", elements[e],
                              brn_mesh_cell_total(mesh), quality.worst, error[level] / exact);
                assert_true(quality.worst > (e < 2 ? 0.3 : 0.5));
                /* Boundary nodes = group = those at minor_radius from the centre line. */
                brn_boundary *b = NULL;
                assert_done(ctx, brn_boundary_create(mesh, &b));
                const brn_group *surface = brn_mesh_find_group(mesh, "surface");
                assert_int_equal(surface->nnode, b->nnode);
                assert_memory_equal(surface->node, b->node, (size_t)b->nnode * sizeof(int));
                assert_int_equal(b->nnode - b->nedge + b->ntri, 0); /* Euler: a torus */
                for (int i = 0; i < b->nnode; ++i) {
                    const double *x = mesh->pos[b->node[i]];
                    const double beyond = fmax(fabs(x[0]) - 0.5 * straight, 0.0);
                    assert_near(hypot(hypot(beyond, x[1]) - 1.0, x[2]), 0.3, 1e-15);
                }
                brn_boundary_destroy(b);
                brn_mesh_destroy(mesh);
            }
            /* Straight parts of other proportions than the bends at the two levels would blur the order. */
            if (!oval) {
                const double order = log2(fabs(error[0] / error[1]));
                print_message("  order %.3f\n", order);
                assert_near(order, e % 2 == 0 ? 2.0 : 4.0, e % 2 == 0 ? 0.1 : 0.3);
            }
        }
        /* Every number of cells across, odd ones and those without a shell too. */
        for (int across = e % 2 == 0 ? 2 : 4; across <= 12; ++across) {
            const recipe r = torus_recipe(elements[e], across % 3 * 0.2, 6 * across, across);
            brn_mesh *mesh = recipe_mesh(ctx, &r);
            assert_true(check_solid(mesh, "ring").worst > 0.15);
            brn_mesh_destroy(mesh);
        }
    }
    refuse(ctx, torus_recipe("tet4", 0, 7, 2), BRN_ERR_RANGE, "torus.around = 7: must be even");
    refuse(ctx, torus_recipe("tet10", 0, 8, 3), BRN_ERR_RANGE, "torus.across = 3: tet10 needs at least 4");
    refuse(ctx, torus_recipe("hex8", 0, 50000000, 4), BRN_ERR_RANGE, "torus.around: gives");
    refuse(ctx, torus_recipe("hex8", -1, 8, 4), BRN_ERR_RANGE, "torus.straight = -1");
    refuse(ctx, torus_recipe("tet10", 0, 6, 4), BRN_ERR_RANGE,
           "torus.around: curved cells are too few for their width");
    recipe r = torus_recipe("hex8", 0, 8, 4);
    r.number[1].value = 1.0;
    refuse(ctx, r, BRN_ERR_RANGE, "minor_radius = 1: must be less than major_radius");
    brn_ctx_destroy(ctx);
}

static void test_wedge(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    for (int e = 0; e < 2; ++e) {
        for (int across = 1; across <= 4; ++across) {
            for (int along = 1; along <= 5; along += 2) {
                const recipe r = {.generator = "wedge",
                                  .element = elements[e],
                                  .size = {2.0, 0.5, 0.8},
                                  .nsize = 3,
                                  .number = {{"along", along}, {"across", across}}};
                brn_mesh *mesh = recipe_mesh(ctx, &r);
                assert_near(check_solid(mesh, "wedge").volume, 0.4, 1e-14);
                assert_int_equal(brn_mesh_cell_total(mesh), 3 * along * across * across);
                const brn_group *edge = brn_mesh_find_group(mesh, "edge");
                assert_int_equal(edge->nnode, along * (e + 1) + 1);
                for (int i = 0; i < edge->nnode; ++i) {
                    assert_near(mesh->pos[edge->node[i]][1], 0.0, 0.0);
                    assert_near(mesh->pos[edge->node[i]][2], 0.4, 0.0);
                }
                if (e == 0) {
                    const int section = (across + 1) * (across + 2) / 2;
                    assert_int_equal(group_size(mesh, "-x"), section);
                    assert_int_equal(group_size(mesh, "+x"), section);
                    assert_int_equal(group_size(mesh, "-z"), (across + 1) * (along + 1));
                    assert_int_equal(group_size(mesh, "+y"), (across + 1) * (along + 1));
                }
                brn_mesh_destroy(mesh);
            }
        }
    }
    recipe r = {.generator = "wedge", .size = {1, 1, 1}, .nsize = 2};
    refuse(ctx, r, BRN_ERR_RANGE, "wedge.size: needs 3 numbers");
    r.nsize = 3;
    r.number[0].name = "across";
    r.number[0].value = 10000;
    refuse(ctx, r, BRN_ERR_RANGE, "wedge.along: gives");
    r.size[1] = -1.0;
    refuse(ctx, r, BRN_ERR_RANGE, "wedge.size = -1");
    brn_ctx_destroy(ctx);
}

/* Sums of a surface of triangles: area vector (0 if it is closed), volume inside, true area. */
typedef struct sums {
    double vector[3], volume, area;
} sums;

static sums surface_sums(const brn_mesh *mesh)
{
    sums all = {{0}, 0, 0};
    for (int t = 0; t < mesh->ncell[BRN_TRI3]; ++t) {
        double one[3] = {0};
        face_integrals(mesh, BRN_TRI3, mesh->cell[BRN_TRI3] + 3 * t, one, &all.volume);
        all.area += sqrt(one[0] * one[0] + one[1] * one[1] + one[2] * one[2]);
        for (int k = 0; k < 3; ++k) {
            all.vector[k] += one[k];
        }
    }
    return all;
}

static recipe lathe_recipe(double (*points)[2], int n, int segments, double resolution)
{
    return (recipe){.generator = "lathe",
                    .rows = "profile",
                    .points = {n, 2, &points[0][0]},
                    .number = {{"segments", segments}},
                    .resolution = resolution};
}

static void test_lathe(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    enum { SEGMENTS = 24 };
    /* A prism about a polygon of so many sides: its area relative to the circle's. */
    const double polygon = 0.5 * SEGMENTS * sin(2.0 * M_PI / SEGMENTS);
    /* An open funnel: tube and cone. */
    double funnel[][2] = {{0.2, -1.0}, {0.2, 0.0}, {1.0, 0.5}};
    recipe r = lathe_recipe(funnel, 3, SEGMENTS, 0.25);
    brn_mesh *mesh = recipe_mesh(ctx, &r);
    assert_done(ctx, brn_mesh_check(mesh, "funnel"));
    assert_int_equal(mesh->ncell[BRN_TRI3], 2 * SEGMENTS * (4 + 4));
    assert_int_equal(mesh->nnode, SEGMENTS * 9);
    assert_int_equal(group_size(mesh, "start"), SEGMENTS);
    check_radius(mesh, "end", 1.0);
    /* The area vector is that of its two openings: out of the lower one, into the upper one. */
    assert_near(surface_sums(mesh).vector[2], polygon * (0.04 - 1.0), 1e-14);
    brn_boundary *b = NULL;
    assert_done(ctx, brn_boundary_of_surface(mesh, &b));
    assert_int_equal(b->ntri, mesh->ncell[BRN_TRI3]);
    assert_int_equal(b->nnode - b->nedge + b->ntri, 0); /* Euler: an open tube */
    brn_boundary_destroy(b);
    brn_mesh_destroy(mesh);
    /* A closed double cone, tips on the axis: outwards, V = pi r^2 h / 3. */
    double cone[][2] = {{0.0, -1.0}, {1.0, 0.0}, {0.0, 2.0}};
    for (int fine = 0; fine < 2; ++fine) {
        r = lathe_recipe(cone, 3, SEGMENTS, fine ? 0.3 : 0.0);
        mesh = recipe_mesh(ctx, &r);
        assert_done(ctx, brn_mesh_check(mesh, "cone"));
        const sums all = surface_sums(mesh);
        assert_near(all.volume, polygon * 3.0 / 3.0, 1e-13);
        assert_near(hypot(all.vector[0], hypot(all.vector[1], all.vector[2])), 0.0, 1e-13);
        assert_int_equal(group_size(mesh, "end"), 1);
        brn_mesh_destroy(mesh);
    }
    /* A closed line: a tube of square section, counter-clockwise in (r, z): outwards; odd number of segments. */
    double ring[][2] = {{1.0, 0.0}, {2.0, 0.0}, {2.0, 1.0}, {1.0, 1.0}, {1.0, 0.0}};
    r = lathe_recipe(ring, 5, 7, 0.0);
    mesh = recipe_mesh(ctx, &r);
    assert_int_equal(mesh->nnode, 4 * 7);
    assert_int_equal(mesh->ncell[BRN_TRI3], 8 * 7);
    assert_near(surface_sums(mesh).volume, 0.5 * 7 * sin(2.0 * M_PI / 7) * 3.0, 1e-13);
    assert_null(brn_mesh_find_group(mesh, "start"));
    assert_done(ctx, brn_boundary_create(mesh, &b));
    assert_int_equal(2 * b->nedge, 3 * b->ntri);
    brn_boundary_destroy(b);
    brn_mesh_destroy(mesh);
    double wrong[][2] = {{0.5, 0.0}, {0.0, 0.5}, {1.0, 1.0}};
    refuse(ctx, lathe_recipe(wrong, 3, 8, 0.0), BRN_ERR_RANGE, "lathe.profile[1]: r = 0 must be > 0");
    wrong[1][0] = -1.0;
    refuse(ctx, lathe_recipe(wrong, 2, 8, 0.0), BRN_ERR_RANGE, "lathe.profile[1]: r = -1 must be >= 0");
    wrong[1][0] = 0.5;
    wrong[1][1] = 0.0;
    refuse(ctx, lathe_recipe(wrong, 3, 8, 0.0), BRN_ERR_RANGE, "profile[1]: the same point");
    refuse(ctx, lathe_recipe(wrong, 1, 8, 0.0), BRN_ERR_RANGE, "at least 2 points");
    double axis[][2] = {{0.0, 0.0}, {0.0, 1.0}};
    refuse(ctx, lathe_recipe(axis, 2, 8, 0.0), BRN_ERR_RANGE, "lies on the axis");
    double back[][2] = {{1.0, 0.0}, {1.0, 1.0}, {1.0, 0.0}};
    refuse(ctx, lathe_recipe(back, 3, 8, 0.0), BRN_ERR_RANGE, "a closed line needs 4 points");
    refuse(ctx, lathe_recipe(funnel, 3, 8, 1e-9), BRN_ERR_RANGE, "lathe.resolution: gives");
    refuse(ctx, lathe_recipe(funnel, 3, 2, 0.0), BRN_ERR_RANGE, "lathe.segments = 2");
    funnel[2][1] = INFINITY;
    refuse(ctx, lathe_recipe(funnel, 3, 8, 0.0), BRN_ERR_RANGE, "lathe.profile = inf");
    brn_ctx_destroy(ctx);
}

static recipe quarter_recipe(const char *element, double core, int cells, int layers)
{
    return (recipe){.generator = "quarter_ball",
                    .element = element,
                    .radius = 2.0,
                    .number = {{"core", core}, {"cells", cells}, {"layers", layers}}};
}

/* The greatest |value| of a coordinate over a group. */
static double furthest(const brn_mesh *mesh, const char *group, int axis)
{
    const brn_group *g = brn_mesh_find_group(mesh, group);
    double most = 0.0;
    assert_non_null(g);
    assert_true(g->nnode > 3);
    for (int i = 0; i < g->nnode; ++i) {
        most = fmax(most, fabs(mesh->pos[g->node[i]][axis]));
    }
    return most;
}

static void test_quarter_ball(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    const double exact = M_PI / 6.0 * 8.0; /* an eighth of a ball */
    for (int e = 0; e < 4; ++e) {
        double error[2];
        for (int level = 0; level < 2; ++level) {
            const int n = 3 << level;
            const recipe r = quarter_recipe(elements[e], 0.1, n, 4 * n);
            brn_mesh *mesh = recipe_mesh(ctx, &r);
            error[level] = exact - check_solid(mesh, "quarter ball").volume;
            assert_int_equal(brn_mesh_cell_total(mesh), (n * n * n + 3 * n * n * 4 * n) * (e < 2 ? 5 : 1));
            assert_true(furthest(mesh, "-x", 0) == 0.0 && furthest(mesh, "-y", 1) == 0.0);
            assert_true(furthest(mesh, "equator", 2) == 0.0);
            const brn_group *surface = brn_mesh_find_group(mesh, "surface");
            for (int i = 0; i < surface->nnode; ++i) {
                const double *x = mesh->pos[surface->node[i]];
                assert_near(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), 2.0, 1e-14);
            }
            /* The first node is the lowest point, and cells there are a part of the core. */
            assert_near(mesh->pos[0][2], -2.0, 1e-14);
            const double *next = mesh->pos[1];
            assert_near(hypot(next[0], next[1]), 0.1 / n, 0.3 * 0.1 / n);
            brn_mesh_quality quality;
            brn_mesh_measure(mesh, &quality);
            assert_true(quality.worst > 0.2); /* the ball's corner with the equator is the worst place */
            brn_mesh_destroy(mesh);
        }
        /* Chords of the sphere: order 2; parabolas: 4. */
        assert_near(log2(error[0] / error[1]), e % 2 == 0 ? 2.0 : 4.0, 0.3);
    }
    /* Layers as thick as wide: n ln(2 R / core). */
    recipe r = quarter_recipe("hex8", 0.2, 4, 0);
    brn_mesh *mesh = recipe_mesh(ctx, &r);
    assert_int_equal(brn_mesh_cell_total(mesh), 64 + 3 * 16 * 12);
    brn_mesh_destroy(mesh);
    refuse(ctx, quarter_recipe("hex8", 2.0, 4, 0), BRN_ERR_RANGE, "core = 2: must be less than radius");
    refuse(ctx, quarter_recipe("hex8", NAN, 4, 0), BRN_ERR_RANGE, "core = ");
    refuse(ctx, quarter_recipe("hex8", 0.1, 5000, 0), BRN_ERR_RANGE, "quarter_ball.cells: gives");
    brn_ctx_destroy(ctx);
}

static brn_status make_one(brn_ctx *ctx, const void *arg)
{
    brn_mesh *mesh = NULL;
    const brn_status status = recipe_make(ctx, arg, &mesh);
    assert_true((status >= 0) == (mesh != NULL));
    brn_mesh_destroy(mesh);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    double corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                           {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    double line[][2] = {{0.0, 0.0}, {1.0, 1.0}};
    const recipe recipes[] = {
        {.generator = "hexahedron", .element = "tet10", .rows = "corners", .points = {8, 3, &corner[0][0]}},
        sector_recipe("tet10", 0, 360, 16),
        torus_recipe("hex20", 0.5, 16, 4),
        {.generator = "wedge", .element = "tet10", .size = {1, 1, 1}, .nsize = 3},
        lathe_recipe(line, 2, 8, 0.5),
        quarter_recipe("tet10", 0.5, 2, 3),
    };
    for (int i = 0; i < BRN_COUNT(recipes); ++i) {
        assert_true(fail_each_allocation(make_one, &recipes[i]) >= 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hexahedron),
        cmocka_unit_test(test_sector),
        cmocka_unit_test(test_torus),
        cmocka_unit_test(test_wedge),
        cmocka_unit_test(test_lathe),
        cmocka_unit_test(test_quarter_ball),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
