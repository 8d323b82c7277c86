/* What the files of the URDF reader share. */
#ifndef BRN_MODEL_READ_URDF_H
#define BRN_MODEL_READ_URDF_H

#include "model/read/robot.h"

/* A link or joint of the file. */
typedef struct brn_urdf_item {
    int element;
    const char *name;
} brn_urdf_item;

/* The file before its links are in order. */
typedef struct brn_urdf {
    brn_robot *robot;
    brn_xml *xml;
    int nlink, njoint, nmaterial;
    brn_urdf_item *link, *joint, *material;
    int (*ends)[2]; /* [njoint] links: parent, child */
    int *hangs;     /* [nlink] joint of which it is the child, -1: the root */
    int *order;     /* [nlink] links, parents first */
    int *place;     /* [nlink] where a link is in it */
} brn_urdf;

/* -1: none of that name. */
int brn_urdf_find(const brn_urdf_item *items, int count, const char *name);
/* The only child of that name, which must be there. */
brn_status brn_urdf_need_child(brn_xml *xml, int parent, const char *name, int *out);
/* <origin xyz rpy> in an element: R = Rz(yaw) Ry(pitch) Rx(roll). */
brn_status brn_urdf_origin(brn_xml *xml, int parent, brn_rigid_map *out);
/* Inertia and shapes of all links, in their order. */
brn_status brn_urdf_links(brn_urdf *u);

#endif
