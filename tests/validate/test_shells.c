/* Bending and membrane of shells against closed forms. */
#include "plate_cases.h"

static FILE *file;
static const int cells[3] = {8, 16, 32};

/* Timoshenko & Woinowsky-Krieger 1959, tables 8 and 35 with more digits: w D/(q L^4) at the centre of a square plate. */
static const double supported_centre = 0.00406235, clamped_centre = 0.00126532;

static void test_deflection(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    for (int edge = SUPPORTED; edge <= CLAMPED; ++edge) {
        const double exact = edge == SUPPORTED ? supported_centre : clamped_centre;
        for (int mesh = 0; mesh < PLATE_MESHES; ++mesh) {
            double value[3];
            for (int k = 0; k < 3; ++k) {
                value[k] = plate_deflection(ctx, (plate_mesh)mesh, (plate_edge)edge, cells[k], 1.0, &steel);
            }
            const double error = convergence_rows(
                file, edge == SUPPORTED ? "supported plate: centre" : "clamped plate: centre",
                plate_mesh_name[mesh], exact, 3, cells, value);
            const double order = order_of(value[0], value[1], exact);
            validation_row(file, "order of the last rows but one", 2.0, order, NAN, "");
            /* second order: 2 % of 8 cells (19 % clamped, where the deflection is a third) become a sixteenth with 32 */
            assert_near(error, 0.0, edge == SUPPORTED ? 0.003 : 0.015);
            assert_true(order > 1.7);
        }
    }
    brn_ctx_destroy(ctx);
}

/* The same with angles shared half and half: right on the regular mesh, wrong by any amount elsewhere. */
static void test_plain_hinge(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    plate_material hinge = steel;
    hinge.hinge = true;
    for (int mesh = 0; mesh < PLATE_MESHES; ++mesh) {
        const double value = plate_deflection(ctx, (plate_mesh)mesh, SUPPORTED, 32, 1.0, &hinge);
        const double error = convergence_rows(file, "supported plate, `hinge`: centre", plate_mesh_name[mesh],
                                              supported_centre, 1, cells + 2, &value);
        assert_true(mesh == REGULAR ? fabs(error) < 0.003 : error < -0.1);
    }
    brn_ctx_destroy(ctx);
}

/* Scaled deflections are the same for thicknesses over decades and sizes from 1 mm to 10 m. */
static void test_scales(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    const double exact = supported_centre;
    double lo = INFINITY, hi = 0.0;
    for (int t = 1; t <= 4; ++t) {
        for (int s = -3; s <= 1; ++s) {
            plate_material m = steel;
            const double size = pow(10.0, s);
            m.thickness = size * pow(10.0, -t);
            const double value = plate_deflection(ctx, IRREGULAR, SUPPORTED, 16, size, &m);
            lo = fmin(lo, value);
            hi = fmax(hi, value);
        }
    }
    validation_row(file, "supported plate, irregular, 16 cells, t/L 0.1 to 1e-4, L 1 mm to 10 m: least",
                   exact, lo, fabs(lo / exact - 1.0), "error relative");
    validation_row(file, "the same: most", exact, hi, fabs(hi / exact - 1.0), "error relative");
    assert_near(hi / lo, 1.0, 1e-6); /* rounding times the condition of the thinnest, 1e8 and more */
    assert_near(hi / exact, 1.0, 0.01);
    brn_ctx_destroy(ctx);
}

/* omega L^2 sqrt(rho t/D) of square plates: Leissa 1973; free: nu = 0.3. */
static void test_frequencies(void **state)
{
    (void)state;
    enum { COUNT = 5 };
    brn_ctx *ctx = test_ctx(2);
    const double pi2 = M_PI * M_PI;
    const double exact[3][COUNT] = {{2 * pi2, 5 * pi2, 5 * pi2, 8 * pi2, 10 * pi2},
                                    {35.985, 73.394, 73.394, 108.22, 131.58},
                                    {13.468, 19.596, 24.270, 34.801, 34.801}};
    static const char *const name[3] = {"supported", "clamped", "free"};
    plate_material m = steel;
    m.thickness = 1e-3; /* well below the first mode in the plane */
    const double unit = sqrt(plate_bending_stiffness(&m) / (m.density * m.thickness));
    for (int edge = SUPPORTED; edge <= FREE; ++edge) {
        for (int mesh = REGULAR; mesh < PLATE_MESHES; mesh += IRREGULAR) {
            plate p = plate_square(ctx, (plate_mesh)mesh, (plate_edge)edge, 24, 1.0, &m);
            double omega[COUNT + 6];
            const int rigid = edge == FREE ? 6 : 0;
            plate_frequencies(&p, COUNT + rigid, omega);
            for (int i = 0; i < COUNT; ++i) {
                char text[128];
                const double value = omega[rigid + i] / unit, error = value / exact[edge][i] - 1.0;
                (void)snprintf(text, sizeof text, "%s plate: frequency %d, %s mesh, 24 cells", name[edge],
                               i + 1, plate_mesh_name[mesh]);
                validation_row(file, text, exact[edge][i], value, fabs(error),
                               "omega L^2 sqrt(rho t/D), error relative");
                /* 24 cells are 8 to 17 a wave of the fifth mode; clamped edges are the worst */
                assert_near(error, 0.0, edge == CLAMPED ? 0.03 : 0.02);
            }
            plate_destroy(&p);
        }
    }
    brn_ctx_destroy(ctx);
}

/* Small deflections of a strip: Euler-Bernoulli, and with nu = 0.3 a narrow strip that bends across freely, so that E I counts
   and not D. */
static void test_cantilever(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    const double length = 1.0;
    for (int mesh = 0; mesh < PLATE_MESHES; ++mesh) {
        for (int weight = 0; weight < 2; ++weight) {
            for (int poisson = 0; poisson < 2; ++poisson) {
                plate_material m = steel;
                m.poisson = poisson ? 0.3 : 0.0;
                const double width = 0.1;
                plate p = plate_strip(ctx, (plate_mesh)mesh, length, width, 40, 4, &m);
                const double ei = m.young * width * pow(m.thickness, 3) / 12.0, force = 1e-6 * ei;
                if (weight) {
                    plate_weight(&p, force / (length * width), 2);
                } else {
                    plate_end_load(&p, length, width, 2, force);
                }
                double *u = malloc((size_t)p.nnode * 3 * sizeof *u);
                plate_linear(&p, u);
                const double exact = (weight ? 1.0 / 8.0 : 1.0 / 3.0) * 1e-6;
                const double value = plate_at(&p, u, 2, length, 0.5 * width), error = value / exact - 1.0;
                char text[128];
                (void)snprintf(text, sizeof text, "cantilever under %s, nu = %g, %s mesh, 40 x 4 cells",
                               weight ? "its weight" : "a tip load", m.poisson, plate_mesh_name[mesh]);
                validation_row(file, text, exact, value, fabs(error), "tip [m], error relative");
                /* 40 cells: 1/n^2; with nu the clamp holds the root flat across, over a width or so: 2 % here */
                assert_near(error, 0.0, poisson ? 0.03 : 0.005);
                free(u);
                plate_destroy(&p);
            }
        }
    }
    brn_ctx_destroy(ctx);
}

/* Large deflections: the elastica under a tip load, and under its own weight. */
static void test_elastica(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    const double length = 1.0, width = 0.1;
    plate_material m = steel;
    m.poisson = 0.0;
    m.thickness = 1e-3;
    const double ei = m.young * width * pow(m.thickness, 3) / 12.0;
    for (int mesh = 0; mesh < PLATE_MESHES; ++mesh) {
        for (int weight = 0; weight < 2; ++weight) {
            plate p = plate_strip(ctx, (plate_mesh)mesh, length, width, 30, 3, &m);
            double before = 0.0;
            static const double factor[3] = {1.0, 5.0, 10.0};
            for (int k = 0; k < 3; ++k) {
                const double force = (factor[k] - before) * ei; /* added to the last one */
                before = factor[k];
                if (weight) {
                    plate_weight(&p, -force / (length * width), 2);
                } else {
                    plate_end_load(&p, length, width, 2, -force);
                }
                /* forces of rounding are 1e-16 of the stiffness in the plane, 1e-7 of the load of a node */
                const int iterations = plate_newton(&p, 1e-5, 200);
                assert_true(iterations < 200);
                double tip[2], got[2];
                elastica_tip(weight ? 0.0 : factor[k], weight ? factor[k] : 0.0, tip);
                got[0] = plate_at(&p, &p.x[0][0], 0, length, 0.5 * width);
                got[1] = plate_at(&p, &p.x[0][0], 2, length, 0.5 * width);
                const double error = hypot(got[0] - tip[0], got[1] - tip[1]);
                char text[128];
                (void)snprintf(text, sizeof text, "elastica: %s %g, %s mesh, 30 x 3 cells",
                               weight ? "q L^3/EI =" : "P L^2/EI =", factor[k], plate_mesh_name[mesh]);
                validation_row(file, text, -tip[1], -got[1], error,
                               "deflection/L; error: distance of the tips/L");
                assert_near(error, 0.0, 0.005); /* 1/n^2 = 1e-3, times curvatures up to 5 */
            }
            plate_destroy(&p);
        }
    }
    brn_ctx_destroy(ctx);
}

/* Euler's load of a strip, pi^2 EI/(4 L^2) clamped at one end, and of a supported square plate pressed along x, 4 pi^2 D/L. */
static void test_buckling(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    for (int mesh = 0; mesh < PLATE_MESHES; ++mesh) {
        plate_material m = steel;
        m.poisson = 0.0;
        const double width = 0.1, euler = M_PI * M_PI * m.young * width * pow(m.thickness, 3) / 48.0;
        plate p = plate_strip(ctx, (plate_mesh)mesh, 1.0, width, 30, 3, &m);
        plate_end_load(&p, 1.0, width, 0, -euler);
        const double strip = plate_buckling(&p, 0.5, 1.5);
        plate_destroy(&p);
        char text[128];
        (void)snprintf(text, sizeof text, "buckling of a strip, %s mesh, 30 x 3 cells",
                       plate_mesh_name[mesh]);
        validation_row(file, text, 1.0, strip, fabs(strip - 1.0), "of Euler's load");
        assert_near(strip, 1.0, 0.01);
        m = steel;
        m.thickness = 1e-3;
        const double critical = 4.0 * M_PI * M_PI * plate_bending_stiffness(&m);
        plate q = plate_square(ctx, (plate_mesh)mesh, SUPPORTED, 16, 1.0, &m);
        plate_end_load(&q, 1.0, 1.0, 0, -critical);
        for (int e = 0; e < q.nelem; ++e) { /* and against it on the other side */
            for (int i = 0; i < 3; ++i) {
                const int a = q.conn[3 * e + i], b = q.conn[3 * e + (i + 1) % 3];
                if (q.rest[a][0] < 1e-9 && q.rest[b][0] < 1e-9) {
                    const double share = 0.5 * critical * fabs(q.rest[a][1] - q.rest[b][1]);
                    q.load[a][0] += share;
                    q.load[b][0] += share;
                }
            }
        }
        const double square = plate_buckling(&q, 0.5, 1.5);
        plate_destroy(&q);
        (void)snprintf(text, sizeof text, "buckling of a supported plate, %s mesh, 16 cells",
                       plate_mesh_name[mesh]);
        validation_row(file, text, 1.0, square, fabs(square - 1.0), "of 4 pi^2 D/L");
        assert_near(square, 1.0, 0.03);
    }
    brn_ctx_destroy(ctx);
}

/* Hencky 1915: a circular membrane, held at its edge, under a uniform load q: w0 = a (q a/(Y t))^(1/3) sum of a_2n with
   b0 = 1.7244 for nu = 0.3 (series as in Fichter 1997). */
static void test_hencky(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    const double b0 = 1.7244;
    const double series = 1.0 / b0 + 0.5 / pow(b0, 4) + 5.0 / (9.0 * pow(b0, 7)) +
                          55.0 / (72.0 * pow(b0, 10)) + 7.0 / (6.0 * pow(b0, 13)) +
                          205.0 / (108.0 * pow(b0, 16)) + 17051.0 / (5292.0 * pow(b0, 19)) +
                          2864485.0 / (508032.0 * pow(b0, 22));
    plate_material m = steel;
    m.thickness = 1e-5; /* bending does not count: deflections of 2000 thicknesses */
    for (int law = BRN_MEMBRANE_QUADRATIC; law <= BRN_MEMBRANE_NEO_HOOKEAN; ++law) {
        double value[2];
        m.kind = (brn_membrane_kind)law;
        for (int k = 0; k < 2; ++k) {
            const int n = cells[k + 1];
            const double box[4] = {-1.0, -1.0, 1.0, 1.0}, slope = 0.03;
            plate p = plate_rectangle(ctx, MIRRORED, box, n, n, 0);
            for (int i = 0; i < p.nnode; ++i) { /* the square to the disc */
                const double x = p.rest[i][0], y = p.rest[i][1];
                const bool edge = fabs(x) > 1.0 - 1e-9 || fabs(y) > 1.0 - 1e-9;
                p.rest[i][0] = x * sqrt(1.0 - 0.5 * y * y);
                p.rest[i][1] = y * sqrt(1.0 - 0.5 * x * x);
                p.fixed[3 * i] = p.fixed[3 * i + 1] = p.fixed[3 * i + 2] = edge;
            }
            plate_build(&p, &m);
            const double q = pow(slope, 3) * m.young * m.thickness;
            plate_weight(&p, q, 2);
            for (int i = 0; i < p.nnode; ++i) {
                const double *x = p.rest[i];
                p.x[i][2] = 0.6 * slope * (1.0 - x[0] * x[0] - x[1] * x[1]);
            }
            assert_true(plate_newton(&p, 1e-7, 100) < 100);
            value[k] = plate_at(&p, &p.x[0][0], 2, 0.0, 0.0) / slope;
            plate_destroy(&p);
        }
        const double error =
            convergence_rows(file,
                             law == BRN_MEMBRANE_QUADRATIC ? "circular membrane, stvk: centre"
                                                           : "circular membrane, neo_hookean: centre",
                             "mirrored", series, 2, cells + 1, value);
        assert_near(error, 0.0,
                    0.01); /* 32 cells across; slopes of 0.03 squared are left out of Hencky's theory */
    }
    brn_ctx_destroy(ctx);
}

/* A sheet turned by 1 rad in space has no energy but that of rounding: compared with a stretch of 1e-6. */
static void test_turned(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    const double axis[3] = {1.0, 2.0, -1.0};
    double r[9];
    assert_true(brn_dense_rotation(axis, 1.0, r));
    plate p = plate_square(ctx, IRREGULAR, FREE, 16, 1.0, &steel);
    for (int i = 0; i < p.nnode; ++i) {
        brn_dense_apply3(r, p.rest[i], p.x[i]);
    }
    const double turned = plate_energy(&p, BRN_TANGENT_EXACT, NULL, false);
    const double stretched = 0.5 * steel.young * steel.thickness * 1e-12;
    validation_row(file, "turned by 1 rad: energy over that of a strain of 1e-6", 0.0, turned / stretched,
                   turned / stretched, "");
    assert_near(turned / stretched, 0.0, 1e-15); /* strains of 1e-15 at most, squared */
    plate_destroy(&p);
    brn_ctx_destroy(ctx);
}

int main(void)
{
    file = validation_open("shells", "Shells: plates, strips and membranes",
                           "Straight from the kernels (`src/phys/shells`), on meshes with all diagonals one "
                           "way (*regular*), with diagonals that alternate "
                           "(*mirrored*) and with nodes moved by up to 0.3 of a cell and Delaunay triangles "
                           "(*irregular*). Plates are square, of steel, nu "
                           "= 0.3, a hundredth as thick as long unless said otherwise; cells count along a "
                           "side, two triangles each. A clamped edge is "
                           "a line of nodes held together with the next line outside. `hinge` shares the "
                           "angle at an edge half and half; it "
                           "converges to something else on all meshes but the regular one. The elastica is "
                           "integrated by Runge-Kutta; "
                           "Hencky's membrane is its series.");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deflection), cmocka_unit_test(test_plain_hinge),
        cmocka_unit_test(test_scales),     cmocka_unit_test(test_frequencies),
        cmocka_unit_test(test_cantilever), cmocka_unit_test(test_elastica),
        cmocka_unit_test(test_buckling),   cmocka_unit_test(test_hencky),
        cmocka_unit_test(test_turned),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    validation_close(file);
    return failed;
}
