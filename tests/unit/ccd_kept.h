/* What additive CCD promises, checked with 512 bits: on all of [0, t] the distance is at least
   dmin + keep (d0 - dmin). Distances are exact to 1e-100 of the coordinates. Between two instants the distance changes by no
   more than the fastest vertex of the difference of the two sides (geom/difference.h) moves, so an interval is proved by the
   distance at its middle, and halved where that is not enough. */
#ifndef BRN_TESTS_UNIT_CCD_KEPT_H
#define BRN_TESTS_UNIT_CCD_KEPT_H

#include "ccd_queries.h"

#include <gmp.h>

enum { KEPT_BITS = 512 };

typedef struct kept {
    int pair, count;
    mpf_t a[4][3], v[4][3];                   /* vertices at t = 0, their motion */
    mpf_t r[4][3], e[2][3], n[3], m[3], c[3]; /* work */
    mpf_t s[6], d0, wanted, least;
    double speed; /* of the fastest vertex, rounded up */
    double size;  /* largest difference of two nodes at t = 0 */
    long looks;
} kept;

static inline void kept_each(kept *k, bool clear)
{
    mpf_t *const lists[] = {k->a[0], k->v[0], k->r[0], k->e[0], k->n, k->m, k->c, k->s};
    static const int counts[] = {12, 12, 12, 6, 3, 3, 3, 6};
    for (int i = 0; i < 8; ++i) {
        for (int j = 0; j < counts[i]; ++j) {
            if (clear) {
                mpf_clear(lists[i][j]);
            } else {
                mpf_init2(lists[i][j], KEPT_BITS);
            }
        }
    }
    mpf_t *const single[] = {&k->d0, &k->wanted, &k->least};
    for (int i = 0; i < 3; ++i) {
        if (clear) {
            mpf_clear(*single[i]);
        } else {
            mpf_init2(*single[i], KEPT_BITS);
        }
    }
}

static inline void kept_dot(kept *k, const mpf_t a[3], const mpf_t b[3], mpf_t out)
{
    mpf_mul(out, a[0], b[0]);
    for (int i = 1; i < 3; ++i) {
        mpf_mul(k->s[5], a[i], b[i]);
        mpf_add(out, out, k->s[5]);
    }
}

static inline void kept_cross(kept *k, const mpf_t a[3], const mpf_t b[3], mpf_t out[3])
{
    for (int i = 0; i < 3; ++i) {
        mpf_mul(out[i], a[(i + 1) % 3], b[(i + 2) % 3]);
        mpf_mul(k->s[5], a[(i + 2) % 3], b[(i + 1) % 3]);
        mpf_sub(out[i], out[i], k->s[5]);
    }
}

/* least <- squared distance of the segment from r[i] to r[j] if that is less */
static inline void kept_edge(kept *k, int i, int j)
{
    for (int x = 0; x < 3; ++x) {
        mpf_sub(k->e[0][x], k->r[j][x], k->r[i][x]);
        mpf_set(k->c[x], k->r[i][x]);
    }
    kept_dot(k, k->r[i], k->e[0], k->s[0]);
    kept_dot(k, k->e[0], k->e[0], k->s[1]);
    mpf_neg(k->s[0], k->s[0]);
    if (mpf_sgn(k->s[0]) > 0 && mpf_sgn(k->s[1]) > 0) {
        mpf_div(k->s[0], k->s[0], k->s[1]);
        if (mpf_cmp_ui(k->s[0], 1) > 0) {
            mpf_set_ui(k->s[0], 1);
        }
        for (int x = 0; x < 3; ++x) {
            mpf_mul(k->s[1], k->s[0], k->e[0][x]);
            mpf_add(k->c[x], k->c[x], k->s[1]);
        }
    }
    kept_dot(k, k->c, k->c, k->s[0]);
    if (mpf_sgn(k->least) < 0 || mpf_cmp(k->s[0], k->least) < 0) {
        mpf_set(k->least, k->s[0]);
    }
}

/* least <- squared distance of the face if its foot is inside */
static inline void kept_face(kept *k)
{
    for (int x = 0; x < 3; ++x) {
        mpf_sub(k->e[0][x], k->r[1][x], k->r[0][x]);
        mpf_sub(k->e[1][x], k->r[2][x], k->r[0][x]);
    }
    kept_cross(k, k->e[0], k->e[1], k->n);
    kept_dot(k, k->n, k->n, k->s[0]);
    kept_cross(k, k->e[1], k->n, k->m);
    kept_dot(k, k->r[0], k->m, k->s[1]);
    mpf_neg(k->s[1], k->s[1]); /* u N.N */
    kept_cross(k, k->n, k->e[0], k->m);
    kept_dot(k, k->r[0], k->m, k->s[2]);
    mpf_neg(k->s[2], k->s[2]); /* v N.N */
    mpf_add(k->s[3], k->s[1], k->s[2]);
    const bool inside = k->pair == PAIR_TRIANGLE
                            ? mpf_cmp(k->s[3], k->s[0]) < 0
                            : mpf_cmp(k->s[1], k->s[0]) < 0 && mpf_cmp(k->s[2], k->s[0]) < 0;
    if (inside && mpf_sgn(k->s[1]) > 0 && mpf_sgn(k->s[2]) > 0 && mpf_sgn(k->s[0]) > 0) {
        kept_dot(k, k->r[0], k->n, k->s[1]);
        mpf_mul(k->s[1], k->s[1], k->s[1]);
        mpf_div(k->s[1], k->s[1], k->s[0]);
        if (mpf_cmp(k->s[1], k->least) < 0) {
            mpf_set(k->least, k->s[1]);
        }
    }
}

/* least <- the distance at t */
static inline void kept_distance(kept *k, double t)
{
    mpf_set_d(k->s[4], t);
    for (int i = 0; i < k->count; ++i) {
        for (int x = 0; x < 3; ++x) {
            mpf_mul(k->r[i][x], k->v[i][x], k->s[4]);
            mpf_add(k->r[i][x], k->r[i][x], k->a[i][x]);
        }
    }
    mpf_set_si(k->least, -1);
    kept_edge(k, 0, k->count > 1 ? 1 : 0);
    if (k->pair == PAIR_TRIANGLE) {
        kept_edge(k, 1, 2);
        kept_edge(k, 0, 2);
        kept_face(k);
    } else if (k->pair == PAIR_EDGES) {
        kept_edge(k, 2, 3);
        kept_edge(k, 0, 2);
        kept_edge(k, 1, 3);
        kept_face(k);
    }
    mpf_sqrt(k->least, k->least);
}

static inline void kept_init(kept *k, const ccd_query *q)
{
    kept_each(k, false);
    k->pair = q->pair;
    k->count = q->pair + 1;
    k->speed = k->size = 0.0;
    k->looks = 0;
    for (int i = 0; i < k->count; ++i) {
        const int plus = q->pair == PAIR_EDGES ? (i & 1) : 0,
                  minus = q->pair == PAIR_EDGES ? 2 + (i >> 1) : i + 1;
        for (int x = 0; x < 3; ++x) {
            mpf_set_d(k->a[i][x], q->x0[plus][x]);
            mpf_set_d(k->s[0], q->x0[minus][x]);
            mpf_sub(k->a[i][x], k->a[i][x], k->s[0]);
            mpf_set_d(k->v[i][x], q->x1[plus][x]);
            mpf_set_d(k->s[0], q->x1[minus][x]);
            mpf_sub(k->v[i][x], k->v[i][x], k->s[0]);
            mpf_sub(k->v[i][x], k->v[i][x], k->a[i][x]);
        }
        kept_dot(k, k->v[i], k->v[i], k->s[0]);
        mpf_sqrt(k->s[0], k->s[0]);
        k->speed = fmax(k->speed, mpf_get_d(k->s[0]) * (1.0 + 1e-12));
        kept_dot(k, k->a[i], k->a[i], k->s[0]);
        mpf_sqrt(k->s[0], k->s[0]);
        k->size = fmax(k->size, mpf_get_d(k->s[0]));
    }
    kept_distance(k, 0.0);
    mpf_set(k->d0, k->least);
}

static inline void kept_clear(kept *k)
{
    kept_each(k, true);
}

/* d0 - dmin; sets what is wanted. */
static inline double kept_gap(kept *k, double dmin, double keep)
{
    mpf_set_d(k->s[0], dmin);
    mpf_sub(k->s[1], k->d0, k->s[0]);
    mpf_set_d(k->wanted, keep);
    mpf_mul(k->wanted, k->wanted, k->s[1]);
    mpf_add(k->wanted, k->wanted, k->s[0]);
    return mpf_get_d(k->s[1]);
}

/* What the distance at t exceeds the wanted one by. */
static inline double kept_excess(kept *k, double t)
{
    kept_distance(k, t);
    mpf_sub(k->s[0], k->least, k->wanted);
    return mpf_get_d(k->s[0]);
}

/* Wanted distance kept on [from, to]? 1: yes, -1: no, 0: not settled within `looks` distances. */
static inline int kept_on(kept *k, double from, double to, long looks)
{
    const double middle = 0.5 * (from + to), excess = kept_excess(k, middle);
    if (excess < 0.0) {
        return -1;
    }
    if (excess >= 0.5 * (to - from) * k->speed * (1.0 + 1e-12)) {
        return 1;
    }
    if (++k->looks > looks || !(middle > from && middle < to)) {
        return 0;
    }
    const int left = kept_on(k, from, middle, looks);
    return left == 1 ? kept_on(k, middle, to, looks) : left;
}

#endif
