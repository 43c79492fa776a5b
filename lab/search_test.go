package lab

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// lattice returns the Laplacian of an n by n grid whose couplings in one direction are weak; no narrow format
// represents its values.
func lattice(n int, weak float64) *csr.Matrix {
	m := &csr.Matrix{Rows: n * n, Cols: n * n, RowPtr: []int64{0}}
	for i := range n * n {
		add := func(j int, v float64) {
			m.Col, m.Val = append(m.Col, int32(j)), append(m.Val, v/3)
		}
		if i >= n {
			add(i-n, -weak)
		}
		if i%n > 0 {
			add(i-1, -1)
		}
		add(i, 2+2*weak+0.01)
		if i%n < n-1 {
			add(i+1, -1)
		}
		if i < n*n-n {
			add(i+n, -weak)
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Val)))
	}
	return m
}

func ones(m *csr.Matrix) (x, b []float64) {
	x, b = make([]float64, m.Cols), make([]float64, m.Rows)
	for i := range x {
		x[i] = 1
	}
	m.MulVec(b, x)
	return x, b
}

// formatOf returns the format of the first part whose name begins with name.
func (r Result) formatOf(name string) string {
	k := slices.IndexFunc(r.Parts, func(p Part) bool { return strings.HasPrefix(p.Name, name) })
	return r.Trials[r.Minimal].Formats[k]
}

// TestResidualsStay: in refinement the matrix, the preconditioner and the vectors may be narrow; the
// residuals may not.
func TestResidualsStay(t *testing.T) {
	m := lattice(20, 0.0005)
	_, b := ones(m)
	r, err := Search(t.Context(), m, b, SearchOptions{Method: "cg", Precond: precond.Jacobi, Tol: 1e-12, Slower: 3})
	if err != nil || r.Minimal < 0 || !r.Complete {
		t.Fatalf("%+v, %v", r, err)
	}
	best := r.Trials[r.Minimal]
	if got := r.formatOf("residuals"); got != "FP64" {
		t.Errorf("residuals in %s: %+v", got, best)
	}
	if slices.Contains(best.Formats[:len(best.Formats)-1], "FP64") {
		t.Errorf("more than the residuals in FP64: %+v", best)
	}
	if got := r.formatOf("entries from 2^-20"); got != "BF16" {
		t.Errorf("weak couplings in %s", got)
	}
	for _, other := range r.Trials {
		if other.Passes && other.Moved < r.Trials[r.Best].Moved {
			t.Errorf("%+v moves less than %+v", other, r.Trials[r.Best])
		}
	}
	if !best.Passes || best.Error > 1e-12 || r.Trials[r.Best].Moved >= r.Trials[0].Moved || best.Iterations > r.Limit {
		t.Errorf("%+v in at most %d iterations, FP64 %+v", best, r.Limit, r.Trials[0])
	}
	// No part alone can have the next format: the set is minimal.
	for k := range r.Parts {
		narrower := slices.Clone(best.Formats)
		switch narrower[k] {
		case "FP64":
			narrower[k] = "FP32"
		case "FP32":
			narrower[k] = "BF16"
		default:
			continue
		}
		for _, other := range r.Trials {
			if slices.Equal(other.Formats, narrower) && other.Passes {
				t.Errorf("%v passes as well", narrower)
			}
		}
	}
}

// TestCriteria: the criterion decides.
func TestCriteria(t *testing.T) {
	m := lattice(12, 0.3)
	x, b := ones(m)
	for _, c := range []struct {
		name      string
		opt       SearchOptions
		residuals string
	}{
		{"loose", SearchOptions{Tol: 3e-2}, "BF16"},
		{"single", SearchOptions{Tol: 1e-5}, "FP32"},
		{"double", SearchOptions{Tol: 1e-9}, "FP64"},
		{"digits", SearchOptions{Tol: 1e-3, Digits: 9, Reference: x}, ""},
	} {
		c.opt.Method, c.opt.Precond = "cg", precond.Jacobi
		c.opt.Slower = math.Max(c.opt.Slower, 3)
		r, err := Search(t.Context(), m, b, c.opt)
		if c.name == "digits" { // with a tolerance of 1e-3 no format gives nine digits
			if err != nil || r.Minimal != -1 {
				t.Errorf("%s: best is %d, %v", c.name, r.Minimal, err)
			}
			continue
		}
		if err != nil || r.Minimal < 0 {
			t.Fatalf("%s: %+v, %v", c.name, r, err)
		}
		if got := r.formatOf("residuals"); got != c.residuals {
			t.Errorf("%s: residuals in %s, want %s", c.name, got, c.residuals)
		}
	}
}

func TestLimitOfSolves(t *testing.T) {
	m := lattice(10, 0.3)
	_, b := ones(m)
	whole, err := Search(t.Context(), m, b, SearchOptions{Method: "cg", Precond: precond.None})
	if err != nil || !whole.Complete {
		t.Fatal(whole, err)
	}
	part, err := Search(t.Context(), m, b, SearchOptions{Method: "cg", Precond: precond.None, MaxSolves: 3})
	if err != nil || part.Complete || len(part.Trials) != 3 || !part.Trials[part.Minimal].Passes {
		t.Errorf("%+v, %v", part, err)
	}
}

// TestSearchThreads: the trials are the same for any number of threads.
func TestSearchThreads(t *testing.T) {
	m := lattice(30, 0.01)
	_, b := ones(m)
	one, err := Search(t.Context(), m, b, SearchOptions{Method: "bicgstab", Precond: precond.ILU0, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	three, err := Search(t.Context(), m, b, SearchOptions{Method: "bicgstab", Precond: precond.ILU0, Threads: 3})
	for k := range one.Trials {
		one.Trials[k].Digits = 0
		three.Trials[k].Digits = 0
	}
	if err != nil || !reflect.DeepEqual(one, three) {
		t.Errorf("%+v\n%+v\n%v", one, three, err)
	}
}

func TestSearchInterrupted(t *testing.T) {
	m := lattice(10, 0.3)
	_, b := ones(m)
	ctx, cancel := context.WithCancel(t.Context())
	trials := 0
	_, err := Search(ctx, m, b, SearchOptions{Method: "cg", Precond: precond.Jacobi, Progress: func(Trial) {
		if trials++; trials == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || trials != 2 {
		t.Errorf("%v after %d trials", err, trials)
	}
}

func TestFaults(t *testing.T) {
	m := lattice(3, 1)
	_, b := ones(m)
	for _, opt := range []SearchOptions{
		{Method: "none", Precond: precond.None},
		{Method: "cg", Precond: precond.None, Tol: -1},
		{Method: "cg", Precond: precond.None, Digits: 3},
		{Method: "cg", Precond: precond.None, Slower: 0.5},
		{Method: "cg", Precond: precond.None, Formats: []formats.Format{formats.MustLookup("FP32"), formats.MustLookup("BF16")}},
		{Method: "cg", Precond: precond.None, Formats: []formats.Format{formats.MustLookup("FP64"), formats.MustLookup("AFX16")}},
	} {
		if _, err := Search(t.Context(), m, b, opt); err == nil {
			t.Errorf("no error for %+v", opt)
		}
	}
	if _, err := Search(t.Context(), m, b[1:], SearchOptions{Method: "cg", Precond: precond.None}); err == nil {
		t.Error("no error for a short right-hand side")
	}
}

// TestNarrow: narrow rounds as the codecs do, and keeps their range.
func TestNarrow(t *testing.T) {
	x := []float64{1.0 / 3, -1e-60, 3e38, -1e39, 0, math.Inf(1), 2}
	newNarrow(formats.MustLookup("FP32")).round(x)
	want := []float64{float64(float32(1.0 / 3)), 0, float64(float32(3e38)), math.Inf(-1), 0, math.Inf(1), 2}
	if !slices.Equal(x, want) {
		t.Errorf("%g, want %g", x, want)
	}
	if newNarrow(formats.MustLookup("FP64")) != nil {
		t.Error("FP64 rounds")
	}
}

func contains(set, want []int) bool {
	return !slices.ContainsFunc(want, func(i int) bool { return !slices.Contains(set, i) })
}

// TestMinimizeMonotone finds the one minimal set of a monotone predicate.
func TestMinimizeMonotone(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 20; n++ {
		for range 20 {
			var want []int
			for i := range n {
				if random.IntN(4) == 0 {
					want = append(want, i)
				}
			}
			calls, seen := 0, map[string]bool{}
			got, err := Minimize(n, func(set []int) (bool, error) {
				calls++
				if key := keyOf(n, set); seen[key] {
					t.Errorf("asked twice about %v", set)
				} else {
					seen[key] = true
				}
				return contains(set, want), nil
			})
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("of %d: %v (%v), want %v", n, got, err, want)
			}
			if most := n*n + 3*n + 1; calls > most {
				t.Errorf("of %d, for %v: %d calls, more than %d", n, want, calls, most)
			}
		}
	}
}

// TestMinimizeNotMonotone: for any predicate, no element of the result can be removed.
func TestMinimizeNotMonotone(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		n := 1 + random.IntN(9)
		table := make([]bool, 1<<n)
		for k := range table {
			table[k] = random.IntN(3) == 0
		}
		table[1<<n-1] = true
		at := func(set []int) bool {
			k := 0
			for _, i := range set {
				k |= 1 << i
			}
			return table[k]
		}
		got, err := Minimize(n, func(set []int) (bool, error) { return at(set), nil })
		if err != nil || !at(got) || !slices.IsSorted(got) {
			t.Fatalf("%v (%v) does not hold", got, err)
		}
		for k := range got {
			if len(got) > 1 && at(slices.Delete(slices.Clone(got), k, k+1)) {
				t.Fatalf("%v holds without %d as well", got, got[k])
			}
		}
	}
}

// TestMinimizeEnds: an error ends the search with the best set so far.
func TestMinimizeEnds(t *testing.T) {
	stop := errors.New("stop")
	calls := 0
	got, err := Minimize(8, func(set []int) (bool, error) {
		if calls++; calls > 3 {
			return false, stop
		}
		return contains(set, []int{1, 2}), nil
	})
	if !errors.Is(err, stop) || !contains(got, []int{1, 2}) || len(got) >= 8 {
		t.Errorf("%v, %v", got, err)
	}
}
