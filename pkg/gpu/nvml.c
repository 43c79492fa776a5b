//go:build cgo && (linux || darwin)

#include "nvml.h"

#include "driver.h"

#include <dlfcn.h>

typedef struct {
	uint64_t total, free, used;
} memory;

uint64_t nvml_unused(const char *address)
{
	static const char *const names[] = {"libnvidia-ml.so.1", NULL};
	int (*init)(void), (*stop)(void), (*by_address)(const char *, void **), (*info)(void *, memory *);
	gpu_error ignored;
	memory m = {0, 0, 0};
	void *device, *lib = gpu_library("MPSOLVE_LIBNVML", names, &ignored);
	if (!lib) return 0;
	*(void **)&init = dlsym(lib, "nvmlInit_v2");
	*(void **)&stop = dlsym(lib, "nvmlShutdown");
	*(void **)&by_address = dlsym(lib, "nvmlDeviceGetHandleByPciBusId_v2");
	*(void **)&info = dlsym(lib, "nvmlDeviceGetMemoryInfo");
	if (init && stop && by_address && info && !init()) {
		if (by_address(address, &device) || info(device, &m)) m.free = 0;
		stop();
	}
	dlclose(lib);
	return m.free;
}
