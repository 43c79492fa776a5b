//go:build cgo && (linux || darwin)

// OpenCL 1.2. The queue is in order; a buffer is a cl_mem.
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_bits;

#define ENTRY_POINTS(X)                                                                                     \
	X(cl_int, clGetPlatformIDs, (cl_uint, void **, cl_uint *))                                          \
	X(cl_int, clGetDeviceIDs, (void *platform, cl_bits type, cl_uint, void **, cl_uint *))              \
	X(cl_int, clGetDeviceInfo, (void *device, cl_uint, size_t, void *, size_t *))                       \
	X(void *, clCreateContext, (const intptr_t *, cl_uint, void *const *, void *, void *, cl_int *))    \
	X(cl_int, clReleaseContext, (void *))                                                               \
	X(void *, clCreateCommandQueue, (void *context, void *device, cl_bits, cl_int *))                   \
	X(cl_int, clReleaseCommandQueue, (void *))                                                          \
	X(void *, clCreateProgramWithSource, (void *context, cl_uint, const char **, const size_t *, cl_int *)) \
	X(cl_int, clBuildProgram, (void *, cl_uint, void *const *, const char *, void *, void *))           \
	X(cl_int, clGetProgramBuildInfo, (void *, void *device, cl_uint, size_t, void *, size_t *))         \
	X(cl_int, clReleaseProgram, (void *))                                                               \
	X(void *, clCreateKernel, (void *program, const char *, cl_int *))                                  \
	X(cl_int, clReleaseKernel, (void *))                                                                \
	X(cl_int, clSetKernelArg, (void *, cl_uint, size_t, const void *))                                  \
	X(cl_int, clEnqueueNDRangeKernel, (void *queue, void *kernel, cl_uint, const size_t *, const size_t *, \
	                                   const size_t *, cl_uint, void *const *, void **))                \
	X(void *, clCreateBuffer, (void *context, cl_bits, size_t, void *, cl_int *))                       \
	X(cl_int, clReleaseMemObject, (void *))                                                             \
	X(cl_int, clEnqueueWriteBuffer, (void *queue, void *, cl_uint, size_t at, size_t, const void *,     \
	                                 cl_uint, void *const *, void **))                                  \
	X(cl_int, clEnqueueReadBuffer, (void *queue, void *, cl_uint, size_t at, size_t, void *,            \
	                                cl_uint, void *const *, void **))                                   \
	X(cl_int, clEnqueueCopyBuffer, (void *queue, void *from, void *to, size_t, size_t, size_t,          \
	                                cl_uint, void *const *, void **))                                   \
	X(cl_int, clEnqueueFillBuffer, (void *queue, void *, const void *, size_t pattern, size_t at,       \
	                                size_t, cl_uint, void *const *, void **))                           \
	X(cl_int, clEnqueueMarkerWithWaitList, (void *queue, cl_uint, void *const *, void **))              \
	X(cl_int, clWaitForEvents, (cl_uint, void *const *))                                                \
	X(cl_int, clReleaseEvent, (void *))                                                                 \
	X(cl_int, clFlush, (void *queue))                                                                   \
	X(cl_int, clFinish, (void *queue))

#define POINTER(result, f, arguments) static result(*f) arguments;
ENTRY_POINTS(POINTER)
#undef POINTER

enum { TYPE = 0x1000, UNITS = 0x1002, GLOBAL_BYTES = 0x101f, NAME = 0x102b, VERSION = 0x102f, DOUBLES = 0x1032, UNIFIED = 0x1035 };
enum { TYPE_CPU = 2, TYPE_GPU = 4, TYPE_ACCELERATOR = 8 };
enum { BUILD_LOG = 0x1183, READ_WRITE = 1, THREADS = 256, MOST_DEVICES = 64, MOST_KERNELS = 256 };
enum { DEVICE_NOT_FOUND = -1 };

static void *handle;
static void *devices[MOST_DEVICES]; // of all platforms, the best kind first
static int found;

typedef struct {
	gpu_device head;
	void *id, *context, *queue, *program, *events[GPU_EVENTS], *kernels[MOST_KERNELS];
	int n; // kernels
} device;

static const struct {
	int code;
	const char *text;
} words[] = {
	{-1, "CL_DEVICE_NOT_FOUND"}, {-2, "CL_DEVICE_NOT_AVAILABLE"}, {-3, "CL_COMPILER_NOT_AVAILABLE"},
	{-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE: out of memory"}, {-5, "CL_OUT_OF_RESOURCES"},
	{-6, "CL_OUT_OF_HOST_MEMORY"}, {-11, "CL_BUILD_PROGRAM_FAILURE"},
	{-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"}, {-15, "CL_COMPILE_PROGRAM_FAILURE"},
	{-30, "CL_INVALID_VALUE"}, {-33, "CL_INVALID_DEVICE"}, {-34, "CL_INVALID_CONTEXT"},
	{-36, "CL_INVALID_COMMAND_QUEUE"}, {-38, "CL_INVALID_MEM_OBJECT"}, {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
	{-46, "CL_INVALID_KERNEL_NAME"}, {-49, "CL_INVALID_ARG_INDEX"}, {-50, "CL_INVALID_ARG_VALUE"},
	{-51, "CL_INVALID_ARG_SIZE"}, {-52, "CL_INVALID_KERNEL_ARGS"}, {-54, "CL_INVALID_WORK_GROUP_SIZE"},
	{-61, "CL_INVALID_BUFFER_SIZE: larger than the device allows"},
	{-1001, "CL_PLATFORM_NOT_FOUND_KHR: no OpenCL driver is installed"},
};

static int check(const char *function, cl_int code, gpu_error *e)
{
	const char *text = "an error without a name";
	if (!code) return 0;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i].code == code) text = words[i].text;
	return gpu_fail(e, function, code, "%s", text);
}

#define CALL(f, ...) check(#f, f(__VA_ARGS__), e)

// MAKE sets v to what f returns, its last argument being the error code.
#define MAKE(v, f, ...) (v = f(__VA_ARGS__, &code), check(#f, code, e))

static int load_library(gpu_error *e)
{
	static const char *const names[] = {"libOpenCL.so.1", NULL};
	void *lib;
	if (handle) return 0;
	if (!(lib = gpu_library("MPSOLVE_LIBOPENCL", names, e))) return 1;
#define FIND(result, f, arguments)                                                  \
	if (!(*(void **)&f = dlsym(lib, #f))) {                                     \
		dlclose(lib);                                                       \
		return gpu_fail(e, "", 0, "the library has no %s: it is too old", #f); \
	}
	ENTRY_POINTS(FIND)
#undef FIND
	handle = lib;
	return 0;
}

// usable tells whether a device has FP64.
static int usable(void *id)
{
	cl_bits doubles = 0;
	return !clGetDeviceInfo(id, DOUBLES, sizeof doubles, &doubles, NULL) && doubles;
}

// count lists GPUs, accelerators, processors, and then what has no FP64, only to be named.
static int count(int *n, gpu_error *e)
{
	static const cl_bits types[] = {TYPE_GPU, TYPE_ACCELERATOR, TYPE_CPU};
	void *platforms[16], *ids[MOST_DEVICES];
	cl_uint np = 0;
	if (load_library(e) || CALL(clGetPlatformIDs, 16, platforms, &np)) return 1;
	found = 0;
	for (int round = 0; round < 6; round++)
		for (cl_uint p = 0; p < np && p < 16; p++) {
			cl_uint nd = 0;
			cl_int code = clGetDeviceIDs(platforms[p], types[round % 3], MOST_DEVICES, ids, &nd);
			if (code == DEVICE_NOT_FOUND) continue;
			if (check("clGetDeviceIDs", code, e)) return 1;
			for (cl_uint i = 0; i < nd && i < MOST_DEVICES && found < MOST_DEVICES; i++)
				if (usable(ids[i]) == (round < 3)) devices[found++] = ids[i];
		}
	*n = found;
	return 0;
}

static int describe(void *id, gpu_info *i, gpu_error *e)
{
	cl_bits type = 0;
	cl_uint units = 0, unified = 0;
	memset(i, 0, sizeof *i);
	if (CALL(clGetDeviceInfo, id, NAME, sizeof i->name - 1, i->name, NULL)) return 1;
	if (CALL(clGetDeviceInfo, id, GLOBAL_BYTES, sizeof i->memory, &i->memory, NULL)) return 1;
	if (CALL(clGetDeviceInfo, id, UNITS, sizeof units, &units, NULL)) return 1;
	if (CALL(clGetDeviceInfo, id, TYPE, sizeof type, &type, NULL)) return 1;
	if (clGetDeviceInfo(id, VERSION, sizeof i->architecture, i->architecture, NULL)) snprintf(i->architecture, sizeof i->architecture, "OpenCL");
	if (clGetDeviceInfo(id, UNIFIED, sizeof unified, &unified, NULL)) unified = 0; // gone since 2.0
	i->units = (int)units, i->integrated = unified != 0, i->host = type & TYPE_CPU ? 1 : 0;
	i->old = !usable(id);
	return 0;
}

static int info(gpu_device *g, gpu_info *i, gpu_error *e) { return describe(((device *)g)->id, i, e); }
static int look(int index, gpu_info *i, gpu_error *e) { return describe(devices[index], i, e); }

static int load(gpu_device *g, const void *image, size_t n, gpu_error *e)
{
	device *d = (device *)g;
	const char *text = image;
	cl_int code;
	if (MAKE(d->program, clCreateProgramWithSource, d->context, 1, &text, &n)) return 1;
	if (!CALL(clBuildProgram, d->program, 1, &d->id, "-cl-std=CL1.2", NULL, NULL)) return 0;
	size_t bytes = 0;
	char *log = NULL;
	if (!clGetProgramBuildInfo(d->program, d->id, BUILD_LOG, 0, NULL, &bytes) && (log = calloc(bytes + 1, 1)) &&
	    !clGetProgramBuildInfo(d->program, d->id, BUILD_LOG, bytes, log, NULL) && *log)
		gpu_add(e, ": %s", log);
	free(log);
	clReleaseProgram(d->program);
	d->program = NULL;
	return 1;
}

static int kernel(gpu_device *g, const char *name, void **k, int *resident, gpu_error *e)
{
	device *d = (device *)g;
	cl_int code;
	if (d->n == MOST_KERNELS) return gpu_fail(e, "", 0, "more than %d kernels", MOST_KERNELS);
	if (MAKE(*k, clCreateKernel, d->program, name)) return 1;
	d->kernels[d->n++] = *k;
	*resident = 0;
	return 0;
}

static int launch(gpu_device *g, void *k, uint32_t grid, const gpu_layout *l, const void *a, gpu_error *e)
{
	const size_t local = THREADS, global = (size_t)grid * THREADS;
	for (uint32_t i = 0; i < l->count; i++)
		if (CALL(clSetKernelArg, k, i, l->size[i], (const char *)a + l->at[i])) return gpu_add(e, ", argument %u", i);
	return CALL(clEnqueueNDRangeKernel, ((device *)g)->queue, k, 1, NULL, &global, &local, 0, NULL, NULL);
}

static void *buffer(uint64_t b) { return (void *)(uintptr_t)b; }

static int alloc(gpu_device *g, size_t n, uint64_t *b, gpu_error *e)
{
	device *d = (device *)g;
	gpu_info i;
	gpu_error ignored;
	cl_int code;
	void *m;
	if (!MAKE(m, clCreateBuffer, d->context, READ_WRITE, n, NULL)) {
		*b = (uint64_t)(uintptr_t)m;
		return 0;
	}
	return info(g, &i, &ignored) ? 1 : gpu_add(e, "; %zu bytes wanted, the device has %llu", n, (unsigned long long)i.memory);
}

static void release(gpu_device *g, uint64_t b) { (void)g, clReleaseMemObject(buffer(b)); }

static int alloc_host(gpu_device *g, size_t n, void **m, gpu_error *e)
{
	(void)g;
	return (*m = malloc(n)) ? 0 : gpu_fail(e, "malloc", 0, "out of memory; %zu bytes wanted", n);
}

static void release_host(gpu_device *g, void *m)
{
	clFinish(((device *)g)->queue); // copies that use it
	free(m);
}

static int upload(gpu_device *g, uint64_t to, size_t at, const void *from, size_t n, int async, gpu_error *e)
{
	return n && CALL(clEnqueueWriteBuffer, ((device *)g)->queue, buffer(to), !async, at, n, from, 0, NULL, NULL);
}

static int download(gpu_device *g, void *to, uint64_t from, size_t at, size_t n, int async, gpu_error *e)
{
	return n && CALL(clEnqueueReadBuffer, ((device *)g)->queue, buffer(from), !async, at, n, to, 0, NULL, NULL);
}

static int copy(gpu_device *g, uint64_t to, uint64_t from, size_t n, gpu_error *e)
{
	return n && CALL(clEnqueueCopyBuffer, ((device *)g)->queue, buffer(from), buffer(to), 0, 0, n, 0, NULL, NULL);
}

static int zero(gpu_device *g, uint64_t to, size_t n, gpu_error *e)
{
	const uint64_t none = 0;
	const size_t pattern = n % 8 ? 1 : 8;
	return n && CALL(clEnqueueFillBuffer, ((device *)g)->queue, buffer(to), &none, pattern, 0, n, 0, NULL, NULL);
}

static int record(gpu_device *g, int event, gpu_error *e)
{
	device *d = (device *)g;
	if (d->events[event]) clReleaseEvent(d->events[event]);
	d->events[event] = NULL;
	return CALL(clEnqueueMarkerWithWaitList, d->queue, 0, NULL, &d->events[event]) || CALL(clFlush, d->queue);
}

static int wait_event(gpu_device *g, int event, gpu_error *e)
{
	device *d = (device *)g;
	return d->events[event] && CALL(clWaitForEvents, 1, &d->events[event]);
}

static int synchronise(gpu_device *g, gpu_error *e) { return CALL(clFinish, ((device *)g)->queue); }

static void close_device(gpu_device *g)
{
	device *d = (device *)g;
	if (d->queue) clFinish(d->queue);
	for (int i = 0; i < GPU_EVENTS; i++)
		if (d->events[i]) clReleaseEvent(d->events[i]);
	for (int i = 0; i < d->n; i++) clReleaseKernel(d->kernels[i]);
	if (d->program) clReleaseProgram(d->program);
	if (d->queue) clReleaseCommandQueue(d->queue);
	if (d->context) clReleaseContext(d->context);
	free(d);
}

static const gpu_operations operations = {
	info, load, kernel, launch, alloc, release, alloc_host, release_host,
	upload, download, copy, zero, record, wait_event, synchronise, close_device,
};

static int open_device(int index, gpu_device **to, gpu_error *e)
{
	device *d = calloc(1, sizeof *d);
	cl_int code;
	if (!d) return gpu_fail(e, "calloc", 0, "out of memory");
	d->head.ops = &operations;
	d->id = devices[index];
	if (MAKE(d->context, clCreateContext, NULL, 1, &d->id, NULL, NULL) || MAKE(d->queue, clCreateCommandQueue, d->context, d->id, 0)) {
		close_device(&d->head);
		return 1;
	}
	*to = &d->head;
	return 0;
}

const gpu_backend gpu_opencl = {count, look, open_device};
