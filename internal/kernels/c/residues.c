// Inner products of residues below 2^28; see DotResidues. A lane multiplies the lower halves of its words, then the
// upper halves.
#include "simd.h"

typedef u32 u32w __attribute__((vector_size(8 * WIDTH)));

enum { GROUP = 16, VECTORS = GROUP / (2 * WIDTH), TOGETHER = 256 };

#define LOWER 0xffffffff

INLINE u64v product(u64v a, u64v x) { return (a & LOWER) * (x & LOWER); }

KERNEL(dotResidues, u64 sums[], const u32 a[], const u32 x[], i64 length, i64 step, i64 sums_len) {
	for (i64 r = 0; r < sums_len / 2; r++) {
		const u32 *u = a + r * length, *v = x + r * step;
		u64v low = {}, high = {};
		for (i64 begin = 0; begin < length; begin += GROUP * TOGETHER) {
			i64 end = length - begin < GROUP * TOGETHER ? length : begin + GROUP * TOGETHER;
			u64v even[VECTORS] = {}, odd[VECTORS] = {};
			for (i64 i = begin; i < end; i += GROUP) {
				UNROLL for (int k = 0; k < VECTORS; k++) {
					u64v p = LOAD(u64v, u + i + 2 * WIDTH * k), q = LOAD(u64v, v + i + 2 * WIDTH * k);
					even[k] += product(p, q);
					odd[k] += product(p >> 32, q >> 32);
				}
			}
			UNROLL for (int k = 0; k < VECTORS; k++) {
				low += (even[k] & LOWER) + (odd[k] & LOWER);
				high += (even[k] >> 32) + (odd[k] >> 32);
			}
		}
		u64 l = 0, h = 0;
		UNROLL for (int k = 0; k < WIDTH; k++) {
			l += low[k];
			h += high[k];
		}
		sums[2 * r] = l & LOWER;
		sums[2 * r + 1] = h + (l >> 32);
	}
}
