/* Newton's method on the incremental potential of step/scheme.h: one implicit (or static) step. Shared by the methods
   that minimise it; a contact method adds its terms to the potential and bounds the steps. */
#ifndef BRN_STEP_NEWTON_H
#define BRN_STEP_NEWTON_H

#include "step/method.h"
#include "step/scheme.h"

enum { BRN_NEWTON_AUTO, BRN_NEWTON_EXACT, BRN_NEWTON_PROJECTED };
enum { BRN_NEWTON_DIRECT, BRN_NEWTON_PCG };

/* Name of the memory of a state that holds the force of every attachment, [nattach][3] [N], on its nodes. */
#define BRN_ATTACH_FORCE "attach.force"

typedef struct brn_newton_params {
    int integrator;   /* BRN_IMPLICIT_EULER ... */
    double tolerance; /* unbalanced force, relative to the largest force in play */
    int iterations;   /* allowed in one attempt */
    int tangent;      /* BRN_NEWTON_AUTO ... */
    int solver;       /* BRN_NEWTON_DIRECT ... */
} brn_newton_params;

/* What a contact method adds. Positions x are [nnode][3], vectors [ndof]; energies in J, as the elastic one. */
typedef struct brn_newton_terms {
    void *self;
    /* +inf outside the domain. Asked only for positions between the last bound's start and its end. */
    brn_status (*energy)(void *self, const double *x, double *value);
    brn_status (*gradient)(void *self, const double *x, double *grad); /* added where it acts */
    /* The part of that gradient that dissipates (friction), added. NULL: all of it is stored. */
    void (*dissipative)(void *self, const double *x, double *grad);
    /* *sum = base + Hessian, positive semi-definite, of any pattern; base itself where there is nothing to add. Rows of tied nodes
       do not take part in the solve: what belongs to them must stand in those of their masters. */
    brn_status (*hessian)(void *self, const double *x, brn_block_matrix *base, brn_block_matrix **sum);
    /* Largest fraction in (0, 1] of the step that keeps everything free of intersections; all smaller ones do too. */
    brn_status (*bound)(void *self, const double *x, const double *step, double *fraction);
} brn_newton_terms;

typedef struct brn_newton {
    brn_ctx *ctx;
    const brn_model *model;
    brn_system *system;
    brn_newton_params params;
    const brn_newton_terms *terms; /* NULL: none */
    double step_tolerance; /* [m] stop also when no node would move further than this; 0: not at all */
    brn_scheme *scheme;
    brn_factor *factor;       /* made at the first direct solve */
    brn_block_matrix *matrix; /* the last one assembled: the system's, or the terms' sum */
    double *x;                /* [nnode][3] positions that elements see */
    /* [ndof] each */
    double *y;                                  /* way from x^n */
    double *trial;                              /* the way that a line search looks at */
    double *step;                               /* Newton's direction */
    double *turned;                             /* the same with rigid bodies turned instead of sheared */
    double *unbalanced;                         /* [N] sum of all forces at y, tied ones' on their masters */
    double *inertia, *elastic, *load, *damping; /* forces at y: M (y - target)/s, gradient, loads, D v */
    double *contact;                            /* gradient of the terms, and minus the pull of a hand */
    double *gravity;                            /* M g, for static runs */
    double
        *stiffness; /* [N/m] diagonal of the last elastic tangent of this step, at its start that at rest */
    double *scratch;
    double weighed[3]; /* [m/s^2] the g of gravity */
    double hand[3];    /* [m] where the spring of a drag ends in this step */
    brn_pull pull;     /* that spring at y */
    double noise;      /* [m] rounding of the positions of this step */
    double (*weld)[3]; /* [nattach] [N] force of each attachment on its nodes; 0 where they are held */
} brn_newton;

/* terms live as long as the solver; NULL: none. BRN_ERR_SCENE if a static run lacks supports. */
brn_status brn_newton_create(brn_ctx *ctx, const brn_model *model, brn_system *system,
                             const brn_newton_params *params, const brn_newton_terms *terms,
                             brn_newton **out);
void brn_newton_destroy(brn_newton *newton);

/* A step: begin once, solve once or again (after the terms changed), finish. */
brn_status brn_newton_begin(brn_newton *newton, const brn_state *in, double t, double h);
brn_status brn_newton_solve(brn_newton *newton, brn_step_info *info);
/* Writes positions, velocities, memory, the forces of the last solve, and how they act. */
brn_status brn_newton_finish(brn_newton *newton, const brn_state *in, brn_state *out, brn_books *books);

/* Initial accelerations and forces of a state that was set from outside; its memory starts anew. */
brn_status brn_newton_reset(brn_newton *newton, brn_state *state, double t, brn_books *books);
/* As brn_method asks. */
brn_status brn_newton_predict(const brn_model *model, const brn_system *system, brn_prediction *out);
brn_stage brn_newton_stage(const brn_newton *newton, double t);
brn_status brn_newton_changed(brn_newton *newton, brn_state *state, const brn_change *change);

/* Loads at time t as a packed force; a static run's include its ramped gravity. */
brn_status brn_newton_loads(brn_newton *newton, const double *x, double t, double *force,
                            brn_block_matrix *matrix);
/* Makes M g fit the gravity of now. Before a step and a reset. */
brn_status brn_newton_weigh(brn_newton *newton);
/* What of a state follows from its nodes and the forces on them, packed: rigid poses; load, reaction (where held, 0
   elsewhere) and damping force (friction included); forces of attachments. */
brn_status brn_newton_write(const brn_newton *newton, const double *load, const double *react,
                            const double *damping, brn_state *out);
/* newton->unbalanced of tied nodes becomes the force of their attachments and goes to their masters. */
void brn_newton_weld(brn_newton *newton);
/* [J] what the damping forces of the two states took along the step between them, by the books' rule. */
double brn_newton_dissipated(const brn_newton *newton, const brn_state *in, const brn_state *out,
                             const brn_books *books);

#endif
