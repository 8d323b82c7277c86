#include "output/drawing/movement.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = a[i] - b[i];
    }
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- once a body --------------------------------------------------------------------------------------------------- */

/* How much a further vertex spans with the n chosen: distance, area, volume; all squared. */
static double spread(int n, double edge[3][3], const double d[3])
{
    double normal[3];
    if (n == 1) {
        return dot(d, d);
    }
    if (n == 2) {
        cross(edge[0], d, normal);
        return dot(normal, normal);
    }
    cross(edge[0], edge[1], normal);
    const double volume = dot(normal, d);
    return volume * volume;
}

/* The vertex that spans most with those chosen; -1 if all lie in what they span, up to a millionth of the size. */
static int choose(const brn_drawing *s, int body, const double (*rest)[3], int n, double edge[3][3],
                  const double origin[3], double size)
{
    int best = -1;
    double most = pow(size, 2.0 * n) * 1e-12;
    for (int v = s->vertex_first[body]; v < s->vertex_first[body + 1]; ++v) {
        double d[3];
        subtract(rest[s->node[v]], origin, d);
        const double value = spread(n, edge, d);
        if (value > most) {
            most = value;
            best = v;
        }
    }
    return best;
}

static bool invert(double edge[3][3], double out[3][3])
{
    /* Rows of the inverse of the matrix with columns e0, e1, e2. */
    cross(edge[1], edge[2], out[0]);
    cross(edge[2], edge[0], out[1]);
    cross(edge[0], edge[1], out[2]);
    const double det = dot(edge[0], out[0]);
    for (int i = 0; i < 9; ++i) {
        out[i / 3][i % 3] /= det;
    }
    return isfinite(1.0 / det);
}

/* Unit vector perpendicular to the two edges; false if there is none. */
static bool flat_normal(double edge[3][3])
{
    cross(edge[0], edge[1], edge[2]);
    const double length = sqrt(dot(edge[2], edge[2]));
    for (int i = 0; i < 3; ++i) {
        edge[2][i] /= length;
    }
    return length > 0.0 && isfinite(length);
}

void brn_movement_frame_make(const brn_drawing *s, int body, const double (*rest)[3], brn_movement_frame *out)
{
    double edge[3][3] = {{0}};
    double size = 0.0;
    *out = (brn_movement_frame){.vertex = {-1, -1, -1, -1}};
    if (s->vertex_first[body] == s->vertex_first[body + 1]) {
        return;
    }
    const int origin = s->vertex_first[body];
    const double *at = rest[s->node[origin]];
    int chosen[4] = {origin, -1, -1, -1};
    for (int n = 1; n < 4; ++n) {
        chosen[n] = choose(s, body, rest, n, edge, at, size);
        if (chosen[n] < 0 && n < 3) {
            return; /* a point or a line: any number of maps would do */
        }
        if (chosen[n] >= 0) {
            subtract(rest[s->node[chosen[n]]], at, edge[n - 1]);
            size = n == 1 ? sqrt(dot(edge[0], edge[0])) : size;
        }
    }
    if ((chosen[3] >= 0 || flat_normal(edge)) && invert(edge, out->inverse)) {
        memcpy(out->vertex, chosen, sizeof chosen);
    }
}

/* ---- once a frame -------------------------------------------------------------------------------------------------- */

static void find_box(const brn_drawing *s, int body, const double *pos, brn_movement *out, double *largest,
                     double *furthest)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY};
    double hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int v = s->vertex_first[body]; v < s->vertex_first[body + 1]; ++v) {
        const double *x = pos + 3 * (size_t)s->node[v];
        for (int i = 0; i < 3; ++i) {
            lo[i] = fmin(lo[i], x[i]);
            hi[i] = fmax(hi[i], x[i]);
        }
    }
    *largest = 0.0;
    *furthest = 0.0;
    for (int i = 0; i < 3; ++i) {
        /* The page computes with this box: it must contain all vertices after its corner is rounded. */
        out->low[i] = brn_drawing_float(lo[i]);
        if ((double)out->low[i] > lo[i]) {
            out->low[i] = nextafterf(out->low[i], -FLT_MAX);
        }
        const double size = hi[i] - (double)out->low[i];
        out->size[i] = brn_drawing_float(size);
        if ((double)out->size[i] < size) {
            out->size[i] = nextafterf(out->size[i], FLT_MAX);
        }
        *largest = fmax(*largest, hi[i] - lo[i]);
        *furthest = fmax(*furthest, fmax(fabs(lo[i]), fabs(hi[i])));
    }
}

/* A = (current edges) (rest edges)^-1. A flat body keeps the length of its normal. */
static bool fit(const brn_drawing *s, const double (*rest)[3], const brn_movement_frame *frame,
                const double *pos, float affine[3][4])
{
    double edge[3][3];
    const double *at = pos + 3 * (size_t)s->node[frame->vertex[0]];
    const double *origin = rest[s->node[frame->vertex[0]]];
    for (int n = 1; n < 4 && frame->vertex[n] >= 0; ++n) {
        subtract(pos + 3 * (size_t)s->node[frame->vertex[n]], at, edge[n - 1]);
    }
    if (frame->vertex[3] < 0 && !flat_normal(edge)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        double a[3];
        for (int k = 0; k < 3; ++k) {
            a[k] = edge[0][i] * frame->inverse[0][k] + edge[1][i] * frame->inverse[1][k] +
                   edge[2][i] * frame->inverse[2][k];
            affine[i][k] = brn_drawing_float(a[k]);
        }
        affine[i][3] = brn_drawing_float(at[i] - dot(a, origin));
    }
    return true;
}

/* Is every vertex where the map (NULL: the rest position) puts it, in the page's precision? */
static bool holds(const brn_drawing *s, int body, const double (*rest)[3], const double *pos,
                  float affine[3][4], double slack)
{
    for (int v = s->vertex_first[body]; v < s->vertex_first[body + 1]; ++v) {
        const size_t n = (size_t)s->node[v];
        const double r[3] = {brn_drawing_float(rest[n][0]), brn_drawing_float(rest[n][1]),
                             brn_drawing_float(rest[n][2])};
        for (int i = 0; i < 3; ++i) {
            const double x = affine == NULL ? r[i]
                                            : (double)affine[i][0] * r[0] + (double)affine[i][1] * r[1] +
                                                  (double)affine[i][2] * r[2] + (double)affine[i][3];
            if (!(fabs(x - pos[3 * n + (size_t)i]) <= slack)) {
                return false;
            }
        }
    }
    return true;
}

void brn_movement_find(const brn_drawing *s, int body, const double (*rest)[3],
                       const brn_movement_frame *frame, const double *pos, brn_movement *out)
{
    double largest = 0.0;
    double furthest = 0.0;
    *out = (brn_movement){.kind = BRN_MOVEMENT_STILL};
    if (s->vertex_first[body] == s->vertex_first[body + 1]) {
        return;
    }
    find_box(s, body, pos, out, &largest, &furthest);
    /* Half a step of the longest side; far from the origin f32 itself is coarser than that. */
    const double slack = largest / 131070.0 + 4.0 * FLT_EPSILON * furthest;
    if (holds(s, body, rest, pos, NULL, slack)) {
        return;
    }
    const bool affine = frame->vertex[0] >= 0 && fit(s, rest, frame, pos, out->affine) &&
                        holds(s, body, rest, pos, out->affine, slack);
    out->kind = affine ? BRN_MOVEMENT_AFFINE : BRN_MOVEMENT_FREE;
}
