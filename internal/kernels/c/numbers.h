// Common part of the kernels of numbers of multiple precision: their words and limbs by lanes, and rounding; see
// numbers.go.
//
// Loops over constant numbers of limbs are unrolled; the same loops over any number of limbs, which clang would warn
// of (-Wno-pass-failed), are not.
#include "limbs.h"

#if WIDTH == 8

enum {
	MOST_LIMBS = 68, // of a sum
	MOST_WORDS = 28, // of a number, and one below it
	MOST_KEPT = 38,  // limbs for so many words
};

// numbers is Numbers of Go.
struct numbers {
	i64 words, bits;
	i32 *exp;
	u8 *neg;
	u64 *mant;
};

INLINE u64v left(u64v v, u64v by) { return (u64v)_mm512_sllv_epi64((__m512i)v, (__m512i)by); }
INLINE u64v right(u64v v, u64v by) { return (u64v)_mm512_srlv_epi64((__m512i)v, (__m512i)by); }
INLINE u64 below(i64 n) { return _bzhi_u64(~0ull, n < 0 ? 0 : n > 64 ? 64 : n); }

// limbs_from returns eight limbs of the significand of number i from a bit on. The 64 bytes from there are loaded; the
// bytes of each limb move to its lane.
INLINE u64v limbs_from(const struct numbers *from, i64 i, i64 bit) {
	i64 byte = bit >> 3;
	u64 inside = below(8 * from->words - byte) & ~below(-byte);
	__m512i v = _mm512_maskz_loadu_epi8(inside, (const u8 *)(from->mant + from->words * i) + byte);
	typedef u8 u8x64 __attribute__((vector_size(64)));
	const u8x64 place = {
		0, 1, 2, 3, 4, 5, 6, 7, 6, 7, 8, 9, 10, 11, 12, 13, 13, 14, 15, 16, 17, 18, 19, 20, 19, 20, 21, 22, 23, 24, 25, 26,
		26, 27, 28, 29, 30, 31, 32, 33, 32, 33, 34, 35, 36, 37, 38, 39, 39, 40, 41, 42, 43, 44, 45, 46, 45, 46, 47, 48, 49, 50, 51, 52,
	};
	u64v limbs = (u64v)_mm512_permutexvar_epi8((__m512i)place, v);
	return right(limbs, (u64v){0, 4, 0, 4, 0, 4, 0, 4} + repeat(bit & 7)) & repeat(LIMB);
}

INLINE void transpose(u64v r[8]) {
	u64v t[8], u[8];
	UNROLL for (int i = 0; i < 8; i += 2) {
		t[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
		t[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
	}
	UNROLL for (int i = 0; i < 8; i++) {
		if (i & 2) continue;
		u[i] = __builtin_shufflevector(t[i], t[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
		u[i + 2] = __builtin_shufflevector(t[i], t[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
	}
	UNROLL for (int i = 0; i < 4; i++) {
		r[i] = __builtin_shufflevector(u[i], u[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
		r[i + 4] = __builtin_shufflevector(u[i], u[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
	}
}

// words_of loads the words of `count` numbers, eight at most, of W <= 8 words: word j of all numbers is w[j].
INLINE void words_of(int W, u64v w[8], const struct numbers *from, i64 at, i64 count) {
	const u64 *mant = from->mant + W * at;
	if (W == 2) {
		u64v a = (u64v)_mm512_maskz_loadu_epi64(below(2 * count), mant), b = (u64v)_mm512_maskz_loadu_epi64(below(2 * count - 8), mant + 8);
		w[0] = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
		w[1] = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
		return;
	}
	UNROLL for (int l = 0; l < LANES; l++) w[l] = (u64v)_mm512_maskz_loadu_epi64(l < count ? below(W) : 0, mant + W * l);
	transpose(w);
}

INLINE u64v exponents(const struct numbers *x, i64 at, __mmask8 some) {
	return (u64v)_mm512_cvtepi32_epi64(_mm256_maskz_loadu_epi32(some, x->exp + at));
}
INLINE u64v signs(const struct numbers *x, i64 at, __mmask8 some) {
	return repeat(0) - (u64v)_mm512_cvtepu8_epi64(_mm_maskz_loadu_epi8(some, x->neg + at));
}

// highest_of returns the highest words of eight numbers.
INLINE u64v highest_of(const struct numbers *from, i64 at, __mmask8 some) {
	u64v index = (u64v){0, 1, 2, 3, 4, 5, 6, 7} * repeat(from->words);
	return (u64v)_mm512_mask_i64gather_epi64((__m512i)repeat(0), some, (__m512i)index, from->mant + from->words * (at + 1) - 1, 8);
}

// settle replaces the sums of n limbs by their magnitudes in limbs of 52 bits and returns ones in the lanes of
// negative ones.
INLINE u64v settle(u64 *s, i64 n) {
	u64v negative = {};
	UNROLL for (int pass = 0; pass < 2; pass++) {
		i64v carry = {};
		UNROLL for (i64 k = 0; k < n; k++) {
			i64v limb = (LOAD(i64v, s + LANES * k) ^ (i64v)negative) - (i64v)negative + carry;
			carry = limb >> 52;
			if (k < n - 1) limb &= (i64v)repeat(LIMB);
			STORE(s + LANES * k, limb);
			if (k == n - 1 && !pass) {
				negative = (u64v)(limb < 0);
				if (!_mm512_test_epi64_mask((__m512i)negative, (__m512i)negative)) return negative;
			}
		}
	}
	return negative;
}

// round_lanes writes the numbers s 2^unit of W words, rounded to nearest, ties to even; s has n limbs, after MOST_KEPT
// limbs of zeros. rest is not 0 where bits are below s. d is room for MOST_KEPT + MOST_LIMBS + MOST_WORDS vectors. The
// result is not 0, and nothing is written, if an exponent is out of range.
INLINE i64 round_lanes(const struct numbers *to, i64 W, i64 at, i64 count, u64 *s, i64 n, u64v unit, u64v negative, u64v rest, u64 *d) {
	i64 K = 64 * W / 52 + 3;
	u64v top = {}, where = {};
	UNROLL for (i64 k = 0; k < n; k++) {
		u64v limb = LOAD(u64v, s + LANES * k), some = (u64v)(limb != 0);
		top = (limb & some) | (top & ~some);
		where = (repeat(k) & some) | (where & ~some);
	}
	u64v bits = repeat(64) - (u64v)_mm512_lzcnt_epi64((__m512i)top), nonzero = (u64v)(top != 0);
	u64v exp = (unit + 52 * where + bits) & nonzero;
	if (_mm512_cmpneq_epi64_mask((__m512i)((i64v)(exp << 32) >> 32), (__m512i)exp)) return 1;

	// The highest limbs move up to limbs[K-1], by the powers of two of which their distances consist: mostly 0 or 1.
	UNROLL for (i64 k = 0; k < n - K; k++) {
		__mmask8 low = _mm512_cmpgt_epi64_mask((__m512i)where, _mm512_set1_epi64(k + K - 1));
		rest |= (u64v)_mm512_maskz_loadu_epi64(low, s + LANES * k);
	}
	u64v distance = (u64v)((i64v)repeat(n - 1) - (i64v)where) & nonzero;
	const u64 *limbs = s + LANES * (n - K);
	d += LANES * MOST_LIMBS;
	UNROLL for (i64 by = n > 64 ? 64 : n > 32 ? 32 : n > 16 ? 16 : n > 8 ? 8 : 4; by; by >>= 1) {
		__mmask8 some = _mm512_test_epi64_mask((__m512i)distance, _mm512_set1_epi64(by));
		if (!some) continue;
		UNROLL for (i64 k = K - 1; k > -by; k--) {
			__m512i v = _mm512_loadu_si512(limbs + LANES * k);
			_mm512_storeu_si512(d + LANES * k, _mm512_mask_loadu_epi64(v, some, limbs + LANES * (k - by > -n ? k - by : k)));
		}
		limbs = d;
	}
	u64v shift = (repeat(52) - bits) & nonzero, upper = LOAD(u64v, limbs + LANES * (K - 1));
	UNROLL for (i64 k = K - 1; k >= 0; k--) {
		u64v lower = k ? LOAD(u64v, limbs + LANES * (k - 1)) : repeat(0);
		STORE(d + LANES * k, (left(upper, shift) | right(lower, repeat(52) - shift)) & repeat(LIMB));
		upper = lower;
	}

	u64 *w = d + LANES * MOST_KEPT; // the words, the highest first, and the one below the number
	i64 limb = K - 1, used = 0;
	UNROLL for (i64 j = 0; j <= W; j++) {
		u64v a = LOAD(u64v, d + LANES * limb), b = LOAD(u64v, d + LANES * (limb - 1)), c = LOAD(u64v, d + LANES * (limb - 2));
		a = left(a, repeat(12 + used));
		b = left(b, repeat(used - 40)) | right(b, repeat(40 - used));
		STORE(w + LANES * j, a | b | right(c, repeat(92 - used)));
		for (used += 64; used >= 52; used -= 52) limb--;
	}
	if (limb >= 0) rest |= LOAD(u64v, d + LANES * limb) & repeat((1ull << (52 - used)) - 1);
	UNROLL for (i64 k = 0; k < limb; k++) rest |= LOAD(u64v, d + LANES * k);

	u64v low = repeat(64 * W - to->bits), over = repeat(64) - low;
	u64v last = LOAD(u64v, w + LANES * (W - 1)), next = LOAD(u64v, w + LANES * W);
	u64v half = left(last, over) | right(next, low);
	rest |= left(next, over) | half << 1 | (right(last, low) & repeat(1));
	u64v up = (half >> 63) & (u64v)(rest != 0);
	last = left(right(last, low), low);
	u64v carry = left(up, low), word = last + carry;
	carry = (u64v)(word < last) & repeat(1);
	STORE(w + LANES * (W - 1), word);
	if (_mm512_test_epi64_mask((__m512i)carry, (__m512i)carry)) {
		for (i64 j = W - 2; j >= 0; j--) {
			word = LOAD(u64v, w + LANES * j) + carry;
			carry &= (u64v)(word == 0);
			STORE(w + LANES * j, word);
		}
		exp += carry;
		if (_mm512_cmpneq_epi64_mask((__m512i)((i64v)(exp << 32) >> 32), (__m512i)exp)) return 1;
		STORE(w, LOAD(u64v, w) | carry << 63);
	}

	__mmask8 written = below(count);
	_mm512_mask_cvtepi64_storeu_epi32(to->exp + at, written, (__m512i)exp);
	_mm512_mask_cvtepi64_storeu_epi8(to->neg + at, written, (__m512i)(negative & nonzero & repeat(1)));
	u64 *mant = to->mant + W * at;
	if (W == 2) {
		u64v a = LOAD(u64v, w + LANES), b = LOAD(u64v, w);
		_mm512_mask_storeu_epi64(mant, below(2 * count), (__m512i)__builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11));
		_mm512_mask_storeu_epi64(mant + 8, below(2 * count - 8), (__m512i)__builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15));
		return 0;
	}
	UNROLL for (int g = 0; 8 * g < W; g++) {
		u64v r[LANES];
		UNROLL for (int k = 0; k < LANES; k++) r[k] = 8 * g + k < W ? LOAD(u64v, w + LANES * (W - 1 - 8 * g - k)) : repeat(0);
		transpose(r);
		UNROLL for (int l = 0; l < LANES; l++) _mm512_mask_storeu_epi64(mant + W * l + 8 * g, l < count ? below(W - 8 * g) : 0, (__m512i)r[l]);
	}
	return 0;
}

#endif
