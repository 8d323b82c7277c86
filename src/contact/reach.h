/* How far points are looked for. */
#ifndef BRN_CONTACT_REACH_H
#define BRN_CONTACT_REACH_H

typedef struct brn_contact_reach {
    const double *ahead; /* [nnode][3] [m] where nodes go on to */
    const double *body;  /* [nbody] [m] gaps of a body that matter; a pair has the sum of both */
    const double *own;   /* [nbody] [m] gaps between its own parts that matter */
} brn_contact_reach;

/* [m] Gaps between two bodies, or parts of one, that matter. */
static inline double brn_contact_reach_of(const brn_contact_reach *reach, int a, int b)
{
    return a == b ? reach->own[a] : reach->body[a] + reach->body[b];
}

#endif
