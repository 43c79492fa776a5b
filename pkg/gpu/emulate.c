//go:build cgo && (linux || darwin)

// The emulated device: kernels compiled for the host, which run when they are launched.
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/kernels.c"

#include "emulate_gen.h"

static int info(gpu_device *d, gpu_info *i, gpu_error *e)
{
	(void)d, (void)e;
	memset(i, 0, sizeof *i);
	snprintf(i->name, sizeof i->name, "the kernels on the host");
	snprintf(i->architecture, sizeof i->architecture, "C");
	i->units = i->integrated = 1;
	return 0;
}

static int load(gpu_device *d, const void *image, size_t n, gpu_error *e)
{
	(void)d, (void)image, (void)n, (void)e;
	return 0;
}

// So few blocks that a test's products have more parts.
enum { RESIDENT_BLOCKS = 7 };

static int kernel(gpu_device *d, const char *name, void **k, int *resident, gpu_error *e)
{
	(void)d;
	*resident = RESIDENT_BLOCKS;
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
		if (!strcmp(entries[i].name, name)) {
			*k = (void *)&entries[i];
			return 0;
		}
	return gpu_fail(e, "", 0, "there is no kernel %s", name);
}

static int launch(gpu_device *d, void *k, uint32_t grid, const gpu_layout *l, const void *a, gpu_error *e)
{
	const entry *f = k;
	const void *args[GPU_MOST_ARGUMENTS];
	(void)d;
	if (l->count != f->count) return gpu_fail(e, "", 0, "%s has %u arguments, got %u", f->name, f->count, l->count);
	for (uint32_t i = 0; i < l->count; i++) args[i] = (const char *)a + l->at[i];
	for (uint32_t b = 0; b < grid; b++) f->run(b, grid, args);
	return 0;
}

static int alloc(gpu_device *d, size_t n, uint64_t *b, gpu_error *e)
{
	void *m = malloc(n ? n : 1);
	(void)d;
	if (!m) return gpu_fail(e, "malloc", 0, "out of memory");
	*b = (uint64_t)(uintptr_t)m;
	return 0;
}

static void release(gpu_device *d, uint64_t b) { (void)d, free((void *)(uintptr_t)b); }

static int alloc_host(gpu_device *d, size_t n, void **m, gpu_error *e)
{
	uint64_t b = 0;
	if (alloc(d, n, &b, e)) return 1;
	*m = (void *)(uintptr_t)b;
	return 0;
}

static void release_host(gpu_device *d, void *m) { (void)d, free(m); }

static char *at(uint64_t b, size_t offset) { return (char *)(uintptr_t)b + offset; }

static int upload(gpu_device *d, uint64_t to, size_t off, const void *from, size_t n, int async, gpu_error *e)
{
	(void)d, (void)async, (void)e;
	if (n) memcpy(at(to, off), from, n);
	return 0;
}

static int download(gpu_device *d, void *to, uint64_t from, size_t off, size_t n, int async, gpu_error *e)
{
	(void)d, (void)async, (void)e;
	if (n) memcpy(to, at(from, off), n);
	return 0;
}

static int copy(gpu_device *d, uint64_t to, uint64_t from, size_t n, gpu_error *e)
{
	(void)d, (void)e;
	if (n) memmove(at(to, 0), at(from, 0), n);
	return 0;
}

static int zero(gpu_device *d, uint64_t to, size_t n, gpu_error *e)
{
	(void)d, (void)e;
	if (n) memset(at(to, 0), 0, n);
	return 0;
}

static int event(gpu_device *d, int n, gpu_error *e) { return (void)d, (void)n, (void)e, 0; }
static int synchronise(gpu_device *d, gpu_error *e) { return (void)d, (void)e, 0; }
static void close_device(gpu_device *d) { free(d); }

static const gpu_operations operations = {
	info, load, kernel, launch, alloc, release, alloc_host, release_host,
	upload, download, copy, zero, event, event, synchronise, close_device,
};

static int look(int index, gpu_info *i, gpu_error *e) { return (void)index, info(NULL, i, e); }
static int count(int *n, gpu_error *e) { return (void)e, *n = 1, 0; }

static int open_device(int index, gpu_device **d, gpu_error *e)
{
	(void)index;
	if (!(*d = malloc(sizeof **d))) return gpu_fail(e, "malloc", 0, "out of memory");
	(*d)->ops = &operations;
	return 0;
}

const gpu_backend gpu_emulate = {count, look, open_device};
