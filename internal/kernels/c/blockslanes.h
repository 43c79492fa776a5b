// Slots of b x b blocks times two vectors: as with one vector, a register has an element of all lanes, for each
// vector.

// f64w is f64v at any address.
typedef double f64w __attribute__((vector_size(8 * WIDTH), aligned(8)));

// several returns element j of vector v in x[K*j+v], of the blocks of part h of a slot.
INLINE void FN(several)(f64v x[], int b, const double *from, const u16 *index, const struct masks *q, const struct masks *rest) {
	UNROLL for (int j = 0; j < K * b; j += 4) {
		if (j + 4 <= K * b) columns(x + j, 4, from + j, index, K, q);
		else columns(x + j, 2, from + j, index, K, rest);
	}
}

// slot adds the products of a slot to the sums y[i * K + v] of element i of vector v.
INLINE void FN(slot)(f64w y[][PARTS], int b, const u8 *from, i64 stream, const struct slot_table *t, u64 w,
	const double *x, const u16 *index, enum kind kind, const struct masks *q, const struct masks *rest) {
	w = width_of(w, kind);
	UNROLL for (int h = 0; h < PARTS; h++) {
		f64v xs[MAX_BLOCK * K];
		FN(several)(xs, b, x, index + WIDTH * h, q, rest);
		const u8 *row = from;
		NO_UNROLL for (int i = 0; i < b; i++, row += stream) {
			f64v s[K];
			UNROLL for (int v = 0; v < K; v++) s[v] = y[i * K + v][h];
			UNROLL for (int j = 0; j < b; j++) {
				f64v m = decode(row + j * w, t, w, h, kind);
				UNROLL for (int v = 0; v < K; v++) s[v] = fma(m, xs[K * j + v], s[v]);
				if (h == 0) PREFETCH(row + j * w + 4096);
			}
			UNROLL for (int v = 0; v < K; v++) y[i * K + v][h] = s[v];
		}
	}
}

// put stores the sums of n block rows from `row` on.
INLINE void FN(put)(const struct slot_call *c, int b, const double *sums, i64 row, i64 n) {
	NO_UNROLL for (i64 l = 0; l < n; l++) {
		i64 first = b * (c->order ? c->order[row + l] : row + l);
		NO_UNROLL for (int i = 0; i < b; i++) {
			double u = unit_at(c, first + i);
			UNROLL for (int v = 0; v < K; v++) c->dst[K * (first + i) + v] = sums[(i * K + v) * LANES + l] * u;
		}
	}
}

INLINE void FN(multiply)(const struct slot_call *c, struct multi_work *work, int b) {
	const u8 *widths = c->widths, *values = c->values;
	const u16 *index = c->index;
	f64w (*y)[PARTS] = (f64w (*)[PARTS])work->sums;
	struct masks q = masks_of(4), rest = masks_of(2);
	i64 row = 0;
	UNROLL for (int i = 0; i < b * K; i++) UNROLL for (int h = 0; h < PARTS; h++) y[i][h] = (f64v){};
	for (const struct slot_group *g = c->groups, *end = g + c->count; g < end; g++) {
		const double *x = c->x + K * (i64)g->base;
		for (const u8 *last = widths + g->slots; widths < last; widths++, index += LANES) {
			u64 w = *widths;
			const struct slot_table *t = c->tables + w;
			PREFETCH(index + 512);
			switch (kind_of(w, g->flags)) {
			case BYTES: FN(slot)(y, b, values, c->stream, t, w, x, index, BYTES, &q, &rest); break;
			case BITS: FN(slot)(y, b, values, c->stream, t, w, x, index, BITS, &q, &rest); break;
			case WIDE: FN(slot)(y, b, values, c->stream, t, w, x, index, WIDE, &q, &rest); break;
			case SINGLE: FN(slot)(y, b, values, c->stream, t, w, x, index, SINGLE, &q, &rest); break;
			case DOUBLE: FN(slot)(y, b, values, c->stream, t, w, x, index, DOUBLE, &q, &rest); break;
			}
			values += b * w;
		}
		if (!(g->flags & LAST)) continue;
		i64 n = c->rows - row < LANES ? c->rows - row : LANES;
		FN(put)(c, b, work->sums, row, n);
		row += n;
		UNROLL for (int i = 0; i < b * K; i++) UNROLL for (int h = 0; h < PARTS; h++) y[i][h] = (f64v){};
	}
}
