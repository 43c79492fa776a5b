package ranks

import (
	"encoding/binary"
	"math"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A Job is a matrix of several domains that ranks share, and their agreement.
type Job struct {
	*dist.Matrix // as given
	*Agreement   // on the context of the call in progress
}

// Step runs a step of a set-up on all ranks. It returns the error of the first rank that has one, or of the context. Collective.
func (j *Job) Step(do func() error) error {
	if err := j.Look(); err != nil {
		return err
	}
	return AgreeError(j.Comm, do())
}

// Scaling returns a scaling of the matrix. Collective.
func Scaling(m *dist.Matrix, kind solve.Scale, symmetric bool, pool *parallel.Pool) (s csr.Scaling, err error) {
	switch kind {
	case solve.ScaleRow:
		s = dist.RowScaling(m, pool)
	case solve.ScaleSym:
		s, err = dist.SymmetricScaling(m, symmetric, pool)
	case solve.ScaleBoth:
		s = dist.BothScaling(m, pool)
	default:
		s = csr.NoScaling(m.Local)
	}
	if m.Len == 0 { // slices with addresses that differ, as on other ranks
		s = csr.Scaling{Row: make([]int, 0, 1), Col: make([]int, 0, 1)}
		if kind == solve.ScaleSym {
			s.Col = s.Row
		}
	}
	return s, err
}

// Check is CheckVector for the elements of this rank of a vector that is cut into d. Errors number elements within the whole vector.
func (j *Job) Check(what string, v []float64, d dist.Domains) error {
	own := d.Spans(j.Comm.Size())[j.Comm.Rank()]
	if int64(len(v)) != own.Rows() {
		return rules.Invalid("the %s has %d elements on a rank, the matrix %d rows there", what, len(v), own.Rows())
	}
	return rules.CheckElements(what, v, own.From)
}

// Constants returns precond.Constants in the positions of this rank, ghosts included.
func (j *Job) Constants(size int) [][]float64 {
	v := make([][]float64, size)
	for c := range v {
		v[c] = make([]float64, j.Len)
	}
	for _, p := range j.Parts {
		for i := p.At; i < p.Next(); i++ {
			v[int(j.Global(i)%int64(size))][i] = 1
		}
	}
	return v
}

// rootElements is how many elements of a vector rank 0 gets at a time.
var rootElements int64 = 4 << 20

// ToRoot passes a whole vector that is cut into d to put on rank 0, some elements at a time, from the elements of all ranks. Collective.
func (j *Job) ToRoot(own []float64, d dist.Domains, put func(part []float64)) {
	here := d.Spans(j.Comm.Size())[j.Comm.Rank()]
	for at := int64(0); at < d.Rows(); at += rootElements {
		to := make([][]byte, j.Comm.Size())
		if from, end := max(at, here.From), min(at+rootElements, here.End); from < end {
			to[0] = dist.Bytes(own[from-here.From : end-here.From])
		}
		for _, b := range j.Comm.Alltoall(to) {
			if j.Comm.Rank() == 0 {
				put(dist.Numbers[float64](b))
			}
		}
	}
}

// OwnRanges returns the positions of the own elements of each domain of this rank: the first, and the one after the last.
func (j *Job) OwnRanges() (own [][2]int) {
	for _, p := range j.Parts {
		own = append(own, [2]int{p.First(), p.End()})
	}
	return own
}

// LargestExponent returns the largest exponent of all ranks that have any; any is false without one. Collective.
func (j *Job) LargestExponent(e int, any bool) (int, bool) {
	most := []int64{math.MinInt64}
	if any {
		most[0] = int64(e)
	}
	if j.Comm.Max(most); most[0] == math.MinInt64 {
		return 0, false
	}
	return int(most[0]), true
}

// Gather returns the whole matrix and a whole vector on every rank. Collective.
func (j *Job) Gather(x []float64) (*csr.Matrix, []float64) {
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
