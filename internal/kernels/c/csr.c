// Products with rows of compressed sparse row storage; see CSRMulVec. Element k of a row is
// added to sum k mod 4, products being rounded before; then (s0 + s1) + (s2 + s3).
#include "simd.h"

// csr_call is csrCall of Go.
struct csr_call {
	double *dst;
	i64 n;
	const i64 *row_ptr;
	const i32 *col;
	const void *val;
	const double *x;
	i64 elements; // of col and val in all
	i64 ahead;    // elements that are prefetched ahead, 0 for none
	i64 parts;    // of the rows, 1 or 2, that are walked in turns, four rows at a time
	const u64 *masks; // four of all ones, four zeros
};

INLINE f64x4 products(const struct csr_call *c, i64 p, int single) {
	const i32 *col = c->col + p;
	const double *x = c->x;
	f64x4 v = single ? __builtin_convertvector(LOAD(f32x4, (const float *)c->val + p), f64x4) : LOAD(f64x4, (const double *)c->val + p);
	return v * (f64x4){x[col[0]], x[col[1]], x[col[2]], x[col[3]]};
}

INLINE double product(const struct csr_call *c, i64 p, int single) {
	return (single ? ((const float *)c->val)[p] : ((const double *)c->val)[p]) * c->x[c->col[p]];
}

INLINE void prefetch(const struct csr_call *c, i64 p, int single, int far) {
	if (!far) return;
	PREFETCH((const char *)c->val + (p + c->ahead) * (single ? 4 : 8));
	PREFETCH(c->col + p + c->ahead);
}

// row returns the four sums of the elements from p to end; it reads up to four elements behind
// them. Rows of equal lengths have a rest that a processor foresees: so one of a single element is
// not worth four loads of x.
INLINE f64x4 row(const struct csr_call *c, i64 p, i64 end, int single, int even, int far) {
	f64x4 s = splat(0);
	for (; even ? p + 4 <= end : p + 4 < end; p += 4) {
		prefetch(c, p, single, far);
		s += products(c, p, single);
	}
	if (even && p == end) return s;
	if (even && p + 1 == end) return s + (f64x4){product(c, p, single)};
	prefetch(c, p, single, far);
	return s + (f64x4)((u64x4)products(c, p, single) & LOAD(u64x4, c->masks + 4 - (end - p)));
}

// total returns the sums of four rows.
INLINE f64x4 total(const f64x4 s[4]) {
	f64x4 a = __builtin_shufflevector(s[0], s[1], 0, 4, 2, 6) + __builtin_shufflevector(s[0], s[1], 1, 5, 3, 7);
	f64x4 b = __builtin_shufflevector(s[2], s[3], 0, 4, 2, 6) + __builtin_shufflevector(s[2], s[3], 1, 5, 3, 7);
	return __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

// fours multiplies with `groups` times four rows.
INLINE void fours(const struct csr_call *c, i64 groups, int single, int even, int far) {
	i64 half = c->parts > 1 ? groups / 2 : 0;
	for (i64 t = 0; t < groups; t++) {
		i64 i = 4 * (t < 2 * half ? t / 2 + (t & 1) * half : t);
		const i64 *row_ptr = c->row_ptr + i;
		f64x4 s[4];
		_Pragma("clang loop unroll(full)") for (int k = 0; k < 4; k++) s[k] = row(c, row_ptr[k], row_ptr[k + 1], single, even, far);
		STORE(c->dst + i, total(s));
	}
}

// alike tells whether three quarters of the first rows have as many elements as those before.
INLINE int alike(const i64 *row_ptr, i64 n) {
	i64 same = 0, look = n < 64 ? n - 1 : 63;
	for (i64 i = 0; i < look; i++) same += row_ptr[i + 2] - row_ptr[i + 1] == row_ptr[i + 1] - row_ptr[i];
	return 4 * same >= 3 * look;
}

INLINE void multiply(const struct csr_call *call, int single) {
	const struct csr_call c = *call;
	i64 safe = c.n; // rows with four more elements behind them: an empty one reads these
	while (safe > 0 && c.row_ptr[safe] + 4 > c.elements) safe--;
	i64 groups = safe / 4;
	if (alike(c.row_ptr, c.n)) {
		if (c.ahead) fours(&c, groups, single, 1, 1);
		else fours(&c, groups, single, 1, 0);
	} else {
		if (c.ahead) fours(&c, groups, single, 0, 1);
		else fours(&c, groups, single, 0, 0);
	}
	for (i64 i = 4 * groups; i < c.n; i++) {
		double s[4] = {};
		for (i64 begin = c.row_ptr[i], p = begin; p < c.row_ptr[i + 1]; p++) s[(p - begin) & 3] += product(&c, p, single);
		c.dst[i] = (s[0] + s[1]) + (s[2] + s[3]);
	}
}

#if WIDTH == 4
KERNEL(csr64, const struct csr_call *c) { multiply(c, 0); }

KERNEL(csr32, const struct csr_call *c) { multiply(c, 1); }
#endif
