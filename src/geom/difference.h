/* The point nearest to the origin of the difference of two simplices, written once for two precisions: the includer
   defines DIFFERENCE_REAL, DIFFERENCE_NAME(x) and DIFFERENCE_FLAT_SINE2 before each inclusion, so there is no include
   guard. The last is the squared sine between the sides below which a triangle or a pair of edges counts as flat: its
   nearest point is then looked for on the edges alone. The normal is good to u / sine.

   The distance of two convex sets A and B is that of the origin from { a - b }. For a point and a simplex that is the
   simplex again, for two edges a parallelogram, and a point that moves linearly stays one. So the four pairs of
   contact become four shapes with up to four vertices r[k]:
     point      r[0]                           point-point
     segment    r[k] = p - e_k                 point-edge
     triangle   r[k] = p - t_k                 point-triangle
     rhomboid   r[k] = a_(k & 1) - b_(k >> 1)  edge-edge, r[3] = r[1] + r[2] - r[0]
   Features: vertex k; edge k between the vertices 01 (segment), 01 12 02 (triangle), 01 23 02 13 (rhomboid); face. */

#ifndef BRN_GEOM_DIFFERENCE_SHAPES
# define BRN_GEOM_DIFFERENCE_SHAPES
enum { BRN_SHAPE_POINT, BRN_SHAPE_SEGMENT, BRN_SHAPE_TRIANGLE, BRN_SHAPE_RHOMBOID };
enum { BRN_FEATURE_VERTEX = 0, BRN_FEATURE_EDGE = 4, BRN_FEATURE_FACE = 8 };

/* Squared sine below which all edges are searched, whatever the (then less certain) place of the projection says. */
# define BRN_NARROW_SINE2 1e-8
#endif

typedef struct DIFFERENCE_NAME(nearest) {
    DIFFERENCE_REAL c[3];    /* the nearest point; for a face and an edge normal to it within rounding */
    DIFFERENCE_REAL squared; /* its squared distance */
    DIFFERENCE_REAL uv[2];   /* it is r[0] + uv[0] (r[1] - r[0]) + uv[1] (r[2] - r[0]) */
    int feature;
} DIFFERENCE_NAME(nearest);

static inline DIFFERENCE_REAL DIFFERENCE_NAME(dot)(const DIFFERENCE_REAL a[3], const DIFFERENCE_REAL b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void DIFFERENCE_NAME(cross)(const DIFFERENCE_REAL a[3], const DIFFERENCE_REAL b[3],
                                          DIFFERENCE_REAL c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* Keeps the nearest point of the segment from r (vertex i) along e to s (vertex j) if it is nearer than that of out.
   The coordinates uv of vertex k are (k & 1, k >> 1) in both shapes. */
static inline void DIFFERENCE_NAME(try_edge)(const DIFFERENCE_REAL *r, const DIFFERENCE_REAL *s,
                                             const DIFFERENCE_REAL *e, int edge, int i, int j,
                                             DIFFERENCE_NAME(nearest) * out)
{
    const DIFFERENCE_REAL length2 = DIFFERENCE_NAME(dot)(e, e), along = -DIFFERENCE_NAME(dot)(r, e);
    DIFFERENCE_REAL c[3], u;
    int feature;
    if (along > 0 && along < length2) {
        u = along / length2;
        for (int k = 0; k < 3; ++k) {
            c[k] = r[k] + u * e[k];
        }
        feature = BRN_FEATURE_EDGE + edge;
    } else {
        const DIFFERENCE_REAL *end = along > 0 ? s : r;
        for (int k = 0; k < 3; ++k) {
            c[k] = end[k];
        }
        u = along > 0 ? 1 : 0;
        feature = BRN_FEATURE_VERTEX + (along > 0 ? j : i);
    }
    const DIFFERENCE_REAL squared = DIFFERENCE_NAME(dot)(c, c);
    if (out->feature < 0 || squared < out->squared) {
        for (int k = 0; k < 3; ++k) {
            out->c[k] = c[k];
        }
        out->squared = squared;
        out->uv[0] = (1 - u) * (i & 1) + u * (j & 1);
        out->uv[1] = (1 - u) * (i >> 1) + u * (j >> 1);
        out->feature = feature;
    }
}

static inline void DIFFERENCE_NAME(nearest_segment)(const DIFFERENCE_REAL r[2][3], const DIFFERENCE_REAL e[3],
                                                    DIFFERENCE_NAME(nearest) * out)
{
    out->feature = -1;
    DIFFERENCE_NAME(try_edge)(r[0], r[1], e, 0, 0, 1, out);
}

/* Triangle or rhomboid with the sides e1 = r[1] - r[0] and e2 = r[2] - r[0]. The projection r[0] + u e1 + v e2 of the
   origin on the plane has u = -(r0 x e2).N / N.N, v = -(e1 x r0).N / N.N with N = e1 x e2. Cross products, as the
   normal equations would square the condition of a narrow shape. Outside the face, the nearest point is on an edge
   that the projection sees: f is convex in (u, v), so from any other edge it still falls towards the inside. */
static inline void DIFFERENCE_NAME(nearest_face)(int shape, const DIFFERENCE_REAL r[][3],
                                                 const DIFFERENCE_REAL e1[3], const DIFFERENCE_REAL e2[3],
                                                 DIFFERENCE_NAME(nearest) * out)
{
    DIFFERENCE_REAL n[3], m[3];
    DIFFERENCE_NAME(cross)(e1, e2, n);
    const DIFFERENCE_REAL nn = DIFFERENCE_NAME(dot)(n, n);
    const DIFFERENCE_REAL sides = DIFFERENCE_NAME(dot)(e1, e1) * DIFFERENCE_NAME(dot)(e2, e2);
    DIFFERENCE_NAME(cross)(e2, n, m);
    const DIFFERENCE_REAL u = -DIFFERENCE_NAME(dot)(r[0], m);
    DIFFERENCE_NAME(cross)(n, e1, m);
    const DIFFERENCE_REAL v = -DIFFERENCE_NAME(dot)(r[0], m);
    const int triangle = shape == BRN_SHAPE_TRIANGLE;
    const int flat = !(nn > (DIFFERENCE_REAL)DIFFERENCE_FLAT_SINE2 * sides);
    const int beyond = triangle ? !(u + v < nn) : !(u < nn);
    if (!flat && u > 0 && v > 0 && !beyond && (triangle || v < nn)) {
        /* n is normal to the sides within u / sine only, so take the height not of r[0] but of the projection as it is
           computed, which has hardly any part along them. */
        const DIFFERENCE_REAL inverse = 1 / nn;
        out->uv[0] = u * inverse;
        out->uv[1] = v * inverse;
        for (int k = 0; k < 3; ++k) {
            m[k] = r[0][k] + out->uv[0] * e1[k] + out->uv[1] * e2[k];
        }
        const DIFFERENCE_REAL height = DIFFERENCE_NAME(dot)(n, m), s = height * inverse;
        for (int k = 0; k < 3; ++k) {
            out->c[k] = s * n[k];
        }
        out->squared = height * s;
        out->feature = BRN_FEATURE_FACE;
        return;
    }
    const int all = !(nn > (DIFFERENCE_REAL)BRN_NARROW_SINE2 * sides);
    out->feature = -1;
    if (all || !(v > 0)) {
        DIFFERENCE_NAME(try_edge)(r[0], r[1], e1, 0, 0, 1, out);
    }
    if (all || !(u > 0)) {
        DIFFERENCE_NAME(try_edge)(r[0], r[2], e2, 2, 0, 2, out);
    }
    if (triangle && (all || beyond)) {
        const DIFFERENCE_REAL e3[3] = {e2[0] - e1[0], e2[1] - e1[1], e2[2] - e1[2]};
        DIFFERENCE_NAME(try_edge)(r[1], r[2], e3, 1, 1, 2, out);
    } else if (!triangle) {
        if (all || beyond) {
            DIFFERENCE_NAME(try_edge)(r[1], r[3], e2, 3, 1, 3, out);
        }
        if (all || !(v < nn)) {
            DIFFERENCE_NAME(try_edge)(r[2], r[3], e1, 1, 2, 3, out);
        }
    }
}
