/* What the files of the MJCF reader share. */
#ifndef BRN_MODEL_READ_MJCF_H
#define BRN_MODEL_READ_MJCF_H

#include "model/read/robot.h"

/* Elements whose attributes a <default> may give. */
typedef enum brn_mjcf_kind {
    BRN_MJCF_JOINT,
    BRN_MJCF_GEOM,
    BRN_MJCF_MESH,
    BRN_MJCF_MOTOR,
    BRN_MJCF_POSITION,
    BRN_MJCF_VELOCITY,
    BRN_MJCF_EQUALITY,
    BRN_MJCF_PLAIN /* has no defaults */
} brn_mjcf_kind;

enum { BRN_MJCF_CLASSES_MAX = 500, BRN_MJCF_MESHES_MAX = 4000 };

/* A class of defaults. */
typedef struct brn_mjcf_class {
    const char *name;
    int parent;                  /* class, -1: the main one */
    int element[BRN_MJCF_PLAIN]; /* with its attributes, -1: none */
} brn_mjcf_class;

typedef struct brn_mjcf {
    brn_robot *robot;
    brn_xml *xml;
    bool degrees, autolimits;
    enum { BRN_MJCF_WEIGH_NEVER, BRN_MJCF_WEIGH_ALWAYS, BRN_MJCF_WEIGH_AUTO } weigh; /* inertiafromgeom */
    const char *eulerseq;
    const char *meshdir;
    brn_mjcf_class *classes; /* [nclass], the main one first */
    int nclass;
    size_t class_capacity;
    struct {
        const char *name, *file;
        double scale[3];
    } * mesh; /* [nmesh] */
    int nmesh;
    size_t mesh_capacity;
} brn_mjcf;

/* An element and the class from which it has what it does not give itself. */
typedef struct brn_mjcf_at {
    int element;
    brn_mjcf_kind kind;
    int class;
} brn_mjcf_at;

/* An element of a kind that stands where `class` is the class of defaults; its own attribute `class` goes before. */
brn_status brn_mjcf_open(brn_mjcf *m, int element, brn_mjcf_kind kind, int class, brn_mjcf_at *out);
/* The class of an attribute, `fallback` if it is not given. */
brn_status brn_mjcf_class_of(brn_mjcf *m, int element, const char *attribute, int fallback, int *out);
/* The next element with attributes of a kind from a class on to the main one, -1: no more; *class becomes the one after it. */
int brn_mjcf_next(const brn_mjcf *m, brn_mjcf_kind kind, int *class);

/* As in xml.h, of the element or else of the first of these that has the attribute. */
const char *brn_mjcf_get(brn_mjcf *m, const brn_mjcf_at *at, const char *name);
brn_status brn_mjcf_reals(brn_mjcf *m, const brn_mjcf_at *at, const char *name, int count, double *out);
brn_status brn_mjcf_some(brn_mjcf *m, const brn_mjcf_at *at, const char *name, int least, int most,
                         double *out, int *count);
brn_status brn_mjcf_word(brn_mjcf *m, const brn_mjcf_at *at, const char *name, const char *const *words,
                         int nword, int fallback, int *out);
/* A name, "" if it has none. */
const char *brn_mjcf_name(brn_mjcf *m, int element);
/* A range that holds if `limited` says so, or by its being there; else it stays as it is. */
brn_status brn_mjcf_range(brn_mjcf *m, const brn_mjcf_at *at, const char *name, const char *limited,
                          double out[2]);

/* pos, and one of quat, axisangle, xyaxes, zaxis, euler. */
brn_status brn_mjcf_frame(brn_mjcf *m, const brn_mjcf_at *at, brn_rigid_map *out);
/* The rotation that turns z into a direction by the shortest way; false if it is zero. */
bool brn_mjcf_turn_z(const double direction[3], double out[9]);
/* Of a quaternion w, x, y, z of any length; false if it is zero. */
bool brn_mjcf_turn_quaternion(const double q[4], double out[9]);

/* A <geom> of a link, -1: the world, whose file's frame stands at `origin`; matter is added to the link's if `weigh`. */
brn_status brn_mjcf_geom(brn_mjcf *m, int element, int class, int link, const double origin[3], bool weigh);
brn_status brn_mjcf_bodies(brn_mjcf *m, int worldbody);
brn_status brn_mjcf_drives(brn_mjcf *m, int actuator);
brn_status brn_mjcf_equalities(brn_mjcf *m, int equality);
brn_status brn_mjcf_excludes(brn_mjcf *m, int contact);

#endif
