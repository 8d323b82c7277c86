#include "phys/forces/face.h"

#include "linalg/dense.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { POINTS_MAX = 9 };

/* One quadrature point: weight, shape functions and their derivatives along xi and eta. */
typedef struct face_point {
    double weight;
    double n[BRN_FACE_NODES_MAX];
    double xi[BRN_FACE_NODES_MAX];
    double eta[BRN_FACE_NODES_MAX];
} face_point;

static void edge_shape(brn_cell kind, double u, face_point *p)
{
    if (kind == BRN_EDGE2) {
        p->n[0] = 0.5 * (1.0 - u);
        p->n[1] = 0.5 * (1.0 + u);
        p->xi[0] = -0.5;
        p->xi[1] = 0.5;
        return;
    }
    p->n[0] = 0.5 * u * (u - 1.0);
    p->n[1] = 0.5 * u * (u + 1.0);
    p->n[2] = 1.0 - u * u;
    p->xi[0] = u - 0.5;
    p->xi[1] = u + 0.5;
    p->xi[2] = -2.0 * u;
}

static void triangle_shape(brn_cell kind, double u, double v, face_point *p)
{
    const double l[3] = {1.0 - u - v, u, v};
    const double lu[3] = {-1.0, 1.0, 0.0};
    const double lv[3] = {-1.0, 0.0, 1.0};
    if (kind == BRN_TRI3) {
        memcpy(p->n, l, sizeof l);
        memcpy(p->xi, lu, sizeof lu);
        memcpy(p->eta, lv, sizeof lv);
        return;
    }
    for (int a = 0; a < 3; ++a) {
        const int b = (a + 1) % 3;
        p->n[a] = l[a] * (2.0 * l[a] - 1.0);
        p->xi[a] = (4.0 * l[a] - 1.0) * lu[a];
        p->eta[a] = (4.0 * l[a] - 1.0) * lv[a];
        p->n[3 + a] = 4.0 * l[a] * l[b];
        p->xi[3 + a] = 4.0 * (lu[a] * l[b] + l[a] * lu[b]);
        p->eta[3 + a] = 4.0 * (lv[a] * l[b] + l[a] * lv[b]);
    }
}

static void quad_shape(brn_cell kind, double u, double v, face_point *p)
{
    static const double cu[4] = {-1, 1, 1, -1};
    static const double cv[4] = {-1, -1, 1, 1};
    for (int a = 0; a < 4; ++a) {
        const double fu = 1.0 + cu[a] * u;
        const double fv = 1.0 + cv[a] * v;
        /* Serendipity corner: bilinear times (cu u + cv v - 1). */
        const double e = kind == BRN_QUAD8 ? cu[a] * u + cv[a] * v - 1.0 : 1.0;
        const double eu = kind == BRN_QUAD8 ? cu[a] : 0.0;
        const double ev = kind == BRN_QUAD8 ? cv[a] : 0.0;
        p->n[a] = 0.25 * fu * fv * e;
        p->xi[a] = 0.25 * (cu[a] * fv * e + fu * fv * eu);
        p->eta[a] = 0.25 * (fu * cv[a] * e + fu * fv * ev);
    }
    if (kind != BRN_QUAD8) {
        return;
    }
    /* Mid-edge nodes 4..7 lie between corners (0,1), (1,2), (2,3), (3,0). */
    for (int a = 0; a < 4; ++a) {
        const double mu = 0.5 * (cu[a] + cu[(a + 1) % 4]);
        const double mv = 0.5 * (cv[a] + cv[(a + 1) % 4]);
        if (mu == 0.0) {
            p->n[4 + a] = 0.5 * (1.0 - u * u) * (1.0 + mv * v);
            p->xi[4 + a] = -u * (1.0 + mv * v);
            p->eta[4 + a] = 0.5 * (1.0 - u * u) * mv;
        } else {
            p->n[4 + a] = 0.5 * (1.0 + mu * u) * (1.0 - v * v);
            p->xi[4 + a] = 0.5 * mu * (1.0 - v * v);
            p->eta[4 + a] = -v * (1.0 + mu * u);
        }
    }
}

/* Gauss points on [-1, 1]. */
static const double gauss2[2] = {-0.57735026918962576451, 0.57735026918962576451};
static const double gauss3[3] = {-0.77459666924148337704, 0.0, 0.77459666924148337704};
static const double weight3[3] = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};

/* Degree 4 on the triangle, 6 points [Dunavant 1985]: exact for N_a (x,xi x x,eta) of a six-node triangle with
   straight sides, and beyond the error of the element for a curved one. */
static const double dunavant[2][2] = {{0.091576213509770743, 0.054975871827660933},
                                      {0.44594849091596488, 0.11169079483900573}};

/* Writes the quadrature points of a face kind and returns their number. */
static int face_points(brn_cell kind, face_point points[POINTS_MAX])
{
    int count = 0;
    memset(points, 0, POINTS_MAX * sizeof *points);
    switch (kind) {
    case BRN_EDGE2:
    case BRN_EDGE3:
        for (int i = 0; i < 3; ++i) {
            points[count].weight = weight3[i];
            edge_shape(kind, gauss3[i], &points[count++]);
        }
        break;
    case BRN_TRI3:
    case BRN_TRI6:
        for (int orbit = 0; orbit < 2; ++orbit) {
            const double a = dunavant[orbit][0];
            const double place[3][2] = {{a, a}, {1.0 - 2.0 * a, a}, {a, 1.0 - 2.0 * a}};
            for (int i = 0; i < 3; ++i) {
                points[count].weight = dunavant[orbit][1];
                triangle_shape(kind, place[i][0], place[i][1], &points[count++]);
            }
        }
        break;
    case BRN_QUAD4:
        for (int i = 0; i < 4; ++i) {
            points[count].weight = 1.0;
            quad_shape(kind, gauss2[i % 2], gauss2[i / 2], &points[count++]);
        }
        break;
    case BRN_QUAD8:
        for (int i = 0; i < 9; ++i) {
            points[count].weight = weight3[i % 3] * weight3[i / 3];
            quad_shape(kind, gauss3[i % 3], gauss3[i / 3], &points[count++]);
        }
        break;
    default: /* not a face */
        break;
    }
    return count;
}

/* Tangents and area vector at a quadrature point. An edge is a strip of unit depth: its second tangent is e_z, so that
   x,xi x e_z = (y,xi, -x,xi, 0) points to the right of the edge, outwards. */
static void face_frame(int nnode, bool edge, const double (*x)[3], const face_point *p, double t1[3],
                       double t2[3], double area[3])
{
    for (int i = 0; i < 3; ++i) {
        t1[i] = 0.0;
        t2[i] = 0.0;
        for (int a = 0; a < nnode; ++a) {
            t1[i] += p->xi[a] * x[a][i];
            t2[i] += p->eta[a] * x[a][i];
        }
    }
    if (edge) {
        t2[0] = 0.0;
        t2[1] = 0.0;
        t2[2] = 1.0;
    }
    brn_dense_cross3(t1, t2, area);
}

static bool is_edge(brn_cell face)
{
    return face == BRN_EDGE2 || face == BRN_EDGE3;
}

void brn_face_traction(brn_cell face, const double (*x)[3], const double traction[3], double (*force)[3])
{
    face_point points[POINTS_MAX];
    const int npoint = face_points(face, points);
    const int nnode = brn_cell_get(face)->nnode;
    memset(force, 0, (size_t)nnode * sizeof *force);
    for (int q = 0; q < npoint; ++q) {
        double t1[3];
        double t2[3];
        double area[3];
        face_frame(nnode, is_edge(face), x, &points[q], t1, t2, area);
        const double da = points[q].weight * sqrt(brn_dense_dot3(area, area));
        for (int a = 0; a < nnode; ++a) {
            for (int i = 0; i < 3; ++i) {
                force[a][i] += points[q].n[a] * da * traction[i];
            }
        }
    }
}

double brn_face_area(brn_cell face, const double (*x)[3])
{
    double force[BRN_FACE_NODES_MAX][3];
    const double unit[3] = {1.0, 0.0, 0.0};
    brn_face_traction(face, x, unit, force);
    double sum = 0.0;
    for (int a = 0; a < brn_cell_get(face)->nnode; ++a) {
        sum += force[a][0];
    }
    return sum;
}

/* [t]x c for the unit vector c = e_j: column j of the cross-product matrix. */
static double cross_matrix(const double t[3], int i, int j)
{
    if (i == j) {
        return 0.0;
    }
    const int k = 3 - i - j;
    return (j == (i + 1) % 3) ? -t[k] : t[k];
}

void brn_face_pressure_tangent(brn_cell face, const double (*x)[3], double pressure, double *tangent)
{
    face_point points[POINTS_MAX];
    const int npoint = face_points(face, points);
    const int nnode = brn_cell_get(face)->nnode;
    const int dim = is_edge(face) ? 2 : 3;
    const int n = nnode * dim;
    memset(tangent, 0, (size_t)n * (size_t)n * sizeof *tangent);
    for (int q = 0; q < npoint; ++q) {
        const face_point *p = &points[q];
        double t1[3];
        double t2[3];
        double area[3];
        face_frame(nnode, is_edge(face), x, p, t1, t2, area);
        for (int a = 0; a < nnode; ++a) {
            for (int b = 0; b < nnode; ++b) {
                for (int i = 0; i < dim; ++i) {
                    for (int j = 0; j < dim; ++j) {
                        const double d =
                            p->eta[b] * cross_matrix(t1, i, j) - p->xi[b] * cross_matrix(t2, i, j);
                        tangent[(a * dim + i) * n + b * dim + j] -= pressure * p->weight * p->n[a] * d;
                    }
                }
            }
        }
    }
}

void brn_face_pressure(brn_cell face, const double (*x)[3], double pressure, double *force, double *stiffness)
{
    face_point points[POINTS_MAX];
    const int npoint = face_points(face, points);
    const int nnode = brn_cell_get(face)->nnode;
    const int dim = is_edge(face) ? 2 : 3;
    memset(force, 0, (size_t)nnode * (size_t)dim * sizeof *force);
    for (int q = 0; q < npoint; ++q) {
        double t1[3];
        double t2[3];
        double area[3];
        face_frame(nnode, is_edge(face), x, &points[q], t1, t2, area);
        for (int a = 0; a < nnode; ++a) {
            for (int i = 0; i < dim; ++i) {
                force[a * dim + i] -= pressure * points[q].weight * points[q].n[a] * area[i];
            }
        }
    }
    if (stiffness == NULL) {
        return;
    }
    double tangent[BRN_FACE_NODES_MAX * 3 * BRN_FACE_NODES_MAX * 3];
    brn_face_pressure_tangent(face, x, pressure, tangent);
    const int n = nnode * dim;
    for (int a = 0; a < nnode; ++a) {
        for (int b = a; b < nnode; ++b) {
            for (int i = 0; i < dim; ++i) {
                for (int j = 0; j < dim; ++j) {
                    *stiffness++ = -0.5 * (tangent[(a * dim + i) * n + b * dim + j] +
                                           tangent[(b * dim + j) * n + a * dim + i]);
                }
            }
        }
    }
}
