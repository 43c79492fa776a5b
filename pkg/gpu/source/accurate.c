/* r = b - A x in double-double, rounded once per element; A in CSR, in FP64. Each row by
 * 2^shift threads next to each other; long rows in segments of a warp each. */

/* *h + *l -= a x, as DD.AddProd in internal/dd */
FN void subtract_product(double *h, double *l, double a, double x)
{
    double p = -a * x, e = FMA(-a, x, -p);
    double s = *h + p, z = s - *h, f = (*h - (s - z)) + (p - z);
    double rest = *l + (e + f);
    *h = s + rest;
    *l = rest - (*h - s);
}

FN void subtract_products(double *h, double *l, u32 k, u32 end, u32 stride, IN(u32) col, IN(double) val, IN(double) x)
{
    UNROLL(4)
    for (; k < end; k += stride) subtract_product(h, l, val[k], x[col[k]]);
}

KERNEL(spmv_csr_accurate, u32 rows, u32 shift, u32 most, IN(u32) ptr, IN(u32) col, IN(double) val, IN(double) x,
       OUT(double) r, IN(double) b)
{
    const u32 lanes = 1u << shift;
    SCRATCH;
    PRIVATE(double, high);
    PRIVATE(double, low);
    PRIVATE(u32, group);
    for (u32 first = BLOCK * (THREADS >> shift); first < rows; first += blocks * (THREADS >> shift)) {
        EACH_THREAD {
            u32 i = first + (t >> shift), lane = t & (lanes - 1);
            MY(group) = lanes;
            MY(high) = i < rows && lane == 0 ? b[i] : 0;
            MY(low) = 0;
            if (i < rows && ptr[i + 1] - ptr[i] <= most)
                subtract_products(&MY(high), &MY(low), ptr[i] + lane, ptr[i + 1], lanes, col, val, x);
        }
        WARP_SUM2(high, low, group);
        EACH_THREAD {
            u32 i = first + (t >> shift);
            if (i < rows && (t & (lanes - 1)) == 0 && ptr[i + 1] - ptr[i] <= most) r[i] = MY(high) + MY(low);
        }
    }
}

/* Minus the product of a segment, in two numbers. */
KERNEL(spmv_csr_accurate_segments, u32 segments, IN(u32) cut, IN(u32) col, IN(double) val, IN(double) x, OUT(double) sums)
{
    SCRATCH;
    PRIVATE(double, high);
    PRIVATE(double, low);
    PRIVATE(u32, group);
    for (u32 first = BLOCK * (THREADS / WARP); first < segments; first += blocks * (THREADS / WARP)) {
        EACH_THREAD {
            u32 s = first + t / WARP;
            MY(group) = WARP;
            MY(high) = MY(low) = 0;
            if (s < segments)
                subtract_products(&MY(high), &MY(low), cut[2 * s] + t % WARP, cut[2 * s + 1], WARP, col, val, x);
        }
        WARP_SUM2(high, low, group);
        EACH_THREAD {
            u32 s = first + t / WARP;
            if (s < segments && t % WARP == 0) {
                sums[2 * s] = MY(high);
                sums[2 * s + 1] = MY(low);
            }
        }
    }
}

/* The long rows, a warp each: its thread t adds the segments t, t + 32, ... */
KERNEL(spmv_long_accurate, u32 count, IN(u32) row, IN(u32) start, IN(double) sums, OUT(double) r, IN(double) b)
{
    SCRATCH;
    PRIVATE(double, high);
    PRIVATE(double, low);
    PRIVATE(u32, group);
    for (u32 first = BLOCK * (THREADS / WARP); first < count; first += blocks * (THREADS / WARP)) {
        EACH_THREAD {
            u32 k = first + t / WARP;
            MY(group) = WARP;
            MY(high) = k < count && t % WARP == 0 ? b[row[k]] : 0;
            MY(low) = 0;
            if (k < count)
                for (u32 s = start[k] + t % WARP; s < start[k + 1]; s += WARP)
                    add_twofold(&MY(high), &MY(low), sums[2 * s], sums[2 * s + 1]);
        }
        WARP_SUM2(high, low, group);
        EACH_THREAD {
            u32 k = first + t / WARP;
            if (k < count && t % WARP == 0) r[row[k]] = MY(high) + MY(low);
        }
    }
}
