/* Contact points with patches: closed forms (a block in a plane, a ball in a box, a sheet over a ball, blocks in each other), a slow
   search, levers, self-contact, and the same bits for any number of threads. */
#include "faulty.h"
#include "flow.h"
#include "reach_room.h"

#include "contact/meetings.h"
#include "contact/patches.h"
#include "linalg/dense.h"
#include "model/body_shape.h"

#define HEAD(dim)                                                                    \
 "brunt: 1\ndimension: " #dim "\nmethod: {type: none}\ntime: {step: 0.01, end: 1}\n" \
 "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
#define SOFT(name, mesh, place) \
 "  - {name: " name ", type: deformable, mesh: " mesh ", material: a, position: " place "}\n"

/* Patches of a scene at rest. */
typedef struct stage {
    flow f;
    const brn_model *model;
    brn_skin *skin;
    brn_patches *patches;
    double *x;
    int count;
    const brn_patch *item;
} stage;

static void look_at(stage *s, const brn_contact_reach *reach, double depth)
{
    assert_done(s->f.ctx, brn_patches_find(s->patches, s->x, reach, depth));
    s->count = brn_patches_count(s->patches);
    s->item = brn_patches_get(s->patches);
}

static void look(stage *s, double within, double depth)
{
    reach_room room;
    const brn_contact_reach reach = reach_everywhere(&room, s->x, within);
    look_at(s, &reach, depth);
}

static stage stage_open(int threads, const char *text, double within, double depth)
{
    stage s = {.f = flow_open(threads, text, NULL)};
    s.model = s.f.model;
    const size_t bytes = (size_t)s.model->nnode * 3 * sizeof *s.x;
    s.x = malloc(bytes);
    assert_non_null(s.x);
    memcpy(s.x, s.model->rest, bytes);
    assert_done(s.f.ctx, brn_skin_create(s.f.ctx, s.model, &s.skin));
    assert_done(s.f.ctx, brn_patches_create(s.f.ctx, s.skin, &s.patches));
    look(&s, within, depth);
    return s;
}

static void stage_close(stage *s)
{
    brn_patches_destroy(s->patches);
    brn_skin_destroy(s->skin);
    free(s->x);
    flow_close(&s->f);
}

static double sum_areas(const stage *s)
{
    double sum = 0.0;
    for (int i = 0; i < s->count; ++i) {
        assert_true(s->item[i].area >= 0.0);
        sum += s->item[i].area;
    }
    return sum;
}

/* Order, unit normals, weights and places; the lever says the same: its combination of nodes is the way between the surfaces. */
static void check_points(const stage *s, double within)
{
    for (int i = 0; i < s->count; ++i) {
        const brn_patch *p = &s->item[i];
        double between[3] = {0};
        double face[3] = {0};
        brn_lever lever;
        assert_near(brn_dense_dot3(p->normal, p->normal), 1.0, 1e-14);
        assert_true(p->weight[0] == 1.0 && p->gap < within);
        assert_int_equal(p->body[0], s->skin->node_body[p->node[0]]);
        brn_patch_lever(s->skin, p, 1, s->x, &lever);
        for (int k = 0; k < lever.count; ++k) {
            for (int c = 0; c < 3; ++c) {
                between[c] += lever.weight[k] * s->x[3 * lever.node[k] + c];
            }
        }
        int unused[4];
        const double r = s->skin->radius[p->node[0]];
        const bool bare = brn_body_span(s->model, p->body[0], unused) == 0 &&
                          brn_body_span(s->model, p->body[1], unused) == 0;
        const double thick = bare ? r + s->skin->radius[p->node[1]] : 0.0;
        for (int c = 0; c < 3; ++c) { /* nodes of sheets that deform act where they are */
            const double want = (p->gap + thick) * p->normal[c];
            assert_near(between[c], want, 1e-13);
            assert_near(p->place[c], s->x[3 * p->node[0] + c] - (r + 0.5 * p->gap) * p->normal[c], 1e-15);
        }
        for (int k = 1; k < 4 && p->node[k] >= 0; ++k) {
            assert_true(p->weight[k] <= 1e-15);
            for (int c = 0; c < 3; ++c) {
                face[c] -= p->weight[k] * s->x[3 * p->node[k] + c];
            }
        }
        for (int c = 0; c < 3 && p->node[1] >= 0; ++c) {
            const double offset = r + s->skin->radius[p->node[1]];
            assert_near(s->x[3 * p->node[0] + c] - face[c], (p->gap + offset) * p->normal[c], 1e-13);
        }
    }
}

/* ---- shapes --------------------------------------------------------------------------------------------------------------------- */

#define BLOCK3(cells, z)                                                                         \
 HEAD(3)                                                                                         \
 "meshes: {m: {box: {size: [0.4, 0.3, 0.2], cells: " cells ", element: hex8}}}\nbodies:\n" SOFT( \
     "b", "m", "[0.1, 0.2, " z "]") "  - {name: p, type: static, shape: {plane: {}}}\n"

/* A block sunk by d: its lower face is a patch with its area, at depth d; upright walls add points, but no area. */
static void test_block_in_plane(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double d;
        int points;
    } cases[] = {{BLOCK3("[1, 1, 1]", "0.09"), 0.01, 4},
                 {BLOCK3("[4, 3, 2]", "0.09"), 0.01, 20},
                 {BLOCK3("[4, 3, 2]", "-0.05"), 0.15, 20 + 14},
                 {BLOCK3("[7, 5, 3]", "0.1"), 0.0, 0}};
    for (int k = 0; k < 4; ++k) {
        stage s = stage_open(1, cases[k].text, 0.0, 0.05);
        assert_int_equal(s.count, cases[k].points);
        assert_near(sum_areas(&s), k < 3 ? 0.12 : 0.0, 1e-15);
        for (int i = 0; i < s.count; ++i) {
            const brn_patch *p = &s.item[i];
            const double want = s.x[3 * p->node[0] + 2];
            assert_near(p->gap, want, 1e-15);
            assert_true(p->area == 0.0 || fabs(p->gap + cases[k].d) < 1e-15);
            assert_near(p->normal[2], 1.0, 1e-15);
            assert_int_equal(p->node[1], -1);
        }
        check_points(&s, 1e-300);
        stage_close(&s);
    }
}

#define TILTED2                                                                                         \
 HEAD(2)                                                                                                \
 "meshes: {m: {box: {size: [0.4, 0.2], cells: [5, 2], element: tri3}}}\nbodies:\n"                      \
 "  - {name: b, type: deformable, mesh: m, material: a, position: [0, 0.09], rotation: {degrees: 0}}\n" \
 "  - {name: p, type: static, shape: {plane: {}}}\n"

static void test_flat(void **state)
{
    (void)state;
    stage s = stage_open(1, TILTED2, 0.0, 0.05);
    assert_int_equal(s.count, 6);
    assert_near(sum_areas(&s), 0.4, 1e-15);
    check_points(&s, 1e-300);
    /* The same turned together with the plane. */
    double r[9];
    const double z[3] = {0, 0, 1};
    assert_true(brn_dense_rotation(z, 0.7, r));
    for (int a = 0; a < s.model->nnode; ++a) {
        brn_dense_apply3(r, s.model->rest[a], &s.x[3 * a]);
    }
    look(&s, 0.0, 0.05);
    assert_int_equal(s.count, 6);
    assert_near(sum_areas(&s), 0.4, 1e-14);
    for (int i = 0; i < s.count; ++i) {
        assert_near(s.item[i].gap, -0.01, 1e-15);
        assert_near(s.item[i].normal[0], r[1], 1e-14);
        assert_near(s.item[i].normal[1], r[4], 1e-14);
    }
    check_points(&s, 1e-300);
    stage_close(&s);
}

#define BALL_IN_BOX(resolution)                                                                              \
 HEAD(3)                                                                                                     \
 "meshes: {m: {sphere: {radius: 0.1, resolution: " resolution                                                \
 "}}}\nbodies:\n" SOFT("ball", "m", "[0, 0, 0.07]") "  - {name: box, type: static, shape: {box: {size: [1, " \
                                                    "1, 0.5]}}, position: [0, 0, -0.25]}\n"

/* A ball of radius R sunk by d: the patch is the base of the cap, pi (2 R d - d^2), and sum of area times depth its volume,
   pi d^2 (3 R - d) / 3. A mesh of edge h cuts the rim in whole vertices and the ball's curve in chords. */
static void test_ball_in_box(void **state)
{
    (void)state;
    const char *const texts[2] = {BALL_IN_BOX("0.02"), BALL_IN_BOX("0.008")};
    const double tolerance[2] = {0.15, 0.04};
    const double pi = acos(-1.0);
    const double d = 0.03;
    for (int k = 0; k < 2; ++k) {
        stage s = stage_open(2, texts[k], 0.0, 1.0);
        double volume = 0.0;
        for (int i = 0; i < s.count; ++i) {
            volume -= s.item[i].area * s.item[i].gap;
            assert_near(s.item[i].normal[2], 1.0, 1e-15);
        }
        assert_near(sum_areas(&s) / (pi * (0.2 * d - d * d)), 1.0, tolerance[k]);
        assert_near(volume / (pi * d * d * (0.3 - d) / 3.0), 1.0, tolerance[k]);
        check_points(&s, 1e-300);
        stage_close(&s);
    }
}

static const char sheet_over_ball[] =
    HEAD(3) "meshes: {m: {grid: {size: [0.4, 0.4], cells: [120, 120]}}}\nbodies:\n"
            "  - {name: sheet, type: static, mesh: m, thickness: 0.01, position: [0, 0, 0.2]}\n"
            "  - {name: ball, type: rigid, shape: {sphere: {radius: 0.2}}, position: [0.01, 0.02, 0]}\n";

/* Every vertex is as far from the ball as its distance from the centre says; the area is that of the sheet, projected. */
static void test_sheet_over_ball(void **state)
{
    (void)state;
    stage s = stage_open(2, sheet_over_ball, 0.0, 0.0);
    const double centre[3] = {0.01, 0.02, 0.0};
    const double cell = 0.16 / (120.0 * 120.0);
    int near = 0;
    for (int a = 0; a < s.model->body[0].boundary->nnode; ++a) {
        const int node = s.model->body[0].boundary->node[a];
        double arm[3];
        for (int i = 0; i < 3; ++i) {
            arm[i] = s.x[3 * node + i] - centre[i];
        }
        const double length = sqrt(brn_dense_dot3(arm, arm));
        const double gap = length - 0.2 - 0.005;
        if (gap < 0.0) {
            assert_true(near < s.count);
            const brn_patch *p = &s.item[near++];
            assert_int_equal(p->node[0], node);
            assert_near(p->gap, gap, 1e-15);
            assert_near(p->normal[2], arm[2] / length, 1e-14);
            /* Cells are cut so that 4 or 8 of their halves are at a vertex. */
            assert_near(p->area / (arm[2] / length), cell, 0.34 * cell);
        }
    }
    assert_int_equal(near, s.count);
    assert_true(near > 500);
    /* Flat within a disc of radius a = 0.045: a^2 = 0.205^2 - 0.2^2, cosine at least 0.97. */
    assert_near(sum_areas(&s) / (acos(-1.0) * (0.205 * 0.205 - 0.04)), 0.985, 0.03);
    check_points(&s, 1e-300);
    stage_close(&s);
}

#define PEA(z)                                                                                     \
 HEAD(3)                                                                                           \
 "meshes: {m: {box: {size: [1, 1, 0.5], cells: [1, 1, 1], element: hex8}}}\nbodies:\n" SOFT(       \
     "mat", "m", "[0, 0, -0.25]") "  - {name: pea, type: rigid, shape: {sphere: {radius: 0.05}}, " \
                                  "position: [0.1, 0.2, " z "]}\n"
#define DIE(cells)                                                                                       \
 HEAD(3)                                                                                                 \
 "meshes: {m: {box: {size: [1, 1, 0.5], cells: " cells ", element: hex8}}}\nbodies:\n" SOFT(             \
     "mat", "m", "[0, 0, -0.25]") "  - {name: die, type: rigid, shape: {box: {size: [0.2, 0.1, 0.1]}}, " \
                                  "position: [0.103, 0.204, 0.04]}\n"

/* A small shape on a coarse mesh, of which no vertex is in it: a ball with the base of its cap, a box with its face. On a fine
   mesh the mesh's vertices take over. */
static void test_shape_on_mesh(void **state)
{
    (void)state;
    stage s = stage_open(1, PEA("0.04"), 0.0, 0.1);
    assert_int_equal(s.count, 1);
    assert_near(s.item[0].gap, -0.01, 1e-15);
    assert_near(s.item[0].area, acos(-1.0) * (0.1 * 0.01 - 1e-4), 1e-15);
    assert_near(s.item[0].normal[2], 1.0, 1e-15);
    check_points(&s, 1e-300);
    stage_close(&s);
    s = stage_open(1, DIE("[1, 1, 1]"), 0.0, 0.1);
    assert_int_equal(s.count, 4);
    assert_near(sum_areas(&s), 0.02, 1e-15);
    check_points(&s, 1e-300);
    stage_close(&s);
    s = stage_open(1, DIE("[100, 100, 1]"), 0.0, 0.1);
    assert_int_equal(s.count, 20 * 10 + 4);
    assert_near(sum_areas(&s), 0.02,
                4e-4); /* vertices of 1e-4 each; at most as much for the box's own corners */
    check_points(&s, 1e-300);
    stage_close(&s);
}

#define TABLE(cells)                                                                                      \
 HEAD(3)                                                                                                  \
 "meshes: {m: {box: {size: [0.2, 0.3, 0.1], cells: " cells ", element: hex8}}}\nbodies:\n" SOFT(          \
     "b", "m", "[0, 0, 0.045]") "  - {name: table, type: static, shape: {box: {size: [0.2, 0.3, 0.4]}}, " \
                                "position: [0, 0, -0.2]}\n"

/* A block on a box of its own size: the vertices at its rim are no farther from the walls below than from the top. */
static void test_rim(void **state)
{
    (void)state;
    const char *const texts[2] = {TABLE("[1, 1, 1]"), TABLE("[8, 6, 2]")};
    for (int k = 0; k < 2; ++k) {
        stage s = stage_open(1, texts[k], 0.0, 0.05);
        assert_near(sum_areas(&s), 0.06, 1e-15);
        for (int i = 0; i < s.count; ++i) {
            const bool own =
                s.item[i].body[0] == 1; /* a corner of the table, which the block's vertices make up for */
            assert_near(s.item[i].gap, -0.005, 1e-15);
            assert_near(s.item[i].normal[2], own ? -1.0 : 1.0, 1e-15);
            assert_true(!own || s.item[i].area < 1e-13); /* rounding of weights */
        }
        check_points(&s, 1e-300);
        stage_close(&s);
    }
}

/* ---- meshes --------------------------------------------------------------------------------------------------------------------- */

#define STACK(low_cells, low_size, high_cells, high_size, place)          \
 HEAD(3)                                                                  \
 "meshes:\n  l: {box: {size: " low_size ", cells: " low_cells             \
 ", element: hex8}}\n  h: {box: {size: " high_size ", cells: " high_cells \
 ", element: hex8}}\nbodies:\n" SOFT("low", "l", "[0, 0, -0.1]") SOFT("high", "h", place)

typedef struct stack_case {
    const char *text;
    double area, tolerance;
} stack_case;

/* Blocks 0.2 m high in each other by 0.01 m: the areas of both sides add up to the common face. */
static const stack_case stacks[] = {
    /* equal */
    {STACK("[3, 3, 1]", "[0.3, 0.3, 0.2]", "[3, 3, 1]", "[0.3, 0.3, 0.2]", "[0, 0, 0.09]"), 0.09, 1e-14},
    /* single cells */
    {STACK("[1, 1, 1]", "[0.3, 0.3, 0.2]", "[1, 1, 1]", "[0.3, 0.3, 0.2]", "[0, 0, 0.09]"), 0.09, 1e-14},
    /* small on large */
    {STACK("[1, 1, 1]", "[1, 1, 0.2]", "[4, 4, 1]", "[0.2, 0.2, 0.2]", "[0.1, 0.1, 0.09]"), 0.04, 1e-14},
    /* large on small */
    {STACK("[4, 4, 1]", "[0.2, 0.2, 0.2]", "[1, 1, 1]", "[1, 1, 0.2]", "[0.1, 0.1, 0.09]"), 0.04, 1e-14},
    /* fine on coarse */
    {STACK("[2, 2, 1]", "[0.4, 0.4, 0.2]", "[8, 8, 1]", "[0.4, 0.4, 0.2]", "[0, 0, 0.09]"), 0.16, 1e-12},
    /* not alike */
    {STACK("[7, 7, 1]", "[0.4, 0.4, 0.2]", "[10, 10, 1]", "[0.4, 0.4, 0.2]", "[0, 0, 0.09]"), 0.16, 1e-12},
    /* shifted: at the rim a vertex stands for a patch that is partly beyond the other face */
    {STACK("[10, 10, 1]", "[0.4, 0.4, 0.2]", "[10, 10, 1]", "[0.4, 0.4, 0.2]", "[0.033, 0.027, 0.09]"),
     0.367 * 0.373, 0.15 * 0.16},
};

static void test_stacks(void **state)
{
    (void)state;
    for (int k = 0; k < (int)(sizeof stacks / sizeof *stacks); ++k) {
        stage s = stage_open(1, stacks[k].text, 0.0, 0.05);
        assert_near(sum_areas(&s), stacks[k].area, stacks[k].tolerance);
        for (int i = 0; i < s.count; ++i) {
            if (s.item[i].area > 0.0) {
                assert_near(s.item[i].gap, -0.01, 1e-14);
                assert_near(fabs(s.item[i].normal[2]), 1.0, 1e-12);
            }
        }
        check_points(&s, 1e-300);
        stage_close(&s);
    }
}

/* A block a little wider than the box on it: its rim is beside the box, near enough to count, but does not carry it. The box's corners
   do, and the middle. */
static void test_beside(void **state)
{
    (void)state;
    const char text[] =
        HEAD(3) "meshes: {m: {box: {size: [0.1002, 0.1002, 0.1], cells: [2, 2, 2], element: "
                "hex8}}}\nbodies:\n" SOFT(
                    "low", "m",
                    "[0, 0, 0]") "  - {name: lid, type: rigid, shape: {box: {size: [0.1, 0.1, 0.04]}}, "
                                 "position: [0, 0, 0.06999]}\n";
    stage s = stage_open(1, text, 4e-4, 0.001);
    int corners = 0;
    int middle = 0;
    for (int i = 0; i < s.count; ++i) {
        const brn_patch *p = &s.item[i];
        if (p->area > 0.0 && fabs(p->normal[2]) > 0.999) {
            assert_near(p->gap, -1e-5, 1e-14);
            corners += p->body[0] == 1 && p->normal[2] > 0.0;
            middle += p->body[0] == 0 && p->normal[2] < 0.0;
        }
    }
    assert_int_equal(corners, 4);
    assert_int_equal(middle, 1);
    stage_close(&s);
}

static const char balls[] = HEAD(
    3) "meshes:\n  m: {sphere: {radius: 0.1, resolution: 0.03}}\n  s: {icosphere: {radius: 0.08}}\nbodies:\n"
    /**/ SOFT("a", "m", "[0, 0, 0]")
        SOFT("b", "m",
             "[0.19, 0.01, 0.02]") "  - {name: shell, type: static, mesh: s, thickness: 0.006, position: "
                                   "[0.05, 0.165, 0]}\n"
                                   "  - {name: stone, type: rigid, mesh: s, position: [0.04, -0.17, 0.02]}\n"
                                   "  - {name: rod, type: rigid, shape: {capsule: {radius: 0.02, height: "
                                   "0.1}}, position: [0, 0, 0.112]}\n";

static double slow_distance(const stage *s, const double *p, int body)
{
    const brn_boundary *b = s->model->body[body].touch;
    double least = INFINITY;
    for (int t = 0; t < b->ntri; ++t) {
        double x[4][3];
        memcpy(x[0], p, sizeof x[0]);
        for (int k = 0; k < 3; ++k) {
            memcpy(x[k + 1], &s->x[3 * b->tri[t][k]], sizeof x[0]);
        }
        least = fmin(least, brn_distance_point_triangle2((const double(*)[3])x));
    }
    return sqrt(least);
}

/* The signed gap of a vertex and a body by looking at all triangles, inside by the winding of the surface. */
static double slow_gap(const stage *s, int node, int body)
{
    const brn_body *b = &s->model->body[body];
    const double *p = &s->x[3 * node];
    const double r = s->skin->radius[node] + b->radius;
    const double d = slow_distance(s, p, body);
    const bool inside = b->solid && fabs(brn_body_winding(b, 3, s->x, p)) > 0.5;
    return (inside ? -d : d) - r;
}

/* All points within the reach of their bodies and no others. */
static void check_slowly(const stage *s, const brn_contact_reach *reach, double depth, int *total,
                         int *inside)
{
    int next = 0;
    while (next < s->count && s->item[next].node[1] < 0) {
        ++next; /* against the rod */
    }
    for (int i = 0; i < s->skin->npoint; ++i) {
        const int node = s->skin->point[i];
        for (int b = 0; b < 4; ++b) {
            const int own = s->skin->node_body[node];
            const bool held = s->model->body[own].type == BRN_BODY_STATIC && b == 2;
            const double within = brn_contact_reach_of(reach, own, b);
            if (b == own || held) {
                continue;
            }
            const double gap = slow_gap(s, node, b);
            if (!(gap < within && gap > -fmax(depth, within))) {
                continue;
            }
            assert_true(next < s->count);
            const brn_patch *p = &s->item[next++];
            assert_int_equal(p->node[0], node);
            assert_int_equal(p->body[1], b);
            assert_near(p->gap, gap, 1e-14);
            *inside += gap < 0.0;
            ++*total;
        }
    }
    assert_int_equal(next, s->count);
}

static void test_slow_search(void **state)
{
    (void)state;
    const double depth = 0.03;
    stage s = stage_open(3, balls, 0.0, depth);
    reach_room room;
    brn_contact_reach reach = reach_everywhere(&room, s.x, 0.004);
    brn_rng rng = {3};
    int inside = 0;
    int total = 0;
    look_at(&s, &reach, depth);
    assert_true(s.count > 0 && s.item[0].node[1] < 0);
    check_slowly(&s, &reach, depth, &total, &inside);
    assert_true(inside > 20 && total > inside + 10);
    check_points(&s, 0.004);
    /* Bodies that go far beside others that rest. */
    for (int trial = 0; trial < 2; ++trial) {
        reach = reach_random(&room, s.x, trial % 2 == 0 ? 0.004 : 0.015, &rng);
        look_at(&s, &reach, depth);
        check_slowly(&s, &reach, depth, &total, &inside);
    }
    stage_close(&s);
}

static void test_threads(void **state)
{
    (void)state;
    stage one = stage_open(1, balls, 0.004, 0.03);
    stage three = stage_open(3, balls, 0.004, 0.03);
    assert_int_equal(one.count, three.count);
    assert_memory_equal(one.item, three.item, (size_t)one.count * sizeof *one.item);
    stage_close(&three);
    stage_close(&one);
}

/* Skin and patches of a model that was made before. */
static brn_status find_in(brn_ctx *ctx, void *arg)
{
    const brn_model *model = arg;
    brn_skin *skin = NULL;
    brn_patches *patches = NULL;
    brn_status status = brn_skin_create(ctx, model, &skin);
    status = status >= 0 ? brn_patches_create(ctx, skin, &patches) : status;
    reach_room room;
    const brn_contact_reach reach = reach_everywhere(&room, &model->rest[0][0], 0.004);
    status = status >= 0 ? brn_patches_find(patches, &model->rest[0][0], &reach, 0.03) : status;
    if (patches != NULL) {
        assert_int_equal(brn_patches_count(patches) > 0, status >= 0);
    }
    brn_patches_destroy(patches);
    brn_skin_destroy(skin);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    flow f = flow_open(1, balls, NULL);
    assert_true(faulty_run(find_in, f.model, 0) > 20);
    flow_close(&f);
}

/* ---- self-contact --------------------------------------------------------------------------------------------------------------- */

static const char strip[] =
    HEAD(3) "meshes: {m: {box: {size: [1, 0.1, 0.02], cells: [40, 4, 1], element: hex8}}}\n"
            "contact: {self: true}\nbodies:\n" SOFT("s", "m", "[0, 0, 0]");

/* A plate thinner than the depth does not meet itself through its material, not even pressed to six tenths. Folded over, its upper
   face meets itself by the overlap, with the area of the part that lies on the other. */
static void test_self(void **state)
{
    (void)state;
    stage s = stage_open(1, strip, 0.0, 0.03);
    assert_int_equal(s.count, 0);
    for (int a = 0; a < s.model->nnode; ++a) {
        s.x[3 * a + 2] = 0.6 * s.model->rest[a][2];
    }
    look(&s, 0.0, 0.03);
    assert_int_equal(s.count, 0);
    /* Rolled up about a half circle of radius 0.05 at the middle, the upper face inside, and pressed 0.004 too far. */
    const double pi = acos(-1.0);
    const double radius = 0.05;
    for (int a = 0; a < s.model->nnode; ++a) {
        const double *X = s.model->rest[a];
        const double half = 0.5 * pi * radius;
        const double angle = fmax(-0.5 * pi, fmin(0.5 * pi, X[0] / radius));
        const double straight = fabs(X[0]) - fmin(half, fabs(X[0]));
        const double r = radius - X[2];
        const double squeeze = straight > 0.15 ? (0.04 + 0.002) * (X[0] > 0.0 ? -1.0 : 1.0) : 0.0;
        s.x[3 * a] = -r * cos(angle) + straight;
        s.x[3 * a + 1] = -X[1]; /* no mirror */
        s.x[3 * a + 2] = r * sin(angle) + squeeze;
    }
    look(&s, 0.0, 0.03);
    double area = 0.0;
    for (int i = 0; i < s.count; ++i) {
        const brn_patch *p = &s.item[i];
        /* Beyond the cells that the press bends. */
        if (fabs(s.model->rest[p->node[0]][0]) > 0.5 * pi * radius + 0.15 + 0.026) {
            assert_near(p->gap, -0.004, 1e-12);
            assert_near(fabs(p->normal[2]), 1.0, 1e-9);
        }
        assert_true(s.model->rest[p->node[0]][2] > 0.0);
        area += p->area;
    }
    /* The straight part beyond 0.15 of half a strip: 0.5 - pi r / 2 - 0.15 long, in cells of 0.025; the bent
       ones add or take up to one and a half. */
    assert_near(area, (0.5 - 0.5 * pi * radius - 0.15) * 0.1, 0.1 * 0.0375);
    check_points(&s, 1e-300);
    stage_close(&s);
}

static const char notch[] =
    HEAD(3) "meshes: {m: {voxel: {cell: 0.1, layers: ['###', '#.#', '#..', '#..']}}}\n"
            "contact: {self: true}\nbodies:\n" SOFT("s", "m", "[0, 0, 0]");

/* A post beside a low wall leans over it: its upper end is behind the plane of the wall's side, but above the wall. */
static void test_self_crease(void **state)
{
    (void)state;
    stage s = stage_open(1, notch, 0.0, 0.25);
    assert_int_equal(s.count, 0);
    double foot = INFINITY;
    double left = INFINITY;
    for (int a = 0; a < s.model->nnode; ++a) {
        left = fmin(left, s.model->rest[a][0]);
        foot = fmin(foot, s.model->rest[a][2]);
    }
    for (int a = 0; a < s.model->nnode; ++a) {
        const double *X = s.model->rest[a];
        const bool post = X[0] < left + 0.15;
        s.x[3 * a] = X[0] + (post ? 0.55 * fmax(0.0, X[2] - foot - 0.2) : 0.0);
    }
    look(&s, 0.0, 0.25);
    assert_int_equal(s.count, 0);
    stage_close(&s);
}

static const char cloth[] = HEAD(3) "meshes: {m: {grid: {size: [1, 0.1], cells: [80, 8]}}}\n"
                                    "contact: {self: true}\nbodies:\n"
                                    "  - {name: c, type: shell, mesh: m, material: a, thickness: 0.03}\n";

/* A shell thicker than its cells does not meet its neighbours. Folded, its halves meet at their thickness. */
static void test_self_shell(void **state)
{
    (void)state;
    stage s = stage_open(1, cloth, 0.0, 0.03);
    const double pi = acos(-1.0);
    const double radius = 0.014; /* the halves are 0.028 apart: 0.002 less than the thickness */
    int beyond = 0;
    assert_int_equal(s.count, 0);
    for (int a = 0; a < s.model->nnode; ++a) {
        const double *X = s.model->rest[a];
        const double angle = fmax(-0.5 * pi, fmin(0.5 * pi, X[0] / radius));
        s.x[3 * a] = -radius * cos(angle) + fabs(X[0]) - fmin(0.5 * pi * radius, fabs(X[0]));
        s.x[3 * a + 2] = radius * sin(angle);
        beyond += fabs(X[0]) > 0.15;
    }
    look(&s, 0.0, 0.03);
    double area = 0.0;
    for (int i = 0; i < s.count; ++i) {
        const brn_patch *p = &s.item[i];
        const double along = fabs(s.model->rest[p->node[0]][0]);
        if (along > 0.15) { /* farther from the bend than the thickness goes */
            --beyond;
            area += p->area;
            assert_near(p->gap, -0.002, 1e-14);
            assert_near(fabs(p->normal[2]), 1.0, 1e-14);
        }
    }
    assert_int_equal(beyond, 0);
    assert_near(area, 0.35 * 0.1, 0.1 * 0.0125); /* of one half; up to a column of cells */
    check_points(&s, 1e-300);
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_in_plane), cmocka_unit_test(test_flat),
        cmocka_unit_test(test_ball_in_box),    cmocka_unit_test(test_sheet_over_ball),
        cmocka_unit_test(test_shape_on_mesh),  cmocka_unit_test(test_rim),
        cmocka_unit_test(test_stacks),         cmocka_unit_test(test_slow_search),
        cmocka_unit_test(test_threads),        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_self),           cmocka_unit_test(test_self_shell),
        cmocka_unit_test(test_beside),         cmocka_unit_test(test_self_crease),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
