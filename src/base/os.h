/* What brunt asks of the operating system: clocks, memory, files. */
#ifndef BRN_BASE_OS_H
#define BRN_BASE_OS_H

#include "base/ctx.h"

double brn_wall_time(void);   /* [s], monotonic */
double brn_cpu_time(void);    /* [s], of the whole process */
double brn_thread_time(void); /* [s], CPU time of the calling thread */
double brn_peak_mb(void);     /* largest resident set so far */
/* Cores that this process may run on: fewer than the machine has under taskset or a job system. */
int brn_cores(void);
/* So much could be allocated now: asked of the system and given back at once. */
bool brn_memory_has(size_t bytes);
/* [MB] limit of the address space (ulimit -v), infinite if there is none */
double brn_memory_limit_mb(void);

/* BRN_ERR_FILE unless the path is a regular file: to read a pipe or a device may take for ever, and memory without end.
   For whoever opens a file by other means than brn_file_read, which does it by itself. */
brn_status brn_file_check(brn_ctx *ctx, const char *path);
/* Reads a whole file (a '\0' is appended, not counted). Refuses more than `limit` bytes, or than the
   machine's memory. Free *out with brn_free. */
brn_status brn_file_read(brn_ctx *ctx, const char *path, size_t limit, char **out, size_t *length);
/* Writes to a temporary name, syncs and renames: a reader sees the old file or the new one, never a part of it. */
brn_status brn_file_write(brn_ctx *ctx, const char *path, const char *bytes, size_t length);
/* The same piece by piece, for files that do not fit into memory: begin, add ..., then end. brn_file_drop in place of end
   keeps the old file. If any of these calls fails, the temporary file is removed; drop may still be called. */
typedef struct brn_file_out {
    brn_ctx *ctx;
    void *stream; /* NULL: closed */
    char path[4096], temporary[4096 + 8];
} brn_file_out;
/* The status for an error of the system about a file: BRN_ERR_FULL, BRN_ERR_MEMORY or BRN_ERR_FILE. */
brn_status brn_file_status(int error);
brn_status brn_file_begin(brn_ctx *ctx, const char *path, brn_file_out *out);
brn_status brn_file_add(brn_file_out *out, const void *bytes, size_t length);
brn_status brn_file_end(brn_file_out *out);
void brn_file_drop(brn_file_out *out);
/* Syncs `temporary` to the disk and renames it to `path`. */
brn_status brn_file_replace(brn_ctx *ctx, const char *temporary, const char *path);
/* Adds bytes at the end of a file (made if absent) and syncs it; on failure the file is as it was. */
brn_status brn_file_append(brn_ctx *ctx, const char *path, const char *bytes, size_t length);
brn_status brn_file_truncate(brn_ctx *ctx, const char *path, size_t length);
bool brn_file_exists(const char *path);
bool brn_file_same(const char *a, const char *b); /* one file by two names; false: one of them is missing */
brn_status brn_file_remove(brn_ctx *ctx, const char *path); /* no error if it is missing */
brn_status brn_dir_make(brn_ctx *ctx, const char *path);    /* with its parents; it may exist already */
/* Folder of a path ("." if it has none) joined with a name (an absolute name is kept). Free with brn_free. */
char *brn_path_beside(brn_ctx *ctx, const char *path, const char *name);
char *brn_path_join(brn_ctx *ctx, const char *dir, const char *name);
/* The absolute path of something that exists, without links; NULL: there is none. Free with brn_free. */
char *brn_path_full(brn_ctx *ctx, const char *path);
const char *brn_path_base(const char *path);      /* the part after the last slash */
const char *brn_path_extension(const char *path); /* "msh", "" if none */

#endif
