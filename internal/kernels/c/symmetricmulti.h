// Slots of b x b blocks of the lower triangle of a symmetric matrix times K vectors; included once
// for each K.
#include "width.h"

// begin finds x of the rows of a slice, and zeros for missing rows.
INLINE void FN(begin)(const struct symmetric_call *c, struct multi_work *s, int b, i64 done) {
	NO_UNROLL for (i64 l = 0; l < LANES; l++) {
		s->own[l] = s->zeros;
		if (l < c->rows - done) s->own[l] = c->x_row + K * b * (c->order ? c->order[done + l] : done + l);
		NO_UNROLL for (int i = 0; i < b; i++) EACH_PART STORE(s->sums + (l * b + i) * K + v, (VEC){});
	}
}

// end adds up the sums of the rows of a slice.
INLINE void FN(end)(const struct symmetric_call *c, struct multi_work *s, int b, i64 done, i64 n) {
	NO_UNROLL for (i64 l = 0; l < n; l++) {
		double *sums = c->sums_row + K * b * (c->order ? c->order[done + l] : done + l);
		NO_UNROLL for (int i = 0; i < b; i++) EACH_PART STORE(sums + i * K + v, AT(sums + i * K + v) + AT(s->sums + (l * b + i) * K + v));
	}
}

// slot adds the products of a decoded slot and, unless it is float32, of its transposes to the sums of their columns.
INLINE void FN(slot)(struct multi_work *s, int b, const double *x, double *sums, int transposed) {
	NO_UNROLL for (int l = 0; l < LANES; l++) EACH_PART {
		const double *xs = x + s->places[l] + v, *own = s->own[l] + v, *m = s->values + l;
		double *to = sums + s->places[l] + v, *mine = s->sums + l * b * K + v;
		VEC xj[MAX_BLOCK], t[MAX_BLOCK];
		UNROLL for (int j = 0; j < b; j++) xj[j] = AT(xs + j * K);
		UNROLL for (int i = 0; i < b; i++) {
			VEC y = AT(mine + i * K), o = AT(own + i * K);
			UNROLL for (int j = 0; j < b; j++) {
				VEC a = FN(splat)(m[(i * b + j) * LANES]);
				y = fma(a, xj[j], y);
				if (transposed) t[j] = i == 0 ? a * o : fma(a, o, t[j]);
			}
			STORE(mine + i * K, y);
		}
		if (transposed) UNROLL for (int j = 0; j < b; j++) STORE(to + j * K, AT(to + j * K) + t[j]);
	}
}

// on_diagonal adds the products of a decoded slot of blocks on the diagonal.
INLINE void FN(on_diagonal)(struct multi_work *s, int b) {
	NO_UNROLL for (int l = 0; l < LANES; l++) EACH_PART {
		const double *own = s->own[l] + v, *m = s->values + l;
		double *mine = s->sums + l * b * K + v;
		NO_UNROLL for (int i = 0; i < b; i++) {
			VEC y = AT(mine + i * K);
			NO_UNROLL for (int j = 0; j < b; j++, m += LANES) y = fma(FN(splat)(*m), AT(own + j * K), y);
			STORE(mine + i * K, y);
		}
	}
}

INLINE void FN(multiply)(const struct symmetric_call *c, struct multi_work *s, int b) {
	const u8 *widths = c->widths, *values = c->values;
	const u16 *index = c->index;
	i64 done = 0;
	FN(begin)(c, s, b, done);
	for (const struct slot_group *g = c->groups, *last = g + c->count; g < last; g++) {
		double *sums = c->sums - K * b * c->from;
		for (const u8 *stop = widths + g->slots; widths < stop; widths++) {
			values += b * unpack(s->values, b, values, c->stream, c->tables, *widths, g->flags);
			if (g->flags & DIAGONAL) {
				FN(on_diagonal)(s, b);
				continue;
			}
			places(s->places, index, g->base, K * b, c->x, FETCH(K * b));
			index += LANES;
			if (kind_of(*widths, g->flags) == SINGLE) FN(slot)(s, b, c->x, sums, 0);
			else FN(slot)(s, b, c->x, sums, 1);
		}
		if (!(g->flags & LAST)) continue;
		i64 n = c->rows - done < LANES ? c->rows - done : LANES;
		FN(end)(c, s, b, done, n);
		done += n;
		if (g + 1 < last) FN(begin)(c, s, b, done);
	}
}
