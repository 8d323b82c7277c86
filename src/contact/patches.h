/* Contact points for methods that allow penetration. Each stands for a patch of surface, so that a pressure times its area is a
   force that does not depend on the mesh.

   Points are the vertices of surfaces that come near another body, one for each vertex and body:
   - against a body with a shape, by the signed distance of the shape, at any depth;
   - against the surface of a body with a mesh, its own included, by the nearest place on it. The side of the nearest face
     tells outside from inside, so a vertex must not be deeper than half of what it is in. Sheets have no inside: they are as
     thick as their radius says.
   A shape's own corners, and the centres of round ones, also meet meshes where no vertex of the mesh meets the shape. Two
   shapes do not meet here.

   Area. A vertex has a third (in 2D half) of the sides around it, as far as they face the other body: projected along the normal.
   So a flat face on a plane has its own area, upright sides have none, and pressures on a curved face add up to the right
   force. Where two meshes see each other the surface would be counted from both sides. With a_p the area of a vertex and a_f
   that of the nodes of the face it meets, averaged by the weights of the nearest place, a vertex can carry the share
   c_p = min(1, a_f / a_p) of its patch; the other side carries the mean of the c_k of the face's nodes, as far as they are
   points against the vertex's body, and

       area = a_p c_p (1 - 1/2 sum_k w_k c_k)

   gives a common flat face its area, whatever the two meshes: a coarse one with c = r has r / 2 of it, a fine one (1 - r / 2). */
#ifndef BRN_CONTACT_PATCHES_H
#define BRN_CONTACT_PATCHES_H

#include "contact/lever.h"
#include "contact/reach.h"

/* A face goes on beyond its rim by this fraction of its size for vertices that face it: of two stones with a common joint the corners
   meet, and which of them is outside by a hair, and where the nearest place is seen from there, must not matter. */
#define BRN_PATCHES_RIM 1e-3

typedef struct brn_patch {
    int body[2];      /* of the vertex; of the face or shape */
    int node[4];      /* the vertex, then the face's (2D: two); -1: none, as for a shape */
    double weight[4]; /* 1, then minus the weights of the nearest place of the face */
    double normal[3]; /* unit, out of body[1] */
    double gap;       /* [m] along the normal; below 0: penetration depth */
    double place[3];  /* [m] middle between the two surfaces */
    double area;      /* [m^2], in 2D [m]; 0 where the surface does not face the other body */
    bool bears; /* it faces it, and no other point is as near in its place: false, and it can be left out */
} brn_patch;

typedef struct brn_patches brn_patches;

brn_status brn_patches_create(brn_ctx *ctx, const brn_skin *skin, brn_patches **out);
void brn_patches_destroy(brn_patches *patches);
/* All points at positions x, [nnode][3], whose gap is below the reach of the two bodies and, against meshes, above minus the larger of that
   and depth >= 0 [m]. In the order of vertices and bodies, those against shapes first. Valid until the next find; after a failure there are
   none. A vertex that passes a rim on its way ahead, as that of two blocks side by side, has the point of where it arrives, not one of the
   wall that it is nearest to now. */
brn_status brn_patches_find(brn_patches *patches, const double *x, const brn_contact_reach *reach,
                            double depth);
/* Whether a vertex is the centre of something round, or of its ends, and not part of a surface. */
bool brn_patches_is_core(const brn_patches *patches, int node);
int brn_patches_count(const brn_patches *patches);
const brn_patch *brn_patches_get(const brn_patches *patches);
/* A point in terms of nodes that have dofs or are held: each side acts at its surface. first: how many of its nodes are on the first
   side, 1 for a vertex, 2 for an edge of contact/crossings.h. */
void brn_patch_lever(const brn_skin *skin, const brn_patch *patch, int first, const double *x,
                     brn_lever *out);

#endif
