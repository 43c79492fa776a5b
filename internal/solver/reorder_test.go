package solver

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// shuffled renumbers rows and columns at random.
func shuffled(m *csr.Matrix) *csr.Matrix {
	p := make(csr.Permutation, m.Rows)
	for k, i := range rand.New(rand.NewPCG(31, 32)).Perm(m.Rows) {
		p[k] = int32(i)
	}
	return m.Permuted(p, p.Inverse(), nil)
}

func cube(tb testing.TB, n int) *csr.Matrix {
	tb.Helper()
	m, err := generate.Generate("poisson3d", generate.Params{"n": float64(n)})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// A body whose displacements are numbered axis by axis is solved as one whose displacements are numbered node by node, bit for bit.
func TestReorderNodes(t *testing.T) {
	m, err := generate.Generate("elasticity3d", generate.Params{"n": 8, "decades": 1})
	if err != nil {
		t.Fatal(err)
	}
	nodes := m.Rows / 3
	order := make(csr.Permutation, 0, m.Rows)
	for i := range m.Rows {
		order = append(order, int32(i%nodes*3+i/nodes))
	}
	apart, b := m.Permuted(order, order.Inverse(), nil), rhs(m, 1)
	var log logged
	want := solved(t, m, b, nil, solve.Options{})
	got := solved(t, apart, features.Ordering{Permutation: order}.Forth(b), nil, log.options(solve.Options{}))
	if !log.says("reorder nodes: the 3 unknowns of a node") {
		t.Errorf("not said: %q", log.lines)
	}
	if x := (features.Ordering{Permutation: order}).Back(got.X); !testsupport.SameBits(x, want.X) {
		t.Error("x has other bits")
	}
	asGiven := solved(t, apart, features.Ordering{Permutation: order}.Forth(b), nil, solve.Options{Reorder: solve.ReorderNone})
	if testsupport.SameBits(asGiven.X, got.X) {
		t.Error("the order given was not kept on request")
	}
}

// Reordered systems are solved to the same tolerance, in the unknowns given, by
// an independent measure.
func TestReorder(t *testing.T) {
	for name, m := range map[string]*csr.Matrix{
		"spd":         shuffled(rescaled(grid(12, 0, 0), uneven(4), uneven(4))),
		"unsymmetric": shuffled(rescaled(grid(12, 0.3, 0), uneven(6), uneven(2))),
		"fallback":    shuffled(grid(12, 0, -2.5)),
		"one way": entries(50, func(add func(i, j int, v float64)) {
			for i := range 50 {
				add(i, i, 2)
				add(i, 7*i%50, 0.5)
			}
		}),
	} {
		b := rhs(m, 1)
		for _, stop := range rules.Stops {
			for _, set := range []string{"AFX", "AP7", "FP64"} {
				t.Run(fmt.Sprint(name, " ", stop, " ", set), func(t *testing.T) {
					var log logged
					opt := solve.Options{Accuracy: solve.Accuracy{Stop: stop, Digits: solve.NoDigits}, Storage: solve.Storage{Set: formatSet(set)}, Reorder: solve.ReorderRCM}
					r := solved(t, m, b, nil, log.options(opt))
					if !log.says("reorder rcm: bandwidth ") {
						t.Errorf("not said: %q", log.lines)
					}
					if again := mustSolve(t, m, b, r.X, opt); again.Iterations != 0 || !sameBits(again.X, r.X) {
						t.Errorf("%d iterations from the solution", again.Iterations)
					}
				})
			}
		}
	}
}

// Reordering is solving the reordered system.
func TestReorderIsPermutation(t *testing.T) {
	m := shuffled(grid(20, 0.3, 0))
	p, err := csr.RCM(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	b := random(1, m.Rows)
	pb, want := make([]float64, m.Rows), make([]float64, m.Rows)
	for k, i := range p {
		pb[k] = b[i]
	}
	direct := mustSolve(t, m.Permuted(p, p.Inverse(), nil), pb, nil, solve.Options{})
	for k, i := range p {
		want[i] = direct.X[k]
	}
	got := mustSolve(t, m, b, nil, solve.Options{Reorder: solve.ReorderRCM})
	if !sameBits(got.X, want) || got.Iterations != direct.Iterations {
		t.Errorf("%d iterations and other bits than after %d", got.Iterations, direct.Iterations)
	}
}

// The model takes large matrices in no order, and leaves small and orderly ones.
func TestReorderAuto(t *testing.T) {
	large := cube(t, 60)
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		want solve.Reorder
		why  string
	}{
		{"natural grid", large, solve.ReorderNone, "the given order is fast enough"},
		{"shuffled grid", shuffled(large), solve.ReorderRCM, "bandwidth 2"},
		{"small shuffled grid", shuffled(cube(t, 20)), solve.ReorderNone, "the given order is fast enough"},
		{"diagonal", testsupport.Diagonal(slices.Repeat([]float64{1}, 1<<17)...), solve.ReorderNone, "the given order is fast enough"},
		{"no better order", entries(1<<17, func(add func(i, j int, v float64)) {
			rng := rand.New(rand.NewPCG(33, 34))
			for i := range 1 << 17 {
				for range 8 {
					add(i, rng.IntN(1<<17), 1)
				}
			}
		}), solve.ReorderNone, "rcm saves too little"},
		{"1 x 1", dense([]float64{1}), solve.ReorderNone, "the given order is fast enough"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, o, err := features.Reordered(solve.ReorderAuto, c.m, nil)
			if err != nil {
				t.Fatal(err)
			}
			if o.Order != c.want || (m == c.m) != (c.want == solve.ReorderNone) || !strings.Contains(o.Line(), c.why) {
				t.Errorf("%s", o.Line())
			}
			if o.Elapsed <= 0 || o.After.Bandwidth > o.Before.Bandwidth {
				t.Errorf("%+v", o)
			}
		})
	}
}

// The bounds of the model, one after the other.
func TestReorderingPays(t *testing.T) {
	large, small := &csr.Matrix{Rows: rules.ReorderRows + 1}, &csr.Matrix{Rows: rules.ReorderRows}
	for _, c := range []struct {
		m             *csr.Matrix
		before, after float64
		want          bool
	}{
		{large, 0.8, 0.1, true},
		{small, 0.8, 0.1, false},  // few rows
		{large, 0.8, 0.57, false}, // more than 70 % are left
		{large, 0.8, 0.40, true},
		{large, 0.1, 0.01, false}, // 45 ns saved, 55 ns spent
		{large, 0, 0, false},
	} {
		if got := features.ReorderingPays(c.m, c.before, c.after); got != c.want {
			t.Errorf("%d rows, %g -> %g: %v", c.m.Rows, c.before, c.after, got)
		}
	}
}

// lines by hand: a panel counts each line once, another panel counts it again.
func TestLines(t *testing.T) {
	const n = 3 * rules.PanelRows
	diagonal := testsupport.Diagonal(slices.Repeat([]float64{1}, n)...)
	one := entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, 5, 1)
		}
	})
	if got := features.Lines(diagonal, nil, nil); got != 1.0/rules.LineElements {
		t.Errorf("diagonal: %g", got)
	}
	if got := features.FewestLines(diagonal); got != 1.0/rules.LineElements {
		t.Errorf("at least %g", got)
	}
	if got := features.Lines(one, nil, nil); got != 1.0/rules.PanelRows {
		t.Errorf("one column: %g", got)
	}
	p := make(csr.Permutation, n) // elements far apart, lines shared by none
	for k := range p {
		p[k] = int32(k%rules.LineElements*(n/rules.LineElements) + k/rules.LineElements)
	}
	q := p.Inverse()
	if got, want := features.Lines(diagonal, p, q), features.Lines(diagonal.Permuted(p, q, nil), nil, nil); got != want {
		t.Errorf("%g without making the matrix, %g with it", got, want)
	}
	s := shuffled(entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, i, 4)
			add(i, (i+1)%n, 1)
		}
	}))
	if got, want := features.Lines(s, p, q), features.Lines(s.Permuted(p, q, nil), nil, nil); got != want || got < 0.1 {
		t.Errorf("%g without making the matrix, %g with it", got, want)
	}
}

// A reordered copy counts as memory: if requested, it is an error if there is too
// little; auto does without.
func TestReorderMemory(t *testing.T) {
	m := grid(30, 0, 0)
	s := newSolver(t, m, solve.Options{})
	limit := s.SolveBytes()
	s.Close()
	if _, err := New(t.Context(), m, solve.Options{Reorder: solve.ReorderRCM, Limits: solve.Limits{MaxMemory: limit}}); !errors.Is(err, solve.ErrMemory) {
		t.Errorf("got %v", err)
	}
	var log logged
	r := mustSolve(t, m, rhs(m, 1), nil, log.options(solve.Options{Reorder: solve.ReorderAuto, Limits: solve.Limits{MaxMemory: limit}}))
	if !r.Reason.Converged() || !log.says("reorder none: too little memory") {
		t.Errorf("%v, %q", r.Reason, log.lines)
	}
}

// A matrix whose nodes are brought side by side counts as memory; with too little the order stays.
func TestReorderNodesMemory(t *testing.T) {
	m, err := generate.Generate("elasticity3d", generate.Params{"n": 8})
	if err != nil {
		t.Fatal(err)
	}
	order := make(csr.Permutation, 0, m.Rows)
	for i := range m.Rows {
		order = append(order, int32(i%(m.Rows/3)*3+i/(m.Rows/3)))
	}
	apart := m.Permuted(order, order.Inverse(), nil)
	s, given := newSolver(t, apart, solve.Options{}), newSolver(t, apart, solve.Options{Reorder: solve.ReorderNone})
	limit := given.SolveBytes()
	if more := s.SolveBytes() - limit; more < apart.Bytes() {
		t.Errorf("the matrix in another order takes %d bytes more, itself %d", more, apart.Bytes())
	}
	s.Close()
	given.Close()
	var log logged
	mustSolve(t, apart, rhs(apart, 1), nil, log.options(solve.Options{Limits: solve.Limits{MaxMemory: limit}}))
	if !log.says("reorder none: too little memory") {
		t.Errorf("not said: %q", log.lines)
	}
}

// Rows in errors are those given, or said to be others.
func TestReorderErrors(t *testing.T) {
	wide := &csr.Matrix{Rows: 1, Cols: 2, RowPtr: []int64{0, 1}, Col: []int32{1}, Val: []float64{1}}
	_, _, err := features.Reordered(solve.ReorderRCM, wide, nil)
	checkInputError(t, err, []string{"1 x 2", "square"})
	if _, err := New(t.Context(), dense([]float64{1}), solve.Options{Reorder: "rcn"}); err == nil {
		t.Error("an unknown order passes")
	}
	m := dense([]float64{1, 1e-9}, []float64{0, 1})
	_, err = New(t.Context(), m, solve.Options{Reorder: solve.ReorderRCM, Scale: solve.ScaleNone, Storage: solve.Storage{Set: formatSet("RPRE16")}})
	checkInputError(t, err, []string{"RPRE16", "in the order rcm"})
	_, err = New(t.Context(), dense([]float64{1, 0}, []float64{1, math.NaN()}), solve.Options{Reorder: solve.ReorderRCM})
	checkInputError(t, err, []string{"row 2, column 2"})
}
