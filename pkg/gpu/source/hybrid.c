/* Products with ELL, COO, and rows that are partly in both: the first elements of each row in ELL, a
 * column at a time, what longer rows have besides in COO, sorted by rows.
 *
 * COO goes first, into a vector of sums. A block takes TILE elements, a thread EACH of them that follow
 * each other: it adds up the runs of elements of a row, one by one. A run that goes on in the parts of
 * other threads is finished by the thread where it begins, which adds the sums of the others in their
 * order; one that goes on in other tiles, by spmv_coo_carry. */
#define EACH 4u
#define TILE (EACH * THREADS)
#define PLACE(k) ((k) + (k) / EACH) /* so that threads use all banks of the memory of a block */
#define HEAD(t) p[PLACE(EACH * (t))] /* once thread t has added up its part: what begins before it */

KERNEL(spmv_coo, u32 tiles, u32 count, IN(u32) row, IN(u32) col, IN(double) val, IN(double) x, OUT(double) carry,
       OUT(double) sums)
{
    LOCAL(u32, r, TILE + THREADS);
    LOCAL(double, p, TILE + THREADS);
    PRIVATE(double, tail); /* of the last run in the thread's part */
    for (u32 tile = BLOCK; tile < tiles; tile += blocks) {
        const u32 from = tile * TILE, some = LEAST(count - from, TILE);
        const u32 before = tile > 0 ? row[from - 1] : NONE;
        EACH_THREAD {
            u32 at[EACH], c[EACH];
            double v[EACH];
            UNROLL(4)
            for (u32 j = 0; j < EACH; j++) {
                const u32 k = from + LEAST(t + j * THREADS, some - 1);
                at[j] = row[k];
                c[j] = col[k];
                v[j] = val[k];
            }
            UNROLL(4)
            for (u32 j = 0; j < EACH; j++) {
                const u32 k = t + j * THREADS;
                r[PLACE(k)] = k < some ? at[j] : NONE;
                p[PLACE(k)] = v[j] * x[c[j]];
            }
        }
        SYNC;
        EACH_THREAD {
            const u32 first = EACH * t;
            u32 i = first > 0 ? r[PLACE(first - 1)] : before;
            u32 inside = 0; /* the run began in this part */
            double s = 0, head = 0;
            for (u32 k = first; k < first + EACH; k++) {
                const u32 next = r[PLACE(k)];
                if (next != i) {
                    if (inside && i != NONE) sums[i] = s;
                    if (!inside) head = s;
                    i = next;
                    inside = 1;
                    s = 0;
                }
                s += p[PLACE(k)];
            }
            HEAD(t) = inside ? head : s;
            MY(tail) = s;
        }
        SYNC;
        EACH_THREAD {
            const u32 i = r[PLACE(EACH * t + EACH - 1)];
            const u32 prior = t > 0 ? r[PLACE(EACH * t - 1)] : before;
            const u32 begins = i != prior; /* the last run does so in this part */
            double s = begins ? MY(tail) : HEAD(t);
            if (i != NONE && (begins || t == 0)) {
                for (u32 u = t + 1; u < THREADS && r[PLACE(EACH * u)] == i; u++) {
                    s += HEAD(u);
                    if (r[PLACE(EACH * u + EACH - 1)] != i) break;
                }
                if (begins) sums[i] = s;
                else carry[tile] = s;
            }
            if (t == 0 && begins) carry[tile] = HEAD(0);
        }
        SYNC;
    }
}

/* Row k of those that go on in other tiles is row[k]; tiles cut[2 k] to cut[2 k + 1] - 1 are the others. */
KERNEL(spmv_coo_carry, u32 count, IN(u32) row, IN(u32) cut, IN(double) carry, INOUT(double) sums)
{
    EACH_THREAD {
        for (u32 k = BLOCK * THREADS + t; k < count; k += blocks * THREADS) {
            double s = sums[row[k]];
            for (u32 tile = cut[2 * k]; tile < cut[2 * k + 1]; tile++) s += carry[tile];
            sums[row[k]] = s;
        }
    }
}

/* Element k of row i is number k stride + i. sums, of COO, are added if `more` is 1. */
KERNEL(spmv_ell, u32 rows, u32 width, u32 stride, IN(u32) col, IN(double) val, u32 more, IN(double) sums, PRODUCT_ARGUMENTS)
{
    PRODUCT;
    (void)group; /* a thread has a row alone */
    EACH_PART {
        for (u32 first = part * THREADS; first < rows; first += blocks * THREADS) {
            EACH_THREAD {
                const u32 i = first + t;
                MY(y) = 0;
                if (i < rows) {
                    for (u32 k = 0; k < width; k += 4) {
                        u32 c[4];
                        double v[4], xc[4];
                        UNROLL(4)
                        for (u32 j = 0; j < 4; j++) {
                            const u32 at = LEAST(k + j, width - 1) * stride + i;
                            c[j] = col[at];
                            v[j] = val[at];
                        }
                        UNROLL(4)
                        for (u32 j = 0; j < 4; j++) xc[j] = x[c[j]];
                        UNROLL(4)
                        for (u32 j = 0; j < 4; j++)
                            if (k + j < width) MY(y) = FMA(v[j], xc[j], MY(y));
                    }
                    if (more) MY(y) += sums[i];
                    FINISH(i, MY(y));
                }
            }
        }
        LEAVE_PRODUCT;
    }
}
