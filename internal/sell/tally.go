package sell

// Tally counts slots, their bytes and elements.
type Tally struct {
	Bytes      [MaxWidth + 1]int64 // of the slots of each width, with their columns
	Elements   [MaxWidth + 1]int   // in slots of each width
	FloatBytes int64               // of slots of tiny elements
	Tiny       int                 // elements in them
	NNZ        int                 // of the matrix, including dropped ones
}

// Add adds the counts of o.
func (t *Tally) Add(o *Tally) {
	for w := range t.Bytes {
		t.Bytes[w] += o.Bytes[w]
		t.Elements[w] += o.Elements[w]
	}
	t.FloatBytes += o.FloatBytes
	t.Tiny += o.Tiny
	t.NNZ += o.NNZ
}
