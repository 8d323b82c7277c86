/* Shells straight from the kernels: meshes of three kinds, a membrane and its bending, linear statics, Newton's method and modes.
   Meshes: REGULAR, all diagonals one way; MIRRORED, diagonals that alternate ("union jack"); IRREGULAR, nodes moved by up to 0.3
   of a cell and the triangles made Delaunay. */
#ifndef BRN_TESTS_VALIDATE_PLATE_H
#define BRN_TESTS_VALIDATE_PLATE_H

#include "test.h"

#include "base/rng.h"
#include "linalg/assembly.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/modes.h"
#include "phys/shells/bending.h"
#include "phys/shells/membrane.h"

typedef enum plate_mesh { REGULAR, MIRRORED, IRREGULAR, PLATE_MESHES } plate_mesh;
static const char *const plate_mesh_name[PLATE_MESHES] = {"regular", "mirrored", "irregular"};

typedef struct plate {
    brn_ctx *ctx;
    int nnode, nelem;
    double (*rest)[3], (*x)[3];  /* x: the current shape */
    int *conn;                   /* [nelem][3] */
    unsigned char *fixed;        /* [nnode][3] */
    double (*load)[3];           /* [N], dead */
    brn_element_group *group[2]; /* membrane, bending */
    brn_block_matrix *matrix;
    brn_assembly *assembly;
} plate;

/* ---- meshes ------------------------------------------------------------------------------------------------------- */

static inline double plate_cross(const plate *p, int a, int b, int c)
{
    const double *x = p->rest[a], *y = p->rest[b], *z = p->rest[c];
    return (y[0] - x[0]) * (z[1] - x[1]) - (y[1] - x[1]) * (z[0] - x[0]);
}

/* Angle of triangle (a, b, c) at a. */
static inline double plate_angle(const plate *p, int a, int b, int c)
{
    const double u[2] = {p->rest[b][0] - p->rest[a][0], p->rest[b][1] - p->rest[a][1]};
    const double v[2] = {p->rest[c][0] - p->rest[a][0], p->rest[c][1] - p->rest[a][1]};
    return atan2(fabs(u[0] * v[1] - u[1] * v[0]), u[0] * v[0] + u[1] * v[1]);
}

/* Flips the edge common to triangles s and t if the angles opposite to it exceed 180 degrees. */
static inline bool plate_flip(plate *p, int *s, int *t)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const int a = s[i], b = s[(i + 1) % 3], c = s[(i + 2) % 3], d = t[j];
            if (b != t[(j + 2) % 3] || c != t[(j + 1) % 3]) {
                continue;
            }
            if (plate_angle(p, a, b, c) + plate_angle(p, d, c, b) > M_PI + 1e-6 &&
                plate_cross(p, a, b, d) > 0.0 && plate_cross(p, a, d, c) > 0.0) {
                const int one[3] = {a, b, d}, two[3] = {a, d, c};
                memcpy(s, one, sizeof one);
                memcpy(t, two, sizeof two);
                return true;
            }
            return false;
        }
    }
    return false;
}

/* Jitter moves a node by less than a cell: triangles that may share an edge are of cells next to each other. */
static inline void plate_delaunay(plate *p, int nx, int ny)
{
    bool changed = true;
    for (int sweep = 0; changed && sweep < 50; ++sweep) {
        changed = false;
        for (int cell = 0; cell < nx * ny; ++cell) {
            for (int s = 2 * cell; s < 2 * cell + 2; ++s) {
                for (int dj = 0; dj <= 2; ++dj) {
                    for (int di = -2; di <= 2; ++di) {
                        const int i = cell % nx + di, j = cell / nx + dj;
                        for (int t = 2 * (j * nx + i); i >= 0 && i < nx && j < ny && t < 2 * (j * nx + i) + 2;
                             ++t) {
                            changed = (t != s && plate_flip(p, p->conn + 3 * s, p->conn + 3 * t)) || changed;
                        }
                    }
                }
            }
        }
    }
}

/* A rectangle from (x0, y0) of nx x ny cells; nodes on the lines [keep] cells inside its border, and outside of them, are not
   moved off these lines. */
static inline plate plate_rectangle(brn_ctx *ctx, plate_mesh kind, const double box[4], int nx, int ny,
                                    int keep)
{
    plate p = {.ctx = ctx, .nnode = (nx + 1) * (ny + 1), .nelem = 2 * nx * ny};
    p.rest = calloc((size_t)p.nnode, sizeof *p.rest);
    p.x = calloc((size_t)p.nnode, sizeof *p.x);
    p.load = calloc((size_t)p.nnode, sizeof *p.load);
    p.fixed = calloc((size_t)p.nnode, 3);
    p.conn = calloc((size_t)p.nelem, 3 * sizeof *p.conn);
    const double jitter = kind == IRREGULAR ? 0.3 : 0.0;
    brn_rng rng = {77};
    int *c = p.conn;
    for (int j = 0; j <= ny; ++j) {
        for (int i = 0; i <= nx; ++i) {
            double *x = p.rest[j * (nx + 1) + i];
            const double u = brn_rng_uniform(&rng, -jitter, jitter),
                         v = brn_rng_uniform(&rng, -jitter, jitter);
            x[0] = box[0] + (box[2] - box[0]) / nx * (i + (i > keep && i < nx - keep ? u : 0.0));
            x[1] = box[1] + (box[3] - box[1]) / ny * (j + (j > keep && j < ny - keep ? v : 0.0));
            if (i < nx && j < ny) {
                const int a = j * (nx + 1) + i, b = a + 1, d = a + nx + 1, e = d + 1;
                const int one[6] = {a, b, e, a, e, d}, other[6] = {a, b, d, b, e, d};
                memcpy(c, kind == MIRRORED && (i + j) % 2 == 1 ? other : one, sizeof one);
                c += 6;
            }
        }
    }
    if (kind == IRREGULAR) {
        plate_delaunay(&p, nx, ny);
    }
    return p;
}

static inline void plate_destroy(plate *p)
{
    brn_group_destroy(p->group[0]);
    brn_group_destroy(p->group[1]);
    brn_block_matrix_destroy(p->matrix);
    brn_assembly_destroy(p->assembly);
    free(p->rest);
    free(p->x);
    free(p->load);
    free(p->fixed);
    free(p->conn);
}

/* ---- stiffness ------------------------------------------------------------------------------------------------------ */

typedef struct plate_material {
    double young, poisson, thickness, density;
    brn_membrane_kind kind;
    bool hinge; /* angles shared half and half */
} plate_material;

static inline double plate_bending_stiffness(const plate_material *m)
{
    return m->young * m->thickness * m->thickness * m->thickness / (12.0 * (1.0 - m->poisson * m->poisson));
}

/* Makes the groups for what is fixed by now: triangles whose nodes are all held are clamped. */
static inline void plate_build(plate *p, const plate_material *m)
{
    const double mu = 0.5 * m->young / (1.0 + m->poisson);
    const double lambda = 2.0 * mu * m->poisson / (1.0 - 2.0 * m->poisson);
    const brn_membrane_law law = brn_membrane_isotropic(m->kind, lambda, mu);
    unsigned char *clamped = calloc((size_t)p->nelem, 1);
    for (int e = 0; e < p->nelem; ++e) {
        clamped[e] = 1;
        for (int k = 0; k < 9; ++k) {
            clamped[e] = clamped[e] && p->fixed[3 * p->conn[3 * e + k / 3] + k % 3];
        }
    }
    brn_bending_options options = {.clamped = clamped, .hinge = m->hinge};
    for (int i = 0; i < 6; ++i) {
        options.stiffness[i] = law.stiffness[i] * m->thickness * m->thickness * m->thickness / 12.0;
    }
    brn_membrane *membrane = NULL;
    brn_bending *bending = NULL;
    assert_done(p->ctx, brn_membrane_create(p->ctx, &law, m->thickness, (const double(*)[3])p->rest, p->conn,
                                            NULL, p->nelem, &membrane));
    assert_done(p->ctx, brn_bending_create(p->ctx, &options, (const double(*)[3])p->rest, p->conn, p->nelem,
                                           &bending));
    free(clamped);
    membrane->group.density = m->density;
    p->group[0] = &membrane->group;
    p->group[1] = &bending->group;
    const brn_stencils lists[2] = {brn_group_stencils(p->group[0]), brn_group_stencils(p->group[1])};
    assert_done(p->ctx, brn_block_matrix_create(p->ctx, p->nnode, 3, lists, 2, &p->matrix));
    assert_done(p->ctx, brn_assembly_create(p->ctx, p->nnode, 3, lists, 2, p->matrix, &p->assembly));
    memcpy(p->x, p->rest, (size_t)p->nnode * sizeof *p->x);
}

typedef struct plate_request {
    const plate *p;
    brn_tangent tangent;
} plate_request;

static inline brn_status plate_elements(void *arg, int list, int first, int count, double *energy,
                                        double *grad, double *hess, brn_arena *scratch)
{
    (void)scratch;
    const plate_request *r = arg;
    const brn_element_group *g = r->p->group[list];
    g->kind->eval(g, (const double(*)[3])r->p->x, first, count, r->tangent, energy, grad, hess);
    return BRN_OK;
}

/* Energy without loads; grad and the matrix, if asked for, are made anew. */
static inline double plate_energy(plate *p, brn_tangent tangent, double *grad, bool matrix)
{
    plate_request r = {p, tangent};
    double energy = 0.0;
    if (grad != NULL) {
        memset(grad, 0, (size_t)p->nnode * 3 * sizeof *grad);
    }
    if (matrix) {
        brn_block_matrix_zero(p->matrix);
    }
    assert_done(p->ctx,
                brn_assembly_add(p->assembly, plate_elements, &r, &energy, grad, matrix ? p->matrix : NULL));
    return energy;
}

/* Area at rest of all triangles at a node, a third of each. */
static inline void plate_weight(plate *p, double per_area, int axis)
{
    for (int e = 0; e < p->nelem; ++e) {
        const int *node = p->conn + 3 * e;
        double u[3], v[3], normal[3];
        for (int i = 0; i < 3; ++i) {
            u[i] = p->rest[node[1]][i] - p->rest[node[0]][i];
            v[i] = p->rest[node[2]][i] - p->rest[node[0]][i];
        }
        brn_dense_cross3(u, v, normal);
        for (int a = 0; a < 3; ++a) {
            p->load[node[a]][axis] += per_area * sqrt(brn_dense_dot3(normal, normal)) / 6.0;
        }
    }
}

/* ---- solutions ------------------------------------------------------------------------------------------------------ */

/* Displacement [nnode][3] of linear statics from the present shape. */
static inline void plate_linear(plate *p, double *u)
{
    brn_factor *factor = NULL;
    (void)plate_energy(p, BRN_TANGENT_EXACT, NULL, true);
    assert_done(p->ctx, brn_factor_create(p->ctx, p->matrix, p->fixed, &factor));
    assert_done(p->ctx, brn_factor_numeric(factor, p->matrix, p->fixed));
    for (int i = 0; i < 3 * p->nnode; ++i) {
        u[i] = p->fixed[i] ? 0.0 : (&p->load[0][0])[i];
    }
    assert_done(p->ctx, brn_factor_solve(factor, u, u));
    brn_factor_destroy(factor);
}

/* Potential of all forces, and its gradient. */
static inline double plate_potential(plate *p, brn_tangent tangent, double *grad, bool matrix)
{
    double value = plate_energy(p, tangent, grad, matrix);
    for (int i = 0; i < 3 * p->nnode; ++i) {
        value -= (&p->load[0][0])[i] * ((&p->x[0][0])[i] - (&p->rest[0][0])[i]);
        if (grad != NULL) {
            grad[i] = p->fixed[i] ? 0.0 : grad[i] - (&p->load[0][0])[i];
        }
    }
    return value;
}

/* Newton's method with the exact tangent where it is positive definite, the projected one elsewhere, from the present shape to forces
   below `tolerance` times the largest load. Number of iterations. */
static inline int plate_newton(plate *p, double tolerance, int cap)
{
    const int n = 3 * p->nnode;
    double *grad = malloc((size_t)n * sizeof *grad), *step = malloc((size_t)n * sizeof *step),
           *from = malloc((size_t)n * sizeof *from), size = 0.0;
    brn_factor *factor = NULL;
    assert_done(p->ctx, brn_factor_create(p->ctx, p->matrix, p->fixed, &factor));
    for (int i = 0; i < n; ++i) {
        size = fmax(size, fabs((&p->load[0][0])[i]));
    }
    int iteration = 0;
    for (; iteration < cap; ++iteration) {
        double now = plate_potential(p, BRN_TANGENT_EXACT, grad, true), slope = 0.0, largest = 0.0;
        for (int i = 0; i < n; ++i) {
            largest = fmax(largest, fabs(grad[i]));
        }
        if (largest <= tolerance * size) {
            break;
        }
        if (brn_factor_numeric(factor, p->matrix, p->fixed) < 0) {
            (void)plate_energy(p, BRN_TANGENT_PROJECTED, NULL, true);
            for (int i = 0; i < p->nnode; ++i) { /* nothing else holds a membrane without tension */
                double *block = p->matrix->value + 9 * p->matrix->start[i];
                const double shift = 1e-9 * (block[0] + block[4] + block[8]);
                block[0] += shift;
                block[4] += shift;
                block[8] += shift;
            }
            assert_done(p->ctx, brn_factor_numeric(factor, p->matrix, p->fixed));
        }
        assert_done(p->ctx, brn_factor_solve(factor, grad, step));
        for (int i = 0; i < n; ++i) {
            slope += grad[i] * step[i];
        }
        memcpy(from, p->x, (size_t)n * sizeof *from);
        for (double way = 1.0; way > 1e-10; way *= 0.5) {
            for (int i = 0; i < n; ++i) {
                (&p->x[0][0])[i] = from[i] - way * step[i];
            }
            /* down to rounding of the energy the step is as good as it can be */
            const double next = plate_potential(p, BRN_TANGENT_EXACT, NULL, false);
            if (next <= now - 1e-4 * way * slope + 1e-14 * fabs(now)) {
                break;
            }
        }
    }
    brn_factor_destroy(factor);
    free(grad);
    free(step);
    free(from);
    return iteration;
}

/* Lowest circular frequencies [rad/s] with the consistent mass. */
static inline void plate_frequencies(plate *p, int count, double *omega)
{
    const brn_stencils list = brn_group_stencils(p->group[0]);
    brn_block_matrix *mass = NULL;
    assert_done(p->ctx, brn_block_matrix_create(p->ctx, p->nnode, 3, &list, 1, &mass));
    for (int e = 0; e < p->nelem; ++e) {
        double m[6];
        int at = 0;
        p->group[0]->kind->mass(p->group[0], (const double(*)[3])p->rest, e, 1, m);
        for (int a = 0; a < 3; ++a) {
            for (int b = a; b < 3; ++b, ++at) {
                const int i = p->conn[3 * e + a], j = p->conn[3 * e + b];
                double *block = mass->value + 9 * brn_block_matrix_find(mass, i < j ? i : j, i < j ? j : i);
                for (int k = 0; k < 9; k += 4) {
                    block[k] += m[at];
                }
            }
        }
    }
    (void)plate_energy(p, BRN_TANGENT_EXACT, NULL, true);
    brn_modes *modes = NULL;
    assert_done(p->ctx, brn_modes_find(p->ctx, p->matrix, mass, p->fixed, count, 1e-9, &modes));
    for (int i = 0; i < count; ++i) {
        omega[i] = sqrt(fmax(modes->lambda[i], 0.0));
    }
    brn_modes_destroy(modes);
    brn_block_matrix_destroy(mass);
}

/* Component `axis` of a nodal field at a point of the plane, interpolated. */
static inline double plate_at(const plate *p, const double *field, int axis, double x, double y)
{
    for (int e = 0; e < p->nelem; ++e) {
        const int *c = p->conn + 3 * e;
        double weight[3], value = 0.0;
        bool inside = true;
        const double area = plate_cross(p, c[0], c[1], c[2]);
        for (int i = 0; i < 3; ++i) {
            const double *a = p->rest[c[(i + 1) % 3]], *b = p->rest[c[(i + 2) % 3]];
            weight[i] = ((a[0] - x) * (b[1] - y) - (a[1] - y) * (b[0] - x)) / area;
            inside = inside && weight[i] >= -1e-9;
            value += weight[i] * field[3 * c[i] + axis];
        }
        if (inside) {
            return value;
        }
    }
    fail_msg("(%g, %g) is outside of the plate", x, y);
    return NAN;
}

#endif
