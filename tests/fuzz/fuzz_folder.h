/* The folder of a fuzz target that needs files: made at the first call, in memory where there is room for that, and gone with the program. */
#ifndef BRN_TESTS_FUZZ_FUZZ_FOLDER_H
#define BRN_TESTS_FUZZ_FUZZ_FOLDER_H

#include "step_fuzz.h"

#include <stdio.h>
#include <unistd.h>

static char fuzz_folder_path[64];

static inline void fuzz_folder_leave(void)
{
    char command[100];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", fuzz_folder_path);
    (void)!system(command);
}

static inline const char *fuzz_folder(void)
{
    if (fuzz_folder_path[0] == '\0') {
        (void)snprintf(fuzz_folder_path, sizeof fuzz_folder_path, "%s/brunt-fuzz-XXXXXX",
                       access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        must(mkdtemp(fuzz_folder_path) != NULL && atexit(fuzz_folder_leave) == 0);
    }
    return fuzz_folder_path;
}

/* The path of a name in the folder. */
static inline const char *fuzz_path(const char *name, char path[256])
{
    must(snprintf(path, 256, "%s/%s", fuzz_folder(), name) < 256);
    return path;
}

static inline void fuzz_put_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    must(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

#endif
