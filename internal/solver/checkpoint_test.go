package solver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver/checkpoint"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// checkpointCases are solves by all methods: with refinement and without, with escalation
// to more precision and to other methods, and with preconditioners.
func checkpointCases() []checkpointCase {
	spd, flow, indefinite, graded := grid(12, 0, 0), grid(12, 0.3, 0), grid(12, 0, -2.5), rescaled(grid(12, 0.4, 0), uneven(3), uneven(4))
	coarse := storageOf("AFX", 0.25)
	coarse.Layout = adaptive.Slots
	return []checkpointCase{
		{"cg", spd, solve.Options{Precond: unpreconditioned}},
		{"cg, ict", spd, solve.Options{}},
		{"cg, multigrid", spd, solve.Options{Precond: solve.Precond{Kind: precond.AMG, KCycle: true}}},
		{"cg, coarse storage", spd, solve.Options{Storage: coarse, Precond: solve.Precond{Kind: precond.Chebyshev}}},
		{"cg, small steps", spd, solve.Options{Accuracy: solve.Accuracy{InnerTol: 0.1}, Precond: unpreconditioned}},
		{"cg, no refinement", spd, solve.Options{Krylov: solve.Krylov{NoRefine: true}}},
		{"bicgstab", flow, solve.Options{Method: solve.BiCGStab, Precond: unpreconditioned}},
		{"cgs", flow, solve.Options{Method: solve.CGS, Precond: unpreconditioned}},
		{"bicg, ilu0", flow, solve.Options{Method: solve.BiCG, Precond: solve.Precond{Kind: precond.ILU0}}},
		{"idr", flow, solve.Options{Method: solve.IDR, Krylov: solve.Krylov{IDR: 3}, Precond: unpreconditioned}},
		{"tfqmr", flow, solve.Options{Method: solve.TFQMR, Precond: unpreconditioned}},
		{"lsqr", flow, solve.Options{Method: solve.LSQR, Precond: solve.Precond{Kind: precond.Jacobi}}},
		{"bicgstab, ilu0", flow, solve.Options{Method: solve.BiCGStab, Precond: solve.Precond{Kind: precond.ILU0}}},
		{"minres", indefinite, solve.Options{Method: solve.MINRES}},
		{"minres, bjacobi", spd, solve.Options{Method: solve.MINRES, Precond: solve.Precond{Kind: precond.BlockJacobi}}},
		{"gmres", graded, solve.Options{Precond: unpreconditioned}},
		{"gmres 7", flow, solve.Options{Krylov: solve.Krylov{Restart: 7}, Precond: unpreconditioned, Accuracy: solve.Accuracy{Stop: solve.StopCW}}},
		{"gmres, growing", indefinite, solve.Options{Method: solve.GMRES, Precond: unpreconditioned}},
		{"gmres, ilut", flow, solve.Options{}},
		{"gmres, flexible", spd, solve.Options{Method: solve.GMRES, Precond: solve.Precond{Kind: precond.AMG, KCycle: true}}},
		{"fallback", indefinite, solve.Options{}},
		{"reordered", spd, solve.Options{Reorder: solve.ReorderRCM, Precond: unpreconditioned}},
		{"fallbacks", shifted(30, -1.9), solve.Options{}},
		{"fallbacks of gmres", rescaled(grid(25, 0.9, -1.3), uneven(2), uneven(1)), solve.Options{}},
		{"digits", flow, solve.Options{Accuracy: solve.Accuracy{Digits: 13}, Precond: solve.Precond{Kind: precond.ILU0}}},
		{"neumann", neumann(15), solve.Options{}},
		{"few iterations", flow, solve.Options{Limits: solve.Limits{MaxIter: 11}, Precond: unpreconditioned}},
	}
}

type checkpointCase struct {
	name string
	m    *csr.Matrix
	opt  solve.Options
}

// systems are right-hand sides and guesses of a case.
func (c checkpointCase) systems() (b, x0 [][]float64) {
	for k, size := range []float64{1, 1e150, 0, 1e-3} {
		b = append(b, rhs(c.m, size))
		if k == 3 {
			x0 = append(x0, random(5, c.m.Rows))
		} else {
			x0 = append(x0, nil)
		}
	}
	return b, x0
}

// solveAll solves all systems of a case on a new Solver, each with its own context.
func (c checkpointCase) solveAll(t *testing.T, ctx context.Context, how solve.Checkpoints) (results []solve.Result) {
	t.Helper()
	opt := c.opt
	opt.Threads, opt.Checkpoint = 1, how
	s, err := New(t.Context(), c.m, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b, x0 := c.systems()
	for k := range b {
		r, err := s.Solve(ctx, b[k], x0[k])
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
	}
	return results
}

// shifted is the Laplacian of a square plus a multiple of the unit matrix, far from definite.
func shifted(n int, shift float64) *csr.Matrix { return grid(n, 0, shift) }

// neumann is the Laplacian of a square without values at the boundary: singular.
func neumann(n int) *csr.Matrix {
	return entries(n*n, func(add func(i, j int, v float64)) {
		for k := range n * n {
			for _, j := range []int{k - 1, k + 1, k - n, k + n} {
				if j >= 0 && j < n*n && (j/n == k/n || j%n == k%n) {
					add(k, j, -1)
					add(k, k, 1)
				}
			}
		}
	})
}

// summary is the rest of a Result that must not change, attempts included.
func summary(r solve.Result) string {
	text := fmt.Sprint(r.Digits, r.Storage, r.Precond.Applications, r.Advice, r.Cautions, r.NullSpace)
	for _, a := range r.Attempts {
		text += fmt.Sprint(a.Method, a.Precond, a.Reason, a.Iterations, a.Work)
	}
	return text
}

// sameOutcomes compares all but times.
func sameOutcomes(a, b []solve.Result) bool {
	for k := range a {
		if !sameOutcome(a[k], b[k]) || summary(a[k]) != summary(b[k]) {
			return false
		}
	}
	return len(a) == len(b)
}

// saved is a checkpoint after it has been in a file.
func saved(t testing.TB, file []byte) *checkpoint.Taken {
	t.Helper()
	c, err := checkpoint.Read(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return c.(*checkpoint.Taken)
}

// file returns the bytes of a checkpoint.
func file(t testing.TB, c solve.Checkpoint) []byte {
	t.Helper()
	var b bytes.Buffer
	if n, err := c.WriteTo(&b); err != nil || n != int64(b.Len()) {
		t.Errorf("WriteTo returned %d, %v for %d bytes", n, err, b.Len())
	}
	return b.Bytes()
}

// Checkpoints between all iterations do not change the numbers, and a solve that goes on
// from any of them ends with the same bits and counts.
func TestResumeGivesTheSameBits(t *testing.T) {
	for _, c := range checkpointCases() {
		t.Run(c.name, func(t *testing.T) {
			want := c.solveAll(t, t.Context(), solve.Checkpoints{})
			var files [][]byte
			got := c.solveAll(t, t.Context(), solve.Checkpoints{Every: 1, Save: func(k solve.Checkpoint) { files = append(files, file(t, k)) }})
			if !sameOutcomes(got, want) {
				t.Fatal("taking checkpoints changes the result")
			}
			if len(files) < 3 {
				t.Fatalf("only %d checkpoints", len(files))
			}
			for k := 0; k < len(files); k += 1 + len(files)/12 {
				from := saved(t, files[k])
				if got := c.solveAll(t, t.Context(), solve.Checkpoints{Resume: from}); !sameOutcomes(got, want) {
					t.Errorf("checkpoint %d of %d, right-hand side %d, iteration %d: another result", k, len(files), from.Solved()+1, from.Iterations())
				}
			}
		})
	}
}

// A context that ends in any iteration leaves one last checkpoint, of where the solve was
// then; interrupted again and again it still ends with the same bits.
func TestInterruptAndResume(t *testing.T) {
	for _, c := range checkpointCases() {
		t.Run(c.name, func(t *testing.T) {
			want := c.solveAll(t, t.Context(), solve.Checkpoints{})
			total := 0
			for _, r := range want {
				total += r.Iterations
			}
			step := max(total/7, 3)
			var last solve.Checkpoint
			for runs := 1; ; runs++ {
				if runs > 60 {
					t.Fatalf("no progress in %d runs: %d right-hand sides, %d iterations", runs, last.Solved(), last.Iterations())
				}
				ctx, cancel := context.WithCancel(t.Context())
				// Whole cycles of GMRES only are kept: the longest has to fit.
				left, saves, resume := step*runs, 0, last
				c.opt.Monitor = func(krylov.Event) {
					if left--; left == 0 {
						cancel()
					}
				}
				got := c.solveAll(t, ctx, solve.Checkpoints{Resume: resume, Save: func(k solve.Checkpoint) {
					saves++
					last = saved(t, file(t, k))
				}})
				ended := ctx.Err() != nil
				cancel()
				if !ended {
					if saves != 0 {
						t.Errorf("%d checkpoints without a reason", saves)
					}
					if !sameOutcomes(got, want) {
						t.Errorf("another result after %d runs", runs)
					}
					return
				}
				if saves != 1 {
					t.Fatalf("%d checkpoints when the context ended", saves)
				}
			}
		})
	}
}

// A solve whose context ends while the preconditioner is set up keeps the checkpoint that it
// came from, and so does one that ends after refinement.
func TestInterruptedSetUpKeepsTheCheckpoint(t *testing.T) {
	c := checkpointCase{"", grid(12, 0, 0), solve.Options{}}
	var files [][]byte
	want := c.solveAll(t, t.Context(), solve.Checkpoints{Every: 1, Save: func(k solve.Checkpoint) { files = append(files, file(t, k)) }})
	from := saved(t, files[len(files)/2])
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var kept *checkpoint.Taken
	got := c.solveAll(t, ended, solve.Checkpoints{Resume: from, Save: func(k solve.Checkpoint) { kept = saved(t, file(t, k)) }})
	if kept == nil || kept.Iterations() != from.Iterations() || kept.Solved() != from.Solved() {
		t.Fatal("the checkpoint was not kept")
	}
	if r := got[from.Solved()]; r.Reason != krylov.Interrupted || r.Iterations != from.Current.Steps.Result.Iterations {
		t.Errorf("%v after %d iterations", r.Reason, r.Iterations)
	}
	if got := c.solveAll(t, t.Context(), solve.Checkpoints{Resume: kept}); !sameOutcomes(got, want) {
		t.Error("another result")
	}
	kept = nil
	c.solveAll(t, ended, solve.Checkpoints{Save: func(k solve.Checkpoint) { kept = saved(t, file(t, k)) }})
	if kept == nil || kept.Current != nil {
		t.Fatal("no checkpoint of the beginning")
	}
	if got := c.solveAll(t, t.Context(), solve.Checkpoints{Resume: kept}); !sameOutcomes(got, want) {
		t.Error("another result from the beginning")
	}
}

// A request is one checkpoint, and so is a deadline.
func TestCheckpointOnRequest(t *testing.T) {
	c := checkpointCase{"", grid(12, 0, 0), solve.Options{Precond: unpreconditioned}}
	request, saves := make(chan struct{}, 1), 0
	request <- struct{}{}
	c.solveAll(t, t.Context(), solve.Checkpoints{Request: request, Save: func(solve.Checkpoint) { saves++ }})
	if saves != 1 {
		t.Errorf("%d checkpoints on one request", saves)
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	saves = 0
	r := c.solveAll(t, ctx, solve.Checkpoints{Save: func(solve.Checkpoint) { saves++ }})
	if saves != 1 || r[0].Reason != krylov.TimeLimit {
		t.Errorf("%d checkpoints at the deadline, %v", saves, r[0].Reason)
	}
}

// A checkpoint of another solve is refused, in one line that says how it differs.
func TestForeignCheckpoint(t *testing.T) {
	c := checkpointCase{"", grid(6, 0, 0), solve.Options{Precond: unpreconditioned}}
	var of []byte
	c.solveAll(t, t.Context(), solve.Checkpoints{Every: 1, Save: func(k solve.Checkpoint) { of = file(t, k) }})
	b, x0 := c.systems()
	other := c.m.Clone()
	other.Val[3] *= 1 + 0x1p-52
	changed := random(5, c.m.Rows)
	for _, k := range []struct {
		name, want string
		m          *csr.Matrix
		change     func(*solve.Options)
		b, x0      []float64
	}{
		{"none", "", c.m, func(*solve.Options) {}, b[0], x0[0]},
		{"value", "is of another matrix of the same size", other, func(*solve.Options) {}, b[0], nil},
		{"size", "is of another matrix, with 36 rows and 156 nonzeros instead of 49 and 217", grid(7, 0, 0), func(*solve.Options) {}, b[0], nil},
		{"tolerance", "was made with option tol 1e-10, not 1e-12", c.m, func(o *solve.Options) { o.Tol = 1e-12 }, b[0], nil},
		{
			"more", "was made with option precond.kind none, not ict; option restart none, not 30", c.m,
			func(o *solve.Options) { o.Restart, o.Precond.Kind = 30, precond.ICT }, b[0], nil,
		},
		{"threads", "was made with threads 1, not 2", c.m, func(o *solve.Options) { o.Threads = 2 }, b[0], nil},
		{"memory", "was made with memory limit 0, not 1000000000", c.m, func(o *solve.Options) { o.MaxMemory = 1e9 }, b[0], nil},
		{"program", "was made with version none, not 2.0", c.m, func(o *solve.Options) { o.Checkpoint.Program = "2.0" }, b[0], nil},
		{"right-hand side", "has another right-hand side 1, or another guess", c.m, func(*solve.Options) {}, changed, nil},
		{"guess", "has another right-hand side 1, or another guess", c.m, func(*solve.Options) {}, b[0], changed},
	} {
		opt := c.opt
		opt.Threads, opt.Checkpoint.Resume = 1, saved(t, of)
		k.change(&opt)
		s, err := New(t.Context(), k.m, opt)
		if err == nil {
			_, err = s.Solve(t.Context(), k.b, k.x0)
			s.Close()
		}
		var refused *solve.CheckpointError
		if k.want == "" && err == nil {
			continue
		}
		if !errors.As(err, &refused) || err.Error() != k.want {
			t.Errorf("%s: %v, want %q", k.name, err, k.want)
		}
	}
}

// Damage anywhere is found: a byte changed, an end missing, bytes added.
func TestDamagedCheckpoint(t *testing.T) {
	c := checkpointCase{"", grid(4, 0, 0), solve.Options{Precond: unpreconditioned}}
	var good []byte
	c.solveAll(t, t.Context(), solve.Checkpoints{Every: 1, Save: func(k solve.Checkpoint) { good = file(t, k) }})
	check := func(what string, b []byte) {
		t.Helper()
		var refused *solve.CheckpointError
		if _, err := checkpoint.Read(bytes.NewReader(b)); !errors.As(err, &refused) {
			t.Fatalf("%s: %v", what, err)
		}
		k, err := checkpoint.Open(bytes.NewReader(b), int64(len(b)))
		if err == nil {
			opt := c.opt
			opt.Threads, opt.Checkpoint.Resume = 1, k
			_, err = New(t.Context(), c.m, opt)
		}
		if !errors.As(err, &refused) {
			t.Fatalf("%s, opened: %v", what, err)
		}
	}
	for k := range good {
		check(fmt.Sprint("first ", k, " bytes"), good[:k])
		bad := bytes.Clone(good)
		bad[k] ^= 1 << (k % 8)
		check(fmt.Sprint("bit in byte ", k), bad)
	}
	check("longer", append(bytes.Clone(good), 0))
	check("other version", bytes.Replace(good, []byte("checkpoint 2\n"), []byte("checkpoint 1\n"), 1))
	check("text", []byte("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n"))
}
