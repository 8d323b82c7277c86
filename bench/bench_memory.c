/* Peak memory of a whole run, in its own process because a peak never goes down. */
#include "bench.h"
#include "bench_cube.h"

#include "base/os.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct answer {
    double peak_mb, wall, elements, steps;
    int status;
} answer;

static void child(int threads, answer *out)
{
    char text[1024];
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = threads;
    brn_ctx *ctx = NULL;
    brn_scene *scene = NULL;
    brn_summary summary = {0};
    brn_bench_cube_scene("tet4", 100000, text, sizeof text);
    brn_status status = brn_ctx_create(&options, &ctx);
    if (status >= 0) {
        status = brn_scene_parse(ctx, text, strlen(text), "bench", &scene);
    }
    if (status >= 0) {
        status = brn_run(ctx, scene, NULL, &summary);
    }
    *out = (answer){brn_peak_mb(), summary.wall_s, summary.elements, (double)summary.steps, status};
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
}

brn_status brn_bench_memory(brn_bench *bench)
{
    brn_ctx *ctx = brn_bench_ctx(bench);
    int ends[2];
    if (pipe(ends) != 0) {
        return brn_fail(ctx, BRN_ERR_FILE, "cannot make a pipe");
    }
    answer a = {.status = BRN_ERR_MISSING};
    const pid_t pid = fork();
    if (pid == 0) {
        child(brn_ctx_threads(ctx), &a);
        _exit(write(ends[1], &a, sizeof a) == (ssize_t)sizeof a ? 0 : 1);
    }
    (void)close(ends[1]);
    const bool told = pid > 0 && read(ends[0], &a, sizeof a) == (ssize_t)sizeof a;
    (void)close(ends[0]);
    if (pid > 0) {
        (void)waitpid(pid, NULL, 0);
    }
    if (!told || a.status < 0) {
        return brn_fail(ctx, BRN_ERR_MISSING, "the measured process failed: %s",
                        brn_status_name((brn_status)a.status));
    }
    BRN_TRY(
        brn_bench_add(bench, a.peak_mb, "MB", "%.0f tets, %.0f implicit steps, peak", a.elements, a.steps));
    BRN_TRY(brn_bench_add(bench, 1024.0 * a.peak_mb / a.elements, "kB", "a tet"));
    return brn_bench_add(bench, a.wall, "s", "the whole run");
}
