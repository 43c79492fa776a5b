/* Products with AFX in slots. A chunk is what a warp multiplies: 32 >> shift rows, or
 * block rows, by 2^shift lanes each, or a segment of a row that is too long for that. Its
 * stream of words, from ptr[chunk] to ptr[chunk + 1], is
 *
 *   first, how            the first row, or the number of the segment; see the masks below
 *   where, what           for each run of slots: the base of its columns, and what they are
 *   (order)               the rows of a sorted chunk, 16 bits each, counted from the first
 *   columns, values       of each run
 *
 * A slot holds an element, or a B x B block, for each lane. Slots of one kind, base and
 * width w are a run, widest first. Columns are
 *
 *   GATHER     16 bits for each lane: x at base + B column
 *   DIAGONAL   32 bits for all: x at the lane's row + offset
 *   FLOAT      as GATHER; values are float32
 *
 * An integer m of w bits is stored as m + 2^(w-1), that of lane l from bit l w on, in w
 * words for each element of the block. It becomes a double by way of the bits of
 * 2^52 + m + 2^(w-1), without rounding: m has no more than 53 significant bits.
 *
 * A lane adds up its elements slot by slot, and those of a row of a block from left to
 * right; then the lanes of a row are added up as WARP_SUM does, and the sum is multiplied
 * by the quantum of the row. */

#define SHIFT(how) ((how) & 7u)
#define ROWS(how) ((how) >> 3 & 63u)
#define IS_ORDERED 512u
#define IS_SEGMENT 1024u
#define RUNS(how) ((how) >> 11)

#define GATHER 0u
#define DIAGONAL 1u
#define FLOAT 2u
#define WIDTH(run) ((run) & 63u)
#define KIND(run) ((run) >> 6 & 3u)
#define COUNT(run) ((run) >> 8)

/* How a lane's integers of a run are taken out. */
typedef struct {
    u32 width, word, shift, mask; /* mask: of the last 32 bits or less */
    double offset;
} code;

FN code code_of(u32 width, u32 lane)
{
    code c;
    u32 bits = width > 32 ? width - 32 : width;
    c.width = width;
    c.word = lane * width >> 5;
    c.shift = lane * width & 31;
    c.mask = ~0u >> (32 - bits);
    c.offset = DOUBLE_OF_BITS(0x4330000000000000ul | (u64)1 << (width <= 52 ? width - 1 : width - 33));
    return c;
}

FN u32 field(u32 low, u32 high, u32 shift) { return (u32)(((u64)high << 32 | low) >> shift); }
FN double above_2_52(u32 high, u32 low) { return DOUBLE_OF_BITS((u64)(0x43300000u | high) << 32 | low); }

/* An integer of up to 32, 52, 57 bits. */
FN double integer32(IN(u32) v, code c)
{
    return above_2_52(0, field(v[0], v[1], c.shift) & c.mask) - c.offset;
}
FN double integer52(IN(u32) v, code c)
{
    u32 middle = v[1];
    return above_2_52(field(middle, v[2], c.shift) & c.mask, field(v[0], middle, c.shift)) - c.offset;
}
FN double integer57(IN(u32) v, code c)
{
    u32 middle = v[1];
    double high = above_2_52(0, field(middle, v[2], c.shift) & c.mask) - c.offset;
    return FMA(high, 0x1p32, above_2_52(0, field(v[0], middle, c.shift)) - 0x1p52);
}
FN double integer_float(IN(u32) v, code c) { return FLOAT_OF_BITS(v[0]); }

/* The next `many` slots of a run. */
#define SLOTS_TURN(B, many, INTEGER, X)                                                        \
    do {                                                                                       \
        UNROLL(many)                                                                           \
        for (u32 k = 0; k < many; k++) {                                                       \
            IN(double) xs = X;                                                                 \
            UNROLL(B <= 3 ? B : B == 4 ? 2 : 1) /* registers for more are not there */         \
            for (u32 j = 0; j < B; j++) {                                                      \
                UNROLL(B)                                                                      \
                for (u32 r = 0; r < B; r++)                                                    \
                    sums[r] = FMA(INTEGER(val + ((k * B + r) * B + j) * c.width, c), xs[j], sums[r]); \
            }                                                                                  \
        }                                                                                      \
        at += many;                                                                            \
        val += many * B * B * c.width;                                                         \
    } while (0)

/* A run; several slots at a time, so that several loads are under way. */
#define SLOTS_RUN(B, INTEGER, X)                                    \
    do {                                                            \
        u32 at = 0;                                                 \
        if (B == 1)                                                 \
            while (at + 4 <= count) SLOTS_TURN(B, 4, INTEGER, X);   \
        if (B == 1 && at + 3 == count) SLOTS_TURN(B, 3, INTEGER, X); \
        if (B <= 2)                                                 \
            while (at + 2 <= count) SLOTS_TURN(B, 2, INTEGER, X);   \
        while (at < count) SLOTS_TURN(B, 1, INTEGER, X);            \
    } while (0)

/* A run of integers. */
#define SLOTS_INTEGERS(B, X)                                \
    do {                                                    \
        if (width <= 32) SLOTS_RUN(B, integer32, X);        \
        else if (width <= 52) SLOTS_RUN(B, integer52, X);   \
        else SLOTS_RUN(B, integer57, X);                    \
    } while (0)

#define GATHERED(B) base + B * (u32)col[(at + k) * WARP]
#define ON_DIAGONAL x + (i32)(row + offset[at + k])

/* The sums of a lane of a chunk: adds to sums[B]. */
#define SLOTS_CHUNK(name, B)                                                              \
    FN void name(IN(u32) head, u32 how, u32 lane, IN(double) x, double *sums)             \
    {                                                                                     \
        IN(u32) run = head + 2;                                                           \
        u32 runs = RUNS(how), row = head[0] + lane;                                       \
        IN(u32) next = run + 2 * runs;                                                    \
        if (how & IS_ORDERED) next += (ROWS(how) + 1) / 2;                                \
        for (; runs; runs--, run += 2) {                                                  \
            const u32 width = WIDTH(run[1]), kind = KIND(run[1]), count = COUNT(run[1]);  \
            const code c = code_of(width, lane);                                          \
            IN(double) base = x + run[0];                                                 \
            IN(u16) col = (IN(u16))next + lane;                                           \
            IN(u32) offset = next;                                                        \
            IN(u32) val = next + (kind == DIAGONAL ? count : 16 * count) + c.word;        \
            next = val - c.word + count * B * B * width;                                  \
            if (kind == GATHER) SLOTS_INTEGERS(B, GATHERED(B));                           \
            else if (kind == FLOAT) SLOTS_RUN(B, integer_float, GATHERED(B));             \
            else if (B == 1) SLOTS_INTEGERS(1, ON_DIAGONAL);                              \
        }                                                                                 \
    }

/* A warp asks for a chunk, if there is one, while it has another to multiply. */
FN void prefetch_chunk(IN(u32) stream, IN(u32) ptr, u32 at, u32 chunks, u32 lane)
{
    const u32 begin = ptr[LEAST(at, chunks)], words = ptr[LEAST(at + 1, chunks)] - begin;
    for (u32 k = 8 * lane; k < words; k += 8 * WARP) PREFETCH(stream + begin + k);
}

/* exps: exponents of the quanta, of each row if own is 1, otherwise of all. */
#define SLOTS_KERNEL(name, chunk, B)                                                                    \
    SLOTS_CHUNK(chunk, B)                                                                               \
    KERNEL(name, u32 chunks, IN(u32) ptr, IN(u32) stream, IN(i32) exps, u32 own, OUT(double) side,      \
           PRODUCT_ARGUMENTS)                                                                               \
    {                                                                                                   \
        const u32 sweep = blocks * (THREADS / WARP);                                                    \
        EACH_THREAD { prefetch_chunk(stream, ptr, BLOCK * (THREADS / WARP) + t / WARP, chunks, t % WARP); } \
        PRODUCT;                                                                                        \
        PRIVATE(double, s[B]);                                                                          \
        (void)y;                                                                                        \
        for (u32 first = BLOCK * (THREADS / WARP); first < chunks; first += sweep) {                    \
            EACH_THREAD {                                                                               \
                const u32 at = first + t / WARP, lane = t % WARP;                                       \
                double sums[B];                                                                         \
                UNROLL(B)                                                                               \
                for (u32 r = 0; r < B; r++) sums[r] = 0;                                                \
                MY(group) = 1;                                                                          \
                if (at < chunks) {                                                                      \
                    IN(u32) head = stream + ptr[at];                                                    \
                    const u32 how = head[1];                                                            \
                    prefetch_chunk(stream, ptr, at + sweep, chunks, lane);                              \
                    PREFETCH(&ptr[LEAST(at + 2 * sweep, chunks)]);                                      \
                    MY(group) = 1u << SHIFT(how);                                                       \
                    if (lane >> SHIFT(how) < ROWS(how)) chunk(head, how, lane, x, sums);                \
                }                                                                                       \
                UNROLL(B)                                                                               \
                for (u32 r = 0; r < B; r++) MY(s[r]) = sums[r];                                         \
            }                                                                                           \
            UNROLL(B)                                                                                   \
            for (u32 r = 0; r < B; r++) WARP_SUM(s[r], group);                                          \
            EACH_THREAD {                                                                               \
                const u32 at = first + t / WARP;                                                        \
                if (at < chunks && (t & (MY(group) - 1)) == 0) {                                        \
                    IN(u32) head = stream + ptr[at];                                                    \
                    const u32 how = head[1], place = t % WARP >> SHIFT(how);                            \
                    if (place < ROWS(how)) {                                                            \
                        u32 row = head[0] + place;                                                      \
                        if (how & IS_ORDERED) row = head[0] + ((IN(u16))(head + 2 + 2 * RUNS(how)))[place]; \
                        UNROLL(B)                                                                       \
                        for (u32 r = 0; r < B; r++) {                                                   \
                            const u32 i = B * row + r;                                                  \
                            if (how & IS_SEGMENT) side[i] = MY(s[r]);                                   \
                            else FINISH(i, times_power(MY(s[r]), exps[own ? i : 0]));                   \
                        }                                                                               \
                    }                                                                                   \
                }                                                                                       \
            }                                                                                           \
        }                                                                                               \
        LEAVE_PRODUCT;                                                                                  \
    }

/* Many loads at a time need 80 registers a thread. */
#undef RESIDENT
#define RESIDENT 3
SLOTS_KERNEL(spmv_slots1, slots_chunk1, 1)
SLOTS_KERNEL(spmv_slots2, slots_chunk2, 2)
SLOTS_KERNEL(spmv_slots3, slots_chunk3, 3)
SLOTS_KERNEL(spmv_slots4, slots_chunk4, 4)
SLOTS_KERNEL(spmv_slots5, slots_chunk5, 5)
SLOTS_KERNEL(spmv_slots6, slots_chunk6, 6)
#undef RESIDENT
#define RESIDENT 4
