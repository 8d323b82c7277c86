/* Energy, gradient and Hessian of batches of triangles. At an edge from a to b (vector e, length L) the triangle with the third
   node c has the height h, the unit normal n, m in its plane from the edge to c, and the foot of c at a + t e. Its part of
   the angle changes by n . ds / h, ds = dc - (1 - t) da - t db; that gives the gradient of theta, and with lambda = (1, -(1-t), -t),
   delta = (0, -1, 1) for the nodes (c, a, b) its Hessian

       - (lambda lambda^T + h^2/(2 L^2) delta delta^T) Q - lambda delta^T E - delta lambda^T E^T,
       Q = (m n^T + n m^T)/h^2,   E = e n^T/(L^2 h),

   summed over the two triangles of the edge (each alone lacks an antisymmetric part, which cancels). */
#include "phys/lane_rows.h"
#include "phys/shells/bending.h"

const unsigned char brn_bending_hinge[BRN_BENDING_ANGLES][4] = {
    {1, 2, 0, 3},  {2, 0, 1, 4},  {0, 1, 2, 5}, /* edges of the triangle */
    {3, 2, 1, 6},  {1, 3, 2, 7},                /* of its neighbours */
    {4, 0, 2, 8},  {2, 4, 0, 9},                /**/
    {5, 1, 0, 10}, {0, 5, 1, 11},
};

/* One side of a hinge. */
typedef struct hinge_side {
    brn_lanes n[3], m[3]; /* unit normal / h, (foot to apex) / h: both of length 1/h and 1 */
    brn_lanes t, height;
    brn_lanes normal[3]; /* of length twice the area */
} hinge_side;

typedef struct hinge {
    brn_lanes edge[3], square; /* e, L^2 */
    hinge_side side[2];        /* that of c, that of d */
    brn_lanes angle;
} hinge;

BRN_LANES_INLINE void cross(const brn_lanes a[3], const brn_lanes b[3], brn_lanes c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

BRN_LANES_INLINE brn_lanes dot(const brn_lanes a[3], const brn_lanes b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The gradient at the apex is n/h = L normal/|normal|^2; 0 for a triangle without area. */
BRN_LANES_INLINE void side_of(const brn_lanes edge[3], brn_lanes square, const brn_lanes arm[3],
                              hinge_side *s)
{
    const brn_lanes size = brn_lanes_max(dot(s->normal, s->normal), brn_lanes_all(DBL_MIN));
    const brn_lanes length = brn_lanes_sqrt(square), scale = length / size;
    s->t = dot(arm, edge) / square;
    s->height = brn_lanes_sqrt(size) / length;
    for (int i = 0; i < 3; ++i) {
        s->n[i] = scale * s->normal[i];
        s->m[i] = (arm[i] - s->t * edge[i]) / s->height;
    }
}

BRN_LANES_INLINE void hinge_at(const brn_lanes x[][3], const unsigned char at[4], bool derivatives, hinge *h)
{
    brn_lanes arm[2][3], turn[3];
    for (int i = 0; i < 3; ++i) {
        h->edge[i] = x[at[1]][i] - x[at[0]][i];
        arm[0][i] = x[at[2]][i] - x[at[0]][i];
        arm[1][i] = x[at[3]][i] - x[at[0]][i];
    }
    cross(h->edge, arm[0], h->side[0].normal);
    cross(arm[1], h->edge, h->side[1].normal);
    h->square = brn_lanes_max(dot(h->edge, h->edge), brn_lanes_all(DBL_MIN));
    cross(h->side[1].normal, h->side[0].normal, turn);
    const brn_lanes sine = dot(turn, h->edge) / brn_lanes_sqrt(h->square);
    const brn_lanes cosine = dot(h->side[0].normal, h->side[1].normal);
    h->angle = brn_lanes_atan2(sine, cosine);
    if (derivatives) {
        side_of(h->edge, h->square, arm[0], &h->side[0]);
        side_of(h->edge, h->square, arm[1], &h->side[1]);
    }
}

/* Adds the gradient of the angle, times factor[r], to u[r]. */
BRN_LANES_INLINE void add_gradient(const hinge *h, const unsigned char at[4], const brn_lanes factor[3],
                                   brn_lanes *u, const int width)
{
    for (int i = 0; i < 3; ++i) {
        const brn_lanes c = h->side[0].n[i], d = h->side[1].n[i];
        const brn_lanes b = -(h->side[0].t * c + h->side[1].t * d), a = -(b + c + d);
        for (int r = 0; r < 3; ++r) {
            brn_lanes *row = u + 3 * width * r + i;
            row[3 * at[0]] += factor[r] * a;
            row[3 * at[1]] += factor[r] * b;
            row[3 * at[2]] += factor[r] * c;
            row[3 * at[3]] += factor[r] * d;
        }
    }
}

/* Place of block (a, b), a <= b. */
BRN_LANES_INLINE int block_at(int a, int b, const int width)
{
    return (a * width - a * (a - 1) / 2 + b - a) * 9;
}

/* Adds moment times the Hessian of one side's part of the angle. */
BRN_LANES_INLINE void add_second(const hinge *h, int which, const unsigned char at[4], brn_lanes moment,
                                 brn_lanes *hess, const int width)
{
    const hinge_side *s = &h->side[which];
    const int node[3] = {at[2 + which], at[0], at[1]};
    const brn_lanes lambda[3] = {brn_lanes_all(1.0), s->t - 1.0, -s->t};
    static const double delta[3] = {0.0, -1.0, 1.0};
    const brn_lanes q = moment / s->height, ratio = 0.5 * s->height * s->height / h->square;
    brn_lanes bend[9], skew[9]; /* moment times Q and E */
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            bend[3 * i + j] = q * (s->m[i] * s->n[j] + s->n[i] * s->m[j]);
            skew[3 * i + j] = moment / h->square * h->edge[i] * s->n[j];
        }
    }
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            if (node[k] > node[l]) {
                continue;
            }
            brn_lanes *block = hess + block_at(node[k], node[l], width);
            const brn_lanes whole = lambda[k] * lambda[l] + ratio * (delta[k] * delta[l]);
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    block[3 * i + j] -= whole * bend[3 * i + j] + lambda[k] * delta[l] * skew[3 * i + j] +
                                        lambda[l] * delta[k] * skew[3 * j + i];
                }
            }
        }
    }
}

/* Positions of a batch relative to the first node of each triangle. */
BRN_LANES_INLINE void gather(const brn_bending *bending, const double (*x)[3], int batch, const int width,
                             brn_lanes out[][3])
{
    const brn_element_group *group = &bending->group;
    int room[BRN_BENDING_NODES * BRN_LANES];
    const int *node = brn_lanes_nodes(group->conn, width, group->nelem, batch, room);
    for (int a = 0; a < width; ++a) {
        brn_lanes_gather3(x, node + a, width, out[a]);
    }
    for (int a = width - 1; a >= 0; --a) {
        for (int i = 0; i < 3; ++i) {
            out[a][i] -= out[0][i];
        }
    }
}

/* hess = sum_r u_r u_r^T */
BRN_LANES_INLINE void outer_products(const brn_lanes *u, brn_lanes *hess, const int width)
{
    const int n = 3 * width;
    for (int a = 0; a < width; ++a) {
        for (int b = a; b < width; ++b) {
            for (int i = 0; i < 3; ++i) {
                const brn_lanes u0 = u[3 * a + i], u1 = u[n + 3 * a + i], u2 = u[2 * n + 3 * a + i];
                for (int j = 0; j < 3; ++j) {
                    const int k = 3 * b + j;
                    *hess++ = u0 * u[k] + u1 * u[n + k] + u2 * u[2 * n + k];
                }
            }
        }
    }
}

/* All batches; inlined with constant width (and so the number of angles). */
BRN_LANES_INLINE void run(const brn_bending *bending, const double (*x)[3], int first, int end,
                          brn_tangent tangent, double *energy, double *grad, double *hess, const int width)
{
    const int nangle = width == 6 ? 3 : BRN_BENDING_ANGLES, size = width * (width + 1) / 2 * 9;
    const bool exact = hess != NULL && tangent == BRN_TANGENT_EXACT;
    for (int batch = first / BRN_LANES; batch * BRN_LANES < end; ++batch) {
        const int left = end - batch * BRN_LANES, rows = left < BRN_LANES ? left : BRN_LANES;
        const size_t row = (size_t)(batch * BRN_LANES - first);
        const double *factor = bending->factor + (size_t)batch * (size_t)(3 * nangle * BRN_LANES);
        const double *rest = bending->rest_angle + (size_t)batch * (size_t)(nangle * BRN_LANES);
        brn_lanes position[BRN_BENDING_NODES][3], y[3], u[9 * BRN_BENDING_NODES];
        hinge at[BRN_BENDING_ANGLES];
        gather(bending, x, batch, width, position);
        for (int r = 0; r < 3; ++r) {
            y[r] = brn_lanes_all(0.0);
        }
        memset(u, 0, sizeof u);
        for (int k = 0; k < nangle; ++k) {
            brn_lanes column[3];
            hinge_at((const brn_lanes(*)[3])position, brn_bending_hinge[k], grad != NULL || hess != NULL,
                     &at[k]);
            const brn_lanes angle = at[k].angle - brn_lanes_load(rest + k * BRN_LANES);
            for (int r = 0; r < 3; ++r) {
                column[r] = brn_lanes_load(factor + (r * nangle + k) * BRN_LANES);
                y[r] += column[r] * angle;
            }
            if (grad != NULL || hess != NULL) {
                add_gradient(&at[k], brn_bending_hinge[k], column, u, width);
            }
        }
        if (energy != NULL) {
            const brn_lanes sum = 0.5 * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
            memcpy(energy + row, &sum, (size_t)rows * sizeof(double));
        }
        if (grad != NULL) {
            brn_lanes out[3 * BRN_BENDING_NODES];
            for (int i = 0; i < 3 * width; ++i) {
                out[i] = y[0] * u[i] + y[1] * u[3 * width + i] + y[2] * u[6 * width + i];
            }
            brn_lanes_write_rows(out, 3 * width, rows, grad + row * (size_t)(3 * width));
        }
        if (hess != NULL) {
            brn_lanes out[BRN_BENDING_NODES * (BRN_BENDING_NODES + 1) / 2 * 9];
            outer_products(u, out, width);
            for (int k = 0; exact && k < nangle; ++k) {
                brn_lanes moment = brn_lanes_all(0.0);
                for (int r = 0; r < 3; ++r) {
                    moment += y[r] * brn_lanes_load(factor + (r * nangle + k) * BRN_LANES);
                }
                add_second(&at[k], 0, brn_bending_hinge[k], moment, out, width);
                add_second(&at[k], 1, brn_bending_hinge[k], moment, out, width);
            }
            brn_lanes_write_rows(out, size, rows, hess + row * (size_t)size);
        }
    }
}

void brn_bending_eval(const brn_bending *bending, const double (*x)[3], int first, int count,
                      brn_tangent tangent, double *energy, double *grad, double *hess)
{
    if (bending->group.nnode == 6) {
        run(bending, x, first, first + count, tangent, energy, grad, hess, 6);
    } else {
        run(bending, x, first, first + count, tangent, energy, grad, hess, BRN_BENDING_NODES);
    }
}

/* sum_r u_r (u_r . v), u_r the gradients of the three rows of R theta. */
BRN_LANES_INLINE void run_resist(const brn_bending *bending, const double (*x)[3], const double (*v)[3],
                                 int first, int end, double *to, const int width)
{
    const int nangle = width == 6 ? 3 : BRN_BENDING_ANGLES;
    for (int batch = first / BRN_LANES; batch * BRN_LANES < end; ++batch) {
        const int left = end - batch * BRN_LANES, rows = left < BRN_LANES ? left : BRN_LANES;
        const double *factor = bending->factor + (size_t)batch * (size_t)(3 * nangle * BRN_LANES);
        brn_lanes position[BRN_BENDING_NODES][3], velocity[BRN_BENDING_NODES][3], rate[3];
        brn_lanes u[9 * BRN_BENDING_NODES], out[3 * BRN_BENDING_NODES];
        gather(bending, x, batch, width, position);
        gather(bending, v, batch, width, velocity);
        memset(u, 0, sizeof u);
        for (int k = 0; k < nangle; ++k) {
            hinge at;
            brn_lanes column[3];
            hinge_at((const brn_lanes(*)[3])position, brn_bending_hinge[k], true, &at);
            for (int r = 0; r < 3; ++r) {
                column[r] = brn_lanes_load(factor + (r * nangle + k) * BRN_LANES);
            }
            add_gradient(&at, brn_bending_hinge[k], column, u, width);
        }
        for (int r = 0; r < 3; ++r) {
            rate[r] = brn_lanes_all(0.0);
            for (int i = 0; i < 3 * width; ++i) {
                rate[r] += u[3 * width * r + i] * velocity[i / 3][i % 3];
            }
        }
        for (int i = 0; i < 3 * width; ++i) {
            out[i] = rate[0] * u[i] + rate[1] * u[3 * width + i] + rate[2] * u[6 * width + i];
        }
        brn_lanes_write_rows(out, 3 * width, rows,
                             to + (size_t)(batch * BRN_LANES - first) * (size_t)(3 * width));
    }
}

void brn_bending_resist(const brn_bending *bending, const double (*x)[3], const double (*v)[3], int first,
                        int count, double *out)
{
    if (bending->group.nnode == 6) {
        run_resist(bending, x, v, first, first + count, out, 6);
    } else {
        run_resist(bending, x, v, first, first + count, out, BRN_BENDING_NODES);
    }
}

void brn_bending_moments(const brn_bending *bending, const double (*x)[3], int first, int count,
                         double *moment)
{
    const int nangle = bending->nangle, end = first + count;
    for (int batch = first / BRN_LANES; batch * BRN_LANES < end; ++batch) {
        const int left = end - batch * BRN_LANES, rows = left < BRN_LANES ? left : BRN_LANES;
        const double *factor = bending->factor + (size_t)batch * (size_t)(3 * nangle * BRN_LANES);
        const double *rest = bending->rest_angle + (size_t)batch * (size_t)(nangle * BRN_LANES);
        const double *back = bending->back + (size_t)batch * (9 * BRN_LANES);
        brn_lanes position[BRN_BENDING_NODES][3], y[3] = {0}, out[3] = {0};
        gather(bending, x, batch, bending->group.nnode, position);
        for (int k = 0; k < nangle; ++k) {
            hinge h;
            hinge_at((const brn_lanes(*)[3])position, brn_bending_hinge[k], false, &h);
            for (int r = 0; r < 3; ++r) {
                y[r] += brn_lanes_load(factor + (r * nangle + k) * BRN_LANES) *
                        (h.angle - brn_lanes_load(rest + k * BRN_LANES));
            }
        }
        for (int k = 0; k < 9; ++k) {
            out[k / 3] += brn_lanes_load(back + k * BRN_LANES) * y[k % 3];
        }
        brn_lanes_write_rows(out, 3, rows, moment + 3 * (size_t)(batch * BRN_LANES - first));
    }
}

void brn_bending_angles(const brn_bending *bending, const double (*x)[3], int element, double *angle)
{
    const int width = bending->group.nnode;
    const int *node = bending->group.conn + (size_t)element * (size_t)width;
    brn_lanes position[BRN_BENDING_NODES][3];
    for (int a = 0; a < width; ++a) {
        for (int i = 0; i < 3; ++i) {
            position[a][i] = brn_lanes_all(x[node[a]][i] - x[node[0]][i]);
        }
    }
    for (int k = 0; k < bending->nangle; ++k) {
        hinge h;
        hinge_at((const brn_lanes(*)[3])position, brn_bending_hinge[k], false, &h);
        angle[k] = h.angle[0];
    }
}
