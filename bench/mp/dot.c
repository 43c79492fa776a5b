// Times y = A x with a dense matrix of random numbers in multiple precision, by MPFR and by Arb, on as many threads as OpenMP has:
// dot N REPEAT BITS...
// A thread has some of the rows; where all would take more than ROWS_TIME, some rows are multiplied. Prints a JSON line for each.
#include <math.h>
#include <mpfr.h>
#ifdef HAVE_ARB
#include <arb.h>
#endif
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double ROWS_TIME = 0.3;

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void report(const char *what, long n, long bits, long rows, double least) {
  printf("{\"peer\":\"%s\",\"operation\":\"gemv\",\"n\":%ld,\"bits\":%ld,\"threads\":%d,\"rows\":%ld,\"ns_per_multiply_add\":%.6g}\n", what, n, bits,
         omp_get_max_threads(), rows, 1e9 * least / ((double)rows * n));
  fflush(stdout);
}

typedef struct {
  long n, bits, rows;
  void *a, *x, *y, *t; // t: a number for each thread
  void (*row)(void *p, long i);
} problem;

// least is the least time of a product with some rows.
static double least_of(problem *p, long rows, int repeat) {
  double least = INFINITY;
  for (; repeat > 0; repeat--) {
    double start = seconds();
#pragma omp parallel for schedule(static)
    for (long i = 0; i < rows; i++) p->row(p, i);
    least = fmin(least, seconds() - start);
  }
  return least;
}

static void measure(const char *what, problem *p, int repeat) {
  long few = 2 * omp_get_max_threads();
  if (few > p->rows) few = p->rows;
  double once = least_of(p, few, 1);
  long rows = ROWS_TIME / once * few;
  if (rows < few) rows = few;
  if (rows > p->rows) rows = p->rows;
  report(what, p->n, p->bits, rows, least_of(p, rows, repeat));
}

// MPFR has no inner product but one that rounds once, mpfr_dot, which keeps all products: this is a loop of mul and add.
static void mpfr_row(void *q, long i) {
  problem *p = q;
  mpfr_t *a = (mpfr_t *)p->a + i * p->n, *x = p->x, *y = (mpfr_t *)p->y + i, *t = (mpfr_t *)p->t + omp_get_thread_num();
  mpfr_set_zero(*y, 1);
  for (long j = 0; j < p->n; j++) {
    mpfr_mul(*t, a[j], x[j], MPFR_RNDN);
    mpfr_add(*y, *y, *t, MPFR_RNDN);
  }
}

static mpfr_t *mpfr_numbers(long n, long bits, gmp_randstate_t random) {
  mpfr_t *v = malloc(n * sizeof *v);
  for (long i = 0; i < n; i++) {
    mpfr_init2(v[i], bits);
    mpfr_urandomb(v[i], random);
    if (i % 3 == 0) mpfr_neg(v[i], v[i], MPFR_RNDN);
  }
  return v;
}

#ifdef HAVE_ARB
// Balls of radius 0; arb_dot is the inner product of FLINT, arb_approx_dot the same without bounds of errors.
static void arb_row(void *q, long i) {
  problem *p = q;
  arb_dot((arb_ptr)p->y + i, NULL, 0, (arb_ptr)p->a + i * p->n, 1, p->x, 1, p->n, p->bits);
}

static void approx_row(void *q, long i) {
  problem *p = q;
  arb_approx_dot((arb_ptr)p->y + i, NULL, 0, (arb_ptr)p->a + i * p->n, 1, p->x, 1, p->n, p->bits);
}

static arb_ptr arb_numbers(const mpfr_t *from, long n) {
  arb_ptr v = _arb_vec_init(n);
  for (long i = 0; i < n; i++) arf_set_mpfr(arb_midref(v + i), from[i]);
  return v;
}
#endif

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: dot N REPEAT BITS...\n");
    return 1;
  }
  long n = atol(argv[1]), rows = n < 500 ? n : 500;
  int repeat = atoi(argv[2]), threads = omp_get_max_threads();
  gmp_randstate_t random;
  gmp_randinit_default(random);
  for (int k = 3; k < argc; k++) {
    long bits = atol(argv[k]);
    mpfr_t *a = mpfr_numbers(rows * n, bits, random), *x = mpfr_numbers(n, bits, random);
    problem p = {n, bits, rows, a, x, mpfr_numbers(rows, bits, random), mpfr_numbers(threads, bits, random), mpfr_row};
    measure("MPFR", &p, repeat);
#ifdef HAVE_ARB
    problem b = {n, bits, rows, arb_numbers(a, rows * n), arb_numbers(x, n), _arb_vec_init(rows), NULL, arb_row};
    measure("Arb", &b, repeat);
    b.row = approx_row;
    measure("Arb, approximate", &b, repeat);
    _arb_vec_clear(b.a, rows * n);
    _arb_vec_clear(b.x, n);
    _arb_vec_clear(b.y, rows);
#endif
    for (long i = 0; i < rows * n; i++) mpfr_clear(a[i]);
    for (long i = 0; i < n; i++) mpfr_clear(x[i]);
    free(a);
    free(x);
  }
}
