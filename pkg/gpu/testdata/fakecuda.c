// A CUDA driver on the host, for tests: the functions that cuda.c calls, on memory of the
// host, running the kernels compiled for it. It checks what it is given, counts what is
// alive, and fails when it is told to, through a file that FAKECUDA_CONTROL names and that
// it shares with the test, or, without such a file, by the variable FAKECUDA, such as
// "devices=2 fail_launch=1".
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../source/kernels.c"

#include "../emulate_gen.h"

// The file: what to do, what there is. The test has the same, in the same order.
enum {
	INIT_CODE,     // what cuInit returns
	DEVICES,       // how many there are
	MAJOR,         // of the compute capability
	FREE,          // bytes of memory
	FAIL_CALL,     // the call of this number, counting from 1, fails, and all from then on
	FAIL_CODE,     // with this code
	FAIL_ALLOC,    // the allocation of this number, on the device or pinned, is out of memory
	FAIL_JIT,      // modules do not compile
	FAIL_LAUNCH,   // launches fail
	LATE,          // what is launched or copied is not done before somebody waits for it
	ROOMY,         // the device of this number, counting from 1, has twice as much free memory
	SETTINGS,      // are those above
	CALLS = SETTINGS, ALLOCS, // made so far
	MEMORY, PINNED, CONTEXTS, MODULES, STREAMS, EVENTS, // alive
	MISTAKES,      // of the caller
	WORDS
};
static const char *const settings[SETTINGS] = {
	"init_code", "devices", "major", "free", "fail_call", "fail_code", "fail_alloc", "fail_jit", "fail_launch", "late", "roomy",
};

static int64_t *c;
static __thread void *current;
static int context, stream;
typedef struct block {
	struct block *next;
	uint64_t bytes, padding[2];
} block;
static block *blocks;
static char *ptx;

typedef struct {
	const entry *run;
	char types[48]; // of the arguments in the PTX, p for 8 bytes of address
	int known;      // of a module before, which is the same PTX
} function;
static function functions[sizeof entries / sizeof *entries];

// mistake notes what a caller must not do.
static int mistake(const char *what)
{
	fprintf(stderr, "fakecuda: %s\n", what);
	c[MISTAKES]++;
	return 1;
}

// A call; with a context unless it is one of those that need none.
#define BARE                                                             \
	if (++c[CALLS] >= c[FAIL_CALL] && c[FAIL_CALL]) return (int)c[FAIL_CODE]
#define CALL                                                             \
	if (current != &context || !c[CONTEXTS]) return mistake("no current context"), 201; \
	BARE

// by_variable sets what FAKECUDA says.
static void by_variable(void)
{
	const char *set = getenv("FAKECUDA");
	c[DEVICES] = 1, c[MAJOR] = 8, c[FREE] = 1 << 30;
	for (int k = 0; set && k < SETTINGS; k++) {
		const char *at = strstr(set, settings[k]);
		if (at) c[k] = atoll(at + strlen(settings[k]) + 1);
	}
}

int cuInit(unsigned flags)
{
	const char *file = getenv("FAKECUDA_CONTROL");
	if (!c && file) {
		c = mmap(NULL, WORDS * sizeof *c, PROT_READ | PROT_WRITE, MAP_SHARED, open(file, O_RDWR), 0);
	} else if (!c) {
		c = calloc(WORDS, sizeof *c);
		by_variable();
	}
	return flags ? 1 : (int)c[INIT_CODE];
}
int cuDeviceGetCount(int *n) { return *n = (int)c[DEVICES], 0; }
int cuDeviceGet(int *d, int i) { BARE; return *d = i, i < c[DEVICES] ? 0 : 101; }
int cuDeviceGetName(char *s, int n, int d) { BARE; return snprintf(s, n, "Fake %d", d), 0; }
int cuDeviceTotalMem_v2(size_t *n, int d) { BARE; return *n = 1 << 30, 0; }
int cuDeviceGetAttribute(int *v, int a, int d) { BARE; return *v = a == 75 ? (int)c[MAJOR] : a == 16 ? 2 : 0, 0; }
int cuMemGetInfo_v2(size_t *left, size_t *all) { CALL; return *left = c[FREE], *all = 1 << 30, 0; }
int cuDevicePrimaryCtxRetain(void **x, int d) { BARE; return c[CONTEXTS]++, *x = &context, 0; }
int cuDevicePrimaryCtxRelease_v2(int d)
{
	if (!--c[CONTEXTS] && (c[MEMORY] || c[PINNED] || c[MODULES] || c[STREAMS] || c[EVENTS])) return mistake("something is left alive");
	return c[CONTEXTS] < 0 ? mistake("context released twice") : 0;
}
int cuDeviceGetPCIBusId(char *s, int n, int d) { return snprintf(s, n, "0000:%02d:00.0", d), 0; }
int cuCtxSetCurrent(void *x) { return current = x, 0; }

int cuGetErrorName(int code, const char **s)
{
	return *s = code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : code == 100 ? "CUDA_ERROR_NO_DEVICE" : code == 218 ? "CUDA_ERROR_INVALID_PTX" :
		code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : code == 719 ? "CUDA_ERROR_LAUNCH_FAILED" :
		code == 803 ? "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" : code == 999 ? "CUDA_ERROR_UNKNOWN" : "CUDA_ERROR", 0;
}
int cuGetErrorString(int code, const char **s) { return *s = "words of the driver", 0; }

// NVML, which knows devices by their address.
int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char *s, void **d) { return *d = (void *)(intptr_t)atoi(s + 5), strlen(s) != 12; }
int nvmlDeviceGetMemoryInfo(void *d, uint64_t *total_free_used)
{
	return total_free_used[1] = c[FREE] * ((intptr_t)d + 1 == c[ROOMY] ? 2 : 1), c[FREE] == 0;
}

// The stream: what is to be done, in its order.
typedef struct work {
	struct work *next;
	enum { COPY, FILL, LAUNCH, RELEASE } what;
	void *to;
	const void *from;
	size_t n; // bytes, or blocks
	unsigned char value;
	const entry *run;
	const void *args[64];
	char data[1024]; // of the arguments
} work;
static work *first, **end = &first;
static int64_t queued, done;

static void act(const work *w)
{
	switch (w->what) {
	case COPY: memcpy(w->to, w->from, w->n); break;
	case FILL: memset(w->to, w->value, w->n); break;
	case LAUNCH: for (uint32_t b = 0; b < w->n; b++) w->run->run(b, (uint32_t)w->n, w->args); break;
	case RELEASE: free(w->to);
	}
}

// until does what was queued as number `last` and everything before.
static int until(int64_t last)
{
	for (work *w; done < last; done++, free(w)) {
		act(w = first);
		if (!(first = w->next)) end = &first;
	}
	return 0;
}

// queue does w now or later; w has the arguments of a launch in data.
static int queue(const work *w)
{
	work *own = malloc(sizeof *w);
	*own = *w, own->next = NULL;
	for (uint32_t k = 0; w->what == LAUNCH && k < w->run->count; k++) own->args[k] = own->data + ((char *)w->args[k] - w->data);
	*end = own, end = &own->next;
	queued++;
	return c[LATE] ? 0 : until(queued);
}

int cuStreamCreate(void **s, unsigned flags) { CALL; return c[STREAMS]++, *s = &stream, flags == 1 ? 0 : mistake("a stream that waits"); }
int cuStreamSynchronize(void *s) { CALL; return s == &stream ? until(queued) : mistake("not the stream"); }
int cuStreamDestroy_v2(void *s) { return c[STREAMS]--, 0; }
int cuEventCreate(void **e, unsigned flags) { CALL; return c[EVENTS]++, *e = calloc(1, sizeof queued), 0; }
int cuEventRecord(void *e, void *s) { CALL; return *(int64_t *)e = queued, s == &stream ? 0 : mistake("not the stream"); }
int cuEventSynchronize(void *e) { CALL; return until(*(int64_t *)e); }
int cuEventDestroy_v2(void *e) { return c[EVENTS]--, free(e), 0; }

// Modules are PTX; the log buffer is for the compiler's words.
int cuModuleLoadDataEx(void **m, const void *image, unsigned n, int *options, void **values)
{
	CALL;
	if (c[FAIL_JIT]) {
		for (unsigned i = 0; i < n; i++)
			if (options[i] == 5) strcpy(values[i], "line 7: words of the compiler");
		return 218;
	}
	c[MODULES]++;
	return *m = ptx = strdup(image), 0;
}
int cuModuleUnload(void *m) { return c[MODULES]--, free(m), 0; }

// parameters reads the types of the arguments from the PTX and holds them against the table.
static int parameters(function *f)
{
	if (f->known) return 0;
	char head[128];
	snprintf(head, sizeof head, ".entry %s(", f->run->name);
	const char *p = strstr(ptx, head);
	uint32_t k = 0;
	if (!p) return strstr(ptx, ".entry") ? 500 : 0; // an image without kernels says nothing
	const char *end = strchr(p, ')'), *block = strstr(end, ".maxntid 256");
	if (!block || block > strchr(end, '{')) return mistake("blocks are not of 256 threads");
	while ((p = strstr(p, ".param ")) && p < end) {
		int align, bytes = 0;
		char kind = 0, text[128];
		p += 7;
		if (sscanf(p, ".align %d .b8 %127[^[][%d]", &align, text, &bytes) != 3) sscanf(p, ".%c%d", &kind, &bytes), bytes /= 8;
		if (k >= f->run->count || bytes != f->run->size[k]) return mistake(f->run->name);
		f->types[k++] = kind == 'u' && bytes == 8 ? 'p' : kind ? kind : 'b';
	}
	f->known = k == f->run->count;
	return f->known ? 0 : mistake(f->run->name);
}

int cuModuleGetFunction(void **f, void *m, const char *name)
{
	CALL;
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
		if (!strcmp(entries[i].name, name)) {
			functions[i].run = &entries[i];
			*f = &functions[i];
			return parameters(&functions[i]);
		}
	return 500;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *f, int threads, size_t shared)
{
	CALL;
	if (threads != THREADS || shared) return mistake("shape of a launch");
	return *blocks = f ? 3 : 0, 0;
}

// inside tells whether n bytes from an address on are of one allocation.
static int inside(uint64_t at, size_t n)
{
	for (block *b = blocks; b; b = b->next)
		if (at >= (uint64_t)(b + 1) && at + n <= (uint64_t)(b + 1) + b->bytes) return 1;
	return 0;
}

int cuLaunchKernel(function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, void *s, void **args, void **extra)
{
	CALL;
	if (c[FAIL_LAUNCH]) return 719;
	if (!gx || gy != 1 || gz != 1 || bx != THREADS || by != 1 || bz != 1 || shared || s != &stream || extra) return mistake("shape of a launch");
	uint32_t n = 0;
	while (args[n]) n++; // cuda.c ends them so, for this
	if (n != f->run->count || gx > *(uint32_t *)args[0]) return mistake("arguments of a launch");
	work w = {.what = LAUNCH, .n = gx, .run = f->run};
	size_t at = 0;
	for (uint32_t k = 0; k < n; k++) {
		uint64_t p = 0;
		w.args[k] = memcpy(w.data + at, args[k], f->run->size[k]);
		at += (f->run->size[k] + 7) / 8 * 8;
		if (f->types[k] != 'p') continue;
		memcpy(&p, args[k], 8);
		if (p && !inside(p, 1)) return mistake("an argument is no address on the device");
	}
	return queue(&w);
}

int cuMemAlloc_v2(uint64_t *p, size_t n)
{
	CALL;
	if (++c[ALLOCS] == c[FAIL_ALLOC]) return 2;
	block *b = malloc(sizeof *b + n);
	if (!b) return 2;
	memset(b + 1, 0xff, n); // NaN
	b->bytes = n, b->next = blocks, blocks = b;
	return c[MEMORY]++, *p = (uint64_t)(b + 1), 0;
}
int cuMemFree_v2(uint64_t p)
{
	for (block **b = &blocks; *b; b = &(*b)->next)
		if ((uint64_t)(*b + 1) == p) {
			block *gone = *b;
			*b = gone->next;
			return c[MEMORY]--, queue(&(work){.what = RELEASE, .to = gone});
		}
	return mistake("memory released twice");
}
int cuMemHostAlloc(void **p, size_t n, unsigned flags)
{
	CALL;
	if (++c[ALLOCS] == c[FAIL_ALLOC]) return 2;
	return c[PINNED]++, *p = malloc(n), 0;
}
int cuMemFreeHost(void *p)
{
	if (done < queued) return mistake("pinned memory is released while copies may use it");
	return c[PINNED]--, free(p), 0;
}

#define INSIDE(p, n, s) if (!inside(p, n) || s != &stream) return mistake("a copy outside of memory")
static int move(void *to, const void *from, size_t n) { return queue(&(work){.what = COPY, .to = to, .from = from, .n = n}); }
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t n, void *s) { CALL; INSIDE(to, n, s); return move((void *)to, from, n); }
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t n, void *s) { CALL; INSIDE(from, n, s); return move(to, (void *)from, n); }
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t n, void *s) { CALL; INSIDE(to, n, s); INSIDE(from, n, s); return move((void *)to, (void *)from, n); }
int cuMemsetD8Async(uint64_t to, unsigned char v, size_t n, void *s) { CALL; INSIDE(to, n, s); return queue(&(work){.what = FILL, .to = (void *)to, .value = v, .n = n}); }
