/*
 * mpsolve.h: sparse linear systems A x = b by mixed-precision iterative methods, and a verified solution.
 *
 *     mpsolve_solver *s;
 *     mpsolve_new(&s);
 *     mpsolve_set(s, "tol", "1e-12");
 *     mpsolve_matrix(s, n, n, 0, row_start, col, val);
 *     if (mpsolve_solve(s, 1, b, NULL, x) != MPSOLVE_CONVERGED)
 *         fprintf(stderr, "%s\n", mpsolve_error(s));
 *     puts(mpsolve_report(s));
 *     mpsolve_free(s);
 *
 * Link with -lmpsolve, or by pkg-config mpsolve. Calls with the same solver take turns; different solvers may be used
 * from different threads. After fork() without exec() the child must not call anything here.
 */
#ifndef MPSOLVE_H
#define MPSOLVE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What functions return; the codes from 0 to 5 and 130 are the exit codes of the program mpsolve. */
enum {
	MPSOLVE_CONVERGED = 0,     /* or what was asked for is done */
	MPSOLVE_FAILURE = 1,       /* not enough memory, or a file cannot be read or written */
	MPSOLVE_USAGE = 2,         /* an unknown option, a value that it does not take, a call out of order */
	MPSOLVE_NOT_CONVERGED = 3, /* x is the best found; the report says why, and what to do */
	MPSOLVE_INPUT = 4,         /* the matrix or a vector cannot be solved with: its form, NaN, a row of zeros */
	MPSOLVE_NO_DEVICE = 5,     /* the device that the options name is not there */
	MPSOLVE_INTERNAL = 70,     /* a fault of mpsolve; this solver can only be freed */
	MPSOLVE_INTERRUPTED = 130  /* by mpsolve_interrupt; x is the best found, untouched while there was none */
};

/* A matrix, options, and all that was set up for them. */
typedef struct mpsolve_solver mpsolve_solver;

/* The version of the library, which stays valid. */
const char *mpsolve_version(void);

/* What a code means, in a line without an end, which stays valid. */
const char *mpsolve_message(int code);

/* Makes a solver with default options and no matrix. *s is NULL unless the code is 0. */
int mpsolve_new(mpsolve_solver **s);

/* Ends the solver and releases what it has. NULL is fine. */
void mpsolve_free(mpsolve_solver *s);

/*
 * Sets an option before the solver is set up: the name of a flag of `mpsolve solve` without its hyphens, and its
 * value, such as "method", "gmres" or "max-time", "90s" or "refine", "false". The flags for files and the
 * terminal (rhs, guess, output, json, checkpoint, ...) are none.
 */
int mpsolve_set(mpsolve_solver *s, const char *name, const char *value);

/*
 * Sets the matrix, in compressed sparse rows: row i, from 0, has the columns col[k] and the values val[k] for k from
 * row_start[i] to row_start[i+1] - 1. Offsets and columns count from base, 0 or 1 (Fortran), and row_start has rows + 1
 * elements. Entries of a row may come in any order; those of the same place are added.
 *
 * The arrays must stay as they are until mpsolve_free: with base 0 and increasing columns nothing but row_start is copied.
 */
int mpsolve_matrix(mpsolve_solver *s, int64_t rows, int64_t cols, int base,
	const int32_t *row_start, const int32_t *col, const double *val);

/* The same with offsets and columns of 64 bits, of which copies are made. */
int mpsolve_matrix64(mpsolve_solver *s, int64_t rows, int64_t cols, int base,
	const int64_t *row_start, const int64_t *col, const double *val);

/*
 * Goes on with other values in the same places, such as those of the next step in time: the analysis, aggregates and what else can be
 * are used again. The arrays given before must still be there, and val must stay in their place.
 */
int mpsolve_update(mpsolve_solver *s, const double *val);

/* Checks the options, examines the matrix and makes the preconditioner, which the first mpsolve_solve does otherwise. */
int mpsolve_setup(mpsolve_solver *s);

/*
 * Solves A x = b for `count` right-hand sides of `rows` elements, one after the other in b, and writes as many solutions of `cols`
 * elements to x, unless the code is other than CONVERGED, NOT_CONVERGED and INTERRUPTED. guess holds initial guesses like x, or is NULL; it may be x.
 */
int mpsolve_solve(mpsolve_solver *s, int64_t count, const double *b, const double *guess, double *x);

/*
 * Ends what another thread is doing with the solver as soon as possible. Without such a call, it does nothing. Not for
 * handlers of signals.
 */
void mpsolve_interrupt(mpsolve_solver *s);

/*
 * The report of the last solve that wrote x, as JSON (docs/report.schema.json), "" before; and what the last call that
 * failed has to say, in a line without an end. Both are valid until the next call with the solver. The latter also takes NULL.
 */
const char *mpsolve_report(mpsolve_solver *s);
const char *mpsolve_error(mpsolve_solver *s);

#ifdef __cplusplus
}
#endif

#endif
