/* The rows of the contact table: one bench case each, `brunt bench --case ipc`. */
#ifndef BRN_BENCH_IPC_H
#define BRN_BENCH_IPC_H

#include "bench.h"

/* Which steps of a run count. A step is in contact if a pair is closer than dhat at its end. */
typedef enum brn_window {
    BRN_WINDOW_FIRST,  /* from the start */
    BRN_WINDOW_FREE,   /* from the start to the last one before the first contact */
    BRN_WINDOW_IMPACT, /* from the first one in contact */
} brn_window;

enum { BRN_IPC_SETS = 6 };

typedef struct brn_ipc_row {
    const char *scene;              /* folder of the gallery */
    const char *file;               /* in it; NULL: scene.yaml */
    const char *sets[BRN_IPC_SETS]; /* overrides, as --set takes them */
    brn_window window;
    int steps;         /* counted at most */
    double wall[2];    /* [s] per step of the reference on 1 and on 2 threads; 0: unknown */
    double cpu;        /* [s] per step of the reference, all threads; 0: unknown */
    double iterations; /* per step of the reference; 0: unknown */
    double goal;       /* how many times faster; 0: no goal */
} brn_ipc_row;

brn_status brn_bench_ipc_measure(brn_bench *bench, const brn_ipc_row *row);

#endif
