/* Vectors of doubles for the dense work on fronts. Everything that takes them by value is inlined, so no calling convention is
   involved. Private to the factorisation. */
#ifndef BRN_LINALG_FRONT_LANES_H
#define BRN_LINALG_FRONT_LANES_H

#include "linalg/front_dense.h"

#include <string.h>

#if defined(__clang__)
# pragma clang diagnostic ignored "-Wpsabi"
#elif defined(__GNUC__)
# pragma GCC diagnostic ignored "-Wpsabi"
#endif

/* Doubles of a vector. Wider ones than a register would go through memory, piece by piece. */
#if defined(__AVX512F__)
enum { LANES = 8 };
#elif defined(__AVX__)
enum { LANES = 4 };
#else
enum { LANES = 2 };
#endif

_Static_assert(BRN_FRONT_LANES % LANES == 0, "rows are padded to whole vectors");

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef float lanes_single __attribute__((vector_size(LANES * sizeof(float))));

#define INLINE static inline __attribute__((always_inline))

INLINE lanes load(const double *from)
{
    lanes a;
    memcpy(&a, from, sizeof a);
    return a;
}

INLINE lanes load_single(const float *from)
{
    lanes_single a;
    memcpy(&a, from, sizeof a);
    return __builtin_convertvector(a, lanes);
}

INLINE void store(double *to, lanes a)
{
    memcpy(to, &a, sizeof a);
}

#endif
