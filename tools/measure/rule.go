package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// A followed problem is a solve whose error and epsilon are drawn over its iterations.
type followed struct {
	title, kind string
	params      generate.Params
	storage     solve.Storage
	precond     precond.Kind
}

// rule lists the panels of the figure of docs/precision.md.
var rule = []followed{
	{"elasticity, Jacobi, begun at 2^-10: must rise", "elasticity3d", generate.Params{"n": 12, "decades": 12}, solve.Storage{Epsilon: 0x1p-10}, precond.Jacobi},
	{"power flow, ILU(0), nw alone: slower", "powerflow", generate.Params{"n": 2000}, solve.Storage{Epsilon: 0x1p-24, Criterion: adaptive.NW}, precond.ILU0},
	{"diffusion, 4 decades, multigrid: stays in FP64", "poisson3d", generate.Params{"n": 30, "decades": 4}, solve.Storage{}, precond.AMG},
	{"anisotropic diffusion, Jacobi: stays at 2^-24", "anisotropic2d", generate.Params{"n": 200}, solve.Storage{}, precond.Jacobi},
}

// raised matches what a solve reports when it stores the matrix in another precision.
var raised = regexp.MustCompile(`(?:at epsilon |^epsilon )(2\^-\d+)|continuing with (FP64|exact)`)

// follow adds a panel with a solve by the rule and a solve in FP64.
func (f followed) follow(g *records.Chart) error {
	m, err := generate.Generate(f.kind, f.params)
	if err != nil {
		return err
	}
	p := newProblem(f.title, m)
	panel := g.AddPanel(records.Panel{Title: f.title, Y: records.ChartAxis{Text: "error, epsilon", Log: true}})
	fp64, err := adaptive.LookupSet("FP64")
	if err != nil {
		return err
	}
	for _, s := range []struct {
		name    string
		storage solve.Storage
	}{{"error by the rule", f.storage}, {"error in FP64", solve.Storage{Set: fp64}}} {
		epsilon, by := adaptive.MinEpsilon, s.name == "error by the rule"
		opt := solve.Options{Storage: s.storage, Precond: solve.Precond{Kind: f.precond}, Accuracy: solve.Accuracy{Digits: solve.NoDigits}, Limits: solve.Limits{Threads: 1}}
		opt.Log = func(line string) {
			if hit := raised.FindStringSubmatch(line); hit != nil {
				epsilon = adaptive.MinEpsilon
				if hit[1] != "" {
					epsilon, _ = packed.ParseEpsilon(hit[1])
				}
			}
		}
		opt.Monitor = func(e krylov.Event) {
			g.Add(panel, s.name, float64(e.Iteration), e.Estimate)
			if by {
				g.Add(panel, "epsilon", float64(e.Iteration), epsilon)
			}
		}
		solver, err := solver.New(context.Background(), p.m, opt)
		if err != nil {
			return err
		}
		r, err := solver.Solve(context.Background(), p.b, nil)
		solver.Close()
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %s | %d | %d | %v | %.1e |\n", f.title, s.name, r.Iterations, r.Outer, r.Storage, r.Errors.Row)
	}
	return nil
}

// writeRule draws the figure of docs/precision.md and prints its numbers.
func writeRule(o options) error {
	g := &records.Chart{Kind: records.History, X: records.ChartAxis{Text: "iteration"}}
	for _, f := range rule {
		if err := f.follow(g); err != nil {
			return fmt.Errorf("%s: %w", f.title, err)
		}
	}
	return host.Write("docs/precision.svg", func(w io.Writer) error { return g.Write(w, records.SVG) })
}

// layoutSpeeds are the speeds of the layouts of one matrix at one accuracy, relative to tuned FP64 CSR.
type layoutSpeeds struct {
	Matrix  string             `json:"matrix"` // a file without its folder, or a generator with its parameters
	Epsilon float64            `json:"epsilon"`
	Speed   map[string]float64 `json:"speed"`
}

// writeLayouts summarises the output of `mpsolve bench spmv --json` for the test of pkg/adaptive that compares the
// layouts that its model chooses.
func writeLayouts(in io.Reader, out io.Writer) error {
	var list []layoutSpeeds
	for from := json.NewDecoder(in); ; {
		var m struct {
			layoutSpeeds
			Layout  string  `json:"layout"`
			Formats string  `json:"formats"`
			Tuned   float64 `json:"speedup_tuned"`
		}
		if err := from.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if m.Formats != "AFX" {
			continue
		}
		if strings.Contains(m.Matrix, ".mtx") {
			m.Matrix = filepath.Base(m.Matrix)
		}
		at := slices.IndexFunc(list, func(l layoutSpeeds) bool { return l.Matrix == m.Matrix && l.Epsilon == m.Epsilon })
		if at < 0 {
			at = len(list)
			list = append(list, layoutSpeeds{m.Matrix, m.Epsilon, map[string]float64{}})
		}
		list[at].Speed[m.Layout] = math.Round(m.Tuned*100) / 100
	}
	to := json.NewEncoder(out)
	for _, l := range list {
		if err := to.Encode(l); err != nil {
			return err
		}
	}
	return nil
}
