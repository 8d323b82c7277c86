#include "test.h"

#include "base/rng.h"
#include "phys/material.h"

enum { PARAMS_SIZE = 1024 };

/* A material of the registry with its default parameters. */
typedef struct sample {
    const brn_material *material;
    brn_moduli moduli;
    double scale; /* [Pa] of its stresses */
} sample;

static sample sample_get(int index)
{
    sample m = {.material = brn_material_get(index)};
    _Alignas(16) char params[PARAMS_SIZE];
    assert_true(m.material->table->size <= sizeof params);
    brn_table_defaults(m.material->table, params);
    const char *reason = NULL;
    assert_true(m.material->moduli(params, &m.moduli, &reason));
    m.scale = m.moduli.lambda + 2.0 * m.moduli.mu;
    return m;
}

static brn_stretch_batch at(const sample *m, const double s[3])
{
    brn_stretch_batch b;
    for (int i = 0; i < 3; ++i) {
        b.s[i] = brn_lanes_all(s[i]);
    }
    m->material->stretches(&m->moduli, BRN_ORDER_SECOND, &b);
    return b;
}

/* States: rest, random, repeated, near-repeated, compressed, stretched; inverted ones where the material allows. */
static int states(bool barrier, double out[][3])
{
    static const double fixed[][3] = {
        {1.0, 1.0, 1.0},
        {1.3, 1.1, 0.8},
        {1.4, 1.4, 0.7},
        {1.2, 0.6, 0.6},
        {1.0 + 1e-7, 1.0, 1.0 - 1e-7},
        {1.5, 1.0 + 1e-9, 1.0},
        {0.3, 0.2, 0.15},
        {0.5, 0.5, 0.5},
        {3.0, 2.5, 2.0},
        {2.0, 2.0, 2.0},
        {1.2, 0.9, -0.4},
        {1.0, 1.0, -0.9},
        {1.1, 0.5, 0.0},
    };
    int count = 0;
    for (int i = 0; i < (barrier ? 10 : 13); ++i) {
        memcpy(out[count++], fixed[i], sizeof fixed[i]);
    }
    brn_rng rng = {21};
    for (int i = 0; i < 20; ++i) {
        for (int k = 0; k < 3; ++k) {
            out[count][k] = brn_rng_uniform(&rng, 0.4, 1.8);
        }
        ++count;
    }
    return count;
}

#define FOR_EACH_NONLINEAR(m)                                  \
 for (int index_ = 0; index_ < brn_material_count(); ++index_) \
  for (sample m = sample_get(index_); m.material != NULL && !m.material->linear; m.material = NULL)

/* d/ds of W and W_i by central differences of fourth order. */
static void difference(const sample *m, const double s[3], int k, double *dw, double dfirst[3])
{
    /* h^4 truncation times fifth derivatives of 1e3..1e5 scale at s = 0.15, against rounding 1e-16/h */
    const double h = 2e-4 * fmin(1.0, fabs(s[k]) + 0.1);
    static const double factor[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
    static const double offset[4] = {-2.0, -1.0, 1.0, 2.0};
    *dw = dfirst[0] = dfirst[1] = dfirst[2] = 0.0;
    for (int i = 0; i < 4; ++i) {
        double moved[3] = {s[0], s[1], s[2]};
        moved[k] += offset[i] * h;
        const brn_stretch_batch b = at(m, moved);
        *dw += factor[i] * b.energy[0] / h;
        for (int j = 0; j < 3; ++j) {
            dfirst[j] += factor[i] * b.first[j][0] / h;
        }
    }
}

static void test_derivatives(void **state)
{
    (void)state;
    FOR_EACH_NONLINEAR(m)
    {
        double s[64][3];
        const int count = states(m.material->barrier, s);
        for (int c = 0; c < count; ++c) {
            const brn_stretch_batch b = at(&m, s[c]);
            /* the tangent grows with 1/s^2 (and J^(-8/3)) under compression, and with it every error */
            double size = m.scale;
            for (int k = 0; k < 3; ++k) {
                size = fmax(size, fabs(b.diag[k][0]));
            }
            for (int k = 0; k < 3; ++k) {
                double dw, dfirst[3];
                difference(&m, s[c], k, &dw, dfirst);
                /* measured 2e-11 of size: truncation at s = 0.15 and rounding 1e-16/h; 15x margin */
                assert_near(b.first[k][0], dw, 3e-10 * size);
                for (int j = 0; j < 3; ++j) {
                    assert_near(j == k ? b.diag[k][0] : b.off[3 - j - k][0], dfirst[j], 3e-10 * size);
                }
            }
        }
    }
}

static void test_minus_and_plus(void **state)
{
    (void)state;
    FOR_EACH_NONLINEAR(m)
    {
        double s[64][3];
        const int count = states(m.material->barrier, s);
        for (int c = 0; c < count; ++c) {
            const brn_stretch_batch b = at(&m, s[c]);
            double size = m.scale;
            for (int k = 0; k < 3; ++k) {
                size = fmax(size, fabs(b.diag[k][0]));
            }
            for (int k = 0; k < 3; ++k) {
                const int i = (k + 1) % 3, j = (k + 2) % 3;
                const double difference = s[c][i] - s[c][j], sum = s[c][i] + s[c][j];
                if (fabs(sum) > 1e-3) {
                    const double want = (b.first[i][0] + b.first[j][0]) / sum;
                    assert_near(b.plus[k][0], want, 1e-13 * size / fabs(sum));
                }
                if (fabs(difference) > 1e-3) {
                    const double want = (b.first[i][0] - b.first[j][0]) / difference;
                    /* the quotient's own cancellation */
                    assert_near(b.minus[k][0], want, 1e-13 * size / fabs(difference));
                } else {
                    /* the limit W_ii - W_ij; what is left of the expansion is of second order in the difference
                       (the mean of both diagonal entries is taken) */
                    const double want = 0.5 * (b.diag[i][0] + b.diag[j][0]) - b.off[k][0];
                    assert_near(b.minus[k][0], want, 1e-12 * size);
                }
            }
        }
    }
}

static void test_rest_is_stress_free_and_linearises_to_lame(void **state)
{
    (void)state;
    FOR_EACH_NONLINEAR(m)
    {
        const double rest[3] = {1.0, 1.0, 1.0};
        const brn_stretch_batch b = at(&m, rest);
        const double lambda = m.moduli.lambda, mu = m.moduli.mu;
        assert_near(b.energy[0], 0.0, 1e-15 * m.scale);
        for (int k = 0; k < 3; ++k) {
            /* a few roundings of the order of the moduli */
            assert_near(b.first[k][0], 0.0, 1e-15 * m.scale);
            assert_near(b.diag[k][0], lambda + 2.0 * mu, 4e-15 * m.scale);
            assert_near(b.off[k][0], lambda, 4e-15 * m.scale);
            assert_near(b.minus[k][0], 2.0 * mu, 4e-15 * m.scale);
            assert_near(b.plus[k][0], 0.0, 4e-15 * m.scale);
        }
    }
}

/* Near rest the energy is of second order in the strain e; it must not carry rounding errors of order one. */
static void test_energy_has_no_cancellation_near_rest(void **state)
{
    (void)state;
    FOR_EACH_NONLINEAR(m)
    {
        for (double e = 1e-3; e > 1e-7; e *= 0.1) {
            const double s[3] = {1.0 + e, 1.0 - 0.5 * e, 1.0 + 0.25 * e};
            const double strain[3] = {s[0] - 1.0, s[1] - 1.0, s[2] - 1.0};
            const double trace = strain[0] + strain[1] + strain[2];
            const double want =
                m.moduli.mu * (strain[0] * strain[0] + strain[1] * strain[1] + strain[2] * strain[2]) +
                0.5 * m.moduli.lambda * trace * trace;
            /* third order terms, and a rounding error of order e */
            assert_near(at(&m, s).energy[0], want, m.scale * (10.0 * e * e * e + 1e-15 * e));
        }
    }
}

/* ---- closed forms ------------------------------------------------------------------------------------------------ */

static const brn_material *find(const char *name)
{
    for (int i = 0; i < brn_material_count(); ++i) {
        if (strcmp(brn_material_get(i)->table->name, name) == 0) {
            return brn_material_get(i);
        }
    }
    fail_msg("no material %s", name);
    return NULL;
}

static sample pair_sample(const char *name)
{
    sample m = {.material = find(name)};
    brn_material_common p;
    brn_table_defaults(m.material->table, &p);
    p.young = 2e5;
    p.poisson = 0.3;
    const char *reason = NULL;
    assert_true(m.material->moduli(&p, &m.moduli, &reason));
    m.scale = m.moduli.lambda + 2.0 * m.moduli.mu;
    return m;
}

/* Energies written out from the textbook formulas, at a uniaxial, a volumetric and a sheared state (simple shear by
   g has the stretches r, 1, 1/r with r = g/2 + sqrt(1 + g^2/4)). */
static void test_closed_forms(void **state)
{
    (void)state;
    const double shear = 0.7, r = 0.5 * shear + sqrt(1.0 + 0.25 * shear * shear);
    const double s[3][3] = {{1.6, 1.0, 1.0}, {0.7, 0.7, 0.7}, {r, 1.0, 1.0 / r}};
    for (int c = 0; c < 3; ++c) {
        const double a = s[c][0], b = s[c][1], d = s[c][2], jac = a * b * d;
        const double i1 = a * a + b * b + d * d, i2 = a * a * b * b + b * b * d * d + d * d * a * a;
        sample m = pair_sample("neo_hookean");
        double lambda = m.moduli.lambda, mu = m.moduli.mu;
        double want = 0.5 * mu * (i1 - 3.0) - mu * log(jac) + 0.5 * lambda * log(jac) * log(jac);
        assert_near(at(&m, s[c]).energy[0], want, 1e-14 * m.scale); /* rounding of the formula */
        assert_near(at(&m, s[c]).first[0][0], mu * (a - 1.0 / a) + lambda * log(jac) / a, 1e-14 * m.scale);
        m = pair_sample("stvk");
        const double e[3] = {0.5 * (a * a - 1.0), 0.5 * (b * b - 1.0), 0.5 * (d * d - 1.0)};
        const double trace = e[0] + e[1] + e[2];
        want = mu * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) + 0.5 * lambda * trace * trace;
        assert_near(at(&m, s[c]).energy[0], want, 1e-14 * m.scale);
        assert_near(at(&m, s[c]).first[0][0], a * (2.0 * mu * e[0] + lambda * trace), 1e-14 * m.scale);
        m = pair_sample("corotated");
        want = mu * ((a - 1.0) * (a - 1.0) + (b - 1.0) * (b - 1.0) + (d - 1.0) * (d - 1.0)) +
               0.5 * lambda * (jac - 1.0) * (jac - 1.0);
        assert_near(at(&m, s[c]).energy[0], want, 1e-14 * m.scale);
        m = pair_sample("corotated_linear");
        const double linear = a + b + d - 3.0;
        want = mu * ((a - 1.0) * (a - 1.0) + (b - 1.0) * (b - 1.0) + (d - 1.0) * (d - 1.0)) +
               0.5 * lambda * linear * linear;
        assert_near(at(&m, s[c]).energy[0], want, 1e-14 * m.scale);
        assert_near(at(&m, s[c]).first[0][0], 2.0 * mu * (a - 1.0) + lambda * linear, 1e-14 * m.scale);
        /* Smith et al. 2018 with their reparametrised constants; their energy at rest is subtracted */
        m = pair_sample("stable_neo_hookean");
        const double mp = 4.0 / 3.0 * mu, lp = lambda + 5.0 / 6.0 * mu,
                     alpha = 1.0 + mp / lp - 0.25 * mp / lp;
        want = 0.5 * mp * (i1 - 3.0) + 0.5 * lp * (jac - alpha) * (jac - alpha) - 0.5 * mp * log(i1 + 1.0) -
               (0.5 * lp * (1.0 - alpha) * (1.0 - alpha) - 0.5 * mp * log(4.0));
        assert_near(at(&m, s[c]).energy[0], want, 1e-14 * m.scale);
        m = sample_get(6);
        assert_string_equal(m.material->table->name, "mooney_rivlin");
        const double c10 = m.moduli.constants[0], c01 = m.moduli.constants[1], bulk = m.moduli.constants[2];
        want = c10 * (pow(jac, -2.0 / 3.0) * i1 - 3.0) + c01 * (pow(jac, -4.0 / 3.0) * i2 - 3.0) +
               0.5 * bulk * log(jac) * log(jac);
        assert_near(at(&m, s[c]).energy[0], want, 1e-14 * m.scale);
        assert_near(m.moduli.lambda + 2.0 / 3.0 * m.moduli.mu, bulk, 1e-9);
    }
}

static void test_domain(void **state)
{
    (void)state;
    const double outside[][3] = {
        {1.0, 1.0, -0.1}, {1.0, 1.0, 0.0}, {0.0, 0.0, 0.0}, {1e-200, 1e-200, 1e-200}};
    FOR_EACH_NONLINEAR(m)
    {
        for (int c = 0; c < 4; ++c) {
            const brn_stretch_batch b = at(&m, outside[c]);
            if (m.material->barrier) {
                assert_true(b.energy[0] == INFINITY);
            } else {
                assert_true(isfinite(b.energy[0]));
            }
            for (int k = 0; k < 3; ++k) {
                assert_true(isfinite(b.first[k][0]) && isfinite(b.diag[k][0]) && isfinite(b.off[k][0]));
                assert_true(isfinite(b.minus[k][0]) && isfinite(b.plus[k][0]));
            }
        }
        /* W -> inf as J -> 0, whichever way */
        const double flat[3] = {1.0, 1.0, 1e-30}, small[3] = {1e-30, 1e-30, 1e-30};
        if (m.material->barrier) {
            assert_true(at(&m, flat).energy[0] > 10.0 * m.scale);
            assert_true(at(&m, small).energy[0] > 10.0 * m.scale);
        }
    }
}

/* ---- parameters --------------------------------------------------------------------------------------------------- */

static brn_material_common common_defaults(void)
{
    brn_material_common p;
    brn_table_defaults(find("neo_hookean")->table, &p);
    return p;
}

static void test_pairs(void **state)
{
    (void)state;
    brn_moduli out, again;
    const char *reason = NULL;
    /* none given */
    brn_material_common p = common_defaults();
    assert_true(brn_pair_moduli(&p, &out, &reason));
    assert_near(out.mu, 1e6 / 2.8, 1e-6);
    assert_near(out.lambda, 0.4e6 / (1.4 * 0.2), 1e-6);
    /* the same solid by the other pairs */
    p.lame_lambda = out.lambda;
    p.lame_mu = out.mu;
    assert_true(brn_pair_moduli(&p, &again, &reason));
    assert_true(again.lambda == out.lambda && again.mu == out.mu);
    p = common_defaults();
    p.bulk = out.lambda + 2.0 / 3.0 * out.mu;
    p.shear = out.mu;
    assert_true(brn_pair_moduli(&p, &again, &reason));
    assert_near(again.lambda, out.lambda, 1e-9);
    /* half a pair, a mixture, two pairs */
    p = common_defaults();
    p.young = 1e5;
    assert_false(brn_pair_moduli(&p, &again, &reason));
    assert_non_null(strstr(reason, "young and poisson"));
    p.shear = 1e5;
    assert_false(brn_pair_moduli(&p, &again, &reason));
    assert_non_null(strstr(reason, "one pair"));
    p = common_defaults();
    p.lame_mu = 1.0;
    assert_false(brn_pair_moduli(&p, &again, &reason));
    assert_non_null(strstr(reason, "lame_lambda and lame_mu"));
    /* an unstable solid */
    p.lame_lambda = -0.7;
    assert_false(brn_pair_moduli(&p, &again, &reason));
    p.lame_lambda = -0.6;
    assert_true(brn_pair_moduli(&p, &again, &reason));
    p.lame_lambda = INFINITY;
    assert_false(brn_pair_moduli(&p, &again, &reason));
    p.lame_lambda = 1.0;
    p.lame_mu = -1.0;
    assert_false(brn_pair_moduli(&p, &again, &reason));
}

static void test_registry(void **state)
{
    (void)state;
    assert_true(brn_material_count() >= 6);
    assert_null(brn_material_get(-1));
    assert_null(brn_material_get(brn_material_count()));
    for (int i = 0; i < brn_material_count(); ++i) {
        const brn_material *m = brn_material_get(i);
        assert_ptr_equal(brn_material_of_table(m->table), m);
        assert_non_null(m->equation);
        assert_true(m->linear == (m->stretches == NULL));
        assert_non_null(brn_table_find(m->table, "density"));
        assert_non_null(brn_table_find(m->table, "damping"));
    }
    assert_null(brn_material_of_table(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_minus_and_plus),
        cmocka_unit_test(test_rest_is_stress_free_and_linearises_to_lame),
        cmocka_unit_test(test_energy_has_no_cancellation_near_rest),
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_domain),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_registry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
