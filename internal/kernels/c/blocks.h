// What kernels of slots of b x b blocks have in common.
#include "slots.h"

enum { MAX_BLOCK = 6 };

// columns returns element j, j < b, of four blocks of x, which begin at x[block[l] * times].
INLINE void columns(f64x4 v[], int b, const double *x, const u16 *block, int times) {
	const double *p0 = x + block[0] * times, *p1 = x + block[1] * times, *p2 = x + block[2] * times, *p3 = x + block[3] * times;
	int j = 0;
#pragma clang loop unroll(full)
	for (; j + 1 < b; j += 2) {
		f64x2 a0 = LOAD(f64x2, p0 + j), a1 = LOAD(f64x2, p1 + j), a2 = LOAD(f64x2, p2 + j), a3 = LOAD(f64x2, p3 + j);
		f64x4 even = __builtin_shufflevector(a0, a2, 0, 1, 2, 3), odd = __builtin_shufflevector(a1, a3, 0, 1, 2, 3);
		v[j] = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
		v[j + 1] = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
	}
	if (j < b) v[j] = (f64x4){p0[j], p1[j], p2[j], p3[j]};
}

// width_of is the bytes of eight values.
INLINE u64 width_of(u64 w, enum kind kind) { return kind == SINGLE ? 32 : w; }
