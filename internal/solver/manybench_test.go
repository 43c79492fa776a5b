package solver

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// BenchmarkSolveMany compares eight right-hand sides with one, at the default options, on two threads: the least times of a
// solve for one, of SolveMany for eight, and of both with the set-up, all measured in turns. The figures in docs/usage.md are those of
//
//	go test ./internal/solver -run '^$' -bench SolveMany -benchtime 3x
func BenchmarkSolveMany(b *testing.B) {
	for _, name := range []string{
		"bcsstk16", "wathen_30_30", "Andrews", "rail_79841", "anisotropic3d7816", "memplus", "norne_tpfa_r1", "sherman1", "beam_tet_dof2475",
		"BentPipe2D100", "lap3d_40", "Trefethen_2000", "fidap007",
	} {
		b.Run(name, func(b *testing.B) { compareMany(b, testsupport.Matrix(b, name)) })
	}
	for name, g := range map[string]struct {
		kind string
		p    generate.Params
	}{
		"poisson2d n=300":   {"poisson2d", generate.Params{"n": 300}},
		"poisson3d n=48":    {"poisson3d", generate.Params{"n": 48}},
		"elasticity3d n=16": {"elasticity3d", generate.Params{"n": 16}},
		"convdiff3d n=40":   {"convdiff3d", generate.Params{"n": 40}},
	} {
		b.Run(name, func(b *testing.B) {
			m, err := generate.Generate(g.kind, g.p)
			if err != nil {
				b.Fatal(err)
			}
			compareMany(b, m)
		})
	}
}

// compareMany measures a system.
func compareMany(b *testing.B, m *csr.Matrix) {
	const count = 8
	var sides [][]float64
	for k := range count {
		sides = append(sides, random(uint64(k), m.Rows))
	}
	one, many, oneWith, manyWith := math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)
	var result solve.Result
	var width int
	measure := func(run func(s *Solver) error, with, without *float64) {
		start := time.Now()
		s, err := New(context.Background(), m, solve.Options{Limits: solve.Limits{Threads: 2}})
		if err == nil {
			err = run(s)
		}
		*with = min(*with, time.Since(start).Seconds())
		for range 2 {
			start = time.Now()
			if err == nil {
				err = run(s)
			}
			*without = min(*without, time.Since(start).Seconds())
		}
		if err != nil {
			b.Fatal(err)
		}
		width = s.width(count)
		s.Close()
	}
	for b.Loop() {
		measure(func(s *Solver) (err error) {
			result, err = s.Solve(context.Background(), sides[0], nil)
			return err
		}, &oneWith, &one)
		measure(func(s *Solver) error {
			_, err := s.SolveMany(context.Background(), sides, nil)
			return err
		}, &manyWith, &many)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(1e3*one, "ms/one")
	b.ReportMetric(many/one, "x")
	b.ReportMetric(1e3*oneWith, "ms/with")
	b.ReportMetric(manyWith/oneWith, "x/with")
	b.ReportMetric(float64(result.Iterations), "iterations")
	b.Logf("%s with %s, width %d, SpMV %v, precond %v of %v", result.Method, result.Precond.Text, width, result.Time.SpMV, result.Time.Precond, result.Time.Total)
}
