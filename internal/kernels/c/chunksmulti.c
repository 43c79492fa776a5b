// Chunks of sixteen rows times eight vectors of float32; see MulChunksMulti. A value is multiplied by eight
// consecutive numbers, a full register; eight rows have their sums in registers at a time.
#include "simd.h"

#if WIDTH == 4
enum { ROWS = 16, HALF = 8, VECTORS = 8 };
enum { PLAIN, RESIDUAL, PLUS, RELAX };

struct chunk { u16 runs, windows, near, far; };

// chunk_multi_call is chunkMultiCall of Go.
struct chunk_multi_call {
	const struct chunk *heads;
	i64 count;
	const i32 *base;
	const u8 *index;
	const void *values;
	const float *units; // 0: unit for all rows
	float unit, omega;
	float *dst;
	const float *x, *b, *v;
	i64 epilogue;
};

typedef i16 i16x8 __attribute__((vector_size(16)));

INLINE f32w every(float v) { return v - (f32w){}; }

// How the columns of a slot are encoded.
enum kind { RUN, WINDOW, NEAR, FAR };

// slots holds the positions of the next slots of a chunk.
struct slots { const i32 *base; const u8 *index; i64 values; };

// add adds n slots of a kind to the sums of eight rows, of which `half` is the first.
INLINE void add(f32w sum[HALF], const struct chunk_multi_call *c, struct slots *at, i64 n, int half, enum kind kind, int floats) {
	for (; n > 0; n--) {
		float value[HALF];
		if (floats) {
			STORE(value, LOAD(f32w, (const float *)c->values + at->values + half));
		} else {
			STORE(value, __builtin_convertvector(LOAD(i16x8, (const i16 *)c->values + at->values + half), f32w));
		}
		const float *x = c->x + (kind == FAR ? 0 : (i64)VECTORS * *at->base++);
		UNROLL for (int r = 0; r < HALF; r++) {
			i64 j = half + r;
			if (kind == WINDOW) j = at->index[j];
			if (kind == NEAR) j = LOAD(u16, at->index + 2 * j);
			if (kind == FAR) j = LOAD(i32, at->index + 4 * j);
			sum[r] += every(value[r]) * LOAD(f32w, x + VECTORS * j);
		}
		at->values += ROWS;
		at->index += kind == RUN ? 0 : kind == WINDOW ? ROWS : kind == NEAR ? 2 * ROWS : 4 * ROWS;
	}
}

// rows multiplies eight rows of a chunk, from row i on; it returns where the next chunk begins.
INLINE struct slots rows(const struct chunk_multi_call *c, const struct chunk *head, struct slots at, i64 i, int half, int floats) {
	f32w sum[HALF];
	UNROLL for (int r = 0; r < HALF; r++) sum[r] = (f32w){};
	add(sum, c, &at, head->runs, half, RUN, floats);
	add(sum, c, &at, head->windows, half, WINDOW, floats);
	add(sum, c, &at, head->near, half, NEAR, floats);
	add(sum, c, &at, head->far, half, FAR, floats);
	UNROLL for (int r = 0; r < HALF; r++) {
		i64 to = VECTORS * (i + r);
		f32w y = sum[r] * every(c->units ? c->units[i + r] : c->unit);
		if (c->epilogue == PLUS) y = LOAD(f32w, c->b + to) + y;
		if (c->epilogue >= RESIDUAL && c->epilogue != PLUS) y = LOAD(f32w, c->b + to) - y;
		if (c->epilogue == RELAX) y = LOAD(f32w, c->v + to) + every(c->omega) * y;
		STORE(c->dst + to, y);
	}
	return at;
}

INLINE void multiply(const struct chunk_multi_call *c, int floats) {
	struct slots at = {c->base, c->index, 0};
	for (i64 k = 0; k < c->count; k++) {
		rows(c, c->heads + k, at, ROWS * k, 0, floats);
		at = rows(c, c->heads + k, at, ROWS * k + HALF, HALF, floats);
	}
}

KERNEL(chunksIntMulti, const struct chunk_multi_call *c) { multiply(c, 0); }

KERNEL(chunksFloatMulti, const struct chunk_multi_call *c) { multiply(c, 1); }
#endif
