// The dialect of the kernels: C with vectors, of WIDTH lanes or of as many as a type says, which clang maps to
// registers of the processor, and the few operations that differ between processors.
//
// Only explicit fma fuses products and sums, since the compiler must not fuse what the portable kernels do not.
// Kernels read arrays by LOAD, so that arrays may have any alignment.

#include <stddef.h>
#include <stdint.h>
#ifdef __x86_64__
#include <immintrin.h>
#else
#include <arm_neon.h>
#endif

typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

typedef double f64x2 __attribute__((vector_size(16)));
typedef double f64x4 __attribute__((vector_size(32)));
typedef float f32x4 __attribute__((vector_size(16)));
typedef i32 i32x4 __attribute__((vector_size(16)));
typedef i64 i64x4 __attribute__((vector_size(32)));
typedef u64 u64x4 __attribute__((vector_size(32)));
typedef u8 u8x16 __attribute__((vector_size(16)));
typedef u8 u8x32 __attribute__((vector_size(32)));

// WIDTH is the number of float64 in a vector of the target. Types that end with v have WIDTH lanes; those that end
// with w have twice as many: a full register of four-byte numbers.
#ifdef __AVX512F__
#define WIDTH 8
#else
#define WIDTH 4
#endif
typedef double f64v __attribute__((vector_size(8 * WIDTH)));
typedef float f32v __attribute__((vector_size(4 * WIDTH)));
typedef i32 i32v __attribute__((vector_size(4 * WIDTH)));
typedef i64 i64v __attribute__((vector_size(8 * WIDTH)));
typedef u64 u64v __attribute__((vector_size(8 * WIDTH)));
typedef float f32w __attribute__((vector_size(8 * WIDTH)));
typedef i32 i32w __attribute__((vector_size(8 * WIDTH)));

#define UNROLL _Pragma("clang loop unroll(full)")
#define INLINE static inline __attribute__((always_inline))

// KERNEL(name, type argument, ...) begins a function that Go calls, KERNEL_F64 one that returns a double, and so on.
// Its name in Go ends with Quad or Oct, for the number of lanes. Arguments have eight bytes. An argument `type x[]`
// is a slice in Go, whose length C gets as another argument, `i64 x_len`, that Go does not pass; `type x[n]` is a
// pointer to an array.
#define KERNEL(name, ...) void name(__VA_ARGS__)
#define KERNEL_F64(name, ...) double name(__VA_ARGS__)
#define KERNEL_I64(name, ...) i64 name(__VA_ARGS__)
#define KERNEL_U64(name, ...) u64 name(__VA_ARGS__)

#define LOAD(type, p) ({ type v_; __builtin_memcpy(&v_, (p), sizeof v_); v_; })
#define STORE(p, v) ({ __typeof__(v) v_ = (v); __builtin_memcpy((p), &v_, sizeof v_); })

#define fma(a, b, c) __builtin_elementwise_fma(a, b, c)
#define PREFETCH(p) __builtin_prefetch(p)

INLINE f64x4 splat(double v) { return (f64x4){v, v, v, v}; }

// all returns v in all lanes.
INLINE f64v all(double v) { return v - (f64v){}; }

// gather returns the elements of x with these indices.
INLINE f64v gather(const double *x, i32v index) {
#if WIDTH == 8
	return _mm512_i32gather_pd((__m256i)index, x, 8);
#else
	return (f64v){x[index[0]], x[index[1]], x[index[2]], x[index[3]]};
#endif
}

INLINE f32w gather32(const float *x, i32w index) {
#if WIDTH == 8
	return _mm512_i32gather_ps((__m512i)index, x, 4);
#else
	return (f32w){x[index[0]], x[index[1]], x[index[2]], x[index[3]], x[index[4]], x[index[5]], x[index[6]], x[index[7]]};
#endif
}

// sum adds the lanes of v by halves.
INLINE double sum(f64v v) {
#if WIDTH == 8
	f64x4 h = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
#else
	f64x4 h = v;
#endif
	return (h[0] + h[2]) + (h[1] + h[3]);
}

// pair returns 16 bytes of low, followed by 16 of high.
INLINE u8x32 pair(const u8 *low, const u8 *high) {
	u8x16 a = LOAD(u8x16, low), b = LOAD(u8x16, high);
	return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
}

// bytes_at returns bytes of the same half of v, or zeros where `at` is 0x80.
INLINE u64x4 bytes_at(u8x32 v, u8x32 at) {
#ifdef __x86_64__
	return (u64x4)_mm256_shuffle_epi8((__m256i)v, (__m256i)at);
#else
	union { u8x32 v; uint8x16_t half[2]; } a = {v}, b = {at};
	a.half[0] = vqtbl1q_u8(a.half[0], b.half[0]);
	a.half[1] = vqtbl1q_u8(a.half[1], b.half[1]);
	return (u64x4)a.v;
#endif
}
