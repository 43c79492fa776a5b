/* The functions of an MPI library, by dlsym. */
#include "mpilib.h"

#define MPI_FUNCTIONS(F) \
	F(Get_library_version, (char *, int *)) \
	F(Init_thread, (int *, char ***, int, int *)) \
	F(Initialized, (int *)) \
	F(Finalized, (int *)) \
	F(Query_thread, (int *)) \
	F(Finalize, (void)) \
	F(Abort, (mpilib_handle, int)) \
	F(Error_string, (int, char *, int *)) \
	F(Comm_set_errhandler, (mpilib_handle, mpilib_handle)) \
	F(Comm_rank, (mpilib_handle, int *)) \
	F(Comm_size, (mpilib_handle, int *)) \
	F(Comm_split, (mpilib_handle, int, int, void *)) \
	F(Comm_dup, (mpilib_handle, void *)) \
	F(Comm_free, (void *)) \
	F(Barrier, (mpilib_handle)) \
	F(Allreduce, (const void *, void *, int, mpilib_handle, mpilib_handle, mpilib_handle)) \
	F(Bcast, (void *, int, mpilib_handle, int, mpilib_handle)) \
	F(Allgather, (const void *, int, mpilib_handle, void *, int, mpilib_handle, mpilib_handle)) \
	F(Allgatherv, (const void *, int, mpilib_handle, void *, const int *, const int *, mpilib_handle, mpilib_handle)) \
	F(Issend, (const void *, int, mpilib_handle, int, int, mpilib_handle, void *)) \
	F(Iprobe, (int, int, mpilib_handle, int *, void *)) \
	F(Recv, (void *, int, mpilib_handle, int, int, mpilib_handle, void *)) \
	F(Testall, (int, void *, int *, void *)) \
	F(Ibarrier, (mpilib_handle, void *)) \
	F(Send_init, (const void *, int, mpilib_handle, int, int, mpilib_handle, void *)) \
	F(Recv_init, (void *, int, mpilib_handle, int, int, mpilib_handle, void *)) \
	F(Startall, (int, void *)) \
	F(Waitall, (int, void *, void *)) \
	F(Request_free, (void *))

/* The library's functions. */
typedef struct {
#define POINTER(name, arguments) int (*name) arguments;
	MPI_FUNCTIONS(POINTER)
#undef POINTER
} mpilib_functions;

extern mpilib_functions mpilib_call;
