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

int brn_element_count(void);
const brn_element *brn_element_get(int index);
const brn_element *brn_element_of_cell(brn_cell cell); /* NULL if the cell is no element */

typedef struct brn_solid {
    brn_ctx *ctx;
    const brn_element *element;
    const brn_material *material;
    brn_moduli moduli;
    double density;
    double alpha, beta; /* Rayleigh damping */
    int nelem;
    int *conn; /* [nelem][nnode], node numbers of the model */
    double *
        grad; /* shape gradients at rest, [nbatch][nquad][nnode][dim][BRN_LANES]; padding lanes repeat the last element */
    double *volume; /* weight * det J at rest, [nbatch][nquad][BRN_LANES]; 0 in padding lanes */
} brn_solid;

/* rest: positions of the model's nodes, conn is copied. Fails with BRN_ERR_MESH on an inverted or degenerate element. */
brn_status brn_solid_create(brn_ctx *ctx, brn_cell cell, const brn_material *material,
                            const brn_moduli *moduli, const double (*rest)[3], const int *conn, int nelem,
                            brn_solid **out);
void brn_solid_destroy(brn_solid *solid);

/* Number of doubles of an element's gradient (nnode*dim) and Hessian: the blocks (a,b) with a <= b, ordered by a then
   b, each dim x dim row-major (rows belong to node a). */
int brn_solid_grad_size(const brn_solid *solid);
int brn_solid_hess_size(const brn_solid *solid);

/* How the Hessian is made. */
typedef enum brn_tangent { BRN_TANGENT_EXACT, BRN_TANGENT_PROJECTED } brn_tangent;

/* Elements [first, first + count), first a multiple of BRN_LANES. Any of energy [count], grad [count][grad_size],
   hess [count][hess_size] may be NULL. x: current positions of the model's nodes. An element outside the material's
   domain has energy +inf (its grad and hess are then finite but meaningless). */
void brn_solid_eval(const brn_solid *solid, const double (*x)[3], int first, int count, brn_tangent tangent,
                    double *energy, double *grad, double *hess);

/* Cauchy stress (xx, yy, zz, yz, xz, xy) [Pa] averaged over the element's volume, [count][6]; jacobian: smallest det F
   over its quadrature points, [count]; strain_energy density average [J/m^3]. Any may be NULL. */
void brn_solid_stress(const brn_solid *solid, const double (*x)[3], int first, int count, double *cauchy,
                      double *jacobian, double *energy_density);

/* Consistent mass of an element: the scalar m_ab for a <= b, [count][nnode*(nnode+1)/2], density included. */
void brn_solid_mass(const brn_solid *solid, const double (*rest)[3], int first, int count, double *mass);

/* Rest volume of an element. */
double brn_solid_element_volume(const brn_solid *solid, int element);

#endif
