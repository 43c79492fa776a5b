package precond

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// newIncomplete stores factors, which it overwrites.
// Factors so ill-conditioned that rounding them changes what M^-1 does are kept
// in more bits than Options.Epsilon says.
func (s *setup) newIncomplete(name string, f *factors, at placement) (Preconditioner, error) {
	s.Stage("storing the factors")
	n, entries := len(f.d), f.entries()
	a := &incomplete{
		name: fmt.Sprintf("%s, %d entries", name, entries+int64(n)), n: n, pool: s.pool,
		row: at.row, col: at.col, bounds: at.bounds, work: make([]float64, n),
	}
	if err := s.interrupted(); err != nil {
		return nil, err
	}
	g, err := s.normalise(f, at)
	if err != nil {
		return nil, err
	}
	if err := s.interrupted(); err != nil {
		return nil, err
	}
	test := s.newProbe(f, g, at)
	wanted := width(s.Epsilon)
	w := wanted
	for ; ; w *= 2 {
		if err := cmp.Or(s.interrupted(), s.checkEntries(entries, w)); err != nil {
			return nil, err
		}
		switch w {
		case 1:
			a.sweeps = newPair[int8, float32](f, g, math.MaxInt8, s.pool)
		case 2:
			a.sweeps = newPair[int16, float32](f, g, math.MaxInt16, s.pool)
		case 4:
			a.sweeps = newPair[int32, float64](f, g, math.MaxInt32, s.pool)
		default:
			a.sweeps = newPair[float64, float64](f, g, 0, s.pool)
		}
		if w == 8 || test.passes(a) {
			break
		}
	}
	if w > wanted {
		s.logf("%s: ill-conditioned factors: values of %d bytes instead of %d", name, w, wanted)
	}
	a.cost = Cost{
		Values: entries + int64(n), ValueBytes: w*entries + 8*int64(n),
		Bytes: storedBytes(int64(n), entries, w), FP64Bytes: storedBytes(int64(n), entries, 8),
	}
	return a, nil
}

// newUnrounded keeps factors as they are: D_r is a scaling alone, and U T has the pivots in T.
func (s *setup) newUnrounded(name string, f *factors, at placement) (Preconditioner, error) {
	n, entries := len(f.d), f.entries()
	lower := triangle[float64, float64]{pointers(f.l.ptr), f.l.col, f.l.val, make([]scales[float64], n)}
	upper := triangle[float64, float64]{pointers(f.u.ptr), f.u.col, f.u.val, make([]scales[float64], n)}
	for k, d := range f.d {
		v := 1 / d
		if !finite(v) || v == 0 {
			return nil, fmt.Errorf("%w: pivot %d is %g", ErrSingular, k+1, d)
		}
		lower.diag[k], upper.diag[k] = scales[float64]{1, 1}, scales[float64]{v, v}
		if at.rowExp != nil {
			lower.diag[k].d = math.Ldexp(1, at.rowExp[numbered(at.row, k)])
			upper.diag[k].d = math.Ldexp(v, at.colExp[numbered(at.col, k)])
		}
	}
	if slices.ContainsFunc(f.l.val, infinite) || slices.ContainsFunc(f.u.val, infinite) {
		return nil, fmt.Errorf("%w: the factors overflow", ErrSingular)
	}
	return &incomplete{
		name: fmt.Sprintf("%s, %d entries", name, entries+int64(n)), n: n, pool: s.pool,
		row: at.row, col: at.col, bounds: at.bounds, work: make([]float64, n),
		sweeps: &pair[float64, float64]{lower, upper},
		cost: Cost{
			Values: entries + int64(n), ValueBytes: 8*entries + 8*int64(n),
			Bytes: storedBytes(int64(n), entries, 8), FP64Bytes: storedBytes(int64(n), entries, 8),
		},
	}, nil
}

// pointers returns the bounds of rows with few entries.
func pointers(ptr []int64) []int32 {
	out := make([]int32, len(ptr))
	for k, at := range ptr {
		out[k] = int32(at)
	}
	return out
}

// diagonals are the diagonals of an incomplete: the inverses of D_r and D_c, and the
// largest magnitudes of the rows of S L and of the columns of U T.
type diagonals struct{ dl, du, s, t []float64 }

// normalise scales the factors to pivots of one.
func (s *setup) normalise(f *factors, at placement) (diagonals, error) {
	n := len(f.d)
	zeros := func() []float64 { return make([]float64, n) }
	g := diagonals{zeros(), nil, nil, zeros()}
	root := zeros() // of the magnitude of each pivot
	each := func(do func(k int)) {
		s.pool.RunRanges(evenly(n, convertRows), func(_, lo, hi int) {
			for k := lo; k < hi; k++ {
				do(k)
			}
		})
	}
	each(func(k int) {
		root[k] = math.Sqrt(math.Abs(f.d[k]))
		g.dl[k] = math.Copysign(1/root[k], f.d[k])
	})
	for k, d := range f.d {
		if !finite(g.dl[k]) || g.dl[k] == 0 {
			return g, fmt.Errorf("%w: pivot %d is %g", ErrSingular, k+1, d)
		}
	}
	each(func(k int) {
		cols, vals := f.u.row(k)
		for e, j := range cols {
			vals[e] = vals[e] * g.dl[k] / root[j]
		}
	})
	for e, j := range f.u.col {
		g.t[j] = max(g.t[j], math.Abs(f.u.val[e]))
	}
	g.du, g.s = g.dl, g.t
	if !f.symmetric {
		g.du, g.s = zeros(), zeros()
		each(func(k int) {
			cols, vals := f.l.row(k)
			for e, j := range cols {
				v := vals[e] * f.d[j] * g.dl[k] / root[j]
				vals[e], g.s[k] = v, max(g.s[k], math.Abs(v))
			}
			g.du[k] = math.Abs(g.dl[k])
		})
	}
	if at.rowExp != nil {
		each(func(k int) {
			g.dl[k] = math.Ldexp(g.dl[k], at.rowExp[numbered(at.row, k)])
			if !f.symmetric {
				g.du[k] = math.Ldexp(g.du[k], at.colExp[numbered(at.col, k)])
			}
		})
	}
	for k := range n {
		if !finite(g.s[k]) || !finite(g.t[k]) {
			return g, fmt.Errorf("%w: the factors overflow at pivot %d", ErrSingular, k+1)
		}
	}
	return g, nil
}

// numbered returns order[k]; a nil order is the identity.
func numbered(order []int32, k int) int {
	if order == nil {
		return k
	}
	return int(order[k])
}

// newPair rounds normalised factors to integers of magnitude at most most, or not at all if
// that is 0.
func newPair[T value, S real](f *factors, g diagonals, most float64, pool *parallel.Pool) *pair[T, S] {
	p := &pair[T, S]{u: newTriangle[T](&f.u, g.du, scaled[S](g.t, most))}
	p.u.round(&f.u, true, most, pool)
	if f.symmetric {
		p.l = p.u.transposed()
		return p
	}
	p.l = newTriangle[T](&f.l, g.dl, scaled[S](g.s, most))
	p.l.round(&f.l, false, most, pool)
	return p
}

// scaled returns the units of rows or columns whose largest magnitudes are given.
func scaled[S real](largest []float64, most float64) []S {
	s := make([]S, len(largest))
	for k, v := range largest {
		if s[k] = S(v / most); most == 0 || s[k] == 0 {
			s[k] = 1
		}
	}
	return s
}

// newTriangle returns a triangle of the columns of r with the diagonals d and s.
func newTriangle[T value, S real](r *rows, d []float64, s []S) triangle[T, S] {
	t := triangle[T, S]{pointers(r.ptr), slices.Clone(r.col), make([]T, len(r.col)), make([]scales[S], len(d))}
	for k := range d {
		t.diag[k] = scales[S]{S(d[k]), s[k]}
	}
	return t
}

// round sets the values of t to the values of r in units of the row, or of the column.
func (t *triangle[T, S]) round(r *rows, byColumn bool, most float64, pool *parallel.Pool) {
	pool.RunRanges(evenly(len(t.diag), convertRows), func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			for e := r.ptr[k]; e < r.ptr[k+1]; e++ {
				v, unit := r.val[e], k
				if byColumn {
					unit = int(r.col[e])
				}
				if most != 0 {
					v = math.RoundToEven(v / float64(t.diag[unit].s))
				}
				t.val[e] = T(v)
			}
		}
	})
}

// transposed returns the transpose, which shares the diagonals.
func (t triangle[T, S]) transposed() triangle[T, S] {
	n := len(t.diag)
	out := triangle[T, S]{make([]int32, n+1), make([]int32, len(t.col)), make([]T, len(t.col)), t.diag}
	for _, j := range t.col {
		out.ptr[j+1]++
	}
	for k := range n {
		out.ptr[k+1] += out.ptr[k]
	}
	next := slices.Clone(out.ptr[:n])
	for k := range n {
		for e := t.ptr[k]; e < t.ptr[k+1]; e++ {
			j := t.col[e]
			out.col[next[j]], out.val[next[j]] = int32(k), t.val[e]
			next[j]++
		}
	}
	return out
}

// A probe is a vector y and M y, with M as it was before rounding.
type probe struct{ y, my []float64 }

// mostChange limits the change of the probe by rounding, relative to the probe in the 2-norm
// after scaling.
const mostChange = 1

// newProbe takes y = D_c^-1 w with elements of w that are 1 or -1.
func (s *setup) newProbe(f *factors, g diagonals, at placement) probe {
	n := len(f.d)
	p := probe{make([]float64, n), make([]float64, n)}
	uw, luw := make([]float64, n), make([]float64, n)
	bounds := evenly(n, convertRows)
	s.pool.RunRanges(bounds, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			uw[k] = sign(k)
			cols, vals := f.u.row(k)
			for e, j := range cols {
				uw[k] += vals[e] * sign(int(j))
			}
		}
	})
	if f.symmetric {
		for k := range n {
			luw[k] += uw[k]
			cols, vals := f.u.row(k)
			for e, j := range cols {
				luw[j] += vals[e] * uw[k]
			}
		}
	}
	s.pool.RunRanges(bounds, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			if !f.symmetric {
				luw[k] = uw[k]
				cols, vals := f.l.row(k)
				for e, j := range cols {
					luw[k] += vals[e] * uw[j]
				}
			}
			p.y[numbered(at.col, k)] = sign(k) * g.du[k]
			p.my[numbered(at.row, k)] = luw[k] / g.dl[k]
		}
	})
	return p
}

// sign is a pseudo-random 1 or -1.
func sign(k int) float64 { return 1 - 2*float64(uint64(k+1)*0x9e3779b97f4a7c15>>63) }

// passes reports whether M^-1 M y is near y.
func (p probe) passes(a *incomplete) bool {
	z := make([]float64, a.n)
	a.Apply(z, p.my)
	change := 0.0
	for i, y := range p.y {
		r := z[i]/y - 1
		change += r * r
	}
	return change <= mostChange*mostChange*float64(a.n)
}
