/* Homogeneous uniaxial states: F = diag(along, across, across), or diag(along, across, 1) in plane strain, free sides. */
#ifndef BRN_TESTS_VALIDATE_UNIAXIAL_H
#define BRN_TESTS_VALIDATE_UNIAXIAL_H

#include "stage.h"
#include "stress.h"

typedef struct uniaxial {
    const char *material;
    int dim;
    double along, across;
    double target; /* nominal stress wanted, or pressure on the deformed end */
    bool follower;
} uniaxial;

static inline void uniaxial_stress(const uniaxial *u, double p[3][3])
{
    const double f[3][3] = {
        {u->along, 0.0, 0.0}, {0.0, u->across, 0.0}, {0.0, 0.0, u->dim == 3 ? u->across : 1.0}};
    nominal_stress(u->material, f, p);
}

static inline double side_stress(double across, void *arg)
{
    uniaxial *u = arg;
    double p[3][3];
    u->across = across;
    uniaxial_stress(u, p);
    return p[1][1];
}

/* Nominal stress at a given stretch, the sides free. */
static inline double uniaxial_pull(uniaxial *u, double along)
{
    double p[3][3];
    u->along = along;
    u->across = bisect(side_stress, u, 0.7, 1.3);
    uniaxial_stress(u, p);
    return p[0][0];
}

static inline double end_balance(double along, void *arg)
{
    uniaxial *u = arg;
    const double p = uniaxial_pull(u, along);
    const double area = u->dim == 3 ? u->across * u->across : u->across;
    return p + u->target * (u->follower ? area : 1.0);
}

/* Stretch under a pressure on the ends: dead (per rest area) or follower (per deformed area). */
static inline void uniaxial_push(uniaxial *u, double pressure, bool follower)
{
    u->target = pressure;
    u->follower = follower;
    (void)uniaxial_pull(u, bisect(end_balance, u, 0.8, 1.2));
}

#endif
