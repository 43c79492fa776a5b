//go:build cgo && (linux || darwin)

// HIP, the numbers of attributes being those of ROCm 5 and later.
#include "cudahip.h"

#include <ctype.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int architecture(int device, gpu_info *i, gpu_error *e);
static uint64_t unused(int device);
static void words(int code, const char **name, const char **text);

// hipInit is left out: other functions do the same, and where there is no device it fails
// with hipErrorInvalidDevice instead of hipErrorNoDevice.
static library hip = {
	.variable = "MPSOLVE_LIBHIP",
	.files = (const char *const[]){"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", NULL},
	.names = {
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
	.unused = unused,
	.words = words,
};

// The architecture, such as gfx90a:sramecc+:xnack-, stands only in hipDeviceProp_t,
// gcnArchName[256], whose place differs between versions; name[256] comes first in all.
// It stays empty if it is not found, and the library decides what fits the device.
static int architecture(int device, gpu_info *i, gpu_error *e)
{
	enum { AFTER_NAME = 256, MOST = 4096 };
	int (*properties)(char *, int);
	char p[MOST + 256] = "";
	*(void **)&properties = dlsym(hip.handle, "hipGetDevicePropertiesR0600");
	if (!properties) *(void **)&properties = dlsym(hip.handle, "hipGetDeviceProperties"); // before ROCm 6
	if (!properties) return 0;
	if (library_check(&hip, "hipGetDeviceProperties", properties(p, device), e)) return 1;
	for (int at = AFTER_NAME; at < MOST; at++)
		if (!memcmp(p + at, "gfx", 3)) return memcpy(i->architecture, p + at, sizeof i->architecture - 1), 0;
	return 0;
}

// number reads a file of the device whose PCI address is given.
static int number(const char *address, const char *file, uint64_t *n)
{
	char path[128];
	snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", address, file);
	FILE *f = fopen(path, "r");
	if (!f) return 1;
	int found = fscanf(f, "%" SCNu64, n);
	fclose(f);
	return found != 1;
}

static uint64_t unused(int device)
{
	int (*bus_id)(char *, int, int);
	char id[32];
	uint64_t all = 0, used = 0;
	*(void **)&bus_id = dlsym(hip.handle, "hipDeviceGetPCIBusId");
	if (!bus_id || bus_id(id, sizeof id, device)) return 0;
	for (char *c = id; *c; c++) *c = (char)tolower((unsigned char)*c);
	if (number(id, "mem_info_vram_total", &all) || number(id, "mem_info_vram_used", &used)) return 0;
	return all > used ? all - used : 0;
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
static int look(int index, gpu_info *i, gpu_error *e) { return library_look(&hip, index, i, e); }
static int open_device(int index, gpu_device **d, gpu_error *e) { return library_open(&hip, index, d, e); }

const gpu_backend gpu_hip = {count, look, open_device};
