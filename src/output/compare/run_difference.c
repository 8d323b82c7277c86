#include "output/compare/run_difference.h"

#include "base/os.h"
#include "output/compare/common_times.h"
#include "output/compare/node_match.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A walk through a trajectory: the frames read last, and their interpolation. */
typedef struct track {
    const char *path;
    brn_playback *playback;
    int nframe;
    double *time;     /* [nframe] */
    double *frame[2]; /* positions [nnode][3] of the frames `index` */
    int index[2];     /* -1: none */
    double *mixed;    /* [nnode][3] */
} track;

static brn_status start_track(brn_ctx *ctx, brn_playback *playback, const char *path, track *t)
{
    const brn_playback_info *info = brn_playback_get(playback);
    *t = (track){.path = path, .playback = playback, .nframe = info->nframe, .index = {-1, -1}};
    BRN_ALLOC(ctx, t->time, info->nframe);
    for (int i = 0; i < info->nframe; ++i) {
        brn_frame frame = {0};
        BRN_TRY(brn_playback_read(playback, i, &frame));
        t->time[i] = frame.time;
    }
    double **const buffers[] = {&t->frame[0], &t->frame[1], &t->mixed};
    for (int i = 0; i < 3; ++i) {
        BRN_ALLOC(ctx, *buffers[i], 3 * (size_t)info->nnode);
    }
    return BRN_OK;
}

static void end_track(brn_ctx *ctx, track *t)
{
    brn_free(ctx, t->time);
    brn_free(ctx, t->frame[0]);
    brn_free(ctx, t->frame[1]);
    brn_free(ctx, t->mixed);
}

/* Frame f in one of the two buffers, odd frames in the second, so that both neighbours are at hand. */
static brn_status load(track *t, int f, const double **out)
{
    const int slot = f % 2;
    if (t->index[slot] != f) {
        brn_frame frame = {.pos = t->frame[slot]};
        t->index[slot] = -1;
        BRN_TRY(brn_playback_read(t->playback, f, &frame));
        t->index[slot] = f;
    }
    *out = t->frame[slot];
    return BRN_OK;
}

static brn_status positions_at(track *t, brn_mix where, const double **out)
{
    const double *before = NULL, *after = NULL;
    BRN_TRY(load(t, where.at, &before));
    *out = before;
    if (where.weight > 0.0) {
        BRN_TRY(load(t, where.at + 1, &after));
        const size_t n = 3 * (size_t)brn_playback_get(t->playback)->nnode;
        for (size_t i = 0; i < n; ++i) {
            t->mixed[i] = before[i] + where.weight * (after[i] - before[i]);
        }
        *out = t->mixed;
    }
    return BRN_OK;
}

/* Squared distances at a moment: the sum, and the largest with its place. A NaN persists. */
typedef struct spread {
    double sum, largest;
    int at;
} spread;

static spread measure(const brn_node_match *match, const double *x, const double *y)
{
    spread s = {.at = -1};
    for (int i = 0; i < match->n; ++i) {
        const double *p = x + 3 * (size_t)match->node[i][0], *q = y + 3 * (size_t)match->node[i][1];
        const double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
        const double squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        s.sum += squared;
        if (squared > s.largest || isnan(squared)) {
            s.largest = squared;
            s.at = i;
        }
    }
    return s;
}

static brn_status walk(track tracks[2], const brn_node_match *match, const brn_common_time *moment, int n,
                       brn_difference *out)
{
    double sum = 0.0, largest = 0.0;
    for (int m = 0; m < n; ++m) {
        const double *x = NULL, *y = NULL;
        BRN_TRY(positions_at(&tracks[0], moment[m].of[0], &x));
        BRN_TRY(positions_at(&tracks[1], moment[m].of[1], &y));
        const spread now = measure(match, x, y);
        sum += now.sum;
        if (now.largest > largest || isnan(now.largest)) {
            const brn_playback_info *info = brn_playback_get(tracks[0].playback);
            largest = now.largest;
            out->max_time = moment[m].time;
            (void)snprintf(out->max_body, sizeof out->max_body, "%s", info->body_name[match->body[now.at]]);
        }
        out->end_max = sqrt(now.largest);
        out->end_rms = sqrt(now.sum / match->n);
    }
    out->max = sqrt(largest);
    out->rms = sqrt(sum / ((double)match->n * n));
    return BRN_OK;
}

static brn_status compare_tracks(brn_ctx *ctx, track tracks[2], const brn_node_match *match,
                                 brn_difference *out)
{
    const brn_recording_times times[2] = {{tracks[0].path, tracks[0].time, tracks[0].nframe},
                                          {tracks[1].path, tracks[1].time, tracks[1].nframe}};
    brn_common_time *moment = NULL;
    int n = 0;
    BRN_TRY(brn_common_times_create(ctx, times, &moment, &n));
    out->nodes = match->n;
    out->moments = n;
    out->interpolated = brn_common_times_mixed(moment, n);
    out->time_end = n > 0 ? moment[n - 1].time : NAN;
    const brn_status status = n > 0 && match->n > 0 ? walk(tracks, match, moment, n, out) : BRN_OK;
    brn_free(ctx, moment);
    return status;
}

brn_status brn_difference_positions(brn_ctx *ctx, brn_playback *const playback[2], char *const path[2],
                                    brn_difference *out)
{
    const brn_playback_info *const info[2] = {brn_playback_get(playback[0]), brn_playback_get(playback[1])};
    brn_node_match match;
    BRN_TRY(brn_node_match_create(ctx, info, &match));
    out->same_mesh = match.same_mesh;
    if (!match.same_mesh) {
        return BRN_OK;
    }
    track tracks[2] = {{0}, {0}};
    brn_status status = start_track(ctx, playback[0], path[0], &tracks[0]);
    status = status >= 0 ? start_track(ctx, playback[1], path[1], &tracks[1]) : status;
    status = status >= 0 ? compare_tracks(ctx, tracks, &match, out) : status;
    end_track(ctx, &tracks[0]);
    end_track(ctx, &tracks[1]);
    brn_node_match_clear(ctx, &match);
    return status;
}

/* ---- the folders ----------------------------------------------------------------------------------------------------- */

static brn_status compare_trajectories(brn_ctx *ctx, char *const path[2], brn_difference *out)
{
    brn_playback *playback[2] = {NULL, NULL};
    brn_status status = brn_playback_open(ctx, path[0], &playback[0]);
    status = status >= 0 ? brn_playback_open(ctx, path[1], &playback[1]) : status;
    status = status >= 0 ? brn_difference_positions(ctx, playback, path, out) : status;
    brn_playback_close(playback[0]);
    brn_playback_close(playback[1]);
    return status;
}

static brn_status compare_series(brn_ctx *ctx, char *const path[2], brn_difference *out)
{
    brn_series_table tables[2] = {{.ctx = ctx}, {.ctx = ctx}};
    const brn_series_table *const series[2] = {&tables[0], &tables[1]};
    brn_status status = brn_series_table_read(ctx, path[0], &tables[0]);
    status = status >= 0 ? brn_series_table_read(ctx, path[1], &tables[1]) : status;
    status = status >= 0 ? brn_difference_probes(ctx, series, path, out) : status;
    brn_series_table_clear(&tables[0]);
    brn_series_table_clear(&tables[1]);
    return status;
}

brn_status brn_compare_runs(brn_ctx *ctx, const char *run_dir, const char *other_dir, brn_difference *out)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, run_dir);
    BRN_GIVEN(ctx, other_dir);
    BRN_GIVEN(ctx, out);
    static const struct {
        const char *file;
        brn_status (*compare)(brn_ctx *ctx, char *const path[2], brn_difference *out);
    } parts[] = {{"trajectory.h5", compare_trajectories}, {"series.csv", compare_series}};
    *out = (brn_difference){.time_end = NAN, .max = NAN, .rms = NAN, .end_max = NAN, .end_rms = NAN};
    out->max_time = out->probe_max = out->probe_max_time = NAN;
    brn_status status = BRN_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status >= 0; ++i) {
        char *const path[2] = {brn_path_join(ctx, run_dir, parts[i].file),
                               brn_path_join(ctx, other_dir, parts[i].file)};
        status = path[0] != NULL && path[1] != NULL ? parts[i].compare(ctx, path, out) : BRN_ERR_MEMORY;
        brn_free(ctx, path[0]);
        brn_free(ctx, path[1]);
    }
    return status;
}
