package refine

import (
	"context"
	"errors"
	"slices"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A Position is the state of a correction: its place among the fallbacks, and what it has learnt on the way.
type Position struct {
	State   choice.State
	Ready   []choice.Readied // preconditioners
	Refused []choice.Refused
	Made    []solve.Attempt
	Current solve.Attempt

	Probe         choice.Lookout // of the method in progress
	Slow          bool           // this and the following are fields of Correction
	Indefinite    bool
	From, Reached float64
}

// Position returns the position of the correction.
func (c *Correction[V, S]) Position() Position {
	t := c.Attempts
	p := Position{
		State: t.State, Made: slices.Clone(t.Made), Current: t.Current,
		Slow: c.Slow, Indefinite: c.indefinite, From: c.From, Reached: c.Reached,
	}
	p.State.Fallbacks = slices.Clone(t.State.Fallbacks)
	p.State.Precision = choice.PrecisionOf(c.Matrix.About().Storage)
	if c.Probe != nil {
		p.Probe = c.Probe.Lookout
	}
	listed := map[choice.Variant]bool{}
	for k, r := range t.Fallbacks {
		v := r.Variant
		if listed[v] {
			continue
		}
		listed[v] = true
		if known, ok := t.Known[v]; ok {
			p.Ready = append(p.Ready, choice.Readied{Fallback: k, At: known.At, Work: known.Work})
		}
		if no, ok := t.Refused[v]; ok {
			p.Refused = append(p.Refused, choice.Refused{Fallback: k, Budget: no.Budget, Took: no.Took, Text: no.Err.Error(), Is: choice.CausesOf(no.Err)})
		}
	}
	return p
}

// Resume goes to a position of a correction for the same system and options. It sets up the preconditioner in use again; others
// follow when they are needed. Each is made of the matrix in its former precision, so that all have the same bits.
func (c *Correction[V, S]) Resume(ctx context.Context, p Position) error {
	c.Ctx = ctx
	t := c.Attempts
	t.Begin()
	if p.State.Fallback < 0 || p.State.Fallback >= len(t.Fallbacks) || len(p.State.Fallbacks) != len(t.Fallbacks) {
		return choice.Damaged("fallback %d of %d", p.State.Fallback+1, len(p.State.Fallbacks))
	}
	if err := t.Recall(p.Ready, p.Refused); err != nil {
		return err
	}
	t.State = p.State
	if err := c.usePrecision(p.State.Precision); err != nil {
		return err
	}
	t.State.Fallbacks = slices.Clone(p.State.Fallbacks)
	err := errors.Join(t.Enter(c.setUp), c.rescale(t.Now().Variant))
	if ctx.Err() == nil && err != nil {
		return &solve.CheckpointError{Msg: "cannot be gone on from: precond " + err.Error()}
	}
	t.State.Fallbacks = slices.Clone(p.State.Fallbacks)
	t.Made, t.Current = slices.Clone(p.Made), p.Current
	c.Slow, c.indefinite, c.From, c.Reached = p.Slow, p.Indefinite, p.From, p.Reached
	return nil
}

// snapshots makes a method that corrects x by z, with exponent e, show x plus the correction on request.
func (c *Correction[V, S]) snapshots(opt *krylov.Options[V], x V, e int) {
	if c.snapshot.Request == nil || !c.refining {
		return
	}
	opt.Snapshot = func(z V) {
		select {
		case <-c.snapshot.Request:
			c.snapshot.Save(sum(c, x, z, e))
		default:
		}
	}
}

// sum returns x corrected by z, on the host.
func sum[V any, S linop.Scalar[S]](c *Correction[V, S], x, z V, e int) []float64 {
	now := c.At.New()
	defer c.At.GiveBack(now)
	c.Scaling.Correction(now, z, e)
	c.At.Axpy(c.At.Scalar(1), x, now)
	host := make([]float64, c.At.Dim())
	c.At.ToHost(host, now)
	return host
}

// snapshots returns the snapshots of the options, with x in the order of the matrix as given.
func snapshots(s *choice.System) solve.Snapshots {
	if s.Job != nil || s.Opt.Snapshot.Save == nil {
		return solve.Snapshots{}
	}
	return solve.Snapshots{Request: s.Opt.Snapshot.Request, Save: func(x []float64) { s.Opt.Snapshot.Save(s.Order.Back(x)) }}
}
