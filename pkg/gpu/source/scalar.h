/*
 * Scalars stay on the device. A reduction leaves partial sums, one a block, in an area
 * of the reduction buffer; the first kernel that needs the sum adds them up, in all its
 * blocks, and block 0 stores the sum in its cell for later ones. So an inner product takes
 * no launch of its own, and nobody waits for it.
 *
 * A scalar is a product of quotients of such sums,
 *
 *   scale * n0/d0 * n1/d1,
 *
 * evaluated by the kernel that uses it. A quotient with a zero denominator, or one that
 * is not finite, is 0 and sets the fault, and so does a sum that is to be positive and is
 * not: what follows does no harm to x, and the method learns of it at its next check.
 */
#define NONE 0xffffffffu /* no cell: the number 1 */
#define IS_ROOT 1u       /* the square root of the sum is meant */
#define IS_POSITIVE 2u   /* it is a fault if the sum is not positive */

typedef struct {
    u32 cell, area, parts, how; /* parts: partial sums in the area; 0: the cell has the sum */
} sum;

typedef struct {
    double scale;
    sum n0, d0, n1, d1;
} scalar;

/* The reduction buffer, the argument `reductions`: the fault, cells, areas. */
#define FAULT 0u
#define CELL(k) (1u + (k))
#define CELLS 65535u
#define AREA(k) (1u + CELLS + (k) * PARTS)
#define PARTS 2048u /* partial sums at most */

FN int finite_number(double v) { return v - v == 0; }

FN double quotient(double n, double d, GLOBAL double *reductions)
{
    double q = n / d;
    if (d != 0 && finite_number(q) && finite_number(d)) return q;
    reductions[FAULT] = 1;
    return 0;
}

/* The partial sums t, t + 256, ..., eight of which are loaded together. */
FN double added_parts(GLOBAL const double *part, u32 parts, u32 t)
{
    double s = 0;
    for (u32 k = t; k < parts; k += 8 * THREADS) {
        double v[8];
        UNROLL(8)
        for (u32 j = 0; j < 8; j++) v[j] = part[LEAST(k + j * THREADS, parts - 1)];
        UNROLL(8)
        for (u32 j = 0; j < 8; j++) if (k + j * THREADS < parts) s += v[j];
    }
    return s;
}

/* v = the sum s. Needs SCRATCH and reductions. */
#define ADD_UP(v, s)                                                                        \
    do {                                                                                    \
        WHERE((s).parts) {                                                                  \
            PRIVATE(double, part);                                                          \
            EACH_THREAD { MY(part) = added_parts(reductions + AREA((s).area), (s).parts, t); } \
            BLOCK_SUM(part);                                                                \
            v = part[0];                                                                    \
        }                                                                                   \
        if ((s).cell == NONE) {                                                             \
            v = 1;                                                                          \
        } else {                                                                            \
            if ((s).parts) {                                                                \
                EACH_THREAD { if (t == 0 && BLOCK == 0) reductions[CELL((s).cell)] = v; }   \
            } else {                                                                        \
                v = reductions[CELL((s).cell)];                                             \
            }                                                                               \
            if ((s).how & IS_POSITIVE && !(v > 0)) reductions[FAULT] = 1;                   \
            if ((s).how & IS_ROOT) v = SQRT(v);                                             \
        }                                                                                   \
    } while (0)

/* v = the scalar a. Needs SCRATCH and reductions. The four sums share one text: four of
 * them make kernels long, and some compilers slow. */
#define EVALUATE(v, a)                                                                      \
    do {                                                                                    \
        double above = 1, value;                                                            \
        u32 none = NONE; /* unless the quotient has a sum */                                \
        v = (a).scale;                                                                      \
        UNROLL(1)                                                                           \
        for (u32 f = 0; f < 4; f++) {                                                       \
            const sum one = f < 2 ? (f ? (a).d0 : (a).n0) : f < 3 ? (a).n1 : (a).d1;        \
            ADD_UP(value, one);                                                             \
            if (f % 2 == 0) {                                                               \
                above = value;                                                              \
                none = one.cell;                                                            \
            } else if ((none & one.cell) != NONE) {                                         \
                v *= quotient(above, value, reductions);                                    \
            }                                                                               \
        }                                                                                   \
    } while (0)

/* Leaves the block's sum of MY(s) in an area, or at a place of it if c. */
#define LEAVE(s, at) LEAVE_IF(1, s, at, BLOCK)
#define LEAVE_IF(c, s, at, place)                                                        \
    do {                                                                                 \
        WHERE(c) BLOCK_SUM(s);                                                           \
        EACH_THREAD { if ((c) && t == 0) reductions[AREA(at) + (place)] = s[0]; } \
    } while (0)
