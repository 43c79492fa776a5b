// What a back end does for one device, the same for all back ends: cuda.c, hip.c,
// opencl.c and emulate.c fill in a gpu_operations each, driver.c calls through it.
//
// Functions return 0, or a failure that e describes. A device is used by one thread at
// a time, not always the same one.
#ifndef MPSOLVE_GPU_DRIVER_H
#define MPSOLVE_GPU_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
	int code;           // of the library
	char call[64];      // the function of the library that failed, "" if it could not be called
	char text[2048];    // the library's words
} gpu_error;

typedef struct {
	char name[256];
	char architecture[64]; // such as sm_90, gfx942
	uint64_t memory, free; // bytes; 0: not known
	int units;             // multiprocessors, compute units
	double bandwidth;      // of the memory by its clock and width, bytes a second; 0: not known
	int integrated;        // shares the memory of the host
	int host;              // is the host's processors
	int old;               // too old to run the kernels; architecture says what it is
} gpu_info;

// Where the arguments of a kernel lie, the first being the number of blocks: argument k is
// size[k] bytes from at[k] on.
enum { GPU_MOST_ARGUMENTS = 48 };
typedef struct {
	uint32_t count;
	uint16_t at[GPU_MOST_ARGUMENTS], size[GPU_MOST_ARGUMENTS];
} gpu_layout;

enum { GPU_EVENTS = 8 };

typedef struct gpu_device gpu_device;

typedef struct {
	int (*info)(gpu_device *, gpu_info *, gpu_error *);
	// load takes one image of the kernels: PTX that ends in NUL, a code object, OpenCL C.
	int (*load)(gpu_device *, const void *image, size_t bytes, gpu_error *);
	// kernel finds a kernel, and how many of its blocks the device has room for, 0 if nobody knows.
	int (*kernel)(gpu_device *, const char *name, void **kernel, int *resident, gpu_error *);
	int (*launch)(gpu_device *, void *kernel, uint32_t grid, const gpu_layout *, const void *arguments, gpu_error *);

	int (*alloc)(gpu_device *, size_t bytes, uint64_t *buffer, gpu_error *);
	void (*release)(gpu_device *, uint64_t buffer);
	// Memory of the host that copies run from and to while the host goes on.
	int (*alloc_host)(gpu_device *, size_t bytes, void **memory, gpu_error *);
	void (*release_host)(gpu_device *, void *memory);

	// Copies happen in the order of the launches. Unless async is set, the memory of the
	// host has been read or written on return; otherwise it is of alloc_host.
	int (*upload)(gpu_device *, uint64_t to, size_t at, const void *from, size_t bytes, int async, gpu_error *);
	int (*download)(gpu_device *, void *to, uint64_t from, size_t at, size_t bytes, int async, gpu_error *);
	int (*copy)(gpu_device *, uint64_t to, uint64_t from, size_t bytes, gpu_error *);
	int (*zero)(gpu_device *, uint64_t to, size_t bytes, gpu_error *);

	// record marks the place in the order, wait waits until the device has got there.
	int (*record)(gpu_device *, int event, gpu_error *);
	int (*wait)(gpu_device *, int event, gpu_error *);
	int (*sync)(gpu_device *, gpu_error *);
	void (*close)(gpu_device *);
} gpu_operations;

// A back end's device begins with this.
struct gpu_device {
	const gpu_operations *ops;
};

// Back ends: count says how many devices there are, opening the library; look describes
// one without opening it; open opens one, without kernels.
typedef struct {
	int (*count)(int *devices, gpu_error *);
	int (*look)(int index, gpu_info *, gpu_error *);
	int (*open)(int index, gpu_device **, gpu_error *);
} gpu_backend;

extern const gpu_backend gpu_cuda, gpu_hip, gpu_opencl, gpu_emulate;

// gpu_fail writes an error and returns 1.
int gpu_fail(gpu_error *e, const char *call, int code, const char *format, ...);

// gpu_add appends to the text of an error and returns 1.
int gpu_add(gpu_error *e, const char *format, ...);

// gpu_library opens the first of the libraries that there is, or the one that the
// environment variable names; NULL, and why, if none can be opened.
void *gpu_library(const char *variable, const char *const *names, gpu_error *e);

// What Go calls.
int gpu_count(const gpu_backend *, int *devices, gpu_error *);
int gpu_look(const gpu_backend *, int index, gpu_info *, gpu_error *);
int gpu_open(const gpu_backend *, int index, gpu_device **, gpu_error *);
int gpu_device_info(gpu_device *, gpu_info *, gpu_error *);
int gpu_load(gpu_device *, const void *image, size_t bytes, gpu_error *);
int gpu_kernel(gpu_device *, const char *name, void **kernel, int *resident, gpu_error *);
int gpu_launch(gpu_device *, void *kernel, uint32_t grid, const gpu_layout *, const void *arguments, gpu_error *);
int gpu_alloc(gpu_device *, size_t bytes, uint64_t *buffer, gpu_error *);
void gpu_release(gpu_device *, uint64_t buffer);
int gpu_alloc_host(gpu_device *, size_t bytes, void **memory, gpu_error *);
void gpu_release_host(gpu_device *, void *memory);
int gpu_upload(gpu_device *, uint64_t to, size_t at, const void *from, size_t bytes, int async, gpu_error *);
int gpu_download(gpu_device *, void *to, uint64_t from, size_t at, size_t bytes, int async, gpu_error *);
int gpu_copy(gpu_device *, uint64_t to, uint64_t from, size_t bytes, gpu_error *);
int gpu_zero(gpu_device *, uint64_t to, size_t bytes, gpu_error *);
int gpu_record(gpu_device *, int event, gpu_error *);
int gpu_wait(gpu_device *, int event, gpu_error *);
int gpu_sync(gpu_device *, gpu_error *);
void gpu_close(gpu_device *);

#endif
