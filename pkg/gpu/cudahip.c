//go:build cgo && (linux || darwin)

// Devices of CUDA and HIP. Work goes to a stream of its own, which waits for no other.
// What is current belongs to a thread of the system, and goroutines change theirs: every
// function makes the device current first.
#include "cudahip.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
	gpu_device head;
	library *lib;
	int device;
	void *context, *stream, *module, *events[GPU_EVENTS];
} device;

#define CALL(f, ...) LIBRARY_CALL(((device *)d)->lib, f, __VA_ARGS__)

// Codes that are the same in both libraries.
enum { OUT_OF_MEMORY = 2 };

enum { NON_BLOCKING_STREAM = 1, EVENT_WITHOUT_TIMING = 2 };

enum { THREADS = 256 };

int library_check(const library *lib, const char *function, int code, gpu_error *e)
{
	const char *name = NULL, *text = NULL;
	if (!code) return 0;
	lib->words(code, &name, &text);
	if (name && text && !strcmp(name, text)) text = NULL; // HIP before ROCm 6
	return gpu_fail(e, function, code, "%s%s%s", name ? name : "", name && text ? ": " : "", text ? text : name ? "" : "unknown error");
}

// find returns a function by its name, or by that of older versions.
static void *find(void *handle, const char *name, const char *before)
{
	void *f = dlsym(handle, name);
	return f || !before ? f : dlsym(handle, before);
}

// load opens the library and looks for its functions.
static int load(library *lib, gpu_error *e)
{
	void *handle;
	if (lib->handle) return 0;
	if (!(handle = gpu_library(lib->variable, lib->files, e))) return 1;
#define FIND(f, arguments)                                                                           \
	if (lib->names.f && !(*(void **)&lib->call.f = find(handle, lib->names.f, lib->before.f))) { \
		gpu_fail(e, "", 0, "the library has no %s: the driver is too old", lib->names.f);    \
		dlclose(handle);                                                                     \
		return 1;                                                                            \
	}
	ENTRY_POINTS(FIND)
#undef FIND
	lib->handle = handle;
	return 0;
}

int library_count(library *lib, int *n, gpu_error *e)
{
	if (load(lib, e)) return 1;
	if (lib->call.init && LIBRARY_CALL(lib, init, 0)) return 1;
	return LIBRARY_CALL(lib, count, n);
}

static int make_current(gpu_device *g, gpu_error *e)
{
	device *d = (device *)g;
	return d->lib->call.set_device ? CALL(set_device, d->device) : CALL(set_context, d->context);
}

// describe fills in what is known of a device without a context.
static int describe(const library *lib, int device, gpu_info *i, gpu_error *e)
{
	size_t all = 0;
	memset(i, 0, sizeof *i);
	if (LIBRARY_CALL(lib, device_name, i->name, sizeof i->name, device)) return 1;
	if (LIBRARY_CALL(lib, device_memory, &all, device)) return 1;
	if (LIBRARY_CALL(lib, attribute, &i->units, lib->units, device)) return 1;
	if (LIBRARY_CALL(lib, attribute, &i->integrated, lib->integrated, device)) return 1;
	i->memory = all;
	int clock = 0, width = 0;
	if (LIBRARY_CALL(lib, attribute, &clock, lib->memory_clock, device) || LIBRARY_CALL(lib, attribute, &width, lib->memory_width, device)) clock = 0;
	i->bandwidth = 2e3 * clock * (width / 8);
	return lib->architecture(device, i, e);
}

int library_look(const library *lib, int index, gpu_info *i, gpu_error *e)
{
	int device = 0;
	if (LIBRARY_CALL(lib, device, &device, index) || describe(lib, device, i, e)) return 1;
	i->free = lib->unused(device);
	if (i->free > i->memory) i->free = 0; // that of a whole GPU, of which this is a part
	return 0;
}

static int device_info(gpu_device *g, gpu_info *i, gpu_error *e)
{
	device *d = (device *)g;
	size_t unused = 0;
	if (describe(d->lib, d->device, i, e) || make_current(g, e)) return 1;
	if (CALL(free_memory, &unused, &(size_t){0})) return 1;
	i->free = unused;
	return 0;
}

// load_image has the library compile PTX; what its compiler says becomes part of the error.
static int load_image(gpu_device *g, const void *image, size_t n, gpu_error *e)
{
	device *d = (device *)g;
	enum { ERROR_LOG = 5, ERROR_LOG_BYTES = 6 };
	char log[1024] = "";
	int options[] = {ERROR_LOG, ERROR_LOG_BYTES};
	void *values[] = {log, (void *)sizeof log};
	(void)n;
	if (make_current(g, e)) return 1;
	if (!CALL(module_load, &d->module, image, 2, options, values)) return 0;
	d->module = NULL;
	log[sizeof log - 1] = 0;
	return *log ? gpu_add(e, ": %s", log) : 1;
}

static int kernel(gpu_device *g, const char *name, void **k, int *resident, gpu_error *e)
{
	device *d = (device *)g;
	int units = 0;
	if (make_current(g, e) || CALL(module_function, k, d->module, name)) return 1;
	if (CALL(occupancy, resident, *k, THREADS, 0)) return 1;
	if (CALL(attribute, &units, d->lib->units, d->device)) return 1;
	*resident *= units;
	return 0;
}

static int launch(gpu_device *g, void *k, uint32_t grid, const gpu_layout *l, const void *a, gpu_error *e)
{
	device *d = (device *)g;
	void *arguments[GPU_MOST_ARGUMENTS + 1]; // ends in NULL
	uint32_t i;
	for (i = 0; i < l->count; i++) arguments[i] = (char *)a + l->at[i];
	arguments[i] = NULL;
	return make_current(g, e) || CALL(launch, k, grid, 1, 1, THREADS, 1, 1, 0, d->stream, arguments, NULL);
}

static int alloc(gpu_device *g, size_t n, uint64_t *b, gpu_error *e)
{
	device *d = (device *)g;
	size_t unused = 0, all = 0;
	*b = 0;
	if (make_current(g, e)) return 1;
	if (!CALL(alloc, b, n)) return 0;
	if (e->code == OUT_OF_MEMORY && !d->lib->call.free_memory(&unused, &all))
		gpu_add(e, "; %zu bytes wanted, %zu of %zu are free", n, unused, all);
	return 1;
}

static void release(gpu_device *g, uint64_t b)
{
	gpu_error e;
	if (!make_current(g, &e)) ((device *)g)->lib->call.free(b);
}

static int alloc_host(gpu_device *g, size_t n, void **m, gpu_error *e)
{
	device *d = (device *)g;
	*m = NULL;
	if (make_current(g, e)) return 1;
	if (!CALL(alloc_host, m, n, 0)) return 0;
	return gpu_add(e, "; %zu bytes of pinned memory wanted", n);
}

static int synchronise(gpu_device *g, gpu_error *e)
{
	device *d = (device *)g;
	return make_current(g, e) || CALL(stream_wait, d->stream);
}

static void release_host(gpu_device *g, void *m)
{
	gpu_error e;
	(void)synchronise(g, &e); // copies that use it
	if (!make_current(g, &e)) ((device *)g)->lib->call.free_host(m);
}

static int upload(gpu_device *g, uint64_t to, size_t at, const void *from, size_t n, int async, gpu_error *e)
{
	device *d = (device *)g;
	if (!n) return 0;
	if (make_current(g, e) || CALL(upload, to + at, from, n, d->stream)) return 1;
	return async ? 0 : CALL(stream_wait, d->stream);
}

static int download(gpu_device *g, void *to, uint64_t from, size_t at, size_t n, int async, gpu_error *e)
{
	device *d = (device *)g;
	if (!n) return 0;
	if (make_current(g, e) || CALL(download, to, from + at, n, d->stream)) return 1;
	return async ? 0 : CALL(stream_wait, d->stream);
}

static int copy(gpu_device *g, uint64_t to, uint64_t from, size_t n, gpu_error *e)
{
	device *d = (device *)g;
	return n && (make_current(g, e) || CALL(copy, to, from, n, d->stream));
}

static int zero(gpu_device *g, uint64_t to, size_t n, gpu_error *e)
{
	device *d = (device *)g;
	return n && (make_current(g, e) || CALL(fill, to, 0, n, d->stream));
}

static int record(gpu_device *g, int event, gpu_error *e)
{
	device *d = (device *)g;
	return make_current(g, e) || CALL(event_record, d->events[event], d->stream);
}

static int wait_event(gpu_device *g, int event, gpu_error *e)
{
	device *d = (device *)g;
	return make_current(g, e) || CALL(event_wait, d->events[event]);
}

static void close_device(gpu_device *g)
{
	device *d = (device *)g;
	const entry_points *call = &d->lib->call;
	gpu_error e;
	if (!make_current(g, &e)) {
		if (d->stream) call->stream_wait(d->stream);
		for (int i = 0; i < GPU_EVENTS; i++)
			if (d->events[i]) call->event_destroy(d->events[i]);
		if (d->module) call->module_unload(d->module);
		if (d->stream) call->stream_destroy(d->stream);
	}
	if (d->context) {
		call->set_context(NULL);
		call->release(d->device);
	}
	free(d);
}

static const gpu_operations operations = {
	device_info, load_image, kernel, launch, alloc, release, alloc_host, release_host,
	upload, download, copy, zero, record, wait_event, synchronise, close_device,
};

// start makes what a device needs; what there is on a failure close_device gives back.
static int start(device *d, int index, gpu_error *e)
{
	if (CALL(device, &d->device, index)) return 1;
	if (d->lib->call.retain && CALL(retain, &d->context, d->device)) return 1;
	if (make_current(&d->head, e)) return 1;
	if (CALL(stream_create, &d->stream, NON_BLOCKING_STREAM)) return 1;
	for (int i = 0; i < GPU_EVENTS; i++)
		if (CALL(event_create, &d->events[i], EVENT_WITHOUT_TIMING)) return 1;
	return 0;
}

int library_open(library *lib, int index, gpu_device **to, gpu_error *e)
{
	device *d = calloc(1, sizeof *d);
	if (!d) return gpu_fail(e, "calloc", 0, "out of memory");
	d->head.ops = &operations;
	d->lib = lib;
	if (start(d, index, e)) {
		close_device(&d->head);
		return 1;
	}
	*to = &d->head;
	return 0;
}
