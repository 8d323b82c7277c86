/* The bound of a step by inverted elements, against sampling of determinants. */
#include "test.h"

#include "base/rng.h"
#include "phys/solid.h"
#include "step/inversion.h"

enum { SOLIDS = 7, EACH = 130, N = BRN_ELEMENT_NODES_MAX, SAMPLES = 120, PARAMS_SIZE = 1024 };

/* Separate elements of every kind of one dimension, in several solids; no two share a node. */
typedef struct fixture {
    brn_model model;
    brn_solid *solid[SOLIDS];
    brn_element_group *group[SOLIDS];
    double (*rest)[3], (*x0)[3], (*x1)[3];
} fixture;

static void reference_nodes(const brn_element *e, double out[N][3])
{
    static const double simplex[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const double cube[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                      {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
    static const int triangle_edges[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    static const int tet_edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    static const int hex_edges[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                         {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    const bool hex = e->cell == BRN_HEX8 || e->cell == BRN_HEX20;
    const int ncorner = hex ? 8 : e->dim + 1;
    const int(*edges)[2] = hex ? hex_edges : e->dim == 2 ? triangle_edges : tet_edges;
    for (int a = 0; a < e->nnode; ++a) {
        for (int i = 0; i < 3; ++i) {
            out[a][i] = a < ncorner ? (hex ? cube[a][i] : simplex[a][i])
                                    : 0.5 * (out[edges[a - ncorner][0]][i] + out[edges[a - ncorner][1]][i]);
        }
    }
}

/* barrier: of a material whose energy is infinite where an element is flat, else of one that bears it. */
static void setup(fixture *f, brn_ctx *ctx, int dim, bool barrier)
{
    *f = (fixture){.model = {.ctx = ctx, .dim = dim, .group = f->group}};
    int choice = 0;
    while (brn_material_get(choice)->barrier != barrier) {
        ++choice;
    }
    const brn_material *material = brn_material_get(choice);
    _Alignas(16) char params[PARAMS_SIZE];
    assert_true(material->table->size <= sizeof params);
    brn_table_defaults(material->table, params);
    brn_moduli moduli;
    const char *reason = NULL;
    assert_true(material->moduli(params, &moduli, &reason));
    f->rest = calloc(SOLIDS * EACH * N, sizeof *f->rest);
    f->x0 = calloc(SOLIDS * EACH * N, sizeof *f->x0);
    f->x1 = calloc(SOLIDS * EACH * N, sizeof *f->x1);
    int *conn = calloc(EACH * N, sizeof *conn);
    assert_true(f->rest != NULL && f->x0 != NULL && f->x1 != NULL && conn != NULL);
    for (int s = 0, kind = 0; s < SOLIDS; ++s, ++kind) {
        while (brn_element_get(kind % brn_element_count())->dim != dim) {
            ++kind;
        }
        const brn_element *e = brn_element_get(kind % brn_element_count());
        for (int i = 0; i < EACH; ++i) {
            for (int a = 0; a < e->nnode; ++a) {
                conn[i * e->nnode + a] = f->model.nnode + i * e->nnode + a;
            }
            reference_nodes(e, f->rest + f->model.nnode + i * e->nnode);
        }
        assert_done(ctx, brn_solid_create(ctx, e->cell, material, &moduli, (const double(*)[3])f->rest, conn,
                                          EACH, &f->solid[s]));
        f->group[f->model.ngroup++] = &f->solid[s]->group;
        f->model.nnode += EACH * e->nnode;
        f->model.nelem += EACH;
    }
    free(conn);
}

static void teardown(fixture *f)
{
    for (int s = 0; s < SOLIDS; ++s) {
        brn_solid_destroy(f->solid[s]);
    }
    free(f->rest);
    free(f->x0);
    free(f->x1);
}

/* Determinant of d(current)/d(reference) at a quadrature point and time. */
static double determinant(const fixture *f, const brn_solid *solid, int element, int quad, double t)
{
    const brn_element *e = solid->element;
    double dn[N][3], j[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 1}};
    e->gradient(e->point + 3 * quad, dn);
    j[2][2] = e->dim == 2;
    for (int a = 0; a < e->nnode; ++a) {
        const int node = solid->group.conn[element * e->nnode + a];
        for (int i = 0; i < e->dim; ++i) {
            for (int r = 0; r < e->dim; ++r) {
                j[i][r] += ((1.0 - t) * f->x0[node][i] + t * f->x1[node][i]) * dn[a][r];
            }
        }
    }
    return j[0][0] * (j[1][1] * j[2][2] - j[1][2] * j[2][1]) -
           j[0][1] * (j[1][0] * j[2][2] - j[1][2] * j[2][0]) +
           j[0][2] * (j[1][0] * j[2][1] - j[1][1] * j[2][0]);
}

/* The smallest of det(t) / det(0) over all points of an element that are positive at the start. */
static double smallest(const fixture *f, const brn_solid *solid, int element, double t)
{
    double least = INFINITY;
    for (int quad = 0; quad < solid->element->nquad; ++quad) {
        const double start = determinant(f, solid, element, quad, 0.0);
        if (start > 1e-9) {
            least = fmin(least, determinant(f, solid, element, quad, t) / start);
        }
    }
    return least;
}

/* A homogeneous stretch and noise; some elements mirrored. Then a step of the given size. */
static void deform(fixture *f, brn_rng *rng, double step, bool mirror)
{
    for (int s = 0; s < SOLIDS; ++s) {
        const int nnode = f->solid[s]->element->nnode;
        for (int e = 0; e < EACH; ++e) {
            const double size = pow(10.0, brn_rng_uniform(rng, -3.0, 3.0));
            const bool turned = mirror && brn_rng_next(rng) % 8 == 0;
            for (int a = 0; a < nnode; ++a) {
                const int node = f->solid[s]->group.conn[e * nnode + a];
                for (int i = 0; i < f->model.dim; ++i) {
                    const double x = f->rest[node][i] + brn_rng_uniform(rng, -0.05, 0.05);
                    f->x0[node][i] = size * (turned && i == 0 ? -x : x);
                    f->x1[node][i] = f->x0[node][i] + size * step * brn_rng_uniform(rng, -1.0, 1.0);
                }
            }
        }
    }
}

static double bound(brn_ctx *ctx, const fixture *f)
{
    double fraction = -1.0;
    assert_done(ctx, brn_inversion_bound(ctx, &f->model, f->x0[0], f->x1[0], &fraction));
    return fraction;
}

static void test_against_sampling(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1), *more = test_ctx(3);
    static const double steps[] = {0.0, 0.01, 0.1, 0.3, 1.0, 100.0};
    for (int dim = 2; dim <= 3; ++dim) {
        const int samples = dim == 2 ? SAMPLES : SAMPLES / 20;
        fixture f;
        brn_rng rng = {1};
        setup(&f, ctx, dim, true);
        for (int i = 0; i < 6; ++i) {
            deform(&f, &rng, steps[i], i % 2);
            const double fraction = bound(ctx, &f);
            assert_true(fraction > 0.0 && fraction <= 1.0);
            assert_true(bound(more, &f) == fraction);
            assert_true(steps[i] > 0.01 || fraction == 1.0); /* a motion of 1% empties nothing */
            assert_true(steps[i] < 1.0 || fraction < 1.0);
            /* No sample before is below a tenth (1e-9: rounding of the sampling); some one just after is, if a step
               is cut at all (0.101 at the end, and 1% of the way to it beyond, where the slope takes it down). */
            double least = INFINITY, after = INFINITY;
            for (int s = 0; s < SOLIDS; ++s) {
                for (int e = 0; e < EACH; ++e) {
                    for (int k = 0; k <= samples; ++k) {
                        const double t = fraction * k / samples;
                        least = fmin(least, smallest(&f, f.solid[s], e, t));
                    }
                    after = fmin(after, smallest(&f, f.solid[s], e, fraction * 1.01));
                }
            }
            assert_true(least >= 0.1 - 1e-9);
            assert_true(fraction == 1.0 || after < 0.1);
        }
        teardown(&f);
    }
    brn_ctx_destroy(ctx);
    brn_ctx_destroy(more);
}

/* One element decides wherever it is; those that are inverted at the start never do; a bad number stops the step. */
static void test_each_element_counts(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    fixture f;
    setup(&f, ctx, 3, true);
    brn_rng rng = {2};
    deform(&f, &rng, 0.0, false);
    assert_true(bound(ctx, &f) == 1.0);
    for (int s = 0; s < SOLIDS; ++s) {
        const int nnode = f.solid[s]->element->nnode;
        for (int e = 0; e < EACH; e += 43) {
            const int *conn = f.solid[s]->group.conn + e * nnode;
            /* through its mirror image: every determinant falls as 1 - 2 t, to a tenth at 0.45 */
            for (int a = 0; a < nnode; ++a) {
                f.x1[conn[a]][1] = -f.x0[conn[a]][1];
            }
            assert_near(bound(ctx, &f), 0.45, 1e-12);
            /* from an inverted start there is no bound */
            for (int a = 0; a < nnode; ++a) {
                f.x0[conn[a]][0] = -f.x0[conn[a]][0];
            }
            assert_true(bound(ctx, &f) == 1.0);
            f.x1[conn[nnode - 1]][2] = e % 2 ? NAN : INFINITY;
            assert_true(bound(ctx, &f) == 0.0);
            for (int a = 0; a < nnode; ++a) {
                f.x0[conn[a]][0] = -f.x0[conn[a]][0];
            }
            assert_true(bound(ctx, &f) == 0.0);
            for (int a = 0; a < nnode; ++a) {
                memcpy(f.x1[conn[a]], f.x0[conn[a]], sizeof f.x1[0]);
            }
            assert_true(bound(ctx, &f) == 1.0);
        }
    }
    const brn_model none = {.ctx = ctx, .dim = 3};
    double fraction = 0.0;
    assert_done(ctx, brn_inversion_bound(ctx, &none, NULL, NULL, &fraction));
    assert_true(fraction == 1.0);
    teardown(&f);
    brn_ctx_destroy(ctx);
}

/* An element on its way through is held back until it has a hundredth of its volume at rest, if its material bears that; one
   with a barrier for ever. */
static void test_flat_elements_pass(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    static const double flat[] = {1.0, 0.011, 0.009, 1e-6};
    for (int k = 0; k < 16; ++k) {
        const int dim = 2 + k % 2;
        const bool barrier = k / 2 % 2 == 0;
        const double share = flat[k / 4];
        fixture f;
        setup(&f, ctx, dim, barrier);
        for (int a = 0; a < f.model.nnode; ++a) {
            for (int i = 0; i < dim; ++i) {
                f.x0[a][i] = f.rest[a][i] * (i == 1 ? share : 1.0);
                f.x1[a][i] = f.x0[a][i] * (i == 1 ? -1.0 : 1.0);
            }
        }
        if (barrier || share > 0.01) {
            assert_near(bound(ctx, &f), 0.45, 1e-9); /* the rounding of what is flat */
        } else {
            assert_true(bound(ctx, &f) == 1.0);
        }
        teardown(&f);
    }
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_sampling),
        cmocka_unit_test(test_each_element_counts),
        cmocka_unit_test(test_flat_elements_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
