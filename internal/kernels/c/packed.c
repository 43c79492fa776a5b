// Vectors of float32 or 16-bit integers combined with vectors of float64; see packedKernels. They prefetch, since
// conversions leave the processor too few loads in flight.
#include "vector.h"

typedef i16 i16v __attribute__((vector_size(2 * WIDTH)));

enum { AHEAD = 2048 };

#define WIDE(type, x) __builtin_convertvector(LOAD(type, (x) + i + WIDTH * k), f64v)
#define FETCH(x) PREFETCH((const u8 *)((x) + i) + AHEAD)

#define DOT(type) do { \
	f64v s[PARTS] = {}; \
	EACH_GROUP(v_len) { \
		FETCH(v); \
		EACH_PART s[k] += WIDE(type, v) * AT(w); \
	} \
	return total(s); \
} while (0)

#define AXPY(type) do { \
	EACH_GROUP(v_len) { \
		FETCH(v); \
		EACH_PART PUT(w, AT(w) + all(a) * WIDE(type, v)); \
	} \
} while (0)

KERNEL_F64(dotFloats, const float v[], const double w[], i64 v_len) { DOT(f32v); }

KERNEL_F64(dotShorts, const i16 v[], const double w[], i64 v_len) { DOT(i16v); }

KERNEL(axpyFloats, double a, const float v[], double w[], i64 v_len) { AXPY(f32v); }

KERNEL(axpyShorts, double a, const i16 v[], double w[], i64 v_len) { AXPY(i16v); }
