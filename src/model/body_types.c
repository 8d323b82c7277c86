#include "model/body_types.h"

static const double axis_x[3] = {1.0, 0.0, 0.0};
static const char *const mass_words[] = {"consistent", "lumped", "uniform", NULL};
static const char *const dilatation_words[] = {"point", "mean", NULL};

#define SPIN(type)                                                                           \
 {                                                                                           \
  .name = "angular_velocity", .kind = BRN_REALS, .offset = offsetof(type, angular_velocity), \
  .unit = "rad/s", .help = "at the start, about the centre of mass: 3 numbers, in 2D 1"      \
 }
#define SHAPE(type)                                                                          \
 {                                                                                           \
  .name = "shape", .kind = BRN_KEYED, .offset = offsetof(type, shape), .set = BRN_SET_SHAPE, \
  .help = "instead of a mesh"                                                                \
 }

#define MATERIAL                                                                                            \
 {                                                                                                          \
  .name = "material", .kind = BRN_TEXT, .offset = offsetof(brn_deformable_def, material), .required = true, \
  .help = "name of a material"                                                                              \
 }
#define MASS                                                             \
 BRN_P_CHOICE(brn_deformable_def, mass, BRN_MASS_CONSISTENT, mass_words, \
              "consistent: of the shape functions; lumped: diagonal (HRZ); uniform: the same at every node")

static const brn_param deformable_params[] = {
    BRN_BODY_COMMON_PARAMS(brn_deformable_def),
    MATERIAL,
    {.name = "materials",
     .kind = BRN_BLOCKS,
     .offset = offsetof(brn_deformable_def, materials),
     .table = &brn_part_table,
     .help = "elements of other materials; the last entry that selects an element counts"},
    BRN_P_VECTOR(brn_deformable_def, velocity, "m/s", "at the start"),
    SPIN(brn_deformable_def),
    MASS,
    BRN_P_CHOICE(
        brn_deformable_def, dilatation, BRN_DILATATION_POINT, dilatation_words,
        "mean: volume ratios are averaged over elements, or pairs of tri3 and rings of tet4, so that "
        "nearly incompressible material does not lock; point: not"),
};

const brn_table brn_deformable_table = {
    .name = "deformable",
    .help = "an elastic solid",
    .size = sizeof(brn_deformable_def),
    .params = deformable_params,
    .nparams = BRN_COUNT(deformable_params),
};

#define MODULUS(field, help_)                                                               \
 {                                                                                          \
  .name = #field, .kind = BRN_REAL, .offset = offsetof(brn_weave_def, field), .unit = "Pa", \
  .required = true, .hi = INFINITY, .bounds = BRN_OPEN, .help = (help_)                     \
 }
static const brn_param weave_params[] = {
    MODULUS(warp, "Young's modulus along the warp"),
    MODULUS(weft, "Young's modulus across it"),
    MODULUS(shear, "shear modulus between the two"),
    BRN_P_REAL(brn_weave_def, poisson, "1", 0.0, 0.0, 1.0, BRN_OPEN_HIGH,
               "how much the weft shortens when the warp is stretched; below sqrt(warp / weft)"),
    {.name = "direction",
     .kind = BRN_VECTOR,
     .offset = offsetof(brn_weave_def, direction),
     .vector = axis_x,
     .help = "of the warp, in the coordinates of the mesh; projected onto each triangle"},
};

static const brn_table weave_table = {
    .name = "weave",
    .help = "threads along two directions of different stiffness",
    .size = sizeof(brn_weave_def),
    .params = weave_params,
    .nparams = BRN_COUNT(weave_params),
};

static const char *const rest_words[] = {"shaped", "flat", NULL};
static const char *const plate_words[] = {"smooth", "hinge", NULL};

static const brn_param shell_params[] = {
    BRN_BODY_COMMON_PARAMS(brn_deformable_def),
    MATERIAL,
    BRN_P_LENGTH(brn_shell_def, thickness,
                 "half of it on either side of the triangles: for stiffness, mass and contact"),
    BRN_P_REAL(brn_shell_def, bending, "1", 1.0, 0.0, INFINITY, BRN_OPEN_HIGH,
               "factor on the bending stiffness from thickness and material; 0: a membrane"),
    BRN_P_REAL(brn_shell_def, flexural_rigidity, "N m", NAN, 0.0, INFINITY, BRN_OPEN,
               "bending stiffness D, instead of the one from thickness and material"),
    BRN_P_CHOICE(brn_shell_def, rest, BRN_REST_SHAPED, rest_words,
                 "shaped: the mesh is at rest as it is; flat: the sheet is at rest when flat"),
    BRN_P_CHOICE(brn_shell_def, plate, BRN_PLATE_SMOOTH, plate_words,
                 "smooth: bends like a plate on any mesh; hinge: cheaper, right on regular meshes only"),
    BRN_P_REAL(brn_shell_def, stretch_limit, "1", NAN, 1.0, INFINITY, BRN_OPEN,
               "a barrier keeps principal stretches below this, 1.1 for 10 %; not given: no limit"),
    BRN_P_BLOCK(brn_shell_def, weave, &weave_table, "orthotropic membrane in place of the material's"),
    BRN_P_VECTOR(brn_deformable_def, velocity, "m/s", "at the start"),
    SPIN(brn_deformable_def),
    MASS,
};

const brn_table brn_shell_table = {
    .name = "shell",
    .help = "an elastic sheet of triangles with a thickness: cloth, paper, sheet metal; 3D only",
    .size = sizeof(brn_shell_def),
    .params = shell_params,
    .nparams = BRN_COUNT(shell_params),
};

static const brn_param static_params[] = {
    BRN_BODY_COMMON_PARAMS(brn_static_def),
    SHAPE(brn_static_def),
    BRN_P_REAL(brn_static_def, thickness, "m", 0.0, 0.0, INFINITY, BRN_OPEN_HIGH,
               "of a sheet (surface cells in 3D) or a wire (lines): contact is half of it away"),
    BRN_P_BLOCK(brn_static_def, motion, &brn_motion_table, "how it moves; absent: not at all"),
};

const brn_table brn_static_table = {
    .name = "static",
    .help = "an obstacle that no force moves: it stands still or follows its motion",
    .size = sizeof(brn_static_def),
    .params = static_params,
    .nparams = BRN_COUNT(static_params),
};

static const brn_param rigid_params[] = {
    BRN_BODY_COMMON_PARAMS(brn_rigid_def),
    SHAPE(brn_rigid_def),
    BRN_P_REAL(brn_rigid_def, density, "kg/m^3", NAN, 0.0, INFINITY, BRN_OPEN,
               "mass density; 1000 if no mass is given"),
    BRN_P_REAL(brn_rigid_def, mass, "kg", NAN, 0.0, INFINITY, BRN_OPEN, "instead of a density; in 2D kg/m"),
    BRN_P_VECTOR(brn_rigid_def, velocity, "m/s", "at the start"),
    SPIN(brn_rigid_def),
    BRN_P_REAL(brn_rigid_def, stiffness, "Pa", 1e8, 0.0, INFINITY, BRN_OPEN,
               "kappa: the energy V kappa |F'F - 1|^2 keeps the body's affine map F near a rotation; `bbi` "
               "takes more "
               "where its step asks for it"),
};

const brn_table brn_rigid_table = {
    .name = "rigid",
    .help = "a stiff body that moves by an affine map, rigid to the eye: a mesh of cells, a closed surface "
            "or a shape",
    .size = sizeof(brn_rigid_def),
    .params = rigid_params,
    .nparams = BRN_COUNT(rigid_params),
};

static const char *const drive_words[] = {"file", "none", "position", "velocity", "torque", NULL};
static const char *const base_words[] = {"file", "free", NULL};

static const brn_param robot_joint_params[] = {
    BRN_P_REAL(brn_robot_joint_def, position, "rad or m", NAN, 0.0, 0.0, BRN_CLOSED,
               "at the start; 0 if not given, or the limit next to it"),
    BRN_P_REAL(brn_robot_joint_def, velocity, "rad/s or m/s", NAN, 0.0, 0.0, BRN_CLOSED,
               "at the start; 0 if not given"),
    BRN_P_CHOICE(brn_robot_joint_def, drive, BRN_ROBOT_DRIVE_FILE, drive_words,
                 "file: what the file says, or position where gains or a target are given; position: kp "
                 "(target - position) - kd velocity; velocity: kd (target - velocity); torque: target; none"),
    BRN_P_REAL(brn_robot_joint_def, kp, "N m/rad or N/m", NAN, 0.0, INFINITY, BRN_OPEN_HIGH,
               "gain of a position drive; not given: follows its target within 0.1 s"),
    BRN_P_REAL(brn_robot_joint_def, kd, "N m s or N s/m", NAN, 0.0, INFINITY, BRN_OPEN_HIGH,
               "gain of the velocity; not given: critical damping"),
    BRN_P_REAL(brn_robot_joint_def, effort, "N m or N", NAN, 0.0, INFINITY, BRN_OPEN_HIGH,
               "largest that the drive gives; not given: the file's"),
    BRN_P_REAL(
        brn_robot_joint_def, target, "rad or m", NAN, 0.0, 0.0, BRN_CLOSED,
        "of the drive: position, velocity or torque; a position drive stays at its start if not given"),
    {.name = "table",
     .kind = BRN_ROWS,
     .offset = offsetof(brn_robot_joint_def, table),
     .count = 2,
     .help = "[t, target]: the target over time, linear between rows, held outside"},
};

static const brn_table robot_joint_table = {
    .name = "joint",
    .help = "start and drive of a joint",
    .size = sizeof(brn_robot_joint_def),
    .params = robot_joint_params,
    .nparams = BRN_COUNT(robot_joint_params),
};

static const brn_param robot_params[] = {
    BRN_BODY_COMMON_PARAMS(brn_robot_def),
    {.name = "file",
     .kind = BRN_TEXT,
     .offset = offsetof(brn_robot_def, file),
     .required = true,
     .help = "URDF or MJCF file, beside the scene"},
    BRN_P_CHOICE(brn_robot_def, base, BRN_ROBOT_BASE_FILE, base_words,
                 "file: as the file says, a URDF robot stands fixed in the world; free: it moves freely"),
    BRN_P_VECTOR(brn_robot_def, velocity, "m/s", "of a free base at the start"),
    {.name = "angular_velocity",
     .kind = BRN_REALS,
     .offset = offsetof(brn_robot_def, angular_velocity),
     .count = 3,
     .unit = "rad/s",
     .help = "of a free base at the start"},
    BRN_P_BOOL(brn_robot_def, self, true,
               "links touch each other, neighbours and pairs that the file excludes left out"),
    {.name = "joints",
     .kind = BRN_NAMED,
     .offset = offsetof(brn_robot_def, joints),
     .table = &robot_joint_table,
     .help = "start and drive of joints by their names; `all`: of all others that have one axis"},
};

const brn_table brn_robot_table = {
    .name = "robot",
    .help = "links that hang on each other by joints, from a URDF or MJCF file; method sap, 3D only",
    .size = sizeof(brn_robot_def),
    .params = robot_params,
    .nparams = BRN_COUNT(robot_params),
};

const brn_table *const brn_body_tables[BRN_BODY_TYPE_COUNT] = {
    [BRN_BODY_DEFORMABLE] = &brn_deformable_table, [BRN_BODY_STATIC] = &brn_static_table,
    [BRN_BODY_RIGID] = &brn_rigid_table,           [BRN_BODY_SHELL] = &brn_shell_table,
    [BRN_BODY_ROBOT] = &brn_robot_table,
};

int brn_body_type_of_table(const brn_table *table)
{
    for (int i = 0; i < BRN_BODY_TYPE_COUNT; ++i) {
        if (brn_body_tables[i] == table) {
            return i;
        }
    }
    return -1;
}
