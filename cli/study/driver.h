/* Rank 0 of a study under MPI: an evaluator with its own simulations and those of the other ranks. */
#ifndef CLI_DRIVER_H
#define CLI_DRIVER_H

#include "study/mpi_table.h"

#include <brunt/design.h>

typedef struct cli_driver cli_driver;

/* jobs: of each rank; 0: its share of the cores. Waits for all ranks. NULL after a message. Call cli_stop_share and cli_stop_catch
   before. */
cli_driver *cli_driver_create(const cli_mpi *mpi, int jobs, int threads);
void cli_driver_destroy(cli_driver *driver);
brn_evaluator cli_driver_get(cli_driver *driver);
int cli_driver_machines(const cli_driver *driver);
/* Why an outcome could not be had; "": no such thing happened. */
const char *cli_driver_problem(const cli_driver *driver);

/* Ends the other ranks, and MPI. */
void cli_driver_end(const cli_mpi *mpi);

#endif
