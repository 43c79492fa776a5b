// W is the number of vectors that are in one register, or two; VEC such a register.
#undef W
#if K < WIDEST
#define W K
#else
#define W WIDEST
#endif

// splat is v in each lane.
INLINE VEC FN(splat)(double v) { return v - (VEC){}; } // exactly
