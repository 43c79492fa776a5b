package choice

import (
	"errors"
	"fmt"

	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// known describes the set-up of a preconditioner.
type known struct {
	At   Precision // of the method's matrix at the set-up
	Work float64
}

// again sets up a preconditioner that was released, or that was set up before a checkpoint, with the same bits.
func (t *Attempts[V, S]) again(v Variant, setUp setUp[V]) error {
	k, ok := t.Known[v]
	if !ok || t.Ready[v] != nil {
		return nil
	}
	_, err := t.make(v, 0, &k.At, setUp)
	return err
}

// Recall takes over from a checkpoint which preconditioners had been set up, and which had been refused.
func (t *Attempts[V, S]) Recall(ready []Readied, no []Refused) error {
	for _, r := range ready {
		if r.Fallback < 0 || r.Fallback >= len(t.Fallbacks) {
			return Damaged("fallback %d", r.Fallback+1)
		}
		t.Known[t.Fallbacks[r.Fallback].Variant] = known{r.At, r.Work}
	}
	for _, r := range no {
		err := &ranks.Recalled{Text: r.Text}
		for _, k := range r.Is {
			if k < 0 || k >= len(causes) {
				return Damaged("cause %d", k)
			}
			err.Is = append(err.Is, causes[k])
		}
		if r.Fallback < 0 || r.Fallback >= len(t.Fallbacks) {
			return Damaged("fallback %d", r.Fallback+1)
		}
		t.Refused[t.Fallbacks[r.Fallback].Variant] = refusal{err, r.Budget, r.Took}
	}
	return nil
}

// Readied is a preconditioner that has been set up.
type Readied struct {
	Fallback int       // the first fallback with this preconditioner
	At       Precision // of the method's matrix at the set-up
	Work     float64
}

// Refused is the refusal of a preconditioner, for a checkpoint.
type Refused struct {
	Fallback     int // the first fallback with this preconditioner
	Budget, Took float64
	Text         string
	Is           []int // indices of causes
}

// causes are the errors of set-ups that State.Refuse distinguishes.
var causes = []error{precond.ErrWork, precond.ErrMemory, precond.ErrNotDefinite, precond.ErrIndefinite}

// CausesOf returns the indices of the causes that an error wraps.
func CausesOf(err error) (list []int) {
	for k, cause := range causes {
		if errors.Is(err, cause) {
			list = append(list, k)
		}
	}
	return list
}

// Damaged returns the error of a checkpoint that contradicts itself.
func Damaged(format string, args ...any) error {
	return RefusedCheckpoint("is damaged: "+format, args...)
}

// RefusedCheckpoint returns the error of a checkpoint that a solve cannot go on from.
func RefusedCheckpoint(format string, args ...any) error {
	return &solve.CheckpointError{Msg: fmt.Sprintf(format, args...)}
}

// Carried is a preconditioner that was made for the values of an earlier system, and the account of its cost.
type Carried struct {
	Ready  map[Variant]*Preconditioner[vector, scalar] // nil: the preconditioner is made for the present values
	Usual  int                                         // iterations of a solve with the values that it was made for; 0: not known
	Debt   float64                                     // work of the iterations beyond Usual
	Stale  int                                         // systems that it was used for whose values it was not made for
	Solves int                                         // solves since the last Update
	Took   int                                         // iterations of these solves
	Other  bool                                        // the preconditioner does not suit, since the scaling has changed
}

// Solved counts a solve.
func (c *Carried) Solved(iterations int) {
	c.Solves++
	c.Took += iterations
}

// Next counts the system that has been solved, and reports whether the preconditioner stays for the next one, given what setting it up again and an
// iteration are expected to take. It stays until the last system has cost more, in iterations beyond Usual, than the systems since the
// set-up have in the mean, this set-up included: the moment to replace what wears out. So it is never replaced where each set-up would cost more than it
// saves in the one system that has its values.
func (c *Carried) Next(setUp, iteration float64) (stays bool) {
	if c.Usual == 0 {
		c.Usual = (c.Took + c.Solves - 1) / c.Solves
	} else {
		c.Stale++
	}
	beyond := iteration * max(0, float64(c.Took-c.Solves*c.Usual))
	c.Debt += beyond
	return beyond*float64(c.Stale+1) <= setUp+c.Debt
}
