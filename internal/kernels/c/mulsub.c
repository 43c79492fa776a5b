// Products of dense matrices that are subtracted from a third; see MulSub. An element of C takes its products in the order of the rows of B.
#include "simd.h"

// mulsub_call is mulSubCall of Go. Strides count numbers.
struct mulsub_call {
	void *c;
	const void *a, *b;
	i64 stride_c, stride_a, stride_b;
	i64 m, n, k;
};

// Tiles of C have ROWS rows and VECTORS vectors of columns, so that registers hold them, a row of B and an element of A.
#ifdef __AVX512F__
enum { ROWS = 8, VECTORS = 3 };

typedef __mmask8 mask64;
typedef __mmask16 mask32;
INLINE mask64 mask_of64(i64 n) { return _bzhi_u32(-1, n); }
INLINE mask32 mask_of32(i64 n) { return _bzhi_u32(-1, n); }
INLINE f64v load64(const double *p, mask64 m) { return _mm512_maskz_loadu_pd(m, p); }
INLINE f32w load32(const float *p, mask32 m) { return _mm512_maskz_loadu_ps(m, p); }
INLINE void store64(double *p, mask64 m, f64v v) { _mm512_mask_storeu_pd(p, m, v); }
INLINE void store32(float *p, mask32 m, f32w v) { _mm512_mask_storeu_ps(p, m, v); }

#else
enum { ROWS = 4, VECTORS = 2 };

#ifdef __AVX2__
typedef __m256i mask64, mask32;
INLINE mask64 mask_of64(i64 n) { return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_set_epi64x(3, 2, 1, 0)); }
INLINE mask32 mask_of32(i64 n) { return _mm256_cmpgt_epi32(_mm256_set1_epi32((i32)n), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0)); }
INLINE f64v load64(const double *p, mask64 m) { return _mm256_maskload_pd(p, m); }
INLINE f32w load32(const float *p, mask32 m) { return _mm256_maskload_ps(p, m); }
INLINE void store64(double *p, mask64 m, f64v v) { _mm256_maskstore_pd(p, m, v); }
INLINE void store32(float *p, mask32 m, f32w v) { _mm256_maskstore_ps(p, m, v); }
#endif
#endif

#define NUMBER double
#define VEC f64v
#define LANES WIDTH
#define FN(name) name##64
#include "mulsub.h"
#undef NUMBER
#undef VEC
#undef LANES
#undef FN
#define NUMBER float
#define VEC f32w
#define LANES (2 * WIDTH)
#define FN(name) name##32
#include "mulsub.h"

KERNEL(mulSub, const struct mulsub_call *p) { multiply64(p); }

KERNEL(mulSub32, const struct mulsub_call *p) { multiply32(p); }
