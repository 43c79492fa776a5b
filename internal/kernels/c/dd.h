// Double-double arithmetic in vectors: each lane is a number, the unevaluated sum of hi and lo. Include it after
// simd.h; dd.go has the same in Go, bit for bit. u is 2^-53, and nothing over- or underflows.

typedef struct {
	f64v hi, lo;
} ddv;

// two_sum returns a + b exactly (Knuth), and so does fast_two_sum if |a| >= |b| or a = 0 (Dekker); two_prod returns a
// b exactly.
INLINE ddv two_sum(f64v a, f64v b) {
	f64v s = a + b, v = s - a;
	return (ddv){s, (a - (s - v)) + (b - v)};
}

INLINE ddv fast_two_sum(f64v a, f64v b) {
	f64v s = a + b;
	return (ddv){s, b - (s - a)};
}

INLINE ddv two_prod(f64v a, f64v b) {
	f64v p = a * b;
	return (ddv){p, fma(a, b, -p)};
}

// dd_prod returns a x with an error of at most 6 u^2 |a x|, d_prod for a double a with at most 2 u^2 |a x|. Neither
// result is renormalised: lo may be several ulps of hi.
INLINE ddv dd_prod(ddv a, ddv x) {
	ddv p = two_prod(a.hi, x.hi);
	p.lo = fma(a.hi, x.lo, fma(a.lo, x.hi, p.lo));
	return p;
}

INLINE ddv d_prod(f64v a, ddv x) {
	ddv p = two_prod(a, x.hi);
	p.lo = fma(a, x.lo, p.lo);
	return p;
}

// accumulate returns s + p, with the errors of the high parts summed in lo: a step of Dot2 [OgitaRO05]. After it hi
// alone has no meaning; renormalise turns the sum into a number.
INLINE ddv accumulate(ddv s, ddv p) {
	ddv t = two_sum(s.hi, p.hi);
	return (ddv){t.hi, s.lo + (t.lo + p.lo)};
}

// renormalise returns s as a number with |lo| at most half an ulp of hi, if |hi| >= |lo|. After each accumulate it
// gives the sum that [Joldes17] calls sloppy (algorithm 5).
INLINE ddv renormalise(ddv s) { return fast_two_sum(s.hi, s.lo); }

// lanes applies accumulate to all lanes, by halves, and returns the result in lane 0.
#define TURNED(...) ((ddv){__builtin_shufflevector(s.hi, s.hi, __VA_ARGS__), __builtin_shufflevector(s.lo, s.lo, __VA_ARGS__)})
INLINE ddv lanes(ddv s) {
#if WIDTH == 8
	s = accumulate(s, TURNED(4, 5, 6, 7, 0, 1, 2, 3));
	s = accumulate(s, TURNED(2, 3, 0, 1, 6, 7, 4, 5));
	return accumulate(s, TURNED(1, 0, 3, 2, 5, 4, 7, 6));
#else
	s = accumulate(s, TURNED(2, 3, 0, 1));
	return accumulate(s, TURNED(1, 0, 3, 2));
#endif
}

// dd_num and dd_vec are dd.DD and dd.Vec of Go.
struct dd_num {
	double hi, lo;
};

struct dd_vec {
	double *hi;
	i64 hi_len, hi_cap;
	double *lo;
	i64 lo_len, lo_cap;
};
