/* Volume of a cell by a quadrature that is exact for its Jacobian determinant, that determinant at its nodes, and its
   shape quality:
     tri3  4 sqrt(3) A / sum l^2,   tet4  12 (3 V)^(2/3) / sum l^2          (mean ratio, sums over the edges)
     tri6, tet10  the same of the straight cell, times min(det J) / det J of the straight cell where that is below 1
     quad4, hex8, quad8, hex20  min over nodes of det J / product of the lengths of J's columns (scaled Jacobian)
   1 = equilateral or square, 0 = degenerate, < 0 inverted. [Knupp 2001, Algebraic mesh quality metrics] */
#include "geom/cell_measure.h"

#include <math.h>
#include <string.h>

static bool is_simplex(const brn_cell_info *info)
{
    return info->dim > 1 && info->ncorner == info->dim + 1;
}

static double reference_volume(const brn_cell_info *info)
{
    static const double simplex[4] = {1.0, 1.0, 0.5, 1.0 / 6.0};
    return is_simplex(info) ? simplex[info->dim] : (double)(1 << info->dim);
}

static void add_point(brn_cell_rule *rule, const double xi[3], double weight)
{
    rule->weight[rule->npoint] = weight;
    brn_cell_gradients(rule->kind, xi, rule->grad[rule->npoint]);
    rule->npoint++;
}

/* Linear: the determinant is constant. tri6: degree 2, tet10: degree 3 [Keast 1986, 5 points]. */
static void simplex_points(brn_cell_rule *rule, const brn_cell_info *info)
{
    const int d = info->dim;
    const double centre[3] = {1.0 / (d + 1), 1.0 / (d + 1), d > 2 ? 0.25 : 0.0};
    const bool linear = info->nnode == info->ncorner;
    if (linear || d == 3) {
        add_point(rule, centre, linear ? 1.0 : -0.8);
    }
    for (int i = 0; !linear && i <= d; ++i) {
        const double low = 1.0 / 6.0, high = d == 2 ? 2.0 / 3.0 : 0.5;
        double xi[3] = {low, low, d > 2 ? low : 0.0};
        if (i > 0) {
            xi[i - 1] = high;
        }
        add_point(rule, xi, d == 2 ? 1.0 / 3.0 : 0.45);
    }
}

/* Gauss: 2 points an axis are exact for linear edges (degree 2 <= 3), 3 points for quadratic ones (degree 5). */
static void tensor_points(brn_cell_rule *rule, const brn_cell_info *info)
{
    static const double at[2][3] = {{-0.57735026918962576451, 0.57735026918962576451, 0.0},
                                    {-0.77459666924148337704, 0.0, 0.77459666924148337704}};
    static const double weight[2][3] = {{0.5, 0.5, 0.0}, {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0}};
    const int row = info->nnode > info->ncorner, n = row + 2;
    const int nj = info->dim > 1 ? n : 1, nk = info->dim > 2 ? n : 1;
    for (int k = 0; k < nk; ++k) {
        for (int j = 0; j < nj; ++j) {
            for (int i = 0; i < n; ++i) {
                const double xi[3] = {at[row][i], nj > 1 ? at[row][j] : 0.0, nk > 1 ? at[row][k] : 0.0};
                add_point(rule, xi,
                          weight[row][i] * (nj > 1 ? weight[row][j] : 1.0) * (nk > 1 ? weight[row][k] : 1.0));
            }
        }
    }
}

void brn_cell_rule_make(brn_cell kind, brn_cell_rule *out)
{
    const brn_cell_info *info = brn_cell_get(kind);
    out->kind = kind;
    out->npoint = 0;
    if (is_simplex(info)) {
        simplex_points(out, info);
    } else {
        tensor_points(out, info);
    }
    out->nvolume = out->npoint;
    /* A linear simplex has one determinant only. */
    if (!is_simplex(info) || info->nnode > info->ncorner) {
        double xi[20][3];
        brn_cell_nodes(kind, xi);
        for (int i = 0; i < info->nnode; ++i) {
            add_point(out, xi[i], 0.0);
        }
    }
}

/* Columns of J at one point, [dim][3]. */
static void tangents(const brn_cell_rule *rule, int point, const double (*pos)[3], const int *node,
                     double out[3][3])
{
    const brn_cell_info *info = brn_cell_get(rule->kind);
    memset(out, 0, 9 * sizeof(double));
    for (int i = 0; i < info->nnode; ++i) {
        const double *x = pos[node[i]], *g = rule->grad[point][i];
        for (int d = 0; d < info->dim; ++d) {
            for (int k = 0; k < 3; ++k) {
                out[d][k] += g[d] * x[k];
            }
        }
    }
}

static double norm3(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Determinant of J (length or area element for cells of lower dimension); up: which side of a 2D cell is positive. */
static double determinant(int dim, const double t[3][3], bool plane, const double up[3])
{
    if (dim == 1) {
        return norm3(t[0]);
    }
    double n[3];
    cross3(t[0], t[1], n);
    if (dim == 3) {
        return n[0] * t[2][0] + n[1] * t[2][1] + n[2] * t[2][2];
    }
    if (plane) {
        return n[2];
    }
    const double size = norm3(n);
    return n[0] * up[0] + n[1] * up[1] + n[2] * up[2] < 0.0 ? -size : size;
}

/* Mean normal of a 2D cell. */
static void mean_normal(const brn_cell_rule *rule, const double (*pos)[3], const int *node, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int p = 0; p < rule->nvolume; ++p) {
        double t[3][3], n[3];
        tangents(rule, p, pos, node, t);
        cross3(t[0], t[1], n);
        for (int k = 0; k < 3; ++k) {
            out[k] += rule->weight[p] * n[k];
        }
    }
}

static double measure_edges(const brn_cell_info *info, const double (*pos)[3], const int *node,
                            brn_cell_measure *out)
{
    double sum = 0.0;
    out->edge_min = INFINITY;
    out->edge_max = 0.0;
    for (int e = 0; e < info->nedge; ++e) {
        const double *a = pos[node[info->edges[e][0]]], *b = pos[node[info->edges[e][1]]];
        const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        const double length = norm3(d);
        sum += length * length;
        out->edge_min = fmin(out->edge_min, length);
        out->edge_max = fmax(out->edge_max, length);
    }
    return sum;
}

/* Signed area or volume of the straight simplex on the corners. */
static double straight_volume(const brn_cell_info *info, const double (*pos)[3], const int *node, bool plane,
                              const double up[3])
{
    double t[3][3] = {{0.0}};
    for (int d = 0; d < info->dim; ++d) {
        for (int k = 0; k < 3; ++k) {
            t[d][k] = pos[node[d + 1]][k] - pos[node[0]][k];
        }
    }
    return reference_volume(info) * determinant(info->dim, (const double(*)[3])t, plane, up);
}

static double simplex_quality(const brn_cell_info *info, double straight, double edges, double jacobian)
{
    if (!(edges > 0.0)) {
        return 0.0;
    }
    const double size = fabs(straight);
    double q = info->dim == 2 ? 4.0 * sqrt(3.0) * size / edges : 12.0 * cbrt(9.0 * size * size) / edges;
    q = straight < 0.0 ? -q : q;
    if (info->nnode > info->ncorner && size > 0.0) {
        const double bend = jacobian / size;
        q = straight < 0.0 ? fmin(q, bend) : q * fmin(bend, 1.0);
    }
    return q;
}

void brn_cell_measure_of(const brn_cell_rule *rule, const double (*pos)[3], const int *node, bool plane,
                         brn_cell_measure *out)
{
    const brn_cell_info *info = brn_cell_get(rule->kind);
    const double unit = reference_volume(info);
    double up[3] = {0.0, 0.0, 1.0};
    if (info->dim == 2 && !plane) {
        mean_normal(rule, pos, node, up);
    }
    const double edges = measure_edges(info, pos, node, out);
    out->volume = 0.0;
    out->jacobian = INFINITY;
    out->point = 0;
    double scaled = 1.0;
    for (int p = 0; p < rule->npoint; ++p) {
        double t[3][3];
        tangents(rule, p, pos, node, t);
        const double det = determinant(info->dim, (const double(*)[3])t, plane, up);
        out->volume += unit * rule->weight[p] * det;
        if (unit * det < out->jacobian) {
            out->jacobian = unit * det;
            out->point = p;
        }
        if (p >= rule->nvolume) {
            double lengths = 1.0;
            for (int d = 0; d < info->dim; ++d) {
                lengths *= norm3(t[d]);
            }
            scaled = fmin(scaled, lengths > 0.0 ? det / lengths : 0.0);
        }
    }
    out->quality = is_simplex(info) ? simplex_quality(info, straight_volume(info, pos, node, plane, up),
                                                      edges, out->jacobian)
                                    : scaled;
}

bool brn_mesh_is_plane(const brn_mesh *mesh)
{
    bool plane = brn_mesh_dim(mesh) == 2;
    for (int i = 0; plane && i < mesh->nnode; ++i) {
        plane = mesh->pos[i][2] == 0.0;
    }
    return plane;
}

void brn_mesh_measure(const brn_mesh *mesh, brn_mesh_quality *out)
{
    *out = (brn_mesh_quality){.smallest_edge = INFINITY, .worst_cell = -1, .worst = INFINITY};
    const bool plane = brn_mesh_is_plane(mesh);
    int number = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        if (mesh->ncell[kind] == 0) {
            continue;
        }
        brn_cell_rule rule;
        brn_cell_rule_make((brn_cell)kind, &rule);
        const size_t width = (size_t)brn_cell_get((brn_cell)kind)->nnode;
        for (int c = 0; c < mesh->ncell[kind]; ++c, ++number) {
            brn_cell_measure cell;
            brn_cell_measure_of(&rule, (const double(*)[3])mesh->pos, mesh->cell[kind] + (size_t)c * width,
                                plane, &cell);
            out->volume += cell.volume;
            out->smallest_edge = fmin(out->smallest_edge, cell.edge_min);
            if (!(cell.quality >= out->worst)) { /* NaN counts as the worst */
                out->worst = cell.quality;
                out->worst_cell = number;
            }
        }
    }
    if (out->worst_cell < 0) {
        out->smallest_edge = 0.0;
        out->worst = 0.0;
    }
}
