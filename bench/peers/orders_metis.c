// Prints the order of METIS_NodeND for a symmetric pattern in a file of PETSc, one number a line, after the seconds of a processor.
//
//   orders_metis A.petsc
#include <metis.h>

#include "petsc.h"

int main(int argc, char **argv) {
  if (argc != 2) die("usage: orders_metis A.petsc");
  FILE *f = opened(argv[1], "rb");
  int head[4];
  integers(f, head, 4);
  int n = head[1], edges = 0;
  int *length = allocate(4 * (size_t)n), *col = allocate(4 * (size_t)head[3]);
  integers(f, length, n);
  integers(f, col, head[3]);
  idx_t *at = allocate(sizeof(idx_t) * ((size_t)n + 1)), *adj = allocate(sizeof(idx_t) * (size_t)head[3]);
  at[0] = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < length[i]; k++, col++) {
      if (*col != i) adj[edges++] = *col;
    }
    at[i + 1] = edges;
  }
  idx_t rows = n, *order = allocate(sizeof(idx_t) * (size_t)n), *place = allocate(sizeof(idx_t) * (size_t)n);
  clock_t start = clock();
  if (METIS_NodeND(&rows, at, adj, NULL, NULL, order, place) != METIS_OK) die("METIS fails");
  printf("%.3f\n", (double)(clock() - start) / CLOCKS_PER_SEC);
  for (int i = 0; i < n; i++) printf("%d\n", (int)order[i]);
  return 0;
}
