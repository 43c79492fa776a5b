package ranks

import (
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/pkg/csr"
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

// Check is CheckVector for the own elements of a vector. Errors number elements within the whole vector.
func (j *Job) Check(what string, v []float64) error {
	if len(v) != j.Own {
		return options.Invalid("the %s has %d elements on a rank, the matrix %d rows there", what, len(v), j.Own)
	}
	at := 0
	for _, p := range j.Parts {
		for i := range p.Own {
			if e := v[at]; e-e != 0 {
				return options.Invalid("element %d of the %s is %v", p.Row+int64(i)+1, what, e)
			}
			at++
		}
	}
	return nil
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
