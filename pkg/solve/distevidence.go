package solve

import (
	"encoding/binary"
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// gatheredRows is the number of rows up to which each rank gathers the whole matrix to look for evidence.
const gatheredRows = 100_000

// seekEvidenceOverDomains is seekEvidence for a matrix of several domains: by factors of one that is not large, which each rank
// gathers, and by inverse iteration where A is its own transpose.
func (a *answer) seekEvidenceOverDomains() error {
	if a.s.rows() <= gatheredRows {
		a.seekGathered()
	}
	if a.evidence == nil && a.transposed() {
		return a.seekSymmetric()
	}
	if a.evidence == nil && a.s.rows() > gatheredRows {
		a.s.say("verdict %s: whether equations of an unsymmetric matrix contradict each other is not found out over several domains (--domains 1)", a.reason)
	}
	return nil
}

// seekGathered looks for evidence in the whole system, on each rank the same way.
func (a *answer) seekGathered() {
	j := a.s.job
	m, b := j.gather(a.b)
	s := &Solver{Facts: a.s.Facts, Method: a.s.Method, given: m, m: m, opt: a.s.opt, pool: a.s.pool, known: new(knownParts)}
	whole := &answer{s: s, ctx: a.ctx, vectors: linop.NewHost(m.Rows, s.pool), Judgement: a.Judgement, given: b, reason: a.reason}
	if m.Rows <= denseRows {
		whole.weighAll(leftNullVectors(m))
	}
	if whole.evidence == nil {
		whole.weighAll(whole.projectedNull())
	}
	if v := whole.evidence; v != nil {
		own := make([]float64, 0, j.Own)
		for _, p := range j.Parts {
			own = append(own, v.Y[p.Row:p.Row+int64(p.Own)]...)
		}
		v.Y, a.evidence = own, v
	}
}

// seekSymmetric looks for evidence by inverse iteration.
func (a *answer) seekSymmetric() error {
	found, err := a.inverseIteration()
	if err != nil {
		return err
	}
	for _, y := range found {
		found = append(found, a.withoutSmall(y))
	}
	for _, y := range found {
		v, err := a.weighOverDomains(y)
		if err != nil {
			return err
		}
		if v.shows(a.s.rows()) && a.believes(&v) {
			a.evidence = &v
		}
	}
	return nil
}

// withoutSmall is y without elements that are but roundings of the largest ones, such as those of parts that are not singular.
func (a *answer) withoutSmall(y []float64) []float64 {
	least, large := smallElement*a.vectors.AbsMax(y), a.vectors.New()
	a.vectors.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if math.Abs(y[i]) > least {
				large[i] = y[i]
			}
		}
	})
	return large
}

// weighOverDomains is weigh for a symmetric matrix and a vector of this rank.
func (a *answer) weighOverDomains(y []float64) (v Evidence, err error) {
	j, h := a.s.job, a.vectors
	null, r := h.New(), h.New()
	v.Null = verify.ComputeDistributed(j.Matrix, y, null, a.s.pool).Componentwise
	if err := a.s.refiner.residual(r, y, null); err != nil {
		return v, err
	}
	product := math.Abs(h.Dot(y, a.b).Float())
	size := func(x []float64, by func(i int) float64) float64 {
		return h.Sum(func(lo, hi int) (sum float64) {
			for i := lo; i < hi; i++ {
				sum += math.Abs(x[i] * by(i))
			}
			return sum
		})
	}
	v.Product = product / size(y, func(i int) float64 { return a.b[i] })
	v.Smallest = product / size(r, func(int) float64 { return 1 })
	v.Y = make([]float64, j.Own)
	j.Join(v.Y, y)
	return v, nil
}

// gather returns the whole of a small matrix and of a vector, on every rank. Collective.
func (j *job) gather(x []float64) (*csr.Matrix, []float64) {
	var own []byte
	for _, p := range j.Parts {
		for i := p.First(); i < p.End(); i++ {
			cols, vals := j.Local.Row(i)
			own = binary.LittleEndian.AppendUint64(own, math.Float64bits(x[i]))
			own = binary.LittleEndian.AppendUint64(own, uint64(len(cols)))
			for k, c := range cols {
				own = binary.LittleEndian.AppendUint64(own, uint64(j.Global(int(c))))
				own = binary.LittleEndian.AppendUint64(own, math.Float64bits(vals[k]))
			}
		}
	}
	n := int(j.N)
	m, whole := &csr.Matrix{Rows: n, Cols: n, RowPtr: make([]int64, 1, n+1)}, make([]float64, 0, n)
	for _, b := range j.Comm.Gather(own) {
		next := func() (v uint64) {
			v, b = binary.LittleEndian.Uint64(b), b[8:]
			return v
		}
		for len(b) > 0 {
			whole = append(whole, math.Float64frombits(next()))
			for range next() {
				m.Col = append(m.Col, int32(next()))
				m.Val = append(m.Val, math.Float64frombits(next()))
			}
			m.RowPtr = append(m.RowPtr, int64(len(m.Col)))
		}
	}
	return m, whole
}
