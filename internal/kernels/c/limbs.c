// Sums of products of integers in limbs of 52 bits, with eight integers in the lanes; see limbs.go. Sums are exact
// modulo 2^64, so that every set gives the same ones.
//
// Flags for avx512: -mavx512ifma
// Flags for avx2: -mllvm -enable-misched=false -mllvm -pre-RA-sched=source
// Flags for neon: -mllvm -enable-misched=false -mllvm -pre-RA-sched=source
#include "limbs.h"

enum {
	PARTS = LANES / WIDTH,
	UNROLLED = 9, // the most limbs for which all sums are in registers
	TILE = WIDTH == 8 ? 4 : 3, // for longer ones: as many limbs of a meet as many of b
	HIGH = WIDTH == 8,       // high halves have separate sums, since IFMA has a latency of four cycles
	STEP = LOW_BIAS ? WIDTH : LANES, // from one limb of a to the next for tiles
	MOST = 33,
	FAR = 24, // limbs to prefetch ahead, about
	CONVERTED = 36, // the most limbs of b that are converted together
};

// FETCH prefetches an integer of each lane.
#define FETCH(L, a) for (int k_ = 0; k_ < L; k_++) PREFETCH((a) + LANES * k_)

// operand is b: limbs of one integer for all lanes, or of eight integers.
struct operand {
	const u64 *limbs;
	const double *numbers; // of limbs, if they are for all lanes
};

INLINE number limb_of(struct operand b, int p, int each) {
	if (each) return number_of(LOAD(u64v, b.limbs + LANES * p));
#ifdef __AVX512IFMA__
	return repeat(b.limbs[p]);
#else
	return all(b.numbers[p]);
#endif
}

// short_products adds the limbs L-1 to 2L-1 of the product of a and b to s; of the products of limbs in the lower
// half it adds only the high halves of those at limb L-2.
INLINE void short_products(int L, u64v s[2][UNROLLED + 1], const u64 *a, struct operand b, int each) {
	number limbs[UNROLLED];
	UNROLL for (int k = 0; k < L; k++) limbs[k] = number_of(LOAD(u64v, a + LANES * k));
	UNROLL for (int p = 0; p < L; p++) {
		number limb = limb_of(b, p, each);
		UNROLL for (int k = 0; k < L; k++) {
			int at = p + k - (L - 1);
			if (at == -1) s[HIGH][0] = madd_high(s[HIGH][0], limbs[k], limb);
			if (at >= 0) madd(&s[0][at], &s[HIGH][at + 1], limbs[k], limb);
		}
	}
}

// diagonal adds the products of the limbs L-1-i of a and L-1-j of b to s with i + j = TILE n + 0, 1, ..., 2 TILE - 2,
// or to L-1 only, in tiles of consecutive i and j.
INLINE void diagonal(int L, u64 *s, const u64 *a, struct operand b, int each, int n) {
	int most = L - 1 - TILE * n, partial = most < 2 * TILE - 2;
	u64v t[2][2 * TILE] = {};
	for (int m = 0; m <= n; m++) {
		number u[TILE], v[TILE];
		UNROLL for (int k = 0; k < TILE; k++) {
			if (partial && k > most) continue;
			u[k] = LOAD(number, a + STEP * (L - 1 - TILE * m - k));
			v[k] = limb_of(b, L - 1 - TILE * (n - m) - k, each);
		}
		UNROLL for (int k = 0; k < TILE; k++) {
			UNROLL for (int l = 0; l < TILE; l++) {
				if (!partial || k + l <= most) madd(&t[0][k + l + 1], &t[HIGH][k + l], u[k], v[l]);
			}
		}
	}
	u64 *top = s + LANES * (L - TILE * n);
	UNROLL for (int k = 0; k < 2 * TILE; k++) {
		if (!partial || k <= most + 1) STORE(top - LANES * k, LOAD(u64v, top - LANES * k) + t[0][k] + t[1][k]);
	}
}

// long_products is short_products with sums in memory.
INLINE void long_products(int L, u64 *s, const u64 *a, struct operand b, int each) {
#if LOW_BIAS
	u64 numbers[STEP * MOST]; // the limbs of a
	UNROLL for (int k = 0; k < L; k++) STORE(numbers + STEP * k, number_of(LOAD(u64v, a + LANES * k)));
	a = numbers;
#endif
	int whole = (L + 1 - TILE) / TILE;
	for (int n = 0; n < whole; n++) diagonal(L, s, a, b, each, n);
	UNROLL for (int n = whole; n <= (L - 1) / TILE; n++) diagonal(L, s, a, b, each, n);
	u64v high = LOAD(u64v, s);
	for (int k = 1; k < L; k++) high = madd_high(high, LOAD(number, a + STEP * (L - 1 - k)), limb_of(b, k - 1, each));
	STORE(s, high);
}

// add_products adds the products of `count` integers a, a_step words apart, and consecutive integers b to s.
INLINE void add_products(int L, u64 *s, const u64 *a, i64 a_step, const u64 *b, i64 count, int each) {
	u64 mode = begin();
	for (int o = 0; o <= L; o++) {
		u64 bias = count * ((u64)(L - o) * LOW_BIAS + (u64)(o ? L - o + 1 : L - 1) * HIGH_BIAS);
		UNROLL for (int h = 0; h < LANES; h += WIDTH) STORE(s + LANES * o + h, LOAD(u64v, s + LANES * o + h) - repeat(bias));
	}
	i64 block = each ? count : CONVERTED / L;
	for (i64 from = 0; from < count; from += block) {
		i64 n = count - from < block ? count - from : block;
		double numbers[CONVERTED];
		if (LOW_BIAS && !each) {
			i64 i = 0;
			for (; i + WIDTH <= n * L; i += WIDTH) STORE(numbers + i, number_of(LOAD(u64v, b + i)));
			for (; i < n * L; i++) numbers[i] = (double)(i64)b[i];
		}
		for (int h = 0; h < LANES; h += WIDTH) {
			struct operand of = {b + (each ? h : 0), numbers};
			const u64 *from_a = a + h;
			i64 ahead = a_step * (FAR / L + 1);
			if (L <= UNROLLED) {
				u64v t[2][UNROLLED + 1] = {};
				UNROLL for (int o = 0; o <= L; o++) t[0][o] = LOAD(u64v, s + LANES * o + h);
				for (i64 i = 0; i < n; i++) {
					if (h == 0) FETCH(L, from_a + ahead);
					short_products(L, t, from_a, of, each);
					from_a += a_step;
					of.limbs += each ? LANES * L : L;
					of.numbers += L;
				}
				UNROLL for (int o = 0; o <= L; o++) STORE(s + LANES * o + h, t[0][o] + t[1][o]);
			} else {
				for (i64 i = 0; i < n; i++) {
					if (h == 0) FETCH(L, from_a + ahead);
					long_products(L, s + h, from_a, of, each);
					from_a += a_step;
					of.limbs += each ? LANES * L : L;
					of.numbers += L;
				}
			}
		}
		a += n * a_step;
		b += n * (each ? LANES * L : L);
	}
	end(mode);
}

KERNEL(mulLimbs3, u64 *s, const u64 *a, i64 step, const u64 *b, i64 count) { add_products(3, s, a, step, b, count, 0); }
KERNEL(mulLimbs5, u64 *s, const u64 *a, i64 step, const u64 *b, i64 count) { add_products(5, s, a, step, b, count, 0); }
KERNEL(mulLimbs9, u64 *s, const u64 *a, i64 step, const u64 *b, i64 count) { add_products(9, s, a, step, b, count, 0); }
KERNEL(mulLimbs17, u64 *s, const u64 *a, i64 step, const u64 *b, i64 count) { add_products(17, s, a, step, b, count, 0); }
KERNEL(mulLimbs33, u64 *s, const u64 *a, i64 step, const u64 *b, i64 count) { add_products(33, s, a, step, b, count, 0); }
KERNEL(dotLimbs3, u64 *s, const u64 *a, i64 step, const u64 *b, i64 count) { add_products(3, s, a, step, b, count, 1); }
KERNEL(dotLimbs5, u64 *s, const u64 *a, i64 step, const u64 *b, i64 count) { add_products(5, s, a, step, b, count, 1); }
KERNEL(dotLimbs9, u64 *s, const u64 *a, i64 step, const u64 *b, i64 count) { add_products(9, s, a, step, b, count, 1); }
KERNEL(dotLimbs17, u64 *s, const u64 *a, i64 step, const u64 *b, i64 count) { add_products(17, s, a, step, b, count, 1); }
KERNEL(dotLimbs33, u64 *s, const u64 *a, i64 step, const u64 *b, i64 count) { add_products(33, s, a, step, b, count, 1); }
