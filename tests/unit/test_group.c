/* Element groups: a kind that only this test knows goes through assembly, books, bounds and output like any other; a solid
   seen as a group is the solid. */
#include "flow.h"

#include "base/hash.h"
#include "model/model.h"
#include "model/model_parts.h"
#include "output/trajectory/fields.h"
#include "output/trajectory/outline.h"
#include "phys/solid.h"
#include "step/inversion.h"
#include "step/sim.h"

/* ---- a kind of one node: k/2 |x - anchor|^2 ------------------------------------------------------------------------------ */

typedef struct tether {
    brn_element_group group;
    double stiffness;
    double (*anchor)[3]; /* [nelem] */
} tether;

static void tether_destroy(brn_element_group *group)
{
    brn_ctx *ctx = group->ctx;
    brn_free(ctx, ((tether *)group)->anchor);
    brn_free(ctx, group->conn);
    brn_free(ctx, group);
}

static void tether_eval(const brn_element_group *group, const double (*x)[3], int first, int count,
                        brn_tangent tangent, double *energy, double *grad, double *hess)
{
    (void)tangent;
    const tether *t = (const tether *)group;
    for (int e = 0; e < count; ++e) {
        const double *at = x[group->conn[first + e]];
        double square = 0.0;
        for (int i = 0; i < 3; ++i) {
            const double way = at[i] - t->anchor[first + e][i];
            square += way * way;
            if (grad != NULL) {
                grad[3 * e + i] = t->stiffness * way;
            }
            for (int j = 0; j < 3 && hess != NULL; ++j) {
                hess[9 * e + 3 * i + j] = i == j ? t->stiffness : 0.0;
            }
        }
        if (energy != NULL) {
            energy[e] = 0.5 * t->stiffness * square;
        }
    }
}

static uint64_t tether_hash(const brn_element_group *group, uint64_t hash)
{
    return brn_hash_bytes(hash, &((const tether *)group)->stiffness, sizeof(double));
}

static const brn_group_kind tether_kind = {
    .name = "tether", .destroy = tether_destroy, .eval = tether_eval, .hash = tether_hash};

/* Ties every node of the model to its place at rest. */
static tether *add_tethers(brn_model *model, double stiffness)
{
    brn_ctx *ctx = model->ctx;
    tether *t = brn_calloc(ctx, 1, sizeof *t);
    t->group = (brn_element_group){
        .kind = &tether_kind, .ctx = ctx, .dim = 3, .nnode = 1, .nelem = model->nnode, .cell = -1};
    t->stiffness = stiffness;
    t->group.conn = brn_calloc(ctx, (size_t)model->nnode, sizeof(int));
    t->anchor = brn_calloc(ctx, (size_t)model->nnode, sizeof *t->anchor);
    for (int a = 0; a < model->nnode; ++a) {
        t->group.conn[a] = a;
        memcpy(t->anchor[a], model->rest[a], sizeof t->anchor[a]);
    }
    model->group = brn_realloc(ctx, model->group, (size_t)model->ngroup + 1, sizeof *model->group);
    model->group[model->ngroup++] = &t->group;
    return t;
}

static const char cube[] = "brunt: 1\nmethod: none\ntime: {step: 0.1, end: 1}\n"
                           "materials: {m: {type: neo_hookean, young: 1e6, poisson: 0.3, density: 800}}\n"
                           "meshes: {c: {box: {size: [1, 1, 1], cells: [1, 1, 1], element: hex8}}}\n"
                           "bodies: [{name: c, type: deformable, mesh: c, material: m}]\n";

/* Eight equal tethers bear eight equal shares of the weight: the cube sinks without a change of shape, in the first step of the
   implicit Euler method by h^2 g / (1 + h^2 8 k / m). */
static void test_new_kind(void **state)
{
    (void)state;
    flow f = {.ctx = test_ctx(2)};
    assert_done(f.ctx, flow_scene(f.ctx, cube, NULL, &f.scene));
    assert_done(f.ctx, brn_model_compile(f.ctx, f.scene, &f.model));
    char *parts[3];
    assert_done(f.ctx, brn_model_parts(f.model, &parts[0]));
    tether *t = add_tethers(f.model, 5e3);
    assert_done(f.ctx, brn_model_parts(f.model, &parts[1]));
    t->stiffness = 1e4;
    assert_done(f.ctx, brn_model_parts(f.model, &parts[2]));
    assert_string_not_equal(parts[0], parts[1]);
    assert_string_not_equal(parts[1], parts[2]);
    for (int i = 0; i < 3; ++i) {
        brn_free(f.ctx, parts[i]);
    }

    assert_done(f.ctx, brn_sim_create(f.ctx, f.model, &f.sim));
    brn_report report;
    assert_done(f.ctx, brn_sim_step(f.sim, &report));
    const double sink = 0.01 * 9.81 / (1.0 + 0.01 * 8e4 / 800.0);
    for (int a = 0; a < f.model->nnode; ++a) {
        for (int i = 0; i < 3; ++i) {
            /* Newton's method stops when forces are below 1e-10 of the largest, with stiffnesses of 1e4 to 1e6 N/m. */
            assert_near(f.sim->state->node_pos[3 * a + i] - f.model->rest[a][i], i == 2 ? -sink : 0.0, 1e-9);
        }
    }
    assert_near(report.elastic, 4e4 * sink * sink, 1e-9 * 4e4 * sink);
    assert_int_equal(report.inversions, 0);
    assert_near(report.kinetic, 400.0 * sink * sink / 0.01, 1e-6);

    /* It is not shown, has no stress, sets no bound. */
    brn_outline outline = {.ctx = f.ctx};
    assert_done(f.ctx, brn_outline_of_model(&outline, f.model));
    assert_int_equal(brn_outline_cells(&outline.info), 1);
    brn_outline_clear(&outline);
    double stress[6];
    double fraction = 0.0;
    assert_done(f.ctx, brn_field_cell_stress(f.ctx, f.model, f.sim->state->node_pos, stress));
    for (int i = 0; i < 6; ++i) {
        assert_near(stress[i], 0.0, 1e-2); /* 1e6 Pa times strains of 1e-9 and rounding */
    }
    assert_done(f.ctx,
                brn_inversion_bound(f.ctx, f.model, &f.model->rest[0][0], f.sim->state->node_pos, &fraction));
    assert_near(fraction, 1.0, 0.0);
    flow_close(&f);
}

/* ---- solids ----------------------------------------------------------------------------------------------------------- */

static void test_solid(void **state)
{
    (void)state;
    flow f = flow_open(1, cube, "meshes.c.box.cells=[2, 1, 1];meshes.c.box.element=tet4");
    const brn_element_group *group = f.model->group[0];
    const brn_solid *solid = brn_solid_of_group(group);
    assert_non_null(solid);
    assert_ptr_equal(&solid->group, group);
    assert_int_equal(group->cell, BRN_TET4);
    assert_int_equal(brn_group_grad_size(group), 12);
    assert_int_equal(brn_group_hess_size(group), 90);
    const brn_stencils stencils = brn_group_stencils(group);
    assert_int_equal(stencils.count, group->nelem);
    assert_int_equal(stencils.width, 4);
    assert_ptr_equal(stencils.node, group->conn);
    double volume = 0.0;
    for (int e = 0; e < group->nelem; ++e) {
        volume += brn_group_volume(group, e);
    }
    assert_near(volume, 1.0, 1e-15);
    /* Young's modulus is what contact sees of a material. */
    assert_near(group->young, 1e6, 1e-9);

    /* Everything that decides its energy is in the hash. */
    brn_element_group *own = f.model->group[0];
    const uint64_t hash = brn_group_hash(own, 1);
    double *numbers[] = {&own->alpha, &own->beta, &own->density, &((brn_solid *)own)->moduli.mu,
                         &((brn_solid *)own)->volume[0]};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        const double was = *numbers[i];
        *numbers[i] = was + 1.0;
        assert_true(brn_group_hash(own, 1) != hash);
        *numbers[i] = was;
    }
    own->conn[0] ^= 1;
    assert_true(brn_group_hash(own, 1) != hash);
    own->conn[0] ^= 1;
    assert_true(brn_group_hash(own, 1) == hash);
    brn_group_destroy(NULL);
    flow_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_new_kind), cmocka_unit_test(test_solid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
