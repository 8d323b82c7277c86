#include "shell_support.h"

#include "phys/shells/membrane.h"

enum { LAWS = 5 };

/* StVK, neo-Hookean (also nearly incompressible), woven cloth, and cloth with a limit. */
static brn_membrane_law law_of(int k)
{
    brn_membrane_law law;
    switch (k) {
    case 0:
        return brn_membrane_isotropic(BRN_MEMBRANE_QUADRATIC, 1.2, 0.8);
    case 1:
        return brn_membrane_isotropic(BRN_MEMBRANE_NEO_HOOKEAN, 1.2, 0.8);
    case 2:
        return brn_membrane_isotropic(BRN_MEMBRANE_NEO_HOOKEAN, 80.0, 0.8);
    case 3:
        assert_true(brn_membrane_orthotropic(3.0, 1.0, 0.1, 0.2, &law));
        return law;
    default:
        law = brn_membrane_isotropic(BRN_MEMBRANE_NEO_HOOKEAN, 1.2, 0.8);
        law.limit = 1.6;
        law.limit_stiffness = 0.5;
        return law;
    }
}

static brn_membrane *make(brn_ctx *ctx, const sheet *s, int k)
{
    const brn_membrane_law law = law_of(k);
    double(*warp)[3] = calloc((size_t)s->nelem, sizeof *warp);
    for (int e = 0; e < s->nelem; ++e) {
        warp[e][0] = 1.0;
        warp[e][1] = 0.3;
    }
    brn_membrane *m = NULL;
    assert_done(ctx, brn_membrane_create(ctx, &law, 0.5, (const double(*)[3])s->x, s->conn,
                                         (const double(*)[3])warp, s->nelem, &m));
    free(warp);
    return m;
}

/* Gently to violently: bent, stretched by a half (beyond where the limit sets in), pressed to a fifth. */
static void test_derivatives_and_invariance(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {12};
    static const double bend[4] = {0.0, 0.5, 0.4, 0.2}, stretch[4] = {1.0, 0.8, 1.4, 0.2};
    static const double noise[4] = {1e-3, 0.02, 0.01, 0.02};
    for (int k = 0; k < LAWS; ++k) {
        sheet s = sheet_create(3, 3, 1.0, 1.2, 0.2, &rng);
        brn_membrane *m = make(ctx, &s, k);
        double(*x)[3] = calloc((size_t)s.nnode, sizeof *x);
        for (int j = 0; j < 4; ++j) {
            sheet_deform(&s, bend[j], stretch[j], noise[j], &rng, x);
            const double(*at)[3] = (const double(*)[3])x;
            /* fourth order of 1e-4 of a third, under compression to a fifth */
            check_derivatives(&m->group, s.nnode, at, 1e-4, 1e-7, &rng);
            check_semi_definite(&m->group, at);
            check_balance(&m->group, at, 2.0);
            check_objective(&m->group, s.nnode, at);
            check_resist(&m->group, s.nnode, at, &rng);
            check_bits(&m->group, at);
        }
        free(x);
        brn_membrane_destroy(m);
        sheet_destroy(&s);
    }
    brn_ctx_destroy(ctx);
}

/* The projected Hessian is the exact one where that is semi-definite, and differs where it is not. */
static void test_projection_is_idle_in_tension(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {9};
    sheet s = sheet_create(3, 3, 1.0, 1.0, 0.2, &rng);
    for (int k = 0; k < LAWS; ++k) {
        brn_membrane *m = make(ctx, &s, k);
        double(*x)[3] = calloc((size_t)s.nnode, sizeof *x);
        for (int pressed = 0; pressed < 2; ++pressed) {
            for (int n = 0; n < s.nnode; ++n) {
                x[n][0] = s.x[n][0] * 1.2;
                x[n][1] = s.x[n][1] * (pressed ? 0.7 : 1.2);
            }
            for (int e = 0; e < s.nelem; ++e) {
                double energy, grad[9], exact[54], projected[54], k9[81], w[9], v[81], difference = 0.0;
                group_one(&m->group, (const double(*)[3])x, e, BRN_TANGENT_PROJECTED, &energy, grad,
                          projected);
                group_one(&m->group, (const double(*)[3])x, e, BRN_TANGENT_EXACT, &energy, grad, exact);
                for (int i = 0; i < 54; ++i) {
                    difference = fmax(difference, fabs(exact[i] - projected[i]));
                }
                group_full(&m->group, exact, k9);
                assert_int_equal(brn_dense_eigen_sym(9, k9, w, v), BRN_OK);
                assert_true((w[0] < -1e-3) == (pressed != 0));
                assert_true(pressed ? difference > 1e-3 : difference == 0.0);
            }
        }
        free(x);
        brn_membrane_destroy(m);
    }
    sheet_destroy(&s);
    brn_ctx_destroy(ctx);
}

/* At rest, turned and moved: no energy, no force, the tangent of plane stress. */
static void test_rest(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {8};
    sheet s = sheet_create(3, 3, 1.0, 1.0, 0.2, &rng);
    double(*y)[3] = calloc((size_t)s.nnode, sizeof *y), r[9];
    turn_all(s.nnode, (const double(*)[3])s.x, 3.0, y, r);
    for (int k = 0; k < LAWS; ++k) {
        brn_membrane *m = make(ctx, &s, k);
        for (int e = 0; e < s.nelem; ++e) {
            double energy, grad[9], exact[54], viscous[54];
            group_one(&m->group, (const double(*)[3])y, e, BRN_TANGENT_VISCOUS, &energy, grad, viscous);
            group_one(&m->group, (const double(*)[3])y, e, BRN_TANGENT_EXACT, &energy, grad, exact);
            const double size = largest_of(exact, 54);
            assert_near(energy, 0.0,
                        1e-27 * size); /* strains of 1e-15 (positions of 4 on edges of 0.3), squared */
            assert_near(largest_of(grad, 9), 0.0, 1e-14 * size);
            for (int i = 0; i < 54; ++i) {
                assert_near(viscous[i], exact[i], 1e-13 * size);
            }
        }
        brn_membrane_destroy(m);
    }
    free(y);
    sheet_destroy(&s);
    brn_ctx_destroy(ctx);
}

/* Pulled to the stretches s1, s2 in its plane, the neo-Hookean membrane has the energy and the stress of the solid of the same
   material whose third stretch is free: found here by bisection on dW/ds3 = 0. */
static void test_plane_stress_of_the_solid(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    static const double stretch[6][2] = {{1.3, 0.9},  {2.5, 2.0},  {0.4, 0.5},
                                         {10.0, 0.2}, {0.05, 0.1}, {30.0, 20.0}};
    static const double pair[4][2] = {{1.2, 0.8}, {80.0, 0.8}, {1e-3, 1.0}, {-0.3, 1.0}};
    const double rest[3][3] = {{0, 0, 0}, {1, 0, 0}, {0.3, 1, 0}};
    const int conn[3] = {0, 1, 2};
    for (int p = 0; p < 4; ++p) {
        const double lambda = pair[p][0], mu = pair[p][1];
        const brn_membrane_law law = brn_membrane_isotropic(BRN_MEMBRANE_NEO_HOOKEAN, lambda, mu);
        brn_membrane *m = NULL;
        assert_done(ctx, brn_membrane_create(ctx, &law, 1.0, rest, conn, NULL, 1, &m));
        for (int k = 0; k < 6; ++k) {
            const double s1 = stretch[k][0], s2 = stretch[k][1];
            if (lambda < 0.0 && (s1 * s2 < 0.1 || s1 * s2 > 10.0)) {
                continue; /* such a solid has no third stretch there */
            }
            /* ln s3 from mu (s3^2 - 1) + lambda ln(s1 s2 s3) = 0, on the branch that starts at rest */
            double lo = lambda < 0.0 ? 0.5 * log(-0.5 * lambda / mu) : -12.0, hi = 6.0;
            for (int i = 0; i < 200; ++i) {
                const double u = 0.5 * (lo + hi);
                *(mu * expm1(2.0 * u) + lambda * (log(s1 * s2) + u) < 0.0 ? &lo : &hi) = u;
            }
            const double s3 = exp(lo), ln = log(s1 * s2) + lo;
            const double want =
                0.5 * mu * (s1 * s1 + s2 * s2 + s3 * s3 - 3.0) - mu * ln + 0.5 * lambda * ln * ln;
            double x[3][3] = {{0, 0, 0}, {s1, 0, 0}, {0.3 * s1, 0, s2}}, energy, cauchy[6], area;
            brn_membrane_stress(m, (const double(*)[3])x, 0, 1, cauchy, &area, &energy);
            /* Cauchy: W_i s_i / J */
            const double jac = s1 * s2 * s3, w1 = mu * s1 + (lambda * ln - mu) / s1,
                         w2 = mu * s2 + (lambda * ln - mu) / s2;
            const double size = mu * (s1 * s1 + s2 * s2) + lambda * lambda / mu + mu;
            assert_near(energy, want, 1e-13 * (size + fabs(want)));
            assert_near(cauchy[0], w1 * s1 / jac, 1e-12 * size / jac);
            assert_near(cauchy[2], w2 * s2 / jac, 1e-12 * size / jac);
            assert_near(cauchy[1], 0.0, 1e-13 * size / jac);
            assert_near(area, s1 * s2, 1e-14 * (1.0 + s1 * s2));
        }
        brn_membrane_destroy(m);
    }
    brn_ctx_destroy(ctx);
}

/* Patch test: an affine map of an irregular sheet gives the same stress in all triangles and no force inside; woven cloth
   pulled along its warp has Young's modulus and Poisson's ratio of the warp. */
static void test_patch(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {8};
    enum { N = 5 };
    sheet s = sheet_create(N, N, 1.0, 1.0, 0.3, &rng);
    for (int k = 0; k < LAWS; ++k) {
        brn_membrane *m = make(ctx, &s, k);
        double(*x)[3] = calloc((size_t)s.nnode, sizeof *x),
        (*force)[3] = calloc((size_t)s.nnode, sizeof *force);
        for (int n = 0; n < s.nnode; ++n) {
            x[n][0] = 1.1 * s.x[n][0] + 0.2 * s.x[n][1];
            x[n][1] = 0.05 * s.x[n][0] + 0.9 * s.x[n][1];
            x[n][2] = 0.3 * s.x[n][0] - 0.2 * s.x[n][1];
        }
        double *cauchy = malloc((size_t)s.nelem * 6 * sizeof *cauchy),
               *grad = malloc((size_t)s.nelem * 9 * sizeof *grad);
        brn_membrane_stress(m, (const double(*)[3])x, 0, s.nelem, cauchy, NULL, NULL);
        brn_membrane_eval(m, (const double(*)[3])x, 0, s.nelem, BRN_TANGENT_EXACT, NULL, grad, NULL);
        const double size = largest_of(cauchy, 6);
        for (int e = 0; e < s.nelem; ++e) {
            for (int i = 0; i < 6; ++i) {
                assert_near(cauchy[6 * e + i], cauchy[i], 1e-12 * (size + 1.0));
            }
            for (int a = 0; a < 9; ++a) {
                force[s.conn[3 * e + a / 3]][a % 3] += grad[9 * e + a];
            }
        }
        for (int n = 0; n < s.nnode; ++n) {
            const int i = n % (N + 1), j = n / (N + 1);
            for (int d = 0; i > 0 && i < N && j > 0 && j < N && d < 3; ++d) {
                assert_near(force[n][d], 0.0, 1e-13 * (size + 1.0));
            }
        }
        free(x);
        free(force);
        free(cauchy);
        free(grad);
        brn_membrane_destroy(m);
    }
    brn_membrane_law law;
    assert_true(brn_membrane_orthotropic(3.0, 1.0, 0.1, 0.2, &law));
    const double strain[2] = {1e-8, -0.2e-8};
    assert_near(law.stiffness[0] * strain[0] + law.stiffness[5] * strain[1], 3.0e-8, 1e-22);
    assert_near(law.stiffness[5] * strain[0] + law.stiffness[1] * strain[1], 0.0, 1e-22);
    assert_false(brn_membrane_orthotropic(1.0, 1.0, 0.1, 1.1, &law));
    assert_false(brn_membrane_orthotropic(-1.0, 1.0, 0.1, 0.1, &law));
    sheet_destroy(&s);
    brn_ctx_destroy(ctx);
}

/* The limit: no energy of it below its start, infinite at and beyond it, and the bound of a step keeps within. */
static void test_limit(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    const double rest[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const int conn[3] = {0, 1, 2};
    const brn_membrane_law limited = law_of(4);
    brn_membrane_law free_law = limited;
    free_law.limit = 0.0;
    brn_membrane *m = NULL, *open = NULL;
    assert_done(ctx, brn_membrane_create(ctx, &limited, 1.0, rest, conn, NULL, 1, &m));
    assert_done(ctx, brn_membrane_create(ctx, &free_law, 1.0, rest, conn, NULL, 1, &open));
    double last = 0.0;
    for (int k = 0; k <= 70; ++k) {
        const double stretch = 1.0 + 0.01 * k;
        double x[3][3] = {{0, 0, 0}, {stretch, 0, 0}, {0, 0, 1.0}}, e0, e1, grad[9], hess[54];
        group_one(&open->group, (const double(*)[3])x, 0, BRN_TANGENT_EXACT, &e0, grad, hess);
        group_one(&m->group, (const double(*)[3])x, 0, BRN_TANGENT_EXACT, &e1, grad, hess);
        if (k < 30) {
            assert_true(e1 == e0);
        } else if (k > 60) {
            assert_true(e1 == INFINITY);
        } else if (k > 31 && k < 60) {
            assert_true(e1 - e0 > last && isfinite(e1));
            last = e1 - e0;
        }
        assert_true(isfinite(largest_of(grad, 9)) && isfinite(largest_of(hess, 54)));
    }
    double x0[3][3] = {{0, 0, 0}, {1.5, 0, 0}, {0, 0, 1.0}},
           x1[3][3] = {{0, 0, 0}, {2.5, 0, 0.3}, {0, 0, 1.0}};
    const double way = brn_membrane_bound(m, (const double(*)[3])x0, (const double(*)[3])x1, 0, 1);
    assert_true(way > 0.05 && way < 0.1); /* 1.6 is reached at 0.1; a tenth of the room of 0.1 stays: 0.09 */
    x0[1][0] += way * (x1[1][0] - x0[1][0]);
    x0[1][2] += way * (x1[1][2] - x0[1][2]);
    double energy, grad[9], hess[54];
    group_one(&m->group, (const double(*)[3])x0, 0, BRN_TANGENT_EXACT, &energy, grad, hess);
    assert_true(isfinite(energy));
    x0[1][0] = 1.5; /* within nine tenths of the room of 0.6 that there is at rest */
    assert_true(brn_membrane_bound(m, rest, (const double(*)[3])x0, 0, 1) == 1.0);
    assert_true(brn_membrane_bound(open, (const double(*)[3])x0, (const double(*)[3])x1, 0, 1) == 1.0);
    x1[1][0] = NAN;
    assert_true(brn_membrane_bound(m, (const double(*)[3])x0, (const double(*)[3])x1, 0, 1) == 0.0);
    brn_membrane_destroy(m);
    brn_membrane_destroy(open);
    brn_ctx_destroy(ctx);
}

/* Mass and volume add up; bad input is refused with its number. */
static void test_mass_and_errors(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {1};
    sheet s = sheet_create(3, 2, 2.0, 1.5, 0.2, &rng);
    brn_membrane *m = make(ctx, &s, 0);
    m->group.density = 7.0;
    double volume = 0.0, mass = 0.0;
    for (int e = 0; e < s.nelem; ++e) {
        double row[6];
        volume += brn_group_volume(&m->group, e);
        m->group.kind->mass(&m->group, (const double(*)[3])s.x, e, 1, row);
        mass += row[0] + row[3] + row[5] + 2.0 * (row[1] + row[2] + row[4]);
    }
    assert_near(volume, 1.5, 1e-14);
    assert_near(mass, 10.5, 1e-13);
    const brn_membrane_law law = law_of(0);
    brn_membrane *none = NULL;
    const int line[6] = {0, 1, 4, 0, 1, 2};
    assert_int_equal(brn_membrane_create(ctx, &law, 0.5, (const double(*)[3])s.x, line, NULL, 2, &none),
                     BRN_ERR_MESH);
    assert_non_null(strstr(brn_ctx_message(ctx), "triangle 1"));
    const double up[2][3] = {{1, 0, 0}, {0, 0, 1}};
    assert_int_equal(brn_membrane_create(ctx, &law, 0.5, (const double(*)[3])s.x, s.conn, up, 2, &none),
                     BRN_ERR_MESH);
    assert_int_equal(brn_membrane_create(ctx, &law, 0.0, (const double(*)[3])s.x, s.conn, NULL, 2, &none),
                     BRN_ERR_RANGE);
    brn_membrane_law bad = law;
    bad.limit = 0.9;
    assert_int_equal(brn_membrane_create(ctx, &bad, 0.5, (const double(*)[3])s.x, s.conn, NULL, 2, &none),
                     BRN_ERR_RANGE);
    assert_null(none);
    brn_membrane_destroy(m);
    sheet_destroy(&s);
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives_and_invariance),
        cmocka_unit_test(test_projection_is_idle_in_tension),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_plane_stress_of_the_solid),
        cmocka_unit_test(test_patch),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_mass_and_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
