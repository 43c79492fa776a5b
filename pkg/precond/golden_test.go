package precond

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

var update = flag.Bool("update", false, "rewrite the expected files in testdata")

// An application of every kind has, bit by bit, the results recorded for each set of kernels in testdata/applications.txt.
func TestApplicationBits(t *testing.T) {
	testsupport.CompareRecord(t, filepath.Join("testdata", "applications.txt"), *update, func(t *testing.T) map[string]string {
		got := map[string]string{}
		for _, p := range goldenProblems(t) {
			for _, kind := range Kinds()[1:] {
				for _, epsilon := range []float64{DefaultEpsilon, adaptive.MinEpsilon} {
					for _, kCycle := range []bool{false, true} {
						if kCycle && kind != AMG {
							continue
						}
						name := fmt.Sprintf("%s %s epsilon=2^%g k-cycle=%v", p.name, kind, math.Log2(epsilon), kCycle)
						opt := Options{Symmetric: p.symmetric, Epsilon: epsilon, Model: recordedModel(t), Incomplete: Incomplete{Fill: 3}, Multigrid: MultigridOptions{KCycle: kCycle}}
						got[name] = applicationHash(kind, p.m, opt)
					}
				}
			}
		}
		return got
	})
}

// recordedModel is the model of the processor that the layouts of the record were chosen for.
func recordedModel(t *testing.T) *adaptive.Model {
	t.Helper()
	list := adaptive.Models()
	k := slices.IndexFunc(list, func(m *adaptive.Model) bool { return strings.HasPrefix(m.Name, "Sapphire Rapids") })
	if k < 0 {
		t.Fatal("no model of Sapphire Rapids")
	}
	return list[k]
}

type goldenProblem struct {
	name      string
	m         *csr.Matrix
	symmetric bool
}

// goldenProblems are small, but for one that is large enough for subdomains.
func goldenProblems(tb testing.TB) []goldenProblem {
	permuted := sparse(tb, 40, func(add func(i, j int, v float64)) { // zero diagonal
		for i := range 40 {
			add(i, (i+7)%40, math.Ldexp(1, i%5*20))
			add(i, (i+8)%40, math.Ldexp(0.25, i%5*20))
		}
	})
	return []goldenProblem{
		{"poisson", generated(tb, "poisson2d", generate.Params{"n": 40, "decades": 2}), true},
		{"elasticity", wide(generated(tb, "elasticity3d", generate.Params{"n": 6})), true},
		{"wathen", generated(tb, "wathen", generate.Params{"nx": 15, "ny": 15}), true},
		{"convdiff", generated(tb, "convdiff2d", generate.Params{"n": 30}), false},
		{"permuted", permuted, false},
		{"large", generated(tb, "poisson2d", generate.Params{"n": 184}), true},
		{"stokes", generated(tb, "stokes2d", generate.Params{"n": 20}), false},
	}
}

// applicationHash identifies the bits of M^-1 x for a fixed x.
func applicationHash(kind Kind, m *csr.Matrix, opt Options) string {
	p, err := New(context.Background(), kind, m, opt, nil)
	if err != nil {
		return "error"
	}
	x := make(vector, m.Rows)
	p.Apply(x, random(m.Rows, 1))
	h := sha256.New()
	if err := binary.Write(h, binary.LittleEndian, x); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%x, %+v", h.Sum(nil)[:8], p.Cost())
}
