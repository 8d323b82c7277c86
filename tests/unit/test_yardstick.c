/* The yardstick against points whose errors are known by hand. */
#include "test.h"

#include "contact/yardstick.h"

/* Upright normal, mu 0.5, at rest in the cone's middle. */
static brn_contact_point plain(int a, int b)
{
    return (brn_contact_point){
        .body = {a, b}, .normal = {0.0, 0.0, 1.0}, .gap = 1e-3, .normal_force = 10.0, .mu = 0.5};
}

static void test_nothing(void **state)
{
    (void)state;
    brn_yardstick y;
    brn_contact_total total;
    double force[2][3] = {{1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}};
    brn_yardstick_measure(NULL, 0, &y);
    assert_true(y.gap_min == INFINITY);
    assert_true(y.penetration_max == 0.0 && y.cone_error == 0.0 && y.dissipation_error == 0.0);
    assert_true(y.complementarity == 0.0 && y.sticking == 0 && y.slipping == 0);
    brn_yardstick_bodies(NULL, 0, 2, force);
    assert_true(force[0][0] == 0.0 && force[1][2] == 0.0);
    brn_yardstick_pair(NULL, 0, 0, 1, &total);
    assert_true(total.points == 0 && total.normal_force == 0.0 && total.centre[0] == 0.0);
}

static void test_errors(void **state)
{
    (void)state;
    brn_yardstick y;
    brn_contact_point p[4] = {plain(0, 1), plain(0, 1), plain(1, 2), plain(2, 2)};
    /* slips as Coulomb says: 3-4-5 */
    memcpy(p[0].slip, (double[]){0.3, 0.4, 0.0}, sizeof p[0].slip);
    memcpy(p[0].friction, (double[]){-3.0, -4.0, 0.0}, sizeof p[0].friction);
    brn_yardstick_measure(p, 4, &y);
    assert_int_equal(y.slipping, 1);
    assert_int_equal(y.sticking, 3);
    assert_near(y.cone_error, 0.0, 1e-15);
    assert_near(y.dissipation_error, 0.0, 1e-15);
    assert_true(y.gap_min == 1e-3 && y.complementarity == 1e-3 && y.penetration_max == 0.0);
    /* 6.5 N where 5 are allowed, straight against a slip of 0.1 m/s: 0.15 W too much */
    memcpy(p[1].slip, (double[]){0.1, 0.0, 0.0}, sizeof p[1].slip);
    memcpy(p[1].friction, (double[]){-6.5, 0.0, 0.0}, sizeof p[1].friction);
    /* 2 m/s of slip, friction of full size across it: all of 10 W are missing */
    memcpy(p[2].slip, (double[]){0.0, 2.0, 0.0}, sizeof p[2].slip);
    memcpy(p[2].friction, (double[]){5.0, 0.0, 0.0}, sizeof p[2].friction);
    p[2].gap = -2e-3;
    p[3].gap = 5e-3;
    brn_yardstick_measure(p, 4, &y);
    assert_near(y.cone_error, 1.5, 1e-15);
    assert_near(y.dissipation_error, 10.0, 1e-14);
    assert_int_equal(y.slipping, 3);
    assert_true(y.gap_min == -2e-3 && y.penetration_max == 2e-3 && y.complementarity == 5e-3);
    /* of the second alone: the power beyond the cone */
    brn_yardstick_measure(&p[1], 1, &y);
    assert_near(y.dissipation_error, 0.15, 1e-15);
    /* without force no complementarity to ask for, nothing sticks or slips; friction there is outside the cone */
    p[3].normal_force = 0.0;
    p[3].friction[0] = 0.25;
    brn_yardstick_measure(&p[3], 1, &y);
    assert_true(y.complementarity == 0.0 && y.sticking + y.slipping == 0 && y.gap_min == 5e-3);
    assert_near(y.cone_error, 0.25, 1e-16);
    /* a correction of others is not judged */
    p[3].normal_force = -4.0;
    brn_yardstick_measure(&p[3], 1, &y);
    assert_true(y.cone_error == 0.0 && y.sticking + y.slipping == 0);
}

/* What is not a number shows, wherever it stands among others. */
static void test_not_a_number(void **state)
{
    (void)state;
    for (int at = 0; at < 3; ++at) {
        brn_contact_point p[3] = {plain(0, 1), plain(0, 1), plain(0, 1)};
        brn_yardstick y;
        p[at].normal_force = NAN;
        brn_yardstick_measure(p, 3, &y);
        assert_true(isnan(y.cone_error) && isnan(y.dissipation_error));
        assert_true(y.gap_min == 1e-3);
        p[at].gap = NAN;
        brn_yardstick_measure(p, 3, &y);
        assert_true(isnan(y.gap_min) && isnan(y.complementarity));
    }
}

static void test_edge_of_the_cone(void **state)
{
    (void)state;
    brn_contact_point p = plain(0, 1);
    const struct {
        double friction, mu;
        bool sticks;
    } cases[] = {{0.0, 0.5, true},
                 {5.0 * (1.0 - 2e-9), 0.5, true},
                 {5.0 * (1.0 - 5e-10), 0.5, false}, /* as near as rounding brings it */
                 {5.0, 0.5, false},
                 {5.1, 0.5, false},
                 {0.0, 0.0, false}}; /* without friction everything slips */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        p.friction[1] = cases[i].friction;
        p.mu = cases[i].mu;
        assert_int_equal(brn_contact_sticks(&p), cases[i].sticks);
    }
}

/* A method with a threshold: friction that lags behind the normal force says nothing. */
static void test_slip_speed(void **state)
{
    (void)state;
    brn_contact_point p = plain(0, 1);
    p.stick_speed = 1e-3;
    const struct {
        double slip, friction, mu;
        bool sticks;
    } cases[] = {{0.0, 0.0, 0.5, true},   {0.9e-3, 5.0, 0.5, true}, {1.1e-3, 4.0, 0.5, false},
                 {0.75, 4.9, 0.5, false}, {0.75, 5.1, 0.5, false},  {0.0, 0.0, 0.0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        p.slip[0] = cases[i].slip;
        p.friction[0] = -cases[i].friction;
        p.mu = cases[i].mu;
        assert_int_equal(brn_contact_sticks(&p), cases[i].sticks);
    }
}

static void test_totals(void **state)
{
    (void)state;
    brn_contact_point p[5] = {plain(0, 1), plain(1, 0), plain(2, 1), plain(1, 1), plain(0, 1)};
    double force[3][3];
    brn_contact_total t;
    p[0].friction[0] = 1.0;
    p[1].normal[2] = -1.0; /* the same push, told from the other side */
    p[1].friction[0] = -2.0;
    p[1].normal_force = 30.0;
    p[1].place[0] = 4.0;
    p[2].normal_force = 7.0;
    p[3].friction[1] = 100.0; /* within body 1 */
    p[4].normal_force = -4.0; /* counted twice by the others */
    brn_yardstick_bodies(p, 5, 3, force);
    const double want[3][3] = {{3.0, 0.0, 36.0}, {-3.0, 0.0, -43.0}, {0.0, 0.0, 7.0}};
    assert_memory_equal(force, want, sizeof want); /* small integers are exact */
    brn_yardstick_pair(p, 5, 0, 1, &t);
    assert_int_equal(t.points, 3);
    assert_true(t.normal_force == 36.0 && t.normal[2] == 36.0 && t.friction[0] == 3.0);
    assert_near(t.centre[0], 120.0 / 36.0, 1e-15);
    brn_yardstick_pair(p, 5, 1, 0, &t);
    assert_true(t.normal_force == 36.0 && t.normal[2] == -36.0 && t.friction[0] == -3.0);
    brn_yardstick_pair(p, 5, 1, 1, &t);
    assert_true(t.points == 1 && t.normal_force == 10.0 && t.normal[2] == 0.0 && t.friction[1] == 0.0);
    brn_yardstick_pair(p, 5, 0, 2, &t);
    assert_int_equal(t.points, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),      cmocka_unit_test(test_errors),
        cmocka_unit_test(test_not_a_number), cmocka_unit_test(test_edge_of_the_cone),
        cmocka_unit_test(test_slip_speed),   cmocka_unit_test(test_totals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
