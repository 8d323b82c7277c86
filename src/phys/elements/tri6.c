/* Quadratic triangle, plane strain. Reference cell (0,0), (1,0), (0,1); nodes 3..5 in the middle of the edges (0,1),
   (1,2), (2,0). Stiffness by three points (degree 2), mass by six (degree 4 [Dunavant 1985]). */
#include "phys/solid.h"

static const double weight[3] = {1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0};
static const double point[3][3] = {
    {1.0 / 6.0, 1.0 / 6.0, 0.0}, {2.0 / 3.0, 1.0 / 6.0, 0.0}, {1.0 / 6.0, 2.0 / 3.0, 0.0}};

/* Two orbits (a, a), (1 - 2a, a), (a, 1 - 2a). */
#define A1 0.44594849091596488632
#define A2 0.091576213509770743460
#define W1 (0.5 * 0.22338158967801146570)
#define W2 (0.5 * 0.10995174365532186764)
static const double weight_mass[6] = {W1, W1, W1, W2, W2, W2};
static const double point_mass[6][3] = {{A1, A1, 0.0}, {1.0 - 2.0 * A1, A1, 0.0}, {A1, 1.0 - 2.0 * A1, 0.0},
                                        {A2, A2, 0.0}, {1.0 - 2.0 * A2, A2, 0.0}, {A2, 1.0 - 2.0 * A2, 0.0}};

static void shape(const double p[3], double *n)
{
    const double l[3] = {1.0 - p[0] - p[1], p[0], p[1]};
    for (int a = 0; a < 3; ++a) {
        n[a] = l[a] * (2.0 * l[a] - 1.0);
        n[3 + a] = 4.0 * l[a] * l[(a + 1) % 3];
    }
}

static void gradient(const double p[3], double (*dn)[3])
{
    const double l[3] = {1.0 - p[0] - p[1], p[0], p[1]};
    static const double dl[3][3] = {{-1.0, -1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    for (int a = 0; a < 3; ++a) {
        const int b = (a + 1) % 3;
        for (int i = 0; i < 3; ++i) {
            dn[a][i] = (4.0 * l[a] - 1.0) * dl[a][i];
            dn[3 + a][i] = 4.0 * (l[a] * dl[b][i] + l[b] * dl[a][i]);
        }
    }
}

const brn_element brn_element_tri6 = {
    .cell = BRN_TRI6,
    .dim = 2,
    .nnode = 6,
    .help = "6-node triangle, plane strain: linear strain",
    .nquad = 3,
    .weight = weight,
    .point = point[0],
    .nsample = 3,
    .sample = point[0],
    .nquad_mass = 6,
    .weight_mass = weight_mass,
    .point_mass = point_mass[0],
    .shape = shape,
    .gradient = gradient,
};
