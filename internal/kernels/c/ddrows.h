// Rows times vectors of float64 or of double-double numbers: sums have the type ddv, whose lo is unused for float64.
// See sumDD of Go.
#include "simd.h"
#include "dd.h"

// Flags of inlined functions: vectors are of double-double numbers; sums are renormalised at each addition, as in
// DD-AVX; the numbers of the matrix have low parts.
enum { TWOFOLD = 1, NORMAL = 2, LOW = 4 };

// plus returns s + p.
INLINE ddv plus(ddv s, ddv p, int flags) {
	if (!(flags & TWOFOLD)) return (ddv){s.hi + p.hi, s.lo};
	s = accumulate(s, p);
	return flags & NORMAL ? renormalise(s) : s;
}

// plus_product returns s + a x; products of float64 are fused.
INLINE ddv plus_product(ddv s, f64v a, ddv x, int flags) {
	if (!(flags & TWOFOLD)) return (ddv){fma(a, x.hi, s.hi), s.lo};
	return plus(s, d_prod(a, x), flags);
}

#define MIX(a, b, ...) ((ddv){__builtin_shufflevector((a).hi, (b).hi, __VA_ARGS__), __builtin_shufflevector((a).lo, (b).lo, __VA_ARGS__)})

#if WIDTH == 4
// total returns, in lane k, the sum (s0 + s1) + (s2 + s3) of the lanes of s[k].
INLINE ddv total(const ddv s[4], int flags) {
	ddv a = plus(MIX(s[0], s[1], 0, 4, 2, 6), MIX(s[0], s[1], 1, 5, 3, 7), flags);
	ddv b = plus(MIX(s[2], s[3], 0, 4, 2, 6), MIX(s[2], s[3], 1, 5, 3, 7), flags);
	return plus(MIX(a, b, 0, 1, 4, 5), MIX(a, b, 2, 3, 6, 7), flags);
}
#endif

// put_all stores the sums of as many rows as a vector has lanes, put_first those of the first n rows: as numbers.
INLINE void put_all(double *dst, double *dst_lo, ddv s, int flags) {
	if (flags & TWOFOLD) {
		s = two_sum(s.hi, s.lo);
		STORE(dst_lo, s.lo);
	}
	STORE(dst, s.hi);
}

INLINE void put_first(double *dst, double *dst_lo, i64 n, ddv s, int flags) {
	if (flags & TWOFOLD) s = two_sum(s.hi, s.lo);
	UNROLL for (int k = 0; k < WIDTH; k++) {
		if (k >= n) break;
		dst[k] = s.hi[k];
		if (flags & TWOFOLD) dst_lo[k] = s.lo[k];
	}
}
