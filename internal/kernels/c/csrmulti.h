// Rows of compressed sparse row storage times K vectors; included once for each K.
#include "width.h"

enum { FN(PARTS) = K / W };

INLINE void FN(add)(VEC s[], double value, const double *x) {
	UNROLL for (int v = 0; v < FN(PARTS); v++) s[v] += FN(splat)(value) * AT(x + v * W);
}

INLINE void FN(multiply)(const struct csr_multi_call *c, int single) {
	const i64 *row_ptr = c->row_ptr, safe = c->elements - AHEAD - 4;
	const i32 *col = c->col;
	const double *x = c->x;
	double *dst = c->dst;
	for (i64 i = 0, p = row_ptr[0]; i < c->n; i++, dst += K) {
		VEC s[4][FN(PARTS)];
		UNROLL for (int l = 0; l < 4; l++) UNROLL for (int v = 0; v < FN(PARTS); v++) s[l][v] = (VEC){};
		i64 end = row_ptr[i + 1];
		NO_UNROLL for (; p + 4 <= end; p += 4) {
			PREFETCH((const char *)c->val + (p + FAR) * (single ? 4 : 8));
			PREFETCH(col + p + FAR);
			if (p < safe) UNROLL for (int l = 0; l < 4; l++) PREFETCH(x + (i64)K * col[p + AHEAD + l]);
			UNROLL for (int l = 0; l < 4; l++) FN(add)(s[l], value(c, p + l, single), x + (i64)K * col[p + l]);
		}
		if (p < end) FN(add)(s[0], value(c, p, single), x + (i64)K * col[p]);
		if (p + 1 < end) FN(add)(s[1], value(c, p + 1, single), x + (i64)K * col[p + 1]);
		if (p + 2 < end) FN(add)(s[2], value(c, p + 2, single), x + (i64)K * col[p + 2]);
		p = end;
		UNROLL for (int v = 0; v < FN(PARTS); v++) STORE(dst + v * W, (s[0][v] + s[1][v]) + (s[2][v] + s[3][v]));
	}
}
