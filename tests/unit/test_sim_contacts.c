/* What the driver makes of a method's contacts, shown by a method whose every word is scripted: `none` below, and points,
   energies and failures as told. */
#include "flow.h"
#include "unit/no_fsync.h"

#include "api/run_series.h"
#include "base/os.h"
#include "step/ledger.h"
#include "step/none/none.h"

static struct {
    int calls;
    int fail_from, fail_to; /* these calls do not converge */
    int spoil;              /* so many first calls end with what the driver must refuse */
    double spoilt_velocity, spoilt_energy;
    double contact_energy, stiffness_work;
    brn_contact_point point[3];
    int npoint;
} script;

/* Its own figures: the number of the call, put together in every way. */
static const brn_own_figure fake_figures[] = {
    {{.name = "fake.last", .unit = "", .whole = true, .reduction = BRN_REDUCE_LAST}, BRN_REDUCE_LAST},
    {{.name = "fake.sum", .unit = "", .whole = true, .reduction = BRN_REDUCE_SUM}, BRN_REDUCE_SUM},
    {{.name = "fake.max", .unit = "", .whole = true, .reduction = BRN_REDUCE_MAX}, BRN_REDUCE_MAX},
    {{.name = "fake.min", .unit = "", .whole = true, .reduction = BRN_REDUCE_MIN}, BRN_REDUCE_MIN},
};

static void tell(brn_step_info *info)
{
    info->point = script.point;
    info->npoint = script.npoint;
    info->contacts = script.npoint;
    info->contact_energy = script.contact_energy;
    info->stiffness_work = script.stiffness_work;
}

static brn_status fake_create(brn_ctx *ctx, const brn_model *model, brn_system *system, void **self)
{
    return brn_none_method.create(ctx, model, system, self);
}

static brn_status fake_step(void *self, const brn_state *in, double t, double h, brn_state *out,
                            double *h_done, brn_step_info *info)
{
    const int call = script.calls++;
    /* A failed attempt leaves nothing of what the points were. */
    memset(script.point, 0xff, sizeof script.point);
    if (call >= script.fail_from && call < script.fail_to) {
        return BRN_ERR_CONVERGENCE;
    }
    for (int k = 0; k < script.npoint; ++k) {
        script.point[k] = (brn_contact_point){.body = {0, 1},
                                              .normal = {0.0, 0.0, 1.0},
                                              .gap = 1e-3 * (call - 1),
                                              .normal_force = 8.0 + call,
                                              .friction = {0.5 * k, 0.0, 0.0},
                                              .mu = 0.125};
    }
    tell(info);
    for (int i = 0; i < BRN_COUNT(fake_figures); ++i) {
        info->own[i] = call;
    }
    const brn_status status = brn_none_method.step(self, in, t, h, out, h_done, info);
    if (call < script.spoil) {
        out->node_vel[0] = script.spoilt_velocity;
        info->contact_energy = script.spoilt_energy;
        info->intersections = 7;
        info->gap_min = -1.0;
        info->complementarity = 9.0;
        info->lags = 50;
        info->iterations = 1000;
    }
    return status;
}

static brn_status fake_reset(void *self, brn_state *state, double t, brn_step_info *info)
{
    tell(info);
    return brn_none_method.reset(self, state, t, info);
}

static void fake_destroy(void *self)
{
    brn_none_method.destroy(self);
}

static brn_method fake_method(void)
{
    return (brn_method){.table = brn_none_method.table,
                        .integrators = brn_none_method.integrators,
                        .contact = true,
                        .figures = fake_figures,
                        .nfigures = BRN_COUNT(fake_figures),
                        .create = fake_create,
                        .step = fake_step,
                        .reset = fake_reset,
                        .destroy = fake_destroy};
}

static const char two[] = "brunt: 1\ntime: {step: 1e-3, end: 0.05}\nmethod: {type: none, tolerance: 1e-11}\n"
                          "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
                          "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1], element: hex8}}}\n"
                          "bodies: [{name: a, type: deformable, mesh: m, material: a},\n"
                          "         {name: b, type: static, mesh: m, position: [0, 0, -1]}]\n"
                          "output: {probes: [{name: p, body: a, where: {nodes: [0]}}]}\n";

static const brn_method *fake_open(flow *f, brn_method *method, const char *sets)
{
    *f = flow_open(1, two, sets);
    *method = fake_method();
    brn_sim_destroy(f->sim);
    f->sim = NULL;
    assert_done(f->ctx, brn_sim_create_with(f->ctx, f->model, method, &f->sim));
    return method;
}

static void test_points_of_the_state(void **state)
{
    (void)state;
    flow f;
    brn_method method;
    brn_report r;
    int count = -1;
    memset(&script, 0, sizeof script);
    script.npoint = 1;
    script.point[0] = (brn_contact_point){.body = {1, 0},
                                          .normal = {1.0, 0.0, 0.0},
                                          .gap = 0.5,
                                          .normal_force = 3.0,
                                          .friction = {0.0, 1.0, 0.0}};
    (void)fake_open(&f, &method, NULL);
    /* of the start */
    const brn_contact_point *p = brn_sim_contacts(f.sim, &count);
    assert_int_equal(count, 1);
    assert_true(p[0].gap == 0.5 && p[0].body[0] == 1);
    const double *force = brn_sim_contact_forces(f.sim);
    const double start[6] = {-3.0, -1.0, 0.0, 3.0, 1.0, 0.0};
    assert_memory_equal(force, start, sizeof start);
    r = (brn_report){.gap_min = INFINITY};
    assert_done(f.ctx, brn_sim_report(f.sim, &r));
    assert_true(r.gap_min == 0.5 && r.contacts == 1 && r.slipping == 1 && r.cone_error == 1.0);
    /* of a step in two parts after two failures: the last one's points, the worst one's errors. Frictions are 0, 0.5, 1 N
       and the cone 1.25 N, then 1.375 N and so on; gaps 1 mm and more. */
    script.npoint = 3;
    script.fail_from = 0;
    script.fail_to = 2;
    assert_done(f.ctx, brn_sim_step(f.sim, &r));
    assert_int_equal(r.retries, 2);
    assert_true(r.substeps > 1);
    p = brn_sim_contacts(f.sim, &count);
    assert_int_equal(count, 3);
    const int last = script.calls - 1;
    assert_true(p[2].normal_force == 8.0 + last && r.gap_min == 1e-3);
    assert_true(r.contacts == 3 && r.sticking == 3 && r.slipping == 0 && r.cone_error == 0.0);
    assert_true(r.complementarity == 1e-3 * (last - 1));
    assert_true(brn_sim_contact_forces(f.sim)[2] == 3.0 * (8.0 + last));
    brn_contact_total total;
    assert_done(f.ctx, brn_sim_contact_between(f.sim, 1, 0, &total));
    assert_true(total.normal[2] == -3.0 * (8.0 + last) && total.friction[0] == -1.5);
    assert_int_equal(brn_sim_contact_between(f.sim, 0, 2, &total), BRN_ERR_RANGE);
    assert_int_equal(brn_sim_contact_between(f.sim, -1, 0, &total), BRN_ERR_RANGE);
    /* a step that fails altogether changes nothing */
    script.fail_from = 0;
    script.fail_to = INT32_MAX;
    const double kept = p[2].normal_force;
    assert_int_equal(brn_sim_step(f.sim, &r), BRN_ERR_CONVERGENCE);
    p = brn_sim_contacts(f.sim, &count);
    assert_true(count == 3 && p[2].normal_force == kept);
    /* a checkpoint has none; an edit asks anew */
    assert_done(f.ctx, brn_sim_save(f.sim, "sim_contacts.h5"));
    assert_done(f.ctx, brn_sim_load(f.sim, "sim_contacts.h5"));
    (void)brn_sim_contacts(f.sim, &count);
    assert_int_equal(count, 0);
    assert_true(brn_sim_contact_forces(f.sim)[2] == 0.0);
    script.npoint = 1;
    script.point[0] = (brn_contact_point){.body = {0, 1}, .normal = {0.0, 0.0, 1.0}, .normal_force = 1.0};
    assert_done(f.ctx, brn_sim_edit(f.sim, NULL, NULL));
    (void)brn_sim_contacts(f.sim, &count);
    assert_int_equal(count, 1);
    assert_true(brn_sim_contact_forces(f.sim)[2] == 1.0);
    flow_close(&f);
}

/* Energy stored at the start is there from the start; what a change of stiffness puts in is no error. */
static void test_contact_energy(void **state)
{
    (void)state;
    flow f;
    brn_method method;
    brn_report r = {.gap_min = INFINITY};
    memset(&script, 0, sizeof script);
    script.contact_energy = 2.0;
    (void)fake_open(&f, &method, "gravity=[0,0,0]");
    assert_done(f.ctx, brn_sim_report(f.sim, &r));
    assert_true(r.contact == 2.0 && r.energy_error == 0.0 && r.stiffness_work == 0.0);
    assert_done(f.ctx, brn_sim_step(f.sim, &r));
    assert_true(r.contact == 2.0);
    assert_near(r.energy_error, 0.0, 1e-15); /* nothing moves */
    /* twice as stiff */
    script.contact_energy = 4.0;
    script.stiffness_work = 2.0;
    assert_done(f.ctx, brn_sim_step(f.sim, &r));
    assert_true(r.contact == 4.0 && r.stiffness_work == 2.0);
    assert_near(r.energy_error, 0.0, 1e-15);
    /* what is gained out of nothing is an error, relative to the largest energy so far */
    script.contact_energy = 5.0;
    script.stiffness_work = 0.0;
    assert_done(f.ctx, brn_sim_step(f.sim, &r));
    assert_true(r.stiffness_work == 2.0);
    assert_near(r.energy_error, 0.2, 1e-15);
    /* known after a checkpoint as well */
    assert_done(f.ctx, brn_sim_save(f.sim, "sim_contacts.h5"));
    assert_done(f.ctx, brn_sim_load(f.sim, "sim_contacts.h5"));
    r = (brn_report){.gap_min = INFINITY};
    assert_done(f.ctx, brn_sim_report(f.sim, &r));
    assert_true(r.contact == 5.0 && r.stiffness_work == 2.0);
    assert_near(r.energy_error, 0.2, 1e-15);
    /* infinite: an attempt that must be repeated */
    script.contact_energy = INFINITY;
    assert_int_equal(brn_sim_step(f.sim, &r), BRN_ERR_NOT_FINITE);
    flow_close(&f);
}

/* A body at rest has no momentum to measure an error by, but it exchanges impulse with its support all the time: a force
   that is missing in the books by a part in 10^6 shows as about that. */
static void test_momentum_scale(void **state)
{
    (void)state;
    flow f = flow_open(1, two, "fixed=[{body: a, where: {all: true}}]");
    for (int n = 0; n < 10; ++n) {
        brn_report r;
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        assert_near(r.momentum_error, 0.0, 1e-14);
        assert_near(r.angular_momentum_error, 0.0, 1e-14);
    }
    /* 10 steps of weight and of its support, 9.81 N each: 1000 kg/m^3, 1e-3 m^3 */
    double *ledger = f.sim->state->ledger;
    assert_near(ledger[BRN_LEDGER_EXCHANGED], 10 * 1e-3 * 2.0 * 9.81, 1e-12);
    ledger[BRN_LEDGER_IMPULSE + 2] += 1e-6 * 10 * 1e-3 * 9.81;
    brn_report r = {.gap_min = INFINITY};
    assert_done(f.ctx, brn_sim_report(f.sim, &r));
    assert_near(r.momentum_error, 0.5e-6, 1e-10);
    flow_close(&f);
}

/* ---- columns ------------------------------------------------------------------------------------------------------- */

static char *series_of(flow *f, const brn_report *report)
{
    brn_run_series *series = NULL;
    char *text = NULL;
    size_t length = 0;
    assert_done(f->ctx, brn_run_series_open(f->sim, "sim_contacts.csv", -1, &series));
    assert_done(f->ctx, brn_run_series_add(series, report));
    assert_done(f->ctx, brn_run_series_close(series));
    assert_done(f->ctx, brn_file_read(f->ctx, "sim_contacts.csv", 1 << 20, &text, &length));
    return text;
}

static void test_columns(void **state)
{
    (void)state;
    flow f;
    brn_method method;
    brn_report r = {.gap_min = INFINITY, .cone_error = 0.75, .sticking = 4, .slipping = 5};
    memset(&script, 0, sizeof script);
    script.npoint = 1;
    script.point[0] = (brn_contact_point){
        .body = {0, 1}, .normal = {0.0, 0.0, 1.0}, .normal_force = 3.0, .friction = {0.5, 0.25, 0.0}};
    (void)fake_open(&f, &method, NULL);
    char *text = series_of(&f, &r);
    const char *row = strchr(text, '\n');
    assert_non_null(
        strstr(text, ",a.contact_x,a.contact_y,a.contact_z,b.contact_x,b.contact_y,b.contact_z\n"));
    assert_non_null(strstr(text, ",b.force_x,b.force_y,b.force_z,")); /* the obstacle's hold */
    assert_non_null(strstr(text, ",contacts,sticking,slipping,gap_min,penetration_max,cone_error,"));
    assert_non_null(strstr(row, ",0.5,0.25,3.0,-0.5,-0.25,-3.0\n"));
    assert_non_null(strstr(row, ",0.0,4.0,5.0,,0.0,0.75,")); /* no gap */
    brn_free(f.ctx, text);
    flow_close(&f);
    /* a method without contact has no such columns */
    f = flow_open(1, two, NULL);
    text = series_of(&f, &r);
    assert_null(strstr(text, ".contact_x"));
    brn_free(f.ctx, text);
    flow_close(&f);
}

/* A method's own figures, over the parts of a step and as columns. */
static void test_own_figures(void **state)
{
    (void)state;
    flow f;
    brn_method method;
    brn_report r;
    memset(&script, 0, sizeof script);
    script.fail_to = 1; /* then two halves */
    (void)fake_open(&f, &method, NULL);
    assert_done(f.ctx, brn_sim_step(f.sim, &r));
    assert_int_equal(r.substeps, 2);
    assert_true(r.own[0] == 2.0 && r.own[1] == 1.0 + 2.0 && r.own[2] == 2.0 && r.own[3] == 1.0);
    for (int i = BRN_COUNT(fake_figures); i < BRN_OWN_FIGURES; ++i) {
        assert_true(r.own[i] == 0.0);
    }
    assert_done(f.ctx, brn_sim_step(f.sim, &r)); /* every step starts anew */
    assert_true(r.own[0] == 3.0 && r.own[1] == 3.0 && r.own[2] == 3.0 && r.own[3] == 3.0);
    char *text = series_of(&f, &r);
    assert_non_null(strstr(text, ",wall_s,fake.last,fake.sum,fake.max,fake.min,b.force_x,"));
    assert_non_null(strstr(strchr(text, '\n'), ",3.0,3.0,3.0,3.0,"));
    brn_free(f.ctx, text);
    flow_close(&f);
}

/* Among many bodies only obstacles and those that are looked at. */
static void test_columns_of_many(void **state)
{
    (void)state;
    enum { BODIES = 65 };
    char text[8192];
    size_t n = (size_t)snprintf(text, sizeof text, "%.*s", (int)(strstr(two, "bodies") - two), two);
    n += (size_t)snprintf(text + n, sizeof text - n, "bodies:\n");
    for (int b = 0; b < BODIES; ++b) {
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "  - {name: n%d, type: %s, mesh: m, position: [%d, 0, 0]%s}\n", b,
                              b == 3 ? "static" : "deformable", b, b == 3 ? "" : ", material: a");
    }
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "output: {probes: [{name: p, body: n7, where: {nodes: [0]}}]}\n");
    assert_true(n < sizeof text);
    flow f = flow_open(1, text, NULL);
    const brn_method method = fake_method();
    memset(&script, 0, sizeof script);
    brn_sim_destroy(f.sim);
    f.sim = NULL;
    assert_done(f.ctx, brn_sim_create_with(f.ctx, f.model, &method, &f.sim));
    char *series = series_of(&f, &(brn_report){.gap_min = INFINITY});
    assert_non_null(
        strstr(series, ",n3.contact_x,n3.contact_y,n3.contact_z,n7.contact_x,n7.contact_y,n7.contact_z\n"));
    assert_null(strstr(series, "n8.contact_x"));
    brn_free(f.ctx, series);
    flow_close(&f);
}

/* What the driver refuses (a velocity or an energy that is no number) is no part of the report, but for the work it took. */
static void test_refused_attempts(void **state)
{
    (void)state;
    for (int energy = 0; energy < 2; ++energy) {
        flow f;
        brn_method method;
        brn_report r;
        memset(&script, 0, sizeof script);
        script.npoint = 1;
        (void)fake_open(&f, &method, NULL);
        script.spoil = 1;
        script.spoilt_velocity = energy ? 0.0 : NAN;
        script.spoilt_energy = energy ? INFINITY : 0.0;
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        assert_true(r.retries == 1 && r.substeps == 2 && script.calls == 3);
        /* gaps of the accepted calls 1 and 2: 0 and 1 mm; that of call 0 was -1 mm, and -1 m in the method's words */
        assert_true(r.gap_min == 0.0 && r.penetration_max == 0.0 && r.complementarity == 1e-3);
        assert_true(r.intersections == 0 && r.lags == 0);
        assert_true(r.iterations >= 1000);
        flow_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_of_the_state), cmocka_unit_test(test_contact_energy),
        cmocka_unit_test(test_momentum_scale),      cmocka_unit_test(test_columns),
        cmocka_unit_test(test_columns_of_many),     cmocka_unit_test(test_refused_attempts),
        cmocka_unit_test(test_own_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
