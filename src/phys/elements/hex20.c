/* Serendipity hexahedron [Zienkiewicz & Taylor 2000]. Reference cell [-1, 1]^3; nodes 8..19 in the middle
   of the edges in VTK's order: bottom, top, upright. With c the node's reference coordinates (0 along its edge):
       corner:  N = 1/8 (1 + c0 x)(1 + c1 y)(1 + c2 z)(c0 x + c1 y + c2 z - 2)
       edge:    N = 1/4 (1 - x^2)(1 + c1 y)(1 + c2 z)   (along x; likewise y, z)
   3x3x3 Gauss points (degree 5 in each direction) are exact for stiffness and mass of an affine element. */
#include "phys/solid.h"

#define G           0.77459666924148337704 /* sqrt(3/5) */
#define A           (5.0 / 9.0)
#define B           (8.0 / 9.0)
#define ROW(wy, wz) A *(wy) * (wz), B *(wy) * (wz), A *(wy) * (wz)
#define POINTS(y, z)      \
 {-G, y, z}, {0.0, y, z}, \
 {                        \
  G, y, z                 \
 }
static const double weight[27] = {ROW(A, A), ROW(B, A), ROW(A, A), ROW(A, B), ROW(B, B),
                                  ROW(A, B), ROW(A, A), ROW(B, A), ROW(A, A)};
static const double point[27][3] = {POINTS(-G, -G),  POINTS(0.0, -G),  POINTS(G, -G),
                                    POINTS(-G, 0.0), POINTS(0.0, 0.0), POINTS(G, 0.0),
                                    POINTS(-G, G),   POINTS(0.0, G),   POINTS(G, G)};

/* The error of its strains is nearly zero at the 2x2x2 Gauss points [Barlow 1976]. */
#define S 0.57735026918962576451 /* 1/sqrt(3) */
static const double sample[8][3] = {{-S, -S, -S}, {S, -S, -S}, {S, S, -S}, {-S, S, -S},
                                    {-S, -S, S},  {S, -S, S},  {S, S, S},  {-S, S, S}};

static const double node[20][3] = {{-1.0, -1.0, -1.0}, {1.0, -1.0, -1.0}, {1.0, 1.0, -1.0}, {-1.0, 1.0, -1.0},
                                   {-1.0, -1.0, 1.0},  {1.0, -1.0, 1.0},  {1.0, 1.0, 1.0},  {-1.0, 1.0, 1.0},
                                   {0.0, -1.0, -1.0},  {1.0, 0.0, -1.0},  {0.0, 1.0, -1.0}, {-1.0, 0.0, -1.0},
                                   {0.0, -1.0, 1.0},   {1.0, 0.0, 1.0},   {0.0, 1.0, 1.0},  {-1.0, 0.0, 1.0},
                                   {-1.0, -1.0, 0.0},  {1.0, -1.0, 0.0},  {1.0, 1.0, 0.0},  {-1.0, 1.0, 0.0}};

/* The factor of a node in one direction, 1 - x^2 along its edge and 1 + c x otherwise, and its derivative. */
static double factor(double c, double x)
{
    return c == 0.0 ? 1.0 - x * x : 1.0 + c * x;
}

static double slope(double c, double x)
{
    return c == 0.0 ? -2.0 * x : c;
}

static void shape(const double p[3], double *n)
{
    for (int a = 0; a < 20; ++a) {
        const double *c = node[a];
        const double product = factor(c[0], p[0]) * factor(c[1], p[1]) * factor(c[2], p[2]);
        const double sum = c[0] * p[0] + c[1] * p[1] + c[2] * p[2] - 2.0;
        n[a] = a < 8 ? 0.125 * product * sum : 0.25 * product;
    }
}

static void gradient(const double p[3], double (*dn)[3])
{
    for (int a = 0; a < 20; ++a) {
        const double *c = node[a];
        const double sum = c[0] * p[0] + c[1] * p[1] + c[2] * p[2] - 2.0;
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            const double others = factor(c[j], p[j]) * factor(c[k], p[k]);
            const double along = slope(c[i], p[i]) * others;
            dn[a][i] = a < 8 ? 0.125 * (along * sum + c[i] * others * factor(c[i], p[i])) : 0.25 * along;
        }
    }
}

const brn_element brn_element_hex20 = {
    .cell = BRN_HEX20,
    .dim = 3,
    .nnode = 20,
    .help = "20-node hexahedron: quadratic, fully integrated, accurate in bending",
    .nquad = 27,
    .weight = weight,
    .point = point[0],
    .nsample = 8,
    .sample = sample[0],
    .nquad_mass = 27,
    .weight_mass = weight,
    .point_mass = point[0],
    .shape = shape,
    .gradient = gradient,
};
