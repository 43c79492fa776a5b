// The dialect of the kernels: C with vectors of four lanes, which clang turns into one
// register or two of the processor, and the few operations that differ.
//
// Products are added by fma alone, since the compiler must not fuse what the portable kernels
// do not. Kernels read arrays by load, so that they may have any alignment.

#include <stddef.h>
#include <stdint.h>
#ifdef __x86_64__
#include <immintrin.h>
#else
#include <arm_neon.h>
#endif

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

#define INLINE static inline __attribute__((always_inline))

// KERNEL(name, type argument, ...) begins a function that Go calls, KERNEL_F64 one that returns
// a double. Arguments have eight bytes.
#define KERNEL(name, ...) void name(__VA_ARGS__)
#define KERNEL_F64(name, ...) double name(__VA_ARGS__)

#define LOAD(type, p) ({ type v_; __builtin_memcpy(&v_, (p), sizeof v_); v_; })
#define STORE(p, v) ({ __typeof__(v) v_ = (v); __builtin_memcpy((p), &v_, sizeof v_); })

#define fma(a, b, c) __builtin_elementwise_fma(a, b, c)
#define PREFETCH(p) __builtin_prefetch(p)

INLINE f64x4 splat(double v) { return (f64x4){v, v, v, v}; }

// pair puts 16 bytes behind 16 others.
INLINE u8x32 pair(const u8 *low, const u8 *high) {
	u8x16 a = LOAD(u8x16, low), b = LOAD(u8x16, high);
	return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
}

// bytes_at are bytes of the same half of v, or zeros where `at` is 0x80.
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
