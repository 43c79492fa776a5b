package solve

import (
	"slices"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/dist"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// job is what a Solver has of the ranks that it shares a matrix of several domains with.
type job struct {
	*dist.Matrix // as given
	*agreement   // on the context of the call in progress
}

// step runs what all ranks do in a set-up, and returns the error of the first rank that has one, or that of the context. Collective.
func (j *job) step(do func() error) error {
	if err := j.look(); err != nil {
		return err
	}
	return agreeError(j.Comm, do())
}

// scaling returns a scaling of the matrix, which is collective.
func (j *job) scaling(kind Scale, symmetric bool, pool *parallel.Pool) (s csr.Scaling, err error) {
	switch kind {
	case ScaleRow:
		s = dist.RowScaling(j.Matrix, pool)
	case ScaleSym:
		s, err = dist.SymmetricScaling(j.Matrix, symmetric, pool)
	case ScaleBoth:
		s = dist.BothScaling(j.Matrix, pool)
	default:
		s = csr.NoScaling(j.Local)
	}
	if j.Len == 0 { // slices that differ, as those of other ranks do
		s = csr.Scaling{Row: make([]int, 0, 1), Col: make([]int, 0, 1)}
		if kind == ScaleSym {
			s.Col = s.Row
		}
	}
	return s, err
}

// describe says how the parts of all ranks are stored. Collective.
func (j *job) describe(made []*adaptive.Matrix, t Storage) stored {
	s := stored{storage: t, rows: int(j.N)}
	type part struct {
		Bytes  int64
		Stats  adaptive.Stats
		Layout string
		FP64   bool
		Slow   bool
	}
	var own []part
	for _, m := range made {
		l := m.Layout()
		own = append(own, part{m.Bytes(), m.Stats(), m.LayoutText(), l.FP64(), l == adaptive.Bucketed})
	}
	fp64 := true
	var layouts []string
	for _, message := range j.Comm.Gather(encoded(own)) {
		var parts []part
		decode(message, &parts)
		for _, p := range parts {
			s.bytes += p.Bytes
			s.stats = s.stats.Add(p.Stats)
			fp64, s.slow = fp64 && p.FP64, s.slow || p.Slow
			if !slices.Contains(layouts, p.Layout) {
				layouts = append(layouts, p.Layout)
			}
		}
	}
	if s.layout = layouts[0]; len(layouts) > 1 {
		s.layout += "; in other domains others"
	}
	if fp64 { // nothing to escalate
		s.storage, s.stats = t.fp64(), adaptive.Stats{}
	}
	return s
}

// check is CheckVector for the own elements of a vector; elements are counted in the whole.
func (j *job) check(what string, v []float64) error {
	if len(v) != j.Own {
		return invalid("the %s has %d elements on a rank, the matrix %d rows there", what, len(v), j.Own)
	}
	at := 0
	for _, p := range j.Parts {
		for i := range p.Own {
			if e := v[at]; e-e != 0 {
				return invalid("element %d of the %s is %v", p.Row+int64(i)+1, what, e)
			}
			at++
		}
	}
	return nil
}

// constants is precond.Constants in positions of this rank, ghosts included.
func (j *job) constants(size int) [][]float64 {
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
