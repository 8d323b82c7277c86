/* Checks that every element group of shells must pass, and the sheets that they are made on. */
#ifndef BRN_TESTS_SHELL_SUPPORT_H
#define BRN_TESTS_SHELL_SUPPORT_H

#include "test.h"

#include "base/rng.h"
#include "linalg/dense.h"
#include "phys/group.h"

enum { SHELL_DOFS = 36, SHELL_HESS = 702 };

/* A sheet of nx x ny squares, each of two triangles; jitter moves its inner nodes in the plane, by a part of a square. */
typedef struct sheet {
    int nnode, nelem;
    double (*x)[3];
    int *conn;
} sheet;

static inline sheet sheet_create(int nx, int ny, double width, double height, double jitter, brn_rng *rng)
{
    sheet s = {.nnode = (nx + 1) * (ny + 1), .nelem = 2 * nx * ny};
    s.x = calloc((size_t)s.nnode, sizeof *s.x);
    s.conn = calloc((size_t)s.nelem * 3, sizeof *s.conn);
    assert_true(s.x != NULL && s.conn != NULL);
    int *c = s.conn;
    for (int j = 0; j <= ny; ++j) {
        for (int i = 0; i <= nx; ++i) {
            double *x = s.x[j * (nx + 1) + i];
            x[0] = width * i / nx;
            x[1] = height * j / ny;
            if (i > 0 && i < nx && j > 0 && j < ny) {
                x[0] += brn_rng_uniform(rng, -jitter, jitter) * width / nx;
                x[1] += brn_rng_uniform(rng, -jitter, jitter) * height / ny;
            }
            if (i < nx && j < ny) {
                const int a = j * (nx + 1) + i, b = a + 1, d = a + nx + 1, e = d + 1;
                const int cell[6] = {a, b, e, a, e, d};
                memcpy(c, cell, sizeof cell);
                c += 6;
            }
        }
    }
    return s;
}

static inline void sheet_destroy(sheet *s)
{
    free(s->x);
    free(s->conn);
}

/* Bends, stretches and shakes. */
static inline void sheet_deform(const sheet *s, double bend, double stretch, double noise, brn_rng *rng,
                                double (*x)[3])
{
    for (int n = 0; n < s->nnode; ++n) {
        const double u = s->x[n][0], v = s->x[n][1];
        x[n][0] = stretch * (bend > 0.0 ? sin(bend * u) / bend : u);
        x[n][1] = v * (1.5 - 0.5 * stretch) + 0.2 * bend * u * v;
        x[n][2] = s->x[n][2] + (bend > 0.0 ? (1.0 - cos(bend * u)) / bend : 0.0) + 0.3 * bend * v * v;
        for (int i = 0; i < 3; ++i) {
            x[n][i] += brn_rng_uniform(rng, -noise, noise);
        }
    }
}

/* An element's blocks as a full symmetric matrix [n][n], n = 3 width. */
static inline void group_full(const brn_element_group *g, const double *hess, double *k)
{
    const int n = 3 * g->nnode;
    for (int a = 0; a < g->nnode; ++a) {
        for (int b = a; b < g->nnode; ++b) {
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    k[(3 * a + i) * n + 3 * b + j] = k[(3 * b + j) * n + 3 * a + i] = *hess++;
                }
            }
        }
    }
}

static inline double largest_of(const double *v, int count)
{
    double size = 0.0;
    for (int i = 0; i < count; ++i) {
        size = fmax(size, fabs(v[i]));
    }
    return size;
}

/* Results of one element. */
static inline void group_one(const brn_element_group *g, const double (*x)[3], int element,
                             brn_tangent tangent, double *energy, double *grad, double *hess)
{
    double e[8], *all_grad = malloc(8 * SHELL_DOFS * sizeof(double)),
                 *all_hess = malloc(8 * SHELL_HESS * sizeof(double));
    const int first = element / 8 * 8, count = element - first + 1;
    g->kind->eval(g, x, first, count, tangent, e, all_grad, all_hess);
    *energy = e[count - 1];
    memcpy(grad, all_grad + (count - 1) * brn_group_grad_size(g),
           (size_t)brn_group_grad_size(g) * sizeof *grad);
    memcpy(hess, all_hess + (count - 1) * brn_group_hess_size(g),
           (size_t)brn_group_hess_size(g) * sizeof *hess);
    free(all_grad);
    free(all_hess);
}

/* Gradient and Hessian of every element against central differences of fourth order, along a random direction, step h.
   tolerance: of the Hessian's size; for the gradient of that times h (differences of the energy lose digits). */
static inline void check_derivatives(const brn_element_group *g, int nnode, const double (*x)[3], double h,
                                     double tolerance, brn_rng *rng)
{
    static const double weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
    static const double offset[4] = {-2.0, -1.0, 1.0, 2.0};
    double(*direction)[3] = calloc((size_t)nnode, sizeof *direction),
    (*moved)[3] = calloc((size_t)nnode, sizeof *moved);
    for (int n = 0; n < nnode; ++n) {
        for (int i = 0; i < 3; ++i) {
            direction[n][i] = brn_rng_uniform(rng, -1.0, 1.0);
        }
    }
    const int ndof = 3 * g->nnode;
    for (int e = 0; e < g->nelem; ++e) {
        const int *node = g->conn + e * g->nnode;
        double energy, grad[SHELL_DOFS], hess[SHELL_HESS], k[SHELL_DOFS * SHELL_DOFS];
        group_one(g, x, e, BRN_TANGENT_EXACT, &energy, grad, hess);
        group_full(g, hess, k);
        const double size = largest_of(hess, brn_group_hess_size(g));
        double denergy = 0.0, dgrad[SHELL_DOFS] = {0};
        for (int s = 0; s < 4; ++s) {
            double other, other_grad[SHELL_DOFS], other_hess[SHELL_HESS];
            for (int n = 0; n < nnode; ++n) {
                for (int i = 0; i < 3; ++i) {
                    moved[n][i] = x[n][i] + offset[s] * h * direction[n][i];
                }
            }
            group_one(g, (const double(*)[3])moved, e, BRN_TANGENT_EXACT, &other, other_grad, other_hess);
            denergy += weight[s] * other / h;
            for (int i = 0; i < ndof; ++i) {
                dgrad[i] += weight[s] * other_grad[i] / h;
            }
        }
        double along = 0.0;
        for (int r = 0; r < ndof; ++r) {
            double product = 0.0;
            along += grad[r] * direction[node[r / 3]][r % 3];
            for (int c = 0; c < ndof; ++c) {
                product += k[r * ndof + c] * direction[node[c / 3]][c % 3];
            }
            assert_near(product, dgrad[r], tolerance * size);
        }
        const double rounding = 1e-15 * fabs(energy) / h;
        assert_near(along, denergy, 10.0 * tolerance * (largest_of(grad, ndof) + size * h) + rounding);
    }
    free(direction);
    free(moved);
}

/* The projected and the viscous Hessian have no negative eigenvalue; the first equals the exact one where that has none. */
static inline void check_semi_definite(const brn_element_group *g, const double (*x)[3])
{
    const int n = 3 * g->nnode, count = brn_group_hess_size(g);
    for (int e = 0; e < g->nelem; ++e) {
        double energy, grad[SHELL_DOFS], hess[SHELL_HESS], k[SHELL_DOFS * SHELL_DOFS],
            v[SHELL_DOFS * SHELL_DOFS], w[SHELL_DOFS];
        for (int tangent = BRN_TANGENT_PROJECTED; tangent <= BRN_TANGENT_VISCOUS; ++tangent) {
            group_one(g, x, e, (brn_tangent)tangent, &energy, grad, hess);
            group_full(g, hess, k);
            assert_int_equal(brn_dense_eigen_sym(n, k, w, v), BRN_OK);
            assert_true(w[0] >= -1e-13 * largest_of(hess, count)); /* rounding of sums of 9 outer products */
        }
    }
}

/* Forces and moments of every element balance. arm: distance of the nodes from the origin. */
static inline void check_balance(const brn_element_group *g, const double (*x)[3], double arm)
{
    for (int e = 0; e < g->nelem; ++e) {
        double energy, grad[SHELL_DOFS], hess[SHELL_HESS], force[3] = {0}, moment[3] = {0};
        group_one(g, x, e, BRN_TANGENT_EXACT, &energy, grad, hess);
        for (int a = 0; a < g->nnode; ++a) {
            double turn[3];
            brn_dense_cross3(x[g->conn[e * g->nnode + a]], grad + 3 * a, turn);
            for (int i = 0; i < 3; ++i) {
                force[i] += grad[3 * a + i];
                moment[i] += turn[i];
            }
        }
        /* rounding of the positions, 1e-16 of the arm, times stiffness; and of the sums */
        const double size =
            largest_of(grad, 3 * g->nnode) + 1e-2 * largest_of(hess, brn_group_hess_size(g)) * arm;
        for (int i = 0; i < 3; ++i) {
            assert_near(force[i], 0.0, 3e-14 * size);
            assert_near(moment[i], 0.0, 3e-13 * size * arm);
        }
    }
}

/* y = R x + shift with a rotation of 1.1 rad about (1, 2, 2). */
static inline void turn_all(int nnode, const double (*x)[3], double shift, double (*y)[3], double r[9])
{
    const double axis[3] = {1.0, 2.0, 2.0};
    assert_true(brn_dense_rotation(axis, 1.1, r));
    for (int n = 0; n < nnode; ++n) {
        brn_dense_apply3(r, x[n], y[n]);
        for (int i = 0; i < 3; ++i) {
            y[n][i] += shift;
        }
    }
}

/* What resists velocities is the viscous tangent times them. */
static inline void check_resist(const brn_element_group *g, int nnode, const double (*x)[3], brn_rng *rng)
{
    const int n = 3 * g->nnode;
    double(*v)[3] = calloc((size_t)nnode, sizeof *v);
    double *y = calloc((size_t)(g->nelem * n), sizeof *y);
    for (int i = 0; i < 3 * nnode; ++i) {
        v[i / 3][i % 3] = brn_rng_uniform(rng, -1.0, 1.0);
    }
    g->kind->resist(g, x, (const double(*)[3])v, 0, g->nelem, y);
    for (int e = 0; e < g->nelem; ++e) {
        double energy, grad[SHELL_DOFS], hess[SHELL_HESS], k[SHELL_DOFS * SHELL_DOFS];
        group_one(g, x, e, BRN_TANGENT_VISCOUS, &energy, grad, hess);
        group_full(g, hess, k);
        for (int i = 0; i < n; ++i) {
            double want = 0.0;
            for (int j = 0; j < n; ++j) {
                want += k[i * n + j] * v[g->conn[e * g->nnode + j / 3]][j % 3];
            }
            /* 36 products of two ways to add up */
            assert_near(y[e * n + i], want, 1e-13 * largest_of(hess, brn_group_hess_size(g)));
        }
    }
    free(v);
    free(y);
}

/* Energies stay and forces turn with the shell; every rigid velocity is in the null space of the viscous tangent. */
static inline void check_objective(const brn_element_group *g, int nnode, const double (*x)[3])
{
    double(*y)[3] = calloc((size_t)nnode, sizeof *y), r[9];
    turn_all(nnode, x, 0.7, y, r);
    for (int e = 0; e < g->nelem; ++e) {
        double e0, e1, g0[SHELL_DOFS], g1[SHELL_DOFS], hess[SHELL_HESS], k[SHELL_DOFS * SHELL_DOFS];
        group_one(g, x, e, BRN_TANGENT_VISCOUS, &e0, g0, hess);
        group_one(g, (const double(*)[3])y, e, BRN_TANGENT_VISCOUS, &e1, g1, hess);
        const double stiff = largest_of(hess, brn_group_hess_size(g)), size = largest_of(g0, 3 * g->nnode);
        assert_near(e1, e0, 1e-14 * (stiff + size)); /* positions are of order 1 */
        for (int a = 0; a < g->nnode; ++a) {
            double turned[3];
            brn_dense_apply3(r, g0 + 3 * a, turned);
            for (int i = 0; i < 3; ++i) {
                assert_near(g1[3 * a + i], turned[i], 3e-14 * (stiff + size));
            }
        }
        group_full(g, hess, k);
        const double omega[3] = {0.3, -0.8, 0.5};
        double rigid[SHELL_DOFS];
        for (int a = 0; a < g->nnode; ++a) {
            brn_dense_cross3(omega, y[g->conn[e * g->nnode + a]], rigid + 3 * a);
        }
        for (int i = 0; i < 3 * g->nnode; ++i) {
            double sum = 0.0;
            for (int j = 0; j < 3 * g->nnode; ++j) {
                sum += k[i * 3 * g->nnode + j] * rigid[j];
            }
            assert_near(sum, 0.0, 1e-13 * stiff);
        }
    }
    free(y);
}

/* The same bits whatever else is asked for, and wherever a range starts. */
static inline void check_bits(const brn_element_group *g, const double (*x)[3])
{
    const size_t n = (size_t)g->nelem, gs = (size_t)brn_group_grad_size(g),
                 hs = (size_t)brn_group_hess_size(g);
    double *energy = malloc(n * sizeof(double)), *grad = malloc(n * gs * sizeof(double)),
           *hess = malloc(n * hs * sizeof(double));
    double *energy2 = malloc(n * sizeof(double)), *grad2 = malloc(n * gs * sizeof(double));
    g->kind->eval(g, x, 0, g->nelem, BRN_TANGENT_EXACT, energy, grad, hess);
    g->kind->eval(g, x, 0, g->nelem, BRN_TANGENT_EXACT, energy2, NULL, NULL);
    assert_memory_equal(energy, energy2, n * sizeof(double));
    g->kind->eval(g, x, 0, g->nelem, BRN_TANGENT_EXACT, NULL, grad2, NULL);
    assert_memory_equal(grad, grad2, n * gs * sizeof(double));
    for (int e = 0; e < g->nelem; ++e) {
        double one, one_grad[SHELL_DOFS], one_hess[SHELL_HESS];
        group_one(g, x, e, BRN_TANGENT_EXACT, &one, one_grad, one_hess);
        assert_memory_equal(&one, energy + e, sizeof one);
        assert_memory_equal(one_grad, grad + (size_t)e * gs, gs * sizeof(double));
        assert_memory_equal(one_hess, hess + (size_t)e * hs, hs * sizeof(double));
    }
    free(energy);
    free(grad);
    free(hess);
    free(energy2);
    free(grad2);
}

#endif
