// Vectors of float64, in groups of sixteen elements; see vectorKernels. Sums go to sixteen
// accumulators, four to a vector, products being rounded before they are added.
#include "simd.h"

enum { GROUP = 16, PARTS = GROUP / 4 };

#define EACH_PART _Pragma("clang loop unroll(full)") for (int k = 0; k < PARTS; k++)
#define EACH_GROUP for (i64 i = 0; i < n; i += GROUP)
#define AT(x) LOAD(f64x4, (x) + i + 4 * k)
#define PUT(x, v) STORE((x) + i + 4 * k, v)

// total is the sum of sixteen accumulators, by halves.
INLINE double total(const f64x4 s[PARTS]) {
	f64x4 t = (s[0] + s[2]) + (s[1] + s[3]);
	return (t[0] + t[2]) + (t[1] + t[3]);
}

KERNEL_F64(dot, const double *x, const double *y, i64 n) {
	f64x4 s[PARTS] = {};
	EACH_GROUP EACH_PART s[k] += AT(x) * AT(y);
	return total(s);
}

KERNEL(dot2, const double *v0, const double *v1, const double *w, i64 n, double *h) {
	f64x4 s0[PARTS] = {}, s1[PARTS] = {};
	EACH_GROUP EACH_PART {
		s0[k] += AT(v0) * AT(w);
		s1[k] += AT(v1) * AT(w);
	}
	h[0] = total(s0);
	h[1] = total(s1);
}

KERNEL(axpy, double a, const double *x, double *y, i64 n) {
	EACH_GROUP EACH_PART PUT(y, AT(y) + splat(a) * AT(x));
}

// axpy4_call is axpy4Call of Go.
struct axpy4_call {
	double a[4];
	const double *v[4];
	double *w;
	i64 n;
};

// axpy4 adds a[0] v[0] to w, then a[1] v[1], and so on.
KERNEL(axpy4, const struct axpy4_call *c) {
	const double *v0 = c->v[0], *v1 = c->v[1], *v2 = c->v[2], *v3 = c->v[3];
	double *w = c->w;
	i64 n = c->n;
	f64x4 a0 = splat(c->a[0]), a1 = splat(c->a[1]), a2 = splat(c->a[2]), a3 = splat(c->a[3]);
	EACH_GROUP EACH_PART PUT(w, (((AT(w) + a0 * AT(v0)) + a1 * AT(v1)) + a2 * AT(v2)) + a3 * AT(v3));
}

// axpyDot returns y z of the new y; z may be y.
KERNEL_F64(axpyDot, double a, const double *x, double *y, const double *z, i64 n) {
	f64x4 s[PARTS] = {};
	EACH_GROUP EACH_PART {
		f64x4 v = AT(y) + splat(a) * AT(x);
		PUT(y, v);
		s[k] += v * AT(z);
	}
	return total(s);
}

KERNEL(xpay, const double *x, double a, double *y, i64 n) {
	EACH_GROUP EACH_PART PUT(y, AT(x) + splat(a) * AT(y));
}

KERNEL(scale, double a, double *x, i64 n) {
	EACH_GROUP EACH_PART PUT(x, AT(x) * splat(a));
}

// step loads before it stores: a load waits for a store to the same place of another page.
KERNEL_F64(step, double a, const double *p, double *x, const double *q, double *r, i64 n) {
	f64x4 s[PARTS] = {};
	EACH_GROUP EACH_PART {
		f64x4 u = AT(x) + splat(a) * AT(p), v = AT(r) - splat(a) * AT(q);
		PUT(x, u);
		PUT(r, v);
		s[k] += v * v;
	}
	return total(s);
}

KERNEL(mul, double a, const double *w, const double *x, double *y, i64 n) {
	EACH_GROUP EACH_PART PUT(y, splat(a) * (AT(w) * AT(x)));
}

KERNEL(relax, double a, const double *w, const double *x, double *r, i64 n) {
	EACH_GROUP EACH_PART PUT(r, AT(x) + splat(a) * (AT(w) * AT(r)));
}
