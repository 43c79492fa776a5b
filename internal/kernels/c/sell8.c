// Chunks of eight rows in SELL-8; see SELL8MulVec and SELL8MulVecDD.
#include "ddrows.h"

enum { ROWS = 8, PARTS = ROWS / WIDTH };

// sell8_call is sell8Call of Go.
struct sell8_call {
	double *dst, *dst_lo;
	i64 rows;
	const i64 *start; // slot of each chunk
	const i32 *col;
	const double *val;
	const double *x, *x_lo;
};

// Sums of the even and the odd slots, in parts of WIDTH rows.
struct state { ddv sum[2][PARTS]; };

INLINE void slot(struct state *s, int odd, const struct sell8_call *c, i64 k, int flags) {
	const double *val = c->val + ROWS * k;
	const i32 *col = c->col + ROWS * k;
	PREFETCH(val + 512);
	if (odd) PREFETCH(col + 512);
	UNROLL for (int p = 0; p < PARTS; p++) {
		i32v at = LOAD(i32v, col + WIDTH * p);
		ddv x = {gather(c->x, at), {}};
		if (flags & TWOFOLD) x.lo = gather(c->x_lo, at);
		ddv *sum = &s->sum[flags & TWOFOLD ? 0 : odd][p]; // double-double has one sum, lest registers run out
		*sum = plus_product(*sum, LOAD(f64v, val + WIDTH * p), x, flags);
	}
}

INLINE void multiply(const struct sell8_call *call, int flags) {
	const struct sell8_call c = *call;
	for (i64 i = 0, k = c.start[0]; i < c.rows; i += ROWS) {
		struct state s = {};
		i64 end = c.start[i / ROWS + 1];
		for (; k + 2 <= end; k += 2) {
			slot(&s, 0, &c, k, flags);
			slot(&s, 1, &c, k + 1, flags);
		}
		if (k < end) slot(&s, 0, &c, k++, flags);
		UNROLL for (int p = 0; p < PARTS; p++) {
			ddv y = flags & TWOFOLD ? s.sum[0][p] : plus(s.sum[0][p], s.sum[1][p], flags);
			i64 row = i + WIDTH * p, n = c.rows - row;
			if (n >= WIDTH) put_all(c.dst + row, c.dst_lo + row, y, flags);
			else put_first(c.dst + row, c.dst_lo + row, n, y, flags);
		}
	}
}

#if WIDTH == 4 // not measured with eight
KERNEL(sell8, const struct sell8_call *c) { multiply(c, 0); }

KERNEL(sell8DD, const struct sell8_call *c) { multiply(c, TWOFOLD); }

KERNEL(sell8DDNormal, const struct sell8_call *c) { multiply(c, TWOFOLD | NORMAL); }
#endif
