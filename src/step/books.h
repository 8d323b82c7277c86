/* What a method tells the ledger about a step. The ledger knows no integrator: it weights the forces that the method wrote
   into the state (node_load, node_react, node_damp) by the rule stated here, and takes from the method what forces alone
   cannot show. Methods that change how they step within a run (loading, launch, flight) state a new rule for each stage.

   Momentum of the free dofs, with F all external forces of this step and F_last what the last step carried over:

       M (v^{n+1} - v^n) = h ((1 - last) F + last F_last)

                          last   carries        place   before
       implicit Euler     0      nothing        1       0
       BDF2               1/3    that sum       1       0
       Newmark 1/4,1/2    0      nothing        1/2     0       F: means over the step
       midpoint           0      nothing        1/2     0
       symplectic Euler   0      nothing        0       0
       theta rule         0      nothing        theta   0
       static                                   1       1/2
   F acts at place x^{n+1} + (1 - place) x^n and does the work ((1 - before) F + before F_before) . (x^{n+1} - x^n).

   What the rule itself takes from the energy follows from its identity: `moved` is the work that the forces on the free dofs
   did by the rule, `stored` what elements or contact were to take up by it. The kinetic energy gained is less than the one,
   the potential energy gained less than the other: the difference is numerical loss, not an error.

   A pressure follows its faces. Where the rule takes it at the end of a step, its work on a body that turns by a is wrong by
   p V a^2, and what the compressed elements do by the rule is wrong by as much the other way: neither is energy lost or gained.
   `turned` corrects both, by the faces in the middle of the way.

   BDF2 takes from an energy of two states, 1/2 (E(y) + E(2 y - y_)) of y = (x, v), whose difference from E(y) is of
   the order of h^2 and swings [Dahlquist 1976, G-stability]. Where E is quadratic it takes, with d a second difference
   y^{n+1} - 2 y^n + y^{n-1},

       1/4 |dv|_M^2 + 1/4 |dx|_K^2,    |dx|_K^2 = dx . d(grad W).

   Elsewhere, and where bodies turn, that is only an estimate; so it is booked as far as energy is missing, and it does not
   count where energy gained is looked for. */
#ifndef BRN_STEP_BOOKS_H
#define BRN_STEP_BOOKS_H

#include <stdbool.h>

typedef struct brn_books {
    double place;         /* 0 at the start of the step, 1 at its end */
    double last;          /* share of what the last step carried */
    bool carries;         /* this step carries that sum to the next */
    double before;        /* share of the last evaluation in the work */
    bool inertia;         /* false: equilibrium, no velocities, momentum is not conserved */
    bool weight_load;     /* gravity is a load, ramped like the others, instead of a potential */
    double dissipated;    /* [J] in this step, by damping, friction and impacts */
    bool swings;          /* its energy swings about the right one: a gain in one step is no fault */
    bool known_loss;      /* moved and stored are given; false: all that is missing is an error */
    bool elastic_loss;    /* `stored` includes the elements; false: only contact */
    double moved, stored; /* [J] */
    double taken;         /* [J] from an energy of two states; 0: there is none */
    double turned;        /* [J] what pressures did along the way, less what they did by the rule */
    /* Robots: what drives did (and hands, beyond what loads show), and what came through the joints that hang on the world ([N s], [N m s] about the
       origin). `bbi`: what its contact does beyond the forces at `place`. */
    double drive_work, base_impulse[6];
    /* An event method sums as it goes: its forces are only for display, and these totals of loads and holds (and of gravity,
       in the impulse) are used instead. */
    bool summed;
    double work;       /* [J] */
    double impulse[6]; /* [N s], then [N m s] about the origin */
} brn_books;

#endif
