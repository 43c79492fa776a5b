// Solves A x = b by MKL PARDISO with its defaults for the kind of matrix (nested dissection of METIS, up to two steps of
// refinement), and prints a JSON line:
//   solve_pardiso positive|symmetric|general MATRIX B X
// MATRIX, B and X are binary files of PETSc. Setup is ordering, analysis and factorisation; bytes are what it keeps, and
// numbers those of the entries of the factors among them.
//   cc -O3 -march=native solve_pardiso.c -I/usr/include/mkl -lmkl_rt -lm
#include <mkl_pardiso.h>

#include "petsc.h"

int main(int argc, char **argv) {
  if (argc != 5) die("want positive|symmetric|general MATRIX B X");
  int type = !strcmp(argv[1], "positive") ? 2 : !strcmp(argv[1], "symmetric") ? -2 : 11;
  double begin = seconds();
  struct rows a = read_rows(argv[2]);
  int n = a.n, *p = a.begin, *j = a.column;
  double *v = a.value;
  if (type != 11) { // the upper triangle, each diagonal element included
    int *q = allocate(4 * (size_t)(n + 1)), *k = allocate(4 * ((size_t)p[n] + n));
    double *w = allocate(8 * ((size_t)p[n] + n));
    q[0] = 0;
    for (int i = 0, e = 0; i < n; i++) {
      k[e] = i;
      w[e++] = 0;
      for (int s = p[i]; s < p[i + 1]; s++) {
        if (j[s] == i) w[q[i]] = v[s];
        else if (j[s] > i) k[e] = j[s], w[e++] = v[s];
      }
      q[i + 1] = e;
    }
    p = q, j = k, v = w;
  }
  double *b = read_vector(argv[3], n), *x = allocate(8 * (size_t)n);

  void *handle[64] = {0};
  int parm[64], one = 1, zero = 0, phase = 12, error = 0, none = 0;
  pardisoinit(handle, &type, parm);
  parm[34] = 1;  // indices begin with 0
  parm[1] = 3;   // nested dissection on all threads
  double from = seconds();
  pardiso(handle, &one, &one, &type, &phase, &n, v, p, j, &none, &one, parm, &zero, b, x, &error);
  if (error) fprintf(stderr, "PARDISO: error %d\n", error), exit(1);
  double ready = seconds();
  phase = 33;
  pardiso(handle, &one, &one, &type, &phase, &n, v, p, j, &none, &one, parm, &zero, b, x, &error);
  if (error) fprintf(stderr, "PARDISO: error %d\n", error), exit(1);
  double end = seconds();
  printf("{\"read\":%g,\"setup\":%g,\"solve\":%g,\"iterations\":1,\"reason\":\"direct\",\"bytes\":%g,\"numbers\":%g}\n", from - begin,
         ready - from, end - ready, 1024. * (parm[15] + parm[16]), 8. * parm[17]);
  write_vector(argv[4], x, n);
  return 0;
}
