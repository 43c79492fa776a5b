//go:build cgo && (linux || darwin)

// HIP, the numbers of attributes being those of ROCm 5 and later.
#include "cudahip.h"

#include <dlfcn.h>

static int architecture(int device, gpu_info *i, gpu_error *e);
static void words(int code, const char **name, const char **text);

static library hip = {
	.variable = "MPSOLVE_LIBHIP",
	.files = (const char *const[]){"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", NULL},
	.names = {
		.init = "hipInit",
		.count = "hipGetDeviceCount",
		.device = "hipDeviceGet",
		.device_name = "hipDeviceGetName",
		.device_memory = "hipDeviceTotalMem",
		.attribute = "hipDeviceGetAttribute",
		.free_memory = "hipMemGetInfo",
		.set_device = "hipSetDevice",
		.stream_create = "hipStreamCreateWithFlags",
		.stream_wait = "hipStreamSynchronize",
		.stream_destroy = "hipStreamDestroy",
		.event_create = "hipEventCreateWithFlags",
		.event_record = "hipEventRecord",
		.event_wait = "hipEventSynchronize",
		.event_destroy = "hipEventDestroy",
		.module_load = "hipModuleLoadDataEx",
		.module_function = "hipModuleGetFunction",
		.occupancy = "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor",
		.module_unload = "hipModuleUnload",
		.launch = "hipModuleLaunchKernel",
		.alloc = "hipMalloc",
		.free = "hipFree",
		.alloc_host = "hipHostMalloc",
		.free_host = "hipHostFree",
		.upload = "hipMemcpyHtoDAsync",
		.download = "hipMemcpyDtoHAsync",
		.copy = "hipMemcpyDtoDAsync",
		.fill = "hipMemsetD8Async",
	},
	.units = 63,
	.integrated = 16,
	.memory_clock = 60,
	.memory_width = 59,
	.architecture = architecture,
	.words = words,
};

// The architecture stands only in a struct whose layout differs between versions: it is
// left open, and the library takes the code object that fits.
static int architecture(int device, gpu_info *i, gpu_error *e)
{
	(void)device, (void)i, (void)e;
	return 0;
}

static void words(int code, const char **name, const char **text)
{
	const char *(*get_name)(int), *(*get_text)(int);
	*(void **)&get_name = dlsym(hip.handle, "hipGetErrorName");
	*(void **)&get_text = dlsym(hip.handle, "hipGetErrorString");
	if (get_name) *name = get_name(code);
	if (get_text) *text = get_text(code);
}

static int count(int *n, gpu_error *e) { return library_count(&hip, n, e); }
static int open_device(int index, gpu_device **d, gpu_error *e) { return library_open(&hip, index, d, e); }

const gpu_backend gpu_hip = {count, open_device};
