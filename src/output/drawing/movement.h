/* How the vertices of a body have moved: not at all, as one affine map, or each in its own way. */
#ifndef BRN_OUTPUT_DRAWING_MOVEMENT_H
#define BRN_OUTPUT_DRAWING_MOVEMENT_H

#include "output/drawing/drawing.h"

typedef enum brn_movement_kind {
    BRN_MOVEMENT_STILL,
    BRN_MOVEMENT_AFFINE,
    BRN_MOVEMENT_FREE
} brn_movement_kind;

typedef struct brn_movement {
    brn_movement_kind kind;
    float affine[3][4];    /* position = A rest + b */
    float low[3], size[3]; /* of the box about the vertices: position = low + size q / 65535 */
} brn_movement;

/* Per body, from the rest positions: four vertices that span it best, three and a normal if it is flat. */
typedef struct brn_movement_frame {
    int vertex[4];        /* [3] < 0: flat; [0] < 0: no affine map can be found */
    double inverse[3][3]; /* of the edges from vertex[0] (and the normal), as columns */
} brn_movement_frame;

void brn_movement_frame_make(const brn_drawing *surface, int body, const double (*rest)[3],
                             brn_movement_frame *out);
/* An affine map is taken if every vertex is within half a quantisation step of it, rounding of f32 included. pos
   [nnode][3], finite. */
void brn_movement_find(const brn_drawing *surface, int body, const double (*rest)[3],
                       const brn_movement_frame *frame, const double *pos, brn_movement *out);

#endif
