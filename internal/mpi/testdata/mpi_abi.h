/* Values of the ABI of MPI 5.0, as published in mpi.h of https://github.com/mpi-forum/mpi-abi-stubs: the test takes them from
   there, and not from the library under test. */
#define MPI_SUM            0x21
#define MPI_MIN            0x22
#define MPI_MAX            0x23
#define MPI_COMM_WORLD     0x101
#define MPI_ERRORS_RETURN  0x143
#define MPI_BYTE           0x247
#define MPI_INT64_T        0x258
#define MPI_ANY_SOURCE     -1

typedef struct {
	int MPI_SOURCE;
	int MPI_TAG;
	int MPI_ERROR;
	int MPI_internal[5];
} MPI_Status;
