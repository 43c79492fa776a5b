/* Vectors of n elements: linop.Space, and what pkg/solve needs besides. Threads go
 * through the elements in steps of all threads there are. */
#define ELEMENTS(i) for (u32 i = BLOCK * THREADS + t; i < n; i += blocks * THREADS)

/* x *= a */
KERNEL(vector_scale, u32 n, scalar a, INOUT(double) x, INOUT(double) pad)
{
    SCRATCH;
    double av;
    EVALUATE(av, a);
    EACH_THREAD ELEMENTS(i) x[i] *= av;
}

/* y += a x */
KERNEL(vector_axpy, u32 n, scalar a, IN(double) x, OUT(double) y, INOUT(double) pad)
{
    SCRATCH;
    double av;
    EVALUATE(av, a);
    EACH_THREAD ELEMENTS(i) y[i] = FMA(av, x[i], y[i]);
}

/* y = x + a y */
KERNEL(vector_xpay, u32 n, IN(double) x, scalar a, OUT(double) y, INOUT(double) pad)
{
    SCRATCH;
    double av;
    EVALUATE(av, a);
    EACH_THREAD ELEMENTS(i) y[i] = FMA(av, y[i], x[i]);
}

/* y = a w x, elementwise */
KERNEL(vector_mul, u32 n, scalar a, IN(double) w, IN(double) x, OUT(double) y, INOUT(double) pad)
{
    SCRATCH;
    double av;
    EVALUATE(av, a);
    EACH_THREAD ELEMENTS(i) y[i] = av * (w[i] * x[i]);
}

/* x·y; x may be y */
KERNEL(vector_dot, u32 n, IN(double) x, IN(double) y, u32 area, INOUT(double) pad)
{
    SCRATCH;
    PRIVATE(double, s);
    EACH_THREAD {
        MY(s) = 0;
        ELEMENTS(i) MY(s) = FMA(x[i], y[i], MY(s));
    }
    LEAVE(s, area);
}

/* y += a x, and y·z; z is y if own is 1, otherwise not */
KERNEL(vector_axpy_dot, u32 n, scalar a, IN(double) x, OUT(double) y, u32 own, IN(double) z, u32 area, INOUT(double) pad)
{
    SCRATCH;
    PRIVATE(double, s);
    double av;
    EVALUATE(av, a);
    EACH_THREAD {
        MY(s) = 0;
        ELEMENTS(i)
        {
            double v = FMA(av, x[i], y[i]);
            y[i] = v;
            MY(s) = FMA(v, own ? v : z[i], MY(s));
        }
    }
    LEAVE(s, area);
}

/* x += a p, r -= a q, and r·r: a step of CG */
KERNEL(vector_step, u32 n, scalar a, IN(double) p, OUT(double) x, IN(double) q, OUT(double) r, u32 area, INOUT(double) pad)
{
    SCRATCH;
    PRIVATE(double, s);
    double av;
    EVALUATE(av, a);
    EACH_THREAD {
        MY(s) = 0;
        ELEMENTS(i)
        {
            x[i] = FMA(av, p[i], x[i]);
            double v = FMA(-av, q[i], r[i]);
            r[i] = v;
            MY(s) = FMA(v, v, MY(s));
        }
    }
    LEAVE(s, area);
}

/* x += a p + o s, r = s - o q, r·r and r·w: the second half of a step of BiCGStab, where
 * s, the residual of the first half, is in r if own is 1 */
KERNEL(vector_double_step, u32 n, scalar a, IN(double) p, scalar o, u32 own, IN(double) s, OUT(double) x,
       IN(double) q, OUT(double) r, IN(double) w, u32 area, u32 area2, INOUT(double) pad)
{
    SCRATCH;
    PRIVATE(double, rr);
    PRIVATE(double, rw);
    double av, ov;
    EVALUATE(av, a);
    EVALUATE(ov, o);
    EACH_THREAD {
        MY(rr) = 0;
        MY(rw) = 0;
        ELEMENTS(i)
        {
            double h = r[i];
            x[i] = FMA(ov, own ? h : s[i], FMA(av, p[i], x[i]));
            double v = FMA(-ov, q[i], h);
            r[i] = v;
            MY(rr) = FMA(v, v, MY(rr));
            MY(rw) = FMA(v, w[i], MY(rw));
        }
    }
    LEAVE(rr, area);
    LEAVE(rw, area2);
}

/* p = r + b (p - o q): the next direction of BiCGStab */
KERNEL(vector_direction, u32 n, IN(double) r, scalar b, scalar o, IN(double) q, OUT(double) p, INOUT(double) pad)
{
    SCRATCH;
    double bv, ov;
    EVALUATE(bv, b);
    EVALUATE(ov, o);
    EACH_THREAD ELEMENTS(i) p[i] = FMA(bv, FMA(-ov, q[i], p[i]), r[i]);
}

/* v_k·w for m <= 8 vectors, into the areas from the first on */
KERNEL(vector_multi_dot, u32 n, u32 m, IN(double) v0, IN(double) v1, IN(double) v2, IN(double) v3, IN(double) v4,
       IN(double) v5, IN(double) v6, IN(double) v7, IN(double) w, u32 area, INOUT(double) pad)
{
    SCRATCH;
    PRIVATE(double, s0);
    PRIVATE(double, s1);
    PRIVATE(double, s2);
    PRIVATE(double, s3);
    PRIVATE(double, s4);
    PRIVATE(double, s5);
    PRIVATE(double, s6);
    PRIVATE(double, s7);
    EACH_THREAD {
        MY(s0) = MY(s1) = MY(s2) = MY(s3) = MY(s4) = MY(s5) = MY(s6) = MY(s7) = 0;
        for (u32 i = BLOCK * THREADS + t; i < n; i += blocks * THREADS) {
            double wi = w[i];
            MY(s0) = FMA(v0[i], wi, MY(s0));
            if (m > 1) MY(s1) = FMA(v1[i], wi, MY(s1));
            if (m > 2) MY(s2) = FMA(v2[i], wi, MY(s2));
            if (m > 3) MY(s3) = FMA(v3[i], wi, MY(s3));
            if (m > 4) MY(s4) = FMA(v4[i], wi, MY(s4));
            if (m > 5) MY(s5) = FMA(v5[i], wi, MY(s5));
            if (m > 6) MY(s6) = FMA(v6[i], wi, MY(s6));
            if (m > 7) MY(s7) = FMA(v7[i], wi, MY(s7));
        }
    }
    LEAVE(s0, area);
    LEAVE_IF(m > 1, s1, area + 1, 0);
    LEAVE_IF(m > 2, s2, area + 2, 0);
    LEAVE_IF(m > 3, s3, area + 3, 0);
    LEAVE_IF(m > 4, s4, area + 4, 0);
    LEAVE_IF(m > 5, s5, area + 5, 0);
    LEAVE_IF(m > 6, s6, area + 6, 0);
    LEAVE_IF(m > 7, s7, area + 7, 0);
}

/* w += sign * sum of slot_k v_k for m <= 8 vectors, the slots being those from the first
 * on, and w·w if area is not NONE */
KERNEL(vector_multi_axpy, u32 n, u32 m, u32 slot, double sign, IN(double) v0, IN(double) v1, IN(double) v2, IN(double) v3,
       IN(double) v4, IN(double) v5, IN(double) v6, IN(double) v7, OUT(double) w, u32 area, INOUT(double) pad)
{
    SCRATCH;
    PRIVATE(double, s);
    double a[8];
    UNROLL(8)
    for (u32 k = 0; k < 8; k++) a[k] = k < m ? sign * pad[SLOT((slot + k) % SLOTS)] : 0;
    EACH_THREAD {
        MY(s) = 0;
        for (u32 i = BLOCK * THREADS + t; i < n; i += blocks * THREADS) {
            double v = FMA(a[0], v0[i], w[i]);
            if (m > 1) v = FMA(a[1], v1[i], v);
            if (m > 2) v = FMA(a[2], v2[i], v);
            if (m > 3) v = FMA(a[3], v3[i], v);
            if (m > 4) v = FMA(a[4], v4[i], v);
            if (m > 5) v = FMA(a[5], v5[i], v);
            if (m > 6) v = FMA(a[6], v6[i], v);
            if (m > 7) v = FMA(a[7], v7[i], v);
            w[i] = v;
            MY(s) = FMA(v, v, MY(s));
        }
    }
    LEAVE_IF(area != NONE, s, area, 0);
}

/* Block k adds up the partial sums in area first + k, modulo the number of areas, into
 * slot + k. */
KERNEL(vector_totals, u32 slot, u32 first, u32 areas, u32 parts, INOUT(double) pad)
{
    SCRATCH;
    PRIVATE(double, s);
    EACH_THREAD {
        MY(s) = 0;
        UNROLL(4)
        for (u32 k = t; k < parts; k += THREADS) MY(s) += pad[AREA((first + BLOCK) % areas) + k];
    }
    BLOCK_SUM(s);
    EACH_THREAD { if (t == 0) pad[SLOT((slot + BLOCK) % SLOTS)] = s[0]; }
}

/* kept = x unless there was a fault */
KERNEL(vector_keep, u32 n, IN(double) x, OUT(double) kept, INOUT(double) pad)
{
    if (pad[FAULT] == 0) EACH_THREAD ELEMENTS(i) kept[i] = x[i];
}
