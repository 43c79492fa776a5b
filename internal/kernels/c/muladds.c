// Chains of multiply-adds with sums of 256 bytes; see MulAdds. A turn takes as many vectors as hide the latency of
// their multiply-adds, and prefetches 2 KB ahead.
#include "simd.h"

#ifdef __AVX2__
enum { SUMS = 32 / WIDTH, TURN = WIDTH == 8 ? 16 : 8, AHEAD = 2048 };
#else
enum { SUMS = 32 / WIDTH, TURN = 8, AHEAD = 2048 };
#endif

// CHAINS processes `count` vectors that GET(k) loads, of `step` numbers each, from x on.
#define CHAINS(type, count, step, GET) do { \
	type v[count]; \
	UNROLL for (int k = 0; k < count; k++) { \
		PREFETCH((const u8 *)(x + k * step) + AHEAD); \
		v[k] = GET(x + k * step); \
	} \
	_Pragma("clang loop unroll(disable)") for (i64 t = 1; t < times; t++) { \
		UNROLL for (int k = 0; k < count; k++) v[k] = fma(a, v[k], b); \
	} \
	UNROLL for (int k = 0; k < count; k++) sum[k % SUMS] = fma(a, v[k], sum[k % SUMS]); \
	x += count * step; \
	x_len -= count * step; \
} while (0)

#define MULADDS(type, step, GET) do { \
	type sum[SUMS]; \
	__builtin_memcpy(sum, s, sizeof sum); \
	while (TURN > SUMS && x_len >= TURN * step) CHAINS(type, TURN, step, GET); \
	while (x_len > 0) CHAINS(type, SUMS, step, GET); \
	__builtin_memcpy(s, sum, sizeof sum); \
} while (0)

#define DOUBLE(p) LOAD(f64v, p)
#define MIXED(p) __builtin_convertvector(LOAD(f32v, p), f64v)
#define SINGLE(p) LOAD(f32w, p)

KERNEL(mulAdds, double s[32], const double x[], i64 x_len, i64 times, double factor, double term) {
	f64v a = all(factor), b = all(term);
	MULADDS(f64v, WIDTH, DOUBLE);
}

KERNEL(mulAddsMixed, double s[32], const float x[], i64 x_len, i64 times, double factor, double term) {
	f64v a = all(factor), b = all(term);
	MULADDS(f64v, WIDTH, MIXED);
}

KERNEL(mulAdds32, float s[64], const float x[], i64 x_len, i64 times, float factor, float term) {
	f32w a = factor - (f32w){}, b = term - (f32w){};
	MULADDS(f32w, 2 * WIDTH, SINGLE);
}
