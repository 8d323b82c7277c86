/* The tables of the skeleton of the scene format: keys, units, defaults, ranges, help. */
#include "scene/scene_def.h"

#include "scene/scene_inner.h"

#include <stddef.h>

const char *const brn_face_words[] = {"none", "+x", "-x", "+y", "-y", "+z", "-z", NULL};
const char *const brn_surface_elements[] = {"tet4", "tet10", NULL};
const char *const brn_field_words[] = {"stress", "velocity", "force", "contact", NULL};
const char *const brn_integrator_words[] = {"turning_euler", "implicit_euler", "bdf2",
                                            "newmark",       "midpoint",       "symplectic_euler",
                                            "static",        "variational",    NULL};

const char *const brn_stage_integrator_words[] = {
    "scene",    "turning_euler",    "implicit_euler", "bdf2",        "newmark",
    "midpoint", "symplectic_euler", "static",         "variational", NULL};

static const double axis_z[3] = {0.0, 0.0, 1.0};
static const double not_given[3] = {NAN, NAN, NAN};
static const double one[1] = {1.0};

#define TABLE(name_, help_, type_, params_) \
 .name = (name_), .help = (help_), .size = sizeof(type_), .params = (params_), .nparams = BRN_COUNT(params_)

/* ---- placing and moving --------------------------------------------------------------------------------------------- */

static const brn_param time_params[] = {
    BRN_P_REAL(brn_time_def, step, "s", 0.01, 0.0, INFINITY, BRN_OPEN_LOW, "length of a time step"),
    BRN_P_REAL(brn_time_def, end, "s", 1.0, 0.0, INFINITY, BRN_CLOSED, "simulated time of the run"),
};
static const brn_table time_table = {TABLE("time", "step and duration", brn_time_def, time_params)};

static const brn_param rotation_params[] = {
    {.name = "axis",
     .kind = BRN_VECTOR,
     .offset = offsetof(brn_rotation_def, axis),
     .vector = axis_z,
     .unit = "1",
     .help = "axis through the origin, of any length"},
    BRN_P_REAL(brn_rotation_def, degrees, "degrees", 0.0, 0.0, 0.0, BRN_CLOSED, "angle, right-handed"),
};
const brn_table brn_rotation_table = {
    TABLE("rotation", "a turn about an axis; a bare number turns about z", brn_rotation_def, rotation_params),
    .shorthand = "degrees", .check = brn_check_rotation};

static const brn_param about_params[] = {
    BRN_P_VECTOR(brn_about_def, point, "m", "a point of the axis"),
    {.name = "axis",
     .kind = BRN_VECTOR,
     .offset = offsetof(brn_about_def, axis),
     .vector = axis_z,
     .unit = "1",
     .help = "its direction, of any length"},
};
static const brn_table about_table = {TABLE("about", "an axis in space", brn_about_def, about_params),
                                      .check = brn_check_about};

static const brn_param motion_params[] = {
    BRN_P_VECTOR(brn_motion_def, velocity, "m/s", "constant velocity"),
    BRN_P_REAL(brn_motion_def, angular_velocity, "rad/s", 0.0, 0.0, 0.0, BRN_CLOSED,
               "constant turning about `about`"),
    BRN_P_BLOCK(brn_motion_def, about, &about_table,
                "axis of angular_velocity; z through the origin by default"),
    {.name = "table",
     .kind = BRN_ROWS,
     .offset = offsetof(brn_motion_def, table),
     .help = "rows [t, x, y, z] (2D: [t, x, y]): displacement [m] over time [s], linear between rows"},
    BRN_P_REAL(brn_motion_def, until, "s", NAN, 0.0, INFINITY, BRN_CLOSED,
               "the motion stops here; not given: never"),
};
const brn_table brn_motion_table = {TABLE("motion", "a prescribed motion", brn_motion_def, motion_params),
                                    .check = brn_check_motion};

/* ---- copies --------------------------------------------------------------------------------------------------------- */

static const brn_param jitter_params[] = {
    {.name = "position",
     .kind = BRN_REALS,
     .offset = offsetof(brn_jitter_def, position),
     .unit = "m",
     .hi = INFINITY,
     .bounds = BRN_OPEN_HIGH,
     .help = "largest shift to either side: one number, or one for each axis"},
    BRN_P_REAL(brn_jitter_def, rotation, "degrees", 0.0, 0.0, 180.0, BRN_CLOSED,
               "largest turn about any axis, in 2D about z"),
};
static const brn_table jitter_table = {
    TABLE("jitter", "random disorder of the copies, from the scene's seed", brn_jitter_def, jitter_params),
    .check = brn_check_jitter};

static const brn_param repeat_params[] = {
    {.name = "count",
     .kind = BRN_INTS,
     .offset = offsetof(brn_repeat_def, count),
     .required = true,
     .lo = 1,
     .hi = INFINITY,
     .help = "how many: one number along a line, or one for each axis of a grid"},
    {.name = "spacing",
     .kind = BRN_VECTOR,
     .offset = offsetof(brn_repeat_def, spacing),
     .unit = "m",
     .required = true,
     .help = "from one to the next: the step along the line, or the steps along the axes"},
    BRN_P_VECTOR(brn_repeat_def, stagger, "m",
                 "shift of every second one along the last axis: a wall's running bond"),
    BRN_P_BLOCK(brn_repeat_def, jitter, &jitter_table, "disorder; not given: none"),
};
const brn_table brn_repeat_table = {
    TABLE("repeat", "copies of a body, the first at its position", brn_repeat_def, repeat_params),
    .check = brn_check_repeat};

/* ---- regions -------------------------------------------------------------------------------------------------------- */

static const brn_param box_params[] = {
    {.name = "min",
     .kind = BRN_VECTOR,
     .offset = offsetof(brn_box_def, min),
     .unit = "m",
     .required = true,
     .help = "lower corner"},
    {.name = "max",
     .kind = BRN_VECTOR,
     .offset = offsetof(brn_box_def, max),
     .unit = "m",
     .required = true,
     .help = "upper corner"},
};
static const brn_table box_table = {TABLE("box", "nodes inside a box", brn_box_def, box_params),
                                    .check = brn_check_box};

static const brn_param ball_params[] = {
    BRN_P_VECTOR(brn_ball_def, centre, "m", "centre"),
    {.name = "radius",
     .kind = BRN_REAL,
     .offset = offsetof(brn_ball_def, radius),
     .unit = "m",
     .required = true,
     .standard = NAN,
     .hi = INFINITY,
     .bounds = BRN_OPEN_LOW,
     .help = "radius"},
};
static const brn_table ball_table = {TABLE("sphere", "nodes inside a sphere", brn_ball_def, ball_params)};

static const brn_param where_params[] = {
    BRN_P_BLOCK(brn_where_def, box, &box_table, "nodes inside a box"),
    BRN_P_BLOCK(brn_where_def, sphere, &ball_table, "nodes inside a sphere"),
    BRN_P_CHOICE(brn_where_def, face, 0, brn_face_words,
                 "nodes on the outermost face of the body in this direction"),
    {.name = "nodes",
     .kind = BRN_INTS,
     .offset = offsetof(brn_where_def, nodes),
     .hi = INFINITY,
     .help = "node numbers inside the body, from 0"},
    {.name = "nearest",
     .kind = BRN_REALS,
     .offset = offsetof(brn_where_def, nearest),
     .unit = "m",
     .help = "the node nearest to a point"},
    BRN_P_TEXT(brn_where_def, group, "a named group of the mesh file"),
    BRN_P_BOOL(brn_where_def, all, 0, "the whole body"),
};
const brn_table brn_where_table = {TABLE("where",
                                         "a region of a body in its initial position; exactly one key",
                                         brn_where_def, where_params),
                                   .check = brn_check_where};

static const brn_param zone_params[] = {
    BRN_P_BLOCK(brn_zone_def, box, &box_table, "elements with their centre in a box"),
    BRN_P_BLOCK(brn_zone_def, sphere, &ball_table, "elements with their centre in a sphere"),
    BRN_P_TEXT(brn_zone_def, group, "elements with all their nodes in a named group of the mesh"),
};
static const brn_table zone_table = {
    TABLE("zone", "elements of a mesh, in its coordinates; exactly one key", brn_zone_def, zone_params),
    .check = brn_check_zone};

static const brn_param part_params[] = {
    {.name = "where",
     .kind = BRN_BLOCK,
     .offset = offsetof(brn_part_def, where),
     .required = true,
     .table = &zone_table,
     .help = "some of its elements"},
    {.name = "material",
     .kind = BRN_TEXT,
     .offset = offsetof(brn_part_def, material),
     .required = true,
     .help = "name of a material"},
};
const brn_table brn_part_table = {TABLE("part", "elements of another material", brn_part_def, part_params)};

/* ---- meshes --------------------------------------------------------------------------------------------------------- */

static const brn_param mesh_params[] = {
    {.name = "generator",
     .kind = BRN_KEYED_HERE,
     .offset = offsetof(brn_mesh_def, generator),
     .set = BRN_SET_MESH,
     .help = "a built-in generator, by its name"},
    BRN_P_TEXT(brn_mesh_def, file, "a mesh file, beside the scene"),
    BRN_P_TEXT(brn_mesh_def, surface, "a file with a closed surface, to be filled with tetrahedra"),
    BRN_P_REAL(brn_mesh_def, resolution, "m", NAN, 0.0, INFINITY, BRN_OPEN_LOW,
               "edge length inside a surface, in the scene's metres: the file's units times `scale`"),
    BRN_P_CHOICE(brn_mesh_def, element, 0, brn_surface_elements, "elements inside a surface"),
    {.name = "scale",
     .kind = BRN_REALS,
     .offset = offsetof(brn_mesh_def, scale),
     .unit = "1",
     .hi = INFINITY,
     .bounds = BRN_OPEN_LOW,
     .vector = one,
     .vector_count = 1,
     .help = "one factor, or one for each axis; applied first"},
    {.name = "rotation",
     .kind = BRN_BLOCKS,
     .offset = offsetof(brn_mesh_def, rotation),
     .table = &brn_rotation_table,
     .help = "applied second; one, or a list applied in order"},
    BRN_P_VECTOR(brn_mesh_def, position, "m", "shift, applied last"),
    BRN_P_REAL(brn_mesh_def, merge, "m", NAN, 0.0, INFINITY, BRN_CLOSED,
               "nodes closer than this are merged; not given: none are"),
};
/* Formats of files, as a key. */
#define SURFACE_HINT(format)                                                                  \
 {                                                                                            \
  format, "write {file: NAME." format "} for the surface of an obstacle or a rigid body, or " \
          "{surface: NAME." format ", resolution: LENGTH} to fill it with tetrahedra"         \
 }
#define CELLS_HINT(format)                \
 {                                        \
  format, "write {file: NAME." format "}" \
 }
static const brn_hint mesh_hints[] = {
    SURFACE_HINT("stl"),
    SURFACE_HINT("obj"),
    {"ply", "PLY is not read: convert the file to STL or OBJ"},
    CELLS_HINT("msh"),
    CELLS_HINT("inp"),
    CELLS_HINT("vtk"),
    {"cube", "write {box: {size: [1, 1, 1], cells: [4, 4, 4]}}"},
    {"ball", "write {sphere: {radius: 1, resolution: 0.25}}"},
    {NULL, NULL},
};
static const brn_table mesh_table = {
    TABLE("mesh", "a generator or a file, with a transform", brn_mesh_def, mesh_params),
    .check = brn_check_mesh, .hints = mesh_hints};

/* ---- supports and loads --------------------------------------------------------------------------------------------- */

#define BODY(type)                                                                    \
 {                                                                                    \
  .name = "body", .kind = BRN_TEXT, .offset = offsetof(type, body), .required = true, \
  .help = "name of a body"                                                            \
 }
#define WHERE(type)                                                                         \
 {                                                                                          \
  .name = "where", .kind = BRN_BLOCK, .offset = offsetof(type, where), .required = true,    \
  .table = &brn_where_table, .help = "a region of the body; {all: true} is the whole of it" \
 }

static const brn_param fixed_params[] = {
    BRN_P_TEXT(brn_fixed_def, name, "for the columns of series.csv; fixed0, fixed1, ... by default"),
    BODY(brn_fixed_def),
    WHERE(brn_fixed_def),
    {.name = "axes",
     .kind = BRN_TEXT,
     .offset = offsetof(brn_fixed_def, axes),
     .text = "xyz",
     .help = "the axes held"},
    BRN_P_BLOCK(brn_fixed_def, motion, &brn_motion_table,
                "how the region moves; not given: it stays at rest"),
    BRN_P_REAL(brn_fixed_def, release, "s", INFINITY, 0.0, INFINITY, BRN_OPEN_LOW,
               "the region is free from then on, and a step that has begun by then is cut there; not given: "
               "it stays held"),
};
static const brn_table fixed_table = {TABLE("fixed", "a held or moved region", brn_fixed_def, fixed_params),
                                      .check = brn_check_fixed};

static const brn_param spring_params[] = {
    BODY(brn_spring_def),
    WHERE(brn_spring_def),
    BRN_P_TEXT(brn_spring_def, to, "name of the body at the other end; the same one by default"),
    BRN_P_BLOCK(brn_spring_def, at, &brn_where_table,
                "a region of that body: a spring goes to its nearest node; all of it by default"),
    {.name = "stiffness",
     .kind = BRN_REAL,
     .offset = offsetof(brn_spring_def, stiffness),
     .unit = "N/m",
     .required = true,
     .hi = INFINITY,
     .bounds = BRN_OPEN,
     .help = "of each spring"},
    BRN_P_REAL(brn_spring_def, length, "m", NAN, 0.0, INFINITY, BRN_OPEN_HIGH,
               "length without force; by default the one at the start"),
    BRN_P_REAL(brn_spring_def, damping, "N s/m", 0.0, 0.0, INFINITY, BRN_OPEN_HIGH,
               "force over the speed of lengthening"),
    BRN_P_BOOL(brn_spring_def, pull_only, false, "a thread: it pulls but does not push"),
};
static const brn_table spring_table = {
    TABLE("spring", "springs from the nodes of a region to another", brn_spring_def, spring_params),
    .check = brn_check_spring};

static const brn_param attach_params[] = {
    BRN_P_TEXT(brn_attach_def, name, "for the columns of series.csv; attach0, attach1, ... by default"),
    BODY(brn_attach_def),
    WHERE(brn_attach_def),
    {.name = "to",
     .kind = BRN_TEXT,
     .offset = offsetof(brn_attach_def, to),
     .required = true,
     .help = "name of the body that the region is welded to"},
    BRN_P_REAL(brn_attach_def, within, "m", NAN, 0.0, INFINITY, BRN_CLOSED,
               "largest distance of a node from a deformable body it is welded to; half that body's shortest "
               "edge by default"),
};
static const brn_table attach_table = {
    TABLE("attach", "a region welded to another body", brn_attach_def, attach_params)};

const char *const brn_connect_words[] = {"ball", "hinge", "weld", "distance", NULL};
#define PLACE(field_, help_)                                                                    \
 {                                                                                              \
  .name = #field_, .kind = BRN_REALS, .offset = offsetof(brn_connect_def, field_), .unit = "m", \
  .help = (help_)                                                                               \
 }
static const brn_param connect_params[] = {
    BRN_P_TEXT(brn_connect_def, name, "for the columns of series.csv; connect0, connect1, ... by default"),
    {.name = "type",
     .kind = BRN_CHOICE,
     .offset = offsetof(brn_connect_def, type),
     .required = true,
     .choices = brn_connect_words,
     .help =
         "ball: a point of both stays common; hinge: an axis; weld: all; distance: two points stay as far "
         "apart"},
    {.name = "between",
     .kind = BRN_TEXTS,
     .offset = offsetof(brn_connect_def, between),
     .required = true,
     .help = "names of two bodies; of one: it is connected to the world"},
    PLACE(at, "of ball, hinge and weld: the common point at the start"),
    {.name = "axis",
     .kind = BRN_REALS,
     .offset = offsetof(brn_connect_def, axis),
     .unit = "1",
     .help = "of a hinge"},
    PLACE(from, "of a distance: the point of the first body at the start"),
    PLACE(to, "of a distance: the point of the second body at the start"),
    BRN_P_REAL(brn_connect_def, length, "m", NAN, 0.0, INFINITY, BRN_OPEN,
               "of a distance; by default what it is at the start"),
    BRN_P_BOOL(brn_connect_def, slack, false, "of a distance: a rope, which may be shorter than its length"),
    BRN_P_REAL(brn_connect_def, stiffness, "N/m", NAN, 0.0, INFINITY, BRN_OPEN,
               "by default as stiff as the step allows"),
    BRN_P_REAL(brn_connect_def, relaxation, "s", 0.0, 0.0, INFINITY, BRN_OPEN_HIGH, "damping over stiffness"),
};
static const brn_table connect_table = {
    TABLE("connect", "two bodies that share a point or an axis, or stay at a distance", brn_connect_def,
          connect_params),
    .check = brn_check_connect};

static const brn_param ramp_params[] = {
    BRN_P_REAL(brn_ramp_def, from, "s", 0.0, 0.0, 0.0, BRN_CLOSED, "the load is zero until then"),
    BRN_P_REAL(brn_ramp_def, to, "s", 0.0, 0.0, 0.0, BRN_CLOSED, "full load from then on, linear between"),
};
static const brn_table ramp_table = {TABLE("ramp", "how a load grows", brn_ramp_def, ramp_params),
                                     .check = brn_check_ramp};

static const brn_param load_params[] = {
    BRN_P_TEXT(brn_load_def, name, "for messages and columns; load0, load1, ... by default"),
    BODY(brn_load_def),
    WHERE(brn_load_def),
    {.name = "force",
     .kind = BRN_REALS,
     .offset = offsetof(brn_load_def, force),
     .unit = "N",
     .help = "total force, shared by the nodes of the region"},
    {.name = "traction",
     .kind = BRN_REALS,
     .offset = offsetof(brn_load_def, traction),
     .unit = "Pa",
     .help = "force per area at rest, on the faces of the region; keeps its direction"},
    BRN_P_REAL(brn_load_def, pressure, "Pa", NAN, 0.0, 0.0, BRN_CLOSED,
               "on the faces of the region, positive pushes into the body; follows the faces"),
    BRN_P_BLOCK(brn_load_def, ramp, &ramp_table, "growth in time; not given: full from the start"),
    BRN_P_REAL(brn_load_def, until, "s", INFINITY, 0.0, INFINITY, BRN_OPEN_LOW,
               "the load ends here; not given: never"),
};
static const brn_table load_table = {TABLE("load", "a force on a region", brn_load_def, load_params),
                                     .check = brn_check_load};

/* ---- stages -------------------------------------------------------------------------------------------------------- */

#define STAGE_INTEGRATOR(standard_)                                             \
 BRN_P_CHOICE(brn_stage_def, integrator, standard_, brn_stage_integrator_words, \
              "rule of this stage; scene: that of the scene")
#define STAGE_STEP                                                  \
 BRN_P_REAL(brn_stage_def, step, "s", NAN, 0.0, INFINITY, BRN_OPEN, \
            "steps of what deforms are at most this long, parts of time.step; not given: time.step")

static const brn_param loading_params[] = {
    {.name = "until",
     .kind = BRN_REAL,
     .offset = offsetof(brn_stage_def, until),
     .unit = "s",
     .required = true,
     .hi = INFINITY,
     .bounds = BRN_OPEN,
     .help = "loading ends and the launch begins"},
    STAGE_INTEGRATOR(1 + BRN_STATIC),
    STAGE_STEP,
    BRN_P_BOOL(brn_stage_def, slip, false,
               "what touches may slip, by the friction of the scene; else it sticks"),
};
static const brn_table loading_table = {
    TABLE("loading", "a slow load before the launch", brn_stage_def, loading_params)};

static const brn_param stage_params[] = {STAGE_INTEGRATOR(0), STAGE_STEP};
static const brn_table launch_table = {
    TABLE("launch", "from the release until the body leaves what it stood on", brn_stage_def, stage_params)};
static const brn_table flight_table = {
    TABLE("flight", "from there until it touches something again", brn_stage_def, stage_params)};
static const brn_table landing_table = {
    TABLE("landing", "from the first contact after the flight on", brn_stage_def, stage_params)};

static const brn_param stages_params[] = {
    BRN_P_TEXT(brn_stages_def, body, "name of the body that is followed; the first that can move by default"),
    BRN_P_BLOCK(brn_stages_def, loading, &loading_table, "a slow load; not given: none"),
    BRN_P_BLOCK(brn_stages_def, launch, &launch_table, "rule of the launch"),
    BRN_P_BLOCK(brn_stages_def, flight, &flight_table,
                "rule of the flight, while bodies vibrate in it; not given: as in the launch"),
    BRN_P_BLOCK(brn_stages_def, landing, &landing_table, "rule of the landing"),
    BRN_P_BOOL(brn_stages_def, stop, true, "the run ends when the body has come to rest, before time.end"),
};
static const brn_table stages_table = {
    TABLE("stages", "loading, launch, flight and landing of a body", brn_stages_def, stages_params)};

/* ---- contact and output --------------------------------------------------------------------------------------------- */

const char *const brn_contact_key_words[] = {"restitution", "stiffness", "relaxation", NULL};

#define CONTACT_KEY(type, key_, name_, unit_, hi_, bounds_, help_)                                          \
 {                                                                                                          \
  .name = (name_), .kind = BRN_REAL, .offset = offsetof(type, key[key_]), .unit = (unit_), .standard = NAN, \
  .hi = (hi_), .bounds = (bounds_), .help = (help_)                                                         \
 }
#define CONTACT_KEYS(type, else_)                                                                \
 CONTACT_KEY(type, BRN_CONTACT_RESTITUTION, "restitution", "1", 1.0, BRN_CLOSED,                 \
             "share of the closing velocity that is returned; not given: " else_),               \
     CONTACT_KEY(type, BRN_CONTACT_STIFFNESS, "stiffness", "Pa/m", INFINITY, BRN_OPEN,           \
                 "pressure over depth, for methods that let bodies overlap; not given: " else_), \
     CONTACT_KEY(type, BRN_CONTACT_RELAXATION, "relaxation", "s", INFINITY, BRN_OPEN_HIGH,       \
                 "time in which such overlap is pushed out; not given: " else_)

static const brn_param pair_params[] = {
    {.name = "between",
     .kind = BRN_TEXTS,
     .offset = offsetof(brn_pair_def, between),
     .count = 2,
     .required = true,
     .help = "two body names"},
    {.name = "friction",
     .kind = BRN_REAL,
     .offset = offsetof(brn_pair_def, friction),
     .unit = "1",
     .standard = NAN,
     .hi = INFINITY,
     .help = "coefficient of this pair; not given: contact's"},
    CONTACT_KEYS(brn_pair_def, "as contact's"),
    BRN_P_BOOL(brn_pair_def, touch, true, "false: the two pass through each other"),
};
static const brn_table pair_table = {
    TABLE("pair", "two bodies that differ from the rest", brn_pair_def, pair_params),
    .check = brn_check_pair};

static const brn_param contact_params[] = {
    BRN_P_REAL(brn_contact_def, friction, "1", 0.0, 0.0, INFINITY, BRN_CLOSED,
               "coefficient of every pair not listed"),
    BRN_P_BOOL(brn_contact_def, self, 1, "bodies touch themselves too"),
    CONTACT_KEYS(brn_contact_def, "the method's own"),
    {.name = "pairs",
     .kind = BRN_BLOCKS,
     .offset = offsetof(brn_contact_def, pairs),
     .table = &pair_table,
     .help = "pairs of bodies that differ"},
};
static const brn_table contact_table = {
    TABLE("contact", "friction and self-contact", brn_contact_def, contact_params)};

static const brn_param probe_params[] = {
    {.name = "name",
     .kind = BRN_TEXT,
     .offset = offsetof(brn_probe_def, name),
     .required = true,
     .help = "name of the columns"},
    BODY(brn_probe_def),
    WHERE(brn_probe_def),
};
static const brn_table probe_table = {
    TABLE("probe", "columns of series.csv that follow a region", brn_probe_def, probe_params)};

static const brn_param plot_params[] = {
    {.name = "x",
     .kind = BRN_TEXT,
     .offset = offsetof(brn_plot_def, x),
     .text = "time",
     .help = "column of series.csv along the horizontal axis"},
    {.name = "y",
     .kind = BRN_TEXT,
     .offset = offsetof(brn_plot_def, y),
     .required = true,
     .help = "column along the vertical axis"},
    {.name = "points",
     .kind = BRN_ROWS,
     .offset = offsetof(brn_plot_def, points),
     .count = 2,
     .help = "rows [x, y] to compare the curve with, in the units of the columns"},
    {.name = "source",
     .kind = BRN_TEXT,
     .offset = offsetof(brn_plot_def, source),
     .text = "reference",
     .help = "what the points are, a word or two"},
};
static const brn_table plot_table = {
    TABLE("plot", "a column of series.csv over another", brn_plot_def, plot_params)};

static const brn_param output_params[] = {
    BRN_P_REAL(brn_output_def, every, "s", NAN, 0.0, INFINITY, BRN_OPEN_LOW,
               "between frames; not given: the larger of the step and 1/200 of the run"),
    {.name = "fields",
     .kind = BRN_TEXTS,
     .offset = offsetof(brn_output_def, fields),
     .choices = brn_field_words,
     .help = "what a frame holds besides the positions; not given: stress, and velocity and contact where "
             "bodies may touch"},
    BRN_P_BOOL(brn_output_def, vtu, 0, "also write VTU files at the end of the run"),
    BRN_P_REAL(brn_output_def, report, "MB", 25.0, 0.0, 1e6, 0,
               "largest size of report.html, thinned to fit; 0: none is written"),
    BRN_P_INT(brn_output_def, checkpoint, 0, 0, INFINITY,
              "steps between checkpoints; 0: a tenth of the run, at most 100 steps"),
    {.name = "probes",
     .kind = BRN_BLOCKS,
     .offset = offsetof(brn_output_def, probes),
     .table = &probe_table,
     .help = "regions to follow"},
    {.name = "plot",
     .kind = BRN_BLOCKS,
     .offset = offsetof(brn_output_def, plot),
     .table = &plot_table,
     .help = "plots that the page shows first, one or a list; not given: force over displacement"},
};
static const brn_table output_table = {TABLE("output", "what a run writes", brn_output_def, output_params)};

/* ---- the root --------------------------------------------------------------------------------------------------------- */

static const brn_param scene_params[] = {
    {.name = "brunt",
     .kind = BRN_INT,
     .offset = offsetof(brn_scene_def, version),
     .required = true,
     .standard = BRN_SCENE_VERSION,
     .lo = 1,
     .hi = INFINITY,
     .help = "version of the scene format, 1"},
    {.name = "title",
     .kind = BRN_TEXT,
     .offset = offsetof(brn_scene_def, title),
     .text = "",
     .help = "one line"},
    BRN_P_INT(brn_scene_def, dimension, 3, 2, 3, "3, or 2 for plane strain"),
    {.name = "gravity",
     .kind = BRN_VECTOR,
     .offset = offsetof(brn_scene_def, gravity),
     .unit = "m/s^2",
     .vector = not_given,
     .help = "acceleration; [0, 0, -9.81] by default, in 2D [0, -9.81]"},
    {.name = "time",
     .kind = BRN_BLOCK,
     .offset = offsetof(brn_scene_def, time),
     .table = &time_table,
     .standing = true,
     .help = "step and duration"},
    BRN_P_INT(brn_scene_def, seed, 1, 0, INFINITY, "of everything random"),
    {.name = "method",
     .kind = BRN_TAGGED,
     .offset = offsetof(brn_scene_def, method),
     .set = BRN_SET_METHOD,
     .text = "none",
     .help =
         "contact method; a bare word takes all its defaults; not given, but obstacles, several bodies or "
         "`contact`: ipc"},
    BRN_P_CHOICE(brn_scene_def, integrator, BRN_TURNING_EULER, brn_integrator_words,
                 "time integrator, if the method leaves the choice"),
    {.name = "materials",
     .kind = BRN_NAMED_TAGGED,
     .offset = offsetof(brn_scene_def, materials),
     .set = BRN_SET_MATERIAL,
     .help = "by name"},
    {.name = "meshes",
     .kind = BRN_NAMED,
     .offset = offsetof(brn_scene_def, meshes),
     .table = &mesh_table,
     .help = "by name"},
    {.name = "bodies",
     .kind = BRN_TAGGEDS,
     .offset = offsetof(brn_scene_def, bodies),
     .set = BRN_SET_BODY,
     .help = "what is simulated, and obstacles"},
    {.name = "fixed",
     .kind = BRN_BLOCKS,
     .offset = offsetof(brn_scene_def, fixed),
     .table = &fixed_table,
     .help = "held or moved regions"},
    {.name = "springs",
     .kind = BRN_BLOCKS,
     .offset = offsetof(brn_scene_def, springs),
     .table = &spring_table,
     .help = "springs between nodes"},
    {.name = "attach",
     .kind = BRN_BLOCKS,
     .offset = offsetof(brn_scene_def, attach),
     .table = &attach_table,
     .help = "regions welded to other bodies"},
    {.name = "connect",
     .kind = BRN_BLOCKS,
     .offset = offsetof(brn_scene_def, connect),
     .table = &connect_table,
     .help = "balls, hinges, welds, rods and ropes between bodies"},
    {.name = "loads",
     .kind = BRN_BLOCKS,
     .offset = offsetof(brn_scene_def, loads),
     .table = &load_table,
     .help = "forces, tractions, pressures"},
    {.name = "stages",
     .kind = BRN_BLOCK,
     .offset = offsetof(brn_scene_def, stages),
     .table = &stages_table,
     .help = "loading, launch, flight and landing of a body"},
    {.name = "contact",
     .kind = BRN_BLOCK,
     .offset = offsetof(brn_scene_def, contact),
     .table = &contact_table,
     .standing = true,
     .help = "friction and self-contact"},
    {.name = "output",
     .kind = BRN_BLOCK,
     .offset = offsetof(brn_scene_def, output),
     .table = &output_table,
     .standing = true,
     .help = "what a run writes"},
};
const brn_table brn_scene_table = {TABLE("scene", "the whole file", brn_scene_def, scene_params)};

void brn_scene_def_standard(brn_scene_def *def, int dimension)
{
    if (isnan(def->gravity[0])) {
        def->gravity[0] = 0.0;
        def->gravity[1] = dimension == 2 ? -9.81 : 0.0;
        def->gravity[2] = dimension == 2 ? 0.0 : -9.81;
    }
}
