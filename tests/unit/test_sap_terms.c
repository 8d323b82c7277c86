/* A + J' G J and J' impulse of the convex problem, found by destination in parallel, against sums over the constraints. */
#include "test.h"

#include "base/rng.h"
#include "step/sap/sap_inner.h"

enum { ROWS = 40, SIZE = 3, CONSTRAINTS = 300, WIDTH = 6, DOFS = ROWS * SIZE };

typedef struct fixture {
    brn_sap_constraint constraint[CONSTRAINTS];
    brn_sap_block block[CONSTRAINTS * WIDTH];
    double g[9 * CONSTRAINTS], impulse[3 * CONSTRAINTS];
    double weighed[CONSTRAINTS * WIDTH][3 * BRN_SAP_ROW];
    bool active[CONSTRAINTS];
    unsigned char listed[CONSTRAINTS]; /* all but some of those without G */
    double dense[DOFS][DOFS], push[DOFS];
} fixture;

/* Constraints of all numbers of rows and blocks, a third of them without G. */
static void fill(fixture *f, brn_rng *rng, int size, brn_sap_problem *p)
{
    for (int i = 0; i < CONSTRAINTS; ++i) {
        brn_sap_constraint *c = &f->constraint[i];
        *c = (brn_sap_constraint){.rows = 1 + (int)brn_rng_uniform(rng, 0.0, size - 0.01),
                                  .first = p->nblock,
                                  .count = 1 + (int)brn_rng_uniform(rng, 0.0, WIDTH - 0.01)};
        const int base = (int)brn_rng_uniform(rng, 0.0, ROWS - 0.01);
        for (int k = 0; k < c->count; ++k) { /* 7 and 40 have no common factor: rows differ, in any order */
            f->block[p->nblock].row = (base + 7 * k) % ROWS;
            for (int j = 0; j < 9; ++j) {
                f->block[p->nblock].j[j] = brn_rng_uniform(rng, -1.0, 1.0);
            }
            p->nblock++;
        }
        for (int r = 0; r < c->rows; ++r) {
            f->impulse[3 * i + r] = brn_rng_uniform(rng, -1.0, 1.0);
            for (int q = 0; q <= r; ++q) {
                const double value = i % 3 == 0 ? 0.0 : brn_rng_uniform(rng, -1.0, 1.0);
                f->g[9 * i + r * c->rows + q] = f->g[9 * i + q * c->rows + r] = value;
            }
        }
        f->listed[i] = i % 6 != 0;
    }
    p->nconstraint = CONSTRAINTS;
    p->constraint = f->constraint;
    p->block = f->block;
}

/* The slow way. */
static void add_slowly(fixture *f, const brn_sap_problem *p)
{
    const int size = p->size;
    memset(f->dense, 0, sizeof f->dense);
    memset(f->push, 0, sizeof f->push);
    for (int i = 0; i < p->nconstraint; ++i) {
        const brn_sap_constraint *c = &p->constraint[i];
        for (int at = 0; at < c->count * c->count * size * size * c->rows * c->rows; ++at) {
            int rest = at;
            const int q = rest % c->rows, r = (rest /= c->rows) % c->rows, b = (rest /= c->rows) % size,
                      a = (rest /= size) % size, l = (rest /= size) % c->count, k = rest / c->count;
            const brn_sap_block *left = &p->block[c->first + k], *right = &p->block[c->first + l];
            f->dense[left->row * size + a][right->row * size + b] +=
                left->j[r * size + a] * f->g[9 * i + r * c->rows + q] * right->j[q * size + b];
        }
        for (int k = c->first; k < c->first + c->count; ++k) {
            for (int at = 0; at < c->rows * size; ++at) {
                f->push[p->block[k].row * size + at % size] +=
                    p->block[k].j[at] * f->impulse[3 * i + at / size];
            }
        }
    }
}

/* Sums of some hundred numbers of size 1: rounding is below 1e-12. */
static void check(const fixture *f, brn_sap_work *w)
{
    const brn_sap_problem *p = w->p;
    const int size = p->size;
    double push[DOFS];
    assert_int_equal(brn_sap_list_rows(brn_ctx_arena(w->solver->ctx), w), BRN_OK);
    assert_done(w->solver->ctx, brn_sap_prepare(w));
    assert_done(w->solver->ctx, brn_block_matrix_load(w->matrix, p->a));
    brn_sap_add_constraints(w);
    brn_sap_apply_back(w, f->impulse, push);
    for (int row = 0; row < ROWS; ++row) {
        for (int column = row; column < ROWS; ++column) {
            const int at = brn_block_matrix_find(w->matrix, row, column);
            const int own = brn_block_matrix_find(p->a, row, column);
            for (int k = 0; k < size * size; ++k) {
                const double wanted = f->dense[row * size + k / size][column * size + k % size] +
                                      (own >= 0 ? p->a->value[own * size * size + k] : 0.0);
                assert_near(at >= 0 ? w->matrix->value[at * size * size + k] : 0.0, wanted, 1e-12);
            }
        }
    }
    for (int dof = 0; dof < ROWS * size; ++dof) {
        assert_near(push[dof], f->push[dof], 1e-12);
    }
}

/* A second problem with the constraints the other way round has the same stencils of each width only if these are palindromes; with
   neighbours of different widths exchanged it has them always, and is another all the same. */
static void exchange(fixture *f)
{
    for (int i = 0; i + 1 < CONSTRAINTS; ++i) {
        const brn_sap_constraint c = f->constraint[i];
        if (c.count == f->constraint[i + 1].count) {
            continue;
        }
        double g[9];
        double impulse[3];
        const unsigned char listed = f->listed[i];
        f->listed[i] = f->listed[i + 1];
        f->listed[i + 1] = listed;
        memcpy(g, &f->g[9 * i], sizeof g);
        memcpy(impulse, &f->impulse[3 * i], sizeof impulse);
        f->constraint[i] = f->constraint[i + 1];
        f->constraint[i + 1] = c;
        memcpy(&f->g[9 * i], &f->g[9 * i + 9], sizeof g);
        memcpy(&f->g[9 * i + 9], g, sizeof g);
        memcpy(&f->impulse[3 * i], &f->impulse[3 * i + 3], sizeof impulse);
        memcpy(&f->impulse[3 * i + 3], impulse, sizeof impulse);
        ++i;
    }
}

static void test_sums(void **state)
{
    (void)state;
    for (int n = 0; n < 4; ++n) {
        static fixture f;
        brn_rng rng = {(uint64_t)n + 1};
        brn_ctx_options options = brn_ctx_options_default();
        options.threads = 1 + n / 2;
        brn_ctx *ctx = NULL;
        brn_sap_solver *solver = NULL;
        brn_block_matrix *a = NULL;
        assert_int_equal(brn_ctx_create(&options, &ctx), BRN_OK);
        brn_sap_problem p = {.nrow = ROWS, .size = 2 + n % 2};
        int pair[ROWS][2];
        for (int row = 0; row < ROWS; ++row) {
            pair[row][0] = row;
            pair[row][1] = (row + 1) % ROWS;
        }
        const brn_stencils list = {ROWS, 2, pair[0]};
        assert_done(ctx, brn_block_matrix_create(ctx, ROWS, p.size, &list, 1, &a));
        for (int i = 0; i < a->start[ROWS] * p.size * p.size; ++i) {
            a->value[i] = brn_rng_uniform(&rng, -1.0, 1.0);
        }
        p.a = a;
        memset(&f, 0, sizeof f);
        fill(&f, &rng, p.size, &p);
        assert_done(ctx, brn_sap_solver_create(ctx, &solver));
        for (int again = 0; again < 2; ++again) {
            brn_sap_work w = {.solver = solver,
                              .p = &p,
                              .g = f.g,
                              .weighed = f.weighed,
                              .active = f.active,
                              .listed = f.listed};
            add_slowly(&f, &p);
            check(&f, &w);
            exchange(&f);
        }
        brn_sap_solver_destroy(solver);
        brn_block_matrix_destroy(a);
        brn_ctx_destroy(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
