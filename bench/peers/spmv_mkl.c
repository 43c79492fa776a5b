// Times y = A x by MKL's inspector-executor, on as many threads as OpenMP has, after
// mkl_sparse_optimize: spmv_mkl FILE NAME REPEAT
#include <math.h>
#include <mkl.h>
#include <mkl_spblas.h>
#include <omp.h>

#include "matrix.h"

// MKL asks this function whether the processor is Intel's, and takes slower kernels where it is not: a
// program that has one of its own gets the kernels of the instructions that the processor has.
int mkl_serv_intel_cpu_true(void) { return 1; }

static void check(sparse_status_t s) {
  if (s != SPARSE_STATUS_SUCCESS) die("MKL failed");
}

int main(int argc, char **argv) {
  if (argc != 4) die("usage: spmv_mkl FILE NAME REPEAT");
  csr m = read_matrix(argv[1]);
  int repeat = atoi(argv[3]);
  double *x = (double *)allocate(m.cols, sizeof(double)), *y = (double *)allocate(m.rows, sizeof(double));
  for (int j = 0; j < m.cols; j++) x[j] = 2.0 * rand() / RAND_MAX - 1;
  struct matrix_descr general = {.type = SPARSE_MATRIX_TYPE_GENERAL};
  sparse_matrix_t a;
  check(mkl_sparse_d_create_csr(&a, SPARSE_INDEX_BASE_ZERO, m.rows, m.cols, m.row_ptr, m.row_ptr + 1, m.col, m.val));
  check(mkl_sparse_set_mv_hint(a, SPARSE_OPERATION_NON_TRANSPOSE, general, 100000));
  check(mkl_sparse_optimize(a));
  double least = INFINITY;
  for (int k = repeat; k > 0; k--) {
    double start = seconds();
    check(mkl_sparse_d_mv(SPARSE_OPERATION_NON_TRANSPOSE, 1, a, general, x, 0, y));
    least = fmin(least, seconds() - start);
  }
  for (int i = 0; i < m.rows; i++)
    if (!isfinite(y[i])) die("the product is not finite");
  report(argv[2], "MKL, inspector-executor", &m, omp_get_max_threads(), least);
}
