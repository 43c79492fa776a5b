/*
 * The dialect that the kernels are written in: C with the macros of this page. One
 * text compiles as CUDA and HIP (clang alone, no vendor's headers), as OpenCL C 1.2,
 * and as C for the host, which runs the threads of a block one after the other. All of
 * them give the same bits: every rounding is written down (FMA where one is meant,
 * nothing contracted), and every sum has a fixed order.
 *
 *   KERNEL(vector_dot, u32 n, IN(double) x, IN(double) y, u32 area, INOUT(double) reductions)
 *   {
 *       SCRATCH;                                  shared memory for the sums below
 *       PRIVATE(double, s);                       a variable of each thread
 *       EACH_THREAD {                             what thread t does, 0 <= t < THREADS
 *           MY(s) = 0;
 *           for (u32 i = BLOCK * THREADS + t; i < n; i += blocks * THREADS)
 *               MY(s) = FMA(x[i], y[i], MY(s));
 *       }
 *       BLOCK_SUM(s);                             s[0] is the sum over the block's threads
 *       EACH_THREAD { if (t == 0) reductions[AREA(area) + BLOCK] = s[0]; }
 *   }
 *
 * A kernel is a sequence of phases. Within EACH_THREAD threads do not see each other;
 * between two of them stands a sum, a maximum or SYNC, at which all threads of the block
 * meet, so these stand outside of EACH_THREAD, and under conditions and in loops that
 * are the same for all threads of the block. On a device EACH_THREAD is the one thread
 * that runs, on the host a loop over all 256. What is declared outside of EACH_THREAD
 * without PRIVATE has one value for the block.
 *
 *   blocks, BLOCK     number of blocks, the first argument of every kernel, and which
 *   EACH_PART         { ... }: what block `part` does of the blocks. Fewer may run, GRID of them, as
 *                     many as the device has room for; each does part BLOCK, BLOCK + GRID, ...
 *   THREADS, WARP     256 threads a block, and 32 neighbours, on every device
 *   IN OUT INOUT(T)   pointers to device memory that is read, written, both; two that
 *                     are not both IN never overlap, but for INOUT(double) reductions
 *   LOCAL(T, a, n)    an array that the threads of a block share
 *   BLOCK_SUM(s)      s[0] = sum of MY(s) over the block, the same for all threads:
 *                     neighbours 16, 8, 4, 2, 1 apart, then warps 4, 2, 1 apart
 *   BLOCK_MAX(s)      the same with the larger of two; NaN wins
 *   WARP_SUM(s, l)    the sum over each MY(l) neighbouring threads, a power of two that
 *                     is the same within a warp, in the first of them
 *   WARP_SUMS(B, s, l)  WARP_SUM of each s[0] ... s[B-1], made by PRIVATE(double, s[B])
 *   WARP_SUM2(h, l, n)  the same of numbers h + l in double-double, n threads each
 *   SCRATCH           first in a kernel that sums: what the sums need
 *   WHERE(c)          if (c), around sums; see the end of this file
 *   UNROLL(n)         before a loop: so many rounds at a time
 *   FN                before a function that kernels call: it becomes part of them
 *   PREFETCH(p)       the 32 bytes at p are wanted soon, where devices can be told
 *   FMA SQRT FABS     of double
 *   LEADING_ZEROS(u)  of a u64 that is not 0: those above its first bit
 *   u8 ... u64, i32   integers of so many bits; ..._OF_BITS, BITS_OF_...: bits as they are
 *   double_of_words(h, l)    the double whose high and low 32 bits these are
 *   words_of_double(d, h, l) *h and *l, those of d
 *   funnel(l, h, n)   32 bits of the 64 of h and l, from bit n mod 32 on
 *
 * reductions and AREA, where sums wait for the kernel that needs them: see scalar.h.
 * Declarations of kernels are read by tools/gpugen, which writes what launches them
 * from Go and what the host's build of them is called through; types of arguments are
 * u32, i32, double, scalar (scalar.h) and the pointers. A macro NAME_ARGUMENTS stands for
 * arguments that several kernels have at their end.
 */
#define THREADS 256u
#define WARP 32u
/* Blocks that NVIDIA's multiprocessors have room for: 64 K registers are for so many. */
#define RESIDENT 4

#if defined(__OPENCL_C_VERSION__)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
typedef uchar u8;
typedef ushort u16;
typedef uint u32;
typedef int i32;
typedef ulong u64;
typedef long i64;
#define GLOBAL __global
#define RESTRICT restrict
#define FN static
#define ENTRY __kernel __attribute__((reqd_work_group_size(256, 1, 1)))
#define LOCAL(T, a, n) __local T a[n]
#define THREAD_INDEX ((u32)get_local_id(0))
#define BLOCK ((u32)get_group_id(0))
#define GRID ((u32)get_num_groups(0))
#define SYNC barrier(CLK_LOCAL_MEM_FENCE)
#define FMA(a, b, c) fma(a, b, c)
#define SQRT(a) sqrt(a)
#define FABS(a) fabs(a)
#define LEADING_ZEROS(u) ((u32)clz(u))
#define BITS_OF_DOUBLE(d) as_ulong(d)
#define DOUBLE_OF_BITS(u) as_double(u)
#define FLOAT_OF_BITS(u) as_float(u)
#define BITS_OF_FLOAT(f) as_uint(f)
#define UNROLL(n)
#define PREFETCH(p) ((void)0)

#elif defined(__CUDA_ARCH__) || defined(__HIP__)
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;
#define GLOBAL
#define RESTRICT __restrict__
#define FN static __attribute__((device)) inline __attribute__((always_inline))
#define LOCAL(T, a, n) static __attribute__((shared)) T a[n]
#define FMA(a, b, c) __builtin_fma(a, b, c)
#define SQRT(a) __builtin_sqrt(a)
#define FABS(a) __builtin_fabs(a)
#define LEADING_ZEROS(u) ((u32)__builtin_clzll(u))
#define BITS_OF_DOUBLE(d) __builtin_bit_cast(u64, d)
#define DOUBLE_OF_BITS(u) __builtin_bit_cast(double, u)
#define FLOAT_OF_BITS(u) __builtin_bit_cast(float, u)
#define BITS_OF_FLOAT(f) __builtin_bit_cast(u32, f)
#define PRAGMA(p) _Pragma(#p)
#define UNROLL(n) PRAGMA(unroll n)
#if defined(__HIP__)
#ifdef __gfx908__
#define WAVES 2 // of 128 registers: half of what later ones have
#else
#define WAVES 4
#endif
#define ENTRY \
    extern "C" __attribute__((global, amdgpu_flat_work_group_size(256, 256), amdgpu_waves_per_eu(WAVES)))
#define PREFETCH(p) ((void)0)
#define THREAD_INDEX ((u32)__builtin_amdgcn_workitem_id_x())
#define BLOCK ((u32)__builtin_amdgcn_workgroup_id_x())
#define GRID (__builtin_amdgcn_grid_size_x() / THREADS)
#define SYNC                                                                               \
    (__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"), __builtin_amdgcn_s_barrier(), \
     __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"))
/* The lane of a wave of 32 or 64; partners are less than 32 apart. */
#define LANE ((u32)__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)))
#define SHUFFLE32(v, apart) ((u32)__builtin_amdgcn_ds_bpermute((int)((LANE ^ (apart)) << 2), (int)(v)))
FN u32 funnel(u32 low, u32 high, u32 n) { return __builtin_amdgcn_alignbit(high, low, n); }
#else
#define WORDS_IN_ASSEMBLY
FN u32 funnel(u32 low, u32 high, u32 n)
{
    u32 v;
    __asm__("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(v) : "r"(low), "r"(high), "r"(n));
    return v;
}
FN double double_of_words(u32 high, u32 low)
{
    double d;
    __asm__("mov.b64 %0, {%1, %2};" : "=d"(d) : "r"(low), "r"(high));
    return d;
}
FN void words_of_double(double d, u32 *high, u32 *low)
{
    __asm__("mov.b64 {%0, %1}, %2;" : "=r"(*low), "=r"(*high) : "d"(d));
}
#define ENTRY extern "C" __attribute__((global)) __attribute__((launch_bounds(256, RESIDENT)))
/* What is prefetched, LLVM no longer loads as read-only (.nc), which is no slower. */
#define PREFETCH(p) __asm__ volatile("prefetch.L2 [%0];" : : "l"(p))
#define THREAD_INDEX ((u32)__nvvm_read_ptx_sreg_tid_x())
#define BLOCK ((u32)__nvvm_read_ptx_sreg_ctaid_x())
#define GRID ((u32)__nvvm_read_ptx_sreg_nctaid_x())
#define SYNC __syncthreads()
#define SHUFFLE32(v, apart) ((u32)__nvvm_shfl_sync_bfly_i32(~0u, (int)(v), (int)(apart), 31))
#endif

#else /* the host, in ISO C: gcc contracts nothing then */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif
#include <stdint.h>
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef int64_t i64;
#define HOST 1
#define GLOBAL
#define RESTRICT restrict
#define FN static inline __attribute__((unused))
#define LOCAL(T, a, n) T a[n]
#define BLOCK block_
#define GRID grid_
#define SYNC ((void)0)
#define FMA(a, b, c) __builtin_fma(a, b, c)
#define SQRT(a) __builtin_sqrt(a)
#define FABS(a) __builtin_fabs(a)
#define LEADING_ZEROS(u) ((u32)__builtin_clzll(u))
FN u64 bits_of_double(double d) { union { double d; u64 u; } a = {d}; return a.u; }
FN double double_of_bits(u64 u) { union { u64 u; double d; } a = {u}; return a.d; }
FN float float_of_bits(u32 u) { union { u32 u; float f; } a = {u}; return a.f; }
FN u32 bits_of_float(float f) { union { float f; u32 u; } a = {f}; return a.u; }
#define BITS_OF_DOUBLE(d) bits_of_double(d)
#define DOUBLE_OF_BITS(u) double_of_bits(u)
#define FLOAT_OF_BITS(u) float_of_bits(u)
#define BITS_OF_FLOAT(f) bits_of_float(f)
#define UNROLL(n)
#define PREFETCH(p) ((void)0)
#endif

#if !defined(WORDS_IN_ASSEMBLY)
FN double double_of_words(u32 high, u32 low) { return DOUBLE_OF_BITS((u64)high << 32 | low); }
FN void words_of_double(double d, u32 *high, u32 *low)
{
    u64 bits = BITS_OF_DOUBLE(d);
    *high = (u32)(bits >> 32);
    *low = (u32)bits;
}
#if !defined(__HIP__)
FN u32 funnel(u32 low, u32 high, u32 n) { return (u32)(((u64)high << 32 | low) >> (n & 31)); }
#endif
#endif

/* Two words next to each other, the first at an even place, which are loaded together. */
typedef struct __attribute__((aligned(8))) { u32 first, second; } words2;

#define EACH_PART for (u32 part = BLOCK; part < blocks; part += GRID)

#define LEAST(a, b) ((a) < (b) ? (a) : (b))

#define IN(T) GLOBAL const T *RESTRICT
#define OUT(T) GLOBAL T *RESTRICT
#define INOUT(T) GLOBAL T *

/* The larger of two, NaN if either is. */
FN double larger(double a, double b) { return a > b || a != a ? a : b; }

/* *h + *l += hi + lo in double-double, as DD.Add in internal/dd. */
FN void add_twofold(double *h, double *l, double hi, double lo)
{
    double s = *h + hi, z = s - *h, e = (*h - (s - z)) + (hi - z);
    double r = *l + lo, y = r - *l, f = (*l - (r - y)) + (lo - y);
    double v = s + (e + r), rest = (e + r) - (v - s) + f;
    *h = v + rest;
    *l = rest - (*h - v);
}

#if defined(HOST)
#define KERNEL(name, ...) static void name(const u32 block_, const u32 grid_, const u32 blocks, __VA_ARGS__)
#define EACH_THREAD for (u32 t = 0; t < THREADS; t++)
#define PRIVATE(T, v) T v[THREADS]
#define MY(v) v[t]
#define SCRATCH ((void)0)
#define BLOCK_SUM(s) block_sum(s)
#define BLOCK_MAX(s) block_max(s)
#define WARP_SUM(s, l) warp_sum(s, l)
#define WARP_SUMS(B, s, l) for (u32 r = 0; r < B; r++) warp_sum(s[r], l)
#define WARP_SUM2(h, l, n) warp_sum2(h, l, n)
FN void warp_sum(double *s, const u32 *lanes)
{
    for (u32 w = 0; w < THREADS; w += WARP)
        for (u32 m = lanes[w] / 2; m; m /= 2)
            for (u32 g = w; g < w + WARP; g += lanes[w])
                for (u32 t = g; t < g + m; t++) s[t] += s[t + m];
}
FN void warp_sum2(double *h, double *l, const u32 *lanes)
{
    for (u32 w = 0; w < THREADS; w += WARP)
        for (u32 m = lanes[w] / 2; m; m /= 2)
            for (u32 g = w; g < w + WARP; g += lanes[w])
                for (u32 t = g; t < g + m; t++) add_twofold(&h[t], &l[t], h[t + m], l[t + m]);
}
#define BLOCK_TREE(name, join)                                          \
    FN void name(double *s)                                             \
    {                                                                   \
        for (u32 w = 0; w < THREADS; w += WARP)                         \
            for (u32 m = WARP / 2; m; m /= 2)                           \
                for (u32 t = w; t < w + m; t++) s[t] = join(s[t], s[t + m]); \
        for (u32 m = THREADS / 2; m >= WARP; m /= 2)                    \
            for (u32 t = 0; t < m; t += WARP) s[t] = join(s[t], s[t + m]); \
    }

#else /* devices */
#define KERNEL(name, ...) ENTRY void name(const u32 blocks, __VA_ARGS__)
#define EACH_THREAD for (u32 t = THREAD_INDEX, once = 1; once; once = 0)
#define PRIVATE(T, v) T v[1]
#define MY(v) v[0]
#define BLOCK_SUM(s) s[0] = block_sum(s[0], scratch)
#define BLOCK_MAX(s) s[0] = block_max(s[0], scratch)

#if defined(SHUFFLE32)
#define SCRATCH LOCAL(double, scratch, THREADS / WARP)
#define WARP_SUM(s, l) s[0] = warp_sum(s[0], l[0])
#define WARP_SUMS(B, s, l)                                                            \
    for (u32 m = l[0] / 2; m; m /= 2) {                                               \
        UNROLL(B)                                                                     \
        for (u32 r = 0; r < B; r++) MY(s[r]) += shuffle(MY(s[r]), m);                 \
    }
#define WARP_SUM2(h, l, n) warp_sum2(h, l, n[0])
FN double shuffle(double s, u32 apart)
{
    u32 high, low;
    words_of_double(s, &high, &low);
    return double_of_words(SHUFFLE32(high, apart), SHUFFLE32(low, apart));
}
FN double warp_sum(double s, u32 lanes)
{
    for (u32 m = lanes / 2; m; m /= 2) s += shuffle(s, m);
    return s;
}
FN void warp_sum2(double *h, double *l, u32 lanes)
{
    for (u32 m = lanes / 2; m; m /= 2) {
        double hi = shuffle(*h, m), lo = shuffle(*l, m);
        add_twofold(h, l, hi, lo);
    }
}
#define BLOCK_TREE(name, join)                                            \
    FN double name(double s, double *scratch)                             \
    {                                                                     \
        for (u32 m = WARP / 2; m; m /= 2) s = join(s, shuffle(s, m));     \
        if (THREAD_INDEX % WARP == 0) scratch[THREAD_INDEX / WARP] = s;   \
        SYNC;                                                             \
        s = scratch[THREAD_INDEX % (THREADS / WARP)];                     \
        SYNC;                                                             \
        for (u32 m = THREADS / WARP / 2; m; m /= 2) s = join(s, shuffle(s, m)); \
        return s;                                                         \
    }

#else /* without shuffles: through shared memory */
#define SCRATCH LOCAL(double, scratch, THREADS)
#define WARP_SUM(s, l) s[0] = warp_sum(s[0], l[0], scratch)
#define WARP_SUMS(B, s, l) for (u32 r = 0; r < B; r++) s[r][0] = warp_sum(s[r][0], l[0], scratch)
#define WARP_SUM2(h, l, n) warp_sum2(h, l, n[0], scratch)
FN double apart(double s, u32 m, __local double *scratch)
{
    scratch[THREAD_INDEX] = s;
    SYNC;
    s = scratch[THREAD_INDEX ^ m];
    SYNC;
    return s;
}
FN double warp_sum(double s, u32 lanes, __local double *scratch)
{
    for (u32 m = WARP / 2; m; m /= 2) {
        double other = apart(s, m, scratch);
        if (m < lanes) s += other;
    }
    return s;
}
FN void warp_sum2(double *h, double *l, u32 lanes, __local double *scratch)
{
    for (u32 m = WARP / 2; m; m /= 2) {
        double hi = apart(*h, m, scratch), lo = apart(*l, m, scratch);
        if (m < lanes) add_twofold(h, l, hi, lo);
    }
}
#define BLOCK_TREE(name, join)                                            \
    FN double name(double s, __local double *scratch)                     \
    {                                                                     \
        for (u32 m = WARP / 2; m; m /= 2) s = join(s, apart(s, m, scratch)); \
        for (u32 m = THREADS / 2; m >= WARP; m /= 2) s = join(s, apart(s, m, scratch)); \
        return s;                                                         \
    }
#endif
#endif

/* WHERE(c): if (c), before phases whose results are looked at only if c. OpenCL goes through
 * them in any case: compilers for processors copy all that follows a barrier under a
 * condition, and what follows ten of them a thousand times. */
#if defined(HOST) || defined(SHUFFLE32)
#define WHERE(c) if (c)
#else
#define WHERE(c)
#endif

FN double sum_of(double a, double b) { return a + b; }
BLOCK_TREE(block_sum, sum_of)
BLOCK_TREE(block_max, larger)
