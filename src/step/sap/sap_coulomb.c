/* Coulomb's law: friction is bounded by mu times the normal impulse, and what slides does not rise. It is no gradient of a cost. With the
   bounds given there is one (law `lagged` of sap_law.c), and the solution of that problem gives new bounds; far from the solution this is
   repeated. Near it Newton's method on the law itself converges at once: its matrix

       A + J' (G + N) J,    N = mu t e_n' / R_n for what slides along t,

   is that of the convex problem and a term without symmetry, so that the convex problem's factor is a good preconditioner for GMRES
   [Saad & Schultz 1986]. */
#include "step/sap/sap_inner.h"

#include "base/arena.h"

#include <math.h>
#include <string.h>

/* Optimality below which Newton's method on the law is tried: from the start, where the active set is often right already, and later.
   Convex problems are solved to NEAR before bounds are renewed. */
static const double START = 0.5;
static const double FAR = 0.1;
static const double NEAR = 0.01;
/* A Newton step, halved at most so often, must take this share of it off the unbalanced impulse; it is solved for to INEXACT. */
enum { HALVINGS = 2 };
static const double GAIN = 0.5;
static const double INEXACT = 0.03;
/* Renewals before bounds go half of the way, against cycles, and in all. */
enum { RENEWALS_PLAIN = 10, RENEWALS_MAX = 50 };

/* ---- Newton's method on the law --------------------------------------------------------------------------------------------- */

/* Whether friction of a constraint is at its bound, up to rounding. */
static bool slides(const brn_sap_constraint *c, const double *y)
{
    const double slip = c->rows == 3 ? sqrt(y[0] * y[0] + y[1] * y[1]) : fabs(y[0]);
    return c->kind == BRN_SAP_CONTACT && slip > 0.0 && slip >= c->most * (1.0 - 1e-12);
}

bool brn_sap_slides(const brn_sap_work *w)
{
    bool any = false;
    for (int i = 0; i < w->p->nconstraint && !any; ++i) {
        any = slides(&w->p->constraint[i], &w->impulse[3 * i]);
    }
    return any;
}

/* out = J' N J d, 0 where fixed. */
static void apply_skew(brn_sap_work *w, const double *d, double *out)
{
    const brn_sap_problem *p = w->p;
    brn_sap_apply_all(w, d, w->dvc);
    for (int i = 0; i < p->nconstraint; ++i) {
        const brn_sap_constraint *c = &p->constraint[i];
        const double *y = &w->impulse[3 * i];
        double *q = &w->dvc[3 * i];
        const int n = c->rows - 1;
        const double closing = q[n];
        /* the direction is that of the impulse, which is as long as the bound */
        const double pull = slides(c, y) ? c->mu * closing / (c->r * c->most) : 0.0;
        for (int r = 0; r < 3; ++r) {
            q[r] = r < n ? pull * y[r] : 0.0;
        }
    }
    brn_sap_apply_back(w, w->dvc, out);
    memset(out, 0, (size_t)w->first * sizeof *out);
    for (int dof = w->first; dof < w->n; ++dof) {
        out[dof] = w->weight[dof] > 0.0 ? out[dof] : 0.0;
    }
}

static double dot(const brn_sap_work *w, const double *x, const double *y)
{
    double sum = 0.0;
    for (int dof = w->first; dof < w->n; ++dof) {
        sum += w->weight[dof] * x[dof] * y[dof];
    }
    return sum;
}

static void add(const brn_sap_work *w, double factor, const double *x, double *y)
{
    for (int dof = w->first; dof < w->n; ++dof) {
        y[dof] += factor * x[dof];
    }
}

static void scale(const brn_sap_work *w, double factor, const double *x, double *y)
{
    for (int dof = w->first; dof < w->n; ++dof) {
        y[dof] = factor * x[dof];
    }
}

/* The next vector of an orthonormal basis, and its column of the Hessenberg matrix. */
static brn_status extend(brn_sap_work *w, int k, double *column)
{
    const double *last = w->basis + (size_t)k * (size_t)w->n;
    double *next = w->basis + (size_t)(k + 1) * (size_t)w->n;
    apply_skew(w, last, next);
    BRN_TRY(brn_factor_solve(w->solver->factor, next, next));
    add(w, 1.0, last, next);
    for (int j = 0; j <= k; ++j) {
        const double *old = w->basis + (size_t)j * (size_t)w->n;
        column[j] = dot(w, old, next);
        add(w, -column[j], old, next);
    }
    column[k + 1] = sqrt(dot(w, next, next));
    if (column[k + 1] > 0.0) {
        scale(w, 1.0 / column[k + 1], next, next);
    }
    return BRN_OK;
}

/* w->step, from the convex problem's direction to that of the law: (1 + S^-1 J' N J) step = S^-1 (-gradient) by GMRES. */
static brn_status bend_step(brn_sap_work *w)
{
    enum { MOST = BRN_SAP_KRYLOV_MAX };
    double column[MOST][MOST + 1];
    double cosine[MOST];
    double sine[MOST];
    double right[MOST + 1] = {0.0};
    const double start = sqrt(dot(w, w->step, w->step));
    int count = 0;
    if (!(start > 0.0) || !brn_sap_slides(w)) {
        return BRN_OK;
    }
    memset(w->basis, 0, (size_t)w->first * sizeof *w->basis);
    scale(w, 1.0 / start, w->step, w->basis);
    right[0] = start;
    while (count < MOST && fabs(right[count]) > INEXACT * start) {
        const int k = count++;
        double *h = column[k];
        BRN_TRY(extend(w, k, h));
        for (int j = 0; j < k; ++j) { /* rotations make it a triangle */
            const double upper = h[j];
            h[j] = cosine[j] * upper + sine[j] * h[j + 1];
            h[j + 1] = cosine[j] * h[j + 1] - sine[j] * upper;
        }
        const double length = hypot(h[k], h[k + 1]);
        cosine[k] = h[k] / length;
        sine[k] = h[k + 1] / length;
        h[k] = length;
        right[k + 1] = -sine[k] * right[k];
        right[k] *= cosine[k];
    }
    memset(w->step, 0, (size_t)w->n * sizeof *w->step);
    for (int k = count - 1; k >= 0; --k) {
        for (int j = k + 1; j < count; ++j) {
            right[k] -= column[j][k] * right[j];
        }
        right[k] /= column[k][k];
        add(w, right[k], w->basis + (size_t)k * (size_t)w->n, w->step);
    }
    return BRN_OK;
}

static brn_status take(brn_sap_work *w)
{
    brn_arena *arena = brn_ctx_arena(w->solver->ctx);
    if (w->basis == NULL) {
        BRN_TAKE(arena, w->kept, 4 * (size_t)w->n + 1);
        BRN_TAKE(arena, w->basis, (BRN_SAP_KRYLOV_MAX + 1) * (size_t)w->n + 1);
    }
    return BRN_OK;
}

/* A step of Newton's method at v, renewed bounds there; *nearer: it has gained enough. If not, v is as it was, and w->step the convex
   problem's direction with those bounds. */
static brn_status step_on_law(brn_sap_work *w, bool *nearer)
{
    double *const vectors[] = {w->v, w->smooth, w->momentum};
    const size_t n = (size_t)w->n;
    const double before = w->left;
    BRN_TRY(take(w));
    for (int k = 0; k < 3; ++k) {
        memcpy(w->kept + (size_t)k * n, vectors[k], n * sizeof *w->kept);
    }
    BRN_TRY(brn_sap_direct(w));
    memcpy(w->kept + 3 * n, w->step, n * sizeof *w->kept);
    double *const was = brn_stopwatch_switch(w->watch, &w->watch->phases.solve);
    BRN_TRY(bend_step(w));
    (void)brn_stopwatch_switch(w->watch, was);
    BRN_TRY(brn_block_matrix_multiply(w->p->a, w->step, w->curve));
    double share = 1.0;
    brn_sap_move(w, share);
    for (int k = 0;; ++k) {
        BRN_TRY(brn_sap_look(w, BRN_SAP_BOUNDS_RENEWED));
        *nearer = w->left <= (1.0 - GAIN * share) * before;
        if (*nearer || k == HALVINGS) {
            break;
        }
        share *= 0.5;
        brn_sap_move(w, -share);
    }
    if (*nearer) {
        return BRN_OK;
    }
    for (int k = 0; k < 3; ++k) {
        memcpy(vectors[k], w->kept + (size_t)k * n, n * sizeof *w->kept);
    }
    memcpy(w->step, w->kept + 3 * n, n * sizeof *w->kept);
    return brn_sap_look(w, BRN_SAP_BOUNDS_RENEWED);
}

/* Newton's method on the law, if the start is not too far; *done: to the tolerance. If not, v is the best so far and w->step a direction of
   descent there, unless it was not tried. */
static brn_status chase(brn_sap_work *w, double far, bool *tried, bool *done)
{
    *tried = w->result->optimality > w->goal->tolerance && w->result->optimality <= far;
    *done = w->result->optimality <= far;
    while (w->result->optimality > w->goal->tolerance && *done) {
        BRN_TRY(step_on_law(w, done));
    }
    return BRN_OK;
}

/* ---- bounds ----------------------------------------------------------------------------------------------------------------- */

/* Bounds half-way between those of the last convex problem and those that it gave. */
static void halve_bounds(const brn_sap_work *w, const double *last)
{
    for (int i = 0; i < w->p->nconstraint; ++i) {
        brn_sap_constraint *c = &w->p->constraint[i];
        c->most = c->kind == BRN_SAP_CONTACT ? 0.5 * (fmax(last[i], 0.0) + c->most) : c->most;
    }
}

static void keep_bounds(const brn_sap_work *w, double *last)
{
    for (int i = 0; i < w->p->nconstraint; ++i) {
        last[i] = w->p->constraint[i].most;
    }
}

brn_status brn_sap_solve_coulomb(brn_sap_work *w)
{
    const double wanted = w->goal->tolerance;
    double *last = NULL;
    bool tried = false;
    bool done = false;
    BRN_TAKE(brn_ctx_arena(w->solver->ctx), last, w->p->nconstraint + 1);
    BRN_TRY(brn_sap_look(w, BRN_SAP_BOUNDS_RENEWED));
    BRN_TRY(chase(w, START, &tried, &done));
    if (done) {
        return BRN_OK;
    }
    /* the convex law gives the first bounds: those at the start may be anything */
    BRN_TRY(brn_sap_solve_convex(w, BRN_SAP_BOUNDS_CONE, FAR));
    for (;; w->result->renewals++) {
        BRN_TRY(brn_sap_look(w, BRN_SAP_BOUNDS_RENEWED));
        BRN_TRY(chase(w, FAR, &tried, &done));
        if (done) {
            return BRN_OK;
        }
        const bool plain = w->result->renewals < RENEWALS_PLAIN;
        if (!plain) {
            halve_bounds(w, last);
        } else if (tried) {
            BRN_TRY(brn_sap_descend(w));
        }
        keep_bounds(w, last);
        BRN_TRY(brn_sap_solve_convex(w, BRN_SAP_BOUNDS_GIVEN, plain ? fmax(NEAR, wanted) : wanted));
        if (w->result->renewals >= RENEWALS_MAX) {
            return BRN_OK; /* bounds as given, within what cycles leave open */
        }
    }
}
