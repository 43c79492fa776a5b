package adaptive

import (
	"fmt"

	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Quantizer turns the rows of a matrix into the integers that AFX stores, for layouts of
// other packages. Several goroutines may use it.
type Quantizer interface {
	// QuantumExps returns the e_i with a_ij = m 2^e_i, one for each row, or a single one if all rows have the same. They may be
	// below the exponents of float64.
	QuantumExps() []int32
	Rows(lo, hi int, n *packed.Integers) // makes n the rows lo to hi-1, which have less than 2^31 elements

	// BlockSize returns the size of blocks that takes the fewest bits with a 16-bit column for each item, by a sample, among those
	// that hold an element in most of their positions; 1 if none is better than elements.
	BlockSize() int

	// Stats returns the Stats of a matrix with so many nonzeros in slots that take so many bytes besides the row units. The
	// function stored returns how many elements have a format, and the bytes of their slots.
	Stats(nnz int, bytes int64, stored func(formats.Format) (elements int, bytes int64)) Stats
}

// quantizer implements Quantizer.
type quantizer struct{ b *builder }

// NewQuantizer returns the quantizer of m. It is an error if the spec is faulty or not of
// AFX, or an element is not finite.
func NewQuantizer(m *csr.Matrix, s Spec, pool *parallel.Pool) (Quantizer, error) {
	b, err := newBuilder(m, s, pool)
	switch {
	case err != nil:
		return nil, err
	case !b.part.Fixed() || s.Set.lossless():
		return nil, fmt.Errorf("adaptive: %s does not store integers as AFX does", s.Set.Name)
	}
	return &quantizer{b}, nil
}

// QuantumExps implements Quantizer.
func (q *quantizer) QuantumExps() []int32 {
	exps := make([]int32, len(q.b.part.Tol.Exp))
	for i, e := range q.b.part.Tol.Exp {
		exps[i] = e - int32(q.b.part.UnitQuanta)
	}
	return exps
}

// Rows implements Quantizer.
func (q *quantizer) Rows(lo, hi int, n *packed.Integers) { n.Quantize(q.b.m, q.b.part, lo, hi) }

// BlockSize implements Quantizer.
func (q *quantizer) BlockSize() int {
	m := q.b.m
	var bits [packed.MaxBlock + 1]int
	var n packed.Integers
	var blocks packed.Items
	for _, r := range q.b.sampleRanges() {
		q.Rows(r[0], r[1], &n)
		bits[1] += n.Bits()
		for b := 2; b <= packed.MaxBlock; b++ {
			switch {
			case bits[b] < 0 || m.Rows%b != 0 || m.Cols%b != 0 || n.Fill(b, sampleRows) < leastFill:
				bits[b] = -1
			default:
				blocks.SetBlocks(q.b.kernels, &n.Items, b, packed.Everything)
				bits[b] += blocks.Bits()
			}
		}
	}
	best := 1
	for b := 2; b <= packed.MaxBlock; b++ {
		if bits[b] > 0 && bits[b] < bits[best] {
			best = b
		}
	}
	return best
}

// Stats implements Quantizer.
func (q *quantizer) Stats(nnz int, bytes int64, stored func(formats.Format) (elements int, bytes int64)) Stats {
	return slotStats(q.b, nnz, bytes, stored)
}
