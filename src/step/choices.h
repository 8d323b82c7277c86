/* What a method chose where the scene leaves it open, told: a line for every body of the scene or, in brief, for every group of bodies
   that are alike. */
#ifndef BRN_STEP_CHOICES_H
#define BRN_STEP_CHOICES_H

#include "base/text.h"
#include "model/model.h"

/* Values of a body. */
enum { BRN_CHOICE_VALUES = 6 };

typedef struct brn_choice_range {
    double lo[BRN_CHOICE_VALUES], hi[BRN_CHOICE_VALUES];
} brn_choice_range;

typedef struct brn_choice_name {
    const char *word, *unit;
    bool told; /* the scene leaves it open */
} brn_choice_name;

typedef struct brn_choices {
    brn_ctx *ctx;
    const brn_model *model;
    const brn_choice_name *name; /* [count] */
    int count;                   /* at most BRN_CHOICE_VALUES */
    /* The values of a body of the model; false: it has none. */
    bool (*get)(const void *self, int body, brn_choice_range *out);
    const void *self;
} brn_choices;

brn_status brn_choices_tell(const brn_choices *choices, bool brief, brn_text *to);

#endif
