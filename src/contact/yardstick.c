#include "contact/yardstick.h"

#include "linalg/dense.h"

#include <string.h>

static double norm(const double a[3])
{
    return sqrt(brn_dense_dot3(a, a));
}

/* The larger of the two; NaN stays. */
static double larger(double best, double value)
{
    return isnan(best) || value <= best ? best : value;
}

void brn_yardstick_measure(const brn_contact_point *point, int npoint, brn_yardstick *out)
{
    double nearest = -INFINITY; /* minus the smallest gap */
    *out = (brn_yardstick){0};
    for (int i = 0; i < npoint; ++i) {
        const brn_contact_point *p = &point[i];
        const double most = p->mu * p->normal_force;
        const double power = brn_dense_dot3(p->friction, p->slip);
        nearest = larger(nearest, -p->gap);
        if (p->normal_force < 0.0) {
            continue;
        }
        out->cone_error = larger(out->cone_error, norm(p->friction) - most);
        out->dissipation_error = larger(out->dissipation_error, fabs(most * norm(p->slip) + power));
        if (p->normal_force != 0.0) {
            const bool sticks = brn_contact_sticks(p);
            out->sticking += sticks;
            out->slipping += !sticks;
            out->complementarity = larger(out->complementarity, p->gap);
        }
    }
    out->gap_min = -nearest;
    out->penetration_max = larger(0.0, nearest);
}

void brn_yardstick_bodies(const brn_contact_point *point, int npoint, int nbody, double (*force)[3])
{
    memset(force, 0, (size_t)nbody * sizeof *force);
    for (int k = 0; k < npoint; ++k) {
        const int a = point[k].body[0];
        const int b = point[k].body[1];
        double f[3];
        brn_contact_force(&point[k], f);
        for (int i = 0; i < 3 && a != b; ++i) {
            force[a][i] += f[i];
            force[b][i] -= f[i];
        }
    }
}

void brn_yardstick_pair(const brn_contact_point *point, int npoint, int a, int b, brn_contact_total *out)
{
    *out = (brn_contact_total){0};
    for (int k = 0; k < npoint; ++k) {
        const brn_contact_point *p = &point[k];
        const bool as_given = p->body[0] == a && p->body[1] == b;
        if (!as_given && !(p->body[0] == b && p->body[1] == a)) {
            continue;
        }
        /* Which side of a body pushes the other is arbitrary: its vectors mean nothing. */
        const double sign = a == b ? 0.0 : as_given ? 1.0 : -1.0;
        out->points++;
        out->normal_force += p->normal_force;
        for (int i = 0; i < 3; ++i) {
            out->normal[i] += sign * p->normal_force * p->normal[i];
            out->friction[i] += sign * p->friction[i];
            out->centre[i] += p->normal_force * p->place[i];
        }
    }
    for (int i = 0; i < 3 && out->normal_force > 0.0; ++i) {
        out->centre[i] /= out->normal_force;
    }
}
