/* brunt-mpi.so: the only part of brunt that is linked with MPI. */
#include "study/mpi_table.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG = 1 };

/* Simulations are forked. Memory that a network adapter has been told of does not survive that, but the few messages of a study need
   no such adapter: shared memory and TCP do. Crashes of simulations are told of by brunt. What the user has chosen stays. */
static void choose_transports(void)
{
    static const char *const settings[][2] = {
        {"OMPI_MCA_pml", "ob1"},
        {"OMPI_MCA_btl", "self,vader,tcp"},
        {"OMPI_MCA_mpi_warn_on_fork", "0"},
        {"OMPI_MCA_opal_signal", ""},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i) {
        (void)setenv(settings[i][0], settings[i][1], 0);
    }
}

static bool open_mpi(char *reason, size_t size)
{
    choose_transports();
    const int code = MPI_Init(NULL, NULL);
    if (code != MPI_SUCCESS) {
        (void)snprintf(reason, size, "MPI_Init returned error %d", code);
        return false;
    }
    (void)MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    return true;
}

static int get_rank(void)
{
    int rank = 0;
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static int get_size(void)
{
    int size = 1;
    (void)MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

static bool send_bytes(int to, const void *bytes, size_t size)
{
    return size <= INT_MAX && MPI_Send(bytes, (int)size, MPI_BYTE, to, TAG, MPI_COMM_WORLD) == MPI_SUCCESS;
}

static int poll_message(int *from, size_t *size)
{
    int there = 0, count = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS) {
        return -1;
    }
    if (there == 0) {
        return 0;
    }
    if (MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS || count < 0) {
        return -1;
    }
    *from = status.MPI_SOURCE;
    *size = (size_t)count;
    return 1;
}

static bool receive_bytes(int from, void *bytes, size_t size)
{
    return size <= INT_MAX &&
           MPI_Recv(bytes, (int)size, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

static void close_mpi(void)
{
    (void)MPI_Finalize();
}

__attribute__((visibility("default"))) const cli_mpi *brunt_mpi_table(void);

const cli_mpi *brunt_mpi_table(void)
{
    static const cli_mpi table = {
        .version = CLI_MPI_VERSION,
        .open = open_mpi,
        .rank = get_rank,
        .size = get_size,
        .send = send_bytes,
        .poll = poll_message,
        .receive = receive_bytes,
        .close = close_mpi,
    };
    return &table;
}
