package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// vectorKinds are the kinds compared.
var vectorKinds = []solve.VectorKind{solve.VectorsDouble, solve.VectorsDD, solve.VectorsAuto}

// brief is the number of seconds up to which a solve is repeated.
const brief = 2

// measureVectors compares kinds of vectors with the method that the rules choose.
func measureVectors(o options) (table.Writer, error) {
	return o.compareVectors("vectors", func(*csr.Matrix) solve.Options { return solve.Options{} })
}

// measureVectorsAlone compares them without a preconditioner: with conjugate gradients if A is symmetric with a
// diagonal of one sign, otherwise with BiCG.
func measureVectorsAlone(o options) (table.Writer, error) {
	return o.compareVectors("vectors alone", func(m *csr.Matrix) solve.Options {
		opt := solve.Options{Method: solve.BiCG, Precond: solve.Precond{Kind: precond.None}, Limits: solve.Limits{MaxIter: maxIter}}
		pool := parallel.New(0)
		defer pool.Close()
		if f := csr.Examine(m, pool); f.Symmetric && f.DiagonalSign() != 0 {
			opt.Method = solve.CG
		}
		return opt
	})
}

// compared is a matrix solved with each kind of vectors, a line of the file options.record.
type compared struct {
	Part   string                     `json:"part"`
	Matrix string                     `json:"matrix"`
	Limit  string                     `json:"limit"` // of a solve
	Kinds  map[solve.VectorKind]tried `json:"kinds"`
}

// tried is the outcome of a kind.
type tried struct {
	Solved     bool    `json:"solved"`
	Verdict    string  `json:"verdict"`
	Iterations int     `json:"iterations"`
	Seconds    float64 `json:"seconds"`
}

// compareVectors solves every real square matrix with each kind of vectors, interleaved, the smallest files first;
// the fastest of several solves counts. The last column is the time of auto relative to the better of double and dd.
// Recorded matrices are not solved again, and after options.budget no other matrix is begun.
func (o options) compareVectors(part string, with func(*csr.Matrix) solve.Options) (table.Writer, error) {
	matrices, err := matrixio.RealSquare(o.dir)
	if err != nil {
		return nil, err
	}
	sortBySize(matrices)
	done, err := o.recorded(part)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	for _, s := range matrices {
		if _, ok := done[s.Name]; ok || o.budget > 0 && time.Since(start) > o.budget {
			continue
		}
		err := o.each([]matrixio.Source{s}, func(_ matrixio.Source, p problem) error {
			c := o.compare(p, with(p.m))
			c.Part = part
			done[p.name] = c
			return o.keep(c)
		})
		if err != nil {
			return nil, err
		}
	}
	return tableOfVectors(matrices, done), nil
}

// sortBySize sorts the smallest files first.
func sortBySize(matrices []matrixio.Source) {
	size := func(s matrixio.Source) int64 {
		info, err := os.Stat(s.Path)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	slices.SortStableFunc(matrices, func(a, b matrixio.Source) int { return cmp.Compare(size(a), size(b)) })
}

// compare solves with each kind of vectors.
func (o options) compare(p problem, opt solve.Options) compared {
	best := map[solve.VectorKind]tablesOutcome{}
	for round := range repeats {
		for _, kind := range vectorKinds {
			opt.Vectors = solve.Vectors{Kind: kind}
			if last, again := best[kind]; again && (!last.ok() || last.total() > brief) {
				continue
			}
			if s := o.solve(p, opt); round == 0 || s.total() < best[kind].total() {
				best[kind] = s
			}
		}
	}
	c := compared{Matrix: p.name, Limit: o.limit.String(), Kinds: map[solve.VectorKind]tried{}}
	for kind, s := range best {
		c.Kinds[kind] = tried{s.ok(), tablesVerdict(s), s.result.Iterations, s.total()}
	}
	return c
}

// recorded returns the records of a part, by matrix.
func (o options) recorded(part string) (map[string]compared, error) {
	done := map[string]compared{}
	f, err := os.Open(o.record)
	if o.record == "" || errors.Is(err, fs.ErrNotExist) {
		return done, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for from := json.NewDecoder(f); ; {
		var c compared
		if err := from.Decode(&c); errors.Is(err, io.EOF) {
			return done, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", o.record, err)
		}
		if c.Part == part {
			done[c.Matrix] = c
		}
	}
}

// keep records a matrix.
func (o options) keep(c compared) error {
	return appendLine(o.record, c)
}

func tableOfVectors(matrices []matrixio.Source, done map[string]compared) table.Writer {
	t := table.NewWriter()
	header := table.Row{"matrix"}
	for _, kind := range vectorKinds {
		header = append(header, string(kind)+": result", "iterations", "s")
	}
	t.AppendHeader(append(header, "auto, × the better"))
	solved, ratios, limits := map[solve.VectorKind]int{}, []float64(nil), []string(nil)
	for _, s := range matrices {
		c, ok := done[s.Name]
		if !ok {
			continue
		}
		if !slices.Contains(limits, c.Limit) {
			limits = append(limits, c.Limit)
		}
		row := table.Row{c.Matrix}
		for _, kind := range vectorKinds {
			k := c.Kinds[kind]
			if k.Solved {
				solved[kind]++
			}
			row = append(row, k.Verdict, k.Iterations, fmt.Sprintf("%.3f", k.Seconds))
		}
		ratio := ""
		if better, auto := min(c.time(solve.VectorsDouble), c.time(solve.VectorsDD)), c.Kinds[solve.VectorsAuto]; auto.Solved && better < never {
			ratios = append(ratios, auto.Seconds/better)
			ratio = fmt.Sprintf("%.2f", auto.Seconds/better)
		}
		t.AppendRow(append(row, ratio))
	}
	last := table.Row{fmt.Sprintf("**solved, of %d** (limit %s a solve)", len(done), strings.Join(limits, " or "))}
	for _, kind := range vectorKinds {
		last = append(last, fmt.Sprintf("**%d**", solved[kind]), "", "")
	}
	middle, largest := tablesSpread(ratios)
	t.AppendRow(append(last, fmt.Sprintf("median %s, most %s", middle, largest)))
	return t
}

// never is longer than any solve, in seconds.
const never = 1e9

// time returns the seconds of a solve that has converged.
func (c compared) time(kind solve.VectorKind) float64 {
	if k := c.Kinds[kind]; k.Solved {
		return k.Seconds
	}
	return never
}
