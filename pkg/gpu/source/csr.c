/* Products with CSR in FP64 and FP32, and with |A| and |x|: each row by 2^shift threads
 * next to each other, rows of more than `most` elements in segments, which long.c adds. */

#define SIGNED(v) (v)

/* name_part adds the elements k, k + stride, ... below end, in this order. Four at a time
 * are loaded before the first of them is needed; beyond the end it is the last element,
 * which is loaded again and not added. */
#define CSR(name, T, OF)                                                                                \
    FN double name##_part(u32 k, u32 end, u32 stride, IN(u32) col, IN(T) val, IN(double) x)               \
    {                                                                                                   \
        double y = 0;                                                                                   \
        for (; k < end; k += 4 * stride) {                                                                \
            u32 c[4];                                                                                   \
            double v[4], xc[4];                                                                         \
            UNROLL(4)                                                                                   \
            for (u32 j = 0; j < 4; j++) {                                                               \
                u32 at = k + j * stride < end ? k + j * stride : end - 1;                                   \
                c[j] = col[at];                                                                         \
                v[j] = (double)val[at];                                                                 \
            }                                                                                           \
            UNROLL(4)                                                                                   \
            for (u32 j = 0; j < 4; j++) xc[j] = x[c[j]];                                                \
            UNROLL(4)                                                                                   \
            for (u32 j = 0; j < 4; j++)                                                                 \
                if (k + j * stride < end) y = FMA(OF(v[j]), OF(xc[j]), y);                                \
        }                                                                                               \
        return y;                                                                                       \
    }                                                                                                   \
    KERNEL(name, u32 rows, u32 shift, u32 most, IN(u32) ptr, IN(u32) col, IN(T) val, PRODUCT_ARGUMENTS) \
    {                                                                                                   \
        const u32 lanes = 1u << shift;                                                                  \
        const u32 sweep = blocks * (THREADS >> shift);                                                  \
        PRODUCT;                                                                                        \
        EACH_PART {                                                                                     \
            for (u32 first = part * (THREADS >> shift); first < rows; first += sweep) {                 \
                EACH_THREAD {                                                                           \
                    u32 i = first + (t >> shift);                                                       \
                    PREFETCH(&ptr[LEAST(i + sweep, rows)]);                                             \
                    MY(group) = lanes;                                                                  \
                    MY(y) = 0;                                                                          \
                    if (i < rows && ptr[i + 1] - ptr[i] <= most)                                        \
                        MY(y) = name##_part(ptr[i] + (t & (lanes - 1)), ptr[i + 1], lanes, col, val, x);\
                }                                                                                       \
                WARP_SUM(y, group);                                                                     \
                EACH_THREAD {                                                                           \
                    u32 i = first + (t >> shift);                                                       \
                    if (i < rows && (t & (lanes - 1)) == 0 && ptr[i + 1] - ptr[i] <= most) FINISH(i, MY(y));\
                }                                                                                       \
            }                                                                                           \
            LEAVE_PRODUCT;                                                                              \
        }                                                                                               \
    }                                                                                                   \
    KERNEL(name##_segments, u32 segments, IN(u32) cut, IN(u32) col, IN(T) val, IN(double) x, OUT(double) sums) \
    {                                                                                                   \
        SCRATCH;                                                                                        \
        PRIVATE(double, y);                                                                             \
        for (u32 s = BLOCK; s < segments; s += blocks) {                                                \
            EACH_THREAD { MY(y) = name##_part(cut[2 * s] + t, cut[2 * s + 1], THREADS, col, val, x); }  \
            BLOCK_SUM(y);                                                                               \
            EACH_THREAD { if (t == 0) sums[s] = y[0]; }                                                 \
        }                                                                                               \
    }

CSR(spmv_csr, double, SIGNED)
CSR(spmv_csr32, float, SIGNED)
CSR(spmv_csr_abs, double, FABS)
