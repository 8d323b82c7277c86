/* A schema for tests of the scene layer: the real skeleton with small variants that use every kind of parameter. */
#ifndef BRN_TESTS_SCENE_SCHEMA_H
#define BRN_TESTS_SCENE_SCHEMA_H

#include "scene/scene.h"

typedef struct test_none {
    brn_block block;
    double tolerance;
    int iterations;
    bool search;
} test_none;

typedef struct test_ipc {
    brn_block block;
    double dhat;
} test_ipc;

typedef struct test_damping {
    brn_block block;
    double alpha, beta;
} test_damping;

typedef struct test_material {
    brn_block block;
    double density, young, poisson;
    test_damping damping;
} test_material;

typedef struct test_box {
    brn_block block;
    double size[3];
    brn_ints cells;
    int element;
} test_box;

typedef struct test_ball {
    brn_block block;
    double radius;
} test_ball;

typedef struct test_plane {
    brn_block block;
    double normal[3];
} test_plane;

typedef struct test_deformable {
    brn_body_common common;
    const char *material;
    double velocity[3];
    int mass;
} test_deformable;

typedef struct test_static {
    brn_body_common common;
    brn_variant shape;
    brn_motion_def motion;
} test_static;

/* A body with a parameter of every kind. */
typedef struct test_kinds {
    brn_body_common common;
    double real, real_infinite;
    int integer;
    bool truth;
    int choice;
    const char *text, *text_default;
    double vector[3];
    brn_reals reals, reals_two, reals_default;
    brn_ints ints;
    brn_texts texts, texts_two, texts_choice;
    brn_rows rows, rows_two;
    test_damping standing;
    test_ball bare;
    brn_blocks blocks;
    brn_blocks named;
    brn_variant tagged;
    brn_variants taggeds;
    brn_variants named_tagged;
    brn_variant keyed;
    brn_variant here;
} test_kinds;

#define TEST_TABLE(name_, type_, params_)                                          \
 .name = (name_), .help = "for tests", .size = sizeof(type_), .params = (params_), \
 .nparams = BRN_COUNT(params_)

static const brn_param test_none_params[] = {
    BRN_P_REAL(test_none, tolerance, "1", 1e-8, 0.0, 1.0, BRN_OPEN, "residual to stop at"),
    BRN_P_INT(test_none, iterations, 50, 1, 1000, "at most"),
    BRN_P_BOOL(test_none, search, 1, "line search"),
};
static const brn_table test_none_table = {TEST_TABLE("none", test_none, test_none_params)};

static const brn_param test_ipc_params[] = {
    BRN_P_REAL(test_ipc, dhat, "m", 1e-3, 0.0, INFINITY, BRN_OPEN_LOW, "range of the barrier"),
};
static const brn_table test_ipc_table = {TEST_TABLE("ipc", test_ipc, test_ipc_params)};

static const brn_param test_damping_params[] = {
    BRN_P_REAL(test_damping, alpha, "1/s", 0.0, 0.0, INFINITY, BRN_CLOSED, "of mass"),
    BRN_P_REAL(test_damping, beta, "s", 0.0, 0.0, INFINITY, BRN_CLOSED, "of stiffness"),
};
static const brn_table test_damping_table = {TEST_TABLE("damping", test_damping, test_damping_params)};

static const brn_param test_material_params[] = {
    BRN_P_REAL(test_material, density, "kg/m^3", 1000.0, 0.0, INFINITY, BRN_OPEN_LOW, "density"),
    BRN_P_REAL(test_material, young, "Pa", NAN, 0.0, INFINITY, BRN_OPEN_LOW, "Young's modulus"),
    BRN_P_REAL(test_material, poisson, "1", NAN, -1.0, 0.5, BRN_OPEN, "Poisson's ratio"),
    BRN_P_BLOCK(test_material, damping, &test_damping_table, "Rayleigh"),
};
static const brn_table test_neo_table = {TEST_TABLE("neo_hookean", test_material, test_material_params)};
static const brn_table test_linear_table = {TEST_TABLE("linear", test_material, test_material_params)};

static const char *const test_elements[] = {"hex8", "tet4", NULL};
static const brn_param test_box_params[] = {
    {.name = "size",
     .kind = BRN_VECTOR,
     .offset = offsetof(test_box, size),
     .unit = "m",
     .required = true,
     .hi = INFINITY,
     .bounds = BRN_OPEN_LOW,
     .help = "edge lengths"},
    {.name = "cells",
     .kind = BRN_INTS,
     .offset = offsetof(test_box, cells),
     .count = 3,
     .lo = 1,
     .hi = 1000,
     .required = true,
     .help = "cells along each axis"},
    BRN_P_CHOICE(test_box, element, 0, test_elements, "element"),
};
static const brn_table test_box_table = {TEST_TABLE("box", test_box, test_box_params)};

static const brn_param test_ball_params[] = {
    {.name = "radius",
     .kind = BRN_REAL,
     .offset = offsetof(test_ball, radius),
     .unit = "m",
     .required = true,
     .hi = INFINITY,
     .bounds = BRN_OPEN_LOW,
     .standard = NAN,
     .help = "radius"},
};
static const brn_table test_ball_table = {TEST_TABLE("ball", test_ball, test_ball_params),
                                          .shorthand = "radius"};

static const double test_up[3] = {0.0, 0.0, 1.0};
static const brn_param test_plane_params[] = {
    {.name = "normal",
     .kind = BRN_VECTOR,
     .offset = offsetof(test_plane, normal),
     .vector = test_up,
     .unit = "1",
     .help = "outwards"},
};
static const brn_table test_plane_table = {TEST_TABLE("plane", test_plane, test_plane_params)};
/* A shape that must hold one of the generators. */
typedef struct test_holder {
    brn_block block;
    brn_variant here;
} test_holder;

static const brn_param test_holder_params[] = {
    {.name = "here",
     .kind = BRN_KEYED_HERE,
     .offset = offsetof(test_holder, here),
     .set = BRN_SET_MESH,
     .required = true,
     .help = "mesh"},
};
static const brn_table test_holder_table = {TEST_TABLE("holder", test_holder, test_holder_params)};

static const brn_table test_empty_table = {.name = "empty", .help = "no keys", .size = sizeof(brn_block)};

static const char *const test_masses[] = {"consistent", "lumped", "uniform", NULL};
static const brn_param test_deformable_params[] = {
    BRN_BODY_COMMON_PARAMS(test_deformable),
    {.name = "material",
     .kind = BRN_TEXT,
     .offset = offsetof(test_deformable, material),
     .required = true,
     .help = "name of a material"},
    BRN_P_VECTOR(test_deformable, velocity, "m/s", "initial"),
    BRN_P_CHOICE(test_deformable, mass, 0, test_masses, "mass matrix"),
};
static const brn_table test_deformable_table = {
    TEST_TABLE("deformable", test_deformable, test_deformable_params)};

static const brn_param test_static_params[] = {
    BRN_BODY_COMMON_PARAMS(test_static),
    {.name = "shape",
     .kind = BRN_KEYED,
     .offset = offsetof(test_static, shape),
     .set = BRN_SET_SHAPE,
     .help = "its shape"},
    BRN_P_BLOCK(test_static, motion, &brn_motion_table, "how it moves"),
};
static const brn_table test_static_table = {TEST_TABLE("static", test_static, test_static_params)};

static const double test_pair_default[2] = {0.25, 4.0};
static const brn_param test_kinds_params[] = {
    BRN_BODY_COMMON_PARAMS(test_kinds),
    BRN_P_REAL(test_kinds, real, "m", NAN, 0.0, 0.0, BRN_CLOSED, "any finite number"),
    BRN_P_REAL(test_kinds, real_infinite, "m", INFINITY, 0.0, 0.0, BRN_CLOSED, "not limited by default"),
    BRN_P_INT(test_kinds, integer, -3, 0, 0, "any whole number"),
    BRN_P_BOOL(test_kinds, truth, 0, "yes or no"),
    BRN_P_CHOICE(test_kinds, choice, 1, brn_face_words, "a face"),
    BRN_P_TEXT(test_kinds, text, "any text"),
    {.name = "text_default",
     .kind = BRN_TEXT,
     .offset = offsetof(test_kinds, text_default),
     .text = "null",
     .help = "text"},
    BRN_P_VECTOR(test_kinds, vector, "m", "vector"),
    {.name = "reals", .kind = BRN_REALS, .offset = offsetof(test_kinds, reals), .help = "numbers"},
    {.name = "reals_two",
     .kind = BRN_REALS,
     .offset = offsetof(test_kinds, reals_two),
     .count = 2,
     .vector = test_pair_default,
     .unit = "Pa",
     .help = "two numbers"},
    {.name = "reals_default",
     .kind = BRN_REALS,
     .offset = offsetof(test_kinds, reals_default),
     .vector = test_pair_default,
     .vector_count = 1,
     .help = "numbers"},
    {.name = "ints", .kind = BRN_INTS, .offset = offsetof(test_kinds, ints), .help = "whole numbers"},
    {.name = "texts", .kind = BRN_TEXTS, .offset = offsetof(test_kinds, texts), .help = "words"},
    {.name = "texts_two",
     .kind = BRN_TEXTS,
     .offset = offsetof(test_kinds, texts_two),
     .count = 2,
     .text = "one two",
     .help = "two words"},
    {.name = "texts_choice",
     .kind = BRN_TEXTS,
     .offset = offsetof(test_kinds, texts_choice),
     .choices = brn_field_words,
     .text = "velocity contact",
     .help = "fields"},
    {.name = "rows", .kind = BRN_ROWS, .offset = offsetof(test_kinds, rows), .help = "rows"},
    {.name = "rows_two",
     .kind = BRN_ROWS,
     .offset = offsetof(test_kinds, rows_two),
     .count = 2,
     .help = "pairs"},
    {.name = "standing",
     .kind = BRN_BLOCK,
     .offset = offsetof(test_kinds, standing),
     .table = &test_damping_table,
     .standing = true,
     .help = "always shown"},
    BRN_P_BLOCK(test_kinds, bare, &test_ball_table, "a number stands for it"),
    {.name = "blocks",
     .kind = BRN_BLOCKS,
     .offset = offsetof(test_kinds, blocks),
     .table = &test_ball_table,
     .help = "balls"},
    {.name = "named",
     .kind = BRN_NAMED,
     .offset = offsetof(test_kinds, named),
     .table = &test_damping_table,
     .help = "dampings"},
    {.name = "tagged",
     .kind = BRN_TAGGED,
     .offset = offsetof(test_kinds, tagged),
     .set = BRN_SET_MATERIAL,
     .help = "a material"},
    {.name = "taggeds",
     .kind = BRN_TAGGEDS,
     .offset = offsetof(test_kinds, taggeds),
     .set = BRN_SET_BODY,
     .help = "bodies inside"},
    {.name = "named_tagged",
     .kind = BRN_NAMED_TAGGED,
     .offset = offsetof(test_kinds, named_tagged),
     .set = BRN_SET_METHOD,
     .help = "methods"},
    {.name = "keyed",
     .kind = BRN_KEYED,
     .offset = offsetof(test_kinds, keyed),
     .set = BRN_SET_SHAPE,
     .help = "shape"},
    {.name = "here",
     .kind = BRN_KEYED_HERE,
     .offset = offsetof(test_kinds, here),
     .set = BRN_SET_MESH,
     .help = "mesh"},
};
static const brn_table test_kinds_table = {TEST_TABLE("kinds", test_kinds, test_kinds_params)};

static const brn_table *const test_methods[] = {&test_none_table, &test_ipc_table};
static const brn_table *const test_materials[] = {&test_neo_table, &test_linear_table};
static const brn_table *const test_meshes[] = {&test_box_table, &test_ball_table};
static const brn_table *const test_bodies[] = {&test_deformable_table, &test_static_table, &test_kinds_table};
static const brn_table *const test_shapes[] = {&test_plane_table, &test_ball_table, &test_empty_table,
                                               &test_holder_table};

static inline bool test_touches(const brn_table *method)
{
    return method == &test_ipc_table;
}

static const brn_schema test_schema = {
    .touches = test_touches,
    .root = &brn_scene_table,
    .sets = {[BRN_SET_METHOD] = {"method", test_methods, BRN_COUNT(test_methods)},
             [BRN_SET_MATERIAL] = {"material", test_materials, BRN_COUNT(test_materials)},
             [BRN_SET_MESH] = {"mesh generator", test_meshes, BRN_COUNT(test_meshes)},
             [BRN_SET_BODY] = {"body type", test_bodies, BRN_COUNT(test_bodies)},
             [BRN_SET_SHAPE] = {"shape", test_shapes, BRN_COUNT(test_shapes)}},
};

#endif
