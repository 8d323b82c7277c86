#include "geom/cell.h"

#include <string.h>

/* A quadratic cell's faces list their corners, then their mid-edge nodes in the order of the corners. */
/* clang-format off */
static const brn_cell_info cells[BRN_CELL_COUNT] = {
    [BRN_EDGE2] = {.name = "edge2", .dim = 1, .nnode = 2, .ncorner = 2, .face = BRN_CELL_COUNT, .vtk = 3,
                   .nedge = 1, .edges = {{0, 1}}},
    [BRN_EDGE3] = {.name = "edge3", .dim = 1, .nnode = 3, .ncorner = 2, .face = BRN_CELL_COUNT, .vtk = 21,
                   .nedge = 1, .edges = {{0, 1}}},
    [BRN_TRI3] = {.name = "tri3", .dim = 2, .nnode = 3, .ncorner = 3, .vtk = 5,
                  .nface = 3, .face = BRN_EDGE2, .faces = {{0, 1}, {1, 2}, {2, 0}},
                  .nedge = 3, .edges = {{0, 1}, {1, 2}, {2, 0}}},
    [BRN_TRI6] = {.name = "tri6", .dim = 2, .nnode = 6, .ncorner = 3, .vtk = 22,
                  .nface = 3, .face = BRN_EDGE3, .faces = {{0, 1, 3}, {1, 2, 4}, {2, 0, 5}},
                  .nedge = 3, .edges = {{0, 1}, {1, 2}, {2, 0}}},
    [BRN_QUAD4] = {.name = "quad4", .dim = 2, .nnode = 4, .ncorner = 4, .vtk = 9,
                   .nface = 4, .face = BRN_EDGE2, .faces = {{0, 1}, {1, 2}, {2, 3}, {3, 0}},
                   .nedge = 4, .edges = {{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
    [BRN_QUAD8] = {.name = "quad8", .dim = 2, .nnode = 8, .ncorner = 4, .vtk = 23,
                   .nface = 4, .face = BRN_EDGE3, .faces = {{0, 1, 4}, {1, 2, 5}, {2, 3, 6}, {3, 0, 7}},
                   .nedge = 4, .edges = {{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
    [BRN_TET4] = {.name = "tet4", .dim = 3, .nnode = 4, .ncorner = 4, .vtk = 10,
                  .nface = 4, .face = BRN_TRI3, .faces = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}},
                  .nedge = 6, .edges = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}},
    [BRN_TET10] = {.name = "tet10", .dim = 3, .nnode = 10, .ncorner = 4, .vtk = 24,
                   .nface = 4, .face = BRN_TRI6,
                   .faces = {{0, 2, 1, 6, 5, 4}, {0, 1, 3, 4, 8, 7}, {1, 2, 3, 5, 9, 8}, {0, 3, 2, 7, 9, 6}},
                   .nedge = 6, .edges = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}},
    [BRN_HEX8] = {.name = "hex8", .dim = 3, .nnode = 8, .ncorner = 8, .vtk = 12,
                  .nface = 6, .face = BRN_QUAD4,
                  .faces = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}},
                  .nedge = 12, .edges = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4},
                                         {0, 4}, {1, 5}, {2, 6}, {3, 7}}},
    [BRN_HEX20] = {.name = "hex20", .dim = 3, .nnode = 20, .ncorner = 8, .vtk = 25,
                   .nface = 6, .face = BRN_QUAD8,
                   .faces = {{0, 3, 2, 1, 11, 10, 9, 8}, {4, 5, 6, 7, 12, 13, 14, 15},
                             {0, 1, 5, 4, 8, 17, 12, 16}, {1, 2, 6, 5, 9, 18, 13, 17},
                             {2, 3, 7, 6, 10, 19, 14, 18}, {3, 0, 4, 7, 11, 16, 15, 19}},
                   .nedge = 12, .edges = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4},
                                          {0, 4}, {1, 5}, {2, 6}, {3, 7}}},
};
/* clang-format on */

const brn_cell_info *brn_cell_get(brn_cell cell)
{
    return &cells[cell];
}

int brn_cell_find(const char *name)
{
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        if (strcmp(cells[kind].name, name) == 0) {
            return kind;
        }
    }
    return -1;
}
