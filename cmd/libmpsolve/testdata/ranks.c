/*
 * Ranks that share a matrix: a 7-point mesh of N x N x N nodes, with a coefficient that jumps.
 *
 *     ranks write FILE             writes A and b to FILE.a and FILE.b
 *     ranks solve FILE DOMAINS     writes solutions to FILE, for each way to cut the rows
 *     ranks faults FILE            does wrong things on the last rank; rank r writes codes and messages to FILE.r
 *     ranks threads FILE           likewise, with an MPI that is initialised without threads
 */
#include <math.h>
#include <mpi.h>
#include <mpsolve.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 12, ROWS = N * N * N };

static int rank, size, last;
static int64_t first, rows, start[ROWS + 1], col[7 * ROWS];
static double val[7 * ROWS], b[2 * ROWS], x[2 * ROWS];
static int counts[64], places[64];

static double jump(int z) { return z < N / 2 ? 1 : 1000; }

/* Rows first, first + 1, ... and b. */
static void assemble(void)
{
	static const int steps[7][3] = {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	int64_t k = 0;
	for (int64_t i = 0; i < rows; i++) {
		int row = (int)(first + i), at[3] = {row % N, row / N % N, row / N / N};
		double sum = 0;
		int64_t diagonal = 0;
		for (int s = 0; s < 7; s++) {
			int to[3] = {at[0] + steps[s][0], at[1] + steps[s][1], at[2] + steps[s][2]}, inside = 1;
			double c = sqrt(jump(at[2]) * jump(to[2]));
			if (s != 3)
				sum += c;
			for (int d = 0; d < 3; d++)
				inside = inside && to[d] >= 0 && to[d] < N;
			if (!inside)
				continue;
			if (s == 3)
				diagonal = k;
			col[k] = (to[2] * N + to[1]) * N + to[0];
			val[k++] = -c;
		}
		val[diagonal] = sum;
		start[i + 1] = k;
		b[i] = sin(row);
	}
}

/* Cuts the rows: even; reverse, with the first rows on the last rank; uneven, with nothing on rank 1. */
static void cut(const char *how)
{
	for (int r = 0; r < size; r++) {
		int place = strcmp(how, "reverse") ? r : size - 1 - r;
		places[r] = ROWS * place / size;
		counts[r] = ROWS * (place + 1) / size - places[r];
	}
	if (!strcmp(how, "uneven"))
		for (int r = 0; r < size; r++) {
			places[r] = r == 0 ? 0 : 1000;
			counts[r] = r == 0 ? (size > 1 ? 1000 : ROWS) : r == size - 1 ? ROWS - 1000 : 0;
		}
	first = places[rank], rows = counts[rank];
	assemble();
}

static void write_system(const char *file)
{
	char name[1000];
	snprintf(name, sizeof name, "%s.a", file);
	FILE *a = fopen(name, "w");
	snprintf(name, sizeof name, "%s.b", file);
	FILE *v = fopen(name, "w");
	fprintf(a, "%%%%MatrixMarket matrix coordinate real general\n%d %d %ld\n", ROWS, ROWS, (long)start[ROWS]);
	fprintf(v, "%%%%MatrixMarket matrix array real general\n%d 1\n", ROWS);
	for (int i = 0; i < ROWS; i++) {
		for (int64_t k = start[i]; k < start[i + 1]; k++)
			fprintf(a, "%d %ld %.17g\n", i + 1, (long)col[k] + 1, val[k]);
		fprintf(v, "%.17g\n", b[i]);
	}
	fclose(a), fclose(v);
}

static void append_x(const char *file, const char *mode)
{
	static double all[ROWS];
	MPI_Gatherv(x, counts[rank], MPI_DOUBLE, all, counts, places, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	if (rank > 0)
		return;
	FILE *f = fopen(file, mode);
	for (int i = 0; i < ROWS; i++)
		fprintf(f, "%.17g\n", all[i]);
	fclose(f);
}

static volatile int done;

static void *interrupt(void *s)
{
	while (!done) {
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
		mpsolve_interrupt(s);
	}
	return NULL;
}

static void must(mpsolve_solver *s, int code)
{
	if (code == MPSOLVE_CONVERGED)
		return;
	printf("code %d: %s\n", code, mpsolve_error(s));
	MPI_Abort(MPI_COMM_WORLD, code);
}

static mpsolve_solver *solver(const char *tol, const char *domains)
{
	mpsolve_solver *s;
	must(NULL, mpsolve_new(&s));
	must(s, mpsolve_set(s, "tol", tol));
	if (*domains)
		must(s, mpsolve_set(s, "domains", domains));
	return s;
}

/* All ranks have the same report, with these words. */
static void same_report(mpsolve_solver *s, const char *words)
{
	double sums[2] = {0, 0}, least[2];
	for (const char *c = mpsolve_report(s); *c; c++)
		sums[0] = fmod(31 * sums[0] + *c, 1e9 + 7);
	sums[1] = -sums[0];
	MPI_Allreduce(sums, least, 2, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
	if (least[0] != -least[1] || !strstr(mpsolve_report(s), words))
		printf("another report, or no %s: %s\n", words, mpsolve_report(s));
}

static void solve(const char *file, const char *mode, const char *domains)
{
	mpsolve_solver *s = solver("1e-12", domains);
	MPI_Comm comm;
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	must(s, mpsolve_matrix_mpi(s, MPI_Comm_c2f(comm), ROWS, 0, first, rows, start, col, val));
	MPI_Comm_free(&comm);
	must(s, mpsolve_solve(s, 1, b, NULL, x));
	append_x(file, mode);
	same_report(s, "\"converged\":true");
	for (int64_t k = 0; k < start[rows]; k++)
		val[k] *= 2;
	must(s, mpsolve_update(s, val));
	must(s, mpsolve_solve(s, 1, b, NULL, x));
	append_x(file, "a");
	must(s, mpsolve_solve(s, 1, b, x, x)); /* from the solution */
	same_report(s, "\"iterations\":0");
	mpsolve_free(s);
}

/* Does something wrong, and prints the code and the message. */
static void fail(const char *wrong, const char *domains)
{
#define IS(name) (last && !strcmp(wrong, name))
	cut("even");
	mpsolve_solver *s = solver(IS("options") ? "1e-3" : "1e-12", domains);
	if (!strcmp(wrong, "iterations")) {
		must(s, mpsolve_set(s, "precond", "none"));
		must(s, mpsolve_set(s, "max-iter", "2"));
	}
	if (IS("matrix"))
		must(s, mpsolve_matrix(s, 0, 0, 0, (int32_t[]){0}, NULL, NULL));
	if (IS("column"))
		col[3] = ROWS;
	if (IS("offsets"))
		start[3] = start[4] + 1;
	if (IS("infinite"))
		val[5] = INFINITY;
	if (IS("element"))
		b[1] = NAN;
	int code = mpsolve_matrix_mpi(s, MPI_Comm_c2f(MPI_COMM_WORLD), IS("n") ? ROWS + 1 : ROWS, 0, first - IS("overlap"), rows - IS("gap"), start, col,
		IS("null") ? NULL : val);
	if (code == MPSOLVE_CONVERGED)
		code = mpsolve_solve(s, IS("count") ? 2 : 1, IS("null b") ? NULL : b, IS("guess") ? x : NULL, x);
	printf("%s %s %d %s\n", wrong, domains, code, mpsolve_error(s));
	if (!strcmp(wrong, "null")) { /* the solver takes another matrix */
		must(s, mpsolve_matrix_mpi(s, MPI_Comm_c2f(MPI_COMM_WORLD), ROWS, 0, first, rows, start, col, val));
		must(s, mpsolve_solve(s, 1, b, NULL, x));
	}
	mpsolve_free(s);
}

/* Interrupts a solve that would take minutes, on the last rank: a chain without a preconditioner takes as many iterations as it has rows. */
static void interrupted(const char *domains)
{
	enum { LONG = 200000 };
	int64_t from = (int64_t)LONG * rank / size, n = (int64_t)LONG * (rank + 1) / size - from, k = 0;
	int64_t *begin = calloc(n + 1, sizeof *begin), *to = calloc(3 * n, sizeof *to);
	double *v = calloc(3 * n, sizeof *v), *side = calloc(n, sizeof *side), *result = calloc(n, sizeof *result);
	for (int64_t i = 0; i < n; i++) {
		for (int64_t j = from + i - 1; j <= from + i + 1; j++)
			if (j >= 0 && j < LONG) {
				to[k] = j;
				v[k++] = j == from + i ? 2 : -1;
			}
		begin[i + 1] = k;
		side[i] = sin((double)(from + i));
	}
	mpsolve_solver *s = solver("1e-14", domains);
	must(s, mpsolve_set(s, "method", "cg"));
	must(s, mpsolve_set(s, "precond", "none"));
	must(s, mpsolve_matrix_mpi(s, MPI_Comm_c2f(MPI_COMM_WORLD), LONG, 0, from, n, begin, to, v));
	must(s, mpsolve_setup(s));
	pthread_t thread;
	if (last)
		pthread_create(&thread, NULL, interrupt, s);
	int code = mpsolve_solve(s, 1, side, NULL, result);
	done = 1;
	if (last)
		pthread_join(thread, NULL);
	printf("interrupt %s %d %s\n", domains, code, mpsolve_error(s));
	mpsolve_free(s);
	done = 0;
	free(begin), free(to), free(v), free(side), free(result);
}

int main(int argc, char **argv)
{
	static const char *const faults[][2] = {
		{"matrix", ""}, {"null", ""}, {"offsets", ""}, {"column", ""}, {"n", ""}, {"overlap", ""}, {"gap", ""}, {"options", ""}, {"domains", "5000"},
		{"infinite", "1"}, {"infinite", "3"}, {"null b", "3"}, {"element", "1"}, {"element", "3"}, {"count", "3"}, {"guess", "3"},
		{"iterations", "1"}, {"iterations", "3"},
	};
	static const char *const cuts[] = {"even", "reverse", "uneven"};
	int level;
	if (argc < 3)
		return 2;
	const char *what = argv[1], *file = argv[2];
	if (!strcmp(what, "threads"))
		MPI_Init(&argc, &argv);
	else
		MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	last = rank == size - 1;
	char own[1000];
	snprintf(own, sizeof own, "%s.%d", file, rank);
	if (!strcmp(what, "write")) {
		cut("even");
		write_system(file);
	} else if (!strcmp(what, "solve")) {
		for (int k = 0; k < 3; k++) {
			cut(cuts[k]);
			solve(file, k ? "a" : "w", argv[3]);
		}
	} else if (freopen(own, "w", stdout) && !setvbuf(stdout, NULL, _IOLBF, BUFSIZ)) { /* a job that hangs leaves what it has done */
		if (!strcmp(what, "threads")) {
			fail("threads", "");
		} else {
			for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
				fail(faults[k][0], faults[k][1]);
			interrupted("1");
			interrupted("3");
		}
	}
	MPI_Finalize();
	return 0;
}
