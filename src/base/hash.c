#include "base/hash.h"

#include <string.h>

/* The finaliser of splitmix64: every input bit reaches every output bit. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t brn_hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    size_t left = n;
    for (; left >= 8; left -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        hash = mix(hash ^ word) + UINT64_C(0x9e3779b97f4a7c15);
    }
    uint64_t tail = 0;
    if (left > 0) { /* memcpy takes no NULL, not even of 0 bytes */
        memcpy(&tail, p, left);
    }
    return mix(hash ^ tail) + n;
}

uint64_t brn_hash_text(uint64_t hash, const char *text)
{
    return brn_hash_bytes(hash, text, strlen(text));
}
