package special

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// parted is a square matrix, whole or in domains, with operations on vectors of its layout; of a whole matrix these are plain vectors. Sums are exact, so that results
// are the same on all ranks and for any number of them. Over domains, methods are collective.
type parted struct {
	*dist.Matrix
	linop.Host
	job  *ranks.Job // nil: the matrix is whole
	pool *parallel.Pool
}

// whole returns a matrix in one part.
func whole(m *csr.Matrix, pool *parallel.Pool) parted {
	a := dist.Whole(m)
	return parted{a, dist.NewSpace(a.Layout, pool), nil, pool}
}

// over returns the matrix of a job.
func over(j *ranks.Job, pool *parallel.Pool) parted {
	return parted{j.Matrix, dist.NewSpace(j.Layout, pool), j, pool}
}

// check checks the elements of this rank of a vector.
func (a parted) check(what string, v []float64) error {
	if a.job == nil {
		return rules.CheckVector(what, v, a.Local.Rows)
	}
	return ranks.AgreeError(a.Comm, a.job.Check(what, v, a.Domains))
}

// spread returns the vector with these elements of this rank.
func (a parted) spread(own []float64) []float64 {
	if a.job == nil {
		return own
	}
	v := a.New()
	a.Matrix.Spread(v, own)
	return v
}

// own is the inverse of spread.
func (a parted) own(v []float64) []float64 {
	if a.job == nil {
		return v
	}
	own := make([]float64, a.Own)
	a.Join(own, v)
	return own
}

// ownOf returns the elements of this rank of a whole vector.
func (a parted) ownOf(v []float64) (own []float64) {
	for _, p := range a.Parts {
		own = append(own, v[p.Row:p.Row+int64(p.Own)]...)
	}
	return own
}

// judge is verify.Judge.
func (a parted) judge(x, b []float64, tol float64) (verify.Judgement, error) {
	if a.job == nil {
		return verify.Judge(a.Local, x, b, tol, a.pool)
	}
	return verify.JudgeDistributed(a.Matrix, x, b, tol, a.pool), nil
}

// errors is verify.Compute.
func (a parted) errors(x, b []float64) (verify.Errors, error) {
	if a.job == nil {
		return verify.Compute(a.Local, x, b, a.pool)
	}
	e, _ := verify.ComputeDistributed(a.Matrix, x, b, false, a.pool)
	return e, nil
}

// gathered returns the whole matrix and a whole vector.
func (a parted) gathered(b []float64) (*csr.Matrix, []float64) {
	if a.job == nil {
		return a.Local, b
	}
	return a.job.Gather(b)
}

// plus returns the matrix with terms added, see dist.Matrix.Plus.
func (a parted) plus(more func(row int64) ([]int64, []float64)) (parted, error) {
	return a.other(a.Matrix.Plus(more))
}

// transpose returns the transpose.
func (a parted) transpose() (parted, error) {
	if a.job == nil {
		return whole(a.Local.Transpose(a.pool), a.pool), nil
	}
	return a.other(a.Matrix.Transpose())
}

// other returns another matrix of the same rows.
func (a parted) other(m *dist.Matrix, err error) (parted, error) {
	if err != nil {
		return parted{}, err
	}
	b := parted{Matrix: m, Host: dist.NewSpace(m.Layout, a.pool), pool: a.pool}
	if a.job != nil {
		b.job = &ranks.Job{Matrix: m}
	}
	return b, nil
}

// most returns the largest of 0 and what of returns for the positions of own elements.
func (a parted) most(of func(i int) float64) float64 {
	return a.Max(func(lo, hi int) (most float64) {
		for i := lo; i < hi; i++ {
			most = max(most, of(i))
		}
		return most
	})
}

// total returns the sum of what of returns for the positions of own elements.
func (a parted) total(of func(i int) float64) float64 {
	return a.Sum(func(lo, hi int) (sum float64) {
		for i := lo; i < hi; i++ {
			sum += of(i)
		}
		return sum
	})
}

// dot returns x'y, accumulated in double-double arithmetic.
func (a parted) dot(x, y []float64) float64 {
	within := func(lo, hi int) (sum dd.DD) {
		for i := lo; i < hi; i++ {
			sum = sum.AddProd(x[i], y[i])
		}
		return sum
	}
	return a.Sum(func(lo, hi int) float64 { return within(lo, hi).Hi }) + a.Sum(func(lo, hi int) float64 { return within(lo, hi).Lo })
}

// each sets dst_i to what of returns for the positions of own elements, and returns dst.
func (a parted) each(dst []float64, of func(i int) float64) []float64 {
	a.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = of(i)
		}
	})
	return dst
}

// in returns what of returns for the position of a row on the rank that owns it.
func (a parted) in(row int64, of func(i int) float64) float64 {
	at, here := a.Position(row)
	return a.Sum(func(lo, hi int) float64 {
		if here && lo <= at && at < hi {
			return of(at)
		}
		return 0
	})
}

// at returns the element of a vector in a row.
func (a parted) at(v []float64, row int64) float64 {
	return a.in(row, func(i int) float64 { return v[i] })
}

// first returns the first row in whose position what of returns is the largest; NaN counts as -Inf.
func (a parted) first(of func(i int) float64) int64 {
	best := a.Max(func(lo, hi int) float64 {
		best := math.Inf(-1)
		for i := lo; i < hi; i++ {
			if v := of(i); v > best {
				best = v
			}
		}
		return best
	})
	return -int64(a.Max(func(lo, hi int) float64 {
		for i := lo; i < hi; i++ {
			if of(i) >= best {
				return -float64(a.Global(i))
			}
		}
		return math.Inf(-1)
	}))
}

// normalized returns v / |v|_2, whatever the range of v.
func (a parted) normalized(v []float64) []float64 {
	_, e := math.Frexp(a.AbsMax(v))
	u := a.each(a.New(), func(i int) float64 { return dd.Ldexp(v[i], -e) })
	norm := math.Sqrt(a.dot(u, u))
	return a.each(u, func(i int) float64 { return u[i] / norm })
}

// orthogonalTo returns x less its part in the span of orthonormal vectors.
func (a parted) orthogonalTo(vectors [][]float64, x []float64) []float64 {
	_, e := math.Frexp(a.AbsMax(x))
	y := a.each(a.New(), func(i int) float64 { return dd.Ldexp(x[i], -e) })
	for _, v := range vectors {
		c := a.dot(v, y)
		a.each(y, func(i int) float64 { return y[i] - float64(c*v[i]) })
	}
	return a.each(y, func(i int) float64 { return dd.Ldexp(y[i], e) })
}

// constants returns for each connected component of the graph of the matrix the vector that is 1 there and 0 elsewhere, in the order of their first rows; nil: there
// are more than most. count is their number.
func (a parted) constants(most int) (count int, constants [][]float64) {
	parts, of := components(a.Local)
	least, label := make([]int64, parts), make([]int64, a.Len) // the first rows of components
	for k := range least {
		least[k] = math.MaxInt64
	}
	for _, p := range a.Parts {
		for i := p.First(); i < p.End(); i++ {
			least[of[i]] = min(least[of[i]], a.Global(i))
		}
	}
	for changed := true; changed; {
		for i, k := range of {
			label[i] = least[k]
		}
		dist.Fold(a.Halo, label, func(a, b int64) int64 { return min(a, b) })
		dist.Copy(a.Halo, label)
		changed = false
		for i, k := range of {
			if label[i] < least[k] {
				least[k], changed = label[i], true
			}
		}
		changed = dist.Any(a.Comm, changed)
	}
	var own []int64
	for _, p := range a.Parts {
		for i := p.First(); i < p.End(); i++ {
			if label[i] == a.Global(i) {
				own = append(own, label[i])
			}
		}
	}
	total := []int64{int64(len(own))}
	if a.Comm.Sum(total); total[0] > int64(most) {
		return int(total[0]), nil
	}
	for _, first := range a.all(own) {
		constants = append(constants, a.each(a.New(), func(i int) float64 {
			if label[i] == first {
				return 1
			}
			return 0
		}))
	}
	return int(total[0]), constants
}

// all returns the numbers of all ranks, in their order.
func (a parted) all(own []int64) (all []int64) {
	for _, b := range a.Comm.Gather(dist.Bytes(own)) {
		all = append(all, dist.Numbers[int64](b)...)
	}
	return all
}
