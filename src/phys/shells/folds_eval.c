/* The passes of a sheet's bending; folds.h has the equations. */
#include "phys/lane_rows.h"
#include "phys/shells/folds.h"

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

/* 1 over a length that may be 0. */
BRN_LANES_INLINE brn_lanes over(brn_lanes square)
{
    return 1.0 / brn_lanes_sqrt(brn_lanes_max(square, brn_lanes_all(DBL_MIN)));
}

/* Where the level is at most last, else 0. */
BRN_LANES_INLINE brn_lanes acting(brn_lanes a, const signed char *level, int last)
{
    brn_mask acts;
    for (int l = 0; l < BRN_LANES; ++l) {
        acts[l] = level[l] <= last ? -1 : 0;
    }
    return brn_lanes_select(acts, a, brn_lanes_all(0.0));
}

static void find_face(brn_folds *folds, int batch, const double (*x)[3])
{
    const int *node = folds->node + (size_t)batch * 3 * BRN_LANES;
    brn_lanes at[3][3], e1[3], e2[3], normal[3];
    for (int k = 0; k < 3; ++k) {
        brn_lanes_gather3(x, node + k * BRN_LANES, 1, at[k]);
    }
    for (int i = 0; i < 3; ++i) {
        e1[i] = at[1][i] - at[0][i];
        e2[i] = at[2][i] - at[0][i];
    }
    cross(e1, e2, normal);
    const brn_lanes inverse = over(dot(normal, normal));
    const brn_lanes both = dot(e1, e2);
    double *cotangent = folds->cotangent + (size_t)batch * 3 * BRN_LANES;
    brn_lanes_store(cotangent, inverse * both);
    brn_lanes_store(cotangent + BRN_LANES, inverse * (dot(e1, e1) - both));
    brn_lanes_store(cotangent + 2 * BRN_LANES, inverse * (dot(e2, e2) - both));
    for (int i = 0; i < 3; ++i) {
        normal[i] *= inverse;
    }
    brn_lanes_write_rows(normal, 3, BRN_LANES, folds->normal[(size_t)batch * BRN_LANES]);
}

static void find_angle(brn_folds *folds, int batch, const double (*x)[3])
{
    const size_t at = (size_t)batch * BRN_LANES;
    brn_lanes from[3], to[3], left[3], right[3], edge[3], turn[3];
    brn_lanes_gather3(x, folds->ends + 2 * at, 1, from);
    brn_lanes_gather3(x, folds->ends + 2 * at + BRN_LANES, 1, to);
    brn_lanes_gather3((const double(*)[3])folds->normal, folds->side + 2 * at, 1, left);
    brn_lanes_gather3((const double(*)[3])folds->normal, folds->side + 2 * at + BRN_LANES, 1, right);
    for (int i = 0; i < 3; ++i) {
        edge[i] = to[i] - from[i];
    }
    cross(right, left, turn);
    const brn_lanes inverse = over(dot(edge, edge));
    brn_lanes_store(folds->inverse + at, inverse);
    brn_lanes_store(folds->angle + at, brn_lanes_atan2(inverse * dot(turn, edge), dot(left, right)));
}

BRN_LANES_INLINE void find_moments(brn_folds *folds, int batch, double share, const int nangle)
{
    const size_t at = (size_t)batch * BRN_LANES;
    const double *factor = folds->bending->factor + at * (size_t)(3 * nangle);
    const int *angle_of = folds->angle_of + at * (size_t)nangle;
    double *moment = folds->moment + at * (size_t)nangle;
    brn_lanes y[3];
    for (int r = 0; r < 3; ++r) {
        y[r] = -brn_lanes_load(folds->rest + 3 * at + r * BRN_LANES);
    }
    for (int k = 0; k < nangle; ++k) {
        const brn_lanes angle = brn_lanes_gather(folds->angle, angle_of + k * BRN_LANES);
        for (int r = 0; r < 3; ++r) {
            y[r] += brn_lanes_load(factor + (r * nangle + k) * BRN_LANES) * angle;
        }
    }
    for (int r = 0; r < 3; ++r) {
        y[r] *= share;
    }
    for (int k = 0; k < nangle; ++k) {
        brn_lanes sum = y[0] * brn_lanes_load(factor + k * BRN_LANES);
        for (int r = 1; r < 3; ++r) {
            sum += y[r] * brn_lanes_load(factor + (r * nangle + k) * BRN_LANES);
        }
        brn_lanes_store(moment + k * BRN_LANES, sum);
    }
}

BRN_LANES_INLINE void find_couple(brn_folds *folds, int batch, int last, const int nslot)
{
    const size_t at = (size_t)batch * BRN_LANES;
    const int *slot = folds->slot + at * (size_t)nslot;
    const signed char *level = folds->slot_level + at * (size_t)nslot;
    brn_lanes sum = brn_lanes_all(0.0);
    for (int k = 0; k < nslot; ++k) {
        const brn_lanes moment = brn_lanes_gather(folds->moment, slot + k * BRN_LANES);
        sum += last < folds->coarsest ? acting(moment, level + k * BRN_LANES, last) : moment;
    }
    sum *= brn_lanes_load(folds->inverse + at);
    for (int side = 0; side < 2; ++side) {
        const int *target = folds->target + 2 * at + side * BRN_LANES;
        for (int l = 0; l < BRN_LANES; ++l) {
            folds->couple[target[l]] = sum[l];
        }
    }
}

static void find_force(const brn_folds *folds, int batch, int last, double *gradient)
{
    const size_t at = (size_t)batch * BRN_LANES;
    const int left = folds->bending->group.nelem - batch * BRN_LANES;
    const int rows = left < BRN_LANES ? left : BRN_LANES;
    brn_lanes normal[3], q[3], cot[3], out[9];
    int row[BRN_LANES];
    for (int l = 0; l < BRN_LANES; ++l) {
        row[l] = l;
    }
    brn_lanes_gather3((const double(*)[3])folds->normal + at, row, 1, normal);
    for (int k = 0; k < 3; ++k) {
        const size_t here = 3 * at + (size_t)(k * BRN_LANES);
        q[k] = brn_lanes_load(folds->couple + here);
        q[k] = last < folds->coarsest ? acting(q[k], folds->couple_level + here, last) : q[k];
        cot[k] = brn_lanes_load(folds->cotangent + here);
    }
    const brn_lanes w1 = q[1] * (cot[2] + cot[0]) - q[2] * cot[0] - q[0] * cot[2];
    const brn_lanes w2 = q[2] * (cot[0] + cot[1]) - q[0] * cot[1] - q[1] * cot[0];
    const brn_lanes w0 = -(w1 + w2);
    for (int i = 0; i < 3; ++i) {
        out[i] = w0 * normal[i];
        out[3 + i] = w1 * normal[i];
        out[6 + i] = w2 * normal[i];
    }
    brn_lanes_write_rows(out, 9, rows, gradient + 9 * at);
}

int brn_folds_count(const brn_folds *folds, brn_folds_pass pass, int last)
{
    const int *end = pass == BRN_FOLDS_MOMENTS                             ? folds->element_end
                     : pass == BRN_FOLDS_FACES || pass == BRN_FOLDS_FORCES ? folds->face_end
                                                                           : folds->edge_end;
    return end[last < folds->coarsest ? last + 1 : folds->coarsest + 1];
}

void brn_folds_run(brn_folds *folds, brn_folds_pass pass, int first, int end, const double (*x)[3],
                   const double *share, int last, double *gradient)
{
    for (int i = first; i < end; ++i) {
        switch (pass) {
        case BRN_FOLDS_FACES:
            find_face(folds, folds->by_face[i], x);
            break;
        case BRN_FOLDS_ANGLES:
            find_angle(folds, i, x);
            break;
        case BRN_FOLDS_MOMENTS: {
            const int batch = folds->by_element[i];
            const double factor = share[folds->batch_level[batch]];
            if (folds->nslot == 2) {
                find_moments(folds, batch, factor, 3);
            } else {
                find_moments(folds, batch, factor, BRN_BENDING_ANGLES);
            }
            break;
        }
        case BRN_FOLDS_COUPLES:
            if (folds->nslot == 2) {
                find_couple(folds, i, last, 2);
            } else {
                find_couple(folds, i, last, 6);
            }
            break;
        default:
            find_force(folds, folds->by_face[i], last, gradient);
            break;
        }
    }
}
