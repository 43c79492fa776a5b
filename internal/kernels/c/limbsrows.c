// Rows of a sparse matrix of float64 times a vector in limbs of 52 bits; see limbs.go. The lanes hold limbs of one
// number of the vector, so that nothing is gathered.
//
// Flags for avx512: -mavx512ifma
#include "limbs.h"

enum {
	MOST = 33,      // limbs
	REGISTERS = 3,  // vectors of each of the sums
	MIDS = WIDTH / 4, // sums of middle limbs: two where the latency of IFMA counts
};

typedef u64 u64x2 __attribute__((vector_size(16)));

// carried are the vectors of sums below a block.
struct carried {
	u64v mid, high;
};

// up moves the lanes of v by 1 or 2, and lanes of the vector below into their places.
#if WIDTH == 8
INLINE u64v up1(u64v v, u64v below) { return __builtin_shufflevector(below, v, 7, 8, 9, 10, 11, 12, 13, 14); }
INLINE u64v up2(u64v v, u64v below) { return __builtin_shufflevector(below, v, 6, 7, 8, 9, 10, 11, 12, 13); }
INLINE u64v lowest(u64 a, u64 b) { return (u64v){a, b}; }
#else
INLINE u64v up1(u64v v, u64v below) { return __builtin_shufflevector(below, v, 3, 4, 5, 6); }
INLINE u64v up2(u64v v, u64v below) { return __builtin_shufflevector(below, v, 2, 3, 4, 5); }
INLINE u64v lowest(u64 a, u64 b) { return (u64v){a, b}; }
#endif

// block adds the products of a row for the limbs from WIDTH v on, in `width` vectors. The sums of negative products
// are in flipped, from the first block.
INLINE void block(int L, u64 *s, i64 n, const i32 *col, const u64 *entry, const u64 *x, const u64 *below, int v, int width, struct carried *from,
	u64x2 *flipped) {
	int T = (L + 3) / 4 * 4;
	u64v low[REGISTERS], mid[MIDS][REGISTERS], high[REGISTERS];
	UNROLL for (int k = 0; k < width; k++) {
		low[k] = repeat(-(u64)n * LOW_BIAS);
		high[k] = repeat(-(u64)n * HIGH_BIAS);
		UNROLL for (int m = 0; m < MIDS; m++) mid[m][k] = m ? repeat(0) : low[k] + high[k];
	}
	for (i64 e = 0; e < n; e++) {
		u64 word0 = entry[2 * e], word1 = entry[2 * e + 1];
		const u64 *xs = x + (i64)col[e] * L;
		u64 shift = word1 >> 52;
		number a0 = number_of(repeat(LOW_BIAS ? word0 & LIMB : word0)), a1 = number_of(repeat(LOW_BIAS ? word1 & LIMB : word1));
#if WIDTH == 8
		// In vectors, since moving words to them takes longer.
		u64v flip = (u64v)((i64v)(repeat(word0) ^ repeat(xs[0])) >> 63) >> 12;
		if (v == 0) *flipped += LOAD(u64x2, entry + 2 * e) & __builtin_shufflevector(flip, flip, 0, 1);
#else
		u64 negative = (u64)((i64)(word0 ^ xs[0]) >> 63) & LIMB;
		u64v flip = repeat(negative);
		if (v == 0) *flipped += (u64x2){word0 & negative, word1 & negative};
#endif
		UNROLL for (int k = 0; k < width; k++) {
			int at = WIDTH * (v + k);
			u64v limbs = (LOAD(u64v, xs + shift + at) & LOAD(u64v, below + (MOST - L) + shift + at)) ^ flip;
#if WIDTH == 8
			if (at + WIDTH > T) limbs &= (u64v){~0ull, ~0ull, ~0ull, ~0ull};
#endif
			number b = number_of(limbs);
			madd(&low[k], &mid[0][k], a0, b);
			madd(&mid[MIDS - 1][k], &high[k], a1, b);
		}
	}
	// Limb k of the row is limb k of low, k-1 of mid and k-2 of high.
	int whole = (T + 2 + 7) / 8 * 8 / WIDTH;
	UNROLL for (int k = 0; k <= REGISTERS; k++) {
		int at = WIDTH * (v + k), last = v + width >= (T + WIDTH - 1) / WIDTH;
		if (k > width || (k == width && (!last || v + k >= whole))) continue;
		u64v sum = {}, m = {}, h = {};
		if (k < width) sum = low[k], m = MIDS == 2 ? mid[0][k] + mid[MIDS - 1][k] : mid[0][k], h = high[k];
		sum += up1(m, from->mid) + up2(h, from->high);
		from->mid = m;
		from->high = h;
		u64v f = lowest((*flipped)[0], (*flipped)[1]);
		if (at == 0) sum += f;
#if WIDTH == 8
		if (at + 4 == T) sum -= __builtin_shufflevector(f, f, 4, 5, 6, 7, 0, 1, 2, 3);
#endif
		if (at == T) sum -= f;
		STORE(s + at, sum);
	}
#if WIDTH == 4
	if (v + width == T / WIDTH) {
		for (int at = T + WIDTH; at < WIDTH * whole; at += WIDTH) STORE(s + at, repeat(0));
	}
#endif
}

INLINE void rows_of(int L, u64 *s, const i64 *ptr, i64 rows, const i32 *col, const u64 *entries, const u64 *x, const u64 *below) {
	int T = (L + 3) / 4 * 4, vectors = (T + WIDTH - 1) / WIDTH;
	u64 mode = begin();
	for (i64 r = 0; r < rows; r++) {
		i64 n = ptr[r + 1] - ptr[r];
		struct carried from = {};
		u64x2 flipped = {};
		UNROLL for (int v = 0; v < vectors; v += REGISTERS) {
			block(L, s, n, col + ptr[r], entries + 2 * ptr[r], x, below, v, vectors - v < REGISTERS ? vectors - v : REGISTERS, &from, &flipped);
		}
		s += (T + 2 + 7) / 8 * 8;
	}
	end(mode);
}

KERNEL(rowLimbs3, u64 *s, const i64 *ptr, i64 rows, const i32 *col, const u64 *entries, const u64 *x, const u64 *below) { rows_of(3, s, ptr, rows, col, entries, x, below); }
KERNEL(rowLimbs5, u64 *s, const i64 *ptr, i64 rows, const i32 *col, const u64 *entries, const u64 *x, const u64 *below) { rows_of(5, s, ptr, rows, col, entries, x, below); }
KERNEL(rowLimbs9, u64 *s, const i64 *ptr, i64 rows, const i32 *col, const u64 *entries, const u64 *x, const u64 *below) { rows_of(9, s, ptr, rows, col, entries, x, below); }
KERNEL(rowLimbs17, u64 *s, const i64 *ptr, i64 rows, const i32 *col, const u64 *entries, const u64 *x, const u64 *below) { rows_of(17, s, ptr, rows, col, entries, x, below); }
KERNEL(rowLimbs33, u64 *s, const i64 *ptr, i64 rows, const i32 *col, const u64 *entries, const u64 *x, const u64 *below) { rows_of(33, s, ptr, rows, col, entries, x, below); }
