package solver

import (
	"fmt"
	"math/big"
	"sync"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// joined is a vector that ranks have parts of.
type joined []*big.Float

func (v joined) Len() int            { return len(v) }
func (v joined) Bits() int           { return int(v[0].Prec()) }
func (v joined) At(i int) *big.Float { return v[i] }

// preciseOverDomains solves over domains, and returns x in multiple precision and the Result, which is checked to be the same on all ranks.
func preciseOverDomains(t *testing.T, where string, ranks, domains int, m *csr.Matrix, b []float64, opt solve.Options) (joined, solve.Result, error) {
	t.Helper()
	parts, all, errs := make([]joined, ranks), make([]solve.Result, ranks), make([]error, ranks)
	var mu sync.Mutex
	dist.Run(ranks, func(c dist.Comm) {
		a, err := dist.Spread(c, m, domains)
		if err != nil {
			t.Error(err)
			return
		}
		var r solve.Result
		s, err := NewDistributed(t.Context(), a, opt)
		if err == nil {
			defer s.Close()
			r, err = s.Solve(t.Context(), ownElements(a, b), nil)
		}
		mu.Lock()
		defer mu.Unlock()
		if all[c.Rank()], errs[c.Rank()] = r, err; r.Precise != nil {
			for i := range r.Precise.X.Len() {
				parts[c.Rank()] = append(parts[c.Rank()], r.Precise.X.At(i))
				if v, _ := r.Precise.X.At(i).Float64(); v != r.X[i] {
					t.Errorf("%s: x[%d] = %v on rank %d is not rounded from %v", where, i, r.X[i], c.Rank(), v)
				}
			}
		}
	})
	said := func(r solve.Result, err error) string {
		text := fmt.Sprintf("%v %+v %+v %d %v", r.Reason, r.Errors, r.Digits, r.Iterations, err)
		if p := r.Precise; p != nil {
			text += fmt.Sprintf(" %d %d %d %d %v %v %+v %s", p.Bits, p.Believed, p.Proved, p.Elements, p.Error, p.Bound, p.Errors, p.Why)
		}
		return text
	}
	var x joined
	for k := range all {
		x = append(x, parts[k]...)
		if got, want := said(all[k], errs[k]), said(all[0], errs[0]); got != want {
			t.Errorf("%s, rank %d of %d: %s, want %s", where, k, ranks, got, want)
		}
	}
	return x, all[0], errs[0]
}

// Digits beyond float64 over domains agree with solutions in rational arithmetic, x has the same bits for any number of ranks, and a singular matrix gets none (Concurrent).
func TestPreciseDigitsOverDomainsConcurrent(t *testing.T) {
	reached, count := 0, uint64(40)
	if testing.Short() {
		count = 10
	}
	if host.RaceDetector {
		count = 4
	}
	for seed := range count {
		name, m, b := testsupport.Small(seed)
		if m.Rows < 3 {
			continue
		}
		want := 16 + int(seed*7%85)
		opt := solve.Options{Accuracy: solve.Accuracy{Digits: want}, Limits: solve.Limits{Threads: 1}}
		x, r, err := preciseOverDomains(t, name, 1, 3, m, b, opt)
		if err != nil {
			continue // a row of zeros
		}
		opt.Threads = 2
		for _, ranks := range testsupport.Few(2, 4) {
			other, _, _ := preciseOverDomains(t, name, ranks, 3, m, b, opt)
			if len(other) != len(x) {
				t.Fatalf("%s: %d elements on %d ranks, want %d", name, len(other), ranks, len(x))
			}
			for i := range x {
				if x[i].Cmp(other[i]) != 0 {
					t.Errorf("%s: x[%d] on %d ranks is %v, want %v", name, i, ranks, other[i], x[i])
				}
			}
		}
		exact, p := testsupport.SolveRationally(m, b), r.Precise
		switch {
		case exact == nil && (r.Reason == krylov.Converged || r.Digits.Believed > 0 && p != nil):
			t.Errorf("%s: singular, %v with %+v", name, r.Reason, r.Digits)
		case exact == nil || p == nil:
			if r.Reason == krylov.Converged {
				t.Errorf("%s: converged without digits", name)
			}
		default:
			right := rightPreciseDigits(x, func(j int) *big.Rat { return exact[j] })
			if float64(p.Believed) > right || float64(p.Proved) > right || (r.Reason == krylov.Converged) != (p.Believed >= want) {
				t.Errorf("%s: %v with %d digits believed of %d, %d proved, %.1f right", name, r.Reason, p.Believed, want, p.Proved, right)
			}
			if r.Reason == krylov.Converged {
				reached++
			}
		}
	}
	if t.Logf("%d of %d have the digits asked for", reached, count); reached < int(count)/3 {
		t.Error("too few have the digits asked for")
	}
}
