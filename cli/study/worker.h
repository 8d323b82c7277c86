/* A rank that runs what the driver (rank 0) sends. */
#ifndef CLI_WORKER_H
#define CLI_WORKER_H

#include "study/mpi_table.h"

/* Until the driver says that it is over. Prints nothing, but for why it fails. Exit code; not CLI_DONE: end without closing MPI,
   which ends the other ranks as well. */
int cli_worker_run(const cli_mpi *mpi);

#endif
