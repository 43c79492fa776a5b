/* The ABI of MPI 5.0 over Open MPI, as far as it is used: handles of the one must come in and those of the other go
   out. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi_abi.h"

typedef uintptr_t handle;

static void *lib;

__attribute__((constructor)) static void start(void) { lib = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL); }

static handle translated(handle h)
{
	static const struct { handle abi; const char *name; } names[] = {
		{MPI_COMM_WORLD, "ompi_mpi_comm_world"}, {MPI_ERRORS_RETURN, "ompi_mpi_errors_return"}, {MPI_BYTE, "ompi_mpi_byte"},
		{MPI_INT64_T, "ompi_mpi_int64_t"}, {MPI_SUM, "ompi_mpi_op_sum"}, {MPI_MIN, "ompi_mpi_op_min"}, {MPI_MAX, "ompi_mpi_op_max"},
	};
	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		if (names[k].abi == h) return (handle)dlsym(lib, names[k].name);
	if (h > 0x1000) return h; /* of a new communicator */
	fprintf(stderr, "no handle of the ABI: %#jx\n", (uintmax_t)h);
	abort();
}
#define T(h) translated(h)
#define CALL(name, types, ...) ((int (*) types)dlsym(lib, "MPI_" #name))(__VA_ARGS__)

int MPI_Abi_get_version(int *major, int *minor) { *major = 1, *minor = 0; return 0; }
int MPI_Get_library_version(char *text, int *n) { return CALL(Get_library_version, (char *, int *), text, n); }
int MPI_Init_thread(int *c, char ***v, int want, int *got)
{
	int code = CALL(Init_thread, (int *, char ***, int, int *), c, v, want / 1024, got);
	*got *= 1024;
	return code;
}
int MPI_Finalize(void) { return CALL(Finalize, (void)); }
int MPI_Abort(handle c, int code) { return CALL(Abort, (handle, int), T(c), code); }
int MPI_Error_string(int code, char *text, int *n) { return CALL(Error_string, (int, char *, int *), code, text, n); }
int MPI_Comm_set_errhandler(handle c, handle h) { return CALL(Comm_set_errhandler, (handle, handle), T(c), T(h)); }
int MPI_Comm_rank(handle c, int *r) { return CALL(Comm_rank, (handle, int *), T(c), r); }
int MPI_Comm_size(handle c, int *n) { return CALL(Comm_size, (handle, int *), T(c), n); }
int MPI_Comm_split(handle c, int color, int key, handle *part) { return CALL(Comm_split, (handle, int, int, handle *), T(c), color, key, part); }
int MPI_Comm_dup(handle c, handle *copy) { return CALL(Comm_dup, (handle, handle *), T(c), copy); }
int MPI_Comm_free(handle *c) { return CALL(Comm_free, (handle *), c); }
int MPI_Initialized(int *yes) { return CALL(Initialized, (int *), yes); }
int MPI_Finalized(int *yes) { return CALL(Finalized, (int *), yes); }
int MPI_Query_thread(int *level)
{
	int code = CALL(Query_thread, (int *), level);
	*level *= 1024;
	return code;
}
int MPI_Barrier(handle c) { return CALL(Barrier, (handle), T(c)); }
int MPI_Allreduce(const void *s, void *r, int n, handle t, handle op, handle c)
{
	return CALL(Allreduce, (const void *, void *, int, handle, handle, handle), s, r, n, T(t), T(op), T(c));
}
int MPI_Bcast(void *b, int n, handle t, int root, handle c) { return CALL(Bcast, (void *, int, handle, int, handle), b, n, T(t), root, T(c)); }
int MPI_Allgather(const void *s, int n, handle t, void *r, int m, handle u, handle c)
{
	return CALL(Allgather, (const void *, int, handle, void *, int, handle, handle), s, n, T(t), r, m, T(u), T(c));
}
int MPI_Allgatherv(const void *s, int n, handle t, void *r, const int *m, const int *at, handle u, handle c)
{
	return CALL(Allgatherv, (const void *, int, handle, void *, const int *, const int *, handle, handle), s, n, T(t), r, m, at, T(u), T(c));
}
typedef struct { int source, tag, error, cancelled; size_t count; } openmpi_status;

static MPI_Status status_of(openmpi_status s) /* what else a status has is rubbish */
{
	return (MPI_Status){.MPI_SOURCE = s.source, .MPI_TAG = s.tag, .MPI_ERROR = s.error, .MPI_internal = {-7, -7, -7, -7, -7}};
}
static int source_of(int s)
{
	if (s == MPI_ANY_SOURCE || s >= 0) return s == MPI_ANY_SOURCE ? -1 : s; /* -1 in Open MPI */
	fprintf(stderr, "no rank of the ABI: %d\n", s);
	abort();
}
int MPI_Issend(const void *b, int n, handle t, int to, int tag, handle c, void *q)
{
	return CALL(Issend, (const void *, int, handle, int, int, handle, void *), b, n, T(t), to, tag, T(c), q);
}
int MPI_Iprobe(int from, int tag, handle c, int *there, MPI_Status *s)
{
	openmpi_status own = {0};
	int code = CALL(Iprobe, (int, int, handle, int *, openmpi_status *), source_of(from), tag, T(c), there, &own);
	*s = status_of(own);
	return code;
}
int MPI_Recv(void *b, int n, handle t, int from, int tag, handle c, MPI_Status *s)
{
	openmpi_status own = {0};
	int code = CALL(Recv, (void *, int, handle, int, int, handle, openmpi_status *), b, n, T(t), source_of(from), tag, T(c), &own);
	*s = status_of(own);
	return code;
}
int MPI_Testall(int n, void *q, int *done, void *s) { return CALL(Testall, (int, void *, int *, void *), n, q, done, s); }
int MPI_Ibarrier(handle c, void *q) { return CALL(Ibarrier, (handle, void *), T(c), q); }
int MPI_Send_init(const void *b, int n, handle t, int to, int tag, handle c, void *q)
{
	return CALL(Send_init, (const void *, int, handle, int, int, handle, void *), b, n, T(t), to, tag, T(c), q);
}
int MPI_Recv_init(void *b, int n, handle t, int from, int tag, handle c, void *q)
{
	return CALL(Recv_init, (void *, int, handle, int, int, handle, void *), b, n, T(t), from, tag, T(c), q);
}
int MPI_Startall(int n, void *q) { return CALL(Startall, (int, void *), n, q); }
int MPI_Waitall(int n, void *q, void *s) { return CALL(Waitall, (int, void *, void *), n, q, s); }
int MPI_Request_free(void *q) { return CALL(Request_free, (void *), q); }
