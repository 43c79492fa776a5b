package choice

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Attempts goes through the list of fallbacks: it sets up preconditioners, makes methods, and records the attempts.
type Attempts[V any, S linop.Scalar[S]] struct {
	State     State
	Fallbacks []Fallback
	limited   bool             // fallbacks are chosen by bets, and have budgets
	vectors   solve.VectorKind // of all fallbacks that are not Wide
	weigh     func() Workload
	betting   func(learnt) []Bet
	nnz       int
	create    func(solve.Method, bool) (krylov.Method[V, S], error)
	methods   map[Fallback]krylov.Method[V, S] // by method and wide
	alone     bool                             // without a preconditioner, since setting up was interrupted
	probe     *Probe                           // of the last correction
	log       func(string)

	room
	preconditioners[V, S]
	tried
}

// room says what the memory limit allows.
type room struct {
	fits    func(solve.Method) error // an error if the method takes more than the limit
	beyond  func(solve.Method) int64 // bytes that the method takes more than the one chosen first, its growing basis included
	Tight   func(bytes int64) bool   // the limit does not allow so many bytes beside the solve
	forgets bool                     // methods that are not in use are released, for their memory
}

// preconditioners are the preconditioners that have been set up, and the refusals of others.
type preconditioners[V any, S linop.Scalar[S]] struct {
	Ready   map[Variant]*Preconditioner[V, S] // set up so far
	Refused map[Variant]refusal
	Known   map[Variant]known // of what has been set up, before the checkpoint as well
}

// tried records the attempts and their cost.
type tried struct {
	solves    int // begun
	SettingUp time.Duration
	Made      []solve.Attempt
	Current   solve.Attempt
	Tally     Tally
}

// NewAttempts returns the attempts for a system. Methods have their vectors in space, and are made when they are needed. left are
// preconditioners of an earlier system that stay in use; nil: there are none.
func NewAttempts[V any, S linop.Scalar[S]](s *System, space linop.Space[V, S], left map[Variant]*Preconditioner[vector, scalar]) *Attempts[V, S] {
	gmres := krylov.GMRESOptions{Restart: s.Opt.Restart, Basis: s.Opt.Basis, CGS2: s.Opt.CGS2}
	t := &Attempts[V, S]{
		Fallbacks: s.Fallbacks(), nnz: s.Nonzeros(), log: s.Opt.Log,
		limited: s.Opt.Precond.Kind == solve.PrecondAuto && !s.Opt.NoRefine, vectors: rules.FirstVectors(s.Opt.Vectors),
		methods:         map[Fallback]krylov.Method[V, S]{},
		preconditioners: preconditioners[V, S]{Ready: map[Variant]*Preconditioner[V, S]{}, Refused: map[Variant]refusal{}, Known: map[Variant]known{}},
		create: func(name solve.Method, wide bool) (krylov.Method[V, S], error) {
			opt := krylov.MethodOptions{GMRES: gmres, IDR: krylov.IDROptions{S: s.Opt.IDR}}
			if s.Opt.Restart == 0 {
				opt.GMRES.MaxRestart = s.LongestRestart(s.BasisRoom(name))
			}
			if at := backend.InMemory(space); at != nil && wide {
				method, err := backend.NewWideMethod(name, at, opt)
				return any(method).(krylov.Method[V, S]), err
			}
			return krylov.New(string(name), space, opt)
		},
	}
	t.fits, t.Tight, t.beyond = s.CheckMethod, s.Tight, func(m solve.Method) int64 { return s.MemoryOf(m) - s.SolveBytes() + s.BasisRoom(m) }
	t.forgets = s.Opt.Device == nil // which keeps the vectors of its space
	if had, ok := any(left).(map[Variant]*Preconditioner[V, S]); ok {
		for v, p := range had {
			t.Ready[v] = &Preconditioner[V, S]{By: p.By, Made: p.Made, Work: p.Work, at: p.at, Tally: &t.Tally}
		}
	}
	t.weigh, t.betting = s.Workload, s.betting(t.Fallbacks, t.limited)
	t.State = BeginState(len(t.Fallbacks))
	return t
}

// Now returns the fallback in use.
func (t *Attempts[V, S]) Now() Fallback {
	r := t.Fallbacks[t.State.Fallback]
	if t.alone {
		r.Variant = Variant{Kind: precond.None}
	}
	return r
}

// Method returns the method in use.
func (t *Attempts[V, S]) Method() (krylov.Method[V, S], error) {
	now := t.Now()
	as := Fallback{Method: now.Method, Wide: now.Wide}
	if m := t.methods[as]; m != nil {
		return m, nil
	}
	m, err := t.create(now.Method, now.Wide)
	t.methods[as] = m
	return m, err
}

// Preconditioner returns the preconditioner in use; nil: none.
func (t *Attempts[V, S]) Preconditioner() *Preconditioner[V, S] { return t.Ready[t.Now().Variant] }

// Bet returns the bet on the fallback in use, with the whole set-up for one system.
func (t *Attempts[V, S]) Bet() Bet {
	w := t.weigh()
	w.Sequence = false
	return w.Bet(t.Now())
}

// bets returns the bets on the fallbacks after what the solve has learnt.
func (t *Attempts[V, S]) bets() []Bet { return t.betting(learnt{t.State.Diagonal, t.State.Indefinite}) }

// alternative returns the work that the best of the other fallbacks is expected to take.
func (t *Attempts[V, S]) alternative() float64 {
	return t.State.Alternative(t.Fallbacks, t.bets(), float64(t.nnz))
}

// Begin goes back to the state before the first fallback.
func (t *Attempts[V, S]) Begin() {
	t.State, t.probe = BeginState(len(t.Fallbacks)), nil
	t.Made, t.Current, t.alone = nil, solve.Attempt{}, false
	t.solves++
}

// NextFallback goes to the next fallback whose preconditioner can be set up. It logs before, which says how the last attempt
// ended, unless that is empty. If no fallback is left, it stays at the current one and returns the error of the last set-up.
func (t *Attempts[V, S]) NextFallback(before string, setUp setUp[V]) error {
	err, used, left := errFallbacks, t.State.Fallback, len(t.Made)-1
	then := Continuing
	for t.State.Next(t.Fallbacks, t.bets, float64(t.nnz)) {
		if before != "" {
			t.log(fmt.Sprintf("%s: %s %s", before, then, t.Now()))
		}
		no, known := t.Refused[t.Now().Variant]
		refused := t.Enter(setUp)
		if refused == nil {
			return nil
		}
		if errors.Is(err, errFallbacks) || !errors.Is(refused, ErrMethodMemory) { // an ErrMethodMemory says less than the error before
			err = refused
		}
		before, then = "", "trying"
		if !known || t.Refused[t.Now().Variant] != no { // otherwise it has been said
			before = fmt.Sprintf("precond %v", refused)
		}
		t.State.Refuse(t.Fallbacks, t.bets(), float64(t.nnz), refused)
		t.Current.Reason = refused.Error()
		t.record()
	}
	if before != "" {
		t.log(before + ": there is nothing else to try")
	}
	if t.State.Fallback = used; used >= 0 {
		err = errors.Join(err, t.again(t.Now().Variant, setUp)) // if it has been released
		t.reopen(left)
	}
	return err
}

// reopen goes on with attempt k, which has been recorded, since nothing follows it.
func (t *Attempts[V, S]) reopen(k int) {
	again := t.Current.Setup
	t.Current = t.Made[k]
	t.Current.Setup += again
	t.Made = slices.Delete(t.Made, k, k+1)
}

// record ends the current attempt.
func (t *Attempts[V, S]) record() {
	t.Made = append(t.Made, t.Current)
	t.Current = solve.Attempt{}
}

// errFallbacks is the error of NextFallback if no fallback is left to try.
var errFallbacks = errors.New("there is no other method or preconditioner to try")

// Enter sets up the preconditioner of the current fallback, unless it is ready.
func (t *Attempts[V, S]) Enter(setUp setUp[V]) error {
	r, k := t.Now(), t.State.Fallback
	t.Current = solve.Attempt{Method: string(r.Method), Vectors: t.vectors, Precond: string(precond.None)}
	if r.Wide {
		t.Current.Vectors = solve.VectorsDD
	}
	if err := t.fits(r.Method); err != nil {
		return err
	}
	if t.forgets {
		clear(t.methods)
	}
	if r.Kind == precond.None {
		return nil
	}
	t.Current.Precond = r.Variant.String()
	budget := 0.0
	if t.limited {
		budget = t.State.SetupBudget(r, k, t.alternative, float64(t.nnz))
	}
	if err := t.again(r.Variant, setUp); err != nil || t.alone {
		return err
	}
	if p := t.Ready[r.Variant]; p != nil {
		t.Current.Precond, t.Current.Work = p.Made.String(), p.Work
		if p.Solves == 0 && t.solves == 1 { // set up for this solve, ahead of it
			t.Current.Setup = p.Setup
		}
		t.State.Fallbacks[k].Setup += p.Work
		t.State.Fallbacks[k].Made = p.at
		return nil
	}
	if no, known := t.Refused[r.Variant]; known && (no.Budget >= budget || !errors.Is(no.Err, precond.ErrWork)) {
		t.State.Fallbacks[k].Setup += no.Took
		return no.Err
	}
	work, err := t.make(r.Variant, budget, nil, setUp)
	t.State.Fallbacks[k].Setup += work
	t.Current.Work = work
	switch {
	case t.alone:
	case err != nil:
		t.Refused[r.Variant] = refusal{err, budget, work}
	default:
		delete(t.Refused, r.Variant)
		t.Current.Precond = t.Ready[r.Variant].Made.String()
	}
	return err
}

// Solved records a solve with the current fallback.
func (t *Attempts[V, S]) Solved(iterations int, work float64, took time.Duration) {
	t.Current.Iterations += iterations
	t.Current.Work += work
	t.Current.Solve += took
	r := &t.State.Fallbacks[t.State.Fallback]
	r.Iterations += iterations
	r.Work += work
}

// Left ends the current attempt for a reason, at a measure of x, and returns a line about it for the log. slow says that more work may help.
func (t *Attempts[V, S]) Left(reason string, slow bool, measure float64) (line string) {
	a, rest := t.Current, 0.0
	t.Current.Reason = reason
	t.record()
	if t.probe != nil && slow {
		rest = t.probe.left()
		t.State.Diagonal = cmp.Or(t.State.Diagonal, t.probe.diagonal(t.probe.Look, rest))
	}
	t.State.Leave(t.Fallbacks, slow, rest, measure)
	return fmt.Sprintf("%s stopped (%s) after %d iterations, %.3f s and %.1e multiplications",
		t.Now(), reason, a.Iterations, (a.Setup + a.Solve).Seconds(), a.Work)
}

// Visits returns the attempts of the solve, the current one included.
func (t *Attempts[V, S]) Visits() []solve.Attempt {
	list := slices.Clone(t.Made)
	if t.Current.Method != "" {
		list = append(list, t.Current)
	}
	return list
}

// Widens reports whether the next fallback is the current one in double-double.
func (t *Attempts[V, S]) Widens() bool {
	next := t.State.Fallback + 1
	return next < len(t.Fallbacks) && t.Fallbacks[next].Wide && !t.Fallbacks[t.State.Fallback].Wide
}

// Vectors of the host.
type (
	vector = []float64
	scalar = linop.Float64
)

// Continuing is part of every line of Options.Log about a change of method, preconditioner or precision during a solve.
const Continuing = "continuing with"
