/* What the parts of the solver share. */
#ifndef BRN_CONE_CONE_INNER_H
#define BRN_CONE_CONE_INNER_H

#include "base/arena.h"
#include "cone/cone.h"
#include "cone/cone_local.h"

/* A contact's own compliances, of its normal and the mean of its tangents. They turn impulses into velocities where the law
   compares the two. */
typedef struct brn_cone_own {
    double normal, tangent;
} brn_cone_own;

typedef struct brn_cone_work {
    brn_ctx *ctx;
    const brn_cone_problem *p;
    const brn_cone_options *options;
    brn_cone_report *report;
    brn_cone_memory *memory; /* NULL: none */
    brn_cone_block *block;   /* [contacts] */
    brn_cone_own *own;       /* [contacts] */
    double *r, *u;           /* [contacts][dim] now */
    double *best;            /* [contacts][dim] r with the smallest error so far, and that error */
    double best_relative;
    double *centre; /* [contacts][dim] of proximal problems */
    double scale;
} brn_cone_work;

/* ---- cone_error.c */

typedef enum brn_cone_state { BRN_CONE_OPEN, BRN_CONE_STICKS, BRN_CONE_SLIDES } brn_cone_state;

/* The law at one contact as the distance to a projection, all in the unit of u [Alart & Curnier 1991]: with w = own and x = w r_t - u_t,

       e_n = u_n - max(0, u_n - w_n r_n) = min(u_n, w_n r_n),    e_t = w r_t - (x, shortened to w mu max(0, r_n)).

   e = 0 is the law, for any w > 0. */
typedef struct brn_cone_miss {
    brn_cone_state state;
    double normal, tangent[2]; /* e */
    double pointer[2];         /* x over its length, where it slides */
    double share;              /* w mu r_n over the length of x, where it slides */
} brn_cone_miss;

brn_cone_miss brn_cone_miss_of(int dim, const brn_cone_own *own, double mu, const double *r, const double *u);
/* Slopes of e in r and u of a contact that is not open. With t = x / |x|, P = 1 - t t' and s = w mu r_n / |x|:

       both      de_n = du_n
       sticks    de_t = du_t
       slides    de_t = w (1 - s P) dr_t - w mu t dr_n + s P du_t */
typedef struct brn_cone_slope {
    double r[3][3], u[3][3];
} brn_cone_slope;

brn_cone_slope brn_cone_slope_of(int dim, const brn_cone_own *own, double mu, const brn_cone_miss *miss);

/* The law smoothed, for the first `size` components (1 without friction): 0 where, with rho = sqrt(u_n^2 + mu^2 |u_t|^2),

       e_n = r_n u_n - c,    e_t = rho r_t / mu + mu r_n u_t

   are, r_n > 0 and u_n > 0; the law itself is the limit c -> 0. */
void brn_cone_smooth_error(int size, double mu, double c, const double *r, const double *u, double e[3]);
brn_cone_slope brn_cone_smooth_slope(int size, double mu, const double *r, const double *u);
/* rho */
double brn_cone_smooth_speed(int size, double mu, const double *u);

/* u = W r. */
void brn_cone_product(brn_ctx *ctx, const brn_cone_problem *p, const double *r, double *u);
/* u = W r + q. */
void brn_cone_velocities(brn_ctx *ctx, const brn_cone_problem *p, const double *r, double *u);
/* The velocity of contact i, as above. */
void brn_cone_velocity(const brn_cone_problem *p, int i, const double *r, double *u);
/* The errors of r and u; all of report but counts of iterations and rounding. */
void brn_cone_measure(const brn_cone_work *w, const double *r, const double *u, brn_cone_report *report);
/* What rounding may leave of the velocities W r + q. */
double brn_cone_rounding(const brn_cone_problem *p, const double *r);

/* ---- cone_solve.c */

/* Measures w->r, with w->u, and keeps it if it is the best; true: it is good enough. */
bool brn_cone_judge(brn_cone_work *w);

/* ---- cone_newton.c, cone_path.c */

/* Of their dense matrices, which take 512 MB then. */
enum { BRN_CONE_UNKNOWNS_MAX = 8000 };

/* From r, towards the solution of the problem whose diagonal is softened by a multiple of the own compliances, pulled to a centre; *solved: it
   was reached. r is what came nearest to it, and u belongs to r in the problem as it is. */
brn_status brn_cone_newton(brn_cone_work *w, double soft, const double *centre, bool *solved);

/* From a start of its own along the path to the solution; r is its end, with its u, and the best on the way is kept. */
brn_status brn_cone_path(brn_cone_work *w);

#endif
