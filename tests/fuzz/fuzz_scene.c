/* Any bytes as a scene: parse, resolve, print; what printed must read back and print the same. The last line of the
   input, if it starts with '=', is an override. */
#include "scene_schema.h"

#include "base/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool truth)
{
    if (!truth) {
        __builtin_trap();
    }
}

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
    must(brn_scene_print(scene, &test_schema, &first) == BRN_OK);
    must(brn_scene_parse(ctx, first, strlen(first), "again", &again) == BRN_OK);
    must(brn_scene_resolve(again, &test_schema) == BRN_OK);
    must(brn_scene_print(again, &test_schema, &second) == BRN_OK);
    must(strcmp(first, second) == 0);
    brn_scene_destroy(again);
    brn_ctx_free(ctx, first);
    brn_ctx_free(ctx, second);
}

static void resolve(brn_ctx *ctx, brn_scene *scene)
{
    const brn_status status = brn_scene_resolve(scene, &test_schema);
    must((status == BRN_OK) == (brn_scene_problem_count(scene) == 0));
    read_problems(scene);
    if (status == BRN_OK) {
        check_round_trip(ctx, scene);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = 1;
    brn_ctx *ctx = NULL;
    must(brn_ctx_create(&options, &ctx) == BRN_OK);
    /* The override: from the last "\n=" to the end. */
    size_t cut = size;
    for (size_t i = size; i > 1 && cut == size; --i) {
        cut = data[i - 1] == '=' && data[i - 2] == '\n' ? i - 1 : cut;
    }
    brn_scene *scene = NULL;
    const brn_status status = brn_scene_parse(ctx, (const char *)data, cut, "fuzz.yaml", &scene);
    must(scene != NULL && (status == BRN_OK || status == BRN_ERR_SCENE));
    read_problems(scene);
    resolve(ctx, scene);
    if (cut < size) {
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
    return 0;
}
