/* Linear tetrahedron. Reference cell (0,0,0), (1,0,0), (0,1,0), (0,0,1). One point integrates its constant strain;
   four points (degree 2, a = (5 - sqrt 5)/20 [Keast 1986]) its mass. */
#include "phys/solid.h"

#define A 0.13819660112501051518
#define B 0.58541019662496845446
static const double weight[1] = {1.0 / 6.0};
static const double point[1][3] = {{0.25, 0.25, 0.25}};
static const double weight_mass[4] = {1.0 / 24.0, 1.0 / 24.0, 1.0 / 24.0, 1.0 / 24.0};
static const double point_mass[4][3] = {{A, A, A}, {B, A, A}, {A, B, A}, {A, A, B}};

static void shape(const double p[3], double *n)
{
    n[0] = 1.0 - p[0] - p[1] - p[2];
    n[1] = p[0];
    n[2] = p[1];
    n[3] = p[2];
}

static void gradient(const double p[3], double (*dn)[3])
{
    (void)p;
    for (int i = 0; i < 3; ++i) {
        dn[0][i] = -1.0;
        for (int a = 1; a < 4; ++a) {
            dn[a][i] = a - 1 == i ? 1.0 : 0.0;
        }
    }
}

const brn_element brn_element_tet4 = {
    .cell = BRN_TET4,
    .dim = 3,
    .nnode = 4,
    .help = "4-node tetrahedron: constant strain, fastest, stiff in bending and near incompressibility",
    .nquad = 1,
    .weight = weight,
    .point = point[0],
    .nsample = 1,
    .sample = point[0],
    .nquad_mass = 4,
    .weight_mass = weight_mass,
    .point_mass = point_mass[0],
    .shape = shape,
    .gradient = gradient,
};
