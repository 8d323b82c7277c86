/* Convergent contact: the barriers of a point with the sides of a surface are together that of its nearest place, once,
   with the point's own share, whatever the triangles; and the whole is a smooth potential. */
#include "flow.h"

#include "base/rng.h"
#include "step/ipc/ipc.h"
#include "step/sim.h"

#include <unistd.h>

/* A surface and a probe, of which one node is held near it and the rest kept away. */
typedef struct probe {
    flow f;
    brn_ipc *ipc;
    double *x; /* [nnode][3] */
    int node;  /* the one that is moved */
} probe;

static probe probe_open(const char *surface, double dhat, int dim)
{
    char text[2000];
    (void)snprintf(text, sizeof text,
                   "brunt: 1\ndimension: %d\nmethod: {type: ipc, dhat: %g, kappa: 1e4, convergent: true}\n"
                   "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
                   "meshes:\n  s: %s\n  p: {box: {size: %s, cells: %s, element: %s}}\n"
                   "bodies:\n  - {name: s, type: static, mesh: s}\n"
                   "  - {name: p, type: deformable, mesh: p, material: a, position: %s}\n",
                   dim, dhat, surface, dim == 3 ? "[1, 1, 1]" : "[1, 1]", dim == 3 ? "[1, 1, 1]" : "[1, 1]",
                   dim == 3 ? "tet4" : "tri3", dim == 3 ? "[0, 0, 100]" : "[0, 100]");
    probe p = {.f = flow_open(1, text, NULL)};
    const brn_model *model = p.f.model;
    p.ipc = p.f.sim->self;
    p.x = malloc((size_t)model->nnode * 3 * sizeof *p.x);
    memcpy(p.x, model->rest, (size_t)model->nnode * 3 * sizeof *p.x);
    p.node = model->body[1].node_first;
    return p;
}

static void probe_close(probe *p)
{
    free(p->x);
    flow_close(&p->f);
}

/* Energy of the node's barriers, and the least share among them. */
static double probe_energy(probe *p, double *least)
{
    double sum = 0.0;
    *least = INFINITY;
    assert_done(p->f.ctx, brn_ipc_find_candidates(p->ipc, p->x, p->x));
    assert_done(p->f.ctx, brn_ipc_find_contacts(p->ipc, p->x));
    for (int i = 0; i < p->ipc->ncontact; ++i) {
        const brn_contact_pair *c = &p->ipc->contact[i];
        if (c->node[0] == p->node && c->kind != BRN_TOUCH_EDGE_EDGE) {
            sum += brn_ipc_barrier_term(p->ipc, c, p->x, NULL, NULL);
            *least = fmin(*least, c->area);
        }
    }
    return sum;
}

/* Distance of the node from the nearest side that does not share it, by looking at all. */
static double nearest(const probe *p)
{
    const brn_skin *skin = p->ipc->skin;
    double d2 = INFINITY;
    const int count = skin->dim == 3 ? skin->ntri : skin->nedge;
    for (int i = 0; i < count; ++i) {
        const int *side = skin->dim == 3 ? skin->tri[i] : skin->edge[i];
        if (!brn_skin_may_touch(skin, &p->node, 1, side, skin->dim)) {
            continue;
        }
        double at[4][3];
        memcpy(at[0], &p->x[3 * p->node], sizeof at[0]);
        for (int k = 0; k < skin->dim; ++k) {
            memcpy(at[1 + k], &p->x[3 * side[k]], sizeof at[0]);
        }
        const double(*nodes)[3] = (const double(*)[3])at;
        d2 = fmin(d2, skin->dim == 3 ? brn_distance_point_triangle2(nodes) : brn_distance_point_edge2(nodes));
    }
    return sqrt(d2);
}

/* The node at its place has exactly its share of the nearest one. Returns the energy. */
static double check_once(probe *p, bool positive)
{
    double least = 0.0;
    const double share = (p->ipc->skin->dim == 3 ? 0.25 : 0.5) * p->ipc->skin->node_area[p->node];
    const double d = nearest(p);
    const double want =
        share * brn_barrier_at(BRN_BARRIER_C2, p->ipc->body[0].kappa, p->ipc->dhat_most, d).value;
    const double got = probe_energy(p, &least);
    /* Rounding of some hundred terms that cancel, each 1e-15 of the largest. */
    assert_near(got, want, 1e-11 * (want + 1e-6 * share * p->ipc->body[0].kappa * p->ipc->dhat_most));
    assert_true(!positive || least > 0.0);
    return got;
}

static void random_place(probe *p, brn_rng *rng, const double lo[3], const double hi[3])
{
    for (int i = 0; i < 3; ++i) {
        p->x[3 * p->node + i] = brn_rng_uniform(rng, lo[i], hi[i]);
    }
}

/* Flat sheets of cells of about 0.25: inside, over edges and nodes, beside and above the rim; dhat smaller and larger than
   the cells. */
static void test_flat(void **state)
{
    (void)state;
    static const char *const patterns[] = {"alternating", "cross", "slash"};
    static const double dhats[] = {0.02, 0.2, 0.9};
    brn_rng rng = {5};
    for (int k = 0; k < 9; ++k) {
        char mesh[120];
        const double dhat = dhats[k / 3];
        (void)snprintf(mesh, sizeof mesh, "{grid: {size: [2, 2], cells: [8, 7], pattern: %s}}",
                       patterns[k % 3]);
        probe p = probe_open(mesh, dhat, 3);
        int near = 0;
        for (int n = 0; n < 150; ++n) {
            const double lo[3] = {-1.0 - dhat, -1.0 - dhat, 1e-3 * dhat};
            const double hi[3] = {1.0 + dhat, 1.0 + dhat, 1.2 * dhat};
            random_place(&p, &rng, lo, hi);
            if (n % 5 == 0) { /* exactly over a node */
                const int *corner = p.ipc->skin->tri[n % p.ipc->skin->ntri];
                memcpy(&p.x[3 * p.node], &p.x[3 * corner[0]], 2 * sizeof *p.x);
            } else if (n % 5 == 1) { /* over the middle of a side */
                const int *corner = p.ipc->skin->tri[n % p.ipc->skin->ntri];
                for (int i = 0; i < 2; ++i) {
                    p.x[3 * p.node + i] = 0.5 * (p.x[3 * corner[0] + i] + p.x[3 * corner[1] + i]);
                }
            }
            near += check_once(&p, false) > 0.0;
        }
        assert_true(near > 50);
        probe_close(&p);
    }
}

/* Edges and corners of a block, and a polyhedron: the nearest place of a convex body is one. */
static void test_convex(void **state)
{
    (void)state;
    static const char *const meshes[] = {"{box: {size: [1, 1, 1], cells: [3, 2, 2], element: hex8}}",
                                         "{box: {size: [1, 1, 1], cells: [2, 3, 3], element: tet4}}",
                                         "{icosphere: {radius: 0.6, subdivisions: 2}}"};
    brn_rng rng = {7};
    for (int k = 0; k < 6; ++k) {
        const double dhat = k / 3 == 0 ? 0.03 : 0.3;
        probe p = probe_open(meshes[k % 3], dhat, 3);
        int near = 0;
        for (int n = 0; n < 400; ++n) {
            const double r = 0.5 + dhat;
            random_place(&p, &rng, (const double[3]){-r, -r, -r}, (const double[3]){r, r, r});
            const double *x = &p.x[3 * p.node];
            const bool inside = k % 3 == 2 ? x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < 0.36
                                           : fabs(x[0]) < 0.5 && fabs(x[1]) < 0.5 && fabs(x[2]) < 0.5;
            near += !inside && check_once(&p, k < 3) > 0.0;
        }
        assert_true(near > 15);
        probe_close(&p);
    }
}

static void test_plane(void **state)
{
    (void)state;
    static const char mesh[] = "{box: {size: [1, 1], cells: [5, 4], element: tri3}}";
    brn_rng rng = {9};
    for (int k = 0; k < 2; ++k) {
        const double dhat = k == 0 ? 0.03 : 0.4;
        probe p = probe_open(mesh, dhat, 2);
        int near = 0;
        for (int n = 0; n < 500; ++n) {
            const double r = 0.5 + dhat;
            random_place(&p, &rng, (const double[3]){-r, -r, 0.0}, (const double[3]){r, r, 0.0});
            const double *x = &p.x[3 * p.node];
            near += !(fabs(x[0]) < 0.5 && fabs(x[1]) < 0.5) && check_once(&p, k == 0) > 0.0;
        }
        assert_true(near > 50);
        probe_close(&p);
    }
}

/* More than two triangles at an edge, and sheets that meet in one node. */
static void test_branched(void **state)
{
    (void)state;
    FILE *file = fopen("branched.obj", "w");
    assert_non_null(file);
    /* Three wings at the edge from (0,0,0) to (1,0,0): along +y, -y, and down; a fourth triangle at the node (1,0,0). */
    (void)fprintf(file, "v 0 0 0\nv 1 0 0\nv 0.5 1 0\nv 0.5 -1 0\nv 0.5 0 -1\nv 2 0.5 0\nv 2 -0.5 0\n"
                        "f 1 2 3\nf 1 2 4\nf 1 2 5\nf 2 6 7\n");
    assert_int_equal(fclose(file), 0);
    char path[600];
    char here[500];
    assert_non_null(getcwd(here, sizeof here));
    (void)snprintf(path, sizeof path, "{file: %s/branched.obj}", here);
    probe p = probe_open(path, 0.2, 3);
    brn_rng rng = {11};
    for (int n = 0; n < 300; ++n) {
        random_place(&p, &rng, (const double[3]){-0.1, -0.2, 0.001}, (const double[3]){0.75, 0.2, 0.25});
        if (n % 3 == 0) { /* over the node: elsewhere near it two places are nearest, one on each sheet */
            memcpy(&p.x[3 * p.node], (const double[2]){1.0, 0.0}, 2 * sizeof *p.x);
        }
        (void)check_once(&p, false);
    }
    probe_close(&p);
}

/* A node over its own body: the sides that hold it take no part, and their rim counts like any other. */
static void test_self(void **state)
{
    (void)state;
    probe p = {.f = flow_open(1,
                              "brunt: 1\nmethod: {type: ipc, dhat: 0.05, kappa: 1e4, convergent: true}\n"
                              "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
                              "meshes: {m: {box: {size: [1, 1, 0.5], cells: [4, 4, 1], element: tet4}}}\n"
                              "bodies: [{name: a, type: deformable, mesh: m, material: a}]\n",
                              NULL)};
    const brn_model *model = p.f.model;
    p.ipc = p.f.sim->self;
    p.x = malloc((size_t)model->nnode * 3 * sizeof *p.x);
    memcpy(p.x, model->rest, (size_t)model->nnode * 3 * sizeof *p.x);
    p.node = -1;
    for (int a = 0; a < model->nnode; ++a) {
        const double *r = model->rest[a];
        p.node = r[0] == 0.0 && r[1] == 0.0 && r[2] > 0.0 ? a : p.node;
    }
    assert_true(p.node >= 0);
    /* The middle node of the top goes over one side of the hole that its own sides leave, away from its corners. */
    brn_rng rng = {13};
    int near = 0;
    for (int n = 0; n < 500; ++n) {
        random_place(&p, &rng, (const double[3]){0.08, 0.08, 0.2501}, (const double[3]){0.17, 0.17, 0.3});
        near += check_once(&p, true) > 0.0;
    }
    assert_true(near > 200);
    probe_close(&p);
}

/* ---- the whole potential ------------------------------------------------------------------------------------------------- */

/* Two blocks, nodes shaken: the gradient is that of the energy, where a hollow takes something off too. */
static void check_gradient(const char *text, bool hollow)
{
    flow f = flow_open(1, text, NULL);
    const brn_model *model = f.model;
    brn_ipc *ipc = f.sim->self;
    brn_rng rng = {3};
    double *x = malloc((size_t)model->nnode * 3 * sizeof *x);
    for (int a = 0; a < model->nnode; ++a) {
        for (int i = 0; i < 3; ++i) {
            x[3 * a + i] = model->rest[a][i] + (i < model->dim ? brn_rng_uniform(&rng, -2e-3, 2e-3) : 0.0);
        }
    }
    ipc->from = &model->rest[0][0];
    ipc->h = 0.01;
    for (int b = 0; b < model->nbody; ++b) {
        ipc->body[b].speed = 0.15;
    }
    const int ndof = ipc->system->ndof;
    double *grad = calloc((size_t)ndof, sizeof *grad);
    assert_done(f.ctx, brn_ipc_find_candidates(ipc, x, x));
    assert_done(f.ctx, brn_ipc_renew_friction(ipc, x));
    for (int i = 0; i < ipc->nslide; ++i) {
        assert_true(ipc->slide[i].force >= 0.0);
    }
    assert_done(f.ctx, ipc->terms.gradient(ipc, x, grad));
    int negative = 0;
    double scale = 0.0;
    for (int i = 0; i < ipc->ncontact; ++i) {
        negative += ipc->contact[i].area < 0.0;
    }
    for (int i = 0; i < ndof; ++i) {
        scale = fmax(scale, fabs(grad[i]));
    }
    assert_true((negative > 0) == hollow && ipc->nslide > 5);
    const double h =
        1e-8; /* gaps are above 1e-3: truncation (h/gap)^2 = 1e-10 of the derivatives, rounding 1e-7 */
    for (int dof = 0; dof < ndof; ++dof) {
        double *entry = &x[brn_model_at(model, dof)];
        const double kept = *entry;
        double up = 0.0;
        double down = 0.0;
        *entry = kept + h;
        assert_done(f.ctx, ipc->terms.energy(ipc, x, &up));
        *entry = kept - h;
        assert_done(f.ctx, ipc->terms.energy(ipc, x, &down));
        *entry = kept;
        assert_near((up - down) / (2.0 * h), grad[dof], 1e-5 * scale);
    }
    free(grad);
    free(x);
    flow_close(&f);
}

static void test_gradient(void **state)
{
    (void)state;
    check_gradient(
        "brunt: 1\nmethod: {type: ipc, dhat: 0.03, kappa: 1e4, friction_speed: 0.1, convergent: true}\n"
        "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
        "meshes:\n  m: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: tet4}}\n"
        "  l: {voxel: {cell: 0.05, layers: ['##/##', '#./#.'], element: tet4}}\n"
        "bodies:\n  - {name: a, type: deformable, mesh: l, material: a}\n"
        "  - {name: b, type: deformable, mesh: m, material: a, position: [0.067, 0.013, 0.062],\n"
        "     rotation: {axis: [0, 0, 1], degrees: 3}}\n"
        "contact: {friction: 0.5}\n",
        true);
    check_gradient(
        "brunt: 1\ndimension: 2\nmethod: {type: ipc, dhat: 0.03, kappa: 1e4, friction_speed: 0.1,\n"
        "  convergent: true}\n"
        "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
        "meshes: {m: {box: {size: [0.1, 0.1], cells: [6, 6], element: tri3}}}\n"
        "bodies:\n  - {name: a, type: deformable, mesh: m, material: a}\n"
        "  - {name: b, type: deformable, mesh: m, material: a, position: [0.013, 0.105]}\n"
        "contact: {friction: 0.5}\n",
        false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat),     cmocka_unit_test(test_convex), cmocka_unit_test(test_plane),
        cmocka_unit_test(test_branched), cmocka_unit_test(test_self),   cmocka_unit_test(test_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
