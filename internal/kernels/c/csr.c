// Products with rows of compressed sparse row storage; see CSRMulVec and CSRMulVecDD. Element k of a row is
// added to sum k mod 4, products of float64 being rounded before; then (s0 + s1) + (s2 + s3).
#include "ddrows.h"

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
	double *dst_lo;   // of double-double products
	const double *x_lo;
	const double *val_lo;
};

// Flags besides those of ddrows.h: values are float32; rows have equal lengths; elements are prefetched.
enum { SINGLE = 8, EVEN = 16, FAR = 32 };

// CHOOSE takes the lanes of a where the mask m has ones, those of b elsewhere.
#define CHOOSE(m, a, b) ((f64x4)(((u64x4)(a) & (m)) | ((u64x4)(b) & ~(m))))

INLINE f64x4 values(const struct csr_call *c, i64 p, int flags) {
	if (flags & SINGLE) return __builtin_convertvector(LOAD(f32x4, (const float *)c->val + p), f64x4);
	return LOAD(f64x4, (const double *)c->val + p);
}

INLINE double value(const struct csr_call *c, i64 p, int flags) {
	return flags & SINGLE ? ((const float *)c->val)[p] : ((const double *)c->val)[p];
}

// add_products adds products of four elements, which have low parts if they are of use; of those in the mask,
// if there is one.
INLINE void add_products(struct sums *s, f64x4 a, f64x4 al, f64x4 x, f64x4 xl, const u64 *mask, int flags) {
	u64x4 m = mask ? LOAD(u64x4, mask) : (u64x4){};
	f64x4 p = a * x;
	if (!(flags & TWOFOLD)) {
		s->h += mask ? (f64x4)((u64x4)p & m) : p;
		return;
	}
	f64x4 e = fma(a, xl, fma(a, x, -p));
	if (flags & LOW) e = fma(al, x, e);
	struct sums t = *s;
	ADD_TERM(t.h, t.l, p, e, flags);
	*s = mask ? (struct sums){CHOOSE(m, t.h, s->h), CHOOSE(m, t.l, s->l)} : t;
}

// four adds the products of four elements from p on, of those in the mask.
INLINE void four(struct sums *s, const struct csr_call *c, i64 p, const u64 *mask, int flags) {
	if (flags & FAR) {
		PREFETCH((const char *)c->val + (p + c->ahead) * (flags & SINGLE ? 4 : 8));
		PREFETCH(c->col + p + c->ahead);
		if (flags & LOW) PREFETCH(c->val_lo + p + c->ahead);
	}
	const i32 *col = c->col + p;
	const double *x = c->x, *xl = c->x_lo;
	f64x4 zero = splat(0);
	add_products(s, values(c, p, flags), flags & LOW ? LOAD(f64x4, c->val_lo + p) : zero,
		(f64x4){x[col[0]], x[col[1]], x[col[2]], x[col[3]]},
		flags & TWOFOLD ? (f64x4){xl[col[0]], xl[col[1]], xl[col[2]], xl[col[3]]} : zero, mask, flags);
}

// first adds the product of element p to the first sum.
INLINE void first(struct sums *s, const struct csr_call *c, i64 p, int flags) {
	f64x4 zero = splat(0);
	i32 col = c->col[p];
	add_products(s, (f64x4){value(c, p, flags)}, flags & LOW ? (f64x4){c->val_lo[p]} : zero, (f64x4){c->x[col]},
		flags & TWOFOLD ? (f64x4){c->x_lo[col]} : zero, flags & TWOFOLD ? c->masks + 3 : 0, flags);
}

// row returns the four sums of the elements from p to end; it reads up to four elements behind
// them. Rows of equal lengths have a rest that a processor foresees: so one of a single element is
// not worth four loads of x.
INLINE struct sums row(const struct csr_call *c, i64 p, i64 end, int flags) {
	struct sums s = {};
	for (; flags & EVEN ? p + 4 <= end : p + 4 < end; p += 4) four(&s, c, p, 0, flags);
	if (flags & EVEN && p == end) return s;
	if (flags & EVEN && p + 1 == end) first(&s, c, p, flags);
	else four(&s, c, p, c->masks + 4 - (end - p), flags);
	return s;
}

// fours multiplies with `groups` times four rows.
INLINE void fours(const struct csr_call *c, i64 groups, int flags) {
	i64 half = c->parts > 1 ? groups / 2 : 0;
	for (i64 t = 0; t < groups; t++) {
		i64 i = 4 * (t < 2 * half ? t / 2 + (t & 1) * half : t);
		const i64 *row_ptr = c->row_ptr + i;
		struct sums s[4], y;
		_Pragma("clang loop unroll(full)") for (int k = 0; k < 4; k++) s[k] = row(c, row_ptr[k], row_ptr[k + 1], flags);
		y = total(s, flags);
		if (flags & TWOFOLD) PUT(c->dst + i, c->dst_lo + i, y.h, y.l);
		else STORE(c->dst + i, y.h);
	}
}

// alike tells whether three quarters of the first rows have as many elements as those before.
INLINE int alike(const i64 *row_ptr, i64 n) {
	i64 same = 0, look = n < 64 ? n - 1 : 63;
	for (i64 i = 0; i < look; i++) same += row_ptr[i + 2] - row_ptr[i + 1] == row_ptr[i + 1] - row_ptr[i];
	return 4 * same >= 3 * look;
}

INLINE void multiply(const struct csr_call *call, int flags) {
	const struct csr_call c = *call;
	i64 safe = c.n; // rows with four more elements behind them: an empty one reads these
	while (safe > 0 && c.row_ptr[safe] + 4 > c.elements) safe--;
	i64 groups = safe / 4;
	if (alike(c.row_ptr, c.n)) {
		if (c.ahead) fours(&c, groups, flags | EVEN | FAR);
		else fours(&c, groups, flags | EVEN);
	} else {
		if (c.ahead) fours(&c, groups, flags | FAR);
		else fours(&c, groups, flags);
	}
	for (i64 i = 4 * groups; i < c.n; i++) {
		struct sums s = {}, y;
		double h[4] = {}, l[4] = {};
		for (i64 begin = c.row_ptr[i], p = begin; p < c.row_ptr[i + 1]; p++) {
			i64 k = (p - begin) & 3;
			double a = value(&c, p, flags), x = c.x[c.col[p]], t = a * x;
			if (flags & TWOFOLD) {
				double e = fma(a, c.x_lo[c.col[p]], fma(a, x, -t));
				if (flags & LOW) e = fma(c.val_lo[p], x, e);
				ADD_TERM(h[k], l[k], t, e, flags);
			} else {
				h[k] += t;
			}
		}
		s = (struct sums){LOAD(f64x4, h), LOAD(f64x4, l)};
		y = plus(s, MIX(s, s, 1, 0, 3, 2), flags);
		y = plus(y, MIX(y, y, 2, 3, 0, 1), flags);
		if (flags & TWOFOLD) PUT(c.dst + i, c.dst_lo + i, y.h[0], y.l[0]);
		else c.dst[i] = y.h[0];
	}
}

#if WIDTH == 4
KERNEL(csr64, const struct csr_call *c) { multiply(c, 0); }

KERNEL(csr32, const struct csr_call *c) { multiply(c, SINGLE); }

KERNEL(csrDD, const struct csr_call *c) { multiply(c, TWOFOLD); }

KERNEL(csrDDNormal, const struct csr_call *c) { multiply(c, TWOFOLD | NORMAL); }

KERNEL(csrDDLow, const struct csr_call *c) { multiply(c, TWOFOLD | LOW); }
#endif
