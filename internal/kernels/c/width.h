// W is the number of vectors that are in a register, VEC such a register.
#undef W
#if K < WIDTH
#define W K
#else
#define W WIDTH
#endif

// splat is v in each lane.
INLINE VEC FN(splat)(double v) { return v - (VEC){}; }
