// Vectors of float64 and float32; see mixedKernels.
#include "vector.h"

#define AT32(x) LOAD(f32v, (x) + i + WIDTH * k)

KERNEL_F64(stepInto, double a, const double p[], double x[], const double q[], double r[], const float w[], float f[], i64 p_len) {
	f64v s[PARTS] = {};
	EACH_GROUP(p_len) EACH_PART {
		f64v u = AT(x) + all(a) * AT(p), v = AT(r) - all(a) * AT(q);
		PUT(x, u);
		PUT(r, v);
		PUT(f, AT32(w) * __builtin_convertvector(v, f32v));
		s[k] += v * v;
	}
	return total(s);
}

KERNEL(xpayMixed, const float w[], const float x[], double a, double y[], i64 y_len) {
	EACH_GROUP(y_len) EACH_PART {
		f64v product = __builtin_convertvector(AT32(w), f64v) * __builtin_convertvector(AT32(x), f64v);
		PUT(y, product + all(a) * AT(y));
	}
}
