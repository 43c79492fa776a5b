// Slots of single elements times K vectors; included once for each K.
#include "width.h"

// add adds the products of n decoded slots to the sums, which start from zero if fresh: the sums of even slots, then
// of odd ones.
INLINE void FN(add)(struct multi_work *s, const double *x, i64 n, int fresh) {
	enum { TOGETHER = 4 };
	EACH_PART NO_UNROLL for (int l = 0; l < LANES; l += TOGETHER) {
		VEC even[TOGETHER], odd[TOGETHER];
		double *sums = s->sums + l * K + v, *more = sums + LANES * K;
		UNROLL for (int r = 0; r < TOGETHER; r++) {
			even[r] = fresh ? (VEC){} : AT(sums + r * K);
			odd[r] = fresh ? (VEC){} : AT(more + r * K);
		}
		const double *m = s->values + l;
		const i64 *at = s->places + l;
		i64 k = 0;
		NO_UNROLL for (; k + 1 < n; k += 2, m += 2 * LANES, at += 2 * LANES) {
			UNROLL for (int r = 0; r < TOGETHER; r++) even[r] = fma(FN(splat)(m[r]), AT(x + at[r] + v), even[r]);
			UNROLL for (int r = 0; r < TOGETHER; r++) odd[r] = fma(FN(splat)(m[LANES + r]), AT(x + at[LANES + r] + v), odd[r]);
		}
		if (k < n) {
			UNROLL for (int r = 0; r < TOGETHER; r++) even[r] = fma(FN(splat)(m[r]), AT(x + at[r] + v), even[r]);
		}
		UNROLL for (int r = 0; r < TOGETHER; r++) {
			STORE(sums + r * K, even[r]);
			STORE(more + r * K, odd[r]);
		}
	}
}

// put stores the sums of n rows from `row` on.
INLINE void FN(put)(const struct slot_call *c, const double *sums, i64 row, i64 n) {
	NO_UNROLL for (i64 l = 0; l < n; l++) {
		i64 i = c->order ? c->order[row + l] : row + l;
		VEC u = FN(splat)(unit_at(c, i));
		EACH_PART {
			double *dst = c->dst + K * i + v;
			VEC y = AT(sums + l * K + v) + AT(sums + (LANES + l) * K + v);
			STORE(dst, c->add ? fma(y, u, AT(dst)) : y * u);
		}
	}
}

// fold adds up all lanes, as the products with one vector do.
INLINE void FN(fold)(double *sums) {
	EACH_PART {
		VEC s[LANES];
		UNROLL for (int l = 0; l < LANES; l++) {
			s[l] = AT(sums + l * K + v) + AT(sums + (LANES + l) * K + v);
		}
		STORE(sums + v, ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])));
		STORE(sums + LANES * K + v, (VEC){});
	}
}

INLINE void FN(multiply)(const struct slot_call *c, struct multi_work *s) {
	const u8 *widths = c->widths, *values = c->values, *other = values + c->stream; // of even and of odd slots
	const u16 *index = c->index;
	i64 row = 0;
	int fresh = 1;
	for (const struct slot_group *g = c->groups, *end = g + c->count; g < end; g++) {
		const double *x = g->flags & DIAGONAL ? c->x_row : c->x;
		i64 done = 0;
		do {
			i64 n = g->slots - done < MOST_SLOTS ? g->slots - done : MOST_SLOTS;
			for (i64 k = 0; k < n; k++, widths++) {
				const u8 *next = values + unpack(s->values + LANES * k, 1, values, 0, c->tables, *widths, g->flags);
				values = other;
				other = next;
				if (g->flags & DIAGONAL) {
					const u16 lanes[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
					places(s->places + LANES * k, lanes, row + c->offsets[g->base + done + k], K, x, 0);
				} else if (s->far) {
					PREFETCH(index + 512);
					far_places(s->places + LANES * k, index, g->base, K);
					index += 3 * LANES / 2;
				} else {
					PREFETCH(index + 512);
					places(s->places + LANES * k, index, g->base, K, x, FETCH(K));
					index += LANES;
				}
			}
			FN(add)(s, x, n, fresh);
			fresh = 0;
			done += n;
		} while (done < g->slots);
		if (g->slots & 1) {
			const u8 *next = values;
			values = other;
			other = next;
		}
		if (!(g->flags & LAST)) continue;
		i64 n = c->rows - row < LANES ? c->rows - row : LANES;
		if (g->flags & ONE_ROW) {
			n = 1;
			FN(fold)(s->sums);
		}
		FN(put)(c, s->sums, row, n);
		row += n;
		fresh = 1;
	}
}
