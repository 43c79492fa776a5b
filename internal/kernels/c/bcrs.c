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
	const i64 *end;       // of the transpose: after the last block of each block row
	i64 first, last;      // and its elements of dst, the columns first to last-1
};

INLINE void block(ddv *s, const struct bcrs_call *c, i64 k, int flags) {
	PREFETCH(c->val + ROWS * k + 512);
	PREFETCH(c->col + k + 256);
	i32 j = c->col[k];
	ddv x = {all(c->x[j]), {}};
	if (flags & TWOFOLD) x.lo = all(c->x_lo[j]);
	*s = plus_product(*s, LOAD(f64v, c->val + ROWS * k), x, flags);
}

INLINE void multiply(const struct bcrs_call *call, int flags) {
	const struct bcrs_call c = *call;
	for (i64 i = 0, k = c.start[0]; i < c.rows; i += ROWS) {
		ddv even = {}, odd = {};
		i64 end = c.start[i / ROWS + 1];
		for (; k + 2 <= end; k += 2) {
			block(&even, &c, k, flags);
			block(&odd, &c, k + 1, flags);
		}
		if (k < end) block(&even, &c, k++, flags);
		even = plus(even, odd, flags);
		if (i + ROWS <= c.rows) put_all(c.dst + i, c.dst_lo + i, even, flags);
		else put_first(c.dst + i, c.dst_lo + i, c.rows - i, even, flags);
	}
}

// rows_of returns the elements of x of a block row of n rows.
INLINE f64v rows_of(const double *x, i64 n) {
	if (n >= ROWS) return LOAD(f64v, x);
	f64v v = {x[0]};
	if (n > 1) v[1] = x[1];
	if (n > 2) v[2] = x[2];
	return v;
}

// product returns the products of the rows of block k.
INLINE ddv product(const struct bcrs_call *c, i64 k, ddv x, int flags) {
	f64v a = LOAD(f64v, c->val + ROWS * k);
	return flags & TWOFOLD ? d_prod(a, x) : (ddv){a * x.hi, a};
}

// add_columns adds s to the elements of dst in four columns.
INLINE void add_columns(const struct bcrs_call *c, const i32 *col, ddv s, int flags) {
	double *y = c->dst, *y_lo = c->dst_lo;
	ddv old = s;
	if (col[3] == col[0] + 3) {
		old.hi = LOAD(f64v, y + col[0]);
		if (flags & TWOFOLD) old.lo = LOAD(f64v, y_lo + col[0]);
		s = plus(old, s, flags);
		STORE(y + col[0], s.hi);
		if (flags & TWOFOLD) STORE(y_lo + col[0], s.lo);
		return;
	}
	old.hi = (f64v){y[col[0]], y[col[1]], y[col[2]], y[col[3]]};
	if (flags & TWOFOLD) old.lo = (f64v){y_lo[col[0]], y_lo[col[1]], y_lo[col[2]], y_lo[col[3]]};
	s = plus(old, s, flags);
	UNROLL for (int k = 0; k < 4; k++) {
		y[col[k]] = s.hi[k];
		if (flags & TWOFOLD) y_lo[col[k]] = s.lo[k];
	}
}

// add_column adds lane k of s to the element of dst in a column.
INLINE void add_column(const struct bcrs_call *c, i32 col, ddv s, int k, int flags) {
	ddv old = s;
	old.hi[k] = c->dst[col];
	if (flags & TWOFOLD) old.lo[k] = c->dst_lo[col];
	s = plus(old, s, flags);
	c->dst[col] = s.hi[k];
	if (flags & TWOFOLD) c->dst_lo[col] = s.lo[k];
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
		ddv x = {rows_of(c.x + i, c.rows - i), {}}, s[4];
		if (flags & TWOFOLD) x.lo = rows_of(c.x_lo + i, c.rows - i);
		for (; k + 4 <= end; k += 4) {
			PREFETCH(c.val + ROWS * k + 512);
			PREFETCH(c.val + ROWS * k + 520);
			PREFETCH(c.col + k + 256);
			UNROLL for (int b = 0; b < 4; b++) s[b] = product(&c, k + b, x, flags);
			add_columns(&c, c.col + k, total(s, flags), flags);
		}
		if (k == end) continue;
		s[1] = s[2] = s[3] = (ddv){};
		s[0] = product(&c, k, x, flags);
		if (k + 1 < end) s[1] = product(&c, k + 1, x, flags);
		if (k + 2 < end) s[2] = product(&c, k + 2, x, flags);
		ddv t = total(s, flags);
		add_column(&c, c.col[k], t, 0, flags);
		if (k + 1 < end) add_column(&c, c.col[k + 1], t, 1, flags);
		if (k + 2 < end) add_column(&c, c.col[k + 2], t, 2, flags);
	}
	if (!(flags & TWOFOLD)) return;
	for (i64 j = c.first; j < c.last; j += ROWS) {
		ddv y = {rows_of(c.dst + j, c.last - j), rows_of(c.dst_lo + j, c.last - j)};
		if (j + ROWS <= c.last) put_all(c.dst + j, c.dst_lo + j, y, flags);
		else put_first(c.dst + j, c.dst_lo + j, c.last - j, y, flags);
	}
}

KERNEL(bcrs, const struct bcrs_call *c) { multiply(c, 0); }

KERNEL(bcrsDD, const struct bcrs_call *c) { multiply(c, TWOFOLD); }

KERNEL(bcrsT, const struct bcrs_call *c) { multiply_transposed(c, 0); }

KERNEL(bcrsTDD, const struct bcrs_call *c) { multiply_transposed(c, TWOFOLD); }
#endif
