package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/big"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// mostCondition is the largest condition number for which a matrix must reach the digits.
const mostCondition = 1e14

// preciseDigitsMain solves for many digits of x, on real matrices and on small generated ones, and checks them:
//
//	precisedigits [flags]
//
// For real matrices it compares x with an x of 20 digits more, for small ones with solutions in rational arithmetic.
// It fails if an x has fewer digits than claimed, if the residual in 512-bit arithmetic is not correspondingly small,
// or if a matrix with a condition number up to 1e14 does not reach the digits. -page writes the table of the real matrices.
func preciseDigitsMain() {
	dir := flag.String("dir", "../shared/matrices", "`folder` with the matrices and INDEX.tsv; empty: none")
	only := flag.String("only", "", "`name` of the one real matrix")
	largest := flag.Int("rows", math.MaxInt32, "largest real matrix")
	digits := flag.Int("digits", 50, "`number` of digits to ask for")
	count := flag.Int("generated", 200, "`number` of generated systems")
	limit := flag.Duration("limit", 5*time.Minute, "time limit of a solve")
	repeat := flag.Int("repeat", 3, "`number` of times that a solve is timed")
	page := flag.String("page", "", "`file` whose table of digits is replaced; empty: none")
	flag.Parse()
	t := preciseTally{digits: *digits, repeat: *repeat}
	if *dir != "" {
		matrices, err := matrixio.RealSquare(*dir)
		if err != nil {
			fail(err)
		}
		for _, source := range matrices {
			if *only != "" && source.Name != *only {
				continue
			}
			m, _, err := source.Read(context.Background(), matrixmarket.Options{})
			if err != nil {
				fail(err)
			}
			if m.Rows <= *largest {
				t.real(source.Name, m, *limit)
			}
		}
	}
	t.generated(*count, *limit)
	right := t.report()
	if *page != "" {
		if err := records.ReplaceSection(*page, "<!-- measured: make precise-digits -->", "<!-- end of measured, digits -->", t.page()); err != nil {
			fail(err)
		}
	}
	if !right {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "precisedigits:", err)
	os.Exit(1)
}

// solvePrecisely prepares and solves, and returns the time.
func solvePrecisely(m *csr.Matrix, b []float64, digits int, limit time.Duration) (solve.Result, time.Duration, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	start := time.Now()
	s, err := solver.New(ctx, m, solve.Options{Accuracy: solve.Accuracy{Digits: digits}})
	if err != nil {
		return solve.Result{}, 0, err
	}
	defer s.Close()
	r, err := s.Solve(ctx, b, nil)
	return r, time.Since(start), err
}

// fastest returns the fastest of several solves; long ones are not repeated.
func fastest(m *csr.Matrix, b []float64, digits int, limit time.Duration, repeat int) (r solve.Result, least time.Duration, err error) {
	for k := range repeat {
		one, took, err := solvePrecisely(m, b, digits, limit)
		if err != nil {
			return one, took, err
		}
		if k == 0 || took < least {
			r, least = one, took
		}
		if took > 5*time.Second {
			break
		}
	}
	return r, least, nil
}

// preciseTally counts the results.
type preciseTally struct {
	digits   int
	repeat   int
	ratios   []float64
	reached  int
	excluded int
	failed   int
	systems  int
	table    strings.Builder // a row for each real matrix
}

// page is the table of the real matrices, as Markdown.
func (t *preciseTally) page() string {
	return fmt.Sprintf("%s, %d threads. Set-up and solve with b = A·ones, the fastest of %d; usual is 1e-10. Digits right: beside an x of 20 digits more.\n\n"+
		"| matrix | usual, s | with digits, s | times | digits asked | got | proved | right | bits of x | steps |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n%s"+
		"| **%d of %d** | | | **median %.2f, most %.2f** | | | | | | |\n\n",
		host.Processor(), runtime.GOMAXPROCS(0), t.repeat, t.table.String(), t.reached, t.reached+t.excluded+t.failed, t.median(), t.ratios[len(t.ratios)-1])
}

// median returns the median of the ratios of times, which are sorted.
func (t *preciseTally) median() float64 { return t.ratios[len(t.ratios)/2] }

// real solves with a real matrix and b = A ones.
func (t *preciseTally) real(name string, m *csr.Matrix, limit time.Duration) {
	b, _ := generate.DefaultRHS(m)
	usual, before, err := fastest(m, b, 0, limit, t.repeat)
	if err != nil {
		fail(fmt.Errorf("%s: %w", name, err))
	}
	r, took, err := fastest(m, b, t.digits, limit, t.repeat)
	if err != nil {
		fail(fmt.Errorf("%s: %w", name, err))
	}
	p := r.Precise
	if p == nil || p.Believed < t.digits {
		verdict := "EXCLUDED"
		if !(r.Digits.Condition > mostCondition) && r.Digits.State == solve.DigitsBelieved && r.NullSpace.Dim == 0 {
			verdict = "FAILED"
			t.failed++
		} else {
			t.excluded++
		}
		fmt.Printf("%-34s %s: %v, digits %s, condition %.0e; %s\n", name, verdict, r.Reason, r.Digits.State, r.Digits.Condition, r.Advice)
		fmt.Fprintf(&t.table, "| %s | %.3f | %.3f | | %d | **none**: %v | | | | |\n", name, before.Seconds(), took.Seconds(), t.digits, r.Reason)
		return
	}
	t.reached++
	ratio := took.Seconds() / before.Seconds()
	t.ratios = append(t.ratios, ratio)
	verdict := ""
	right := math.NaN()
	if more, _, err := solvePrecisely(m, b, min(t.digits+20, solve.MaxPreciseDigits), limit); err == nil && more.Precise != nil {
		right = rightPreciseDigits(p.X, more.Precise.X.At)
	}
	if right < float64(p.Believed) || p.Proved > 0 && right < float64(p.Proved) || p.Errors.Row > -float64(t.digits) {
		verdict = " WRONG"
		t.failed++
	}
	fmt.Printf("%-34s %7.3f s for 1e-10, %7.3f s for %d digits, %5.2f times; believed %d, proved %d, right %.1f; row-wise 1e%.1f; %d bits, %d steps, %d + %d iterations%s\n",
		name, before.Seconds(), took.Seconds(), t.digits, ratio, p.Believed, p.Proved, right, p.Errors.Row, p.Bits, len(p.Steps)-1,
		usual.Iterations+usual.Digits.Iterations, r.Digits.Iterations, verdict)
	fmt.Fprintf(&t.table, "| %s | %.3f | %.3f | %.2f | %d | %d | %d | %.1f%s | %d | %d |\n",
		name, before.Seconds(), took.Seconds(), ratio, t.digits, p.Believed, p.Proved, right, verdict, p.Bits, len(p.Steps)-1)
}

// report prints the summary and returns whether the goals are met.
func (t *preciseTally) report() bool {
	fmt.Printf("\nreal matrices: %d with %d digits, %d excluded", t.reached, t.digits, t.excluded)
	if len(t.ratios) > 0 {
		slices.Sort(t.ratios)
		fmt.Printf("; %.2f times the time of the 1e-10 solve in the median, %.2f at most", t.median(), t.ratios[len(t.ratios)-1])
	}
	fmt.Printf("\ngenerated systems: %d\nfailures: %d\n", t.systems, t.failed)
	return t.failed == 0
}

// generated solves small systems of known solutions.
func (t *preciseTally) generated(count int, limit time.Duration) {
	for seed := range count {
		name, m, b := testsupport.Small(uint64(seed))
		r, _, err := solvePrecisely(m, b, t.digits, limit)
		if err != nil {
			continue // such as a row of zeros
		}
		t.systems++
		x := testsupport.SolveRationally(m, b)
		switch {
		case x == nil && (r.Reason == krylov.Converged || r.Precise != nil && r.Precise.Believed > 0):
			fmt.Printf("%s: singular, and called %v WRONG\n", name, r.Reason)
			t.failed++
		case x == nil || r.Precise == nil:
		default:
			right := rightPreciseDigits(r.Precise.X, func(j int) *big.Float { return new(big.Float).SetPrec(2 * rules.MaxBits).SetRat(x[j]) })
			if said := r.Precise.Believed; right < float64(said) || right < float64(r.Precise.Proved) {
				fmt.Printf("%s: believed %d, proved %d, right %.1f WRONG\n", name, said, r.Precise.Proved, right)
				t.failed++
			}
		}
	}
}

// rightPreciseDigits returns -log10 of the error of x relative to the true x, in the maximum norm.
func rightPreciseDigits(x solve.Vector, truth func(j int) *big.Float) float64 {
	var size, wrong big.Float
	for j := range x.Len() {
		exact := truth(j)
		d := new(big.Float).SetPrec(2*rules.MaxBits).Sub(x.At(j), exact)
		if d.Abs(d).Cmp(&wrong) > 0 {
			wrong.Set(d)
		}
		if exact = new(big.Float).Abs(exact); exact.Cmp(&size) > 0 {
			size.Set(exact)
		}
	}
	if wrong.Sign() == 0 {
		return 2 * solve.MaxPreciseDigits
	}
	q := new(big.Float).Quo(&wrong, &size)
	significand := new(big.Float)
	e := q.MantExp(significand)
	v, _ := significand.Float64()
	return -(math.Log10(v) + float64(e)*math.Log10(2))
}
