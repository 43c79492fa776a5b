package kernels

// MaxVectors is the largest number of vectors that are multiplied at once.
const MaxVectors = 8

// oneOf is vector v of k that are interleaved.
type oneOf struct{ k, v int }

// at is where the vector has element i.
func (o oneOf) at(i int) int { return o.k*i + o.v }

// MulSlotsMulti is MulSlots of k = 2, 4 or 8 vectors, with the same bits: element i of vector v
// is x[k*i+v], and so for dst.
func (s *Set) MulSlotsMulti(dst []float64, k int, p *SlotPanel, x []float64, row0 int, d Units, add bool) {
	s.slotsMulti(dst, k, p, x, row0, d, add)
}

type slotsMultiKernel = func(dst []float64, k int, p *SlotPanel, x []float64, row0 int, d Units, add bool)

// mulSlotsMulti is MulSlotsMulti in portable Go, vector by vector.
func mulSlotsMulti(dst []float64, k int, p *SlotPanel, x []float64, row0 int, d Units, add bool) {
	for v := range k {
		oneOf{k, v}.mulSlots(dst, p, x, row0, &d, add)
	}
}

// MulSymmetricMulti is MulSymmetric of k = 2, 4 or 8 vectors, with the same bits: element i of
// vector v is x[k*i+v]. There are k sums, one for each vector, for each row from the block row
// r.Sums on.
func (s *Set) MulSymmetricMulti(sums []float64, k int, p *SlotPanel, x []float64, r SymmetricRange) {
	s.symmetricMulti(sums, k, p, x, r)
}

type symmetricMultiKernel = func(sums []float64, k int, p *SlotPanel, x []float64, r SymmetricRange)

// mulSymmetricMulti is MulSymmetricMulti in portable Go, vector by vector.
func mulSymmetricMulti(sums []float64, k int, p *SlotPanel, x []float64, r SymmetricRange) {
	for v := range k {
		oneOf{k, v}.mulSymmetric(sums, p.Block, p, x, r)
	}
}
