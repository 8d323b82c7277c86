/* What a method takes, by its masks: a scene that asks for more is refused with the line, what it takes, who takes this. */
#include "flow.h"

#include "api/check_method.h"
#include "step/ipc/ipc.h"

static const char two[] = "brunt: 1\nmethod: ipc\n"
                          "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
                          "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1], element: hex8}}}\n"
                          "bodies:\n"
                          "  - {name: a, type: deformable, mesh: m, material: a}\n"
                          "  - {name: b, type: rigid, mesh: m, position: [0, 0, -1]}\n"
                          "contact:\n"
                          "  friction: 0.5\n"
                          "  pairs:\n"
                          "    - {between: [a, b], friction: 0.25}\n";

static void assert_problem(const brn_scene *scene, const char *want)
{
    for (int i = 0; i < brn_scene_problem_count(scene); ++i) {
        if (strstr(brn_scene_problem(scene, i), want) != NULL) {
            return;
        }
        print_message("%s\n", brn_scene_problem(scene, i));
    }
    fail_msg("no problem says '%s'", want);
}

static void refuse(const char *sets, int problems, const char *want)
{
    flow f;
    assert_int_equal(flow_try(1, two, sets, &f), BRN_ERR_SCENE);
    assert_problem(f.scene, want);
    assert_int_equal(brn_scene_problem_count(f.scene), problems);
    flow_close(&f);
}

static void test_contact_keys_are_refused_with_a_reason(void **state)
{
    (void)state;
    refuse("contact.restitution=0.5", 1,
           "contact.restitution = 0.5: method 'ipc' does not use it: how bodies bounce follows");
    refuse("contact.stiffness=1e8", 1,
           "contact.stiffness = 1e8: method 'ipc' does not use it: its barrier has method.kappa");
    refuse("contact.relaxation=0.01;method=none", 1, "method 'none' does not use it: bodies do not touch");
    refuse("contact.pairs[0].restitution=0", 1, "contact.pairs[0].restitution = 0: method 'ipc'");
    refuse("contact.restitution=1;contact.pairs[0].stiffness=1e9", 2, "contact.pairs[0].stiffness = 1e9:");
    /* Values are checked whatever the method. */
    refuse("contact.restitution=1.5", 1, "contact.restitution = 1.5: must be in [0, 1]");
    refuse("contact.pairs=[{between: [a, b]}]", 1, "says nothing about the pair");
}

/* A method that uses the keys is not told off, and is named to those that do not. */
static void test_masks(void **state)
{
    (void)state;
    brn_method method = brn_ipc_method;
    flow f = flow_open(1, two, NULL);
    brn_check_method(f.scene, &method);
    assert_int_equal(brn_scene_problem_count(f.scene), 0);

    /* A type that is not taken: the line of the body, what is taken instead, who takes it. */
    method.bodies = 1u << BRN_BODY_DEFORMABLE | 1u << BRN_BODY_STATIC;
    brn_check_method(f.scene, &method);
    assert_int_equal(brn_scene_problem_count(f.scene), 1);
    assert_problem(f.scene, "flow.yaml:7: bodies[1].type = rigid: method 'ipc' supports deformable, static "
                            "bodies; this type is supported by none, ipc");
    flow_close(&f);

    assert_int_equal(flow_try(1, two, "contact.restitution=0.5;contact.pairs[0].stiffness=1e8", &f),
                     BRN_ERR_SCENE);
    const int before = brn_scene_problem_count(f.scene);
    method = brn_ipc_method;
    method.contact_keys = 1u << BRN_CONTACT_RESTITUTION | 1u << BRN_CONTACT_STIFFNESS;
    brn_check_method(f.scene, &method);
    assert_int_equal(brn_scene_problem_count(f.scene), before);
    flow_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contact_keys_are_refused_with_a_reason),
        cmocka_unit_test(test_masks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
