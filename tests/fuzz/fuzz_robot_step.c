/* Any bytes as a scene and, behind a line "%%robot", the robot file r.xml that it may name: compiled and stepped once, or refused with a
   reason. */
#include "fuzz_folder.h"

static const char LINE[] = "\n%%robot\n";

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
    const size_t cut = find_word(data, size, LINE);
    if (cut == size || !names_robot_alone(data, cut)) {
        return 0;
    }
    const size_t first = cut + strlen(LINE);
    char path[256];
    fuzz_put_file(fuzz_path("r.xml", path), data + first, size - first);
    step_fuzz((const char *)data, cut, fuzz_path("scene.yaml", path));
    return 0;
}
