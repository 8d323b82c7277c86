/* Vibration about rest: K x = lambda M x of a scene, or of one of its bodies, as the masters of tied nodes see it. */
#ifndef BRN_STEP_MODAL_H
#define BRN_STEP_MODAL_H

#include "linalg/modes.h"
#include "step/system.h"

typedef struct brn_modal {
    brn_ctx *ctx;
    brn_system *system;
    int body; /* that vibrates alone; -1: all */
    brn_block_matrix *stiffness, *mass;
    brn_block_matrix *damping;  /* alpha M + beta K, element by element; NULL: none */
    brn_block_matrix *stand_in; /* what the elements of rigid bodies add to the stiffness; NULL: nothing */
    unsigned char *held;        /* [ndof] BRN_DOF_...; not free: 0 in every shape */
    int nfree;                  /* dofs */
    int loose;                  /* rigid motions of the bodies, were nothing held */
} brn_modal;

/* body: -1: everything, with springs and attachments; else it alone, without them. free: without what `fixed` holds.
   Static bodies and robots stay where they are. */
brn_status brn_modal_create(brn_ctx *ctx, const brn_model *model, int body, bool free, brn_modal **out);
void brn_modal_destroy(brn_modal *modal);

/* The mass with the pattern of the system's matrix, as the mode finder needs it. */
brn_status brn_modal_mass(const brn_system *system, bool condensed, brn_block_matrix **out);

typedef enum brn_mode_kind {
    BRN_MODE_ELASTIC,
    BRN_MODE_LOOSE,   /* nothing but rounding resists it: a rigid motion, or a mechanism */
    BRN_MODE_STAND_IN /* of a rigid body that is not quite rigid: not of this world */
} brn_mode_kind;

/* Of an M-orthonormal shape. stand_in may be NULL; work is [ndof]. */
brn_status brn_mode_classify(const brn_block_matrix *stiffness, const brn_block_matrix *stand_in,
                             double lambda, const double *shape, double *work, brn_mode_kind *out);

#endif
