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

/* The codes that functions return; 0 to 5 and 130 are the exit codes of the program mpsolve. */
enum {
	MPSOLVE_CONVERGED = 0,     /* the solve converged; other functions: success */
	MPSOLVE_FAILURE = 1,       /* not enough memory, or a file cannot be read or written */
	MPSOLVE_USAGE = 2,         /* an unknown option, a wrong value, a call out of order */
	MPSOLVE_NOT_CONVERGED = 3, /* x is the best one found; the report says why, and what to do */
	MPSOLVE_INPUT = 4,         /* an invalid matrix or vector: wrong sizes, NaN, a row of zeros */
	MPSOLVE_NO_DEVICE = 5,     /* the device that the options name is not available, or the MPI of a communicator */
	MPSOLVE_INTERNAL = 70,     /* a fault of mpsolve; this solver can only be freed */
	MPSOLVE_INTERRUPTED = 130  /* mpsolve_interrupt, or a function of the caller, ended the call; x is the best one found, unchanged if there is none */
};

/* A solver: a matrix, options, and what was set up for them. */
typedef struct mpsolve_solver mpsolve_solver;

/* Returns the version of the library. The string stays valid. */
const char *mpsolve_version(void);

/* Returns the meaning of a code, in one line without a newline. The string stays valid. */
const char *mpsolve_message(int code);

/* Makes a solver with default options and no matrix. *s is NULL unless the code is 0. */
int mpsolve_new(mpsolve_solver **s);

/* Ends the solver and releases its memory. NULL is allowed. */
void mpsolve_free(mpsolve_solver *s);

/*
 * Sets an option before the solver is set up: the name of a flag of `mpsolve solve` without its hyphens, and its
 * value, such as "method", "gmres" or "max-time", "90s" or "refine", "false". The flags for files and the
 * terminal (rhs, guess, output, json, checkpoint, ...) are not options.
 */
int mpsolve_set(mpsolve_solver *s, const char *name, const char *value);

/*
 * Sets the matrix, in compressed sparse rows: row i, from 0, has the columns col[k] and the values val[k] for k from
 * row_start[i] to row_start[i+1] - 1. Offsets and columns count from base, 0 or 1 (Fortran), and row_start has rows + 1
 * elements. Entries of a row may come in any order; entries with the same row and column are added.
 *
 * The arrays must not change until mpsolve_free: with base 0 and increasing columns, only row_start is copied.
 */
int mpsolve_matrix(mpsolve_solver *s, int64_t rows, int64_t cols, int base,
	const int32_t *row_start, const int32_t *col, const double *val);

/* Like mpsolve_matrix with 64-bit offsets and columns, which are copied. */
int mpsolve_matrix64(mpsolve_solver *s, int64_t rows, int64_t cols, int base,
	const int64_t *row_start, const int64_t *col, const double *val);

/*
 * Sets, in place of a matrix in one process, this rank's rows of a square matrix of n rows (up to 2^31 - 1) that the ranks of an MPI communicator share:
 * rows first, first + 1, ... up to `rows` of them, in the form of mpsolve_matrix64, with columns of the whole matrix; first counts from base,
 * too. Each row is on one rank; ranks may have rows in any order, or none. comm is MPI_Comm_c2f(communicator), which is duplicated.
 *
 * This call, and then mpsolve_setup, mpsolve_update, mpsolve_solve and mpsolve_free with this solver are collective: all ranks of comm make them
 * in the same order, with the same options and count. b, x and guess have the elements of the rank's rows. All ranks get the same code,
 * message and report. mpsolve_interrupt on one rank ends the call of all. The arrays must not change until the solver is set up; mpsolve_update
 * also needs row_start and col.
 *
 * The caller has loaded MPI and initialised it with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE, and ends it after mpsolve_free. With
 * SERIALIZED no thread may call MPI during a call here. A fault of MPI or of mpsolve on a rank ends all ranks, by MPI_Abort.
 *
 * The matrix is cut into domains as by mpirun mpsolve solve, and rows go to the ranks of their domains, and x back. So x has the same bits
 * for any number of ranks and any cut of rows. Options domains, overlap and halo-epsilon are for such matrices only. mpsolve_update sets up several
 * domains anew.
 */
int mpsolve_matrix_mpi(mpsolve_solver *s, int comm, int64_t n, int base, int64_t first, int64_t rows,
	const int64_t *row_start, const int64_t *col, const double *val);

/*
 * A product y = A x, with the data given with the function. x and y have n elements, and belong to the library: they must not be used
 * after the call. Returns 0; another number ends the solve, without an x. The function may use other solvers.
 */
typedef int (*mpsolve_product)(void *data, const double *x, double *y);

/*
 * Sets, in place of a matrix, an operator A with n rows and columns of which only products are known. transposed computes y = A^T x, for
 * bicg and lsqr, or is NULL. Products are computed one at a time, on the thread that calls mpsolve_solve.
 *
 * Options are method (gmres unless set), restart, idr-s, tol, max-iter, max-time, max-memory and threads. The solve has converged if
 * ||b - A x|| <= tol ||b|| in the 2-norm, recomputed by a product, with lsqr also if ||A^T r|| <= tol ||A|| ||r||, r = b - A x. What needs the entries of A, backward errors and digits of x, is null or
 * "not estimated" in the report, which says so.
 */
int mpsolve_operator(mpsolve_solver *s, int64_t n, mpsolve_product apply, mpsolve_product transposed, void *data);

/* Sets the preconditioner of an operator: y = M^-1 x, and y = M^-T x or NULL. cg and minres need a symmetric positive definite M. */
int mpsolve_preconditioner(mpsolve_solver *s, mpsolve_product apply, mpsolve_product transposed, void *data);

/*
 * Sets a function that is called after each iteration with an operator: residual is ||b - A x|| / ||b|| as the method expects it, x the
 * present x, or NULL within a cycle of gmres. If the function does not return 0, the solve ends with the x of that time.
 */
typedef int (*mpsolve_iteration)(void *data, int64_t iteration, double residual, const double *x);
int mpsolve_monitor(mpsolve_solver *s, mpsolve_iteration f, void *data);

/*
 * Replaces the values of the matrix, as for the next time step. The pattern stays the same, and the solver reuses what
 * depends on the pattern only. The arrays given before must still exist; val must not change until mpsolve_free.
 */
int mpsolve_update(mpsolve_solver *s, const double *val);

/* Checks the options, examines the matrix and sets up the preconditioner. Without it, the first mpsolve_solve does so. */
int mpsolve_setup(mpsolve_solver *s);

/*
 * Solves A x = b for `count` (at least 1) right-hand sides of `rows` elements, one after the other in b, and writes `count` solutions of
 * `cols` elements to x if the code is CONVERGED, NOT_CONVERGED or INTERRUPTED. guess has initial guesses in the form of x, or
 * is NULL; it may be x itself.
 */
int mpsolve_solve(mpsolve_solver *s, int64_t count, const double *b, const double *guess, double *x);

/*
 * Ends the call that another thread makes with the solver, as soon as possible. Without such a call it does nothing. Signal
 * handlers must not call it.
 */
void mpsolve_interrupt(mpsolve_solver *s);

/*
 * mpsolve_report returns the report of the last solve that wrote x, as JSON (docs/report.schema.json), or "" before the first.
 * mpsolve_error returns the message of the last call that failed, in one line without a newline; it also takes NULL. Both
 * strings are valid until the next call with the solver.
 */
const char *mpsolve_report(mpsolve_solver *s);
const char *mpsolve_error(mpsolve_solver *s);

#ifdef __cplusplus
}
#endif

#endif
