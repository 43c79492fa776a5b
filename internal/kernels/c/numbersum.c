// Updates of numbers of multiple precision by multiples of others, each rounded once; see numbersum.go.
//
// Flags for avx512: -mavx512ifma -Wno-pass-failed
#include "numbers.h"

#if WIDTH == 8

// limb_at returns the limb of all lanes from bit p on of W words.
INLINE u64v limb_at(int W, const u64v *w, int p) {
	u64v v = {};
	UNROLL for (int j = 0; j < W; j++) {
		int by = p - 64 * j;
		if (by >= 0 && by < 64) v |= w[j] >> by;
		if (by < 0 && by > -52) v |= w[j] << -by;
	}
	return v & repeat(LIMB);
}

// lanes_of writes `limbs` limbs of `count` numbers, eight at most, from their highest bit on. W, the number of words, is
// a constant up to 8, as is the number of limbs, or 0.
INLINE void lanes_of(u64 *to, const struct numbers *from, i64 at, i64 count, i64 limbs, int W) {
	if (W) {
		u64v w[8];
		words_of(W, w, from, at, count);
		UNROLL for (int k = 0; k < limbs; k++) STORE(to + LANES * k, limb_at(W, w, 64 * W - 52 * limbs + 52 * k));
		return;
	}
	STORE(to + LANES * (limbs - 1), highest_of(from, at, below(count)) >> 12);
	for (int g = 0; 8 * g < limbs - 1; g++) {
		u64v r[LANES];
		UNROLL for (int l = 0; l < LANES; l++) {
			r[l] = l < count ? limbs_from(from, at + l, 64 * from->words - 52 * limbs + 8 * 52 * g) : repeat(0);
		}
		transpose(r);
		UNROLL for (int k = 0; k < LANES; k++) {
			if (8 * g + k < limbs - 1) STORE(to + LANES * (8 * g + k), r[k]);
		}
	}
}

// times sets p to the products of x and a, of L limbs each.
INLINE void times(int L, u64 *p, const u64 *x, const u64 *a) {
	i64v carry = {};
	if (L <= 9) {
		u64v sums[18] = {};
		UNROLL for (int j = 0; j < L; j++) {
			u64v limb = LOAD(u64v, x + LANES * j);
			UNROLL for (int i = 0; i < L; i++) madd(&sums[i + j], &sums[i + j + 1], limb, repeat(a[i]));
		}
		UNROLL for (int k = 0; k < 2 * L; k++) {
			sums[k] += (u64v)carry;
			carry = (i64v)(sums[k] >> 52);
			STORE(p + LANES * k, sums[k] & repeat(LIMB));
		}
		return;
	}
	for (int k = 0; k < 2 * L; k++) STORE(p + LANES * k, repeat(0));
	// Four limbs of a at a time: a sum stays in a register while the limbs pass it.
	for (int i = 0; i < L; i += 4) {
		u64v b[4], t[5] = {};
		UNROLL for (int k = 0; k < 4; k++) b[k] = repeat(i + k < L ? a[i + k] : 0);
		for (int j = 0; j < L; j++) {
			u64v limb = LOAD(u64v, x + LANES * j);
			UNROLL for (int k = 0; k < 4; k++) madd(&t[k], &t[k + 1], limb, b[k]);
			STORE(p + LANES * (i + j), LOAD(u64v, p + LANES * (i + j)) + t[0]);
			UNROLL for (int k = 0; k < 4; k++) t[k] = t[k + 1];
			t[4] = repeat(0);
		}
		UNROLL for (int k = 0; k < 4; k++) {
			int at = i + L + k;
			if (at < 2 * L) STORE(p + LANES * at, LOAD(u64v, p + LANES * at) + t[k]);
		}
	}
	for (int k = 0; k < 2 * L; k++) {
		u64v sum = LOAD(u64v, p + LANES * k) + (u64v)carry;
		carry = (i64v)(sum >> 52);
		STORE(p + LANES * k, sum & repeat(LIMB));
	}
}

// add_shifted adds n limbs, `by` bits lower and with the sign of minus, to s, and returns what is shifted out. d is room
// for n limbs. Limbs move down by the powers of two of which their distances consist, 0 to n limbs.
INLINE u64v add_shifted(u64 *s, const u64 *limbs, i64 n, u64v by, u64v minus, u64 *d) {
	u64v q = (by * 20165) >> 20, r = by - 52 * q, l = repeat(52) - r, lost = {}; // by / 52, by mod 52
	UNROLL for (i64 step = n >= 64 ? 64 : n >= 32 ? 32 : n >= 16 ? 16 : 8; step; step >>= 1) {
		__mmask8 some = _mm512_test_epi64_mask((__m512i)q, _mm512_set1_epi64(step));
		if (!some) continue;
		UNROLL for (i64 k = 0; k < n; k++) {
			__m512i low = _mm512_loadu_si512(limbs + LANES * k);
			if (k < step) lost |= (u64v)_mm512_maskz_mov_epi64(some, low);
			__m512i high = k + step < n ? _mm512_loadu_si512(limbs + LANES * (k + step)) : (__m512i)repeat(0);
			_mm512_storeu_si512(d + LANES * k, _mm512_mask_mov_epi64(low, some, high));
		}
		limbs = d;
	}
	u64v low = LOAD(u64v, limbs);
	lost |= low & ~left(repeat(~0ull), r);
	UNROLL for (i64 k = 0; k < n; k++) {
		u64v high = k + 1 < n ? LOAD(u64v, limbs + LANES * (k + 1)) : repeat(0), v = (right(low, r) | left(high, l)) & repeat(LIMB);
		STORE(s + LANES * k, LOAD(u64v, s + LANES * k) + ((v ^ minus) - minus));
		low = high;
	}
	return lost;
}

// axpy_call is axpyCall of Go.
struct axpy_call {
	const struct numbers *y, *x;
	i64 at, count, limbs;
	const u64 *factor;
	i64 exp, neg; // of the factor
	u64 *room;
};

// axpy is axpyNumbers for products of L limbs; W, the number of words, is a constant up to 8, or 0.
INLINE i64 axpy(const struct axpy_call *c, i64 L, int W) {
	const struct numbers *y = c->y, *x = c->x;
	i64 N = 2 * L + 2, words = W ? W : y->words;
	// The limbs of sums: one above the larger number, 2 L + 1 below its highest bit.
	u64 *product = c->room, *term = product + LANES * N, *from = term + LANES * N, *s = from + LANES * (L + MOST_KEPT), *d = s + LANES * N;
	for (i64 k = 0; k < N; k++) {
		STORE(product + LANES * k, repeat(0));
		STORE(term + LANES * k, repeat(0));
	}
	for (i64 k = 0; k < 64 * words / 52 + 3; k++) STORE(s - LANES * (k + 1), repeat(0));
	for (i64 at = c->at; at < c->count; at += LANES) {
		i64 n = c->count - at < LANES ? c->count - at : LANES;
		__mmask8 some = below(n);
		lanes_of(from, x, at, n, L, W);
		u64 *p = product + LANES;
		if (L == 3) times(3, p, from, c->factor);
		else if (L == 5) times(5, p, from, c->factor);
		else if (L == 9) times(9, p, from, c->factor);
		else if (L == 17) times(17, p, from, c->factor);
		else times(33, p, from, c->factor);
		lanes_of(term + LANES * (N - 1 - L), y, at, n, L, W);

		i64v ep = (i64v)(exponents(x, at, some) + repeat(c->exp)), ey = (i64v)exponents(y, at, some);
		i64v no_p = LOAD(i64v, from + LANES * (L - 1)) == 0, no_y = LOAD(i64v, term + LANES * (N - 2)) == 0;
		ep = (ep & ~no_p) | (ey & no_p);
		ey = (ey & ~no_y) | (ep & no_y);
		i64v top = (i64v)_mm512_max_epi64((__m512i)ep, (__m512i)ey), most = (i64v)repeat(52 * N);
		u64v by_p = (u64v)_mm512_min_epi64((__m512i)(top - ep), (__m512i)most), by_y = (u64v)_mm512_min_epi64((__m512i)(top - ey), (__m512i)most);
		u64v sign = signs(x, at, some) ^ repeat(-(u64)c->neg), differ = sign ^ signs(y, at, some);

		UNROLL for (i64 k = 0; k < N; k++) STORE(s + LANES * k, repeat(0));
		u64v lost_p = add_shifted(s, product, N, by_p, repeat(0), d), lost_y = add_shifted(s, term, N, by_y, differ, d);
		// A difference without the bits that are lost of the smaller number is too large.
		u64v correction = ((u64v)(lost_y != 0) - (u64v)(lost_p != 0)) & differ;
		STORE(s, LOAD(u64v, s) + correction);
		u64v negative = settle(s, N);
		if (round_lanes(y, words, at, n, s, N, (u64v)top - repeat(52 * (N - 1)), sign ^ negative, lost_p | lost_y, d)) return at;
	}
	return c->count;
}

// axpyNumbers adds multiples of the numbers x from `at` on to the numbers y, until it meets a result whose exponent is
// out of range: it returns the number of the first one of these eight, or count.
KERNEL_I64(axpyNumbers, const struct axpy_call *c) {
	i64 L = c->limbs, W = c->y->words;
	if (L == 3 && W == 2) return axpy(c, 3, 2);
	if (L == 5 && W == 4) return axpy(c, 5, 4);
	if (L == 9 && W == 7) return axpy(c, 9, 7);
	return axpy(c, L, 0);
}

#endif
