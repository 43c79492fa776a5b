// A HIP library for tests of what is said where there is no device: all its functions
// succeed and do nothing, but those that the variable FAKEHIP names with the code that they
// return, such as "hipMalloc=2". It has one device, unless "devices=0" is there as well.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// said is the number that FAKEHIP has for a name, or another one.
static int said(const char *name, int otherwise)
{
	const char *set = getenv("FAKEHIP"), *at = set ? strstr(set, name) : NULL;
	return at ? atoi(at + strlen(name) + 1) : otherwise;
}

#define DOES(f, arguments, what) \
	int f arguments { what; return said(#f, 0); }
#define NOTHING(f) DOES(f, (void), (void)0)

DOES(hipGetDeviceCount, (int *n), *n = said("devices", 1))
DOES(hipDeviceGet, (int *device, int index), *device = index)
DOES(hipDeviceGetName, (char *name, int bytes, int device), snprintf(name, bytes, "Fake %d", device))
DOES(hipDeviceTotalMem, (size_t *bytes, int device), *bytes = 1 << 30; (void)device)
DOES(hipDeviceGetAttribute, (int *value, int attribute, int device), *value = attribute + device)
DOES(hipMemGetInfo, (size_t *left, size_t *all), *left = *all = 1 << 30)
// The architecture is gfx90a, with a revision, or what FAKEHIP says.
DOES(hipGetDevicePropertiesR0600, (char *properties, int device),
     const char *at = strstr(getenv("FAKEHIP"), "gfx"); strcpy(properties + 1160, at ? at : "gfx90a:sramecc+:xnack-"); (void)device)
NOTHING(hipSetDevice)
NOTHING(hipStreamCreateWithFlags)
NOTHING(hipStreamSynchronize)
NOTHING(hipStreamDestroy)
NOTHING(hipEventCreateWithFlags)
NOTHING(hipEventRecord)
NOTHING(hipEventSynchronize)
NOTHING(hipEventDestroy)
NOTHING(hipModuleLoadDataEx)
NOTHING(hipModuleGetFunction)
NOTHING(hipModuleUnload)
NOTHING(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor)
NOTHING(hipModuleLaunchKernel)
NOTHING(hipMalloc)
NOTHING(hipFree)
NOTHING(hipHostMalloc)
NOTHING(hipHostFree)
NOTHING(hipMemcpyHtoDAsync)
NOTHING(hipMemcpyDtoHAsync)
NOTHING(hipMemcpyDtoDAsync)
NOTHING(hipMemsetD8Async)

const char *hipGetErrorName(int code) { return code == 100 ? "hipErrorNoDevice" : code == 209 ? "hipErrorNoBinaryForGpu" : code == 35 ? "hipErrorInsufficientDriver" : "hipError"; }
const char *hipGetErrorString(int code) { return code == 35 ? "hipErrorInsufficientDriver" : "words of the library"; } // the name, before ROCm 6
