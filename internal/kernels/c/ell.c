// Matrices in ELL; see ELLMulVec. Column after column is added to the sums of some rows, which stay in the cache, so
// that memory is read in long pieces. Elements of x are loaded one by one: gathers are slower on Zen 5.
#include "simd.h"

#if WIDTH == 4
// The rows that are read of a column before the next one.
enum { ROWS = 4096, FEW = 192 };

#define AHEAD 512 // bytes to prefetch ahead

// Rows lo to hi-1, some at a time: `type` is the stored type and `real` the type of the sums.
#define EACH_BLOCK(rows) for (i64 end; end = lo + (rows) < hi ? lo + (rows) : hi, lo < hi; lo = end)

#define X4(at) {x[col[at]], x[col[(at) + 1]], x[col[(at) + 2]], x[col[(at) + 3]]}
#define X8(at) {x[col[at]], x[col[(at) + 1]], x[col[(at) + 2]], x[col[(at) + 3]], \
	x[col[(at) + 4]], x[col[(at) + 5]], x[col[(at) + 6]], x[col[(at) + 7]]}

KERNEL(ell, double dst[], i64 lo, i64 hi, i64 width, i64 stride, const i32 col[], const double val[], const double x[]) {
	EACH_BLOCK(ROWS) {
		for (i64 i = lo; i < end; i++) dst[i] = 0;
		for (i64 k = 0; k < width; k++) {
			i64 i = lo, at = k * stride + lo;
			for (; i + 4 <= end; i += 4, at += 4) {
				PREFETCH((const char *)(val + at) + 2 * AHEAD);
				PREFETCH((const char *)(col + at) + AHEAD);
				STORE(dst + i, LOAD(f64x4, dst + i) + LOAD(f64x4, val + at) * (f64x4)X4(at));
			}
			for (; i < end; i++, at++) dst[i] += val[at] * x[col[at]];
		}
	}
}

KERNEL(ell32, float dst[], i64 lo, i64 hi, i64 width, i64 stride, const i32 col[], const float val[], const float x[]) {
	EACH_BLOCK(ROWS) {
		for (i64 i = lo; i < end; i++) dst[i] = 0;
		for (i64 k = 0; k < width; k++) {
			i64 i = lo, at = k * stride + lo;
			for (; i + 8 <= end; i += 8, at += 8) {
				PREFETCH((const char *)(val + at) + AHEAD);
				PREFETCH((const char *)(col + at) + AHEAD);
				STORE(dst + i, LOAD(f32w, dst + i) + LOAD(f32w, val + at) * (f32w)X8(at));
			}
			for (; i < end; i++, at++) dst[i] += val[at] * x[col[at]];
		}
	}
}

// ellMixed has exact products.
KERNEL(ellMixed, float dst[], i64 lo, i64 hi, i64 width, i64 stride, const i32 col[], const float val[], const float x[]) {
	EACH_BLOCK(FEW) {
		double s[FEW];
		i64 n = end - lo;
		for (i64 i = 0; i < n; i++) s[i] = 0;
		for (i64 k = 0; k < width; k++) {
			i64 i = 0, at = k * stride + lo;
			for (; i + 4 <= n; i += 4, at += 4) {
				PREFETCH((const char *)(val + at) + AHEAD);
				PREFETCH((const char *)(col + at) + AHEAD);
				f32x4 v = LOAD(f32x4, val + at), w = X4(at);
				STORE(s + i, LOAD(f64x4, s + i) + __builtin_convertvector(v, f64x4) * __builtin_convertvector(w, f64x4));
			}
			for (; i < n; i++, at++) s[i] += (double)val[at] * (double)x[col[at]];
		}
		for (i64 i = 0; i < n; i++) dst[lo + i] = (float)s[i];
	}
}
#endif
