// Times y = A x in PETSc, sequential AIJ: spmv_petsc FILE NAME REPEAT
#include <math.h>
#include <petscmat.h>

#include "matrix.h"

int main(int argc, char **argv) {
  if (argc != 4) die("usage: spmv_petsc FILE NAME REPEAT");
  if (sizeof(PetscInt) != sizeof(int) || sizeof(PetscScalar) != sizeof(double)) die("want PETSc with 32-bit indices and real numbers");
  int none = 0;
  PetscCall(PetscInitialize(&none, NULL, NULL, NULL));
  csr m = read_matrix(argv[1]);
  Mat a;
  Vec x, y;
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, m.rows, m.cols, m.row_ptr, m.col, m.val, &a));
  PetscCall(MatCreateVecs(a, &x, &y));
  PetscCall(VecSetRandom(x, NULL));
  double least = INFINITY;
  for (int k = atoi(argv[3]); k > 0; k--) {
    double start = seconds();
    PetscCall(MatMult(a, x, y));
    least = fmin(least, seconds() - start);
  }
  char peer[64];
  snprintf(peer, sizeof peer, "PETSc %d.%d", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR);
  report(argv[2], peer, &m, 1, least);
  PetscCall(PetscFinalize());
  return 0;
}
