// What products with K = 2, 4 or 8 vectors have in common: element i of vector v is x[K*i+v].
// Slots are decoded into memory that stays in the cache, and multiplied from there row by row:
// a value with W consecutive numbers. Functions named FN(name) are made for each K.
#ifndef MULTI_H
#define MULTI_H
#include "symmetric.h"

#ifdef __AVX512F__
#define WIDEST 8
typedef double f64x8 __attribute__((vector_size(64)));
#else
#define WIDEST 4
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define FN(name) JOIN(name, K)
#define VEC JOIN(f64x, W)
#define AT(p) LOAD(VEC, p)
#define EACH_PART for (int v = 0; v < K; v += W)
#define UNROLL _Pragma("clang loop unroll(full)")
#define NO_UNROLL _Pragma("clang loop unroll(disable)")

enum { MOST_VECTORS = 8, MOST_VALUES = 1024, MOST_SLOTS = 64 };

// multi_work is multiWork of Go.
struct multi_work {
	double values[MOST_VALUES];        // of the slots that are decoded
	i64 places[MOST_SLOTS * LANES];    // where their numbers begin in x
	double sums[MAX_BLOCK * LANES * MOST_VECTORS];
	double zeros[MAX_BLOCK * MOST_VECTORS];
	const double *own[LANES];          // x of the rows of a symmetric matrix
};

// unpack_slot decodes a slot: eight values of each element of its blocks.
INLINE void unpack_slot(double *to, int b, const u8 *from, i64 stream, const struct pair_table *t, u64 w, enum kind kind) {
	w = width_of(w, kind);
	NO_UNROLL for (int i = 0; i < b; i++, from += stream) {
		NO_UNROLL for (int j = 0; j < b; j++, to += LANES) {
			const u8 *values = from + j * w;
			PREFETCH(values + 4096);
			STORE(to, decode(values, t, w, 0, kind));
			STORE(to + 4, decode(values, t, w, 1, kind));
		}
	}
}

// unpack is unpack_slot for a slot of a group with these flags; it returns the bytes of eight values.
INLINE u64 unpack(double *to, int b, const u8 *from, i64 stream, const struct pair_table *tables, u64 w, u64 flags) {
	const struct pair_table *t = tables + w;
	switch (kind_of(w, flags)) {
	case BYTES: unpack_slot(to, b, from, stream, t, w, BYTES); break;
	case BITS: unpack_slot(to, b, from, stream, t, w, BITS); break;
	case WIDE: unpack_slot(to, b, from, stream, t, w, WIDE); break;
	case SINGLE: unpack_slot(to, b, from, stream, t, w, SINGLE); break;
	}
	return w;
}

// places sets eight of them from the index of a slot.
INLINE void places(i64 *to, const u16 *index, i64 base, i64 step) {
	typedef u16 u16x4 __attribute__((vector_size(8)));
	u64x4 low = __builtin_convertvector(LOAD(u16x4, index), u64x4) + (u64)base;
	u64x4 high = __builtin_convertvector(LOAD(u16x4, index + 4), u64x4) + (u64)base;
	STORE(to, low * (u64)step);
	STORE(to + 4, high * (u64)step);
}

INLINE double unit_at(const struct slot_call *c, i64 i) {
	return c->exp ? unit_of(c->exp, (u64)c->bias, i) : c->factor;
}
#endif
