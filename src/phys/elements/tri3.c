/* Linear triangle, plane strain. Reference cell (0,0), (1,0), (0,1). One point integrates its constant strain;
   three points (degree 2 [Strang & Fix 1973]) its mass. */
#include "phys/solid.h"

static const double weight[1] = {0.5};
static const double point[1][3] = {{1.0 / 3.0, 1.0 / 3.0, 0.0}};
static const double weight_mass[3] = {1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0};
static const double point_mass[3][3] = {
    {1.0 / 6.0, 1.0 / 6.0, 0.0}, {2.0 / 3.0, 1.0 / 6.0, 0.0}, {1.0 / 6.0, 2.0 / 3.0, 0.0}};

static void shape(const double p[3], double *n)
{
    n[0] = 1.0 - p[0] - p[1];
    n[1] = p[0];
    n[2] = p[1];
}

static void gradient(const double p[3], double (*dn)[3])
{
    (void)p;
    static const double constant[3][3] = {{-1.0, -1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    for (int a = 0; a < 3; ++a) {
        for (int i = 0; i < 3; ++i) {
            dn[a][i] = constant[a][i];
        }
    }
}

const brn_element brn_element_tri3 = {
    .cell = BRN_TRI3,
    .dim = 2,
    .nnode = 3,
    .help = "3-node triangle, plane strain: constant strain, stiff in bending",
    .nquad = 1,
    .weight = weight,
    .point = point[0],
    .nsample = 1,
    .sample = point[0],
    .nquad_mass = 3,
    .weight_mass = weight_mass,
    .point_mass = point_mass[0],
    .shape = shape,
    .gradient = gradient,
};
