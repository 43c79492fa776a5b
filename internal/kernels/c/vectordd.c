// Vectors of double-double numbers, in groups of sixteen elements; see ddVectorKernels. Sums go to
// sixteen accumulators.
#include "vector.h"
#include "dd.h"

#define AT_DD(x) ((ddv){AT(x.hi), AT(x.lo)})
#define PUT_DD(x, v) ({ ddv v2_ = (v); PUT(x.hi, v2_.hi); PUT(x.lo, v2_.lo); })

INLINE ddv all_dd(const struct dd_num *a) { return (ddv){all(a->hi), all(a->lo)}; }

INLINE ddv minus(ddv a) { return (ddv){-a.hi, -a.lo}; }

INLINE ddv mul_add(ddv y, ddv a, ddv x) { return renormalise(accumulate(y, dd_prod(a, x))); }

// total_dd stores accumulate of sixteen accumulators, by halves.
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

KERNEL(axpyDD, const struct dd_num *factor, const struct dd_vec *xs, const struct dd_vec *ys, i64 n) {
	struct dd_vec x = *xs, y = *ys;
	ddv a = all_dd(factor);
	EACH_GROUP(n) EACH_PART PUT_DD(y, mul_add(AT_DD(y), a, AT_DD(x)));
}

// axpyDotDD returns y z of the new y; z may be y.
KERNEL(axpyDotDD, const struct dd_num *factor, const struct dd_vec *xs, const struct dd_vec *ys, const struct dd_vec *zs, i64 n, struct dd_num *sum) {
	struct dd_vec x = *xs, y = *ys, z = *zs;
	ddv a = all_dd(factor), s[PARTS] = {};
	EACH_GROUP(n) EACH_PART {
		ddv v = mul_add(AT_DD(y), a, AT_DD(x));
		PUT_DD(y, v);
		s[k] = accumulate(s[k], dd_prod(v, AT_DD(z)));
	}
	total_dd(s, sum);
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

// stepDD loads before it stores, as step does.
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
