/* The contact problem without slip by active sets, as in section 3: what is active neither moves nor leaves, what pulls is released, what
   penetrates comes back. A point that pulls where it sticks and penetrates where it is free would do so for ever: back for the second time, it bears but
   slips. Sets change as a whole while that helps, and then by their worst point alone. Where no set is right, it is for the cone solver. */
#include "step/bbi/bbi.h"

#include "base/arena.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

/* Rounds, and of these the ones that change whole sets. */
enum { ROUNDS = 60, WHOLE = 20 };
/* Releases after which a point slips. */
enum { RELEASES = 2 };

/* Of the worst point: others that are as wrong change with it, so that what is symmetric stays so. */
static const double EQUAL = 0.999;

enum { OPEN, STICKS, SLIPS };

typedef struct sets {
    const brn_bbi *bbi;
    unsigned char *side;     /* [chosen] OPEN ... */
    unsigned char *released; /* [chosen] how often */
    int n;                   /* active components */
    int *active;             /* [n] of all components of the chosen */
    double *matrix, *r;      /* [n][n], [n] */
} sets;

static const double *block_of(const brn_bbi *bbi, int i, int j)
{
    const size_t dim = (size_t)bbi->model->dim;
    return &bbi->cone_w[((size_t)i * (size_t)bbi->nchosen + (size_t)j) * dim * dim];
}

static double entry(const brn_bbi *bbi, int row, int column)
{
    const int dim = bbi->model->dim;
    return block_of(bbi, row / dim, column / dim)[row % dim * dim + column % dim];
}

/* The forces of the active set: W r = -q there. false: it is not positive definite. */
static bool solve(sets *s)
{
    const brn_bbi *bbi = s->bbi;
    const int one = 1;
    int info = 0;
    for (int b = 0; b < s->n; ++b) {
        for (int a = b; a < s->n; ++a) {
            s->matrix[(size_t)b * (size_t)s->n + (size_t)a] = entry(bbi, s->active[a], s->active[b]);
        }
        s->r[b] = -bbi->cone_q[s->active[b]];
    }
    if (s->n > 0) {
        const brn_blas_threads before = brn_blas_begin();
        dpotrf_("L", &s->n, s->matrix, &s->n, &info);
        if (info == 0) {
            dtrsv_("L", "N", "N", &s->n, s->matrix, &s->n, s->r, &one);
            dtrsv_("L", "T", "N", &s->n, s->matrix, &s->n, s->r, &one);
        }
        brn_blas_end(before);
    }
    return info == 0;
}

/* cone_r and cone_u of all chosen. */
static void spread(const sets *s)
{
    const brn_bbi *bbi = s->bbi;
    const int rows = bbi->nchosen * bbi->model->dim;
    memset(bbi->cone_r, 0, (size_t)rows * sizeof *bbi->cone_r);
    memcpy(bbi->cone_u, bbi->cone_q, (size_t)rows * sizeof *bbi->cone_u);
    for (int a = 0; a < s->n; ++a) {
        bbi->cone_r[s->active[a]] = s->r[a];
    }
    for (int row = 0; row < rows; ++row) {
        for (int a = 0; a < s->n; ++a) {
            bbi->cone_u[row] += entry(bbi, row, s->active[a]) * s->r[a];
        }
    }
    for (int a = 0; a < s->n; ++a) {
        bbi->cone_u[s->active[a]] = 0.0;
    }
}

/* How wrong it is that point i is where it is, in metres; 0: it is right. */
static double wrong(const sets *s, int i)
{
    const brn_bbi *bbi = s->bbi;
    const int dim = bbi->model->dim;
    return fmax(0.0,
                s->side[i] != OPEN ? -bbi->cone_r[i * dim] * block_of(bbi, i, i)[0] : -bbi->cone_u[i * dim]);
}

static void list_active(sets *s)
{
    const int dim = s->bbi->model->dim;
    s->n = 0;
    for (int i = 0; i < s->bbi->nchosen; ++i) {
        for (int k = 0; k < (s->side[i] == STICKS ? dim : s->side[i] == SLIPS ? 1 : 0); ++k) {
            s->active[s->n++] = i * dim + k;
        }
    }
}

/* Changes sides; returns how many points do. */
static int change(sets *s, bool whole)
{
    const int n = s->bbi->nchosen;
    double most = 0.0;
    int count = 0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, wrong(s, i));
    }
    for (int i = 0; i < n; ++i) {
        const double here = wrong(s, i);
        if (!(here > 0.0) || (!whole && here < EQUAL * most)) {
            continue;
        }
        ++count;
        if (s->side[i] != OPEN) {
            s->side[i] = OPEN;
            s->released[i] += s->released[i] < RELEASES;
        } else {
            s->side[i] = s->released[i] < RELEASES ? STICKS : SLIPS;
        }
    }
    list_active(s);
    return count;
}

static bool within_cones(const brn_bbi *bbi)
{
    const int dim = bbi->model->dim;
    bool all = true;
    for (int i = 0; i < bbi->nchosen && all; ++i) {
        const double *r = &bbi->cone_r[i * dim];
        all = hypot(r[1], dim == 3 ? r[2] : 0.0) <= bbi->cone_mu[i] * r[0];
    }
    return all;
}

static brn_status search(sets *s, bool *found)
{
    const brn_bbi *bbi = s->bbi;
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const size_t rows = (size_t)bbi->nchosen * (size_t)bbi->model->dim;
    BRN_TAKE(arena, s->side, bbi->nchosen);
    BRN_TAKE(arena, s->released, bbi->nchosen);
    BRN_TAKE(arena, s->active, rows);
    BRN_TAKE(arena, s->matrix, rows * rows);
    BRN_TAKE(arena, s->r, rows);
    memset(s->side, STICKS, (size_t)bbi->nchosen);
    memset(s->released, 0, (size_t)bbi->nchosen);
    list_active(s);
    bool more = true;
    for (int round = 0; round < ROUNDS && more; ++round) {
        BRN_TRY(brn_ctx_check(bbi->ctx));
        if (!solve(s)) {
            return BRN_OK;
        }
        spread(s);
        more = change(s, round < WHOLE) > 0;
    }
    *found = !more && within_cones(bbi);
    return BRN_OK;
}

brn_status brn_bbi_stick(brn_bbi *bbi, bool *found)
{
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    sets s = {.bbi = bbi};
    *found = false;
    BRN_TRY(brn_blas_reserve(bbi->ctx));
    const brn_status status = search(&s, found);
    brn_arena_rewind(arena, mark);
    return status;
}
