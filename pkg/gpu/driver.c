//go:build cgo && (linux || darwin)

#define _GNU_SOURCE
#include "driver.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int gpu_fail(gpu_error *e, const char *call, int code, const char *format, ...)
{
	va_list a;
	e->code = code;
	snprintf(e->call, sizeof e->call, "%s", call);
	va_start(a, format);
	vsnprintf(e->text, sizeof e->text, format, a);
	va_end(a);
	return 1;
}

int gpu_add(gpu_error *e, const char *format, ...)
{
	size_t at = strlen(e->text);
	va_list a;
	va_start(a, format);
	vsnprintf(e->text + at, sizeof e->text - at, format, a);
	va_end(a);
	return 1;
}

void *gpu_library(const char *variable, const char *const *names, gpu_error *e)
{
	const char *given = getenv(variable);
	if (given && *given) {
		void *lib = dlopen(given, RTLD_NOW | RTLD_LOCAL);
		if (!lib) gpu_fail(e, "", 0, "%s: %s", variable, dlerror());
		return lib;
	}
	gpu_fail(e, "", 0, "");
	for (const char *semicolon = ""; *names; names++, semicolon = "; ") {
		void *lib = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
		if (lib) return lib;
		const char *why = dlerror();
		if (!strncmp(why, *names, strlen(*names)) && strstr(why, "No such file"))
			gpu_add(e, "%sno %s", semicolon, *names);
		else
			gpu_add(e, "%s%s", semicolon, why);
	}
	return NULL;
}

int gpu_count(const gpu_backend *b, int *n, gpu_error *e) { return b->count(n, e); }
int gpu_look(const gpu_backend *b, int index, gpu_info *i, gpu_error *e) { return b->look(index, i, e); }
int gpu_open(const gpu_backend *b, int index, gpu_device **d, gpu_error *e) { return b->open(index, d, e); }
int gpu_device_info(gpu_device *d, gpu_info *info, gpu_error *e) { return d->ops->info(d, info, e); }
int gpu_load(gpu_device *d, const void *image, size_t n, gpu_error *e) { return d->ops->load(d, image, n, e); }
int gpu_kernel(gpu_device *d, const char *name, void **k, int *resident, gpu_error *e) { return d->ops->kernel(d, name, k, resident, e); }
int gpu_launch(gpu_device *d, void *k, uint32_t blocks, const gpu_layout *l, const void *a, gpu_error *e) { return d->ops->launch(d, k, blocks, l, a, e); }
int gpu_alloc(gpu_device *d, size_t n, uint64_t *b, gpu_error *e) { return d->ops->alloc(d, n, b, e); }
void gpu_release(gpu_device *d, uint64_t b) { d->ops->release(d, b); }
int gpu_alloc_host(gpu_device *d, size_t n, void **m, gpu_error *e) { return d->ops->alloc_host(d, n, m, e); }
void gpu_release_host(gpu_device *d, void *m) { d->ops->release_host(d, m); }
int gpu_upload(gpu_device *d, uint64_t to, size_t at, const void *from, size_t n, int async, gpu_error *e) { return d->ops->upload(d, to, at, from, n, async, e); }
int gpu_download(gpu_device *d, void *to, uint64_t from, size_t at, size_t n, int async, gpu_error *e) { return d->ops->download(d, to, from, at, n, async, e); }
int gpu_copy(gpu_device *d, uint64_t to, uint64_t from, size_t n, gpu_error *e) { return d->ops->copy(d, to, from, n, e); }
int gpu_zero(gpu_device *d, uint64_t to, size_t n, gpu_error *e) { return d->ops->zero(d, to, n, e); }
int gpu_record(gpu_device *d, int event, gpu_error *e) { return d->ops->record(d, event, e); }
int gpu_wait(gpu_device *d, int event, gpu_error *e) { return d->ops->wait(d, event, e); }
int gpu_sync(gpu_device *d, gpu_error *e) { return d->ops->sync(d, e); }
void gpu_close(gpu_device *d) { d->ops->close(d); }
