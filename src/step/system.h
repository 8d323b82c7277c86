/* The discrete operators of a model with their workspace: elastic energy, gradient and Hessian, mass, loads, damping,
   and the block matrix that implicit methods factor. Vectors are [nrow][dim] ("packed": a row for every node that has an
   equation or whose force is wanted); positions that elements see are [nnode][3]. At tied nodes motion follows the masters;
   forces stay where they act until they are balanced, on the masters. Shared by the driver and the methods, one at a time. */
#ifndef BRN_STEP_SYSTEM_H
#define BRN_STEP_SYSTEM_H

#include "linalg/assembly.h"
#include "linalg/factor.h"
#include "model/model.h"
#include "phys/solid.h"
#include "step/condense.h"
#include "step/controls.h"
#include "step/stopwatch.h"

typedef struct brn_system {
    brn_ctx *ctx;
    const brn_model *model;
    int ndof;                 /* nrow * dim, held and tied ones included */
    double size;              /* [m], diagonal of the box of the bodies that can move */
    brn_block_matrix *matrix; /* pattern of elements, pressure faces and mass */
    /* What is evaluated: the model's groups, or small ones that are alike joined, so that batches are full. The same elements in the same
       order. */
    const brn_element_group **part;
    int npart;
    brn_assembly *elastic;     /* one list per part */
    brn_assembly *pressure;    /* one list per (load, face kind); NULL without pressure */
    brn_block_matrix *damping; /* D = alpha M + beta K, K the viscous tangent; NULL without damping */
    double *damping_diagonal;  /* [ndof] of D */
    double *stiff_diagonal;    /* [ndof] of the elastic Hessian at rest, [N/m] */
    double *firm; /* [nbody] the elements of rigid bodies are so much stiffer than the model's; NULL: 1 */
    brn_controls *controls; /* present gravity, friction and motions */
    brn_stopwatch watch;    /* of the current step; methods switch its phases */
    /* Newton iterations of this step so far, all its parts and attempts; those with many contacts count as more. */
    double effort;
    double budget; /* as many are allowed; +inf: any number */
    int guard; /* how often this step has been repeated because it gained energy, see step/scheme.h; 0: not yet */

    /* private */
    brn_solid **joined; /* [njoined] among the parts */
    int njoined;
    int *mass_block; /* block of `matrix` that each entry of model->mass goes to */
    brn_stencils *pressure_list;
    int *pressure_load; /* which load each list belongs to */
    brn_cell *pressure_kind;
    int npressure_list;
    /* for matrices with the pattern of `matrix`; NULL: no node with elements is tied */
    brn_condense *condense;
    brn_block_matrix *mass;     /* the mass as masters see it; NULL: the model's own, or not needed yet */
    brn_factor *mass_factor[3]; /* of the axes that brn_system_mass_axis names, made at first use */
    double *work;               /* [ndof] */
    bool solids;                /* nothing but solids deforms */
    double *seen,
        seen_energy; /* [ndof] where the gradient was found last, and the energy there; NaN: nowhere yet */
} brn_system;

brn_status brn_system_create(brn_ctx *ctx, const brn_model *model, brn_system **out);
void brn_system_destroy(brn_system *system);
/* Makes the elements of rigid bodies so stiff that stiffness is at least `ratio` [1/s^2] times the mass of the heaviest body that can move, or of a body
   `heavier` times as heavy as it, if that is less: what is heavier may lie on it, or fall. */
brn_status brn_system_firm(brn_system *system, double ratio, double heavier);
/* stiff_diagonal, after a change of elements. */
brn_status brn_system_measure_stiffness(brn_system *system);

/* [nnode][3] <-> [nnode][dim]; unpacking leaves z as it is in 2D. */
void brn_system_pack(const brn_system *system, const double *from, double *packed);
void brn_system_unpack(const brn_system *system, const double *packed, double *to);

/* Turns a fully assembled matrix with the pattern of `matrix` into the one that the masters of tied nodes see. */
void brn_system_condense(const brn_system *system, brn_block_matrix *matrix);

/* Elastic energy, its gradient (both added to) and Hessian (added to the matrix); each may be NULL. x is [nnode][3]. The energy where the
   gradient was found last, as the books want it at the end of a step, costs nothing. */
brn_status brn_system_elastic(brn_system *system, const double *x, brn_tangent tangent, double *energy,
                              double *grad, brn_block_matrix *matrix);
/* energy [..] += the elastic energies of parts of the model, part [nrow] of their rows: an element belongs to that of its first node with a row. */
brn_status brn_system_elastic_parts(brn_system *system, const double *x, const int *part, double *energy);
/* The only part that has elements; -1: none or several. */
int brn_system_elastic_part(const brn_system *system, const int *part);
/* Adds the loads at time t (dead forces and pressures, not gravity) to force, and the symmetric part of the pressures'
   stiffness to the matrix (may be NULL). */
brn_status brn_system_loads(brn_system *system, const double *x, double t, double *force,
                            brn_block_matrix *matrix);

/* Adds the force of a dragging hand, at positions and velocities [nnode][3] (NULL: at rest), at the nodes that have the
   dofs. */
void brn_system_drag(const brn_system *system, const double *pos, const double *vel, double *force);

/* out = M v; matrix += scale * M. */
brn_status brn_system_mass_apply(const brn_system *system, const double *v, double *out);
void brn_system_mass_add(const brn_system *system, double scale, brn_block_matrix *matrix);
/* The same, each part of the model with its own scale; part [nrow]. */
void brn_system_mass_add_parts(const brn_system *system, const double *scale, const int *part,
                               brn_block_matrix *matrix);
/* Solves M a = force on the free dofs with a given at the held ones (they must be set in a); a follows at tied ones. */
brn_status brn_system_mass_solve(brn_system *system, const double *force, double *a);

/* The first axis along which the same rows are free: M is the same to both. */
int brn_system_mass_axis(const brn_system *system, int axis);
/* w [count][count] = B' M^-1 B of forces along an axis, columns of B with a value a row, at rows that are free there. */
brn_status brn_system_mass_compliance(brn_system *system, int axis, const brn_columns *columns, double *w);

/* Another set of dofs is held from now on. */
void brn_system_hold(brn_system *system);

/* Makes the damping matrix at positions x, if there is damping. Its stiffness is BRN_TANGENT_VISCOUS: the full tangent
   would also resist the rotation of the stresses and so, through the centrifugal stress, brake a spinning body at the rate
   beta omega^2 whatever the step. */
brn_status brn_system_damping_update(brn_system *system, const double *x);

#endif
