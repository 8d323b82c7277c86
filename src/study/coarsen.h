/* Private to the files of coarsening. */
#ifndef BRN_STUDY_COARSEN_H
#define BRN_STUDY_COARSEN_H

#include "study/knob.h"
#include "study/sample.h"

enum { BRN_COARSEN_LEVELS = 40, BRN_COARSEN_CHANGES = 64 };

struct brn_coarsening {
    brn_ctx *ctx;
    brn_coarsen_result result;
    char *body;
    brn_coarsen_level level[BRN_COARSEN_LEVELS];
    brn_coarsen_mode mode[BRN_COARSEN_MODES];
    char *change[BRN_COARSEN_CHANGES];
    brn_sample *fine, *coarse; /* the meshes that were taken */
    brn_match *match;
    double *moved[2]; /* fine, coarse: [modes][nodes of the body][3], [m] */
    int *triangle[2]; /* [triangles][3] of the body's own node numbers */
};

/* A scene at work: what is tried, and what it was. */
typedef struct brn_coarsen_work {
    brn_ctx *ctx;
    brn_scene *scene;
    const brn_coarsen_options *options;
    brn_knobs knobs;
    brn_coarsening *out;
    double scale; /* [m] of a shape's largest displacement */
} brn_coarsen_work;

/* The mesh with cells of this size, as another level; *out is NULL, and no level is added, if there is no such mesh. */
brn_status brn_coarsen_try(brn_coarsen_work *work, double size, bool refining, brn_sample **out);
/* Ends with out->fine, or an error. */
brn_status brn_coarsen_refine(brn_coarsen_work *work);
/* Ends with out->coarse and out->match. */
brn_status brn_coarsen_search(brn_coarsen_work *work);
/* The scene's mesh at this size, its moduli times a factor; 1: exactly as they were. */
brn_status brn_coarsen_set_mesh(brn_coarsen_work *work, double size);
brn_status brn_coarsen_set_moduli(brn_coarsen_work *work, double scale);
/* Something of it is in equilibrium under a load. */
bool brn_coarsen_has_load(const brn_model *model);
/* result.load, with the fine mesh. */
brn_status brn_coarsen_load(brn_coarsen_work *work);
/* The mesh that the scene has: *scale, with which the search begins, becomes that on its moduli with which it stores result.load;
   *error is that of the energy before. The scene is left with the moduli that it had. */
brn_status brn_coarsen_match_load(brn_coarsen_work *work, double *scale, double *error);
brn_status brn_coarsen_tell(brn_coarsen_work *work, const brn_coarsen_level *level);

#endif
