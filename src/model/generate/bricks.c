/* Bricks to voxels: planes of the lattice go through the faces of all bricks, so that sizes are exact and change the mesh
   continuously; what is between two faces is cut into equal cells. */
#include "model/generate/generate.h"

/* Faces nearer than this times the resolution share a plane: a cell between them would be a splinter. */
static const double SAME = 1e-3;

/* Where an axis is cut, ascending, and into how many cells what follows each cut. */
typedef struct axis_cuts {
    int count;
    double at[2 * BRN_BRICKS_MAX];
    double cells[2 * BRN_BRICKS_MAX];
} axis_cuts;

static void insert_sorted(axis_cuts *cuts, double value)
{
    int k = cuts->count++;
    for (; k > 0 && cuts->at[k - 1] > value; --k) {
        cuts->at[k] = cuts->at[k - 1];
    }
    cuts->at[k] = value;
}

/* Every run of faces that are near its first becomes one, in their middle: mirrored bricks have mirrored planes. */
static void merge_near(axis_cuts *cuts, double near)
{
    int kept = 0;
    for (int k = 0, end; k < cuts->count; k = end) {
        for (end = k + 1; end < cuts->count && cuts->at[end] - cuts->at[k] < near; ++end) {}
        cuts->at[kept++] = 0.5 * (cuts->at[k] + cuts->at[end - 1]);
    }
    cuts->count = kept;
}

static axis_cuts cut_axis(const brn_bricks *b, int axis)
{
    axis_cuts cuts = {0};
    for (int i = 0; i < b->count; ++i) {
        insert_sorted(&cuts, b->brick[i].lo[axis]);
        insert_sorted(&cuts, b->brick[i].hi[axis]);
    }
    merge_near(&cuts, SAME * b->resolution);
    for (int k = 0; k + 1 < cuts.count; ++k) {
        cuts.cells[k] = fmax(1.0, round((cuts.at[k + 1] - cuts.at[k]) / b->resolution));
    }
    return cuts;
}

static double axis_cells(const axis_cuts *cuts)
{
    double sum = 0.0;
    for (int k = 0; k + 1 < cuts->count; ++k) {
        sum += cuts->cells[k];
    }
    return sum;
}

double brn_bricks_cells(const brn_bricks *b)
{
    double product = 1.0;
    for (int a = 0; a < 3; ++a) {
        const axis_cuts cuts = cut_axis(b, a);
        product *= axis_cells(&cuts);
    }
    return product;
}

static void write_planes(const axis_cuts *cuts, double *plane)
{
    for (int k = 0; k + 1 < cuts->count; ++k) {
        const int cells = (int)cuts->cells[k];
        for (int i = 0; i < cells; ++i) {
            *plane++ = cuts->at[k] + (cuts->at[k + 1] - cuts->at[k]) * i / cells;
        }
    }
    *plane = cuts->at[cuts->count - 1];
}

/* Cells along an axis with their middle in a brick: from first to before end. */
static void find_range(const brn_voxels *v, int axis, const brn_brick *brick, int *first, int *end)
{
    const double *plane = v->plane[axis];
    *first = *end = 0;
    for (int i = 0; i < v->n[axis]; ++i) {
        const double middle = 0.5 * (plane[i] + plane[i + 1]);
        *first += middle < brick->lo[axis];
        *end += middle < brick->hi[axis];
    }
}

static void lay(brn_voxels *v, const brn_brick *brick)
{
    int first[3], end[3];
    for (int a = 0; a < 3; ++a) {
        find_range(v, a, brick, &first[a], &end[a]);
    }
    for (int k = first[2]; k < end[2]; ++k) {
        for (int j = first[1]; j < end[1]; ++j) {
            unsigned char *row = v->part + ((size_t)k * (size_t)v->n[1] + (size_t)j) * (size_t)v->n[0];
            for (int i = first[0]; i < end[0]; ++i) {
                row[i] = (unsigned char)brick->part;
            }
        }
    }
}

brn_status brn_bricks_voxels(brn_ctx *ctx, const brn_bricks *b, brn_voxels *out)
{
    for (int a = 0; a < 3; ++a) {
        const axis_cuts cuts = cut_axis(b, a);
        out->n[a] = (int)axis_cells(&cuts);
        BRN_ALLOC(ctx, out->plane[a], (size_t)out->n[a] + 1);
        write_planes(&cuts, out->plane[a]);
    }
    BRN_ALLOC(ctx, out->part, (size_t)out->n[0] * (size_t)out->n[1] * (size_t)out->n[2]);
    for (int i = 0; i < b->count; ++i) {
        lay(out, &b->brick[i]);
    }
    return BRN_OK;
}
