// Slots of b x b blocks of the lower triangle of a symmetric matrix; see MulSymmetric.
#include "symmetric.h"
#if WIDTH == 4

// slice is what is known about the rows of a slice: x, sums, and where they are.
struct slice {
	f64x4 own[MAX_BLOCK][2], y[MAX_BLOCK][2];
	i64 rows[LANES], n;
};

INLINE void begin(struct slice *s, const struct symmetric_call *c, int b, i64 done) {
	s->n = c->rows - done < LANES ? c->rows - done : LANES;
#pragma clang loop unroll(full)
	for (int i = 0; i < b; i++) s->own[i][0] = s->own[i][1] = s->y[i][0] = s->y[i][1] = (f64x4){};
#pragma clang loop unroll(disable)
	for (i64 l = 0; l < s->n; l++) {
		i64 row = c->order ? c->order[done + l] : done + l;
		s->rows[l] = row;
#pragma clang loop unroll(full)
		for (int i = 0; i < b; i++) ((double *)s->own[i])[l] = c->x_row[b * row + i];
	}
}

INLINE void end(const struct slice *s, const struct symmetric_call *c, int b, int stride) {
#pragma clang loop unroll(disable)
	for (i64 l = 0; l < s->n; l++) {
		double *sums = c->sums_row + stride * s->rows[l];
#pragma clang loop unroll(full)
		for (int i = 0; i < b; i++) sums[i] += ((const double *)s->y[i])[l];
	}
}

INLINE void add2(double *sum, f64x2 v) { STORE(sum, LOAD(f64x2, sum) + v); }
INLINE void add4(double *sum, f64x4 v) { STORE(sum, LOAD(f64x4, sum) + v); }

// scatter adds the vectors t[j] to element j of the sums of four columns, lane after lane.
INLINE void scatter(double *sums, const u16 *block, int b, int stride, const f64x4 t[]) {
	double *p0 = sums + block[0] * stride, *p1 = sums + block[1] * stride, *p2 = sums + block[2] * stride, *p3 = sums + block[3] * stride;
	int j = 0;
#pragma clang loop unroll(full)
	for (; j + 2 < b; j += 4) {
		f64x4 t3 = j + 3 < b ? t[j + 3] : (f64x4){};
		f64x4 a = __builtin_shufflevector(t[j], t[j + 1], 0, 4, 2, 6), b_ = __builtin_shufflevector(t[j], t[j + 1], 1, 5, 3, 7);
		f64x4 c = __builtin_shufflevector(t[j + 2], t3, 0, 4, 2, 6), d = __builtin_shufflevector(t[j + 2], t3, 1, 5, 3, 7);
		add4(p0 + j, __builtin_shufflevector(a, c, 0, 1, 4, 5));
		add4(p1 + j, __builtin_shufflevector(b_, d, 0, 1, 4, 5));
		add4(p2 + j, __builtin_shufflevector(a, c, 2, 3, 6, 7));
		add4(p3 + j, __builtin_shufflevector(b_, d, 2, 3, 6, 7));
	}
	if (j >= b) return;
	f64x4 t1 = j + 1 < b ? t[j + 1] : (f64x4){};
	f64x4 a = __builtin_shufflevector(t[j], t1, 0, 4, 2, 6), b_ = __builtin_shufflevector(t[j], t1, 1, 5, 3, 7);
	add2(p0 + j, __builtin_shufflevector(a, a, 0, 1));
	add2(p1 + j, __builtin_shufflevector(b_, b_, 0, 1));
	add2(p2 + j, __builtin_shufflevector(a, a, 2, 3));
	add2(p3 + j, __builtin_shufflevector(b_, b_, 2, 3));
}

// line multiplies half of a slot with row i of its blocks: with x of the columns, and its transpose
// with x of the row.
INLINE void line(struct slice *s, int b, int i, int h, const u8 *row, const struct slot_table *t, u64 w,
	const f64x4 x[], f64x4 product[], enum kind kind) {
	f64x4 y = s->y[i][h], own = s->own[i][h];
#pragma clang loop unroll(full)
	for (int j = 0; j < b; j++) {
		f64x4 m = decode(row + j * w, t, w, h, kind);
		y = fma(m, x[j], y);
		if (kind != SINGLE) product[j] = i == 0 ? m * own : fma(m, own, product[j]);
		if (h == 0) PREFETCH(row + j * w + 4096);
	}
	s->y[i][h] = y;
}

// slot multiplies with the blocks of a slot, and with their transposes if they are below the
// diagonal, float32 ones apart.
INLINE void slot(struct slice *s, int b, int stride, const u8 *from, i64 stream, const struct slot_table *t, u64 w,
	const double *x, double *sums, const u16 *index, enum kind kind) {
	w = width_of(w, kind);
#pragma clang loop unroll(full)
	for (int h = 0; h < 2; h++) {
		f64x4 v[MAX_BLOCK], product[MAX_BLOCK];
		columns(v, b, x, index + 4 * h, b, 0);
		line(s, b, 0, h, from, t, w, v, product, kind);
		if (b <= 3) { // in registers
			line(s, b, 1, h, from + stream, t, w, v, product, kind);
			if (b == 3) line(s, b, 2, h, from + 2 * stream, t, w, v, product, kind);
		} else {
			const u8 *row = from + stream;
#pragma clang loop unroll(disable)
			for (int i = 1; i < b; i++, row += stream) line(s, b, i, h, row, t, w, v, product, kind);
		}
		if (kind != SINGLE) scatter(sums, index + 4 * h, b, stride, product);
	}
}

// on_diagonal multiplies with the blocks of a slot on the diagonal.
INLINE void on_diagonal(struct slice *s, int b, const u8 *from, i64 stream, const struct slot_table *t, u64 w, enum kind kind) {
	for (int i = 0; i < b; i++, from += stream) {
		for (int j = 0; j < b; j++) {
			s->y[i][0] = fma(decode(from + j * w, t, w, 0, kind), s->own[j][0], s->y[i][0]);
			s->y[i][1] = fma(decode(from + j * w, t, w, 1, kind), s->own[j][1], s->y[i][1]);
		}
	}
}

INLINE void multiply(const struct symmetric_call *c, int b) {
	const int stride = b > 4 ? 8 : b > 2 ? 4 : 2;
	const u8 *widths = c->widths, *values = c->values;
	const u16 *index = c->index;
	struct slice s;
	i64 done = 0;
	begin(&s, c, b, done);
	for (const struct slot_group *g = c->groups, *last = g + c->count; g < last; g++) {
		i64 base = g->base;
		const double *x = c->x + b * base;
		double *sums = c->sums + stride * (base - c->from);
		for (const u8 *stop = widths + g->slots; widths < stop; widths++) {
			u64 w = *widths;
			const struct slot_table *t = c->tables + w;
			enum kind kind = kind_of(w, g->flags);
			if (g->flags & DIAGONAL) {
				switch (kind) {
				case BYTES: on_diagonal(&s, b, values, c->stream, t, w, BYTES); break;
				case BITS: on_diagonal(&s, b, values, c->stream, t, w, BITS); break;
				default: on_diagonal(&s, b, values, c->stream, t, w, WIDE); break;
				}
			} else {
				switch (kind) {
				case BYTES: slot(&s, b, stride, values, c->stream, t, w, x, sums, index, BYTES); break;
				case BITS: slot(&s, b, stride, values, c->stream, t, w, x, sums, index, BITS); break;
				case WIDE: slot(&s, b, stride, values, c->stream, t, w, x, sums, index, WIDE); break;
				case SINGLE: slot(&s, b, stride, values, c->stream, t, w, x, sums, index, SINGLE); break;
				}
				index += LANES;
			}
			values += b * w;
		}
		if (!(g->flags & LAST)) continue;
		end(&s, c, b, stride);
		done += s.n;
		if (g + 1 < last) begin(&s, c, b, done);
	}
}

KERNEL(symmetric2, const struct symmetric_call *c) { multiply(c, 2); }
KERNEL(symmetric3, const struct symmetric_call *c) { multiply(c, 3); }
KERNEL(symmetric4, const struct symmetric_call *c) { multiply(c, 4); }
KERNEL(symmetric5, const struct symmetric_call *c) { multiply(c, 5); }
KERNEL(symmetric6, const struct symmetric_call *c) { multiply(c, 6); }
#endif
