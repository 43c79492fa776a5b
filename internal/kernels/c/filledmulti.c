// SELL-8 and BCRS4x1 times several vectors; see SELL8MulMulti and BCRSMulMulti. For each vector, even and odd slots
// of a row have separate sums, as in sell8.c and bcrs.c.
#include "multi.h"

#if WIDTH == 4 // like the products with one vector
enum { ROWS = 4 };

// filled_multi_call is filledMultiCall of Go.
struct filled_multi_call {
	double *dst;
	i64 rows;
	const i64 *start; // slot of each chunk
	const i32 *col;
	const double *val;
	const double *x;
};

#define K 2
#include "filledmulti.h"
#undef K
#define K 4
#include "filledmulti.h"
#undef K
#define K 8
#include "filledmulti.h"

// Chunks of eight rows with separate columns, and of four rows that share a column.
KERNEL(sell8Multi2, const struct filled_multi_call *c) { multiply2(c, 8, 8); }
KERNEL(sell8Multi4, const struct filled_multi_call *c) { multiply4(c, 8, 8); }
KERNEL(sell8Multi8, const struct filled_multi_call *c) { multiply8(c, 8, 8); }
KERNEL(bcrsMulti2, const struct filled_multi_call *c) { multiply2(c, 4, 1); }
KERNEL(bcrsMulti4, const struct filled_multi_call *c) { multiply4(c, 4, 1); }
KERNEL(bcrsMulti8, const struct filled_multi_call *c) { multiply8(c, 4, 1); }
#endif
