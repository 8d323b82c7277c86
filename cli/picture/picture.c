/* One browser, one server, one page. The page fetches packets, draws, and posts picture after picture; the server's
   threads receive them, this one watches for progress. */
#define _GNU_SOURCE
#include "picture/picture.h"

#include "picture/browser.h"
#include "picture/encoder.h"
#include "picture/picture_files.h"
#include "server/recorded.h"
#include "terminal/progress.h"
#include "terminal/stop.h"
#include "terminal/terminal.h"

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SHOT_BYTES_MAX = 256 << 20, URL_MAX = 1 << 16 };

typedef struct studio {
    const cli_picture *picture;
    brn_ctx *ctx;
    cli_recorded run;
    char *page; /* of several runs: the page that holds them */
    size_t page_size;
    int total;    /* pictures expected, 0 if not known */
    double speed; /* of a film */
    char browser_path[4096], encoder_path[4096];
    cli_picture_files files;
    cli_encoder encoder;
    atomic_int signs; /* of life: requests so far */

    pthread_mutex_t lock; /* what follows */
    int taken;
    bool finished;
    char problem[1024]; /* "": none */
} studio;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- what the page asks for and posts -------------------------------------------------------------------------------- */

static void serve_page(void *user, cli_answer *answer)
{
    studio *s = user;
    (void)atomic_fetch_add(&s->signs, 1);
    answer->bytes = malloc(s->page_size);
    if (answer->bytes == NULL) {
        answer->status = 503;
        return;
    }
    memcpy(answer->bytes, s->page, s->page_size);
    answer->size = s->page_size;
    answer->status = 200;
}

static void serve_run(void *user, cli_answer *answer)
{
    studio *s = user;
    (void)atomic_fetch_add(&s->signs, 1);
    cli_recorded_run(&s->run, answer);
}

static void serve_frame(void *user, int index, cli_answer *answer)
{
    studio *s = user;
    (void)atomic_fetch_add(&s->signs, 1);
    cli_recorded_frame(&s->run, index, answer);
}

/* The last post is a text: "done 3", or what went wrong. */
static void take_word(studio *s, const char *text, size_t size)
{
    char done[32];
    const int length = snprintf(done, sizeof done, "done %d", s->taken);
    if (size == (size_t)length && memcmp(text, done, size) == 0) {
        s->finished = true;
    } else {
        (void)snprintf(s->problem, sizeof s->problem, "%.*s",
                       (int)(size < sizeof s->problem ? size : sizeof s->problem - 1), text);
    }
}

static void take_picture(studio *s, const void *bytes, size_t size)
{
    if (s->picture->film) {
        if (!cli_encoder_add(&s->encoder, bytes, size)) {
            (void)snprintf(s->problem, sizeof s->problem, "ffmpeg ended before the film did");
        }
    } else {
        (void)cli_picture_file_write(&s->files, s->taken, bytes, size, s->problem, sizeof s->problem);
    }
    s->taken += s->problem[0] == '\0';
}

static void take_shot(void *user, int index, const void *bytes, size_t size, cli_answer *answer)
{
    static const unsigned char png[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    studio *s = user;
    (void)atomic_fetch_add(&s->signs, 1);
    (void)pthread_mutex_lock(&s->lock);
    if (s->finished || s->problem[0] != '\0' || index != s->taken) {
        answer->status = 409;
        (void)snprintf(answer->why, sizeof answer->why, "this picture is not expected");
    } else if (size > sizeof png && memcmp(bytes, png, sizeof png) == 0) {
        take_picture(s, bytes, size);
    } else {
        take_word(s, bytes, size);
    }
    if (s->problem[0] != '\0' && answer->status == 204) {
        answer->status = 409;
    }
    (void)pthread_mutex_unlock(&s->lock);
}

/* ---- watching ----------------------------------------------------------------------------------------------------------- */

/* Sets the problem unless there is one already. */
static void give_up(studio *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void give_up(studio *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)pthread_mutex_lock(&s->lock);
    if (s->problem[0] == '\0' && !s->finished) {
        (void)vsnprintf(s->problem, sizeof s->problem, format, arguments);
    }
    (void)pthread_mutex_unlock(&s->lock);
    va_end(arguments);
}

/* Waits until all pictures have come, or something is wrong. Returns the exit code. */
static int watch(studio *s, cli_browser *browser)
{
    cli_progress progress = cli_progress_start(s->picture->quiet);
    const double start = now();
    double heard = start;
    int signs = 0;
    int code = CLI_FAILED;
    for (bool going = true; going;) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        const bool running = cli_process_running(&browser->process);
        const double time = now();
        if (atomic_load(&s->signs) != signs) {
            signs = atomic_load(&s->signs);
            heard = time;
        }
        char words[512];
        if (cli_stop_signal() != 0) {
            give_up(s, "stopped by a signal");
            code = 128 + cli_stop_signal();
        } else if (!running) {
            cli_browser_words(browser, words, sizeof words);
            give_up(s, "the browser ended (exit code %d) before all pictures were drawn%s%s",
                    browser->process.code, words[0] != '\0' ? "; its last words: " : "", words);
        } else if (time - heard > s->picture->wish->timeout) {
            give_up(s, "the browser gave no sign of life for %d s (--timeout): %s", s->picture->wish->timeout,
                    signs == 0 ? "it never opened the page" : "is the run too large for it?");
        }
        (void)pthread_mutex_lock(&s->lock);
        cli_progress_count(&progress, "picture", s->taken, s->total, time - start, "");
        going = !s->finished && s->problem[0] == '\0';
        code = s->finished ? CLI_DONE : code;
        (void)pthread_mutex_unlock(&s->lock);
    }
    cli_progress_clear(&progress);
    return code;
}

static int draw(studio *s)
{
    int size[2];
    cli_text url = {0};
    cli_browser browser = {.process = {.in = -1}};
    const bool several = s->page != NULL;
    const cli_service service = {.user = s,
                                 .page = several ? serve_page : NULL,
                                 .run = several ? NULL : serve_run,
                                 .frame = several ? NULL : serve_frame,
                                 .shot = take_shot,
                                 .shot_max = SHOT_BYTES_MAX};
    cli_server *server = cli_server_start(&service, 0);
    if (server == NULL) {
        return CLI_FAILED;
    }
    cli_text_add(&url, "%s#", cli_server_invite(server));
    cli_wish_address(s->picture->wish, s->files.one && cli_wish_moments(s->picture->wish) != 1, s->speed,
                     &url);
    cli_wish_size(s->picture->wish, s->picture->film, size);
    int code = CLI_FAILED;
    if (url.failed || url.size > URL_MAX) {
        cli_error(url.failed ? "out of memory" : "the options are too long for an address");
    } else if (cli_browser_start(&browser, s->browser_path, url.bytes, size[0], size[1])) {
        code = watch(s, &browser);
    }
    cli_browser_stop(&browser);
    if (code != CLI_DONE) {
        cli_process_kill(&s->encoder.process); /* releases whoever waits for it */
    }
    cli_server_stop(server);
    cli_text_free(&url);
    return code;
}

/* ---- before and after ------------------------------------------------------------------------------------------------------ */

/* Several runs: the page of a comparison contains them, thinned only to what a browser can hold. */
static int open_several(studio *s)
{
    enum { RUNS_MAX = 16 };
    const cli_wish *wish = s->picture->wish;
    const char *dirs[RUNS_MAX] = {s->picture->run_dir}, *names[RUNS_MAX] = {NULL};
    const int count = 1 + wish->beside.count;
    if (count > RUNS_MAX) {
        cli_error("%d runs beside each other: at most %d", count, RUNS_MAX);
        return CLI_USAGE;
    }
    for (int i = 0; i < count; ++i) {
        dirs[i] = i > 0 ? wish->beside.items[i - 1] : dirs[0];
        names[i] = i < wish->label.count ? wish->label.items[i] : NULL;
    }
    char folder[CLI_SCRATCH_SIZE], path[CLI_SCRATCH_SIZE + 32];
    if (!cli_scratch_make(folder)) {
        return CLI_FAILED;
    }
    (void)snprintf(path, sizeof path, "%s/page.html", folder);
    const brn_status status = brn_view_compare(s->ctx, dirs, names, NULL, count, path, 1000.0);
    int code = CLI_DONE;
    if (status < 0) {
        cli_error("%s", brn_ctx_message(s->ctx));
        code = status == BRN_ERR_MEMORY ? CLI_FAILED : CLI_USAGE;
    } else if (!cli_picture_file_read(path, &s->page, &s->page_size)) {
        code = CLI_FAILED;
    }
    cli_scratch_remove(folder);
    return code;
}

/* How many pictures there will be, and how fast a film runs. */
static int plan(studio *s)
{
    const cli_wish *wish = s->picture->wish;
    const int frames = brn_view_frames(s->run.view);
    if (frames == 0) {
        cli_error("%s: the run has no frames", s->picture->run_dir);
        return CLI_USAGE;
    }
    s->total = cli_wish_moments(wish) > 0 ? cli_wish_moments(wish) : frames;
    s->total = s->files.one ? 1 : s->total;
    if (s->picture->film) {
        const double length = brn_view_time(s->run.view, frames - 1) - brn_view_time(s->run.view, 0);
        s->speed = cli_wish_speed(wish, length);
        const double count = floor(length * cli_wish_fps(wish) / s->speed + 1e-6) + 1.0;
        if (!(count <= 100000.0)) {
            cli_error("a film of %.3g s at %g times its speed and %g pictures a second has %.0f pictures, at "
                      "most 100000: "
                      "raise --speed or lower --fps",
                      length, s->speed, cli_wish_fps(wish), count);
            return CLI_USAGE;
        }
        s->total = (int)count;
    }
    return CLI_DONE;
}

static int work(studio *s)
{
    const cli_picture *p = s->picture;
    if (!cli_browser_find(s->browser_path, sizeof s->browser_path) ||
        (p->film && !cli_encoder_find(s->encoder_path, sizeof s->encoder_path))) {
        return CLI_FAILED;
    }
    int code = plan(s);
    code = code == CLI_DONE && p->wish->beside.count > 0 ? open_several(s) : code;
    if (code != CLI_DONE) {
        return code;
    }
    cli_stop_catch();
    if (!cli_picture_files_make(&s->files) ||
        (p->film && !cli_encoder_start(&s->encoder, s->encoder_path, s->files.path, cli_wish_fps(p->wish)))) {
        return CLI_FAILED;
    }
    code = draw(s);
    if (s->problem[0] != '\0') {
        cli_error("%s", s->problem);
    }
    return code == CLI_DONE && p->film && !cli_encoder_end(&s->encoder) ? CLI_FAILED : code;
}

static void tell(const studio *s)
{
    if (s->picture->film) {
        const double fps = cli_wish_fps(s->picture->wish);
        (void)printf("%s: %d pictures, %.3g s of film, %.3g times as fast as it was\n", s->files.path,
                     s->taken, s->taken / fps, s->speed);
    } else if (s->taken == 1) {
        (void)printf("%s written\n", s->files.path);
    } else {
        (void)printf("%d pictures written to %s\n", s->taken, s->files.folder);
    }
}

int cli_picture_export(const cli_picture *picture)
{
    studio *s = calloc(1, sizeof *s); /* large */
    if (s == NULL || brn_ctx_create(NULL, &s->ctx) < 0) {
        free(s);
        cli_error("out of memory");
        return CLI_FAILED;
    }
    s->picture = picture;
    s->encoder.process.in = -1;
    (void)pthread_mutex_init(&s->lock, NULL);
    int code = cli_recorded_open(&s->run, s->ctx, picture->run_dir);
    if (code == CLI_DONE) {
        code = cli_picture_files_name(&s->files, picture, s->run.view) ? work(s) : CLI_USAGE;
        cli_recorded_close(&s->run);
    }
    cli_encoder_drop(&s->encoder);
    if (code == CLI_DONE && !picture->quiet) {
        tell(s);
    }
    (void)pthread_mutex_destroy(&s->lock);
    brn_ctx_destroy(s->ctx);
    free(s->page);
    free(s);
    return code;
}
