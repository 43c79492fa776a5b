// Conversion of numbers of multiple precision to limbs of 52 bits, and back with one rounding; see numbers.go.
//
// Flags for avx512: -mavx512ifma -Wno-pass-failed
#include "numbers.h"

#if WIDTH == 8

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

// limbs_of returns limbs 8 g to 8 g + 7 of the magnitude of number i.
INLINE u64v limbs_of(const struct fix_call *c, i64 i, int g) {
	i64 top = c->tops ? c->tops[i] : c->top;
	return limbs_from(c->from, i, 64 * c->from->words - c->bits + top - c->from->exp[i] + 8 * 52 * g);
}

// limb_from returns the limbs of W words from a bit of each lane on, not below `least`. A shift by 64 and more, or by
// less than 0, gives 0.
INLINE u64v limb_from(int W, const u64v *w, u64v p, int least) {
	u64v v = {};
	UNROLL for (int j = 0; j < W; j++) {
		if (64 * (j + 1) > least) v |= right(w[j], p - repeat(64 * j)) | left(w[j], repeat(64 * j) - p);
	}
	return v & repeat(LIMB);
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

#endif
