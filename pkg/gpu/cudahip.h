// What CUDA's driver API and HIP have in common, which is all that is needed of them: the
// same functions by other names. cuda.c and hip.c each have the names, and what differs.
#ifndef MPSOLVE_GPU_CUDAHIP_H
#define MPSOLVE_GPU_CUDAHIP_H

#include "driver.h"

// The functions: all return an error code, 0 for success. Addresses on the device are
// uint64_t, which HIP has as void *.
#define ENTRY_POINTS(X)                                                                      \
	X(init, (unsigned flags))                                                            \
	X(count, (int *devices))                                                             \
	X(device, (int *device, int index))                                                  \
	X(device_name, (char *name, int bytes, int device))                                  \
	X(device_memory, (size_t *bytes, int device))                                        \
	X(attribute, (int *value, int attribute, int device))                                \
	X(free_memory, (size_t *free, size_t *all))                                          \
	X(retain, (void **context, int device))                                              \
	X(release, (int device))                                                             \
	X(set_context, (void *context))                                                      \
	X(set_device, (int device))                                                          \
	X(stream_create, (void **stream, unsigned flags))                                    \
	X(stream_wait, (void *stream))                                                       \
	X(stream_destroy, (void *stream))                                                    \
	X(event_create, (void **event, unsigned flags))                                      \
	X(event_record, (void *event, void *stream))                                         \
	X(event_wait, (void *event))                                                         \
	X(event_destroy, (void *event))                                                      \
	X(module_load, (void **module, const void *image, unsigned n, int *options, void **values)) \
	X(module_function, (void **function, void *module, const char *name))                \
	X(occupancy, (int *blocks, void *function, int threads, size_t shared))              \
	X(module_unload, (void *module))                                                     \
	X(launch, (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,        \
	           unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,    \
	           void *stream, void **arguments, void **extra))                            \
	X(alloc, (uint64_t *address, size_t bytes))                                          \
	X(free, (uint64_t address))                                                          \
	X(alloc_host, (void **memory, size_t bytes, unsigned flags))                         \
	X(free_host, (void *memory))                                                         \
	X(upload, (uint64_t to, const void *from, size_t bytes, void *stream))               \
	X(download, (void *to, uint64_t from, size_t bytes, void *stream))                   \
	X(copy, (uint64_t to, uint64_t from, size_t bytes, void *stream))                    \
	X(fill, (uint64_t to, unsigned char value, size_t bytes, void *stream))

// Names of them, NULL for those that the library does without.
typedef struct {
#define NAME(f, arguments) const char *f;
	ENTRY_POINTS(NAME)
#undef NAME
} entry_names;

typedef struct {
#define POINTER(f, arguments) int(*f) arguments;
	ENTRY_POINTS(POINTER)
#undef POINTER
} entry_points;

// A library, and what is special about it.
typedef struct {
	const char *variable;      // of the environment, names another file
	const char *const *files;  // to look for
	entry_names names, before; // before: of older versions, where they are others
	int units, integrated;     // numbers of attributes
	int memory_clock, memory_width; // the same: of the memory, in kHz, and bits; two transfers a cycle
	// architecture fills in i->architecture and i->old.
	int (*architecture)(int device, gpu_info *i, gpu_error *e);
	// unused is the memory of a device that nobody uses, in bytes, asked without a context;
	// 0 if nobody says.
	uint64_t (*unused)(int device);
	// words finds the library's name and description of an error code.
	void (*words)(int code, const char **name, const char **text);

	void *handle; // NULL until it has been opened
	entry_points call;
} library;

// What gpu_backend asks for.
int library_count(library *, int *devices, gpu_error *);
int library_open(library *, int index, gpu_device **, gpu_error *);
int library_look(const library *, int index, gpu_info *, gpu_error *);

// library_check returns 0 if code is 0, and otherwise writes the error of the function.
int library_check(const library *, const char *function, int code, gpu_error *);

#define LIBRARY_CALL(lib, f, ...) library_check(lib, (lib)->names.f, (lib)->call.f(__VA_ARGS__), e)

#endif
