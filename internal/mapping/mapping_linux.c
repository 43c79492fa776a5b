//go:build cgo

#define _GNU_SOURCE
#include "mapping.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 64 };

static struct {
	char *from, *to;
	char *line; /* what is said if the file has been cut */
} mapped[MOST];
static volatile sig_atomic_t count;
static struct sigaction before;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

/* Threads may fault at once; the first one speaks. */
static void end(const char *line)
{
	static atomic_flag ending = ATOMIC_FLAG_INIT;
	while (atomic_flag_test_and_set(&ending))
		pause();
	ssize_t heard = write(STDERR_FILENO, line, strlen(line));
	(void)heard;
	_exit(1);
}

static void fault(int number, siginfo_t *info, void *context)
{
	char *at = info->si_addr;
	for (int k = 0; k < count; k++)
		if (at >= mapped[k].from && at < mapped[k].to)
			end(mapped[k].line);
	if (before.sa_flags & SA_SIGINFO)
		before.sa_sigaction(number, info, context);
	else
		sigaction(number, &before, NULL); /* the access is repeated, and is the business of that */
}

static int add(char *memory, size_t bytes, const char *name)
{
	static const char head[] = "mpsolve: ", tail[] = ": the file has been cut off while it was in use\n";
	char *line = count < MOST ? malloc(sizeof head + strlen(name) + sizeof tail) : NULL;
	if (line == NULL)
		return 0;
	strcat(strcat(strcpy(line, head), name), tail);
	struct sigaction action = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	if (count == 0 && sigaction(SIGBUS, &action, &before) != 0) {
		free(line);
		return 0;
	}
	mapped[count].from = memory;
	mapped[count].to = memory + bytes;
	mapped[count].line = line;
	count++;
	return 1;
}

void *mapping_map(int fd, size_t bytes, const char *name)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (memory == MAP_FAILED)
		return NULL;
	pthread_mutex_lock(&adding);
	int added = add(memory, bytes, name);
	pthread_mutex_unlock(&adding);
	if (!added) {
		munmap(memory, bytes);
		return NULL;
	}
	return memory;
}
