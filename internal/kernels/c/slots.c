// Slots of single elements; see MulSlots. Vectors have the eight lanes of a slot, which four-lane
// targets keep in two registers.
#include "slots.h"

#pragma clang diagnostic ignored "-Wpsabi" // all functions are inlined

typedef double f64x8 __attribute__((vector_size(64)));
typedef float f32x8 __attribute__((vector_size(32)));
typedef i32 i32x8 __attribute__((vector_size(32)));
typedef i64 i64x8 __attribute__((vector_size(64)));
typedef u64 u64x8 __attribute__((vector_size(64)));
typedef u16 u16x8 __attribute__((vector_size(16)));

enum columns { NEAR = 8, FAR = 12 };  // and the length of the index of a slot
enum access { LOADS, GATHERS };       // how x is read: AMD's gathers are slow

// column is that of lane l of a slot.
INLINE i64 column(const u16 *index, int l, enum columns columns) {
	if (columns == NEAR) return index[l];
	const u8 *three = (const u8 *)index + 3 * l;
	return l < LANES - 1 ? LOAD(u32, three) & 0xffffff : LOAD(u32, three - 1) >> 8;
}

// elements returns x in the columns of a slot.
INLINE f64x8 elements(const double *x, const u16 *index, enum columns columns, enum access access) {
#if WIDTH == 8
	if (access == GATHERS) {
		i32x8 at;
		if (columns == NEAR) {
			at = __builtin_convertvector(LOAD(u16x8, index), i32x8);
		} else {
			u8x32 three = pair((const u8 *)index, (const u8 *)index + 8);
			at = (i32x8)bytes_at(three, (u8x32){0, 1, 2, 128, 3, 4, 5, 128, 6, 7, 8, 128, 9, 10, 11, 128,
				4, 5, 6, 128, 7, 8, 9, 128, 10, 11, 12, 128, 13, 14, 15, 128});
		}
		return (f64x8)_mm512_i32gather_pd((__m256i)at, x, 8);
	}
#endif
	(void)access;
	return (f64x8){
		x[column(index, 0, columns)], x[column(index, 1, columns)], x[column(index, 2, columns)], x[column(index, 3, columns)],
		x[column(index, 4, columns)], x[column(index, 5, columns)], x[column(index, 6, columns)], x[column(index, 7, columns)],
	};
}

INLINE f64x8 join(f64x4 low, f64x4 high) { return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7); }

#if WIDTH == 8
// slot_table is slotTable of Go.
struct slot_table {
	u8 bytes[64];
	u64 up[LANES], down[LANES];
	u64 mask;
	double minus;
	u64 flip; // of the sign, at the top
	u64 pad[5];
};

// integers returns the eight values of w bits at `from`, of all widths without a branch, which the
// processor would guess wrong.
INLINE f64x8 integers(const u8 *from, const struct slot_table *t, u64 w, enum kind kind) {
	if (kind == SINGLE) return __builtin_convertvector(LOAD(f32x8, from), f64x8);
	t += w;
	u64x8 v = (u64x8)_mm512_permutexvar_epi8(_mm512_loadu_si512(t->bytes), _mm512_loadu_si512(from));
	return __builtin_convertvector((i64x8)(v << LOAD(u64x8, t->up) ^ t->flip) >> LOAD(i64x8, t->down), f64x8);
}

INLINE f64x8 any_integers(const u8 *from, const struct slot_table *t, u64 w) { return integers(from, t, w, BITS); }
#else
#define slot_table pair_table

INLINE f64x8 integers(const u8 *from, const struct slot_table *t, u64 w, enum kind kind) {
	return join(decode(from, t + w, w, 0, kind), decode(from, t + w, w, 1, kind));
}

INLINE f64x8 any_integers(const u8 *from, const struct slot_table *t, u64 w) {
	switch (kind_of(w, 0)) {
	case BYTES: return integers(from, t, w, BYTES);
	case BITS: return integers(from, t, w, BITS);
	default: return integers(from, t, w, WIDE);
	}
}
#endif

// put stores the sums of rows from `row` on.
INLINE void put(const struct slot_call *c, i64 row, i64 n, f64x8 sum) {
	double *dst = c->dst;
	if (n == LANES && !c->order) {
		dst += row;
		f64x8 unit = c->factor - (f64x8){};
		if (c->exp) unit = (f64x8)(((u64x8)__builtin_convertvector(LOAD(i32x8, c->exp + row), i64x8) + (u64)c->bias) << 52);
		STORE(dst, c->add ? fma(sum, unit, LOAD(f64x8, dst)) : sum * unit);
		return;
	}
	double sums[LANES];
	STORE(sums, sum);
#pragma clang loop unroll(disable)
	for (i64 l = 0; l < n; l++) {
		i64 i = c->order ? c->order[row + l] : row + l;
		double u = c->exp ? unit_of(c->exp, (u64)c->bias, i) : c->factor;
		dst[i] = c->add ? __builtin_fma(sums[l], u, dst[i]) : sums[l] * u;
	}
}

// state is how far a product has come.
struct state {
	const u8 *widths, *values[2];
	const u16 *index;
	f64x8 sum[2]; // of the even and the odd slots
};

// add adds the products of the next slot of a stream.
INLINE void add(struct state *s, const struct slot_call *c, int stream, f64x8 x, enum kind kind) {
	const struct slot_table *t = (const void *)c->tables;
	const u8 *from = s->values[stream];
	u64 w = *s->widths++;
	PREFETCH(from + 2048);
	s->sum[stream] = fma(kind == SINGLE ? integers(from, t, w, SINGLE) : any_integers(from, t, w), x, s->sum[stream]);
	s->values[stream] = from + w;
}

// columns_group adds the products of a group of n slots with columns.
INLINE void columns_group(struct state *s, const struct slot_call *c, const double *x, i64 n, enum columns columns, enum access access, enum kind kind) {
	for (; n > 1; n -= 2) {
		PREFETCH(s->index + 128 * columns);
		add(s, c, 0, elements(x, s->index, columns, access), kind);
		add(s, c, 1, elements(x, s->index + columns, columns, access), kind);
		s->index += 2 * columns;
	}
	if (n > 0) {
		add(s, c, 0, elements(x, s->index, columns, access), kind);
		s->index += columns;
	}
}

// diagonals_group adds the products of a group of n diagonals, x being the element of the first row.
INLINE void diagonals_group(struct state *s, const struct slot_call *c, const double *x, i64 n, const i32 *offset) {
	for (; n > 1; n -= 2, offset += 2) {
		add(s, c, 0, LOAD(f64x8, x + offset[0]), BITS);
		add(s, c, 1, LOAD(f64x8, x + offset[1]), BITS);
	}
	if (n > 0) add(s, c, 0, LOAD(f64x8, x + offset[0]), BITS);
}

INLINE void mul(const struct slot_call *c, enum columns columns, enum access access) {
	struct state s = {c->widths, {c->values, c->values + c->stream}, c->index, {}};
	i64 row = 0;
	for (const struct slot_group *g = c->groups, *end = g + c->count; g < end; g++) {
		if (columns == NEAR && g->flags & DIAGONAL) {
			diagonals_group(&s, c, c->x_row + row, g->slots, c->offsets + g->base);
		} else if (g->flags & FLOAT) {
			columns_group(&s, c, c->x + g->base, g->slots, columns, LOADS, SINGLE);
		} else {
			columns_group(&s, c, c->x + g->base, g->slots, columns, access, BITS);
		}
		if (!(g->flags & LAST)) continue;
		f64x8 sum = s.sum[0] + s.sum[1];
		i64 n = c->rows - row < LANES ? c->rows - row : LANES;
		if (g->flags & ONE_ROW) {
			n = 1;
			sum[0] = fold(__builtin_shufflevector(sum, sum, 0, 1, 2, 3), __builtin_shufflevector(sum, sum, 4, 5, 6, 7));
		}
		put(c, row, n, sum);
		row += n;
		s.sum[0] = s.sum[1] = (f64x8){};
	}
}

KERNEL(slots, const struct slot_call *c) { mul(c, NEAR, LOADS); }

KERNEL(farSlots, const struct slot_call *c) { mul(c, FAR, LOADS); }

#if WIDTH == 8
KERNEL(gatherSlots, const struct slot_call *c) { mul(c, NEAR, GATHERS); }

KERNEL(farGatherSlots, const struct slot_call *c) { mul(c, FAR, GATHERS); }
#endif
