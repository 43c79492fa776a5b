/* The end of products with long rows, whose segments have been added up by themselves. In
 * any layout, after the kernel that has done the other rows; its parts of inner products
 * stand before `from`. */

/* What a row's sum is multiplied by. */
#define NO_UNIT 0u
#define ONE_UNIT 1u  /* 2^exps[0] */
#define ROWS_UNIT 2u /* 2^exps[i] for row i */

FN double in_unit(double y, u32 i, u32 unit, IN(i32) exps)
{
    return unit == NO_UNIT ? y : times_power(y, exps[unit == ONE_UNIT ? 0 : i]);
}

/* Rows, or block rows of `size` rows: number k is row[k], its segments are start[k] to
 * start[k + 1] - 1, with a sum for each of its rows. A warp adds up those of a row, thread t
 * the sums t, t + 32, ... */
KERNEL(spmv_long, u32 count, u32 size, IN(u32) row, IN(u32) start, IN(double) sums, u32 unit, IN(i32) exps, u32 from,
       PRODUCT_ARGUMENTS)
{
    PRODUCT;
    EACH_PART {
        for (u32 first = part * (THREADS / WARP); first < count * size; first += blocks * (THREADS / WARP)) {
            EACH_THREAD {
                const u32 at = first + t / WARP, k = at / size;
                MY(group) = WARP;
                MY(y) = 0;
                if (at < count * size)
                    for (u32 s = start[k] + t % WARP; s < start[k + 1]; s += WARP) MY(y) += sums[s * size + at % size];
            }
            WARP_SUM(y, group);
            EACH_THREAD {
                const u32 at = first + t / WARP;
                if (at < count * size && t % WARP == 0) {
                    const u32 i = row[at / size] * size + at % size;
                    FINISH(i, in_unit(MY(y), i, unit, exps));
                }
            }
        }
        LEAVE_PRODUCT_FROM(from);
    }
}
