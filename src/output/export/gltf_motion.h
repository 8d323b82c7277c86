/* How the bodies of a recorded run move, in terms of glTF: a node that stands still, one that is shifted and turned from frame
   to frame, or a mesh whose vertices move, one morph target a frame. Also which frames are used, and the boxes of all meshes. */
#ifndef BRN_OUTPUT_EXPORT_GLTF_MOTION_H
#define BRN_OUTPUT_EXPORT_GLTF_MOTION_H

#include "output/drawing/drawing.h"
#include "output/trajectory/trajectory.h"

typedef enum brn_gltf_kind { BRN_GLTF_STILL, BRN_GLTF_SHIFT, BRN_GLTF_TURN, BRN_GLTF_MORPH } brn_gltf_kind;

/* Position of a vertex at frame f: place[f] + turn[f] base (MORPH: origin + base + displacement). */
typedef struct brn_gltf_body {
    brn_gltf_kind kind;
    float origin[3];   /* [m] middle of its vertices at the first frame: the place of its node */
    float (*place)[3]; /* [m], shape [nframe] */
    float (*turn)[4];  /* unit quaternions x, y, z, w, shape [nframe], neighbours in the same hemisphere */
    float (*low)[3], (*high)[3]; /* [m], shape [nframe]: box of the base (frame 0), of the displacements */
    double error
        [BRN_GLTF_MORPH]; /* [m] largest distance of a vertex from the trajectory, if written as that kind */
    double reach, size; /* [m] largest coordinate that a vertex ever has, largest distance from the origin */
} brn_gltf_body;

typedef struct brn_gltf_motion {
    brn_ctx *ctx;
    int nframe;  /* those used: every n-th whose time still grows in single precision */
    int *frame;  /* [nframe] numbers in the trajectory */
    float *time; /* [s] */
    int nbody;
    brn_gltf_body *body;
    float (*base)[3]; /* [m] vertices at the first frame, from the origin of their body; shape [vertices] */
} brn_gltf_motion;

/* Reads all frames once. `frame` lends its buffer of positions. The motion must be zeroed but for ctx; after a failure it can (and
   must) still be cleared. */
brn_status brn_gltf_motion_find(brn_gltf_motion *motion, brn_playback *playback, const brn_drawing *surface,
                                int every, brn_frame *frame);
void brn_gltf_motion_clear(brn_gltf_motion *motion);
/* From the first frame to this one, as the file stores it. */
void brn_gltf_displacement(const brn_gltf_body *body, const float base[3], const double pos[3], float out[3]);

#endif
