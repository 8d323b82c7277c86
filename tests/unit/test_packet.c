/* JSON, packets, lines of a report: against a reader that was written from their description. */
#include "faulty.h"
#include "packet_reader.h"

#include "output/drawing/drawing.h"
#include "output/page/packer.h"
#include "output/page/packet.h"

#include <float.h>

static char *json_of(brn_ctx *ctx, const char *value)
{
    brn_json json = {.text.ctx = ctx};
    char *out = NULL;
    brn_json_text(&json, NULL, value);
    assert_done(ctx, brn_text_take(&json.text, &out));
    return out;
}

static void test_texts(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *json;
    } cases[] = {
        {NULL, "null"},
        {"", "\"\""},
        {"a \"b\" \\c/", "\"a \\\"b\\\" \\\\c/\""},
        {"line\nand\ttab\x01\x7f", "\"line\\u000aand\\u0009tab\\u0001\\u007f\""},
        {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\""},
        /* line separators, which end a line of JavaScript; their neighbours do not */
        {"\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xa7\xe2\x80\xaa", "\"\\u2028\\u2029\xe2\x80\xa7\xe2\x80\xaa\""},
        /* a lone byte, an overlong slash, a surrogate, beyond the last character, a sequence that ends early */
        {"\xff|\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82",
         "\"\\ufffd|\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd\\ufffd|\\ufffd\\ufffd\""},
        {"</script><!--", "\"</script><!--\""},
    };
    brn_ctx *ctx = test_ctx(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *json = json_of(ctx, cases[i].text);
        assert_string_equal(json, cases[i].json);
        assert_true(brn_json_valid(json, strlen(json)));
        brn_free(ctx, json);
    }
    brn_ctx_destroy(ctx);
}

/* Every byte and every pair of bytes makes valid JSON. */
static void test_any_bytes(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    for (unsigned pair = 0; pair < 0x10000; ++pair) {
        const char text[] = {'x', (char)(pair & 0xff), (char)(pair >> 8), 'y', '\0'};
        char *json = json_of(ctx, text);
        if (!brn_json_valid(json, strlen(json))) {
            fail_msg("bytes %04x: %s", pair, json);
        }
        brn_free(ctx, json);
    }
    brn_ctx_destroy(ctx);
}

static void test_validity(void **unused)
{
    (void)unused;
    static const char *const good[] = {
        "0",   "-0.5e+10", " [ ] ", "{}", "[1,2, 3]", "{\"a\":{\"b\":[true,false,null]}}", "\"\\u00e4\\n\"",
        "1E5",
    };
    static const char *const bad[] = {
        "",          "01",     "1.",      ".5",        "+1",       "1e",           "nan",   "inf",
        "[1,]",      "[,1]",   "[1 2]",   "{\"a\"}",   "{\"a\":}", "{\"a\":1,}",   "{a:1}", "[1]]",
        "[1}",       "\"\t\"", "\"\\x\"", "\"\\u12\"", "\"abc",    "\"\xff\"",     "tru",   "[1] 2",
        "{\"a\" 1}", "[[1]",   "-",       "\"\\",      "{\"a\":1", "\"\xe2\x82\"", "{1:2}", "'a'",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
        if (!brn_json_valid(good[i], strlen(good[i]))) {
            fail_msg("should be JSON: %s", good[i]);
        }
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        if (brn_json_valid(bad[i], strlen(bad[i]))) {
            fail_msg("should be no JSON: %s", bad[i]);
        }
    }
    assert_false(brn_json_valid("\0", 1));
    assert_false(brn_json_valid("[0\0]", 4));
    /* as deep as it may be, and one deeper */
    char deep[2 * BRN_JSON_DEPTH_MAX + 3];
    memset(deep, '[', BRN_JSON_DEPTH_MAX + 1);
    memset(deep + BRN_JSON_DEPTH_MAX + 1, ']', BRN_JSON_DEPTH_MAX + 1);
    assert_true(brn_json_valid(deep + 1, (size_t)2 * BRN_JSON_DEPTH_MAX));
    assert_false(brn_json_valid(deep, (size_t)2 * BRN_JSON_DEPTH_MAX + 2));
}

/* One value in the three layouts; an empty text, an open bracket and too deep a nesting are none. */
static void test_layouts(void **unused)
{
    (void)unused;
    static const struct {
        int lines;
        const char *json;
    } cases[] = {
        {-1, "{\"a\":1,\"b\":[0.5,true,null],\"c\":{},\"d\":[{\"e\":\"f\"}]}"},
        {0, "{\"a\": 1, \"b\": [0.5, true, null], \"c\": {}, \"d\": [{\"e\": \"f\"}]}"},
        {1, "{\n  \"a\": 1,\n  \"b\": [0.5, true, null],\n  \"c\": {},\n  \"d\": [{\"e\": \"f\"}]\n}\n"},
    };
    brn_ctx *ctx = test_ctx(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        brn_json *json = NULL;
        const char *text = NULL;
        size_t length = 0;
        assert_done(ctx, brn_json_create(ctx, cases[i].lines, &json));
        assert_int_equal(brn_json_get(json, &text, &length), BRN_ERR_RANGE);
        brn_json_open(json, NULL, '{');
        brn_json_int(json, "a", 1);
        brn_json_open(json, "b", '[');
        brn_json_real(json, NULL, 0.5);
        brn_json_bool(json, NULL, true);
        brn_json_text(json, NULL, NULL);
        brn_json_close(json);
        brn_json_open(json, "c", '{');
        brn_json_close(json);
        brn_json_open(json, "d", '[');
        brn_json_open(json, NULL, '{');
        brn_json_text(json, "e", "f");
        brn_json_close(json);
        brn_json_close(json);
        assert_int_equal(brn_json_get(json, &text, &length), BRN_ERR_RANGE);
        brn_json_close(json);
        brn_json_close(json); /* one too many does nothing */
        assert_done(ctx, brn_json_get(json, &text, &length));
        assert_string_equal(text, cases[i].json);
        assert_int_equal(length, strlen(text));
        assert_true(brn_json_valid(text, length));
        brn_json_destroy(json);
    }
    brn_json deep = {.text.ctx = ctx};
    for (int i = 0; i < BRN_JSON_DEPTH_MAX; ++i) {
        brn_json_open(&deep, NULL, '[');
    }
    assert_false(deep.text.failed);
    brn_json_open(&deep, NULL, '[');
    assert_true(deep.text.failed);
    brn_text_clear(&deep.text);
    brn_ctx_destroy(ctx);
}

static void test_reals(void **unused)
{
    (void)unused;
    static const double values[] = {0.0, -0.0, 1.0, 0.1, 1e300, -2.5e-310, 123456789.125, 1.0 / 3.0};
    brn_ctx *ctx = test_ctx(1);
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
        brn_json json = {.text.ctx = ctx};
        brn_json_real(&json, NULL, values[i]);
        assert_false(json.text.failed);
        assert_true(brn_json_valid(json.text.data, json.text.length));
        assert_true(strtod(json.text.data, NULL) == values[i]);
        brn_text_clear(&json.text);
    }
    static const double none[] = {INFINITY, -INFINITY, NAN};
    for (int i = 0; i < 3; ++i) {
        brn_json json = {.text.ctx = ctx};
        brn_json_real(&json, NULL, none[i]);
        assert_string_equal(json.text.data, "null");
        brn_text_clear(&json.text);
    }
    brn_ctx_destroy(ctx);
    assert_true(brn_drawing_float(1e300) == FLT_MAX && brn_drawing_float(-INFINITY) == -FLT_MAX);
    assert_true(brn_drawing_float(NAN) == 0.0f && brn_drawing_float(0.1) == 0.1f);
}

/* ---- packets ---------------------------------------------------------------------------------------------------------- */

/* Smooth, wild, at the ends, and with jumps across them: the entries of array `which`. */
static double entry(int which, size_t i)
{
    switch (which) {
    case 0:
        return (double)(i * 7 % 256); /* u8 */
    case 1:
        return (double)i * 91.0 - 32768.0; /* i16 */
    case 2:
        return (double)(i * i * 2654435761u % 65536); /* u16 */
    case 3:
        return 4294967295.0 - (double)i; /* u32 */
    case 4:
        return (double)(float)(1.0 / (1.0 + (double)i)); /* f32 */
    default:
        return sin((double)i); /* f64 */
    }
}

static const char *const names[] = {"bytes", "shorts", "words", "numbers", "floats", "doubles"};
static const char *const types[] = {"u8", "i16", "u16", "u32", "f32", "f64"};
enum { COUNT = 701 }; /* odd: every array but the doubles needs padding */

static void fill(int which, size_t n, void *room)
{
    for (size_t i = 0; i < n; ++i) {
        const double value = entry(which, i);
        switch (which) {
        case 0:
            ((uint8_t *)room)[i] = (uint8_t)value;
            break;
        case 1:
            ((int16_t *)room)[i] = (int16_t)value;
            break;
        case 2:
            ((uint16_t *)room)[i] = (uint16_t)value;
            break;
        case 3:
            ((uint32_t *)room)[i] = (uint32_t)value;
            break;
        case 4:
            ((float *)room)[i] = (float)value;
            break;
        default:
            ((double *)room)[i] = value;
        }
    }
}

static brn_status make(brn_packet *p, bool delta, const void **bytes, size_t *size)
{
    brn_packet_begin(p);
    brn_json_text(&p->json, "kind", "test");
    for (int which = 0; which < 6; ++which) {
        const size_t n = which == 4 ? 0 : COUNT; /* an empty one among them */
        void *room = brn_packet_add(p, names[which], (brn_packet_type)which, n);
        if (room != NULL) {
            fill(which, n, room);
        }
    }
    return brn_packet_end(p, delta, bytes, size);
}

static void check(const void *bytes, size_t size, bool delta)
{
    packet got = packet_open(bytes, size);
    assert_true(json_is(json_get(got.json, "kind"), "\"test\""));
    for (int which = 0; which < 6; ++which) {
        size_t n = 0;
        double *value = packet_array(&got, names[which], types[which], &n);
        assert_int_equal(n, which == 4 ? 0 : COUNT);
        for (size_t i = 0; i < n; ++i) {
            assert_true(value[i] == entry(which, i));
        }
        const char *coded = json_get(json_get(json_get(got.json, "arrays"), names[which]), "code");
        assert_int_equal(coded != NULL, delta && which == 2);
        free(value);
    }
    packet_close(&got);
}

static void test_packets(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_packet p = {.ctx = ctx};
    for (int round = 0; round < 4; ++round) { /* one packet's memory is the next one's */
        const void *bytes = NULL;
        size_t size = 0;
        assert_done(ctx, make(&p, round % 2 == 1, &bytes, &size));
        check(bytes, size, round % 2 == 1);
    }
    /* more arrays than there is room for are refused, not written past the end */
    brn_packet_begin(&p);
    for (int i = 0; i < BRN_PACKET_ARRAYS; ++i) {
        assert_non_null(brn_packet_add(&p, "a", BRN_PACKET_U8, 1));
    }
    assert_null(brn_packet_add(&p, "a", BRN_PACKET_U8, 1));
    const void *bytes = NULL;
    size_t size = 0;
    assert_true(brn_packet_end(&p, false, &bytes, &size) < 0);
    brn_packet_clear(&p);
    brn_ctx_destroy(ctx);
}

static void test_lines(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_packer packer = {.ctx = ctx};
    unsigned char *bytes = malloc(100000);
    for (size_t i = 0; i < 100000; ++i) {
        bytes[i] = (unsigned char)(i % 3 == 0 ? i * 2654435761u >> 13 : i / 1000);
    }
    for (size_t n = 0; n <= 100000; n = n < 20 ? n + 1 : n * 3) {
        const char *line = NULL;
        size_t length = 0;
        size_t got = 0;
        assert_done(ctx, brn_packer_line(&packer, bytes, n, &line, &length));
        assert_int_equal(line[length - 1], '\n');
        assert_null(memchr(line, '\n', length - 1));
        unsigned char *back = page_unpack(line, length - 1, &got);
        assert_int_equal(got, n);
        assert_memory_equal(back, bytes, n);
        free(back);
    }
    free(bytes);
    brn_packer_clear(&packer);
    brn_ctx_destroy(ctx);
}

static brn_status pack_once(brn_ctx *ctx, void *arg)
{
    (void)arg;
    brn_packet p = {.ctx = ctx};
    brn_packer packer = {.ctx = ctx};
    const void *bytes = NULL;
    size_t size = 0;
    const char *line = NULL;
    size_t length = 0;
    brn_status status = make(&p, true, &bytes, &size);
    status = status >= 0 ? brn_packer_line(&packer, bytes, size, &line, &length) : status;
    brn_packer_clear(&packer);
    brn_packet_clear(&p);
    return status;
}

static void test_no_memory(void **unused)
{
    (void)unused;
    assert_true(faulty_run(pack_once, NULL, 0) > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),   cmocka_unit_test(test_any_bytes), cmocka_unit_test(test_validity),
        cmocka_unit_test(test_layouts), cmocka_unit_test(test_reals),     cmocka_unit_test(test_packets),
        cmocka_unit_test(test_lines),   cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
