#include "geom/separation.h"

#include <math.h>

#define DIFFERENCE_REAL       double
#define DIFFERENCE_NAME(x)    x
#define DIFFERENCE_FLAT_SINE2 1e-20
#include "geom/difference.h"

/* Positions and squares of this size lose nothing to overflow or underflow. */
static const double LARGEST = 0x1p120, SMALLEST = 0x1p-120;

/* One copy for each shape. */
static inline __attribute__((always_inline)) double separation(const double x[][3], int nvertex, int edges)
{
    double r[4][3] = {{0.0}};
    double e1[3] = {0.0}, e2[3] = {0.0};
    double size = 0.0;
    for (int k = 0; k < nvertex; ++k) {
        const double *a = x[edges ? k & 1 : 0], *b = x[edges ? 2 + (k >> 1) : k + 1];
        double sum = 0.0;
        for (int i = 0; i < 3; ++i) {
            r[k][i] = a[i] - b[i];
            sum += fabs(r[k][i]);
        }
        size = sum > size ? sum : size;
    }
    for (int i = 0; i < 3; ++i) {
        e1[i] = nvertex > 1 ? r[1][i] - r[0][i] : 0.0;
        e2[i] = nvertex > 2 ? r[2][i] - r[0][i] : 0.0;
    }
    const double(*vertex)[3] = (const double(*)[3])r;
    nearest found = {.c = {r[0][0], r[0][1], r[0][2]}};
    if (nvertex == 2) {
        nearest_segment(vertex, e1, &found);
    } else if (nvertex > 2) {
        nearest_face(edges ? BRN_SHAPE_RHOMBOID : BRN_SHAPE_TRIANGLE, vertex, e1, e2, &found);
    }
    /* Any direction gives a slab: the vertices of the difference lie beyond the least of their heights along it. The
       vertices are good to a rounding u of size, a height to three more of the sum of its terms and the length of the
       direction to two. */
    const double length = sqrt(dot(found.c, found.c));
    double low = INFINITY;
    for (int k = 0; k < nvertex; ++k) {
        const double height = dot(found.c, r[k]);
        low = height < low ? height : low;
    }
    const double width = low / length - 0x1p-49 * size;
    return size < LARGEST && length > SMALLEST && width > 0.0 ? width : 0.0;
}

double brn_separation(const double x[][3], int count, int edges)
{
    if (edges) {
        return separation(x, 4, 1);
    }
    return count == 4 ? separation(x, 3, 0) : count == 3 ? separation(x, 2, 0) : separation(x, 1, 0);
}
