/* Any bytes as a scene and, behind a line "%%robot", the robot file r.xml that it may name: compiled and stepped once, or refused with a
   reason. */
#include "step_fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static const char LINE[] = "\n%%robot\n";
static char folder[64];
static char robot[100];

static void leave(void)
{
    (void)unlink(robot);
    (void)rmdir(folder);
}

/* Whether the scene names no other file: what is elsewhere is not a part of the input. */
static bool names_robot_alone(const uint8_t *data, size_t size)
{
    static const char name[] = "file: r.xml";
    const size_t at = find_word(data, size, name);
    const size_t rest = at + strlen(name);
    return find_word(data, size, "surface") == size && at == find_word(data, size, "file") && at < size &&
           find_word(data + rest, size - rest, "file") == size - rest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (folder[0] == '\0') {
        (void)snprintf(folder, sizeof folder, "%s/brunt-fuzz-XXXXXX",
                       access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        must(mkdtemp(folder) != NULL && atexit(leave) == 0);
        (void)snprintf(robot, sizeof robot, "%s/r.xml", folder);
    }
    const size_t cut = find_word(data, size, LINE);
    if (cut == size || !names_robot_alone(data, cut)) {
        return 0;
    }
    const size_t first = cut + strlen(LINE);
    FILE *file = fopen(robot, "wb");
    must(file != NULL && fwrite(data + first, 1, size - first, file) == size - first && fclose(file) == 0);
    char name[100];
    (void)snprintf(name, sizeof name, "%s/scene.yaml", folder);
    step_fuzz((const char *)data, cut, name);
    return 0;
}
