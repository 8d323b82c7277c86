#include "output/trajectory/patch_fit.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* A term is left out if less than this is new of it. Two layers of samples that are not quite plane would otherwise
   give a curvature across them, made of their errors. */
static const double NEW_MIN = 0.1;

static void coordinates(const brn_patch_fit *fit, const double x[3], const double from[3], double u[3])
{
    for (int i = 0; i < 3; ++i) {
        u[i] = 0.0;
        for (int k = 0; k < 3 && i < fit->axes; ++k) {
            u[i] += fit->axis[i][k] * (x[k] - from[k]);
        }
    }
}

static double weight_at(const brn_patch_fit *fit, const double x[3])
{
    double u[3];
    if (fit->near == NULL) {
        return 1.0;
    }
    coordinates(fit, x, fit->near, u);
    return 1.0 / (0.5 + u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}

/* phi: 1, coordinates, their products. */
static void terms_at(const brn_patch_fit *fit, const double x[3], double phi[BRN_FIT_TERMS])
{
    double u[3];
    coordinates(fit, x, fit->centre, u);
    int n = 0;
    phi[n++] = 1.0;
    for (int i = 0; i < fit->axes; ++i) {
        phi[n++] = u[i];
    }
    for (int i = 0; i < fit->axes && n < fit->nterm; ++i) {
        for (int k = i; k < fit->axes; ++k) {
            phi[n++] = u[i] * u[k];
        }
    }
}

/* Principal axes of the samples, over their spread. An axis without spread is 0, and so are its terms. */
static void find_axes(brn_patch_fit *fit, const double (*place)[3], int n)
{
    double moment[9] = {0}, value[3], vector[9];
    for (int s = 0; s < n; ++s) {
        for (int i = 0; i < 3; ++i) {
            fit->centre[i] += place[s][i] / n;
        }
    }
    for (int s = 0; s < n; ++s) {
        for (int k = 0; k < 9; ++k) {
            moment[k] += (place[s][k / 3] - fit->centre[k / 3]) * (place[s][k % 3] - fit->centre[k % 3]) / n;
        }
    }
    if (brn_dense_eigen_sym(3, moment, value, vector) < 0) {
        return;
    }
    for (int i = 0; i < fit->axes; ++i) {
        const double square = value[2 - i]; /* the largest first */
        for (int k = 0; k < 3 && square > 1e-12 * value[2]; ++k) {
            fit->axis[i][k] = vector[3 * k + 2 - i] / sqrt(square);
        }
    }
}

/* T = L^-1 with the Cholesky factor of the Gram matrix G = L L^T, row by row; rows of terms left out are 0. */
static void orthonormalise(brn_patch_fit *fit, double gram[BRN_FIT_TERMS][BRN_FIT_TERMS])
{
    for (int k = 0; k < fit->nterm; ++k) {
        double *t = fit->t[k];
        double norm = gram[k][k];
        t[k] = 1.0;
        for (int j = 0; j < k; ++j) {
            double dot = 0.0; /* of phi_k with psi_j */
            for (int i = 0; i <= j; ++i) {
                dot += fit->t[j][i] * gram[k][i];
            }
            norm -= dot * dot;
            for (int i = 0; i <= j; ++i) {
                t[i] -= dot * fit->t[j][i];
            }
        }
        const double scale = norm > NEW_MIN * NEW_MIN * gram[k][k] ? 1.0 / sqrt(norm) : 0.0;
        for (int i = 0; i <= k; ++i) {
            t[i] = scale > 0.0 ? scale * t[i] : 0.0;
        }
    }
}

void brn_patch_fit_make(brn_patch_fit *fit, int axes, int degree, const double (*place)[3], int n,
                        const double *near)
{
    double gram[BRN_FIT_TERMS][BRN_FIT_TERMS] = {{0}};
    *fit = (brn_patch_fit){.axes = axes, .near = near};
    fit->nterm = brn_patch_fit_terms(fit, degree);
    find_axes(fit, place, n);
    for (int s = 0; s < n; ++s) {
        double phi[BRN_FIT_TERMS];
        const double weight = weight_at(fit, place[s]);
        terms_at(fit, place[s], phi);
        for (int k = 0; k < fit->nterm; ++k) {
            for (int j = 0; j <= k; ++j) {
                gram[k][j] += weight * phi[k] * phi[j];
            }
        }
    }
    orthonormalise(fit, gram);
}

void brn_patch_fit_basis(const brn_patch_fit *fit, const double x[3], double psi[BRN_FIT_TERMS])
{
    double phi[BRN_FIT_TERMS];
    terms_at(fit, x, phi);
    memset(psi, 0, BRN_FIT_TERMS * sizeof *psi);
    for (int k = 0; k < fit->nterm; ++k) {
        for (int j = 0; j <= k; ++j) {
            psi[k] += fit->t[k][j] * phi[j];
        }
    }
}

double brn_patch_fit_share(const brn_patch_fit *fit, const double psi[BRN_FIT_TERMS], int terms,
                           const double place[3])
{
    double there[BRN_FIT_TERMS];
    double sum = 0.0;
    brn_patch_fit_basis(fit, place, there);
    for (int k = 0; k < terms; ++k) {
        sum += psi[k] * there[k];
    }
    return weight_at(fit, place) * sum;
}

int brn_patch_fit_rank(const brn_patch_fit *fit, int degree)
{
    const int all = brn_patch_fit_terms(fit, degree);
    int rank = 0;
    for (int k = 0; k < all && k < fit->nterm; ++k) {
        rank += fit->t[k][k] != 0.0;
    }
    return rank;
}
