// Products with elements sorted by rows, each with the number of its row; see COOAddVec. Products are rounded;
// element k of a row is added to sum k mod 4, and the sums are added as (s0 + s1) + (s2 + s3).
#include "simd.h"

#define PRODUCTS(k) LOAD(f64x4, val + (k)) * (f64x4){x[col[k]], x[col[(k) + 1]], x[col[(k) + 2]], x[col[(k) + 3]]}

#if WIDTH == 4
KERNEL(coo, double dst[], const i32 row[], i64 row_len, const i32 col[], const double val[], const double x[], i64 ahead) {
	for (i64 k = 0, n = row_len; k < n;) {
		i32 r = row[k];
		f64x4 s = splat(0);
		for (; k + 4 <= n && row[k + 3] == r; k += 4) {
			PREFETCH(row + k + ahead);
			PREFETCH(col + k + ahead);
			PREFETCH(val + k + ahead);
			s += PRODUCTS(k);
		}
		if (k + 4 <= n) { // a mask selects the last elements, at most three
			i32x4 same = LOAD(i32x4, row + k) == (i32x4){r, r, r, r};
			s += (f64x4)((i64x4)(PRODUCTS(k)) & __builtin_convertvector(same, i64x4));
			PREFETCH(row + k + ahead);
			PREFETCH(col + k + ahead);
			PREFETCH(val + k + ahead);
			k += (row[k] == r) + (row[k + 1] == r) + (row[k + 2] == r);
		} else {
			if (k < n && row[k] == r) s += (f64x4){val[k] * x[col[k]]}, k++;
			else goto done;
			if (k < n && row[k] == r) s += (f64x4){0, val[k] * x[col[k]]}, k++;
			else goto done;
			if (k < n && row[k] == r) s += (f64x4){0, 0, val[k] * x[col[k]]}, k++;
		}
	done:
		dst[r] += (s[0] + s[1]) + (s[2] + s[3]);
	}
}
#endif
