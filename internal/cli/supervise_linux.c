//go:build cgo

#define _GNU_SOURCE
#include "supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int real_stderr = -1;
static pid_t child;
static char last_words[1 << 16]; /* of the child's runtime, cut if there are more */
static const char *explained;    /* by the child: why it ends; NULL: it has not said so */

int supervise_stderr(void) { return real_stderr; }

/* Signals of a terminal reach the child without help. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code <= 0)
		kill(child, number);
}

static void pass_signals_on(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};
	for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
		struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART}, old;
		if (numbers[k] == SIGHUP && sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
			continue;
		sigaction(numbers[k], &action, NULL);
	}
}

/* Reads the last words up to their end, without the text of explain. */
static size_t listen_to(int from)
{
	static char rest[4096], text[1 << 16];
	size_t length = 0;
	for (;;) {
		size_t room = sizeof last_words - 1 - length;
		ssize_t n = room > 0 ? read(from, last_words + length, room) : read(from, rest, sizeof rest);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if (room > 0)
			length += (size_t)n;
	}
	static const char mark[] = "\0explained"; /* and a zero, that of the string */
	char *at = memmem(last_words, length, mark, sizeof mark), *end = last_words + length;
	char *last = at == NULL ? NULL : memchr(at + sizeof mark, '\0', (size_t)(end - at) - sizeof mark);
	if (last == NULL)
		return length;
	memcpy(text, at + sizeof mark, (size_t)(last - at) - sizeof mark);
	explained = text;
	last++;
	memmove(at, last, (size_t)(end - last));
	length -= (size_t)(last - at);
	last_words[length] = '\0';
	return length;
}

/* What the runtimes of Go and cgo say when the system refuses memory or a thread. */
static int died_of_memory(int status)
{
	static const char *const words[] = {
		"out of memory", "cannot allocate memory", "Cannot allocate memory", "failed to reserve", "cannot reserve",
		"pthread_create failed", "failed to create new OS thread", "cannot map pages",
	};
	if (!(WIFEXITED(status) && WEXITSTATUS(status) == 2) && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT))
		return 0;
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (strstr(last_words, words[k]))
			return 1;
	return 0;
}

static void print(const char *text, size_t length)
{
	while (length > 0) {
		ssize_t n = write(2, text, length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		text += n;
		length -= (size_t)n;
	}
}

/* Ends as the child did. */
static void follow(int status, size_t length, unsigned long long limit)
{
	if (explained != NULL)
		print(explained, strlen(explained));
	if (died_of_memory(status) && explained != NULL)
		_exit(1);
	if (died_of_memory(status)) {
		char line[256];
		int n = snprintf(line, sizeof line,
				 "mpsolve: out of memory: this process may have %llu MB (ulimit -v, ulimit -d), of which Go's tables take up to 1200; "
				 "--max-memory limits memory without them\n",
				 limit / 1000000);
		print(line, (size_t)n);
		_exit(1);
	}
	print(last_words, length);
	if (WIFSIGNALED(status)) {
		struct rlimit no_core = {0, 0};
		setrlimit(RLIMIT_CORE, &no_core);
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
		_exit(128 + WTERMSIG(status));
	}
	_exit(WEXITSTATUS(status));
}

/* 1 if the address is in the program, the object that comes first, -1 if it is in a library. */
static int in_program(struct dl_phdr_info *object, size_t size, void *address)
{
	(void)size;
	for (int k = 0; k < object->dlpi_phnum; k++) {
		ElfW(Addr) start = object->dlpi_addr + object->dlpi_phdr[k].p_vaddr;
		if (object->dlpi_phdr[k].p_type == PT_LOAD && (ElfW(Addr))address - start < object->dlpi_phdr[k].p_memsz)
			return 1;
	}
	return -1;
}

__attribute__((constructor)) static void supervise(void)
{
	struct rlimit space, data;
	int words[2], status = 0;
	if (getrlimit(RLIMIT_AS, &space) != 0 || getrlimit(RLIMIT_DATA, &data) != 0)
		return;
	rlim_t limit = space.rlim_cur < data.rlim_cur ? space.rlim_cur : data.rlim_cur;
	if (limit == RLIM_INFINITY || dl_iterate_phdr(in_program, &child) < 0 || pipe2(words, O_CLOEXEC) != 0)
		return;
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		real_stderr = fcntl(2, F_DUPFD_CLOEXEC, 3);
		if (real_stderr >= 0)
			dup2(words[1], 2);
		mallopt(M_ARENA_MAX, 1); /* each takes 128 MB of address space */
		pthread_attr_t small;    /* a thread has 8 MB of stack otherwise, and Go starts more threads on a busy machine */
		if (pthread_attr_init(&small) == 0 && pthread_attr_setstacksize(&small, 1 << 20) == 0)
			pthread_setattr_default_np(&small);
	}
	if (child <= 0) {
		close(words[0]);
		close(words[1]);
		return;
	}
	pass_signals_on();
	close(words[1]);
	size_t length = listen_to(words[0]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	follow(status, length, (unsigned long long)limit);
}
