/* What the files of the patches share. */
#ifndef BRN_CONTACT_PATCHES_INNER_H
#define BRN_CONTACT_PATCHES_INNER_H

#include "contact/patches.h"
#include "geom/bvh.h"

#include <math.h>

/* What is nearer than this fraction of the size of a side or shape touches it: rounding alone would decide on which side. */
#define BRN_PATCHES_TOUCH 1e-9

/* A point with the ingredients of its area. */
typedef struct brn_patch_draft {
    brn_patch patch; /* area: a_p */
    double carry;    /* c_p */
    bool beside;     /* it is near a shape, but faces elsewhere: it covers none of the shape's face */
    bool wall;       /* so it is, but it has come in by that side */
    bool found;
} brn_patch_draft;

/* A vertex and a body that it may meet: a shape, or the sides pair[first] ... pair[end - 1]. */
typedef struct brn_patch_group {
    int point, body, first, end;
} brn_patch_group;

struct brn_patches {
    brn_ctx *ctx;
    const brn_skin *skin;
    /* Sides: edges in 2D, triangles in 3D. */
    int nside;
    const int *side;           /* [nside][dim] */
    int *at_first, *at;        /* sides at a node: at[at_first[node]] ... at[at_first[node + 1] - 1] */
    double (*vector)[3];       /* [nside] [m^2], in 2D [m]: outward normal times area, at positions x */
    int nshape, *shape;        /* bodies that have one */
    int nmeshed, *meshed;      /* sides of the bodies that have none */
    int nloose, *loose;        /* nodes of the skin's points that are of bodies that have none */
    brn_rigid_map *frame;      /* [nbody] of those, at positions x */
    double (*vector_ahead)[3]; /* the same at the positions ahead */
    bool *taking;              /* [nbody] takes part in a pair: its sides have their vectors; [nbody] room */
    brn_rigid_map *frame_ahead;
    const double *x, *ahead;
    brn_contact_reach reach;
    double depth;
    brn_bvh *points, *sides;        /* of all points; of meshed */
    brn_bvh *loose_points, *shapes; /* two shapes do not meet here */
    int old;                        /* how often trees have been refitted; 0: they are to be built */
    brn_box *box;                   /* room for the longest list */
    brn_bvh_pairs *pairs;
    brn_patch_group *group;
    int ngroup;
    size_t group_capacity;
    brn_patch_draft *draft;
    size_t draft_capacity;
    int ndraft, nshape_draft; /* those found; those against shapes come first */
    brn_patch *item;
    int count;
    size_t capacity;
};

/* The outward normal of a side at positions x, times its area. An edge has the solid on its left. */
void brn_patches_side_vector(const brn_patches *patches, int side, const double *x, double out[3]);
/* Area of the sides around a vertex that face along -n (sign -1) or n (sign 1); for sheets, both ways. */
double brn_patches_facing(const brn_patches *patches, int node, const double n[3], double sign);
/* Whether some side around a vertex faces against a normal of any length; for sheets, both ways. Round cores face everywhere. */
bool brn_patches_looks_against(const brn_patches *patches, int point, const double normal[3], bool sheet);
/* The common part of a point: body and nodes, the middle between the surfaces, the area of the vertex. */
void brn_patches_complete(const brn_patches *patches, int point, brn_patch *to);
/* The points of a vertex against a shape (patches_shape.c), and against the nearest of some sides (patches_nearest.c). */
void brn_patches_meet_shape(const brn_patches *patches, const brn_patch_group *group, brn_patch_draft *out);
void brn_patches_meet_sides(const brn_patches *patches, const brn_patch_group *group, brn_patch_draft *out);

typedef void (*brn_patches_meet_fn)(const brn_patches *patches, const brn_patch_group *group,
                                    brn_patch_draft *out);
/* A point that would close on the way to `later`, the patches at the positions ahead: if it has another normal there, along which it is
   outside now too, but for a hair, it becomes that one, with the gap that this has now (patches_pass.c). */
void brn_patches_pass(const brn_patches *now, const brn_patches *later, const brn_patch_group *group,
                      brn_patches_meet_fn meet, brn_patch_draft *draft);

/* [m] By which the faces of a shape go on beyond its edges: no less than those of the crossings, RIM sqrt(area) of a triangle. */
static inline double brn_patches_shape_rim(const brn_primitive *shape)
{
    const double size = fmax(shape->size[0], fmax(shape->size[1], shape->size[2]));
    return shape->kind == BRN_PRIMITIVE_BOX || shape->kind == BRN_PRIMITIVE_CYLINDER
               ? 1.5 * BRN_PATCHES_RIM * size
               : BRN_PATCHES_TOUCH * size;
}

/* [m] Gaps of a vertex and a body that matter, and depths. */
static inline double brn_patches_within(const brn_patches *patches, int point, int body)
{
    return brn_contact_reach_of(&patches->reach, patches->skin->node_body[point], body);
}

static inline double brn_patches_depth(const brn_patches *patches, int point, int body)
{
    return fmax(brn_patches_within(patches, point, body), patches->depth);
}

static inline bool brn_patches_has_shape(const brn_patches *patches, int body)
{
    return patches->skin->model->body[body].shape.primitive.kind != BRN_PRIMITIVE_NONE;
}

#endif
