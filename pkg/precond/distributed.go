package precond

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// distributed is the input of a preconditioner of a matrix that is spread over ranks. Its m is the part of this rank, in
// positions of vectors, and its pool does not end with the context, which ranks may look at only where they agree on
// what they see.
type distributed struct {
	setup
	a           *dist.Matrix
	description Description
}

// NewDistributed sets up a preconditioner of a matrix that is spread over ranks: scaled has the pattern of a.Local and the
// values. Vectors, also in Options.Multigrid.NearNull, have the layout a.Layout. Their ghosts need not be valid, and are not valid afterwards. M depends on the domains, and not
// on ranks and threads.
//
// Most kinds are made of the diagonal block of each domain, or of its segment with Options.Overlap. MaxBytes is a limit for all ranks
// together, and MaxWork is one for each domain; domains get as much of both as they have of the nonzeros. Worked is told once, what all domains have taken
// up to the first one that failed, and Log receives the lines of all of them; both are the same on all ranks, as errors are: that of
// the first domain that failed. The context may be done on some ranks alone; then there is an error on all.
//
// Cost is the cost on all ranks together. Data is nil, or a Polynomial; a preconditioner that is made of domains without overlap also has a method
// Domains() []Preconditioner, which returns those of the domains of this rank. Collective.
func NewDistributed(
	ctx context.Context, kind Kind, a *dist.Matrix, scaled *csr.Matrix, opt Options, pool *parallel.Pool,
) (Preconditioner, error) {
	d, ok := Lookup(kind)
	if !ok {
		return nil, fmt.Errorf("unknown preconditioner %q", kind)
	}
	opt.making = d.Making
	p, err := d.spreadOver(distributed{setup{Options: opt.withDefaults(), ctx: ctx, m: scaled, pool: pool}, a, d})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return p, nil
}

func (d Description) spreadOver(s distributed) (Preconditioner, error) {
	if d.distribute == nil {
		return nil, errors.New("not for matrices in several domains")
	}
	if err := d.suits(s.Symmetric); err != nil {
		return nil, err
	}
	if err := agree(s.a.Comm, cmp.Or(s.checkKernels(), s.checkRows())); err != nil {
		return nil, err
	}
	p, err := d.distribute(s)
	if err != nil {
		return nil, err
	}
	return p, s.checkMemory(p.Cost().Bytes)
}

// checkRows reports the first row of this rank with an entry that is not finite.
func (s *distributed) checkRows() error {
	bad := s.infiniteRow()
	if bad < 0 {
		return nil
	}
	return errInfinite(s.a.Given(bad))
}

// total returns the sum of what all ranks cost. Collective.
func (s *distributed) total(c Cost) Cost {
	x := []int64{c.Values, c.ValueBytes, c.Bytes, c.FP64Bytes}
	s.a.Comm.Sum(x)
	return Cost{x[0], x[1], x[2], x[3]}
}

// agree returns, on all ranks, the error of the first rank that has one: with the same text and for errors.Is the same
// of the errors of New. Collective.
func agree(c dist.Comm, err error) error {
	rank := dist.First(c, err != nil)
	if rank < 0 {
		return nil
	}
	var own []byte
	if err != nil {
		own = encodeError(err)
	}
	return decodeError(dist.Share(c, rank, own))
}

// causes are the errors of New that others may be. Of two that an error is, the more special one comes first.
var causes = []error{nil, ErrIndefinite, ErrNotDefinite, ErrMemory, ErrInterrupted, ErrWork, ErrSingular}

// An agreedError is the error of another rank, or what this one said of its own.
type agreedError struct {
	text  string
	cause error // nil: none of causes
}

func (e *agreedError) Error() string { return e.text }
func (e *agreedError) Unwrap() error { return e.cause }

// encodeError returns the index of the cause and the text.
func encodeError(err error) []byte {
	cause := max(0, slices.IndexFunc(causes, func(c error) bool { return c != nil && errors.Is(err, c) }))
	return append([]byte{byte(cause)}, err.Error()...)
}

// decodeError is the inverse of encodeError.
func decodeError(b []byte) error {
	return &agreedError{string(b[1:]), causes[b[0]]}
}

// assembled makes a matrix whose row i has length(i) elements, which fill sets.
func assembled(rows, cols int, pool *parallel.Pool, length func(i int) int, fill func(i int, col []int32, val []float64)) *csr.Matrix {
	m := &csr.Matrix{Rows: rows, Cols: cols, RowPtr: make([]int64, rows+1)}
	bounds := evenly(rows, nodesPerTask)
	pool.RunRanges(bounds, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			m.RowPtr[i+1] = int64(length(i))
		}
	})
	for i := range rows {
		m.RowPtr[i+1] += m.RowPtr[i]
	}
	m.Col, m.Val = make([]int32, m.RowPtr[rows]), make([]float64, m.RowPtr[rows])
	pool.RunRanges(bounds, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			from, to := m.RowPtr[i], m.RowPtr[i+1]
			fill(i, m.Col[from:to], m.Val[from:to])
		}
	})
	return m
}

// gathered returns the hierarchy of the current level, which every rank then has.
func (h *spreadHierarchy) gathered() (*hierarchy, error) {
	l := h.over.layout
	n, nonzeros := h.rows(), int64(h.a.NNZ())
	h.over.sum(&nonzeros)
	if n > mostGathered {
		return nil, fmt.Errorf("coarsening stopped at %d unknowns: %w", n, errWeak)
	}
	if err := h.allowed(h.held + csr.Bytes(n, nonzeros) + 8*n*int64(len(h.null))); err != nil {
		return nil, err
	}
	if k := len(h.levels); k > 0 { // what corrects it is known everywhere
		last := &h.levels[k-1]
		last.gather, last.joined = true, nil
		last.p.Cols = int(n)
		for e, j := range last.p.Col {
			last.p.Col[e] = int32(last.below.Global(int(j)))
		}
	}
	g := &hierarchy{setup: h.setup, rule: h.rule, twice: h.twice, first: h.level(), held: h.held, inverted: h.inverted}
	g.a = &csr.Matrix{Rows: int(n), Cols: int(n), RowPtr: make([]int64, n+1), Col: make([]int32, nonzeros), Val: make([]float64, nonzeros)}
	heads := make([]int32, 0, l.Own) // of rows: twice the number of entries, and one more if a node begins
	cols, vals := make([]int32, 0, h.a.NNZ()), make([]float64, 0, h.a.NNZ())
	for _, p := range l.Parts {
		for i := p.First(); i < p.End(); i++ {
			head := 2 * int32(h.a.RowPtr[i+1]-h.a.RowPtr[i])
			if int(h.nodes.First[h.nodes.Of[i]]) == i {
				head++
			}
			heads = append(heads, head)
		}
		from, to := h.a.RowPtr[p.First()], h.a.RowPtr[p.End()]
		for _, j := range h.a.Col[from:to] {
			cols = append(cols, int32(l.Global(int(j))))
		}
		vals = append(vals, h.a.Val[from:to]...)
	}
	all := make([]int32, n)
	gatherAll(all, heads, l.Comm)
	gatherAll(g.a.Col, cols, l.Comm)
	gatherAll(g.a.Val, vals, l.Comm)
	g.nodes.Of = make([]int32, n)
	for i, head := range all {
		g.a.RowPtr[i+1] = g.a.RowPtr[i] + int64(head/2)
		if head%2 != 0 {
			g.nodes.First = append(g.nodes.First, int32(i))
		}
		g.nodes.Of[i] = int32(len(g.nodes.First) - 1)
	}
	g.nodes.First = append(g.nodes.First, int32(n))
	for _, b := range h.null {
		v := make([]float64, n)
		gather(v, nil, b, l)
		g.null = append(g.null, v)
	}
	return g, nil
}

// gather sets dst to the own elements in x of all ranks, in the order of rows. It returns work, in which it puts those that it sends.
func gather[T real](dst, work, x []T, l *dist.Layout) []T {
	work = work[:0]
	for _, p := range l.Parts {
		work = append(work, x[p.First():p.End()]...)
	}
	gatherAll(dst, work, l.Comm)
	return work
}

// gatherAll sets dst to what all ranks pass, in their order.
func gatherAll[T any](dst, own []T, c dist.Comm) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	for _, b := range c.Gather(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(own))), size*len(own))) {
		dst = dst[copy(dst, unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/size)):]
	}
}
