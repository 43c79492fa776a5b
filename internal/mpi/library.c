//go:build cgo && (linux || darwin)

#define _GNU_SOURCE
#include "library.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

mpilib_state mpilib;
mpilib_functions mpilib_call;

/* Signals' actions before the library was opened. */
static struct sigaction actions[NSIG];

static void keep_signals(void)
{
	for (int s = 1; s < NSIG; s++) sigaction(s, NULL, &actions[s]);
}

/* UCX, Open MPI and others take SIGSEGV and more when they start, to print a trace; in Go a nil
   dereference must stay a panic. */
static void give_signals_back(void)
{
	struct sigaction now;
	for (int s = 1; s < NSIG; s++)
		if (sigaction(s, NULL, &now) == 0 && (now.sa_sigaction != actions[s].sa_sigaction || now.sa_flags != actions[s].sa_flags))
			sigaction(s, &actions[s], NULL);
}

/* Open MPI's handles are addresses of its variables. */
static int openmpi(void *lib, mpilib_constants *is, char *why, size_t n)
{
	const struct { mpilib_handle *at; const char *name; } handles[] = {
		{&is->world, "ompi_mpi_comm_world"},
		{&is->errors_return, "ompi_mpi_errors_return"}, {&is->byte, "ompi_mpi_byte"},
		{&is->int64, "ompi_mpi_int64_t"}, {&is->sum, "ompi_mpi_op_sum"}, {&is->max, "ompi_mpi_op_max"},
	};
	*is = (mpilib_constants){
		.kind = MPILIB_OPENMPI, .request = sizeof(void *), .serialized = 2, .any_source = -1, .source = 0, .in_place = (void *)1,
	};
	for (size_t k = 0; k < sizeof handles / sizeof *handles; k++)
		if (!(*handles[k].at = (mpilib_handle)dlsym(lib, handles[k].name))) {
			snprintf(why, n, "%s has no %s: too old", mpilib.path, handles[k].name);
			return 1;
		}
	return 0;
}

/* https://www.mpich.org/abi, mpi.h of MPICH 3.1 to 5. */
static const mpilib_constants mpich = {
	.kind = MPILIB_MPICH, .request = sizeof(int), .serialized = 2, .any_source = -2, .source = 2 * sizeof(int),
	.world = 0x44000000, .errors_return = 0x54000001,
	.byte = 0x4c00010d, .int64 = 0x4c00083a, .sum = 0x58000003, .max = 0x58000001,
	.in_place = (void *)-1, .statuses_ignore = (void *)1,
};

/* MPI 5.0, chapter 20, and mpi.h of https://github.com/mpi-forum/mpi-abi-stubs. */
static const mpilib_constants abi = {
	.kind = MPILIB_ABI, .request = sizeof(void *), .serialized = 2048, .any_source = -1, .source = 0,
	.world = 0x101, .errors_return = 0x143,
	.byte = 0x247, .int64 = 0x258, .sum = 0x21, .max = 0x23,
	.in_place = (void *)1,
};

/* Finds the functions and the kind of the library. */
static int fill(void *lib, char *why, size_t n)
{
	int length = 0, major = -1, minor = -1, (*abi_version)(int *, int *);
#define FIND(name, arguments)                                                                            \
	if (!(*(void **)&mpilib_call.name = dlsym(lib, "MPI_" #name))) {                                     \
		snprintf(why, n, "%s has no MPI_%s: too old, or no MPI", mpilib.path, #name);               \
		return 1;                                                                                \
	}
	MPI_FUNCTIONS(FIND)
#undef FIND
	*(void **)&abi_version = dlsym(lib, "MPI_Abi_get_version"); /* says -1 if the library has another ABI */
	if (abi_version && !abi_version(&major, &minor) && major >= 1) {
		mpilib.is = abi;
	} else if (dlsym(lib, "ompi_mpi_comm_world")) {
		if (openmpi(lib, &mpilib.is, why, n)) return 1;
	}
	mpilib_call.Get_library_version(mpilib.version, &length); /* allowed before MPI_Init; the same in every ABI */
	if (mpilib.is.kind == MPILIB_NONE && (strstr(mpilib.version, "MPICH") || strstr(mpilib.version, "MVAPICH") || strstr(mpilib.version, "Intel")))
		mpilib.is = mpich;
	if (mpilib.is.kind == MPILIB_NONE) {
		snprintf(why, n, "%s is of an unknown kind: %.100s", mpilib.path, mpilib.version);
		return 1;
	}
	return 0;
}

int mpilib_open(const char *const *names, int *found, char *why, size_t n)
{
	/* UCX, on which MPICH is often built, overwrites the first instructions of mmap, munmap and others in libc while the
	   library is being opened, to learn of mappings that end. A thread of Go's that calls mmap at that moment executes half
	   an instruction. Without these events UCX registers memory for each message instead of keeping registrations. */
	setenv("UCX_MEM_EVENTS", "n", 0);
	keep_signals();
	*found = 0;
	*why = 0;
	for (; *names; names++) {
		void *lib = dlopen(*names, RTLD_NOW | RTLD_GLOBAL); /* plug-ins of Open MPI look for symbols in all that is open */
		if (lib) {
			*found = 1;
			snprintf(mpilib.path, sizeof mpilib.path, "%s", *names);
			int failed = fill(lib, why, n);
			give_signals_back();
			return failed;
		}
		const char *reason = dlerror();
		size_t at = strlen(why);
		int missing = !strncmp(reason, *names, strlen(*names)) && strstr(reason, "No such file");
		snprintf(why + at, n - at, "%s%s%s", at ? ", " : "", missing ? "no " : "", missing ? *names : reason);
	}
	return 1;
}

/* In the MPICH ABI handles are the same numbers in Fortran and in C, and this is a macro. */
static mpilib_handle (*comm_of_fortran)(int);

int mpilib_find(const char *const *names, char *why, size_t n)
{
	void *any = dlsym(RTLD_DEFAULT, "MPI_Init_thread"); /* of the program, or of a library that it is linked with */
	void *lib = any ? dlopen(NULL, RTLD_NOW) : NULL;
	Dl_info at;
	snprintf(mpilib.path, sizeof mpilib.path, "%s", any && dladdr(any, &at) && at.dli_fname ? at.dli_fname : "");
	for (; !lib && *names; names++)
		if ((lib = dlopen(*names, RTLD_NOW | RTLD_NOLOAD))) snprintf(mpilib.path, sizeof mpilib.path, "%s", *names);
	if (!lib) {
		snprintf(why, n, "the program has loaded no MPI library");
		return 1;
	}
	if (fill(lib, why, n)) return 1;
	*(void **)&comm_of_fortran = dlsym(lib, "MPI_Comm_f2c");
	if (!comm_of_fortran && mpilib.is.kind != MPILIB_MPICH) {
		snprintf(why, n, "%s has no MPI_Comm_f2c", mpilib.path);
		return 1;
	}
	return 0;
}

mpilib_handle mpilib_of_fortran(int handle)
{
	if (mpilib.is.kind == MPILIB_MPICH) return (unsigned)handle;
	return comm_of_fortran(handle);
}

int mpilib_init(int *level)
{
	int code = mpilib_call.Init_thread(NULL, NULL, mpilib.is.serialized, level);
	give_signals_back();
	return code;
}
