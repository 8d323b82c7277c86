/* Closed surfaces to tets: volume, validity, groups, cavities, several solids; surfaces that are not closed. */
#include "test.h"

#include "model/mesh_source.h"
#include "model/read/closed_surface.h"
#include "model/read/fill_program.h"
#include "model/read/readers.h"

#include <locale.h>
#include <signal.h>

static brn_mesh *read_obj(brn_ctx *ctx, const char *text)
{
    brn_mesh *mesh = NULL;
    assert_done(ctx, brn_read_obj(ctx, text, strlen(text), "text.obj", &mesh));
    return mesh;
}

/* Appends a box's corners and faces (outwards, or inwards for a cavity) to an OBJ text; first: its first vertex. */
static int add_box(char *text, int first, double lo, double hi, bool outwards)
{
    static const int faces[6][4] = {{1, 4, 3, 2}, {5, 6, 7, 8}, {1, 2, 6, 5},
                                    {2, 3, 7, 6}, {3, 4, 8, 7}, {4, 1, 5, 8}};
    static const char *const groups[6] = {"bottom", "top", "front", "right", "back", "left"};
    char *end = text + strlen(text);
    for (int i = 0; i < 8; ++i) {
        const int x = (i + 1) / 2 % 2;
        const int y = i / 2 % 2;
        end += sprintf(end, "v %.17g %.17g %.17g\n", x ? hi : lo, y ? hi : lo, i < 4 ? lo : hi);
    }
    for (int f = 0; f < 6; ++f) {
        end += sprintf(end, "g %s\nf", groups[f]);
        for (int k = 0; k < 4; ++k) {
            end += sprintf(end, " %d", first + faces[f][outwards ? k : 3 - k] - 1);
        }
        end += sprintf(end, "\n");
    }
    return first + 8;
}

static double volume_of(const brn_mesh *mesh)
{
    brn_mesh_quality quality;
    brn_mesh_measure(mesh, &quality);
    return quality.volume;
}

/* A build without brunt-fill says so; the tests below are then over. */
static bool can_fill(brn_ctx *ctx)
{
#ifdef BRN_WITH_FILL
    (void)ctx;
    return true;
#else
    char text[4096] = "";
    (void)add_box(text, 1, 0.0, 1.0, true);
    brn_mesh *box = read_obj(ctx, text);
    brn_mesh *mesh = NULL;
    assert_int_equal(brn_mesh_fill_surface(ctx, box, 0.5, BRN_TET4, &mesh), BRN_ERR_MISSING);
    assert_non_null(strstr(brn_ctx_message(ctx), "libgmsh-dev"));
    brn_mesh_destroy(box);
    return false;
#endif
}

static brn_mesh *fill(brn_ctx *ctx, brn_mesh *surface, double resolution, brn_cell cell)
{
    brn_mesh *mesh = NULL;
    assert_done(ctx, brn_mesh_fill_surface(ctx, surface, resolution, cell, &mesh));
    assert_done(ctx, brn_mesh_check(mesh, "filled"));
    brn_mesh_destroy(surface);
    return mesh;
}

static void test_box_is_meshed_anew(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    if (can_fill(ctx)) {
        char text[4096] = "";
        (void)add_box(text, 1, 0.0, 1.0, true);
        brn_mesh *mesh = fill(ctx, read_obj(ctx, text), 0.25, BRN_TET4);
        brn_mesh_quality quality;
        brn_mesh_measure(mesh, &quality);
        assert_near(quality.volume, 1.0, 1e-9); /* flat faces: exact but for the rounding of gmsh's points */
        assert_true(mesh->ncell[BRN_TET4] > 200 && mesh->ncell[BRN_TET4] < 2000);
        assert_true(quality.smallest_edge > 0.08 && quality.worst > 0.05);
        /* Groups: exactly the nodes of their side of the box. */
        const brn_group *top = brn_mesh_find_group(mesh, "top");
        assert_non_null(top);
        int on_top = 0;
        for (int i = 0; i < mesh->nnode; ++i) {
            on_top += fabs(mesh->pos[i][2] - 1.0) < 1e-9;
        }
        assert_int_equal(top->nnode, on_top);
        assert_true(on_top > 16);
        for (int i = 0; i < top->nnode; ++i) {
            assert_near(mesh->pos[top->node[i]][2], 1.0, 1e-9);
        }
        brn_mesh_destroy(mesh);
    }
    brn_ctx_destroy(ctx);
}

/* An icosphere by repeated refinement is not needed: an octahedron whose triangles have the size wanted. */
static const char octahedron[] = "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\n"
                                 "f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";

static void test_fitting_triangles_are_kept(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    if (can_fill(ctx)) {
        brn_mesh *mesh = fill(ctx, read_obj(ctx, octahedron), 1.2, BRN_TET10);
        assert_near(volume_of(mesh), 4.0 / 3.0, 1e-12);
        assert_int_equal(mesh->ncell[BRN_TET4], 0);
        assert_true(mesh->ncell[BRN_TET10] > 0);
        brn_boundary *boundary = NULL;
        assert_done(ctx, brn_boundary_create(mesh, &boundary));
        assert_int_equal(boundary->nface[BRN_TRI6], 8);
        brn_boundary_destroy(boundary);
        brn_mesh_destroy(mesh);
    }
    brn_ctx_destroy(ctx);
}

static void test_cavity_and_several_solids(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    if (can_fill(ctx)) {
        /* A box with a cavity, in which a small box floats; beside them a box that is inside out. */
        char text[16384] = "";
        int next = add_box(text, 1, 0.0, 4.0, true);
        next = add_box(text, next, 1.0, 3.0, false);
        next = add_box(text, next, 1.5, 2.5, true);
        (void)add_box(text, next, 10.0, 11.0, false);
        brn_mesh *mesh = fill(ctx, read_obj(ctx, text), 1.0, BRN_TET4);
        assert_near(volume_of(mesh), 64.0 - 8.0 + 1.0 + 1.0, 1e-7);
        for (int i = 0; i < mesh->ncell[BRN_TET4]; ++i) {
            /* No tet has its middle in the cavity outside the small box. */
            double middle[3] = {0.0, 0.0, 0.0};
            double off = 0.0;
            for (int k = 0; k < 12; ++k) {
                middle[k % 3] += 0.25 * mesh->pos[mesh->cell[BRN_TET4][4 * i + k / 3]][k % 3];
            }
            for (int k = 0; k < 3; ++k) {
                off = fmax(off, fabs(middle[k] - 2.0));
            }
            assert_true(off < 0.5 || off > 1.0);
        }
        brn_mesh_destroy(mesh);
    }
    brn_ctx_destroy(ctx);
}

static void test_process_is_left_alone(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    if (can_fill(ctx)) {
        struct sigaction before[32];
        for (int i = 1; i < 32; ++i) {
            (void)sigaction(i, NULL, &before[i]);
        }
        assert_string_equal(setlocale(LC_ALL, NULL), "C");
        brn_mesh_destroy(fill(ctx, read_obj(ctx, octahedron), 1.2, BRN_TET4));
        assert_string_equal(setlocale(LC_ALL, NULL), "C");
        for (int i = 1; i < 32; ++i) {
            struct sigaction after;
            (void)sigaction(i, NULL, &after);
            assert_ptr_equal((void *)after.sa_handler, (void *)before[i].sa_handler);
        }
    }
    brn_ctx_destroy(ctx);
}

/* What is done where gmsh cannot mesh a surface anew: its own triangles, cut small. */
static void test_cut_triangles_are_filled(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    if (can_fill(ctx)) {
        char text[4096] = "";
        (void)add_box(text, 1, 0.0, 1.0, true);
        brn_mesh *surface = read_obj(ctx, text);
        brn_closed_surface *closed = NULL;
        brn_mesh *mesh = NULL;
        assert_done(ctx, brn_closed_surface_create(surface, &closed));
        assert_done(ctx, brn_closed_surface_refine(closed, 0.4, BRN_REFINE_ROUNDS));
        assert_done(ctx, brn_fill_closed(closed, 0.3, false, &mesh));
        assert_done(ctx, brn_mesh_check(mesh, "filled"));
        assert_near(volume_of(mesh), 1.0, 1e-12);
        brn_boundary *boundary = NULL;
        assert_done(ctx, brn_boundary_create(mesh, &boundary));
        assert_int_equal(boundary->ntri, closed->ntri);
        brn_boundary_destroy(boundary);
        brn_mesh_destroy(mesh);
        brn_closed_surface_destroy(closed);
        brn_mesh_destroy(surface);
    }
    brn_ctx_destroy(ctx);
}

/* Pieces of one triangle between sharp edges, much smaller and much larger than the resolution. */
static void test_tetrahedron(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    if (can_fill(ctx)) {
        static const double resolutions[] = {50.0, 0.5};
        for (int i = 0; i < 2; ++i) {
            brn_mesh *mesh = fill(
                ctx,
                read_obj(ctx, "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 0 0 4\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"),
                resolutions[i], BRN_TET4);
            assert_near(volume_of(mesh), 64.0 / 6.0, 1e-8);
            brn_mesh_destroy(mesh);
        }
    }
    brn_ctx_destroy(ctx);
}

/* A shell that crosses itself has no inside: an error, whatever gmsh makes of it. */
static void test_crossing_shell(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    if (can_fill(ctx)) {
        /* A bow tie: an extruded quadrangle whose sides cross. */
        static const char bow[] = "v 0 0 0\nv 4 3 0\nv 4 0 0\nv 0 4 0\nv 0 0 1\nv 4 3 1\nv 4 0 1\nv 0 4 1\n"
                                  "f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\n"
                                  "f 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n";
        brn_mesh *surface = read_obj(ctx, bow);
        brn_mesh *mesh = NULL;
        assert_int_equal(brn_mesh_fill_surface(ctx, surface, 1.0, BRN_TET4, &mesh), BRN_ERR_MESH);
        assert_memory_equal(brn_ctx_message(ctx), "surface: ", 9);
        assert_null(mesh);
        brn_mesh_destroy(surface);
    }
    brn_ctx_destroy(ctx);
}

/* The same surface and resolution give the same bits. */
static void test_same_mesh_again(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    if (can_fill(ctx)) {
        char text[4096] = "";
        (void)add_box(text, 1, 0.0, 1.0, true);
        brn_mesh *first = fill(ctx, read_obj(ctx, text), 0.4, BRN_TET4);
        brn_mesh *second = fill(ctx, read_obj(ctx, text), 0.4, BRN_TET4);
        assert_int_equal(first->nnode, second->nnode);
        assert_memory_equal(first->pos, second->pos, (size_t)first->nnode * sizeof *first->pos);
        assert_int_equal(first->ncell[BRN_TET4], second->ncell[BRN_TET4]);
        assert_memory_equal(first->cell[BRN_TET4], second->cell[BRN_TET4],
                            (size_t)first->ncell[BRN_TET4] * 4 * sizeof(int));
        brn_mesh_destroy(first);
        brn_mesh_destroy(second);
    }
    brn_ctx_destroy(ctx);
}

/* ---- the check of the surface, which needs no gmsh ----------------------------------------------------------------- */

static void refuse(brn_ctx *ctx, const char *text, const char *message)
{
    brn_mesh *surface = read_obj(ctx, text);
    brn_mesh *mesh = NULL;
    assert_int_equal(brn_mesh_fill_surface(ctx, surface, 0.5, BRN_TET4, &mesh), BRN_ERR_MESH);
    assert_null(mesh);
    assert_string_equal(brn_ctx_message(ctx), message);
    brn_mesh_destroy(surface);
}

#define TET "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n"

static void test_bad_surfaces(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    refuse(ctx, TET,
           "surface: not closed: the edge from (0, 0, 0) to (0, 1, 0) belongs to one triangle only (3 such "
           "edges)");
    refuse(ctx, TET "f 1 3 4\n",
           "surface: the two triangles at the edge from (0, 0, 0) to (0, 1, 0) face opposite ways: orient "
           "all normals "
           "outwards");
    refuse(ctx, TET "f 1 4 3\nv 5 5 5\nf 1 2 5\n",
           "surface: the edge from (0, 0, 0) to (1, 0, 0) belongs to 3 triangles: must be 2");
    refuse(ctx, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 1 3 2\n",
           "surface: the part at (0, 0, 0) encloses no volume");
    char text[8192] = "";
    (void)add_box(text, add_box(text, 1, 0.0, 4.0, true), 1.0, 3.0, true);
    refuse(ctx, text,
           "surface: the part at (1, 1, 1) lies inside another and faces the same way: a cavity faces "
           "inwards, and "
           "solids must not overlap");
    brn_mesh *surface = read_obj(ctx, octahedron);
    brn_mesh *mesh = NULL;
    assert_int_equal(brn_mesh_fill_surface(ctx, surface, 0.0, BRN_TET4, &mesh), BRN_ERR_RANGE);
    assert_int_equal(brn_mesh_fill_surface(ctx, surface, NAN, BRN_TET4, &mesh), BRN_ERR_RANGE);
    assert_int_equal(brn_mesh_fill_surface(ctx, surface, 1.0, BRN_HEX8, &mesh), BRN_ERR_RANGE);
    assert_int_equal(brn_mesh_fill_surface(ctx, surface, 1e-6, BRN_TET4, &mesh), BRN_ERR_LIMIT);
    assert_string_equal(brn_ctx_message(ctx),
                        "resolution = 1e-06: would make about 1.1e+19 tets of a volume of 1.33 "
                        "m^3: at most 5e+07");
    brn_mesh_destroy(surface);
    brn_ctx_destroy(ctx);
}

static void test_welding_and_refinement(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    /* A tetrahedron in which no two triangles share a vertex. */
    static const char split[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv -0.0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                "f 1 3 2\nf 5 6 4\nf 2 7 8\nf 1 8 3\n";
    brn_mesh *mesh = read_obj(ctx, split);
    brn_closed_surface *closed = NULL;
    assert_done(ctx, brn_closed_surface_create(mesh, &closed));
    assert_int_equal(closed->nnode, 4);
    assert_int_equal(closed->nsolid, 1);
    assert_near(closed->volume, 1.0 / 6.0, 1e-16);
    assert_near(closed->longest, sqrt(2.0), 1e-15);
    assert_done(ctx, brn_closed_surface_refine(closed, 0.2, BRN_REFINE_ROUNDS));
    /* Still closed, the same volume, no long edge: checked by making it a mesh and a surface again. */
    brn_mesh *fine = NULL;
    assert_done(ctx, brn_mesh_create(ctx, closed->nnode, &fine));
    memcpy(fine->pos, closed->pos, (size_t)closed->nnode * sizeof *fine->pos);
    assert_done(ctx, brn_mesh_alloc_cells(fine, BRN_TRI3, closed->ntri));
    memcpy(fine->cell[BRN_TRI3], closed->tri, (size_t)closed->ntri * sizeof *closed->tri);
    brn_closed_surface *again = NULL;
    assert_done(ctx, brn_closed_surface_create(fine, &again));
    assert_int_equal(again->nnode, closed->nnode);
    assert_near(again->volume, 1.0 / 6.0, 1e-14);
    assert_true(again->longest <= 0.2);
    assert_true(again->shortest > 0.02);
    brn_closed_surface_destroy(again);
    brn_mesh_destroy(fine);
    brn_closed_surface_destroy(closed);
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

/* ---- every allocation fails in turn -------------------------------------------------------------------------------- */

typedef struct meter {
    long calls, fail_at; /* 0: never */
} meter;

static void *meter_realloc(void *user, void *block, size_t size)
{
    meter *m = user;
    if (size == 0) {
        free(block);
        return NULL;
    }
    return ++m->calls == m->fail_at ? NULL : realloc(block, size);
}

static void test_every_allocation_fails(void **state)
{
    (void)state;
    meter m = {0};
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = 1;
    options.realloc = meter_realloc;
    options.realloc_user = &m;
    brn_ctx *ctx = NULL;
    assert_int_equal(brn_ctx_create(&options, &ctx), BRN_OK);
    if (can_fill(ctx)) {
        /* 1.2: the triangles are kept. 6: meshed anew, with every fifth allocation, since each try starts gmsh. */
        static const double resolutions[] = {1.2, 6.0};
        brn_mesh *surface = read_obj(ctx, octahedron);
        const int all[] = {0, 1, 2, 3, 4, 5};
        assert_done(ctx, brn_mesh_add_group(surface, "all", all, 6));
        for (int i = 0; i < 2; ++i) {
            brn_status status = BRN_ERR_MEMORY;
            for (m.fail_at = 1; status < 0 && m.fail_at < 1000; m.fail_at += i == 0 ? 1 : 5) {
                brn_mesh *mesh = NULL;
                m.calls = 0;
                status = brn_mesh_fill_surface(ctx, surface, resolutions[i], BRN_TET10, &mesh);
                assert_true(status == BRN_OK || status == BRN_ERR_MEMORY);
                assert_true((mesh != NULL) == (status == BRN_OK));
                brn_mesh_destroy(mesh);
            }
            assert_true(m.fail_at > 20 && status == BRN_OK);
            m.fail_at = 0;
        }
        brn_mesh_destroy(surface);
    }
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_surfaces),
        cmocka_unit_test(test_welding_and_refinement),
        cmocka_unit_test(test_box_is_meshed_anew),
        cmocka_unit_test(test_fitting_triangles_are_kept),
        cmocka_unit_test(test_cavity_and_several_solids),
        cmocka_unit_test(test_cut_triangles_are_filled),
        cmocka_unit_test(test_tetrahedron),
        cmocka_unit_test(test_crossing_shell),
        cmocka_unit_test(test_process_is_left_alone),
        cmocka_unit_test(test_same_mesh_again),
        cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
