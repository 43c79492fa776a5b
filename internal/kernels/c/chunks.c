// Chunks of sixteen rows times a vector of float32; see MulChunks. The sums of a chunk are in two registers. Elements of x are
// loaded one by one: gathers are slower on AMD's processors.
#include "chunks.h"

#if WIDTH == 4
#define AHEAD 2048 // bytes of values to prefetch ahead

// elements returns those of x for eight rows of the next slot, from row j on.
INLINE f32w elements(const float *x, const struct slots *at, i64 j, enum kind kind) {
	if (kind == RUN) return LOAD(f32w, x + j);
#define X(k) x[column(at, j + (k), kind)]
	return (f32w){X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7)};
}

// add adds n slots of a kind to the sums of both halves.
INLINE void add(f32w sum[2], const struct chunk_call *c, struct slots *at, i64 n, enum kind kind, int floats) {
	for (; n > 0; n--) {
		const float *x = c->x + base(at, kind);
		PREFETCH((const char *)c->values + at->values * (floats ? 4 : 2) + AHEAD);
		UNROLL for (int h = 0; h < 2; h++) sum[h] += values(c, at->values + HALF * h, floats) * elements(x, at, HALF * h, kind);
		next(at, kind);
	}
}

INLINE void multiply(const struct chunk_call *c, int floats) {
	struct slots at = {c->base, c->index, 0};
	for (i64 k = 0; k < c->count; k++) {
		f32w sum[2] = {};
		add(sum, c, &at, c->heads[k].runs, RUN, floats);
		add(sum, c, &at, c->heads[k].windows, WINDOW, floats);
		add(sum, c, &at, c->heads[k].near, NEAR, floats);
		add(sum, c, &at, c->heads[k].far, FAR, floats);
		UNROLL for (int h = 0; h < 2; h++) {
			i64 to = ROWS * k + HALF * h;
			finish(c, to, sum[h] * (c->units ? LOAD(f32w, c->units + to) : every(c->unit)));
		}
	}
}

KERNEL(chunksInt, const struct chunk_call *c) { multiply(c, 0); }

KERNEL(chunksFloat, const struct chunk_call *c) { multiply(c, 1); }
#endif
