// Vectors of double-double numbers, in groups of sixteen elements; see ddVectorKernels. Sums have sixteen
// accumulators.
#include "vector.h"
#include "dd.h"

#define AT_DD(x) ((ddv){AT(x.hi), AT(x.lo)})
#define PUT_DD(x, v) ({ ddv v2_ = (v); PUT(x.hi, v2_.hi); PUT(x.lo, v2_.lo); })

INLINE ddv all_dd(const struct dd_num *a) { return (ddv){all(a->hi), all(a->lo)}; }

INLINE ddv minus(ddv a) { return (ddv){-a.hi, -a.lo}; }

INLINE ddv mul_add(ddv y, ddv a, ddv x) { return renormalise(accumulate(y, dd_prod(a, x))); }

// total_dd stores the sum of sixteen accumulators by accumulate, by halves.
INLINE void total_dd(ddv s[PARTS], struct dd_num *sum) {
	UNROLL for (int half = PARTS / 2; half > 0; half /= 2) {
		UNROLL for (int k = 0; k < half; k++) s[k] = accumulate(s[k], s[k + half]);
	}
	ddv t = lanes(s[0]);
	sum->hi = t.hi[0];
	sum->lo = t.lo[0];
}

KERNEL(dotDD, const struct dd_vec *xs, const struct dd_vec *ys, i64 n, struct dd_num *sum) {
	struct dd_vec x = *xs, y = *ys;
	ddv s[PARTS] = {};
	EACH_GROUP(n) EACH_PART s[k] = accumulate(s[k], dd_prod(AT_DD(x), AT_DD(y)));
	total_dd(s, sum);
}

// dot2DD stores the products of w with two vectors: six streams. Four vectors would exceed the ways of a cache when
// arrays begin at the same offset in a page.
KERNEL(dot2DD, const struct dd_vec vs[2], const struct dd_vec *ws, i64 n, struct dd_num sums[2]) {
	struct dd_vec v0 = vs[0], v1 = vs[1], w = *ws;
	ddv s0[PARTS] = {}, s1[PARTS] = {};
	EACH_GROUP(n) EACH_PART {
		ddv e = AT_DD(w);
		s0[k] = accumulate(s0[k], dd_prod(AT_DD(v0), e));
		s1[k] = accumulate(s1[k], dd_prod(AT_DD(v1), e));
	}
	total_dd(s0, sums);
	total_dd(s1, sums + 1);
}

KERNEL(axpyDD, const struct dd_num *factor, const struct dd_vec *xs, const struct dd_vec *ys, i64 n) {
	struct dd_vec x = *xs, y = *ys;
	ddv a = all_dd(factor);
	EACH_GROUP(n) EACH_PART PUT_DD(y, mul_add(AT_DD(y), a, AT_DD(x)));
}

// axpy2DD adds a_0 v_0 to w, then a_1 v_1.
KERNEL(axpy2DD, const struct dd_num factors[2], const struct dd_vec vs[2], const struct dd_vec *ws, i64 n) {
	struct dd_vec v0 = vs[0], v1 = vs[1], w = *ws;
	ddv a0 = all_dd(factors), a1 = all_dd(factors + 1);
	EACH_GROUP(n) EACH_PART PUT_DD(w, mul_add(mul_add(AT_DD(w), a0, AT_DD(v0)), a1, AT_DD(v1)));
}

INLINE void axpy_dot(int own, ddv a, struct dd_vec x, struct dd_vec y, struct dd_vec z, i64 n, struct dd_num *sum) {
	ddv s[PARTS] = {};
	EACH_GROUP(n) EACH_PART {
		ddv v = mul_add(AT_DD(y), a, AT_DD(x)), w = own ? v : AT_DD(z);
		PUT_DD(y, v);
		s[k] = accumulate(s[k], dd_prod(v, w));
	}
	total_dd(s, sum);
}

// axpyDotDD returns y z for the new y; z may be y. It loads before it stores: a load waits for a store to the same
// offset in another page.
KERNEL(axpyDotDD, const struct dd_num *factor, const struct dd_vec *xs, const struct dd_vec *ys, const struct dd_vec *zs, i64 n, struct dd_num *sum) {
	struct dd_vec x = *xs, y = *ys, z = *zs;
	if (z.hi == y.hi) {
		axpy_dot(1, all_dd(factor), x, y, z, n, sum);
	} else {
		axpy_dot(0, all_dd(factor), x, y, z, n, sum);
	}
}

KERNEL(xpayDD, const struct dd_vec *xs, const struct dd_num *factor, const struct dd_vec *ys, i64 n) {
	struct dd_vec x = *xs, y = *ys;
	ddv a = all_dd(factor);
	EACH_GROUP(n) EACH_PART PUT_DD(y, mul_add(AT_DD(x), a, AT_DD(y)));
}

KERNEL(scaleDD, const struct dd_num *factor, const struct dd_vec *xs, i64 n) {
	struct dd_vec x = *xs;
	ddv a = all_dd(factor);
	EACH_GROUP(n) EACH_PART PUT_DD(x, renormalise(dd_prod(a, AT_DD(x))));
}

// stepDD also loads before it stores.
KERNEL(stepDD, const struct dd_num *factor, const struct dd_vec *ps, const struct dd_vec *xs, const struct dd_vec *qs, const struct dd_vec *rs, i64 n, struct dd_num *sum) {
	struct dd_vec p = *ps, x = *xs, q = *qs, r = *rs;
	ddv a = all_dd(factor), s[PARTS] = {};
	EACH_GROUP(n) EACH_PART {
		ddv u = mul_add(AT_DD(x), a, AT_DD(p)), v = mul_add(AT_DD(r), minus(a), AT_DD(q));
		PUT_DD(x, u);
		PUT_DD(r, v);
		s[k] = accumulate(s[k], dd_prod(v, v));
	}
	total_dd(s, sum);
}
