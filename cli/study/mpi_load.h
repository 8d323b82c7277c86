/* MPI, if this brunt has it. */
#ifndef CLI_MPI_LOAD_H
#define CLI_MPI_LOAD_H

#include "study/mpi_table.h"

/* Loads the module and starts MPI; NULL after a message. */
const cli_mpi *cli_mpi_open(void);

#endif
