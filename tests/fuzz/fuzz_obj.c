/* Any bytes as a OBJ file: an error or a mesh, never a crash, a leak or a large allocation. */
#include "read_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return read_fuzz(brn_read_obj, data, size);
}
