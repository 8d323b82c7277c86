#include "test.h"

#include "base/rng.h"
#include "geom/cell.h"
#include "phys/solid.h"

enum { N = BRN_ELEMENT_NODES_MAX };

static bool is_hex(const brn_element *e)
{
    return e->cell == BRN_HEX8 || e->cell == BRN_HEX20;
}

/* Reference coordinates of the nodes: the corners, then the middles of edges in VTK's order. */
static void nodes(const brn_element *e, double out[N][3])
{
    static const double simplex[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const double cube[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                      {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
    static const int triangle_edges[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    static const int tet_edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    static const int hex_edges[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                         {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    const int ncorner = is_hex(e) ? 8 : e->dim + 1;
    const int(*edges)[2] = is_hex(e) ? hex_edges : e->dim == 2 ? triangle_edges : tet_edges;
    for (int a = 0; a < e->nnode; ++a) {
        for (int i = 0; i < 3; ++i) {
            if (a < ncorner) {
                out[a][i] = is_hex(e) ? cube[a][i] : simplex[a][i];
            } else {
                const int *edge = edges[a - ncorner];
                out[a][i] = 0.5 * (out[edge[0]][i] + out[edge[1]][i]);
            }
        }
    }
}

static void random_point(const brn_element *e, brn_rng *rng, double p[3])
{
    for (int i = 0; i < 3; ++i) {
        p[i] = is_hex(e) ? brn_rng_uniform(rng, -1.0, 1.0) : brn_rng_uniform(rng, 0.0, 1.0 / 3.0);
    }
    p[2] = e->dim == 2 ? 0.0 : p[2];
}

#define FOR_EACH_ELEMENT(e)                                   \
 for (int index_ = 0; index_ < brn_element_count(); ++index_) \
  for (const brn_element *e = brn_element_get(index_); e != NULL; e = NULL)

static void test_registry(void **state)
{
    (void)state;
    assert_true(brn_element_count() >= 6);
    assert_null(brn_element_get(brn_element_count()));
    assert_null(brn_element_of_cell(BRN_QUAD8));
    FOR_EACH_ELEMENT(e)
    {
        assert_ptr_equal(brn_element_of_cell(e->cell), e);
        assert_int_equal(brn_cell_get(e->cell)->nnode, e->nnode);
        assert_int_equal(brn_cell_get(e->cell)->dim, e->dim);
        assert_true(e->nnode <= BRN_ELEMENT_NODES_MAX);
    }
}

static void test_shape_functions(void **state)
{
    (void)state;
    brn_rng rng = {1};
    FOR_EACH_ELEMENT(e)
    {
        double node[N][3], n[N], dn[N][3];
        nodes(e, node);
        /* N_a(x_b) = delta_ab: sums of a few terms of order one */
        for (int b = 0; b < e->nnode; ++b) {
            e->shape(node[b], n);
            for (int a = 0; a < e->nnode; ++a) {
                assert_near(n[a], a == b ? 1.0 : 0.0, 1e-15);
            }
        }
        for (int round = 0; round < 50; ++round) {
            double p[3];
            random_point(e, &rng, p);
            e->shape(p, n);
            e->gradient(p, dn);
            /* partition of unity, and it reproduces linear functions */
            double sum = 0.0, dsum[3] = {0}, position[3] = {0}, identity[3][3] = {{0}};
            for (int a = 0; a < e->nnode; ++a) {
                sum += n[a];
                for (int i = 0; i < e->dim; ++i) {
                    dsum[i] += dn[a][i];
                    position[i] += n[a] * node[a][i];
                    for (int j = 0; j < e->dim; ++j) {
                        identity[i][j] += node[a][i] * dn[a][j];
                    }
                }
            }
            assert_near(sum, 1.0, 1e-14);
            for (int i = 0; i < e->dim; ++i) {
                assert_near(dsum[i], 0.0, 1e-14);
                assert_near(position[i], p[i], 1e-14);
                for (int j = 0; j < e->dim; ++j) {
                    assert_near(identity[i][j], i == j ? 1.0 : 0.0, 1e-14);
                }
            }
            /* gradients: at most cubic along a line, so central differences err by h^2 N'''/6 <= h^2 */
            const double h = 1e-5;
            for (int i = 0; i < e->dim; ++i) {
                double up[N], down[N], q[3] = {p[0], p[1], p[2]};
                q[i] = p[i] + h;
                e->shape(q, up);
                q[i] = p[i] - h;
                e->shape(q, down);
                for (int a = 0; a < e->nnode; ++a) {
                    assert_near(dn[a][i], (up[a] - down[a]) / (2.0 * h),
                                1e-10); /* rounding 1e-16/h, h^2 = 1e-10 */
                }
            }
        }
    }
}

static double factorial(int n)
{
    return n <= 1 ? 1.0 : n * factorial(n - 1);
}

/* Integral of x^i y^j z^k over the reference cell. */
static double exact(const brn_element *e, const int power[3])
{
    if (is_hex(e)) {
        double product = 1.0;
        for (int i = 0; i < 3; ++i) {
            product *= power[i] % 2 == 1 ? 0.0 : 2.0 / (power[i] + 1);
        }
        return product;
    }
    const int total = power[0] + power[1] + power[2];
    return factorial(power[0]) * factorial(power[1]) * factorial(power[2]) / factorial(total + e->dim);
}

static void check_rule(const brn_element *e, const double *weight, const double *point, int count, int degree)
{
    for (int i = 0; i <= degree; ++i) {
        for (int j = 0; j <= degree; ++j) {
            for (int k = 0; k <= (e->dim == 2 ? 0 : degree); ++k) {
                /* simplices: total degree; hexahedra: degree in each direction */
                if (!is_hex(e) && i + j + k > degree) {
                    continue;
                }
                double sum = 0.0;
                for (int q = 0; q < count; ++q) {
                    const double *p = point + 3 * q;
                    sum += weight[q] * pow(p[0], i) * pow(p[1], j) * pow(p[2], k);
                    assert_true(weight[q] > 0.0);
                }
                const int power[3] = {i, j, k};
                assert_near(sum, exact(e, power),
                            2e-15 * (is_hex(e) ? 8.0 : 1.0)); /* rounding of the constants */
            }
        }
    }
}

/* Stiffness: products of two gradients; mass: products of two shape functions. */
static void test_quadrature_degrees(void **state)
{
    (void)state;
    FOR_EACH_ELEMENT(e)
    {
        const bool quadratic = e->nnode > (is_hex(e) ? 8 : e->dim + 1);
        const int shape_degree = quadratic ? 2 : 1;
        const int gradient_degree = is_hex(e) ? shape_degree : shape_degree - 1;
        check_rule(e, e->weight, e->point, e->nquad, 2 * gradient_degree);
        check_rule(e, e->weight_mass, e->point_mass, e->nquad_mass, 2 * shape_degree);
    }
}

/* An affine element: total mass, centre of mass and second moment are exact, by hand-written integrals. */
static void test_mass(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    FOR_EACH_ELEMENT(e)
    {
        double node[N][3], rest[N][3], mass[N * (N + 1) / 2];
        int conn[N];
        nodes(e, node);
        const double map[3][3] = {{0.5, 0.1, -0.05}, {-0.1, 0.7, 0.2}, {0.05, -0.1, 0.4}};
        const double det = e->dim == 2 ? map[0][0] * map[1][1] - map[0][1] * map[1][0]
                                       : map[0][0] * (map[1][1] * map[2][2] - map[1][2] * map[2][1]) -
                                             map[0][1] * (map[1][0] * map[2][2] - map[1][2] * map[2][0]) +
                                             map[0][2] * (map[1][0] * map[2][1] - map[1][1] * map[2][0]);
        for (int a = 0; a < e->nnode; ++a) {
            conn[a] = a;
            for (int i = 0; i < 3; ++i) {
                rest[a][i] = 0.0;
                for (int j = 0; j < e->dim; ++j) {
                    rest[a][i] += map[i][j] * node[a][j];
                }
            }
        }
        brn_solid *solid = NULL;
        const brn_moduli moduli = {.lambda = 1.0, .mu = 1.0};
        assert_done(ctx, brn_solid_create(ctx, e->cell, brn_material_get(0), &moduli,
                                          (const double(*)[3])rest, conn, 1, &solid));
        solid->group.density = 1200.0;
        brn_solid_mass(solid, (const double(*)[3])rest, 0, 1, mass);
        const int zero[3] = {0, 0, 0};
        const double volume = det * exact(e, zero);
        assert_near(brn_solid_element_volume(solid, 0), volume, 1e-15 * 8.0);
        /* sum_ab m_ab x_a y_b = rho * integral of x y, here of reference coordinates (linear fields are exact) */
        double total = 0.0, first = 0.0, second = 0.0;
        const double *m = mass;
        for (int a = 0; a < e->nnode; ++a) {
            for (int b = a; b < e->nnode; ++b, ++m) {
                total += *m * (a == b ? 1.0 : 2.0);
                first += *m * (a == b ? node[a][0] : node[a][0] + node[b][0]);
                second += *m * (a == b ? node[a][0] * node[a][1]
                                       : node[a][0] * node[b][1] + node[b][0] * node[a][1]);
            }
        }
        const int x[3] = {1, 0, 0}, xy[3] = {1, 1, 0};
        const double tolerance =
            1e-14 * solid->group.density * volume; /* rounding of about a hundred terms */
        assert_near(total, solid->group.density * volume, tolerance);
        assert_near(first, solid->group.density * det * exact(e, x), tolerance);
        assert_near(second, solid->group.density * det * exact(e, xy), tolerance);
        brn_solid_destroy(solid);
    }
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registry),
        cmocka_unit_test(test_shape_functions),
        cmocka_unit_test(test_quadrature_degrees),
        cmocka_unit_test(test_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
