/* The end of products with long rows, whose segments have been added up by themselves:
 * row[k] has the sums from start[k] to start[k + 1]. In any layout, after the kernel that
 * has done the other rows; its parts of inner products stand before `from`. */
#include "epilogue.h"
#include "power.h"

/* What a row's sum is multiplied by. */
#define NO_UNIT 0u
#define ONE_UNIT 1u  /* 2^(exps[0] + shift) */
#define ROWS_UNIT 2u /* 2^(exps[i] + shift) for row i */

FN double in_unit(double y, u32 i, u32 unit, IN(i32) exps, i32 shift)
{
    return unit == NO_UNIT ? y : times_power(y, exps[unit == ONE_UNIT ? 0 : i] + shift);
}

/* A row by a block: thread t adds the segments t, t + 256, ... */
KERNEL(spmv_long, u32 count, IN(u32) row, IN(u32) start, IN(double) sums, u32 unit, IN(i32) exps, i32 shift, u32 from,
       u32 what, IN(double) x, OUT(double) dst, IN(double) b, IN(double) w, scalar omega, u32 area, u32 area2,
       INOUT(double) pad)
{
    PRODUCT;
    (void)group;
    for (u32 k = BLOCK; k < count; k += blocks) {
        EACH_THREAD {
            MY(y) = 0;
            for (u32 s = start[k] + t; s < start[k + 1]; s += THREADS) MY(y) += sums[s];
        }
        BLOCK_SUM(y);
        EACH_THREAD { if (t == 0) FINISH(row[k], in_unit(y[0], row[k], unit, exps, shift)); }
    }
    LEAVE_PRODUCT_FROM(from);
}
