/* Robots as files describe them: links with inertia and shapes, joints, drives, constraints. Plain data that no scene has touched; a
   tree of phys/rigid/tree.h is made of `link` as it stands.

   URDF: http://wiki.ros.org/urdf/XML. MJCF, the common part of MuJoCo's format: https://mujoco.readthedocs.io/en/stable/XMLreference.html.
   The root of a URDF file hangs on the world by a fixed joint. A body of a MJCF file with several joints becomes as many links, of which
   the last has its matter and shapes. A frame of MJCF may stand away from its joint, but a link's does not: see `origin`. */
#ifndef BRN_MODEL_READ_ROBOT_H
#define BRN_MODEL_READ_ROBOT_H

#include "model/read/xml.h"
#include "phys/rigid/tree.h"

/* Of links; of drives, constraints and exclusions each; of shapes. */
enum { BRN_ROBOT_LINKS_MAX = 4000, BRN_ROBOT_ITEMS_MAX = 4000, BRN_ROBOT_SHAPES_MAX = 20000 };

/* What brn_link does not say. Names are "" where the file has none. */
typedef struct brn_robot_part {
    const char *name;     /* of the link */
    const char *joint;    /* of the joint on which it hangs */
    int line, joint_line; /* where they stand in the file */
    double origin[3];     /* of the file's frame of the link, in the link's; axes are parallel */
    double reference;     /* of a joint of one velocity: what the file calls its position where q is 0 */
    int mimic;            /* link whose joint this one follows, -1: none: q = factor q' + offset */
    double factor, offset;
    double spring, rest; /* [N m/rad] or [N/m] and where it is without force [rad], [m]; spring 0: none */
    bool open;           /* some of its matter is that of shapes with `weighs` */
} brn_robot_part;

typedef struct brn_robot_shape {
    const char *name;
    int line;
    int link;                /* -1: the world */
    bool touches, seen;      /* for contact, for drawing */
    brn_primitive primitive; /* kind none: a mesh */
    const char *mesh;        /* name of its file as it is written; NULL: none */
    double scale[3];         /* of the mesh, none is 0 */
    brn_rigid_map frame;     /* in the link */
    double color[4];         /* red, green, blue, opacity in [0, 1] */
    double friction;         /* NAN: not given */
    bool weighs;             /* a mesh whose matter is to be added to the link's inertia: */
    double mass, density;    /* [kg] NAN if not given, [kg/m^3] */
} brn_robot_shape;

typedef enum brn_drive_kind { BRN_DRIVE_MOTOR, BRN_DRIVE_POSITION, BRN_DRIVE_VELOCITY } brn_drive_kind;

/* Forces of a drive on its joint: gear * clamp(control), clamp(stiffness (control - gear q) - damping gear v) gear,
   clamp(damping (control - gear v)) gear. */
typedef struct brn_robot_drive {
    const char *name;
    int line;
    brn_drive_kind kind;
    int link; /* whose joint it moves */
    double gear;
    double stiffness, damping;
    double control[2],
        force[2]; /* least and largest; -INFINITY, INFINITY: none; positions as the file has them */
} brn_robot_drive;

typedef enum brn_equality_kind {
    BRN_EQUALITY_CONNECT,
    BRN_EQUALITY_WELD,
    BRN_EQUALITY_JOINT
} brn_equality_kind;

typedef struct brn_robot_equality {
    const char *name;
    int line;
    brn_equality_kind kind;
    bool active;
    int link
        [2]; /* -1: the world; joint: the link whose joint follows, and the one that it follows (-1: constant) */
    double anchor
        [3];     /* connect and weld: the point in the file's frame of link[0] (connect) or link[1] (weld) */
    bool placed; /* weld: `frame` is given, else it is that of the start */
    brn_rigid_map frame; /* of link[1] in link[0], in the file's frames */
    double poly[5];      /* joint: q = poly[0] + poly[1] q' + ... + poly[4] q'^4 */
} brn_robot_equality;

typedef struct brn_robot {
    brn_ctx *ctx;
    const char *name;
    int nlink, nshape, ndrive, nequality, nexclude, nwarning;
    brn_link *link;       /* [nlink] parents before children */
    brn_robot_part *part; /* [nlink] */
    brn_robot_shape *shape;
    brn_robot_drive *drive;
    brn_robot_equality *equality;
    int (*exclude)[2];    /* pairs of links that do not touch each other, -1: the world */
    const char **warning; /* what of the file has no effect, with file and line */
    size_t capacity[6];   /* of the arrays, in their order */
    brn_xml *xml;         /* the file, whose memory has all names */
} brn_robot;

/* BRN_ERR_FORMAT with file and line, and *out NULL, for what is wrong; names are those of `name` then. */
brn_status brn_read_urdf(brn_ctx *ctx, const char *bytes, size_t length, const char *name, brn_robot **out);
brn_status brn_read_mjcf(brn_ctx *ctx, const char *bytes, size_t length, const char *name, brn_robot **out);
/* By the name of the root element: <robot> or <mujoco>. */
brn_status brn_robot_read(brn_ctx *ctx, const char *path, brn_robot **out);
void brn_robot_destroy(brn_robot *robot);

/* -1: none of that name. */
int brn_robot_link_named(const brn_robot *robot, const char *name);
int brn_robot_joint_named(const brn_robot *robot, const char *name);

/* ---- what the readers share ---------------------------------------------------------------------------------------------- */

/* Reads with one of the two: `fill` finds an empty robot and its root element. */
typedef brn_status (*brn_robot_fill_fn)(brn_robot *robot, int root);
brn_status brn_robot_create(brn_ctx *ctx, const char *bytes, size_t length, const char *name,
                            brn_robot_fill_fn fill, brn_robot **out);
brn_status brn_robot_fill_urdf(brn_robot *robot, int root);
brn_status brn_robot_fill_mjcf(brn_robot *robot, int root);

/* Adds an item with its defaults, whose index is the count before; BRN_ERR_LIMIT if there are too many. */
brn_status brn_robot_add_link(brn_robot *robot);
brn_status brn_robot_add_shape(brn_robot *robot);
brn_status brn_robot_add_drive(brn_robot *robot);
brn_status brn_robot_add_equality(brn_robot *robot);
brn_status brn_robot_add_exclude(brn_robot *robot);

/* Every joint moves matter, and no two links or joints have one name. */
brn_status brn_robot_check(brn_robot *robot);
/* Three numbers as sizes; error unless all are > 0. */
brn_status brn_robot_sizes(brn_xml *xml, int element, const char *name, int count, double *out);
/* The scale of a mesh, one number or three, none 0. */
brn_status brn_robot_scale(brn_xml *xml, int element, double out[3]);
brn_rigid_map brn_robot_frame(void); /* at the origin */

#endif
