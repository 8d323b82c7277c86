/* Method ipc with shapes and rigid bodies: what is near what, derivatives of all terms in the space of handles against finite
   differences, action and reaction, and starts that must be refused. */
#include "flow.h"

#include "base/param.h"
#include "base/rng.h"
#include "linalg/dense.h"
#include "step/ipc/ipc.h"
#include "step/sim.h"

#define HEAD(dim)                                                                                   \
 "brunt: 1\ndimension: " #dim                                                                       \
 "\nmethod: {type: ipc, dhat: 0.01, kappa: 1e4, friction_speed: 0.1}\ntime: {step: 0.01, end: 1}\n" \
 "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
#define HEAD3                                                                         \
 HEAD(3)                                                                              \
 "meshes:\n  cube: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1], element: hex8}}\n" \
 "  sheet: {grid: {size: [0.3, 0.3], cells: [2, 2]}}\ncontact: {friction: 0.5}\nbodies:\n"
#define HEAD2                                                                                    \
 HEAD(2)                                                                                         \
 "meshes: {cube: {box: {size: [0.1, 0.1], cells: [2, 2], element: tri3}}}\ncontact: {friction: " \
 "0.5}\nbodies:\n"

/* Bodies; `lower` ends at height 0, `upper` begins at height 4 mm, so that they are in contact. */
#define SOFT3 \
 "  - {name: upper, type: deformable, mesh: cube, material: a, position: [0.013, 0.017, 0.054]}\n"
#define BOX3 \
 "  - {name: upper, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0.013, 0.017, 0.054]}\n"
#define BALL3                                                                                             \
 "  - {name: upper, type: rigid, shape: {sphere: {radius: 0.05, segments: 4}}, position: [0.013, 0.017, " \
 "0.054]}\n"
#define ROD3                                                                                             \
 "  - {name: upper, type: rigid, shape: {capsule: {radius: 0.05, height: 0.1, segments: 4}}, position: " \
 "[0.013, "                                                                                              \
 "0.017, 0.054],\n     rotation: {axis: [1, 0.2, 0], degrees: 90}}\n"
#define SOFT2 "  - {name: upper, type: deformable, mesh: cube, material: a, position: [0.013, 0.054]}\n"
#define BOX2  "  - {name: upper, type: rigid, shape: {box: {size: [0.1, 0.1]}}, position: [0.013, 0.054]}\n"
#define BALL2 \
 "  - {name: upper, type: rigid, shape: {sphere: {radius: 0.05, segments: 4}}, position: [0.013, 0.054]}\n"
#define ROD2                                                                                             \
 "  - {name: upper, type: rigid, shape: {capsule: {radius: 0.05, height: 0.1, segments: 4}}, position: " \
 "[0.013, "                                                                                              \
 "0.054], rotation: {degrees: 90}}\n"
#define TURN3 \
 ", motion: {velocity: [0.1, 0, 0.3], angular_velocity: 2, about: {point: [0, 0, -0.05], axis: [0, 1, 0]}}"
#define TURN2 ", motion: {velocity: [0.1, 0.3], angular_velocity: 2, about: {point: [0, -0.05]}}"

enum {
    PE = 1 << BRN_TOUCH_POINT_EDGE,
    PT = 1 << BRN_TOUCH_POINT_TRIANGLE,
    EE = 1 << BRN_TOUCH_EDGE_EDGE,
    PP = 1 << BRN_TOUCH_POINT_POINT,
    PLANE = 1 << BRN_TOUCH_POINT_PLANE
};

typedef struct pair_case {
    const char *name, *text;
    unsigned kinds; /* of the contacts, exactly */
} pair_case;

#define PLANE3 "  - {name: lower, type: static, shape: {plane: {normal: [0, 0, 1]}}" TURN3 "}\n"
#define PLANE2 "  - {name: lower, type: static, shape: {plane: {}}" TURN2 "}\n"
#define BOXED3(type) \
 "  - {name: lower, type: " type ", shape: {box: {size: [0.2, 0.2, 0.1]}}, position: [0, 0, -0.05]}\n"
#define LOW_BALL3(type)          \
 "  - {name: lower, type: " type \
 ", shape: {sphere: {radius: 0.05, segments: 4}}, position: [0.013, 0.017, -0.05]"
#define LOW_ROD3(type, degrees)                                                     \
 "  - {name: lower, type: " type                                                    \
 ", shape: {capsule: {radius: 0.05, height: 0.1, segments: 4}}, position: [0.013, " \
 "0.02, -0.05],\n     rotation: [{axis: [1, 0, 0], degrees: 90}, {axis: [0, 0, 1], degrees: " #degrees "}]"
#define LOW_SOFT3 "  - {name: lower, type: deformable, mesh: cube, material: a, position: [0, 0, -0.05]}\n"
#define SHEET3 \
 "  - {name: lower, type: static, mesh: sheet, thickness: 0.02, position: [0, 0, -0.01]" TURN3 "}\n"
#define BOXED2(type) \
 "  - {name: lower, type: " type ", shape: {box: {size: [0.2, 0.1]}}, position: [0, -0.05]}\n"
#define LOW_BALL2(type) \
 "  - {name: lower, type: " type ", shape: {sphere: {radius: 0.05, segments: 4}}, position: [0.013, -0.05]"
#define LOW_ROD2(type)                                                            \
 "  - {name: lower, type: " type                                                  \
 ", shape: {capsule: {radius: 0.05, height: 0.1, segments: 4}}, position: [0.0, " \
 "-0.05], rotation: {degrees: 90}"

/* Welded by what touches: to a rigid body above, and to a soft one, whose cells lend every node four masters. */
#define LID3       "  - {name: lid, type: rigid, shape: {sphere: {radius: 0.05}}, position: [0, 0, 0.2]}\n"
#define CAP3       "  - {name: lid, type: deformable, mesh: cube, material: a, position: [0.02, 0, 0.17]}\n"
#define LID2       "  - {name: lid, type: rigid, shape: {sphere: {radius: 0.05}}, position: [0, 0.2]}\n"
#define CAP2       "  - {name: lid, type: deformable, mesh: cube, material: a, position: [0.02, 0.17]}\n"
#define WELD(face) "attach: [{body: upper, where: {face: " face "}, to: lid, within: 1}]\n"

static const pair_case cases[] = {
    {"welded soft, plane", HEAD3 SOFT3 LID3 PLANE3 WELD("-z"), PLANE},
    {"welded soft, rigid box", HEAD3 SOFT3 LID3 BOXED3("rigid") WELD("-z"), PT | EE},
    {"welded soft, soft", HEAD3 SOFT3 CAP3 LOW_SOFT3 WELD("-z"), PT | EE},
    {"soft by its side, rod", HEAD3 SOFT3 CAP3 LOW_ROD3("rigid", 10) "}\n" WELD("-x"), EE | PT},
    {"2D welded soft, plane", HEAD2 SOFT2 LID2 PLANE2 WELD("-y"), PLANE},
    {"2D welded soft, rigid box", HEAD2 SOFT2 CAP2 BOXED2("rigid") WELD("-y"), PE},
    {"soft, plane", HEAD3 SOFT3 PLANE3, PLANE},
    {"rigid box, plane", HEAD3 BOX3 PLANE3, PLANE},
    {"ball, plane", HEAD3 BALL3 PLANE3, PLANE},
    {"rod, plane", HEAD3 ROD3 PLANE3, PLANE},
    {"rigid boxes", HEAD3 BOX3 BOXED3("rigid"), PT | EE},
    {"rigid box, static box", HEAD3 BOX3 BOXED3("static"), PT | EE},
    {"rigid box, soft", HEAD3 BOX3 LOW_SOFT3, PT | EE},
    {"soft, rigid box", HEAD3 SOFT3 BOXED3("rigid"), PT | EE},
    {"ball, soft", HEAD3 BALL3 LOW_SOFT3, PT},
    {"ball, static box", HEAD3 BALL3 BOXED3("static"), PT},
    {"rod, rigid box", HEAD3 ROD3 BOXED3("rigid"), PT | EE},
    {"rod, soft", HEAD3 ROD3 LOW_SOFT3, PT | EE},
    {"balls", HEAD3 BALL3 LOW_BALL3("rigid") "}\n", PP},
    {"ball, turning ball", HEAD3 BALL3 LOW_BALL3("static") TURN3 "}\n", PP},
    {"ball, rod", HEAD3 BALL3 LOW_ROD3("rigid", 30) "}\n", PE},
    {"rods across", HEAD3 ROD3 LOW_ROD3("rigid", 100) "}\n", EE},
    {"rods side by side", HEAD3 ROD3 LOW_ROD3("rigid", 0) "}\n", EE | PE},
    {"soft, turning rod", HEAD3 SOFT3 LOW_ROD3("static", 10) TURN3 "}\n", EE | PT},
    {"soft, static ball", HEAD3 SOFT3 LOW_BALL3("static") TURN3 "}\n", PT},
    {"soft, sheet", HEAD3 SOFT3 SHEET3, PT | EE},
    {"rigid box, sheet", HEAD3 BOX3 SHEET3, PT | EE},
    {"ball, sheet", HEAD3 BALL3 SHEET3, PT},
    {"rod, sheet", HEAD3 ROD3 SHEET3, PT | EE},
    {"2D soft, plane", HEAD2 SOFT2 PLANE2, PLANE},
    {"2D rigid box, plane", HEAD2 BOX2 PLANE2, PLANE},
    {"2D disc, plane", HEAD2 BALL2 PLANE2, PLANE},
    {"2D rod, plane", HEAD2 ROD2 PLANE2, PLANE},
    {"2D rigid boxes", HEAD2 BOX2 BOXED2("rigid"), PE},
    {"2D soft, rigid box", HEAD2 SOFT2 BOXED2("rigid"), PE},
    {"2D disc, rigid box", HEAD2 BALL2 BOXED2("rigid"), PE},
    {"2D discs", HEAD2 BALL2 LOW_BALL2("rigid") "}\n", PP},
    {"2D disc, turning disc", HEAD2 BALL2 LOW_BALL2("static") TURN2 "}\n", PP},
    {"2D disc, rod", HEAD2 BALL2 LOW_ROD2("rigid") "}\n", PE},
    {"2D rods", HEAD2 ROD2 LOW_ROD2("rigid") "}\n", PE},
    {"2D soft, turning rod", HEAD2 SOFT2 LOW_ROD2("static") TURN2 "}\n", PE},
};

/* A simulation in contact: every node that has dofs is disturbed by less than the gap, tied ones follow. */
typedef struct stage {
    flow f;
    brn_ipc *ipc;
    const brn_model *model;
    int ndof;
    double *x; /* [nnode][3] */
} stage;

static stage stage_open(const pair_case *c, const char *sets)
{
    stage s = {.f = flow_open(1, c->text, sets)};
    brn_rng rng = {5};
    s.ipc = s.f.sim->self;
    s.model = s.f.model;
    s.ndof = s.ipc->system->ndof;
    s.x = malloc((size_t)s.model->nnode * 3 * sizeof *s.x);
    for (int a = 0; a < s.model->nnode; ++a) {
        for (int i = 0; i < 3; ++i) {
            const double off = i < s.model->dim ? brn_rng_uniform(&rng, -4e-4, 4e-4) : 0.0;
            s.x[3 * a + i] = s.model->rest[a][i] + off;
        }
    }
    brn_model_follow_nodes(s.model, s.x);
    s.ipc->from = &s.model->rest[0][0];
    s.ipc->h = 0.01;
    for (int b = 0; b < s.model->nbody; ++b) {
        s.ipc->body[b].speed = 0.04; /* eps_v h = 0.4 mm: some pairs below it, some above */
    }
    assert_done(s.f.ctx, brn_ipc_find_candidates(s.ipc, s.x, s.x));
    assert_done(s.f.ctx, brn_ipc_renew_friction(s.ipc, s.x));
    assert_true(s.ipc->ncontact > 0);
    assert_true(s.ipc->nslide == s.ipc->ncontact);
    return s;
}

static void stage_close(stage *s)
{
    free(s->x);
    flow_close(&s->f);
}

/* Led gradient of all terms. */
static void gradient(stage *s, const double *x, double *grad)
{
    memset(grad, 0, (size_t)s->ndof * sizeof *grad);
    assert_done(s->f.ctx, s->ipc->terms.gradient(s->ipc, x, grad));
    brn_model_lead(s->model, grad);
}

/* x + scale v, v packed, tied nodes following. */
static void moved(const stage *s, double scale, const double *v, double *out)
{
    memcpy(out, s->x, (size_t)s->model->nnode * 3 * sizeof *out);
    for (int dof = 0; dof < s->ndof; ++dof) {
        if (s->model->fixed[dof] != BRN_DOF_TIED) {
            out[brn_model_at(s->model, dof)] += scale * v[dof];
        }
    }
    brn_model_follow_nodes(s->model, out);
}

static void random_way(const stage *s, uint64_t seed, double *v)
{
    brn_rng rng = {seed};
    for (int dof = 0; dof < s->ndof; ++dof) {
        v[dof] = brn_rng_uniform(&rng, -1.0, 1.0);
    }
}

/* out = H v of the assembled Hessian of contact alone. */
static void hessian_times(stage *s, const double *v, double *out)
{
    brn_block_matrix *sum = NULL;
    double *way = malloc((size_t)s->ndof * sizeof *way);
    for (int dof = 0; dof < s->ndof; ++dof) {
        way[dof] = s->model->fixed[dof] == BRN_DOF_TIED ? 0.0 : v[dof];
    }
    brn_block_matrix_zero(s->ipc->system->matrix);
    assert_done(s->f.ctx, s->ipc->terms.hessian(s->ipc, s->x, s->ipc->system->matrix, &sum));
    assert_true(sum != s->ipc->system->matrix);
    assert_done(s->f.ctx, brn_block_matrix_multiply(sum, way, out));
    free(way);
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static double most(const double *a, int n)
{
    double largest = 0.0;
    for (int i = 0; i < n; ++i) {
        largest = fmax(largest, fabs(a[i]));
    }
    return largest;
}

/* The pairs that are looked at are of the kinds that they should be. */
static void test_kinds(void **state)
{
    (void)state;
    for (int n = 0; n < BRN_COUNT(cases); ++n) {
        stage s = stage_open(&cases[n], NULL);
        unsigned kinds = 0;
        for (int i = 0; i < s.ipc->ncontact; ++i) {
            const brn_contact_pair *c = &s.ipc->contact[i];
            kinds |= 1u << c->kind;
            assert_true(c->area > 0.0 && brn_pair_gap(c) > 0.0);
            assert_near(c->offset,
                        s.ipc->skin->radius[c->node[0]] +
                            s.ipc->skin->radius[c->node[brn_touch_count(c->node) - 1]],
                        1e-15);
        }
        if (kinds != cases[n].kinds) {
            fail_msg("%s: kinds %x, not %x", cases[n].name, kinds, cases[n].kinds);
        }
        stage_close(&s);
    }
}

/* Gradient against the energy, one dof after the other; tied ones have no share. */
static void check_gradient(stage *s)
{
    const double h =
        1e-8; /* gaps are about 4 mm: truncation (h/gap)^2, rounding 1e-16 E / h = 1e-8 of the forces */
    double *grad = malloc((size_t)s->ndof * sizeof *grad);
    double *at = malloc((size_t)s->model->nnode * 3 * sizeof *at);
    double *v = calloc((size_t)s->ndof, sizeof *v);
    gradient(s, s->x, grad);
    const double scale = most(grad, s->ndof);
    assert_true(scale > 0.0);
    for (int dof = 0; dof < s->ndof; ++dof) {
        double value[2];
        if (s->model->fixed[dof] == BRN_DOF_TIED) {
            assert_true(grad[dof] == 0.0);
            continue;
        }
        v[dof] = 1.0;
        for (int k = 0; k < 2; ++k) {
            moved(s, k == 0 ? -h : h, v, at);
            assert_done(s->f.ctx, s->ipc->terms.energy(s->ipc, at, &value[k]));
        }
        v[dof] = 0.0;
        assert_near((value[1] - value[0]) / (2.0 * h), grad[dof], 1e-5 * scale);
    }
    free(v);
    free(at);
    free(grad);
}

/* The friction part is exact: H v against the gradients' difference. Contacts are set aside. */
static void check_friction_hessian(stage *s)
{
    const double h =
        1e-8; /* slips are about 1e-4: truncation 1e-8 of the curvature, kinks at 0 and eps are farther */
    const size_t bytes = (size_t)s->ndof * sizeof(double);
    double *v = malloc(bytes);
    double *want = malloc(bytes);
    double *less = malloc(bytes);
    double *got = malloc(bytes);
    double *at = malloc((size_t)s->model->nnode * 3 * sizeof *at);
    const int ncontact = s->ipc->ncontact;
    double strength = 0.0;
    for (int n = 0; n < s->ipc->nslide; ++n) {
        strength += s->ipc->slide[n].force;
    }
    assert_true(strength > 0.0);
    assert_done(s->f.ctx, brn_ipc_find_contacts(s->ipc, s->x));
    s->ipc->ncontact = 0; /* what was looked at is remembered */
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        random_way(s, seed, v);
        hessian_times(s, v, got);
        memset(want, 0, bytes);
        memset(less, 0, bytes);
        moved(s, h, v, at);
        brn_ipc_friction_gradient(s->ipc, at, want);
        moved(s, -h, v, at);
        brn_ipc_friction_gradient(s->ipc, at, less);
        brn_model_lead(s->model, want);
        brn_model_lead(s->model, less);
        const double scale = most(got, s->ndof);
        for (int i = 0; i < s->ndof; ++i) { /* a plane pair that slides has no curvature but rounding */
            assert_near((want[i] - less[i]) / (2.0 * h), got[i], 1e-5 * scale + 1e-14 * strength / h);
        }
    }
    s->ipc->ncontact = ncontact;
    s->ipc->looked = false;
    free(at);
    free(got);
    free(less);
    free(want);
    free(v);
}

/* Dense sum of the contacts' own projected matrices over the ties: what the assembled one must be. */
static void check_assembly(stage *s, const double *v, const double *got)
{
    const int dim = s->model->dim;
    double *way = malloc((size_t)s->model->nnode * 3 * sizeof *way);
    double *sum = calloc((size_t)s->ndof, sizeof *sum);
    memset(way, 0, (size_t)s->model->nnode * 3 * sizeof *way);
    for (int dof = 0; dof < s->ndof; ++dof) {
        way[brn_model_at(s->model, dof)] = v[dof];
    }
    brn_model_follow_nodes(s->model, way);
    for (int n = 0; n < s->ipc->ncontact; ++n) {
        const brn_contact_pair *c = &s->ipc->contact[n];
        double local[144];
        assert_done(s->f.ctx, brn_ipc_barrier_projected(s->ipc, c, s->x, local));
        for (int k = 0; k < brn_touch_count(c->node); ++k) {
            double force[3] = {0.0, 0.0, 0.0};
            for (int i = 3 * k; i < 3 * k + dim; ++i) {
                for (int j = 0; j < 3 * brn_touch_count(c->node); ++j) {
                    force[i % 3] += local[12 * i + j] * way[3 * c->node[j / 3] + j % 3];
                }
            }
            brn_model_add_force(s->model, c->node[k], 1.0, force, sum);
        }
    }
    brn_model_lead(s->model, sum);
    const double scale = most(sum, s->ndof);
    for (int i = 0; i < s->ndof; ++i) {
        assert_near(got[i], sum[i], 1e-12 * scale); /* the same products in another order */
    }
    free(sum);
    free(way);
}

/* A contact's projected matrix and what was added to it are positive semi-definite. */
static void check_projection(stage *s)
{
    for (int n = 0; n < s->ipc->ncontact; ++n) {
        const brn_contact_pair *c = &s->ipc->contact[n];
        double grad[12];
        double exact[144];
        double cheap[144];
        double more[144];
        double w[12];
        double vectors[144];
        (void)brn_ipc_barrier_term(s->ipc, c, s->x, grad, exact);
        assert_done(s->f.ctx, brn_ipc_barrier_projected(s->ipc, c, s->x, cheap));
        for (int i = 0; i < 144; ++i) {
            more[i] = cheap[i] - exact[i];
        }
        const double scale = most(exact, 144);
        assert_done(s->f.ctx, brn_dense_eigen_sym(12, more, w, vectors));
        assert_true(w[0] >= -1e-11 * scale);
        assert_done(s->f.ctx, brn_dense_eigen_sym(12, cheap, w, vectors));
        assert_true(w[0] >= -1e-11 * scale);
    }
}

/* The barriers' Hessian is positive semi-definite and not below the exact one, whose v' H v the gradients give. */
static void check_barrier_hessian(stage *s)
{
    const double h = 1e-8;
    const size_t bytes = (size_t)s->ndof * sizeof(double);
    double *v = malloc(bytes);
    double *up = malloc(bytes);
    double *down = malloc(bytes);
    double *got = malloc(bytes);
    double *at = malloc((size_t)s->model->nnode * 3 * sizeof *at);
    const int nslide = s->ipc->nslide;
    s->ipc->nslide = 0;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        random_way(s, seed, v);
        for (int dof = 0; dof < s->ndof; ++dof) {
            v[dof] = s->model->fixed[dof] == BRN_DOF_TIED ? 0.0 : v[dof];
        }
        hessian_times(s, v, got);
        check_assembly(s, v, got);
        moved(s, h, v, at);
        gradient(s, at, up);
        moved(s, -h, v, at);
        gradient(s, at, down);
        assert_done(s->f.ctx, brn_ipc_find_contacts(s->ipc, s->x));
        const double curvature = dot(v, got, s->ndof);
        const double exact = (dot(v, up, s->ndof) - dot(v, down, s->ndof)) / (2.0 * h);
        assert_true(curvature > 0.0);
        assert_true(exact <= curvature * (1.0 + 1e-6));
    }
    s->ipc->nslide = nslide;
    free(at);
    free(got);
    free(down);
    free(up);
    free(v);
}

/* Barriers: no force and no torque on the whole. Friction: no force; the torque is that of its arm across the gap, where no
   surface is away from the nodes of an obstacle. */
static void check_balance(stage *s)
{
    const int dim = s->model->dim;
    double *grad = malloc((size_t)s->ndof * sizeof *grad);
    const int nslide = s->ipc->nslide;
    for (int friction = 0; friction < 2; ++friction) {
        double force[3] = {0};
        double torque[3] = {0};
        double strength = 0.0;
        s->ipc->nslide = friction ? nslide : 0;
        gradient(s, s->x, grad);
        for (int n = 0; n < s->ipc->nslide; ++n) {
            strength += s->ipc->slide[n].force;
        }
        double scale = 0.0;
        for (int row = 0; row < s->model->nrow; ++row) {
            double f[3] = {0};
            double t[3];
            memcpy(f, &grad[row * dim], (size_t)dim * sizeof *f);
            brn_dense_cross3(&s->x[3 * s->model->row_node[row]], f, t);
            for (int i = 0; i < 3; ++i) {
                force[i] += f[i];
                torque[i] += t[i];
                scale += fabs(f[i]);
            }
        }
        for (int i = 0; i < 3; ++i) {
            assert_near(force[i], 0.0, 1e-13 * scale);
            assert_near(torque[i], 0.0, 1e-13 * scale + 0.01 * strength); /* dhat */
        }
    }
    s->ipc->nslide = nslide;
    free(grad);
}

static void check_all(void (*check)(stage *s), const char *sets)
{
    for (int n = 0; n < BRN_COUNT(cases); ++n) {
        print_message("%s\n", cases[n].name);
        stage s = stage_open(&cases[n], sets);
        check(&s);
        stage_close(&s);
    }
}

static void test_gradient(void **state)
{
    (void)state;
    check_all(check_gradient, NULL);
    check_all(check_gradient, "method.convergent=true");
    check_all(check_gradient, "method.barrier=lecture");
}

static void test_friction_hessian(void **state)
{
    (void)state;
    check_all(check_friction_hessian, NULL);
}

static void test_barrier_hessian(void **state)
{
    (void)state;
    check_all(check_barrier_hessian, NULL);
}

static void test_projection(void **state)
{
    (void)state;
    check_all(check_projection, NULL);
}

static void test_balance(void **state)
{
    (void)state;
    check_all(check_balance, NULL);
    check_all(check_balance, "method.convergent=true");
}

/* ---- who may touch whom -------------------------------------------------------------------------------------------------- */

static bool may_touch(const flow *f, int a, int b)
{
    const brn_ipc *ipc = f->sim->self;
    const brn_body *x = &f->model->body[a];
    const brn_body *y = &f->model->body[b];
    const int p = x->touch->nnode > 0 ? x->touch->node[0] : x->plane[0];
    const int q = y->touch->nnode > 0 ? y->touch->node[y->touch->nnode - 1] : y->plane[1];
    return brn_skin_may_touch(ipc->skin, &p, 1, &q, 1);
}

static void test_filters(void **state)
{
    (void)state;
    static const char text[] = HEAD3
        "  - {name: soft, type: deformable, mesh: cube, material: a, position: [0, 0, 1]}\n"
        "  - {name: box, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0, 0, 2]}\n"
        "  - {name: ball, type: static, shape: {sphere: {radius: 0.1}}}\n"
        "  - {name: floor, type: static, shape: {plane: {}}}\n" /* cuts the ball in two: nobody's harm */
        "  - {name: held, type: deformable, mesh: cube, material: a, position: [0.09, 0, 0.03]}\n"
        "fixed: [{body: held, where: {all: true}}]\n";
    static const bool want[5][5] = {
        {true, true, true, true, true},    {true, false, true, true, true}, /* not a rigid body itself */
        {true, true, false, false, false}, {true, true, false, false, false},
        {true, true, false, false, false},
    };
    flow f = flow_open(1, text, NULL);
    for (int a = 0; a < 5; ++a) {
        for (int b = 0; b < 5; ++b) {
            assert_int_equal(may_touch(&f, a, b), want[a][b]);
        }
    }
    flow_close(&f);
    f = flow_open(1, text, "contact.self=false");
    assert_false(may_touch(&f, 0, 0));
    assert_true(may_touch(&f, 0, 1));
    flow_close(&f);
}

/* ---- starts --------------------------------------------------------------------------------------------------------------- */

/* Upper bodies are moved down by `down` from their place 4 mm above the lower one: by 4 mm they touch. */
static void check_start(const pair_case *c, double down, bool good)
{
    flow f;
    char set[100];
    const bool flat = strncmp(c->name, "2D", 2) == 0;
    const double z = 0.054 - down;
    (void)snprintf(
        set, sizeof set,
        flat ? "bodies.upper.position=[0.013, %.17g]" : "bodies.upper.position=[0.013, 0.017, %.17g]", z);
    const brn_status status = flow_try(1, c->text, set, &f);
    if (good) {
        assert_done(f.ctx, status);
    } else if (status != BRN_ERR_SCENE) {
        fail_msg("%s, %g m down: %s", c->name, down, brn_status_name(status));
    } else {
        const char *message = brn_ctx_message(f.ctx);
        double place[3] = {NAN, NAN, NAN};
        assert_non_null(strstr(message, "body 'upper'"));
        assert_non_null(strstr(message, "body 'lower'"));
        assert_non_null(strstr(message, "touch or intersect at the start"));
        assert_int_equal(
            sscanf(strstr(message, "near ["), "near [%lf, %lf, %lf]", &place[0], &place[1], &place[2]), 3);
        for (int i = 0; i < 3; ++i) { /* the bodies are up to 0.3 m wide */
            assert_true(fabs(place[i]) < 0.31);
        }
    }
    flow_close(&f);
}

static void test_starts(void **state)
{
    (void)state;
    for (int n = 0; n < BRN_COUNT(cases); ++n) {
        check_start(&cases[n], 0.0, true);
        check_start(&cases[n], 0.003, true);
        if (strstr(cases[n].text, "rotation: [") == NULL) { /* crossing rods touch a little lower */
            check_start(&cases[n], 0.004, false);
        }
        check_start(&cases[n], 0.01, false);
        check_start(&cases[n], 0.03, false);
    }
    /* Turned and shifted, so that nothing is exact: touching to rounding is touching. */
    static const char *const tilted[] = {
        "  - {name: upper, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [%.17g, 0, %.17g], "
        "rotation: {axis: "
        "[0, 1, 0], degrees: 30}}\n  - {name: lower, type: static, shape: {plane: {normal: [0.5, 0, "
        "0.86602540378443865]}}}\n",
        "  - {name: upper, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [%.17g, 0, %.17g], "
        "rotation: {axis: "
        "[0, 1, 0], degrees: 30}}\n  - {name: lower, type: static, shape: {sphere: {radius: 0.05}}, "
        "position: [-0.025, 0, "
        "-0.043301270189221933]}\n",
        "  - {name: upper, type: rigid, shape: {sphere: {radius: 0.05}}, position: [%.17g, 0, %.17g]}\n"
        "  - {name: lower, type: static, shape: {plane: {normal: [0.5, 0, 0.86602540378443865]}}}\n",
        "  - {name: upper, type: rigid, shape: {sphere: {radius: 0.05}}, position: [%.17g, 0, %.17g]}\n"
        "  - {name: lower, type: static, shape: {sphere: {radius: 0.05}}, position: [-0.025, 0, "
        "-0.043301270189221933]}\n",
    };
    for (int n = 0; n < BRN_COUNT(tilted); ++n) {
        for (int good = 0; good < 2; ++good) {
            char text[2000];
            char body[800];
            flow f;
            const double r = good ? 0.0500001 : 0.05;
            (void)snprintf(body, sizeof body, tilted[n], 0.5 * r, 0.86602540378443865 * r);
            (void)snprintf(text, sizeof text, "%s%s", HEAD3, body);
            assert_int_equal(flow_try(1, text, NULL, &f), good ? BRN_OK : BRN_ERR_SCENE);
            flow_close(&f);
        }
    }
}

/* Small bodies wholly inside of large ones, whose surfaces do not meet; in a static shell there is room. */
static void test_inside(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
    } inside[] = {
        {HEAD3 BALL3 "  - {name: lower, type: rigid, shape: {box: {size: [1, 1, 1]}}}\n", false},
        {HEAD3 BOX3 "  - {name: lower, type: static, shape: {cylinder: {radius: 1, height: 2}}}\n", false},
        {HEAD3 SOFT3 "  - {name: lower, type: static, shape: {sphere: {radius: 1}}}\n", false},
        {HEAD3 ROD3 "  - {name: lower, type: static, shape: {capsule: {radius: 1, height: 3}}}\n", false},
        {HEAD(3) "meshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2], element: tet4}}}\nbodies:\n" BALL3
                 "  - {name: lower, type: deformable, mesh: m, material: a}\n",
         false},
        {HEAD(3) "meshes: {m: {icosphere: {radius: 1, resolution: 0.5}}}\nbodies:\n" BALL3
                 "  - {name: lower, type: static, mesh: m}\n",
         true},
        {HEAD3 BALL3
         "  - {name: lower, type: rigid, shape: {box: {size: [1, 1, 1]}}, position: [1.1, 0, 0]}\n",
         true},
        {HEAD2 BALL2 "  - {name: lower, type: rigid, shape: {box: {size: [1, 1]}}}\n", false},
        {HEAD2 SOFT2 "  - {name: lower, type: static, shape: {box: {size: [1, 1]}}}\n", false},
        {HEAD2 BALL2 "  - {name: lower, type: rigid, shape: {box: {size: [1, 1]}}, position: [1.1, 0]}\n",
         true},
    };
    for (int i = 0; i < BRN_COUNT(inside); ++i) {
        flow f;
        const brn_status status = flow_try(1, inside[i].text, NULL, &f);
        for (int n = 0; status < 0 && f.model == NULL && n < brn_scene_problem_count(f.scene); ++n) {
            print_error("%s\n", brn_scene_problem(f.scene, n));
        }
        if (status != (inside[i].good ? BRN_OK : BRN_ERR_SCENE)) {
            fail_msg("case %d: %s: %s", i, brn_status_name(status), brn_ctx_message(f.ctx));
        }
        if (!inside[i].good) {
            assert_non_null(strstr(brn_ctx_message(f.ctx), "body 'upper'"));
            assert_non_null(strstr(brn_ctx_message(f.ctx), "body 'lower'"));
        }
        flow_close(&f);
    }
}

/* ---- wires ------------------------------------------------------------------------------------------------------------------ */

/* A wire from an OBJ file of lines, thick enough to touch; without a thickness it is refused. */
static void test_wires(void **state)
{
    (void)state;
    FILE *file = fopen("wire.obj", "w");
    assert_non_null(file);
    fprintf(file, "v -0.2 0 0\nv 0 0.02 0\nv 0.2 0 0\nv 0 0 0.5\ng bow\nl 1 2 3\n");
    fclose(file);
    static const char text[] = HEAD(
        3) "meshes: {wire: {file: wire.obj}}\ncontact: {friction: 0.5}\nbodies:\n" BALL3
           "  - {name: lower, type: static, mesh: wire, thickness: 0.02, position: [0.013, 0, -0.01]" TURN3
           "}\n";
    const pair_case wire = {"wire", text, PE};
    stage s = stage_open(&wire, NULL);
    assert_int_equal(s.model->body[1].touch->nedge, 2);
    assert_int_equal(s.model->body[1].touch->nnode, 3);
    assert_near(s.model->body[1].radius, 0.01, 1e-15);
    for (int i = 0; i < s.ipc->ncontact; ++i) {
        assert_int_equal(s.ipc->contact[i].kind, BRN_TOUCH_POINT_EDGE);
        assert_near(s.ipc->contact[i].offset, 0.06, 1e-15);
    }
    check_gradient(&s);
    check_friction_hessian(&s);
    check_barrier_hessian(&s);
    check_balance(&s);
    stage_close(&s);
    flow f;
    assert_int_equal(flow_try(1, text, "bodies.lower.thickness=0", &f), BRN_ERR_SCENE);
    assert_non_null(strstr(brn_scene_problem(f.scene, 0), "it is a wire"));
    flow_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_friction_hessian),
        cmocka_unit_test(test_barrier_hessian),
        cmocka_unit_test(test_projection),
        cmocka_unit_test(test_balance),
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_inside),
        cmocka_unit_test(test_wires),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
