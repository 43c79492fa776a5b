/* A library of one rank that calls itself MPICH, with a fault: OLD lacks a function, UNKNOWN has another name, SINGLE a
   low level of threads, TAKEN takes SIGSEGV. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

typedef int handle;

int MPI_Get_library_version(char *text, int *length)
{
#ifdef UNKNOWN
	strcpy(text, "Exotic MPI 7");
#else
	strcpy(text, "MPICH Version: stub");
#endif
	*length = (int)strlen(text);
	return 0;
}

#ifdef TAKEN
static void die(int number)
{
	(void)number;
	_exit(77);
}
#endif

int MPI_Init_thread(int *argc, char ***argv, int want, int *got)
{
	(void)argc, (void)argv;
#ifdef SINGLE
	want = 0;
#endif
#ifdef TAKEN
	signal(SIGSEGV, die);
#endif
	*got = want;
	return 0;
}

int MPI_Comm_rank(handle c, int *rank) { (void)c; return *rank = 0; }
int MPI_Comm_size(handle c, int *size) { (void)c; *size = 1; return 0; }
#define NOTHING(name) int MPI_##name(void) { return 0; }
NOTHING(Finalize) NOTHING(Abort) NOTHING(Error_string) NOTHING(Comm_set_errhandler) NOTHING(Comm_split) NOTHING(Comm_dup) NOTHING(Comm_free) NOTHING(Initialized) NOTHING(Finalized) NOTHING(Query_thread) NOTHING(Barrier) NOTHING(Allreduce)
NOTHING(Bcast) NOTHING(Allgather) NOTHING(Allgatherv)
NOTHING(Issend) NOTHING(Iprobe) NOTHING(Recv) NOTHING(Testall) NOTHING(Send_init) NOTHING(Recv_init) NOTHING(Startall) NOTHING(Waitall) NOTHING(Request_free)
#ifndef OLD
NOTHING(Ibarrier)
#endif
