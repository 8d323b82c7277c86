#include "faulty.h"

#include "base/os.h"
#include "base/text.h"
#include "output/figures/summary.h"

#define PATH "summary.json"

/* The value behind "key": up to the end of its line, in a static buffer; keys must come in the order of the calls. */
static const char *value_of(const char **at, const char *key)
{
    static char value[1024];
    char head[64];
    (void)snprintf(head, sizeof head, "\n  \"%s\": ", key);
    const char *start = strstr(*at, head);
    if (start == NULL) {
        fail_msg("no key '%s' after the ones before it", key);
        return "";
    }
    start += strlen(head);
    const size_t n = strcspn(start, "\n");
    assert_true(n < sizeof value);
    memcpy(value, start, n);
    value[n] = '\0';
    if (n > 0 && value[n - 1] == ',') {
        value[n - 1] = '\0';
    }
    *at = start + n;
    return value;
}

static void test_keys_values_and_escapes(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_summary summary = {
        .status = "stopped",
        .reason =
            "a \"quote\", a \\ and\na \x01 line, \xc3\xa9, broken \xff\xc3 \xed\xa0\x80 \xf0\x9f\x98\x80",
        .steps = INT64_C(9007199254740993),
        .iterations = 12,
        .time_end = 0.1,
        .wall_s = 1e22,
        .realtime_rate = 5e-324,
        .contacts_max = -3,
        .gap_min = INFINITY,
        .penetration_max = -INFINITY,
        .energy_error_max = NAN,
        .state_hash = UINT64_C(0x00ab00000000000f),
        .own = {7.0, 0.25, INFINITY},
    };
    const brn_figure own[] = {{.name = "m.events", .whole = true},
                              {.name = "m.stage_mean"},
                              {.name = "m.layer_min", .whole = true}};
    assert_done(ctx, brn_summary_write(ctx, PATH, &summary, "none", NULL, own, 3));
    char *json = NULL;
    size_t length = 0;
    assert_done(ctx, brn_file_read(ctx, PATH, 1 << 16, &json, &length));
    assert_int_equal(json[0], '{');
    assert_string_equal(json + length - 3, "\n}\n");
    const char *at = json;
    assert_string_equal(value_of(&at, "status"), "\"stopped\"");
    assert_string_equal(value_of(&at, "reason"),
                        "\"a \\\"quote\\\", a \\\\ and\\u000aa \\u0001 line, \xc3\xa9, broken \\ufffd\\ufffd "
                        "\\ufffd\\ufffd\\ufffd \xf0\x9f\x98\x80\"");
    assert_string_equal(value_of(&at, "warnings"), "\"\"");
    assert_string_equal(value_of(&at, "method"), "\"none\"");
    assert_string_equal(value_of(&at, "choices"), "\"\"");
    assert_string_equal(value_of(&at, "steps"), "9007199254740993");
    assert_string_equal(value_of(&at, "time_end"), "0.1");
    assert_string_equal(value_of(&at, "wall_s"), "1.0e+22");
    double rate = 0.0;
    assert_true(brn_parse_real(value_of(&at, "realtime_rate"), &rate));
    assert_true(rate == 5e-324);
    assert_string_equal(value_of(&at, "contacts_max"), "-3");
    assert_string_equal(value_of(&at, "iterations"), "12");
    assert_string_equal(value_of(&at, "gap_min"), "null");
    assert_string_equal(value_of(&at, "penetration_max"), "null");
    assert_string_equal(value_of(&at, "energy_initial"), "0.0");
    assert_string_equal(value_of(&at, "energy_error_max"), "null");
    assert_string_equal(value_of(&at, "peak_mb"), "0.0");
    assert_string_equal(value_of(&at, "m.events"), "7");
    assert_string_equal(value_of(&at, "m.stage_mean"), "0.25");
    assert_string_equal(value_of(&at, "m.layer_min"), "null");
    assert_string_equal(value_of(&at, "state_hash"), "\"00ab00000000000f\"");
    assert_string_equal(value_of(&at, "version"), "\"" BRN_VERSION "\"");
    assert_string_equal(value_of(&at, "blas"), "null");
    brn_free(ctx, json);
    assert_int_equal(brn_summary_write(ctx, "no-such-folder/x.json", &summary, "none", "b", NULL, 0),
                     BRN_ERR_FILE);
    brn_ctx_destroy(ctx);
}

static brn_status write_it(brn_ctx *ctx, void *arg)
{
    return brn_summary_write(ctx, PATH, arg, "none", "OpenBLAS", NULL, 0);
}

static void test_each_allocation_may_fail(void **unused)
{
    (void)unused;
    brn_summary summary = {.status = "done"};
    assert_true(faulty_run(write_it, &summary, 0) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_values_and_escapes),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
