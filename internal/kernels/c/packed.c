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

INLINE void dot_floats2(const float *v0, const float *v1, const double *w, i64 n, double *h) {
	f64v s0[PARTS] = {}, s1[PARTS] = {};
	EACH_GROUP(n) {
		FETCH(v0);
		FETCH(v1);
		EACH_PART {
			s0[k] += WIDE(f32v, v0) * AT(w);
			s1[k] += WIDE(f32v, v1) * AT(w);
		}
	}
	h[0] = total(s0);
	h[1] = total(s1);
}

// dotFloats4 stores the products of w with four vectors.
KERNEL(dotFloats4, const float v0[], const float v1[], const float v2[], const float v3[], const double w[], i64 w_len, double h[4]) {
	dot_floats2(v0, v1, w, w_len, h);
	dot_floats2(v2, v3, w, w_len, h + 2);
}

// axpyFloats4 adds a0 v0 to w, then a1 v1, and so on.
KERNEL(axpyFloats4, double a0, double a1, double a2, double a3,
	const float v0[], const float v1[], const float v2[], const float v3[], double w[], i64 w_len) {
	EACH_GROUP(w_len) {
		FETCH(v0);
		FETCH(v1);
		FETCH(v2);
		FETCH(v3);
		EACH_PART PUT(w, (((AT(w) + all(a0) * WIDE(f32v, v0)) + all(a1) * WIDE(f32v, v1)) + all(a2) * WIDE(f32v, v2)) + all(a3) * WIDE(f32v, v3));
	}
}

KERNEL_F64(dotShorts, const i16 v[], const double w[], i64 v_len) { DOT(i16v); }

KERNEL(axpyFloats, double a, const float v[], double w[], i64 v_len) { AXPY(f32v); }

KERNEL(axpyShorts, double a, const i16 v[], double w[], i64 v_len) { AXPY(i16v); }
