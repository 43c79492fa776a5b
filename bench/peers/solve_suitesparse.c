// Solves A x = b by CHOLMOD, with L L^T, by UMFPACK, or by KLU, each with one step of refinement, and
// prints a JSON line:
//   solve_suitesparse cholmod|umfpack|klu MATRIX B X
//   solve_suitesparse read MATRIX
// MATRIX is a Matrix Market file if its name ends in .mtx, otherwise a binary one of PETSc, as
// B and X are. Setup is ordering, analysis and factorisation; bytes are those of the factors.
//   cc -O3 -march=native solve_suitesparse.c -I/usr/include/suitesparse -lumfpack -lcholmod -lklu -lm
#include <cholmod.h>
#include <klu.h>
#include <umfpack.h>

#include "petsc.h"

static double bytes; // of the factors

// read_binary returns the transpose of a matrix of PETSc, whose rows are its columns.
static cholmod_sparse *read_binary(const char *path, cholmod_common *c) {
  int head[4];
  FILE *f = opened(path, "rb");
  integers(f, head, 4);
  if (head[0] != 1211216) die("not a matrix of PETSc");
  int rows = head[1], nnz = head[3];
  cholmod_sparse *t = cholmod_allocate_sparse(head[2], rows, nnz, 1, 1, 0, CHOLMOD_REAL, c);
  if (!t) die("out of memory");
  int *p = t->p;
  p[0] = 0;
  integers(f, p + 1, rows);
  for (int i = 0; i < rows; i++) p[i + 1] += p[i];
  integers(f, t->i, nnz);
  doubles(f, t->x, nnz);
  fclose(f);
  return t;
}

// read_matrix returns the matrix by columns, both triangles stored.
static cholmod_sparse *read_matrix(const char *path, cholmod_common *c) {
  size_t n = strlen(path);
  cholmod_sparse *a, *other;
  if (n > 4 && !strcmp(path + n - 4, ".mtx")) {
    FILE *f = opened(path, "r");
    other = cholmod_read_sparse(f, c);
    fclose(f);
    if (!other) die("CHOLMOD cannot read the matrix");
    a = cholmod_copy(other, 0, 1, c);
  } else {
    other = read_binary(path, c);
    a = cholmod_transpose(other, 1, c);
  }
  cholmod_free_sparse(&other, c);
  if (!a || a->nrow != a->ncol) die("not a square matrix");
  return a;
}

// cholesky solves by CHOLMOD and returns when the factors were ready.
static double cholesky(cholmod_sparse *a, const double *b, double *x, cholmod_common *c) {
  double one[2] = {1, 0}, minus[2] = {-1, 0};
  size_t n = a->nrow;
  cholmod_sparse *lower = cholmod_copy(a, -1, 1, c);
  cholmod_factor *l = cholmod_analyze(lower, c);
  if (!l || !cholmod_factorize(lower, l, c) || c->status == CHOLMOD_NOT_POSDEF || l->minor < n) die("not positive definite");
  double ready = seconds();
  bytes = l->is_super ? 8. * l->xsize + 4. * l->ssize : 12. * l->nzmax;
  cholmod_dense *r = cholmod_allocate_dense(n, 1, n, CHOLMOD_REAL, c);
  memcpy(r->x, b, 8 * n);
  cholmod_dense *y = cholmod_solve(CHOLMOD_A, l, r, c);
  if (!y) die("CHOLMOD cannot solve");
  cholmod_sdmult(lower, 0, minus, one, y, r, c);
  cholmod_dense *d = cholmod_solve(CHOLMOD_A, l, r, c);
  for (size_t i = 0; i < n; i++) x[i] = ((double *)y->x)[i] + ((double *)d->x)[i];
  return ready;
}

// lu solves by UMFPACK and returns when the factors were ready.
static double lu(cholmod_sparse *a, const double *b, double *x) {
  double control[UMFPACK_CONTROL], info[UMFPACK_INFO];
  void *symbolic, *numeric;
  umfpack_di_defaults(control);
  control[UMFPACK_IRSTEP] = 1;
  int n = (int)a->nrow;
  if (umfpack_di_symbolic(n, n, a->p, a->i, a->x, &symbolic, control, info) != UMFPACK_OK) die("UMFPACK cannot analyse");
  int status = umfpack_di_numeric(a->p, a->i, a->x, symbolic, &numeric, control, info);
  if (status == UMFPACK_WARNING_singular_matrix) die("singular");
  if (status != UMFPACK_OK) die("UMFPACK cannot factorise");
  double ready = seconds();
  bytes = info[UMFPACK_NUMERIC_SIZE] * info[UMFPACK_SIZE_OF_UNIT];
  if (umfpack_di_solve(UMFPACK_A, a->p, a->i, a->x, x, b, numeric, control, info) != UMFPACK_OK) die("UMFPACK cannot solve");
  return ready;
}

// by_klu solves by KLU and returns when the factors were ready.
static double by_klu(cholmod_sparse *a, const double *b, double *x, cholmod_common *c) {
  double one[2] = {1, 0}, minus[2] = {-1, 0};
  klu_common k;
  klu_defaults(&k);
  int n = (int)a->nrow;
  klu_symbolic *symbolic = klu_analyze(n, a->p, a->i, &k);
  klu_numeric *numeric = symbolic ? klu_factor(a->p, a->i, a->x, symbolic, &k) : NULL;
  if (k.status == KLU_SINGULAR) die("singular");
  if (!numeric) die("KLU cannot factorise");
  double ready = seconds();
  bytes = 12. * ((double)numeric->lnz + numeric->unz + numeric->nzoff);
  memcpy(x, b, 8 * (size_t)n);
  if (!klu_solve(symbolic, numeric, n, 1, x, &k)) die("KLU cannot solve");
  cholmod_dense *r = cholmod_allocate_dense(n, 1, n, CHOLMOD_REAL, c), *y = cholmod_allocate_dense(n, 1, n, CHOLMOD_REAL, c);
  memcpy(r->x, b, 8 * (size_t)n);
  memcpy(y->x, x, 8 * (size_t)n);
  cholmod_sdmult(a, 0, minus, one, y, r, c);
  if (!klu_solve(symbolic, numeric, n, 1, r->x, &k)) die("KLU cannot solve");
  for (int i = 0; i < n; i++) x[i] += ((double *)r->x)[i];
  return ready;
}

int main(int argc, char **argv) {
  int only = argc == 3 && !strcmp(argv[1], "read");
  if (argc != 5 && !only) die("want cholmod|umfpack|klu MATRIX B X, or read MATRIX");
  cholmod_common c;
  cholmod_start(&c);
  double begin = seconds();
  cholmod_sparse *a = read_matrix(argv[2], &c);
  double start = seconds();
  if (only) {
    printf("{\"read\":%g}\n", start - begin);
    return 0;
  }
  int n = (int)a->nrow;
  double *b = read_vector(argv[3], n), *x = allocate(8 * (size_t)n);

  double from = seconds(), ready;
  if (!strcmp(argv[1], "cholmod")) ready = cholesky(a, b, x, &c);
  else if (!strcmp(argv[1], "umfpack")) ready = lu(a, b, x);
  else if (!strcmp(argv[1], "klu")) ready = by_klu(a, b, x, &c);
  else die("want cholmod, umfpack or klu");
  double end = seconds();

  printf("{\"read\":%g,\"setup\":%g,\"solve\":%g,\"iterations\":1,\"reason\":\"direct\",\"bytes\":%g}\n",
         start - begin, ready - from, end - ready, bytes);
  write_vector(argv[4], x, n);
  return 0;
}
