// Slots of single elements; see MulSlots.
#include "slots.h"

enum columns { NEAR = 8, FAR = 12 }; // and the length of the index of a slot
enum access { LOADS, GATHERS };      // how x is read: the gathers of AMD's processors are slow

// lanes is a number for each lane of a slot.
struct lanes { f64v part[PARTS]; };

// column is that of lane l of a slot.
INLINE i64 column(const u16 *index, int l, enum columns columns) {
	if (columns == NEAR) return index[l];
	const u8 *three = (const u8 *)index + 3 * l;
	return l < LANES - 1 ? LOAD(u32, three) & 0xffffff : LOAD(u32, three - 1) >> 8;
}

// elements returns x in the columns of a slot.
INLINE struct lanes elements(const double *x, const u16 *index, enum columns columns, enum access access) {
#define X(l) x[column(index, l, columns)]
#if WIDTH == 8
	if (access == GATHERS) {
		u8x32 three = pair((const u8 *)index, (const u8 *)index + 8); // of the lanes, in bytes 0 to 15 and 8 to 23
		u8x32 from = {0, 1, 2, 128, 3, 4, 5, 128, 6, 7, 8, 128, 9, 10, 11, 128,
			4, 5, 6, 128, 7, 8, 9, 128, 10, 11, 12, 128, 13, 14, 15, 128};
		return (struct lanes){{(f64v)_mm512_i32gather_pd((__m256i)bytes_at(three, from), x, 8)}};
	}
	return (struct lanes){{(f64v){X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7)}}};
#else
	(void)access;
	return (struct lanes){{{X(0), X(1), X(2), X(3)}, {X(4), X(5), X(6), X(7)}}};
#endif
#undef X
}

// diagonal returns x from an element on.
INLINE struct lanes diagonal(const double *x) {
	struct lanes v;
	UNROLL for (int h = 0; h < PARTS; h++) v.part[h] = LOAD(f64v, x + h * WIDTH);
	return v;
}

// AT reads a number of each of WIDTH rows from `row` on, in the order of the rows if there is one.
#define AT(type, list, order, row) ({ \
	type v_; \
	if (!(order)) v_ = LOAD(type, (list) + (row)); \
	else UNROLL for (int l_ = 0; l_ < WIDTH; l_++) v_[l_] = (list)[(order)[(row) + l_]]; \
	v_; })

// put_full stores the sums of eight rows from `row` on, in the order of the rows if there is one.
INLINE void put_full(const struct slot_call *c, const u16 *order, i64 row, struct lanes sum) {
	double *dst = c->dst;
	UNROLL for (int h = 0; h < PARTS; h++, row += WIDTH) {
		f64v unit = all(c->factor), v;
		if (c->exp) unit = (f64v)(((u64v)__builtin_convertvector(AT(i32v, c->exp, order, row), i64v) + (u64)c->bias) << 52);
		v = c->add ? fma(sum.part[h], unit, AT(f64v, dst, order, row)) : sum.part[h] * unit;
		if (!order) STORE(dst + row, v);
		else UNROLL for (int l = 0; l < WIDTH; l++) dst[order[row + l]] = v[l];
	}
}

// put stores the sums of n rows from `row` on.
INLINE void put(const struct slot_call *c, i64 row, i64 n, struct lanes sum) {
	if (n == LANES && !c->order) {
		put_full(c, 0, row, sum);
		return;
	}
	if (n == LANES) {
		put_full(c, c->order, row, sum);
		return;
	}
	double sums[LANES], *dst = c->dst;
	STORE(sums, sum);
#pragma clang loop unroll(disable)
	for (i64 l = 0; l < n; l++) {
		i64 i = c->order ? c->order[row + l] : row + l;
		double u = c->exp ? unit_of(c->exp, (u64)c->bias, i) : c->factor;
		dst[i] = c->add ? __builtin_fma(sums[l], u, dst[i]) : sums[l] * u;
	}
}

// one_row adds the lanes.
INLINE double one_row(struct lanes sum) {
#if WIDTH == 8
	f64v s = sum.part[0];
	return fold(__builtin_shufflevector(s, s, 0, 1, 2, 3), __builtin_shufflevector(s, s, 4, 5, 6, 7));
#else
	return fold(sum.part[0], sum.part[1]);
#endif
}

// state is how far a product has come.
struct state {
	const u8 *widths, *values[2];
	const u16 *index;
	struct lanes sum[2]; // of the even and the odd slots
};

#if WIDTH == 8
// integers returns the integers of any width at `from`, by the same instructions.
INLINE f64v integers(const u8 *from, const struct slot_table *t) {
	u64v bits = (u64v)_mm512_permutexvar_epi8(LOAD(__m512i, t->bytes), LOAD(__m512i, from)) << LOAD(u64v, t->up);
	return __builtin_convertvector((i64v)(bits ^ t->flip) >> LOAD(i64v, t->down), f64v);
}
#endif

// add_slot adds the products of a slot at `from` to a sum.
INLINE void add_slot(struct lanes *sum, const u8 *from, const struct slot_table *t, u64 w, struct lanes x, enum kind kind) {
	UNROLL for (int h = 0; h < PARTS; h++) sum->part[h] = fma(decode(from, t + w, w, h, kind), x.part[h], sum->part[h]);
}

// What is known of the slots of a group: nothing, so that the processor guesses branches wrong that depend
// on a width; that most are of one kind; or that they are float32.
enum slots { MIXED, ALIKE, FLOATS };

// add adds those of the next slot of a stream.
INLINE void add(struct state *s, const struct slot_table *t, int stream, struct lanes x, enum slots slots) {
	const u8 *from = s->values[stream];
	struct lanes *sum = &s->sum[stream];
	u64 w = *s->widths++;
	PREFETCH(from + 2048);
	s->values[stream] = from + w;
#if WIDTH == 8
	if (slots == MIXED) {
		sum->part[0] = fma(integers(from, t + w), x.part[0], sum->part[0]);
		return;
	}
#endif
	switch (kind_of(w, slots == FLOATS ? FLOAT : 0)) {
	case BYTES: add_slot(sum, from, t, w, x, BYTES); break;
	case BITS: add_slot(sum, from, t, w, x, BITS); break;
	case WIDE: add_slot(sum, from, t, w, x, WIDE); break;
	case SINGLE: add_slot(sum, from, t, w, x, SINGLE); break;
	}
}

// add_columns adds the products of a group of n slots with columns.
INLINE void add_columns(struct state *s, const struct slot_table *t, const double *x, i64 n, enum columns columns, enum access access, enum slots slots) {
	for (; n > 1; n -= 2, s->index += 2 * columns) {
		PREFETCH(s->index + 16 * WIDTH * columns); // eight lanes are sooner there
		add(s, t, 0, elements(x, s->index, columns, access), slots);
		add(s, t, 1, elements(x, s->index + columns, columns, access), slots);
	}
	if (n > 0) {
		add(s, t, 0, elements(x, s->index, columns, access), slots);
		s->index += columns;
	}
}

// add_diagonals adds the products of a group of n diagonals, x being the element of the first row.
INLINE void add_diagonals(struct state *s, const struct slot_table *t, const double *x, i64 n, const i32 *offset) {
	for (; n > 1; n -= 2, offset += 2) {
		add(s, t, 0, diagonal(x + offset[0]), ALIKE);
		add(s, t, 1, diagonal(x + offset[1]), ALIKE);
	}
	if (n > 0) add(s, t, 0, diagonal(x + offset[0]), ALIKE);
}

INLINE void mul(const struct slot_call *c, enum columns columns, enum access access) {
	struct state s = {c->widths, {c->values, c->values + c->stream}, c->index, {}};
	i64 row = 0;
	for (const struct slot_group *g = c->groups, *end = g + c->count; g < end; g++) {
		if (columns == NEAR && g->flags & DIAGONAL) {
			add_diagonals(&s, c->tables, c->x_row + row, g->slots, c->offsets + g->base);
		} else if (g->flags & FLOAT) {
			add_columns(&s, c->tables, c->x + g->base, g->slots, columns, LOADS, FLOATS);
		} else {
			add_columns(&s, c->tables, c->x + g->base, g->slots, columns, access, MIXED);
		}
		if (!(g->flags & LAST)) continue;
		struct lanes sum;
		UNROLL for (int h = 0; h < PARTS; h++) {
			sum.part[h] = s.sum[0].part[h] + s.sum[1].part[h];
			s.sum[0].part[h] = s.sum[1].part[h] = (f64v){};
		}
		i64 n = c->rows - row < LANES ? c->rows - row : LANES;
		if (g->flags & ONE_ROW) {
			n = 1;
			sum.part[0][0] = one_row(sum);
		}
		put(c, row, n, sum);
		row += n;
	}
}

KERNEL(slots, const struct slot_call *c) { mul(c, NEAR, LOADS); }

KERNEL(farSlots, const struct slot_call *c) { mul(c, FAR, LOADS); }

#if WIDTH == 8
KERNEL(farGatherSlots, const struct slot_call *c) { mul(c, FAR, GATHERS); }
#endif
