// Residuals of rows of compressed sparse row storage in double-double; see CSRResidualDD. Each lane has a row, whose
// products are subtracted one by one; each sum is renormalised. Two vectors of rows take turns, since an addition
// waits for the one before.
#include "ddrows.h"

#if WIDTH == 4
enum { TURNS = 2, ROWS = TURNS * WIDTH };

// residual_call is residualCall of Go.
struct residual_call {
	double *r;
	const double *b;
	i64 rows; // a multiple of ROWS
	const i64 *row_ptr;
	const i32 *col;
	const double *val;
	const double *x;
};

// either returns a where bits are set, and b elsewhere.
INLINE f64v either(i64v set, f64v a, f64v b) { return (f64v)((set & (i64v)a) | (~set & (i64v)b)); }

// step subtracts element k of four rows. If rows may be ragged, shorter ones keep their sums: subtracting a zero
// would make an infinite sum NaN.
INLINE ddv step(ddv s, const struct residual_call *c, const i64 *row_ptr, i64 k, int ragged) {
	f64v v = {}, x = {};
	i64v there = {};
	UNROLL for (int l = 0; l < WIDTH; l++) {
		i64 p = row_ptr[l] + k;
		if (ragged && p >= row_ptr[l + 1]) continue;
		v[l] = c->val[p];
		x[l] = c->x[c->col[p]];
		there[l] = -1;
	}
	ddv next = plus(s, two_prod(-v, x), TWOFOLD | NORMAL);
	return ragged ? (ddv){either(there, next.hi, s.hi), either(there, next.lo, s.lo)} : next;
}

KERNEL(residual, const struct residual_call *call) {
	const struct residual_call c = *call;
	for (i64 i = 0; i < c.rows; i += ROWS) {
		const i64 *row_ptr = c.row_ptr + i;
		i64 least = row_ptr[1] - row_ptr[0], most = least;
		UNROLL for (int l = 1; l < ROWS; l++) {
			i64 n = row_ptr[l + 1] - row_ptr[l];
			least = n < least ? n : least;
			most = n > most ? n : most;
		}
		ddv s[TURNS];
		UNROLL for (int t = 0; t < TURNS; t++) s[t] = (ddv){LOAD(f64v, c.b + i + WIDTH * t), {}};
		i64 k = 0;
		for (; k < least; k++) UNROLL for (int t = 0; t < TURNS; t++) s[t] = step(s[t], &c, row_ptr + WIDTH * t, k, 0);
		for (; k < most; k++) UNROLL for (int t = 0; t < TURNS; t++) s[t] = step(s[t], &c, row_ptr + WIDTH * t, k, 1);
		UNROLL for (int t = 0; t < TURNS; t++) STORE(c.r + i + WIDTH * t, s[t].hi + s[t].lo);
	}
}
#endif
