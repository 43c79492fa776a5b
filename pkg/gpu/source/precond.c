/* Preconditioners: Jacobi and block Jacobi. */

/* y = w x, elementwise, w in FP32 */
KERNEL(jacobi32, u32 n, IN(float) w, IN(double) x, OUT(double) y)
{
    EACH_THREAD ELEMENTS(i) y[i] = (double)w[i] * x[i];
}

/*
 * Inverses of blocks lie in groups of 32 rows, a row a lane, whatever blocks these are of:
 * column after column of the blocks, each 32 numbers of k bytes, k the same in the group.
 * Of the 32 numbers first all low parts of 4 or 2 bytes lie next to each other, as many
 * bytes as k has, and then the rest of each. An integer v of k bytes is stored as
 * v + 2^(8k-1), so that behind the leading bits of 2^52 it is a double, but for that.
 */
#define HALF_OF(k) (0x1p52 + (double)((u64)1 << (8 * (k) - 1)))
#define INTEGER(k, u) (DOUBLE_OF_BITS((u64)0x43300000 << 32 | (u)) - HALF_OF(k))

/* Bytes of a column of numbers of k bytes, from its byte `at` on, as numbers of type T: that of the lane. */
#define PART(T, k, at) ((GLOBAL const T *)(a + (j * (k) + (at)) * WARP))[lane]

#define BLOCK_ROW(k, number)                                     \
    case k:                                                      \
        UNROLL(4)                                                \
        for (u32 j = 0; j < m; j++) s = FMA(number, x[j], s);    \
        break

/* A row of m numbers of k bytes, those in the lane of the group a, times x. */
FN double block_row(u32 k, GLOBAL const u8 *a, u32 lane, u32 m, IN(double) x)
{
    double s = 0;
    switch (k) {
        BLOCK_ROW(2, INTEGER(2, PART(u16, 2, 0)));
        BLOCK_ROW(3, INTEGER(3, (u32)PART(u8, 3, 2) << 16 | PART(u16, 3, 0)));
        BLOCK_ROW(4, INTEGER(4, PART(u32, 4, 0)));
        BLOCK_ROW(5, INTEGER(5, (u64)PART(u8, 5, 4) << 32 | PART(u32, 5, 0)));
        BLOCK_ROW(6, INTEGER(6, (u64)PART(u16, 6, 4) << 32 | PART(u32, 6, 0)));
        BLOCK_ROW(8, PART(double, 8, 0));
    }
    return s;
}

/* y = B x, B the inverses. Of each row its word has, from the low bits on: 5 bits, its
 * place in the block; 5, the rows of the block less 1; 4, k; the biased exponent of the
 * quantum. start has the offset of each group in units of 32 bytes. */
KERNEL(block_jacobi, u32 n, IN(u32) word, IN(u32) start, IN(u8) inverse, IN(double) x, OUT(double) y)
{
    EACH_THREAD ELEMENTS(i)
    {
        u32 w = word[i];
        GLOBAL const u8 *group = inverse + (u64)start[i / WARP] * WARP;
        double s = block_row(w >> 10 & 15, group, i % WARP, (w >> 5 & 31) + 1, x + (i - (w & 31)));
        y[i] = DOUBLE_OF_BITS((u64)(w >> 14) << 52) * s;
    }
}
