/* What follows a product y = A x in the same pass over its rows. The arguments of its kernel
 * end with PRODUCT_ARGUMENTS; it begins with PRODUCT and goes on with EACH_PART, which calls
 * FINISH(i, y) within EACH_THREAD once for each row i of the part, and ends with LEAVE_PRODUCT.
 * b, w and omega are not looked at where `what` does not need them. */
#define PRODUCT_ARGUMENTS                                                                        \
    u32 what, IN(double) x, OUT(double) dst, IN(double) b, IN(double) w, scalar omega, u32 area, \
        u32 area2, INOUT(double) reductions

#define PLAIN 0u    /* dst = y */
#define RESIDUAL 1u /* dst = b - y */
#define RELAX 2u    /* dst = x + omega w (b - y) */
#define PLUS 3u     /* dst = b + y */
#define DOT 4u      /* and dst·w */
#define DOTS 8u     /* and dst·w and dst·dst */

#define PRODUCT                                                  \
    SCRATCH;                                                     \
    PRIVATE(double, y);      /* of the row, or this thread's part */ \
    PRIVATE(u32, group);     /* threads that share a row */      \
    PRIVATE(double, dw);                                         \
    PRIVATE(double, dd);                                         \
    EACH_THREAD { MY(dw) = MY(dd) = 0; }                         \
    double ov = 0;                                               \
    WHERE((what & 3u) == RELAX) EVALUATE(ov, omega)

#define FINISH(i, yi)                                                            \
    do {                                                                         \
        double v = finished(what, yi, i, ov, x, b, w);                           \
        dst[i] = v;                                                              \
        if (what & (DOT | DOTS)) {                                               \
            MY(dw) = FMA(v, w[i], MY(dw));                                       \
            if (what & DOTS) MY(dd) = FMA(v, v, MY(dd));                         \
        }                                                                        \
    } while (0)

#define LEAVE_PRODUCT LEAVE_PRODUCT_FROM(0)
#define LEAVE_PRODUCT_FROM(from)                                                 \
    do {                                                                         \
        LEAVE_IF(what & (DOT | DOTS), dw, area, (from) + part);                  \
        LEAVE_IF(what & DOTS, dd, area2, (from) + part);                         \
        EACH_THREAD { MY(dw) = MY(dd) = 0; }                                     \
    } while (0)

FN double finished(u32 what, double y, u32 i, double omega, IN(double) x, IN(double) b, IN(double) w)
{
    if ((what & 3u) == PLAIN) return y;
    if ((what & 3u) == RESIDUAL) return b[i] - y;
    if ((what & 3u) == RELAX) return FMA(omega * w[i], b[i] - y, x[i]);
    return b[i] + y;
}
