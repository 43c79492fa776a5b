// Storing a matrix in slots: its integers, their order, and packing them. See Quantize, ArrangeSlots and PackSlots.
#include "slots.h"

#if WIDTH == 4
// quantize_call is quantizeCall of Go.
struct quantize_call {
	i64 *m;
	u8 *width;
	const double *v;
	i64 n;
	double scale;
	i64 zeros;
};

KERNEL(quantize, struct quantize_call *c) {
	i64 zeros = 0;
	for (i64 k = 0; k < c->n; k++) {
		PREFETCH(c->v + k + 128);
		i64 m = __builtin_lrint(c->v[k] * c->scale);
		c->m[k] = m;
		c->width[k] = (u8)(64 - __builtin_clzll((u64)(m ^ m >> 63) << 1 | 1));
		zeros += m == 0;
	}
	c->zeros = zeros;
}

// arrange_call is arrangeCall of Go.
struct arrange_call {
	const i32 *from, *to; // the items of each lane
	const u8 *width;
	const i32 *col;
	i32 *items;
	u16 *index;
	u8 *widest;
	i64 slots;
	i64 base;
	const u8 *ones; // CHUNK bytes that are 1, and as many that are 0
};

enum { CHUNK = 32, MOST_CHUNKS = 4 };

// first returns n bytes that are 1, followed by zeros.
INLINE u8x32 first(const struct arrange_call *c, i64 n) {
	n = n < 0 ? 0 : n > CHUNK ? CHUNK : n;
	return LOAD(u8x32, c->ones + CHUNK - n);
}

// greater returns the number of bytes of a that are greater than b; all are below 128.
INLINE i64 greater(u8x32 a, u8 b) {
	typedef int8_t i8x32 __attribute__((vector_size(32)));
	u8x32 all = {b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b};
	i8x32 is = (i8x32)a > (i8x32)all;
#ifdef __x86_64__
	return __builtin_popcount((u32)_mm256_movemask_epi8((__m256i)is));
#else
	union { i8x32 v; int8x16_t half[2]; } u = {is};
	return -(i64)vaddvq_s8(vaddq_s8(u.half[0], u.half[1]));
#endif
}

// put puts item e of lane l into slot k.
INLINE void put(const struct arrange_call *c, i64 l, i64 k, i64 e, u8 w) {
	c->items[LANES * k + l] = (i32)e;
	c->index[LANES * k + l] = (u16)(c->col[e] - c->base);
	c->widest[k] = w > c->widest[k] ? w : c->widest[k];
}

// A lane's items are sorted by decreasing width: an item comes after the wider ones and after the earlier ones of the
// same width.
KERNEL(arrange, const struct arrange_call *call) {
	const struct arrange_call local = *call, *c = &local;
	for (i64 k = 0; k < c->slots; k++) {
		i32x4 none = {-1, -1, -1, -1};
		STORE(c->items + LANES * k, none);
		STORE(c->items + LANES * k + 4, none);
		STORE(c->index + LANES * k, ((u8x16){}));
		c->widest[k] = 0;
	}
	for (i64 l = 0; l < LANES; l++) {
		i64 from = c->from[l], n = c->to[l] - from;
		const u8 *width = c->width + from;
		if (n <= CHUNK) {
			u8x32 keys = LOAD(u8x32, width);
			keys = (keys + keys) & -first(c, n);
			const u8 *before = c->ones + CHUNK;
			for (i64 k = 0; k < n; k++) {
				u8 w = width[k];
				put(c, l, greater(keys + LOAD(u8x32, before - k), (u8)(2 * w)), from + k, w);
			}
			continue;
		}
		if (n <= MOST_CHUNKS * CHUNK) {
			for (i64 k = 0; k < n; k++) {
				i64 rank = 0;
				u8 w = width[k];
				for (i64 at = 0; at < n; at += CHUNK) {
					u8x32 keys = LOAD(u8x32, width + at);
					rank += greater(((keys + keys) & -first(c, n - at)) + first(c, k - at), (u8)(2 * w));
				}
				put(c, l, rank, from + k, w);
			}
			continue;
		}
		u32 place[64]; // of the next item of each width
		for (i64 w = 0; w < 64; w++) place[w] = 0;
		for (i64 k = 0; k < n; k++) place[width[k]]++;
		u32 next = 0;
		for (i64 w = 63; w >= 0; w--) {
			u32 count = place[w];
			place[w] = next;
			next += count;
		}
		for (i64 k = 0; k < n; k++) {
			u8 w = width[k];
			put(c, l, place[w]++, from + k, w);
		}
	}
}

// diagonals_call is diagonalsCall of Go.
struct diagonals_call {
	i32 *items;
	u8 *widest;
	const u8 *width;
	const i32 *col, *first;
	i64 lanes, slots;
	i64 same;
};

// differ reports whether four columns are not four others plus l.
INLINE int differ(const i32 *a, const i32 *b, i32 l) {
	i32x4 is = LOAD(i32x4, a) != LOAD(i32x4, b) + (i32x4){l, l, l, l};
	typedef u64 u64x2 __attribute__((vector_size(16)));
	u64x2 two = (u64x2)is;
	return (two[0] | two[1]) != 0;
}

KERNEL(diagonals, struct diagonals_call *c) {
	const i32 *run = c->col + c->first[0];
	const u8 *width = c->width;
	i64 n = c->slots, lanes = c->lanes;
	c->same = 0;
	for (i64 l = 1; l < lanes; l++) {
		const i32 *other = c->col + c->first[l];
		i64 k = 0;
		for (; k + 4 <= n; k += 4) {
			if (differ(other + k, run + k, (i32)l)) return;
		}
		if (n >= 4) {
			if (differ(other + n - 4, run + n - 4, (i32)l)) return;
			continue;
		}
		for (; k < n; k++) {
			if (other[k] != run[k] + (i32)l) return;
		}
	}
	for (i64 k = 0; k < n; k++) {
		i32 *items = c->items + lanes * k;
		i64 l = 0;
		i32 e = (i32)k;
		for (; l + 4 <= lanes; l += 4) STORE(items + l, LOAD(i32x4, c->first + l) + ((i32x4){e, e, e, e}));
		for (; l < lanes; l++) items[l] = c->first[l] + e;
	}
	for (i64 k = 0; k < n; k += CHUNK) {
		u8x32 most = {};
		for (i64 l = 0; l < lanes; l++) {
			u8x32 w = LOAD(u8x32, width + c->first[l] + k);
			most = __builtin_elementwise_max(most, w);
		}
		u8 bytes[CHUNK];
		STORE(bytes, most);
		for (i64 j = 0; j < CHUNK && k + j < n; j++) c->widest[k + j] = bytes[j];
	}
	c->same = 1;
}

// block_widths_call is blockWidthsCall of Go.
struct block_widths_call {
	u8 *widest;
	const u8 *width;
	i64 blocks, stride, b;
};

KERNEL(blockWidths, const struct block_widths_call *c) {
	i64 b = c->b, n = c->blocks * b, step = CHUNK / b * b;
	u8 *widest = c->widest;
	for (i64 k = 0; k < n; k += step) {
		u8x32 most = LOAD(u8x32, c->width + k);
		for (i64 r = 1; r < b; r++) most = __builtin_elementwise_max(most, LOAD(u8x32, c->width + r * c->stride + k));
		u8 bytes[CHUNK];
		STORE(bytes, most);
		for (i64 j = 0; j < step && k + j < n; j += b) {
			u8 w = bytes[j];
			for (i64 i = 1; i < b; i++) w = bytes[j + i] > w ? bytes[j + i] : w;
			*widest++ = w;
		}
	}
}

// mirror_call is mirrorCall of Go.
struct mirror_call {
	const i32 *first, *col;
	const i64 *m;
	const u64 *weights;
	i64 rows, row;
	u64 sum;
};

INLINE u64 weighed(i64 m, u64 weight) { return ((u64)m ^ (u64)m >> 29) * weight; }

KERNEL(mirror, struct mirror_call *c) {
	const i32 *col = c->col;
	const i64 *m = c->m;
	const u64 *weights = c->weights;
	u64 sum = 0;
	for (i64 i = 0; i < c->rows; i++) {
		i64 own = c->row + i, k = c->first[i], end = c->first[i + 1];
		u64 row = 0;
		for (; k < end && col[k] < own; k++) row -= weighed(m[k], weights[col[k]]);
		if (k < end && col[k] == own) k++;
		for (; k < end; k++) row += weighed(m[k], weights[col[k]]);
		sum += row * weights[own];
	}
	c->sum = sum;
}

KERNEL(absSums, double *sums, const i64 *rowPtr, const double *val, i64 rows) {
	typedef i64 i64x2 __attribute__((vector_size(16)));
	i64x2 magnitude = {INT64_MAX, INT64_MAX};
	for (i64 i = 0; i < rows; i++) {
		const double *v = val + rowPtr[i];
		i64 n = rowPtr[i + 1] - rowPtr[i], k = 0;
		f64x2 s = {};
		PREFETCH(v + n + 128);
		for (; k + 2 <= n; k += 2) s += (f64x2)(LOAD(i64x2, v + k) & magnitude);
		if (k < n) s[0] += __builtin_fabs(v[k]);
		sums[i] = s[0] + s[1];
	}
}
#endif

// pack_table holds constants to pack slots of one width w of at least 8 bits: lane l begins with bit up of the byte
// at offset; the last up bits of the lane before it lie below, shifted down.
struct pack_table {
	u8 bytes[64]; // source positions of the bytes of a slot, for eight lanes as they are written
	u64 up[LANES], down[LANES];
	u64 mask; // of the bits of a lane
	u64 flip; // the sign bit if it is stored flipped, otherwise 0
	u8 offset[LANES];
	u8 pad[40];
};

// pack_call is packCall of Go.
struct pack_call {
	u8 *to[6]; // for each row of the blocks, or for even and odd slots
	const i64 *m;
	const i32 *items; // of slots, or where the blocks of a slot begin in m
	const i32 *stride; // to the next rows of the blocks
	const u8 *widths;
	i64 slots, block;
	const struct pack_table *tables;
	const i64 *zeros; // for lanes without an item
};

#if WIDTH == 8
typedef u64 u64x8 __attribute__((vector_size(64)));

// store writes the integers at p[l][at]; each lane's first byte includes the rest of the lane before it.
INLINE void store(u8 *to, const i64 *const *p, i64 at, const struct pack_table *t) {
	u64 m = t->mask, f = t->flip;
	u64x8 mask = {m, m, m, m, m, m, m, m}, flip = {f, f, f, f, f, f, f, f};
	u64x8 v = {
		(u64)p[0][at], (u64)p[1][at], (u64)p[2][at], (u64)p[3][at], (u64)p[4][at], (u64)p[5][at], (u64)p[6][at], (u64)p[7][at]};
	v = (v & mask) ^ flip;
	u64x8 before = __builtin_shufflevector(v, (u64x8){}, 8, 0, 1, 2, 3, 4, 5, 6);
	v = v << LOAD(u64x8, t->up) | before >> LOAD(u64x8, t->down);
	STORE(to, _mm512_permutexvar_epi8(LOAD(__m512i, t->bytes), (__m512i)v));
}
#else
INLINE u64x4 load4(const i64 *const *p, i64 at) {
	return (u64x4){(u64)p[0][at], (u64)p[1][at], (u64)p[2][at], (u64)p[3][at]};
}

// Shifts of four lanes. The compiler would split lanes that are stored one by one.
#ifdef __x86_64__
INLINE u64x4 up(u64x4 v, const u64 *by) { return (u64x4)_mm256_sllv_epi64((__m256i)v, (__m256i)LOAD(u64x4, by)); }
INLINE u64x4 down(u64x4 v, const u64 *by) { return (u64x4)_mm256_srlv_epi64((__m256i)v, (__m256i)LOAD(u64x4, by)); }
#else
INLINE u64x4 up(u64x4 v, const u64 *by) { return v << LOAD(u64x4, by); }
INLINE u64x4 down(u64x4 v, const u64 *by) { return v >> LOAD(u64x4, by); }
#endif

// store writes the integers at p[l][at]; each lane's first byte includes the rest of the lane before it.
INLINE void store(u8 *to, const i64 *const *p, i64 at, const struct pack_table *t) {
	u64x4 mask = {t->mask, t->mask, t->mask, t->mask}, flip = {t->flip, t->flip, t->flip, t->flip};
	u64x4 low = (load4(p, at) & mask) ^ flip, high = (load4(p + 4, at) & mask) ^ flip;
	u64x4 before_low = __builtin_shufflevector(low, (u64x4){}, 4, 0, 1, 2);
	u64x4 before_high = __builtin_shufflevector(high, low, 7, 0, 1, 2);
	low = up(low, t->up) | down(before_low, t->down);
	high = up(high, t->up + 4) | down(before_high, t->down + 4);
	UNROLL
	for (i64 l = 0; l < 4; l++) STORE(to + t->offset[l], low[l]);
	UNROLL
	for (i64 l = 0; l < 4; l++) STORE(to + t->offset[l + 4], high[l]);
}
#endif

// store_narrow is store for widths below 8 bits, where several lanes begin in a byte.
INLINE void store_narrow(u8 *to, const i64 *const *p, i64 at, u64 w) {
	u64 word = 0, mask = ((u64)1 << w) - 1;
	for (i64 l = LANES - 1; l >= 0; l--) word = word << w | ((u64)p[l][at] & mask);
	STORE(to, word);
}

INLINE void pack_slot(u8 *to, const i64 *const *p, i64 at, const struct pack_table *tables, u64 w) {
	if (w == 64) UNROLL for (int l = 0; l < LANES; l++) STORE(to + 8 * l, p[l][at]);
	else if (w < 8) store_narrow(to, p, at, w);
	else store(to, p, at, tables + w);
}

// places returns the positions of items in m, or of zeros.
INLINE void places(const i64 **p, const struct pack_call *c, const i32 *items) {
	const i64 *m = c->m, *zeros = c->zeros;
	UNROLL
	for (i64 l = 0; l < LANES; l++) p[l] = items[l] < 0 ? zeros : m + items[l];
}

KERNEL(pack, const struct pack_call *c) {
	u8 *even = c->to[0], *odd = c->to[1];
	const i32 *items = c->items;
	for (i64 k = 0; k < c->slots; k++, items += LANES) {
		const i64 *p[LANES];
		places(p, c, items);
		u64 w = c->widths[k];
		pack_slot(even, p, 0, c->tables, w);
		u8 *next = even + w;
		even = odd;
		odd = next;
	}
}

KERNEL(packBlocks, const struct pack_call *c) {
	const i64 *p[LANES];
	places(p, c, c->items);
	u64 w = c->widths[0];
	for (i64 r = 0; r < c->block; r++) {
		u8 *to = c->to[r];
		for (i64 j = 0; j < c->block; j++, to += w) pack_slot(to, p, j, c->tables, w);
		for (i64 l = 0; l < LANES; l++) p[l] += c->items[l] < 0 ? 0 : c->stride[l];
	}
}
