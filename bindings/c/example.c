/*
 * Heat in a square plate: the 5-point stencil on an N x N grid, for two right-hand sides.
 *
 *     cc example.c $(pkg-config --cflags --libs mpsolve) -o example && ./example
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpsolve.h>

enum { N = 30, ROWS = N * N };

static int32_t row_start[ROWS + 1], col[5 * ROWS];
static double val[5 * ROWS];

static void assemble(void)
{
	static const int dx[] = {0, -1, 0, 1, 0}, dy[] = {-1, 0, 0, 0, 1};
	int32_t k = 0;
	for (int row = 0; row < ROWS; row++) {
		for (int s = 0; s < 5; s++) {
			int x = row % N + dx[s], y = row / N + dy[s];
			if (x < 0 || x >= N || y < 0 || y >= N)
				continue;
			col[k] = y * N + x;
			val[k++] = s == 2 ? 4 : -1;
		}
		row_start[row + 1] = k;
	}
}

/* b = A x for x = 1, 2, 3, ... times factor. */
static void product(double factor, double *b)
{
	for (int row = 0; row < ROWS; row++) {
		b[row] = 0;
		for (int32_t k = row_start[row]; k < row_start[row + 1]; k++)
			b[row] += val[k] * factor * (col[k] + 1);
	}
}

static void check(mpsolve_solver *s, int code)
{
	if (code == MPSOLVE_CONVERGED)
		return;
	fprintf(stderr, "mpsolve: %s: %s\n", mpsolve_message(code), mpsolve_error(s));
	exit(code);
}

int main(void)
{
	static double b[2 * ROWS], x[2 * ROWS];
	double worst = 0;
	mpsolve_solver *s;
	assemble();
	product(1, b);
	product(-3, b + ROWS);

	check(NULL, mpsolve_new(&s));
	check(s, mpsolve_set(s, "tol", "1e-13"));
	check(s, mpsolve_set(s, "method", "cg"));
	check(s, mpsolve_matrix(s, ROWS, ROWS, 0, row_start, col, val));
	check(s, mpsolve_solve(s, 2, b, NULL, x));
	for (int row = 0; row < ROWS; row++) {
		worst = fmax(worst, fabs(x[row] / (row + 1) - 1));
		worst = fmax(worst, fabs(x[ROWS + row] / (-3. * (row + 1)) - 1));
	}
	printf("converged; largest relative error %.0e\n", worst);
	if (getenv("REPORT"))
		puts(mpsolve_report(s));
	mpsolve_free(s);
	return worst < 1e-9 ? 0 : 1;
}
