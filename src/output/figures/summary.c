#include "output/figures/summary.h"

#include "base/json.h"
#include "base/os.h"

#include <inttypes.h>
#include <stdio.h>
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
    brn_json json = {.text.ctx = ctx, .lines = 1};
    char hash[17];
    (void)snprintf(hash, sizeof hash, "%016" PRIx64, summary->state_hash);
    brn_json_open(&json, NULL, '{');
    brn_json_text(&json, "status", summary->status);
    brn_json_text(&json, "reason", summary->reason);
    brn_json_text(&json, "method", method);
#define FIGURE(kind, name) brn_json_##kind(&json, #name, summary->name);
    SUMMARY_FIGURES(FIGURE)
#undef FIGURE
    brn_json_text(&json, "state_hash", hash);
    brn_json_text(&json, "version", BRN_VERSION);
    brn_json_text(&json, "blas", blas);
    brn_json_close(&json);
    char *text = NULL;
    BRN_TRY(brn_text_take(&json.text, &text));
    const brn_status status = brn_file_write(ctx, path, text, strlen(text));
    brn_free(ctx, text);
    return status;
}
