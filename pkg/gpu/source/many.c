/* Products with W = 2, 4 or 8 vectors at once, interleaved: element j of vector v is x[W j + v]. Each nonzero is loaded, and
 * decoded, once for all of them, and each vector is added up as by the products of csr.c and slots.c, to the same bits.
 * There are no long rows. */

/* Two numbers next to each other, which are loaded together. */
typedef struct __attribute__((aligned(16))) { double first, second; } pair;

/* sums[0 ... W-1] += a x for the elements at xs */
#define ADD_MANY(W, a, xs, sums)                         \
    do {                                                 \
        const double with = a;                           \
        IN(pair) both = (IN(pair))(xs);                  \
        UNROLL(4)                                        \
        for (u32 v = 0; v < W / 2; v++) {                \
            const pair p = both[v];                      \
            (sums)[2 * v] = FMA(with, p.first, (sums)[2 * v]); \
            (sums)[2 * v + 1] = FMA(with, p.second, (sums)[2 * v + 1]); \
        }                                                \
    } while (0)

#define CSR_MANY(name, W)                                                                                              \
    KERNEL(name, u32 rows, u32 shift, IN(u32) ptr, IN(u32) col, IN(double) val, IN(double) x, OUT(double) dst)         \
    {                                                                                                                  \
        SCRATCH;                                                                                                       \
        PRIVATE(double, y[W]);                                                                                         \
        PRIVATE(u32, group);                                                                                           \
        const u32 lanes = 1u << shift;                                                                                 \
        for (u32 first = BLOCK * (THREADS >> shift); first < rows; first += blocks * (THREADS >> shift)) {             \
            EACH_THREAD {                                                                                              \
                const u32 i = first + (t >> shift), end = i < rows ? ptr[i + 1] : 0;                                   \
                double s[W];                                                                                           \
                UNROLL(W)                                                                                              \
                for (u32 v = 0; v < W; v++) s[v] = 0;                                                                  \
                UNROLL(2)                                                                                              \
                for (u32 k = i < rows ? ptr[i] + (t & (lanes - 1)) : 0; k < end; k += lanes)                           \
                    ADD_MANY(W, val[k], x + (u64)W * col[k], s);                                                       \
                MY(group) = lanes;                                                                                     \
                UNROLL(W)                                                                                              \
                for (u32 v = 0; v < W; v++) MY(y[v]) = s[v];                                                           \
            }                                                                                                          \
            WARP_SUMS(W, y, group);                                                                                    \
            EACH_THREAD {                                                                                              \
                const u32 i = first + (t >> shift);                                                                    \
                if (i < rows && (t & (lanes - 1)) == 0) {                                                              \
                    UNROLL(W)                                                                                          \
                    for (u32 v = 0; v < W; v++) dst[(u64)W * i + v] = MY(y[v]);                                        \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

CSR_MANY(spmm2_csr, 2)
CSR_MANY(spmm4_csr, 4)
CSR_MANY(spmm8_csr, 8)

/* The next `many` slots of a run. */
#define MANY_TURN(B, W, many, INTEGER, X)                                     \
    do {                                                                      \
        UNROLL(2)                                                             \
        for (u32 k = 0; k < many; k++) {                                      \
            IN(double) xs = X;                                                \
            UNROLL(B * W > 8 ? 1 : B) /* registers for more are not there */  \
            for (u32 j = 0; j < B; j++) {                                     \
                UNROLL(B)                                                     \
                for (u32 r = 0; r < B; r++) {                                 \
                    ADD_MANY(W, INTEGER(val, c), xs + j * W, sums + r * W);   \
                    val += c.width;                                           \
                }                                                             \
            }                                                                 \
        }                                                                     \
        col += many * WARP;                                                   \
        offset += many;                                                       \
    } while (0)

/* A run; two slots at a time, so that several loads are under way. */
#define MANY_RUN(B, W, INTEGER, X)                                            \
    do {                                                                      \
        for (; left >= (B == 1 ? 2 : 1); left -= (B == 1 ? 2 : 1)) MANY_TURN(B, W, (B == 1 ? 2 : 1), INTEGER, X); \
        if (B == 1 && left) MANY_TURN(B, W, 1, INTEGER, X);                   \
    } while (0)

#define MANY_INTEGERS(B, W, X)                              \
    do {                                                    \
        if (width <= 32) {                                  \
            set_code(&c, UP_TO_32);                         \
            MANY_RUN(B, W, integer32, X);                   \
        } else if (width <= 52) {                           \
            set_code(&c, UP_TO_52);                         \
            MANY_RUN(B, W, integer52, X);                   \
        } else {                                            \
            set_code(&c, UP_TO_57);                         \
            MANY_RUN(B, W, integer57, X);                   \
        }                                                   \
    } while (0)

#define MANY_GATHERED(B, W) base + B * W * (u32)col[k * WARP]
#define MANY_ON_DIAGONAL(W) diagonal + (i64)W * (i32)offset[k]

/* The sums of a lane of a chunk: adds to sums[B W], for each row those of all vectors. */
#define MANY_CHUNK(name, B, W)                                                                  \
    FN void name(IN(u32) head, u32 row, u32 how, u32 lane, IN(double) x, double *sums)          \
    {                                                                                           \
        u32 runs = RUNS(how);                                                                   \
        IN(words2) run = (IN(words2))head + 1;                                                  \
        IN(u32) next = (IN(u32))(run + runs);                                                   \
        IN(double) diagonal = x + (u64)W * (row + lane);                                        \
        if (how & IS_ORDERED) next += (ROWS(how) + 1) / 2;                                      \
        for (; runs; runs--, run++) {                                                           \
            const words2 w = *run;                                                              \
            const u32 width = WIDTH(w.second);                                                  \
            code c = {width, lane * width >> 5, lane * width, 0, 0};                            \
            u32 left = COUNT(w.second);                                                         \
            IN(double) base = x + (u64)W * w.first;                                             \
            IN(u16) col = (IN(u16))next + lane;                                                 \
            IN(u32) offset = next;                                                              \
            IN(u32) val = next + c.word + left * (KIND(w.second) == DIAGONAL ? 1 : 16);         \
            if (KIND(w.second) == GATHER) MANY_INTEGERS(B, W, MANY_GATHERED(B, W));             \
            else if (KIND(w.second) == FLOAT) MANY_RUN(B, W, integer_float, MANY_GATHERED(B, W)); \
            else if (B == 1) MANY_INTEGERS(1, W, MANY_ON_DIAGONAL(W));                          \
            next = val - c.word;                                                                \
        }                                                                                       \
    }

#define SLOTS_MANY(name, chunk, B, W)                                                                                  \
    MANY_CHUNK(chunk, B, W)                                                                                            \
    KERNEL(name, u32 chunks, IN(u32) ptr, IN(u32) stream, double unit, IN(i32) exps, u32 own, IN(double) x, OUT(double) dst) \
    {                                                                                                                  \
        SCRATCH;                                                                                                       \
        const u32 sweep = blocks * (THREADS / WARP);                                                                   \
        PRIVATE(double, s[B * W]);                                                                                     \
        PRIVATE(u32, group);                                                                                           \
        PRIVATE(u32, row);                                                                                             \
        PRIVATE(u32, how);                                                                                             \
        for (u32 first = BLOCK * (THREADS / WARP); first < chunks; first += sweep) {                                   \
            EACH_THREAD {                                                                                              \
                const u32 at = first + t / WARP, lane = t % WARP;                                                      \
                double sums[B * W];                                                                                    \
                UNROLL(B * W)                                                                                          \
                for (u32 r = 0; r < B * W; r++) sums[r] = 0;                                                           \
                MY(how) = 0;                                                                                           \
                if (at < chunks) {                                                                                     \
                    IN(u32) head = stream + ptr[at];                                                                   \
                    const words2 w = *(IN(words2))head;                                                                \
                    MY(row) = w.first;                                                                                 \
                    MY(how) = w.second;                                                                                \
                    if (lane >> SHIFT(MY(how)) < ROWS(MY(how))) chunk(head, MY(row), MY(how), lane, x, sums);          \
                }                                                                                                      \
                MY(group) = 1u << SHIFT(MY(how));                                                                      \
                UNROLL(B * W)                                                                                          \
                for (u32 r = 0; r < B * W; r++) MY(s[r]) = sums[r];                                                    \
            }                                                                                                          \
            WARP_SUMS(B * W, s, group);                                                                                \
            EACH_THREAD {                                                                                              \
                const u32 place = t % WARP >> SHIFT(MY(how));                                                          \
                if ((t & (MY(group) - 1)) == 0 && place < ROWS(MY(how))) {                                             \
                    u32 i = MY(row) + place;                                                                           \
                    if (MY(how) & IS_ORDERED)                                                                          \
                        i = MY(row) + ((IN(u16))(stream + ptr[first + t / WARP] + 2 + 2 * RUNS(MY(how))))[place];      \
                    i *= B;                                                                                            \
                    UNROLL(B * W)                                                                                      \
                    for (u32 r = 0; r < B * W; r++)                                                                    \
                        dst[(u64)W * i + r] = own ? times_power(MY(s[r]), exps[i + r / W]) : MY(s[r]) * unit;          \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

SLOTS_MANY(spmm2_slots1, many2_chunk1, 1, 2)
#undef RESIDENT
#define RESIDENT 3
SLOTS_MANY(spmm4_slots1, many4_chunk1, 1, 4)
SLOTS_MANY(spmm2_slots3, many2_chunk3, 3, 2)
SLOTS_MANY(spmm8_slots1, many8_chunk1, 1, 8)
SLOTS_MANY(spmm4_slots3, many4_chunk3, 3, 4)
#undef RESIDENT
#define RESIDENT 2
SLOTS_MANY(spmm8_slots3, many8_chunk3, 3, 8)
#undef RESIDENT
#define RESIDENT 4

/* y = vector v of the W in x, and the other way round. */
KERNEL(many_take, u32 n, u32 of, u32 v, IN(double) x, OUT(double) y)
{
    EACH_THREAD ELEMENTS(i) y[i] = x[(u64)of * i + v];
}

KERNEL(many_put, u32 n, u32 of, u32 v, IN(double) y, OUT(double) x)
{
    EACH_THREAD ELEMENTS(i) x[(u64)of * i + v] = y[i];
}
