/* Primitive shapes in their own frame: signed distance, outward normal, closest point of the surface, support function.

     kind        3D                                              2D
     plane       half-space z <= 0                               y <= 0
     sphere      |x| <= size[0]                                  disc
     box         |x_i| <= size[i]                                rectangle
     cylinder    hypot(x, y) <= size[0], |z| <= size[1]          none
     capsule     within size[0] of the segment |z| <= size[1]    the same of |y| <= size[1]

   All are convex. Distances are negative inside. They are exact to a few roundings of coordinates and sizes, on edges, rims and
   corners too; with d = distance, the point p is closest + d normal. Where the nearest place is not the only one (centre of
   a sphere, axes, the planes inside a box that are as near to two faces, an edge itself) one of them is taken, always the
   same for the same numbers. In 2D z is 0 throughout. */
#ifndef BRN_GEOM_PRIMITIVE_H
#define BRN_GEOM_PRIMITIVE_H

#include <stdbool.h>

typedef enum brn_primitive_kind {
    BRN_PRIMITIVE_NONE,
    BRN_PRIMITIVE_PLANE,
    BRN_PRIMITIVE_SPHERE,
    BRN_PRIMITIVE_BOX,
    BRN_PRIMITIVE_CYLINDER,
    BRN_PRIMITIVE_CAPSULE
} brn_primitive_kind;

typedef struct brn_primitive {
    brn_primitive_kind kind;
    int dim;
    double size[3]; /* [m], > 0, as above */
} brn_primitive;

/* Where a frame stands: x = rotation X + origin, rotation row-major. */
typedef struct brn_rigid_map {
    double rotation[9], origin[3];
} brn_rigid_map;

void brn_rigid_map_apply(const brn_rigid_map *frame, const double own[3], double world[3]);
void brn_rigid_map_undo(const brn_rigid_map *frame, const double world[3], double own[3]);

/* Signed distance [m] of p from the surface; unit normal, the gradient of the distance, and the closest point of the surface.
   Asked of a kind other than none. */
double brn_primitive_distance(const brn_primitive *shape, const double p[3], double normal[3],
                              double closest[3]);
/* The same of a shape that stands in a frame, all in the world. */
double brn_primitive_distance_at(const brn_primitive *shape, const brn_rigid_map *frame, const double p[3],
                                 double normal[3], double closest[3]);

/* The smooth faces of a shape: a box has 2 dim, a cylinder its mantle and two ends, others one. Of a point that is not outside,
   the signed distance from a face [m], <= 0, and the face's normal there; the nearest face's is that of the shape. */
int brn_primitive_face_count(const brn_primitive *shape);
double brn_primitive_face_at(const brn_primitive *shape, const brn_rigid_map *frame, int face,
                             const double p[3], double normal[3]);

/* The point of the shape that is farthest along a direction, which need not be a unit vector; one of them where there are
   several. False for a half-space, which has no end. */
bool brn_primitive_support(const brn_primitive *shape, const double direction[3], double out[3]);
bool brn_primitive_support_at(const brn_primitive *shape, const brn_rigid_map *frame,
                              const double direction[3], double out[3]);

#endif
