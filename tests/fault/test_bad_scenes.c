/* Bad scenes and the exact messages they give. Every snippet stands below the line "brunt: 1" unless it begins with
   '!', so its first line is line 2. */
#include "test.h"

#include "scene_schema.h"

typedef struct bad_scene {
    const char *yaml;
    const char *problems; /* one a line */
} bad_scene;

static const bad_scene scenes[] = {
    /* keys */
    {"materials:\n  rubber: {type: linear,\n    yuong: 5}\n",
     "s.yaml:4: materials.rubber.yuong: unknown key; did you mean 'young'?\n"},
    {"materials:\n  rubber:\n    type: linear\n    qqq: 5\n",
     "s.yaml:5: materials.rubber.qqq: unknown key; allowed here: type, density, young, poisson, damping\n"},
    {"tiem: {step: 1}\n", "s.yaml:2: tiem: unknown key; did you mean 'time'?\n"},
    {"bodies: [{type: static, name: a, shape: {empty: {x: 1}}}]\n",
     "s.yaml:2: bodies[0].shape.empty.x: unknown key; no keys are allowed here\n"},
    {"meshes: {m: {boxx: {}}}\n", "s.yaml:2: meshes.m.boxx: unknown key; did you mean 'box'?\n"},
    {"bodies:\n  - type: static\n  - name: b\n    type: deformable\n",
     "s.yaml:3: bodies[0]: missing key 'name' (unique name)\n"
     "s.yaml:4: bodies[1]: missing key 'material' (name of a material)\n"},
    {"loads: [{pressure: 1}]\n",
     "s.yaml:2: loads[0]: missing key 'body' (name of a body)\n"
     "s.yaml:2: loads[0]: missing key 'where' (a region of the body; {all: true} is the "
     "whole of it)\n"},
    {"time: {step: 1, end: 2, step: 3}\n", "s.yaml:2: time.step: given twice, first on line 2; remove one\n"},
    {"time: {step: 1}\nseed: 3\ntime: {end: 1}\n",
     "s.yaml:4: time: given twice, first on line 2; remove one\n"},
    {"time: {<<: {step: 1}}\n",
     "s.yaml:2: time.<<: merge keys are not used in scenes; write the keys out, or use an "
     "alias for the whole block\n"},
    {"? [a, b]\n: c\n", "s.yaml:2: a key must be a word, not a list\n"},
    {"time: {'': 3}\n", "s.yaml:2: time: an empty key; write a name before the ':'\n"},
    {"time: {&a step: 3}\n",
     "s.yaml:2: time.step: an anchor or tag on a key is not used in scenes; remove it\n"},
    {"time: {*a : 3}\n", "s.yaml:2: time: an alias cannot stand for a key; write the key out\n"},
    {"seed: &a 3\ntime: {step: *a, *a : 3}\n",
     "s.yaml:3: time: an alias cannot stand for a key; write the key out\n"},

    /* numbers */
    {"bodies:\n  - {type: static, name: a}\n  - type: kinds\n    name: b\n    tagged: {type: linear, young: "
     "-5}\n",
     "s.yaml:6: bodies[1].tagged.young = -5: must be > 0 Pa\n"},
    {"materials: {a: {type: linear, poisson: 0.5, density: 0}}\n",
     "s.yaml:2: materials.a.poisson = 0.5: must be in (-1, 0.5)\n"
     "s.yaml:2: materials.a.density = 0: must be > 0 kg/m^3\n"},
    {"time: {step: .nan, end: .inf}\n", "s.yaml:2: time.step = .nan: must be a finite number\n"
                                        "s.yaml:2: time.end = .inf: must be a finite number\n"},
    {"time: {step: 1e-300, end: 1e101}\n",
     "s.yaml:2: time.step = 1e-300: must be >= 1e-18 s: no scene needs a smaller one; look at the exponent "
     "and the unit\n"
     "s.yaml:2: time.end = 1e101: must be <= 1e+18 s: no scene needs a larger one; look at the exponent and "
     "the unit\n"},
    {"materials: {a: {type: linear, young: 1e99, density: 1e-99}}\n",
     "s.yaml:2: materials.a.young = 1e99: must be <= 1e+20 Pa: no scene needs a larger one; look at the "
     "exponent and the unit\n"
     "s.yaml:2: materials.a.density = 1e-99: must be >= 1e-12 kg/m^3: no scene needs a smaller one; look at "
     "the exponent and the unit\n"},
    {"gravity: [0, 1e-300, -1e200]\n",
     "s.yaml:2: gravity[2] = -1e200: must be >= -1e+15 m/s^2: no scene needs a larger one; look at the "
     "exponent and the unit\n"},
    {"time: {step: 1e999}\n", "s.yaml:2: time.step = 1e999: must be a finite number\n"},
    {"time: {step: \"0.1\", end: 1_000}\n",
     "s.yaml:2: time.step = \"0.1\": must be a number [s], not text in quotes\n"
     "s.yaml:2: time.end = 1_000: must be a number [s]; write it without '_'\n"},
    {"time: {step: 5 ms, end: [1]}\n", "s.yaml:2: time.step = 5 ms: must be a number [s]\n"
                                       "s.yaml:2: time.end: must be a number [s], found a list\n"},
    {"time: {step: , end: {a: 1}}\n", "s.yaml:2: time.step: must be a number [s], found no value\n"
                                      "s.yaml:2: time.end: must be a number [s], found a block\n"},
    {"time: {step: 0x10, end: 1e}\n", "s.yaml:2: time.step = 0x10: must be a number [s]\n"
                                      "s.yaml:2: time.end = 1e: must be a number [s]\n"},
    {"seed: 1.5\n", "s.yaml:2: seed = 1.5: must be a whole number\n"},
    {"seed: 1e3\n", "s.yaml:2: seed = 1e3: must be a whole number, written in digits alone\n"},
    {"seed: -1\n", "s.yaml:2: seed = -1: must be >= 0\n"},
    {"seed: 3000000000\n", "s.yaml:2: seed = 3000000000: must be in [-2147483648, 2147483647]\n"},
    {"seed: 99999999999999999999\n",
     "s.yaml:2: seed = 99999999999999999999: must be in [-2147483648, 2147483647]\n"},
    {"dimension: 4\n", "s.yaml:2: dimension = 4: must be in [2, 3]\n"},
    {"method: {type: none, iterations: 0}\n", "s.yaml:2: method.iterations = 0: must be in [1, 1000]\n"},

    /* words */
    {"contact: {self: yes}\n", "s.yaml:2: contact.self = yes: must be true or false\n"},
    {"contact: {self: \"true\"}\n", "s.yaml:2: contact.self = \"true\": must be true or false\n"},
    {"contact: {self: [true]}\n", "s.yaml:2: contact.self: must be true or false, found a list\n"},
    {"integrator: newmrak\n",
     "s.yaml:2: integrator = newmrak: must be one of turning_euler, implicit_euler, bdf2, newmark, "
     "midpoint, symplectic_euler, "
     "static, variational; did you mean 'newmark'?\n"},
    {"title: [a, b]\n", "s.yaml:2: title: must be a text, found a list\n"},
    {"title: ~\n", "s.yaml:2: title: must be a text, found no value\n"},
    {"output: {fields: [stress, sterss]}\n",
     "s.yaml:2: output.fields[1] = sterss: must be one of stress, velocity, "
     "force, contact; did you mean 'stress'?\n"},

    /* lists */
    {"gravity: [0, 0]\n", "s.yaml:2: gravity: must be a list of 3 numbers [m/s^2], found 2\n"},
    {"gravity: 9.81\n", "s.yaml:2: gravity = 9.81: must be a list of 3 numbers [m/s^2]\n"},
    {"gravity:\n  - 0\n  - down\n  - 0\n", "s.yaml:4: gravity[1] = down: must be a number [m/s^2]\n"},
    {"dimension: 2\ngravity: [1, 2, 3, 4]\n",
     "s.yaml:3: gravity: must be a list of 2 numbers [m/s^2], found 4\n"},
    {"meshes: {m: {box: {size: [1, 0, 1], cells: [2, 2]}}}\n",
     "s.yaml:2: meshes.m.box.size[1] = 0: must be > 0 m\n"
     "s.yaml:2: meshes.m.box.cells: must be a list of 3 whole numbers, found 2\n"},
    {"bodies: [{type: kinds, name: k, ints: {a: 1}, reals_two: 3, texts_two: [a, b, c]}]\n",
     "s.yaml:2: bodies[0].ints: must be a list of whole numbers, found a block\n"
     "s.yaml:2: bodies[0].reals_two = 3: must be a list of 2 numbers [Pa], found 1\n"
     "s.yaml:2: bodies[0].texts_two: must be a list of 2 words, found 3\n"},
    {"bodies: [{type: kinds, name: k, rows: 3, rows_two: [[1, 2], 3, [4]]}]\n",
     "s.yaml:2: bodies[0].rows = 3: must be a list of lists of numbers\n"
     "s.yaml:2: bodies[0].rows_two[1] = 3: must be a list of numbers\n"
     "s.yaml:2: bodies[0].rows_two[2]: must be a list of 2 numbers, found 1\n"},
    {"bodies: [{type: kinds, name: k, rows: [[1, x]]}]\n",
     "s.yaml:2: bodies[0].rows[0][1] = x: must be a number\n"},

    /* blocks and variants */
    {"contact: 5\n", "s.yaml:2: contact = 5: must be a block with the keys friction, self, restitution, "
                     "stiffness, relaxation, pairs\n"},
    {"time: [1, 2]\n", "s.yaml:2: time: must be a block, found a list; its keys: step, end\n"},
    {"materials: [a]\n",
     "s.yaml:2: materials: must be a block with a name for each material, like {my_material: "
     "{...}}, found a list\n"},
    {"materials: {a: {young: 5}}\n",
     "s.yaml:2: materials.a: missing key 'type': one of neo_hookean, linear\n"},
    {"materials: {a: {type: neo_hooken, young: 5}}\n",
     "s.yaml:2: materials.a.type = neo_hooken: unknown material; did you mean 'neo_hookean'? one of "
     "neo_hookean, "
     "linear\n"},
    {"method: xyz\n", "s.yaml:2: method = xyz: unknown method; one of none, ipc\n"},
    {"method: {type: [ipc]}\n", "s.yaml:2: method.type: must be one of none, ipc\n"},
    {"method: [ipc]\n",
     "s.yaml:2: method: must be a block with the key 'type', found a list; type is one of none, ipc\n"},
    {"bodies: [{type: static, name: a, shape: {plane: {}, ball: 3}}]\n",
     "s.yaml:2: bodies[0].shape: must be a block with exactly one key: one of plane, ball, empty, holder\n"},
    {"bodies: [{type: static, name: a, shape: {plain: {}}}]\n",
     "s.yaml:2: bodies[0].shape.plain: unknown shape; did you mean 'plane'? one of plane, ball, empty, "
     "holder\n"},
    {"bodies: [{type: static, name: a, shape: bal}]\n",
     "s.yaml:2: bodies[0].shape = bal: unknown shape; did you mean 'ball'? one of plane, ball, empty, "
     "holder\n"},
    {"bodies: [{type: static, name: a, shape: ball}]\n",
     "s.yaml:2: bodies[0].shape: missing key 'radius' (radius)\n"},
    {"meshes: {m: {box: {size: [1, 1, 1], cells: [1, 1, 1]}, ball: 1}}\n",
     "s.yaml:2: meshes.m.ball: stands beside 'box'; keep one of the two\n"},

    {"bodies: [{type: static, name: a, shape: {holder: {}}}]\n",
     "s.yaml:2: bodies[0].shape.holder: missing key: one of box, ball\n"},

    /* across fields */
    {"meshes: {m: {}, n: {file: a.msh, surface: b.stl, resolution: 1}, o: {surface: c.stl}}\n",
     "s.yaml:2: meshes.m: must have exactly one generator, 'file' or 'surface'; found 0\n"
     "s.yaml:2: meshes.n: must have exactly one generator, 'file' or 'surface'; found 2\n"
     "s.yaml:2: meshes.o: missing key 'resolution' (edge length of the elements inside the surface)\n"},
    {"meshes: {m: {file: a.msh, resolution: 1, scale: [1, 2]}}\n",
     "s.yaml:2: meshes.m.resolution = 1: is used with 'surface' only\n"
     "s.yaml:2: meshes.m.scale: must be 1 or 3 numbers, found 2\n"},
    {"fixed: {body: b, where: {}}\n",
     "s.yaml:2: fixed.where: must have exactly one of box, sphere, face, nodes, "
     "nearest, group, all: true; found 0\n"},
    {"fixed: [{body: b, where: {face: +x, nodes: 3}}]\n",
     "s.yaml:2: fixed[0].where: must have exactly one of box, sphere, face, nodes, nearest, group, all: "
     "true; found "
     "2\n"},
    {"fixed: [{body: b, where: {all: true}, axes: xx}, {body: b, where: {all: true}, axes: ''}]\n",
     "s.yaml:2: fixed[0].axes = xx: must be some of the letters x, y, z, each once, like xyz or xz\n"
     "s.yaml:2: fixed[1].axes = \"\": must name at least one of x, y, z\n"},
    {"fixed: [{body: b, where: {nearest: [1, 2]}}, {body: b, where: {box: {min: [0, 1, 0], max: [1, 0, "
     "0]}}}]\n",
     "s.yaml:2: fixed[0].where.nearest: must be a list of 3 numbers, found 2\n"
     "s.yaml:2: fixed[1].where.box.max: must not be below min, but is in y (0 < 1)\n"},
    {"dimension: 2\nfixed: [{body: b, where: {face: -z}}]\n",
     "s.yaml:3: fixed[0].where.face = -z: there is no z face in 2D\n"},
    {"bodies: [{type: static, name: a, motion: {table: [[0, 0, 0]]}}]\n",
     "s.yaml:2: bodies[0].motion.table: its rows must have 4 numbers in 3D, [t, x, y, z], found 3\n"},
    {"bodies: [{type: static, name: a, motion: {table: [[0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]], velocity: "
     "[1, 0, "
     "0]}}]\n",
     "s.yaml:2: bodies[0].motion.table: stands beside a velocity; give one of the two\n"
     "s.yaml:2: bodies[0].motion.table[2][0] = 1: times must increase; the row before has 1\n"},
    {"bodies: [{type: static, name: a, rotation: {axis: [0, 0, 0]}}]\n",
     "s.yaml:2: bodies[0].rotation.axis: must not be zero\n"},
    {"dimension: 2\nbodies: [{type: static, name: a, rotation: {axis: [1, 0]}}]\n",
     "s.yaml:3: bodies[0].rotation.axis: must be along z in 2D: write [0, 0, 1] or leave it out\n"},
    {"loads: [{body: b, where: {all: true}, pressure: 1, ramp: {from: 2, to: 1}}, {body: b, where: {all: "
     "true}}]\n",
     "s.yaml:2: loads[0].ramp.to = 1: must not be before 'from' (2 s)\n"
     "s.yaml:2: loads[1]: must have exactly one of force, traction, pressure; found 0\n"},
    {"bodies:\n  - {type: static, name: a}\n  - {type: static, name: b}\n  - {type: static, name: a}\n",
     "s.yaml:5: bodies[2].name = a: the name is taken by bodies[0]; choose another\n"},

    /* the file as a whole */
    {"!title: x\n", "s.yaml:1: missing key 'brunt' (version of the scene format, 1)\n"},
    {"!brunt: 2\nbad: 1\n", "s.yaml:1: brunt = 2: this program reads version 1 of the scene format\n"},
    {"!brunt: 1000000001\n",
     "s.yaml:1: brunt = 1000000001: this program reads version 1 of the scene format\n"},
    {"!brunt: x\n", "s.yaml:1: brunt = x: must be a whole number\n"},
    {"!", "s.yaml:1: the scene is empty; it begins with 'brunt: 1'\n"},
    {"!# nothing\n", "s.yaml:1: the scene is empty; it begins with 'brunt: 1'\n"},
    {"![1]\n", "s.yaml:1: a scene is a block of keys, found a list; it begins with 'brunt: 1'\n"},
    {"!scene\n", "s.yaml:1: a scene is a block of keys, found a text; it begins with 'brunt: 1'\n"},
    {"time: {step: 1\n",
     "s.yaml:3: not valid YAML: did not find expected ',' or '}', while parsing a flow mapping that "
     "began on line 2\n"},
    {"time:\n\tstep: 1\n",
     "s.yaml:3: not valid YAML: found character that cannot start any token, while scanning for the "
     "next token; indent with spaces, not with tabs\n"},
    {"title: \xff\n", "s.yaml:2: not a text file in UTF-8: an invalid byte sequence at byte 16\n"},
    {"title: \x01\n", "s.yaml:2: not a text file in UTF-8: a control character at byte 16\n"},
    {"title: \"a\\0b\"\n", "s.yaml:2: title: a text with a zero byte\n"},
    {"---\nseed: 1\n", "s.yaml:2: a second document begins ('---'); a scene is one document\n"},
    {"seed: !!int 3\ntime: !x {step: 1}\n",
     "s.yaml:2: seed: the tag '!!int' is not used in scenes; remove it\n"
     "s.yaml:3: time: the tag '!x' is not used in scenes; remove it\n"},
    {"seed: *a\n", "s.yaml:2: seed: the alias *a stands for nothing: there is no finished &a before it\n"},
    {"bodies: &a [*a]\n",
     "s.yaml:2: bodies[0]: the alias *a stands for nothing: there is no finished &a before it\n"},

    /* all at once, those of the syntax first */
    {"seed: x\ntime: {step: 0, end: 1, end: 2}\nfoo: 1\n",
     "s.yaml:3: time.end: given twice, first on line 3; remove one\n"
     "s.yaml:2: seed = x: must be a whole number\n"
     "s.yaml:3: time.step = 0: must be > 0 s\n"
     "s.yaml:4: foo: unknown key; allowed here: brunt, title, dimension, gravity, time, seed, method, "
     "integrator, "
     "materials, meshes, bodies, fixed, springs, attach, connect, loads, stages, contact, "
     "output\n"},
};

static void test_messages(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    for (int i = 0; i < BRN_COUNT(scenes); ++i) {
        char yaml[1000];
        char got[4000] = "";
        const bool bare = scenes[i].yaml[0] == '!';
        (void)snprintf(yaml, sizeof yaml, "%s%s", bare ? "" : "brunt: 1\n", scenes[i].yaml + bare);
        brn_scene *scene = NULL;
        (void)brn_scene_parse(ctx, yaml, strlen(yaml), "s.yaml", &scene);
        assert_non_null(scene);
        assert_int_equal(brn_scene_resolve(scene, &test_schema), BRN_ERR_SCENE);
        for (int k = 0; k < brn_scene_problem_count(scene); ++k) {
            const size_t used = strlen(got);
            (void)snprintf(got + used, sizeof got - used, "%s\n", brn_scene_problem(scene, k));
        }
        if (strcmp(got, scenes[i].problems) != 0) {
            print_error("scene %d:\n%s\n--- got:\n%s--- want:\n%s", i, yaml, got, scenes[i].problems);
        }
        assert_string_equal(got, scenes[i].problems);
        /* The ctx's message is the first problem. */
        const size_t first = strcspn(got, "\n");
        assert_memory_equal(brn_ctx_message(ctx), got, first);
        brn_scene_destroy(scene);
    }
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_messages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
