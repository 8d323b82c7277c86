#include "mesh_fixture.h"

#include "base/rng.h"

static brn_mesh *small_mesh(brn_ctx *ctx, brn_cell kind, int nnode, const double (*pos)[3], int ncell,
                            const int *cell)
{
    brn_mesh *mesh = NULL;
    assert_done(ctx, brn_mesh_create(ctx, nnode, &mesh));
    memcpy(mesh->pos, pos, (size_t)nnode * sizeof *pos);
    assert_done(ctx, brn_mesh_alloc_cells(mesh, kind, ncell));
    memcpy(mesh->cell[kind], cell, (size_t)ncell * (size_t)brn_cell_get(kind)->nnode * sizeof *cell);
    return mesh;
}

static const double tet_pos[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
static const int tet_cells[8] = {0, 1, 2, 3, 1, 4, 2, 3};

static brn_mesh *two_tets(brn_ctx *ctx)
{
    return small_mesh(ctx, BRN_TET4, 5, tet_pos, 2, tet_cells);
}

/* A cell of any kind at its reference nodes. */
static brn_mesh *reference_cell(brn_ctx *ctx, brn_cell kind)
{
    double node[20][3];
    brn_cell_nodes(kind, node);
    int cell[20];
    for (int i = 0; i < 20; ++i) {
        cell[i] = i;
    }
    return small_mesh(ctx, kind, brn_cell_get(kind)->nnode, (const double(*)[3])node, 1, cell);
}

static void test_cell_tables(void **state)
{
    (void)state;
    const int vtk[] = {3, 21, 5, 22, 9, 23, 10, 24, 12, 25};
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const brn_cell_info *info = brn_cell_get((brn_cell)kind);
        assert_int_equal(brn_cell_find(info->name), kind);
        assert_int_equal(info->vtk, vtk[kind]);
        assert_true(info->nnode == info->ncorner || info->nnode == info->ncorner + info->nedge);
        double node[20][3];
        brn_cell_nodes((brn_cell)kind, node);
        double centre[3] = {0};
        for (int i = 0; i < info->ncorner; ++i) {
            for (int k = 0; k < 3; ++k) {
                centre[k] += node[i][k] / info->ncorner;
            }
        }
        for (int f = 0; f < info->nface; ++f) {
            const brn_cell_info *face = brn_cell_get(info->face);
            const int *n = info->faces[f];
            assert_int_equal(face->dim, info->dim - 1);
            /* A face looks away from the centre. */
            double a[3], b[3], out[3];
            for (int k = 0; k < 3; ++k) {
                a[k] = node[n[1]][k] - node[n[0]][k];
                b[k] = info->dim == 3 ? node[n[2]][k] - node[n[0]][k] : k == 2;
                out[k] = node[n[0]][k] - centre[k];
            }
            double side = 0.0;
            for (int k = 0; k < 3; ++k) {
                side += (a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]) * out[k];
            }
            assert_true(side > 0.0);
            /* Mid-edge nodes of the face lie between its corners. */
            for (int m = face->ncorner; m < face->nnode; ++m) {
                const int *ends = face->edges[m - face->ncorner];
                for (int k = 0; k < 3; ++k) {
                    assert_near(node[n[m]][k], 0.5 * (node[n[ends[0]]][k] + node[n[ends[1]]][k]), 0.0);
                }
            }
        }
    }
    assert_int_equal(brn_cell_find("hex27"), -1);
}

/* Shape functions are 1 at their node and 0 at the others, and their derivatives sum to 0 and reproduce x. */
static void test_shape_gradients(void **state)
{
    (void)state;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const brn_cell_info *info = brn_cell_get((brn_cell)kind);
        double node[20][3], value[20], grad[20][3];
        brn_cell_nodes((brn_cell)kind, node);
        for (int i = 0; i < info->nnode; ++i) {
            shape_values((brn_cell)kind, node[i], value);
            for (int j = 0; j < info->nnode; ++j) {
                assert_near(value[j], i == j, 1e-14);
            }
        }
        const double xi[3] = {0.17, info->dim > 1 ? 0.31 : 0.0, info->dim > 2 ? 0.23 : 0.0};
        brn_cell_gradients((brn_cell)kind, xi, grad);
        for (int k = 0; k < info->dim; ++k) {
            for (int l = 0; l < info->dim; ++l) {
                double sum = 0.0, jacobian = 0.0;
                for (int i = 0; i < info->nnode; ++i) {
                    sum += grad[i][k];
                    jacobian += grad[i][k] * node[i][l];
                }
                assert_near(sum, 0.0, 1e-14);
                assert_near(jacobian, k == l, 1e-14);
            }
        }
    }
}

static void test_measure(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    const double size[] = {2, 2, 0.5, 0.5, 4, 4, 1.0 / 6.0, 1.0 / 6.0, 8, 8};
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        brn_mesh *mesh = reference_cell(ctx, (brn_cell)kind);
        brn_mesh_quality quality;
        brn_mesh_measure(mesh, &quality);
        assert_near(quality.volume, size[kind], 1e-14);
        assert_int_equal(quality.worst_cell, 0);
        brn_mesh_destroy(mesh);
    }
    /* The regular tet has quality 1 at any size and place, its mirror image -1. */
    const double regular[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    const int order[2][4] = {{0, 2, 1, 3}, {0, 1, 2, 3}};
    double worst[2];
    for (int i = 0; i < 2; ++i) {
        brn_mesh *mesh = small_mesh(ctx, BRN_TET4, 4, regular, 1, order[i]);
        const double scale[3] = {1e-3, 1e-3, 1e-3}, shift[3] = {0.1, 0.2, 0.3};
        brn_mesh_transform(mesh, scale, (const double[9]){0, -1, 0, 1, 0, 0, 0, 0, 1}, shift);
        brn_mesh_quality quality;
        brn_mesh_measure(mesh, &quality);
        worst[i] = quality.worst;
        assert_near(quality.smallest_edge, sqrt(8.0) * 1e-3, 1e-15);
        assert_near(fabs(quality.volume), 8.0 / 3.0 * 1e-9, 1e-21);
        brn_mesh_destroy(mesh);
    }
    assert_near(fabs(worst[0]), 1.0, 1e-12);
    assert_near(worst[0] + worst[1], 0.0, 1e-12);
    /* Equilateral triangle; a surface triangle in space is positive whichever way it runs. */
    const double tri[3][3] = {{0, 0, 1}, {1, 0, 1}, {0.5, sqrt(0.75), 1}};
    brn_mesh *mesh = small_mesh(ctx, BRN_TRI3, 3, tri, 1, (int[]){0, 2, 1});
    brn_mesh_quality quality;
    brn_mesh_measure(mesh, &quality);
    assert_near(quality.worst, 1.0, 1e-14);
    assert_near(quality.volume, sqrt(3.0) / 4.0, 1e-15);
    brn_mesh_destroy(mesh);
    /* Empty mesh. */
    assert_done(ctx, brn_mesh_create(ctx, 0, &mesh));
    brn_mesh_measure(mesh, &quality);
    assert_int_equal(quality.worst_cell, -1);
    assert_near(quality.volume, 0.0, 0.0);
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

static void test_groups(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_mesh *mesh = two_tets(ctx);
    assert_done(ctx, brn_mesh_add_group(mesh, "b", (int[]){4, 1, 4, 0}, 4));
    assert_done(ctx, brn_mesh_add_group(mesh, "a", NULL, 0));
    assert_done(ctx, brn_mesh_add_group(mesh, "b", (int[]){2, 1}, 2)); /* added to the first */
    assert_int_equal(mesh->ngroup, 2);
    const brn_group *group = brn_mesh_find_group(mesh, "b");
    assert_int_equal(group->nnode, 4);
    assert_memory_equal(group->node, ((int[]){0, 1, 2, 4}), 4 * sizeof(int));
    assert_int_equal(brn_mesh_find_group(mesh, "a")->nnode, 0);
    assert_null(brn_mesh_find_group(mesh, "c"));
    assert_int_equal(brn_mesh_add_group(mesh, "d", (int[]){5}, 1), BRN_ERR_MESH);
    assert_int_equal(brn_mesh_add_group(mesh, "d", (int[]){-1}, 1), BRN_ERR_MESH);
    assert_null(brn_mesh_find_group(mesh, "d"));
    assert_int_equal(brn_mesh_dim(mesh), 3);
    assert_int_equal(brn_mesh_cell_total(mesh), 2);
    brn_mesh_destroy(mesh);
    brn_mesh_destroy(NULL);
    assert_int_equal(brn_mesh_create(ctx, -1, &mesh), BRN_ERR_RANGE);
    assert_done(ctx, brn_mesh_create(ctx, 0, &mesh));
    assert_int_equal(brn_mesh_dim(mesh), 0);
    assert_int_equal(brn_mesh_alloc_cells(mesh, BRN_HEX20, 200000000), BRN_ERR_LIMIT);
    assert_int_equal(brn_mesh_alloc_cells(mesh, BRN_HEX20, -1), BRN_ERR_LIMIT);
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

static void test_transform_and_mirror(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    const double turn[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}, none[3] = {0},
                 identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    brn_mesh *mesh = two_tets(ctx);
    brn_mesh_transform(mesh, (const double[3]){2, 3, 4}, turn, (const double[3]){10, 20, 30});
    assert_memory_equal(mesh->pos[4], ((double[3]){10 - 3, 20 + 2, 30 + 4}), sizeof(double[3]));
    brn_mesh_destroy(mesh);
    /* Every kind stays valid under every mirror. */
    for (int kind = BRN_TRI3; kind < BRN_CELL_COUNT; ++kind) {
        for (int mask = 0; mask < 8; ++mask) {
            mesh = reference_cell(ctx, (brn_cell)kind);
            brn_mesh_quality before, after;
            brn_mesh_measure(mesh, &before);
            const double scale[3] = {mask & 1 ? -1 : 1, mask & 2 ? -1 : 1, mask & 4 ? -1 : 1};
            brn_mesh_transform(mesh, scale, identity, none);
            brn_mesh_measure(mesh, &after);
            assert_near(after.volume, before.volume, 1e-15);
            assert_near(after.worst, before.worst, 1e-15);
            assert_done(ctx, brn_mesh_check(mesh, "mirror"));
            brn_mesh_destroy(mesh);
        }
    }
    brn_ctx_destroy(ctx);
}

/* The check must fail with every given word in its message. */
static void expect_defect(brn_mesh *mesh, const char *words)
{
    char list[256], *save = NULL;
    assert_int_equal(brn_mesh_check(mesh, "bear.msh"), BRN_ERR_MESH);
    const char *message = brn_ctx_message(mesh->ctx);
    assert_ptr_equal(strstr(message, "bear.msh: "), message);
    (void)snprintf(list, sizeof list, "%s", words);
    for (char *word = strtok_r(list, "|", &save); word != NULL; word = strtok_r(NULL, "|", &save)) {
        if (strstr(message, word) == NULL) {
            fail_msg("'%s' is not in '%s'", word, message);
        }
    }
    brn_mesh_destroy(mesh);
}

static void test_check_finds_each_defect(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_mesh *mesh = two_tets(ctx);
    assert_done(ctx, brn_mesh_check(mesh, "good"));
    mesh->pos[3][1] = NAN;
    mesh->pos[4][0] = INFINITY;
    expect_defect(mesh, "node 3 |not finite|2 such nodes");

    mesh = two_tets(ctx);
    mesh->cell[BRN_TET4][6] = 5;
    expect_defect(mesh, "cell 1 (tet4)|node 5|0..4");
    mesh = two_tets(ctx);
    mesh->cell[BRN_TET4][2] = -1;
    expect_defect(mesh, "cell 0 (tet4)|node -1");

    mesh = two_tets(ctx);
    mesh->cell[BRN_TET4][5] = 2;
    expect_defect(mesh, "cell 1 (tet4) lists node 2 more than once|node 4 is used by no cell");

    mesh = two_tets(ctx);
    mesh->cell[BRN_TET4][6] = 3;
    mesh->cell[BRN_TET4][7] = 2;
    expect_defect(mesh, "cell 1 (tet4) is inverted|-0.333");

    mesh = two_tets(ctx);
    mesh->pos[4][0] = 0.5, mesh->pos[4][1] = 0.25, mesh->pos[4][2] = 0.25; /* in the plane of nodes 1, 2, 3 */
    expect_defect(mesh, "cell 1 (tet4) is degenerate");

    double pos[7][3] = {{0}};
    memcpy(pos, tet_pos, sizeof tet_pos);
    pos[5][0] = 7.0;
    mesh = small_mesh(ctx, BRN_TET4, 7, (const double(*)[3])pos, 2, tet_cells);
    expect_defect(mesh, "node 5 is used by no cell (2 such nodes)");

    /* Two tets that should share a face but have their own nodes there. */
    double apart[8][3];
    const int from[8] = {0, 1, 2, 3, 1, 4, 2, 3};
    for (int i = 0; i < 8; ++i) {
        memcpy(apart[i], tet_pos[from[i]], sizeof apart[i]);
    }
    apart[4][0] += 1e-14;
    mesh = small_mesh(ctx, BRN_TET4, 8, (const double(*)[3])apart, 2, (int[]){0, 1, 2, 3, 4, 5, 6, 7});
    expect_defect(mesh, "nodes 1 and 4 coincide (3 such nodes)");

    /* A clockwise plane triangle; two sorts at once. */
    const double plane[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 2, 0}};
    mesh = small_mesh(ctx, BRN_TRI3, 4, plane, 1, (int[]){0, 2, 1});
    expect_defect(mesh, "cell 0 (tri3) is inverted: signed area|node 3 is used by no cell");

    /* A hexahedron with one corner pushed through: positive volume, negative corner. */
    mesh = reference_cell(ctx, BRN_HEX8);
    mesh->pos[6][0] = mesh->pos[6][1] = mesh->pos[6][2] = -0.5;
    expect_defect(mesh, "cell 0 (hex8) is inverted|at node");

    /* A curved tet whose mid-edge node is pulled past the quarter point. */
    mesh = reference_cell(ctx, BRN_TET10);
    mesh->pos[4][0] = 0.2;
    expect_defect(mesh, "cell 0 (tet10) is inverted|at node 0");
    mesh = reference_cell(ctx, BRN_TET10);
    mesh->pos[4][0] = 0.3;
    assert_done(ctx, brn_mesh_check(mesh, "curved"));
    brn_mesh_quality quality;
    brn_mesh_measure(mesh, &quality);
    assert_true(quality.worst > 0.0 && quality.worst < 0.3);
    brn_mesh_destroy(mesh);

    assert_done(ctx, brn_mesh_create(ctx, 1, &mesh));
    expect_defect(mesh, "no cells");
    mesh = two_tets(ctx);
    assert_done(ctx, brn_mesh_alloc_cells(mesh, BRN_TRI3, 1));
    mesh->cell[BRN_TRI3][1] = 1;
    mesh->cell[BRN_TRI3][2] = 2;
    expect_defect(mesh, "1 tri3 cells are mixed with cells of dimension 3");
    brn_ctx_destroy(ctx);
}

static void test_clean(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    /* A box whose every tet has its own four nodes, jittered, plus unused nodes: cleaning restores it. */
    const recipe r = {.generator = "box",
                      .element = "tet4",
                      .size = {3, 2, 1},
                      .nsize = 3,
                      .cells = {6, 4, 2},
                      .ncells = 3};
    brn_mesh *box = recipe_mesh(ctx, &r), *soup = NULL;
    const int ntet = box->ncell[BRN_TET4];
    for (int jitter = 0; jitter < 2; ++jitter) {
        brn_rng rng = {7};
        assert_done(ctx, brn_mesh_create(ctx, 4 * ntet + 3, &soup));
        assert_done(ctx, brn_mesh_alloc_cells(soup, BRN_TET4, ntet));
        for (int i = 0; i < 4 * ntet; ++i) {
            soup->cell[BRN_TET4][i] = 3 + i; /* nodes 0, 1, 2 are unused and sit where others are */
            for (int k = 0; k < 3; ++k) {
                soup->pos[3 + i][k] =
                    box->pos[box->cell[BRN_TET4][i]][k] + jitter * brn_rng_uniform(&rng, -1e-7, 1e-7);
            }
        }
        memcpy(soup->pos[0], soup->pos[3], sizeof *soup->pos);
        assert_done(ctx, brn_mesh_add_group(soup, "all", soup->cell[BRN_TET4], 4 * ntet));
        assert_done(ctx, brn_mesh_add_group(soup, "gone", (int[]){0, 1}, 2));
        assert_int_equal(brn_mesh_check(soup, "soup"), BRN_ERR_MESH);
        assert_done(ctx, brn_mesh_clean(soup, jitter ? 1e-6 : 0.0));
        assert_int_equal(soup->nnode, box->nnode);
        assert_done(ctx, brn_mesh_check(soup, "cleaned"));
        brn_mesh_quality quality;
        brn_mesh_measure(soup, &quality);
        assert_near(quality.volume, 6.0, jitter ? 1e-5 : 1e-13);
        assert_int_equal(brn_mesh_find_group(soup, "all")->nnode, box->nnode);
        assert_int_equal(brn_mesh_find_group(soup, "gone")->nnode, 0);
        brn_boundary *b = NULL;
        assert_done(ctx, brn_boundary_create(soup, &b));
        assert_int_equal(b->ntri, 2 * 2 * (6 * 4 + 4 * 2 + 2 * 6));
        brn_boundary_destroy(b);
        brn_mesh_destroy(soup);
    }
    brn_mesh_destroy(box);
    brn_ctx_destroy(ctx);
}

/* The hashed search against all pairs, with clusters of every spacing around the tolerance, far from the origin too. */
static void test_clean_against_brute_force(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {11};
    const double tolerances[] = {0.0, 1e-3, 0.02, 0.3, 100.0};
    for (int t = 0; t < 5; ++t) {
        const double tolerance = tolerances[t], shift = t == 2 ? 1e6 : 0.0;
        enum { N = 600 };
        brn_mesh *mesh = NULL;
        assert_done(ctx, brn_mesh_create(ctx, N, &mesh));
        assert_done(ctx, brn_mesh_alloc_cells(mesh, BRN_TRI3, N / 3));
        int kept[N], nkept = 0, expected[N];
        for (int i = 0; i < N; ++i) {
            mesh->cell[BRN_TRI3][i] = i;
            for (int k = 0; k < 3; ++k) {
                mesh->pos[i][k] =
                    shift + (i % 5 == 4 ? mesh->pos[i - 3][k] - shift : brn_rng_uniform(&rng, -1.0, 1.0));
                mesh->pos[i][k] += i % 10 == 4 ? 0.6 * tolerance : 0.0;
            }
            int found = -1;
            for (int j = 0; j < nkept && found < 0; ++j) {
                const double *a = mesh->pos[i], *b = mesh->pos[kept[j]];
                const double d = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
                found = d <= tolerance ? j : -1;
            }
            expected[i] = found >= 0 ? found : nkept;
            if (found < 0) {
                kept[nkept++] = i;
            }
        }
        assert_done(ctx, brn_mesh_clean(mesh, tolerance));
        assert_int_equal(mesh->nnode, nkept);
        assert_memory_equal(mesh->cell[BRN_TRI3], expected, sizeof expected);
        assert_true(nkept < N); /* something was merged */
        brn_mesh_destroy(mesh);
    }
    /* 0 and -0 are one place; infinities and NaN are no place. */
    const double odd[6][3] = {{0.0, 1, 2},      {-0.0, 1, 2}, {INFINITY, 0, 0},
                              {INFINITY, 0, 0}, {NAN, 0, 0},  {NAN, 0, 0}};
    for (int t = 0; t < 2; ++t) {
        brn_mesh *mesh = small_mesh(ctx, BRN_TRI3, 6, odd, 2, (int[]){0, 1, 2, 3, 4, 5});
        assert_done(ctx, brn_mesh_clean(mesh, t * 0.1));
        assert_true(mesh->nnode == 5 || (t == 0 && mesh->nnode == 4));
        assert_int_equal(mesh->cell[BRN_TRI3][1], 0);
        brn_mesh_destroy(mesh);
    }
    brn_mesh *mesh = two_tets(ctx);
    assert_int_equal(brn_mesh_clean(mesh, -1.0), BRN_ERR_RANGE);
    assert_int_equal(brn_mesh_clean(mesh, NAN), BRN_ERR_RANGE);
    mesh->cell[BRN_TET4][0] = 9;
    assert_int_equal(brn_mesh_clean(mesh, 0.0), BRN_ERR_MESH);
    assert_int_equal(brn_mesh_raise_order(mesh), BRN_ERR_MESH);
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

static void test_raise_order(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_mesh *mesh = two_tets(ctx);
    assert_done(ctx, brn_mesh_add_group(mesh, "base", (int[]){0, 1, 2}, 3));
    assert_done(ctx, brn_mesh_add_group(mesh, "ends", (int[]){0, 4}, 2));
    assert_done(ctx, brn_mesh_raise_order(mesh));
    assert_int_equal(mesh->ncell[BRN_TET4], 0);
    assert_int_equal(mesh->ncell[BRN_TET10], 2);
    assert_int_equal(mesh->nnode, 5 + 9); /* 12 edges, 3 of them shared */
    for (int c = 0; c < 2; ++c) {
        const int *node = mesh->cell[BRN_TET10] + 10 * c;
        assert_memory_equal(node, tet_cells + 4 * c, 4 * sizeof(int));
        for (int e = 0; e < 6; ++e) {
            const int *ends = brn_cell_get(BRN_TET10)->edges[e];
            for (int k = 0; k < 3; ++k) {
                const double want = 0.5 * (mesh->pos[node[ends[0]]][k] + mesh->pos[node[ends[1]]][k]);
                assert_near(mesh->pos[node[4 + e]][k], want, 0.0);
            }
        }
    }
    /* Groups: mid nodes of edges with both ends inside, ascending. */
    const brn_group *base = brn_mesh_find_group(mesh, "base");
    assert_int_equal(base->nnode, 6);
    for (int i = 1; i < 6; ++i) {
        assert_true(base->node[i] > base->node[i - 1]);
        assert_near(mesh->pos[base->node[i]][2], 0.0, 0.0);
    }
    assert_int_equal(brn_mesh_find_group(mesh, "ends")->nnode, 2); /* 0 and 4 share no edge */
    assert_done(ctx, brn_mesh_check(mesh, "raised"));
    /* Raising again changes nothing. */
    assert_done(ctx, brn_mesh_raise_order(mesh));
    assert_int_equal(mesh->nnode, 14);
    assert_int_equal(mesh->ncell[BRN_TET10], 2);
    brn_mesh_destroy(mesh);
    brn_ctx_destroy(ctx);
}

static brn_status work_on_mesh(brn_ctx *ctx, const void *arg)
{
    (void)arg;
    brn_mesh *mesh = NULL;
    brn_boundary *boundary = NULL;
    brn_status status = brn_mesh_create(ctx, 5, &mesh);
    if (status >= 0) {
        memcpy(mesh->pos, tet_pos, sizeof tet_pos);
        status = brn_mesh_alloc_cells(mesh, BRN_TET4, 2);
    }
    if (status >= 0) {
        memcpy(mesh->cell[BRN_TET4], tet_cells, sizeof tet_cells);
        status = brn_mesh_add_group(mesh, "a", (int[]){1, 2}, 2);
    }
    status = status < 0 ? status : brn_mesh_add_group(mesh, "a", (int[]){3}, 1);
    status = status < 0 ? status : brn_mesh_clean(mesh, 1e-9);
    status = status < 0 ? status : brn_mesh_raise_order(mesh);
    status = status < 0 ? status : brn_mesh_check(mesh, "work");
    status = status < 0 ? status : brn_boundary_create(mesh, &boundary);
    if (status >= 0) {
        /* The check's own message may run out of memory as well. */
        mesh->pos[0][0] = NAN;
        status = brn_mesh_check(mesh, "work");
        status = status == BRN_ERR_MESH ? BRN_OK : status;
    }
    brn_boundary_destroy(boundary);
    brn_mesh_destroy(mesh);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(fail_each_allocation(work_on_mesh, NULL) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cell_tables),
        cmocka_unit_test(test_shape_gradients),
        cmocka_unit_test(test_measure),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_transform_and_mirror),
        cmocka_unit_test(test_check_finds_each_defect),
        cmocka_unit_test(test_clean),
        cmocka_unit_test(test_clean_against_brute_force),
        cmocka_unit_test(test_raise_order),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
