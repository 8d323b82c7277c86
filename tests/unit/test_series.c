#define _GNU_SOURCE
#include "faulty.h"
#include "full_disk.h"

#include "base/os.h"
#include "base/rng.h"
#include "base/text.h"
#include "output/figures/series.h"

#include <locale.h>

#define DIR    "series-files"
#define SERIES DIR "/series.csv"

static const char *const columns[] = {"time", "tip, \"top\".x", "gap"};

static void add_row(brn_ctx *ctx, brn_series *series, int i)
{
    const double row[3] = {0.1 * i, i % 2 == 0 ? NAN : -1.0 / 3.0, INFINITY};
    assert_done(ctx, brn_series_add(series, row));
}

static char *read_all(brn_ctx *ctx, const char *path)
{
    char *text = NULL;
    size_t length = 0;
    assert_done(ctx, brn_file_read(ctx, path, 1 << 26, &text, &length));
    assert_int_equal(strlen(text), length);
    return text;
}

static void write_rows(brn_ctx *ctx, const char *path, int n)
{
    brn_series *series = NULL;
    assert_done(ctx, brn_dir_make(ctx, DIR));
    assert_done(ctx, brn_series_open(ctx, path, columns, 3, -1, &series));
    for (int i = 0; i < n; ++i) {
        add_row(ctx, series, i);
    }
    assert_done(ctx, brn_series_close(series));
}

static void test_text_of_a_series(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_series *series = NULL;
    assert_done(ctx, brn_dir_make(ctx, DIR));
    assert_done(ctx, brn_series_open(ctx, SERIES, columns, 3, -1, &series));
    add_row(ctx, series, 3);
    /* A row is there for every reader as soon as it is added. */
    char *text = read_all(ctx, SERIES);
    assert_string_equal(text,
                        "time,\"tip, \"\"top\"\".x\",gap\n0.30000000000000004,-0.3333333333333333,inf\n");
    brn_free(ctx, text);
    const double row[3] = {-INFINITY, NAN, -0.0};
    assert_done(ctx, brn_series_add(series, row));
    assert_done(ctx, brn_series_close(series));
    text = read_all(ctx, SERIES);
    assert_non_null(strstr(text, "\n-inf,,-0.0\n"));
    brn_free(ctx, text);
    brn_ctx_destroy(ctx);
}

static void test_numbers_read_back(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    /* Also where the host program has set a comma as its decimal point (if this machine knows such a locale). */
    (void)setlocale(LC_NUMERIC, "de_DE.UTF-8");
    enum { N = 400 };
    static char name[N][16];
    const char *names[N];
    double row[N];
    brn_rng rng = {5};
    for (int i = 0; i < N; ++i) {
        (void)snprintf(name[i], sizeof name[i], "c%d", i);
        names[i] = name[i];
        const uint64_t bits = brn_rng_next(&rng) & ~(UINT64_C(1) << 62); /* finite */
        memcpy(&row[i], &bits, 8);
    }
    brn_series *series = NULL;
    assert_done(ctx, brn_dir_make(ctx, DIR));
    assert_done(ctx, brn_series_open(ctx, SERIES, names, N, -1, &series));
    assert_done(ctx, brn_series_add(series, row));
    assert_done(ctx, brn_series_close(series));
    char *text = read_all(ctx, SERIES);
    char *cell = strchr(text, '\n') + 1;
    for (int i = 0; i < N; ++i) {
        char *end = strpbrk(cell, ",\n");
        assert_int_equal(*end, i + 1 < N ? ',' : '\n');
        *end = '\0';
        double back = 0.0;
        assert_true(brn_parse_real(cell, &back));
        assert_memory_equal(&back, &row[i], 8);
        cell = end + 1;
    }
    assert_int_equal(*cell, '\0');
    brn_free(ctx, text);
    (void)setlocale(LC_NUMERIC, "C");
    brn_ctx_destroy(ctx);
}

static void test_cutting_back(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    write_rows(ctx, DIR "/whole.csv", 2000);
    char *whole = read_all(ctx, DIR "/whole.csv");
    const int keeps[] = {0, 1, 700, 1999, 2000};
    for (int k = 0; k < 5; ++k) {
        /* A resumed run that goes on from any row gives the very same file. */
        assert_done(ctx, brn_file_write(ctx, SERIES, whole, strlen(whole)));
        brn_series *series = NULL;
        assert_done(ctx, brn_series_open(ctx, SERIES, columns, 3, keeps[k], &series));
        for (int i = keeps[k]; i < 2000; ++i) {
            add_row(ctx, series, i);
        }
        assert_done(ctx, brn_series_close(series));
        char *text = read_all(ctx, SERIES);
        assert_string_equal(text, whole);
        brn_free(ctx, text);
    }
    brn_free(ctx, whole);
    brn_ctx_destroy(ctx);
}

static void test_refusals(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_series *series = NULL;
    write_rows(ctx, SERIES, 3);
    char *whole = read_all(ctx, SERIES);
    /* The last line torn: two whole rows. */
    assert_done(ctx, brn_file_truncate(ctx, SERIES, strlen(whole) - 1));
    assert_int_equal(brn_series_open(ctx, SERIES, columns, 3, 3, &series), BRN_ERR_FORMAT);
    assert_non_null(strstr(brn_ctx_message(ctx), "holds 2 whole rows"));
    assert_done(ctx, brn_series_open(ctx, SERIES, columns, 3, 2, &series));
    add_row(ctx, series, 2);
    assert_done(ctx, brn_series_close(series));
    char *text = read_all(ctx, SERIES);
    assert_string_equal(text, whole);
    brn_free(ctx, text);
    brn_free(ctx, whole);
    /* Other columns, fewer columns, an empty file, no file: refused, and the file is left alone. */
    const char *const other[] = {"time", "tip", "gap"};
    assert_int_equal(brn_series_open(ctx, SERIES, other, 3, 1, &series), BRN_ERR_FORMAT);
    assert_non_null(strstr(brn_ctx_message(ctx), "columns"));
    assert_int_equal(brn_series_open(ctx, SERIES, columns, 2, 1, &series), BRN_ERR_FORMAT);
    assert_done(ctx, brn_series_open(ctx, SERIES, columns, 3, 3, &series));
    assert_done(ctx, brn_series_close(series));
    assert_done(ctx, brn_file_write(ctx, DIR "/empty.csv", "", 0));
    assert_int_equal(brn_series_open(ctx, DIR "/empty.csv", columns, 3, 0, &series), BRN_ERR_FORMAT);
    assert_int_equal(brn_series_open(ctx, DIR "/none.csv", columns, 3, 0, &series), BRN_ERR_FILE);
    assert_int_equal(brn_series_open(ctx, DIR "/none/x.csv", columns, 3, -1, &series), BRN_ERR_FILE);
    const char *const broken[] = {"a\nb"};
    assert_int_equal(brn_series_open(ctx, DIR "/x.csv", broken, 1, -1, &series), BRN_ERR_RANGE);
    assert_int_equal(brn_series_open(ctx, DIR "/x.csv", broken, 0, -1, &series), BRN_ERR_RANGE);
    assert_null(series);
    assert_done(ctx, brn_series_close(NULL));
    brn_ctx_destroy(ctx);
}

/* Rows until the disk is full: the error says so, and the file holds exactly the rows that were accepted. */
static int fill_disk(void *arg)
{
    brn_ctx *ctx = arg;
    brn_series *series = NULL;
    if (brn_series_open(ctx, DIR "/full.csv", columns, 3, -1, &series) < 0) {
        return 1;
    }
    const double row[3] = {1.0 / 3.0, 2.0 / 3.0, 1e-300};
    int accepted = 0;
    brn_status status = BRN_OK;
    while (accepted < 100000 && (status = brn_series_add(series, row)) >= 0) {
        accepted++;
    }
    if (status != BRN_ERR_FULL || strstr(brn_ctx_message(ctx), "cannot write: File too large") == NULL) {
        return 2;
    }
    if (brn_series_add(series, row) != BRN_ERR_FILE) {
        return 3;
    }
    (void)brn_series_close(series);
    char *text = NULL;
    size_t length = 0;
    if (brn_file_read(ctx, DIR "/full.csv", 1 << 20, &text, &length) < 0) {
        return 4;
    }
    int lines = 0;
    for (size_t i = 0; i < length; ++i) {
        lines += text[i] == '\n';
    }
    return lines == accepted + 1 && text[length - 1] == '\n' && accepted > 100 ? 0 : 5;
}

static void test_full_disk(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    assert_done(ctx, brn_dir_make(ctx, DIR));
    assert_int_equal(with_full_disk(20011, fill_disk, ctx), 0);
    brn_ctx_destroy(ctx);
}

static brn_status whole_life(brn_ctx *ctx, void *arg)
{
    (void)arg;
    brn_series *series = NULL;
    const double row[3] = {1.0, 2.0, 3.0};
    BRN_TRY(brn_series_open(ctx, DIR "/life.csv", columns, 3, -1, &series));
    BRN_TRY(brn_series_add(series, row));
    BRN_TRY(brn_series_close(series));
    BRN_TRY(brn_series_open(ctx, DIR "/life.csv", columns, 3, 1, &series));
    return brn_series_close(series);
}

static void test_each_allocation_may_fail(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    assert_done(ctx, brn_dir_make(ctx, DIR));
    brn_ctx_destroy(ctx);
    assert_true(faulty_run(whole_life, NULL, 0) >= 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_of_a_series), cmocka_unit_test(test_numbers_read_back),
        cmocka_unit_test(test_cutting_back),     cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_full_disk),        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
