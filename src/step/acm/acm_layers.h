/* The nest of penalty layers of a pair, in units of the first one: its thickness eta, stiffness r and step h. Layer l = 1, 2, ... has

       eta(l) = l^-power,   r(l) = l^3,   h(l) = 2^-e(l),   e(l) the smallest with 4^e >= l^3,

   the paper's h(l) = l^-3/2 on the lattice of powers of two. Its potential, with d = eta(l) - g > 0 the depth of a gap g in it,

       quadratic   r d^2 / 2
       cubic       r d^3 / (6 w) while d < w = eta(l) - eta(l + 1), then r ((d - w/2)^2 / 2 + w^2 / 24):

   the force of the second sets in without a kink, and is nowhere steeper. All layers but the deepest that is reached are then linear in the gap, so that the
   impulse of any number of them takes two differences of running sums. */
#ifndef BRN_STEP_ACM_ACM_LAYERS_H
#define BRN_STEP_ACM_ACM_LAYERS_H

#include "base/ctx.h"

enum { BRN_ACM_QUADRATIC, BRN_ACM_CUBIC };
/* Layers with e beyond are not built: the millionth layer. */
enum { BRN_ACM_FINEST = 30 };

typedef struct brn_acm_layers {
    brn_ctx *ctx;
    int kind;
    double power;
    int fine, count;               /* layers with e <= fine */
    int first[BRN_ACM_FINEST + 2]; /* the first layer with e >= that */
    double *eta;                   /* [count + 2] of layer l; eta[0] is not used */
    double *rate;                  /* [count + 1] sum of r h over layers 1..l */
    double *moment;                /* [count + 1] sum of r h times the gap at which the linear force begins */
} brn_acm_layers;

brn_status brn_acm_layers_create(brn_ctx *ctx, int kind, double power, brn_acm_layers *out);
void brn_acm_layers_free(brn_acm_layers *layers);
/* Makes room for all layers with e <= fine; BRN_ERR_LIMIT beyond BRN_ACM_FINEST. */
brn_status brn_acm_layers_grow(brn_acm_layers *layers, int fine);

/* The number of layers with e <= fine; e of layer l. */
int brn_acm_layers_within(int fine);
int brn_acm_layers_fine(int layer);
/* The deepest layer with eta > gap, at most `most`; 0: none. */
int brn_acm_layers_reached(const brn_acm_layers *layers, double gap, int most);
/* Impulse of layers first..reached at a gap. */
double brn_acm_layers_impulse(const brn_acm_layers *layers, int first, int reached, double gap);
/* Force of one layer at a gap, in units of r eta. */
double brn_acm_layers_force(const brn_acm_layers *layers, int layer, double gap);
/* Potential of layers 1..reached at a gap, in units of r eta^2. */
double brn_acm_layers_energy(const brn_acm_layers *layers, int reached, double gap);
/* The smallest e such that layers with e at most that cover all gaps above `gap`: eta of the next one is not more than it. */
int brn_acm_layers_need(const brn_acm_layers *layers, double gap);
/* The layer that energy is used up in: potential of layers 1..n at eta(n) = energy, in units of r eta^2. */
double brn_acm_layers_depth(const brn_acm_layers *layers, double energy);

#endif
