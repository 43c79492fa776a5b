package precond

import (
	"errors"
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// jacobi is z = D^-1 r, D the diagonal of A ([Saad03] 10.2). Of a symmetric A it
// takes magnitudes, so that M is positive definite. A zero is replaced by the sum of
// magnitudes of its row.
//
// It stores n numbers in the narrowest floating-point format that is accurate enough;
// an application reads them and one vector and writes one: 3 + 16 bytes a row at
// the default accuracy.
type jacobi struct {
	n      int
	words  kernels.Words
	values []byte // of D^-1, formats.Padding bytes longer
	diagonalPasses
}

func newJacobi(s setup) (Preconditioner, error) {
	if err := s.checkMemory(int64(8 * s.m.Rows)); err != nil {
		return nil, err
	}
	w, replaced := s.jacobiDiagonal()
	if replaced > 0 {
		s.logf("%s: zero diagonal entries replaced by absolute row sums: %d", Jacobi, replaced)
	}
	codec, values, err := encode(w, s.Epsilon)
	if err != nil {
		return nil, err
	}
	p := &jacobi{n: s.m.Rows, words: codec.Words(), values: values, diagonalPasses: diagonalPasses{kernels: s.kernels, pool: s.pool}}
	for lo := 0; lo < p.n; lo += jacobiBlock {
		p.blocks = append(p.blocks, diagonalBlock{lo, min(lo+jacobiBlock, p.n), p.words, values[lo*p.words.Bytes:]})
	}
	p.cover(linop.Local)
	return p, nil
}

// Fork returns a copy for a solve that takes turns with others.
func (p *jacobi) Fork() Preconditioner {
	q := *p
	q.cover(p.reducer)
	return &q
}

// jacobiOfDomains is the diagonal of a matrix in domains, in passes over all of them.
type jacobiOfDomains struct {
	*domainwise
	*diagonalPasses
}

// newDistributedJacobi makes the diagonals of domains. On small ones CG with one sum has passes of its own.
func newDistributedJacobi(s distributed) (Preconditioner, error) {
	made, err := byDomain(newJacobi)(s)
	if err != nil || s.a.Domains.JoinsSums() {
		return made, err
	}
	return joinJacobi(made.(*domainwise), s.kernels, s.pool), nil
}

// joinJacobi joins the diagonals of the domains of this rank, with these kernels, on the threads of pool.
func joinJacobi(of *domainwise, set *kernels.Set, pool *parallel.Pool) *jacobiOfDomains {
	p := &diagonalPasses{kernels: set, pool: pool}
	for k, part := range of.parts {
		first := of.layout.Parts[k].First()
		for _, b := range part.(*jacobi).blocks {
			b.lo, b.hi = b.lo+first, b.hi+first
			p.blocks = append(p.blocks, b)
		}
	}
	p.cover(dist.NewReducer(of.layout.Comm))
	return &jacobiOfDomains{of, p}
}

// Apply computes dst = D^-1 src.
func (p *jacobiOfDomains) Apply(dst, src vector) { p.diagonalPasses.Apply(dst, src) }

// jacobiDiagonal returns D^-1 and the number of entries that the sum of their row replaced.
func (s *setup) jacobiDiagonal() (w vector, replaced int) {
	w, _ = inverseDiagonal(s.m, false, s.pool, func(i int, _ float64) (float64, error) {
		replaced++
		if s.values != nil {
			return inverseSum(s.values(i)), nil
		}
		_, vals := s.m.Row(i)
		return inverseSum(vals), nil
	})
	if s.Symmetric {
		for i, v := range w {
			w[i] = math.Abs(v)
		}
	}
	return w, replaced
}

// inverseDiagonal returns 1 / a_ii for each row i. Where this is not a finite number, and
// where definite is set and a_ii < 0, it takes the result of replace for i and a_ii instead.
func inverseDiagonal(
	m *csr.Matrix, definite bool, pool *parallel.Pool, replace func(i int, d float64) (float64, error),
) (w vector, err error) {
	w = m.Diagonal(pool)
	for i, d := range w {
		if w[i] = 1 / d; !finite(d) || !finite(w[i]) || definite && d < 0 {
			if w[i], err = replace(i, d); err != nil {
				return nil, err
			}
		}
	}
	return w, nil
}

// errDiagonal describes a diagonal entry that is not positive, or of a matrix that need not
// be definite cannot be inverted.
func errDiagonal[I int | int64](i I, d float64, definite bool) error {
	cause := ErrSingular
	if definite {
		cause = ErrNotDefinite
	}
	return fmt.Errorf("%w: diagonal entry %d is %g", cause, i+1, d)
}

// inverseSum returns 1 / sum_j |a_ij| of the values of a row, or 1 where this is no number.
func inverseSum(vals []float64) float64 {
	sum := 0.0
	for _, v := range vals {
		sum += math.Abs(v)
	}
	if w := 1 / sum; w > 0 && !math.IsInf(w, 0) {
		return w
	}
	return 1
}

// floatFormats are formats of sign, exponent and significand, narrow ones first.
var floatFormats = []string{"BF16", "FP24", "FP32", "FP40", "FP48", "FP56", "FP64"}

// encode stores w in the narrowest format whose unit roundoff is at most epsilon and
// whose range holds w.
func encode(w []float64, epsilon float64) (c formats.Codec, values []byte, err error) {
	for _, name := range floatFormats {
		if c.Format, err = formats.Lookup(name); err != nil {
			return c, nil, err
		}
		if c.UnitRoundoff() > epsilon {
			continue
		}
		values = make([]byte, len(w)*c.Bytes+formats.Padding)
		if err = c.Encode(values, w); !errors.Is(err, formats.ErrRange) {
			break
		}
	}
	return c, values, err
}

func (p *jacobi) Cost() Cost {
	n, bytes := int64(p.n), int64(len(p.values))
	return Cost{Values: n, ValueBytes: n * int64(p.words.Bytes), Bytes: bytes, FP64Bytes: 8 * n}
}

func (p *jacobi) String() string { return string(Jacobi) }
