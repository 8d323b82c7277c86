/* The values that the method chose, told. */
#include "step/ipc/ipc.h"

#include "step/choices.h"

#include <math.h>

static bool values_of(const void *self, int body, brn_choice_range *out)
{
    const brn_ipc *ipc = self;
    const brn_ipc_body *b = &ipc->body[body];
    const double value[] = {b->size, b->dhat, b->speed, b->kappa_start, ipc->params->tolerance * b->size};
    for (int i = 0; i < BRN_COUNT(value); ++i) {
        out->lo[i] = out->hi[i] = value[i];
    }
    return !isinf(b->size); /* of an obstacle */
}

brn_status brn_ipc_tell_choices(const void *self, bool brief, brn_text *to)
{
    const brn_ipc *ipc = self;
    const brn_ipc_params *p = ipc->params;
    const brn_choice_name name[] = {{"size", "m", true},
                                    {"dhat", "m", isnan(p->dhat)},
                                    {"friction_speed", "m/s", isnan(p->friction_speed)},
                                    {"kappa", "Pa or more", isnan(p->kappa)},
                                    {"tolerance", "m/s", true}};
    const brn_choices choices = {ipc->ctx, ipc->model, name, BRN_COUNT(name), values_of, ipc};
    return brn_choices_tell(&choices, brief, to);
}
