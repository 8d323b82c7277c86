/* Series for the page's plots: whole where rows are few, else with every peak. */
#include "faulty.h"

#include "output/figures/plot_series.h"
#include "output/figures/series.h"
#include "unit/no_fsync.h"

#define FILE_NAME "plot_series.csv"

static const char *const names[] = {"step", "time", "a \"b\", c", "peaks", "gaps", "huge"};
enum { COLUMNS = 6 };

/* Smooth, with a peak of one row up in row 1234 and down in row 4321; gaps are known every fifth row only. */
static void row_of(int row, double *out)
{
    out[0] = row;
    out[1] = 0.001 * row;
    out[2] = sin(0.01 * row);
    out[3] = row == 1234 ? 50.0 : row == 4321 ? -70.0 : cos(0.003 * row);
    out[4] = row % 5 == 0 ? row : NAN;
    out[5] = row % 2 == 0 ? 1e300 : row % 3 == 0 ? INFINITY : -1.0;
}

static void write_rows(brn_ctx *ctx, int rows)
{
    brn_series *series = NULL;
    double row[COLUMNS];
    assert_done(ctx, brn_series_open(ctx, FILE_NAME, names, COLUMNS, -1, &series));
    for (int i = 0; i < rows; ++i) {
        row_of(i, row);
        assert_done(ctx, brn_series_add(series, row));
    }
    assert_done(ctx, brn_series_close(series));
}

static void test_few_rows(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    static const int counts[] = {0, 1, 7, BRN_PLOT_ROWS_MAX};
    for (int k = 0; k < 4; ++k) {
        const int n = counts[k];
        brn_plot_series s = {.ctx = ctx};
        double want[COLUMNS];
        write_rows(ctx, n);
        assert_done(ctx, brn_plot_series_read(&s, FILE_NAME));
        assert_int_equal(s.ncolumn, COLUMNS);
        assert_int_equal(s.rows, n);
        assert_int_equal(s.of, n);
        for (int c = 0; c < COLUMNS; ++c) {
            assert_string_equal(s.name[c], names[c]);
        }
        for (int i = 0; i < n; ++i) {
            row_of(i, want);
            for (int c = 0; c < COLUMNS; ++c) {
                const float got = s.value[c * n + i];
                if (!isfinite(want[c])) {
                    assert_true(isnan(got));
                } else {
                    assert_true(fabs(want[c]) > 1e38 ? got > 3e38f && isfinite(got) : got == (float)want[c]);
                }
            }
        }
        brn_plot_series_clear(&s);
    }
    brn_ctx_destroy(ctx);
}

static void test_many_rows(void **state)
{
    (void)state;
    enum { ROWS = 7777 };
    brn_ctx *ctx = test_ctx(1);
    brn_plot_series s = {.ctx = ctx};
    write_rows(ctx, ROWS);
    assert_done(ctx, brn_plot_series_read(&s, FILE_NAME));
    assert_int_equal(s.rows, BRN_PLOT_ROWS_MAX);
    assert_int_equal(s.of, ROWS);
    const float *time = s.value + 1 * s.rows;
    const float *peaks = s.value + 3 * s.rows;
    const float *gaps = s.value + 4 * s.rows;
    /* time runs through the whole of it and never back */
    assert_true(time[0] == 0.0f && time[s.rows - 1] == (float)(0.001 * (ROWS - 1)));
    for (int i = 1; i < s.rows; ++i) {
        assert_true(time[i] > time[i - 1]);
    }
    /* both peaks are there, where they were, to within the rows that were joined */
    int up = -1, down = -1;
    for (int i = 0; i < s.rows; ++i) {
        up = peaks[i] == 50.0f ? i : up;
        down = peaks[i] == -70.0f ? i : down;
        assert_false(isnan(gaps[i])); /* of eight rows one or two are known */
    }
    assert_true(up >= 0 && down >= 0);
    assert_near(time[up], 1.234, 0.001 * 8);
    assert_near(time[down], 4.321, 0.001 * 8);
    /* whole rows beside them: the step of a row is that of its time */
    assert_int_equal(s.together, BRN_PLOT_TOGETHER);
    for (int i = 0; i < s.together; ++i) {
        const float step = s.whole[i];
        assert_true(s.whole[s.together + i] == (float)(0.001 * (double)step));
        assert_true(i == 0 ? step == 0.0f : step > s.whole[i - 1]);
    }
    assert_true(s.whole[s.together - 1] == (float)(ROWS - 1));
    brn_plot_series_clear(&s);
    brn_ctx_destroy(ctx);
}

/* What is absent or no series is an empty one; a torn last row does not count. */
static void test_odd_files(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int rows;
    } cases[] = {{"", 0}, {"a,b\n", 0}, {"a,b\n1,2\n3", 1}, {"a,b\n1,2\n3,4", 1}, {"\x01\xff\n\"", 0}};
    brn_ctx *ctx = test_ctx(1);
    brn_plot_series s = {.ctx = ctx};
    assert_done(ctx, brn_plot_series_read(&s, "no_such_series.csv"));
    assert_int_equal(s.ncolumn, 0);
    brn_plot_series_clear(&s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        FILE *file = fopen(FILE_NAME, "wb");
        assert_int_equal(fwrite(cases[i].text, 1, strlen(cases[i].text), file), strlen(cases[i].text));
        assert_int_equal(fclose(file), 0);
        assert_done(ctx, brn_plot_series_read(&s, FILE_NAME));
        assert_int_equal(s.rows, cases[i].rows);
        brn_plot_series_clear(&s);
    }
    brn_ctx_destroy(ctx);
}

static brn_status read_once(brn_ctx *ctx, void *arg)
{
    (void)arg;
    brn_plot_series s = {.ctx = ctx};
    const brn_status status = brn_plot_series_read(&s, FILE_NAME);
    brn_plot_series_clear(&s);
    return status;
}

static void test_no_memory(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    write_rows(ctx, 50);
    brn_ctx_destroy(ctx);
    assert_true(faulty_run(read_once, NULL, 0) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_rows),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_odd_files),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
