/* Quadratic tetrahedron. Reference cell (0,0,0), (1,0,0), (0,1,0), (0,0,1); nodes 4..9 in the middle of the edges
   (0,1), (1,2), (2,0), (0,3), (1,3), (2,3). Stiffness by four points (degree 2), mass by 14 points with positive
   weights (degree 5 [Walkington 2000]). */
#include "phys/solid.h"

#define A 0.13819660112501051518
#define B 0.58541019662496845446
static const double weight[4] = {1.0 / 24.0, 1.0 / 24.0, 1.0 / 24.0, 1.0 / 24.0};
static const double point[4][3] = {{A, A, A}, {B, A, A}, {A, B, A}, {A, A, B}};

/* Two orbits of four points (a, a, a), (1 - 3a, a, a), ... and one of six (a, a, c), ... with c = 1/2 - a. */
#define A1 0.31088591926330060980
#define A2 0.092735250310891226402
#define A3 0.045503704125649649492
#define B1 (1.0 - 3.0 * A1)
#define B2 (1.0 - 3.0 * A2)
#define C3 (0.5 - A3)
#define W1 (0.11268792571801585080 / 6.0)
#define W2 (0.073493043116361949544 / 6.0)
#define W3 (0.042546020777081466438 / 6.0)
static const double weight_mass[14] = {W1, W1, W1, W1, W2, W2, W2, W2, W3, W3, W3, W3, W3, W3};
static const double point_mass[14][3] = {{A1, A1, A1}, {B1, A1, A1}, {A1, B1, A1}, {A1, A1, B1}, {A2, A2, A2},
                                         {B2, A2, A2}, {A2, B2, A2}, {A2, A2, B2}, {A3, A3, C3}, {A3, C3, A3},
                                         {C3, A3, A3}, {A3, C3, C3}, {C3, A3, C3}, {C3, C3, A3}};

static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

static void shape(const double p[3], double *n)
{
    const double l[4] = {1.0 - p[0] - p[1] - p[2], p[0], p[1], p[2]};
    for (int a = 0; a < 4; ++a) {
        n[a] = l[a] * (2.0 * l[a] - 1.0);
    }
    for (int e = 0; e < 6; ++e) {
        n[4 + e] = 4.0 * l[edge[e][0]] * l[edge[e][1]];
    }
}

static void gradient(const double p[3], double (*dn)[3])
{
    const double l[4] = {1.0 - p[0] - p[1] - p[2], p[0], p[1], p[2]};
    static const double dl[4][3] = {{-1.0, -1.0, -1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int i = 0; i < 3; ++i) {
        for (int a = 0; a < 4; ++a) {
            dn[a][i] = (4.0 * l[a] - 1.0) * dl[a][i];
        }
        for (int e = 0; e < 6; ++e) {
            const int a = edge[e][0], b = edge[e][1];
            dn[4 + e][i] = 4.0 * (l[a] * dl[b][i] + l[b] * dl[a][i]);
        }
    }
}

const brn_element brn_element_tet10 = {
    .cell = BRN_TET10,
    .dim = 3,
    .nnode = 10,
    .help = "10-node tetrahedron: linear strain, accurate in bending",
    .nquad = 4,
    .weight = weight,
    .point = point[0],
    .nsample = 4,
    .sample = point[0],
    .nquad_mass = 14,
    .weight_mass = weight_mass,
    .point_mass = point_mass[0],
    .shape = shape,
    .gradient = gradient,
};
