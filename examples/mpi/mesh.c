/*
 * Laplace's equation on a mesh of triangles in the unit square, assembled in parallel: linear finite elements on N x N cells, whose inner nodes
 * are moved. The values on the border are those of x + 2y, which the elements represent exactly.
 *
 *     mpicc mesh.c $(pkg-config --cflags --libs mpsolve) -lm -o mesh && mpirun -n 4 ./mesh
 */
#include <math.h>
#include <mpi.h>
#include <mpsolve.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 200, SIDE = N - 1, ROWS = SIDE * SIDE }; /* a row for each inner node */

static int inner(int i, int j) { return i > 0 && i < N && j > 0 && j < N; }
static int row_of(int i, int j) { return (j - 1) * SIDE + i - 1; }

static void place(int i, int j, double *x, double *y)
{
	double move = inner(i, j) ? 0.3 / N : 0;
	*x = (double)i / N + move * sin(7 * i + 5 * j);
	*y = (double)j / N + move * cos(3 * i + 8 * j);
}

/* Adds what a triangle with these nodes gives to the rows from `first` up to `end`: val has 7 entries for each row, for the neighbours (-1, -1), (0, -1),
 * (-1, 0), (0, 0), (1, 0), (0, 1) and (1, 1). */
static void add(const int i[3], const int j[3], int first, int end, double *val, double *b)
{
	static const int slot[3][3] = {{0, 1, -1}, {2, 3, 4}, {-1, 5, 6}};
	double x[3], y[3];
	for (int p = 0; p < 3; p++)
		place(i[p], j[p], &x[p], &y[p]);
	double area = ((x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])) / 2;
	for (int p = 0; p < 3; p++) {
		int row = row_of(i[p], j[p]), p1 = (p + 1) % 3, p2 = (p + 2) % 3;
		if (!inner(i[p], j[p]) || row < first || row >= end)
			continue;
		for (int q = 0; q < 3; q++) {
			int q1 = (q + 1) % 3, q2 = (q + 2) % 3;
			double k = ((y[p1] - y[p2]) * (y[q1] - y[q2]) + (x[p1] - x[p2]) * (x[q1] - x[q2])) / (4 * area);
			if (inner(i[q], j[q]))
				val[7 * (row - first) + slot[j[q] - j[p] + 1][i[q] - i[p] + 1]] += k;
			else
				b[row - first] -= k * (x[q] + 2 * y[q]);
		}
	}
}

static void check(mpsolve_solver *s, int code)
{
	if (code == MPSOLVE_CONVERGED)
		return;
	fprintf(stderr, "mpsolve: %s\n", mpsolve_error(s)); /* the same on all ranks */
	MPI_Finalize();
	exit(code);
}

int main(int argc, char **argv)
{
	int level, rank, size;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int first = (int)((int64_t)ROWS * rank / size), end = (int)((int64_t)ROWS * (rank + 1) / size), rows = end - first;
	int64_t *start = calloc(rows + 1, sizeof *start), *col = calloc(7 * (size_t)rows + 1, sizeof *col);
	double *val = calloc(7 * (size_t)rows + 1, sizeof *val), *b = calloc(rows + 1, sizeof *b), *x = calloc(rows + 1, sizeof *x);

	for (int j = first / SIDE; j <= end / SIDE + 1 && j < N; j++) /* cells at nodes of this rank */
		for (int i = 0; i < N; i++) {
			add((int[]){i, i + 1, i + 1}, (int[]){j, j, j + 1}, first, end, val, b);
			add((int[]){i, i + 1, i}, (int[]){j, j + 1, j + 1}, first, end, val, b);
		}
	static const int steps[7][2] = {{-1, -1}, {0, -1}, {-1, 0}, {0, 0}, {1, 0}, {0, 1}, {1, 1}};
	int64_t k = 0;
	for (int r = 0; r < rows; r++) {
		for (int s = 0; s < 7; s++) {
			int i = (first + r) % SIDE + 1 + steps[s][0], j = (first + r) / SIDE + 1 + steps[s][1];
			if (!inner(i, j))
				continue;
			col[k] = row_of(i, j);
			val[k++] = val[7 * r + s]; /* at its place or before it */
		}
		start[r + 1] = k;
	}

	mpsolve_solver *s;
	check(NULL, mpsolve_new(&s));
	check(s, mpsolve_set(s, "tol", "1e-13"));
	check(s, mpsolve_set(s, "domains", "4")); /* which 1 to 4 ranks share, with the same bits */
	check(s, mpsolve_matrix_mpi(s, MPI_Comm_c2f(MPI_COMM_WORLD), ROWS, 0, first, rows, start, col, val));
	check(s, mpsolve_solve(s, 1, b, NULL, x));
	double own = 0, worst;
	for (int r = 0; r < rows; r++) {
		double at[2];
		place((first + r) % SIDE + 1, (first + r) / SIDE + 1, &at[0], &at[1]);
		own = fmax(own, fabs(x[r] - at[0] - 2 * at[1]));
	}
	MPI_Allreduce(&own, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	if (rank == 0)
		printf("converged; largest error %.6e\n", worst);
	mpsolve_free(s);
	free(start), free(col), free(val), free(b), free(x);
	MPI_Finalize();
	return worst < 1e-9 ? 0 : 1;
}
