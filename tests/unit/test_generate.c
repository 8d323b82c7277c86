#include "mesh_fixture.h"

static bool is_quadratic(const char *element)
{
    return strcmp(element, "tet10") == 0 || strcmp(element, "hex20") == 0 || strcmp(element, "tri6") == 0;
}

static void test_box(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    const char *elements[] = {"tet4", "tet10", "hex8", "hex20"};
    const int cells[][3] = {{1, 1, 1}, {2, 3, 4}, {5, 1, 2}, {6, 6, 6}};
    for (int e = 0; e < 4; ++e) {
        for (int c = 0; c < 4; ++c) {
            const int *n = cells[c];
            const recipe r = {.generator = "box",
                              .element = elements[e],
                              .size = {0.3, 2.0, 1.0},
                              .nsize = 3,
                              .cells = {n[0], n[1], n[2]},
                              .ncells = 3};
            brn_mesh *mesh = recipe_mesh(ctx, &r);
            const brn_mesh_quality quality = check_solid(mesh, "box");
            assert_near(quality.volume, 0.6, 1e-14);
            const int total = n[0] * n[1] * n[2] * (e < 2 ? 5 : 1);
            assert_int_equal(brn_mesh_cell_total(mesh), total);
            assert_int_equal(mesh->ncell[brn_cell_find(elements[e])], total);
            /* Groups hold exactly the nodes on their side. */
            const char *names[] = {"-x", "+x", "-y", "+y", "-z", "+z"};
            for (int g = 0; g < 6; ++g) {
                int on = 0;
                for (int i = 0; i < mesh->nnode; ++i) {
                    on += mesh->pos[i][g / 2] == (g % 2 ? 0.5 : -0.5) * r.size[g / 2];
                }
                assert_int_equal(group_size(mesh, names[g]), on);
                assert_true(on > 0);
            }
            if (e == 2) {
                assert_near(quality.worst, 1.0, 1e-12);
            }
            brn_mesh_destroy(mesh);
        }
    }
    /* Cubes: the tets of the five-split have quality 1 (inner) and 12 (1/2)^(2/3) / 9 (corners). */
    const recipe cube = {.generator = "box",
                         .element = "tet4",
                         .size = {1, 1, 1},
                         .nsize = 3,
                         .cells = {4, 4, 4},
                         .ncells = 3};
    brn_mesh *mesh = recipe_mesh(ctx, &cube);
    assert_near(check_solid(mesh, "cube").worst, 12.0 * pow(0.5, 2.0 / 3.0) / 9.0, 1e-12);
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

static void check_plane(brn_mesh *mesh, double area, double tolerance)
{
    assert_done(mesh->ctx, brn_mesh_check(mesh, "plane"));
    brn_mesh_quality quality;
    brn_mesh_measure(mesh, &quality);
    assert_near(quality.volume, area, tolerance);
    /* Area by the oriented (straight) boundary edges, solid on the left; they close. */
    brn_boundary *b = NULL;
    assert_done(mesh->ctx, brn_boundary_create(mesh, &b));
    double sum[2] = {0}, inside = 0.0;
    for (int e = 0; e < b->nedge; ++e) {
        const double *p = mesh->pos[b->edge[e][0]], *q = mesh->pos[b->edge[e][1]];
        sum[0] += q[0] - p[0];
        sum[1] += q[1] - p[1];
        inside += 0.5 * (p[0] * q[1] - p[1] * q[0]);
    }
    assert_near(hypot(sum[0], sum[1]), 0.0, 1e-13);
    assert_near(inside, area, tolerance);
    assert_int_equal(b->nedge, b->nnode); /* one closed curve */
    brn_boundary_destroy(b);
}

static void test_plane_lattices(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    const char *elements[] = {"tri3", "tri6"}, *patterns[] = {"alternating", "cross", "slash"};
    const int cells[][2] = {{1, 1}, {3, 2}, {8, 5}};
    for (int c = 0; c < 3; ++c) {
        for (int e = 0; e < 2; ++e) {
            const recipe r = {.generator = "box",
                              .element = elements[e],
                              .size = {2.0, 1.5},
                              .nsize = 2,
                              .cells = {cells[c][0], cells[c][1]},
                              .ncells = 2};
            brn_mesh *mesh = recipe_mesh(ctx, &r);
            check_plane(mesh, 3.0, 1e-14);
            assert_int_equal(group_size(mesh, "+y"), cells[c][0] * (e + 1) + 1);
            brn_mesh_destroy(mesh);
        }
        for (int k = 0; k < 3; ++k) {
            const recipe r = {.generator = "grid",
                              .pattern = patterns[k],
                              .size = {2.0, 1.5},
                              .nsize = 2,
                              .cells = {cells[c][0], cells[c][1]},
                              .ncells = 2};
            brn_mesh *mesh = recipe_mesh(ctx, &r);
            check_plane(mesh, 3.0, 1e-14);
            assert_int_equal(mesh->ncell[BRN_TRI3], (k == 1 ? 4 : 2) * cells[c][0] * cells[c][1]);
            assert_int_equal(group_size(mesh, "-x"), cells[c][1] + 1);
            brn_mesh_destroy(mesh);
        }
    }
    brn_ctx_destroy(ctx);
}

/* Error of the volume at two resolutions: its order, and quality throughout. */
static void check_round_solid(brn_ctx *ctx, recipe r, double exact, double worst_allowed)
{
    double error[2];
    const bool quadratic = is_quadratic(r.element);
    for (int level = 0; level < 2; ++level) {
        r.resolution = 1.35 / (4 << level); /* radius 1: 4 and 8 cells along the core */
        brn_mesh *mesh = recipe_mesh(ctx, &r);
        const brn_mesh_quality quality = check_solid(mesh, r.generator);
        error[level] = exact - quality.volume;
        print_message("%s %s: %d cells, worst quality %.3f, volume error %.2e\n", r.generator, r.element,
                      brn_mesh_cell_total(mesh), quality.worst, error[level] / exact);
        assert_true(quality.worst > worst_allowed);
        brn_mesh_destroy(mesh);
    }
    /* Inscribed straight faces: order 2; quadratic ones on the surface: 4. */
    const double order = log2(fabs(error[0] / error[1])), want = quadratic ? 4.0 : 2.0;
    print_message("  order %.3f\n", order);
    assert_near(order, want, 0.1);
}

static void test_sphere(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    const char *elements[] = {"tet4", "tet10", "hex8", "hex20"};
    for (int e = 0; e < 4; ++e) {
        check_round_solid(ctx, (recipe){.generator = "sphere", .element = elements[e], .radius = 1.0},
                          4.0 / 3.0 * M_PI, e < 2 ? 0.4 : 0.6);
        /* Coarse, and every count in between. */
        for (int n = 1; n <= 13; n += 2) {
            const recipe r = {
                .generator = "sphere", .element = elements[e], .radius = 0.02, .resolution = 0.027 / n};
            brn_mesh *mesh = recipe_mesh(ctx, &r);
            const brn_mesh_quality quality = check_solid(mesh, "ball");
            assert_true(quality.worst > (e < 2 ? 0.4 : 0.6));
            /* Boundary nodes = group = those on the sphere, to the last bits. */
            brn_boundary *b = NULL;
            assert_done(ctx, brn_boundary_create(mesh, &b));
            const brn_group *surface = brn_mesh_find_group(mesh, "surface");
            assert_int_equal(surface->nnode, b->nnode);
            assert_memory_equal(surface->node, b->node, (size_t)b->nnode * sizeof(int));
            for (int i = 0; i < b->nnode; ++i) {
                const double *x = mesh->pos[b->node[i]];
                assert_near(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), 0.02, 1e-17);
            }
            brn_boundary_destroy(b);
            brn_mesh_destroy(mesh);
        }
    }
    brn_ctx_destroy(ctx);
}

static void test_cylinder(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    const char *elements[] = {"tet4", "tet10", "hex8", "hex20"};
    for (int e = 0; e < 4; ++e) {
        check_round_solid(
            ctx, (recipe){.generator = "cylinder", .element = elements[e], .radius = 1.0, .height = 1.0},
            M_PI, e < 2 ? 0.4 : 0.6);
        const recipe r = {
            .generator = "cylinder", .element = elements[e], .radius = 0.5, .height = 0.1, .resolution = 0.2};
        brn_mesh *mesh = recipe_mesh(ctx, &r);
        check_solid(mesh, "coin");
        brn_boundary *b = NULL;
        assert_done(ctx, brn_boundary_create(mesh, &b));
        int side = 0, caps = 0, rim = 0;
        for (int i = 0; i < b->nnode; ++i) {
            const double *x = mesh->pos[b->node[i]];
            const bool on_side = fabs(hypot(x[0], x[1]) - 0.5) < 1e-15, on_cap = fabs(x[2]) == 0.05;
            assert_true(on_side || on_cap);
            side += on_side;
            caps += on_cap;
            rim += on_side && on_cap;
        }
        assert_int_equal(group_size(mesh, "side"), side);
        assert_int_equal(group_size(mesh, "-z") + group_size(mesh, "+z"), caps);
        assert_true(rim > 0);
        brn_boundary_destroy(b);
        brn_mesh_destroy(mesh);
    }
    brn_ctx_destroy(ctx);
}

static void test_disc(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    for (int e = 0; e < 2; ++e) {
        double error[2] = {0};
        for (int level = 0; level < 2; ++level) {
            const recipe r = {.generator = "disc",
                              .element = e ? "tri6" : "tri3",
                              .radius = 1.0,
                              .resolution = 0.1 / (1 + level)};
            brn_mesh *mesh = recipe_mesh(ctx, &r);
            assert_done(ctx, brn_mesh_check(mesh, "disc"));
            brn_mesh_quality quality;
            brn_mesh_measure(mesh, &quality);
            error[level] = M_PI - quality.volume;
            assert_true(quality.worst > 0.8);
            assert_int_equal(brn_mesh_cell_total(mesh), 600 << (2 * level));
            const brn_group *rim = brn_mesh_find_group(mesh, "rim");
            assert_int_equal(rim->nnode, (60 << level) << e);
            for (int i = 0; i < rim->nnode; ++i) {
                assert_near(hypot(mesh->pos[rim->node[i]][0], mesh->pos[rim->node[i]][1]), 1.0, 3e-16);
            }
            if (e == 0) { /* a polygon of that many sides */
                const int sides = 60 << level;
                check_plane(mesh, 0.5 * sides * sin(2.0 * M_PI / sides), 1e-13);
            }
            brn_mesh_destroy(mesh);
        }
        assert_near(log2(error[0] / error[1]), e ? 4.0 : 2.0, 0.02);
    }
    const recipe coarse = {.generator = "disc", .element = "tri6", .radius = 1.0, .resolution = 9.0};
    brn_mesh *mesh = recipe_mesh(ctx, &coarse);
    assert_int_equal(mesh->ncell[BRN_TRI6], 6);
    assert_done(ctx, brn_mesh_check(mesh, "hexagon"));
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

static void test_icosphere(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    double error[2] = {0};
    for (int f = 1; f <= 16; f += f < 4 ? 1 : 4) {
        /* 1.2 atan(2) / f gives f parts. */
        const recipe r = {.generator = "icosphere", .radius = 1.0, .resolution = 1.2 * atan(2.0) / f};
        brn_mesh *mesh = recipe_mesh(ctx, &r);
        assert_int_equal(mesh->ncell[BRN_TRI3], 20 * f * f);
        assert_done(ctx, brn_mesh_check(mesh, "icosphere"));
        double area[3] = {0}, volume = 0.0, longest = 0.0;
        for (int t = 0; t < mesh->ncell[BRN_TRI3]; ++t) {
            const int *node = mesh->cell[BRN_TRI3] + 3 * t;
            face_integrals(mesh, BRN_TRI3, node, area, &volume);
            for (int k = 0; k < 3; ++k) {
                const double *p = mesh->pos[node[k]], *q = mesh->pos[node[(k + 1) % 3]];
                longest =
                    fmax(longest, sqrt(pow(p[0] - q[0], 2) + pow(p[1] - q[1], 2) + pow(p[2] - q[2], 2)));
            }
        }
        assert_true(longest <= r.resolution);
        assert_near(fabs(area[0]) + fabs(area[1]) + fabs(area[2]), 0.0, 1e-12);
        assert_true(volume > 0.0);
        error[0] = error[1];
        error[1] = 4.0 / 3.0 * M_PI - volume;
        for (int i = 0; i < mesh->nnode; ++i) {
            const double *x = mesh->pos[i];
            assert_near(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), 1.0, 5e-16);
        }
        brn_mesh_quality quality;
        brn_mesh_measure(mesh, &quality);
        print_message("icosphere %d parts: worst quality %.3f, longest edge / resolution %.3f\n", f,
                      quality.worst, longest / r.resolution);
        assert_true(quality.worst > 0.88);
        brn_boundary *b = NULL;
        assert_done(ctx, brn_boundary_create(mesh, &b));
        assert_int_equal(b->ntri, 20 * f * f);
        assert_int_equal(b->nedge, 30 * f * f);
        assert_int_equal(b->nnode, 10 * f * f + 2); /* Euler: 2 */
        brn_boundary_destroy(b);
        brn_mesh_destroy(mesh);
    }
    assert_near(log(error[0] / error[1]) / log(16.0 / 12.0), 2.0, 0.05);
    const recipe thrice = {.generator = "icosphere", .radius = 1.0, .subdivisions = 2};
    brn_mesh *mesh = recipe_mesh(ctx, &thrice);
    assert_int_equal(mesh->ncell[BRN_TRI3], 320);
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

static void test_voxel(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    /* A ring with a tower on its corner: 8 + 1 cubes. */
    const char *layers[] = {"###/#.#/###", "000/000/100"};
    const char *elements[] = {"hex8", "hex20", "tet4", "tet10"};
    for (int e = 0; e < 4; ++e) {
        const recipe r = {
            .generator = "voxel", .element = elements[e], .cell = 0.1, .layers = layers, .nlayers = 2};
        brn_mesh *mesh = recipe_mesh(ctx, &r);
        const brn_mesh_quality quality = check_solid(mesh, "voxel");
        assert_near(quality.volume, 9e-3, 1e-16);
        assert_int_equal(brn_mesh_cell_total(mesh), e < 2 ? 9 : 45);
        if (e == 0) {
            assert_int_equal(mesh->nnode, 32 + 4);
            assert_int_equal(group_size(mesh, "-z"), 16);
            const brn_group *top = brn_mesh_find_group(mesh, "+z");
            assert_int_equal(top->nnode, 4);
            /* The last row of the picture has the smallest y. */
            for (int i = 0; i < 4; ++i) {
                assert_true(mesh->pos[top->node[i]][0] < 0.0 && mesh->pos[top->node[i]][1] < 0.0);
                assert_near(mesh->pos[top->node[i]][2], 0.1, 1e-17);
            }
        }
        brn_mesh_destroy(mesh);
    }
    brn_ctx_destroy(ctx);
}

static void test_grading(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    /* An axis graded to its end: sizes a geometric series with the given ratio. */
    double x[21];
    brn_grading_axis(2.0, 20, 1.0, 8.0, x);
    assert_near(x[0], -1.0, 0.0);
    assert_near(x[20], 1.0, 0.0);
    assert_near((x[1] - x[0]) / (x[20] - x[19]), 8.0, 1e-9);
    for (int i = 0; i < 19; ++i) {
        assert_near((x[i + 1] - x[i]) / (x[i + 2] - x[i + 1]), pow(8.0, 1.0 / 19.0), 1e-9);
    }
    /* To any point inside or beyond: ascending, and the cell at the point is the smallest. */
    const double points[] = {-5.0, -1.0, -0.7, 0.0, 0.2, 0.95};
    for (int k = 0; k < 6; ++k) {
        brn_grading_axis(2.0, 20, points[k], 20.0, x);
        double smallest = INFINITY, largest = 0.0, at = 0.0;
        for (int i = 0; i < 20; ++i) {
            assert_true(x[i + 1] > x[i]);
            largest = fmax(largest, x[i + 1] - x[i]);
            at = x[i + 1] - x[i] < smallest ? 0.5 * (x[i] + x[i + 1]) : at;
            smallest = fmin(smallest, x[i + 1] - x[i]);
        }
        assert_near(at, fmax(points[k], -1.0), smallest);
        assert_near(largest / smallest, 20.0, 2.0); /* a cell astride the point is up to 7 % larger */
    }
    /* Graded solids stay valid and exact. */
    const char *elements[] = {"tet4", "tet10", "hex8", "hex20"};
    for (int e = 0; e < 4; ++e) {
        const recipe box = {.generator = "box",
                            .element = elements[e],
                            .size = {1, 1, 1},
                            .nsize = 3,
                            .cells = {6, 5, 4},
                            .ncells = 3,
                            .ratio = 5.0,
                            .point = {0.1, -0.5, 0.5}};
        brn_mesh *mesh = recipe_mesh(ctx, &box);
        assert_near(check_solid(mesh, "graded box").volume, 1.0, 1e-14);
        brn_mesh_destroy(mesh);
        const double depth[] = {0.0, -0.3, -0.6, -0.9, -1.0, -2.0};
        for (int d = 0; d < 6; ++d) {
            const recipe ball = {.generator = "sphere",
                                 .element = elements[e],
                                 .radius = 1.0,
                                 .resolution = 0.15,
                                 .ratio = 8.0,
                                 .point = {0, 0, depth[d]}};
            mesh = recipe_mesh(ctx, &ball);
            const brn_mesh_quality quality = check_solid(mesh, "graded ball");
            print_message("graded ball %s at %g: worst quality %.3f, smallest edge %.4f\n", elements[e],
                          depth[d], quality.worst, quality.smallest_edge);
            assert_true(quality.worst > (e < 2 ? 0.1 : 0.3));
            const brn_group *surface = brn_mesh_find_group(mesh, "surface");
            for (int i = 0; i < surface->nnode; ++i) {
                const double *p = mesh->pos[surface->node[i]];
                assert_near(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), 1.0, 5e-16);
            }
            brn_mesh_destroy(mesh);
        }
    }
    /* Ball: hexahedra at the near pole are smaller than those at the far pole by the ratio. */
    const recipe ball = {.generator = "sphere",
                         .element = "hex8",
                         .radius = 1.0,
                         .resolution = 0.05,
                         .ratio = 8.0,
                         .point = {0, 0, -1}};
    brn_mesh *mesh = recipe_mesh(ctx, &ball);
    double edge[2] = {0.0, 0.0}; /* mean length of the surface edges at the node next to each pole */
    for (int pole = 0; pole < 2; ++pole) {
        int nearest = 0, count = 0;
        for (int i = 0; i < mesh->nnode; ++i) {
            nearest = (pole ? 1 : -1) * (mesh->pos[i][2] - mesh->pos[nearest][2]) > 0.0 ? i : nearest;
        }
        for (int i = 0; i < 12 * mesh->ncell[BRN_HEX8]; ++i) {
            const int *node = mesh->cell[BRN_HEX8] + 8 * (i / 12),
                      *ends = brn_cell_get(BRN_HEX8)->edges[i % 12];
            if (node[ends[0]] == nearest || node[ends[1]] == nearest) {
                const double *p = mesh->pos[node[ends[0]]], *q = mesh->pos[node[ends[1]]];
                edge[pole] += hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
                count++;
            }
        }
        edge[pole] /= count;
    }
    print_message("far over near edge at ratio 8: %.2f\n", edge[1] / edge[0]);
    /* Cells of finite size see a little less than the ratio of the map's scale at the poles. */
    assert_near(edge[1] / edge[0], 8.0, 0.5);
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

static void test_refusals(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    const recipe box = {.generator = "box", .size = {1, 1, 1}, .nsize = 3, .cells = {2, 2, 2}, .ncells = 3};
    recipe r = box;
    r.cells[0] = r.cells[1] = r.cells[2] = 50000000;
    refuse(ctx, r, BRN_ERR_RANGE, "box.cells: gives");
    r = box;
    r.cells[1] = 0;
    refuse(ctx, r, BRN_ERR_RANGE, "box.cells = 0");
    r = box;
    r.size[2] = NAN;
    refuse(ctx, r, BRN_ERR_RANGE, "box.size = ");
    r = box;
    r.size[2] = -1;
    refuse(ctx, r, BRN_ERR_RANGE, "box.size = -1: must be > 0");
    r = box;
    r.nsize = 2;
    refuse(ctx, r, BRN_ERR_RANGE, "tet4 needs 3 numbers, got 2");
    r = box;
    r.element = "tri3";
    refuse(ctx, r, BRN_ERR_RANGE, "tri3 needs 2 numbers, got 3");
    r = box;
    r.ratio = 0.5;
    refuse(ctx, r, BRN_ERR_RANGE, "ratio = 0.5");
    const char *round[] = {"sphere", "cylinder", "disc", "icosphere"};
    for (int i = 0; i < 4; ++i) {
        r = (recipe){.generator = round[i], .radius = 1.0, .height = i == 1 ? 1.0 : 0.0, .resolution = 1e-5};
        refuse(ctx, r, BRN_ERR_RANGE, ".resolution: gives");
        r.resolution = 1e-300;
        refuse(ctx, r, BRN_ERR_RANGE, ".resolution: gives");
        r.radius = INFINITY;
        refuse(ctx, r, BRN_ERR_RANGE, "radius = inf");
    }
    refuse(ctx,
           (recipe){.generator = "grid", .size = {1, 1}, .nsize = 2, .cells = {10000, 10000}, .ncells = 2},
           BRN_ERR_RANGE, "grid.cells: gives");
    refuse(ctx,
           (recipe){.generator = "sphere",
                    .element = "hex8",
                    .radius = 1,
                    .resolution = 1,
                    .ratio = 1000,
                    .point = {0, 0, 0.7}},
           BRN_ERR_RANGE, "sphere.grading.ratio = 1000: too strong");
    const struct {
        const char *layer, *words;
    } masks[] = {{"", "first row is empty"},           {"##/#", "row 1 has 1 cells, expected 2"},
                 {"##/###", "more comes after row 1"}, {"##/#x", "has a 'x'"},
                 {"../..", "no cell is solid"},        {"##/", "row 1 has 0 cells"}};
    for (int i = 0; i < BRN_COUNT(masks); ++i) {
        const char *layers[] = {masks[i].layer};
        refuse(ctx, (recipe){.generator = "voxel", .cell = 1.0, .layers = layers, .nlayers = 1},
               BRN_ERR_RANGE, masks[i].words);
    }
    const char *uneven[] = {"##/##", "##"};
    refuse(ctx, (recipe){.generator = "voxel", .cell = 1.0, .layers = uneven, .nlayers = 2}, BRN_ERR_RANGE,
           "layers[1]: nothing comes after row 0");
    refuse(ctx, (recipe){.generator = "voxel", .cell = 1.0}, BRN_ERR_RANGE, "at least one layer");
    assert_null(brn_generator_get(-1));
    assert_null(brn_generator_get(brn_generator_count()));
    for (int i = 0; i < brn_generator_count(); ++i) {
        assert_ptr_equal(brn_generator_of_table(brn_generator_get(i)->table), brn_generator_get(i));
    }
    assert_null(brn_generator_of_table(&brn_grading_table));
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
    const char *layers[] = {"##/#.", "#./.."};
    const recipe recipes[] = {
        {.generator = "box",
         .element = "tet10",
         .size = {1, 1, 1},
         .nsize = 3,
         .cells = {2, 2, 2},
         .ncells = 3},
        {.generator = "box", .element = "tri6", .size = {1, 1}, .nsize = 2, .cells = {2, 2}, .ncells = 2},
        {.generator = "sphere",
         .element = "hex20",
         .radius = 1,
         .resolution = 1,
         .ratio = 2,
         .point = {0, 0, 1}},
        {.generator = "cylinder", .element = "tet4", .radius = 1, .height = 1, .resolution = 1},
        {.generator = "disc", .element = "tri6", .radius = 1, .resolution = 0.5},
        {.generator = "grid", .size = {1, 1}, .nsize = 2, .cells = {2, 2}, .ncells = 2},
        {.generator = "icosphere", .radius = 1, .subdivisions = 1},
        {.generator = "voxel", .element = "tet10", .cell = 1, .layers = layers, .nlayers = 2},
    };
    for (int i = 0; i < BRN_COUNT(recipes); ++i) {
        assert_true(fail_each_allocation(make_one, &recipes[i]) >= 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box),      cmocka_unit_test(test_plane_lattices),
        cmocka_unit_test(test_sphere),   cmocka_unit_test(test_cylinder),
        cmocka_unit_test(test_disc),     cmocka_unit_test(test_icosphere),
        cmocka_unit_test(test_voxel),    cmocka_unit_test(test_grading),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
