//go:build cgo

#define _GNU_SOURCE
#include "mapping.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 1024 };

static struct {
	char *from, *to;
	const char *line, *object; /* what standard error and standard output get if the file has been cut */
} mapped[MOST];
static volatile sig_atomic_t count;
static atomic_int output_used;
static struct sigaction before;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

static void say(int fd, const char *text)
{
	ssize_t heard = write(fd, text, strlen(text));
	(void)heard;
}

/* Threads may fault at once; the first one speaks. */
static void end(const char *line, const char *object)
{
	static atomic_flag ending = ATOMIC_FLAG_INIT;
	while (atomic_flag_test_and_set(&ending))
		pause();
	say(STDERR_FILENO, line);
	if (!output_used)
		say(STDOUT_FILENO, object);
	_exit(1);
}

static void fault(int number, siginfo_t *info, void *context)
{
	char *at = info->si_addr;
	for (int k = 0; k < count; k++)
		if (at >= mapped[k].from && at < mapped[k].to)
			end(mapped[k].line, mapped[k].object);
	if (before.sa_flags & SA_SIGINFO)
		before.sa_sigaction(number, info, context);
	else
		sigaction(number, &before, NULL); /* the access is repeated, and is the business of that */
}

static int add(char *memory, size_t bytes, const char *line, const char *object)
{
	if (count == MOST)
		return 0;
	struct sigaction action = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	if (count == 0 && sigaction(SIGBUS, &action, &before) != 0)
		return 0;
	mapped[count].from = memory;
	mapped[count].to = memory + bytes;
	mapped[count].line = line;
	mapped[count].object = object;
	count++;
	return 1;
}

void mapping_output_used(int used)
{
	output_used = used;
}

void *mapping_map(int fd, size_t bytes, const char *line, const char *object)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (memory == MAP_FAILED)
		return NULL;
	pthread_mutex_lock(&adding);
	int added = add(memory, bytes, line, object);
	pthread_mutex_unlock(&adding);
	if (!added) {
		munmap(memory, bytes);
		return NULL;
	}
	return memory;
}
