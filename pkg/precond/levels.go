package precond

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// A levelStore stores the matrices of levels for vectors of T, multiplied by diagonal matrices
// from the left and the right.
type levelStore[T real] interface {
	// square stores the matrix of level k.
	square(k int, m *levelMatrices, left, right []float64) (products[T], Cost, error)
	// transfers stores the prolongator and the restriction of a level to one with the scale below,
	// see cycle. It may let go the level's p and r.
	transfers(m *levelMatrices, here, below *scaledLevel) (prolong, restrict products[T], cost Cost, err error)
	vector(n int) []T
	spreadVector(n int) []T // of a spread level
}

const (
	// intEpsilon and floatEpsilon are the accuracies of 16-bit integers and of float32.
	intEpsilon   = 0x1p-16
	floatEpsilon = 0x1p-24
)

// scaledLevel is S and S_1 of a level, see cycle, and their inverses.
type scaledLevel struct{ root, left, inverse, leftInverse []float64 }

// scaleOf returns the scale of a smoother with the diagonal m and the first step omega.
func scaleOf(m []float64, omega float64, pool *parallel.Pool) scaledLevel {
	n := len(m)
	s := scaledLevel{root: make([]float64, n), inverse: make([]float64, n)}
	s.left, s.leftInverse = s.root, s.inverse
	bounds := evenly(n, convertRows)
	signed := make([]bool, len(bounds)-1)
	pool.RunRanges(bounds, func(part, lo, hi int) {
		for i, v := range m[lo:hi] {
			signed[part] = signed[part] || v < 0
			root := math.Sqrt(math.Abs(v) * omega)
			if root == 0 {
				root = 1 // an unknown without an equation
			}
			s.root[lo+i], s.inverse[lo+i] = root, 1/root
		}
	})
	if slices.Contains(signed, true) {
		s.left, s.leftInverse = make([]float64, n), make([]float64, n)
		for i, v := range m {
			s.left[i], s.leftInverse[i] = math.Copysign(s.root[i], v), math.Copysign(s.inverse[i], v)
		}
	}
	return s
}

// diagonalScale returns the scaling that makes the diagonal of the coarsest matrix 1.
func diagonalScale(a *csr.Matrix, s *setup) scaledLevel {
	d := a.Diagonal(s.pool)
	for i, v := range d {
		if d[i] = 1 / math.Abs(v); v == 0 || !finite(d[i]) {
			d[i] = 1
		}
	}
	return scaleOf(d, 1, s.pool)
}

// newCycleOf stores the matrices of all levels, which it lets go.
func newCycleOf[T real](s setup, store levelStore[T], levels []levelMatrices, coarsest *csr.Matrix) (*cycle[T], Cost, error) {
	c := &cycle[T]{pool: s.pool, symmetric: s.Symmetric}
	c.levels, c.solve = make([]level[[]T, T], len(levels)), c.solveCoarsest
	if s.Multigrid.KCycle {
		c.inner = c.iterate
	}
	cost, once := Cost{}, Cost{} // once: of what all ranks have
	finest := 0                  // nonzeros
	if len(levels) > 0 {
		finest = levels[0].count()
	}
	spread := len(levels) > 0 && levels[0].layout != nil
	finestSize := int64(coarsest.Rows) // elements of vectors of the finest level
	var last scaledLevel               // of the coarsest matrix
	if len(levels) > 0 {
		last = diagonalScale(coarsest, &s)
	} else {
		last = scaleOf(Constants(coarsest.Rows, 1)[0], 1, s.pool)
	}
	below := last
	// The finest level comes last, when the others have let go what they were made of.
	for k := len(levels) - 1; k >= 0; k-- {
		m := &levels[k]
		if err := s.interrupted(); err != nil {
			return nil, cost, err
		}
		if err := s.checkMemory(cost.Bytes + 2*int64(m.a.NNZ()+2*m.p.NNZ()) + 3*4*int64(m.a.Rows)); err != nil {
			return nil, cost, err
		}
		here, n := scaleOf(m.m, m.steps[0], s.pool), m.a.Rows
		m.m = nil
		if m.joined != nil {
			below = m.joined.scale
		}
		vector := store.vector
		if m.layout != nil {
			vector = store.spreadVector
		}
		l := level[[]T, T]{f: vector(n), x: vector(n), t: vector(n), add: add[T]}
		size := m.size()
		work := 3 * size
		var ca, cp Cost
		var err error
		if l.p, l.r, cp, err = store.transfers(m, &here, &below); err != nil {
			return nil, cost, err
		}
		if l.a, ca, err = store.square(k, m, here.left, here.root); err != nil {
			return nil, cost, err
		}
		for _, omega := range m.steps {
			l.steps = append(l.steps, T(omega/m.steps[0]))
		}
		if c.inner != nil && k > 0 {
			l.r1, l.c, l.v = vector(n), vector(n), vector(n)
			work += 3 * size
		} else if l.twice = visitedTwice(k, m.count(), finest); l.twice {
			l.r1, l.c = vector(n), vector(n)
			work += 2 * size
		}
		c.levels[k], below = l, here
		more := ca.Add(cp).Add(vectorCost[T](work))
		if cost = cost.Add(more); m.layout == nil {
			once = once.Add(more)
		}
		finestSize = size
		*m = levelMatrices{} // let go
	}
	n := coarsest.Rows
	var err error
	if c.coarse, err = newCoarse(scaledCopy(coarsest, last.left, last.root), s.Options); err != nil {
		return nil, cost, err
	}
	c.f, c.x, c.b, c.y = store.vector(n), store.vector(n), make(vector, n), make(vector, n)
	bottom := fp64Cost(int64(n * n)).Add(workCost(int64(2 * n))).Add(vectorCost[T](int64(2 * n)))
	cost, c.once = cost.Add(bottom), once.Add(bottom)

	c.root = rounded[T](below.root)
	if c.left = c.root; len(c.root) > 0 && &below.left[0] != &below.root[0] {
		c.left = rounded[T](below.left)
	}
	c.setSpans(span{n: len(c.root)})
	values := vectorCost[T](finestSize)
	values.Values, values.ValueBytes = finestSize, values.Bytes
	if !spread {
		c.once = c.once.Add(values)
	}
	return c, cost.Add(values), nil
}

// rounded returns x as a vector of T.
func rounded[T real](x []float64) []T {
	r := make([]T, len(x))
	for i, v := range x {
		r[i] = T(v)
	}
	return r
}

// vectorCost is the cost of that many elements of vectors of T.
func vectorCost[T real](elements int64) Cost {
	size := int64(8)
	if _, ok := any(T(0)).(float32); ok {
		size = 4
	}
	return Cost{Bytes: size * elements, FP64Bytes: 8 * elements}
}

// scaledCopy returns diag(left) m diag(right); it shares the structure of m.
func scaledCopy(m *csr.Matrix, left, right []float64) *csr.Matrix {
	s := *m
	s.Val = make([]float64, len(m.Val))
	for i := range m.Rows {
		for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
			s.Val[k] = left[i] * right[m.Col[k]] * m.Val[k]
		}
	}
	return &s
}

// fp64Store stores levels in FP64.
type fp64Store struct{ setup }

func (s fp64Store) vector(n int) []float64       { return make(vector, n) }
func (s fp64Store) spreadVector(n int) []float64 { return make(vector, n) }

func (s fp64Store) square(k int, m *levelMatrices, left, right []float64) (products[float64], Cost, error) {
	scaled := scaledCopy(m.a, left, right)
	a, cost, err := store(scaled, adaptive.MinEpsilon, s.Options, s.pool)
	ones := make(vector, m.a.Rows)
	for i := range ones {
		ones[i] = 1
	}
	cost = cost.Add(workCost(m.size()))
	if m.layout != nil {
		cost = spreadCost(int64(m.a.NNZ()), m.size()).Add(workCost(m.size()))
		return exchanging{fp64Products{Relaxer: a, ones: ones}, m.layout.Halo}, cost, err
	}
	made := fp64Products{Relaxer: a, ones: ones}
	if s.Portable {
		made.factor = s.portable(s.levelEpsilon(k), scaled)[0]
	}
	return made, cost, err
}

func (s fp64Store) transfers(m *levelMatrices, here, below *scaledLevel) (products[float64], products[float64], Cost, error) {
	p, r := scaledCopy(m.p, here.inverse, below.root), scaledCopy(m.r, m.ownOf(below.left), here.leftInverse)
	a, at := fp64Products{Relaxer: s.csr(p)}, fp64Products{Relaxer: s.csr(r)}
	if s.Portable {
		f := s.portable(s.Epsilon, p, r)
		a.factor, at.factor = f[0], f[1]
	}
	nnz := int64(m.p.NNZ())
	bytes := m.p.Bytes() + m.r.Bytes()
	cost := Cost{2 * nnz, 16 * nnz, bytes, bytes}
	if m.layout == nil {
		return a, at, cost, nil
	}
	cost = spreadCost(int64(m.p.NNZ()), m.size()).Add(spreadCost(int64(m.r.NNZ()), int64(m.below.Own)))
	var coarse *dist.Halo
	if !m.gather {
		coarse = m.below.Halo
	}
	prolong, restrict := passing[float64](m, exchanging{a, coarse}, exchanging{at, m.layout.Halo}, s.vector)
	return prolong, restrict, cost, nil
}

// csr returns m as an operator.
func (s fp64Store) csr(m *csr.Matrix) linop.Relaxer[vector, scalar] {
	a := linop.NewCSR(m, s.pool)
	kernels.Use(a, s.kernels)
	return a
}

// levelEpsilon is the accuracy of the matrix of level k: from level firstTwice on, where they are small, that of
// float32 at least. Rounded to 16 bits they no longer annihilate smooth vectors well enough where a grid is large.
func (s *setup) levelEpsilon(k int) float64 {
	if k >= firstTwice {
		return min(s.Epsilon, floatEpsilon)
	}
	return s.Epsilon
}

// portable returns matrices to be stored with the same errors: the errors of a matrix and of its transpose are
// each other's transposes. Errors are relative to the largest element, as the errors of integers in chunks are.
func (s *setup) portable(epsilon float64, list ...*csr.Matrix) (factors []Factor) {
	theta := 0.0
	if most := slices.Max(append(list[0].RowMax(s.pool), 0)); epsilon > adaptive.MinEpsilon && most > 0 && finite(most) {
		theta = math.Ldexp(1, dd.Exponent(epsilon*most)-1) // the power of two not above
	}
	for _, m := range list {
		factors = append(factors, factorWithin(m, theta, slices.Max(append(m.RowSums(s.pool), 0))))
	}
	return factors
}

// factorWithin returns m as a Factor to be stored with errors of theta, a power of two, where its norm is as given; in FP64 if theta is 0.
func factorWithin(m *csr.Matrix, theta, norm float64) Factor {
	if theta == 0 || !(norm > 0) {
		return Factor{Matrix: m}
	}
	return Factor{m, min(theta/norm*(1+0x1p-10), 0.5), adaptive.NW} // a little more, so that rounding does not make it less
}

// chunkStore stores levels as chunks: integers, or float32 (levelEpsilon).
type chunkStore struct {
	setup
	floats bool
}

func (s chunkStore) vector(n int) []float32 { return make([]float32, paddedLen(n)) }

// spreadVector has room for what chunks of the last domain load and overwrite.
func (s chunkStore) spreadVector(n int) []float32 { return s.vector(n + window) }

func (s chunkStore) square(k int, m *levelMatrices, left, right []float64) (products[float32], Cost, error) {
	s.floats = s.floats || s.levelEpsilon(k) <= floatEpsilon
	if m.layout != nil {
		a, cost := s.storeSpread(m.a, chunkScales{left, right}, m.layout, m.layout)
		return a, cost, nil
	}
	a, cost := s.store(m.a, chunkScales{left, right}, m.kept.shape(levelMatrix))
	return a, cost, nil
}

func (s chunkStore) transfers(m *levelMatrices, here, below *scaledLevel) (products[float32], products[float32], Cost, error) {
	if m.layout != nil {
		a, at, cost := s.spreadTransfers(m, here, below)
		return a, at, cost, nil
	}
	a, cost := s.store(m.p, chunkScales{here.inverse, below.root}, m.kept.shape(prolongation))
	m.p = nil // let go before the next is stored
	at, costT := s.store(m.r, chunkScales{below.left, here.leftInverse}, m.kept.shape(restriction))
	m.r = nil
	return a, at, cost.Add(costT), nil
}

func (s chunkStore) store(m *csr.Matrix, scales chunkScales, shapes *chunkShapes) (*chunked, Cost) {
	nnz := int64(m.NNZ())
	if s.floats {
		c := newChunked[float32](m, scales, shapes, s.pool)
		c.kernels = s.kernels
		return c, Cost{nnz, 4 * nnz, c.bytes(), m.Bytes()}
	}
	c := newChunked[int16](m, scales, shapes, s.pool)
	c.kernels = s.kernels
	return c, Cost{nnz, 2 * nnz, c.bytes(), m.Bytes()}
}
