// Blocks of four rows and one column, BCRS4x1; see BCRSMulVec and BCRSMulVecDD, and BCRSMulVecT for the
// transpose.
#include "ddrows.h"

#if WIDTH == 4
enum { ROWS = 4 };

// bcrs_call is bcrsCall of Go.
struct bcrs_call {
	double *dst, *dst_lo;
	i64 rows;
	const i64 *start; // first block of each block row
	const i32 *col;
	const double *val;
	const double *x, *x_lo;
	const i64 *end;       // of the transpose: behind the last block of each block row
	i64 first, last;      // and its elements of dst, the columns first to last-1
};

INLINE void block(struct sums *s, const struct bcrs_call *c, i64 k, int flags) {
	PREFETCH(c->val + ROWS * k + 512);
	PREFETCH(c->col + k + 256);
	i32 j = c->col[k];
	f64x4 a = LOAD(f64x4, c->val + ROWS * k), x = splat(c->x[j]);
	if (flags & TWOFOLD) ADD_PRODUCT(s->h, s->l, a, x, splat(c->x_lo[j]), flags);
	else s->h = fma(a, x, s->h);
}

INLINE void multiply(const struct bcrs_call *call, int flags) {
	const struct bcrs_call c = *call;
	for (i64 i = 0, k = c.start[0]; i < c.rows; i += ROWS) {
		struct sums even = {}, odd = {}, y;
		i64 end = c.start[i / ROWS + 1];
		for (; k + 2 <= end; k += 2) {
			block(&even, &c, k, flags);
			block(&odd, &c, k + 1, flags);
		}
		if (k < end) block(&even, &c, k++, flags);
		y = plus(even, odd, flags);
		if (flags & TWOFOLD) TWO_SUM(y.h, y.l, y.h, y.l);
		if (i + ROWS <= c.rows) {
			STORE(c.dst + i, y.h);
			if (flags & TWOFOLD) STORE(c.dst_lo + i, y.l);
			continue;
		}
		for (i64 r = i; r < c.rows; r++) {
			c.dst[r] = y.h[r - i];
			if (flags & TWOFOLD) c.dst_lo[r] = y.l[r - i];
		}
	}
}

// rows_of returns the elements of x of a block row of n rows.
INLINE f64x4 rows_of(const double *x, i64 n) {
	if (n >= ROWS) return LOAD(f64x4, x);
	f64x4 v = {x[0]};
	if (n > 1) v[1] = x[1];
	if (n > 2) v[2] = x[2];
	return v;
}

// product returns those of the rows of block k.
INLINE struct sums product(const struct bcrs_call *c, i64 k, struct sums x, int flags) {
	f64x4 a = LOAD(f64x4, c->val + ROWS * k), p = a * x.h, e = splat(0);
	if (flags & TWOFOLD) e = fma(a, x.l, fma(a, x.h, -p));
	return (struct sums){p, e};
}

// add_columns adds the sums of four blocks, or of the first n, to the elements of dst of their columns.
INLINE void add_columns(const struct bcrs_call *c, const i32 *col, struct sums s, i64 n, int flags) {
	double *y = c->dst, *y_lo = c->dst_lo;
	if (n == 4 && col[3] == col[0] + 3) {
		struct sums old = {LOAD(f64x4, y + col[0]), flags & TWOFOLD ? LOAD(f64x4, y_lo + col[0]) : s.l};
		s = plus(old, s, flags);
		STORE(y + col[0], s.h);
		if (flags & TWOFOLD) STORE(y_lo + col[0], s.l);
		return;
	}
	UNROLL for (int k = 0; k < 4; k++) {
		if (k >= n) break;
		if (flags & TWOFOLD) {
			double e;
			TWO_SUM(y[col[k]], e, y[col[k]], s.h[k]);
			y_lo[col[k]] = (y_lo[col[k]] + s.l[k]) + e;
		} else {
			y[col[k]] += s.h[k];
		}
	}
}

INLINE void multiply_transposed(const struct bcrs_call *call, int flags) {
	const struct bcrs_call c = *call;
	for (i64 j = c.first; j < c.last; j++) {
		c.dst[j] = 0;
		if (flags & TWOFOLD) c.dst_lo[j] = 0;
	}
	for (i64 i = 0; i < c.rows; i += ROWS) {
		i64 k = c.start[i / ROWS], end = c.end[i / ROWS];
		if (k == end) continue;
		struct sums x = {rows_of(c.x + i, c.rows - i), splat(0)}, s[4];
		if (flags & TWOFOLD) x.l = rows_of(c.x_lo + i, c.rows - i);
		for (; k + 4 <= end; k += 4) {
			PREFETCH(c.val + ROWS * k + 512);
			PREFETCH(c.val + ROWS * k + 520);
			PREFETCH(c.col + k + 256);
			UNROLL for (int b = 0; b < 4; b++) s[b] = product(&c, k + b, x, flags);
			add_columns(&c, c.col + k, total(s, flags), 4, flags);
		}
		if (k == end) continue;
		s[1] = s[2] = s[3] = (struct sums){};
		s[0] = product(&c, k, x, flags);
		if (k + 1 < end) s[1] = product(&c, k + 1, x, flags);
		if (k + 2 < end) s[2] = product(&c, k + 2, x, flags);
		add_columns(&c, c.col + k, total(s, flags), end - k, flags);
	}
	if (!(flags & TWOFOLD)) return;
	i64 j = c.first;
	for (; j + 4 <= c.last; j += 4) PUT(c.dst + j, c.dst_lo + j, LOAD(f64x4, c.dst + j), LOAD(f64x4, c.dst_lo + j));
	for (; j < c.last; j++) PUT(c.dst + j, c.dst_lo + j, c.dst[j], c.dst_lo[j]);
}

KERNEL(bcrs, const struct bcrs_call *c) { multiply(c, 0); }

KERNEL(bcrsDD, const struct bcrs_call *c) { multiply(c, TWOFOLD); }

KERNEL(bcrsT, const struct bcrs_call *c) { multiply_transposed(c, 0); }

KERNEL(bcrsTDD, const struct bcrs_call *c) { multiply_transposed(c, TWOFOLD); }
#endif
