/* Barrier and friction terms of method ipc: derivatives against finite differences, positive semi-definite Hessians, and
   no force or moment on the whole. */
#include "flow.h"

#include "base/param.h"
#include "base/rng.h"
#include "geom/mollifier.h"
#include "linalg/dense.h"
#include "step/ipc/ipc.h"
#include "step/ipc/ipc_barrier.h"
#include "step/sim.h"

static const char cubes[] =
    "brunt: 1\nmethod: {type: ipc, dhat: 0.01, kappa: 1e4, friction_speed: 0.1}\ntime: {step: 0.01, end: 1}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
    "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: tet4}}}\n"
    "bodies:\n  - {name: a, type: deformable, mesh: m, material: a}\n"
    "  - {name: b, type: deformable, mesh: m, material: a, position: [0.013, 0.017, 0.105],\n"
    "     rotation: {axis: [0, 0, 1], degrees: 12}}\n"
    "contact: {friction: 0.5}\n";

static const char squares[] =
    "brunt: 1\ndimension: 2\nmethod: {type: ipc, dhat: 0.01, kappa: 1e4, friction_speed: 0.1}\n"
    "time: {step: 0.01, end: 1}\nmaterials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
    "meshes: {m: {box: {size: [0.1, 0.1], cells: [4, 4], element: tri3}}}\n"
    "bodies:\n  - {name: a, type: deformable, mesh: m, material: a}\n"
    "  - {name: b, type: deformable, mesh: m, material: a, position: [0.013, 0.105]}\n"
    "contact: {friction: 0.5}\n";

/* A simulation whose bodies are in contact: nodes disturbed by less than the gap, contacts and friction found. */
typedef struct stage {
    flow f;
    brn_ipc *ipc;
    double *x; /* [nnode][3] */
} stage;

static stage stage_open(const char *text)
{
    stage s = {.f = flow_open(1, text, NULL)};
    const brn_model *model = s.f.model;
    brn_rng rng = {3};
    s.ipc = s.f.sim->self;
    s.x = malloc((size_t)model->nnode * 3 * sizeof *s.x);
    for (int a = 0; a < model->nnode; ++a) {
        for (int i = 0; i < 3; ++i) {
            s.x[3 * a + i] = model->rest[a][i] + (i < model->dim ? brn_rng_uniform(&rng, -1e-3, 1e-3) : 0.0);
        }
    }
    s.ipc->from = &model->rest[0][0];
    s.ipc->h = 0.015; /* eps_v h = 1.5 mm: some pairs below it, some above */
    assert_done(s.f.ctx, brn_ipc_find_candidates(s.ipc, s.x, s.x));
    assert_done(s.f.ctx, brn_ipc_renew_friction(s.ipc, s.x));
    assert_true(s.ipc->ncontact > 5);
    assert_true(s.ipc->nslide == s.ipc->ncontact);
    return s;
}

static void stage_close(stage *s)
{
    free(s->x);
    flow_close(&s->f);
}

static void check_barrier(int kind)
{
    const double kappa = 3e4;
    const double dhat = 2e-3;
    for (double d = 1e-6; d < dhat; d *= 1.7) {
        const double e =
            1e-5 * d; /* truncation e^2/6 b^(3) and rounding eps b/e: 1e-9 of each derivative, 100x margin */
        const brn_barrier b = brn_barrier_at(kind, kappa, dhat, d);
        const brn_barrier up = brn_barrier_at(kind, kappa, dhat, d + e);
        const brn_barrier down = brn_barrier_at(kind, kappa, dhat, d - e);
        assert_near((up.value - down.value) / (2.0 * e), b.first, 1e-7 * fabs(b.first) + 1e-10 * b.value / e);
        assert_near((up.first - down.first) / (2.0 * e), b.second,
                    1e-7 * b.second + 1e-10 * fabs(b.first) / e);
        assert_true(b.value > 0.0 && b.first < 0.0 && b.second > 0.0);
    }
    /* Value and force vanish where it ends; infinite where the gap does. */
    const brn_barrier end = brn_barrier_at(kind, kappa, dhat, dhat * (1.0 - 1e-9));
    assert_true(end.value < 1e-12 * kappa * dhat && fabs(end.first) < 1e-7 * kappa);
    assert_true(isinf(brn_barrier_at(kind, kappa, dhat, 0.0).value));
    assert_true(brn_barrier_at(kind, kappa, dhat, dhat).value == 0.0);
}

static void test_barrier_function(void **state)
{
    (void)state;
    check_barrier(BRN_BARRIER_C2);
    check_barrier(BRN_BARRIER_LECTURE);
    check_barrier(BRN_BARRIER_LECTURE_PLANE);
    /* By hand, at half of dhat = 2: (s - 1) ln s = 0.75 ln 4 at s = 1/4, 0.5 ln 2 at s = 1/2. */
    assert_near(brn_barrier_at(BRN_BARRIER_LECTURE, 8.0, 2.0, 1.0).value, 2.0 * 0.75 * log(4.0), 1e-14);
    assert_near(brn_barrier_at(BRN_BARRIER_LECTURE_PLANE, 2.0, 2.0, 1.0).value, 2.0 * 0.5 * log(2.0), 1e-14);
    assert_near(brn_barrier_at(BRN_BARRIER_C2, 1.0, 2.0, 1.0).first, -(log(2.0) + 0.5), 1e-14);
    /* c2 is twice differentiable where it ends. */
    assert_true(brn_barrier_at(BRN_BARRIER_C2, 1.0, 2.0, 2.0 * (1.0 - 1e-9)).second < 1e-7);
}

static void check_terms(const char *text)
{
    stage s = stage_open(text);
    brn_ipc *ipc = s.ipc;
    const double h =
        1e-8; /* gaps are 1e-3..1e-2: truncation (h/gap)^2 = 1e-10 of the derivatives, rounding 1e-8 */
    for (int n = 0; n < ipc->ncontact; ++n) {
        const brn_contact_pair *contact = &ipc->contact[n];
        const int *node = contact->node;
        const int count = brn_touch_count(node);
        double grad[12];
        double hess[144];
        double scale_g = 0.0;
        double scale_h = 0.0;
        (void)brn_ipc_barrier_term(ipc, contact, s.x, grad, hess);
        for (int i = 0; i < 3 * count; ++i) {
            scale_g = fmax(scale_g, fabs(grad[i]));
            scale_h = fmax(scale_h, fabs(hess[13 * i]));
        }
        for (int c = 0; c < 3 * count; ++c) {
            double plus[12];
            double minus[12];
            double *entry = &s.x[3 * node[c / 3] + c % 3];
            const double kept = *entry;
            *entry = kept + h;
            const double up = brn_ipc_barrier_term(ipc, contact, s.x, plus, NULL);
            *entry = kept - h;
            const double down = brn_ipc_barrier_term(ipc, contact, s.x, minus, NULL);
            *entry = kept;
            assert_near((up - down) / (2.0 * h), grad[c], 1e-5 * scale_g + 1e-12);
            for (int r = 0; r < 3 * count; ++r) {
                assert_near((plus[r] - minus[r]) / (2.0 * h), hess[12 * r + c], 1e-5 * scale_h + 1e-9);
            }
        }
    }
    stage_close(&s);
}

/* out = the positive semi-definite part of a [12][12], by its eigenvalues. */
static void positive_part(const double *a, double *out)
{
    double copy[144];
    double w[12];
    double v[144];
    memcpy(copy, a, sizeof copy);
    assert_int_equal(brn_dense_eigen_sym(12, copy, w, v), BRN_OK);
    memset(out, 0, 144 * sizeof *out);
    for (int k = 0; k < 12; ++k) {
        for (int i = 0; i < 144; ++i) {
            out[i] += fmax(w[k], 0.0) * v[12 * (i / 12) + k] * v[12 * (i % 12) + k];
        }
    }
}

/* alpha (w n^)(w n^)' of a barrier, over the contact's nodes. */
static void along_normal(const brn_ipc *ipc, const brn_contact_pair *c, const double *x, double *out)
{
    double weight[4];
    double normal[3];
    const double b = brn_barrier_at(BRN_BARRIER_C2, ipc->body[0].kappa, c->reach, brn_pair_gap(c)).second;
    (void)brn_ipc_normal_force(ipc, c, x, weight, normal);
    for (int i = 0; i < 144; ++i) {
        const int r = i / 12;
        const int q = i % 12;
        out[i] = c->area * b * weight[r / 3] * normal[r % 3] * weight[q / 3] * normal[q % 3];
    }
}

/* The closed form against eigenvalues: the barrier's curvature along the normal, and the positive part of the rest. Where
   the mollifier acts, the positive part of the whole. */
static void check_projection(const char *text)
{
    stage s = stage_open(text);
    brn_ipc *ipc = s.ipc;
    int changed = 0;
    for (int n = 0; n < ipc->ncontact; ++n) {
        const brn_contact_pair *c = &ipc->contact[n];
        double grad[12];
        double exact[144];
        double cheap[144];
        double along[144] = {0};
        double rest[144];
        double want[144];
        double at[4][3];
        double most = 0.0;
        double off = 0.0;
        (void)brn_ipc_barrier_term(ipc, c, s.x, grad, exact);
        assert_done(s.f.ctx, brn_ipc_barrier_projected(ipc, c, s.x, cheap));
        (void)brn_candidate_gather(c->node, s.x, at);
        if (c->kind != BRN_TOUCH_EDGE_EDGE ||
            brn_mollifier((const double(*)[3])at, brn_ipc_mollifier_threshold(ipc, c)) == 1.0) {
            along_normal(ipc, c, s.x, along);
        }
        for (int i = 0; i < 144; ++i) {
            rest[i] = exact[i] - along[i];
            most = fmax(most, fabs(exact[i]));
        }
        positive_part(rest, want);
        for (int i = 0; i < 144; ++i) {
            assert_near(cheap[i], along[i] + want[i], 1e-11 * most); /* rounding of both, about 1e-14 */
            off = fmax(off, fabs(cheap[i] - exact[i]));
        }
        changed += off > 1e-6 * most;
    }
    assert_true(changed > 5);
    stage_close(&s);
}

static void test_projection(void **state)
{
    (void)state;
    check_projection(cubes);
    check_projection(squares);
}

static void test_barrier_terms(void **state)
{
    (void)state;
    check_terms(cubes);
    check_terms(squares);
}

/* All terms together: gradient against the energy, the Hessian's symmetric blocks against the gradient where nothing
   needs projection (friction), momentum and angular momentum of the barrier force. */
static void check_sum(const char *text)
{
    stage s = stage_open(text);
    brn_ipc *ipc = s.ipc;
    const brn_model *model = s.f.model;
    const int ndof = ipc->system->ndof;
    double *grad = calloc((size_t)ndof, sizeof *grad);
    double energy = 0.0;
    assert_done(s.f.ctx, ipc->terms.energy(ipc, s.x, &energy));
    assert_done(s.f.ctx, ipc->terms.gradient(ipc, s.x, grad));
    const double h = 1e-8;
    double scale = 0.0;
    for (int i = 0; i < ndof; ++i) {
        scale = fmax(scale, fabs(grad[i]));
    }
    for (int dof = 0; dof < ndof; ++dof) {
        double *entry = &s.x[brn_model_at(model, dof)];
        const double kept = *entry;
        double up = 0.0;
        double down = 0.0;
        *entry = kept + h;
        assert_done(s.f.ctx, ipc->terms.energy(ipc, s.x, &up));
        *entry = kept - h;
        assert_done(s.f.ctx, ipc->terms.energy(ipc, s.x, &down));
        *entry = kept;
        assert_near((up - down) / (2.0 * h), grad[dof], 1e-5 * scale);
    }
    /* Barriers act and react. */
    memset(grad, 0, (size_t)ndof * sizeof *grad);
    ipc->nslide = 0;
    assert_done(s.f.ctx, ipc->terms.gradient(ipc, s.x, grad));
    double force[3] = {0};
    double torque[3] = {0};
    for (int row = 0; row < model->nrow; ++row) {
        double f[3] = {0};
        double t[3];
        memcpy(f, &grad[row * model->dim], (size_t)model->dim * sizeof *f);
        brn_dense_cross3(&s.x[3 * model->row_node[row]], f, t);
        for (int i = 0; i < 3; ++i) {
            force[i] += f[i];
            torque[i] += t[i];
        }
    }
    for (int i = 0; i < 3; ++i) {
        assert_near(force[i], 0.0, 1e-13 * scale * model->nnode);
        assert_near(torque[i], 0.0, 1e-13 * scale * model->nnode);
    }
    free(grad);
    stage_close(&s);
}

static void test_sum_of_terms(void **state)
{
    (void)state;
    check_sum(cubes);
    check_sum(squares);
}

static void test_friction_hessian(void **state)
{
    (void)state;
    stage s = stage_open(cubes);
    brn_ipc *ipc = s.ipc;
    const int ndof = ipc->system->ndof;
    double *force = calloc(2 * (size_t)ndof, sizeof *force);
    int below = 0;
    const brn_ipc_slide all = ipc->slide[0];
    const int count = ipc->nslide;
    for (int n = 0; n < count; ++n) {
        const brn_ipc_slide one = ipc->slide[n];
        double core[9];
        double a[9];
        double w[3];
        double v[9];
        ipc->slide[0] = one; /* this pair alone */
        ipc->nslide = 1;
        brn_ipc_friction_core(ipc, &one, s.x, core);
        memcpy(a, core, sizeof a);
        assert_done(s.f.ctx, brn_dense_eigen_sym(3, a, w, v));
        assert_true(w[0] >= -1e-12 * w[2]);
        const double h = 1e-9; /* slips are about 1e-3 */
        for (int c = 0; c < 3 * one.lever.count; ++c) {
            double *entry = &s.x[3 * one.lever.node[c / 3] + c % 3];
            const double kept = *entry;
            memset(force, 0, 2 * (size_t)ndof * sizeof *force);
            *entry = kept + h;
            brn_ipc_friction_gradient(ipc, s.x, force);
            *entry = kept - h;
            brn_ipc_friction_gradient(ipc, s.x, force + ndof);
            *entry = kept;
            for (int r = 0; r < 3 * one.lever.count; ++r) {
                const int dof = 3 * one.lever.node[r / 3] + r % 3;
                assert_near((force[dof] - force[ndof + dof]) / (2.0 * h),
                            one.lever.weight[r / 3] * one.lever.weight[c / 3] * core[3 * (r % 3) + c % 3],
                            1e-5 * w[2]);
            }
        }
        ipc->slide[0] = n == 0 ? one : all;
        below += one.force > 0.0;
    }
    assert_true(below > 5);
    ipc->nslide = count;
    free(force);
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barrier_function), cmocka_unit_test(test_barrier_terms),
        cmocka_unit_test(test_projection),       cmocka_unit_test(test_sum_of_terms),
        cmocka_unit_test(test_friction_hessian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
