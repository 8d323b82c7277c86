/* What the library and the program brunt-fill say to each other, in the byte order of the machine that both run on. Each side
   checks all that it reads. No other header of brunt is included, so that the program stands for itself. */
#ifndef BRN_MODEL_READ_FILL_WIRE_H
#define BRN_MODEL_READ_FILL_WIRE_H

#include <stdint.h>

/* Changes whenever one of these structs does: an answer of another version is refused. */
#define BRN_FILL_MAGIC "brnfill1"

/* Followed by double pos[nnode][3], uint32_t tri[ntri][3], uint32_t solid[ntri]. */
typedef struct brn_fill_request {
    char magic[8];
    uint32_t nnode, ntri, nsolid;
    uint32_t anew;      /* 1: the surface is remeshed, 0: its triangles are kept */
    double resolution;  /* [m] */
    double volume;      /* [m^3] of all solids */
    double cpu_seconds; /* limits that the program puts on itself: CPU time, */
    double memory;      /* and address space, in bytes */
} brn_fill_request;

/* Behind its length as a uint64_t. Followed, if text is 0, by double pos[nnode][3], uint32_t tet[ntet][4]; else by that many
   characters, which say what gmsh could not do. */
typedef struct brn_fill_answer {
    char magic[8];
    uint32_t text;
    uint32_t nnode, ntet;
    uint32_t zero;
} brn_fill_answer;

enum { BRN_FILL_TEXT_MAX = 500 };

#endif
