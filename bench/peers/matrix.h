// Reading a real or integer coordinate matrix in Matrix Market form into CSR, for
// the programs beside this file. Symmetric matrices are expanded.
#ifndef MATRIX_H
#define MATRIX_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  int rows, cols, nnz;
  int *row_ptr, *col;
  double *val;
} csr;

static void die(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static void *allocate(size_t count, size_t size) {
  void *p = calloc(count + 1, size);
  if (!p) die("out of memory");
  return p;
}

static csr read_matrix(const char *path) {
  char line[1024];
  FILE *f = fopen(path, "r");
  if (!f || !fgets(line, sizeof line, f)) die("cannot read the matrix");
  int symmetric = strstr(line, "symmetric") != NULL;
  while (line[0] == '%')
    if (!fgets(line, sizeof line, f)) die("no size line");
  csr m;
  int entries;
  if (sscanf(line, "%d %d %d", &m.rows, &m.cols, &entries) != 3) die("bad size line");
  int *is = (int *)allocate(entries, sizeof(int)), *js = (int *)allocate(entries, sizeof(int));
  double *vs = (double *)allocate(entries, sizeof(double));
  m.row_ptr = (int *)allocate(m.rows + 1, sizeof(int));
  for (int k = 0; k < entries; k++) {
    if (fscanf(f, "%d %d %lf", &is[k], &js[k], &vs[k]) != 3) die("bad entry");
    m.row_ptr[is[k]--]++;
    js[k]--;
    if (symmetric && is[k] != js[k]) m.row_ptr[js[k] + 1]++;
  }
  fclose(f);
  for (int i = 0; i < m.rows; i++) m.row_ptr[i + 1] += m.row_ptr[i];
  m.nnz = m.row_ptr[m.rows];
  m.col = (int *)allocate(m.nnz, sizeof(int));
  m.val = (double *)allocate(m.nnz, sizeof(double));
  // A file of mpsolve has its entries by rows, then columns. Those below the diagonal
  // of a row come first, then those that mirror later rows, in their order: columns
  // increase.
  int *next = (int *)allocate(m.rows, sizeof(int));
  memcpy(next, m.row_ptr, m.rows * sizeof(int));
  for (int k = 0; k < entries; k++) {
    int at = next[is[k]]++;
    m.col[at] = js[k], m.val[at] = vs[k];
    if (symmetric && is[k] != js[k]) {
      at = next[js[k]]++;
      m.col[at] = is[k], m.val[at] = vs[k];
    }
  }
  free(is), free(js), free(vs), free(next);
  return m;
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

// report prints a line as mpsolve bench spmv --json does; the vectors count once.
static void report(const char *name, const char *peer, const csr *m, int threads, double least) {
  double bytes = 12.0 * m->nnz + 4.0 * (m->rows + 1) + 8.0 * m->rows + 8.0 * m->cols;
  printf("{\"matrix\":\"%s\",\"peer\":\"%s\",\"rows\":%d,\"cols\":%d,\"nnz\":%d,\"threads\":%d,"
         "\"seconds_min\":%.9g,\"gbps\":%.6g}\n",
         name, peer, m->rows, m->cols, m->nnz, threads, least, bytes / least / 1e9);
}

#endif
