#include "server/recorded.h"

#include "terminal/options.h"
#include "terminal/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct stat look_at(const char *dir)
{
    char path[4096];
    struct stat info;
    memset(&info, 0, sizeof info);
    const int length = snprintf(path, sizeof path, "%s/trajectory.h5", dir);
    if (length > 0 && length < (int)sizeof path) {
        (void)stat(path, &info);
    }
    return info;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Under the lock. Closes the old one first: the library would mistake an overwritten file for the one it has open. A
   file that cannot be read in the middle of a write is tried again next time. */
static brn_status refresh(cli_recorded *run)
{
    const struct stat now = look_at(run->dir);
    if (run->view != NULL && same_file(&now, &run->seen)) {
        return BRN_OK;
    }
    brn_view_close(run->view);
    run->view = NULL;
    run->seen = now;
    return brn_view_open(run->ctx, run->dir, &run->view);
}

int cli_recorded_open(cli_recorded *run, brn_ctx *ctx, const char *dir)
{
    *run = (cli_recorded){.ctx = ctx, .dir = dir, .seen = look_at(dir)};
    const brn_status status = brn_view_open(ctx, dir, &run->view);
    if (status < 0) {
        cli_error("%s", brn_ctx_message(ctx));
        return status == BRN_ERR_MEMORY ? CLI_FAILED : CLI_USAGE;
    }
    (void)pthread_mutex_init(&run->lock, NULL);
    return CLI_DONE;
}

void cli_recorded_close(cli_recorded *run)
{
    (void)pthread_mutex_destroy(&run->lock);
    brn_view_close(run->view);
}

/* A copy, so that sending does not hold the lock. */
static void copy_packet(cli_recorded *run, brn_status status, const void *bytes, size_t size,
                        cli_answer *answer)
{
    if (status < 0) {
        answer->status = status == BRN_ERR_RANGE ? 404 : 500;
        (void)snprintf(answer->why, sizeof answer->why, "%s", brn_ctx_message(run->ctx));
        return;
    }
    answer->bytes = malloc(size > 0 ? size : 1);
    if (answer->bytes == NULL) {
        answer->status = 503;
        (void)snprintf(answer->why, sizeof answer->why, "out of memory");
        return;
    }
    memcpy(answer->bytes, bytes, size);
    answer->size = size;
    answer->status = 200;
}

void cli_recorded_run(void *user, cli_answer *answer)
{
    cli_recorded *run = user;
    const void *bytes = NULL;
    size_t size = 0;
    (void)pthread_mutex_lock(&run->lock);
    brn_status status = refresh(run);
    if (status >= 0) {
        status = brn_view_run(run->view, &bytes, &size);
    }
    copy_packet(run, status, bytes, size, answer);
    (void)pthread_mutex_unlock(&run->lock);
}

void cli_recorded_frame(void *user, int index, cli_answer *answer)
{
    cli_recorded *run = user;
    const void *bytes = NULL;
    size_t size = 0;
    (void)pthread_mutex_lock(&run->lock);
    brn_status status = run->view == NULL ? refresh(run) : BRN_OK;
    if (status >= 0) {
        status = brn_view_frame(run->view, index, &bytes, &size);
    }
    copy_packet(run, status, bytes, size, answer);
    (void)pthread_mutex_unlock(&run->lock);
}
