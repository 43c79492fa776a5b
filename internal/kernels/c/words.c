// Words of 1 to 8 bytes; see Words and AddRows.
#include "simd.h"

// words is Words of Go.
struct words {
	i64 kind, bytes;
	u64 up, down, offset, sign;
	double quantum;
};

enum { FLOAT_BITS, FLOAT32, FIXED, SCALED };

// word_call is wordCall of Go.
struct word_call {
	double *dst;
	i64 n; // of numbers, or of rows
	const u8 *src;
	const struct words *words;
	const u8 *table; // where the bytes of four words come from
	const u32 *row_ptr;
	const i32 *col;
	const double *x;
};

INLINE u64x4 bits(u64 v) { return (u64x4){v, v, v, v}; }

// numbers returns the four words at src.
INLINE f64x4 numbers(const u8 *src, const struct words *w, u8x32 table, i64 kind) {
	u64x4 v = bytes_at(pair(src, src + 2 * w->bytes), table);
	if (kind == FLOAT_BITS || kind == SCALED) {
		f64x4 float64 = (f64x4)(((v << bits(w->up) >> bits(w->down)) + bits(w->offset)) | (v & bits(w->sign)));
		return kind == SCALED ? float64 * splat(w->quantum) : float64;
	}
	if (kind == FLOAT32) {
		typedef u32 u32x8 __attribute__((vector_size(32)));
		return __builtin_convertvector((f32x4)__builtin_shufflevector((u32x8)v, (u32x8)v, 1, 3, 5, 7), f64x4);
	}
#ifdef __x86_64__
	u64 sign = (u64)1 << 63 >> w->down;
	v = ((v >> bits(w->down)) ^ bits(sign)) - bits(sign); // sign-extended
	v ^= bits((u64)1 << 63);
	// The high bits in units of 2^32 and the low ones, with 2^84 and 2^52 added; one sum rounds.
	u64x4 low = (v & 0xffffffff) | 0x4330000000000000, high = (v >> 32) | 0x4530000000000000;
	return (((f64x4)high - splat(0x1p84 + 0x1p63 + 0x1p52)) + (f64x4)low) * splat(w->quantum);
#else
	return __builtin_convertvector((i64x4)v >> (i64x4)bits(w->down), f64x4) * splat(w->quantum);
#endif
}

INLINE void decode(const struct word_call *c, i64 kind) {
	double *dst = c->dst;
	const u8 *src = c->src;
	i64 step = 4 * c->words->bytes, n = c->n;
	struct words w = *c->words;
	u8x32 table = LOAD(u8x32, c->table);
	for (; n >= 4; n -= 4, dst += 4, src += step) {
		PREFETCH(src + 1024);
		STORE(dst, numbers(src, &w, table, kind));
	}
	if (n > 0) {
		f64x4 last = numbers(src, &w, table, kind);
		dst[0] = last[0];
		if (n > 1) dst[1] = last[1];
		if (n > 2) dst[2] = last[2];
	}
}

// add adds products of rows: four at a time and the rest of a row in at most three lanes, with a sum for each lane.
INLINE void add(const struct word_call *c, i64 kind) {
	const double *x = c->x;
	const i32 *col = c->col;
	const u8 *src = c->src;
	struct words w = *c->words;
	i64 step = 4 * w.bytes;
	u8x32 table = LOAD(u8x32, c->table);
	for (i64 i = 0; i < c->n; i++) {
		i64 n = (i64)c->row_ptr[i + 1] - c->row_ptr[i];
		if (n == 0) continue;
		f64x4 sum = {};
		for (; n >= 4; n -= 4, col += 4, src += step) {
			PREFETCH(src + 1024);
			PREFETCH(col + 256);
			sum += numbers(src, &w, table, kind) * (f64x4){x[col[0]], x[col[1]], x[col[2]], x[col[3]]};
		}
		double s = (sum[0] + sum[2]) + (sum[1] + sum[3]);
		if (n > 0) {
			f64x4 last = numbers(src, &w, table, kind);
			s += last[0] * x[col[0]];
			if (n > 1) s += last[1] * x[col[1]];
			if (n > 2) s += last[2] * x[col[2]];
			col += n;
			src += n * w.bytes;
		}
		c->dst[i] += s;
	}
}

#if WIDTH == 4
KERNEL(decodeWords, const struct word_call *c) {
	switch (c->words->kind) {
	case FLOAT_BITS: decode(c, FLOAT_BITS); break;
	case FLOAT32: decode(c, FLOAT32); break;
	case SCALED: decode(c, SCALED); break;
	default: decode(c, FIXED); break;
	}
}

KERNEL(addRows, const struct word_call *c) {
	switch (c->words->kind) {
	case FLOAT_BITS: add(c, FLOAT_BITS); break;
	case FLOAT32: add(c, FLOAT32); break;
	case SCALED: add(c, SCALED); break;
	default: add(c, FIXED); break;
	}
}
#endif
