/* Where meshes come from: the built-in generators (a table each, set BRN_SET_MESH) and files. */
#ifndef BRN_MODEL_MESH_SOURCE_H
#define BRN_MODEL_MESH_SOURCE_H

#include "base/param.h"
#include "geom/mesh.h"

/* A generator: one file in model/generate/ plus one line in generators.def. params is the struct its table describes. */
typedef struct brn_generator {
    const brn_table *table;
    brn_status (*generate)(brn_ctx *ctx, const void *params, brn_mesh **out);
    /* Volume of the round thing that the mesh stands for [m^3] (plane: area), NaN if it has none. NULL: the mesh has it. */
    double (*volume)(const void *params);
} brn_generator;

int brn_generator_count(void);
const brn_generator *brn_generator_get(int index);
const brn_generator *brn_generator_of_table(const brn_table *table);

/* Reads a mesh file by its extension (msh, inp, obj, stl, vtk, node/ele); errors name file and line or byte offset. */
brn_status brn_mesh_read(brn_ctx *ctx, const char *path, brn_mesh **out);

/* The readers proper, on a buffer, for tests and fuzzing. name is used in messages. */
typedef brn_status (*brn_reader_fn)(brn_ctx *ctx, const char *bytes, size_t length, const char *name,
                                    brn_mesh **out);
typedef struct brn_reader {
    const char *format;     /* "Gmsh MSH" */
    const char *extensions; /* "msh" or "node ele" */
    brn_reader_fn read;
} brn_reader;
int brn_reader_count(void);
const brn_reader *brn_reader_get(int index);

/* Closed triangle (or quad4) surface -> tets through gmsh, in the program brunt-fill (model/read/fill_program.h);
   BRN_ERR_MISSING if it is not there. cell: BRN_TET4 or BRN_TET10 (straight edges); resolution: target edge length [m]. Inner
   shells that face inwards are cavities, separate shells separate solids; groups of the surface become the boundary nodes on
   their triangles. Triangles of about the wanted size stay as they are, others are replaced. */
brn_status brn_mesh_fill_surface(brn_ctx *ctx, const brn_mesh *surface, double resolution, brn_cell cell,
                                 brn_mesh **out);

#endif
