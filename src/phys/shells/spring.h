/* Springs between pairs of nodes: energy k/2 (l - l0)^2 of the distance l. A pull-only spring has none below its rest length.
   The Hessian, with the unit vector u along the spring, is k u u^T + k (1 - l0/l) (1 - u u^T); the second part is negative in
   compression, where the projection drops it. Damping beta acts only along the spring (VISCOUS: k u u^T). */
#ifndef BRN_PHYS_SHELLS_SPRING_H
#define BRN_PHYS_SHELLS_SPRING_H

#include "phys/group.h"

typedef struct brn_spring {
    brn_element_group group;
    double *stiffness; /* [N/m], [nelem] */
    double *length;    /* [m], [nelem] at rest */
    bool pull_only;
} brn_spring;

/* conn [nelem][2]; stiffness [nelem] > 0; length [nelem] >= 0, or NULL: the distances at rest. BRN_ERR_RANGE names a spring
   whose numbers are out of range or whose ends are one node. */
brn_status brn_spring_create(brn_ctx *ctx, const double (*rest)[3], const int *conn, const double *stiffness,
                             const double *length, bool pull_only, int nelem, brn_spring **out);
void brn_spring_destroy(brn_spring *spring);
extern const brn_group_kind brn_spring_group_kind;
/* The group as springs; NULL if it is of another kind. */
const brn_spring *brn_spring_of_group(const brn_element_group *group);

/* As in brn_group_kind. */
void brn_spring_eval(const brn_spring *spring, const double (*x)[3], int first, int count,
                     brn_tangent tangent, double *energy, double *grad, double *hess);

#endif
