/* Any bytes as a contact problem: an error or a problem that can be solved or not, never a crash, a leak or a large allocation. */
#include "read_fuzz.h"

#include "cone/cone.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    brn_ctx *ctx = fuzz_ctx();
    brn_cone_file *file = NULL;
    const brn_status status = brn_cone_parse(ctx, (const char *)data, size, "fuzz", &file);
    if ((status == BRN_OK) != (file != NULL) || (status < 0 && brn_ctx_message(ctx)[0] == '\0')) {
        abort();
    }
    if (file != NULL) {
        const brn_cone_problem *p = brn_cone_file_problem(file);
        const brn_cone_options options = {.tolerance = 1e-6, .sweeps = 50, .newton = 20, .path = 20};
        double *r = calloc((size_t)p->contacts * (size_t)p->dim, sizeof *r);
        brn_cone_report report;
        if (r == NULL || brn_cone_check(ctx, p) < 0) {
            abort();
        }
        const brn_status solved =
            p->contacts <= 50 ? brn_cone_solve(ctx, p, &options, r, NULL, &report) : BRN_OK;
        if (solved < 0 && solved != BRN_ERR_CONVERGENCE && solved != BRN_ERR_MEMORY) {
            abort();
        }
        free(r);
        brn_cone_close(file);
    }
    return 0;
}
