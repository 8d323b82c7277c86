/* Programs that run alongside this one: a browser, an encoder. Started without a shell, in a process group of their own. */
#ifndef CLI_PROCESS_H
#define CLI_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct cli_process {
    pid_t pid; /* 0: none, or ended */
    int in;    /* where its standard input is written to, -1 if it has none */
    int code; /* once it has ended: its exit code, 128 + the signal that killed it, -1 if that cannot be known */
} cli_process;

/* The file that a name stands for: itself if it has a slash, else the first in PATH that can be run. False: there is none. */
bool cli_program_find(const char *name, char *path, size_t size);

/* argv[0]: the program's file. What it prints goes to the file `log`; its temporary files go to `tmp`, NULL: where ours do.
   piped: its input is `in`, else it has none. It is killed when this process dies. False, with the reason on stderr: it could
   not be started. */
bool cli_process_start(cli_process *process, char *const argv[], const char *log, const char *tmp,
                       bool piped);
bool cli_process_running(cli_process *process);
/* Closes its input and waits for its end. False: it still runs after that many seconds. */
bool cli_process_finish(cli_process *process, double seconds);
/* Ends it with all it has started. Nothing if it has ended by itself. */
void cli_process_kill(cli_process *process);

/* A new folder for temporary files, readable by this user only. False, with the reason on stderr. */
enum { CLI_SCRATCH_SIZE = 1024 };
bool cli_scratch_make(char folder[CLI_SCRATCH_SIZE]);
void cli_scratch_remove(const char *folder); /* with all that is in it */

#endif
