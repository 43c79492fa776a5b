package solver

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// varied returns m with each connection multiplied by a random factor from 1 - change to 1 + change, where the sums of rows stay: the matrix of a
// step in which conductivities have changed. m is symmetric.
func varied(m *csr.Matrix, change float64, seed uint64) *csr.Matrix {
	v := m.Clone()
	for i := range v.Rows {
		cols, vals := v.Row(i)
		was, moved := 0, 0.0
		for k, j := range cols {
			if int(j) == i {
				was = k
				continue
			}
			lo, hi := uint64(min(i, int(j))), uint64(max(i, int(j)))
			h := (lo*0x9e3779b97f4a7c15 ^ hi*0xbf58476d1ce4e5b9 ^ seed*0x94d049bb133111eb)
			h ^= h >> 31
			h *= 0xd6e8feb86659fd93
			h ^= h >> 32
			f := change * (2*float64(h>>11)*0x1p-53 - 1)
			moved += vals[k] * f
			vals[k] *= 1 + f
		}
		vals[was] -= moved
	}
	return v
}

// BenchmarkSequence solves ten systems of a pattern, whose values differ by 10 to 30 %, with the x before as a guess:
//
//	go test ./internal/solver -run '^$' -bench Sequence -benchtime 1x
//
// MPSOLVE_SEQUENCE names files of more matrices.
func BenchmarkSequence(b *testing.B) {
	for _, name := range []string{"G3_circuit", "norne_tpfa_r1"} {
		b.Run(name, func(b *testing.B) { sequence(b, testsupport.Matrix(b, name)) })
	}
	for kind, n := range map[string]float64{"poisson3d": 100, "poisson2d": 1000, "anisotropic2d": 600} {
		b.Run(kind, func(b *testing.B) {
			m, err := generate.Generate(kind, generate.Params{"n": n})
			if err != nil {
				b.Fatal(err)
			}
			sequence(b, m)
		})
	}
	for _, path := range strings.Fields(os.Getenv("MPSOLVE_SEQUENCE")) {
		b.Run(path, func(b *testing.B) {
			c, err := matrixmarket.ReadFile(context.Background(), path, matrixmarket.Options{})
			if err != nil {
				b.Fatal(err)
			}
			sequence(b, c.Matrix)
		})
	}
}

func sequence(b *testing.B, m *csr.Matrix) {
	side := random(1, m.Rows)
	for b.Loop() {
		var s *Solver
		var x []float64
		first := 0.0
		lines := []string{""}
		for k := range 10 {
			a := varied(m, 0.1+0.2*math.Mod(float64(k)*0.618, 1), uint64(k))
			start := time.Now()
			var err error
			if s == nil {
				s, err = New(context.Background(), a, solve.Options{Updates: true})
			} else {
				err = s.Update(context.Background(), a.Val)
			}
			if err != nil {
				b.Fatal(err)
			}
			set := time.Since(start).Seconds()
			r, err := s.Solve(context.Background(), side, x)
			if err != nil || !r.Reason.Converged() {
				b.Fatal(r.Reason, err)
			}
			x = r.X
			if k == 0 {
				first = time.Since(start).Seconds()
			}
			lines = append(lines, fmt.Sprintf("set-up %.3f, solve %.3f, %.2f of the first; %d iterations, peak %d MB, %s",
				set, time.Since(start).Seconds()-set, time.Since(start).Seconds()/first, r.Iterations, peakMB(), r.Precond.Text))
		}
		s.Close()
		b.Log(strings.Join(lines, "\n"))
	}
}

// peakMB is the peak of resident memory since the last call.
func peakMB() (mb int) {
	text, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(text), "\n") {
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &mb); n == 1 {
			break
		}
	}
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	return mb / 1024
}
