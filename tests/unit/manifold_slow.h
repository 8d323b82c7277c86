/* Gaps of convex shapes the slow and obvious way, and pairs drawn at random.

   Polytopes (boxes, hulls, segments and points under a radius): the best of all normals of faces and all cross products of edges, with
   full projections, where they meet; else the least distance of all vertices and triangles, all edges and edges. */
#ifndef BRN_TESTS_MANIFOLD_SLOW_H
#define BRN_TESTS_MANIFOLD_SLOW_H

#include "draw.h"

#include "geom/distance.h"
#include "geom/manifold.h"
#include "linalg/dense.h"

enum { SLOW_MOST = 400 };

typedef struct solid {
    brn_convex shape;
    brn_rigid_map frame;
} solid;

typedef struct features {
    int nvertex, nedge, nface, ntri;
    double vertex[SLOW_MOST][3], normal[SLOW_MOST][3];
    int edge[SLOW_MOST][2], tri[SLOW_MOST][3];
    double radius;
} features;

static inline void apart(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = a[i] - b[i];
    }
}

static inline double scale_unit(double v[3])
{
    const double length = sqrt(brn_dense_dot3(v, v));
    for (int i = 0; i < 3; ++i) {
        v[i] /= length;
    }
    return length;
}

/* Largest product of the direction with points of the shape; infinite for a half-space but along its normal. */
static inline double height(const solid *s, const double n[3])
{
    double far[3];
    if (s->shape.hull != NULL) {
        double most = -INFINITY;
        for (int i = 0; i < s->shape.hull->nvertex; ++i) {
            brn_rigid_map_apply(&s->frame, s->shape.hull->vertex[i], far);
            most = fmax(most, brn_dense_dot3(n, far));
        }
        return most;
    }
    if (!brn_primitive_support_at(&s->shape.shape, &s->frame, n, far)) {
        const int up = s->shape.shape.dim - 1;
        const double along = n[0] * s->frame.rotation[up] + n[1] * s->frame.rotation[3 + up] +
                             n[2] * s->frame.rotation[6 + up];
        return along > 1.0 - 1e-9 ? brn_dense_dot3(n, s->frame.origin) : INFINITY;
    }
    return brn_dense_dot3(n, far);
}

static inline double separation(const solid *a, const solid *b, const double n[3])
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    return -height(a, back) - height(b, n);
}

static inline double size_of(const solid *s)
{
    double most = 0.0;
    if (s->shape.hull == NULL) {
        const int kind = (int)s->shape.shape.kind;
        const double *size = s->shape.shape.size;
        return kind == BRN_PRIMITIVE_PLANE    ? 0.0
               : kind == BRN_PRIMITIVE_SPHERE ? size[0]
               : kind == BRN_PRIMITIVE_BOX
                   ? fmax(size[0], fmax(size[1], s->shape.shape.dim == 3 ? size[2] : 0.0))
                   : size[0] + size[1];
    }
    for (int i = 0; i < s->shape.hull->nvertex; ++i) {
        most = fmax(most, sqrt(brn_dense_dot3(s->shape.hull->vertex[i], s->shape.hull->vertex[i])));
    }
    return most;
}

/* ---- polytopes ---------------------------------------------------------------------------------------------------------------- */

static inline void add_face(features *f, const int *corner, int n, int dim)
{
    double u[3];
    double v[3];
    double *normal = f->normal[f->nface++];
    if (dim == 2) {
        apart(f->vertex[corner[1]], f->vertex[corner[0]], u);
        normal[0] = u[1];
        normal[1] = -u[0];
        normal[2] = 0.0;
    } else {
        apart(f->vertex[corner[1]], f->vertex[corner[0]], u);
        apart(f->vertex[corner[2]], f->vertex[corner[0]], v);
        brn_dense_cross3(u, v, normal);
    }
    (void)scale_unit(normal);
    for (int i = 0; i < n; ++i) {
        const int j = (i + 1) % n;
        if (corner[i] < corner[j] || dim == 2) { /* the other way round it belongs to the neighbour */
            f->edge[f->nedge][0] = corner[i];
            f->edge[f->nedge++][1] = corner[j];
        }
        if (i > 1) {
            memcpy(f->tri[f->ntri++], (const int[3]){corner[0], corner[i - 1], corner[i]}, sizeof *f->tri);
        }
    }
}

static inline void collect(const solid *s, features *f)
{
    static const int box[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                  {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    static const int plate[4][2] = {{0, 1}, {1, 3}, {3, 2}, {2, 0}};
    const brn_hull *hull = s->shape.hull;
    const brn_primitive *own = &s->shape.shape;
    memset(f, 0, sizeof *f);
    if (hull != NULL) {
        for (int i = 0; i < hull->nvertex; ++i) {
            brn_rigid_map_apply(&s->frame, hull->vertex[i], f->vertex[f->nvertex++]);
        }
        for (int i = 0; i < hull->nface; ++i) {
            add_face(f, hull->face_vertex + hull->face_start[i],
                     hull->face_start[i + 1] - hull->face_start[i], hull->dim);
        }
        return;
    }
    const bool rod = own->kind == BRN_PRIMITIVE_CAPSULE;
    const bool ball = own->kind == BRN_PRIMITIVE_SPHERE;
    f->radius = rod || ball ? own->size[0] : 0.0;
    const int corners = ball ? 1 : rod ? 2 : 1 << own->dim;
    for (int i = 0; i < corners; ++i) {
        double x[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < own->dim && !rod && !ball; ++k) {
            x[k] = (i >> k & 1) != 0 ? own->size[k] : -own->size[k];
        }
        if (rod) {
            x[own->dim - 1] = i == 0 ? -own->size[1] : own->size[1];
        }
        brn_rigid_map_apply(&s->frame, x, f->vertex[f->nvertex++]);
    }
    if (rod) {
        f->nedge = 1;
        f->edge[0][1] = 1;
        if (own->dim == 2) {
            add_face(f, (const int[2]){0, 1}, 2, 2);
            add_face(f, (const int[2]){1, 0}, 2, 2);
        }
    }
    for (int i = 0; i < 2 * own->dim && !rod && !ball; ++i) {
        add_face(f, own->dim == 3 ? box[i] : plate[i], own->dim == 3 ? 4 : 2, own->dim);
    }
}

static inline double project(const features *a, const features *b, const double n[3])
{
    double low = INFINITY;
    double high = -INFINITY;
    for (int i = 0; i < a->nvertex; ++i) {
        double way[3];
        apart(a->vertex[i], b->vertex[0], way);
        low = fmin(low, brn_dense_dot3(n, way));
    }
    for (int i = 0; i < b->nvertex; ++i) {
        double way[3];
        apart(b->vertex[i], b->vertex[0], way);
        high = fmax(high, brn_dense_dot3(n, way));
    }
    return low - high;
}

static inline double slow_penetration(const features *a, const features *b, int dim)
{
    double best = -INFINITY;
    for (int i = 0; i < a->nface; ++i) {
        const double n[3] = {-a->normal[i][0], -a->normal[i][1], -a->normal[i][2]};
        best = fmax(best, project(a, b, n));
    }
    for (int i = 0; i < b->nface; ++i) {
        best = fmax(best, project(a, b, b->normal[i]));
    }
    for (int i = 0; i < a->nedge && dim == 3; ++i) {
        for (int j = 0; j < b->nedge; ++j) {
            double u[3];
            double v[3];
            double n[3];
            apart(a->vertex[a->edge[i][1]], a->vertex[a->edge[i][0]], u);
            apart(b->vertex[b->edge[j][1]], b->vertex[b->edge[j][0]], v);
            (void)scale_unit(u);
            (void)scale_unit(v);
            brn_dense_cross3(u, v, n);
            if (scale_unit(n) > 1e-7) {
                best = fmax(best, project(a, b, n));
                n[0] = -n[0];
                n[1] = -n[1];
                n[2] = -n[2];
                best = fmax(best, project(a, b, n));
            }
        }
    }
    return best;
}

static inline double slow_vertices(const features *a, const features *b)
{
    double best = INFINITY;
    double x[4][3];
    for (int i = 0; i < a->nvertex; ++i) {
        memcpy(x[0], a->vertex[i], sizeof *x);
        for (int j = 0; j < b->nvertex; ++j) {
            memcpy(x[1], b->vertex[j], sizeof *x);
            best = fmin(best, brn_distance_point_point2((const double(*)[3])x));
        }
        for (int j = 0; j < b->nedge; ++j) {
            memcpy(x[1], b->vertex[b->edge[j][0]], sizeof *x);
            memcpy(x[2], b->vertex[b->edge[j][1]], sizeof *x);
            best = fmin(best, brn_distance_point_edge2((const double(*)[3])x));
        }
        for (int j = 0; j < b->ntri; ++j) {
            for (int k = 0; k < 3; ++k) {
                memcpy(x[1 + k], b->vertex[b->tri[j][k]], sizeof *x);
            }
            best = fmin(best, brn_distance_point_triangle2((const double(*)[3])x));
        }
    }
    return best;
}

static inline double slow_polytopes(const features *a, const features *b, int dim)
{
    const double radius = a->radius + b->radius;
    const double inside = slow_penetration(a, b, dim);
    double best = fmin(slow_vertices(a, b), slow_vertices(b, a));
    for (int i = 0; i < a->nedge && dim == 3; ++i) {
        for (int j = 0; j < b->nedge; ++j) {
            double x[4][3];
            for (int k = 0; k < 2; ++k) {
                memcpy(x[k], a->vertex[a->edge[i][k]], sizeof *x);
                memcpy(x[2 + k], b->vertex[b->edge[j][k]], sizeof *x);
            }
            best = fmin(best, brn_distance_edge_edge2((const double(*)[3])x));
        }
    }
    /* Without faces (balls, capsules in space) nothing is inside; segments and points in one line have no way out across it. */
    const bool faces = a->nface + b->nface > 0;
    const double most = a->nvertex + b->nvertex <= 4 ? -1e-12 * radius : 0.0;
    return (faces && inside <= most ? inside : sqrt(best)) - radius;
}

/* ---- anything ----------------------------------------------------------------------------------------------------------------- */

/* The largest separation over directions: all of a fine grid, then from the best of them at random, by smaller and smaller turns. A
   bound from below, for what is found is a separation. */
static inline double slow_directions(brn_rng *rng, const solid *a, const solid *b)
{
    enum { GRID = 2000, KEPT = 6 };
    double kept[KEPT][4];
    for (int k = 0; k < KEPT; ++k) {
        kept[k][3] = -INFINITY;
    }
    for (int i = 0; i < GRID; ++i) {
        const double z = (2.0 * i + 1.0) / GRID - 1.0;
        const double turn = 2.399963229728653 * i;
        const double n[3] = {sqrt(1.0 - z * z) * cos(turn), sqrt(1.0 - z * z) * sin(turn), z};
        const double s = separation(a, b, n);
        int worst = 0;
        for (int k = 1; k < KEPT; ++k) {
            worst = kept[k][3] < kept[worst][3] ? k : worst;
        }
        if (s > kept[worst][3]) {
            memcpy(kept[worst], n, sizeof n);
            kept[worst][3] = s;
        }
    }
    double best = -INFINITY;
    for (int k = 0; k < KEPT; ++k) {
        double step = 0.05;
        while (step > 1e-9) {
            double n[3];
            for (int i = 0; i < 3; ++i) {
                n[i] = kept[k][i] + pick(rng, -step, step);
            }
            (void)scale_unit(n);
            const double s = separation(a, b, n);
            step *= s > kept[k][3] ? 1.5 : 0.92;
            if (s > kept[k][3]) {
                memcpy(kept[k], n, sizeof n);
                kept[k][3] = s;
            }
        }
        best = fmax(best, kept[k][3]);
    }
    return best;
}

/* ---- drawn at random ---------------------------------------------------------------------------------------------------------- */

static inline void random_rotation(brn_rng *rng, int dim, double r[9])
{
    const int how = pick_one(rng, 4); /* any; nearly square; square; any */
    double axis[3] = {pick(rng, -1, 1), pick(rng, -1, 1), pick(rng, -1, 1)};
    double angle = pick(rng, -3.2, 3.2);
    double quarter[9];
    double turn[9];
    if (dim == 2) {
        axis[0] = 0.0;
        axis[1] = 0.0;
        axis[2] = 1.0;
    }
    if (how == 0 || how == 3) {
        (void)brn_dense_rotation(axis, angle, r);
        return;
    }
    angle = how == 1 ? pick_decade(rng, -9, -1) : 0.0;
    (void)brn_dense_rotation(axis, angle, turn);
    const double upright[3] = {dim == 3 && pick_one(rng, 2) == 0 ? 1.0 : 0.0, 0.0, 1.0};
    (void)brn_dense_rotation(upright[0] > 0.0 ? (const double[3]){1, 0, 0} : (const double[3]){0, 0, 1},
                             acos(0.0) * pick_one(rng, 4), quarter);
    for (int i = 0; i < 9; ++i) { /* quarter turns are whole numbers */
        quarter[i] = round(quarter[i]);
    }
    brn_dense_multiply3(turn, quarter, r);
}

static inline void random_primitive(brn_rng *rng, brn_primitive_kind kind, int dim, double scale, solid *out)
{
    memset(out, 0, sizeof *out);
    out->shape.shape.kind = kind;
    out->shape.shape.dim = dim;
    for (int i = 0; i < 3; ++i) {
        out->shape.shape.size[i] = i < dim ? scale * pick_decade(rng, -0.7, 0.0) : 0.0;
    }
    random_rotation(rng, dim, out->frame.rotation);
    for (int i = 0; i < dim; ++i) {
        out->frame.origin[i] = pick(rng, -1.0, 1.0);
    }
}

enum { HULLS = 24 };

typedef struct hulls {
    brn_ctx *ctx;
    brn_hull *hull[2][HULLS]; /* in the plane, in space */
} hulls;

/* Wedges and other blocks of eight corners, points on balls, prisms; 1e-3 to 10 m. */
static inline void make_hulls(hulls *out)
{
    brn_rng rng = {77};
    out->ctx = test_ctx(1);
    for (int k = 0; k < 2 * HULLS; ++k) {
        const int dim = 2 + k / HULLS;
        const int kind = k % 3;
        const double size = pick_decade(&rng, -3, 1);
        double x[40][3];
        int n = kind == 0 ? 1 << dim : 8 + pick_one(&rng, 20);
        for (int i = 0; i < n; ++i) {
            const double turn = 6.283185307179586 * (i / 2) / (n / 2);
            for (int j = 0; j < 3; ++j) {
                x[i][j] = kind == 0 ? ((i >> j & 1) - 0.5) * pick(&rng, 0.4, 1) : pick(&rng, -1, 1);
            }
            if (kind == 1) {
                (void)scale_unit(x[i]);
            } else if (kind == 2 && dim == 3) {
                memcpy(x[i], (const double[3]){cos(turn), sin(turn), i % 2 == 0 ? 0.0 : 0.7}, sizeof x[i]);
            }
            for (int j = 0; j < 3; ++j) {
                x[i][j] *= j < dim ? size : 0.0;
            }
        }
        n -= kind == 2 ? n % 2 : 0;
        assert_done(out->ctx,
                    brn_hull_create(out->ctx, dim, (const double(*)[3])x, n, &out->hull[dim - 2][k % HULLS]));
    }
}

static inline void free_hulls(hulls *all)
{
    for (int k = 0; k < 2 * HULLS; ++k) {
        brn_hull_destroy(all->ctx, all->hull[k / HULLS][k % HULLS]);
    }
    brn_ctx_destroy(all->ctx);
}

/* Moves a so that the two are apart, touch along some direction, or are in each other. */
static inline void random_pose(brn_rng *rng, int dim, solid *a, const solid *b)
{
    const int how = pick_one(rng, 4);
    const double size = fmin(size_of(a) > 0.0 ? size_of(a) : 10.0, size_of(b) > 0.0 ? size_of(b) : 10.0);
    double way[3] = {pick(rng, -1, 1), pick(rng, -1, 1), dim == 3 ? pick(rng, -1, 1) : 0.0};
    if (pick_one(rng, 3) == 0 || b->shape.shape.kind == BRN_PRIMITIVE_PLANE) { /* along an axis of b */
        const int k = b->shape.shape.kind == BRN_PRIMITIVE_PLANE ? dim - 1 : pick_one(rng, dim);
        for (int i = 0; i < 3; ++i) {
            way[i] = b->frame.rotation[3 * i + k];
        }
    }
    (void)scale_unit(way);
    memcpy(a->frame.origin, b->frame.origin, sizeof a->frame.origin);
    const double s = separation(a, b, way);
    const double gap = how == 0   ? size * pick_decade(rng, -4, 0)
                       : how == 1 ? -size * pick_decade(rng, -9, -2)
                       : how == 2 ? size * pick(rng, -1e-3, 1e-3)
                                  : s * pick(rng, 0.0, 1.0);
    for (int i = 0; i < 3; ++i) {
        a->frame.origin[i] += way[i] * (gap - s);
    }
    for (int i = 0; i < dim; ++i) { /* aside, so that edges and corners meet too */
        a->frame.origin[i] += pick_one(rng, 2) == 0 ? 0.0 : pick(rng, -0.2, 0.2) * size;
    }
}

/* Two shapes of some of the kinds, none of which is a hull, and their size. */
static inline double random_pair(brn_rng *rng, const hulls *all, const brn_primitive_kind *kinds, int nkind,
                                 int dim, solid s[2])
{
    double scale = pick_decade(rng, -3, 1);
    for (int k = 0; k < 2; ++k) {
        random_primitive(rng, kinds[pick_one(rng, nkind - 1 + k)], dim,
                         scale * (k == 0 ? 1.0 : pick_decade(rng, -1, 0)), &s[k]);
        if (s[k].shape.shape.kind == BRN_PRIMITIVE_NONE) {
            s[k].shape.hull = all->hull[dim - 2][pick_one(rng, HULLS)];
            scale = k == 0 ? size_of(&s[k]) : fmax(scale, size_of(&s[k]));
        }
    }
    random_pose(rng, dim, &s[0], &s[1]);
    return scale;
}

static hulls pool;

static inline int set_up(void **state)
{
    (void)state;
    make_hulls(&pool);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    free_hulls(&pool);
    return 0;
}

static inline void find(const solid *a, const solid *b, double within, brn_manifold *out)
{
    brn_manifold_find(&a->shape, &a->frame, &b->shape, &b->frame, within, out);
}

static inline int nearest(const brn_manifold *m)
{
    int best = 0;
    for (int i = 1; i < m->count; ++i) {
        best = m->point[i].gap < m->point[best].gap ? i : best;
    }
    return best;
}

/* ---- by hand ------------------------------------------------------------------------------------------------------------------ */

static const brn_rigid_map still = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static inline solid made(brn_primitive_kind kind, int dim, double x, double y, double z)
{
    const solid s = {{{kind, dim, {x, y, z}}, NULL}, still};
    return s;
}

static inline solid turned(solid s, double ax, double ay, double az, double angle)
{
    double r[9];
    double old[9];
    memcpy(old, s.frame.rotation, sizeof old);
    assert_true(brn_dense_rotation((const double[3]){ax, ay, az}, angle, r));
    brn_dense_multiply3(r, old, s.frame.rotation);
    return s;
}

static inline solid moved(solid s, double x, double y, double z)
{
    s.frame.origin[0] += x;
    s.frame.origin[1] += y;
    s.frame.origin[2] += z;
    return s;
}

/* Some point has this place. */
static inline void has_place(const brn_manifold *m, double x, double y, double z, double tolerance)
{
    double best = INFINITY;
    for (int i = 0; i < m->count; ++i) {
        const double *p = m->point[i].place;
        best = fmin(best, fmax(fabs(p[0] - x), fmax(fabs(p[1] - y), fabs(p[2] - z))));
    }
    assert_near(best, 0.0, tolerance);
}

static inline void same_normal(const brn_manifold *m, double x, double y, double z, double tolerance)
{
    for (int i = 0; i < m->count; ++i) {
        assert_near(m->point[i].normal[0], x, tolerance);
        assert_near(m->point[i].normal[1], y, tolerance);
        assert_near(m->point[i].normal[2], z, tolerance);
    }
}

/* Springs at the points of a box, or cylinder, pressed into its support and tilted a little: the torque is that of springs at its corners,
   - k sum (x x') of the tilt, whatever the way of the tilt. */
static inline void torque_of(const solid *on, const solid *below, double depth, double inertia[2])
{
    const double tilt = 1e-6;
    for (int way = 0; way < 2; ++way) {
        brn_manifold m;
        double torque = 0.0;
        double force = 0.0;
        solid s = turned(*on, way == 0, way == 1, 0, tilt);
        find(&s, below, 0.1, &m);
        assert_true(m.count >= 4);
        for (int i = 0; i < m.count; ++i) {
            const brn_manifold_point *p = &m.point[i];
            double arm[3];
            double f[3];
            double t[3];
            apart(p->place, s.frame.origin, arm);
            for (int k = 0; k < 3; ++k) {
                f[k] = -p->gap * p->normal[k];
            }
            brn_dense_cross3(arm, f, t);
            torque += t[way];
            force += f[2];
        }
        /* Without the part of the force that the tilted normal and the shifted places have. */
        assert_near(force, m.count * depth, 1e-4 * depth);
        inertia[way] = -torque / tilt;
    }
}

#endif
