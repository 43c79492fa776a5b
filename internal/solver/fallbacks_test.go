package solver

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

var update = flag.Bool("update", false, "write testdata/fallbacks.txt anew")

// recordedOptions are options that the lists of fallbacks depend on.
var recordedOptions = []struct {
	name string
	opt  solve.Options
}{
	{"none", solve.Options{}},
	{"method gmres", solve.Options{Method: solve.GMRES}},
	{"method bicgstab", solve.Options{Method: solve.BiCGStab}},
	{"method cg", solve.Options{Method: solve.CG}},
	{"method minres", solve.Options{Method: solve.MINRES}},
	{"method bicg", solve.Options{Method: solve.BiCG}},
	{"no refinement", solve.Options{Krylov: solve.Krylov{NoRefine: true}}},
	{"drop tolerance", solve.Options{Precond: solve.Precond{DropTol: 1e-4}}},
	{"precond ic0", solve.Options{Precond: solve.Precond{Kind: precond.IC0}}},
	{"scale row", solve.Options{Scale: solve.ScaleRow}},
	{"vectors auto", solve.Options{Vectors: solve.Vectors{Kind: solve.VectorsAuto}}},
	{"k-cycle, bicg", solve.Options{Method: solve.BiCG, Precond: solve.Precond{KCycle: true}}},
}

// recordedMatrices are matrices of different sizes and features.
var recordedMatrices = []struct {
	kind string
	with generate.Params
}{
	{"poisson2d", generate.Params{"n": 20}},
	{"poisson2d", generate.Params{"n": 180}},
	{"poisson3d", generate.Params{"n": 12}},
	{"poisson3d", generate.Params{"n": 30}},
	{"elasticity3d", generate.Params{"n": 6}},
	{"elasticity3d", generate.Params{"n": 12}},
	{"convdiff2d", generate.Params{"n": 30}},
	{"convdiff2d", generate.Params{"n": 210, "peclet": 0.1}},
	{"convdiff2d", generate.Params{"n": 210, "peclet": 3}},
	{"convdiff3d", generate.Params{"n": 36, "peclet": 1}},
	{"convdiff3d", generate.Params{"n": 36, "peclet": 100}},
	{"circuit", generate.Params{"n": 2000}},
	{"circuit", generate.Params{"n": 45000}},
	{"kkt", generate.Params{"n": 1000}},
	{"device3d", generate.Params{"n": 10}},
	{"powerlaw", generate.Params{"n": 5000}},
	{"transport3d", generate.Params{"n": 20}},
	{"stencil27", generate.Params{"n": 20}},
}

// recordedBackends are the kinds of backends.
var recordedBackends = []struct {
	name            string
	device, domains bool
}{{"host", false, false}, {"domains", false, true}, {"device", true, false}, {"devices", true, true}}

// TestFallbackLists: the lists of fallbacks are those on record, in order and content. The record, testdata/fallbacks.txt, has each list once,
// with the systems that have it; run the test with -update after a change that is meant.
func TestFallbackLists(t *testing.T) {
	systems := map[string][]string{} // by list
	for _, r := range recordedMatrices {
		m, err := generate.Generate(r.kind, r.with)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range recordedBackends {
			of := features.Matrix{Given: m, M: m, Pool: parallel.New(1)}
			of.Features.Ctx = t.Context()
			list := func() {
				of.Facts = csr.Examine(m, of.Pool)
				for _, o := range recordedOptions {
					s := choice.System{Matrix: of, Opt: rules.WithDefaults(o.opt, m.Rows)}
					if at.device {
						s.Opt.Device = new(gpu.Device)
					}
					s.ChooseMethod()
					if err := s.ChooseScaling(); err != nil {
						t.Error(err)
						continue
					}
					text := fallbackList(s.Tabulated())
					systems[text] = append(systems[text], fmt.Sprintf("%s %v, %s, %s", r.kind, r.with, at.name, o.name))
					of.Features = s.Features
				}
			}
			if !at.domains {
				list()
				continue
			}
			dist.Run(1, func(c dist.Comm) {
				a, err := dist.Spread(c, m, 3)
				if err != nil {
					t.Error(err)
					return
				}
				of.Given, of.M, of.Job = a.Local, a.Local, &ranks.Job{Matrix: a}
				list()
			})
		}
	}
	var text strings.Builder
	var lists []string
	for list := range systems {
		lists = append(lists, list)
	}
	slices.SortFunc(lists, func(a, b string) int { return cmp.Compare(systems[a][0], systems[b][0]) })
	for _, list := range lists {
		fmt.Fprintf(&text, "%s\n%s\n", strings.Join(systems[list], "\n"), list)
	}
	const file = "testdata/fallbacks.txt"
	if *update {
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(text.String(), "\n")
	for k, line := range strings.Split(string(want), "\n") {
		if k >= len(got) || got[k] != line {
			t.Fatalf("%s, line %d: recorded %q, found %q", file, k+1, line, got[min(k, len(got)-1)])
		}
	}
}

// fallbackList is a list as the record has it, with a line for each fallback.
func fallbackList(list []choice.Fallback) string {
	var text strings.Builder
	for _, r := range list {
		fmt.Fprintf(&text, "\t%s %s", r.Method, r.Kind)
		for _, has := range []struct {
			what string
			v    float64
		}{{"drop tolerance", r.DropTol}, {"fill", r.Fill}} {
			if has.v != 0 {
				fmt.Fprintf(&text, ", %s %g", has.what, has.v)
			}
		}
		for _, is := range []struct {
			what string
			v    bool
		}{{"probe run", r.ProbeRun}, {"double-double", r.Wide}, {"by domain", r.ByDomain}} {
			if is.v {
				fmt.Fprintf(&text, ", %s", is.what)
			}
		}
		text.WriteString("\n")
	}
	return text.String()
}
