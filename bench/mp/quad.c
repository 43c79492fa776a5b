// Times y = A x with A in double and vectors of __float128 (libquadmath), by a plain loop as in MPLAPACK, and by one in double:
// quad FILE REPEAT
#include <math.h>
#include <omp.h>

#include "../peers/matrix.h"

static void quad(const csr *m, const __float128 *restrict x, __float128 *restrict y) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < m->rows; i++) {
    __float128 s = 0;
    for (int k = m->row_ptr[i]; k < m->row_ptr[i + 1]; k++) s += (__float128)m->val[k] * x[m->col[k]];
    y[i] = s;
  }
}

static void plain(const csr *m, const double *restrict x, double *restrict y) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < m->rows; i++) {
    double s = 0;
    for (int k = m->row_ptr[i]; k < m->row_ptr[i + 1]; k++) s += m->val[k] * x[m->col[k]];
    y[i] = s;
  }
}

static void print(const char *what, const csr *m, double least) {
  printf("{\"peer\":\"%s\",\"operation\":\"spmv\",\"threads\":%d,\"nnz\":%d,\"ns_per_multiply_add\":%.6g}\n", what, omp_get_max_threads(), m->nnz,
         1e9 * least / m->nnz);
}

int main(int argc, char **argv) {
  if (argc != 3) die("usage: quad FILE REPEAT");
  csr m = read_matrix(argv[1]);
  double *x = allocate(m.cols, sizeof *x), *y = allocate(m.rows, sizeof *y);
  __float128 *u = aligned_alloc(16, (m.cols + 1L) * sizeof *u), *v = aligned_alloc(16, (m.rows + 1L) * sizeof *v);
  if (!u || !v) die("out of memory");
  for (int j = 0; j < m.cols; j++) {
    x[j] = 2.0 * rand() / RAND_MAX - 1;
    u[j] = x[j] + (__float128)1e-20 * rand();
  }
  double slow = INFINITY, fast = INFINITY;
  for (int k = atoi(argv[2]); k > 0; k--) {
    double start = seconds();
    plain(&m, x, y);
    fast = fmin(fast, seconds() - start);
    start = seconds();
    quad(&m, u, v);
    slow = fmin(slow, seconds() - start);
  }
  for (int i = 0; i < m.rows; i++)
    if (!(fabs(y[i] - (double)v[i]) < 1e-6 * (1 + fabs(y[i])))) die("the products differ");
  print("double, gcc", &m, fast);
  print("__float128, gcc", &m, slow);
}
