// What products with chunks of sixteen rows have in common; see MulChunks.
#include "simd.h"

#if WIDTH == 4
enum { ROWS = 16, HALF = 8 };
enum { PLAIN, RESIDUAL, PLUS, RELAX };

struct chunk { u16 runs, windows, near, far; };

// chunk_call is chunkCall of Go.
struct chunk_call {
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

// base returns the base of the columns of the next slot.
INLINE i64 base(struct slots *at, enum kind kind) { return kind == FAR ? 0 : *at->base++; }

// column returns column j of the next slot, less its base.
INLINE i64 column(const struct slots *at, i64 j, enum kind kind) {
	return kind == RUN ? j : kind == WINDOW ? at->index[j] : kind == NEAR ? LOAD(u16, at->index + 2 * j) : LOAD(i32, at->index + 4 * j);
}

// next advances by a slot.
INLINE void next(struct slots *at, enum kind kind) {
	at->values += ROWS;
	at->index += kind == RUN ? 0 : kind == WINDOW ? ROWS : kind == NEAR ? 2 * ROWS : 4 * ROWS;
}

// values returns eight values of a slot from `at` on.
INLINE f32w values(const struct chunk_call *c, i64 at, int floats) {
	if (floats) return LOAD(f32w, (const float *)c->values + at);
	return __builtin_convertvector(LOAD(i16x8, (const i16 *)c->values + at), f32w);
}

// finish executes the epilogue for eight numbers of dst from `to` on.
INLINE void finish(const struct chunk_call *c, i64 to, f32w y) {
	if (c->epilogue == PLUS) y = LOAD(f32w, c->b + to) + y;
	if (c->epilogue >= RESIDUAL && c->epilogue != PLUS) y = LOAD(f32w, c->b + to) - y;
	if (c->epilogue == RELAX) y = LOAD(f32w, c->v + to) + every(c->omega) * y;
	STORE(c->dst + to, y);
}
#endif
