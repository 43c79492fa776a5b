package adaptive

import (
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Graded is a matrix in parts, A = A_1 + A_2 + ..., of which products read as many as their accuracy
// asks for: A_1 is A rounded to multiples of 2 theta_1, A_2 what is left rounded to multiples of
// 2 theta_2, and so on, with theta_k = epsilon_k ||A||_inf rounded down to a power of two. An element is in
// the parts in which it is not zero, so that small ones are in late parts alone; every part is stored
// as AFX, in the layout that suits it. It is a linop.Graded; Apply and Residual read all parts.
type Graded interface {
	linop.Graded[[]float64, linop.Float64]
	Parts(delta float64) int // how many parts a product reads whose error may be delta ||A||_inf ||x||_inf
	Bytes() int64            // the memory of the parts
	Read() int64             // the bytes of all parts that products have read so far
}

// graded implements Graded.
type graded struct {
	parts []Matrix
	errs  []float64 // ||A - (A_1 + ... + A_k)||_inf / ||A||_inf
	host  linop.Host
	work  [2][]float64
	read  int64
}

var _ Graded = (*graded)(nil)

// BuildGraded stores m, which has a nonzero, in a part for each epsilon, which decrease; the set, epsilon and
// criterion of s do not count.
func BuildGraded(m *csr.Matrix, epsilons []float64, s Spec, pool *parallel.Pool) (Graded, error) {
	norm := infNorm(m, pool)
	if !(norm > 0 && norm <= math.MaxFloat64) || len(epsilons) == 0 {
		return nil, fmt.Errorf("adaptive: a graded matrix needs a norm that is positive and finite, and a part")
	}
	set, err := LookupSet("AFX")
	if err != nil {
		return nil, err
	}
	s.Set, s.Criterion = set, NW
	g := &graded{host: linop.NewHost(m.Rows, pool), work: [2][]float64{make([]float64, m.Rows), make([]float64, m.Rows)}}
	rest := m
	for _, epsilon := range epsilons {
		theta := math.Exp2(math.Floor(math.Log2(epsilon * norm)))
		part, left := divide(rest, 2*theta)
		if part.NNZ() > 0 || g.parts == nil {
			size := infNorm(part, pool)
			if s.Epsilon = MinEpsilon; size > 0 { // multiples of 2 theta are exact
				s.Epsilon = min(max(theta/size, MinEpsilon), 0.5)
			}
			a, err := Build(part, s, pool)
			if err != nil {
				return nil, err
			}
			g.parts = append(g.parts, a)
			g.errs = append(g.errs, 0)
		}
		g.errs[len(g.errs)-1] = infNorm(left, pool) / norm
		rest = left
	}
	return g, nil
}

// divide returns m rounded to multiples of a power of two, zeros left out, and what is left.
func divide(m *csr.Matrix, quantum float64) (part, left *csr.Matrix) {
	part = &csr.Matrix{Rows: m.Rows, Cols: m.Cols, RowPtr: make([]int64, m.Rows+1)}
	left = &csr.Matrix{Rows: m.Rows, Cols: m.Cols, RowPtr: make([]int64, m.Rows+1)}
	add := func(to *csr.Matrix, j int32, v float64) {
		if v != 0 {
			to.Col, to.Val = append(to.Col, j), append(to.Val, v)
		}
	}
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, v := range vals {
			rounded := v
			if math.Abs(v) < quantum*0x1p52 { // otherwise it is a multiple
				rounded = math.RoundToEven(v/quantum) * quantum
			}
			add(part, cols[k], rounded)
			add(left, cols[k], v-rounded)
		}
		part.RowPtr[i+1], left.RowPtr[i+1] = int64(len(part.Col)), int64(len(left.Col))
	}
	return part, left
}

func infNorm(m *csr.Matrix, pool *parallel.Pool) float64 {
	if m.NNZ() == 0 {
		return 0
	}
	return slices.Max(m.RowSums(pool))
}

// Bytes implements Graded.
func (g *graded) Bytes() (n int64) { return g.bytes(len(g.parts)) }

// bytes is what the first k parts take.
func (g *graded) bytes(k int) (n int64) {
	for _, a := range g.parts[:k] {
		n += a.Bytes()
	}
	return n
}

// Read implements Graded.
func (g *graded) Read() int64 { return g.read }

// Parts implements Graded.
func (g *graded) Parts(delta float64) int {
	for k, e := range g.errs {
		if e <= delta {
			return k + 1
		}
	}
	return len(g.parts)
}

// ApplyWithin implements linop.Graded.
func (g *graded) ApplyWithin(delta float64, dst, src []float64) { g.multiply(g.Parts(delta), dst, src) }

// Dims returns the dimensions.
func (g *graded) Dims() (rows, cols int) { return g.parts[0].Dims() }

// Apply computes dst = A src with all parts.
func (g *graded) Apply(dst, src []float64) { g.multiply(len(g.parts), dst, src) }

// ApplyDot computes dst = A src and returns dst·w.
func (g *graded) ApplyDot(dst, src, w []float64) linop.Float64 {
	g.Apply(dst, src)
	return g.host.Dot(dst, w)
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (g *graded) ApplyDots(dst, src, w []float64) (dw, dd linop.Float64) {
	g.Apply(dst, src)
	return g.host.Dot(dst, w), g.host.Dot(dst, dst)
}

// Residual computes r = b - A x with all parts.
func (g *graded) Residual(r, b, x []float64) {
	g.multiply(len(g.parts), g.work[1], x)
	g.host.Copy(r, b)
	g.host.Axpy(-1, g.work[1], r)
}

// multiply computes dst = (A_1 + ... + A_parts) src. A part adds to what those before it have
// given in another vector.
func (g *graded) multiply(parts int, dst, src []float64) {
	to, from := dst, g.work[0]
	if parts%2 == 0 {
		to, from = from, to
	}
	g.parts[0].Apply(to, src)
	for _, a := range g.parts[1:parts] {
		to, from = from, to
		a.ApplyPlus(to, from, src)
	}
	g.read += g.bytes(parts)
}
