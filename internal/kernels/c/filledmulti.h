// Chunks of rows padded to equal lengths times K vectors; included once for each K.
#include "width.h"

// slot adds the products of an element of each of four rows: if a slot has one column, all rows share it.
INLINE void FN(slot)(VEC s[], const double *val, const i32 *col, const double *x, int columns) {
	UNROLL for (int r = 0; r < ROWS; r++) {
		s[r] = fma(FN(splat)(val[r]), AT(x + (i64)K * col[columns > 1 ? r : 0]), s[r]);
	}
}

// multiply multiplies by chunks of so many rows, and columns per slot, four rows at a time.
INLINE void FN(multiply)(const struct filled_multi_call *c, int lanes, int columns) {
	for (i64 i = 0; i < c->rows; i += ROWS) {
		i64 begin = c->start[i / lanes], n = c->start[i / lanes + 1] - begin, rows = c->rows - i;
		const double *values = c->val + lanes * begin + i % lanes;
		const i32 *cols = c->col + columns * begin + (columns > 1 ? i % lanes : 0);
		EACH_PART {
			const double *x = c->x + v, *val = values;
			const i32 *col = cols;
			VEC even[ROWS], odd[ROWS];
			UNROLL for (int r = 0; r < ROWS; r++) even[r] = odd[r] = (VEC){};
			i64 k = 0;
			NO_UNROLL for (; k + 1 < n; k += 2, val += 2 * lanes, col += 2 * columns) {
				PREFETCH(val + 512);
				PREFETCH(val + 512 + lanes);
				PREFETCH(col + 512);
				FN(slot)(even, val, col, x, columns);
				FN(slot)(odd, val + lanes, col + columns, x, columns);
			}
			if (k < n) FN(slot)(even, val, col, x, columns);
			UNROLL for (int r = 0; r < ROWS; r++) {
				if (r < rows) STORE(c->dst + K * (i + r) + v, even[r] + odd[r]);
			}
		}
	}
}
