/* What belongs to the whole process stays the program's: signals come to its own handlers while the library orders a matrix, whose partitioner
   takes SIGTERM over, and no signal is handled on a thread of the library. */
#define _GNU_SOURCE /* sigaction, SYS_gettid */
#include "unit/linalg_support.h"

#include "linalg/blas.h"
#include "linalg/factor.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int handled, elsewhere;
static pid_t own;

static void on_term(int number, siginfo_t *info, void *context)
{
    (void)context;
    /* Without SA_SIGINFO, info would be nothing to look at. */
    atomic_fetch_add(&handled, number == SIGTERM && info->si_pid == getpid());
    atomic_fetch_add(&elsewhere, (pid_t)syscall(SYS_gettid) != own);
}

typedef struct sender {
    atomic_bool stop;
    int sent, lost;
} sender;

static void nap(long nanoseconds)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
}

/* One signal after the other, each as soon as the one before was handled. */
static void *send_signals(void *arg)
{
    sender *s = arg;
    sigset_t all;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, NULL);
    while (!atomic_load(&s->stop)) {
        const int before = atomic_load(&handled);
        (void)kill(getpid(), SIGTERM);
        ++s->sent;
        for (int i = 0; i < 30000 && atomic_load(&handled) == before; ++i) { /* machines may be busy */
            nap(1000000);
        }
        s->lost += atomic_load(&handled) == before;
        if (s->lost > 0) {
            break;
        }
    }
    return NULL;
}

/* Nodes of a grid that METIS is asked about, with its neighbours. */
static void make_grid(brn_ctx *ctx, int side, brn_block_matrix **out)
{
    int edges = 0;
    int *edge = grid_edges(side, side, side, &edges);
    const brn_stencils list = {edges, 2, edge};
    assert_done(ctx, brn_block_matrix_create(ctx, side * side * side, 3, &list, 1, out));
    brn_rng rng = {1};
    fill_dominant(*out, &rng);
    free(edge);
}

static void test_ordering(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(3);
    brn_block_matrix *a = NULL;
    make_grid(ctx, 16, &a);
    struct sigaction ours, now;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = on_term;
    ours.sa_flags = SA_SIGINFO | SA_RESTART;
    (void)sigemptyset(&ours.sa_mask);
    own = getpid();
    assert_int_equal(sigaction(SIGTERM, &ours, NULL), 0);
    sender s = {0};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, send_signals, &s), 0);
    for (int round = 0; round < 5; ++round) {
        brn_factor *factor = NULL;
        brn_factor_stats stats;
        const int before = atomic_load(&handled);
        assert_done(ctx, brn_factor_create(ctx, a, NULL, &factor));
        assert_done(ctx, brn_factor_numeric(factor, a, NULL));
        brn_factor_get_stats(factor, &stats);
        assert_true(strcmp(stats.ordering, "amd") !=
                    0); /* the partitioner's was cheaper, and came to its end */
        brn_factor_destroy(factor);
        for (int i = 0; i < 30000 && atomic_load(&handled) == before && s.lost == 0; ++i) {
            nap(1000000);
        }
    }
    atomic_store(&s.stop, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(s.sent >= 5);
    assert_int_equal(s.lost, 0);
    assert_int_equal(atomic_load(&elsewhere), 0);
    assert_int_equal(sigaction(SIGTERM, NULL, &now), 0);
    const int known =
        SA_SIGINFO | SA_RESTART | SA_RESETHAND | SA_NODEFER; /* the system has flags of its own */
    assert_true(now.sa_sigaction == on_term && (now.sa_flags & known) == (SA_SIGINFO | SA_RESTART));
    (void)signal(SIGTERM, SIG_DFL);
    brn_block_matrix_destroy(a);
    brn_ctx_destroy(ctx);
}

/* ---- several at once ----------------------------------------------------------------------------------------------------- */

typedef struct orderer {
    const char *ordering;
    double flops;
} orderer;

static void *order(void *arg)
{
    orderer *o = arg;
    brn_ctx *ctx = test_ctx(1);
    brn_block_matrix *a = NULL;
    make_grid(ctx, 14, &a);
    for (int round = 0; round < 4; ++round) {
        brn_factor *factor = NULL;
        brn_factor_stats stats;
        assert_done(ctx, brn_factor_create(ctx, a, NULL, &factor));
        brn_factor_get_stats(factor, &stats);
        assert_true(round == 0 || stats.flops == o->flops);
        o->ordering = stats.ordering;
        o->flops = stats.flops;
        brn_factor_destroy(factor);
    }
    brn_block_matrix_destroy(a);
    brn_ctx_destroy(ctx);
    return NULL;
}

/* The same order as alone, though the partitioner draws from one generator for all; and it leaves no handler behind. */
static void test_two_at_once(void **state)
{
    (void)state;
    enum { THREADS = 3 };
    orderer alone, together[THREADS];
    pthread_t thread[THREADS];
    struct sigaction now;
    (void)order(&alone);
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_create(&thread[i], NULL, order, &together[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_string_equal(together[i].ordering, alone.ordering);
        assert_true(together[i].flops == alone.flops);
    }
    assert_int_equal(sigaction(SIGTERM, NULL, &now), 0);
    assert_true(now.sa_handler == SIG_DFL);
}

/* OpenBLAS's own; weak, as another BLAS may stand in its place. */
int blas_thread_shutdown_(void) __attribute__((weak));

int main(void)
{
    /* Threads of others take signals too, and METIS would jump on them: brunt.h says that these must block SIGTERM. */
    (void)alarm(240); /* a signal that is taken over may leave locks behind, and nothing would end then */
    openblas_set_num_threads(1);
    if (blas_thread_shutdown_ != 0) {
        (void)blas_thread_shutdown_();
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ordering), cmocka_unit_test(test_two_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
