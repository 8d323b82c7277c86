#include "run/scene_input.h"

#include "terminal/terminal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char *join(const char *left, const char *middle, const char *right)
{
    const size_t size = strlen(left) + strlen(middle) + strlen(right) + 1;
    char *text = malloc(size);
    if (text != NULL) {
        (void)snprintf(text, size, "%s%s%s", left, middle, right);
    }
    return text;
}

char *cli_scene_path(const char *operand)
{
    struct stat info;
    if (stat(operand, &info) != 0 || !S_ISDIR(info.st_mode)) {
        return join(operand, "", "");
    }
    const size_t length = strlen(operand);
    const bool slash = length > 0 && operand[length - 1] == '/';
    return join(operand, slash ? "" : "/", "scene.yaml");
}

char *cli_scene_default_out(const char *path)
{
    /* The full path, because "scene.yaml" alone does not name its folder. */
    char *full = realpath(path, NULL);
    char *text = full != NULL ? full : join(path, "", "");
    if (text == NULL) {
        return NULL;
    }
    char *base = strrchr(text, '/');
    if (base != NULL && strcmp(base, "/scene.yaml") == 0 && base != text) {
        *base = '\0';
        base = strrchr(text, '/');
    }
    char *name = base != NULL ? base + 1 : text;
    char *dot = strrchr(name, '.');
    const bool known =
        dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0 || strcmp(dot, ".json") == 0);
    if (known && dot != name) {
        *dot = '\0';
    }
    char *out = join("out", "/", name);
    free(text);
    return out;
}

void cli_scene_print_problems(brn_ctx *ctx, const brn_scene *scene, brn_status status)
{
    const int count = scene != NULL ? brn_scene_problem_count(scene) : 0;
    for (int i = 0; i < count; ++i) {
        (void)fprintf(stderr, "%s\n", brn_scene_problem(scene, i));
    }
    if (count == 0) {
        const char *message = brn_ctx_message(ctx);
        cli_error("%s", message[0] != '\0' ? message : brn_status_name(status));
    } else {
        cli_error("%d problem%s in the scene", count, count == 1 ? "" : "s");
    }
}

/* The method's type in a resolved scene: the word after the first `type:` below `method:`. */
static bool read_method(const char *text, char out[CLI_METHOD_SIZE])
{
    const char *block = strncmp(text, "method:", 7) == 0 ? text : strstr(text, "\nmethod:");
    const char *type = block != NULL ? strstr(block, "type:") : NULL;
    if (type == NULL) {
        return false;
    }
    type += strlen("type:");
    type += strspn(type, " \"'");
    const size_t length = strcspn(type, " \"',}\n");
    (void)snprintf(out, CLI_METHOD_SIZE, "%.*s", (int)length, type);
    return length > 0 && length < CLI_METHOD_SIZE;
}

brn_status cli_scene_method(brn_ctx *ctx, brn_scene *scene, char out[CLI_METHOD_SIZE])
{
    char *text = NULL;
    out[0] = '\0';
    const brn_status status = brn_scene_write(scene, &text);
    if (status >= 0) {
        (void)read_method(text, out);
    }
    brn_ctx_free(ctx, text);
    return status;
}

/* Parameters of another method mean nothing to the chosen one, so the whole block is replaced; if the scene already uses the
   method, its parameters stay. */
static brn_status set_method(brn_ctx *ctx, brn_scene *scene, const char *method)
{
    char own[CLI_METHOD_SIZE];
    if (cli_scene_method(ctx, scene, own) >= 0 && strcmp(own, method) == 0) {
        return BRN_OK;
    }
    char assignment[256];
    if (strlen(method) > 100) {
        method = "?";
    }
    (void)snprintf(assignment, sizeof assignment, "method={type: \"%s\"}", method);
    return brn_scene_set(scene, assignment);
}

int cli_scene_open(brn_ctx *ctx, const cli_scene_input *input, const char *path, brn_scene **out)
{
    *out = NULL;
    brn_scene *scene = NULL;
    brn_status status = brn_scene_load(ctx, path, &scene);
    if (status >= 0 && input->method != NULL) {
        status = set_method(ctx, scene, input->method);
    }
    for (int i = 0; status >= 0 && i < input->set.count; ++i) {
        status = brn_scene_set(scene, input->set.items[i]);
    }
    if (status < 0) {
        cli_scene_print_problems(ctx, scene, status);
        brn_scene_destroy(scene);
        return status == BRN_ERR_MEMORY ? CLI_FAILED : CLI_USAGE;
    }
    *out = scene;
    return CLI_DONE;
}
