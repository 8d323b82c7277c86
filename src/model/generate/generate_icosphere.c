/* A closed triangle surface: the faces of an icosahedron cut into f^2 triangles each and laid on the sphere. A point with
   barycentric counts (a, b, c), a + b + c = f, is the normalised mean of three constructions, one for each corner of
   the face: the great-circle row opposite that corner, divided evenly. Edges are divided evenly by angle, and the
   triangles are more equal than those of a projected flat grid. Winding outwards. */
#include "model/generate/generate.h"

#include <string.h>

typedef struct icosphere_params {
    brn_block block;
    double radius; /* [m] */
    int subdivisions;
    double resolution; /* [m] */
} icosphere_params;

static const brn_param params[] = {
    BRN_P_LENGTH(icosphere_params, radius, "radius"),
    BRN_P_INT(icosphere_params, subdivisions, 3, 0, 10, "how often the icosahedron's edges are halved"),
    BRN_P_REAL(icosphere_params, resolution, "m", 0.0, 0.0, INFINITY, BRN_OPEN_HIGH,
               "longest edge; > 0 replaces subdivisions"),
};

static const brn_table table = {
    .name = "icosphere",
    .help = "a closed triangle surface of a sphere about the origin",
    .size = sizeof(icosphere_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

enum { CORNERS = 12, EDGES = 30, FACES = 20 };

/* The poles, and two rings of five at latitude +-atan(1/2); faces counter-clockwise from outside. */
static const int faces[FACES][3] = {
    {0, 1, 2},  {0, 2, 3},  {0, 3, 4},  {0, 4, 5},  {0, 5, 1},   {1, 6, 2},   {2, 6, 7},
    {2, 7, 3},  {3, 7, 8},  {3, 8, 4},  {4, 8, 9},  {4, 9, 5},   {5, 9, 10},  {5, 10, 1},
    {1, 10, 6}, {6, 11, 7}, {7, 11, 8}, {8, 11, 9}, {9, 11, 10}, {10, 11, 6},
};

static void corner_position(int corner, double out[3])
{
    const bool pole = corner == 0 || corner == 11;
    const double z = pole ? 1.0 : 1.0 / sqrt(5.0), around = pole ? 0.0 : 2.0 / sqrt(5.0);
    const double angle = 2.0 * M_PI / 5.0 * (corner < 6 ? corner - 1 : corner - 5.5);
    out[0] = around * cos(angle);
    out[1] = around * sin(angle);
    out[2] = corner < 6 ? z : -z;
}

static double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Point at the share t of the great-circle arc from a to b (unit vectors). */
static void arc(const double a[3], const double b[3], double t, double out[3])
{
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double half = 0.5 * sqrt(dot3(d, d)), angle = 2.0 * asin(fmin(half, 1.0));
    const double s = sin(angle), p = s > 0.0 ? sin((1.0 - t) * angle) / s : 1.0 - t,
                 q = s > 0.0 ? sin(t * angle) / s : t;
    for (int k = 0; k < 3; ++k) {
        out[k] = p * a[k] + q * b[k];
    }
}

/* Point of a face with corners v and counts n (n[0] + n[1] + n[2] = f). */
static void face_point(const double v[3][3], const int n[3], double out[3])
{
    const int f = n[0] + n[1] + n[2];
    memset(out, 0, 3 * sizeof *out);
    for (int c = 0; c < 3; ++c) {
        /* The row of points with the same count at corner c, from the edge to b towards the edge to d. */
        const int b = (c + 1) % 3, d = (c + 2) % 3, across = n[b] + n[d];
        double left[3], right[3], x[3];
        arc(v[c], v[b], (double)across / f, left);
        arc(v[c], v[d], (double)across / f, right);
        arc(left, right, across > 0 ? (double)n[d] / across : 0.0, x);
        for (int k = 0; k < 3; ++k) {
            out[k] += x[k];
        }
    }
    const double size = sqrt(dot3(out, out));
    for (int k = 0; k < 3; ++k) {
        out[k] /= size;
    }
}

/* Number of the edge between two corners. Each edge belongs to two faces, once in each direction: the ascending ones
   are counted in the order of faces. */
static int edge_number(int a, int b)
{
    const int low = a < b ? a : b, high = a < b ? b : a;
    int number = 0;
    for (int i = 0; i < 3 * FACES; ++i) {
        const int p = faces[i / 3][i % 3], q = faces[i / 3][(i % 3 + 1) % 3];
        if (p == low && q == high) {
            break;
        }
        number += p < q;
    }
    return number;
}

/* Node numbers: corners, then the f - 1 inner nodes of each edge (from its lower corner), then those of each face. */
static int node_number(int face, int f, const int n[3])
{
    const int *corner = faces[face];
    for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        if (n[k] == f) {
            return corner[k];
        }
        if (n[m] == 0 && n[k] > 0 && n[l] > 0) {
            const int from_low = corner[k] < corner[l] ? n[l] : n[k];
            return CORNERS + edge_number(corner[k], corner[l]) * (f - 1) + from_low - 1;
        }
    }
    const int inner = (f - 1) * (f - 2) / 2, row = n[2] - 1;
    /* Rows of f - 2, f - 3, ... nodes. */
    return CORNERS + EDGES * (f - 1) + face * inner + row * (f - 2) - row * (row - 1) / 2 + n[1] - 1;
}

static void build_face(int face, int f, double radius, brn_mesh *mesh)
{
    double v[3][3];
    for (int k = 0; k < 3; ++k) {
        corner_position(faces[face][k], v[k]);
    }
    for (int j = 0; j <= f; ++j) {
        for (int i = 0; i + j <= f; ++i) {
            const int n[3] = {f - i - j, i, j};
            double *x = mesh->pos[node_number(face, f, n)];
            face_point((const double(*)[3])v, n, x);
            for (int k = 0; k < 3; ++k) {
                x[k] *= radius;
            }
        }
    }
    int *tri = mesh->cell[BRN_TRI3] + 3 * (size_t)face * (size_t)f * (size_t)f;
    for (int j = 0; j < f; ++j) {
        for (int i = 0; i + j < f; ++i) {
            const int h = f - i - j;
            *tri++ = node_number(face, f, (int[3]){h, i, j});
            *tri++ = node_number(face, f, (int[3]){h - 1, i + 1, j});
            *tri++ = node_number(face, f, (int[3]){h - 1, i, j + 1});
            if (h > 1) {
                *tri++ = node_number(face, f, (int[3]){h - 1, i + 1, j});
                *tri++ = node_number(face, f, (int[3]){h - 2, i + 1, j + 1});
                *tri++ = node_number(face, f, (int[3]){h - 1, i, j + 1});
            }
        }
    }
}

static brn_status generate(brn_ctx *ctx, const void *given, brn_mesh **out)
{
    const icosphere_params *p = given;
    *out = NULL;
    BRN_TRY(brn_generate_check(ctx, &table, p));
    const bool by_length = p->resolution > 0.0;
    /* The edge of the icosahedron spans the angle atan(2); rows inside a face are a little longer than its edges. */
    const int f =
        by_length ? brn_generate_parts(1.2 * atan(2.0) * p->radius, p->resolution, 1) : 1 << p->subdivisions;
    BRN_TRY(
        brn_generate_limit(ctx, &table, p, by_length ? "resolution" : "subdivisions", FACES * (double)f * f));
    BRN_TRY(brn_mesh_create(ctx, 10 * f * f + 2, out));
    const brn_status status = brn_mesh_alloc_cells(*out, BRN_TRI3, FACES * f * f);
    if (status < 0) {
        brn_mesh_destroy(*out);
        *out = NULL;
        return status;
    }
    for (int face = 0; face < FACES; ++face) {
        build_face(face, f, p->radius, *out);
    }
    return BRN_OK;
}

static double volume(const void *given)
{
    const icosphere_params *p = given;
    return 4.0 / 3.0 * M_PI * p->radius * p->radius * p->radius;
}

const brn_generator brn_generator_icosphere = {&table, generate, volume};
