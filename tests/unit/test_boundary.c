#include "mesh_fixture.h"

#include "base/rng.h"
#include "geom/tuple.h"

static brn_boundary *boundary_of(const brn_mesh *mesh)
{
    brn_boundary *b = NULL;
    assert_done(mesh->ctx, brn_boundary_create(mesh, &b));
    return b;
}

/* Is there another cell that has all corners of a face? By looking at every cell. */
static bool is_shared(const brn_mesh *mesh, brn_cell kind, int cell, const int *corner, int ncorner)
{
    const int width = brn_cell_get(kind)->nnode;
    for (int c = 0; c < mesh->ncell[kind]; ++c) {
        int found = 0;
        for (int i = 0; c != cell && i < width; ++i) {
            for (int j = 0; j < ncorner; ++j) {
                found += mesh->cell[kind][c * width + i] == corner[j];
            }
        }
        if (found == ncorner) {
            return true;
        }
    }
    return false;
}

static void test_faces_against_brute_force(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    const char *layers[] = {"##.#/.###/#..#", "#..#/.##./####"};
    const char *elements[] = {"hex8", "hex20", "tet4", "tet10"};
    for (int e = 0; e < 4; ++e) {
        const recipe r = {
            .generator = "voxel", .element = elements[e], .cell = 1, .layers = layers, .nlayers = 2};
        brn_mesh *mesh = recipe_mesh(ctx, &r);
        const brn_cell kind = (brn_cell)brn_cell_find(elements[e]);
        const brn_cell_info *info = brn_cell_get(kind), *face = brn_cell_get(info->face);
        brn_boundary *b = boundary_of(mesh);
        /* The same faces with the same nodes in the same order. */
        int count = 0;
        for (int c = 0; c < mesh->ncell[kind]; ++c) {
            for (int f = 0; f < info->nface; ++f) {
                int node[8];
                for (int i = 0; i < face->nnode; ++i) {
                    node[i] = mesh->cell[kind][c * info->nnode + info->faces[f][i]];
                }
                if (!is_shared(mesh, kind, c, node, face->ncorner)) {
                    assert_true(count < b->nface[info->face]);
                    assert_memory_equal(b->face[info->face] + count * face->nnode, node,
                                        (size_t)face->nnode * sizeof *node);
                    count++;
                }
            }
        }
        assert_int_equal(count, b->nface[info->face]);
        const int pieces[] = {2, 6, 1, 4};
        assert_int_equal(b->ntri, count * pieces[e]);
        brn_boundary_destroy(b);
        brn_mesh_destroy(mesh);
    }
    brn_ctx_destroy(ctx);
}

/* The cut of a quad must not depend on where its node list starts or which way it runs. */
static void test_cut_depends_on_numbers_only(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {3};
    for (int trial = 0; trial < 50; ++trial) {
        brn_mesh *mesh = NULL;
        assert_done(ctx, brn_mesh_create(ctx, 8, &mesh));
        int ring[4] = {0, 1, 2, 3};
        for (int i = 3; i > 0; --i) {
            const int j = (int)(brn_rng_next(&rng) % (uint64_t)(i + 1)), keep = ring[i];
            ring[i] = ring[j];
            ring[j] = keep;
        }
        mesh->pos[0][2] = 1.0; /* a surface in space */
        uint64_t diagonal = 0;
        for (int way = 0; way < 8; ++way) {
            assert_done(ctx, brn_mesh_alloc_cells(mesh, BRN_QUAD4, 1));
            for (int i = 0; i < 4; ++i) {
                mesh->cell[BRN_QUAD4][i] = ring[way < 4 ? (i + way) % 4 : (4 + way - i) % 4];
            }
            brn_boundary *b = boundary_of(mesh);
            assert_int_equal(b->ntri, 2);
            assert_int_equal(b->nedge, 5);
            /* The nodes in both triangles are the diagonal; the lowest number is one of them. */
            uint64_t both = 0, any = 0;
            for (int t = 0; t < 2; ++t) {
                uint64_t set = 0;
                for (int k = 0; k < 3; ++k) {
                    set |= UINT64_C(1) << b->tri[t][k];
                }
                both |= any & set;
                any |= set;
            }
            assert_int_equal(any, 15);
            assert_true((both & 1) != 0);
            diagonal = way == 0 ? both : diagonal;
            assert_int_equal(both, diagonal);
            /* The winding of the quad is kept: its first edge appears in that direction. */
            int forward = 0;
            for (int i = 0; i < 4; ++i) {
                const int p = mesh->cell[BRN_QUAD4][i], q = mesh->cell[BRN_QUAD4][(i + 1) % 4];
                for (int k = 0; k < 6; ++k) {
                    forward += b->tri[k / 3][k % 3] == p && b->tri[k / 3][(k % 3 + 1) % 3] == q;
                }
            }
            assert_int_equal(forward, 4);
            brn_boundary_destroy(b);
        }
        brn_mesh_destroy(mesh);
    }
    brn_ctx_destroy(ctx);
}

/* A ball of curved cells, its faces cut into straight triangles: closed, outward, and as near to the ball as straight
   triangles come. Returns how much volume they miss. */
static double check_cut_ball(brn_ctx *ctx, const char *element, double resolution)
{
    const recipe r = {.generator = "sphere", .element = element, .radius = 1.0, .resolution = resolution};
    brn_mesh *mesh = recipe_mesh(ctx, &r);
    brn_boundary *b = boundary_of(mesh);
    double area[3] = {0}, volume = 0.0;
    for (int t = 0; t < b->ntri; ++t) {
        double one[3] = {0};
        face_integrals(mesh, BRN_TRI3, b->tri[t], one, &volume);
        const double *x = mesh->pos[b->tri[t][0]];
        assert_true(one[0] * x[0] + one[1] * x[1] + one[2] * x[2] > 0.0); /* each looks outwards */
        for (int k = 0; k < 3; ++k) {
            area[k] += one[k];
        }
    }
    assert_near(fabs(area[0]) + fabs(area[1]) + fabs(area[2]), 0.0, 1e-12);
    assert_int_equal(2 * b->nedge, 3 * b->ntri);
    assert_int_equal(b->nnode - b->nedge + b->ntri, 2);
    for (int i = 1; i < b->nedge; ++i) {
        const int *p = b->edge[i - 1], *q = b->edge[i];
        assert_true(q[0] < q[1] && (p[0] < q[0] || (p[0] == q[0] && p[1] < q[1])));
    }
    for (int i = 1; i < b->nnode; ++i) {
        assert_true(b->node[i] > b->node[i - 1]);
    }
    brn_boundary_destroy(b);
    brn_mesh_destroy(mesh);
    return 4.0 / 3.0 * M_PI - volume;
}

static void test_curved_faces_are_cut_conforming(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    const char *elements[] = {"tet10", "hex20"};
    for (int e = 0; e < 2; ++e) {
        /* 4 and 8 cells along the core. */
        const double coarse = check_cut_ball(ctx, elements[e], 1.35 / 4),
                     fine = check_cut_ball(ctx, elements[e], 1.35 / 8);
        assert_near(log2(coarse / fine), 2.0, 0.1);
    }
    brn_ctx_destroy(ctx);
}

static void test_plane_or_surface(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    const recipe r = {
        .generator = "box", .element = "tri6", .size = {1, 1}, .nsize = 2, .cells = {3, 2}, .ncells = 2};
    brn_mesh *mesh = recipe_mesh(ctx, &r);
    brn_boundary *b = boundary_of(mesh);
    assert_int_equal(b->nface[BRN_EDGE3], 10);
    assert_int_equal(b->nedge, 20);
    assert_int_equal(b->nnode, 20);
    assert_int_equal(b->ntri, 4 * 12);
    brn_boundary_destroy(b);
    /* The same flat sheet as a surface in space. */
    assert_done(ctx, brn_boundary_of_surface(mesh, &b));
    assert_int_equal(b->nface[BRN_TRI6], 12);
    assert_int_equal(b->ntri, 48);
    assert_int_equal(b->nnode, mesh->nnode);
    assert_int_equal(b->nnode - b->nedge + b->ntri, 1);
    brn_boundary_destroy(b);
    mesh->pos[0][2] = 0.1;
    b = boundary_of(mesh);
    assert_int_equal(b->nnode, mesh->nnode);
    brn_boundary_destroy(b);
    brn_mesh_destroy(mesh);
    /* Nothing at all. */
    assert_done(ctx, brn_mesh_create(ctx, 0, &mesh));
    b = boundary_of(mesh);
    assert_int_equal(b->ntri + b->nedge + b->nnode, 0);
    brn_boundary_destroy(b);
    brn_boundary_destroy(NULL);
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

static void expect_refused(brn_mesh *mesh, const char *words)
{
    brn_boundary *b = NULL;
    assert_int_equal(brn_boundary_create(mesh, &b), BRN_ERR_MESH);
    assert_null(b);
    if (strstr(brn_ctx_message(mesh->ctx), words) == NULL) {
        fail_msg("'%s' is not in '%s'", words, brn_ctx_message(mesh->ctx));
    }
}

static void test_bad_topology(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_mesh *mesh = NULL;
    /* Three tets on one face. */
    assert_done(ctx, brn_mesh_create(ctx, 6, &mesh));
    assert_done(ctx, brn_mesh_alloc_cells(mesh, BRN_TET4, 3));
    const int tets[12] = {0, 1, 2, 3, 0, 2, 1, 4, 1, 2, 0, 5};
    memcpy(mesh->cell[BRN_TET4], tets, sizeof tets);
    expect_refused(mesh, "the face of nodes 0, 1, 2 is shared by 3 cells: tet4 0, 1, 2");
    /* A curved neighbour of a straight cell; then two curved ones with different mid-edge nodes. */
    assert_done(ctx, brn_mesh_alloc_cells(mesh, BRN_TET4, 2));
    memcpy(mesh->cell[BRN_TET4], tets, 8 * sizeof *tets);
    assert_done(ctx, brn_mesh_raise_order(mesh));
    brn_boundary *b = boundary_of(mesh);
    assert_int_equal(b->nface[BRN_TRI6], 6);
    brn_boundary_destroy(b);
    mesh->cell[BRN_TET10][10 + 4] = 5; /* node 5 stands in for the mid node of edge 0-2 */
    expect_refused(mesh, "tet10 0 and tet10 1 share the face");
    mesh->cell[BRN_TET10][10 + 4] = 1 << 20;
    expect_refused(mesh, "tet10 1: node 1048576");
    mesh->ncell[BRN_TET10] = 1;
    assert_done(ctx, brn_mesh_alloc_cells(mesh, BRN_TET4, 1));
    memcpy(mesh->cell[BRN_TET4], tets + 4, 4 * sizeof *tets);
    expect_refused(mesh, "share the face");
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

static int compare_tuples(const void *a, const void *b)
{
    const brn_tuple *s = a, *t = b;
    for (int k = 0; k < 4; ++k) {
        if (s->key[k] != t->key[k]) {
            return s->key[k] < t->key[k] ? -1 : 1;
        }
    }
    return (s->id > t->id) - (s->id < t->id);
}

static void test_tuple_sort(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {5};
    enum { N = 3000 };
    static brn_tuple got[N], want[N];
    for (int range = 1; range <= 1000; range *= 10) { /* one crowded bucket to many small ones */
        for (int i = 0; i < N; ++i) {
            for (int k = 0; k < 4; ++k) {
                got[i].key[k] = (int)(brn_rng_next(&rng) % (uint64_t)range);
            }
            got[i].id = (i * 7) % N;
        }
        memcpy(want, got, sizeof got);
        qsort(want, N, sizeof *want, compare_tuples);
        assert_done(ctx, brn_tuple_sort(ctx, got, N, range));
        assert_memory_equal(got, want, sizeof got);
    }
    assert_done(ctx, brn_tuple_sort(ctx, got, 0, 0));
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faces_against_brute_force),
        cmocka_unit_test(test_cut_depends_on_numbers_only),
        cmocka_unit_test(test_curved_faces_are_cut_conforming),
        cmocka_unit_test(test_plane_or_surface),
        cmocka_unit_test(test_bad_topology),
        cmocka_unit_test(test_tuple_sort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
