// Times y = A x by a plain loop in C, as compiled, on as many threads as OpenMP has:
// spmv_c FILE NAME REPEAT
#include <math.h>
#ifdef _OPENMP
#include <omp.h>
#else
#define omp_get_thread_num() 0
#define omp_get_num_threads() 1
#define omp_get_max_threads() 1
#endif

#include "matrix.h"

// first is the first row of thread t: each has rows with about as many elements.
static int first(const csr *m, long t, long threads) {
  int lo = 0, hi = m->rows;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (m->row_ptr[mid] < m->nnz * t / threads)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static void multiply(const csr *m, const double *restrict x, double *restrict y) {
#pragma omp parallel
  {
    int t = omp_get_thread_num(), threads = omp_get_num_threads();
    int lo = first(m, t, threads), hi = t + 1 < threads ? first(m, t + 1, threads) : m->rows;
    const int *row_ptr = m->row_ptr, *col = m->col;
    const double *val = m->val;
    for (int i = lo; i < hi; i++) {
      double s = 0;
      for (int k = row_ptr[i]; k < row_ptr[i + 1]; k++) s += val[k] * x[col[k]];
      y[i] = s;
    }
  }
}

int main(int argc, char **argv) {
  if (argc != 4) die("usage: spmv_c FILE NAME REPEAT");
  csr m = read_matrix(argv[1]);
  double *x = (double *)allocate(m.cols, sizeof(double)), *y = (double *)allocate(m.rows, sizeof(double));
  for (int j = 0; j < m.cols; j++) x[j] = 2.0 * rand() / RAND_MAX - 1;
  double least = INFINITY;
  for (int k = atoi(argv[3]); k > 0; k--) {
    double start = seconds();
    multiply(&m, x, y);
    least = fmin(least, seconds() - start);
  }
  for (int i = 0; i < m.rows; i++)
    if (!isfinite(y[i])) die("the product is not finite");
#ifdef __clang__
  report(argv[2], "C, clang", &m, omp_get_max_threads(), least);
#else
  report(argv[2], "C, gcc", &m, omp_get_max_threads(), least);
#endif
}
