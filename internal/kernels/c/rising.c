// Whether row offsets and columns of a matrix rise as they must; see rising.go.
#include "simd.h"

#if WIDTH == 4
KERNEL_I64(offsets, const i64 *x, i64 n) {
	i64x4 falls = {};
	i64 i = 1;
	for (; i + 4 <= n; i += 4) falls |= LOAD(i64x4, x + i - 1) > LOAD(i64x4, x + i);
	i64 any = falls[0] | falls[1] | falls[2] | falls[3];
	for (; i < n; i++) any |= x[i - 1] > x[i];
	return any == 0;
}

typedef u32 u32w __attribute__((vector_size(32)));

KERNEL_I64(columns, const i32 *col, i64 n, const i64 *begin, i64 rows, i64 from, i64 cols) {
	i32w count = {};
	u32w most = {};
	u32 falls = 0, top = (u32)col[0]; // negative columns are above all others
	i64 i = 1;
	for (; i + 8 <= n; i += 8) {
		i32w here = LOAD(i32w, col + i);
		count -= LOAD(i32w, col + i - 1) >= here;
		most = __builtin_elementwise_max(most, (u32w)here);
	}
	UNROLL for (int l = 0; l < 8; l++) {
		falls += (u32)count[l];
		top = most[l] > top ? most[l] : top;
	}
	for (; i < n; i++) {
		falls += col[i - 1] >= col[i];
		top = (u32)col[i] > top ? (u32)col[i] : top;
	}
	i64 before = 0; // where the row before begins; empty rows count once
	for (i64 r = 0; r < rows; r++) {
		i64 at = begin[r] - from;
		if ((u64)(at - 1) >= (u64)(n - 1)) return 0;
		falls -= (at != before) & (col[at - 1] >= col[at]);
		before = at;
	}
	return falls == 0 && (i64)top < cols;
}
#endif
