#include "output/figures/summary.h"

#include "base/os.h"
#include "output/figures/figure_table.h"
#include "output/figures/stage_figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

brn_status brn_summary_write(brn_ctx *ctx, const char *path, const brn_summary *summary, const char *method,
                             const char *blas, const brn_figure *own, int nown)
{
    brn_json json = {.text.ctx = ctx, .lines = 1};
    char hash[17];
    (void)snprintf(hash, sizeof hash, "%016" PRIx64, summary->state_hash);
    brn_json_open(&json, NULL, '{');
    brn_json_text(&json, "status", summary->status);
    brn_json_text(&json, "reason", summary->reason);
    brn_json_text(&json, "warnings", summary->warnings);
    brn_json_text(&json, "method", method);
    brn_json_text(&json, "choices", summary->choices);
    for (int i = 0; i < BRN_RUN_FIGURES; ++i) {
        brn_run_write(&json, summary, i);
    }
    for (int i = 0; i < nown; ++i) {
        if (own[i].whole && isfinite(summary->own[i])) {
            brn_json_int(&json, own[i].name, (int64_t)summary->own[i]);
        } else {
            brn_json_real(&json, own[i].name, summary->own[i]);
        }
    }
    brn_stage_figures_write(&json, summary->stage_rule, summary->stage);
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
