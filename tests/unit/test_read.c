/* The mesh readers on good files: positions, connectivity, groups, in every form of every format. The files are in
   tests/data/meshes; those named tetN-mshXX-* and hexN-* were written by Gmsh 4.8. */
#include "test.h"

#include "base/rng.h"
#include "base/scanner.h"
#include "base/text.h"
#include "model/mesh_source.h"
#include "model/read/readers.h"

#define DATA BRN_SOURCE_DIR "/tests/data/meshes/"

static brn_mesh *read_file(brn_ctx *ctx, const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s%s", DATA, name);
    brn_mesh *mesh = NULL;
    assert_done(ctx, brn_mesh_read(ctx, path, &mesh));
    assert_non_null(mesh);
    return mesh;
}

/* The group's nodes are exactly these. */
static void assert_group(const brn_mesh *mesh, const char *name, int count, const int *node)
{
    const brn_group *group = brn_mesh_find_group(mesh, name);
    if (group == NULL) {
        fail_msg("no group '%s'", name);
        return;
    }
    assert_int_equal(group->nnode, count);
    for (int i = 0; i < count; ++i) {
        assert_int_equal(group->node[i], node[i]);
    }
}

#define ASSERT_GROUP(mesh, name, ...)                                          \
 do {                                                                          \
  const int nodes_[] = {__VA_ARGS__};                                          \
  assert_group((mesh), (name), (int)(sizeof nodes_ / sizeof *nodes_), nodes_); \
 } while (0)

/* Signed volume of the corners of a tet. */
static double tet_volume(const brn_mesh *mesh, const int *n)
{
    double e[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            e[i][k] = mesh->pos[n[i + 1]][k] - mesh->pos[n[0]][k];
        }
    }
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
            e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6.0;
}

/* A parallelepiped's volume from its corner 0; the readers' test hexahedra are such. */
static double hex_volume(const brn_mesh *mesh, const int *n)
{
    const int corner[4] = {n[0], n[1], n[3], n[4]};
    return 6.0 * tet_volume(mesh, corner);
}

/* Every mid-edge node lies in the middle of VTK's edge of that number. 1e-11: Gmsh's own points are off by 1.4e-12. */
static void assert_middles(const brn_mesh *mesh, const int *n, int ncorner, int nedge, const int (*edge)[2])
{
    for (int e = 0; e < nedge; ++e) {
        for (int k = 0; k < 3; ++k) {
            const double middle = 0.5 * (mesh->pos[n[edge[e][0]]][k] + mesh->pos[n[edge[e][1]]][k]);
            assert_near(mesh->pos[n[ncorner + e]][k], middle, 1e-11);
        }
    }
}

static const int tet_edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const int hex_edges[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                     {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};

/* ---- numbers ------------------------------------------------------------------------------------------------------- */

static bool parse(const char *text, double *out)
{
    return brn_span_real((brn_span){text, strlen(text)}, out);
}

static void test_numbers_round_as_strtod(void **state)
{
    (void)state;
    brn_rng rng = {7};
    static const char *const forms[] = {"%.17g", "%.16g", "%.15g", "%.6f", "%.12e", "%.19g", "%.3g", "%.25g"};
    for (int i = 0; i < 400000; ++i) {
        const uint64_t bits = brn_rng_next(&rng);
        double value;
        memcpy(&value, &bits, 8);
        /* Half of the numbers have everyday exponents, where the fast path works. */
        if (i % 2 == 0) {
            value = ldexp((double)(int64_t)bits, -63 + (int)(brn_rng_next(&rng) % 80) - 40);
        }
        if (!isfinite(value)) {
            continue;
        }
        char text[400];
        (void)snprintf(text, sizeof text, forms[i % 8], value);
        double got = 0.0;
        assert_true(parse(text, &got));
        const double want = strtod(text, NULL);
        if (memcmp(&got, &want, 8) != 0) {
            fail_msg("%s: got %.17g, want %.17g", text, got, want);
        }
    }
}

static void test_hard_numbers(void **state)
{
    (void)state;
    /* Halves between two doubles (to even), just above a half, the limits of the fast path, many zeros. */
    static const char *const good[] = {"9007199254740993",
                                       "9007199254740995",
                                       "9007199254740993.0000000000000000000000000000001",
                                       "4503599627370496.5",
                                       "4503599627370497.5",
                                       "9223372036854775808e27",
                                       "9999999999999999999e27",
                                       "9999999999999999999e-27",
                                       "1e-27",
                                       "1e-28",
                                       "1e27",
                                       "1e28",
                                       "00000000000000000000000000000000001.5",
                                       "0.000000000000000000000000000000000000000001",
                                       "1.7976931348623157e308",
                                       "4.9e-324",
                                       "1e-400",
                                       "-0.0",
                                       "+.5",
                                       "5.",
                                       "1e+05",
                                       "123456789012345678901234567890"};
    for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
        double got = 1.0;
        assert_true(parse(good[i], &got));
        const double want = strtod(good[i], NULL);
        assert_memory_equal(&got, &want, 8);
    }
    double value = 0.0;
    assert_true(parse("1.5D+3", &value));
    assert_near(value, 1500.0, 0.0);
    assert_true(parse("12345678901234567890123d-2", &value));
    assert_near(value, 12345678901234567890123e-2, 0.0);
    static const char *const bad[] = {"",    ".",     "-",   "e5",  "1e",
                                      "1e+", "1.2.3", "nan", "inf", "1x",
                                      "0x1", "1e999", "--1", "1 2", "1e99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        if (parse(bad[i], &value)) {
            fail_msg("'%s' was taken for the number %g", bad[i], value);
        }
    }
    int64_t whole = 0;
    assert_true(brn_span_int((brn_span){"9223372036854775807", 19}, &whole));
    assert_true(whole == INT64_MAX);
    assert_false(brn_span_int((brn_span){"9223372036854775808", 19}, &whole));
    assert_false(brn_span_int((brn_span){"99999999999999999999", 20}, &whole));
}

/* ---- Gmsh ---------------------------------------------------------------------------------------------------------- */

static void check_gmsh_tet(brn_ctx *ctx, const char *name, bool quadratic)
{
    brn_mesh *mesh = read_file(ctx, name);
    const brn_cell kind = quadratic ? BRN_TET10 : BRN_TET4;
    /* Written twice, for two physical groups of the volume: one cell all the same. */
    assert_int_equal(brn_mesh_cell_total(mesh), 1);
    assert_int_equal(mesh->ncell[kind], 1);
    assert_int_equal(mesh->nnode, quadratic ? 10 : 4);
    const int corners[4] = {0, 2, 3, 1};
    assert_memory_equal(mesh->cell[kind], corners, sizeof corners);
    assert_near(tet_volume(mesh, mesh->cell[kind]), 1.0 / 6.0, 1e-15);
    assert_near(mesh->pos[3][2], 1.0, 0.0);
    if (quadratic) {
        assert_middles(mesh, mesh->cell[kind], 4, 6, tet_edges);
        ASSERT_GROUP(mesh, "solid", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        ASSERT_GROUP(mesh, "base", 0, 1, 2, 4, 5, 6);
        ASSERT_GROUP(mesh, "physical_7_curve", 0, 1, 4);
    } else {
        ASSERT_GROUP(mesh, "solid", 0, 1, 2, 3);
        ASSERT_GROUP(mesh, "all of it", 0, 1, 2, 3);
        ASSERT_GROUP(mesh, "base", 0, 1, 2);
        ASSERT_GROUP(mesh, "physical_7_curve", 0, 1);
    }
    ASSERT_GROUP(mesh, "physical_7_point", 3);
    ASSERT_GROUP(mesh, "physical_9", 1);
    assert_int_equal(mesh->ngroup, 6);
    brn_mesh_destroy(mesh);
}

static void check_gmsh_hex(brn_ctx *ctx, const char *name, bool quadratic)
{
    brn_mesh *mesh = read_file(ctx, name);
    const brn_cell kind = quadratic ? BRN_HEX20 : BRN_HEX8;
    assert_int_equal(brn_mesh_cell_total(mesh), 1);
    assert_int_equal(mesh->ncell[kind], 1);
    assert_int_equal(mesh->nnode, quadratic ? 20 : 8);
    assert_near(hex_volume(mesh, mesh->cell[kind]), 6.0, 1e-12);
    if (quadratic) {
        assert_middles(mesh, mesh->cell[kind], 8, 12, hex_edges);
    }
    const brn_group *top = brn_mesh_find_group(mesh, "top");
    assert_non_null(top);
    assert_int_equal(top->nnode, quadratic ? 8 : 4);
    for (int i = 0; i < top->nnode; ++i) {
        assert_near(mesh->pos[top->node[i]][2], 3.0, 0.0);
    }
    assert_int_equal(brn_mesh_find_group(mesh, "brick")->nnode, mesh->nnode);
    brn_mesh_destroy(mesh);
}

static void test_gmsh_files(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    static const char *const forms[] = {"msh22-text", "msh22-binary", "msh41-text", "msh41-binary"};
    for (int f = 0; f < 4; ++f) {
        for (int order = 1; order <= 2; ++order) {
            char name[64];
            (void)snprintf(name, sizeof name, "tet%d-%s.msh", order, forms[f]);
            check_gmsh_tet(ctx, name, order == 2);
            (void)snprintf(name, sizeof name, "hex%d-%s.msh", order, forms[f]);
            check_gmsh_hex(ctx, name, order == 2);
        }
    }
    brn_ctx_destroy(ctx);
}

static void test_msh_byte_orders_and_sizes(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    static const char *const names[] = {"tet-msh22-big.msh", "tet-msh22-little.msh", "tet-msh41-big.msh",
                                        "tet-msh41-little4.msh", "tet-msh41-big4.msh"};
    for (int i = 0; i < 5; ++i) {
        brn_mesh *mesh = read_file(ctx, names[i]);
        const int want[4] = {0, 2, 3, 1};
        assert_int_equal(mesh->ncell[BRN_TET4], 1);
        assert_memory_equal(mesh->cell[BRN_TET4], want, sizeof want);
        assert_near(tet_volume(mesh, want), 1.0 / 6.0, 1e-15);
        ASSERT_GROUP(mesh, "solid", 0, 1, 2, 3);
        ASSERT_GROUP(mesh, "physical_5", 0, 1, 2);
        brn_mesh_destroy(mesh);
    }
    brn_ctx_destroy(ctx);
}

/* The reader of a format on a text. */
static brn_mesh *read_text(brn_ctx *ctx, brn_reader_fn read, const char *text)
{
    brn_mesh *mesh = NULL;
    assert_done(ctx, read(ctx, text, strlen(text), "text", &mesh));
    return mesh;
}

static void test_msh_sparse_numbers_and_unknown_parts(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    /* Numbers far apart and out of order, an unused node, sections to skip, a quad9 of lower dimension, CRLF. */
    brn_mesh *mesh =
        read_text(ctx, brn_read_msh,
                  "$Comments\r\nanything\r\n$EndComments\r\n$MeshFormat\r\n2.2 0 8\r\n$EndMeshFormat\r\n"
                  "$Nodes\r\n6\r\n2000000000 0 0 0\r\n7 1 0 0\r\n1000000 0 1 0\r\n3 0 0 1\r\n99 5 5 5\r\n4 1 "
                  "1 1\r\n$EndNodes\r\n"
                  "$Elements\r\n3\r\n1 10 2 6 1 7 7 7 7 7 7 7 7 4\r\n2 4 2 5 1 2000000000 7 1000000 3\r\n3 4 "
                  "0 7 1000000 3 4\r\n"
                  "$EndElements\r\n$NodeData\r\n1\r\n\"$EndNodes\"\r\n$EndNodeData\r\n");
    assert_int_equal(mesh->nnode, 5);
    assert_int_equal(mesh->ncell[BRN_TET4], 2);
    const int want[8] = {0, 1, 2, 3, 1, 2, 3, 4};
    assert_memory_equal(mesh->cell[BRN_TET4], want, sizeof want);
    assert_near(mesh->pos[4][1], 1.0, 0.0);
    ASSERT_GROUP(mesh, "physical_5", 0, 1, 2, 3);
    ASSERT_GROUP(mesh, "physical_6", 1, 4);
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

static void test_msh_partitioned(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    /* One triangle in a partition entity (tag 5) whose physical group is in $PartitionedEntities. */
    brn_mesh *mesh = read_text(ctx, brn_read_msh,
                               "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
                               "$Entities\n0 0 1 0\n1 0 0 0 1 1 0 1 4 0\n$EndEntities\n"
                               "$PartitionedEntities\n2 1\n3 1\n0 0 1 0\n5 2 1 1 2 0 0 0 1 1 0 1 4 0\n"
                               "$EndPartitionedEntities\n"
                               "$Nodes\n1 3 1 3\n2 5 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n"
                               "$Elements\n1 1 1 1\n2 5 2 1\n1 1 2 3\n$EndElements\n");
    assert_int_equal(mesh->ncell[BRN_TRI3], 1);
    ASSERT_GROUP(mesh, "physical_4", 0, 1, 2);
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

/* ---- Abaqus -------------------------------------------------------------------------------------------------------- */

static void test_inp_cube(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_mesh *mesh = read_file(ctx, "cube.inp");
    assert_int_equal(mesh->nnode, 8); /* node 100 is in no element */
    assert_int_equal(brn_mesh_cell_total(mesh), 1);
    const int want[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    assert_memory_equal(mesh->cell[BRN_HEX8], want, sizeof want);
    assert_near(hex_volume(mesh, want), 1.0, 0.0);
    assert_near(mesh->pos[1][0], 1.0, 0.0);
    ASSERT_GROUP(mesh, "Nall", 0, 1, 2, 3, 4, 5, 6, 7);
    ASSERT_GROUP(mesh, "Brick", 0, 1, 2, 3, 4, 5, 6, 7);
    ASSERT_GROUP(mesh, "Lid", 4, 5, 6, 7);
    ASSERT_GROUP(mesh, "bottom", 0, 1, 2, 3);
    ASSERT_GROUP(mesh, "Corner", 0, 1, 2, 3, 6); /* two cards in two spellings, one set */
    ASSERT_GROUP(mesh, "Corner_elements", 4, 5, 6, 7);
    ASSERT_GROUP(mesh, "wide", 0, 2, 4, 6);
    ASSERT_GROUP(mesh, "everything", 0, 1, 2, 3, 4, 5, 6, 7);
    ASSERT_GROUP(mesh, "fromlid", 4, 5, 6, 7);
    assert_int_equal(mesh->ngroup, 9);
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

static void test_inp_part_and_order(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_mesh *mesh = read_file(ctx, "tets.inp");
    assert_int_equal(mesh->ncell[BRN_TET10], 1);
    assert_near(tet_volume(mesh, mesh->cell[BRN_TET10]), 8.0 / 6.0, 1e-15);
    assert_middles(mesh, mesh->cell[BRN_TET10], 4, 6, tet_edges);
    ASSERT_GROUP(mesh, "tip", 3);
    assert_null(brn_mesh_find_group(mesh, "reference")); /* a point of the assembly, not of the mesh */
    brn_mesh_destroy(mesh);
    /* Types by family and number, whatever follows: tri3, tri6, tet4, hex20; a spring that is left out, and its set. */
    mesh = read_text(ctx, brn_read_inp,
                     "*NODE\n1,0,0\n2,1,0\n3,0,1\n4,.5,0\n5,.5,.5\n6,0,.5\n*ELEMENT, TYPE=CPE3H\n1,1,2,3\n"
                     "*ELEMENT, TYPE=CPS6M, ELSET=six\n2,1,2,3,4,5,6\n*ELEMENT,TYPE=SPRINGA,ELSET=s\n3,1,2\n"
                     "*ELSET,ELSET=both\n2,3\n*ELSET,ELSET=range,GENERATE\n1,200\n*NSET,NSET=\"a b\"\n2\n");
    assert_int_equal(mesh->ncell[BRN_TRI3], 1);
    assert_int_equal(mesh->ncell[BRN_TRI6], 1);
    ASSERT_GROUP(mesh, "both", 0, 1, 2, 3, 4, 5);
    ASSERT_GROUP(mesh, "range", 0, 1, 2, 3, 4, 5);
    ASSERT_GROUP(mesh, "a b", 1);
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

/* ---- surfaces ------------------------------------------------------------------------------------------------------ */

/* Area of all triangles, projected on z (signed) */
static double area_z(const brn_mesh *mesh, double *smallest)
{
    double sum = 0.0;
    *smallest = INFINITY;
    for (int i = 0; i < mesh->ncell[BRN_TRI3]; ++i) {
        const int *n = mesh->cell[BRN_TRI3] + 3 * (size_t)i;
        const double *a = mesh->pos[n[0]], *b = mesh->pos[n[1]], *c = mesh->pos[n[2]];
        const double area = 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
        sum += area;
        *smallest = area < *smallest ? area : *smallest;
    }
    return sum;
}

static void test_obj_shapes(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_mesh *mesh = read_file(ctx, "shapes.obj");
    assert_int_equal(mesh->nnode, 9); /* the vertex at 9 9 9 is left out */
    assert_int_equal(mesh->ncell[BRN_TRI3], 3 + 2);
    double smallest = 0.0;
    /* 16 - 6 (the notch) + 1; all triangles turn left, so they do not overlap. */
    assert_near(area_z(mesh, &smallest), 11.0, 1e-14);
    assert_true(smallest > 0.0);
    ASSERT_GROUP(mesh, "plate", 0, 1, 2, 3, 4);
    ASSERT_GROUP(mesh, "lower", 0, 1, 2, 3, 4);
    ASSERT_GROUP(mesh, "upper", 5, 6, 7, 8);
    ASSERT_GROUP(mesh, "thing", 0, 1, 2, 3, 4, 5, 6, 7, 8);
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

/* Random star-shaped polygons have the area of their triangulation, whatever the orientation of their plane. */
static void test_obj_random_polygons(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {11};
    for (int trial = 0; trial < 300; ++trial) {
        brn_text text = {.ctx = ctx};
        const int n = 4 + (int)(brn_rng_next(&rng) % 40);
        double x[50], y[50];
        double area = 0.0;
        for (int i = 0; i < n; ++i) {
            const double r = 0.1 + (double)(brn_rng_next(&rng) % 1000) / 1000.0;
            x[i] = r * cos(2.0 * M_PI * i / n);
            y[i] = r * sin(2.0 * M_PI * i / n);
            /* Seen along one of six directions: the polygon's plane is a coordinate plane, mirrored or not. */
            const double flip = trial % 2 == 0 ? 1.0 : -1.0;
            const double p[3] = {x[i] * flip, y[i], 0.3};
            const int s = trial % 3;
            brn_text_add(&text, "v %.17g %.17g %.17g\n", p[(3 - s) % 3], p[(4 - s) % 3], p[(5 - s) % 3]);
        }
        for (int i = 0; i < n; ++i) {
            area += 0.5 * (x[i] * y[(i + 1) % n] - y[i] * x[(i + 1) % n]);
        }
        brn_text_add(&text, "f");
        for (int i = 0; i < n; ++i) {
            brn_text_add(&text, " %d", i + 1);
        }
        char *bytes = NULL;
        assert_done(ctx, brn_text_take(&text, &bytes));
        brn_mesh *mesh = read_text(ctx, brn_read_obj, bytes);
        brn_free(ctx, bytes);
        assert_int_equal(mesh->ncell[BRN_TRI3], n - 2);
        double sum = 0.0; /* of unsigned areas: equal to the polygon's only if nothing overlaps */
        for (int i = 0; i < n - 2; ++i) {
            const int *t = mesh->cell[BRN_TRI3] + 3 * (size_t)i;
            double u[3], v[3];
            for (int k = 0; k < 3; ++k) {
                u[k] = mesh->pos[t[1]][k] - mesh->pos[t[0]][k];
                v[k] = mesh->pos[t[2]][k] - mesh->pos[t[0]][k];
            }
            sum += 0.5 * sqrt(pow(u[1] * v[2] - u[2] * v[1], 2) + pow(u[2] * v[0] - u[0] * v[2], 2) +
                              pow(u[0] * v[1] - u[1] * v[0], 2));
        }
        assert_near(sum, area, 1e-12); /* rounding of 40 terms of order 1 */
        brn_mesh_destroy(mesh);
    }
    /* Straight corners make no degenerate triangles. */
    brn_mesh *mesh =
        read_text(ctx, brn_read_obj, "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 2 2 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4 5 6\n");
    double smallest = 0.0;
    assert_near(area_z(mesh, &smallest), 4.0, 1e-15);
    assert_true(smallest > 0.1);
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

static void test_stl_files(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_mesh *mesh = read_file(ctx, "two.stl");
    assert_int_equal(mesh->nnode, 4);
    const int want[6] = {0, 1, 2, 1, 3, 2};
    assert_int_equal(mesh->ncell[BRN_TRI3], 2);
    assert_memory_equal(mesh->cell[BRN_TRI3], want, sizeof want);
    ASSERT_GROUP(mesh, "first part", 0, 1, 2);
    assert_int_equal(mesh->ngroup, 1);
    brn_mesh_destroy(mesh);
    mesh = read_file(ctx, "tet-binary.stl");
    assert_int_equal(mesh->nnode, 4);
    assert_int_equal(mesh->ncell[BRN_TRI3], 4); /* the fifth has no area */
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

/* ---- VTK and TetGen ------------------------------------------------------------------------------------------------ */

static void test_vtk_files(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    static const char *const tets[] = {"tet-vtk3-binary.vtk", "tet-vtk51-binary.vtk"};
    for (int i = 0; i < 2; ++i) {
        brn_mesh *mesh = read_file(ctx, tets[i]);
        const int want[4] = {0, 1, 2, 3};
        assert_int_equal(mesh->nnode, 4);
        assert_int_equal(brn_mesh_cell_total(mesh), 1);
        assert_memory_equal(mesh->cell[BRN_TET4], want, sizeof want);
        assert_near(tet_volume(mesh, want), 1.0 / 6.0, 1e-15);
        brn_mesh_destroy(mesh);
    }
    brn_mesh *mesh = read_file(ctx, "grid51.vtk");
    assert_int_equal(mesh->ncell[BRN_HEX8], 2);
    const int hexes[16] = {0, 1, 3, 2, 4, 5, 7, 6, 4, 5, 7, 6, 8, 9, 10, 11};
    assert_memory_equal(mesh->cell[BRN_HEX8], hexes, sizeof hexes);
    assert_near(hex_volume(mesh, mesh->cell[BRN_HEX8]), 1.0, 0.0);
    assert_near(hex_volume(mesh, mesh->cell[BRN_HEX8] + 8), 1.0, 0.0);
    brn_mesh_destroy(mesh);
    mesh = read_file(ctx, "poly.vtk");
    assert_int_equal(mesh->nnode, 7);
    assert_int_equal(mesh->ncell[BRN_TRI3], 2 + 3);
    double smallest = 0.0;
    assert_near(area_z(mesh, &smallest), 2.5, 1e-15);
    assert_true(smallest > 0.4);
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

static void test_tetgen_files(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    static const char *const names[] = {"tet10.node", "tet10.ele"};
    for (int i = 0; i < 2; ++i) {
        brn_mesh *mesh = read_file(ctx, names[i]);
        assert_int_equal(mesh->nnode, 10);
        assert_int_equal(mesh->ncell[BRN_TET10], 1);
        assert_near(tet_volume(mesh, mesh->cell[BRN_TET10]), 8.0 / 6.0, 1e-15);
        assert_middles(mesh, mesh->cell[BRN_TET10], 4, 6, tet_edges);
        ASSERT_GROUP(mesh, "marker_3", 1, 2, 6);
        ASSERT_GROUP(mesh, "marker_-1", 3);
        ASSERT_GROUP(mesh, "region_2", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        brn_mesh_destroy(mesh);
    }
    brn_mesh *mesh = read_file(ctx, "square.node");
    const int edges[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    assert_int_equal(mesh->ncell[BRN_TRI6], 1);
    assert_middles(mesh, mesh->cell[BRN_TRI6], 3, 3, edges);
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

/* ---- the table ----------------------------------------------------------------------------------------------------- */

static void test_table_and_extensions(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    assert_int_equal(brn_reader_count(), 6);
    assert_string_equal(brn_reader_get(0)->extensions, "msh");
    assert_null(brn_reader_get(6));
    assert_null(brn_reader_get(-1));
    brn_mesh *mesh = NULL;
    assert_int_equal(brn_mesh_read(ctx, "bear.mhs", &mesh), BRN_ERR_FORMAT);
    assert_string_equal(brn_ctx_message(ctx),
                        "bear.mhs: not a mesh format that brunt reads (msh, inp, obj, stl, "
                        "vtk, node/ele), did you mean .msh?");
    assert_int_equal(brn_mesh_read(ctx, "bear", &mesh), BRN_ERR_FORMAT);
    assert_null(strstr(brn_ctx_message(ctx), "did you mean"));
    assert_int_equal(brn_mesh_read(ctx, "missing/bear.MSH", &mesh), BRN_ERR_FILE);
    assert_non_null(strstr(brn_ctx_message(ctx), "missing/bear.MSH"));
    assert_int_equal(brn_mesh_read(ctx, "missing/bear.ele", &mesh), BRN_ERR_FILE);
    assert_non_null(strstr(brn_ctx_message(ctx), "missing/bear.node"));
    assert_null(mesh);
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_round_as_strtod),
        cmocka_unit_test(test_hard_numbers),
        cmocka_unit_test(test_gmsh_files),
        cmocka_unit_test(test_msh_byte_orders_and_sizes),
        cmocka_unit_test(test_msh_sparse_numbers_and_unknown_parts),
        cmocka_unit_test(test_msh_partitioned),
        cmocka_unit_test(test_inp_cube),
        cmocka_unit_test(test_inp_part_and_order),
        cmocka_unit_test(test_obj_shapes),
        cmocka_unit_test(test_obj_random_polygons),
        cmocka_unit_test(test_stl_files),
        cmocka_unit_test(test_vtk_files),
        cmocka_unit_test(test_tetgen_files),
        cmocka_unit_test(test_table_and_extensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
