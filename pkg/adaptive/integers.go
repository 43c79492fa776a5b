package adaptive

import (
	"fmt"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Limits of slots.
const (
	MaxBlock = kernels.MaxBlock     // size of blocks
	MaxWidth = kernels.MaxSlotWidth // bits of an integer
)

// Quantizer turns the rows of a matrix into the integers that AFX stores, for layouts of
// other packages. Several goroutines may use it.
type Quantizer struct{ b *builder }

// NewQuantizer returns the quantizer of m. It is an error if the spec is faulty or not of
// AFX, or an element is not finite.
func NewQuantizer(m *csr.Matrix, s Spec, pool *linop.Pool) (*Quantizer, error) {
	b, err := newBuilder(m, s, pool)
	switch {
	case err != nil:
		return nil, err
	case s.Set.kind() != fixedPoint || s.Set.Uniform:
		return nil, fmt.Errorf("adaptive: %s does not store integers as AFX does", s.Set.Name)
	}
	return &Quantizer{b}, nil
}

// QuantumExps returns the e_i with a_ij = m 2^e_i, one for each row, or a single one if all
// rows have the same. They may be below the exponents of float64.
func (q *Quantizer) QuantumExps() []int32 {
	exps := make([]int32, len(q.b.part.tol.exp))
	for i, e := range q.b.part.tol.exp {
		exps[i] = e - int32(q.b.part.perQExp)
	}
	return exps
}

// Integers is a range of rows as integers. Item e, an element or a block of b x b, has its
// first column in Col[e], its b^2 integers in M from b^2 e on, row by row, and Width[e]
// bits in the widest of them as a two's complement number. Row, or block row, i has the
// items First[i] to First[i+1]-1, by rising columns. Elements that round to zero are
// left out, but for those of Tiny, which are in the order of the rows.
type Integers struct {
	First, Col []int32
	M          []int64
	Width      []uint8
	Tiny       []Tiny
	NNZ        int // nonzeros of the rows, those that were left out included

	*items
	ints integers
	bloc items
}

// Rows fills in rows lo to hi-1, as blocks of that size if it is not 1; their number is a
// multiple of it then. They have less than 2^31 elements.
func (q *Quantizer) Rows(lo, hi, block int, into *Integers) {
	n := into
	n.ints.quantize(q.b, lo, hi)
	n.items = &n.ints.items
	if block > 1 {
		n.bloc.blocks(&n.ints.items, block, everything)
		n.items = &n.bloc
	}
	n.First, n.Col, n.M, n.Width = n.first, n.col, n.m, n.width
	n.Tiny, n.NNZ = n.ints.tiny, n.ints.nonzeros
}

// Filled is the number of elements in item e.
func (n *Integers) Filled(e int32) int { return n.filled(e) }

// TinyOf returns the tiny elements of rows lo to hi-1 of the range.
func (n *Integers) TinyOf(lo, hi int) []Tiny { return tinyOf(n.Tiny, lo, hi) }

// BlockSize returns the size of blocks that takes the fewest bits with a 16-bit column for
// each item, by a sample, among those that hold an element in most of their places; 1 if
// none is better than elements.
func (q *Quantizer) BlockSize() int {
	m := q.b.m
	var bits [maxBlock + 1]int
	var n Integers
	for _, r := range q.b.sampleRanges() {
		lo, hi := r[0], r[1]
		q.Rows(lo, hi, 1, &n)
		bits[1] += n.bits()
		for b := 2; b <= maxBlock; b++ {
			switch {
			case bits[b] < 0 || m.Rows%b != 0 || m.Cols%b != 0 || n.ints.fill(b, sampleRows) < leastFill:
				bits[b] = -1
			default:
				n.bloc.blocks(&n.ints.items, b, everything)
				n.items = &n.bloc
				bits[b] += n.bits()
			}
		}
	}
	best := 1
	for b := 2; b <= maxBlock; b++ {
		if bits[b] > 0 && bits[b] < bits[best] {
			best = b
		}
	}
	return best
}

// bits of the items with 16-bit columns.
func (t *items) bits() (n int) {
	for _, w := range t.width {
		n += 16 + t.block*t.block*int(w)
	}
	return n
}

// Tally counts what slots are made of.
type Tally struct{ tally }

// Slots counts slots of a width: the elements in them, and the bytes that they take.
func (t *Tally) Slots(width, elements int, bytes int64) {
	t.elements[width] += elements
	t.bytes[width] += bytes
}

// Floats counts slots of tiny elements.
func (t *Tally) Floats(elements int, bytes int64) {
	t.tiny += elements
	t.floats += bytes
}

// Rows counts nonzeros of the matrix.
func (t *Tally) Rows(nnz int) { t.nonzeros += nnz }

// Add adds the counts of o.
func (t *Tally) Add(o *Tally) { t.add(&o.tally) }

// Stats are those of a matrix in slots that take so many bytes besides the row units.
func (q *Quantizer) Stats(t *Tally, bytes int64) Stats { return slotStats(q.b, &t.tally, bytes) }
