/* Newton's method on the incremental potential of step/scheme.h: one implicit (or static) step. Shared by the methods
   that minimise it; a contact method adds terms to the potential and bounds the steps. */
#ifndef BRN_STEP_NEWTON_H
#define BRN_STEP_NEWTON_H

#include "step/method.h"
#include "step/scheme.h"

enum { BRN_NEWTON_AUTO, BRN_NEWTON_EXACT, BRN_NEWTON_PROJECTED };
enum { BRN_NEWTON_DIRECT, BRN_NEWTON_PCG };

/* Name of the state memory that holds the force of every attachment on its nodes, [nattach][3] [N]. */
#define BRN_ATTACH_FORCE "attach.force"

/* And that of every connection on its first body, [nconnect][3] [N]. */
#define BRN_CONNECT_FORCE "connect.force"

typedef struct brn_newton_params {
    int integrator;   /* BRN_IMPLICIT_EULER ... */
    double tolerance; /* unbalanced force, relative to the largest force in play */
    int iterations;   /* allowed in one attempt */
    /* allowed in a step with all its parts and attempts, as brn_system.effort counts them; 0: by the size of the model */
    int budget;
    int tangent; /* BRN_NEWTON_AUTO ... */
    int solver;  /* BRN_NEWTON_DIRECT ... */
} brn_newton_params;

/* What a contact method adds. Positions x are [nnode][3], vectors [ndof]; energies in J, like the elastic one. */
typedef struct brn_newton_terms {
    void *self;
    /* +inf outside the domain. Called only for positions between the last bound's start and end. */
    brn_status (*energy)(void *self, const double *x, double *value);  /* of each part, if there are parts */
    brn_status (*gradient)(void *self, const double *x, double *grad); /* added where it acts */
    /* The part of that gradient that dissipates (friction), added. NULL: all of it is stored. */
    void (*dissipative)(void *self, const double *x, double *grad);
    /* *sum = base + Hessian, positive semi-definite, of any pattern; base itself if there is nothing to add. Rows of tied nodes
       take no part in the solve: what belongs to them must go into those of their masters. */
    brn_status (*hessian)(void *self, const double *x, brn_block_matrix *base, brn_block_matrix **sum);
    bool hand;   /* the pull of a hand is among them: n->pull is theirs to fill, once it is known */
    bool before; /* their forces act where bodies are at the start of a step */
    /* They look for contact as far as an iteration goes: static ones that move holds must not go astray. */
    bool ahead;
    /* Largest fraction in (0, 1] of the step that keeps everything free of intersections; all smaller ones do too. */
    brn_status (*bound)(void *self, const double *x, const double *step, double *fraction);
} brn_newton_terms;

typedef struct brn_newton_energy {
    double value, size; /* [J] and the size of its terms, for rounding */
} brn_newton_energy;

typedef struct brn_newton {
    brn_ctx *ctx;
    const brn_model *model;
    brn_system *system;
    brn_newton_params params;
    const brn_newton_terms *terms; /* NULL: none */
    /* [ndof] [m] also stop when no dof would move further than this; NULL: never */
    const double *step_allowed;
    brn_scheme *scheme;
    brn_factor *factor;       /* made at the first direct solve */
    bool factored;            /* it is of an iteration of this step */
    double taken;             /* how much of its step the last search took; 1: all of it */
    bool waits;               /* held dofs stay where they are, so that what is in their way gives way */
    bool direct;              /* conjugate gradients have failed in this step: no more of them */
    brn_block_matrix *matrix; /* the last one assembled: the system's, or the terms' sum */
    double *x;                /* [nnode][3] positions at y */
    double *middle;           /* [nnode][3] those that elements see, where they are others */
    /* [ndof] each */
    double *y;          /* displacement from x^n */
    double *trial;      /* the displacement that a line search tries */
    double *step;       /* Newton's direction */
    double *turned;     /* the same with rigid bodies turned instead of sheared */
    double *unbalanced; /* [N] sum of all forces at y; tied nodes': on their masters */
    /* Forces of the step: M (y - target)/s, the share of gradient and loads at z, D v(y). */
    double *inertia, *elastic, *load, *damping;
    double *carried; /* the share of loads and elements at x^n */
    double *contact; /* gradient of the terms, and minus the pull of a hand */
    double *gravity; /* M g, for static runs */
    /* [N/m] diagonal of the last elastic tangent of this step; at its start, the one at rest */
    double *stiffness;
    double *scratch;
    const unsigned char *
        given; /* [model rows] 1: its y is given to this step and has no balance, though nothing holds it; NULL: none */
    /* [model rows] the part of the scene that each belongs to: a part is balanced against the largest force in itself, not against that of something
       heavy elsewhere; NULL: all are one. Parts are numbered like bodies. */
    const int *part;
    /* [nbody] group of each part in a line search: parts that nothing but dead forces connects are searched on their own, so that neither has to take
       the other's short steps, nor may take a bad one because the other gains. Used where there are parts. */
    const int *group;
    int elastic_part; /* the only one that has elements; -1: none or several; -2: not known yet */
    double *largest;  /* [nbody] [N] in each part; used where there are parts */
    double *
        lean; /* [nbody] share of `shift` in each part: stiffness over mass of its stiffest node over that of all */
    double *size;  /* [nbody] [m] of each part: diagonal of its box at rest; used where there are parts */
    double *reach; /* [nbody] [m] its largest coordinate at x^n */
    double *part_noise; /* [nbody] [m] rounding of its positions in this step */
    double *way;        /* [nbody] [m] its largest displacement, scratch */
    double weighed[3];  /* [m/s^2] the g in gravity */
    double hand[3];     /* [m] where the spring of a drag ends in this step */
    brn_pull pull;      /* that spring at y */
    double noise;       /* [m] rounding of the positions of this step, the largest */
    double
        shift; /* [1/s^2] times the mass is added to the tangent of a static run in which contact must hold bodies
                          that nothing else holds: before they touch, their tangent is singular */
    bool rolls;        /* deformable bodies may turn far in an iteration: steps are tried along arcs first */
    double (*weld)[3]; /* [nattach] [N] force of each attachment on its nodes; 0 where they are held */
} brn_newton;

/* terms outlive the solver; NULL: none. BRN_ERR_SCENE if a static run lacks supports. */
brn_status brn_newton_create(brn_ctx *ctx, const brn_model *model, brn_system *system,
                             const brn_newton_params *params, const brn_newton_terms *terms,
                             brn_newton **out);
void brn_newton_destroy(brn_newton *newton);

/* A step: begin once, solve one or more times (as the terms change), finish. */
brn_status brn_newton_begin(brn_newton *newton, const brn_state *in, double t, double h);
brn_status brn_newton_solve(brn_newton *newton, brn_step_info *info);
/* Writes positions, velocities, memory, the forces of the last solve, and how they act. */
brn_status brn_newton_finish(brn_newton *newton, const brn_state *in, brn_state *out, brn_books *books);
/* The second part of finish: all but positions and velocities, which `out` has already. */
brn_status brn_newton_book(brn_newton *newton, const brn_state *in, brn_state *out, brn_books *books);

/* Initial accelerations and forces of a state that was set from outside; its memory is cleared. */
brn_status brn_newton_reset(brn_newton *newton, brn_state *state, double t, brn_books *books);
/* As brn_method requires. */
brn_status brn_newton_predict(const brn_model *model, brn_system *system, brn_prediction *out);
brn_stage brn_newton_stage(const brn_newton *newton, double t);
brn_status brn_newton_changed(brn_newton *newton, brn_state *state, const brn_change *change);

/* Loads at time t as a packed force; in a static run they include the ramped gravity. */
brn_status brn_newton_loads(brn_newton *newton, const double *x, double t, double *force,
                            brn_block_matrix *matrix);
/* Updates M g to the present gravity. Call before a step and a reset. */
brn_status brn_newton_weigh(brn_newton *newton);
/* Writes the parts of a state that follow from its nodes and the packed forces on them: rigid poses; load, reaction (0
   where not held) and damping force (friction included); forces of attachments. */
brn_status brn_newton_write(const brn_newton *newton, const double *load, const double *react,
                            const double *damping, brn_state *out);
/* newton->unbalanced at tied nodes becomes the force of their attachments and moves to their masters. */
void brn_newton_weld(brn_newton *newton);
/* Corrects the velocities of free bodies whose targets turned: each gets the angular momentum that the forces of the step
   leave it. Call after the scheme has finished. */
brn_status brn_newton_keep_spin(brn_newton *newton, const brn_state *in, brn_state *out);
/* [J] of the elements that keep rigid bodies rigid which coast, at x [nnode][3]. */
double brn_newton_rigid_energy(const brn_newton *newton, const double *x);
/* Of one of them. */
double brn_newton_rigid_energy_of(const brn_newton *newton, int body, const double *x);
/* What the rule itself takes (moved, stored and taken of the books); what BDF2 needs for that goes into the memory of `out`. Call
   after the scheme has finished, before the forces of the last solve are changed. */
brn_status brn_newton_losses(brn_newton *newton, const brn_state *in, brn_state *out, brn_books *books);
/* [J] dissipated by the damping forces of the two states over the step between them, by the books' rule. */
double brn_newton_dissipated(const brn_newton *newton, const brn_state *in, const brn_state *out,
                             const brn_books *books);

#endif
