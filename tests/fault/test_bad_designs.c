/* Everything wrong with a design problem is told with its line and what to write instead, before anything is simulated. */
#include "test.h"

#include <brunt/design.h>

static const char scene_text[] =
    "brunt: 1\n"
    "time: {step: 0.01, end: 0.02}\n"
    "materials: {soft: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 1000}}\n"
    "meshes: {block: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}\n"
    "bodies: [{name: block, type: deformable, mesh: block, material: soft}]\n"
    "fixed: [{name: foot, body: block, where: {face: -z}}]\n";

#define HEAD      "brunt: 1\nscene: bad-scene.yaml\n"
#define PARAMETER "parameters: [{name: young, path: materials.soft.young, min: 1e4, max: 1e6}]\n"

static const struct {
    const char *text, *message;
    brn_design_kind kind;
} cases[] = {
    {"", "d.yaml:1: the design problem is empty; it begins with 'brunt: 1'", BRN_DESIGN_SEARCH},
    {"[1]", "d.yaml:1: a design problem is a block of keys, found a list; it begins with 'brunt: 1'",
     BRN_DESIGN_SEARCH},
    {"brunt: 1\nscene: nowhere.yaml\n" PARAMETER "objective: kinetic\n",
     "d.yaml:2: scene = nowhere.yaml: ", BRN_DESIGN_SEARCH},
    {"brunt: 1\n" PARAMETER "objective: kinetic\n", "d.yaml:1: missing key 'scene'", BRN_DESIGN_SEARCH},
    {HEAD "objective: kinetic\n", "d.yaml:1: missing key 'parameters'", BRN_DESIGN_SEARCH},
    {HEAD "parameters: []\nobjective: kinetic\n", "d.yaml:3: parameters: there is none", BRN_DESIGN_SEARCH},
    {HEAD PARAMETER, "d.yaml:1: missing key 'objective' or 'maximise'", BRN_DESIGN_SEARCH},
    {HEAD PARAMETER "objective: kinetic\nmaximise: elastic\n",
     "d.yaml:5: maximise = elastic: stands beside 'objective'", BRN_DESIGN_SEARCH},
    {HEAD PARAMETER "objectve: kinetic\n", "d.yaml:4: objectve: unknown key; did you mean 'objective'?",
     BRN_DESIGN_SEARCH},
    {HEAD PARAMETER "objective: knetic\n",
     "d.yaml:4: objective = knetic: position 1: unknown name 'knetic'; did you mean 'kinetic'?",
     BRN_DESIGN_SEARCH},
    {HEAD PARAMETER "objective: kinetic +\n", "position 10: it ends where a value should follow",
     BRN_DESIGN_SEARCH},
    {HEAD PARAMETER "objective: flight.range\n", "unknown name 'flight.range'",
     BRN_DESIGN_SEARCH}, /* no stages */
    {HEAD PARAMETER "objective: kinetic\nconstraints: [kinetic]\n",
     "d.yaml:5: constraints[0] = kinetic: must be one comparison by <, <=, > or >=", BRN_DESIGN_SEARCH},
    {HEAD PARAMETER "objective: status\n", "d.yaml:4: objective = status: is a word; compare it",
     BRN_DESIGN_SEARCH},
    {HEAD PARAMETER "objective: kinetic\nsuccess: status == 1\n", "'1' is a number where a word is needed",
     BRN_DESIGN_SEARCH},
    {HEAD "parameters: [{name: young, path: materials.sfot.young, min: 1, max: 2}]\nobjective: kinetic\n",
     "d.yaml:3: parameters[0].path = materials.sfot.young: the scene has no 'sfot' at "
     "'materials.sfot.young'; did you mean "
     "'materials.soft'?",
     BRN_DESIGN_SEARCH},
    {HEAD "parameters: [{name: young, path: materials.soft.yong, min: 1, max: 2}]\nobjective: kinetic\n",
     "did you mean 'materials.soft.young'?", BRN_DESIGN_SEARCH},
    {HEAD "parameters: [{name: p, path: materials.soft.poisson, min: 0.1, max: 0.7}]\nobjective: kinetic\n",
     "d.yaml:3: parameters[0].max = 0.7: the scene refuses it: --set: materials.soft.poisson = 0.7",
     BRN_DESIGN_SEARCH},
    {HEAD "parameters: [{name: size, path: meshes.block.box.size, min: 1, max: 2}]\nobjective: kinetic\n",
     "is not a single number; take one entry, like [0]", BRN_DESIGN_SEARCH},
    {HEAD
     "parameters: [{name: size, path: \"meshes.block.box.size[3]\", min: 1, max: 2}]\nobjective: kinetic\n",
     "meshes.block.box.size has 3 entries", BRN_DESIGN_SEARCH},
    {HEAD "parameters: [{name: face, path: \"fixed[0].where.face\", min: 1, max: 2}]\nobjective: kinetic\n",
     "is not a single number", BRN_DESIGN_SEARCH},
    {HEAD "parameters: [{name: young, path: materials.soft.young}]\nobjective: kinetic\n",
     "parameters[0]: needs min and max", BRN_DESIGN_SEARCH},
    {HEAD "parameters: [{name: young, path: materials.soft.young, values: [1, 2]}]\nobjective: kinetic\n",
     "parameters[0]: needs min and max", BRN_DESIGN_SEARCH},
    {HEAD "parameters: [{name: young, path: materials.soft.young, min: 2, max: 1}]\nobjective: kinetic\n",
     "parameters[0].max = 1: must be > min", BRN_DESIGN_SEARCH},
    {HEAD "parameters: [{name: young, path: materials.soft.young, min: 1, max: 2, start: 3}]\nobjective: "
          "kinetic\n",
     "parameters[0].start = 3: must lie between min and max", BRN_DESIGN_SEARCH},
    {HEAD "parameters: [{name: x, path: \"meshes.block.box.size[0]\", min: 0, max: 2, scale: "
          "log}]\nobjective: kinetic\n",
     "must be > 0 where scale is log", BRN_DESIGN_SEARCH},
    {HEAD "parameters: [{name: min, path: materials.soft.young, min: 1, max: 2}]\nobjective: kinetic\n",
     "cannot be used: a word", BRN_DESIGN_SEARCH},
    {HEAD
     "parameters: [{name: kinetic, path: materials.soft.young, min: 1e4, max: 1e5}]\nobjective: elastic\n",
     "is the name of a figure; choose another", BRN_DESIGN_SEARCH},
    {HEAD "parameters: [{name: cpu, path: materials.soft.young, min: 1e4, max: 1e5}]\nobjective: elastic\n",
     "is a column of the table; choose another", BRN_DESIGN_SEARCH},
    {HEAD PARAMETER "objective: kinetic\nassign: {materials.soft.density: 2*yung}\n",
     "d.yaml:5: assign.materials.soft.density = 2*yung: position 3: unknown name 'yung'; did you mean "
     "'young'?",
     BRN_DESIGN_SEARCH},
    {HEAD PARAMETER "objective: kinetic\nassign: {materials.soft.densty: 2*young}\n",
     "did you mean 'materials.soft.density'?", BRN_DESIGN_SEARCH},
    {HEAD PARAMETER "objective: kinetic\nset: {time.edn: 2}\n",
     "d.yaml:5: set.time.edn = 2: the scene refuses it: --set: time.edn: unknown key; did you mean 'end'?",
     BRN_DESIGN_SEARCH},
    {HEAD PARAMETER "objective: kinetic\noptimizer: {type: cmase}\n",
     "d.yaml:5: optimizer.type = cmase: must be one of cmaes, cobyla", BRN_DESIGN_SEARCH},
    {HEAD PARAMETER "objective: kinetic\noptimizer: bobyqa\n", "needs two parameters; take cobyla or subplex",
     BRN_DESIGN_SEARCH},
    {HEAD PARAMETER "objective: kinetic\nconstraints: [kinetic < 1]\noptimizer: subplex\n",
     "takes no constraints", BRN_DESIGN_SEARCH},
    {HEAD PARAMETER "objective: kinetic\noptimizer: {population: 2}\n", "must be 4 or more, or 0",
     BRN_DESIGN_SEARCH},
    {HEAD PARAMETER "objective: kinetic\nrobustness: {tolerances: [{path: contact.frction, by: 1}]}\n",
     "did you mean 'contact.friction'?", BRN_DESIGN_SEARCH},
    {HEAD PARAMETER "objective: kinetic\nrobustness: {tolerances: [{parameter: yong, by: 1}]}\n",
     "there is no parameter of this name; did you mean 'young'?", BRN_DESIGN_SEARCH},
    {HEAD PARAMETER "objective: kinetic\nrobustness: {tolerances: [{parameter: young}]}\n",
     "needs by or percent, one of them", BRN_DESIGN_SEARCH},
    {HEAD PARAMETER "objective: kinetic\nrobustness: {tolerances: [{by: 1}]}\n",
     "needs a path or a parameter, one of them", BRN_DESIGN_SEARCH},
    {HEAD "parameters: [{name: young, path: materials.soft.young}]\n",
     "needs min and max, or the values of a grid", BRN_DESIGN_SWEEP},
    {HEAD "parameters: [{name: young, path: materials.soft.young, min: 3, max: 2, values: [2.5]}]\n",
     "d.yaml:3: parameters[0].max = 2: must be > min", BRN_DESIGN_SWEEP},
    {HEAD "parameters: [{name: young, path: materials.soft.young, min: 1, max: 2, values: [1.5, 3]}]\n",
     "d.yaml:3: parameters[0].values: 3 does not lie between min and max; leave these away",
     BRN_DESIGN_SWEEP},
    {HEAD "parameters: [{name: cells, path: \"meshes.block.box.cells[0]\", min: 1.2, max: 2.9}]\n",
     "d.yaml:3: parameters[0].max = 2.9: must be > min, with two whole numbers at least from one to the "
     "other",
     BRN_DESIGN_SWEEP},
    {HEAD "parameters: [{name: cells, path: \"meshes.block.box.cells[0]\", values: [1, 1.5]}]\n",
     "1.5 is not a whole number", BRN_DESIGN_SWEEP},
    {HEAD PARAMETER "figures: [blck.z]\n", "figures[0] = blck.z: position 1: unknown name 'blck.z'",
     BRN_DESIGN_SWEEP},
};

static void test_messages(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    test_write_file("bad-scene.yaml", scene_text);
    int wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        brn_design *design = NULL;
        brn_status status =
            brn_design_parse(ctx, cases[i].text, strlen(cases[i].text), "d.yaml", cases[i].kind, &design);
        status = status >= 0 ? brn_design_prepare(design) : status;
        bool told = false;
        for (int k = 0; k < brn_design_problem_count(design); ++k) {
            told = told || strstr(brn_design_problem(design, k), cases[i].message) != NULL;
        }
        if (status != BRN_ERR_SCENE || !told) {
            print_error("%s\n  wanted: %s\n  %s, %d told, the first: %s\n", cases[i].text, cases[i].message,
                        brn_status_name(status), brn_design_problem_count(design),
                        brn_design_problem(design, 0));
            ++wrong;
        }
        brn_design_destroy(design);
    }
    assert_int_equal(wrong, 0);
    brn_ctx_destroy(ctx);
}

/* A scene that is wrong tells so under its own name. */
static void test_bad_scene(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    test_write_file("worse-scene.yaml", "brunt: 1\ntime: {step: -1}\n");
    const char text[] = "brunt: 1\nscene: worse-scene.yaml\n" PARAMETER "objective: kinetic\n";
    brn_design *design = NULL;
    assert_done(ctx, brn_design_parse(ctx, text, strlen(text), "d.yaml", BRN_DESIGN_SEARCH, &design));
    assert_int_equal(brn_design_prepare(design), BRN_ERR_SCENE);
    assert_string_equal(brn_design_problem(design, 0), "./worse-scene.yaml:2: time.step = -1: must be > 0 s");
    brn_design_destroy(design);
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_messages), cmocka_unit_test(test_bad_scene)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
