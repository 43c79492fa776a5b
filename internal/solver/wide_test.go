package solver

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// Systems are solved, and verified, where most rows are numbered beyond 2^32, with the same bits as where none is if the preconditioner
// depends neither on the number of rows nor on a sample of them (Concurrent).
func TestConcurrentFarSystems(t *testing.T) {
	for _, c := range []struct {
		m     *csr.Matrix
		by    solve.Method // CG depends on the size of domains
		kind  precond.Kind
		alike bool
	}{
		{grid(60, 0, 0), solve.MINRES, precond.FSAI, true},
		{grid(60, 0, 0), solve.CG, precond.FSAI, false},
		{grid(60, 0, 0), solve.CG, precond.AMG, false},
		{grid(60, 0.5, 0), "", precond.ILU0, false},
		{grid(60, 0.5, 0), "", precond.Jacobi, true},
	} {
		if host.RaceDetector && c.kind != precond.FSAI {
			continue
		}
		b := random(1, c.m.Rows)
		opt := solve.Options{Method: c.by, Precond: solve.Precond{Kind: c.kind}, Limits: solve.Limits{Threads: 1}}
		near, far := solveSpaced(t, c.m, b, 0, opt), solveSpaced(t, c.m, b, 5_000_000_000, opt)
		if c.alike && !slices.Equal(near, far) {
			t.Errorf("%s: other bits", c.kind)
		}
		if e, err := verify.Compute(c.m, far, b, nil); err != nil || !(e.Normwise < 1e-8) {
			t.Errorf("%s: errors %+v, %v", c.kind, e, err)
		}
	}
}

// solveSpaced solves a system in three domains, with a gap of rows behind the first one, and returns x.
func solveSpaced(t *testing.T, m *csr.Matrix, b []float64, gap int64, opt solve.Options) []float64 {
	t.Helper()
	x := make([]float64, m.Rows)
	n := int64(m.Rows) / 6 * 6
	s := testsupport.Spaced{M: m, Starts: [4]int64{0, n / 3, n / 2, int64(m.Rows)}, Gap: gap, Idle: func(first []byte) []byte {
		switch {
		case json.Valid(first):
			return []byte("[]") // outcomes of no domains
		case bytes.Contains(first, []byte(kernels.Default().String())):
			return slices.Clone(first)
		case len(first) == 80: // facts
			first = slices.Clone(first)
			binary.LittleEndian.PutUint64(first[8:], uint64(gap)) // rows with a positive diagonal element
			return first
		}
		return nil
	}}
	s.Run(func(c dist.Comm, a *dist.Matrix, first int64, err error) {
		if err != nil {
			t.Error(err)
			return
		}
		r, err := func() (r solve.Result, err error) {
			s, err := NewDistributed(t.Context(), a, opt)
			if err != nil {
				return r, err
			}
			defer s.Close()
			return s.Solve(t.Context(), b[first:first+int64(a.Own)], nil)
		}()
		if err != nil || !r.Reason.Converged() {
			t.Error(fmt.Sprintf("%s, gap %d, rank %d: %s", opt.Precond.Kind, gap, c.Rank(), r.Reason), err)
			return
		}
		copy(x[first:], r.X)
	})
	return x
}
