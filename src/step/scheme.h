/* Implicit time integrators as incremental potentials. One step minimises over y = x^{n+1}

       1/(2 s) |y - target|_M^2 + share/place elastic(z) - (share loads + carried) . y + 1/(2 rate) v(y)^T D v(y) + contact(y),

   z = x^n + place (y - x^n), v(y) = rate (y - origin); x^{n+1}, v^{n+1} follow from y. What a method adds (barriers,
   friction) is evaluated at y.

       implicit Euler   target = x + h v                       s = h^2     v' = v + (y - target)/h
       turning Euler    the same and what is said below
       BDF2             target = (4x - x_)/3 + 2h/9 (4v - v_)  s = 4/9 h^2
       Newmark 1/4,1/2  target = x + h v                       s = h^2/2   v' = v + 2 (y - target)/h, share = 1/2
       midpoint         target = x + h v                       s = h^2/2   v' = v + 2 (y - target)/h, place = 1/2
       static           no inertia, s = 1, D absent

   Newmark and midpoint treat elements and loads by the trapezoidal and the midpoint rule: half of them at y, the other half
   carried over from x^n; or all of them half-way, which keeps angular momentum. For both x^{n+1} - x^n = h (v^n + v^{n+1})/2.
   Contact is implicit and leaves no trace in the next step [Kane, Repetto, Ortiz, Marsden 1999]: its force at x^{n+1} does
   the work -grad b(x^{n+1}) . (x^{n+1} - x^n), which is at most what a convex b gives back. So contact takes energy, of the
   order of h, and never adds any. Damping acts along the chord, v(y) = (y - x^n)/h, as it does for implicit Euler.

   A body that turns by a large angle in a step needs forces that turn too; taken at its end alone they brake it. Turning
   Euler is implicit Euler plus what is missing from its result for the free rotation of a body as if it were rigid (R; spin
   w, w' and pull a' = dw'/dt x R r + w' x (w' x R r) at the end),

       target += (R - 1) r - h w x r - h^2 a',   v' += w' x R r - w x r - h a',

   which is below the order of the rule's own error, and the spin that its angular momentum lacks afterwards
   (step/newton_spin.c). It needs a body that nothing holds or joins to others. A free rigid body has a' = 0 here: where it
   turns it takes no force, and its velocity after a step is the rigid one with the same momentum. So it is treated by Newmark
   and midpoint too.

   A step that gained energy is repeated with turning Euler, and if that gains too, with implicit Euler: then the step's
   potential, energy before it included, cannot rise, whatever the elements are.

   D is made once per step, so that it has a potential, at the positions that v(y) belongs to as predicted from x^n and
   v^n: half a step ahead for a chord, a step ahead for BDF2. So to D a rigid rotation is a rigid velocity up to O(h^3), and
   second-order rules stay second-order.

   (x_ = x^{n-1}; gravity adds s g to every target.) y, target, origin and the held dofs' places are kept as displacements
   from x^n: a velocity is c times a difference of them, and would otherwise be off by a rounding of the position over h
   in every step. BDF2 starts, and restarts after a change of step, with implicit Euler. Held dofs have a given y; their
   acceleration over the step is (v_held(t+h) - v)/h, so that a sudden start books its impulse once. */
#ifndef BRN_STEP_SCHEME_H
#define BRN_STEP_SCHEME_H

#include "state/state.h"
#include "step/books.h"
#include "step/system.h"

/* Repetitions of a step that gained energy: with turning Euler, then with implicit Euler. */
enum { BRN_GUARDS = 2 };
/* The next one after `guard`; what was a turning Euler step is not done again. */
static inline int brn_scheme_next_guard(int integrator, int guard)
{
    return guard == 0 && integrator == BRN_TURNING_EULER ? 2 : guard + 1;
}

typedef struct brn_scheme {
    const brn_system *system;
    int integrator; /* the one requested: BRN_TURNING_EULER ... */
    int kind;       /* the one used in this step: BDF2 needs two equal steps */
    double t, h;
    double t_eval; /* [s] where forces are evaluated */
    double s, c;
    double rate;        /* [1/s] of v(y) */
    double share;       /* of elements and loads at z; the rest acts as at x^n */
    double place;       /* of z, 0 at x^n, 1 at y */
    const double *from; /* [nnode][3] x^n */
    /* [m] largest coordinate of x^n: its positions are rounded to the machine's eps times this */
    double reach;
    bool inertia;
    double *target, *origin; /* [ndof] from x^n */
    double *drift, *coast;   /* [ndof] y, from x^n, and velocity after a step without forces */
    double *ahead;           /* [ndof] from x^n: where D is made */
    double *held;            /* [ndof] y of the held dofs, from x^n */
    double *accel;           /* [ndof] the held dofs' acceleration */
    bool turns;              /* targets turn */
    bool *free;              /* [nbody] nothing holds it */
} brn_scheme;

brn_status brn_scheme_create(brn_ctx *ctx, const brn_system *system, int integrator, brn_scheme **out);
void brn_scheme_destroy(brn_ctx *ctx, brn_scheme *scheme);
/* How an integrator's forces act over a step (of the kind actually used), for the ledger. */
brn_books brn_scheme_books(int integrator, int kind);
/* Another set of dofs is held from now on. */
brn_status brn_scheme_find_free(brn_ctx *ctx, brn_scheme *scheme);
/* Forces jump at this state: what was before is no guide any more, BDF2 restarts. */
void brn_scheme_restart(brn_state *state);
/* Prepares a step of h from the state at time t. */
brn_status brn_scheme_begin(brn_scheme *scheme, const brn_state *in, double t, double h);
/* x = x^n + way, [nnode][3], for all nodes that elements and contact use; z stays as it is in 2D. */
void brn_scheme_place(const brn_scheme *scheme, const double *way, double *x);
/* Whether a body is rigid and coasts: the element that keeps it so has no history and is seen at y. */
bool brn_scheme_coasts(const brn_scheme *scheme, int body);
/* z of the elements, [nnode][3], for positions x at y. */
void brn_scheme_see(const brn_scheme *scheme, const double *x, double *z);
/* Second differences of position and velocity at the end of a BDF2 step, packed. */
void brn_scheme_bend(const brn_scheme *scheme, const brn_state *in, const brn_state *out, double *dx,
                     double *dv);
/* Writes positions, velocities and the integrator's memory of the new state; way = y - x^n, tied nodes following their
   handles. */
brn_status brn_scheme_finish(const brn_scheme *scheme, const brn_state *in, const double *way,
                             brn_state *out);

#endif
