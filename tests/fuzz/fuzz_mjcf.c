/* Any bytes as a MJCF file: an error or a robot, never a crash, a leak or a large allocation. */
#include "robot_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return robot_fuzz(brn_read_mjcf, data, size);
}
