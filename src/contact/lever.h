/* Levers: where on the surface a contact acts, as a combination of nodes that have dofs or are held. The surface of a round
   body, or of an obstacle that is a sheet, lies away from its nodes and turns with the body: its points are combinations of
   the body's handles. A shell has none: its contacts act at its middle, also on what touches it. */
#ifndef BRN_CONTACT_LEVER_H
#define BRN_CONTACT_LEVER_H

#include "contact/pair.h"

enum { BRN_LEVER_NODES = 8 }; /* two bodies have four handles each */

/* The relative velocity of the two surfaces at a contact is sum_k weight_k v_k; a force f on the first side there is weight_k f
   at node k. Weights of the first side sum to 1, those of the second to -1. */
typedef struct brn_lever {
    int count, node[BRN_LEVER_NODES];
    double weight[BRN_LEVER_NODES];
} brn_lever;

/* Adds a node, or adds to the weight of one already there. */
void brn_lever_add(brn_lever *lever, int node, double weight);
/* Adds a place [m] that moves with a body, at x, through the nodes of brn_body_span, of which the body must have some. */
void brn_lever_add_place(brn_lever *lever, const brn_model *model, int body, const double place[3],
                         double weight, const double *x);
/* The lever of a pair, from the weights and normal of brn_pair_frame: each side acts at its surface. */
void brn_lever_of_pair(const brn_skin *skin, const brn_contact_pair *pair, const double weight[4],
                       const double normal[3], const double *x, brn_lever *out);

#endif
