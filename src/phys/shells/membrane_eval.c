/* Energy, gradient, Hessian and stress of batches of triangles; the equations are in membrane.h. With the shape gradients g_a
   in the plane at rest, V the rest volume, f1, f2 the columns of F and B_a = [g_a1 0; 0 g_a2; g_a2 g_a1]:

       grad_a  = V F S g_a
       hess_ab = V (F B_a^T C B_b F^T + (g_a . S g_b) 1).

   Node 0 gets minus the sum of the others. */
#include "phys/lane_rows.h"
#include "phys/shells/membrane.h"

/* One batch; symmetric 2x2 tensors in the order 11, 22, 12, C in the order 11, 22, 33, 23, 13, 12. */
typedef struct strain_state {
    brn_lanes f[6]; /* 3x2 */
    brn_lanes a[3]; /* F^T F - 1 */
    brn_lanes energy, stress[3], tangent[6];
    brn_lanes across; /* stretch across the thickness */
} strain_state;

BRN_LANES_INLINE void quadratic(const brn_membrane_law *law, strain_state *p)
{
    const double *c = law->stiffness;
    const brn_lanes e1 = 0.5 * p->a[0], e2 = 0.5 * p->a[1], e3 = p->a[2];
    p->stress[0] = c[0] * e1 + c[5] * e2 + c[4] * e3;
    p->stress[1] = c[5] * e1 + c[1] * e2 + c[3] * e3;
    p->stress[2] = c[4] * e1 + c[3] * e2 + c[2] * e3;
    p->energy = 0.5 * (p->stress[0] * e1 + p->stress[1] * e2 + p->stress[2] * e3);
    for (int i = 0; i < 6; ++i) {
        p->tangent[i] = brn_lanes_all(c[i]);
    }
    p->across = brn_lanes_all(1.0);
}

/* d = y - 1 with mu d + lambda/2 ln(1 + d) + lambda/2 ln(square) = 0, square = det F^T F. The left side is increasing, concave
   and not above 0 at min(1, 1/square), so Newton's method rises from there to the root without passing it. For lambda < 0 it
   is convex, and Newton descends to the root from 1 or after one step. 16 steps reach rounding for areas from 1e-3 to 1e3. */
BRN_LANES_INLINE brn_lanes thickness_square(double lambda, double mu, brn_lanes square,
                                            brn_lanes square_minus_one)
{
    const brn_lanes known = 0.5 * lambda * brn_lanes_log_near_one(square, square_minus_one);
    brn_lanes d = brn_lanes_all(0.0);
    if (lambda > 0.0) {
        d = brn_lanes_min(d, -square_minus_one / square);
    }
    for (int k = 0; k < 16; ++k) {
        const brn_lanes y = 1.0 + d;
        const brn_lanes value = mu * d + 0.5 * lambda * brn_lanes_log_near_one(y, d) + known;
        const brn_lanes next = d - value * y / (mu * y + 0.5 * lambda);
        d = brn_lanes_max(next, 1e-3 * y - 1.0); /* y stays positive */
    }
    return d;
}

BRN_LANES_INLINE void neo_hookean(const brn_membrane_law *law, strain_state *p)
{
    const double lambda = law->lambda, mu = law->mu;
    const brn_lanes a1 = p->a[0] + p->a[1], a2 = p->a[0] * p->a[1] - p->a[2] * p->a[2];
    /* det F^T F: near rest from the strain, so that W is the same function of A in all its terms; far away as |f1 x f2|^2 */
    const brn_lanes *f = p->f;
    const brn_lanes n1 = f[2] * f[5] - f[4] * f[3], n2 = f[4] * f[1] - f[0] * f[5],
                    n3 = f[0] * f[3] - f[2] * f[1];
    const brn_lanes determinant = n1 * n1 + n2 * n2 + n3 * n3;
    const brn_mask inside = (brn_mask)(determinant >= DBL_MIN);
    const brn_mask near = (brn_mask)(brn_lanes_abs(a1 + a2) < 0.5);
    const brn_lanes growth =
        brn_lanes_select(inside, brn_lanes_select(near, a1 + a2, determinant - 1.0), brn_lanes_all(0.0));
    const brn_lanes square =
        brn_lanes_select(inside, brn_lanes_select(near, 1.0 + growth, determinant), brn_lanes_all(1.0));
    const brn_lanes d = thickness_square(lambda, mu, square, growth), y = 1.0 + d;
    const brn_lanes ln_area = 0.5 * brn_lanes_log_near_one(square, growth);
    const brn_lanes ln_across = 0.5 * brn_lanes_log_near_one(y, d);
    const brn_lanes ln = ln_area + ln_across;
    const brn_lanes energy = mu * ((0.5 * a1 - ln_area) + (0.5 * d - ln_across)) + 0.5 * lambda * ln * ln;
    p->energy = brn_lanes_select(inside, energy, brn_lanes_all(INFINITY));
    p->across = brn_lanes_sqrt(y);
    /* inverse of F^T F */
    const brn_lanes inverse = 1.0 / square;
    const brn_lanes g1 = (1.0 + p->a[1]) * inverse, g2 = (1.0 + p->a[0]) * inverse, g3 = -p->a[2] * inverse;
    /* 1 - y G without cancellation near rest: growth - a[1] is a[0] and a product */
    p->stress[0] = mu * inverse * ((p->a[0] + a2) - d * (1.0 + p->a[1]));
    p->stress[1] = mu * inverse * ((p->a[1] + a2) - d * (1.0 + p->a[0]));
    p->stress[2] = -mu * y * g3;
    const brn_lanes shear = 2.0 * mu * y, bulk = 2.0 * lambda * mu * y / (2.0 * mu * y + lambda);
    p->tangent[0] = (shear + bulk) * g1 * g1;
    p->tangent[1] = (shear + bulk) * g2 * g2;
    p->tangent[2] = 0.5 * shear * (g1 * g2 + g3 * g3) + bulk * g3 * g3;
    p->tangent[3] = (shear + bulk) * g2 * g3;
    p->tangent[4] = (shear + bulk) * g1 * g3;
    p->tangent[5] = shear * g3 * g3 + bulk * g1 * g2;
}

/* b and its first and second derivatives in c; b = inf at the limit and beyond. */
BRN_LANES_INLINE void barrier(const brn_membrane *membrane, brn_lanes c, brn_lanes b[3])
{
    const double on = membrane->limit_on * membrane->limit_on;
    const double span = membrane->law.limit * membrane->law.limit - on, k = membrane->law.limit_stiffness;
    const brn_lanes wanted = (c - on) / span;
    const brn_mask active = (brn_mask)(wanted > 0.0), inside = (brn_mask)(wanted < 1.0);
    const brn_lanes r = brn_lanes_select(active & inside, wanted, brn_lanes_all(0.0));
    const brn_lanes left = 1.0 - r, ln = brn_lanes_log_near_one(left, -r), over = r / left;
    b[0] = brn_lanes_select(inside, -k * r * r * ln, brn_lanes_all(INFINITY));
    b[1] = k / span * (over * r - 2.0 * r * ln);
    b[2] = k / (span * span) * (over * over + 4.0 * over - 2.0 * ln);
}

/* Spectral decomposition of F^T F: its eigenvectors enter through [n1 n2; n2 -n1] = v1 v1^T - v2 v2^T. */
BRN_LANES_INLINE void add_limit(const brn_membrane *membrane, strain_state *p)
{
    const brn_lanes half = 0.5 * (p->a[0] - p->a[1]);
    const brn_lanes radius = brn_lanes_sqrt(half * half + p->a[2] * p->a[2]);
    const brn_mask apart = (brn_mask)(radius > 0.0);
    const brn_lanes n1 = brn_lanes_select(apart, half / radius, brn_lanes_all(1.0));
    const brn_lanes n2 = brn_lanes_select(apart, p->a[2] / radius, brn_lanes_all(0.0));
    const brn_lanes middle = 1.0 + 0.5 * (p->a[0] + p->a[1]);
    brn_lanes b1[3], b2[3];
    barrier(membrane, middle + radius, b1);
    barrier(membrane, middle - radius, b2);
    p->energy += b1[0] + b2[0];
    /* difference quotient, or the mean of the derivatives where the difference has no digits left */
    const brn_mask far = (brn_mask)(radius > 1e-5 * middle);
    const brn_lanes mean = 0.5 * (b1[2] + b2[2]);
    const brn_lanes quotient = brn_lanes_select(far, (b1[1] - b2[1]) / (2.0 * radius), mean);
    const brn_lanes p1[3] = {0.5 * (1.0 + n1), 0.5 * (1.0 - n1), 0.5 * n2};
    const brn_lanes p2[3] = {0.5 * (1.0 - n1), 0.5 * (1.0 + n1), -0.5 * n2};
    const brn_lanes mixed[3] = {-0.5 * n2, 0.5 * n2, 0.5 * n1};
    static const int row[6] = {0, 1, 2, 1, 0, 0}, column[6] = {0, 1, 2, 2, 2, 1};
    for (int i = 0; i < 3; ++i) {
        p->stress[i] += 2.0 * (b1[1] * p1[i] + b2[1] * p2[i]);
    }
    for (int i = 0; i < 6; ++i) {
        const int r = row[i], c = column[i];
        p->tangent[i] +=
            4.0 * (b1[2] * p1[r] * p1[c] + b2[2] * p2[r] * p2[c]) + 8.0 * quotient * mixed[r] * mixed[c];
    }
}

/* d(positions or velocities)/d(rest), 3x2. */
BRN_LANES_INLINE void gradient_at(const brn_membrane *membrane, const double (*x)[3], int batch,
                                  brn_lanes f[6])
{
    const brn_element_group *group = &membrane->group;
    brn_lanes corner[3][3], edge[6];
    int room[3 * BRN_LANES];
    const int *node = brn_lanes_nodes(group->conn, 3, group->nelem, batch, room);
    for (int k = 0; k < 3; ++k) {
        brn_lanes_gather3(x, node + k, 3, corner[k]);
    }
    for (int i = 0; i < 3; ++i) {
        edge[i] = corner[1][i] - corner[0][i];
        edge[3 + i] = corner[2][i] - corner[0][i];
    }
    const double *inverse = membrane->inverse + (size_t)batch * 4 * BRN_LANES;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 2; ++j) {
            f[2 * i + j] = edge[i] * brn_lanes_load(inverse + j * BRN_LANES) +
                           edge[3 + i] * brn_lanes_load(inverse + (2 + j) * BRN_LANES);
        }
    }
}

BRN_LANES_INLINE void strain_at(const brn_membrane *membrane, const double (*x)[3], int batch,
                                strain_state *p)
{
    gradient_at(membrane, x, batch, p->f);
    const brn_lanes *f = p->f;
    p->a[0] = f[0] * f[0] + f[2] * f[2] + f[4] * f[4] - 1.0;
    p->a[1] = f[1] * f[1] + f[3] * f[3] + f[5] * f[5] - 1.0;
    p->a[2] = f[0] * f[1] + f[2] * f[3] + f[4] * f[5];
    if (membrane->law.kind == BRN_MEMBRANE_NEO_HOOKEAN) {
        neo_hookean(&membrane->law, p);
    } else {
        quadratic(&membrane->law, p);
    }
    if (membrane->law.limit > 0.0) {
        add_limit(membrane, p);
    }
}

/* The positive part of a symmetric 2x2 matrix. */
BRN_LANES_INLINE void positive_part(brn_lanes s[3])
{
    const brn_lanes middle = 0.5 * (s[0] + s[1]), half = 0.5 * (s[0] - s[1]);
    const brn_lanes radius = brn_lanes_sqrt(half * half + s[2] * s[2]);
    const brn_lanes largest = brn_lanes_max(middle + radius, brn_lanes_all(0.0));
    const brn_lanes scale =
        brn_lanes_select((brn_mask)(radius > 0.0), 0.5 * largest / radius, brn_lanes_all(0.0));
    const brn_mask whole = (brn_mask)(middle - radius >= 0.0);
    s[0] = brn_lanes_select(whole, s[0], 0.5 * largest + scale * half);
    s[1] = brn_lanes_select(whole, s[1], 0.5 * largest - scale * half);
    s[2] = brn_lanes_select(whole, s[2], scale * s[2]);
}

/* m = B_a^T C B_b, 2x2 */
BRN_LANES_INLINE void material_part(const brn_lanes c[6], const brn_lanes ga[2], const brn_lanes gb[2],
                                    brn_lanes m[4])
{
    /* C B_b, 3x2 */
    const brn_lanes k11 = c[0] * gb[0] + c[4] * gb[1], k12 = c[5] * gb[1] + c[4] * gb[0];
    const brn_lanes k21 = c[5] * gb[0] + c[3] * gb[1], k22 = c[1] * gb[1] + c[3] * gb[0];
    const brn_lanes k31 = c[4] * gb[0] + c[2] * gb[1], k32 = c[3] * gb[1] + c[2] * gb[0];
    m[0] = ga[0] * k11 + ga[1] * k31;
    m[1] = ga[0] * k12 + ga[1] * k32;
    m[2] = ga[1] * k21 + ga[0] * k31;
    m[3] = ga[1] * k22 + ga[0] * k32;
}

/* Blocks (0,0), (0,1), (0,2), (1,1), (1,2), (2,2). */
BRN_LANES_INLINE void hessian(const strain_state *p, brn_lanes volume, const brn_lanes g[2][2],
                              const brn_lanes s[3], const brn_lanes c[6], brn_lanes h[54])
{
    static const int at[3] = {27, 36, 45};
    static const int pair[3][2] = {{0, 0}, {0, 1}, {1, 1}};
    const brn_lanes *f = p->f;
    for (int k = 0; k < 3; ++k) {
        const brn_lanes *ga = g[pair[k][0]], *gb = g[pair[k][1]];
        brn_lanes m[4];
        material_part(c, ga, gb, m);
        const brn_lanes geometric =
            volume * (ga[0] * (s[0] * gb[0] + s[2] * gb[1]) + ga[1] * (s[2] * gb[0] + s[1] * gb[1]));
        for (int i = 0; i < 3; ++i) {
            const brn_lanes left1 = volume * (f[2 * i] * m[0] + f[2 * i + 1] * m[2]);
            const brn_lanes left2 = volume * (f[2 * i] * m[1] + f[2 * i + 1] * m[3]);
            for (int j = 0; j < 3; ++j) {
                h[at[k] + 3 * i + j] = left1 * f[2 * j] + left2 * f[2 * j + 1];
            }
            h[at[k] + 4 * i] += geometric;
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const int ij = 3 * i + j, ji = 3 * j + i;
            h[9 + ij] = -(h[27 + ij] + h[36 + ji]);
            h[18 + ij] = -(h[36 + ij] + h[45 + ij]);
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            h[3 * i + j] = -(h[9 + 3 * j + i] + h[18 + 3 * j + i]);
        }
    }
}

static int rows_of(int batch, int end)
{
    const int left = end - batch * BRN_LANES;
    return left < BRN_LANES ? left : BRN_LANES;
}

/* V F S g_a, to rows. */
BRN_LANES_INLINE void write_forces(brn_lanes volume, const brn_lanes f[6], const brn_lanes s[3],
                                   const brn_lanes g[2][2], int rows, double *to)
{
    brn_lanes out[9];
    for (int i = 0; i < 3; ++i) {
        const brn_lanes t1 = volume * (f[2 * i] * s[0] + f[2 * i + 1] * s[2]);
        const brn_lanes t2 = volume * (f[2 * i] * s[2] + f[2 * i + 1] * s[1]);
        out[3 + i] = t1 * g[0][0] + t2 * g[0][1];
        out[6 + i] = t1 * g[1][0] + t2 * g[1][1];
        out[i] = -(out[3 + i] + out[6 + i]);
    }
    brn_lanes_write_rows(out, 9, rows, to);
}

void brn_membrane_eval(const brn_membrane *membrane, const double (*x)[3], int first, int count,
                       brn_tangent tangent, double *energy, double *grad, double *hess)
{
    for (int batch = first / BRN_LANES; batch * BRN_LANES < first + count; ++batch) {
        const int rows = rows_of(batch, first + count);
        const size_t row = (size_t)(batch * BRN_LANES - first);
        const brn_lanes volume = brn_lanes_load(membrane->volume + (size_t)batch * BRN_LANES);
        brn_lanes g[2][2];
        memcpy(g, membrane->inverse + (size_t)batch * 4 * BRN_LANES, sizeof g);
        strain_state p;
        strain_at(membrane, x, batch, &p);
        if (energy != NULL) {
            const brn_lanes sum = volume * p.energy;
            memcpy(energy + row, &sum, (size_t)rows * sizeof(double));
        }
        if (grad != NULL) {
            write_forces(volume, p.f, p.stress, (const brn_lanes(*)[2])g, rows, grad + 9 * row);
        }
        if (hess != NULL) {
            brn_lanes out[54], s[3] = {p.stress[0], p.stress[1], p.stress[2]};
            if (brn_tangent_projects(tangent)) {
                positive_part(s);
            } else if (tangent == BRN_TANGENT_VISCOUS) {
                for (int i = 0; i < 6; ++i) {
                    p.tangent[i] = brn_lanes_all(membrane->law.stiffness[i]);
                    s[i % 3] = brn_lanes_all(0.0);
                }
            }
            hessian(&p, volume, (const brn_lanes(*)[2])g, s, p.tangent, out);
            brn_lanes_write_rows(out, 54, rows, hess + 54 * row);
        }
    }
}

/* S = C dE at rest, with the rate of the strain. */
void brn_membrane_resist(const brn_membrane *membrane, const double (*x)[3], const double (*v)[3], int first,
                         int count, double *out)
{
    const double *c = membrane->law.stiffness;
    for (int batch = first / BRN_LANES; batch * BRN_LANES < first + count; ++batch) {
        const size_t row = (size_t)(batch * BRN_LANES - first);
        brn_lanes g[2][2], f[6], rate[6], s[3];
        memcpy(g, membrane->inverse + (size_t)batch * 4 * BRN_LANES, sizeof g);
        gradient_at(membrane, x, batch, f);
        gradient_at(membrane, v, batch, rate);
        const brn_lanes e1 = f[0] * rate[0] + f[2] * rate[2] + f[4] * rate[4];
        const brn_lanes e2 = f[1] * rate[1] + f[3] * rate[3] + f[5] * rate[5];
        const brn_lanes e3 = f[0] * rate[1] + f[2] * rate[3] + f[4] * rate[5] + f[1] * rate[0] +
                             f[3] * rate[2] + f[5] * rate[4];
        s[0] = c[0] * e1 + c[5] * e2 + c[4] * e3;
        s[1] = c[5] * e1 + c[1] * e2 + c[3] * e3;
        s[2] = c[4] * e1 + c[3] * e2 + c[2] * e3;
        write_forces(brn_lanes_load(membrane->volume + (size_t)batch * BRN_LANES), f, s,
                     (const brn_lanes(*)[2])g, rows_of(batch, first + count), out + 9 * row);
    }
}

/* Area over rest area. */
BRN_LANES_INLINE brn_lanes area_of(const strain_state *p)
{
    const brn_lanes square = (1.0 + p->a[0]) * (1.0 + p->a[1]) - p->a[2] * p->a[2];
    return brn_lanes_sqrt(brn_lanes_max(square, brn_lanes_all(0.0)));
}

/* sigma = F S F^T over the area and the stretch across. */
BRN_LANES_INLINE void push_forward(const strain_state *p, const brn_lanes s[3], brn_lanes area,
                                   brn_lanes out[6])
{
    static const int axis[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    for (int k = 0; k < 6; ++k) {
        const brn_lanes *fi = p->f + 2 * axis[k][0], *fj = p->f + 2 * axis[k][1];
        out[k] = (fi[0] * (s[0] * fj[0] + s[2] * fj[1]) + fi[1] * (s[2] * fj[0] + s[1] * fj[1])) /
                 (area * p->across);
    }
}

void brn_membrane_face_stress(const brn_membrane *membrane, const double (*x)[3], int first, int count,
                              const double *moment, double side, double *cauchy)
{
    const double scale = side * 6.0 / (membrane->thickness * membrane->thickness);
    for (int batch = first / BRN_LANES; batch * BRN_LANES < first + count; ++batch) {
        const int rows = rows_of(batch, first + count);
        const size_t row = (size_t)(batch * BRN_LANES - first);
        brn_lanes s[3], out[6];
        strain_state p;
        strain_at(membrane, x, batch, &p);
        for (int i = 0; i < 3; ++i) {
            s[i] = p.stress[i];
            for (int l = 0; l < rows; ++l) {
                s[i][l] += scale * moment[3 * (row + (size_t)l) + (size_t)i];
            }
        }
        push_forward(&p, s, area_of(&p), out);
        brn_lanes_write_rows(out, 6, rows, cauchy + 6 * row);
    }
}

void brn_membrane_stress(const brn_membrane *membrane, const double (*x)[3], int first, int count,
                         double *cauchy, double *jacobian, double *energy_density)
{
    for (int batch = first / BRN_LANES; batch * BRN_LANES < first + count; ++batch) {
        const int rows = rows_of(batch, first + count);
        const size_t row = (size_t)(batch * BRN_LANES - first);
        strain_state p;
        strain_at(membrane, x, batch, &p);
        const brn_lanes area = area_of(&p);
        if (cauchy != NULL) {
            brn_lanes out[6];
            push_forward(&p, p.stress, area, out);
            brn_lanes_write_rows(out, 6, rows, cauchy + 6 * row);
        }
        if (jacobian != NULL) {
            memcpy(jacobian + row, &area, (size_t)rows * sizeof(double));
        }
        if (energy_density != NULL) {
            memcpy(energy_density + row, &p.energy, (size_t)rows * sizeof(double));
        }
    }
}
