package solve

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// An Attempt is a visit to a rung of the ladder: a method with a preconditioner, and what came
// of it.
type Attempt struct {
	Method     string
	Vectors    VectorKind // VectorsDouble or VectorsDD
	Precond    string     // with its main parameters; "none"
	Reason     string     // why it ended
	Iterations int
	Work       float64       // multiplications of setting up and of iterations
	Setup      time.Duration // 0: it had been set up for a solve before
	Solve      time.Duration
}

// attempts climbs the ladder: it sets up preconditioners, makes methods, and records what was
// tried.
type attempts[V any, S linop.Scalar[S]] struct {
	state     ladderState
	rungs     []rung
	limited   bool      // rungs have budgets
	allWide   bool      // vectors are double-double on all rungs
	rivals    []float64 // what trials are to save
	nnz       int
	create    func(Method, bool) (krylov.Method[V, S], error)
	methods   map[rung]krylov.Method[V, S]      // by method and wide
	fits      func(Method) error                // within the memory limit
	beyond    func(Method) int64                // bytes that it takes more than the one chosen first, its growing basis included
	tight     func(bytes int64) bool            // the memory limit does not allow them beside the solve
	forgets   bool                              // methods that are not in use are let go, for their memory
	ready     map[variant]*preconditioner[V, S] // set up so far
	refused   map[variant]refusal
	known     map[variant]known // of what has been set up, before the checkpoint as well
	alone     bool              // without a preconditioner, since setting up was interrupted
	solves    int               // begun
	settingUp time.Duration
	made      []Attempt
	current   Attempt
	tally     tally
	log       func(string)
}

// newAttempts makes methods, when they are needed, with their vectors in space.
func newAttempts[V any, S linop.Scalar[S]](s *Solver, space linop.Space[V, S]) *attempts[V, S] {
	gmres := krylov.GMRESOptions{Restart: s.opt.Restart, Basis: s.opt.Basis}
	if s.opt.CGS2 {
		gmres.Orthogonalization = krylov.CGS2
	}
	t := &attempts[V, S]{
		rungs: s.ladder(), nnz: s.nonzeros(), log: s.opt.Log,
		limited: s.opt.Precond.Kind == PrecondAuto && !s.opt.NoRefine, allWide: s.opt.Vectors.Kind == VectorsDD,
		methods: map[rung]krylov.Method[V, S]{}, ready: map[variant]*preconditioner[V, S]{}, refused: map[variant]refusal{}, known: map[variant]known{},
		create: func(name Method, wide bool) (krylov.Method[V, S], error) {
			opt := krylov.MethodOptions{GMRES: gmres, IDR: krylov.IDROptions{S: s.opt.IDR}}
			if s.opt.Restart == 0 {
				opt.GMRES.MaxRestart = s.longestRestart(s.basisRoom(name))
			}
			if at, ok := any(space).(*host); ok && wide {
				method, err := newWideMethod(name, at, opt)
				return any(method).(krylov.Method[V, S]), err
			}
			return krylov.New(string(name), space, opt)
		},
	}
	t.fits, t.tight, t.beyond = s.checkMethod, s.tight, func(m Method) int64 { return s.memoryOf(m) - s.memory() + s.basisRoom(m) }
	t.forgets = s.opt.Device == nil // which keeps the vectors of its space
	if had, ok := any(s.carried.ready).(map[variant]*preconditioner[V, S]); ok {
		for v, p := range had {
			t.ready[v] = &preconditioner[V, S]{by: p.by, made: p.made, work: p.work, at: p.at, tally: &t.tally}
		}
	}
	t.rivals = s.rivals(t.rungs)
	t.state = beginLadder(len(t.rungs), t.nnz)
	return t
}

// now is the rung in use.
func (t *attempts[V, S]) now() rung {
	r := t.rungs[t.state.Rung]
	if t.alone {
		r.variant = variant{kind: precond.None}
	}
	return r
}

// method is the one in use.
func (t *attempts[V, S]) method() (krylov.Method[V, S], error) {
	now := t.now()
	as := rung{method: now.method, wide: now.wide}
	if m := t.methods[as]; m != nil {
		return m, nil
	}
	m, err := t.create(now.method, now.wide)
	t.methods[as] = m
	return m, err
}

// preconditioner is the one in use; nil: none.
func (t *attempts[V, S]) preconditioner() *preconditioner[V, S] { return t.ready[t.now().variant] }

// begin goes back to before the first rung.
func (t *attempts[V, S]) begin() {
	t.state = beginLadder(len(t.rungs), t.nnz)
	t.made, t.current, t.alone = nil, Attempt{}, false
	t.solves++
}

// Continuing is what every line of Options.Log contains that tells of another method, preconditioner or precision during a solve.
const Continuing = "continuing with"

// climb goes to the next rung whose preconditioner can be set up, and says what was before, if
// there is anything. Where none is left it stays; the error is that of the last set-up.
func (t *attempts[V, S]) climb(before string, measure float64, setUp setUp[V]) error {
	err, used := errLadder, t.state.Rung
	then := Continuing
	for t.state.next(t.rungs, measure) {
		if before != "" {
			t.log(fmt.Sprintf("%s: %s %s", before, then, t.now()))
		}
		no, known := t.refused[t.now().variant]
		refused := t.enter(setUp)
		if refused == nil {
			return nil
		}
		if errors.Is(err, errLadder) || !errors.Is(refused, errMethodMemory) { // which says less than the one before
			err = refused
		}
		before, then = "", "trying"
		if !known || t.refused[t.now().variant] != no { // otherwise it has been said
			before = fmt.Sprintf("precond %v", refused)
		}
		t.state.refuse(t.rungs, refused)
		t.current.Reason = refused.Error()
		t.record()
	}
	if before != "" {
		t.log(before + ": there is nothing else to try")
	}
	if t.state.Rung = used; used >= 0 {
		err = errors.Join(err, t.again(t.now().variant, setUp)) // if it has been released
	}
	return err
}

// record ends the current attempt.
func (t *attempts[V, S]) record() {
	t.made = append(t.made, t.current)
	t.current = Attempt{}
}

// errLadder is the error of climb where no rung is left to try.
var errLadder = errors.New("there is no other method or preconditioner to try")

// enter sets up the preconditioner of the current rung, if it has not been.
func (t *attempts[V, S]) enter(setUp setUp[V]) error {
	r, k := t.now(), t.state.Rung
	t.current = Attempt{Method: string(r.method), Vectors: VectorsDouble, Precond: string(precond.None)}
	if r.wide || t.allWide {
		t.current.Vectors = VectorsDD
	}
	if err := t.fits(r.method); err != nil {
		return err
	}
	if t.forgets {
		clear(t.methods)
	}
	if r.kind == precond.None {
		return nil
	}
	t.current.Precond = r.variant.String()
	budget := 0.0
	if t.limited {
		budget = t.state.setupBudget(r)
	}
	if r.most > 0 {
		budget = r.most * float64(t.nnz)
	}
	if err := t.again(r.variant, setUp); err != nil || t.alone {
		return err
	}
	if p := t.ready[r.variant]; p != nil {
		t.current.Precond, t.current.Work = p.made.String(), p.work
		if p.solves == 0 && t.solves == 1 { // set up for this solve, ahead of it
			t.current.Setup = p.setup
		}
		t.state.Rungs[k].Setup += p.work
		t.state.Rungs[k].Made = p.at
		return nil
	}
	if no, known := t.refused[r.variant]; known && (no.budget >= budget || !errors.Is(no.err, precond.ErrWork)) {
		t.state.Rungs[k].Setup += no.took
		return no.err
	}
	work, err := t.make(r.variant, budget, nil, setUp)
	t.state.Rungs[k].Setup += work
	t.current.Work = work
	switch {
	case t.alone:
	case err != nil:
		t.refused[r.variant] = refusal{err, budget, work}
	default:
		delete(t.refused, r.variant)
		t.current.Precond = t.ready[r.variant].made.String()
	}
	return err
}

// solved records a solve with the current rung.
func (t *attempts[V, S]) solved(iterations int, work float64, took time.Duration) {
	t.current.Iterations += iterations
	t.current.Work += work
	t.current.Solve += took
	r := &t.state.Rungs[t.state.Rung]
	r.Iterations += iterations
	r.Work += work
	r.Spent += work
}

// left ends the current attempt, for a reason; slow if a larger budget may help.
func (t *attempts[V, S]) left(reason string, slow bool) (line string) {
	a := t.current
	t.current.Reason = reason
	t.record()
	t.state.leave(t.now(), slow)
	return fmt.Sprintf("%s stopped (%s) after %d iterations, %.3f s and %.1e multiplications",
		t.now(), reason, a.Iterations, (a.Setup + a.Solve).Seconds(), a.Work)
}

// visits are the attempts of the solve, the current one included.
func (t *attempts[V, S]) visits() []Attempt {
	list := slices.Clone(t.made)
	if t.current.Method != "" {
		list = append(list, t.current)
	}
	return list
}
