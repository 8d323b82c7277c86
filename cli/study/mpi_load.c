#include "study/mpi_load.h"

#include "terminal/terminal.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

/* ---- the module ------------------------------------------------------------------------------------------------------- */

static bool folder_of_program(char folder[PATH_SIZE])
{
    const ssize_t n = readlink("/proc/self/exe", folder, PATH_SIZE - 1);
    folder[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    return slash != NULL;
}

/* The first that exists, or "". */
static void find_module(char path[PATH_SIZE])
{
    static const char *const places[] = {"brunt-mpi.so", BRN_MPI_FROM_BIN};
    char folder[PATH_SIZE];
    const char *named = getenv("BRUNT_MPI");
    if (named != NULL && named[0] != '\0') {
        const bool fits = snprintf(path, PATH_SIZE, "%s", named) < PATH_SIZE;
        path[fits ? strlen(path) : 0] = '\0';
        return;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places && folder_of_program(folder); ++i) {
        const int n = snprintf(path, PATH_SIZE, "%s/%s", folder, places[i]);
        if (n < PATH_SIZE && access(path, R_OK) == 0) {
            return;
        }
    }
    (void)snprintf(path, PATH_SIZE, "%s", access(BRN_MPI_INSTALLED, R_OK) == 0 ? BRN_MPI_INSTALLED : "");
}

static const cli_mpi *load(void)
{
    char path[PATH_SIZE];
    find_module(path);
    if (path[0] == '\0') {
        cli_error(
            "--mpi needs brunt's module brunt-mpi.so, which is neither beside brunt nor in %s: install the "
            "Debian packages libopenmpi-dev and openmpi-bin and build brunt again, or set BRUNT_MPI to its "
            "path",
            BRN_MPI_INSTALLED);
        return NULL;
    }
    /* MPI's own modules look for its symbols among the global ones. It is never unloaded: it may have threads. */
    void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
    if (module == NULL) {
        cli_error(
            "--mpi: %s: is MPI installed on this machine, as it was where brunt was built? Debian has it in "
            "openmpi-bin",
            dlerror());
        return NULL;
    }
    cli_mpi_table_fn table = NULL;
    void *symbol = dlsym(module, CLI_MPI_SYMBOL);
    memcpy(&table, &symbol, sizeof table); /* ISO C has no cast from an object to a function */
    const cli_mpi *mpi = table != NULL ? table() : NULL;
    if (mpi == NULL || mpi->version != CLI_MPI_VERSION) {
        cli_error("--mpi: %s is not the module of this version of brunt: install both together, or set "
                  "BRUNT_MPI to "
                  "the path of the right one",
                  path);
        return NULL;
    }
    return mpi;
}

/* ---- starting MPI ----------------------------------------------------------------------------------------------------- */

static const char remedy[] =
    "start it as 'mpirun -n N brunt ... --mpi' with the MPI that brunt was built with (mpirun "
    "is in the Debian package openmpi-bin), or leave out --mpi";

/* MPI may end a process whose start fails (the standard has no way to ask it not to). A process that waits beside tells what to do
   then. Returns the end of the pipe to write to when all is well; -1: there is none. */
static int watch(pid_t *process)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return -1;
    }
    *process = fork();
    if (*process == 0) {
        char byte;
        ssize_t n;
        (void)close(ends[1]);
        while ((n = read(ends[0], &byte, 1)) < 0 && errno == EINTR) {}
        if (n == 0) {
            cli_error("--mpi: MPI could not be started: %s", remedy);
        }
        _exit(0);
    }
    (void)close(ends[0]);
    if (*process < 0) {
        (void)close(ends[1]);
        return -1;
    }
    return ends[1];
}

const cli_mpi *cli_mpi_open(void)
{
    const cli_mpi *mpi = load();
    if (mpi == NULL) {
        return NULL;
    }
    pid_t watcher = -1;
    char reason[256] = "";
    const int end = watch(&watcher);
    const bool opened = mpi->open(reason, sizeof reason);
    if (end >= 0) {
        (void)!write(end, "", 1);
        (void)close(end);
        while (waitpid(watcher, NULL, 0) < 0 && errno == EINTR) {}
    }
    if (!opened) {
        cli_error("--mpi: %s: %s", reason, remedy);
        return NULL;
    }
    return mpi;
}
