// Conversion of numbers of multiple precision to limbs of 52 bits, and back with one rounding; see numbers.go.
//
// Loops over constant numbers of limbs are unrolled; the same loops over any number of limbs, which clang would warn
// of, are not.
//
// Flags for avx512: -mavx512ifma -Wno-pass-failed
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

// fix_call is fixCall of Go.
struct fix_call {
	const struct numbers *from;
	i64 count, size, bits, top;
	const i64 *tops; // of each number in place of top, or null
	u64 *to, *sums;
};

// round_call is roundCall of Go.
struct round_call {
	const struct numbers *to;
	i64 at, count;
	const u64 *sums;
	i64 stride, limbs;
	const i64 *units;
	u64 *room; // numberRoom of Go
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

// limbs_of returns limbs 8 g to 8 g + 7 of the magnitude of number i.
INLINE u64v limbs_of(const struct fix_call *c, i64 i, int g) {
	i64 top = c->tops ? c->tops[i] : c->top;
	return limbs_from(c->from, i, 64 * c->from->words - c->bits + top - c->from->exp[i] + 8 * 52 * g);
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

// limb_from is limb_at for a bit of each lane's own, not below `least`. A shift by 64 and more, or by less than 0, gives 0.
INLINE u64v limb_from(int W, const u64v *w, u64v p, int least) {
	u64v v = {};
	UNROLL for (int j = 0; j < W; j++) {
		if (64 * (j + 1) > least) v |= right(w[j], p - repeat(64 * j)) | left(w[j], repeat(64 * j) - p);
	}
	return v & repeat(LIMB);
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

// top_of returns the exponents to which numbers are relative.
INLINE u64v top_of(const struct fix_call *c, i64 at, __mmask8 some) {
	return c->tops ? (u64v)_mm512_maskz_loadu_epi64(some, c->tops + at) : repeat(c->top);
}

// fix_limbs is fixLimbs for a constant size of at most 8 limbs, and numbers of W words.
INLINE void fix_limbs(const struct fix_call *c, int size, int W) {
	for (i64 i = 0; i < c->count; i += LANES) {
		i64 n = c->count - i < LANES ? c->count - i : LANES;
		__mmask8 some = below(n);
		u64v w[8], r[LANES] = {};
		words_of(W, w, c->from, i, n);
		u64v at = repeat(c->top + 64 * W - 52 * size) - exponents(c->from, i, some);
		UNROLL for (int k = 0; k < size; k++) r[k] = limb_from(W, w, at + repeat(52 * k), 64 * W - 52 * size + 52 * k);
		r[0] |= signs(c->from, i, some) << 63;
		transpose(r);
		UNROLL for (int l = 0; l < LANES; l++) _mm512_mask_storeu_epi64(c->to + size * (i + l), l < n ? below(size) : 0, (__m512i)r[l]);
	}
}

KERNEL(fixLimbs, const struct fix_call *c) {
	if (c->size == 3 && c->from->words == 2) return fix_limbs(c, 3, 2);
	if (c->size == 5 && c->from->words == 4) return fix_limbs(c, 5, 4);
	for (i64 i = 0; i < c->count; i++) {
		u64 *to = c->to + c->size * i;
		u64v sign = {(u64)c->from->neg[i] << 63};
		int g = 0;
		for (; 8 * g < c->size - 1; g++) { // and one limb is left, as in fix_lanes
			_mm512_mask_storeu_epi64(to + 8 * g, below(c->size - 8 * g), (__m512i)(limbs_of(c, i, g) | sign));
			sign = repeat(0);
		}
		if (8 * g < c->size) {
			i64 by = 12 + c->top - c->from->exp[i];
			u64 high = c->from->mant[c->from->words * (i + 1) - 1];
			to[8 * g] = (u64)by < 64 ? high >> by : 0;
		}
	}
}

// fix_lanes is fixLanes; size and W, the number of words, are constants or 0.
INLINE void fix_lanes(const struct fix_call *c, i64 size, int W) {
	u64 *to = c->to;
	for (i64 i = 0; i < c->count; i += LANES) {
		i64 n = c->count - i < LANES ? c->count - i : LANES;
		__mmask8 some = below(n);
		if (W) {
			u64v w[8];
			words_of(W, w, c->from, i, n);
			u64v at = top_of(c, i, some) - exponents(c->from, i, some) + repeat(64 * W - c->bits);
			UNROLL for (int k = 0; k < size; k++) {
				STORE(to + LANES * k, limb_from(W, w, at + repeat(52 * k), 64 * W - (52 * size - 1) + 52 * k));
			}
		} else {
			// The highest limb has bits of the highest word alone, and sizes from 9 on have one limb after groups of eight.
			for (int g = 0; 8 * g < size - 1; g++) {
				u64v r[LANES];
				UNROLL for (int l = 0; l < LANES; l++) r[l] = l < n ? limbs_of(c, i + l, g) : repeat(0);
				transpose(r);
				UNROLL for (int k = 0; k < LANES; k++) {
					if (8 * g + k < size - 1) STORE(to + LANES * (8 * g + k), r[k]);
				}
			}
			u64v by = top_of(c, i, some) - exponents(c->from, i, some) + repeat(64 - c->bits + 52 * (size - 1));
			STORE(to + LANES * (size - 1), right(highest_of(c->from, i, some), by));
		}
		u64v minus = signs(c->from, i, some), carry = minus & repeat(1);
		UNROLL for (i64 k = 0; k < size; k++) {
			u64v limb = ((LOAD(u64v, to + LANES * k) ^ minus) & repeat(LIMB)) + carry;
			carry = limb >> 52;
			limb = (limb ^ repeat(k == size - 1 ? 1ull << 51 : 0)) & repeat(LIMB);
			STORE(to + LANES * k, limb);
			STORE(c->sums + LANES * k, LOAD(u64v, c->sums + LANES * k) + limb);
		}
		to += LANES * size;
	}
}

KERNEL(fixLanes, const struct fix_call *c) {
	if (c->size == 3 && c->from->words == 2) fix_lanes(c, 3, 2);
	else if (c->size == 5 && c->from->words == 4) fix_lanes(c, 5, 4);
	else fix_lanes(c, c->size, 0);
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

// round writes the numbers s 2^unit, rounded to nearest, ties to even; s has n limbs, after MOST_KEPT limbs of zeros.
// rest is not 0 where bits are below s. d is room for MOST_KEPT + MOST_LIMBS +
// MOST_WORDS vectors. W is the number of words. The result is not 0, and
// nothing is written, if an exponent is out of range.
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

// round_sums is roundLimbs for sums of n limbs and numbers of W words.
INLINE i64 round_sums(const struct round_call *c, i64 n, i64 W) {
	u64 *s = c->room + LANES * MOST_KEPT;
	for (i64 k = 0; k < 64 * W / 52 + 3; k++) STORE(s - LANES * (k + 1), repeat(0));
	UNROLL for (int g = 0; 8 * g < n; g++) {
		u64v r[LANES];
		__mmask8 some = below(n - 8 * g);
		UNROLL for (int l = 0; l < LANES; l++) {
			r[l] = l < c->count ? (u64v)_mm512_maskz_loadu_epi64(some, c->sums + c->stride * l + 8 * g) : repeat(0);
		}
		transpose(r);
		UNROLL for (int k = 0; k < LANES; k++) STORE(s + LANES * (8 * g + k), r[k]);
	}
	u64v negative = settle(s, n);
	u64v unit = (u64v)_mm512_maskz_loadu_epi64(below(c->count), c->units);
	return round_lanes(c->to, W, c->at, c->count, s, n, unit, negative, repeat(0), s + LANES * MOST_LIMBS);
}

KERNEL_I64(roundLimbs, const struct round_call *c) {
	i64 n = c->limbs, W = c->to->words;
	if (n == 6 && W == 2) return round_sums(c, 6, 2);
	if (n == 10 && W == 4) return round_sums(c, 10, 4);
	if (n == 14 && W == 7) return round_sums(c, 14, 7);
	return round_sums(c, n, W);
}

// lanes_of writes `limbs` limbs of `count` numbers, eight at most, from their highest bit on. W, the number of words, is a constant up to 8,
// as is the number of limbs, or 0.
INLINE void lanes_of(u64 *to, const struct numbers *from, i64 at, i64 count, i64 limbs, int W) {
	if (W) {
		u64v w[8];
		words_of(W, w, from, at, count);
		UNROLL for (int k = 0; k < limbs; k++) STORE(to + LANES * k, limb_at(W, w, 64 * W - 52 * limbs + 52 * k));
		return;
	}
	for (int g = 0; 8 * g < limbs; g++) {
		u64v r[LANES];
		UNROLL for (int l = 0; l < LANES; l++) {
			r[l] = l < count ? limbs_from(from, at + l, 64 * from->words - 52 * limbs + 8 * 52 * g) : repeat(0);
		}
		transpose(r);
		UNROLL for (int k = 0; k < LANES; k++) {
			if (8 * g + k < limbs) STORE(to + LANES * (8 * g + k), r[k]);
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

// add_shifted adds n limbs, `by` bits lower and with the sign of minus, to s, and returns what is shifted out. Zeros
// follow the limbs.
INLINE u64v add_shifted(u64 *s, const u64 *limbs, i64 n, u64v by, u64v minus) {
	u64v q = (by * 20165) >> 20, r = by - 52 * q, l = repeat(52) - r, rest = {}; // by / 52, by mod 52
	u64 index[LANES];
	STORE(index, q);
	for (u32 todo = 0xff; todo;) {
		i64 whole = (i64)index[__builtin_ctz(todo)];
		__mmask8 same = _mm512_cmpeq_epi64_mask((__m512i)q, _mm512_set1_epi64(whole));
		const u64 *from = limbs + LANES * whole;
		u64v low = LOAD(u64v, from), lost = low & ~left(repeat(~0ull), r);
		UNROLL for (i64 k = 0; k < n; k++) {
			u64v high = LOAD(u64v, from + LANES * (k + 1)), v = (right(low, r) | left(high, l)) & repeat(LIMB), sum = LOAD(u64v, s + LANES * k);
			STORE(s + LANES * k, (u64v)_mm512_mask_add_epi64((__m512i)sum, same, (__m512i)sum, (__m512i)((v ^ minus) - minus)));
			low = high;
		}
		for (i64 k = 0; k < whole; k++) lost |= LOAD(u64v, limbs + LANES * k);
		rest |= (u64v)_mm512_maskz_mov_epi64(same, (__m512i)lost);
		todo &= ~same;
	}
	return rest;
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
	// The limbs of sums: one above the larger number, 2 L + 1 below its highest bit. After product and term come as
	// many zeros, for shifts.
	u64 *product = c->room, *term = product + LANES * (2 * N + 1), *from = term + LANES * (2 * N + 1), *s = from + LANES * (L + MOST_KEPT);
	for (i64 k = 0; k <= 2 * N; k++) {
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
		u64v lost_p = add_shifted(s, product, N, by_p, repeat(0)), lost_y = add_shifted(s, term, N, by_y, differ);
		// A difference without the bits that are lost of the smaller number is too large.
		u64v correction = ((u64v)(lost_y != 0) - (u64v)(lost_p != 0)) & differ;
		STORE(s, LOAD(u64v, s) + correction);
		u64v negative = settle(s, N);
		if (round_lanes(y, words, at, n, s, N, (u64v)top - repeat(52 * (N - 1)), sign ^ negative, lost_p | lost_y, s + LANES * N)) return at;
	}
	return c->count;
}

// axpyNumbers adds multiples of the numbers x from `at` on to the numbers y, until it meets a result whose exponent is out of range: it
// returns the number of the first one of these eight, or count.
KERNEL_I64(axpyNumbers, const struct axpy_call *c) {
	i64 L = c->limbs, W = c->y->words;
	if (L == 3 && W == 2) return axpy(c, 3, 2);
	if (L == 5 && W == 4) return axpy(c, 5, 4);
	if (L == 9 && W == 7) return axpy(c, 9, 7);
	return axpy(c, L, 0);
}

#endif
