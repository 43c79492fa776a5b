// Reading and writing binary files of PETSc, which have the other order of bytes, for the programs beside this file.
#ifndef PETSC_H
#define PETSC_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void die(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void *allocate(size_t bytes) {
  void *p = malloc(bytes + 1);
  if (!p) die("out of memory");
  return p;
}

static void integers(FILE *f, int *to, size_t count) {
  if (fread(to, 4, count, f) != count) die("the file is too short");
  for (size_t k = 0; k < count; k++) to[k] = (int)__builtin_bswap32((uint32_t)to[k]);
}

static void swap(double *v, size_t count) {
  for (size_t k = 0; k < count; k++) {
    uint64_t bits;
    memcpy(&bits, v + k, 8);
    bits = __builtin_bswap64(bits);
    memcpy(v + k, &bits, 8);
  }
}

static void doubles(FILE *f, double *to, size_t count) {
  if (fread(to, 8, count, f) != count) die("the file is too short");
  swap(to, count);
}

static FILE *opened(const char *path, const char *mode) {
  FILE *f = fopen(path, mode);
  if (!f) die("cannot open a file");
  return f;
}

// rows is a matrix by rows.
struct rows {
  int n, *begin, *column;
  double *value;
};

// read_rows returns a matrix.
static inline struct rows read_rows(const char *path) {
  int head[4];
  FILE *f = opened(path, "rb");
  integers(f, head, 4);
  if (head[0] != 1211216 || head[1] != head[2]) die("not a square matrix of PETSc");
  size_t n = head[1], nnz = head[3];
  struct rows a = {head[1], allocate(4 * (n + 1)), allocate(4 * nnz), allocate(8 * nnz)};
  a.begin[0] = 0;
  integers(f, a.begin + 1, n);
  for (size_t i = 0; i < n; i++) a.begin[i + 1] += a.begin[i];
  integers(f, a.column, nnz);
  doubles(f, a.value, nnz);
  fclose(f);
  return a;
}

// write_vector writes x, whose bytes it changes.
static void write_vector(const char *path, double *x, int n) {
  FILE *f = opened(path, "wb");
  uint32_t out[2] = {__builtin_bswap32(1211214), __builtin_bswap32((uint32_t)n)};
  swap(x, n);
  if (fwrite(out, 4, 2, f) != 2 || fwrite(x, 8, n, f) != (size_t)n || fclose(f)) die("cannot write x");
}

// read_vector returns a vector of n elements.
static double *read_vector(const char *path, int n) {
  int head[2];
  FILE *f = opened(path, "rb");
  integers(f, head, 2);
  if (head[0] != 1211214 || head[1] != n) die("not a vector of PETSc for this matrix");
  double *v = allocate(8 * (size_t)n);
  doubles(f, v, n);
  fclose(f);
  return v;
}

#endif
