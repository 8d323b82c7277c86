#include "storm_surface.h"

#include "unit/exact.h"

#include <hdf5.h>

typedef struct frame {
    int dim, nnode, nbody, nface; /* faces: triangles, in 2D edges */
    double *first, *last;         /* [m], [nnode][3]; last: the frame that is looked at */
    int frames;
    int *face, *owner; /* [nface][dim] nodes, [nface] bodies */
    int *type, *plane, *node_first, *node_count;
    char *name; /* [nbody][length] */
    size_t length;
} frame;

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

/* All of a dataset, NULL if it is not there; *rows: its first extent. */
static void *read_all(hid_t file, const char *path, hid_t type, size_t size, int *rows)
{
    hsize_t dims[4] = {0, 1, 1, 1};
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set < 0) {
        return NULL;
    }
    const hid_t space = H5Dget_space(set);
    (void)H5Sget_simple_extent_dims(space, dims, NULL);
    void *data = calloc((size_t)(dims[0] * dims[1] * dims[2] * dims[3]) + 1, size);
    assert_non_null(data);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    *rows = (int)dims[0];
    (void)H5Sclose(space);
    (void)H5Dclose(set);
    return data;
}

static void read_names(hid_t file, frame *f)
{
    const hid_t set = H5Dopen2(file, "/model/bodies/name", H5P_DEFAULT);
    const hid_t type = H5Dget_type(set);
    f->length = H5Tget_size(type);
    f->name = calloc((size_t)f->nbody + 1, f->length);
    assert_non_null(f->name);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, f->name) >= 0);
    (void)H5Tclose(type);
    (void)H5Dclose(set);
}

static bool read_frames(const char *path, frame *f)
{
    int rows = 0;
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) {
        return false;
    }
    f->type = read_all(file, "/model/bodies/type", H5T_NATIVE_INT, sizeof(int), &f->nbody);
    f->plane = read_all(file, "/model/bodies/plane", H5T_NATIVE_INT, sizeof(int), &rows);
    f->node_first = read_all(file, "/model/bodies/node_first", H5T_NATIVE_INT, sizeof(int), &rows);
    f->node_count = read_all(file, "/model/bodies/node_count", H5T_NATIVE_INT, sizeof(int), &rows);
    free(read_all(file, "/model/rest", H5T_NATIVE_DOUBLE, sizeof(double), &f->nnode));
    f->first = read_all(file, "/frames/position", H5T_NATIVE_DOUBLE, sizeof(double), &f->frames);
    const hid_t attribute = H5Aopen(file, "dim", H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Aread(attribute, H5T_NATIVE_INT, &f->dim) >= 0);
    (void)H5Aclose(attribute);
    const char *kind = f->dim == 3 ? "/model/boundary/tri" : "/model/boundary/edge";
    const char *owner = f->dim == 3 ? "/model/boundary/tri_body" : "/model/boundary/edge_body";
    f->face = read_all(file, kind, H5T_NATIVE_INT, sizeof(int), &f->nface);
    f->owner = read_all(file, owner, H5T_NATIVE_INT, sizeof(int), &rows);
    read_names(file, f);
    (void)H5Fclose(file);
    assert_true(f->type != NULL && f->plane != NULL && f->node_first != NULL && f->face != NULL &&
                f->owner != NULL);
    return f->frames > 0;
}

static void drop_frame(frame *f)
{
    free(f->first);
    free(f->face);
    free(f->owner);
    free(f->type);
    free(f->plane);
    free(f->node_first);
    free(f->node_count);
    free(f->name);
}

/* ---- looking ------------------------------------------------------------------------------------------------------------ */

/* Whether two bodies may not meet: not both obstacles, not welded, no half-space (which is not its patch). */
static bool apart(const frame *f, const storm_scene *scene, int a, int b)
{
    enum { STATIC = 1, RIGID = 2 };
    const char *one = f->name + (size_t)a * f->length;
    const char *other = f->name + (size_t)b * f->length;
    const bool welded = (strcmp(one, scene->welded[0]) == 0 && strcmp(other, scene->welded[1]) == 0) ||
                        (strcmp(one, scene->welded[1]) == 0 && strcmp(other, scene->welded[0]) == 0);
    const bool alone = a == b && (!scene->self || f->type[a] == STATIC || f->type[a] == RIGID);
    return !alone && !welded && !f->plane[a] && !f->plane[b] &&
           (f->type[a] != STATIC || f->type[b] != STATIC);
}

/* The boxes about nodes of two parts have a common point. */
static bool boxes_meet(const frame *f, const int *a, int na, const int *b, int nb)
{
    for (int k = 0; k < f->dim; ++k) {
        double range[2][2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
        for (int i = 0; i < na; ++i) {
            range[0][0] = fmin(range[0][0], f->last[3 * a[i] + k]);
            range[0][1] = fmax(range[0][1], f->last[3 * a[i] + k]);
        }
        for (int i = 0; i < nb; ++i) {
            range[1][0] = fmin(range[1][0], f->last[3 * b[i] + k]);
            range[1][1] = fmax(range[1][1], f->last[3 * b[i] + k]);
        }
        if (range[0][0] > range[1][1] || range[1][0] > range[0][1]) {
            return false;
        }
    }
    return true;
}

/* Height of a node over the plane of a face (2D: line), times the face's area or length. */
static double height(const frame *f, const double *pos, const int *face, int node)
{
    double e[3][3];
    const int to[3] = {face[1], face[f->dim - 1], node};
    for (int i = 0; i < 9; ++i) {
        e[i / 3][i % 3] = pos[3 * to[i / 3] + i % 3] - pos[3 * face[0] + i % 3];
    }
    if (f->dim == 2) {
        return e[0][0] * e[2][1] - e[0][1] * e[2][0];
    }
    return e[2][0] * (e[0][1] * e[1][2] - e[0][2] * e[1][1]) +
           e[2][1] * (e[0][2] * e[1][0] - e[0][0] * e[1][2]) +
           e[2][2] * (e[0][0] * e[1][1] - e[0][1] * e[1][0]);
}

static bool face_meets_edge(const frame *f, const int *face, const int edge[2])
{
    const double *points[3], *ends[2];
    for (int i = 0; i < f->dim; ++i) {
        points[i] = f->last + 3 * face[i];
        if (face[i] == edge[0] || face[i] == edge[1]) {
            return false;
        }
    }
    if (!boxes_meet(f, face, f->dim, edge, 2)) {
        return false;
    }
    /* Clearly on one side of the face's plane: no need for rationals. */
    double scale = 0.0;
    for (int i = 0; i < f->dim; ++i) {
        for (int k = 0; k < f->dim; ++k) {
            scale = fmax(scale, fabs(f->last[3 * face[i] + k]));
        }
    }
    for (int i = 0; i < 2; ++i) {
        ends[i] = f->last + 3 * edge[i];
    }
    const double low = 1e-12 * pow(scale, f->dim), one = height(f, f->last, face, edge[0]),
                 other = height(f, f->last, face, edge[1]);
    if ((one > low && other > low) || (one < -low && other < -low)) {
        return false;
    }
    return exact_hulls_meet(f->dim, f->dim, points, 2, ends);
}

/* Normal to two edges, in 2D to the first. */
static void across(const frame *f, int a0, int a1, int b0, int b1, double normal[3])
{
    double a[3], b[3] = {0.0, 0.0, 1.0};
    for (int k = 0; k < 3; ++k) {
        a[k] = f->last[3 * a1 + k] - f->last[3 * a0 + k];
        b[k] = f->dim == 3 ? f->last[3 * b1 + k] - f->last[3 * b0 + k] : b[k];
    }
    for (int k = 0; k < 3; ++k) {
        normal[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
}

/* [m] By how much a face and an edge overlap along a direction. */
static double overlap(const frame *f, const int *face, const int edge[2], const double normal[3])
{
    double range[2][2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    const double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    for (int i = 0; i < f->dim + 2; ++i) {
        const int edge_too = i >= f->dim;
        const double *x = f->last + 3 * (edge_too ? edge[i - f->dim] : face[i]);
        const double at = (x[0] * normal[0] + x[1] * normal[1] + x[2] * normal[2]) / length;
        range[edge_too][0] = fmin(range[edge_too][0], at);
        range[edge_too][1] = fmax(range[edge_too][1], at);
    }
    return fmin(range[0][1] - range[1][0], range[1][1] - range[0][0]);
}

/* [m] How far an edge that meets a face must be moved to be free of it: the least overlap along the axes of separation. Parallel
   edges have none (NaN). */
static double way_out(const frame *f, const int *face, const int edge[2])
{
    double normal[3];
    across(f, face[0], face[1], face[1], face[f->dim - 1], normal);
    double way = overlap(f, face, edge, normal);
    for (int i = 0; i < (f->dim == 3 ? 3 : 1); ++i) {
        across(f, edge[0], edge[1], face[i], face[(i + 1) % f->dim], normal);
        way = fmin(way, overlap(f, face, edge, normal));
    }
    return way;
}

static void note(const frame *f, storm_met *out, double depth, int a, int b)
{
    if (out->count++ == 0 || depth > out->depth) {
        out->depth = depth;
        (void)snprintf(out->where, sizeof out->where, "%s and %s", f->name + (size_t)a * f->length,
                       f->name + (size_t)b * f->length);
    }
}

/* Nodes of moving bodies on the other side of a half-space, given by a face, than at the start. */
static void look_behind(const frame *f, int face, storm_met *out)
{
    enum { STATIC = 1 };
    const int *plane = f->face + face * f->dim;
    double normal[3];
    across(f, plane[0], plane[1], plane[1], plane[f->dim - 1], normal);
    const double area = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    for (int i = 0; i < f->nface * f->dim; ++i) {
        const int body = f->owner[i / f->dim];
        const double now = height(f, f->last, plane, f->face[i]);
        if (f->type[body] != STATIC && height(f, f->first, plane, f->face[i]) * now <= 0.0) {
            note(f, out, fabs(now) / area, body, f->owner[face]);
        }
    }
}

/* The box about every face, [nface][2][3]. */
static double (*face_boxes(const frame *f))[2][3]
{
    double(*box)[2][3] = calloc((size_t)f->nface + 1, sizeof *box);
    assert_non_null(box);
    for (int i = 0; i < f->nface; ++i) {
        for (int k = 0; k < 3; ++k) {
            box[i][0][k] = INFINITY;
            box[i][1][k] = -INFINITY;
            for (int n = 0; n < f->dim; ++n) {
                const double x = f->last[3 * f->face[i * f->dim + n] + k];
                box[i][0][k] = x < box[i][0][k] ? x : box[i][0][k];
                box[i][1][k] = x > box[i][1][k] ? x : box[i][1][k];
            }
        }
    }
    return box;
}

static bool overlaps(const double a[2][3], const double b[2][3])
{
    return a[0][0] <= b[1][0] && b[0][0] <= a[1][0] && a[0][1] <= b[1][1] && b[0][1] <= a[1][1] &&
           a[0][2] <= b[1][2] && b[0][2] <= a[1][2];
}

static void look_at(const frame *f, const storm_scene *scene, storm_met *out)
{
    double(*box)[2][3] = face_boxes(f);
    for (int i = 0; i < f->nface; ++i) {
        if (f->plane[f->owner[i]] && (i == 0 || f->owner[i - 1] != f->owner[i])) {
            look_behind(f, i, out);
        }
        for (int j = 0; j < f->nface; ++j) {
            if (!overlaps((const double(*)[3])box[i], (const double(*)[3])box[j]) ||
                !apart(f, scene, f->owner[i], f->owner[j])) {
                continue;
            }
            for (int e = 0; e < (f->dim == 3 ? 3 : 1); ++e) {
                const int *face = f->face + i * f->dim, *other = f->face + j * f->dim;
                const int edge[2] = {other[e], other[(e + 1) % f->dim]};
                if (face_meets_edge(f, face, edge)) {
                    note(f, out, way_out(f, face, edge), f->owner[i], f->owner[j]);
                }
            }
        }
    }
    free(box);
}

bool storm_meetings(const char *trajectory, const storm_scene *scene, storm_met *out)
{
    frame f = {0};
    *out = (storm_met){0};
    const bool found = read_frames(trajectory, &f);
    /* Of some 40 frames ten that are evenly apart show what 40 would. */
    enum { LOOKS = 10 };
    const int looks = storm_promises(scene) ? LOOKS : 1;
    for (int k = 0; found && k < looks; ++k) {
        const int at = f.frames - 1 - k * (f.frames - 1) / LOOKS;
        f.last = f.first + 3 * (size_t)f.nnode * (size_t)at;
        look_at(&f, scene, out);
    }
    drop_frame(&f);
    return found;
}
