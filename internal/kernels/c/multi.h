// Common parts of the products with K = 2, 4 or 8 vectors: element i of vector v is x[K*i+v]. Slots are decoded into
// memory that stays in the cache, and multiplied from there row by row: a value by W consecutive numbers. Functions
// named FN(name) are made for each K.
#ifndef MULTI_H
#define MULTI_H
#include "symmetric.h"

#if WIDTH == 8
typedef f64v f64x8;
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define FN(name) JOIN(name, K)
#define VEC JOIN(f64x, W)
#define AT(p) LOAD(VEC, p)
#define EACH_PART for (int v = 0; v < K; v += W)
#define NO_UNROLL _Pragma("clang loop unroll(disable)")

enum { MOST_VECTORS = 8, MOST_VALUES = 1024, MOST_SLOTS = 64 };

// multi_work is multiWork of Go.
struct multi_work {
	double values[MOST_VALUES];        // of the decoded slots
	i64 places[MOST_SLOTS * LANES];    // where their numbers begin in x
	double sums[MAX_BLOCK * LANES * MOST_VECTORS];
	double zeros[MAX_BLOCK * MOST_VECTORS];
	const double *own[LANES];          // x of the rows of a symmetric matrix
	u8 far;                            // columns have 24 bits
};

// unpack_slot decodes a slot: eight values of each element of its blocks, w bytes apart.
INLINE void unpack_slot(double *to, int b, const u8 *from, i64 stream, const struct slot_table *tables, u64 w, enum kind kind) {
	w = width_of(w, kind);
	NO_UNROLL for (int i = 0; i < b; i++, from += stream) {
		UNROLL for (int j = 0; j < b; j++, to += LANES) {
			PREFETCH(from + j * w + 4096);
			UNROLL for (int h = 0; h < PARTS; h++) STORE(to + WIDTH * h, decode(from + j * w, tables + w, w, h, kind));
		}
	}
}

// unpack is unpack_slot for a slot of a group with these flags; it returns the bytes of eight values.
INLINE u64 unpack(double *to, int b, const u8 *from, i64 stream, const struct slot_table *tables, u64 w, u64 flags) {
	switch (kind_of(w, flags)) {
	case BYTES: unpack_slot(to, b, from, stream, tables, w, BYTES); break;
	case BITS: unpack_slot(to, b, from, stream, tables, w, BITS); break;
	case WIDE: unpack_slot(to, b, from, stream, tables, w, WIDE); break;
	case SINGLE: unpack_slot(to, b, from, stream, tables, w, SINGLE); break;
	case DOUBLE: unpack_slot(to, b, from, stream, tables, w, DOUBLE); break;
	}
	return w;
}

// places sets, from the index of a slot, where the slot's numbers of x begin, and prefetches n of them.
INLINE void places(i64 *to, const u16 *index, i64 base, i64 step, const double *x, i64 n) {
	typedef u16 u16v __attribute__((vector_size(2 * WIDTH)));
	UNROLL for (int l = 0; l < LANES; l += WIDTH) {
		u64v at = __builtin_convertvector(LOAD(u16v, index + l), u64v) + (u64)base;
		STORE(to + l, at * (u64)step);
	}
	x += base * step;
	UNROLL for (int l = 0; l < LANES; l++) {
		UNROLL for (int k = 0; k < n; k += 8) PREFETCH(x + index[l] * step + k);
	}
}

// far_places is places for an index of 24 bits for each column.
INLINE void far_places(i64 *to, const u16 *index, i64 base, i64 step) {
	NO_UNROLL for (int l = 0; l < LANES; l += 2, index += 3) {
		to[l] = (base + (index[0] | (index[1] & 0xff) << 16)) * step;
		to[l + 1] = (base + (index[1] >> 8 | index[2] << 8)) * step;
	}
}

INLINE double unit_at(const struct slot_call *c, i64 i) {
	return c->exp ? unit_of(c->exp, (u64)c->bias, i) : c->factor;
}
#endif
