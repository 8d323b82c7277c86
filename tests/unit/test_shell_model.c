/* Shells and springs from the scene to the model: groups, mass, what touches, clamped edges; and what is refused. */
#include "flow.h"

#include "contact/candidates.h"
#include "model/model.h"
#include "output/drawing/strain.h"
#include "output/trajectory/fields.h"
#include "output/trajectory/outline.h"
#include "phys/shells/bending.h"
#include "phys/shells/membrane.h"
#include "phys/shells/spring.h"

#define HEAD                                                                                            \
 "brunt: 1\ntime: {step: 0.01, end: 1}\nmethod: ipc\n"                                                  \
 "materials: {m: {type: neo_hookean, young: 1e6, poisson: 0.25, density: 500, damping: {beta: 0.1}},\n" \
 "            s: {type: stvk, young: 1e6, poisson: 0.25, density: 500}, c: {type: corotated}}\n"        \
 "meshes:\n  g: {grid: {size: [2, 1], cells: [4, 2]}}\n"                                                \
 "  b: {box: {size: [1, 1, 1], cells: [1, 1, 1], element: tet4}}\n"

static void test_groups(void **state)
{
    (void)state;
    static const char *const kinds[] = {"consistent", "lumped", "uniform"};
    for (int k = 0; k < 3; ++k) {
        char text[2048];
        (void)snprintf(text, sizeof text,
                       HEAD "bodies: [{name: a, type: shell, mesh: g, material: m, thickness: 0.01, mass: "
                            "%s, position: [1, 2, 3]}]\n"
                            "fixed: [{body: a, where: {box: {min: [-9, -9, -9], max: [0.51, 9, 9]}}}]\n",
                       kinds[k]);
        flow f = flow_open(1, text, NULL);
        const brn_model *model = f.model;
        const brn_body *body = &model->body[0];
        assert_int_equal(body->type, BRN_BODY_SHELL);
        assert_false(body->solid); /* nothing is inside of it */
        assert_near(body->radius, 0.005, 0.0);
        assert_int_equal(body->elem_count, 16);
        assert_int_equal(model->nelem, 16);
        assert_near(body->volume, 0.02, 1e-15);
        assert_near(body->mass, 10.0, 1e-13);
        for (int i = 0; i < 3; ++i) { /* a uniform mass knows nothing of areas */
            assert_near(body->centre[i], 1.0 + i, k == 2 ? 0.05 : 1e-13);
        }
        assert_int_equal(model->mass_diagonal, k != 0);

        /* The membrane is the body's and shown, bending is neither; both are damped. */
        assert_int_equal(body->group_count, 1);
        assert_int_equal(model->ngroup, 2);
        const brn_membrane *membrane = brn_membrane_of_group(model->group[0]);
        const brn_bending *bending = brn_bending_of_group(model->group[1]);
        assert_non_null(membrane);
        assert_non_null(bending);
        assert_int_equal(membrane->law.kind, BRN_MEMBRANE_NEO_HOOKEAN);
        assert_int_equal(membrane->group.cell, BRN_TRI3);
        assert_int_equal(bending->group.cell, -1);
        assert_near(membrane->group.beta, 0.1, 0.0);
        assert_near(bending->group.beta, 0.1, 0.0);
        assert_null(brn_membrane_of_group(model->group[1]));
        flow_close(&f);
    }
}

static const brn_membrane_law *law_of(flow *f, const char *keys)
{
    char text[2048];
    (void)snprintf(text, sizeof text, HEAD "bodies: [{name: a, type: shell, mesh: g, thickness: 0.01, %s}]\n",
                   keys);
    *f = flow_open(1, text, NULL);
    return &brn_membrane_of_group(f->model->group[0])->law;
}

static void test_keys(void **state)
{
    (void)state;
    flow f;
    assert_int_equal(law_of(&f, "material: s")->kind, BRN_MEMBRANE_QUADRATIC);
    assert_int_equal(f.model->ngroup, 2);
    flow_close(&f);
    (void)law_of(&f, "material: s, bending: 0");
    assert_int_equal(f.model->ngroup, 1);
    flow_close(&f);
    (void)law_of(&f, "material: s, plate: hinge");
    assert_int_equal(f.model->group[1]->nnode, 6);
    flow_close(&f);
    assert_near(law_of(&f, "material: s, stretch_limit: 1.1")->limit, 1.1, 0.0);
    flow_close(&f);
    /* Warp along y of the mesh, which the body's rotation turns to -x. */
    const brn_membrane_law *law =
        law_of(&f, "material: s, weave: {warp: 3e6, weft: 1e6, shear: 2e5, direction: [0, 1, 0]}, "
                   "rotation: {axis: [0, 0, 1], degrees: 90}");
    assert_near(law->stiffness[0], 3e6, 1e-6);
    assert_near(law->stiffness[1], 1e6, 1e-6);
    assert_near(law->stiffness[2], 2e5, 1e-6);
    const double strain = 1e-3;
    double energy[16];
    double sum = 0.0;
    for (int a = 0; a < f.model->nnode; ++a) {
        f.model->rest[a][0] *= 1.0 + strain; /* stretched along x: along the warp */
    }
    brn_membrane_eval(brn_membrane_of_group(f.model->group[0]), (const double(*)[3])f.model->rest, 0, 16,
                      BRN_TANGENT_EXACT, energy, NULL, NULL);
    for (int e = 0; e < 16; ++e) {
        sum += energy[e];
    }
    /* 1/2 E warp strain^2 volume, with strain + strain^2/2 of Green */
    assert_near(sum, 0.5 * 3e6 * pow(strain + 0.5 * strain * strain, 2) * 0.02, 1e-9 * sum);
    flow_close(&f);
}

/* Pairs of one sheet touch at most at half their distance at rest, those of two sheets at the sum of their half thicknesses. */
static void test_offsets(void **state)
{
    (void)state;
    flow f = flow_open(
        1,
        HEAD "bodies:\n  - {name: a, type: shell, mesh: g, material: s, thickness: 0.6}\n"
             "  - {name: b, type: shell, mesh: g, material: s, thickness: 0.2, position: [0, 0, 0.5]}\n",
        NULL);
    brn_skin *skin = NULL;
    brn_candidates *c = NULL;
    assert_done(f.ctx, brn_skin_create(f.ctx, f.model, &skin));
    assert_done(f.ctx, brn_candidates_create(f.ctx, skin, &c));
    const double *rest = &f.model->rest[0][0];
    assert_done(f.ctx, brn_candidates_find(c, rest, rest, 0.3));
    int own = 0;
    int other = 0;
    for (int i = 0; i < brn_candidates_count(c); ++i) {
        const brn_candidate *pair = &brn_candidates_get(c)[i];
        const bool same =
            skin->node_body[pair->node[0]] == skin->node_body[pair->node[brn_touch_count(pair->node) - 1]];
        own += same;
        other += !same;
        if (!same) {
            assert_near(pair->offset, 0.4, 1e-15);
            continue;
        }
        const double most = 2.0 * skin->radius[pair->node[0]];
        /* Parts without a common node are half a diagonal of a 0.5 m cell apart, or more. */
        assert_true(pair->offset <= most && pair->offset >= fmin(most, 0.5 * 0.35));
    }
    assert_true(own > 20 && other > 100);
    brn_candidates_destroy(c);
    brn_skin_destroy(skin);
    flow_close(&f);
}

static void test_springs(void **state)
{
    (void)state;
    flow f = flow_open(
        1,
        HEAD
        "bodies:\n  - {name: a, type: shell, mesh: g, material: s, thickness: 0.01}\n"
        "  - {name: b, type: static, mesh: b, position: [0, 0, 3]}\n"
        "springs:\n  - {body: a, where: {face: +x}, to: b, stiffness: 50, damping: 5}\n"
        "  - {body: a, where: {nodes: [0]}, at: {face: +x}, stiffness: 7, length: 0.5, pull_only: true}\n",
        NULL);
    const brn_model *model = f.model;
    assert_int_equal(model->ngroup, 4);
    const brn_spring *up = NULL;
    const brn_spring *across = NULL;
    for (int g = 0; g < model->ngroup; ++g) {
        const brn_spring *spring = brn_spring_of_group(model->group[g]);
        across = spring != NULL && up != NULL ? spring : across;
        up = up == NULL ? spring : up;
    }
    assert_non_null(up);
    assert_non_null(across);
    assert_int_equal(up->group.nelem, 3);
    assert_near(up->group.beta, 0.1, 1e-15);
    for (int e = 0; e < 3;
         ++e) { /* to the nearest corner of the block, 0.5 m off in x and up to 0.5 in y, 2.5 up */
        const double *from = model->rest[up->group.conn[2 * e]], *to = model->rest[up->group.conn[2 * e + 1]];
        assert_near(from[0], 1.0, 1e-12);
        assert_near(to[0], 0.5, 1e-12);
        assert_near(to[2], 2.5, 1e-12);
        assert_near(up->length[e], sqrt(0.25 + pow(to[1] - from[1], 2) + 6.25), 1e-12);
    }
    assert_int_equal(across->group.nelem, 1);
    assert_near(across->length[0], 0.5, 0.0);
    assert_true(across->pull_only);
    flow_close(&f);
}

/* A sheet that stands on edge is stretched and turned: strain and stress are those of the stretch, across the sheet there are
   none. */
static void test_strain_and_stress(void **state)
{
    (void)state;
    flow f = flow_open(
        1,
        HEAD "bodies: [{name: a, type: shell, mesh: g, material: s, thickness: 0.01, rotation: {axis: "
             "[1, 0, 0], degrees: 90}, position: [0, 0, 1e3]}]\n",
        NULL);
    const double turn[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6};
    const double stretch[3] = {1.1, 1.0, 0.95}; /* the sheet is in the plane of x and z */
    const int nnode = f.model->nnode;
    double *pos = calloc(3 * (size_t)nnode, sizeof *pos);
    for (int a = 0; a < nnode; ++a) {
        const double *x = f.model->rest[a];
        for (int i = 0; i < 3; ++i) {
            pos[3 * a + i] = turn[3 * i] * stretch[0] * x[0] + turn[3 * i + 1] * stretch[1] * x[1] +
                             turn[3 * i + 2] * stretch[2] * x[2];
        }
    }
    brn_outline outline = {.ctx = f.ctx};
    brn_recovery recovery = {.ctx = f.ctx};
    brn_strain strain = {.ctx = f.ctx};
    double tensor[16 * 6];
    assert_done(f.ctx, brn_outline_of_model(&outline, f.model));
    assert_int_equal(outline.info.ncell[BRN_TRI3], 16);
    assert_int_equal(outline.info.ntri, 16);
    assert_done(f.ctx, brn_recovery_make(&recovery, &outline.info, NULL, 0));
    assert_int_equal(recovery.nsample, 16);
    assert_done(f.ctx, brn_strain_make(&strain, &outline.info, &recovery));
    assert_done(f.ctx, brn_strain_samples(&strain, pos, tensor));
    const double want[6] = {0.5 * (1.21 - 1.0), 0.0, 0.5 * (0.9025 - 1.0), 0.0, 0.0, 0.0};
    for (int i = 0; i < 16 * 6; ++i) { /* positions of 1e3 m have a rounding of 1e-13, edges are 0.5 m long */
        assert_near(tensor[i], want[i % 6], 1e-11);
    }

    /* S = C E in plane stress, sigma = F S F' / det F with the thickness as at rest; turned back into the sheet. */
    const double c = 1e6 / (1.0 - 0.0625);
    const double second[3] = {c * (want[0] + 0.25 * want[2]), 0.0, c * (want[2] + 0.25 * want[0])};
    double stress[16 * 6];
    assert_done(f.ctx, brn_field_cell_stress(f.ctx, f.model, pos, stress));
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    for (int i = 0; i < 16 * 6; ++i) {
        const double *q = &turn[3 * at[i % 6][0]], *r = &turn[3 * at[i % 6][1]];
        double sum = 0.0;
        for (int k = 0; k < 3; ++k) {
            sum += q[k] * r[k] * stretch[k] * stretch[k] * second[k] / (stretch[0] * stretch[2]);
        }
        assert_near(stress[i], sum, 1e-4); /* 1e6 Pa times 1e-11 and more roundings */
    }
    brn_strain_clear(&strain);
    brn_recovery_clear(&recovery);
    brn_outline_clear(&outline);
    free(pos);
    flow_close(&f);
}

/* A sheet rolled up along x, every fold by the same angle: the faces have the stress of a plate bent to that curvature, 6 D kappa / t^2
   along and Poisson's ratio of that across, pull on one and pressure on the other; their means have none. */
static void test_stress_of_faces(void **state)
{
    (void)state;
    enum { N = 8 };
    static const double angle = 0.02, edge = 0.25, thickness = 0.01;
    flow f = flow_open(1,
                       "brunt: 1\ntime: {step: 1, end: 1}\nmethod: {type: none}\n"
                       "materials: {s: {type: stvk, young: 1.0e6, poisson: 0.25, density: 100}}\n"
                       "meshes: {g: {grid: {size: [2, 2], cells: [8, 8], pattern: alternating}}}\n"
                       "bodies: [{name: a, type: shell, mesh: g, material: s, thickness: 0.01}]\n",
                       NULL);
    double along[N + 1] = {0}, up[N + 1] = {0};
    for (int i = 0; i < N; ++i) { /* edges keep their length, so that nothing is stretched */
        along[i + 1] = along[i] + edge * cos(angle * (i - 0.5 * (N - 1)));
        up[i + 1] = up[i] + edge * sin(angle * (i - 0.5 * (N - 1)));
    }
    double *pos = calloc(3 * (size_t)f.model->nnode, sizeof *pos);
    for (int a = 0; a < f.model->nnode; ++a) {
        const int i = (int)lround((f.model->rest[a][0] + 1.0) / edge);
        pos[3 * a] = along[i];
        pos[3 * a + 1] = f.model->rest[a][1];
        pos[3 * a + 2] = up[i];
    }
    brn_outline outline = {.ctx = f.ctx};
    brn_recovery recovery = {.ctx = f.ctx};
    assert_done(f.ctx, brn_outline_of_model(&outline, f.model));
    assert_done(f.ctx, brn_recovery_make(&recovery, &outline.info, NULL, 0));
    double *sample = calloc(6 * recovery.nsample, sizeof *sample);
    double *node = calloc(6 * (size_t)f.model->nnode, sizeof *node);
    double *cell = calloc(6 * recovery.nsample, sizeof *cell);
    assert_done(f.ctx, brn_field_node_stress(f.ctx, f.model, &recovery, pos, sample, node));
    assert_done(f.ctx, brn_field_cell_stress(f.ctx, f.model, pos, cell));
    const double want = 1e6 / (1.0 - 0.0625) * 0.5 * thickness * angle / edge;
    for (int a = 0; a < f.model->nnode; ++a) {
        const double *x = f.model->rest[a];
        if (fabs(x[0]) < 1e-9 && fabs(x[1]) < 0.6) { /* where the sheet is level */
            /* facets beside it are turned by half of the angle, the next ones by three halves: 1e-3 */
            assert_near(fabs(node[6 * a]), want, 2e-3 * want);
            assert_near(fabs(node[6 * a + 1]), 0.25 * want, 2e-3 * want);
            assert_true(node[6 * a] * node[6 * a + 1] > 0.0);
        }
    }
    for (size_t i = 0; i < 6 * recovery.nsample; ++i) {
        assert_near(cell[i], 0.0, 1e-3 * want);
    }
    free(pos);
    free(sample);
    free(node);
    free(cell);
    brn_recovery_clear(&recovery);
    brn_outline_clear(&outline);
    flow_close(&f);
}

typedef struct refused {
    const char *text, *says;
} refused;

static void test_refused(void **state)
{
    (void)state;
    static const refused cases[] = {
        {"bodies: [{name: a, type: shell, mesh: g, material: s}]\n", "thickness"},
        {"bodies: [{name: a, type: shell, mesh: b, material: s, thickness: 0.01}]\n",
         "a shell needs a mesh of triangles, this one has volume cells"},
        {"bodies: [{name: a, type: shell, mesh: g, material: c, thickness: 0.01}]\n",
         "a shell takes stvk or neo_hookean"},
        {"bodies: [{name: a, type: shell, mesh: g, material: s, thickness: 0}]\n", "must be > 0 m"},
        {"bodies: [{name: a, type: shell, mesh: g, material: s, thickness: 0.01, bending: 2, "
         "flexural_rigidity: 1}]\n",
         "stands beside 'flexural_rigidity'"},
        {"bodies: [{name: a, type: shell, mesh: g, material: s, thickness: 0.01, "
         "weave: {warp: 1, weft: 4, shear: 1, poisson: 0.6}}]\n",
         "must be below sqrt(warp / weft) = 0.5"},
        {"bodies: [{name: a, type: shell, mesh: g, material: s, thickness: 0.01, stretch_limit: 0.9}]\n",
         "must be > 1"},
        {"bodies: [{name: a, type: shell, mesh: q, material: s, thickness: 0.01}]\n"
         "meshes: {q: {disc: {radius: 1, resolution: 0.5, element: tri6}}}\n",
         "a shell needs tri3 cells, this mesh has tri6"},
        {"bodies: [{name: a, type: shell, mesh: g, material: s, thickness: 0.01}]\n"
         "springs: [{body: a, where: {all: true}, stiffness: 1}]\n",
         "needs an other end"},
        {"bodies: [{name: a, type: shell, mesh: g, material: s, thickness: 0.01}]\n"
         "springs: [{body: a, where: {all: true}, to: z, stiffness: 1}]\n",
         "no such body"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[4096];
        /* Only the last case but two has meshes of its own. */
        const bool own = strstr(cases[i].text, "meshes:") != NULL;
        (void)snprintf(text, sizeof text, "%s%s",
                       own ? "brunt: 1\nmethod: ipc\nmaterials: {s: {type: stvk}}\n" : HEAD, cases[i].text);
        flow f;
        assert_true(flow_try(1, text, NULL, &f) < 0);
        bool found = false;
        for (int p = 0; p < brn_scene_problem_count(f.scene); ++p) {
            found = found || strstr(brn_scene_problem(f.scene, p), cases[i].says) != NULL;
        }
        if (!found) {
            fail_msg("case %zu: \"%s\" not in \"%s\"", i, cases[i].says, brn_scene_problem(f.scene, 0));
        }
        flow_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups),          cmocka_unit_test(test_keys),
        cmocka_unit_test(test_offsets),         cmocka_unit_test(test_springs),
        cmocka_unit_test(test_refused),         cmocka_unit_test(test_strain_and_stress),
        cmocka_unit_test(test_stress_of_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
