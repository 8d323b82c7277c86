/* The ranks of a study under MPI: messages between them, and how many simulations each has at once. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include "study/mpi_table.h"
#include "study/wire.h"

/* How long a rank sleeps between two looks for messages [ms]: a receive that waits would take a whole core. */
enum { CLI_RANKS_NAP = 1 };

/* Frees the packet. */
bool cli_ranks_send(const cli_mpi *mpi, int to, cli_packet *packet);
/* 1: a message, to be freed; 0: none is there; -1: no memory, or no MPI any more. */
int cli_ranks_receive(const cli_mpi *mpi, int *from, cli_packet *packet);

/* Of this process. */
void cli_rank_place_get(cli_rank_place *place);
/* The cores of a rank, shared with those on its machine that may use one of them too; at least 1. */
int cli_ranks_share(const cli_rank_place *places, int count, int rank);
int cli_ranks_machines(const cli_rank_place *places, int count);

#endif
