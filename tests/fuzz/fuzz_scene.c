/* Any bytes as a scene: parse, resolve, print; what printed must read back and print the same. The last line of the
   input, if it starts with '=', is an override. Aliases that expand to more than the target's memory are refused, as all else is then: they
   would take seconds each. */
#include "scene_schema.h"
#include "step_fuzz.h"

#include "base/text.h"

static void read_problems(const brn_scene *scene)
{
    for (int i = 0; i < brn_scene_problem_count(scene); ++i) {
        must(strlen(brn_scene_problem(scene, i)) > 0);
    }
}

/* Printed text must be a scene without problems that prints the same. */
static void check_round_trip(brn_ctx *ctx, const brn_scene *scene)
{
    char *first = NULL;
    char *second = NULL;
    brn_scene *again = NULL;
    brn_status status = brn_scene_print(scene, &test_schema, &first);
    status = status == BRN_OK ? brn_scene_parse(ctx, first, strlen(first), "again", &again) : status;
    status = status == BRN_OK ? brn_scene_resolve(again, &test_schema) : status;
    status = status == BRN_OK ? brn_scene_print(again, &test_schema, &second) : status;
    must(status == BRN_OK || status == BRN_ERR_MEMORY);
    must(status == BRN_ERR_MEMORY || strcmp(first, second) == 0);
    brn_scene_destroy(again);
    brn_ctx_free(ctx, first);
    brn_ctx_free(ctx, second);
}

static void resolve(brn_ctx *ctx, brn_scene *scene)
{
    const brn_status status = brn_scene_resolve(scene, &test_schema);
    must((status == BRN_OK) == (brn_scene_problem_count(scene) == 0) || status == BRN_ERR_MEMORY);
    read_problems(scene);
    if (status == BRN_OK) {
        check_round_trip(ctx, scene);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    brn_ctx_options options = brn_ctx_options_default();
    size_t bytes = 0;
    options.threads = 1;
    options.realloc = bounded_realloc;
    options.realloc_user = &bytes;
    brn_ctx *ctx = NULL;
    must(brn_ctx_create(&options, &ctx) == BRN_OK);
    /* The override: from the last "\n=" to the end. */
    size_t cut = size;
    for (size_t i = size; i > 1 && cut == size; --i) {
        cut = data[i - 1] == '=' && data[i - 2] == '\n' ? i - 1 : cut;
    }
    brn_scene *scene = NULL;
    const brn_status status = brn_scene_parse(ctx, (const char *)data, cut, "fuzz.yaml", &scene);
    must(status == BRN_ERR_MEMORY || (scene != NULL && (status == BRN_OK || status == BRN_ERR_SCENE)));
    if (scene != NULL) {
        read_problems(scene);
        resolve(ctx, scene);
    }
    if (scene != NULL && cut < size) {
        char *assignment = malloc(size - cut);
        must(assignment != NULL);
        memcpy(assignment, data + cut + 1, size - cut - 1);
        assignment[size - cut - 1] = '\0';
        brn_scene_add_problem(scene, assignment, "a problem at any path");
        if (brn_scene_set(scene, assignment) == BRN_OK) {
            resolve(ctx, scene);
        }
        free(assignment);
    }
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
    must(bytes == 0);
    return 0;
}
