/* A pair of parts: which of its nodes are nearest, its gap, where and along which normal it touches, when it would meet. */
#ifndef BRN_CONTACT_PAIR_H
#define BRN_CONTACT_PAIR_H

#include "contact/candidates.h"
#include "geom/distance.h"

/* A candidate at given positions, its parts near each other. */
typedef struct brn_contact_pair {
    int kind; /* brn_touch */
    int node[4];
    brn_stencil stencil;
    double area, offset, reach; /* as in brn_candidate; a method may give an area of its own */
    double d2;                  /* [m^2] squared distance of the nodes' parts, offset included */
} brn_contact_pair;

/* Which of a candidate's nodes, gathered in x, are nearest. Of a half-space it is always the whole plane. */
brn_stencil brn_pair_classify(int kind, const int node[4], const double x[4][3]);
/* The candidate at positions x; false, and nothing written, unless its gap is below `within` and its reach. */
bool brn_pair_measure(const brn_candidate *candidate, const double *x, double within, brn_contact_pair *out);
/* [m] */
double brn_pair_gap(const brn_contact_pair *pair);
/* Whether the gap is no more than the rounding of positions and distance. */
bool brn_pair_touches(const brn_contact_pair *pair, const double *x);
/* How many of the pair's nodes are on its first side. */
static inline int brn_pair_first_side(int kind)
{
    return kind == BRN_TOUCH_EDGE_EDGE ? 2 : 1;
}
/* Weights of the pair's nodes, gathered in x: sum_k weight_k x_k leads from the second side's closest point to the first's, and
   sum_k weight_k v_k is their relative velocity. The unit normal points to the first side. Returns the squared distance. */
double brn_pair_frame(const brn_contact_pair *pair, const double x[4][3], double weight[4], double normal[3]);
/* Middle between the two surfaces, from the weights and normal of brn_pair_frame. */
void brn_pair_place(const brn_skin *skin, const brn_contact_pair *pair, const double *x,
                    const double weight[4], const double normal[3], double place[3]);
/* The fraction of a linear motion from x0 to x1, at most t_max, in which the pair keeps `keep` of its initial gap: the
   guarantee of geom/ccd.h. */
double brn_pair_impact_time(const brn_candidate *candidate, const double *x0, const double *x1, double keep,
                            double t_max);

/* ---- lists ---------------------------------------------------------------------------------------------------------------- */

/* The candidates whose gap at x is below `within` and their reach, in their order; `to` has room for all candidates. */
brn_status brn_pairs_find(brn_candidates *candidates, const double *x, double within, brn_contact_pair *to,
                          int *count);
/* Lowers *fraction, of the motion from x0 to x1 that the candidates were found for, until no pair uses up more than nine
   tenths of its gap. 0: something touches at x0. */
brn_status brn_pairs_free_step(brn_candidates *candidates, const double *x0, const double *x1, double within,
                               double *fraction);

#endif
