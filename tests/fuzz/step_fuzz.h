/* What the end-to-end fuzz targets share: the text of a scene, all the way to the end of its first step. */
#ifndef BRN_TESTS_FUZZ_STEP_FUZZ_H
#define BRN_TESTS_FUZZ_STEP_FUZZ_H

#include "brunt/brunt.h"

#include <malloc.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What an input may ask for. More memory is refused, as on a small machine; a larger model is compiled but makes no step. */
enum { FUZZ_BYTES = 32 << 20, FUZZ_NODES = 60 };

static inline void must(bool truth)
{
    if (!truth) {
        __builtin_trap();
    }
}

/* Where a word starts in the input; size: it does not. */
static inline size_t find_word(const uint8_t *data, size_t size, const char *word)
{
    const size_t n = strlen(word);
    for (size_t i = 0; i + n <= size; ++i) {
        if (memcmp(data + i, word, n) == 0) {
            return i;
        }
    }
    return size;
}

static inline void *bounded_realloc(void *user, void *block, size_t size)
{
    size_t *bytes = user;
    const size_t old = block != NULL ? malloc_usable_size(block) : 0;
    if (size == 0) {
        *bytes -= old;
        free(block);
        return NULL;
    }
    if (size > FUZZ_BYTES || *bytes - old + size > FUZZ_BYTES) {
        return NULL;
    }
    void *out = realloc(block, size);
    *bytes += out != NULL ? malloc_usable_size(out) - old : 0;
    return out;
}

/* A failure has a reason: a message, or the problems of the scene. */
static inline void check_status(const brn_ctx *ctx, const brn_scene *scene, brn_status status)
{
    must(status >= 0 || brn_ctx_message(ctx)[0] != '\0' || brn_scene_problem_count(scene) > 0);
}

static inline void step_model(brn_ctx *ctx, const brn_scene *scene, const brn_model *model)
{
    brn_model_info info;
    brn_model_get_info(model, &info);
    brn_sim *sim = NULL;
    brn_report report;
    brn_status status = info.nodes <= FUZZ_NODES ? brn_sim_create(ctx, model, &sim) : BRN_OK;
    check_status(ctx, scene, status);
    if (sim == NULL) {
        return;
    }
    const uint64_t before = brn_sim_hash(sim);
    status = brn_sim_step(sim, &report);
    check_status(ctx, scene, status);
    must(status >= 0 || brn_sim_hash(sim) == before); /* nothing done, nothing changed */
    for (int i = 0; i < 3 * info.nodes; ++i) {
        must(isfinite(brn_sim_positions(sim)[i]) && isfinite(brn_sim_velocities(sim)[i]));
    }
    brn_sim_destroy(sim);
}

/* name: of the scene's file; meshes are looked for beside it. */
static inline void step_fuzz(const char *text, size_t length, const char *name)
{
    size_t bytes = 0;
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = 1;
    options.realloc = bounded_realloc;
    options.realloc_user = &bytes;
    brn_ctx *ctx = NULL;
    must(brn_ctx_create(&options, &ctx) == BRN_OK);
    brn_scene *scene = NULL;
    brn_model *model = NULL;
    brn_status status = brn_scene_parse(ctx, text, length, name, &scene);
    status = status >= 0 ? brn_model_compile(ctx, scene, &model) : status;
    check_status(ctx, scene, status);
    must((status >= 0) == (model != NULL));
    if (model != NULL) {
        step_model(ctx, scene, model);
    }
    brn_model_destroy(model);
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
    must(bytes == 0);
}

#endif
