/* Contact manifolds: where two convex rigid shapes are near or in each other, as a few points.

   With h the support functions, the gap of a and b is the largest of s(n) = -h_a(-n) - h_b(n) over unit vectors n: the distance
   of shapes that are apart, minus the depth of those that are not (the shortest way out). The n that has it is the normal, out of b.
   The parts of both surfaces that face each other along it (faces, sides, lines of a mantle) are laid over each other in
   the plane across; the corners of what they have in common are the points, and the smallest gap among them is that of the shapes.

   Spheres and capsules are a point and a segment with a radius, cylinders have rims and mantles that are round: nothing is made of
   facets. A sphere has one point. A capsule has one at each end of the line where it lies; a cylinder on its end has four on the rim, of
   which one is the lowest, so that the force of springs at them does not depend on how they are turned.

   One normal holds for all points, but for lines along each other that are apart (capsules, edges): there each point has the normal of its
   place. Gap and normal are continuous in the poses but where two ways out of each other are equally short (then the gap is); the points
   but where a part that faces the other shape changes for another, at which moment the points that come or go
   are not the nearest ones.

   Points within 1e-5 of the size of the smaller shape of each other are one, the nearer.

   No allocation, same bits for same numbers. Exchanged shapes have the same points with the normals reversed, a common motion of both moves
   the points, to rounding; but for coincident centres, where a way out is chosen by the order of the axes. */
#ifndef BRN_GEOM_MANIFOLD_H
#define BRN_GEOM_MANIFOLD_H

#include "geom/box.h"
#include "geom/hull.h"
#include "geom/primitive.h"

enum { BRN_MANIFOLD_MOST = 8 };

/* A primitive, or a hull where that is not NULL. */
typedef struct brn_convex {
    brn_primitive shape;
    const brn_hull *hull;
} brn_convex;

typedef struct brn_manifold_point {
    double place[3];  /* [m] middle between the two surfaces */
    double normal[3]; /* unit, out of b */
    double gap;       /* [m] along the normal; below 0: depth */
} brn_manifold_point;

typedef struct brn_manifold {
    int count;
    brn_manifold_point point[BRN_MANIFOLD_MOST];
} brn_manifold;

/* The points of a and b, which stand in frames fa and fb and have the same dimension, with gaps of at most `within` >= 0 [m];
   none if the shapes are farther apart. Two half-spaces have none. */
void brn_manifold_find(const brn_convex *a, const brn_rigid_map *fa, const brn_convex *b,
                       const brn_rigid_map *fb, double within, brn_manifold *out);

/* For shapes that go from frames fa[0], fb[0], with these points, to fa[1], fb[1]. If a point closes, and the shapes have another normal
   a little later, along which they are apart at the start too, but for a hair, then they meet that way if at all: the points become the
   later ones, with the gaps and places that the same parts of the shapes have at the start. So a box that slides over the seam of two
   others does not run into the wall of the second. Shapes that go past each other without meeting have the points of where they come
   closest, whose plane is between them all the way. */
void brn_manifold_pass(const brn_convex *a, const brn_rigid_map fa[2], const brn_convex *b,
                       const brn_rigid_map fb[2], double within, brn_manifold *points);

/* The box around a shape in its frame, exact to rounding, infinite for a half-space but where its plane is square to an axis. */
void brn_convex_box(const brn_convex *shape, const brn_rigid_map *frame, brn_box *out);
/* Cheap: false only if the shapes are farther apart than `within`. Boxes in the axes of both frames; a half-space against the
   lowest point of the other. */
bool brn_manifold_reach(const brn_convex *a, const brn_rigid_map *fa, const brn_convex *b,
                        const brn_rigid_map *fb, double within);

#endif
