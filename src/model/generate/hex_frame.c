#include "model/generate/generate.h"

#include <string.h>

/* Different core nodes along z. */
static int levels(const brn_hex_frame *f)
{
    return f->wrapped ? f->n[2] : f->n[2] + 1;
}

static int core_node(const brn_hex_frame *f, int i, int j, int k)
{
    return (k % levels(f) * (f->n[1] + 1) + j) * (f->n[0] + 1) + i;
}

static bool on_blown_side(const brn_hex_frame *f, const int at[3])
{
    bool on = false;
    for (int a = 0; a < 3; ++a) {
        on = on || (f->blown[a] && ((at[a] == 0 && !f->half) || at[a] == f->n[a]));
    }
    return on;
}

/* Quads of the blown sides. */
static double side_quads(const brn_hex_frame *f)
{
    double sum = 0.0;
    for (int a = 0; a < 3; ++a) {
        sum += f->blown[a] ? (f->half ? 1.0 : 2.0) * f->n[(a + 1) % 3] * (double)f->n[(a + 2) % 3] : 0.0;
    }
    return sum;
}

double brn_hex_frame_cells(const brn_hex_frame *f)
{
    return (double)f->n[0] * f->n[1] * f->n[2] + side_quads(f) * f->layers;
}

/* What build needs on the way. */
typedef struct frame_work {
    brn_hex_frame *frame;
    int ncore, nside; /* core nodes, and those that carry a shell */
    int *side;        /* [ncore] number among the shell-carrying nodes, -1 */
    brn_mesh *mesh;
    int cell; /* next to write */
} frame_work;

static int shell_node(const frame_work *w, int core, int layer)
{
    return layer == 0 ? core : w->ncore + (layer - 1) * w->nside + w->side[core];
}

static void number_nodes(frame_work *w)
{
    const brn_hex_frame *f = w->frame;
    int node = 0;
    for (int k = 0; k < levels(f); ++k) {
        for (int j = 0; j <= f->n[1]; ++j) {
            for (int i = 0; i <= f->n[0]; ++i, ++node) {
                w->side[node] = on_blown_side(f, (int[3]){i, j, k}) ? w->nside++ : -1;
            }
        }
    }
}

static void write_index(const frame_work *w)
{
    const brn_hex_frame *f = w->frame;
    int core = 0;
    for (int k = 0; k < levels(f); ++k) {
        for (int j = 0; j <= f->n[1]; ++j) {
            for (int i = 0; i <= f->n[0]; ++i, ++core) {
                for (int l = 0; l <= (w->side[core] >= 0 ? f->layers : 0); ++l) {
                    const int at[4] = {i, j, k, l};
                    memcpy(f->index[shell_node(w, core, l)], at, sizeof at);
                }
            }
        }
    }
}

static void write_core(frame_work *w)
{
    const brn_hex_frame *f = w->frame;
    for (int k = 0; k < f->n[2]; ++k) {
        for (int j = 0; j < f->n[1]; ++j) {
            for (int i = 0; i < f->n[0]; ++i) {
                int *node = w->mesh->cell[BRN_HEX8] + 8 * (size_t)w->cell++;
                for (int t = 0; t < 2; ++t) {
                    node[4 * t + 0] = core_node(f, i, j, k + t);
                    node[4 * t + 1] = core_node(f, i + 1, j, k + t);
                    node[4 * t + 2] = core_node(f, i + 1, j + 1, k + t);
                    node[4 * t + 3] = core_node(f, i, j + 1, k + t);
                }
            }
        }
    }
}

/* The shell on one side: each quad of the core's side, counter-clockwise from outside, extruded layer by layer. */
static void write_shell(frame_work *w, int axis, int upper)
{
    const brn_hex_frame *f = w->frame;
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    static const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (int l = 0; l < f->layers; ++l) {
        for (int v = 0; v < f->n[b]; ++v) {
            for (int u = 0; u < f->n[a]; ++u) {
                int *node = w->mesh->cell[BRN_HEX8] + 8 * (size_t)w->cell++;
                for (int c = 0; c < 4; ++c) {
                    const int *step = corner[upper ? c : (4 - c) % 4];
                    int at[3];
                    at[axis] = upper ? f->n[axis] : 0;
                    at[a] = u + step[0];
                    at[b] = v + step[1];
                    const int core = core_node(f, at[0], at[1], at[2]);
                    node[c] = shell_node(w, core, l);
                    node[4 + c] = shell_node(w, core, l + 1);
                }
            }
        }
    }
}

static brn_status build(frame_work *w, brn_ctx *ctx)
{
    brn_hex_frame *f = w->frame;
    BRN_ALLOC(ctx, w->side, w->ncore);
    number_nodes(w);
    const int nnode = w->ncore + f->layers * w->nside;
    BRN_ALLOC(ctx, f->index, nnode);
    BRN_TRY(brn_mesh_create(ctx, nnode, &w->mesh));
    BRN_TRY(brn_mesh_alloc_cells(w->mesh, BRN_HEX8, (int)brn_hex_frame_cells(f)));
    write_index(w);
    write_core(w);
    for (int axis = 0; axis < 3; ++axis) {
        for (int upper = f->half; f->blown[axis] && upper < 2; ++upper) {
            write_shell(w, axis, upper);
        }
    }
    return BRN_OK;
}

brn_status brn_hex_frame_build(brn_ctx *ctx, brn_hex_frame *frame, brn_mesh **out)
{
    frame_work w = {.frame = frame};
    *out = NULL;
    /* At most (2 n)^3 nodes for n^3 cells, so 50 million cells stay far below INT_MAX. */
    w.ncore = (frame->n[0] + 1) * (frame->n[1] + 1) * levels(frame);
    const brn_status status = build(&w, ctx);
    brn_free(ctx, w.side);
    if (status < 0) {
        brn_mesh_destroy(w.mesh);
        brn_hex_frame_free(ctx, frame);
        return status;
    }
    *out = w.mesh;
    return BRN_OK;
}

void brn_hex_frame_free(brn_ctx *ctx, brn_hex_frame *frame)
{
    brn_free(ctx, frame->index);
    frame->index = NULL;
}

/* ---- groups ---------------------------------------------------------------------------------------------------------- */

/* Nodes whose index along an axis has a value. */
static brn_status index_group(const brn_hex_frame *frame, brn_mesh *mesh, int axis, int value,
                              const char *name)
{
    unsigned char *marked = NULL;
    BRN_ALLOC(mesh->ctx, marked, mesh->nnode);
    for (int i = 0; i < mesh->nnode; ++i) {
        marked[i] = frame->index[i][axis] == value;
    }
    const brn_status status = brn_generate_group(mesh, name, marked);
    brn_free(mesh->ctx, marked);
    return status;
}

brn_status brn_hex_frame_named_groups(const brn_hex_frame *frame, brn_mesh *mesh,
                                      const char *const names[3][2])
{
    for (int axis = 0; axis < 3; ++axis) {
        const bool open = (!frame->blown[axis] || frame->half) && !(axis == 2 && frame->wrapped);
        for (int upper = 0; open && upper < (frame->blown[axis] ? 1 : 2); ++upper) {
            BRN_TRY(index_group(frame, mesh, axis, upper ? frame->n[axis] : 0, names[axis][upper]));
        }
    }
    return BRN_OK;
}

brn_status brn_hex_frame_side_groups(const brn_hex_frame *frame, brn_mesh *mesh)
{
    static const char *const names[3][2] = {{"-x", "+x"}, {"-y", "+y"}, {"-z", "+z"}};
    return brn_hex_frame_named_groups(frame, mesh, names);
}

brn_status brn_hex_frame_outer_group(const brn_hex_frame *frame, brn_mesh *mesh, const char *name)
{
    unsigned char *marked = NULL;
    BRN_ALLOC(mesh->ctx, marked, mesh->nnode);
    for (int i = 0; i < mesh->nnode; ++i) {
        marked[i] = frame->index[i][3] == frame->layers && on_blown_side(frame, frame->index[i]);
    }
    const brn_status status = brn_generate_group(mesh, name, marked);
    brn_free(mesh->ctx, marked);
    return status;
}

/* ---- o-grid ---------------------------------------------------------------------------------------------------------- */

/* The core reaches from core_middle on the axes to core_corner on the diagonals; without a shell it is the disc. */
static const double core_middle = 0.55, core_corner = 1.2 * 0.55;

void brn_hex_frame_disc(const brn_hex_frame *frame, const int at[4], double out[2])
{
    const bool shell = frame->layers > 0;
    const double square = shell ? (core_corner - core_middle) / (sqrt(2.0) - 1.0) : 0.0;
    const double disc = shell ? core_middle - square : 1.0, t = shell ? (double)at[3] / frame->layers : 0.0;
    const double u = (double)(2 * at[0] - frame->n[0]) / frame->n[0],
                 v = (double)(2 * at[1] - frame->n[1]) / frame->n[1];
    const double m = fmax(fabs(u), fabs(v));
    double a = m > 0.0 ? tan(M_PI_4 * (u / m)) : 0.0, b = m > 0.0 ? tan(M_PI_4 * (v / m)) : 0.0;
    const double size = m > 0.0 ? hypot(a, b) : 1.0;
    a /= size;
    b /= size;
    out[0] = (1.0 - t) * (square * u + disc * m * a) + t * a;
    out[1] = (1.0 - t) * (square * v + disc * m * b) + t * b;
}

double brn_hex_frame_disc_shell(void)
{
    return 1.0 - 0.5 * (core_middle + core_corner);
}

/* ---- other cells ------------------------------------------------------------------------------------------------------- */

int brn_hex_pieces(brn_cell element)
{
    return element == BRN_TET4 || element == BRN_TET10 ? 5 : 1;
}

/* Five tets of a hexahedron whose corners 0, 2, 5, 7 have colour 0. */
static const int five[5][4] = {{0, 5, 2, 7}, {0, 1, 2, 5}, {0, 2, 3, 7}, {0, 5, 7, 4}, {2, 7, 5, 6}};
/* A quarter turn about its own z brings the other case to this one. */
static const int turned[8] = {1, 2, 3, 0, 5, 6, 7, 4};

static brn_status cut_hexahedra(brn_mesh *mesh, const unsigned char *colour)
{
    const int nhex = mesh->ncell[BRN_HEX8];
    BRN_TRY(brn_mesh_alloc_cells(mesh, BRN_TET4, 5 * nhex));
    int *tet = mesh->cell[BRN_TET4];
    for (int h = 0; h < nhex; ++h) {
        const int *node = mesh->cell[BRN_HEX8] + 8 * (size_t)h;
        const bool turn = colour[node[0]] != 0;
        for (int t = 0; t < 5; ++t) {
            for (int i = 0; i < 4; ++i) {
                *tet++ = node[turn ? turned[five[t][i]] : five[t][i]];
            }
        }
    }
    return brn_mesh_alloc_cells(mesh, BRN_HEX8, 0);
}

brn_status brn_hex_convert(brn_mesh *mesh, const unsigned char *colour, brn_cell element)
{
    if (brn_hex_pieces(element) > 1) {
        BRN_TRY(cut_hexahedra(mesh, colour));
    }
    return element == BRN_TET10 || element == BRN_HEX20 ? brn_mesh_raise_order(mesh) : BRN_OK;
}

brn_status brn_hex_frame_convert(const brn_hex_frame *frame, brn_mesh *mesh, brn_cell element)
{
    unsigned char *colour = NULL;
    BRN_ALLOC(mesh->ctx, colour, mesh->nnode);
    for (int i = 0; i < mesh->nnode; ++i) {
        const int *at = frame->index[i];
        colour[i] = (unsigned char)((at[0] + at[1] + at[2] + at[3]) & 1);
    }
    const brn_status status = brn_hex_convert(mesh, colour, element);
    brn_free(mesh->ctx, colour);
    return status;
}
