// Slots of single elements times several vectors; see MulSlotsMulti.
#include "multi.h"

#define K 2
#include "slotsmulti.h"
#undef K
#define K 4
#include "slotsmulti.h"
#undef K
#define K 8
#include "slotsmulti.h"

KERNEL(slotsMulti2, const struct slot_call *c, struct multi_work *s) { multiply2(c, s); }
KERNEL(slotsMulti4, const struct slot_call *c, struct multi_work *s) { multiply4(c, s); }
KERNEL(slotsMulti8, const struct slot_call *c, struct multi_work *s) { multiply8(c, s); }
