package adaptive

// Rows of very different lengths with columns all over x: FP64 CSR waits at the end of each row,
// whose length the processor guesses wrong, and slots with 16-bit columns fill few lanes, since a row has
// an element or two in each range of 2^16 columns. With 24-bit columns and the rows of a panel sorted by
// length, SELL-C-sigma [Kreutzer14] with C = 8 and sigma the rows of a panel, all lanes are filled
// and the loads of x of many slots are under way at once.

// sellCost has the misses of slots with 24-bit columns, which wait less than the misses of other layouts.
func (s *sample) sellCost(b *builder, e estimate) cost {
	c := e.cost
	c.work[farMissWork], c.work[missWork] = c.work[missWork], 0
	return c
}
