// Inner products of float32 vectors; see dot32Kernel. They prefetch 2 KB ahead, since conversions leave the processor
// too few loads in flight.
#include "simd.h"

enum { ACCUMULATORS = 32, PARTS = ACCUMULATORS / WIDTH, AHEAD = 512 };

#define EACH_GROUP for (i64 i = 0; i < x_len; i += ACCUMULATORS)
#define FETCH(x) UNROLL for (int k = 0; k < ACCUMULATORS; k += 16) PREFETCH((x) + i + AHEAD + k)

KERNEL(dot32, float s[32], const float x[], const float y[], i64 x_len) {
	f32w t[PARTS / 2];
	__builtin_memcpy(t, s, sizeof t);
	EACH_GROUP {
		FETCH(x);
		FETCH(y);
		UNROLL for (int k = 0; k < PARTS / 2; k++) t[k] += LOAD(f32w, x + i + 2 * WIDTH * k) * LOAD(f32w, y + i + 2 * WIDTH * k);
	}
	__builtin_memcpy(s, t, sizeof t);
}

INLINE f64v wide(const float *x) { return __builtin_convertvector(LOAD(f32v, x), f64v); }

// dotMixed has exact products.
KERNEL(dotMixed, double s[32], const float x[], const float y[], i64 x_len) {
	f64v t[PARTS];
	__builtin_memcpy(t, s, sizeof t);
	EACH_GROUP {
		FETCH(x);
		FETCH(y);
		UNROLL for (int k = 0; k < PARTS; k++) t[k] = fma(wide(x + i + WIDTH * k), wide(y + i + WIDTH * k), t[k]);
	}
	__builtin_memcpy(s, t, sizeof t);
}
