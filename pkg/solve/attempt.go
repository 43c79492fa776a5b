package solve

import (
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// variant is a preconditioner that may be tried.
type variant struct {
	kind    precond.Kind
	dropTol float64 // unless the options have one; 0: the default
}

func (v variant) String() string {
	if v.dropTol == 0 {
		return string(v.kind)
	}
	return fmt.Sprintf("%s, drop %.0e", v.kind, v.dropTol)
}

// attempt is a method with a preconditioner.
type attempt[V any, S linop.Scalar[S]] struct {
	method krylov.Method[V, S]
	variant
	last bool // no other preconditioner comes after it
}

func (a *attempt[V, S]) String() string {
	if a.kind == precond.None {
		return a.method.Name()
	}
	return fmt.Sprintf("%s with %s", a.method.Name(), a.variant)
}

// attempts are the methods and preconditioners that the rules of Auto and PrecondAuto
// allow, each the fallback of the one before.
type attempts[V any, S linop.Scalar[S]] struct {
	list      []*attempt[V, S]
	current   int
	ready     map[variant]*preconditioner[V] // set up so far; nil: that failed
	settingUp time.Duration                  // these
	log       func(string)
}

// newAttempts makes the methods, with their vectors in space.
func newAttempts[V any, S linop.Scalar[S]](s *Solver, space linop.Space[V, S], variants []variant) (*attempts[V, S], error) {
	gmres := krylov.GMRESOptions{Restart: s.opt.Restart}
	if s.opt.Restart == 0 {
		gmres.MaxRestart = s.longestRestart()
	}
	if s.opt.CGS2 {
		gmres.Orthogonalization = krylov.CGS2
	}
	t := &attempts[V, S]{ready: map[variant]*preconditioner[V]{}, log: s.opt.Log}
	add := func(name Method, variants []variant) error {
		m, err := krylov.New(string(name), space, krylov.MethodOptions{GMRES: gmres})
		for k, v := range variants {
			t.list = append(t.list, &attempt[V, S]{m, v, k == len(variants)-1})
		}
		return err
	}
	err := add(s.Method, variants)
	if err == nil && s.Method == CG && s.opt.Method != CG {
		err = add(GMRES, variants[len(variants)-1:])
	}
	return t, err
}

// now is the attempt in use.
func (t *attempts[V, S]) now() *attempt[V, S] { return t.list[t.current] }

// preconditioner is the one in use; nil: none.
func (t *attempts[V, S]) preconditioner() *preconditioner[V] { return t.ready[t.now().variant] }

// enter goes to attempt k, or to the first after it whose preconditioner can be set up
// by setUp, which is called once for each of them.
func (t *attempts[V, S]) enter(k int, setUp func(variant) (krylov.Preconditioner[V], precond.Preconditioner, error)) error {
	for ; ; k++ {
		a := t.list[k]
		if p, known := t.ready[a.variant]; a.kind == precond.None || p != nil {
			t.current = k
			return nil
		} else if known {
			continue
		}
		start := time.Now()
		by, made, err := setUp(a.variant)
		took := time.Since(start)
		t.settingUp += took
		switch {
		case errors.Is(err, precond.ErrInterrupted): // there will be no iterations either
			t.log(fmt.Sprintf("precond %v", err))
			t.current = t.unpreconditioned()
			return nil
		case err == nil:
			t.ready[a.variant] = &preconditioner[V]{by: by, made: made, setup: took}
			t.current = k
			c := made.Cost()
			t.log(fmt.Sprintf("precond %v: set up in %.3f s; %s (%s in FP64)", made, took.Seconds(),
				humanize.Bytes(uint64(c.Bytes)), humanize.Bytes(uint64(c.FP64Bytes))))
			return nil
		case a.last:
			return err
		}
		t.ready[a.variant] = nil
		for t.list[k+1].kind == a.kind { // fails as well; another kind comes last
			k++
			t.ready[t.list[k].variant] = nil
		}
		t.log(fmt.Sprintf("precond %v: trying %s", err, t.list[k+1].variant))
	}
}

// unpreconditioned is the attempt without a preconditioner; it is added if there is
// none.
func (t *attempts[V, S]) unpreconditioned() int {
	for k, a := range t.list {
		if a.kind == precond.None {
			return k
		}
	}
	t.list = append(t.list, &attempt[V, S]{t.now().method, variant{kind: precond.None}, true})
	return len(t.list) - 1
}

// preconditioner is one that has been set up, timed.
type preconditioner[V any] struct {
	by      krylov.Preconditioner[V] // where the vectors are
	made    precond.Preconditioner   // on the host
	setup   time.Duration
	count   int
	elapsed time.Duration
}

// Apply computes dst = M^-1 src.
func (p *preconditioner[V]) Apply(dst, src V) {
	start := time.Now()
	p.by.Apply(dst, src)
	p.count++
	p.elapsed += time.Since(start)
}
