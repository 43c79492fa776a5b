// Common parts of the kernels for slots of b x b blocks.
#include "slots.h"

// Blocks of up to IN_REGISTERS rows are multiplied without loops, with their sums in registers.
enum { MAX_BLOCK = 6, IN_REGISTERS = WIDTH == 8 ? 6 : 3 };


#if WIDTH == 8
struct masks { __mmask8 k, m, k2, m2; };
INLINE struct masks masks_of(int b) {
	const int n = b < 5 ? b : 3;
	__mmask8 k = (__mmask8)((1 << n) - 1), m = (__mmask8)(k << 4), k2 = 3, m2 = 0x30;
	__asm__ volatile("" : "+Yk"(k), "+Yk"(m));
	if (b == 5) __asm__ volatile("" : "+Yk"(k2), "+Yk"(m2));
	return (struct masks){k, m, k2, m2};
}
// both returns up to four elements from low on and as many from high on, each in a half.
INLINE f64v both(const double *low, const double *high, __mmask8 first, __mmask8 second) {
	f64v v = (f64v)_mm512_zextpd256_pd512(_mm256_maskz_loadu_pd(first, low));
	// Elements beyond the masks, which may not exist, are not loaded.
	__asm__("vbroadcastf64x4 %1, %0%{%2%}" : "+v"(v) : "m"(*(const double(*)[4])high), "Yk"(second));
	return v;
}

#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define ODD(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)

// columns returns element j, j < b, of eight blocks of x, which begin at x[block[l] * times].
INLINE void columns(f64v v[], int b, const double *x, const u16 *block, int times, const struct masks *q) {
	const double *p[LANES];
	UNROLL for (int l = 0; l < LANES; l++) p[l] = x + block[l] * times;
	UNROLL for (int j = 0; j < b; j += b < 5 ? 4 : 3) {
		const int n = b < 5 ? b : b - j < 3 ? b - j : 3;
		__mmask8 k = j && b == 5 ? q->k2 : q->k, m = j && b == 5 ? q->m2 : q->m;
		f64v s = both(p[0] + j, p[2] + j, k, m), t = both(p[1] + j, p[3] + j, k, m);
		f64v u = both(p[4] + j, p[6] + j, k, m), w = both(p[5] + j, p[7] + j, k, m);
		f64v low = EVEN(s, t), high = EVEN(u, w);
		v[j] = __builtin_shufflevector(low, high, 0, 1, 4, 5, 8, 9, 12, 13);
		if (n > 2) v[j + 2] = __builtin_shufflevector(low, high, 2, 3, 6, 7, 10, 11, 14, 15);
		low = ODD(s, t), high = ODD(u, w);
		v[j + 1] = __builtin_shufflevector(low, high, 0, 1, 4, 5, 8, 9, 12, 13);
		if (n > 3) v[j + 3] = __builtin_shufflevector(low, high, 2, 3, 6, 7, 10, 11, 14, 15);
	}
}
#else
// columns returns element j, j < b, of four blocks of x, which begin at x[block[l] * times].
struct masks { int no; };
INLINE struct masks masks_of(int b) { return (struct masks){b}; }
INLINE void columns(f64v v[], int b, const double *x, const u16 *block, int times, const struct masks *q) {
	(void)q;
	const double *p0 = x + block[0] * times, *p1 = x + block[1] * times, *p2 = x + block[2] * times, *p3 = x + block[3] * times;
	int j = 0;
	UNROLL for (; j + 1 < b; j += 2) {
		f64x2 a0 = LOAD(f64x2, p0 + j), a1 = LOAD(f64x2, p1 + j), a2 = LOAD(f64x2, p2 + j), a3 = LOAD(f64x2, p3 + j);
		f64x4 even = __builtin_shufflevector(a0, a2, 0, 1, 2, 3), odd = __builtin_shufflevector(a1, a3, 0, 1, 2, 3);
		v[j] = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
		v[j + 1] = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
	}
	if (j < b) v[j] = (f64x4){p0[j], p1[j], p2[j], p3[j]};
}
#endif

// width_of returns the bytes of eight values.
INLINE u64 width_of(u64 w, enum kind kind) { return kind == DOUBLE ? 64 : kind == SINGLE ? 32 : w; }
