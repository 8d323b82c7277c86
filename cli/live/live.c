/* Making and ending a live simulation. */
#include "live/live_private.h"

#include "server/server_private.h"
#include "terminal/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Where the array `node` lies in the run's packet (docs/viewer.md): its JSON says "node": {"type": "u32", "count": N,
   "offset": K}. In a string of the JSON a quote has a backslash before it, so that no name can be mistaken for the key. */
static bool find_nodes(cli_live *live)
{
    const char *bytes = live->run->bytes;
    uint32_t length = 0;
    long long count = -1, offset = -1;
    if (live->run->size < 8) {
        return false;
    }
    memcpy(&length, bytes + 4, sizeof length);
    if (length > live->run->size - 8) {
        return false;
    }
    char *json = malloc((size_t)length + 1);
    if (json == NULL) {
        return false;
    }
    memcpy(json, bytes + 8, length);
    json[length] = '\0';
    const char *arrays = strstr(json, "\"arrays\":");
    const char *key = arrays != NULL ? strstr(arrays, "\"node\":") : NULL;
    const char *at_count = key != NULL ? strstr(key, "\"count\":") : NULL;
    const char *at_offset = key != NULL ? strstr(key, "\"offset\":") : NULL;
    if (at_count != NULL && at_offset != NULL) {
        count = strtoll(at_count + 8, NULL, 10);
        offset = strtoll(at_offset + 9, NULL, 10);
    }
    free(json);
    const size_t room = live->run->size - 8 - length;
    if (count < 0 || count > INT32_MAX || offset < 0 || (size_t)offset > room ||
        (size_t)count > (room - (size_t)offset) / sizeof *live->nodes) {
        return false;
    }
    live->vertices = (int)count;
    live->nodes = malloc(((size_t)count + 1) * sizeof *live->nodes);
    if (live->nodes != NULL) {
        memcpy(live->nodes, bytes + 8 + length + offset, (size_t)count * sizeof *live->nodes);
    }
    return live->nodes != NULL;
}

/* The view and its first packet, in a ctx of its own: another thread will use it. One worker, as the simulation needs the
   rest. */
static bool make_view(cli_live *live, const char *text)
{
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = 1;
    const void *bytes = NULL;
    size_t size = 0;
    if (brn_ctx_create(&options, &live->view_ctx) < 0) {
        cli_error("out of memory");
        return false;
    }
    if (brn_view_live(live->view_ctx, live->model, text, &live->view) < 0 ||
        brn_view_run(live->view, &bytes, &size) < 0) {
        cli_error("%s", brn_ctx_message(live->view_ctx));
        return false;
    }
    live->run = live_packet_create(bytes, size, 0);
    if (live->run == NULL || !find_nodes(live)) {
        cli_error("out of memory");
        return false;
    }
    return true;
}

static bool make_snapshots(cli_live *live)
{
    brn_snapshot **all[] = {&live->writing, &live->newest, &live->reading};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        if (brn_snapshot_create(live->ctx, live->model, all[i]) < 0) {
            cli_error("%s", brn_ctx_message(live->ctx));
            return false;
        }
    }
    return true;
}

bool live_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t clock;
    const bool made = pthread_condattr_init(&clock) == 0 &&
                      pthread_condattr_setclock(&clock, CLOCK_MONOTONIC) == 0 &&
                      pthread_cond_init(condition, &clock) == 0;
    (void)pthread_condattr_destroy(&clock);
    return made;
}

void live_wait(pthread_cond_t *condition, pthread_mutex_t *lock, double seconds)
{
    if (!isfinite(seconds)) {
        (void)pthread_cond_wait(condition, lock);
        return;
    }
    /* A speed of 1e-300 is a long wait, not an overflow. */
    const double until = cli_now() + (seconds < 3600.0 ? seconds : 3600.0);
    struct timespec t = {.tv_sec = (time_t)until};
    t.tv_nsec = (long)(1e9 * (until - (double)t.tv_sec));
    (void)pthread_cond_timedwait(condition, lock, &t);
}

static bool make_locks(cli_live *live)
{
    return pthread_mutex_init(&live->lock, NULL) == 0 && live_condition_init(&live->to_simulator) &&
           live_condition_init(&live->to_encoder);
}

static bool start_threads(cli_live *live)
{
    if (pthread_create(&live->encoder, NULL, live_encode, live) != 0) {
        cli_error("cannot start a thread");
        return false;
    }
    if (pthread_create(&live->simulator, NULL, live_simulate, live) != 0) {
        cli_error("cannot start a thread");
        (void)pthread_mutex_lock(&live->lock);
        live->stopping = true;
        (void)pthread_cond_signal(&live->to_encoder);
        (void)pthread_mutex_unlock(&live->lock);
        (void)pthread_join(live->encoder, NULL);
        return false;
    }
    live->threads_run = true;
    return true;
}

cli_live *cli_live_create(brn_ctx *ctx, const brn_model *model, brn_sim **sim, const char *text, bool paused)
{
    cli_live *live = calloc(1, sizeof *live);
    if (live == NULL || !make_locks(live)) {
        cli_error("out of memory");
        free(live);
        return NULL;
    }
    live->ctx = ctx;
    live->model = model;
    live->sim = sim;
    live->paused = paused;
    live->start_at = INFINITY;
    if (!live_joints_find(live) || !make_view(live, text) || !make_snapshots(live) || !start_threads(live)) {
        cli_live_destroy(live);
        return NULL;
    }
    return live;
}

void cli_live_warn(cli_live *live, const char *message)
{
    (void)pthread_mutex_lock(&live->lock);
    live_tell_error(live, 0, message);
    (void)pthread_mutex_unlock(&live->lock);
}

void cli_live_destroy(cli_live *live)
{
    if (live == NULL) {
        return;
    }
    if (live->threads_run) {
        (void)pthread_mutex_lock(&live->lock);
        live->stopping = true;
        brn_ctx_cancel(live->ctx, true);
        (void)pthread_cond_signal(&live->to_simulator);
        (void)pthread_cond_signal(&live->to_encoder);
        (void)pthread_mutex_unlock(&live->lock);
        (void)pthread_join(live->simulator, NULL);
        brn_ctx_cancel(live->ctx, false);
        (void)pthread_join(live->encoder, NULL);
    }
    live_packet_drop(live->last);
    live_packet_drop(live->run);
    brn_snapshot_destroy(live->writing);
    brn_snapshot_destroy(live->newest);
    brn_snapshot_destroy(live->reading);
    brn_view_close(live->view);
    brn_ctx_destroy(live->view_ctx);
    (void)pthread_cond_destroy(&live->to_simulator);
    (void)pthread_cond_destroy(&live->to_encoder);
    (void)pthread_mutex_destroy(&live->lock);
    brn_json_destroy(live->status.controls);
    free(live->joint);
    free(live->nodes);
    free(live);
}
