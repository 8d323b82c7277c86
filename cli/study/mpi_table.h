/* What the command sees of MPI: the functions of the module brunt-mpi.so (mpi/), which is loaded for --mpi alone. Ranks are processes
   that were started together, from 0. */
#ifndef CLI_MPI_TABLE_H
#define CLI_MPI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#define CLI_MPI_VERSION 1 /* of this table */
#define CLI_MPI_SYMBOL  "brunt_mpi_table"

typedef struct cli_mpi {
    int version;
    /* Once, before all else. False with a reason; MPI may also end the process, after a message of its own. */
    bool (*open)(char *reason, size_t size);
    int (*rank)(void);
    int (*size)(void);
    bool (*send)(int to, const void *bytes, size_t size);
    /* Does not wait. 1: a message is there, with its sender and size; 0: none is; -1: there will be none any more. */
    int (*poll)(int *from, size_t *size);
    /* Takes the message that poll has told of. */
    bool (*receive)(int from, void *bytes, size_t size);
    /* Waits for all ranks to call it. */
    void (*close)(void);
} cli_mpi;

/* The module's only symbol. */
typedef const cli_mpi *(*cli_mpi_table_fn)(void);

#endif
