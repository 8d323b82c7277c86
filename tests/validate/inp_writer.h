/* Writes a mesh of one kind of element as an Abaqus/CalculiX input file (its node order is VTK's, like the library's). */
#ifndef BRN_TESTS_VALIDATE_INP_WRITER_H
#define BRN_TESTS_VALIDATE_INP_WRITER_H

#include "test.h"

#include "geom/cell.h"

static inline void inp_write(const char *path, brn_cell cell, int nnode, const double (*pos)[3], int nelem,
                             const int *conn)
{
    static const char *const names[] = {[BRN_TRI3] = "CPE3",   [BRN_TRI6] = "CPE6", [BRN_TET4] = "C3D4",
                                        [BRN_TET10] = "C3D10", [BRN_HEX8] = "C3D8", [BRN_HEX20] = "C3D20"};
    const int width = brn_cell_get(cell)->nnode;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "*NODE\n");
    for (int a = 0; a < nnode; ++a) {
        fprintf(file, "%d, %.17g, %.17g, %.17g\n", a + 1, pos[a][0], pos[a][1], pos[a][2]);
    }
    fprintf(file, "*ELEMENT, TYPE=%s\n", names[cell]);
    for (int e = 0; e < nelem; ++e) {
        fprintf(file, "%d", e + 1);
        for (int k = 0; k < width; ++k) {
            fprintf(file, k == 10 ? ",\n %d" : ", %d", conn[e * width + k] + 1);
        }
        fprintf(file, "\n");
    }
    assert_int_equal(fclose(file), 0);
}

#endif
