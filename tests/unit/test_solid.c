#include "test.h"

#include "base/rng.h"
#include "geom/cell.h"
#include "phys/solid.h"

enum { N = BRN_ELEMENT_NODES_MAX, NDOF = 3 * N, HESS = N * (N + 1) / 2 * 9, PARAMS_SIZE = 1024 };

/* One element of a kind with a material, at rest in a slightly distorted shape. */
typedef struct fixture {
    brn_ctx *ctx;
    const brn_element *element;
    const brn_material *material;
    brn_moduli moduli;
    double rest[N][3];
    int conn[N];
    brn_solid *solid;
    int ndof;
    double scale; /* [Pa] lambda + 2 mu */
} fixture;

static void reference_nodes(const brn_element *e, double out[N][3])
{
    static const double simplex[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const double cube[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                      {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
    static const int triangle_edges[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    static const int tet_edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    static const int hex_edges[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                         {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    const bool hex = e->cell == BRN_HEX8 || e->cell == BRN_HEX20;
    const int ncorner = hex ? 8 : e->dim + 1;
    const int(*edges)[2] = hex ? hex_edges : e->dim == 2 ? triangle_edges : tet_edges;
    for (int a = 0; a < e->nnode; ++a) {
        for (int i = 0; i < 3; ++i) {
            out[a][i] = a < ncorner ? (hex ? cube[a][i] : simplex[a][i])
                                    : 0.5 * (out[edges[a - ncorner][0]][i] + out[edges[a - ncorner][1]][i]);
        }
    }
}

static void setup(fixture *f, brn_ctx *ctx, int element, int material, brn_rng *rng)
{
    *f = (fixture){.ctx = ctx, .element = brn_element_get(element), .material = brn_material_get(material)};
    _Alignas(16) char params[PARAMS_SIZE];
    assert_true(f->material->table->size <= sizeof params);
    brn_table_defaults(f->material->table, params);
    const char *reason = NULL;
    assert_true(f->material->moduli(params, &f->moduli, &reason));
    f->scale = f->moduli.lambda + 2.0 * f->moduli.mu;
    f->ndof = f->element->nnode * f->element->dim;
    reference_nodes(f->element, f->rest);
    for (int a = 0; a < f->element->nnode; ++a) {
        f->conn[a] = a;
        for (int i = 0; i < f->element->dim; ++i) {
            f->rest[a][i] += brn_rng_uniform(rng, -0.05, 0.05);
        }
    }
    assert_done(ctx, brn_solid_create(ctx, f->element->cell, f->material, &f->moduli,
                                      (const double(*)[3])f->rest, f->conn, 1, &f->solid));
}

static void eval(const fixture *f, double x[N][3], brn_tangent tangent, double *energy, double *grad,
                 double *hess)
{
    brn_solid_eval(f->solid, (const double(*)[3])x, 0, 1, tangent, energy, grad, hess);
}

/* The element's blocks as a full symmetric matrix. */
static void full(const fixture *f, const double *hess, double k[NDOF][NDOF])
{
    const int dim = f->element->dim;
    for (int a = 0; a < f->element->nnode; ++a) {
        for (int b = a; b < f->element->nnode; ++b) {
            for (int i = 0; i < dim; ++i) {
                for (int j = 0; j < dim; ++j) {
                    k[a * dim + i][b * dim + j] = k[b * dim + j][a * dim + i] = *hess++;
                }
            }
        }
    }
}

static double largest(const double *v, int count)
{
    double size = 0.0;
    for (int i = 0; i < count; ++i) {
        size = fmax(size, fabs(v[i]));
    }
    return size;
}

/* Smallest eigenvalue of a symmetric matrix by cyclic Jacobi rotations; the slow, obvious way. */
static double smallest_eigenvalue(double k[NDOF][NDOF], int n)
{
    for (int sweep = 0; sweep < 30; ++sweep) {
        double off = 0.0, all = 0.0;
        for (int p = 0; p < n; ++p) {
            for (int q = 0; q < n; ++q) {
                all += k[p][q] * k[p][q];
                off += p == q ? 0.0 : k[p][q] * k[p][q];
            }
        }
        if (off <= 1e-30 * all) {
            break;
        }
        for (int p = 0; p < n; ++p) {
            for (int q = p + 1; q < n; ++q) {
                if (k[p][q] == 0.0) {
                    continue;
                }
                const double zeta = (k[q][q] - k[p][p]) / (2.0 * k[p][q]);
                const double t = (zeta >= 0.0 ? 1.0 : -1.0) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
                const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
                for (int r = 0; r < n; ++r) {
                    const double a = k[r][p], b = k[r][q];
                    k[r][p] = c * a - s * b;
                    k[r][q] = s * a + c * b;
                }
                for (int r = 0; r < n; ++r) {
                    const double a = k[p][r], b = k[q][r];
                    k[p][r] = c * a - s * b;
                    k[q][r] = s * a + c * b;
                }
            }
        }
    }
    double smallest = k[0][0];
    for (int i = 1; i < n; ++i) {
        smallest = fmin(smallest, k[i][i]);
    }
    return smallest;
}

/* Deformed states of rising violence; the last ones are inverted. A homogeneous map plus noise. */
enum { STATES = 6 };

static void deform(const fixture *f, int state, brn_rng *rng, double x[N][3])
{
    static const double map[STATES][9] = {
        {1, 0, 0, 0, 1, 0, 0, 0, 1},                 /* near rest */
        {0.6, -0.9, 0, 0.8, 0.7, 0.1, 0, -0.1, 1.1}, /* rotated, stretched */
        {0.5, 0.1, 0, 0, 0.45, 0, 0.05, 0, 0.6},     /* compressed */
        {2.5, 0.3, 0, 0, 0.5, 0, 0, 0, 0.7},         /* pulled */
        {1.0, 0.1, 0.2, 0, -0.6, 0, 0, 0, 1.0},      /* inverted */
        {-1.2, 0, 0.3, 0.2, 0.8, 0.1, 0, 0, 0.4},    /* inverted, sheared */
    };
    const double noise = state == 0 ? 1e-3 : 0.03;
    for (int a = 0; a < f->element->nnode; ++a) {
        for (int i = 0; i < 3; ++i) {
            x[a][i] = 0.0;
            for (int j = 0; i < f->element->dim && j < f->element->dim; ++j) {
                x[a][i] += map[state][3 * i + j] * f->rest[a][j];
            }
            if (i < f->element->dim) {
                x[a][i] += brn_rng_uniform(rng, -noise, noise) + 2.0;
            }
        }
    }
}

static int state_count(const fixture *f)
{
    return f->material->barrier ? STATES - 2 : STATES;
}

/* Runs a check for every element x every material. */
static void for_each(void (*check)(fixture *f, brn_rng *rng))
{
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {2024};
    for (int e = 0; e < brn_element_count(); ++e) {
        for (int m = 0; m < brn_material_count(); ++m) {
            fixture f;
            setup(&f, ctx, e, m, &rng);
            check(&f, &rng);
            brn_solid_destroy(f.solid);
        }
    }
    brn_ctx_destroy(ctx);
}

/* ---- derivatives ------------------------------------------------------------------------------------------------ */

/* Central differences of fourth order along a direction. */
static const double stencil[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
static const double offset[4] = {-2.0, -1.0, 1.0, 2.0};

static void check_derivatives(fixture *f, brn_rng *rng)
{
    const int dim = f->element->dim, nnode = f->element->nnode;
    for (int state = 0; state < state_count(f); ++state) {
        double x[N][3], direction[N][3] = {{0}}, grad[NDOF], hess[HESS], energy;
        static double k[NDOF][NDOF];
        deform(f, state, rng, x);
        for (int a = 0; a < nnode; ++a) {
            for (int i = 0; i < dim; ++i) {
                direction[a][i] = brn_rng_uniform(rng, -1.0, 1.0);
            }
        }
        eval(f, x, BRN_TANGENT_EXACT, &energy, grad, hess);
        full(f, hess, k);
        const double h = 2e-4;
        double denergy = 0.0, dgrad[NDOF] = {0};
        for (int s = 0; s < 4; ++s) {
            double moved[N][3], e, g[NDOF];
            for (int a = 0; a < nnode; ++a) {
                for (int i = 0; i < 3; ++i) {
                    moved[a][i] = x[a][i] + offset[s] * h * direction[a][i];
                }
            }
            eval(f, moved, BRN_TANGENT_EXACT, &e, g, NULL);
            denergy += stencil[s] * e / h;
            for (int i = 0; i < f->ndof; ++i) {
                dgrad[i] += stencil[s] * g[i] / h;
            }
        }
        double along = 0.0, product[NDOF] = {0};
        for (int r = 0; r < f->ndof; ++r) {
            along += grad[r] * direction[r / dim][r % dim];
            for (int c = 0; c < f->ndof; ++c) {
                product[r] += k[r][c] * direction[c / dim][c % dim];
            }
        }
        /* h^4 times fifth derivatives (hundreds of the tangent under compression by a half) and rounding 1e-16/h;
           measured below 1e-9 of the tangent's size */
        const double size = largest(hess, brn_group_hess_size(&f->solid->group));
        assert_near(along, denergy, 5e-9 * size);
        for (int r = 0; r < f->ndof; ++r) {
            assert_near(product[r], dgrad[r], 5e-9 * size);
        }
    }
}

static void test_derivatives(void **state)
{
    (void)state;
    for_each(check_derivatives);
}

/* What resists velocities is the viscous tangent times them. */
static void check_resist(fixture *f, brn_rng *rng)
{
    const int dim = f->element->dim;
    double x[N][3];
    double v[N][3] = {{0}};
    double y[NDOF];
    double grad[NDOF];
    double hess[HESS];
    double energy;
    static double k[NDOF][NDOF];
    memcpy(x, f->rest, sizeof x);
    for (int a = 0; a < f->element->nnode; ++a) {
        for (int i = 0; i < dim; ++i) {
            x[a][i] += brn_rng_uniform(rng, -0.1, 0.1);
            v[a][i] = brn_rng_uniform(rng, -1.0, 1.0);
        }
    }
    eval(f, x, BRN_TANGENT_VISCOUS, &energy, grad, hess);
    full(f, hess, k);
    brn_solid_resist(f->solid, (const double(*)[3])x, (const double(*)[3])v, 0, 1, y);
    for (int i = 0; i < f->ndof; ++i) {
        double want = 0.0;
        for (int j = 0; j < f->ndof; ++j) {
            want += k[i][j] * v[j / dim][j % dim];
        }
        /* 60 products of two ways to add up */
        assert_near(y[i], want, 1e-13 * largest(hess, brn_group_hess_size(&f->solid->group)));
    }
}

static void test_resist(void **state)
{
    (void)state;
    for_each(check_resist);
}

/* With its rotation held a lagged material is linear: whatever the stretch, the tangent is the exact one of the same rotation alone, and
   with it the force at x is that of the rotated shape plus the tangent times the way from there. */
static void check_lagged(fixture *f, brn_rng *rng)
{
    const int dim = f->element->dim;
    const double angle = brn_rng_uniform(rng, -3.0, 3.0);
    const double stretch[3] = {brn_rng_uniform(rng, 0.6, 1.5), brn_rng_uniform(rng, 0.6, 1.5),
                               dim == 3 ? 1.2 : 1.0};
    double turned[N][3] = {{0}};
    double x[N][3] = {{0}};
    double grad[NDOF];
    double lagged[HESS];
    double exact[HESS];
    double energy;
    static double k[NDOF][NDOF];
    if (!f->material->lagged) {
        return;
    }
    for (int a = 0; a < f->element->nnode; ++a) {
        const double *r = f->rest[a];
        const double s[2] = {stretch[0] * r[0], stretch[1] * r[1]};
        turned[a][0] = cos(angle) * r[0] - sin(angle) * r[1];
        turned[a][1] = sin(angle) * r[0] + cos(angle) * r[1];
        turned[a][2] = r[2];
        x[a][0] = cos(angle) * s[0] - sin(angle) * s[1];
        x[a][1] = sin(angle) * s[0] + cos(angle) * s[1];
        x[a][2] = stretch[2] * r[2];
    }
    eval(f, turned, BRN_TANGENT_EXACT, &energy, grad, exact);
    eval(f, x, BRN_TANGENT_LAGGED, &energy, grad, lagged);
    const double size = largest(exact, brn_group_hess_size(&f->solid->group));
    for (int i = 0; i < brn_group_hess_size(&f->solid->group); ++i) {
        assert_near(lagged[i], exact[i], 1e-12 * size);
    }
    full(f, lagged, k);
    for (int i = 0; i < f->ndof; ++i) {
        double force = 0.0;
        for (int j = 0; j < f->ndof; ++j) {
            force += k[i][j] * (x[j / dim][j % dim] - turned[j / dim][j % dim]);
        }
        assert_near(grad[i], force, 1e-12 * size);
    }
    assert_true(smallest_eigenvalue(k, f->ndof) >= -1e-12 * size);
}

static void test_lagged(void **state)
{
    (void)state;
    for_each(check_lagged);
}

static void check_projection(fixture *f, brn_rng *rng)
{
    for (int state = 0; state < state_count(f); ++state) {
        double x[N][3], exact[HESS], projected[HESS], grad[NDOF], energy;
        static double k[NDOF][NDOF];
        deform(f, state, rng, x);
        eval(f, x, BRN_TANGENT_EXACT, &energy, grad, exact);
        eval(f, x, BRN_TANGENT_PROJECTED, &energy, grad, projected);
        const int count = brn_group_hess_size(&f->solid->group);
        const double size = largest(projected, count);
        full(f, projected, k);
        /* rounding of sums over up to 27 points and 20 nodes */
        assert_true(smallest_eigenvalue(k, f->ndof) >= -1e-12 * size);
        if (f->element->nquad == 1) {
            /* one point: the element's Hessian is semi-definite exactly if the point's is */
            full(f, exact, k);
            const double smallest = smallest_eigenvalue(k, f->ndof);
            double difference = 0.0;
            for (int i = 0; i < count; ++i) {
                difference = fmax(difference, fabs(exact[i] - projected[i]));
            }
            if (smallest > -1e-14 * size) {
                assert_true(difference <= 1e-12 * size);
            } else if (smallest < -1e-6 * size) {
                assert_true(difference > 1e-8 * size);
            }
        }
    }
}

static void test_projection(void **state)
{
    (void)state;
    for_each(check_projection);
}

/* ---- invariance ---------------------------------------------------------------------------------------------------- */

static void check_balance(fixture *f, brn_rng *rng)
{
    const int dim = f->element->dim, nnode = f->element->nnode;
    for (int state = 0; state < state_count(f); ++state) {
        double x[N][3], grad[NDOF], energy, force[3] = {0}, moment[3] = {0};
        deform(f, state, rng, x);
        eval(f, x, BRN_TANGENT_EXACT, &energy, grad, NULL);
        for (int a = 0; a < nnode; ++a) {
            double g[3] = {0};
            memcpy(g, grad + a * dim, (size_t)dim * sizeof *g);
            for (int i = 0; i < 3; ++i) {
                const int j = (i + 1) % 3, k = (i + 2) % 3;
                force[i] += g[i];
                moment[i] += x[a][j] * g[k] - x[a][k] * g[j];
            }
        }
        /* rounding of a sum of up to 20 forces of that size, arms of about 4 */
        const double size = largest(grad, f->ndof) + 1e-2 * f->scale;
        for (int i = 0; i < 3; ++i) {
            assert_near(force[i], 0.0, 1e-14 * size);
            if (!f->material->linear) { /* small-strain forces balance moments about the rest shape only */
                assert_near(moment[i], 0.0, 1e-13 * size);
            }
        }
    }
}

static void test_forces_and_moments_balance(void **state)
{
    (void)state;
    for_each(check_balance);
}

static void check_rotation(fixture *f, brn_rng *rng)
{
    if (f->material->linear) {
        return;
    }
    const int dim = f->element->dim, nnode = f->element->nnode;
    /* about z in the plane; about (1, 2, 2)/3 by Rodrigues' formula in space */
    const double angle = 1.1, c = cos(angle), s = sin(angle);
    const double n[3] = {dim == 2 ? 0.0 : 1.0 / 3.0, dim == 2 ? 0.0 : 2.0 / 3.0, dim == 2 ? 1.0 : 2.0 / 3.0};
    double r[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const int k = 3 - i - j;
            r[i][j] = (1.0 - c) * n[i] * n[j] + (i == j ? c : ((j - i + 3) % 3 == 1 ? -s : s) * n[k]);
        }
    }
    for (int state = 0; state < state_count(f); ++state) {
        double x[N][3], y[N][3] = {{0}}, g0[NDOF], g1[NDOF], e0, e1;
        deform(f, state, rng, x);
        for (int a = 0; a < nnode; ++a) {
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    y[a][i] += r[i][j] * x[a][j];
                }
            }
        }
        eval(f, x, BRN_TANGENT_EXACT, &e0, g0, NULL);
        eval(f, y, BRN_TANGENT_EXACT, &e1, g1, NULL);
        /* rounding of positions (1e-16 of 5) times stiffness, energy of order of the moduli, 10x margin */
        const double size = f->scale + largest(g0, f->ndof);
        assert_near(e1, e0, 1e-14 * size);
        for (int a = 0; a < nnode; ++a) {
            for (int i = 0; i < dim; ++i) {
                double turned = 0.0;
                for (int j = 0; j < dim; ++j) {
                    turned += r[i][j] * g0[a * dim + j];
                }
                assert_near(g1[a * dim + i], turned, 1e-13 * size);
            }
        }
    }
}

static void test_rotation_invariance(void **state)
{
    (void)state;
    for_each(check_rotation);
}

static void check_rest(fixture *f, brn_rng *rng)
{
    (void)rng;
    double grad[NDOF], energy;
    eval(f, f->rest, BRN_TANGENT_EXACT, &energy, grad, NULL);
    /* F is the identity to rounding: stress of 1e-15 of the moduli, energy of its square (or of 1e-16 times the strain) */
    assert_near(energy, 0.0, 1e-28 * f->scale * 1e3);
    for (int i = 0; i < f->ndof; ++i) {
        assert_near(grad[i], 0.0, 1e-14 * f->scale);
    }
}

static void test_rest_is_stress_free(void **state)
{
    (void)state;
    for_each(check_rest);
}

/* ---- stress ----------------------------------------------------------------------------------------------------------- */

/* In a homogeneous state every point of the element has the same stress: the principal Cauchy stresses W_i s_i / J
   along the axes of the stretch, whatever the rotation. The in-plane axes are turned by an angle. */
static void check_stress(fixture *f, brn_rng *rng)
{
    (void)rng;
    const int dim = f->element->dim, nnode = f->element->nnode;
    const double s[3] = {1.25, 0.8, dim == 2 ? 1.0 : 0.9};
    const double angle = f->material->linear ? 0.0 : 0.6, c = cos(angle), sn = sin(angle);
    double x[N][3], cauchy[6], jacobian, density, energy;
    for (int a = 0; a < nnode; ++a) {
        const double *p = f->rest[a];
        x[a][0] = c * s[0] * p[0] - sn * s[1] * p[1];
        x[a][1] = sn * s[0] * p[0] + c * s[1] * p[1];
        x[a][2] = s[2] * p[2];
    }
    double principal[3], want_density;
    const double e[3] = {s[0] - 1.0, s[1] - 1.0, s[2] - 1.0};
    if (f->material->linear) {
        const double trace = e[0] + e[1] + e[2];
        want_density = 0.5 * f->moduli.lambda * trace * trace;
        for (int i = 0; i < 3; ++i) {
            principal[i] = 2.0 * f->moduli.mu * e[i] + f->moduli.lambda * trace;
            want_density += f->moduli.mu * e[i] * e[i];
        }
    } else {
        brn_stretch_batch b;
        for (int i = 0; i < 3; ++i) {
            b.s[i] = brn_lanes_all(s[i]);
        }
        f->material->stretches(&f->moduli, BRN_ORDER_FIRST, &b);
        for (int i = 0; i < 3; ++i) {
            principal[i] = b.first[i][0] * s[i] / (s[0] * s[1] * s[2]);
        }
        want_density = b.energy[0];
    }
    const double want[6] = {c * c * principal[0] + sn * sn * principal[1],
                            sn * sn * principal[0] + c * c * principal[1],
                            principal[2],
                            0.0,
                            0.0,
                            c * sn * (principal[0] - principal[1])};
    brn_solid_stress(f->solid, (const double(*)[3])x, 0, 1, cauchy, &jacobian, &density);
    /* F is s to a few ulp, times the moduli */
    for (int i = 0; i < 6; ++i) {
        assert_near(cauchy[i], want[i], 2e-14 * f->scale);
    }
    assert_near(jacobian, s[0] * s[1] * s[2], 1e-14);
    assert_near(density, want_density, 1e-14 * f->scale);
    eval(f, x, BRN_TANGENT_EXACT, &energy, NULL, NULL);
    assert_near(energy, want_density * brn_solid_element_volume(f->solid, 0), 1e-13 * f->scale);
    brn_solid_stress(f->solid, (const double(*)[3])x, 0, 1, NULL, NULL, NULL);
}

static void test_stress_of_homogeneous_state(void **state)
{
    (void)state;
    for_each(check_stress);
}

/* ---- degenerate input ------------------------------------------------------------------------------------------------- */

static void check_degenerate(fixture *f, brn_rng *rng)
{
    (void)rng;
    const int nnode = f->element->nnode, dim = f->element->dim;
    for (int c = 0; c < 5; ++c) {
        double x[N][3] = {{0}}, energy, grad[NDOF], hess[HESS], cauchy[6], jacobian, density;
        for (int a = 0; a < nnode; ++a) {
            for (int i = 0; i < dim; ++i) {
                const double p = f->rest[a][i];
                x[a][i] = c == 0   ? 0.0                             /* a point */
                          : c == 1 ? (i == 0 ? p : 0.0)              /* a line */
                          : c == 2 ? (i == dim - 1 ? 0.0 : p)        /* flat */
                          : c == 3 ? (i == dim - 1 ? -p : p)         /* mirrored */
                                   : (i == 0 ? -1e3 * p : 1e-3 * p); /* mirrored and very thin */
            }
        }
        for (int t = 0; t < 2; ++t) {
            eval(f, x, t == 0 ? BRN_TANGENT_EXACT : BRN_TANGENT_PROJECTED, &energy, grad, hess);
            if (f->material->barrier) {
                assert_true(energy == INFINITY);
            } else {
                assert_true(isfinite(energy));
            }
            for (int i = 0; i < f->ndof; ++i) {
                assert_true(isfinite(grad[i]));
            }
            for (int i = 0; i < brn_group_hess_size(&f->solid->group); ++i) {
                assert_true(isfinite(hess[i]));
            }
        }
        brn_solid_stress(f->solid, (const double(*)[3])x, 0, 1, cauchy, &jacobian, &density);
        assert_true(isfinite(jacobian) && jacobian <= 0.0);
        for (int i = 0; i < 6; ++i) {
            assert_true(isfinite(cauchy[i]));
        }
    }
}

static void test_degenerate_states(void **state)
{
    (void)state;
    for_each(check_degenerate);
}

static void test_bad_rest_shapes_are_refused(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    double rest[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.3, 0.3, 0}};
    const int conn[3][4] = {{0, 1, 2, 3}, {0, 1, 2, 4}, {0, 2, 1, 3}};
    const brn_material *material = brn_material_get(0);
    const brn_moduli moduli = {.lambda = 1.0, .mu = 1.0};
    brn_solid *solid = NULL;
    const double(*x)[3] = (const double(*)[3])rest;
    assert_int_equal(brn_solid_create(ctx, BRN_TET4, material, &moduli, x, conn[0], 2, &solid), BRN_ERR_MESH);
    assert_non_null(strstr(brn_ctx_message(ctx), "element 1 (tet4)")); /* flat */
    assert_null(solid);
    assert_int_equal(brn_solid_create(ctx, BRN_TET4, material, &moduli, x, conn[2], 1, &solid), BRN_ERR_MESH);
    rest[3][2] = NAN;
    assert_int_equal(brn_solid_create(ctx, BRN_TET4, material, &moduli, x, conn[0], 1, &solid), BRN_ERR_MESH);
    assert_int_equal(brn_solid_create(ctx, BRN_QUAD4, material, &moduli, x, conn[0], 1, &solid),
                     BRN_ERR_MISSING);
    assert_int_equal(brn_solid_create(ctx, BRN_TET4, material, &moduli, x, conn[0], -1, &solid),
                     BRN_ERR_RANGE);
    /* thin but well shaped: a layer of 1e-9 is no error; nor is a solid without elements */
    rest[3][2] = 1e-9;
    assert_done(ctx, brn_solid_create(ctx, BRN_TET4, material, &moduli, x, conn[0], 1, &solid));
    brn_solid_destroy(solid);
    assert_done(ctx, brn_solid_create(ctx, BRN_TET4, material, &moduli, x, NULL, 0, &solid));
    brn_solid_eval(solid, x, 0, 0, BRN_TANGENT_EXACT, NULL, NULL, NULL);
    brn_solid_destroy(solid);
    brn_solid_destroy(NULL);
    brn_ctx_destroy(ctx);
}

/* ---- batches -------------------------------------------------------------------------------------------------------------- */

/* Eleven elements in one solid (a full batch and a part of one) give the same bits as each element alone, whatever is
   asked for and however the range is cut. */
static void check_batches(fixture *f, brn_rng *rng)
{
    enum { COUNT = 11 };
    const int nnode = f->element->nnode, grad_size = brn_group_grad_size(&f->solid->group),
              hess_size = brn_group_hess_size(&f->solid->group);
    static double rest[COUNT * N][3], x[COUNT * N][3];
    static double energy[COUNT], grad[COUNT * NDOF], hess[COUNT * HESS], other[COUNT * HESS];
    static int conn[COUNT * N];
    for (int e = 0; e < COUNT; ++e) {
        deform(f, e % state_count(f), rng, &x[e * nnode]);
        memcpy(&rest[e * nnode], f->rest, (size_t)nnode * sizeof *rest);
        for (int a = 0; a < nnode; ++a) {
            conn[e * nnode + a] = e * nnode + a;
        }
    }
    brn_solid *solid = NULL;
    assert_done(f->ctx, brn_solid_create(f->ctx, f->element->cell, f->material, &f->moduli,
                                         (const double(*)[3])rest, conn, COUNT, &solid));
    const double(*y)[3] = (const double(*)[3])x;
    brn_solid_eval(solid, y, 0, COUNT, BRN_TANGENT_PROJECTED, energy, grad, hess);
    for (int e = 0; e < COUNT; ++e) {
        double e1, g1[NDOF], h1[HESS];
        brn_solid_eval(f->solid, y + e * nnode, 0, 1, BRN_TANGENT_PROJECTED, &e1, g1, h1);
        assert_memory_equal(&e1, &energy[e], sizeof e1);
        assert_memory_equal(g1, grad + e * grad_size, (size_t)grad_size * sizeof *g1);
        assert_memory_equal(h1, hess + e * hess_size, (size_t)hess_size * sizeof *h1);
        assert_true(brn_solid_element_volume(solid, e) == brn_solid_element_volume(f->solid, 0));
    }
    /* each quantity alone, and the second batch alone */
    brn_solid_eval(solid, y, 0, COUNT, BRN_TANGENT_EXACT, other, NULL, NULL);
    assert_memory_equal(other, energy, sizeof energy);
    brn_solid_eval(solid, y, 0, COUNT, BRN_TANGENT_EXACT, NULL, other, NULL);
    assert_memory_equal(other, grad, (size_t)(COUNT * grad_size) * sizeof *grad);
    brn_solid_eval(solid, y, BRN_LANES, COUNT - BRN_LANES, BRN_TANGENT_PROJECTED, NULL, NULL, other);
    assert_memory_equal(other, hess + BRN_LANES * hess_size,
                        (size_t)((COUNT - BRN_LANES) * hess_size) * sizeof *hess);
    brn_solid_destroy(solid);
}

/* Solids of 1, 5, 1 and 3 elements joined give the bits of their elements, their volumes included, which may be other than the rest
   shape's. */
static void check_join(fixture *f, brn_rng *rng)
{
    enum { PARTS = 4, COUNT = 10 };
    static const int count[PARTS] = {1, 5, 1, 3};
    const int nnode = f->element->nnode, grad_size = brn_group_grad_size(&f->solid->group),
              hess_size = brn_group_hess_size(&f->solid->group);
    static double rest[COUNT * N][3], x[COUNT * N][3];
    static double energy[2][COUNT], grad[2][COUNT * NDOF], hess[2][COUNT * HESS], jacobian[2][COUNT];
    static int conn[COUNT * N];
    brn_element_group *part[PARTS] = {NULL};
    brn_solid *joined = NULL;
    for (int e = 0; e < COUNT; ++e) {
        deform(f, e % state_count(f), rng, &x[e * nnode]);
        for (int a = 0; a < nnode; ++a) {
            conn[e * nnode + a] = e * nnode + a;
            for (int i = 0; i < 3; ++i) {
                rest[e * nnode + a][i] = (1.0 + 0.1 * e) * f->rest[a][i];
            }
        }
    }
    const double(*y)[3] = (const double(*)[3])x;
    for (int k = 0, first = 0; k < PARTS; first += count[k++]) {
        brn_solid *solid = NULL;
        assert_done(f->ctx,
                    brn_solid_create(f->ctx, f->element->cell, f->material, &f->moduli,
                                     (const double(*)[3])rest, &conn[first * nnode], count[k], &solid));
        solid->volume[0] *= 1.0 + k;
        brn_solid_eval(solid, y, 0, count[k], BRN_TANGENT_EXACT, &energy[0][first],
                       grad[0] + first * grad_size, hess[0] + first * hess_size);
        brn_solid_stress(solid, y, 0, count[k], NULL, &jacobian[0][first], NULL);
        part[k] = &solid->group;
        assert_true(brn_solid_alike(brn_solid_of_group(part[0]), solid));
    }
    assert_done(f->ctx, brn_solid_join(f->ctx, part, PARTS, &joined));
    assert_int_equal(joined->group.nelem, COUNT);
    brn_solid_eval(joined, y, 0, COUNT, BRN_TANGENT_EXACT, energy[1], grad[1], hess[1]);
    brn_solid_stress(joined, y, 0, COUNT, NULL, jacobian[1], NULL);
    assert_memory_equal(energy[0], energy[1], sizeof energy[0]);
    assert_memory_equal(grad[0], grad[1], (size_t)(COUNT * grad_size) * sizeof *grad[0]);
    assert_memory_equal(hess[0], hess[1], (size_t)(COUNT * hess_size) * sizeof *hess[0]);
    assert_memory_equal(jacobian[0], jacobian[1], sizeof jacobian[0]);
    joined->moduli.mu *= 1.5;
    assert_false(brn_solid_alike(joined, brn_solid_of_group(part[0])));
    brn_solid_destroy(joined);
    for (int k = 0; k < PARTS; ++k) {
        brn_group_destroy(part[k]);
    }
}

static void test_join(void **state)
{
    (void)state;
    for_each(check_join);
}

static void test_batches_and_padding(void **state)
{
    (void)state;
    for_each(check_batches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_resist),
        cmocka_unit_test(test_projection),
        cmocka_unit_test(test_lagged),
        cmocka_unit_test(test_forces_and_moments_balance),
        cmocka_unit_test(test_rotation_invariance),
        cmocka_unit_test(test_rest_is_stress_free),
        cmocka_unit_test(test_stress_of_homogeneous_state),
        cmocka_unit_test(test_degenerate_states),
        cmocka_unit_test(test_bad_rest_shapes_are_refused),
        cmocka_unit_test(test_batches_and_padding),
        cmocka_unit_test(test_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
