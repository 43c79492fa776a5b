/* What pkg/solve measures and scales. Largest elements and sums leave one part a block,
 * which the host puts together. */

#define LEAVE_PART(tree, v) \
    tree(v);                \
    EACH_THREAD { if (t == 0) parts[BLOCK] = v[0]; }

/* |x_i| */
KERNEL(measure_abs_max, u32 n, IN(double) x, OUT(double) parts)
{
    SCRATCH;
    PRIVATE(double, top);
    EACH_THREAD {
        MY(top) = 0;
        ELEMENTS(i) MY(top) = larger(MY(top), FABS(x[i]));
    }
    LEAVE_PART(BLOCK_MAX, top)
}

/* |r_i| / (t_i norm + |b_i|), 0/0 being 0; a denominator beyond double does not make it 0 */
FN double row_error(double r, double t, double norm, double b)
{
    double d = t * norm + b;
    if (r == 0) return 0;
    return d > 0 && d - d != 0 ? r / t / norm : r / d;
}

KERNEL(measure_row_error, u32 n, IN(double) r, IN(double) rows, double norm, IN(double) b, OUT(double) parts)
{
    SCRATCH;
    PRIVATE(double, top);
    EACH_THREAD {
        MY(top) = 0;
        ELEMENTS(i) MY(top) = larger(MY(top), row_error(FABS(r[i]), rows[i], norm, FABS(b[i])));
    }
    LEAVE_PART(BLOCK_MAX, top)
}

/* the sum of (x_i 2^-e)^2 */
KERNEL(measure_squares, u32 n, IN(double) x, i32 e, OUT(double) parts)
{
    SCRATCH;
    PRIVATE(double, s);
    EACH_THREAD {
        MY(s) = 0;
        ELEMENTS(i)
        {
            double v = times_power(x[i], -e);
            MY(s) = FMA(v, v, MY(s));
        }
    }
    LEAVE_PART(BLOCK_SUM, s)
}

/* the exponent of x_i plus e_i where x_i is not 0, -2^31 where there is none; e is not
 * looked at if there are none */
#define EXPONENT_OF(i) (some ? e[i] : 0)

KERNEL(measure_exponent, u32 n, IN(double) x, u32 some, IN(i32) e, OUT(double) parts)
{
    SCRATCH;
    PRIVATE(double, top);
    EACH_THREAD {
        MY(top) = -0x1p31;
        ELEMENTS(i) if (x[i] != 0) MY(top) = larger(MY(top), exponent(x[i]) + EXPONENT_OF(i));
    }
    LEAVE_PART(BLOCK_MAX, top)
}

/* y_i = (a x_i) 2^(e_i + shift) */
KERNEL(measure_ldexp, u32 n, double a, IN(double) x, u32 some, IN(i32) e, i32 shift, OUT(double) y)
{
    EACH_THREAD ELEMENTS(i) y[i] = times_power(a * x[i], EXPONENT_OF(i) + shift);
}

/* y_i = x_i + z_i 2^(e_i + shift) */
KERNEL(measure_add_ldexp, u32 n, IN(double) x, IN(double) z, u32 some, IN(i32) e, i32 shift, OUT(double) y)
{
    EACH_THREAD ELEMENTS(i) y[i] = x[i] + times_power(z[i], EXPONENT_OF(i) + shift);
}
