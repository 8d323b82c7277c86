/* Shells on fine, stretched and curved meshes; test_shells.c has the rest. */
#include "plate_cases.h"

static FILE *file;

/* Order and limit on fine meshes: what is left of errors that do not vanish with the mesh. */
static void test_fine(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    static const int cells[3] = {32, 64, 128};
    for (int mesh = 0; mesh < PLATE_MESHES; ++mesh) {
        double value[3];
        for (int k = 0; k < 3; ++k) {
            value[k] = plate_deflection(ctx, (plate_mesh)mesh, SUPPORTED, cells[k], 1.0, &steel);
        }
        const double error = convergence_rows(file, "supported plate: centre", plate_mesh_name[mesh],
                                              0.00406235, 3, cells, value);
        assert_near(error, 0.0, 3e-4);
        for (int k = 0; k < 2; ++k) {
            value[k] = plate_deflection(ctx, (plate_mesh)mesh, CLAMPED, cells[k], 1.0, &steel);
        }
        assert_near(convergence_rows(file, "clamped plate: centre", plate_mesh_name[mesh], 0.00126532, 2,
                                     cells, value),
                    0.0, 5e-3);
    }
    brn_ctx_destroy(ctx);
}

/* The supported square plate with cells `aspect` times as long as wide: an irregular mesh of a long rectangle, pressed. */
static void test_stretched(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    for (int mesh = 0; mesh < PLATE_MESHES; ++mesh) {
        for (int aspect = 4; aspect <= 16; aspect *= 4) {
            double last = INFINITY;
            for (int n = 8; n <= (aspect == 4 ? 32 : 16); n *= 2) {
                const double box[4] = {0.0, 0.0, 1.0, aspect};
                plate p = plate_rectangle(ctx, (plate_mesh)mesh, box, n, n * aspect, 0);
                for (int i = 0; i < p.nnode; ++i) {
                    p.rest[i][1] /= aspect;
                    const double x = p.rest[i][0], y = p.rest[i][1];
                    const bool left = x<1e-9, right = x> 1.0 - 1e-9, low = y<1e-9, high = y> 1.0 - 1e-9;
                    p.fixed[3 * i] = left && low;
                    p.fixed[3 * i + 1] = low && (left || right);
                    p.fixed[3 * i + 2] = left || right || low || high;
                }
                plate_build(&p, &steel);
                plate_weight(&p, 1.0, 2);
                double *u = malloc((size_t)p.nnode * 3 * sizeof *u);
                plate_linear(&p, u);
                const double value = plate_at(&p, u, 2, 0.5, 0.5) * plate_bending_stiffness(&steel);
                const double error = fabs(value / 0.00406235 - 1.0);
                char text[128];
                (void)snprintf(text, sizeof text,
                               "supported plate, cells 1:%d, %s mesh, %d cells along x: centre", aspect,
                               plate_mesh_name[mesh], n);
                validation_row(file, text, 0.00406235, value, error, "error relative");
                /* irregular triangles of 1:16 have angles of 175 degrees: they converge, slowly */
                assert_true(error < 0.7 * last || error < 0.005);
                last = error;
                free(u);
                plate_destroy(&p);
            }
            assert_true(last < (mesh == IRREGULAR && aspect == 16 ? 0.2 : 0.015));
        }
    }
    brn_ctx_destroy(ctx);
}

/* Scordelis & Lo 1964: a roof, part of a cylinder of radius 25, 50 long and 80 degrees wide, 0.25 thick, Y = 4.32e8, nu = 0, weight
   90 a unit of area, on rigid diaphragms at its ends. The middle of its free edge goes down by 0.3024 (shallow theory
   0.3086). A shell that rests bent, with membrane forces that carry most of it. */
static void test_roof(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    static const int cells[3] = {16, 32, 64};
    const plate_material m = {4.32e8, 0.0, 0.25, 1.0, BRN_MEMBRANE_QUADRATIC, false};
    for (int mesh = 0; mesh < PLATE_MESHES; ++mesh) {
        double value[3];
        for (int k = 0; k < 3; ++k) {
            const double half = 40.0 * M_PI / 180.0, box[4] = {0.0, -25.0 * half, 50.0, 25.0 * half};
            plate p = plate_rectangle(ctx, (plate_mesh)mesh, box, cells[k], cells[k], 0);
            int edge = 0; /* node at the middle of the free edge */
            for (int i = 0; i < p.nnode; ++i) {
                const double x = p.rest[i][0], angle = p.rest[i][1] / 25.0;
                const bool end = x < 1e-9 || x > 50.0 - 1e-9;
                p.rest[i][1] = 25.0 * sin(angle);
                p.rest[i][2] = 25.0 * cos(angle);
                p.fixed[3 * i] = i == 0;
                p.fixed[3 * i + 1] = p.fixed[3 * i + 2] = end;
                if (angle < -half + 1e-9 && fabs(x - 25.0) < fabs(p.rest[edge][0] - 25.0)) {
                    edge = i;
                }
            }
            plate_build(&p, &m);
            plate_weight(&p, -90.0, 2);
            double *u = malloc((size_t)p.nnode * 3 * sizeof *u);
            plate_linear(&p, u);
            value[k] = -u[3 * edge + 2];
            free(u);
            plate_destroy(&p);
        }
        const double error =
            convergence_rows(file, "Scordelis-Lo roof: edge", plate_mesh_name[mesh], 0.3024, 3, cells, value);
        assert_near(error, 0.0, 0.03);
    }
    brn_ctx_destroy(ctx);
}

/* A thin cylinder pinched by two opposite forces at the middle, on rigid diaphragms: radius 300, length 600, thickness 3, Y = 3e6, nu =
   0.3, P = 1: 1.8248e-5 under the load (Belytschko et al. 1985). The hardest of the usual tests: membrane forces vary quickly, which
   makes coarse meshes stiff, and a force on one node dents them by some P h^2/D, which makes them soft. */
static void test_pinched(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    static const int cells[3] = {16, 32, 64};
    const plate_material m = {3e6, 0.3, 3.0, 1.0, BRN_MEMBRANE_QUADRATIC, false};
    double value[3];
    for (int k = 0; k < 3; ++k) {
        const double box[4] = {0.0, 0.0, 600.0, 2.0 * M_PI * 300.0};
        const int nx = cells[k], ny = 2 * cells[k];
        plate p = plate_rectangle(ctx, MIRRORED, box, nx, ny, 0);
        for (int e = 0; e < 3 * p.nelem; ++e) { /* close the ring: the last line of nodes is the first */
            p.conn[e] = p.conn[e] >= (nx + 1) * ny ? p.conn[e] - (nx + 1) * ny : p.conn[e];
        }
        int at[2] = {0, 0};
        for (int i = 0; i < p.nnode; ++i) {
            const double x = p.rest[i][0], angle = p.rest[i][1] / 300.0;
            const bool end = x < 1e-6 || x > 600.0 - 1e-6, unused = i >= (nx + 1) * ny;
            at[0] = fabs(x - 300.0) < 1e-6 && fabs(angle) < 1e-6 ? i : at[0];
            at[1] = fabs(x - 300.0) < 1e-6 && fabs(angle - M_PI) < 1e-6 ? i : at[1];
            p.rest[i][1] = 300.0 * sin(angle);
            p.rest[i][2] = 300.0 * cos(angle);
            p.fixed[3 * i] = unused || (fabs(x - 300.0) < 1e-6 && fabs(angle) < 1e-6);
            p.fixed[3 * i + 1] = p.fixed[3 * i + 2] = end || unused;
        }
        plate_build(&p, &m);
        p.load[at[0]][2] = -1.0;
        p.load[at[1]][2] = 1.0;
        double *u = malloc((size_t)p.nnode * 3 * sizeof *u);
        plate_linear(&p, u);
        value[k] = -u[3 * at[0] + 2];
        free(u);
        plate_destroy(&p);
    }
    const double error =
        convergence_rows(file, "pinched cylinder: load", "mirrored", 1.8248e-5, 3, cells, value);
    assert_near(error, 0.0, 0.1);
    brn_ctx_destroy(ctx);
}

int main(void)
{
    file = validation_open("shells_fine", "Shells: fine, stretched and curved meshes",
                           "As above. Curved shells are unbent as they are; their membrane forces carry most "
                           "of the load, so that the "
                           "triangles of constant strain set the error.");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fine),
        cmocka_unit_test(test_stretched),
        cmocka_unit_test(test_roof),
        cmocka_unit_test(test_pinched),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    validation_close(file);
    return failed;
}
