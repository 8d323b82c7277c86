/* Trilinear hexahedron. Reference cell [-1, 1]^3. 2x2x2 Gauss points (degree 3 in each direction) are exact for
   stiffness and mass of an affine element. */
#include "phys/solid.h"

#define G 0.57735026918962576451 /* 1/sqrt(3) */
static const double weight[8] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
static const double point[8][3] = {{-G, -G, -G}, {G, -G, -G}, {G, G, -G}, {-G, G, -G},
                                   {-G, -G, G},  {G, -G, G},  {G, G, G},  {-G, G, G}};

/* Strains are best at the centre, but a single layer in bending has nothing there: eight points close to it. Fits over
   several cells then hardly see what varies within a cell (4 % of it), fits over one cell see all of it. */
#define S 0.2
static const double sample[8][3] = {{-S, -S, -S}, {S, -S, -S}, {S, S, -S}, {-S, S, -S},
                                    {-S, -S, S},  {S, -S, S},  {S, S, S},  {-S, S, S}};

static const double corner[8][3] = {{-1.0, -1.0, -1.0}, {1.0, -1.0, -1.0}, {1.0, 1.0, -1.0},
                                    {-1.0, 1.0, -1.0},  {-1.0, -1.0, 1.0}, {1.0, -1.0, 1.0},
                                    {1.0, 1.0, 1.0},    {-1.0, 1.0, 1.0}};

static void shape(const double p[3], double *n)
{
    for (int a = 0; a < 8; ++a) {
        const double *c = corner[a];
        n[a] = 0.125 * (1.0 + c[0] * p[0]) * (1.0 + c[1] * p[1]) * (1.0 + c[2] * p[2]);
    }
}

static void gradient(const double p[3], double (*dn)[3])
{
    for (int a = 0; a < 8; ++a) {
        const double *c = corner[a];
        const double f[3] = {1.0 + c[0] * p[0], 1.0 + c[1] * p[1], 1.0 + c[2] * p[2]};
        dn[a][0] = 0.125 * c[0] * f[1] * f[2];
        dn[a][1] = 0.125 * c[1] * f[0] * f[2];
        dn[a][2] = 0.125 * c[2] * f[0] * f[1];
    }
}

const brn_element brn_element_hex8 = {
    .cell = BRN_HEX8,
    .dim = 3,
    .nnode = 8,
    .help = "8-node hexahedron: fully integrated, stiff in bending of thin parts",
    .nquad = 8,
    .weight = weight,
    .point = point[0],
    .nsample = 8,
    .sample = sample[0],
    .nquad_mass = 8,
    .weight_mass = weight,
    .point_mass = point[0],
    .shape = shape,
    .gradient = gradient,
};
