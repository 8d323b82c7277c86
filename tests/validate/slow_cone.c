/* Random contact problems of 1 to 500 contacts, mu from 0 to 2, conditions to 1e12: each is solved to 1e-8 or says how far it came, and what it says is
   true. Usage: slow_cone [FIRST LAST [CONTACTS]] */
#include "rows.h"

#include "unit/cone_problems.h"

#include <time.h>

enum { KINDS = 5 };

typedef struct tally {
    const char *kind;
    int count, failed, wrong, steps;
    int rounded; /* said to be solved, and above the tolerance by no more than rounding of u */
    double seconds;
} tally;

/* Fewer steps of each than usual: those that are hopeless take minutes otherwise. */
static const int STEPS = 300;
/* Failures allowed, of a thousand: half as many again as the 39 that were measured, as rounding decides some of them. */
static const int FAILURES = 60;

/* |e| of contact i by the definition in docs/theory.md; *scale: its |q|. */
static long double miss_of(const brn_cone_problem *p, int i, const double *r, long double *scale)
{
    const int dim = p->dim;
    const double *q = p->q + (ptrdiff_t)i * dim;
    const double *own = NULL;
    long double u[3] = {q[0], q[1], dim == 3 ? q[2] : 0.0L};
    *scale = hypotl(u[0], hypotl(u[1], u[2]));
    for (int k = p->first[i]; k < p->first[i + 1]; ++k) {
        const double *w = p->w + (ptrdiff_t)k * dim * dim;
        own = p->column[k] == i ? w : own;
        for (int s = 0; s < dim * dim; ++s) {
            u[s / dim] += (long double)w[s] * r[p->column[k] * dim + s % dim];
        }
    }
    const long double trace = dim == 3 ? 0.5L * (own[4] + own[8]) : own[3];
    const long double tangent = trace > 1e-6L * own[0] ? trace : own[0];
    const long double ri[3] = {r[i * dim], r[i * dim + 1], dim == 3 ? r[i * dim + 2] : 0.0L};
    const long double x[2] = {tangent * ri[1] - u[1], tangent * ri[2] - u[2]};
    const long double length = hypotl(x[0], x[1]);
    const long double allowed = tangent * p->mu[i] * fmaxl(0.0L, ri[0]);
    const long double share = length > allowed ? allowed / length : 1.0L;
    return hypotl(fminl(u[0], own[0] * ri[0]),
                  hypotl(tangent * ri[1] - share * x[0], dim == 3 ? tangent * ri[2] - share * x[1] : 0.0L));
}

/* The relative error of r, in long double and without any code of the solver. */
static double true_error(const brn_cone_problem *p, const double *r)
{
    long double most = 0.0L, largest = 0.0L;
    for (int i = 0; i < p->contacts; ++i) {
        long double scale;
        most = fmaxl(most, miss_of(p, i, r, &scale));
        largest = fmaxl(largest, scale);
    }
    return (double)(most / largest);
}

static void solve(brn_ctx *ctx, uint64_t seed, int most, tally *t)
{
    brn_cone_options options = brn_cone_options_default();
    options.newton = STEPS;
    options.path = STEPS;
    cone_problem c = cone_random(seed, most, &t->kind);
    double *r = calloc((size_t)(c.problem.contacts * c.problem.dim), sizeof *r);
    brn_cone_report report;
    const clock_t start = clock();
    const brn_status status = brn_cone_solve(ctx, &c.problem, &options, r, NULL, &report);
    const double spent = (double)(clock() - start) / CLOCKS_PER_SEC;
    const bool good = report.relative <= options.tolerance;
    const double truth = true_error(&c.problem, r);
    /* 1 %: rounding of the error itself, and no more than the report says rounding of u leaves */
    const bool true_to_it = fabs(truth - report.relative) <= 0.01 * truth + report.rounding / report.scale;
    ++t->count;
    t->seconds += spent;
    t->steps += report.newton + report.path;
    t->failed += status == BRN_ERR_CONVERGENCE;
    t->wrong += status != (good ? BRN_OK : BRN_ERR_CONVERGENCE) || !true_to_it;
    t->rounded += good && truth > options.tolerance;
    if (status < 0 || !true_to_it || (good && truth > options.tolerance)) {
        printf("%d, %s, %.1f s, error %.3g: %s\n", (int)seed, t->kind, spent, truth,
               status < 0 ? brn_ctx_message(ctx) : "solved");
        (void)fflush(stdout);
    }
    free(r);
    cone_problem_free(&c);
}

int main(int argc, char **argv)
{
    const uint64_t first = argc > 2 ? strtoull(argv[1], NULL, 10) : 0;
    const uint64_t last = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
    const int most = argc > 3 ? atoi(argv[3]) : 500;
    brn_ctx_options threads = brn_ctx_options_default();
    threads.threads = 1;
    brn_ctx *ctx = NULL;
    if (brn_ctx_create(&threads, &ctx) < 0) {
        return 1;
    }
    tally kind[KINDS] = {{0}}, all = {0};
    for (uint64_t seed = first; seed < last; ++seed) {
        solve(ctx, seed, most, &kind[seed % KINDS]);
    }
    FILE *rows = validation_open(
        "cone", "Random contact problems",
        "Frictional contact problems (`brn_cone_solve`): *bodies* with masses that differ by up to 1e6, "
        "*many contacts a body* (six times as many as bodies, hyperstatic), "
        "*spectrum*: a dense W with eigenvalues over up to twelve decades, *not symmetric*, and *plane*: "
        "bodies in 2D; mu from 0 to 2. Measured is the number that is not solved to a relative "
        "error of 1e-8 within 300 steps of Newton's method and 300 of the path; each of these says so. "
        "Errors are computed "
        "once more, in long double and by code of the test; an answer whose error is not what it says, but "
        "for what it says of rounding, fails the test.");
    for (int k = 0; k < KINDS && kind[k].kind != NULL; ++k) {
        char name[200], note[200];
        (void)snprintf(name, sizeof name, "%s: not to 1e-8", kind[k].kind);
        (void)snprintf(note, sizeof note,
                       "of %d of 1 to %d contacts; %.1f factorisations and %.3f s of CPU each", kind[k].count,
                       most, (double)kind[k].steps / kind[k].count, kind[k].seconds / kind[k].count);
        validation_row(rows, name, NAN, kind[k].failed, NAN, note);
        all.failed += kind[k].failed;
        all.wrong += kind[k].wrong;
        all.rounded += kind[k].rounded;
    }
    validation_row(rows, "said to be solved, above 1e-8 by rounding", NAN, all.rounded, NAN,
                   "where impulses are so large that rounding of u is of this size, as the report says");
    validation_row(rows, "answers that are not what they say", 0.0, all.wrong, all.wrong, "");
    validation_close(rows);
    brn_ctx_destroy(ctx);
    return all.wrong > 0 || all.failed > 1 + (int)(last - first) * FAILURES / 1000 ? 1 : 0;
}
