/* The kernels of BabelStream on n elements but for the inner product, which is vector_dot. */

/* y = x */
KERNEL(stream_copy, u32 n, IN(double) x, OUT(double) y)
{
    EACH_THREAD FOURS(i)
    {
        LOAD(xs, x);
        FOUR(k, j) y[k] = xs[j];
    }
}

/* y = a x */
KERNEL(stream_mul, u32 n, double a, IN(double) x, OUT(double) y)
{
    EACH_THREAD FOURS(i)
    {
        LOAD(xs, x);
        FOUR(k, j) y[k] = a * xs[j];
    }
}

/* z = x + a y; a = 1 is add, since 1 y is y */
KERNEL(stream_triad, u32 n, IN(double) x, double a, IN(double) y, OUT(double) z)
{
    EACH_THREAD FOURS(i)
    {
        LOAD(xs, x);
        LOAD(ys, y);
        FOUR(k, j) z[k] = FMA(a, ys[j], xs[j]);
    }
}
