/* The skin of a model: everything that can touch. Points, edges and triangles of the boundaries of all bodies, obstacles
   included, with the share of surface that belongs to each at rest. */
#ifndef BRN_CONTACT_SKIN_H
#define BRN_CONTACT_SKIN_H

#include "model/model.h"

typedef struct brn_skin {
    brn_ctx *ctx;
    const brn_model *model;
    int dim;
    int npoint, *point;    /* node numbers, ascending */
    int nedge, (*edge)[2]; /* 2D: oriented boundary edges; 3D: edges of the triangles, each once */
    int ntri, (*tri)[3];   /* 3D */
    int *node_body;        /* [nnode] */
    unsigned char *held;   /* [nnode] every dof is held: two such nodes cannot be pushed apart */
    double
        *node_area; /* [nnode] 2D: half the adjacent lengths [m]; 3D: a third of the adjacent areas [m^2] */
    double *edge_area; /* [nedge] 3D: a third of the adjacent areas */
} brn_skin;

brn_status brn_skin_create(brn_ctx *ctx, const brn_model *model, brn_skin **out);
void brn_skin_destroy(brn_skin *skin);
/* Whether contact between two sets of nodes is to be looked at: no common node, not both held throughout, and not the
   same body where self-contact is off. */
bool brn_skin_may_touch(const brn_skin *skin, const int *a, int na, const int *b, int nb);

#endif
