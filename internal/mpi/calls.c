//go:build cgo && (linux || darwin)

#include "library.h"

#include <sched.h>
#include <string.h>

int mpilib_finalize(void) { return mpilib_call.Finalize(); }
int mpilib_abort(mpilib_handle comm, int code) { return mpilib_call.Abort(comm, code); }
int mpilib_rank(mpilib_handle comm, int *rank) { return mpilib_call.Comm_rank(comm, rank); }
int mpilib_size(mpilib_handle comm, int *size) { return mpilib_call.Comm_size(comm, size); }
int mpilib_return_errors(mpilib_handle comm) { return mpilib_call.Comm_set_errhandler(comm, mpilib.is.errors_return); }

int mpilib_split(mpilib_handle comm, int color, mpilib_handle *part)
{
	*part = 0; /* the library sets half of it if its handles are an int */
	return mpilib_call.Comm_split(comm, color, 0, part);
}

int mpilib_duplicate(mpilib_handle comm, mpilib_handle *other)
{
	*other = 0;
	return mpilib_call.Comm_dup(comm, other);
}

int mpilib_comm_free(mpilib_handle comm) { return mpilib_call.Comm_free(&comm); }

int mpilib_running(int *yes)
{
	int over = 0, code = mpilib_call.Initialized(yes);
	if (!code && *yes) code = mpilib_call.Finalized(&over);
	*yes = *yes && !over;
	return code;
}

int mpilib_level(int *level) { return mpilib_call.Query_thread(level); }

void mpilib_error_text(int code, char *text, size_t n)
{
	char all[8192] = ""; /* MPI_MAX_ERROR_STRING is 256 to 1024 */
	int length = 0;
	mpilib_call.Error_string(code, all, &length);
	all[sizeof all - 1] = 0;
	strncpy(text, all, n - 1);
	text[n - 1] = 0;
}

int mpilib_barrier(mpilib_handle comm) { return mpilib_call.Barrier(comm); }
int mpilib_sum(int64_t *x, int n, mpilib_handle comm) { return mpilib_call.Allreduce(mpilib.is.in_place, x, n, mpilib.is.int64, mpilib.is.sum, comm); }
int mpilib_max(int64_t *x, int n, mpilib_handle comm) { return mpilib_call.Allreduce(mpilib.is.in_place, x, n, mpilib.is.int64, mpilib.is.max, comm); }

int mpilib_broadcast(void *b, int n, int root, mpilib_handle comm) { return mpilib_call.Bcast(b, n, mpilib.is.byte, root, comm); }

int mpilib_allgather(const void *b, int n, void *all, mpilib_handle comm)
{
	return mpilib_call.Allgather(b, n, mpilib.is.byte, all, n, mpilib.is.byte, comm);
}

int mpilib_allgatherv(const void *b, int n, void *all, const int *counts, const int *places, mpilib_handle comm)
{
	return mpilib_call.Allgatherv(b, n, mpilib.is.byte, all, counts, places, mpilib.is.byte, comm);
}

static void *request(void *requests, int k) { return (char *)requests + (size_t)k * mpilib.is.request; }

int mpilib_numbers(const int64_t *out, int64_t *in, int size, int tag, mpilib_handle comm, void *requests)
{
	int64_t status[8]; /* 20 to 32 bytes */
	int sent = 0, waiting = 0, there, done, code = 0;
	for (int r = 0; r < size && !code; r++)
		if (out[r]) code = mpilib_call.Issend(&out[r], 8, mpilib.is.byte, r, tag, comm, request(requests, sent++));
	while (!code) {
		code = mpilib_call.Iprobe(mpilib.is.any_source, tag, comm, &there, status);
		if (code) break;
		if (there) {
			int from = *(int *)((char *)status + mpilib.is.source);
			code = mpilib_call.Recv(&in[from], 8, mpilib.is.byte, from, tag, comm, status);
			continue;
		}
		code = mpilib_call.Testall(waiting ? 1 : sent, requests, &done, mpilib.is.statuses_ignore);
		if (code || (done && waiting)) break;
		if (done) {
			code = mpilib_call.Ibarrier(comm, requests);
			waiting = 1;
		} else {
			sched_yield();
		}
	}
	return code;
}

int mpilib_send_init(const void *b, int n, int to, int tag, mpilib_handle comm, void *requests, int k)
{
	return mpilib_call.Send_init(b, n, mpilib.is.byte, to, tag, comm, request(requests, k));
}

int mpilib_receive_init(void *b, int n, int from, int tag, mpilib_handle comm, void *requests, int k)
{
	return mpilib_call.Recv_init(b, n, mpilib.is.byte, from, tag, comm, request(requests, k));
}

int mpilib_startall(int n, void *requests) { return mpilib_call.Startall(n, requests); }
int mpilib_waitall(int n, void *requests) { return mpilib_call.Waitall(n, requests, mpilib.is.statuses_ignore); }
int mpilib_request_free(void *requests, int k) { return mpilib_call.Request_free(request(requests, k)); }
