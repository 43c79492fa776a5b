package factor

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// problem is a matrix with its tree.
type problem struct {
	Matrix
	tree *Tree
}

// never is a watch that never ends the work.
func never() Watch { return func(int) error { return nil } }

func newProblem(t testing.TB, a *csr.Matrix, symmetric bool) problem {
	t.Helper()
	p := problem{Matrix: Matrix{A: a}}
	if !symmetric {
		p.Transpose = a.Transpose(nil)
	}
	e, err := order.AMD(t.Context(), order.NewGraph(a, p.Transpose), order.Limit{})
	if err != nil {
		t.Fatal(err)
	}
	if p.tree, err = NewTree(p.Matrix, e, "AMD", never()); err != nil {
		t.Fatal(err)
	}
	return p
}

// random returns a matrix of n rows with elements up to 1 and the least part of them on the diagonal.
func random(n int, perRow float64, symmetric bool, least float64, seed uint64) *csr.Matrix {
	r := rand.New(rand.NewPCG(seed, 1))
	return testsupport.Entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, i, least+(1-least)*r.Float64())
			for k := 0.0; k < perRow; k++ {
				j, v := r.IntN(n), r.NormFloat64()/(1+perRow)
				if j == i {
					continue
				}
				if add(i, j, v); symmetric {
					add(j, i, v)
				}
			}
		}
	})
}

// problems are matrices of many structures.
func problems() map[string]*csr.Matrix {
	list := map[string]*csr.Matrix{
		"grid": testsupport.Grid(30, 0, 0), "wind": testsupport.Grid(20, 0.5, 0), "1 x 1": testsupport.Diagonal(3), "diagonal": testsupport.Diagonal(2, 3, 4),
		"arrow": testsupport.Entries(90, func(add func(i, j int, v float64)) {
			for i := range 90 {
				if add(i, i, 2); i > 0 {
					add(i, 0, 0.01)
					add(0, i, 0.01)
				}
			}
		}),
	}
	for seed := range uint64(12) {
		n, symmetric := 3+9*int(seed), seed%2 == 0
		list[fmt.Sprintf("random %d", seed)] = random(n, 1+float64(seed%4), symmetric, 0.5, seed)
	}
	return list
}

// Each entry that elimination by the definition fills in is in a front, every node comes after
// its children, and has the part of their patterns that is not its own pivots.
func TestTree(t *testing.T) {
	for name, m := range problems() {
		for _, symmetric := range []bool{false, csr.Examine(m, nil).Symmetric} {
			p := newProblem(t, m, symmetric)
			if err := p.checkTree(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func (p *problem) checkTree() error {
	tree, n := p.tree, p.A.Rows
	if err := tree.Order.Validate(); err != nil || len(tree.Order) != n || int(tree.first[tree.nodes()]) != n {
		return fmt.Errorf("%w, %d pivots of %d", err, len(tree.Order), n)
	}
	in := make([][]bool, n) // entries of U that fronts have
	for i := range in {
		in[i] = make([]bool, n)
	}
	multiplications := 0.0
	for j := range tree.nodes() {
		lo, hi := tree.first[j], tree.first[j+1]
		for k := lo; k < hi; k++ {
			for l := k; l < hi; l++ {
				in[k][l] = true
			}
			for _, l := range tree.pattern[j] {
				in[k][l] = true
			}
			rest := float64(tree.size(j) - int(k-lo) - 1)
			multiplications += rest + rest*rest
		}
		if up := tree.parent[j]; up >= 0 {
			front := slices.Clone(tree.pattern[up])
			for k := tree.first[up]; k < tree.first[up+1]; k++ {
				front = append(front, k)
			}
			if int(up) <= j || len(tree.pattern[j]) == 0 {
				return fmt.Errorf("the parent of node %d is %d, its pattern %v", j, up, tree.pattern[j])
			}
			for _, l := range tree.pattern[j] {
				if !slices.Contains(front, l) {
					return fmt.Errorf("row %d of node %d is not in its parent's front", l, j)
				}
			}
		}
		if !slices.IsSorted(tree.pattern[j]) || len(tree.pattern[j]) > 0 && tree.pattern[j][0] < hi {
			return fmt.Errorf("pattern of node %d: %v", j, tree.pattern[j])
		}
	}
	for k, row := range p.filled() {
		for l := k; l < n; l++ {
			if row[l] && !in[k][l] {
				return fmt.Errorf("entry (%d, %d) is in no front", k, l)
			}
		}
	}
	if _, got := tree.Work(); math.Abs(got-multiplications) > 1e-9*multiplications {
		return fmt.Errorf("%g multiplications, want %g", got, multiplications)
	}
	return nil
}

// filled is the pattern of L + U in the order of the tree, of the pattern of A + A^T.
func (p *problem) filled() [][]bool {
	n, inverse := p.A.Rows, p.tree.Order.Inverse()
	f := make([][]bool, n)
	for k := range f {
		f[k] = make([]bool, n)
	}
	for i := range n {
		cols, _ := p.A.Row(i)
		for _, j := range cols {
			f[inverse[i]][inverse[j]], f[inverse[j]][inverse[i]] = true, true
		}
	}
	for k := range n {
		for i := k + 1; i < n; i++ {
			for j := k + 1; j < n && f[i][k]; j++ {
				f[i][j] = f[i][j] || f[k][j]
			}
		}
	}
	return f
}

// FuzzFactor checks trees by the definition, and factors of all kinds and precisions against dense ones. Solutions have the same bits for any number of threads.
func FuzzFactor(f *testing.F) {
	f.Add(uint8(30), uint8(3), true, false, uint64(1))
	f.Add(uint8(50), uint8(2), false, false, uint64(2))
	f.Add(uint8(80), uint8(1), true, true, uint64(3))
	f.Add(uint8(200), uint8(6), true, true, uint64(4))
	f.Add(uint8(120), uint8(9), false, true, uint64(5))
	f.Fuzz(func(t *testing.T, rows, perRow uint8, symmetric, weak bool, seed uint64) {
		n, least := 1+int(rows), 0.5
		if weak && symmetric {
			least = -1 // indefinite, with pivots of any size
		}
		m := random(n, float64(perRow%10), symmetric, least, seed)
		p := newProblem(t, m, symmetric)
		if err := p.checkTree(); n <= 60 && err != nil {
			t.Fatal(err)
		}
		as := &Rule{Accept: func(_ Precision, _ int, pivot float64) (float64, error) { return pivot, nil }}
		for _, r := range []*Rule{{}, as} {
			if r == as && (!symmetric || weak) {
				continue
			}
			for in, unit := range map[Precision]float64{FP32: 0x1p-24, FP64: 0x1p-53} {
				p.checkSolve(t, r, in, unit)
			}
		}
	})
}

// checkSolve compares a solution with dense ones, and the signs of D with eigenvalues of A.
func (p *problem) checkSolve(t *testing.T, r *Rule, in Precision, unit float64) {
	t.Helper()
	if !p.solveAlike(t, r, in, unit, 1, 3) || !p.Symmetric() || r.Accept != nil || in == FP32 {
		return
	}
	n := p.A.Rows
	dense := mat.NewSymDense(n, nil)
	for i := range n {
		cols, vals := p.A.Row(i)
		for e, j := range cols {
			dense.SetSym(i, int(j), vals[e])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(dense, false) {
		t.Fatal("no eigenvalues")
	}
	negative, clear := int64(0), true
	for _, v := range eigen.Values(nil) {
		if v < 0 {
			negative++
		}
		clear = clear && math.Abs(v) > 1e-10
	}
	if got := r.Negative.Load(); clear && got != negative {
		t.Fatalf("%d negative eigenvalues, want %d", got, negative)
	}
}

// solveAlike solves on so many threads, with the same bits and a residual of roundings. It reports whether no pivot vanished.
func (p *problem) solveAlike(t *testing.T, r *Rule, in Precision, unit float64, threads ...int) bool {
	t.Helper()
	n, one := p.A.Rows, make([]float64, p.A.Rows)
	at := Placement{Equations: p.tree.Order, Unknowns: p.tree.Order, RowScale: one, ColScale: one}
	for i := range one {
		one[i] = 1
	}
	b := testsupport.Random(7, n)
	var first []float64
	for _, count := range threads {
		pool := parallel.New(count)
		f, err := Factor(&p.Matrix, p.tree, r, in, pool, never)
		if errors.Is(err, ErrSmall) && in == FP32 {
			return false
		}
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, n)
		NewSolver(&p.Matrix, p.tree, f, at, pool).Apply(x, b)
		pool.Close()
		if first == nil {
			first = x
		}
		if !testsupport.SameBits(x, first) {
			t.Fatalf("%s: %d threads give other bits", in, count)
		}
	}
	if r.Replaced.Load() > 0 {
		return false
	}
	size, residual := 0.0, make([]float64, n)
	for _, v := range first {
		size = max(size, math.Abs(v))
	}
	p.A.MulVec(residual, first)
	for i, v := range residual {
		if e := math.Abs(b[i] - v); !(e <= 1e4*float64(n)*unit*(size+1)) { // for growth of pivots within fronts
			t.Fatalf("%s: residual %g in row %d, x up to %g", in, e, i, size)
		}
	}
	return true
}

// Subtrees side by side, and panels of large fronts on all threads, give the same bits for any number of threads.
func TestThreads(t *testing.T) {
	symmetric, wind := testsupport.Grid(60, 0, 0), testsupport.Grid(60, 0.5, 0)
	for _, p := range []problem{newProblem(t, symmetric, true), newProblem(t, wind, false)} {
		if len(p.tree.cut.subtrees) < 2 || len(p.tree.cut.top) == 0 {
			t.Fatalf("the tree is not cut: %d subtrees", len(p.tree.cut.subtrees))
		}
		for in, unit := range map[Precision]float64{FP32: 0x1p-24, FP64: 0x1p-53} {
			p.solveAlike(t, &Rule{}, in, unit, 1, 2, 3, 8)
		}
	}
}

// Factors in FP32 have no subnormal numbers, and solve no worse without them.
func TestNoSubnormalFactors(t *testing.T) {
	for _, symmetric := range []bool{true, false} {
		a := random(400, 4, symmetric, 1, 3)
		for k, v := range a.Val {
			switch {
			case math.Abs(v) >= 1: // on the diagonal
			case symmetric:
				a.Val[k] = math.Copysign(0x1p-30, v)
			default:
				a.Val[k] = math.Ldexp(v, -10-k%45)
			}
		}
		p := newProblem(t, a, symmetric)
		for _, r := range []*Rule{{}, {Accept: func(_ Precision, _ int, pivot float64) (float64, error) { return pivot, nil }}} {
			f, err := Factor(&p.Matrix, p.tree, r, FP32, nil, never)
			if err != nil {
				t.Fatal(err)
			}
			tiny, zeros := 0, 0
			for _, v := range append(slices.Clone(f.(*fronts[float32]).u), f.(*fronts[float32]).l...) {
				switch {
				case v == 0:
					zeros++
				case math.Abs(float64(v)) < 0x1p-126:
					tiny++
				}
			}
			if tiny > 0 || zeros == 0 {
				t.Errorf("symmetric %v: %d subnormal numbers, %d zeros", symmetric, tiny, zeros)
			}
			p.solveAlike(t, r, FP32, 0x1p-24, 1, 3)
			if !symmetric { // with pivots of their own
				break
			}
		}
	}
}
