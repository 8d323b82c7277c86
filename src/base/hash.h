/* A 64-bit hash of bytes, for state hashes and name tables. Not cryptographic; the same on every machine of one
   byte order. */
#ifndef BRN_BASE_HASH_H
#define BRN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define BRN_HASH_START UINT64_C(0x9e3779b97f4a7c15)

/* Extends a hash by n bytes. */
uint64_t brn_hash_bytes(uint64_t hash, const void *bytes, size_t n);
uint64_t brn_hash_text(uint64_t hash, const char *text);

#endif
