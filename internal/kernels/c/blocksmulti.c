// Slots of b x b blocks, b = 2 to 6, times several vectors; see MulSlotsMulti.
#include "multi.h"

#define K 2
#include "blockslanes.h"
#undef K
#define K 4
#include "blocksmulti.h"
#undef K
#define K 8
#include "blocksmulti.h"

KERNEL(blocks2Multi2, const struct slot_call *c, struct multi_work *s) { multiply2(c, s, 2); }
KERNEL(blocks2Multi4, const struct slot_call *c, struct multi_work *s) { multiply4(c, s, 2); }
KERNEL(blocks2Multi8, const struct slot_call *c, struct multi_work *s) { multiply8(c, s, 2); }
KERNEL(blocks3Multi2, const struct slot_call *c, struct multi_work *s) { multiply2(c, s, 3); }
KERNEL(blocks3Multi4, const struct slot_call *c, struct multi_work *s) { multiply4(c, s, 3); }
KERNEL(blocks3Multi8, const struct slot_call *c, struct multi_work *s) { multiply8(c, s, 3); }
KERNEL(blocks4Multi2, const struct slot_call *c, struct multi_work *s) { multiply2(c, s, 4); }
KERNEL(blocks4Multi4, const struct slot_call *c, struct multi_work *s) { multiply4(c, s, 4); }
KERNEL(blocks4Multi8, const struct slot_call *c, struct multi_work *s) { multiply8(c, s, 4); }
KERNEL(blocks5Multi2, const struct slot_call *c, struct multi_work *s) { multiply2(c, s, 5); }
KERNEL(blocks5Multi4, const struct slot_call *c, struct multi_work *s) { multiply4(c, s, 5); }
KERNEL(blocks5Multi8, const struct slot_call *c, struct multi_work *s) { multiply8(c, s, 5); }
KERNEL(blocks6Multi2, const struct slot_call *c, struct multi_work *s) { multiply2(c, s, 6); }
KERNEL(blocks6Multi4, const struct slot_call *c, struct multi_work *s) { multiply4(c, s, 6); }
KERNEL(blocks6Multi8, const struct slot_call *c, struct multi_work *s) { multiply8(c, s, 6); }
