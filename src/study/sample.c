#include "study/sample.h"

void brn_sample_destroy(brn_sample *s)
{
    if (s == NULL) {
        return;
    }
    brn_vibration_destroy(s->vibration);
    brn_model_destroy(s->model);
    brn_free(s->ctx, s);
}

static brn_status fill(brn_sample *s, brn_scene *scene, const char *body, int modes, bool held)
{
    BRN_TRY(brn_model_compile(s->ctx, scene, &s->model));
    s->body = brn_model_find_body(s->model, body);
    if (s->body < 0) {
        return brn_fail(s->ctx, BRN_ERR_SCENE, "there is no body '%s' any more", body);
    }
    const brn_vibration_options options = {.modes = modes, .body = body, .free = !held};
    BRN_TRY(brn_vibration_find(s->ctx, s->model, &options, &s->vibration));
    for (int i = 0; i < brn_vibration_count(s->vibration); ++i) {
        brn_vibration_mode mode;
        BRN_TRY(brn_vibration_get(s->vibration, i, &mode));
        s->rigid += mode.rigid;
        s->elastic += !mode.rigid;
    }
    return BRN_OK;
}

brn_status brn_sample_make(brn_ctx *ctx, brn_scene *scene, const char *body, int modes, bool held,
                           brn_sample **out)
{
    *out = NULL;
    brn_sample *s = NULL;
    BRN_ALLOC(ctx, s, 1);
    s->ctx = ctx;
    const brn_status status = fill(s, scene, body, modes, held);
    if (status < 0) {
        brn_sample_destroy(s);
        return status;
    }
    *out = s;
    return BRN_OK;
}

brn_vibration_mode brn_sample_mode(const brn_sample *s, int index)
{
    brn_vibration_mode mode = {0};
    (void)brn_vibration_get(s->vibration, s->rigid + index, &mode); /* the caller knows how many there are */
    return mode;
}
