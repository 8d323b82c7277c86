/* Hertz: a ball pressed onto a half-space, onto meshes and onto another ball, by method ipc in convergent mode. */
#include "validate/hertz.h"
#include "validate/rows.h"

static const char text[] = "A quarter of a ball (R = 50 mm, E = 100 MPa, nu = 0.3, linear, hex8) is pressed "
                           "down by 20 um, a contact radius a of 1 "
                           "mm, without friction, in one static step; h is the cells' width in the contact. "
                           "Exact is the force of a ball between "
                           "two plates at the indentation: Hertz takes the ball for a half-space, 0.9 % too "
                           "soft at a/R = 1/50 (a series of "
                           "spherical harmonics). The barrier's gap adds to the indentation; its mean, "
                           "weighted by force, is counted. dhat is 0.1 um "
                           "unless told otherwise, 1/200 of the indentation. Wanted: 2 % of the Richardson "
                           "limit and 5 % of Hertz at h = a/9, "
                           "errors that fall with h, a dependence on dhat of its own order.";

static const double dhat = 1e-7; /* [m] */

static void row(FILE *rows, const char *name, const hertz_result *r)
{
    validation_row(rows, name, r->force / r->to_sphere, r->force, fabs(r->to_sphere - 1.0),
                   "N, error relative");
    assert_true(r->unbalanced < 1e-5); /* Newton's tolerance is 1e-10 of the size */
}

/* h = a/4, a/6, a/9: limit and order, pressure, contact radius. Returns the coarsest. */
static hertz_result check_levels(FILE *rows)
{
    static const int cells[3] = {4, 6, 9};
    hertz_result r[3];
    for (int k = 0; k < 3; ++k) {
        char name[80];
        r[k] = hertz_press(&(hertz_case){.cells = cells[k], .dhat = dhat});
        (void)snprintf(name, sizeof name, "half-space: force, h = a/%d", cells[k]);
        row(rows, name, &r[k]);
        assert_true(k == 0 || fabs(r[k].to_sphere - 1.0) < 0.7 * fabs(r[k - 1].to_sphere - 1.0));
        assert_true(k == 0 || r[k].pressure < r[k - 1].pressure);
    }
    const double ratio = (r[0].to_sphere - r[1].to_sphere) / (r[1].to_sphere - r[2].to_sphere);
    const double order = log(ratio) / log(1.5);
    const double limit = r[2].to_sphere - (r[1].to_sphere - r[2].to_sphere) / (ratio - 1.0);
    const double exact = r[2].force / r[2].to_sphere;
    validation_row(rows, "half-space: Richardson limit", exact, limit * exact, fabs(limit - 1.0),
                   "N, error relative");
    validation_row(rows, "half-space: order of the force", NAN, order, NAN,
                   "2 inside, 1.5 at the edge of the contact");
    validation_row(rows, "half-space: h = a/9 against the limit", limit * exact, r[2].force,
                   fabs(r[2].to_sphere / limit - 1.0), "N, error relative; at most 2 %");
    validation_row(rows, "half-space: h = a/9 against Hertz", r[2].force / r[2].to_hertz, r[2].force,
                   fabs(r[2].to_hertz - 1.0), "N, error relative; at most 5 %");
    /* F of Hertz and of the ball at one indentation are as their a^3. */
    const double a = sqrt(hertz_radius * (hertz_delta + r[2].gap)) * cbrt(r[2].to_hertz / r[2].to_sphere);
    validation_row(rows, "half-space: contact radius, h = a/9", a, r[2].contact, fabs(r[2].contact / a - 1.0),
                   "m, from the second moment of the pressure");
    for (int k = 0; k < 3; ++k) {
        char name[80];
        (void)snprintf(name, sizeof name, "half-space: pressure, h = a/%d", cells[k]);
        validation_row(rows, name, NAN, NAN, r[k].pressure, "rms of p - p0 sqrt(1 - r^2/a^2), over p0");
    }
    assert_true(order > 1.3 && order < 3.0);
    assert_true(fabs(limit - 1.0) <
                0.005); /* what is left is of the order (a/R)^2 and of the extrapolation */
    assert_true(fabs(r[2].to_sphere / limit - 1.0) < 0.02);
    assert_true(fabs(r[2].to_hertz - 1.0) < 0.05);
    assert_near(r[2].contact, a, 0.01 * a);
    assert_true(r[2].pressure < 0.05);
    return r[0];
}

/* The force changes with dhat as the indentation does, by the gap: linearly, and what is left is small. */
static void check_dhat(FILE *rows, const hertz_result *least)
{
    hertz_result r[3] = {*least};
    for (int k = 1; k < 3; ++k) {
        char name[80];
        r[k] = hertz_press(&(hertz_case){.cells = 4, .dhat = dhat * (1 << k)});
        (void)snprintf(name, sizeof name, "half-space: force, h = a/4, dhat %.1f um", 1e6 * dhat * (1 << k));
        row(rows, name, &r[k]);
        /* The edge of the contact, where the gap is dhat, weighs more than the mean says: a fifth of the gap. */
        const double part = dhat * (1 << k) / hertz_delta;
        assert_near(r[k].to_sphere, r[0].to_sphere, 0.2 * part);
    }
    const double ratio = (r[2].force - r[1].force) / (r[1].force - r[0].force);
    validation_row(rows, "half-space: change of the force with dhat", 2.0, ratio, fabs(ratio - 2.0),
                   "0.2 to 0.4 um over 0.1 to 0.2 um; 2: linear");
    assert_near(ratio, 2.0, 0.05);
}

/* Obstacles of triangles, cut in two ways, coarser and finer than the ball; the ball's own surface cut otherwise. */
static void check_meshes(FILE *rows, const hertz_result *plane)
{
    static const struct {
        const char *name;
        hertz_case press;
    } all[] = {
        {"mesh, slash: force, h = a/4", {.cells = 4, .obstacle = "slash", .finer = 1.3}},
        {"mesh, cross: force, h = a/4", {.cells = 4, .obstacle = "cross", .finer = 1.3}},
        {"mesh, coarse: force, h = a/4", {.cells = 4, .obstacle = "slash", .finer = 0.3}},
        {"mesh, slash, convergent: false", {.cells = 4, .obstacle = "slash", .finer = 1.3, .plain = true}},
    };
    for (int k = 0; k < BRN_COUNT(all); ++k) {
        hertz_case press = all[k].press;
        press.dhat = dhat;
        const hertz_result r = hertz_press(&press);
        row(rows, all[k].name, &r);
        assert_near(r.to_sphere, plane->to_sphere, 1e-3); /* gaps differ by at most 0.2 dhat: 1.5 * 0.1 % */
    }
    const hertz_result tet = hertz_press(&(hertz_case){.cells = 4, .dhat = dhat, .element = "tet4"});
    row(rows, "half-space: force, tet4, h = a/4", &tet);
    assert_near(tet.to_sphere, 1.0, 0.05); /* tet4 is stiffer: measured 4.0 % */
    const hertz_result twin =
        hertz_press(&(hertz_case){.cells = 4, .dhat = dhat, .obstacle = "ball", .finer = 1.5});
    row(rows, "ball on ball, h = a/4 on a/6: force", &twin);
    /* Each ball gives way by its own error: between those of a/4 (2.3 %) and a/6 (1.1 %). */
    assert_true(twin.to_sphere > 1.01 && twin.to_sphere < plane->to_sphere);
}

/* The mean gap is what the barrier's shares decide: with dhat up to five cells of the obstacle it may change with the mesh
   only as far as pairs of edges do. */
static void check_shares(FILE *rows)
{
    double gap[2][2];
    for (int plain = 0; plain < 2; ++plain) {
        for (int fine = 0; fine < 2; ++fine) {
            const hertz_result r = hertz_press(&(hertz_case){.cells = 3,
                                                             .dhat = 1e-6,
                                                             .obstacle = "slash",
                                                             .finer = fine ? 16.0 : 1.0,
                                                             .plain = plain != 0});
            gap[plain][fine] = r.gap;
        }
        char name[80];
        (void)snprintf(name, sizeof name, "mesh 16 times finer, dhat 1 um: gap, convergent: %s",
                       plain ? "false" : "true");
        validation_row(rows, name, gap[plain][0], gap[plain][1], fabs(gap[plain][1] / gap[plain][0] - 1.0),
                       "m, against that of the coarse mesh, error relative");
    }
    const double change = fabs(gap[0][1] / gap[0][0] - 1.0);
    assert_true(change < 0.12);
    assert_true(change < 0.6 * fabs(gap[1][1] / gap[1][0] - 1.0));
}

static void test_hertz(void **state)
{
    (void)state;
    FILE *rows = validation_open("hertz", "Method ipc: Hertz", text);
    const hertz_result coarse = check_levels(rows);
    check_dhat(rows, &coarse);
    check_meshes(rows, &coarse);
    check_shares(rows);
    validation_close(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hertz)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
