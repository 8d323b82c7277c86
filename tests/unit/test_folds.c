/* The bending of a sheet pass by pass against its elements one by one: any shape, rim, clamp and width, and elements that act in part. */
#include "shell_support.h"

#include "base/lanes.h"
#include "phys/shells/folds.h"

/* All passes at a level, in pieces of three batches. */
static void run_passes(brn_folds *folds, const double (*x)[3], const double *share, int last,
                       double *gradient)
{
    for (int pass = 0; pass < BRN_FOLDS_PASSES; ++pass) {
        const int count = brn_folds_count(folds, (brn_folds_pass)pass, last);
        for (int first = 0; first < count; first += 3) {
            const int end = first + 3 < count ? first + 3 : count;
            brn_folds_run(folds, (brn_folds_pass)pass, first, end, x, share, last, gradient);
        }
    }
}

/* Adds what acts at a level: force by passes, and by elements. */
static void add_forces(const brn_bending *b, brn_folds *folds, const int *level, const double (*x)[3],
                       const double *share, int last, double (*force)[3], double (*want)[3])
{
    const brn_element_group *group = &b->group;
    double *gradient = calloc((size_t)group->nelem * 9 + 1, sizeof *gradient);
    double one[SHELL_DOFS];
    double energy;
    double hess[SHELL_HESS];
    run_passes(folds, x, share, last, gradient);
    for (int t = 0; t < group->nelem; ++t) {
        const int *node = group->conn + t * group->nnode;
        for (int i = 0; i < 9 && folds->level[t] <= last; ++i) {
            force[node[i / 3]][i % 3] += gradient[9 * t + i];
        }
        if (level[t / BRN_LANES] <= last) {
            group_one(group, x, t, BRN_TANGENT_EXACT, &energy, one, hess);
            for (int i = 0; i < 3 * group->nnode; ++i) {
                want[node[i / 3]][i % 3] += share[level[t / BRN_LANES]] * one[i];
            }
        }
    }
    free(gradient);
}

static void check_sheet(brn_ctx *ctx, const brn_bending *b, int nnode, const double (*x)[3], brn_rng *rng)
{
    const int batches = (b->group.nelem + BRN_LANES - 1) / BRN_LANES;
    const double share[4] = {1.0, 0.5, 2.0, 3.0};
    int *level = calloc((size_t)batches + 1, sizeof *level);
    double(*moved)[3] = calloc((size_t)nnode, sizeof *moved);
    for (int many = 0; many < 2; ++many) {
        brn_folds *folds = NULL;
        for (int i = 0; i < batches; ++i) {
            level[i] = many ? (int)(brn_rng_next(rng) % 4) : 2;
        }
        assert_done(ctx, brn_folds_create(ctx, b, level, &folds));
        assert_non_null(folds);
        for (int k = 0; k < 6; ++k) {
            /* all, then fewer and more: what acted before leaves nothing behind */
            static const int last[6] = {3, 0, 2, 1, 3, 1};
            double(*force)[3] = calloc((size_t)nnode, sizeof *force);
            double(*want)[3] = calloc((size_t)nnode, sizeof *want);
            for (int n = 0; n < nnode; ++n) {
                for (int i = 0; i < 3; ++i) {
                    moved[n][i] = x[n][i] + brn_rng_uniform(rng, -1e-3, 1e-3);
                }
            }
            add_forces(b, folds, level, (const double(*)[3])moved, share, last[k], force, want);
            const double size = largest_of(want[0], 3 * nnode);
            for (int n = 0; n < nnode; ++n) {
                for (int i = 0; i < 3; ++i) {
                    /* angles to 1e-16 over heights; forces of neighbours cancel: measured 9e-15 of the largest, 30x margin */
                    assert_near(force[n][i], want[n][i], 3e-13 * size);
                }
            }
            free(force);
            free(want);
        }
        brn_folds_destroy(folds);
    }
    free(level);
    free(moved);
}

static void test_sheets(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {19};
    static const double bend[3] = {0.0, 0.8, 3.0};
    for (int kind = 0; kind < 5; ++kind) {
        sheet s = sheet_create(6, 7, 1.0, 1.2, kind == 0 ? 0.0 : 0.25, &rng);
        unsigned char *clamped = calloc((size_t)s.nelem, 1);
        clamped[0] = clamped[1] = clamped[11] = 1;
        for (int n = 0; kind >= 3 && n < s.nnode; ++n) {
            s.x[n][2] = 0.4 * s.x[n][0] * s.x[n][0] - 0.3 * s.x[n][0] * s.x[n][1]; /* curved at rest */
        }
        const brn_bending_options options = {.stiffness = {1.0, 0.9, 0.35, 0.0, 0.0, 0.3},
                                             .hinge = kind == 1,
                                             .flat = kind == 4,
                                             .clamped = kind == 2 ? clamped : NULL};
        brn_bending *b = NULL;
        assert_done(ctx, brn_bending_create(ctx, &options, (const double(*)[3])s.x, s.conn, s.nelem, &b));
        assert_int_equal(b->group.nnode, kind <= 1 ? 6 : 12);
        double(*x)[3] = calloc((size_t)s.nnode, sizeof *x);
        for (int k = 0; k < 3; ++k) {
            sheet_deform(&s, bend[k], 1.1, 0.02, &rng, x);
            check_sheet(ctx, b, s.nnode, (const double(*)[3])x, &rng);
        }
        free(x);
        free(clamped);
        brn_bending_destroy(b);
        sheet_destroy(&s);
    }
    brn_ctx_destroy(ctx);
}

/* A closed surface, where the nodes of a stencil coincide; a single triangle; none; a flipped one, which is refused. */
static void test_topology(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {23};
    const double rest[4][3] = {{0, 0, 0}, {1, 0, 0}, {0.2, 1.1, 0}, {0.3, 0.4, 0.9}};
    const int tet[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3}, flipped[6] = {0, 1, 2, 1, 2, 3};
    const brn_bending_options options = {.stiffness = {1.0, 1.0, 0.35, 0.0, 0.0, 0.3}};
    brn_bending *b = NULL;
    brn_folds *folds = NULL;
    double x[4][3];
    memcpy(x, rest, sizeof x);
    x[3][2] = 1.2;
    assert_done(ctx, brn_bending_create(ctx, &options, rest, tet, 4, &b));
    check_sheet(ctx, b, 4, (const double(*)[3])x, &rng);
    brn_bending_destroy(b);
    for (int count = 0; count < 2; ++count) {
        const int level[1] = {0};
        const double share[1] = {1.0};
        double gradient[9] = {1.0};
        assert_done(ctx, brn_bending_create(ctx, &options, rest, tet, count, &b));
        assert_done(ctx, brn_folds_create(ctx, b, level, &folds));
        run_passes(folds, (const double(*)[3])x, share, 0, gradient);
        assert_int_equal(brn_folds_count(folds, BRN_FOLDS_FORCES, 0), 0); /* no edge: nothing to do */
        brn_folds_destroy(folds);
        brn_bending_destroy(b);
    }
    assert_done(ctx, brn_bending_create(ctx, &options, rest, flipped, 2, &b));
    assert_done(ctx, brn_folds_create(ctx, b, (const int[1]){0}, &folds));
    assert_null(folds);
    brn_bending_destroy(b);
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sheets),
        cmocka_unit_test(test_topology),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
