// Slots of b x b blocks of the lower triangle of a symmetric matrix; see MulSymmetric.
//
// The order of the source keeps values in registers; clang's scheduler would not:
// Flags for avx512: -mllvm -enable-misched=false -mllvm -pre-RA-sched=source
#include "symmetric.h"

// slice is x and the sums of the rows of a slice, in registers.
struct slice {
	f64v own[MAX_BLOCK][PARTS], y[MAX_BLOCK][PARTS];
};

INLINE void add2(double *sum, f64x2 v) { STORE(sum, LOAD(f64x2, sum) + v); }
INLINE void add4(double *sum, f64x4 v) { STORE(sum, LOAD(f64x4, sum) + v); }

// add_fours adds the vectors t0 to t3 to four sums of each column, add_twos t0 and t1 to two, lane after lane: lanes
// may share columns.
#if WIDTH == 8
#define HALF(v, h) __builtin_shufflevector(v, v, 4 * h, 4 * h + 1, 4 * h + 2, 4 * h + 3)
#define QUARTER(v, h) __builtin_shufflevector(v, v, 2 * h, 2 * h + 1)

INLINE void add_fours(double *p[WIDTH], f64v t0, f64v t1, f64v t2, f64v t3) {
	f64v a = EVEN(t0, t1), b = ODD(t0, t1), c = EVEN(t2, t3), d = ODD(t2, t3);
	f64v s0 = __builtin_shufflevector(a, c, 0, 1, 8, 9, 2, 3, 10, 11), s1 = __builtin_shufflevector(b, d, 0, 1, 8, 9, 2, 3, 10, 11);
	f64v s2 = __builtin_shufflevector(a, c, 4, 5, 12, 13, 6, 7, 14, 15), s3 = __builtin_shufflevector(b, d, 4, 5, 12, 13, 6, 7, 14, 15);
	add4(p[0], HALF(s0, 0));
	add4(p[1], HALF(s1, 0));
	add4(p[2], HALF(s0, 1));
	add4(p[3], HALF(s1, 1));
	add4(p[4], HALF(s2, 0));
	add4(p[5], HALF(s3, 0));
	add4(p[6], HALF(s2, 1));
	add4(p[7], HALF(s3, 1));
}

INLINE void add_twos(double *p[WIDTH], f64v t0, f64v t1) {
	f64v a = EVEN(t0, t1), b = ODD(t0, t1);
	add2(p[0], QUARTER(a, 0));
	add2(p[1], QUARTER(b, 0));
	add2(p[2], QUARTER(a, 1));
	add2(p[3], QUARTER(b, 1));
	add2(p[4], QUARTER(a, 2));
	add2(p[5], QUARTER(b, 2));
	add2(p[6], QUARTER(a, 3));
	add2(p[7], QUARTER(b, 3));
}
#else
INLINE void add_fours(double *p[WIDTH], f64v t0, f64v t1, f64v t2, f64v t3) {
	f64v a = __builtin_shufflevector(t0, t1, 0, 4, 2, 6), b = __builtin_shufflevector(t0, t1, 1, 5, 3, 7);
	f64v c = __builtin_shufflevector(t2, t3, 0, 4, 2, 6), d = __builtin_shufflevector(t2, t3, 1, 5, 3, 7);
	add4(p[0], __builtin_shufflevector(a, c, 0, 1, 4, 5));
	add4(p[1], __builtin_shufflevector(b, d, 0, 1, 4, 5));
	add4(p[2], __builtin_shufflevector(a, c, 2, 3, 6, 7));
	add4(p[3], __builtin_shufflevector(b, d, 2, 3, 6, 7));
}

INLINE void add_twos(double *p[WIDTH], f64v t0, f64v t1) {
	f64v a = __builtin_shufflevector(t0, t1, 0, 4, 2, 6), b = __builtin_shufflevector(t0, t1, 1, 5, 3, 7);
	add2(p[0], __builtin_shufflevector(a, a, 0, 1));
	add2(p[1], __builtin_shufflevector(b, b, 0, 1));
	add2(p[2], __builtin_shufflevector(a, a, 2, 3));
	add2(p[3], __builtin_shufflevector(b, b, 2, 3));
}
#endif

// scatter adds the vectors t[j] to element j of the sums of columns.
INLINE void scatter(double *sums, const u16 *block, int b, int stride, const f64v t[]) {
	double *p[WIDTH];
	UNROLL for (int l = 0; l < WIDTH; l++) p[l] = sums + block[l] * stride;
	if (b == 2) add_twos(p, t[0], t[1]);
	if (b > 2) add_fours(p, t[0], t[1], t[2], b > 3 ? t[3] : (f64v){});
	if (b < 5) return;
	UNROLL for (int l = 0; l < WIDTH; l++) p[l] += 4;
	add_twos(p, t[4], b > 5 ? t[5] : (f64v){});
}

// rows_of returns the block rows of a slice, which it may put into `at`.
INLINE const u16 *rows_of(u16 at[LANES], const struct symmetric_call *c, i64 done) {
	if (c->order) return c->order + done;
	UNROLL for (int l = 0; l < LANES; l++) at[l] = (u16)(done + l);
	return at;
}

// begin starts a slice of n rows, which are at rows[l].
INLINE void begin(struct slice *s, const u16 *rows, i64 n, const struct symmetric_call *c, int b, const struct masks *q) {
	f64v own[PARTS][MAX_BLOCK];
	if (n == LANES) {
		UNROLL for (int h = 0; h < PARTS; h++) columns(own[h], b, c->x_row, rows + WIDTH * h, b, q);
	} else {
		double x[MAX_BLOCK][LANES] = {};
#pragma clang loop unroll(disable)
		for (i64 l = 0; l < n; l++) {
			UNROLL for (int i = 0; i < b; i++) x[i][l] = c->x_row[b * rows[l] + i];
		}
		UNROLL for (int h = 0; h < PARTS; h++) {
			UNROLL for (int i = 0; i < b; i++) own[h][i] = LOAD(f64v, x[i] + WIDTH * h);
		}
	}
	UNROLL for (int i = 0; i < b; i++) {
		UNROLL for (int h = 0; h < PARTS; h++) s->own[i][h] = own[h][i], s->y[i][h] = (f64v){};
	}
}

INLINE void end(const struct slice *s, const u16 *rows, i64 n, const struct symmetric_call *c, int b, int stride) {
	f64v y[PARTS][MAX_BLOCK];
	UNROLL for (int i = 0; i < b; i++) {
		UNROLL for (int h = 0; h < PARTS; h++) y[h][i] = s->y[i][h];
	}
	if (n == LANES) {
		UNROLL for (int h = 0; h < PARTS; h++) scatter(c->sums_row, rows + WIDTH * h, b, stride, y[h]);
		return;
	}
	double sums[MAX_BLOCK][LANES];
	UNROLL for (int i = 0; i < b; i++) {
		UNROLL for (int h = 0; h < PARTS; h++) STORE(sums[i] + WIDTH * h, y[h][i]);
	}
#pragma clang loop unroll(disable)
	for (i64 l = 0; l < n; l++) {
		double *to = c->sums_row + stride * rows[l];
		UNROLL for (int i = 0; i < b; i++) to[i] += sums[i][l];
	}
}

// line multiplies a part of a slot by row i of its blocks: the blocks with x of the columns, and their transposes
// with x of the row.
INLINE void line(struct slice *s, int b, int i, int h, const u8 *row, const struct slot_table *t, u64 w,
	const f64v x[], f64v product[], enum kind kind) {
	f64v y = s->y[i][h], own = s->own[i][h];
	UNROLL for (int j = 0; j < b; j++) {
		f64v m = decode(row + j * w, t, w, h, kind);
		y = fma(m, x[j], y);
		if (kind != SINGLE) product[j] = i == 0 ? m * own : fma(m, own, product[j]);
		if (h == 0) PREFETCH(row + j * w + 4096);
	}
	s->y[i][h] = y;
}

// slot multiplies by the blocks of a slot, and by their transposes if they are below the diagonal, except for float32
// ones.
INLINE void slot(struct slice *s, int b, int stride, const u8 *from, i64 stream, const struct slot_table *t, u64 w,
	const double *x, double *sums, const u16 *index, enum kind kind, const struct masks *q) {
	w = width_of(w, kind);
	UNROLL for (int h = 0; h < PARTS; h++) {
		f64v v[MAX_BLOCK], product[MAX_BLOCK];
		columns(v, b, x, index + WIDTH * h, b, q);
		line(s, b, 0, h, from, t, w, v, product, kind);
		const u8 *row = from + stream;
		if (b <= IN_REGISTERS) {
			UNROLL for (int i = 1; i < b; i++, row += stream) line(s, b, i, h, row, t, w, v, product, kind);
		} else {
#pragma clang loop unroll(disable)
			for (int i = 1; i < b; i++, row += stream) line(s, b, i, h, row, t, w, v, product, kind);
		}
		if (kind != SINGLE) scatter(sums, index + WIDTH * h, b, stride, product);
	}
}

// on_diagonal multiplies by the blocks of a slot on the diagonal.
INLINE void on_diagonal(struct slice *s, int b, const u8 *from, i64 stream, const struct slot_table *t, u64 w, enum kind kind) {
#if WIDTH == 8
	UNROLL
#else
	_Pragma("clang loop unroll(disable)")
#endif
	for (int i = 0; i < b; i++, from += stream) {
#if WIDTH == 8
		UNROLL
#endif
		for (int j = 0; j < b; j++) {
			UNROLL for (int h = 0; h < PARTS; h++) s->y[i][h] = fma(decode(from + j * w, t, w, h, kind), s->own[j][h], s->y[i][h]);
		}
	}
}

INLINE void multiply(const struct symmetric_call *c, int b) {
	const int stride = b > 4 ? 8 : b > 2 ? 4 : 2;
	const u8 *widths = c->widths, *values = c->values;
	const u16 *index = c->index;
	const struct masks q = masks_of(b);
	struct slice s;
	i64 done = 0, n = 0;
	u16 at[LANES];
	const u16 *rows = 0;
	for (const struct slot_group *g = c->groups, *last = g + c->count; g < last; g++) {
		i64 base = g->base;
		if (n == 0) {
			n = c->rows - done < LANES ? c->rows - done : LANES;
			rows = rows_of(at, c, done);
			begin(&s, rows, n, c, b, &q);
		}
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
				case DOUBLE: on_diagonal(&s, b, values, c->stream, t, w, DOUBLE); break;
				default: on_diagonal(&s, b, values, c->stream, t, w, WIDE); break;
				}
			} else {
				switch (kind) {
				case BYTES: slot(&s, b, stride, values, c->stream, t, w, x, sums, index, BYTES, &q); break;
				case BITS: slot(&s, b, stride, values, c->stream, t, w, x, sums, index, BITS, &q); break;
				case WIDE: slot(&s, b, stride, values, c->stream, t, w, x, sums, index, WIDE, &q); break;
				case SINGLE: slot(&s, b, stride, values, c->stream, t, w, x, sums, index, SINGLE, &q); break;
				case DOUBLE: slot(&s, b, stride, values, c->stream, t, w, x, sums, index, DOUBLE, &q); break;
				}
				index += LANES;
			}
			values += b * w;
		}
		if (!(g->flags & LAST)) continue;
		end(&s, rows, n, c, b, stride);
		done += n;
		n = 0;
	}
}

KERNEL(symmetric2, const struct symmetric_call *c) { multiply(c, 2); }
KERNEL(symmetric3, const struct symmetric_call *c) { multiply(c, 3); }
KERNEL(symmetric4, const struct symmetric_call *c) { multiply(c, 4); }
KERNEL(symmetric5, const struct symmetric_call *c) { multiply(c, 5); }
KERNEL(symmetric6, const struct symmetric_call *c) { multiply(c, 6); }
