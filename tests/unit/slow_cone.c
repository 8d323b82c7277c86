/* A thousand random contact problems of 1 to 500 contacts, mu from 0 to 2, conditions to 1e12: each is solved to 1e-8 or says how far it came.
   Usage: slow_cone [FIRST LAST [CONTACTS]] */
#include "test.h"

#include "base/os.h"
#include "cone_problems.h"

enum { KINDS = 5 };

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
    /* fewer steps than usual: those that are hopeless take minutes otherwise */
    brn_cone_options options = brn_cone_options_default();
    options.newton = 300;
    const char *kind[KINDS] = {NULL};
    int count[KINDS] = {0}, failed[KINDS] = {0}, wrong = 0;
    double seconds[KINDS] = {0.0};
    for (uint64_t seed = first; seed < last; ++seed) {
        const size_t k = seed % KINDS;
        cone_problem c = cone_random(seed, most, &kind[k]);
        const size_t unknowns = (size_t)(c.problem.contacts * c.problem.dim);
        double *r = calloc(unknowns, sizeof *r);
        brn_cone_report report;
        const double start = brn_wall_time();
        const brn_status status = brn_cone_solve(ctx, &c.problem, &options, r, NULL, &report);
        const double spent = brn_wall_time() - start;
        seconds[k] += spent;
        ++count[k];
        failed[k] += status == BRN_ERR_CONVERGENCE;
        wrong += (status != BRN_OK || !(report.relative <= 1e-8)) && status != BRN_ERR_CONVERGENCE;
        wrong += status == BRN_ERR_CONVERGENCE && !(report.relative > 1e-8);
        if (status < 0) {
            printf("%d, %s, %.1f s: %s\n", (int)seed, kind[k], spent, brn_ctx_message(ctx));
            (void)fflush(stdout);
        }
        free(r);
        cone_problem_free(&c);
    }
    int failures = 0;
    for (int k = 0; k < KINDS && kind[k] != NULL; ++k) {
        printf("%-20s %3d of %d not to 1e-8, %.1f s\n", kind[k], failed[k], count[k], seconds[k]);
        failures += failed[k];
    }
    brn_ctx_destroy(ctx);
    /* no answer may be wrong; the rate only guards against worse: 12 of the first 100 fail honestly, nearly all of more than 100 contacts */
    return wrong > 0 || failures > (int)(last - first) / 5 ? 1 : 0;
}
