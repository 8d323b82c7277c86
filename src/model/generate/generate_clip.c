/* A clip that jumps or throws when its arm is pressed down and let go: a frame on the floor, an upright at its +x end, an arm
   from there back over the frame; feet below the frame and a basket at the arm's tip if wanted. x along the frame, which
   has its middle at the origin, z up from the lowest point. Each part is a node group of its name. */
#include "model/generate/generate.h"

enum { FRAME = 1, UPRIGHT, ARM, FEET, BASKET, PARTS_END };
static const char *const part_names[PARTS_END] = {
    [FRAME] = "frame", [UPRIGHT] = "upright", [ARM] = "arm", [FEET] = "feet", [BASKET] = "basket"};
enum { CORNERS, ROCKER };
static const char *const feet_types[] = {"corners", "rocker", NULL};

/* All lengths in m. */
typedef struct clip_frame {
    brn_block block;
    double length, width, bar, thickness;
} clip_frame;

typedef struct clip_upright {
    brn_block block;
    double height, width, thickness;
} clip_upright;

typedef struct clip_arm {
    brn_block block;
    double length, width, thickness;
} clip_arm;

typedef struct clip_feet {
    brn_block block;
    int type;
    double height, length, width, radius;
} clip_feet;

typedef struct clip_basket {
    brn_block block;
    double length, width, wall, rim;
} clip_basket;

typedef struct clip_params {
    brn_block block;
    double resolution;
    clip_frame frame;
    clip_upright upright;
    clip_arm arm;
    clip_feet feet;
    clip_basket basket;
    int element;
} clip_params;

static const char *const elements[] = {"hex8", "hex20", "tet4", "tet10", NULL};
static const brn_cell element_cell[] = {BRN_HEX8, BRN_HEX20, BRN_TET4, BRN_TET10};

#define SIZE(type, field, standard, help) \
 BRN_P_REAL(type, field, "m", standard, 0.0, INFINITY, BRN_OPEN, help)
#define PART(type, list, help_)                                                                             \
 {                                                                                                          \
  .name = #type, .help = (help_), .size = sizeof(clip_##type), .params = (list), .nparams = BRN_COUNT(list) \
 }

static const brn_param frame_params[] = {
    SIZE(clip_frame, length, 0.069, "along x"),
    SIZE(clip_frame, width, 0.036, "along y"),
    SIZE(clip_frame, bar, 0.006, "width of the four bars; half the length or width: a plate without a hole"),
    SIZE(clip_frame, thickness, 0.006, "along z"),
};
static const brn_table frame_table = PART(frame, frame_params, "a rectangle of four bars");

static const brn_param upright_params[] = {
    SIZE(clip_upright, height, 0.0225, "from the top of the frame to the underside of the arm"),
    SIZE(clip_upright, width, 0.024, "along y"),
    SIZE(clip_upright, thickness, 0.006, "along x"),
};
static const brn_table upright_table = PART(upright, upright_params, "a beam on the frame's +x end");

static const brn_param arm_params[] = {
    SIZE(clip_arm, length, 0.063, "along x, from the frame's +x end to the tip"),
    SIZE(clip_arm, width, 0.024, "along y"),
    SIZE(clip_arm, thickness, 0.0045, "along z"),
};
static const brn_table arm_table = PART(arm, arm_params, "a beam from the top of the upright over the frame");

static const brn_param feet_params[] = {
    BRN_P_CHOICE(clip_feet, type, CORNERS, feet_types,
                 "corners: a block below each corner of the frame; rocker: a runner below each side, round "
                 "along x"),
    SIZE(clip_feet, height, 0.003, "along z; of a rocker in its middle"),
    SIZE(clip_feet, length, 0.024, "along x, of corners; runners are as long as the frame"),
    SIZE(clip_feet, width, 0.006, "along y"),
    SIZE(clip_feet, radius, 0.3, "of a rocker's underside, about an axis along y above the frame's middle"),
};
static const brn_table feet_table = PART(feet, feet_params, "what it stands on");

static const brn_param basket_params[] = {
    SIZE(clip_basket, length, 0.0165, "along x, walls included; its end is the arm's tip"),
    SIZE(clip_basket, width, 0.0165, "along y, walls included"),
    SIZE(clip_basket, wall, 0.0015, "thickness of the walls; the floor has that of the arm"),
    SIZE(clip_basket, rim, 0.003, "height of the walls above the arm"),
};
static const brn_table basket_table = PART(basket, basket_params, "a tray at the arm's tip");

#define STANDING(field_, help_)                                                                 \
 {                                                                                              \
  .name = #field_, .kind = BRN_BLOCK, .offset = offsetof(clip_params, field_), .help = (help_), \
  .table = &field_##_table, .standing = true                                                    \
 }

static const brn_param params[] = {
    BRN_P_REAL(clip_params, resolution, "m", 0.0015, 0.0, INFINITY, BRN_OPEN,
               "edge length of a cell, nearly: a whole number of cells fills every part exactly"),
    STANDING(frame, "a rectangle of four bars"),
    STANDING(upright, "a beam on the frame's +x end"),
    STANDING(arm, "a beam from the top of the upright over the frame"),
    BRN_P_BLOCK(clip_params, feet, &feet_table, "what it stands on; not given: on its frame"),
    BRN_P_BLOCK(clip_params, basket, &basket_table, "a tray at the arm's tip; not given: none"),
    BRN_P_CHOICE(clip_params, element, 0, elements, "kind of element"),
};

static const brn_table table = {
    .name = "clip",
    .help = "a clip that jumps when its arm is let go: frame, upright, arm, feet and basket, each a group of "
            "its name; groups tip (the arm's end face), -x, +x, -y, +y, -z, +z",
    .size = sizeof(clip_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

/* ---- sizes that fit ---------------------------------------------------------------------------------------------------- */

/* How far a rocker's underside at x is above its lowest point. */
static double rocker_rise(const clip_feet *feet, double x)
{
    const double r = feet->radius;
    return x * x / (r + sqrt(r * r - x * x)); /* r - sqrt(r^2 - x^2), without cancellation */
}

/* Every part must have at least one voxel after rounding. */
static brn_status check_voxels(brn_ctx *ctx, const clip_params *p)
{
    const bool feet = brn_block_given(&p->feet.block), rocker = p->feet.type == ROCKER;
    const bool basket = brn_block_given(&p->basket.block);
    const struct {
        const char *name;
        double size;
        bool there;
    } all[] = {
        {"frame.length", p->frame.length, true},
        {"frame.width", p->frame.width, true},
        {"frame.bar", p->frame.bar, true},
        {"frame.thickness", p->frame.thickness, true},
        {"upright.height", p->upright.height, true},
        {"upright.width", p->upright.width, true},
        {"upright.thickness", p->upright.thickness, true},
        {"arm.length", p->arm.length, true},
        {"arm.width", p->arm.width, true},
        {"arm.thickness", p->arm.thickness, true},
        {"feet.height", p->feet.height, feet},
        {"feet.length", p->feet.length, feet && !rocker},
        {"feet.width", p->feet.width, feet},
        {"basket.length", p->basket.length, basket},
        {"basket.width", p->basket.width, basket},
        {"basket.wall", p->basket.wall, basket},
        {"basket.rim", p->basket.rim, basket},
    };
    for (int i = 0; i < BRN_COUNT(all); ++i) {
        if (all[i].there && !(all[i].size >= 0.5 * p->resolution)) {
            return brn_fail(
                ctx, BRN_ERR_RANGE,
                "%s.%s = %g: less than half a voxel; must be at least %g, or the resolution finer",
                brn_generate_path(&table, p), all[i].name, all[i].size, 0.5 * p->resolution);
        }
    }
    return BRN_OK;
}

/* Nothing may be larger than what it stands on. */
static brn_status check_fit(brn_ctx *ctx, const clip_params *p)
{
    const bool feet = brn_block_given(&p->feet.block), basket = brn_block_given(&p->basket.block);
    const struct {
        const char *name, *other;
        double size, most;
        bool there;
    } all[] = {
        {"upright.width", "frame.width", p->upright.width, p->frame.width, true},
        {"upright.thickness", "frame.length", p->upright.thickness, p->frame.length, true},
        {"upright.thickness", "arm.length", p->upright.thickness, p->arm.length, true},
        {"feet.length", "frame.length", p->feet.length, p->frame.length, feet && p->feet.type == CORNERS},
        {"feet.width", "frame.width", p->feet.width, p->frame.width, feet},
        {"basket.length", "arm.length", p->basket.length, p->arm.length, basket},
        {"basket.wall", "half of basket.length", p->basket.wall, 0.5 * p->basket.length, basket},
        {"basket.wall", "half of basket.width", p->basket.wall, 0.5 * p->basket.width, basket},
    };
    for (int i = 0; i < BRN_COUNT(all); ++i) {
        if (all[i].there && !(all[i].size <= all[i].most)) {
            return brn_fail(ctx, BRN_ERR_RANGE, "%s.%s = %g: must not be more than %s = %g",
                            brn_generate_path(&table, p), all[i].name, all[i].size, all[i].other,
                            all[i].most);
        }
    }
    return BRN_OK;
}

/* A rocker's ends are parts too. */
static brn_status check_rocker(brn_ctx *ctx, const clip_params *p)
{
    const double half = 0.5 * p->frame.length, most = p->feet.height - 0.5 * p->resolution;
    if (!brn_block_given(&p->feet.block) || p->feet.type != ROCKER ||
        (p->feet.radius >= half && rocker_rise(&p->feet, half) <= most)) {
        return BRN_OK;
    }
    /* rise(half) = most */
    const double least = most > 0.0 ? fmax(half, 0.5 * (half * half / most + most)) : INFINITY;
    return brn_fail(ctx, BRN_ERR_RANGE,
                    "%s.feet.radius = %g: the rocker's ends would have less than half a voxel; must be at "
                    "least %.6g, or feet.height more",
                    brn_generate_path(&table, p), p->feet.radius, least);
}

/* ---- its shape --------------------------------------------------------------------------------------------------------- */

/* A box about y = 0. */
static void add_brick(brn_bricks *b, int part, double x0, double x1, double width, double z0, double z1)
{
    b->brick[b->count++] = (brn_brick){{x0, -0.5 * width, z0}, {x1, 0.5 * width, z1}, part};
}

static void add_feet(brn_bricks *b, const clip_params *p)
{
    const double x = 0.5 * p->frame.length, y = 0.5 * p->frame.width;
    const double length = p->feet.type == ROCKER ? x : p->feet.length; /* the lowest line is a plane's */
    for (int corner = 0; corner < 4; ++corner) {
        const double x0 = corner & 1 ? x - length : -x, y0 = corner & 2 ? y - p->feet.width : -y;
        b->brick[b->count++] =
            (brn_brick){{x0, y0, 0.0}, {x0 + length, y0 + p->feet.width, p->feet.height}, FEET};
    }
}

/* The arm is the first. */
static brn_bricks lay_bricks(const clip_params *p)
{
    brn_bricks b = {.resolution = p->resolution};
    const bool feet = brn_block_given(&p->feet.block);
    const double x = 0.5 * p->frame.length, bar = p->frame.bar, tip = x - p->arm.length;
    const double frame = feet ? p->feet.height : 0.0, top = frame + p->frame.thickness;
    const double arm = top + p->upright.height, above = arm + p->arm.thickness;
    add_brick(&b, ARM, tip, x, p->arm.width, arm, above);
    add_brick(&b, FRAME, -x, x, p->frame.width, frame, top);
    if (bar < x && bar < 0.5 * p->frame.width) {
        add_brick(&b, 0, bar - x, x - bar, p->frame.width - 2.0 * bar, frame, top);
    }
    if (feet) {
        add_feet(&b, p);
    }
    add_brick(&b, UPRIGHT, x - p->upright.thickness, x, p->upright.width, top, arm);
    if (brn_block_given(&p->basket.block)) {
        const clip_basket *in = &p->basket;
        add_brick(&b, BASKET, tip, tip + in->length, in->width, arm, above + in->rim);
        add_brick(&b, 0, tip + in->wall, tip + in->length - in->wall, in->width - 2.0 * in->wall, above,
                  above + in->rim);
    }
    return b;
}

/* The underside of runners goes to a circle, what is above it in proportion. */
static void round_feet(const clip_params *p, brn_mesh *mesh)
{
    const double height = p->feet.height;
    for (int i = 0; i < mesh->nnode; ++i) {
        double *x = mesh->pos[i];
        x[2] += x[2] < height ? rocker_rise(&p->feet, x[0]) * (1.0 - x[2] / height) : 0.0;
    }
}

/* The end face of the arm, and of the basket there. */
static brn_status add_tip(const clip_params *p, const brn_brick *arm, brn_mesh *mesh)
{
    const double slack = 1e-3 * p->resolution;
    unsigned char *marked = NULL;
    BRN_ALLOC(mesh->ctx, marked, mesh->nnode);
    for (int i = 0; i < mesh->nnode; ++i) {
        marked[i] = mesh->pos[i][0] <= arm->lo[0] + slack && mesh->pos[i][2] >= arm->lo[2] - slack;
    }
    const brn_status status = brn_generate_group(mesh, "tip", marked);
    brn_free(mesh->ctx, marked);
    return status;
}

static brn_status build(brn_ctx *ctx, const clip_params *p, brn_voxels *voxels, brn_mesh **out)
{
    const brn_bricks bricks = lay_bricks(p);
    const brn_cell cell = element_cell[p->element];
    BRN_TRY(
        brn_generate_limit(ctx, &table, p, "resolution", brn_bricks_cells(&bricks) * brn_hex_pieces(cell)));
    BRN_TRY(brn_bricks_voxels(ctx, &bricks, voxels));
    BRN_TRY(brn_voxels_build(ctx, voxels, out));
    for (int part = FRAME; part < PARTS_END; ++part) {
        BRN_TRY(brn_voxels_part_group(voxels, *out, part, part_names[part]));
    }
    BRN_TRY(add_tip(p, &bricks.brick[0], *out));
    if (brn_block_given(&p->feet.block) && p->feet.type == ROCKER) {
        round_feet(p, *out);
    }
    return brn_voxels_convert(voxels, *out, cell);
}

static brn_status generate(brn_ctx *ctx, const void *given, brn_mesh **out)
{
    const clip_params *p = given;
    *out = NULL;
    BRN_TRY(brn_generate_check(ctx, &table, p));
    BRN_TRY(check_voxels(ctx, p));
    BRN_TRY(check_fit(ctx, p));
    BRN_TRY(check_rocker(ctx, p));
    brn_voxels voxels = {0};
    const brn_status status = build(ctx, p, &voxels, out);
    brn_voxels_free(ctx, &voxels);
    if (status < 0) {
        brn_mesh_destroy(*out);
        *out = NULL;
    }
    return status;
}

const brn_generator brn_generator_clip = {&table, generate, NULL};
