#define _GNU_SOURCE /* pthread_sigmask */
#include "base/parallel.h"

#include "base/os.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { WORKERS_MAX = 256, HISTORY = 64 };

/* [s] Waking the helpers costs some microseconds: shorter jobs are done by the caller alone, unless as much of them has followed each other. Sharing with
   helpers that are awake costs half of one. */
static const double WORTH_WAKING = 50e-6, WORTH_SHARING = 8e-6;

/* [s] A thread that waits looks around for this long before it sleeps: jobs follow each other closely within an iteration, and a
   sleeping one is awake again only after 50 us and more. Where there are more workers than cores it sleeps at once. */
static const double WATCH = 100e-6;

/* How long a job took when its function was last called. */
typedef struct history {
    brn_block_fn fn;
    double seconds;
} history;

typedef struct worker {
    brn_pool *pool;
    brn_arena *arena;
    pthread_t thread;
    bool started;
    int failed_block; /* lowest failed block this worker met in the current job */
    brn_status status;
} worker;

struct brn_pool {
    worker *workers; /* worker 0 is the calling thread */
    int count;
    pthread_mutex_t lock;
    pthread_cond_t wake, finished;
    _Atomic uint64_t job; /* counts jobs; a change wakes the workers */
    bool open; /* helpers may still join the current job; nobody waits for those that wake up too late */
    atomic_int running; /* helpers that have joined the current job and not finished it */
    atomic_int asleep;  /* helpers that wait for `wake` */
    bool watch;         /* a core for every worker */
    atomic_bool quit;
    brn_block_fn fn;
    void *arg;
    int nblocks;
    atomic_int next;
    history past[HISTORY]; /* by the function's address; the caller's */
    double row;            /* [s] of jobs that were not worth waking for, one after the other */
    double ended;          /* [s] when the last job did */
};

/* Does one block; false if none is left. */
static bool work_once(worker *w)
{
    brn_pool *pool = w->pool;
    const int block = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
    if (block >= pool->nblocks) {
        return false;
    }
    const brn_arena_mark mark = brn_arena_now(w->arena);
    const brn_status status = pool->fn(pool->arg, block, w->arena);
    brn_arena_rewind(w->arena, mark);
    if (status < 0 && block < w->failed_block) {
        w->failed_block = block;
        w->status = status;
    }
    return true;
}

static void work(worker *w)
{
    while (work_once(w)) {}
}

static inline void pause_core(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static bool another_job(const brn_pool *pool, uint64_t seen)
{
    return atomic_load_explicit(&pool->job, memory_order_acquire) != seen ||
           atomic_load_explicit(&pool->quit, memory_order_acquire);
}

static bool all_finished(const brn_pool *pool, uint64_t seen)
{
    (void)seen;
    return atomic_load_explicit(&pool->running, memory_order_acquire) == 0;
}

/* Watches for a while until something has happened. */
static void watch(const brn_pool *pool, bool (*happened)(const brn_pool *, uint64_t), uint64_t seen)
{
    const double end = pool->watch ? brn_wall_time() + WATCH : 0.0;
    while (pool->watch && !happened(pool, seen) && brn_wall_time() < end) {
        for (int i = 0; i < 32 && !happened(pool, seen); ++i) {
            pause_core();
        }
    }
}

static void *worker_main(void *arg)
{
    worker *w = arg;
    brn_pool *pool = w->pool;
    uint64_t seen = 0;
    for (;;) {
        watch(pool, another_job, seen);
        pthread_mutex_lock(&pool->lock);
        while (!another_job(pool, seen)) {
            pool->asleep++;
            pthread_cond_wait(&pool->wake, &pool->lock);
            pool->asleep--;
        }
        seen = pool->job;
        const bool join = pool->open && !pool->quit;
        pool->running += join;
        pthread_mutex_unlock(&pool->lock);
        if (pool->quit) {
            return NULL;
        }
        if (join) {
            work(w);
            pthread_mutex_lock(&pool->lock);
            if (--pool->running == 0) {
                pthread_cond_signal(&pool->finished);
            }
            pthread_mutex_unlock(&pool->lock);
        }
    }
}

static void open_job(brn_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->open = true;
    pool->job++;
    if (pool->asleep > 0) {
        pthread_cond_broadcast(&pool->wake);
    }
    pthread_mutex_unlock(&pool->lock);
}

static void close_job(brn_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->open = false;
    pthread_mutex_unlock(&pool->lock);
    watch(pool, all_finished, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->running > 0) {
        pthread_cond_wait(&pool->finished, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
}

/* How long a job must be to be shared. */
static double worth_sharing(const brn_pool *pool)
{
    const bool awake = pool->watch && atomic_load_explicit(&pool->asleep, memory_order_relaxed) == 0;
    return awake || pool->row > WORTH_WAKING ? WORTH_SHARING : WORTH_WAKING;
}

/* Helpers that are awake fall asleep unless another job follows soon. */
static void note_job(brn_pool *pool, double started, bool shared)
{
    const double now = brn_wall_time();
    pool->past[((uintptr_t)pool->fn >> 4) % HISTORY] = (history){pool->fn, now - started};
    pool->row = shared ? 0.0 : pool->row + (now - started);
    pool->ended = now;
}

/* The caller's part of a job with several blocks. The helpers are woken at once if the last job of this function was long
   enough to be worth it; otherwise once this one has taken that long, or its first blocks show that it will. The clock is looked at after
   1, 2, 4, ... blocks: of short jobs it would be a good part. */
static void work_shared(brn_pool *pool)
{
    const history *past = &pool->past[((uintptr_t)pool->fn >> 4) % HISTORY];
    const double started = brn_wall_time();
    pool->row = pool->watch && started - pool->ended < WATCH ? pool->row : 0.0;
    const double worth = worth_sharing(pool);
    bool shared = past->fn == pool->fn && past->seconds > worth;
    if (shared) {
        open_job(pool);
    }
    int look = 1;
    for (int done = 1; !shared && work_once(&pool->workers[0]); ++done) {
        const int left = pool->nblocks - atomic_load(&pool->next);
        if (done < look || left <= 0) {
            continue;
        }
        look *= 2;
        const double taken = brn_wall_time() - started;
        if (taken + left * (taken / done) > worth) {
            shared = true;
            open_job(pool);
        }
    }
    work(&pool->workers[0]);
    if (shared) {
        close_job(pool);
    }
    note_job(pool, started, shared);
}

brn_status brn_parallel_for(brn_ctx *ctx, int nblocks, brn_block_fn fn, void *arg)
{
    if (nblocks <= 0) {
        return BRN_OK;
    }
    brn_pool *pool = brn_ctx_pool(ctx);
    pool->fn = fn;
    pool->arg = arg;
    pool->nblocks = nblocks;
    atomic_store(&pool->next, 0);
    for (int i = 0; i < pool->count; ++i) {
        pool->workers[i].failed_block = INT_MAX;
        pool->workers[i].status = BRN_OK;
    }
    if (pool->count > 1 && nblocks > 1) {
        work_shared(pool);
    } else {
        work(&pool->workers[0]);
    }
    int lowest = INT_MAX;
    brn_status status = BRN_OK;
    for (int i = 0; i < pool->count; ++i) {
        if (pool->workers[i].failed_block < lowest) {
            lowest = pool->workers[i].failed_block;
            status = pool->workers[i].status;
        }
    }
    return status;
}

/* Handlers are the program's, and run on its threads. */
static bool start_worker(worker *w)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&w->thread, NULL, worker_main, w) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

brn_status brn_pool_create(brn_ctx *ctx, int threads, brn_pool **out)
{
    *out = NULL;
    const int cores = brn_cores();
    if (threads <= 0) {
        threads = cores;
    }
    if (threads > WORKERS_MAX) {
        threads = WORKERS_MAX;
    }
    brn_pool *pool = NULL;
    BRN_ALLOC(ctx, pool, 1);
    *out = pool; /* from here on brn_ctx_destroy cleans up */
    pool->watch = threads <= cores;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->finished, NULL);
    BRN_ALLOC(ctx, pool->workers, threads);
    for (int i = 0; i < threads; ++i) {
        worker *w = &pool->workers[i];
        w->pool = pool;
        BRN_TRY(brn_arena_create(ctx, &w->arena));
        if (i > 0) {
            /* Fewer threads than asked for is not an error: the result is the same. */
            if (!start_worker(w)) {
                brn_arena_destroy(w->arena);
                w->arena = NULL;
                break;
            }
            w->started = true;
        }
        pool->count = i + 1;
    }
    return BRN_OK;
}

void brn_pool_destroy(brn_ctx *ctx, brn_pool *pool)
{
    if (pool == NULL) {
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->quit = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; pool->workers != NULL && i < pool->count; ++i) {
        if (pool->workers[i].started) {
            pthread_join(pool->workers[i].thread, NULL);
        }
        brn_arena_destroy(pool->workers[i].arena);
    }
    pthread_cond_destroy(&pool->finished);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    brn_free(ctx, pool->workers);
    brn_free(ctx, pool);
}

int brn_pool_workers(const brn_pool *pool)
{
    return pool->count;
}

brn_arena *brn_pool_arena(brn_pool *pool, int index)
{
    return pool->workers[index].arena;
}
