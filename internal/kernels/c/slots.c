// Slots of single elements; see MulSlots.
#include "slots.h"
#if WIDTH == 4

INLINE f64x4 elements(const double *x, const u16 *index) {
	return (f64x4){x[index[0]], x[index[1]], x[index[2]], x[index[3]]};
}

// put stores the sums of rows from `row` on.
INLINE void put(const struct slot_call *c, i64 row, i64 n, f64x4 low, f64x4 high) {
	double *dst = c->dst;
	if (n == LANES && !c->order) {
		dst += row;
		f64x4 u0 = splat(c->factor), u1 = u0;
		if (c->exp) {
			u64x4 bias = (u64x4){(u64)c->bias, (u64)c->bias, (u64)c->bias, (u64)c->bias};
			u0 = (f64x4)(((u64x4)__builtin_convertvector(LOAD(i32x4, c->exp + row), i64x4) + bias) << 52);
			u1 = (f64x4)(((u64x4)__builtin_convertvector(LOAD(i32x4, c->exp + row + 4), i64x4) + bias) << 52);
		}
		if (c->add) {
			STORE(dst, fma(low, u0, LOAD(f64x4, dst)));
			STORE(dst + 4, fma(high, u1, LOAD(f64x4, dst + 4)));
		} else {
			STORE(dst, low * u0);
			STORE(dst + 4, high * u1);
		}
		return;
	}
	double sums[LANES];
	STORE(sums, low);
	STORE(sums + 4, high);
#pragma clang loop unroll(disable)
	for (i64 l = 0; l < n; l++) {
		i64 i = c->order ? c->order[row + l] : row + l;
		double u = c->exp ? unit_of(c->exp, (u64)c->bias, i) : c->factor;
		dst[i] = c->add ? __builtin_fma(sums[l], u, dst[i]) : sums[l] * u;
	}
}

// slot adds the products of the slot at *from to the sums.
INLINE void slot(f64x4 s[2], const u8 **from, const struct slot_table *t, u64 w, f64x4 x0, f64x4 x1, enum kind kind) {
	PREFETCH(*from + 2048);
	s[0] = fma(decode(*from, t, w, 0, kind), x0, s[0]);
	s[1] = fma(decode(*from, t, w, 1, kind), x1, s[1]);
	*from += w;
}

INLINE void any_slot(f64x4 s[2], const u8 **from, const struct slot_table *t, u64 w, u64 flags, f64x4 x0, f64x4 x1) {
	switch (kind_of(w, flags)) {
	case BYTES: slot(s, from, t + w, w, x0, x1, BYTES); break;
	case BITS: slot(s, from, t + w, w, x0, x1, BITS); break;
	case WIDE: slot(s, from, t + w, w, x0, x1, WIDE); break;
	case SINGLE: slot(s, from, t, 32, x0, x1, SINGLE); break;
	}
}

KERNEL(slots, const struct slot_call *c) {
	const u8 *widths = c->widths, *values[2] = {c->values, c->values + c->stream};
	const u16 *index = c->index;
	f64x4 even[2] = {}, odd[2] = {};
	i64 row = 0;
	for (const struct slot_group *g = c->groups, *end = g + c->count; g < end; g++) {
		const double *x = c->x + g->base;
		const u8 *last = widths + g->slots;
		if (g->flags & DIAGONAL) {
			const i32 *offset = c->offsets + g->base;
			x = c->x_row + row;
			for (; widths + 1 < last; widths += 2, offset += 2) {
				const double *p = x + offset[0], *q = x + offset[1];
				any_slot(even, &values[0], c->tables, widths[0], 0, LOAD(f64x4, p), LOAD(f64x4, p + 4));
				any_slot(odd, &values[1], c->tables, widths[1], 0, LOAD(f64x4, q), LOAD(f64x4, q + 4));
			}
			if (widths < last) {
				const double *p = x + offset[0];
				any_slot(even, &values[0], c->tables, *widths++, 0, LOAD(f64x4, p), LOAD(f64x4, p + 4));
			}
		} else {
			for (; widths + 1 < last; widths += 2, index += 2 * LANES) {
				PREFETCH(index + 512);
				any_slot(even, &values[0], c->tables, widths[0], g->flags, elements(x, index), elements(x, index + 4));
				any_slot(odd, &values[1], c->tables, widths[1], g->flags, elements(x, index + 8), elements(x, index + 12));
			}
			if (widths < last) {
				any_slot(even, &values[0], c->tables, *widths++, g->flags, elements(x, index), elements(x, index + 4));
				index += LANES;
			}
		}
		if (!(g->flags & LAST)) continue;
		f64x4 low = even[0] + odd[0], high = even[1] + odd[1];
		i64 n = c->rows - row < LANES ? c->rows - row : LANES;
		if (g->flags & ONE_ROW) {
			n = 1;
			low = splat(fold(low, high));
		}
		put(c, row, n, low, high);
		row += n;
		even[0] = even[1] = odd[0] = odd[1] = (f64x4){};
	}
}
#endif
