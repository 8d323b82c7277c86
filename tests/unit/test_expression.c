/* Expressions of design problems: values, what has no value, errors with their place, and texts that nobody wrote. */
#include "test.h"

#include "base/rng.h"
#include "study/expression.h"

static const brn_known_name known[] = {
    {"a", false, false},      {"b", false, false},
    {"zero", false, false},   {"nothing", false, false},
    {"bad", false, false},    {"flight.range", false, false},
    {"status", true, false},  {"landing.verdict", true, false},
    {"block.z", false, true}, {"arm/right.x", false, true},
};
enum { KNOWN = sizeof known / sizeof *known };

/* Columns: 0, 1, 2, ... by use, so that each function can be told from the others. */
static brn_value get(void *user, const char *name, brn_column_use use, double time)
{
    (void)user;
    const brn_value none = {.kind = BRN_VALUE_NONE};
    static const struct {
        const char *name;
        double value;
    } numbers[] = {{"a", 3.0}, {"b", -2.0}, {"zero", 0.0}, {"bad", NAN}, {"flight.range", 0.25}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        if (strcmp(numbers[i].name, name) == 0) {
            return (brn_value){.kind = BRN_VALUE_NUMBER, .number = numbers[i].value};
        }
    }
    if (strcmp(name, "status") == 0) {
        return (brn_value){.kind = BRN_VALUE_WORD, .word = "done"};
    }
    if (strcmp(name, "block.z") == 0 || strcmp(name, "arm/right.x") == 0) {
        return (brn_value){.kind = BRN_VALUE_NUMBER, .number = 10.0 * use + time};
    }
    return none; /* nothing, landing.verdict */
}

static const brn_value_source source = {get, NULL};

static brn_value value_of(brn_ctx *ctx, const char *text)
{
    brn_expression *e = NULL;
    assert_done(ctx, brn_expression_parse(ctx, text, &e));
    assert_done(ctx, brn_expression_check(ctx, e, known, KNOWN, NULL));
    const brn_value value = brn_expression_value(e, &source);
    brn_expression_destroy(e);
    return value;
}

static void test_values(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1", 1},
        {" 1.5e-3 ", 1.5e-3},
        {".5 + 2.", 2.5},
        {"1 + 2*3", 7},
        {"(1 + 2)*3", 9},
        {"7 - 2 - 1", 4},
        {"8/2/2", 2},
        {"2^3^2", 512},
        {"-2^2", -4},
        {"2^-1", 0.5},
        {"--3", 3},
        {"-a*b", 6},
        {"a - -b", 1},
        {"1e3", 1000},
        {"min(3, 1, 2) + max(1, a)", 4},
        {"abs(b) + sqrt(16) + exp(0) + log(1)", 7},
        {"sin(pi/2) + cos(0)", 2},
        {"atan2(1, 1)*4 - pi", 0},
        {"a < b", 0},
        {"a > b", 1},
        {"a <= 3 and a >= 3", 1},
        {"a == 3", 1},
        {"a != 3", 0},
        {"not a < b", 1},
        {"1 < 2 or nothing", 1},
        {"zero and nothing", 0},
        {"nothing and zero", 0},
        {"not zero or zero", 1},
        {"1 or zero and zero", 1},
        {"status == 'done'", 1},
        {"status != \"done\"", 0},
        {"'b' == 'a'", 0},
        {"flight.range*4", 1},
        {"or_else(nothing, 5)", 5},
        {"or_else(bad, 5)", 5},
        {"or_else(a, 5)", 3},
        {"or_else(landing.verdict, 'none') == 'none'", 1},
        {"block.z", 10.0 * BRN_COLUMN_PLAIN},
        {"first(block.z)", 10.0 * BRN_COLUMN_FIRST},
        {"last( block.z )", 10.0 * BRN_COLUMN_LAST},
        {"highest(block.z)", 10.0 * BRN_COLUMN_HIGHEST},
        {"lowest(block.z)", 10.0 * BRN_COLUMN_LOWEST},
        {"mean(block.z)", 10.0 * BRN_COLUMN_MEAN},
        {"at(block.z, a/2)", 10.0 * BRN_COLUMN_AT + 1.5},
        {"`arm/right.x` + highest(`arm/right.x`)", 10.0 * BRN_COLUMN_HIGHEST},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const brn_value value = value_of(ctx, cases[i].text);
        if (value.kind != BRN_VALUE_NUMBER || !(fabs(value.number - cases[i].value) <= 1e-15)) {
            fail_msg("%s: %g, wanted %g", cases[i].text, value.number, cases[i].value);
        }
    }
    brn_ctx_destroy(ctx);
}

/* NaN and nothing go through everything that does not decide without them. */
static void test_no_values(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    static const char *const missing[] = {
        "nothing",
        "nothing + 1",
        "-nothing",
        "nothing < 1",
        "abs(nothing)",
        "min(1, nothing)",
        "not nothing",
        "landing.verdict == 'rest'",
        "nothing or 0",
        "nothing and 1",
        "at(block.z, nothing)",
    };
    static const char *const nan[] = {"bad",     "bad + 1", "min(bad, 1)", "max(1, bad)",
                                      "bad^0",   "1^bad",   "bad == bad",  "bad != 1",
                                      "sqrt(b)", "log(b)",  "zero/zero"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; ++i) {
        if (value_of(ctx, missing[i]).kind != BRN_VALUE_NONE) {
            fail_msg("%s has a value", missing[i]);
        }
    }
    for (size_t i = 0; i < sizeof nan / sizeof *nan; ++i) {
        const brn_value value = value_of(ctx, nan[i]);
        if (value.kind != BRN_VALUE_NUMBER || !isnan(value.number)) {
            fail_msg("%s is a number", nan[i]);
        }
    }
    brn_ctx_destroy(ctx);
}

static void test_margins(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    static const struct {
        const char *text;
        double margin; /* a = 3, b = -2 */
    } cases[] = {{"a < 10", -7}, {"a <= b", 5}, {"a > b + 1", -4}, {"a >= 5", 2}, {"nothing < 1", NAN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        brn_expression *e = NULL;
        assert_done(ctx, brn_expression_parse(ctx, cases[i].text, &e));
        assert_true(brn_expression_is_margin(e));
        const double margin = brn_expression_margin(e, &source);
        assert_true(isnan(cases[i].margin) ? isnan(margin) : margin == cases[i].margin);
        brn_expression_destroy(e);
    }
    static const char *const others[] = {"a == 3", "a", "a < 1 and b < 2", "not a < 1", "-(a < 1)"};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        brn_expression *e = NULL;
        assert_done(ctx, brn_expression_parse(ctx, others[i], &e));
        assert_false(brn_expression_is_margin(e));
        brn_expression_destroy(e);
    }
    brn_ctx_destroy(ctx);
}

static void test_references(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_expression *e = NULL;
    assert_done(ctx, brn_expression_parse(ctx, "a + at( block.z , 2*a ) - `arm/right.x`", &e));
    static const char *const names[] = {"a", "a", "block.z", "arm/right.x"};
    static const char *const texts[] = {"a", "a", "at( block.z , 2*a )", "`arm/right.x`"};
    assert_int_equal(brn_expression_reference_count(e), 4);
    for (int i = 0; i < 4; ++i) {
        const brn_reference r = brn_expression_reference(e, i);
        assert_string_equal(r.name, names[i]);
        assert_int_equal(r.length, strlen(texts[i]));
        assert_memory_equal(r.text, texts[i], strlen(texts[i]));
    }
    assert_true(brn_expression_reference_value(e, 2, &source).number == 10.0 * BRN_COLUMN_AT + 6.0);
    brn_expression_destroy(e);
    assert_true(brn_expression_is_name("arm.length_2"));
    static const char *const words[] = {"", "and", "min", "pi", "at", "2a", "a b", "a-b", "not"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        assert_false(brn_expression_is_name(words[i]));
    }
    brn_ctx_destroy(ctx);
}

static void test_errors(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "position 1: it ends where a value should follow"},
        {"1 +", "position 4: it ends where a value should follow"},
        {"1 2", "position 3: '2' where an operator or the end should be"},
        {"(1", "position 3: it ends where ')' should follow"},
        {"1)", "position 2: ')' where an operator or the end should be"},
        {"a = 3", "position 3: '=' where '==' should be"},
        {"1 < 2 < 3", "position 7: a second comparison; write 'a < b and b < c'"},
        {"flight.rnge", "position 1: unknown name 'flight.rnge'; did you mean 'flight.range'?"},
        {"1 + highest(blok.z)", "position 5: unknown column 'blok.z'; did you mean 'block.z'?"},
        {"highest(flight.range)", "position 1: unknown column 'flight.range'"},
        {"sqr(2)", "position 1: there is no function 'sqr'; did you mean 'sqrt'?"},
        {"sqrt", "position 1: sqrt is a function: sqrt(...)"},
        {"sqrt(1, 2)", "position 1: sqrt takes 1 value"},
        {"min(1)", "position 1: min takes 2 values or more"},
        {"atan2(1)", "position 1: atan2 takes 2 values"},
        {"highest(1)", "position 9: '1' where the name of a column should be"},
        {"at(block.z)", "position 11: ')' where ', time)' should be"},
        {"'rest", "position 1: a ' without a second one"},
        {"1.2.3", "position 1: '1.2.' is not a number"},
        {"1e", "position 1: '1e' is not a number"},
        {"a and", "position 6: it ends where a value should follow"},
        {"or a", "position 1: 'or' where a value should be"},
        {"status + 1", "position 1: 'status' is a word where a number is needed"},
        {"a == 'x'", "position 6: ''x'' is a word where a number is needed"},
        {"status == 1", "position 11: '1' is a number where a word is needed"},
        {"status < 'x'", "position 1: 'status' is a word where a number is needed"},
        {"or_else(a, 'x')", "position 12: ''x'' is a word where a number is needed"},
        {"1 $ 2", "position 3: '$' where an operator or the end should be"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        brn_expression *e = NULL;
        brn_status status = brn_expression_parse(ctx, cases[i].text, &e);
        status = status >= 0 ? brn_expression_check(ctx, e, known, KNOWN, NULL) : status;
        if (status != BRN_ERR_FORMAT ||
            strncmp(brn_ctx_message(ctx), cases[i].message, strlen(cases[i].message)) != 0) {
            fail_msg("'%s': '%s', wanted '%s'", cases[i].text, brn_ctx_message(ctx), cases[i].message);
        }
        brn_expression_destroy(e);
    }
    brn_ctx_destroy(ctx);
}

/* Deep, long, and random texts: an error or a value. */
static void test_random_texts(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    static const char *const pieces[] = {"a",    "1",
                                         "(",    ")",
                                         "+",    "-",
                                         "*",    "/",
                                         "^",    "<",
                                         "==",   "'",
                                         "`",    " and ",
                                         " or ", "not ",
                                         "min(", "at(block.z,",
                                         "2e",   ".",
                                         ",",    "status",
                                         "pi",   "\xc3\xa4",
                                         "!",    "highest(block.z)"};
    brn_rng rng = {7};
    int values = 0;
    for (int i = 0; i < 200000; ++i) {
        char text[512] = "";
        const int count = (int)(brn_rng_next(&rng) % 14);
        for (int k = 0; k < count; ++k) {
            (void)strcat(text, pieces[brn_rng_next(&rng) % (sizeof pieces / sizeof *pieces)]);
        }
        brn_expression *e = NULL;
        const brn_status status = brn_expression_parse(ctx, text, &e);
        assert_true(status == BRN_OK || status == BRN_ERR_FORMAT);
        if (status == BRN_OK && brn_expression_check(ctx, e, known, KNOWN, NULL) >= 0) {
            (void)brn_expression_value(e, &source);
            ++values;
        }
        brn_expression_destroy(e);
    }
    assert_true(values > 100); /* some of them mean something */
    char deep[BRN_EXPRESSION_BYTES_MAX + 2];
    static const char *const runs[] = {"(", "-", "1+", "2^", "not ", "abs("};
    for (size_t r = 0; r < sizeof runs / sizeof *runs; ++r) {
        const size_t n = strlen(runs[r]);
        size_t used = 0;
        for (; used + n < BRN_EXPRESSION_BYTES_MAX; used += n) {
            memcpy(deep + used, runs[r], n);
        }
        deep[used] = '1';
        deep[used + 1] = '\0';
        brn_expression *e = NULL;
        const brn_status status = brn_expression_parse(ctx, deep, &e);
        const bool chain = runs[r][1] == '+' || runs[r][1] == '^'; /* no brackets: as deep as it is long */
        assert_int_equal(status, chain ? BRN_OK : BRN_ERR_FORMAT);
        if (e != NULL) {
            assert_true(brn_expression_value(e, &source).number > 500.0);
        }
        brn_expression_destroy(e);
    }
    memset(deep, '1', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    brn_expression *e = NULL;
    assert_int_equal(brn_expression_parse(ctx, deep, &e), BRN_ERR_FORMAT);
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),  cmocka_unit_test(test_no_values),
        cmocka_unit_test(test_margins), cmocka_unit_test(test_references),
        cmocka_unit_test(test_errors),  cmocka_unit_test(test_random_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
