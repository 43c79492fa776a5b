// Common part of the kernels of limbs: the product of two limbs, added to two sums.
#include "simd.h"

enum { LANES = 8 };

#define LIMB 0xfffffffffffffull // 2^52 - 1
#define TWO52 0x4330000000000000ull  // 2^52 as a float64, whose low bits hold a limb
#define TWO104 0x4670000000000000ull // 2^104

INLINE u64v repeat(u64 v) { return v - (u64v){}; }

// number is a vector of limbs in the form that madd takes.
#ifdef __AVX512IFMA__

// IFMA has instructions for that, which ignore the high bits of a word.
typedef u64v number;
enum { LOW_BIAS = 0, HIGH_BIAS = 0 };
INLINE u64 begin(void) { return 0; }
INLINE void end(u64 mode) { (void)mode; }
INLINE number number_of(u64v limbs) { return limbs; }
INLINE u64v madd_high(u64v high, number a, number b) { return (u64v)_mm512_madd52hi_epu64((__m512i)high, (__m512i)a, (__m512i)b); }
INLINE u64v madd_low(u64v low, number a, number b) { return (u64v)_mm512_madd52lo_epu64((__m512i)low, (__m512i)a, (__m512i)b); }
INLINE void madd(u64v *low, u64v *high, number a, number b) {
	*low = madd_low(*low, a, b);
	*high = madd_high(*high, a, b);
}

#else

// FMA rounding towards zero (Emmart). For integers a, b < 2^52: h = fma(a, b, 2^104) = 2^104 + 2^52 floor(a b /
// 2^52), since the spacing of float64 is 2^52 there. d = 2^104 + 2^52 - h is exact, and so is fma(a, b, d) = 2^52 + a
// b mod 2^52. Both are below twice the power of two, so that their bits are the bits of the power plus the integer.
// The bits of the powers are subtracted for all terms at once: LOW_BIAS and HIGH_BIAS for each.
typedef f64v number;
#define LOW_BIAS TWO52
#define HIGH_BIAS TWO104

// begin makes the processor round towards zero; end restores the rounding. Both are barriers for memory accesses, and
// so for all computations with values from memory.
#ifdef __x86_64__
INLINE u64 begin(void) {
	u32 mode;
	__asm__ volatile("stmxcsr %0" : "=m"(mode)::"memory");
	u32 zero = mode | 0x6000;
	__asm__ volatile("ldmxcsr %0" ::"m"(zero) : "memory");
	return mode;
}
INLINE void end(u64 mode) {
	u32 m = mode;
	__asm__ volatile("ldmxcsr %0" ::"m"(m) : "memory");
}
#else
INLINE u64 begin(void) {
	u64 mode;
	__asm__ volatile("mrs %0, fpcr" : "=r"(mode)::"memory");
	__asm__ volatile("msr fpcr, %0" ::"r"(mode | 0xc00000) : "memory");
	return mode;
}
INLINE void end(u64 mode) { __asm__ volatile("msr fpcr, %0" ::"r"(mode) : "memory"); }
#endif

INLINE number number_of(u64v limbs) { return (f64v)(limbs | repeat(TWO52)) - all(0x1p52); }
INLINE u64v madd_high(u64v high, number a, number b) { return high + (u64v)fma(a, b, all(0x1p104)); }
INLINE void madd(u64v *low, u64v *high, number a, number b) {
	f64v h = fma(a, b, all(0x1p104));
	*high += (u64v)h;
	*low += (u64v)fma(a, b, all(0x1.0000000000001p104) - h);
}

#endif
