/* Method `bbi`: implicit Newmark with frictional contact and an impact law [Chen, Levin, Matusik, Kaufman 2017, implementation supplement].

   A step solves the balance of step/scheme.h together with Signorini's and Coulomb's laws at every contact point,

       0 <= r_n _|_ g(y) >= 0,   |r_t| <= mu r_n,   v_t' opposite to r_t where it slips,                          (eqs. 1, 3, 4)

   g the gap at the end of the step (the printed eq. 3 leaves it out, and penetration drifts), v' = 2 y/h - v the velocity there. Each
   iteration linearises forces and gaps at y: with H the tangent, p = H^-1 (unbalanced force) and the Delassus matrix W = J H^-1 J',
   the forces solve u = W r + q (src/cone), in metres: u_n is the gap, u_t the slip velocity over the rule's dv'/dy = c. Then
   y += p + H^-1 J' (r - r_before).

   Newmark's rule turns the velocity of what hits an obstacle round (v' = -v). The impact projection (eq. 5) takes it back: with c = h v',

       v+ = (c + H^-1 B lambda) / h,    J_a (c + H^-1 B lambda) = 0

   on the active points: their normals, and the tangents of those that stick. It is an equality: the printed inequality does nothing
   in the very step of the impact. Where a point slips, B has its friction on the cone along with the normal force, or friction would keep
   what belongs to the force that is taken back; points that would have to leave the cone to stick slip. Where the energy of a group of bodies that touch is at the end
   above what the step could account for, the mass alone is its metric, which cannot raise it. */
#ifndef BRN_STEP_BBI_BBI_H
#define BRN_STEP_BBI_BBI_H

#include "cone/cone.h"
#include "contact/points.h"
#include "phys/rigid/moser_veselov.h"
#include "step/ahead.h"
#include "step/newton.h"

enum { BRN_BBI_IMPACT_NONE, BRN_BBI_IMPACT_MASS, BRN_BBI_IMPACT_BBI };

typedef struct brn_bbi_params {
    brn_block block;
    int impact;       /* BRN_BBI_IMPACT_... */
    double tolerance; /* unbalanced force, relative to the largest in play */
    int iterations, budget;
    /* energy of vibration that a body may lose when it takes off, of its kinetic energy; 0: it stays elastic */
    double flight;
} brn_bbi_params;

/* The method's own figures. */
enum {
    BRN_BBI_CONE_ERROR,
    BRN_BBI_POINTS,
    BRN_BBI_IMPACT_LOSS,
    BRN_BBI_OVERLAP,
    BRN_BBI_FLYING_BODIES,
    BRN_BBI_FLIGHT_LOSS
};

/* What a body does: it deforms; it did, and touched something in its last step; it flies. */
enum { BRN_BBI_ELASTIC, BRN_BBI_TOUCHED, BRN_BBI_FLYING };
/* What the state remembers of every body, all of it numbers. */
typedef struct brn_bbi_flight {
    double phase; /* BRN_BBI_ELASTIC ... */
    double age;   /* steps since it touched something */
    double peak;  /* [J] largest energy of vibration since then, of long ago less */
    /* Of bodies that fly: */
    double centre[3], velocity[3];
    brn_spinning spin;
} brn_bbi_flight;

/* A body as a rigid one: at rest, and what was found of it in this step. */
typedef struct brn_bbi_flier {
    double centre[3], inertia[3], axes[9]; /* columns: principal axes */
    double loss;                           /* [J] of vibration if it takes off in this step */
    bool fresh;                            /* it would take off in this step */
    bool near;                             /* to an obstacle at rest */
} brn_bbi_flier;

/* A contact point of the step. Components are (normal, tangents), those of the cone problem. */
typedef struct brn_bbi_point {
    brn_touching_point touch; /* at the positions of the last search */
    int first, count;         /* its rows, in bbi->row and bbi->weight: masters of the lever's nodes */
    double mu;
    double depth;     /* [m] that it may keep in this step */
    double force[3];  /* [N] r */
    double impact[3]; /* [N] lambda of the projection: acts over half a step */
    /* in the projection: lambda_t = slope lambda_n + extra, so that friction is on the cone with it */
    bool slips;
    double slope[2], extra[2];
    double u[3]; /* [m] of the last solution: gap, slip velocity over c */
    int group;   /* in the projection; -1: none */
    bool late;   /* it did not touch at the start of the step */
    bool stays;  /* to the end of the step, even if it is not found again */
    bool open;   /* nor since */
    double anchor
        [3];    /* [m] in a step without inertia: how far its sides had moved past each other when they met */
    int chosen; /* its number in the cone problem; -1: far enough away */
    int column; /* of a chosen one: its columns */
    double spring,
        loose; /* [N/m] between its sides, in the tangent of bodies that contact alone holds: along normal and tangents */
} brn_bbi_point;

/* J H^-1 J' of points for one factor, in world axes. */
typedef struct brn_bbi_columns {
    uint64_t *key; /* [count] what each belongs to */
    int count;
    size_t key_capacity;
    double *value; /* [count][dim][count][dim] */
    size_t value_capacity;
} brn_bbi_columns;

/* A factor that is kept from step to step (bbi_keep.c). */
enum { BRN_BBI_PAIRS = 8, BRN_BBI_WAYS = 4 };
typedef struct brn_bbi_kept {
    bool never;          /* every step makes its own */
    bool tried;          /* the step began with it */
    bool loose;          /* nothing has touched in this step so far, and it may be used */
    bool fresh;          /* the factor was made in this step */
    bool turned;         /* nodes have turned since the factor was made */
    brn_newton *of;      /* whose factor `made` tells of; NULL: of none */
    double *made;        /* where it was made, as states remember it */
    double *turn;        /* [model rows][9] how nodes have turned since then */
    double *whole;       /* [nbody][9] the same of bodies as a whole */
    const double *place; /* [nnode][3] where they are now */
    int cap, least;      /* iterations of solving alone that cost half a factor, and how many are worth it */
    int dear;            /* the same for iterations of a step with factors of its own */
    int tries;           /* iterations of this step with it */
    int total;           /* and with others before it */
    double first;        /* error before them */
    /* Moves of this step and the changes of force that they made, [BRN_BBI_PAIRS][ndof]; their products. */
    double *move, *bend;
    double along[BRN_BBI_PAIRS];
    int pairs, oldest;
    bool noted;  /* a move is under way */
    bool learns; /* in a step with a factor of its own: iterations that keep it go on by what they learned */
    bool guesses;
    bool stays;            /* the last step had contact, and this one is expected to */
    double *start, *guess; /* [ndof] y before, and where the last steps lead to */
} brn_bbi_kept;

/* Bodies that move as one, joined by attachments or springs (bbi_spin.c). */
typedef struct brn_bbi_spin {
    bool held;    /* somewhere */
    bool bound;   /* its spin is not its own: it is held, or of a material that resists rotation */
    bool touched; /* contact acts on it */
    double mass, centre[3], inertia[9];
    double missing[3]; /* [N m s] angular momentum */
    double summed;     /* magnitudes of its terms */
    double w[3];       /* [rad/s] that supplies it */
} brn_bbi_spin;

typedef struct brn_bbi {
    brn_ctx *ctx;
    const brn_model *model;
    brn_system *system;
    const brn_bbi_params *params;
    brn_newton *newton;             /* of the present stage: one of these */
    brn_newton *solver[BRN_STAGES]; /* of each stage; those of the same rule are the same */
    brn_newton_terms terms;
    /* what touches sticks until it is pulled away (section 3), by friction beyond any that is found */
    bool no_slip;
    double whole; /* [s] a step of the stage, of which this one may be a part */
    double size;  /* [m] of the largest body that can move: what is far away does not make a scene coarser */
    brn_touching *touching;
    brn_ahead *ahead;
    const double *from;  /* [nnode][3] x^n */
    double *reach, *own; /* [nbody] [m] around what was found at first, and between parts of a body */
    double *seen;        /* [ndof] y at which the points' geometry is known */
    double *seen_at;     /* [nnode][3] [m] where that is */
    brn_bbi_point *point;
    int npoint;
    size_t point_capacity;
    unsigned char *taken; /* of a search: points that were there before */
    size_t taken_capacity;
    int *row; /* of the points' rows */
    double *weight;
    int nrow;
    size_t row_capacity, weight_capacity;
    double *push;      /* [ndof] force of contact where it acts */
    double *slip;      /* [ndof] [m] velocity at the end over c, less y; of held dofs, all of it */
    double *direction; /* [ndof] step of the free system, scratch */
    double *recoil;    /* [ndof] [N] of dampers against the projection, over half a step like impacts */
    int *chosen;       /* [nchosen] points of the cone problem */
    int nchosen;
    size_t chosen_capacity;
    brn_bbi_columns columns;
    double *free_u; /* [npoint][3] u with the forces of before */
    size_t free_u_capacity;
    /* The cone problem of the chosen. */
    double *cone_w, *cone_q, *cone_mu, *cone_r, *cone_u;
    int *cone_first, *cone_column;
    brn_cone_memory cone_memory; /* of a step's large problems */
    uint64_t cone_key;           /* of the points and frames that cone_w is for; 0: none */
    size_t cone_w_capacity, cone_q_capacity, cone_mu_capacity, cone_r_capacity, cone_u_capacity;
    size_t cone_first_capacity, cone_column_capacity;
    brn_block_matrix *leaning; /* the tangent with springs between what touches */
    double ease;               /* of loose springs and of the mass, at first 1 */
    double lean_shift;         /* [1/s^2] times the mass, in the last tangent of a static step */
    unsigned char *coasts;     /* [model rows] of a rigid body that coasts */
    bool coasting;             /* there are such */
    int *cluster;              /* [nbody] the first body of those that move as one */
    int *row_cluster;          /* [model rows] */
    brn_bbi_spin *spin;        /* [nbody] of each cluster, at its first body */
    double about[3];           /* [m] where moments are taken */
    bool turns;                /* there are clusters whose spin is their own */
    bool clamped;              /* bodies that move are held somewhere */
    bool *movable;             /* [nbody] not all of it is held */
    int *group;                /* [nbody] what moves together in the projection (bbi_groups.c) */
    int ngroup;
    bool guards;             /* several groups move: each has an account of its energy */
    double *worked;          /* [nbody] [J] what was done on groups in the step */
    bool *moving;            /* [nbody] held, and not yet where its motion takes it */
    brn_newton_energy *here; /* [nbody] [J] potentials of clusters at y, while that is known */
    double *pushed;          /* [nbody] [J] what contact is of that */
    bool *by_mass;           /* [nbody] the metric of the last projection was that of the mass */
    brn_bbi_flier *flier;    /* [nbody] */
    brn_bbi_flight *flight;  /* [nbody] in this step */
    bool *apart;             /* [nbody] put elsewhere after the step */
    unsigned char *given;    /* [model rows] of bodies that fly in this step */
    brn_bbi_kept kept;
    brn_contact_point *report;
    size_t report_capacity;
} brn_bbi;

extern const brn_method brn_bbi_method;

/* ---- bbi_contact.c: points, their rows and forces ---- */

/* The points at n->y, without forces. */
brn_status brn_bbi_find(brn_bbi *bbi, const brn_contact_reach *reach);
/* The same points at another n->y, and new ones. Those whose side is found again take its geometry, others go on along their normal.
   reach NULL: all of them do. */
brn_status brn_bbi_find_again(brn_bbi *bbi, const brn_contact_reach *reach);
/* Whether there is a point of the same vertex, edges or convex bodies, on the same side. */
bool brn_bbi_knows(const brn_bbi *bbi, const brn_touching_point *point);
/* bbi->push from the points' forces. */
void brn_bbi_push(brn_bbi *bbi);
/* out = J v of a point, components (normal, tangents). */
void brn_bbi_look(const brn_bbi *bbi, const brn_bbi_point *p, const double *v, double out[3]);
/* [N] in the world, on body[0], of components (normal, tangents). */
void brn_bbi_to_world(const brn_bbi *bbi, const brn_bbi_point *p, const double force[3], double out[3]);
/* packed += J' force, fixed dofs left out. */
void brn_bbi_pull(const brn_bbi *bbi, const brn_bbi_point *p, const double force[3], double *packed);
/* Whether it carries force, or is as near as if it did. */
bool brn_bbi_touches(const brn_bbi *bbi, const brn_bbi_point *p);
/* [m] Penetrations and gaps under force below this are none. */
double brn_bbi_allowed(const brn_bbi *bbi, const brn_bbi_point *p);
/* The points of the state after a step. */
brn_status brn_bbi_report(brn_bbi *bbi, brn_step_info *info);

/* ---- bbi_columns.c: compliance at contact points ---- */

/* Before another factor is made. */
void brn_bbi_columns_clear(brn_bbi *bbi);
void brn_bbi_columns_free(brn_ctx *ctx, brn_bbi_columns *columns);
/* Those of all chosen points. */
brn_status brn_bbi_columns_need(brn_bbi *bbi);
/* w [dim][dim] = J_at H^-1 J_from', components (normal, tangents); both are chosen. */
void brn_bbi_columns_look(const brn_bbi *bbi, const brn_bbi_point *at, const brn_bbi_point *from,
                          double w[9]);

/* ---- bbi_solve.c: the balance with contact ---- */

brn_status brn_bbi_solve(brn_bbi *bbi, const brn_state *in, double t, double h, brn_step_info *info);

/* ---- bbi_keep.c: a factor that is kept ---- */

brn_status brn_bbi_keep_create(brn_bbi *bbi);
void brn_bbi_keep_free(brn_ctx *ctx, brn_bbi_kept *kept);
/* After Newton's method has begun a step: whether it may go on with the state's factor. first: not the same step again. */
brn_status brn_bbi_keep_begin(brn_bbi *bbi, const brn_state *in, bool first);
/* A factor for n->y, where that is the error. */
brn_status brn_bbi_keep_make(brn_bbi *bbi, double error);
/* After forces have been found: what the last move told. */
void brn_bbi_keep_learn(brn_bbi *bbi);
/* Whether another factor is cheaper than what it would take with this one to come down to an error. */
bool brn_bbi_keep_slow(brn_bbi *bbi, double error, double goal);
/* After a factor of the step's own was made where that is the error. */
void brn_bbi_keep_own(brn_bbi *bbi, double error);
/* n->step with the factor as it is and what was learned. */
brn_status brn_bbi_keep_direction(brn_bbi *bbi);
/* The state after the step remembers the factor, or that there is none; moved: bodies deformed in it. */
brn_status brn_bbi_keep_end(brn_bbi *bbi, const brn_state *in, bool moved, brn_state *out);
void brn_bbi_keep_forget(brn_state *state);

/* ---- bbi_warm.c: forces that a step starts with ---- */

/* Contact problems of fewer points cost so little that they are always solved well, and from nothing. */
enum { BRN_BBI_LARGE = 150 };

/* The points at the start of a step get the forces that they had. */
void brn_bbi_warm_start(brn_bbi *bbi, const brn_state *in);
/* The state after the step remembers forces, if there are many; before those of the projection are added. */
brn_status brn_bbi_warm_remember(const brn_bbi *bbi, brn_state *out);
void brn_bbi_warm_forget(brn_state *out);

/* ---- bbi_anchor.c: where points stick in a step without inertia ---- */

/* Which points are open at n->y; first: at the start of the step. */
void brn_bbi_anchor_begin(brn_bbi *bbi, bool first);
/* An open point, whose u is that of the iteration's whole step from y, is closed on the way: slip counts from there, in u too. */
void brn_bbi_anchor_drop(brn_bbi *bbi, brn_bbi_point *p, const double *y, double u[3]);
/* u of the whole way becomes that since the point touches. */
void brn_bbi_anchor_take(const brn_bbi *bbi, const brn_bbi_point *p, double u[3]);
/* Largest slip of what sticks, as a multiple of what is allowed. */
double brn_bbi_anchor_error(const brn_bbi *bbi);

/* ---- bbi_lean.c: bodies that contact alone holds, without inertia ---- */

/* The Hessian of brn_newton_terms: springs between points that touch. */
brn_status brn_bbi_lean(void *self, const double *x, brn_block_matrix *base, brn_block_matrix **sum);
/* Newton's direction with an exact tangent, and as much mass in it as it takes to be definite. */
brn_status brn_bbi_lean_direction(brn_bbi *bbi, bool *projected, brn_step_info *info);
/* BRN_ERR_CONVERGENCE if a body has tipped over in the step, which is no equilibrium of what the step began with. */
brn_status brn_bbi_lean_upright(const brn_bbi *bbi);
/* After an iteration of that length, and one before, which left that share of the error. */
void brn_bbi_lean_ease(brn_bbi *bbi, double length, double before, double shrunk);
/* What the springs take of the step n->step becomes part of the points' forces. */
void brn_bbi_lean_forces(brn_bbi *bbi);

/* ---- bbi_stick.c: no slip ---- */

/* Solves the contact problem of the chosen if all that carry force stick; *found: cone_r and cone_u are its solution. */
brn_status brn_bbi_stick(brn_bbi *bbi, bool *found);

/* ---- bbi_rest.c ---- */

enum { BRN_BBI_NONE_REST, BRN_BBI_SOME_REST, BRN_BBI_ALL_REST };

/* After a step without its projection: which bodies, bbi->apart, do nothing but turn round in every one; BRN_BBI_NONE_REST ... */
brn_status brn_bbi_rests(brn_bbi *bbi, const brn_state *out, int *rests);
/* brn_bbi_solve by (turning) implicit Euler. */
brn_status brn_bbi_solve_still(brn_bbi *bbi, const brn_state *in, double t, double h, brn_step_info *info);
/* These bodies get the end of such a step instead of their own; after all else has been booked. */
brn_status brn_bbi_rest(brn_bbi *bbi, const brn_state *in, double t, double h, brn_state *out,
                        brn_step_info *info);

/* ---- bbi_body.c: single bodies ---- */

typedef struct brn_bbi_sums {
    double kinetic, elastic, gravity; /* [J] */
    double creeping;    /* [J] of the elastic energy, what damping takes before it can move anything */
    double momentum[6]; /* [kg m/s], then [kg m^2/s] about the origin */
} brn_bbi_sums;

/* Of a body; mv: M v of the state, packed. */
brn_bbi_sums brn_bbi_measure(const brn_bbi *bbi, int b, const brn_state *state, const double *mv);
/* The books are those of a step that left bodies, bbi->apart, as they are in `out`: called with sign -1 before they are put elsewhere and
   with 1 after it, the books are right again. */
brn_status brn_bbi_rebook(brn_bbi *bbi, const brn_state *out, double sign, brn_books *books);

/* ---- bbi_impact.c: the impact projection ---- */

/* Changes the velocities of `out`, which has positions and velocities of the step; bbi->direction is what changed. */
brn_status brn_bbi_project(brn_bbi *bbi, const brn_state *in, brn_state *out, bool *projected);
/* force = A change (packed) in the metric of the last projection: H, or the mass in it where that gained energy. */
brn_status brn_bbi_resist(const brn_bbi *bbi, const double *change, double *force);

/* ---- bbi_groups.c: what impacts connect ---- */

/* Which bodies can move now. */
void brn_bbi_groups_bind(brn_bbi *bbi);
/* bbi->group and the points' by those that carry force. moving [nbody], may be NULL: what joins those that it touches though it is held. */
brn_status brn_bbi_groups_find(brn_bbi *bbi, const bool *moving);
/* [ngroup] [J] += what loads, weight and holds did in the step, with forces as they are. What contact does on holds goes to the groups of its points: several
   may touch one obstacle. booked: loads are means of the step, and holds what they supply, as brn_newton_book leaves them. */
brn_status brn_bbi_groups_work(const brn_bbi *bbi, bool booked, double *work);
/* [ngroup] [J] what the step took out so far: what was there and what was done, less what is there with velocities v [ndof]; and the sizes of its terms. */
brn_status brn_bbi_groups_measure(const brn_bbi *bbi, const brn_state *in, const brn_state *out,
                                  const double *v, double *taken, double *size);
/* [ngroup] [J] what a change of these velocities adds to the kinetic energies. */
brn_status brn_bbi_groups_gain(const brn_bbi *bbi, const double *v, const double *change, double *gain);

/* ---- bbi_guard.c: energy that a group gains ---- */

/* Once the step's forces are its means, and booked. */
brn_status brn_bbi_guard_begin(brn_bbi *bbi);
/* Once velocities are final. *any: bbi->apart has bodies, in those that come to rest, and out those whose groups gain energy too. */
brn_status brn_bbi_guard_end(brn_bbi *bbi, const brn_state *in, brn_state *out, bool *any);
/* The state after a step has the accounts of the one before, until they change. */
brn_status brn_bbi_guard_carry(const brn_state *in, brn_state *out);

/* ---- bbi_place.c ---- */

/* [m] How far the two sides of a contact went in a step, and its place. */
void brn_bbi_way(const brn_bbi *bbi, const brn_bbi_point *p, const brn_state *in, const brn_state *out,
                 double way[2][3], double place[3]);

/* ---- bbi_spin.c: angular momentum ---- */

brn_status brn_bbi_spin_create(brn_bbi *bbi);
/* Which bodies are held now. */
void brn_bbi_spin_bind(brn_bbi *bbi);
/* The change of velocities by forces (both packed) in the metric of H, at x [nnode][3], gets their moment; bbi->recoil is that of the change. */
brn_status brn_bbi_spin_project(brn_bbi *bbi, const double *x, const double *force, double *change);
/* Velocities of `out` get the angular momentum that the step's forces leave; after all else has been booked. */
brn_status brn_bbi_spin_settle(brn_bbi *bbi, const brn_state *in, brn_state *out, brn_books *books);

/* ---- bbi_flier.c: a body as a rigid one ---- */

brn_status brn_bbi_flier_create(brn_bbi *bbi);
/* At rest in shape, with the momenta of the elastic one; mv: M v of the state, packed. */
void brn_bbi_flier_take_off(const brn_bbi *bbi, int b, const brn_state *in, const double *mv,
                            brn_bbi_flight *out);
void brn_bbi_flier_fly(const brn_bbi *bbi, int b, double h, brn_bbi_flight *flight);
/* Places and, if wanted, velocities of a body's nodes, [nnode][3]. */
void brn_bbi_flier_put(const brn_bbi *bbi, int b, const brn_bbi_flight *at, double *pos, double *vel);
/* Whether it vibrates little enough; the energy that it would lose. What begins to turn stretches first: where that matters it is looked at
   for some steps, and until its vibration has been larger than it is. */
bool brn_bbi_flier_calm(const brn_bbi *bbi, int b, const brn_state *in, const double *mv, double h,
                        brn_bbi_flight *rigid, double *loss);

/* ---- bbi_flight.c: bodies in the air as rigid ones ---- */

brn_status brn_bbi_flight_create(brn_bbi *bbi);
/* Which bodies fly from the state on, and how far: *h becomes less where one meets an obstacle. *all: no other can move. */
brn_status brn_bbi_flight_begin(brn_bbi *bbi, const brn_state *in, double t, double *h, bool *all);
bool brn_bbi_flies(const brn_bbi *bbi, int body);
/* The whole step, if all fly. */
brn_status brn_bbi_flight_step(brn_bbi *bbi, const brn_state *in, double t, double h, brn_state *out,
                               brn_step_info *info);
/* Else those that fly have no part in the balance of the others: they go on, give Newton's method their way, are put where they are, and at
   last into the books. */
void brn_bbi_flight_go(brn_bbi *bbi, double h, brn_step_info *info);
void brn_bbi_flight_give(brn_bbi *bbi, const brn_state *in);
void brn_bbi_flight_put(const brn_bbi *bbi, brn_state *out);
brn_status brn_bbi_flight_book(brn_bbi *bbi, const brn_state *in, brn_state *out, brn_books *books);
brn_status brn_bbi_flight_remember(brn_bbi *bbi, const brn_step_info *info, brn_state *out);

/* ---- bbi_books.c: energies ---- */

typedef struct brn_bbi_books {
    double work;       /* [J] of contact before the projection */
    double held;       /* [J] of holds and obstacles then */
    double kinetic[2]; /* [J] then: of nodes, of rigid bodies that coast */
} brn_bbi_books;

/* Books energy that contact took. */
void brn_bbi_dissipate(const brn_state *in, double energy, brn_books *books);
/* Between a step's positions and velocities and its projection; after all else has been booked. */
brn_status brn_bbi_books_begin(brn_bbi *bbi, const brn_state *in, const brn_state *out, brn_bbi_books *books);
brn_status brn_bbi_books_end(brn_bbi *bbi, const brn_state *in, const brn_state *out,
                             const brn_bbi_books *books, brn_step_info *info);

#endif
