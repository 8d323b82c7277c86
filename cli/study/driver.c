#include "study/driver.h"

#include "study/evaluator.h"
#include "study/ranks.h"
#include "terminal/stop.h"
#include "terminal/terminal.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A job of another rank. */
typedef struct sent_job {
    int64_t number;
    int rank;
    char *folder; /* NULL: free */
} sent_job;

struct cli_driver {
    const cli_mpi *mpi;
    int size;              /* ranks */
    cli_rank_place *place; /* [size] */
    int *jobs, *busy;      /* [size] */
    int slots;             /* sum of jobs */
    sent_job *sent;        /* [slots] */
    cli_evaluator *own;
    bool stop_told;
    char problem[512];
};

static brn_status fail(cli_driver *d, const char *what, int rank)
{
    (void)snprintf(d->problem, sizeof d->problem, "--mpi: rank %d (%.200s): %.250s", rank,
                   d->place[rank].host, what);
    return BRN_ERR_MISSING;
}

/* ---- getting to know each other --------------------------------------------------------------------------------------- */

static brn_status take_hello(cli_driver *d, int from, cli_message kind, cli_packet *in)
{
    if (kind != CLI_HELLO) {
        return fail(d, "is another version of brunt: all machines need the same", from);
    }
    cli_packet_get_place(in, &d->place[from]);
    return cli_packet_whole(in) ? BRN_OK
                                : fail(d, "is another version of brunt: all machines need the same", from);
}

static brn_status take_ready(cli_driver *d, int from, cli_message kind, cli_packet *in)
{
    const char *problem = kind == CLI_READY ? cli_packet_get_text(in) : "";
    if (kind != CLI_READY || !cli_packet_whole(in)) {
        return fail(d, kind == CLI_STOPPING ? "was asked to stop" : "sent what is not a message of brunt",
                    from);
    }
    return problem[0] == '\0' ? BRN_OK : fail(d, problem, from);
}

/* One message of each of the other ranks. */
static brn_status hear_all(cli_driver *d, brn_status (*take)(cli_driver *, int, cli_message, cli_packet *))
{
    brn_status status = BRN_OK;
    for (int heard = 1; heard < d->size && status >= 0;) {
        int from = 0;
        cli_packet in;
        const int there = cli_ranks_receive(d->mpi, &from, &in);
        if (there < 0) {
            status = fail(d, "cannot receive messages", 0);
        } else if (there > 0) {
            status = take(d, from, cli_packet_kind(&in), &in);
            ++heard;
        } else if (cli_stop_signal() != 0) {
            status = fail(d, "was asked to stop", 0);
        } else {
            (void)usleep(1000 * CLI_RANKS_NAP);
        }
        cli_packet_free(&in);
    }
    return status;
}

static brn_status welcome_all(cli_driver *d, int jobs, int threads)
{
    char folder[PATH_MAX];
    if (getcwd(folder, sizeof folder) == NULL) {
        return fail(d, "the current folder is gone", 0);
    }
    for (int i = 0; i < d->size; ++i) {
        const int share = jobs > 0 ? jobs : cli_ranks_share(d->place, d->size, i);
        d->jobs[i] = share < CLI_POOL_SLOTS_MAX ? share : CLI_POOL_SLOTS_MAX;
        d->slots += d->jobs[i];
        if (i > 0) {
            cli_packet packet = cli_packet_begin(CLI_WELCOME);
            cli_packet_put_welcome(&packet, &(cli_welcome){d->jobs[i], threads, folder});
            if (!cli_ranks_send(d->mpi, i, &packet)) {
                return fail(d, "cannot be reached", i);
            }
        }
    }
    return BRN_OK;
}

static brn_status meet(cli_driver *d, int jobs, int threads)
{
    cli_rank_place_get(&d->place[0]);
    brn_status status = hear_all(d, take_hello);
    status = status >= 0 ? welcome_all(d, jobs, threads) : status;
    status = status >= 0 ? hear_all(d, take_ready) : status;
    if (status >= 0) {
        d->own = cli_evaluator_create(d->jobs[0], threads);
        d->sent = calloc((size_t)d->slots, sizeof *d->sent);
        status = d->own == NULL || d->sent == NULL ? fail(d, "out of memory", 0) : BRN_OK;
    }
    return status;
}

cli_driver *cli_driver_create(const cli_mpi *mpi, int jobs, int threads)
{
    cli_driver *d = calloc(1, sizeof *d);
    const size_t size = (size_t)mpi->size();
    if (d != NULL) {
        d->mpi = mpi;
        d->size = (int)size;
        d->place = calloc(size, sizeof *d->place);
        d->jobs = calloc(size, sizeof *d->jobs);
        d->busy = calloc(size, sizeof *d->busy);
    }
    if (d == NULL || d->place == NULL || d->jobs == NULL || d->busy == NULL) {
        cli_error("out of memory");
        cli_driver_destroy(d);
        return NULL;
    }
    if (meet(d, jobs, threads) < 0) {
        cli_error("%s", d->problem);
        cli_driver_destroy(d);
        return NULL;
    }
    return d;
}

void cli_driver_destroy(cli_driver *driver)
{
    if (driver == NULL) {
        return;
    }
    for (int i = 0; driver->sent != NULL && i < driver->slots; ++i) {
        free(driver->sent[i].folder);
    }
    cli_evaluator_destroy(driver->own);
    free(driver->sent);
    free(driver->place);
    free(driver->jobs);
    free(driver->busy);
    free(driver);
}

void cli_driver_end(const cli_mpi *mpi)
{
    for (int i = 1; i < mpi->size(); ++i) {
        cli_packet packet = cli_packet_begin(CLI_END);
        (void)cli_ranks_send(mpi, i, &packet);
    }
    mpi->close();
}

/* ---- jobs ------------------------------------------------------------------------------------------------------------- */

static brn_status send_job(cli_driver *d, int rank, const brn_design_job *job)
{
    sent_job *free_place = NULL;
    for (int i = 0; i < d->slots && free_place == NULL; ++i) {
        free_place = d->sent[i].folder == NULL ? &d->sent[i] : NULL;
    }
    char *folder = strdup(job->folder);
    if (free_place == NULL || folder == NULL) {
        free(folder);
        return BRN_ERR_MEMORY;
    }
    cli_packet packet = cli_packet_begin(CLI_JOB);
    cli_packet_put_job(&packet, job);
    if (!cli_ranks_send(d->mpi, rank, &packet)) {
        free(folder);
        return fail(d, "cannot be reached", rank);
    }
    *free_place = (sent_job){job->number, rank, folder};
    return BRN_OK;
}

/* Where most is free. */
static brn_status start(void *user, const brn_design_job *job)
{
    cli_driver *d = user;
    int rank = 0;
    for (int i = 1; i < d->size; ++i) {
        rank = d->jobs[i] - d->busy[i] > d->jobs[rank] - d->busy[rank] ? i : rank;
    }
    if (cli_stop_signal() != 0) {
        return BRN_REMARK_STOPPED;
    }
    const brn_status status = rank == 0 ? cli_evaluator_start(d->own, job) : send_job(d, rank, job);
    d->busy[rank] += status == BRN_OK;
    return status;
}

/* ---- outcomes --------------------------------------------------------------------------------------------------------- */

/* A network file system may take a moment. */
static bool is_seen(const char *folder)
{
    struct stat info;
    for (int tries = 0; tries < 100; ++tries) {
        if (stat(folder, &info) == 0) {
            return true;
        }
        (void)usleep(100000);
    }
    return false;
}

static brn_status take_outcome(cli_driver *d, int from, cli_packet *in, brn_design_outcome *out)
{
    cli_packet_get_outcome(in, out);
    sent_job *job = NULL;
    for (int i = 0; i < d->slots && cli_packet_whole(in); ++i) {
        sent_job *s = &d->sent[i];
        job = s->folder != NULL && s->rank == from && s->number == out->number ? s : job;
    }
    if (job == NULL) {
        return fail(d, "sent an outcome that is not of its job", from);
    }
    const bool seen = out->status < 0 || out->status == BRN_REMARK_STOPPED || is_seen(job->folder);
    char text[512];
    (void)snprintf(text, sizeof text, "wrote %.100s, which is not here: all machines must see the same files",
                   job->folder);
    free(job->folder);
    job->folder = NULL;
    --d->busy[from];
    return seen ? BRN_OK : fail(d, text, from);
}

/* One message. BRN_REMARK_STOPPED: it was no outcome. */
static brn_status take_message(cli_driver *d, int from, cli_packet *in, brn_design_outcome *out)
{
    switch (cli_packet_kind(in)) {
    case CLI_OUTCOME:
        return take_outcome(d, from, in, out);
    case CLI_STOPPING:
        if (cli_stop_signal() == 0) {
            (void)raise(SIGTERM);
        }
        return BRN_REMARK_STOPPED;
    default:
        return fail(d, "sent what is not a message of brunt", from);
    }
}

/* A signal of this rank is one for all. */
static void pass_stop_on(cli_driver *d)
{
    for (int i = 1; i < d->size && cli_stop_signal() != 0 && !d->stop_told; ++i) {
        cli_packet packet = cli_packet_begin(CLI_STOP);
        (void)cli_ranks_send(d->mpi, i, &packet);
    }
    d->stop_told = cli_stop_signal() != 0;
}

static brn_status collect(void *user, brn_design_outcome *out)
{
    cli_driver *d = user;
    for (;;) {
        int from = 0, busy = 0;
        for (int i = 0; i < d->size; ++i) {
            busy += d->busy[i];
        }
        if (busy == 0) {
            return BRN_ERR_MISSING;
        }
        pass_stop_on(d);
        cli_packet in;
        const int there = cli_ranks_receive(d->mpi, &from, &in);
        if (there < 0) {
            return fail(d, "cannot receive messages", 0);
        }
        const brn_status status = there > 0 ? take_message(d, from, &in, out) : BRN_REMARK_STOPPED;
        cli_packet_free(&in);
        if (status <= 0) {
            return status;
        }
        if (cli_evaluator_ask(d->own, there > 0 ? 0 : CLI_RANKS_NAP, out) == CLI_POOL_ENDED) {
            --d->busy[0];
            return BRN_OK;
        }
    }
}

brn_evaluator cli_driver_get(cli_driver *driver)
{
    return (brn_evaluator){driver->slots, start, collect, driver};
}

int cli_driver_machines(const cli_driver *driver)
{
    return cli_ranks_machines(driver->place, driver->size);
}

const char *cli_driver_problem(const cli_driver *driver)
{
    return driver->problem;
}
