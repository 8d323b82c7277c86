/* brn_scene_edit: the text changes at one place, comments and layout stay, and it means what brn_scene_set makes of the old one. */
#include "flow.h"
#include "unit/faulty.h"

static void check_edit(const char *text, const char *assignment, const char *want)
{
    brn_ctx *ctx = test_ctx(1);
    char *got = NULL;
    assert_done(ctx, brn_scene_edit(ctx, text, assignment, &got));
    assert_string_equal(got, want);
    brn_ctx_free(ctx, got);
    brn_ctx_destroy(ctx);
}

static void test_values(void **state)
{
    (void)state;
    check_edit("a: 1 # one\nb: 2\n", "a=3", "a: 3 # one\nb: 2\n");
    check_edit("a: {b: [1, 2], c: \"x\"} # here\n", "a.b=[4]", "a: {b: [4], c: \"x\"} # here\n");
    check_edit("a: {b: [1, 2], c: \"x\"}\n", "a.c=y z", "a: {b: [1, 2], c: y z}\n");
    check_edit("list:\n  - {name: p, v: 1}\n  - name: q\n    v: 2 # two\n", " list.q.v = 5",
               "list:\n  - {name: p, v: 1}\n  - name: q\n    v: 5 # two\n");
    check_edit("list: [1, 2,\n  3]\n", "list[1]=7", "list: [1, 7,\n  3]\n");
    /* Characters of several bytes, and lines that end as on Windows. */
    check_edit("t: \xc3\xa4\xe2\x82\xac # \xc3\xb6\r\nb: 2\r\n", "b=3",
               "t: \xc3\xa4\xe2\x82\xac # \xc3\xb6\r\nb: 3\r\n");
}

static void test_new_keys(void **state)
{
    (void)state;
    check_edit("a: {b: 1} # c\n", "a.c=2", "a: {c: 2, b: 1} # c\n");
    check_edit("a: {} # c\n", "a.c=2", "a: {c: 2} # c\n");
    check_edit("a: {b: 1}\n", "a.c.d=2", "a: {c: {d: 2}, b: 1}\n");
    check_edit("top:\n  # first\n  b: 1\n", "top.c=2", "top:\n  # first\n  c: 2\n  b: 1\n");
    check_edit("list:\n  - name: p\n    v: 1\n", "list[0].w=2", "list:\n  - w: 2\n    name: p\n    v: 1\n");
    check_edit("a:\nb: 1\n", "a.c=2", "a: {c: 2}\nb: 1\n");
    check_edit("method: ipc # m\n", "method.dhat=2", "method: {type: ipc, dhat: 2} # m\n");
    check_edit("a: 1\n", "b=2", "b: 2\na: 1\n");
}

/* What cannot be done in place is refused, and says so. */
static void test_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"a: &x 1\nb: *x\n", "a=2"},           /* b would lose its value */
        {"a: &x {c: 1}\nb: *x\n", "b.c=2"},    /* a would change */
        {"a: 1\n", "a.b=2"},                   /* nothing below a number */
        {"a: [1]\n", "a[3]=2"},                /* no such entry */
        {"a: [1\n", "a=2"},                    /* not YAML */
        {"a: 1\n", "a"},                       /* no value */
        {"a: |\n  one\n  two\nb: 1\n", "a=2"}, /* several lines */
    };
    brn_ctx *ctx = test_ctx(1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char *got = NULL;
        assert_int_equal(brn_scene_edit(ctx, cases[i][0], cases[i][1], &got), BRN_ERR_SCENE);
        assert_null(got);
        assert_true(brn_ctx_message(ctx)[0] != '\0');
    }
    brn_ctx_destroy(ctx);
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    (void)fclose(file);
    return text;
}

/* Scenes of the gallery mean the same whether their text or their tree was changed. */
static void test_gallery(void **state)
{
    (void)state;
    static const char *const scenes[] = {"jump-over", "cantilever", "arch", "chain"};
    static const char *const edits[] = {"time.step=0.0123", "title=another", "gravity=[0, 0, -1]",
                                        "output.every=0.5"};
    brn_ctx *ctx = test_ctx(1);
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        char path[512];
        (void)snprintf(path, sizeof path, BRN_SOURCE_DIR "/scenes/%s/scene.yaml", scenes[i]);
        char *text = read_file(path);
        for (size_t k = 0; k < sizeof edits / sizeof edits[0]; ++k) {
            brn_scene *set = NULL;
            brn_scene *edited = NULL;
            char *new_text = NULL;
            char *a = NULL;
            char *b = NULL;
            assert_done(ctx, brn_scene_edit(ctx, text, edits[k], &new_text));
            assert_done(ctx, brn_scene_load(ctx, path, &set));
            assert_done(ctx, brn_scene_set(set, edits[k]));
            assert_done(ctx, brn_scene_parse(ctx, new_text, strlen(new_text), path, &edited));
            assert_done(ctx, brn_scene_write(set, &a));
            assert_done(ctx, brn_scene_write(edited, &b));
            assert_string_equal(a, b);
            brn_ctx_free(ctx, a);
            brn_ctx_free(ctx, b);
            brn_ctx_free(ctx, new_text);
            brn_scene_destroy(set);
            brn_scene_destroy(edited);
        }
        free(text);
    }
    brn_ctx_destroy(ctx);
}

static brn_status edit_once(brn_ctx *ctx, void *arg)
{
    (void)arg;
    char *got = NULL;
    const brn_status status = brn_scene_edit(ctx, "a: {b: 1}\n", "a.c.d=2", &got);
    brn_ctx_free(ctx, got);
    return status;
}

static void test_allocations(void **state)
{
    (void)state;
    assert_true(faulty_run(edit_once, NULL, 0) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),  cmocka_unit_test(test_new_keys),    cmocka_unit_test(test_refused),
        cmocka_unit_test(test_gallery), cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
