// Matrices in ELL, a row in each lane; see ELLMulVec. Two vectors of rows take turns, since an addition waits
// for the one before.
#include "simd.h"

#define ELL(type, sums, step, real, PRODUCT, NARROW) do { \
	for (; lo + 2 * step <= hi; lo += 2 * step) { \
		sums s0 = {}, s1 = {}; \
		for (i64 k = 0, at = lo; k < width; k++, at += stride) { \
			s0 += PRODUCT(at); \
			s1 += PRODUCT(at + step); \
		} \
		STORE(dst + lo, NARROW(s0)); \
		STORE(dst + lo + step, NARROW(s1)); \
	} \
	for (; lo < hi; lo++) { \
		real s = 0; \
		for (i64 k = 0, at = lo; k < width; k++, at += stride) s += (real)val[at] * (real)x[col[at]]; \
		dst[lo] = (type)s; \
	} \
} while (0)

#define SAME(v) v
#define DOUBLE(at) LOAD(f64v, val + (at)) * gather(x, LOAD(i32v, col + (at)))
#define SINGLE(at) LOAD(f32w, val + (at)) * gather32(x, LOAD(i32w, col + (at)))

KERNEL(ell, double dst[], i64 lo, i64 hi, i64 width, i64 stride, const i32 col[], const double val[], const double x[]) {
	ELL(double, f64v, WIDTH, double, DOUBLE, SAME);
}

KERNEL(ell32, float dst[], i64 lo, i64 hi, i64 width, i64 stride, const i32 col[], const float val[], const float x[]) {
	ELL(float, f32w, 2 * WIDTH, float, SINGLE, SAME);
}

#define MIXED(at) WIDE(LOAD(f32v, val + (at))) * WIDE(gather_half(x, LOAD(i32v, col + (at))))
#define WIDE(v) __builtin_convertvector(v, f64v)
#define HALF(v) __builtin_convertvector(v, f32v)

INLINE f32v gather_half(const float *x, i32v index) {
#if WIDTH == 8
	return _mm256_i32gather_ps(x, (__m256i)index, 4);
#else
	return (f32v){x[index[0]], x[index[1]], x[index[2]], x[index[3]]};
#endif
}

// ellMixed has exact products.
KERNEL(ellMixed, float dst[], i64 lo, i64 hi, i64 width, i64 stride, const i32 col[], const float val[], const float x[]) {
	ELL(float, f64v, WIDTH, double, MIXED, HALF);
}
