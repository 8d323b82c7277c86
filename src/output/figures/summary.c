#include "output/figures/summary.h"

#include "base/json.h"
#include "base/os.h"

#include <inttypes.h>
#include <string.h>

/* The members of brn_summary that are plain figures, in order; texts and the hash stand around them. */
#define SUMMARY_FIGURES(X)           \
 X(int, steps)                       \
 X(real, time_end)                   \
 X(real, wall_s)                     \
 X(real, cpu_s)                      \
 X(real, realtime_rate)              \
 X(int, threads)                     \
 X(int, nodes)                       \
 X(int, elements)                    \
 X(int, dofs)                        \
 X(int, contacts_max)                \
 X(real, contacts_mean)              \
 X(int, sticking)                    \
 X(int, slipping)                    \
 X(int, iterations)                  \
 X(real, iterations_per_step)        \
 X(real, gap_min)                    \
 X(real, penetration_max)            \
 X(int, inversions)                  \
 X(int, intersections)               \
 X(real, cone_error_max)             \
 X(real, dissipation_error_max)      \
 X(real, complementarity_max)        \
 X(real, energy_initial)             \
 X(real, energy_final)               \
 X(real, stiffness_work)             \
 X(real, energy_error_max)           \
 X(real, momentum_error_max)         \
 X(real, angular_momentum_error_max) \
 X(real, peak_mb)

brn_status brn_summary_write(brn_ctx *ctx, const char *path, const brn_summary *summary, const char *method,
                             const char *blas)
{
    brn_text json = {.ctx = ctx};
    brn_text_add(&json, "{\n  \"status\": ");
    brn_json_text(&json, summary->status);
    brn_text_add(&json, ",\n  \"reason\": ");
    brn_json_text(&json, summary->reason);
    brn_text_add(&json, ",\n  \"method\": ");
    brn_json_text(&json, method);
#define FIGURE(kind, name)                    \
 brn_text_add(&json, ",\n  \"" #name "\": "); \
 brn_json_##kind(&json, summary->name);
    SUMMARY_FIGURES(FIGURE)
#undef FIGURE
    brn_text_add(&json, ",\n  \"state_hash\": \"%016" PRIx64 "\"", summary->state_hash);
    brn_text_add(&json, ",\n  \"version\": ");
    brn_json_text(&json, BRN_VERSION);
    brn_text_add(&json, ",\n  \"blas\": ");
    brn_json_text(&json, blas);
    brn_text_add(&json, "\n}\n");
    char *text = NULL;
    BRN_TRY(brn_text_take(&json, &text));
    const brn_status status = brn_file_write(ctx, path, text, strlen(text));
    brn_free(ctx, text);
    return status;
}
