#include "faulty.h"
#include "no_fsync.h"

#include "base/os.h"
#include "base/rng.h"
#include "output/figures/series.h"
#include "output/figures/series_table.h"

#define DIR    "series-table-files"
#define SERIES DIR "/series.csv"

static void write_text(brn_ctx *ctx, const char *text, size_t length)
{
    assert_done(ctx, brn_dir_make(ctx, DIR));
    assert_done(ctx, brn_file_write(ctx, SERIES, text, length));
}

/* What brn_series wrote comes back to the same bits, whatever the names. */
static void test_reads_back(void **unused)
{
    (void)unused;
    static const char *const columns[] = {"time", "tip, \"top\".x", "\"", "", "a\"\"b,"};
    enum { COLUMNS = 5, ROWS = 1000 };
    brn_ctx *ctx = test_ctx(1);
    brn_series *series = NULL;
    assert_done(ctx, brn_dir_make(ctx, DIR));
    assert_done(ctx, brn_series_open(ctx, SERIES, columns, COLUMNS, -1, &series));
    static double want[ROWS][COLUMNS];
    brn_rng rng = {3};
    for (int i = 0; i < ROWS; ++i) {
        for (int k = 0; k < COLUMNS; ++k) {
            const uint64_t bits = brn_rng_next(&rng) & ~(UINT64_C(1) << 62); /* finite */
            memcpy(&want[i][k], &bits, 8);
        }
        want[i][2] = i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : -INFINITY;
        assert_done(ctx, brn_series_add(series, want[i]));
    }
    assert_done(ctx, brn_series_close(series));
    brn_series_table table;
    assert_done(ctx, brn_series_table_read(ctx, SERIES, &table));
    assert_int_equal(table.ncolumn, COLUMNS);
    assert_int_equal(table.nrow, ROWS);
    for (int k = 0; k < COLUMNS; ++k) {
        assert_string_equal(table.name[k], columns[k]);
        assert_int_equal(brn_series_table_find(&table, columns[k]), k);
        const double *column = brn_series_table_column(&table, k);
        for (int i = 0; i < ROWS; ++i) {
            assert_true(isnan(want[i][k]) ? isnan(column[i]) : memcmp(&column[i], &want[i][k], 8) == 0);
        }
    }
    assert_int_equal(brn_series_table_find(&table, "tim"), -1);
    brn_series_table_clear(&table);
    brn_series_table_clear(&table); /* once more does no harm */
    brn_ctx_destroy(ctx);
}

static void test_refusals(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *says; /* says NULL: it is fine */
        int nrow;
    } cases[] = {
        {"a,b\n", NULL, 0},
        {"a,b\n1,2\n3,4", NULL, 1}, /* torn */
        {"a,b\n1,2\n3,4\n", NULL, 2},
        {"a\n\n\n", NULL, 2}, /* one column, not known */
        {"\"a\"\n1\n", NULL, 1},
        {"", "no header line", 0},
        {"a,b", "no header line", 0},
        {"a,b\n\n", "do not hold 2 cells each", 0},
        {"a,b\n1\n", "series.csv:2: 1 cells, the header has 2", 0},
        {"a,b\n1,2\n33333\n", "series.csv:3: 1 cells, the header has 2", 0},
        {"a,b\n1,2\n3,4,5\n", "series.csv:3: more cells than the header's 2", 0},
        {"a,b\n1,two\n", "series.csv:2: cell 2 is not a number", 0},
        {"a,b\n1,\"2\n", "series.csv:2: cell 2 is not a number", 0},
        {"a,b\n1,nan\n", "series.csv:2: cell 2 is not a number", 0},
        {"\"a,b\n1,2\n", "a quotation mark", 0},
        {"\"a\"b\n1\n", "a quotation mark", 0},
    };
    brn_ctx *ctx = test_ctx(1);
    brn_series_table table;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        write_text(ctx, cases[i].text, strlen(cases[i].text));
        const brn_status status = brn_series_table_read(ctx, SERIES, &table);
        if (cases[i].says == NULL) {
            assert_done(ctx, status);
            assert_int_equal(table.nrow, cases[i].nrow);
            brn_series_table_clear(&table);
        } else {
            assert_int_equal(status, BRN_ERR_FORMAT);
            if (strstr(brn_ctx_message(ctx), cases[i].says) == NULL) {
                fail_msg("case %zu: '%s', wanted '%s'", i, brn_ctx_message(ctx), cases[i].says);
            }
        }
    }
    write_text(ctx, "a,b\n1\0,2\n", 9);
    assert_int_equal(brn_series_table_read(ctx, SERIES, &table), BRN_ERR_FORMAT);
    assert_int_equal(brn_series_table_read(ctx, DIR "/none.csv", &table), BRN_ERR_FILE);
    brn_ctx_destroy(ctx);
}

/* Any bytes are read or refused, with nothing touched that is not ours (the sanitizers look on). */
static void test_noise(void **unused)
{
    (void)unused;
    static const char bytes[] = ",,,\n\n\"\"01.e-+inf a";
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {11};
    for (int k = 0; k < 3000; ++k) {
        char text[48];
        const size_t n = brn_rng_next(&rng) % sizeof text;
        for (size_t i = 0; i < n; ++i) {
            text[i] = bytes[brn_rng_next(&rng) % (sizeof bytes - 1)];
        }
        write_text(ctx, text, n);
        brn_series_table table;
        const brn_status status = brn_series_table_read(ctx, SERIES, &table);
        assert_true(status == BRN_OK || status == BRN_ERR_FORMAT);
        brn_series_table_clear(&table);
    }
    brn_ctx_destroy(ctx);
}

static brn_status read_once(brn_ctx *ctx, void *arg)
{
    (void)arg;
    brn_series_table table;
    const brn_status status = brn_series_table_read(ctx, SERIES, &table);
    brn_series_table_clear(&table);
    return status;
}

static void test_each_allocation_may_fail(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    write_text(ctx, "a,b\n1,2\n3,4\n", 12);
    brn_ctx_destroy(ctx);
    assert_true(faulty_run(read_once, NULL, 0) >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_back),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
