/* Energy, gradient and Hessian of barriers and friction, and the bound of a step by CCD.

   Barrier of a pair with share of surface A: E = A m b(D), m the mollifier of nearly parallel edges (1 for others):
       grad = A (b grad m + m b' grad D),
       H = A (b H_m + b' (grad m grad D' + grad D grad m') + m (b'' grad D grad D' + b' H_D)),  projected.
   Friction of a pair [Li et al. 2020, eq. 14]: E = F f0(|u|), u = P sum_k w_k (x_k - x_k^n), P = 1 - n n', with the smooth
   f0 whose slope f1 rises from 0 to 1 within eps = eps_v h. Its Hessian F (f1/|u| P + (f1' |u| - f1)/|u|^3 u u')
   is positive semi-definite by itself because f1' >= 0. */
#include "step/ipc/ipc.h"

#include "geom/ccd.h"
#include "geom/mollifier.h"
#include "linalg/dense.h"
#include "step/ipc/ipc_barrier.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 12 };

/* How much of the gap a step keeps. */
static const double KEEP = 0.1;

/* ---- the pairs in contact ----------------------------------------------------------------------------------------------- */

static brn_stencil classify(const brn_candidate *c, const double x[4][3])
{
    return c->kind == BRN_TOUCH_POINT_EDGE       ? brn_classify_point_edge(x)
           : c->kind == BRN_TOUCH_POINT_TRIANGLE ? brn_classify_point_triangle(x)
                                                 : brn_classify_edge_edge(x);
}

brn_status brn_ipc_find_contacts(brn_ipc *ipc, const double *x)
{
    const brn_candidate *all = brn_candidates_get(ipc->candidates);
    const int count = brn_candidates_count(ipc->candidates);
    ipc->ncontact = 0;
    for (int i = 0; i < count; ++i) {
        double at[4][3];
        (void)brn_candidate_gather(&all[i], x, at);
        const brn_stencil stencil = classify(&all[i], (const double(*)[3])at);
        const double d2 = brn_stencil_distance2(stencil, (const double(*)[3])at, 0, NULL, NULL);
        if (d2 < ipc->dhat * ipc->dhat) {
            BRN_GROW(ipc->ctx, ipc->contact, ipc->contact_capacity, ipc->ncontact + 1);
            ipc->contact[ipc->ncontact++] = (brn_ipc_contact){i, stencil, d2};
        }
    }
    return BRN_OK;
}

/* Rest positions of a candidate's nodes, for the mollifier. */
static double mollifier_threshold(const brn_ipc *ipc, const brn_candidate *c)
{
    double rest[4][3];
    (void)brn_candidate_gather(c, &ipc->model->rest[0][0], rest);
    return brn_mollifier_threshold((const double(*)[3])rest);
}

/* ---- one barrier ------------------------------------------------------------------------------------------------------------ */

/* Spreads a stencil's gradient and Hessian over the candidate's nodes. */
static void spread(brn_stencil s, const double *g, const double *h, double *to_g, double *to_h)
{
    const int n = 3 * s.count;
    memset(to_g, 0, WIDTH * sizeof *to_g);
    if (to_h != NULL) {
        memset(to_h, 0, WIDTH * WIDTH * sizeof *to_h);
    }
    for (int i = 0; i < n; ++i) {
        const int row = 3 * s.node[i / 3] + i % 3;
        to_g[row] = g[i];
        for (int j = 0; j < n && to_h != NULL; ++j) {
            to_h[row * WIDTH + 3 * s.node[j / 3] + j % 3] = h[i * n + j];
        }
    }
}

double brn_ipc_barrier_term(const brn_ipc *ipc, const brn_ipc_contact *contact, const double *x, double *grad,
                            double *hess)
{
    const brn_candidate *c = &brn_candidates_get(ipc->candidates)[contact->candidate];
    double at[4][3];
    double g[WIDTH];
    double h[WIDTH * WIDTH];
    double gd[WIDTH];
    double hd[WIDTH * WIDTH];
    double gm[WIDTH] = {0};
    double hm[WIDTH * WIDTH] = {0};
    (void)brn_candidate_gather(c, x, at);
    const double(*nodes)[3] = (const double(*)[3])at;
    const int order = hess != NULL ? 2 : grad != NULL ? 1 : 0;
    const double d2 = brn_stencil_distance2(contact->stencil, nodes, order, g, h);
    const brn_barrier b = brn_barrier_at(ipc->kappa, ipc->dhat, d2);
    double m = 1.0;
    if (c->kind == BRN_TOUCH_EDGE_EDGE) {
        const double eps = mollifier_threshold(ipc, c);
        m = order == 2   ? brn_mollifier_hessian(nodes, eps, gm, hm)
            : order == 1 ? brn_mollifier_gradient(nodes, eps, gm)
                         : brn_mollifier(nodes, eps);
    }
    if (order == 0) {
        return c->area * m * b.value;
    }
    spread(contact->stencil, g, h, gd, order == 2 ? hd : NULL);
    for (int i = 0; i < WIDTH; ++i) {
        grad[i] = c->area * (b.value * gm[i] + m * b.first * gd[i]);
        for (int j = 0; j < WIDTH && order == 2; ++j) {
            const int at_ij = i * WIDTH + j;
            hess[at_ij] = c->area * (b.value * hm[at_ij] + b.first * (gm[i] * gd[j] + gd[i] * gm[j]) +
                                     m * (b.second * gd[i] * gd[j] + b.first * hd[at_ij]));
        }
    }
    return c->area * m * b.value;
}

/* ---- projection: the nearest positive semi-definite matrix, negative eigenvalues become 0 ------------------------------- */

/* Projects h [WIDTH][WIDTH], whose range lies in the span of the orthonormal rows q [k][WIDTH]: the eigenvalues other than
   0 are those of q h q', so only a k x k problem is solved. */
static brn_status project_within(double *h, int k, const double (*q)[WIDTH])
{
    double hq[9][WIDTH];
    double a[81];
    double w[9];
    double v[81];
    for (int i = 0; i < k; ++i) {
        for (int r = 0; r < WIDTH; ++r) {
            hq[i][r] = 0.0;
            for (int c = 0; c < WIDTH; ++c) {
                hq[i][r] += h[r * WIDTH + c] * q[i][c];
            }
        }
    }
    for (int i = 0; i < k; ++i) {
        for (int j = 0; j < k; ++j) {
            a[i * k + j] = 0.0;
            for (int r = 0; r < WIDTH; ++r) {
                a[i * k + j] += q[i][r] * hq[j][r];
            }
        }
    }
    BRN_TRY(brn_dense_eigen_sym(k, a, w, v));
    memset(h, 0, WIDTH * WIDTH * sizeof *h);
    for (int e = k - 1; e >= 0 && w[e] > 0.0; --e) {
        double full[WIDTH] = {0};
        for (int i = 0; i < k; ++i) {
            for (int r = 0; r < WIDTH; ++r) {
                full[r] += v[i * k + e] * q[i][r];
            }
        }
        for (int r = 0; r < WIDTH; ++r) {
            for (int c = 0; c < WIDTH; ++c) {
                h[r * WIDTH + c] += w[e] * full[r] * full[c];
            }
        }
    }
    return BRN_OK;
}

/* Any term: it does not change when all nodes move by the same way. The basis are differences of node k and the mean of
   those before it. */
static brn_status project(double *h, int count)
{
    double q[9][WIDTH] = {{0}};
    for (int k = 1; k < count; ++k) {
        const double scale = 1.0 / sqrt((double)k * (k + 1));
        for (int d = 0; d < 3; ++d) {
            for (int i = 0; i < k; ++i) {
                q[3 * (k - 1) + d][3 * i + d] = -scale;
            }
            q[3 * (k - 1) + d][3 * k + d] = k * scale;
        }
    }
    return project_within(h, 3 * (count - 1), (const double(*)[WIDTH])q);
}

/* Appends what is left of x after its parts along q[0..k) are taken out (twice, for rounding); returns the new k. */
static int append_direction(double (*q)[WIDTH], int k, const double *x)
{
    double rest[WIDTH];
    double before = 0.0;
    double after = 0.0;
    memcpy(rest, x, sizeof rest);
    for (int r = 0; r < WIDTH; ++r) {
        before += x[r] * x[r];
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < k; ++i) {
            double along = 0.0;
            for (int r = 0; r < WIDTH; ++r) {
                along += rest[r] * q[i][r];
            }
            for (int r = 0; r < WIDTH; ++r) {
                rest[r] -= along * q[i][r];
            }
        }
    }
    for (int r = 0; r < WIDTH; ++r) {
        after += rest[r] * rest[r];
    }
    if (!(after > 1e-24 * before)) {
        return k;
    }
    for (int r = 0; r < WIDTH; ++r) {
        q[k][r] = rest[r] / sqrt(after);
    }
    return k + 1;
}

/* A barrier without mollifier: H_D = 2 w w' x I - p p' - q q' (geom/distance.h), and grad D = 2 w x n, so the range is
   spanned by w x e_1..3 and the range of the rest, of rank 2 at the most, which pivoted Cholesky finds. `hd`: H_D and w
   over the candidate's nodes. */
static brn_status project_barrier(double *h, const double *hd, const double w[4])
{
    double q[9][WIDTH] = {{0}};
    double rest[WIDTH * WIDTH];
    const double norm = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
    for (int i = 0; i < WIDTH; ++i) {
        q[i % 3][i] = w[i / 3] / norm;
        for (int j = 0; j < WIDTH; ++j) {
            rest[i * WIDTH + j] = (i % 3 == j % 3 ? 2.0 * w[i / 3] * w[j / 3] : 0.0) - hd[i * WIDTH + j];
        }
    }
    int k = 3;
    for (int rank = 0; rank < 2; ++rank) {
        int pivot = 0;
        for (int i = 1; i < WIDTH; ++i) {
            pivot = rest[i * WIDTH + i] > rest[pivot * WIDTH + pivot] ? i : pivot;
        }
        const double top = rest[pivot * WIDTH + pivot];
        if (!(top > 1e-14 * norm * norm)) {
            break;
        }
        double column[WIDTH];
        for (int i = 0; i < WIDTH; ++i) {
            column[i] = rest[i * WIDTH + pivot] / sqrt(top);
        }
        for (int i = 0; i < WIDTH; ++i) {
            for (int j = 0; j < WIDTH; ++j) {
                rest[i * WIDTH + j] -= column[i] * column[j];
            }
        }
        k = append_direction(q, k, column);
    }
    return project_within(h, k, (const double(*)[WIDTH])q);
}

brn_status brn_ipc_barrier_projected(const brn_ipc *ipc, const brn_ipc_contact *contact, const double *x,
                                     double *hess)
{
    const brn_candidate *c = &brn_candidates_get(ipc->candidates)[contact->candidate];
    double at[4][3];
    double grad[WIDTH];
    const int count = brn_candidate_gather(c, x, at);
    const double(*nodes)[3] = (const double(*)[3])at;
    (void)brn_ipc_barrier_term(ipc, contact, x, grad, hess);
    if (c->kind == BRN_TOUCH_EDGE_EDGE && brn_mollifier(nodes, mollifier_threshold(ipc, c)) < 1.0) {
        return project(hess, count);
    }
    double g[WIDTH];
    double h[WIDTH * WIDTH];
    double gd[WIDTH];
    double hd[WIDTH * WIDTH];
    double w[4];
    double n[3];
    double spread_w[4] = {0};
    (void)brn_stencil_distance2(contact->stencil, nodes, 2, g, h);
    (void)brn_stencil_closest(contact->stencil, nodes, w, n);
    spread(contact->stencil, g, h, gd, hd);
    for (int k = 0; k < contact->stencil.count; ++k) {
        spread_w[contact->stencil.node[k]] = w[k];
    }
    return project_barrier(hess, hd, spread_w);
}

/* ---- friction ---------------------------------------------------------------------------------------------------------------- */

/* f0, f1/|u| and (f1' |u| - f1)/|u|^3 at |u| = y. */
static void friction_law(double y, double eps, double *f0, double *f1_over, double *second)
{
    if (y < eps) {
        *f0 = y * y / eps * (1.0 - y / (3.0 * eps)) + eps / 3.0;
        *f1_over = (2.0 - y / eps) / eps;
        *second = y > 0.0 ? -1.0 / (eps * eps * y) : 0.0;
    } else {
        *f0 = y;
        *f1_over = 1.0 / y;
        *second = -1.0 / (y * y * y);
    }
}

/* Slip of a pair since x^n, across its normal; returns its length. */
static double slip(const brn_ipc *ipc, const brn_ipc_slide *s, const double *x, double u[3])
{
    memset(u, 0, 3 * sizeof *u);
    for (int k = 0; k < s->count; ++k) {
        for (int i = 0; i < 3; ++i) {
            const int at = 3 * s->node[k] + i;
            u[i] += s->weight[k] * (x[at] - ipc->from[at]);
        }
    }
    const double along = brn_dense_dot3(u, s->normal);
    for (int i = 0; i < 3; ++i) {
        u[i] -= along * s->normal[i];
    }
    return sqrt(brn_dense_dot3(u, u));
}

brn_status brn_ipc_renew_friction(brn_ipc *ipc, const double *x)
{
    const brn_candidate *all = brn_candidates_get(ipc->candidates);
    ipc->nslide = 0;
    BRN_TRY(brn_ipc_find_contacts(ipc, x));
    for (int i = 0; i < ipc->ncontact; ++i) {
        const brn_ipc_contact *contact = &ipc->contact[i];
        const brn_candidate *c = &all[contact->candidate];
        const int last = c->kind == BRN_TOUCH_POINT_EDGE ? 2 : 3;
        const int a = ipc->skin->node_body[c->node[0]];
        const int b = ipc->skin->node_body[c->node[last]];
        const double mu = ipc->model->friction[a * ipc->model->nbody + b];
        if (!(mu > 0.0)) {
            continue;
        }
        double at[4][3];
        brn_ipc_slide s = {.count = contact->stencil.count};
        (void)brn_candidate_gather(c, x, at);
        const double d2 = brn_stencil_closest(contact->stencil, (const double(*)[3])at, s.weight, s.normal);
        const double d = sqrt(d2);
        for (int k = 0; k < s.count; ++k) {
            s.node[k] = c->node[contact->stencil.node[k]];
        }
        for (int k = 0; k < 3; ++k) {
            s.normal[k] /= d;
        }
        const double m = c->kind == BRN_TOUCH_EDGE_EDGE
                             ? brn_mollifier((const double(*)[3])at, mollifier_threshold(ipc, c))
                             : 1.0;
        s.force = mu * c->area * m * brn_barrier_at(ipc->kappa, ipc->dhat, d2).force;
        BRN_GROW(ipc->ctx, ipc->slide, ipc->slide_capacity, ipc->nslide + 1);
        ipc->slide[ipc->nslide++] = s;
    }
    return BRN_OK;
}

void brn_ipc_friction_force(const brn_ipc *ipc, const double *x, double *force)
{
    const int dim = ipc->model->dim;
    for (int n = 0; n < ipc->nslide; ++n) {
        const brn_ipc_slide *s = &ipc->slide[n];
        double u[3];
        double f0 = 0.0;
        double f1_over = 0.0;
        double second = 0.0;
        friction_law(slip(ipc, s, x, u), ipc->slip_scale, &f0, &f1_over, &second);
        for (int k = 0; k < s->count; ++k) {
            for (int i = 0; i < dim; ++i) {
                force[s->node[k] * dim + i] -= s->force * f1_over * s->weight[k] * u[i];
            }
        }
    }
}

/* ---- what Newton's method asks ------------------------------------------------------------------------------------------------ */

static brn_status ipc_energy(void *self, const double *x, double *value)
{
    brn_ipc *ipc = self;
    double sum = 0.0;
    BRN_TRY(brn_ipc_find_contacts(ipc, x));
    for (int i = 0; i < ipc->ncontact; ++i) {
        sum += brn_ipc_barrier_term(ipc, &ipc->contact[i], x, NULL, NULL);
    }
    for (int n = 0; n < ipc->nslide; ++n) {
        double u[3];
        double f0 = 0.0;
        double f1_over = 0.0;
        double second = 0.0;
        friction_law(slip(ipc, &ipc->slide[n], x, u), ipc->slip_scale, &f0, &f1_over, &second);
        sum += ipc->slide[n].force * f0;
    }
    *value = sum;
    return BRN_OK;
}

static brn_status ipc_gradient(void *self, const double *x, double *grad)
{
    brn_ipc *ipc = self;
    const brn_candidate *all = brn_candidates_get(ipc->candidates);
    const int dim = ipc->model->dim;
    BRN_TRY(brn_ipc_find_contacts(ipc, x));
    for (int n = 0; n < ipc->nslide; ++n) {
        const brn_ipc_slide *s = &ipc->slide[n];
        double u[3];
        double f0 = 0.0;
        double f1_over = 0.0;
        double second = 0.0;
        friction_law(slip(ipc, s, x, u), ipc->slip_scale, &f0, &f1_over, &second);
        for (int k = 0; k < s->count; ++k) {
            for (int i = 0; i < dim; ++i) {
                grad[s->node[k] * dim + i] += s->force * f1_over * s->weight[k] * u[i];
            }
        }
    }
    for (int n = 0; n < ipc->ncontact; ++n) {
        const brn_candidate *c = &all[ipc->contact[n].candidate];
        double g[WIDTH];
        (void)brn_ipc_barrier_term(ipc, &ipc->contact[n], x, g, NULL);
        for (int k = 0; k < 4 && c->node[k] >= 0; ++k) {
            for (int i = 0; i < dim; ++i) {
                grad[c->node[k] * dim + i] += g[3 * k + i];
            }
        }
    }
    return BRN_OK;
}

/* Adds a local matrix (rows of 3 a node, WIDTH long) to the blocks of its nodes' upper triangle. */
static void add_local(brn_block_matrix *a, const int *node, int count, const double *local)
{
    const int dim = a->size;
    for (int p = 0; p < count; ++p) {
        for (int q = 0; q < count; ++q) {
            if (node[p] > node[q]) {
                continue;
            }
            const int at = brn_block_matrix_find(a, node[p], node[q]);
            double *block = &a->value[(size_t)at * (size_t)(dim * dim)];
            for (int e = 0; e < dim * dim; ++e) {
                block[e] += local[(3 * p + e / dim) * WIDTH + 3 * q + e % dim];
            }
        }
    }
}

/* The nodes of every contact, 4 each (the last repeated where there are 3): whether they are those of the last pattern. */
static brn_status read_pattern(brn_ipc *ipc, bool *anew)
{
    const brn_candidate *all = brn_candidates_get(ipc->candidates);
    const int n = ipc->ncontact + ipc->nslide;
    *anew = ipc->sum == NULL || n != ipc->npattern;
    BRN_GROW(ipc->ctx, ipc->pattern, ipc->pattern_capacity, 4 * (size_t)n);
    for (int i = 0; i < n; ++i) {
        const int *node =
            i < ipc->ncontact ? all[ipc->contact[i].candidate].node : ipc->slide[i - ipc->ncontact].node;
        const int count = i >= ipc->ncontact ? ipc->slide[i - ipc->ncontact].count : node[3] >= 0 ? 4 : 3;
        for (int k = 0; k < 4; ++k) {
            const int value = node[k < count ? k : count - 1];
            *anew = *anew || ipc->pattern[4 * i + k] != value;
            ipc->pattern[4 * i + k] = value;
        }
    }
    ipc->npattern = n;
    return BRN_OK;
}

static brn_status make_sum(brn_ipc *ipc)
{
    const brn_model *model = ipc->model;
    brn_stencils *lists = NULL;
    BRN_ALLOC(ipc->ctx, lists, model->nsolid + 1);
    for (int i = 0; i < model->nsolid; ++i) {
        const brn_solid *solid = model->solid[i];
        lists[i] = (brn_stencils){solid->nelem, solid->element->nnode, solid->conn};
    }
    lists[model->nsolid] = (brn_stencils){ipc->npattern, 4, ipc->pattern};
    brn_block_matrix_destroy(ipc->sum);
    ipc->sum = NULL;
    const brn_status status =
        brn_block_matrix_create(ipc->ctx, model->nnode, model->dim, lists, model->nsolid + 1, &ipc->sum);
    brn_free(ipc->ctx, lists);
    return status;
}

void brn_ipc_friction_hessian(const brn_ipc *ipc, const brn_ipc_slide *s, const double *x, double *h)
{
    double u[3];
    double f0 = 0.0;
    double f1_over = 0.0;
    double second = 0.0;
    friction_law(slip(ipc, s, x, u), ipc->slip_scale, &f0, &f1_over, &second);
    memset(h, 0, WIDTH * WIDTH * sizeof *h);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double across = (i == j ? 1.0 : 0.0) - s->normal[i] * s->normal[j];
            const double core = s->force * (f1_over * across + second * u[i] * u[j]);
            for (int p = 0; p < s->count; ++p) {
                for (int q = 0; q < s->count; ++q) {
                    h[(3 * p + i) * WIDTH + 3 * q + j] = s->weight[p] * s->weight[q] * core;
                }
            }
        }
    }
}

static brn_status ipc_hessian(void *self, const double *x, const brn_block_matrix *base,
                              brn_block_matrix **sum, bool *anew)
{
    brn_ipc *ipc = self;
    const brn_candidate *all = brn_candidates_get(ipc->candidates);
    BRN_TRY(brn_ipc_find_contacts(ipc, x));
    BRN_TRY(read_pattern(ipc, anew));
    if (*anew) {
        BRN_TRY(make_sum(ipc));
    }
    brn_block_matrix_zero(ipc->sum);
    BRN_TRY(brn_block_matrix_add(ipc->sum, 1.0, base));
    double h[WIDTH * WIDTH];
    for (int n = 0; n < ipc->ncontact; ++n) {
        const brn_candidate *c = &all[ipc->contact[n].candidate];
        BRN_TRY(brn_ipc_barrier_projected(ipc, &ipc->contact[n], x, h));
        add_local(ipc->sum, c->node, c->node[3] >= 0 ? 4 : 3, h);
    }
    for (int n = 0; n < ipc->nslide; ++n) {
        brn_ipc_friction_hessian(ipc, &ipc->slide[n], x, h);
        add_local(ipc->sum, ipc->slide[n].node, ipc->slide[n].count, h);
    }
    *sum = ipc->sum;
    return BRN_OK;
}

static double time_of_impact(const brn_candidate *c, const double *x0, const double *x1, double t_max)
{
    double a[4][3];
    double b[4][3];
    (void)brn_candidate_gather(c, x0, a);
    (void)brn_candidate_gather(c, x1, b);
    const double(*from)[3] = (const double(*)[3])a;
    const double(*to)[3] = (const double(*)[3])b;
    return c->kind == BRN_TOUCH_POINT_EDGE       ? brn_ccd_point_edge(from, to, 0.0, KEEP, t_max)
           : c->kind == BRN_TOUCH_POINT_TRIANGLE ? brn_ccd_point_triangle(from, to, 0.0, KEEP, t_max)
                                                 : brn_ccd_edge_edge(from, to, 0.0, KEEP, t_max);
}

static brn_status ipc_bound(void *self, const double *x, const double *step, double *fraction)
{
    brn_ipc *ipc = self;
    memcpy(ipc->far, x, (size_t)ipc->model->nnode * 3 * sizeof *ipc->far);
    for (int dof = 0; dof < ipc->system->ndof; ++dof) {
        ipc->far[dof / ipc->model->dim * 3 + dof % ipc->model->dim] += step[dof];
    }
    BRN_TRY(brn_candidates_find(ipc->candidates, x, ipc->far, ipc->dhat));
    const brn_candidate *all = brn_candidates_get(ipc->candidates);
    double t = 1.0;
    for (int i = 0; i < brn_candidates_count(ipc->candidates) && t > 0.0; ++i) {
        t = fmin(t, time_of_impact(&all[i], x, ipc->far, t));
    }
    *fraction = t;
    return t > 0.0 ? BRN_OK
                   : brn_fail(ipc->ctx, BRN_ERR_CONVERGENCE, "two parts touch: no step can be taken");
}

void brn_ipc_fill_terms(brn_ipc *ipc)
{
    ipc->terms = (brn_newton_terms){ipc, ipc_energy, ipc_gradient, ipc_hessian, ipc_bound};
}
