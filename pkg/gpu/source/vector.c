/* Vectors of n elements: linop.Space, and what pkg/solve needs besides. Threads go
 * through the elements in steps of all threads there are. */
#define STEP (blocks * THREADS)
#define ELEMENTS(i) for (u32 i = BLOCK * THREADS + t; i < n; i += STEP)

/* The same, four at a time, so that eight or more loads are under way: LOAD declares v
 * with the four elements of `from`, and FOUR(k, j) goes through their indices k, with
 * j = 0, 1, 2, 3. Beyond the end element i is loaded again, which no other thread writes, and
 * left out by FOUR. */
#define FOURS(i) for (u32 i = BLOCK * THREADS + t; i < n; i += 4 * STEP)
#define LOAD(v, from) \
    double v[4];      \
    UNROLL(4)         \
    for (u32 j = 0; j < 4; j++) v[j] = from[i + j * STEP < n ? i + j * STEP : i]
#define FOUR(k, j) \
    UNROLL(4)      \
    for (u32 j = 0, k = i; j < 4; j++, k += STEP) if (k < n)

/* x *= a */
KERNEL(vector_scale, u32 n, scalar a, INOUT(double) x, INOUT(double) reductions)
{
    SCRATCH;
    double av;
    EVALUATE(av, a);
    EACH_THREAD FOURS(i)
    {
        LOAD(xs, x);
        FOUR(k, j) x[k] = av * xs[j];
    }
}

/* y += a x */
KERNEL(vector_axpy, u32 n, scalar a, IN(double) x, OUT(double) y, INOUT(double) reductions)
{
    SCRATCH;
    double av;
    EVALUATE(av, a);
    EACH_THREAD FOURS(i)
    {
        LOAD(xs, x);
        LOAD(ys, y);
        FOUR(k, j) y[k] = FMA(av, xs[j], ys[j]);
    }
}

/* y = x + a y */
KERNEL(vector_xpay, u32 n, IN(double) x, scalar a, OUT(double) y, INOUT(double) reductions)
{
    SCRATCH;
    double av;
    EVALUATE(av, a);
    EACH_THREAD FOURS(i)
    {
        LOAD(xs, x);
        LOAD(ys, y);
        FOUR(k, j) y[k] = FMA(av, ys[j], xs[j]);
    }
}

/* y = a w x, elementwise */
KERNEL(vector_mul, u32 n, scalar a, IN(double) w, IN(double) x, OUT(double) y, INOUT(double) reductions)
{
    SCRATCH;
    double av;
    EVALUATE(av, a);
    EACH_THREAD FOURS(i)
    {
        LOAD(ws, w);
        LOAD(xs, x);
        FOUR(k, j) y[k] = av * (ws[j] * xs[j]);
    }
}

/* x·y; x may be y */
KERNEL(vector_dot, u32 n, IN(double) x, IN(double) y, u32 area, INOUT(double) reductions)
{
    SCRATCH;
    PRIVATE(double, s);
    EACH_THREAD {
        MY(s) = 0;
        FOURS(i)
        {
            LOAD(xs, x);
            LOAD(ys, y);
            FOUR(k, j) MY(s) = FMA(xs[j], ys[j], MY(s));
        }
    }
    LEAVE(s, area);
}

/* y += a x, and y·z, or y·y if own is 1; z is not y */
KERNEL(vector_axpy_dot, u32 n, scalar a, IN(double) x, OUT(double) y, u32 own, IN(double) z, u32 area, INOUT(double) reductions)
{
    SCRATCH;
    PRIVATE(double, s);
    double av;
    EVALUATE(av, a);
    EACH_THREAD {
        MY(s) = 0;
        FOURS(i)
        {
            LOAD(xs, x);
            LOAD(ys, y);
            LOAD(zs, z);
            FOUR(k, j)
            {
                double v = FMA(av, xs[j], ys[j]);
                y[k] = v;
                MY(s) = FMA(v, own ? v : zs[j], MY(s));
            }
        }
    }
    LEAVE(s, area);
}

/* x += a p, r -= a q, and r·r: a step of CG */
KERNEL(vector_step, u32 n, scalar a, IN(double) p, OUT(double) x, IN(double) q, OUT(double) r, u32 area, INOUT(double) reductions)
{
    SCRATCH;
    PRIVATE(double, s);
    double av;
    EVALUATE(av, a);
    EACH_THREAD {
        MY(s) = 0;
        FOURS(i)
        {
            LOAD(ps, p);
            LOAD(xs, x);
            LOAD(qs, q);
            LOAD(rs, r);
            FOUR(k, j)
            {
                double v = FMA(-av, qs[j], rs[j]);
                x[k] = FMA(av, ps[j], xs[j]);
                r[k] = v;
                MY(s) = FMA(v, v, MY(s));
            }
        }
    }
    LEAVE(s, area);
}

/* x += a p + o s, r = s - o q, r·r and r·w: the second half of a step of BiCGStab, where
 * s, the residual of the first half, is r if own is 1, and then that argument another vector */
KERNEL(vector_double_step, u32 n, scalar a, IN(double) p, scalar o, u32 own, IN(double) s, OUT(double) x,
       IN(double) q, OUT(double) r, IN(double) w, u32 area, u32 area2, INOUT(double) reductions)
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
            double h = r[i], si = s[i], pi = p[i], xi = x[i], qi = q[i], wi = w[i];
            double v = FMA(-ov, qi, h);
            x[i] = FMA(ov, own ? h : si, FMA(av, pi, xi));
            r[i] = v;
            MY(rr) = FMA(v, v, MY(rr));
            MY(rw) = FMA(v, wi, MY(rw));
        }
    }
    LEAVE(rr, area);
    LEAVE(rw, area2);
}

/* p = r + b (p - o q): the next direction of BiCGStab */
KERNEL(vector_direction, u32 n, IN(double) r, scalar b, scalar o, IN(double) q, OUT(double) p, INOUT(double) reductions)
{
    SCRATCH;
    double bv, ov;
    EVALUATE(bv, b);
    EVALUATE(ov, o);
    EACH_THREAD FOURS(i)
    {
        LOAD(rs, r);
        LOAD(qs, q);
        LOAD(ps, p);
        FOUR(k, j) p[k] = FMA(bv, FMA(-ov, qs[j], ps[j]), rs[j]);
    }
}

/* v_k·w for m <= 8 vectors, into the areas from the first on; the others are to be one of
 * them, and are loaded for nothing: loads under conditions would wait for each other */
KERNEL(vector_multi_dot, u32 n, u32 m, IN(double) v0, IN(double) v1, IN(double) v2, IN(double) v3, IN(double) v4,
       IN(double) v5, IN(double) v6, IN(double) v7, IN(double) w, u32 area, INOUT(double) reductions)
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
        ELEMENTS(i)
        {
            double wi = w[i];
            MY(s0) = FMA(v0[i], wi, MY(s0));
            MY(s1) = FMA(v1[i], wi, MY(s1));
            MY(s2) = FMA(v2[i], wi, MY(s2));
            MY(s3) = FMA(v3[i], wi, MY(s3));
            MY(s4) = FMA(v4[i], wi, MY(s4));
            MY(s5) = FMA(v5[i], wi, MY(s5));
            MY(s6) = FMA(v6[i], wi, MY(s6));
            MY(s7) = FMA(v7[i], wi, MY(s7));
        }
    }
    LEAVE(s0, area);
    LEAVE_IF(m > 1, s1, area + 1, BLOCK);
    LEAVE_IF(m > 2, s2, area + 2, BLOCK);
    LEAVE_IF(m > 3, s3, area + 3, BLOCK);
    LEAVE_IF(m > 4, s4, area + 4, BLOCK);
    LEAVE_IF(m > 5, s5, area + 5, BLOCK);
    LEAVE_IF(m > 6, s6, area + 6, BLOCK);
    LEAVE_IF(m > 7, s7, area + 7, BLOCK);
}

/* w += sign * sum of slot_k v_k for m <= 8 vectors, the cells being those from the first
 * on, and w·w if area is not NONE */
KERNEL(vector_multi_axpy, u32 n, u32 m, u32 cell, double sign, IN(double) v0, IN(double) v1, IN(double) v2, IN(double) v3,
       IN(double) v4, IN(double) v5, IN(double) v6, IN(double) v7, OUT(double) w, u32 area, INOUT(double) reductions)
{
    SCRATCH;
    PRIVATE(double, s);
    double a[8];
    UNROLL(8)
    for (u32 k = 0; k < 8; k++) a[k] = k < m ? sign * reductions[CELL((cell + k) % CELLS)] : 0;
    EACH_THREAD {
        MY(s) = 0;
        ELEMENTS(i)
        {
            double vs[8] = {v0[i], v1[i], v2[i], v3[i], v4[i], v5[i], v6[i], v7[i]};
            double v = w[i];
            UNROLL(8)
            for (u32 k = 0; k < 8; k++) v = k < m ? FMA(a[k], vs[k], v) : v;
            w[i] = v;
            MY(s) = FMA(v, v, MY(s));
        }
    }
    LEAVE_IF(area != NONE, s, area, BLOCK);
}

/* Block k adds up the partial sums in area first + k into cell + k. */
KERNEL(vector_totals, u32 cell, u32 first, u32 parts, INOUT(double) reductions)
{
    SCRATCH;
    PRIVATE(double, s);
    EACH_THREAD { MY(s) = added_parts(reductions + AREA(first + BLOCK), parts, t); }
    BLOCK_SUM(s);
    EACH_THREAD { if (t == 0) reductions[CELL((cell + BLOCK) % CELLS)] = s[0]; }
}

/* kept = x unless there was a fault */
KERNEL(vector_keep, u32 n, IN(double) x, OUT(double) kept, INOUT(double) reductions)
{
    if (reductions[FAULT] == 0) EACH_THREAD ELEMENTS(i) kept[i] = x[i];
}

/* out_k = x[at_k] */
KERNEL(vector_gather, u32 n, IN(u32) at, IN(double) x, OUT(double) out)
{
    EACH_THREAD ELEMENTS(k) out[k] = x[at[k]];
}
