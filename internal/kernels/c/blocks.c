// Slots of b x b blocks, b = 2 to 6; see MulSlots.
//
// The order of the source keeps values in registers; clang's scheduler would not:
// Flags for avx512: -mllvm -enable-misched=false -mllvm -pre-RA-sched=source
#include "blocks.h"

// line adds the products of a part of a slot with row i of its blocks.
INLINE void line(f64v *y, int b, int h, const u8 *row, const struct slot_table *t, u64 w, const f64v x[], enum kind kind) {
	f64v s = *y;
	UNROLL for (int j = 0; j < b; j++) {
		s = fma(decode(row + j * w, t, w, h, kind), x[j], s);
		if (h == 0) PREFETCH(row + j * w + 4096);
	}
	*y = s;
}

// slot adds the products of a slot to the sums.
INLINE void slot(f64v y[MAX_BLOCK][PARTS], int b, const u8 *from, i64 stream, const struct slot_table *t, u64 w,
	const double *x, const u16 *index, enum kind kind, const struct masks *q) {
	w = width_of(w, kind);
	UNROLL for (int h = 0; h < PARTS; h++) {
		f64v v[MAX_BLOCK];
		columns(v, b, x, index + WIDTH * h, 1, q);
		const u8 *row = from;
		if (b <= IN_REGISTERS) {
			UNROLL for (int i = 0; i < b; i++, row += stream) line(&y[i][h], b, h, row, t, w, v, kind);
			continue;
		}
#pragma clang loop unroll(disable)
		for (int i = 0; i < b; i++, row += stream) line(&y[i][h], b, h, row, t, w, v, kind);
	}
}

// put stores the sums of the block rows of a slice.
#if WIDTH == 8
INLINE void put(const struct slot_call *c, int b, i64 row, const f64v y[MAX_BLOCK][PARTS]) {
	i64 n = c->rows - row;
	__mmask8 rows = n < LANES ? (__mmask8)((1 << n) - 1) : 0xff;
	i32v first = (i32v){0, 1, 2, 3, 4, 5, 6, 7} + (i32)row;
	if (c->order) first = (i32v)_mm256_cvtepu16_epi32(_mm_maskz_loadu_epi16(rows, c->order + row));
	first *= b;
	UNROLL for (int i = 0; i < b; i++) {
		f64v u = all(c->factor);
		if (c->exp) {
			__m256i exp = _mm256_mmask_i32gather_epi32((__m256i){}, rows, (__m256i)first, c->exp + i, 4);
			u = (f64v)((__builtin_convertvector((i32v)exp, i64v) + c->bias) << 52);
		}
		_mm512_mask_i32scatter_pd(c->dst + i, rows, (__m256i)first, y[i][0] * u, 8);
	}
}
#else
INLINE void put(const struct slot_call *c, int b, i64 row, const f64v y[MAX_BLOCK][PARTS]) {
	double sums[MAX_BLOCK][LANES];
	UNROLL for (int i = 0; i < b; i++) {
		UNROLL for (int h = 0; h < PARTS; h++) STORE(sums[i] + WIDTH * h, y[i][h]);
	}
	i64 n = c->rows - row < LANES ? c->rows - row : LANES;
#pragma clang loop unroll(disable)
	for (i64 l = 0; l < n; l++) {
		i64 first = b * (c->order ? c->order[row + l] : row + l);
		UNROLL for (int i = 0; i < b; i++) {
			double u = c->exp ? unit_of(c->exp, (u64)c->bias, first + i) : c->factor;
			c->dst[first + i] = sums[i][l] * u;
		}
	}
}
#endif

INLINE void multiply(const struct slot_call *c, int b) {
	const u8 *widths = c->widths, *values = c->values;
	const u16 *index = c->index;
	f64v y[MAX_BLOCK][PARTS] = {};
	i64 row = 0;
	struct masks q = masks_of(b);
	for (const struct slot_group *g = c->groups, *end = g + c->count; g < end; g++) {
		const double *x = c->x + g->base;
		for (const u8 *last = widths + g->slots; widths < last; widths++, index += LANES) {
			u64 w = *widths;
			const struct slot_table *t = c->tables + w;
			PREFETCH(index + 512);
			switch (kind_of(w, g->flags)) {
			case BYTES: slot(y, b, values, c->stream, t, w, x, index, BYTES, &q); break;
			case BITS: slot(y, b, values, c->stream, t, w, x, index, BITS, &q); break;
			case WIDE: slot(y, b, values, c->stream, t, w, x, index, WIDE, &q); break;
			case SINGLE: slot(y, b, values, c->stream, t, w, x, index, SINGLE, &q); break;
			case DOUBLE: slot(y, b, values, c->stream, t, w, x, index, DOUBLE, &q); break;
			}
			values += b * w;
		}
		if (!(g->flags & LAST)) continue;
		put(c, b, row, y);
		row += LANES;
		UNROLL for (int i = 0; i < b; i++) {
			UNROLL for (int h = 0; h < PARTS; h++) y[i][h] = (f64v){};
		}
	}
}

KERNEL(blocks2, const struct slot_call *c) { multiply(c, 2); }
KERNEL(blocks3, const struct slot_call *c) { multiply(c, 3); }
KERNEL(blocks4, const struct slot_call *c) { multiply(c, 4); }
KERNEL(blocks5, const struct slot_call *c) { multiply(c, 5); }
KERNEL(blocks6, const struct slot_call *c) { multiply(c, 6); }
