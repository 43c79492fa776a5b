/* Products with AFX in slots. A chunk is what a warp multiplies: 32 >> shift rows, or
 * block rows, by 2^shift lanes each, or a segment of a row that is too long for that. Its
 * stream of words, from ptr[chunk] to ptr[chunk + 1], is
 *
 *   first, how            the first row, or the number of the segment; see the masks below
 *   where, what           for each run of slots: the base of its columns, and what they are
 *   (order)               the rows of a sorted chunk, 16 bits each, counted from the first
 *   columns, values       of each run
 *
 * and a word more if their number is odd, so that a stream has an even number of words before
 * each chunk, and pairs of words are loaded together.
 *
 * A slot holds an element, or a B x B block, for each lane. Slots of one kind, base and
 * width w are a run, widest first. Columns are
 *
 *   GATHER     16 bits for each lane: x at base + B column
 *   DIAGONAL   32 bits for all: x at the lane's row + offset
 *   FLOAT      as GATHER; values are float32
 *
 * An integer m of w bits is stored as m + 2^(w-1), that of lane l from bit l w on, in w
 * words for each element of the block, one column of the block after the other. 2 m becomes a
 * double by way of the bits of 2 (2^52 + m + 2^(w-1)), without rounding: m has no more than 53
 * significant bits.
 *
 * A lane adds up its elements slot by slot, and those of a row of a block from left to
 * right; then the lanes of a row are added up as WARP_SUM does, and the sum is multiplied
 * by half the quantum of the row.
 *
 * Why 2 m: floats of 2 and more have the highest bit of the exponent set, which stands in the same
 * place in doubles, so that a float becomes a double by two shifts and a choice of bits, and 0
 * becomes 0. An integer of up to 25 bits is a float; a wider one is shifted until its first bit is in
 * place. So on devices with few units for doubles (`narrow`) a product of a nonzero takes one
 * operation with doubles instead of two. */

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

/* Where a lane's integers of a run are: after `word` words, `shift` bits modulo 32. */
typedef struct {
    u32 width, word, shift, mask; /* mask: of the last 32 bits or less */
    double offset;
} code;

#define UP_TO_25 0
#define UP_TO_32 1
#define UP_TO_52 2
#define UP_TO_57 3

/* 2^53 has these high bits, and its last place is 2. */
#define ABOVE_2_53 0x43400000u

FN double above(u32 high, u32 low) { return double_of_words(ABOVE_2_53 | high, low); }

FN void set_code(code *c, u32 kind)
{
    const u32 last = kind <= UP_TO_32 ? c->width : c->width - 32;
    c->mask = ~0u >> (32 - last);
    c->offset = kind <= UP_TO_32 ? above(0, 1u << (last - 1)) : kind == UP_TO_52 ? above(1u << (last - 1), 0) :
        DOUBLE_OF_BITS(0x4540000000000000ul + (1ul << 20) + ((u64)1 << (last - 1)));
}

/* Twice an integer of up to 25, 32, 52, 57 bits. */
FN double integer25(IN(u32) v, code c)
{
    const i32 m = (i32)((funnel(v[0], v[1], c.shift) & c.mask) * 2 - c.mask - 1);
    const u32 bits = BITS_OF_FLOAT((float)m);
    return double_of_words((bits & 0xc0000000u) | (bits >> 3 & 0x07ffffffu), bits << 29);
}
FN double integer32(IN(u32) v, code c) { return above(0, funnel(v[0], v[1], c.shift) & c.mask) - c.offset; }
FN double integer52(IN(u32) v, code c)
{
    const u32 middle = v[1];
    return above(funnel(middle, v[2], c.shift) & c.mask, funnel(v[0], middle, c.shift)) - c.offset;
}
FN double integer57(IN(u32) v, code c)
{
    const u32 middle = v[1];
    const double high = double_of_words(0x45400000u, funnel(middle, v[2], c.shift) & c.mask) - c.offset;
    return high + above(0, funnel(v[0], middle, c.shift));
}
/* The same of any width without operations of doubles: m stands in the upper bits of 64, its first digit
 * is moved to the top, and the exponent is what that takes; the digit itself adds 1 to it. */
FN double integer_shifted(IN(u32) v, code c)
{
    const u32 middle = v[1];
    const u64 top = (u64)1 << 63, u = (u64)funnel(middle, v[2], c.shift) << 32 | funnel(v[0], middle, c.shift);
    const u64 m = u << (64 - c.width) ^ top, sign = 0 - (m >> 63), digits = (m ^ sign) - sign;
    const u32 zeros = LEADING_ZEROS(digits | 1); /* the 1 is for 0, whose digits remain 0 */
    const u64 first = digits << zeros;
    const u32 high = ((1022 + c.width - zeros) << 20) + (u32)(first >> 43);
    return double_of_words((high & (u32)((i32)(first >> 32) >> 31)) | ((u32)sign & 0x80000000u), (u32)(first >> 11));
}
FN double integer_float(IN(u32) v, code c) { return 2 * (double)FLOAT_OF_BITS(v[0]); }

/* The next `many` slots of a run. */
#define SLOTS_TURN(B, many, INTEGER, X)                                                        \
    do {                                                                                       \
        UNROLL(4)                                                                              \
        for (u32 k = 0; k < many; k++) {                                                       \
            IN(double) xs = X;                                                                 \
            UNROLL(B <= 3 ? 3 : B == 4 ? 2 : 1) /* registers for more are not there */         \
            for (u32 j = 0; j < B; j++) {                                                      \
                UNROLL(B)                                                                      \
                for (u32 r = 0; r < B; r++) {                                                  \
                    sums[r] = FMA(INTEGER(val, c), xs[j], sums[r]);                            \
                    val += c.width;                                                            \
                }                                                                              \
            }                                                                                  \
        }                                                                                      \
        col += many * WARP;                                                                    \
        offset += many;                                                                        \
    } while (0)

/* A run, which has a slot at least; several at a time, so that several loads are under way. */
#define SLOTS_RUN(B, INTEGER, X)                                              \
    do {                                                                      \
        if (B > 2)                                                            \
            do SLOTS_TURN(B, 1, INTEGER, X); while (--left);                  \
        else                                                                  \
            for (; left >= AT_ONCE(B); left -= AT_ONCE(B)) SLOTS_TURN(B, AT_ONCE(B), INTEGER, X); \
        if (B == 1 && left & 2) SLOTS_TURN(B, 2, INTEGER, X);                 \
        if (B <= 2 && left & 1) SLOTS_TURN(B, 1, INTEGER, X);                 \
    } while (0)
#define AT_ONCE(B) (B == 1 ? 4 : 2)

/* A run of integers. */
#define SLOTS_INTEGERS(B, X)                                \
    do {                                                    \
        if (width <= narrow) {                              \
            if (width <= 25) {                              \
                set_code(&c, UP_TO_25);                     \
                SLOTS_RUN(B, integer25, X);                 \
            } else {                                        \
                SLOTS_RUN(B, integer_shifted, X);           \
            }                                               \
        } else if (width <= 32) {                           \
            set_code(&c, UP_TO_32);                         \
            SLOTS_RUN(B, integer32, X);                     \
        } else if (width <= 52) {                           \
            set_code(&c, UP_TO_52);                         \
            SLOTS_RUN(B, integer52, X);                     \
        } else {                                            \
            set_code(&c, UP_TO_57);                         \
            SLOTS_RUN(B, integer57, X);                     \
        }                                                   \
    } while (0)

#define GATHERED(B) base + B * (u32)col[k * WARP]
#define ON_DIAGONAL diagonal + (i32)offset[k]

/* The sums of a lane of a chunk: adds to sums[B]. */
#define SLOTS_CHUNK(name, B)                                                              \
    FN void name(IN(u32) head, u32 row, u32 how, u32 lane, u32 narrow, IN(double) x, double *sums) \
    {                                                                                     \
        u32 runs = RUNS(how);                                                             \
        IN(words2) run = (IN(words2))head + 1;                                            \
        IN(u32) next = (IN(u32))(run + runs);                                             \
        IN(double) diagonal = x + (row + lane);                                           \
        if (how & IS_ORDERED) next += (ROWS(how) + 1) / 2;                                \
        for (; runs; runs--, run++) {                                                     \
            const words2 w = *run;                                                        \
            const u32 width = WIDTH(w.second);                                            \
            code c = {width, lane * width >> 5, lane * width, 0, 0};                      \
            u32 left = COUNT(w.second);                                                   \
            IN(double) base = x + w.first;                                                \
            IN(u16) col = (IN(u16))next + lane;                                           \
            IN(u32) offset = next;                                                        \
            IN(u32) val = next + c.word + left * (KIND(w.second) == DIAGONAL ? 1 : 16);   \
            if (KIND(w.second) == GATHER) SLOTS_INTEGERS(B, GATHERED(B));                 \
            else if (KIND(w.second) == FLOAT) SLOTS_RUN(B, integer_float, GATHERED(B));   \
            else if (B == 1) SLOTS_INTEGERS(1, ON_DIAGONAL);                              \
            next = val - c.word;                                                          \
        }                                                                                 \
    }

/* A warp asks for the chunk that begins and ends there while it has another to multiply. */
FN void prefetch_chunk(IN(u32) stream, u32 from, u32 end, u32 lane)
{
    for (u32 k = 8 * lane; k < end - from; k += 8 * WARP) PREFETCH(stream + from + k);
}

/* A row's sum is multiplied by unit, or by 2^exps[i] if own is 1: half of its quantum. narrow:
 * integers of so many bits become doubles without operations of doubles, which is slower unless the
 * device has few units for them. */
#define SLOTS_KERNEL(name, chunk, B)                                                                                \
    SLOTS_CHUNK(chunk, B)                                                                                           \
    KERNEL(name, u32 chunks, u32 narrow, IN(u32) ptr, IN(u32) stream, double unit, IN(i32) exps, u32 own,           \
           OUT(double) side, PRODUCT_ARGUMENTS)                                                                     \
    {                                                                                                               \
        const u32 sweep = blocks * (THREADS / WARP);                                                                \
        PRIVATE(double, s[B]);                                                                                      \
        PRIVATE(u32, row); /* the first of the chunk, and what it is */                                             \
        PRIVATE(u32, how);                                                                                          \
        PRODUCT;                                                                                                    \
        (void)y;                                                                                                    \
        EACH_PART {                                                                                                 \
            for (u32 first = part * (THREADS / WARP); first < chunks; first += sweep) {                             \
                EACH_THREAD {                                                                                       \
                    const u32 at = first + t / WARP, lane = t % WARP;                                               \
                    u32 next = at + sweep; /* chunk of the warp */                                                  \
                    IN(u32) head = stream + ptr[LEAST(at, chunks)];                                                 \
                    double sums[B];                                                                                 \
                    UNROLL(B)                                                                                       \
                    for (u32 r = 0; r < B; r++) sums[r] = 0;                                                        \
                    MY(how) = 0;                                                                                    \
                    if (at < chunks) {                                                                              \
                        const words2 w = *(IN(words2))head;                                                         \
                        MY(row) = w.first;                                                                          \
                        MY(how) = w.second;                                                                         \
                    }                                                                                               \
                    if (next >= chunks) next = part + GRID < blocks ? (part + GRID) * (THREADS / WARP) + t / WARP : chunks;\
                    if (next < chunks) {                                                                            \
                        prefetch_chunk(stream, ptr[next], ptr[next + 1], lane);                                     \
                        PREFETCH(&ptr[LEAST(next + sweep, chunks)]);                                                \
                    }                                                                                               \
                    if (lane >> SHIFT(MY(how)) < ROWS(MY(how))) chunk(head, MY(row), MY(how), lane, narrow, x, sums);\
                    MY(group) = 1u << SHIFT(MY(how));                                                               \
                    UNROLL(B)                                                                                       \
                    for (u32 r = 0; r < B; r++) MY(s[r]) = sums[r];                                                 \
                }                                                                                                   \
                WARP_SUMS(B, s, group);                                                                             \
                EACH_THREAD {                                                                                       \
                    const u32 place = t % WARP >> SHIFT(MY(how));                                                   \
                    if ((t & (MY(group) - 1)) == 0 && place < ROWS(MY(how))) {                                      \
                        u32 i = B * (MY(row) + place);                                                              \
                        if (MY(how) & IS_SEGMENT) {                                                                 \
                            UNROLL(B)                                                                               \
                            for (u32 r = 0; r < B; r++) side[i + r] = MY(s[r]);                                     \
                        } else {                                                                                    \
                            if (MY(how) & IS_ORDERED) {                                                             \
                                IN(u32) order = stream + ptr[first + t / WARP] + 2 + 2 * RUNS(MY(how));             \
                                i = B * (MY(row) + ((IN(u16))order)[place]);                                        \
                            }                                                                                       \
                            UNROLL(B)                                                                               \
                            for (u32 r = 0; r < B; r++)                                                             \
                                FINISH(i + r, own ? times_power(MY(s[r]), exps[i + r]) : MY(s[r]) * unit);          \
                        }                                                                                           \
                    }                                                                                               \
                }                                                                                                   \
            }                                                                                                       \
            LEAVE_PRODUCT;                                                                                          \
        }                                                                                                           \
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
