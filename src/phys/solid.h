/* A solid: a run of elements of one kind and one material, stored in batches of BRN_LANES elements so that the compiler
   vectorises over elements. Evaluates energies, gradients, Hessians and stresses of a range of elements into the
   caller's buffers; who calls it decides about threads and where the results go.

   2D elements are plane strain (F33 = 1) with unit depth. */
#ifndef BRN_PHYS_SOLID_H
#define BRN_PHYS_SOLID_H

#include "base/arena.h"
#include "geom/cell.h"
#include "phys/material.h"

/* An element kind: shape functions and quadrature. One file plus one line in elements.def. */
typedef struct brn_element {
    brn_cell cell;
    int dim, nnode;
    const char *help;
    int nquad;            /* stiffness quadrature: exact for the tangent of an affine element at rest */
    const double *weight; /* [nquad], of the reference cell */
    const double *point;  /* [nquad][3] */
    int nquad_mass;       /* mass quadrature: exact for the consistent mass of an affine element */
    const double *weight_mass;
    const double *point_mass;
    void (*shape)(const double point[3], double *n);          /* n[nnode] */
    void (*gradient)(const double point[3], double (*dn)[3]); /* dn[nnode][3], reference coordinates */
} brn_element;

#define BRN_ELEMENT(name) extern const brn_element brn_element_##name;
#include "phys/elements/elements.def"
#undef BRN_ELEMENT

enum { BRN_ELEMENT_NODES_MAX = 20 };

int brn_element_count(void);
const brn_element *brn_element_get(int index);
const brn_element *brn_element_of_cell(brn_cell cell); /* NULL if the cell is no element */

typedef struct brn_solid {
    brn_ctx *ctx;
    const brn_element *element;
    const brn_material *material;
    brn_moduli moduli;
    double density;     /* [kg/m^3]; set by the owner, 1 at first */
    double alpha, beta; /* Rayleigh damping; set by the owner, 0 at first */
    int nelem;
    int *conn;         /* [nelem][nnode], node numbers of the model */
    double *reference; /* shape gradients in reference coordinates, [nquad][nnode][dim] */
    /* inverse of the Jacobian d(rest)/d(reference), [nbatch][nquad][dim][dim][BRN_LANES]: [r][j] = d ref_r / d rest_j;
       padding lanes repeat the last element. The gradient of N_a at rest is reference_a times it. */
    double *inverse;
    double *volume; /* weight * det J at rest, [nbatch][nquad][BRN_LANES]; 0 in padding lanes */
} brn_solid;

/* rest: positions of the model's nodes; conn is copied, its numbers must be valid. Fails with BRN_ERR_MESH on an
   inverted or degenerate element, named by its number. */
brn_status brn_solid_create(brn_ctx *ctx, brn_cell cell, const brn_material *material,
                            const brn_moduli *moduli, const double (*rest)[3], const int *conn, int nelem,
                            brn_solid **out);
void brn_solid_destroy(brn_solid *solid);

/* Number of doubles of an element's gradient (nnode*dim) and Hessian: the blocks (a,b) with a <= b, ordered by a then
   b, each dim x dim row-major (rows belong to node a). */
int brn_solid_grad_size(const brn_solid *solid);
int brn_solid_hess_size(const brn_solid *solid);

/* How the Hessian is made. VISCOUS is the stiffness that damping uses: the part of the tangent that resists a change of
   the Green strain, with the moduli at rest. It equals the exact tangent at rest, is positive semi-definite in any state,
   and every rigid velocity (translation + omega x x) lies in its null space in any state, stressed or not. */
typedef enum brn_tangent { BRN_TANGENT_EXACT, BRN_TANGENT_PROJECTED, BRN_TANGENT_VISCOUS } brn_tangent;

/* Elements [first, first + count), first a multiple of BRN_LANES. Any of energy [count], grad [count][grad_size],
   hess [count][hess_size] may be NULL. x: current positions of the model's nodes. An element outside the material's
   domain has energy +inf (its grad and hess are then finite but meaningless). An element's results are the same bits
   whatever else is asked for and whoever its neighbours are. */
void brn_solid_eval(const brn_solid *solid, const double (*x)[3], int first, int count, brn_tangent tangent,
                    double *energy, double *grad, double *hess);

/* Cauchy stress (xx, yy, zz, yz, xz, xy) [Pa] averaged over the element's rest volume, [count][6]; for a linear material
   the small-strain stress. jacobian: smallest det F over its quadrature points, [count]; energy_density: average
   [J/m^3] of rest volume, [count]. Any may be NULL. first as above. */
void brn_solid_stress(const brn_solid *solid, const double (*x)[3], int first, int count, double *cauchy,
                      double *jacobian, double *energy_density);

/* Consistent mass of an element: the scalar m_ab for a <= b, [count][nnode*(nnode+1)/2], density included. */
void brn_solid_mass(const brn_solid *solid, const double (*rest)[3], int first, int count, double *mass);

/* Rest volume of an element [m^3] (2D: area times unit depth). */
double brn_solid_element_volume(const brn_solid *solid, int element);

#endif
