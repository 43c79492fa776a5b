/* Products with the papers' formats, adaptive.Bucketed: each row by 2^shift threads next
 * to each other. A thread goes through its elements bucket after bucket, first those of
 * buckets that are stored by theta, so that their sum is multiplied by theta once. */

/* How the words of a bucket become numbers, as in Words of internal/kernels, and where
 * its arrays begin: words at a byte that is a multiple of 8. */
typedef struct {
    u32 kind, bytes, up, down;
    u64 offset, sign_bits;
    double quantum;
    u64 words;
    u32 ptr, col;
} bucket;

#define FLOAT_BITS 0u
#define FLOAT32 1u
#define FIXED 2u
#define SCALED 3u

/* Word k, its bytes moved to the top of 64 bits. */
FN u64 stored_word(IN(u32) val, u64 words, u32 bytes, u32 k)
{
    u64 at = words + (u64)k * bytes;
    u64 q = at / 4;
    u32 off = (u32)(at % 4) * 8;
    u64 w = val[q];
    if (bytes > 4 || bytes == 3) w |= (u64)val[q + 1] << 32; /* others do not cross four bytes */
    w >>= off;
    if (bytes == 7 && off) w |= (u64)val[q + 2] << (64 - off);
    return w << (64 - 8 * bytes);
}

FN double decoded(u64 w, u32 kind, u32 up, u32 down, u64 offset, u64 sign_bits, double quantum)
{
    if (kind == FLOAT32) return (double)FLOAT_OF_BITS((u32)(w >> 32));
    if (kind == FIXED) {
        u64 m = w >> down;
        if (w >> 63 && down) m |= ~(u64)0 << (64 - down);
        return (double)(i64)m * quantum;
    }
    double v = DOUBLE_OF_BITS(((w << up >> down) + offset) | (w & sign_bits));
    return kind == SCALED ? v * quantum : v;
}

/* y, and the elements of row i that are this thread's; its next row is `next` */
FN double add_bucket(double y, IN(bucket) q, u32 i, u32 next, u32 lane, u32 lanes, IN(u32) ptr, IN(u32) col, IN(u32) val, IN(double) x)
{
    const u32 base = q->ptr, kind = q->kind, bytes = q->bytes, up = q->up, down = q->down;
    const u64 words = q->words, offset = q->offset, sign_bits = q->sign_bits;
    const double quantum = q->quantum;
    const u32 end = ptr[base + i + 1];
    PREFETCH(&ptr[base + next]);
    UNROLL(2)
    for (u32 k = ptr[base + i] + lane; k < end; k += lanes)
        y = FMA(decoded(stored_word(val, words, bytes, k), kind, up, down, offset, sign_bits, quantum), x[col[q->col + k]], y);
    return y;
}

/* own: theta and exps have an element for each row, otherwise one for all */
KERNEL(spmv_bucketed, u32 rows, u32 shift, u32 buckets, u32 by_theta, IN(bucket) list, IN(u32) ptr, IN(u32) col, IN(u32) val,
       u32 own, IN(double) theta, IN(i32) exps, PRODUCT_ARGUMENTS)
{
    const u32 lanes = 1u << shift;
    const u32 sweep = blocks * (THREADS >> shift), part = BLOCK;
    PRODUCT;
    for (u32 first = part * (THREADS >> shift); first < rows; first += sweep) {
        EACH_THREAD {
            u32 i = first + (t >> shift), next = LEAST(i + sweep, rows), lane = t & (lanes - 1);
            double s = 0;
            MY(group) = lanes;
            if (i < rows) {
                for (u32 q = 0; q < by_theta; q++) s = add_bucket(s, list + q, i, next, lane, lanes, ptr, col, val, x);
                if (by_theta) s *= theta[own ? i : 0];
                for (u32 q = by_theta; q < buckets; q++) s = add_bucket(s, list + q, i, next, lane, lanes, ptr, col, val, x);
            }
            MY(y) = s;
        }
        WARP_SUM(y, group);
        EACH_THREAD {
            u32 i = first + (t >> shift);
            if (i < rows && (t & (lanes - 1)) == 0) FINISH(i, times_power(MY(y), exps[own ? i : 0]));
        }
    }
    LEAVE_PRODUCT;
}
