#include "faulty.h"
#include "full_disk.h"
#include "no_fsync.h"

#include "base/os.h"
#include "base/rng.h"
#include "state/hdf5_file.h"
#include "state/state.h"

#define DIR        "state-files"
#define CHECKPOINT DIR "/checkpoint.h5"

/* Parts of a scene; of one with a changed and a new part instead of an old one; in another order; many others. */
#define GRAVITY "0123456789abcdef gravity\n"
#define SCENE   GRAVITY "00000000000000a0 method.dhat\n00000000000000b0 old\n"
#define OTHER   GRAVITY "00000000000000a1 method.dhat\n00000000000000b0 new\n"
#define SWAPPED "00000000000000a0 method.dhat\n" GRAVITY "00000000000000b0 old\n"
#define ZERO    "0000000000000000 "
#define MANY \
 ZERO "a\n" ZERO "b\n" ZERO "c\n" ZERO "d\n" ZERO "e\n" ZERO "f\n" ZERO "g\n" ZERO "h\n" ZERO "i\n"

static const brn_state_sizes sizes = {.nnode = 37, .nrigid = 3, .njoint = 5};

static void fill(double *values, size_t count, brn_rng *rng)
{
    for (size_t i = 0; i < count; ++i) {
        values[i] = brn_rng_uniform(rng, -1.0, 1.0);
    }
}

/* A state with all its arrays and three memories filled, awkward numbers among them. */
static brn_state *make_state(brn_ctx *ctx, uint64_t seed)
{
    brn_rng rng = {seed};
    brn_state *state = NULL;
    assert_done(ctx, brn_state_create(ctx, &sizes, &state));
    state->step = 123456789012345;
    fill(state->ledger, 8, &rng);
#define FILL(name, count, width, what) fill(state->name, (size_t)sizes.count *(width), &rng);
    BRN_STATE_ARRAYS(FILL)
#undef FILL
    double *value = NULL;
    assert_done(ctx, brn_state_remember(state, "newmark.acceleration", 3 * 37, &value));
    fill(value, 3 * 37, &rng);
    assert_done(ctx, brn_state_remember(state, "empty", 0, &value));
    assert_non_null(value);
    assert_done(ctx, brn_state_remember(state, "odd / name.", 4, &value));
    value[0] = -0.0;
    value[1] = INFINITY;
    value[2] = 5e-324;
    const uint64_t payload = UINT64_C(0x7ff8000000001234);
    memcpy(&value[3], &payload, 8);
    return state;
}

static void test_hash_sees_every_bit(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_state *state = make_state(ctx, 1);
    const uint64_t hash = brn_state_hash(state);
    assert_int_equal(brn_state_hash(state), hash);
#define FLIP(name, count, width, what)               \
 for (int i = 0; i < sizes.count * (width); ++i) {   \
  const double old = state->name[i];                 \
  state->name[i] = nextafter(old, 10.0);             \
  assert_int_not_equal(brn_state_hash(state), hash); \
  state->name[i] = old;                              \
 }
    BRN_STATE_ARRAYS(FLIP)
#undef FLIP
    for (int i = 0; i < 8; ++i) {
        const double old = state->ledger[i];
        state->ledger[i] = nextafter(old, 10.0);
        assert_int_not_equal(brn_state_hash(state), hash);
        state->ledger[i] = old;
    }
    state->step++;
    assert_int_not_equal(brn_state_hash(state), hash);
    state->step--;
    double *value = NULL;
    assert_done(ctx, brn_state_remember(state, "odd / name.", 4, &value));
    value[0] = 0.0; /* was -0.0 */
    assert_int_not_equal(brn_state_hash(state), hash);
    value[0] = -0.0;
    assert_int_equal(brn_state_hash(state), hash);
    state->memory[0].name[0] = 'E';
    assert_int_not_equal(brn_state_hash(state), hash);
    state->memory[0].name[0] = 'e';
    assert_done(ctx, brn_state_remember(state, "empty", 1, &value));
    assert_int_not_equal(brn_state_hash(state), hash);
    brn_state_forget_all(state);
    assert_int_not_equal(brn_state_hash(state), hash);
    brn_state_destroy(state);
    brn_ctx_destroy(ctx);
}

/* Memories made, forgotten and made again in any order give the same state. */
static void test_hash_knows_no_order_of_memories(void **unused)
{
    (void)unused;
    static const char *const names[] = {"b", "d", "a", "e", "c"};
    enum { NAMES = 5 };
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {11};
    uint64_t hash = 0;
    for (int i = 0; i < 20; ++i) {
        brn_state *state = make_state(ctx, 1);
        const int first = (int)(brn_rng_next(&rng) % NAMES);
        const int stride = 1 + (int)(brn_rng_next(&rng) % (NAMES - 1)); /* prime to NAMES */
        for (int k = 0; k < 2 * NAMES; ++k) {
            const int n = (first + k * stride) % NAMES;
            double *value = NULL;
            if (k < NAMES && n % 2 == 0) {
                assert_done(ctx, brn_state_remember(state, names[n], 9, &value));
                brn_state_forget(state, names[n]);
            }
            assert_done(ctx, brn_state_remember(state, names[n], (size_t)n + 1, &value));
            for (int j = 0; j <= n; ++j) {
                value[j] = 10.0 * n + j;
            }
        }
        hash = i == 0 ? brn_state_hash(state) : hash;
        assert_int_equal(brn_state_hash(state), hash);
        assert_true(brn_state_recall(state, "e")->value[3] == 33.0);
        brn_state_destroy(state);
    }
    brn_ctx_destroy(ctx);
}

static void test_copy_allocates_nothing_when_steady(void **unused)
{
    (void)unused;
    faulty f;
    brn_ctx *ctx = faulty_ctx(&f, 1);
    brn_state *a = make_state(ctx, 1);
    brn_state *b = NULL;
    assert_done(ctx, brn_state_create(ctx, &sizes, &b));
    assert_done(ctx, brn_state_copy(a, b));
    assert_int_equal(brn_state_hash(b), brn_state_hash(a));
    const long calls = f.calls;
    double *value = NULL;
    for (int i = 0; i < 10; ++i) {
        /* Lengths that go down and up again, and forgetting, stay within what is there. */
        assert_done(ctx, brn_state_remember(a, "newmark.acceleration", (size_t)(i % 3) * 37, &value));
        assert_done(ctx, brn_state_copy(a, b));
        assert_int_equal(brn_state_hash(b), brn_state_hash(a));
        brn_state_forget_all(b);
        assert_done(ctx, brn_state_copy(b, b));
    }
    assert_int_equal(f.calls, calls);
    brn_state *c = NULL;
    const brn_state_sizes other = {.nnode = 36, .nrigid = 3, .njoint = 5};
    assert_done(ctx, brn_state_create(ctx, &other, &c));
    assert_int_equal(brn_state_copy(a, c), BRN_ERR_RANGE);
    brn_state_destroy(a);
    brn_state_destroy(b);
    brn_state_destroy(c);
    brn_ctx_destroy(ctx);
    assert_int_equal(f.alive, 0);
}

static void test_memory_keeps_and_zeroes(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_state *state = NULL;
    const brn_state_sizes none = {0};
    assert_done(ctx, brn_state_create(ctx, &none, &state));
    double *value = NULL;
    assert_done(ctx, brn_state_remember(state, "a", 3, &value));
    for (int i = 0; i < 3; ++i) {
        assert_true(value[i] == 0.0);
        value[i] = i + 1;
    }
    assert_done(ctx, brn_state_remember(state, "a", 2, &value));
    assert_done(ctx, brn_state_remember(state, "a", 4, &value));
    assert_true(value[0] == 1.0 && value[1] == 2.0 && value[2] == 0.0 && value[3] == 0.0);
    /* A forgotten memory comes back as zeros, not as its old values. */
    brn_state_forget_all(state);
    assert_null(brn_state_recall(state, "a"));
    assert_done(ctx, brn_state_remember(state, "b", 4, &value));
    assert_true(value[0] == 0.0 && value[1] == 0.0);
    assert_int_equal(brn_state_recall(state, "b")->count, 4);
    assert_int_equal(brn_state_remember(state, "", 1, &value), BRN_ERR_RANGE);
    assert_int_equal(brn_state_remember(state, "a name of forty-eight characters is one too long", 1, &value),
                     BRN_ERR_RANGE);
    assert_int_equal(brn_state_remember(state, "b", SIZE_MAX / 2, &value), BRN_ERR_MEMORY);
    assert_int_equal(brn_state_recall(state, "b")->count, 4);
    char name[16];
    for (int i = 0; i < 100; ++i) {
        (void)snprintf(name, sizeof name, "m%d", i);
        assert_done(ctx, brn_state_remember(state, name, (size_t)i, &value));
    }
    assert_int_equal(brn_state_recall(state, "m99")->count, 99);
    brn_state_destroy(state);
    brn_state_destroy(NULL);
    const brn_state_sizes bad = {.nnode = -1};
    assert_int_equal(brn_state_create(ctx, &bad, &state), BRN_ERR_RANGE);
    brn_ctx_destroy(ctx);
}

static void test_save_and_load_give_the_same_bits(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    assert_done(ctx, brn_dir_make(ctx, DIR));
    brn_state *a = make_state(ctx, 7);
    brn_state *b = make_state(ctx, 8);
    const double extra[2] = {17.0, -0.25};
    double back[2] = {0.0};
    for (int i = 0; i < 3; ++i) { /* also over an existing one */
        assert_done(ctx, brn_state_save(a, CHECKPOINT, SCENE, extra, 2));
    }
    assert_false(brn_file_exists(CHECKPOINT ".tmp"));
    assert_done(ctx, brn_state_load(b, CHECKPOINT, SCENE, back, 2));
    assert_int_equal(brn_state_hash(a), brn_state_hash(b));
    assert_int_equal(b->step, a->step);
    assert_true(back[0] == extra[0] && back[1] == extra[1]);
    brn_state_destroy(b);
    /* An empty state, nothing extra. */
    const brn_state_sizes none = {0};
    brn_state *c = NULL;
    assert_done(ctx, brn_state_create(ctx, &none, &c));
    assert_done(ctx, brn_state_save(c, DIR "/empty.h5", "", NULL, 0));
    assert_done(ctx, brn_state_load(c, DIR "/empty.h5", "", NULL, 0));
    brn_state_destroy(c);
    /* The file is plain HDF5 for everyone else. */
    assert_true(H5Fis_hdf5(CHECKPOINT) > 0);
    brn_state_destroy(a);
    brn_ctx_destroy(ctx);
}

static void expect_failure(brn_state *state, const char *path, const char *parts, int nextra, brn_status want,
                           const char *message)
{
    const uint64_t hash = brn_state_hash(state);
    double extra[4] = {1.0, 2.0, 3.0, 4.0};
    assert_int_equal(brn_state_load(state, path, parts, extra, nextra), want);
    if (strstr(brn_ctx_message(state->ctx), message) == NULL) {
        fail_msg("'%s' does not say '%s'", brn_ctx_message(state->ctx), message);
    }
    assert_int_equal(brn_state_hash(state), hash);
    assert_true(extra[0] == 1.0 && extra[1] == 2.0 && extra[2] == 3.0);
}

static void put_bytes(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void test_load_refuses_what_does_not_fit(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    assert_done(ctx, brn_dir_make(ctx, DIR));
    brn_state *a = make_state(ctx, 7);
    const double extra[2] = {17.0, -0.25};
    assert_done(ctx, brn_state_save(a, CHECKPOINT, SCENE, extra, 2));
    expect_failure(a, CHECKPOINT, OTHER, 2, BRN_ERR_FORMAT,
                   "this checkpoint belongs to another scene (method.dhat, new, old)");
    expect_failure(a, CHECKPOINT, "", 2, BRN_ERR_FORMAT, "(gravity, method.dhat, old)");
    expect_failure(a, CHECKPOINT, SWAPPED, 2, BRN_ERR_FORMAT, "(its parts are in another order)");
    expect_failure(a, CHECKPOINT, MANY, 2, BRN_ERR_FORMAT, "(a, b, c, d, e, f, g, h and 4 more)");
    expect_failure(a, CHECKPOINT, SCENE, 3, BRN_ERR_FORMAT, "/extra");
    expect_failure(a, DIR "/none.h5", SCENE, 2, BRN_ERR_FILE, "none.h5");
    brn_state *other = NULL;
    const brn_state_sizes bigger = {.nnode = 38, .nrigid = 3, .njoint = 5};
    assert_done(ctx, brn_state_create(ctx, &bigger, &other));
    expect_failure(other, CHECKPOINT, SCENE, 2, BRN_ERR_FORMAT,
                   "nnode = 37 in the checkpoint, 38 in the model");
    brn_state_destroy(other);

    /* Another format number, and a file that is none of ours. */
    char *bytes = NULL;
    size_t length = 0;
    assert_done(ctx, brn_file_read(ctx, CHECKPOINT, 1 << 24, &bytes, &length));
    const char format = bytes[17];
    bytes[17] = '9';
    assert_done(ctx, brn_file_write(ctx, DIR "/newer.h5", bytes, length));
    expect_failure(a, DIR "/newer.h5", SCENE, 2, BRN_ERR_FORMAT, "format 9, written by a newer version");
    bytes[17] = '1';
    assert_done(ctx, brn_file_write(ctx, DIR "/older.h5", bytes, length));
    expect_failure(a, DIR "/older.h5", SCENE, 2, BRN_ERR_FORMAT, "format 1, written by an older version");
    bytes[17] = format;
    assert_done(ctx, brn_file_write(ctx, DIR "/foreign.h5", bytes + 512, length - 512));
    expect_failure(a, DIR "/foreign.h5", SCENE, 2, BRN_ERR_FORMAT, "not a brunt checkpoint");
    assert_done(ctx, brn_file_write(ctx, DIR "/zero.h5", "", 0));
    expect_failure(a, DIR "/zero.h5", SCENE, 2, BRN_ERR_FORMAT, "not a brunt checkpoint");

    /* Every sort of damage behind the first line: cut anywhere, or any bit turned. */
    brn_rng rng = {3};
    for (int i = 0; i < 200; ++i) {
        const size_t at = 512 + brn_rng_next(&rng) % (length - 512);
        const unsigned char bit = (unsigned char)(1U << (brn_rng_next(&rng) % 8));
        if (i % 2 == 0) {
            bytes[at] ^= (char)bit;
            put_bytes(DIR "/bad.h5", bytes, length);
            bytes[at] ^= (char)bit;
        } else {
            put_bytes(DIR "/bad.h5", bytes, at);
        }
        expect_failure(a, DIR "/bad.h5", SCENE, 2, BRN_ERR_FORMAT, "damaged");
    }
    brn_free(ctx, bytes);
    brn_state_destroy(a);
    brn_ctx_destroy(ctx);
}

static herr_t print_nothing(hid_t stack, void *data)
{
    (void)stack;
    (void)data;
    return 0;
}

static void test_hdf5_printing_is_given_back(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    int mine = 0;
    H5E_auto2_t before = NULL;
    void *before_data = NULL;
    assert_true(H5Eget_auto2(H5E_DEFAULT, &before, &before_data) >= 0);
    assert_true(H5Eset_auto2(H5E_DEFAULT, print_nothing, &mine) >= 0);
    brn_state *a = make_state(ctx, 7);
    assert_done(ctx, brn_dir_make(ctx, DIR));
    assert_done(ctx, brn_state_save(a, DIR "/print.h5", SCENE, NULL, 0));
    assert_int_equal(brn_state_load(a, DIR "/print.h5", OTHER, NULL, 0), BRN_ERR_FORMAT);
    H5E_auto2_t after = NULL;
    void *after_data = NULL;
    assert_true(H5Eget_auto2(H5E_DEFAULT, &after, &after_data) >= 0);
    assert_true(after == print_nothing && after_data == &mine);
    assert_true(H5Eset_auto2(H5E_DEFAULT, before, before_data) >= 0);
    brn_state_destroy(a);
    brn_ctx_destroy(ctx);
}

static int save_on_full_disk(void *arg)
{
    brn_state *state = arg;
    const brn_status status = brn_state_save(state, CHECKPOINT, OTHER, NULL, 0);
    return status == BRN_ERR_FULL && strstr(brn_ctx_message(state->ctx), "File too large") != NULL ? 0 : 1;
}

/* The checkpoint that was there stays, and nothing else is left behind. */
static void test_full_disk_keeps_the_old_checkpoint(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    assert_done(ctx, brn_dir_make(ctx, DIR));
    brn_state *a = make_state(ctx, 7);
    assert_done(ctx, brn_state_save(a, CHECKPOINT, SCENE, NULL, 0));
    for (size_t bytes = 0; bytes < 6000; bytes += 1500) {
        assert_int_equal(with_full_disk(bytes, save_on_full_disk, a), 0);
        assert_false(brn_file_exists(CHECKPOINT ".tmp"));
        assert_done(ctx, brn_state_load(a, CHECKPOINT, SCENE, NULL, 0));
    }
    brn_state_destroy(a);
    brn_ctx_destroy(ctx);
}

static brn_status whole_life(brn_ctx *ctx, void *arg)
{
    (void)arg;
    brn_state *a = NULL;
    brn_state *b = NULL;
    double *value = NULL;
    double extra = 1.0;
    brn_status status = brn_state_create(ctx, &sizes, &a);
    status = status < 0 ? status : brn_state_create(ctx, &sizes, &b);
    status = status < 0 ? status : brn_state_remember(a, "x", 100, &value);
    status = status < 0 ? status : brn_state_remember(a, "y", 3, &value);
    status = status < 0 ? status : brn_state_copy(a, b);
    status = status < 0 ? status : brn_state_remember(a, "x", 1000, &value);
    status = status < 0 ? status : brn_state_copy(a, b);
    status = status < 0 ? status : brn_state_save(b, DIR "/life.h5", SCENE, &extra, 1);
    status = status < 0 ? status : brn_state_load(a, DIR "/life.h5", SCENE, &extra, 1);
    brn_state_destroy(a);
    brn_state_destroy(b);
    return status;
}

static void test_each_allocation_may_fail(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    assert_done(ctx, brn_dir_make(ctx, DIR));
    brn_ctx_destroy(ctx);
    assert_true(faulty_run(whole_life, NULL, 0) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash_sees_every_bit),
        cmocka_unit_test(test_hash_knows_no_order_of_memories),
        cmocka_unit_test(test_copy_allocates_nothing_when_steady),
        cmocka_unit_test(test_memory_keeps_and_zeroes),
        cmocka_unit_test(test_save_and_load_give_the_same_bits),
        cmocka_unit_test(test_load_refuses_what_does_not_fit),
        cmocka_unit_test(test_hdf5_printing_is_given_back),
        cmocka_unit_test(test_full_disk_keeps_the_old_checkpoint),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
