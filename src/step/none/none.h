/* Method `none`: elasticity without contact. Implicit integrators by Newton's method on their incremental potential,
   symplectic Euler explicitly, static runs by Newton with load stepping. */
#ifndef BRN_STEP_NONE_NONE_H
#define BRN_STEP_NONE_NONE_H

#include "step/method.h"
#include "step/scheme.h"

enum { BRN_NONE_AUTO, BRN_NONE_EXACT, BRN_NONE_PROJECTED };
enum { BRN_NONE_DIRECT, BRN_NONE_PCG };

typedef struct brn_none_params {
    brn_block block;
    double tolerance; /* unbalanced force, relative to the largest force in play */
    int iterations;   /* Newton iterations allowed in one attempt */
    int tangent;
    int solver;
} brn_none_params;

typedef struct brn_none {
    brn_ctx *ctx;
    const brn_model *model;
    brn_system *system;
    const brn_none_params *params;
    brn_scheme *scheme;
    brn_factor *factor; /* made at the first direct solve */
    double *x;          /* [nnode][3] positions that elements see */
    /* [ndof] each */
    double *y, *trial, *step, *rhs;             /* y, trial: ways from x^n */
    double *inertia, *elastic, *load, *damping; /* forces at y: M (y - target)/s, gradient, loads, D v */
    double *gravity;                            /* M g, for static runs */
    double
        *stiffness; /* [N/m] diagonal of the last elastic tangent of this step, at its start that at rest */
    double noise;   /* [m] rounding of the positions of this step */
} brn_none;

extern const brn_method brn_none_method;

/* The two ways to step; both fill out's positions, velocities and forces. */
brn_status brn_none_step_implicit(brn_none *none, const brn_state *in, double t, double h, brn_state *out,
                                  brn_step_info *info);
brn_status brn_none_step_explicit(brn_none *none, const brn_state *in, double t, double h, brn_state *out,
                                  brn_step_info *info);

/* Loads at time t as a packed force; a static run's include its ramped gravity. */
brn_status brn_none_loads(brn_none *none, const double *x, double t, double *force, brn_block_matrix *matrix);
/* Copies load, reaction (where held, 0 elsewhere) and damping force, packed, to the state. */
void brn_none_write_forces(const brn_none *none, const double *load, const double *react,
                           const double *damping, brn_state *out);

#endif
