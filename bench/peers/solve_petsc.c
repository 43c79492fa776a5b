// Solves A x = b in PETSc from x = 0 and prints a JSON line:
//   solve_petsc MATRIX B X [-coordinates FILE] [options of PETSc]
// The files are binary ones of PETSc. Coordinates are three for each node of three
// unknowns, whose rigid motions are the near null space of multigrid.
#include <petscksp.h>

static PetscErrorCode load(const char *path, Mat m, Vec v) {
  PetscViewer viewer;
  PetscFunctionBeginUser;
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, path, FILE_MODE_READ, &viewer));
  if (m) PetscCall(MatLoad(m, viewer));
  else PetscCall(VecLoad(v, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(0);
}

static PetscErrorCode rigid_motions(Mat a, const char *path) {
  Vec xyz;
  MatNullSpace motions;
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(a, &xyz, NULL));
  PetscCall(VecSetBlockSize(xyz, 3));
  PetscCall(load(path, NULL, xyz));
  PetscCall(MatNullSpaceCreateRigidBody(xyz, &motions));
  PetscCall(MatSetNearNullSpace(a, motions));
  PetscCall(MatNullSpaceDestroy(&motions));
  PetscCall(VecDestroy(&xyz));
  PetscFunctionReturn(0);
}

static PetscErrorCode now(PetscLogDouble *t) {
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(t));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
  Mat a;
  Vec b, x;
  KSP ksp;
  KSPConvergedReason reason;
  PetscInt iterations;
  PetscLogDouble start, ready, end;
  PetscViewer out;
  char coordinates[PETSC_MAX_PATH_LEN];
  PetscBool nodes;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCheck(argc > 3, PETSC_COMM_WORLD, PETSC_ERR_USER, "want MATRIX B X");
  PetscCall(PetscOptionsGetString(NULL, NULL, "-coordinates", coordinates, sizeof coordinates, &nodes));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &a));
  PetscCall(MatSetType(a, MATAIJ));
  if (nodes) PetscCall(MatSetBlockSize(a, 3));
  PetscCall(load(argv[1], a, NULL));
  PetscCall(MatCreateVecs(a, &x, &b));
  PetscCall(load(argv[2], NULL, b));
  if (nodes) PetscCall(rigid_motions(a, coordinates));

  PetscCall(now(&start));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, a, a));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPSetUpOnBlocks(ksp));
  PetscCall(now(&ready));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(now(&end));

  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "{\"setup\":%.6f,\"solve\":%.6f,\"iterations\":%d,\"reason\":\"%s\"}\n",
                        ready - start, end - ready, (int)iterations, KSPConvergedReasons[reason]));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, argv[3], FILE_MODE_WRITE, &out));
  PetscCall(PetscViewerBinarySetSkipInfo(out, PETSC_TRUE));
  PetscCall(VecView(x, out));
  PetscCall(PetscViewerDestroy(&out));
  PetscCall(PetscFinalize());
  return 0;
}
