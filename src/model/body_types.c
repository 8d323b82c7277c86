#include "model/body_types.h"

static const char *const mass_words[] = {"consistent", "lumped", "uniform", NULL};

static const brn_param deformable_params[] = {
    BRN_BODY_COMMON_PARAMS(brn_deformable_def),
    {.name = "material",
     .kind = BRN_TEXT,
     .offset = offsetof(brn_deformable_def, material),
     .required = true,
     .help = "name of a material"},
    BRN_P_VECTOR(brn_deformable_def, velocity, "m/s", "at the start"),
    {.name = "angular_velocity",
     .kind = BRN_REALS,
     .offset = offsetof(brn_deformable_def, angular_velocity),
     .unit = "rad/s",
     .help = "at the start, about the centre of mass: 3 numbers, in 2D 1"},
    BRN_P_CHOICE(
        brn_deformable_def, mass, BRN_MASS_CONSISTENT, mass_words,
        "consistent: of the shape functions; lumped: diagonal (HRZ); uniform: the same at every node"),
};

const brn_table brn_deformable_table = {
    .name = "deformable",
    .help = "an elastic solid",
    .size = sizeof(brn_deformable_def),
    .params = deformable_params,
    .nparams = BRN_COUNT(deformable_params),
};

static const brn_param static_params[] = {
    BRN_BODY_COMMON_PARAMS(brn_static_def),
    {.name = "shape",
     .kind = BRN_KEYED,
     .offset = offsetof(brn_static_def, shape),
     .set = BRN_SET_SHAPE,
     .help = "instead of a mesh"},
    BRN_P_REAL(brn_static_def, thickness, "m", 0.0, 0.0, INFINITY, BRN_OPEN_HIGH,
               "of a mesh of surface cells in 3D: half of it on either side touches"),
    BRN_P_BLOCK(brn_static_def, motion, &brn_motion_table, "how it moves; absent: not at all"),
};

const brn_table brn_static_table = {
    .name = "static",
    .help = "an obstacle that no force moves: it stands still or follows its motion",
    .size = sizeof(brn_static_def),
    .params = static_params,
    .nparams = BRN_COUNT(static_params),
};
