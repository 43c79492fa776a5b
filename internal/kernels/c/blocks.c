// Slots of b x b blocks, b = 2 to 6; see MulSlots.
#include "blocks.h"

// line adds the products of half of a slot with row i of its blocks.
INLINE void line(f64x4 *y, int b, int h, const u8 *row, const struct pair_table *t, u64 w, const f64x4 x[], enum kind kind) {
	f64x4 s = *y;
#pragma clang loop unroll(full)
	for (int j = 0; j < b; j++) {
		s = fma(decode(row + j * w, t, w, h, kind), x[j], s);
		if (h == 0) PREFETCH(row + j * w + 4096);
	}
	*y = s;
}

// slot adds the products of a slot to the sums.
INLINE void slot(f64x4 y[MAX_BLOCK][2], int b, const u8 *from, i64 stream, const struct pair_table *t, u64 w,
	const double *x, const u16 *index, enum kind kind) {
	w = width_of(w, kind);
#pragma clang loop unroll(full)
	for (int h = 0; h < 2; h++) {
		f64x4 v[MAX_BLOCK];
		columns(v, b, x, index + 4 * h, 1);
		if (b <= 3) { // in registers
			line(&y[0][h], b, h, from, t, w, v, kind);
			line(&y[1][h], b, h, from + stream, t, w, v, kind);
			if (b == 3) line(&y[2][h], b, h, from + 2 * stream, t, w, v, kind);
			continue;
		}
		const u8 *row = from;
#pragma clang loop unroll(disable)
		for (int i = 0; i < b; i++, row += stream) line(&y[i][h], b, h, row, t, w, v, kind);
	}
}

INLINE void put(const struct slot_call *c, int b, i64 row, f64x4 y[MAX_BLOCK][2]) {
	i64 n = c->rows - row < LANES ? c->rows - row : LANES;
#pragma clang loop unroll(disable)
	for (i64 l = 0; l < n; l++) {
		i64 first = b * (c->order ? c->order[row + l] : row + l);
#pragma clang loop unroll(full)
		for (int i = 0; i < b; i++) {
			double u = c->exp ? unit_of(c->exp, (u64)c->bias, first + i) : c->factor;
			c->dst[first + i] = ((const double *)y[i])[l] * u;
		}
	}
}

INLINE void multiply(const struct slot_call *c, int b) {
	const u8 *widths = c->widths, *values = c->values;
	const u16 *index = c->index;
	f64x4 y[MAX_BLOCK][2] = {};
	i64 row = 0;
	for (const struct slot_group *g = c->groups, *end = g + c->count; g < end; g++) {
		const double *x = c->x + g->base;
		for (const u8 *last = widths + g->slots; widths < last; widths++, index += LANES) {
			u64 w = *widths;
			const struct pair_table *t = c->tables + w;
			PREFETCH(index + 512);
			switch (kind_of(w, g->flags)) {
			case BYTES: slot(y, b, values, c->stream, t, w, x, index, BYTES); break;
			case BITS: slot(y, b, values, c->stream, t, w, x, index, BITS); break;
			case WIDE: slot(y, b, values, c->stream, t, w, x, index, WIDE); break;
			case SINGLE: slot(y, b, values, c->stream, t, w, x, index, SINGLE); break;
			}
			values += b * w;
		}
		if (!(g->flags & LAST)) continue;
		put(c, b, row, y);
		row += LANES;
#pragma clang loop unroll(full)
		for (int i = 0; i < b; i++) y[i][0] = y[i][1] = (f64x4){};
	}
}

#if WIDTH == 4
KERNEL(blocks2, const struct slot_call *c) { multiply(c, 2); }
KERNEL(blocks3, const struct slot_call *c) { multiply(c, 3); }
KERNEL(blocks4, const struct slot_call *c) { multiply(c, 4); }
KERNEL(blocks5, const struct slot_call *c) { multiply(c, 5); }
KERNEL(blocks6, const struct slot_call *c) { multiply(c, 6); }
#endif
