#include "test.h"

#include "base/text.h"
#include "scene/bump.h"
#include "scene/yaml_tree.h"
#include "scene_schema.h"

static brn_scene *parse(brn_ctx *ctx, const char *yaml)
{
    brn_scene *scene = NULL;
    assert_done(ctx, brn_scene_parse(ctx, yaml, strlen(yaml), "s.yaml", &scene));
    return scene;
}

static const brn_scene_def *resolve(brn_ctx *ctx, brn_scene *scene)
{
    assert_done(ctx, brn_scene_resolve(scene, &test_schema));
    assert_non_null(brn_scene_get_def(scene));
    return brn_scene_get_def(scene);
}

/* The only problem of a scene after a resolve that must fail. */
static const char *only_problem(brn_scene *scene)
{
    assert_int_equal(brn_scene_resolve(scene, &test_schema), BRN_ERR_SCENE);
    assert_int_equal(brn_scene_problem_count(scene), 1);
    return brn_scene_problem(scene, 0);
}

static void assert_vector(const double v[3], double x, double y, double z)
{
    assert_true(v[0] == x && v[1] == y && v[2] == z);
}

/* ---- reading ------------------------------------------------------------------------------------------------------- */

static void test_defaults(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_scene *scene = parse(ctx, "brunt: 1\n");
    assert_null(brn_scene_get_def(scene));
    const brn_scene_def *def = resolve(ctx, scene);
    assert_int_equal(def->version, 1);
    assert_int_equal(def->dimension, 3);
    assert_string_equal(def->title, "");
    assert_vector(def->gravity, 0.0, 0.0, -9.81);
    assert_true(def->time.step == 0.01 && def->time.end == 1.0);
    assert_false(brn_block_given(&def->time.block));
    assert_string_equal(def->time.block.path, "time");
    assert_int_equal(def->seed, 1);
    assert_int_equal(def->integrator, BRN_TURNING_EULER);
    assert_ptr_equal(def->method.table, &test_none_table);
    assert_int_equal(((const test_none *)def->method.value)->iterations, 50);
    assert_int_equal(def->materials.count + def->meshes.count + def->bodies.count, 0);
    assert_true(def->contact.self);
    assert_true(isnan(def->output.every));
    assert_int_equal(def->output.fields.count, 1);
    assert_int_equal(def->output.fields.choice[0], BRN_FIELD_STRESS);
    assert_string_equal(brn_scene_file(scene), "s.yaml");
    brn_scene_destroy(scene);

    /* Where bodies may touch, frames hold their contacts, unless the scene says what they hold. */
    scene = parse(ctx, "brunt: 1\nmethod: ipc\n");
    def = resolve(ctx, scene);
    assert_int_equal(def->output.fields.count, 3);
    assert_int_equal(def->output.fields.choice[0], BRN_FIELD_STRESS);
    assert_int_equal(def->output.fields.choice[1], BRN_FIELD_VELOCITY);
    assert_int_equal(def->output.fields.choice[2], BRN_FIELD_CONTACT);
    brn_scene_destroy(scene);
    scene = parse(ctx, "brunt: 1\nmethod: ipc\noutput: {fields: []}\n");
    assert_int_equal(resolve(ctx, scene)->output.fields.count, 0);
    brn_scene_destroy(scene);

    /* In 2D gravity points along -y, and a third number is optional. */
    scene = parse(
        ctx,
        "bodies: [{type: static, name: a, position: [1, 2]}, {type: static, name: b, position: [1, 2, 3]}]\n"
        "dimension: 2\nbrunt: 1\n");
    def = resolve(ctx, scene);
    assert_vector(def->gravity, 0.0, -9.81, 0.0);
    assert_vector(((const brn_body_common *)def->bodies.items[0].value)->position, 1.0, 2.0, 0.0);
    assert_vector(((const brn_body_common *)def->bodies.items[1].value)->position, 1.0, 2.0, 3.0);
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
}

static const char kinds_yaml[] = "brunt: 1\n"
                                 "bodies:\n"
                                 "  - type: kinds\n"
                                 "    name: k\n"
                                 "    real: +1.5E-3\n"
                                 "    integer: +12\n"
                                 "    truth: true\n"
                                 "    choice: '-z'\n"
                                 "    text: 5\n"
                                 "    vector: [1, 2., .5]\n"
                                 "    reals: 5\n"
                                 "    reals_default: [3, 4, 5, 6]\n"
                                 "    ints: 7\n"
                                 "    texts: word\n"
                                 "    texts_choice: [force, stress]\n"
                                 "    rows: [[1, 2, 3], [4, 5, 6]]\n"
                                 "    bare: 0.5\n"
                                 "    blocks: [1, {radius: 2}]\n"
                                 "    named: {a: {alpha: 1}, b: }\n"
                                 "    tagged: linear\n"
                                 "    taggeds: {type: static, name: s, shape: empty}\n"
                                 "    named_tagged: {m: none, n: {type: ipc, dhat: 2}}\n"
                                 "    keyed: {ball: 3}\n"
                                 "    box: {size: [1, 1, 1], cells: [1, 2, 3], element: tet4}\n";

static void check_lists(const test_kinds *k)
{
    assert_int_equal(k->reals.count, 1);
    assert_vector(k->reals.v, 5.0, 0.0, 0.0); /* padded with zeros */
    assert_int_equal(k->reals_two.count, 2);
    assert_true(k->reals_two.v[0] == 0.25 && k->reals_two.v[1] == 4.0);
    assert_int_equal(k->reals_default.count, 4);
    assert_true(k->reals_default.v[3] == 6.0);
    assert_int_equal(k->ints.count, 1);
    assert_int_equal(k->ints.v[0], 7);
    assert_int_equal(k->texts.count, 1);
    assert_string_equal(k->texts.v[0], "word");
    assert_string_equal(k->texts_two.v[1], "two");
    assert_int_equal(k->texts_choice.count, 2);
    assert_int_equal(k->texts_choice.choice[0], BRN_FIELD_FORCE);
    assert_int_equal(k->texts_choice.choice[1], BRN_FIELD_STRESS);
    assert_int_equal(k->rows.rows, 2);
    assert_int_equal(k->rows.columns, 3);
    assert_true(k->rows.v[5] == 6.0);
    assert_int_equal(k->rows_two.rows, 0);
}

static void check_variants(const test_kinds *k)
{
    assert_ptr_equal(k->tagged.table, &test_linear_table);
    assert_true(((const test_material *)k->tagged.value)->density == 1000.0);
    assert_int_equal(k->taggeds.count, 1);
    assert_string_equal(((const brn_block *)k->taggeds.items[0].value)->path, "bodies[0].taggeds");
    assert_ptr_equal(((const test_static *)k->taggeds.items[0].value)->shape.table, &test_empty_table);
    assert_int_equal(k->named_tagged.count, 2);
    const test_ipc *ipc = k->named_tagged.items[1].value;
    assert_string_equal(ipc->block.name, "n");
    assert_string_equal(ipc->block.path, "bodies[0].named_tagged.n");
    assert_true(ipc->dhat == 2.0);
    assert_ptr_equal(k->keyed.table, &test_ball_table);
    assert_true(((const test_ball *)k->keyed.value)->radius == 3.0);
    assert_ptr_equal(k->here.table, &test_box_table);
    assert_int_equal(((const test_box *)k->here.value)->cells.v[2], 3);
    assert_int_equal(((const test_box *)k->here.value)->element, 1);
    assert_string_equal(((const brn_block *)k->here.value)->path, "bodies[0].box");
}

static void test_every_kind(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_scene *scene = parse(ctx, kinds_yaml);
    const test_kinds *k = resolve(ctx, scene)->bodies.items[0].value;
    assert_int_equal(k->common.block.line, 3);
    assert_string_equal(k->common.block.path, "bodies[0]");
    assert_string_equal(k->common.block.name, "k");
    assert_string_equal(k->common.name, "k");
    assert_true(k->real == 1.5e-3 && isinf(k->real_infinite));
    assert_int_equal(k->integer, 12);
    assert_true(k->truth);
    assert_string_equal(brn_face_words[k->choice], "-z");
    assert_string_equal(k->text, "5");
    assert_string_equal(k->text_default, "null");
    assert_vector(k->vector, 1.0, 2.0, 0.5);
    check_lists(k);
    assert_false(brn_block_given(&k->standing.block));
    assert_string_equal(k->standing.block.path, "bodies[0].standing");
    assert_int_equal(k->bare.block.line, 17);
    assert_true(k->bare.radius == 0.5);
    assert_int_equal(k->blocks.count, 2);
    assert_true(((const test_ball *)k->blocks.items)[1].radius == 2.0);
    assert_string_equal(((const test_ball *)k->blocks.items)[1].block.path, "bodies[0].blocks[1]");
    assert_int_equal(k->named.count, 2);
    assert_string_equal(((const test_damping *)k->named.items)[0].block.name, "a");
    assert_true(((const test_damping *)k->named.items)[0].alpha == 1.0);
    assert_true(((const test_damping *)k->named.items)[1].alpha == 0.0);
    check_variants(k);
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
}

static void test_aliases_and_json(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_scene *scene = parse(ctx, "brunt: 1\n"
                                  "materials:\n"
                                  "  a: &a {type: linear, young: 5}\n"
                                  "  b: *a\n"
                                  "gravity: &g [0, 0, -1]\n"
                                  "bodies: [{type: static, name: f, position: *g}]\n");
    assert_done(ctx, brn_scene_set(scene, "materials.b.young=7")); /* a copy of its own */
    const brn_scene_def *def = resolve(ctx, scene);
    assert_true(((const test_material *)def->materials.items[0].value)->young == 5.0);
    assert_true(((const test_material *)def->materials.items[1].value)->young == 7.0);
    assert_int_equal(((const brn_block *)def->materials.items[1].value)->line, 4);
    assert_vector(((const brn_body_common *)def->bodies.items[0].value)->position, 0.0, 0.0, -1.0);
    brn_scene_destroy(scene);

    scene =
        parse(ctx, "\xef\xbb\xbf{\"brunt\": 1, \"title\": \"a\\tb \\u00e9\", \"time\": {\"step\": 1e-3}}");
    def = resolve(ctx, scene);
    assert_string_equal(def->title, "a\tb \xc3\xa9");
    assert_true(def->time.step == 1e-3);
    assert_int_equal(def->time.block.line, 1);
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
}

/* A value with a problem keeps its default, a variant of unknown type is left out; the rest is there. */
static void test_def_of_a_bad_scene(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_scene *scene =
        parse(ctx, "brunt: 1\ntime: {step: -1, end: 3}\nmaterials: {a: {type: x}, b: linear}\n");
    assert_int_equal(brn_scene_resolve(scene, &test_schema), BRN_ERR_SCENE);
    assert_int_equal(brn_scene_problem_count(scene), 2);
    const brn_scene_def *def = brn_scene_get_def(scene);
    assert_non_null(def);
    assert_true(def->time.step == 0.01 && def->time.end == 3.0);
    assert_int_equal(def->materials.count, 1);
    char *text = NULL;
    assert_int_equal(brn_scene_print(scene, &test_schema, &text), BRN_ERR_SCENE);
    assert_null(text);
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
}

static void test_load(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_scene *scene = NULL;
    assert_int_equal(brn_scene_load(ctx, "no/such/file.yaml", &scene), BRN_ERR_FILE);
    assert_null(scene);
    const char *path = BRN_BINARY_DIR "/test_scene_load.yaml";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("brunt: 1\nseed: x\n", file);
    fclose(file);
    assert_done(ctx, brn_scene_load(ctx, path, &scene));
    assert_string_equal(only_problem(scene),
                        BRN_BINARY_DIR "/test_scene_load.yaml:2: seed = x: must be a whole number");
    brn_scene_destroy(scene);
    assert_int_equal(brn_scene_parse(ctx, "", (size_t)BRN_SCENE_BYTES_MAX + 1, "s.yaml", &scene),
                     BRN_ERR_LIMIT);
    assert_null(scene);
    brn_scene_destroy(NULL);
    (void)remove(path);
    brn_ctx_destroy(ctx);
}

/* ---- problems from above ------------------------------------------------------------------------------------------- */

static void test_add_problem(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_scene *scene =
        parse(ctx, "brunt: 1\nbodies:\n  - type: deformable\n    name: a\n    material: rubbr\n"
                   "materials:\n  my.rubber:\n    type: linear\n    young: \"x\"\n");
    brn_scene_add_problem(scene, "bodies[0].material", "no material of this name; did you mean '%s'?",
                          "my.rubber");
    brn_scene_add_problem(scene, "bodies[0].mesh", "a deformable body needs a mesh");
    brn_scene_add_problem(scene, "bodies[0]", "a body");
    brn_scene_add_problem(scene, "bodies[7].x", "out of range");
    brn_scene_add_problem(scene, "materials.my.rubber.young", "key with a dot");
    brn_scene_add_problem(scene, "", "no path");
    static const char *const want[] = {
        "s.yaml:5: bodies[0].material = rubbr: no material of this name; did you mean 'my.rubber'?",
        "s.yaml:3: bodies[0].mesh: a deformable body needs a mesh",
        "s.yaml:3: bodies[0]: a body",
        "s.yaml:2: bodies[7].x: out of range",
        "s.yaml:9: materials.my.rubber.young = \"x\": key with a dot",
        "s.yaml:1: no path",
    };
    assert_int_equal(brn_scene_problem_count(scene), BRN_COUNT(want));
    for (int i = 0; i < BRN_COUNT(want); ++i) {
        assert_string_equal(brn_scene_problem(scene, i), want[i]);
    }
    assert_string_equal(brn_scene_problem(scene, -1), "");
    assert_string_equal(brn_scene_problem(scene, 99), "");
    /* A resolve starts afresh. */
    assert_non_null(strstr(only_problem(scene), "young = \"x\": must be a number [Pa], not text in quotes"));
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
}

static void test_long_values_are_shortened(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    /* Whether the cut falls between two characters or inside one, only whole ones are shown. */
    for (int shift = 0; shift < 2; ++shift) {
        brn_text yaml = {.ctx = ctx};
        brn_text_add(&yaml, "brunt: 1\nseed: \"a\\n%s", shift > 0 ? "b" : "");
        for (int i = 0; i < 100; ++i) {
            brn_text_add(&yaml, "\xc3\xa9");
        }
        brn_text_add(&yaml, "\"\n");
        brn_scene *scene = parse(ctx, yaml.data);
        const char *problem = only_problem(scene);
        assert_non_null(strstr(problem, "\xc3\xa9...\": must be a whole number"));
        assert_non_null(strstr(problem, shift > 0 ? "seed = \"a?b\xc3\xa9" : "seed = \"a?\xc3\xa9"));
        brn_scene_destroy(scene);
        brn_text_clear(&yaml);
    }
    brn_ctx_destroy(ctx);
}

/* ---- limits ---------------------------------------------------------------------------------------------------------- */

static void test_problem_limit(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_text yaml = {.ctx = ctx};
    brn_text_add(&yaml, "brunt: 1\ngravity: [\n");
    for (int i = 0; i < 250; ++i) {
        brn_text_add(&yaml, "]\nk%d: [", i);
    }
    brn_text_add(&yaml, "]\n");
    brn_scene *scene = parse(ctx, yaml.data);
    for (int repeat = 0; repeat < 2; ++repeat) {
        assert_int_equal(brn_scene_resolve(scene, &test_schema), BRN_ERR_SCENE);
        assert_int_equal(brn_scene_problem_count(scene), BRN_SCENE_PROBLEMS_MAX + 1);
        assert_string_equal(brn_scene_problem(scene, BRN_SCENE_PROBLEMS_MAX), "... and 151 more");
        assert_string_equal(brn_ctx_message(ctx),
                            "s.yaml:2: gravity: must be a list of 3 numbers [m/s^2], found 0 (and 250 more)");
    }
    brn_scene_destroy(scene);
    brn_text_clear(&yaml);
    brn_ctx_destroy(ctx);
}

/* One problem, from reading the text alone. */
static void assert_unreadable(brn_ctx *ctx, const char *yaml, const char *problem)
{
    brn_scene *scene = NULL;
    assert_int_equal(brn_scene_parse(ctx, yaml, strlen(yaml), "s.yaml", &scene), BRN_ERR_SCENE);
    assert_int_equal(brn_scene_problem_count(scene), 1);
    assert_string_equal(brn_scene_problem(scene, 0), problem);
    assert_int_equal(brn_scene_resolve(scene, &test_schema), BRN_ERR_SCENE);
    assert_int_equal(brn_scene_set(scene, "seed=3"), BRN_ERR_SCENE);
    assert_null(brn_scene_get_def(scene));
    brn_scene_destroy(scene);
}

static void test_depth_and_anchor_limits(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_text yaml = {.ctx = ctx};
    /* The root and 63 lists are 64 levels. */
    for (int depth = 63; depth <= 64; ++depth) {
        brn_text_clear(&yaml);
        brn_text_add(&yaml, "brunt: 1\nx: ");
        for (int i = 0; i < depth; ++i) {
            brn_text_add(&yaml, "[");
        }
        for (int i = 0; i < depth; ++i) {
            brn_text_add(&yaml, "]");
        }
        if (depth == 63) {
            brn_scene_destroy(parse(ctx, yaml.data));
        } else {
            assert_unreadable(ctx, yaml.data, "s.yaml:2: nested deeper than 64 levels, the limit of a scene");
        }
    }
    /* Depth that comes from an alias inside an alias. */
    brn_text_clear(&yaml);
    brn_text_add(&yaml, "a: &a [[[[[[[[[[1]]]]]]]]]]\n");
    for (char c = 'b'; c < 'i'; ++c) {
        brn_text_add(&yaml, "%c: &%c [[[[[[[[[[*%c]]]]]]]]]]\n", c, c, c - 1);
    }
    assert_unreadable(ctx, yaml.data, "s.yaml:7: nested deeper than 64 levels, the limit of a scene");
    brn_text_clear(&yaml);
    for (int i = 0; i <= BRN_YAML_ANCHORS_MAX; ++i) {
        brn_text_add(&yaml, "- &a%d x\n", i);
    }
    assert_unreadable(ctx, yaml.data, "s.yaml:257: [257]: more than 256 anchors, the limit of a scene");
    /* A key of any length, and its path. */
    char key[200];
    memset(key, 'k', sizeof key);
    key[BRN_YAML_KEY_MAX + 1] = '\0';
    brn_text_clear(&yaml);
    brn_text_add(&yaml, "brunt: 1\n? %s\n: 1\n", key);
    brn_scene *scene = NULL;
    assert_int_equal(brn_scene_parse(ctx, yaml.data, yaml.length, "s.yaml", &scene), BRN_ERR_SCENE);
    assert_string_equal(only_problem(scene),
                        "s.yaml:2: the key 'kkkkkkkkkkkkkkkkkkkk...' is longer than 128 bytes");
    brn_scene_destroy(scene);
    brn_text_clear(&yaml);
    brn_ctx_destroy(ctx);
}

typedef struct told {
    int count;
    char last[200];
} told;

static void remember_problem(void *user, int line, const char *path, const char *text)
{
    told *t = user;
    ++t->count;
    (void)snprintf(t->last, sizeof t->last, "%d: %s: %s", line, path, text);
}

/* The limit on nodes at its exact edge, and the copies of aliases counted before they are made. */
static void test_node_limit(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    const char list[] = "[1, 2, {a: 3}]"; /* 5 nodes */
    const char laughs[] = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
                          "b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
                          "c: [*b, *b, *b, *b, *b, *b, *b, *b, *b]\n";
    const struct {
        const char *text;
        int limit;
        const char *problem;
    } cases[] = {
        {list, 5, NULL},
        {list, 4, "1: [2].a: more than 4 entries in all, the limit of a scene"},
        {laughs, 1 + 10 + 91 + 820, NULL},
        {laughs, 1 + 10 + 91 + 819,
         "3: c[8]: more than 921 entries in all after aliases are expanded, the limit of a scene"},
    };
    for (int i = 0; i < BRN_COUNT(cases); ++i) {
        told t = {0};
        const brn_yaml_options options = {
            .depth_max = 64, .nodes_max = cases[i].limit, .problem = remember_problem, .user = &t};
        brn_bump memory = {.ctx = ctx};
        brn_yaml *root = NULL;
        const brn_status status =
            brn_yaml_parse(&memory, cases[i].text, strlen(cases[i].text), &options, &root);
        if (cases[i].problem == NULL) {
            assert_int_equal(status, BRN_OK);
            assert_int_equal(root->weight, cases[i].limit);
        } else {
            assert_int_equal(status, BRN_ERR_SCENE);
            assert_null(root);
            assert_int_equal(t.count, 1);
            assert_string_equal(t.last, cases[i].problem);
        }
        brn_bump_clear(&memory);
    }
    brn_ctx_destroy(ctx);
}

static void test_block_limit(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_text yaml = {.ctx = ctx};
    brn_text_add(&yaml, "brunt: 1\nfixed: [");
    for (int i = 0; i < BRN_SCENE_BLOCKS_MAX; ++i) {
        brn_text_append(&yaml, "{},", 3);
    }
    brn_text_append(&yaml, "]", 1);
    brn_scene *scene = parse(ctx, yaml.data);
    assert_string_equal(only_problem(scene),
                        "s.yaml:2: fixed: more than 200000 blocks in all, the limit of a scene");
    assert_null(brn_scene_get_def(scene));
    brn_scene_destroy(scene);
    brn_text_clear(&yaml);
    brn_ctx_destroy(ctx);
}

/* ---- overrides ------------------------------------------------------------------------------------------------------- */

static const char set_yaml[] = "brunt: 1\n"
                               "materials: {rubber: {type: linear, young: 5}, a.b: {type: linear}}\n"
                               "bodies:\n"
                               "  - {type: deformable, name: ball, material: rubber}\n"
                               "  - {type: static, name: floor}\n"
                               "output:\n";

static void test_set(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_scene *scene = parse(ctx, set_yaml);
    static const char *const sets[] = {
        "time.step=0.02",
        "materials.rubber.young=1e6",
        "materials.a.b.young=3",
        "bodies.ball.position=[0,0,1]",
        "bodies[1].shape={plane: {}}",
        "bodies[1].motion.about.axis=[0, 1, 0]",
        "output.every = 0.5",
        "title=a = b",
        "method=ipc",
        "loads=[{body: ball, where: {all: true}, force: [1, 2, 3]}]",
        "loads[0].force=[4, 5, 6]",
    };
    for (int i = 0; i < BRN_COUNT(sets); ++i) {
        assert_done(ctx, brn_scene_set(scene, sets[i]));
        assert_null(brn_scene_get_def(scene));
    }
    const brn_scene_def *def = resolve(ctx, scene);
    assert_true(def->time.step == 0.02);
    assert_int_equal(def->time.block.line, -1);
    assert_true(brn_block_given(&def->time.block));
    assert_true(((const test_material *)def->materials.items[0].value)->young == 1e6);
    assert_true(((const test_material *)def->materials.items[1].value)->young == 3.0);
    assert_vector(((const brn_body_common *)def->bodies.items[0].value)->position, 0.0, 0.0, 1.0);
    const test_static *floor_body = def->bodies.items[1].value;
    assert_ptr_equal(floor_body->shape.table, &test_plane_table);
    assert_vector(floor_body->motion.about.axis, 0.0, 1.0, 0.0);
    assert_true(def->output.every == 0.5);
    assert_string_equal(def->title, "a = b");
    assert_ptr_equal(def->method.table, &test_ipc_table);
    assert_vector(((const brn_load_def *)def->loads.items)[0].force.v, 4.0, 5.0, 6.0);

    /* Below a bare word, which stands for a variant of that type. */
    assert_done(ctx, brn_scene_set(scene, "method.dhat=4"));
    def = resolve(ctx, scene);
    assert_ptr_equal(def->method.table, &test_ipc_table);
    assert_true(((const test_ipc *)def->method.value)->dhat == 4.0);
    assert_done(ctx, brn_scene_set(scene, "method=ipc"));
    assert_done(ctx, brn_scene_set(scene, "method.type=none"));
    assert_ptr_equal(resolve(ctx, scene)->method.table, &test_none_table);

    /* Problems of an override name it instead of a line. */
    assert_done(ctx, brn_scene_set(scene, "time.step=-1"));
    assert_string_equal(only_problem(scene), "--set: time.step = -1: must be > 0 s");
    assert_done(ctx, brn_scene_set(scene, "time={stepp: 1}"));
    assert_string_equal(only_problem(scene), "--set: time.stepp: unknown key; did you mean 'step'?");
    assert_done(ctx, brn_scene_set(scene, "time=null"));
    (void)resolve(ctx, scene);
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
}

static void test_set_refused(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_scene *scene = parse(ctx, set_yaml);
    static const struct {
        const char *set, *message;
    } cases[] = {
        {"time.step", "--set time.step: write path=value, like time.step=0.02"},
        {"=3", "--set =3: write path=value, like time.step=0.02"},
        {"bodies.bal.position=1",
         "--set: bodies.bal.position: bodies has no entry '.bal.position'; it has [0] to [1], "
         "named ball, floor"},
        {"bodies[2].position=1", "--set: bodies[2].position: bodies has no entry '[2].position'; it has [0] "
                                 "to [1], named ball, floor"},
        {"bodies[x]=1", "--set: bodies[x]: bodies has no entry '[x]'; it has [0] to [1], named ball, floor"},
        {"bodies[99999999999999999999]=1", "--set: bodies[99999999999999999999]: bodies has no entry "
                                           "'[99999999999999999999]'; it has [0] to [1], named ball, floor"},
        {"brunt.x=1", "--set: brunt.x: brunt is the value 1, there is nothing below it"},
        {"materials[0]=1", "--set: materials[0]: materials is a block, not a list; it has rubber, a.b"},
        {"[0]=1", "--set: [0]: the scene is a block, not a list; it has brunt, materials, bodies, output"},
        {"loads[0].x=1",
         "--set: loads[0].x: cannot make 'loads[0].x': write keys of at most 128 letters with dots "
         "between them; entries of lists are written in the file"},
        {"time..step=1",
         "--set: time..step: cannot make '.step': write keys of at most 128 letters with dots between "
         "them; entries of lists are written in the file"},
        {"time.=1",
         "--set: time.: cannot make '': write keys of at most 128 letters with dots between them; entries "
         "of lists are written in the file"},
        {"time.step=[1",
         "--set: time.step = [1: not valid YAML: did not find expected ',' or ']', while parsing a flow "
         "sequence"},
        {"time={step: 1, step: 2}", "--set: time = {step: 1, step: 2}: step: given twice; remove one"},
        {"time=*x", "--set: time = *x: the alias *x stands for nothing: there is no finished &x before it"},
    };
    for (int i = 0; i < BRN_COUNT(cases); ++i) {
        assert_int_equal(brn_scene_set(scene, cases[i].set), BRN_ERR_SCENE);
        assert_string_equal(brn_ctx_message(ctx), cases[i].message);
    }
    /* Deeper than the limit: by the path, and by path and value together. */
    char deep[300] = "a";
    for (int i = 1; i < 64; ++i) {
        strcat(deep, ".a");
    }
    strcat(deep, "=1");
    assert_int_equal(brn_scene_set(scene, deep), BRN_ERR_SCENE);
    deep[2 * 60 - 1] = '\0';
    strcat(deep, "=[[[[[1]]]]]");
    assert_int_equal(brn_scene_set(scene, deep), BRN_ERR_SCENE);
    /* Nothing changed. */
    (void)resolve(ctx, scene);
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
}

/* ---- printing -------------------------------------------------------------------------------------------------------- */

/* Prints, reads back and prints again; hands over the text. */
static char *round_trip(brn_ctx *ctx, const char *yaml)
{
    char *first = NULL;
    char *second = NULL;
    brn_scene *scene = parse(ctx, yaml);
    (void)resolve(ctx, scene);
    assert_done(ctx, brn_scene_print(scene, &test_schema, &first));
    brn_scene *again = parse(ctx, first);
    (void)resolve(ctx, again);
    assert_done(ctx, brn_scene_print(again, &test_schema, &second));
    assert_string_equal(first, second);
    brn_scene_destroy(scene);
    brn_scene_destroy(again);
    brn_ctx_free(ctx, second);
    return first;
}

static void test_print(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    char *text = round_trip(
        ctx, "brunt: 1\nmethod: none\n"
             "materials: {\"on\": {type: linear, young: 5e5}}\n"
             "bodies: [{type: static, name: 'a: b', shape: {empty: }, motion: {table: [[0, 1, 2, 3]]}}]\n");
    assert_string_equal(text, "# A scene of brunt " BRN_VERSION
                              " as it was understood: every default is made explicit.\n"
                              "brunt: 1\n"
                              "title: \"\"\n"
                              "dimension: 3\n"
                              "gravity: [0.0, 0.0, -9.81]\n"
                              "time:\n"
                              "  step: 0.01\n"
                              "  end: 1.0\n"
                              "seed: 1\n"
                              "method:\n"
                              "  type: none\n"
                              "  tolerance: 1.0e-08\n"
                              "  iterations: 50\n"
                              "  search: true\n"
                              "integrator: turning_euler\n"
                              "materials:\n"
                              "  \"on\":\n"
                              "    type: linear\n"
                              "    density: 1000.0\n"
                              "    young: 500000.0\n"
                              "bodies:\n"
                              "  - type: static\n"
                              "    name: \"a: b\"\n"
                              "    position: [0.0, 0.0, 0.0]\n"
                              "    shape:\n"
                              "      empty: {}\n"
                              "    motion:\n"
                              "      velocity: [0.0, 0.0, 0.0]\n"
                              "      angular_velocity: 0.0\n"
                              "      table:\n"
                              "        - [0.0, 1.0, 2.0, 3.0]\n"
                              "contact:\n"
                              "  friction: 0.0\n"
                              "  self: true\n"
                              "output:\n"
                              "  fields: [stress]\n"
                              "  vtu: false\n"
                              "  report: 25.0\n"
                              "  checkpoint: 0\n");
    brn_ctx_free(ctx, text);
    brn_ctx_free(ctx, round_trip(ctx, kinds_yaml));
    text = round_trip(ctx,
                      "brunt: 1\ndimension: 2\noutput: {fields: []}\nmeshes: {m: {file: a, rotation: 3}}\n");
    assert_non_null(strstr(text, "gravity: [0.0, -9.81]\n"));
    assert_non_null(strstr(text, "fields: []\n"));
    assert_non_null(strstr(text, "axis: [0.0, 0.0, 1.0]\n"));
    brn_ctx_free(ctx, text);
    brn_ctx_destroy(ctx);
}

/* Texts and numbers that are easily broken by writing. */
static void test_print_hard_values(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    static const char *const titles[] = {
        "\"\"",
        "null",
        "\"null\"",
        "'~'",
        "yes",
        "1e5",
        "'-'",
        "'a: b'",
        "'# x'",
        "\" x \"",
        "\"a\\nb\\tc\\x07\"",
        "\"\\u2028\\u0085\\uFEFF\\uFFFE\\U0001F600\"",
        "'quote \" back \\\\'",
        "a.b/c-d",
        "\xc3\xa9\xe2\x82\xac",
    };
    for (int i = 0; i < BRN_COUNT(titles); ++i) {
        char yaml[200];
        char *text = NULL;
        brn_scene *scene = NULL;
        if (strcmp(titles[i], "null") == 0) {
            continue; /* no text */
        }
        (void)snprintf(yaml, sizeof yaml, "brunt: 1\ntitle: %s\nmaterials: {? %s : linear}\n", titles[i],
                       i == 0 ? "x" : titles[i]);
        char *first = round_trip(ctx, yaml);
        scene = parse(ctx, yaml);
        char *want = brn_strdup(ctx, resolve(ctx, scene)->title);
        brn_scene_destroy(scene);
        scene = parse(ctx, first);
        assert_string_equal(resolve(ctx, scene)->title, want);
        brn_scene_destroy(scene);
        brn_ctx_free(ctx, want);
        brn_ctx_free(ctx, first);
        brn_ctx_free(ctx, text);
    }
    /* The same bits after writing and reading. */
    const double values[] = {0.1, 1.0 / 3.0, 5e-324, 1.7976931348623157e17, 1e17, 123456789.0, 2e-3};
    for (int i = 0; i < BRN_COUNT(values); ++i) {
        char yaml[200];
        (void)snprintf(yaml, sizeof yaml, "brunt: 1\ntime: {end: %.17g}\n", values[i]);
        char *text = round_trip(ctx, yaml);
        brn_scene *scene = parse(ctx, text);
        assert_true(resolve(ctx, scene)->time.end == values[i]);
        brn_scene_destroy(scene);
        brn_ctx_free(ctx, text);
    }
    brn_ctx_destroy(ctx);
}

static void test_describe(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_text out = {.ctx = ctx};
    brn_table_describe(&test_neo_table, &test_schema, 2, &out);
    assert_string_equal(out.data, "  density  number [kg/m^3] > 0, default 1000  density\n"
                                  "  young    number [Pa] > 0                    Young's modulus\n"
                                  "  poisson  number in (-1, 0.5)                Poisson's ratio\n"
                                  "  damping  block                              Rayleigh\n"
                                  "      alpha  number [1/s] >= 0, default 0  of mass\n"
                                  "      beta   number [s] >= 0, default 0    of stiffness\n");
    brn_text_clear(&out);
    brn_table_describe(&brn_scene_table, &test_schema, 0, &out);
    static const char *const wanted[] = {
        "brunt       whole number >= 1, required", "type: none | ipc, default none",
        "list, type: deformable | static | kinds", "by name, type: neo_hookean | linear",
        "generator   one of box | ball",           "(keys of 'where' as above)",
        "between      2 words, required",          "vector, default [0, 0, 1]",
    };
    for (int i = 0; i < BRN_COUNT(wanted); ++i) {
        assert_non_null(strstr(out.data, wanted[i]));
    }
    brn_text_clear(&out);
    brn_table_describe(&test_kinds_table, &test_schema, 0, &out);
    assert_false(out.failed);
    brn_text_clear(&out);
    brn_ctx_destroy(ctx);
}

/* ---- failing allocations --------------------------------------------------------------------------------------------- */

typedef struct failing {
    long countdown; /* the allocation that fails; 0: none any more */
    long live;
} failing;

static void *failing_realloc(void *user, void *block, size_t size)
{
    failing *f = user;
    if (size == 0) {
        f->live -= block != NULL;
        free(block);
        return NULL;
    }
    if (f->countdown > 0 && --f->countdown == 0) {
        return NULL;
    }
    f->live += block == NULL;
    return realloc(block, size);
}

/* The whole use of a scene; true if every step got through. */
static bool use_scene(brn_ctx *ctx, const char *yaml, bool bad)
{
    brn_scene *scene = NULL;
    char *text = NULL;
    bool done = false;
    const brn_status status = brn_scene_parse(ctx, yaml, strlen(yaml), "s.yaml", &scene);
    assert_true(status == BRN_OK || status == BRN_ERR_MEMORY || (bad && status == BRN_ERR_SCENE));
    assert_true(scene != NULL || status == BRN_ERR_MEMORY);
    if (scene != NULL) {
        const brn_status set = brn_scene_set(scene, "bodies[0].motion.velocity=[1, 2, 3]");
        const brn_status wrong = brn_scene_set(scene, "bodies.nobody=3");
        const brn_status resolved = brn_scene_resolve(scene, &test_schema);
        brn_scene_add_problem(scene, "bodies[0]", "a problem");
        const brn_status again = brn_scene_resolve(scene, &test_schema);
        const brn_status printed = brn_scene_print(scene, &test_schema, &text);
        for (int i = 0; i < brn_scene_problem_count(scene); ++i) {
            assert_true(strlen(brn_scene_problem(scene, i)) > 0);
        }
        assert_true(wrong == BRN_ERR_SCENE || wrong == BRN_ERR_MEMORY);
        const brn_status want = bad ? BRN_ERR_SCENE : BRN_OK;
        done =
            set == BRN_OK && wrong == BRN_ERR_SCENE && resolved == want && again == want && printed == want;
        assert_true(resolved == want || resolved == BRN_ERR_MEMORY || set != BRN_OK);
    }
    brn_ctx_free(ctx, text);
    brn_scene_destroy(scene);
    return done;
}

static void fail_each(const char *yaml, bool bad)
{
    failing f = {0};
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = 1;
    options.realloc = failing_realloc;
    options.realloc_user = &f;
    brn_ctx *ctx = NULL;
    assert_int_equal(brn_ctx_create(&options, &ctx), BRN_OK);
    const long live = f.live;
    long k = 1;
    for (;; ++k) {
        f.countdown = k;
        (void)use_scene(ctx, yaml, bad);
        assert_int_equal(f.live, live);
        if (f.countdown > 0) {
            break; /* more than there are allocations */
        }
        assert_true(k < 100000);
    }
    f.countdown = 0;
    assert_true(use_scene(ctx, yaml, bad));
    assert_true(k > 20);
    brn_ctx_destroy(ctx);
    assert_int_equal(f.live, 0);
}

static void test_every_allocation_fails(void **state)
{
    (void)state;
    static const char bad[] = "brunt: 1\nseed: x\ntiem: 3\ntime: {step: 1, step: 2}\nintegrator: bdf3\n"
                              "bodies: [{type: static, name: a}, {type: static, name: a}, {type: stat}]\n"
                              "materials: {a: {type: linear, young: -1}, b: {}}\nx: &x [1]\ny: *x\n";
    static const char good[] =
        "brunt: 1\nbodies: [{type: static, name: a, shape: plane}]\n"
        "materials: {a: &a {type: linear, young: 1}, b: *a}\n"
        "fixed: {body: a, where: {nodes: [1, 2, 3]}, motion: {table: [[0, 0, 0, 0]]}}\n";
    fail_each(good, false);
    fail_each(bad, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_aliases_and_json),
        cmocka_unit_test(test_def_of_a_bad_scene),
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_add_problem),
        cmocka_unit_test(test_long_values_are_shortened),
        cmocka_unit_test(test_problem_limit),
        cmocka_unit_test(test_depth_and_anchor_limits),
        cmocka_unit_test(test_node_limit),
        cmocka_unit_test(test_block_limit),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_set_refused),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_print_hard_values),
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
