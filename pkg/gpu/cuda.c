//go:build cgo && (linux || darwin)

// CUDA, through its driver API.
#include "cudahip.h"

#include "nvml.h"

#include <dlfcn.h>
#include <stdio.h>

static int architecture(int device, gpu_info *i, gpu_error *e);
static uint64_t unused(int device);
static void words(int code, const char **name, const char **text);

static library cuda = {
	.variable = "MPSOLVE_LIBCUDA",
	.files = (const char *const[]){"libcuda.so.1", NULL},
	.names = {
		.init = "cuInit",
		.count = "cuDeviceGetCount",
		.device = "cuDeviceGet",
		.device_name = "cuDeviceGetName",
		.device_memory = "cuDeviceTotalMem_v2",
		.attribute = "cuDeviceGetAttribute",
		.free_memory = "cuMemGetInfo_v2",
		.retain = "cuDevicePrimaryCtxRetain",
		.release = "cuDevicePrimaryCtxRelease_v2",
		.set_context = "cuCtxSetCurrent",
		.stream_create = "cuStreamCreate",
		.stream_wait = "cuStreamSynchronize",
		.stream_destroy = "cuStreamDestroy_v2",
		.event_create = "cuEventCreate",
		.event_record = "cuEventRecord",
		.event_wait = "cuEventSynchronize",
		.event_destroy = "cuEventDestroy_v2",
		.module_load = "cuModuleLoadDataEx",
		.module_function = "cuModuleGetFunction",
		.occupancy = "cuOccupancyMaxActiveBlocksPerMultiprocessor",
		.module_unload = "cuModuleUnload",
		.launch = "cuLaunchKernel",
		.alloc = "cuMemAlloc_v2",
		.free = "cuMemFree_v2",
		.alloc_host = "cuMemHostAlloc",
		.free_host = "cuMemFreeHost",
		.upload = "cuMemcpyHtoDAsync_v2",
		.download = "cuMemcpyDtoHAsync_v2",
		.copy = "cuMemcpyDtoDAsync_v2",
		.fill = "cuMemsetD8Async",
	},
	.before = {.release = "cuDevicePrimaryCtxRelease"}, // before CUDA 11, driver 450
	.units = 16,
	.integrated = 18,
	.memory_clock = 36,
	.memory_width = 37,
	.architecture = architecture,
	.unused = unused,
	.words = words,
};

static int architecture(int device, gpu_info *i, gpu_error *e)
{
	enum { COMPUTE_CAPABILITY_MAJOR = 75, COMPUTE_CAPABILITY_MINOR = 76 };
	int major = 0, minor = 0;
	if (LIBRARY_CALL(&cuda, attribute, &major, COMPUTE_CAPABILITY_MAJOR, device)) return 1;
	if (LIBRARY_CALL(&cuda, attribute, &minor, COMPUTE_CAPABILITY_MINOR, device)) return 1;
	snprintf(i->architecture, sizeof i->architecture, "sm_%d%d", major, minor);
	i->old = major < 7;
	return 0;
}

static uint64_t unused(int device)
{
	int (*bus_id)(char *, int, int);
	char id[32];
	*(void **)&bus_id = dlsym(cuda.handle, "cuDeviceGetPCIBusId");
	return bus_id && !bus_id(id, sizeof id, device) ? nvml_unused(id) : 0;
}

static void words(int code, const char **name, const char **text)
{
	int (*get_name)(int, const char **), (*get_text)(int, const char **);
	*(void **)&get_name = dlsym(cuda.handle, "cuGetErrorName");
	*(void **)&get_text = dlsym(cuda.handle, "cuGetErrorString");
	if (get_name) get_name(code, name);
	if (get_text) get_text(code, text);
}

static int count(int *n, gpu_error *e) { return library_count(&cuda, n, e); }
static int look(int index, gpu_info *i, gpu_error *e) { return library_look(&cuda, index, i, e); }
static int open_device(int index, gpu_device **d, gpu_error *e) { return library_open(&cuda, index, d, e); }

const gpu_backend gpu_cuda = {count, look, open_device};
