/* What of a scene's text says how fine the mesh of a body is, and how stiff it is: found once, set again and again. */
#ifndef BRN_STUDY_KNOB_H
#define BRN_STUDY_KNOB_H

#include "model/model.h"

/* A number of the scene. */
typedef struct brn_knob_value {
    char *path; /* for brn_scene_set */
    double value;
} brn_knob_value;

typedef struct brn_knobs {
    brn_ctx *ctx;
    char *body; /* in the model; the first of copies */
    int dim;
    /* The mesh: an edge length, or numbers of cells. */
    char *mesh_path;
    double edge; /* NaN: cells */
    int ncell, cells[3];
    bool listed;             /* cells are a list, also of one */
    brn_knob_value *modulus; /* [Pa] */
    int nmodulus;
    brn_knob_value *damping; /* alpha and beta of its materials */
    int ndamping;
} brn_knobs;

/* model: of the scene as it is. name: of the scene; NULL: its only deformable body. BRN_ERR_SCENE: there are no knobs, and why. */
brn_status brn_knobs_find(brn_ctx *ctx, brn_scene *scene, const brn_model *model, const char *name,
                          brn_knobs *out);
void brn_knobs_clear(brn_knobs *knobs);
/* "path=value" of cells whose edges are so many times those of the scene; free with brn_free. */
brn_status brn_knobs_mesh(const brn_knobs *knobs, double size, char **assignment);
brn_status brn_knob_assign(brn_ctx *ctx, const char *path, double value, char **assignment);

#endif
