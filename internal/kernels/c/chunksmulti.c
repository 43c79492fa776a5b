// Chunks of sixteen rows times eight vectors of float32; see MulChunksMulti. A value is multiplied by eight
// consecutive numbers, a full register; eight rows have their sums in registers at a time.
#include "chunks.h"

#if WIDTH == 4
enum { VECTORS = 8 };

// add adds n slots of a kind to the sums of eight rows, of which `half` is the first.
INLINE void add(f32w sum[HALF], const struct chunk_call *c, struct slots *at, i64 n, int half, enum kind kind, int floats) {
	for (; n > 0; n--) {
		float value[HALF];
		STORE(value, values(c, at->values + half, floats));
		const float *x = c->x + VECTORS * base(at, kind);
		UNROLL for (int r = 0; r < HALF; r++) {
			sum[r] += every(value[r]) * LOAD(f32w, x + VECTORS * column(at, half + r, kind));
		}
		next(at, kind);
	}
}

// rows multiplies eight rows of a chunk, from row i on; it returns where the next chunk begins.
INLINE struct slots rows(const struct chunk_call *c, const struct chunk *head, struct slots at, i64 i, int half, int floats) {
	f32w sum[HALF];
	UNROLL for (int r = 0; r < HALF; r++) sum[r] = (f32w){};
	add(sum, c, &at, head->runs, half, RUN, floats);
	add(sum, c, &at, head->windows, half, WINDOW, floats);
	add(sum, c, &at, head->near, half, NEAR, floats);
	add(sum, c, &at, head->far, half, FAR, floats);
	UNROLL for (int r = 0; r < HALF; r++) {
		finish(c, VECTORS * (i + r), sum[r] * every(c->units ? c->units[i + r] : c->unit));
	}
	return at;
}

INLINE void multiply(const struct chunk_call *c, int floats) {
	struct slots at = {c->base, c->index, 0};
	for (i64 k = 0; k < c->count; k++) {
		rows(c, c->heads + k, at, ROWS * k, 0, floats);
		at = rows(c, c->heads + k, at, ROWS * k + HALF, HALF, floats);
	}
}

KERNEL(chunksIntMulti, const struct chunk_call *c) { multiply(c, 0); }

KERNEL(chunksFloatMulti, const struct chunk_call *c) { multiply(c, 1); }
#endif
