/* The stages of a launch: what the scene says of them. */
#include "model/builder.h"

#include <math.h>

void brn_builder_begin_stages(brn_builder *b)
{
    brn_model *model = b->model;
    brn_model_stages *stages = &model->stages;
    const brn_stages_def *def = &b->def->stages;
    const brn_stage_def *each[BRN_STAGES] = {
        [BRN_STAGE_LOADING] = &def->loading,
        [BRN_STAGE_LAUNCH] = &def->launch,
        [BRN_STAGE_FLIGHT] = brn_block_given(&def->flight.block) ? &def->flight : &def->launch,
        [BRN_STAGE_LANDING] = &def->landing};
    stages->given = brn_block_given(&def->block);
    stages->loads = stages->given && brn_block_given(&def->loading.block);
    stages->until = stages->loads ? def->loading.until : 0.0;
    stages->slip = !stages->loads || def->loading.slip;
    stages->stop = stages->given && def->stop;
    for (int i = 0; i < BRN_STAGES; ++i) {
        const bool own = stages->given && brn_block_given(&each[i]->block);
        stages->integrator[i] = own && each[i]->integrator > 0 ? each[i]->integrator - 1 : model->integrator;
        stages->step[i] = own && !isnan(each[i]->step) ? each[i]->step : model->step;
        if (i != BRN_STAGE_LOADING && stages->given && stages->integrator[i] == BRN_STATIC) {
            brn_builder_problem(b, own ? &each[i]->block : &b->def->block, "integrator",
                                "nothing moves in equilibrium: only loading can be static");
        }
    }
    if (stages->loads && def->loading.until > model->end) {
        brn_builder_problem(b, &def->loading.block, "until",
                            "the run ends at %g s, before that: make time.end longer, or loading shorter",
                            model->end);
    }
}

void brn_builder_follow_body(brn_builder *b)
{
    brn_model *model = b->model;
    const brn_stages_def *def = &b->def->stages;
    if (!model->stages.given) {
        return;
    }
    if (def->body != NULL) {
        const brn_body_range range = brn_builder_find_bodies(b, &def->block, "body", def->body);
        if (range.count > 0 && model->body[range.first].type == BRN_BODY_STATIC) {
            brn_builder_problem(b, &def->block, "body", "'%s' is an obstacle: name one that can move",
                                def->body);
        }
        model->stages.body = range.first;
        return;
    }
    int first = 0;
    while (first < model->nbody && model->body[first].type == BRN_BODY_STATIC) {
        ++first;
    }
    if (first == model->nbody) {
        brn_builder_problem(b, &def->block, "body", "no body of the scene can move");
        first = 0;
    }
    model->stages.body = first;
}
