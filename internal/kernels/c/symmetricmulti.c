// Slots of b x b blocks of the lower triangle of a symmetric matrix times several vectors; see
// MulSymmetricMulti.
#include "multi.h"

#define K 2
#include "symmetricmulti.h"
#undef K
#define K 4
#include "symmetricmulti.h"
#undef K
#define K 8
#include "symmetricmulti.h"

KERNEL(symmetric2Multi2, const struct symmetric_call *c, struct multi_work *s) { multiply2(c, s, 2); }
KERNEL(symmetric2Multi4, const struct symmetric_call *c, struct multi_work *s) { multiply4(c, s, 2); }
KERNEL(symmetric2Multi8, const struct symmetric_call *c, struct multi_work *s) { multiply8(c, s, 2); }
KERNEL(symmetric3Multi2, const struct symmetric_call *c, struct multi_work *s) { multiply2(c, s, 3); }
KERNEL(symmetric3Multi4, const struct symmetric_call *c, struct multi_work *s) { multiply4(c, s, 3); }
KERNEL(symmetric3Multi8, const struct symmetric_call *c, struct multi_work *s) { multiply8(c, s, 3); }
KERNEL(symmetric4Multi2, const struct symmetric_call *c, struct multi_work *s) { multiply2(c, s, 4); }
KERNEL(symmetric4Multi4, const struct symmetric_call *c, struct multi_work *s) { multiply4(c, s, 4); }
KERNEL(symmetric4Multi8, const struct symmetric_call *c, struct multi_work *s) { multiply8(c, s, 4); }
KERNEL(symmetric5Multi2, const struct symmetric_call *c, struct multi_work *s) { multiply2(c, s, 5); }
KERNEL(symmetric5Multi4, const struct symmetric_call *c, struct multi_work *s) { multiply4(c, s, 5); }
KERNEL(symmetric5Multi8, const struct symmetric_call *c, struct multi_work *s) { multiply8(c, s, 5); }
KERNEL(symmetric6Multi2, const struct symmetric_call *c, struct multi_work *s) { multiply2(c, s, 6); }
KERNEL(symmetric6Multi4, const struct symmetric_call *c, struct multi_work *s) { multiply4(c, s, 6); }
KERNEL(symmetric6Multi8, const struct symmetric_call *c, struct multi_work *s) { multiply8(c, s, 6); }
