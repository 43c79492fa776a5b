// W is the number of vectors of which a register has an element, VEC the type of the register.
#undef W
#if K < WIDTH
#define W K
#else
#define W WIDTH
#endif

// FETCH(n) is the number of prefetches for n numbers of x: one for each element, or none.
#undef FETCH
#define FETCH(n) (K == 8 ? (n) : 0)

// splat returns v in each lane.
INLINE VEC FN(splat)(double v) { return v - (VEC){}; }
