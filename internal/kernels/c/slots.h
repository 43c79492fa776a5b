// Common parts of the kernels of slots; see SlotPanel.
#include "ddrows.h"

enum { LANES = 8, DIAGONAL = 1, FLOAT = 2, LAST = 4, ONE_ROW = 8 };

struct slot_group {
	u32 base;
	u16 slots, flags;
};

// slot_table holds constants to decode slots of one width. The bytes with the bits of lane l move to lane l; the
// highest bit is shifted to the top and then the lowest to the bottom. For AVX-512 it is slotTable of Go, otherwise
// pairTable, where the bytes come from the 16 bytes in which the pair of lanes begins.
struct slot_table {
	u8 bytes[64];
	u64 up[LANES]; // shifts
#if WIDTH == 8
	u64 down[LANES];
	u64 whole;    // the bytes of a lane that form its integer, if that has whole bytes, as the low ones of 2^52
	double minus; // what 2^52 and the flipped sign add to that
	u64 flip;     // the sign, at the top of a lane, if it is flipped
	u64 pad[5];
#else
	u64 down;
	u64 flip;     // makes a float64 from an integer of up to 52 bits; minus is what that adds
	double minus;
	u64 pad[5];
#endif
};

// slot_call is slotCall of Go.
struct slot_call {
	const struct slot_group *groups;
	i64 count; // of groups
	const u8 *widths;
	const u16 *index;
	const i32 *offsets;
	const u8 *values;
	const u16 *order;
	const double *x, *x_row; // x_row: the element of the first row
	double *dst;
	i64 rows;
	i64 stream; // bytes from one stream of values to the next, or to the odd slots
	const i32 *exp;
	i64 bias; // added to get the biased exponent of a unit
	double factor;
	u8 add;
	const struct slot_table *tables;
	double *dst_lo; // of double-double products
	const double *x_lo;
};

// How a slot is decoded: its integers are whole bytes, bits that fit in a float64, more bits; or it is of float32 or
// float64.
enum kind { BYTES, BITS, WIDE, SINGLE, DOUBLE };

INLINE enum kind kind_of(u64 w, u64 flags) {
	if (flags & FLOAT) return w == 64 ? DOUBLE : SINGLE;
	if (w > 52 && WIDTH == 4) return WIDE;
	return w <= 24 && w % 8 == 0 ? BYTES : BITS;
}

enum { PARTS = LANES / WIDTH }; // number of vectors of a slot

// decode returns part h of the eight values of w bits at `from`.
#if WIDTH == 8
INLINE f64v decode(const u8 *from, const struct slot_table *t, u64 w, int h, enum kind kind) {
	(void)w, (void)h;
	if (kind == DOUBLE) return LOAD(f64v, from);
	if (kind == SINGLE) return __builtin_convertvector(LOAD(f32v, from), f64v);
	__m512i v = LOAD(__m512i, from), at = LOAD(__m512i, t->bytes);
	if (kind == BYTES) return (f64v)_mm512_mask_permutexvar_epi8((__m512i)all(0x1p52), t->whole, at, v) - all(t->minus);
	u64v bits = (u64v)_mm512_permutexvar_epi8(at, v) << LOAD(u64v, t->up);
	return __builtin_convertvector((i64v)bits >> LOAD(i64v, t->down), f64v);
}
#else
INLINE f64v decode(const u8 *from, const struct slot_table *t, u64 w, int h, enum kind kind) {
	if (kind == DOUBLE) return LOAD(f64x4, from + 32 * h);
	if (kind == SINGLE) return __builtin_convertvector(LOAD(f32x4, from + 16 * h), f64x4);
	u64x4 v = bytes_at(h ? pair(from + w / 2, from + 3 * w / 4) : pair(from, from + w / 4), LOAD(u8x32, t->bytes + 32 * h));
	u64x4 flip = (u64x4){t->flip, t->flip, t->flip, t->flip}, down = (u64x4){t->down, t->down, t->down, t->down};
	if (kind == BYTES) return (f64x4)(v | flip) - splat(t->minus);
	v <<= LOAD(u64x4, t->up + 4 * h);
#ifdef __x86_64__
	v >>= down;
	if (kind == BITS) return (f64x4)(v ^ flip) - splat(t->minus);
	// The high bits in units of 2^32 and the low ones, with 2^84 and 2^52 added; one sum rounds.
	v ^= flip;
	u64x4 low = (v & 0xffffffff) | 0x4330000000000000, high = (v >> 32) | 0x4530000000000000;
	return ((f64x4)high - splat(t->minus)) + (f64x4)low;
#else
	return __builtin_convertvector((i64x4)v >> (i64x4)down, f64x4);
#endif
}
#endif

INLINE double unit_of(const i32 *exp, u64 bias, i64 i) {
	u64 bits = ((u64)(i64)exp[i] + bias) << 52;
	return LOAD(double, &bits);
}

// fold adds lanes as the portable kernels do: halves, quarters, the last two.
INLINE double fold(f64x4 low, f64x4 high) {
	f64x4 s = low + high;
	return (s[0] + s[2]) + (s[1] + s[3]);
}
