// Rows of a sparse matrix of float64 times a vector in limbs of 52 bits; see limbs.go. The lanes hold limbs of one
// number of the vector, so that nothing is gathered.
//
// Flags for avx512: -mavx512ifma
#include "limbs.h"

enum { MOST = 33, REGISTERS = 3 }; // the most limbs, and the number of vectors of each of the three sums

// block adds the products of a row for the limbs from WIDTH v on, in `width` vectors.
INLINE void block(int L, u64 *s, i64 n, const i32 *col, const u64 *entry, const u64 *x, const u64 *below, int v, int width) {
	int T = (L + 3) / 4 * 4;
	u64v t[3][REGISTERS];
	UNROLL for (int k = 0; k < width; k++) {
		t[0][k] = repeat(-(u64)n * LOW_BIAS);
		t[1][k] = repeat(-(u64)n * (LOW_BIAS + HIGH_BIAS));
		t[2][k] = repeat(-(u64)n * HIGH_BIAS);
	}
	for (i64 e = 0; e < n; e++) {
		u64 low = entry[2 * e], high = entry[2 * e + 1];
		const u64 *from = x + (i64)col[e] * L;
		u64 negative = (u64)((i64)(low ^ from[0]) >> 63), shift = high >> 52;
		number a0 = number_of(repeat(low & LIMB)), a1 = number_of(repeat(high & LIMB));
		u64v flip = repeat(negative & LIMB);
		UNROLL for (int k = 0; k < width; k++) {
			int at = WIDTH * (v + k);
			u64v limbs = (LOAD(u64v, from + shift + at) & LOAD(u64v, below + (MOST - L) + shift + at)) ^ flip;
#if WIDTH == 8
			if (at + WIDTH > T) limbs &= (u64v){~0ull, ~0ull, ~0ull, ~0ull};
#endif
			number b = number_of(limbs);
			madd(&t[0][k], &t[1][k], a0, b);
			madd(&t[1][k], &t[2][k], a1, b);
		}
	}
	UNROLL for (int q = 0; q < 3; q++) {
		UNROLL for (int k = 0; k < width; k++) {
			int at = WIDTH * (v + k);
			if (at + WIDTH <= T) STORE(s + T * q + at, t[q][k]);
#if WIDTH == 8
			else STORE(s + T * q + at, __builtin_shufflevector(t[q][k], t[q][k], 0, 1, 2, 3));
#endif
		}
	}
}

INLINE void rows_of(int L, u64 *s, const i64 *ptr, i64 rows, const i32 *col, const u64 *entries, const u64 *x, const u64 *below) {
	int T = (L + 3) / 4 * 4, vectors = (T + WIDTH - 1) / WIDTH;
	u64 mode = begin();
	for (i64 r = 0; r < rows; r++) {
		i64 n = ptr[r + 1] - ptr[r];
		const i32 *c = col + ptr[r];
		const u64 *entry = entries + 2 * ptr[r];
		UNROLL for (int v = 0; v < vectors; v += REGISTERS) {
			block(L, s, n, c, entry, x, below, v, vectors - v < REGISTERS ? vectors - v : REGISTERS);
		}
		u64 flipped[2] = {};
		for (i64 e = 0; e < n; e++) {
			u64 negative = (u64)((i64)(entry[2 * e] ^ x[(i64)c[e] * L]) >> 63) & LIMB;
			flipped[0] += entry[2 * e] & negative;
			flipped[1] += entry[2 * e + 1] & negative;
		}
		s[3 * T] = flipped[0];
		s[3 * T + 1] = flipped[1];
		s += 3 * T + 2;
	}
	end(mode);
}

KERNEL(rowLimbs3, u64 *s, const i64 *ptr, i64 rows, const i32 *col, const u64 *entries, const u64 *x, const u64 *below) { rows_of(3, s, ptr, rows, col, entries, x, below); }
KERNEL(rowLimbs5, u64 *s, const i64 *ptr, i64 rows, const i32 *col, const u64 *entries, const u64 *x, const u64 *below) { rows_of(5, s, ptr, rows, col, entries, x, below); }
KERNEL(rowLimbs9, u64 *s, const i64 *ptr, i64 rows, const i32 *col, const u64 *entries, const u64 *x, const u64 *below) { rows_of(9, s, ptr, rows, col, entries, x, below); }
KERNEL(rowLimbs17, u64 *s, const i64 *ptr, i64 rows, const i32 *col, const u64 *entries, const u64 *x, const u64 *below) { rows_of(17, s, ptr, rows, col, entries, x, below); }
KERNEL(rowLimbs33, u64 *s, const i64 *ptr, i64 rows, const i32 *col, const u64 *entries, const u64 *x, const u64 *below) { rows_of(33, s, ptr, rows, col, entries, x, below); }
