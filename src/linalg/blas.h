/* The few BLAS and LAPACK routines used, by their Fortran names (OpenBLAS has them all), and the thread guard. */
#ifndef BRN_LINALG_BLAS_H
#define BRN_LINALG_BLAS_H

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);
void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *lwork, int *info);
void dsygv_(const int *itype, const char *jobz, const char *uplo, const int *n, double *a, const int *lda,
            double *b, const int *ldb, double *w, double *work, const int *lwork, int *info);

char *openblas_get_config(void); /* name and build of the BLAS in use, a constant text */
int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);

/* BLAS at one thread, so that results do not depend on the machine's cores; returns what to give back. The setting is
   OpenBLAS's own and belongs to the whole process: a second thread that changes it at the same time can see the one of
   this call. */
static inline int brn_blas_begin(void)
{
    const int threads = openblas_get_num_threads();
    if (threads != 1) {
        openblas_set_num_threads(1);
    }
    return threads;
}

static inline void brn_blas_end(int threads)
{
    if (threads != 1) {
        openblas_set_num_threads(threads);
    }
}

#endif
