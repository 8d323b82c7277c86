/* Probes tell what happened where meshes do not match. What counts is how they moved since the start: the mean of the
   nodes of a region is another point on another mesh. */
#include "output/compare/common_times.h"
#include "output/compare/run_difference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { AXES = 3 };

/* The place of one probe or rigid body: columns of the two series by axis, naxis of them. */
typedef struct place {
    const double *column[2][AXES];
    int naxis;
} place;

/* `name` is "NAME.x"; false unless both series have it and NAME.y. */
static bool find_place(const brn_series_table *const series[2], const char *name, place *out)
{
    const size_t stem = strlen(name) - 1; /* up to and including the dot */
    char buffer[512];
    if (stem + 2 > sizeof buffer) {
        return false;
    }
    *out = (place){0};
    for (int k = 0; k < AXES; ++k) {
        (void)snprintf(buffer, sizeof buffer, "%.*s%c", (int)stem, name, 'x' + k);
        const int at[2] = {brn_series_table_find(series[0], buffer),
                           brn_series_table_find(series[1], buffer)};
        if (at[0] < 0 || at[1] < 0) {
            break;
        }
        for (int r = 0; r < 2; ++r) {
            out->column[r][k] = brn_series_table_column(series[r], at[r]);
        }
        out->naxis = k + 1;
    }
    return out->naxis >= 2;
}

static double mix(const double *column, brn_mix where)
{
    const double value = column[where.at];
    return where.weight > 0.0 ? value + where.weight * (column[where.at + 1] - value) : value;
}

/* Distance between the two displacements since the first common moment. */
static double distance(const place *p, const brn_common_time *start, const brn_common_time *now)
{
    double squared = 0.0;
    for (int k = 0; k < p->naxis; ++k) {
        double moved[2];
        for (int r = 0; r < 2; ++r) {
            moved[r] = mix(p->column[r][k], now->of[r]) - mix(p->column[r][k], start->of[r]);
        }
        squared += (moved[0] - moved[1]) * (moved[0] - moved[1]);
    }
    return sqrt(squared);
}

static void compare_places(const brn_series_table *const series[2], const brn_common_time *moment, int n,
                           brn_difference *out)
{
    for (int c = 0; c < series[0]->ncolumn; ++c) {
        const char *name = series[0]->name[c];
        const char *dot = strrchr(name, '.');
        place p;
        if (dot == NULL || dot == name || strcmp(dot, ".x") != 0 || !find_place(series, name, &p)) {
            continue;
        }
        out->probes++;
        for (int m = 0; m < n; ++m) {
            const double d = distance(&p, &moment[0], &moment[m]);
            if (!(d <= out->probe_max) && !isnan(d)) { /* also the first, where probe_max is NaN */
                out->probe_max = d;
                out->probe_max_time = moment[m].time;
                (void)snprintf(out->probe_max_name, sizeof out->probe_max_name, "%.*s", (int)(dot - name),
                               name);
            }
        }
    }
}

brn_status brn_difference_probes(brn_ctx *ctx, const brn_series_table *const series[2], char *const path[2],
                                 brn_difference *out)
{
    brn_recording_times times[2];
    for (int r = 0; r < 2; ++r) {
        const int at = brn_series_table_find(series[r], "time");
        if (at < 0) {
            return brn_fail(ctx, BRN_ERR_FORMAT, "%s: no column 'time'", path[r]);
        }
        times[r] = (brn_recording_times){path[r], brn_series_table_column(series[r], at), series[r]->nrow};
    }
    brn_common_time *moment = NULL;
    int n = 0;
    BRN_TRY(brn_common_times_create(ctx, times, &moment, &n));
    compare_places(series, moment, n, out);
    brn_free(ctx, moment);
    return BRN_OK;
}
