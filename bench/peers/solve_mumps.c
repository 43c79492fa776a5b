// Solves A x = b by MUMPS on one process with its defaults, and prints a JSON line:
//   solve_mumps positive|symmetric|general MATRIX B X
// MATRIX, B and X are binary files of PETSc. Setup is ordering, analysis and factorisation; bytes are those of the entries of the factors.
//   cc -O3 -march=native solve_mumps.c -I/usr/include/mumps_seq -ldmumps_seq
#include <dmumps_c.h>

#include "petsc.h"

static DMUMPS_STRUC_C id;

static void job(int number) {
  id.job = number;
  dmumps_c(&id);
  if (id.infog[0] < 0) fprintf(stderr, "MUMPS: error %d\n", id.infog[0]), exit(1);
}

int main(int argc, char **argv) {
  if (argc != 5) die("want positive|symmetric|general MATRIX B X");
  double begin = seconds();
  struct rows a = read_rows(argv[2]);
  int *i = allocate(4 * (size_t)a.begin[a.n]);
  double *b = read_vector(argv[3], a.n);
  id.sym = !strcmp(argv[1], "positive") ? 1 : !strcmp(argv[1], "symmetric") ? 2 : 0;
  int count = 0;
  for (int r = 0; r < a.n; r++)
    for (int e = a.begin[r]; e < a.begin[r + 1]; e++)
      if (!id.sym || a.column[e] >= r) i[count] = r + 1, a.column[count] = a.column[e] + 1, a.value[count++] = a.value[e];
  double start = seconds();
  id.par = 1;
  id.comm_fortran = -987654; // all processes
  job(-1);
  id.n = a.n, id.nnz = count, id.irn = i, id.jcn = a.column, id.a = a.value, id.rhs = b;
  id.icntl[0] = id.icntl[1] = id.icntl[2] = -1; // no messages
  job(4);
  double ready = seconds();
  job(3);
  double end = seconds();
  double entries = id.infog[28] < 0 ? -1e6 * id.infog[28] : id.infog[28];
  printf("{\"read\":%g,\"setup\":%g,\"solve\":%g,\"iterations\":1,\"reason\":\"direct\",\"bytes\":%g}\n", start - begin, ready - start, end - ready,
         8 * entries);
  write_vector(argv[4], b, a.n);
  return 0;
}
