/* Places in the cells of a deformable body. */
#ifndef BRN_MODEL_CELL_SEARCH_H
#define BRN_MODEL_CELL_SEARCH_H

#include "geom/bvh.h"
#include "model/builder.h"
#include "model/cell_place.h"

/* The cells of a body, numbered through in order of kinds. */
typedef struct brn_cell_search {
    const brn_model *model;
    const brn_body *body;
    const brn_mesh *mesh;
    brn_bvh *tree;
    brn_box *box;
    double place[3];
} brn_cell_search;

brn_status brn_cell_search_open(brn_builder *b, int body, brn_cell_search *s);
/* After any open, whatever came of it. */
void brn_cell_search_close(brn_ctx *ctx, brn_cell_search *s);
/* A place in terms of the nodes of the cell that it is in or nearest to, and how far that is: +inf if there is none. Returns the number of
   parts. */
int brn_cell_search_find(brn_cell_search *s, const double place[3], brn_tie_part part[BRN_ELEMENT_NODES_MAX],
                         double *gap);
/* [m] How far from a body a place may be that counts as a place of it, unless the scene says so; of a sheet next to nothing. */
double brn_cell_search_reach(const brn_cell_search *s);

#endif
