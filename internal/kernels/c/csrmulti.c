// Rows of compressed sparse row storage times several vectors; see CSRMulMulti. For each vector, products are
// rounded, element k of a row is added to sum k mod 4, and the sums are added as (s0 + s1) + (s2 + s3).
#include "multi.h"

// csr_multi_call is csrMultiCall of Go.
struct csr_multi_call {
	double *dst;
	i64 n;
	const i64 *row_ptr;
	const i32 *col;
	const void *val;
	const double *x;
	i64 elements; // number of elements of col and val
};

// Distances of prefetching, in elements: of the matrix, and of their numbers of x.
enum { FAR = 640, AHEAD = 24 };

INLINE double value(const struct csr_multi_call *c, i64 p, int single) {
	return single ? ((const float *)c->val)[p] : ((const double *)c->val)[p];
}

#define K 2
#include "csrmulti.h"
#undef K
#define K 4
#include "csrmulti.h"
#undef K
#define K 8
#include "csrmulti.h"

KERNEL(csr64Multi2, const struct csr_multi_call *c) { multiply2(c, 0); }
KERNEL(csr64Multi4, const struct csr_multi_call *c) { multiply4(c, 0); }
KERNEL(csr64Multi8, const struct csr_multi_call *c) { multiply8(c, 0); }
KERNEL(csr32Multi2, const struct csr_multi_call *c) { multiply2(c, 1); }
KERNEL(csr32Multi4, const struct csr_multi_call *c) { multiply4(c, 1); }
KERNEL(csr32Multi8, const struct csr_multi_call *c) { multiply8(c, 1); }
