/* The table of figures: it describes every member of brn_report and brn_summary, and the interface, the docs and the methods'
   own figures follow from it. */
#include "flow.h"

#include "api/registry.h"
#include "output/figures/figure_table.h"

/* ---- no member without a figure ---------------------------------------------------------------------------------------- */

typedef struct member {
    size_t offset, size;
    const char *name;
} member;

static int by_offset(const void *a, const void *b)
{
    const size_t x = ((const member *)a)->offset, y = ((const member *)b)->offset;
    return (x > y) - (x < y);
}

/* Members follow each other with no more between them than the alignment of the next one takes, up to the struct's end. */
static void check_tiles(member *list, int n, size_t total)
{
    qsort(list, (size_t)n, sizeof *list, by_offset);
    size_t end = 0;
    for (int i = 0; i < n; ++i) {
        const size_t align = list[i].size < 8 ? list[i].size : 8;
        const size_t expected = (end + align - 1) / align * align;
        if (list[i].offset != expected) {
            fail_msg("%s lies at %zu, not at %zu: a member before it is not in the table, or is there twice",
                     list[i].name, list[i].offset, expected);
        }
        end = list[i].offset + list[i].size;
    }
    assert_int_equal((end + 7) / 8 * 8, total);
}

static void test_no_member_is_left_out(void **unused)
{
    (void)unused;
    member report[BRN_STEP_FIGURES + 1] = {
        {offsetof(brn_report, own), sizeof(double[BRN_OWN_FIGURES]), "own"}};
    for (int i = 0; i < BRN_STEP_FIGURES; ++i) {
        const brn_figure_row *row = &brn_step_table[i];
        report[i + 1] = (member){row->offset, row->size, row->figure.name};
    }
    check_tiles(report, BRN_STEP_FIGURES + 1, sizeof(brn_report));
    member summary[BRN_RUN_FIGURES + 8] = {
        {offsetof(brn_summary, own), sizeof(double[BRN_OWN_FIGURES]), "own"},
        {offsetof(brn_summary, status), sizeof(char *), "status"},
        {offsetof(brn_summary, reason), sizeof(((brn_summary *)0)->reason), "reason"},
        {offsetof(brn_summary, warnings), sizeof(((brn_summary *)0)->warnings), "warnings"},
        {offsetof(brn_summary, choices), sizeof(((brn_summary *)0)->choices), "choices"},
        {offsetof(brn_summary, stage_rule), sizeof(char *[BRN_STAGES]), "stage_rule"},
        {offsetof(brn_summary, stage), sizeof(brn_stage_result[BRN_STAGES]), "stage"},
        {offsetof(brn_summary, state_hash), sizeof(uint64_t), "state_hash"}};
    for (int i = 0; i < BRN_RUN_FIGURES; ++i) {
        const brn_figure_row *row = &brn_run_table[i];
        summary[i + 8] = (member){row->offset, row->size, row->figure.name};
    }
    check_tiles(summary, BRN_RUN_FIGURES + 8, sizeof(brn_summary));
}

/* ---- what the table says is whole ------------------------------------------------------------------------------------------ */

static const brn_chart *chart_of(const char *id)
{
    for (int i = 0; i < BRN_CHARTS; ++i) {
        if (strcmp(brn_chart_table[i].id, id) == 0) {
            return &brn_chart_table[i];
        }
    }
    return NULL;
}

static void check_words(const brn_figure *f)
{
    assert_true(f->name[0] != '\0' && f->label[0] != '\0' && f->unit != NULL && f->meaning != NULL);
    assert_true(strlen(f->name) + 6 < sizeof f->name); /* room for _mean */
    if (strlen(f->meaning) == 0 || strpbrk(f->name, ",\" ") != NULL) {
        fail_msg("%s: no meaning, or a name that a column cannot have", f->name);
    }
}

static void check_scope(brn_scope scope, const char *method)
{
    const int n = brn_figure_count(scope, method);
    for (int i = 0; i < n; ++i) {
        brn_figure a, b;
        assert_int_equal(brn_figure_get(scope, method, i, &a), BRN_OK);
        check_words(&a);
        for (int k = 0; k < i; ++k) {
            assert_int_equal(brn_figure_get(scope, method, k, &b), BRN_OK);
            if (strcmp(a.name, b.name) == 0) {
                fail_msg("%s is there twice", a.name);
            }
            const bool together = a.chart != NULL && b.chart != NULL && strcmp(a.chart, b.chart) == 0;
            if (scope == BRN_OF_STEP && together && strcmp(a.unit, b.unit) != 0) {
                fail_msg("%s and %s share a plot, but not a unit", a.name, b.name);
            }
        }
        if (scope == BRN_OF_STEP && a.chart != NULL && chart_of(a.chart) == NULL) {
            fail_msg("%s: there is no plot %s", a.name, a.chart);
        }
        if (scope == BRN_OF_RUN) {
            assert_non_null(a.group);
            assert_int_equal(a.of != NULL, a.reduction != BRN_REDUCE_NONE);
        }
    }
    brn_figure none;
    assert_int_equal(brn_figure_get(scope, method, n, &none), BRN_ERR_RANGE);
    assert_int_equal(brn_figure_get(scope, method, -1, &none), BRN_ERR_RANGE);
}

static void test_every_row(void **unused)
{
    (void)unused;
    check_scope(BRN_OF_STEP, NULL);
    check_scope(BRN_OF_RUN, NULL);
    for (int m = 0; m < brn_method_count(); ++m) {
        const brn_method *method = brn_method_get(m);
        check_scope(BRN_OF_STEP, method->table->name);
        check_scope(BRN_OF_RUN, method->table->name);
        assert_in_range(method->nfigures, 0, BRN_OWN_FIGURES);
        for (int i = 0; i < method->nfigures; ++i) {
            const brn_own_figure *own = &method->figures[i];
            const size_t n = strlen(method->table->name);
            assert_true(own->parts != BRN_REDUCE_NONE && own->parts != BRN_REDUCE_MEAN);
            assert_true(own->figure.reduction != BRN_REDUCE_NONE);
            assert_true(strncmp(own->figure.name, method->table->name, n) == 0 && own->figure.name[n] == '.');
        }
    }
    assert_int_equal(brn_figure_count(BRN_OF_RUN, "no such method"), BRN_RUN_FIGURES);
    for (int i = 0; i < BRN_RUN_FIGURES; ++i) {
        const brn_figure figure = brn_run_figure(i);
        /* Two blanks between the label and the widest column are what a terminal has room for. */
        const size_t unit =
            figure.unit[0] == '\0' || strcmp(figure.unit, "1") == 0 ? 0 : strlen(figure.unit) + 3;
        assert_true(strlen(figure.label) + unit <= 23);
        assert_int_equal(figure.of != NULL, brn_run_table[i].of >= 0);
    }
}

/* ---- values ------------------------------------------------------------------------------------------------------------ */

static void test_values(void **unused)
{
    (void)unused;
    const brn_report report = {.step = INT64_C(1) << 40,
                               .iterations = (INT64_C(1) << 33) + 1,
                               .lags = 3,
                               .gap_min = INFINITY,
                               .momentum = {1.0, 2.0, -INFINITY},
                               .phases.factor = 0.125,
                               .own = {7.0, INFINITY}};
    static const struct {
        const char *name;
        double value;
    } known[] = {{"step", 1099511627776.0}, {"iterations", 8589934593.0}, {"lags", 3.0},
                 {"momentum_y", 2.0},       {"momentum_z", -INFINITY},    {"phase_factor", 0.125},
                 {"kinetic", 0.0}};
    int found = 0;
    for (int i = 0; i < BRN_STEP_FIGURES; ++i) {
        const char *name = brn_step_table[i].figure.name;
        for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
            if (strcmp(name, known[k].name) == 0) {
                assert_true(brn_report_figure(&report, i) == known[k].value);
                found++;
            }
        }
        if (strcmp(name, "gap_min") == 0) {
            assert_true(isnan(brn_report_figure(&report, i)));
        }
    }
    assert_int_equal(found, sizeof known / sizeof *known);
    assert_true(brn_report_figure(&report, BRN_STEP_FIGURES) == 7.0);
    assert_true(isnan(brn_report_figure(&report, BRN_STEP_FIGURES + 1))); /* the smallest of none */
    assert_true(isnan(brn_report_figure(&report, -1)));
    assert_true(isnan(brn_report_figure(&report, BRN_STEP_FIGURES + BRN_OWN_FIGURES)));

    /* what is set is read, and nothing else changes */
    for (int i = 0; i < BRN_RUN_FIGURES; ++i) {
        brn_summary summary = {0};
        brn_run_set(&summary, i, 5.0);
        for (int k = 0; k < BRN_RUN_FIGURES; ++k) {
            assert_true(brn_summary_figure(&summary, k) == (k == i ? 5.0 : 0.0));
        }
    }
    assert_true(isnan(brn_summary_figure(&(brn_summary){0}, BRN_RUN_FIGURES + BRN_OWN_FIGURES)));
}

static double reduced(brn_reduction reduction, const double *value, int n)
{
    double total = brn_reduce_start(reduction);
    for (int i = 0; i < n; ++i) {
        total = brn_reduce(reduction, total, value[i]);
    }
    return brn_reduce_end(reduction, total, n);
}

static void test_reductions(void **unused)
{
    (void)unused;
    static const double value[] = {1.0, -4.0, 2.0, 3.0};
    assert_true(reduced(BRN_REDUCE_LAST, value, 4) == 3.0);
    assert_true(reduced(BRN_REDUCE_SUM, value, 4) == 2.0);
    assert_true(reduced(BRN_REDUCE_MEAN, value, 4) == 0.5);
    assert_true(reduced(BRN_REDUCE_MAX, value, 4) == 4.0); /* magnitude: errors have signs */
    assert_true(reduced(BRN_REDUCE_MIN, value, 4) == -4.0);
    assert_true(reduced(BRN_REDUCE_MEAN, value, 0) == 0.0 && reduced(BRN_REDUCE_MAX, value, 0) == 0.0);
    assert_true(isinf(reduced(BRN_REDUCE_MIN, value, 0)));
    /* what is not known does not count */
    static const double gaps[] = {NAN, 2.0, NAN};
    assert_true(reduced(BRN_REDUCE_MIN, gaps, 3) == 2.0 && reduced(BRN_REDUCE_MAX, gaps, 3) == 2.0);
}

/* ---- a run: its summary is what its steps say -------------------------------------------------------------------------- */

typedef struct witness {
    brn_report report[64];
    int n;
} witness;

static bool look(void *user, const brn_progress *progress)
{
    witness *w = user;
    assert_true(w->n < 64);
    w->report[w->n++] = *progress->report;
    return false;
}

static void test_summary_of_a_run(void **unused)
{
    (void)unused;
    static const char scene[] =
        "brunt: 1\ntime: {step: 1e-2, end: 0.2}\nmethod: {type: ipc, friction_iterations: 2}\n"
        "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
        "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1], element: hex8}}}\n"
        "contact: {friction: 0.3}\n"
        "bodies: [{name: a, type: deformable, mesh: m, material: a, position: [0, 0, 0.06], velocity: [1, 0, "
        "-1]},\n"
        "         {name: f, type: static, shape: {plane: {}}}]\n";
    brn_ctx *ctx = test_ctx(1);
    brn_scene *parsed = NULL;
    static witness w;
    w.n = 0;
    brn_summary summary;
    assert_done(ctx, brn_scene_parse(ctx, scene, strlen(scene), "s.yaml", &parsed));
    const brn_run_options options = {.progress = look, .progress_user = &w};
    assert_done(ctx, brn_run(ctx, parsed, &options, &summary));
    assert_int_equal(w.n, 20);
    int compared = 0;
    for (int i = 0; i < brn_figure_count(BRN_OF_RUN, "ipc"); ++i) {
        brn_figure run, step;
        assert_int_equal(brn_figure_get(BRN_OF_RUN, "ipc", i, &run), BRN_OK);
        for (int k = 0; run.of != NULL && k < brn_figure_count(BRN_OF_STEP, "ipc"); ++k) {
            assert_int_equal(brn_figure_get(BRN_OF_STEP, "ipc", k, &step), BRN_OK);
            if (strcmp(step.name, run.of) == 0) {
                double value[64];
                for (int s = 0; s < w.n; ++s) {
                    value[s] = brn_report_figure(&w.report[s], k);
                }
                const double expected = reduced(run.reduction, value, w.n);
                const double got = brn_summary_figure(&summary, i);
                /* the smallest gap may be the start's */
                if (run.reduction == BRN_REDUCE_MIN ? got > expected : got != expected) {
                    fail_msg("%s: %.17g, its steps say %.17g", run.name, got, expected);
                }
                compared++;
            }
        }
    }
    assert_int_equal(compared, 21 + 7);                            /* seven of ipc's own */
    assert_true(summary.contacts_max > 0 && summary.own[0] > 0.0); /* it did touch; ipc.kappa_max */
    assert_true(summary.own[1] > 0.0 && summary.own[1] <= 2.0);    /* ipc.lag_change_max, relative */
    /* What was chosen for a cube of 0.1 m, whose size is its diagonal: friction_speed 1e-3, tolerance 1e-4 of it a second. */
    assert_near(summary.own[5], 1e-4 * sqrt(3.0), 1e-12);
    assert_near(summary.own[6], 1e-5 * sqrt(3.0), 1e-13);
    assert_non_null(strstr(summary.choices, "a: size 0.173 m, dhat "));
    assert_non_null(strstr(summary.choices, "friction_speed 0.000173 m/s, kappa "));
    brn_scene_destroy(parsed);
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_member_is_left_out),
        cmocka_unit_test(test_every_row),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_summary_of_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
