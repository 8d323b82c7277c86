/* As many doubles as a register holds, processed together: eight with AVX-512, four with AVX, two with SSE2 or NEON. The
   compiler's vector extension (gcc and clang) lowers them to whatever the machine has, so that a kernel reads like scalar code;
   vectors wider than the registers would go through memory.

   A lane never sees its neighbours: the functions here, and the kernels built on them, give a lane the same bits
   whatever the other lanes hold. */
#ifndef BRN_BASE_LANES_H
#define BRN_BASE_LANES_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Everything that takes lanes by value is inlined, so no calling convention is involved. */
#if defined(__clang__)
# pragma clang diagnostic ignored "-Wpsabi"
#elif defined(__GNUC__)
# pragma GCC diagnostic ignored "-Wpsabi"
#endif

#if defined(__AVX512F__)
enum { BRN_LANES = 8 };
#elif defined(__AVX__)
enum { BRN_LANES = 4 };
#else
enum { BRN_LANES = 2 };
#endif

typedef double brn_lanes __attribute__((vector_size(BRN_LANES * sizeof(double))));
typedef int64_t brn_mask __attribute__((vector_size(BRN_LANES * sizeof(int64_t)))); /* 0 or -1 per lane */

#define BRN_LANES_INLINE static inline __attribute__((always_inline))

BRN_LANES_INLINE brn_lanes brn_lanes_all(double value)
{
    return value - (brn_lanes){0}; /* not 0 + value, which would lose the sign of -0 */
}

/* From memory aligned as a double. */
BRN_LANES_INLINE brn_lanes brn_lanes_load(const double *from)
{
    brn_lanes a;
    memcpy(&a, from, sizeof a);
    return a;
}

/* From numbers of single precision. */
BRN_LANES_INLINE brn_lanes brn_lanes_load_single(const float *from)
{
    typedef float singles __attribute__((vector_size(BRN_LANES * sizeof(float))));
    singles a;
    memcpy(&a, from, sizeof a);
    return __builtin_convertvector(a, brn_lanes);
}

BRN_LANES_INLINE void brn_lanes_store(double *to, brn_lanes a)
{
    memcpy(to, &a, sizeof a);
}

/* yes where the mask is set, no elsewhere. */
BRN_LANES_INLINE brn_lanes brn_lanes_select(brn_mask mask, brn_lanes yes, brn_lanes no)
{
    return (brn_lanes)((mask & (brn_mask)yes) | (~mask & (brn_mask)no));
}

BRN_LANES_INLINE bool brn_lanes_any(brn_mask mask)
{
    int64_t any = 0;
    for (int l = 0; l < BRN_LANES; ++l) {
        any |= mask[l];
    }
    return any != 0;
}

/* b where a is NaN. */
BRN_LANES_INLINE brn_lanes brn_lanes_max(brn_lanes a, brn_lanes b)
{
    return brn_lanes_select((brn_mask)(a > b), a, b);
}

BRN_LANES_INLINE brn_lanes brn_lanes_min(brn_lanes a, brn_lanes b)
{
    return brn_lanes_select((brn_mask)(a < b), a, b);
}

BRN_LANES_INLINE brn_lanes brn_lanes_abs(brn_lanes a)
{
    return (brn_lanes)((brn_mask)a & INT64_MAX);
}

BRN_LANES_INLINE brn_lanes brn_lanes_sqrt(brn_lanes a)
{
    brn_lanes root = a; /* gcc cannot see that the loop sets all of it */
    for (int l = 0; l < BRN_LANES; ++l) {
        root[l] = __builtin_sqrt(a[l]);
    }
    return root;
}

/* Natural logarithm of normal positive numbers, error below 1 ulp; +inf and NaN stay what they are. With
   a = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2)), and s = f / (2 + f):
       ln(1 + f) = 2 artanh(s) = 2 s + 2 s^3/3 + 2 s^5/5 + ... = f - s (f - R),   R = 2 (s^2/3 + s^4/5 + ...)
   since 2 s = f - s f; f is exact, so only the small correction is rounded. |s| < 0.1716: the first term left out
   is below 1e-18 of the sum. */
BRN_LANES_INLINE brn_lanes brn_lanes_log(brn_lanes a)
{
    const int64_t root_half = 0x3fe6a09e667f3bcd; /* bits of sqrt(1/2) */
    const brn_mask bits = (brn_mask)a - root_half;
    const brn_lanes k = __builtin_convertvector(bits >> 52, brn_lanes);
    const brn_lanes f = (brn_lanes)((bits & 0x000fffffffffffff) + root_half) - 1.0;
    const brn_lanes s = f / (f + 2.0);
    const brn_lanes z = s * s;
    brn_lanes r = brn_lanes_all(2.0 / 23.0);
    for (int n = 21; n >= 3; n -= 2) {
        r = r * z + 2.0 / n;
    }
    r *= z;
    /* ln 2 in two parts, the first with enough trailing zeros that k times it is exact */
    const double ln2_high = 0x1.62e42fefa3800p-1, ln2_low = 0x1.ef35793c76730p-45;
    const brn_lanes ln = k * ln2_high + (f - (s * (f - r) - k * ln2_low));
    return brn_lanes_select((brn_mask)(a <= DBL_MAX), ln, a);
}

/* Angle of the point (x, y), error below 2 ulp; 0 at the origin, NaN of what is not finite. Folded to 0 <= t = y/x <= 1, it is compared with c, the
   tangent of 0, pi/8 or pi/4, whichever is next:
       atan(t) = atan(c) + atan(u),   u = (y - c x) / (x + c y),   atan(u) = u - u^3/3 + u^5/5 - ...
   |u| < 0.199: the first term left out is below 1e-18 of the sum. */
BRN_LANES_INLINE brn_lanes brn_lanes_atan2(brn_lanes y, brn_lanes x)
{
    const double eighth = 0x1.921fb54442d18p-1, half = 2.0 * eighth; /* pi/4, pi/2 */
    const double low = 0x1.1a62633145c07p-54;                        /* what pi/2 has beyond */
    const brn_lanes far = brn_lanes_abs(x), up = brn_lanes_abs(y);
    const brn_mask steep = (brn_mask)(up > far), back = (brn_mask)(x < 0.0);
    const brn_lanes most = brn_lanes_max(brn_lanes_max(far, up), brn_lanes_all(DBL_MIN));
    const brn_lanes least = brn_lanes_min(far, up);
    const brn_mask above = (brn_mask)(least > 0.19891236737965801 * most); /* tan(pi/16) */
    const brn_mask more = (brn_mask)(least > 0.66817863791929891 * most);  /* tan(3 pi/16) */
    const brn_lanes zero = brn_lanes_all(0.0);
    const brn_lanes tangent =
        brn_lanes_select(more, zero + 1.0, brn_lanes_select(above, zero + 0.41421356237309503, zero));
    const brn_lanes base =
        brn_lanes_select(more, zero + eighth, brn_lanes_select(above, zero + 0.5 * eighth, zero));
    const brn_lanes u = (least - tangent * most) / (most + tangent * least);
    const brn_lanes z = u * u;
    brn_lanes r = brn_lanes_all(-1.0 / 23.0);
    for (int n = 21; n >= 3; n -= 2) {
        r = r * z + (n % 4 == 1 ? 1.0 : -1.0) / n;
    }
    brn_lanes angle = base + (u + u * (z * r));
    angle = brn_lanes_select(steep, half - (angle - low), angle);
    angle = brn_lanes_select(back, 2.0 * half - (angle - 2.0 * low), angle);
    angle = (brn_lanes)((brn_mask)angle | ((brn_mask)y & INT64_MIN));
    return angle + 0.0 * (x + y);
}

/* ln(a) where a - 1 is known more precisely than a can hold. */
BRN_LANES_INLINE brn_lanes brn_lanes_log_near_one(brn_lanes a, brn_lanes a_minus_one)
{
    return brn_lanes_log(a) + (a_minus_one - (a - 1.0)) / a;
}

#endif
