package special

import (
	"errors"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// projections is the number of left null vectors to find by complete factors.
const projections = 3

// overdetermined returns the strongest evidence in sets of equations that have fewer unknowns than equations, since a combination of these is zero; nil: there is none.
// A set of m equations in m-1 unknowns is small, mostly: elimination finds y. For others large does; nil: they are left out.
func overdetermined(m *csr.Matrix, b []float64, sets []features.Overdetermined, large func(sub *csr.Matrix) [][]float64) (best *solve.Evidence) {
	work := 2 * math.Pow(rules.DenseRows, 3)
	for _, set := range sets {
		n := len(set.Rows)
		sub := dist.Whole(submatrix(m, set.Rows, set.Cols)).Local
		var found [][]float64
		if n <= rules.DenseRows && work > 0 {
			work -= math.Pow(float64(n), 3)
			found = LeftNullVectors(sub)
		} else if large != nil {
			found = large(sub)
		}
		if v := among(sub, found, set.Rows, b); v != nil && (best == nil || v.Product > best.Product) {
			best = v
		}
	}
	return best
}

// overdeterminedByFactors returns the left null vector of m equations in m-1 unknowns by complete factors, if these are cheap:
//
//	(A e_k)' y = e_m,
//
// with a column that is zero but in the equation k that the matching leaves out, for the y with y_k = 1.
func (a EvidenceSearch) overdeterminedByFactors(sub *csr.Matrix) [][]float64 {
	n := sub.Rows
	f := make([]float64, n)
	f[n-1] = 1
	t := withEntries(sub, []int64{0}, []int64{int64(n - 1)}, []float64{1}).Transpose(a.S.Pool)
	return a.refined(t, func(int, csr.Scaling) (y, rhs []float64) { return make([]float64, n), f }, 1)
}

// supports are shares of the largest element of y, each in the size of its row, down to which elements may be all that a left null vector consists of.
var supports = [...]float64{0x1p-40, 0x1p-30, 0x1p-20, 0x1p-10}

// supported returns the strongest evidence in the few rows that an approximation y of a left null vector consists of, by elimination; nil: there is none in
// rows that are not among those tried, to which it adds them.
func (a EvidenceSearch) supported(y []float64, tried *[][]int32) (best *solve.Evidence) {
	m := a.S.Given
	size := make([]float64, len(y))
	for i := range size {
		_, vals := m.Row(i)
		size[i] = math.Abs(y[i]) * AbsMax(vals)
	}
	most := AbsMax(size)
	for _, share := range supports {
		var rows, cols []int32
		for i, v := range size {
			if v >= share*most && len(rows) <= rules.DenseRows {
				rows = append(rows, int32(i))
				of, _ := m.Row(i)
				cols = append(cols, of...)
			}
		}
		slices.Sort(cols)
		cols = slices.Compact(cols)
		before := slices.ContainsFunc(*tried, func(t []int32) bool { return slices.Equal(t, rows) })
		if square := max(len(rows), len(cols)); square <= rules.DenseRows && !before {
			*tried = append(*tried, rows)
			sub := dist.Whole(submatrix(m, rows, cols)).Local
			if v := among(sub, LeftNullVectors(sub), rows, a.Given); v != nil && (best == nil || v.Product > best.Product) {
				best = v
			}
		}
	}
	return best
}

// among returns the strongest evidence among vectors y of a submatrix with these rows of a larger one, for the larger one.
func among(sub *csr.Matrix, found [][]float64, rows []int32, b []float64) *solve.Evidence {
	of := make([]float64, sub.Rows)
	copy(of, gathered(b, rows))
	v := strongest(sub, of, found)
	if v == nil {
		return nil
	}
	v.Y = spread(v.Y, rows, len(b))
	for k, i := range v.Rows {
		v.Rows[k] = int(rows[i])
	}
	slices.Sort(v.Rows)
	return v
}

// spread returns a vector of n elements that has the first elements of y in some places, and zeros.
func spread(y []float64, places []int32, n int) []float64 {
	whole := make([]float64, n)
	for k, i := range places {
		whole[i] = y[k]
	}
	return whole
}

// gathered returns some elements of a vector.
func gathered(x []float64, places []int32) []float64 {
	part := make([]float64, len(places))
	for k, i := range places {
		part[k] = x[i]
	}
	return part
}

// submatrix returns rows of m in columns that are listed in order; elements in other columns are left out.
func submatrix(m *csr.Matrix, rows, cols []int32) *csr.Matrix {
	s := &csr.Matrix{Rows: len(rows), Cols: len(cols), RowPtr: make([]int64, 1, len(rows)+1)}
	for _, i := range rows {
		of, vals := m.Row(int(i))
		for k, j := range of {
			if at, listed := slices.BinarySearch(cols, j); listed && vals[k] != 0 {
				s.Col, s.Val = append(s.Col, int32(at)), append(s.Val, vals[k])
			}
		}
		s.RowPtr = append(s.RowPtr, int64(len(s.Col)))
	}
	return s
}

// plainNull returns vectors that are often left null vectors: constants in all equations, in those without a diagonal element, such as
// of continuity, and in each component of nodes.
func (a EvidenceSearch) plainNull() [][]float64 {
	n := a.S.Given.Rows
	found := [][]float64{constant(n, func(int) bool { return true }), a.continuity()}
	for _, size := range [...]int{2, 3} {
		for k := range size {
			if n%size == 0 {
				found = append(found, constant(n, func(i int) bool { return i%size == k }))
			}
		}
	}
	return found
}

// continuity returns the vector that is 1 in the equations without a diagonal element.
func (a EvidenceSearch) continuity() []float64 {
	d := a.S.Given.Diagonal(a.S.Pool)
	return constant(len(d), func(i int) bool { return d[i] == 0 })
}

// constant returns a vector of n elements that is 1 in some rows.
func constant(n int, in func(i int) bool) []float64 {
	y := make([]float64, n)
	for i := range y {
		if in(i) {
			y[i] = 1
		}
	}
	return y
}

// projectedNull projects arbitrary vectors g onto the left null space, by complete factors M of the scaled transpose, if these are cheap.
// Elimination replaces a pivot that vanishes by another value: M = A' + s e_k e_k'. Then, with v A' = 0,
//
//	y = g - M^-1 A' g  has  A' y = s e_k (M^-1 A' g)_k,  and  0 = v A' g = v_k s (M^-1 A' g)_k,
//
// so that y is a null vector but for roundings.
func (a EvidenceSearch) projectedNull() [][]float64 {
	return a.refined(a.S.Given.Transpose(a.S.Pool), func(k int, _ csr.Scaling) (y, f []float64) { return signs(a.S.Given.Rows, uint64(k)), nil }, projections)
}

// Direct passes solutions of A x = b by complete factors of the scaled A, if these are cheap, unless A is singular: by repetition, and then by a method that
// uses factors, which converges where repetition does not since pivots were replaced.
func (a EvidenceSearch) Direct(yield func(x []float64) bool) {
	found := a.refined(a.S.Given, func(_ int, by csr.Scaling) (x, f []float64) {
		f = make([]float64, len(a.Given))
		for i, v := range a.Given {
			f[i] = dd.Ldexp(v, by.Row[i])
		}
		return make([]float64, len(f)), f
	}, 1)
	if len(found) == 0 || !yield(found[0]) || a.S.Ordinary {
		return
	}
	opt := solve.Options{
		Accuracy: solve.Accuracy{Tol: a.S.Opt.Tol, Stop: a.S.Opt.Stop, Digits: solve.NoDigits},
		Precond:  solve.Precond{Kind: precond.LU},
		Limits:   solve.Limits{Threads: a.S.Opt.Threads, MaxMemory: a.S.Opt.MaxMemory, MaxIter: directIterations},
	}
	if a.S.Facts.Symmetric && a.S.Facts.DiagonalSign() > 0 {
		opt.Precond.Kind = precond.Cholesky
	}
	s, err := a.Make(a.Ctx, a.S.Given, opt)
	if err != nil {
		return
	}
	defer s.Close()
	if r, err := s.Solve(a.Ctx, a.Given, nil); err == nil && r.Reason.Converged() {
		yield(r.X)
	}
}

// directIterations is the number of iterations with complete factors: each replaced pivot may take one.
const directIterations = 20

// refined returns vectors y with t y = f, of the scaled t, by complete factors of it, if these are cheap: with and without small elements. begin
// returns the first y and f of a vector (nil: zero).
func (a EvidenceSearch) refined(t *csr.Matrix, begin func(k int, by csr.Scaling) (y, f []float64), count int) (found [][]float64) {
	by := a.factor(t)
	if by == nil {
		return nil
	}
	for k := range count {
		y, f := begin(k, by.scaling)
		if y = by.solve(y, f); y != nil {
			large := slices.Clone(y)
			chop(large)
			found = append(found, y, large) // large has no elements that are zero but for rounding
		}
	}
	return found
}

// factored is a scaled matrix with complete factors.
type factored struct {
	EvidenceSearch
	m       *csr.Matrix
	scaling csr.Scaling
	factors precond.Preconditioner
}

// factor returns complete factors of the scaled t if they are cheap; nil: they are not, as their order says, or that of as many rows before, or their bet, which may
// be wrong, for an x that has converged.
func (a EvidenceSearch) factor(t *csr.Matrix) *factored {
	work := max(rules.EvidenceWork*float64(t.NNZ()), rules.LeastEvidence)
	if a.S.Refiner != nil {
		work = max(work, rules.FrontSpeed*a.S.Refiner.Usage().Work)
	}
	if a.Dear > 0 && t.Rows >= a.Dear {
		return nil
	}
	if whole := t.Rows >= a.S.Rows(); whole && a.Reason == krylov.Converged && a.S.Workload().CompleteWork() > rules.EvidenceOdds*work/rules.FrontSpeed {
		return nil
	}
	scaling := csr.BothScaling(t, a.S.Pool)
	t = scaling.Apply(t, a.S.Pool)
	opt := precond.Options{Limits: precond.Limits{MaxWork: work / float64(t.NNZ())}}
	if limit := a.S.Opt.MaxMemory; limit > 0 {
		opt.MaxBytes = max(1, limit-a.S.SolveBytes()-t.Bytes())
	}
	factors, err := precond.New(a.Ctx, precond.LU, regularByPattern(t), opt, a.S.Pool)
	if err != nil {
		if errors.Is(err, precond.ErrWork) {
			a.Dear = t.Rows
		}
		return nil
	}
	return &factored{a, t, scaling, factors}
}

// regularByPattern returns t with an element in each row and column that a maximum matching leaves out, as large as the largest sum of a row, so that t has
// factors. These elements are like replaced pivots.
func regularByPattern(t *csr.Matrix) *csr.Matrix {
	rows, cols, _, known := features.Matching(t)
	if !known || len(rows) == t.Rows {
		return t
	}
	left, below := without(t.Rows, rows), without(t.Cols, cols)
	return withEntries(t, left, below, slices.Repeat([]float64{AbsMax(t.RowSums(nil))}, len(left)))
}

// without returns the numbers below n that are not among some in ascending order.
func without(n int, some []int32) (rest []int64) {
	for i := range n {
		if _, is := slices.BinarySearch(some, int32(i)); !is {
			rest = append(rest, int64(i))
		}
	}
	return rest
}

// solve returns the y with m y = f (nil: zero), of the scaled m, from a first y, with the unknowns of m as given. After repetitions, with m y in double-double
// arithmetic, y is right to the rounding of its elements, whatever the condition of the rest of m. It returns nil if y is zero or not finite, or the solve has ended.
func (b *factored) solve(y, f []float64) []float64 {
	for range 1 + nullRefinements {
		if b.Ctx.Err() != nil {
			return nil
		}
		b.refine(y, f)
	}
	if v := AbsMax(y); v == 0 || !backend.Finite(v) {
		return nil
	}
	for i := range y {
		y[i] = dd.Ldexp(y[i], b.scaling.Col[i])
	}
	return y
}

// refine sets y to y - M^-1 (m y - f); where f is zero, nil, with a largest element near 1.
func (b *factored) refine(y, f []float64) {
	r, d := make([]float64, len(y)), make([]float64, len(y))
	b.S.Pool.Each((len(y)+refinedRows-1)/refinedRows, func(k int) {
		for i := k * refinedRows; i < min((k+1)*refinedRows, len(y)); i++ {
			var sum dd.DD
			cols, vals := b.m.Row(i)
			for k, j := range cols {
				sum = sum.AddProd(vals[k], y[j])
			}
			if f != nil {
				sum = sum.Sub(dd.From(f[i]))
			}
			r[i] = sum.Float()
		}
	})
	b.factors.Apply(d, r)
	for i := range y {
		y[i] -= d[i]
	}
	if f != nil {
		return
	}
	e := dd.Exponent(AbsMax(y))
	for i := range y {
		y[i] = dd.Ldexp(y[i], -e)
	}
}

// refinedRows is the number of rows whose residuals a thread computes at a time.
const refinedRows = 1024

// withEntries returns a copy of m with values added at some entries, at most one in a row.
func withEntries(m *csr.Matrix, rows, cols []int64, values []float64) *csr.Matrix {
	made, err := dist.Whole(m).Plus(entries(rows, cols, values))
	if err != nil {
		panic(err) // the rows of m are on one rank already
	}
	return made.Local
}
