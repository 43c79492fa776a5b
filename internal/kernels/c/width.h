// W is the number of vectors that are in a register, VEC such a register.
#undef W
#if K < WIDTH
#define W K
#else
#define W WIDTH
#endif

// FETCH(n) is how many of n numbers of x are worth a prefetch: a line for each element or none.
#undef FETCH
#define FETCH(n) (K == 8 ? (n) : 0)

// splat is v in each lane.
INLINE VEC FN(splat)(double v) { return v - (VEC){}; }
