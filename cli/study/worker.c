#include "study/worker.h"

#include "study/evaluator.h"
#include "study/ranks.h"
#include "terminal/options.h"
#include "terminal/stop.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct worker {
    const cli_mpi *mpi;
    cli_evaluator *evaluator; /* NULL: not welcomed yet */
    bool told;                /* the driver knows that a signal asks for a stop */
    bool over, failed;
} worker;

static void send_to_driver(worker *w, cli_packet *packet)
{
    w->failed = !cli_ranks_send(w->mpi, 0, packet) || w->failed;
}

static void say_hello(worker *w)
{
    cli_rank_place place;
    cli_rank_place_get(&place);
    cli_packet packet = cli_packet_begin(CLI_HELLO);
    cli_packet_put_place(&packet, &place);
    send_to_driver(w, &packet);
}

static void be_welcomed(worker *w, cli_packet *in)
{
    cli_welcome welcome;
    char problem[512] = "";
    cli_packet_get_welcome(in, &welcome);
    if (!cli_packet_whole(in) || w->evaluator != NULL) {
        w->failed = true;
        return;
    }
    if (chdir(welcome.folder) != 0) {
        (void)snprintf(problem, sizeof problem,
                       "cannot enter %.300s: %s (all machines must see the same files)", welcome.folder,
                       strerror(errno));
    }
    const int jobs = welcome.jobs < CLI_POOL_SLOTS_MAX ? welcome.jobs : CLI_POOL_SLOTS_MAX;
    w->evaluator = cli_evaluator_create(jobs, welcome.threads);
    if (w->evaluator == NULL) {
        (void)snprintf(problem, sizeof problem, "out of memory");
    }
    cli_packet packet = cli_packet_begin(CLI_READY);
    cli_packet_put_text(&packet, problem);
    send_to_driver(w, &packet);
}

static void send_outcome(worker *w, const brn_design_outcome *outcome)
{
    cli_packet packet = cli_packet_begin(CLI_OUTCOME);
    cli_packet_put_outcome(&packet, outcome);
    send_to_driver(w, &packet);
}

static void start_job(worker *w, cli_packet *in)
{
    brn_design_job job;
    const char **set = NULL;
    cli_packet_get_job(in, &job, &set);
    if (!cli_packet_whole(in) || w->evaluator == NULL) {
        w->failed = true;
    } else {
        const brn_status status = cli_evaluator_start(w->evaluator, &job);
        if (status != BRN_OK) {
            brn_design_outcome outcome = {.number = job.number, .status = status, .lost = status < 0};
            (void)snprintf(outcome.reason, sizeof outcome.reason, "no process for it: %s", strerror(errno));
            send_outcome(w, &outcome);
        }
    }
    free(set); /* the child has its copy */
}

static void obey(worker *w, cli_packet *in)
{
    switch (cli_packet_kind(in)) {
    case CLI_WELCOME:
        be_welcomed(w, in);
        break;
    case CLI_JOB:
        start_job(w, in);
        break;
    case CLI_STOP:
        w->told = true;
        if (cli_stop_signal() == 0) {
            (void)raise(SIGTERM); /* as if it had been asked itself: its simulations hear of it */
        }
        break;
    case CLI_END:
        w->over = true;
        break;
    default:
        w->failed = true;
    }
}

/* One look at the simulations, and one at the messages. */
static void look(worker *w)
{
    brn_design_outcome outcome;
    if (w->evaluator == NULL) {
        (void)usleep(1000 * CLI_RANKS_NAP);
    } else if (cli_evaluator_ask(w->evaluator, CLI_RANKS_NAP, &outcome) == CLI_POOL_ENDED) {
        send_outcome(w, &outcome);
    }
    if (cli_stop_signal() != 0 && !w->told) {
        cli_packet packet = cli_packet_begin(CLI_STOPPING);
        send_to_driver(w, &packet);
        w->told = true;
    }
    int there = 1;
    while (there > 0 && !w->over && !w->failed) {
        int from = 0;
        cli_packet in;
        there = cli_ranks_receive(w->mpi, &from, &in);
        if (there > 0 && from == 0) {
            obey(w, &in);
        }
        w->failed = w->failed || there < 0;
        cli_packet_free(&in);
    }
}

int cli_worker_run(const cli_mpi *mpi)
{
    worker w = {.mpi = mpi};
    if (!cli_stop_share()) {
        return CLI_FAILED;
    }
    cli_stop_catch();
    say_hello(&w);
    while (!w.over && !w.failed) {
        look(&w);
    }
    cli_evaluator_destroy(w.evaluator);
    if (w.failed) {
        cli_error("--mpi: rank %d lost its connection to rank 0, or that is another version of brunt",
                  mpi->rank());
    }
    return w.failed ? CLI_FAILED : CLI_DONE;
}
