/* Choices and text for scenes drawn at random. */
#ifndef BRN_TESTS_DRAW_H
#define BRN_TESTS_DRAW_H

#include "test.h"

#include "base/rng.h"

static inline double pick(brn_rng *rng, double lo, double hi)
{
    return brn_rng_uniform(rng, lo, hi);
}

static inline double pick_decade(brn_rng *rng, double lo, double hi)
{
    return pow(10.0, pick(rng, lo, hi));
}

static inline int pick_one(brn_rng *rng, int count)
{
    return (int)(brn_rng_next(rng) % (uint64_t)count);
}

static inline void __attribute__((format(printf, 3, 4))) add(char *to, size_t size, const char *format, ...)
{
    va_list list;
    const size_t at = strlen(to);
    va_start(list, format);
    assert_true(vsnprintf(to + at, size - at, format, list) < (int)(size - at));
    va_end(list);
}

/* Half the height of a box. */
static inline double extent(const double up[3], const double box[3])
{
    return 0.5 * (fabs(up[0]) * box[0] + fabs(up[1]) * box[1] + fabs(up[2]) * box[2]);
}

/* The vertical in the axes of a body turned about (1, 2, 3), in 2D about the axis of the plane: e, turned back. */
static inline void turn_up(int dim, double degrees, double up[3])
{
    const double a = -degrees * 3.14159265358979 / 180.0;
    const double n[3] = {1.0 / sqrt(14.0), 2.0 / sqrt(14.0), 3.0 / sqrt(14.0)};
    if (dim == 2) {
        up[0] = -sin(a);
        up[1] = 0.0;
        up[2] = cos(a);
        return;
    }
    const double cross[3] = {n[1], -n[0], 0.0};
    for (int i = 0; i < 3; ++i) {
        up[i] = cos(a) * (i == 2) + sin(a) * cross[i] + (1.0 - cos(a)) * n[2] * n[i];
    }
}

#endif
