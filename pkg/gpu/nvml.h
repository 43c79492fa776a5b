// NVIDIA's management library, which knows the memory in use without a context.
#ifndef MPSOLVE_GPU_NVML_H
#define MPSOLVE_GPU_NVML_H

#include <stdint.h>

// nvml_unused is the memory that nobody uses of the GPU with a PCI address, in bytes; 0 if the
// library is not there or does not say.
uint64_t nvml_unused(const char *address);

#endif
