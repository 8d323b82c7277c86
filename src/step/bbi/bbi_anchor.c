/* Where points stick in a step without inertia. Slip is what two sides move past each other while they touch: from the start of the step for what
   touches there, and for what comes together within it from where it does. That place, the anchor, is where the gap closes on the straight way from the start of the
   step to where the iteration that closes it would go: right to second order in the step, as the way of a step is straight to first order. Slip counted from
   the start instead would drag a body by all that an obstacle moves in the step in which they meet. A point that has come off again has none. */
#include "step/bbi/bbi.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

void brn_bbi_anchor_begin(brn_bbi *bbi, bool first)
{
    for (int i = 0; i < bbi->npoint; ++i) {
        brn_bbi_point *p = &bbi->point[i];
        if (first) {
            p->late = !brn_bbi_touches(bbi, p);
            memset(p->anchor, 0, sizeof p->anchor);
        }
        p->open = p->late && (first || !(p->force[0] > 0.0));
    }
}

/* [m] How far the nodes of a point went. */
static double way_of_rows(const brn_bbi *bbi, const brn_bbi_point *p, const double *y)
{
    const int dim = bbi->model->dim;
    double most = 0.0;
    for (int k = p->first; k < p->first + p->count; ++k) {
        double sum = 0.0;
        for (int i = 0; i < dim; ++i) {
            sum += y[bbi->row[k] * dim + i] * y[bbi->row[k] * dim + i];
        }
        most = fmax(most, sum);
    }
    return sqrt(most);
}

void brn_bbi_anchor_drop(brn_bbi *bbi, brn_bbi_point *p, const double *y, double u[3])
{
    const int dim = bbi->model->dim;
    double way[3];
    double at[3] = {0};
    if (!p->open) {
        return;
    }
    brn_bbi_look(bbi, p, y, way);
    /* At the start of the step, but for what the normal has turned since: a point that touched there may have been another one, of an edge now and of its
       end before. */
    const double far = way_of_rows(bbi, p, y);
    const double gap = fmax(0.0, p->touch.gap + p->depth - way[0] - far * far / bbi->size);
    const double share = p->u[0] < 0.0 ? gap / (gap - p->u[0]) : 1.0;
    for (int k = 1; k < dim; ++k) {
        at[k] = share * p->u[k];
        u[k] -= at[k];
    }
    brn_bbi_to_world(bbi, p, at, p->anchor);
    p->open = false;
}

void brn_bbi_anchor_take(const brn_bbi *bbi, const brn_bbi_point *p, double u[3])
{
    const int dim = bbi->model->dim;
    for (int k = 1; k < dim && !p->open; ++k) {
        for (int i = 0; i < dim; ++i) {
            u[k] -= p->touch.frame[dim * (k - 1) + i] * p->anchor[i];
        }
    }
}

/* Whether friction holds it: one that bears without was found to slip. */
static bool is_stuck(const brn_bbi *bbi, const brn_bbi_point *p)
{
    return bbi->no_slip && p->force[0] > 0.0 && !p->open && (p->force[1] != 0.0 || p->force[2] != 0.0);
}

double brn_bbi_anchor_error(const brn_bbi *bbi)
{
    double most = 0.0;
    for (int i = 0; i < bbi->npoint && !bbi->newton->scheme->inertia; ++i) {
        const brn_bbi_point *p = &bbi->point[i];
        if (is_stuck(bbi, p)) {
            double u[3] = {0};
            brn_bbi_look(bbi, p, bbi->newton->y, u);
            brn_bbi_anchor_take(bbi, p, u);
            most = fmax(most, hypot(u[1], bbi->model->dim == 3 ? u[2] : 0.0) / brn_bbi_allowed(bbi, p));
        }
    }
    return most;
}
