/* Vectors of norm 1 in fewer bits: the basis of GMRES, linop.Basis. A vector is cut into chunks of 1024 elements, each of
 * which is stored in one format, as a head says; elements beyond the end of the last one are zero. A chunk has room for
 * `room` bytes an element, 8 for formats that the elements decide. Eight vectors are a group, which kernels take together:
 * vector k of a group begins with chunk k * chunks. Arithmetic is that of double. */
#define CHUNK (4 * THREADS)

/* Heads: 0, all elements are dropped; or a unit, of integers of 16 bits, to which 2^15 has been added. */
#define IS_FLOAT -1.
#define IS_DOUBLE -2.

/* The narrowest format that may be taken. */
#define DROP 0u
#define INTEGER16 1u
#define SINGLE 2u

/* The least power of two whose integer multiples of 16 bits reach `most`, as packed.unit. */
FN double unit_of(double most)
{
    i32 e = exponent(most);
    if (times_power(most, 15 - e) >= 32767.5) e++;
    return times_power(1, e - 15);
}

/* The head of a chunk whose largest magnitude is `most` and whose elements may be off by theta, as packed.Rule has
 * it, but that it takes no more room: what is below the range of a format is dropped, and NaN becomes the unit. */
FN double head_of(double most, double theta, u32 narrowest, u32 room)
{
    if (most - most != 0) return room < 8 ? most - most : IS_DOUBLE;
    if (most == 0 || (narrowest == DROP && most <= theta)) return 0;
    if (narrowest <= INTEGER16 && most >= 0x1p-1000 && unit_of(most) / 2 <= theta) return unit_of(most);
    if (room < 4) return 0;
    if (narrowest <= SINGLE && most >= 0x1p-126 && most <= 0x1.fffffep127 && most * 0x1p-24 <= theta) return IS_FLOAT;
    return room < 8 ? 0 : IS_DOUBLE;
}

FN double bytes_of(double head) { return head == 0 ? 0 : head == IS_FLOAT ? 4 : head == IS_DOUBLE ? 8 : 2; }

/* The elements t, t + 256, ... of a chunk. */
FN void load_chunk(double *v, IN(u8) chunk, double head, u32 t)
{
    if (head == 0) {
        UNROLL(4)
        for (u32 j = 0; j < 4; j++) v[j] = 0;
    } else if (head == IS_FLOAT) {
        UNROLL(4)
        for (u32 j = 0; j < 4; j++) v[j] = ((IN(float))chunk)[t + j * THREADS];
    } else if (head == IS_DOUBLE) {
        UNROLL(4)
        for (u32 j = 0; j < 4; j++) v[j] = ((IN(double))chunk)[t + j * THREADS];
    } else {
        UNROLL(4)
        for (u32 j = 0; j < 4; j++) v[j] = head * (double)((i32)((IN(u16))chunk)[t + j * THREADS] - 32768);
    }
}

/* Stores v as an element of a chunk, and returns what is stored. */
FN double store_element(GLOBAL u8 *chunk, double head, u32 at, double v)
{
    if (head == 0) return 0;
    if (head == IS_DOUBLE) {
        ((GLOBAL double *)chunk)[at] = v;
        return v;
    }
    if (head == IS_FLOAT) {
        float f = (float)(FABS(v) < 0x1p-126 ? 0 : v);
        ((GLOBAL float *)chunk)[at] = f;
        return f;
    }
    if (head != head) return head;
    double k = v * DOUBLE_OF_BITS(0x7fe0000000000000ul - BITS_OF_DOUBLE(head)); /* 1 / head */
    k = k + 0x1.8p52 - 0x1.8p52; /* to nearest, ties to even */
    ((GLOBAL u16 *)chunk)[at] = (u16)((i32)k + 32768);
    return head * k;
}

#define CHUNK_AT(k) (v + (u64)((k)*chunks + c) * CHUNK * room)

/* Stores a w as vector k of a group, sets w to what is stored, and adds to tally, in each block's element, its bytes. */
KERNEL(basis_store, u32 n, u32 chunks, u32 k, u32 room, u32 narrowest, double theta, scalar a, OUT(u8) v, OUT(double) heads,
       OUT(double) w, OUT(double) tally, INOUT(double) reductions)
{
    SCRATCH;
    PRIVATE(double, most);
    double av;
    EVALUATE(av, a);
    for (u32 c = BLOCK; c < chunks; c += blocks) {
        EACH_THREAD {
            MY(most) = 0;
            UNROLL(4)
            for (u32 j = 0; j < 4; j++) {
                u32 i = c * CHUNK + j * THREADS + t;
                if (i < n) MY(most) = larger(FABS(av * w[i]), MY(most));
            }
        }
        BLOCK_MAX(most);
        const double head = head_of(most[0], theta, narrowest, room);
        EACH_THREAD {
            UNROLL(4)
            for (u32 j = 0; j < 4; j++) {
                u32 at = j * THREADS + t, i = c * CHUNK + at;
                double is = store_element(CHUNK_AT(k), head, at, i < n ? av * w[i] : 0);
                if (i < n) w[i] = is;
            }
            if (t == 0) {
                heads[k * chunks + c] = head;
                tally[BLOCK] += bytes_of(head) * LEAST(CHUNK, n - c * CHUNK);
            }
        }
    }
}

/* v_k·w for the first m vectors of a group, into the areas from the first on. */
KERNEL(basis_dot, u32 n, u32 m, u32 chunks, u32 room, IN(u8) v, IN(double) heads, IN(double) w, u32 area, INOUT(double) reductions)
{
    SCRATCH;
    PRIVATE(double, s[8]);
    EACH_THREAD {
        UNROLL(8)
        for (u32 k = 0; k < 8; k++) MY(s[k]) = 0;
        for (u32 c = BLOCK; c < chunks; c += blocks) {
            double ws[4], head[8];
            UNROLL(4)
            for (u32 j = 0; j < 4; j++) ws[j] = w[LEAST(c * CHUNK + j * THREADS + t, n - 1)];
            UNROLL(8)
            for (u32 k = 0; k < 8; k++) head[k] = heads[LEAST(k, m - 1) * chunks + c];
            UNROLL(8)
            for (u32 k = 0; k < 8; k++)
                if (k < m) {
                    double vs[4];
                    load_chunk(vs, CHUNK_AT(k), head[k], t);
                    UNROLL(4)
                    for (u32 j = 0; j < 4; j++) MY(s[k]) = FMA(vs[j], ws[j], MY(s[k]));
                }
        }
    }
    UNROLL(8)
    for (u32 k = 0; k < 8; k++) LEAVE_IF(k < m, s[k], area + k, BLOCK);
}

/* w += sign * sum of cell_k v_k for the first m vectors of a group, the cells being those from the first on, and w·w if
 * area is not NONE. */
KERNEL(basis_axpy, u32 n, u32 m, u32 cell, double sign, u32 chunks, u32 room, IN(u8) v, IN(double) heads, OUT(double) w,
       u32 area, INOUT(double) reductions)
{
    SCRATCH;
    PRIVATE(double, s);
    double a[8];
    UNROLL(8)
    for (u32 k = 0; k < 8; k++) a[k] = k < m ? sign * reductions[CELL((cell + k) % CELLS)] : 0;
    EACH_THREAD {
        MY(s) = 0;
        for (u32 c = BLOCK; c < chunks; c += blocks) {
            double ws[4];
            UNROLL(4)
            for (u32 j = 0; j < 4; j++) {
                u32 i = c * CHUNK + j * THREADS + t;
                ws[j] = i < n ? w[i] : 0;
            }
            UNROLL(8)
            for (u32 k = 0; k < 8; k++)
                if (k < m) {
                    double vs[4];
                    load_chunk(vs, CHUNK_AT(k), heads[k * chunks + c], t);
                    UNROLL(4)
                    for (u32 j = 0; j < 4; j++) ws[j] = FMA(a[k], vs[j], ws[j]);
                }
            UNROLL(4)
            for (u32 j = 0; j < 4; j++) {
                u32 i = c * CHUNK + j * THREADS + t;
                if (i < n) {
                    w[i] = ws[j];
                    MY(s) = FMA(ws[j], ws[j], MY(s));
                }
            }
        }
    }
    LEAVE_IF(area != NONE, s, area, BLOCK);
}
