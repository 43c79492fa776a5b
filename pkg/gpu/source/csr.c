/* Products with CSR in FP64 and FP32: each row by 2^shift threads next to each other,
 * rows of more than `most` elements left to what long.c does. */
#include "epilogue.h"

#define CSR(name, T)                                                                                    \
    KERNEL(name, u32 rows, u32 shift, u32 most, IN(u32) ptr, IN(u32) col, IN(T) val, u32 what,          \
           IN(double) x, OUT(double) dst, IN(double) b, IN(double) w, scalar omega, u32 area, u32 area2, \
           INOUT(double) pad)                                                                           \
    {                                                                                                   \
        const u32 lanes = 1u << shift;                                                                  \
        PRODUCT;                                                                                        \
        for (u32 first = BLOCK * (THREADS >> shift); first < rows; first += blocks * (THREADS >> shift)) { \
            EACH_THREAD {                                                                               \
                u32 i = first + (t >> shift);                                                           \
                MY(group) = lanes;                                                                      \
                MY(y) = 0;                                                                              \
                if (i < rows && ptr[i + 1] - ptr[i] <= most)                                            \
                    for (u32 k = ptr[i] + (t & (lanes - 1)); k < ptr[i + 1]; k += lanes)                \
                        MY(y) = FMA((double)val[k], x[col[k]], MY(y));                                  \
            }                                                                                           \
            WARP_SUM(y, group);                                                                         \
            EACH_THREAD {                                                                               \
                u32 i = first + (t >> shift);                                                           \
                if (i < rows && (t & (lanes - 1)) == 0 && ptr[i + 1] - ptr[i] <= most) FINISH(i, MY(y)); \
            }                                                                                           \
        }                                                                                               \
        LEAVE_PRODUCT;                                                                                  \
    }

CSR(spmv_csr, double)
CSR(spmv_csr32, float)
