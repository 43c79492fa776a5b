/* What a caller may do wrong: each must give a code and a line, and leave the solver usable where that makes sense. */
#include <math.h>
#include <mpsolve.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WANT(condition) \
	do { \
		if (!(condition)) { \
			printf("line %d: " #condition ": %s\n", __LINE__, mpsolve_error(s)); \
			exit(1); \
		} \
	} while (0)

/* The matrix 4, 3, 2 on the diagonal; data counts the products that are left. */
static int product(void *data, const double *x, double *y)
{
	for (int i = 0; i < 3; i++)
		y[i] = (4 - i) * x[i];
	return --*(int *)data < 0 ? 7 : 0;
}

static int stop(void *data, int64_t iteration, double residual, const double *x)
{
	*(double *)data = residual;
	return iteration == 1 && x != NULL;
}

/* What is special about an operator in place of a matrix. */
static void operators(void)
{
	static const double b[] = {4, 6, 6};
	double x[3] = {0, 0, 0}, residual = -1;
	int left = 100;
	mpsolve_solver *s = NULL;
	WANT(mpsolve_new(&s) == 0 && mpsolve_set(s, "method", "cg") == 0);
	WANT(mpsolve_preconditioner(s, product, NULL, &left) == MPSOLVE_USAGE && mpsolve_monitor(s, stop, &residual) == MPSOLVE_USAGE);
	WANT(mpsolve_operator(s, 3, NULL, NULL, NULL) == MPSOLVE_USAGE);
	WANT(mpsolve_operator(s, -1, product, NULL, &left) == MPSOLVE_INPUT);
	WANT(mpsolve_operator(s, 3, product, NULL, &left) == 0);
	WANT(mpsolve_solve(s, 1, b, NULL, x) == 0 && fabs(x[0] - 1) < 1e-9 && fabs(x[1] - 2) < 1e-9 && fabs(x[2] - 3) < 1e-9);
	WANT(strstr(mpsolve_report(s), "products alone") && strstr(mpsolve_report(s), "\"row\":null"));
	left = 2;
	WANT(mpsolve_solve(s, 1, b, NULL, x) == MPSOLVE_INTERRUPTED && strstr(mpsolve_error(s), "returned 7") && fabs(x[2] - 3) < 1e-9);
	mpsolve_free(s);
	left = 100;
	WANT(mpsolve_new(&s) == 0 && mpsolve_set(s, "method", "cg") == 0 && mpsolve_operator(s, 3, product, NULL, &left) == 0);
	WANT(mpsolve_monitor(s, stop, &residual) == 0);
	WANT(mpsolve_solve(s, 1, b, NULL, x) == MPSOLVE_INTERRUPTED && residual > 0 && x[0] > 0 && left > 95);
	mpsolve_free(s);
	WANT(mpsolve_new(&s) == 0 && mpsolve_set(s, "method", "bicg") == 0 && mpsolve_operator(s, 3, product, NULL, &left) == 0);
	WANT(mpsolve_solve(s, 1, b, NULL, x) == MPSOLVE_INPUT && strstr(mpsolve_error(s), "transpose"));
	mpsolve_free(s);
}

int main(void)
{
	static const int32_t start[] = {0, 2, 4, 5}, col[] = {0, 1, 1, 0, 2}; /* row 1 is not in order */
	static const int64_t start64[] = {1, 3, 5, 6}, col64[] = {1, 2, 2, 1, 3};
	static const double val[] = {4, 1, 3, 1, 2}, b[] = {6, 7, 6};
	static const int32_t backwards[] = {0, 4, 2, 5}, far[] = {0, 1, 1, 0, 3};
	static const int64_t distant[] = {1, 2, 2, 1, 1LL << 40};
	double x[3] = {0, 0, 0};
	mpsolve_solver *s = NULL;

	operators();
	WANT(mpsolve_new(NULL) == MPSOLVE_USAGE);
	WANT(mpsolve_set(NULL, "tol", "1e-9") == MPSOLVE_USAGE && strlen(mpsolve_error(NULL)) > 0);
	mpsolve_free(NULL);
	mpsolve_interrupt(NULL);
	WANT(mpsolve_new(&s) == MPSOLVE_CONVERGED && s != NULL && *mpsolve_error(s) == '\0' && *mpsolve_report(s) == '\0');
	WANT(mpsolve_solve(s, 1, b, NULL, x) == MPSOLVE_USAGE && strstr(mpsolve_error(s), "matrix"));
	WANT(mpsolve_update(s, val) == MPSOLVE_USAGE);
	WANT(mpsolve_set(s, NULL, "1") == MPSOLVE_USAGE);
	WANT(mpsolve_set(s, "tolerance", "1") == MPSOLVE_USAGE && strstr(mpsolve_error(s), "tol"));
	WANT(mpsolve_set(s, "max-iter", "ten") == MPSOLVE_USAGE && strstr(mpsolve_error(s), "whole number"));
	WANT(mpsolve_set(s, "output", "x.mtx") == MPSOLVE_USAGE);
	WANT(mpsolve_set(s, "tol", "1e-13") == 0);
	WANT(mpsolve_matrix(s, -1, 3, 0, start, col, val) == MPSOLVE_INPUT);
	WANT(mpsolve_matrix(s, 3, 3, 2, start, col, val) == MPSOLVE_INPUT);
	WANT(mpsolve_matrix(s, INT64_MAX, 3, 0, start, col, val) == MPSOLVE_INPUT);
	WANT(mpsolve_matrix(s, 3, 3, 0, NULL, col, val) == MPSOLVE_USAGE);
	WANT(mpsolve_matrix(s, 3, 3, 0, start, NULL, val) == MPSOLVE_USAGE);
	WANT(mpsolve_matrix(s, 3, 3, 0, backwards, col, val) == MPSOLVE_INPUT);
	WANT(mpsolve_matrix(s, 3, 3, 0, start, far, val) == MPSOLVE_INPUT && strstr(mpsolve_error(s), "out of range"));
	WANT(mpsolve_matrix64(s, 3, 3, 1, start64, distant, val) == MPSOLVE_INPUT);
	WANT(mpsolve_matrix(s, 3, 3, 1, start, col, val) == MPSOLVE_INPUT); /* the base is another one */
	WANT(mpsolve_matrix64(s, 3, 3, 1, start64, col64, val) == 0);
	WANT(mpsolve_matrix(s, 3, 3, 0, start, col, val) == MPSOLVE_USAGE);
	WANT(mpsolve_solve(s, -1, b, NULL, x) == MPSOLVE_INPUT);
	WANT(mpsolve_solve(s, INT64_MAX, b, NULL, x) == MPSOLVE_INPUT);
	WANT(mpsolve_solve(s, 1, NULL, NULL, x) == MPSOLVE_USAGE);
	WANT(mpsolve_solve(s, 1, b, NULL, x) == 0);
	WANT(fabs(x[0] - 1) < 1e-9 && fabs(x[1] - 2) < 1e-9 && fabs(x[2] - 3) < 1e-9);
	WANT(strstr(mpsolve_report(s), "\"converged\":true"));
	WANT(mpsolve_solve(s, 1, b, x, x) == 0 && fabs(x[2] - 3) < 1e-9);
	WANT(mpsolve_set(s, "tol", "1e-9") == MPSOLVE_USAGE && strstr(mpsolve_error(s), "late"));
	double bad[] = {1, NAN, 1};
	WANT(mpsolve_solve(s, 1, bad, NULL, x) == MPSOLVE_INPUT && strstr(mpsolve_error(s), "NaN"));
	WANT(mpsolve_solve(s, 1, b, NULL, x) == 0);
	double twice[] = {8, 2, 6, 2, 4};
	WANT(mpsolve_update(s, NULL) == MPSOLVE_USAGE);
	WANT(mpsolve_update(s, twice) == 0 && mpsolve_solve(s, 1, b, NULL, x) == 0 && fabs(x[2] - 1.5) < 1e-9);
	mpsolve_free(s);
	for (int code = -1; code < 200; code++)
		WANT(strlen(mpsolve_message(code)) > 0);
	printf("%s: all right\n", mpsolve_version());
	return 0;
}
