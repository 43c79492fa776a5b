// Slots of b x b blocks times K vectors; included once for each K.
#include "width.h"

// add adds the products of n decoded slots to the sums, which start from zero if fresh: the sums of element i of all
// lanes, then of i + 1.
INLINE void FN(add)(struct multi_work *s, int b, const double *x, i64 n, int fresh) {
	const int together = WIDTH / (b <= 3 ? 2 : 4);
	EACH_PART NO_UNROLL for (int l = 0; l < LANES; l += together) {
		VEC y[WIDTH / 2][MAX_BLOCK];
		UNROLL for (int r = 0; r < together; r++) {
			UNROLL for (int i = 0; i < b; i++) y[r][i] = fresh ? (VEC){} : AT(s->sums + (i * LANES + l + r) * K + v);
		}
		const double *m = s->values + l;
		const i64 *at = s->places + l;
		NO_UNROLL for (i64 k = 0; k < n; k++, m += b * b * LANES, at += LANES) {
			UNROLL for (int j = 0; j < b; j++) {
				UNROLL for (int r = 0; r < together; r++) {
					VEC xj = AT(x + at[r] + K * j + v);
					UNROLL for (int i = 0; i < b; i++) y[r][i] = fma(FN(splat)(m[(i * b + j) * LANES + r]), xj, y[r][i]);
				}
			}
		}
		UNROLL for (int r = 0; r < together; r++) {
			UNROLL for (int i = 0; i < b; i++) STORE(s->sums + (i * LANES + l + r) * K + v, y[r][i]);
		}
	}
}

// put stores the sums of n block rows from `row` on.
INLINE void FN(put)(const struct slot_call *c, int b, const double *sums, i64 row, i64 n) {
	NO_UNROLL for (i64 l = 0; l < n; l++) {
		i64 first = b * (c->order ? c->order[row + l] : row + l);
		NO_UNROLL for (int i = 0; i < b; i++) {
			VEC u = FN(splat)(unit_at(c, first + i));
			EACH_PART STORE(c->dst + K * (first + i) + v, AT(sums + (i * LANES + l) * K + v) * u);
		}
	}
}

INLINE void FN(multiply)(const struct slot_call *c, struct multi_work *s, int b) {
	const int most = MOST_VALUES / (LANES * b * b);
	const u8 *widths = c->widths, *values = c->values;
	const u16 *index = c->index;
	i64 row = 0;
	int fresh = 1;
	for (const struct slot_group *g = c->groups, *end = g + c->count; g < end; g++) {
		i64 done = 0;
		do {
			i64 n = g->slots - done < most ? g->slots - done : most;
			for (i64 k = 0; k < n; k++, widths++, index += LANES) {
				PREFETCH(index + 512);
				values += b * unpack(s->values + b * b * LANES * k, b, values, c->stream, c->tables, *widths, g->flags);
				places(s->places + LANES * k, index, g->base, K, c->x, FETCH(K * b));
			}
			FN(add)(s, b, c->x, n, fresh);
			fresh = 0;
			done += n;
		} while (done < g->slots);
		if (!(g->flags & LAST)) continue;
		i64 n = c->rows - row < LANES ? c->rows - row : LANES;
		FN(put)(c, b, s->sums, row, n);
		row += n;
		fresh = 1;
	}
}
