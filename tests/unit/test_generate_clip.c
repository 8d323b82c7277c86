/* The generator clip: its volume, part by part, against the closed form at every resolution and while sizes change. */
#include "mesh_fixture.h"

enum { FRAME, UPRIGHT, ARM, FEET, BASKET, NPARTS };
static const char *const parts[NPARTS] = {"frame", "upright", "arm", "feet", "basket"};
static const char *const elements[] = {"hex8", "hex20", "tet4", "tet10"};

/* The sizes by their names, and the recipe of those that are not the default. */
typedef struct sizes {
    double length, width, bar, thickness;        /* of the frame */
    double up_height, up_width, up_thickness;    /* of the upright */
    double arm_length, arm_width, arm_thickness; /* of the arm */
    double foot_height, foot_length, foot_width; /* 0: no feet */
    double radius;                               /* 0: corners */
    double tray_length, tray_width, wall, rim;   /* 0: no basket */
} sizes;

static const sizes plain = {.length = 0.069,
                            .width = 0.036,
                            .bar = 0.006,
                            .thickness = 0.006,
                            .up_height = 0.0225,
                            .up_width = 0.024,
                            .up_thickness = 0.006,
                            .arm_length = 0.063,
                            .arm_width = 0.024,
                            .arm_thickness = 0.0045};

typedef struct size_name {
    const char *name;
    size_t offset;
} size_name;

#define SIZE(name, field)      \
 {                             \
  name, offsetof(sizes, field) \
 }
static const size_name names[] = {
    SIZE("frame.length", length),
    SIZE("frame.width", width),
    SIZE("frame.bar", bar),
    SIZE("frame.thickness", thickness),
    SIZE("upright.height", up_height),
    SIZE("upright.width", up_width),
    SIZE("upright.thickness", up_thickness),
    SIZE("arm.length", arm_length),
    SIZE("arm.width", arm_width),
    SIZE("arm.thickness", arm_thickness),
    SIZE("feet.height", foot_height),
    SIZE("feet.length", foot_length),
    SIZE("feet.width", foot_width),
    SIZE("feet.radius", radius),
    SIZE("basket.length", tray_length),
    SIZE("basket.width", tray_width),
    SIZE("basket.wall", wall),
    SIZE("basket.rim", rim),
};

static double *size_of(sizes *s, int k)
{
    return (double *)((char *)s + names[k].offset);
}

static recipe recipe_of(sizes s, double resolution, const char *element)
{
    recipe r = {.generator = "clip", .resolution = resolution, .element = element};
    int count = 0;
    sizes standard = plain;
    for (int k = 0; k < BRN_COUNT(names); ++k) {
        if (*size_of(&s, k) != *size_of(&standard, k)) {
            assert_true(count < BRN_COUNT(r.number));
            r.number[count].name = names[k].name;
            r.number[count++].value = *size_of(&s, k);
        }
    }
    if (s.radius > 0.0) {
        assert_true(count < BRN_COUNT(r.number));
        r.number[count].name = "feet.type";
        r.number[count].value = 1;
    }
    return r;
}

/* Area between a runner's flat top and its round underside. */
static double runner_area(const sizes *s)
{
    const double r = s->radius, a = 0.5 * s->length;
    return s->foot_height * s->length - (2.0 * a * r - a * sqrt(r * r - a * a) - r * r * asin(a / r));
}

static void exact_volumes(const sizes *s, double out[NPARTS])
{
    const double hole = fmax(0.0, s->length - 2.0 * s->bar) * fmax(0.0, s->width - 2.0 * s->bar);
    const double inside =
        fmax(0.0, s->tray_length - 2.0 * s->wall) * fmax(0.0, s->tray_width - 2.0 * s->wall);
    out[FRAME] = (s->length * s->width - hole) * s->thickness;
    out[UPRIGHT] = s->up_height * s->up_width * s->up_thickness;
    out[ARM] = (s->arm_length * s->arm_width - s->tray_length * fmin(s->tray_width, s->arm_width)) *
               s->arm_thickness;
    out[FEET] = s->radius > 0.0 ? 2.0 * s->foot_width * runner_area(s)
                                : 4.0 * s->foot_height * s->foot_length * s->foot_width;
    out[BASKET] = s->tray_length * s->tray_width * (s->arm_thickness + s->rim) - inside * s->rim;
}

/* Number of pieces, by painting nodes over the cells. */
static int count_pieces(const brn_mesh *mesh, brn_cell kind)
{
    const int width = brn_cell_get(kind)->nnode;
    int *colour = calloc((size_t)mesh->nnode, sizeof *colour), pieces = 0;
    for (int start = 0; start < mesh->nnode; ++start) {
        if (colour[start] != 0) {
            continue;
        }
        colour[start] = ++pieces;
        for (bool grown = true; grown;) {
            grown = false;
            for (int c = 0; c < mesh->ncell[kind]; ++c) {
                const int *node = mesh->cell[kind] + c * width;
                bool touched = false;
                for (int a = 0; a < width; ++a) {
                    touched = touched || colour[node[a]] == pieces;
                }
                for (int a = 0; touched && a < width; ++a) {
                    grown = grown || colour[node[a]] == 0;
                    colour[node[a]] = pieces;
                }
            }
        }
    }
    free(colour);
    return pieces;
}

/* Valid, in one piece, and with as many handles as it should have: V - E + F = 2 - 2 handles of a closed surface that
   meets itself nowhere. */
static brn_mesh_quality check_clip(brn_mesh *mesh, brn_cell kind, int handles)
{
    const brn_mesh_quality quality = check_solid(mesh, "clip");
    assert_int_equal(count_pieces(mesh, kind), 1);
    brn_boundary *b = NULL;
    assert_done(mesh->ctx, brn_boundary_create(mesh, &b));
    assert_int_equal(b->nnode - b->nedge + b->ntri, 2 - 2 * handles);
    brn_boundary_destroy(b);
    return quality;
}

/* Volume of the cells with all their nodes in a group. */
static double part_volume(const brn_mesh *mesh, brn_cell kind, const brn_group *group, int *count)
{
    const int width = brn_cell_get(kind)->nnode;
    brn_mesh some = *mesh;
    some.cell[kind] = calloc((size_t)(mesh->ncell[kind] * width), sizeof(int));
    some.ncell[kind] = 0;
    unsigned char *marked = calloc((size_t)mesh->nnode, 1);
    for (int i = 0; i < group->nnode; ++i) {
        marked[group->node[i]] = 1;
    }
    for (int c = 0; c < mesh->ncell[kind]; ++c) {
        bool all = true;
        for (int a = 0; a < width; ++a) {
            all = all && marked[mesh->cell[kind][c * width + a]];
        }
        if (all) {
            memcpy(some.cell[kind] + some.ncell[kind]++ * width, mesh->cell[kind] + c * width,
                   (size_t)width * sizeof(int));
        }
    }
    brn_mesh_quality quality;
    brn_mesh_measure(&some, &quality);
    *count += some.ncell[kind];
    free(some.cell[kind]);
    free(marked);
    return quality.volume;
}

static const sizes jumper = {.length = 0.069,
                             .width = 0.036,
                             .bar = 0.006,
                             .thickness = 0.006,
                             .up_height = 0.0225,
                             .up_width = 0.024,
                             .up_thickness = 0.006,
                             .arm_length = 0.063,
                             .arm_width = 0.024,
                             .arm_thickness = 0.0045,
                             .foot_height = 0.003,
                             .foot_length = 0.024,
                             .foot_width = 0.0075};

/* Sizes that are no multiples of anything, a basket wider than the arm, feet wider than the bars. */
static const sizes thrower = {.length = 0.0691,
                              .width = 0.036,
                              .bar = 0.006,
                              .thickness = 0.006,
                              .up_height = 0.0225,
                              .up_width = 0.0227,
                              .up_thickness = 0.006,
                              .arm_length = 0.063,
                              .arm_width = 0.0171,
                              .arm_thickness = 0.0045,
                              .tray_length = 0.0203,
                              .tray_width = 0.0187,
                              .wall = 0.0021,
                              .rim = 0.0033};

static void test_parts(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    const sizes *shapes[] = {&plain, &jumper, &thrower};
    const double coarsest[] = {0.009, 0.006, 0.004};
    for (int s = 0; s < 3; ++s) {
        double exact[NPARTS], sum = 0.0;
        exact_volumes(shapes[s], exact);
        for (int e = 0; e < 4; ++e) {
            for (int level = 0; level < 2; ++level) {
                const recipe r = recipe_of(*shapes[s], coarsest[s] / (1 + 0.7 * level), elements[e]);
                const brn_cell kind = (brn_cell)brn_cell_find(elements[e]);
                brn_mesh *mesh = recipe_mesh(ctx, &r);
                const brn_mesh_quality quality = check_clip(mesh, kind, 1);
                int count = 0;
                sum = 0.0;
                for (int p = 0; p < NPARTS; ++p) {
                    const brn_group *group = brn_mesh_find_group(mesh, parts[p]);
                    sum += exact[p];
                    assert_int_equal(group != NULL, exact[p] > 0.0);
                    if (group != NULL) {
                        /* sums of thousands of boxes */
                        assert_near(part_volume(mesh, kind, group, &count), exact[p], 1e-12 * exact[p]);
                    }
                }
                assert_int_equal(count, mesh->ncell[kind]); /* every cell in one part */
                assert_near(quality.volume, sum, 1e-12 * sum);
                brn_mesh_destroy(mesh);
            }
        }
    }
    brn_ctx_destroy(ctx);
}

/* From one cell across every part to the published fine mesh: the same volume; cells near the wanted size. */
static void test_resolutions(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    double exact[NPARTS], sum = 0.0;
    exact_volumes(&jumper, exact);
    for (int p = 0; p < NPARTS; ++p) {
        sum += exact[p];
    }
    for (double resolution = 0.006; resolution > 0.0003; resolution *= 0.5) {
        const recipe r = recipe_of(jumper, resolution, "hex8");
        brn_mesh *mesh = recipe_mesh(ctx, &r);
        assert_done(ctx, brn_mesh_check(mesh, "clip"));
        brn_mesh_quality quality;
        brn_mesh_measure(mesh, &quality);
        print_message("resolution %g: %d cells, of %.4g by volume\n", resolution, mesh->ncell[BRN_HEX8],
                      sum / pow(resolution, 3));
        assert_near(quality.volume, sum, 1e-11 * sum);
        assert_near(quality.worst, 1.0, 1e-12);
        /* Sizes are multiples of 1.5 mm: cubes from there on, 346K at the finest. */
        if (resolution < 0.0016) {
            assert_near(mesh->ncell[BRN_HEX8], sum / pow(resolution, 3), 0.5);
            assert_near(quality.smallest_edge, resolution, 1e-12);
            assert_int_equal(group_size(mesh, "tip"),
                             (int)round(0.024 / resolution + 1.0) * (int)round(0.0045 / resolution + 1.0));
        }
        brn_mesh_destroy(mesh);
    }
    brn_ctx_destroy(ctx);
}

/* Every size is walked through values at which planes of the lattice pass each other or come to lie on each other: the volume
   follows the closed form, up to faces that share a plane within a thousandth of the resolution. */
static void test_continuity(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    const sizes *shapes[] = {&jumper, &thrower};
    const double resolution = 0.002;
    const double by[] = {-1e-3, -6e-4, -3e-4, -2.1e-6, -1.9e-6, 0.0, 1e-7, 2.1e-6, 4e-4, 1e-3};
    for (int s = 0; s < 2; ++s) {
        for (int k = 0; k < BRN_COUNT(names); ++k) {
            sizes at = *shapes[s];
            const double start = *size_of(&at, k);
            for (int i = 0; i < BRN_COUNT(by) && start > 0.0; ++i) {
                *size_of(&at, k) = start + by[i];
                const recipe r = recipe_of(at, resolution, "hex8");
                brn_mesh *mesh = recipe_mesh(ctx, &r);
                brn_mesh_quality quality;
                brn_mesh_measure(mesh, &quality);
                assert_near(quality.worst, 1.0, 1e-9);
                double exact[NPARTS], sum = 0.0;
                exact_volumes(&at, exact);
                for (int p = 0; p < NPARTS; ++p) {
                    sum += exact[p];
                }
                /* 2 um off on faces of at most length times width */
                assert_near(quality.volume, sum, 1e-3 * resolution * at.length * at.width);
                brn_mesh_destroy(mesh);
            }
        }
    }
    /* Bars that meet leave a plate. */
    sizes plate = jumper;
    plate.bar = 0.018;
    const recipe r = recipe_of(plate, resolution, "hex8");
    brn_mesh *mesh = recipe_mesh(ctx, &r);
    (void)check_clip(mesh, BRN_HEX8, 0);
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

static void test_rocker(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    sizes s = jumper;
    s.length = 0.066; /* a whole number of cells between any two faces, twice as many at the second level */
    s.arm_length = 0.06;
    s.foot_height = 0.006;
    s.radius = 0.14;
    double exact[NPARTS];
    exact_volumes(&s, exact);
    for (int e = 0; e < 4; ++e) {
        const brn_cell kind = (brn_cell)brn_cell_find(elements[e]);
        double error[2];
        for (int level = 0; level < 2; ++level) {
            const recipe r = recipe_of(s, 0.003 / (1 + level), elements[e]);
            brn_mesh *mesh = recipe_mesh(ctx, &r);
            (void)check_clip(mesh, kind, 1);
            int count = 0;
            error[level] = exact[FEET] - part_volume(mesh, kind, brn_mesh_find_group(mesh, "feet"), &count);
            /* The underside is on the circle, its lowest line at z = 0. */
            const brn_group *under = brn_mesh_find_group(mesh, "-z");
            double lowest = 1.0;
            for (int i = 0; e % 2 == 0 && i < under->nnode; ++i) {
                const double *x = mesh->pos[under->node[i]];
                assert_near(hypot(x[0], x[2] - s.radius), s.radius, 1e-16);
                lowest = fmin(lowest, x[2]);
            }
            assert_true(e % 2 == 1 || lowest == 0.0);
            brn_mesh_destroy(mesh);
        }
        /* Chords of a circle; mid-edge nodes lie on them. */
        print_message("rocker %s: volume errors %.3e %.3e\n", elements[e], error[0], error[1]);
        assert_near(log2(error[0] / error[1]), 2.0, 0.02);
    }
    brn_ctx_destroy(ctx);
}

static void refuse_size(brn_ctx *ctx, const sizes *from, const char *name, double value, const char *words)
{
    sizes s = *from;
    for (int k = 0; k < BRN_COUNT(names); ++k) {
        if (strcmp(names[k].name, name) == 0) {
            *size_of(&s, k) = value;
        }
    }
    refuse(ctx, recipe_of(s, 0.003, "hex8"), BRN_ERR_RANGE, words);
}

static void test_refusals(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    sizes rocker = jumper;
    rocker.radius = 0.3;
    /* Every size by its own name. */
    for (int k = 0; k < BRN_COUNT(names); ++k) {
        const sizes *from = k < 13 ? &jumper : k < 14 ? &rocker : &thrower;
        char words[64];
        (void)snprintf(words, sizeof words, "clip.%s = 0.0014: ", names[k].name);
        refuse_size(ctx, from, names[k].name, 0.0014, words);
        refuse_size(ctx, from, names[k].name, NAN, names[k].name + strcspn(names[k].name, ".") + 1);
        refuse_size(ctx, from, names[k].name, -0.01, "must be > 0");
    }
    refuse_size(ctx, &plain, "arm.thickness", 0.0014, "at least 0.0015, or the resolution finer");
    refuse_size(ctx, &plain, "upright.width", 0.04, "must not be more than frame.width = 0.036");
    refuse_size(ctx, &plain, "upright.thickness", 0.07, "must not be more than frame.length = 0.069");
    refuse_size(ctx, &plain, "upright.thickness", 0.065, "must not be more than arm.length = 0.063");
    refuse_size(ctx, &jumper, "feet.length", 0.072, "must not be more than frame.length");
    refuse_size(ctx, &jumper, "feet.width", 0.07, "must not be more than frame.width");
    refuse_size(ctx, &thrower, "basket.length", 0.064, "must not be more than arm.length");
    refuse_size(ctx, &thrower, "basket.wall", 0.01, "must not be more than half of basket.width = 0.00935");
    refuse_size(ctx, &rocker, "feet.radius", 0.1, "must be at least 0.3975, or feet.height more");
    refuse(ctx, recipe_of(plain, 1e-5, "hex8"), BRN_ERR_RANGE, "clip.resolution: gives");
    refuse(ctx, recipe_of(plain, 1e-300, "hex8"), BRN_ERR_RANGE, "clip.resolution: gives");
    /* What the message says is enough. */
    rocker.radius = 0.39751;
    const recipe r = recipe_of(rocker, 0.003, "hex8");
    brn_mesh *mesh = recipe_mesh(ctx, &r);
    brn_mesh_destroy(mesh);
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
    sizes all = thrower;
    all.foot_height = 0.006;
    all.foot_width = 0.006;
    all.radius = 0.3;
    all.length = plain.length; /* as many as a recipe has room for */
    all.up_width = plain.up_width;
    all.arm_width = plain.arm_width;
    const recipe r = recipe_of(all, 0.004, "tet10");
    assert_true(fail_each_allocation(make_one, &r) >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),      cmocka_unit_test(test_resolutions),
        cmocka_unit_test(test_continuity), cmocka_unit_test(test_rocker),
        cmocka_unit_test(test_refusals),   cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
