/* One page with several runs on one timeline. */
#include "api/report.h"

enum { RUNS_MAX = 64 };

static brn_status open_views(brn_ctx *ctx, const char *const *run_dirs, const char *const *names,
                             const brn_difference *const *difference, int count, brn_view **view)
{
    for (int i = 0; i < count; ++i) {
        BRN_TRY(brn_view_open(ctx, run_dirs[i], &view[i]));
        view[i]->difference = difference != NULL ? difference[i] : NULL;
        if (names != NULL && names[i] != NULL) {
            brn_free(ctx, view[i]->name);
            view[i]->name = brn_strdup(ctx, names[i]);
            if (view[i]->name == NULL) {
                return BRN_ERR_MEMORY;
            }
        }
    }
    return BRN_OK;
}

brn_status brn_view_compare(brn_ctx *ctx, const char *const *run_dirs, const char *const *names,
                            const brn_difference *const *difference, int count, const char *path,
                            double budget_mb)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, run_dirs);
    BRN_GIVEN(ctx, path);
    brn_view *view[RUNS_MAX] = {NULL};
    if (count < 1 || count > RUNS_MAX) {
        return brn_fail(ctx, BRN_ERR_RANGE, "compare: %d runs; a page holds 1 to %d", count, RUNS_MAX);
    }
    brn_status status = open_views(ctx, run_dirs, names, difference, count, view);
    status = status >= 0 ? brn_page_write(ctx, view, count, path, 1, budget_mb) : status;
    for (int i = 0; i < count; ++i) {
        brn_view_close(view[i]);
    }
    return status;
}
