/* Any bytes as a scene of the real format: compiled and stepped once, or refused with a reason. Scenes that name files are left
   out: what is beside the scene is not a part of the input (fuzz_mesh_step.c). */
#include "step_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (find_word(data, size, "file") == size && find_word(data, size, "surface") == size) {
        step_fuzz((const char *)data, size, "fuzz.yaml");
    }
    return 0;
}
