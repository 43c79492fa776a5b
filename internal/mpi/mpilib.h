#ifndef MPSOLVE_MPILIB_H
#define MPSOLVE_MPILIB_H
#include <stddef.h>
#include <stdint.h>

/* A handle of any ABI: an int of MPICH lies in the low half of the register, where the library looks for it. */
typedef uintptr_t mpilib_handle;

enum { MPILIB_NONE, MPILIB_OPENMPI, MPILIB_MPICH, MPILIB_ABI };

/* What differs between the libraries: a row of the tables in library.c. */
typedef struct {
	int kind;
	size_t request; /* bytes of a request in an array of them */
	int serialized; /* MPI_THREAD_SERIALIZED */
	int any_source;
	size_t source; /* offset of MPI_SOURCE in a status */
	mpilib_handle world, errors_return;
	mpilib_handle byte, int64, sum, max;
	void *in_place, *statuses_ignore;
} mpilib_constants;

typedef struct {
	mpilib_constants is;
	char path[1024];
	char version[8192 + 1];
} mpilib_state;

extern mpilib_state mpilib;

/* Opens the first of the names (ending in NULL) that there is. Returns 0, or 1 and why not; *found is whether a
   library was there at all. */
int mpilib_open(const char *const *names, int *found, char *why, size_t n);

/* mpilib_open for the library that the program has loaded itself; the names are for one that others do not see. */
int mpilib_find(const char *const *names, char *why, size_t n);

/* Returns the communicator of a handle of Fortran. */
mpilib_handle mpilib_of_fortran(int handle);

/* The calls return MPI's error codes. */
int mpilib_init(int *level);
int mpilib_running(int *yes); /* after MPI_Init and before MPI_Finalize */
int mpilib_level(int *level);
int mpilib_finalize(void);
int mpilib_abort(mpilib_handle comm, int code);
int mpilib_rank(mpilib_handle comm, int *rank);
int mpilib_size(mpilib_handle comm, int *size);
int mpilib_split(mpilib_handle comm, int color, mpilib_handle *part); /* ranks of the same color, in their order */
int mpilib_duplicate(mpilib_handle comm, mpilib_handle *other);
int mpilib_comm_free(mpilib_handle comm);
int mpilib_return_errors(mpilib_handle comm);
void mpilib_error_text(int code, char *text, size_t n);

int mpilib_barrier(mpilib_handle comm);
int mpilib_sum(int64_t *x, int n, mpilib_handle comm);
int mpilib_max(int64_t *x, int n, mpilib_handle comm);

/* Bytes. All ranks pass n in the first two; counts and places are by rank in the others. */
int mpilib_broadcast(void *b, int n, int root, mpilib_handle comm);
int mpilib_allgather(const void *b, int n, void *all, mpilib_handle comm);
int mpilib_allgatherv(const void *b, int n, void *all, const int *counts, const int *places, mpilib_handle comm);

/* Sends out[r] to each rank r for which it is not 0, and sets in[r] to what came from rank r; a rank does not know who sends. requests is an
   array of size + 1. This is NBX of Hoefler, Siebert and Lumsdaine (PPoPP 2010): a rank whose synchronous sends have been received enters a
   nonblocking barrier, after which nothing more can come. No other message of the communicator may have the tag. */
int mpilib_numbers(const int64_t *out, int64_t *in, int size, int tag, mpilib_handle comm, void *requests);

/* Persistent messages of n bytes; requests is an array of them, k the place in it. */
int mpilib_send_init(const void *b, int n, int to, int tag, mpilib_handle comm, void *requests, int k);
int mpilib_receive_init(void *b, int n, int from, int tag, mpilib_handle comm, void *requests, int k);
int mpilib_startall(int n, void *requests);
int mpilib_waitall(int n, void *requests);
int mpilib_request_free(void *requests, int k);
#endif
