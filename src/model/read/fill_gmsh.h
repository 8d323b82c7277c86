/* The only place that talks to gmsh. */
#ifndef BRN_MODEL_READ_FILL_GMSH_H
#define BRN_MODEL_READ_FILL_GMSH_H

#include "model/read/closed_surface.h"

/* Tet4 cells of every solid of the surface. anew: the surface is remeshed at the resolution (gmsh finds its smooth
   pieces and parametrises them); otherwise its triangles become the boundary as they are.

   gmsh keeps its whole state in globals of the process: no other thread may use gmsh meanwhile (not even through
   another ctx), and a host program that has initialised gmsh itself loses its session, since this call finalises gmsh. The
   process locale, which gmsh changes, is restored. gmsh is told to throw on errors rather than abort, and not to print; it
   installs no signal handlers. BRN_ERR_MISSING if brunt was built without it. */
brn_status brn_gmsh_fill(const brn_closed_surface *surface, double resolution, bool anew, brn_mesh **out);

#endif
