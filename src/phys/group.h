/* An element group: a run of elements of one kind, all with the same number of nodes. Solids, membranes, hinges and springs
   are groups. Assembly, books, bounds and output see only groups: to add an energy, fill in a kind, a small table of
   functions, and a struct whose first member is the group.

   Ranges [first, first + count) of elements start at a multiple of BRN_LANES, except for bounds. An element's results are the
   same bits whatever else is requested and whatever its neighbours are. */
#ifndef BRN_PHYS_GROUP_H
#define BRN_PHYS_GROUP_H

#include "base/ctx.h"
#include "linalg/block_matrix.h"

enum { BRN_GROUP_NODES_MAX = 20 };

/* How the Hessian is made. PROJECTED: its positive semi-definite part, element by element. VISCOUS is the stiffness that
   damping uses: the part of the tangent that resists a change of strain, with the moduli at rest. It equals the exact
   tangent at rest, is positive semi-definite in any state, and every rigid velocity (translation + omega x x) lies in its
   null space in any state, stressed or not. LAGGED: with the rotation of the material held, where the material is linear then;
   else PROJECTED. */
typedef enum brn_tangent {
    BRN_TANGENT_EXACT,
    BRN_TANGENT_PROJECTED,
    BRN_TANGENT_VISCOUS,
    BRN_TANGENT_LAGGED
} brn_tangent;

static inline bool brn_tangent_projects(brn_tangent tangent)
{
    return tangent == BRN_TANGENT_PROJECTED || tangent == BRN_TANGENT_LAGGED;
}

typedef struct brn_element_group brn_element_group;

/* What a kind of group can do. Positions x, x0, x1 are those of all nodes of the model. */
typedef struct brn_group_kind {
    const char *name;
    void (*destroy)(brn_element_group *group);
    /* Any of energy [count], grad [count][grad_size], hess [count][hess_size] may be NULL. An element outside its energy's
       domain has energy +inf (its grad and hess are then finite but meaningless). Of patches where the group has them. */
    void (*eval)(const brn_element_group *group, const double (*x)[3], int first, int count,
                 brn_tangent tangent, double *energy, double *grad, double *hess);
    /* K v, K the VISCOUS tangent at x and v [nnode][3] velocities: out [count][grad_size], of patches where the group has them. NULL: by that tangent. */
    void (*resist)(const brn_element_group *group, const double (*x)[3], const double (*v)[3], int first,
                   int count, double *out);
    /* Consistent mass of an element: the scalar m_ab for a <= b, [count][nnode*(nnode+1)/2], density included. NULL: none. */
    void (*mass)(const brn_element_group *group, const double (*rest)[3], int first, int count, double *mass);
    /* Rest volume of an element [m^3] (2D: area times unit depth). NULL: none. */
    double (*volume)(const brn_element_group *group, int element);
    /* Cauchy stress (xx, yy, zz, yz, xz, xy) [Pa], [count][6]; smallest det F, [count], at most 0 where the element is inside
       out; energy density [J/m^3], [count]; averages over the rest volume. Any result may be NULL. NULL: no stress. */
    void (*stress)(const brn_element_group *group, const double (*x)[3], int first, int count, double *cauchy,
                   double *jacobian, double *energy_density);
    /* Cauchy stress at the sample points of every element, [count][samples of its element][6]. NULL: no stress. */
    void (*samples)(const brn_element_group *group, const double (*x)[3], int first, int count,
                    double *cauchy);
    /* Fraction in [0, 1] of the way x0 -> x1 that every element of the range may go and stay well inside its domain; 0 for
       positions that are not finite. NULL: no bound. */
    double (*bound)(const brn_element_group *group, const double (*x0)[3], const double (*x1)[3], int first,
                    int count);
    /* Everything that its energy depends on and is not in brn_element_group. */
    uint64_t (*hash)(const brn_element_group *group, uint64_t hash);
} brn_group_kind;

struct brn_element_group {
    const brn_group_kind *kind;
    brn_ctx *ctx;
    int dim, nnode;   /* of an element: block size, width of its stencil */
    int nelem, *conn; /* [nelem][nnode], node numbers of the model */
    int npatch, patch_width,
        *patch; /* [npatch][patch_width] nodes that share an energy; NULL: those of elements */
    int cell;   /* brn_cell that displays an element, with the nodes of its stencil; -1: not displayed */
    int material; /* number in the scene; between two of them stresses may jump. Set by the owner, initially 0 */
    double density;     /* [kg/m^3]; set by the owner, initially 1 */
    double alpha, beta; /* Rayleigh damping; set by the owner, initially 0 */
    double young;       /* [Pa] at small strains, the scale for contact stiffness; 0: none */
};

void brn_group_destroy(brn_element_group *group); /* NULL is fine */

/* Number of doubles of the gradient (width*dim) and Hessian of an element or patch: the blocks (a,b) with a <= b, ordered by a
   then b, each dim x dim row-major (rows belong to node a). */
int brn_group_grad_size(const brn_element_group *group);
int brn_group_hess_size(const brn_element_group *group);

/* By its kind; 0 if the kind has none. */
double brn_group_volume(const brn_element_group *group, int element);
/* Continues a hash with all that determines a group's energy, mass and damping. */
uint64_t brn_group_hash(const brn_element_group *group, uint64_t hash);

/* What the assembly and matrix patterns need to know: nodes that share an energy, and those that share mass. */
brn_stencils brn_group_stencils(const brn_element_group *group);
brn_stencils brn_group_elements(const brn_element_group *group);

#endif
