// Slots of single elements; see MulSlots and MulSlotsDD.
#include "slots.h"

enum columns { NONE = 0, NEAR = 8, FAR = 12 }; // NEAR and FAR are the length of the index of a slot; NONE: of a diagonal
enum access { LOADS, GATHERS };      // how x is read: the gathers of AMD's processors are slow

// eight holds a sum for each lane of a slot.
struct eight { ddv part[PARTS]; };

// column returns the column of lane l of a slot.
INLINE i64 column(const u16 *index, int l, enum columns columns) {
	if (columns == NEAR) return index[l];
	const u8 *three = (const u8 *)index + 3 * l;
	return l < LANES - 1 ? LOAD(u32, three) & 0xffffff : LOAD(u32, three - 1) >> 8;
}

// elements returns part h of x in the columns of a slot, or of consecutive elements for a diagonal.
INLINE f64v elements(const double *x, const u16 *index, int h, enum columns columns, enum access access) {
	if (columns == NONE) return LOAD(f64v, x + WIDTH * h);
#define X(l) x[column(index, WIDTH * h + l, columns)]
#if WIDTH == 8
	if (access == GATHERS) {
		u8x32 three = pair((const u8 *)index, (const u8 *)index + 8); // of the lanes, in bytes 0 to 15 and 8 to 23
		u8x32 from = {0, 1, 2, 128, 3, 4, 5, 128, 6, 7, 8, 128, 9, 10, 11, 128,
			4, 5, 6, 128, 7, 8, 9, 128, 10, 11, 12, 128, 13, 14, 15, 128};
		if (columns == FAR) return (f64v)_mm512_i32gather_pd((__m256i)bytes_at(three, from), x, 8);
		return (f64v)_mm512_i32gather_pd(_mm256_cvtepu16_epi32(LOAD(__m128i, index)), x, 8);
	}
	return (f64v){X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7)};
#else
	(void)access;
	return (f64v){X(0), X(1), X(2), X(3)};
#endif
#undef X
}

// AT reads a number for each of WIDTH rows from `row` on, in the order of the rows if there is one.
#define AT(type, list, order, row) ({ \
	type v_; \
	if (!(order)) v_ = LOAD(type, (list) + (row)); \
	else UNROLL for (int l_ = 0; l_ < WIDTH; l_++) v_[l_] = (list)[(order)[(row) + l_]]; \
	v_; })

INLINE void put_lanes(double *dst, const u16 *order, i64 row, f64v v) {
	if (!order) STORE(dst + row, v);
	else UNROLL for (int l = 0; l < WIDTH; l++) dst[order[row + l]] = v[l];
}

// put_full stores the sums of eight rows from `row` on, in the order of the rows if there is one.
INLINE void put_full(const struct slot_call *c, const u16 *order, i64 row, struct eight sum, int flags) {
	double *dst = c->dst;
	UNROLL for (int h = 0; h < PARTS; h++, row += WIDTH) {
		f64v unit = all(c->factor);
		if (c->exp) unit = (f64v)(((u64v)__builtin_convertvector(AT(i32v, c->exp, order, row), i64v) + (u64)c->bias) << 52);
		ddv v = {sum.part[h].hi * unit, sum.part[h].lo};
		if (flags & TWOFOLD) {
			v.lo *= unit;
			if (c->add) v = accumulate((ddv){AT(f64v, dst, order, row), AT(f64v, c->dst_lo, order, row)}, v);
			v = two_sum(v.hi, v.lo);
			put_lanes(c->dst_lo, order, row, v.lo);
		} else if (c->add) {
			v.hi = fma(sum.part[h].hi, unit, AT(f64v, dst, order, row));
		}
		put_lanes(dst, order, row, v.hi);
	}
}

// put stores the sums of n rows from `row` on.
INLINE void put(const struct slot_call *c, i64 row, i64 n, struct eight sum, int flags) {
	if (n == LANES && !c->order) {
		put_full(c, 0, row, sum, flags);
		return;
	}
	if (n == LANES) {
		put_full(c, c->order, row, sum, flags);
		return;
	}
	double high[LANES], low[LANES], *dst = c->dst;
	UNROLL for (int h = 0; h < PARTS; h++) {
		STORE(high + WIDTH * h, sum.part[h].hi);
		if (flags & TWOFOLD) STORE(low + WIDTH * h, sum.part[h].lo);
	}
#pragma clang loop unroll(disable)
	for (i64 l = 0; l < n; l++) {
		i64 i = c->order ? c->order[row + l] : row + l;
		double u = c->exp ? unit_of(c->exp, (u64)c->bias, i) : c->factor;
		if (!(flags & TWOFOLD)) {
			dst[i] = c->add ? __builtin_fma(high[l], u, dst[i]) : high[l] * u;
			continue;
		}
		ddv v = {{high[l] * u}, {low[l] * u}};
		if (c->add) v = accumulate((ddv){{dst[i]}, {c->dst_lo[i]}}, v);
		put_first(dst + i, c->dst_lo + i, 1, v, flags);
	}
}

// one_row adds the lanes: halves, quarters, the last two.
INLINE void one_row(struct eight *sum, int flags) {
	ddv *s = sum->part;
	if (flags & TWOFOLD) {
#if WIDTH == 4
		s[0] = accumulate(s[0], s[1]);
#endif
		s[0] = lanes(s[0]);
		return;
	}
#if WIDTH == 8
	f64v v = s[0].hi;
	s[0].hi[0] = fold(__builtin_shufflevector(v, v, 0, 1, 2, 3), __builtin_shufflevector(v, v, 4, 5, 6, 7));
#else
	s[0].hi[0] = fold(s[0].hi, s[1].hi);
#endif
}

// state is the state of a product.
struct state {
	const u8 *widths, *values[2];
	const u16 *index;
	struct eight sum[2]; // of the even and the odd slots
};

#if WIDTH == 8
// integers returns the integers of any width at `from`, by the same instructions.
INLINE f64v integers(const u8 *from, const struct slot_table *t) {
	u64v bits = (u64v)_mm512_permutexvar_epi8(LOAD(__m512i, t->bytes), LOAD(__m512i, from)) << LOAD(u64v, t->up);
	return __builtin_convertvector((i64v)(bits ^ t->flip) >> LOAD(i64v, t->down), f64v);
}
#endif

// What is known about the slots of a group: nothing, so that the processor mispredicts branches that depend on a
// width; that most are of one kind; or that they are floats.
enum slots { MIXED, ALIKE, FLOATS };

// decode_slot returns the values of a slot.
INLINE void decode_slot(f64v m[PARTS], const u8 *from, const struct slot_table *t, u64 w, enum kind kind) {
	UNROLL for (int h = 0; h < PARTS; h++) m[h] = decode(from, t + w, w, h, kind);
}

// add adds the products of the next slot of a stream. It decodes before it loads x, lest registers run out.
INLINE void add(struct state *s, const struct slot_call *c, int stream, const double *x, const double *x_lo, enum columns columns, enum access access, enum slots slots, int flags) {
	const u8 *from = s->values[stream];
	const struct slot_table *t = c->tables;
	u64 w = *s->widths++;
	f64v m[PARTS];
	PREFETCH(from + 2048);
	s->values[stream] = from + w;
#if WIDTH == 8
	if (slots == MIXED) m[0] = integers(from, t + w);
	else
#endif
	switch (kind_of(w, slots == FLOATS ? FLOAT : 0)) {
	case BYTES: decode_slot(m, from, t, w, BYTES); break;
	case BITS: decode_slot(m, from, t, w, BITS); break;
	case WIDE: decode_slot(m, from, t, w, WIDE); break;
	case SINGLE: decode_slot(m, from, t, w, SINGLE); break;
	case DOUBLE: decode_slot(m, from, t, w, DOUBLE); break;
	}
	ddv *sum = s->sum[flags & TWOFOLD ? 0 : stream].part; // double-double has one sum, lest registers run out
	UNROLL for (int h = 0; h < PARTS; h++) {
		ddv v = {elements(x, s->index, h, columns, access), {}};
		if (flags & TWOFOLD) v.lo = elements(x_lo, s->index, h, columns, access);
		sum[h] = plus_product(sum[h], m[h], v, flags);
	}
	s->index += columns;
}

// add_columns adds the products of a group of n slots with columns.
INLINE void add_columns(struct state *s, const struct slot_call *c, const struct slot_group *g, enum columns columns, enum access access, enum slots slots, int flags) {
	const double *x = c->x + g->base, *x_lo = flags & TWOFOLD ? c->x_lo + g->base : x;
	i64 n = g->slots;
	for (; n > 1; n -= 2) {
		PREFETCH(s->index + 16 * WIDTH * columns); // eight lanes get there sooner
		add(s, c, 0, x, x_lo, columns, access, slots, flags);
		add(s, c, 1, x, x_lo, columns, access, slots, flags);
	}
	if (n > 0) add(s, c, 0, x, x_lo, columns, access, slots, flags);
}

// add_diagonals adds the products of a group of diagonals of the rows from `row` on.
INLINE void add_diagonals(struct state *s, const struct slot_call *c, const struct slot_group *g, i64 row, enum slots slots, int flags) {
	const double *x = c->x_row + row, *x_lo = flags & TWOFOLD ? c->x_lo + (x - c->x) : x;
	const i32 *offset = c->offsets + g->base;
	i64 n = g->slots;
	for (; n > 1; n -= 2, offset += 2) {
		add(s, c, 0, x + offset[0], x_lo + offset[0], NONE, LOADS, slots, flags);
		add(s, c, 1, x + offset[1], x_lo + offset[1], NONE, LOADS, slots, flags);
	}
	if (n > 0) add(s, c, 0, x + offset[0], x_lo + offset[0], NONE, LOADS, slots, flags);
}

// end_slice returns the sums of a slice and begins the next one.
INLINE struct eight end_slice(struct state *s, int flags) {
	struct eight sum;
	UNROLL for (int h = 0; h < PARTS; h++) {
		sum.part[h] = flags & TWOFOLD ? s->sum[0].part[h] : plus(s->sum[0].part[h], s->sum[1].part[h], flags);
		s->sum[0].part[h] = s->sum[1].part[h] = (ddv){};
	}
	return sum;
}

INLINE void mul(const struct slot_call *c, enum columns columns, enum access access, int flags) {
	struct state s = {c->widths, {c->values, c->values + c->stream}, c->index, {}};
	i64 row = 0;
	for (const struct slot_group *g = c->groups, *end = g + c->count; g < end; g++) {
		if (columns == NEAR && g->flags & DIAGONAL) {
			if (g->flags & FLOAT) add_diagonals(&s, c, g, row, FLOATS, flags);
			else add_diagonals(&s, c, g, row, ALIKE, flags);
		} else if (g->flags & FLOAT) {
			add_columns(&s, c, g, columns, access, FLOATS, flags);
		} else {
			add_columns(&s, c, g, columns, access, MIXED, flags);
		}
		if (!(g->flags & LAST)) continue;
		struct eight sum = end_slice(&s, flags);
		i64 n = c->rows - row < LANES ? c->rows - row : LANES;
		if (g->flags & ONE_ROW) {
			n = 1;
			one_row(&sum, flags);
		}
		put(c, row, n, sum, flags);
		row += n;
	}
}

KERNEL(slots, const struct slot_call *c) { mul(c, NEAR, LOADS, 0); }

KERNEL(farSlots, const struct slot_call *c) { mul(c, FAR, LOADS, 0); }

#if WIDTH == 8
KERNEL(farGatherSlots, const struct slot_call *c) { mul(c, FAR, GATHERS, 0); }
#else
// Kernels with eight lanes were only ever run in an emulator whose fma is not always exact; therefore AVX-512 uses
// the kernels with four.
KERNEL(slotsDD, const struct slot_call *c) { mul(c, NEAR, LOADS, TWOFOLD); }

KERNEL(farSlotsDD, const struct slot_call *c) { mul(c, FAR, LOADS, TWOFOLD); }
#endif
