/* Which material each element of a body has: `material`, unless an entry of `materials` says otherwise. */
#ifndef BRN_MODEL_MATERIAL_MAP_H
#define BRN_MODEL_MATERIAL_MAP_H

#include "model/builder.h"

typedef struct brn_material_map {
    int own;   /* index of the body's own `material` among the scene's */
    int *of;   /* the same for every cell, in order of kinds, then cells; NULL: own. Free with brn_free */
    bool mean; /* volume ratios are averaged */
    bool good;
} brn_material_map;

/* Errors (names, constants, regions without an element) become problems, and the map is not good. Without a mesh only the
   body's own material is checked. */
brn_status brn_material_map_make(brn_builder *b, const brn_deformable_def *def, const brn_mesh *mesh,
                                 brn_material_map *out);

/* The solids of a body: runs of one kind of cells and one material. */
brn_status brn_builder_add_solids(brn_builder *b, int index, const brn_mesh *mesh,
                                  const brn_material_map *map);

#endif
