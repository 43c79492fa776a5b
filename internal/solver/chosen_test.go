package solver

import (
	"errors"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// With the memory that is forecast each preconditioner is set up, with less it is not: in one domain and in two.
func TestForecastOfPreconditioners(t *testing.T) {
	spd, wind := grid(30, 0, 0), grid(30, 0.3, 0)
	for domains := 1; domains <= 2; domains++ {
		for _, kind := range precond.Kinds() {
			d, _ := precond.Lookup(kind)
			if d.Kind == precond.None {
				continue
			}
			m, method := wind, solve.GMRES
			if d.Definite || d.Symmetric {
				m, method = spd, solve.CG
			}
			forecast := func(limit int64) (bytes int64, err error) {
				opt := solve.Options{Method: method, Precond: solve.Precond{Kind: d.Kind}, Limits: solve.Limits{MaxMemory: limit}, Krylov: solve.Krylov{Restart: 20}}
				dist.Run(1, func(c dist.Comm) {
					var s *Solver
					if s, err = newIn(t, c, m, domains, opt); err == nil {
						bytes = s.Memory()[0].Preconditioned
						s.Close()
					}
				})
				return bytes, err
			}
			bytes, err := forecast(0)
			if err != nil {
				t.Errorf("%s, %d domains: %v", d.Kind, domains, err)
				continue
			}
			if again, err := forecast(bytes); err != nil || again != bytes {
				t.Errorf("%s, %d domains, with the %d bytes that are forecast: %d, %v", d.Kind, domains, bytes, again, err)
			}
			if _, err := forecast(bytes * 99 / 100); !errors.Is(err, precond.ErrMemory) {
				t.Errorf("%s, %d domains, with a hundredth less: %v", d.Kind, domains, err)
			}
		}
	}
}

// newIn makes a solver of a matrix in so many domains, all of one rank.
func newIn(t *testing.T, c dist.Comm, m *csr.Matrix, domains int, opt solve.Options) (*Solver, error) {
	if domains == 1 {
		return New(t.Context(), m, opt)
	}
	a, err := dist.Spread(c, m, domains)
	if err != nil {
		return nil, err
	}
	return NewDistributed(t.Context(), a, opt)
}
