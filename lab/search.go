package lab

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// SearchOptions configure a search for storage formats.
type SearchOptions struct {
	Method         string // of package krylov
	MethodOptions  krylov.MethodOptions
	Precond        precond.Kind
	PrecondOptions precond.Options // accuracy and symmetry are set for each trial

	Tol       float64   // the largest row-wise backward error; 0: krylov.DefaultTol
	Digits    float64   // of x that must agree with Reference; 0: none
	Reference []float64 // nil: digits are not compared
	Slower    float64   // the most iterations, relative to the widest format in all parts; 0: DefaultSlower

	Formats   []formats.Format // from wide to narrow, FP64 first; nil: DefaultFormats
	MaxSolves int              // 0: DefaultMaxSolves
	MaxIter   int              // of the solve in the widest format; 0: krylov.DefaultMaxIter
	Threads   int              // 0: all processors

	Progress func(t Trial) // is called after each trial, in order; may be nil
}

// Defaults of SearchOptions.
const (
	DefaultSlower    = 2
	DefaultMaxSolves = 60
)

// DefaultFormats returns FP64, FP32 and BF16.
func DefaultFormats() []formats.Format {
	return []formats.Format{formats.MustLookup("FP64"), formats.MustLookup("FP32"), formats.MustLookup("BF16")}
}

// A Trial is a solve with a format for each part.
type Trial struct {
	Formats    []string // by parts
	Bytes      int64    // of the parts, with the indices of the matrix
	Moved      int64    // that the solve reads: parts of residuals once a step, the others once an iteration
	Iterations int
	Steps      int     // of refinement
	Error      float64 // row-wise, of the x returned
	Digits     float64 // that agree with the reference; NaN: there is none
	Passes     bool
	Why        string // why it does not pass
}

// Result is the outcome of a search.
type Result struct {
	Parts    []Part
	Trials   []Trial // in order, the widest format in all parts first
	Minimal  int     // of Trials: the result of delta debugging; -1: not even the first one passes
	Best     int     // of Trials: the passing one that moves least; -1: none passes
	Limit    int     // of iterations
	Complete bool    // false: MaxSolves ended the search
}

var errSolves = errors.New("the limit of solves is reached")

// Search solves A x = b with one set of formats after the other. It returns an error if the context ends, or if the
// system or the options are not valid. It is no error if no formats meet the criterion.
func Search(ctx context.Context, m *csr.Matrix, b []float64, opt SearchOptions) (Result, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return Result{}, err
	}
	if m.Rows != m.Cols || len(b) != m.Rows {
		return Result{}, &solve.InputError{Msg: fmt.Sprintf("format search: a matrix of %d x %d and a right-hand side of %d, want a square system", m.Rows, m.Cols, len(b))}
	}
	pool := parallel.New(opt.Threads)
	defer pool.Close()
	s, err := newSystem(m, b, opt, pool)
	if err != nil {
		return Result{}, err
	}
	made, err := s.setUp(ctx, opt.Formats[0])
	if err != nil {
		return Result{}, err
	}
	kind, ok := krylov.KindOf(opt.Method)
	if !ok || kind.Transpose {
		return Result{}, fmt.Errorf("format search: no method %q, or one with products with the transpose", opt.Method)
	}
	use := krylov.Use{MethodOptions: opt.MethodOptions, Preconditioned: made != nil}
	search := &search{system: s, ctx: ctx, known: map[string]int{}, Result: Result{
		Parts: s.listParts(made, kind.Vectors(m.Rows, use)), Best: -1, Minimal: -1, Limit: opt.MaxIter, Complete: true,
	}}
	err = search.run()
	for k, t := range search.Trials {
		if t.Passes && (search.Best < 0 || t.Moved < search.Trials[search.Best].Moved) {
			search.Best = k
		}
	}
	return search.Result, err
}

// Validate reports the first invalid option among those that do not depend on the system.
func (o SearchOptions) Validate() error {
	o.Digits = 0 // the reference may still be missing
	_, err := o.withDefaults()
	return err
}

func (o SearchOptions) withDefaults() (SearchOptions, error) {
	if o.Tol == 0 {
		o.Tol = krylov.DefaultTol
	}
	if o.Slower == 0 {
		o.Slower = DefaultSlower
	}
	if o.MaxSolves == 0 {
		o.MaxSolves = DefaultMaxSolves
	}
	if o.MaxIter == 0 {
		o.MaxIter = krylov.DefaultMaxIter
	}
	if o.Formats == nil {
		o.Formats = DefaultFormats()
	}
	switch {
	case !(o.Tol > 0 && o.Tol < 1):
		return o, fmt.Errorf("format search: tolerance %g is not in (0, 1)", o.Tol)
	case !(o.Slower >= 1):
		return o, fmt.Errorf("format search: %g times as many iterations, want at least 1", o.Slower)
	case o.Digits < 0 || o.Digits > 0 && o.Reference == nil:
		return o, errors.New("format search: digits need a positive number and a reference")
	case o.MaxSolves < 1 || o.MaxIter < 1:
		return o, errors.New("format search: limits must be positive")
	case o.Formats[0].Name != "FP64" || len(o.Formats) < 2:
		return o, errors.New("format search: want FP64 and at least one narrower format")
	}
	for k, f := range o.Formats {
		if math.IsNaN(f.UnitRoundoff()) || !f.Signed || f.Kind == formats.Relative {
			return o, fmt.Errorf("format search: %s stores no vectors", f.Name)
		}
		if k > 0 && !(f.Bytes < o.Formats[k-1].Bytes) {
			return o, fmt.Errorf("format search: %s is no narrower than %s", f.Name, o.Formats[k-1].Name)
		}
	}
	return o, nil
}

// search is a search in progress.
type search struct {
	*system
	ctx   context.Context
	known map[string]int // trials by formats
	Result
}

// run lowers as many parts as possible to the second format, as many of these as possible to the third, and so on.
func (s *search) run() error {
	level := make([]int, len(s.Parts)) // of Formats
	pass, err := s.try(level)
	if err != nil || !pass {
		return err
	}
	s.Minimal = 0
	s.Limit = int(math.Ceil(s.opt.Slower * float64(s.Trials[0].Iterations)))
	for next := 1; next < len(s.opt.Formats); next++ {
		var lowered []int // the parts that may go on to the next format
		for k, l := range level {
			if l == next-1 {
				lowered = append(lowered, k)
			}
		}
		config := func(keep []int) []int {
			c := slices.Clone(level)
			for i, k := range lowered {
				if !slices.Contains(keep, i) {
					c[k] = next
				}
			}
			return c
		}
		keep, err := Minimize(len(lowered), func(keep []int) (bool, error) { return s.try(config(keep)) })
		level = config(keep)
		s.Minimal = s.known[s.key(level)]
		if errors.Is(err, errSolves) {
			s.Complete = false
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// try solves with the formats of these levels, unless the outcome is known.
func (s *search) try(level []int) (bool, error) {
	key := s.key(level)
	if at, ok := s.known[key]; ok {
		return s.Trials[at].Passes, nil
	}
	if len(s.Trials) == s.opt.MaxSolves {
		return false, errSolves
	}
	of := make([]formats.Format, len(level))
	t := Trial{Formats: make([]string, len(level))}
	for k, l := range level {
		of[k] = s.opt.Formats[l]
		t.Formats[k] = of[k].Name
	}
	o, err := s.solve(s.ctx, s.Parts, of, s.Limit)
	if err != nil {
		return false, err
	}
	t.Iterations, t.Steps = o.iterations, o.steps
	t.Bytes, t.Moved = s.bytes(of, o)
	t.Error, t.Digits, t.Passes, t.Why = o.error, o.digits, o.why == "", o.why
	s.known[key] = len(s.Trials)
	s.Trials = append(s.Trials, t)
	if s.opt.Progress != nil {
		s.opt.Progress(t)
	}
	return t.Passes, nil
}

func (s *search) key(level []int) string {
	words := make([]string, len(level))
	for k, l := range level {
		words[k] = fmt.Sprint(l)
	}
	return strings.Join(words, " ")
}

// bytes returns the bytes that the parts take, and the bytes that a solve reads. If residuals and method use the
// matrix in the same format, it is stored once.
func (s *search) bytes(of []formats.Format, o outcome) (stored, moved int64) {
	const index = 4
	structure := int64(index) * int64(s.given.Rows+1+s.given.NNZ())
	iteration, step, shared := structure, structure, true
	for k, p := range s.Parts {
		size := p.Values * int64(of[k].Bytes)
		switch p.Kind {
		case Preconditioner:
			if o.precond != nil {
				iteration += o.precond.Cost().Bytes
			}
		case Residual:
			step += size
		case MatrixClass:
			shared = shared && of[k].Name == of[len(of)-1].Name
			iteration += size
		default:
			iteration += size
		}
	}
	stored = iteration
	if !shared {
		stored += step - structure
	}
	return stored, int64(o.iterations)*iteration + int64(o.steps)*step
}

// Command returns the command `mpsolve solve` that comes nearest to the formats found, and a remark on the formats
// that it does not use: solve keeps vectors and residuals in FP64.
func (r Result) Command(file string, opt SearchOptions) (command, remark string) {
	best := r.Trials[r.Best]
	words := []string{"mpsolve solve", file, "--method", opt.Method, "--precond", string(opt.Precond), "--tol", fmt.Sprintf("%g", opt.Tol)}
	var classes, unused []string
	var epsilon float64
	for k, p := range r.Parts {
		name := best.Formats[k]
		f := formats.MustLookup(name)
		switch p.Kind {
		case MatrixClass:
			if len(classes) == 0 || classes[len(classes)-1] != name {
				classes = append(classes, name)
			}
			if name != "FP64" {
				epsilon = max(epsilon, f.UnitRoundoff()*largestOf(p.class))
			}
		case Preconditioner:
			if opt.Precond != precond.None {
				words = append(words, "--precond-epsilon", fmt.Sprintf("2^-%d", f.Significand))
			}
		case Vectors, Residual:
			if name != "FP64" {
				unused = append(unused, fmt.Sprintf("%s in %s", p.Name, name))
			}
		}
	}
	switch {
	case len(classes) == 1:
		words = append(words, "--formats", classes[0])
	case distinct(classes): // wide formats for large entries, as a set of formats gives for an accuracy
		words = append(words, "--formats", strings.Join(classes, ","), "--epsilon", fmt.Sprintf("%.1e", epsilon))
	default:
		unused = append(unused, "these classes of entries")
	}
	if len(unused) > 0 {
		remark = "solve has no flag for " + strings.Join(unused, ", ")
	}
	return strings.Join(words, " "), remark
}

// distinct reports whether no name occurs twice.
func distinct(names []string) bool {
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	return len(slices.Compact(sorted)) == len(names)
}
