#include "model/read/polygon.h"

#include <math.h>
#include <string.h>

enum { MAX_EARS = 5000 }; /* ear clipping is quadratic; convex polygons have no limit */

/* A polygon in the plane; next links the corners that are left. */
typedef struct outline {
    int count;
    int *node;
    double (*at)[2];
    int *next;
} outline;

/* Twice the signed area of a triangle; > 0 if it turns left. */
static double turn(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Mean normal: twice the vector area. Relative to the first corner, so that distance from the origin costs no digits. */
static void newell_normal(const brn_draft *draft, const int *node, int count, double normal[3])
{
    const double *o = draft->pos[node[0]];
    memset(normal, 0, 3 * sizeof *normal);
    for (int i = 1; i + 1 < count; ++i) {
        const double *p = draft->pos[node[i]];
        const double *q = draft->pos[node[i + 1]];
        const double u[3] = {p[0] - o[0], p[1] - o[1], p[2] - o[2]};
        const double v[3] = {q[0] - o[0], q[1] - o[1], q[2] - o[2]};
        normal[0] += u[1] * v[2] - u[2] * v[1];
        normal[1] += u[2] * v[0] - u[0] * v[2];
        normal[2] += u[0] * v[1] - u[1] * v[0];
    }
}

/* Drops the coordinate along which the normal is longest; keeps the polygon counter-clockwise. */
static void project(const brn_draft *draft, const double normal[3], outline *out)
{
    int axis = 0;
    for (int k = 1; k < 3; ++k) {
        axis = fabs(normal[k]) > fabs(normal[axis]) ? k : axis;
    }
    const int first = (axis + 1) % 3;
    const int second = (axis + 2) % 3;
    const bool flip = normal[axis] < 0.0;
    for (int i = 0; i < out->count; ++i) {
        const double *p = draft->pos[out->node[i]];
        out->at[i][0] = p[flip ? second : first];
        out->at[i][1] = p[flip ? first : second];
    }
}

/* Left turns only (a straight corner would make a fan degenerate), and once around. */
static bool is_convex(const outline *o)
{
    int changes = 0; /* of the sign of dx along the way around: 2 for a simple convex polygon */
    double last = 0.0;
    double start = 0.0;
    for (int i = 0; i < o->count; ++i) {
        const double *a = o->at[i];
        const double *b = o->at[(i + 1) % o->count];
        const double *c = o->at[(i + 2) % o->count];
        if (!(turn(a, b, c) > 0.0)) {
            return false;
        }
        const double dx = b[0] - a[0];
        if (dx != 0.0) {
            changes += last != 0.0 && (dx > 0.0) != (last > 0.0);
            start = start == 0.0 ? dx : start;
            last = dx;
        }
    }
    changes += (start > 0.0) != (last > 0.0);
    return changes <= 2;
}

static brn_status add_triangle(brn_draft *draft, int a, int b, int c)
{
    const int node[3] = {a, b, c};
    return a == b || b == c || c == a ? BRN_OK : brn_draft_add_cell(draft, BRN_TRI3, node);
}

/* The corner after `before` is an ear: it turns left and no other corner is inside its triangle. */
static bool is_ear(const outline *o, int before)
{
    const int tip = o->next[before];
    const int after = o->next[tip];
    const double *a = o->at[before];
    const double *b = o->at[tip];
    const double *c = o->at[after];
    if (!(turn(a, b, c) > 0.0)) {
        return false;
    }
    for (int i = o->next[after]; i != before; i = o->next[i]) {
        const double *p = o->at[i];
        const bool corner =
            o->node[i] == o->node[before] || o->node[i] == o->node[tip] || o->node[i] == o->node[after];
        if (!corner && turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0) {
            return false;
        }
    }
    return true;
}

/* A corner on the straight line between its neighbours, or where the outline doubles back: cutting it off loses no
   area. Taken only when no ear is left, so that such corners become corners of real triangles where possible. */
static bool is_flat(const outline *o, int before)
{
    const int tip = o->next[before];
    return turn(o->at[before], o->at[tip], o->at[o->next[tip]]) == 0.0;
}

static brn_status clip_ears(brn_draft *draft, const brn_scan *scan, outline *o)
{
    for (int i = 0; i < o->count; ++i) {
        o->next[i] = (i + 1) % o->count;
    }
    int left = o->count;
    int before = 0;
    int tried = 0;
    bool flat = false; /* no ear in a whole round: look for flat corners too */
    while (left > 3) {
        if (is_ear(o, before) || (flat && is_flat(o, before))) {
            const int tip = o->next[before];
            if (!is_flat(o, before)) {
                BRN_TRY(add_triangle(draft, o->node[before], o->node[tip], o->node[o->next[tip]]));
            }
            o->next[before] = o->next[tip];
            --left;
            tried = 0;
            flat = false;
        } else if (++tried > left) {
            if (flat) {
                return brn_scan_fail(scan, "a polygon of %d corners crosses itself", o->count);
            }
            flat = true;
            tried = 0;
        }
        /* Start the next search one further, so that ears do not all share one corner. */
        before = o->next[before];
    }
    const int tip = o->next[before];
    return is_flat(o, before) ? BRN_OK
                              : add_triangle(draft, o->node[before], o->node[tip], o->node[o->next[tip]]);
}

static brn_status add_outline(brn_draft *draft, const brn_scan *scan, outline *o)
{
    double normal[3];
    newell_normal(draft, o->node, o->count, normal);
    project(draft, normal, o);
    const bool flat = normal[0] == 0.0 && normal[1] == 0.0 && normal[2] == 0.0;
    if (flat || is_convex(o)) {
        for (int i = 1; i + 1 < o->count; ++i) {
            BRN_TRY(add_triangle(draft, o->node[0], o->node[i], o->node[i + 1]));
        }
        return BRN_OK;
    }
    if (o->count > MAX_EARS) {
        return brn_scan_fail(scan, "a non-convex polygon of %d corners: at most %d are supported", o->count,
                             MAX_EARS);
    }
    return clip_ears(draft, scan, o);
}

brn_status brn_polygon_add(brn_draft *draft, const brn_scan *scan, const int *node, int count)
{
    if (count == 3) { /* nearly every face */
        return add_triangle(draft, node[0], node[1], node[2]);
    }
    if (count < 3) {
        return BRN_OK;
    }
    brn_ctx *ctx = draft->ctx;
    outline o = {.node = brn_calloc(ctx, (size_t)count, sizeof *o.node),
                 .at = brn_calloc(ctx, (size_t)count, sizeof *o.at),
                 .next = brn_calloc(ctx, (size_t)count, sizeof *o.next)};
    brn_status status = BRN_ERR_MEMORY;
    if (o.node != NULL && o.at != NULL && o.next != NULL) {
        for (int i = 0; i < count; ++i) {
            if (node[i] != node[(i + 1) % count]) {
                o.node[o.count++] = node[i];
            }
        }
        status = o.count >= 3 ? add_outline(draft, scan, &o) : BRN_OK;
    }
    brn_free(ctx, o.node);
    brn_free(ctx, o.at);
    brn_free(ctx, o.next);
    return status;
}
