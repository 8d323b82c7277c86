/* One moment of a run as a packet for the viewer's page: positions, fields at the vertices, contacts (docs/viewer.md). */
#ifndef BRN_OUTPUT_PAGE_SHOT_H
#define BRN_OUTPUT_PAGE_SHOT_H

#include "output/drawing/movement.h"
#include "output/drawing/pressure.h"
#include "output/drawing/strain.h"
#include "output/page/packet.h"

/* Of a tensor: its equivalent, its three principal values, its six components. */
enum { BRN_SHOWN_PARTS = 10 };
typedef enum brn_shown {
    BRN_SHOWN_VON_MISES,
    BRN_SHOWN_STRAIN = BRN_SHOWN_VON_MISES + BRN_SHOWN_PARTS,
    BRN_SHOWN_SPEED = BRN_SHOWN_STRAIN + BRN_SHOWN_PARTS,
    BRN_SHOWN_DISPLACEMENT,
    BRN_SHOWN_PRESSURE,
    BRN_SHOWN_COUNT
} brn_shown;

typedef struct brn_shown_info {
    const char *name, *label, *unit;
    /* what to say if it was not recorded; NULL: it always is, or another field says it */
    const char *missing;
} brn_shown_info;

/* The parts of tensors but for the equivalents, which any page has: the first to go where room is short. */
#define BRN_SHOWN_OF_TENSOR (0x3feu << BRN_SHOWN_VON_MISES | 0x3feu << BRN_SHOWN_STRAIN)
/* A principal value: the page makes it from the components, only its range is told. */
static inline bool brn_shown_is_derived(int field)
{
    return field < BRN_SHOWN_SPEED && field % BRN_SHOWN_PARTS >= 1 && field % BRN_SHOWN_PARTS <= 3;
}

extern const brn_shown_info brn_shown_table[BRN_SHOWN_COUNT];

enum { BRN_SHOT_CONTACTS_MAX = 4000 }; /* the strongest of a frame are shown */

/* What a shot is made from. */
typedef struct brn_instant {
    double time;
    int64_t step;
    const double *pos;         /* [nnode][3] */
    const double *vel;         /* [nnode][3]; NULL if speed is not shown */
    const double *node_stress; /* [nnode][6]; NULL if stress is not shown */
    const brn_contact_point *point;
    int npoint;
    const double *row; /* [nrow] live: the step's row of the series */
    int nrow;
    const brn_stage_result *stage; /* [BRN_STAGES] live: the stages so far */
    const char *const *stage_rule; /* [BRN_STAGES] NULL: not reached */
} brn_instant;

/* Smallest and largest value of a field; low > high: none yet. */
typedef struct brn_shown_range {
    double low, high;
} brn_shown_range;

typedef struct brn_camera {
    brn_ctx *ctx;
    const brn_playback_info *info;
    brn_drawing surface;
    unsigned shown;   /* bit of each field that shots have */
    unsigned dropped; /* bit of each field that was recorded and left out on purpose */
    bool contacts;
    brn_recovery recovery; /* at the vertices */
    brn_strain strain;
    brn_pressure pressure;
    brn_movement_frame *frame; /* [nbody] */
    brn_movement *movement;    /* [nbody] of this shot */
    double *finite;            /* [nnode][3] positions, if some in a damaged file are not numbers */
    double *sample;            /* [samples of cells][6] of strain */
    double *tensor[2];         /* [nvertex][6] stress and strain of this shot */
    float *value;              /* [nvertex] */
    int *order;                /* of contacts */
    size_t order_capacity;
    brn_packet packet;
} brn_camera;

/* Fields that can be shown are chosen from what info says was recorded. info outlives the camera. After a failure the
   camera can (and must) still be cleared. Zeroed but for ctx. */
brn_status brn_camera_make(brn_camera *camera, const brn_playback_info *info);
void brn_camera_clear(brn_camera *camera);

/* span [BRN_SHOWN_COUNT]: of the fields in this shot. The bytes belong to the camera, valid until its next shot. */
brn_status brn_camera_shoot(brn_camera *camera, const brn_instant *moment, int index, bool delta,
                            brn_shown_range *span, const void **bytes, size_t *size);

#endif
