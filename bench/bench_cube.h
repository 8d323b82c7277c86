/* The cube that several cases measure: meshed, held at one side, deformed smoothly and without inversion. */
#ifndef BRN_BENCH_BENCH_CUBE_H
#define BRN_BENCH_BENCH_CUBE_H

#include "step/system.h"

typedef struct brn_bench_cube {
    brn_ctx *ctx;
    brn_scene *scene;
    brn_model *model;
    brn_system *system;
    double *x; /* [nnode][3], deformed */
} brn_bench_cube;

/* A cube of about `elements` elements of the kind ("tet4", "hex8"); frees everything on failure. */
brn_status brn_bench_cube_create(brn_ctx *ctx, const char *element, int elements, brn_bench_cube *out);
void brn_bench_cube_destroy(brn_bench_cube *cube);
/* The text of its scene, for runs of the whole program. */
void brn_bench_cube_scene(const char *element, int elements, char *text, size_t size);

#endif
