#include "test.h"

#include "base/hash.h"
#include "base/os.h"
#include "base/parallel.h"
#include "base/param.h"
#include "base/rng.h"
#include "base/text.h"

#include <sys/stat.h>

static void test_arena_keeps_chunks_and_alignment(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_arena *arena = brn_ctx_arena(ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    void *first = brn_arena_take(arena, 100, 8);
    void *large = brn_arena_take(arena, 3 << 20, 1); /* more than a chunk */
    assert_non_null(first);
    assert_non_null(large);
    assert_int_equal((uintptr_t)first % 64, 0);
    assert_int_equal((uintptr_t)large % 64, 0);
    memset(large, 1, 3 << 20);
    brn_arena_rewind(arena, mark);
    assert_ptr_equal(brn_arena_take(arena, 100, 8), first);
    assert_ptr_equal(brn_arena_take(arena, 3 << 20, 1), large);
    assert_null(brn_arena_take(arena, SIZE_MAX / 2, 8));
    brn_arena_rewind(arena, mark);
    brn_ctx_destroy(ctx);
}

typedef struct sum_job {
    double partial[64];
} sum_job;

static brn_status sum_block(void *arg, int block, brn_arena *scratch)
{
    sum_job *job = arg;
    double *terms = NULL;
    BRN_TAKE(scratch, terms, 1000);
    for (int i = 0; i < 1000; ++i) {
        terms[i] = 1.0 / (1.0 + block * 1000 + i);
    }
    job->partial[block] = 0.0;
    for (int i = 0; i < 1000; ++i) {
        job->partial[block] += terms[i];
    }
    return BRN_OK;
}

static brn_status failing_block(void *arg, int block, brn_arena *scratch)
{
    (void)arg;
    (void)scratch;
    return block == 7 ? BRN_ERR_RANGE : block == 30 ? BRN_ERR_MESH : BRN_OK;
}

static void test_parallel_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    uint64_t first = 0;
    const int counts[] = {1, 2, 3, 4, 7};
    for (int i = 0; i < 5; ++i) {
        brn_ctx *ctx = test_ctx(counts[i]);
        assert_int_equal(brn_ctx_threads(ctx), counts[i]);
        for (int repeat = 0; repeat < 200; ++repeat) {
            sum_job job;
            assert_done(ctx, brn_parallel_for(ctx, 64, sum_block, &job));
            const uint64_t hash = brn_hash_bytes(BRN_HASH_START, job.partial, sizeof job.partial);
            first = i == 0 && repeat == 0 ? hash : first;
            assert_int_equal(hash, first);
        }
        /* The lowest failing block decides, whichever finished first. */
        assert_int_equal(brn_parallel_for(ctx, 64, failing_block, NULL), BRN_ERR_RANGE);
        brn_ctx_destroy(ctx);
    }
}

/* The text by printf and strtod alone. */
static void format_slowly(double value, char text[BRN_REAL_TEXT])
{
    for (int precision = 15; precision <= 17; ++precision) {
        (void)snprintf(text, BRN_REAL_TEXT, "%.*g", precision, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    if (strchr(text, '.') == NULL) {
        char *power = text + strcspn(text, "e");
        memmove(power + 2, power, strlen(power) + 1);
        memcpy(power, ".0", 2);
    }
}

static void assert_text_of(double value)
{
    char text[BRN_REAL_TEXT];
    char slow[BRN_REAL_TEXT];
    format_slowly(value, slow);
    assert_string_equal(brn_format_real(value, text), slow);
}

/* Magnitudes about those that are done without printf, few digits and many, powers of two and ten and their neighbours. */
static void test_real_text_is_that_of_printf(void **state)
{
    (void)state;
    brn_rng rng = {7};
    for (int i = 0; i < 100000; ++i) {
        const uint64_t bits = brn_rng_next(&rng);
        assert_text_of(ldexp((double)(bits >> 11), (int)(bits % 180) - 170));
        assert_text_of((double)(int64_t)(bits % 2000001) / -1000.0);
        assert_text_of((double)(bits % 1000000007) * pow(10.0, -(double)(bits >> 59)));
    }
    for (int e = -130; e < 70; ++e) {
        const double value[2] = {ldexp(1.0, e), pow(10.0, 0.3 * e)};
        for (int k = 0; k < 2; ++k) {
            assert_text_of(value[k]);
            assert_text_of(nextafter(value[k], 0.0));
            assert_text_of(nextafter(value[k], INFINITY));
        }
    }
    for (int e = -40; e < 25; ++e) {
        const double ten = strtod(
            (char[8]){'1', 'e', e < 0 ? '-' : '+', (char)('0' + abs(e) / 10), (char)('0' + abs(e) % 10)},
            NULL);
        assert_text_of(ten);
        assert_text_of(nextafter(ten, 0.0));
        assert_text_of(nextafter(ten, INFINITY));
    }
    assert_text_of(0.0);
    assert_text_of(-0.0);
}

static void test_real_text_round_trip(void **state)
{
    (void)state;
    brn_rng rng = {42};
    char text[BRN_REAL_TEXT];
    for (int i = 0; i < 100000; ++i) {
        const uint64_t bits = brn_rng_next(&rng);
        double value;
        memcpy(&value, &bits, 8);
        if (!isfinite(value)) {
            continue;
        }
        double back = 0.0;
        assert_true(brn_parse_real(brn_format_real(value, text), &back));
        assert_memory_equal(&back, &value, 8);
        assert_non_null(strchr(text, '.'));
    }
    assert_string_equal(brn_format_real(5e5, text), "500000.0");
    assert_string_equal(brn_format_real(1e22, text), "1.0e+22");
    assert_string_equal(brn_format_real(INFINITY, text), ".inf");
    double value = 0.0;
    assert_false(brn_parse_real("1.5x", &value));
    assert_false(brn_parse_real("nan", &value));
    assert_false(brn_parse_real("0x10", &value));
    assert_false(brn_parse_real("", &value));
    assert_true(brn_parse_real("-1.5e3", &value));
    assert_near(value, -1500.0, 0.0);
}

static void test_nearest_word(void **state)
{
    (void)state;
    const char *words[] = {"young", "poisson", "density", "damping"};
    assert_int_equal(brn_nearest_word("yuong", words, 4), 0);
    assert_int_equal(brn_nearest_word("Poison", words, 4), 1);
    assert_int_equal(brn_nearest_word("friction", words, 4), -1);
}

/* Messages quote files, and files may hold anything; what a terminal obeys does not get there. */
static void test_messages_are_plain(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"", ""},
        {"plain, \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\tand\nlines",
         "plain, \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\tand\nlines"},
        {"\x1b[31mred\x07\r\x7f\x01", "?[31mred????"},
        {"\xc2\x9b"
         "31m\xc2\xa0",
         "?31m\xc2\xa0"}, /* CSI in one character; a blank that is none */
        {"\xff\xfe\xc3(\xe2\x82\xed\xa0\x80", "???(?\?\?\?\?"}, /* no UTF-8: cut short, a surrogate */
        {"end \xf0\x9f\x98", "end ?\?\?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[100];
        (void)strcpy(text, cases[i].in);
        brn_text_make_plain(text);
        assert_string_equal(text, cases[i].out);
    }
    brn_ctx *ctx = test_ctx(1);
    (void)brn_fail(ctx, BRN_ERR_FORMAT, "found '%s'", "\x1b]0;title\x07");
    assert_string_equal(brn_ctx_message(ctx), "found '?]0;title?'");
    brn_scene *scene = NULL;
    static const char bad[] = "brunt: 1\n\"\\e[31m\": 1\n";
    assert_int_equal(brn_scene_parse(ctx, bad, sizeof bad - 1, "bad\x1b.yaml", &scene), BRN_OK);
    brn_model *model = NULL;
    assert_int_equal(brn_model_compile(ctx, scene, &model), BRN_ERR_SCENE);
    assert_true(brn_scene_problem_count(scene) > 0);
    for (int i = 0; i < brn_scene_problem_count(scene); ++i) {
        assert_null(strchr(brn_scene_problem(scene, i), 0x1b));
    }
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
}

static void test_files(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    assert_done(ctx, brn_dir_make(ctx, "base-files/a/b"));
    assert_done(ctx, brn_file_write(ctx, "base-files/a/b/x.txt", "hello", 5));
    assert_false(brn_file_exists("base-files/a/b/x.txt.tmp"));
    char *bytes = NULL;
    size_t length = 0;
    assert_done(ctx, brn_file_read(ctx, "base-files/a/b/x.txt", 100, &bytes, &length));
    assert_int_equal(length, 5);
    assert_string_equal(bytes, "hello");
    brn_free(ctx, bytes);
    assert_int_equal(brn_file_read(ctx, "base-files/a/b/x.txt", 4, &bytes, &length), BRN_ERR_LIMIT);
    assert_int_equal(brn_file_read(ctx, "base-files/none", 4, &bytes, &length), BRN_ERR_FILE);
    assert_non_null(strstr(brn_ctx_message(ctx), "base-files/none"));
    assert_int_equal(brn_file_read(ctx, "base-files", 4, &bytes, &length), BRN_ERR_FILE);
    char *beside = brn_path_beside(ctx, "a/b/scene.yaml", "mesh.msh");
    assert_string_equal(beside, "a/b/mesh.msh");
    brn_free(ctx, beside);
    beside = brn_path_beside(ctx, "scene.yaml", "/abs/mesh.msh");
    assert_string_equal(beside, "/abs/mesh.msh");
    brn_free(ctx, beside);
    assert_string_equal(brn_path_extension("dir.x/name"), "");
    assert_string_equal(brn_path_extension("dir/name.MSH"), "MSH");
    brn_ctx_destroy(ctx);
}

/* Two that write to one name: the second is told, and what the first writes is whole. */
static void test_one_writer_of_a_file(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_file_out first, second;
    assert_done(ctx, brn_dir_make(ctx, "base-files"));
    assert_done(ctx, brn_file_begin(ctx, "base-files/one.txt", &first));
    assert_done(ctx, brn_file_add(&first, "first", 5));
    assert_int_equal(brn_file_begin(ctx, "base-files/one.txt", &second), BRN_ERR_BUSY);
    assert_non_null(strstr(brn_ctx_message(ctx), "base-files/one.txt: another process is writing it"));
    brn_file_drop(&second);
    assert_true(brn_file_exists("base-files/one.txt.tmp"));
    assert_done(ctx, brn_file_end(&first));
    assert_done(ctx, brn_file_begin(ctx, "base-files/one.txt", &second));
    brn_file_drop(&second);
    assert_false(brn_file_exists("base-files/one.txt.tmp"));
    char *bytes = NULL;
    size_t length = 0;
    assert_done(ctx, brn_file_read(ctx, "base-files/one.txt", 100, &bytes, &length));
    assert_string_equal(bytes, "first");
    brn_free(ctx, bytes);
    brn_ctx_destroy(ctx);
}

/* What is no file is not replaced by one: a name like /dev/null would be a file from then on. */
static void test_no_file_in_place_of_a_pipe(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    struct stat info;
    assert_done(ctx, brn_dir_make(ctx, "base-files"));
    (void)unlink("base-files/pipe");
    assert_int_equal(mkfifo("base-files/pipe", 0600), 0);
    assert_done(ctx, brn_file_write(ctx, "base-files/text", "x", 1));
    assert_int_equal(brn_file_write(ctx, "base-files/pipe", "x", 1), BRN_ERR_FILE);
    assert_non_null(strstr(brn_ctx_message(ctx), "base-files/pipe: is a pipe, not a file"));
    assert_int_equal(brn_file_replace(ctx, "base-files/text", "base-files/pipe"), BRN_ERR_FILE);
    assert_int_equal(brn_file_write(ctx, "base-files", "x", 1), BRN_ERR_FILE);
    assert_true(stat("base-files/pipe", &info) == 0 && S_ISFIFO(info.st_mode));
    assert_false(brn_file_exists("base-files/pipe.tmp"));
    brn_ctx_destroy(ctx);
}

static void test_parameter_ranges(void **state)
{
    (void)state;
    char text[64];
    const brn_param poisson = {.kind = BRN_REAL, .lo = -1.0, .hi = 0.5, .bounds = BRN_OPEN};
    assert_true(brn_param_in_range(&poisson, 0.49));
    assert_false(brn_param_in_range(&poisson, 0.5));
    assert_false(brn_param_in_range(&poisson, NAN));
    assert_string_equal(brn_param_range_text(&poisson, text, sizeof text), "in (-1, 0.5)");
    const brn_param young = {.kind = BRN_REAL, .lo = 0.0, .hi = INFINITY, .bounds = BRN_OPEN};
    assert_false(brn_param_in_range(&young, 0.0));
    assert_false(brn_param_in_range(&young, INFINITY));
    assert_string_equal(brn_param_range_text(&young, text, sizeof text), "> 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena_keeps_chunks_and_alignment),
        cmocka_unit_test(test_parallel_same_bits_for_any_thread_count),
        cmocka_unit_test(test_real_text_is_that_of_printf),
        cmocka_unit_test(test_real_text_round_trip),
        cmocka_unit_test(test_nearest_word),
        cmocka_unit_test(test_messages_are_plain),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_one_writer_of_a_file),
        cmocka_unit_test(test_no_file_in_place_of_a_pipe),
        cmocka_unit_test(test_parameter_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
