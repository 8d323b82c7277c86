/* The few BLAS and LAPACK routines used, by their Fortran names (OpenBLAS has them all), and the thread guard. */
#ifndef BRN_LINALG_BLAS_H
#define BRN_LINALG_BLAS_H

#include "base/ctx.h"

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *beta, double *c, const int *ldc);
void dtrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
            const int *n, const double *alpha, const double *a, const int *lda, double *b, const int *ldb);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivot, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *pivot, double *b, const int *ldb, int *info);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y, const int *incy);
void dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a,
            const int *lda, double *x, const int *incx);
void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *lwork, int *info);
void dsygv_(const int *itype, const char *jobz, const char *uplo, const int *n, double *a, const int *lda,
            double *b, const int *ldb, double *w, double *work, const int *lwork, int *info);
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
             const int *lwork, int *info);
void dormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const double *a,
             const int *lda, const double *tau, double *c, const int *ldc, double *work, const int *lwork,
             int *info);
void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a, const int *lda,
             double *s, double *u, const int *ldu, double *vt, const int *ldvt, double *work,
             const int *lwork, int *info);
void dgels_(const char *trans, const int *m, const int *n, const int *nrhs, double *a, const int *lda,
            double *b, const int *ldb, double *work, const int *lwork, int *info);
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *wr,
            double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr, double *work,
            const int *lwork, int *info);

char *openblas_get_config(void); /* name and build of the BLAS in use, a constant text */
int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);
/* Weak: they are there when CHOLMOD was built with OpenMP, whose library it then loads. */
int omp_get_max_active_levels(void) __attribute__((weak));
void omp_set_max_active_levels(int levels) __attribute__((weak));

/* Makes sure that every worker of the ctx can call BLAS; before the first such call. OpenBLAS takes a buffer of 128 MB for each call that is
   under way, keeps it for later ones, and tries for ever where it cannot get one (ulimit -v, strict overcommit). */
brn_status brn_blas_reserve(brn_ctx *ctx);

typedef struct brn_blas_threads {
    int blas, levels;
} brn_blas_threads;

/* BLAS at one thread, so that results do not depend on the machine's cores; returns what to give back. CHOLMOD's own
   OpenMP loops are made serial too: they ask for four threads whatever the machine and the size, and waiting for those
   was measured to cost a factor 4 at 200 nodes and 1.5 at 10 000. The BLAS setting is OpenBLAS's own and belongs to
   the whole process: a second thread that changes it at the same time can see the one of this call. */
static inline brn_blas_threads brn_blas_begin(void)
{
    brn_blas_threads before = {openblas_get_num_threads(), -1};
    if (before.blas != 1) {
        openblas_set_num_threads(1);
    }
    if (omp_get_max_active_levels != 0 && omp_set_max_active_levels != 0) {
        before.levels = omp_get_max_active_levels();
        omp_set_max_active_levels(0);
    }
    return before;
}

static inline void brn_blas_end(brn_blas_threads before)
{
    if (before.blas != 1) {
        openblas_set_num_threads(before.blas);
    }
    if (before.levels >= 0) {
        omp_set_max_active_levels(before.levels);
    }
}

#endif
