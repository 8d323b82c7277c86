/* Powers of five that fit 64 bits, for numbers read and printed exactly. */
#ifndef BRN_BASE_FIVES_H
#define BRN_BASE_FIVES_H

#include <stdint.h>

enum { BRN_FIVES = 28 };
extern const uint64_t brn_fives[BRN_FIVES]; /* 5^k */

#endif
