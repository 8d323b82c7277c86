/* Meshes of every generator with every element, as coarse as they may be, and shapes. */
#include "storm_scene.h"

void storm_vector(const storm_draft *d, char *to, size_t size, double x, double y, double z)
{
    if (d->dim == 2) {
        add(to, size, "[%.9g, %.9g]", x, z);
    } else {
        add(to, size, "[%.9g, %.9g, %.9g]", x, y, z);
    }
}

static storm_part about(double x, double y, double z)
{
    return (storm_part){.box = {x, y, z}};
}

static storm_part plane_solid(storm_draft *d, int number, double r)
{
    static const char *const elements[] = {"tri3", "tri6"};
    char *m = d->meshes;
    const char *element = elements[pick_one(&d->rng, 2)];
    const double high = r * pick(&d->rng, 0.3, 2.0);
    const int cells = 1 + pick_one(&d->rng, 4);
    if (pick_one(&d->rng, 2) == 0) {
        add(m, sizeof d->meshes, "  m%d: {disc: {radius: %.9g, resolution: %.9g, element: %s}}\n", number, r,
            r * pick(&d->rng, 0.4, 1.5), element);
        storm_part disc = about(2.0 * r, 2.0 * r, 2.0 * r);
        disc.round = true;
        return disc;
    }
    add(m, sizeof d->meshes, "  m%d: {box: {size: [%.9g, %.9g], cells: [%d, 2], element: %s}}\n", number,
        2.0 * r, high, cells, element);
    return about(2.0 * r, 2.0 * r, high);
}

/* Eight corners, each up to a fifth of an edge inside those of a box. */
static void add_corners(storm_draft *d, const double box[3])
{
    static const int sign[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                   {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
    for (int i = 0; i < 8; ++i) {
        double x[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = 0.5 * sign[i][k] * box[k] * pick(&d->rng, 0.6, 1.0);
        }
        add(d->meshes, sizeof d->meshes, "%s[%.9g, %.9g, %.9g]", i > 0 ? ", " : "", x[0], x[1], x[2]);
    }
}

/* Those that have a box as their first idea. */
static storm_part blocky_solid(storm_draft *d, int number, double r, int kind, const char *element)
{
    static const char *const masks[] = {"'###/#.#/###'", "'##./.##/..#', '.../.#./..#'",
                                        "'#.#/###/#.#', '.../.#./...'"};
    char *m = d->meshes;
    const size_t nm = sizeof d->meshes;
    double box[3] = {2.0 * r, 0.0, 0.0};
    box[1] = 2.0 * r * pick(&d->rng, 0.3, 1.0);
    box[2] = 2.0 * r * pick(&d->rng, 0.1, 1.0);
    int cells[3];
    for (int k = 0; k < 3; ++k) {
        cells[k] = 1 + pick_one(&d->rng, 3 - (k == 2));
    }
    if (kind == 0) {
        add(m, nm, "  m%d: {box: {size: [%.9g, %.9g, %.9g], cells: [%d, %d, %d], element: %s", number, box[0],
            box[1], box[2], cells[0], cells[1], cells[2], element);
        if (pick_one(&d->rng, 6) == 0) {
            add(m, nm, ", grading: {point: [0, 0, %.9g], ratio: %.3g}", 0.5 * box[2],
                pick(&d->rng, 1.0, 8.0));
        }
        add(m, nm, "}}\n");
    } else if (kind == 1) {
        const int mask = pick_one(&d->rng, 3);
        add(m, nm, "  m%d: {voxel: {cell: %.9g, layers: [%s], element: %s}}\n", number, 2.0 * r / 3.0,
            masks[mask], element);
        return about(2.0 * r, 2.0 * r, 2.0 * r / 3.0 * (mask == 0 ? 1.0 : 2.0));
    } else if (kind == 2) {
        add(m, nm, "  m%d: {hexahedron: {corners: [", number);
        add_corners(d, box);
        add(m, nm, "], cells: [%d, %d, %d], element: %s}}\n", cells[0], cells[1], cells[2], element);
    } else {
        add(m, nm, "  m%d: {wedge: {size: [%.9g, %.9g, %.9g], along: %d, across: %d, element: %s}}\n", number,
            box[0], box[1], box[2], cells[0], cells[1], pick_one(&d->rng, 2) == 0 ? "tet4" : "tet10");
    }
    return about(box[0], box[1], box[2]);
}

static storm_part round_solid(storm_draft *d, int number, double r, int kind, const char *element)
{
    char *m = d->meshes;
    const size_t nm = sizeof d->meshes;
    const double resolution = r * pick(&d->rng, 0.6, 2.0);
    const double high = r * pick(&d->rng, 0.3, 2.0);
    const double thin = r * pick(&d->rng, 0.15, 0.35);
    storm_part part = about(2.0 * r, 2.0 * r, 2.0 * r);
    if (kind == 0) {
        add(m, nm, "  m%d: {sphere: {radius: %.9g, resolution: %.9g, element: %s}}\n", number, r, resolution,
            element);
        part.round = true;
    } else if (kind == 1) {
        add(m, nm, "  m%d: {cylinder: {radius: %.9g, height: %.9g, resolution: %.9g, element: %s}}\n", number,
            r, high, resolution, element);
        part.box[2] = high;
    } else if (kind == 2) {
        const int to = pick_one(&d->rng, 3) == 0 ? 360 : 60 + pick_one(&d->rng, 240);
        add(m, nm,
            "  m%d: {sector: {inner_radius: %.9g, outer_radius: %.9g, width: %.9g, to: %d, cells: [%d, %d, "
            "1], "
            "element: %s}}\n",
            number, r - thin, r, high, to, 1 + pick_one(&d->rng, 2), 6 + 2 * pick_one(&d->rng, 3), element);
        part.box[2] = high;
    } else if (kind == 3) {
        const bool quadratic = strcmp(element, "tet10") == 0 || strcmp(element, "hex20") == 0;
        const double straight = pick_one(&d->rng, 3) == 0 ? r : 0.0;
        add(m, nm,
            "  m%d: {torus: {major_radius: %.9g, minor_radius: %.9g, straight: %.9g, around: %d, across: %d, "
            "element: "
            "%s}}\n",
            number, r - thin, thin, straight, 6 + 2 * pick_one(&d->rng, 4), quadratic ? 4 : 2, element);
        part.box[0] += straight;
        part.box[2] = 2.0 * thin;
    } else {
        add(m, nm, "  m%d: {quarter_ball: {radius: %.9g, core: %.9g, cells: %d, element: %s}}\n", number, r,
            r * pick(&d->rng, 0.2, 0.6), 1 + pick_one(&d->rng, 2), element);
        part.centre = -0.5 * r;
        part.box[2] = r;
    }
    return part;
}

storm_part storm_solid(storm_draft *d, int number, double r)
{
    static const char *const elements[] = {"tet4", "tet10", "hex8", "hex20"};
    if (d->dim == 2) {
        return plane_solid(d, number, r);
    }
    if (d->launches && pick_one(&d->rng, 3) == 0) {
        return storm_clip(d, number, r);
    }
    const char *element = elements[pick_one(&d->rng, 4)];
    const int kind = pick_one(&d->rng, 9);
    return kind < 4 ? blocky_solid(d, number, r, kind, element)
                    : round_solid(d, number, r, kind - 4, element);
}

storm_part storm_sheet(storm_draft *d, int number, double r, bool closed)
{
    static const char *const patterns[] = {"alternating", "cross", "slash"};
    char *m = d->meshes;
    const size_t nm = sizeof d->meshes;
    const double high = r * pick(&d->rng, 0.5, 1.5);
    const int kind = closed ? 2 + pick_one(&d->rng, 2) : pick_one(&d->rng, 5);
    storm_part part = about(2.0 * r, 2.0 * r, 0.0);
    if (kind == 0) {
        part.box[1] = high;
        add(m, nm, "  m%d: {grid: {size: [%.9g, %.9g], cells: [%d, %d], pattern: %s}}\n", number, 2.0 * r,
            high, 1 + pick_one(&d->rng, 6), 1 + pick_one(&d->rng, 6), patterns[pick_one(&d->rng, 3)]);
    } else if (kind == 1) {
        add(m, nm, "  m%d: {disc: {radius: %.9g, resolution: %.9g}}\n", number, r,
            r * pick(&d->rng, 0.3, 1.0));
    } else if (kind == 2) {
        add(m, nm, "  m%d: {icosphere: {radius: %.9g, subdivisions: %d}}\n", number, r, pick_one(&d->rng, 3));
        part.box[2] = 2.0 * r;
        part.round = true;
    } else {
        /* a double cone, or a cup without a lid */
        add(m, nm, "  m%d: {lathe: {profile: [[%.9g, %.9g], [%.9g, 0], [%.9g, %.9g]], segments: %d}}\n",
            number, kind == 3 ? 0.0 : 0.4 * r, -0.5 * high, r, kind == 3 ? 0.0 : 0.8 * r, 0.5 * high,
            4 + pick_one(&d->rng, 6));
        part.box[2] = high;
    }
    return part;
}

storm_part storm_shape(storm_draft *d, double r)
{
    char *b = d->bodies;
    const size_t nb = sizeof d->bodies;
    const double high = r * pick(&d->rng, 0.3, 2.0);
    const int segments = 4 + pick_one(&d->rng, 12);
    const int kind = pick_one(&d->rng, d->dim == 3 ? 4 : 3);
    storm_part part = about(2.0 * r, 2.0 * r, 2.0 * r);
    if (kind == 0) {
        add(b, nb, "shape: {sphere: {radius: %.9g, segments: %d}}", r, segments);
        part.round = true;
    } else if (kind == 1) {
        part.box[2] = high;
        add(b, nb, "shape: {box: {size: ");
        storm_vector(d, b, nb, 2.0 * r, 2.0 * r, high);
        add(b, nb, "}}");
    } else if (kind == 2) {
        part.box[2] = high + 2.0 * r;
        add(b, nb, "shape: {capsule: {radius: %.9g, height: %.9g, segments: %d}}", r, high, segments);
    } else {
        part.box[2] = high;
        add(b, nb, "shape: {cylinder: {radius: %.9g, height: %.9g, segments: %d}}", r, high, segments);
    }
    return part;
}
