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
struct state { f64v h[2][PARTS], l[2][PARTS]; };

INLINE void slot(struct state *s, int odd, const struct sell8_call *c, i64 k, int flags) {
	const double *val = c->val + ROWS * k;
	const i32 *col = c->col + ROWS * k;
	PREFETCH(val + 512);
	if (odd) PREFETCH(col + 512);
	UNROLL for (int p = 0; p < PARTS; p++) {
		i32v at = LOAD(i32v, col + WIDTH * p);
		f64v a = LOAD(f64v, val + WIDTH * p), x = gather(c->x, at);
		if (flags & TWOFOLD) ADD_PRODUCT(s->h[odd][p], s->l[odd][p], a, x, gather(c->x_lo, at), flags);
		else s->h[odd][p] = fma(a, x, s->h[odd][p]);
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
		double y[ROWS], y_lo[ROWS];
		UNROLL for (int p = 0; p < PARTS; p++) {
			if (flags & TWOFOLD) {
				f64v h, l;
				TWO_SUM(h, l, s.h[0][p], s.h[1][p]);
				l += s.l[0][p] + s.l[1][p];
				PUT(y + WIDTH * p, y_lo + WIDTH * p, h, l);
			} else {
				STORE(y + WIDTH * p, s.h[0][p] + s.h[1][p]);
			}
		}
		if (i + ROWS <= c.rows) {
			__builtin_memcpy(c.dst + i, y, sizeof y);
			if (flags & TWOFOLD) __builtin_memcpy(c.dst_lo + i, y_lo, sizeof y);
			continue;
		}
		for (i64 r = i; r < c.rows; r++) {
			c.dst[r] = y[r - i];
			if (flags & TWOFOLD) c.dst_lo[r] = y_lo[r - i];
		}
	}
}

KERNEL(sell8, const struct sell8_call *c) { multiply(c, 0); }

KERNEL(sell8DD, const struct sell8_call *c) { multiply(c, TWOFOLD); }

KERNEL(sell8DDNormal, const struct sell8_call *c) { multiply(c, TWOFOLD | NORMAL); }
