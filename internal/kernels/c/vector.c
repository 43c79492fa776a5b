// Vectors of float64, in groups of sixteen elements; see vectorKernels. Sums have sixteen accumulators; products are
// rounded before they are added.
#include "vector.h"

KERNEL_F64(dot, const double x[], const double y[], i64 x_len) {
	f64v s[PARTS] = {};
	EACH_GROUP(x_len) EACH_PART s[k] += AT(x) * AT(y);
	return total(s);
}

INLINE void dot2(const double *v0, const double *v1, const double *w, i64 n, double *h) {
	f64v s0[PARTS] = {}, s1[PARTS] = {};
	EACH_GROUP(n) EACH_PART {
		s0[k] += AT(v0) * AT(w);
		s1[k] += AT(v1) * AT(w);
	}
	h[0] = total(s0);
	h[1] = total(s1);
}

// dot4 stores the products of w with four vectors: two at a time if the registers do not suffice for all
// accumulators.
KERNEL(dot4, const double v0[], const double v1[], const double v2[], const double v3[], const double w[], i64 w_len, double h[4]) {
#if WIDTH == 8
	f64v s0[PARTS] = {}, s1[PARTS] = {}, s2[PARTS] = {}, s3[PARTS] = {};
	EACH_GROUP(w_len) EACH_PART {
		s0[k] += AT(v0) * AT(w);
		s1[k] += AT(v1) * AT(w);
		s2[k] += AT(v2) * AT(w);
		s3[k] += AT(v3) * AT(w);
	}
	h[0] = total(s0);
	h[1] = total(s1);
	h[2] = total(s2);
	h[3] = total(s3);
#else
	dot2(v0, v1, w, w_len, h);
	dot2(v2, v3, w, w_len, h + 2);
#endif
}

KERNEL(axpy, double a, const double x[], double y[], i64 y_len) {
	EACH_GROUP(y_len) EACH_PART PUT(y, AT(y) + all(a) * AT(x));
}

// axpy4 adds a0 v0 to w, then a1 v1, and so on.
KERNEL(axpy4, double a0, double a1, double a2, double a3,
	const double v0[], const double v1[], const double v2[], const double v3[], double w[], i64 w_len) {
	EACH_GROUP(w_len) EACH_PART PUT(w, (((AT(w) + all(a0) * AT(v0)) + all(a1) * AT(v1)) + all(a2) * AT(v2)) + all(a3) * AT(v3));
}

// axpyDot returns y z for the new y; z may be y.
KERNEL_F64(axpyDot, double a, const double x[], double y[], const double z[], i64 x_len) {
	f64v s[PARTS] = {};
	EACH_GROUP(x_len) EACH_PART {
		f64v v = AT(y) + all(a) * AT(x);
		PUT(y, v);
		s[k] += v * AT(z);
	}
	return total(s);
}

KERNEL(xpay, const double x[], double a, double y[], i64 y_len) {
	EACH_GROUP(y_len) EACH_PART PUT(y, AT(x) + all(a) * AT(y));
}

KERNEL(scale, double a, double x[], i64 x_len) {
	EACH_GROUP(x_len) EACH_PART PUT(x, AT(x) * all(a));
}

// step loads before it stores: a load waits for a store to the same offset in another page.
KERNEL_F64(step, double a, const double p[], double x[], const double q[], double r[], i64 p_len) {
	f64v s[PARTS] = {};
	EACH_GROUP(p_len) EACH_PART {
		f64v u = AT(x) + all(a) * AT(p), v = AT(r) - all(a) * AT(q);
		PUT(x, u);
		PUT(r, v);
		s[k] += v * v;
	}
	return total(s);
}

KERNEL(mul, double a, const double w[], const double x[], double y[], i64 y_len) {
	EACH_GROUP(y_len) EACH_PART PUT(y, all(a) * (AT(w) * AT(x)));
}

KERNEL(relax, double a, const double w[], const double x[], double r[], i64 r_len) {
	EACH_GROUP(r_len) EACH_PART PUT(r, AT(x) + all(a) * (AT(w) * AT(r)));
}

KERNEL(copyTo, const double x[], double y[], i64 y_len) {
	EACH_GROUP(y_len) EACH_PART PUT(y, AT(x));
}

KERNEL(scaleTo, double a, const double x[], double y[], i64 y_len) {
	EACH_GROUP(y_len) EACH_PART PUT(y, all(a) * AT(x));
}

KERNEL(add, const double x[], const double y[], double z[], i64 z_len) {
	EACH_GROUP(z_len) EACH_PART PUT(z, AT(x) + AT(y));
}

KERNEL(triad, const double x[], double a, const double y[], double z[], i64 z_len) {
	EACH_GROUP(z_len) EACH_PART PUT(z, AT(x) + all(a) * AT(y));
}
