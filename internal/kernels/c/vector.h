// Common parts of the kernels of vectors: groups of sixteen elements, and sums in sixteen accumulators.
#include "simd.h"

enum { GROUP = 16, PARTS = GROUP / WIDTH };

#define EACH_PART UNROLL for (int k = 0; k < PARTS; k++)
#define EACH_GROUP(n) for (i64 i = 0; i < n; i += GROUP)
#define AT(x) LOAD(f64v, (x) + i + WIDTH * k)
#define PUT(x, v) STORE((x) + i + WIDTH * k, v)

// total returns the sum of sixteen accumulators, by halves.
INLINE double total(f64v s[PARTS]) {
	UNROLL for (int half = PARTS / 2; half > 0; half /= 2) {
		UNROLL for (int k = 0; k < half; k++) s[k] += s[k + half];
	}
	return sum(s[0]);
}
