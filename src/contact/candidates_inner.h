/* What the files of the candidates share. */
#ifndef BRN_CONTACT_CANDIDATES_INNER_H
#define BRN_CONTACT_CANDIDATES_INNER_H

#include "contact/candidates.h"
#include "geom/bvh.h"

/* Lists of parts, each with its tree. */
enum { BRN_POINTS, BRN_EDGES, BRN_TRIS, BRN_LONE_POINTS, BRN_LONE_EDGES, BRN_LONE_ENDS, BRN_PART_LISTS };

typedef struct brn_part_list {
    int count, width;
    const int *node; /* [count][width] */
    brn_bvh *tree;
    /* Those to search again, ascending, with a tree of their own. */
    int nfresh, *fresh; /* [count] */
    brn_bvh *fresh_tree;
} brn_part_list;

/* Which lists meet as which kind, in the order of the candidates. */
typedef struct brn_pairing {
    brn_touch kind;
    int dim; /* 0: both */
    int first, second;
} brn_pairing;

enum { BRN_PAIRINGS = 6 };
extern const brn_pairing brn_pairings[BRN_PAIRINGS];

struct brn_candidates {
    brn_ctx *ctx;
    const brn_skin *skin;
    brn_part_list list[BRN_PART_LISTS];
    brn_box *box, *fresh_box; /* room for the longest list */
    brn_bvh_pairs *pairs;
    brn_candidate *item;   /* pairs of parts, then half-spaces */
    double *apart;         /* as in brn_candidate_view; 0 for half-spaces */
    uint64_t *key;         /* [npair] numbers of the parts, first << 32 | second */
    int end[BRN_PAIRINGS]; /* of each pairing's pairs */
    int npair, count;
    int npair_first; /* pairs at the last complete search */
    double most;     /* longest motion of a node then, in its lengths */
    size_t capacity, apart_capacity, key_capacity, box_capacity, fresh_box_capacity;
    uint64_t *fresh, *temp; /* keys of new pairs */
    size_t fresh_capacity, temp_capacity;
    /* The pairs are valid for nodes between lo and hi and for distances up to this; negative: not found yet. */
    double distance;
    /* [m] the smallest distance that matters to a body: boxes of others are larger by half of what is more */
    double least;
    double (*lo)[3], (*hi)[3]; /* [nnode] */
    double (*reference)[3];    /* [nnode] where apart was measured */
    double largest;            /* [m] coordinates between lo and hi may grow to twice this */
    double (*moved)[4], (*step)[4];
    double *length;       /* [nnode] [m] of the shortest edge at a node, or the mean of all edges if less */
    unsigned char *grown; /* [nnode] lo or hi was moved */
    double *part;         /* results of the blocks of a loop over points */
};

enum { BRN_CANDIDATE_POINTS = 1024 }; /* points of one parallel block */

/* How a motion's spare lengths are chosen. */
typedef struct brn_spare_rule {
    const double *x0, *x1;
    double most; /* longest motion of a node, in its lengths */
    double share;
    bool fast;
} brn_spare_rule;

brn_spare_rule brn_candidates_rule(brn_candidates *c, const double *x0, const double *x1);
/* Makes every node's room anew. */
void brn_candidates_make_room(brn_candidates *c, const brn_spare_rule *rule);
/* Widens the room of nodes outside of it, if they are few and stay within bounds; else the rooms are of no use any more. */
bool brn_candidates_grow_room(brn_candidates *c, const brn_spare_rule *rule);

/* Finds all pairs between lo and hi within the distance. */
brn_status brn_candidates_list(brn_candidates *c, double distance);
/* Adds the unlisted pairs of parts with a grown node, within the same distance. */
brn_status brn_candidates_extend(brn_candidates *c, double distance);

#endif
