/* A program outside the tree: a context, a bad scene, and its problem. */
#include <brunt/brunt.h>
#include <brunt/study.h>
#include <stdio.h>

int main(void)
{
    brn_ctx *ctx = NULL;
    if (brn_ctx_create(NULL, &ctx) < 0) {
        return 1;
    }
    brn_scene *scene = NULL;
    brn_model *model = NULL;
    brn_status status = brn_scene_parse(ctx, "brunt: 99\n", 10, "text", &scene);
    if (status >= 0) {
        status = brn_model_compile(ctx, scene, &model);
    }
    printf("%s %s: %d problems\n", BRN_VERSION, brn_status_name(status), brn_scene_problem_count(scene));
    const int problems = brn_scene_problem_count(scene);
    brn_vibration_destroy(NULL);
    brn_model_destroy(model);
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
    return status == BRN_ERR_SCENE && problems > 0 ? 0 : 1;
}
