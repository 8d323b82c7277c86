/* Loads on faces: consistent tractions, follower pressure and its tangent, for every face kind. */
#include "test.h"

#include "base/param.h"
#include "base/rng.h"
#include "phys/forces/face.h"

static const brn_cell kinds[] = {BRN_EDGE2, BRN_EDGE3, BRN_TRI3, BRN_TRI6, BRN_QUAD4, BRN_QUAD8};

/* Corner positions of a unit face in its plane (mid-edge nodes halfway), then disturbed. */
static void make_face(brn_cell kind, double disturbance, brn_rng *rng, double (*x)[3])
{
    static const double edge[2][3] = {{0, 0, 0}, {2, 1, 0}};
    static const double tri[3][3] = {{0, 0, 0}, {2, 0, 0}, {0, 1, 0.5}};
    static const double quad[4][3] = {{0, 0, 0}, {2, 0, 0.2}, {2, 1, 0.2}, {0, 1, 0}};
    const brn_cell_info *info = brn_cell_get(kind);
    const int corners = info->ncorner;
    const double(*from)[3] = info->dim == 1 ? edge : corners == 3 ? tri : quad;
    for (int a = 0; a < info->nnode; ++a) {
        const int p = a < corners ? a : a - corners;
        const int q = a < corners ? a : (a - corners + 1) % corners;
        for (int i = 0; i < 3; ++i) {
            x[a][i] = 0.5 * (from[p][i] + from[q][i]);
            if (info->dim > 1 || i < 2) {
                x[a][i] += brn_rng_uniform(rng, -disturbance, disturbance);
            }
        }
    }
}

static void test_traction_sums_to_area(void **state)
{
    (void)state;
    const double exact[] = {sqrt(5.0), sqrt(5.0), sqrt(1.25), sqrt(1.25), sqrt(4.04), sqrt(4.04)};
    for (int k = 0; k < BRN_COUNT(kinds); ++k) {
        brn_rng rng = {1};
        double x[BRN_FACE_NODES_MAX][3];
        double force[BRN_FACE_NODES_MAX][3];
        const double traction[3] = {1.0, -2.0, 0.5};
        make_face(kinds[k], 0.0, &rng, x);
        /* Flat faces: quadrature is exact, only rounding remains. */
        assert_near(brn_face_area(kinds[k], (const double(*)[3])x), exact[k], 1e-14);
        brn_face_traction(kinds[k], (const double(*)[3])x, traction, force);
        for (int i = 0; i < 3; ++i) {
            double sum = 0.0;
            for (int a = 0; a < brn_cell_get(kinds[k])->nnode; ++a) {
                sum += force[a][i];
            }
            assert_near(sum, traction[i] * exact[k], 1e-14);
        }
    }
    /* The shares of a straight three-node edge are Simpson's, 1/6 1/6 4/6 (both ends, then the middle). */
    brn_rng rng = {1};
    double x[BRN_FACE_NODES_MAX][3];
    double force[BRN_FACE_NODES_MAX][3];
    const double unit[3] = {1.0, 0.0, 0.0};
    make_face(BRN_EDGE3, 0.0, &rng, x);
    brn_face_traction(BRN_EDGE3, (const double(*)[3])x, unit, force);
    assert_near(force[0][0], sqrt(5.0) / 6.0, 1e-15);
    assert_near(force[2][0], sqrt(5.0) * 4.0 / 6.0, 1e-15);
}

static void test_pressure_pushes_inwards(void **state)
{
    (void)state;
    /* An edge from left to right has the solid on its left, above: pressure lifts it. A triangle that runs
       counter-clockwise seen from above faces up: pressure pushes it down. */
    const double edge[2][3] = {{0, 0, 0}, {2, 0, 0}};
    const double tri[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    double force[BRN_FACE_NODES_MAX * 3];
    brn_face_pressure(BRN_EDGE2, edge, 3.0, force, NULL);
    assert_near(force[0], 0.0, 0.0);
    assert_near(force[1] + force[3], 6.0, 1e-15);
    brn_face_pressure(BRN_TRI3, tri, 3.0, force, NULL);
    assert_near(force[2] + force[5] + force[8], -1.5, 1e-15);
}

static void test_pressure_tangent(void **state)
{
    (void)state;
    for (int k = 0; k < BRN_COUNT(kinds); ++k) {
        const brn_cell_info *info = brn_cell_get(kinds[k]);
        const int dim = info->dim + 1;
        const int n = info->nnode * dim;
        brn_rng rng = {7};
        double x[BRN_FACE_NODES_MAX][3] = {{0}};
        double tangent[24 * 24];
        double stiffness[36 * 9];
        double force[24];
        make_face(kinds[k], 0.1, &rng, x);
        brn_face_pressure_tangent(kinds[k], (const double(*)[3])x, 2.0, tangent);
        brn_face_pressure(kinds[k], (const double(*)[3])x, 2.0, force, stiffness);
        /* The force is a polynomial of degree 2 in x: central differences are exact but for rounding, eps/h = 2e-13. */
        const double h = 1e-3;
        for (int c = 0; c < n; ++c) {
            double plus[24];
            double minus[24];
            double *entry = &x[c / dim][c % dim];
            const double kept = *entry;
            *entry = kept + h;
            brn_face_pressure(kinds[k], (const double(*)[3])x, 2.0, plus, NULL);
            *entry = kept - h;
            brn_face_pressure(kinds[k], (const double(*)[3])x, 2.0, minus, NULL);
            *entry = kept;
            for (int r = 0; r < n; ++r) {
                assert_near(tangent[r * n + c], (plus[r] - minus[r]) / (2.0 * h), 1e-11);
            }
        }
        /* The blocks hold minus its symmetric part. */
        int at = 0;
        for (int a = 0; a < info->nnode; ++a) {
            for (int b = a; b < info->nnode; ++b) {
                for (int i = 0; i < dim; ++i) {
                    for (int j = 0; j < dim; ++j, ++at) {
                        const int r = a * dim + i;
                        const int c = b * dim + j;
                        assert_near(stiffness[at], -0.5 * (tangent[r * n + c] + tangent[c * n + r]), 1e-15);
                    }
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_traction_sums_to_area),
        cmocka_unit_test(test_pressure_pushes_inwards),
        cmocka_unit_test(test_pressure_tangent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
