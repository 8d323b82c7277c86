/* Another program as a function: it is started, gets a request, gives an answer and is gone. */
#ifndef BRN_BASE_CHILD_H
#define BRN_BASE_CHILD_H

#include "base/ctx.h"

typedef enum brn_child_end {
    BRN_CHILD_ANSWERED, /* a whole answer */
    BRN_CHILD_EXITED,   /* ended without one; code: its exit code */
    BRN_CHILD_KILLED,   /* ended by a signal; code: its number */
    BRN_CHILD_GONE,     /* ended without one; how is not known, since the host collects its children itself */
    BRN_CHILD_MUTE,     /* closed its output without one and went on */
    BRN_CHILD_LATE,     /* exceeded the time */
    BRN_CHILD_LONG,     /* would have answered more than the limit */
} brn_child_end;

typedef struct brn_child_result {
    brn_child_end end;
    int code;
    char *bytes; /* of the answer, free with brn_free; NULL if there is none */
    size_t length;
} brn_child_result;

/* Starts the program and waits for its answer, `wall` seconds at most. Its standard input and output are one end of a
   socket: it reads `size` bytes there and writes a uint64_t, the number of bytes that follow, and these; more than `limit`
   are refused. Whatever happens, it has ended when this returns. If the host ends first, the socket closes, which the
   program can see.

   Safe from several threads at once, with SIGCHLD or SIGPIPE ignored, and beside other children of the host: only this one
   is waited for, no signal's handling is changed, and all descriptors close on exec. The program gets default signals, no
   blocked ones, and the host's environment with one thread for OpenMP and BLAS.

   BRN_ERR_MISSING: it cannot be started. BRN_ERR_CANCELLED: brn_ctx_cancel was called meanwhile. BRN_OK otherwise; then the result says how it ended. */
brn_status brn_child_call(brn_ctx *ctx, const char *program, const void *request, size_t size, double wall,
                          size_t limit, brn_child_result *out);

/* Folder of the file that holds this code (the shared library, or the program that it is linked into), and that of the
   running program; "" if it cannot be told. */
enum { BRN_PATH_SIZE = 4096 };
void brn_code_folder(char folder[BRN_PATH_SIZE]);
void brn_program_folder(char folder[BRN_PATH_SIZE]);

bool brn_can_execute(const char *path); /* a file that this process may start */

#endif
