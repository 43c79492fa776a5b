// Sums of rows times double-double vectors: a sum is h + l, of which only h is added without an error. A number
// of the matrix has one part, one of a vector two; see AddProductDD of Go.
#include "simd.h"

// TWO_SUM sets s to a + b, rounded, and e to what that lacks.
#define TWO_SUM(s, e, a, b) ({ \
	__typeof__(a) a_ = (a), b_ = (b), s_ = a_ + b_, v_ = s_ - a_; \
	(e) = (a_ - (s_ - v_)) + (b_ - v_); \
	(s) = s_; \
	})

// What is multiplied, flags of an inlined function: a vector in double-double; sums that are normalised at each
// addition, as DD-AVX does; low parts of the numbers of the matrix.
enum { TWOFOLD = 1, NORMAL = 2, LOW = 4 };

// add_term adds p + e to the sum h + l.
#define ADD_TERM(h, l, p, e, flags) do { \
	__typeof__(p) s_t, f_t; \
	TWO_SUM(s_t, f_t, h, p); \
	if ((flags) & NORMAL) { \
		f_t = f_t + ((l) + (e)); \
		(h) = s_t + f_t; \
		(l) = f_t - ((h) - s_t); \
	} else { \
		(l) = (l) + (f_t + (e)); \
		(h) = s_t; \
	} \
} while (0)

// ADD_PRODUCT adds a (xh + xl) to the sum h + l.
#define ADD_PRODUCT(h, l, a, xh, xl, flags) do { \
	__typeof__(a) a_p = (a), x_p = (xh), p_p = a_p * x_p; \
	__typeof__(a) e_p = fma(a_p, (xl), fma(a_p, x_p, -p_p)); \
	ADD_TERM(h, l, p_p, e_p, flags); \
} while (0)

// sums is four sums; l is of no use in products with a vector of float64.
struct sums { f64x4 h, l; };

INLINE struct sums plus(struct sums a, struct sums b, int flags) {
	if (!(flags & TWOFOLD)) return (struct sums){a.h + b.h, a.l};
	struct sums s;
	TWO_SUM(s.h, s.l, a.h, b.h);
	s.l += a.l + b.l;
	return s;
}

#define MIX(a, b, ...) ((struct sums){__builtin_shufflevector((a).h, (b).h, __VA_ARGS__), __builtin_shufflevector((a).l, (b).l, __VA_ARGS__)})

// total returns (s0 + s1) + (s2 + s3) of the sums in four places each.
INLINE struct sums total(const struct sums s[4], int flags) {
	struct sums a = plus(MIX(s[0], s[1], 0, 4, 2, 6), MIX(s[0], s[1], 1, 5, 3, 7), flags);
	struct sums b = plus(MIX(s[2], s[3], 0, 4, 2, 6), MIX(s[2], s[3], 1, 5, 3, 7), flags);
	return plus(MIX(a, b, 0, 1, 4, 5), MIX(a, b, 2, 3, 6, 7), flags);
}

// PUT stores h + l as a double-double number.
#define PUT(dst, dst_lo, h, l) do { \
	__typeof__(h) s_o, e_o; \
	TWO_SUM(s_o, e_o, h, l); \
	STORE(dst, s_o); \
	STORE(dst_lo, e_o); \
} while (0)
