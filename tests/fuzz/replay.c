/* Runs a fuzz target once over every file of the given folders: the corpus as an ordinary test. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return -1;
    }
    static uint8_t bytes[1 << 24];
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    (void)fclose(file);
    /* A copy of exactly this size, so that the address sanitizer sees a read past the end. */
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL) {
        return -1;
    }
    for (size_t i = 0; i < size; ++i) {
        copy[i] = bytes[i];
    }
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    return 0;
}

int main(int argc, char **argv)
{
    int files = 0;
    for (int i = 1; i < argc; ++i) {
        DIR *dir = opendir(argv[i]);
        if (dir == NULL) {
            fprintf(stderr, "%s: cannot open\n", argv[i]);
            return 1;
        }
        for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
            char path[4096];
            if (entry->d_name[0] == '.') {
                continue;
            }
            (void)snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            if (replay_file(path) != 0) {
                fprintf(stderr, "%s: cannot read\n", path);
                return 1;
            }
            ++files;
        }
        (void)closedir(dir);
    }
    printf("%d inputs replayed\n", files);
    return files > 0 ? 0 : 1;
}
