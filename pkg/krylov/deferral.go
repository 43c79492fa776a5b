package krylov

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// A deferral decides which steps are judged, by which scalars. Where scalars are at hand,
// every step is judged at once. On an asynchronous space checks are deferred: every Stride
// steps, the scalars of a step are fetched while the next one is in progress, and x is saved
// with them.
//
// A fault, or a norm that is not finite, ends a run with NotFinite, which is not believed
// yet: driver.rewind goes back to the saved x, and steps are judged at once for a while.
type deferral[V any, S linop.Scalar[S]] struct {
	async linop.Async[V, S] // nil: scalars are at hand

	x       V          // of step saved
	saved   int        // the last one that was sound
	fetched int        // the step whose scalars have been fetched; none if it is saved
	scalars scalars[S] // of it
	careful int        // steps yet to be judged at once
}

func newDeferral[V any, S linop.Scalar[S]](space linop.Space[V, S]) (d deferral[V, S]) {
	if async, ok := space.(linop.Async[V, S]); ok {
		d.async, d.x = async, space.New()
	}
	return d
}

// begin begins a solve. Every step is judged at once if that is asked for, or the preconditioner is
// flexible, which waits for scalars itself and clears faults.
func (d *deferral[V, S]) begin(atOnce bool) {
	d.careful = 0
	if atOnce {
		d.careful = math.MaxInt
	}
}

// immediate reports whether a step is judged at once.
func (d *deferral[V, S]) immediate() bool { return d.async == nil || d.careful > 0 }

// save takes x of a step, with which nothing is wrong.
func (d *deferral[V, S]) save(x V, step int) {
	if d.immediate() {
		return
	}
	d.async.ClearFault()
	d.async.Checkpoint(d.x, x)
	d.saved, d.fetched = step, step
}

// due takes the scalars and x of a step, and returns the scalars to judge by and their
// step, which is 0 if that is deferred. last says that there are no more steps, so that
// this one must be judged.
func (d *deferral[V, S]) due(s scalars[S], x V, step int, last bool) (scalars[S], int, Reason) {
	if d.immediate() {
		return s, step, Running
	}
	if d.fetched > d.saved {
		if reason := d.await(); reason != Running || !last {
			return d.scalars, d.saved, reason
		}
	} else if !last && step < d.saved+d.async.Stride() {
		return s, 0, Running
	}
	d.async.Checkpoint(d.x, x)
	d.async.Fetch()
	d.scalars, d.fetched = s, step
	if !last {
		return s, 0, Running
	}
	reason := d.await()
	return s, step, reason
}

// await waits for scalars that have been fetched.
func (d *deferral[V, S]) await() Reason {
	if !d.async.Await() {
		return NotFinite
	}
	d.saved = d.fetched
	return Running
}

// trust says that a step was sound; after some of them checks are deferred again.
func (d *deferral[V, S]) trust(x V, step int) {
	if d.careful > 0 {
		d.careful--
		d.save(x, step)
	}
}

// rewind sets x to the one saved, and returns its step.
func (d *deferral[V, S]) rewind(x V) (step int) {
	d.async.Copy(x, d.x)
	d.careful = d.async.Stride() + 1
	return d.saved
}
