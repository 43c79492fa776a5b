// Products with rows of compressed sparse row storage; see CSRMulVec and CSRMulVecDD. Products of float64 are
// rounded; element k of a row is added to sum k mod 4, and the sums are added as (s0 + s1) + (s2 + s3).
#include "ddrows.h"

// csr_call is csrCall of Go.
struct csr_call {
	double *dst;
	i64 n;
	const i64 *row_ptr;
	const i32 *col;
	const void *val;
	const double *x;
	i64 elements; // number of elements of col and val
	i64 ahead;    // elements to prefetch ahead, 0 for none
	i64 parts;    // of the rows, 1 or 2, which are processed in turns, four rows at a time
	const u64 *masks; // four of all ones, then four zeros
	double *dst_lo;   // of double-double products
	const double *x_lo;
	const double *val_lo;
};

// Flags besides those of ddrows.h: values are float32; rows have equal lengths; elements are prefetched.
enum { SINGLE = 8, EVEN = 16, FAR = 32 };

#if WIDTH == 4
INLINE f64v values(const struct csr_call *c, i64 p, int flags) {
	if (flags & SINGLE) return __builtin_convertvector(LOAD(f32v, (const float *)c->val + p), f64v);
	return LOAD(f64v, (const double *)c->val + p);
}

INLINE double value(const struct csr_call *c, i64 p, int flags) {
	return flags & SINGLE ? ((const float *)c->val)[p] : ((const double *)c->val)[p];
}

// CHOOSE takes the lanes of a where the mask m has ones, those of b elsewhere.
#define CHOOSE(m, a, b) ((f64v)(((u64v)(a) & (m)) | ((u64v)(b) & ~(m))))

// add adds a x, or (a + low) x, in the lanes of the mask if there is one. Products of float64 are rounded.
INLINE void add(ddv *s, f64v a, f64v low, ddv x, const u64 *mask, int flags) {
	ddv p = {a * x.hi, a};
	if (flags & TWOFOLD) p = d_prod(a, x);
	if (flags & LOW) p.lo = fma(low, x.hi, p.lo);
	ddv t = plus(*s, p, flags);
	if (mask) {
		u64v m = LOAD(u64v, mask);
		t = (ddv){CHOOSE(m, t.hi, s->hi), CHOOSE(m, t.lo, s->lo)};
	}
	*s = t;
}

// four adds the products of the four elements from p on that the mask selects.
INLINE void four(ddv *s, const struct csr_call *c, i64 p, const u64 *mask, int flags) {
	if (flags & FAR) {
		PREFETCH((const char *)c->val + (p + c->ahead) * (flags & SINGLE ? 4 : 8));
		PREFETCH(c->col + p + c->ahead);
		if (flags & LOW) PREFETCH(c->val_lo + p + c->ahead);
	}
	const i32 *col = c->col + p;
	const double *x = c->x, *xl = c->x_lo;
	ddv v = {{x[col[0]], x[col[1]], x[col[2]], x[col[3]]}, {}};
	if (flags & TWOFOLD) v.lo = (f64v){xl[col[0]], xl[col[1]], xl[col[2]], xl[col[3]]};
	add(s, values(c, p, flags), flags & LOW ? LOAD(f64v, c->val_lo + p) : v.lo, v, mask, flags);
}

// one adds the product of element p to the first sum.
INLINE void one(ddv *s, const struct csr_call *c, i64 p, int flags) {
	i32 col = c->col[p];
	ddv x = {{c->x[col]}, {}};
	if (flags & TWOFOLD) x.lo[0] = c->x_lo[col];
	f64v low = {flags & LOW ? c->val_lo[p] : 0};
	add(s, (f64v){value(c, p, flags)}, low, x, flags & TWOFOLD ? c->masks + 3 : 0, flags);
}

// row returns the four sums of the elements from p to end; it reads up to four elements after them. In rows of equal
// lengths the branch for the rest is predictable; a rest of one element is then not worth four loads of x.
INLINE ddv row(const struct csr_call *c, i64 p, i64 end, int flags) {
	ddv s = {};
	for (; flags & EVEN ? p + 4 <= end : p + 4 < end; p += 4) four(&s, c, p, 0, flags);
	if (flags & EVEN && p == end) return s;
	if (flags & EVEN && p + 1 == end) one(&s, c, p, flags);
	else four(&s, c, p, c->masks + 4 - (end - p), flags);
	return s;
}

// fours multiplies by `groups` times four rows.
INLINE void fours(const struct csr_call *c, i64 groups, int flags) {
	i64 half = c->parts > 1 ? groups / 2 : 0;
	for (i64 t = 0; t < groups; t++) {
		i64 i = 4 * (t < 2 * half ? t / 2 + (t & 1) * half : t);
		const i64 *row_ptr = c->row_ptr + i;
		ddv s[4];
		UNROLL for (int k = 0; k < 4; k++) s[k] = row(c, row_ptr[k], row_ptr[k + 1], flags);
		put_all(c->dst + i, c->dst_lo + i, total(s, flags), flags);
	}
}

// alike reports whether three quarters of the first rows have as many elements as the row before.
INLINE int alike(const i64 *row_ptr, i64 n) {
	i64 same = 0, look = n < 64 ? n - 1 : 63;
	for (i64 i = 0; i < look; i++) same += row_ptr[i + 2] - row_ptr[i + 1] == row_ptr[i + 1] - row_ptr[i];
	return 4 * same >= 3 * look;
}

INLINE void multiply(const struct csr_call *call, int flags) {
	const struct csr_call c = *call;
	i64 safe = c.n; // rows with four more elements after them: an empty row reads these
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
		ddv s[4] = {};
		for (i64 begin = c.row_ptr[i], p = begin; p < c.row_ptr[i + 1]; p++) one(&s[(p - begin) & 3], &c, p, flags);
		put_first(c.dst + i, c.dst_lo + i, 1, plus(plus(s[0], s[1], flags), plus(s[2], s[3], flags), flags), flags);
	}
}

KERNEL(csr64, const struct csr_call *c) { multiply(c, 0); }

KERNEL(csr32, const struct csr_call *c) { multiply(c, SINGLE); }

KERNEL(csrDD, const struct csr_call *c) { multiply(c, TWOFOLD); }

KERNEL(csrDDNormal, const struct csr_call *c) { multiply(c, TWOFOLD | NORMAL); }

KERNEL(csrDDLow, const struct csr_call *c) { multiply(c, TWOFOLD | LOW); }
#endif
