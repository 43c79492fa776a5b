package lab

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Outcome is the outcome of a case.
type Outcome struct {
	Class   string
	Index   int
	Verdict string // the Reason, or the kind of error
	Text    string // the system and the flags
	Nature  string // of the system in exact arithmetic
	Faults  []found
	Digits  float64 // correct digits; -1: not known
	Said    float64 // digits that the result claims; -1: none
	Seconds float64
	Solves  int // systems solved, or attempts made

	Verdicts map[string]int // of the attempts with injected faults

	system *System
}

func (o *Outcome) fault(f Fault, format string, args ...any) {
	o.Faults = append(o.Faults, found{f, fmt.Sprintf(format, args...)})
}

// timeLimit bounds a solve; grace is the time that may pass beyond it.
const (
	timeLimit = 4 * time.Second
	grace     = 500 * time.Millisecond
)

// source returns the random source of a case.
func source(seed uint64, class string, index int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d", class, index)
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// Run runs one case. A panic of this goroutine becomes part of the outcome; a panic in a thread of the solver ends
// the process, which Spread notices.
func (f StressClass) Run(seed uint64, index int) (out Outcome) {
	out = Outcome{Class: f.Name, Index: index, Digits: -1, Said: -1}
	defer func() {
		if p := recover(); p != nil {
			out.fault(Panicked, "%v\n%s", p, debug.Stack())
		}
	}()
	r := source(seed, f.Name, index)
	if f.inject != nil {
		f.inject(r, &out)
		return out
	}
	s := f.draw(r)
	opt := drawOptions(r, s)
	out.system = s
	out.Text = fmt.Sprintf("%v: %s", s, flags(opt))
	out.solve(s, opt)
	return out
}

// solve solves the system and judges the result.
func (o *Outcome) solve(s *System, opt solve.Options) {
	res, err := o.attempt(s, opt, nil)
	if err != nil {
		o.refusal(err, opt)
		return
	}
	o.Verdict = res.Reason.String()
	j := judge(s, opt, res)
	o.Faults = append(o.Faults, j.faults...)
	if !math.IsNaN(j.digits) {
		o.Digits = min(j.digits, 17)
	}
	if said, known := believed(res); known {
		o.Said = said
	}
}

// attempt solves once and checks the time; change may modify the solver before. A late solve is repeated and counts
// only if it is late again, since the machine may have been busy.
func (o *Outcome) attempt(s *System, opt solve.Options, change func(*solver.Solver)) (solve.Result, error) {
	res, elapsed, err := timed(s, opt, change)
	if elapsed > timeLimit+grace {
		if _, again, _ := timed(s, opt, change); again > timeLimit+grace {
			o.fault(Late, "%v after the limit of %v; %s", min(elapsed, again)-timeLimit, timeLimit, o.Text)
		}
	}
	o.Solves++
	o.Seconds += elapsed.Seconds()
	return res, err
}

// timed solves once.
func timed(s *System, opt solve.Options, change func(*solver.Solver)) (res solve.Result, elapsed time.Duration, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	defer cancel()
	start := time.Now()
	defer func() { elapsed = time.Since(start) }()
	solver, err := solver.New(ctx, s.A, opt)
	if err != nil {
		return res, 0, err
	}
	defer solver.Close()
	if change != nil {
		change(solver)
	}
	res, err = solver.Solve(ctx, s.B, s.Guess)
	return res, 0, err
}

// refusal judges an error: of the input, of a requested preconditioner, of memory.
func (o *Outcome) refusal(err error, opt solve.Options) {
	var input *solve.InputError
	switch {
	case errors.As(err, &input):
		o.Verdict = "refused"
	case opt.Precond.Kind != "" && opt.Precond.Kind != solve.PrecondAuto:
		o.Verdict = "no preconditioner"
	case errors.Is(err, solve.ErrMemory):
		o.Verdict = "memory"
	case errors.Is(err, context.DeadlineExceeded): // while the null space was sought, which New does
		o.Verdict = "time limit"
	default:
		o.Verdict = "error"
		o.fault(Odd, "%v", err)
	}
}

// save writes the system of a case to dir, as CLASS-INDEX.mtx and CLASS-INDEX-b.mtx, and appends the command that
// solves it to the text.
func (o *Outcome) save(dir string) error {
	if o.system == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	base := filepath.Join(dir, fmt.Sprintf("%s-%d", o.Class, o.Index))
	err := host.Write(base+".mtx", func(w io.Writer) error {
		return matrixmarket.Write(w, o.system.A, matrixmarket.WriteOptions{Comments: []string{o.Text}})
	})
	if err != nil {
		return err
	}
	o.Text += fmt.Sprintf(" | mpsolve solve %s.mtx --rhs %s-b.mtx", base, base)
	return host.Write(base+"-b.mtx", func(w io.Writer) error {
		return matrixmarket.WriteDense(w, len(o.system.B), 1, o.system.B, nil, matrixmarket.WriteOptions{})
	})
}
