package precond

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// BenchmarkMultigrid sets up multigrid, and does so again with what is kept of the pattern, on two threads. MPSOLVE_MATRICES names
// files of more matrices.
//
//	go test ./pkg/precond -run '^$' -bench Multigrid -benchtime 5x
func BenchmarkMultigrid(b *testing.B) {
	pool := newPool(b, 2)
	of := func(name string, get func(b *testing.B) *csr.Matrix) {
		b.Run(name, func(b *testing.B) {
			m := get(b)
			b.Run("first", func(b *testing.B) {
				for b.Loop() {
					mustNew(b, AMG, m, Options{Symmetric: true}, pool)
				}
			})
			b.Run("again", func(b *testing.B) {
				kept := new(Kept)
				mustNew(b, AMG, m, Options{Symmetric: true, Kept: kept}, pool)
				mustNew(b, AMG, m, Options{Symmetric: true, Kept: kept}, pool)
				for b.Loop() {
					mustNew(b, AMG, m, Options{Symmetric: true, Kept: kept}, pool)
				}
			})
		})
	}
	of("G3_circuit", func(b *testing.B) *csr.Matrix { return testsupport.Matrix(b, "G3_circuit") })
	of("poisson3d", func(b *testing.B) *csr.Matrix { return generated(b, "poisson3d", generate.Params{"n": 100}) })
	for _, path := range strings.Fields(os.Getenv("MPSOLVE_MATRICES")) {
		of(path, func(b *testing.B) *csr.Matrix {
			c, err := matrixmarket.ReadFile(context.Background(), path, matrixmarket.Options{})
			if err != nil {
				b.Fatal(err)
			}
			return c.Matrix
		})
	}
}
