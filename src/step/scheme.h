/* Implicit time integrators as incremental potentials. One step minimises over y

       1/2 |y - target|_M^2 + s (elastic(y) - loads . y) + s/(2 c) v(y)^T D v(y),     v(y) = c (y - origin)

   and then x^{n+1}, v^{n+1} follow from y. What a method adds (barriers, friction) is scaled by the same s.

       implicit Euler   y = x^{n+1}   target = x + h v                                  s = h^2     c = 1/h
       BDF2             y = x^{n+1}   target = (4x - x_)/3 + 2h/9 (4v - v_)             s = 4/9 h^2 c = 3/(2h)
       Newmark 1/4,1/2  y = x^{n+1}   target = x + h v + h^2/4 a                        s = h^2/4   c = 2/h
       midpoint         y = (x^n + x^{n+1})/2   target = x + h/2 v                      s = h^2/4   c = 2/h
       static           no inertia, s = 1, D absent

   D is made once per step, so that it has a potential, at the positions that v(y) belongs to as predicted from x^n and
   v^n: half a step ahead for implicit Euler and midpoint, whose v(y) is the chord, a step ahead for the others. So to D
   a rigid rotation is a rigid velocity up to O(h^3), and second-order rules stay second-order.

   (x_ = x^{n-1}; gravity adds s g to every target.) y, target, origin and the held dofs' places are kept as displacements
   from x^n: a velocity is c times a difference of them, and would otherwise be off by a rounding of the position over h
   in every step. BDF2 starts, and restarts after a change of step, with implicit Euler. Held dofs have a given y; their
   acceleration over the step is (v_held(t+h) - v)/h, so that a sudden start books its impulse once and leaves no ringing
   in the trapezoidal rule. */
#ifndef BRN_STEP_SCHEME_H
#define BRN_STEP_SCHEME_H

#include "state/state.h"
#include "step/books.h"
#include "step/system.h"

typedef struct brn_scheme {
    const brn_system *system;
    int integrator; /* the one requested: BRN_IMPLICIT_EULER ... */
    int kind;       /* the one used in this step: BDF2 needs two equal steps */
    double t, h;
    double t_eval; /* [s] where forces are evaluated */
    double s, c;
    double forward;     /* x^{n+1} = x^n + forward (y - x^n) */
    const double *from; /* [nnode][3] x^n */
    double
        reach; /* [m] largest coordinate of x^n: its positions are rounded to the machine's eps times this */
    bool inertia;
    double *target, *origin; /* [ndof] from x^n */
    double *drift, *coast;   /* [ndof] y, from x^n, and velocity after a step without forces */
    double *ahead;           /* [ndof] from x^n: where D is made */
    double *held;            /* [ndof] y of the held dofs, from x^n */
    double *accel;           /* [ndof] scratch: Newmark's a^n, then the held dofs' acceleration */
} brn_scheme;

brn_status brn_scheme_create(brn_ctx *ctx, const brn_system *system, int integrator, brn_scheme **out);
void brn_scheme_destroy(brn_ctx *ctx, brn_scheme *scheme);
/* How an integrator's forces act over a step (of the kind actually used), for the ledger. */
brn_books brn_scheme_books(int integrator, int kind);
/* Initial accelerations of a state [m/s^2], packed: what Newmark starts from. */
brn_status brn_scheme_accelerate(brn_state *state, const double *acceleration, int ndof);
/* The accelerations of all free dofs [m/s^2], packed, jump: Newmark remembers the new ones, BDF2 restarts. */
void brn_scheme_jolt(const brn_system *system, const double *change, brn_state *state);
/* Prepares a step of h from the state at time t. */
brn_status brn_scheme_begin(brn_scheme *scheme, const brn_state *in, double t, double h);
/* x = x^n + way, [nnode][3], for all nodes that elements and contact use; z stays as it is in 2D. */
void brn_scheme_place(const brn_scheme *scheme, const double *way, double *x);
/* Writes positions, velocities and the integrator's memory of the new state; way = y - x^n, tied nodes following their
   handles. */
brn_status brn_scheme_finish(const brn_scheme *scheme, const brn_state *in, const double *way,
                             brn_state *out);

#endif
