package solve

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/testmatrix"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

func TestTmpProf(t *testing.T) {
	name := os.Getenv("SYS")
	m, err := generate.Generate(name, generate.Params{"n": map[string]float64{"poisson3d": 48, "elasticity3d": 16}[name]})
	if err != nil {
		m = testmatrix.Matrix(t, name)
	}
	var sides [][]float64
	for k := range 8 {
		sides = append(sides, random(uint64(k), m.Rows))
	}
	s, _ := New(context.Background(), m, Options{Threads: 2, Log: func(l string) { if os.Getenv("V") != "" { t.Log(l) } }})
	end := time.Now().Add(2 * time.Second)
	for time.Now().Before(end) {
		start := time.Now()
		r, err := s.SolveMany(context.Background(), sides, nil)
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(start)
		if !time.Now().Before(end) {
			for _, r := range r {
				t.Log(took, r.Iterations, r.Digits.Iterations, r.Outer, r.Method, r.Precond.Text, r.Block, r.Layout, r.Time)
			}
		}
	}
}
