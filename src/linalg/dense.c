#include "linalg/dense.h"

#include <float.h>

double brn_dense_length3(const double v[3])
{
    const double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (!(largest > 0.0)) {
        return 0.0;
    }
    const double s[3] = {v[0] / largest, v[1] / largest, v[2] / largest};
    return largest * sqrt(brn_dense_dot3(s, s));
}

void brn_dense_across3(const double n[3], double u[3], double v[3])
{
    /* The axis most across n starts them, so that axis-parallel directions stay exact. */
    int least = 0;
    for (int i = 1; i < 3; ++i) {
        least = fabs(n[i]) < fabs(n[least]) ? i : least;
    }
    double axis[3] = {0.0, 0.0, 0.0};
    axis[least] = 1.0;
    brn_dense_cross3(n, axis, v);
    const double length = brn_dense_length3(v);
    for (int i = 0; i < 3; ++i) {
        v[i] /= length;
    }
    brn_dense_cross3(v, n, u);
}

bool brn_dense_rotation(const double axis[3], double angle, double r[9])
{
    for (int i = 0; i < 9; ++i) {
        r[i] = i % 4 == 0 ? 1.0 : 0.0;
    }
    /* Scaling by the largest entry first keeps the squares away from overflow and underflow. */
    const double scale = fmax(fabs(axis[0]), fmax(fabs(axis[1]), fabs(axis[2])));
    const double sum = axis[0] + axis[1] + axis[2] + angle;
    if (!(scale > 0.0) || !(scale <= DBL_MAX) || isnan(sum) || isinf(angle)) {
        return false;
    }
    double u[3] = {axis[0] / scale, axis[1] / scale, axis[2] / scale};
    const double length = sqrt(brn_dense_dot3(u, u));
    for (int i = 0; i < 3; ++i) {
        u[i] /= length;
    }
    const double s = sin(angle);
    const double h = sin(0.5 * angle);
    const double c1 = 2.0 * h * h; /* 1 - cos without cancellation */
    r[0] = 1.0 - c1 * (u[1] * u[1] + u[2] * u[2]);
    r[1] = c1 * u[0] * u[1] - s * u[2];
    r[2] = c1 * u[0] * u[2] + s * u[1];
    r[3] = c1 * u[0] * u[1] + s * u[2];
    r[4] = 1.0 - c1 * (u[0] * u[0] + u[2] * u[2]);
    r[5] = c1 * u[1] * u[2] - s * u[0];
    r[6] = c1 * u[0] * u[2] - s * u[1];
    r[7] = c1 * u[1] * u[2] + s * u[0];
    r[8] = 1.0 - c1 * (u[0] * u[0] + u[1] * u[1]);
    return true;
}

/* Annihilates a[p][q] (upper triangle, p < q) and carries the rotation into v [Golub & Van Loan, 8.5.2]. */
static void rotate(int n, double *a, double *v, int p, int q)
{
    const double apq = a[p * n + q];
    const double theta = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
    const double t = fabs(theta) > 1e150
                         ? 0.5 / theta
                         : (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0);
    const double s = t * c;
    const double tau = s / (1.0 + c);
    a[p * n + p] -= t * apq;
    a[q * n + q] += t * apq;
    a[p * n + q] = 0.0;
    for (int i = 0; i < n; ++i) {
        if (i != p && i != q) {
            double *ip = i < p ? &a[i * n + p] : &a[p * n + i];
            double *iq = i < q ? &a[i * n + q] : &a[q * n + i];
            const double x = *ip;
            const double y = *iq;
            *ip = x - s * (y + tau * x);
            *iq = y + s * (x - tau * y);
        }
        const double x = v[i * n + p];
        const double y = v[i * n + q];
        v[i * n + p] = x - s * (y + tau * x);
        v[i * n + q] = y + s * (x - tau * y);
    }
}

/* One sweep over the upper triangle; false when every off-diagonal entry was negligible. */
static bool sweep(int n, double *a, double *v)
{
    bool turned = false;
    for (int p = 0; p < n - 1; ++p) {
        for (int q = p + 1; q < n; ++q) {
            /* Entries are scaled to at most 1: below eps^2 they change no eigenvalue's bits that the others have. */
            const double off = fabs(a[p * n + q]);
            if (off > 1e-32 && off > 1e-17 * sqrt(fabs(a[p * n + p] * a[q * n + q]))) {
                rotate(n, a, v, p, q);
                turned = true;
            } else {
                a[p * n + q] = 0.0;
            }
        }
    }
    return turned;
}

static void sort_ascending(int n, double *w, double *v)
{
    for (int k = 0; k < n - 1; ++k) {
        int least = k;
        for (int j = k + 1; j < n; ++j) {
            least = w[j] < w[least] ? j : least;
        }
        if (least != k) {
            const double x = w[k];
            w[k] = w[least];
            w[least] = x;
            for (int i = 0; i < n; ++i) {
                const double y = v[i * n + k];
                v[i * n + k] = v[i * n + least];
                v[i * n + least] = y;
            }
        }
    }
}

brn_status brn_dense_eigen_sym(int n, double *a, double *w, double *v)
{
    double scale = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = i; j < n; ++j) {
            const double size = fabs(a[i * n + j]);
            if (!(size <= DBL_MAX)) {
                return BRN_ERR_NOT_FINITE;
            }
            scale = fmax(scale, size);
        }
    }
    /* A power of two, so that scaling is exact. */
    const int exponent = scale > 0.0 ? ilogb(scale) + 1 : 0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            a[i * n + j] = j >= i ? scalbn(a[i * n + j], -exponent) : 0.0;
            v[i * n + j] = i == j ? 1.0 : 0.0;
        }
    }
    /* Cyclic Jacobi converges quadratically in 6 to 10 sweeps; what is left after the cap is below rounding. */
    for (int count = 0; count < 40 && sweep(n, a, v); ++count) {}
    for (int i = 0; i < n; ++i) {
        w[i] = scalbn(a[i * n + i], exponent);
    }
    sort_ascending(n, w, v);
    return BRN_OK;
}

brn_status brn_dense_solve_spd(int n, double *a, double *b)
{
    for (int j = 0; j < n; ++j) {
        double *row = &a[(size_t)j * (size_t)n];
        for (int i = 0; i < j; ++i) {
            const double *other = &a[(size_t)i * (size_t)n];
            double sum = row[i];
            for (int k = 0; k < i; ++k) {
                sum -= row[k] * other[k];
            }
            row[i] = sum / other[i];
        }
        double left = row[j];
        for (int k = 0; k < j; ++k) {
            left -= row[k] * row[k];
        }
        if (!(left > 0.0)) {
            return BRN_ERR_SINGULAR;
        }
        row[j] = sqrt(left);
        for (int k = 0; k < j; ++k) {
            b[j] -= row[k] * b[k];
        }
        b[j] /= row[j];
    }
    for (int j = n - 1; j >= 0; --j) {
        b[j] /= a[(size_t)j * (size_t)n + (size_t)j];
        for (int k = 0; k < j; ++k) {
            b[k] -= a[(size_t)j * (size_t)n + (size_t)k] * b[j];
        }
    }
    return BRN_OK;
}
