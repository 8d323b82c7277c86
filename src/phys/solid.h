/* A solid: a run of elements of one kind and one material, stored in batches of BRN_LANES elements so that the compiler
   vectorises over elements. Evaluates energies, gradients, Hessians and stresses of a range of elements into the
   caller's buffers; the caller decides about threads and where the results go.

   2D elements are plane strain (F33 = 1) with unit depth. */
#ifndef BRN_PHYS_SOLID_H
#define BRN_PHYS_SOLID_H

#include "base/arena.h"
#include "geom/cell.h"
#include "phys/group.h"
#include "phys/material.h"

/* An element kind: shape functions and quadrature. One file plus one line in elements.def. */
typedef struct brn_element {
    brn_cell cell;
    int dim, nnode;
    const char *help;
    int nquad;            /* stiffness quadrature: exact for the tangent of an affine element at rest */
    const double *weight; /* [nquad], of the reference cell */
    const double *point;  /* [nquad][3] */
    int nsample; /* where stress is best: points from which it is carried to the nodes (output/trajectory/recovery.h) */
    const double *sample; /* [nsample][3]; the quadrature's own, or fewer */
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
const brn_element *brn_element_of_cell(brn_cell cell); /* NULL if the cell is not an element */

enum { BRN_ELEMENT_SAMPLES_MAX = 8, BRN_ELEMENT_QUAD_MAX = 27 };
/* How the values at the samples follow from those at the quadrature points. */
typedef double brn_sampling[BRN_ELEMENT_SAMPLES_MAX][BRN_ELEMENT_QUAD_MAX];
void brn_element_sampling(const brn_element *element, brn_sampling out);

typedef struct brn_solid {
    brn_element_group group;
    const brn_element *element;
    const brn_material *material;
    brn_moduli moduli;
    double *reference; /* shape gradients in reference coordinates, [nquad][nnode][dim] */
    /* inverse of the Jacobian d(rest)/d(reference), [nbatch][nquad][dim][dim][BRN_LANES]: [r][j] = d ref_r / d rest_j;
       padding lanes repeat the last element. The gradient of N_a at rest is reference_a times it. */
    double *inverse;
    double *volume; /* weight * det J at rest, [nbatch][nquad][BRN_LANES]; 0 in padding lanes */
    bool barrier;   /* W -> inf as det F -> 0 */
} brn_solid;

/* rest: positions of the model's nodes; conn is copied, its numbers must be valid. Fails with BRN_ERR_MESH on an
   inverted or degenerate element, named by its number. */
brn_status brn_solid_create(brn_ctx *ctx, brn_cell cell, const brn_material *material,
                            const brn_moduli *moduli, const double (*rest)[3], const int *conn, int nelem,
                            brn_solid **out);
void brn_solid_destroy(brn_solid *solid);
/* The same in memory of the caller, as the first part of a larger struct. After a failure `clear` is still needed. */
brn_status brn_solid_init(brn_ctx *ctx, brn_cell cell, const brn_material *material, const brn_moduli *moduli,
                          const double (*rest)[3], const int *conn, int nelem, brn_solid *out);
void brn_solid_clear(brn_solid *solid);
extern const brn_group_kind brn_solid_kind;
/* The solid that a group is; NULL if it is of another kind. */
const brn_solid *brn_solid_of_group(const brn_element_group *group);

/* Whether elements of both give the same energy in the same shape, so that they may be joined. */
bool brn_solid_alike(const brn_solid *a, const brn_solid *b);
/* The elements of npart > 0 solids that are alike, none without elements, in their order (solid_join.c). Density and the rest that belongs to
   a body is that of the first. */
brn_status brn_solid_join(brn_ctx *ctx, brn_element_group *const *part, int npart, brn_solid **out);

/* The functions of a group (phys/group.h); for a linear material the stress is that of small strains. The viscous tangent
   is the part of the tangent that resists a change of the Green strain. */
void brn_solid_eval(const brn_solid *solid, const double (*x)[3], int first, int count, brn_tangent tangent,
                    double *energy, double *grad, double *hess);
/* As resist of brn_group_kind. */
void brn_solid_resist(const brn_solid *solid, const double (*x)[3], const double (*v)[3], int first,
                      int count, double *out);

void brn_solid_stress(const brn_solid *solid, const double (*x)[3], int first, int count, double *cauchy,
                      double *jacobian, double *energy_density);
void brn_solid_samples(const brn_solid *solid, const double (*x)[3], int first, int count, double *cauchy);

void brn_solid_mass(const brn_solid *solid, const double (*rest)[3], int first, int count, double *mass);

double brn_solid_element_volume(const brn_solid *solid, int element);
/* tet4, tri3: every element keeps a tenth of its volume at x0, certified, rounding included (geom/volume_bound.h). tet10, hex8,
   hex20, tri6: so does the determinant of d(current)/d(reference) at the quadrature points, where their energy uses it; it is
   a cubic in the fraction there too and bounded by the same function, from columns that are already rounded. Between these
   points it may be negative. An element (or quadrature point) that is not positive beyond rounding at x0, or of a
   material without a barrier and flatter there than a hundredth of its volume at rest, sets no bound. */
double brn_solid_bound(const brn_solid *solid, const double (*x0)[3], const double (*x1)[3], int first,
                       int count);

/* Of an element group whose struct starts with a brn_solid: for its kind. */
void brn_solid_group_mass(const brn_element_group *group, const double (*rest)[3], int first, int count,
                          double *mass);
double brn_solid_group_volume(const brn_element_group *group, int element);
double brn_solid_group_bound(const brn_element_group *group, const double (*x0)[3], const double (*x1)[3],
                             int first, int count);

#endif
