/* Tets of closed surfaces by the program brunt-fill, the only one that is linked with gmsh. */
#ifndef BRN_MODEL_READ_FILL_PROGRAM_H
#define BRN_MODEL_READ_FILL_PROGRAM_H

#include "model/read/closed_surface.h"

/* Tet4 cells of every solid of the surface. anew: the surface is remeshed at the resolution (gmsh finds its smooth
   pieces and parametrises them); otherwise its triangles become the boundary as they are.

   The program is the one that the environment variable BRUNT_FILL names; else the first there is of: next to the library or
   the running program, one folder above (a build tree), in libexec/brunt of the prefix that either lies in, in that of the
   prefix brunt was configured for. It is stopped after BRN_FILL_SECONDS of CPU time and BRN_FILL_TET_SECONDS for every tet that
   the resolution asks for (or, instead, after BRUNT_FILL_SECONDS of the environment), four times that on the clock, and at
   BRN_FILL_BYTES and BRN_FILL_TET_BYTES a tet of memory.

   BRN_ERR_MISSING: there is no such program. BRN_ERR_LIMIT: it needed too long. BRN_ERR_MESH: it failed, or crashed.
   BRN_ERR_CANCELLED: brn_ctx_cancel, or somebody interrupted it. */
brn_status brn_fill_closed(const brn_closed_surface *surface, double resolution, bool anew, brn_mesh **out);

/* At least ten times what gmsh takes: 100 us and 0.5 kB a tet, 0.2 s and 200 MB for itself. */
#define BRN_FILL_SECONDS     300.0
#define BRN_FILL_TET_SECONDS 1e-3
#define BRN_FILL_BYTES       4e9
#define BRN_FILL_TET_BYTES   1e4

/* Tets of about this edge length in the surface: a regular one has h^3 / 8.5. */
double brn_fill_estimate(const brn_closed_surface *surface, double resolution);

#endif
